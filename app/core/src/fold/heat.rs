//! Ratios by workload of all variants.

use crate::record::{Body, CLAIMED_TIME, Record, Verdict};
use crate::view::{HeatRow, HeatView, Side, VariantRow, WorkloadVerdictView};

use super::{State, published, row};

/// The newest verdict of each variant by workload; where there is none, its published times against
/// those of its parent, or of each baseline that has some.
///
/// Medians of two sessions are not set against each other: without a paired measurement a variant
/// has no row.
pub fn heat_view(state: &State) -> HeatView {
    let mut rows = Vec::new();
    for (name, v) in state.variants() {
        if let (Some(id), Some(verdict)) = (v.verdict, state.verdict(v.verdict)) {
            rows.push(measured(name, &id.to_string(), verdict));
            continue;
        }
        let Some(own) = row(state, name).filter(|r| !r.published.is_empty()) else {
            continue;
        };
        let parents = own.parents.iter();
        let of_parents: Vec<HeatRow> = parents
            .filter_map(|p| claimed(state, &own, &row(state, p)?))
            .collect();
        match of_parents.is_empty() {
            false => rows.extend(of_parents),
            true => rows.extend(
                (state.baselines().iter()).filter_map(|b| claimed(state, &own, &row(state, b)?)),
            ),
        }
    }
    HeatView { rows }
}

/// The row that a verdict makes of the variant of this name; nothing where the record is none.
pub fn heat_row(name: &str, record: &Record) -> Option<HeatRow> {
    match &record.body {
        Body::Verdict(v) => Some(measured(name, &record.id.to_string(), v)),
        _ => None,
    }
}

fn measured(name: &str, id: &str, v: &Verdict) -> HeatRow {
    let cells: Vec<WorkloadVerdictView> =
        v.workloads.iter().map(WorkloadVerdictView::from).collect();
    let mut row = HeatRow {
        name: name.into(),
        against: v.a.clone(),
        verdict: Some(v.verdict.name().into()),
        records: vec![id.into(), v.measurement.to_string()],
        ratio: v.ratio,
        interval: v.interval,
        delta: Some(v.delta),
        wins: 0,
        losses: 0,
        cells,
    };
    // A record that lists them has looked at all workloads together.
    let proven = |listed: &Option<Vec<String>>, side: Side| {
        let told = |c: &&WorkloadVerdictView| match listed {
            Some(names) => names.contains(&c.workload),
            None => true,
        };
        let all = row.cells.iter().filter(told);
        all.filter(|c| row.side_of(c) == side).count()
    };
    (row.wins, row.losses) = (
        proven(&v.wins, Side::Faster),
        proven(&v.losses, Side::Slower),
    );
    row
}

/// Published times of both; nothing where they are of no workload in common.
fn claimed(state: &State, b: &VariantRow, a: &VariantRow) -> Option<HeatRow> {
    let times = published::times(state, a, b)?;
    let cells: Vec<WorkloadVerdictView> = (a.median_ns.iter())
        .filter_map(|(workload, before)| {
            let after = b.median_ns.get(workload)?;
            Some(WorkloadVerdictView {
                workload: workload.clone(),
                weight: 1.0,
                ratio: Some(after / before),
                interval: None,
                a_median_ns: Some(*before),
                b_median_ns: Some(*after),
                guard_broken: false,
            })
        })
        .collect();
    let owned = state.owned(&b.name).filter(|r| match &r.body {
        Body::Profile(p) => p.is_published() && p.counters.contains_key(CLAIMED_TIME),
        _ => false,
    });
    Some(HeatRow {
        name: b.name.clone(),
        against: a.name.clone(),
        verdict: None,
        records: owned.map(|r| r.id.to_string()).collect(),
        ratio: Some(1.0 / times.speedup),
        interval: None,
        cells,
        delta: None,
        wins: 0,
        losses: 0,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::fixture::{Maker, figure, subject};
    use super::*;
    use crate::record::{BlobRef, PUBLISHED, Profile, VerdictKind};
    use crate::{RecordId, Sha256};

    fn publish(m: &mut Maker, who: &str, ns: f64) {
        let raw = BlobRef {
            sha256: Sha256::of("table"),
            bytes: 5,
            name: "table.csv".into(),
        };
        let run = RecordId::from_parts(1, 1);
        m.put(Profile {
            counters: BTreeMap::from([(CLAIMED_TIME.into(), figure(ns, "ns"))]),
            ..Profile::new(run, subject(who), "square", PUBLISHED, raw)
        });
    }

    #[test]
    fn a_verdict_makes_a_row_against_its_own_reference() {
        let mut m = Maker::new();
        m.variant("old", &[]);
        m.variant("new", &["old"]);
        m.measure("old", "new", (9.0, 8.0), VerdictKind::Faster);
        let view = heat_view(&State::fold("gemm", m.records));
        let [row] = view.rows.as_slice() else {
            panic!("{view:?}")
        };
        assert_eq!((&*row.name, &*row.against), ("new", "old"));
        assert_eq!(row.verdict.as_deref(), Some("FASTER"));
        assert_eq!(row.records.len(), 2);
        assert!(!row.is_published());
    }

    #[test]
    fn published_times_stand_against_the_parent_and_else_each_baseline() {
        let mut m = Maker::new();
        m.variant("root", &[]);
        m.variant("child", &["root"]);
        for (who, ns) in [
            ("root", 8.0),
            ("child", 4.0),
            ("base-x", 16.0),
            ("base-y", 4.0),
        ] {
            publish(&mut m, who, ns);
        }
        let view = heat_view(&State::fold("gemm", m.records));
        let of: Vec<_> = (view.rows.iter())
            .map(|r| (&*r.name, &*r.against, r.ratio, r.wins, r.losses))
            .collect();
        assert_eq!(
            of,
            [
                ("child", "root", Some(0.5), 0, 0),
                ("root", "base-x", Some(0.5), 0, 0),
                ("root", "base-y", Some(2.0), 0, 0),
            ]
        );
        assert!(
            view.rows
                .iter()
                .all(|r| r.is_published() && r.interval.is_none())
        );
        // A published figure is no proof, however large it is.
        let sides = view.rows.iter().map(|r| r.side_of(&r.cells[0]));
        assert!(sides.into_iter().all(|s| s == Side::Unknown));
    }

    #[test]
    fn only_what_the_rules_of_a_verdict_prove_takes_a_side() {
        let row = HeatRow {
            verdict: Some("SAME".into()),
            delta: Some(0.01),
            ..HeatRow::default()
        };
        let of = |r: f64, lo: f64, hi: f64| row.side(Some(r), Some([lo, hi]));
        assert_eq!(of(0.9, 0.88, 0.92), Side::Faster);
        assert_eq!(of(0.99, 0.97, 1.01), Side::Noise);
        assert_eq!(of(1.1, 1.05, 1.15), Side::Slower);
        // Proven, and too small to matter: the verdict is SAME.
        assert_eq!(of(0.999, 0.998, 0.9995), Side::Noise);
        assert_eq!(of(1.001, 1.0005, 1.002), Side::Noise);
        // Proven faster, and whether by more than delta is not known.
        assert_eq!(of(0.992, 0.985, 0.999), Side::Noise);
        assert_eq!(row.side(Some(0.9), None), Side::Unknown);
        assert_eq!(row.side(None, None), Side::Unknown);
    }

    #[test]
    fn a_verdict_of_the_same_has_neither_wins_nor_losses() {
        let mut m = Maker::new();
        m.variant("old", &[]);
        m.variant("new", &["old"]);
        m.measure("old", "new", (9.0, 8.99), VerdictKind::Same);
        for r in &mut m.records {
            if let Body::Verdict(v) = &mut r.body {
                (v.delta, v.wins, v.losses) = (0.01, Some(vec!["square".into()]), Some(Vec::new()));
                for w in &mut v.workloads {
                    w.workload = "square".into();
                    (w.ratio, w.interval) = (Some(0.999), Some([0.998, 0.9995]));
                }
            }
        }
        let view = heat_view(&State::fold("gemm", m.records));
        let row = &view.rows[0];
        assert!(!row.cells.is_empty());
        assert_eq!((row.wins, row.losses), (0, 0));
    }
}
