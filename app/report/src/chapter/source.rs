//! What became of the generated source, on the card of a variant.

use assay_core::view::{ComparedFigure, ShowView, SourceStatement};

use super::or_none;
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{NONE, change, with_unit};
use crate::strings::{Strings, fill};

/// Statements of one kind on a card; more of them help nobody.
const MOST: usize = 24;

/// Lines of a diff of generated source: the sentences above say what it comes to.
const MOST_LINES: usize = 60;

/// Characters of a line of the diff: generated lines can be megabytes long.
const LINE_CHARS: usize = 400;

/// What the facts come to, counters beside them, and the diff.
pub(super) fn write(m: &ReportModel, s: &Strings, show: &ShowView, most: usize, out: &mut Doc) {
    if let Some(twice) = &show.twice {
        out.paragraph(match twice.result.as_str() {
            "equal" => s.twice_equal.into(),
            "normalised-equal" => s.twice_normalised.into(),
            _ => fill(s.twice_differs, &[or_none(Some(&twice.file))]).strong(),
        });
    }
    let Some(source) = m.sources.get(&show.variant.name) else {
        return;
    };
    let parent = or_none(show.variant.parent.as_deref());
    out.paragraph(fill(s.colon, &[fill(s.source_diff, &[parent])]));
    if source.normalised_equal {
        out.paragraph(s.source_equal);
    }
    let of = |change: bool| {
        let statements = source.statements.iter();
        statements.filter(move |x| (x.kind == "change") == change)
    };
    out.list(
        of(true)
            .take(MOST)
            .map(|x| Line::outside(&x.text))
            .collect(),
    );
    let (without, with): (Vec<_>, Vec<_>) = of(false).partition(|x| x.kind == "no-counter");
    if !with.is_empty() {
        out.paragraph(fill(s.colon, &[s.beside_counters.into()]));
        out.list(with.into_iter().take(MOST).map(|x| beside(s, x)).collect());
    }
    if !without.is_empty() {
        let names = (without.iter().take(MOST))
            .flat_map(|x| x.facts.iter().map(|f| Line::outside(&f.name)));
        out.paragraph(fill(s.without_counter, &[Line::join(names, ", ")]));
    }
    diff(s, &source.diff, most.min(MOST_LINES), out);
}

/// A diff, cut after so many lines.
pub(super) fn diff(s: &Strings, diff: &str, most: usize, out: &mut Doc) {
    if diff.is_empty() {
        return;
    }
    let total = diff.lines().count();
    let shown: Vec<&str> = (diff.lines().take(most))
        .map(|l| {
            l.char_indices()
                .nth(LINE_CHARS)
                .map_or(l, |(at, _)| &l[..at])
        })
        .collect();
    out.code("diff", shown.join("\n"));
    if total > shown.len() {
        let values = [shown.len(), total].map(Line::count);
        out.paragraph(fill(s.diff_cut, &values));
    }
}

/// One statement in the language of the report, from its figures.
fn beside(s: &Strings, x: &SourceStatement) -> Line {
    let fact = x.facts.first();
    let name = |f: Option<&ComparedFigure>| or_none(f.map(|f| f.name.as_str()));
    let counter = x.counters.first();
    let moved = counter.map_or_else(
        || NONE.into(),
        |c| match c.change_percent {
            Some(_) => Line::own(change(c.change_percent)),
            None => step(c),
        },
    );
    let text = match x.kind.as_str() {
        "goes-with" => s.goes_with,
        "against" => s.goes_against,
        _ => s.unmoved,
    };
    let values = [
        name(fact),
        fact.map_or_else(|| NONE.into(), step),
        name(counter),
        moved,
    ];
    fill(text, &values)
}

/// `32 -> 64 bits`
fn step(f: &ComparedFigure) -> Line {
    let side = |i: usize, unit: &str| {
        let value = f.values.get(i).copied().flatten();
        value.map_or_else(|| NONE.into(), |v| with_unit(v, unit))
    };
    side(0, "1").and(" -> ").and(side(1, &f.unit))
}
