//! Shapes and text of a picture, escaped and with short numbers.

use std::fmt::Write;

use assay_core::text;

use super::WIDTH;
use super::style;
use crate::escape::xml;

/// A finished picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Svg {
    height: f64,
    title: String,
    description: String,
    body: String,
}

impl Svg {
    /// What the picture shows, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The picture as a file of its own, with its style.
    pub fn standalone(&self) -> String {
        let mut out = String::with_capacity(self.body.len() + 4096);
        let h = n(self.height);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"{h}\" \
             viewBox=\"0 0 720 {h}\" role=\"img\" aria-labelledby=\"t d\">\n\
             <title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n<style>{}</style>\n\
             <rect class=\"paper\" width=\"720\" height=\"{h}\"/>\n{}</svg>\n",
            xml(&self.title),
            xml(&self.description),
            style::alone(),
            self.body,
        );
        out
    }

    /// The picture as a part of a page; `number` tells it from the others on the page.
    pub(crate) fn inline(&self, number: usize, out: &mut String) {
        let _ = write!(
            out,
            "<svg class=\"plot\" viewBox=\"0 0 720 {}\" role=\"img\" \
             aria-labelledby=\"t{number} d{number}\">\n<title id=\"t{number}\">{}</title>\n\
             <desc id=\"d{number}\">{}</desc>\n{}</svg>\n",
            n(self.height),
            xml(&self.title),
            xml(&self.description),
            self.body,
        );
    }
}

/// A number of a picture: one decimal, and never what is not finite.
fn n(value: f64) -> String {
    if !value.is_finite() {
        return "0".into();
    }
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").unwrap_or(&text);
    if short == "-0" {
        "0".into()
    } else {
        short.into()
    }
}

/// A picture that is being made.
pub(super) struct Canvas {
    title: String,
    body: String,
}

impl Canvas {
    /// A picture with its title at the top; what follows begins below [`Canvas::TOP`].
    pub(super) fn new(title: &str) -> Self {
        let mut canvas = Self {
            title: title.to_owned(),
            body: String::new(),
        };
        canvas.text("h", 8.0, 18.0, &fit(title, WIDTH - 16.0, 14.0));
        canvas
    }

    /// Where the space for shapes begins.
    pub(super) const TOP: f64 = 34.0;

    pub(super) fn line(&mut self, class: &str, x1: f64, y1: f64, x2: f64, y2: f64) {
        self.path(class, &[(x1, y1), (x2, y2)]);
    }

    /// A line through points.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"");
        self.points(points);
        self.body.push_str("\"/>\n");
    }

    /// Dots as one path, which takes a fifth of the space that circles take.
    pub(super) fn dots(&mut self, class: &str, places: &[(f64, f64)]) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"");
        for (x, y) in places {
            let _ = write!(self.body, "M{} {}h.1", n(*x), n(*y));
        }
        self.body.push_str("\"/>\n");
    }

    /// A closed shape.
    pub(super) fn shape(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"");
        self.points(points);
        self.body.push_str("Z\"/>\n");
    }

    fn points(&mut self, points: &[(f64, f64)]) {
        for (i, (x, y)) in points.iter().enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            let _ = write!(self.body, "{command}{} {}", n(*x), n(*y));
        }
    }

    pub(super) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            n(x),
            n(y),
            n(width.max(0.0)),
            n(height.max(0.0)),
        );
    }

    pub(super) fn circle(&mut self, class: &str, x: f64, y: f64, radius: f64) {
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
            n(x),
            n(y),
            n(radius),
        );
    }

    /// Text from `x`, or up to or around it with the classes `e` and `c`.
    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, raw: &str) {
        self.placed_text(class, x, y, "", raw);
    }

    /// Text that rises to the right and ends at the place.
    pub(super) fn rising_text(&mut self, class: &str, x: f64, y: f64, raw: &str) {
        let turn = format!(" transform=\"rotate(-40 {} {})\"", n(x), n(y));
        self.placed_text(class, x, y, &turn, raw);
    }

    fn placed_text(&mut self, class: &str, x: f64, y: f64, more: &str, raw: &str) {
        self.body.push_str("<text");
        if !class.is_empty() {
            let _ = write!(self.body, " class=\"{class}\"");
        }
        let _ = writeln!(
            self.body,
            " x=\"{}\" y=\"{}\"{more}>{}</text>",
            n(x),
            n(y),
            xml(raw)
        );
    }

    /// What is drawn inside shows `hint` under the pointer and to screen readers.
    pub(super) fn hinted(&mut self, hint: &str, draw: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.body, "<g><title>{}</title>", xml(hint));
        draw(self);
        self.body.push_str("</g>\n");
    }

    pub(super) fn finish(self, height: f64, description: &str) -> Svg {
        Svg {
            height,
            title: self.title,
            description: description.to_owned(),
            body: self.body,
        }
    }
}

/// About how wide `raw` is at a font size: 0.6 of it for each column.
pub(super) fn width_of(raw: &str, size: f64) -> f64 {
    text::width(&text::inert(raw)) as f64 * size * 0.6
}

/// As much of `raw` as has room.
pub(super) fn fit(raw: &str, room: f64, size: f64) -> String {
    let columns = (room / (size * 0.6)).floor().max(1.0) as usize;
    text::truncate(&text::inert(raw), columns).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_finite() {
        assert_eq!(n(1.04), "1");
        assert_eq!(n(-0.01), "0");
        assert_eq!(n(12.36), "12.4");
        assert_eq!(n(f64::NAN), "0");
        assert_eq!(n(f64::INFINITY), "0");
    }

    #[test]
    fn wide_text_takes_two_columns() {
        assert_eq!(width_of("核", 10.0), 12.0);
        assert_eq!(fit("核函数", 30.0, 10.0), "核函…");
    }
}
