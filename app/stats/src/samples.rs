//! Raw samples: the harness's lines, parsed with suspicion.
//!
//! What cannot be trusted is a [`Problem`] with its line number and never becomes data. What is
//! accepted is sorted, so that the order in which lines arrived cannot matter.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

pub use assay_core::units::{GREATEST_NS, LEAST_NS};

/// What stands for a timer or cache mode that the harness did not state.
pub const NOT_STATED: &str = "not stated";

/// One leg: what one subject took on one workload at one position of one block.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// Workload.
    pub workload: String,
    /// Subject, by its id in the plan.
    pub subject: String,
    /// Fresh process, as numbered by the runner.
    pub process: u32,
    /// Block inside the process.
    pub block: u32,
    /// Position inside the block.
    pub leg: u32,
    /// Time of one launch in nanoseconds, one value for each timed batch.
    pub values_ns: Vec<f64>,
    /// Timer backend, e.g. `clock_monotonic`.
    pub timer: String,
    /// Resolution of the values in nanoseconds, where the harness states it.
    pub tick_ns: Option<f64>,
    /// `cold`, `hot` or `rotating`.
    pub cache: String,
    /// Why the leg must not be used, e.g. a thermal slowdown; voids its block.
    pub void: Option<String>,
}

impl Leg {
    fn key(&self) -> (&str, &str, u32, u32, u32) {
        (
            &self.workload,
            &self.subject,
            self.process,
            self.block,
            self.leg,
        )
    }
}

/// A line, or a leg, that did not become data, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line of the text from 1, or position in the list of legs from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Accepted legs, sorted by workload, subject, process, block and leg, each key once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    legs: Vec<Leg>,
}

impl Samples {
    /// Reads the answers of a harness: JSON lines, of which those with kind `samples` are taken.
    ///
    /// Other kinds and blank lines are skipped. Everything that is not a sound sample line is a
    /// problem; so are all lines that claim the same workload, subject, process, block and leg,
    /// because there is no telling which is true. Problems are sorted by line.
    pub fn parse_jsonl(text: &str) -> (Self, Vec<Problem>) {
        let mut legs = Vec::new();
        let mut problems = Vec::new();
        for (i, line) in text.lines().enumerate() {
            match parse_line(line) {
                Ok(Some(leg)) => legs.push((i + 1, leg)),
                Ok(None) => {}
                Err(message) => problems.push(Problem {
                    line: i + 1,
                    message,
                }),
            }
        }
        Self::collect(legs, problems)
    }

    /// Takes legs that are parsed already, under the same rules as [`Samples::parse_jsonl`].
    ///
    /// The line of a problem is then the position in the list, from 1.
    pub fn from_legs(legs: Vec<Leg>) -> (Self, Vec<Problem>) {
        let mut good = Vec::new();
        let mut problems = Vec::new();
        for (i, leg) in legs.into_iter().enumerate() {
            match examine(&leg) {
                Ok(()) => good.push((i + 1, leg)),
                Err(message) => problems.push(Problem {
                    line: i + 1,
                    message,
                }),
            }
        }
        Self::collect(good, problems)
    }

    fn collect(mut legs: Vec<(usize, Leg)>, mut problems: Vec<Problem>) -> (Self, Vec<Problem>) {
        legs.sort_by(|(i, a), (j, b)| a.key().cmp(&b.key()).then(i.cmp(j)));
        let mut kept = Vec::with_capacity(legs.len());
        let mut rest = legs.into_iter().peekable();
        while let Some((line, leg)) = rest.next() {
            let mut lines = vec![line];
            while let Some((again, _)) = rest.next_if(|(_, l)| l.key() == leg.key()) {
                lines.push(again);
            }
            if lines.len() == 1 {
                kept.push(leg);
                continue;
            }
            let first = line;
            problems.extend(lines.into_iter().map(|line| Problem {
                line,
                message: format!(
                    "workload {}, subject {}, process {}, block {}, leg {} is claimed more than \
                     once (first on line {first}); none of them is used",
                    leg.workload, leg.subject, leg.process, leg.block, leg.leg
                ),
            }));
        }
        problems.sort();
        (Self { legs: kept }, problems)
    }

    /// The accepted legs in order.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Hands the legs out, e.g. to join those of a further look with [`Samples::from_legs`].
    pub fn into_legs(self) -> Vec<Leg> {
        self.legs
    }

    /// Whether there is no leg at all.
    pub fn is_empty(&self) -> bool {
        self.legs.is_empty()
    }

    /// Number of single values over all legs.
    pub fn values(&self) -> usize {
        self.legs.iter().map(|l| l.values_ns.len()).sum()
    }

    /// Names of the subjects, sorted.
    pub fn subjects(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.legs.iter().map(|l| l.subject.as_str()).collect();
        names.into_iter().collect()
    }

    /// Names of the workloads, sorted.
    pub fn workloads(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.legs.iter().map(|l| l.workload.as_str()).collect();
        names.into_iter().collect()
    }

    /// Numbers of the processes, sorted.
    pub fn processes(&self) -> Vec<u32> {
        let numbers: BTreeSet<u32> = self.legs.iter().map(|l| l.process).collect();
        numbers.into_iter().collect()
    }
}

/// `Ok(None)` for a line that is well formed and not a sample line.
fn parse_line(line: &str) -> Result<Option<Leg>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
    let Value::Object(map) = value else {
        return Err("not a JSON object".into());
    };
    if text(&map, "kind")? != "samples" {
        return Ok(None);
    }
    match map.get("assay").map(Value::as_u64) {
        None | Some(Some(1)) => {}
        Some(_) => return Err("\"assay\" is not 1, the version of the protocol known here".into()),
    }
    let unit = match text(&map, "unit")? {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => return Err(format!("unit {other:?} is not one of ns, us, ms, s")),
    };
    let values = match map.get("values") {
        None => return Err("\"values\" is missing".into()),
        Some(Value::Array(values)) => values,
        Some(_) => return Err("\"values\" is not a list".into()),
    };
    let mut values_ns = Vec::with_capacity(values.len());
    for (i, v) in values.iter().enumerate() {
        let Some(v) = v.as_f64() else {
            return Err(format!("value {} is not a number: {v}", i + 1));
        };
        values_ns.push(v * unit);
    }
    let tick_ns = match map.get("tick") {
        None | Some(Value::Null) => None,
        Some(v) => match v.as_f64() {
            Some(tick) => Some(tick * unit),
            None => return Err("\"tick\" is not a number".into()),
        },
    };
    let leg = Leg {
        workload: text(&map, "workload")?.to_owned(),
        subject: text(&map, "subject")?.to_owned(),
        process: whole(&map, "process")?,
        block: whole(&map, "block")?,
        leg: whole(&map, "leg")?,
        values_ns,
        timer: optional(&map, "timer")?.unwrap_or(NOT_STATED).to_owned(),
        tick_ns,
        cache: optional(&map, "cache")?.unwrap_or(NOT_STATED).to_owned(),
        void: optional(&map, "void")?.map(str::to_owned),
    };
    examine(&leg)?;
    Ok(Some(leg))
}

fn examine(leg: &Leg) -> Result<(), String> {
    for (name, value) in [("workload", &leg.workload), ("subject", &leg.subject)] {
        if value.trim().is_empty() {
            return Err(format!("\"{name}\" is empty"));
        }
    }
    if leg.values_ns.is_empty() {
        return Err("\"values\" is empty".into());
    }
    for (i, v) in leg.values_ns.iter().enumerate() {
        let wrong = if v.is_nan() {
            "is not a number"
        } else if *v <= 0.0 {
            "is not above zero"
        } else if *v < LEAST_NS {
            "is below a thousandth of a nanosecond"
        } else if *v > GREATEST_NS {
            "is above eleven days"
        } else {
            continue;
        };
        return Err(format!("value {} ({v} ns) {wrong}", i + 1));
    }
    match leg.tick_ns {
        Some(tick) if !tick.is_finite() || tick < 0.0 => {
            Err(format!("tick {tick} ns is no resolution"))
        }
        _ => Ok(()),
    }
}

fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    optional(map, key)?.ok_or_else(|| format!("\"{key}\" is missing"))
}

fn optional<'a>(map: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) => Ok(Some(s)),
        Some(_) => Err(format!("\"{key}\" is not a text")),
    }
}

fn whole(map: &Map<String, Value>, key: &str) -> Result<u32, String> {
    let value = map
        .get(key)
        .ok_or_else(|| format!("\"{key}\" is missing"))?;
    value
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .ok_or_else(|| format!("\"{key}\" is not a whole number from 0 to {}", u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"assay":1,"nonce":"ab","kind":"samples","workload":"w","subject":"A","process":1,"block":0,"leg":3,"unit":"us","values":[1.5,2],"launches":4,"timer":"clock_monotonic","tick":0.001,"cache":"hot"}"#;

    fn problem(line: &str) -> String {
        let (samples, problems) = Samples::parse_jsonl(line);
        assert!(samples.is_empty(), "{line}");
        assert_eq!(problems.len(), 1, "{line}");
        problems[0].to_string()
    }

    #[test]
    fn a_sound_line_becomes_a_leg_in_nanoseconds() {
        let (samples, problems) = Samples::parse_jsonl(GOOD);
        assert_eq!(problems, []);
        let leg = &samples.legs()[0];
        assert_eq!(leg.values_ns, [1500.0, 2000.0]);
        assert_eq!(leg.tick_ns, Some(1.0));
        assert_eq!((leg.process, leg.block, leg.leg), (1, 0, 3));
        assert_eq!(
            (leg.timer.as_str(), leg.cache.as_str()),
            ("clock_monotonic", "hot")
        );
        assert_eq!(
            (samples.subjects(), samples.workloads()),
            (vec!["A"], vec!["w"])
        );
        assert_eq!((samples.processes(), samples.values()), (vec![1], 2));
    }

    #[test]
    fn other_kinds_and_blank_lines_are_skipped() {
        let text =
            format!("\n  \r\n{{\"kind\":\"note\",\"text\":\"x\"}}\n{GOOD}\n{{\"kind\":\"done\"}}");
        let (samples, problems) = Samples::parse_jsonl(&text);
        assert_eq!((samples.legs().len(), problems.len()), (1, 0));
    }

    #[test]
    fn bad_values_and_fields_are_problems_with_a_line_number() {
        for (from, to, want) in [
            ("[1.5,2]", "[1.5,0]", "not above zero"),
            ("[1.5,2]", "[-1]", "not above zero"),
            ("[1.5,2]", "[NaN]", "not JSON"),
            ("[1.5,2]", "[Infinity]", "not JSON"),
            ("[1.5,2]", "[1e999]", "not JSON"),
            ("[1.5,2]", "[1e300]", "eleven days"),
            ("[1.5,2]", "[1e-300]", "thousandth"),
            ("[1.5,2]", "[null]", "value 1 is not a number"),
            ("[1.5,2]", "[\"1\"]", "value 1 is not a number"),
            ("[1.5,2]", "[]", "empty"),
            ("[1.5,2]", "3", "not a list"),
            ("\"us\"", "\"min\"", "unit \"min\""),
            ("\"unit\":\"us\",", "", "\"unit\" is missing"),
            ("\"process\":1,", "", "\"process\" is missing"),
            ("\"process\":1,", "\"process\":-1,", "whole number"),
            ("\"block\":0,", "\"block\":0.5,", "whole number"),
            ("\"leg\":3,", "\"leg\":4294967296,", "whole number"),
            (
                "\"workload\":\"w\"",
                "\"workload\":\" \"",
                "\"workload\" is empty",
            ),
            (
                "\"subject\":\"A\"",
                "\"subject\":7",
                "\"subject\" is not a text",
            ),
            ("\"tick\":0.001", "\"tick\":-1", "no resolution"),
            ("\"assay\":1", "\"assay\":2", "version of the protocol"),
            ("\"kind\":\"samples\",", "", "\"kind\" is missing"),
            (GOOD, "[1]", "not a JSON object"),
            (GOOD, "{", "not JSON"),
        ] {
            let line = GOOD.replace(from, to);
            assert_ne!(line, GOOD, "{from}");
            let message = problem(&line);
            assert!(
                message.starts_with("line 1: ") && message.contains(want),
                "{message}"
            );
        }
    }

    #[test]
    fn a_leg_claimed_twice_is_used_not_at_all() {
        let other = GOOD.replace("\"leg\":3", "\"leg\":2");
        let (samples, problems) = Samples::parse_jsonl(&format!("{GOOD}\n{other}\n{GOOD}"));
        assert_eq!(samples.legs().len(), 1);
        assert_eq!(samples.legs()[0].leg, 2);
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 3]);
        assert!(
            problems[1].message.contains("first on line 1"),
            "{}",
            problems[1]
        );
    }

    #[test]
    fn typed_legs_go_through_the_same_examination() {
        let (samples, _) = Samples::parse_jsonl(GOOD);
        let leg = samples.legs()[0].clone();
        let mut nan = leg.clone();
        nan.values_ns[1] = f64::NAN;
        let mut next = leg.clone();
        next.leg = 0;
        let (again, problems) = Samples::from_legs(vec![leg, nan, next]);
        assert_eq!(again.legs().len(), 2);
        assert_eq!(again.legs()[0].leg, 0);
        assert_eq!((problems.len(), problems[0].line), (1, 2));
        assert_eq!(Samples::from_legs(again.clone().into_legs()).0, again);
    }
}
