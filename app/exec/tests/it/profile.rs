//! Choosing a profiler and running a command under a stand-in for it, or the real one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use assay_core::record::{FailureKind, Stage};
use assay_exec::Cancel;
use assay_exec::fingerprint::{environment, tool_version};
use assay_exec::process::{CommandLine, Env, Program, capture, run};
use assay_exec::profile_cpu::{Choice, Profiler, run_profile};
use assay_exec::progress::Silent;
use assay_exec::stage::StageJob;

use crate::process::{env, sh};

pub fn tool(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn path_with(folder: &Path) -> Env {
    let mut e = env();
    let path = e["PATH"].to_string_lossy().into_owned();
    e.insert("PATH".into(), format!("{}:{path}", folder.display()).into());
    e
}

/// What `perf` said, by a program that says it.
fn said(script: &str) -> assay_exec::process::Finished {
    run(Program::new(sh(script), "/", env()), &Cancel::new())
}

#[test]
fn the_profiler_is_chosen_by_what_the_machine_offers_and_says_why() {
    let valgrind = || Some("valgrind-3.19.0".to_owned());
    let good = said("echo '1234567,,instructions,500,100.00,,' >&2");
    assert_eq!(Choice::of(&good, valgrind()).profiler, Profiler::PerfStat);
    for (script, words) in [
        (
            "echo '<not supported>,,instructions,0,100.00,,' >&2",
            "no hardware counters",
        ),
        (
            "echo 'Error: No permission to enable' >&2; exit 255",
            "perf_event_paranoid",
        ),
        ("echo boom >&2; exit 9", "exit code 9"),
        ("echo '0,,instructions,0,0' >&2", "counts nothing"),
    ] {
        let choice = Choice::of(&said(script), valgrind());
        assert_eq!(choice.profiler, Profiler::Cachegrind);
        assert!(choice.reason.contains(words), "{}", choice.reason);
        assert_eq!(choice.version, valgrind());
        let neither = Choice::of(&said(script), None);
        assert_eq!(neither.profiler, Profiler::Static);
        assert!(neither.reason.contains("valgrind is not installed"));
    }
    let absent = CommandLine::Exec(vec!["/no/perf".into()]);
    let absent = run(Program::new(absent, "/", env()), &Cancel::new());
    assert!(
        Choice::of(&absent, None)
            .reason
            .contains("perf is not installed")
    );
}

fn stage(dir: &Path, env: Env, script: &str) -> StageJob {
    StageJob::new(Stage::Profile, sh(script), dir, env, dir.join("log"))
}

#[test]
fn perf_wraps_the_command_and_its_file_comes_back_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    // Behaves as documented: writes to the file after `-o`, then runs what follows `--`.
    let perf = r#"case $1 in --version) echo perf version 9; exit;; esac
while [ "$1" != -- ]; do [ "$1" = -o ] && out=$2; [ "$1" = -x ] && [ $# -lt 6 ] && { echo "7,,instructions,1,100" >&2; exit; }; shift; done
shift; "$@"; code=$?; echo "42,,instructions,1,100.00,," > $out; exit $code"#;
    tool(dir.path(), "perf", perf);
    tool(dir.path(), "valgrind", "exit 1");
    let env = path_with(dir.path());
    let choice = Choice::probe(&env, &Cancel::new());
    assert_eq!(choice.profiler, Profiler::PerfStat, "{}", choice.reason);
    assert_eq!(choice.version.as_deref(), Some("perf version 9"));
    let script = r#"echo "{\"assay\":1,\"nonce\":\"$ASSAY_NONCE\",\"kind\":\"note\",\"text\":\"ran\"}" >/dev/fd/$ASSAY_FD"#;
    let job = stage(dir.path(), env.clone(), script);
    let folder = dir.path().join("out");
    let got = run_profile(&choice, &job, &folder, &Cancel::new(), &Silent)
        .unwrap()
        .unwrap();
    assert!(got.failure.is_none(), "{:?}", got.failure);
    assert_eq!(got.raw, b"42,,instructions,1,100.00,,\n");
    assert_eq!(got.answers.notes().collect::<Vec<_>>(), ["ran"]);
    assert_eq!(got.command[..3], ["perf", "stat", "-x"]);
    let job = stage(dir.path(), env, "exit 3");
    let got = run_profile(&choice, &job, &folder, &Cancel::new(), &Silent)
        .unwrap()
        .unwrap();
    assert_eq!(got.failure.unwrap().kind, FailureKind::Correctness);
}

#[test]
fn of_several_profiled_processes_the_largest_is_shown_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let valgrind = r#"for a; do case $a in --cachegrind-out-file=*) f=${a#*=}; esac; done
f=${f%\%p}; echo "events: Ir Dr
summary: 50 9" > "${f}1"; echo "events: Ir Dr
summary: 950 8" > "${f}2"; echo broken > "${f}3""#;
    tool(dir.path(), "valgrind", valgrind);
    let choice = Choice {
        profiler: Profiler::Cachegrind,
        reason: String::new(),
        version: None,
    };
    let job = stage(dir.path(), path_with(dir.path()), "true");
    let folder = dir.path().join("out");
    let got = run_profile(&choice, &job, &folder, &Cancel::new(), &Silent)
        .unwrap()
        .unwrap();
    assert_eq!(got.raw, b"events: Ir Dr\nsummary: 950 8\n");
    assert_eq!(
        got.notes,
        ["2 processes were profiled; the one shown executed 950 of 1000 instructions (95.0 %)"]
    );
    tool(dir.path(), "valgrind", "true");
    let job = stage(dir.path(), path_with(dir.path()), "true");
    let empty = dir.path().join("empty");
    let got = run_profile(&choice, &job, &empty, &Cancel::new(), &Silent)
        .unwrap()
        .unwrap();
    assert_eq!(
        got.failure.unwrap().kind,
        FailureKind::Infra,
        "no output is not zero counters"
    );
    let none = Choice {
        profiler: Profiler::Static,
        ..choice
    };
    assert!(
        run_profile(&none, &job, &empty, &Cancel::new(), &Silent)
            .unwrap()
            .is_none()
    );
}

#[test]
fn the_real_cachegrind_counts_where_it_is_installed() {
    let cancel = Cancel::new();
    let Some(version) = tool_version("valgrind", &["--version"], &env(), &cancel) else {
        return;
    };
    let choice = Choice {
        profiler: Profiler::Cachegrind,
        reason: String::new(),
        version: Some(version),
    };
    let dir = tempfile::tempdir().unwrap();
    let note = r#"echo "{\"assay\":1,\"nonce\":\"$ASSAY_NONCE\",\"kind\":\"note\",\"text\":\"ran\"}" >/dev/fd/$ASSAY_FD"#;
    let job = stage(
        dir.path(),
        env(),
        &format!("{note}; head -c 10 /dev/zero; true"),
    );
    let folder = dir.path().join("100%d");
    let got = run_profile(&choice, &job, &folder, &cancel, &Silent)
        .unwrap()
        .unwrap();
    assert!(got.failure.is_none(), "{:?}", got.failure);
    let text = String::from_utf8(got.raw).unwrap();
    assert!(text.contains("events: Ir ") && text.contains("summary: "));
    assert!(
        got.notes[0].starts_with("2 processes were profiled"),
        "{:?}",
        got.notes
    );
}

#[test]
fn tools_are_named_by_their_first_line_and_absence_is_a_fact() {
    let dir = tempfile::tempdir().unwrap();
    tool(dir.path(), "nvcc", "echo; echo ' nvcc: V12 '; echo more");
    tool(dir.path(), "old", "echo 'old 1.0' >&2");
    tool(dir.path(), "broken", "echo x; exit 1");
    let tools = [
        ("nvcc", &["--version"][..]),
        ("old", &["-v"]),
        ("broken", &[]),
        ("no-such-cc", &[]),
    ];
    let got = environment(&tools, &path_with(dir.path()), &Cancel::new());
    let tool = |n: &str| got.stable[&format!("tool.{n}")].clone();
    assert_eq!(tool("nvcc"), "nvcc: V12");
    assert_eq!(tool("old"), "old 1.0");
    assert_eq!(
        (tool("broken"), tool("no-such-cc")),
        ("absent".into(), "absent".into())
    );
    assert!(got.stable.contains_key("cpu.cores") && !got.device.is_empty());
    assert!(
        !got.stable
            .keys()
            .any(|k| k.contains("mhz") || k.contains("bogo"))
    );
}

#[test]
fn capturing_is_bounded_in_time() {
    let dir = tempfile::tempdir().unwrap();
    crate::process::mkfifo(&dir.path().join("fifo"));
    let fifo = dir.path().join("fifo");
    let argv = ["cat", fifo.to_str().unwrap()];
    let done = capture(&argv, env(), Duration::from_millis(100), &Cancel::new());
    assert!(!done.outcome.ok());
}
