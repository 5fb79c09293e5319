//! Jobs of this session: progress, last lines, result.

use std::collections::VecDeque;
use std::time::Duration;

use assay_core::text;

use super::Cursor;
use super::find::{ABOVE, Find, Searched, plain_hits};
use crate::backend::JobUpdate;

/// Lines of a log that are kept; the whole log is in the ledger.
pub const KEPT_LINES: usize = 2000;

/// One job.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// Identifier.
    pub id: String,
    /// What it does.
    pub title: String,
    /// Stage.
    pub phase: String,
    /// Steps done.
    pub done: u64,
    /// Steps in all, 0 when unknown.
    pub total: u64,
    /// Newest lines, inert.
    pub lines: VecDeque<String>,
    /// Result.
    pub finished: Option<Result<String, String>>,
    /// It was asked to stop.
    pub cancelling: bool,
    /// When its first update came.
    pub started: Duration,
    /// When it finished.
    pub ended: Option<Duration>,
}

/// All jobs, newest first.
#[derive(Debug, Default)]
pub struct Jobs {
    /// Jobs.
    pub list: Vec<Job>,
    /// Selected job.
    pub cursor: Cursor,
    /// Lines scrolled up from the end of the log; 0 follows it.
    pub up: usize,
    /// What is looked for in the log.
    pub find: Find,
    /// Counts news of all jobs.
    news: u64,
}

impl Jobs {
    /// Number of jobs that are not finished.
    pub fn running(&self) -> usize {
        self.list.iter().filter(|j| j.finished.is_none()).count()
    }

    /// The selected job.
    pub fn current(&self) -> Option<&Job> {
        self.list.get(self.cursor.index)
    }

    /// The job of an identifier, made when it is new.
    pub fn entry(&mut self, id: &str, now: Duration) -> &mut Job {
        let at = match self.list.iter().position(|j| j.id == id) {
            Some(at) => at,
            None => {
                // The selection stays on its job; a first job is selected.
                if !self.list.is_empty() {
                    self.cursor.index += 1;
                }
                self.list.insert(
                    0,
                    Job {
                        id: id.to_owned(),
                        started: now,
                        ..Job::default()
                    },
                );
                0
            }
        };
        &mut self.list[at]
    }

    /// Takes news of a job.
    pub fn apply(&mut self, update: &JobUpdate, now: Duration) {
        self.news += 1;
        let up = self.up;
        let selected = self.current().map(|j| j.id.clone());
        let job = self.entry(&update.job, now);
        if job.finished.is_some() {
            return;
        }
        job.title = text::inert(&update.title).into_owned();
        job.phase = text::inert(&update.phase).into_owned();
        job.done = update.done;
        job.total = update.total;
        let mut added = 0;
        if let Some(line) = &update.line {
            for l in line.lines() {
                job.lines.push_back(text::inert(l).into_owned());
                added += 1;
            }
            while job.lines.len() > KEPT_LINES {
                job.lines.pop_front();
            }
        }
        if update.finished.is_some() {
            job.finished.clone_from(&update.finished);
            job.ended = Some(now);
        }
        // A reader who has scrolled up keeps the lines that are being read.
        if up > 0 && selected.as_deref() == Some(update.job.as_str()) {
            self.up = (up + added).min(KEPT_LINES);
        }
    }
}

impl Searched for Jobs {
    fn find(&self) -> &Find {
        &self.find
    }

    fn find_mut(&mut self) -> &mut Find {
        &mut self.find
    }

    fn hits(&self, query: &str) -> Vec<usize> {
        let lines = self.current().map(|j| &j.lines);
        plain_hits(lines.into_iter().flatten(), query)
    }

    fn stamp(&self) -> u64 {
        (self.news << 16) + self.cursor.index as u64
    }

    fn place(&self) -> usize {
        self.up
    }

    fn go_back(&mut self, place: usize) {
        self.up = place;
    }

    fn show(&mut self, row: usize) {
        let lines = self.current().map_or(0, |j| j.lines.len());
        self.up = lines.saturating_sub(row + ABOVE + 1);
    }

    /// The newest that is not below what is in view: logs are read from their end.
    fn first(&self, hits: &[usize]) -> usize {
        let lines = self.current().map_or(0, |j| j.lines.len());
        let end = lines.saturating_sub(self.up);
        let last = hits.iter().rposition(|h| *h < end);
        last.unwrap_or(hits.len().saturating_sub(1))
    }
}
