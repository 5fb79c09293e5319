//! The one table of colours: what each theme has for each of them, at every number of colours.

use ratatui::style::Color;

use crate::options::{ColorLevel, ThemeName};

/// What a colour stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    /// To act on.
    Accent,
    /// Better, inserted.
    Good,
    /// Worse, deleted.
    Bad,
    /// Undecided, a warning.
    Warn,
    /// Moved.
    Moved,
    /// Word of a language.
    Keyword,
    /// Type or register.
    Name,
    /// Number or text.
    Literal,
}

/// A colour: one of the sixteen names, and red, green, blue where a theme brings its own.
#[derive(Debug, Clone, Copy)]
struct Ink(Color, Option<u32>);

const fn own(name: Color) -> Ink {
    Ink(name, None)
}

const fn ink(name: Color, rgb: u32) -> Ink {
    Ink(name, Some(rgb))
}

/// Themes by row, hues in the order of [`Hue`]. The colours are steps of the 256-colour cube, so
/// that they are the same with 256 colours and with more.
const PALETTES: [(ThemeName, [Ink; 8]); 5] = {
    use Color::*;
    [
        (
            ThemeName::Terminal,
            [
                own(Cyan),
                own(Green),
                own(Red),
                own(Yellow),
                own(Magenta),
                own(Blue),
                own(Cyan),
                own(Yellow),
            ],
        ),
        (
            ThemeName::Dark,
            [
                ink(Cyan, 0x5fd7d7),
                ink(Green, 0x87d75f),
                ink(LightRed, 0xff8787),
                ink(Yellow, 0xffd75f),
                ink(LightMagenta, 0xd7afff),
                ink(LightBlue, 0x87afff),
                ink(Cyan, 0x87d7d7),
                ink(Yellow, 0xffd7af),
            ],
        ),
        (
            ThemeName::Light,
            [
                ink(Blue, 0x005f87),
                ink(Green, 0x005f00),
                ink(Red, 0xaf0000),
                ink(Magenta, 0x5f5f00),
                ink(Magenta, 0x5f00af),
                ink(Blue, 0x0000af),
                ink(Blue, 0x005f5f),
                ink(Magenta, 0x870087),
            ],
        ),
        (
            ThemeName::SafeDark,
            [
                ink(LightCyan, 0xd7afd7),
                ink(LightBlue, 0x5fafff),
                ink(LightYellow, 0xffaf5f),
                ink(LightMagenta, 0xffff87),
                ink(LightMagenta, 0xd7afff),
                ink(LightCyan, 0xd7d7ff),
                ink(LightCyan, 0xafd7d7),
                ink(White, 0xd7d7af),
            ],
        ),
        (
            ThemeName::SafeLight,
            [
                ink(Magenta, 0x5f005f),
                ink(Blue, 0x005faf),
                ink(Red, 0x875f00),
                ink(Magenta, 0x5f5f5f),
                ink(Magenta, 0x5f00af),
                ink(Blue, 0x00005f),
                ink(Blue, 0x005f5f),
                ink(Black, 0x444444),
            ],
        ),
    ]
};

/// The colour of a theme; none where there are to be none.
pub fn color(theme: ThemeName, level: ColorLevel, hue: Hue) -> Option<Color> {
    let (_, inks) = PALETTES.iter().find(|(t, _)| *t == theme)?;
    let Ink(name, rgb) = inks[hue as usize];
    match (level, rgb) {
        (ColorLevel::None, _) => None,
        (ColorLevel::Ansi16, _) | (_, None) => Some(name),
        (ColorLevel::Ansi256, Some(rgb)) => Some(Color::Indexed(index(rgb))),
        (ColorLevel::TrueColor, Some(rgb)) => Some(Color::from_u32(rgb)),
    }
}

/// Text and background of a figure of a heat map, from -3, much less, to 3, much more.
///
/// Blue and orange, which those who see no red or green tell apart; each painted shade names both
/// colours, so that it can be read on a light and on a dark terminal.
pub fn heat(theme: ThemeName, level: ColorLevel, step: i8) -> Option<(Color, Option<Color>)> {
    let light = matches!(theme, ThemeName::Light | ThemeName::SafeLight);
    let (fg, bg) = match (level, step) {
        (ColorLevel::None, _) | (_, 0) => return None,
        (ColorLevel::Ansi16, ..=-3) => (Color::White, Some(Color::Blue)),
        (ColorLevel::Ansi16, -2..=-1) if light => (Color::Blue, None),
        (ColorLevel::Ansi16, -2..=-1) => (Color::Cyan, None),
        (ColorLevel::Ansi16, 1..=2) if light => (Color::Red, None),
        (ColorLevel::Ansi16, 1..=2) => (Color::Yellow, None),
        (ColorLevel::Ansi16, _) => (Color::Black, Some(Color::Yellow)),
        (_, ..=-3) => (Color::Indexed(231), Some(Color::Indexed(25))),
        (_, -2) => (Color::Indexed(16), Some(Color::Indexed(74))),
        (_, -1) => (Color::Indexed(16), Some(Color::Indexed(153))),
        (_, 1) => (Color::Indexed(16), Some(Color::Indexed(223))),
        (_, 2) => (Color::Indexed(16), Some(Color::Indexed(215))),
        (_, _) => (Color::Indexed(16), Some(Color::Indexed(208))),
    };
    Some((fg, bg))
}

/// The nearest colour of the 256-colour cube and its greys (xterm's table).
fn index(rgb: u32) -> u8 {
    const STEPS: [u32; 6] = [0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff];
    let parts = [rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff];
    let near = |v: u32| (0..6).min_by_key(|i| STEPS[*i].abs_diff(v)).unwrap_or(0);
    let [r, g, b] = parts.map(near);
    let away = |of: [u32; 3]| -> u32 {
        let each = of.iter().zip(parts);
        each.map(|(a, b)| a.abs_diff(b).pow(2)).sum()
    };
    let cube = (
        16 + 36 * r + 6 * g + b,
        away([STEPS[r], STEPS[g], STEPS[b]]),
    );
    let greys = (0..24).map(|i| (232 + i as usize, away([8 + 10 * i; 3])));
    let best = greys.fold(cube, |best, grey| if grey.1 < best.1 { grey } else { best });
    u8::try_from(best.0).unwrap_or(16)
}

#[cfg(test)]
mod tests;
