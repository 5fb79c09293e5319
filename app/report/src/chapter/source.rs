//! What became of the generated source, on the card of a variant.

use assay_core::view::{ComparedFigure, FileDiff, ShowView, SourceStatement};
use assay_source::said;

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
            .map(|x| Line::outside(said::statement(out.lang.of_source(), x)))
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
    diff(s, &source.diff, &source.files, most.min(MOST_LINES), out);
}

/// A diff, cut after so many lines.
pub(super) fn diff(s: &Strings, diff: &str, files: &[FileDiff], most: usize, out: &mut Doc) {
    if diff.is_empty() {
        return;
    }
    let total = diff.lines().count();
    let shown: Vec<&str> = diff.lines().take(most).map(short).collect();
    let count = shown.len();
    let mut files = first_lines(files, most);
    for f in &mut files {
        let lang = out.lang.of_source();
        f.notice = said::sentences(lang, &said::notices(lang, f));
    }
    out.diff(shown.join("\n"), files);
    if total > count {
        let values = [count, total].map(Line::count);
        out.paragraph(fill(s.diff_cut, &values));
    }
}

/// The beginning of a line.
fn short(line: &str) -> &str {
    let end = line.char_indices().nth(LINE_CHARS);
    end.map_or(line, |(at, _)| &line[..at])
}

/// As much of a diff as its first lines in the unified form show.
pub fn first_lines(files: &[FileDiff], most: usize) -> Vec<FileDiff> {
    let mut left = most;
    let mut out = Vec::new();
    for f in files.iter().filter(|f| f.is_shown()) {
        if left == 0 {
            break;
        }
        // Two lines of names, one for each notice, one above each hunk.
        let notices = f.notices.len().max(usize::from(!f.notice.is_empty()));
        left = left.saturating_sub(2 + notices);
        let mut hunks = Vec::new();
        for hunk in &f.hunks {
            left = left.saturating_sub(1);
            if left == 0 {
                break;
            }
            let lines = hunk.iter().take(left).map(|l| {
                let mut l = l.clone();
                for p in l.pieces.iter_mut().chain(l.other.iter_mut().flatten()) {
                    p.text = short(&p.text).to_owned();
                }
                l
            });
            hunks.push(lines.collect::<Vec<_>>());
            left = left.saturating_sub(hunk.len());
        }
        out.push(FileDiff {
            a: f.a.clone(),
            b: f.b.clone(),
            notice: f.notice.clone(),
            notices: f.notices.clone(),
            language: f.language.clone(),
            notes: f.notes.iter().take(hunks.len()).cloned().collect(),
            hunks,
            ..FileDiff::default()
        });
    }
    out
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
        "beside" => s.stands_beside,
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
