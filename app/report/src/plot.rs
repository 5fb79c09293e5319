//! Pictures of a campaign as SVG, from plain labels, values and units.
//!
//! The writer is our own and small. `plotters` draws to many back ends, but its SVG sets colours
//! as attributes, so that a page cannot have dark mode or a print style by custom properties, it
//! measures text by loading system fonts, and it has no titles, descriptions or hints for
//! readers of the page. Forest plots, rooflines and cells with numbers would be ours on any of the
//! lighter crates, too; what is left to take from them is axes and shapes.
//!
//! Each picture is 720 units wide and as high as it must be, needs no script and no network, says
//! its figures in text beside the shapes, and tells good from bad by colour and by shape. Text is
//! escaped; its width is taken from its columns, so that nothing depends on installed fonts.
//! Figures that are not finite are left out, never drawn at some place or printed.

mod bars;
mod canvas;
mod curve;
mod forest;
mod heat;
mod roofline;
mod scale;
mod spread;
mod style;

pub use bars::{Bar, Bars};
pub use canvas::Svg;
pub use curve::{Curve, CurvePoint, Reference};
pub use forest::{Forest, ForestRow};
pub use heat::{Heat, HeatRow};
pub use roofline::{Roof, RoofPoint, Roofline};
pub use spread::{Spread, SpreadPanel, SpreadSide};
pub(crate) use style::{palette, rules};

use crate::doc::Line;
use crate::strings::fill;

/// Width of every picture.
pub const WIDTH: f64 = 720.0;

/// A template with its places filled, as plain text.
fn words(template: &'static str, values: &[&str]) -> String {
    let values: Vec<Line> = values.iter().map(|v| Line::outside(*v)).collect();
    fill(template, &values).plain()
}

/// A figure that can be drawn: finite, and far from where sums overflow.
fn usable(value: f64) -> Option<f64> {
    (value.is_finite() && value.abs() < 1e100).then_some(value)
}

/// A figure that can be drawn on a logarithmic axis.
fn positive(value: f64) -> Option<f64> {
    usable(value).filter(|v| *v > 1e-100)
}

/// Which of `all` are shown when only `most` fit: the lowest and, a third as many, the highest.
///
/// Positions in ascending order of value; what has no value goes first to be left out.
fn extremes(all: &[Option<f64>], most: usize) -> Option<(Vec<usize>, usize, usize)> {
    if all.len() <= most {
        return None;
    }
    let mut order: Vec<(f64, usize)> = all
        .iter()
        .enumerate()
        .filter_map(|(i, v)| v.map(|v| (v, i)))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (low, high) = if order.len() <= most {
        (order.len(), 0)
    } else {
        (most - most / 4, most / 4)
    };
    let picked = order
        .iter()
        .take(low)
        .chain(&order[order.len() - high..])
        .map(|(_, i)| *i)
        .collect();
    Some((picked, low, high))
}
