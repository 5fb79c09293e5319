//! The profile stage with the profiler of a device, and what the compiler says of resources.
//!
//! No machine with a GPU runs these tests: `ncu` and `nvidia-smi` are stand-ins, shell scripts that
//! take the documented options, and print what the tools print. The table of counters is a real one.

use std::fs;

use serde_json::Value;

use crate::support::{Lab, gate, write};

/// Counters of three kernels, three launches of each, as Nsight Compute 2025.3.1 printed them.
const RAW: &str = include_str!("../../../../docs/samples/gemm_h200_ncu_raw.csv");

/// A driver that tells of one card on which nothing runs.
const NVIDIA: &str = r#"
case "$*" in
  *compute-apps*) echo 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]'; exit 0;;
  *driver_version*) echo 'index, name, uuid, driver_version'; echo '0, NVIDIA H200, GPU-1, 1.0'; exit 0;;
esac
echo 'uuid, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active'
echo 'GPU-1, 1980 MHz, 97 %, 0x0000000000000000'
"#;

/// The profiler: notes how it was called, runs the program, and prints what `$HOME/ncu.txt` holds.
const NCU: &str = r#"
[ "$1" = --version ] && { echo 'Version 2025.3.1.0 (build 1) (public-release)'; exit; }
echo "$*" > "$HOME/ncu.called"
while [ $# -gt 0 ]; do
  case $1 in
    --log-file) log=$2; shift 2;;
    --export) report=$2; shift 2;;
    --csv|--force-overwrite) shift;;
    --*) shift 2;;
    *) break;;
  esac
done
"$@"
printf 'NVR\0stand-in' > "$report"
cat "$HOME/ncu.txt" > "$log"
"#;

const STAGE: &str = "[profile]\ncommand = \"echo output of the program\"\nworkload = \"small\"\nkernel = \"^gemm_wmma\"\n\n[decide]";

fn lab(more: &[(&str, &str)]) -> Lab {
    let cuda = [
        ("device = \"cpu\"", "device = \"cuda\""),
        ("[decide]", STAGE),
    ];
    let lab = Lab::changed(&[&cuda, more].concat());
    lab.tool("nvidia-smi", NVIDIA);
    lab.tool("ncu", NCU);
    write(&lab.home().join("ncu.txt"), RAW);
    lab
}

fn run_of(lab: &Lab, name: &str) -> Value {
    let runs = lab.records_of("run");
    let of = |r: &&Value| r["body"]["subject"]["name"] == name;
    runs.iter().rev().find(of).unwrap()["body"].clone()
}

#[test]
fn the_campaigns_kernel_is_chosen_its_files_are_kept_and_nothing_of_it_is_a_time() {
    let lab = lab(&[(
        "[[gate]]\nname = \"correct\"",
        "[[gate]]\nname = \"registers\"\nrule = \"counter[\\\"resource.registers\\\"] < 255\"\n\n[[gate]]\nname = \"correct\"",
    )]);
    lab.variant("quick", &[("cost", "80")]);
    let run = lab.assay(&["run", "quick"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert!(run.err.contains("taken by Nsight Compute"), "{}", run.err);
    assert!(run.err.contains("left out: `gemm_naive"), "{}", run.err);
    let called = fs::read_to_string(lab.home().join("ncu.called")).unwrap();
    for words in [
        "--csv --page raw",
        "--clock-control none",
        "--kernel-name regex:^gemm_wmma --launch-count 3",
        "sh -c echo output of the program",
    ] {
        assert!(called.contains(words), "{called}");
    }
    let profile = &lab.records_of("profile")[0]["body"];
    assert_eq!(profile["tool"], "ncu", "{profile:#}");
    assert_eq!(profile["launches"], 3);
    assert!(
        profile["kernel"]
            .as_str()
            .unwrap()
            .starts_with("gemm_wmma(")
    );
    assert_eq!(profile["flavour"], "ncu-rep");
    assert_eq!(
        profile["tool_version"],
        "Version 2025.3.1.0 (build 1) (public-release)"
    );
    assert_eq!(profile["raw"]["name"], "profile.ncu-rep.csv");
    assert_eq!(profile["files"][0]["name"], "profile.ncu-rep");
    assert!(
        profile["counters"]["resource.registers"]["value"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    let row = lab.row("quick");
    assert_eq!(gate(&row, "registers")["pass"], true, "{row:#}");
    // The times are those of the harness: 80 ns, and not the profiler's.
    assert_eq!(row["verdict"], "FASTER");
    let samples = lab.samples_of(&lab.records_of("measurement")[0]);
    assert!(samples.iter().all(|l| l["source"] != "ncu"));

    // It is read again from the ledger like an imported report, without any `ncu`.
    lab.champion("slow", &[("cost", "70")]);
    let compared = lab.assay(&["compare", "quick", "slow", "--counters", "--json"]);
    assert!(compared.out.contains("resource.registers"), "{compared:#?}");
    lab.verify();
}

#[test]
fn counters_of_another_device_are_no_counters_of_this_one() {
    let lab = lab(&[]);
    let other = RAW.replace("NVIDIA H200", "NVIDIA A100-SXM4-80GB");
    write(&lab.home().join("ncu.txt"), &other);
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"])
        .fails(4, &["NVIDIA A100-SXM4-80GB", "NVIDIA H200"]);
    let failure = &run_of(&lab, "quick")["failure"];
    assert_eq!(failure["kind"], "infra", "{failure:#}");
    assert_eq!(failure["stage"], "profile");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("nothing of it is used") && message.contains("[target.NAME] gpu"),
        "{message}"
    );
    assert!(lab.records_of("profile").is_empty());
}

#[test]
fn counters_that_the_host_forbids_are_told_and_the_verdict_stands() {
    let lab = lab(&[]);
    let refused = "==PROF== Connected to process 9 (/bin/sh)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.\n";
    write(&lab.home().join("ncu.txt"), refused);
    lab.variant("quick", &[("cost", "80")]);
    let run = lab.assay(&["run", "quick"]);
    assert_ne!(run.code, 0);
    assert!(run.out.contains("quick: FASTER"), "{run:#?}");
    let failure = &run_of(&lab, "quick")["failure"];
    assert_eq!(failure["kind"], "infra", "{failure:#}");
    assert_eq!(failure["stage"], "profile");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("setting of the host's driver")
            && message.contains("NVreg_RestrictProfilingToAdminUsers=0"),
        "{message}"
    );
    assert!(lab.records_of("profile").is_empty());
    assert_eq!(lab.records_of("verdict")[0]["body"]["verdict"], "FASTER");
    lab.assay(&["accept", "quick", "--reason", "a host without counters"])
        .ok();
    lab.verify();
}

#[test]
fn a_report_that_is_not_of_the_kernel_or_not_whole_is_a_failure_with_what_was_seen() {
    let lab = lab(&[]);
    for (i, (text, words)) in [
        (
            "==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. gemm_naive(int)\n2. fill(float *)\n".to_owned(),
            "ncu saw `gemm_naive(int)`, `fill(float *)`",
        ),
        // Without a filter that ncu could read, the report may have other kernels only.
        (RAW.replace("gemm_wmma", "other"), "no kernel in the report matches"),
        (RAW[..RAW.len() - 40].to_owned(), "within a line"),
    ]
    .into_iter()
    .enumerate()
    {
        write(&lab.home().join("ncu.txt"), &text);
        let name = format!("v{i}");
        lab.variant(&name, &[("cost", "80"), ("size", &format!("{}", 11 + i))]);
        let run = lab.assay(&["run", &name, "--stages", "build,profile"]);
        assert_ne!(run.code, 0, "{run:#?}");
        let failure = &run_of(&lab, &name)["failure"];
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
        assert_eq!(failure["stage"], "profile");
    }
    assert!(lab.records_of("profile").is_empty());
}

#[test]
fn a_profiler_that_crashes_or_hangs_is_a_recorded_failure_with_what_it_left() {
    let limit = "kernel = \"^gemm_wmma\"\n";
    let lab = lab(&[(limit, &format!("{limit}timeout = \"4s\"\n"))]);
    lab.variant("quick", &[("cost", "80")]);
    for (end, kind, words) in [
        ("kill -9 $$", "infra", "killed by signal 9"),
        (
            "mkfifo \"$HOME/never\"; read -r _ < \"$HOME/never\"",
            "timeout",
            "was stopped",
        ),
    ] {
        lab.tool("ncu", &format!("{NCU}\n{end}"));
        let run = lab.assay(&["run", "quick", "--stages", "build,check,profile"]);
        assert_ne!(run.code, 0, "{run:#?}");
        let run = run_of(&lab, "quick");
        let failure = &run["failure"];
        assert_eq!(
            (&failure["kind"], &failure["stage"]),
            (&kind.into(), &"profile".into())
        );
        assert!(
            failure["message"].as_str().unwrap().contains(words),
            "{failure:#}"
        );
        let left: Vec<&str> = (run["left"].as_array().unwrap().iter())
            .filter_map(|f| f["name"].as_str())
            .collect();
        assert!(left.contains(&"profile.ncu-rep.csv"), "{left:?}");
    }
    assert!(
        lab.records_of("profile").is_empty(),
        "nothing of it is a report"
    );
    let folder = lab.root().join("left");
    let written = lab
        .assay(&["show", "quick", "--left", &folder.to_string_lossy()])
        .ok();
    assert!(
        written.lines().all(|f| fs::metadata(f).unwrap().len() > 0),
        "{written}"
    );
}

#[test]
fn what_the_compiler_says_of_resources_is_recorded_and_gates_read_it() {
    let lab = Lab::changed(&[
        (
            "[[gate]]\nname = \"correct\"",
            "[[gate]]\nname = \"no-spills\"\nrule = \"resource.spill_bytes == 0\"\n\n[[gate]]\nname = \"registers\"\nrule = \"resource[\\\"registers\\\"] <= 168\"\n\n[[gate]]\nname = \"correct\"",
        ),
        (
            "command = \"sh harness/build.sh\"",
            "command = \"cat kernel/ptxas.txt >&2; sh harness/build.sh\"",
        ),
    ]);
    let ptxas = "ptxas info    : Compiling entry function '_Z4gemmPf' for 'sm_90'\nptxas info    : Function properties for _Z4gemmPf\n    64 bytes stack frame, 40 bytes spill stores, 24 bytes spill loads\nptxas info    : Used 168 registers, used 1 barriers, 16384 bytes smem, 560 bytes cmem[0]\n";
    lab.assay(&["new", "spilling", "--why", "a test"]).ok();
    let tree = lab.edit("spilling");
    write(&tree.join("kernel/ptxas.txt"), ptxas);
    lab.change("spilling", &[("cost", "80")]);
    lab.assay(&["run", "spilling", "--stages", "build,check"]);
    let resources = &lab.records_of("build")[0]["body"]["resources"];
    assert_eq!(resources["spill_bytes"]["value"], 64.0, "{resources:#}");
    assert_eq!(resources["shared_bytes"]["unit"], "bytes");
    let row = lab.row("spilling");
    assert_eq!(gate(&row, "no-spills")["pass"], false);
    assert_eq!(gate(&row, "registers")["pass"], true);
}

/// A driver whose card has a compute capability, by which its shared memory is known.
fn capable() -> String {
    let told = [
        (
            "uuid, driver_version'",
            "uuid, driver_version, compute_cap'",
        ),
        ("GPU-1, 1.0'", "GPU-1, 1.0, 9.0'"),
    ];
    let mut text = NVIDIA.to_owned();
    for (old, new) in told {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    text
}

/// The failure of a kernel for which the campaign is changed so, on that card.
fn exceeding(change: (&str, &str)) -> (Lab, Value) {
    let lab = Lab::changed(&[("device = \"cpu\"", "device = \"cuda\""), change]);
    lab.tool("nvidia-smi", &capable());
    lab.variant("large", &[("cost", "80")]);
    lab.assay(&["run", "large", "--stages", "build,check"])
        .fails(1, &["shared memory"]);
    let failure = run_of(&lab, "large")["failure"].clone();
    assert_eq!(failure["kind"], "constraint", "{failure:#}");
    let message = failure["message"].as_str().unwrap();
    let says = "at least 262144 bytes of shared memory, 232448 are allowed";
    assert!(message.contains(says), "{message}");
    assert!(message.contains("NVIDIA H200"), "{message}");
    (lab, failure)
}

#[test]
fn a_kernel_that_takes_more_shared_memory_than_a_block_has_is_told_with_figures() {
    // By the compiler: it is not launched.
    let ptxas = "printf \"ptxas info    : Compiling entry function '_Z4gemmPf' for 'sm_90'\\nptxas info    : Used 32 registers, 262144 bytes smem\\n\"";
    let build = format!("command = \'\'\'{ptxas} >&2; sh harness/build.sh\'\'\'");
    let (lab, failure) = exceeding(("command = \"sh harness/build.sh\"", &build));
    assert_eq!(failure["stage"], "build");
    assert!(lab.records_of("check").is_empty());
    // By the harness, which knows what a launch asks for: the device has refused it.
    let answer = "printf \'{\"assay\":1,\"nonce\":\"%s\",\"kind\":\"resource\",\"name\":\"shared_bytes\",\"value\":262144,\"unit\":\"bytes\"}\\n\' \"$ASSAY_NONCE\"";
    let check = format!("\'\'\'{answer} > \"/dev/fd/$ASSAY_FD\"; exit 2\'\'\'");
    let (_, failure) = exceeding(("\"exec sh harness/harness.sh check\"", &check));
    assert_eq!(failure["stage"], "check");
}

/// `compute-sanitizer`: runs the program and reports what `$HOME/report.txt` holds.
const SANITIZER: &str = r#"
while [ $# -gt 0 ]; do
  case $1 in --log-file) log=$2; shift 2;; --tool) echo "$2" > "$HOME/tool"; shift 2;; --*) shift 2;; *) break;; esac
done
"$@"; code=$?
cat "$HOME/report.txt" > "$log"
exit $code
"#;

#[test]
fn a_check_under_the_sanitizer_is_a_gate_that_only_a_whole_clean_report_passes() {
    let lab = Lab::changed(&[
        ("device = \"cpu\"", "device = \"cuda\""),
        (
            "harness.sh check\"\n",
            "harness.sh check\"\nsanitizer = \"racecheck\"\n",
        ),
    ]);
    lab.tool("nvidia-smi", NVIDIA);
    lab.tool("compute-sanitizer", SANITIZER);
    let clean = "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n";
    let dirty = "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access at k+0x40\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
    for (i, (report, pass, words)) in [
        (
            clean,
            Value::Bool(true),
            "0 errors (racecheck, workload small)",
        ),
        (dirty, Value::Bool(false), "1 error: Error: Race reported"),
        ("", Value::Null, "no summary"),
    ]
    .into_iter()
    .enumerate()
    {
        write(&lab.home().join("report.txt"), report);
        let name = format!("v{i}");
        lab.variant(&name, &[("cost", "80"), ("size", &format!("{}", 11 + i))]);
        lab.assay(&["run", &name, "--stages", "build,check"]);
        let row = lab.row(&name);
        let found = gate(&row, "sanitizer");
        assert_eq!(found["pass"], pass, "{found:#}");
        assert!(
            found["evidence"].as_str().unwrap().contains(words),
            "{found:#}"
        );
    }
    let tool = fs::read_to_string(lab.home().join("tool")).unwrap();
    assert_eq!(tool.trim(), "racecheck");
    // The check once for all workloads, and once more for the smallest.
    let checks = lab
        .ran()
        .iter()
        .filter(|l| l.starts_with("check v0"))
        .count();
    assert_eq!(checks, 2);
    lab.assay(&["accept", "v1", "--reason", "a test"])
        .fails(1, &["sanitizer"]);
}
