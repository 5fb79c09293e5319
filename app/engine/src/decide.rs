//! Decisions: accept, reject, park, roll back. Each needs a reason and cites its evidence.

use std::time::Duration;

use assay_core::fold::{self, Champion, State};
use assay_core::record::{Decision, DecisionKind, GateResult, Override};
use assay_core::view::{GateView, Standing};
use assay_core::{RecordId, Sha256, text};
use assay_ledger::FileLock;

use crate::error::{Error, Result};
use crate::gates;
use crate::policy::{self, Proposal, Unsettled};
use crate::workbench::Workbench;

/// How long a decision waits for the one before it.
const QUEUE: Duration = Duration::from_secs(30);

/// The way to take an acceptance out.
const BACK_FIRST: &str =
    "`assay rollback NAME --reason TEXT` makes an earlier one the champion first";

/// A decision to record.
#[derive(Debug, Clone)]
pub struct Request {
    /// The variant, or the unique beginning of its name.
    pub name: String,
    /// What is decided.
    pub kind: DecisionKind,
    /// Why.
    pub reason: String,
    /// Gates to override, with a reason each.
    pub overrides: Vec<(String, String)>,
    /// `person` or `policy`.
    pub decided_by: &'static str,
    /// The place of the champion that an acceptance was thought over against, as [`Standing`] has it;
    /// absent where nobody has looked.
    pub seen: Option<Vec<String>>,
}

/// What was recorded.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The record.
    pub id: RecordId,
    /// Full name of the variant.
    pub name: String,
    /// What was decided.
    pub kind: DecisionKind,
    /// The champion afterwards.
    pub champion: Option<String>,
}

impl Workbench {
    /// The content of a variant's branch now; `None` when the branch is gone.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn tip_hash(&self, name: &str) -> Result<Option<Sha256>> {
        match self.variants()?.tip(&self.branch(name))? {
            Some(tip) => self.kernel_hash(tip).map(Some),
            None => Ok(None),
        }
    }

    /// All gates of a variant as they stand.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn gates(&self, state: &State, name: &str) -> Result<Vec<GateResult>> {
        let mut gates = gates::standing(state, name, self.tip_hash(name)?);
        // A run that did not get as far as its check says nothing of the evaluator.
        if gates.iter().all(|g| g.name != gates::EVALUATOR)
            && let Some(tip) = self.variants()?.tip(&self.branch(name))?
        {
            gates.insert(0, gates::evaluator(&self.touched(name, tip)?));
        }
        Ok(gates)
    }

    /// What an acceptance of a variant would be judged by now: the same gates, and whose place it is.
    ///
    /// # Errors
    /// When it is unknown, or the repository cannot be read.
    pub fn standing(&self, text: &str) -> Result<Standing> {
        self.git()?;
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        let gates = self.gates(&state, &name)?.into_iter();
        Ok(Standing {
            gates: gates
                .map(|g| GateView {
                    name: g.name,
                    pass: g.pass,
                    evidence: g.evidence,
                    overridden: None,
                    decided: false,
                })
                .collect(),
            place: place(&state),
            nameless: self.nameless().map(str::to_owned),
        })
    }

    /// What the written policy would decide; inside, why it cannot decide yet.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn propose(
        &self,
        state: &State,
        name: &str,
    ) -> Result<std::result::Result<Proposal, Unsettled>> {
        Ok(policy::propose(state, name, &self.gates(state, name)?))
    }

    /// Records a decision. One is made after the other: each is judged by a state that has those before it.
    ///
    /// # Errors
    /// Without a reason, for an unknown variant, when a gate stands in the way of an acceptance
    /// and is not overridden, when the champion is another than the one that was seen, or when a
    /// roll-back names a variant that was never accepted.
    pub fn decide(&self, request: &Request) -> Result<Decided> {
        let reason = request.reason.trim();
        if reason.is_empty() {
            return Err(Error::input("a decision needs a reason").hint("--reason TEXT"));
        }
        self.evaluator()?;
        let name = self.resolve(&request.name)?;
        if request.kind == DecisionKind::Accept {
            self.refuse_dirty(&name)?;
        }
        let lock = self.git()?.repo.state_dir().join("locks/decision");
        let _turn = FileLock::acquire(lock, QUEUE, "assay, recording a decision")?;
        let mut state = self.state_of(&[&name])?;
        let gates = self.gates(&state, &name)?;
        let overrides = overrides(&gates, &request.overrides)?;
        let moves_champion = matches!(request.kind, DecisionKind::Accept | DecisionKind::Rollback);
        let v = state
            .variant(&name)
            .ok_or_else(|| Error::input(format!("no variant `{name}`")))?;
        let (mut kernel, mut commit) = (v.key.as_ref().map(|k| k.kernel), v.commit.clone());
        match request.kind {
            DecisionKind::Accept => {
                same_place(&state, &name, request.seen.as_deref())?;
                acceptable(&state, &name, &gates, &overrides)?;
                if kernel.is_none() {
                    // Nothing was run, and that was overridden: what stands on the branch is meant.
                    let tip = self.tip(&name)?;
                    (kernel, commit) = (Some(self.kernel_hash(tip)?), Some(tip.to_string()));
                }
            }
            DecisionKind::Rollback => (kernel, commit) = earlier(&state, &name)?,
            DecisionKind::Reject | DecisionKind::Park => {
                if state.champion().name() == Some(name.as_str()) {
                    return Err(Error::input(format!("`{name}` is the champion")).hint(BACK_FIRST));
                }
                if state.stands(&name, kernel) {
                    let now = match state.champion().name() {
                        Some(now) => format!("the champion {now} rests on it"),
                        None => "it holds or contests the place of the champion".into(),
                    };
                    let why = format!("`{name}` was accepted, and {now}: a step is not rejected");
                    return Err(Error::input(why).hint(BACK_FIRST));
                }
            }
        }
        let evidence = [
            v.run,
            v.build,
            v.source,
            v.check,
            v.measurement,
            v.profile,
            v.verdict,
        ];
        let decision = Decision {
            variant: name.clone(),
            kind: request.kind,
            reason: reason.to_owned(),
            decided_by: request.decided_by.to_owned(),
            kernel,
            commit,
            replaces: if moves_champion {
                state.heads()
            } else {
                Vec::new()
            },
            evidence: evidence.into_iter().flatten().collect(),
            gates,
            overrides,
            predictions: fold::predictions(&state, v),
        };
        let mut record = self.record(decision);
        if request.decided_by == "policy" {
            record.by = "policy".into();
        }
        let id = self.append(record.clone(), &[])?;
        self.tidy();
        state.add(record);
        let champion = state.champion().name().map(str::to_owned);
        Ok(Decided {
            id,
            name,
            kind: request.kind,
            champion,
        })
    }
}

/// Ids of the decisions that hold the place of the champion.
fn place(state: &State) -> Vec<String> {
    state.heads().iter().map(ToString::to_string).collect()
}

/// Refuses an acceptance that was thought over against another champion than there is now.
fn same_place(state: &State, name: &str, seen: Option<&[String]>) -> Result<()> {
    if seen.is_none_or(|seen| seen == place(state)) {
        return Ok(());
    }
    let now = match state.champion() {
        Champion::None => "there is no champion now".to_owned(),
        Champion::Holder(head) => format!("the champion is {} now", head.variant),
        Champion::Contested(_) => {
            let names = state.champion().contested().join(", ");
            format!("the champion is contested by {names} now")
        }
    };
    Err(Error::gate(format!(
        "`{name}` was not accepted: another decision came first, and {now}"
    ))
    .hint("the gates are judged anew: look at them and decide again"))
}

fn overrides(gates: &[GateResult], asked: &[(String, String)]) -> Result<Vec<Override>> {
    asked
        .iter()
        .map(|(gate, reason)| {
            let reason = reason.trim();
            if reason.is_empty() {
                return Err(Error::input(format!(
                    "overriding gate `{gate}` needs a reason of its own"
                ))
                .hint("--override GATE=REASON"));
            }
            if gate == gates::EVALUATOR {
                return Err(Error::gate(format!("gate `{gate}` cannot be overridden"))
                    .hint("take the edits of protected files out of the variant"));
            }
            if !gates.iter().any(|g| g.name == *gate) {
                let near = text::nearest(gate, gates.iter().map(|g| g.name.as_str()));
                let error = Error::input(format!("no gate `{gate}`"));
                return Err(match near {
                    Some(n) => error.hint(format!("did you mean `{n}`?")),
                    None => error,
                });
            }
            Ok(Override {
                gate: gate.clone(),
                reason: reason.to_owned(),
            })
        })
        .collect()
}

fn acceptable(
    state: &State,
    name: &str,
    gates: &[GateResult],
    overrides: &[Override],
) -> Result<()> {
    if state.champion().name() == Some(name)
        && gates::blocking(gates).all(|g| g.name == gates::VERDICT)
    {
        return Err(Error::input(format!("`{name}` is the champion already")));
    }
    if let Champion::Contested(_) = state.champion() {
        let names = state.champion().contested().join(", ");
        return Err(
            Error::gate(format!("the champion is contested by {names}")).hint(
                "settle it first: `assay rollback NAME --reason TEXT` with the one that shall hold",
            ),
        );
    }
    let open: Vec<&GateResult> = gates::blocking(gates)
        .filter(|g| !overrides.iter().any(|o| o.gate == g.name))
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = open
        .iter()
        .map(|g| {
            let word = if g.pass.is_some() {
                "failed"
            } else {
                "no evidence"
            };
            format!("\n  {}: {word}: {}", g.name, g.evidence)
        })
        .collect();
    let error = Error::gate(format!("`{name}` cannot be accepted:{}", lines.concat()));
    Err(
        error.hint(if open.iter().any(|g| g.name == gates::EVALUATOR) {
            "take the edits of protected files out of the variant; this gate cannot be overridden"
                .into()
        } else if let Some(g) = open.iter().find(|g| g.pass.is_some()) {
            format!(
                "--override {}=REASON sets it aside, and shows for ever",
                g.name
            )
        } else {
            format!("`assay run {name}` makes the evidence that is missing")
        }),
    )
}

/// Content and commit of the acceptance that a roll-back goes back to.
fn earlier(state: &State, name: &str) -> Result<(Option<Sha256>, Option<String>)> {
    let accepted = state.decisions().rfind(|(_, d)| {
        d.variant == name && matches!(d.kind, DecisionKind::Accept | DecisionKind::Rollback)
    });
    let Some((_, d)) = accepted else {
        return Err(Error::input(format!("`{name}` was never accepted"))
            .hint("a roll-back goes to an earlier champion; `assay accept` makes a new one"));
    };
    if state.champion().name() == Some(name) {
        return Err(Error::input(format!("`{name}` is the champion already")));
    }
    Ok((d.kernel, d.commit.clone()))
}

#[cfg(test)]
mod tests;
