//! `assay canary`: whether the evaluator notices a kernel that is broken or slowed on purpose.

use assay_core::text::{inert, pad_right};
use assay_core::view::{CanariesView, CanaryView};
use assay_engine::run::CanaryRequest;
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Result};

use super::{open, show};
use crate::args::{CanaryArgs, Cli};
use crate::exit::{Code, DONE, OPEN, WORSE};
use crate::print::change::second;
use crate::progress::Stderr;
use crate::setup;

/// `assay canary`.
pub fn canary(cli: &Cli, args: &CanaryArgs) -> Result<Code> {
    let bench = open(cli)?;
    if !args.history {
        let cancel = Cancel::new();
        let _signals = cancel_on_signals(&cancel)?;
        let progress = Stderr::new();
        let request = CanaryRequest {
            names: args.names.clone(),
            of: args.of.clone(),
            target: args.target.clone(),
            wait: !args.no_wait,
        };
        bench.canary(&request, setup::prompt(cli).as_ref(), &progress, &cancel)?;
    }
    let mut view = bench.canaries()?;
    if !args.names.is_empty() {
        view.canaries.retain(|c| args.names.contains(&c.name));
        view.ok = view.canaries.iter().all(|c| c.outcome == "noticed");
    }
    show(cli, &view, || text(&view))?;
    let any = |outcome: &str| view.canaries.iter().any(|c| c.outcome == outcome);
    Ok(Code(match () {
        () if any("survived") => WORSE,
        () if view.ok => DONE,
        () => OPEN,
    }))
}

fn text(view: &CanariesView) -> String {
    let mut out = format!(
        "evaluator {} of {}, pinned at {}\n",
        view.evaluator,
        inert(&view.campaign),
        view.commit.chars().take(12).collect::<String>()
    );
    if view.canaries.is_empty() {
        out.push_str(
            "no canary is declared: whether it notices a broken or slowed kernel is not known\n",
        );
    }
    let names = view.canaries.iter().map(|c| c.name.len());
    let widest = names.max().unwrap_or(0);
    for c in &view.canaries {
        out.push_str(&line(c, widest));
    }
    if view.canaries.iter().any(|c| c.outcome == "survived") {
        out.push_str("THE EVALUATOR DOES NOT SEE WHAT IT MUST SEE: do not trust its verdicts before it is mended\n");
    } else if view.canaries.iter().any(|c| c.outcome == "not run") {
        out.push_str("next: assay canary\n");
    }
    out
}

fn line(c: &CanaryView, widest: usize) -> String {
    let outcome = match c.outcome.as_str() {
        "survived" => "NOT NOTICED",
        "unproven" => "proves nothing",
        other => other,
    };
    let mut out = format!("  {}  {outcome}", pad_right(&c.name, widest));
    if let Some(expect) = &c.expect {
        out.push_str(&format!(" ({expect} expected): {}", inert(&c.found)));
    }
    if let Some([low, high]) = c.interval {
        out.push_str(&format!(" [{low:.3}, {high:.3}]"));
    }
    if let (Some(subject), Some(at)) = (&c.subject, &c.at) {
        out.push_str(&format!("; made of {}, {}", inert(subject), second(at)));
    }
    out.push('\n');
    out
}
