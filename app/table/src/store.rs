//! Files of the index: data first, then the manifest that names them, each by rename.
//!
//! The files of one state of the ledger carry its name, so that two programs that make the index
//! for the same state write the same, and a reader never sees a mixture of states.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use assay_core::Sha256;
use assay_core::fold::Contest;
use assay_core::record::Evaluator;
use assay_core::view::ChainView;

use crate::error::Result;

/// Version of the format; an index of another version is made again.
pub(crate) const FORMAT: u32 = 11;

/// The largest manifest that is read, in bytes.
const LARGEST_MANIFEST: u64 = 64 << 20;

/// Begins the names of files that are being written.
const UNFINISHED: &str = ".new-";

/// A data file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileMeta {
    pub name: String,
    pub bytes: u64,
    pub sha256: Sha256,
}

/// What stands above the rows of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub device: Option<String>,
    pub champion: Option<String>,
    pub contested: Vec<String>,
    /// The accepted steps to the champion.
    pub chain: Option<ChainView>,
    pub workloads: Vec<String>,
    pub baselines: Vec<String>,
    /// The evaluator pinned last.
    pub evaluator: Option<Evaluator>,
    /// Records that are not understood, or stand under an id already taken.
    pub unreadable: u64,
}

impl Head {
    /// Whose place a variant has to take.
    pub(crate) fn place(&self) -> Contest<'_> {
        match (&self.champion, self.contested.is_empty()) {
            (Some(name), _) => Contest::Held(name),
            (None, true) => Contest::Free,
            (None, false) => Contest::Contested,
        }
    }
}

/// One campaign in the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CampaignMeta {
    /// Number of rows.
    pub variants: usize,
    pub file: FileMeta,
    pub parts: FileMeta,
    pub head: Head,
}

/// What the index holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub format: u32,
    /// State of the ledger.
    pub ledger: String,
    /// Files of the ledger that are no records.
    pub unreadable: u64,
    pub records: FileMeta,
    pub campaigns: BTreeMap<String, CampaignMeta>,
}

/// The folder of the index.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    dir: PathBuf,
}

/// Name of the manifest for a state of the ledger.
fn manifest_name(ledger: &str) -> String {
    format!("{}.json", stem(ledger))
}

/// Begins the names of all files for a state of the ledger.
fn stem(ledger: &str) -> String {
    Sha256::of_parts([ledger.as_bytes(), &FORMAT.to_le_bytes()]).short()
}

impl Store {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.into() }
    }

    /// The manifest for this state; says why there is none.
    pub(crate) fn manifest(&self, ledger: &str) -> Result<Manifest, String> {
        let name = manifest_name(ledger);
        let path = self.dir.join(&name);
        match fs::metadata(&path) {
            Ok(m) if m.len() > LARGEST_MANIFEST => return Err(format!("{name} is too large")),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err("there is no index for this state of the ledger".into());
            }
            Err(e) => return Err(format!("{name} cannot be read: {e}")),
        }
        let text = fs::read(&path).map_err(|e| format!("{name} cannot be read: {e}"))?;
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|e| format!("{name} is broken: {e}"))?;
        if manifest.format != FORMAT {
            return Err(format!(
                "the index has format {}, not {FORMAT}",
                manifest.format
            ));
        }
        if manifest.ledger != ledger {
            return Err(format!("{name} is of another state of the ledger"));
        }
        Ok(manifest)
    }

    /// Manifests of other states, newest first: what an update can start from.
    pub(crate) fn others(&self) -> Vec<Manifest> {
        let mut found: Vec<(std::time::SystemTime, Manifest)> = self
            .files()
            .filter(|(_, name)| name.ends_with(".json"))
            .filter_map(|(path, name)| {
                let meta = fs::metadata(&path).ok()?;
                let small = meta.len() <= LARGEST_MANIFEST;
                let text = small.then(|| fs::read(&path).ok()).flatten()?;
                let m: Manifest = serde_json::from_slice(&text).ok()?;
                let ours = m.format == FORMAT && name == manifest_name(&m.ledger);
                ours.then_some((meta.modified().ok()?, m))
            })
            .collect();
        found.sort_by(|a, b| (b.0, &b.1.ledger).cmp(&(a.0, &a.1.ledger)));
        found.into_iter().map(|(_, m)| m).collect()
    }

    /// The folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether a data file of this size is there; says what is wrong otherwise.
    pub(crate) fn there(&self, meta: &FileMeta) -> Result<(), String> {
        self.path(meta).map(|_| ())
    }

    fn path(&self, meta: &FileMeta) -> Result<PathBuf, String> {
        let name = &meta.name;
        // The manifest is only a file: it must not lead out of the folder.
        if name.contains(['/', '\\']) || !name.ends_with(".arrow") {
            return Err(format!("the manifest names {name:?}"));
        }
        let path = self.dir.join(name);
        let found = fs::metadata(&path).map_err(|e| format!("{name} cannot be read: {e}"))?;
        match found.len() {
            bytes if bytes == meta.bytes => Ok(path),
            bytes => Err(format!("{name} has {bytes} bytes, not {}", meta.bytes)),
        }
    }

    /// Reads a data file and checks it; says what is wrong with it.
    pub(crate) fn read(&self, meta: &FileMeta) -> Result<DataFrame, String> {
        let (path, name) = (self.path(meta)?, &meta.name);
        let content = fs::read(&path).map_err(|e| format!("{name} cannot be read: {e}"))?;
        if Sha256::of(&content) != meta.sha256 {
            return Err(format!("the content of {name} was changed"));
        }
        IpcReader::new(Cursor::new(content))
            .finish()
            .map_err(|e| format!("{name} cannot be read: {e}"))
    }

    /// Writes a data frame beside the others and returns what the manifest says of it.
    pub(crate) fn write(&self, ledger: &str, what: &str, df: &DataFrame) -> io::Result<FileMeta> {
        let content = encode(df).map_err(io::Error::other)?;
        let sha256 = Sha256::of(&content);
        let meta = FileMeta {
            name: format!(
                "{}-{}-{}.arrow",
                stem(ledger),
                Sha256::of(what).short(),
                sha256.short()
            ),
            bytes: content.len() as u64,
            sha256,
        };
        self.replace(&meta.name, &content)?;
        Ok(meta)
    }

    /// Writes the manifest, then removes what belongs to other states of the ledger.
    ///
    /// Files of the same state stay, even if this manifest does not name them: another program may
    /// be about to write the manifest that does.
    pub(crate) fn commit(&self, manifest: &Manifest) -> io::Result<()> {
        let text = serde_json::to_vec(manifest)?;
        self.replace(&manifest_name(&manifest.ledger), &text)?;
        let keep = stem(&manifest.ledger);
        for (path, name) in self.files() {
            let ours = name.ends_with(".arrow") || name.ends_with(".json");
            let unfinished = name.starts_with(UNFINISHED) && is_left_over(&path);
            if (ours && !name.starts_with(&keep)) || unfinished {
                // Another program may have removed it first.
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = (PathBuf, String)> {
        (fs::read_dir(&self.dir).into_iter().flatten().flatten())
            .filter_map(|e| Some((e.path(), e.file_name().into_string().ok()?)))
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&self.dir)?;
        file.write_all(content)?;
        // No sync: a file that a crash leaves short fails its check and is made again.
        file.persist(self.dir.join(name)).map_err(|e| e.error)?;
        Ok(())
    }
}

/// Whether a file that was being written is so old that its program must have been killed.
fn is_left_over(path: &Path) -> bool {
    const LONG: Duration = Duration::from_secs(3600);
    (fs::metadata(path).and_then(|m| m.modified()).ok())
        .and_then(|t| t.elapsed().ok())
        .is_some_and(|age| age > LONG)
}

fn encode(df: &DataFrame) -> PolarsResult<Vec<u8>> {
    let mut df = df.clone();
    let mut out = Vec::new();
    // The oldest layout is plain offsets and bytes: any Arrow reader takes it, and text that a
    // filter left out does not stay in the file.
    IpcWriter::new(&mut out)
        .with_compat_level(CompatLevel::oldest())
        .with_parallel(false)
        .finish(&mut df)?;
    Ok(out)
}
