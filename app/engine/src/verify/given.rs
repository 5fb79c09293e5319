//! What a verdict was computed with, beside the campaign file, the builds and the calibration that
//! it has it from.

use std::collections::BTreeMap;

use assay_core::campaign::{Campaign, Policy};
use assay_core::fold::State;
use assay_core::record::{Body, Build, Measurement, NullGround, Subject, Verdict};
use assay_core::{Record, RecordId, Sha256, text::inert};
use assay_stats::resample::procedure_of;

use crate::workbench::{CAMPAIGN_FILE, Workbench};

/// What came of looking at all verdicts.
#[derive(Default)]
pub(super) struct Given<'s> {
    /// Verdicts that say otherwise, and what.
    pub problems: Vec<(&'s Record, String)>,
    /// A verdict whose campaign file is not here, how many share that, and why.
    pub unchecked: Vec<(&'s Record, usize, String)>,
}

/// Looks at every verdict.
pub(super) fn given<'s>(bench: &Workbench, state: &'s State) -> Given<'s> {
    let mut out = Given::default();
    let mut files: BTreeMap<Sha256, Result<Campaign, String>> = BTreeMap::new();
    let mut without: BTreeMap<Sha256, (&Record, usize)> = BTreeMap::new();
    for record in state.log() {
        let Body::Verdict(v) = &record.body else {
            continue;
        };
        let Some(m) = state.measurement(Some(v.measurement)) else {
            continue;
        };
        let tree = m.b.key.evaluator;
        let file = files
            .entry(tree)
            .or_insert_with(|| file_of(bench, state, tree));
        let mut said = Vec::new();
        match file {
            Ok(campaign) => said.extend(against_file(v, campaign)),
            Err(_) => without.entry(tree).or_insert((record, 0)).1 += 1,
        }
        said.extend(procedure(v));
        said.extend(sides(v, m));
        said.extend(null_pair(state, record.id, v, m));
        said.extend(rate(state, v, m));
        out.problems.extend(said.into_iter().map(|s| (record, s)));
    }
    for (tree, (record, verdicts)) in without {
        if let Some(Err(why)) = files.remove(&tree) {
            out.unchecked.push((record, verdicts, why));
        }
    }
    out
}

/// The campaign file of an evaluator, as it was pinned.
fn file_of(bench: &Workbench, state: &State, tree: Sha256) -> Result<Campaign, String> {
    let pin = (state.evaluators().rev().find(|e| e.tree == tree))
        .ok_or_else(|| format!("its evaluator {} is not in this ledger", tree.short()))?;
    let text = bench.pinned_file(pin)?;
    Campaign::parse(&text, CAMPAIGN_FILE).map_err(|e| e.to_string())
}

/// What the campaign file asks for.
fn against_file(v: &Verdict, campaign: &Campaign) -> Vec<String> {
    let mut out = Vec::new();
    let mut differs = |what: &str, said: String, asked: String| {
        out.push(format!(
            "recorded {what} {said}, the pinned campaign file says {asked}"
        ));
    };
    let decide = &campaign.decide;
    if v.policy != decide.policy.name() {
        let asked = decide.policy.name().to_owned();
        differs("policy", inert(&v.policy).into_owned(), asked);
    }
    for (what, said, asked) in [
        ("delta", v.delta, decide.delta.0),
        ("guard", v.guard, decide.guard.0),
    ] {
        if said != asked {
            differs(what, said.to_string(), asked.to_string());
        }
    }
    let gain = (decide.policy == Policy::Threshold).then_some(decide.threshold.0);
    let word = |g: Option<f64>| g.map_or_else(|| "nothing".to_owned(), |g| g.to_string());
    if v.gain != gain {
        differs("gain", word(v.gain), word(gain));
    }
    for w in &v.workloads {
        let asked = campaign.workloads.iter().find(|c| c.name == w.workload);
        let asked = asked.map(|c| c.weight);
        if asked != Some(w.weight) {
            let what = format!("weight of {}", inert(&w.workload));
            differs(&what, w.weight.to_string(), word(asked));
        }
    }
    out
}

/// A policy stands for one procedure, of which there may be versions.
fn procedure(v: &Verdict) -> Option<String> {
    let family = |p: &str| p.split('/').next().unwrap_or_default().to_owned();
    let (policy, procedure) = (inert(&v.policy), inert(&v.procedure));
    match procedure_of(&v.policy) {
        None => Some(format!("policy {policy} is not known to this version")),
        Some(of) if family(of) != family(&v.procedure) => Some(format!(
            "recorded procedure {procedure}, and policy {policy} stands for {of}"
        )),
        Some(_) => None,
    }
}

/// A verdict is on the two sides of its measurement.
fn sides(v: &Verdict, m: &Measurement) -> Option<String> {
    (v.a != m.a.name || v.b != m.b.name).then(|| {
        format!(
            "recorded {} against {}, its measurement is of {} against {}",
            inert(&v.b),
            inert(&v.a),
            inert(&m.b.name),
            inert(&m.a.name)
        )
    })
}

/// Whether both sides were built to the same code, or from the same sources, from every build of the two
/// contents; of sources from those before the verdict, since older ones do not tell of them.
fn null_pair(state: &State, id: RecordId, v: &Verdict, m: &Measurement) -> Option<String> {
    let of = |s: &Subject, pick: &dyn Fn(&Record, &Build) -> Option<Sha256>| -> Vec<Sha256> {
        let of = |r: &Record| match &r.body {
            Body::Build(b) if b.subject.key == s.key => pick(r, b),
            _ => None,
        };
        state.owned(&s.name).filter_map(of).collect()
    };
    let both = |pick: &dyn Fn(&Record, &Build) -> Option<Sha256>| {
        Sides::of(&of(&m.a, pick), &of(&m.b, pick))
    };
    let (a, b) = (&m.a.key, &m.b.key);
    let code = both(&|_, b| b.machine_code).filter_by(a.recipe == b.recipe);
    let sources =
        both(&|r, b| b.sources.filter(|_| r.id < id)).filter_by(a.toolchain == b.toolchain);
    let wrong = match (v.null_pair, v.null_ground.unwrap_or_default()) {
        (true, NullGround::MachineCode) => code == Sides::Differ,
        (true, NullGround::GeneratedSource) => sources == Sides::Differ,
        (false, _) => code == Sides::Equal || sources == Sides::Equal,
    };
    wrong.then(|| {
        format!(
            "recorded null_pair {}, the builds of both sides say {}",
            v.null_pair, !v.null_pair
        )
    })
}

/// What the builds of two contents say of each other. Builds of one content may differ: only what none of
/// them allows is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sides {
    /// Each build of one is each of the other.
    Equal,
    /// None is.
    Differ,
    /// Some are, or nothing is known of one side.
    Open,
}

impl Sides {
    fn of(a: &[Sha256], b: &[Sha256]) -> Self {
        let equal = |x: &Sha256| b.iter().filter(|y| x == *y).count();
        let pairs: usize = a.iter().map(equal).sum();
        match pairs {
            _ if a.is_empty() || b.is_empty() => Self::Open,
            0 => Self::Differ,
            n if n == a.len() * b.len() => Self::Equal,
            _ => Self::Open,
        }
    }

    /// The same, where both are otherwise made alike; else they differ whatever was built.
    fn filter_by(self, alike: bool) -> Self {
        match self {
            Self::Open => Self::Open,
            _ if !alike => Self::Differ,
            other => other,
        }
    }
}

/// The rate of false accepts is that of the calibration.
fn rate(state: &State, v: &Verdict, m: &Measurement) -> Option<String> {
    let Some(id) = v.calibration else {
        let told = v.false_accepts.is_some();
        return told.then(|| "recorded false_accepts, and it names no calibration".into());
    };
    let Some(Body::Calibration(c)) = state.get(id).map(|r| &r.body) else {
        return None;
    };
    let known = (c.false_accepts_of(&v.policy)).filter(|f| f.procedure == v.procedure);
    let word = |rate: Option<f64>| rate.map_or_else(|| "nothing".into(), |r| r.to_string());
    let holds = match v.policy.as_str() {
        "assay" => c.settings.delta == v.delta,
        "threshold" => Some(c.settings.gain) == v.gain,
        _ => true,
    };
    let expected = known.filter(|_| holds && c.timer == m.timer);
    (v.false_accepts.as_ref() != expected).then(|| {
        format!(
            "recorded false_accepts {}, the calibration {id} says {} for it",
            word(v.false_accepts.as_ref().map(|f| f.rate)),
            word(expected.map(|f| f.rate))
        )
    })
}
