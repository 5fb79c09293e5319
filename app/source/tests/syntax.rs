//! Colours of the languages of kernels.

use assay_source::Language;
use assay_source::syntax::{Highlighter, MAX_LINE, Syntax};

/// The words of a line with their classes, plain ones left out.
fn colours(language: Language, text: &str) -> Vec<String> {
    let mut h = Highlighter::new(language);
    let mut out = Vec::new();
    for line in text.lines() {
        for s in h.line(line) {
            if s.class != Syntax::Plain {
                out.push(format!("{} {}", s.class.name(), line[s.from..s.to].trim()));
            }
        }
    }
    out
}

#[test]
fn cuda_and_maca() {
    assert_eq!(
        colours(
            Language::Cuda,
            "extern \"C\" __global__ void k(half_t* A) { // x\n#pragma unroll\n*(uint4*)(A) = tl::tma_load(0x0p+0f/*0*/);"
        ),
        [
            "keyword extern",
            "string \"C\"",
            "directive __global__",
            "type void",
            "type half_t",
            "comment // x",
            "directive #pragma unroll",
            "type uint4",
            "intrinsic tl",
            "intrinsic tma_load",
            "number 0x0p+0f",
            "comment /*0*/",
        ]
    );
    assert_eq!(
        colours(
            Language::Maca,
            "__builtin_mxc_mma_16x16x16f16(a); /* b\nint c; */ int d;\n#define X \\\n 1\nR\"(a\nb)\" if"
        ),
        [
            "intrinsic __builtin_mxc_mma_16x16x16f16",
            "comment /* b",
            "comment int c; */",
            "type int",
            "directive #define X \\",
            "directive 1",
            "string R\"(a",
            "string b)\"",
            "keyword if",
        ]
    );
}

#[test]
fn assembly_of_devices() {
    assert_eq!(
        colours(
            Language::Ptx,
            "$L_1:\n\t@%p1 bra $L_1; // x\n\tld.global.v4.u32 \t{%r1, %r2}, [%rd1+16];\n\t.reg .b32 %r<4>;"
        ),
        [
            "label $L_1:",
            "modifier @%p1",
            "opcode bra",
            "label $L_1",
            "comment // x",
            "opcode ld.global.v4.u32",
            "register %r1",
            "register %r2",
            "register %rd1",
            "number 16",
            "directive .reg",
            "directive .b32",
            "register %r",
            "number 4",
        ]
    );
    assert_eq!(
        colours(
            Language::Sass,
            "        /*0010*/               @!P0 LDG.E.128 R4, [R2.64+0x10] ;  /* 0x0 */"
        ),
        [
            "comment /*0010*/",
            "modifier @!P0",
            "opcode LDG.E.128",
            "register R4",
            "register R2.64",
            "number 0x10",
            "comment /* 0x0 */",
        ]
    );
    assert_eq!(
        colours(
            Language::AsmAmdgcn,
            ".LBB0_1: ; loop\n\tv_mfma_f32_16x16x16_f16 a[0:3], v2, s[4:5], 0"
        ),
        [
            "label .LBB0_1:",
            "comment ; loop",
            "opcode v_mfma_f32_16x16x16_f16",
            "register a",
            "number 0",
            "number 3",
            "register v2",
            "register s",
            "number 4",
            "number 5",
            "number 0"
        ]
    );
}

#[test]
fn assembly_of_processors_and_python() {
    assert_eq!(
        colours(
            Language::AsmX86_64,
            "f:\n\tvfmadd231ps\t(%rdi,%rax), %ymm1, %ymm0 # x\n\tmov eax, 8\n\tjne .L3"
        ),
        [
            "label f:",
            "opcode vfmadd231ps",
            "register %rdi",
            "register %rax",
            "register %ymm1",
            "register %ymm0",
            "comment # x",
            "opcode mov",
            "register eax",
            "number 8",
            "opcode jne",
            "label .L3",
        ]
    );
    assert_eq!(
        colours(
            Language::AsmAarch64,
            "\tfmla v0.4s, v1.4s, v2.s[0] // x\n\tadd x0, x1, #16"
        ),
        [
            "opcode fmla",
            "register v0.4s",
            "register v1.4s",
            "register v2.s",
            "number 0",
            "comment // x",
            "opcode add",
            "register x0",
            "register x1",
            "number #16",
        ]
    );
    assert_eq!(
        colours(
            Language::Python,
            "@T.prim_func\ndef f(): # x\n  T.gemm(a, \"b\", 1)\n  '''doc\n  more''' or 2"
        ),
        [
            "directive @T.prim_func",
            "keyword def",
            "comment # x",
            "intrinsic T",
            "intrinsic gemm",
            "string \"b\"",
            "number 1",
            "string '''doc",
            "string more'''",
            "keyword or",
            "number 2",
        ]
    );
}

#[test]
fn long_lines_are_plain() {
    let line = "int ".repeat(MAX_LINE);
    let spans = Highlighter::new(Language::Cuda).line(&line);
    assert_eq!(
        (spans.len(), spans[0].class, spans[0].to),
        (1, Syntax::Plain, line.len())
    );
}
