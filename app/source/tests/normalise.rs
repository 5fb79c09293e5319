//! What normalisation takes out, and what it must leave in.

use assay_source::normalise::{normalised_hash, raw_hash};
use assay_source::{Language, Pass, Passes, SourceFile, normalise};

const FIRST: &str = include_str!("fixtures/dot_first.s");
const RENAMED: &str = include_str!("fixtures/dot_renamed.s");
const X86: Language = Language::AsmX86_64;

fn normal(text: &str) -> String {
    normalise(X86, text, &Passes::default()).text
}

#[test]
fn renamed_variables_comments_and_folders_are_a_null_pair() {
    let a = [SourceFile::new("k.s", FIRST)];
    let b = [SourceFile::new("k.s", RENAMED)];
    assert_ne!(raw_hash(&a), raw_hash(&b));
    assert_eq!(normal(FIRST), normal(RENAMED));
    let all = Passes::default();
    assert_eq!(
        normalised_hash(X86, &a, &all),
        normalised_hash(X86, &b, &all)
    );
}

#[test]
fn what_is_left_is_the_code() {
    let text = normal(FIRST);
    for noise in [
        "#", ".loc", ".cfi", ".LVL", ".LFB", "dot.c", "GCC", "debug", "/home",
    ] {
        assert!(!text.contains(noise), "{noise} in\n{text}");
    }
    assert!(
        text.contains("dot:\n\ttestl %edx, %edx\n\tjle .Ldot.1\n"),
        "{text}"
    );
    assert_eq!(normal(&text), text, "normal text stays as it is");
}

#[test]
fn a_changed_literal_register_or_order_still_shows() {
    for (from, to) in [
        ("addq\t$4, %rax", "addq\t$8, %rax"),
        ("mulss\t(%rsi,%rax), %xmm0", "mulss\t(%rdi,%rax), %xmm0"),
        ("xorl\t%eax, %eax", "nop"),
        ("jne\t.L3", "jne\t.L4"),
    ] {
        let changed = FIRST.replace(from, to);
        assert_ne!(changed, FIRST, "{from}");
        assert_ne!(normal(&changed), normal(FIRST), "{from}");
    }
}

#[test]
fn constants_are_not_mixed_up_across_functions() {
    let program = |first: &str, second: &str| {
        format!(
            "\t.text\n\t.type f, @function\nf:\n\tmovss {first}(%rip), %xmm0\n\tret\n\t.size f, .-f\n\
             \t.type g, @function\ng:\n\tmovss {second}(%rip), %xmm0\n\tret\n\t.size g, .-g\n\
             \t.section .rodata\n.LC0:\n\t.long 1\n.LC1:\n\t.long 2\n"
        )
    };
    assert_ne!(
        normal(&program(".LC0", ".LC0")),
        normal(&program(".LC0", ".LC1"))
    );
}

#[test]
fn a_label_that_goes_does_not_move_those_of_other_functions() {
    let f = |extra: &str| format!("\t.type f, @function\nf:\n{extra}\tret\n\t.size f, .-f\n");
    let g =
        |n: u32| format!("\t.type g, @function\ng:\n.L{n}:\n\tnop\n\tjmp .L{n}\n\t.size g, .-g\n");
    let short = normal(&format!("{}{}", f(""), g(2)));
    let long = normal(&format!("{}{}", f(".L2:\n\tjmp .L2\n"), g(3)));
    let tail = |t: &str| t[t.find("g:").unwrap()..].to_owned();
    assert_eq!(tail(&short), tail(&long));
}

#[test]
fn every_pass_can_be_switched_off() {
    let cases = [
        (Pass::Comments, "movl $1, %eax # one\n", "movl $1, %eax\n"),
        (Pass::DebugInfo, "\t.loc 1 2 3\n\tnop\n", "\tnop\n"),
        (
            Pass::Paths,
            "\t.string \"/a/k.c\"\n",
            "\t.string \"/b/k.c\"\n",
        ),
        (Pass::Labels, ".L7:\n\tjmp .L7\n", ".L9:\n\tjmp .L9\n"),
        (
            Pass::Whitespace,
            "\tmov  $1,   %eax\r\n\n",
            "\tmov $1, %eax\n",
        ),
    ];
    for (pass, a, b) in cases {
        assert_eq!(normal(a), normal(b), "{}", pass.name());
        let without = Passes::default().without(pass);
        let n = |t: &str| normalise(X86, t, &without);
        assert_ne!(n(a).text, n(b).text, "{}", pass.name());
        assert!(!n(a).applied.contains(&pass));
    }
    let none = normalise(X86, FIRST, &Passes::none());
    assert_eq!(none.text, FIRST);
    assert!(none.applied.is_empty());
}

#[test]
fn mach_o_labels_are_local_too() {
    let text = |n: u32| {
        format!(
            "\t.section __TEXT,__text,regular,pure_instructions\n_f: ; @f\n; %bb.0:\n\
             LBB0_{n}: ; loop\n\tb LBB0_{n}\n\tldr q0, [x8, lCPI0_{n}@PAGEOFF]\n"
        )
    };
    let n = |t: &str| normalise(Language::AsmAarch64, t, &Passes::default()).text;
    assert_eq!(n(&text(1)), n(&text(2)).replace("lCPI0_2", "lCPI0_1"));
    assert!(n(&text(1)).contains("L_f.1"), "{}", n(&text(1)));
}
