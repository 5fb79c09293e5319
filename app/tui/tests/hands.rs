//! The mouse and the editor.

#![allow(clippy::unwrap_used)]

mod support;

use assay_tui::EditPlace;
use assay_tui::event::{Effect, Event, Loaded};
use assay_tui::options::{Lang, Options};
use assay_tui::state::variants::SortColumn;
use assay_tui::state::workloads::HeatSort;
use assay_tui::state::{Layer, Screen};
use support::dump;
use support::play::{Play, run};

/// Column and row of a text on the screen.
fn at(p: &Play, text: &str) -> (u16, u16) {
    let all = dump::plain(&p.state);
    let (y, line) = all
        .lines()
        .enumerate()
        .find(|(_, l)| l.contains(text))
        .unwrap();
    let before = &line[..line.find(text).unwrap()];
    (assay_core::text::width(before) as u16, y as u16)
}

fn click(p: &mut Play, text: &str) {
    let (x, y) = at(p, text);
    p.event(Event::Click(x, y));
}

#[test]
fn the_mouse_is_off_until_it_is_asked_for() {
    let mut p = run("");
    assert!(!p.state.mouse && p.effects.is_empty());
    p.keys("M");
    assert_eq!(p.effects, [Effect::Mouse(true)]);
    assert!(dump::plain(&p.state).contains("hold Shift"));
    p.keys("f12");
    assert_eq!(p.effects[1], Effect::Mouse(false));
    let options = Options {
        mouse: true,
        ..Options::default()
    };
    assert_eq!(Play::new(options, (80, 24)).effects, [Effect::Mouse(true)]);
}

#[test]
fn clicks_select_rows_screens_and_orders() {
    let mut p = run("");
    click(&mut p, "─unroll-8");
    assert_eq!(p.selected(), "unroll-8");
    click(&mut p, "─unroll-8");
    assert!(p.state.variants.detail_full, "a second click opens");
    p.keys("esc");
    click(&mut p, "ratio");
    assert_eq!(p.state.variants.sort, SortColumn::Ratio);
    click(&mut p, "ratio ▲");
    assert!(p.state.variants.reversed);
    click(&mut p, "5 History");
    assert_eq!(p.state.screen, Screen::History);
    click(&mut p, "accepted: twice as fast");
    assert_eq!(p.state.history.cursor.index, 2);
    for (screen, text) in [
        (Screen::Report, "8 Report"),
        (Screen::Jobs, "4 Jobs"),
        (Screen::Variants, "1 Variants"),
    ] {
        click(&mut p, text);
        assert_eq!(p.state.screen, screen);
    }
    // Over a layer a click does nothing, wherever it lands.
    p.keys("q x");
    let p2 = dump::plain(&p.state);
    for y in 0..40 {
        p.event(Event::Click(40, y));
    }
    assert_eq!(dump::plain(&p.state), p2);
}

#[test]
fn the_wheel_scrolls_what_it_is_over() {
    let mut p = run("g");
    p.event(Event::Wheel(1, 5, 5));
    assert_eq!(p.state.variants.cursor.index, 3);
    p.state.size = (120, 16);
    p.event(Event::Wheel(1, 110, 5));
    assert_eq!(
        (
            p.state.variants.cursor.index,
            p.state.variants.detail.scroll
        ),
        (3, 3)
    );
    p.keys("8");
    p.event(Event::Wheel(1, 5, 5));
    assert_eq!(p.state.report.scroll, 3);
    p.event(Event::Wheel(-1, 5, 5));
    p.keys("o");
    p.event(Event::Wheel(1, 5, 5));
    let Some(Layer::Pick(pick)) = p.state.layers.last() else {
        panic!()
    };
    assert_eq!(pick.cursor.index, 3);
}

#[test]
fn clicks_choose_cells_counters_and_lines() {
    // A click on a cell chooses it, a second one goes to what it rests on.
    let mut p = run("6");
    let name = at(&p, "fma");
    p.event(Event::Click(name.0, name.1));
    assert_eq!(p.state.workloads.current().unwrap().name, "fma");
    let (x, _) = at(&p, "square-512");
    p.event(Event::Click(x + 2, name.1));
    assert_eq!(p.state.workloads.workload(), Some("square-512"));
    assert_eq!(p.state.screen, Screen::Workloads);
    p.event(Event::Click(x + 2, name.1));
    assert_eq!(p.state.screen, Screen::Compare);
    // A click on the title of a workload sorts by it, a second one turns that around.
    let mut p = run("6");
    let (x, y) = at(&p, "square-512");
    p.event(Event::Click(x, y));
    assert_eq!(p.state.workloads.sort, HeatSort::Workload(1));
    p.event(Event::Click(x, y));
    assert!(p.state.workloads.reversed);

    let mut p = run("7");
    p.event(Event::Click(4, 6));
    let before = p.state.profile.cursor.index;
    assert!(before > 0);
    let rows = p.state.profile.rows.len();
    p.event(Event::Click(4, 6));
    assert!(p.state.profile.rows.len() < rows);

    let mut p = run("j j d");
    click(&mut p, "unchanged lines");
    let (row, rows) = (p.state.source.cursor.index, p.state.source.rows.len());
    assert!(row > 0);
    click(&mut p, "unchanged lines");
    assert!(p.state.source.rows.len() > rows);
}

#[test]
fn the_wheel_scrolls_the_pane_beside() {
    let mut p = run("7");
    let areas = assay_tui::layout::profile(assay_tui::layout::areas(p.state.size).body, false);
    let side = areas.side.unwrap();
    p.event(Event::Resize(120, 14));
    p.event(Event::Wheel(1, side.x + 4, 6));
    assert!(p.state.profile.doc.scroll > 0);
    assert_eq!(p.state.profile.cursor.index, 0);
    let mut p = run("8");
    p.event(Event::Wheel(1, 4, 6));
    assert_eq!(p.state.report.scroll, 3);
}

#[test]
fn clicks_anywhere_at_any_size_are_harmless() {
    for keys in ["", "enter", "8", "4", "5", "j d", "j c", "6", "7"] {
        for size in [(1, 1), (20, 5), (40, 12), (80, 24), (120, 40), (500, 200)] {
            let mut p = run(keys);
            p.event(Event::Resize(size.0, size.1));
            for y in (0..size.1 + 2).step_by(3) {
                for x in (0..size.0 + 2).step_by(7) {
                    p.event(Event::Click(x, y));
                    p.event(Event::Wheel(1, x, y));
                }
            }
            dump::buffer(&p.state);
        }
    }
}

#[test]
fn an_edit_ends_with_a_question() {
    let mut p = run("j E");
    assert_eq!(p.effects, [Effect::Edit("unroll-4".into())]);
    let place = EditPlace {
        editor: "vi".into(),
        folder: "/tree".into(),
        files: vec!["/tree/kernel.cu".into()],
    };
    let answer = Loaded::Edit("unroll-4".into(), Ok(place.clone()));
    p.event(Event::Loaded(answer));
    assert_eq!(p.effects[1], Effect::Editor("unroll-4".into(), place));
    p.event(Event::Edited("unroll-4".into(), Ok(())));
    assert!(dump::plain(&p.state).contains("Commit the edits?"));
    p.keys("enter");
    assert_eq!(p.effects[2], Effect::Commit("unroll-4".into()));
    assert!(dump::plain(&p.state).contains("committed as 0123456"));
    // Saying no leaves them in the work tree.
    p.event(Event::Edited("unroll-4".into(), Ok(())));
    p.keys("esc");
    assert_eq!(p.effects.len(), 3);
}

#[test]
fn an_edit_that_fails_is_told() {
    let mut p = Play::new(
        Options {
            lang: Lang::Zh,
            ..Options::default()
        },
        (80, 24),
    );
    p.keys("E");
    p.event(Event::Loaded(Loaded::Edit(
        "tile-64".into(),
        Err("no editor is set".into()),
    )));
    assert!(dump::plain(&p.state).contains("no editor is set"));
    p.event(Event::Edited(
        "tile-64".into(),
        Err("the editor `\x1b[2Jx` ended".into()),
    ));
    let text = dump::plain(&p.state);
    assert!(text.contains("\\x1b[2Jx"), "{text}");
    p.keys("esc");
    assert!(p.state.layers.is_empty());
}
