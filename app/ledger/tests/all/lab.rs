//! A folder to work in, with repositories and records.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use assay_core::record::{BlobRef, Body, Note, Source};
use assay_core::{Record, RecordId, Timestamp};
use assay_ledger::{Blob, Ledger, Repo};

static SETUP: Once = Once::new();

/// Cuts this process and its children off from the developer's git settings.
#[allow(unsafe_code)]
pub fn setup() {
    SETUP.call_once(|| {
        let home = std::env::temp_dir().join("assay-ledger-no-home");
        // SAFETY: every test calls this before anything else, and nothing here reads the
        // environment or git's settings before it.
        unsafe {
            std::env::set_var("HOME", &home);
            std::env::set_var("XDG_CONFIG_HOME", &home);
            std::env::set_var("GIT_CONFIG_GLOBAL", "/dev/null");
            std::env::set_var("GIT_CONFIG_NOSYSTEM", "1");
            for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
                std::env::remove_var(name);
            }
            for level in [
                git2::ConfigLevel::System,
                git2::ConfigLevel::Global,
                git2::ConfigLevel::XDG,
                git2::ConfigLevel::ProgramData,
            ] {
                git2::opts::set_search_path(level, &home).unwrap();
            }
        }
    });
}

/// A temporary folder, in memory where the system has such a place.
pub fn temp() -> tempfile::TempDir {
    setup();
    let memory = Path::new("/dev/shm");
    let builder = tempfile::Builder::new().prefix("assay-").to_owned();
    if memory.is_dir() {
        builder.tempdir_in(memory).unwrap()
    } else {
        builder.tempdir().unwrap()
    }
}

/// Runs git and returns what it printed.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let (ok, out) = try_git(dir, args);
    assert!(ok, "git {args:?}: {out}");
    out
}

/// Runs git and returns whether it went well, with all output.
pub fn try_git(dir: &Path, args: &[&str]) -> (bool, String) {
    setup();
    let out = Command::new("git")
        .current_dir(dir)
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
        .args(args)
        .output()
        .unwrap();
    let mut text = String::from_utf8_lossy(&out.stdout).into_owned();
    if !out.status.success() {
        text.push_str(&String::from_utf8_lossy(&out.stderr));
    }
    (out.status.success(), text.trim_end().to_owned())
}

/// Writes a file and the folders it needs.
pub fn put(dir: &Path, path: &str, text: &str) {
    let file = dir.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// A repository with a small campaign and one commit.
pub struct Lab {
    pub temp: tempfile::TempDir,
    pub dir: PathBuf,
}

impl Lab {
    pub fn new() -> Self {
        let temp = temp();
        let dir = temp.path().join("repo");
        std::fs::create_dir(&dir).unwrap();
        git(&dir, &["init", "-q", "-b", "main"]);
        put(&dir, "gemm/assay.toml", "name = \"gemm\"\n");
        put(
            &dir,
            "gemm/kernel/a.c",
            "one\ntwo\nthree\nfour\nfive\nsix\nseven\n",
        );
        put(&dir, "gemm/harness/run.sh", "#!/bin/sh\necho judge\n");
        put(&dir, ".gitignore", "*.o\n");
        git(&dir, &["add", "-A"]);
        git(&dir, &["commit", "-q", "-m", "first"]);
        Self { temp, dir }
    }

    pub fn repo(&self) -> Repo {
        Repo::open(&self.dir).unwrap()
    }

    pub fn ledger(&self) -> Ledger {
        Ledger::git(&self.repo()).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }
}

/// The time at which records are made in tests.
pub fn at() -> Timestamp {
    "2026-11-30T10:00:00Z".parse().unwrap()
}

/// A note; `n` makes its id.
pub fn note(n: u64, text: &str) -> Record {
    let body = Note::new(None, text);
    let mut record = Record::new(at(), "tester", "gemm", body.into());
    let ms = u64::try_from(at().as_millisecond()).unwrap();
    record.id = RecordId::from_parts(ms, u128::from(n));
    record
}

/// A record of a kind not known here that refers to a blob.
pub fn with_blob(n: u64, blob: &BlobRef) -> Record {
    let mut record = note(n, "");
    record.body = Body::Unknown {
        kind: "log".into(),
        body: serde_json::json!({ "deep": [{ "log": blob }] }),
        problem: String::new(),
    };
    record
}

/// A blob of that many bytes which does not compress.
pub fn noise(seed: u64, len: usize) -> Blob {
    let mut x = seed * 2 + 1;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 24) as u8
    })
    .take(len)
    .collect();
    Blob::new("noise", bytes)
}

/// The texts of all notes, sorted.
pub fn texts(ledger: &Ledger) -> Vec<String> {
    let mut out: Vec<String> = ledger
        .read_all()
        .unwrap()
        .iter()
        .filter_map(|r| match Record::from_bytes(&r.bytes).unwrap().body {
            Body::Note(n) => Some(n.text),
            _ => None,
        })
        .collect();
    out.sort();
    out
}

/// A record of a known kind that lists files.
pub fn source_with(n: u64, files: Vec<BlobRef>) -> Record {
    let zero = assay_core::Sha256::of("");
    let mut record = note(n, "");
    record.body = Source {
        run: record.id,
        subject: assay_core::record::Subject {
            name: "v".into(),
            role: assay_core::record::Role::Variant,
            commit: None,
            dirty: false,
            key: assay_core::record::ContentKey {
                kernel: zero,
                recipe: zero,
                toolchain: zero,
                device: zero,
                evaluator: zero,
            },
        },
        language: "text".into(),
        files,
        raw: zero,
        normalised: zero,
        facts: Default::default(),
        twice: None,
    }
    .into();
    record
}
