//! Facts of stored compiler output, and that nothing makes the reader panic.

use assay_source::{AsmFacts, Language, SourceFile, analyse};
use proptest::prelude::*;

const ATT: &str = include_str!("fixtures/gemm_x86_att.s");
const INTEL: &str = include_str!("fixtures/gemm_x86_intel.s");
const ARM: &str = include_str!("fixtures/gemm_aarch64.s");

fn facts(language: Language, text: &str) -> AsmFacts {
    let mut f = AsmFacts::default();
    f.add_file(language, text);
    f
}

#[test]
fn gcc_x86_64() {
    let f = facts(Language::AsmX86_64, ATT);
    let names: Vec<&str> = f.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["mm", "f2"]);
    let mm = &f.functions[0];
    let c = &mm.counts;
    assert_eq!((c.instructions, c.fma, c.vector_fma), (134, 5, 2));
    assert_eq!((c.vector, c.vector_loads, c.vector_stores), (8, 4, 2));
    assert_eq!((c.vector_width_bits, c.branches, c.calls), (256, 11, 0));
    assert_eq!((c.spills, c.prefetches), (6, 1));
    assert_eq!(mm.frame_bytes, Some(48));
    assert_eq!(mm.opcodes["vfmadd213ss"], 2);
    assert_eq!(
        f.total.instructions,
        c.instructions + f.functions[1].counts.instructions
    );
}

#[test]
fn both_syntaxes_give_the_same_facts() {
    let att = facts(Language::AsmX86_64, ATT);
    let intel = facts(Language::AsmX86_64, INTEL);
    assert_eq!(att.total, intel.total);
    for (a, i) in att.functions.iter().zip(&intel.functions) {
        assert_eq!(
            (&a.name, &a.counts, a.frame_bytes),
            (&i.name, &i.counts, i.frame_bytes)
        );
    }
}

#[test]
fn gcc_aarch64() {
    let f = facts(Language::AsmAarch64, ARM);
    let c = &f.functions[0].counts;
    assert_eq!((c.instructions, c.fma, c.vector_fma), (30, 3, 2));
    assert_eq!((c.vector, c.vector_loads, c.vector_stores), (6, 3, 1));
    assert_eq!((c.vector_width_bits, c.branches, c.calls), (128, 3, 1));
    assert_eq!((c.spills, c.prefetches), (2, 1));
    assert_eq!(f.frame_bytes(), Some(64));
}

#[test]
fn figures_have_units_and_names_that_gates_use() {
    let a = analyse("auto-asm", &[SourceFile::new("k.s", ATT)]).unwrap();
    assert_eq!(a.language, Language::AsmX86_64);
    assert_eq!(a.facts["vector.width_bits"].unit, "bits");
    assert_eq!(a.facts["frame.bytes"].unit, "bytes");
    assert_eq!(a.facts["function.total"].value, 2.0);
    assert_eq!(a.facts["vector.fma"].value, 2.0);
    assert!(a.notices.is_empty());
    assert_eq!(a.passes.len(), 5);
}

#[test]
fn absent_facts_are_absent_and_said_to_be() {
    let a = analyse("text", &[SourceFile::new("x", "movl $1, %eax\n")]).unwrap();
    assert!(a.facts.is_empty() && !a.notices.is_empty());
    let a = analyse(
        "asm-x86_64",
        &[SourceFile::new("x.s", b"\xff\xfd".to_vec())],
    )
    .unwrap();
    assert!(a.facts.is_empty());
    assert!(a.notices[0].contains("not UTF-8"), "{:?}", a.notices);
    assert!(analyse("asm-x8664", &[]).is_err());
    assert!(analyse("auto-asm", &[]).is_err());
}

#[test]
fn a_frame_that_is_not_visible_is_absent() {
    let text = "\t.type f, @function\nf:\n\tpushq %rbp\n\tsubq %rax, %rsp\n\tret\n\t.size f, .-f\n";
    let f = facts(Language::AsmX86_64, text);
    assert_eq!(f.frame_bytes(), None);
    assert!(!f.figures().contains_key("frame.bytes"));
}

/// Lines that look like assembly, so that the readers get past the first token.
fn assembly() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        "[a-z0-9.%$,()\\[\\]{}#/*;:\"'=\\\\ \t!-]{0,12}",
        Just(".L3".to_owned()),
        Just("vfmadd213ps".to_owned()),
        Just("[rsp+".to_owned()),
        Just("-8(%rsp)".to_owned()),
        Just("QWORD PTR".to_owned()),
        Just("[sp, -16]!".to_owned()),
        Just("v0.4s".to_owned()),
        Just(".section".to_owned()),
        Just(".type f,@function".to_owned()),
        "\\PC{0,6}",
    ];
    let line = proptest::collection::vec(token, 0..6).prop_map(|t| t.join(" "));
    proptest::collection::vec(line, 0..30).prop_map(|l| l.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in assembly()) {
        for language in Language::ALL {
            let f = facts(*language, &text);
            prop_assert!(f.total.vector <= f.total.instructions);
            let n = assay_source::normalise(*language, &text, &assay_source::Passes::default());
            // Normalising is a fixed point: what is normal stays as it is.
            let again = assay_source::normalise(*language, &n.text, &assay_source::Passes::default());
            if !language.is_assembly() && !language.is_c_like() {
                prop_assert_eq!(again.text, n.text);
            }
        }
        let _ = analyse("auto-asm", &[SourceFile::new("x.s", text)]);
    }
}

#[test]
fn every_fact_of_assembly_is_in_the_reference() {
    let text = "f:\n\tsubq $8, %rsp\n\taddq $8, %rsp\n\tret\n";
    let a = analyse("asm-x86_64", &[SourceFile::new("x.s", text)]).unwrap();
    let of = |name: &str| assay_source::facts::ASM_FACTS.iter().find(|f| f.0 == name);
    assert!(!a.facts.is_empty());
    for (name, figure) in &a.facts {
        assert_eq!(of(name).map(|f| f.1), Some(figure.unit.as_str()), "{name}");
    }
}
