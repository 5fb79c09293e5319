//! The champion curve: the time of each accepted version, as steps.

use super::canvas::{Canvas, Svg, fit, width_of};
use super::scale::{Scale, bounds};
use super::{WIDTH, positive, words};
use crate::figure;
use crate::strings::Lang;

/// A version on the curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CurvePoint {
    /// Version.
    pub label: String,
    /// Time in nanoseconds; absent when it was not measured.
    pub ns: Option<f64>,
    /// What else is known, in a line, e.g. the ratio.
    pub note: String,
}

/// A time to compare with, such as that of the vendor's library.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reference {
    /// Name.
    pub label: String,
    /// Time in nanoseconds.
    pub ns: f64,
}

/// The curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// Versions in the order in which they were accepted.
    pub points: Vec<CurvePoint>,
    /// Times to compare with.
    pub references: Vec<Reference>,
}

const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = Canvas::TOP + 24.0;
const BOTTOM: f64 = TOP + 220.0;

impl Curve {
    /// Draws it.
    pub fn svg(&self, lang: Lang) -> Svg {
        let s = lang.strings();
        let mut c = Canvas::new(s.pl_curve);
        let times: Vec<Option<f64>> = self
            .points
            .iter()
            .map(|p| p.ns.and_then(positive))
            .collect();
        let references: Vec<(&str, f64)> = self
            .references
            .iter()
            .filter_map(|r| positive(r.ns).map(|ns| (r.label.as_str(), ns)))
            .collect();
        let known = times.iter().flatten().copied();
        let Some((low, high)) = bounds(known.chain(references.iter().map(|r| r.1))) else {
            c.text("m", 8.0, 56.0, s.pl_none);
            return c.finish(72.0, s.pl_none);
        };
        let (divisor, unit) = unit_of(high);
        let values = [low / divisor, high / divisor];
        let is_log = high > low * 30.0;
        let y = if is_log {
            Scale::log(values, 1.3, BOTTOM, TOP)
        } else if low < high * 0.6 {
            Scale::linear([0.0, high / divisor], BOTTOM, TOP)
        } else {
            Scale::linear(values, BOTTOM, TOP)
        };
        let axis = match (is_log, y.low() > 0.0) {
            (true, _) => s.pl_time_log,
            (false, true) => s.pl_time_cut,
            (false, false) => s.pl_time,
        };
        c.text("k", 8.0, Canvas::TOP + 8.0, &words(axis, &[unit]));
        for (value, text) in y.ticks(5) {
            let at = y.at(value);
            c.line("grid", LEFT, at, RIGHT, at);
            c.text("k e", LEFT - 6.0, at + 4.0, &text);
        }
        c.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
        for (label, ns) in &references {
            let at = y.at(ns / divisor);
            c.line("dash", LEFT, at, RIGHT, at);
            let text = format!("{label} {}", figure::time(Some(*ns)));
            c.text("k e", RIGHT, at - 4.0, &fit(&text, 260.0, 11.0));
        }
        let places: Vec<Option<f64>> = times.iter().map(|t| t.map(|t| y.at(t / divisor))).collect();
        self.steps(&mut c, &places);
        let lines: Vec<f64> = references.iter().map(|r| y.at(r.1 / divisor)).collect();
        let (depth, thinned) = self.labels(&mut c, &places, &lines);
        let mut height = BOTTOM + depth + 8.0;
        if thinned {
            height += 16.0;
            c.text("k", 8.0, height - 8.0, s.pl_labels_cut);
        }
        let mut ends = times.iter().flatten().copied();
        let first = ends.next();
        let last = ends.next_back().or(first);
        let description = words(
            s.pl_curve_desc,
            &[
                &self.points.len().to_string(),
                &figure::time(first),
                &figure::time(last),
            ],
        );
        c.finish(height, &description)
    }

    fn slot(&self) -> f64 {
        (RIGHT - LEFT) / self.points.len().max(1) as f64
    }

    /// Where a version's step begins.
    fn x(&self, i: usize) -> f64 {
        LEFT + self.slot() * i as f64 + (self.slot() * 0.1).min(10.0)
    }

    fn steps(&self, c: &mut Canvas, places: &[Option<f64>]) {
        let mut path = Vec::new();
        for (i, at) in places.iter().enumerate() {
            let Some(at) = at else { continue };
            if let Some((_, before)) = path.last().copied() {
                path.push((self.x(i), before));
            }
            path.push((self.x(i), *at));
        }
        let Some((_, last)) = path.last().copied() else {
            return;
        };
        path.push((RIGHT, last));
        c.path("goodl", &path);
    }

    /// Marks, names and figures; how deep the names reach below the axis, and whether some are
    /// left out.
    fn labels(&self, c: &mut Canvas, places: &[Option<f64>], lines: &[f64]) -> (f64, bool) {
        let slot = self.slot();
        let widest = self
            .points
            .iter()
            .map(|p| width_of(&p.label, 11.0))
            .fold(0.0, f64::max);
        // Two lines below each other read better than one that rises.
        let is_flat = widest <= slot - 6.0 || (slot > 76.0 && widest <= (slot - 6.0) * 1.9);
        let every_name = if is_flat {
            1
        } else {
            (18.0 / slot).ceil() as usize
        };
        let every_value = (56.0 / slot).ceil() as usize;
        let last = self.points.len().saturating_sub(1);
        let mut depth = 20.0f64;
        for (i, (point, at)) in self.points.iter().zip(places).enumerate() {
            let x = self.x(i);
            // The last version is always named, so what stands before it may have to give way.
            let is_shown = |every: usize, room: usize| {
                i == last || (i % every == 0 && (every == 1 || i + room <= last))
            };
            let figure = figure::time(point.ns);
            if slot > 4.0 || is_shown(every_name, every_name) {
                let hint = format!("{}: {figure} {}", point.label, point.note);
                c.hinted(hint.trim_end(), |c| match at {
                    Some(at) => c.circle("good", x, *at, if slot > 12.0 { 4.0 } else { 2.5 }),
                    None => c.text("k", x, BOTTOM - 6.0, figure::NONE),
                });
            }
            if let Some(at) = at
                && is_shown(every_value, every_value * 2)
            {
                let room = RIGHT - x - 7.0;
                // Below the step where a line to compare with runs right above it.
                let is_crossed = lines.iter().any(|l| (at - 18.0..*at).contains(l));
                let below = is_crossed && at + 16.0 < BOTTOM;
                let y = if below { at + 14.0 } else { at - 6.0 };
                if i == last && room < width_of(&figure, 11.0) {
                    c.text("d e", RIGHT, y, &figure);
                } else {
                    c.text("d", x + 7.0, y, &figure);
                }
            }
            if is_shown(every_name, every_name) {
                if is_flat {
                    let (first, second) = two_lines(&point.label, slot - 6.0);
                    c.text("k", x, BOTTOM + 16.0, first);
                    if !second.is_empty() {
                        depth = 34.0;
                        c.text("k", x, BOTTOM + 30.0, &fit(second, slot - 6.0, 11.0));
                    }
                } else {
                    // The first names must not begin left of the picture.
                    let room = ((x - 4.0) / 0.77).min(132.0);
                    let label = fit(&point.label, room, 11.0);
                    depth = depth.max(22.0 + width_of(&label, 11.0) * 0.66);
                    c.rising_text("k e", x + 5.0, BOTTOM + 14.0, &label);
                }
            }
        }
        (depth, every_name > 1)
    }
}

/// Splits a name where the first line is full, after a blank or a mark if there is one.
fn two_lines(name: &str, room: f64) -> (&str, &str) {
    if width_of(name, 11.0) <= room {
        return (name, "");
    }
    let mut width = 0.0;
    let (mut full, mut mark) = (name.len(), None);
    for (i, c) in name.char_indices() {
        let end = i + c.len_utf8();
        width += width_of(&name[i..end], 11.0);
        if width > room {
            full = i;
            break;
        }
        if matches!(c, ' ' | '/' | '-' | '_' | '.' | ',') {
            mark = Some(end);
        }
    }
    let (first, second) = name.split_at(mark.unwrap_or(full));
    (first.trim_end(), second)
}

/// The unit in which a time reads well, with its length in nanoseconds.
pub(super) fn unit_of(ns: f64) -> (f64, &'static str) {
    match ns {
        n if n >= 1e9 => (1e9, "s"),
        n if n >= 1e6 => (1e6, "ms"),
        n if n >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_take_two_lines() {
        let split = |name| two_lines(name, 110.0);
        assert_eq!(split("short"), ("short", ""));
        assert_eq!(
            split("C_shared/swizzle256/panel4"),
            ("C_shared/", "swizzle256/panel4")
        );
        assert_eq!(split("panel2 + 512 threads"), ("panel2 + 512", "threads"));
        assert_eq!(split("双缓冲预取与重排布局"), ("双缓冲预取与重排", "布局"));
    }
}
