//! Facts beside counters: what goes together, what contradicts, what is absent.

use assay_core::record::Figure;
use assay_source::attribution::{Counter, Facts, LINKS, attribute, links_as_markdown};
use assay_source::said::Lang;

fn facts(list: &[(&str, f64)]) -> Facts {
    (list.iter())
        .map(|(n, v)| {
            let unit = if n.ends_with("bits") { "bits" } else { "1" };
            (
                (*n).to_owned(),
                Figure {
                    value: *v,
                    unit: unit.into(),
                },
            )
        })
        .collect()
}

fn counters(list: &[(&str, f64)]) -> Vec<Counter> {
    (list.iter())
        .map(|(n, v)| Counter {
            name: (*n).to_owned(),
            value: *v,
            unit: "1".into(),
        })
        .collect()
}

#[test]
fn wider_loads_go_with_fewer_load_instructions() {
    let a = facts(&[("load.global.b32", 64.0), ("load.global.b64", 0.0)]);
    let b = facts(&[("load.global.b32", 0.0), ("load.global.b64", 64.0)]);
    let said = |p: f64, q: f64| {
        let s = attribute(
            &a,
            &b,
            &counters(&[("inst.global.load", p)]),
            &counters(&[("inst.global.load", q)]),
        );
        assert_eq!(s.len(), 1);
        (s[0].kind.clone(), s[0].text.clone())
    };
    assert_eq!(
        said(1000.0, 801.0),
        (
            "goes-with".into(),
            "mean width of global loads 32 -> 64 bits; goes with global read instructions -19.9 % (inst.global.load)".into()
        )
    );
    let (kind, text) = said(1000.0, 1200.0);
    assert_eq!(kind, "against");
    assert!(
        text.contains("against what that lets expect, global read instructions +20.0 %"),
        "{text}"
    );
    let (kind, text) = said(1000.0, 1001.0);
    assert_eq!(kind, "unmoved");
    assert!(text.contains("did not move: +0.1 %"), "{text}");
    for words in ["because", "caused", "due to", "proves"] {
        assert!(!text.contains(words));
    }
    let s = attribute(&a, &b, &counters(&[("inst.global.load", 5.0)]), &[]);
    assert_eq!(s[0].kind, "no-counter");
    assert!(
        s[0].counters.is_empty() && s[0].text.contains("inst.global.load, global.load.requests"),
        "{}",
        s[0].text
    );
}

#[test]
fn what_did_not_change_or_is_absent_says_nothing() {
    let a = facts(&[("barrier.count", 2.0), ("registers.count", 40.0)]);
    let mut b = a.clone();
    assert!(
        attribute(
            &a,
            &b,
            &counters(&[("inst.total", 1.0)]),
            &counters(&[("inst.total", 2.0)])
        )
        .is_empty()
    );
    // A fact that one side does not state is no change from zero.
    b.remove("registers.count");
    assert!(attribute(&a, &b, &[], &[]).is_empty());
    // Figures of other units, and those that are none, are not compared.
    b.insert(
        "barrier.count".into(),
        Figure {
            value: 4.0,
            unit: "1".into(),
        },
    );
    let x = vec![Counter {
        name: "stall.issue.barrier".into(),
        value: f64::NAN,
        unit: "%".into(),
    }];
    let y = vec![Counter {
        name: "stall.issue.barrier".into(),
        value: 2.0,
        unit: "1".into(),
    }];
    assert_eq!(attribute(&a, &b, &x, &y)[0].kind, "no-counter");
    assert_eq!(attribute(&a, &b, &y, &x)[0].kind, "no-counter");
}

#[test]
fn a_counter_from_zero_moves_without_a_ratio() {
    let (a, b) = (
        facts(&[("spill.store_bytes", 0.0)]),
        facts(&[("spill.store_bytes", 8.0)]),
    );
    let s = attribute(
        &a,
        &b,
        &counters(&[("inst.spill", 0.0)]),
        &counters(&[("inst.spill", 12.0)]),
    );
    assert_eq!(
        s[0].text,
        "spill stores 0 -> 8; goes with spill instructions 0 -> 12 (inst.spill)"
    );
}

#[test]
fn the_table_names_each_fact_once() {
    for (i, l) in LINKS.iter().enumerate() {
        assert!(!l.counters.is_empty() && !l.label(Lang::En).is_empty());
        assert!(LINKS[..i].iter().all(|o| o.fact != l.fact), "{}", l.fact);
    }
    assert_eq!(links_as_markdown().lines().count(), LINKS.len() + 2);
}
