//! A repository with a campaign and a ledger of a given size, and the program to try on it.
//!
//! Everything lies in one temporary folder, and nothing of the user's settings is seen: the bench
//! starts itself once more with an environment of its own.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use assay_core::Record;
use assay_ledger::{Blob, Ledger, Repo};

use super::generator::{self, Maker};

pub mod figures;

/// Names the folder of the bench in the environment of its second start.
const ROOT: &str = "ASSAY_BENCH_ROOT";

/// The campaign, as the generator of records calls it.
pub const CAMPAIGN: &str = "gemm-cpu";

/// The variant that is run.
pub const PROBE: &str = "probe";

/// Records in one append while the ledger is made.
const BATCH: usize = 1000;

/// Time between two records in milliseconds: 50,000 of them are spread over 100 days.
const STEP_MS: u64 = 172_800;

/// Does `body` in a process that sees a temporary home and no git configuration.
pub fn hermetic(body: impl FnOnce()) -> ExitCode {
    if std::env::var_os(ROOT).is_some() {
        body();
        return ExitCode::SUCCESS;
    }
    let root = tempfile::Builder::new()
        .prefix("assay-bench-")
        .tempdir()
        .expect("a temporary folder");
    let kept = ["PATH", "TERM", "LANG", "TMPDIR"].map(|n| (n, std::env::var_os(n)));
    let kept = kept.into_iter().filter_map(|(n, v)| Some((n, v?)));
    let folder = |name: &str| -> OsString { root.path().join(name).into_os_string() };
    let ended = Command::new(std::env::current_exe().expect("this program"))
        .args(std::env::args_os().skip(1))
        .env_clear()
        .envs(kept)
        .env(ROOT, root.path())
        .env("HOME", folder("home"))
        .env("XDG_CACHE_HOME", folder("cache"))
        .env("XDG_CONFIG_HOME", folder("config"))
        .env("XDG_DATA_HOME", folder("data"))
        .env("XDG_STATE_HOME", folder("state"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .status()
        .expect("this program once more");
    if ended.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn root() -> PathBuf {
    std::env::var_os(ROOT)
        .expect("the folder of the bench")
        .into()
}

/// Whether times are wanted, and not only a proof that it works.
fn measuring() -> bool {
    let given = |flag: &str| std::env::args().any(|a| a == flag);
    given("--bench") && !given("--test")
}

/// How long each process of the stand-in for a benchmark lives; there are four to twelve.
pub fn hold() -> Duration {
    Duration::from_millis(if measuring() { 5000 } else { 50 })
}

/// The program.
pub fn assay() -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_assay"));
    c.stdin(Stdio::null());
    c
}

fn done(c: &mut Command) -> Vec<u8> {
    let out = c.output().expect("a program to start");
    assert!(
        out.status.success(),
        "{c:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.stdout
}

/// A repository with a campaign.
pub struct Lab {
    pub dir: PathBuf,
    pub variants: usize,
}

impl Lab {
    /// With 10,000 variants and 50,000 records.
    pub fn big() -> &'static Self {
        static LAB: OnceLock<Lab> = OnceLock::new();
        LAB.get_or_init(|| {
            let lab = Self::make("big", if measuring() { 10_000 } else { 100 });
            lab.fill();
            lab.assay(&["new", PROBE, "--why", "it is run"]);
            lab
        })
    }

    /// With one variant.
    pub fn small() -> &'static Self {
        static LAB: OnceLock<Lab> = OnceLock::new();
        LAB.get_or_init(|| {
            let lab = Self::make("small", 1);
            lab.assay(&["new", PROBE, "--why", "it is run"]);
            lab
        })
    }

    fn make(name: &str, variants: usize) -> Self {
        let lab = Self {
            dir: root().join(name),
            variants,
        };
        for folder in ["kernel", "harness"] {
            fs::create_dir_all(lab.dir.join(folder)).expect("a folder");
        }
        let write = |name: &str, text: &str| fs::write(lab.dir.join(name), text).expect("a file");
        write("assay.toml", include_str!("assay.toml"));
        write("kernel/kernel.c", "int kernel;\n");
        let stand_in = include_str!("stand-in.sh")
            .replace("@HOLD@", &hold().as_secs_f64().to_string())
            .replace("@TIMES@", &lab.times().display().to_string());
        write("harness/bench.sh", &stand_in);
        lab.git(&["init", "-q", "-b", "main"]);
        lab.git(&["config", "user.name", "someone"]);
        lab.git(&["config", "user.email", "someone@localhost"]);
        lab.git(&["add", "."]);
        lab.git(&["commit", "-q", "-m", "a campaign"]);
        lab.assay(&["init"]);
        lab
    }

    /// Adds the records of the generator, and a branch for each variant.
    fn fill(&self) {
        let mut maker = Maker::new(1);
        maker.step_ms = STEP_MS;
        let (made, _) = generator::campaign_by(maker, self.variants);
        let ledger = Repo::open(&self.dir)
            .and_then(|r| Ledger::git(&r))
            .expect("a ledger");
        let log = Blob::new("log", "log");
        // The evaluator is pinned already, at a commit that exists.
        for batch in made.records[1..].chunks(BATCH) {
            let records: Vec<Record> = batch
                .iter()
                .map(|r| Record::from_bytes(&r.bytes).expect("a record"))
                .collect();
            ledger
                .append(&records, std::slice::from_ref(&log))
                .expect("a batch");
        }
        let head = String::from_utf8(self.git(&["rev-parse", "HEAD"])).expect("a commit");
        let branches: String = (0..self.variants)
            .map(|i| {
                format!(
                    "create refs/heads/assay/{CAMPAIGN}/{} {}\n",
                    self.name(i),
                    head.trim()
                )
            })
            .collect();
        let mut git = self
            .command("git", &["update-ref", "--stdin"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git");
        let mut stdin = git.stdin.take().expect("its input");
        stdin.write_all(branches.as_bytes()).expect("branches");
        drop(stdin);
        assert!(git.wait().expect("git").success());
        self.git(&["pack-refs", "--all"]);
        ledger.maintain().expect("maintenance");
    }

    /// Name of a variant by its number.
    pub fn name(&self, i: usize) -> String {
        format!("tile-{i:05}")
    }

    /// Runs the program here and returns what it printed.
    pub fn assay(&self, args: &[&str]) -> Vec<u8> {
        done(assay().args(args).current_dir(&self.dir))
    }

    /// Takes the index away.
    pub fn forget_index(&self) {
        let index = self.dir.join(".git/assay/index");
        assert!(
            index.is_dir(),
            "{} is where the index lies",
            index.display()
        );
        fs::remove_dir_all(index).expect("no index");
    }

    /// How long the processes of the stand-in have lived by now, all together.
    pub fn held(&self) -> Duration {
        let text = fs::read_to_string(self.times()).unwrap_or_default();
        let ns = |line: &str| -> Option<u64> {
            let (start, end) = line.split_once(' ')?;
            end.parse::<u64>().ok()?.checked_sub(start.parse().ok()?)
        };
        Duration::from_nanos(text.lines().filter_map(ns).sum())
    }

    fn times(&self) -> PathBuf {
        root().join(format!(
            "{}.times",
            self.dir
                .file_name()
                .map(Path::new)
                .unwrap_or(Path::new(""))
                .display()
        ))
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut c = Command::new(program);
        c.args(args).current_dir(&self.dir);
        c
    }

    fn git(&self, args: &[&str]) -> Vec<u8> {
        done(&mut self.command("git", args))
    }
}
