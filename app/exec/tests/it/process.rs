//! Processes: outcomes, logs, groups, timeouts, cancellation, descriptors.

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use assay_core::record::{FailureKind, Stage};
use assay_exec::Cancel;
use assay_exec::process::{CommandLine, Env, Limits, Outcome, Program, capture, run};
use assay_exec::progress::Progress;

pub fn env() -> Env {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    Env::from([("PATH".into(), path), ("LC_ALL".into(), "C".into())])
}

pub fn sh(script: &str) -> CommandLine {
    CommandLine::Shell(script.to_owned())
}

fn program(script: &str) -> Program<'static> {
    Program::new(sh(script), "/", env())
}

fn quick() -> Limits {
    Limits {
        grace: Duration::from_millis(100),
        linger: Duration::from_millis(50),
        ..Limits::default()
    }
}

/// Whether a process lives; a zombie that nobody has reaped yet does not.
pub fn alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|s| !s.rsplit(')').next().unwrap_or("").starts_with(" Z"))
}

/// Whether a killed process is gone; the kernel takes a moment over it.
pub fn gone(pid: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while alive(pid) && Instant::now() < end {
        std::thread::yield_now();
    }
    !alive(pid)
}

pub fn mkfifo(path: &Path) {
    let done = capture(
        &["mkfifo", path.to_str().unwrap()],
        env(),
        Duration::from_secs(5),
        &Cancel::new(),
    );
    assert!(done.outcome.ok(), "{:?}", done);
}

#[test]
fn every_way_to_end_has_its_outcome() {
    let cancel = Cancel::new();
    let outcome = |script: &str| run(program(script), &cancel).outcome;
    assert_eq!(outcome("true"), Outcome::Exited(0));
    assert_eq!(outcome("exit 3"), Outcome::Exited(3));
    assert_eq!(outcome("kill -SEGV $$"), Outcome::Signalled(11));
    assert_eq!(outcome("no-such-tool-here"), Outcome::Exited(127));
    let missing = Program::new(CommandLine::Exec(vec!["/no/such".into()]), "/", env());
    let missing = run(missing, &cancel).outcome;
    assert!(
        matches!(&missing, Outcome::SpawnFailed(e) if e.contains("/no/such")),
        "{missing:?}"
    );
    let folder = run(Program::new(sh("true"), "/no/folder", env()), &cancel).outcome;
    assert!(matches!(&folder, Outcome::SpawnFailed(e) if e.contains("folder `/no/folder`")));
    let empty = run(Program::new(CommandLine::Exec(vec![]), "/", env()), &cancel).outcome;
    assert!(matches!(empty, Outcome::SpawnFailed(_)));
}

#[test]
fn exit_codes_mean_what_the_protocol_says() {
    let kind = |o: Outcome, s| o.failure_kind(s);
    assert_eq!(kind(Outcome::Exited(0), Stage::Bench), None);
    assert_eq!(
        kind(Outcome::Exited(1), Stage::Build),
        Some(FailureKind::Compile)
    );
    assert_eq!(
        kind(Outcome::Exited(127), Stage::Build),
        Some(FailureKind::Infra)
    );
    assert_eq!(
        kind(Outcome::Exited(2), Stage::Bench),
        Some(FailureKind::Launch)
    );
    assert_eq!(
        kind(Outcome::Exited(3), Stage::Check),
        Some(FailureKind::Correctness)
    );
    assert_eq!(
        kind(Outcome::Exited(1), Stage::Check),
        Some(FailureKind::Runtime)
    );
    assert_eq!(
        kind(Outcome::Signalled(11), Stage::Bench),
        Some(FailureKind::Runtime)
    );
    let late = Outcome::TimedOut(Duration::from_secs(1));
    assert_eq!(kind(late, Stage::Build), Some(FailureKind::Timeout));
}

#[test]
fn a_package_of_the_toolchain_that_is_missing_is_no_fault_of_the_variant() {
    let cancel = Cancel::new();
    let kind = |module: &str, code: i32, stage| {
        let script = format!(
            "echo \"ModuleNotFoundError: No module named '{module}'\" >&2; echo later; exit {code}"
        );
        let failure = run(program(&script), &cancel).failure(stage).unwrap();
        (failure.kind, failure.message)
    };
    for name in ["tilelang", "torch", "triton"] {
        let (kind, message) = kind(name, 1, Stage::Build);
        assert_eq!(kind, FailureKind::Infra);
        assert!(
            message.contains(&format!("{name} is not installed")),
            "{message}"
        );
    }
    assert_eq!(kind("torch", 1, Stage::Check).0, FailureKind::Infra);
    assert_eq!(kind("torch", 3, Stage::Check).0, FailureKind::Correctness);
    assert_eq!(kind("my_tiles", 1, Stage::Build).0, FailureKind::Compile);
    assert_eq!(
        kind("tilelang.own", 1, Stage::Build).0,
        FailureKind::Compile
    );
}

#[test]
fn a_tool_that_is_missing_is_no_fault_of_the_variant_and_comes_with_its_remedy() {
    let cancel = Cancel::new();
    let of = |script: &str, stage| run(program(script), &cancel).failure(stage).unwrap();
    let no_file = "FileNotFoundError: [Errno 2] No such file or directory:";
    for said in [
        // The shell's own, and what a script of a campaign says that looked for the tool itself.
        "no-such-tool-here",
        "echo 'build.sh: there is no nvcc in PATH' >&2; exit 127",
        // Others that look for it and end in their own way.
        "echo 'sh: 1: nvcc: not found' >&2; exit 1",
        "echo '/usr/bin/mxcc: command not found' >&2; exit 2",
        "echo \"env: 'python3': No such file or directory\" >&2; exit 1",
        &format!("echo \"{no_file} '/usr/local/cuda/bin/nvcc'\" >&2; exit 1"),
        "printf 'make: nvcc: No such file or directory\\nmake: *** [Makefile:2: all] Error 127\\n'; exit 2",
    ] {
        let failure = of(said, Stage::Build);
        assert_eq!(failure.kind, FailureKind::Infra, "{said}: {failure:?}");
        for words in ["a command was not found: ", "`assay doctor`"] {
            assert!(failure.message.contains(words), "{}", failure.message);
        }
    }
    let named = of(
        "echo 'build.sh: there is no nvcc' >&2; exit 127",
        Stage::Build,
    );
    assert!(
        named.message.contains("build.sh: there is no nvcc;"),
        "{}",
        named.message
    );
    // What is missing is of the variant, was only looked for, or is beside a result that is wrong.
    for (said, stage, kind) in [
        (
            "echo 'gen.py: my_table.txt: No such file or directory' >&2; exit 1",
            Stage::Build,
            FailureKind::Compile,
        ),
        (
            "echo 'sh: 1: ninja: not found' >&2; echo 'k.cu(3): error: no such name' >&2; exit 1",
            Stage::Build,
            FailureKind::Compile,
        ),
        (
            "echo 'sh: 1: nvcc: not found' >&2; exit 3",
            Stage::Check,
            FailureKind::Correctness,
        ),
    ] {
        assert_eq!(of(said, stage).kind, kind, "{said}");
    }
}

#[test]
fn output_is_kept_from_the_first_byte_in_order_and_the_environment_is_exact() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("run.log");
    let mut e = env();
    e.insert("GIVEN".into(), "a b".into());
    let script = "echo out; echo err >&2; cat; env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^ASSAY_RUN=' | sort; pwd";
    let done = run(
        Program::new(sh(script), dir.path(), e).log(&log),
        &Cancel::new(),
    );
    assert!(done.outcome.ok());
    let text = fs::read_to_string(&log).unwrap();
    let path = std::env::var("PATH").unwrap();
    let cwd = dir.path().canonicalize().unwrap();
    assert_eq!(
        text,
        format!(
            "out\nerr\nGIVEN=a b\nLC_ALL=C\nPATH={path}\n{}\n",
            cwd.display()
        )
    );
    assert_eq!(done.tail, text.as_bytes());
    let again = run(program("echo more").append_log(&log), &Cancel::new());
    assert!(again.outcome.ok());
    assert_eq!(fs::read_to_string(&log).unwrap(), format!("{text}more\n"));
}

#[test]
fn standard_output_can_be_kept_apart_up_to_a_size() {
    let done = run(
        program("echo answer; echo noise >&2").keep_stdout(1 << 10),
        &Cancel::new(),
    );
    assert_eq!(done.stdout, b"answer\n");
    assert_eq!(done.output_bytes, 13);
    let cut = run(
        program("yes | head -c 9000").keep_stdout(10),
        &Cancel::new(),
    );
    assert_eq!(cut.stdout.len(), 10);
    assert_eq!(cut.output_bytes, 9000);
}

#[test]
fn a_program_that_runs_too_long_is_stopped_even_if_it_ignores_term() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    for script in ["cat fifo", "trap '' TERM; cat fifo"] {
        let start = Instant::now();
        let limits = Limits {
            timeout: Some(Duration::from_millis(100)),
            ..quick()
        };
        let done = run(
            Program::new(sh(script), dir.path(), env()).limits(limits),
            &Cancel::new(),
        );
        assert_eq!(done.outcome, Outcome::TimedOut(Duration::from_millis(100)));
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn cancelling_ends_the_whole_group_with_time_to_clean_up() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let cancel = Cancel::new();
    let (tx, rx) = mpsc::channel::<String>();
    let script = "trap 'echo cleaned > trace; exit 0' TERM
        sh -c 'trap \"\" TERM; echo $$; exec cat fifo' & wait";
    let done = std::thread::scope(|s| {
        let p = Program::new(sh(script), dir.path(), env())
            .limits(quick())
            .on_output(move |b| drop(tx.send(String::from_utf8_lossy(b).trim().to_owned())));
        let handle = s.spawn(|| run(p, &cancel.child()));
        let child = rx.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(alive(&child));
        cancel.cancel();
        (handle.join().unwrap(), child)
    });
    let (done, child) = done;
    assert_eq!(done.outcome, Outcome::Cancelled);
    assert!(gone(&child), "the child that ignores TERM is gone");
    assert_eq!(
        fs::read_to_string(dir.path().join("trace")).unwrap(),
        "cleaned\n"
    );
    let never = run(program("echo x > /dev/full"), &cancel);
    assert_eq!(
        never.outcome,
        Outcome::Cancelled,
        "nothing is started after a cancellation"
    );
}

#[test]
fn a_grandchild_that_holds_the_output_does_not_hold_us() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let start = Instant::now();
    let script = "cat fifo & echo $!; exit 4";
    let done = run(
        Program::new(sh(script), dir.path(), env()).limits(quick()),
        &Cancel::new(),
    );
    assert_eq!(done.outcome, Outcome::Exited(4));
    assert!(done.lingered);
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(gone(done.tail_text().trim()));
}

#[test]
fn a_background_child_that_closed_the_output_is_ended_too() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let script = "cat fifo >/dev/null 2>&1 & echo $!";
    let done = run(Program::new(sh(script), dir.path(), env()), &Cancel::new());
    assert!(done.outcome.ok() && !done.lingered);
    assert!(gone(done.tail_text().trim()));
}

#[test]
fn a_process_that_left_the_group_cannot_block_us() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let limits = Limits {
        give_up: Duration::from_millis(50),
        ..quick()
    };
    let script = "setsid sh -c 'echo $$; exec cat fifo' & read x < go";
    mkfifo(&dir.path().join("go"));
    let go = dir.path().join("go");
    let start = Instant::now();
    let p = Program::new(sh(script), dir.path(), env())
        .limits(limits)
        .on_output(move |_| drop(fs::write(&go, "x\n")));
    let done = run(p, &Cancel::new());
    assert!(done.outcome.ok(), "{done:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(
        done.problems[0].contains("outside the group"),
        "{:?}",
        done.problems
    );
    // Lets the stranger go.
    fs::write(dir.path().join("fifo"), "").unwrap();
}

/// Lets a program go on as soon as its first line is told.
struct LetsGo {
    go: std::path::PathBuf,
    said: Mutex<Vec<String>>,
}

impl Progress for LetsGo {
    fn stage(&self, _: &str) {}
    fn step(&self, _: u64, _: u64, _: Option<u64>) {}
    fn line(&self, _: &str) {}
    fn said(&self, text: &str) {
        let mut said = self.said.lock().unwrap();
        if said.is_empty() {
            fs::write(&self.go, "x\n").unwrap();
        }
        said.push(text.to_owned());
    }
}

#[test]
fn what_a_program_prints_is_told_while_it_runs_and_is_inert() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    mkfifo(&go);
    let told = LetsGo {
        go,
        said: Mutex::default(),
    };
    let script = "echo one; read x < go; printf 'two\\033[2J\\nno end' >&2";
    let p = Program::new(sh(script), dir.path(), env()).told_to(&told);
    assert!(run(p, &Cancel::new()).outcome.ok());
    let said = told.said.into_inner().unwrap();
    assert_eq!(said, ["one", "two\\x1b[2J", "no end"]);
}

#[test]
fn what_left_the_group_does_not_outlive_a_timeout() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    // The stranger closes our output, waits for what never comes, and has told its number before.
    let script = "setsid sh -c 'echo $$ > pid; : > told; exec cat fifo' > /dev/null 2>&1 & \
                  cat fifo";
    let limits = Limits {
        timeout: Some(Duration::from_secs(2)),
        ..quick()
    };
    let done = run(
        Program::new(sh(script), dir.path(), env()).limits(limits),
        &Cancel::new(),
    );
    assert!(matches!(done.outcome, Outcome::TimedOut(_)), "{done:?}");
    let pid = fs::read_to_string(dir.path().join("pid")).unwrap();
    assert!(gone(pid.trim()), "{pid} lives: {done:?}");
    let told = format!("({})", pid.trim());
    assert!(done.problems.iter().any(|p| p.contains(&told)), "{done:?}");
}

#[test]
fn much_output_takes_little_memory_and_keeps_head_and_tail() {
    let rss = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let before = rss();
    let script = "echo first; head -c 200000000 /dev/zero; echo last";
    let limits = Limits {
        log_kept: 8 << 20,
        ..Limits::default()
    };
    let done = run(program(script).limits(limits).log(&log), &Cancel::new());
    let grown = rss().saturating_sub(before);
    assert!(done.outcome.ok(), "the program goes on");
    assert_eq!(done.output_bytes, 200_000_011);
    assert!(grown < 60_000, "grew by {grown} KiB");
    let text = fs::read(&log).unwrap();
    assert!(text.len() < 9 << 20);
    assert!(text.starts_with(b"first\n") && text.ends_with(b"last\n"));
    let note = format!(
        "[assay: {} bytes of output are left out here]",
        done.cut_bytes
    );
    assert!(text.windows(note.len()).any(|w| w == note.as_bytes()));
}

#[test]
fn endless_output_is_stopped_at_the_hard_limit() {
    let limits = Limits {
        output_max: 1 << 20,
        ..quick()
    };
    let done = run(program("yes").limits(limits), &Cancel::new());
    assert!(
        matches!(done.outcome, Outcome::OutputLimit(n) if n > 1 << 20),
        "{:?}",
        done.outcome
    );
}

#[test]
fn a_log_that_cannot_be_written_is_said() {
    let done = run(program("echo x").append_log("/dev/full"), &Cancel::new());
    assert!(done.outcome.ok());
    assert!(
        done.problems[0].contains("not whole"),
        "{:?}",
        done.problems
    );
    let done = run(program("echo x").log("/proc/no/log"), &Cancel::new());
    assert!(matches!(done.outcome, Outcome::SpawnFailed(e) if e.contains("log")));
}

#[test]
fn descriptors_reach_the_child_and_no_other_ones_do() {
    let mut got = Vec::new();
    // A shell may know one digit only in `>&N`; `/dev/fd` takes any number.
    let script = "read line </dev/fd/$IN; echo \"got $line\" >/dev/fd/$OUT; ls -l /proc/self/fd";
    let p = program(script)
        .read_channel("OUT", |b| got.extend_from_slice(b))
        .unwrap();
    // Another pipe of ours, open at the same time, must not leak into the child.
    let other = std::io::pipe().unwrap();
    let name = format!("/proc/self/fd/{}", other.0.as_raw_fd());
    let name = fs::read_link(name).unwrap().display().to_string();
    let (p, mut to) = p.write_channel("IN").unwrap();
    std::io::Write::write_all(&mut to, b"hello\n").unwrap();
    let done = run(p, &Cancel::new());
    drop((other, to));
    assert!(done.outcome.ok(), "{done:?}");
    assert_eq!(got, b"got hello\n");
    assert!(name.starts_with("pipe:") && !done.tail_text().contains(&name));
}

#[test]
fn what_a_program_prints_is_inert_in_the_tail() {
    let done = run(program("printf '\\033[2Jred\\n'; exit 1"), &Cancel::new());
    let failure = done.failure(Stage::Check).unwrap();
    assert_eq!(failure.kind, FailureKind::Runtime);
    assert_eq!(failure.stderr_tail, "\\x1b[2Jred\n");
    assert_eq!(failure.message, "check: exit code 1");
}

/// Not a test: the program that the next test kills.
#[test]
#[ignore = "run by `no_program_outlives_us`"]
fn helper_that_waits() {
    if let Some(dir) = std::env::var_os("HELPER_DIR") {
        run(
            Program::new(
                sh("echo $$ > pid.new; mv pid.new pid; exec cat fifo"),
                dir,
                env(),
            ),
            &Cancel::new(),
        );
    }
}

#[test]
fn no_program_outlives_us() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let mut us = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "process::helper_that_waits"])
        .env("HELPER_DIR", dir.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let file = dir.path().join("pid");
    while !file.exists() {
        assert!(
            us.try_wait().unwrap().is_none(),
            "the helper has ended by itself"
        );
        std::thread::yield_now();
    }
    let pid = fs::read_to_string(&file).unwrap();
    assert!(alive(pid.trim()));
    us.kill().unwrap();
    us.wait().unwrap();
    assert!(gone(pid.trim()), "the kernel ends the program with us");
}

#[test]
fn the_first_signal_cancels() {
    let cancel = Cancel::new();
    let _guard = assay_exec::signals::cancel_on_signals(&cancel).unwrap();
    let us = std::process::id().to_string();
    let done = capture(
        &["kill", "-INT", &us],
        env(),
        Duration::from_secs(10),
        &Cancel::new(),
    );
    assert!(done.outcome.ok(), "{done:?}");
    assert!(cancel.wait(Duration::from_secs(30)));
}

#[test]
#[ignore = "writes 1 GB; for docs/performance.md"]
fn a_gigabyte_of_output() {
    let dir = tempfile::tempdir().unwrap();
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        status
            .lines()
            .find(|l| l.starts_with("VmHWM"))
            .unwrap()
            .to_owned()
    };
    println!("before: {}", peak());
    let done = run(
        program("head -c 1000000000 /dev/zero").log(dir.path().join("log")),
        &Cancel::new(),
    );
    println!(
        "after: {}; {:?}; kept {}",
        peak(),
        done.wall,
        done.output_bytes - done.cut_bytes
    );
    let start = Instant::now();
    for _ in 0..100 {
        assert!(run(program("true"), &Cancel::new()).outcome.ok());
    }
    println!("one `sh -c true`: {:?}", start.elapsed() / 100);
}
