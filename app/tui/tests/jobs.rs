//! Jobs in the interface: what is started, followed, cancelled and left running.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::Duration;

use assay_core::view::JobState;
use assay_tui::JobLog;
use assay_tui::event::{Effect, Event, Load, Loaded};
use assay_tui::options::Options;
use assay_tui::state::{Layer, Screen};
use support::Fake;
use support::dump;
use support::jobs::job;
use support::play::{Play, play, run};

#[test]
fn a_run_that_is_refused_is_not_said_to_have_started() {
    let mut p = run("r");
    assert!(dump::plain(&p.state).contains("run started"));
    let refused = "campaign `x` is not approved;\nlook at it with `assay trust`".to_owned();
    p.event(Event::Loaded(Loaded::RunStarted(Err(refused))));
    let text = dump::plain(&p.state);
    assert!(
        !text.contains("run started") && text.contains("not approved"),
        "{text}"
    );
}

#[test]
fn an_ended_job_shows_how_it_ended_and_no_stage() {
    let mut p = play();
    p.fake.jobs.add(job("j1", JobState::Done), "");
    p.fake.jobs.add(job("j2", JobState::Failed), "");
    p.look_at_jobs();
    p.keys("4");
    let text = dump::plain(&p.state);
    assert!(text.contains("done") && text.contains("failed"), "{text}");
    for gone in ["queued", "bench", "3/12", "0:40"] {
        assert!(!text.contains(gone), "{gone} in {text}");
    }
}

#[test]
fn jobs_report_follow_and_are_cancelled_after_a_question() {
    let mut p = run("r");
    assert_eq!(p.effects, [Effect::Run(vec!["tile-64".into()])]);
    p.fake.jobs.add(job("tile-64", JobState::Running), "");
    for i in 0..100 {
        p.fake.jobs.print("job-tile-64", &format!("line {i}"));
        p.look_at_jobs();
    }
    assert!(p.state.wants_tick());
    p.event(Event::Tick(Duration::from_secs(61)));
    p.keys("4");
    let text = dump::plain(&p.state);
    for part in ["line 99", "2:24", "3/12", "0:00", "bench"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    p.keys("pgup");
    assert!(!dump::plain(&p.state).contains("line 99"));
    let log = |p: &Play| {
        let text = dump::plain(&p.state);
        let at = text.find("line ").unwrap();
        text[at..].to_owned()
    };
    let before = log(&p);
    p.fake.jobs.print("job-tile-64", "more");
    p.look_at_jobs();
    assert_eq!(before, log(&p), "a reader keeps the lines");
    p.keys("f");
    assert!(dump::plain(&p.state).contains("more"));
    let cancel = Effect::Cancel("job-tile-64".into());
    p.keys("x n");
    assert!(!p.effects.contains(&cancel));
    p.keys("r");
    assert!(dump::plain(&p.state).contains("has not ended"));
    p.keys("x y");
    assert_eq!(p.effects.last(), Some(&cancel));
    // It may be refused, such as when the job is another user's.
    let refused = Err("it runs on node-7".to_owned());
    assert!(dump::plain(&p.state).contains("cancelling"));
    p.event(Event::Loaded(Loaded::Cancelled(
        "job-tile-64".into(),
        refused,
    )));
    let text = dump::plain(&p.state);
    assert!(
        text.contains("node-7") && !text.contains("cancelling"),
        "{text}"
    );
    // What came of it is said, and the ledger is read anew; it can be done once more.
    p.keys("1");
    p.loads.clear();
    p.fake.jobs.end(
        "job-tile-64",
        JobState::Cancelled,
        "cancelled
second line",
    );
    p.look_at_jobs();
    assert!(p.loads.contains(&Load::List));
    assert!(!p.state.wants_tick() && p.state.layers.is_empty());
    let notice = p.state.notice.clone().unwrap();
    assert_eq!(
        (notice.text.as_str(), notice.bad),
        ("run tile-64: cancelled", true)
    );
    p.keys("4 r");
    assert_eq!(
        p.effects.last(),
        Some(&Effect::RunAgain("job-tile-64".into()))
    );
    p.keys("enter");
    assert_eq!(
        (p.state.screen, p.selected()),
        (Screen::Variants, "tile-64")
    );
}

#[test]
fn quitting_asks_while_jobs_wait_or_run() {
    let asks = || {
        let fake = Fake::new();
        fake.jobs.add(job("fma", JobState::Running), "");
        fake.jobs.add(job("base", JobState::Queued), "");
        fake.jobs.add(job("tile-64", JobState::Lost), "");
        let mut p = Play::with(fake, Options::default(), (120, 40));
        assert!(dump::plain(&p.state).contains("jobs that go on: 2"));
        p.keys("q");
        assert!(matches!(p.state.layers.last(), Some(Layer::Confirm(_))));
        p
    };
    let mut p = asks();
    p.keys("esc");
    assert!(p.effects.is_empty() && p.state.layers.is_empty());
    for leave in ["enter", "l"] {
        let mut p = asks();
        p.keys(leave);
        assert_eq!(p.effects, [Effect::Quit]);
    }
    let mut p = asks();
    p.keys("c");
    let cancel = |id: &str| Effect::Cancel(id.into());
    assert_eq!(
        p.effects,
        [cancel("job-base"), cancel("job-fma"), Effect::Quit]
    );
    // Twice Ctrl-c asks as well; it closes a question as anything else that is open.
    let mut p = asks();
    p.keys("ctrl-c");
    assert!(p.effects.is_empty() && p.state.layers.is_empty());
    p.keys("ctrl-c");
    assert!(matches!(p.state.layers.last(), Some(Layer::Confirm(_))));
    assert_eq!(p.effects, []);
    p.keys("enter");
    assert_eq!(p.effects, [Effect::Quit]);
}

#[test]
fn the_job_that_is_looked_at_stays_selected() {
    let mut p = play();
    p.fake.jobs.add(
        job("fma", JobState::Running),
        "the log of fma
",
    );
    p.look_at_jobs();
    p.keys("4");
    assert!(dump::plain(&p.state).contains("the log of fma"));
    p.fake.jobs.add(
        job("base", JobState::Running),
        "the log of base
",
    );
    p.look_at_jobs();
    assert!(dump::plain(&p.state).contains("the log of fma"));
    p.keys("k");
    let text = dump::plain(&p.state);
    assert!(
        text.contains("the log of base") && !text.contains("the log of fma"),
        "{text}"
    );
    // Elsewhere a new one is what will be looked at.
    p.keys("1");
    p.fake.jobs.add(
        job("tile-64", JobState::Queued),
        "the log of tile-64
",
    );
    p.look_at_jobs();
    p.keys("4");
    assert!(dump::plain(&p.state).contains("the log of tile-64"));
    // A log that cannot be read, and jobs that cannot be read, are said.
    p.event(Event::Loaded(Loaded::JobLog(
        "job-tile-64".into(),
        Err("log.0: gone".into()),
    )));
    p.event(Event::Jobs(Err("no such folder".into())));
    let text = dump::plain(&p.state);
    assert!(
        text.contains("log.0: gone") && text.contains("no such folder"),
        "{text}"
    );
}

#[test]
fn a_log_that_outran_its_reader_says_so() {
    let mut p = play();
    p.fake.jobs.add(
        job("fma", JobState::Running),
        "first
",
    );
    p.look_at_jobs();
    p.keys("4");
    let part = |from: u64, text: &str| JobLog {
        from,
        end: from + text.len() as u64,
        text: text.into(),
    };
    p.event(Event::Loaded(Loaded::JobLog(
        "job-fma".into(),
        Ok(part(1000, "late\x1b[2J\n")),
    )));
    let text = dump::plain(&p.state);
    assert!(
        text.contains("...\nlate\\x1b[2J") && !text.contains("first"),
        "{text}"
    );
    // A part of another job's log is not this one's.
    p.event(Event::Loaded(Loaded::JobLog(
        "job-x".into(),
        Ok(part(0, "foreign\n")),
    )));
    assert!(!dump::plain(&p.state).contains("foreign"));
    // It is bounded.
    let many = "x\n".repeat(5000);
    p.event(Event::Loaded(Loaded::JobLog(
        "job-fma".into(),
        Ok(part(2000, &many)),
    )));
    assert_eq!(p.state.jobs.log.lines.len(), 2000);
}

#[test]
fn a_question_about_a_job_ends_with_it() {
    let mut p = play();
    p.fake.jobs.add(job("fma", JobState::Running), "");
    p.look_at_jobs();
    p.keys("4 x");
    assert!(matches!(p.state.layers.last(), Some(Layer::Confirm(_))));
    p.fake.jobs.end("job-fma", JobState::Done, "fine");
    p.look_at_jobs();
    assert!(p.state.layers.is_empty());
    p.keys("enter");
    assert!(!p.effects.iter().any(|e| matches!(e, Effect::Cancel(_))));
}

#[test]
fn what_is_run_again_is_what_is_looked_at() {
    let mut p = play();
    p.fake
        .jobs
        .add(job("fma", JobState::Running), "the old log\n");
    p.look_at_jobs();
    p.fake.jobs.end("job-fma", JobState::Done, "fine");
    p.look_at_jobs();
    p.keys("4 r");
    p.fake
        .jobs
        .add(job("base", JobState::Running), "the new log\n");
    p.look_at_jobs();
    let text = dump::plain(&p.state);
    assert!(
        text.contains("the new log") && !text.contains("the old log"),
        "{text}"
    );
    // The next one was ordered by someone else.
    p.fake
        .jobs
        .add(job("tile-64", JobState::Queued), "another log\n");
    p.look_at_jobs();
    assert!(dump::plain(&p.state).contains("the new log"));
}

#[test]
fn the_steps_of_a_job_are_whole_at_any_width() {
    for width in [80, 100, 120] {
        let mut p = Play::new(Options::default(), (width, 30));
        let view = assay_core::view::JobView {
            done: 12_345,
            total: 1_234_567,
            ..job(
                "a-name-that-is-longer-than-its-column-has-room-for",
                JobState::Running,
            )
        };
        p.fake.jobs.add(view, "");
        p.look_at_jobs();
        p.keys("4");
        let text = dump::plain(&p.state);
        assert!(text.contains("12345/1234567 "), "{width}: {text}");
    }
}

#[test]
fn long_lines_of_a_log_scroll_sideways() {
    let mut p = Play::new(Options::default(), (80, 24));
    let line = format!("| cc {}the end", "核 ".repeat(40));
    p.fake
        .jobs
        .add(job("fma", JobState::Running), &format!("{line}\nshort\n"));
    p.look_at_jobs();
    p.keys("4");
    let shown = |p: &Play| {
        let text = dump::plain(&p.state);
        let line = text.lines().find(|l| l.contains('核')).unwrap();
        line.trim_end().to_owned()
    };
    assert!(
        shown(&p).starts_with("| cc") && shown(&p).ends_with('>'),
        "{}",
        shown(&p)
    );
    p.keys("l l l l l l l l l l l l l l l");
    assert!(shown(&p).ends_with("the end"), "{}", shown(&p));
    p.keys("h h h h h h h h h h h h h h h h");
    assert!(shown(&p).starts_with("| cc"), "{}", shown(&p));
}
