//! Jobs: where they stand, and the log of the selected one.

use std::collections::VecDeque;
use std::time::Duration;

use assay_core::text;
use assay_core::view::{JobState, JobView};

use super::Cursor;
use super::find::{ABOVE, Find, Searched, plain_hits};
use crate::backend::JobLog;

/// Lines of a log that are kept; the whole of it is in the folder of the job.
pub const KEPT_LINES: usize = 2000;

/// One job.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// Where it stands, by its last account.
    pub view: JobView,
    /// When that was read.
    pub seen: Duration,
    /// It was asked to stop.
    pub cancelling: bool,
}

impl Job {
    /// Whether it waits or runs.
    pub fn is_open(&self) -> bool {
        !self.view.state.is_over()
    }

    /// Time since its turn came, until its end or until `now`.
    pub fn elapsed(&self, now: Duration) -> Option<Duration> {
        let since = match self.view.state {
            JobState::Running => now.saturating_sub(self.seen),
            _ => Duration::ZERO,
        };
        Some(Duration::from_nanos(self.view.elapsed_ns?) + since)
    }

    /// Time that its phase will yet take, as it was estimated.
    pub fn left(&self, now: Duration) -> Option<Duration> {
        let left = Duration::from_nanos(self.view.left_ns?);
        let running = self.view.state == JobState::Running;
        running.then(|| left.saturating_sub(now.saturating_sub(self.seen)))
    }
}

/// What is known of the log of one job.
#[derive(Debug, Default)]
pub struct Log {
    /// The job.
    pub id: String,
    /// Byte from which it is read on.
    pub end: u64,
    /// Newest lines, inert.
    pub lines: VecDeque<String>,
    /// A part is being read.
    pub loading: bool,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// All jobs, newest first.
#[derive(Debug, Default)]
pub struct Jobs {
    /// Jobs.
    pub list: Vec<Job>,
    /// They were read at least once.
    pub known: bool,
    /// Why they cannot be read.
    pub error: Option<String>,
    /// Selected job.
    pub cursor: Cursor,
    /// Log of the selected job.
    pub log: Log,
    /// Lines scrolled up from the end of the log; 0 follows it.
    pub up: usize,
    /// Columns of the log out of view on the left.
    pub left: usize,
    /// What is looked for in the log.
    pub find: Find,
    /// Another was ordered on the screen of jobs, and is selected when it is there.
    pub ordered: bool,
    /// Counts what changed in the log.
    news: u64,
}

impl Jobs {
    /// Jobs that wait or run.
    pub fn open(&self) -> impl Iterator<Item = &Job> {
        self.list.iter().filter(|j| j.is_open())
    }

    /// Number of jobs that wait or run.
    pub fn running(&self) -> usize {
        self.open().count()
    }

    /// The selected job.
    pub fn current(&self) -> Option<&Job> {
        self.list.get(self.cursor.index)
    }

    /// Takes the jobs as they stand now; returns those that have ended since they were read before.
    /// `watched`: the selected one is being looked at, and stays selected when another is added.
    pub fn take(&mut self, views: Vec<JobView>, now: Duration, watched: bool) -> Vec<JobView> {
        let before = std::mem::take(&mut self.list);
        let old = |id: &str| before.iter().find(|j| j.view.id == id);
        let ended: Vec<JobView> = (views.iter())
            .filter(|v| v.state.is_over() && old(&v.id).is_some_and(Job::is_open))
            .cloned()
            .collect();
        let added = views.iter().any(|v| old(&v.id).is_none());
        let selected = before.get(self.cursor.index).map(|j| j.view.id.clone());
        self.list = views
            .into_iter()
            .map(|view| Job {
                cancelling: old(&view.id).is_some_and(|j| j.cancelling),
                view: inert(view),
                seen: now,
            })
            .collect();
        // What the user has ordered here is what will be looked at.
        let kept = selected.filter(|_| !added || (watched && !self.ordered));
        self.ordered &= !added;
        let at = kept.and_then(|id| self.list.iter().position(|j| j.view.id == id));
        self.select(at.unwrap_or(0));
        self.known = true;
        self.error = None;
        ended
    }

    /// Selects a job; another than before is followed.
    pub fn select(&mut self, index: usize) {
        self.cursor.index = index;
        let id = self.current().map_or("", |j| j.view.id.as_str());
        if self.log.id != id {
            self.log = Log {
                id: id.to_owned(),
                ..Log::default()
            };
            self.news += 1;
            (self.up, self.left) = (0, 0);
        }
    }

    /// Keeps what is in view of the log inside it, where so many rows and columns have room.
    pub fn settle_log(&mut self, rows: usize, columns: usize) {
        let lines = &self.log.lines;
        self.up = self.up.min(lines.len().saturating_sub(rows));
        let end = lines.len() - self.up;
        let shown = lines.range(end.saturating_sub(rows)..end);
        let widest = shown.map(|l| text::width(l)).max().unwrap_or(0);
        self.left = self.left.min(widest.saturating_sub(columns));
    }

    /// The part of the log that is wanted next: the job and the byte from which on.
    pub fn wanted(&mut self) -> Option<(String, u64)> {
        let there = self.current()?.view.log_bytes;
        let log = &mut self.log;
        if log.loading || log.error.is_some() || there <= log.end {
            return None;
        }
        log.loading = true;
        Some((log.id.clone(), log.end))
    }

    /// Takes a part of a log.
    pub fn take_log(&mut self, id: &str, part: Result<JobLog, String>) {
        if self.log.id != id {
            return;
        }
        self.news += 1;
        self.log.loading = false;
        let part = match part {
            Ok(part) => part,
            Err(e) => return self.log.error = Some(e),
        };
        let lines = &mut self.log.lines;
        if part.from > self.log.end {
            // What lies between was written faster than it was read.
            lines.clear();
            lines.push_back("...".to_owned());
        }
        let before = lines.len();
        lines.extend(part.text.lines().map(|l| text::inert(l).into_owned()));
        let added = lines.len() - before;
        while lines.len() > KEPT_LINES {
            lines.pop_front();
        }
        self.log.end = part.end;
        // A reader who has scrolled up keeps the lines that are being read.
        if self.up > 0 {
            self.up = (self.up + added).min(KEPT_LINES);
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
        plain_hits(self.log.lines.iter(), query)
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
        self.up = self.log.lines.len().saturating_sub(row + ABOVE + 1);
    }

    /// The newest that is not below what is in view: logs are read from their end.
    fn first(&self, hits: &[usize]) -> usize {
        let end = self.log.lines.len().saturating_sub(self.up);
        let last = hits.iter().rposition(|h| *h < end);
        last.unwrap_or(hits.len().saturating_sub(1))
    }
}

/// What others have written, made harmless.
fn inert(view: JobView) -> JobView {
    let one = |s: String| text::inert(&s).into_owned();
    JobView {
        title: one(view.title),
        folder: one(view.folder),
        phase: view.phase.map(one),
        subject: view.subject.map(one),
        result: view.result.map(|r| text::inert_block(&r).into_owned()),
        ..view
    }
}
