//! Measures what this machine can do, and keeps it as a device file.
//!
//! A small C program is compiled for this processor and run with the device locked. Its figures
//! become a device of the schema `assay.device/1` in the user's folder for data files, where they
//! are found like any other device.

pub(crate) mod convert;
mod file;
mod machine;
mod shown;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::Timestamp;
use assay_core::campaign::Command;
use assay_exec::Cancel;
use assay_exec::device::{DeviceLock, LockRequest};
use assay_exec::plan::StageEnv;
use assay_exec::process::{Env, Finished, Program, run};
use assay_exec::progress::Progress;
use assay_profile::device::{Device, Devices};
use serde::{Deserialize, Serialize};

use crate::data;
use crate::error::{AtPath, Error, Result};
use crate::workbench::Dirs;

use file::Context;
use machine::Machine;
pub use shown::view;

/// The program that measures.
const SOURCE: &str = include_str!("../../../kernels/calibrate/peaks.c");

/// The schema of what it prints.
const PEAKS: &str = "assay.peaks/1";

/// Name of the device whose lock is held: that of the CPU in campaigns.
const LOCK: &str = "cpu";

/// How long to wait for the device.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// How long the compiler and the program may take.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Flags for this processor, the most telling first: not every compiler knows the first.
const FLAGS: [&str; 3] = ["-march=native", "-mcpu=native", ""];

/// How thoroughly to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Bytes of each of three arrays; four times the last-level caches when not given.
    pub array_bytes: Option<u64>,
    /// Least time of one repetition, in milliseconds.
    pub least_ms: u32,
    /// Repetitions of each figure.
    pub repetitions: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            array_bytes: None,
            least_ms: 2,
            repetitions: 200,
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// Wait for the device when another uses it.
    pub wait: bool,
    /// How thoroughly.
    pub effort: Effort,
}

/// `assay calibrate`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibrated {
    /// `assay.calibrate/1`.
    pub schema: &'static str,
    /// Name of the device, for `--device`.
    pub device: String,
    /// What it is called.
    pub title: String,
    /// The file that was written.
    pub file: String,
    /// The compiler and its flags.
    pub compiler: String,
    /// Threads that were used at most.
    pub threads: u32,
    /// Bytes of each of the arrays whose transport was timed.
    pub array_bytes: u64,
    /// What was measured.
    pub peaks: Vec<Peak>,
    /// What speaks against the figures, and what to do.
    pub remarks: Vec<String>,
}

/// One figure that was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Peak {
    /// Name in the device file.
    pub name: String,
    /// Which of several of that name; may be empty.
    pub label: String,
    /// Unit.
    pub unit: &'static str,
    /// The best repetition.
    pub best: f64,
    /// The median repetition.
    pub median: f64,
    /// Repetitions.
    pub repetitions: u32,
    /// Threads.
    pub threads: u32,
}

/// What the program prints.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    schema: String,
    threads: u32,
    array_bytes: u64,
    vector_bits: u32,
    results: Vec<Measured>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    name: String,
    threads: u32,
    unit: String,
    best: f64,
    median: f64,
    repetitions: u32,
}

/// Measures the CPU and writes its device file.
///
/// # Errors
/// When there is no C compiler, the device is in use, or the file cannot be written.
pub fn cpu(
    dirs: &Dirs,
    request: &Request,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Calibrated> {
    let env = StageEnv::new(|name| std::env::var_os(name), &[]).vars();
    let machine = Machine::read(Path::new("/"));
    let folder = tempfile::tempdir()?;
    progress.stage("compile");
    let flag = compile(folder.path(), &env, cancel)?;
    let compiler = assay_exec::fingerprint::tool_version("cc", &["--version"], &env, cancel);
    let compiler = compiler.unwrap_or_else(|| "cc".into());
    let (array_bytes, mut remarks) = arrays(&machine, request.effort.array_bytes);
    let printed = {
        let _lock = lock(dirs, request.wait, progress, cancel)?;
        progress.stage("measure");
        measure(folder.path(), array_bytes, &request.effort, &env, cancel)?
    };
    let now = Timestamp::now();
    let context = Context {
        machine: &machine,
        printed: &printed,
        compiler: format!("{compiler}, -O3 {flag}").trim_end().to_owned(),
        date: now.strftime("%Y-%m-%d").to_string(),
    };
    let peaks = file::peaks(&printed)?;
    remarks.extend(file::doubts(&peaks));
    let text = context.device_file(&peaks)?;
    let name = machine.device_name();
    Devices::load([(name.as_str(), text.as_str())])
        .map_err(|e| Error::environment(format!("what was measured is no device: {e}")))?;
    let path = path(dirs, &name);
    write(&path, &text)?;
    Ok(Calibrated {
        schema: "assay.calibrate/1",
        device: name,
        title: machine.title(),
        file: path.display().to_string(),
        compiler: context.compiler,
        threads: printed.threads,
        array_bytes: printed.array_bytes,
        peaks,
        remarks,
    })
}

/// What was measured of this machine's CPU, if it was.
pub(crate) fn measured(dirs: &Dirs) -> Option<Device> {
    let name = Machine::read(Path::new("/")).device_name();
    let text = fs::read_to_string(path(dirs, &name)).ok()?;
    let devices = Devices::load([(name.as_str(), text.as_str())]).ok()?;
    devices.get(&name).cloned()
}

/// Where the file of a device of the user lies.
fn path(dirs: &Dirs, device: &str) -> PathBuf {
    let devices = dirs.data.join(data::FOLDER).join("devices");
    devices.join(format!("{device}.toml"))
}

/// Size of each array, well beyond the caches and within the memory; and what is wrong with it.
fn arrays(machine: &Machine, asked: Option<u64>) -> (u64, Vec<String>) {
    const LEAST: u64 = 64 << 20;
    if let Some(bytes) = asked {
        return (bytes, Vec::new());
    }
    let wanted = (machine.last_level_bytes() * 4).max(LEAST);
    // Three of them, and others want memory too.
    let most = machine.available_bytes.map_or(wanted, |b| b / 8);
    if wanted <= most {
        return (wanted, Vec::new());
    }
    let remark = format!(
        "the memory that is free allows arrays of {} MiB, and the caches ask for {} MiB: part of the bandwidth may be that of caches",
        most >> 20,
        wanted >> 20
    );
    (most, vec![remark])
}

fn lock(dirs: &Dirs, wait: bool, progress: &dyn Progress, cancel: &Cancel) -> Result<DeviceLock> {
    let user = std::env::var("USER").unwrap_or_else(|_| "somebody".into());
    let request = LockRequest {
        folder: &dirs.locks,
        device: LOCK,
        user: &user,
        what: "calibrate",
        wait: if wait { PATIENCE } else { Duration::ZERO },
    };
    let mut told = false;
    let on_wait = |holder: Option<&assay_exec::device::Holder>, _| {
        if !told {
            let who = holder.map_or_else(|| "another process".into(), ToString::to_string);
            progress.line(&format!("waiting for the device, in use by {who}"));
            told = true;
        }
    };
    Ok(DeviceLock::acquire(&request, cancel, on_wait)?)
}

/// Compiles the program; the flag for this processor that the compiler took.
fn compile(folder: &Path, env: &Env, cancel: &Cancel) -> Result<&'static str> {
    let source = folder.join("peaks.c");
    fs::write(&source, SOURCE).at(&source)?;
    let mut said = String::new();
    for flag in FLAGS {
        let mut argv = vec!["cc", "-O3", "-pthread", "-o", "peaks", "peaks.c"];
        if !flag.is_empty() {
            argv.push(flag);
        }
        let done = program(&argv, folder, env, cancel);
        if done.outcome.ok() {
            return Ok(flag);
        }
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        said = format!("{}\n{}", done.outcome.describe(), done.tail_text());
    }
    Err(Error::environment(format!(
        "the program that measures does not compile: {said}"
    ))
    .hint("install a C compiler (Debian: build-essential)"))
}

fn measure(
    folder: &Path,
    array_bytes: u64,
    effort: &Effort,
    env: &Env,
    cancel: &Cancel,
) -> Result<Printed> {
    let program_path = folder.join("peaks").display().to_string();
    let numbers = [
        array_bytes,
        u64::from(effort.least_ms),
        u64::from(effort.repetitions),
    ];
    let numbers = numbers.map(|n| n.to_string());
    let argv: Vec<&str> = std::iter::once(program_path.as_str())
        .chain(numbers.iter().map(String::as_str))
        .collect();
    let done = program(&argv, folder, env, cancel);
    if cancel.is_cancelled() {
        return Err(Error::cancelled());
    }
    if !done.outcome.ok() {
        return Err(Error::environment(format!(
            "the measurement: {}\n{}",
            done.outcome.describe(),
            done.tail_text()
        )));
    }
    parse(&done.stdout)
}

fn parse(stdout: &[u8]) -> Result<Printed> {
    let bad = |why: String| Error::environment(format!("the measurement printed {why}"));
    let printed: Printed =
        serde_json::from_slice(stdout).map_err(|e| bad(format!("no figures: {e}")))?;
    if printed.schema != PEAKS {
        return Err(bad(format!("schema `{}`", printed.schema)));
    }
    let is_sound = |m: &Measured| {
        [m.best, m.median].iter().all(|v| v.is_finite() && *v > 0.0) && m.best >= m.median
    };
    match printed.results.iter().find(|m| !is_sound(m)) {
        Some(m) => Err(bad(format!(
            "{} as {} at best and {} as median",
            m.name, m.best, m.median
        ))),
        None => Ok(printed),
    }
}

fn program(argv: &[&str], folder: &Path, env: &Env, cancel: &Cancel) -> Finished {
    let command = Command::Exec(argv.iter().map(|&a| a.to_owned()).collect());
    let program = Program::new(command, folder, env.clone())
        .timeout(TIMEOUT)
        .keep_stdout(1 << 20);
    run(program, cancel)
}

/// Writes a file in one step, so that nobody reads half of it.
fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).at(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).at(folder)?;
    file.write_all(text.as_bytes()).at(path)?;
    file.persist(path).map_err(|e| e.error).at(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
