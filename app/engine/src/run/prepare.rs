//! Getting ready: what is shared by all runs of a request, and one subject with its files in place.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use assay_core::campaign::{
    Baseline, Campaign, Command, Device, Params, StageSpec, VARIANT_FILE, VariantFile,
};
use assay_core::fold::{State, resolve_name};
use assay_core::record::{ContentKey, Environment, Evaluator, Role, Stage, Subject};
use assay_core::{RecordId, Sha256, json};
use assay_exec::Cancel;
use assay_exec::fingerprint;
use assay_exec::plan::{StageEnv, SubjectSpec, WorkloadSpec};
use assay_exec::process::{Limits, Program, run};
use assay_exec::progress::Progress;
use assay_ledger::{CommitId, Lease, Pool, Prepare};

use super::Request;
use super::control::Controlled;
use super::device::Watcher;
use super::folder::Folder;
use crate::error::{Error, Result};
use crate::workbench::{Workbench, join};
use crate::{figures, verify};

/// Bytes of a program's log that are kept, of its head and its tail: a log is a blob of the ledger.
const LOG_KEPT: u64 = 512 << 10;

/// What is shared by all runs of a request.
pub struct Session<'a> {
    pub bench: &'a Workbench,
    pub config: &'a Campaign,
    pub pin: &'a Evaluator,
    pub request: &'a Request,
    pub progress: &'a dyn Progress,
    pub cancel: &'a Cancel,
    pub environment: Environment,
    pub device: Sha256,
    toolchain: Sha256,
    pool: Pool,
    env: StageEnv,
    /// Watches the device, for all processes of the session.
    pub(super) watcher: Watcher,
    /// The kind of device of the target.
    pub kind: Device,
    /// What the control kernel read, once it was measured.
    pub(super) control: RefCell<Option<Controlled>>,
    available: RefCell<BTreeMap<String, bool>>,
    warned: RefCell<Vec<String>>,
    /// Calibrations that were computed again, and why one is not believed.
    calibrations: RefCell<BTreeMap<RecordId, Option<String>>>,
}

/// Hash of what a variant is built with on a target: part of the key of its evidence.
pub fn recipe(command: &Command, settings: &VariantFile, target: &str) -> Result<Sha256> {
    Ok(json::digest(&(
        command,
        &settings.flags,
        &settings.params,
        target,
    ))?)
}

/// What stands for the content of a baseline: its name, and the evaluator that holds its files.
pub fn baseline_content(name: &str, evaluator: Sha256) -> Sha256 {
    Sha256::of_parts(["baseline", name, &evaluator.to_string()])
}

/// One subject with its files in place.
pub struct Prepared {
    /// Identity and evidence key.
    pub subject: Subject,
    /// The campaign folder of its work tree.
    pub source: PathBuf,
    /// Its build folder; a fresh one until a complete one of the same content is taken instead.
    pub build: Folder,
    /// The command that builds it.
    pub command: Command,
    /// Its flags and parameters.
    pub settings: VariantFile,
    /// Protected files that the variant changed; the evaluator's were used.
    pub touched: Vec<String>,
    /// Holds the work tree.
    _lease: Lease,
}

/// What a subject is made of.
struct Wanted<'a> {
    name: &'a str,
    role: Role,
    /// Where its kernel is taken from.
    commit: CommitId,
    kernel: Sha256,
    command: Command,
    touched: Vec<String>,
    /// Files beside the kernel that come from the same commit.
    more: &'a [String],
}

impl<'a> Session<'a> {
    pub fn open(
        bench: &'a Workbench,
        request: &'a Request,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> Result<Self> {
        let config = bench.config()?;
        if !config.targets.contains_key(&request.target) {
            let known: Vec<&str> = config.targets.keys().map(String::as_str).collect();
            return Err(
                Error::input(format!("no target `{}` in assay.toml", request.target))
                    .hint(format!("there is {}", known.join(", "))),
            );
        }
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let env = StageEnv::new(|name| std::env::var_os(name), &config.env_pass)
            .target(&request.target, jobs);
        let target = config.targets.get(&request.target);
        let kind = target.map_or(Device::Cpu, |t| t.device);
        let (environment, watcher) = Watcher::new(target, &env.vars(), progress, cancel);
        watcher
            .problem
            .iter()
            .chain(&watcher.warning)
            .for_each(|why| {
                progress.line(&format!("warning: {why}"));
            });
        Ok(Self {
            bench,
            config,
            pin: bench.evaluator()?,
            request,
            progress,
            cancel,
            device: fingerprint::device_hash(&environment),
            toolchain: fingerprint::toolchain_hash(&environment),
            environment,
            pool: bench.pool()?,
            env,
            watcher,
            kind,
            control: RefCell::default(),
            available: RefCell::default(),
            warned: RefCell::default(),
            calibrations: RefCell::default(),
        })
    }

    /// Why the figures of a calibration are not believed, if they do not come out of its samples again.
    pub fn forged(&self, state: &State, id: RecordId) -> Option<String> {
        let known = self.calibrations.borrow().get(&id).cloned();
        known.unwrap_or_else(|| {
            let told = figures::again(self.bench, state, state.get(id).into_iter());
            let why = told.into_iter().find_map(|(_, told)| match told {
                Ok(figures) => verify::problem(&figures),
                Err(why) => Some(why),
            });
            self.calibrations.borrow_mut().insert(id, why.clone());
            why
        })
    }

    /// Tells warnings before time is spent, each once for all runs of the request.
    pub fn warn(&self, warnings: &[String]) {
        let mut said = self.warned.borrow_mut();
        for w in warnings {
            if !said.contains(w) {
                self.progress.line(&format!("warning: {w}"));
                said.push(w.clone());
            }
        }
    }

    /// Whether the campaign has this stage.
    pub fn has(&self, stage: Stage) -> bool {
        let spec = self.config.stage(&self.request.target, stage);
        // Where counters are only imported there is a table `[profile]` and nothing to run.
        spec.is_some_and(|s| stage != Stage::Profile || s.command.is_some())
    }

    /// The stage as declared.
    pub fn stage(&self, stage: Stage) -> Result<&'a StageSpec> {
        self.config
            .stage(&self.request.target, stage)
            .ok_or_else(|| Error::input(format!("the campaign has no stage `{}`", stage.name())))
    }

    /// Limits of one program of a stage.
    pub fn limits(&self, stage: Stage) -> Result<Limits> {
        let timeout = Duration::from_nanos(self.stage(stage)?.timeout_ns);
        Ok(Limits {
            timeout: Some(timeout),
            log_kept: LOG_KEPT,
            ..Limits::default()
        })
    }

    /// Whether a baseline can be had on this machine.
    pub fn baseline_available(&self, baseline: &Baseline) -> Result<bool> {
        let Some(command) = &baseline.requires else {
            return Ok(true);
        };
        if let Some(known) = self.available.borrow().get(&baseline.name) {
            return Ok(*known);
        }
        let prepared = self.baseline(baseline)?;
        let program = Program::new(
            command.clone(),
            &prepared.source,
            self.env_of(&prepared).vars(),
        )
        .timeout(Duration::from_secs(30));
        let there = run(program, self.cancel).outcome.ok();
        self.available
            .borrow_mut()
            .insert(baseline.name.clone(), there);
        Ok(there)
    }

    /// A variant at a commit: the tip of its branch, or what was accepted of the champion.
    pub fn variant(&self, name: &str, commit: CommitId) -> Result<Prepared> {
        self.prepare(Wanted {
            touched: self.bench.touched(name, commit)?,
            ..self.kernel(name, commit)?
        })
    }

    /// Kernel content at a commit that is no variant's, with further files that come from there.
    pub fn content(&self, name: &str, commit: CommitId, more: &[String]) -> Result<Prepared> {
        self.prepare(Wanted {
            more,
            ..self.kernel(name, commit)?
        })
    }

    fn kernel<'w>(&self, name: &'w str, commit: CommitId) -> Result<Wanted<'w>> {
        let command = self.stage(Stage::Build)?.command.clone();
        Ok(Wanted {
            name,
            role: Role::Variant,
            commit,
            kernel: self.bench.kernel_hash(commit)?,
            command: command.ok_or_else(|| Error::input("the build stage has no command"))?,
            touched: Vec::new(),
            more: &[],
        })
    }

    /// What is measured against, with its files in place: a baseline, or a variant as it stands.
    pub fn opponent(&self, state: &State, against: &str) -> Result<Prepared> {
        if let Some(b) = self.config.baselines.iter().find(|b| b.name == against) {
            return self.baseline(b);
        }
        let name = resolve_name(state, against).map_err(|e| Error::input(e.to_string()))?;
        self.variant(name, self.bench.standing_commit(state, name)?)
    }

    /// A baseline, whose files are the evaluator's.
    pub fn baseline(&self, b: &Baseline) -> Result<Prepared> {
        self.prepare(Wanted {
            name: &b.name,
            role: Role::Baseline,
            commit: self.bench.pinned()?,
            kernel: baseline_content(&b.name, self.pin.tree),
            command: b.build.clone(),
            touched: Vec::new(),
            more: &[],
        })
    }

    fn prepare(&self, wanted: Wanted<'_>) -> Result<Prepared> {
        let Wanted {
            name,
            role,
            commit,
            kernel,
            command,
            touched,
            more,
        } = wanted;
        let git = self.bench.git()?;
        let pinned = self.bench.pinned()?;
        let lease = self
            .pool
            .acquire(Duration::from_secs(3600), &format!("assay run {name}"))?;
        // All but what a variant may change comes from the pinned commit: a file that the evidence
        // key does not cover cannot have an effect.
        let source = lease.prepare(&Prepare {
            base: pinned,
            overlay: commit,
            folder: &git.folder,
            paths: &[&self.bench.variant_paths()?, more].concat(),
        })?;
        let settings = match role {
            Role::Variant => self.settings(&source)?,
            Role::Baseline => VariantFile::default(),
        };
        let recipe = recipe(&command, &settings, &self.request.target)?;
        let key = ContentKey {
            kernel,
            recipe,
            toolchain: self.toolchain,
            device: self.device,
            evaluator: self.pin.tree,
        };
        let folder = Sha256::of_parts(
            [kernel, recipe, self.toolchain, self.pin.tree].map(|h| h.to_string()),
        );
        let build = Folder::fresh(&self.bench.cache_dir()?.join("build").join(folder.short()))?;
        let commit = (role == Role::Variant).then(|| commit.to_string());
        Ok(Prepared {
            subject: Subject {
                name: name.to_owned(),
                role,
                commit,
                dirty: false,
                key,
            },
            source,
            build,
            command,
            settings,
            touched,
            _lease: lease,
        })
    }

    /// Reads `variant.toml`, beside `assay.toml` or in a kernel folder.
    fn settings(&self, source: &std::path::Path) -> Result<VariantFile> {
        let folders =
            std::iter::once("").chain(self.config.kernel.paths.iter().map(String::as_str));
        for folder in folders {
            let label = join(folder, VARIANT_FILE);
            let path = source.join(&label);
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    return VariantFile::parse(&text, &label, &self.config.params)
                        .map_err(|e| Error::input(e.to_string()));
                }
                Err(_) if !path.exists() => {}
                Err(e) => return Err(Error::input(format!("{label}: {e}"))),
            }
        }
        Ok(VariantFile::default())
    }

    /// The environment of a subject's programs: where things are, its flags and parameters.
    pub fn env_of(&self, p: &Prepared) -> StageEnv {
        let mut env = self
            .env
            .clone()
            .subject(&self.spec("", p))
            .set("ASSAY_FLAGS", p.settings.flags.as_str());
        for (name, value) in &p.settings.effective(&self.config.params) {
            let upper: String = name
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_uppercase()
                    } else {
                        '_'
                    }
                })
                .collect();
            env = env.set(&format!("ASSAY_PARAM_{upper}"), value.to_string());
        }
        env
    }

    /// The environment without any subject.
    pub fn env(&self) -> &StageEnv {
        &self.env
    }

    /// A subject as the harness is told about it; `slot` is `A-`, `B-` or nothing.
    pub fn spec(&self, slot: &str, p: &Prepared) -> SubjectSpec {
        let build = self.config.stage(&self.request.target, Stage::Build);
        SubjectSpec {
            id: format!("{slot}{}", p.subject.name),
            role: p.subject.role,
            folder: p.build.path.clone(),
            artefact: p
                .build
                .path
                .join(build.and_then(StageSpec::artefact).unwrap_or_default()),
            source: p.source.clone(),
        }
    }

    /// The workloads with the parameters of a subject.
    pub fn workloads(&self, p: &Prepared) -> Result<Vec<WorkloadSpec>> {
        let params: Params = p.settings.effective(&self.config.params);
        self.config
            .workloads
            .iter()
            .map(|w| {
                let r = self
                    .config
                    .resolve(w, &params)
                    .map_err(|e| Error::input(e.to_string()))?;
                Ok(WorkloadSpec::from(&r))
            })
            .collect()
    }
}
