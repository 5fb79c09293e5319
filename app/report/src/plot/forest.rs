//! Ratios with their intervals, one a row, with the band of delta and the line at 1.

use super::canvas::{Canvas, Svg, fit, width_of};
use super::scale::{Scale, bounds};
use super::{WIDTH, extremes, positive, words};
use crate::figure;
use crate::strings::Lang;

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForestRow {
    /// What was measured, and against what.
    pub label: String,
    /// Time / time of the reference.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// Verdict word; may be empty.
    pub verdict: String,
}

/// The plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forest {
    /// Rows from top to bottom.
    pub rows: Vec<ForestRow>,
    /// The effect that matters (0.01 is 1 %).
    pub delta: Option<f64>,
}

/// Rows that fit on a page.
const MOST: usize = 60;
const ROW: f64 = 19.0;
/// Room for labels, which leaves a third of the width to the intervals.
const MOST_LABEL: f64 = 236.0;

/// A row as it is drawn.
struct Mark<'r> {
    row: &'r ForestRow,
    ratio: Option<f64>,
    interval: Option<[f64; 2]>,
}

impl Mark<'_> {
    /// Faster, slower or neither, as the verdict has it; without one by the interval.
    fn side(&self) -> std::cmp::Ordering {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match (self.row.verdict.as_str(), self.interval) {
            ("FASTER", _) => Less,
            ("SLOWER", _) => Greater,
            ("", Some([_, high])) if high < 1.0 => Less,
            ("", Some([low, _])) if low > 1.0 => Greater,
            _ => Equal,
        }
    }
}

impl Forest {
    /// Draws it.
    pub fn svg(&self, lang: Lang) -> Svg {
        let s = lang.strings();
        let mut c = Canvas::new(s.pl_forest);
        let ratios: Vec<Option<f64>> = self
            .rows
            .iter()
            .map(|r| r.ratio.and_then(positive))
            .collect();
        let cut = extremes(&ratios, MOST);
        let order: Vec<usize> = match &cut {
            Some((picked, ..)) => picked.clone(),
            None => (0..self.rows.len()).collect(),
        };
        let marks: Vec<Mark> = order
            .iter()
            .map(|i| Mark {
                row: &self.rows[*i],
                ratio: ratios[*i],
                interval: self.rows[*i]
                    .interval
                    .filter(|i| i.iter().all(|v| positive(*v).is_some()) && i[0] <= i[1]),
            })
            .collect();
        if marks.is_empty() {
            c.text("m", 8.0, 56.0, s.pl_none);
            return c.finish(72.0, s.pl_none);
        }
        let labels = marks.iter().map(|m| width_of(&m.row.label, 12.0));
        let left = 16.0 + labels.fold(60.0, f64::max).min(MOST_LABEL);
        let right = WIDTH - 232.0;
        let x = scale(&marks, self.delta, left, right);
        let top = Canvas::TOP;
        let bottom = top + ROW * marks.len() as f64 + 4.0;
        if let Some(delta) = self.delta.filter(|d| d.is_finite() && *d > 0.0 && *d < 1.0) {
            let (low, high) = (x.at(1.0 - delta), x.at(1.0 + delta));
            c.rect("band", low, top, high - low, bottom - top);
        }
        for (value, text) in x.ticks(6) {
            let at = x.at(value);
            c.line("grid", at, top, at, bottom);
            c.text("k c", at, bottom + 15.0, &text);
        }
        c.line("one", x.at(1.0), top, x.at(1.0), bottom);
        c.line("axis", left, bottom, right, bottom);
        for (i, mark) in marks.iter().enumerate() {
            let y = top + ROW * (i as f64 + 0.5) + 2.0;
            row(&mut c, mark, &x, y, left, right);
        }
        let mut y = bottom + 31.0;
        c.text("k", left, y, s.pl_ratio);
        if let Some(delta) = self.delta {
            let text = words(s.pl_delta, &[&figure::percent(Some(delta))]);
            c.text("k e", WIDTH - 8.0, y, &text);
        }
        if let Some((_, low, high)) = cut {
            y += 16.0;
            let counts = [order.len(), self.rows.len(), low, high].map(|n| n.to_string());
            let counts = counts.each_ref().map(String::as_str);
            c.text("k", 8.0, y, &words(s.pl_shown, &counts));
        }
        let count = |wanted| marks.iter().filter(|m| m.side() == wanted).count();
        let counts = [
            marks.len(),
            count(std::cmp::Ordering::Less),
            count(std::cmp::Ordering::Greater),
        ]
        .map(|n| n.to_string());
        let counts = counts.each_ref().map(String::as_str);
        c.finish(y + 10.0, &words(s.pl_forest_desc, &counts))
    }
}

/// Logarithmic, around 1; a few wild intervals do not squeeze the others: those are cut.
fn scale(marks: &[Mark], delta: Option<f64>, left: f64, right: f64) -> Scale {
    let (low, high) = bounds(marks.iter().filter_map(|m| m.ratio)).unwrap_or((1.0, 1.0));
    let delta = delta
        .filter(|d| d.is_finite() && *d > 0.0)
        .map_or(0.01, |d| d.min(0.5));
    let (low, high) = (low.min(1.0 - delta * 1.5), high.max(1.0 + delta * 1.5));
    let room = (high / low).sqrt();
    let ends = marks.iter().filter_map(|m| m.interval).flatten();
    let ends = ends.map(|v| v.clamp(low / room, high * room));
    Scale::log(
        ends.chain([low, high]),
        1.0 + (room - 1.0) * 0.1,
        left,
        right,
    )
}

fn row(c: &mut Canvas, mark: &Mark, x: &Scale, y: f64, left: f64, right: f64) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (line, fill, text) = match mark.side() {
        Less => ("goodl", "good", "goodt"),
        Greater => ("badl", "bad", "badt"),
        Equal => ("plainl", "plain", ""),
    };
    let figures = format!(
        "{} [{}]",
        figure::ratio(mark.ratio),
        figure::interval(mark.interval)
    );
    let hint = format!("{}: {figures} {}", mark.row.label, mark.row.verdict);
    c.hinted(hint.trim_end(), |c| {
        c.text(
            "e",
            left - 8.0,
            y + 4.0,
            &fit(&mark.row.label, left - 16.0, 12.0),
        );
        if let Some([low, high]) = mark.interval {
            c.line(line, x.at(low), y, x.at(high), y);
            // An interval that goes on beyond the axis ends in an arrow, any other one in a bar.
            for (value, is_cut, way, edge) in [
                (low, low < x.low(), -1.0, left),
                (high, high > x.high(), 1.0, right),
            ] {
                if is_cut {
                    let tip = edge + way * 5.0;
                    c.shape(fill, &[(tip, y), (edge, y - 4.0), (edge, y + 4.0)]);
                } else {
                    c.line(line, x.at(value), y - 3.5, x.at(value), y + 3.5);
                }
            }
        }
        if let Some(ratio) = mark.ratio {
            let at = x.at(ratio);
            match mark.side() {
                Less => c.shape(
                    fill,
                    &[(at - 6.0, y), (at + 4.0, y - 5.5), (at + 4.0, y + 5.5)],
                ),
                Greater => c.shape(
                    fill,
                    &[(at + 6.0, y), (at - 4.0, y - 5.5), (at - 4.0, y + 5.5)],
                ),
                Equal => c.circle(fill, at, y, 4.0),
            }
        }
        c.text("d", right + 14.0, y + 4.0, &figures);
        let class = format!("d e {text}");
        c.text(
            class.trim_end(),
            WIDTH - 8.0,
            y + 4.0,
            &fit(&mark.row.verdict, 72.0, 10.5),
        );
    });
}
