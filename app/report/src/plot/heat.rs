//! Ratios of variants on workloads as coloured cells with their numbers.

use assay_core::view::DOUBTED_MARK;

use super::canvas::{Canvas, Svg, fit, width_of};
use super::{WIDTH, extremes, positive, words};
use crate::figure;
use crate::strings::{Lang, Strings};

/// A variant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatRow {
    /// Name, with what it is held against.
    pub label: String,
    /// Ratio of the whole, by which rows are chosen when there are too many.
    pub ratio: Option<f64>,
    /// Ratio on each workload, in their order; absent where there is none.
    pub cells: Vec<Option<f64>>,
    /// Whether it is slower beyond the guard on that workload.
    pub broken: Vec<bool>,
    /// Whether an audit contradicts a published time that the ratio is of; short where none is.
    pub doubted: Vec<bool>,
    /// Whether the verdict has proven neither side on that workload: such a cell has no colour.
    pub unproven: Vec<bool>,
}

/// The plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heat {
    /// Workloads.
    pub workloads: Vec<String>,
    /// Variants from top to bottom.
    pub rows: Vec<HeatRow>,
    /// Whether these are published medians beside each other, which make no verdict.
    pub is_published: bool,
    /// The effect that matters (0.01 is 1 %): less has no colour. 1 % when absent.
    pub delta: Option<f64>,
}

const MOST: usize = 60;
/// Workloads side by side; more go into another band below.
const ACROSS: usize = 15;
const ROW: f64 = 20.0;
/// Widest cell.
const CELL: f64 = 64.0;

/// The colour of what is neither.
const UNPROVEN: &str = "n";
/// Colours from faster to slower.
const STEPS: [&str; 9] = ["f4", "f3", "f2", "f1", UNPROVEN, "s1", "s2", "s3", "s4"];
/// How many times as fast or slow a step begins, after delta.
const BOUNDS: [f64; 3] = [1.03, 1.1, 1.3];

impl Heat {
    /// Draws it.
    pub fn svg(&self, lang: Lang) -> Svg {
        let s = lang.strings();
        let mut c = Canvas::new(match self.is_published {
            true => s.pl_heat_published,
            false => s.pl_heat,
        });
        if self.rows.is_empty() || self.workloads.is_empty() {
            c.text("m", 8.0, 56.0, s.pl_none);
            return c.finish(72.0, s.pl_none);
        }
        let whole: Vec<Option<f64>> = self
            .rows
            .iter()
            .map(|r| r.ratio.and_then(positive))
            .collect();
        let cut = extremes(&whole, MOST);
        let rows: Vec<&HeatRow> = match &cut {
            Some((picked, ..)) => picked.iter().map(|i| &self.rows[*i]).collect(),
            None => self.rows.iter().collect(),
        };
        let mut y = Canvas::TOP;
        for (band, names) in self.workloads.chunks(ACROSS).enumerate() {
            y = self.band(&mut c, &rows, names, band * ACROSS, y);
        }
        y = self.legend(&mut c, s, y);
        if rows.iter().any(|r| r.unproven.contains(&true)) {
            y += 16.0;
            c.text("k", 8.0, y, s.pl_unproven);
        }
        let is_broken = |r: &&HeatRow| r.broken.iter().any(|b| *b);
        if rows.iter().any(is_broken) {
            y += 16.0;
            c.text("k", 8.0, y, s.pl_broken);
        }
        if rows.iter().any(|r| r.doubted.contains(&true)) {
            y += 16.0;
            c.text("k", 8.0, y, s.pl_doubted);
        }
        if let Some((_, low, high)) = cut {
            y += 16.0;
            let counts = [rows.len(), self.rows.len(), low, high].map(|n| n.to_string());
            c.text(
                "k",
                8.0,
                y,
                &words(s.pl_shown, &counts.each_ref().map(String::as_str)),
            );
        }
        let size = [rows.len(), self.workloads.len()].map(|n| n.to_string());
        let description = words(s.pl_heat_desc, &size.each_ref().map(String::as_str));
        c.finish(y + 12.0, &description)
    }

    fn delta(&self) -> f64 {
        let given = self.delta.filter(|d| d.is_finite() && *d > 0.0);
        given.unwrap_or(0.01).min(0.029)
    }

    /// The step of a ratio.
    fn step(&self, ratio: f64) -> usize {
        let times = ratio.max(1.0 / ratio);
        let far = if times <= 1.0 + self.delta() {
            0
        } else {
            1 + BOUNDS.iter().filter(|b| times >= **b).count()
        };
        if ratio < 1.0 { 4 - far } else { 4 + far }
    }

    fn band(
        &self,
        c: &mut Canvas,
        rows: &[&HeatRow],
        names: &[String],
        from: usize,
        y: f64,
    ) -> f64 {
        let labels = rows.iter().map(|r| width_of(&r.label, 11.0));
        let across = ACROSS.min(self.workloads.len()) as f64;
        // Few cells leave room for long names.
        let most = (WIDTH - 100.0 - across * CELL - 14.0).clamp(170.0, 340.0);
        let left = 14.0 + labels.fold(40.0, f64::max).min(most);
        // The last name rises to the right and needs room there.
        let names: Vec<String> = names.iter().map(|n| fit(n, 130.0, 11.0)).collect();
        let room = names.last().map_or(0.0, |n| width_of(n, 11.0) * 0.77);
        let right = WIDTH - room.clamp(30.0, 100.0);
        let cell = ((right - left) / across).min(CELL);
        let widest = names.iter().map(|n| width_of(n, 11.0)).fold(0.0, f64::max);
        let is_flat = widest < cell - 4.0;
        let top = y + if is_flat { 18.0 } else { 10.0 + widest * 0.66 };
        for (i, name) in names.iter().enumerate() {
            let middle = left + cell * (i as f64 + 0.5);
            if is_flat {
                c.text("k c", middle, top - 6.0, name);
            } else {
                c.rising_text("k", middle, top - 5.0, name);
            }
        }
        for (r, row) in rows.iter().enumerate() {
            let at = top + ROW * r as f64;
            c.text(
                "k e",
                left - 6.0,
                at + 14.0,
                &fit(&row.label, left - 12.0, 11.0),
            );
            for i in 0..names.len() {
                let x = left + cell * i as f64;
                let value = row
                    .cells
                    .get(from + i)
                    .copied()
                    .flatten()
                    .and_then(positive);
                let Some(ratio) = value else {
                    c.text("k c", x + cell / 2.0, at + 14.0, "·");
                    continue;
                };
                let step = match row.unproven.get(from + i) {
                    Some(true) => UNPROVEN,
                    _ => STEPS[self.step(ratio)],
                };
                c.rect(step, x + 0.5, at + 0.5, cell - 1.0, ROW - 1.0);
                let mut text = short(ratio);
                if row.doubted.get(from + i) == Some(&true) {
                    text.push_str(DOUBTED_MARK);
                }
                let is_dark = matches!(step, "f4" | "s4");
                // Figures of narrow cells do not run into each other.
                let is_tight = width_of(&text, 10.5) > cell - 5.0;
                let class = match (is_dark, is_tight) {
                    (true, true) => "d c x z",
                    (true, false) => "d c x",
                    (false, true) => "d c z",
                    (false, false) => "d c",
                };
                c.text(class, x + cell / 2.0, at + 14.0, &text);
                if row.broken.get(from + i) == Some(&true) {
                    c.rect("broken", x + 1.5, at + 1.5, cell - 3.0, ROW - 3.0);
                }
            }
        }
        top + ROW * rows.len() as f64 + 8.0
    }

    fn legend(&self, c: &mut Canvas, s: &Strings, y: f64) -> f64 {
        let delta = self.delta();
        let ends = [1.0 + delta, BOUNDS[0], BOUNDS[1], BOUNDS[2]];
        let mut at = 8.0 + width_of(s.pl_faster, 11.0) + 8.0;
        c.text("k", 8.0, y + 14.0, s.pl_faster);
        for (i, step) in STEPS.iter().enumerate() {
            let width = 62.0;
            c.rect(step, at, y, width - 1.0, 20.0);
            let text = match i {
                0 => format!("≤ {:.2}", 1.0 / ends[3]),
                8 => format!("≥ {:.2}", ends[3]),
                4 => format!("± {}", figure::percent(Some(delta))),
                i if i < 4 => format!("≤ {:.2}", 1.0 / ends[3 - i]),
                i => format!("> {:.2}", ends[i - 5]),
            };
            let class = if i == 0 || i == 8 { "d c x" } else { "d c" };
            c.text(class, at + width / 2.0, y + 14.0, &text);
            at += width;
        }
        c.text("k", at + 8.0, y + 14.0, s.pl_slower);
        y + 24.0
    }
}

/// A ratio in a cell: three figures are enough beside a colour.
fn short(ratio: f64) -> String {
    match ratio {
        r if !(0.0005..1000.0).contains(&r) => format!("{r:.0e}"),
        r if r >= 100.0 => format!("{r:.0}"),
        r if r >= 10.0 => format!("{r:.1}"),
        r if r < 0.1 => format!("{r:.3}"),
        r => format!("{r:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_gains_and_losses_have_equal_steps() {
        let heat = Heat::default();
        for (ratio, step) in [(1.0, 4), (1.005, 4), (1.02, 5), (1.2, 7), (2.0, 8)] {
            assert_eq!(heat.step(ratio), step, "{ratio}");
            assert_eq!(heat.step(1.0 / ratio), 8 - step, "{ratio}");
        }
        assert_eq!(short(0.4444), "0.44");
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(1e9), "1e9");
    }

    #[test]
    fn what_is_not_proven_has_no_colour_however_far_it_is_from_1() {
        let row = |unproven: bool| HeatRow {
            label: "tile".into(),
            ratio: Some(0.5),
            cells: vec![Some(0.5)],
            broken: vec![false],
            unproven: vec![unproven],
            ..HeatRow::default()
        };
        let drawn = |unproven| {
            let heat = Heat {
                workloads: vec!["square".into()],
                rows: vec![row(unproven)],
                ..Heat::default()
            };
            let svg = heat.svg(Lang::En).standalone();
            // The legend has one of each step.
            let count = |step: &str| svg.matches(&format!("class=\"{step}\"")).count();
            (
                count("f4"),
                count("n"),
                svg.contains("no colour: not proven"),
            )
        };
        assert_eq!(drawn(false), (2, 1, false));
        assert_eq!(drawn(true), (1, 2, true));
    }
}
