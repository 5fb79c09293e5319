//! Content-addressed files, and the references that records hold to them.

use std::fs;
use std::path::{Path, PathBuf};

use assay_core::record::BlobRef;
use assay_core::{Record, Sha256};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::fsio::Staged;

/// Blobs above this size in bytes are kept beside the git objects, not in them.
pub const LARGE_BLOB: usize = 1 << 20;

/// Content to be stored with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// What it is, e.g. `log` or `samples.jsonl`.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Blob {
    /// A blob of that name and content.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
        }
    }

    /// How a record refers to it.
    pub fn reference(&self) -> BlobRef {
        BlobRef {
            sha256: Sha256::of(&self.bytes),
            bytes: self.bytes.len() as u64,
            name: self.name.clone(),
        }
    }
}

/// What is known of a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobState {
    /// The content, checked against its hash.
    Here(Vec<u8>),
    /// Not stored here; another copy of the ledger may have it.
    Missing,
}

impl BlobState {
    /// The content, if it is here.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Here(bytes) => Some(bytes),
            Self::Missing => None,
        }
    }
}

/// `blobs/<aa>/<sha256>`: where a blob stands in the ledger tree.
pub(super) fn tree_path(sha: Sha256) -> String {
    let hex = sha.to_string();
    format!("blobs/{}/{hex}", &hex[..2])
}

/// A folder of content-addressed files `<aa>/<sha256>`.
#[derive(Debug, Clone)]
pub(super) struct BlobDir(pub PathBuf);

impl BlobDir {
    pub fn path(&self, sha: Sha256) -> PathBuf {
        let hex = sha.to_string();
        self.0.join(&hex[..2]).join(hex)
    }

    pub fn has(&self, sha: Sha256) -> bool {
        self.path(sha).is_file()
    }

    pub fn read(&self, sha: Sha256) -> Result<Option<Vec<u8>>> {
        let path = self.path(sha);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("reading", &path)(e)),
        }
    }

    /// Adds a blob to what is about to be published, unless a sound copy is here.
    pub fn stage(&self, staged: &mut Staged, sha: Sha256, bytes: &[u8]) -> Result<()> {
        let path = self.path(sha);
        if let Some(old) = self.read(sha)? {
            if old == bytes {
                return Ok(());
            }
            // A damaged copy would stay for ever, because an existing name is not written over.
            fs::remove_file(&path).map_err(Error::io("removing the damaged", &path))?;
        }
        staged.add(&path, bytes)
    }

    /// Every blob here with its size in bytes.
    pub fn list(&self) -> Vec<(Sha256, u64, PathBuf)> {
        let mut out = Vec::new();
        for dir in entries(&self.0) {
            for file in entries(&dir) {
                let sha = file
                    .file_name()
                    .and_then(|n| n.to_str())
                    .and_then(|n| n.parse().ok());
                if let (Some(sha), Ok(meta)) = (sha, file.metadata()) {
                    out.push((sha, meta.len(), file));
                }
            }
        }
        out.sort();
        out
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(dir) else {
        return Vec::new();
    };
    read.flatten().map(|e| e.path()).collect()
}

/// Checks content against the hash it is stored under.
pub(super) fn checked(sha: Sha256, bytes: Vec<u8>) -> Result<BlobState> {
    let found = Sha256::of(&bytes);
    if found == sha {
        Ok(BlobState::Here(bytes))
    } else {
        Err(Error::BlobCorrupt { sha256: sha, found })
    }
}

/// The blobs that a record refers to, whatever its kind.
pub fn blob_refs(record: &Record) -> Vec<BlobRef> {
    record
        .to_bytes()
        .ok()
        .and_then(|b| serde_json::from_slice(&b).ok())
        .map(|v| refs_in(&v))
        .unwrap_or_default()
}

/// The blob references in a document: objects that hold exactly `sha256`, `bytes` and `name`.
///
/// Looking at the shape rather than at the kind also finds those of kinds not known here.
pub(super) fn refs_in(value: &Value) -> Vec<BlobRef> {
    fn walk(value: &Value, out: &mut Vec<BlobRef>) {
        match value {
            Value::Object(o) => {
                let known = ["sha256", "bytes", "name"];
                if o.len() == known.len()
                    && known.iter().all(|k| o.contains_key(*k))
                    && let Ok(found) = serde_json::from_value(value.clone())
                {
                    out.push(found);
                } else {
                    o.values().for_each(|v| walk(v, out));
                }
            }
            Value::Array(a) => a.iter().for_each(|v| walk(v, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(value, &mut out);
    out
}
