//! Generated pairs of 50,000 lines: 1 % of the lines edited, and all temporaries renumbered.
//!
//! `cargo bench -p assay-source --bench diff` times whole processes of this program, of git and of
//! difftastic (`difft`, where it is installed) on the same two files, and prints how they compare.
//! The process of ours reads both files, takes facts of both, normalises and hashes both, compares
//! them and prints the unified diff.

// What it measures is printed: that is its output.
#![allow(clippy::print_stdout, clippy::write_with_newline)]

mod pairs;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assay_source::diff::{Fold, diff_pair};
use assay_source::{Comparison, DiffOptions, Prepared, SourceFile, to_unified};

/// The allocator of the program, so that what is measured here is what its users wait for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LINES: usize = 50_000;
const ROUNDS: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, a, b] = &arguments[..]
        && word == "--one"
    {
        one(Path::new(a), Path::new(b));
        return;
    }
    if let [_, word, a, b] = &arguments[..]
        && word == "--screen"
    {
        let text = |p: &String| std::fs::read_to_string(p).expect("a text");
        screen(&text(a), &text(b), ROUNDS);
        return;
    }
    if let [_, word, folder] = &arguments[..]
        && word == "--write"
    {
        write(Path::new(folder));
        return;
    }
    // `cargo test` runs benches with this flag: each once, on a small input.
    let test = arguments.iter().any(|a| a == "--test");
    let lines = if test { 500 } else { LINES };
    let a = pairs::source(7, lines);
    let folder = std::env::temp_dir().join(format!("assay-diff-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for (name, b) in [
        ("1 % of lines edited", pairs::edited(&a, 9)),
        ("all temporaries renumbered", pairs::renumbered(&a)),
    ] {
        pair(name, &folder, &a, &b, test);
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// Leaves the pairs in a folder, for a look at one process with other tools.
fn write(folder: &Path) {
    let a = pairs::source(7, LINES);
    for (name, text) in [
        ("a.cu", &a),
        ("edited.cu", &pairs::edited(&a, 9)),
        ("renumbered.cu", &pairs::renumbered(&a)),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
}

/// What one process does.
fn one(a: &Path, b: &Path) {
    let read = |p: &Path| SourceFile::new("kernel.cu", std::fs::read(p).expect("a file"));
    // The program reads both files at the same time as well.
    let (a, b) = std::thread::scope(|s| {
        let other = s.spawn(|| read(b));
        (read(a), other.join().expect("a file"))
    });
    let d = diff_pair(&a, &b, &DiffOptions::default().normalised());
    let text = to_unified(&[d]);
    use std::io::Write as _;
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn pair(name: &str, folder: &Path, a: &str, b: &str, test: bool) {
    let (pa, pb) = (folder.join("a.cu"), folder.join("b.cu"));
    std::fs::write(&pa, a).expect("a file");
    std::fs::write(&pb, b).expect("a file");
    println!(
        "{name}: {} and {} lines, {:.1} MB",
        a.lines().count(),
        b.lines().count(),
        (a.len() + b.len()) as f64 / 1e6
    );
    let me = std::env::current_exe().expect("the path of this program");
    let rounds = if test { 1 } else { ROUNDS };
    let ours = |p: &mut Command| {
        p.arg("--one").args([&pa, &pb]);
    };
    let git = |p: &mut Command| {
        p.args(["diff", "--no-index", "--histogram", "--no-color"])
            .args([&pa, &pb]);
    };
    let (mut t_ours, mut t_git) = (Vec::new(), Vec::new());
    let (mut c_ours, mut c_git) = (0, 0);
    // In turns, so that what else the machine does disturbs both.
    for _ in 0..rounds {
        let begin = ticks();
        t_ours.extend(time(&me, &ours));
        let middle = ticks();
        t_git.extend(time(Path::new("git"), &git));
        c_ours += middle - begin;
        c_git += ticks() - middle;
    }
    let (x, y) = (median(&mut t_ours), median(&mut t_git));
    let least = |times: &[Duration]| times.first().copied().unwrap_or_default();
    println!("  whole process, facts and normalisation of both sides: {x:?}");
    println!(
        "  git diff --no-index --histogram: {y:?}; ratio {:.2} (limit 1.5)",
        ratio(x, y)
    );
    println!(
        "  the fastest of {rounds}: {:?} and {:?}; ratio {:.2}",
        least(&t_ours),
        least(&t_git),
        ratio(least(&t_ours), least(&t_git))
    );
    if c_ours > 0 && c_git > 0 {
        // A tick is 10 ms; over all rounds it is fine enough.
        let mean = |ticks: u64| ticks as f64 * 10.0 / rounds as f64;
        println!(
            "  processor time of all threads, mean: {:.0} and {:.0} ms; ratio {:.2}",
            mean(c_ours),
            mean(c_git),
            mean(c_ours) / mean(c_git)
        );
    }
    let difft = |p: &mut Command| {
        // Without this it takes files of more than a megabyte for text and compares no syntax.
        p.env("DFT_BYTE_LIMIT", "1000000000");
        p.args(["--color", "never"]).args([&pa, &pb]);
    };
    let mut t_difft: Vec<Duration> = (0..1)
        .filter_map(|_| time(Path::new("difft"), &difft))
        .collect();
    if t_difft.is_empty() {
        println!("  difft is not installed: not compared");
    } else {
        let z = median(&mut t_difft);
        println!(
            "  difft, its size limit lifted: {z:?}; {:.1} times ours (at least 10)",
            ratio(z, x)
        );
    }
    screen(a, b, rounds);
    memory(&me, &pa, &pb, a.len() + b.len());
}

/// The first screen of a side-by-side view, from the bytes of both files.
fn screen(a: &str, b: &str, rounds: usize) {
    let (a, b) = (
        SourceFile::new("kernel.cu", a),
        SourceFile::new("kernel.cu", b),
    );
    for (label, options) in [
        ("text", DiffOptions::default()),
        ("normalised", DiffOptions::default().normalised()),
    ] {
        let (mut all, mut window, mut quick) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let begin = Instant::now();
            let (p, q): (Prepared<'_>, Prepared<'_>) =
                assay_source::diff::prepare(&a, &b, &options).expect("text");
            let c = Comparison::new(p, q, &options);
            let made = Instant::now();
            let layout = c.layout(Fold::Context);
            black_box(c.window(&layout, 0..60));
            window.push(made.elapsed());
            all.push(begin.elapsed());
            let begin = Instant::now();
            let first = options.first_screen();
            let lines = |f| Prepared::lines(f, None, &first).expect("text");
            let c = Comparison::new(lines(&a), lines(&b), &first);
            black_box(c.window(&c.layout(Fold::Context), 0..60));
            quick.push(begin.elapsed());
        }
        println!(
            "  first screen of 60 rows, by {label}: {:?} from the lines (limit 50 ms), {:?} with facts and kernels, {:?} from a comparison",
            median(&mut quick),
            median(&mut all),
            median(&mut window)
        );
    }
}

/// The most memory that a process of ours had, where the system tells.
fn memory(me: &PathBuf, a: &Path, b: &Path, input: usize) {
    let out = Command::new("/usr/bin/time")
        .args(["-f", "%M"])
        .arg(me)
        .arg("--one")
        .args([a, b])
        .stdout(Stdio::null())
        .output();
    let kib = out.ok().and_then(|o| {
        String::from_utf8_lossy(&o.stderr)
            .trim()
            .parse::<f64>()
            .ok()
    });
    match kib {
        Some(kib) => println!(
            "  memory: {:.1} MB, {:.1} times the input (limit 10)",
            kib * 1024.0 / 1e6,
            kib * 1024.0 / input as f64
        ),
        None => println!("  memory: /usr/bin/time is not installed: not measured"),
    }
}

fn time(program: &Path, arguments: &dyn Fn(&mut Command)) -> Option<Duration> {
    let mut c = Command::new(program);
    arguments(&mut c);
    c.env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    c.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let begin = Instant::now();
    c.status().ok()?;
    Some(begin.elapsed())
}

/// Processor time of the processes that ended, in hundredths of a second; 0 where the system does not
/// tell.
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold blanks; its parenthesis ends the second field.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let of = |n: usize| -> u64 {
        let field = fields.split_whitespace().nth(n);
        field.and_then(|f| f.parse().ok()).unwrap_or(0)
    };
    // Fields 16 and 17 of the file: user and system time of children.
    of(13) + of(14)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-9)
}
