//! Without timing: what is printed is read, and what is written can be read again.

use std::fs;

use assay_exec::progress::Collect;
use assay_profile::device::Kind;

use super::*;

fn dirs(root: &Path) -> Dirs {
    let dirs = Dirs {
        cache: root.join("cache"),
        state: root.join("state"),
        data: root.join("data"),
        locks: root.join("locks"),
    };
    fs::create_dir_all(&dirs.locks).unwrap();
    dirs
}

fn printed(threads: u32) -> String {
    let mut results = Vec::new();
    for n in [threads, 1] {
        for (name, unit, best) in [
            ("clock", "GHz", 3.5),
            ("triad", "GB/s", 20.0),
            ("copy", "GB/s", 25.0),
            ("fma.fp32", "GFLOPS", 112.0),
            ("fma.fp64", "GFLOPS", 56.0),
        ] {
            results.push(format!(
                "{{\"name\": \"{name}\", \"threads\": {n}, \"unit\": \"{unit}\", \"best\": {}, \"median\": {}, \"repetitions\": 5}}",
                best * f64::from(n),
                best * f64::from(n) * 0.97
            ));
        }
    }
    format!(
        "{{\"schema\": \"assay.peaks/1\", \"threads\": {threads}, \"array_bytes\": 1024, \"vector_bits\": 256, \"results\": [{}]}}",
        results.join(", ")
    )
}

fn machine(root: &Path) -> Machine {
    let put = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(
        "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: Sample 9000\n",
    );
    put(
        "proc/meminfo",
        "MemTotal:       16384 kB\nMemAvailable:    8192 kB\n",
    );
    put("proc/sys/kernel/hostname", "Big_Box.lab\n");
    put("sys/devices/system/cpu/cpufreq", "");
    for cpu in 0..4 {
        for (i, level, kind, size, shared) in [
            (0, 1, "Data", "32K", format!("{cpu}")),
            (1, 1, "Instruction", "64K", format!("{cpu}")),
            (2, 2, "Unified", "1M", format!("{cpu}")),
            (
                3,
                3,
                "Unified",
                "8192K",
                if cpu < 2 { "0-1" } else { "2-3" }.into(),
            ),
        ] {
            let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache/index{i}");
            put(&format!("{folder}/level"), &format!("{level}\n"));
            put(&format!("{folder}/type"), kind);
            put(&format!("{folder}/size"), size);
            put(&format!("{folder}/shared_cpu_list"), &shared);
        }
    }
    Machine::read(root)
}

#[test]
fn a_machine_tells_its_caches_each_once() {
    let dir = tempfile::tempdir().unwrap();
    let m = machine(dir.path());
    assert_eq!(m.device_name(), "cpu-big-box-lab");
    assert_eq!(m.title(), "Sample 9000, 4 processors");
    assert_eq!(m.vendor.as_deref(), Some("AMD"));
    let caches: Vec<(u32, u64, u64)> = m
        .caches
        .iter()
        .map(|c| (c.level, c.bytes, c.instances))
        .collect();
    assert_eq!(caches, [(1, 32 << 10, 4), (2, 1 << 20, 4), (3, 8 << 20, 2)]);
    assert_eq!(m.last_level_bytes(), 16 << 20);
    assert_eq!(
        (m.memory_bytes, m.available_bytes),
        (Some(16 << 20), Some(8 << 20))
    );
    let (bytes, remarks) = arrays(&m, None);
    assert_eq!(bytes, 1 << 20, "an eighth of what is free");
    assert!(remarks[0].contains("64 MiB"), "{remarks:?}");
    let empty = Machine::read(&dir.path().join("nothing"));
    assert_eq!(empty.device_name(), "cpu-here");
    assert_eq!(arrays(&empty, None), (64 << 20, Vec::new()));
}

#[test]
fn a_device_file_holds_what_was_measured_and_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let machine = machine(dir.path());
    for threads in [1, 4] {
        let printed = parse(printed(threads).as_bytes()).unwrap();
        let peaks = file::peaks(&printed).unwrap();
        assert!(file::doubts(&peaks).is_empty());
        let context = Context {
            machine: &machine,
            printed: &printed,
            compiler: "cc \"12\", -O3 -march=native".into(),
            date: "2026-01-02".into(),
        };
        let text = context.device_file(&peaks).unwrap();
        let devices = Devices::load([("cpu.toml", text.as_str())]).unwrap();
        let d = devices.get("cpu-big-box-lab").unwrap();
        assert_eq!(
            (d.kind, d.title.as_str()),
            (Kind::Cpu, "Sample 9000, 4 processors")
        );
        let v = d.values(Some("f32"));
        let n = f64::from(threads);
        assert_eq!(v["device.units"], n);
        assert_eq!(
            v["device.bandwidth"],
            25.0 * n,
            "the better of triad and copy"
        );
        assert_eq!(v["device.bandwidth.unit"], 25.0);
        assert!((v["device.peak"] - 0.112 * n).abs() < 1e-12);
        assert!((v["device.ridge"] - 4.48).abs() < 1e-9);
        assert_eq!(v["device.l3"], 8_388_608.0);
        let origin = &d.figure("peak.fp64").unwrap().origin;
        let says = "measured by assay calibrate on 2026-01-02, ";
        assert!(
            origin.starts_with(says) && origin.contains("cc \"12\""),
            "{origin}"
        );
    }
}

#[test]
fn what_one_thread_reaches_stands_when_all_together_reach_less() {
    let dir = tempfile::tempdir().unwrap();
    let machine = machine(dir.path());
    // The copy of all threads was hindered, and their triad is below the copy of one.
    let printed = parse(
        printed(2)
            .replace(
                "\"best\": 50, \"median\": 48.5",
                "\"best\": 20, \"median\": 19",
            )
            .replace(
                "\"best\": 40, \"median\": 38.8",
                "\"best\": 22, \"median\": 21",
            )
            .as_bytes(),
    )
    .unwrap();
    let peaks = file::peaks(&printed).unwrap();
    assert!(file::doubts(&peaks)[0].contains("one thread stands for all"));
    let context = Context {
        machine: &machine,
        printed: &printed,
        compiler: "cc".into(),
        date: "2026-01-02".into(),
    };
    let text = context.device_file(&peaks).unwrap();
    let devices = Devices::load([("cpu.toml", text.as_str())]).unwrap();
    let device = devices.get("cpu-big-box-lab").unwrap();
    assert_eq!(device.values(None)["device.bandwidth"], 25.0, "{text}");
    let origin = &device.figure("bandwidth").unwrap().origin;
    assert!(
        origin.contains("1 thread,") && origin.contains("all 2 threads together reached 20.0000"),
        "{origin}"
    );
}

#[test]
fn figures_that_cannot_be_are_refused() {
    let good = printed(2);
    for (from, to, why) in [
        ("assay.peaks/1", "assay.peaks/2", "schema"),
        ("\"best\": 7,", "\"best\": -7,", "clock"),
        ("\"best\": 7,", "\"best\": 1,", "median"),
        ("\"best\": 7,", "\"best\": null,", "no figures"),
        ("]}", "", "no figures"),
    ] {
        assert!(good.contains(from), "{from}");
        let e = parse(good.replace(from, to).as_bytes()).unwrap_err();
        assert!(e.message.contains(why), "{}", e.message);
    }
    for (from, to) in [("\"copy\"", "\"kopy\""), ("\"GB/s\"", "\"MB/s\"")] {
        let printed = parse(good.replace(from, to).as_bytes()).unwrap();
        assert!(file::peaks(&printed).is_err(), "{from}");
    }
    let mut restless = file::peaks(&parse(good.as_bytes()).unwrap()).unwrap();
    restless[0].median = restless[0].best / 2.0;
    assert!(file::doubts(&restless)[0].contains("clock"));
    restless[0].median = restless[0].best;
    for p in restless.iter_mut().filter(|p| p.name == "peak.fp32") {
        (p.best, p.median) = (0.1, 0.1);
    }
    let doubts = file::doubts(&restless);
    assert!(
        doubts.len() == 1 && doubts[0].contains("slower than one (peak.fp32)"),
        "{doubts:?}"
    );
}

#[test]
fn a_short_run_leaves_a_file_that_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let dirs = dirs(dir.path());
    let request = Request {
        wait: false,
        effort: Effort {
            array_bytes: Some(1 << 20),
            least_ms: 1,
            repetitions: 3,
        },
    };
    let progress = Collect::default();
    let done = cpu(&dirs, &request, &progress, &Cancel::new()).unwrap();
    assert!(
        done.peaks
            .iter()
            .all(|p| p.best > 0.0 && p.best >= p.median)
    );
    assert_eq!(done.peaks.len(), 9);
    let folder = dirs.data.join(data::FOLDER);
    let found = crate::data::Data::load(&[folder]).unwrap();
    let device = found.devices.get(&done.device).unwrap();
    assert_eq!(device.title, done.title);
    assert!(device.figure("peak.fp32").unwrap().value > 0.0);
    assert_eq!(done.file, path(&dirs, &done.device).display().to_string());

    // The device is free again, and in use it is refused at once.
    let _held = lock(&dirs, false, &progress, &Cancel::new()).unwrap();
    let e = cpu(&dirs, &request, &progress, &Cancel::new()).unwrap_err();
    assert!(e.message.contains("calibrate"), "{}", e.message);
}
