//! What follows from evidence: verdicts, and decisions with their reasons.

use serde::{Deserialize, Serialize};

use super::{CyclesRatio, DispatchSplit, FalseAccepts, GateResult, Prediction, UnderControl};
use crate::{RecordId, Sha256};

/// What the evidence supports, always of B against A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictKind {
    /// B is faster by more than delta.
    Faster,
    /// B is slower.
    Slower,
    /// The 90 % interval lies within plus or minus delta.
    Same,
    /// A gain of delta is excluded, a loss is not.
    NoGain,
    /// Not settled; `next` says what would settle it.
    Undecided,
    /// The samples cannot be judged; `reason` says why.
    Invalid,
}

impl VerdictKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Faster,
        Self::Slower,
        Self::Same,
        Self::NoGain,
        Self::Undecided,
        Self::Invalid,
    ];

    /// The word on screen and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Same => "SAME",
            Self::NoGain => "NO_GAIN",
            Self::Undecided => "UNDECIDED",
            Self::Invalid => "INVALID",
        }
    }
}

/// By what two sides are known to run the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullGround {
    /// The same machine code, from the same recipe.
    #[default]
    MachineCode,
    /// The same generated source of host and device, compiled by the same toolchain with the same options.
    GeneratedSource,
}

impl NullGround {
    /// What is identical, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::MachineCode => "machine code",
            Self::GeneratedSource => "generated source",
        }
    }
}

/// The verdict on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadVerdict {
    /// Workload.
    pub workload: String,
    /// Weight in the geometric mean.
    pub weight: f64,
    /// Time B / time A.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio, `[low, high]`.
    pub interval: Option<[f64; 2]>,
    /// Median time of A in nanoseconds.
    pub a_median_ns: Option<f64>,
    /// Median time of B in nanoseconds.
    pub b_median_ns: Option<f64>,
    /// Whether it is proven slower beyond the guard.
    #[serde(default)]
    pub guard_broken: bool,
}

/// A computed verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The run it belongs to.
    pub run: RecordId,
    /// Subject A.
    pub a: String,
    /// Subject B.
    pub b: String,
    /// The measurement it was computed from.
    pub measurement: RecordId,
    /// Version of the procedure, e.g. `paired-t/1`.
    pub procedure: String,
    /// Name of the policy, e.g. `assay`.
    pub policy: String,
    /// The effect that matters, as a ratio minus one (0.01 is 1 %).
    pub delta: f64,
    /// A workload proven slower than one plus this breaks the guard (0.02 is 2 %).
    pub guard: f64,
    /// Least gain that the policy `threshold` accepts, as a share of A's time (0.03 is 3 %).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Whether both sides have the same machine code or generated source, launch parameters and recipe.
    pub null_pair: bool,
    /// By what they are a null pair; absent where they are none, and in older records, which mean machine code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_ground: Option<NullGround>,
    /// Whether the generated sources of both sides are equal after normalisation; absent where one
    /// of them was not captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised_equal: Option<bool>,
    /// Fresh processes used.
    pub processes: u32,
    /// Time B / time A, weighted geometric mean over workloads.
    pub ratio: Option<f64>,
    /// Confidence interval of the ratio, `[low, high]`.
    pub interval: Option<[f64; 2]>,
    /// The verdict.
    pub verdict: VerdictKind,
    /// Why, in one sentence with the figures.
    pub reason: String,
    /// What would settle it or what to do next; empty when nothing is open.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// Each workload.
    pub workloads: Vec<WorkloadVerdict>,
    /// Remarks that stand beside the verdict, e.g. equal generated source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The calibration of this machine that was in force, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<RecordId>,
    /// How often the policy accepts a change that does nothing, from that calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_accepts: Option<FalseAccepts>,
    /// A condition that held throughout all processes, e.g. `power cap`; clocks then voided nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<String>,
    /// Whether the clocks were locked, for legs that do not say; absent when it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks_locked: Option<bool>,
    /// The ratio in cycles, where clocks are known for each leg and locked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<CyclesRatio>,
    /// Workloads proven faster, sorted; absent in records that do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wins: Option<Vec<String>>,
    /// Workloads proven slower, sorted; absent in records that do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub losses: Option<Vec<String>>,
    /// A dispatch split, where there are wins and losses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<DispatchSplit>,
    /// The control kernel of the session, where one is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<UnderControl>,
}

impl Verdict {
    /// Workloads proven faster, and those proven slower (see [`proven`]). Of a null pair nothing is.
    pub fn proven(&self) -> [Vec<String>; 2] {
        if self.null_pair {
            return Default::default();
        }
        let told = (self.wins.as_deref()).map(|w| [w, self.losses.as_deref().unwrap_or_default()]);
        proven(self.verdict, told, &self.workloads, self.delta)
    }
}

/// Workloads proven faster, and those proven slower: the one meaning that every view, count and
/// picture has of a side.
///
/// It is what the verdict lists (`told`), which has looked at all workloads together. A record that
/// lists none is read by the intervals: a gain counts above delta only, and what lies within delta on
/// both sides is the same. Samples that cannot be judged prove nothing, and of a single workload
/// nothing is proven but what the verdict says.
pub fn proven(
    verdict: VerdictKind,
    told: Option<[&[String]; 2]>,
    workloads: &[WorkloadVerdict],
    delta: f64,
) -> [Vec<String>; 2] {
    let bound = 1.0 + delta;
    let faster = |w: &WorkloadVerdict| match (told, w.ratio, w.interval) {
        (Some([wins, _]), ..) => wins.contains(&w.workload),
        (None, Some(ratio), Some([_, high])) => high < 1.0 && ratio < 1.0 / bound,
        _ => false,
    };
    let slower = |w: &WorkloadVerdict| match (told, w.interval) {
        (Some([_, losses]), _) => losses.contains(&w.workload),
        (None, Some([low, high])) => low > 1.0 && high >= bound,
        _ => false,
    };
    let says = |kind: VerdictKind| match (verdict, workloads) {
        (VerdictKind::Invalid, _) => false,
        (_, [_]) => verdict == kind,
        _ => true,
    };
    let of = |kind: VerdictKind, side: &dyn Fn(&WorkloadVerdict) -> bool| {
        let all = workloads.iter().filter(|w| says(kind) && side(w));
        all.map(|w| w.workload.clone()).collect()
    };
    [
        of(VerdictKind::Faster, &faster),
        of(VerdictKind::Slower, &slower),
    ]
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// The variant becomes the champion.
    Accept,
    /// The variant is not pursued.
    Reject,
    /// Put aside, open.
    Park,
    /// An earlier champion becomes the champion again.
    Rollback,
}

impl DecisionKind {
    /// The name in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Park => "park",
            Self::Rollback => "rollback",
        }
    }
}

/// A gate that was overridden, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// Name of the gate.
    pub gate: String,
    /// Why it does not stand in the way.
    pub reason: String,
}

/// Whether a prediction came true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictionOutcome {
    /// The prediction.
    pub prediction: Prediction,
    /// Observed relative change in percent; `None` when there is no evidence.
    pub observed_percent: Option<f64>,
    /// Whether it held; `None` when there is no evidence.
    pub held: Option<bool>,
}

/// A decision with its reason and evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The variant decided on.
    pub variant: String,
    /// What was decided.
    pub kind: DecisionKind,
    /// Why; never empty.
    pub reason: String,
    /// `policy` or `person`.
    pub decided_by: String,
    /// The content decided on; absent when nothing was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Sha256>,
    /// Commit at which that content was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// For accept and roll-back: the decisions whose champion this one replaces.
    /// Empty for the first champion; more than one settles a contest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<RecordId>,
    /// Records that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<RecordId>,
    /// Gates as they stood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateResult>,
    /// Gates overridden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<Override>,
    /// What the predictions came to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<PredictionOutcome>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(name: &str, ratio: f64, interval: [f64; 2]) -> WorkloadVerdict {
        WorkloadVerdict {
            workload: name.into(),
            weight: 1.0,
            ratio: Some(ratio),
            interval: Some(interval),
            a_median_ns: None,
            b_median_ns: None,
            guard_broken: false,
        }
    }

    fn names(sides: [Vec<String>; 2]) -> String {
        sides.map(|s| s.join(" ")).join(" / ")
    }

    #[test]
    fn what_a_verdict_lists_is_proven_and_no_plain_interval_is() {
        let cells = [
            cell("a", 0.44, [0.28, 0.68]),
            cell("b", 0.92, [0.90, 0.94]),
            cell("c", 1.02, [1.001, 1.04]),
            cell("d", 1.10, [1.05, 1.15]),
        ];
        let of = |kind, wins: &[&str], losses: &[&str]| {
            let [wins, losses] =
                [wins, losses].map(|l| l.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
            names(proven(kind, Some([&wins, &losses]), &cells, 0.01))
        };
        assert_eq!(of(VerdictKind::Faster, &["b"], &["d"]), "b / d");
        assert_eq!(of(VerdictKind::Faster, &[], &[]), " / ");
        // The figures of samples that cannot be judged are kept, and prove nothing.
        assert_eq!(of(VerdictKind::Invalid, &["b"], &["d"]), " / ");
    }

    #[test]
    fn a_record_without_lists_is_read_by_its_intervals() {
        let cells = [
            cell("gain", 0.9, [0.88, 0.92]),
            cell("noise", 0.99, [0.97, 1.01]),
            cell("loss", 1.1, [1.05, 1.15]),
            // Beyond 1, and too small to matter.
            cell("tiny-gain", 0.999, [0.998, 0.9995]),
            cell("tiny-loss", 1.001, [1.0005, 1.002]),
            // Faster, and whether by more than delta is not known.
            cell("open", 0.992, [0.985, 0.999]),
        ];
        let all = proven(VerdictKind::Undecided, None, &cells, 0.01);
        assert_eq!(names(all), "gain / loss");
    }

    #[test]
    fn of_one_workload_nothing_is_proven_but_what_the_verdict_says() {
        let win = ["w".to_owned()];
        let tiny = [cell("w", 0.999, [0.998, 0.9995])];
        let of = |kind, told| names(proven(kind, told, &tiny, 0.01));
        let told: Option<[&[String]; 2]> = Some([&win, &[]]);
        assert_eq!(of(VerdictKind::Same, told), " / ");
        assert_eq!(of(VerdictKind::Faster, told), "w / ");
        assert_eq!(of(VerdictKind::Faster, Some([&[], &[]])), " / ");
    }
}
