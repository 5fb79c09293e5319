//! Comparison of counters: rows, changes, what cannot be compared, and how it is written.

mod any;
mod by_hand;
mod mapped;
mod samples;
mod tables;
mod written;

use assay_core::view::{ChangeView, CounterCompareView, CounterRow};
use assay_profile::compare::{Column, Options, compare};
use assay_profile::{Catalog, Mapping, Profile};

/// A profile from lines `kernel;section;counter;value;unit`.
fn table(tool: &str, rows: &str) -> Profile {
    named(tool, rows, &[])
}

/// The same with names in the catalog for some counters.
fn named(tool: &str, rows: &str, names: &[(&str, &str)]) -> Profile {
    let mut mapping = format!(
        "schema = \"assay.mapping/1\"\ntool = \"{tool}\"\nformat = \"csv\"\nseparator = \";\"\ndecimal = \".\"\n\
         kernel = \"K\"\nsection = \"S\"\ncounter = \"C\"\nvalue = \"V\"\nunit = \"U\"\n[names]\n"
    );
    for (name, canonical) in names {
        mapping.push_str(&format!("\"{name}\" = \"{canonical}\"\n"));
    }
    let mapping = Mapping::read("m.toml", &mapping).expect("a mapping");
    let rows = format!("K;S;C;V;U\n{rows}");
    mapping.parse(rows.as_bytes()).expect("a profile")
}

/// The first launch of each profile against that of the first one.
fn sides(profiles: &[&Profile], options: &Options) -> CounterCompareView {
    let labels = ["A", "B", "C", "D"];
    let columns: Vec<Column<'_>> = profiles
        .iter()
        .zip(labels)
        .map(|(profile, label)| Column {
            label,
            profile,
            launch: &profile.launches[0],
        })
        .collect();
    compare(&columns, options, Catalog::builtin()).expect("a comparison")
}

fn row<'a>(view: &'a CounterCompareView, name: &str) -> &'a CounterRow {
    let mut found = view.rows.iter().filter(|r| r.name == name);
    let row = found.next().unwrap_or_else(|| panic!("no row {name}"));
    assert!(found.next().is_none(), "two rows {name}");
    row
}

fn change<'a>(view: &'a CounterCompareView, name: &str) -> &'a ChangeView {
    let row = row(view, name);
    row.changes[1]
        .as_ref()
        .unwrap_or_else(|| panic!("no change of {name}"))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}
