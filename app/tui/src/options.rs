//! What the caller decides before the interface starts.

use std::borrow::Cow;

use assay_core::campaign::{ConfigError, Settings};

use crate::keymap::Keymap;

/// Language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// The language in which sources are spoken of.
    pub fn of_source(self) -> assay_source::said::Lang {
        match self {
            Self::En => assay_source::said::Lang::En,
            Self::Zh => assay_source::said::Lang::Zh,
        }
    }

    /// What a record, a view or an answer says, in this language; what nobody has translated stands
    /// as it is.
    pub fn said(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::En => assay_said::english(text),
            Self::Zh => assay_said::chinese(text),
        }
    }

    /// What a finding is about, in this language.
    pub fn about(self, subject: &str) -> Cow<'_, str> {
        match self {
            Self::En => subject.into(),
            Self::Zh => assay_said::chinese_subject(subject),
        }
    }

    /// The same as [`Self::said`] of a text of several lines, each by itself.
    pub fn said_lines(self, text: &str) -> String {
        let line = |l: &str| {
            let body = l.trim_start();
            format!("{}{}", &l[..l.len() - body.len()], self.said(body))
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// How many colours the terminal is trusted to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorLevel {
    /// No colours at all; bold, underline and reverse stay.
    None,
    /// The sixteen named colours of the terminal's own theme.
    #[default]
    Ansi16,
    /// The 256-colour palette.
    Ansi256,
    /// 24-bit colour.
    TrueColor,
}

impl ColorLevel {
    /// The level of a word of the settings; none for `auto`, which asks the environment.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "none" => Self::None,
            "16" => Self::Ansi16,
            "256" => Self::Ansi256,
            "true" => Self::TrueColor,
            _ => return None,
        })
    }
}

/// What lines of plots are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlotMarks {
    /// Dots of braille, eight a character.
    #[default]
    Braille,
    /// Halves of a character.
    HalfBlock,
    /// One dot a character.
    Ascii,
}

impl PlotMarks {
    /// The marks of a word of the settings.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "braille" => Self::Braille,
            "half-block" => Self::HalfBlock,
            _ => return None,
        })
    }
}

/// Where colours come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeName {
    /// The terminal's own sixteen colours.
    #[default]
    Terminal,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// For a dark background, without red against green.
    SafeDark,
    /// For a light background, without red against green.
    SafeLight,
}

impl ThemeName {
    /// The theme of a word of the settings.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "terminal" => Self::Terminal,
            "dark" => Self::Dark,
            "light" => Self::Light,
            "safe-dark" => Self::SafeDark,
            "safe-light" => Self::SafeLight,
            _ => return None,
        })
    }
}

/// What tells that a job has ended, beside the line at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notify {
    /// Nothing.
    #[default]
    Off,
    /// The bell of the terminal.
    Bell,
    /// A notification of the terminal (OSC 9).
    Desktop,
}

impl Notify {
    /// The way of a word of the settings.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "off" => Self::Off,
            "bell" => Self::Bell,
            "desktop" => Self::Desktop,
            _ => return None,
        })
    }
}

/// Options of the interface. The caller reads the environment; this crate never does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Language.
    pub lang: Lang,
    /// Only ASCII marks and lines, for terminals that draw ambiguous characters two columns wide.
    pub ascii: bool,
    /// What lines of plots are drawn with where more than ASCII may be.
    pub plot: PlotMarks,
    /// Theme.
    pub theme: ThemeName,
    /// How many colours.
    pub color_level: ColorLevel,
    /// The mouse scrolls and selects, and the terminal's own selection needs Shift.
    pub mouse: bool,
    /// Inside tmux, which keeps clipboard sequences to itself unless it is asked.
    pub tmux: bool,
    /// What tells that a job has ended.
    pub notify: Notify,
    /// Keys.
    pub keys: Keymap,
    /// What is wrong with the settings, told when the interface opens.
    pub faults: Option<String>,
}

impl Options {
    /// What the environment says, read through `get` so that this crate reads none itself.
    ///
    /// `LC_ALL`, `LC_MESSAGES`, `LANG` choose the language, the first that is set; a non-empty
    /// `NO_COLOR` drops colours; `COLORTERM` and `TERM` choose how many; a character set that is
    /// not UTF-8 asks for ASCII marks.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| get(name).filter(|v| !v.is_empty());
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|n| set(n))
            .unwrap_or_default();
        let charset = locale
            .split_once('.')
            .map_or("", |(_, c)| c)
            .to_ascii_lowercase();
        let none = set("NO_COLOR").is_some();
        let truecolor = matches!(set("COLORTERM").as_deref(), Some("truecolor" | "24bit"))
            || set("TERM").is_some_and(|t| t.ends_with("-direct"));
        let many = set("TERM").is_some_and(|t| t.ends_with("-256color"));
        Self {
            lang: if locale.starts_with("zh") {
                Lang::Zh
            } else {
                Lang::En
            },
            tmux: set("TMUX").is_some(),
            // The fonts of a Linux console have some 256 or 512 signs: neither braille nor eighths.
            ascii: (!charset.is_empty() && !charset.starts_with("utf"))
                || set("TERM").is_some_and(|t| t == "linux"),
            color_level: match (none, truecolor, many) {
                (true, ..) => ColorLevel::None,
                (_, true, _) => ColorLevel::TrueColor,
                (_, _, true) => ColorLevel::Ansi256,
                _ => ColorLevel::Ansi16,
            },
            ..Self::default()
        }
    }

    /// Takes what the file of the user sets. What is wrong with it is kept to be told.
    pub fn take(&mut self, settings: &Settings, file: &str, error: Option<ConfigError>) {
        match settings.language.as_deref() {
            Some("zh") => self.lang = Lang::Zh,
            Some(_) => self.lang = Lang::En,
            None => {}
        }
        let word = |of: &Option<String>| of.clone().unwrap_or_default();
        self.theme = ThemeName::of(&word(&settings.theme)).unwrap_or(self.theme);
        self.color_level = ColorLevel::of(&word(&settings.color)).unwrap_or(self.color_level);
        self.notify = Notify::of(&word(&settings.notify)).unwrap_or(self.notify);
        self.ascii = settings.ascii.unwrap_or(self.ascii);
        self.plot = PlotMarks::of(&word(&settings.plot)).unwrap_or(self.plot);
        self.mouse = settings.mouse.unwrap_or(self.mouse);
        let mut error = error.unwrap_or_else(|| ConfigError {
            file: file.to_owned(),
            problems: Vec::new(),
            more: 0,
        });
        error.problems.extend(self.keys.rebind(&settings.keys));
        error.problems.sort_by_key(|p| (p.line, p.column));
        self.faults = (!error.problems.is_empty()).then(|| error.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Options {
        Options::from_env(|n| {
            pairs
                .iter()
                .find(|(k, _)| *k == n)
                .map(|(_, v)| (*v).to_owned())
        })
    }

    #[test]
    fn a_linux_console_draws_what_its_fonts_have() {
        let at = |term| env(&[("TERM", term), ("LANG", "zh_CN.UTF-8")]).ascii;
        assert!(at("linux"));
        assert!(!at("xterm-256color") && !at("tmux-256color"));
    }

    #[test]
    fn the_environment_chooses() {
        assert_eq!(env(&[]), Options::default());
        assert_eq!(env(&[("LANG", "zh_CN.UTF-8")]).lang, Lang::Zh);
        assert_eq!(
            env(&[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")]).lang,
            Lang::En
        );
        assert_eq!(env(&[("LC_ALL", ""), ("LANG", "zh_CN")]).lang, Lang::Zh);
        assert!(env(&[("LANG", "en_US.ISO-8859-1")]).ascii);
        assert!(!env(&[("LANG", "en_US.utf8")]).ascii);
        for (pairs, level) in [
            (&[("NO_COLOR", "1")][..], ColorLevel::None),
            (&[("NO_COLOR", "")], ColorLevel::Ansi16),
            (
                &[("NO_COLOR", "1"), ("COLORTERM", "truecolor")],
                ColorLevel::None,
            ),
            (&[("TERM", "tmux-256color")], ColorLevel::Ansi256),
            (&[("TERM", "xterm-direct")], ColorLevel::TrueColor),
            (&[("TERM", "linux")], ColorLevel::Ansi16),
            (&[("COLORTERM", "24bit")], ColorLevel::TrueColor),
        ] {
            assert_eq!(env(pairs).color_level, level, "{pairs:?}");
        }
    }

    #[test]
    fn the_settings_go_before_the_environment() {
        let mut o = env(&[("NO_COLOR", "1"), ("LANG", "zh_CN.UTF-8")]);
        let text =
            "language = \"en\"\ncolor = \"true\"\ntheme = \"safe-light\"\nnotify = \"bell\"\n";
        let (settings, error) = Settings::read(text, "tui.toml");
        o.take(&settings, "tui.toml", error);
        assert_eq!((o.lang, o.color_level), (Lang::En, ColorLevel::TrueColor));
        assert_eq!((o.theme, o.notify), (ThemeName::SafeLight, Notify::Bell));
        assert_eq!(o.faults, None);
    }

    #[test]
    fn every_word_of_the_settings_is_known() {
        assert!(Settings::THEMES.iter().all(|w| ThemeName::of(w).is_some()));
        assert!(Settings::NOTIFY.iter().all(|w| Notify::of(w).is_some()));
        let levels = Settings::COLORS.iter().filter(|w| **w != "auto");
        assert!(levels.map(|w| ColorLevel::of(w)).all(|l| l.is_some()));
    }
}
