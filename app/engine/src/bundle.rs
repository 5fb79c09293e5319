//! Bundles: a campaign in one file, with its report, records, samples, sources and profiles.
//!
//! A bundle is a compressed tar of one folder. That folder is a ledger in a plain folder, so that
//! every command that reads one works in it, with three things beside the records: the campaign
//! files of all pinned evaluators, the kernel files of each variant under `sources/`, and the
//! report under `report/`. `manifest.json` lists every file with its hash.

mod beside;
mod check;
mod sources;
mod unpack;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use assay_core::Sha256;
use assay_exec::Cancel;
use assay_ledger::ExportReport;
use assay_report::Lang;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::counters::digested::Digested;
use crate::error::{AtPath, Error, Result};
use crate::report::{Format, for_all, made_at, put};
use crate::workbench::Workbench;

pub(crate) use check::check;
pub use check::{BundleCheck, verify};

/// Schema of the manifest.
pub const MANIFEST_SCHEMA: &str = "assay.bundle/1";

/// Name of the manifest in a bundle.
pub const MANIFEST: &str = "manifest.json";

/// Where the report's figures are, one a row.
const FIGURES: &str = "report/report.csv";

/// Everything that the report is made of.
const MODEL: &str = "report/report.json";

/// What a bundle holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`MANIFEST_SCHEMA`].
    pub schema: String,
    /// Name of the campaign.
    pub campaign: String,
    /// When it was packed, RFC 3339.
    pub made_at: String,
    /// Program that packed it.
    pub tool: String,
    /// Variant that is the champion.
    pub champion: Option<String>,
    /// Variants of whose kernel files some are no plain files, and not packed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partly: Vec<String>,
    /// Every other file, sorted by path.
    pub files: Vec<Entry>,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Path in the bundle, with `/`.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Hash of its content.
    pub sha256: Sha256,
}

/// The outcome of packing.
#[derive(Debug, Clone, Serialize)]
pub struct Packed {
    /// `assay.export/1`.
    pub schema: &'static str,
    /// The bundle.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Hash of the whole file.
    pub sha256: Sha256,
    /// Files in it.
    pub files: usize,
    /// Records in it.
    pub records: usize,
    /// Blobs in it.
    pub blobs: usize,
    /// Large blobs that are not stored here and therefore not in it either.
    pub missing_blobs: usize,
    /// Variants whose kernel files are in it.
    pub sources: usize,
    /// What is not in it, and why.
    pub left_out: Vec<String>,
}

impl Workbench {
    /// Packs the campaign into one compressed tar file.
    ///
    /// The same ledger gives the same bytes but for the times in report and manifest, which
    /// `SOURCE_DATE_EPOCH` sets.
    ///
    /// # Errors
    /// When the file is there already or cannot be written, when the ledger cannot be read, and when
    /// cancelled; nothing is left behind then.
    pub fn bundle(&self, path: &Path, cancel: &Cancel) -> Result<Packed> {
        if path.symlink_metadata().is_ok() {
            return Err(
                Error::input(format!("{}: is there already", path.display()))
                    .hint("name a file that does not exist yet"),
            );
        }
        let parent = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let work = tempfile::Builder::new()
            .prefix(".assay-bundle")
            .tempdir_in(parent)
            .at(parent)?;
        let name = folder_name(&self.campaign);
        let root = work.path().join(&name);
        let exported = self.export(&root)?;
        stop(cancel)?;
        let mut left_out: Vec<String> = (exported.refused.iter())
            .map(|p| format!("{}: {}", p.path, p.detail))
            .collect();
        let sources = self.write_sources(&root, &mut left_out)?;
        stop(cancel)?;
        self.write_pages(&root.join("report"), cancel)?;
        let manifest = self.manifest(&root, sources.partly)?;
        let text =
            serde_json::to_vec_pretty(&manifest).map_err(|e| Error::environment(e.to_string()))?;
        fs::write(root.join(MANIFEST), &text).at(&root)?;
        stop(cancel)?;
        let mut packed = for_all(&mut tempfile::Builder::new())
            .tempfile_in(parent)
            .at(parent)?;
        pack(&root, &name, &manifest, packed.as_file_mut()).at(path)?;
        packed.as_file().sync_all().at(path)?;
        let bytes = packed.as_file().metadata().at(path)?.len();
        let sha256 = hash_of(packed.path()).at(packed.path())?;
        stop(cancel)?;
        packed
            .persist_noclobber(path)
            .map_err(|e| e.error)
            .at(path)?;
        let ExportReport {
            records,
            blobs,
            missing_blobs,
            ..
        } = exported;
        Ok(Packed {
            schema: "assay.export/1",
            path: path.display().to_string(),
            bytes,
            sha256,
            files: manifest.files.len() + 1,
            records,
            blobs,
            missing_blobs,
            sources: sources.variants,
            left_out,
        })
    }

    /// Writes the report in every form that a bundle has, all of one state of the ledger.
    fn write_pages(&self, folder: &Path, cancel: &Cancel) -> Result<()> {
        let model = self.report_model()?;
        for (name, format, lang) in pages() {
            stop(cancel)?;
            put(folder, &name, &self.written(&model, format, lang)?)?;
        }
        Ok(())
    }

    fn manifest(&self, root: &Path, partly: Vec<String>) -> Result<Manifest> {
        let mut files = Vec::new();
        for path in unpack::files_below(root).at(root)? {
            let full = root.join(&path);
            files.push(Entry {
                bytes: full.metadata().at(&full)?.len(),
                sha256: hash_of(&full).at(&full)?,
                path,
            });
        }
        Ok(Manifest {
            schema: MANIFEST_SCHEMA.into(),
            campaign: self.campaign.clone(),
            made_at: made_at()?,
            tool: format!("assay {}", env!("CARGO_PKG_VERSION")),
            champion: self.list()?.champion,
            partly,
            files,
        })
    }
}

/// Files of the report in a bundle.
fn pages() -> impl Iterator<Item = (String, Format, Lang)> {
    let words = Lang::ALL.into_iter().flat_map(|lang| {
        let forms = [Format::Markdown, Format::Html];
        forms.map(|f| (format!("report.{}.{}", lang.name(), f.ending()), f, lang))
    });
    let figures = [Format::Csv, Format::Json];
    let figures = figures.map(|f| (format!("report.{}", f.ending()), f, Lang::En));
    words.chain(figures)
}

fn stop(cancel: &Cancel) -> Result<()> {
    match cancel.is_cancelled() {
        true => Err(Error::cancelled()),
        false => Ok(()),
    }
}

/// A path that stays below the folder that it is joined to.
fn safe(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let normal = path.components().all(|c| matches!(c, Component::Normal(_)));
    (normal && path.components().next().is_some()).then(|| path.to_owned())
}

/// Name of the folder in a bundle.
fn folder_name(campaign: &str) -> String {
    let mut name: String = (campaign.chars())
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
            _ => '-',
        })
        .take(80)
        .collect();
    if name.is_empty() {
        name.push_str("campaign");
    }
    name
}

/// The manifest first, so that a reader knows at once what should follow.
fn pack(root: &Path, name: &str, manifest: &Manifest, to: &mut File) -> std::io::Result<()> {
    let zip = GzEncoder::new(BufWriter::new(to), Compression::default());
    let mut tar = tar::Builder::new(zip);
    let paths = std::iter::once(MANIFEST).chain(manifest.files.iter().map(|f| f.path.as_str()));
    for path in paths {
        let mut file = File::open(root.join(path))?;
        let mut header = tar::Header::new_gnu();
        let about = file.metadata()?;
        header.set_size(about.len());
        // Whether a kernel file can be run is a part of what was measured.
        header.set_mode(match sources::is_program(&about) {
            true => 0o755,
            false => 0o644,
        });
        header.set_mtime(0);
        tar.append_data(&mut header, format!("{name}/{path}"), &mut file)?;
    }
    let mut buffer = tar.into_inner()?.finish()?;
    buffer.flush()
}

fn hash_of(path: &Path) -> std::io::Result<Sha256> {
    Digested::new(File::open(path)?).finish()
}
