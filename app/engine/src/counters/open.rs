//! Opens files, folders and standard input, and reads the reports in them, one after the other.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use assay_core::view::FileView;
use assay_core::{Sha256, Sha256Stream};
use assay_profile::formats::mcprofiler::name_by_path;
use assay_profile::{Format, Mapping, Profile, detect};

use super::group::{is_mcprofiler, read_group};
use super::ncu_rep;
use super::walk::walk;
use crate::Cancel;
use crate::error::{Error, Kind, Result};

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// The word for telling the format by content.
pub const AUTO: &str = "auto";

/// What is looked at to tell the format: a report may stand behind much output of the program.
const HEAD: u64 = 8 << 20;

/// What tells that a file of a folder is a picture or a program.
const GLANCE: u64 = 4 << 10;

/// What is read at once.
const WHOLE: u64 = 1 << 30;

/// The words for the formats.
pub const FORMATS: &[(&str, Format)] = &[
    ("mcprofiler-dumped", Format::McProfilerDumped),
    ("mcprofiler-txt-json", Format::McProfilerTxtJson),
    ("mcprofiler-txt", Format::McProfilerTxt),
    ("mcprofiler-csv", Format::McProfilerCsv),
    ("mcprofiler-hardware", Format::McProfilerHardware),
    ("ncu", Format::NsightCompute),
    ("cachegrind", Format::Cachegrind),
    ("callgrind", Format::Callgrind),
    ("perf-json", Format::PerfStatJson),
    ("perf-csv", Format::PerfStat),
    ("trace", Format::McTrace),
    ("rocprof", Format::Rocprof),
    ("resources", Format::Resources),
];

/// How reports are opened.
pub struct Opening<'a> {
    /// The format, instead of telling it by content.
    pub format: Option<Format>,
    /// Which part of the files is what, for formats that no reader knows.
    pub mapping: Option<&'a Mapping>,
    /// Ends the work between two files, and `ncu`.
    pub cancel: &'a Cancel,
}

/// What was opened.
#[derive(Debug, Default)]
pub struct Opened {
    /// The reports that were read.
    pub reports: Vec<OpenedReport>,
    /// The files that were looked at, and what became of each.
    pub files: Vec<FileView>,
    /// What could not be looked at.
    pub notices: Vec<String>,
    pub(super) failures: Vec<Error>,
}

/// One report that was read.
#[derive(Debug)]
pub struct OpenedReport {
    /// Where it was read from.
    pub path: String,
    /// What it says.
    pub profile: Profile,
    /// Whether it is what to look at: sums over all kernels are not, when each kernel has a report.
    pub is_main: bool,
}

/// What became of one file.
pub(super) enum Looked {
    /// A report.
    Read {
        profile: Box<Profile>,
        sha256: Sha256,
    },
    /// Part of an mcProfiler report, to be put together with others; or named like one.
    Part(Vec<u8>),
    /// None that can be read, and why.
    Failed(Error),
    /// No report, in a folder of reports.
    NotAReport,
}

/// Opens what the paths name: files, folders, or `-` for standard input.
///
/// # Errors
/// When a path does not exist, or nothing at all could be read: the error says what was seen.
pub fn open(paths: &[PathBuf], opening: &Opening<'_>) -> Result<Opened> {
    let mut out = Opened::default();
    for item in items(paths)? {
        match item {
            Item::Stdin => opening.single(Path::new(STDIN), &mut out),
            Item::Files(files) => opening.files(files, &mut out),
            Item::Folder(folder) => opening.folder(&folder, &mut out)?,
        }
        if opening.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
    }
    if out.reports.is_empty() {
        return Err(nothing(paths, &out));
    }
    Ok(out)
}

enum Item {
    Stdin,
    Folder(PathBuf),
    /// Files of one folder, which may belong together.
    Files(Vec<PathBuf>),
}

fn items(paths: &[PathBuf]) -> Result<Vec<Item>> {
    let mut items: Vec<Item> = Vec::new();
    for path in paths {
        if path.as_os_str() == STDIN {
            items.push(Item::Stdin);
            continue;
        }
        let kind =
            fs::metadata(path).map_err(|e| Error::input(format!("{}: {e}", path.display())))?;
        if kind.is_dir() {
            items.push(Item::Folder(path.clone()));
            continue;
        }
        let beside = items.iter_mut().find_map(|i| match i {
            Item::Files(files) => {
                let same = files.first().is_some_and(|f| f.parent() == path.parent());
                same.then_some(files)
            }
            _ => None,
        });
        match beside {
            Some(files) if !files.contains(path) => files.push(path.clone()),
            Some(_) => {}
            None => items.push(Item::Files(vec![path.clone()])),
        }
    }
    Ok(items)
}

impl Opening<'_> {
    /// Files that were named: flavours of one mcProfiler report are put together.
    fn files(&self, files: Vec<PathBuf>, out: &mut Opened) {
        let is_part = |path: &PathBuf| {
            let head = File::open(path).and_then(|f| bounded(f, HEAD));
            head.is_ok_and(|h| detect(&h).is_some_and(is_mcprofiler))
        };
        let chosen = self.mapping.is_some() || self.format.is_some();
        let parts = match files.len() {
            1 => 0,
            _ if chosen => 0,
            _ => files
                .iter()
                .filter(|p| is_regular(p) && is_part(p))
                .take(2)
                .count(),
        };
        if parts < 2 {
            files.iter().for_each(|f| self.single(f, out));
        } else {
            read_group(self, files, true, out);
        }
    }

    fn folder(&self, folder: &Path, out: &mut Opened) -> Result<()> {
        let walked = walk(folder)?;
        out.notices.extend(walked.notices);
        for left in walked.left_out {
            out.files.push(FileView {
                path: left.path.display().to_string(),
                outcome: if left.is_fault {
                    "unreadable"
                } else {
                    "not_used"
                }
                .into(),
                detail: left.why,
                counters: 0,
                sha256: None,
            });
        }
        read_group(self, walked.files, false, out);
        Ok(())
    }

    /// One file that was named, or standard input.
    fn single(&self, path: &Path, out: &mut Opened) {
        if self.cancel.is_cancelled() {
            return;
        }
        let shown = path.display().to_string();
        match self.look(path, true, false) {
            Looked::Read {
                mut profile,
                sha256,
            } => {
                name_by_path(&mut profile, &shown);
                out.files.push(read(&shown, &profile, sha256));
                out.reports.push(OpenedReport {
                    path: shown,
                    profile: *profile,
                    is_main: true,
                });
            }
            Looked::Failed(e) => out.fail(shown, e),
            // A named file that is looked at alone is one or the other.
            Looked::Part(_) | Looked::NotAReport => {}
        }
    }

    /// Reads one file. `named` says that the user asked for it; `in_group` that parts of mcProfiler
    /// reports are put together later.
    pub(super) fn look(&self, path: &Path, named: bool, in_group: bool) -> Looked {
        let shown = path.display();
        let failed = |e: io::Error| Looked::Failed(Error::input(format!("{shown}: {e}")));
        let mut source: Box<dyn Read> = if path.as_os_str() == STDIN {
            Box::new(io::stdin())
        } else {
            match File::open(path) {
                Ok(file) => Box::new(file),
                Err(e) => return failed(e),
            }
        };
        let mut bytes = match bounded(&mut source, GLANCE) {
            Ok(head) => head,
            Err(e) => return failed(e),
        };
        if !named && is_other(path, &bytes) {
            return Looked::NotAReport;
        }
        if let Err(e) = (&mut source).take(HEAD - GLANCE).read_to_end(&mut bytes) {
            return failed(e);
        }
        if self.mapping.is_none()
            && self.format.is_none_or(|f| f == Format::NsightCompute)
            && ncu_rep::is_one(path, &bytes)
        {
            return self.binary(path);
        }
        let format = match (self.mapping, self.format) {
            (Some(_), _) => None,
            (None, Some(f)) if named || f.matches(&bytes) => Some(f),
            (None, Some(_)) => return Looked::NotAReport,
            (None, None) => match detect(&bytes) {
                Some(f) => Some(f),
                None if named => return Looked::Failed(unknown(&shown.to_string(), &bytes)),
                None if in_group => return Looked::Part(bytes),
                None => return Looked::NotAReport,
            },
        };
        let is_part = in_group && format.is_some_and(is_mcprofiler) && self.format.is_none();
        if let Some(format) = format.filter(|f| f.is_streamed() && !is_part)
            && bytes.len() as u64 == HEAD
        {
            return streamed(format, &shown.to_string(), bytes, source);
        }
        if let Err(e) = rest(&mut source, &mut bytes) {
            return failed(e);
        }
        if bytes.len() as u64 > WHOLE {
            return Looked::Failed(
                Error::input(format!(
                    "{shown}: more than {} MiB, which is what is read at once of {}",
                    WHOLE >> 20,
                    format.map_or("a mapped file", Format::name)
                ))
                .hint("let the profiler write fewer launches or sections, or cut the file"),
            );
        }
        if is_part {
            return Looked::Part(bytes);
        }
        let parsed = match (self.mapping, format) {
            (Some(mapping), _) => mapping.parse(&bytes),
            (None, Some(format)) => format.parse(&bytes),
            (None, None) => assay_profile::parse(&bytes),
        };
        match parsed {
            Ok(profile) => Looked::Read {
                sha256: Sha256::of(&bytes),
                profile: Box::new(profile),
            },
            Err(e) => Looked::Failed(Error::input(format!("{shown}: {e}"))),
        }
    }

    /// A binary report, as `ncu` prints it.
    fn binary(&self, path: &Path) -> Looked {
        let printed = ncu_rep::print(path, self.cancel);
        let read = printed.and_then(|csv| {
            Format::NsightCompute
                .parse(&csv)
                .map_err(|e| Error::input(format!("{}, as ncu prints it: {e}", path.display())))
        });
        let whole = File::open(path).and_then(digest);
        match (read, whole) {
            (Ok(mut profile), Ok(sha256)) => {
                profile.flavour = "ncu-rep".into();
                Looked::Read {
                    profile: Box::new(profile),
                    sha256,
                }
            }
            (Err(e), _) => Looked::Failed(e),
            (_, Err(e)) => Looked::Failed(Error::input(format!("{}: {e}", path.display()))),
        }
    }
}

impl Opened {
    pub(super) fn fail(&mut self, path: String, e: Error) {
        let detail = e.message.strip_prefix(&format!("{path}: "));
        self.files.push(FileView {
            detail: detail.unwrap_or(&e.message).to_owned(),
            path,
            outcome: "unreadable".into(),
            counters: 0,
            sha256: None,
        });
        self.failures.push(e);
    }
}

/// The entry of a file that was read.
pub(super) fn read(path: &str, profile: &Profile, sha256: Sha256) -> FileView {
    FileView {
        path: path.to_owned(),
        outcome: "read".into(),
        detail: format!("{} {}", profile.tool, profile.flavour),
        counters: profile.launches.iter().map(|l| l.iter().count()).sum(),
        sha256: Some(sha256.to_string()),
    }
}

/// At most so many bytes.
fn bounded(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What comes behind the beginning; one byte more than is allowed, if there is that much.
fn rest(source: &mut dyn Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    if (bytes.len() as u64) < HEAD {
        return Ok(());
    }
    source.take(WHOLE + 1 - HEAD).read_to_end(bytes)?;
    Ok(())
}

/// A source whose content is digested on its way.
struct Digested<R> {
    source: R,
    stream: Sha256Stream,
}

impl<R: Read> Digested<R> {
    fn new(source: R) -> Self {
        Self {
            source,
            stream: Sha256Stream::default(),
        }
    }

    /// The digest of all of it: what nobody asked for yet is read now.
    fn finish(mut self) -> io::Result<Sha256> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(self.stream.finish())
    }
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(piece)?;
        self.stream.update(piece.get(..n).unwrap_or_default());
        Ok(n)
    }
}

fn digest(file: File) -> io::Result<Sha256> {
    Digested::new(file).finish()
}

/// Reads a large file as it comes.
fn streamed(format: Format, shown: &str, head: Vec<u8>, rest: Box<dyn Read>) -> Looked {
    let mut source = Digested::new(io::Cursor::new(head).chain(rest));
    let bad = |e: &dyn std::fmt::Display| Looked::Failed(Error::input(format!("{shown}: {e}")));
    match format.parse_reader(&mut source) {
        Some(Ok(profile)) => match source.finish() {
            Ok(sha256) => Looked::Read {
                profile: Box::new(profile),
                sha256,
            },
            Err(e) => bad(&e),
        },
        Some(Err(e)) => bad(&e),
        None => bad(&"cannot be read as it comes"),
    }
}

/// Whether a file in a folder is a picture, a program or the like, which no reader has to look at:
/// it has zero bytes, and is not called what text is called.
fn is_other(path: &Path, head: &[u8]) -> bool {
    let texts = ["json", "txt", "csv", "log", "out"];
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    head.contains(&0) && !texts.contains(&extension) && !ncu_rep::is_one(path, head)
}

/// Reading a pipe to tell what it holds would take it away.
fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file())
}

/// Why a file is none that a reader knows.
fn unknown(shown: &str, head: &[u8]) -> Error {
    if head.is_empty() {
        return Error::input(format!("{shown}: the file is empty"));
    }
    let why = match assay_profile::parse(head) {
        Err(e) => e.to_string(),
        Ok(_) => "the format is not certain".into(),
    };
    Error::input(format!("{shown}: {why}")).hint(
        "name the format with --format, or say with --mapping FILE which part of a CSV or JSON is what",
    )
}

/// Why nothing was read: the failure itself, or what was seen.
fn nothing(paths: &[PathBuf], out: &Opened) -> Error {
    const SHOWN: usize = 8;
    let kind = match out.failures.iter().all(|f| f.kind == Kind::Environment) {
        true if !out.failures.is_empty() => Kind::Environment,
        _ => Kind::Input,
    };
    if let ([_], [only]) = (out.files.as_slice(), out.failures.as_slice()) {
        return Error {
            kind,
            message: only.message.clone(),
            hint: only.hint.clone(),
        };
    }
    let given: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    let mut message = format!("no profiler report in {}", given.join(", "));
    match out.files.len() {
        0 => message.push_str(": there is no file in it"),
        n => message.push_str(&format!("; {n} files were looked at:")),
    }
    for f in out.files.iter().take(SHOWN) {
        let why = match f.detail.as_str() {
            "" => "no report",
            detail => detail,
        };
        message.push_str(&format!("\n  {}: {why}", f.path));
    }
    if out.files.len() > SHOWN {
        message.push_str(&format!("\n  and {} more", out.files.len() - SHOWN));
    }
    Error {
        kind,
        message,
        hint: out.failures.iter().find_map(|f| f.hint.clone()),
    }
}
