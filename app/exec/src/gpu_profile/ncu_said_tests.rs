//! Real lines of `ncu`, and what they come to.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use assay_core::campaign::{CacheControl, ClockControl, Command, ProfileSpec, ProfileTool};
use assay_core::record::Stage;

use super::*;
use crate::Cancel;
use crate::process::Env;
use crate::progress::Silent;
use crate::stage::StageJob;

pub(in super::super) fn spec(kernel: Option<&str>) -> ProfileSpec {
    ProfileSpec {
        workload: "w".into(),
        kernel: kernel.map(str::to_owned),
        tool: ProfileTool::Auto,
        metrics: Vec::new(),
        launch_skip: 0,
        launch_count: Some(3),
        clock_control: ClockControl::None,
        cache_control: CacheControl::All,
        single_pass: false,
        custom: false,
        port: 50123,
        options: Vec::new(),
    }
}

/// The failure of a run that printed this and ended so.
fn judged(printed: &str, tail: &str, outcome: Outcome) -> Option<(FailureKind, String)> {
    let mut finished = Finished::not_started(outcome);
    finished.tail = tail.as_bytes().to_vec();
    let how = spec(Some("^gemm"));
    let command = Command::Exec(vec!["true".into()]);
    let job = StageJob::new(Stage::Profile, command, "/", Env::new(), "/dev/null");
    let nothing = |_: &str| -> Option<OsString> { None };
    let ask = Ask {
        how: &how,
        job: &job,
        folder: Path::new("/"),
        kernels: &[],
        lookup: &nothing,
        cancel: &Cancel::new(),
        progress: &Silent,
    };
    let failure = Said::of(printed, tail).failure(&finished, &ask)?;
    Some((failure.kind, failure.message))
}

const CONNECTED: &str = "==PROF== Connected to process 511 (/tmp/mm)\n";

#[test]
fn every_known_cause_is_told_with_what_to_do() {
    for (said, words) in [
        (
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n",
            "setting of the host's driver",
        ),
        (
            "==ERROR== An error was reported by the driver:\n==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.\n==ERROR== Failed to profile \"flash_fwd_kernel\" in process 7\n==ERROR== The application returned an error code (9).\n",
            "another tool holds the counters",
        ),
        (
            "==ERROR== Failed to initialize the profiler: LibraryNotLoaded. Check that a compatible driver library is loaded.\n==ERROR== The application returned an error code (9).\n",
            "does not fit the driver",
        ),
        (
            "==ERROR== Nsight Compute failed to connect to the CUDA driver (stub libcuda.so[.1] on path?).\n==ERROR== The application returned an error code (1).\n==WARNING== No kernels were profiled.\n",
            "newer than the driver",
        ),
        (
            "==ERROR== Cannot lock GPU clock frequencies on MIG! Try locking the clocks externally\n",
            "clock_control = \"none\"",
        ),
        (
            "==ERROR== Failed to open/create lock file /tmp/nsight-compute-lock. Please check that this process has write permissions on this file.\n",
            "another TMPDIR",
        ),
    ] {
        let (kind, message) =
            judged(&format!("{CONNECTED}{said}"), "", Outcome::Exited(1)).unwrap();
        assert_eq!(kind, FailureKind::Infra, "{said}");
        assert!(message.contains(words), "{message}");
    }
    // The cause may stand in what the program printed.
    let tail = "CUDA error: no CUDA-capable device is detected\n";
    let printed = format!("{CONNECTED}==ERROR== The application returned an error code (1).\n");
    let (kind, message) = judged(&printed, tail, Outcome::Exited(1)).unwrap();
    assert_eq!(kind, FailureKind::Infra);
    assert!(message.contains("no CUDA device here"), "{message}");
    // What a program that went well printed is no cause of anything.
    assert_eq!(judged(CONNECTED, tail, Outcome::Exited(0)), None);
}

#[test]
fn kernels_that_were_seen_are_named_when_none_was_meant() {
    let printed = format!(
        "{CONNECTED}==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. fill(float *)\n2. \u{1b}[31mcopy<int>(int *)\n\n3. no more\n"
    );
    let (kind, message) = judged(&printed, "", Outcome::Exited(0)).unwrap();
    assert_eq!(kind, FailureKind::Runtime);
    assert!(
        message.contains("matches [profile] kernel = \"^gemm\""),
        "{message}"
    );
    assert!(
        message.contains("ncu saw `fill(float *)`, `") && message.contains("copy<int>"),
        "{message}"
    );
    assert!(
        !message.contains('\u{1b}') && !message.contains("no more"),
        "{message}"
    );
    let printed = "==WARNING== No kernels were profiled.\n";
    let (_, message) = judged(printed, "", Outcome::Exited(0)).unwrap();
    assert!(message.contains("does not say which"), "{message}");
}

#[test]
fn a_program_that_fails_under_the_profiler_keeps_its_kind_of_failure() {
    for (code, kind) in [
        (1, FailureKind::Runtime),
        (2, FailureKind::Launch),
        (3, FailureKind::Correctness),
    ] {
        let printed = format!(
            "{CONNECTED}==PROF== Disconnected from process 511\n==ERROR== The application returned an error code ({code}).\n\"ID\",\"x\"\n\"0\",\"1\"\n"
        );
        let (found, message) = judged(&printed, "", Outcome::Exited(1)).unwrap();
        assert_eq!(found, kind);
        assert!(
            message.contains("what was counted is not used"),
            "{message}"
        );
    }
}

#[test]
fn a_hang_a_crash_and_counting_by_half_are_failures() {
    let hang = Outcome::TimedOut(Duration::from_secs(120));
    let (kind, message) = judged(CONNECTED, "", hang).unwrap();
    assert_eq!(kind, FailureKind::Timeout);
    assert!(
        message.contains("not done after 120 s") && message.contains("launch_count"),
        "{message}"
    );
    let (kind, message) = judged(CONNECTED, "", Outcome::Signalled(11)).unwrap();
    assert_eq!(kind, FailureKind::Infra);
    assert!(message.contains("killed by signal 11"), "{message}");
    let printed = format!(
        "{CONNECTED}==PROF== Profiling \"volta\" - 18: 0%....50%.... - 19 passes\n==ERROR== Failed to profile \"volta\" in process 24701\n==PROF== Trying to shutdown target application\n==ERROR== The application returned an error code (15).\n==ERROR== An error occurred while trying to profile.\n\"ID\",\"x\"\n"
    );
    let (kind, message) = judged(&printed, "", Outcome::Exited(9)).unwrap();
    assert_eq!(kind, FailureKind::Infra);
    assert!(message.contains("could not count `volta`"), "{message}");
    assert_eq!(judged("", "", Outcome::Exited(0)), None);
}

#[test]
fn a_table_that_is_missing_or_cut_is_refused() {
    let missing = Said::of(CONNECTED, "").incomplete().unwrap();
    assert!(
        missing.message.contains("left no table"),
        "{}",
        missing.message
    );
    let cut = Said::of("\"ID\",\"x\"\n\"0\",\"1", "")
        .incomplete()
        .unwrap();
    assert!(cut.message.contains("within a line"), "{}", cut.message);
    assert!(
        Said::of("\"ID\",\"x\"\n\"0\",\"1\"\n", "")
            .incomplete()
            .is_none()
    );
}
