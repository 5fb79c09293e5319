//! `assay show`: everything that is known about one variant.

use std::collections::BTreeMap;

use crate::RecordId;
use crate::predict;
use crate::record::{
    BlobRef, Body, Failure, Figure, Origin, PredictionOutcome, Profile, Record, Untimed, Verdict,
};
use crate::text::inert;
use crate::view::{
    AttemptView, CheckView, ControlView, CyclesView, EvidenceView, FalseAcceptsView, FigureRecords,
    FigureView, LeftFile, NoteView, PredictionView, ShowView, SplitView, TableView, UntimedView,
    VerdictView, WorkloadVerdictView,
};

use super::canary::doubts;
use super::list::{decision_view, row};
use super::log::summary;
use super::repeats::repeated;
use super::sources::beside;
use super::variant::{VariantState, kernel, same_content, subject};
use super::{State, published};

/// What git says about the branch of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BranchTip {
    /// Commit at the tip; absent when the branch is gone.
    pub commit: Option<String>,
    /// The branch holds other kernel content than the evidence.
    pub stale: bool,
}

/// Everything about one variant or baseline; `None` for a name that is none.
pub fn show_view(state: &State, name: &str, tip: BranchTip) -> Option<ShowView> {
    let Some(v) = state.variant(name) else {
        return baseline(state, name);
    };
    let profile = state.profile(v.profile);
    Some(ShowView {
        schema: "assay.show/1".into(),
        campaign: state.campaign().into(),
        variant: crate::view::VariantRow {
            stale: tip.stale,
            ..row(state, name)?
        },
        branch: match state.declaration(v.declaration) {
            Some(d) => d.branch.clone(),
            None => format!("assay/{}/{name}", state.campaign()),
        },
        tip: tip.commit,
        stale: tip.stale,
        predictions: (predicted(state, v).into_iter())
            .map(|(outcome, from, why)| prediction_view(&outcome, &from, why))
            .collect(),
        verdict: state.verdict(v.verdict).map(|verdict| {
            let mut view = verdict_view(verdict);
            view.warnings.splice(0..0, doubts(state, verdict));
            let untimed = state.check(v.check).into_iter().flat_map(|c| &c.untimed);
            view.warnings.extend(untimed.filter_map(Untimed::warning));
            view.warnings.extend(beside(state, verdict));
            view.warnings.extend(older_evaluator(state, v.measurement));
            view.warnings
                .extend(v.verdict.and_then(|id| repeated(state, id)));
            view
        }),
        checks: state.check(v.check).map(checks).unwrap_or_default(),
        untimed: (state.check(v.check).iter())
            .flat_map(|c| c.untimed.iter().map(UntimedView::from))
            .collect(),
        counters: profile.map(|p| figures(&p.counters)).unwrap_or_default(),
        published: published::figures(state, name, v.key.as_ref()),
        counter_tool: profile.map(counter_tool),
        facts: state
            .source(v.source)
            .map(|s| figures(&s.facts))
            .unwrap_or_default(),
        twice: state.source(v.source).and_then(|s| s.twice.clone()),
        environment: environment(state, v),
        decisions: (state.owned(name))
            .filter_map(|r| decision_view(state, r.id))
            .collect(),
        notes: notes(state, name)
            .into_iter()
            .chain(stopped(state, v))
            .collect(),
        attempts: attempts(state, name),
        evidence: state.owned(name).map(|r| evidence(state, v, r)).collect(),
        records: records(state, v),
        chain: super::chain_view(state).filter(|c| c.to == name),
    })
}

/// Everything about what variants are measured against: it has no branch, and nothing is decided on it.
fn baseline(state: &State, name: &str) -> Option<ShowView> {
    let row = row(state, name)?;
    let mut records: Vec<&Record> = state.owned(name).chain(state.against(name)).collect();
    records.sort_by_key(|r| r.id);
    records.dedup_by_key(|r| r.id);
    let profile = records.iter().rev().find_map(|r| match &r.body {
        Body::Profile(p) if !p.is_published() => Some(p),
        _ => None,
    });
    Some(ShowView {
        schema: "assay.show/1".into(),
        campaign: state.campaign().into(),
        variant: row,
        branch: String::new(),
        tip: None,
        stale: false,
        predictions: Vec::new(),
        verdict: None,
        checks: Vec::new(),
        untimed: Vec::new(),
        counters: profile.map(|p| figures(&p.counters)).unwrap_or_default(),
        published: published::figures(state, name, None),
        counter_tool: profile.map(counter_tool),
        facts: BTreeMap::new(),
        twice: None,
        environment: BTreeMap::new(),
        decisions: Vec::new(),
        notes: notes(state, name),
        attempts: attempts(state, name),
        evidence: (records.into_iter())
            .map(|r| evidence_line(r, summary(&r.body)))
            .collect(),
        records: FigureRecords::default(),
        chain: None,
    })
}

/// The records that the view of a variant takes its figures from, by the state that it takes them by.
fn records(state: &State, v: &VariantState) -> FigureRecords {
    let id = |id: Option<RecordId>| id.map(|id| id.to_string());
    let states = |r: &&Record| match &r.body {
        Body::Variant(d) => Some(&d.base) == v.commit.as_ref(),
        body => subject(body).is_some_and(|s| s.commit.is_some() && s.commit == v.commit),
    };
    // The run tells it; without one, the newest record that does.
    let told = v.run.and_then(|run| state.get(run)).filter(states);
    let commit = told.or_else(|| state.owned(&v.name).rev().find(states));
    FigureRecords {
        declaration: id(v.declaration),
        run: id(v.run),
        commit: id(commit.map(|r| r.id)),
        source: id(v.source),
        check: id(v.check),
        measurement: id(v.measurement),
        verdict: id(v.verdict),
        profile: id(v.profile),
        decision: id(v.decision),
    }
}

/// Notes about a variant, oldest first.
fn notes(state: &State, name: &str) -> Vec<NoteView> {
    let mut of = all_notes(state);
    of.retain(|n| n.about.as_deref() == Some(name));
    of
}

/// All notes, oldest first; their tables have a name and a hash, and no content yet.
pub fn all_notes(state: &State) -> Vec<NoteView> {
    let of = state.active().filter_map(|r| match &r.body {
        Body::Note(n) => Some(NoteView {
            id: r.id.to_string(),
            about: n.about.clone(),
            topic: n.topic.clone(),
            text: n.text.clone(),
            by: r.by.clone(),
            at: r.created_at.to_string(),
            table: n.table.as_ref().map(|t| TableView {
                name: t.name.clone(),
                sha256: t.sha256.to_string(),
                ..TableView::default()
            }),
        }),
        _ => None,
    });
    of.collect()
}

/// Later runs of the same content that were stopped and left the evidence as it was.
fn stopped<'s>(state: &'s State, v: &'s VariantState) -> impl Iterator<Item = NoteView> + 's {
    state.without_effect(v).filter_map(|(r, run)| {
        let f = run.failure.as_ref()?;
        Some(NoteView {
            id: r.id.to_string(),
            text: stopped_text(f),
            by: r.by.clone(),
            at: r.created_at.to_string(),
            about: Some(v.name.clone()),
            topic: None,
            table: None,
        })
    })
}

/// What is said of a run that left the evidence as it was.
pub(super) fn stopped_text(f: &Failure) -> String {
    format!(
        "a later run of this content ended {} in {} ({}): the evidence before it stands",
        f.kind.name(),
        f.stage.name(),
        f.message
    )
}

/// The tool that counters come from. Of imported reports there may be one for each workload: those of
/// two are not to be set against each other, so that the workload belongs to the name.
fn counter_tool(p: &Profile) -> String {
    let mut out = match &p.tool_version {
        Some(version) => format!("{} {version}", p.tool),
        None => p.tool.clone(),
    };
    if p.origin == Origin::Imported && !p.workload.is_empty() {
        out.push_str(&format!(" on {}, imported", p.workload));
    }
    out
}

/// A verdict as shown.
pub fn verdict_view(v: &Verdict) -> VerdictView {
    let [wins, losses] = v.proven();
    VerdictView {
        schema: "assay.verdict/1".into(),
        a: v.a.clone(),
        b: v.b.clone(),
        policy: v.policy.clone(),
        procedure: v.procedure.clone(),
        delta: v.delta,
        processes: v.processes,
        ratio: v.ratio,
        interval: v.interval,
        verdict: v.verdict.name().into(),
        reason: v.reason.clone(),
        next: v.next.clone(),
        workloads: v.workloads.iter().map(WorkloadVerdictView::from).collect(),
        warnings: v.warnings.clone(),
        gain: v.gain,
        false_accepts: v.false_accepts.as_ref().map(FalseAcceptsView::from),
        regime: v.regime.clone(),
        cycles: v.cycles.as_ref().map(CyclesView::from),
        wins,
        losses,
        split: v.split.as_ref().map(SplitView::from),
        control: v.control.as_ref().map(ControlView::from),
        level: None,
        calibration: v.calibration.map(|id| id.to_string()),
    }
}

/// A remark when a measurement was taken with another evaluator than the one pinned now.
pub(super) fn older_evaluator(state: &State, measurement: Option<RecordId>) -> Option<String> {
    let m = state.measurement(measurement)?;
    (!state.is_current(&m.b.key)).then(|| {
        format!(
            "measured with evaluator {}, which is not the one pinned now: not comparable with newer evidence",
            m.b.key.evaluator.short()
        )
    })
}

pub(super) fn figures(map: &BTreeMap<String, Figure>) -> BTreeMap<String, FigureView> {
    (map.iter())
        .map(|(name, f)| {
            let view = FigureView {
                value: f.value,
                unit: f.unit.clone(),
            };
            (name.clone(), view)
        })
        .collect()
}

fn checks(c: &crate::record::Check) -> Vec<CheckView> {
    (c.results.iter())
        .map(|r| CheckView {
            workload: r.workload.clone(),
            max_abs_error: r.max_abs_error,
            max_rel_error: r.max_rel_error,
            ok: r.ok,
            detail: r.detail.clone(),
        })
        .collect()
}

fn environment(state: &State, v: &VariantState) -> BTreeMap<String, String> {
    let measured = state.measurement(v.measurement);
    let measured = measured.and_then(|m| state.run_of(m));
    let Some(run) = measured.or_else(|| state.run(v.run)) else {
        return BTreeMap::new();
    };
    let e = &run.environment;
    let mut all = e.volatile.clone();
    all.extend(e.stable.clone());
    all.insert("target".into(), run.target.clone());
    if !e.device.is_empty() {
        all.insert("device".into(), e.device.clone());
    }
    all
}

/// Failed stages that left files.
fn attempts(state: &State, name: &str) -> Vec<AttemptView> {
    let of = |r: &Record| match &r.body {
        Body::Run(run) if !run.left.is_empty() => {
            let failure = run.failure.as_ref()?;
            let file = |blob: &BlobRef| LeftFile {
                name: blob.name.clone(),
                bytes: blob.bytes,
                sha256: blob.sha256.to_string(),
            };
            Some(AttemptView {
                id: r.id.to_string(),
                at: r.created_at.to_string(),
                stage: failure.stage.name().into(),
                kind: failure.kind.name().into(),
                message: failure.message.clone(),
                files: run.left.iter().map(file).collect(),
            })
        }
        _ => None,
    };
    state.owned(name).filter_map(of).collect()
}

/// A record as evidence; what is not about the present content or evaluator says so.
fn evidence(state: &State, v: &VariantState, r: &Record) -> EvidenceView {
    let mut line = summary(&r.body);
    if let (Some(s), Some(key)) = (subject(&r.body), &v.key) {
        let of_other = !same_content(&s.key, key);
        // The recipe is one of the target's: the same kernel on another is not other content.
        let target = (of_other && s.key.kernel == key.kernel)
            .then(|| other_target(state, v, r))
            .flatten();
        if let Some(target) = target {
            line.push_str(&format!(
                " (of the target {}, not that of the newest run)",
                inert(target)
            ));
        } else if of_other {
            line.push_str(" (of other content than the newest run)");
        } else if !state.is_current(&s.key) {
            line.push_str(" (with an earlier evaluator)");
        }
    }
    evidence_line(r, line)
}

/// The target of the run that made a record, where it is another than that of the newest run.
fn other_target<'a>(state: &'a State, v: &VariantState, r: &'a Record) -> Option<&'a str> {
    let newest = state.run(v.run)?;
    let of = state
        .owned(&newest.subject.name)
        .find_map(|x| match &x.body {
            Body::Run(run) if x.id == r.id || run.records.contains(&r.id) => Some(run),
            _ => None,
        })?;
    (of.target != newest.target).then_some(of.target.as_str())
}

fn evidence_line(r: &Record, summary: String) -> EvidenceView {
    EvidenceView {
        id: r.id.to_string(),
        kind: r.body.kind().into(),
        at: r.created_at.to_string(),
        summary,
    }
}

fn prediction_view(o: &PredictionOutcome, from: &[RecordId], why: String) -> PredictionView {
    PredictionView {
        why,
        records: from.iter().map(ToString::to_string).collect(),
        text: predict::format(&o.prediction),
        observed_percent: o.observed_percent,
        held: o.held,
    }
}

/// What became of the predictions: as recorded by the decision on this content, else worked out.
pub fn predictions(state: &State, v: &VariantState) -> Vec<PredictionOutcome> {
    (predicted(state, v).into_iter())
        .map(|(outcome, ..)| outcome)
        .collect()
}

/// Why a change has no percentage; empty where it has one.
fn without_percentage(o: &PredictionOutcome, seen: Option<(f64, f64)>) -> String {
    match (o.observed_percent, seen) {
        (Some(_), _) => String::new(),
        (None, None) => "no evidence".into(),
        (None, Some((0.0, after))) => format!("from 0 to {after}: there is no percentage of 0"),
        (None, Some((before, after))) => {
            format!("from {before} to {after}: that change has no percentage")
        }
    }
}

/// The same, each with the records that what was observed follows from, and why there is no percentage.
fn predicted(state: &State, v: &VariantState) -> Vec<(PredictionOutcome, Vec<RecordId>, String)> {
    let Some(declared) = state.declaration(v.declaration) else {
        return Vec::new();
    };
    let decided = state
        .decision(v.decision)
        .filter(|d| d.kernel == kernel(v) && !d.predictions.is_empty());
    let parent = declared.parents.first().map(String::as_str);
    (declared.predictions.iter())
        .map(|p| {
            // What the decision could not observe may be known by now, e.g. from a later profile.
            let recorded = (decided.iter().flat_map(|d| &d.predictions))
                .find(|o| o.prediction == *p && o.observed_percent.is_some());
            if let Some(recorded) = recorded {
                let from = v.decision.into_iter().collect();
                return (recorded.clone(), from, String::new());
            }
            let seen = parent.and_then(|parent| before_and_after(state, v, parent, &p.counter));
            let (before, after) = seen.as_ref().map(|s| (s.before, s.after)).unzip();
            let from = seen.map_or_else(Vec::new, |s| s.from);
            let outcome = predict::outcome(p, before, after);
            let why = without_percentage(&outcome, before.zip(after));
            (outcome, from, why)
        })
        .collect()
}

/// A figure before and after, and the records that it is from.
struct Seen {
    before: f64,
    after: f64,
    from: Vec<RecordId>,
}

/// The figure of the parent and of the variant: of `time` one and the ratio of the verdict, else a
/// counter of two profiles, else a fact of the two generated sources.
fn before_and_after(state: &State, v: &VariantState, parent: &str, counter: &str) -> Option<Seen> {
    if counter == "time" {
        let verdict = state
            .verdict(v.verdict)
            .filter(|verdict| verdict.a == parent)?;
        return verdict.ratio.map(|after| Seen {
            before: 1.0,
            after,
            from: v.verdict.into_iter().collect(),
        });
    }
    let parent = state.variant(parent)?;
    counters(state, v, parent, counter).or_else(|| {
        let (before, after) = (state.source(parent.source)?, state.source(v.source)?);
        let figures = (before.language == after.language)
            .then(|| both(before.facts.get(counter), after.facts.get(counter)));
        let (before, after) = figures??;
        let from = [parent.source, v.source].into_iter().flatten().collect();
        Some(Seen {
            before,
            after,
            from,
        })
    })
}

/// A counter of the newest two profiles that may be set against each other and hold it.
fn counters(state: &State, v: &VariantState, parent: &VariantState, counter: &str) -> Option<Seen> {
    filed(state, v).find_map(|(id, after)| {
        let mut before = filed(state, parent).filter(|(_, b)| comparable_profiles(b, after));
        before.find_map(|(of_parent, p)| {
            let (before, after) = both(p.counters.get(counter), after.counters.get(counter))?;
            let from = vec![of_parent, id];
            Some(Seen {
                before,
                after,
                from,
            })
        })
    })
}

/// The profiles of the present content, newest first.
pub(super) fn profiles<'a>(
    state: &'a State,
    v: &'a VariantState,
) -> impl Iterator<Item = &'a Profile> {
    filed(state, v).map(|(_, p)| p)
}

/// The same, each with its record.
fn filed<'a>(
    state: &'a State,
    v: &'a VariantState,
) -> impl Iterator<Item = (RecordId, &'a Profile)> {
    (state.owned(&v.name).rev()).filter_map(|r| match (&r.body, &v.key) {
        (Body::Profile(p), Some(key)) if same_content(&p.subject.key, key) => Some((r.id, p)),
        _ => None,
    })
}

fn both(before: Option<&Figure>, after: Option<&Figure>) -> Option<(f64, f64)> {
    let (before, after) = (before?, after?);
    (before.unit == after.unit).then_some((before.value, after.value))
}

/// Counters of two profiles may be set against each other: same tool, workload, device and
/// evaluator.
pub(super) fn comparable_profiles(a: &Profile, b: &Profile) -> bool {
    let (ka, kb) = (&a.subject.key, &b.subject.key);
    a.tool == b.tool
        && a.workload == b.workload
        && ka.device == kb.device
        && ka.evaluator == kb.evaluator
}

/// Relative change in percent; nothing can be said of a base that is zero.
pub(super) fn percent(before: f64, after: f64) -> Option<f64> {
    let change = (after - before) / before.abs() * 100.0;
    (before != 0.0 && change.is_finite()).then_some(change)
}
