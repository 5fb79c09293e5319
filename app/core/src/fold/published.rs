//! Published times: shown beside measured ones, marked as what they are.

use std::collections::BTreeMap;

use crate::record::{Body, CLAIMED_TIME, ContentKey};
use crate::view::{PublishedChange, PublishedFigures, PublishedTimes, VariantRow};

use super::variant::same_content;
use super::{State, show};

/// Fills in the published times of workloads that were not measured, and names these workloads.
///
/// Those of a variant are of its present content (`key`); the newest that states a time counts.
pub(super) fn published(
    state: &State,
    name: &str,
    key: Option<&ContentKey>,
    median_ns: &mut BTreeMap<String, f64>,
) -> Vec<String> {
    let mut names = Vec::new();
    for r in state.owned(name).rev() {
        let Body::Profile(p) = &r.body else { continue };
        let is_it = p.is_published() && key.is_none_or(|k| same_content(&p.subject.key, k));
        let time = p.counters.get(CLAIMED_TIME).map(|f| f.value);
        if let (true, Some(ns)) = (is_it, time)
            && !median_ns.contains_key(&p.workload)
        {
            median_ns.insert(p.workload.clone(), ns);
            names.push(p.workload.clone());
        }
    }
    state.in_order(&names).into_iter().cloned().collect()
}

/// Published figures of a subject, one row for each workload; those of a variant are of its present
/// content (`key`). Of several that state a figure the newest counts.
pub(super) fn figures(
    state: &State,
    name: &str,
    key: Option<&ContentKey>,
) -> Vec<PublishedFigures> {
    let mut rows: BTreeMap<&String, PublishedFigures> = BTreeMap::new();
    for r in state.owned(name).rev() {
        let Body::Profile(p) = &r.body else { continue };
        if !p.is_published() || !key.is_none_or(|k| same_content(&p.subject.key, k)) {
            continue;
        }
        let row = rows.entry(&p.workload).or_insert(PublishedFigures {
            workload: Some(p.workload.clone()).filter(|w| !w.is_empty()),
            figures: BTreeMap::new(),
            records: Vec::new(),
        });
        for (name, figure) in show::figures(&p.counters) {
            row.figures.entry(name).or_insert(figure);
        }
        row.records.push(r.id.to_string());
    }
    let order = state.in_order(rows.keys().copied());
    order.into_iter().filter_map(|w| rows.remove(w)).collect()
}

/// What the published times of two subjects come to; nothing when they share no workload, or one of
/// the times was measured.
pub(super) fn times(state: &State, a: &VariantRow, b: &VariantRow) -> Option<PublishedTimes> {
    let mut out = PublishedTimes {
        a: a.name.clone(),
        b: b.name.clone(),
        workloads: 0,
        faster: 0,
        equal: 0,
        slower: Vec::new(),
        step_ns: step([a, b]),
        within_step: Vec::new(),
        speedup: 1.0,
    };
    let mut logs = 0.0;
    for workload in state.in_order(a.median_ns.keys()) {
        let of = |r: &VariantRow| r.median_ns.get(workload).copied();
        let Some((before, after)) = of(a).zip(of(b)) else {
            continue;
        };
        let is_published = |r: &VariantRow| r.published.contains(workload);
        if !is_published(a) || !is_published(b) || before <= 0.0 || after <= 0.0 {
            return None;
        }
        out.workloads += 1;
        logs += (before / after).ln();
        let apart = (after - before).abs();
        if apart > 0.0 && (out.step_ns).is_some_and(|s| apart <= s * (1.0 + 1e-6)) {
            out.within_step.push(workload.clone());
        }
        if after < before {
            out.faster += 1;
        } else if after > before {
            out.slower.push(PublishedChange {
                workload: workload.clone(),
                change_percent: (after - before) / before * 100.0,
                one_minus_speedup_percent: (1.0 - before / after) * 100.0,
            });
        } else {
            out.equal += 1;
        }
    }
    out.speedup = (logs / out.workloads as f64).exp();
    (out.workloads > 0).then_some(out)
}

/// The step in which the times of two subjects are shown, the coarser of both, in nanoseconds: the
/// largest power of ten that all of one side are multiples of. Few times tell none.
fn step(rows: [&VariantRow; 2]) -> Option<f64> {
    let of = |row: &VariantRow| {
        let published = row.median_ns.iter();
        let times: Vec<f64> = published
            .filter(|(w, _)| row.published.contains(w))
            .map(|(_, ns)| *ns)
            .collect();
        let fits = |step: f64| {
            times.iter().all(|t| {
                let n = t / step;
                n >= 0.5 && (n - n.round()).abs() < 1e-6 * n.max(1.0)
            })
        };
        let mut step = (times.len() >= MANY && fits(FINEST)).then_some(FINEST)?;
        while step < COARSEST && fits(step * 10.0) {
            step *= 10.0;
        }
        Some(step)
    };
    rows.into_iter().filter_map(of).reduce(f64::max)
}

/// Times from which on a digit that never moves is taken for none.
const MANY: usize = 5;

/// Finest and coarsest step that is looked for, in nanoseconds.
const FINEST: f64 = 1e-3;
const COARSEST: f64 = 1e9;

#[cfg(test)]
mod tests {
    use super::super::fixture::{Maker, figure, subject};
    use super::super::{State, compare_view, list_view, row};
    use crate::record::{PUBLISHED, Profile, VerdictKind};
    use crate::{RecordId, Sha256};

    use super::*;

    /// Files a published time for a subject on a workload.
    fn publish(m: &mut Maker, who: &str, workload: &str, ns: f64) {
        let raw = crate::record::BlobRef {
            sha256: Sha256::of("table"),
            bytes: 5,
            name: "table.csv".into(),
        };
        let run = RecordId::from_parts(1, 1);
        m.put(Profile {
            counters: BTreeMap::from([(CLAIMED_TIME.into(), figure(ns, "ns"))]),
            ..Profile::new(run, subject(who), workload, PUBLISHED, raw)
        });
    }

    fn published_campaign() -> Maker {
        let mut m = Maker::new();
        m.variant("new", &[]);
        for (workload, before, after) in [("a", 370.0, 350.0), ("b", 350.0, 360.0), ("c", 4.0, 4.0)]
        {
            publish(&mut m, "base-old", workload, before);
            publish(&mut m, "new", workload, after);
        }
        m
    }

    #[test]
    fn published_times_stand_in_the_list_and_say_what_they_are() {
        let s = State::fold("gemm", published_campaign().records);
        let list = list_view(&s, &[]);
        assert_eq!(list.workloads, ["a", "b", "c"]);
        let new = &list.variants[0];
        assert_eq!(new.median_ns["b"], 360.0);
        assert_eq!(new.published, ["a", "b", "c"]);
        assert_eq!((new.ratio, &new.verdict), (None, &None));
        assert_eq!(row(&s, "base-old").unwrap().median_ns["a"], 370.0);
    }

    #[test]
    fn what_was_measured_comes_before_what_was_published() {
        let mut m = published_campaign();
        m.measure("base-old", "new", (9.0, 8.0), VerdictKind::Faster);
        publish(&mut m, "new", "square", 1.0);
        let s = State::fold("gemm", m.records);
        let new = row(&s, "new").unwrap();
        assert_eq!(new.median_ns["square"], 8.0);
        assert!(!new.published.contains(&"square".to_owned()));
        let view = compare_view(&s, &["base-old", "new"], Vec::new()).unwrap();
        assert!(view.published.is_none() && view.verdict.is_some());
    }

    #[test]
    fn a_comparison_of_published_times_names_the_losers_and_makes_no_verdict() {
        let s = State::fold("gemm", published_campaign().records);
        let view = compare_view(&s, &["base-old", "new"], Vec::new()).unwrap();
        assert!(view.verdict.is_none());
        let p = view.published.unwrap();
        assert_eq!((p.workloads, p.faster, p.equal), (3, 1, 1));
        assert_eq!(p.slower.len(), 1);
        assert_eq!(p.slower[0].workload, "b");
        assert!((p.slower[0].change_percent - 100.0 / 35.0).abs() < 1e-9);
        let mean = (370.0_f64 / 350.0 * 350.0 / 360.0).cbrt();
        assert!((p.speedup - mean).abs() < 1e-12);
        assert!(view.warnings.iter().any(|w| w.contains("never a verdict")));
        let change = view.workloads[0].change_percent.unwrap();
        assert!((change + 200.0 / 37.0).abs() < 1e-9, "{change}");
    }

    #[test]
    fn times_one_step_of_the_display_apart_are_no_finding() {
        let mut m = Maker::new();
        m.variant("new", &[]);
        let times = [(3700.0, 3500.0), (3500.0, 3600.0), (5500.0, 6000.0)];
        for (i, (before, after)) in (times.into_iter().chain([(12_100.0, 11_700.0); 2])).enumerate()
        {
            publish(&mut m, "base-old", &format!("w{i}"), before);
            publish(&mut m, "new", &format!("w{i}"), after);
        }
        let s = State::fold("gemm", m.records.clone());
        let p = compare_view(&s, &["base-old", "new"], Vec::new())
            .unwrap()
            .published
            .unwrap();
        assert_eq!(
            (p.step_ns, &p.within_step[..]),
            (Some(100.0), &["w1".to_owned()][..])
        );
        assert!((p.slower[0].one_minus_speedup_percent - 100.0 / 36.0).abs() < 1e-9);
        let few = State::fold("gemm", published_campaign().records);
        let p = compare_view(&few, &["base-old", "new"], Vec::new())
            .unwrap()
            .published
            .unwrap();
        assert!(
            p.step_ns.is_none() && p.within_step.is_empty(),
            "three times tell nothing"
        );
    }

    #[test]
    fn figures_of_other_content_and_times_of_nothing_count_for_nothing() {
        let mut m = Maker::new();
        m.variant("new", &[]);
        publish(&mut m, "new@old", "a", 9.0);
        publish(&mut m, "new", "b", 5.0);
        publish(&mut m, "base-old", "b", 0.0);
        let s = State::fold("gemm", m.records);
        assert_eq!(row(&s, "new").unwrap().published, ["b"]);
        let view = compare_view(&s, &["base-old", "new"], Vec::new()).unwrap();
        assert!(view.published.is_none(), "no ratio to nothing");
        assert!(view.workloads[0].change_percent.is_none());
    }
}
