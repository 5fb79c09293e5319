//! Numbers as logs print them: a value and what its last digit is worth.

use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::believed;

/// A printed number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The value; finite.
    pub value: f64,
    /// What one step of the last printed digit is worth; above zero.
    pub quantum: f64,
}

impl Figure {
    /// Reads digits with a decimal point and an exponent, nothing else.
    ///
    /// # Errors
    /// Why it is no such number. A comma is refused: it may separate thousands or decimals.
    pub fn read(printed: &str) -> Result<Self, String> {
        let text = printed.trim();
        let shown = || inert(&text.chars().take(60).collect::<String>()).into_owned();
        if text.is_empty() {
            return Err("no number".into());
        }
        if text.contains(',') {
            return Err(format!(
                "`{}` has a comma, which may separate decimals or thousands; print numbers with LC_ALL=C",
                shown()
            ));
        }
        let is_plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
        let digits = text.bytes().any(|b| b.is_ascii_digit());
        // The parser of floats also takes `inf` and `nan`, which are no figures.
        let value = Some(text)
            .filter(|t| digits && t.bytes().all(is_plain))
            .and_then(|t| t.parse::<f64>().ok());
        match value {
            Some(value) if value.is_finite() => Ok(Self {
                value,
                quantum: quantum(text, value),
            }),
            _ => Err(format!("`{}` is not a number", shown())),
        }
    }

    /// Reads a time in `unit`.
    ///
    /// # Errors
    /// As [`Figure::read`], and when it is no time that is believed.
    pub fn time(printed: &str, unit: TimeUnit) -> Result<Self, String> {
        let figure = Self::read(printed)?;
        let shown = inert(printed.trim());
        if figure.value == 0.0 && figure.quantum < 1.0 {
            return Err(format!(
                "`{shown}` is not a time above zero: it is shorter than the {} {} that were printed",
                figure.quantum,
                unit.name()
            ));
        }
        if figure.value <= 0.0 {
            return Err(format!("`{shown}` is not a time above zero"));
        }
        match unit.to_ns(figure.value) {
            Some(ns) if believed(ns) => Ok(figure),
            _ => Err(format!(
                "{shown} {} is not a time that is believed: it is not from a thousandth of a nanosecond to eleven days",
                unit.name()
            )),
        }
    }

    /// The number with the decimals that it was printed with, up to seventeen.
    pub fn text(&self) -> String {
        let places = (-self.quantum.log10() - 1e-9).ceil().clamp(0.0, 17.0);
        format!("{:.*}", places as usize, self.value)
    }

    /// The least and greatest value that is printed like this.
    pub fn range(&self) -> [f64; 2] {
        [
            self.value - self.quantum / 2.0,
            self.value + self.quantum / 2.0,
        ]
    }
}

/// What the last digit of `text` is worth, and no less than what a float can tell apart.
fn quantum(text: &str, value: f64) -> f64 {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i64>().unwrap_or(0)),
        None => (text, 0),
    };
    let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len());
    let power = exponent.saturating_sub(i64::try_from(decimals).unwrap_or(400));
    let power = power.clamp(-300, 300);
    // Through text, so that a step of 0.0001 is the float nearest to it.
    let step: f64 = format!("1e{power}").parse().unwrap_or(f64::MIN_POSITIVE);
    step.max(value.abs() * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_is_the_resolution() {
        for (text, value, quantum) in [
            ("0.0035", 0.0035, 0.0001),
            ("1.50", 1.5, 0.01),
            ("12", 12.0, 1.0),
            ("1.5e-3", 0.0015, 0.0001),
            ("2e3", 2000.0, 1000.0),
            (" 7. ", 7.0, 1.0),
        ] {
            assert_eq!(
                Figure::read(text).unwrap(),
                Figure { value, quantum },
                "{text}"
            );
        }
        let long = Figure::read("0.10000000000000000555").unwrap();
        assert!(long.quantum > 1e-17 && long.quantum < 1e-16);
        assert_eq!(Figure::read("0.0035").unwrap().range(), [0.00345, 0.00355]);
        for text in ["0.0035", "1.50", "12", "405.6"] {
            assert_eq!(Figure::read(text).unwrap().text(), text);
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for (text, words) in [
            ("0,0035", "comma"),
            ("1,234.5", "comma"),
            ("nan", "not a number"),
            ("inf", "not a number"),
            ("1e999", "not a number"),
            ("0x10", "not a number"),
            ("1 000", "not a number"),
            ("", "no number"),
            ("0.0000", "not a time above zero"),
            ("-1", "not a time above zero"),
            ("1e30", "not a time that is believed"),
            ("1e-30", "not a time that is believed"),
            ("\u{1b}[2J1", "`\\x1b[2J1` is not a number"),
        ] {
            let why = Figure::time(text, TimeUnit::Ms).unwrap_err();
            assert!(why.contains(words), "{text:?}: {why}");
        }
    }
}
