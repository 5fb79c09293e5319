//! Counters on a card: every workload that was profiled, before and after where both sides have them.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::view::{DoubtedFigure, FigureView};

use super::figures::{self, Moved};
use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{NONE, with_unit};
use crate::model::{Counter, CounterSet};
use crate::strings::{Strings, fill, names};

/// Columns of counters beside each other; more stand below each other.
const ACROSS: usize = 10;

/// Rows of one table on a card; the CSV form has all.
const MOST: usize = 150;

/// Workloads that a title names.
const NAMED: usize = 4;

/// Sets of one tool, each with that of the parent on the same workload.
type Pairs<'m> = Vec<(&'m CounterSet, Option<&'m CounterSet>)>;

/// Writes what each tool counted.
pub(super) fn write(m: &ReportModel, s: &Strings, parent: Option<&str>, name: &str, out: &mut Doc) {
    let own = m.counters_of(name);
    let before = parent.map_or(&[][..], |p| m.counters_of(p));
    let mut done: Vec<&CounterSet> = Vec::new();
    for set in own {
        if done.iter().any(|d| d.is_of_tool(set)) {
            continue;
        }
        done.push(set);
        let pairs: Pairs = (own.iter().filter(|o| o.is_of_tool(set)))
            .map(|o| {
                let same = |b: &&CounterSet| b.is_of_tool(o) && b.workload == o.workload;
                (o, before.iter().find(same))
            })
            .collect();
        of_tool(m, s, &pairs, out);
    }
    let others = before.iter().filter(|b| !b.is_published);
    let others = others.filter(|b| !own.iter().any(|o| o.is_of_tool(b)));
    let others: BTreeSet<&str> = others.map(|b| b.tool.as_str()).collect();
    if let (Some(parent), false, true) = (
        parent,
        others.is_empty(),
        own.iter().any(|o| !o.is_published),
    ) {
        let values = [Line::outside(parent), names(others, NAMED)];
        out.paragraph(fill(s.counters_other_tool, &values));
    }
}

fn of_tool(m: &ReportModel, s: &Strings, pairs: &Pairs, out: &mut Doc) {
    let Some((first, _)) = pairs.first() else {
        return;
    };
    let is_pair = pairs.iter().any(|(_, before)| before.is_some());
    // A published time alone stands in the chain; a card shows what a step changed.
    if first.is_published && !is_pair {
        return;
    }
    let workloads = names(pairs.iter().map(|(o, _)| o.workload.as_str()), NAMED);
    let title = match (first.is_published, first.is_imported) {
        (true, _) => fill(s.counters_published, &[workloads]),
        (_, true) => fill(
            s.counters_imported,
            &[Line::outside(&first.tool), workloads],
        ),
        _ => fill(s.counters, &[Line::outside(&first.tool), workloads]),
    };
    out.paragraph(fill(s.colon, &[title]));
    let doubts = m.list.variants.iter().flat_map(|v| &v.doubted);
    let of_these = |d: &&DoubtedFigure| {
        (pairs.iter()).any(|(o, _)| {
            o.figures
                .get(&d.figure)
                .is_some_and(|c| c.record == d.record)
        })
    };
    super::doubted(doubts.filter(of_these), s, out);
    match (is_pair, pairs.as_slice()) {
        (true, _) => changes(m, s, pairs, out),
        (false, [(one, _)]) => {
            let rows = one.figures.iter();
            let rows = rows.map(|(name, c)| vec![named(s, name), marked(m, name, c)]);
            out.table([s.figure, s.value], &[1], rows.collect());
        }
        (false, _) => over_workloads(m, s, pairs, out),
    }
    records(s, pairs, out);
}

/// The records of what is counted; of a set that several records make up, which has what.
fn records(s: &Strings, pairs: &Pairs, out: &mut Doc) {
    let mut items = Vec::new();
    for (set, _) in pairs {
        for record in &set.records {
            let mut item = Line::outside(record);
            if pairs.len() > 1 {
                item = Line::outside(&set.workload).and(" ").and(item);
            }
            if set.records.len() > 1 {
                let figures = set.figures.iter().filter(|(_, c)| c.record == *record);
                let figures = Line::join(figures.map(|(name, _)| named(s, name)), ", ");
                item = fill(s.interval_at, &[item, figures]);
            }
            items.push(item);
        }
    }
    if !items.is_empty() {
        out.paragraph(fill(s.card_records, &[Line::join(items, "; ")]));
    }
}

/// One row a workload, one column a counter, as long as they have room beside each other.
fn over_workloads(m: &ReportModel, s: &Strings, pairs: &Pairs, out: &mut Doc) {
    let columns: BTreeSet<&str> = (pairs.iter())
        .flat_map(|(o, _)| o.figures.keys().map(String::as_str))
        .collect();
    if columns.len() > ACROSS {
        let rows = pairs.iter().flat_map(|(o, _)| {
            o.figures.iter().map(|(name, c)| {
                vec![
                    Line::outside(&o.workload),
                    named(s, name),
                    marked(m, name, c),
                ]
            })
        });
        let rows: Vec<Vec<Line>> = rows.collect();
        cut(s, [s.workload, s.figure, s.value], &[2], rows, out);
        return;
    }
    let mut head: Vec<Line> = vec![s.workload.into()];
    head.extend(columns.iter().map(|c| named(s, c)));
    let rows = pairs.iter().map(|(o, _)| {
        let mut row = vec![Line::outside(&o.workload)];
        row.extend(columns.iter().map(|name| match o.figures.get(*name) {
            Some(c) => marked(m, name, c),
            None => NONE.into(),
        }));
        row
    });
    let right: Vec<usize> = (1..=columns.len()).collect();
    out.table(head, &right, rows.collect());
}

/// Before and after on every workload, and what did not change in a line.
fn changes(m: &ReportModel, s: &Strings, pairs: &Pairs, out: &mut Doc) {
    let is_many = pairs.len() > 1;
    let (mut rows, mut same) = (Vec::new(), Vec::new());
    for (own, before) in pairs {
        let none = BTreeMap::new();
        let before = before.map(plain);
        let Moved {
            rows: moved,
            unchanged,
        } = figures::moved(m, s, before.as_ref().unwrap_or(&none), &plain(own));
        for (name, cells) in moved {
            let mut row = Vec::new();
            row.extend(is_many.then(|| Line::outside(&own.workload)));
            let is_doubted = |c: &Counter| m.is_doubted(&c.record, &name);
            row.push(match own.figures.get(&name).is_some_and(is_doubted) {
                true => named(s, &name).and(" (!)"),
                false => named(s, &name),
            });
            row.extend(cells);
            rows.push(row);
        }
        for (name, value) in unchanged {
            let at = match is_many {
                true => Line::outside(&own.workload).and(", "),
                false => Line::default(),
            };
            same.push(at.and(named(s, &name)).and(" ").and(value));
        }
    }
    let mut head: Vec<Line> = Vec::new();
    head.extend(is_many.then(|| Line::from(s.workload)));
    head.extend([s.figure, s.before, s.after, s.change, s.direction].map(Line::from));
    let at = usize::from(is_many);
    cut(s, head, &[at + 1, at + 2, at + 3], rows, out);
    if !same.is_empty() {
        same.truncate(MOST);
        out.paragraph(fill(s.unchanged, &[Line::join(same, ", ")]));
    }
}

fn cut(
    s: &Strings,
    head: impl IntoIterator<Item = impl Into<Line>>,
    right: &[usize],
    mut rows: Vec<Vec<Line>>,
    out: &mut Doc,
) {
    let all = rows.len();
    if all == 0 {
        return;
    }
    rows.truncate(MOST);
    out.table(head, right, rows);
    if all > MOST {
        out.paragraph(fill(s.log_cut, &[MOST, all].map(Line::count)));
    }
}

/// A figure, marked where an audit contradicts it.
fn marked(m: &ReportModel, name: &str, c: &Counter) -> Line {
    let line = with_unit(c.value, &c.unit);
    match m.is_doubted(&c.record, name) {
        true => line.and(" (!)"),
        false => line,
    }
}

/// A published time or rate in words; counters keep the name of the catalog.
fn named(s: &Strings, name: &str) -> Line {
    match name {
        "claim.time" => s.published_time.into(),
        "claim.tflops" => s.published_rate.into(),
        other => Line::outside(other),
    }
}

fn plain(set: &CounterSet) -> BTreeMap<String, FigureView> {
    let figures = set.figures.iter().map(|(name, c)| {
        let view = FigureView {
            value: c.value,
            unit: c.unit.clone(),
        };
        (name.clone(), view)
    });
    figures.collect()
}
