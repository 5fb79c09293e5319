//! Runs that go on by themselves: ordered here or by another process of Assay, seen by all.

use std::path::{Path, PathBuf};
use std::process::Command;

use assay_core::record::FailureKind;
use assay_core::view::{JobState, JobsView};
use assay_core::{RecordId, Timestamp};
use assay_exec::jobs::Order;

pub use assay_exec::jobs::{LogPart, Work, lead_a_session};

use crate::error::{Error, Result};
use crate::run::Ended;
use crate::trust::Prompt;
use crate::workbench::Workbench;

/// Schema of the view.
const SCHEMA: &str = "assay.jobs/1";

/// The queue of a campaign. It is cheap to ask: neither git nor the ledger is looked at.
#[derive(Debug, Clone)]
pub struct Queue {
    jobs: assay_exec::jobs::Jobs,
    campaign: String,
    /// The user's folder of the campaign.
    dir: PathBuf,
    author: Option<String>,
}

impl Workbench {
    /// The queue of this campaign.
    ///
    /// # Errors
    /// For a ledger in a plain folder, in which nothing can be run.
    pub fn queue(&self) -> Result<Queue> {
        let git = self.git()?;
        let dir = std::path::absolute(&self.options.dir)?;
        Ok(Queue {
            jobs: assay_exec::jobs::Jobs::at(git.repo.state_dir().join("jobs")),
            campaign: self.campaign.clone(),
            dir,
            author: self.options.author.clone(),
        })
    }

    /// Refuses what would be refused as soon as a job began: variants that are unknown or hold edits
    /// that no commit has, and what nobody has approved, for which a job cannot ask. The names of
    /// the variants.
    ///
    /// # Errors
    /// When that is so.
    pub fn may_run(&self, names: &[String], prompt: &dyn Prompt) -> Result<Vec<String>> {
        let names = self.approved(names, prompt)?;
        for name in &names {
            if let Some(commit) = self.variants()?.tip(&self.branch(name))? {
                self.require_content_trust(name, commit, prompt)?;
            }
        }
        Ok(names)
    }
}

impl Queue {
    /// Orders a run: `args` are those of `assay run`, without the folder of the campaign.
    ///
    /// # Errors
    /// When the job cannot be written down or started.
    pub fn submit(&self, names: &[String], args: Vec<String>) -> Result<String> {
        let order = Order {
            campaign: self.campaign.clone(),
            title: format!("run {}", names.join(" ")),
            names: names.to_vec(),
            args,
            asked_at: Timestamp::now(),
        };
        self.order(&order)
    }

    /// Orders once more what a job was ordered to do.
    ///
    /// # Errors
    /// When there is no such job, or as [`Queue::submit`].
    pub fn again(&self, id: &str) -> Result<String> {
        let order = self.jobs.order(parse(id)?)?;
        self.order(&Order {
            asked_at: Timestamp::now(),
            ..order
        })
    }

    fn order(&self, order: &Order) -> Result<String> {
        let program = program()?;
        let id = self
            .jobs
            .submit(order, |id| self.command(&program, order, id))?;
        Ok(id.to_string())
    }

    fn command(&self, program: &Path, order: &Order, id: RecordId) -> Command {
        let mut command = Command::new(program);
        command.arg("-C").arg(&self.dir);
        if let Some(author) = &self.author {
            command.arg("--as").arg(author);
        }
        command
            .arg("run")
            .arg(format!("--as-job={id}"))
            .args(&order.args);
        // A user who closes the folder he stands in must not take it from the job.
        command.current_dir(&self.dir);
        command
    }

    /// All jobs of the campaign, newest first.
    ///
    /// # Errors
    /// When their folder cannot be read.
    pub fn list(&self) -> Result<JobsView> {
        Ok(JobsView {
            schema: SCHEMA.into(),
            jobs: self.jobs.list(Some(&self.campaign))?,
        })
    }

    /// A part of the log of a job, from a byte on.
    ///
    /// # Errors
    /// When there is no such job or its log cannot be read.
    pub fn log(&self, id: &str, from: u64) -> Result<LogPart> {
        let id = parse(id)?;
        self.jobs.order(id)?;
        Ok(self.jobs.log(id, from)?)
    }

    /// Asks a job to stop; false where it has ended already.
    ///
    /// # Errors
    /// When there is no such job or it cannot be asked from here.
    pub fn cancel(&self, id: &str) -> Result<bool> {
        Ok(self.jobs.cancel(parse(id)?)?)
    }

    /// Takes a job up in this process.
    ///
    /// # Errors
    /// When there is no such job, or it was taken up already.
    pub fn take_up(&self, id: &str) -> Result<Work> {
        Ok(self.jobs.take_up(parse(id)?)?)
    }
}

fn parse(id: &str) -> Result<RecordId> {
    id.parse().map_err(|_| {
        Error::input(format!("`{id}` is not the id of a job")).hint("`assay jobs` lists them")
    })
}

/// This program, also when its file was replaced by a newer one meanwhile.
fn program() -> Result<PathBuf> {
    let path = std::env::current_exe()?;
    if path.exists() {
        return Ok(path);
    }
    let text = path.to_string_lossy();
    match text.strip_suffix(" (deleted)").map(PathBuf::from) {
        Some(newer) if newer.exists() => Ok(newer),
        _ => Err(Error::environment(format!(
            "the program {text} is gone, so no job can be started"
        ))),
    }
}

/// How a job ended that ran these, in words; an error stopped it before.
pub fn end(ended: &Result<Vec<Ended>>, cancelled: bool) -> (JobState, String) {
    let done = match ended {
        Ok(done) => done,
        Err(_) if cancelled => return (JobState::Cancelled, "cancelled".into()),
        Err(e) => return (JobState::Failed, e.to_string()),
    };
    let told: Vec<(bool, String)> = done.iter().map(outcome).collect();
    let state = match told.iter().all(|(well, _)| *well) {
        _ if cancelled => JobState::Cancelled,
        true => JobState::Done,
        false => JobState::Failed,
    };
    let texts: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
    (state, texts.join("\n"))
}

/// Whether a variant was run to its end, and what came of it.
fn outcome(ended: &Ended) -> (bool, String) {
    let name = &ended.name;
    let s = match &ended.result {
        Ok(s) => s,
        Err(e) => return (false, format!("{name}: {e}")),
    };
    match (&s.failure, &s.verdict) {
        (Some(f), _) if f.kind == FailureKind::Cancelled => (false, format!("{name}: cancelled")),
        (Some(f), _) => {
            let (kind, stage) = (f.kind.name(), f.stage.name());
            let text = format!("{name}: {kind} in {stage}: {}", f.message);
            // What the compiler said is wanted most.
            match f.stderr_tail.trim() {
                "" => (false, text),
                tail => (false, format!("{text}\n{tail}")),
            }
        }
        (None, Some(v)) => (
            true,
            format!("{name}: {} against {}", v.verdict.name(), v.a),
        ),
        (None, None) => (true, format!("{name}: done")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Summary;
    use assay_core::record::{Failure, Stage};

    fn ended(name: &str, failure: Option<FailureKind>) -> Ended {
        let failure = failure.map(|kind| Failure {
            kind,
            stage: Stage::Build,
            message: "exit code 1".into(),
            stderr_tail: "k.c:1: error\n".into(),
        });
        Ended {
            name: name.into(),
            result: Ok(Summary {
                name: name.into(),
                run: RecordId::fresh(Timestamp::UNIX_EPOCH),
                reused: false,
                failure,
                verdict: None,
            }),
        }
    }

    #[test]
    fn the_end_says_what_came_of_each() {
        let well = end(&Ok(vec![ended("a", None)]), false);
        assert_eq!(well, (JobState::Done, "a: done".into()));
        let both = vec![ended("a", None), ended("b", Some(FailureKind::Compile))];
        let text = "a: done\nb: compile in build: exit code 1\nk.c:1: error";
        assert_eq!(end(&Ok(both), false), (JobState::Failed, text.into()));
        let stopped = end(&Ok(vec![ended("a", Some(FailureKind::Cancelled))]), true);
        assert_eq!(stopped, (JobState::Cancelled, "a: cancelled".into()));
        let refused = end(&Err(Error::input("no stage")), false);
        assert_eq!(refused, (JobState::Failed, "no stage".into()));
        let early = end(&Err(Error::cancelled()), true);
        assert_eq!(early, (JobState::Cancelled, "cancelled".into()));
    }
}
