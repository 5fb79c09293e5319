//! The Profile screen: counters of the variant at hand, its findings, its workloads.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_core::view::RoofState;
use assay_tui::event::{Effect, Event, Load, Loaded, ProfileKey};
use assay_tui::options::{Lang, Options};
use assay_tui::state::Screen;
use support::play::Play;
use support::{dump, profiles};

fn at(size: (u16, u16), keys: &str) -> Play {
    let mut p = Play::new(Options::default(), size);
    p.keys(keys);
    p
}

fn text(p: &Play) -> String {
    dump::plain(&p.state)
}

fn key(variant: &str, workload: Option<&str>) -> ProfileKey {
    ProfileKey {
        variant: variant.into(),
        workload: workload.map(str::to_owned),
    }
}

#[test]
fn counters_are_those_of_the_variant_at_hand() {
    let mut p = at((120, 40), "j P");
    assert_eq!(p.state.screen, Screen::Profile);
    assert_eq!(p.state.profile.key, Some(key("unroll-4", None)));
    assert!(text(&p).contains("unroll-4  against tile-64"));
    p.keys("1 j 7");
    assert_eq!(p.state.profile.key, Some(key("unroll-8", None)));
    let asked: Vec<&Load> = (p.loads.iter())
        .filter(|l| matches!(l, Load::Profile(_) | Load::Findings(_)))
        .collect();
    assert_eq!(asked.len(), 4, "{asked:?}");
}

#[test]
fn an_answer_that_is_late_is_dropped() {
    let mut p = at((120, 40), "7");
    let other = Arc::new(profiles::large("unroll-4", 3));
    p.event(Event::Loaded(Loaded::Profile(
        key("unroll-4", None),
        Ok(other),
    )));
    assert!(text(&p).contains("l1.misses"));
    p.event(Event::Loaded(Loaded::Findings(
        "unroll-4".into(),
        Err("late".into()),
    )));
    assert!(!text(&p).contains("late"));
}

#[test]
fn the_workload_goes_around_and_stays_for_the_next_variant() {
    let mut p = at((120, 40), "7 ]");
    assert!(text(&p).contains("workload square-512 2/2"));
    assert!(text(&p).contains("9,876,543"));
    p.keys("]");
    assert!(text(&p).contains("workload square-256 1/2"));
    p.keys("[ 1 j 7");
    assert_eq!(
        p.state.profile.key,
        Some(key("unroll-4", Some("square-512")))
    );
    // The findings are of all workloads: they are not read for each.
    let found = p.loads.iter().filter(|l| matches!(l, Load::Findings(_)));
    assert_eq!(found.count(), 2);
}

#[test]
fn findings_go_around_and_mark_what_they_rest_on() {
    let mut p = at((80, 24), "7");
    assert!(!text(&p).contains("misses-over-accesses"));
    p.keys("n");
    assert!(text(&p).contains("error  misses-over-accesses"));
    assert!(p.state.profile.used.contains("l1.misses"));
    p.keys("n n n");
    assert_eq!(p.state.profile.finding, Some(0));
    p.keys("N");
    assert_eq!(p.state.profile.finding, Some(2));
    // Stepping out goes back to the counters, then to the screen before.
    p.keys("N esc");
    assert!(text(&p).contains("ipc"));
    assert_eq!(p.state.screen, Screen::Profile);
    p.keys("esc");
    assert_eq!(p.state.screen, Screen::Variants);
    // In Chinese they speak Chinese.
    let mut p = Play::new(
        Options {
            lang: Lang::Zh,
            ..Options::default()
        },
        (120, 40),
    );
    p.keys("7 n");
    assert!(text(&p).contains("减少同时计数的事件"));
}

#[test]
fn filter_folds_and_order() {
    let mut p = at((80, 24), "7 / \"cache l2\"");
    assert!(text(&p).contains("l2.hit") && !text(&p).contains("l1.misses"));
    assert!(text(&p).contains("1 of 6"));
    p.keys("esc");
    assert!(text(&p).contains("l1.misses"));
    p.keys("/ \"nothing-like-it\" enter");
    assert!(text(&p).contains("No counter matches"));
    p.keys("esc");
    assert_eq!(
        (p.state.profile.shown, p.state.screen),
        (6, Screen::Profile)
    );
    p.keys("g enter");
    assert!(!text(&p).contains("l1.misses") && text(&p).contains("ipc"));
    p.keys("z");
    assert!(text(&p).contains("l1.misses"));
    p.keys("z");
    assert!(!text(&p).contains("ipc"));
    // What is searched for shows, whatever is folded.
    p.keys("/ \"ipc\" enter");
    assert!(text(&p).contains("+26.8 % better"));
    p.keys("esc z u");
    assert!(
        !text(&p).contains("inst.total"),
        "it changed by its digits only"
    );
    p.keys("u s j j");
    let name = |p: &Play| {
        p.state
            .profile
            .counter(p.state.profile.cursor.index)
            .unwrap()
            .name
            .clone()
    };
    let before = name(&p);
    p.keys("s");
    assert_eq!(name(&p), before, "the row at hand stays");
}

#[test]
fn a_counter_is_copied_with_its_unit() {
    let p = at((120, 40), "7 j Y");
    let copied = p.effects.iter().find_map(|e| match e {
        Effect::Copy(t) => Some(t.as_str()),
        _ => None,
    });
    let cells: Vec<&str> = copied.unwrap().split('\t').collect();
    assert_eq!(cells[..2], ["cache", "l1.misses"]);
    assert_eq!(cells[4], "count");
}

#[test]
fn a_variant_without_counters_says_how_to_get_some() {
    let p = at((120, 40), "G 7");
    assert!(text(&p).contains("No counters of this variant yet"));
    assert!(text(&p).contains("nothing was timed yet"));
    let mut p = p;
    p.keys("n ] v z enter / \"x\" enter esc u s Y");
}

#[test]
fn three_thousand_counters_are_instant() {
    let mut p = at((120, 40), "7");
    let key = p.state.profile.key.clone().unwrap();
    let many = profiles::large("tile-64", 3000);
    p.event(Event::Loaded(Loaded::Profile(key, Ok(Arc::new(many)))));
    let begun = Instant::now();
    for _ in 0..50 {
        p.keys("j");
        dump::buffer(&p.state);
    }
    let frame = begun.elapsed() / 50;
    eprintln!("key to buffer, 3000 counters: {frame:?}");
    // A frame is 16 ms; this is an unoptimised build on whatever machine runs it.
    assert!(frame < Duration::from_millis(100), "{frame:?}");
    let begun = Instant::now();
    p.keys("/ \"29\"");
    let typed = begun.elapsed() / 3;
    eprintln!("one letter of the filter over 3000 counters: {typed:?}");
    assert!(typed < Duration::from_millis(300), "{typed:?}");
    p.keys("enter G");
    p.event(Event::Resize(500, 200));
    dump::buffer(&p.state);
}

#[test]
fn a_roofline_without_a_peak_of_the_type_draws_no_ridge() {
    let mut p = at((160, 45), "7");
    assert!(text(&p).contains("f32: 96 GFLOPS, ridge at 8 flop/byte"));
    let key = p.state.profile.key.clone().unwrap();
    let mut view = (**p.state.profile.slot.value.as_ref().unwrap()).clone();
    if let RoofState::Known(roof) = &mut view.roof {
        roof.flops_per_s.clear();
        roof.points.iter_mut().for_each(|p| p.ns = f64::NAN);
    }
    p.event(Event::Loaded(Loaded::Profile(key, Ok(Arc::new(view)))));
    assert!(
        text(&p).contains("f32: no peak known, so no ridge"),
        "{}",
        text(&p)
    );
}

/// Names that differ in their middle alone are told apart where they have no room.
#[test]
fn no_two_counters_look_the_same() {
    let mut p = Play::new(Options::default(), (120, 40));
    p.keys("7");
    let mut view = p.state.profile.slot.value.as_deref().unwrap().clone();
    let rows = &mut view.counters.as_mut().unwrap().rows;
    let row = rows[0].clone();
    for unit in ["sectors", "requests", "hits"] {
        let mut other = row.clone();
        other.name =
            format!("xq1tex__t_{unit}_pipe_lsu_mem_global_op_ld_lookup_of_everything_there_is.sum");
        other.canonical = None;
        rows.push(other);
    }
    let key = p.state.profile.key.clone().unwrap();
    p.event(Event::Loaded(Loaded::Profile(key, Ok(Arc::new(view)))));
    for columns in [80, 120, 160] {
        p.event(Event::Resize(columns, 60));
        let text = dump::plain(&p.state);
        let shown: Vec<&str> = (text.lines())
            .filter_map(|l| l.split_whitespace().find(|w| w.starts_with("xq")))
            .collect();
        assert_eq!(shown.len(), 3, "{text}");
        assert!(
            shown[0] != shown[1] && shown[1] != shown[2] && shown[0] != shown[2],
            "{text}"
        );
    }
}

/// What the comparison calls by the name of the catalog is found under that name here too.
#[test]
fn a_counter_has_both_its_names_where_there_is_room() {
    let mut p = at((200, 60), "7");
    let mut view = p.state.profile.slot.value.as_deref().unwrap().clone();
    let row = &mut view.counters.as_mut().unwrap().rows[0];
    row.name = "D1mr".into();
    row.canonical = Some("cache.l1d.read_misses".into());
    let key = p.state.profile.key.clone().unwrap();
    p.event(Event::Loaded(Loaded::Profile(key, Ok(Arc::new(view)))));
    for (columns, both) in [(200, true), (80, true), (44, false)] {
        p.event(Event::Resize(columns, 60));
        let text = dump::plain(&p.state);
        let found = text
            .lines()
            .any(|l| l.contains("D1mr (cache.l1d.read_misses) "));
        assert_eq!(found, both, "{text}");
        assert!(text.contains(" D1mr "), "{text}");
    }
}
