//! Styles and glyphs by role; the colours are in `palette`.
//!
//! The default theme names only the sixteen colours of the terminal's own palette, and no theme
//! paints a background. Nothing is told by colour alone: selection is reversed and has a marker,
//! verdicts and gates are words, changes have signs.

mod palette;

use std::borrow::Cow;

use assay_core::text;
use palette::Hue;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::options::{ColorLevel, Options, PlotMarks, ThemeName};

/// Styles and glyphs.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    name: ThemeName,
    ascii: bool,
    plot: PlotMarks,
    level: ColorLevel,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Ordinary text.
    Plain,
    /// Less important text.
    Dim,
    /// Headings and column titles.
    Title,
    /// Something to act on: keys, links.
    Accent,
    /// Better, accepted, passed.
    Good,
    /// Worse, rejected, failed.
    Bad,
    /// Undecided, stale, warning.
    Warn,
    /// The selected row.
    Selected,
    /// What was searched for.
    Found,
    /// An inserted line.
    Insert,
    /// A deleted line.
    Delete,
    /// What changed inside an inserted line.
    InsertStrong,
    /// What changed inside a deleted line.
    DeleteStrong,
    /// A line that stands elsewhere on the other side.
    Moved,
    /// A word or instruction of a language.
    Keyword,
    /// A type, register or builtin.
    Name,
    /// A number or text.
    Literal,
}

impl Theme {
    /// The theme for these options.
    pub fn new(options: &Options) -> Self {
        Self {
            name: options.theme,
            ascii: options.ascii,
            plot: options.plot,
            level: options.color_level,
        }
    }

    /// The style of a role.
    ///
    /// Colours are left out here and not by the terminal library, whose own NO_COLOR handling also
    /// resets bold and reverse.
    pub fn style(&self, role: Role) -> Style {
        let (hue, modifier) = match role {
            Role::Plain => (None, Modifier::empty()),
            Role::Dim => (None, Modifier::DIM),
            Role::Title => (None, Modifier::BOLD),
            Role::Selected => (None, Modifier::REVERSED),
            Role::Found => (None, Modifier::BOLD | Modifier::UNDERLINED),
            Role::Accent => (Some(Hue::Accent), Modifier::empty()),
            Role::Good | Role::Insert => (Some(Hue::Good), Modifier::empty()),
            Role::Bad | Role::Delete => (Some(Hue::Bad), Modifier::empty()),
            Role::Warn => (Some(Hue::Warn), Modifier::empty()),
            Role::Moved => (Some(Hue::Moved), Modifier::empty()),
            Role::Keyword => (Some(Hue::Keyword), Modifier::empty()),
            Role::Name => (Some(Hue::Name), Modifier::empty()),
            Role::Literal => (Some(Hue::Literal), Modifier::empty()),
            Role::InsertStrong => (Some(Hue::Good), Modifier::BOLD | Modifier::UNDERLINED),
            Role::DeleteStrong => (Some(Hue::Bad), Modifier::BOLD | Modifier::UNDERLINED),
        };
        Style {
            fg: hue.and_then(|h| palette::color(self.name, self.level, h)),
            ..Style::new().add_modifier(modifier)
        }
    }

    /// The style of a figure of a heat map: from -3, much less, to 3, much more; 0 is plain.
    pub fn heat(&self, step: i8) -> Style {
        let strong = match step.abs() {
            0 | 1 => Modifier::empty(),
            _ => Modifier::BOLD,
        };
        let (fg, bg) = palette::heat(self.name, self.level, step).unzip();
        Style {
            fg,
            bg: bg.flatten(),
            ..Style::new().add_modifier(strong)
        }
    }

    /// What lines of plots are drawn with.
    pub fn plot(&self) -> PlotMarks {
        if self.ascii {
            PlotMarks::Ascii
        } else {
            self.plot
        }
    }

    /// Picks the glyph for this terminal.
    fn pick(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// Marker of the selected row, one column.
    pub fn marker(&self) -> &'static str {
        self.pick("▌", ">")
    }

    /// Mark of a row picked for comparison, one column.
    pub fn mark(&self) -> &'static str {
        self.pick("•", "+")
    }

    /// Mark of the champion, one column.
    pub fn champion(&self) -> &'static str {
        self.pick("★", "*")
    }

    /// Sign of less: a shorter time, one column.
    pub fn less(&self) -> &'static str {
        self.pick("▼", "v")
    }

    /// Sign of more: a longer time, one column.
    pub fn more(&self) -> &'static str {
        self.pick("▲", "^")
    }

    /// Vertical line between panes.
    pub fn bar(&self) -> &'static str {
        self.pick("│", "|")
    }

    /// What stands in the place of the line between panes where a line has moved, one column.
    pub fn moved(&self) -> &'static str {
        self.pick("↕", "~")
    }

    /// Mark before what is folded or unfolded, one column.
    pub fn fold(&self, open: bool) -> &'static str {
        if open {
            self.pick("▾", "v")
        } else {
            self.pick("▸", ">")
        }
    }

    /// Horizontal line.
    pub fn rule(&self) -> &'static str {
        self.pick("─", "-")
    }

    /// Tree pieces: vertical, branch, last branch; two columns each.
    pub fn tree(&self) -> [&'static str; 3] {
        if self.ascii {
            ["| ", "|-", "`-"]
        } else {
            ["│ ", "├─", "└─"]
        }
    }

    /// Heights of a histogram, empty first.
    pub fn heights(&self) -> &'static [&'static str] {
        if self.ascii {
            &[" ", ".", ":", "-", "=", "+", "*", "#", "@"]
        } else {
            &[" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        }
    }

    /// Done and open part of a progress bar.
    pub fn progress(&self) -> (&'static str, &'static str) {
        if self.ascii {
            ("#", ".")
        } else {
            ("█", "░")
        }
    }

    /// Corners and sides of a box: horizontal, vertical, top left, top right, bottom left, bottom right.
    pub fn frame(&self) -> [&'static str; 6] {
        if self.ascii {
            ["-", "|", "+", "+", "+", "+"]
        } else {
            ["─", "│", "┌", "┐", "└", "┘"]
        }
    }

    /// Cuts text to `columns` outside of any number, with a mark where it is cut.
    pub fn cut<'a>(&self, s: &'a str, columns: usize) -> Cow<'a, str> {
        match text::truncate(s, columns) {
            Cow::Owned(o) => {
                let kept = o.strip_suffix('…').map_or(o.len(), str::len);
                let end = crate::cut::before_number(s, kept);
                Cow::Owned(format!("{}{}", &s[..end], self.gap()))
            }
            whole => whole,
        }
    }

    /// What stands for what was left out, one column.
    pub fn gap(&self) -> &'static str {
        self.pick("…", "~")
    }

    /// Cuts the middle out of a name that is too long: names of workloads and counters differ at
    /// either end.
    pub fn squeeze(&self, name: &str, columns: usize) -> String {
        if text::width(name) <= columns || columns < 5 {
            return self.cut(name, columns).into_owned();
        }
        let take = |room: usize, graphemes: &mut dyn Iterator<Item = &str>| {
            let mut used = 0;
            let mut out: Vec<String> = Vec::new();
            for g in graphemes {
                used += text::width(g);
                if used > room {
                    break;
                }
                out.push(g.to_owned());
            }
            out
        };
        let before = (columns - 1) / 2;
        let head = take(before, &mut name.graphemes(true));
        let mut tail = take(columns - 1 - before, &mut name.graphemes(true).rev());
        tail.reverse();
        format!("{}{}{}", head.concat(), self.gap(), tail.concat())
    }

    /// Cuts and fills on the right.
    pub fn left(&self, s: &str, columns: usize) -> String {
        text::pad_right(&self.cut(s, columns), columns)
    }

    /// Cuts and fills on the left.
    pub fn right(&self, s: &str, columns: usize) -> String {
        text::pad_left(&self.cut(s, columns), columns)
    }
}

/// The role of a verdict word.
pub fn verdict_role(verdict: &str) -> Role {
    match verdict.to_ascii_uppercase().as_str() {
        "FASTER" => Role::Good,
        "SLOWER" => Role::Bad,
        "SAME" | "NO_GAIN" => Role::Plain,
        "UNDECIDED" | "INVALID" => Role::Warn,
        _ => Role::Dim,
    }
}

/// The role of a status word.
pub fn status_role(status: &str) -> Role {
    match status {
        "champion" | "accepted" => Role::Good,
        "failed" | "rejected" => Role::Bad,
        "contested" | "parked" | "rolled_back" => Role::Warn,
        "new" => Role::Dim,
        _ => Role::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        let of = |ascii| {
            Theme::new(&Options {
                ascii,
                ..Options::default()
            })
        };
        assert_eq!(of(false).squeeze("v4-flash-decode-s", 10), "v4-f…ode-s");
        assert_eq!(of(true).squeeze("v4-flash-decode-s", 10), "v4-f~ode-s");
        assert_eq!(of(false).squeeze("square", 8), "square");
        let wide = of(false).squeeze("工作负载工作负载", 9);
        assert_eq!((wide.as_str(), text::width(&wide)), ("工作…负载", 9));
    }
}
