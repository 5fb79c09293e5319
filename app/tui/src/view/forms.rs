//! The forms: a decision with its evidence, and the declaration of a variant.
//!
//! ```text
//! +- Accept tile-64 -----------------------------+
//! | FASTER 0.913 (-8.7 %) [0.905-0.921]          |
//! | FAIL   spills  12 registers spilled          |
//! |                                              |
//! | reason: 8.7 % on all shapes_                 |
//! | override spills: why:                        |
//! | Enter confirms  Tab next field  Esc closes   |
//! +----------------------------------------------+
//! ```

use assay_core::record::DecisionKind;
use assay_core::text::{inert, width};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::document::parts::{self, Pen, wrap};
use crate::fmt;
use crate::layout;
use crate::state::{Decide, NewVariant, State};
use crate::strings::fill;
use crate::theme::{Role, verdict_role};
use crate::widget::boxed;
use crate::widget::field::Field;

/// Draws the form of a decision.
pub fn decide(state: &State, size: (u16, u16), d: &Decide, buf: &mut Buffer) -> Option<Position> {
    let s = state.strings;
    let title = match d.kind {
        DecisionKind::Accept => s.accept_title,
        DecisionKind::Reject => s.reject_title,
        _ => s.park_title,
    };
    let body = layout::areas(size).body;
    let columns = body.width.min(76);
    let above = evidence(state, d, columns.saturating_sub(4));
    let mut fields = vec![(format!("{}: ", s.reason), &d.reason)];
    for o in &d.overrides {
        let text = if o.optional {
            s.override_optional
        } else {
            s.override_for
        };
        fields.push((format!("{}: ", fill(text, &[&inert(&o.gate)])), &o.field));
    }
    let title = fill(title, &[&inert(&d.name)]);
    let note = note(state, d.saving, d.problem.as_deref());
    form(
        state, &title, above, &fields, d.focus, note, columns, buf, body,
    )
}

/// Draws the form that declares a variant.
pub fn new_variant(
    state: &State,
    size: (u16, u16),
    n: &NewVariant,
    buf: &mut Buffer,
) -> Option<Position> {
    let s = state.strings;
    let body = layout::areas(size).body;
    let columns = body.width.min(76);
    let parent = n.parent.as_deref().unwrap_or("HEAD");
    let above = vec![Line::from(Span::styled(
        state
            .theme
            .cut(
                &fill(s.new_parent, &[&inert(parent)]),
                usize::from(columns.saturating_sub(4)),
            )
            .into_owned(),
        state.theme.style(Role::Dim),
    ))];
    let fields = [
        (format!("{}: ", s.new_name), &n.fields[0]),
        (format!("{}: ", s.new_why), &n.fields[1]),
    ];
    let note = note(state, n.saving, n.problem.as_deref());
    form(
        state,
        s.new_title,
        above,
        &fields,
        n.focus,
        note,
        columns,
        buf,
        body,
    )
}

/// What the decision rests on: verdict, interval, gates that do not pass.
fn evidence(state: &State, d: &Decide, columns: u16) -> Vec<Line<'static>> {
    let s = state.strings;
    let pen = Pen {
        theme: state.theme,
        s,
        lang: state.options.lang,
        width: usize::from(columns),
    };
    let mut out = Vec::new();
    let Some(row) = state.variants.find(&d.name) else {
        return out;
    };
    let mut head = match &row.verdict {
        Some(w) => vec![pen.span(format!("{} ", inert(w)), verdict_role(w))],
        None => vec![pen.span(s.not_measured, Role::Warn)],
    };
    if let Some(r) = row.ratio {
        head.push(pen.span(
            format!("{} ({}) ", fmt::ratio(r), fmt::percent((r - 1.0) * 100.0)),
            Role::Plain,
        ));
    }
    if let Some(i) = row.interval {
        head.push(pen.span(format!("[{}] ", fmt::interval(i)), Role::Plain));
    }
    if let Some(a) = &row.against {
        head.push(pen.span(fill(s.against, &[&inert(a)]), Role::Dim));
    }
    out.push(Line::from(head));
    let open: Vec<_> = row
        .gates
        .iter()
        .filter(|g| g.pass != Some(true))
        .cloned()
        .collect();
    parts::gates(&pen, &mut out, &open);
    if open.is_empty() && !row.gates.is_empty() {
        let n = row.gates.len();
        out.push(pen.line(&format!("{} {}: {n}/{n}", s.gates, s.passed), Role::Good));
    }
    out
}

fn note(state: &State, saving: bool, problem: Option<&str>) -> (String, Role) {
    let s = state.strings;
    match problem {
        Some(p) => (inert(p).into_owned(), Role::Bad),
        None if saving => (s.saving.to_owned(), Role::Accent),
        None => (s.decide_hint.to_owned(), Role::Dim),
    }
}

/// Box, evidence, fields, note. When rows are short the evidence gives way, then the far fields.
#[allow(clippy::too_many_arguments)]
fn form(
    state: &State,
    title: &str,
    above: Vec<Line<'static>>,
    fields: &[(String, &Field)],
    focus: usize,
    note: (String, Role),
    columns: u16,
    buf: &mut Buffer,
    body: Rect,
) -> Option<Position> {
    let t = &state.theme;
    let inner = usize::from(columns.saturating_sub(4));
    let notes: Vec<String> = wrap(&note.0, inner).into_iter().take(3).collect();
    let wanted = above.len() + 1 + fields.len() + 1 + notes.len() + 2;
    let area = layout::centred(body, columns, u16::try_from(wanted).unwrap_or(u16::MAX));
    let inside = boxed::draw(buf, area, title, t);
    let height = usize::from(inside.height);
    let bottom = notes.len().min(height.saturating_sub(1));
    let shown_fields = fields.len().min(height - bottom);
    let gap = |n: usize, free: usize| usize::from(free > n);
    let mut free = height - bottom - shown_fields;
    let mut row = 0;
    let spare = gap(0, free);
    for l in above.iter().take(free.saturating_sub(spare)) {
        put(buf, inside, row, l);
        row += 1;
        free -= 1;
    }
    row += spare.min(free);
    let first = (focus + 1).saturating_sub(shown_fields);
    let mut cursor = None;
    for (i, (name, field)) in fields.iter().enumerate().skip(first).take(shown_fields) {
        let focused = i == focus;
        let name = t.cut(name, inner / 2).into_owned();
        let (text, at) = field.window(inner.saturating_sub(width(&name)));
        let role = if focused { Role::Title } else { Role::Dim };
        let line = Line::from(vec![
            Span::styled(name.clone(), t.style(role)),
            Span::raw(text),
        ]);
        put(buf, inside, row, &line);
        if focused && row < height {
            let x = inside.x.saturating_add((width(&name) + at) as u16);
            cursor = Some(Position {
                x: x.min(inside.right().saturating_sub(1)),
                y: inside.y + row as u16,
            });
        }
        row += 1;
    }
    for (i, l) in notes.iter().take(bottom).enumerate() {
        put(
            buf,
            inside,
            height - bottom + i,
            &Line::from(Span::styled(l.clone(), t.style(note.1))),
        );
    }
    cursor
}
