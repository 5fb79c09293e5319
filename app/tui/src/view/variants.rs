//! The Variants screen.
//!
//! ```text
//! Variants  13  sort lineage  marked 1          | tile-64  champion
//!    variant        status    verdict   ratio   | keep a 64-wide tile of B in L1
//! >* base           champion  -         -       | Verdict: tile-64 / base
//!    |-tile-32      rejected  SLOWER    1.043   |   FASTER 0.913 [0.905-0.921]
//! ```

use assay_core::text::{inert, width};
use assay_core::view::ListView;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::columns::{Column, cell, columns};
use super::pane::{self, put};
use super::{detail, variant_row};
use crate::layout;
use crate::state::State;
use crate::state::variants::SortColumn;
use crate::strings::fill;
use crate::theme::Role;
use crate::widget::names;

/// Draws the table and the detail.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let areas = layout::variants(body, state.variants.detail_full, state.variants.rows.len());
    if let Some(table) = areas.table {
        draw_table(state, table, buf);
    }
    if let Some(detail) = areas.detail {
        detail::draw(state, detail, areas.table.is_some(), buf);
    }
}

fn draw_table(state: &State, area: Rect, buf: &mut Buffer) {
    let (v, s) = (&state.variants, state.strings);
    let Some(list) = &v.list.value else {
        pane::title(state, buf, area, s.variants, &[]);
        pane::missing(state, buf, layout::inside(area), &v.list, s.no_variants);
        return;
    };
    pane::title(state, buf, area, s.variants, &remarks(state, list));
    if v.rows.is_empty() {
        let text = if list.variants.is_empty() {
            s.no_variants
        } else {
            s.no_match
        };
        pane::empty(state, buf, layout::inside(area), text, Role::Dim);
        return;
    }
    let published = list.variants.iter().any(|r| !r.published.is_empty());
    let columns = columns(area.width, published, &v.columns);
    let mut head = vec![Span::raw("    ")];
    for c in &columns {
        // The sorted column says so, and in which direction.
        let sorted = match (c.sort() == Some(v.sort), v.reversed) {
            (false, _) => "",
            (true, false) => state.theme.more(),
            (true, true) => state.theme.less(),
        };
        let text = heading(state, c.text(s), sorted, c);
        head.push(Span::styled(text, state.theme.style(Role::Title)));
    }
    put(
        &state.theme,
        buf,
        layout::inside(area),
        0,
        &Line::from(head),
    );
    let rows = layout::table_rows(area);
    let names = names(state, usize::from(rows.height), &columns);
    for (i, name) in names.iter().enumerate() {
        let at = v.cursor.offset + i;
        let Some(row) = v.row(at) else { break };
        put(
            &state.theme,
            buf,
            rows,
            i,
            &variant_row::line(state, name, row, &columns),
        );
        if at == v.cursor.index {
            pane::select(state, buf, rows, i);
        }
        for word in v.filter.words() {
            let name = Rect {
                width: rows.width.min(column_end(&columns)),
                ..rows
            };
            pane::highlight(state, buf, name, i, word, Role::Found);
        }
    }
}

/// The title of a column, and behind it the mark of the order, where it has one. A narrow column of
/// figures takes a blank before it for the mark.
fn heading(state: &State, title: &str, sorted: &str, column: &Column) -> String {
    if sorted.is_empty() {
        return cell(state, title, column);
    }
    let text = format!("{title} {sorted}");
    match width(&text) > column.width {
        true => format!(" {}", state.theme.right(&text, column.width + 1)),
        false => cell(state, &text, column),
    }
}

/// Where the column of the names ends.
fn column_end(columns: &[Column]) -> u16 {
    let name = columns.first().map_or(0, |c| c.width);
    u16::try_from(name + 4).unwrap_or(u16::MAX)
}

/// The names in view behind the branches of their lineage, shortened so that each is another.
fn names(state: &State, rows: usize, columns: &[Column]) -> Vec<String> {
    let v = &state.variants;
    let room = columns.first().map_or(0, |c| c.width);
    let levels = (room / 5).min(8) as u32;
    let end = (v.cursor.offset + rows).min(v.rows.len());
    let shown: Vec<(String, String)> = (v.cursor.offset..end)
        .filter_map(|at| {
            let prefix = v.rows.get(at)?.prefix(levels, state.theme.tree());
            Some((prefix, inert(&v.row(at)?.name).into_owned()))
        })
        .collect();
    let wanted: Vec<(&str, usize)> = (shown.iter())
        .map(|(prefix, name)| (name.as_str(), room.saturating_sub(width(prefix))))
        .collect();
    let short = names::shorten(&state.theme, &wanted);
    let both = shown.iter().zip(short);
    both.map(|((prefix, _), name)| format!("{prefix}{name}"))
        .collect()
}

/// What sorts by the column whose title stands at a column of the terminal.
pub fn column_at(state: &State, table: Rect, x: u16) -> Option<SortColumn> {
    let v = &state.variants;
    let list = v.list.value.as_ref()?;
    let published = list.variants.iter().any(|r| !r.published.is_empty());
    // Marks stand before the name, blanks before the others.
    let mut end = 2;
    let mut all = columns(table.width, published, &v.columns).into_iter();
    let found = all.find(|c| {
        end += c.width + 2;
        usize::from(x.saturating_sub(table.x)) < end
    });
    found?.sort()
}

/// What the median that is shown is of.
pub(super) fn median_title(state: &State) -> String {
    let (v, s) = (&state.variants, state.strings);
    let of = match (v.shown_workload(), v.mean_of()) {
        (Some(w), _) => inert(w).into_owned(),
        (None, Some(n)) => fill(s.mean_of, &[&n.to_string()]),
        (None, None) => return String::new(),
    };
    format!("{}: {of}", s.col_median)
}

fn remarks(state: &State, list: &ListView) -> Vec<String> {
    let total = list.variants.len();
    let (unreadable, damaged) = (list.unreadable, list.damaged);
    let (v, s) = (&state.variants, state.strings);
    let mut out = vec![total.to_string()];
    if !v.filter.is_empty() {
        let found = fill(s.matches, &[&v.rows.len().to_string(), &total.to_string()]);
        out = vec![fill(s.filter, &[&inert(&v.filter.text)]), found];
        out.extend(
            v.filter
                .problem
                .as_ref()
                .map(|p| format!("! {}", p.said(s))),
        );
    }
    let by = match v.sort {
        SortColumn::Lineage => s.lineage_order,
        SortColumn::Name => s.col_name,
        SortColumn::Status => s.col_status,
        SortColumn::Verdict => s.col_verdict,
        SortColumn::Ratio => s.col_ratio,
        SortColumn::Median => s.col_median,
        SortColumn::Updated => s.col_updated,
    };
    if v.sort != SortColumn::Lineage || v.reversed {
        out.push(
            fill(s.sorted_by, &[by])
                + if v.reversed { " " } else { "" }
                + if v.reversed { s.descending } else { "" },
        );
    }
    if v.columns.is_own() || v.columns.left > 0 {
        let (left, all) = (
            (v.columns.left + 1).to_string(),
            v.columns.kinds().len().to_string(),
        );
        out.push(fill(s.columns_of, &[&left, &all]));
    }
    if !v.marked.is_empty() {
        out.push(fill(s.marked, &[&v.marked.len().to_string()]));
    }
    // What went wrong is worth more than what is the same everywhere.
    out.push(pane::freshness(state, &v.list));
    out.push(median_title(state));
    if damaged > 0 {
        out.push(fill(s.damaged, &[&damaged.to_string()]));
    }
    if unreadable > damaged {
        out.push(fill(s.unreadable, &[&(unreadable - damaged).to_string()]));
    }
    out.push(s.sessions.to_owned());
    out
}
