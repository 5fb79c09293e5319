//! The conditions around a measurement, as far as this machine tells them.
//!
//! What cannot be read is absent, never zero. [`sample`] gives text for the record. A [`Sampler`]
//! takes [`Conditions`] to reckon with, from `/proc` and `/sys`, `nvidia-smi` or `mx-smi`; [`judge`]
//! says which blocks they void.

mod cells;
pub mod host;
mod judge;
pub mod metax;
pub mod nvidia;
mod reading;
mod sampler;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub use cells::complaint;
pub(crate) use cells::{absent, safe_name};
pub(crate) use judge::at_work;
pub use judge::{
    Evidence, Foreign, Judgement, LegClock, MIXED, Mark, Place, Policy, Reading, common_regime,
    judge,
};
pub use reading::{Conditions, OtherProcess, Reason, names};
pub use sampler::{Cost, Sampler};

/// What stands in a record for a clock that nobody told: neither the tool of the device nor the program.
pub const NOT_SAMPLED: &str = "not sampled";

/// Load, clocks, temperature and other work at one moment, read below `root` (`/` but in tests).
pub fn sample(root: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(v) = value {
            out.insert(name.to_owned(), v);
        }
    };
    let load = read(root, "proc/loadavg");
    let mut words = load.as_deref().unwrap_or("").split(' ');
    put(
        "load1",
        words.next().filter(|w| !w.is_empty()).map(str::to_owned),
    );
    let tasks = words.nth(2).and_then(|w| w.split_once('/'));
    // The reader itself is one of the running tasks.
    put("running", tasks.map(|(running, _)| running.to_owned()));
    put("mhz", mhz(root));
    put(
        "governor",
        read(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    );
    put("celsius", celsius(root));
    put("pressure.cpu", pressure(root));
    out
}

/// Joins a sample before and one after into one map.
pub fn around(
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let tag = |m: BTreeMap<String, String>, when: &'static str| {
        m.into_iter().map(move |(k, v)| (format!("{k}.{when}"), v))
    };
    tag(before, "before").chain(tag(after, "after")).collect()
}

/// Trimmed content of a small file below `root`; `None` when absent or empty.
pub(crate) fn read(root: &Path, path: &str) -> Option<String> {
    let text = fs::read_to_string(root.join(path)).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Lowest and highest current clock over the processors, e.g. `2596-2600`.
fn mhz(root: &Path) -> Option<String> {
    let clocks = clocks_mhz(root);
    let low = clocks.iter().copied().min_by(f64::total_cmp)?;
    let high = clocks.iter().copied().max_by(f64::total_cmp)?;
    Some(if low.round() == high.round() {
        format!("{low:.0}")
    } else {
        format!("{low:.0}-{high:.0}")
    })
}

/// Current clock of each processor in MHz; empty where the machine does not tell.
fn clocks_mhz(root: &Path) -> Vec<f64> {
    let mut clocks = Vec::new();
    for cpu in 0..4096 {
        let path = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
        let Some(khz) = read(root, &path).and_then(|t| t.parse::<f64>().ok()) else {
            break;
        };
        clocks.push(khz / 1000.0);
    }
    if clocks.is_empty() {
        let info = read(root, "proc/cpuinfo").unwrap_or_default();
        let of_line = |l: &str| {
            let (_, value) = l.strip_prefix("cpu MHz")?.split_once(':')?;
            value.trim().parse().ok()
        };
        clocks = info.lines().filter_map(of_line).collect();
    }
    clocks.retain(|mhz: &f64| mhz.is_finite() && *mhz > 0.0);
    clocks
}

/// Highest temperature that a thermal zone or a hardware monitor reports, as text.
fn celsius(root: &Path) -> Option<String> {
    hottest(root).map(|d| format!("{d:.1}"))
}

/// Highest temperature that a thermal zone or a hardware monitor reports.
fn hottest(root: &Path) -> Option<f64> {
    let mut hottest: Option<f64> = None;
    for (folder, prefix, file) in [
        ("sys/class/thermal", "thermal_zone", "temp"),
        ("sys/class/hwmon", "hwmon", "temp1_input"),
    ] {
        for entry in fs::read_dir(root.join(folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with(prefix) {
                continue;
            }
            let milli = read(root, &format!("{folder}/{name}/{file}"));
            let degrees = milli
                .and_then(|t| t.parse::<f64>().ok())
                .map(|m| m / 1000.0);
            // Sensors that are not wired report absurd values.
            if let Some(d) = degrees.filter(|d| (1.0..150.0).contains(d)) {
                hottest = Some(hottest.map_or(d, |h| h.max(d)));
            }
        }
    }
    hottest
}

/// Share of the last 10 s in which some task waited for a processor, in percent.
fn pressure(root: &Path) -> Option<String> {
    let text = read(root, "proc/pressure/cpu")?;
    let some = text.lines().find(|l| l.starts_with("some "))?;
    let value = some.split(' ').find_map(|w| w.strip_prefix("avg10="))?;
    Some(value.to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn what_the_machine_tells_is_recorded_and_the_rest_is_absent() {
        let dir = tempfile::tempdir().unwrap();
        assert!(sample(dir.path()).is_empty());
        write(dir.path(), "proc/loadavg", "0.52 0.58 0.59 3/977 12345\n");
        let info = "processor : 0\ncpu MHz\t\t: 2596.144\nprocessor : 1\ncpu MHz\t\t: 3100.9\n";
        write(dir.path(), "proc/cpuinfo", info);
        write(
            dir.path(),
            "sys/class/thermal/thermal_zone0/temp",
            "41500\n",
        );
        write(
            dir.path(),
            "sys/class/hwmon/hwmon3/temp1_input",
            "-128000\n",
        );
        write(
            dir.path(),
            "proc/pressure/cpu",
            "some avg10=1.25 avg60=0.00 total=1\n",
        );
        let got = sample(dir.path());
        let text: Vec<String> = got.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            text,
            [
                "celsius=41.5",
                "load1=0.52",
                "mhz=2596-3101",
                "pressure.cpu=1.25",
                "running=3"
            ]
        );
        let cur = "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq";
        write(dir.path(), cur, "2100000\n");
        assert_eq!(sample(dir.path())["mhz"], "2100");
    }
}
