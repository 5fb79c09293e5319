//! What the Source screen says above the files: notices, what changed, counters beside it, facts.

use assay_core::text::inert;
use assay_core::view::{ComparedFigure, DiffView, SourceStatement};
use assay_source::said::{self, Key};
use ratatui::text::Line;

use super::parts::{Pen, figure, name_columns, wrap};
use crate::fmt;
use crate::options::Lang;
use crate::state::source::{Folds, Section};
use crate::strings::{Strings, fill};
use crate::theme::Role;

/// A line above the files.
#[derive(Debug, Clone)]
pub struct HeadLine {
    /// The part that the line is the heading of.
    pub section: Option<Section>,
    /// The line.
    pub line: Line<'static>,
}

/// What limits the diff or weakens what is said from it, in the order of the files.
pub fn notices(s: &Strings, lang: Lang, view: &DiffView) -> Vec<String> {
    let tongue = lang.of_source();
    let mut view_here = view.remarks.clone();
    // A command line has a flag for what this screen has a key for.
    for r in view_here
        .iter_mut()
        .filter(|r| r.key == Key::TakenOut.name())
    {
        r.key = Key::TakenOutHere.name().to_owned();
        r.values.push(said::plain(s.key_normalised));
    }
    let known = view_here.iter().map(|r| said::text(tongue, r));
    let mut out = match known.collect::<Option<Vec<_>>>() {
        Some(all) if all.len() == view.warnings.len() => all,
        _ => view.warnings.clone(),
    };
    for f in &view.files {
        let name = f.b.as_ref().or(f.a.as_ref()).map_or("", String::as_str);
        out.extend(
            said::notices(tongue, f)
                .into_iter()
                .map(|n| match view.files.len() {
                    1 => n,
                    _ => format!("{name}: {n}"),
                }),
        );
    }
    out.iter().map(|n| inert(n).into_owned()).collect()
}

/// The notices, wrapped.
pub fn strip(pen: &Pen, view: &DiffView) -> Vec<String> {
    let mut out = Vec::new();
    for n in notices(pen.s, pen.lang, view) {
        for (i, l) in wrap(&n, pen.width.saturating_sub(2)).iter().enumerate() {
            let sign = if i == 0 { "! " } else { "  " };
            out.push(format!("{sign}{l}"));
        }
    }
    out
}

/// The lines above the files.
pub fn lines(pen: &Pen, view: &DiffView, folds: &Folds) -> Vec<HeadLine> {
    let s = pen.s;
    let mut out = Vec::new();
    let of = |kind: fn(&str) -> bool| -> Vec<&SourceStatement> {
        view.statements.iter().filter(|x| kind(&x.kind)).collect()
    };
    let changes = of(|k| k == "change");
    if section(
        pen,
        folds,
        &mut out,
        Section::Changes,
        s.what_changed,
        changes.len(),
    ) {
        statements(pen, folds, &mut out, &changes);
    }
    let beside = of(|k| k != "change" && k != "no-counter");
    let without = of(|k| k == "no-counter");
    let count = beside.len() + without.len();
    if section(pen, folds, &mut out, Section::Beside, s.attribution, count) {
        statements(pen, folds, &mut out, &beside);
        if !without.is_empty() {
            let names: Vec<&str> = (without.iter())
                .flat_map(|x| x.facts.iter().map(|f| f.name.as_str()))
                .collect();
            let text = fill(s.without_counter, &[&names.join(", ")]);
            put(&mut out, |lines| pen.wrapped(lines, &text, 2, Role::Dim));
        }
    }
    // Of dozens of facts those that are the same on both sides only stand in the way.
    let facts: Vec<&ComparedFigure> = (view.facts.iter())
        .filter(|f| f.values.first() != f.values.get(1))
        .collect();
    if section(
        pen,
        folds,
        &mut out,
        Section::Facts,
        s.facts_differ,
        facts.len(),
    ) {
        let name = name_columns(pen, facts.iter().map(|f| f.name.as_str()));
        put(&mut out, |lines| {
            lines.extend(
                facts
                    .iter()
                    .map(|f| figure(pen, f, name, 0..f.values.len(), (None, &|_| false))),
            );
        });
    }
    out
}

/// A heading with the number of what stands below it; says whether that is to be seen.
fn section(
    pen: &Pen,
    folds: &Folds,
    out: &mut Vec<HeadLine>,
    section: Section,
    title: &str,
    count: usize,
) -> bool {
    if count == 0 {
        return false;
    }
    let open = !folds.sections.contains(&section);
    let text = format!("{} {title} ({count})", pen.theme.fold(open));
    out.push(HeadLine {
        section: Some(section),
        line: pen.line(&text, Role::Title),
    });
    open
}

/// Adds lines that are no heading.
fn put(out: &mut Vec<HeadLine>, make: impl FnOnce(&mut Vec<Line<'static>>)) {
    let mut lines = Vec::new();
    make(&mut lines);
    out.extend(lines.into_iter().map(|line| HeadLine {
        section: None,
        line,
    }));
}

/// Each statement, and below it the figures that it is made from.
fn statements(pen: &Pen, folds: &Folds, out: &mut Vec<HeadLine>, list: &[&SourceStatement]) {
    for x in list {
        let text = inert(&said::statement(pen.lang.of_source(), x)).into_owned();
        let rows = wrap(&text, pen.width.saturating_sub(4));
        put(out, |lines| {
            for (i, l) in rows.iter().enumerate() {
                let sign = if i == 0 { "- " } else { "  " };
                lines.push(pen.line(&format!("  {sign}{l}"), Role::Plain));
            }
            if folds.evidence {
                let figures = x.facts.iter().chain(&x.counters).map(evidence);
                let figures: Vec<String> = figures.collect();
                if !figures.is_empty() {
                    pen.wrapped(lines, &figures.join("; "), 6, Role::Dim);
                }
            }
        });
    }
}

/// `inst.global.load 100 -> 80 (-20.0 %)`.
fn evidence(f: &ComparedFigure) -> String {
    let side = |i: usize| {
        let value = f.values.get(i).copied().flatten();
        value.map_or_else(|| "-".to_owned(), fmt::figure)
    };
    let unit = match fmt::unit(&f.unit) {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let change = (f.change_percent).map_or_else(String::new, |p| format!(" ({})", fmt::percent(p)));
    format!("{} {} -> {}{unit}{change}", f.name, side(0), side(1))
}
