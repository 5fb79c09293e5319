//! Export as CSV (RFC 4180), safe to open in a spreadsheet.
//!
//! Our own writer: the one of polars brings a network stack with it, and does not know that a cell
//! that begins with `=` is a program to a spreadsheet.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use assay_core::view::{ListView, LogView};

/// One cell.
///
/// Text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a
/// carriage return, also after blanks, and is no number) gets a `'` in front. Quotes are put where they are needed.
pub fn cell(text: &str) -> String {
    let formula = (text.trim_start_matches(' ')).starts_with(['=', '+', '-', '@', '\t', '\r'])
        && !text.parse::<f64>().is_ok_and(f64::is_finite);
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains(['"', ',', '\n', '\r']) || text != text.trim() {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

fn line(out: &mut String, cells: impl IntoIterator<Item = String>) {
    for (i, c) in cells.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&cell(&c));
    }
    out.push_str("\r\n");
}

fn number(n: Option<f64>) -> String {
    n.map(|n| n.to_string()).unwrap_or_default()
}

/// A list as CSV: one line for each variant, one column for each knob and workload.
pub fn list_csv(view: &ListView) -> String {
    let knobs: BTreeSet<&String> = view.variants.iter().flat_map(|v| v.knobs.keys()).collect();
    let mut workloads: Vec<&String> = view.workloads.iter().collect();
    let measured: BTreeSet<&String> = (view.variants.iter())
        .flat_map(|v| v.median_ns.keys())
        .collect();
    workloads.extend(measured.into_iter().filter(|w| !view.workloads.contains(w)));
    let mut out = String::new();
    let fixed = [
        "id",
        "name",
        "parent",
        "status",
        "family",
        "why",
        "commit",
        "against",
        "ratio",
        "low",
        "high",
        "verdict",
        "gates_passed",
        "gates_failed",
        "gates_overridden",
        "failure",
        "decision",
        "reason",
        "decided_at",
        "updated_at",
    ];
    line(
        &mut out,
        (fixed.iter().map(|s| (*s).to_owned()))
            .chain(knobs.iter().map(|k| format!("knob.{k}")))
            .chain(workloads.iter().map(|w| format!("median_ns.{w}"))),
    );
    for v in &view.variants {
        let text = |o: &Option<String>| o.clone().unwrap_or_default();
        let gates = |pass| {
            v.gates
                .iter()
                .filter(|g| g.pass == pass)
                .count()
                .to_string()
        };
        let overridden: Vec<&str> = (v.gates.iter())
            .filter(|g| g.overridden.is_some())
            .map(|g| g.name.as_str())
            .collect();
        let decision = v.decision.as_ref();
        let parents = if v.parents.is_empty() {
            text(&v.parent)
        } else {
            v.parents.join(" ")
        };
        let cells = [
            v.id.clone(),
            v.name.clone(),
            parents,
            v.status.clone(),
            text(&v.family),
            v.why.clone(),
            text(&v.commit),
            text(&v.against),
            number(v.ratio),
            number(v.interval.map(|i| i[0])),
            number(v.interval.map(|i| i[1])),
            text(&v.verdict),
            gates(Some(true)),
            gates(Some(false)),
            overridden.join(" "),
            (v.failure.as_ref())
                .map(|f| format!("{}: {}", f.kind, f.message))
                .unwrap_or_default(),
            decision.map(|d| d.kind.clone()).unwrap_or_default(),
            decision.map(|d| d.reason.clone()).unwrap_or_default(),
            decision.map(|d| d.at.clone()).unwrap_or_default(),
            v.updated_at.clone(),
        ];
        line(
            &mut out,
            (cells.into_iter())
                .chain(
                    knobs
                        .iter()
                        .map(|k| v.knobs.get(*k).cloned().unwrap_or_default()),
                )
                .chain(
                    workloads
                        .iter()
                        .map(|w| number(v.median_ns.get(*w).copied())),
                ),
        );
    }
    out
}

/// A log as CSV: one line for each record.
pub fn records_csv(view: &LogView) -> String {
    let mut out = String::new();
    let _ = write!(out, "id,at,by,kind,variant,summary,supersedes\r\n");
    for r in &view.records {
        let cells = [
            r.id.clone(),
            r.at.clone(),
            r.by.clone(),
            r.kind.clone(),
            r.variant.clone().unwrap_or_default(),
            r.summary.clone(),
            r.supersedes.clone().unwrap_or_default(),
        ];
        line(&mut out, cells);
    }
    out
}
