//! What the user's file makes of the interface: keys in every place that shows them, themes, faults.

#![allow(clippy::unwrap_used)]

mod support;

use assay_core::campaign::Settings;
use assay_core::view::{JobState, JobView};
use assay_tui::Lang;
use assay_tui::event::Effect;
use assay_tui::options::{ColorLevel, Options, ThemeName};
use assay_tui::state::Layer;
use ratatui::style::Color;
use support::dump;
use support::jobs::job;
use support::play::Play;

fn with(text: &str) -> Options {
    let (settings, error) = Settings::read(text, "tui.toml");
    let mut options = Options::default();
    options.take(&settings, "tui.toml", error);
    options
}

fn play(text: &str, keys: &str) -> Play {
    let mut p = Play::new(with(text), (120, 40));
    p.keys(keys);
    p
}

const KEYS: &str = "[keys]\n\"variants.mark\" = \"m\"\nhelp = [\"f1\"]\n\"layer.close\" = \"ctrl-g\"\ncompare = \"V\"\nback = [\"ctrl-g\"]\n";

#[test]
fn bound_keys_do_what_they_say_and_are_shown_everywhere() {
    let p = play(KEYS, "m V");
    assert_eq!(p.state.compare.pair, ["tile-64", "unroll-4"]);
    let text = dump::plain(&play(KEYS, "").state);
    let hints = text.lines().last().unwrap();
    assert!(
        hints.contains("m Mark ") && hints.contains("V Compare"),
        "{hints}"
    );
    assert!(hints.ends_with("F1 help"), "{hints}");
    let help = dump::plain(&play(KEYS, "f1").state);
    assert!(help.contains("m                  Mark  "), "{help}");
    assert!(
        help.contains("Ctrl-g closes") && !help.contains("Esc closes"),
        "{help}"
    );
    let palette = dump::plain(&play(KEYS, ": \"mark\"").state);
    let row = palette
        .lines()
        .find(|l| l.contains("▌ Mark "))
        .unwrap()
        .to_owned();
    assert!(row.contains(" m "), "{row}");
    // Texts that name a key name the one that is bound.
    let form = dump::plain(&play(KEYS, "j x").state);
    assert!(form.contains("Ctrl-g closes"), "{form}");
    let p = play(KEYS, "f1 ctrl-g");
    assert!(p.state.layers.is_empty());
}

#[test]
fn the_usual_key_is_free_again() {
    let mut p = play(KEYS, "space");
    assert!(p.state.variants.marked.is_empty());
    p.keys("?");
    assert!(p.state.layers.is_empty());
}

#[test]
fn faults_are_told_once_and_nothing_else_is_lost() {
    let mut p = play(
        "theme = \"darkk\"\nmouse = true\n[keys]\nrun = \"j\"\nsuspnd = \"m\"\n",
        "",
    );
    let text = dump::plain(&p.state);
    for part in [
        "What is wrong with the settings",
        "tui.toml:1:9: theme: expected one of",
        "did you mean `dark`?",
        "tui.toml:4:1: keys.run: expected a key of its own, found `j`, which is the",
        "give `down` another key",
        "tui.toml:5:1: keys.suspnd: expected the name of an action",
        "did you mean `suspend`?",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(p.state.mouse);
    p.keys("esc j");
    assert!(p.state.layers.is_empty());
    assert_eq!(p.selected(), "unroll-4");
}

#[test]
fn themes_colour_the_same_screen() {
    let of = |theme, level| {
        let o = Options {
            theme,
            color_level: level,
            ..Options::default()
        };
        let p = Play::new(o, (120, 40));
        let (buf, _) = dump::buffer(&p.state);
        let used: std::collections::BTreeSet<String> = (buf.content.iter())
            .filter_map(|c| c.style().fg)
            .filter(|c| *c != Color::Reset)
            .map(|c| format!("{c:?}"))
            .collect();
        (dump::plain(&p.state), used)
    };
    let (plain, none) = of(ThemeName::Terminal, ColorLevel::None);
    assert!(none.is_empty());
    for theme in [
        ThemeName::Dark,
        ThemeName::Light,
        ThemeName::SafeDark,
        ThemeName::SafeLight,
    ] {
        let (text, used) = of(theme, ColorLevel::TrueColor);
        // The words are the same: nothing is told by colour alone.
        assert_eq!(text, plain);
        assert!(used.iter().all(|c| c.starts_with("Rgb")), "{used:?}");
        let (_, used) = of(theme, ColorLevel::Ansi256);
        assert!(used.iter().all(|c| c.starts_with("Indexed")), "{used:?}");
        let (_, used) = of(theme, ColorLevel::Ansi16);
        assert!(used.iter().all(|c| !c.contains('(')), "{used:?}");
    }
}

#[test]
fn the_end_of_a_job_is_told_when_it_is_asked_for() {
    let ends = |p: &mut Play| {
        let title = "run \x1b]2;x\x07".into();
        let running = JobView {
            title,
            ..job("x", JobState::Running)
        };
        p.fake.jobs.add(running, "");
        p.look_at_jobs();
        p.fake.jobs.end("job-x", JobState::Done, "FASTER 0.9");
        p.look_at_jobs();
    };
    let mut p = play("notify = \"bell\"\n", "");
    ends(&mut p);
    assert_eq!(
        p.effects,
        [Effect::Notify("run \\x1b]2;x\\x07: FASTER 0.9".into())]
    );
    let mut p = play("", "");
    ends(&mut p);
    assert_eq!(p.effects, []);
}

#[test]
fn the_language_is_that_of_the_file() {
    let p = play("language = \"zh\"\n", ":");
    assert_eq!(p.state.options.lang, Lang::Zh);
    assert!(matches!(p.state.layers.last(), Some(Layer::Palette(_))));
}

#[test]
fn pinyin_initials_find_actions() {
    let text = dump::plain(&play("language = \"zh\"\n", ": \"bj\"").state);
    assert!(text.contains("▌ 标记"), "{text}");
}
