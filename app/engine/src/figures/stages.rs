//! Figures that follow from the samples of several processes apart, or from other records besides:
//! rankings, chains measured end to end, and whether measuring two at once disturbs.

use assay_core::fold::State;
use assay_core::record::{BlobRef, Body, Calibration, Chain, Screened, Screening};
use assay_stats::isolation::isolation as compare;
use assay_stats::{Settings, judge_as, screen};
use serde_json::{Value, json};

use super::again::Told;
use super::beside::beside;
use crate::run::chain::held;
use crate::run::measure::{by_name, pair_names, plain_name};
use crate::run::screen::fate;

/// Text of a blob, or why there is none.
pub(super) type Raw<'r> = &'r dyn Fn(&BlobRef) -> Result<String, String>;

/// One variant that was measured once.
pub(super) fn screened(old: &Screened, raw: Raw<'_>) -> Told {
    let mut samples = screen::Screening::default();
    let problems = samples.add(&raw(&old.samples)?, |id| plain_name(id).to_owned());
    if let Some(p) = problems.first() {
        return Err(format!("its raw samples cannot be read: {p}"));
    }
    let settings = Settings {
        weights: old.weights.clone(),
        ..Settings::default()
    };
    let mut ranked = samples.rank(&old.a.name, &settings, old.process_sd, 1);
    let new = ranked.pop().filter(|r| r.subject == old.b.name);
    Ok(beside(
        &json!({"ratio": old.ratio, "interval": old.interval}),
        &json!({
            "ratio": new.as_ref().and_then(|r| r.ratio),
            "interval": new.as_ref().and_then(|r| r.interval),
        }),
    ))
}

/// A ranking, from the samples of each of its variants.
pub(super) fn ranking(old: &Screening, raw: Raw<'_>) -> Told {
    let mut samples = screen::Screening::default();
    for r in &old.ranking {
        let problems = samples.add(&raw(&r.samples)?, |id| plain_name(id).to_owned());
        if let Some(p) = problems.first() {
            return Err(format!("the raw samples of {} cannot be read: {p}", r.name));
        }
    }
    let settings = Settings {
        delta: old.delta,
        weights: old.weights.clone(),
        ..Settings::default()
    };
    let (incumbent, keep) = (&old.incumbent.name, old.keep as usize);
    let new = samples.rank(incumbent, &settings, old.process_sd, keep);
    let row = |name: &str, ratio: Option<f64>, interval: Option<[f64; 2]>, fate: Value| json!({"subject": name, "ratio": ratio, "interval": interval, "fate": fate});
    let was = old.ranking.iter();
    let was: Vec<Value> = was
        .map(|r| row(&r.name, r.ratio, r.interval, json!(r.fate)))
        .collect();
    let is: Vec<Value> = (new.iter())
        .map(|r| row(&r.subject, r.ratio, r.interval, json!(fate(r.fate))))
        .collect();
    Ok(beside(&json!({"ranking": was}), &json!({"ranking": is})))
}

/// A chain: what was measured, and what its steps promised by the verdicts that they rest on.
pub(super) fn chain(old: &Chain, state: &State, raw: Raw<'_>) -> Told {
    let (a, b) = (&old.a.name, &old.b.name);
    let (samples, _) = by_name(&raw(&old.samples)?, a, b);
    let ids = pair_names(a, b);
    let settings = Settings {
        delta: old.delta,
        guard: old.guard,
        weights: old.weights.clone(),
        tick_ns: old.tick_ns,
        ..Settings::default()
    };
    let new = judge_as(&old.procedure, &samples, &ids[0], &ids[1], &settings)
        .map_err(|e| e.to_string())?;
    let mut links = old.links.clone();
    for link in &mut links {
        match state.get(link.verdict).map(|r| &r.body) {
            Some(Body::Verdict(v)) => {
                link.ratio = v.ratio.unwrap_or(f64::NAN);
                link.interval = v.interval.unwrap_or([f64::NAN; 2]);
            }
            _ => {
                return Err(format!(
                    "its verdict {} is not in this ledger",
                    link.verdict
                ));
            }
        }
    }
    let held = new.ratio.zip(new.interval).and_then(|m| held(&links, m));
    let steps = |links: &[assay_core::record::ChainLink]| -> Vec<Value> {
        let step = |l: &assay_core::record::ChainLink| json!({"subject": l.variant, "ratio": l.ratio, "interval": l.interval});
        links.iter().map(step).collect()
    };
    Ok(beside(
        &json!({
            "ratio": old.ratio, "interval": old.interval, "steps": steps(&old.links),
            "promised": old.promised, "promised_interval": old.promised_interval,
            "overstated": old.overstated,
        }),
        &json!({
            "ratio": new.ratio, "interval": new.interval, "steps": steps(&links),
            "promised": held.as_ref().map(|h| h.1.promised),
            "promised_interval": held.as_ref().map(|h| h.1.promised_interval),
            "overstated": held.as_ref().map(|h| h.1.overstated),
        }),
    ))
}

/// Whether measuring two at once disturbs; nothing where a calibration did not look at that.
pub(super) fn isolation(old: &Calibration, raw: Raw<'_>) -> Told {
    let Some(was) = &old.isolation else {
        return Ok(Vec::new());
    };
    let name = &old.subject.name;
    let (paired, _) = by_name(&raw(&old.samples)?, name, name);
    let (alone, _) = by_name(&raw(&was.samples)?, name, name);
    let [id, _] = pair_names(name, name);
    let is = compare(&paired, &id, &alone, &id);
    let is = is.map(|i| {
        json!({"ratio": i.ratio, "interval": i.interval, "processes": i.processes, "disturbed": i.disturbed})
    });
    Ok(beside(
        &json!({"isolation": {"ratio": was.ratio, "interval": was.interval, "processes": was.processes, "disturbed": was.disturbed}}),
        &json!({"isolation": is}),
    ))
}
