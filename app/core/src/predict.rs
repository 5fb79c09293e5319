//! Predictions: the change that a variant is expected to cause in a counter.
//!
//! Written `COUNTER<-10%`, `time<=+0%` or `inst.shared>-5%`: relative change against the parent.
//! The sign is asked for, because `<10%` reads as a drop to one person and as a rise to another.

use std::fmt::Write as _;

use crate::record::{Prediction, PredictionOutcome};
use crate::text::inert;

/// Why a text is not a prediction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a prediction: {why}; write it as `inst.shared<-10%`",
    inert(text)
)]
pub struct PredictError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// Longest counter name, in bytes.
const MAX_NAME: usize = 200;

/// Reads a prediction.
///
/// # Errors
/// Says what is missing or cannot hold.
pub fn parse(text: &str) -> Result<Prediction, PredictError> {
    let error = |why: String| PredictError {
        text: text.chars().take(MAX_NAME).collect(),
        why,
    };
    let Some(at) = text.find(['<', '>']) else {
        return Err(error("there is no `<`, `<=`, `>` or `>=`".into()));
    };
    let (counter, rest) = text.split_at(at);
    let counter = counter.trim();
    let length = if rest[1..].starts_with('=') { 2 } else { 1 };
    let (op, bound) = rest.split_at(length);
    if counter.is_empty() {
        return Err(error("there is no counter before the comparison".into()));
    }
    if counter.len() > MAX_NAME {
        return Err(error(format!(
            "the counter's name is longer than {MAX_NAME} bytes"
        )));
    }
    if counter.contains(|c: char| c.is_whitespace()) || inert(counter) != counter {
        return Err(error(
            "the counter's name holds white space or control characters".into(),
        ));
    }
    let bound = bound.trim();
    let Some(number) = bound.strip_suffix('%') else {
        return Err(error("the bound is not a percentage".into()));
    };
    let number = number.trim_end();
    let plain = number.trim_start_matches(['+', '-']);
    let decimal = plain.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && plain.starts_with(|c: char| c.is_ascii_digit());
    let percent = match number.parse::<f64>() {
        Ok(p) if decimal && p.is_finite() && p.abs() <= 1e9 => p,
        _ => return Err(error("the bound is not a percentage".into())),
    };
    if percent != 0.0 && plain.len() == number.len() {
        return Err(error(format!(
            "the bound needs a sign (+{number}% or -{number}%)"
        )));
    }
    if percent < -100.0 || (percent == -100.0 && op == "<") {
        return Err(error("no figure falls by more than 100 %".into()));
    }
    // A minus before a zero says nothing, and would not be written back as it was read.
    let percent = if percent == 0.0 { 0.0 } else { percent };
    Ok(Prediction {
        counter: counter.to_owned(),
        op: op.to_owned(),
        percent,
    })
}

/// Writes a prediction in the form that [`parse`] reads.
pub fn format(prediction: &Prediction) -> String {
    let mut out = format!("{}{}", prediction.counter, prediction.op);
    // Writing to a string cannot fail.
    let _ = write!(out, "{:+}%", prediction.percent);
    out
}

/// What became of a prediction.
///
/// The observed change is relative to `before`. Where a figure is missing or not finite nothing is
/// observed. There is no percentage of zero either; what the direction alone settles is settled all the
/// same: a rise from 0 to 5 is more than `+0%`, and no fall.
pub fn outcome(
    prediction: &Prediction,
    before: Option<f64>,
    after: Option<f64>,
) -> PredictionOutcome {
    let (observed, held) = match (before, after) {
        (Some(b), Some(a)) if b == 0.0 && a.is_finite() => (None, from_zero(prediction, a)),
        (Some(b), Some(a)) => {
            let percent = Some((a - b) / b.abs() * 100.0).filter(|p| p.is_finite());
            (percent, percent.and_then(|p| holds(prediction, p)))
        }
        _ => (None, None),
    };
    PredictionOutcome {
        prediction: prediction.clone(),
        observed_percent: observed,
        held,
    }
}

/// Whether a change fits what was foretold.
fn holds(prediction: &Prediction, percent: f64) -> Option<bool> {
    match prediction.op.as_str() {
        "<" => Some(percent < prediction.percent),
        "<=" => Some(percent <= prediction.percent),
        ">" => Some(percent > prediction.percent),
        ">=" => Some(percent >= prediction.percent),
        _ => None,
    }
}

/// Whether a change from zero fits: only where the least and the largest change in that direction say
/// the same.
fn from_zero(prediction: &Prediction, after: f64) -> Option<bool> {
    if after == 0.0 {
        return holds(prediction, 0.0);
    }
    let [least, most] = [f64::MIN_POSITIVE, f64::INFINITY].map(|x| x.copysign(after));
    let at = holds(prediction, least)?;
    (holds(prediction, most)? == at).then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn predictions_are_read_and_written_back() {
        for (text, counter, op, percent) in [
            ("inst.shared<-30%", "inst.shared", "<", -30.0),
            ("time<=+0%", "time", "<=", 0.0),
            ("l2-hit>=+2.5%", "l2-hit", ">=", 2.5),
            ("x>-5%", "x", ">", -5.0),
            ("x<=-100%", "x", "<=", -100.0),
        ] {
            let p = parse(text).unwrap();
            assert_eq!(
                (p.counter.as_str(), p.op.as_str(), p.percent),
                (counter, op, percent)
            );
            assert_eq!(format(&p), text);
        }
        assert_eq!(format(&parse(" time <= 0 % ").unwrap()), "time<=+0%");
        assert_eq!(format(&parse("time<=-0%").unwrap()), "time<=+0%");
    }

    #[test]
    fn bad_predictions_say_why() {
        for (text, why) in [
            ("", "there is no `<`, `<=`, `>` or `>=`"),
            ("time", "there is no `<`, `<=`, `>` or `>=`"),
            ("<-1%", "there is no counter before the comparison"),
            ("time<", "the bound is not a percentage"),
            ("time<-10", "the bound is not a percentage"),
            ("time<nan%", "the bound is not a percentage"),
            ("time<-inf%", "the bound is not a percentage"),
            ("time<--1%", "the bound is not a percentage"),
            ("time<-1e3%", "the bound is not a percentage"),
            ("time<<-1%", "the bound is not a percentage"),
            ("time<10%", "the bound needs a sign (+10% or -10%)"),
            ("time<-101%", "no figure falls by more than 100 %"),
            ("time<-100%", "no figure falls by more than 100 %"),
            (
                "a b<-1%",
                "the counter's name holds white space or control characters",
            ),
            (
                "a\u{1b}<-1%",
                "the counter's name holds white space or control characters",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().why, why, "{text}");
        }
    }

    #[test]
    fn outcomes_never_take_a_percentage_of_zero() {
        let p = parse("x<-10%").unwrap();
        let of = |b, a| {
            let o = outcome(&p, b, a);
            (o.observed_percent, o.held)
        };
        assert_eq!(of(Some(100.0), Some(80.0)), (Some(-20.0), Some(true)));
        assert_eq!(of(Some(100.0), Some(90.0)), (Some(-10.0), Some(false)));
        // Neither a rise nor standing still is a fall.
        assert_eq!(of(Some(0.0), Some(1.0)), (None, Some(false)));
        assert_eq!(of(Some(0.0), Some(0.0)), (None, Some(false)));
        assert_eq!(of(Some(0.0), Some(-1.0)), (None, None));
        assert_eq!(of(Some(0.0), Some(f64::INFINITY)), (None, None));
        assert_eq!(of(None, Some(1.0)), (None, None));
        assert_eq!(of(Some(1.0), None), (None, None));
        assert_eq!(of(Some(1.0), Some(f64::NAN)), (None, None));
        assert_eq!(of(Some(f64::MIN_POSITIVE), Some(f64::MAX)), (None, None));
    }

    #[test]
    fn what_the_direction_settles_needs_no_percentage() {
        for (text, rise, none, fall) in [
            ("x>+0%", Some(true), Some(false), Some(false)),
            ("x>=+0%", Some(true), Some(true), Some(false)),
            ("x<+0%", Some(false), Some(false), Some(true)),
            ("x<=+0%", Some(false), Some(true), Some(true)),
            ("x>-5%", Some(true), Some(true), None),
            ("x<+5%", None, Some(true), Some(true)),
            // How much more than 0 is 5? Nobody can say.
            ("x>+10%", None, Some(false), Some(false)),
        ] {
            let p = parse(text).unwrap();
            let held = |a| outcome(&p, Some(0.0), Some(a)).held;
            assert_eq!(
                (held(5.0), held(0.0), held(-5.0)),
                (rise, none, fall),
                "{text}"
            );
            assert_eq!(outcome(&p, Some(0.0), Some(5.0)).observed_percent, None);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,20}[<>]?=?\\PC{0,10}%?") {
            if let Ok(p) = parse(&text) {
                prop_assert_eq!(parse(&format(&p)), Ok(p));
            }
        }
    }
}
