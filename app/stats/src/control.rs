//! The control kernel of a session: a pair that cannot differ, measured beside the pair that may.
//!
//! A kernel that never changes stands on both sides, in the same session and processes as the
//! judged pair. Where it reads as different, so may anything else in that session.

use assay_core::record::VerdictKind;
use assay_core::text::inert;
use serde::Serialize;

use crate::decide::{ALPHA_SAME, Estimate};
use crate::paired::pair;
use crate::procedure::{Judgement, Settings, Step, judge};
use crate::samples::Samples;
use crate::wording::{figures, percent, processes};

/// A control that reads further from 1 than this voids the session (as a ratio minus one).
///
/// `experiments.md` 2.2, step 5.
pub const CONTROL_LIMIT: f64 = 0.01;

/// What the control pair read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Control {
    /// Time of one side / time of the other, geometric mean over processes and workloads.
    pub ratio: f64,
    /// Its 90 % interval.
    pub interval: [f64; 2],
    /// Fresh processes.
    pub processes: u32,
    /// Whether it lies within the limit.
    pub ok: bool,
}

/// Reads the control pair; the limit is [`CONTROL_LIMIT`].
///
/// # Errors
/// A sentence that says why the control cannot be read.
pub fn read(samples: &Samples, a: &str, b: &str) -> Result<Control, String> {
    let paired = pair(samples, a, b, |_| true).map_err(|why| why.to_string())?;
    let n = paired.workloads.len() as f64;
    let ratios: Vec<f64> = (0..paired.processes.len())
        .map(|i| {
            let all = paired.workloads.iter();
            all.map(|w| w.log_ratios[i]).sum::<f64>() / n
        })
        .collect();
    let e = Estimate::of(&ratios).ok_or_else(|| {
        format!(
            "{} of the control; 2 are needed",
            processes(ratios.len() as u32)
        )
    })?;
    Ok(Control {
        ratio: e.mean.exp(),
        interval: e.interval(ALPHA_SAME).map(f64::exp),
        processes: e.n,
        ok: e.mean.abs() <= CONTROL_LIMIT.ln_1p(),
    })
}

/// Judges `b` against `a`; the control pair of the same samples can make it INVALID.
pub fn judge_with_control(
    samples: &Samples,
    [a, b]: [&str; 2],
    [control_a, control_b]: [&str; 2],
    settings: &Settings,
) -> Judgement {
    let judgement = judge(samples, a, b, settings);
    match read(samples, control_a, control_b) {
        Ok(control) => under(judgement, &control, control_a),
        Err(why) => unread(judgement, &why),
    }
}

/// The judgement as it stands beside a control that could be read.
///
/// Figures stay, so that one can see what was voided.
pub fn under(mut judgement: Judgement, control: &Control, name: &str) -> Judgement {
    let [ratio, low, high] = figures(control.ratio, control.interval);
    let read = format!(
        "the control kernel {} read {ratio} x itself ({low} to {high}, {})",
        inert(name),
        processes(control.processes)
    );
    // Within the limit it is a reading that stands beside the verdict, and nothing to warn of.
    if !control.ok && judgement.kind != VerdictKind::Invalid {
        judgement.warnings.insert(
            0,
            format!("without the control this would be: {}", judgement.reason),
        );
        judgement.kind = VerdictKind::Invalid;
        judgement.step = Step::Done;
        judgement.reason = format!(
            "{read}, further from 1 than {}: something else changed in this session",
            percent(CONTROL_LIMIT, 3)
        );
        judgement.next = "find out what disturbed the session, and measure again".into();
    }
    judgement
}

fn unread(mut judgement: Judgement, why: &str) -> Judgement {
    judgement.warnings.push(format!(
        "the control kernel could not be read: {}",
        inert(why)
    ));
    judgement
}
