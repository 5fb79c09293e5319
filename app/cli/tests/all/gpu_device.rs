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
