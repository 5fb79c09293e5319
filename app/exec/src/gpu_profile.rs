//! Counters of a device: running a command under the profiler of its maker.
//!
//! Each tool has a module with one function, which runs the command of a [`StageJob`] under it and
//! hands back the raw files as they are; reading them is the work of `assay-profile`. What the
//! program prints goes to the log of the job, what the tool prints to files of its own. The program
//! gets no channel to answer on: what it would say is no evidence here. Nothing that
//! was counted by half comes back as a report: it is a failure. Times of a profiled run are never
//! evidence of speed.

pub mod mcprofiler;
pub mod ncu;
mod ncu_said;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use assay_core::campaign::ProfileSpec;
use assay_core::record::{Failure, FailureKind, Stage};
use assay_core::text::inert;

use crate::progress::Progress;
use crate::stage::StageJob;
use crate::{Cancel, ExecError};

/// Bytes of one raw file that are read at most.
pub const RAW_MAX: u64 = 1 << 30;

/// A profiler of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Nsight Compute.
    Ncu,
    /// mcProfiler of MetaX.
    McProfiler,
}

impl Tool {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ncu => "Nsight Compute",
            Self::McProfiler => "mcProfiler",
        }
    }

    /// Why it cannot be used here, and what to do; `None` where it is installed.
    pub fn missing(self, lookup: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
        match self {
            Self::Ncu => ncu::missing(lookup),
            Self::McProfiler => mcprofiler::missing(lookup),
        }
    }
}

/// What is to be profiled, and how.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The keys of the campaign.
    pub how: &'a ProfileSpec,
    /// The program, with its environment, its time limit and its log.
    pub job: &'a StageJob,
    /// A scratch folder for this alone; what an earlier run left in it is removed.
    pub folder: &'a Path,
    /// Names of the kernels that are meant, as the generated source has them; empty where that is
    /// not known.
    pub kernels: &'a [String],
    /// Reads the environment of Assay itself, where the tool is looked for.
    pub lookup: &'a dyn Fn(&str) -> Option<OsString>,
    /// Ends it.
    pub cancel: &'a Cancel,
    /// Is told what the tool and the program print.
    pub progress: &'a dyn Progress,
}

/// What a profiled run gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuProfiled {
    /// Why there is no report, where there is none.
    pub failure: Option<Failure>,
    /// What people should know about it.
    pub notes: Vec<String>,
    /// Names and content of the files of the report, all as the tool wrote them, with the path below
    /// the folder of the report where it matters to readers.
    pub raw: Vec<(String, Vec<u8>)>,
    /// What it left where it failed, names and content, to be looked at and never to be used: a report by half,
    /// raw counters without a report.
    pub left: Vec<(String, Vec<u8>)>,
    /// The tool's version line.
    pub tool_version: Option<String>,
    /// The command as run, tool included.
    pub command: Vec<String>,
    /// Wall time of it in seconds: of the tool, never of the kernel.
    pub seconds: f64,
}

/// Runs a command under a profiler.
///
/// # Errors
/// When the folder cannot be used or no pipe can be made. What the tool and the program do is no
/// error: it is in the answer.
pub fn run(tool: Tool, ask: &Ask<'_>) -> Result<GpuProfiled, ExecError> {
    if let Some(why) = tool.missing(ask.lookup) {
        return Ok(GpuProfiled {
            failure: Some(failed(FailureKind::Infra, why, "")),
            ..GpuProfiled::default()
        });
    }
    match fs::remove_dir_all(ask.folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(ExecError::file("clear the folder", ask.folder)(e));
        }
        _ => {}
    }
    fs::create_dir_all(ask.folder).map_err(ExecError::file("make the folder", ask.folder))?;
    match tool {
        Tool::Ncu => ncu::run(ask),
        Tool::McProfiler => mcprofiler::run(ask),
    }
}

/// Bytes of all files together that are kept of a failed run.
const LEFT_MAX: u64 = 64 << 20;

/// What lies in a folder after a run that failed: regular files, the small ones first where not all fit.
/// Of those that do not, the notes tell.
fn left(folder: &Path, notes: &mut Vec<String>) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(u64, PathBuf)> = entries
        .filter_map(|e| {
            let meta = e.metadata().ok().filter(|m| m.is_file() && m.len() > 0)?;
            Some((meta.len(), e.path()))
        })
        .collect();
    files.sort();
    let (mut out, mut bytes, mut more) = (Vec::new(), 0, 0_u32);
    for (size, path) in files {
        bytes += size;
        match fs::read(&path) {
            Ok(content) if bytes <= LEFT_MAX => out.push((name(&path), content)),
            _ => more += 1,
        }
    }
    if more > 0 {
        notes.push(format!(
            "of what it left, {more} files are not kept: {} MiB is the most",
            LEFT_MAX >> 20
        ));
    }
    out
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The content of a file of a report; nothing where there is none, or it is too large to be one, of which
/// the notes tell.
fn read(path: &Path, notes: &mut Vec<String>) -> Vec<u8> {
    match fs::metadata(path) {
        Ok(m) if m.is_file() && m.len() > RAW_MAX => {
            notes.push(format!(
                "{} has {} bytes and is not kept: {RAW_MAX} is the most",
                inert(&name(path)),
                m.len()
            ));
            Vec::new()
        }
        Ok(m) if m.is_file() => fs::read(path).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A failure of the profile stage; `said` is what the tool or the program printed about it.
pub(crate) fn failed(kind: FailureKind, message: impl Into<String>, said: &str) -> Failure {
    Failure {
        kind,
        stage: Stage::Profile,
        message: format!("profile: {}", message.into()),
        stderr_tail: said.to_owned(),
    }
}
