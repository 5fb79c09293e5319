//! The form of a decision: which gates it asks about, and what it does with a refusal.

#![allow(clippy::unwrap_used)]

mod support;

use assay_core::record::DecisionKind;
use assay_tui::event::{Effect, Event, Load};
use assay_tui::options::Options;
use assay_tui::state::Layer;
use support::dump;
use support::play::{Play, play, run};

#[test]
fn accepting_asks_for_every_reason() {
    // unroll-8 fails the gate `spills` and has no evidence for `vector`.
    let mut p = run("j j a enter");
    let form = |p: &Play| match p.state.layers.last() {
        Some(Layer::Decide(d)) => (d.focus, d.fault.is_some(), d.overrides.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(form(&p), (0, true, 2));
    p.keys("\"fast enough\" enter");
    assert_eq!(form(&p), (1, true, 2));
    assert!(p.effects.is_empty());
    p.keys("\"spills are in the prologue\" enter");
    let wanted = Effect::Decide {
        name: "unroll-8".into(),
        kind: DecisionKind::Accept,
        reason: "fast enough".into(),
        overrides: vec![("spills".into(), "spills are in the prologue".into())],
        seen: Some(vec!["decision-1".into()]),
    };
    assert_eq!(p.effects, [wanted]);
    assert!(p.state.layers.is_empty());
    assert_eq!(p.state.variants.champion(), Some("unroll-8"));
    assert!(p.state.notice.as_ref().is_some_and(|n| !n.bad));
}

/// Names of the gates with a field, and what was typed for them.
fn fields(p: &Play) -> Vec<(String, String)> {
    match p.state.layers.last() {
        Some(Layer::Decide(d)) => (d.overrides.iter())
            .map(|o| (o.gate.clone(), o.field.value().to_owned()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_form_that_waited_for_its_gates_says_so_no_longer_once_they_are_there() {
    use assay_tui::Backend;
    use assay_tui::event::Loaded;
    use assay_tui::update::update;
    let mut p = play();
    // Not answered yet: the keys go to the state alone.
    let key = |p: &mut Play, name: &str| {
        let key = assay_tui::keymap::Key::parse(name).unwrap();
        let event = crossterm::event::KeyEvent::new(key.code, key.modifiers);
        update(&mut p.state, Event::Key(event))
    };
    for name in ["j", "a", "o", "k", "enter"] {
        key(&mut p, name);
    }
    assert!(dump::plain(&p.state).contains("reading the gates..."));
    let standing = p.fake.standing("unroll-4");
    update(
        &mut p.state,
        Event::Loaded(Loaded::Standing("unroll-4".into(), standing)),
    );
    assert!(!dump::plain(&p.state).contains("reading the gates..."));
    assert!(matches!(key(&mut p, "enter")[..], [Effect::Decide { .. }]));
}

#[test]
fn the_form_has_the_gates_as_they_stand_and_not_as_they_were_listed() {
    let mut p = play();
    p.keys("j j j");
    let verdict = "measured against base, and the champion is tile-64";
    let gate = support::data::gate("verdict", Some(false), verdict);
    *p.fake.standing.lock().unwrap() = vec![gate];
    p.keys("a");
    assert_eq!(p.loads.last(), Some(&Load::Standing("fma".into())));
    let named: Vec<String> = fields(&p).into_iter().map(|f| f.0).collect();
    assert_eq!(named, ["vector", "verdict"]);
    let text = dump::plain(&p.state);
    assert!(text.contains("the champion is tile-64"), "{text}");
    p.keys("\"good\" enter");
    assert!(p.effects.is_empty(), "a failed gate needs its reason");
    p.keys("\"measured on Monday\" enter");
    let wanted = vec![("verdict".into(), "measured on Monday".into())];
    assert!(matches!(&p.effects[..], [Effect::Decide { overrides, .. }] if *overrides == wanted));
}

#[test]
fn a_variant_that_was_accepted_before_is_judged_against_the_champion_of_today() {
    let mut p = play();
    // As it was accepted, all passed; the list and the pane go on showing that.
    let passed = ["verdict", "vector"].map(|name| support::data::gate(name, Some(true), "yes"));
    let mut list = p.fake.list.lock().unwrap();
    let row = list.variants.iter_mut().find(|v| v.name == "fma").unwrap();
    row.gates = passed.into();
    drop(list);
    let against = "measured against base, and the champion is tile-64";
    let gate = support::data::gate("verdict", Some(false), against);
    *p.fake.standing.lock().unwrap() = vec![gate];
    p.keys("j j j a");
    let text = dump::plain(&p.state);
    assert!(text.contains(against) && !text.contains("2/2"), "{text}");
    assert_eq!(fields(&p), [("verdict".to_owned(), String::new())]);
}

#[test]
fn an_acceptance_by_somebody_else_meanwhile_is_refused_and_the_form_is_judged_anew() {
    let mut p = play();
    p.keys("j j j a \"good\"");
    p.fake.touch();
    let gate = support::data::gate("verdict", Some(false), "the champion is other");
    *p.fake.standing.lock().unwrap() = vec![gate];
    p.keys("enter");
    let text = dump::plain(&p.state);
    assert!(text.contains("another decision came first"), "{text}");
    assert!(text.contains("the champion is other"), "{text}");
    let Some(Layer::Decide(d)) = p.state.layers.last() else {
        panic!("{text}")
    };
    assert_eq!(
        (d.reason.value(), d.place.as_deref()),
        ("good", Some(&["decision-2".to_owned()][..]))
    );
    p.keys("enter \"it is better\" enter");
    let last = p.effects.last();
    assert!(
        matches!(last, Some(Effect::Decide { seen: Some(seen), .. }) if seen[0] == "decision-2"),
        "{last:?}"
    );
    assert!(p.state.layers.is_empty());
}

#[test]
fn a_form_tells_beforehand_that_nobody_would_stand_under_the_decision() {
    let why = "git knows no name here, and the decision would be by \"unknown\": start with `--as NAME`, or set `git config user.name NAME`";
    for key in ["a", "x", "p"] {
        let mut p = play();
        p.keys(&format!("j j j {key}"));
        assert!(!dump::plain(&p.state).contains("git knows no name"));
        let mut p = play();
        p.fake.nameless = Some(why.into());
        p.keys(&format!("j j j {key}"));
        assert!(
            dump::plain(&p.state).contains("! git knows no name here"),
            "{key}"
        );
    }
}

#[test]
fn a_refusal_leaves_the_form_open_with_a_field_for_each_gate_it_names() {
    let mut p = play();
    p.keys("j j j a \"good\" tab \"x\" backspace tab");
    p.fake.refusal = Some(
        "`fma` cannot be accepted:\n  guard: failed: proven slower beyond 2 %: square-512\n  \
         size: no evidence: no facts\n  hint: --override guard=REASON"
            .into(),
    );
    p.keys("enter");
    let named: Vec<String> = fields(&p).into_iter().map(|f| f.0).collect();
    assert_eq!(named, ["vector", "guard", "size"]);
    let text = dump::plain(&p.state);
    assert!(!text.contains("\\n"), "{text}");
    // The first field that lacks what was asked for takes the keys, with the reason below it.
    let Some(Layer::Decide(d)) = p.state.layers.last() else {
        panic!("{text}")
    };
    assert_eq!(
        (d.focus, d.fault.as_deref()),
        (2, Some("failed: proven slower beyond 2 %: square-512"))
    );
    let at = text.lines().position(|l| l.contains("override guard: why"));
    let below = text.lines().nth(at.unwrap() + 1).unwrap();
    assert!(below.contains("failed: proven slower"), "{text}");
    for line in [
        "cannot be accepted:",
        "guard: failed: proven",
        "hint: --override",
    ] {
        assert!(text.lines().any(|l| l.contains(line)), "{line} in {text}");
    }
    p.keys("\"one odd size\" enter");
    let wanted = vec![("guard".into(), "one odd size".into())];
    let last = p.effects.last();
    assert!(
        matches!(last, Some(Effect::Decide { overrides, reason, .. })
            if *overrides == wanted && reason == "good"),
        "{last:?}"
    );
    assert!(p.state.layers.is_empty());
}

#[test]
fn the_champion_is_not_accepted_again() {
    let p = run("a");
    assert!(p.state.layers.is_empty() && p.effects.is_empty());
    let said = p.state.notice.as_ref().map(|n| n.text.as_str());
    assert_eq!(said, Some("tile-64 is the champion already"));
}

#[test]
fn labels_of_fields_are_whole_at_80_columns() {
    let mut p = Play::new(Options::default(), (80, 24));
    let name = "no-local-memory-traffic-in-the-inner-loop";
    let gate = support::data::gate(name, Some(false), "12 loads");
    *p.fake.standing.lock().unwrap() = vec![gate];
    p.keys("j j j a tab tab \"because\"");
    let text = dump::plain(&p.state);
    let label = format!("override {name}: why:");
    let at = text.lines().position(|l| l.contains(&label));
    let at = at.unwrap_or_else(|| panic!("{text}"));
    let below = text.lines().nth(at + 1);
    assert!(below.is_some_and(|l| l.contains("  because")), "{text}");
}

#[test]
fn rejecting_needs_one_reason_and_the_form_guards_what_was_typed() {
    let mut p = run("j x \"slower 在大尺寸上\" esc");
    assert_eq!(p.state.layers.len(), 1, "the first Esc asks");
    p.keys("\"!\" esc esc");
    assert!(p.state.layers.is_empty() && p.effects.is_empty());
    p.keys("x enter");
    assert_eq!(p.state.layers.len(), 1, "no reason, no decision");
    p.event(Event::Paste("two\nlines".into()));
    p.keys("enter");
    assert!(
        matches!(&p.effects[..], [Effect::Decide { kind: DecisionKind::Reject, reason, .. }] if reason == "two lines")
    );
    p.keys("p \"later\" enter");
    assert!(matches!(
        p.effects.last(),
        Some(Effect::Decide {
            kind: DecisionKind::Park,
            ..
        })
    ));
}

#[test]
fn a_long_reason_is_kept_whole_and_what_has_no_room_is_said() {
    let reason = format!("{} TAIL", "x".repeat(4090));
    let mut play = run("j j x");
    play.event(Event::Paste(reason.clone()));
    play.keys("enter");
    let kept = play.effects.iter().find_map(|e| match e {
        Effect::Decide { reason, .. } => Some(reason.clone()),
        _ => None,
    });
    assert!(kept.is_some_and(|k| k == reason));
    let mut play = run("j j a");
    play.event(Event::Paste("y".repeat(70_000)));
    let text = dump::plain(&play.state);
    assert!(
        text.contains("a field holds 65536 characters: 4464 at the end had no room"),
        "{text}"
    );
    // The next key in it takes the remark away.
    play.keys("backspace");
    let text = dump::plain(&play.state);
    assert!(!text.contains("had no room"), "{text}");
}

#[test]
fn the_next_field_is_named_where_there_is_one() {
    for (keys, named) in [("j x", false), ("j j a", true), ("n", true)] {
        let p = run(keys);
        let text = dump::plain(&p.state);
        assert_eq!(
            text.to_lowercase().contains("next field"),
            named,
            "{keys} {text}"
        );
    }
}
