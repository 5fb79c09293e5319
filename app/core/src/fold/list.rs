//! Rows of `assay list`.

use std::collections::BTreeMap;

use crate::RecordId;
use crate::record::{
    Body, Build, Check, Decision, DecisionKind, GateResult, Measurement, Profile, Run, Source,
    Variant, Verdict,
};
use crate::view::{DecisionView, FailureView, ListView, ScreenedView, VariantRow};

use super::State;
use super::gates::{Contest, GUARD, VERDICT, parts};
use super::published::published;
use super::steps::chain_view;
use super::variant::{Status, VariantState, kernel};

macro_rules! typed {
    ($($(#[$doc:meta])* $name:ident: $kind:ident),* $(,)?) => {
        impl State {
            $($(#[$doc])*
            pub fn $name(&self, id: Option<RecordId>) -> Option<&$kind> {
                match id.and_then(|id| self.get(id)).map(|r| &r.body) {
                    Some(Body::$kind(b)) => Some(b),
                    _ => None,
                }
            })*
        }
    };
}
typed! {
    /// The declaration with this id.
    declaration: Variant,
    /// The run record with this id.
    run: Run,
    /// The build with this id.
    build: Build,
    /// The captured source with this id.
    source: Source,
    /// The check with this id.
    check: Check,
    /// The measurement with this id.
    measurement: Measurement,
    /// The profile with this id.
    profile: Profile,
    /// The verdict with this id.
    verdict: Verdict,
    /// The decision with this id.
    decision: Decision,
}

/// The list of all variants, oldest first.
///
/// `workloads` are the names of the campaign file in its order. Without them the order of the
/// newest measurement is used.
pub fn list_view(state: &State, workloads: &[String]) -> ListView {
    let mut rows: Vec<VariantRow> = (state.variants().values())
        .map(|v| row_of(state, v))
        .collect();
    // Ids sort by time of declaration; what is not declared has none and goes last.
    rows.sort_by(|a, b| (a.id.is_empty(), &a.id, &a.name).cmp(&(b.id.is_empty(), &b.id, &b.name)));
    ListView {
        schema: "assay.list/1".into(),
        campaign: state.campaign().into(),
        device: devices(state),
        champion: state.champion().name().map(str::to_owned),
        contested: (state.champion().contested().into_iter())
            .map(str::to_owned)
            .collect(),
        workloads: if workloads.is_empty() {
            recorded_workloads(state)
        } else {
            workloads.to_vec()
        },
        variants: rows,
        chain: chain_view(state),
        unreadable: state.unreadable(),
        damaged: state.damaged(),
        read_only: state.place().read_only,
        others: Vec::new(),
    }
}

/// The devices that the shown measurements were taken on.
fn devices(state: &State) -> Option<String> {
    let runs = state.shown_runs();
    let names: Vec<&str> = (runs.iter())
        .map(|r| r.environment.device.as_str())
        .filter(|d| !d.is_empty())
        .collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

/// Workloads of the newest measurement, in its order; without one, those of published figures.
pub fn recorded_workloads(state: &State) -> Vec<String> {
    let newest = state.active().rev().find_map(|r| match &r.body {
        Body::Measurement(m) => Some(m),
        _ => None,
    });
    let mut names: Vec<String> = Vec::new();
    for s in newest.into_iter().flat_map(|m| &m.summary) {
        if !names.contains(&s.workload) {
            names.push(s.workload.clone());
        }
    }
    if names.is_empty() {
        let published = state.active().filter_map(|r| match &r.body {
            Body::Profile(p) if p.is_published() && !p.workload.is_empty() => Some(&p.workload),
            _ => None,
        });
        for workload in published {
            if !names.contains(workload) {
                names.push(workload.clone());
            }
        }
    }
    names
}

/// The row of one subject; a baseline has one as well, with the status `baseline`.
pub fn row(state: &State, name: &str) -> Option<VariantRow> {
    if let Some(v) = state.variant(name) {
        return Some(row_of(state, v));
    }
    state
        .baselines()
        .contains(name)
        .then(|| baseline_row(state, name))
}

fn row_of(state: &State, v: &VariantState) -> VariantRow {
    let declared = state.declaration(v.declaration);
    let mut median_ns = medians(state.measurement(v.measurement), &v.name);
    let published = published(state, &v.name, v.key.as_ref(), &mut median_ns);
    let verdict = state.verdict(v.verdict);
    let parents = declared.map(|d| d.parents.clone()).unwrap_or_default();
    VariantRow {
        id: v.declaration.map(|id| id.to_string()).unwrap_or_default(),
        name: v.name.clone(),
        parent: parents.first().cloned(),
        parents,
        status: (state.status(&v.name))
            .map_or("new", super::Status::name)
            .into(),
        family: declared.and_then(|d| d.family.clone()),
        knobs: declared.map(|d| d.knobs.clone()).unwrap_or_default(),
        why: declared.map(|d| d.why.clone()).unwrap_or_default(),
        commit: v.commit.clone(),
        median_ns,
        published,
        doubted: Vec::new(),
        ratio: verdict.and_then(|v| v.ratio),
        interval: verdict.and_then(|v| v.interval),
        against: verdict.map(|v| v.a.clone()),
        verdict: verdict.map(|v| v.verdict.name().into()),
        screened: screened(state, v),
        stale: false,
        gates: parts(state, v).gates(Contest::of(state)),
        failure: (state.run(v.run).and_then(|r| r.failure.as_ref())).map(FailureView::from),
        later_failure: (state.without_effect(v).last())
            .and_then(|(_, run)| run.failure.as_ref())
            .map(FailureView::from),
        decision: v.decision.and_then(|id| decision_view(state, id)),
        updated_at: v.updated_at.to_string(),
    }
}

fn baseline_row(state: &State, name: &str) -> VariantRow {
    let newest = (state.against(name).chain(state.owned(name)))
        .filter(|r| matches!(r.body, Body::Measurement(_)))
        .map(|r| r.id)
        .max();
    let last = (state.against(name).chain(state.owned(name)))
        .map(|r| r.created_at)
        .max();
    let mut median_ns = medians(state.measurement(newest), name);
    let published = published(state, name, None, &mut median_ns);
    VariantRow {
        id: String::new(),
        name: name.into(),
        parent: None,
        parents: Vec::new(),
        status: "baseline".into(),
        family: None,
        knobs: BTreeMap::new(),
        why: String::new(),
        commit: None,
        median_ns,
        published,
        doubted: Vec::new(),
        ratio: None,
        interval: None,
        against: None,
        verdict: None,
        screened: None,
        stale: false,
        gates: Vec::new(),
        failure: None,
        later_failure: None,
        decision: None,
        updated_at: last.map(|t| t.to_string()).unwrap_or_default(),
    }
}

/// How the present content was screened, with its place in the ranking if there was one.
fn screened(state: &State, v: &VariantState) -> Option<ScreenedView> {
    let id = v.screened?;
    let record = state.get(id)?;
    let Body::Screened(s) = &record.body else {
        return None;
    };
    let ranked = state.owned(&v.name).rev().find_map(|r| match &r.body {
        Body::Screening(all) => all.ranking.iter().find(|one| one.screened == id),
        _ => None,
    });
    Some(ScreenedView {
        id: id.to_string(),
        at: record.created_at.to_string(),
        against: s.a.name.clone(),
        ratio: s.ratio,
        interval: s.interval,
        blocks: s.blocks,
        fate: ranked.map(|r| r.fate.name().into()),
        why: ranked.map_or_else(
            || "the screening ended before its ranking".into(),
            |r| r.why.clone(),
        ),
    })
}

pub(super) fn medians(m: Option<&Measurement>, name: &str) -> BTreeMap<String, f64> {
    (m.into_iter().flat_map(|m| &m.summary))
        .filter(|s| s.subject == name)
        .map(|s| (s.workload.clone(), s.median_ns))
        .collect()
}

pub(super) fn decision_view(state: &State, id: RecordId) -> Option<DecisionView> {
    let d = state.decision(Some(id))?;
    let r = state.get(id)?;
    Some(DecisionView {
        kind: d.kind.name().into(),
        reason: d.reason.clone(),
        by: r.by.clone(),
        decided_by: d.decided_by.clone(),
        at: r.created_at.to_string(),
    })
}

/// The gates that rest on a verdict against a champion.
const OF_VERDICT: [&str; 2] = [VERDICT, GUARD];

/// Gates as they stood at the decision on the present content, as far as no later evidence speaks.
///
/// What the holder of the place was accepted over stands: nothing it is measured against later is
/// what it had to beat.
pub(super) fn decided_gates<'s>(
    state: &'s State,
    v: &'s VariantState,
) -> impl Iterator<Item = &'s GateResult> {
    let found = state.owned(&v.name).rev().find_map(|r| match &r.body {
        Body::Decision(d) if d.kind != DecisionKind::Rollback && d.kernel == kernel(v) => {
            Some((r.id, d))
        }
        _ => None,
    });
    let holds = holds(state, v);
    found.into_iter().flat_map(move |(id, d)| {
        let older = move |of: Option<RecordId>| of.is_none_or(|of| of < id);
        d.gates.iter().filter(move |g| {
            if OF_VERDICT.contains(&g.name.as_str()) {
                holds || older(v.verdict)
            } else {
                older(v.check) && older(v.run)
            }
        })
    })
}

/// Whether the present content was accepted at some time: later champions are not what it had to beat.
pub(super) fn was_accepted(state: &State, v: &VariantState) -> bool {
    let accepts = |d: &Decision| d.kind == DecisionKind::Accept && d.kernel == kernel(v);
    holds(state, v)
        || (state.owned(&v.name)).any(|r| matches!(&r.body, Body::Decision(d) if accepts(d)))
}

/// Whether a variant holds the place of the champion, or contests it.
fn holds(state: &State, v: &VariantState) -> bool {
    matches!(
        state.status(&v.name),
        Some(Status::Champion | Status::Contested | Status::Accepted)
    )
}
