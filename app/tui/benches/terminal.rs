//! The interface in a real pseudo-terminal with 10,000 variants and 3,000 counters: first frame, key
//! to painted frame on every screen, processor time and bytes while idle, memory.
//!
//! `cargo bench -p assay-tui --bench terminal`; with `-- --test` on a small list, once each, which
//! proves only that it works. The data is fixed and comes from memory: what a ledger of that size
//! costs is measured by `cargo bench -p assay --bench process`. The times hold the model of the
//! screen too, which a real terminal would need for itself.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use support::terminal::{Seen, Session};

/// Makes this program the interface.
const PROGRAM: &str = "ASSAY_TUI_BENCH_ARGS";

/// End of a frame: of a synchronized update.
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// Key presses of which the slowest hundredth is left out.
const PRESSES: usize = 300;

/// Each screen: keys that lead there, and what is seen there.
const SCREENS: [(&str, &str, &str); 8] = [
    ("variants", "1", "Variants  "),
    ("compare", "1Gc", "A="),
    ("source", "1Gd", "hunks:"),
    ("jobs", "4", "Jobs"),
    ("history", "5", "evaluator"),
    ("workloads", "6", "Workloads  "),
    ("profile", "7", "Profile  "),
    ("report", "8", "Report  "),
];

fn main() -> ExitCode {
    if let Ok(args) = std::env::var(PROGRAM) {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        return support::program(&args);
    }
    let given = |flag: &str| std::env::args().any(|a| a == flag);
    let sizes = match given("--bench") && !given("--test") {
        true => Sizes {
            variants: 10_000,
            counters: 3_000,
            starts: 15,
            presses: PRESSES,
            idle: Duration::from_secs(20),
        },
        false => Sizes {
            variants: 100,
            counters: 60,
            starts: 1,
            presses: 3,
            idle: Duration::from_millis(200),
        },
    };
    first_frame(&sizes);
    keys(&sizes);
    idle(&sizes);
    ExitCode::SUCCESS
}

struct Sizes {
    variants: usize,
    counters: usize,
    starts: usize,
    presses: usize,
    idle: Duration,
}

fn open(sizes: &Sizes) -> Session {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    let (variants, counters) = (sizes.variants, sizes.counters);
    command.env(PROGRAM, format!("--many {variants} --counters {counters}"));
    Session::start(command, &[], (200, 50))
}

fn told(name: &str, measured: &str, share: f64) {
    println!("{name:<44} {measured:>12}   {share:>6.3} of the limit");
}

fn told_time(name: &str, time: Duration, limit_ms: f64) {
    let ms = time.as_secs_f64() * 1e3;
    told(name, &format!("{ms:.2} ms"), ms / limit_ms);
}

/// Whether a text is on the screen and the frame is whole.
fn painted(s: &Seen, text: &str) -> bool {
    s.bytes.ends_with(FRAME_END) && s.parser.screen().contents().contains(text)
}

/// From the start of the process to the first screen with rows on it.
fn first_frame(sizes: &Sizes) {
    let start = || {
        let begun = Instant::now();
        let mut s = open(sizes);
        s.wait("rows", |s| painted(s, "v00000"));
        let took = begun.elapsed();
        s.press("q");
        s.exit_code();
        took
    };
    let mut all: Vec<Duration> = (0..sizes.starts).map(|_| start()).collect();
    all.sort();
    told_time("first frame with rows, median", all[all.len() / 2], 100.0);
    told_time("first frame with rows, slowest", all[all.len() - 1], 100.0);
}

/// Goes to a screen and waits until it stands.
fn go(s: &mut Session, lead: &str) {
    for key in lead.chars() {
        s.press(&key.to_string());
        settle(s);
    }
}

/// From a key press to the end of the frame that it leads to.
fn keys(sizes: &Sizes) {
    for (screen, lead, seen) in SCREENS {
        let mut s = open(sizes);
        s.wait("rows", |s| painted(s, "v00000"));
        go(&mut s, lead);
        s.wait(seen, |s| painted(s, seen));
        let mut all = Vec::new();
        for i in 0..sizes.presses {
            settle(&s);
            // Two steps down and one up: it moves, and stays within a long list.
            let key = if i % 3 == 2 { "k" } else { "j" };
            let before = s.seen.0.lock().unwrap().bytes.len();
            let begun = Instant::now();
            s.press(key);
            s.wait("a frame", |s| {
                s.bytes.len() > before && s.bytes.ends_with(FRAME_END)
            });
            all.push(begun.elapsed());
        }
        all.sort();
        let slow = all[(all.len() * 99 / 100).min(all.len() - 1)];
        let name = |what: &str| format!("key to frame, {screen}, {what}");
        told_time(&name("median"), all[all.len() / 2], 16.0);
        told_time(&name("99th percentile"), slow, 16.0);
    }
}

/// Waits until nothing more comes: what a key has asked for is on the screen.
fn settle(s: &Session) {
    let quiet = Duration::from_millis(40);
    let mut seen = s.seen.0.lock().unwrap();
    loop {
        let before = seen.bytes.len();
        let more = &s.seen.1;
        let (now, waited) = more
            .wait_timeout_while(seen, quiet, |n| n.bytes.len() == before)
            .unwrap();
        seen = now;
        if waited.timed_out() {
            return;
        }
    }
}

/// What it costs while nobody touches it, and how much memory it has come to after every screen.
fn idle(sizes: &Sizes) {
    let mut s = open(sizes);
    s.wait("rows", |s| painted(s, "v00000"));
    for (_, lead, _) in SCREENS {
        go(&mut s, lead);
    }
    go(&mut s, "1");
    std::thread::sleep(sizes.idle.min(Duration::from_secs(1)));
    let bytes = s.seen.0.lock().unwrap().bytes.len();
    let before = s.processor_time();
    std::thread::sleep(sizes.idle);
    let used = s.processor_time() - before;
    let share = used.as_secs_f64() / sizes.idle.as_secs_f64();
    let percent = format!("{:.2} %", share * 100.0);
    told("processor while idle", &percent, share / 0.005);
    let written = s.seen.0.lock().unwrap().bytes.len() - bytes;
    assert_eq!(written, 0, "bytes while idle");
    let memory = s.peak_memory() as f64 / 1e6;
    let measured = format!("{memory:.0} MB");
    told("peak memory after every screen", &measured, memory / 300.0);
    s.press("q");
    s.exit_code();
}
