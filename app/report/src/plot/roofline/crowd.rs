//! Many points of a roofline: one mark a subject, and what its points come to in a line below.

use super::super::canvas::{Canvas, fit};
use super::super::scale::Scale;
use super::super::words;
use super::{LEFT, Place, RIGHT, is_above, told};
use crate::figure;
use crate::strings::Strings;

/// How far points of one intensity and different subjects stand aside of each other.
const ASIDE: f64 = 11.0;

/// Marks that can be told apart; further subjects share the last.
const MARKS: usize = 5;

/// Draws the points and their legend from `row` on; how high the picture is.
pub(super) fn draw(
    c: &mut Canvas,
    s: &Strings,
    places: &[Place],
    [x, y]: [&Scale; 2],
    mut row: f64,
) -> f64 {
    let mut subjects: Vec<&str> = Vec::new();
    for p in places {
        if !subjects.contains(&p.point.subject.as_str()) {
            subjects.push(&p.point.subject);
        }
    }
    let middle = (subjects.len().min(MARKS) as f64 - 1.0) / 2.0;
    for p in places {
        let k = subjects.iter().position(|n| *n == p.point.subject);
        let k = k.unwrap_or_default().min(MARKS - 1);
        let at = (
            (x.at(p.intensity) + (k as f64 - middle) * ASIDE).clamp(LEFT, RIGHT),
            y.at(p.speed),
        );
        c.hinted(&format!("{}: {}", p.point.label, told(s, p)), |c| {
            mark(c, k, at, p.point.is_reference, is_above(p));
        });
    }
    for (k, name) in subjects.iter().enumerate() {
        let of: Vec<&Place> = places.iter().filter(|p| p.point.subject == *name).collect();
        let is_reference = of.iter().all(|p| p.point.is_reference);
        let at = (LEFT + 6.0, row - 4.0);
        mark(c, k.min(MARKS - 1), at, is_reference, false);
        let shares: Vec<f64> = of.iter().filter_map(|p| p.share).collect();
        let low = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let high = shares.iter().copied().fold(0.0, f64::max);
        let range = match shares.is_empty() {
            true => figure::NONE.to_owned(),
            false => words(s.pl_from_to, &[&figure::share(low), &figure::share(high)]),
        };
        let text = words(s.pl_subject, &[name, &of.len().to_string(), &range]);
        let class = match of.iter().any(|p| is_above(p)) {
            true => "badt",
            false => "",
        };
        c.text(
            class,
            LEFT + 18.0,
            row,
            &fit(&text, RIGHT - LEFT - 20.0, 12.0),
        );
        row += 18.0;
    }
    if subjects.len() > 1 {
        c.text("k", LEFT, row, s.pl_aside);
        row += 16.0;
    }
    row
}

/// A mark of a subject: the version itself is a filled circle, each reference another shape.
fn mark(c: &mut Canvas, k: usize, (x, y): (f64, f64), is_reference: bool, is_above: bool) {
    let fill = match (is_above, is_reference) {
        (true, _) => "bad",
        (false, true) => "plain",
        (false, false) => "good",
    };
    match k {
        0 => c.circle(fill, x, y, 3.6),
        1 => c.shape(
            fill,
            &[(x, y - 5.0), (x + 5.0, y), (x, y + 5.0), (x - 5.0, y)],
        ),
        2 => c.rect("square", x - 3.6, y - 3.6, 7.2, 7.2),
        3 => c.shape(
            fill,
            &[(x, y - 5.0), (x + 5.0, y + 4.0), (x - 5.0, y + 4.0)],
        ),
        _ => c.shape(
            fill,
            &[(x, y + 5.0), (x + 5.0, y - 4.0), (x - 5.0, y - 4.0)],
        ),
    }
}
