//! How often a policy accepts a change that does nothing, for samples that a campaign has measured.

use assay_core::campaign::Policy;
use assay_core::fold::State;
use assay_core::record::{Body, Calibration, FalseAccepts, Measurement};
use assay_core::{RecordId, Sha256};
use assay_stats::Settings;

/// The rate and the calibration that says so.
///
/// The samples do not say which machine measured them; the record of the measurement with this very
/// content does, and the verdict on it names the calibration that was in force there.
///
/// # Errors
/// Why it is not known, in words.
pub(super) fn of(
    state: &State,
    samples: Sha256,
    policy: Policy,
    procedure: &str,
    settings: &Settings,
) -> Result<(RecordId, FalseAccepts), String> {
    let measured = |m: &Measurement| m.samples.sha256 == samples;
    let found = state.active().rev().find_map(|r| match &r.body {
        Body::Measurement(m) if measured(m) => Some((r.id, m)),
        _ => None,
    });
    let (id, m) = found.ok_or("these samples are no measurement of this campaign")?;
    let calibration = state.active().rev().find_map(|r| match &r.body {
        Body::Verdict(v) if v.measurement == id => v.calibration,
        _ => None,
    });
    let none = "no A/A calibration was in force when they were measured";
    let calibration = calibration.ok_or(none)?;
    let record = state
        .get(calibration)
        .filter(|_| state.is_active(calibration));
    let Some(Body::Calibration(c)) = record.map(|r| &r.body) else {
        return Err(format!("calibration {calibration} is not in use any more"));
    };
    if let Some(what) = differs(c, m) {
        return Err(format!("calibration {calibration} is of another {what}"));
    }
    let (then, now) = match policy {
        Policy::Threshold => (c.settings.gain, settings.gain),
        Policy::Assay => (c.settings.delta, settings.delta),
        _ => (0.0, 0.0),
    };
    if then != now {
        return Err(format!(
            "calibration {calibration} was computed with another {}",
            if policy == Policy::Threshold {
                "threshold"
            } else {
                "delta"
            }
        ));
    }
    let rate = c.false_accepts_of(policy.name());
    let rate = rate.filter(|f| f.procedure == procedure);
    let unknown = || format!("calibration {calibration} has no rate of {procedure}");
    Ok((calibration, rate.ok_or_else(unknown)?.clone()))
}

/// What a calibration and a measurement do not share.
fn differs(c: &Calibration, m: &Measurement) -> Option<&'static str> {
    match () {
        () if c.timer != m.timer => Some("timer"),
        () if c.mode != m.mode => Some("mode"),
        () if !c.cache.is_empty() && c.cache != m.cache => Some("cache mode"),
        () => None,
    }
}
