//! Distributions of samples of two sides: every sample as a dot over a box.

use super::canvas::{Canvas, Svg, fit};
use super::curve::unit_of;
use super::scale::Scale;
use super::{WIDTH, usable, words};
use crate::figure;
use crate::strings::{Lang, Strings};

/// Samples of one side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpreadSide {
    /// Name of the subject.
    pub label: String,
    /// Samples in nanoseconds, in any order.
    pub ns: Vec<f64>,
}

/// Two sides on one workload; each panel has its own axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpreadPanel {
    /// Workload.
    pub label: String,
    /// The reference.
    pub a: SpreadSide,
    /// The variant.
    pub b: SpreadSide,
}

/// The plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spread {
    /// Name of the reference.
    pub a: String,
    /// Name of the variant.
    pub b: String,
    /// One for each workload.
    pub panels: Vec<SpreadPanel>,
}

/// Dots of one side; more only make a black bar.
const MOST_DOTS: usize = 150;
const MOST_PANELS: usize = 16;
const LEFT: f64 = 150.0;
const RIGHT: f64 = WIDTH - 168.0;
const LANE: f64 = 27.0;

impl Spread {
    /// Draws it.
    pub fn svg(&self, lang: Lang) -> Svg {
        let s = lang.strings();
        let mut c = Canvas::new(&words(s.pl_samples, &[&self.a, &self.b]));
        let mut y = Canvas::TOP;
        let (mut dots, mut samples) = (0, 0);
        for panel in self.panels.iter().take(MOST_PANELS) {
            let sides = [sorted(&panel.a.ns), sorted(&panel.b.ns)];
            samples += sides[0].len() + sides[1].len();
            dots += sides.iter().map(|s| s.len().min(MOST_DOTS)).sum::<usize>();
            y = draw(&mut c, s, panel, &sides, y);
        }
        if self.panels.is_empty() {
            c.text("m", 8.0, 56.0, s.pl_none);
            y = 60.0;
        }
        let mut note = |template, shown: usize, all: usize| {
            if shown < all {
                y += 16.0;
                c.text(
                    "k",
                    8.0,
                    y,
                    &words(template, &[&shown.to_string(), &all.to_string()]),
                );
            }
        };
        note(s.pl_dots, dots, samples);
        note(s.pl_panels, MOST_PANELS, self.panels.len());
        c.finish(y + 12.0, s.pl_samples_desc)
    }
}

/// What can be drawn, lowest first.
fn sorted(ns: &[f64]) -> Vec<f64> {
    let mut out: Vec<f64> = ns.iter().copied().filter_map(usable).collect();
    out.sort_by(f64::total_cmp);
    out
}

/// The value below which the share `q` lies, between samples (Hyndman and Fan 1996, type 7).
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = q * last as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    Some(sorted[below] + (sorted[above] - sorted[below]) * (at - at.floor()))
}

fn draw(c: &mut Canvas, s: &Strings, panel: &SpreadPanel, sides: &[Vec<f64>; 2], y: f64) -> f64 {
    c.text("m", 8.0, y + 10.0, &fit(&panel.label, 400.0, 12.0));
    let top = y + 16.0;
    let bottom = top + 2.0 * LANE;
    let all = || sides.iter().flatten().copied();
    if all().next().is_none() {
        c.text("k", LEFT, top + LANE, s.pl_none);
        return bottom + 4.0;
    }
    let (divisor, unit) = unit_of(all().map(f64::abs).fold(0.0, f64::max));
    let x = Scale::linear(all().map(|v| v / divisor), LEFT, RIGHT);
    for (value, text) in x.ticks(5) {
        let at = x.at(value);
        c.line("grid", at, top, at, bottom);
        c.text("k c", at, bottom + 14.0, &text);
    }
    c.line("axis", LEFT, bottom, RIGHT, bottom);
    c.text("k", RIGHT + 22.0, bottom + 14.0, unit);
    for (i, (side, values)) in [&panel.a, &panel.b].into_iter().zip(sides).enumerate() {
        let middle = top + LANE * (i as f64 + 0.5);
        let (dot, boxed, line) = match i {
            0 => ("adots", "abox", "plainl"),
            _ => ("bdots", "bbox", "goodl"),
        };
        c.text(
            "e",
            LEFT - 8.0,
            middle + 4.0,
            &fit(&side.label, LEFT - 16.0, 12.0),
        );
        let Some(median) = quantile(values, 0.5) else {
            c.text("k", LEFT, middle + 4.0, s.pl_none);
            continue;
        };
        let at = |q: f64| x.at(quantile(values, q).unwrap_or(median) / divisor);
        let figures = [figure::time(Some(median)), values.len().to_string()];
        let figures = words(s.pl_samples_of, &figures.each_ref().map(String::as_str));
        c.hinted(&format!("{}: {figures}", side.label), |c| {
            let place = |(k, share): (usize, f64)| {
                // Dots lie on five levels in turn, which is the same each time.
                let level = (k * 2 % 5) as f64 - 2.0;
                (at(share), middle + level * 2.6)
            };
            let dots: Vec<(f64, f64)> = shares(values.len()).enumerate().map(place).collect();
            c.dots(dot, &dots);
            c.line(line, at(0.0), middle, at(0.25), middle);
            c.line(line, at(0.75), middle, at(1.0), middle);
            c.rect(boxed, at(0.25), middle - 9.0, at(0.75) - at(0.25), 18.0);
            c.line(line, at(0.5), middle - 11.0, at(0.5), middle + 11.0);
        });
        c.text("d", RIGHT + 8.0, middle + 4.0, &figures);
    }
    bottom + 24.0
}

/// The samples that are shown as dots: all, or as many as can be told apart, evenly by rank.
fn shares(samples: usize) -> impl Iterator<Item = f64> {
    let shown = samples.min(MOST_DOTS);
    (0..shown).map(move |i| match shown {
        1 => 0.5,
        n => i as f64 / (n - 1) as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_samples() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), Some(2.5));
        assert_eq!(quantile(&[7.0], 0.25), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
