//! The state of the device around blocks.
//!
//! No machine with a GPU runs these tests: `nvidia-smi` and `mx-smi` are stand-ins, shell scripts
//! that print what the tools are documented to print. They show that the tools are driven, timed
//! and given up as they should be, not how a real driver behaves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use assay_exec::Cancel;
use assay_exec::bench::{BenchJob, ProcessOutcome, Watching, run_watched};
use assay_exec::conditions::{Foreign, Policy, Reason, Sampler};
use assay_exec::plan::Mode;
use assay_exec::process::Env;
use assay_exec::progress::Silent;
use serde_json::Value;

use crate::bench::{ALL, DONE, job};
use crate::process::{env, gone, mkfifo};

/// Puts a stand-in for a tool first in the path.
fn stand_in(dir: &Path, tool: &str, script: &str) -> Env {
    let bin = dir.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let path = bin.join(tool);
    let text = format!("#!/bin/sh\ncd {} || exit 9\n{script}\n", dir.display());
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut env = env();
    let old = env["PATH"].to_str().unwrap().to_owned();
    env.insert("PATH".into(), format!("{}:{old}", bin.display()).into());
    env
}

/// A driver that knows all fields: call number N prints line N of `masks` and `clocks`.
const NVIDIA: &str = r#"
case "$*" in
  *compute-apps*)
    echo 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]'
    echo 'GPU-1, 4711, /usr/bin/python3, 512 MiB'; exit 0;;
esac
n=$(( $(cat calls 2>/dev/null || echo 0) + 1 )); echo $n > calls
echo "sample $n" >> trace
pick() { v=$(sed -n "${n}p" "$1" 2>/dev/null); echo "${v:-$2}"; }
echo 'uuid, clocks.current.sm [MHz], clocks.current.memory [MHz], power.draw [W], enforced.power.limit [W], temperature.gpu, utilization.gpu [%], clocks_event_reasons.active'
echo "GPU-1, $(pick clocks 1980) MHz, 2619 MHz, 398.53 W, 700.00 W, 61, 97 %, $(pick masks 0x0000000000000000)"
"#;

/// A busy machine may take seconds to start a script.
fn nvidia(env: Env, device: Option<&str>) -> Sampler {
    let patient = Duration::from_secs(30);
    Sampler::nvidia(env, device).timeout(patient).share(1.0)
}

fn watched(job: &BenchJob, sampler: &Sampler, policy: &Policy) -> ProcessOutcome {
    let how = Watching { sampler, policy };
    run_watched(job, 1, how, &Cancel::new(), &Silent).unwrap()
}

/// Lines of one kind.
fn kind(got: &ProcessOutcome, kind: &str) -> Vec<Value> {
    let lines = got
        .lines
        .iter()
        .map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines.filter(|l| l["kind"] == kind).collect()
}

/// Blocks of sample lines with a mark, and what it says.
fn void(got: &ProcessOutcome) -> Vec<(u64, String)> {
    let samples = kind(got, "samples");
    let marks = samples
        .iter()
        .filter_map(|l| Some((l["block"].as_u64()?, l.get("void")?.as_str()?.to_owned())));
    marks.collect()
}

#[test]
fn a_gpu_is_asked_for_its_state_and_for_who_else_works_on_it() {
    let dir = tempfile::tempdir().unwrap();
    let env = stand_in(dir.path(), "nvidia-smi", NVIDIA);
    let sampler = nvidia(env, Some("GPU-1"));
    let full = sampler.full(&Cancel::new()).unwrap();
    assert_eq!(
        (full.sm_clock_mhz, full.power_cap_w),
        (Some(1980.0), Some(700.0))
    );
    assert!(
        full.throttle.as_ref().unwrap().is_empty(),
        "nothing holds it down"
    );
    assert_eq!(full.other_processes.unwrap()[0].name, "python3");
    let small = sampler.between(&Cancel::new()).unwrap();
    assert_eq!(small.other_processes, None, "not asked between blocks");
}

#[test]
fn an_older_driver_is_asked_for_less_and_that_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
echo x >> asked
case "$*" in
  *compute-apps*) echo 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]'; exit 0;;
  *clocks_event_reasons*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;;
esac
echo 'uuid, clocks.current.sm [MHz], clocks_throttle_reasons.active'
echo 'GPU-1, 1410 MHz, 0x0000000000000008'"#;
    let env = stand_in(dir.path(), "nvidia-smi", script);
    let sampler = nvidia(env, None);
    let full = sampler.full(&Cancel::new()).unwrap();
    assert!(full.throttle.unwrap().contains(&Reason::HardwareSlowdown));
    assert_eq!(
        full.other_processes,
        Some(Vec::new()),
        "it is known that there are none"
    );
    sampler.between(&Cancel::new()).unwrap();
    let asked = fs::read_to_string(dir.path().join("asked")).unwrap();
    assert_eq!(
        asked.lines().count(),
        5,
        "three lists, the processes, and one list later"
    );
    assert!(sampler.take_problems().is_empty());
}

#[test]
fn a_tool_that_hangs_is_killed_said_and_not_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    mkfifo(&dir.path().join("fifo"));
    let script = "echo $$ >> pids; cat fifo";
    for (tool, make) in [
        (
            "nvidia-smi",
            Sampler::nvidia as fn(Env, Option<&str>) -> Sampler,
        ),
        ("mx-smi", Sampler::metax),
    ] {
        let env = stand_in(dir.path(), tool, script);
        let _ = fs::remove_file(dir.path().join("pids"));
        let sampler = make(env, None).timeout(Duration::from_secs(2)).share(1.0);
        let started = Instant::now();
        assert_eq!(sampler.full(&Cancel::new()), None);
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!(sampler.between(&Cancel::new()), None);
        assert_eq!(sampler.full(&Cancel::new()), None);
        assert_eq!(
            sampler.take_problems(),
            [format!(
                "`{tool}` did not answer within 2 s and was stopped; the driver may hang; \
                 it is not asked again"
            )]
        );
        let pids = fs::read_to_string(dir.path().join("pids")).unwrap();
        assert_eq!(pids.lines().count(), 1);
        assert!(gone(pids.trim()));
        assert_eq!(sampler.cost().readings, 0);
    }
}

#[test]
fn an_absent_or_broken_tool_and_a_choice_of_devices_are_said_once() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = Env::from([("PATH".into(), dir.path().join("none").into())]);
    let two = "echo 'uuid, power.draw [W]'; echo 'GPU-1, 5 W'; echo 'GPU-2, 6 W'";
    let broken = "echo 'NVIDIA-SMI has failed because of the driver.'; exit 9";
    let cases = [
        (nowhere, "cannot be asked for the state of the device"),
        (
            stand_in(&dir.path().join("a"), "nvidia-smi", broken),
            "exit code 9: NVIDIA-SMI has failed",
        ),
        (
            stand_in(&dir.path().join("b"), "nvidia-smi", "echo hello"),
            "is not understood: there is no header",
        ),
        (
            stand_in(&dir.path().join("c"), "nvidia-smi", two),
            "tells of 2 devices",
        ),
    ];
    for (env, words) in cases {
        let sampler = nvidia(env, None);
        for _ in 0..3 {
            assert_eq!(sampler.full(&Cancel::new()), None);
        }
        let problems = sampler.take_problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(words), "{problems:?}");
    }
    let env = stand_in(&dir.path().join("c"), "nvidia-smi", two);
    let second = nvidia(env, Some("GPU-2")).full(&Cancel::new()).unwrap();
    assert_eq!(second.power_w, Some(6.0));
}

#[test]
fn a_card_is_asked_twice_because_no_output_tells_all() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
if [ "$1" = dmon ]; then
  echo 'dev, die, hottemp, soctemp, coretemp, power, gpu, bdfid'
  echo 'idx, idx, C, C, C, W, %,'
  echo '0, 0, 52, 40, 55, 201, 93, 0000:3b:00.0'
else
  echo '| 0           MetaX C500             | 0000:3b:00.0        | 93%                  |'
  echo '| 52C         201W / 350W            | 9000/65536 MiB      | Available            |'
  echo '| Process:                                                                        |'
  echo '|  no process found                                                               |'
fi"#;
    let env = stand_in(dir.path(), "mx-smi", script);
    let sampler = Sampler::metax(env, None).timeout(Duration::from_secs(30));
    let full = sampler.full(&Cancel::new()).unwrap();
    assert_eq!((full.power_w, full.power_cap_w), (Some(201.0), Some(350.0)));
    assert_eq!(
        (full.other_processes, full.sm_clock_mhz),
        (Some(Vec::new()), None)
    );
    assert_eq!(sampler.cost().readings, 1);
}

#[test]
fn readings_so_close_that_they_would_take_too_much_time_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let env = stand_in(dir.path(), "nvidia-smi", NVIDIA);
    // Starting a script takes a millisecond at least; its hundredfold has not passed.
    let sampler = nvidia(env, None).share(0.001);
    assert!(sampler.full(&Cancel::new()).is_some());
    assert_eq!(sampler.between(&Cancel::new()), None);
    let sampler = sampler.share(1.0);
    assert!(sampler.between(&Cancel::new()).is_some());
    assert_eq!(Sampler::off().full(&Cancel::new()), None);
}

/// A resident half that notes when it measures.
const RESIDENT: &str = r#"
case $ASSAY_SUBJECTS in *A-old*) ME=A-old;; *) ME=B-new;; esac
field() { v=${line##*\"$1\":}; v=${v%%[,\}]*}; }
while read -r line; do
  case $line in *'"request":"end"'*) say '"kind":"done","process":1'; exit 0;; esac
  field block; b=$v; field leg; l=$v
  echo "start $b $l" >> trace; echo "end $b $l" >> trace
  leg w $ME $b $l 5
done </dev/fd/$ASSAY_REQ_FD"#;

#[test]
fn a_resident_pair_is_looked_at_between_blocks_and_a_slow_block_is_void() {
    let dir = tempfile::tempdir().unwrap();
    let env = stand_in(dir.path(), "nvidia-smi", NVIDIA);
    // Before, after block 0, after block 1, after: the last two are hot.
    fs::write(dir.path().join("masks"), "0x1\n0x0\n0x0\n0x40\n").unwrap();
    let job = BenchJob {
        blocks: 2,
        ..job(dir.path(), Mode::Resident, RESIDENT)
    };
    let sampler = nvidia(env, None);
    let got = watched(&job, &sampler, &Policy::device());
    assert!(got.failure.is_none(), "{got:?}");
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    let lines: Vec<&str> = trace.lines().filter(|l| !l.contains(" 2 0")).collect();
    let at = |n| {
        lines
            .iter()
            .position(|l| *l == format!("sample {n}"))
            .unwrap()
    };
    let places = [at(1), at(2), at(3), at(4)];
    assert_eq!(places, [0, 9, 18, 19], "never inside a block: {trace}");

    let readings = kind(&got, "conditions");
    let when: Vec<&str> = readings
        .iter()
        .map(|r| r["when"].as_str().unwrap())
        .collect();
    assert_eq!(when, ["before", "between", "between", "after"]);
    assert_eq!(
        (&readings[2]["block"], &readings[2]["workloads"]),
        (&1.into(), &vec!["w"].into())
    );
    assert_eq!(
        readings[3]["throttle"],
        serde_json::json!(["hardware-thermal"])
    );
    assert!(
        void(&got).is_empty(),
        "nothing was measured after the last block"
    );
    assert_eq!(
        got.warnings,
        ["other processes worked on the device: python3 (512 MiB)"]
    );
    assert_eq!(got.sampling.readings, 4);

    fs::write(dir.path().join("masks"), "\n\n\n\n0x1\n0x0\n0x40\n0x0\n").unwrap();
    let got = watched(&job, &sampler, &Policy::device());
    let reason = "a thermal slowdown by the hardware";
    assert_eq!(void(&got), vec![(1, reason.to_owned()); 4]);
    assert_eq!(kind(&got, "samples").len(), 8, "what is void is kept");
    assert_eq!(got.conditions["void"], format!("1 of 2 blocks: {reason}"));
    assert_eq!(got.conditions["power-cap.after"], "700 W");
}

#[test]
fn a_capped_card_is_a_regime_and_a_clock_that_fell_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let script = "case $ASSAY_SUBJECTS in *A-old*) ME=A-old;; *) ME=B-new;; esac\n\
        leg w $ME $ASSAY_BLOCK $ASSAY_LEG 5";
    let job = job(dir.path(), Mode::Invocation, script);
    fs::write(dir.path().join("masks"), "0x1\n0x4\n0x4\n0x4\n\n0x0\n0x0\n").unwrap();
    fs::write(
        dir.path().join("clocks"),
        "345\n1920\n1545\n1600\n345\n1920\n1545\n",
    )
    .unwrap();
    let env = stand_in(dir.path(), "nvidia-smi", NVIDIA);
    let sampler = nvidia(env, None);
    let got = watched(&job, &sampler, &Policy::device());
    assert_eq!(
        (got.regime.as_deref(), void(&got).len()),
        (Some("power cap"), 0)
    );
    assert_eq!(got.conditions["regime"], "power cap");
    assert_eq!(got.conditions["clock.range"], "1545-1920 MHz");
    let got = watched(&job, &sampler, &Policy::device());
    assert_eq!(got.regime, None);
    let reason = "the clocks in it differ by 24.3 % (1545 to 1920 MHz)";
    assert_eq!(void(&got)[0], (1, reason.to_owned()), "{:?}", got.marks);

    let strict = Policy {
        foreign: Foreign::Void,
        ..Policy::device()
    };
    assert_eq!(void(&watched(&job, &sampler, &strict)).len(), 8);
}

#[test]
fn a_tool_that_fails_harms_no_measurement() {
    let dir = tempfile::tempdir().unwrap();
    let env = stand_in(dir.path(), "nvidia-smi", "exit 1");
    let job = job(dir.path(), Mode::Pair, ALL);
    let got = watched(&job, &nvidia(env, None), &Policy::device());
    assert!(got.failure.is_none() && got.problems.is_empty(), "{got:?}");
    assert_eq!((got.lines.len(), got.marks.len()), (8, 0));
    assert_eq!(
        got.warnings,
        ["`nvidia-smi` failed, exit code 1; it is not asked again"]
    );
    assert_eq!(got.conditions["warnings"], got.warnings[0]);
}

#[test]
fn events_of_the_processor_during_a_pair_are_told_and_void_only_by_policy() {
    let dir = tempfile::tempdir().unwrap();
    let heat = "sys/devices/system/cpu/cpu0/thermal_throttle";
    fs::create_dir_all(dir.path().join(heat)).unwrap();
    let script = format!("{ALL} {DONE}; echo 8 > {heat}/core_throttle_count");
    let job = job(dir.path(), Mode::Pair, &script);
    let measure = |policy: &Policy| {
        fs::write(dir.path().join(heat).join("core_throttle_count"), "5\n").unwrap();
        watched(&job, &Sampler::cpu(dir.path()), policy)
    };
    let got = measure(&Policy::cpu());
    assert!(got.failure.is_none(), "{got:?}");
    assert!(void(&got).is_empty());
    assert!(
        got.warnings[0].starts_with("a thermal slowdown in one of 2 blocks"),
        "{got:?}"
    );
    let readings = kind(&got, "conditions");
    assert_eq!(
        readings[1]["throttle_counts"],
        serde_json::json!({"thermal": 8})
    );

    let strict = Policy {
        void_unplaced: true,
        ..Policy::cpu()
    };
    let got = measure(&strict);
    let marks = void(&got);
    assert_eq!(marks.len(), 8);
    assert!(
        marks[0]
            .1
            .starts_with("a thermal slowdown in one of the 2 blocks")
    );
}

#[test]
fn clocks_that_the_harness_states_void_their_block_and_its_own_marks_stay() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
clocked() { say "\"kind\":\"samples\",\"workload\":\"w\",\"subject\":\"$1\",\"process\":1,\"block\":$2,\"leg\":$3,\"unit\":\"ns\",\"values\":[5],\"clock_mhz\":$4$5"; }
i=0; for s in A-old B-new B-new A-old; do clocked $s 0 $i 200$i; i=$((i+1)); done
i=0; for s in B-new A-old A-old B-new; do clocked $s 1 $i 2${i}00 ',"void":"mine"'; i=$((i+1)); done"#;
    let job = job(dir.path(), Mode::Pair, script);
    let got = watched(&job, &Sampler::off(), &Policy::cpu());
    assert!(got.failure.is_none(), "{got:?}");
    assert_eq!(got.marks.len(), 1);
    assert_eq!(
        got.marks[0].reason,
        "the clocks in it differ by 15.0 % (2000 to 2300 MHz)"
    );
    assert_eq!(void(&got), vec![(1, "mine".to_owned()); 4]);
    let first = r#"{"assay":1,"block":0,"clock_mhz":2000,"kind":"samples","leg":0,"process":1,"subject":"A-old","unit":"ns","values":[5],"workload":"w"}"#;
    assert_eq!(
        got.lines[0], first,
        "what is not void stays as it was answered"
    );
}
