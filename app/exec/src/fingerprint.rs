//! The environment fingerprint: what identifies this machine, apart from what changes by the hour.
//!
//! Stable facts are hashed into the evidence key, so nothing that differs between two boots may
//! stand there. What cannot be read is absent. The host's name is left out on purpose: records are
//! published.

mod gpu;
pub mod metax;
mod packages;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use assay_core::Sha256;
use assay_core::campaign::Device;
use assay_core::record::Environment;

use crate::Cancel;
use crate::conditions::{self, complaint, read};
use crate::process::{Env, Finished, Outcome, capture};

/// A tool to ask for its version: name and arguments, e.g. `("cc", &["--version"])`.
pub type Tool<'a> = (&'a str, &'a [&'a str]);

/// Stable facts that identify the device. A device back end adds facts named `gpu.…`.
const DEVICE: &[&str] = &["arch", "cpu.model", "cpu.id", "cpu.cores", "memory.gib"];

pub use gpu::{DeviceProblem, TIMEOUT as GPU_TIMEOUT, nvidia_devices, nvidia_facts, nvidia_fault};
pub use packages::python;

/// Time that a tool gets to tell its version.
pub const TOOL_TIMEOUT: Duration = Duration::from_secs(20);

/// The fingerprint of this machine with the versions of `tools`, looked up with `env`'s `PATH`.
///
/// A tool that is absent, or does not answer, is recorded as `absent`: that is a fact too.
pub fn environment(tools: &[Tool<'_>], env: &Env, cancel: &Cancel) -> Environment {
    let mut out = machine(Path::new("/"), std::env::consts::ARCH);
    if let Ok(n) = std::thread::available_parallelism() {
        out.volatile.insert("cpu.allowed".into(), n.to_string());
    }
    for (name, args) in tools {
        let version = tool_version(name, args, env, cancel);
        let version = version.unwrap_or_else(|| "absent".into());
        out.stable.insert(format!("tool.{name}"), version);
    }
    out
}

/// The fingerprint of this machine with its accelerator of a kind, and with what builds for it.
///
/// The second value says why the accelerator is not known, where it is not.
pub fn of_target(
    device: Device,
    tools: &[Tool<'_>],
    env: &Env,
    cancel: &Cancel,
) -> (Environment, Option<DeviceProblem>) {
    let more: &[Tool<'_>] = match device {
        Device::Cuda => &[("nvcc", &["--version"])],
        Device::Metax => &[("mxcc", &["--version"])],
        Device::Cpu => &[],
    };
    let tools: Vec<Tool<'_>> = tools.iter().chain(more).copied().collect();
    let mut out = environment(&tools, env, cancel);
    let first = chosen(device, env);
    let problem = match device {
        // The two do not wait for each other: an interpreter takes as long to start as the driver to answer.
        Device::Cuda => std::thread::scope(|scope| {
            let packages = scope.spawn(|| packages::versions(&packages::CUDA, env, cancel));
            let problem = gpu::add_nvidia(&mut out, first, env, cancel).err();
            out.stable.extend(packages.join().unwrap_or_default());
            problem
        }),
        Device::Metax => metax::add(&mut out, first, env, cancel).err(),
        Device::Cpu => None,
    };
    (out, problem)
}

/// The device that the environment chooses, the first of several.
fn chosen(device: Device, env: &Env) -> Option<&str> {
    let named = env.get(visible(device)?)?.to_str()?;
    let first = named.split(',').next()?.trim();
    (!first.is_empty()).then_some(first)
}

/// Why the accelerator of which a fingerprint was taken is no longer known, in words: asked again, its tool
/// names none, or another one. Nothing where it is still there, and of processors.
pub fn gone(device: Device, then: &Environment, env: &Env, cancel: &Cancel) -> Option<String> {
    let first = chosen(device, env);
    let now = match device {
        Device::Cpu => return None,
        Device::Cuda => nvidia_facts(first, env, cancel),
        Device::Metax => metax::facts(first, env, cancel).map(|f| f.stable),
    };
    let now = match now {
        Ok(now) => now,
        Err(why) => return Some(why.text),
    };
    let of = |facts: &BTreeMap<String, String>, name: &str| facts.get(name).cloned();
    let differs = |name: &&str| {
        let (then, now) = (of(&then.stable, name), of(&now, name));
        then.is_some() && now.is_some() && then != now
    };
    let name = ["gpu.uuid", "gpu.bus"].into_iter().find(differs)?;
    Some(format!(
        "its tool names another one in its place: {} was {}, and is {}",
        name,
        of(&then.stable, name).unwrap_or_default(),
        of(&now, name).unwrap_or_default()
    ))
}

/// Whether this process is the administrator's.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The variable that narrows the devices that a runtime sees.
pub fn visible(device: Device) -> Option<&'static str> {
    match device {
        Device::Cuda => Some("CUDA_VISIBLE_DEVICES"),
        Device::Metax => Some("MACA_VISIBLE_DEVICES"),
        Device::Cpu => None,
    }
}

/// Why a tool told nothing about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// It could not be started: usually it is in no folder of `PATH`.
    Absent(String),
    /// It is there, and did not answer within this time.
    Hangs(Duration),
    /// It is there and failed: how, with all that it said.
    Failed(String, String),
}

impl Silence {
    /// The same in words, of the command that was run.
    fn of(&self, command: &str) -> String {
        match self {
            Self::Absent(why) => format!("`{command}` cannot be run: {why}"),
            Self::Hangs(time) => format!(
                "`{command}` did not answer within {} s and was stopped; the driver may hang",
                time.as_secs_f64()
            ),
            Self::Failed(how, said) => {
                let why = complaint(said).map_or_else(String::new, |l| format!(": {l}"));
                format!("`{command}` failed, {how}{why}")
            }
        }
    }
}

/// A tool that has ended well within a time.
fn answered(
    argv: &[&str],
    timeout: Duration,
    env: &Env,
    cancel: &Cancel,
) -> Result<Finished, Silence> {
    let done = capture(argv, env.clone(), timeout, cancel);
    match &done.outcome {
        Outcome::Exited(0) => Ok(done),
        Outcome::SpawnFailed(why) => Err(Silence::Absent(why.clone())),
        Outcome::TimedOut(time) => Err(Silence::Hangs(*time)),
        other => {
            let said = format!(
                "{}\n{}",
                String::from_utf8_lossy(&done.stdout),
                done.tail_text()
            );
            Err(Silence::Failed(other.describe(), said))
        }
    }
}

/// The first line that a tool prints about itself; `None` when it cannot be run.
pub fn tool_version(name: &str, args: &[&str], env: &Env, cancel: &Cancel) -> Option<String> {
    told_version(name, args, TOOL_TIMEOUT, env, cancel).ok()
}

/// The first line that a tool prints about itself within a time.
///
/// # Errors
/// Why it told none.
pub fn told_version(
    name: &str,
    args: &[&str],
    timeout: Duration,
    env: &Env,
    cancel: &Cancel,
) -> Result<String, Silence> {
    let argv: Vec<&str> = std::iter::once(name).chain(args.iter().copied()).collect();
    let done = answered(&argv, timeout, env, cancel)?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let said = if said.trim().is_empty() {
        done.tail_text()
    } else {
        said
    };
    let mut lines = said.lines().map(str::trim).filter(|l| !l.is_empty());
    // The tools of CUDA say who they are before they say which.
    let release = said
        .lines()
        .find(|l| l.starts_with("Cuda compilation tools") || l.starts_with("Version 20"));
    let line = release.or_else(|| lines.next());
    let line = line.ok_or_else(|| Silence::Failed("it prints nothing".into(), String::new()))?;
    Ok(assay_core::text::inert(line).into_owned())
}

/// The fingerprint without tools, read below `root` (`/` but in tests).
pub fn machine(root: &Path, arch: &str) -> Environment {
    let info = read(root, "proc/cpuinfo").unwrap_or_default();
    let cpu = |name: &str| field(&info, name);
    let id = [
        ("vendor_id", "cpu family", "model"),
        ("CPU implementer", "CPU variant", "CPU part"),
    ]
    .into_iter()
    .find_map(|(a, b, c)| Some(format!("{}/{}/{}", cpu(a)?, cpu(b)?, cpu(c)?)));
    let model = cpu("model name").or_else(|| Some(format!("{arch} {}", id.as_ref()?)));
    let cores = info.lines().filter(|l| l.starts_with("processor")).count();

    let mut stable = BTreeMap::new();
    put(&mut stable, "arch", Some(arch.to_owned()));
    put(&mut stable, "cpu.model", model.clone());
    put(&mut stable, "cpu.id", id);
    put(
        &mut stable,
        "cpu.cores",
        (cores > 0).then(|| cores.to_string()),
    );
    put(&mut stable, "cpu.cache", caches(root));
    put(&mut stable, "memory.gib", memory_gib(root));
    put(
        &mut stable,
        "os.kernel",
        read(root, "proc/sys/kernel/osrelease"),
    );
    put(&mut stable, "os.name", os_name(root));

    let mut volatile = conditions::sample(root);
    put(
        &mut volatile,
        "boot",
        read(root, "proc/sys/kernel/random/boot_id"),
    );
    put(&mut volatile, "cpu.microcode", cpu("microcode"));
    put(
        &mut volatile,
        "numa.nodes",
        read(root, "sys/devices/system/node/online"),
    );
    put(
        &mut volatile,
        "aslr",
        read(root, "proc/sys/kernel/randomize_va_space"),
    );
    let smt = read(root, "sys/devices/system/cpu/smt/control");
    put(&mut volatile, "cpu.smt", smt);
    put(&mut volatile, "busy", busy(root));
    Environment {
        device: model.unwrap_or_else(|| arch.to_owned()),
        stable,
        volatile,
    }
}

/// Hash of what identifies the device: processor, cores, memory, architecture, accelerator.
pub fn device_hash(environment: &Environment) -> Sha256 {
    hash(environment, |k| {
        DEVICE.contains(&k) || k.starts_with("gpu.")
    })
}

/// Hash of the compilers' identity.
pub fn toolchain_hash(environment: &Environment) -> Sha256 {
    hash(environment, |k| k.starts_with("tool."))
}

fn hash(environment: &Environment, wanted: impl Fn(&str) -> bool) -> Sha256 {
    let facts = environment.stable.iter().filter(|(k, _)| wanted(k));
    Sha256::of_parts(facts.flat_map(|(k, v)| [k, v]))
}

fn put(map: &mut BTreeMap<String, String>, name: &str, value: Option<String>) {
    if let Some(v) = value {
        map.insert(name.to_owned(), v);
    }
}

/// First value of a `name : value` line.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        (key.trim() == name && !value.is_empty()).then(|| value.to_owned())
    })
}

/// Memory in GiB, rounded: the kernel's own share differs between its versions.
fn memory_gib(root: &Path) -> Option<String> {
    let info = read(root, "proc/meminfo")?;
    let kib: f64 = field(&info, "MemTotal")?.split(' ').next()?.parse().ok()?;
    Some(format!("{:.0}", kib / (1 << 20) as f64))
}

/// Caches of the first processor, e.g. `L1d 32K, L1i 32K, L2 1024K, L3 32768K`.
fn caches(root: &Path) -> Option<String> {
    let mut found = Vec::new();
    for i in 0..16 {
        let at = |file: &str| {
            read(
                root,
                &format!("sys/devices/system/cpu/cpu0/cache/index{i}/{file}"),
            )
        };
        let (Some(level), Some(size)) = (at("level"), at("size")) else {
            continue;
        };
        let kind = match at("type").as_deref() {
            Some("Data") => "d",
            Some("Instruction") => "i",
            _ => "",
        };
        found.push(format!("L{level}{kind} {size}"));
    }
    found.sort();
    (!found.is_empty()).then(|| found.join(", "))
}

fn os_name(root: &Path) -> Option<String> {
    let text = read(root, "etc/os-release")?;
    let value = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_owned())
}

/// Other processes that run or wait for the disk right now, e.g. `cc1 x2, python3`.
fn busy(root: &Path) -> Option<String> {
    let own = std::process::id().to_string();
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    for entry in fs::read_dir(root.join("proc")).ok()?.flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        if pid == own || !pid.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        // The name stands in brackets and may hold any character, brackets included.
        let stat = read(root, &format!("proc/{pid}/stat")).unwrap_or_default();
        let Some((head, rest)) = stat.rsplit_once(')') else {
            continue;
        };
        let name = head.split_once('(').map_or("", |(_, n)| n);
        if rest.starts_with(" R") || rest.starts_with(" D") {
            *names
                .entry(assay_core::text::inert(name).into_owned())
                .or_default() += 1;
        }
    }
    let text: Vec<String> = names
        .into_iter()
        .take(8)
        .map(|(n, count)| {
            if count > 1 {
                format!("{n} x{count}")
            } else {
                n
            }
        })
        .collect();
    (!text.is_empty()).then(|| text.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditions::tests::write;

    const INTEL: &str = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\
        model name\t: Intel(R) Xeon(R) Platinum 8480+\nmicrocode\t: 0x2b\nbogomips\t: 4000.00\n\
        cpu MHz\t\t: 2000.0\n\nprocessor\t: 1\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\n";

    fn fake(root: &Path) {
        write(root, "proc/cpuinfo", INTEL);
        write(
            root,
            "proc/meminfo",
            "MemTotal:       24512345 kB\nMemFree: 1 kB\n",
        );
        write(root, "proc/sys/kernel/osrelease", "6.1.0-13\n");
        write(
            root,
            "etc/os-release",
            "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n",
        );
        for (i, level, kind, size) in [(0, "1", "Data", "48K"), (1, "2", "Unified", "2048K")] {
            let at = format!("sys/devices/system/cpu/cpu0/cache/index{i}");
            write(root, &format!("{at}/level"), level);
            write(root, &format!("{at}/type"), kind);
            write(root, &format!("{at}/size"), size);
        }
        write(root, "proc/77/stat", "77 (odd) R name) R 1 77");
        write(root, "proc/78/stat", "78 (idle) S 1 78");
    }

    #[test]
    fn stable_facts_are_apart_from_those_that_change() {
        let dir = tempfile::tempdir().unwrap();
        fake(dir.path());
        let e = machine(dir.path(), "x86_64");
        assert_eq!(e.device, "Intel(R) Xeon(R) Platinum 8480+");
        let text: Vec<String> = e.stable.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            text,
            [
                "arch=x86_64",
                "cpu.cache=L1d 48K, L2 2048K",
                "cpu.cores=2",
                "cpu.id=GenuineIntel/6/143",
                "cpu.model=Intel(R) Xeon(R) Platinum 8480+",
                "memory.gib=23",
                "os.kernel=6.1.0-13",
                "os.name=Debian GNU/Linux 12"
            ]
        );
        assert_eq!(e.volatile["busy"], "odd) R name");
        assert_eq!(e.volatile["mhz"], "2000");
    }

    #[test]
    fn the_device_is_its_hardware_and_the_toolchain_its_compilers() {
        let dir = tempfile::tempdir().unwrap();
        fake(dir.path());
        let mut e = machine(dir.path(), "x86_64");
        e.stable.insert("tool.cc".into(), "cc 12".into());
        let (device, tools) = (device_hash(&e), toolchain_hash(&e));
        let changed = |key: &str, value: &str| {
            let mut e = e.clone();
            e.stable.insert(key.into(), value.into());
            (device_hash(&e) != device, toolchain_hash(&e) != tools)
        };
        assert_eq!(changed("os.kernel", "6.1.0-14"), (false, false));
        assert_eq!(changed("tool.cc", "cc 13"), (false, true));
        assert_eq!(changed("cpu.cores", "4"), (true, false));
        assert_eq!(changed("gpu.uuid", "GPU-1"), (true, false));
        let mut later = e.clone();
        later.volatile.clear();
        assert_eq!(device_hash(&later), device);
    }

    #[test]
    fn an_arm_processor_without_a_model_name_is_named_by_its_part() {
        let dir = tempfile::tempdir().unwrap();
        let info = "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\n\
            CPU part\t: 0xd0c\n";
        write(dir.path(), "proc/cpuinfo", info);
        let e = machine(dir.path(), "aarch64");
        assert_eq!(e.device, "aarch64 0x41/0x3/0xd0c");
        assert_eq!(e.stable["cpu.cores"], "1");
    }
}
