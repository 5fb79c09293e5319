//! Last row: the filter line, a notice, or the keys that matter here.

use assay_core::text::width;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::action::ACTIONS;
use crate::state::{Layer, Picked, Screen, State};
use crate::strings::fill;
use crate::theme::Role;
use crate::widget::field::Field;

/// Most hints shown: more is a wall that nobody reads.
const HINTS: usize = 8;

/// Draws the row; returns the cursor when the filter is being typed.
pub fn draw(state: &State, area: Rect, buf: &mut Buffer) -> Option<Position> {
    if let Some(Layer::Filter { field, .. }) = state.layers.last() {
        return filter(state, area, buf, field);
    }
    if let Some(Layer::Search { field, .. }) = state.layers.last() {
        return search(state, area, buf, field);
    }
    if let Some(n) = &state.notice {
        let role = if n.bad { Role::Bad } else { Role::Accent };
        let text = if n.bad {
            format!("! {}", n.text)
        } else {
            n.text.clone()
        };
        let text = state.theme.cut(&text, usize::from(area.width)).into_owned();
        put(
            &state.theme,
            buf,
            area,
            0,
            &Line::from(Span::styled(text, state.theme.style(role))),
        );
        return None;
    }
    put(
        &state.theme,
        buf,
        area,
        0,
        &hints(state, usize::from(area.width)),
    );
    None
}

fn filter(state: &State, area: Rect, buf: &mut Buffer, field: &Field) -> Option<Position> {
    let s = state.strings;
    let (shown, total, help) = match state.screen {
        Screen::Profile => (state.profile.shown, state.profile.total, s.filter_counters),
        _ => {
            let all = state.variants.list.value.as_ref();
            let total = all.map_or(0, |l| l.variants.len());
            (state.variants.rows.len(), total, s.filter_help)
        }
    };
    let mut found = fill(s.matches, &[&shown.to_string(), &total.to_string()]);
    let problem = match state.screen {
        Screen::Profile => None,
        _ => state.variants.filter.problem.as_ref(),
    };
    if let Some(p) = problem {
        // What was typed keeps a part of the row.
        let room = usize::from(area.width).saturating_sub(width(&found) + 22);
        let said = p.said(s);
        found = format!("! {}  {found}", state.theme.cut(&said, room));
    }
    line(state, area, buf, field, (s.filter_title, help, &found))
}

fn search(state: &State, area: Rect, buf: &mut Buffer, field: &Field) -> Option<Position> {
    let s = state.strings;
    let found = state
        .searched()
        .map_or_else(String::new, |t| t.find().count(s));
    line(
        state,
        area,
        buf,
        field,
        (s.search_title, s.search_help, &found),
    )
}

/// A line that is typed: its name before it, how much was found on the right.
fn line(
    state: &State,
    area: Rect,
    buf: &mut Buffer,
    field: &Field,
    (title, help, found): (&str, &str, &str),
) -> Option<Position> {
    let head = format!("{title}: ");
    let room = usize::from(area.width).saturating_sub(width(&head) + width(found) + 3);
    let (shown, cursor) = field.window(room, state.theme.gap());
    let mut spans = vec![Span::styled(head.clone(), state.theme.style(Role::Title))];
    if field.value().is_empty() {
        spans.push(Span::raw(" "));
        spans.push(Span::styled(
            state.theme.cut(help, room.saturating_sub(1)).into_owned(),
            state.theme.style(Role::Dim),
        ));
    } else {
        spans.push(Span::raw(shown));
    }
    put(&state.theme, buf, area, 0, &Line::from(spans));
    let x = area.right().saturating_sub(width(found) as u16);
    buf.set_stringn(
        x,
        area.y,
        found,
        usize::from(area.width),
        state.theme.style(Role::Dim),
    );
    let x = area
        .x
        .saturating_add((width(&head) + cursor) as u16)
        .min(area.right().saturating_sub(1));
    Some(Position { x, y: area.y })
}

/// Hints by priority, as many as fit; help is always the last.
fn hints(state: &State, columns: usize) -> Line<'static> {
    let context = state.context();
    if matches!(
        state.layers.last(),
        Some(Layer::Help(_) | Layer::Message { .. } | Layer::Record(_))
    ) {
        let hint = state.strings.text_hint;
        return Line::from(Span::styled(hint, state.theme.style(Role::Dim)));
    }
    // The same words as in the border of a list.
    let of_list = match state.layers.last() {
        Some(Layer::Evidence(_)) => Some(state.strings.evidence_hint),
        Some(Layer::Kernels(_)) => Some(state.strings.kernels_hint),
        Some(Layer::Pick(p)) if p.what == Picked::Columns => Some(state.strings.columns_hint),
        Some(Layer::Pick(_)) => Some(state.strings.pick_hint),
        _ => None,
    };
    if let Some(hint) = of_list {
        return Line::from(Span::styled(hint, state.theme.style(Role::Dim)));
    }
    let mut rows: Vec<_> = ACTIONS
        .iter()
        .filter(|a| {
            a.hint > 0 && a.live_in(context) && state.offers(a.action) && state.works(a.action)
        })
        .collect();
    rows.sort_by_key(|a| a.hint);
    let more = state.strings.more_keys;
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut used = width(more);
    for a in rows.into_iter().take(HINTS) {
        let key = state.options.keys.label(a.action);
        let title = a.title(state.options.lang);
        let needed = width(&key) + width(title) + 3;
        if used + needed > columns {
            break;
        }
        used += needed;
        spans.push(Span::styled(key, state.theme.style(Role::Accent)));
        spans.push(Span::styled(
            format!(" {title}  "),
            state.theme.style(Role::Dim),
        ));
    }
    if context != crate::action::Context::Layer {
        spans.push(Span::styled(more, state.theme.style(Role::Dim)));
    }
    Line::from(spans)
}
