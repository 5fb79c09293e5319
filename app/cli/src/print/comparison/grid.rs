//! The table of a comparison: as wide as the terminal, in as many blocks as that needs.

use std::collections::{HashMap, HashSet};

use assay_core::text::{inert, pad_left, pad_right, truncate_middle, width};
use assay_core::view::{CellView, CounterCompareView, CounterRow};
use assay_engine::profiles::{claimed, prints};

use crate::print::change::{ABSENT, in_groups, number};
use crate::print::findings::wrap;
use crate::print::paint::Paint;

/// Widest column of names, where the others leave no more.
const NAME: usize = 44;

/// Narrowest column of names that had to be cut.
const LEAST_NAME: usize = 12;

/// Widest figure.
const FIGURE: usize = 24;

/// Widest change.
const CHANGE: usize = 36;

/// Between two columns.
const GAP: &str = "  ";

/// The cells as they are shown, and how wide they are.
pub(super) struct Grid<'v> {
    view: &'v CounterCompareView,
    columns: usize,
    names: Vec<String>,
    labels: Vec<String>,
    figures: Vec<Vec<String>>,
    changes: Vec<Vec<String>>,
    published: Vec<Vec<String>>,
    name_width: usize,
    figure_widths: Vec<usize>,
    change_widths: Vec<usize>,
    /// Zero where the column has no published changes.
    published_widths: Vec<usize>,
    /// There is no room for names beside the figures: names and published changes have lines of their own.
    is_narrow: bool,
}

/// Narrowest figure, and how far figures stand in where names stand above them.
const LEAST_FIGURE: usize = 8;
const INDENT: usize = 2;

impl<'v> Grid<'v> {
    pub(super) fn new(view: &'v CounterCompareView, room: Option<usize>) -> Self {
        let columns = room.unwrap_or(usize::MAX / 4);
        let most = |limit: usize| room.map_or(usize::MAX, |_| limit);
        let names = names(&view.rows);
        let labels: Vec<String> = (view.columns.iter())
            .map(|c| inert(&c.label).into_owned())
            .collect();
        let of = |f: &dyn Fn(&CounterRow, usize) -> String| -> Vec<Vec<String>> {
            (0..labels.len())
                .map(|i| view.rows.iter().map(|r| f(r, i)).collect())
                .collect()
        };
        let figures = of(&|r, i| r.cells.get(i).map_or(ABSENT.into(), |c| figure(c, r)));
        let changes = of(&|r, i| {
            let change = r.changes.get(i).and_then(Option::as_ref);
            change.map_or(ABSENT.into(), |c| inert(&c.text).into_owned())
        });
        let published = of(&|r, i| {
            let published = r.published.get(i).and_then(Option::as_ref);
            published.map_or(ABSENT.into(), |p| inert(&claimed(p)).into_owned())
        });
        let widest = |cells: &[String], most: usize, least: usize| {
            let longest = cells.iter().map(|c| width(c)).max().unwrap_or(0);
            longest.min(most).max(least)
        };
        let figure_widths = (figures.iter().zip(&labels))
            .map(|(cells, label)| widest(cells, most(FIGURE), width(label).min(most(FIGURE))))
            .collect();
        let change_widths = changes.iter().map(|c| widest(c, most(CHANGE), 6)).collect();
        let published_widths = (published.iter().enumerate())
            .map(|(i, cells)| match prints(view, i) {
                true => widest(cells, most(CHANGE), "published".len()),
                false => 0,
            })
            .collect();
        let mut grid = Self {
            name_width: 0,
            view,
            columns,
            labels,
            figures,
            changes,
            published,
            figure_widths,
            change_widths,
            published_widths,
            is_narrow: false,
            names: Vec::new(),
        };
        let base = grid.figure_widths[view.base] + GAP.len();
        let widths: Vec<usize> = grid.others().map(|i| grid.width_of(i)).collect();
        let room = columns.saturating_sub(base + widths.iter().sum::<usize>());
        // At least one column has to fit beside the names.
        let widest_one = widths.iter().max().copied().unwrap_or(0);
        let beside_one = columns.saturating_sub(base + widest_one).max(LEAST_NAME);
        let most = NAME.min(columns / 2).min(beside_one).max(room);
        grid.name_width = widest(&names, most, "counter".len());
        grid.is_narrow =
            grid.name_width <= LEAST_NAME && names.iter().any(|n| width(n) > grid.name_width);
        if grid.is_narrow {
            grid.name_width = INDENT;
            let narrow = |cells: &Vec<String>| widest(cells, FIGURE, LEAST_FIGURE);
            grid.figure_widths = grid.figures.iter().map(narrow).collect();
        }
        grid.names = names;
        grid
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let base = self.view.base;
        (0..self.labels.len()).filter(move |i| *i != base)
    }

    /// The names as they fit, with the whole name where the cut one could be another counter's, or where
    /// the column is as narrow as it gets.
    fn cut(&self) -> Vec<(String, bool)> {
        let cut: Vec<String> = (self.names.iter())
            .map(|n| truncate_middle(n, self.name_width).into_owned())
            .collect();
        let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
        for (short, whole) in cut.iter().zip(&self.names) {
            if short != whole && !seen.insert(short.as_str()) {
                twice.insert(short.clone());
            }
        }
        let is_alike = |short: String| {
            let alike = twice.contains(&short);
            (short, alike)
        };
        let named = cut.into_iter().map(is_alike);
        named
            .map(|(short, alike)| (short, alike || self.is_narrow))
            .collect()
    }

    fn width_of(&self, i: usize) -> usize {
        let published = match self.published_widths[i] {
            w if w > 0 && !self.is_narrow => w + GAP.len(),
            _ => 0,
        };
        self.figure_widths[i] + GAP.len() + self.change_widths[i] + GAP.len() + published
    }

    /// The columns beside the base, in as many blocks as the terminal needs; names and base stand in
    /// each of them.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let base = self.view.base;
        let frozen = self.name_width + GAP.len() + self.figure_widths[base];
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut left = 0;
        for i in self.others() {
            let needs = self.width_of(i);
            match blocks.last_mut() {
                Some(block) if needs <= left => block.push(i),
                _ => {
                    blocks.push(vec![i]);
                    left = self.columns.saturating_sub(frozen);
                }
            }
            left = left.saturating_sub(needs);
        }
        blocks
    }

    pub(super) fn render(&self, paint: Paint) -> String {
        let base = self.view.base;
        let names = self.cut();
        let mut out = String::new();
        for (nth, block) in self.blocks().iter().enumerate() {
            if nth > 0 {
                out.push('\n');
            }
            let head = if self.is_narrow { "" } else { "counter" };
            let mut line = pad_right(head, self.name_width);
            line.push_str(GAP);
            line.push_str(&pad_left(&self.labels[base], self.figure_widths[base]));
            for i in block {
                line.push_str(GAP);
                line.push_str(&pad_left(&self.labels[*i], self.figure_widths[*i]));
                line.push_str(GAP);
                line.push_str(&pad_left("change", self.change_widths[*i]));
                if self.published_widths[*i] > 0 && !self.is_narrow {
                    line.push_str(GAP);
                    line.push_str(&pad_left("published", self.published_widths[*i]));
                }
            }
            out.push_str(&format!("{}\n", paint.bold(line.trim_end())));
            for (r, row) in self.view.rows.iter().enumerate() {
                let (name, is_alike) = &names[r];
                if *is_alike {
                    // Cut it would say too little: the whole one stands above its figures.
                    let whole = wrap(&self.names[r], self.columns);
                    out.push_str(&format!("{}\n", whole.join("\n")));
                }
                let name = if *is_alike { "" } else { name.as_str() };
                let mut beneath = String::new();
                let mut line = pad_right(name, self.name_width);
                line.push_str(GAP);
                line.push_str(&pad_left(&self.figures[base][r], self.figure_widths[base]));
                for i in block {
                    line.push_str(GAP);
                    line.push_str(&pad_left(&self.figures[*i][r], self.figure_widths[*i]));
                    line.push_str(GAP);
                    let text = pad_left(&self.changes[*i][r], self.change_widths[*i]);
                    let change = row.changes.get(*i).and_then(Option::as_ref);
                    line.push_str(&match change {
                        Some(c) if c.better == Some(true) => paint.good(&text),
                        Some(c) if c.better == Some(false) => paint.bad(&text),
                        Some(c) if !c.changed => paint.dim(&text),
                        _ => text,
                    });
                    let prints = self.published_widths[*i] > 0 && self.published[*i][r] != ABSENT;
                    if self.is_narrow && prints {
                        let text = format!("published {}", self.published[*i][r]);
                        beneath.push_str(&format!("{}{text}\n", " ".repeat(2 * INDENT)));
                    } else if self.published_widths[*i] > 0 && !self.is_narrow {
                        let text = pad_left(&self.published[*i][r], self.published_widths[*i]);
                        let published = row.published.get(*i).and_then(Option::as_ref);
                        let wrong = published.is_some_and(|p| p.consistent == Some(false));
                        line.push_str(GAP);
                        line.push_str(&if wrong { paint.error(&text) } else { text });
                    }
                }
                out.push_str(line.trim_end());
                out.push('\n');
                out.push_str(&beneath);
            }
        }
        out
    }
}

/// Names of the counters; with their section where two differ by it or by case only.
pub(super) fn names(rows: &[CounterRow]) -> Vec<String> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for row in rows {
        *times.entry(row.name.to_lowercase()).or_default() += 1;
    }
    let name = |row: &CounterRow| {
        let alone = times.get(&row.name.to_lowercase()) == Some(&1);
        let text = match row.section.as_str() {
            section if !alone && !section.is_empty() => format!("{} ({section})", row.name),
            _ => row.name.clone(),
        };
        inert(&text).into_owned()
    };
    rows.iter().map(name).collect()
}

/// A figure as it was printed; with its unit where the printed figure has none.
pub(super) fn figure(cell: &CellView, row: &CounterRow) -> String {
    let mut text = match cell.status.as_str() {
        "none" => return ABSENT.into(),
        "absent" if cell.raw.is_empty() => "absent".into(),
        "not_supported" if cell.raw.is_empty() => "not supported".into(),
        "value" => value(cell, row),
        "error" if cell.raw.is_empty() => "unread".into(),
        _ => cell.raw.clone(),
    };
    if !cell.suspect.is_empty() {
        text.push_str(" ?");
    }
    inert(&text).into_owned()
}

fn value(cell: &CellView, row: &CounterRow) -> String {
    let unit = match row.unit.as_str() {
        "1" | "" => String::new(),
        "%" => "%".into(),
        unit => format!(" {unit}"),
    };
    let raw = cell.raw.trim();
    let says_unit = raw
        .trim_start_matches(['-', '+', '.'])
        .contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E') || c == '%');
    if says_unit {
        return raw.to_owned();
    }
    let number_of = cell.value.as_ref().and_then(serde_json::Value::as_f64);
    let printed: Option<f64> = raw.replace(',', "").parse().ok();
    match (printed, number_of) {
        // As printed, as long as that is in the unit of the row.
        (Some(p), Some(v)) if p == v && raw.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{}{unit}", in_groups(raw))
        }
        (Some(p), Some(v)) if p == v => format!("{raw}{unit}"),
        (_, Some(v)) => format!("{}{unit}", number(v)),
        _ => raw.to_owned(),
    }
}
