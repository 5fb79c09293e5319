//! A screen as a picture: keys are played against a backend, and what they lead to is drawn as SVG.
//!
//! Nothing depends on the machine: no fonts are embedded, and every run of text is given its width
//! in columns, so that wide characters take two of them in any font.

use std::fmt::Write;

use assay_core::text::width;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::Backend;
use crate::event::{Effect, Event};
use crate::keymap::Key;
use crate::options::Options;
use crate::runtime::executor::answer_to;
use crate::state::State;
use crate::update::{start, update};
use crate::view;

/// Size of a cell and of the text in it, in pixels.
const CELL: (f64, f64) = (8.4, 17.0);
const FONT: f64 = 14.0;
/// Pixels around the screen.
const MARGIN: f64 = 10.0;
/// Colours of the terminal itself.
const PAPER: &str = "#16181d";
const INK: &str = "#d8dce3";
/// The sixteen named colours, as terminals with a dark ground show them.
const NAMED: [&str; 16] = [
    "#3b4048", "#f07178", "#98c379", "#e5c07b", "#61a6f0", "#c792ea", "#56b6c2", "#c8ccd4",
    "#6b7280", "#ff8b92", "#b5e890", "#ffd68a", "#82bdff", "#ddb3ff", "#7fdbe6", "#ffffff",
];

/// The screen that keys lead to, as SVG: names of keys in blanks, or text in quotes.
///
/// # Errors
/// When a key has no such name.
pub fn picture(
    backend: &dyn Backend,
    options: Options,
    size: (u16, u16),
    keys: &str,
) -> Result<String, String> {
    let state = play(backend, options, size, keys)?;
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buf = Buffer::empty(area);
    view::render(&state, area, &mut buf);
    Ok(svg(&buf))
}

fn play(
    backend: &dyn Backend,
    options: Options,
    size: (u16, u16),
    keys: &str,
) -> Result<State, String> {
    let mut state = State::new(options, size);
    let effects = start(&mut state);
    answer(&mut state, backend, effects);
    let read_only = Event::ReadOnly(backend.read_only());
    for event in [read_only, Event::Jobs(backend.jobs())] {
        let effects = update(&mut state, event);
        answer(&mut state, backend, effects);
    }
    for (i, part) in keys.split('"').enumerate() {
        let typed = |c| Key {
            code: KeyCode::Char(c),
            modifiers: KeyModifiers::NONE,
        };
        let pressed: Vec<Key> = if i % 2 == 1 {
            part.chars().map(typed).collect()
        } else {
            let named = |name| Key::parse(name).ok_or_else(|| format!("no key is named `{name}`"));
            part.split_whitespace()
                .map(named)
                .collect::<Result<_, _>>()?
        };
        for key in pressed {
            let event = Event::Key(KeyEvent::new(key.code, key.modifiers));
            let effects = update(&mut state, event);
            answer(&mut state, backend, effects);
        }
    }
    state.notice = None;
    Ok(state)
}

/// Answers what is asked for; nothing is written, run or copied.
fn answer(state: &mut State, backend: &dyn Backend, effects: Vec<Effect>) {
    let mut todo = effects;
    while !todo.is_empty() {
        let mut next = Vec::new();
        for effect in todo {
            if let Effect::Load(load) = effect {
                let event = Event::Loaded(answer_to(backend, load));
                next.extend(update(state, event));
            }
        }
        todo = next;
    }
}

/// Colours and weight of a cell.
#[derive(PartialEq)]
struct Look {
    ink: String,
    paper: Option<String>,
    modifier: Modifier,
}

fn svg(buf: &Buffer) -> String {
    let (w, h) = (f64::from(buf.area.width), f64::from(buf.area.height));
    let (w, h) = (w * CELL.0 + 2.0 * MARGIN, h * CELL.1 + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', Menlo, Consolas, monospace\" \
         font-size=\"{FONT}\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{PAPER}\"/>\n"
    );
    for y in 0..buf.area.height {
        row(buf, y, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// Runs of cells that look alike, each with its place and its width.
fn row(buf: &Buffer, y: u16, out: &mut String) {
    let mut x = 0;
    while x < buf.area.width {
        let first = look(&buf[(x, y)]);
        let (from, mut text) = (x, String::new());
        let mut wide = None;
        while x < buf.area.width && look(&buf[(x, y)]) == first {
            let symbol = buf[(x, y)].symbol();
            let columns = width(symbol).max(1);
            // Wide and narrow characters are stretched apart from each other.
            if *wide.get_or_insert(columns > 1) != (columns > 1) {
                break;
            }
            text.push_str(symbol);
            x += columns as u16;
        }
        run(out, &first, &text, (from, y), x - from);
    }
}

fn run(out: &mut String, look: &Look, text: &str, at: (u16, u16), columns: u16) {
    let px = |columns: u16| f64::from(columns) * CELL.0;
    let (x, y) = (MARGIN + px(at.0), MARGIN + f64::from(at.1) * CELL.1);
    if let Some(paper) = &look.paper {
        let (w, h) = (px(columns), CELL.1);
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"{paper}\"/>"
        );
    }
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let shown = text.trim_matches(' ');
    if shown.is_empty() {
        return;
    }
    let (x, y) = (x + px(blanks as u16), y + CELL.1 * 0.76);
    let length = px(width(shown) as u16);
    let mut style = format!("fill=\"{}\"", look.ink);
    for (modifier, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::DIM, " opacity=\"0.65\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if look.modifier.contains(modifier) {
            style.push_str(attribute);
        }
    }
    let shown = shown
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace(' ', "\u{a0}");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" {style}>{shown}</text>"
    );
}

fn look(cell: &Cell) -> Look {
    let style = cell.style();
    let colour = |c: Option<Color>| c.and_then(hex);
    let (ink, paper) = (colour(style.fg), colour(style.bg));
    let modifier = style.add_modifier;
    let (ink, paper) = match modifier.contains(Modifier::REVERSED) {
        true => (
            paper.unwrap_or_else(|| PAPER.into()),
            Some(ink.unwrap_or_else(|| INK.into())),
        ),
        false => (ink.unwrap_or_else(|| INK.into()), paper),
    };
    Look {
        ink,
        paper,
        modifier,
    }
}

/// A colour as SVG has it; nothing for that of the terminal itself.
fn hex(colour: Color) -> Option<String> {
    let named = |i: usize| Some(NAMED[i].to_owned());
    match colour {
        Color::Reset => None,
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Indexed(i) => Some(indexed(i)),
    }
}

/// A colour of the palette of 256: sixteen named, a cube of six steps a side, greys.
fn indexed(i: u8) -> String {
    let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match i {
        0..16 => NAMED[usize::from(i)].to_owned(),
        16..232 => {
            let n = i - 16;
            let (r, g, b) = (step(n / 36), step(n / 6 % 6), step(n % 6));
            format!("#{r:02x}{g:02x}{b:02x}")
        }
        232.. => {
            let grey = 8 + 10 * (i - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}
