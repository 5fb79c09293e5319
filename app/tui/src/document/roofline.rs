//! The roofline: speed against arithmetic intensity, both logarithmic, with the ridge of each
//! number type in use, and the figures of every letter below it.

use std::collections::BTreeSet;

use assay_core::text::inert;
use assay_core::view::{RoofSpot, RoofView};
use ratatui::text::Line;

use super::parts::Pen;
use crate::fmt;
use crate::options::Lang;
use crate::strings::fill;
use crate::theme::Role;
use crate::view::{DOUBTED, PUBLISHED};
use crate::widget::plot::Plot;

/// Rows of the plot.
const ROWS: usize = 12;
/// Columns of the figures left of the plot.
const AXIS: usize = 9;
/// Spots with a letter of their own.
const LETTERS: usize = 26;

/// Draws the roofs and what lies below them; `variant` has small letters, its reference capitals.
pub fn lines(pen: &Pen, roof: &RoofView, variant: &str, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    pen.heading(out, s.roofline);
    let gbs = fmt::significant(roof.bytes_per_s / 1e9);
    let source = match pen.lang {
        Lang::Zh if !roof.source_zh.is_empty() => roof.source_zh.as_str().into(),
        _ => pen.said(&roof.source),
    };
    let text = fill(s.roof_peaks, &[&roof.device, &gbs, &source]);
    pen.wrapped(out, &text, 1, Role::Plain);
    let unit = SpeedUnit::of(roof);
    let dtypes: BTreeSet<&str> = roof.points.iter().map(|p| p.dtype.as_str()).collect();
    for dtype in &dtypes {
        let text = match (roof.flops_per_s.get(*dtype), roof.ridge(dtype)) {
            (Some(peak), Some(ridge)) => fill(
                s.roof_ridge,
                &[
                    dtype,
                    &fmt::figure(peak / unit.scale),
                    &fmt::significant(ridge),
                    unit.name,
                ],
            ),
            _ => fill(s.roof_no_peak, &[dtype]),
        };
        pen.wrapped(out, &text, 1, Role::Plain);
    }
    let spots: Vec<(char, &RoofSpot)> = letters(roof, variant);
    if let Some(scale) = Scale::of(roof, &dtypes) {
        plot(pen, roof, &dtypes, &spots, (&scale, unit), out);
    }
    figures(pen, roof, &spots, unit, out);
}

/// The unit of all speeds of a roofline.
#[derive(Debug, Clone, Copy)]
struct SpeedUnit {
    scale: f64,
    name: &'static str,
}

impl SpeedUnit {
    /// That of the highest roof, or of the fastest spot where no roof is known.
    fn of(roof: &RoofView) -> Self {
        let roofs = roof.flops_per_s.values().copied();
        let highest = roofs.chain(roof.points.iter().map(RoofSpot::speed));
        match highest.filter(|v| v.is_finite()).fold(0.0, f64::max) {
            v if v >= 1e13 => Self {
                scale: 1e12,
                name: "TFLOPS",
            },
            _ => Self {
                scale: 1e9,
                name: "GFLOPS",
            },
        }
    }
}

/// A letter for each spot: those of one workload share it.
fn letters<'r>(roof: &'r RoofView, variant: &str) -> Vec<(char, &'r RoofSpot)> {
    let mut workloads: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for p in &roof.points {
        let at = match workloads.iter().position(|w| *w == p.workload) {
            Some(at) => at,
            None => {
                workloads.push(&p.workload);
                workloads.len() - 1
            }
        };
        let small = match u8::try_from(at) {
            Ok(n) if at < LETTERS => char::from(b'a' + n),
            _ => '*',
        };
        let own = p.subject == variant;
        out.push((
            if own {
                small
            } else {
                small.to_ascii_uppercase()
            },
            p,
        ));
    }
    // The variant before its reference, so that its letter is the one that shows.
    out.sort_by_key(|(_, p)| p.subject != variant);
    out
}

/// Decades of both axes.
struct Scale {
    x: [f64; 2],
    y: [f64; 2],
}

impl Scale {
    /// Wide enough for all ridges and spots, with air around them.
    fn of(roof: &RoofView, dtypes: &BTreeSet<&str>) -> Option<Self> {
        let good = |v: &f64| v.is_finite() && *v > 0.0;
        let ridges = dtypes.iter().filter_map(|d| roof.ridge(d));
        let peaks = dtypes
            .iter()
            .filter_map(|d| roof.flops_per_s.get(*d).copied());
        let xs: Vec<f64> = (roof.points.iter().map(RoofSpot::intensity))
            .chain(ridges)
            .filter(good)
            .collect();
        let ys: Vec<f64> = (roof.points.iter().map(RoofSpot::speed))
            .chain(peaks)
            .filter(good)
            .collect();
        let range = |v: &[f64], air: f64| {
            let lo = v.iter().copied().reduce(f64::min)?;
            let hi = v.iter().copied().reduce(f64::max)?;
            Some([(lo / air).log10(), (hi * air).log10()])
        };
        Some(Self {
            x: range(&xs, 3.0)?,
            y: range(&ys, 2.0)?,
        })
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let of = |v: f64, [lo, hi]: [f64; 2]| (v.log10() - lo) / (hi - lo);
        (of(x, self.x), of(y, self.y))
    }
}

fn plot(
    pen: &Pen,
    roof: &RoofView,
    dtypes: &BTreeSet<&str>,
    spots: &[(char, &RoofSpot)],
    (scale, unit): (&Scale, SpeedUnit),
    out: &mut Vec<Line<'static>>,
) {
    let columns = pen.width.saturating_sub(AXIS + 2).min(100);
    if columns < 12 {
        return;
    }
    let mut plot = Plot::new(columns, ROWS, pen.theme.plot());
    let [left, right] = scale.x.map(|e| 10f64.powf(e));
    let [bottom, top] = scale.y.map(|e| 10f64.powf(e));
    let peaks = dtypes
        .iter()
        .filter_map(|d| Some((roof.flops_per_s.get(*d)?, roof.ridge(d)?)));
    let mut highest = top;
    for (i, (peak, ridge)) in peaks.enumerate() {
        plot.line(scale.place(ridge, *peak), scale.place(right, *peak), 1);
        plot.line(scale.place(ridge, bottom), scale.place(ridge, *peak), 3);
        highest = if i == 0 { *peak } else { highest.max(*peak) };
    }
    let under = |y: f64| y / roof.bytes_per_s;
    let from = left.max(under(bottom));
    let to = right.min(under(highest));
    plot.line(
        scale.place(from, from * roof.bytes_per_s),
        scale.place(to, to * roof.bytes_per_s),
        1,
    );
    for (letter, p) in spots {
        let (x, y) = scale.place(p.intensity(), p.speed());
        plot.letter(x, y, *letter);
    }
    for (i, row) in plot.rows().into_iter().enumerate() {
        let label = match i {
            0 => fmt::significant(top / unit.scale),
            i if i + 1 == ROWS => fmt::significant(bottom / unit.scale),
            _ => String::new(),
        };
        let head = format!(" {} {}", pen.theme.right(&label, AXIS - 2), pen.theme.bar());
        let mut spans = vec![pen.span(head, Role::Dim)];
        spans.extend(row.into_iter().map(|(text, is_letter)| {
            let role = if is_letter { Role::Title } else { Role::Accent };
            pen.span(text, role)
        }));
        out.push(Line::from(spans));
    }
    let (from, to) = (fmt::significant(left), fmt::significant(right));
    let foot = format!(
        "{}{from}{}",
        " ".repeat(AXIS + 1),
        pen.theme.right(&to, columns.saturating_sub(from.len()))
    );
    out.push(pen.line(&foot, Role::Dim));
    pen.wrapped(out, &fill(pen.s.roof_axes, &[unit.name]), 1, Role::Dim);
}

/// The figures of every spot: intensity, speed, share of its roof.
fn figures(
    pen: &Pen,
    roof: &RoofView,
    spots: &[(char, &RoofSpot)],
    unit: SpeedUnit,
    out: &mut Vec<Line<'static>>,
) {
    let mut all: Vec<&(char, &RoofSpot)> = spots.iter().collect();
    let several = roof.points.iter().any(|p| p.dtype != roof.points[0].dtype);
    all.sort_by_key(|(letter, _)| (letter.to_ascii_lowercase(), letter.is_ascii_uppercase()));
    let row = |letter: &str, cells: [&str; 3], rest: &str| {
        let [intensity, speed, share] = cells.map(|c| pen.theme.right(c, 10));
        format!(" {letter} {intensity} {speed} {share}  {rest}")
    };
    let head = row("  ", ["flop/byte", unit.name, pen.s.roof_share], "");
    out.push(pen.line(&head, Role::Title));
    for (letter, p) in all {
        let share = match roof.above(p) {
            Some(above) => format!("{:.1} %", p.speed() / above * 100.0),
            None => "-".into(),
        };
        let mark = match (p.published, p.doubted) {
            (true, true) => DOUBTED,
            (true, false) => PUBLISHED,
            (false, _) => " ",
        };
        let (x, y) = (
            fmt::significant(p.intensity()),
            fmt::significant(p.speed() / unit.scale),
        );
        // The letter says whose a spot is; its reference is named all the same.
        let dtype = if several {
            format!(" {}", p.dtype)
        } else {
            String::new()
        };
        let subject = match letter.is_ascii_uppercase() {
            true => format!(" {}", inert(&p.subject)),
            false => String::new(),
        };
        let rest = format!("{}{dtype}{subject}", inert(&p.workload));
        let rest = pen.theme.squeeze(&rest, pen.width.saturating_sub(38));
        let text = row(&format!("{letter}{mark}"), [&x, &y, &share], &rest);
        out.push(pen.line(&text, Role::Plain));
    }
}
