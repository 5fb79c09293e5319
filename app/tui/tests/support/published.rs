//! A campaign of published figures: a chain with medians that nobody measured here, and directions that
//! were given up as groups.

use std::collections::BTreeMap;

use assay_core::view::*;

use super::data::row;

/// The list.
pub fn list() -> ListView {
    let mut parent: Option<&str> = None;
    let mut variants = Vec::new();
    for (name, ns) in [
        ("c-shared-swizzle256-panel4", 36_166_145.0),
        ("c-shared-swizzle128-panel4", 36_160_896.0),
        ("b-prepack-interleave4", 35_812_864.0),
        ("panel2-512-threads", 33_586_561.0),
        ("a-copy-coalesced-width4", 32_820_992.0),
    ] {
        let status = match name {
            "a-copy-coalesced-width4" => "champion",
            _ => "accepted",
        };
        let mut v = row(name, parent, status);
        v.median_ns = BTreeMap::from([("moe".into(), ns)]);
        v.published = vec!["moe".into()];
        variants.push(v);
        parent = Some(name);
    }
    for name in ["larger-block-shape", "direct-c-store"] {
        let mut v = row(name, None, "rejected");
        v.why = "a group of things that were tried".into();
        variants.push(v);
    }
    ListView {
        others: Vec::new(),
        schema: "assay.list/1".into(),
        campaign: "c500-gemm".into(),
        device: None,
        champion: parent.map(str::to_owned),
        contested: Vec::new(),
        workloads: vec!["moe".into()],
        variants,
        chain: None,
        unreadable: 0,
        damaged: 0,
        read_only: false,
    }
}

/// Its records.
pub fn log() -> LogView {
    let row = |i: u32, kind: &str, variant: &str, summary: &str| LogRow {
        id: format!("01KB00000000000000000000{i:02}"),
        at: format!("2026-11-29T10:{i:02}:00Z"),
        by: "ann, as published".into(),
        kind: kind.into(),
        variant: Some(variant.into()),
        summary: summary.into(),
        supersedes: None,
    };
    LogView {
        schema: "assay.log/1".into(),
        campaign: "c500-gemm".into(),
        records: vec![
            row(3, "decision", "direct-c-store", "reject by person: slower"),
            row(
                2,
                "profile",
                "a-copy-coalesced-width4",
                "p 32.82 ms on moe, published, not measured here: 2 figures, row a-copy of versions.csv",
            ),
            row(
                1,
                "variant",
                "a-copy-coalesced-width4",
                "new, from panel2-512-threads",
            ),
        ],
    }
}
