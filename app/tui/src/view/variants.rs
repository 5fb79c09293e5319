//! The Variants screen.
//!
//! ```text
//! Variants  13  sort lineage  marked 1          | tile-64  champion
//!    variant        status    verdict   ratio   | keep a 64-wide tile of B in L1
//! >* base           champion  -         -       | Verdict: tile-64 / base
//!    |-tile-32      rejected  SLOWER    1.043   |   FASTER 0.913 [0.905-0.921]
//! ```

use assay_core::text::inert;
use assay_core::view::VariantRow;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use crate::fmt;
use crate::layout;
use crate::state::State;
use crate::state::variants::SortColumn;
use crate::strings::{Strings, fill, status_word};
use crate::theme::{Role, status_role, verdict_role};

/// Draws the table and the detail.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let areas = layout::variants(body, state.variants.detail_full, state.variants.rows.len());
    if let Some(table) = areas.table {
        draw_table(state, table, buf);
    }
    if let Some(detail) = areas.detail {
        draw_detail(state, detail, areas.table.is_some(), buf);
    }
}

fn draw_table(state: &State, area: Rect, buf: &mut Buffer) {
    let (v, s) = (&state.variants, state.strings);
    let Some(list) = &v.list.value else {
        pane::title(state, buf, area, s.variants, &[]);
        pane::missing(state, buf, layout::inside(area), &v.list, s.no_variants);
        return;
    };
    pane::title(
        state,
        buf,
        area,
        s.variants,
        &remarks(state, list.variants.len(), list.unreadable),
    );
    if v.rows.is_empty() {
        let text = if list.variants.is_empty() {
            s.no_variants
        } else {
            s.no_match
        };
        pane::empty(state, buf, layout::inside(area), text, Role::Dim);
        return;
    }
    let columns = columns(area.width);
    let mut head = vec![Span::raw("    ")];
    for c in &columns {
        // The sorted column says so, and in which direction.
        let sorted = match (c.sort() == Some(v.sort), v.reversed) {
            (false, _) => "",
            (true, false) => "^",
            (true, true) => "v",
        };
        let text = cell(state, &format!("{}{sorted}", c.text(s)), c);
        head.push(Span::styled(text, state.theme.style(Role::Title)));
    }
    put(buf, layout::inside(area), 0, &Line::from(head));
    let rows = layout::table_rows(area);
    for i in 0..usize::from(rows.height) {
        let at = v.cursor.offset + i;
        let Some(row) = v.row(at) else { break };
        put(buf, rows, i, &line(state, at, row, &columns));
        if at == v.cursor.index {
            pane::select(state, buf, rows, i);
        }
    }
}

fn remarks(state: &State, total: usize, unreadable: u64) -> Vec<String> {
    let (v, s) = (&state.variants, state.strings);
    let mut out = vec![total.to_string()];
    if !v.filter.is_empty() {
        let found = fill(s.matches, &[&v.rows.len().to_string(), &total.to_string()]);
        out = vec![fill(s.filter, &[&inert(&v.filter.text)]), found];
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
    if !v.marked.is_empty() {
        out.push(fill(s.marked, &[&v.marked.len().to_string()]));
    }
    if let Some(w) = v.first_workload() {
        out.push(format!("{}: {}", s.col_median, inert(w)));
    }
    if unreadable > 0 {
        out.push(fill(s.unreadable, &[&unreadable.to_string()]));
    }
    out.push(pane::freshness(state, &v.list));
    out
}

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Status,
    Verdict,
    Ratio,
    Interval,
    Median,
    Gates,
}

struct Column {
    kind: Kind,
    width: usize,
}

impl Column {
    fn sort(&self) -> Option<SortColumn> {
        Some(match self.kind {
            Kind::Name => SortColumn::Name,
            Kind::Status => SortColumn::Status,
            Kind::Verdict => SortColumn::Verdict,
            Kind::Ratio => SortColumn::Ratio,
            Kind::Median => SortColumn::Median,
            Kind::Interval | Kind::Gates => return None,
        })
    }

    fn text(&self, s: &Strings) -> &'static str {
        match self.kind {
            Kind::Name => s.col_name,
            Kind::Status => s.col_status,
            Kind::Verdict => s.col_verdict,
            Kind::Ratio => s.col_ratio,
            Kind::Interval => s.col_interval,
            Kind::Median => s.col_median,
            Kind::Gates => s.col_gates,
        }
    }
}

/// The columns that fit, least needed dropped first; the name gets what is left.
fn columns(width: u16) -> Vec<Column> {
    use Kind::*;
    let room = usize::from(width).saturating_sub(4);
    let mut rest = vec![
        (Status, 9),
        (Verdict, 10),
        (Ratio, 6),
        (Interval, 11),
        (Median, 9),
        (Gates, 5),
    ];
    let least = if width < layout::ONE_PANE_WIDTH {
        14
    } else {
        20
    };
    for drop in [Gates, Interval, Median, Status, Ratio, Verdict] {
        let used: usize = rest.iter().map(|(_, w)| w + 2).sum();
        if room.saturating_sub(used) >= least {
            break;
        }
        rest.retain(|(k, _)| *k != drop);
    }
    let used: usize = rest.iter().map(|(_, w)| w + 2).sum();
    let name = room.saturating_sub(used).min(40);
    std::iter::once((Name, name))
        .chain(rest)
        .map(|(kind, width)| Column { kind, width })
        .collect()
}

fn cell(state: &State, text: &str, column: &Column) -> String {
    match column.kind {
        Kind::Name => state.theme.left(text, column.width),
        Kind::Status | Kind::Verdict => format!("  {}", state.theme.left(text, column.width)),
        _ => format!("  {}", state.theme.right(text, column.width)),
    }
}

fn line(state: &State, at: usize, row: &VariantRow, columns: &[Column]) -> Line<'static> {
    let (v, theme) = (&state.variants, &state.theme);
    let mark = if v.marked.contains(&row.name) {
        theme.mark()
    } else {
        " "
    };
    let crown = if v.champion() == Some(row.name.as_str()) {
        theme.champion()
    } else {
        " "
    };
    let mut spans = vec![
        Span::styled(format!(" {mark}"), theme.style(Role::Accent)),
        Span::styled(format!("{crown} "), theme.style(Role::Warn)),
    ];
    // Where the gates have no column, a failing one still shows.
    let hidden = columns.iter().all(|c| c.kind != Kind::Gates);
    let failing = if hidden && row.gates.iter().any(|g| g.pass == Some(false)) {
        "!"
    } else {
        ""
    };
    for c in columns {
        let (text, role) = match c.kind {
            Kind::Name => {
                let levels = (c.width / 5).min(8) as u32;
                let prefix = v
                    .rows
                    .get(at)
                    .map_or_else(String::new, |n| n.prefix(levels, theme.tree()));
                (format!("{prefix}{}", inert(&row.name)), Role::Plain)
            }
            Kind::Status => {
                let word = status_word(state.options.lang, &row.status);
                (inert(word).into_owned(), status_role(&row.status))
            }
            Kind::Verdict => match &row.verdict {
                Some(w) => (format!("{}{failing}", inert(w)), verdict_role(w)),
                None => (
                    row.failure
                        .as_ref()
                        .map_or("-".into(), |f| inert(&f.kind).into_owned()),
                    Role::Dim,
                ),
            },
            Kind::Ratio => (row.ratio.map_or("-".into(), fmt::ratio), Role::Plain),
            Kind::Interval => (row.interval.map_or("-".into(), fmt::interval), Role::Dim),
            Kind::Median => {
                let ns = v.first_workload().and_then(|w| row.median_ns.get(w));
                (ns.map_or("-".into(), |ns| fmt::time_ns(*ns)), Role::Plain)
            }
            Kind::Gates => gates(row),
        };
        spans.push(Span::styled(cell(state, &text, c), theme.style(role)));
    }
    Line::from(spans)
}

/// Passed gates of all, e.g. `3/4!`: the mark says that one fails.
fn gates(row: &VariantRow) -> (String, Role) {
    if row.gates.is_empty() {
        return ("-".into(), Role::Dim);
    }
    let passed = row.gates.iter().filter(|g| g.pass == Some(true)).count();
    let failed = row.gates.iter().any(|g| g.pass == Some(false));
    let text = format!(
        "{passed}/{}{}",
        row.gates.len(),
        if failed { "!" } else { "" }
    );
    (text, if failed { Role::Bad } else { Role::Plain })
}

fn draw_detail(state: &State, area: Rect, beside_table: bool, buf: &mut Buffer) {
    let doc = &state.variants.detail;
    let right = area.x > 0;
    if right {
        for y in area.y..area.bottom() {
            buf.set_stringn(
                area.x,
                y,
                state.theme.bar(),
                1,
                state.theme.style(Role::Dim),
            );
        }
    } else if beside_table {
        let rule = state.theme.rule().repeat(usize::from(area.width));
        buf.set_stringn(
            area.x,
            area.y,
            rule,
            usize::from(area.width),
            state.theme.style(Role::Dim),
        );
    }
    let text = layout::columns(area, 2).1;
    let inside = layout::inside(text);
    let name = state.variants.selected.as_deref().unwrap_or_default();
    if right || !beside_table {
        let at = pane::position(doc.scroll, doc.lines.len(), inside.height);
        let asked = state.variants.asked.is_some();
        let reading = if asked {
            state.strings.loading.to_owned()
        } else {
            String::new()
        };
        let title = if beside_table {
            String::new()
        } else {
            inert(name).into_owned()
        };
        pane::title(state, buf, text, &title, &[at, reading]);
    }
    pane::document(buf, inside, doc);
}
