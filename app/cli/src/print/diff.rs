//! A source diff as text.

use assay_core::text::inert;
use assay_core::view::{DiffView, SourceStatement};
use assay_engine::diff::{self, Style, Syntax, differs, said};

use super::paint::Paint;
use super::side_by_side::{Times, figures};
use super::table;
use crate::args::Lang;

/// The language in which sources are spoken of.
pub fn tongue(lang: Lang) -> said::Lang {
    match lang {
        Lang::En => said::Lang::En,
        Lang::Zh => said::Lang::Zh,
    }
}

/// What stands above and between the parts.
struct Words {
    changed: &'static str,
    beside: &'static str,
    without: &'static str,
    differ: &'static str,
    both: &'static str,
    all_same: &'static str,
    equal: &'static str,
}

fn words(lang: Lang) -> &'static Words {
    match lang {
        Lang::En => &Words {
            changed: "what changed",
            beside: "facts and counters beside each other (what goes together, never a proof)",
            without: "no counter of both sides to read with ",
            differ: "facts that differ",
            both: "facts of both",
            all_same: "{} facts, the same on both sides (--facts lists them)",
            equal: "no difference in the text",
        },
        Lang::Zh => &Words {
            changed: "改动要点",
            beside: "源码事实与计数器对照（并列呈现，不构成证明）",
            without: "双方都没有可与之对照的计数器：",
            differ: "有差异的源码事实",
            both: "两侧共有的源码事实",
            all_same: "{} 项源码事实，两侧相同（--facts 可列出）",
            equal: "文本没有差异",
        },
    }
}

/// Remarks, what changed, facts that differ, and the diff.
pub fn text(
    view: &DiffView,
    lang: Lang,
    side_by_side: bool,
    all_facts: bool,
    paint: Paint,
) -> String {
    let w = words(lang);
    let mut out = String::new();
    for w in &view.warnings {
        out.push_str(&paint.warning(&format!("# {}", inert(w))));
        out.push('\n');
    }
    let (changes, beside): (Vec<_>, Vec<_>) =
        (view.statements.iter()).partition(|s| s.kind == "change");
    list(w.changed, &changes, paint, &mut out);
    out.push_str(&attribution(&beside, lang, paint));
    let changed: Vec<_> = view
        .facts
        .iter()
        .filter(|f| f.values.first() != f.values.get(1))
        .cloned()
        .collect();
    if !changed.is_empty() {
        // Paths are longer than columns, and differ at their ends.
        let (names, title) = match view.what.as_str() {
            "files" => (
                ["A", "B"],
                format!("{} (A {}, B {})", w.differ, inert(&view.a), inert(&view.b)),
            ),
            _ => ([view.a.as_str(), view.b.as_str()], w.differ.to_owned()),
        };
        let facts = figures(&names, &changed, Times::Measured, lang);
        out.push_str(&format!("{}\n{facts}\n", paint.bold(&title)));
    }
    let same = view
        .facts
        .iter()
        .filter(|f| f.values.first() == f.values.get(1));
    let same: Vec<_> = same.cloned().collect();
    if all_facts && !same.is_empty() {
        let facts = figures(&["A", "B"], &same, Times::Measured, lang);
        out.push_str(&format!("{}\n{facts}\n", paint.bold(w.both)));
    } else if changed.is_empty() && !same.is_empty() {
        out.push_str(&paint.dim(&w.all_same.replace("{}", &same.len().to_string())));
        out.push_str("\n\n");
    }
    let coloured: &dyn Fn(Style, &str) -> String = &|style, text| styled(paint, style, text);
    if side_by_side {
        let width = table::terminal_width();
        for file in view.files.iter().filter(|f| differs(f)) {
            for line in diff::side_by_side(file, width, tongue(lang), coloured) {
                out.push_str(&line);
                out.push('\n');
            }
        }
    } else {
        let coloured = paint.is_on().then_some(coloured);
        out.push_str(&diff::unified(&view.files, tongue(lang), coloured));
    }
    if !view.files.iter().any(differs) {
        out.push_str(&format!("{}\n", w.equal));
    }
    out
}

/// Facts of both sides beside counters of both profiles, as text; empty when there are none.
///
/// Facts without a counter on both sides are one line: there is no more to say of each.
pub fn attribution<'s>(
    statements: impl IntoIterator<Item = &'s &'s SourceStatement>,
    lang: Lang,
    paint: Paint,
) -> String {
    let w = words(lang);
    let (without, with): (Vec<&SourceStatement>, Vec<&SourceStatement>) =
        (statements.into_iter().copied()).partition(|s| s.kind == "no-counter");
    let mut out = String::new();
    list(w.beside, &with, paint, &mut out);
    let names: Vec<&str> = (without.iter())
        .flat_map(|s| s.facts.iter().map(|f| f.name.as_str()))
        .collect();
    if !names.is_empty() {
        let text = format!("{}{}", w.without, inert(&names.join(", ")));
        out.push_str(&paint.dim(&text));
        out.push_str("\n\n");
    }
    out
}

fn list(title: &str, statements: &[&SourceStatement], paint: Paint, out: &mut String) {
    if statements.is_empty() {
        return;
    }
    out.push_str(&paint.bold(title));
    out.push('\n');
    for s in statements {
        out.push_str(&format!("  - {}\n", inert(&s.text)));
    }
    out.push('\n');
}

/// Colour of a piece of a diff. What is told by it is told by signs and words too.
fn styled(paint: Paint, style: Style, text: &str) -> String {
    match style {
        Style::Header => paint.bold(text),
        Style::Hunk => paint.info(text),
        Style::Notice => paint.warning(text),
        Style::Margin => paint.dim(text),
        Style::Context => text.to_owned(),
        Style::Delete => paint.bad(text),
        Style::Insert => paint.good(text),
        Style::DeleteEmphasis => paint.strong_bad(text),
        Style::InsertEmphasis => paint.strong_good(text),
        Style::DeleteMoved | Style::InsertMoved => paint.moved(text),
        Style::Syntax(Syntax::Comment) => paint.dim(text),
        Style::Syntax(Syntax::Keyword | Syntax::Opcode) => paint.keyword(text),
        Style::Syntax(Syntax::Type | Syntax::Register | Syntax::Intrinsic) => paint.name(text),
        Style::Syntax(Syntax::Number | Syntax::String) => paint.literal(text),
        Style::Syntax(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use assay_core::view::FileDiff;

    use super::*;

    fn file(a: Option<&str>, b: Option<&str>, notice: &str) -> FileDiff {
        FileDiff {
            a: a.map(str::to_owned),
            b: b.map(str::to_owned),
            notice: notice.into(),
            ..FileDiff::default()
        }
    }

    fn of(files: Vec<FileDiff>) -> DiffView {
        DiffView {
            schema: "assay.diff/1".into(),
            a: "a".into(),
            b: "b".into(),
            what: "kernel".into(),
            files,
            facts: Vec::new(),
            warnings: Vec::new(),
            remarks: Vec::new(),
            statements: Vec::new(),
        }
    }

    #[test]
    fn only_equal_sides_are_said_to_be_without_difference() {
        let same = || file(Some("k"), Some("k"), "");
        for side_by_side in [false, true] {
            let equal = text(
                &of(vec![same()]),
                Lang::En,
                side_by_side,
                false,
                Paint::never(),
            );
            assert_eq!(equal, "no difference in the text\n");
            for other in [
                file(Some("k"), Some("k"), "`k` is binary; not shown."),
                file(Some("k"), Some("k"), "line ends are not compared."),
                file(None, Some("empty"), ""),
            ] {
                let text = text(
                    &of(vec![same(), other]),
                    Lang::En,
                    side_by_side,
                    false,
                    Paint::never(),
                );
                assert!(!text.contains("no difference"), "{text}");
                assert!(!text.trim().is_empty());
            }
        }
    }

    #[test]
    fn facts_without_a_counter_are_one_line_and_all_is_inert() {
        let s = |kind: &str, text: &str, fact: &str| SourceStatement {
            text: text.into(),
            kind: kind.into(),
            facts: vec![assay_core::view::ComparedFigure {
                name: fact.into(),
                unit: "1".into(),
                values: vec![Some(1.0), Some(2.0)],
                change_percent: Some(100.0),
            }],
            counters: Vec::new(),
            said: None,
        };
        let mut view = of(Vec::new());
        view.statements = vec![
            s("change", "wider \u{1b}[2Jloads", "load.global.b64"),
            s("no-counter", "x", "mma.count"),
            s("no-counter", "y", "barrier.count"),
        ];
        let shown = text(&view, Lang::En, false, false, Paint::never());
        assert!(shown.contains("  - wider \\x1b[2Jloads\n"), "{shown}");
        let line = "no counter of both sides to read with mma.count, barrier.count\n";
        assert!(shown.contains(line), "{shown}");
        assert!(!text(&view, Lang::En, false, false, Paint::always()).contains("\x1b[2J"));
    }
}
