//! Changes of counters as bars to both sides of zero.

use super::canvas::{Canvas, Svg, fit, width_of};
use super::scale::Scale;
use super::{WIDTH, usable, words};
use crate::figure;
use crate::strings::Lang;

/// A figure before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    /// Name.
    pub label: String,
    /// Value before.
    pub before: f64,
    /// Value after.
    pub after: f64,
    /// Unit of both; `1` is not shown.
    pub unit: String,
    /// Whether the change is good; absent when the figure has no direction.
    pub is_better: Option<bool>,
}

/// The plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// What the figures are after, e.g. the variant.
    pub after: String,
    /// What they are before, e.g. its parent.
    pub before: String,
    /// Figures from top to bottom.
    pub bars: Vec<Bar>,
}

const MOST: usize = 40;
const ROW: f64 = 20.0;
/// Changes beyond are cut, with an arrow.
const FAR: f64 = 100.0;

impl Bars {
    /// Draws it.
    pub fn svg(&self, lang: Lang) -> Svg {
        let s = lang.strings();
        let mut c = Canvas::new(&words(s.pl_bars, &[&self.after, &self.before]));
        let change = |b: &Bar| figure::relative_change(b.before, b.after).and_then(usable);
        let mut bars: Vec<(&Bar, f64)> = self
            .bars
            .iter()
            .filter_map(|b| Some((b, change(b)?)))
            .collect();
        let all = bars.len();
        if all > MOST {
            bars.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            bars.truncate(MOST);
        }
        if bars.is_empty() {
            c.text("m", 8.0, 56.0, s.pl_none);
            return c.finish(72.0, s.pl_none);
        }
        let labels = bars.iter().map(|b| width_of(&b.0.label, 12.0));
        let left = 16.0 + labels.fold(60.0, f64::max).min(220.0);
        let right = WIDTH - 210.0;
        let reach = |wanted: fn(f64) -> f64| {
            bars.iter()
                .map(|b| wanted(b.1))
                .fold(0.0, f64::max)
                .min(FAR)
        };
        let (down, up) = (reach(|v| -v), reach(|v| v));
        let pad = (down + up).max(1.0) * 0.04;
        let x = Scale::between(-down - pad, up + pad, left, right);
        let (top, zero) = (Canvas::TOP, x.at(0.0));
        let bottom = top + ROW * bars.len() as f64 + 4.0;
        for (value, text) in x.ticks(6) {
            let at = x.at(value);
            c.line("grid", at, top, at, bottom);
            c.text("k c", at, bottom + 15.0, &text);
        }
        for (i, (bar, change)) in bars.iter().enumerate() {
            let y = top + ROW * (i as f64 + 0.5) + 2.0;
            let (fill, text, word) = match bar.is_better {
                Some(true) => ("good", "goodt", s.better),
                Some(false) => ("hollow", "badt", s.worse),
                None => ("plain", "", ""),
            };
            let value = |v: f64| figure::with_unit(v, &bar.unit).plain();
            let percent = figure::change(Some(*change));
            let hint = format!(
                "{}: {} → {} ({percent}) {word}",
                bar.label,
                value(bar.before),
                value(bar.after)
            );
            c.hinted(hint.trim_end(), |c| {
                c.text(
                    "e",
                    left - 8.0,
                    y + 4.0,
                    &fit(&bar.label, left - 16.0, 12.0),
                );
                let end = x.at(*change);
                // A figure without direction is a thin bar.
                let half = if bar.is_better.is_some() { 6.0 } else { 3.0 };
                c.rect(
                    fill,
                    zero.min(end),
                    y - half,
                    (end - zero).abs(),
                    half * 2.0,
                );
                if change.abs() > FAR + pad {
                    let way = change.signum() * 7.0;
                    c.shape(fill, &[(end + way, y), (end, y - 8.0), (end, y + 8.0)]);
                }
                let class = format!("d e {text}");
                c.text(class.trim_end(), right + 78.0, y + 4.0, &percent);
                c.text(format!("d {text}").trim_end(), right + 88.0, y + 4.0, word);
            });
        }
        c.line("one", zero, top, zero, bottom);
        let mut y = bottom + 31.0;
        c.text("k", left, y, s.pl_bars_axis);
        if all > bars.len() {
            y += 16.0;
            let counts = [bars.len().to_string(), all.to_string()];
            c.text(
                "k",
                8.0,
                y,
                &words(s.pl_bars_cut, &counts.each_ref().map(String::as_str)),
            );
        }
        let count = |wanted| bars.iter().filter(|b| b.0.is_better == wanted).count();
        let counts = [
            bars.len(),
            count(Some(true)),
            count(Some(false)),
            count(None),
        ]
        .map(|n| n.to_string());
        let description = words(s.pl_bars_desc, &counts.each_ref().map(String::as_str));
        c.finish(y + 10.0, &description)
    }
}
