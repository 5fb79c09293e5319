//! Languages of kernel source: names, and recognition by path and content.

use std::fmt;
use std::str::FromStr;

use crate::{SourceError, SourceFile};

macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// A language that kernel source is written or generated in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language { $($(#[$doc])* $variant,)* }

        impl Language {
            /// Every language, in the order of this list.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in campaign files and records.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

languages! {
    /// x86-64 assembly for the GNU assembler, AT&T or Intel syntax.
    AsmX86_64 = "asm-x86_64",
    /// AArch64 assembly for the GNU assembler.
    AsmAarch64 = "asm-aarch64",
    /// AMDGCN assembly, as LLVM prints it.
    AsmAmdgcn = "asm-amdgcn",
    /// C.
    C = "c",
    /// C++.
    Cpp = "cpp",
    /// CUDA C++.
    Cuda = "cuda",
    /// MACA C++ for MetaX devices.
    Maca = "maca",
    /// HIP C++.
    Hip = "hip",
    /// NVIDIA PTX.
    Ptx = "ptx",
    /// NVIDIA SASS as disassembled.
    Sass = "sass",
    /// Python, which includes TileLang and Triton sources.
    Python = "python",
    /// Anything else.
    Text = "text",
}

impl Language {
    /// Whether it is assembly of a processor that facts can be taken from.
    pub fn is_assembly(self) -> bool {
        matches!(self, Self::AsmX86_64 | Self::AsmAarch64)
    }

    /// Whether it is written as the GNU assembler reads it.
    pub(crate) fn is_asm_text(self) -> bool {
        self.is_assembly() || self == Self::AsmAmdgcn
    }

    /// Whether it is C++ with kernels for a device.
    pub fn is_device_c(self) -> bool {
        matches!(self, Self::Cuda | Self::Maca | Self::Hip)
    }

    /// Whether kernel facts can be taken from it.
    pub fn has_kernels(self) -> bool {
        self.is_device_c() || matches!(self, Self::Ptx | Self::Sass | Self::AsmAmdgcn)
    }

    /// Whether its comments and strings are those of C.
    pub fn is_c_like(self) -> bool {
        matches!(
            self,
            Self::C | Self::Cpp | Self::Cuda | Self::Maca | Self::Hip
        )
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = SourceError;

    fn from_str(s: &str) -> Result<Self, SourceError> {
        if let Some(found) = Self::ALL.iter().find(|l| l.name() == s) {
            return Ok(*found);
        }
        let names = || Self::ALL.iter().map(|l| l.name());
        let hint = assay_core::text::nearest(s, names().chain([AUTO_ASM, AUTO]))
            .map(|n| format!(", did you mean `{n}`?"))
            .unwrap_or_default();
        Err(SourceError::Language {
            name: assay_core::text::inert(s).into_owned(),
            hint,
            known: names()
                .chain([AUTO_ASM, AUTO])
                .collect::<Vec<_>>()
                .join(", "),
        })
    }
}

/// The name by which a campaign asks for assembly of whatever machine it runs on.
pub const AUTO_ASM: &str = "auto-asm";

/// The name by which the language is found from paths and contents.
pub const AUTO: &str = "auto";

/// The language that `name` stands for, looking at the files when it is [`AUTO_ASM`] or [`AUTO`].
///
/// [`AUTO`] is the language of the first file whose path or content shows one, and otherwise text.
///
/// # Errors
/// When the name is unknown, or [`AUTO_ASM`] finds no file that shows which machine it is for.
pub fn resolve(name: &str, files: &[SourceFile]) -> Result<Language, SourceError> {
    if name == AUTO {
        return Ok(files
            .iter()
            .map(of_file)
            .find(|l| *l != Language::Text)
            .unwrap_or(Language::Text));
    }
    if name != AUTO_ASM {
        return name.parse();
    }
    files
        .iter()
        .filter_map(|f| f.text().ok())
        .find_map(machine_of)
        .ok_or_else(|| SourceError::UnknownMachine {
            files: files
                .iter()
                .map(|f| assay_core::text::inert(&f.path).into_owned())
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// Recognises the language of one file by its extension, and assembly by its content.
pub fn detect(path: &str, text: &str) -> Language {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
    match extension {
        "s" | "S" | "asm" if is_amdgcn(text) => Language::AsmAmdgcn,
        "s" | "S" | "asm" => machine_of(text).unwrap_or(Language::Text),
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "hpp" | "hh" => Language::Cpp,
        "cu" | "cuh" => Language::Cuda,
        "maca" => Language::Maca,
        "hip" => Language::Hip,
        "ptx" => Language::Ptx,
        "sass" => Language::Sass,
        "py" => Language::Python,
        _ => Language::Text,
    }
}

/// The language of one file by its path, and otherwise by its content, which need not be UTF-8.
pub fn of_file(file: &SourceFile) -> Language {
    /// Contents show what they are within this many bytes.
    const LOOKED_AT: usize = 256 << 10;
    let head = &file.bytes[..file.bytes.len().min(LOOKED_AT)];
    let head = crate::text::head(head);
    match detect(&file.path, &head) {
        plain @ (Language::C | Language::Cpp) => kernels_in(&file.path, &head).unwrap_or(plain),
        Language::Text => by_content(&head),
        // Generators for other devices keep the extension of CUDA.
        Language::Cuda => match by_content(&head) {
            found @ (Language::Maca | Language::Hip) => found,
            _ => Language::Cuda,
        },
        found => found,
    }
}

/// The language of one file of a set in a language: that of the set, but for what a compiler made of
/// device source and captured beside it, which is told by its path.
pub(crate) fn of_member(language: Language, file: &SourceFile) -> Language {
    match file.path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("ptx") if language.is_device_c() => Language::Ptx,
        Some("sass") if language.is_device_c() || language == Language::Ptx => Language::Sass,
        _ => language,
    }
}

/// The device that a C or C++ file is for, where its content shows one.
fn kernels_in(path: &str, text: &str) -> Option<Language> {
    let of_path = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match by_content(text) {
        Language::Cuda if of_path.contains(".hip.") => Some(Language::Hip),
        found if found.is_device_c() => Some(found),
        _ if text.contains("hip_runtime.h") => Some(Language::Hip),
        _ if text.contains("cuda_runtime.h") => Some(Language::Cuda),
        _ => None,
    }
}

/// Whether LLVM says that assembly is for an AMD device.
fn is_amdgcn(text: &str) -> bool {
    text.lines().take(LINES_LOOKED_AT).any(|l| {
        let l = l.trim_start();
        l.starts_with(".amdgcn_target") || l.starts_with(".amdhsa_") || l.starts_with("s_endpgm")
    })
}

/// Recognises device source by its content; anything else is assembly or text.
fn by_content(text: &str) -> Language {
    if is_amdgcn(text) {
        return Language::AsmAmdgcn;
    }
    let mut sass = false;
    for line in text.lines().take(LINES_LOOKED_AT) {
        let line = line.trim_start();
        if line.starts_with(".version ") || line.starts_with(".target sm_") {
            return Language::Ptx;
        }
        sass |= line.starts_with("Function : ")
            || line.starts_with("Function:")
            || line.starts_with(".section .text.")
            || line.starts_with(".section\t.text.");
        if sass && line.starts_with("/*0000*/") || line.starts_with("/*0000*/ ") {
            return Language::Sass;
        }
    }
    if text.contains("__builtin_mxc_")
        || text.contains("tl_templates/maca/")
        || text.contains("mc_runtime")
    {
        Language::Maca
    } else if ["hip/hip_runtime", "tl_templates/hip/", "__builtin_amdgcn_"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        Language::Hip
    } else if text.contains("__global__") {
        Language::Cuda
    } else {
        machine_of(text).unwrap_or(Language::Text)
    }
}

/// How many lines are looked at to tell one machine's assembly from another's.
const LINES_LOOKED_AT: usize = 20_000;

fn machine_of(text: &str) -> Option<Language> {
    let (mut x86, mut arm) = (0u32, 0u32);
    for line in text.lines().take(LINES_LOOKED_AT) {
        let line = line.trim_start();
        if line.starts_with(".intel_syntax") {
            return Some(Language::AsmX86_64);
        }
        if line.starts_with(".arch armv") || line.starts_with(".arch arm64") {
            return Some(Language::AsmAarch64);
        }
        if line.starts_with(['.', '#', '/']) {
            continue;
        }
        let Some((mnemonic, operands)) = line.split_once([' ', '\t']) else {
            continue;
        };
        let operands = operands.trim_start();
        // A line of prose is no instruction.
        if !mnemonic
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || c == b'.')
        {
            continue;
        }
        let x86_register = ["%r", "%e", "xmm", "ymm", "zmm"]
            .iter()
            .flat_map(|r| {
                operands
                    .match_indices(r)
                    .map(|(at, r)| &operands[at + r.len()..])
            })
            .any(|rest| {
                rest.starts_with(|c: char| c.is_ascii_digit())
                    || ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip"]
                        .iter()
                        .any(|r| rest.starts_with(r))
            });
        if x86_register || operands.contains(" PTR [") {
            x86 += 1;
        }
        let register = operands.as_bytes();
        let arm_register = matches!(register.first(), Some(b'x' | b'w' | b'v' | b'q'))
            && register.get(1).is_some_and(u8::is_ascii_digit);
        if arm_register || matches!(mnemonic, "adrp" | "ldp" | "stp" | "cbz" | "cbnz") {
            arm += 1;
        }
    }
    match (x86, arm) {
        (0, 0) => None,
        (x, a) if x >= a => Some(Language::AsmX86_64),
        _ => Some(Language::AsmAarch64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_a_near_miss_is_named() {
        for l in Language::ALL {
            assert_eq!(l.name().parse::<Language>().unwrap(), *l);
        }
        let e = "asm-x86-64".parse::<Language>().unwrap_err().to_string();
        assert!(e.contains("did you mean `asm-x86_64`?"), "{e}");
    }

    #[test]
    fn auto_asm_looks_at_the_files() {
        let x = SourceFile::new("k.s", "\t.text\nf:\n\tmovq\t%rdi, %rax\n\tret\n");
        let i = SourceFile::new("k.s", "f:\n\tmov\trax, QWORD PTR [rdi]\n\tret\n");
        let a = SourceFile::new("k.s", "f:\n\tldr\tx0, [x1]\n\tret\n");
        let n = SourceFile::new("k.s", "hello\n");
        let get = |f: &SourceFile| resolve(AUTO_ASM, std::slice::from_ref(f));
        assert_eq!(get(&x).unwrap(), Language::AsmX86_64);
        assert_eq!(get(&i).unwrap(), Language::AsmX86_64);
        assert_eq!(get(&a).unwrap(), Language::AsmAarch64);
        assert!(get(&n).is_err());
        assert_eq!(detect("a/b.cu", ""), Language::Cuda);
        assert_eq!(detect("README", ""), Language::Text);
    }

    #[test]
    fn auto_looks_at_the_path_first_and_at_the_content_then() {
        let auto = |path: &str, text: &[u8]| resolve(AUTO, &[SourceFile::new(path, text)]).unwrap();
        assert_eq!(auto("k.ptx", b""), Language::Ptx);
        assert_eq!(
            auto("k", b"//\n.version 8.0\n.target sm_90\n"),
            Language::Ptx
        );
        assert_eq!(
            auto("k.txt", b"\t\tFunction : f\n        /*0000*/ EXIT ;\n"),
            Language::Sass
        );
        assert_eq!(auto("k", b"__global__ void f();\xff"), Language::Cuda);
        assert_eq!(
            auto("k", b"x = __builtin_mxc_mma_16x16x16f16(a);"),
            Language::Maca
        );
        assert_eq!(auto("k", b"#include <hip/hip_runtime.h>\n"), Language::Hip);
        assert_eq!(auto("k", b"f:\n\tmovq\t%rdi, %rax\n"), Language::AsmX86_64);
        let maca = b"#include <tl_templates/maca/gemm.h>\n__global__ void k();\n";
        assert_eq!(auto("device_kernel.cu", maca), Language::Maca);
        assert_eq!(auto("k.cu", b"__global__ void k();"), Language::Cuda);
        let amd = b"\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\ts_endpgm\n";
        assert_eq!(auto("k.s", amd), Language::AsmAmdgcn);
        assert_eq!(auto("k", amd), Language::AsmAmdgcn);
        let sass = b"Function:k\n        /*0000*/ EXIT ;\n";
        assert_eq!(auto("k.txt", sass), Language::Sass);
        let mfma =
            b"__global__ void k() { a = __builtin_amdgcn_mfma_f32_4x4x4f16(b, c, a, 0, 0, 0); }";
        assert_eq!(auto("k.cu", mfma), Language::Hip);
        // Prose with letters of registers in it is text.
        let prose = b"the command comma summer\nit has 50%results and 10%error rates\n";
        assert_eq!(auto("notes", prose), Language::Text);
        assert_eq!(
            auto("k", b"f:\n\tvaddps ymm0, ymm1, ymm2\n"),
            Language::AsmX86_64
        );
        assert_eq!(auto("k", b"\xff\x00 hello\n"), Language::Text);
        assert_eq!(resolve(AUTO, &[]).unwrap(), Language::Text);
    }
}
