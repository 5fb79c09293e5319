//! The box of a form: evidence above, fields, a note below.

use assay_core::text::{inert, width};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::cut;
use crate::document::parts::wrap;
use crate::layout;
use crate::state::State;
use crate::theme::Role;
use crate::widget::boxed;
use crate::widget::field::Field;

/// Columns of a form where there is room.
const COLUMNS: u16 = 76;

/// Rows below a field that say what is wrong with it.
const FAULT: usize = 2;

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
    /// What is wrong with that field.
    pub fault: Option<&'a str>,
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
    let notes: Vec<String> = (form.note.0.lines())
        .flat_map(|l| indented(l, columns))
        .collect();
    let labels: Vec<Vec<String>> = form.fields.iter().map(|f| above(&f.0, columns)).collect();
    let lines = form.above.iter().cloned();
    let evidence: Vec<Line<'static>> = lines.flat_map(|l| cut::wrapped(l, columns)).collect();
    let fault = form.fault.map(|f| state.options.lang.said(f));
    let fault = fault.map(|f| wrap(&inert(&f), columns.saturating_sub(2)));
    let fault: Vec<String> = fault.into_iter().flatten().take(FAULT).collect();
    let below_field = |i: usize| if i == form.focus { fault.len() } else { 0 };
    let tall = |i: usize| labels.get(i).map_or(1, |l| l.len() + 1) + below_field(i);
    let all: usize = (0..form.fields.len()).map(tall).sum();
    let wanted = evidence.len() + 1 + all + 1 + notes.len() + 2;
    let wanted = u16::try_from(wanted).unwrap_or(u16::MAX);
    let area = layout::centred(layout::areas(size).body, COLUMNS, wanted);
    let inside = boxed::draw(buf, area, &form.title, &state.theme);
    let height = usize::from(inside.height);
    // The field in use comes before a long note.
    let below = notes.len().min(height.saturating_sub(tall(form.focus)));
    let room = height - below;
    let (mut first, mut fields) = (form.focus, tall(form.focus));
    let mut last = form.focus + 1;
    while last < form.fields.len() && first == 0 && fields + tall(last) <= room {
        fields += tall(last);
        last += 1;
    }
    while first > 0 && fields + tall(first - 1) <= room {
        first -= 1;
        fields += tall(first);
    }
    while last < form.fields.len() && fields + tall(last) <= room {
        fields += tall(last);
        last += 1;
    }
    let free = room.saturating_sub(fields);
    // An empty row parts the evidence from the fields when there is one to spare.
    let spare = usize::from(free > 0);
    above_fields(state, inside, &evidence, free - spare, buf);
    let mut row = evidence.len().min(free - spare) + spare;
    let mut cursor = None;
    for (i, named) in labels.iter().enumerate().take(last).skip(first) {
        let focused = i == form.focus;
        for l in named {
            let role = if focused { Role::Title } else { Role::Dim };
            let line = Line::from(Span::styled(l.clone(), state.theme.style(role)));
            put(&state.theme, buf, inside, row, &line);
            row += 1;
        }
        let name = if named.is_empty() {
            form.fields[i].0.as_str()
        } else {
            "  "
        };
        let at = field(state, inside, row, (name, form.fields[i].1), focused, buf);
        cursor = at.or(cursor);
        row += 1;
        for l in fault.iter().take(below_field(i)) {
            let style = state.theme.style(Role::Bad);
            put(
                &state.theme,
                buf,
                inside,
                row,
                &Line::from(Span::styled(format!("  {l}"), style)),
            );
            row += 1;
        }
    }
    let style = state.theme.style(form.note.1);
    for (i, l) in notes.iter().take(below).enumerate() {
        let cut = i + 1 == below && below < notes.len();
        let text = if cut {
            format!("  +{}", notes.len() - i)
        } else {
            l.clone()
        };
        put(
            &state.theme,
            buf,
            inside,
            height - below + i,
            &Line::from(Span::styled(text, style)),
        );
    }
    cursor
}

/// A line wrapped to the columns, what follows under its first word.
fn indented(line: &str, columns: usize) -> Vec<String> {
    let blanks = " ".repeat((line.len() - line.trim_start().len()).min(columns / 4));
    wrap(line.trim(), columns.saturating_sub(blanks.len()))
        .into_iter()
        .map(|l| format!("{blanks}{l}"))
        .collect()
}

/// The lines of a name that is too long to stand before its field.
fn above(name: &str, columns: usize) -> Vec<String> {
    if width(name) <= columns / 2 {
        return Vec::new();
    }
    wrap(name.trim_end(), columns)
}

/// As many lines as fit; the last says how many do not.
fn above_fields(state: &State, area: Rect, lines: &[Line<'static>], rows: usize, buf: &mut Buffer) {
    for (i, l) in lines.iter().take(rows).enumerate() {
        put(&state.theme, buf, area, i, l);
    }
    if lines.len() > rows && rows > 0 {
        let text = format!("  +{}", lines.len() - rows + 1);
        let line = Line::from(Span::styled(
            state.theme.left(&text, usize::from(area.width)),
            state.theme.style(Role::Warn),
        ));
        put(&state.theme, buf, area, rows - 1, &line);
    }
}

fn field(
    state: &State,
    area: Rect,
    row: usize,
    (name, field): (&str, &Field),
    focused: bool,
    buf: &mut Buffer,
) -> Option<Position> {
    let (t, columns) = (&state.theme, usize::from(area.width));
    let name = t.cut(name, columns / 2);
    let (text, at) = field.window(columns.saturating_sub(width(&name)), t.gap());
    let role = if focused { Role::Title } else { Role::Dim };
    let line = Line::from(vec![
        Span::styled(name.as_ref(), t.style(role)),
        Span::raw(text),
    ]);
    put(&state.theme, buf, area, row, &line);
    if !focused || row >= usize::from(area.height) {
        return None;
    }
    let x = area.x.saturating_add((width(&name) + at) as u16);
    Some(Position {
        x: x.min(area.right().saturating_sub(1)),
        y: area.y + row as u16,
    })
}
