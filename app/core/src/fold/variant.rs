//! The evidence of one variant: which records speak for its present content, and its status.

use crate::record::{
    Body, ContentKey, DecisionKind, FailureKind, Record, Role, Run, Stage, Subject,
};
use crate::{RecordId, Sha256, Timestamp};

use super::State;
use super::champion::Champion;

/// Where a variant stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Declared, nothing was run.
    New,
    /// The newest run failed.
    Failed,
    /// The present content was built.
    Built,
    /// The present content was checked.
    Checked,
    /// The present content was measured.
    Measured,
    /// It was accepted and another champion has followed.
    Accepted,
    /// It was rejected with this content.
    Rejected,
    /// It was put aside with this content.
    Parked,
    /// It holds the place.
    Champion,
    /// It was accepted beside others; a person has to settle it.
    Contested,
    /// It was accepted and an earlier champion was put back in its place.
    RolledBack,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::New,
        Self::Failed,
        Self::Built,
        Self::Checked,
        Self::Measured,
        Self::Accepted,
        Self::Rejected,
        Self::Parked,
        Self::Champion,
        Self::Contested,
        Self::RolledBack,
    ];

    /// The name in views.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Failed => "failed",
            Self::Built => "built",
            Self::Checked => "checked",
            Self::Measured => "measured",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Parked => "parked",
            Self::Champion => "champion",
            Self::Contested => "contested",
            Self::RolledBack => "rolled_back",
        }
    }
}

/// Which records speak for a variant. Those of stages are of its present content only: the kernel
/// and recipe of its newest run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantState {
    /// Name.
    pub name: String,
    /// The declaration; absent when only evidence or a decision names the variant.
    pub declaration: Option<RecordId>,
    /// Further declarations under the same name, e.g. from another clone; the oldest is used.
    pub other_declarations: Vec<RecordId>,
    /// The key of the present content; absent when nothing was run.
    pub key: Option<ContentKey>,
    /// Commit at which that content was found.
    pub commit: Option<String>,
    /// Newest run that says something about the content; see [`State::without_effect`].
    pub run: Option<RecordId>,
    /// Newest build.
    pub build: Option<RecordId>,
    /// Newest generated source.
    pub source: Option<RecordId>,
    /// Newest check.
    pub check: Option<RecordId>,
    /// Newest measurement as side B, against another variant if there is one, else against a
    /// baseline; a variant that was only ever measured against has that measurement.
    pub measurement: Option<RecordId>,
    /// Newest profile; one of published figures only where there is no other.
    pub profile: Option<RecordId>,
    /// Newest verdict as side B, chosen like the measurement.
    pub verdict: Option<RecordId>,
    /// Newest screening of it; see [`crate::record::Screened`].
    pub screened: Option<RecordId>,
    /// Newest decision on it, whatever its content was.
    pub decision: Option<RecordId>,
    /// When anything was last recorded about it.
    pub updated_at: Timestamp,
}

impl State {
    /// Whether evidence under this key was taken with the evaluator that is pinned now.
    ///
    /// Without a pinned evaluator there is nothing that it could differ from.
    pub fn is_current(&self, key: &ContentKey) -> bool {
        self.evaluator().is_none_or(|e| e.tree == key.evaluator)
    }

    /// Where a variant stands; `None` for a name that is no variant.
    pub fn status(&self, name: &str) -> Option<Status> {
        let v = self.variant(name)?;
        match self.champion() {
            Champion::Holder(h) if h.variant == name => return Some(Status::Champion),
            Champion::Contested(heads) if heads.iter().any(|h| h.variant == name) => {
                return Some(Status::Contested);
            }
            _ => {}
        }
        Some(self.decided(v).unwrap_or_else(|| self.reached(v)))
    }

    /// Runs after the one that speaks for a variant, oldest first: each was stopped, or its machine
    /// failed, so that the evidence before it stands.
    pub fn without_effect<'a>(
        &'a self,
        v: &'a VariantState,
    ) -> impl Iterator<Item = (&'a Record, &'a Run)> {
        self.owned(&v.name).filter_map(|r| match &r.body {
            Body::Run(run) if Some(r.id) > v.run => Some((r, run)),
            _ => None,
        })
    }

    /// What the newest decision makes of a variant, as long as it is about the present content.
    fn decided(&self, v: &VariantState) -> Option<Status> {
        let id = v.decision?;
        let Body::Decision(d) = &self.get(id)?.body else {
            return None;
        };
        let same = match (d.kernel, &v.key) {
            (Some(decided), Some(key)) => decided == key.kernel,
            (None, Some(_)) => v.run.is_none_or(|run| run < id),
            (_, None) => true,
        };
        same.then_some(match d.kind {
            DecisionKind::Reject | DecisionKind::Park if self.stands(&v.name, d.kernel) => {
                Status::Accepted
            }
            DecisionKind::Reject => Status::Rejected,
            DecisionKind::Park => Status::Parked,
            _ if self.graph().was_rolled_back(id) => Status::RolledBack,
            DecisionKind::Accept | DecisionKind::Rollback => Status::Accepted,
        })
    }

    /// Whether the place of the champion rests on an acceptance of this content of a variant.
    ///
    /// What is not known of either content does not tell them apart. Such a step is taken out by a
    /// roll-back and by nothing else: a rejection beside it, as a merge may bring one, leaves it where
    /// it is, in every view alike.
    pub fn stands(&self, name: &str, kernel: Option<Sha256>) -> bool {
        let same = |accepted: Option<Sha256>| match (accepted, kernel) {
            (Some(accepted), Some(kernel)) => accepted == kernel,
            _ => true,
        };
        let is_it = |r: &Record| match &r.body {
            Body::Decision(d) => {
                matches!(d.kind, DecisionKind::Accept | DecisionKind::Rollback)
                    && same(d.kernel)
                    && self.graph().rests_on(r.id)
            }
            _ => false,
        };
        self.owned(name).any(is_it)
    }

    fn reached(&self, v: &VariantState) -> Status {
        let body = |id: Option<RecordId>| id.and_then(|id| self.get(id)).map(|r| &r.body);
        if let Some(Body::Run(run)) = body(v.run)
            && run.failure.is_some()
        {
            return Status::Failed;
        }
        let build = match body(v.build) {
            Some(Body::Build(b)) => Some(b),
            _ => None,
        };
        if v.measurement.is_some() || v.verdict.is_some() {
            Status::Measured
        } else if v.check.is_some() {
            Status::Checked
        } else if build.is_some_and(|b| b.failure.is_some()) {
            Status::Failed
        } else if build.is_some()
            || matches!(body(v.run), Some(Body::Run(r)) if r.done.contains(&Stage::Build))
        {
            Status::Built
        } else {
            Status::New
        }
    }
}

/// The subject of a record that is evidence about one.
pub fn subject(body: &Body) -> Option<&Subject> {
    match body {
        Body::Run(r) => Some(&r.subject),
        Body::Build(b) => Some(&b.subject),
        Body::Source(s) => Some(&s.subject),
        Body::Check(c) => Some(&c.subject),
        Body::Profile(p) => Some(&p.subject),
        Body::Measurement(m) => Some(&m.b),
        Body::Screened(s) => Some(&s.b),
        Body::Chain(c) => Some(&c.b),
        _ => None,
    }
}

/// Whether two keys name the same content: kernel and recipe.
pub(super) fn same_content(a: &ContentKey, b: &ContentKey) -> bool {
    a.kernel == b.kernel && a.recipe == b.recipe
}

/// Works out what speaks for `name`, and whether it is a variant or a baseline.
pub(super) fn compute(state: &State, name: &str) -> Option<(Role, VariantState)> {
    let own: Vec<&Record> = state.owned(name).collect();
    let role = role(state, name, &own)?;
    let declarations: Vec<RecordId> = (own.iter())
        .filter(|r| matches!(r.body, Body::Variant(_)))
        .map(|r| r.id)
        .collect();
    let newest_run = telling_run(&own);
    let newest = newest_run
        .or_else(|| {
            own.iter()
                .rev()
                .copied()
                .find(|r| subject(&r.body).is_some())
        })
        .and_then(|r| subject(&r.body))
        .or_else(|| {
            state.against(name).rev().find_map(|r| match &r.body {
                Body::Measurement(m) => Some(&m.a),
                _ => None,
            })
        });
    let key = newest.map(|s| s.key.clone());
    let base = declarations
        .first()
        .and_then(|id| match &state.get(*id)?.body {
            Body::Variant(v) => Some(v.base.clone()),
            _ => None,
        });
    let pick = |want: fn(&Body) -> bool| {
        let key = key.as_ref()?;
        (own.iter().rev())
            .find(|r| want(&r.body) && subject(&r.body).is_some_and(|s| same_content(&s.key, key)))
            .map(|r| r.id)
    };
    let updated_at = (own.iter().map(|r| r.created_at))
        .chain(
            state
                .against(name)
                .map(|r| r.created_at)
                .filter(|_| own.is_empty()),
        )
        .max()?;
    let v = VariantState {
        name: name.to_owned(),
        declaration: declarations.first().copied(),
        other_declarations: declarations.iter().skip(1).copied().collect(),
        commit: newest.and_then(|s| s.commit.clone()).or(base),
        run: newest_run.map(|r| r.id),
        build: pick(|b| matches!(b, Body::Build(_))),
        source: pick(|b| matches!(b, Body::Source(_))),
        check: pick(|b| matches!(b, Body::Check(_))),
        // What was counted says more than what was published.
        profile: pick(|b| matches!(b, Body::Profile(p) if !p.is_published()))
            .or_else(|| pick(|b| matches!(b, Body::Profile(_)))),
        measurement: key.as_ref().and_then(|k| measurement(state, name, &own, k)),
        verdict: key.as_ref().and_then(|k| verdict(state, &own, k)),
        screened: pick(|b| matches!(b, Body::Screened(_))),
        decision: (own.iter().rev())
            .find(|r| matches!(r.body, Body::Decision(_)))
            .map(|r| r.id),
        updated_at,
        key,
    };
    Some((role, v))
}

/// The newest run, unless it was stopped or its machine failed: that says nothing about a content
/// of which an earlier run told as much, be it on another target or under another evaluator.
fn telling_run<'r>(own: &[&'r Record]) -> Option<&'r Record> {
    let mut runs = own.iter().rev().filter_map(|r| match &r.body {
        Body::Run(run) => Some((*r, run)),
        _ => None,
    });
    let (newest, last) = runs.next()?;
    let Some(stopped) = stopped_in(last) else {
        return Some(newest);
    };
    let tells = |run: &Run| {
        // A target is part of the recipe, and a pin of the evaluator: neither makes another kernel.
        let (then, now) = (&run.subject.key, &last.subject.key);
        let same =
            then.kernel == now.kernel && (then.recipe == now.recipe || run.target != last.target);
        let done = run.done.contains(&stopped) || run.done.contains(&Stage::Bench);
        same && stopped_in(run).is_none() && (run.failure.is_some() || done)
    };
    let earlier = runs.find(|(_, run)| tells(run));
    Some(earlier.map_or(newest, |(r, _)| r))
}

/// The stage in which a run was stopped, by a person or by a failure of the machine.
fn stopped_in(run: &Run) -> Option<Stage> {
    let failure = run.failure.as_ref()?;
    matches!(failure.kind, FailureKind::Cancelled | FailureKind::Infra).then_some(failure.stage)
}

/// A name is a baseline when evidence says so and nothing says that it is a variant.
fn role(state: &State, name: &str, own: &[&Record]) -> Option<Role> {
    let mut baseline = false;
    for r in own {
        match (&r.body, subject(&r.body)) {
            (Body::Variant(_) | Body::Decision(_), _) => return Some(Role::Variant),
            (_, Some(s)) if s.role == Role::Variant => return Some(Role::Variant),
            (_, Some(_)) => baseline = true,
            _ => {}
        }
    }
    if baseline {
        return Some(Role::Baseline);
    }
    let measured = state.against(name).find_map(|r| match &r.body {
        Body::Measurement(m) => Some(m.a.role),
        _ => None,
    });
    // A verdict alone, whose measurement is not here, still shows as a variant.
    measured.or_else(|| (!own.is_empty()).then_some(Role::Variant))
}

/// The newest measurement of this content as side B, another variant before a baseline on side A;
/// else the newest as side A. A/A controls say nothing about the variant.
fn measurement(state: &State, name: &str, own: &[&Record], key: &ContentKey) -> Option<RecordId> {
    let as_b = own.iter().filter_map(|r| match &r.body {
        Body::Measurement(m) if m.a.name != m.b.name && same_content(&m.b.key, key) => {
            Some((m.a.role == Role::Variant, r.id))
        }
        _ => None,
    });
    as_b.max().map(|(_, id)| id).or_else(|| {
        state.against(name).rev().find_map(|r| match &r.body {
            Body::Measurement(m) if m.a.name != m.b.name && same_content(&m.a.key, key) => {
                Some(r.id)
            }
            _ => None,
        })
    })
}

/// The newest verdict on this content as side B, chosen like the measurement.
fn verdict(state: &State, own: &[&Record], key: &ContentKey) -> Option<RecordId> {
    let found = own.iter().filter_map(|r| {
        let Body::Verdict(v) = &r.body else {
            return None;
        };
        let about = about(state, own, v)?;
        (v.a != v.b && same_content(about.key, key)).then_some((about.against_variant, r.id))
    });
    found.max().map(|(_, id)| id)
}

struct About<'a> {
    key: &'a ContentKey,
    against_variant: bool,
}

/// What content a verdict is about: that of its measurement, else that of its run.
fn about<'a>(
    state: &'a State,
    own: &[&'a Record],
    v: &crate::record::Verdict,
) -> Option<About<'a>> {
    if let Some(Body::Measurement(m)) = state.get(v.measurement).map(|r| &r.body)
        && !state.is_removed(v.measurement)
        && m.b.name == v.b
        && m.a.name == v.a
    {
        return Some(About {
            key: &m.b.key,
            against_variant: m.a.role == Role::Variant,
        });
    }
    own.iter().find_map(|r| match &r.body {
        Body::Run(run) if run.run == v.run => Some(About {
            key: &run.subject.key,
            // Only a measurement says what its side A was; most are variants.
            against_variant: true,
        }),
        _ => None,
    })
}

/// The kernel hash of a variant's present content.
pub(super) fn kernel(v: &VariantState) -> Option<Sha256> {
    v.key.as_ref().map(|k| k.kernel)
}
