//! What stands beside a verdict, as shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FalseAcceptsView, VerdictView};
use crate::record::{CyclesRatio, DispatchSplit, UnderControl};
use crate::text::inert;

/// Names that a sentence lists; further ones are counted.
const NAMES_MAX: usize = 12;

/// The comparison in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CyclesView {
    /// Cycles of B / cycles of A.
    pub ratio: f64,
    /// Its interval, at the level of the interval in time.
    pub interval: [f64; 2],
}

impl From<&CyclesRatio> for CyclesView {
    fn from(c: &CyclesRatio) -> Self {
        Self {
            ratio: c.ratio,
            interval: c.interval,
        }
    }
}

/// A proposed dispatch split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SplitView {
    /// Workloads that would go to B.
    pub to_b: Vec<String>,
    /// Workloads proven slower with B.
    pub to_a: Vec<String>,
    /// Workloads on which nothing is proven; they stay with A.
    pub open: Vec<String>,
    /// Expected time after the split / time of A.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Time of B alone / time of A.
    pub b_alone: f64,
    /// Fresh processes.
    pub processes: u32,
}

impl From<&DispatchSplit> for SplitView {
    fn from(s: &DispatchSplit) -> Self {
        Self {
            to_b: s.to_b.clone(),
            to_a: s.to_a.clone(),
            open: s.open.clone(),
            ratio: s.ratio,
            interval: s.interval,
            b_alone: s.b_alone,
            processes: s.processes,
        }
    }
}

/// The control kernel of the session of a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlView {
    /// Id of its record.
    pub record: String,
    /// Name of the control kernel.
    pub name: String,
    /// Time of one side / time of the other; null where it could not be read.
    pub ratio: Option<f64>,
    /// Its 90 % interval.
    pub interval: Option<[f64; 2]>,
    /// Fresh processes that entered.
    pub processes: u32,
    /// Whether it lies within the limit; null where it could not be read.
    pub ok: Option<bool>,
}

impl From<&UnderControl> for ControlView {
    fn from(c: &UnderControl) -> Self {
        Self {
            record: c.record.to_string(),
            name: c.name.clone(),
            ratio: c.reading.map(|r| r.ratio),
            interval: c.reading.map(|r| r.interval),
            processes: c.reading.map_or(0, |r| r.processes),
            ok: c.reading.map(|r| r.ok),
        }
    }
}

impl VerdictView {
    /// What stands beside the verdict, one sentence each, safe to print: the regime, the ratio in
    /// cycles, wins and losses, a proposed dispatch split, the control kernel.
    pub fn beside(&self) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(regime) = &self.regime {
            out.push(format!(
                "regime: {} throughout; differing clocks voided nothing",
                inert(regime)
            ));
        }
        if let Some(c) = &self.cycles {
            out.push(format!(
                "in cycles (time x clock): {}",
                figures(c.ratio, c.interval)
            ));
        }
        // One workload says no more than the verdict does.
        if self.workloads.len() > 1 && !self.wins.is_empty() {
            out.push(format!("proven faster on {}", names(&self.wins)));
        }
        if self.workloads.len() > 1 && !self.losses.is_empty() {
            out.push(format!("proven slower on {}", names(&self.losses)));
        }
        if let Some(s) = &self.split {
            out.push(format!(
                "dispatch split proposed: {} to {}, the rest stays with {}: expected {} of the time of {} \
                 (all to {}: {:.3}); from {} processes",
                names(&s.to_b),
                inert(&self.b),
                inert(&self.a),
                figures(s.ratio, s.interval),
                inert(&self.a),
                inert(&self.b),
                s.b_alone,
                s.processes
            ));
        }
        if let Some(c) = &self.control {
            let read = match (c.ratio, c.interval) {
                (Some(r), Some([low, high])) => format!(
                    "read {r:.4} [{low:.4}, {high:.4}] x itself in {} processes",
                    c.processes
                ),
                _ => "could not be read".to_owned(),
            };
            out.push(format!("control kernel {}: {read}", inert(&c.name)));
        }
        out
    }
}

impl FalseAcceptsView {
    /// How often the policy of a verdict accepts a change that does nothing, safe to print.
    pub fn sentence(&self) -> String {
        let [low, high] = self.interval.map(rate);
        format!(
            "policy {} accepts {} ({low} to {high}) of changes that do nothing on this machine: {} campaigns drawn from {} A/A processes",
            inert(&self.policy),
            rate(self.rate),
            self.campaigns,
            self.processes
        )
    }
}

/// A rate in percent with two digits; what is not none or all is not shown as that.
pub fn rate(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p > 0.0 && p < 0.005 => "below 0.01 %".into(),
        p if p < 100.0 && p > 99.995 => "above 99.99 %".into(),
        p => format!("{p:.2} %"),
    }
}

fn figures(ratio: f64, [low, high]: [f64; 2]) -> String {
    format!("{ratio:.3} [{low:.3}, {high:.3}]")
}

fn names(all: &[String]) -> String {
    let shown: Vec<_> = all.iter().take(NAMES_MAX).map(|n| inert(n)).collect();
    let more = all.len() - shown.len();
    match more {
        0 => shown.join(", "),
        n => format!("{} and {n} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_beyond_a_dozen_and_made_inert() {
        let all: Vec<String> = (0..14).map(|i| format!("w{i}")).collect();
        assert!(names(&all).ends_with("w10, w11 and 2 more"));
        assert_eq!(names(&["a\u{1b}[2J".into()]), "a\\x1b[2J");
    }

    #[test]
    fn no_rate_is_shown_as_none_or_all_that_is_not() {
        let shown = [0.0, 1e-6, 0.013, 0.999_999, 1.0].map(rate);
        let expected = [
            "0.00 %",
            "below 0.01 %",
            "1.30 %",
            "above 99.99 %",
            "100.00 %",
        ];
        assert_eq!(shown, expected);
    }
}
