//! Variants side by side, as text.

use assay_core::record::CLAIMED_TIME;
use assay_core::text::inert;
use assay_core::view::{CompareView, ComparedFigure, DOUBTED_MARK};

use super::change::{self, number, times, unit};
use super::diff;
use super::paint::Paint;
use super::table::{Align, Table};
use super::views::verdict;
use crate::args::Lang;

/// Variants side by side.
pub fn compare(v: &CompareView) -> String {
    let mut out = String::new();
    for w in &v.warnings {
        out.push_str(&format!("warning: {}\n", inert(w)));
    }
    match (&v.verdict, &v.verdict_missing) {
        (Some(x), _) => out.push_str(&verdict(x)),
        (None, Some(why)) => out.push_str(&format!("no verdict: {}\n", inert(why))),
        (None, None) => {}
    }
    if let Some(p) = &v.published {
        out.push_str(&super::notes::published(p));
    }
    let names: Vec<&str> = v.variants.iter().map(|r| r.name.as_str()).collect();
    let medians = match &v.published {
        Some(p) => Times::Published(p.step_ns),
        None => Times::Measured,
    };
    let counters = match v.counters_of() {
        Some(of) => format!("counters ({of})"),
        None => "counters".into(),
    };
    for (title, rows, times) in [
        ("medians", &v.workloads, medians),
        (counters.as_str(), &v.counters, Times::Measured),
        ("facts", &v.facts, Times::Measured),
    ] {
        if !rows.is_empty() {
            let is_time = std::ptr::eq(rows, &v.workloads);
            let doubted = |i: usize, w: &str| {
                let of = v.variants.get(i).filter(|_| is_time);
                of.is_some_and(|r| r.time_is_doubted(Some(w)))
            };
            out.push_str(&format!(
                "\n{title}\n{}",
                marked(&names, rows, times, Lang::En, &doubted)
            ));
            if is_time {
                let doubts = v.variants.iter().filter(|r| r.time_is_doubted(None));
                let doubts = doubts.flat_map(|r| r.doubts(None, CLAIMED_TIME));
                out.push_str(&super::notes::doubted(doubts));
            }
        }
    }
    let beside: Vec<_> = v.attribution.iter().collect();
    let beside = diff::attribution(&beside, crate::args::Lang::En, Paint::stdout());
    if !beside.is_empty() {
        out.push_str(&format!("\n{}\n", beside.trim_end()));
    }
    let mut t = Table::default()
        .column("variant", Align::Left, 32)
        .column("gates", Align::Left, 60)
        .column("decision", Align::Left, 72);
    v.variants.iter().for_each(|r| {
        t.row([
            r.name.as_str(),
            &change::gates(&r.gates),
            &change::outcome(r),
        ])
    });
    out.push_str(&format!("\n{}", t.render()));
    out
}

/// How many digits of a time are worth showing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Times {
    /// Four.
    Measured,
    /// Those that were published, in steps of so many nanoseconds where that is known.
    Published(Option<f64>),
}

/// Figures of several subjects beside each other, with the change of the last against the first.
pub fn figures(names: &[&str], rows: &[ComparedFigure], of: Times, lang: Lang) -> String {
    marked(names, rows, of, lang, &|_, _| false)
}

/// The same; `doubted` says of a subject, by its place, and a row that the figure cannot be right.
fn marked(
    names: &[&str],
    rows: &[ComparedFigure],
    of: Times,
    lang: Lang,
    doubted: &dyn Fn(usize, &str) -> bool,
) -> String {
    // Of several the change is between the ends of the row, which nobody would guess.
    let several = names.len() > 2;
    let (fact, changed, unit_of) = match lang {
        Lang::En if several => ("", "last/first", "unit"),
        Lang::En => ("", "change", "unit"),
        Lang::Zh if several => ("事实", "末/首", "单位"),
        Lang::Zh => ("事实", "变化", "单位"),
    };
    let mut t = Table::default().column(fact, Align::Left, 40);
    for name in names {
        t = t.column(&inert(name), Align::Right, 20);
    }
    t = t
        .column(changed, Align::Right, 12)
        .column(unit_of, Align::Whole, 14);
    for row in rows {
        let mut cells = vec![row.name.clone()];
        let time = row.unit == "ns";
        if time {
            cells.extend(match of {
                Times::Measured => times(&row.values),
                Times::Published(step) => change::exact_times(&row.values, step),
            });
        } else {
            let cell = |x: &Option<f64>| x.map_or(change::ABSENT.into(), number);
            cells.extend(row.values.iter().map(cell));
        }
        for (i, cell) in cells.iter_mut().skip(1).enumerate() {
            if doubted(i, &row.name) {
                cell.push_str(&format!(" {DOUBTED_MARK}"));
            }
        }
        cells.push(change::percent(row.change_percent));
        cells.push(if time {
            String::new()
        } else {
            unit(&row.unit).to_owned()
        });
        t.row(cells);
    }
    t.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(unit: &str, values: &[f64]) -> ComparedFigure {
        ComparedFigure {
            name: "x".into(),
            unit: unit.into(),
            values: values.iter().map(|v| Some(*v)).collect(),
            change_percent: Some(-20.0),
        }
    }

    #[test]
    fn the_change_of_three_is_named_after_its_ends() {
        let pair = figures(
            &["a", "b"],
            &[figure("1", &[1.0, 0.8])],
            Times::Measured,
            Lang::En,
        );
        let head = pair.lines().next().unwrap();
        assert!(head.contains("change") && !head.contains("last/first"));
        assert!(pair.trim_end().ends_with("-20.00 %"), "no unit: {pair}");
        let three = figures(
            &["a", "b", "c"],
            &[figure("ns", &[1e6, 9e5, 8e5])],
            Times::Measured,
            Lang::En,
        );
        assert!(three.lines().next().unwrap().contains("last/first"));
        assert!(three.contains("1,000 us") && three.contains("900.0 us"));
        let zh = figures(
            &["a", "b"],
            &[figure("bits", &[1.0, 0.8])],
            Times::Measured,
            Lang::Zh,
        );
        let head: Vec<&str> = zh.lines().next().unwrap().split_whitespace().collect();
        assert_eq!(head, ["事实", "a", "b", "变化", "单位"]);
    }
}
