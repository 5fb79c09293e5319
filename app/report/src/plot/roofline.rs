//! The roofline: speed against arithmetic intensity, both logarithmic.
//!
//! Williams, Waterman and Patterson (2009): the roof at an intensity is the lesser of the peak of
//! the number type and intensity times bandwidth; they meet at the ridge.

mod crowd;

use super::canvas::{Canvas, Svg, fit};
use super::scale::{Scale, bounds};
use super::{WIDTH, positive, words};
use crate::figure;
use crate::strings::{Lang, Strings};

/// The peak of one number type.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roof {
    /// Number type, e.g. `f16`.
    pub dtype: String,
    /// Peak in flop/s.
    pub flops_per_s: f64,
}

/// A kernel on a workload.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoofPoint {
    /// Name, with the workload.
    pub label: String,
    /// What it is a time of, e.g. the variant: its points have one mark.
    pub subject: String,
    /// Number type: whose roof it is held against.
    pub dtype: String,
    /// Floating-point operations of a launch.
    pub flops: f64,
    /// Bytes of a launch.
    pub bytes: f64,
    /// Time of a launch in nanoseconds.
    pub ns: f64,
    /// Whether it is something to compare with, such as the vendor's library.
    pub is_reference: bool,
}

/// The plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roofline {
    /// Device.
    pub device: String,
    /// Memory bandwidth in bytes/s.
    pub bytes_per_s: f64,
    /// Peaks.
    pub roofs: Vec<Roof>,
    /// Points.
    pub points: Vec<RoofPoint>,
}

const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = Canvas::TOP + 18.0;
const BOTTOM: f64 = TOP + 300.0;
/// Points that have a number each; more are told apart by their subject alone.
const NUMBERED: usize = 12;
/// A ridge that lies further from the points than this factor is not drawn, but told.
const FAR: f64 = 8.0;

/// A point as it is drawn.
pub(crate) struct Place<'p> {
    point: &'p RoofPoint,
    /// flop/byte.
    pub(crate) intensity: f64,
    /// Gflop/s.
    pub(crate) speed: f64,
    /// Share of its roof.
    pub(crate) share: Option<f64>,
}

impl Roofline {
    /// Draws it.
    pub fn svg(&self, lang: Lang) -> Svg {
        let s = lang.strings();
        let mut c = Canvas::new(&words(s.pl_roofline, &[&self.device]));
        let places: Vec<Place> = self.points.iter().filter_map(|p| self.place(p)).collect();
        let shown = places.as_slice();
        let bandwidth = positive(self.bytes_per_s).map(|b| b / 1e9);
        let used = |r: &&Roof| {
            positive(r.flops_per_s).is_some()
                && (shown.is_empty() || shown.iter().any(|p| p.point.dtype == r.dtype))
        };
        let roofs: Vec<(&str, f64)> = self
            .roofs
            .iter()
            .filter(used)
            .map(|r| (r.dtype.as_str(), r.flops_per_s / 1e9))
            .collect();
        let furthest = shown.iter().map(|p| p.intensity).fold(0.0, f64::max);
        let is_far = |peak: f64| {
            let ridge = bandwidth.map(|b| peak / b);
            furthest > 0.0 && ridge.is_some_and(|r| r > furthest * FAR)
        };
        let (beyond, roofs): (Vec<_>, Vec<_>) = roofs.into_iter().partition(|r| is_far(r.1));
        let ridges = || roofs.iter().filter_map(|r| Some(r.1 / bandwidth?));
        let xs = shown.iter().map(|p| p.intensity).chain(ridges());
        let ys = shown.iter().map(|p| p.speed);
        // Where the ridge is beyond, the slope at the right end is the highest thing.
        let slope = bandwidth.filter(|_| !beyond.is_empty() && roofs.is_empty());
        let slope = slope.map(|b| furthest * 3.0 * b);
        let ys = ys.chain(roofs.iter().map(|r| r.1)).chain(slope);
        if bounds(xs.clone()).is_none() || bounds(ys.clone()).is_none() {
            c.text("m", 8.0, 56.0, s.pl_none);
            return c.finish(72.0, s.pl_none);
        }
        let x = Scale::log(xs, 3.0, LEFT, RIGHT);
        let y = Scale::log(ys, 2.0, BOTTOM, TOP);
        frame(&mut c, s, &x, &y);
        if let Some(b) = bandwidth {
            let top = roofs.iter().map(|r| r.1).fold(0.0, f64::max);
            let top = if top > 0.0 { top } else { y.high() };
            draw_roofs(&mut c, &x, &y, b, &roofs, top);
        }
        let mut row = BOTTOM + 46.0;
        for (dtype, peak) in &beyond {
            let ridge = bandwidth.map_or(0.0, |b| peak / b);
            let values = [figure::rate(*peak), figure::significant(ridge, 3)];
            let text = words(s.pl_peak_beyond, &[dtype, &values[0], &values[1]]);
            c.text("k e", RIGHT, row, &fit(&text, 600.0, 11.0));
            row += 16.0;
        }
        let height = match shown.len() <= NUMBERED {
            true => draw_points(&mut c, s, shown, [&x, &y], row + 6.0),
            false => crowd::draw(&mut c, s, shown, [&x, &y], row + 8.0),
        };
        let b = bandwidth.map_or_else(|| figure::NONE.into(), gigabytes);
        let description = words(s.pl_roofline_desc, &[&shown.len().to_string(), &b]);
        c.finish(height, &description)
    }

    /// Where a point lies; nothing without operations, bytes and a time.
    pub(crate) fn place<'p>(&self, point: &'p RoofPoint) -> Option<Place<'p>> {
        let intensity = positive(positive(point.flops)? / positive(point.bytes)?)?;
        // flop/ns is Gflop/s.
        let speed = positive(point.flops / positive(point.ns)?)?;
        let roof = self.roofs.iter().find(|r| r.dtype == point.dtype);
        let roof = roof.and_then(|r| positive(r.flops_per_s)).and_then(|peak| {
            let slope = positive(self.bytes_per_s)? * intensity;
            Some(peak.min(slope) / 1e9)
        });
        Some(Place {
            point,
            intensity,
            speed,
            share: roof.map(|r| speed / r),
        })
    }
}

fn gigabytes(b: f64) -> String {
    format!("{} GB/s", figure::rate(b))
}

fn frame(c: &mut Canvas, s: &Strings, x: &Scale, y: &Scale) {
    c.text("k", 8.0, Canvas::TOP + 4.0, s.pl_speed);
    for (value, text) in y.ticks(6) {
        let at = y.at(value);
        c.line("grid", LEFT, at, RIGHT, at);
        c.text("k e", LEFT - 6.0, at + 4.0, &text);
    }
    for (value, text) in x.ticks(7) {
        let at = x.at(value);
        c.line("grid", at, TOP, at, BOTTOM);
        c.text("k c", at, BOTTOM + 15.0, &text);
    }
    c.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    c.line("axis", LEFT, TOP, LEFT, BOTTOM);
    c.text("k e", RIGHT, BOTTOM + 30.0, s.pl_intensity);
}

fn draw_roofs(c: &mut Canvas, x: &Scale, y: &Scale, b: f64, roofs: &[(&str, f64)], top: f64) {
    // The slope begins where it enters the picture, at the left or at the bottom.
    let start = x.low().max(y.low() / b);
    let ridge = (top / b).min(x.high());
    if start < ridge {
        let ends = [
            (x.at(start), y.at(start * b)),
            (x.at(ridge), y.at(ridge * b)),
        ];
        c.path("one", &ends);
        let middle = (start * ridge).sqrt();
        let text = gigabytes(b);
        let (px, py) = (x.at(middle), y.at(middle * b));
        if px - 90.0 > LEFT {
            c.text("k e", px - 8.0, py - 4.0, &text);
        } else {
            c.text("k", px + 10.0, py + 10.0, &text);
        }
    }
    for (dtype, peak) in roofs {
        let ridge = peak / b;
        c.line("one", x.at(ridge), y.at(*peak), RIGHT, y.at(*peak));
        c.circle("plain", x.at(ridge), y.at(*peak), 3.0);
        let peak_text = figure::rate(*peak);
        let ridge_text = figure::significant(ridge, 3);
        let text = format!("{dtype}: {peak_text} Gflop/s ({ridge_text} flop/byte)");
        c.text("k e", RIGHT, y.at(*peak) - 5.0, &fit(&text, 330.0, 11.0));
    }
}

/// No kernel is faster than its roof; the formula or a peak is wrong, or the cache was not cold.
fn is_above(place: &Place) -> bool {
    place.share.is_some_and(|s| s > 1.02)
}

/// The figures of a point in words.
fn told(s: &Strings, place: &Place) -> String {
    let speed = figure::rate(place.speed);
    let intensity = figure::significant(place.intensity, 3);
    match place.share {
        Some(share) => {
            let share = figure::share(share);
            let template = if is_above(place) {
                s.pl_above_roof
            } else {
                s.pl_of_roof
            };
            words(template, &[&intensity, &speed, &share])
        }
        None => words(s.pl_no_roof, &[&intensity, &speed]),
    }
}

/// Points with numbers, and below what the numbers stand for.
fn draw_points(
    c: &mut Canvas,
    s: &Strings,
    places: &[Place],
    [x, y]: [&Scale; 2],
    mut row: f64,
) -> f64 {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (i, place) in places.iter().enumerate() {
        let (px, py) = (x.at(place.intensity), y.at(place.speed));
        let text = told(s, place);
        let number = (i + 1).to_string();
        // Beside its point, on the first side that no other number has.
        let sides = [
            (7.0, 4.0),
            (-15.0, 4.0),
            (-4.0, -7.0),
            (-4.0, 16.0),
            (10.0, -6.0),
            (10.0, 14.0),
        ];
        let place_of = |(dx, dy): (f64, f64)| (px + dx, py + dy);
        let is_free = |at: &(f64, f64)| {
            !taken
                .iter()
                .any(|t| (t.0 - at.0).abs() < 13.0 && (t.1 - at.1).abs() < 10.0)
        };
        let at = sides.map(place_of).into_iter().find(is_free);
        taken.extend(at);
        taken.push((px - 4.0, py + 4.0));
        c.hinted(&format!("{}: {text}", place.point.label), |c| {
            if place.point.is_reference {
                c.shape(
                    "plain",
                    &[
                        (px, py - 5.0),
                        (px + 5.0, py),
                        (px, py + 5.0),
                        (px - 5.0, py),
                    ],
                );
            } else {
                c.circle("good", px, py, 4.0);
            }
            // In a crowd a number would be on top of another one; the hint still has the name.
            if let Some((x, y)) = at {
                c.text("d", x, y, &number);
            }
        });
        c.text("d e", LEFT - 34.0, row, &number);
        let label = format!("{} ({})", place.point.label, place.point.dtype);
        c.text("d", LEFT - 26.0, row, &fit(&label, 270.0, 10.5));
        let class = if is_above(place) { "d e badt" } else { "d e" };
        c.text(class, RIGHT, row, &fit(&text, 400.0, 10.5));
        row += 16.0;
    }
    row - 4.0
}
