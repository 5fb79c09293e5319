//! What follows from raw samples, computed from them again: summaries, verdicts, calibrations.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};

use assay_core::fold::State;
use assay_core::record::{BlobRef, Body, Calibration, Control, Measurement, UnderControl, Verdict};
use assay_core::{Record, Sha256};
use assay_stats::Samples;
use assay_stats::resample::Pool;
use serde::Serialize;
use serde_json::{Value, json};

use super::beside::{Beside, beside};
use super::stages;
use crate::calibrate::convert;
use crate::run::measure::{by_name, pair_names, plain_summaries};
use crate::run::noise::summary;
use crate::run::ruling;
use crate::workbench::Workbench;

/// Blobs that wait to be computed with; more would only take memory.
const WAITING: usize = 4;

/// Most campaigns to draw for one rate; far above what `assay calibrate` draws.
const MOST_CAMPAIGNS: u32 = 100_000;

/// The figures of a record beside what comes out, or why nothing does.
pub(crate) type Told = std::result::Result<Vec<Beside>, String>;

/// Records that follow from the same raw samples.
struct Group<'s> {
    samples: &'s BlobRef,
    records: Vec<Task<'s>>,
}

/// One record, by its place in the order in which it was given.
struct Task<'s> {
    place: usize,
    what: What<'s>,
}

#[derive(Clone)]
enum What<'s> {
    Measurement(&'s Measurement),
    Verdict(&'s Verdict, Option<UnderControl>),
    Calibration(&'s Calibration),
    Control(&'s Control),
}

impl What<'_> {
    /// The names of the two sides.
    fn sides(&self) -> [&str; 2] {
        match self {
            Self::Measurement(m) => [&m.a.name, &m.b.name],
            Self::Verdict(v, _) => [&v.a, &v.b],
            Self::Calibration(c) => [&c.subject.name; 2],
            Self::Control(c) => [&c.subject.name; 2],
        }
    }

    fn again(&self, samples: &Samples) -> Told {
        match self {
            Self::Measurement(m) => measurement(m, samples),
            Self::Verdict(v, under) => verdict(v, under.as_ref(), samples),
            Self::Calibration(c) => calibration(c, samples),
            Self::Control(c) => control(c, samples),
        }
    }
}

/// Computes again what follows from raw samples, for those of the records that do.
///
/// Each blob is read once, whatever follows from it, and blobs are worked on side by side. What
/// comes out is in the order of the records.
pub(crate) fn again<'s>(
    bench: &Workbench,
    state: &'s State,
    records: impl Iterator<Item = &'s Record>,
) -> Vec<(&'s Record, Told)> {
    let mut out: Vec<(&Record, Told)> = Vec::new();
    let mut groups: BTreeMap<Sha256, Group<'s>> = BTreeMap::new();
    let raw = |samples: &BlobRef| raw(bench, samples);
    for record in records {
        let of = |samples, what| Ok((samples, what));
        let found = match &record.body {
            Body::Measurement(m) => of(&m.samples, What::Measurement(m)),
            Body::Calibration(c) => of(&c.samples, What::Calibration(c)),
            // Without samples that could be read there is nothing to compute.
            Body::Control(c) if c.reading.is_none() => {
                out.push((record, Ok(Vec::new())));
                continue;
            }
            Body::Control(c) => of(&c.samples, What::Control(c)),
            Body::Verdict(v) => match state.get(v.measurement).map(|r| &r.body) {
                Some(Body::Measurement(m)) => {
                    under(state, v).map(|under| (&m.samples, What::Verdict(v, under)))
                }
                _ => Err(format!(
                    "its measurement {} is not in this ledger",
                    v.measurement
                )),
            },
            Body::Canary(c) => match (&c.verdict, &c.measurement) {
                (Some(v), Some(m)) => {
                    under(state, v).map(|under| (&m.samples, What::Verdict(v, under)))
                }
                _ => continue,
            },
            Body::Screened(s) => {
                out.push((record, stages::screened(s, &raw)));
                continue;
            }
            Body::Screening(s) => {
                out.push((record, stages::ranking(s, &raw)));
                continue;
            }
            Body::Chain(c) => {
                out.push((record, stages::chain(c, state, &raw)));
                continue;
            }
            _ => continue,
        };
        let place = out.len();
        match found {
            Ok((samples, what)) => {
                let group = groups.entry(samples.sha256).or_insert(Group {
                    samples,
                    records: Vec::new(),
                });
                group.records.push(Task { place, what });
                out.push((record, Ok(Vec::new())));
            }
            Err(why) => out.push((record, Err(why))),
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let done: Mutex<Vec<(usize, Told)>> = Mutex::new(Vec::new());
    let keep = |told: Vec<(usize, Told)>| {
        let mut done = done
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        done.extend(told);
    };
    let (send, receive) = sync_channel::<(Group<'_>, String)>(WAITING);
    let receive = Mutex::new(receive);
    let (keep, receive) = (&keep, &receive);
    std::thread::scope(move |scope| {
        for _ in 0..cores.min(groups.len()) {
            scope.spawn(move || {
                while let Some((group, text)) = next(receive) {
                    keep(compute(&group, &text));
                }
            });
        }
        for group in groups.into_values() {
            match raw(group.samples) {
                // Nobody listens only if all workers are gone, which then has been told.
                Ok(text) => drop(send.send((group, text))),
                Err(why) => keep(
                    (group.records.iter())
                        .map(|t| (t.place, Err(why.clone())))
                        .collect(),
                ),
            }
        }
    });
    let done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    for (place, told) in done {
        if let Some(slot) = out.get_mut(place) {
            slot.1 = told;
        }
    }
    for (record, told) in &mut out {
        // The samples of a subject alone are a blob of their own.
        if let (Body::Calibration(c), Ok(figures)) = (&record.body, &mut *told) {
            match stages::isolation(c, &raw) {
                Ok(more) => figures.extend(more),
                Err(why) => *told = Err(why),
            }
        }
    }
    out
}

fn next<T>(receive: &Mutex<Receiver<T>>) -> Option<T> {
    let receive = receive
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    receive.recv().ok()
}

fn compute(group: &Group<'_>, text: &str) -> Vec<(usize, Told)> {
    // The two sides keep their slots where both are one subject: samples read both ways differ.
    let mut read: [Option<Samples>; 2] = [None, None];
    (group.records.iter())
        .map(|task| {
            let [a, b] = task.what.sides();
            let samples = &mut read[usize::from(a == b)];
            let samples = samples.get_or_insert_with(|| by_name(text, a, b).0);
            let told = match samples.is_empty() {
                true => Err("its raw samples hold no leg that can be read".into()),
                false => task.what.again(samples),
            };
            (task.place, told)
        })
        .collect()
}

/// Raw samples as text.
fn raw(bench: &Workbench, samples: &BlobRef) -> std::result::Result<String, String> {
    let blob = bench.ledger.blob(samples.sha256);
    let bytes = blob.map_err(|e| e.to_string())?.into_bytes();
    let bytes = bytes.ok_or("its raw samples are not stored here")?;
    String::from_utf8(bytes).map_err(|_| "its raw samples are not UTF-8".into())
}

fn kept(part: &impl Serialize) -> std::result::Result<Value, String> {
    serde_json::to_value(part).map_err(|e| e.to_string())
}

fn measurement(old: &Measurement, samples: &Samples) -> Told {
    Ok(beside(
        &kept(&old.summary)?,
        &kept(&plain_summaries(samples))?,
    ))
}

/// The control kernel that a verdict names, as its own record has it.
fn under(state: &State, v: &Verdict) -> std::result::Result<Option<UnderControl>, String> {
    let Some(named) = &v.control else {
        return Ok(None);
    };
    match state.get(named.record).map(|r| &r.body) {
        Some(Body::Control(c)) => Ok(Some(UnderControl {
            record: named.record,
            name: c.subject.name.clone(),
            reading: c.reading,
        })),
        _ => Err(format!(
            "its control kernel's record {} is not in this ledger",
            named.record
        )),
    }
}

fn verdict(old: &Verdict, under: Option<&UnderControl>, samples: &Samples) -> Told {
    let [a, b] = pair_names(&old.a, &old.b);
    let settings = ruling::settings_of(old);
    let ruling = ruling::rule(&old.procedure, samples, [&a, &b], &settings, under)
        .map_err(|e| e.to_string())?;
    let cycles = ruling.cycles();
    let (new, split) = (ruling.judgement, ruling.split);
    let mut recorded = json!({
        "verdict": old.verdict, "ratio": old.ratio, "interval": old.interval,
        "processes": old.processes, "workloads": kept(&old.workloads)?,
        "control": kept(&old.control)?, "reason": old.reason, "next": old.next,
    });
    let mut computed = json!({
        "verdict": new.kind, "ratio": new.ratio, "interval": new.interval,
        "processes": new.processes, "workloads": kept(&new.workloads)?,
        "control": kept(&under)?, "reason": new.reason, "next": new.next,
    });
    // Others stand beside these, e.g. of conditions, and what is computed must be among them.
    for (i, warning) in new.warnings.iter().enumerate() {
        let name = format!("warning {}", i + 1);
        let there = old.warnings.contains(warning);
        recorded[&name] = json!(there.then_some(warning));
        computed[&name] = json!(warning);
    }
    // Records of earlier versions do not tell what stands beside the verdict.
    if old.wins.is_some() {
        recorded["wins"] = json!(old.wins);
        recorded["losses"] = json!(old.losses.clone().unwrap_or_default());
        recorded["cycles"] = kept(&old.cycles)?;
        recorded["split"] = kept(&old.split)?;
        computed["wins"] = json!(new.wins);
        computed["losses"] = json!(new.losses);
        computed["cycles"] = kept(&cycles)?;
        computed["split"] = kept(&split)?;
    }
    Ok(beside(&recorded, &computed))
}

fn control(old: &Control, samples: &Samples) -> Told {
    let [a, b] = pair_names(&old.subject.name, &old.subject.name);
    let new = ruling::read_control(samples, &a, &b)?;
    Ok(beside(
        &json!({"reading": old.reading, "summary": kept(&old.summary)?}),
        &json!({"reading": new, "summary": kept(&summary(plain_summaries(samples)))?}),
    ))
}

/// A calibration, each rate by the procedure that it names.
fn calibration(old: &Calibration, samples: &Samples) -> Told {
    let name = &old.subject.name;
    let settings = ruling::calibrated_settings(&old.settings);
    let [a, b] = pair_names(name, name);
    let new = assay_stats::calibrate::calibrate(samples, &a, &b, &settings, 0, 0)
        .map_err(|e| e.to_string())?;
    let mut noise = convert::noise(&new);
    let pool = Pool::new(samples, &a, &b);
    let (campaigns, seed) = (old.settings.campaigns, old.settings.seed);
    if campaigns > MOST_CAMPAIGNS {
        return Err(format!(
            "it says that {campaigns} campaigns were drawn for each rate, and at most {MOST_CAMPAIGNS} are drawn again"
        ));
    }
    noise.false_accepts.clear();
    for f in &old.noise.false_accepts {
        let tally = pool.tally(&f.procedure, &settings, true, campaigns, seed);
        let tally = tally.ok_or_else(|| format!("procedure {} is not known", f.procedure))?;
        let mut f = f.clone();
        (f.campaigns, f.accepted) = (tally.campaigns, tally.faster);
        if let Some(rate) = tally.share(tally.faster) {
            f.rate = rate;
        }
        if let Some(interval) =
            assay_stats::power::share_interval(tally.faster, tally.campaigns, 0.05)
        {
            f.interval = interval;
        }
        noise.false_accepts.push(f);
    }
    Ok(beside(
        &json!({"noise": kept(&old.noise)?, "summary": kept(&old.summary)?}),
        &json!({"noise": kept(&noise)?, "summary": kept(&summary(plain_summaries(samples)))?}),
    ))
}
