//! Facts beside counters: what goes together, what contradicts, what is absent.

use assay_core::record::Figure;
use assay_source::attribution::{Counter, Facts, LINKS, attribute, links_as_markdown};
use assay_source::said::{Lang, statement};

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
fn bulk_copies_and_local_memory_go_with_counters_of_their_own() {
    let text = |a: &Facts, b: &Facts, counter: &str, lang: Lang| {
        let (x, y) = (counters(&[(counter, 10.0)]), counters(&[(counter, 20.0)]));
        let all = attribute(a, b, &x, &y);
        let found: Vec<String> = (all.iter())
            .filter(|s| s.kind == "goes-with")
            .map(|s| statement(lang, s))
            .collect();
        found.join("; ")
    };
    let expect = [16384.0, 32768.0].map(|n| facts(&[("tma.expect_bytes", n)]));
    let local = [0.0, 4.0].map(|n| {
        facts(&[
            ("inst.total", 9.0),
            ("store.local.b32", n),
            ("store.local.b128", n / 2.0),
        ])
    });
    for ([a, b], counter, en, zh) in [
        (
            &expect,
            "resource.shared.total",
            "bytes that bulk copies are to bring 16384 -> 32768; goes with shared memory of a block +100.0 % (resource.shared.total)",
            "批量拷贝声明的字节数 16384 -> 32768；与之相符：每线程块共享内存 +100.0 %（resource.shared.total）",
        ),
        (
            &local,
            "inst.spill",
            "stores to local memory in the code 0 -> 6; goes with spill instructions +100.0 % (inst.spill)",
            "代码中写本地内存的指令 0 -> 6；与之相符：溢出指令 +100.0 %（inst.spill）",
        ),
    ] {
        assert_eq!(text(a, b, counter, Lang::En), en);
        assert_eq!(text(a, b, counter, Lang::Zh), zh);
    }
    // In C++ those are arrays of a thread.
    let arrays = [0.0, 4.0].map(|n| facts(&[("store.local.b32", n)]));
    assert_eq!(text(&arrays[0], &arrays[1], "inst.spill", Lang::En), "");
}

#[test]
fn the_table_names_each_fact_once() {
    for (i, l) in LINKS.iter().enumerate() {
        assert!(!l.counters.is_empty() && !l.label(Lang::En).is_empty());
        assert!(LINKS[..i].iter().all(|o| o.fact != l.fact), "{}", l.fact);
    }
    assert_eq!(links_as_markdown().lines().count(), LINKS.len() + 2);
}
