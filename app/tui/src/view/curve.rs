//! The champion curve: the medians of the accepted versions as steps, and beside them the figures.
//!
//! ```text
//! Champion curve  median: square-256
//!  4.21 ms | a----.                      a base            4.210 ms
//!          |      |                      b tile-64         2.180 ms  0.518
//!  1.69 ms |      b-----c                c fma             1.690 ms  0.775
//! ```

use assay_core::text::inert;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use super::{PUBLISHED, variants};
use crate::fmt;
use crate::layout;
use crate::state::State;
use crate::state::curve::Point;
use crate::theme::Role;
use crate::widget::plot::Plot;

/// Columns of the times left of the plot.
const AXIS: usize = 11;
/// Columns of the figures beside it, without the name.
const FIGURES: usize = 24;

/// Draws it.
pub fn draw(state: &State, area: Rect, buf: &mut Buffer) {
    let (s, points) = (state.strings, &state.history.curve);
    if area.height < 3 {
        return;
    }
    let of = variants::median_title(state);
    pane::title(state, buf, area, s.curve, &[of, s.sessions.to_owned()]);
    let inside = layout::inside(area);
    let columns = usize::from(inside.width);
    let beside = (columns / 2).clamp(FIGURES + 8, FIGURES + 30).min(columns);
    let (plot, list) = layout::columns(inside, (columns - beside) as u16);
    steps(state, plot, points, buf);
    figures(state, list, points, buf);
}

/// The letter of a version; those beyond the alphabet share one.
fn letter(at: usize) -> char {
    match u8::try_from(at) {
        Ok(n) if n < 26 => char::from(b'a' + n),
        _ => '*',
    }
}

fn steps(state: &State, area: Rect, points: &[Point], buf: &mut Buffer) {
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    let known: Vec<(usize, f64)> = (points.iter().enumerate())
        .filter_map(|(i, p)| Some((i, p.ns.filter(|ns| *ns > 0.0)?)))
        .collect();
    let lo = known.iter().map(|p| p.1).reduce(f64::min);
    let hi = known.iter().map(|p| p.1).reduce(f64::max);
    let (Some(lo), Some(hi)) = (lo, hi) else {
        return;
    };
    if columns < AXIS + 8 || rows < 2 {
        return;
    }
    let mut plot = Plot::new(columns - AXIS, rows, state.theme.plot());
    // Each version has a step of its own; the times are logarithmic, so that a factor is a height.
    let span = (hi / lo).ln();
    let x = |i: usize| i as f64 / points.len() as f64;
    let y = |ns: f64| match span > 0.0 {
        true => 0.06 + 0.88 * (ns / lo).ln() / span,
        false => 0.5,
    };
    let mut before: Option<f64> = None;
    for (i, ns) in &known {
        let (from, to, at) = (x(*i), x(i + 1), y(*ns));
        if let Some(old) = before {
            plot.line((from, old), (from, at), 1);
        }
        plot.line((from, at), (to, at), 1);
        plot.letter((from + to) / 2.0, at, letter(*i));
        before = Some(at);
    }
    let t = &state.theme;
    for (i, row) in plot.rows().into_iter().enumerate() {
        let label = match i {
            0 => fmt::time_ns(hi),
            i if i + 1 == rows && span > 0.0 => fmt::time_ns(lo),
            _ => String::new(),
        };
        let head = format!(" {} {}", t.right(&label, AXIS - 3), t.bar());
        let mut spans = vec![Span::styled(head, t.style(Role::Dim))];
        spans.extend(row.into_iter().map(|(text, is_letter)| {
            let role = if is_letter { Role::Title } else { Role::Accent };
            Span::styled(text, t.style(role))
        }));
        put(&state.theme, buf, area, i, &Line::from(spans));
    }
}

/// The newest as far as there is room; how many come before them is said.
fn figures(state: &State, area: Rect, points: &[Point], buf: &mut Buffer) {
    let (t, s) = (&state.theme, state.strings);
    let name = usize::from(area.width).saturating_sub(FIGURES);
    let head = format!(
        "    {} {}  {}",
        t.left(s.col_name, name),
        t.right(s.col_median, 10),
        t.right(s.col_ratio, 7)
    );
    let head = Line::from(Span::styled(head, t.style(Role::Dim)));
    put(&state.theme, buf, area, 0, &head);
    let area = layout::rows(area, 1).1;
    let rows = usize::from(area.height);
    let cut = points.len() > rows;
    let shown = if cut { rows.saturating_sub(1) } else { rows };
    let first = points.len().saturating_sub(shown);
    if cut {
        let line = Line::from(Span::styled(format!("  +{first}"), t.style(Role::Dim)));
        put(&state.theme, buf, area, 0, &line);
    }
    for (i, (at, p)) in points.iter().enumerate().skip(first).enumerate() {
        let time = p.ns.map_or("-".into(), fmt::time_ns);
        let mark = if p.published { PUBLISHED } else { " " };
        let ratio = p.ratio.map_or_else(String::new, fmt::ratio);
        let crown = match state.variants.champion() == Some(p.name.as_str()) {
            true => t.champion(),
            false => " ",
        };
        let line = Line::from(vec![
            Span::styled(format!(" {} ", letter(at)), t.style(Role::Title)),
            Span::styled(crown, t.style(Role::Warn)),
            Span::raw(t.left(&inert(&p.name), name)),
            Span::raw(format!(" {} {mark}", t.right(&time, 10))),
            Span::styled(t.right(&ratio, 7), t.style(Role::Dim)),
        ]);
        put(&state.theme, buf, area, i + usize::from(cut), &line);
    }
}
