//! Counters of several launches side by side: figures as printed, changes against the base.

use std::collections::HashMap;

use assay_core::text::{inert, pad_left, pad_right, width};
use assay_core::view::{CellView, ChangeView, CounterCompareView, CounterRow};

use super::change::{ABSENT, count, number};
use super::findings::{findings, summary, wrap};
use super::paint::Paint;
use crate::args::Lang;

/// Widest column of names.
const NAME: usize = 44;

/// Widest figure.
const FIGURE: usize = 24;

/// Between two columns.
const GAP: &str = "  ";

/// The comparison as text: what speaks against it, the table, what rules say.
pub fn comparison(view: &CounterCompareView, lang: Lang, columns: usize, paint: Paint) -> String {
    let mut out = head(view, columns);
    for warning in &view.warnings {
        let text = format!("! {}", inert(warning));
        for line in wrap(&text, columns) {
            out.push_str(&format!("{}\n", paint.warning(&line)));
        }
    }
    out.push('\n');
    out.push_str(&Grid::new(view, columns).render(paint));
    if view.unchanged > 0 {
        out.push_str(&format!(
            "\n{} did not change\n",
            count(view.unchanged, "counter")
        ));
    }
    if !view.findings.is_empty() {
        out.push_str(&format!(
            "\n{}\n",
            paint.bold(&summary(&view.findings, lang))
        ));
        out.push_str(&findings(&view.findings, lang, columns, paint));
    }
    out
}

/// What the columns are.
fn head(view: &CounterCompareView, columns: usize) -> String {
    let mut out = String::new();
    for (i, c) in view.columns.iter().enumerate() {
        let mut text = format!("{}: {}", c.label, c.tool);
        if let Some(version) = &c.tool_version {
            text.push_str(&format!(" {version}"));
        }
        let said = c.label.split('#').next().unwrap_or_default();
        let is_said =
            c.label.ends_with(&c.kernel) || (!said.is_empty() && c.kernel.starts_with(said));
        if c.scope == "per-kernel" && !is_said {
            text.push_str(&format!(", {}", c.kernel));
        } else if c.scope != "per-kernel" {
            text.push_str(", whole process or several launches added up");
        }
        if let Some(n) = c.occurrence.filter(|n| *n > 0 && !c.label.contains('#')) {
            text.push_str(&format!(", launch {n}"));
        }
        if i == view.base {
            text.push_str(" (base)");
        }
        for line in wrap(&inert(&text), columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

/// The cells as they are shown, and how wide they are.
struct Grid<'v> {
    view: &'v CounterCompareView,
    columns: usize,
    names: Vec<String>,
    labels: Vec<String>,
    figures: Vec<Vec<String>>,
    changes: Vec<Vec<String>>,
    name_width: usize,
    figure_widths: Vec<usize>,
    change_widths: Vec<usize>,
}

impl<'v> Grid<'v> {
    fn new(view: &'v CounterCompareView, columns: usize) -> Self {
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
            change.map_or(ABSENT.into(), |c| said(c, r))
        });
        let widest = |cells: &[String], most: usize, least: usize| {
            let longest = cells.iter().map(|c| width(c)).max().unwrap_or(0);
            longest.min(most).max(least)
        };
        let figure_widths = (figures.iter().zip(&labels))
            .map(|(cells, label)| widest(cells, FIGURE, width(label).min(FIGURE)))
            .collect();
        let change_widths = changes.iter().map(|c| widest(c, FIGURE + 8, 6)).collect();
        let most = NAME.min(columns / 2).max(12);
        Self {
            name_width: widest(&names, most, "counter".len()),
            view,
            columns,
            names,
            labels,
            figures,
            changes,
            figure_widths,
            change_widths,
        }
    }

    fn width_of(&self, i: usize) -> usize {
        self.figure_widths[i] + GAP.len() + self.change_widths[i] + GAP.len()
    }

    /// The columns beside the base, in as many blocks as the terminal needs; names and base stand in
    /// each of them.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let base = self.view.base;
        let frozen = self.name_width + GAP.len() + self.figure_widths[base];
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut left = 0;
        for i in (0..self.labels.len()).filter(|i| *i != base) {
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

    fn render(&self, paint: Paint) -> String {
        let base = self.view.base;
        let mut out = String::new();
        for (nth, block) in self.blocks().iter().enumerate() {
            if nth > 0 {
                out.push('\n');
            }
            let mut line = pad_right("counter", self.name_width);
            line.push_str(GAP);
            line.push_str(&pad_left(&self.labels[base], self.figure_widths[base]));
            for i in block {
                line.push_str(GAP);
                line.push_str(&pad_left(&self.labels[*i], self.figure_widths[*i]));
                line.push_str(GAP);
                line.push_str(&pad_left("change", self.change_widths[*i]));
            }
            out.push_str(&format!("{}\n", paint.bold(line.trim_end())));
            for (r, row) in self.view.rows.iter().enumerate() {
                let mut line = pad_right(&self.names[r], self.name_width);
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
                }
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
        out
    }
}

/// Names of the counters; with their section where two differ by it or by case only.
fn names(rows: &[CounterRow]) -> Vec<String> {
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
fn figure(cell: &CellView, row: &CounterRow) -> String {
    let mut text = match cell.status.as_str() {
        "none" => return ABSENT.into(),
        "absent" if cell.raw.is_empty() => "absent".into(),
        "not_supported" if cell.raw.is_empty() => "not supported".into(),
        "value" => value(cell, row),
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
            format!("{}{unit}", grouped(raw))
        }
        (Some(p), Some(v)) if p == v => format!("{raw}{unit}"),
        (_, Some(v)) => format!("{}{unit}", number(v)),
        _ => raw.to_owned(),
    }
}

/// A whole number with thousands separators; its digits are those printed.
fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A change against the base; of percentages in points too.
fn said(change: &ChangeView, row: &CounterRow) -> String {
    if change.absolute == 0.0 {
        return "=".into();
    }
    let Some(percent) = change.percent else {
        return "from 0".into();
    };
    let relative = if percent.abs() < 1e6 {
        format!("{percent:+.2} %")
    } else {
        format!("{percent:+.2e} %")
    };
    if row.unit == "%" {
        return format!("{relative} ({:+.2} pt)", change.absolute);
    }
    relative
}

#[cfg(test)]
mod tests {
    use assay_core::view::ColumnView;
    use serde_json::json;

    use super::*;

    fn cell(raw: &str, value: serde_json::Value) -> CellView {
        CellView {
            status: "value".into(),
            value: Some(value),
            raw: raw.into(),
            resolution: None,
            suspect: Vec::new(),
        }
    }

    fn row(name: &str, unit: &str, cells: Vec<CellView>, changes: &[Option<f64>]) -> CounterRow {
        CounterRow {
            section: "S".into(),
            name: name.into(),
            canonical: None,
            unit: unit.into(),
            direction: None,
            cells,
            changes: (changes.iter())
                .map(|c| {
                    c.map(|percent| ChangeView {
                        absolute: percent,
                        percent: Some(percent),
                        interval: None,
                        changed: true,
                        better: Some(percent < 0.0),
                    })
                })
                .collect(),
            weighted: 0.0,
        }
    }

    fn view(labels: &[&str], rows: Vec<CounterRow>) -> CounterCompareView {
        let column = |label: &&str| ColumnView {
            label: (*label).into(),
            tool: "mcProfiler".into(),
            tool_version: None,
            kernel: "k".into(),
            occurrence: Some(0),
            scope: "per-kernel".into(),
            values: 1,
        };
        CounterCompareView {
            schema: "assay.counter-compare/1".into(),
            columns: labels.iter().map(column).collect(),
            base: 0,
            rows,
            unchanged: 0,
            findings: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn figures_stand_as_printed_with_a_unit_once() {
        let shown = |unit: &str, raw: &str, value| {
            figure(&cell(raw, value), &row("n", unit, Vec::new(), &[]))
        };
        assert_eq!(shown("1", "24.603B", json!(24_603_000_000_u64)), "24.603B");
        assert_eq!(shown("1", "3,101,536", json!(3_101_536)), "3,101,536");
        assert_eq!(shown("1", "3101536", json!(3_101_536)), "3,101,536");
        assert_eq!(shown("%", "28.75%", json!(28.75)), "28.75%");
        assert_eq!(shown("%", "28.750", json!(28.75)), "28.750%");
        assert_eq!(
            shown("ns", "1.5", json!(1500)),
            "1,500 ns",
            "printed in another unit"
        );
        assert_eq!(
            shown("ns", "127,901.33(Kcycles)", json!(1)),
            "127,901.33(Kcycles)"
        );
        let mut bad = cell("", json!(null));
        bad.status = "none".into();
        assert_eq!(figure(&bad, &row("n", "1", Vec::new(), &[])), "-");
        bad.status = "not_supported".into();
        assert_eq!(
            figure(&bad, &row("n", "1", Vec::new(), &[])),
            "not supported"
        );
        let mut odd = cell("5\u{1b}[2J", json!(null));
        odd.suspect.push("why".into());
        assert_eq!(figure(&odd, &row("n", "1", Vec::new(), &[])), "5\\x1b[2J ?");
    }

    #[test]
    fn changes_of_percentages_are_said_in_points_too() {
        let change = |percent: Option<f64>, absolute| ChangeView {
            absolute,
            percent,
            interval: None,
            changed: true,
            better: None,
        };
        let plain = row("n", "1", Vec::new(), &[]);
        let share = row("n", "%", Vec::new(), &[]);
        assert_eq!(
            said(&change(Some(9.044), 6.03), &share),
            "+9.04 % (+6.03 pt)"
        );
        assert_eq!(said(&change(Some(-54.345), -4.578e9), &plain), "-54.34 %");
        assert_eq!(said(&change(None, 5.0), &plain), "from 0");
        assert_eq!(said(&change(None, 0.0), &plain), "=");
        assert_eq!(said(&change(Some(2e9), 1.0), &plain), "+2.00e9 %");
    }

    #[test]
    fn names_that_differ_by_case_or_section_only_have_their_section() {
        let rows: Vec<CounterRow> = ["Total Instructions", "total instructions", "other"]
            .map(|n| row(n, "1", Vec::new(), &[]))
            .into();
        assert_eq!(
            names(&rows),
            ["Total Instructions (S)", "total instructions (S)", "other"]
        );
    }

    #[test]
    fn columns_that_do_not_fit_follow_below_with_names_and_base_again() {
        let cells = || {
            vec![
                cell("100", json!(100)),
                cell("90", json!(90)),
                cell("80", json!(80)),
            ]
        };
        let rows = vec![row(
            "counter one",
            "1",
            cells(),
            &[None, Some(-10.0), Some(-20.0)],
        )];
        let v = view(&["base", "second", "third"], rows);
        let wide = comparison(&v, Lang::En, 100, Paint::PLAIN);
        assert!(
            wide.contains("counter      base  second    change  third    change\n"),
            "{wide}"
        );
        assert!(
            wide.contains("counter one   100      90  -10.00 %     80  -20.00 %\n"),
            "{wide}"
        );
        let narrow = comparison(&v, Lang::En, 40, Paint::PLAIN);
        assert!(
            narrow.contains("counter      base  second    change\n"),
            "{narrow}"
        );
        assert!(
            narrow.contains("\n\ncounter      base  third    change\n"),
            "{narrow}"
        );
        assert_eq!(narrow.matches("counter one   100").count(), 2, "{narrow}");
        let table = narrow.split("\n\n").skip(1).collect::<Vec<_>>().join("\n");
        assert!(table.lines().all(|l| width(l) <= 40), "{narrow}");
    }
}
