//! Searching: every text and list, the matches shown and counted.

#![allow(clippy::unwrap_used)]

mod support;

use assay_core::view::JobState;
use assay_tui::options::Options;
use assay_tui::state::{Layer, Screen};
use ratatui::style::Modifier;
use support::dump;
use support::jobs::job;
use support::play::Play;

fn at(size: (u16, u16), keys: &str) -> Play {
    let mut p = Play::new(Options::default(), size);
    p.keys(keys);
    p
}

/// The places on the screen that are underlined or reversed and hold a text.
fn shown(p: &Play, text: &str) -> usize {
    let (buf, _) = dump::buffer(&p.state);
    let mut found = 0;
    for y in 2..buf.area.height.saturating_sub(1) {
        let mut run = String::new();
        for x in 0..buf.area.width {
            let style = buf[(x, y)].style().add_modifier;
            if style.intersects(Modifier::UNDERLINED | Modifier::REVERSED) {
                run.push_str(buf[(x, y)].symbol());
            } else {
                run.push('\n');
            }
        }
        found += run.lines().filter(|r| r.to_lowercase() == text).count();
    }
    found
}

#[test]
fn every_text_is_searched() {
    for (keys, query) in [
        ("j j c", "square-256"),
        ("enter", "gates"),
        ("?", "screen"),
        ("8", "tile-64"),
        ("j j d", "tile"),
    ] {
        let p = at((120, 40), &format!("{keys} / \"{query}\""));
        let find = p.state.searched().unwrap().find();
        assert!(!find.hits.is_empty(), "{keys} {query}");
        let last = dump::plain(&p.state);
        let n = find.hits.len();
        let line = last.lines().last().unwrap();
        assert!(line.ends_with(&format!(" of {n}")), "{keys}: {line}");
        assert!(shown(&p, query) > 0, "{keys} {query}:\n{last}");
    }
}

#[test]
fn next_and_previous_go_around_and_esc_ends_it() {
    let mut p = at((80, 24), "j j c / \"square\" enter");
    let n = p.state.compare.doc.find.hits.len();
    assert!(n > 2, "{n}");
    p.keys("n");
    assert_eq!(p.state.compare.doc.find.at, 1);
    p.keys("N N");
    assert_eq!(p.state.compare.doc.find.at, n - 1);
    let title = dump::plain(&p.state).lines().nth(1).unwrap().to_owned();
    assert!(title.contains(&format!("/square {n} of {n}")), "{title}");
    p.keys("esc");
    assert!(!p.state.compare.doc.find.is_on());
    assert_eq!(p.state.screen, Screen::Compare);
    p.keys("esc");
    assert_eq!(p.state.screen, Screen::Variants);
}

#[test]
fn keys_that_mean_something_else_mean_the_search_while_it_lasts() {
    let mut p = at((120, 40), "j j d");
    p.keys("n");
    let hunk = p.state.source.cursor.index;
    p.keys("g / \"tile\" enter n");
    assert_eq!(p.state.source.find.at, 1);
    assert_eq!(Some(p.state.source.cursor.index), p.state.source.find.row());
    p.keys("esc g n");
    assert_eq!(p.state.source.cursor.index, hunk);
}

#[test]
fn a_match_that_is_folded_away_is_pointed_to() {
    let mut p = at((120, 40), "j j d / \"column_9\" enter");
    let none = p.state.source.find.hits.is_empty();
    assert!(
        none && p.state.source.has_folded(),
        "{:?}",
        p.state.source.find
    );
    assert!(dump::plain(&p.state).contains("z unfolds the others"));
    p.keys("z");
    assert!(!p.state.source.find.hits.is_empty());
}

#[test]
fn a_log_is_searched_from_its_end_and_grows_meanwhile() {
    let mut p = at((80, 24), "");
    p.fake.jobs.add(job("x", JobState::Running), "");
    let say = |p: &mut Play, line: String| {
        p.fake.jobs.print("job-x", &line);
        p.look_at_jobs();
    };
    for i in 0..200 {
        say(
            &mut p,
            format!("block {i}{}", if i % 50 == 0 { " WARNING" } else { "" }),
        );
    }
    p.keys("4");
    p.keys("/ \"warning\" enter");
    assert_eq!((p.state.jobs.find.at, p.state.jobs.find.hits.len()), (3, 4));
    assert!(dump::plain(&p.state).contains("block 150 WARNING"));
    assert_eq!(shown(&p, "warning"), 1);
    p.keys("N");
    assert!(dump::plain(&p.state).contains("block 100 WARNING"));
    say(&mut p, "another warning".into());
    assert_eq!(p.state.jobs.find.hits.len(), 5);
}

#[test]
fn lists_move_to_their_matches() {
    let mut p = at((120, 40), "6 / \"fma\" enter");
    assert_eq!(p.state.workloads.current().unwrap().name, "fma");
    p.keys("5 / \"reject\" enter");
    let row = p.state.history.cursor.index;
    assert_eq!(Some(row), p.state.history.find.row());
}

#[test]
fn findings_are_searched_where_they_stand_alone() {
    let mut p = at((80, 24), "7 v / \"roof\" enter");
    assert!(p.state.profile.doc.find.hits.len() > 1);
    assert!(p.state.profile.filter.is_empty());
    p.keys("n");
    assert_eq!(
        (p.state.profile.doc.find.at, p.state.profile.finding),
        (1, None)
    );
    // Beside them the counters have the filter.
    let p = at((120, 40), "7 / \"l2\" enter");
    assert_eq!(p.state.profile.filter, "l2");
}

#[test]
fn esc_in_the_line_goes_back_to_what_was_looked_for() {
    let mut p = at((80, 24), "? j j j");
    let Some(Layer::Help(doc)) = p.state.layers.last() else {
        panic!()
    };
    let before = doc.scroll;
    p.keys("/ \"quit\" esc");
    let Some(Layer::Help(doc)) = p.state.layers.last() else {
        panic!()
    };
    assert_eq!((doc.scroll, doc.find.is_on()), (before, false));
    // In a text over the screen Esc ends the search first, then closes.
    p.keys("/ \"quit\" enter esc");
    assert!(matches!(p.state.layers.last(), Some(Layer::Help(_))));
    p.keys("esc");
    assert!(p.state.layers.is_empty());
}

#[test]
fn a_wide_text_is_found_across_its_columns() {
    let p = at((80, 24), "5 / \"分块\"");
    assert!(!p.state.history.find.hits.is_empty());
    assert!(dump::plain(&p.state).contains("分块"));
}
