//! What must not bring the interface down, or to a halt: names, texts, sizes and amounts that nobody
//! has thought of.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::{Duration, Instant};

use assay_core::view::{JobState, JobView, ListView, SampleSet};
use assay_tui::event::{Event, Loaded};
use assay_tui::options::{Lang, Options};
use assay_tui::state::Layer;
use support::jobs::job;
use support::play::Play;
use support::{Fake, data, dump};

/// Keys that lead to every screen, to the longer texts and to the forms.
const PLACES: &[&str] = &[
    "", "enter", "j c", "j d", "4", "5", "6", "7", "8", "?", ":", "/ \"x\"", "y", "a", "x", "n",
    "w", "C", "8 o", "8 w", "8 e", "j e", "5 e", "j a f9", "6 y", "7 n",
];

fn sizes(list: &ListView, sizes: &[(u16, u16)]) {
    for lang in [Lang::En, Lang::Zh] {
        for keys in PLACES {
            let options = Options {
                lang,
                ..Options::default()
            };
            let mut p = Play::with(Fake::with(list.clone()), options, (120, 40));
            p.keys(keys);
            for (w, h) in sizes {
                p.event(Event::Resize(*w, *h));
                let (buf, cursor) = dump::buffer(&p.state);
                for cell in &buf.content {
                    assert_eq!(
                        assay_core::text::inert(cell.symbol()),
                        cell.symbol(),
                        "{keys}"
                    );
                }
                assert!(
                    cursor.is_none_or(|c| c.x < *w && c.y < *h),
                    "{keys} {w}x{h}"
                );
            }
        }
    }
}

#[test]
fn from_one_cell_to_a_wall_of_screens() {
    sizes(
        &data::list(),
        &[(1, 1), (1, 60), (200, 1), (20, 5), (500, 200)],
    );
}

/// A campaign in which every text that comes from outside is `text`, made different by a number.
fn named(text: &str) -> ListView {
    let mut list = data::list();
    let name = |n: &str, all: &[String]| {
        let at = all.iter().position(|x| x == n).unwrap_or(0);
        format!("{text}{at}{text}")
    };
    let all: Vec<String> = list.variants.iter().map(|v| v.name.clone()).collect();
    list.campaign = text.into();
    list.device = Some(text.into());
    list.champion = list.champion.map(|c| name(&c, &all));
    list.workloads
        .iter_mut()
        .for_each(|w| *w = format!("{text}{w}"));
    for v in &mut list.variants {
        v.name = name(&v.name, &all);
        v.parent = v.parent.as_deref().map(|p| name(p, &all));
        v.parents = v.parent.iter().cloned().collect();
        v.against = v.against.as_deref().map(|a| name(a, &all));
        v.why = text.into();
        v.family = Some(text.into());
        v.knobs.insert(text.into(), text.into());
        v.commit = Some(text.into());
        for g in &mut v.gates {
            g.name = format!("{text}{}", g.name);
            g.evidence = text.into();
        }
        let median: Vec<f64> = v.median_ns.values().copied().collect();
        v.median_ns = list.workloads.iter().cloned().zip(median).collect();
    }
    list
}

#[test]
fn names_of_300_wide_characters() {
    let list = named(&"核函数寄存器分块优化".repeat(30));
    sizes(&list, &[(20, 5), (60, 16), (80, 24), (200, 60)]);
    // They can still be told apart.
    let p = Play::with(Fake::with(list), Options::default(), (80, 24));
    let text = dump::plain(&p.state);
    let rows: Vec<&str> = text.lines().filter(|l| l.contains('核')).collect();
    let mut once = rows.clone();
    once.sort_unstable();
    once.dedup();
    assert!(rows.len() > 8 && once.len() == rows.len(), "{text}");
}

#[test]
fn escape_sequences_in_every_name_are_shown_and_not_obeyed() {
    sizes(
        &named("\x1b[2J\x1b]0;x\x07\u{202e}\r\n\t\u{9b}31m"),
        &[(40, 10), (80, 24), (160, 50)],
    );
    let mut p = Play::new(Options::default(), (80, 24));
    let hostile = JobView {
        title: "run \x1b]52;c;AA\x07".into(),
        phase: Some("\u{202e}".into()),
        subject: Some("\x1b[31m".into()),
        folder: "/lab/\x1b]0;x\x07".into(),
        ..job("x", JobState::Running)
    };
    p.fake.jobs.add(hostile, "\x1b[2J\rgone\u{9b}H\n");
    let ended = JobView {
        result: Some("\x1b[2J\nsecond\u{9b}H".into()),
        ..job("y", JobState::Failed)
    };
    p.fake.jobs.add(ended, "");
    p.look_at_jobs();
    p.keys("4");
    let text = dump::plain(&p.state);
    assert!(
        text.contains("\\x1b[2J") && text.contains("second\\x9bH"),
        "{text}"
    );
    p.keys("1");
    p.state.jobs.select(1);
    p.keys("4");
    let text = dump::plain(&p.state);
    assert!(
        text.contains("\\x1b[2J") && text.contains("\\x1b]52;c"),
        "{text}"
    );
    assert!(!text.contains('\x1b') && !text.contains('\u{202e}'));
}

#[test]
fn a_campaign_that_vanishes_leaves_what_was_read_and_says_so() {
    let gone = || "no campaign here: assay.toml is gone".to_owned();
    for keys in PLACES {
        let mut p = Play::new(Options::default(), (120, 40));
        p.keys(keys);
        let open = p.state.layers.len();
        let before = p.state.variants.rows.len();
        for answer in [
            Loaded::List(Err(gone())),
            Loaded::Show("tile-64".into(), Err(gone())),
            Loaded::Compare(p.state.compare.pair.clone(), Err(gone())),
            Loaded::Log(Err(gone())),
            Loaded::Heat(Err(gone())),
            Loaded::Page(Lang::En, Err(gone())),
            Loaded::Checks(Lang::En, Err(gone())),
        ] {
            p.event(Event::Loaded(answer));
        }
        let text = dump::plain(&p.state);
        assert_eq!(p.state.variants.rows.len(), before, "{keys}");
        assert_eq!(p.state.layers.len(), open, "{keys}");
        if keys.is_empty() {
            assert!(
                text.contains("! no campaign here") && text.contains("tile-64"),
                "{text}"
            );
        }
    }
    // From the start there is nothing but the reason.
    let mut p = Play::new(Options::default(), (80, 24));
    p.state.variants.list.clear();
    p.state.variants.arrange();
    p.event(Event::Loaded(Loaded::List(Err(gone()))));
    for key in ["enter", "c", "d", "r", "a", "y", "6", "7", "8", "5", "n"] {
        p.keys(key).keys("esc esc");
    }
    p.keys("1");
    assert!(dump::plain(&p.state).contains("no campaign here"));
}

#[test]
fn a_ledger_that_loses_its_variants_under_open_forms() {
    for keys in PLACES {
        let mut p = Play::new(Options::default(), (120, 40));
        p.keys(keys);
        let empty = ListView {
            champion: None,
            variants: Vec::new(),
            ..data::list()
        };
        p.event(Event::Loaded(Loaded::List(Ok(Box::new(empty)))));
        p.event(Event::LedgerChanged);
        p.keys("j enter esc esc esc");
        dump::buffer(&p.state);
    }
}

#[test]
fn a_hundred_thousand_samples() {
    let mut p = Play::new(Options::default(), (120, 40));
    p.keys("j j c");
    let mut view = p.state.compare.slot.value.clone().unwrap();
    let names: Vec<String> = view.variants.iter().map(|v| v.name.clone()).collect();
    let some = view.samples[0].clone();
    let set = |subject: &String| SampleSet {
        subject: subject.clone(),
        values_ns: (0..100_000u32)
            .map(|i| 1e6 + f64::from(i.wrapping_mul(2_654_435_761) % 9973))
            .collect(),
        ..some.clone()
    };
    view.samples = names.iter().map(set).collect();
    let begun = Instant::now();
    p.event(Event::Loaded(Loaded::Compare(names, Ok(Box::new(view)))));
    dump::buffer(&p.state);
    // Once for each answer and width, in an unoptimised build; the benches hold it to the frame.
    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    assert!(
        p.state
            .compare
            .doc
            .lines
            .iter()
            .any(|l| l.to_string().contains("n=100000"))
    );
    let begun = Instant::now();
    for _ in 0..50 {
        p.keys("j");
        dump::buffer(&p.state);
    }
    let frame = begun.elapsed() / 50;
    assert!(frame < Duration::from_millis(100), "{frame:?}");
}

#[test]
fn a_log_of_a_hundred_thousand_lines_keeps_its_end() {
    let mut p = Play::new(Options::default(), (80, 24));
    p.fake.jobs.add(job("x", JobState::Running), "");
    p.look_at_jobs();
    p.keys("4");
    for i in 0..100 {
        let lines: Vec<String> = (0..1000)
            .map(|j| format!("line {}", i * 1000 + j))
            .collect();
        p.fake.jobs.print("job-x", &lines.join("\n"));
        p.look_at_jobs();
    }
    assert!(dump::plain(&p.state).contains("line 99999"));
    assert!(p.state.jobs.log.lines.len() <= 2000);
}

#[test]
fn a_message_of_any_length_is_read_to_its_end() {
    let mut p = Play::new(Options::default(), (80, 24));
    let text = "an error\nwith a line\n".repeat(5000);
    p.event(Event::Notice(Err(text)));
    p.keys("G");
    assert!(matches!(p.state.layers.last(), Some(Layer::Message { .. })));
    assert!(dump::plain(&p.state).contains("with a line"));
}
