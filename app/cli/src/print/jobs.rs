//! Jobs as text.

use assay_core::text::{inert, inert_block};
use assay_core::units::format_ns;
use assay_core::view::{JobState, JobView, JobsView};

use super::change::ABSENT;
use super::table::{Align, Table};

/// Characters of an id that are shown: the end, in which ids of one day differ.
const SHORT: usize = 6;

/// An id as it is shown.
pub fn short(id: &str) -> &str {
    &id[id.len().saturating_sub(SHORT)..]
}

/// The queue, newest first.
pub fn list(view: &JobsView) -> String {
    if view.jobs.is_empty() {
        return "no jobs; `assay run NAME --detach` starts one\n".into();
    }
    let mut t = Table::default()
        .column("job", Align::Left, SHORT)
        .column("what", Align::Left, 32)
        .column("state", Align::Left, 10)
        .column("phase", Align::Left, 28)
        .column("steps", Align::Right, 10)
        .column("left", Align::Right, 10)
        .column("elapsed", Align::Right, 10)
        .column("asked at", Align::Left, 20)
        .column("result", Align::Left, 72);
    for job in &view.jobs {
        t.row([
            short(&job.id),
            &job.title,
            job.state.name(),
            &phase(job),
            &steps(job),
            &ns(job.left_ns.filter(|_| job.state == JobState::Running)),
            &ns(job.elapsed_ns),
            job.asked_at.get(..19).unwrap_or(&job.asked_at),
            &result(job),
        ]);
    }
    t.render()
}

/// One job, without its log.
pub fn job(job: &JobView) -> String {
    let mut out = format!("job {}: {}\n", job.id, inert(&job.title));
    out.push_str(&format!("  {}", job.state.name()));
    if !job.state.is_over() {
        out.push_str(&format!(", {} {}", phase(job), steps(job)));
    }
    out.push_str(&format!(", elapsed {}\n", ns(job.elapsed_ns)));
    if let (Some(pid), Some(host)) = (job.pid, &job.host) {
        out.push_str(&format!("  process {pid} on {}\n", inert(host)));
    }
    out.push_str(&format!("  files in {}\n", inert(&job.folder)));
    if let Some(result) = &job.result {
        for line in inert_block(result).lines() {
            out.push_str(&format!("  {line}\n"));
        }
    }
    if job.state == JobState::Lost {
        out.push_str(
            "  its process ended without a word: it was killed, or the machine went down\n",
        );
    }
    out
}

/// The first line of what came of a job; that there are more is said.
fn result(job: &JobView) -> String {
    let Some(text) = &job.result else {
        return ABSENT.into();
    };
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or(ABSENT);
    match lines.count() {
        0 => first.to_owned(),
        more => format!("{first} (+{more} lines)"),
    }
}

fn phase(job: &JobView) -> String {
    match (&job.subject, &job.phase) {
        _ if job.state.is_over() => ABSENT.into(),
        (Some(subject), Some(phase)) => format!("{phase} of {subject}"),
        (None, Some(phase)) => phase.clone(),
        (_, None) => ABSENT.into(),
    }
}

fn steps(job: &JobView) -> String {
    match job.total {
        0 => ABSENT.into(),
        _ if job.state.is_over() => ABSENT.into(),
        total => format!("{}/{total}", job.done),
    }
}

fn ns(ns: Option<u64>) -> String {
    ns.map_or_else(|| ABSENT.into(), |ns| format_ns(ns as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_of_several_lines_is_one_in_the_list() {
        let job = |result: &str| JobView {
            id: String::new(),
            title: String::new(),
            names: Vec::new(),
            state: JobState::Failed,
            asked_at: String::new(),
            began_at: None,
            ended_at: None,
            elapsed_ns: None,
            left_ns: None,
            phase: None,
            subject: None,
            done: 0,
            total: 0,
            result: Some(result.into()),
            folder: String::new(),
            log_bytes: 0,
            pid: None,
            host: None,
        };
        let failed = job("x: compile in build: exit code 1\nk.c:1: error\n");
        assert_eq!(
            result(&failed),
            "x: compile in build: exit code 1 (+1 lines)"
        );
        assert_eq!(result(&job("x: done")), "x: done");
    }
}
