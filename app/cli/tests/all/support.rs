//! What the tests share: a folder with a home, a repository and a campaign of its own.
//!
//! The campaign is a *stand-in*: its build copies a file, and its harness (`standin/`) reports times
//! that it reads from that file, with noise that follows from the seed of the plan. It measures
//! nothing. What is under test is everything around it: the real program, real git, real processes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use portable_pty::CommandBuilder;
use serde_json::Value;

use crate::terminal::Session;

/// The files of the stand-in campaign.
const FILES: [(&str, &str); 5] = [
    ("assay.toml", include_str!("standin/assay.toml")),
    ("harness/build.sh", include_str!("standin/build.sh")),
    ("harness/harness.sh", include_str!("standin/harness.sh")),
    ("harness/harness.awk", include_str!("standin/harness.awk")),
    ("kernel/k.txt", include_str!("standin/k.txt")),
];

/// How a program ended and what it said.
#[derive(Debug)]
pub struct Done {
    /// Exit code; -1 for a signal.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Done {
    /// It ended with 0; its standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:#?}");
        self.out
    }

    /// It ended with this code and standard error says all of these; the whole of standard error.
    #[track_caller]
    pub fn fails(self, code: i32, says: &[&str]) -> String {
        assert_eq!(self.code, code, "{self:#?}");
        for part in says {
            assert!(self.err.contains(part), "no `{part}` in {self:#?}");
        }
        self.err
    }

    /// The JSON document on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e} in {self:#?}"))
    }
}

/// A folder of its own: a home, and a repository with the stand-in campaign.
pub struct Lab {
    dir: tempfile::TempDir,
    repo: PathBuf,
}

impl Lab {
    /// A home, and a folder that is no repository yet.
    pub fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let repo = root.join("repo");
        for folder in [&root.join("home"), &root.join("locks"), &repo] {
            fs::create_dir(folder).unwrap();
        }
        Self { dir, repo }
    }

    /// The campaign, committed; nothing is pinned or approved.
    pub fn committed() -> Self {
        let lab = Self::empty();
        lab.git(&["init", "-q", "-b", "main"]);
        lab.git(&["config", "user.name", "Tester"]);
        lab.git(&["config", "user.email", "tester@localhost"]);
        for (path, text) in FILES {
            lab.write(path, text);
        }
        lab.git(&["add", "-A"]);
        lab.git(&["commit", "-q", "-m", "campaign"]);
        lab
    }

    /// The campaign, pinned and not approved.
    pub fn pinned() -> Self {
        let lab = Self::committed();
        lab.assay(&["init"]).ok();
        lab
    }

    /// The campaign, pinned and approved.
    pub fn new() -> Self {
        let lab = Self::pinned();
        lab.assay(&["trust", "--trust"]).ok();
        lab
    }

    /// Where everything of this test lies.
    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// The user's checkout.
    pub fn repo(&self) -> &Path {
        &self.repo
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Where stand-ins for tools lie; they are found first.
    fn tools(&self) -> PathBuf {
        self.root().join("tools")
    }

    /// Puts a stand-in for a tool first in the path: a shell script.
    pub fn tool(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.tools().join(name);
        write(&path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The campaign with parts of its file replaced, pinned and approved.
    pub fn changed(parts: &[(&str, &str)]) -> Self {
        let lab = Self::committed();
        let mut text = include_str!("standin/assay.toml").to_owned();
        for (old, new) in parts {
            assert!(text.contains(old), "no `{old}` in the campaign file");
            text = text.replace(old, new);
        }
        lab.write("assay.toml", &text);
        lab.git(&["commit", "-q", "-a", "-m", "another campaign"]);
        lab.assay(&["init"]).ok();
        lab.assay(&["trust", "--trust"]).ok();
        lab
    }

    /// All records of a kind, oldest first.
    #[track_caller]
    pub fn records_of(&self, kind: &str) -> Vec<Value> {
        let text = |p: &String| self.git(&["show", &format!("assay/ledger:{p}")]);
        let all = self.records().iter().map(text).collect::<Vec<_>>();
        let mut all: Vec<Value> = (all.iter())
            .map(|t| serde_json::from_str::<Value>(t).unwrap())
            .filter(|r| r["kind"] == kind)
            .collect();
        all.sort_by_key(|r| r["id"].as_str().unwrap().to_owned());
        all
    }

    /// The lines of a record's raw samples.
    #[track_caller]
    pub fn samples_of(&self, record: &Value) -> Vec<Value> {
        let sha256 = record["body"]["samples"]["sha256"].as_str().unwrap();
        let path = format!("assay/ledger:blobs/{}/{sha256}", &sha256[..2]);
        let text = self.git(&["show", &path]);
        let lines = text.lines().map(|l| serde_json::from_str(l).unwrap());
        lines.collect()
    }

    /// The program, to be started in `dir`, with nothing of this machine's user in its environment.
    pub fn command(&self, program: &str, dir: &Path) -> Command {
        let mut c = Command::new(program);
        let home = self.home();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(self.tools()).chain(std::env::split_paths(&path)));
        c.current_dir(dir)
            .env_clear()
            .env("PATH", path.unwrap())
            .env("HOME", &home)
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("ASSAY_LOCK_DIR", self.root().join("locks"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            .env("POLARS_MAX_THREADS", "1")
            .stdin(Stdio::null());
        c
    }

    /// Runs `assay` in the user's checkout, without a terminal.
    #[track_caller]
    pub fn assay(&self, args: &[&str]) -> Done {
        self.assay_in(&self.repo, args)
    }

    /// Runs `assay` in some folder.
    #[track_caller]
    pub fn assay_in(&self, dir: &Path, args: &[&str]) -> Done {
        done(self.command(env!("CARGO_BIN_EXE_assay"), dir).args(args))
    }

    /// Starts `assay run …` in the user's checkout and does not wait for it.
    pub fn start(&self, args: &[&str]) -> std::process::Child {
        let mut c = self.command(env!("CARGO_BIN_EXE_assay"), &self.repo);
        c.args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Opens the interface in a terminal, in the user's checkout.
    pub fn interface(&self, args: &[&str], size: (u16, u16)) -> Session {
        let mut plain = self.command(env!("CARGO_BIN_EXE_assay"), &self.repo);
        plain.args(args).env("LC_ALL", "C.UTF-8");
        let mut command = CommandBuilder::new(plain.get_program());
        command.args(plain.get_args());
        command.cwd(&self.repo);
        command.env_clear();
        for (name, value) in plain.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        Session::start(command, &[], size)
    }

    /// Runs git in the user's checkout; it must succeed. Its standard output.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.repo, args)
    }

    /// Runs git in some folder; it must succeed. Its standard output.
    #[track_caller]
    pub fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        done(self.command("git", dir).args(args)).ok()
    }

    /// Runs a shell command in the user's checkout; it must succeed. Its standard output.
    #[track_caller]
    pub fn sh(&self, script: &str) -> String {
        done(self.command("sh", &self.repo).args(["-c", script])).ok()
    }

    /// Writes a file of the user's checkout.
    pub fn write(&self, path: &str, text: &str) {
        write(&self.repo.join(path), text);
    }

    /// A kernel file with some lines changed, `("cost", "80")`.
    pub fn kernel(changes: &[(&str, &str)]) -> String {
        let text = include_str!("standin/k.txt");
        let changed: BTreeMap<&str, &str> = changes.iter().copied().collect();
        let mut out: String = text
            .lines()
            .map(|l| {
                match l
                    .split_once(" = ")
                    .and_then(|(k, _)| changed.get(k).map(|v| (k, v)))
                {
                    Some((k, v)) => format!("{k} = {v}\n"),
                    None => format!("{l}\n"),
                }
            })
            .collect();
        for (k, v) in changes {
            if !text.lines().any(|l| l.starts_with(&format!("{k} = "))) {
                out.push_str(&format!("{k} = {v}\n"));
            }
        }
        out
    }

    /// Declares a variant and commits its kernel file through its work tree.
    #[track_caller]
    pub fn variant(&self, name: &str, changes: &[(&str, &str)]) {
        self.assay(&["new", "--why", "a test", "--", name]).ok();
        self.change(name, changes);
    }

    /// Commits another kernel file to a variant.
    #[track_caller]
    pub fn change(&self, name: &str, changes: &[(&str, &str)]) {
        let tree = self.edit(name);
        write(&tree.join("kernel/k.txt"), &Self::kernel(changes));
        self.assay(&["commit", name]).ok();
    }

    /// The work tree of a variant.
    #[track_caller]
    pub fn edit(&self, name: &str) -> PathBuf {
        PathBuf::from(self.assay(&["edit", name]).ok().trim_end())
    }

    /// A variant that was run, and accepted.
    #[track_caller]
    pub fn champion(&self, name: &str, changes: &[(&str, &str)]) {
        self.variant(name, changes);
        self.assay(&["run", name]).ok();
        self.assay(&["accept", name, "--reason", "a test"]).ok();
    }

    /// The list as JSON.
    #[track_caller]
    pub fn list(&self) -> Value {
        let done = self.assay(&["list", "--json"]);
        assert_eq!(done.code, 0, "{done:#?}");
        done.json()
    }

    /// The row of a variant in the list.
    #[track_caller]
    pub fn row(&self, name: &str) -> Value {
        let list = self.list();
        let rows = list["variants"].as_array().unwrap();
        rows.iter()
            .find(|r| r["name"] == name)
            .unwrap_or_else(|| panic!("no {name} in {list:#}"))
            .clone()
    }

    /// The commands of the campaign that ran since the last call, as the stand-ins noted them.
    pub fn ran(&self) -> Vec<String> {
        let path = self.home().join("ran");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        text.lines().map(str::to_owned).collect()
    }

    /// Paths of all records in the ledger.
    pub fn records(&self) -> Vec<String> {
        let all = done(self.command("git", &self.repo).args([
            "ls-tree",
            "-r",
            "--name-only",
            "assay/ledger",
        ]));
        all.out
            .lines()
            .filter(|p| p.starts_with("records/"))
            .map(str::to_owned)
            .collect()
    }

    /// The ledger is whole.
    #[track_caller]
    pub fn verify(&self) {
        let done = self.assay(&["verify", "--json"]);
        assert_eq!(done.code, 0, "{done:#?}");
        assert_eq!(done.json()["ok"], true);
    }

    /// A clone of the repository beside it, with the user's identity; the campaign in it is not approved.
    pub fn clone_to(&self, name: &str) -> PathBuf {
        let to = self.root().join(name);
        self.git_in(&self.root(), &["clone", "-q", "repo", name]);
        self.git_in(&to, &["config", "user.name", "Other"]);
        self.git_in(&to, &["config", "user.email", "other@localhost"]);
        to
    }
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

/// The value of a gate in a row: whether it passes.
#[track_caller]
pub fn gate<'v>(row: &'v Value, name: &str) -> &'v Value {
    let gates = row["gates"].as_array().unwrap();
    gates
        .iter()
        .find(|g| g["name"] == name)
        .unwrap_or_else(|| panic!("no gate {name} in {row:#}"))
}

fn done(command: &mut Command) -> Done {
    let output = command.output().unwrap();
    Done {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
