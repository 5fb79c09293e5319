//! Opens files, folders and standard input, and reads the reports in them, one after the other.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use assay_core::Sha256;
use assay_core::view::FileView;
use assay_profile::encoding::{is_utf16, unmarked_utf16, utf8};
use assay_profile::formats::mcprofiler::name_by_path;
use assay_profile::{Format, Mapping, Profile, detect, partly};

use super::digested::Digested;
use super::group::{is_mcprofiler, read_group};
use super::ncu_rep;
use super::refused::{nothing, unknown};
use super::walk::walk;
use crate::Cancel;
use crate::error::{Error, Result};
use crate::input::{self, STDIN, WHOLE};

/// The word for telling the format by content.
pub const AUTO: &str = "auto";

/// What is looked at to tell the format: a report may stand behind much output of the program.
const HEAD: u64 = 8 << 20;

/// What tells that a file of a folder is a picture or a program.
const GLANCE: u64 = 4 << 10;

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
    /// Ends the work between two files, the wait for content, and `ncu`.
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
    Part {
        bytes: Vec<u8>,
        sha256: Sha256,
        notice: Option<String>,
    },
    /// None that can be read, and why.
    Failed(Error),
    /// No report, in a folder of reports, and why.
    NotAReport(String),
}

/// Why a file of a folder is no report, where nothing more is known.
pub(super) const NO_REPORT: &str = "no report";

/// Why a file without content is none.
pub(super) const EMPTY: &str = "empty";

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
            let source = input::open(path, self.cancel).ok();
            let head = source.and_then(|f| bounded(f, HEAD).ok());
            head.is_some_and(|h| detect(&h).is_some_and(is_mcprofiler))
        };
        let chosen = self.mapping.is_some() || self.format.is_some();
        let parts = match files.len() {
            1 => 0,
            _ if chosen => 0,
            _ => (files.iter())
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
            Looked::Part { .. } | Looked::NotAReport(_) => {}
        }
    }

    /// Reads one file. `named` says that the user asked for it; `in_group` that parts of mcProfiler
    /// reports are put together later.
    pub(super) fn look(&self, path: &Path, named: bool, in_group: bool) -> Looked {
        let shown = path.display();
        let failed = |e: io::Error| Looked::Failed(input::failed(path, &e, self.cancel));
        let no_report = |why: &str| Looked::NotAReport(why.to_owned());
        let mut source: Box<dyn Read> = match input::open(path, self.cancel) {
            Ok(source) => Box::new(source),
            Err(e) => return Looked::Failed(e),
        };
        let mut bytes = match bounded(&mut source, GLANCE) {
            Ok(head) => head,
            Err(e) => return failed(e),
        };
        if !named && is_other(path, &bytes) {
            return no_report("no report: a binary file");
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
        let too_much = |format: Option<Format>| Looked::Failed(too_much(path, format));
        // UTF-16 is read as a whole and becomes UTF-8; the digest stays that of the file.
        let mut notice = None;
        let mut digest = None;
        if is_utf16(&bytes) {
            if let Err(e) = rest(&mut source, &mut bytes) {
                return failed(e);
            }
            if bytes.len() as u64 > WHOLE {
                return too_much(self.format);
            }
            digest = Some(Sha256::of(&bytes));
            let content = utf8(&bytes);
            notice = content.notice.map(str::to_owned);
            bytes = content.bytes.into_owned();
        } else if let Some(what) = unmarked_utf16(&bytes) {
            return match named {
                true => Looked::Failed(input::unmarked(path, what)),
                false => Looked::NotAReport(format!(
                    "no report: it seems to be {what} without a byte order mark"
                )),
            };
        }
        let format = match (self.mapping, self.format) {
            (Some(_), _) => None,
            (None, Some(f)) if named || f.matches(&bytes) => Some(f),
            (None, Some(_)) => return no_report("no report in the format that was asked for"),
            (None, None) => match detect(&bytes) {
                Some(f) => Some(f),
                None if named => return Looked::Failed(unknown(&shown.to_string(), &bytes)),
                None if in_group => {
                    return Looked::Part {
                        sha256: digest.unwrap_or_else(|| Sha256::of(&bytes)),
                        bytes,
                        notice,
                    };
                }
                None if bytes.is_empty() => return no_report(EMPTY),
                None => return no_report(NO_REPORT),
            },
        };
        let is_part = in_group && format.is_some_and(is_mcprofiler) && self.format.is_none();
        if let Some(format) = format.filter(|f| f.is_streamed() && !is_part)
            && digest.is_none()
            && bytes.len() as u64 == HEAD
        {
            return streamed(format, &shown.to_string(), bytes, source);
        }
        if digest.is_none()
            && let Err(e) = rest(&mut source, &mut bytes)
        {
            return failed(e);
        }
        if digest.is_none() && bytes.len() as u64 > WHOLE {
            return too_much(format);
        }
        let sha256 = digest.unwrap_or_else(|| Sha256::of(&bytes));
        if is_part {
            return Looked::Part {
                bytes,
                sha256,
                notice,
            };
        }
        let parsed = match (self.mapping, format) {
            (Some(mapping), _) => mapping.parse(&bytes),
            (None, Some(format)) => format.parse(&bytes),
            (None, None) => assay_profile::parse(&bytes),
        };
        match parsed {
            Ok(mut profile) => {
                profile.notices.extend(notice);
                Looked::Read {
                    sha256,
                    profile: Box::new(profile),
                }
            }
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
        let whole = input::open(path, self.cancel).and_then(|source| {
            let digest = Digested::new(source).finish();
            digest.map_err(|e| input::failed(path, &e, self.cancel))
        });
        match (read, whole) {
            (Ok(mut profile), Ok(sha256)) => {
                profile.flavour = "ncu-rep".into();
                Looked::Read {
                    profile: Box::new(profile),
                    sha256,
                }
            }
            (Err(e), _) | (_, Err(e)) => Looked::Failed(e),
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
        detail: how_much(
            &format!("{} {}", profile.tool, profile.flavour),
            &profile.notices,
        ),
        counters: profile.launches.iter().map(|l| l.iter().count()).sum(),
        sha256: Some(sha256.to_string()),
    }
}

/// What was read, and whether that was all.
pub(super) fn how_much(what: &str, notices: &[String]) -> String {
    match partly(notices) {
        None => what.to_owned(),
        Some(why) => format!("partly: {what}: {why}"),
    }
}

fn too_much(path: &Path, format: Option<Format>) -> Error {
    Error::input(format!(
        "{}: more than {} MiB, which is what is read at once of {}",
        path.display(),
        WHOLE >> 20,
        format.map_or("a mapped file", Format::name)
    ))
    .hint("let the profiler write fewer launches or sections, or cut the file")
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
    head.contains(&0)
        && !is_utf16(head)
        && !texts.contains(&extension)
        && !ncu_rep::is_one(path, head)
}

/// Reading a pipe to tell what it holds would take it away.
fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file())
}
