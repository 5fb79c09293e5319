//! The screen as text with its styles, which the test backend of ratatui leaves out.

use assay_tui::state::State;
use assay_tui::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};

/// Draws and returns the rows.
pub fn buffer(state: &State) -> (Buffer, Option<Position>) {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    let mut cursor = None;
    let done = terminal
        .draw(|f| {
            let area = f.area();
            cursor = view::render(state, area, f.buffer_mut());
        })
        .unwrap();
    let buf = done.buffer.clone();
    rows(&buf);
    (buf, cursor)
}

/// Rows as plain text, blanks at the end cut.
pub fn plain(state: &State) -> String {
    let (buf, _) = buffer(state);
    rows(&buf).join("\n")
}

fn rows(buf: &Buffer) -> Vec<String> {
    (0..buf.area.height)
        .map(|y| {
            let mut row = String::new();
            let mut skip = 0;
            for x in 0..buf.area.width {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                let symbol = buf[(x, y)].symbol();
                // A wide character hides what stands in the cell behind it.
                let hidden = assay_core::text::width(symbol) > 1;
                if hidden && x + 1 < buf.area.width {
                    assert_eq!(buf[(x + 1, y)].symbol(), " ", "row {y} column {x}");
                }
                skip = assay_core::text::width(symbol).saturating_sub(1);
                row.push_str(symbol);
            }
            row.trim_end().to_owned()
        })
        .collect()
}

/// Rows as text; below each row that has styles a row of letters: bold B, dim d, underlined U,
/// reversed R, red r, green g, yellow y, cyan c, on blue b, on yellow o; several on one cell show the first of them.
pub fn styled(state: &State) -> String {
    let (buf, cursor) = buffer(state);
    let mut out = String::new();
    for (y, row) in rows(&buf).into_iter().enumerate() {
        out.push_str(&format!("|{row}\n"));
        let marks: String = (0..buf.area.width)
            .map(|x| letter(buf[(x, y as u16)].style()))
            .collect();
        if !marks.trim().is_empty() {
            out.push_str(&format!(" {}\n", marks.trim_end()));
        }
    }
    if let Some(p) = cursor {
        out.push_str(&format!("cursor {},{}\n", p.x, p.y));
    }
    out
}

fn letter(style: Style) -> char {
    let m = style.add_modifier;
    if m.contains(Modifier::REVERSED) {
        return 'R';
    }
    if m.contains(Modifier::UNDERLINED) {
        return 'U';
    }
    // Painted cells, which only the heat map has.
    match style.bg {
        Some(Color::Blue) => return 'b',
        Some(Color::Yellow) => return 'o',
        _ => {}
    }
    match style.fg {
        Some(Color::Red) => 'r',
        Some(Color::Green) => 'g',
        Some(Color::Yellow) => 'y',
        Some(Color::Cyan) => 'c',
        _ if m.contains(Modifier::BOLD) => 'B',
        _ if m.contains(Modifier::DIM) => 'd',
        _ => ' ',
    }
}
