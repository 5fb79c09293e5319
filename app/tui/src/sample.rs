//! Small values for unit tests.

use assay_core::view::VariantRow;

/// A variant with nothing but a name and a parent.
pub fn row(name: &str, parent: Option<&str>) -> VariantRow {
    VariantRow {
        id: name.into(),
        name: name.into(),
        parent: parent.map(str::to_owned),
        parents: Vec::new(),
        status: "new".into(),
        family: None,
        knobs: Default::default(),
        why: String::new(),
        commit: None,
        median_ns: Default::default(),
        published: Vec::new(),
        doubted: Vec::new(),
        ratio: None,
        interval: None,
        against: None,
        verdict: None,
        screened: None,
        stale: false,
        gates: Vec::new(),
        failure: None,
        later_failure: None,
        decision: None,
        updated_at: String::new(),
    }
}
