//! The back end for GPUs of NVIDIA.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use assay_core::campaign::Device;
use assay_core::text::inert;
use assay_exec::cuda;
use assay_exec::fingerprint;
use assay_exec::fingerprint::{Silence, nvidia_devices, nvidia_facts, nvidia_fault};
use assay_exec::gpu_profile::ncu;
use assay_exec::process::{Outcome, capture};

use super::device::{self, Words};
use super::{Finding, HANGS, Looking, NOT_FOUND, faulty, finding, of_line};

/// Modules of Python, and what to do where one is missing.
const MODULES: [(&str, &str); 3] = [
    (
        "torch",
        "pip install torch (a build for CUDA), for the torch harness and its campaigns",
    ),
    (
        "tilelang",
        "pip install tilelang, for the campaigns of TileLang kernels",
    ),
    (
        "triton",
        "pip install triton, for kernels in Triton; it comes with torch",
    ),
];

/// Time that a module gets to be imported.
const IMPORT: Duration = Duration::from_secs(120);

/// Where the driver says who may read counters, and the line that says it.
const PARAMS: &str = "/proc/driver/nvidia/params";
const ADMIN_ONLY: &str = "RmProfilingAdminOnly:";

/// What it has and lacks.
pub(super) fn look(at: &Looking) -> Vec<Finding> {
    let mut out = smi(at);
    for (name, remedy) in [
        (
            "nvcc",
            "install the CUDA toolkit: kernels in CUDA C++ are compiled with it",
        ),
        (
            "cuobjdump",
            "it comes with the CUDA toolkit: machine code (SASS) is captured with it",
        ),
        (
            "compute-sanitizer",
            "it comes with the CUDA toolkit: [check] sanitizer needs it",
        ),
    ] {
        out.push(toolkit(at, name, remedy));
    }
    match ncu::find(Looking::lookup) {
        Some(path) => out.push(version_of(at, "ncu", &path)),
        None => out.push(finding(
            "ncu",
            Some(false),
            NOT_FOUND,
            "install Nsight Compute (it comes with the CUDA toolkit): counters are taken with it",
        )),
    }
    out.push(permission(
        std::fs::read_to_string(PARAMS).ok().as_deref(),
        is_root(),
    ));
    out.extend(modules(at));
    out
}

/// `nvidia-smi` and the device that it tells of. One that does not answer is not asked again.
fn smi(at: &Looking) -> Vec<Finding> {
    const NAME: &str = "nvidia-smi";
    let why = match at.of_driver(NAME) {
        Ok(version) => {
            let (devices, own) = devices(at);
            let mut out = vec![of_line(NAME, version, !own.is_empty())];
            out.extend(devices);
            out.extend(others(at, &own));
            return out;
        }
        Err(why) => why,
    };
    let mut found = faulty(
        NAME,
        &why,
        "install the driver of NVIDIA; in a container, start it with `--gpus all`",
    );
    match &why {
        Silence::Hangs(_) => {
            found.remedy = HANGS.into();
        }
        Silence::Failed(_, said) => {
            if let Some(meaning) = nvidia_fault(said) {
                found.remedy = meaning.into();
            }
        }
        Silence::Absent(_) => {}
    }
    let device = finding(
        "device",
        Some(false),
        format!("not asked for: `{NAME}` {}", found.found),
        found.remedy.clone(),
    );
    vec![found, device]
}

/// The devices that measure, and what a run would say of each; with their UUIDs.
fn devices(at: &Looking) -> (Vec<Finding>, Vec<String>) {
    const NAME: &str = "device";
    const REMEDY: &str =
        "look at `nvidia-smi`; CUDA_VISIBLE_DEVICES and [target.NAME] gpu say which one measures";
    if at.has_target(Device::Cuda) {
        let words = Words {
            name: NAME,
            remedy: REMEDY,
            said_of: &|environment| said_of(&environment.stable),
        };
        let (found, known) = device::of_targets(at, Device::Cuda, &words);
        let own = known
            .iter()
            .filter_map(|e| e.stable.get("gpu.uuid").cloned());
        return (found, own.collect());
    }
    let selected = Looking::chosen(Device::Cuda);
    match nvidia_facts(selected.as_deref(), &at.env, &at.cancel) {
        Err(why) => {
            let found = finding(NAME, Some(false), why.to_string(), REMEDY);
            (vec![found], Vec::new())
        }
        Ok(facts) => {
            let own = facts.get("gpu.uuid").cloned();
            let found = finding(NAME, Some(true), said_of(&facts), "");
            (vec![found], own.into_iter().collect())
        }
    }
}

/// The devices of this host that do not measure, one after the other.
fn others(at: &Looking, own: &[String]) -> Vec<Finding> {
    const NAME: &str = "other device";
    let all = nvidia_devices(&at.env, &at.cancel).unwrap_or_default();
    let is_other = |facts: &&BTreeMap<String, String>| {
        let uuid = facts.get("gpu.uuid");
        uuid.is_none_or(|uuid| !own.contains(uuid))
    };
    let told = |facts: &BTreeMap<String, String>| {
        let of = |name: &str| facts.get(name).map_or("not told", String::as_str);
        finding(
            NAME,
            None,
            format!("number {}: {}", of("index"), said_of(facts)),
            format!(
                "to measure on it: [target.NAME] gpu = \"{}\", or CUDA_VISIBLE_DEVICES",
                of("gpu.uuid")
            ),
        )
    };
    all.iter().filter(is_other).map(told).collect()
}

/// A device in a few words.
fn said_of(facts: &BTreeMap<String, String>) -> String {
    let of = |name: &str| facts.get(name).map_or("not told", String::as_str);
    let slice = facts.get("gpu.slice");
    let slice = slice.map_or_else(String::new, |s| format!(", MIG slice {s}"));
    format!(
        "{}, driver {}, memory {}{slice}",
        of("gpu.model"),
        of("gpu.driver"),
        of("gpu.memory")
    )
}

/// A tool of the toolkit, which need not be in PATH.
fn toolkit(at: &Looking, name: &str, remedy: &str) -> Finding {
    match cuda::find(name, Looking::lookup) {
        Some(path) => version_of(at, name, &path),
        None => finding(name, Some(false), NOT_FOUND, remedy),
    }
}

fn version_of(at: &Looking, name: &str, path: &Path) -> Finding {
    let shown = path.display();
    match at.version(&path.to_string_lossy(), &["--version"]) {
        Ok(version) => finding(name, Some(true), format!("{version} ({shown})"), ""),
        Err(why) => {
            let told = faulty(name, &why, "");
            finding(
                name,
                Some(false),
                format!("{shown} does not run: {}", told.found),
                format!("run {shown} --version and see what it says"),
            )
        }
    }
}

/// Whether whoever runs this may read the counters of the GPU, by what the driver says.
fn permission(params: Option<&str>, is_root: bool) -> Finding {
    const NAME: &str = "gpu counters";
    let Some(params) = params else {
        return finding(
            NAME,
            None,
            format!("{PARAMS} is not there: no driver is loaded, or the container hides it"),
            "",
        );
    };
    let line = params
        .lines()
        .find_map(|l| l.trim().strip_prefix(ADMIN_ONLY));
    match line.map(str::trim) {
        Some("0") => finding(NAME, Some(true), "everybody may read them", ""),
        Some("1") if is_root => finding(
            NAME,
            None,
            "only the administrator of the host may read them; this is root, which in a container may not be enough",
            "if a profile fails with ERR_NVGPUCTRPERM, start the container with CAP_SYS_ADMIN, or have the host set NVreg_RestrictProfilingToAdminUsers=0",
        ),
        Some("1") => finding(
            NAME,
            Some(false),
            "only the administrator of the host may read them",
            "the host's administrator sets `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d and loads the driver again; everything but counters works without",
        ),
        Some(other) => finding(NAME, None, format!("{ADMIN_ONLY} {}", inert(other)), ""),
        None => finding(
            NAME,
            None,
            format!("{PARAMS} does not say who may read them"),
            "",
        ),
    }
}

fn is_root() -> bool {
    fingerprint::is_root()
}

/// Whether Python can import what the harnesses need; each in a process of its own, together.
fn modules(at: &Looking) -> Vec<Finding> {
    let python = fingerprint::python(&at.env);
    let import = |name: &str| {
        let program = format!("import {name}; print(getattr({name}, '__version__', 'imported'))");
        capture(
            &[python, "-c", &program],
            at.env.clone(),
            IMPORT,
            &at.cancel,
        )
    };
    let done = std::thread::scope(|scope| {
        let import = &import;
        let started = MODULES.map(|(name, _)| scope.spawn(move || import(name)));
        started.map(|thread| thread.join().ok())
    });
    let each = MODULES.iter().zip(done);
    each.map(|((name, remedy), done)| match done {
        Some(done) if done.outcome.ok() => {
            let version = String::from_utf8_lossy(&done.stdout).trim().to_owned();
            finding(
                name,
                Some(true),
                format!("{} in {python}", inert(&version)),
                "",
            )
        }
        Some(done) => {
            let said = done.tail_text();
            let last = said.lines().rev().map(str::trim).find(|l| !l.is_empty());
            let why = match (&done.outcome, last) {
                (Outcome::Exited(_), Some(last)) => last.to_owned(),
                (outcome, _) => outcome.describe(),
            };
            let remedy = match &done.outcome {
                Outcome::Exited(_) if !why.starts_with("ModuleNotFoundError") => {
                    format!("it is there and cannot be imported: see `{python} -c 'import {name}'`")
                }
                Outcome::SpawnFailed(_) => {
                    "install Python, or name its interpreter in PYTHON".into()
                }
                _ => (*remedy).to_owned(),
            };
            finding(name, Some(false), format!("{python}: {why}"), remedy)
        }
        None => finding(name, Some(false), "could not be asked for", *remedy),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_read_counters_is_told_with_what_to_do() {
        let of = |text: &str, root| permission(Some(text), root);
        let open = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\n";
        assert_eq!(of(open, false).ok, Some(true));
        let closed = open.replace(": 0", ": 1");
        let told = of(&closed, false);
        assert_eq!(told.ok, Some(false));
        assert!(
            told.remedy
                .contains("NVreg_RestrictProfilingToAdminUsers=0")
        );
        let root = of(&closed, true);
        assert_eq!(root.ok, None);
        assert!(root.remedy.contains("CAP_SYS_ADMIN"), "{}", root.remedy);
        assert_eq!(of("", false).ok, None);
        assert_eq!(permission(None, false).ok, None);
    }
}
