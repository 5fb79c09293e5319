//! Colours and glyphs by role.
//!
//! The default theme names only the sixteen colours of the terminal's own palette and paints no
//! background. Nothing is told by colour alone: selection is reversed and has a marker, verdicts
//! and gates are words.

use std::borrow::Cow;

use assay_core::text;
use ratatui::style::{Color, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::options::{ColorLevel, Options};

/// Styles and glyphs.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    no_color: bool,
    ascii: bool,
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
            no_color: options.no_color,
            ascii: options.ascii,
            level: options.color_level,
        }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        let base = Style::new();
        let style = match role {
            Role::Plain => base,
            Role::Dim => base.add_modifier(Modifier::DIM),
            Role::Title => base.add_modifier(Modifier::BOLD),
            Role::Accent => base.fg(Color::Cyan),
            Role::Good => base.fg(Color::Green),
            Role::Bad => base.fg(Color::Red),
            Role::Warn => base.fg(Color::Yellow),
            Role::Selected => base.add_modifier(Modifier::REVERSED),
            Role::Found => base.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Role::Insert => base.fg(Color::Green),
            Role::Delete => base.fg(Color::Red),
            Role::Moved => base.fg(Color::Magenta),
            Role::Keyword => base.fg(Color::Blue),
            Role::Name => base.fg(Color::Cyan),
            Role::Literal => base.fg(Color::Yellow),
            Role::InsertStrong => base
                .fg(Color::Green)
                .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Role::DeleteStrong => base
                .fg(Color::Red)
                .add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        };
        // Colours are left out here and not by the terminal library, whose own NO_COLOR handling
        // also resets bold and reverse.
        if self.no_color {
            Style {
                fg: None,
                bg: None,
                ..style
            }
        } else {
            style
        }
    }

    /// The style of a figure of a heat map: from -3, much less, to 3, much more; 0 is plain.
    ///
    /// Blue and orange, which those who see no red or green tell apart; each shade names both
    /// colours, so that it can be read on a light and on a dark terminal.
    pub fn heat(&self, step: i8) -> Style {
        let base = Style::new();
        if step == 0 {
            return base;
        }
        let strong = match step.abs() {
            1 => base,
            _ => base.add_modifier(Modifier::BOLD),
        };
        if self.no_color {
            return strong;
        }
        let (fg, bg) = match (self.level, step) {
            (ColorLevel::Ansi16, ..=-3) => (Color::White, Some(Color::Blue)),
            (ColorLevel::Ansi16, -2..=-1) => (Color::Cyan, None),
            (ColorLevel::Ansi16, 1..=2) => (Color::Yellow, None),
            (ColorLevel::Ansi16, _) => (Color::Black, Some(Color::Yellow)),
            (_, ..=-3) => (Color::Indexed(231), Some(Color::Indexed(25))),
            (_, -2) => (Color::Indexed(16), Some(Color::Indexed(74))),
            (_, -1) => (Color::Indexed(16), Some(Color::Indexed(153))),
            (_, 1) => (Color::Indexed(16), Some(Color::Indexed(223))),
            (_, 2) => (Color::Indexed(16), Some(Color::Indexed(215))),
            (_, _) => (Color::Indexed(16), Some(Color::Indexed(208))),
        };
        Style {
            bg,
            ..strong.fg(fg)
        }
    }

    /// Whether only ASCII is drawn.
    pub fn is_ascii(&self) -> bool {
        self.ascii
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

    /// Cuts text to `columns`; in ASCII mode the cut is marked with `~`.
    pub fn cut<'a>(&self, s: &'a str, columns: usize) -> Cow<'a, str> {
        let t = text::truncate(s, columns);
        match t {
            Cow::Owned(o) if self.ascii => {
                let mut o = o;
                if o.ends_with('…') {
                    o.pop();
                    o.push('~');
                }
                Cow::Owned(o)
            }
            t => t,
        }
    }

    /// Cuts the middle out of a name that is too long: names of workloads and counters differ at
    /// either end.
    pub fn squeeze(&self, name: &str, columns: usize) -> String {
        if text::width(name) <= columns || columns < 5 {
            return name.to_owned();
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
        format!("{}{}{}", head.concat(), self.pick("…", "~"), tail.concat())
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
