//! The device of a session: watched, told, and held against what was measured.
//!
//! No machine with a GPU runs these tests: `nvidia-smi` and `mx-smi` are stand-ins, shell scripts
//! that print what the tools are documented to print.

use serde_json::Value;

use crate::support::{Lab, write};

/// A stand-in for a driver: reading number N of the state has the mask on line N of `masks`, and
/// the version of the driver stands in `driver`.
const NVIDIA: &str = r#"
cd "$HOME" || exit 9
case "$*" in
  *compute-apps*) echo 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]'; exit 0;;
  *driver_version*)
    echo 'index, name, uuid, driver_version, memory.total [MiB]'
    echo "0, Stand-in, GPU-1, $(cat driver 2>/dev/null || echo 1.0), 1000 MiB"; exit 0;;
esac
n=$(( $(cat asked 2>/dev/null || echo 0) + 1 )); echo $n > asked
mask=$(sed -n "${n}p" masks 2>/dev/null); : "${mask:=$(cat mask 2>/dev/null || echo 0x0000000000000000)}"
echo 'uuid, clocks.current.sm [MHz], power.draw [W], enforced.power.limit [W], temperature.gpu, utilization.gpu [%], clocks_event_reasons.active'
echo "GPU-1, 1980 MHz, 398.53 W, 700.00 W, 61, 97 %, $mask"
"#;

const MX: &str = r#"
case "$1" in
  dmon)
    echo 'dev, die, hottemp, power, gpu, bdfid'
    echo 'idx, idx, C, W, %,'
    echo '0, 0, 52, 201, 93, 0000:3b:00.0'; exit 0;;
esac
cat <<'END'
| MX-SMI 2.2.9                        Kernel Mode Driver Version: 2.14.8          |
| MACA Version: 2.33.0.5              BIOS Version: 1.24.4.0                      |
|------------------------------------+---------------------+----------------------|
| 0           MetaX C500             | 0000:3b:00.0        | 93%                  |
| 52C         201W / 350W            | 9000/65536 MiB      | Available            |
| Process:                                                                        |
|  no process found                                                               |
END
"#;

const CUDA: (&str, &str) = ("device = \"cpu\"", "device = \"cuda\"");

fn gpu() -> Lab {
    let lab = Lab::changed(&[CUDA]);
    lab.tool("nvidia-smi", NVIDIA);
    lab
}

/// Processes of whose sample lines some are void, with how many lines and why.
fn void(samples: &[Value]) -> Vec<(u64, usize, String)> {
    let mut out: Vec<(u64, usize, String)> = Vec::new();
    for line in samples.iter().filter(|l| l["kind"] == "samples") {
        let Some(why) = line["void"].as_str() else {
            continue;
        };
        let process = line["process"].as_u64().unwrap();
        match out.iter_mut().find(|(p, _, w)| *p == process && w == why) {
            Some((_, n, _)) => *n += 1,
            None => out.push((process, 1, why.to_owned())),
        }
    }
    out
}

#[test]
fn a_block_under_heat_is_void_kept_and_marked_and_the_verdict_uses_the_rest() {
    let lab = gpu();
    // Two readings for each process; the fourth is the one after the second process.
    write(
        &lab.home().join("masks"),
        "0x0\n0x0\n0x0\n0x0000000000000040\n",
    );
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    let measurement = &lab.records_of("measurement")[0];
    let samples = lab.samples_of(measurement);
    let why = "a thermal slowdown by the hardware in one of the 4 blocks between two readings";
    assert_eq!(void(&samples), [(2, 16, why.to_owned())]);
    // The process that has no block left is made good for.
    assert_eq!(measurement["body"]["processes"], 5, "{measurement:#}");
    let stable = &lab.records_of("run")[0]["body"]["environment"]["stable"];
    assert_eq!(stable["gpu.driver"], "1.0");
    assert_eq!(stable["gpu.uuid"], "GPU-1");
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(show.contains("FASTER"), "{show}");
    assert!(show.contains("thermal slowdown"), "{show}");
    lab.verify();
}

#[test]
fn a_power_cap_throughout_is_a_regime_that_voids_nothing() {
    let lab = gpu();
    write(&lab.home().join("mask"), "0x0000000000000004");
    // The clocks that the harness states differ in each block, as they do under a cap.
    lab.variant("quick", &[("cost", "80"), ("clock", "1500")]);
    lab.assay(&["run", "quick"]).ok();
    let verdict = &lab.records_of("verdict")[0]["body"];
    assert_eq!(verdict["regime"], "power cap", "{verdict:#}");
    assert_eq!(verdict["verdict"], "FASTER", "{verdict:#}");
    let measurement = &lab.records_of("measurement")[0];
    let samples = lab.samples_of(measurement);
    assert!(void(&samples).is_empty());
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(show.contains("regime: power cap throughout"), "{show}");
    let report = lab.assay(&["report"]).ok();
    assert!(report.contains("power cap"), "{report}");
    lab.verify();
    // The file alone tells the same: the runner notes the regime beside the samples.
    let text: Vec<String> = samples.iter().map(Value::to_string).collect();
    lab.write("raw.jsonl", &text.join("\n"));
    let raw = lab.assay(&[
        "verdict",
        "raw.jsonl",
        "--a",
        "ref",
        "--b",
        "quick",
        "--json",
    ]);
    assert_eq!(raw.json()["regime"], "power cap", "{raw:#?}");
    assert_eq!(raw.json()["verdict"], "FASTER", "{raw:#?}");
}

#[test]
fn without_a_cap_clocks_that_differ_in_a_block_void_it() {
    let lab = gpu();
    lab.variant("quick", &[("cost", "80"), ("clock", "1500")]);
    lab.assay(&["run", "quick"]).fails(1, &["noisy"]);
    let verdict = &lab.records_of("verdict")[0]["body"];
    assert_eq!(verdict["verdict"], "INVALID", "{verdict:#}");
    assert!(verdict.get("regime").is_none());
    lab.verify();
}

/// A campaign for a device whose tool is not there, with more keys in its target.
fn without_a_tool(more: &str) -> Lab {
    let lab = Lab::changed(&[(CUDA.0, &format!("{}\n{more}", CUDA.1))]);
    lab.tool("nvidia-smi", "exec /nowhere/nvidia-smi");
    lab.variant("quick", &[("cost", "80")]);
    lab
}

#[test]
fn without_a_tool_nothing_is_measured() {
    let lab = without_a_tool("");
    let says = [
        "which GPU measures is not known",
        "[target.local] unknown_device = true",
    ];
    lab.assay(&["run", "quick"]).fails(4, &says);
    assert_eq!(lab.records_of("run")[0]["body"]["failure"]["kind"], "infra");
    assert!(lab.records_of("check").is_empty() && lab.records_of("measurement").is_empty());
    lab.verify();
}

#[test]
fn a_missing_tool_is_said_once_and_measuring_goes_on_where_the_campaign_says_so() {
    let lab = without_a_tool("unknown_device = true");
    lab.assay(&["run", "quick"]).ok();
    let environment = &lab.records_of("run")[0]["body"]["environment"];
    assert_eq!(environment["device"], "unknown cuda device");
    assert_eq!(environment["stable"]["gpu.unknown"], "cuda");
    assert_eq!(lab.list()["device"], "unknown cuda device");
    let verdict = &lab.records_of("verdict")[0]["body"];
    assert_eq!(verdict["verdict"], "FASTER");
    let warnings: Vec<&str> = (verdict["warnings"].as_array().unwrap().iter())
        .filter_map(Value::as_str)
        .filter(|w| w.contains("nvidia-smi"))
        .collect();
    assert_eq!(warnings.len(), 1, "{verdict:#}");
    assert!(
        warnings[0].contains("which GPU measures is not known"),
        "{warnings:?}"
    );
}

#[test]
fn a_device_that_goes_while_it_is_measured_ends_the_run_without_a_verdict() {
    for (gone, says) in [
        (
            "echo 'Unable to determine the device handle for GPU0: GPU is lost.'; exit 15",
            "GPU is lost",
        ),
        (
            "echo 'No devices were found'; exit 6",
            "No devices were found",
        ),
        ("echo 'No devices were found'; exit 0", "not understood"),
        (
            "echo 'uuid, power.draw [W]'; echo GPU-1; exit 0",
            "1 of 2 fields",
        ),
        ("exec tail -f /dev/null", "did not answer within"),
    ] {
        let lab = Lab::changed(&[CUDA]);
        // The third reading and those after it are those of a device that has gone.
        let tool = NVIDIA.replace(
            "mask=$(sed",
            &format!("[ \"$n\" -gt 2 ] && {{ {gone}; }}\nmask=$(sed"),
        );
        assert_ne!(tool, NVIDIA);
        lab.tool("nvidia-smi", &tool);
        lab.variant("quick", &[("cost", "80")]);
        lab.assay(&["run", "quick"]).fails(4, &["was lost", says]);
        let failure = &lab.records_of("run")[0]["body"]["failure"];
        assert_eq!(
            (&failure["kind"], &failure["stage"]),
            (&"infra".into(), &"bench".into())
        );
        assert!(lab.records_of("verdict").is_empty());
        lab.verify();
    }
}

#[test]
fn a_harness_that_tells_of_its_device_has_only_that_block_voided() {
    let lab = gpu();
    lab.variant("quick", &[("cost", "80"), ("hot", "1")]);
    lab.assay(&["run", "quick"]).ok();
    let measurement = &lab.records_of("measurement")[0];
    let samples = lab.samples_of(measurement);
    let why = "a thermal slowdown by the hardware";
    assert_eq!(void(&samples), [(1, 4, why.to_owned())]);
    let told = samples.iter().filter(|l| l["source"] == "stand-in").count();
    assert_eq!(told, 4, "one for each block of the first process");
    assert_eq!(measurement["body"]["processes"], 4);
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(show.contains("FASTER") && show.contains(why), "{show}");
    lab.verify();
}

#[test]
fn a_card_is_watched_by_its_own_tool() {
    let lab = Lab::changed(&[("device = \"cpu\"", "device = \"metax\"")]);
    lab.tool("mx-smi", MX);
    lab.variant("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    let environment = &lab.records_of("run")[0]["body"]["environment"];
    assert_eq!(environment["device"], "MetaX C500");
    assert_eq!(environment["stable"]["gpu.driver"], "2.14.8");
    let samples = lab.samples_of(&lab.records_of("measurement")[0]);
    let read = samples.iter().filter(|l| l["source"] == "mx-smi").count();
    assert_eq!(read, 8, "before and after each of four processes");
    lab.verify();
}

#[test]
fn a_calibration_under_another_driver_is_not_used() {
    let lab = gpu();
    write(&lab.home().join("driver"), "1.0");
    lab.assay(&["calibrate", "--noise"]).ok();
    lab.variant("one", &[("cost", "80")]);
    lab.assay(&["run", "one"]).ok();
    let show = lab.assay(&["show", "one"]).ok();
    assert!(show.contains("policy assay accepts"), "{show}");
    write(&lab.home().join("driver"), "2.0");
    lab.variant("two", &[("cost", "81")]);
    lab.assay(&["run", "two"]).ok();
    let show = lab.assay(&["show", "two"]).ok();
    assert!(!show.contains("policy assay accepts"), "{show}");
    let says = "no longer holds (gpu.driver was 1.0 and is 2.0)";
    assert!(show.contains(says), "{show}");
    lab.verify();
}
