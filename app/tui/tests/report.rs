//! The Report screen: reading, chapters, search, language, export.

#![allow(clippy::unwrap_used)]

mod support;

use assay_tui::event::{Effect, Event, Load, Loaded};
use assay_tui::options::{Lang, Options};
use assay_tui::state::{ExportOrder, Form, Layer, Screen};
use support::dump;
use support::play::Play;

fn run(keys: &str) -> Play {
    let mut p = Play::new(Options::default(), (80, 24));
    p.keys(keys);
    p
}

#[test]
fn text_and_checks_are_read_apart_and_once() {
    let mut p = run("8");
    assert_eq!(
        p.loads[p.loads.len() - 2..],
        [Load::Page(Lang::En), Load::Checks(Lang::En)]
    );
    let n = p.loads.len();
    p.keys("1 8 esc 8");
    assert_eq!(p.loads.len(), n, "it is there already");
    p.event(Event::LedgerChanged);
    assert!(p.loads[n..].contains(&Load::Page(Lang::En)));
    p.keys("1");
    p.event(Event::LedgerChanged);
    let n = p.loads.len();
    p.keys("8");
    assert_eq!(p.loads.len(), n + 2, "what is not looked at is read later");
}

#[test]
fn an_answer_in_another_language_is_dropped() {
    let mut p = run("8 t");
    assert!(dump::plain(&p.state).contains("报告"));
    p.event(Event::Loaded(Loaded::Page(
        Lang::En,
        Err("too late".into()),
    )));
    p.event(Event::Loaded(Loaded::Checks(
        Lang::En,
        Err("too late".into()),
    )));
    assert!(!dump::plain(&p.state).contains("too late"));
    p.event(Event::Loaded(Loaded::Page(
        Lang::Zh,
        Err("ledger: gone".into()),
    )));
    let text = dump::plain(&p.state);
    assert!(
        text.contains("! ledger: gone") && text.contains("报告"),
        "{text}"
    );
}

#[test]
fn chapters_lead_there() {
    let mut p = run("8");
    let titles: Vec<String> = p
        .state
        .report
        .page
        .chapters
        .iter()
        .map(|c| c.title.clone())
        .collect();
    assert_eq!(
        titles,
        [
            "Checks",
            "Report: fp32 GEMM on the CPU",
            "Claim",
            "Result chain",
            "Reproduce"
        ]
    );
    p.state.size = (80, 10);
    p.keys("o j j enter");
    assert!(p.state.layers.is_empty());
    assert!(
        dump::plain(&p.state)
            .lines()
            .nth(2)
            .unwrap()
            .contains("Claim")
    );
    p.keys("]");
    assert_eq!(p.state.report.chapter(), Some(3));
    p.keys("[ [");
    assert_eq!(p.state.report.chapter(), Some(1));
    // The checks grow when they come; what is read stays in its place.
    p.keys("] ]");
    let before = dump::plain(&p.state).lines().nth(2).unwrap().to_owned();
    let mut checks = support::report::checks(Lang::En);
    checks.rules.extend(checks.rules.clone());
    p.event(Event::Loaded(Loaded::Checks(Lang::En, Ok(checks))));
    assert_eq!(dump::plain(&p.state).lines().nth(2), Some(before.as_str()));
}

#[test]
fn search_goes_round_and_comes_back() {
    let mut p = run("8 / \"ASSAY VERIFY\"");
    assert!(dump::plain(&p.state).contains("1 of 3"));
    p.keys("enter n");
    assert_eq!(p.state.report.find.at, 1);
    p.keys("n n N N");
    assert_eq!(p.state.report.find.at, 1);
    p.keys("esc");
    assert!(p.state.report.find.query.is_empty());
    assert_eq!(p.state.screen, Screen::Report);
    p.keys("/ \"nothing like it\" enter n");
    assert!(dump::plain(&p.state).contains("no match"));
    // Esc in the line goes back to the text and the place before.
    let mut p = run("8 j j / \"Reproduce\" esc");
    assert_eq!(
        (p.state.report.scroll, p.state.report.find.query.as_str()),
        (2, "")
    );
    // Without a text to look for, the next match asks for one.
    p.keys("n");
    assert!(matches!(p.state.layers.last(), Some(Layer::Search { .. })));
}

#[test]
fn an_export_says_what_was_written() {
    let mut p = run("8 w j space tab tab tab tab space enter");
    let order = ExportOrder {
        forms: vec![Form::Markdown, Form::Html, Form::Bundle],
        lang: Lang::En,
        folder: "state/reports/gemm-cpu".into(),
    };
    assert_eq!(p.effects, [Effect::Export(order)]);
    let text = dump::plain(&p.state);
    assert!(
        text.contains("state/reports/gemm-cpu/report.bundle"),
        "{text}"
    );
    p.keys("esc t w shift-tab");
    let Some(Layer::Export(e)) = p.state.layers.last() else {
        panic!()
    };
    assert_eq!((e.lang, e.focus), (Lang::Zh, 0));
}

#[test]
fn a_form_says_what_is_missing_and_what_failed() {
    let mut p = run("8 w space enter");
    assert!(dump::plain(&p.state).contains("Choose at least one form"));
    p.keys("space shift-tab ctrl-u enter");
    assert!(dump::plain(&p.state).contains("Name a folder."));
    p.keys("\"full/核\" enter");
    let text = dump::plain(&p.state);
    assert!(text.contains("no space left on device"), "{text}");
    p.keys("ctrl-u \"out\" enter");
    assert!(dump::plain(&p.state).contains("out/report.md"));
}

#[test]
fn wide_tables_scroll_behind_their_first_column() {
    let mut p = run("8 ] ] ]");
    let row = |p: &Play| {
        let text = dump::plain(&p.state);
        text.lines()
            .find(|l| l.contains("SLOWER") || l.contains("1.031"))
            .unwrap()
            .to_owned()
    };
    assert!(row(&p).ends_with('>'), "{}", row(&p));
    p.keys("l l l l l l");
    assert!(
        row(&p).starts_with(" tile-32") && row(&p).ends_with("rejected"),
        "{}",
        row(&p)
    );
    p.keys("h h h h h h h");
    assert_eq!(p.state.report.left, 0);
}

/// A long folder shows its end while it is typed, and that there is more before it.
#[test]
fn a_long_folder_is_marked_where_it_is_cut() {
    let mut p = Play::new(Options::default(), (80, 24));
    p.keys("8 w shift-tab ctrl-u");
    let folder = format!("/w/b/{}/reports", "long-name-of-a-folder/".repeat(5));
    p.event(Event::Paste(folder));
    let text = dump::plain(&p.state);
    let row = text.lines().find(|l| l.contains("folder: ")).unwrap();
    assert!(
        row.contains("folder: …") && row.contains("/reports"),
        "{text}"
    );
    p.keys("home");
    let text = dump::plain(&p.state);
    let row = text.lines().find(|l| l.contains("folder: ")).unwrap();
    assert!(row.contains("folder: /w/b/") && row.contains('…'), "{text}");
    // A path that is too long is broken behind a `/`.
    p.keys("enter");
    let written = dump::plain(&p.state);
    assert!(written.contains("report.md"), "{written}");
}
