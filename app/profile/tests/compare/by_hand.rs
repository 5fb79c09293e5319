//! Small tables with changes worked out by hand.

use assay_profile::compare::{Column, CompareError, Options, compare, moved, to_markdown};
use assay_profile::{Catalog, Counter, Profile};

use super::{change, named, near, row, sides, table};

fn pair(a: &str, b: &str) -> assay_core::view::CounterCompareView {
    sides(&[&table("ours", a), &table("ours", b)], &Options::default())
}

fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

#[test]
fn union_changes_and_their_intervals() {
    let view = pair(
        "k;s;same;5;1\nk;s;up;200;1\nk;s;only a;1;1\nk;s;rate;66.67;%\nk;s;from zero;0;1\n",
        "k;s;same;5;1\nk;s;up;250;1\nk;s;only b;2;1\nk;s;rate;72.70;%\nk;s;from zero;7;1\n",
    );
    assert_eq!(view.rows.len(), 6);
    let up = change(&view, "up");
    assert_eq!(
        (up.absolute, up.percent, up.changed),
        (50.0, Some(25.0), true)
    );
    let [low, high] = up.interval.unwrap();
    assert!(near(low, (249.5 / 200.5 - 1.0) * 100.0) && near(high, (250.5 / 199.5 - 1.0) * 100.0));
    // A percentage has both: points, and the relative change.
    let rate = change(&view, "rate");
    assert!(near(rate.absolute, 6.03) && (rate.percent.unwrap() - 9.0445).abs() < 1e-3);
    let zero = change(&view, "from zero");
    assert_eq!(
        (zero.absolute, zero.percent, zero.interval),
        (7.0, None, None)
    );
    assert!(zero.changed);
    let same = change(&view, "same");
    assert_eq!(
        (same.absolute, same.percent, same.changed),
        (0.0, Some(0.0), false)
    );
    assert_eq!(row(&view, "only a").cells[1].status, "none");
    assert_eq!(row(&view, "only b").cells[0].status, "none");
    assert!(row(&view, "only a").changes.iter().all(Option::is_none));
    assert_eq!((view.columns[0].values, view.columns[1].values), (5, 5));
    let only: Vec<_> = view
        .warnings
        .iter()
        .filter(|w| w.contains("only in"))
        .collect();
    assert_eq!(only.len(), 2, "{:?}", view.warnings);
    // The largest change first, those that are none in the order of the report.
    let names: Vec<_> = view.rows.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(
        names,
        ["from zero", "up", "rate", "same", "only a", "only b"]
    );
}

#[test]
fn a_change_that_rounding_can_hide_is_none() {
    let view = pair(
        "k;;a;0.1;1\nk;;b;0.1;1\nk;;c;1;1\nk;;d;0;1\nk;;e;3.00;1\n",
        "k;;a;0.14;1\nk;;b;0.2;1\nk;;c;2;1\nk;;d;0.4;1\nk;;e;3.02;1\n",
    );
    let changed = |n| change(&view, n).changed;
    // 0.1 may be 0.149, and 0 may be 0.4; neighbours in print are different numbers all the same.
    assert!(!changed("a") && !changed("d"));
    assert!(changed("b") && changed("c"));
    assert_eq!(change(&view, "c").interval.unwrap()[0], 0.0);
    // Beyond the digits but within the threshold.
    assert!(!changed("e") && change(&view, "e").interval.unwrap()[0] > 0.0);
    assert_eq!(row(&view, "a").weighted, 0.0);
}

#[test]
fn integers_beyond_doubles_are_compared_exactly() {
    let view = pair(
        "k;;n;18446744073709551614;1\nk;;m;9007199254740993;1\n",
        "k;;n;18446744073709551615;1\nk;;m;9007199254740992;1\n",
    );
    assert_eq!(change(&view, "n").absolute, 1.0);
    assert_eq!(change(&view, "m").absolute, -1.0);
    let cell = &row(&view, "n").cells[1];
    assert_eq!(cell.value.as_ref().unwrap().as_u64(), Some(u64::MAX));
}

#[test]
fn units_are_converted_or_no_change_is_said() {
    let view = pair(
        "k;;t;2;ms\nk;;bytes;5;MB/s\nk;;same;3;GB/s\n",
        "k;;t;1500;us\nk;;bytes;5;GB/s\nk;;same;3;Gbyte/s\n",
    );
    let t = row(&view, "t");
    assert_eq!(t.unit, "ms");
    assert_eq!(
        (t.cells[0].raw.as_str(), t.cells[1].raw.as_str()),
        ("2", "1500 us")
    );
    assert_eq!(t.cells[1].value, Some(serde_json::json!(1.5)));
    assert_eq!(t.cells[1].resolution, Some(0.001));
    let mixed = row(&view, "bytes");
    assert!(mixed.changes[1].is_none() && mixed.cells[1].value.is_none());
    assert_eq!(
        (mixed.cells[1].status.as_str(), mixed.cells[1].raw.as_str()),
        ("value", "5 GB/s")
    );
    assert!(
        view.warnings
            .iter()
            .any(|w| w.contains("cannot be converted")),
        "{:?}",
        view.warnings
    );
    assert_eq!(change(&view, "same").absolute, 0.0);
}

#[test]
fn thresholds_weights_and_changed_only() {
    let a = table(
        "mcProfiler",
        "k;;MMA instructions;100000;1\nk;;AP MMA Duty;40.00;%\nk;;odd;100;1\n",
    );
    let b = table(
        "mcProfiler",
        "k;;MMA instructions;103000;1\nk;;AP MMA Duty;40.20;%\nk;;odd;105;1\n",
    );
    let all = sides(&[&a, &b], &Options::default());
    assert!(change(&all, "MMA instructions").changed && !change(&all, "AP MMA Duty").changed);
    // 5 % of an unknown counter weigh less than 3 % of a known one.
    assert_eq!(all.rows[0].name, "MMA instructions");
    let wide = sides(
        &[&a, &b],
        &options(|o| {
            o.changed_only = true;
            o.thresholds.insert("inst.*".into(), 5.0);
            o.thresholds.insert("duty.mma".into(), 0.1);
            o.thresholds.insert("od".into(), 0.1);
        }),
    );
    let names: Vec<_> = wide.rows.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["odd", "AP MMA Duty"]);
    assert_eq!((wide.unchanged, wide.below_threshold), (0, 1));
    assert!(
        wide.warnings
            .iter()
            .any(|w| w.contains("did you mean `odd`")),
        "{:?}",
        wide.warnings
    );
    assert_eq!(wide.columns[0].values, 3);
    assert_eq!(change(&wide, "AP MMA Duty").better, Some(true));
    // No direction, no judgement.
    assert_eq!(change(&all, "MMA instructions").better, None);
    let rows = moved(
        column("A", &a),
        column("B", &b),
        &Options::default(),
        Catalog::builtin(),
    );
    assert_eq!(rows.len(), 2);
}

fn column<'a>(label: &'a str, profile: &'a Profile) -> Column<'a> {
    Column {
        label,
        profile,
        launch: &profile.launches[0],
    }
}

#[test]
fn tools_are_paired_by_canonical_name_unless_it_is_contradicted() {
    let a = table(
        "mcProfiler",
        "k;;MMA instructions;10;1\nk;;Average conflict cycles;2;1\nk;;Average WG conflict cycles;3;1\nk;x;own;1;1\n",
    );
    let b = named(
        "hand",
        "k;;mma;12;1\nk;;conflicts;4;1\nk;x;own;1;1\n",
        &[("mma", "inst.mma"), ("conflicts", "shared.conflict_cycles")],
    );
    let view = sides(&[&a, &b], &Options::default());
    let mma = change(&view, "MMA instructions");
    assert_eq!((mma.absolute, mma.changed, mma.better), (2.0, true, None));
    // Two counters of one canonical name with other figures: neither stands for the other tool's.
    assert_eq!(row(&view, "conflicts").cells[0].status, "none");
    assert!(
        view.warnings
            .iter()
            .any(|w| w.contains("shared.conflict_cycles"))
    );
    // The same words of another tool need not mean the same.
    assert_eq!(view.rows.iter().filter(|r| r.name == "own").count(), 2);
    assert!(view.warnings.iter().any(|w| w.contains("different tools")));
}

#[test]
fn other_versions_modes_kernels_and_scopes() {
    let rows = "k;;n;100;1\n";
    let (mut a, mut b) = (table("ours", rows), table("ours", "j;;n;200;1\n"));
    a.tool_version = Some("1.0".into());
    let unknown = sides(&[&a, &b], &Options::default());
    assert!(change(&unknown, "n").changed);
    assert!(
        unknown
            .warnings
            .iter()
            .any(|w| w.contains("different kernels"))
    );
    b.tool_version = Some("2.0".into());
    let versions = sides(&[&a, &b], &Options::default());
    assert!(row(&versions, "n").changes[1].is_none());
    assert!(
        versions
            .warnings
            .iter()
            .any(|w| w.contains("versions of ours"))
    );
    assert!(
        moved(
            column("A", &a),
            column("B", &b),
            &Options::default(),
            Catalog::builtin()
        )
        .is_empty()
    );
    b.tool_version = a.tool_version.clone();
    a.command = Some("prof --single-pass ./x".into());
    b.command = Some("prof ./y".into());
    let modes = sides(&[&a, &b], &Options::default());
    assert!(row(&modes, "n").changes[1].is_none());
    assert!(modes.warnings.iter().any(|w| w.contains("modes")));
    b.command = a.command.clone();
    b.launches[0].scope = assay_profile::Scope::Aggregate;
    let scopes = sides(&[&a, &b], &Options::default());
    assert!(scopes.warnings.iter().any(|w| w.contains("whole program")));
}

#[test]
fn a_single_pass_is_not_held_against_a_full_profile() {
    let report = |base: &str| {
        let rows = format!(
            "k;Summary;RoofLine.data.MAX_Flops_base;{base};1\nk;;MMA instructions;{base};1\n"
        );
        table("mcProfiler", &rows)
    };
    let (single, full, other) = (report("1"), report("0.117"), report("0.12"));
    let view = sides(&[&full, &single, &other], &Options::default());
    let mma = row(&view, "MMA instructions");
    assert!(mma.changes[1].is_none() && mma.changes[2].is_some());
    assert!(
        view.warnings.iter().any(|w| w.contains("modes")),
        "{:?}",
        view.warnings
    );
    let view = sides(&[&single, &single], &Options::default());
    assert!(row(&view, "MMA instructions").changes[1].is_some() && view.warnings.is_empty());
}

#[test]
fn launches_of_one_report_and_any_base() {
    let p = table("ours", "k;;n;100;1\nk;;n;150;1\nk;;n;50;1\n");
    let labels = ["0", "1", "2"];
    let columns: Vec<_> = p
        .launches
        .iter()
        .zip(labels)
        .map(|(launch, label)| Column {
            label,
            profile: &p,
            launch,
        })
        .collect();
    let view = compare(&columns, &options(|o| o.base = 2), Catalog::builtin()).unwrap();
    let percents: Vec<_> = row(&view, "n")
        .changes
        .iter()
        .map(|c| c.as_ref().and_then(|c| c.percent))
        .collect();
    assert_eq!(percents, [Some(100.0), Some(200.0), None]);
    assert!(
        view.warnings[0].contains("columns 0, 1 against 2 (column 2): another launch"),
        "{:?}",
        view.warnings
    );
}

#[test]
fn suspicion_stays_with_the_figure() {
    let big = "99999999999999999999999";
    let view = pair("k;;n;5;1\nk;;x;?;1\n", &format!("k;;n;{big};1\nk;;x;3;1\n"));
    let n = row(&view, "n");
    assert!(n.cells[1].suspect[0].contains("rounded") && change(&view, "n").changed);
    let x = row(&view, "x");
    assert_eq!(
        (x.cells[0].status.as_str(), x.cells[0].raw.as_str()),
        ("error", "?")
    );
    assert!(x.changes[1].is_none());
    assert!(
        view.warnings
            .iter()
            .any(|w| w.contains("B (column 1): 1 figure should not"))
    );
}

#[test]
fn what_could_not_be_compared_is_no_row_without_a_change() {
    let a = table(
        "ours",
        "k;;same;10;1\nk;;only a;5;1\nk;;unread;?;1\nk;;size;3;MB\nk;;none;;1\nk;;small;1000;1\nk;;up;1;1\n",
    );
    let b = table(
        "ours",
        "k;;same;10;1\nk;;only b;7;1\nk;;unread;?;1\nk;;size;3;s\nk;;none;;1\nk;;small;1005;1\nk;;up;2;1\n",
    );
    let view = sides(&[&a, &b], &options(|o| o.changed_only = true));
    let names: Vec<_> = view.rows.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["up", "only a", "unread", "size", "only b"]);
    assert_eq!((view.unchanged, view.below_threshold), (1, 1));
    assert_eq!((view.no_figure, view.not_compared), (1, 4));
    assert_eq!(view.threshold, 1.0);
    let text = to_markdown(&view);
    for part in [
        "1 counter did not change and is left out.",
        "1 counter changed, but by no more than the threshold (1 %, or what is set for one by name), and is left out.",
        "4 counters could not be compared in all columns (a figure is missing or unread, or unit, version or mode differ) and are in the table: only a, unread, size, only b.",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let all = sides(&[&a, &b], &Options::default());
    let text = to_markdown(&all);
    assert_eq!(
        (all.unchanged, all.below_threshold, all.no_figure),
        (0, 0, 0)
    );
    assert!(
        text.contains("| 1000 | 1005 | +0.50 %, below the threshold of 1 % |"),
        "{text}"
    );
    assert!(text.contains("| 10 | 10 | =, no change |"), "{text}");
    // Of two columns one may be compared.
    let view = sides(&[&a, &a, &b], &options(|o| o.changed_only = true));
    assert_eq!(row(&view, "only a").outcome, "not_compared");
    assert_eq!(row(&view, "up").outcome, "changed");
}

#[test]
fn words_that_differ_are_a_change_and_names_of_files_are_none() {
    let of = |words: [&str; 2]| {
        let mut p = table("ours", "k;;n;1;1\n");
        for (name, word) in ["mode", "chart.filename"].iter().zip(words) {
            p.launches[0].push(Counter::words("", *name, word));
        }
        p
    };
    let (a, b) = (of(["fast", "a.png"]), of(["slow", "b.png"]));
    let view = sides(&[&a, &b], &options(|o| o.changed_only = true));
    let kept: Vec<_> = view
        .rows
        .iter()
        .map(|r| (r.name.as_str(), r.outcome.as_str()))
        .collect();
    assert_eq!(kept, [("mode", "changed")]);
    assert_eq!((view.unchanged, view.no_figure), (1, 1));
}

#[test]
fn a_published_time_has_a_threshold_of_its_own_unless_one_is_asked_for() {
    let of = |time: &str| {
        named(
            "mcProfiler",
            &format!("k;;latency;{time};ms\n"),
            &[("latency", "claim.time")],
        )
    };
    let (a, b) = (of("36.16"), of("35.81"));
    let view = sides(&[&a, &b], &options(|o| o.changed_only = true));
    let time = row(&view, "latency");
    assert_eq!((time.outcome.as_str(), time.threshold), ("changed", 0.5));
    assert_eq!(change(&view, "latency").text, "-0.97 ± 0.03 %");
    for wide in [
        options(|o| o.time_threshold = 1.0),
        options(|o| {
            o.thresholds.insert("claim.*".into(), 2.0);
        }),
    ] {
        let view = sides(&[&a, &b], &wide);
        assert_eq!(row(&view, "latency").outcome, "below_threshold");
    }
}

#[test]
fn whole_counts_are_exact_and_times_are_not() {
    let view = pair(
        "k;;blocks;7;block\nk;;t;7;ms\n",
        "k;;blocks;9;block\nk;;t;9;ms\n",
    );
    assert_eq!(change(&view, "blocks").text, "+28.57 %");
    assert_eq!(change(&view, "t").text, "+13 … +46 %");
}

#[test]
fn what_cannot_be_asked_for() {
    let p = table("ours", "k;;n;1;1\n");
    let ask = |columns: &[Column<'_>], o: &Options| compare(columns, o, Catalog::builtin());
    let one = column("A", &p);
    assert_eq!(
        ask(&[one], &Options::default()),
        Err(CompareError::TooFew(1))
    );
    let far = options(|o| o.base = 2);
    assert!(matches!(
        ask(&[one, one], &far),
        Err(CompareError::Base {
            base: 2,
            columns: 2
        })
    ));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let o = options(|o| o.default_threshold = bad);
        assert!(matches!(
            ask(&[one, one], &o),
            Err(CompareError::Threshold { .. })
        ));
    }
}
