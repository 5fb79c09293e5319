//! Why columns may not be comparable, said plainly.

use std::collections::BTreeSet;

use assay_core::text::{count, inert, nearest};
use assay_core::view::CounterRow;

use super::{Column, Options, is_named};
use crate::mapping::{TABLE, before_side};
use crate::{Profile, Scope};

/// Options of profilers that change what they count; with the value that follows, if they have one.
const MODES: [&str; 6] = [
    "--single-pass",
    "--replay-mode",
    "--cache-control",
    "--clock-control",
    "--range-replay",
    "--kernel-replay",
];

/// Names that a message lists at most.
const LISTED: usize = 5;

/// Whether two reports of one tool come from different versions of it.
pub fn version_differs(a: &Profile, b: &Profile) -> bool {
    a.tool == b.tool && matches!((&a.tool_version, &b.tool_version), (Some(a), Some(b)) if a != b)
}

/// Whether the commands of two reports of one tool ask for different modes of counting.
pub fn mode_differs(a: &Profile, b: &Profile) -> bool {
    a.tool == b.tool
        && matches!((&a.command, &b.command), (Some(a), Some(b)) if modes(a) != modes(b))
}

fn modes(command: &str) -> BTreeSet<String> {
    let mut words = command.split_whitespace().peekable();
    let mut found = BTreeSet::new();
    while let Some(word) = words.next() {
        let option = word.split('=').next().unwrap_or_default();
        if !MODES.contains(&option) {
            continue;
        }
        let value = words
            .peek()
            .filter(|w| !word.contains('=') && !w.starts_with('-'));
        let value = value.filter(|_| option.ends_with("-mode") || option.ends_with("-control"));
        found.insert(match value {
            Some(v) => format!("{option}={v}"),
            None => word.to_owned(),
        });
    }
    found
}

/// Whether no change can be said between two columns.
pub(super) fn incomparable(a: &Column<'_>, b: &Column<'_>) -> bool {
    version_differs(a.profile, b.profile) || modes_differ(a, b)
}

/// Whether the commands or the figures of two launches say that they were counted in other modes.
fn modes_differ(a: &Column<'_>, b: &Column<'_>) -> bool {
    let passes = matches!((is_single_pass(a), is_single_pass(b)), (Some(a), Some(b)) if a != b);
    mode_differs(a.profile, b.profile) || a.profile.tool == b.profile.tool && passes
}

/// mcProfiler states the scale of the peaks as 1 after a single pass, in which it counts a part of
/// the units only.
fn is_single_pass(column: &Column<'_>) -> Option<bool> {
    let mut scale = column.launch.canonical("roofline.flops_base");
    scale.next()?.number().map(|n| n == 1.0)
}

/// Whether two launches are of one kernel, as far as their names tell. The sides of tables are not
/// named after kernels.
fn same_kernel(a: &Column<'_>, b: &Column<'_>) -> bool {
    let is_table = |c: &Column<'_>| c.profile.flavour == TABLE;
    if is_table(a) && is_table(b) {
        before_side(&a.launch.kernel) == before_side(&b.launch.kernel)
    } else {
        a.launch.kernel == b.launch.kernel
    }
}

/// What speaks against comparing columns with the base.
pub(super) fn columns(columns: &[Column<'_>], base: usize) -> Vec<String> {
    let mut out = Said::default();
    let a = &columns[base];
    for (i, b) in columns.iter().enumerate().filter(|(i, _)| *i != base) {
        let mut say = |text: String| out.of(i, text);
        if a.profile.tool != b.profile.tool {
            say(format!(
                "different tools ({}, {}) count the same thing in different ways; counters are paired by canonical name.",
                b.profile.tool, a.profile.tool
            ));
        }
        if version_differs(a.profile, b.profile) {
            say(format!(
                "different versions of {} ({}, {}), so that no change is said: profile both with one version.",
                a.profile.tool,
                b.profile.tool_version.as_deref().unwrap_or_default(),
                a.profile.tool_version.as_deref().unwrap_or_default()
            ));
        }
        if modes_differ(a, b) {
            say(format!(
                "{} was run in different modes, so that no change is said: profile both with the same options.",
                a.profile.tool
            ));
        }
        let (of_a, of_b) = (a.launch, b.launch);
        if of_a.scope != of_b.scope {
            let (kernel, whole) = match of_a.scope {
                Scope::PerKernel => (a, b),
                Scope::Aggregate => (b, a),
            };
            say(format!(
                "{} is one kernel, {} is the whole program or several launches added up.",
                kernel.label, whole.label
            ));
        }
        if !same_kernel(a, b) {
            say(format!(
                "different kernels (`{}`, `{}`).",
                of_b.kernel, of_a.kernel
            ));
        } else if let (Some(x), Some(y)) = (of_a.occurrence, of_b.occurrence)
            && x != y
        {
            say(match columns.len() {
                2 => format!("different launches of the kernel ({y}, {x}; counted from 0)."),
                _ => "another launch of the kernel.".into(),
            });
        }
        if let (Some(x), Some(y)) = (of_a.grid, of_b.grid)
            && x != y
        {
            say(format!("different grids ({y:?}, {x:?})."));
        }
        if let (Some(x), Some(y)) = (of_a.block, of_b.block)
            && x != y
        {
            say(format!("different blocks ({y:?}, {x:?})."));
        }
    }
    let against = side(a, base);
    out.lines(columns, |who, text| {
        format!("{who} against {against}: {text}")
    })
}

/// Remarks about columns; one that several of them share is told once.
#[derive(Default)]
struct Said(Vec<(String, Vec<usize>)>);

impl Said {
    fn of(&mut self, column: usize, text: String) {
        match self.0.iter_mut().find(|(t, _)| *t == text) {
            Some((_, columns)) => columns.push(column),
            None => self.0.push((text, vec![column])),
        }
    }

    fn lines(self, columns: &[Column<'_>], line: impl Fn(&str, &str) -> String) -> Vec<String> {
        let who = |at: &[usize]| match at {
            [one] => side(&columns[*one], *one),
            all if all.len() == columns.len() => "all columns".into(),
            many => {
                let numbers: Vec<String> = many.iter().map(ToString::to_string).collect();
                format!("columns {}", numbers.join(", "))
            }
        };
        let lines = self.0.iter().map(|(text, at)| line(&who(at), text));
        lines.map(|t| inert(&t).into_owned()).collect()
    }
}

/// What is missing and what is suspect.
pub(super) fn rows(columns: &[Column<'_>], rows: &[CounterRow]) -> Vec<String> {
    let mut out = Vec::new();
    let mut marked = Said::default();
    for (i, column) in columns.iter().enumerate() {
        let alone: Vec<&str> = rows
            .iter()
            .filter(|r| {
                let mut others = r.cells.iter().enumerate().filter(|(j, _)| *j != i);
                r.cells[i].status != "none" && others.all(|(_, c)| c.status == "none")
            })
            .map(|r| r.name.as_str())
            .collect();
        let side = side(column, i);
        if !alone.is_empty() {
            out.push(format!(
                "{} of {}, by the tools' names, only in {side}: {}.",
                alone.len(),
                count(rows.len(), "counter"),
                list(&alone)
            ));
        }
        let suspect: Vec<&str> = rows
            .iter()
            .filter(|r| !r.cells[i].suspect.is_empty())
            .map(|r| r.name.as_str())
            .collect();
        if !suspect.is_empty() {
            let text = format!(
                "{} should not be taken at face value: {}.",
                count(suspect.len(), "figure"),
                list(&suspect)
            );
            marked.of(i, text);
        }
    }
    let mut out: Vec<String> = out.iter().map(|t| inert(t).into_owned()).collect();
    out.extend(marked.lines(columns, |who, text| format!("{who}: {text}")));
    out
}

/// Thresholds for counters that none of the columns has.
pub(super) fn thresholds(options: &Options, rows: &[CounterRow]) -> Vec<String> {
    let names = || {
        let canonical = rows.iter().filter_map(|r| r.canonical.as_deref());
        canonical.chain(rows.iter().map(|r| r.name.as_str()))
    };
    let unused = options
        .thresholds
        .keys()
        .filter(|w| !names().any(|n| is_named(w, n)));
    unused
        .map(|wanted| {
            let near = nearest(wanted, names()).map(|n| format!("; did you mean `{n}`?"));
            let text = format!(
                "The threshold for `{wanted}` fits no counter{}",
                near.as_deref().unwrap_or(".")
            );
            inert(&text).into_owned()
        })
        .collect()
}

/// A column in messages; with its number, as labels may be the same.
fn side(column: &Column<'_>, at: usize) -> String {
    format!("{} (column {at})", column.label)
}

pub(super) fn list(names: &[&str]) -> String {
    let mut text = names
        .iter()
        .take(LISTED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    text
}
