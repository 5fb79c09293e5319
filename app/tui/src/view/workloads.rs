//! The Workloads screen: a heat map of ratios, and the cell at hand.
//!
//! ```text
//! Workloads  5 x 15  sort lineage  time / reference, below 1 is faster
//!    variant    geomean win/loss     small   medium    large
//! >* tile-64    v 0.518      2/0  v 0.620 [v 0.433]        -
//!    fma        ^ 1.043!     0/1  ~ 0.998  ^ 1.101!        -
//! ------------------------------------------------------------
//! tile-64 / base  medium
//!   0.433 (-56.7 %) [0.430-0.436]  faster
//! ```

use assay_core::text::inert;
use assay_core::view::{HeatRow, Side, WorkloadVerdictView};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::PUBLISHED;
use super::pane::{self, put};
use crate::fmt;
use crate::layout;
use crate::state::State;
use crate::state::workloads::{CellShows, HeatFrame, HeatSort, RATIO};
use crate::strings::fill;
use crate::theme::Role;
use crate::widget::names;

/// Draws the map and the cell at hand.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (w, s) = (&state.workloads, state.strings);
    let (map, detail) = layout::workloads(body);
    pane::title(state, buf, map, s.workloads, &remarks(state, map.width));
    if w.slot.value.is_none() || w.rows.is_empty() {
        let hint = state.hint(s.no_heat, s.no_heat_here);
        pane::missing(state, buf, layout::inside(map), &w.slot, hint);
        return;
    }
    let frame = w.frame(map.width);
    put(
        &state.theme,
        buf,
        layout::inside(map),
        0,
        &head(state, &frame),
    );
    let rows = layout::table_rows(map);
    let end = (w.row.offset + usize::from(rows.height)).min(w.rows.len());
    let labels: Vec<String> = (w.row.offset..end)
        .filter_map(|at| w.at(at).map(|r| w.label(r)))
        .collect();
    let wanted: Vec<(&str, usize)> = labels.iter().map(|l| (l.as_str(), frame.name)).collect();
    let references: Vec<String> = (w.row.offset..end)
        .filter_map(|at| w.at(at).map(|r| inert(&r.against).into_owned()))
        .collect();
    let room = frame.against.saturating_sub(1);
    let against: Vec<(&str, usize)> = references.iter().map(|r| (r.as_str(), room)).collect();
    let names = names::shorten(&state.theme, &wanted).into_iter();
    let names = names.zip(names::shorten(&state.theme, &against));
    for (i, names) in names.enumerate() {
        let at = w.row.offset + i;
        let Some(row) = w.at(at) else { break };
        let shown = line(state, &frame, row, &names, at == w.row.index);
        put(&state.theme, buf, rows, i, &shown);
        pane::found(state, buf, rows, i, &w.find, at, false);
    }
    if detail.height > 0 {
        let rule = state.theme.rule().repeat(usize::from(detail.width));
        let dim = state.theme.style(Role::Dim);
        buf.set_stringn(detail.x, detail.y, rule, usize::from(detail.width), dim);
        pane::document(state, buf, layout::inside(detail), &w.detail);
    }
}

fn remarks(state: &State, columns: u16) -> Vec<String> {
    let (w, s) = (&state.workloads, state.strings);
    if w.slot.value.is_none() {
        return Vec::new();
    }
    let mut out = vec![format!("{} x {}", w.rows.len(), w.columns.len())];
    // More columns than show: where the window stands.
    let visible = w.frame(columns).visible;
    if w.columns.len() > visible {
        let last = (w.column.offset + visible).min(w.columns.len());
        let (first, all) = (w.column.offset + 1, w.columns.len());
        out.push(fill(
            s.columns_of,
            &[&format!("{first}-{last}"), &all.to_string()],
        ));
    }
    let by = match w.sort {
        HeatSort::Lineage => s.lineage_order.to_owned(),
        HeatSort::Name => s.col_name.to_owned(),
        HeatSort::Mean => s.heat_mean.to_owned(),
        HeatSort::Wins => s.heat_by_wins.to_owned(),
        HeatSort::Losses => s.heat_by_losses.to_owned(),
        HeatSort::Workload(c) => {
            (w.columns.get(c)).map_or_else(|| "-".into(), |c| inert(c).into_owned())
        }
    };
    if w.sort != HeatSort::Lineage || w.reversed {
        let turned = match w.reversed {
            true => format!(" {}", s.descending),
            false => String::new(),
        };
        out.push(format!("{}{turned}", fill(s.sorted_by, &[&by])));
    }
    out.push(match w.shows {
        CellShows::Ratio => s.heat_scale.to_owned(),
        CellShows::Interval => s.heat_shows_interval.to_owned(),
        CellShows::Times => s.heat_shows_times.to_owned(),
    });
    if w.without > 0 {
        out.push(fill(s.heat_without, &[&w.without.to_string()]));
    }
    out.push(w.find.remark(s));
    out.push(pane::freshness(state, &w.slot));
    out
}

/// The workload whose column stands at a column of the terminal; nothing inside where the name and
/// the mean stand, nothing where there is no row.
pub fn workload_at(state: &State, map: Rect, x: u16) -> Option<Option<usize>> {
    let w = &state.workloads;
    let f = w.frame(map.width);
    let x = usize::from(x.checked_sub(map.x)?);
    let Some(beside) = x.checked_sub(2 + f.name + f.against + f.mean) else {
        return Some(None);
    };
    let column = w.column.offset + beside / f.cell;
    let shown = beside / f.cell < f.visible && column < w.columns.len();
    shown.then_some(Some(column))
}

fn head(state: &State, f: &HeatFrame) -> Line<'static> {
    let (w, s, t) = (&state.workloads, state.strings, &state.theme);
    let title = t.style(Role::Title);
    let name = format!("  {}", t.left(s.col_name, f.name));
    let mut spans = vec![Span::styled(name, title)];
    if f.against > 0 {
        let against = format!(" {}", t.left(s.heat_reference, f.against - 1));
        spans.push(Span::styled(against, title));
    }
    if f.mean > 0 {
        let count = t.right(s.heat_wins, f.mean - RATIO - 1);
        let mean = format!(" {}{count}", t.right(s.heat_mean, RATIO));
        spans.push(Span::styled(mean, title));
    }
    // All of them, so that a name stays the same while the others scroll.
    let all: Vec<String> = w.columns.iter().map(|c| inert(c).into_owned()).collect();
    let wanted: Vec<(&str, usize)> = all.iter().map(|c| (c.as_str(), f.cell - 1)).collect();
    let short = names::shorten(t, &wanted);
    let shown = short.iter().enumerate().skip(w.column.offset);
    for (c, short) in shown.take(f.visible) {
        let style = match c == w.column.index {
            true => title.add_modifier(Modifier::UNDERLINED),
            false => title,
        };
        spans.push(Span::raw(" "));
        spans.push(Span::styled(t.right(short, f.cell - 1), style));
    }
    Line::from(spans)
}

fn line(
    state: &State,
    f: &HeatFrame,
    row: &HeatRow,
    (label, against): &(String, String),
    at_hand: bool,
) -> Line<'static> {
    let (w, t) = (&state.workloads, &state.theme);
    let mark = if at_hand { t.marker() } else { " " };
    let crown = match state.variants.champion() == Some(row.name.as_str()) {
        true => t.champion(),
        false => " ",
    };
    let name = if at_hand { Role::Title } else { Role::Plain };
    let mut spans = vec![
        Span::styled(mark, t.style(Role::Accent)),
        Span::styled(crown, t.style(Role::Warn)),
        Span::styled(t.left(label, f.name), t.style(name)),
    ];
    if f.against > 0 {
        let text = format!(" {}", t.left(against, f.against - 1));
        spans.push(Span::styled(text, t.style(Role::Dim)));
    }
    if f.mean > 0 {
        let published = row.is_published();
        let side = row.side();
        let text = ratio(state, row.ratio, side, mark_of(published, false));
        let count = match published {
            true => "-".into(),
            false => format!("{}/{}", row.wins.len(), row.losses.len()),
        };
        spans.push(Span::raw(" "));
        spans.push(Span::styled(text, t.heat(strength(row.ratio, side))));
        spans.push(Span::raw(t.right(&count, f.mean - RATIO - 1)));
    }
    for c in (w.column.offset..w.columns.len()).take(f.visible) {
        let (text, style) = cell(state, f, row, w.cell(row, c));
        let style = match at_hand && c == w.column.index {
            true => t.style(Role::Selected).add_modifier(Modifier::BOLD),
            false => style,
        };
        spans.push(Span::raw(" "));
        spans.push(Span::styled(text, style));
    }
    Line::from(spans)
}

/// A cell as text over its whole width, and its style.
fn cell(
    state: &State,
    f: &HeatFrame,
    row: &HeatRow,
    cell: Option<&WorkloadVerdictView>,
) -> (String, Style) {
    let t = &state.theme;
    let columns = f.cell - 1;
    let Some(c) = cell else {
        return (t.right("- ", columns), t.style(Role::Dim));
    };
    let published = row.is_published();
    let side = row.side_of(c);
    let mark = mark_of(published, c.guard_broken);
    let text = match state.workloads.shows {
        CellShows::Ratio => ratio(state, c.ratio, side, mark),
        CellShows::Interval => {
            let interval = (c.interval).map_or("-".into(), |i| format!("[{}]", fmt::interval(i)));
            let figure = ratio(state, c.ratio, side, mark);
            format!("{figure} {}", t.right(&interval, 14))
        }
        CellShows::Times => {
            let time = |ns: Option<f64>| ns.map_or("-".into(), fmt::time_ns);
            let mark = if mark == " " {
                String::new()
            } else {
                format!(" {mark}")
            };
            format!("{} / {}{mark}", time(c.b_median_ns), time(c.a_median_ns))
        }
    };
    (t.right(&text, columns), t.heat(strength(c.ratio, side)))
}

/// Sign, ratio and mark in as many columns as [`RATIO`].
fn ratio(state: &State, ratio: Option<f64>, side: Side, mark: &str) -> String {
    let sign = match side {
        Side::Faster => state.theme.less(),
        Side::Slower => state.theme.more(),
        Side::Noise => "~",
        Side::Unknown => " ",
    };
    let figure = ratio.map_or("-".into(), fmt::ratio);
    format!("{sign}{}{mark}", state.theme.right(&figure, RATIO - 2))
}

fn mark_of(published: bool, guard_broken: bool) -> &'static str {
    match (guard_broken, published) {
        (true, _) => "!",
        (false, true) => PUBLISHED,
        (false, false) => " ",
    }
}

/// How far a ratio is from 1, in three steps on either side: below 5 %, below 20 %, more. Faster
/// is negative. What is not proven has no colour.
fn strength(ratio: Option<f64>, side: Side) -> i8 {
    let Some(log) = ratio.map(|r| r.ln().abs()).filter(|l| l.is_finite()) else {
        return 0;
    };
    let step = match log {
        l if l < 1.05_f64.ln() => 1,
        l if l < 1.2_f64.ln() => 2,
        _ => 3,
    };
    match side {
        Side::Faster => -step,
        Side::Slower => step,
        Side::Noise | Side::Unknown => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_has_three_steps_and_needs_proof() {
        let of = |r: f64, s: Side| strength(Some(r), s);
        assert_eq!(of(0.97, Side::Faster), -1);
        assert_eq!(of(0.9, Side::Faster), -2);
        assert_eq!(of(0.5, Side::Faster), -3);
        assert_eq!(of(1.5, Side::Slower), 3);
        assert_eq!(of(0.5, Side::Noise), 0);
        assert_eq!(strength(None, Side::Slower), 0);
    }
}
