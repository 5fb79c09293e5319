//! `assay jobs`, and `assay run --detach`.

use std::thread;
use std::time::Duration;

use assay_core::text::inert_block;
use assay_core::view::{JobState, JobView, JobsView};
use assay_engine::jobs::Queue;
use assay_engine::{Error, Result};

use super::{OK, open, run, say, show};
use crate::args::{Cli, JobsArgs, RunArgs, of_request};
use crate::exit::{Code, DONE, ENVIRONMENT, WORSE};
use crate::print::jobs as print;
use crate::setup;

/// Time between two looks at a log that is followed.
const LOOK: Duration = Duration::from_millis(250);

/// `assay jobs`.
pub fn jobs(cli: &Cli, args: &JobsArgs) -> Result<Code> {
    let queue = open(cli)?.queue()?;
    let all = queue.list()?;
    let Some(name) = &args.id else {
        show(cli, &all, || print::list(&all))?;
        return OK;
    };
    let job = find(&all, name)?.clone();
    if args.cancel {
        return cancel(cli, &queue, &job);
    }
    if args.again {
        let started = queue.again(&job.id)?;
        return ordered(cli, &queue, &started);
    }
    if args.follow {
        return follow(&queue, job);
    }
    let log = queue.log(&job.id, 0)?;
    let one = only(&all, &job.id);
    show(cli, &one, || {
        format!("{}\n{}", print::job(&job), inert_block(&log.text))
    })?;
    OK
}

/// `assay run --detach`.
pub fn detach(cli: &Cli, args: &RunArgs) -> Result<Code> {
    let mut request = run::request(args)?;
    let bench = open(cli)?;
    // What a person must approve is asked now: the job has nobody to ask.
    request.names = bench.may_run(&request.names, setup::prompt(cli).as_ref())?;
    let queue = bench.queue()?;
    let id = queue.submit(&request.names, of_request(&request, args.keeps()))?;
    ordered(cli, &queue, &id)
}

/// Tells of a job that was ordered.
fn ordered(cli: &Cli, queue: &Queue, id: &str) -> Result<Code> {
    let view = only(&queue.list()?, id);
    show(cli, &view, || {
        let short = print::short(id);
        format!("job {short} was started; `assay jobs {short} --follow` prints its log\n")
    })?;
    OK
}

fn only(all: &JobsView, id: &str) -> JobsView {
    let jobs = all.jobs.iter().filter(|j| j.id == id).cloned();
    JobsView {
        jobs: jobs.collect(),
        ..all.clone()
    }
}

/// The job of an id, or of the end of one.
fn find<'v>(all: &'v JobsView, name: &str) -> Result<&'v JobView> {
    let ending = name.to_ascii_uppercase();
    let found: Vec<&JobView> = (all.jobs.iter())
        .filter(|j| !ending.is_empty() && j.id.ends_with(&ending))
        .collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::input(format!("no job `{name}`")).hint("`assay jobs` lists them")),
        several => Err(Error::input(format!(
            "{} jobs end in `{name}`; name more of the id",
            several.len()
        ))),
    }
}

fn cancel(cli: &Cli, queue: &Queue, job: &JobView) -> Result<Code> {
    let asked = queue.cancel(&job.id)?;
    let view = only(&queue.list()?, &job.id);
    show(cli, &view, || {
        let short = print::short(&job.id);
        match asked {
            true => format!("job {short} was asked to stop\n"),
            false => format!("job {short} has ended: {}\n", job.state.name()),
        }
    })?;
    OK
}

/// Prints the log as it grows, until the job ends.
fn follow(queue: &Queue, mut job: JobView) -> Result<Code> {
    let mut from = 0;
    loop {
        let over = job.state.is_over();
        let part = queue.log(&job.id, from)?;
        if !part.text.is_empty() {
            say(&inert_block(&part.text))?;
        }
        from = part.end;
        if over {
            return Ok(Code(match job.state {
                JobState::Failed => WORSE,
                JobState::Cancelled | JobState::Lost => ENVIRONMENT,
                _ => DONE,
            }));
        }
        thread::sleep(LOOK);
        job = find(&queue.list()?, &job.id)?.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_named_by_the_end_of_its_id() {
        let job = |id: &str| JobView {
            id: id.into(),
            ..JobView::default()
        };
        let all = JobsView {
            jobs: vec![job("01J0AAAB"), job("01J0CCCB")],
            ..JobsView::default()
        };
        assert_eq!(find(&all, "aab").unwrap().id, "01J0AAAB");
        assert_eq!(find(&all, "01J0CCCB").unwrap().id, "01J0CCCB");
        for name in ["b", "", "x"] {
            assert!(find(&all, name).is_err(), "{name}");
        }
    }
}
