//! Ratios by workload of all variants.

use crate::record::{Body, CLAIMED_TIME, Record, Verdict};
use crate::view::{HeatRow, HeatView, VariantRow, WorkloadVerdictView};

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
    let [wins, losses] = v.proven();
    HeatRow {
        name: name.into(),
        against: v.a.clone(),
        verdict: Some(v.verdict.name().into()),
        records: vec![id.into(), v.measurement.to_string()],
        ratio: v.ratio,
        interval: v.interval,
        wins,
        losses,
        cells,
    }
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
        wins: Vec::new(),
        losses: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::fixture::{Maker, figure, subject};
    use super::super::{BranchTip, show_view};
    use super::*;
    use crate::record::{BlobRef, PUBLISHED, Profile, VerdictKind, WorkloadVerdict};
    use crate::view::Side;
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
            .map(|r| (&*r.name, &*r.against, r.ratio, r.wins.len(), r.losses.len()))
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
    fn a_cell_takes_the_side_that_the_verdict_lists_and_the_mean_that_of_its_word() {
        let mut m = Maker::new();
        m.variant("old", &[]);
        m.variant("new", &["old"]);
        m.measure("old", "new", (9.0, 4.0), VerdictKind::Faster);
        for r in &mut m.records {
            if let Body::Verdict(v) = &mut r.body {
                (v.wins, v.losses) = (Some(vec!["told".into()]), Some(Vec::new()));
                let one = v.workloads[0].clone();
                // Each interval alone leaves 1 out.
                v.workloads = ["told", "not-told", "timeless"]
                    .map(|name| WorkloadVerdict {
                        workload: name.into(),
                        ..one.clone()
                    })
                    .into();
                v.workloads[2].interval = None;
            }
        }
        let state = State::fold("gemm", m.records);
        let view = heat_view(&state);
        let row = &view.rows[0];
        let sides: Vec<Side> = row.cells.iter().map(|c| row.side_of(c)).collect();
        assert_eq!(sides, [Side::Faster, Side::Noise, Side::Unknown]);
        assert_eq!((row.wins.len(), row.losses.len()), (1, 0));
        assert_eq!(row.side(), Side::Faster);
        // What is shown beside a variant says the same of each workload.
        let shown = show_view(&state, "new", BranchTip::default())
            .and_then(|s| s.verdict)
            .unwrap();
        let beside: Vec<Side> = shown.workloads.iter().map(|c| shown.side_of(c)).collect();
        assert_eq!(beside, sides);
        let undecided = HeatRow {
            verdict: Some("UNDECIDED".into()),
            ..row.clone()
        };
        assert_eq!(undecided.side(), Side::Noise);
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
        assert_eq!((row.wins.len(), row.losses.len()), (0, 0));
        assert_eq!(row.side_of(&row.cells[0]), Side::Noise);
    }
}
