//! `assay run`.

use assay_core::record::{FailureKind, Stage};
use assay_core::text::nearest;
use assay_engine::jobs::{self, lead_a_session};
use assay_engine::run::{Ended, Request, Summary};
use assay_engine::signals::cancel_on_signals;
use assay_engine::trust::Never;
use assay_engine::{Cancel, Error, Result};
use serde_json::json;

use super::{OK, open, show};
use crate::args::{Cli, RunArgs};
use crate::exit::{self, Code, DONE, ENVIRONMENT, WORSE};
use crate::print::{change, stages as print_stages};
use crate::progress::Stderr;
use crate::setup;

/// The stages named on the command line, in the order in which they run.
fn stages(names: &[String]) -> Result<Vec<Stage>> {
    let mut out = Vec::new();
    for name in names {
        let found = Stage::ALL.into_iter().find(|s| s.name() == name.trim());
        let known = || Stage::ALL.map(Stage::name);
        let stage = found.ok_or_else(|| {
            let error = Error::input(format!(
                "no stage `{name}`; there are {}",
                known().join(", ")
            ));
            match nearest(name, known()) {
                Some(n) => error.hint(format!("did you mean `{n}`?")),
                None => error,
            }
        })?;
        out.push(stage);
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// What the arguments ask for.
pub fn request(args: &RunArgs) -> Result<Request> {
    Ok(Request {
        names: args.names.clone(),
        target: args.target.clone(),
        stages: stages(&args.stages)?,
        against: args.against.clone(),
        again: args.again,
        build_twice: args.build_twice,
        wait: !args.no_wait,
        chain: !args.no_chain,
    })
}

/// The process of a job: nobody reads what it prints, so all goes into the files of the job.
pub fn as_job(cli: &Cli, id: &str, args: &RunArgs) -> Result<Code> {
    lead_a_session();
    let work = open(cli)?.queue()?.take_up(id)?;
    let cancel = Cancel::new();
    let _signals = cancel_on_signals(&cancel)?;
    let run = || {
        work.wait_turn(&cancel)?;
        let request = request(args)?;
        // Opened only now: much may have been recorded while it waited.
        let bench = open(cli)?;
        match args.keeps() {
            None => bench.run(&request, &Never, &work, &cancel),
            Some(keep) => bench
                .screen(&request, keep, &Never, &work, &cancel)
                .map(|sifted| sifted.ended),
        }
    };
    let (state, text) = jobs::end(&run(), cancel.is_cancelled());
    work.finish(state, &text);
    OK
}

/// `assay run`.
pub fn run(cli: &Cli, request: &Request, args: &RunArgs) -> Result<Code> {
    let bench = open(cli)?;
    let cancel = Cancel::new();
    let _signals = cancel_on_signals(&cancel)?;
    let progress = Stderr::new().live(args.live);
    let prompt = setup::prompt(cli);
    let (done, ranking) = match args.keeps() {
        None => (
            bench.run(request, prompt.as_ref(), &progress, &cancel)?,
            None,
        ),
        Some(keep) => {
            let sifted = bench.screen(request, keep, prompt.as_ref(), &progress, &cancel)?;
            (sifted.ended, sifted.ranking)
        }
    };
    drop(progress);
    let mut view =
        json!({ "schema": "assay.run/1", "runs": done.iter().map(document).collect::<Vec<_>>() });
    if let Some(ranking) = &ranking {
        view["screening"] = json!(ranking);
    }
    let finished = || done.iter().filter_map(|e| e.result.as_ref().ok());
    show(cli, &view, || {
        let runs: String = finished().filter_map(told).collect();
        match &ranking {
            Some(ranking) => format!("{}\n{runs}", print_stages::ranking(ranking)),
            None => runs,
        }
    })?;
    let errors = done.iter().filter_map(|e| e.result.as_ref().err());
    let codes = errors
        .map(|e| exit::report(e).0)
        .chain(finished().map(code));
    Ok(Code(codes.max().unwrap_or(DONE)))
}

/// What standard output tells of a run. A failure that has just happened stands on standard error
/// already, where all that goes wrong is told; a verdict that was reached before it is told all the same.
fn told(s: &Summary) -> Option<String> {
    let stands = s.verdict.is_some()
        && s.failure
            .as_ref()
            .is_some_and(|f| f.stage == Stage::Profile);
    (s.failure.is_none() || s.reused || stands).then(|| line(s))
}

fn document(e: &Ended) -> serde_json::Value {
    let s = match &e.result {
        Ok(s) => s,
        Err(error) => return json!({ "name": e.name, "error": error.to_string() }),
    };
    json!({
        "name": s.name,
        "run": s.run,
        "reused": s.reused,
        "failure": s.failure,
        "verdict": s.verdict.as_ref().map(|v| v.verdict.name()),
        "against": s.verdict.as_ref().map(|v| v.a.clone()),
        "ratio": s.verdict.as_ref().and_then(|v| v.ratio),
        "interval": s.verdict.as_ref().and_then(|v| v.interval),
        "reason": s.verdict.as_ref().map(|v| v.reason.clone()),
        "next": s.verdict.as_ref().map(|v| v.next.clone()),
    })
}

fn line(s: &Summary) -> String {
    let mut out = match (&s.failure, &s.verdict) {
        (Some(f), v) if v.is_none() || f.stage != Stage::Profile => format!(
            "{}: {} in {}: {}",
            s.name,
            f.kind.name(),
            f.stage.name(),
            f.message
        ),
        (_, Some(v)) => {
            format!(
                "{}: {} {} against {}",
                s.name,
                v.verdict.name(),
                change::ratio(v.ratio, v.interval),
                v.a
            )
        }
        (_, None) => format!("{}: done", s.name),
    };
    if s.reused {
        out.push_str(" (evidence that was there; --again does it anew)");
    }
    format!("{}\n", assay_core::text::inert(&out))
}

fn code(s: &Summary) -> u8 {
    match &s.failure {
        None => DONE,
        Some(f) if matches!(f.kind, FailureKind::Infra | FailureKind::Cancelled) => ENVIRONMENT,
        Some(_) => WORSE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_core::record::Failure;
    use assay_core::{RecordId, Timestamp};

    #[test]
    fn a_failure_is_told_once() {
        let mut s = Summary {
            name: "a".into(),
            run: RecordId::fresh(Timestamp::UNIX_EPOCH),
            reused: false,
            failure: None,
            verdict: None,
        };
        assert_eq!(told(&s).as_deref(), Some("a: done\n"));
        s.failure = Some(Failure {
            kind: FailureKind::Compile,
            stage: Stage::Build,
            message: "exit code 1".into(),
            stderr_tail: String::new(),
        });
        assert_eq!(told(&s), None, "standard error has it");
        s.reused = true;
        assert!(told(&s).is_some_and(|t| t.starts_with("a: compile in build: exit code 1")));
    }
}
