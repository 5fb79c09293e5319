//! Figures as they stand in tables that people make.

use super::Mapping;
use super::row::Found;
use crate::catalog::is_unit;
use crate::compare::{FACTOR, POINTS};
use crate::number::{self, Read};
use crate::separators::{self, Shape};
use crate::{Counter, Status};

/// What people write where they have no figure.
const NOTHING: [&str; 7] = ["-", "\u{2013}", "\u{2014}", "N/A", "n/a", "NA", "/"];

/// What stands behind a speed-up.
const TIMES: [&str; 4] = ["×", "x", "X", "倍"];

/// What stands behind a change that is no percentage, and the unit that it is kept with.
const BEHIND: [(&str, &str); 9] = [
    ("×", FACTOR),
    ("x", FACTOR),
    ("X", FACTOR),
    ("倍", FACTOR),
    ("pp", POINTS),
    ("points", POINTS),
    ("个百分点", POINTS),
    ("百分点", POINTS),
    ("%", "%"),
];

impl Mapping {
    /// A counter from what stands in its place.
    pub(super) fn figure(
        &self,
        section: &str,
        name: &str,
        found: Option<Found<'_>>,
        unit: &str,
    ) -> Counter {
        let raw = match found {
            None => return Counter::without_value(section, name, "", unit, Status::Absent),
            Some(Found::Number(n)) => return Counter::read(section, name, n, unit),
            Some(Found::Twice) => {
                let mut c = Counter::without_value(section, name, "", unit, Status::Error);
                c.suspect.push("the key stands twice in its row".into());
                return c;
            }
            Some(Found::Text(t)) => t,
        };
        let figure = raw.trim();
        if figure.is_empty() || NOTHING.contains(&figure) {
            return Counter::without_value(section, name, &raw, unit, Status::Absent);
        }
        let (figure, unit) = without_unit(figure, unit);
        let mut c = Counter::without_value(section, name, &raw, unit, Status::Error);
        c.set(self.number(figure));
        c
    }

    /// A figure of a sentence: with a sign behind it, perhaps with a word or sign before it.
    pub(crate) fn stated(&self, text: &str) -> Counter {
        let from = text.find(|c: char| c.is_ascii_digit() || "+-\u{2212}".contains(c));
        self.change("", "", text.get(from.unwrap_or(0)..).unwrap_or_default())
    }

    /// A change that a table prints: a percentage, a factor, points, or words.
    pub(super) fn change(&self, section: &str, name: &str, raw: &str) -> Counter {
        let figure = raw.trim();
        let mut behind = BEHIND.iter();
        let (figure, unit) = behind
            .find_map(|(sign, unit)| Some((figure.strip_suffix(sign)?.trim_end(), *unit)))
            .unwrap_or((figure, ""));
        let down = figure
            .strip_prefix('\u{2193}')
            .map(|f| format!("-{}", f.trim_start()));
        let up = figure.strip_prefix('\u{2191}').map(str::trim_start);
        let signed = down.as_deref().or(up).unwrap_or(figure);
        match self.number(signed) {
            Ok(read) => {
                let mut c = Counter::without_value(section, name, raw, unit, Status::Error);
                c.set(Ok(read));
                c
            }
            Err(_) => Counter::words(section, name, raw),
        }
    }

    fn number(&self, figure: &str) -> Result<Read, String> {
        let plain;
        let figure = match figure.strip_prefix('\u{2212}') {
            Some(rest) => {
                plain = format!("-{rest}");
                plain.as_str()
            }
            None => figure,
        };
        let Some((digits, exponent)) = number::magnitude(figure) else {
            return self.plain(figure);
        };
        if !self.magnitudes {
            return Err(
                "not a number; with `magnitudes = true` in the mapping its last letter is read as a power of ten"
                    .into(),
            );
        }
        number::magnify(self.plain(digits)?, exponent)
    }

    fn plain(&self, figure: &str) -> Result<Read, String> {
        let decimal = self.decimal.and_then(|d| u8::try_from(d).ok());
        match (separators::shape(figure), decimal) {
            (Shape::Certain(read, proof), _)
                if proof.is_none() || decimal.is_none() || proof == decimal =>
            {
                Ok(read)
            }
            (Shape::Certain(..), _) => {
                Err("not a figure with the decimal sign that the mapping names".into())
            }
            (Shape::Open(sign, digits), Some(decimal)) => {
                Ok(separators::settle(sign, digits, decimal))
            }
            (Shape::Open(sign, _), None) => Err(format!(
                "{}; say `decimal = \".\"` or `decimal = \",\"` in the mapping",
                separators::open_to(sign)
            )),
            (Shape::Not, _) => Err("not a number".into()),
        }
    }
}

/// A figure without the unit that is printed with it, and its unit. Where the mapping says nothing, a
/// percent sign and the units that the catalog knows (`36.16 ms`) say themselves what they are.
fn without_unit<'a>(figure: &'a str, unit: &'a str) -> (&'a str, &'a str) {
    let printed = || {
        let digits = figure.trim_end_matches(|c: char| !c.is_ascii_digit());
        let behind = figure[digits.len()..].trim_start();
        (behind == "%" || is_unit(behind)).then_some(behind)
    };
    let unit = match unit {
        "" => printed().unwrap_or(""),
        unit => unit,
    };
    // The unit `1` is never printed, and no other one begins like the end of a figure does.
    let is_no_figure = !unit.starts_with(|c: char| c.is_ascii_digit() || ".,+-".contains(c));
    // A speed-up is printed with a sign that is no unit.
    if matches!(unit, "" | "1")
        && let Some(digits) = TIMES.iter().find_map(|sign| figure.strip_suffix(sign))
        && digits.ends_with(|c: char| c.is_ascii_digit() || c == ' ')
    {
        return (digits.trim_end(), unit);
    }
    match figure.strip_suffix(unit) {
        Some(digits) if is_no_figure => (digits.trim_end(), unit),
        _ => (figure, unit),
    }
}
