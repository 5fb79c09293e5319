use super::*;

fn row(name: &str, against: &str, ratios: &[(&str, f64)]) -> HeatRow {
    HeatRow {
        name: name.into(),
        against: against.into(),
        verdict: Some("FASTER".into()),
        ratio: ratios.first().map(|r| r.1),
        cells: (ratios.iter())
            .map(|(w, r)| WorkloadVerdictView {
                workload: (*w).into(),
                weight: 1.0,
                ratio: Some(*r),
                interval: None,
                a_median_ns: None,
                b_median_ns: None,
                guard_broken: false,
            })
            .collect(),
        ..HeatRow::default()
    }
}

fn heat() -> Workloads {
    let mut w = Workloads::default();
    let rows = vec![
        row("b", "a", &[("x", 0.9), ("y", 1.2)]),
        row("c", "b", &[("x", 0.8)]),
        row("d", "b", &[("y", 0.7)]),
    ];
    w.slot.set(Ok(HeatView { rows }));
    w.arrange(None);
    w
}

fn names(w: &Workloads) -> String {
    (0..w.rows.len())
        .map(|i| w.at(i).unwrap().name.as_str())
        .collect()
}

#[test]
fn rows_without_a_value_come_last_in_both_directions() {
    let mut w = heat();
    assert_eq!(w.columns, ["x", "y"]);
    w.sort = HeatSort::Workload(1);
    w.arrange(None);
    assert_eq!(names(&w), "dbc");
    w.reversed = true;
    w.arrange(None);
    assert_eq!(names(&w), "bdc");
    assert_eq!(w.sort.step(1), HeatSort::Name);
}

#[test]
fn the_selection_stays_on_its_pair() {
    let mut w = heat();
    w.go_to("c");
    w.sort = HeatSort::Mean;
    w.arrange(None);
    assert_eq!(w.current().unwrap().name, "c");
    w.go_to("nobody");
    assert_eq!(w.current().unwrap().name, "c");
}

#[test]
fn a_name_with_two_references_says_which() {
    let mut w = heat();
    let mut view = w.slot.value.clone().unwrap();
    view.rows.push(row("b", "other", &[("x", 1.0)]));
    w.slot.set(Ok(view));
    w.arrange(None);
    assert_eq!(w.label(w.at(0).unwrap()), "b / a");
    assert_eq!(w.label(w.at(1).unwrap()), "c");
}

#[test]
fn every_width_shows_a_workload() {
    let w = heat();
    for columns in 0..600 {
        let f = w.frame(columns);
        assert!(f.visible >= 1);
    }
    assert_eq!(w.frame(40).against, 0);
    assert!(w.frame(120).mean > 0 && w.frame(120).against > 0);
}
