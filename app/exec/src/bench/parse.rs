//! Reading times from the output of a program that does not speak the protocol.

use regex::Regex;

use crate::ExecError;
use crate::answers::unit_ns;

/// A pattern whose group `value`, or else first group, is the time, and the unit of that time.
#[derive(Debug, Clone)]
pub struct StdoutParse {
    pattern: Regex,
    unit: String,
}

impl StdoutParse {
    /// A pattern (multi-line: `^` and `$` match at lines) and a unit (`ns`, `us`, `ms`, `s`).
    ///
    /// # Errors
    /// When the pattern is no regular expression, has no group, or the unit is
    /// not known.
    pub fn regex(pattern: &str, unit: &str) -> Result<Self, ExecError> {
        let regex = regex::RegexBuilder::new(pattern)
            .multi_line(true)
            .build()
            .map_err(|e| ExecError::Pattern(e.to_string()))?;
        if regex.captures_len() < 2 {
            let text = "it has no group; write one around the time, e.g. `time: ([0-9.]+)`";
            return Err(ExecError::Pattern(text.into()));
        }
        if unit_ns(unit).is_none() {
            let text = format!("unit `{unit}` is not one of ns, us, ms, s");
            return Err(ExecError::Pattern(text));
        }
        Ok(Self {
            pattern: regex,
            unit: unit.to_owned(),
        })
    }

    /// The unit.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// All times in `output`, in order.
    ///
    /// # Errors
    /// A sentence for people: when nothing matches, or a match is not a time.
    pub fn values(&self, output: &str) -> Result<Vec<f64>, String> {
        let mut values = Vec::new();
        for found in self.pattern.captures_iter(output) {
            let group = found.name("value").or_else(|| found.get(1));
            let text = group.map_or("", |m| m.as_str());
            match text.parse::<f64>() {
                Ok(v) if v.is_finite() && v > 0.0 => values.push(v),
                _ => {
                    return Err(format!(
                        "the pattern of [bench.parse] found `{}`, which is not a time above zero",
                        assay_core::text::inert(text)
                    ));
                }
            }
        }
        if values.is_empty() {
            return Err(format!(
                "nothing in the output matches the pattern of [bench.parse], `{}`",
                self.pattern
            ));
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_match_is_a_value_and_no_match_is_said() {
        let p = StdoutParse::regex(r"^time: ([0-9.eE+-]+)", "ms").unwrap();
        assert_eq!(
            p.values("x\ntime: 1.5\ntime: 2e0 ms\n").unwrap(),
            [1.5, 2.0]
        );
        assert!(p.values("fast").unwrap_err().contains("nothing"));
        assert!(p.values("time: -1").unwrap_err().contains("`-1`"));
        assert!(p.values("time: 1.2.3").unwrap_err().contains("1.2.3"));
    }

    #[test]
    fn a_group_named_value_wins_over_the_first_one() {
        let p = StdoutParse::regex(r"(min|max): (?<value>\d+)", "us").unwrap();
        assert_eq!(p.values("min: 4, max: 9").unwrap(), [4.0, 9.0]);
    }

    #[test]
    fn a_pattern_without_a_group_is_refused() {
        for bad in ["(", "time", "(?:a)"] {
            assert!(StdoutParse::regex(bad, "ms").is_err(), "{bad}");
        }
        let e = StdoutParse::regex("(a)", "h").unwrap_err().to_string();
        assert_eq!(
            e,
            "bench.parse.pattern: unit `h` is not one of ns, us, ms, s"
        );
    }
}
