//! What this machine has, what is missing, and what to do about it.

use assay_exec::Cancel;
use assay_exec::fingerprint;
use assay_exec::plan::StageEnv;
use assay_exec::profile_cpu::Choice;
use serde::Serialize;

use crate::workbench::{Options, Workbench};

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub name: String,
    /// Whether it is as it should be; absent when it is a matter of taste.
    pub ok: Option<bool>,
    /// What was found.
    pub found: String,
    /// What to do about it; empty when nothing.
    pub remedy: String,
}

/// `assay doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doctor {
    /// `assay.doctor/1`.
    pub schema: &'static str,
    /// What was looked at.
    pub findings: Vec<Finding>,
}

fn finding(
    name: &str,
    ok: Option<bool>,
    found: impl Into<String>,
    remedy: impl Into<String>,
) -> Finding {
    Finding {
        name: name.into(),
        ok,
        found: found.into(),
        remedy: remedy.into(),
    }
}

/// Whether the pinned evaluator was seen to notice what it must notice.
fn canaries(bench: &Workbench) -> Finding {
    const NAME: &str = "canaries";
    let view = match bench.canaries() {
        Ok(view) => view,
        Err(e) => return finding(NAME, None, e.message, e.hint.unwrap_or_default()),
    };
    let named = |outcome: &str| -> Vec<&str> {
        let all = view.canaries.iter().filter(|c| c.outcome == outcome);
        all.map(|c| c.name.as_str()).collect()
    };
    let survived = named("survived");
    if view.canaries.is_empty() {
        return finding(
            NAME,
            None,
            "none is declared",
            "add [[canary]] to assay.toml",
        );
    }
    if !survived.is_empty() {
        let found = format!("NOT NOTICED by this evaluator: {}", survived.join(", "));
        return finding(
            NAME,
            Some(false),
            found,
            "mend the evaluator; do not trust its verdicts",
        );
    }
    let noticed = named("noticed");
    let found = format!("{} of {} noticed", noticed.len(), view.canaries.len());
    let remedy = if view.ok { "" } else { "assay canary" };
    finding(NAME, Some(view.ok), found, remedy)
}

/// Looks at tools, folders, the machine and the campaign.
pub fn examine(options: &Options) -> Doctor {
    let cancel = Cancel::new();
    let env = StageEnv::new(|name| std::env::var_os(name), &[]).vars();
    let tool = |name: &str, args: &[&str]| fingerprint::tool_version(name, args, &env, &cancel);
    let mut out = Vec::new();
    for (name, args, remedy) in [
        (
            "git",
            &["--version"][..],
            "install git 2.30 or newer: variants are branches",
        ),
        (
            "cc",
            &["--version"][..],
            "install a C compiler (Debian: build-essential): the CPU campaigns need one",
        ),
    ] {
        match tool(name, args) {
            Some(version) => out.push(finding(name, Some(true), version, "")),
            None => out.push(finding(name, Some(false), "not found", remedy)),
        }
    }
    let choice = Choice::probe(&env, &cancel);
    out.push(finding("counters", None, choice.reason, ""));
    for (name, args, what) in [
        ("nvidia-smi", &["--version"][..], "an NVIDIA GPU"),
        ("mx-smi", &["--version"][..], "a MetaX GPU"),
    ] {
        let found = tool(name, args);
        let remedy = match (name, found.is_some()) {
            ("mx-smi", true) => "the back end for it is not part of this version",
            _ => "",
        };
        let found = found.unwrap_or_else(|| format!("not found: no driver for {what} here"));
        out.push(finding(name, None, found, remedy));
    }
    let machine = fingerprint::environment(&[], &env, &cancel);
    out.push(finding("device", None, machine.device.clone(), ""));
    for (key, wanted, remedy) in [(
        "cpu.governor",
        "performance",
        "cpupower frequency-set -g performance, for steadier clocks",
    )] {
        if let Some(value) = machine.volatile.get(key) {
            let good = value == wanted;
            out.push(finding(
                key,
                Some(good),
                value.clone(),
                if good { "" } else { remedy },
            ));
        }
    }
    for (name, path) in [
        ("cache folder", &options.dirs.cache),
        ("state folder", &options.dirs.state),
    ] {
        let made = std::fs::create_dir_all(path);
        let (ok, remedy) = match made {
            Ok(()) => (true, String::new()),
            Err(e) => (
                false,
                format!(
                    "{e}; set XDG_CACHE_HOME and XDG_STATE_HOME to folders that can be written"
                ),
            ),
        };
        out.push(finding(name, Some(ok), path.display().to_string(), remedy));
    }
    match Workbench::open(options.clone()) {
        Ok(bench) => {
            out.push(finding("campaign", Some(true), bench.campaign.clone(), ""));
            match &bench.evaluator {
                Some(pin) => {
                    let found = format!("pinned at {}", pin.commit);
                    out.push(finding("evaluator", Some(true), found, ""));
                    out.push(canaries(&bench));
                }
                None => out.push(finding(
                    "evaluator",
                    Some(false),
                    "not pinned",
                    "assay init",
                )),
            }
            for remark in &bench.remarks {
                out.push(finding("remark", None, remark.clone(), ""));
            }
        }
        Err(e) => out.push(finding(
            "campaign",
            None,
            e.message,
            e.hint.unwrap_or_default(),
        )),
    }
    Doctor {
        schema: "assay.doctor/1",
        findings: out,
    }
}
