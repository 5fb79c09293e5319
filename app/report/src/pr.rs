//! A pull-request description: the change, its accuracy, its performance, and a checklist that the
//! records fill.

use assay_core::view::ShowView;

use crate::ReportModel;
use crate::chapter::{self, or_none};
use crate::check::check;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE, with_unit};
use crate::model::was_accepted;
use crate::said::said;
use crate::strings::{Lang, Strings, fill};

/// Lines that one point of the checklist lists below itself.
const MOST_FOUND: usize = 5;

pub(crate) fn document(m: &ReportModel, lang: Lang) -> Doc {
    let s = lang.strings();
    let mut out = Doc {
        lang,
        ..Doc::default()
    };
    let champion = m.claim().map(|c| c.variant);
    let show = champion.as_deref().and_then(|name| m.show(name));
    let title = [Line::outside(&m.list.campaign), said(out.lang, &m.title)];
    out.heading(1, fill(s.pr_title, &title));
    chapter::add("claim", 1, m, &mut out);
    source(m, s, show, &mut out);
    out.heading(2, s.pr_changes);
    changes(m, s, &mut out);
    files(m, s, &mut out);
    chapter::add("rejected", 2, m, &mut out);
    out.heading(2, s.pr_accuracy);
    accuracy(m, s, show, &mut out);
    out.heading(2, s.pr_performance);
    // What was said of accuracy stands there.
    let rest = &without_tests(m);
    let published: &[&str] = match m.is_published() {
        true => &["published", "notes"],
        false => &[],
    };
    let parts = ["environment", "protocol", "task", "chain"];
    for part in parts.iter().chain(published).chain(&["roofline"]) {
        chapter::add(part, 2, rest, &mut out);
    }
    if let Some(show) = show {
        chapter::measured(m, s, show, &mut out);
    }
    for part in ["diagnosis", "audit", "threats", "reproduce"] {
        chapter::add(part, 2, m, &mut out);
    }
    out.heading(2, s.pr_checklist);
    checklist(m, s, lang, &mut out);
    out
}

/// Whether something was made faster: by the verdict of the claim, or as the documents of a published
/// campaign say.
fn is_faster(m: &ReportModel) -> bool {
    let claim = m.claim().filter(|_| m.list.contested.is_empty());
    claim.is_some_and(|c| m.is_published() || c.verdict.as_deref() == Some("FASTER"))
}

/// Where the change comes from.
fn source(m: &ReportModel, s: &Strings, show: Option<&ShowView>, out: &mut Doc) {
    let kind = |is: bool, text: &'static str| Line::own(if is { "[x] " } else { "[ ] " }).and(text);
    out.list(vec![
        kind(false, s.pr_feat),
        kind(is_faster(m), s.pr_optimize),
    ]);
    let commit = |show: Option<&ShowView>| or_none(show.and_then(|v| v.variant.commit.as_deref()));
    let mut shows = m.chain.iter().filter_map(|r| m.show(&r.name));
    let first = shows.find(|v| was_accepted(&v.variant));
    if m.is_published() {
        out.paragraph(fill(s.pr_head_published, &[s.pr_commit_published.into()]));
        return;
    }
    let rows = vec![
        vec![s.pr_evaluator.into(), or_none(m.task.evaluator.as_deref())],
        vec![s.pr_first.into(), commit(first)],
        vec![s.pr_head.into(), commit(show)],
        vec![
            s.pr_branch.into(),
            or_none(show.map(|v| v.branch.as_str()).filter(|b| !b.is_empty())),
        ],
    ];
    out.table([s.key, s.value], &[], rows);
}

/// One paragraph for each accepted variant, with what it was measured to bring.
fn changes(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let lang = out.lang;
    let accepted = m.shows.iter().filter(|v| was_accepted(&v.variant));
    let items: Vec<Line> = accepted
        .map(|v| {
            let row = &v.variant;
            let name = Line::outside(&row.name).strong();
            let why = said(lang, &row.why);
            match (&row.against, row.ratio) {
                (Some(against), Some(ratio)) => fill(
                    s.pr_step,
                    &[
                        name,
                        why,
                        Line::own(figure::ratio(Some(ratio))),
                        Line::outside(against),
                        Line::own(figure::interval(row.interval)),
                        or_none(row.verdict.as_deref()),
                    ],
                ),
                _ => fill(s.pr_step_unmeasured, &[name, why]),
            }
        })
        .collect();
    match items.is_empty() {
        true => out.paragraph(s.chain_none),
        false => out.list(items),
    }
}

/// Files that the accepted variants changed, with the lines that each added and took away.
fn files(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let accepted = m.shows.iter().filter(|v| was_accepted(&v.variant));
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for show in accepted {
        let name = &show.variant.name;
        let Some(diff) = m.kernel_diffs.get(name) else {
            continue;
        };
        for (file, added, removed) in changed(diff) {
            let lines = Line::own(format!("+{added} -{removed}"));
            rows.push(vec![Line::outside(file), Line::outside(name), lines]);
        }
    }
    if !rows.is_empty() {
        out.paragraph(fill(s.colon, &[s.pr_files.into()]));
        out.table([s.pr_file, s.variant, s.pr_lines], &[2], rows);
    }
}

/// Files of a unified diff with their counts of added and removed lines.
fn changed(diff: &str) -> Vec<(&str, usize, usize)> {
    let mut out: Vec<(&str, usize, usize)> = Vec::new();
    let mut before = "";
    // Lines of either side that the hunk still has: only outside of it does `---` name a file.
    let mut left = [0usize; 2];
    for line in diff.lines() {
        if left == [0, 0] {
            if let Some(name) = line.strip_prefix("--- ") {
                before = name;
            } else if let Some(name) = line.strip_prefix("+++ ") {
                let name = if name == "/dev/null" { before } else { name };
                out.push((name, 0, 0));
            } else if let Some(ranges) = line.strip_prefix("@@ ") {
                left = lengths(ranges);
            }
            continue;
        }
        let Some((_, added, removed)) = out.last_mut() else {
            continue;
        };
        match line.chars().next() {
            Some('+') => (*added, left[1]) = (*added + 1, left[1].saturating_sub(1)),
            Some('-') => (*removed, left[0]) = (*removed + 1, left[0].saturating_sub(1)),
            // Said of the line before, e.g. that it does not end.
            Some('\\') => {}
            _ => left = left.map(|n| n.saturating_sub(1)),
        }
    }
    out
}

/// The lengths in `-1,3 +1,4 @@`; one line where none is said.
fn lengths(ranges: &str) -> [usize; 2] {
    let mut words = ranges.split_whitespace();
    [words.next(), words.next()].map(|range| {
        let range = range.unwrap_or_default();
        let length = range.split_once(',').map_or(Some("1"), |(_, n)| Some(n));
        length.and_then(|n| n.parse().ok()).unwrap_or(0)
    })
}

/// Whether a published table or note is about tests, which belongs to accuracy.
fn is_of_tests(name: &str) -> bool {
    name.to_ascii_lowercase().contains("test")
}

fn without_tests(m: &ReportModel) -> ReportModel {
    let mut rest = m.clone();
    if m.is_published() {
        rest.tables.retain(|t| !is_of_tests(&t.table.name));
        rest.notes
            .retain(|n| !n.topic.as_deref().is_some_and(is_of_tests));
    }
    rest
}

fn accuracy(m: &ReportModel, s: &Strings, show: Option<&ShowView>, out: &mut Doc) {
    let rules = m.task.gates.iter().map(|g| Line::outside(&g.rule));
    if !m.task.gates.is_empty() {
        out.paragraph(fill(s.pr_tolerance, &[Line::join(rules, "; ")]));
    }
    if m.is_published() {
        let tables = m.tables.iter().map(|t| &t.table);
        let tables = tables.filter(|t| is_of_tests(&t.name));
        let notes = m.notes.iter();
        let notes = notes.filter(|n| n.topic.as_deref().is_some_and(is_of_tests));
        let notes: Vec<_> = notes.collect();
        let tables: Vec<_> = tables
            .chain(notes.iter().filter_map(|n| n.table.as_ref()))
            .collect();
        out.paragraph(match tables.is_empty() && notes.is_empty() {
            true => s.pr_unchecked,
            false => s.pr_accuracy_published,
        });
        out.list(notes.iter().map(|n| said(out.lang, &n.text)).collect());
        for t in tables {
            chapter::published::table(t, s, out);
        }
        return;
    }
    let Some(show) = show.filter(|v| !v.checks.is_empty()) else {
        out.paragraph(s.pr_unchecked);
        return;
    };
    let error = |e: Option<f64>| e.map_or_else(|| NONE.into(), |e| with_unit(e, "1"));
    let rows = show.checks.iter().map(|c| {
        vec![
            Line::outside(&c.workload),
            error(c.max_abs_error),
            error(c.max_rel_error),
            s.yes_no(Some(c.ok)).into(),
            or_none(Some(&c.detail)),
        ]
    });
    let head = [
        s.workload,
        s.pr_abs_error,
        s.pr_rel_error,
        s.pr_right,
        s.message,
    ];
    out.table(head, &[1, 2], rows.collect());
    chapter::gates(s, show, out);
}

fn checklist(m: &ReportModel, s: &Strings, lang: Lang, out: &mut Doc) {
    let mut items = Vec::new();
    for c in check(m, lang) {
        let mark = match c.holds {
            Some(true) => "[x] ",
            _ => "[ ] ",
        };
        let mut line = Line::own(mark).and(c.rule.words(s));
        if !c.found.is_empty() {
            let shown = c.found.iter().take(MOST_FOUND).map(Line::outside);
            line = line.and(s.pr_found).and(Line::join(shown, "; "));
            if c.found.len() > MOST_FOUND {
                line = line.and(Line::own(format!(" (+{})", c.found.len() - MOST_FOUND)));
            }
        }
        items.push(line);
    }
    out.list(items);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_counted_by_their_hunks() {
        let diff = "--- a.c\n+++ a.c\n@@ -1,3 +1,3 @@ f [literal]\n x\n--- y\n-z\n+++ y\n+w\n\\ no newline\n\
                    --- /dev/null\n+++ new.c\n@@ -0,0 +1,2 @@\n+a\n+b\n--- old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
        assert_eq!(
            changed(diff),
            [("a.c", 2, 2), ("new.c", 2, 0), ("old.c", 0, 1)]
        );
        assert_eq!(changed("no diff"), []);
    }
}
