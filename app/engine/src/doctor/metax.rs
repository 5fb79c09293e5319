//! The back end for GPUs of MetaX: each piece of the toolchain, and what to do where one is missing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use assay_core::campaign::Device;
use assay_core::text::inert;
use assay_exec::fingerprint::Silence;
use assay_exec::fingerprint::metax::{self, SLICE};
use assay_exec::gpu_profile::mcprofiler;

use super::device::{self, Words};
use super::{Finding, HANGS, Looking, NOT_FOUND, faulty, finding, of_line};
use crate::run::card::SHARE;

/// What identifies a card.
type Stable = BTreeMap<String, String>;

/// Where the SDK lies when nothing is said.
const SDK: &str = "/opt/maca";

/// What it has and lacks.
pub(super) fn look(at: &Looking) -> Vec<Finding> {
    let mut out = smi(at);
    out.extend([
        macainfo(at),
        sdk(Looking::lookup("MACA_PATH"), Path::new(SDK)),
        at.tool(
            "mxcc",
            &["--version"],
            "put the folder of mxcc, which is part of the MACA SDK, into PATH: kernels are compiled with it",
        ),
        cxx(Looking::lookup("CXX")),
    ]);
    out.extend(libraries(at));
    out.extend(profiler(at));
    out
}

/// `mx-smi` and the card that it tells of. One that does not answer is not asked again.
fn smi(at: &Looking) -> Vec<Finding> {
    const NAME: &str = "mx-smi";
    match at.of_driver(NAME) {
        Ok(version) => {
            let (cards, own) = cards(at);
            let mut out = vec![of_line(NAME, version, !own.is_empty())];
            out.extend(cards);
            out.extend(others(at, &own));
            out
        }
        Err(why) => {
            let mut found = faulty(
                NAME,
                &why,
                "install the driver of MetaX and its tools, and put /opt/mxdriver/bin into PATH",
            );
            match why {
                Silence::Absent(_) => {}
                Silence::Hangs(_) => found.remedy = HANGS.into(),
                Silence::Failed(..) => found.remedy = "the tool is installed: load the kernel module of MetaX's driver if it says that there is none (`lsmod`, `dmesg`); in a container, give it the card".into(),
            }
            let card = finding(
                "card",
                Some(false),
                format!("not asked for: `{NAME}` {}", found.found),
                found.remedy.clone(),
            );
            vec![found, card]
        }
    }
}

/// The cards that measure, each with its driver, its slice and what a run would say of it; with their bus addresses.
fn cards(at: &Looking) -> (Vec<Finding>, Vec<String>) {
    const NAME: &str = "card";
    const REMEDY: &str = "look at `mx-smi` and `mx-smi -L`; MACA_VISIBLE_DEVICES and [target.NAME] gpu say which one measures";
    if at.has_target(Device::Metax) {
        let words = Words {
            name: NAME,
            remedy: REMEDY,
            said_of: &|e| format!("{}{}", said_of(&e.stable), sliced(&e.stable)),
        };
        let (found, known) = device::of_targets(at, Device::Metax, &words);
        let own = known
            .iter()
            .filter_map(|e| e.stable.get("gpu.bus").cloned());
        return (found, own.collect());
    }
    let selected = Looking::chosen(Device::Metax);
    let facts = match metax::facts(selected.as_deref(), &at.env, &at.cancel) {
        Ok(facts) => facts.stable,
        Err(why) => {
            let found = finding(NAME, Some(false), why.to_string(), REMEDY);
            return (vec![found], Vec::new());
        }
    };
    let (ok, remedy) = match facts.contains_key(SLICE) {
        false => (Some(true), ""),
        true => (
            None,
            "write the quota as `share` beside `model` in [target.NAME], e.g. share = \"25%\"; a slice is not set against a whole card. `mx-smi sgpu --show-mode` tells the mode",
        ),
    };
    let found = format!("{}{}", said_of(&facts), sliced(&facts));
    let own = facts.get("gpu.bus").cloned();
    (
        vec![finding(NAME, ok, found, remedy)],
        own.into_iter().collect(),
    )
}

/// The mark of a slice, and the share that the target declares.
fn sliced(facts: &Stable) -> String {
    let mark = facts.get(SLICE).map(|mark| format!(", sliced ({mark})"));
    let share = facts.get(SHARE).map(|share| format!(", share {share}"));
    format!("{}{}", mark.unwrap_or_default(), share.unwrap_or_default())
}

/// The cards of this host that do not measure, one after the other.
fn others(at: &Looking, own: &[String]) -> Vec<Finding> {
    const NAME: &str = "other card";
    let all = metax::devices(&at.env, &at.cancel).unwrap_or_default();
    let told = |facts: &metax::Facts| {
        let of = |name: &str| {
            let value = facts.stable.get(name).or_else(|| facts.volatile.get(name));
            value.map_or("not told", String::as_str)
        };
        let mark = sliced(&facts.stable);
        let remedy = facts.unavailable().unwrap_or_else(|| {
            format!(
                "to measure on it: [target.NAME] gpu = \"{}\", or MACA_VISIBLE_DEVICES",
                of("gpu.bus")
            )
        });
        finding(
            NAME,
            None,
            format!(
                "number {}: {}{mark}, state {}",
                of(metax::INDEX),
                said_of(&facts.stable),
                of(metax::STATE)
            ),
            remedy,
        )
    };
    let is_other = |f: &&metax::Facts| {
        let bus = f.stable.get("gpu.bus");
        bus.is_none_or(|bus| !own.contains(bus))
    };
    all.iter().filter(is_other).map(told).collect()
}

/// A card in a few words.
fn said_of(facts: &Stable) -> String {
    let of = |name: &str| facts.get(name).map_or("not told", String::as_str);
    format!(
        "{}, driver {}, MACA {}, BIOS {}, memory {}",
        of("gpu.model"),
        of("gpu.driver"),
        of("gpu.maca"),
        of("gpu.bios"),
        of("gpu.memory")
    )
}

fn macainfo(at: &Looking) -> Finding {
    const NAME: &str = "macainfo";
    match metax::told_isa(&at.env, &at.cancel) {
        Ok(Some(isa)) => finding(NAME, Some(true), isa, ""),
        Ok(None) => finding(
            NAME,
            Some(false),
            "it names no MetaX device",
            "the runtime sees no card: compare with `mx-smi`; in a container, give it the card",
        ),
        Err(why) => {
            let absent = "put the SDK's bin folder into PATH; without it nothing tells what the runtime sees";
            let mut found = faulty(NAME, &why, absent);
            if let Silence::Hangs(_) = why {
                found.remedy = HANGS.into();
            }
            found
        }
    }
}

/// The folder of the SDK.
fn sdk(said: Option<OsString>, usual: &Path) -> Finding {
    const NAME: &str = "MACA_PATH";
    let said = said.filter(|s| !s.is_empty()).map(PathBuf::from);
    let folder = said.as_deref().unwrap_or(usual);
    let real = folder.canonicalize().ok().filter(|f| f.is_dir());
    let shown = |p: &Path| inert(&p.display().to_string()).into_owned();
    match (&said, real) {
        (Some(_), Some(real)) => finding(NAME, Some(true), shown(&real), ""),
        (None, Some(real)) => finding(
            NAME,
            None,
            format!("not set; {} is there", shown(&real)),
            format!("export MACA_PATH={} and pass it in [env]", shown(folder)),
        ),
        (Some(folder), None) => finding(
            NAME,
            Some(false),
            format!("{} is no folder", shown(folder)),
            "set it to the folder of the SDK, usually /opt/maca",
        ),
        (None, None) => finding(
            NAME,
            Some(false),
            format!("not set, and {} is not there", shown(usual)),
            "install the MACA SDK and set MACA_PATH to its folder",
        ),
    }
}

/// A variable that makes mxcc look for its headers elsewhere.
fn cxx(said: Option<OsString>) -> Finding {
    const NAME: &str = "CXX";
    match said.filter(|s| !s.is_empty()) {
        None => finding(NAME, Some(true), "not set, as mxcc needs it", ""),
        Some(_) => finding(
            NAME,
            None,
            "set",
            "mxcc then fails with `__macro_mxcc.h not found`: stages do not see it unless [env] passes it; unset it in builds that set it themselves",
        ),
    }
}

/// torch and TileLang, without importing them.
fn libraries(at: &Looking) -> Vec<Finding> {
    let told = metax::libraries(Path::new("/"), &at.env, &at.cancel);
    let of = |name: &str| told.get(&format!("tool.{name}")).filter(|v| *v != "absent");
    let torch = match of("torch") {
        Some(v) if v.contains("metax") => finding("torch", Some(true), v.clone(), ""),
        Some(v) => finding(
            "torch",
            Some(false),
            format!("{v}, which is no build of MetaX (+metax)"),
            "install the torch wheel of MetaX; another one sees no card",
        ),
        None => finding(
            "torch",
            Some(false),
            NOT_FOUND,
            "install the torch wheel of MetaX; PYTHON names another interpreter",
        ),
    };
    let tilelang = match (of("tilelang"), of("tilelang.commit")) {
        (Some(v), commit) => {
            let commit = commit.map_or_else(String::new, |c| format!(", commit {c}"));
            // The string alone proves nothing: builds for MACA have said +cuda, too.
            finding(
                "tilelang",
                None,
                format!("{v}{commit}"),
                "its version does not tell for what it was built: `python3 -c \"import tilelang; tilelang.tvm.target.Target('maca')\"` does",
            )
        }
        (None, _) => finding(
            "tilelang",
            Some(false),
            NOT_FOUND,
            "install MetaX's fork of TileLang (tile-ai/tilelang-metax): the usual one has no target `maca`",
        ),
    };
    vec![torch, tilelang]
}

/// mcProfiler, its folder, its port and what an aborted run left.
fn profiler(at: &Looking) -> Vec<Finding> {
    const NAME: &str = "mcProfiler";
    let mut out = Vec::new();
    match mcprofiler::find(Looking::lookup) {
        Err(missing) => out.push(finding(
            NAME,
            Some(false),
            inert(&missing.what),
            format!(
                "{}: counters are taken with it, and everything else works without",
                missing.remedy
            ),
        )),
        Ok(home) => {
            let version = mcprofiler::version(&home, &at.env, &at.cancel);
            let version = version.unwrap_or_else(|| "it does not tell its version".into());
            let folder = inert(&home.folder.display().to_string()).into_owned();
            out.push(finding(
                NAME,
                Some(true),
                format!("{version}, in {folder}"),
                "",
            ));
        }
    }
    let services = mcprofiler::services();
    if !services.is_empty() {
        let all: Vec<String> = services.iter().map(u32::to_string).collect();
        out.push(finding(
            mcprofiler::SERVICE,
            None,
            format!("running: process {}", all.join(", ")),
            "if no profile is being taken, an aborted run left it: end it (kill and its number), or the next one fails with `clean server failed`",
        ));
    }
    if !mcprofiler::is_free(mcprofiler::PORT) {
        out.push(finding(
            "port 50123",
            None,
            "in use",
            "mcProfiler's service takes it by default; the profile stage takes a free one instead, or what [profile] port says",
        ));
    }
    let proxies: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|n| n.to_ascii_lowercase().ends_with("_proxy"))
        .collect();
    if !proxies.is_empty() {
        out.push(finding(
            "proxies",
            None,
            format!("set: {}", inert(&proxies.join(", "))),
            "mcProfiler waits for ever behind them when you start it by hand; the profile stage leaves them out",
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_sdk_is_looked_at_where_it_is_said_to_be() {
        let dir = tempfile::tempdir().unwrap();
        let there = dir.path();
        let gone = there.join("gone");
        let of = |said: Option<&Path>, usual: &Path| {
            let found = sdk(said.map(|s| s.as_os_str().to_owned()), usual);
            (found.ok, found.found.contains("not set"))
        };
        assert_eq!(of(Some(there), &gone), (Some(true), false));
        assert_eq!(of(None, there), (None, true));
        assert_eq!(of(Some(&gone), there), (Some(false), false));
        assert_eq!(of(None, &gone), (Some(false), true));
        assert_eq!(cxx(Some("g++".into())).ok, None);
        assert_eq!(cxx(None).ok, Some(true));
    }
}
