//! A device that is not there, not the one that is meant, or not free: nothing is measured on it.
//!
//! No machine with a GPU runs these tests: `nvidia-smi` is a stand-in, a shell script that prints
//! what the tool is documented to print.

use serde_json::Value;

use crate::support::Lab;

/// A driver that answers with what is given.
fn driver(identity: &str, apps: &str, used: &str) -> String {
    format!(
        r#"
case "$*" in
  -L) printf 'GPU 0: Stand-in H200 (UUID: GPU-1)\n  MIG 1g.18gb     Device  0: (UUID: MIG-1)\n'; exit 0;;
  *compute-apps*) echo 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]'; {apps} exit 0;;
  *driver_version*) {identity};;
esac
echo 'uuid, clocks.current.sm [MHz], utilization.gpu [%], clocks_event_reasons.active'
echo 'GPU-1, 1980 MHz, {used} %, 0x0000000000000000'
"#
    )
}

const CARD: &str = "echo 'index, name, uuid, driver_version, mig.mode.current'; echo '0, Stand-in H200, GPU-1, 1.0, Disabled'; exit 0";

const SLICED: &str = "echo 'index, name, uuid, driver_version, mig.mode.current'; echo '0, Stand-in H200, GPU-1, 1.0, Enabled'; exit 0";

/// The failure of a run on a target that is declared so, under that driver.
fn failure(target: &str, driver: &str) -> (Lab, Value) {
    let lab = Lab::changed(&[("device = \"cpu\"", target)]);
    lab.tool("nvidia-smi", driver);
    lab.variant("quick", &[("cost", "80")]);
    let run = lab.assay(&["run", "quick"]);
    assert_ne!(run.code, 0, "{run:#?}");
    let failure = lab.records_of("run")[0]["body"]["failure"].clone();
    assert_eq!(failure["kind"], "infra", "{failure:#}");
    assert!(lab.records_of("measurement").is_empty());
    assert!(lab.records_of("verdict").is_empty());
    (lab, failure)
}

#[track_caller]
fn says(failure: &Value, stage: &str, words: &[&str]) {
    assert_eq!(failure["stage"], stage, "{failure:#}");
    let message = failure["message"].as_str().unwrap();
    for part in words {
        assert!(message.contains(part), "no `{part}` in {message}");
    }
}

const CUDA: &str = "device = \"cuda\"";

#[test]
fn without_a_device_or_with_a_broken_driver_nothing_is_checked_or_timed() {
    let none = driver("echo 'No devices were found'; exit 6", "", "0");
    let (lab, f) = failure(CUDA, &none);
    says(&f, "check", &["no NVIDIA GPU here", "--gpus all"]);
    // It is built all the same: another host may have the device.
    assert_eq!(lab.records_of("build").len(), 1);
    let mismatch = driver(
        "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18",
        "",
        "0",
    );
    let (_, f) = failure(CUDA, &mismatch);
    says(&f, "check", &["of two versions", "reboot"]);
}

#[test]
fn a_device_that_is_not_the_one_that_is_meant_is_told() {
    let card = driver(CARD, "", "0");
    let (_, f) = failure("device = \"cuda\"\ngpu = \"GPU-7\"", &card);
    says(&f, "check", &["`GPU-7`, is not here", "nvidia-smi -L"]);
    let (_, f) = failure("device = \"cuda\"\nmodel = \"h800\"", &card);
    says(
        &f,
        "check",
        &["wrong device", "declares the model `h800`", "Stand-in H200"],
    );
}

#[test]
fn a_card_of_any_other_name_than_the_model_s_is_refused() {
    for name in [
        "NVIDIA A100-SXM4-80GB",
        "Tesla T4",
        "RTX 3060",
        "NVIDIA GH200 480GB",
    ] {
        let card = driver(&CARD.replace("Stand-in H200", name), "", "0");
        let (_, f) = failure("device = \"cuda\"\nmodel = \"h200\"", &card);
        says(
            &f,
            "check",
            &["wrong device", "declares the model `h200`", name],
        );
    }
}

#[test]
fn an_answer_that_was_cut_off_names_no_card() {
    let cut = "echo 'index, name, uuid, driver_version'; printf '0, NVIDIA H'; exit 0";
    let (_, f) = failure(CUDA, &driver(cut, "", "0"));
    says(&f, "check", &["2 of 4 fields", "cut off"]);
}

#[test]
fn a_slice_is_not_taken_for_a_whole_card_nor_the_other_way_round() {
    let (_, f) = failure(CUDA, &driver(SLICED, "", "0"));
    says(&f, "check", &["is a whole card", "MIG slice 1g.18gb"]);
    let share = "device = \"cuda\"\nmodel = \"h200\"\nshare = \"12.5%\"";
    let (_, f) = failure(share, &driver(CARD, "", "0"));
    says(&f, "check", &["share of 12.5 %", "the whole card"]);
    // A slice that is declared as one is measured, and is a device of its own.
    let lab = Lab::changed(&[("device = \"cpu\"", share)]);
    lab.tool("nvidia-smi", &driver(SLICED, "", "0"));
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    let stable = &lab.records_of("run")[0]["body"]["environment"]["stable"];
    assert_eq!(stable["gpu.slice"], "1g.18gb", "{stable:#}");
    assert_eq!(stable["gpu.slice.uuid"], "MIG-1");
}

#[test]
fn a_device_that_others_keep_at_work_is_not_measured_on() {
    let other = "echo 'GPU-1, 4711, python3 train.py, 512 MiB';";
    let (_, f) = failure(CUDA, &driver(CARD, other, "97"));
    says(
        &f,
        "bench",
        &[
            "in use by others (97 %)",
            "python3 train.py",
            "4711",
            "CUDA_VISIBLE_DEVICES",
        ],
    );
    // One that only holds memory is a warning beside the verdict.
    let lab = Lab::changed(&[("device = \"cpu\"", CUDA)]);
    lab.tool("nvidia-smi", &driver(CARD, other, "0"));
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    let verdict = &lab.records_of("verdict")[0]["body"];
    assert!(
        verdict["warnings"]
            .to_string()
            .contains("other processes worked on the device"),
        "{verdict:#}"
    );
}

/// A program of a stage after which the device is gone, and the driver that says so from then on.
const LOSING: &str = "touch \\\"$HOME/gone\\\"; ";

fn losing() -> String {
    let gone = "[ -e \"$HOME/gone\" ] && { echo 'Unable to determine the device handle for GPU0: GPU is lost.'; exit 15; }";
    format!("{gone}\n{}", driver(CARD, "", "0"))
}

#[test]
fn a_check_that_fails_because_the_device_went_says_nothing_of_the_variant() {
    let check = "exec sh harness/harness.sh check";
    for bad in ["exit3", "exit139"] {
        let lab = Lab::changed(&[
            ("device = \"cpu\"", CUDA),
            (check, &format!("{LOSING}{check}")),
        ]);
        lab.tool("nvidia-smi", &losing());
        lab.variant("quick", &[("bad", &format!("check-{bad}"))]);
        lab.assay(&["run", "quick"])
            .fails(4, &["the device was lost", "GPU is lost"]);
        let failure = lab.records_of("run")[0]["body"]["failure"].clone();
        assert_eq!(failure["kind"], "infra", "{failure:#}");
        says(
            &failure,
            "check",
            &["says nothing of the variant", "exit code"],
        );
        // A result that a lost device gave is no result.
        assert!(lab.records_of("check").is_empty());
        // With the device there, the same failure is the variant's.
        std::fs::remove_file(lab.home().join("gone")).unwrap();
        lab.tool("nvidia-smi", &driver(CARD, "", "0"));
        lab.assay(&["run", "quick"]).fails(1, &["quick"]);
        assert_ne!(lab.row("quick")["failure"]["kind"], "infra");
    }
}

#[test]
fn another_device_in_the_place_of_the_one_that_went_is_not_it() {
    let other = CARD.replace("GPU-1", "GPU-2");
    let check = "exec sh harness/harness.sh check";
    let lab = Lab::changed(&[
        ("device = \"cpu\"", CUDA),
        (check, &format!("{LOSING}{check}")),
    ]);
    let moved = format!(
        "[ -e \"$HOME/gone\" ] && {{ {other}; }}\n{}",
        driver(CARD, "", "0")
    );
    lab.tool("nvidia-smi", &moved);
    lab.variant("quick", &[("bad", "check-exit139")]);
    lab.assay(&["run", "quick"])
        .fails(4, &["names another one in its place", "GPU-2"]);
}

#[test]
fn evidence_with_other_packages_of_python_is_of_another_toolchain() {
    let lab = Lab::changed(&[("device = \"cpu\"", CUDA)]);
    lab.tool("nvidia-smi", &driver(CARD, "", "0"));
    let packages = |torch: &str| {
        let said = format!(
            "echo 'torch {torch}'; echo 'tilelang absent'; echo 'triton 3.4.0'; echo 'cuda-bindings 12.9.1'"
        );
        lab.tool("python3", &said);
    };
    packages("2.8.0");
    lab.variant("old", &[("cost", "90")]);
    lab.assay(&["run", "old"]).ok();
    let stable = &lab.records_of("run")[0]["body"]["environment"]["stable"];
    for (fact, value) in [
        ("tool.torch", "2.8.0"),
        ("tool.tilelang", "absent"),
        ("tool.triton", "3.4.0"),
        ("tool.cuda-bindings", "12.9.1"),
    ] {
        assert_eq!(stable[fact], value, "{fact} in {stable:#}");
    }
    packages("2.9.0");
    lab.variant("new", &[("cost", "80")]);
    lab.assay(&["run", "new"]).ok();
    let compared = lab.assay(&["compare", "old", "new"]);
    let said = format!("{}{}", compared.out, compared.err);
    assert!(
        said.contains("another toolchain than `old` (torch 2.9.0, not 2.8.0)"),
        "{said}"
    );
    // The same content with other packages is not taken for the evidence that is there.
    lab.assay(&["run", "old"]).ok();
    assert_eq!(lab.records_of("run").len(), 3);
}

#[test]
fn every_device_of_the_host_is_listed() {
    let two = "echo 'index, name, uuid, driver_version, memory.total [MiB], mig.mode.current'; \
        echo '0, Stand-in H200, GPU-1, 1.0, 100 MiB, Disabled'; echo '1, Stand-in A100, GPU-2, 1.0, 50 MiB, Disabled'; exit 0";
    let lab = Lab::changed(&[("device = \"cpu\"", CUDA)]);
    lab.tool("nvidia-smi", &driver(two, "", "0"));
    let view = lab.assay(&["doctor", "--json"]).json();
    let of = |name: &str| -> Vec<Value> {
        let all = view["findings"].as_array().unwrap().iter();
        let of = all.filter(|f| f["backend"] == "cuda" && f["name"] == name);
        of.cloned().collect()
    };
    let [device] = of("device").try_into().unwrap();
    assert!(
        device["found"]
            .as_str()
            .unwrap()
            .starts_with("Stand-in H200"),
        "{device:#}"
    );
    let [other] = of("other device").try_into().unwrap();
    assert!(other["ok"].is_null(), "{other:#}");
    assert!(
        other["found"]
            .as_str()
            .unwrap()
            .starts_with("number 1: Stand-in A100"),
        "{other:#}"
    );
    assert!(
        other["remedy"]
            .as_str()
            .unwrap()
            .contains("gpu = \"GPU-2\""),
        "{other:#}"
    );
}

/// The doctor's finding of that name about CUDA on a target that is declared so, under that driver.
fn found(target: &str, driver: &str, name: &str) -> Value {
    let lab = Lab::changed(&[("device = \"cpu\"", target)]);
    lab.tool("nvidia-smi", driver);
    let view = lab.assay(&["doctor", "--json"]).json();
    let mut all = view["findings"].as_array().unwrap().iter();
    let of = |f: &&Value| f["backend"] == "cuda" && f["name"] == name;
    all.find(of).unwrap().clone()
}

#[test]
fn the_doctor_calls_no_device_well_on_which_a_run_is_refused() {
    let h200 = "device = \"cuda\"\nmodel = \"h200\"";
    let share = "device = \"cuda\"\nmodel = \"h200\"\nshare = \"12.5%\"";
    let other = "echo 'GPU-1, 4711, python3 train.py, 512 MiB';";
    let a100 = CARD.replace("Stand-in H200", "NVIDIA A100-SXM4-80GB");
    for (target, driver, remedy) in [
        (h200, driver(&a100, "", "0"), "declares the model `h200`"),
        (h200, driver(SLICED, "", "0"), "MIG slice 1g.18gb"),
        (share, driver(CARD, "", "0"), "remove `share`"),
        (h200, driver(CARD, other, "99"), "in use by others (99 %)"),
    ] {
        let device = found(target, &driver, "device");
        assert_eq!(device["ok"], false, "{device:#}");
        let said = device["remedy"].as_str().unwrap();
        assert!(said.contains(remedy), "{device:#}");
    }
    for (target, driver) in [
        (h200, driver(CARD, "", "0")),
        (share, driver(SLICED, "", "0")),
    ] {
        let device = found(target, &driver, "device");
        assert_eq!(device["ok"], true, "{device:#}");
    }
    let smi = found(h200, "echo 'garbage %%%'", "nvidia-smi");
    assert_eq!(smi["ok"], false, "{smi:#}");
}

#[test]
fn the_doctor_lists_what_each_back_end_lacks_with_its_remedy() {
    let lab = Lab::new();
    lab.tool("nvidia-smi", "echo 'No devices were found'; exit 6");
    lab.tool(
        "python3",
        "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1",
    );
    let done = lab.assay(&["doctor", "--json"]);
    let found = done.json();
    let backends = found["backends"].as_array().unwrap();
    let names: Vec<&str> = backends
        .iter()
        .map(|b| b["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["cpu", "cuda", "metax"]);
    assert_eq!(backends[0]["needed"], true);
    assert_eq!(backends[1]["needed"], false);
    let missing = backends[1]["missing"].to_string();
    for name in ["nvidia-smi", "device", "torch", "tilelang", "triton"] {
        assert!(missing.contains(&format!("\"{name}\"")), "{missing}");
    }
    for finding in found["findings"].as_array().unwrap() {
        let is_missing = finding["ok"] == false;
        assert!(!is_missing || finding["remedy"] != "", "{finding:#}");
    }
    // What no target needs is no fault of this machine.
    let text = lab.assay(&["doctor"]).out;
    assert!(
        text.contains("back end cuda, which no target here needs"),
        "{text}"
    );
    assert!(text.contains("No module named 'torch'"), "{text}");
    let lab = Lab::changed(&[("device = \"cpu\"", CUDA)]);
    lab.tool("nvidia-smi", "echo 'No devices were found'; exit 6");
    let done = lab.assay(&["doctor", "--json"]);
    assert_eq!(done.code, 4);
    assert_eq!(done.json()["backends"][1]["needed"], true);
}
