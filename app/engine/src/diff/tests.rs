use assay_core::campaign;

use super::*;

const V5: &str = include_str!("../../../source/tests/fixtures/h200/src_v5_stages3.cu");

const RAW: How = How {
    generated: false,
    lines: Lines::Raw,
    passes: Passes::ALL,
};

#[test]
fn a_campaign_names_every_language_that_is_read() {
    let mut known: Vec<&str> = assay_source::Language::ALL
        .iter()
        .map(|l| l.name())
        .chain([
            assay_source::language::AUTO,
            assay_source::language::AUTO_ASM,
        ])
        .collect();
    let mut named: Vec<&str> = campaign::Language::ALL.iter().map(|l| l.name()).collect();
    known.sort_unstable();
    named.sort_unstable();
    assert_eq!(named, known);
}

#[test]
fn renumbered_temporaries_are_no_change_unless_lines_are_compared_as_they_are() {
    let file = |text: &str| SourceFile::new(format!("{}.cu", text.len()), text);
    let other = V5.replace("i_1", "i_77");
    assert_ne!(other, V5);
    let view = of_files(&file(V5), &file(&other), How::default());
    assert!(view.files[0].hunks.is_empty());
    assert!(view.statements.is_empty(), "{:?}", view.statements);
    let said = view.warnings.join("\n");
    assert!(said.contains("equal after normalisation"), "{said}");
    assert!(said.contains("--raw shows it"), "{said}");
    let raw = of_files(&file(V5), &file(&other), RAW);
    assert!(!raw.files[0].hunks.is_empty());
    assert!(
        raw.warnings
            .join("\n")
            .contains("equal after normalisation")
    );
}

#[test]
fn files_that_are_the_same_are_said_to_be_and_keep_their_facts() {
    let view = of_files(
        &SourceFile::new("a.cu", V5),
        &SourceFile::new("b.cu", V5),
        How::default(),
    );
    let said = format!(
        "identical, {} bytes, sha256 {}",
        V5.len(),
        assay_core::Sha256::of(V5.as_bytes())
    );
    let equal = "the sources are equal after normalisation";
    assert_eq!(view.warnings, [said.as_str(), equal]);
    assert!(view.statements.is_empty() && view.files[0].hunks.is_empty());
    let threads = view.facts.iter().find(|f| f.name == "launch.threads");
    let values = &threads.unwrap().values;
    assert!(values[0].is_some() && values[0] == values[1]);
    // What has no facts is said to be the same all the same.
    let text = |path: &str| SourceFile::new(path, "1\n");
    let view = of_files(&text("a.txt"), &text("b.txt"), How::default());
    assert!(view.warnings[0].starts_with("identical, 2 bytes, sha256 "));
    assert!(view.facts.is_empty());
}

#[test]
fn what_people_write_is_compared_as_it_stands() {
    let file = |text: &str| SourceFile::new("k.c", text);
    let view = of_files(
        &file("int f; // a\n"),
        &file("int f; // b\n"),
        How::default(),
    );
    assert_eq!(view.files[0].hunks.len(), 1);
    assert!(view.facts.is_empty());
}

#[test]
fn a_page_is_whole_and_nothing_in_it_is_active() {
    let file = |path: &str, text: &str| SourceFile::new(path, text);
    let evil = V5.replace(
        "extern \"C\"",
        "/*</td><script>alert(1)</script>\u{1b}[2J*/\nextern \"C\"",
    );
    let mut view = of_files(
        &file("<a>.cu", V5),
        &file("b\u{1b}].cu", &evil.replace("stages", "steps")),
        RAW,
    );
    view.warnings.push("<img src=x>".into());
    let page = html(&view, Lang::En);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(page.contains(assay_source::diff::STYLE));
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
    assert!(!page.contains("<img") && !page.contains('\u{1b}'));
    assert!(page.contains("&lt;a&gt;.cu"));
}

#[test]
fn passes_are_switched_off_one_by_one_and_a_near_miss_is_named() {
    let file = |text: &str| {
        SourceFile::new(
            "k.cu",
            format!("__global__ void k(int* a) {{\n{text}\n}}\n"),
        )
    };
    let (a, b) = (file("  a[0] = 1; // a"), file("  a[0] = 1; // b"));
    let without = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        How::default().without(&names)
    };
    assert!(of_files(&a, &b, How::default()).files[0].hunks.is_empty());
    let view = of_files(&a, &b, without(&["comments"]).unwrap());
    assert_eq!(view.files[0].hunks.len(), 1);
    assert!(!view.files[0].passes.iter().any(|p| p == "comments"));
    let e = without(&["whitespace", "coments"]).unwrap_err().to_string();
    assert!(
        e.contains("unknown pass `coments`, did you mean `comments`?"),
        "{e}"
    );
}

#[test]
fn files_without_facts_say_so() {
    let cpp = |text: &str| SourceFile::new("k.cpp", text);
    let view = of_files(&cpp("int a;\n"), &cpp("int b;\n"), How::default());
    assert_eq!(view.warnings, ["no facts are taken of cpp"]);
}
