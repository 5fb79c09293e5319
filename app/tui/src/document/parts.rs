//! Pieces that several documents share.

use std::borrow::Cow;
use std::ops::Range;

use assay_core::record::CLAIMED_TIME;
use assay_core::text::{inert, width};
use assay_core::units::short_figures;
use assay_core::view::{
    ComparedFigure, GateView, PredictionView, VariantRow, VerdictView, doubting_rules,
};
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::cut;
use crate::fmt::{self, TimeUnit};
use crate::options::Lang;
use crate::strings::{Strings, fill};
use crate::theme::{Role, Theme, verdict_role};
use crate::view::DOUBTED;

/// How compared subjects are called in column titles.
pub const LETTERS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

/// What every builder needs.
#[derive(Debug, Clone, Copy)]
pub struct Pen {
    /// Styles.
    pub theme: Theme,
    /// Texts.
    pub s: &'static Strings,
    /// Language.
    pub lang: Lang,
    /// Columns.
    pub width: usize,
}

impl Pen {
    /// What a record or a view says, in the language of the interface.
    pub fn said<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.lang.said(text)
    }

    /// A span in a role.
    pub fn span(&self, text: impl Into<String>, role: Role) -> Span<'static> {
        Span::styled(text.into(), self.theme.style(role))
    }

    /// One line of one role, made inert and cut to the width.
    pub fn line(&self, text: &str, role: Role) -> Line<'static> {
        Line::from(self.span(self.theme.cut(&inert(text), self.width).into_owned(), role))
    }

    /// A heading with an empty line above it, unless it is the first line.
    pub fn heading(&self, out: &mut Vec<Line<'static>>, text: &str) {
        if !out.is_empty() {
            out.push(Line::default());
        }
        out.push(self.line(text, Role::Title));
    }

    /// Text wrapped to the width behind an indent of blanks.
    pub fn wrapped(&self, out: &mut Vec<Line<'static>>, text: &str, indent: usize, role: Role) {
        for l in wrap(&inert(text), self.width.saturating_sub(indent)) {
            out.push(self.line(&format!("{}{l}", " ".repeat(indent)), role));
        }
    }

    /// `label  value`, the value wrapped under itself.
    pub fn pair(&self, out: &mut Vec<Line<'static>>, label: &str, value: &str, role: Role) {
        let columns = 10.min(self.width);
        let room = self.width - columns;
        for (i, l) in wrap(&inert(value), room).iter().enumerate() {
            let head = if i == 0 { label } else { "" };
            out.push(Line::from(vec![
                self.span(self.theme.left(head, columns), Role::Dim),
                self.span(self.theme.cut(l, room).into_owned(), role),
            ]));
        }
    }
}

/// Breaks text at blanks and between wide characters; a word that is too long behind a `/`, or
/// anywhere but inside a number that has room. No line begins with what closes a clause, and none ends
/// with what opens one.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let (mut out, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in words(text) {
        let (w, blank) = (width(word), word.trim().is_empty());
        if used + w > columns && !line.is_empty() {
            out.push(line.trim_end().to_owned());
            line.clear();
            used = 0;
        }
        if blank && used == 0 && !out.is_empty() {
            continue;
        }
        let mut rest = word;
        while used + width(rest) > columns {
            let (piece, after) = rest.split_at(broken(rest, columns - used));
            line.push_str(piece);
            out.push(line.trim_end().to_owned());
            line.clear();
            used = 0;
            rest = after;
        }
        line.push_str(rest);
        used += width(rest);
    }
    if !line.trim().is_empty() || out.is_empty() {
        out.push(line.trim_end().to_owned());
    }
    out
}

/// Where a word that is too long is broken: at least one character stands before it.
fn broken(word: &str, columns: usize) -> usize {
    let (mut end, mut used) = (0, 0);
    for (at, g) in word.grapheme_indices(true) {
        used += width(g);
        if used > columns && at > 0 {
            break;
        }
        end = at + g.len();
    }
    let behind = word[..end].rfind('/').map(|at| at + 1).filter(|at| *at > 1);
    match (behind, cut::before_number(word, end)) {
        (Some(at), _) => at,
        (None, 0) => end,
        (None, at) => at,
    }
}

/// The pieces of a text between which a line may end.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut before: Option<&str> = None;
    for (at, piece) in text.split_word_bound_indices() {
        if before.is_some_and(|b| may_break(b, piece)) {
            out.push(&text[from..at]);
            from = at;
        }
        before = Some(piece);
    }
    if from < text.len() {
        out.push(&text[from..]);
    }
    out
}

fn may_break(before: &str, after: &str) -> bool {
    let blank = |t: &str| t.trim().is_empty();
    if blank(before) || blank(after) {
        return blank(before) != blank(after);
    }
    let (Some(end), Some(begin)) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    let wide = |c: char| width(c.encode_utf8(&mut [0; 4])) > 1;
    let closes = |c: char| "，。、；：？！）】》」』”’%,.;:?!)]}>".contains(c);
    let opens = |c: char| "（【《「『“‘([{<".contains(c);
    (wide(end) || wide(begin)) && !closes(begin) && !opens(end)
}

/// The verdict: word, ratio, interval, reason, what is next, each workload.
pub fn verdict(pen: &Pen, out: &mut Vec<Line<'static>>, v: &VerdictView) {
    let s = pen.s;
    pen.heading(out, &format!("{}: {} / {}", s.verdict, v.b, v.a));
    let mut head = vec![pen.span(
        format!("  {} ", inert(&v.verdict)),
        verdict_role(&v.verdict),
    )];
    if let Some(r) = v.ratio {
        head.push(pen.span(format!("{} ", fmt::ratio(r)), Role::Title));
        head.push(pen.span(
            format!("({}) ", fmt::percent((r - 1.0) * 100.0)),
            Role::Plain,
        ));
    }
    if let Some(i) = v.interval {
        head.push(pen.span(format!("[{}] ", fmt::interval(i)), Role::Plain));
    }
    out.push(Line::from(head));
    pen.wrapped(out, &pen.said(&v.reason), 2, Role::Plain);
    if !v.next.is_empty() {
        pen.wrapped(
            out,
            &format!("{}: {}", s.next_step, pen.said(&v.next)),
            2,
            Role::Accent,
        );
    }
    let delta = fmt::percent(v.delta * 100.0);
    let rule = format!(
        "{} {}, {}, {} {}, {}",
        s.policy,
        v.policy,
        v.procedure,
        s.delta,
        delta.trim_start_matches('+'),
        fill(s.processes, &[&v.processes.to_string()])
    );
    pen.wrapped(out, &rule, 2, Role::Dim);
    if let Some(rate) = &v.false_accepts {
        pen.wrapped(out, &pen.said(&rate.sentence()), 2, Role::Dim);
    }
    for line in v.beside() {
        pen.wrapped(out, &pen.said(&line), 2, Role::Plain);
    }
    for w in &v.warnings {
        pen.wrapped(out, &format!("! {}", pen.said(w)), 2, Role::Warn);
    }
    let name = name_columns(pen, v.workloads.iter().map(|w| w.workload.as_str()));
    for w in &v.workloads {
        let ratio = w.ratio.map_or_else(|| "-".into(), fmt::ratio);
        let interval = w
            .interval
            .map_or_else(String::new, |i| format!("  [{}]", fmt::interval(i)));
        let mut spans = vec![
            pen.span(
                format!("  {}", pen.theme.left(&inert(&w.workload), name)),
                Role::Plain,
            ),
            pen.span(pen.theme.right(&ratio, 7), Role::Title),
            pen.span(interval, Role::Dim),
        ];
        if w.guard_broken {
            spans.push(pen.span(format!("  ! {}", s.guard_broken), Role::Bad));
        }
        out.push(Line::from(spans));
    }
}

/// What came of a prediction, with a colon before it: the change, else why there is no percentage.
pub fn foretold(pen: &Pen, p: &PredictionView) -> String {
    match p.observed_percent {
        Some(o) => format!(": {}", fmt::percent(o)),
        None if p.why.is_empty() => String::new(),
        None => format!(": {}", pen.said(&p.why)),
    }
}

/// The gates, one line each: word, name, evidence.
pub fn gates(pen: &Pen, out: &mut Vec<Line<'static>>, gates: &[GateView]) {
    let s = pen.s;
    for g in gates {
        let (word, role) = match g.pass {
            Some(true) => (s.passed, Role::Good),
            Some(false) => (s.failed, Role::Bad),
            None => ("?", Role::Warn),
        };
        let evidence = match g.evidence.as_str() {
            "" => s.no_evidence.into(),
            evidence => pen.said(evidence),
        };
        let text = format!("{}  {}", g.name, short_figures(&evidence));
        for (i, l) in wrap(&inert(&text), pen.width.saturating_sub(9))
            .into_iter()
            .enumerate()
        {
            let head = if i == 0 { word } else { "" };
            out.push(Line::from(vec![
                pen.span(format!("  {} ", pen.theme.left(head, 6)), role),
                pen.span(l, Role::Plain),
            ]));
        }
        if let Some(why) = &g.overridden {
            pen.wrapped(out, &fill(s.overridden, &[&pen.said(why)]), 9, Role::Warn);
        }
    }
}

/// Columns for the names of figures: what the widest needs, at most a third of the width.
pub fn name_columns<'a>(pen: &Pen, names: impl Iterator<Item = &'a str>) -> usize {
    let widest = names.map(|n| width(&inert(n))).max().unwrap_or(0);
    widest.clamp(8, (pen.width / 3).max(8))
}

/// What is said against published times of these rows, with the findings; nothing where nothing is.
pub fn doubted<'r>(
    pen: &Pen,
    out: &mut Vec<Line<'static>>,
    rows: impl Iterator<Item = &'r VariantRow>,
) {
    let times = rows.flat_map(|r| r.doubts(None, CLAIMED_TIME));
    let rules = doubting_rules(times);
    if !rules.is_empty() {
        let text = format!("{DOUBTED} {}: {}", pen.s.mark_doubted, rules.join(", "));
        pen.wrapped(out, &text, 2, Role::Warn);
    }
}

/// A row of figures of these subjects side by side; behind the last of all the relative change. `doubted`
/// says of a subject, by its place, that its figure cannot be right as published.
pub fn figure(
    pen: &Pen,
    f: &ComparedFigure,
    name: usize,
    of: Range<usize>,
    (time, doubted): (Option<TimeUnit>, &dyn Fn(usize) -> bool),
) -> Line<'static> {
    let ends = of.end >= f.values.len();
    let name = pen.theme.left(&inert(&f.name), name);
    let mut spans = vec![pen.span(format!("  {name}"), Role::Plain)];
    let cell = |v: &Option<f64>| match time {
        Some(unit) => unit.text(*v),
        None => v.map_or("-".into(), fmt::figure),
    };
    for (i, cell) in f
        .values
        .iter()
        .map(cell)
        .enumerate()
        .take(of.end)
        .skip(of.start)
    {
        let (cell, role) = match doubted(i) {
            true => (format!("{cell} {DOUBTED}"), Role::Warn),
            false => (cell, Role::Plain),
        };
        spans.push(pen.span(format!(" {}", pen.theme.right(&cell, 14)), role));
    }
    if !ends {
        return Line::from(spans);
    }
    let change = match (f.change_percent, f.values.first(), f.values.last()) {
        (Some(p), ..) => fmt::percent(p),
        (None, Some(Some(_)), Some(None)) if f.values.len() == 2 => pen.s.only_a.into(),
        (None, Some(None), Some(Some(_))) if f.values.len() == 2 => pen.s.only_b.into(),
        _ => String::new(),
    };
    spans.push(pen.span(format!(" {}", pen.theme.right(&change, 9)), Role::Title));
    let unit = fmt::unit(&f.unit);
    // It is that of the figures, and not of what stands before it.
    if time.is_none() && !unit.is_empty() {
        spans.push(pen.span(format!("  ({})", inert(unit)), Role::Dim));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_words_and_columns() {
        assert_eq!(
            wrap("keep the B tile in registers", 10),
            ["keep the B", "tile in", "registers"]
        );
        assert_eq!(wrap("核函数核函数", 6), ["核函数", "核函数"]);
        assert_eq!(wrap("aaaaaaaaaa", 4), ["aaaa", "aaaa", "aa"]);
        assert_eq!(
            wrap("/state/reports/gemm/report.en.md", 28),
            ["/state/reports/gemm/", "report.en.md"]
        );
        assert_eq!(wrap("[0.979-1.003]", 10), ["[0.979-", "1.003]"]);
        assert_eq!(wrap("", 4), [""]);
        assert!(wrap("a b", 0).iter().all(|l| width(l) <= 2));
    }
}
