//! What the screens look like.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::Duration;

use assay_core::view::{JobState, JobView};
use assay_tui::event::Event;
use assay_tui::options::{ColorLevel, Lang, Options};
use support::dump;
use support::jobs::job;
use support::play::Play;

fn options(lang: Lang) -> Options {
    Options {
        lang,
        ..Options::default()
    }
}

/// Every screen and layer by the keys that lead there.
const SCREENS: &[(&str, &str)] = &[
    ("variants", ""),
    ("marked", "space j space"),
    ("filter", "/ \"verdict:faster\""),
    ("detail", "enter"),
    ("compare", "j j c"),
    ("source", "j j d"),
    ("generated", "j j d t n"),
    ("statements", "j j d t"),
    ("kernels", "j j d t o"),
    ("unfolded", "j j d t z Z } } f"),
    ("workloads", "6"),
    ("intervals", "6 j l v o"),
    ("profile", "7"),
    ("finding", "7 n n"),
    ("counters", "7 ] s / \"l2\" enter"),
    ("alone", "g 7 v"),
    ("history", "5 j"),
    ("jobs", "4"),
    ("columns", "C j j j space"),
    ("own_columns", "C j j j space G space esc l l"),
    ("export_view", "w"),
    ("export_counters", "7 w"),
    ("mouse", "M"),
    ("report", "8"),
    ("report_found", "8 / \"tile-64\" enter n"),
    ("report_scrolled", "8 ] ] ] l l"),
    ("report_chapters", "8 ] o j"),
    ("report_other_language", "8 t"),
    ("report_checks", "8 i"),
    ("report_export", "8 w j space"),
    ("report_written", "8 w j space enter"),
    ("help", "?"),
    ("palette", ": \"sort\""),
    ("copy", "y j"),
    ("searched", "j j c / \"square\" enter n"),
    ("searching", "j j d / \"tile\""),
    ("filter_fault", "/ \"verdit:f\""),
    ("accept", "j j a \"good on all sizes\" enter"),
    ("accepted", "j j j a \"good\" enter"),
    ("reject", "j x"),
    ("new", "n"),
    ("evidence", "e j"),
    ("record", "5 e"),
    ("accept_missing", "j a enter"),
];

fn snapshots(size: (u16, u16)) {
    for lang in [Lang::En, Lang::Zh] {
        for (name, keys) in SCREENS {
            let mut play = Play::new(options(lang), size);
            play.keys(keys);
            let (w, h) = size;
            let name = format!(
                "{name}_{}_{w}x{h}",
                if lang == Lang::En { "en" } else { "zh" }
            );
            insta::assert_snapshot!(name, dump::styled(&play.state));
        }
    }
}

#[test]
fn at_80_columns() {
    snapshots((80, 24));
}

#[test]
fn at_120_columns() {
    snapshots((120, 40));
}

#[test]
fn at_200_columns() {
    snapshots((200, 60));
}

/// The curve has the figures beside it, gives way where there is no room, and every kind of mark draws it.
#[test]
fn the_champion_curve_stands_above_the_history() {
    use assay_tui::PlotMarks;
    let at = |size, plot, ascii| {
        let options = Options {
            plot,
            ascii,
            ..Options::default()
        };
        let mut play = Play::new(options, size);
        play.keys("5");
        dump::plain(&play.state)
    };
    let text = at((120, 40), PlotMarks::Braille, false);
    for part in [
        "Champion curve  median: geometric mean of 2 workloads  medians of different rows",
        "variant",
        "median    ratio",
        "a  base",
        "★ tile-64",
        "6.204 ms",
        "0.518",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let braille = |t: &str| t.chars().any(|c| matches!(c, '\u{2801}'..='\u{28ff}'));
    assert!(braille(&text));
    let half = at((120, 40), PlotMarks::HalfBlock, false);
    assert!(!braille(&half) && half.contains('▄'), "{half}");
    let ascii = at((120, 40), PlotMarks::HalfBlock, true);
    assert!(!ascii.contains('▄') && ascii.contains("...."), "{ascii}");
    for size in [(120, 15), (50, 40)] {
        let text = at(size, PlotMarks::Braille, false);
        assert!(
            !text.contains("Champion curve") && text.contains("History"),
            "{text}"
        );
    }
    // Another median is another curve.
    let mut play = Play::new(Options::default(), (120, 40));
    play.keys("5 u");
    assert!(dump::plain(&play.state).contains("median: square-256"));
}

#[test]
fn published_figures_are_marked() {
    for (w, h) in [(80, 24), (120, 40)] {
        for (lang, code) in [(Lang::En, "en"), (Lang::Zh, "zh")] {
            for (name, keys) in [
                ("variants", ""),
                ("history", "5"),
                ("help", "5 ?"),
                ("workloads", "6"),
            ] {
                let fake = support::Fake::with(support::published::list());
                let mut play = Play::with(fake, options(lang), (w, h));
                play.keys(keys);
                let name = format!("published_{name}_{code}_{w}x{h}");
                insta::assert_snapshot!(name, dump::styled(&play.state));
            }
        }
    }
}

#[test]
fn the_detail_stands_below_on_a_tall_screen() {
    let play = Play::new(options(Lang::En), (80, 40));
    insta::assert_snapshot!("variants_en_80x40", dump::styled(&play.state));
}

#[test]
fn a_narrow_screen_has_one_pane() {
    let play = Play::new(options(Lang::Zh), (40, 12));
    insta::assert_snapshot!("variants_zh_40x12", dump::styled(&play.state));
}

#[test]
fn jobs_running_and_ended() {
    let mut play = Play::new(options(Lang::En), (80, 24));
    let jobs = &play.fake.jobs;
    jobs.add(
        JobView {
            result: Some("tile-32: FASTER against base".into()),
            ..job("tile-32", JobState::Done)
        },
        "== tile-32: bench\nall blocks done\n",
    );
    jobs.add(job("base", JobState::Lost), "");
    jobs.add(
        JobView {
            result: Some("fma: compile in build: exit code 1\nk.c:3: error: x".into()),
            ..job("fma", JobState::Failed)
        },
        "== fma: build\n",
    );
    let lines: String = (0..30).map(|i| format!("block {i}: 812 us\n")).collect();
    jobs.add(job("分块", JobState::Running), &lines);
    jobs.add(
        JobView {
            phase: None,
            elapsed_ns: None,
            left_ns: None,
            total: 0,
            ..job("unroll-4", JobState::Queued)
        },
        "",
    );
    play.look_at_jobs();
    play.keys("4 j");
    play.event(Event::Tick(Duration::from_secs(83)));
    insta::assert_snapshot!("jobs_running_80x24", dump::styled(&play.state));
    play.keys("j");
    insta::assert_snapshot!("jobs_failed_80x24", dump::styled(&play.state));
    play.keys("j");
    insta::assert_snapshot!("jobs_lost_80x24", dump::styled(&play.state));
    play.keys("1 q");
    insta::assert_snapshot!("jobs_quit_80x24", dump::styled(&play.state));
}

#[test]
fn side_by_side_at_160_columns() {
    let mut play = Play::new(options(Lang::En), (160, 24));
    play.keys("j j d");
    insta::assert_snapshot!("source_en_160x24", dump::styled(&play.state));
}

#[test]
fn statements_stand_above_the_facts_that_differ() {
    let mut play = Play::new(options(Lang::En), (120, 40));
    play.keys("j j d t");
    let text = dump::styled(&play.state);
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part} in {text}"))
    };
    let order = [
        at("! B: built twice"),
        at("- widest vector: 128 -> 256 bits"),
        at("vector.width_bits 128 -> 256 bits"),
        at("goes with instructions -40.0 % (inst.total)"),
        at("inst.total 1,000 -> 600 count (-40.0 %)"),
        at("no counter of both sides to read with vector.fma"),
        at("Facts that differ (1)"),
        at("kernel.cu  hunks: 2"),
    ];
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn ascii_without_colours() {
    let o = Options {
        ascii: true,
        color_level: ColorLevel::None,
        ..Options::default()
    };
    let mut play = Play::new(o, (80, 24));
    play.keys("j");
    let text = dump::styled(&play.state);
    for row in text
        .lines()
        .filter(|r| r.starts_with('|') && !r.contains('分'))
    {
        assert!(row.is_ascii(), "{row}");
    }
    let (buf, _) = dump::buffer(&play.state);
    assert!(buf.content.iter().all(|c| {
        c.style()
            .fg
            .is_none_or(|f| f == ratatui::style::Color::Reset)
    }));
    insta::assert_snapshot!("ascii_80x24", text);
}

#[test]
fn nothing_active_reaches_the_screen() {
    for (_, keys) in SCREENS {
        let mut play = Play::new(options(Lang::En), (200, 60));
        play.keys(keys);
        let (buf, _) = dump::buffer(&play.state);
        for cell in &buf.content {
            assert_eq!(assay_core::text::inert(cell.symbol()), cell.symbol());
        }
    }
}

#[test]
fn columns_stay_aligned_with_wide_names() {
    let play = Play::new(options(Lang::Zh), (120, 40));
    let (buf, _) = dump::buffer(&play.state);
    let bar: Vec<bool> = (2..30).map(|y| buf[(80, y)].symbol() == "│").collect();
    assert!(bar.iter().all(|b| *b), "{bar:?}");
}
