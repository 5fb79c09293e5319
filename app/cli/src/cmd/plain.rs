//! Commands about the machine and the campaign as a whole.

use std::path::Path;

use assay_core::text::inert;
use assay_engine::init::{Pinned, write_template};
use assay_engine::workbench::CAMPAIGN_FILE;
use assay_engine::{Result, Workbench, doctor as engine_doctor, files};

use super::{OK, open, say, show};
use crate::args::Cli;
use crate::exit::{Code, ENVIRONMENT, of_verdict};
use crate::print::views;
use crate::setup;

/// `assay init`.
pub fn init(cli: &Cli, why: Option<&str>) -> Result<Code> {
    let options = setup::options(cli)?;
    if !options.dir.join(CAMPAIGN_FILE).exists() && Workbench::open(options.clone()).is_err() {
        assay_engine::init::require_repository(&options.dir)?;
        if let Pinned::Wrote(paths) = write_template(&options.dir)? {
            let wrote: String = paths
                .iter()
                .map(|p| format!("wrote {}\n", inert(p)))
                .collect();
            say(&format!(
                "{wrote}next: fill in assay.toml, commit it with the kernel and the harness, and run `assay init` again\n"
            ))?;
        }
        return OK;
    }
    let mut bench = Workbench::open(options)?;
    match bench.init(why)? {
        Pinned::New(pin) => say(&format!(
            "campaign {}: evaluator {} pinned at commit {}\nnext: assay new NAME --why TEXT\n",
            bench.campaign,
            pin.tree.short(),
            pin.commit
        ))?,
        Pinned::Same(pin) => {
            say(&format!(
                "campaign {}: evaluator {} is pinned already, and unchanged\n",
                bench.campaign,
                pin.tree.short()
            ))?;
        }
        Pinned::Wrote(_) => {}
    }
    OK
}

/// `assay doctor`.
pub fn doctor(cli: &Cli, target: Option<&str>) -> Result<Code> {
    let found = engine_doctor::examine(&setup::options(cli)?, target)?;
    show(cli, &found, || {
        let mut out = String::new();
        for f in found.findings.iter().filter(|f| f.backend.is_none()) {
            doctor_line(&mut out, f);
        }
        for b in &found.backends {
            let use_of_it = match b.needed {
                true => "",
                false => ", which no target here needs",
            };
            out.push_str(&format!("\nback end {}{use_of_it}\n", b.name));
            for f in found.findings.iter().filter(|f| f.backend == Some(b.name)) {
                doctor_line(&mut out, f);
            }
        }
        out
    })?;
    let bad = found.is_ill();
    Ok(Code(if bad { ENVIRONMENT } else { 0 }))
}

fn doctor_line(out: &mut String, f: &engine_doctor::Finding) {
    let mark = match f.ok {
        Some(true) => "ok     ",
        Some(false) => "missing",
        None => "note   ",
    };
    out.push_str(&format!("{mark} {:<17} {}\n", f.name, inert(&f.found)));
    if !f.remedy.is_empty() {
        out.push_str(&format!("{:26}{}\n", "", inert(&f.remedy)));
    }
}

/// `assay trust`.
pub fn trust(cli: &Cli, revoke: bool) -> Result<Code> {
    let bench = open(cli)?;
    if cli.json && !revoke {
        let view = serde_json::json!({
            "schema": "assay.trust/1",
            "approved": bench.evaluator_is_trusted()?,
            "shown": bench.shown_commands()?,
        });
        show(cli, &view, String::new)?;
        return OK;
    }
    if revoke {
        let was = bench.revoke_evaluator()?;
        say(if was {
            "approval withdrawn\n"
        } else {
            "it was not approved\n"
        })?;
        return OK;
    }
    if bench.evaluator_is_trusted()? {
        say(&format!("{}approved already\n", bench.shown_commands()?))?;
        return OK;
    }
    bench.require_trust(setup::prompt(cli).as_ref())?;
    say("approved\n")?;
    OK
}

/// `assay verdict`.
pub fn verdict(
    cli: &Cli,
    samples: &Path,
    a: &str,
    b: &str,
    rule: &files::Rule<'_>,
) -> Result<Code> {
    let bench = setup::options(cli).and_then(Workbench::open).ok();
    let view = files::verdict(bench.as_ref(), samples, a, b, rule)?;
    show(cli, &view, || views::verdict(&view))?;
    Ok(of_verdict(&view.verdict))
}
