//! What this machine has, what is missing, and what to do about it.
//!
//! What belongs to one back end is looked at by the module of its name; the rest is here.

mod cpu;
mod cuda;
mod device;
mod metax;

use std::collections::BTreeSet;
use std::ffi::OsString;

use assay_core::campaign::{Campaign, Device, Target};
use assay_core::text::inert;
use assay_exec::Cancel;
use assay_exec::conditions::complaint;
use assay_exec::fingerprint;
use assay_exec::fingerprint::Silence;
use assay_exec::plan::StageEnv;
use assay_exec::process::Env;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::workbench::{Options, Workbench};

/// What is said of a tool that is not there.
const NOT_FOUND: &str = "not found";

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The back end that it belongs to, `cpu`, `cuda` or `metax`; absent for what all need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<&'static str>,
    /// What was looked at.
    pub name: String,
    /// Whether it is as it should be; absent when it is a matter of taste.
    pub ok: Option<bool>,
    /// What was found.
    pub found: String,
    /// What to do about it; empty when nothing.
    pub remedy: String,
}

/// What one back end lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Backend {
    /// `cpu`, `cuda` or `metax`.
    pub name: &'static str,
    /// Whether the campaign has a target of this kind; without a campaign the processor counts.
    pub needed: bool,
    /// Whether nothing is missing.
    pub ready: bool,
    /// Names of what is missing.
    pub missing: Vec<String>,
}

/// `assay doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doctor {
    /// `assay.doctor/1`.
    pub schema: &'static str,
    /// What was looked at: first what all back ends need, then one after the other.
    pub findings: Vec<Finding>,
    /// What each back end lacks.
    pub backends: Vec<Backend>,
}

impl Doctor {
    /// Whether something is missing that is needed here.
    pub fn is_ill(&self) -> bool {
        let needed = |name: &str| self.backends.iter().any(|b| b.name == name && b.needed);
        (self.findings.iter()).any(|f| f.ok == Some(false) && f.backend.is_none_or(needed))
    }
}

fn finding(
    name: &str,
    ok: Option<bool>,
    found: impl Into<String>,
    remedy: impl Into<String>,
) -> Finding {
    Finding {
        backend: None,
        name: name.into(),
        ok,
        found: found.into(),
        remedy: remedy.into(),
    }
}

/// What a back end is looked at with.
struct Looking {
    /// The environment of stages; outside of a campaign that of the user.
    env: Env,
    /// The targets that count.
    targets: Vec<Target>,
    cancel: Cancel,
}

/// What to do about a driver that does not answer.
const HANGS: &str =
    "the driver hangs: look at `dmesg`, then load the kernel module again or reboot the host";

/// What is said of a tool of a driver by the line that it prints about its version; one that names devices does its
/// work without.
fn of_line(name: &str, line: String, names_devices: bool) -> Finding {
    let is_version = line
        .as_bytes()
        .windows(3)
        .any(|w| w[0].is_ascii_digit() && w[1] == b'.' && w[2].is_ascii_digit());
    let remedy = match is_version {
        true => String::new(),
        false => format!("there is no version in what it prints: see what `{name}` says by hand"),
    };
    let ok = (is_version || !names_devices).then_some(is_version);
    finding(name, ok, line, remedy)
}

/// What is said of a tool that is there and does not work.
fn faulty(name: &str, why: &Silence, absent: &str) -> Finding {
    let (found, remedy) = match why {
        Silence::Absent(_) => (NOT_FOUND.to_owned(), absent.to_owned()),
        Silence::Hangs(time) => (
            format!(
                "it is there, and did not answer within {} s and was stopped",
                time.as_secs_f64()
            ),
            format!(
                "run `{name}` by hand; if that hangs too, so does what it asks, such as a driver"
            ),
        ),
        Silence::Failed(how, said) => {
            let why = complaint(said).map_or_else(String::new, |l| format!(": {l}"));
            (
                format!("it is there and failed, {how}{why}"),
                format!("run `{name}` by hand, and mend what it says"),
            )
        }
    };
    finding(name, Some(false), found, remedy)
}

impl Looking {
    /// Whether a target has a device of this kind.
    fn has_target(&self, kind: Device) -> bool {
        self.targets.iter().any(|t| t.device == kind)
    }

    /// The device of a kind that would measure where no target says it: the first that the environment leaves.
    fn chosen(kind: Device) -> Option<String> {
        let named = Self::lookup(fingerprint::visible(kind)?)?
            .into_string()
            .ok()?;
        let first = named.split(',').next()?.trim();
        (!first.is_empty()).then(|| first.to_owned())
    }

    /// A variable of Assay's own environment.
    fn lookup(name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    /// The line that a tool prints about itself, or why it prints none.
    fn version(&self, name: &str, args: &[&str]) -> std::result::Result<String, Silence> {
        fingerprint::told_version(
            name,
            args,
            fingerprint::TOOL_TIMEOUT,
            &self.env,
            &self.cancel,
        )
    }

    /// The same of a tool that asks a driver, which may hang.
    fn of_driver(&self, name: &str) -> std::result::Result<String, Silence> {
        let time = fingerprint::GPU_TIMEOUT;
        fingerprint::told_version(name, &["--version"], time, &self.env, &self.cancel)
    }

    /// A tool that should be there.
    fn tool(&self, name: &str, args: &[&str], remedy: &str) -> Finding {
        match self.version(name, args) {
            Ok(version) => finding(name, Some(true), version, ""),
            Err(why) => faulty(name, &why, remedy),
        }
    }
}

/// Variables that say where Python finds its packages.
const OF_PYTHON: [&str; 3] = ["PYTHON", "PYTHONPATH", "PYTHONHOME"];

/// Variables of Python that are set here and that no stage sees.
fn hidden(pass: &[String], lookup: impl Fn(&str) -> Option<OsString>) -> Option<Finding> {
    let names = OF_PYTHON.into_iter().filter(|n| {
        !pass.iter().any(|p| p == n) && lookup(n).is_some_and(|value| !value.is_empty())
    });
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| {
        finding(
            "python",
            None,
            format!("set here and seen by no stage: {}", names.join(", ")),
            "name them in [env] pass if the kernel's packages lie there",
        )
    })
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

/// The targets that count: all of the campaign, or the one that is named.
fn targets<'c>(config: Option<&'c Campaign>, named: Option<&str>) -> Result<Vec<&'c Target>> {
    let all = config.map(|c| &c.targets);
    match named {
        None => Ok(all.into_iter().flat_map(|t| t.values()).collect()),
        Some(name) => match all.and_then(|t| t.get(name)) {
            Some(target) => Ok(vec![target]),
            None => Err(
                Error::input(format!("no target `{}` in assay.toml", inert(name))).hint(
                    "leave --target out, or name a [target.NAME] of the campaign in this folder",
                ),
            ),
        },
    }
}

/// Looks at tools, folders, the machine and the campaign; `target` says whose needs count, else those of all.
///
/// # Errors
/// When the campaign has no such target.
pub fn examine(options: &Options, target: Option<&str>) -> Result<Doctor> {
    let opened = Workbench::open(options.clone());
    let config = opened.as_ref().ok().and_then(|b| b.config.as_ref());
    let targets = targets(config, target)?;
    let look = Looking {
        env: match config {
            Some(config) => StageEnv::new(Looking::lookup, &config.env_pass).vars(),
            None => (std::env::vars_os())
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
                .collect(),
        },
        targets: targets.iter().copied().cloned().collect(),
        cancel: Cancel::new(),
    };
    let mut kinds: BTreeSet<&str> = targets.iter().map(|t| t.device.name()).collect();
    if config.is_none() {
        kinds.insert(Device::Cpu.name());
    }
    let hidden = config.and_then(|config| hidden(&config.env_pass, Looking::lookup));
    let mut out = vec![look.tool(
        "git",
        &["--version"],
        "install git 2.30 or newer: variants are branches",
    )];
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
    match opened {
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
    out.extend(hidden);
    let mut backends = Vec::new();
    for (device, found) in [
        (Device::Cpu, cpu::look(&look)),
        (Device::Cuda, cuda::look(&look)),
        (Device::Metax, metax::look(&look)),
    ] {
        let missing = found.iter().filter(|f| f.ok == Some(false));
        let missing: Vec<String> = missing.map(|f| f.name.clone()).collect();
        backends.push(Backend {
            name: device.name(),
            needed: kinds.contains(device.name()),
            ready: missing.is_empty(),
            missing,
        });
        out.extend(found.into_iter().map(|f| Finding {
            backend: Some(device.name()),
            ..f
        }));
    }
    Ok(Doctor {
        schema: "assay.doctor/1",
        findings: out,
        backends,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_a_version_is_ill_only_where_no_device_is_named_either() {
        let ok = |line: &str, names| of_line("mx-smi", line.into(), names).ok;
        assert_eq!(ok("mx-smi  version: 2.3.1", false), Some(true));
        assert_eq!(ok("garbage ?? 7", false), Some(false));
        assert_eq!(ok("?", true), None);
    }
}
