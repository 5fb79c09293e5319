//! From samples to everything that a verdict records: computed when it is made, and to verify it.

use assay_core::record::{
    CalibrationSettings, ControlRatio, CyclesRatio, DispatchSplit, UnderControl, Verdict,
    VerdictKind,
};
use assay_stats::{Judgement, Samples, Settings, UnknownProcedure, control, judge_as, split};

/// What the procedure came to, with what stands beside it.
pub(crate) struct Ruling {
    /// The judgement, under the control kernel where there is one.
    pub judgement: Judgement,
    /// A dispatch split, where there are wins and losses.
    pub split: Option<DispatchSplit>,
}

impl Ruling {
    /// The comparison in cycles, as it is recorded.
    pub fn cycles(&self) -> Option<CyclesRatio> {
        self.judgement.cycles.map(|c| CyclesRatio {
            ratio: c.ratio,
            interval: c.interval,
        })
    }
}

/// Judges `b` against `a` by a procedure, under the control kernel of the session.
pub(crate) fn rule(
    procedure: &str,
    samples: &Samples,
    [a, b]: [&str; 2],
    settings: &Settings,
    under: Option<&UnderControl>,
) -> Result<Ruling, UnknownProcedure> {
    let mut judgement = judge_as(procedure, samples, a, b, settings)?;
    if let Some(c) = under {
        match c.reading {
            Some(reading) => {
                judgement = control::under(judgement, &to_stats(&reading), &c.name);
            }
            None => judgement.warnings.push(format!(
                "the control kernel {} could not be read, so that nothing vouches for this session; `assay log` says why",
                assay_core::text::inert(&c.name)
            )),
        }
    }
    let both = !judgement.wins.is_empty() && !judgement.losses.is_empty();
    let split = match judgement.kind {
        VerdictKind::Invalid => None,
        _ if both => split::dispatch(samples, a, b, settings).ok().flatten(),
        _ => None,
    };
    Ok(Ruling {
        judgement,
        split: split.map(|s| DispatchSplit {
            to_b: s.to_b,
            to_a: s.to_a,
            open: s.open,
            ratio: s.ratio,
            interval: s.interval,
            b_alone: s.b_alone,
            processes: s.processes,
        }),
    })
}

/// What the samples of a control kernel read.
pub(crate) fn read_control(samples: &Samples, a: &str, b: &str) -> Result<ControlRatio, String> {
    let c = control::read(samples, a, b)?;
    Ok(ControlRatio {
        ratio: c.ratio,
        interval: c.interval,
        processes: c.processes,
        ok: c.ok,
    })
}

fn to_stats(c: &ControlRatio) -> control::Control {
    control::Control {
        ratio: c.ratio,
        interval: c.interval,
        processes: c.processes,
        ok: c.ok,
    }
}

/// The settings that a recorded verdict was computed with.
pub(crate) fn settings_of(v: &Verdict) -> Settings {
    let defaults = Settings::default();
    Settings {
        delta: v.delta,
        guard: v.guard,
        gain: v.gain.unwrap_or(defaults.gain),
        weights: (v.workloads.iter())
            .map(|w| (w.workload.clone(), w.weight))
            .collect(),
        null_pair: v.null_pair,
        null_ground: v.null_ground.unwrap_or_default(),
        regime: v.regime.clone(),
        clocks_locked: v.clocks_locked,
        ..defaults
    }
}

/// The settings that a recorded calibration was computed with.
pub(crate) fn calibrated_settings(s: &CalibrationSettings) -> Settings {
    Settings {
        delta: s.delta,
        guard: s.guard,
        gain: s.gain,
        looks: s.looks.clone(),
        weights: s.weights.clone(),
        ..Settings::default()
    }
}
