//! Running a command under a stand-in for Nsight Compute: a shell script that takes the options that
//! are documented, writes its log and its report where it is told to, and runs the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_core::campaign::{CacheControl, ClockControl, ProfileSpec, ProfileTool};
use assay_core::record::{FailureKind, Stage};
use assay_exec::Cancel;
use assay_exec::gpu_profile::{Ask, GpuProfiled, Tool, run};
use assay_exec::progress::Silent;
use assay_exec::stage::StageJob;

use crate::process::sh;
use crate::profile::{path_with, tool};

/// Runs the program and then prints a table of two launches, as the file `then` beside it says.
const NCU: &str = r#"
here=${0%/*}
case $1 in
  --version) printf 'NVIDIA (R) Nsight Compute Command Line Profiler\nCopyright\nVersion 2025.3.1.0 (build 1) (public-release)\n'; exit;;
  --import) printf '"ID","Kernel Name","sm__cycles.avg"\n"","","cycle"\n"0","k(int)","7"\n'; exit;;
esac
while [ $# -gt 0 ]; do
  case $1 in
    --log-file) log=$2; shift 2;;
    --export) report=$2; shift 2;;
    --csv|--force-overwrite) shift;;
    --*) shift 2;;
    *) break;;
  esac
done
echo '==PROF== Connected to process 7 (/bin/sh)' > "$log"
"$@"; code=$?
echo '==PROF== Disconnected from process 7' >> "$log"
[ $code = 0 ] || echo "==ERROR== The application returned an error code ($code)." >> "$log"
printf 'NVR\0' > "$report"
. "$here/then"
exit $code
"#;

const TABLE: &str =
    r#"printf '"ID","Kernel Name","sm__cycles.avg"\n"","","cycle"\n"0","k(int)","5"\n' >> "$log""#;

struct Lab {
    dir: tempfile::TempDir,
}

impl Lab {
    fn new(then: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        tool(dir.path(), "ncu", NCU);
        fs::write(dir.path().join("then"), then).unwrap();
        Self { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn folder(&self) -> PathBuf {
        self.path().join("report")
    }

    fn profile(&self, script: &str, change: impl FnOnce(&mut StageJob)) -> GpuProfiled {
        let how = ProfileSpec {
            workload: "w".into(),
            kernel: Some("^k".into()),
            tool: ProfileTool::Ncu,
            metrics: Vec::new(),
            launch_skip: 0,
            launch_count: Some(3),
            clock_control: ClockControl::None,
            cache_control: CacheControl::All,
            single_pass: false,
            custom: false,
            port: 50123,
            options: Vec::new(),
        };
        let env = path_with(self.path());
        let log = self.path().join("program.log");
        let mut job = StageJob::new(Stage::Profile, sh(script), self.path(), env, log);
        change(&mut job);
        let lookup = |name: &str| job.env.get(name).cloned();
        let ask = Ask {
            how: &how,
            job: &job,
            folder: &self.folder(),
            kernels: &[],
            lookup: &lookup,
            cancel: &Cancel::new(),
            progress: &Silent,
        };
        run(Tool::Ncu, &ask).unwrap()
    }
}

#[test]
fn report_table_and_output_of_the_program_are_kept_apart() {
    let lab = Lab::new(TABLE);
    fs::create_dir(lab.folder()).unwrap();
    fs::write(lab.folder().join("stale"), "of an earlier run").unwrap();
    let got = lab.profile("echo from the program; echo and to the other >&2", |_| {});
    assert_eq!(got.failure, None);
    let names: Vec<&str> = got.raw.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["profile.ncu-rep.csv", "profile.ncu-rep"]);
    let table = String::from_utf8(got.raw[0].1.clone()).unwrap();
    assert!(
        table.contains("\"k(int)\",\"5\"") && !table.contains("from the program"),
        "{table}"
    );
    assert_eq!(got.raw[1].1, b"NVR\0");
    let log = fs::read_to_string(lab.path().join("program.log")).unwrap();
    assert!(
        log.contains("from the program") && log.contains("to the other"),
        "{log}"
    );
    assert!(!log.contains("==PROF=="), "{log}");
    assert_eq!(
        got.tool_version.as_deref(),
        Some("Version 2025.3.1.0 (build 1) (public-release)")
    );
    assert!(got.command[0].ends_with("/ncu") && got.seconds > 0.0);
    assert!(
        !lab.folder().join("stale").exists(),
        "what an earlier run left is no output of this one"
    );
}

#[test]
fn a_report_without_a_page_is_printed_afterwards() {
    let lab = Lab::new("true");
    let got = lab.profile("true", |_| {});
    assert_eq!(got.failure, None);
    let table = String::from_utf8(got.raw[0].1.clone()).unwrap();
    assert!(table.contains("\"k(int)\",\"7\""), "{table}");
    let lab = Lab::new("rm \"$report\"");
    let got = lab.profile("true", |_| {});
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Infra);
    assert!(
        failure.message.contains("left no table"),
        "{}",
        failure.message
    );
    assert!(got.raw.is_empty());
}

#[test]
fn what_was_counted_of_a_program_that_failed_is_not_handed_back() {
    let lab = Lab::new(TABLE);
    let got = lab.profile("echo no such kernel >&2; exit 2", |_| {});
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Launch);
    assert!(
        failure.message.contains("exit code 2"),
        "{}",
        failure.message
    );
    assert!(
        failure.stderr_tail.contains("no such kernel"),
        "{}",
        failure.stderr_tail
    );
    assert!(got.raw.is_empty());
    // A table that is there does not make up for a profiler that was killed.
    let lab = Lab::new(&format!("{TABLE}\nkill -9 $$"));
    let got = lab.profile("true", |_| {});
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Infra);
    // It can be looked at.
    let left: Vec<&str> = got.left.iter().map(|(name, _)| name.as_str()).collect();
    assert!(left.contains(&"profile.ncu-rep.csv"), "{left:?}");
    assert!(
        failure.message.contains("killed by signal 9"),
        "{}",
        failure.message
    );
}

#[test]
fn a_profiler_that_hangs_is_stopped_and_told() {
    let lab = Lab::new(&format!(
        "{TABLE}\nmkfifo \"$here/never\"; read -r _ < \"$here/never\""
    ));
    let got = lab.profile("true", |job| {
        job.limits.timeout = Some(Duration::from_millis(300));
        job.limits.grace = Duration::from_millis(50);
    });
    let failure = got.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(
        failure
            .message
            .contains("was stopped; what it had counted is not used"),
        "{}",
        failure.message
    );
    assert!(got.raw.is_empty());
}

#[test]
fn a_tool_that_is_not_there_is_a_failure_that_says_where_it_was_looked_for() {
    let missing = Tool::McProfiler.missing(&|_| None);
    assert!(missing.is_some_and(|why| why.contains("mcProfiler")));
}
