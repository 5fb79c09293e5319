//! The variants.

use assay_core::view::VariantRow;

use super::{Cells, number};
use crate::state::Variants;
use crate::state::columns::Kind;

/// The rows in view with the columns that were chosen.
pub fn cells(v: &Variants) -> Cells {
    let kinds: Vec<Kind> = std::iter::once(Kind::Name)
        .chain(v.columns.kinds())
        .collect();
    let workload = v.shown_workload();
    let head = kinds.iter().flat_map(|k| names(*k, workload)).collect();
    let rows = (0..v.rows.len()).filter_map(|i| v.row(i));
    let row = |r: &VariantRow| {
        kinds
            .iter()
            .flat_map(|k| of(*k, r, v.median_ns(r)))
            .collect()
    };
    std::iter::once(head).chain(rows.map(row)).collect()
}

fn names(kind: Kind, workload: Option<&str>) -> Vec<String> {
    let one = |name: &str| vec![name.to_owned()];
    match kind {
        Kind::Name => one("variant"),
        Kind::Status => one("status"),
        Kind::Verdict => one("verdict"),
        Kind::Ratio => one("ratio"),
        Kind::Interval => vec!["interval_low".into(), "interval_high".into()],
        Kind::Median => vec![match workload {
            Some(w) => format!("median_ns {w}"),
            None => "geomean_ns".into(),
        }],
        Kind::Gates => vec!["gates_passed".into(), "gates".into()],
        Kind::Against => one("against"),
        Kind::Parent => one("parent"),
        Kind::Family => one("family"),
        Kind::Knobs => one("knobs"),
        Kind::Commit => one("commit"),
        Kind::Updated => one("updated_at"),
        Kind::Why => one("why"),
    }
}

/// What is not there is empty and not zero.
fn of(kind: Kind, v: &VariantRow, median: Option<f64>) -> Vec<String> {
    let text = |x: &Option<String>| vec![x.clone().unwrap_or_default()];
    match kind {
        Kind::Name => vec![v.name.clone()],
        Kind::Status => vec![v.status.clone()],
        Kind::Verdict => text(&v.verdict),
        Kind::Ratio => vec![number(v.ratio)],
        Kind::Interval => [0, 1].map(|i| number(v.interval.map(|x| x[i]))).to_vec(),
        Kind::Median => vec![number(median)],
        Kind::Gates if v.gates.is_empty() => vec![String::new(), String::new()],
        Kind::Gates => {
            let passed = v.gates.iter().filter(|g| g.pass == Some(true)).count();
            vec![passed.to_string(), v.gates.len().to_string()]
        }
        Kind::Against => text(&v.against),
        Kind::Parent => text(&v.parent),
        Kind::Family => text(&v.family),
        Kind::Knobs => {
            let all = v.knobs.iter().map(|(k, x)| format!("{k}={x}"));
            vec![all.collect::<Vec<_>>().join(" ")]
        }
        Kind::Commit => text(&v.commit),
        Kind::Updated => vec![v.updated_at.clone()],
        Kind::Why => vec![v.why.clone()],
    }
}
