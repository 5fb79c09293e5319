//! The build stage, of the variant itself and of whatever it is measured against.

use std::fs;
use std::path::Path;
use std::time::Instant;

use assay_core::record::{Artefact, Build, Failure, FailureKind, Figure, NullGround, Stage};
use assay_core::{RecordId, Sha256};
use assay_exec::stage::{StageJob, run_plain};
use assay_ledger::Blob;
use assay_source::machine_code::machine_code;

use super::listing::listing;
use super::prepare::{Prepared, Session};
use super::{Running, Staged, nanos, resources};
use crate::error::{AtPath, Error, Result};

impl Running<'_> {
    pub(super) fn build_stage(&mut self) -> Staged<()> {
        let (mut build, blobs) = build(self.session, &self.b, self.run)?;
        if build.failure.is_none() && self.session.request.build_twice {
            self.first_source = self.source_of_first_build()?;
            let (second, _) = super::build::build(self.session, &self.b, self.run)?;
            let same = second.artefacts == build.artefacts;
            let value = f64::from(u8::from(same));
            build.resources.insert(
                "build.deterministic".into(),
                Figure {
                    value,
                    unit: "1".into(),
                },
            );
            if !same {
                self.session.progress.line(
                    "built twice with different output: code generation is not deterministic",
                );
            }
        }
        let failure = build.failure.clone();
        self.append(build.clone(), &blobs)?;
        self.build = Some(build);
        Ok(match failure {
            None => Ok(()),
            Some(f) => Err(f),
        })
    }
}

/// Builds a subject in its build folder.
pub fn build(session: &Session<'_>, p: &Prepared, run: RecordId) -> Result<(Build, Vec<Blob>)> {
    p.build.empty()?;
    let log = p.build.log("build");
    let mut job = StageJob::new(
        Stage::Build,
        p.command.clone(),
        &p.source,
        session.env_of(p).vars(),
        &log,
    );
    job.limits = session.limits(Stage::Build)?;
    let started = Instant::now();
    let (finished, failure) = run_plain(&job, session.cancel, session.progress);
    let artefact = session.spec("", p).artefact;
    let failure = failure.or_else(|| missing(&artefact));
    let log = Blob::new("build.log", read_log(&log));
    let resources = resources::of_log(&log.bytes);
    let mut build = Build {
        run,
        subject: p.subject.clone(),
        command: p.command.argv(),
        wall_ns: nanos(started),
        artefacts: Vec::new(),
        machine_code: None,
        sources: None,
        resources,
        log: log.reference(),
        failure,
    };
    if build.failure.is_none() {
        build.artefacts = artefacts(&p.build.path)?;
        let bytes = fs::read(&artefact).at(&artefact)?;
        build.sources = sources(p, &bytes);
        if let Ok(code) = machine_code(&bytes) {
            build.machine_code = Some(code.sha256);
            let bytes = Figure {
                value: code.code_bytes as f64,
                unit: "bytes".into(),
            };
            build.resources.insert("code_bytes".into(), bytes);
        }
        p.build.complete(&build.artefacts)?;
    }
    for problem in &finished.problems {
        session.progress.line(&format!("build: {problem}"));
    }
    Ok((build, vec![log]))
}

/// Makes sure that a subject is built: takes a complete build of the same content, or builds.
///
/// # Errors
/// When it does not build.
pub fn ensure(session: &Session<'_>, p: &mut Prepared) -> Result<()> {
    if !p.build.is_complete() && !p.build.take_complete()? {
        let (build, _) = build(session, p, RecordId::fresh(assay_core::Timestamp::now()))?;
        if let Some(f) = build.failure {
            return Err(Error::environment(format!(
                "{} does not build: {}\n{}",
                p.subject.name, f.message, f.stderr_tail
            ))
            .hint("measure against something else with --against, or mend it"));
        }
    }
    Ok(())
}

/// By what two subjects that are built run the same, if they do: the machine code of both, from one recipe;
/// or the generated sources that both artefacts list, compiled in this session and so by one toolchain.
///
/// # Errors
/// When an artefact cannot be read.
pub fn null_ground(
    session: &Session<'_>,
    a: &Prepared,
    b: &Prepared,
) -> Result<Option<NullGround>> {
    let (of_a, of_b) = (Code::of(session, a)?, Code::of(session, b)?);
    let (x, y) = (&a.subject.key, &b.subject.key);
    Ok(match of_a.shared(&of_b) {
        Some(NullGround::MachineCode) if x.recipe == y.recipe => Some(NullGround::MachineCode),
        _ if x.toolchain != y.toolchain => None,
        _ => same(of_a.sources, of_b.sources).then_some(NullGround::GeneratedSource),
    })
}

/// Whether two subjects that are built came to the same code, whatever they were built with.
///
/// # Errors
/// When an artefact cannot be read.
pub fn same_code(session: &Session<'_>, a: &Prepared, b: &Prepared) -> Result<bool> {
    let found = Code::of(session, a)?.shared(&Code::of(session, b)?);
    Ok(found.is_some())
}

/// What identifies the code of an artefact, as far as it can be read.
struct Code {
    machine: Option<Sha256>,
    sources: Option<Sha256>,
}

impl Code {
    fn of(session: &Session<'_>, p: &Prepared) -> Result<Self> {
        let artefact = session.spec("", p).artefact;
        let bytes = fs::read(&artefact).at(&artefact)?;
        Ok(Self {
            machine: machine_code(&bytes).ok().map(|c| c.sha256),
            sources: sources(p, &bytes),
        })
    }

    /// What both are known to have in common.
    fn shared(&self, other: &Self) -> Option<NullGround> {
        if same(self.machine, other.machine) {
            return Some(NullGround::MachineCode);
        }
        same(self.sources, other.sources).then_some(NullGround::GeneratedSource)
    }
}

/// Whether both are known, and equal.
fn same(a: Option<Sha256>, b: Option<Sha256>) -> bool {
    a.is_some() && a == b
}

/// Identity of the sources that an artefact lists, and of what they are compiled with. Parameters are not in
/// it: what they have an effect on is listed.
fn sources(p: &Prepared, artefact: &[u8]) -> Option<Sha256> {
    let listed = listing(artefact)?.to_string();
    let command = p.command.argv();
    let parts = [listed.as_str(), p.settings.flags.as_str()].into_iter();
    Some(Sha256::of_parts(
        parts.chain(command.iter().map(String::as_str)),
    ))
}

/// Puts a copy of what was built of one subject into the build folder of another one.
pub fn copy(from: &Prepared, to: &Prepared) -> Result<()> {
    to.build.empty()?;
    copy_folder(&from.build.path, &to.build.path)?;
    to.build.complete(&artefacts(&to.build.path)?)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).at(from)? {
        let source = entry.at(from)?.path();
        let target = to.join(source.file_name().unwrap_or_default());
        let kind = fs::symlink_metadata(&source).at(&source)?;
        if kind.is_dir() {
            fs::create_dir(&target).at(&target)?;
            copy_folder(&source, &target)?;
        } else if kind.is_symlink() {
            let link = fs::read_link(&source).at(&source)?;
            std::os::unix::fs::symlink(link, &target).at(&target)?;
        } else {
            fs::copy(&source, &target).at(&target)?;
        }
    }
    Ok(())
}

fn missing(artefact: &Path) -> Option<Failure> {
    (!artefact.is_file()).then(|| Failure {
        kind: FailureKind::Compile,
        stage: Stage::Build,
        message: format!(
            "the build ended well and did not make {}",
            artefact.file_name().unwrap_or_default().to_string_lossy()
        ),
        stderr_tail: String::new(),
    })
}

/// Regular files below a folder, with their hashes, in the order of their paths.
fn artefacts(folder: &Path) -> Result<Vec<Artefact>> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).at(&dir)? {
            let path = entry.at(&dir)?.path();
            let meta = fs::symlink_metadata(&path).at(&path)?;
            if meta.is_dir() {
                open.push(path);
            } else if meta.is_file()
                && let Some(name) = path.strip_prefix(folder).ok().and_then(Path::to_str)
                && !name.contains('\n')
            {
                let bytes = fs::read(&path).at(&path)?;
                out.push(Artefact {
                    path: name.to_owned(),
                    sha256: Sha256::of(&bytes),
                    bytes: bytes.len() as u64,
                });
            }
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

/// A log as far as it can be read; logs are bounded where they are written.
pub fn read_log(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_default()
}
