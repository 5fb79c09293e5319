//! mcProfiler of MetaX: where it is, how it is started, and what came of it.
//!
//! It must run in its own folder, speaks to a service on a local port, and runs the program several
//! times, once for each batch of counters. The program may be started by that service, so that
//! nothing is left to inheritance: a script holds its whole environment and its folder.

mod home;
mod said;
mod script;

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::campaign::ProfileSpec;
use assay_core::record::FailureKind;

use super::{Ask, GpuProfiled, failed, left, name, read};
use crate::process::{self, CommandLine, Env, Limits, Program};
use crate::{Cancel, ExecError};

pub use home::{Home, Missing, find};
use said::Said;

/// What it calls the raw counters that it writes.
const CASE: &str = "assay";

/// Where its reports go, below the folder of the stage.
const OUTPUT: &str = "output";

/// Time that it gets to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// The port that it takes when none is named.
pub const PORT: u16 = 50123;

/// Its service, which an aborted run may leave behind.
pub const SERVICE: &str = "profiler_server";

/// Why it cannot be used here.
pub fn missing(lookup: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
    find(lookup).err().map(|missing| missing.to_string())
}

/// The line that it prints about its version.
pub fn version(home: &Home, env: &Env, cancel: &Cancel) -> Option<String> {
    let argv = vec![
        home.program.to_string_lossy().into_owned(),
        "version".into(),
    ];
    let limits = Limits {
        timeout: Some(PATIENCE),
        ..Limits::default()
    };
    let program = Program::new(CommandLine::Exec(argv), &home.folder, without_proxies(env));
    let done = process::run(program.limits(limits).keep_stdout(1 << 16), cancel);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let line = said.lines().map(str::trim).find(|l| !l.is_empty());
    let line = line.filter(|_| done.outcome.ok())?;
    Some(assay_core::text::inert(line).into_owned())
}

/// Whether nobody listens on a local port.
pub fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Services of earlier runs that are still there, by their process numbers.
pub fn services() -> Vec<u32> {
    let mut out: Vec<u32> = (fs::read_dir("/proc").into_iter().flatten().flatten())
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            // The kernel keeps 15 characters of a name, which is all of this one.
            let name = fs::read_to_string(entry.path().join("comm")).ok()?;
            (name.trim() == SERVICE).then_some(pid)
        })
        .collect();
    out.sort_unstable();
    out
}

/// The port to take: the one that was asked for, else a free one.
fn port(wanted: u16, notes: &mut Vec<String>) -> Result<u16, ExecError> {
    if is_free(wanted) {
        return Ok(wanted);
    }
    let free = free_port()?;
    notes.push(format!(
        "port {wanted} is in use, perhaps by a {SERVICE} of an aborted run{}; port {free} is taken",
        numbers(&services())
    ));
    Ok(free)
}

/// A port that nobody listens on at this moment.
fn free_port() -> Result<u16, ExecError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|l| l.local_addr());
    Ok(address
        .map_err(ExecError::system("find a free port"))?
        .port())
}

/// ` (process 12, 13)`; nothing where there are none.
fn numbers(pids: &[u32]) -> String {
    if pids.is_empty() {
        return String::new();
    }
    let all: Vec<String> = pids.iter().map(u32::to_string).collect();
    format!(" (process {})", all.join(", "))
}

/// Behind a proxy it waits for ever for a server that is on this host.
fn without_proxies(env: &Env) -> Env {
    let mut env = env.clone();
    env.retain(|name, _| !name.to_ascii_lowercase().ends_with("_proxy"));
    env
}

/// The command line.
fn words(home: &Home, ask: &Ask<'_>, port: u16, notes: &mut Vec<String>) -> Vec<String> {
    let how: &ProfileSpec = ask.how;
    let mut words = vec![home.program.to_string_lossy().into_owned()];
    let mut put = |more: &[&str]| words.extend(more.iter().map(|w| (*w).to_owned()));
    put(&["perf_exec", "--cmdline", "sh target.sh"]);
    put(&["--cwd", &ask.folder.to_string_lossy()]);
    put(&["--casename", CASE]);
    put(&["--output", &ask.folder.join(OUTPUT).to_string_lossy()]);
    put(&["--port", &port.to_string()]);
    put(&["--per-kernel"]);
    // This one is required and filters nothing; the next one does.
    put(&[
        "--kernelname",
        ask.kernels.first().map_or("all", String::as_str),
    ]);
    if ask.kernels.is_empty() {
        // A budget over launches would be spent on the kernels that make the inputs.
        put(&["--counts", "0"]);
        notes.push(
            "which kernels the program launches is not known from a generated source, so that all of them are counted: that takes long; add a source stage"
                .into(),
        );
    } else {
        put(&["--kernelnames"]);
        put(&ask.kernels.iter().map(String::as_str).collect::<Vec<_>>());
        put(&["--counts", &how.launch_count.unwrap_or(0).to_string()]);
    }
    if how.launch_skip > 0 {
        notes.push("mcProfiler passes over no launches: launch_skip has no effect".into());
    }
    if how.custom {
        put(&["--custom"]);
    }
    if how.single_pass {
        put(&["--single-pass"]);
        notes.push(
            "one pass: counters are inferred from sampled blocks, and several are known to be off by a factor of 100,000; `assay audit` tells which"
                .into(),
        );
    }
    if !how.metrics.is_empty() {
        put(&["--metrics"]);
        put(&how.metrics.iter().map(String::as_str).collect::<Vec<_>>());
    }
    words.extend(how.options.iter().cloned());
    words
}

/// Runs a command under it.
///
/// # Errors
/// When no pipe can be made, or the script cannot be written.
pub fn run(ask: &Ask<'_>) -> Result<GpuProfiled, ExecError> {
    let home = match find(ask.lookup) {
        Ok(home) => home,
        Err(why) => {
            return Ok(GpuProfiled {
                failure: Some(failed(FailureKind::Infra, why.to_string(), "")),
                ..GpuProfiled::default()
            });
        }
    };
    let mut notes = Vec::new();
    let env = without_proxies(&ask.job.env);
    if env.len() < ask.job.env.len() {
        notes.push("the proxies of the environment are left out: it would wait for ever".into());
    }
    let target = script::target(&ask.job.command, &ask.job.cwd, &env);
    let path = ask.folder.join("target.sh");
    fs::write(&path, target).map_err(ExecError::file("write the script", &path))?;
    let mut port = port(ask.how.port, &mut notes)?;
    let version = version(&home, &env, ask.cancel);
    let said_so_far = notes.len();
    let (command, finished) = loop {
        notes.truncate(said_so_far);
        let command = words(&home, ask, port, &mut notes);
        let program = CommandLine::Exec(command.clone());
        let program = Program::new(program, &home.folder, env.clone())
            .limits(ask.job.limits.clone())
            .log(&ask.job.log)
            .told_to(ask.progress);
        let finished = process::run(program, ask.cancel);
        let taken = !finished.outcome.ok() && finished.tail_text().contains(said::PORT_TAKEN);
        if !taken || port != ask.how.port {
            break (command, finished);
        }
        // Somebody else's service was quicker.
        port = free_port()?;
    };
    let log = String::from_utf8_lossy(&read(&ask.job.log, &mut notes)).into_owned();
    let said = Said::of(&log);
    notes.extend(said.notes());
    let files = reports(&ask.folder.join(OUTPUT));
    let mut out = GpuProfiled {
        failure: None,
        notes,
        raw: Vec::new(),
        left: Vec::new(),
        tool_version: version,
        command,
        seconds: finished.wall.as_secs_f64(),
    };
    out.failure = said.failure(&finished, &files, ask);
    match out.failure {
        None => {
            for path in files {
                out.raw.push((name(&path), read(&path, &mut out.notes)));
            }
        }
        Some(_) => out.left = left(&ask.folder.join(OUTPUT), &mut out.notes),
    }
    Ok(out)
}

/// The files of a report, those of kernels first, in the order of launches.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|e| e.path())
        .filter(|p| said::is_report(&name(p)) && p.is_file())
        .collect();
    found.sort_by_cached_key(|p| {
        let name = name(p);
        let launch = said::launch_of(&name);
        (launch.is_none(), launch, name)
    });
    found
}

#[cfg(test)]
mod tests;
