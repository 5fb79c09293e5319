//! Prints what Assay adds to each stage of a run beyond the own time of its tools: for `docs/performance.md`.
//!
//!     cargo run --release -p assay-engine --example adapter_cost -- REPORT.csv [COUNT]
//!
//! A whole run of the engine on a campaign of its own, again and again: build, source, check, bench in pairs, and
//! profile, with the records of each. The campaign's programs, `nvidia-smi` and `ncu` are stand-ins, scripts that
//! measure nothing; `ncu` hands out REPORT.csv. Each notes when it begins and ends, and what of a stage lies outside
//! of all of them is what Assay adds: starting processes, hashing what was built, reading answers and reports,
//! statistics, records in git. What a stand-in takes to start and to end before and after its notes is its own time
//! too: it is measured in the same run by starting each alone. The shell that a campaign's command line is given to
//! counts as Assay's.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use assay_engine::run::Request;
use assay_engine::trust::Always;
use assay_engine::variants::NewVariant;
use assay_engine::{Cancel, Dirs, Options, Workbench};
use assay_exec::progress::Progress;
use assay_ledger::{Repo, User};

/// The stand-in campaign of the tests.
const FILES: [(&str, &str); 4] = [
    (
        "harness/build.sh",
        include_str!("../../cli/tests/all/standin/build.sh"),
    ),
    (
        "harness/harness.sh",
        include_str!("../../cli/tests/all/standin/harness.sh"),
    ),
    (
        "harness/harness.awk",
        include_str!("../../cli/tests/all/standin/harness.awk"),
    ),
    (
        "kernel/k.txt",
        include_str!("../../cli/tests/all/standin/k.txt"),
    ),
];

const CAMPAIGN: &str = r#"schema = "assay.campaign/1"
name = "cost"
kernel = { paths = ["kernel"], protected = ["harness", "assay.toml"] }
formulas = { flops = "2*N", bytes = "8*N" }
workload = [{ name = "small", dims = { N = 1000 }, dtype = "f32" }]
baseline = [{ name = "ref", build = "sh harness/timed.sh sh harness/build.sh ref" }]
build = { command = "sh harness/timed.sh sh harness/build.sh", artefact = "k.bin" }
source = { files = ["k.bin"], language = "cuda" }
check = { command = "exec sh harness/timed.sh sh harness/harness.sh check" }
bench = { command = "exec sh harness/timed.sh sh harness/harness.sh bench", mode = "pair", blocks = 6, min_leg = "1ms", warmup = "0ms", cache = "hot" }
profile = { command = "exec true", workload = "small", kernel = "^gemm_wmma" }
target = { local = { device = "cuda" } }
"#;

/// Notes when a program began and ended.
const TIMED: &str = r#"#!/bin/sh
from=$(date +%s%N); "$@"; code=$?
echo "$from $(date +%s%N) program" >> "$HOME/times"; exit $code
"#;

const NVIDIA: &str = r#"#!/bin/sh
from=$(date +%s%N)
case "$*" in
  *compute-apps*) echo 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]';;
  *driver_version*) echo 'index, name, uuid, driver_version'; echo '0, NVIDIA H200, GPU-1, 1.0';;
  *) echo 'uuid, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active'; echo 'GPU-1, 1980 MHz, 0 %, 0x0';;
esac
echo "$from $(date +%s%N) nvidia-smi" >> "$HOME/times"
"#;

const NCU: &str = r#"#!/bin/sh
from=$(date +%s%N)
if [ "$1" = --version ]; then echo 'Version 2025.0'
else
  while [ $# -gt 0 ]; do case $1 in --log-file) log=$2; shift 2;; --export) echo x > "$2"; shift 2;;
  --csv|--force-overwrite) shift;; --*) shift 2;; *) break;; esac; done
  "$@"; cat "$HOME/report.csv" > "$log"
fi
echo "$from $(date +%s%N) ncu" >> "$HOME/times"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let report = args.next().ok_or("name a report of ncu as CSV")?;
    let count: u32 = args.next().map_or(Ok(10), |n| n.parse())?;
    match std::env::var_os(INSIDE) {
        Some(root) => measure(Path::new(&root), count),
        None => start(Path::new(&report), count),
    }
}

/// Names the folder of the measurement to the program that makes it.
const INSIDE: &str = "ASSAY_ADAPTER_COST";

/// Starts this program again, with the stand-ins first in the path.
fn start(report: &Path, count: u32) -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let root = dir.path().canonicalize()?;
    for folder in ["home", "tools", "repo", "locks"] {
        fs::create_dir(root.join(folder))?;
    }
    fs::copy(report, root.join("home/report.csv"))?;
    for (name, script) in [("nvidia-smi", NVIDIA), ("ncu", NCU)] {
        let path = root.join("tools").join(name);
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let done = Command::new(std::env::current_exe()?)
        .args([report.as_os_str(), count.to_string().as_ref()])
        .env(INSIDE, &root)
        .env("HOME", root.join("home"))
        .env("PATH", format!("{}:{path}", root.join("tools").display()))
        .status()?;
    match done.success() {
        true => Ok(()),
        false => Err("the measurement failed".into()),
    }
}

fn measure(root: &Path, count: u32) -> Result<(), Box<dyn Error>> {
    let bench = campaign(root)?;
    let times = root.join("home/times");
    let starts = starts(root, &times)?;
    let cancel = Cancel::new();
    let mut added: BTreeMap<usize, Vec<[f64; 2]>> = BTreeMap::new();
    for _ in 0..count {
        fs::write(&times, "")?;
        let watch = Stages::default();
        let request = Request {
            again: true,
            ..Request::all(vec!["v".into()])
        };
        for ended in bench.run(&request, &Always, &watch, &cancel)? {
            if let Some(failure) = ended.result?.failure {
                return Err(failure.message.into());
            }
        }
        let tools = noted(&fs::read_to_string(&times)?);
        for (i, [from, to]) in watch.intervals().into_iter().enumerate() {
            let own = covered(&tools, &starts, from, to);
            added
                .entry(i)
                .or_default()
                .push([ms(to - from - own), ms(own)]);
        }
    }
    let names = [
        "build",
        "source",
        "check",
        "bench, 4 processes of 24 legs",
        "profile",
    ];
    for (i, found) in added {
        told(names.get(i).copied().unwrap_or("more"), &found)?;
    }
    Ok(())
}

/// The campaign, pinned and approved, with one variant.
fn campaign(root: &Path) -> Result<Workbench, Box<dyn Error>> {
    let repo = root.join("repo");
    let files = FILES
        .into_iter()
        .chain([("harness/timed.sh", TIMED), ("assay.toml", CAMPAIGN)]);
    for (name, text) in files {
        let path = repo.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&repo))?;
        fs::write(path, text)?;
    }
    let user = User {
        name: "cost".into(),
        email: "cost@localhost".into(),
        known: true,
    };
    Repo::init(&repo, &user, "a campaign")?;
    let of = |name: &str| root.join(name);
    let options = Options {
        dir: repo,
        dirs: Dirs {
            cache: of("cache"),
            state: of("state"),
            data: of("data"),
            locks: of("locks"),
        },
        author: Some("cost".into()),
        campaign: None,
    };
    let mut bench = Workbench::open(options)?;
    bench.init(None)?;
    bench.approve_evaluator()?;
    let new = NewVariant {
        name: "v".into(),
        why: "what a run costs".into(),
        ..NewVariant::default()
    };
    let kernel = FILES[3].1.replace("cost = 100", "cost = 80");
    let files = BTreeMap::from([("kernel/k.txt".to_owned(), Some(kernel.into_bytes()))]);
    bench.new_variant_with(&new, &files)?;
    Ok(bench)
}

/// When each stage began, in nanoseconds.
#[derive(Default)]
struct Stages(Mutex<Vec<i128>>);

impl Stages {
    /// Begin and end of each stage; the last one ends now, with the record of the run.
    fn intervals(&self) -> Vec<[i128; 2]> {
        let mut at = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        at.push(now());
        at.windows(2).map(|w| [w[0], w[1]]).collect()
    }
}

impl Progress for Stages {
    fn stage(&self, _: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(now());
    }
    fn step(&self, _: u64, _: u64, _: Option<u64>) {}
    fn line(&self, _: &str) {}
    fn said(&self, _: &str) {}
}

/// By the clock that the scripts read, too.
fn now() -> i128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| d.as_nanos() as i128)
}

/// What a stand-in noted of one time that it ran.
struct Noted {
    from: i128,
    to: i128,
    tool: String,
}

/// What the scripts noted, in the order of their beginnings.
fn noted(text: &str) -> Vec<Noted> {
    let one = |line: &str| {
        let mut cells = line.split(' ');
        let mut time = || cells.next()?.parse().ok();
        let (from, to) = (time()?, time()?);
        let tool = cells.next()?.to_owned();
        Some(Noted { from, to, tool })
    };
    let mut out: Vec<Noted> = text.lines().filter_map(one).collect();
    out.sort_unstable_by_key(|n| (n.from, n.to));
    out
}

/// How much of a stage some tool ran in, its start and end included; one may have started another.
fn covered(tools: &[Noted], starts: &BTreeMap<&str, i128>, from: i128, to: i128) -> i128 {
    let (mut sum, mut done) = (0, from);
    for tool in tools {
        let (begin, end) = (tool.from.max(done), tool.to.min(to));
        if end > begin {
            sum += end - begin + starts.get(tool.tool.as_str()).copied().unwrap_or(0);
            done = end;
        }
    }
    sum
}

/// How often each stand-in is started alone.
const ALONE: usize = 25;

/// What each stand-in takes before and after its notes, started alone: the median, in nanoseconds.
fn starts<'a>(root: &Path, times: &Path) -> Result<BTreeMap<&'a str, i128>, Box<dyn Error>> {
    let tools: [(&str, &[&str]); 3] = [
        ("program", &["sh", "harness/timed.sh", ":"]),
        ("nvidia-smi", &["nvidia-smi"]),
        ("ncu", &["ncu", "--version"]),
    ];
    let mut out = BTreeMap::new();
    for (tool, argv) in tools {
        let mut all = Vec::new();
        for _ in 0..ALONE {
            fs::write(times, "")?;
            let begun = now();
            let done = Command::new(argv[0])
                .args(&argv[1..])
                .current_dir(root.join("repo"))
                .output()?;
            let wall = now() - begun;
            let found = noted(&fs::read_to_string(times)?);
            let [one] = found.as_slice() else {
                return Err(format!("`{tool}` noted nothing: {}", done.status).into());
            };
            all.push(wall - (one.to - one.from));
        }
        all.sort_unstable();
        let median = all[ALONE / 2];
        writeln!(
            io::stdout(),
            "`{tool}` alone takes {:.1} ms before and after its notes (median of {ALONE})",
            ms(median)
        )?;
        out.insert(tool, median);
    }
    Ok(out)
}

fn ms(nanoseconds: i128) -> f64 {
    nanoseconds as f64 / 1e6
}

fn told(what: &str, found: &[[f64; 2]]) -> io::Result<()> {
    let sorted = |i: usize| {
        let mut all: Vec<f64> = found.iter().map(|f| f[i]).collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    };
    let (added, tools) = (sorted(0), sorted(1));
    let at = |all: &[f64], i: usize| all.get(i).copied().unwrap_or(f64::NAN);
    writeln!(
        io::stdout(),
        "{what}: median {:.1} ms added, slowest {:.1} ms of {}; tools median {:.1} ms",
        at(&added, added.len() / 2),
        at(&added, added.len().saturating_sub(1)),
        added.len(),
        at(&tools, tools.len() / 2)
    )
}
