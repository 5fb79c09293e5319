//! What rules may know beside the counters of a report: the workload by its formulas, the device,
//! the campaign's own benchmark, published figures, and how the variant stands.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::campaign::{Cache, LOCAL, ResolvedWorkload, StageSpec, Target};
use assay_core::fold::{Champion, State, pair};
use assay_core::record::{
    self, Body, Environment, Measurement, Origin, Stage, Verdict, VerdictKind,
};
use assay_core::{RecordId, Sha256};
use assay_profile::device::{Device, Kind as DeviceKind, data_type};
use assay_profile::rules::Context;
use assay_profile::{Launch, Profile, launch_figures};

use super::audit::table;
use super::stored::{present, profiles};
use crate::data::Data;
use crate::error::Result;
use crate::workbench::Workbench;

/// Data types that rules ask for, `workload.<name>`.
const TYPES: [&str; 4] = ["fp16", "bf16", "fp32", "int8"];

/// Parts of the names of timers that are profilers.
const PROFILERS: [&str; 6] = [
    "profiler",
    "ncu",
    "nsight",
    "rocprof",
    "cachegrind",
    "perf stat",
];

/// Whether a card is cut into instances, in an environment.
const MIG: &str = "gpu.mig";

/// The formulas of a workload.
pub fn workload(w: &ResolvedWorkload, context: &mut Context) {
    context.set("workload.flops", w.flops);
    context.set("workload.bytes", w.bytes);
    for (name, value) in [
        ("workload.outputs", w.outputs),
        ("workload.ops_per_output", w.ops_per_output),
        ("workload.groups", w.groups),
        ("workload.published_flops", w.published_flops),
    ] {
        if let Some(value) = value {
            context.set(name, value);
        }
    }
    let of = data_type(&w.dtype);
    for name in TYPES {
        context.set(
            format!("workload.{name}"),
            f64::from(u8::from(of == Some(name))),
        );
    }
}

/// The device that figures are held against.
///
/// The target says it, else the report where there is one, else the machine that the run was on, by
/// the name that its driver has for it or where it was calibrated; nothing is known of other devices.
pub fn device(
    target: Option<&Target>,
    profile: Option<&Profile>,
    machine: Option<&Environment>,
    dtype: Option<&str>,
    data: &Data,
    context: &mut Context,
) -> Option<String> {
    match device_of(target, profile, machine, data) {
        Ok(found) => {
            let values = found.map(|device| device.values(dtype));
            values.into_iter().for_each(|v| context.extend(v));
            None
        }
        Err(problem) => Some(problem),
    }
}

/// The same device itself.
///
/// # Errors
/// When the target names one that there is no file of.
pub(crate) fn device_of(
    target: Option<&Target>,
    profile: Option<&Profile>,
    machine: Option<&Environment>,
    data: &Data,
) -> Result<Option<Device>, String> {
    if let Some((t, model)) = target.and_then(|t| Some((t, t.model.as_deref()?))) {
        let share = t.share.map_or(1.0, |s| s.0);
        let device = data.devices.get(model).ok_or_else(|| {
            format!(
                "[target.{}] model = \"{model}\": there is no device file of that name",
                t.name
            )
        })?;
        return Ok(Some(device.slice(share)));
    }
    let said = profile.and_then(|p| data.devices.recognise(p));
    let said = said.map(|(d, _)| d.clone());
    Ok(said.or_else(|| on(machine?, data)))
}

/// The device that a run was on: the one that its driver calls so, else a CPU that was calibrated.
fn on(machine: &Environment, data: &Data) -> Option<Device> {
    // A part of a device in this way has the name of the whole.
    let is_part = machine.stable.get(MIG).is_some_and(|mig| mig == "Enabled");
    let called = data.devices.called(&machine.device).filter(|_| !is_part);
    called
        .cloned()
        .or_else(|| calibrated(&machine.device, data))
}

/// The only CPU of that model that was calibrated.
fn calibrated(machine: &str, data: &Data) -> Option<Device> {
    let is_it = |d: &&Device| d.kind == DeviceKind::Cpu && d.title.contains(machine);
    let mut of = data.devices.iter().filter(is_it);
    let first = of.next().filter(|_| !machine.is_empty());
    first.filter(|_| of.next().is_none()).cloned()
}

/// The machine that a profile was taken on by a run.
pub fn machine<'s>(state: &'s State, p: &record::Profile) -> Option<&'s Environment> {
    if p.origin != Origin::Run {
        return None;
    }
    run(state, &p.subject.name, p.run).map(|r| &r.environment)
}

/// The run of a variant that made a record.
pub fn run<'s>(state: &'s State, variant: &str, id: RecordId) -> Option<&'s record::Run> {
    state.owned(variant).find_map(|r| match &r.body {
        Body::Run(run) if run.run == id => Some(run),
        _ => None,
    })
}

/// The campaign's own measurement of a variant on a workload.
pub fn bench(m: &Measurement, variant: &str, workload: &str, context: &mut Context) {
    let of = |s: &&record::SampleSummary| s.workload == workload && s.subject == variant;
    let Some(summary) = m.summary.iter().find(of) else {
        return;
    };
    context.set("bench.time", summary.median_ns);
    let cold = matches!(m.cache.as_str(), "cold" | "rotating");
    context.set("bench.cold", f64::from(u8::from(cold)));
    let timer = m.timer.to_lowercase();
    let by_profiler = PROFILERS.iter().any(|p| timer.contains(p));
    context.set("bench.time_from_profiler", f64::from(u8::from(by_profiler)));
}

/// The state of the caches that the campaign declares for its benchmark: published times are of it, for
/// there is no other record of how they were taken.
pub fn declared_cache(bench: &Workbench, target: Option<&Target>, context: &mut Context) {
    let stage = target.and_then(|t| bench.config.as_ref()?.stage(&t.name, Stage::Bench));
    if let Some(spec) = stage.and_then(StageSpec::bench) {
        let cold = spec.cache != Cache::Hot;
        context.set("bench.cold", f64::from(u8::from(cold)));
    }
}

/// The figures that were published for a variant on a workload, from their row, with what their last
/// digits are worth.
pub fn claims(row: &Launch, context: &mut Context) {
    for (name, figure) in launch_figures(row) {
        if !name.starts_with("claim.") {
            continue;
        }
        let printed = row.canonical(&name).next();
        if let Some(c) = printed
            && let (Some(resolution), Some(number)) = (c.resolution(), c.number())
            && number != 0.0
        {
            // In the unit of the catalog, as the figure is.
            context.set(format!("res.{name}"), resolution * figure.value / number);
        }
        context.set(name, figure.value);
    }
}

/// A verdict on a pair, for the workload that was profiled: that of the workload where there is
/// one, else that of all.
pub fn verdict(v: &Verdict, reversed: bool, workload: &str, context: &mut Context) {
    let kind = match (v.verdict, reversed) {
        (VerdictKind::Faster, true) => VerdictKind::Slower,
        // That B was slower than A does not prove that A is faster by what matters.
        (VerdictKind::Slower | VerdictKind::NoGain, true) => VerdictKind::Undecided,
        (kind, _) => kind,
    };
    for (name, of) in [
        ("verdict.faster", VerdictKind::Faster),
        ("verdict.slower", VerdictKind::Slower),
        ("verdict.same", VerdictKind::Same),
        ("verdict.no_gain", VerdictKind::NoGain),
    ] {
        context.set(name, f64::from(u8::from(kind == of)));
    }
    let of_it = v.workloads.iter().find(|w| w.workload == workload);
    let ratio = of_it.and_then(|w| w.ratio).or(v.ratio).filter(|r| *r > 0.0);
    if let Some(ratio) = ratio {
        let ratio = if reversed { 1.0 / ratio } else { ratio };
        context.set("time.change", (ratio - 1.0) * 100.0);
    }
}

/// What is known of a pair of variants: the verdict, else published times.
pub fn of_pair(state: &State, a: &str, b: &str, workload: &str, context: &mut Context) {
    let claim = |name: &str| {
        let mut of = present(state, name).filter(|(_, p)| p.is_published());
        let found = of.find(|(_, p)| p.workload == workload)?.1;
        found.counters.get("claim.time").map(|f| f.value)
    };
    for (side, name) in [("a", a), ("b", b)] {
        if let Some(time) = claim(name) {
            context.set(format!("{side}.claim.time"), time);
        }
    }
    match pair(state, a, b) {
        Some(found) => verdict(found.verdict, found.reversed, workload, context),
        None => {
            if let (Some(before), Some(after)) = (claim(a), claim(b))
                && before > 0.0
            {
                context.set("time.change", (after - before) / before * 100.0);
            }
        }
    }
}

/// The newest measurement of a variant's present content.
pub fn measurement<'s>(state: &'s State, name: &str) -> Option<&'s Measurement> {
    let id = state.variant(name)?.measurement?;
    match &state.get(id)?.body {
        Body::Measurement(m) => Some(m),
        _ => None,
    }
}

/// How a variant stands: `history.*`.
///
/// `content` is what its branch holds now, or what was accepted of a champion.
pub fn history(state: &State, name: &str, content: Option<Sha256>, context: &mut Context) {
    let flag = |b: bool| f64::from(u8::from(b));
    let is_champion = matches!(state.champion(), Champion::Holder(h) if h.variant == name);
    context.set("history.champion", flag(is_champion));
    let measured = || profiles(state, name).filter(|(_, p)| !p.is_published());
    context.set("history.profile_missing", flag(measured().next().is_none()));
    if let (Some(content), Some(_)) = (content, measured().next()) {
        let fresh = measured().any(|(_, p)| p.subject.key.kernel == content);
        context.set("history.profile_stale", flag(!fresh));
    }
    let commits = contents(state, name).len();
    if commits > 0 {
        context.set("history.commits", commits as f64);
    }
}

/// Different contents behind what a report would say of a variant: its measurement, its profiles
/// and its published figures, the newest of each workload. Each with a record that is of it.
pub fn contents<'s>(
    state: &'s State,
    name: &str,
) -> BTreeMap<Sha256, (RecordId, Option<&'s record::Profile>)> {
    let mut contents = BTreeMap::new();
    let measured = state.variant(name).and_then(|v| v.measurement);
    if let (Some(m), Some(id)) = (measurement(state, name), measured) {
        let of = if m.b.name == name { &m.b } else { &m.a };
        contents.insert(of.key.kernel, (id, None));
    }
    let mut seen = BTreeSet::new();
    for (id, p) in profiles(state, name) {
        // Rows of one table may be of several.
        let row = table(p).map(|of| (of, p.kernel.as_deref()));
        if seen.insert((&p.workload, &p.tool, row)) {
            (contents.entry(p.subject.key.kernel)).or_insert((id, Some(p)));
        }
    }
    contents
}

/// The content that evidence of a variant should be of: what was accepted of a champion, else what
/// its branch holds.
pub fn standing_content(bench: &Workbench, state: &State, name: &str) -> Result<Option<Sha256>> {
    if let Champion::Holder(head) = state.champion()
        && head.variant == name
        && head.kernel.is_some()
    {
        return Ok(head.kernel);
    }
    if bench.git.is_none() || bench.config.is_none() {
        return Ok(None);
    }
    match bench.variants()?.tip(&bench.branch(name))? {
        Some(tip) => Ok(Some(bench.kernel_hash(tip)?)),
        None => Ok(None),
    }
}

/// The target that a profile is from.
pub fn target<'c>(bench: &'c Workbench, p: &record::Profile) -> Option<&'c Target> {
    let name = p.import.as_ref().map_or(LOCAL, |i| i.target.as_str());
    bench.config.as_ref()?.targets.get(name)
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
