//! What the caller decides before the interface starts.

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
}

/// How many colours the terminal is trusted to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorLevel {
    /// The sixteen named colours of the terminal's own theme.
    #[default]
    Ansi16,
    /// The 256-colour palette.
    Ansi256,
    /// 24-bit colour.
    TrueColor,
}

/// Options of the interface. The caller reads the environment; this crate never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Language.
    pub lang: Lang,
    /// No colours at all; bold, underline and reverse stay.
    pub no_color: bool,
    /// Only ASCII marks and lines, for terminals that draw ambiguous characters two columns wide.
    pub ascii: bool,
    /// Colours to use when there are any.
    pub color_level: ColorLevel,
    /// The mouse scrolls and selects, and the terminal's own selection needs Shift.
    pub mouse: bool,
    /// Inside tmux, which keeps clipboard sequences to itself unless it is asked.
    pub tmux: bool,
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
        let truecolor = matches!(set("COLORTERM").as_deref(), Some("truecolor" | "24bit"));
        let many = set("TERM").is_some_and(|t| t.ends_with("-256color"));
        Self {
            lang: if locale.starts_with("zh") {
                Lang::Zh
            } else {
                Lang::En
            },
            mouse: false,
            tmux: set("TMUX").is_some(),
            no_color: set("NO_COLOR").is_some(),
            ascii: !charset.is_empty() && !charset.starts_with("utf"),
            color_level: match (truecolor, many) {
                (true, _) => ColorLevel::TrueColor,
                (false, true) => ColorLevel::Ansi256,
                (false, false) => ColorLevel::Ansi16,
            },
        }
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
        assert!(env(&[("NO_COLOR", "1")]).no_color && !env(&[("NO_COLOR", "")]).no_color);
        assert_eq!(
            env(&[("TERM", "tmux-256color")]).color_level,
            ColorLevel::Ansi256
        );
        assert_eq!(
            env(&[("COLORTERM", "truecolor")]).color_level,
            ColorLevel::TrueColor
        );
    }
}
