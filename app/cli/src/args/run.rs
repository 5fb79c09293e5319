//! Arguments of `assay run` and `assay jobs`.

use assay_engine::run::Request;
use clap::Args;

/// What is run, and how.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The variants.
    #[arg(required = true)]
    pub names: Vec<String>,
    /// Target in the campaign file.
    #[arg(long, default_value = "local")]
    pub target: String,
    /// Stages to do, in order.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "build,source,check,bench,profile"
    )]
    pub stages: Vec<String>,
    /// Measure against this variant or baseline (default: the champion, else the first baseline).
    #[arg(long, value_name = "REF")]
    pub against: Option<String>,
    /// Do it again although there is evidence for this content.
    #[arg(long)]
    pub again: bool,
    /// Build twice and say whether the code generation is deterministic.
    #[arg(long)]
    pub build_twice: bool,
    /// Do not wait for the device; fail when it is in use.
    #[arg(long)]
    pub no_wait: bool,
    /// Measure each once against the same incumbent, rank them, and confirm only the best.
    #[arg(long)]
    pub screen: bool,
    /// Variants that a screening keeps whatever their intervals.
    #[arg(long, value_name = "K", requires = "screen", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub keep: u32,
    /// Leave out measuring the chain of accepted steps end to end, although it is due.
    #[arg(long)]
    pub no_chain: bool,
    /// Run it as a job that goes on when this terminal is gone; `assay jobs` shows it.
    #[arg(long)]
    pub detach: bool,
    /// Print what the programs of the stages write, while they run.
    #[arg(long)]
    pub live: bool,
    /// Take up the job of this id, which another process has ordered.
    #[arg(long, hide = true, value_name = "ID", conflicts_with = "detach")]
    pub as_job: Option<String>,
}

/// Which jobs, and what to do about them.
#[derive(Debug, Args)]
#[command(
    after_help = "A job is named by its id, or by the end of one, as the list shows it. With --follow the exit code is that \
of the job: 0 done, 1 failed, 4 cancelled or lost."
)]
pub struct JobsArgs {
    /// One job, with its log (default: list all).
    pub id: Option<String>,
    /// Go on printing its log until it ends.
    #[arg(long, requires = "id", conflicts_with = "json")]
    pub follow: bool,
    /// Ask it to stop.
    #[arg(long, requires = "id")]
    pub cancel: bool,
    /// Order the same once more.
    #[arg(long, requires = "id", conflicts_with_all = ["cancel", "follow"])]
    pub again: bool,
}

impl RunArgs {
    /// How many a screening keeps, where one is asked for.
    pub fn keeps(&self) -> Option<usize> {
        self.screen.then_some(self.keep as usize)
    }
}

/// The arguments of `assay run` that ask for this.
pub fn of_request(request: &Request, keep: Option<usize>) -> Vec<String> {
    let stages: Vec<&str> = request.stages.iter().map(|s| s.name()).collect();
    let mut args = vec![
        format!("--target={}", request.target),
        format!("--stages={}", stages.join(",")),
    ];
    if let Some(against) = &request.against {
        args.push(format!("--against={against}"));
    }
    let flags = [
        (request.again, "--again"),
        (request.build_twice, "--build-twice"),
        (!request.wait, "--no-wait"),
        (!request.chain, "--no-chain"),
    ];
    args.extend(flags.iter().filter(|f| f.0).map(|f| f.1.to_owned()));
    if let Some(keep) = keep {
        args.extend(["--screen".into(), format!("--keep={keep}")]);
    }
    // Names may begin with anything.
    args.push("--".into());
    args.extend(request.names.iter().cloned());
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use crate::cmd::run_request;
    use clap::Parser;

    #[test]
    fn a_request_survives_the_way_through_the_command_line() {
        let some = Request {
            names: vec!["-x".into(), "分块".into()],
            target: "gpu".into(),
            stages: vec![assay_core::record::Stage::Bench],
            against: Some("-base".into()),
            again: true,
            build_twice: true,
            wait: false,
            chain: false,
        };
        for (request, keep) in [(some, Some(3)), (Request::all(vec!["a".into()]), None)] {
            let args = ["assay".to_owned(), "run".to_owned()];
            let args = args.into_iter().chain(of_request(&request, keep));
            let Some(Command::Run(read)) = Cli::try_parse_from(args).unwrap().command else {
                panic!("not a run");
            };
            let again = run_request(&read).unwrap();
            assert_eq!(format!("{again:?}"), format!("{request:?}"));
            assert_eq!(read.keeps(), keep);
        }
    }
}
