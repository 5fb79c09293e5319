//! Jobs of the fake backend.

use std::sync::Mutex;

use assay_core::view::{JobState, JobView};
use assay_tui::JobLog;

/// What a job prints: nothing of it may act on the terminal.
pub const LINE: &str = "block 3 of 12: \x1b[31m812 us\x1b[0m / 890 us\n";

/// A job and its log.
pub struct FakeJob {
    pub view: JobView,
    pub log: String,
}

/// Jobs, newest first.
#[derive(Default)]
pub struct FakeJobs(Mutex<Vec<FakeJob>>);

/// A job in a state, of a variant of the same name.
pub fn job(name: &str, state: JobState) -> JobView {
    let open = !state.is_over();
    JobView {
        id: format!("job-{name}"),
        title: format!("run {name}"),
        names: vec![name.into()],
        state,
        subject: open.then(|| name.into()),
        phase: open.then(|| "bench".into()),
        done: 3,
        total: 12,
        left_ns: open.then_some(40_000_000_000),
        asked_at: "2026-11-30T02:00:00Z".into(),
        began_at: Some("2026-11-30T02:00:01Z".into()),
        elapsed_ns: Some(83_000_000_000),
        folder: "/lab/.git/assay/jobs/1".into(),
        ..JobView::default()
    }
}

impl FakeJobs {
    /// Adds a job, as another process may; `log` is all of its log.
    pub fn add(&self, view: JobView, log: &str) {
        let view = JobView {
            log_bytes: log.len() as u64,
            ..view
        };
        let log = log.to_owned();
        self.0.lock().unwrap().insert(0, FakeJob { view, log });
    }

    /// Changes a job.
    pub fn change(&self, id: &str, change: impl FnOnce(&mut FakeJob)) -> Result<(), String> {
        let mut all = self.0.lock().unwrap();
        let job = all.iter_mut().find(|j| j.view.id == id);
        let job = job.ok_or_else(|| format!("no job {id}"))?;
        change(job);
        job.view.log_bytes = job.log.len() as u64;
        Ok(())
    }

    /// Adds a line to the log of a job.
    pub fn print(&self, id: &str, line: &str) {
        self.change(id, |j| j.log.push_str(&format!("{line}\n")))
            .unwrap();
    }

    /// Ends a job.
    pub fn end(&self, id: &str, state: JobState, result: &str) {
        let end = |j: &mut FakeJob| (j.view.state, j.view.result) = (state, Some(result.into()));
        self.change(id, end).unwrap();
    }

    pub fn list(&self) -> Vec<JobView> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .map(|j| j.view.clone())
            .collect()
    }

    /// Starts a run, which goes on until it is cancelled; that of `base` ends at once.
    pub fn run(&self, names: &[String]) -> String {
        let n = self.0.lock().unwrap().len() + 1;
        let ends = names.iter().any(|n| n == "base");
        let state = if ends {
            JobState::Done
        } else {
            JobState::Running
        };
        let view = JobView {
            id: format!("job-{n}"),
            title: format!("run {}", names.join(" ")),
            names: names.to_vec(),
            result: ends.then(|| "base: SAME against fma".into()),
            ..job(&names[0], state)
        };
        let id = view.id.clone();
        self.add(view, LINE);
        id
    }

    pub fn log(&self, id: &str, from: u64) -> Result<JobLog, String> {
        let all = self.0.lock().unwrap();
        let job = all.iter().find(|j| j.view.id == id);
        let log = &job.ok_or_else(|| format!("no job {id}"))?.log;
        Ok(JobLog {
            from,
            end: log.len() as u64,
            text: log[from as usize..].to_owned(),
        })
    }
}
