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
}
