//! What holds for any counters.

use assay_profile::compare::{Options, to_csv, to_markdown};
use assay_profile::{Counter, Launch, Profile, Scope, Status};
use proptest::prelude::*;

use super::{sides, table};

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        (0u32..100_000).prop_map(|n| format!("{}.{:02}", n / 100, n % 100)),
        Just("0".to_owned()),
        Just(String::new()),
        "[^;\"\r\n]{0,8}",
    ]
}

fn rows() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("MMA instructions"),
        Just("AP MMA Duty"),
        Just("x|y"),
        Just("=1+1"),
        Just("n")
    ];
    let unit = prop_oneof![
        Just("1"),
        Just("%"),
        Just("ms"),
        Just("us"),
        Just("odd"),
        Just("")
    ];
    let row = (name, cell(), unit).prop_map(|(n, v, u)| format!("k;;{n};{v};{u}\n"));
    // A table without a figure is refused before.
    proptest::collection::vec(row, 0..12).prop_map(|r| format!("k;;always;1;1\n{}", r.concat()))
}

fn tool() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("mcProfiler"), Just("ours")]
}

/// A counter of any kind, with whatever a reader could put into it.
fn counter() -> impl Strategy<Value = Counter> {
    let name = prop_oneof![Just("n"), Just("m"), Just("=x"), Just("a|b\n<c>")];
    let status = prop_oneof![
        Just(Status::Absent),
        Just(Status::NotSupported),
        Just(Status::Error)
    ];
    let unit = prop_oneof![
        Just("1"),
        Just("%"),
        Just("Kcycles"),
        Just("GiB/s"),
        Just("")
    ];
    (name, unit, 0u8..4, cell(), ".{0,6}", status).prop_map(
        |(name, unit, kind, raw, word, status)| match kind {
            0 => Counter::words("s", name, &word),
            1 => Counter::without_value("", name, &word, unit, status),
            _ => Counter::read("", name, &raw, unit),
        },
    )
}

fn report() -> impl Strategy<Value = Profile> {
    proptest::collection::vec(counter(), 0..10).prop_map(|counters| {
        let mut p = Profile::new("any", "made");
        let mut launch = Launch::new("k", Scope::PerKernel);
        for c in counters {
            launch.push(c);
        }
        p.launches.push(launch);
        p
    })
}

proptest! {
    #[test]
    fn cells_of_any_kind((a, b) in (report(), report())) {
        let options = Options { default_threshold: 0.0, ..Options::default() };
        let view = sides(&[&a, &b], &options);
        for r in &view.rows {
            for c in &r.cells {
                prop_assert!(c.value.is_none() || c.status == "value", "{c:?}");
            }
            let both = r.cells.iter().all(|c| c.value.is_some());
            prop_assert!(both || r.changes.iter().all(Option::is_none), "{r:?}");
        }
        let lines = view.rows.len() + 2;
        prop_assert_eq!(to_markdown(&view).lines().filter(|l| l.starts_with('|')).count(), lines);
        prop_assert_eq!(to_csv(&view).lines().count(), view.rows.len() * 2 + 1);
        let same = sides(&[&b, &b], &options);
        prop_assert!(same.rows.iter().all(|r| r.changes.iter().flatten().all(|c| !c.changed)));
    }

    #[test]
    fn nothing_panics_and_each_row_is_of_one_kind((a, b, c) in (rows(), rows(), rows()), (s, t) in (tool(), tool()), base in 0usize..3) {
        let (a, b, c) = (table(s, &a), table(t, &b), table(s, &c));
        let mut options = Options { base, ..Options::default() };
        let all = sides(&[&a, &b, &c], &options);
        for (i, column) in all.columns.iter().enumerate() {
            let values = all.rows.iter().filter(|r| r.cells[i].status == "value").count();
            prop_assert_eq!(column.values, values);
        }
        for r in &all.rows {
            prop_assert_eq!((r.cells.len(), r.changes.len()), (3, 3));
            prop_assert!(r.cells.iter().any(|c| c.status != "none"));
            prop_assert!(r.changes[base].is_none() && r.weighted.is_finite());
            for c in r.changes.iter().flatten() {
                prop_assert!(c.absolute.is_finite() && c.percent.is_none_or(f64::is_finite));
                prop_assert!(c.better.is_none() || c.changed);
                if let (Some([low, high]), Some(p)) = (c.interval, c.percent) {
                    prop_assert!(low <= p && p <= high, "{c:?}");
                    prop_assert!(!c.changed || low >= 0.0 || high <= 0.0, "{c:?}");
                }
            }
        }
        prop_assert!(all.rows.windows(2).all(|w| w[0].weighted >= w[1].weighted));
        options.changed_only = true;
        let few = sides(&[&a, &b, &c], &options);
        let left = few.unchanged + few.below_threshold + few.no_figure;
        prop_assert_eq!(few.rows.len() + left, all.rows.len());
        prop_assert_eq!(few.not_compared, all.not_compared);
        let shown = few.rows.iter().filter(|r| r.outcome == "not_compared").count();
        prop_assert_eq!(shown, few.not_compared);
        let mut texts = all.rows.iter().flat_map(|r| r.changes.iter().flatten());
        prop_assert!(texts.all(|c| !c.text.is_empty() && !c.text.contains("-0.00 ")));
        let markdown = to_markdown(&all);
        let table: Vec<_> = markdown.lines().filter(|l| l.starts_with('|')).collect();
        prop_assert_eq!(table.len(), all.rows.len() + 2);
        let bars = |l: &str| l.replace("\\\\", "").replace("\\|", "").matches('|').count();
        prop_assert!(table.iter().all(|l| bars(l) == bars(table[0])), "{}", markdown);
        prop_assert_eq!(to_csv(&all).lines().count(), all.rows.len() * 3 + 1);
    }

    #[test]
    fn rows_are_in_both_or_in_one(a in rows(), b in rows()) {
        let (a, b) = (table("ours", &a), table("ours", &b));
        let view = sides(&[&a, &b], &Options::default());
        let has = |i: usize, j: usize| view.rows.iter().filter(|r| r.cells[i].status != "none" && r.cells[j].status == "none").count();
        let both = view.rows.iter().filter(|r| r.cells.iter().all(|c| c.status != "none")).count();
        prop_assert_eq!(both + has(0, 1) + has(1, 0), view.rows.len());
    }

    #[test]
    fn a_report_does_not_differ_from_itself(a in rows()) {
        let a = table("mcProfiler", &a);
        let view = sides(&[&a, &a], &Options { default_threshold: 0.0, ..Options::default() });
        for r in &view.rows {
            prop_assert!(r.cells.iter().all(|c| c.status != "none"));
            prop_assert!(r.changes.iter().flatten().all(|c| !c.changed && c.absolute == 0.0));
        }
    }

    #[test]
    fn the_difference_changes_its_sign_with_the_sides(a in rows(), b in rows()) {
        let (a, b) = (table("ours", &a), table("ours", &b));
        let (there, back) = (sides(&[&a, &b], &Options::default()), sides(&[&b, &a], &Options::default()));
        let list = |v: &assay_core::view::CounterCompareView, sign: f64| {
            // Where units differ the row is in that of the base.
            let same = |r: &&assay_core::view::CounterRow| r.cells.iter().all(|c| !c.raw.ends_with(char::is_alphabetic));
            let mut all: Vec<_> = v.rows.iter().filter(same).filter_map(|r| Some((r.name.clone(), r.unit.clone(), r.changes[1].as_ref()?.absolute * sign))).collect();
            all.sort_by(|x, y| x.0.cmp(&y.0).then(x.2.total_cmp(&y.2)));
            all
        };
        prop_assert_eq!(list(&there, 1.0), list(&back, -1.0).into_iter().map(|(n, u, d)| (n, u, if d == 0.0 { 0.0 } else { d })).collect::<Vec<_>>());
    }
}
