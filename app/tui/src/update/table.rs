//! The table of variants as a file or as text to paste: the rows in view, in their order, with the
//! columns that were chosen, exact figures, and names that do not depend on the language.

use assay_core::text::inert;
use assay_core::view::VariantRow;

use super::say;
use super::yank::copy;
use crate::event::Effect;
use crate::state::columns::Kind;
use crate::state::{Cursor, Layer, Pick, Picked, State};

/// Name of the file without its ending.
const FILE: &str = "variants";

/// Ways to write the table: ending, and whether it is for the clipboard.
pub const WAYS: [(&str, bool); 4] = [("csv", false), ("tsv", false), ("tsv", true), ("csv", true)];

/// Opens the choice of columns.
pub fn choose(state: &mut State) {
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Columns,
        count: Kind::ALL.len() + 1,
        cursor: Cursor::default(),
    }));
}

/// Opens the choice of ways to write the table.
pub fn open(state: &mut State) {
    if state.variants.rows.is_empty() {
        return say(state, state.strings.nothing_to_copy.to_owned());
    }
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Table,
        count: WAYS.len(),
        cursor: Cursor::default(),
    }));
}

/// Writes the table in one of the ways.
pub fn export(state: &mut State, way: usize, out: &mut Vec<Effect>) {
    let Some((ending, clipboard)) = WAYS.get(way).copied() else {
        return;
    };
    let text = text(state, ending == "tsv");
    if clipboard {
        let rows = state.variants.rows.len().to_string();
        let said = crate::strings::fill(state.strings.rows_of, &[&rows]);
        return copy(state, Some((text, said)), out);
    }
    say(state, state.strings.saving.to_owned());
    out.push(Effect::SaveTable {
        name: format!("{FILE}.{ending}"),
        text,
    });
}

/// The table as text, a header first.
pub fn text(state: &State, tabs: bool) -> String {
    let v = &state.variants;
    let kinds: Vec<Kind> = std::iter::once(Kind::Name)
        .chain(v.columns.kinds())
        .collect();
    let workload = v.shown_workload();
    let mut out = String::new();
    let mut add = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|c| field(c, tabs)).collect();
        out.push_str(&cells.join(if tabs { "\t" } else { "," }));
        out.push('\n');
    };
    add(kinds.iter().flat_map(|k| names(*k, workload)).collect());
    for row in (0..v.rows.len()).filter_map(|i| v.row(i)) {
        add(kinds
            .iter()
            .flat_map(|k| cells(*k, row, v.median_ns(row)))
            .collect());
    }
    out
}

/// A field, inert, quoted where the form asks for it (RFC 4180 for commas).
fn field(text: &str, tabs: bool) -> String {
    let text = inert(text);
    if !tabs && text.contains([',', '"']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into_owned()
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
            None => "median_ns".into(),
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
fn cells(kind: Kind, v: &VariantRow, median: Option<f64>) -> Vec<String> {
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
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
