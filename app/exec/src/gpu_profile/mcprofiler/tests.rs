//! The command line, and what is made of what it says.

use super::super::ncu_said::tests::spec;
use super::*;

use crate::progress::Silent;
use crate::stage::StageJob;
use assay_core::record::{Failure, Stage};

fn asked<T>(how: &ProfileSpec, kernels: &[String], with: impl FnOnce(&Ask<'_>) -> T) -> T {
    let command = CommandLine::Exec(vec!["run".into()]);
    let job = StageJob::new(Stage::Profile, command, "/", Env::new(), "/log");
    with(&Ask {
        how,
        job: &job,
        folder: Path::new("/f"),
        kernels,
        lookup: &|_| None,
        cancel: &Cancel::new(),
        progress: &Silent,
    })
}

fn line(kernels: &[&str], change: impl FnOnce(&mut ProfileSpec)) -> (String, Vec<String>) {
    let mut how = spec(Some("gemm"));
    change(&mut how);
    let kernels: Vec<String> = kernels.iter().map(|k| (*k).to_owned()).collect();
    let home = Home {
        program: "/o/mcProfiler".into(),
        folder: "/o".into(),
    };
    let mut notes = Vec::new();
    let words = asked(&how, &kernels, |ask| words(&home, ask, 50123, &mut notes));
    (words.join(" "), notes)
}

#[test]
fn the_command_line_follows_the_keys() {
    let (plain, notes) = line(&["gemm_kernel"], |_| {});
    assert_eq!(
        plain,
        "/o/mcProfiler perf_exec --cmdline sh target.sh --cwd /f --casename assay --output /f/output --port 50123 \
         --per-kernel --kernelname gemm_kernel --kernelnames gemm_kernel --counts 3"
    );
    assert!(notes.is_empty());
    let (all, notes) = line(&["a", "b"], |how| {
        how.single_pass = true;
        how.custom = true;
        how.launch_count = None;
        how.launch_skip = 2;
        how.metrics = vec!["L2C Hit Rate".into()];
        how.options = vec!["--multi-device".into()];
    });
    assert!(
        all.ends_with("--kernelnames a b --counts 0 --custom --single-pass --metrics L2C Hit Rate --multi-device"),
        "{all}"
    );
    assert!(
        notes[0].contains("launch_skip") && notes[1].contains("one pass"),
        "{notes:?}"
    );
    let (unknown, notes) = line(&[], |_| {});
    assert!(
        unknown.ends_with("--kernelname all --counts 0"),
        "{unknown}"
    );
    assert!(notes[0].contains("all of them are counted"), "{notes:?}");
}

#[test]
fn proxies_are_left_out_whatever_their_case() {
    let names = ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy", "PATH"];
    let env: Env = names
        .iter()
        .map(|n| ((*n).to_owned(), "x".into()))
        .collect();
    assert_eq!(without_proxies(&env).keys().collect::<Vec<_>>(), ["PATH"]);
}

#[test]
fn a_port_in_use_is_left_alone() {
    let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let taken = held.local_addr().unwrap().port();
    let mut notes = Vec::new();
    let other = port(taken, &mut notes).unwrap();
    assert_ne!(other, taken);
    assert!(notes[0].contains("is in use"), "{notes:?}");
}

fn judged(log: &str, outcome: process::Outcome, files: &[&str]) -> Option<Failure> {
    let mut finished = process::Finished::not_started(outcome);
    finished.tail = log.as_bytes().to_vec();
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let how = spec(Some("gemm"));
    asked(&how, &["gemm_kernel".into()], |ask| {
        Said::of(log).failure(&finished, &files, ask)
    })
}

const DONE: &str =
    "[info] output path is: /f/output\nperf done, please check report file /f/output\n";

#[test]
fn a_report_counts_only_when_it_says_that_it_is_through() {
    use process::Outcome::{Exited, Signalled, TimedOut};
    let one = ["/f/1_gemm_kernel.txt.json"];
    assert_eq!(judged(DONE, Exited(0), &one), None);
    for (log, outcome, files, kind, words) in [
        (
            "[info] output path is: /f\n",
            Exited(0),
            &[][..],
            FailureKind::Infra,
            "raw counters may be there",
        ),
        (
            "[info] output path is: /f\n",
            Exited(0),
            &one,
            FailureKind::Infra,
            "may be cut short",
        ),
        (
            DONE,
            Exited(0),
            &["/f/report.txt"],
            FailureKind::Runtime,
            "saw no launch of `gemm_kernel`",
        ),
        (
            DONE,
            Signalled(11),
            &one,
            FailureKind::Infra,
            "killed by signal 11",
        ),
        (
            "clean server failed\n",
            Exited(1),
            &[],
            FailureKind::Infra,
            "end that process",
        ),
        (
            "ERROR: [Errno 2] No such file or directory: '/root/config'\n",
            Exited(1),
            &[],
            FailureKind::Infra,
            "ASSAY_MCPROFILER",
        ),
        (
            "execute_failed: 2\n",
            Exited(1),
            &[],
            FailureKind::Runtime,
            "the program failed under it",
        ),
        (
            "StatusCode.UNIMPLEMENTED\n",
            Exited(1),
            &[],
            FailureKind::Infra,
            "MACA 3.7.0",
        ),
        (
            "try to connect to server 127.0.0.1:3456\n",
            TimedOut(Duration::from_secs(9)),
            &[],
            FailureKind::Timeout,
            "a proxy in the environment",
        ),
        (
            DONE,
            TimedOut(Duration::from_secs(9)),
            &one,
            FailureKind::Timeout,
            "raise [profile] timeout",
        ),
    ] {
        let f = judged(log, outcome, files).unwrap();
        assert_eq!(f.kind, kind, "{}", f.message);
        assert!(f.message.contains(words), "{}", f.message);
    }
    assert!(
        Said::of("RoofLine: cannot draw from data: 'processed_data'").notes()[0]
            .contains("too small")
    );
}

#[test]
fn reports_are_told_by_their_names() {
    for (name, launch) in [
        ("1_gemm_kernel.txt", Some(1)),
        ("12_a_b_dumped_result.json", Some(12)),
        ("report.txt.csv", None),
        ("report_dumped_result.json", None),
    ] {
        assert!(said::is_report(name), "{name}");
        assert_eq!(said::launch_of(name), launch);
    }
    for name in [
        "assay.json",
        "batches.json",
        "event_batch_0.json",
        "report.pdf",
        "target.txt",
    ] {
        assert!(!said::is_report(name), "{name}");
    }
}
