//! The profile stage: counters of one workload, apart from any timing.

use assay_core::campaign::{Device, ProfileSpec, ProfileTool};
use assay_core::record::{Failure, FailureKind, Profile, Stage};

use assay_exec::gpu_profile::{self, Ask, GpuProfiled, Tool};
use assay_exec::profile_cpu::{Choice, Profiler, run_profile};
use assay_exec::stage::StageJob;
use assay_ledger::Blob;

use super::{Running, Staged};
use crate::error::{Error, Kind};
use crate::profiles::{Meant, SINGLE_PASS, Taken, taken};

/// What takes the counters.
enum Taker {
    /// A tool of the host.
    Host(Choice),
    /// The profiler of the device.
    Device(Tool),
}

impl Running<'_> {
    pub(super) fn profile_stage(&mut self) -> Staged<()> {
        self.ensure_built()?;
        let spec = self.session.stage(Stage::Profile)?;
        let how = spec
            .profile()
            .ok_or_else(|| Error::input("the profile stage is not declared"))?;
        let mut workloads = self.session.workloads(&self.b)?;
        workloads.retain(|w| w.name == how.workload);
        let job = self.unpaired_job(Stage::Profile, workloads)?;
        match self.taker(how, &job) {
            Taker::Device(tool) => self.device_counters(tool, how, &job),
            Taker::Host(choice) => self.host_counters(&choice, how, &job),
        }
    }

    /// What takes the counters: what the campaign names, else what the target's device has.
    fn taker(&self, how: &ProfileSpec, job: &StageJob) -> Taker {
        let tool = match (how.tool, self.session.kind) {
            (ProfileTool::Ncu, _) => return Taker::Device(Tool::Ncu),
            (ProfileTool::McProfiler, _) => return Taker::Device(Tool::McProfiler),
            (ProfileTool::Cpu, _) | (ProfileTool::Auto, Device::Cpu) => {
                return Taker::Host(Choice::probe(&job.env, self.session.cancel));
            }
            (ProfileTool::Auto, Device::Cuda) => Tool::Ncu,
            (ProfileTool::Auto, Device::Metax) => Tool::McProfiler,
        };
        match tool.missing(&|name| lookup(job, name)) {
            None => Taker::Device(tool),
            // Counters of the host would say nothing about a kernel of the device.
            Some(why) => Taker::Host(Choice {
                profiler: Profiler::Static,
                reason: format!("{why}; only static counts are given"),
                version: None,
            }),
        }
    }

    /// Counters of the device's own profiler.
    fn device_counters(&mut self, tool: Tool, how: &ProfileSpec, job: &StageJob) -> Staged<()> {
        let folder = self.b.build.side("profile")?.join(REPORT);
        // Another measurement on the device would be disturbed, and would disturb what is counted.
        let lock = self
            .session
            .lock(&format!("profile {}", self.b.subject.name))?;
        if let Some(failure) = self.session.occupied_device(Stage::Profile) {
            return Ok(Err(failure));
        }
        let replays = match tool {
            Tool::Ncu => String::new(),
            Tool::McProfiler => {
                let limit = job.limits.timeout.unwrap_or_default().as_secs_f64();
                format!(
                    ", which runs the program once for each batch of counters; at most {limit} s"
                )
            }
        };
        self.say(&format!("taken by {}{replays}", tool.name()));
        let kernels = self.kernels_meant(how);
        let ask = Ask {
            how,
            job,
            folder: &folder,
            kernels: &kernels,
            lookup: &|name| lookup(job, name),
            cancel: self.session.cancel,
            progress: self.session.progress,
        };
        let done = gpu_profile::run(tool, &ask)?;
        drop(lock);
        for note in &done.notes {
            self.say(note);
        }
        if let Some(failure) = done.failure {
            if failure.kind != FailureKind::Cancelled {
                self.left = blobs(done.left);
            }
            return Ok(Err(failure));
        }
        self.file_report(tool, how, done)
    }

    /// Files what the profiler of a device gave.
    fn file_report(&mut self, tool: Tool, how: &ProfileSpec, done: GpuProfiled) -> Staged<()> {
        let files = blobs(done.raw);
        let Some((first, rest)) = files.split_first() else {
            return Ok(Err(refused(format!("{} left no file", tool.name()))));
        };
        let (run, subject) = (self.run, self.b.subject.clone());
        let draft = |tool: &str| Profile {
            files: rest.iter().map(Blob::reference).collect(),
            ..Profile::new(run, subject, &how.workload, tool, first.reference())
        };
        let meant = Meant {
            found: Some(&self.session.environment),
            ..Meant::by(Some(self.session.config), &self.session.request.target)
        };
        let Taken { record, notices } = match taken(&files, how, &meant, draft) {
            Ok(taken) => taken,
            Err(e) if e.kind == Kind::Cancelled => return Err(e),
            Err(e) => {
                let hint = e.hint.map_or_else(String::new, |h| format!("; {h}"));
                self.left = files;
                return Ok(Err(refused(format!("{}{hint}", e.message))));
            }
        };
        for notice in &notices {
            self.say(notice);
        }
        // What is inferred from a part of the device stays marked, whatever is said of it later.
        let flavour = match (tool, how.single_pass) {
            (Tool::McProfiler, true) => record
                .flavour
                .as_ref()
                .map(|f| format!("{f}, {SINGLE_PASS}")),
            _ => record.flavour.clone(),
        };
        self.keep(
            Profile {
                tool_version: done.tool_version.or(record.tool_version.clone()),
                flavour,
                ..record
            },
            &files,
        )
    }

    /// Counters of the host's processor, or of the generated source.
    fn host_counters(&mut self, choice: &Choice, how: &ProfileSpec, job: &StageJob) -> Staged<()> {
        self.say(&choice.reason);
        let folder = self.b.build.side("profile")?;
        let (cancel, progress) = (self.session.cancel, self.session.progress);
        let (parsed, raw, version) = match run_profile(choice, job, &folder, cancel, progress)? {
            Some(done) => {
                if let Some(f) = done.failure {
                    return Ok(Err(f));
                }
                for note in &done.notes {
                    self.say(note);
                }
                let parsed = assay_profile::parse(&done.raw)
                    .map_err(|e| Error::environment(e.to_string()))?;
                (parsed, Blob::new(done.raw_name, done.raw), done.version)
            }
            None => {
                let Some((source, text)) = &self.source else {
                    self.say("no counters and no generated source; left out");
                    return Ok(Ok(()));
                };
                let parsed =
                    assay_profile::formats::static_asm::from_facts(&source.facts, &source.language);
                (
                    parsed,
                    Blob::new("kernel.s", text.clone().into_bytes()),
                    None,
                )
            }
        };
        for notice in assay_profile::canonical_notices(&parsed) {
            self.say(&notice);
        }
        let (run, subject) = (self.run, self.b.subject.clone());
        let profile = Profile {
            tool_version: version.or_else(|| parsed.tool_version.clone()),
            flavour: Some(parsed.flavour.clone()),
            counters: assay_profile::canonical_figures(&parsed),
            ..Profile::new(
                run,
                subject,
                &how.workload,
                scope(&parsed.tool),
                raw.reference(),
            )
        };
        self.keep(profile, &[raw])
    }

    fn keep(&mut self, profile: Profile, files: &[Blob]) -> Staged<()> {
        self.append(profile.clone(), files)?;
        self.profile = Some(profile);
        Ok(Ok(()))
    }

    fn say(&self, text: &str) {
        self.session.progress.line(&format!("profile: {text}"));
    }
}

/// The folder of a device's report beside what the other tools leave.
const REPORT: &str = "report";

/// The environment of the stage, else that of Assay: where its tools are looked for.
fn lookup(job: &StageJob, name: &str) -> Option<std::ffi::OsString> {
    (job.env.get(name).cloned()).or_else(|| std::env::var_os(name))
}

/// Files of a report as they are kept.
fn blobs(files: Vec<(String, Vec<u8>)>) -> Vec<Blob> {
    let one = |(name, bytes)| Blob::new(name, bytes);
    files.into_iter().map(one).collect()
}

/// A report that cannot be used.
fn refused(what: String) -> Failure {
    Failure {
        kind: FailureKind::Infra,
        stage: Stage::Profile,
        message: format!("profile: {what}"),
        stderr_tail: String::new(),
    }
}

/// The tool, and that it counted all of the process: harness, inputs and one launch of the kernel.
fn scope(tool: &str) -> String {
    match tool {
        "static" => tool.to_owned(),
        tool => format!("{tool}, whole process"),
    }
}
