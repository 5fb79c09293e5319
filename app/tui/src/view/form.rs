//! The box of a form: evidence above, fields, a note below.

use assay_core::text::width;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::document::parts::wrap;
use crate::layout;
use crate::state::State;
use crate::theme::Role;
use crate::widget::boxed;
use crate::widget::field::Field;

/// Columns of a form where there is room.
const COLUMNS: u16 = 76;

/// What a form shows.
pub struct Form<'a> {
    /// In the border.
    pub title: String,
    /// What the decision rests on.
    pub above: Vec<Line<'static>>,
    /// Names and fields.
    pub fields: Vec<(String, &'a Field)>,
    /// The field that takes the keys.
    pub focus: usize,
    /// A problem, or what the keys do.
    pub note: (String, Role),
}

/// Columns inside the box on a screen of this size.
pub fn inner(size: (u16, u16)) -> u16 {
    layout::areas(size)
        .body
        .width
        .min(COLUMNS)
        .saturating_sub(4)
}

/// Draws it in the middle; returns the cursor. When rows are short the evidence gives way first,
/// then the fields far from the one in use.
pub fn draw(
    state: &State,
    size: (u16, u16),
    form: &Form<'_>,
    buf: &mut Buffer,
) -> Option<Position> {
    let columns = usize::from(inner(size));
    let notes: Vec<String> = wrap(&form.note.0, columns).into_iter().take(3).collect();
    let wanted = form.above.len() + 1 + form.fields.len() + 1 + notes.len() + 2;
    let wanted = u16::try_from(wanted).unwrap_or(u16::MAX);
    let area = layout::centred(layout::areas(size).body, COLUMNS, wanted);
    let inside = boxed::draw(buf, area, &form.title, &state.theme);
    let height = usize::from(inside.height);
    let below = notes.len().min(height.saturating_sub(1));
    let fields = form.fields.len().min(height - below);
    let free = height - below - fields;
    // An empty row parts the evidence from the fields when there is one to spare.
    let spare = usize::from(free > 0);
    evidence(state, inside, &form.above, free - spare, buf);
    let start = form.above.len().min(free - spare) + spare;
    let first = (form.focus + 1).saturating_sub(fields);
    let mut cursor = None;
    for (row, i) in (first..form.fields.len()).take(fields).enumerate() {
        let at = field(
            state,
            inside,
            start + row,
            &form.fields[i],
            i == form.focus,
            buf,
        );
        cursor = at.or(cursor);
    }
    for (i, l) in notes.iter().take(below).enumerate() {
        let line = Line::from(Span::styled(l.clone(), state.theme.style(form.note.1)));
        put(buf, inside, height - below + i, &line);
    }
    cursor
}

/// As many lines as fit; the last says how many do not.
fn evidence(state: &State, area: Rect, lines: &[Line<'static>], rows: usize, buf: &mut Buffer) {
    for (i, l) in lines.iter().take(rows).enumerate() {
        put(buf, area, i, l);
    }
    if lines.len() > rows && rows > 0 {
        let text = format!("  +{}", lines.len() - rows + 1);
        let line = Line::from(Span::styled(
            state.theme.left(&text, usize::from(area.width)),
            state.theme.style(Role::Warn),
        ));
        put(buf, area, rows - 1, &line);
    }
}

fn field(
    state: &State,
    area: Rect,
    row: usize,
    (name, field): &(String, &Field),
    focused: bool,
    buf: &mut Buffer,
) -> Option<Position> {
    let (t, columns) = (&state.theme, usize::from(area.width));
    let name = t.cut(name, columns / 2);
    let (text, at) = field.window(columns.saturating_sub(width(&name)));
    let role = if focused { Role::Title } else { Role::Dim };
    let line = Line::from(vec![
        Span::styled(name.as_ref(), t.style(role)),
        Span::raw(text),
    ]);
    put(buf, area, row, &line);
    if !focused || row >= usize::from(area.height) {
        return None;
    }
    let x = area.x.saturating_add((width(&name) + at) as u16);
    Some(Position {
        x: x.min(area.right().saturating_sub(1)),
        y: area.y + row as u16,
    })
}
