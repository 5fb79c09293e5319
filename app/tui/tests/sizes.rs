//! Any size and any keys: nothing panics, nothing is drawn outside, and it stays fast.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::{Duration, Instant};

use assay_core::view::JobState;
use assay_tui::action;
use assay_tui::event::Event;
use assay_tui::keymap::Key;
use assay_tui::options::{Lang, Options};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use support::jobs::job;
use support::play::Play;
use support::{Fake, data, dump};

fn key() -> impl Strategy<Value = Key> {
    let bound: Vec<Key> = action::ACTIONS
        .iter()
        .flat_map(|a| a.keys.iter().filter_map(|k| Key::parse(k)))
        .collect();
    prop_oneof![
        6 => proptest::sample::select(bound),
        1 => any::<char>().prop_map(|c| Key { code: KeyCode::Char(c), modifiers: KeyModifiers::NONE }),
        1 => Just(Key { code: KeyCode::Backspace, modifiers: KeyModifiers::NONE }),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Key(Key),
    Size(u16, u16),
    Paste(String),
    Mouse(u16, u16, bool),
    Job(u64, Option<String>, bool),
    Changed,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => key().prop_map(Step::Key),
        2 => (1u16..200, 1u16..70).prop_map(|(w, h)| Step::Size(w, h)),
        1 => ".{0,40}".prop_map(Step::Paste),
        2 => (0u16..200, 0u16..70, any::<bool>()).prop_map(|(x, y, c)| Step::Mouse(x, y, c)),
        1 => (0u64..3, proptest::option::of(".{0,20}"), any::<bool>()).prop_map(|(j, l, f)| Step::Job(j, l, f)),
        1 => Just(Step::Changed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(
        first in (1u16..160, 1u16..60),
        zh in any::<bool>(),
        ascii in any::<bool>(),
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let lang = if zh { Lang::Zh } else { Lang::En };
        let mut play = Play::new(Options { lang, ascii, ..Options::default() }, first);
        for s in steps {
            match s {
                Step::Key(k) => play.event(Event::Key(KeyEvent::new(k.code, k.modifiers))),
                Step::Size(w, h) => play.event(Event::Resize(w, h)),
                Step::Mouse(x, y, true) => play.event(Event::Click(x, y)),
                Step::Mouse(x, y, false) => play.event(Event::Wheel(1, x, y)),
                Step::Paste(t) => play.event(Event::Paste(t)),
                Step::Job(j, line, end) => {
                    let (id, jobs) = (format!("job-{j}"), &play.fake.jobs);
                    if jobs.change(&id, |_| {}).is_err() {
                        jobs.add(job(&j.to_string(), JobState::Running), "");
                    }
                    if let Some(line) = line {
                        jobs.print(&id, &line);
                    }
                    if end {
                        jobs.end(&id, JobState::Done, "done");
                    }
                    play.look_at_jobs();
                }
                Step::Changed => play.event(Event::LedgerChanged),
            }
            let (_, cursor) = dump::buffer(&play.state);
            if let Some(c) = cursor {
                prop_assert!(c.x < play.state.size.0 && c.y < play.state.size.1);
            }
        }
    }
}

#[test]
fn every_screen_at_every_small_size() {
    let screens = [
        "",
        "enter",
        "j c",
        "j d v",
        "4",
        "5",
        "?",
        ":",
        "/",
        "j j a",
        "n",
        "r",
        "8 l",
        "C space",
        "C G space esc l l",
        "w",
        "8 o",
        "8 w",
        "8 e",
        "5 e",
        "j a f9",
        "8 w j",
        "8 i",
        "8 / \"tile\"",
        "6",
        "6 v",
        "7",
        "7 v",
        "7 n z",
    ];
    for keys in screens {
        let mut play = Play::new(Options::default(), (80, 24));
        play.keys(keys);
        for w in (1..40).chain([59, 60, 99, 100]) {
            for h in 1..14 {
                play.event(Event::Resize(w, h));
                dump::buffer(&play.state);
            }
        }
    }
}

#[test]
fn too_small_is_said() {
    let play = Play::new(Options::default(), (19, 4));
    assert_eq!(
        dump::plain(&play.state).lines().next(),
        Some("terminal too small")
    );
    let play = Play::new(Options::default(), (15, 4));
    assert_eq!(
        dump::plain(&play.state).trim_end(),
        "terminal too\nsmall\nneeds 20 x 5"
    );
}

#[test]
fn ten_thousand_variants_are_instant() {
    let mut play = Play::with(
        Fake::with(data::many(10_000)),
        Options::default(),
        (120, 40),
    );
    let begun = Instant::now();
    for _ in 0..50 {
        play.keys("j");
        dump::buffer(&play.state);
    }
    let frame = begun.elapsed() / 50;
    eprintln!("key to buffer, 10000 variants: {frame:?}");
    // A frame is 16 ms; this is an unoptimised build on whatever machine runs it.
    assert!(frame < Duration::from_millis(100), "{frame:?}");
    play.keys("G");
    assert_eq!(play.state.variants.rows.len(), 10_000);
    let begun = Instant::now();
    play.keys("/ \"v0999\"");
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(play.state.variants.rows.len(), 10);
}
