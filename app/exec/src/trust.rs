//! What a person has allowed to run: approvals of evaluators, and of variants that came by sync.
//!
//! A campaign's commands are code. They run only when someone on this machine has approved exactly
//! this campaign file together with exactly this evaluator; any change asks again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use assay_core::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};

use crate::ExecError;

/// The schema of a stored approval.
pub const SCHEMA: &str = "assay.approval/1";

/// Identifies what is approved: kind, scope and content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrustKey(Sha256);

impl TrustKey {
    /// A campaign file and the evaluator's tree, in `scope` (repository and campaign).
    pub fn evaluator(scope: &str, config: &[u8], evaluator: &Sha256) -> Self {
        let tree = evaluator.to_string();
        let parts: [&[u8]; 4] = [b"evaluator", scope.as_bytes(), config, tree.as_bytes()];
        Self(Sha256::of_parts(parts))
    }

    /// The kernel content of a variant that arrived from elsewhere.
    pub fn variant(scope: &str, kernel: &Sha256) -> Self {
        let kernel = kernel.to_string();
        Self(Sha256::of_parts(["variant", scope, &kernel]))
    }

    /// The hash.
    pub fn sha256(&self) -> Sha256 {
        self.0
    }
}

/// One approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// [`SCHEMA`].
    pub schema: String,
    /// Hash of what is approved.
    pub key: Sha256,
    /// What the person was shown when approving.
    pub shown: String,
    /// When.
    pub at: Timestamp,
}

/// The approvals in a folder of this user, one file each.
#[derive(Debug, Clone)]
pub struct TrustStore {
    folder: PathBuf,
}

impl TrustStore {
    /// The store in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Whether `key` is approved. A file that cannot be read, or is not about `key`, is no approval.
    pub fn is_trusted(&self, key: &TrustKey) -> bool {
        read(&self.path(key.0)).is_ok_and(|a| a.key == key.0)
    }

    /// Approves `key`, remembering what was shown.
    ///
    /// # Errors
    /// When the folder or the file cannot be written; nothing is approved then.
    pub fn approve(&self, key: &TrustKey, shown: &str, at: Timestamp) -> Result<(), ExecError> {
        let approval = Approval {
            schema: SCHEMA.into(),
            key: key.0,
            shown: shown.to_owned(),
            at,
        };
        let path = self.path(key.0);
        self.write(&approval, &path)
            .map_err(ExecError::file("write the approval", &path))
    }

    /// All approvals, oldest first, and what in the folder cannot be read.
    ///
    /// # Errors
    /// When the folder cannot be read; a folder that is absent is empty.
    pub fn list(&self) -> Result<(Vec<Approval>, Vec<ExecError>), ExecError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Default::default()),
            Err(e) => return Err(ExecError::file("read the trust store", &self.folder)(e)),
        };
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for path in entries.flatten().map(|e| e.path()) {
            if path.extension().is_some_and(|x| x == "json") {
                match read(&path) {
                    Ok(a) => good.push(a),
                    Err(problem) => bad.push(ExecError::Approval { path, problem }),
                }
            }
        }
        good.sort_by_key(|a| (a.at, a.key));
        Ok((good, bad))
    }

    /// Takes an approval back; says whether there was one.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn revoke(&self, key: &Sha256) -> Result<bool, ExecError> {
        let path = self.path(*key);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(ExecError::file("remove the approval", &path)(e)),
        }
    }

    fn path(&self, key: Sha256) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    fn write(&self, approval: &Approval, path: &Path) -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec_pretty(approval)?)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }
}

fn read(path: &Path) -> Result<Approval, String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let approval: Approval = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    if approval.schema != SCHEMA {
        return Err(format!("schema `{}` is not known", approval.schema));
    }
    Ok(approval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_is_for_one_content_in_one_scope() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::new(dir.path().join("state/trust"));
        let tree = Sha256::of("harness");
        let key = TrustKey::evaluator("repo/gemm", b"name = 1", &tree);
        assert!(!store.is_trusted(&key));
        assert!(store.list().unwrap().0.is_empty());
        let at: Timestamp = "2026-11-30T00:00:00Z".parse().unwrap();
        store.approve(&key, "sh harness/build.sh", at).unwrap();
        assert!(store.is_trusted(&key));
        for other in [
            TrustKey::evaluator("repo/gemm", b"name = 2", &tree),
            TrustKey::evaluator("repo/other", b"name = 1", &tree),
            TrustKey::evaluator("repo/gemm", b"name = 1", &Sha256::of("changed")),
            TrustKey::variant("repo/gemm", &tree),
        ] {
            assert!(!store.is_trusted(&other));
        }
        let (list, bad) = store.list().unwrap();
        assert_eq!((list.len(), bad.len()), (1, 0));
        assert_eq!(list[0].shown, "sh harness/build.sh");
        assert!(store.revoke(&key.sha256()).unwrap());
        assert!(!store.revoke(&key.sha256()).unwrap());
        assert!(!store.is_trusted(&key));
    }

    #[test]
    fn a_damaged_or_renamed_approval_trusts_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::new(dir.path());
        let a = TrustKey::variant("s", &Sha256::of("a"));
        let b = TrustKey::variant("s", &Sha256::of("b"));
        store.approve(&a, "", Timestamp::UNIX_EPOCH).unwrap();
        fs::copy(store.path(a.0), store.path(b.0)).unwrap();
        assert!(store.is_trusted(&a) && !store.is_trusted(&b));
        fs::write(store.path(a.0), "{").unwrap();
        assert!(!store.is_trusted(&a));
        let (_, bad) = store.list().unwrap();
        assert!(bad[0].to_string().contains("approve again"));
    }

    #[test]
    fn a_failed_write_approves_nothing() {
        let store = TrustStore::new("/proc/no/trust");
        let key = TrustKey::variant("s", &Sha256::of("a"));
        let e = store.approve(&key, "", Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(
            e.to_string()
                .starts_with("cannot write the approval `/proc/no/trust/")
        );
        assert!(!store.is_trusted(&key));
    }
}
