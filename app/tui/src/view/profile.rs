//! The Profile screen: counters by section, and beside them what rules found and the roofline.
//!
//! ```text
//! Profile  fma against tile-64  workload square-128 1/2  tool perf  kernel gemm  12 of 340
//!   counter              value unit    reference    change         | Roofline ...
//! v cache  (3)                                                     | Findings (2)
//! > L1-dcache-misses 1,234,567 count   2,110,000   -41.5 % better  | ! warning  duty-over-100
//! ```

use std::collections::HashMap;

use assay_core::text::{inert, width};
use assay_core::view::{CellView, CounterRow};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use crate::fmt;
use crate::layout;
use crate::state::State;
use crate::state::profile::{CounterSort, Row};
use crate::strings::fill;
use crate::theme::Role;
use crate::widget::names;

/// Draws the counters and what stands beside them.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let p = &state.profile;
    let areas = layout::profile(body, p.side);
    let title = areas.table.or(areas.side).unwrap_or(body);
    pane::title(
        state,
        buf,
        Rect {
            width: body.width,
            ..title
        },
        state.strings.profile,
        &remarks(state),
    );
    if let Some(table) = areas.table {
        draw_table(state, table, buf);
    }
    if let Some(side) = areas.side {
        draw_side(state, side, buf);
    }
}

fn draw_table(state: &State, area: Rect, buf: &mut Buffer) {
    let (p, s) = (&state.profile, state.strings);
    let inside = layout::inside(area);
    if p.compared().is_none() {
        return pane::missing(
            state,
            buf,
            inside,
            &p.slot,
            state.hint(s.no_profile, s.no_profile_here),
        );
    }
    let columns = Columns::new(
        area.width,
        p.compared().is_some_and(|c| c.columns.len() > 1),
    );
    put(&state.theme, buf, inside, 0, &columns.head(state));
    let (list, foot) = layout::counters(area);
    draw_foot(state, foot, buf);
    let rows = layout::table_rows(list);
    if p.rows.is_empty() {
        let text = match p.total {
            0 => state.hint(s.no_profile, s.no_profile_here),
            _ => s.no_counter_match,
        };
        return pane::empty(state, buf, rows, text, Role::Dim);
    }
    let shown = p.cursor.offset..p.cursor.offset + usize::from(rows.height);
    let whole: Vec<(usize, String)> = (shown.clone())
        .filter_map(|at| Some((at, names_of(p.counter(at)?, columns.name))))
        .collect();
    let wanted: Vec<(&str, usize)> = (whole.iter())
        .map(|(_, n)| (n.as_str(), columns.name))
        .collect();
    // Two counters never look the same.
    let short: HashMap<usize, String> = (whole.iter().map(|(at, _)| *at))
        .zip(names::shorten(&state.theme, &wanted))
        .collect();
    for (i, at) in shown.enumerate() {
        let line = match (p.rows.get(at), p.counter(at)) {
            (_, Some(c)) => columns.line(state, c, short.get(&at).map_or("", String::as_str)),
            (Some(Row::Section(n)), _) => section(state, *n, usize::from(rows.width)),
            _ => break,
        };
        put(&state.theme, buf, rows, i, &line);
        if at == p.cursor.index {
            pane::select(state, buf, rows, i);
        }
        for word in p.filter.split_whitespace() {
            let needle = word.to_lowercase();
            pane::highlight(state, buf, rows, i, &needle, Role::Found);
        }
    }
}

/// The name of a counter in the words of its tool, and where there is room for it that of the catalog,
/// by which it is compared.
fn names_of(row: &CounterRow, columns: usize) -> String {
    let name = inert(&row.name);
    let other = row.canonical.as_deref().filter(|n| *n != row.name);
    let both = other.map(|n| format!("{name} ({})", inert(n)));
    let fits = both.filter(|both| width(both) <= columns);
    fits.unwrap_or_else(|| name.into_owned())
}

/// The counter at hand in full: section, name, name in the catalog, and what speaks against it.
fn draw_foot(state: &State, area: Rect, buf: &mut Buffer) {
    let (p, t) = (&state.profile, &state.theme);
    let Some(c) = p.counter(p.cursor.index) else {
        return;
    };
    let width = usize::from(area.width);
    let rule = t.rule().repeat(width);
    buf.set_stringn(area.x, area.y, rule, width, t.style(Role::Dim));
    let canonical = match &c.canonical {
        Some(n) if *n != c.name => format!("  ({n})"),
        _ => String::new(),
    };
    let name = format!(" {}{canonical}", c.name);
    let name = t.squeeze(&inert(&name), width);
    let title = t.style(Role::Title);
    put(
        &state.theme,
        buf,
        area,
        1,
        &Line::from(Span::styled(name, title)),
    );
    let cells = c.cells.iter().rev();
    let doubts: Vec<&str> = cells.flat_map(|c| &c.suspect).map(String::as_str).collect();
    let said = match doubts.is_empty() {
        false => format!(" ? {}", doubts.join("; ")),
        true => {
            let [own, reference] = [c.cells.last(), c.cells.first()].map(|c| figure(state, c));
            let against = match c.cells.len() {
                0 | 1 => String::new(),
                _ => format!("  {} {reference}", state.strings.heat_reference),
            };
            format!(
                " {} {own} {}{against}",
                state.strings.col_value,
                fmt::unit(&c.unit)
            )
        }
    };
    let said = t.cut(&inert(&said), width).into_owned();
    let role = if doubts.is_empty() {
        Role::Dim
    } else {
        Role::Warn
    };
    put(
        &state.theme,
        buf,
        area,
        2,
        &Line::from(Span::styled(said, t.style(role))),
    );
}

fn draw_side(state: &State, area: Rect, buf: &mut Buffer) {
    let p = &state.profile;
    let dim = state.theme.style(Role::Dim);
    if area.x > 0 {
        for y in layout::inside(area).y..area.bottom() {
            buf.set_stringn(area.x, y, state.theme.bar(), 1, dim);
        }
    }
    let inside = layout::inside(layout::columns(area, 1).1);
    pane::document(state, buf, inside, &p.doc);
    // The finding at hand has the marker, where its first line is in view.
    let line = p.finding.and_then(|f| p.stops.get(f));
    if let Some(row) = line.and_then(|l| l.checked_sub(p.doc.scroll))
        && row < usize::from(inside.height)
    {
        let accent = state.theme.style(Role::Accent);
        buf.set_stringn(
            inside.x,
            inside.y + row as u16,
            state.theme.marker(),
            1,
            accent,
        );
    }
}

fn remarks(state: &State) -> Vec<String> {
    let (p, s) = (&state.profile, state.strings);
    let Some(key) = &p.key else {
        return Vec::new();
    };
    let mut out = vec![inert(&key.variant).into_owned()];
    if let Some(view) = &p.slot.value {
        if let Some(a) = &view.against {
            out.push(fill(s.against, &[&inert(a)]));
        }
        if let Some(w) = &view.workload {
            let at = view
                .workloads
                .iter()
                .position(|x| x == w)
                .map_or(0, |i| i + 1);
            let of = match view.workloads.len() {
                0 | 1 => String::new(),
                n => format!(" {at}/{n}"),
            };
            out.push(fill(s.workload_of, &[&inert(w)]) + &of);
        }
    }
    if p.changed_only {
        out.push(s.only_changed.to_owned());
    }
    if !p.filter.is_empty() {
        out.push(fill(s.filter, &[&inert(&p.filter)]));
    }
    if p.total > 0 {
        let (shown, total) = (p.shown.to_string(), p.total.to_string());
        out.push(fill(s.metrics_of, &[&shown, &total]));
    }
    out.push(match p.sort {
        CounterSort::Change => String::new(),
        CounterSort::Name => s.by_name.to_owned(),
    });
    out.push(p.doc.find.remark(s));
    if p.found() > 0 {
        let at = p.finding.map_or(0, |f| f + 1).to_string();
        out.push(fill(s.finding_of, &[&at, &p.found().to_string()]));
    }
    if let Some(own) = p.compared().and_then(|c| c.columns.last()) {
        out.push(fill(s.tool_of, &[&inert(&own.tool)]));
        if !own.kernel.is_empty() {
            out.push(fill(s.kernel_of, &[&inert(&own.kernel)]));
        }
    }
    if p.slot.value.is_some() {
        out.push(pane::freshness(state, &p.slot));
    }
    out
}

fn section(state: &State, n: usize, width: usize) -> Line<'static> {
    let (p, t) = (&state.profile, &state.theme);
    let Some(section) = p.sections.get(n) else {
        return Line::default();
    };
    let open = !p.folded.contains(&section.name) || !p.filter.trim().is_empty();
    let name = match section.name.as_str() {
        "" => state.strings.counters,
        name => name,
    };
    let text = format!(" {} {}  {}", t.fold(open), inert(name), section.count);
    Line::from(Span::styled(
        t.cut(&text, width).into_owned(),
        t.style(Role::Title),
    ))
}

/// Columns of the table; those that have no room are 0 wide.
struct Columns {
    name: usize,
    value: usize,
    unit: usize,
    reference: usize,
    change: usize,
    word: usize,
}

impl Columns {
    fn new(width: u16, compared: bool) -> Self {
        let room = usize::from(width).saturating_sub(3);
        let mut c = Self {
            name: 0,
            value: 15,
            unit: 9,
            reference: if compared { 15 } else { 0 },
            change: if compared { 18 } else { 0 },
            word: if compared { 7 } else { 0 },
        };
        // What can be read elsewhere goes first; the value and its unit stay.
        for drop in 0..4 {
            if room.saturating_sub(c.used()) >= 20 {
                break;
            }
            match drop {
                0 => c.reference = 0,
                1 => c.word = 0,
                2 => c.change = 0,
                _ => c.unit = 0,
            }
        }
        c.name = room.saturating_sub(c.used()).min(64);
        c
    }

    fn used(&self) -> usize {
        self.value + self.unit + self.reference + self.change + self.word
    }

    fn head(&self, state: &State) -> Line<'static> {
        let (s, t) = (state.strings, &state.theme);
        let mut text = format!("   {}", t.left(s.col_counter, self.name));
        for (title, width) in [(s.col_value, self.value), (s.col_unit, self.unit)] {
            let cell = match title == s.col_unit {
                true => t.left(title, width.saturating_sub(1)),
                false => t.right(title, width.saturating_sub(1)),
            };
            if width > 0 {
                text.push_str(&format!(" {cell}"));
            }
        }
        for (title, width) in [(s.heat_reference, self.reference), (s.change, self.change)] {
            if width > 0 {
                text.push_str(&format!(" {}", t.right(title, width - 1)));
            }
        }
        Line::from(Span::styled(text, t.style(Role::Title)))
    }

    fn line(&self, state: &State, row: &CounterRow, name: &str) -> Line<'static> {
        let t = &state.theme;
        let (own, reference) = match row.cells.as_slice() {
            [own] => (Some(own), None),
            [reference, .., own] => (Some(own), Some(reference)),
            [] => (None, None),
        };
        let used = |n: &str| state.profile.used.contains(n);
        let mark = match used(&row.name) || row.canonical.as_deref().is_some_and(used) {
            true => t.mark(),
            false => " ",
        };
        let right = |text: &str, width: usize| match width {
            0 => String::new(),
            w => format!(" {}", t.right(text, w - 1)),
        };
        let unit = match self.unit {
            0 => String::new(),
            w => format!(" {}", t.left(&inert(fmt::unit(&row.unit)), w - 1)),
        };
        let change = row.changes.iter().flatten().next_back();
        let (word, role) = match change.and_then(|c| c.better) {
            Some(true) => (state.strings.better, Role::Good),
            Some(false) => (state.strings.worse, Role::Bad),
            None => ("", Role::Plain),
        };
        let text = change.map_or_else(String::new, |c| inert(&c.text).into_owned());
        let mut spans = vec![
            Span::raw(" "),
            Span::styled(mark, t.style(Role::Accent)),
            Span::raw(" "),
            Span::raw(t.left(name, self.name)),
            Span::styled(right(&figure(state, own), self.value), t.style(Role::Title)),
            Span::styled(unit, t.style(Role::Dim)),
            Span::styled(
                right(&figure(state, reference), self.reference),
                t.style(Role::Plain),
            ),
            Span::styled(right(&text, self.change), t.style(role)),
        ];
        if self.word > 0 {
            spans.push(Span::styled(format!(" {word}"), t.style(role)));
        }
        Line::from(spans)
    }
}

/// A cell as text: the figure, the word, or why there is none. A `?` says that it is not to be
/// taken at face value.
fn figure(state: &State, cell: Option<&CellView>) -> String {
    let Some(c) = cell else {
        return String::new();
    };
    let doubt = if c.suspect.is_empty() { "" } else { "?" };
    match (c.status.as_str(), c.value.as_ref().and_then(|v| v.as_f64())) {
        ("value", Some(v)) => format!("{}{doubt}", fmt::figure(v)),
        ("value" | "text", _) => format!("{}{doubt}", inert(&c.raw)),
        ("none", _) => "-".into(),
        (word, _) => crate::strings::cell_word(state.options.lang, word).to_owned(),
    }
}
