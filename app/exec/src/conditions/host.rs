//! What `/proc` and `/sys` say of the processors.
//!
//! A reading between blocks takes the small files alone. Who else works is found by looking at all
//! processes twice; that takes milliseconds, so it is done before and after a benchmark.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use assay_core::Timestamp;

use super::cells::safe_name;
use super::reading::{Conditions, OtherProcess, Reason};
use super::{clocks_mhz, hottest, read};

/// What is said of the source of a reading.
pub const SOURCE: &str = "cpu";

/// Milliseconds of a tick of `/proc`: `USER_HZ` is 100 on every Linux that programs can see.
const TICK_MS: u64 = 10;

/// Share of one processor from which another process is worth a name, in percent.
const BUSY_PERCENT: f64 = 5.0;

/// How much a share may be above what is possible because ticks and time are read apart.
const CLOCK_SLACK: f64 = 1.05;

/// Reads the small files below `root` (`/` but in tests).
pub fn quick(root: &Path, at: Timestamp) -> Conditions {
    let mut c = Conditions::unknown(SOURCE, at);
    // Idle cores may run slowly; the one that has worked is the fastest.
    c.sm_clock_mhz = clocks_mhz(root).into_iter().reduce(f64::max);
    c.temperature_c = hottest(root);
    c.governor = read(root, &cpufreq(0, "scaling_governor")).map(|g| safe_name(&g));
    c.locked = locked(root);
    c.load = read(root, "proc/loadavg").as_deref().and_then(first_number);
    if let Some(events) = throttles(root) {
        c.throttle_counts.insert(Reason::Thermal, events);
    }
    c.waited_us = read(root, "proc/pressure/cpu").as_deref().and_then(waited);
    c.stolen_ms = read(root, "proc/stat").as_deref().and_then(stolen);
    c
}

fn cpufreq(cpu: usize, file: &str) -> String {
    format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}")
}

fn first_number(text: &str) -> Option<f64> {
    let value: f64 = text.split_whitespace().next()?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// Whether the least and the highest clock that the governor may choose are the same everywhere.
///
/// Turbo above the highest stated clock is not seen here, so that `true` needs turbo off.
fn locked(root: &Path) -> Option<bool> {
    let mut same = None;
    for cpu in 0..4096 {
        let at = |file: &str| read(root, &cpufreq(cpu, file))?.parse::<u64>().ok();
        let (Some(low), Some(high)) = (at("scaling_min_freq"), at("scaling_max_freq")) else {
            break;
        };
        same = Some(same.unwrap_or(true) && low == high);
    }
    if same == Some(true) {
        let off = read(root, "sys/devices/system/cpu/intel_pstate/no_turbo").map(|t| t == "1");
        let boost = read(root, "sys/devices/system/cpu/cpufreq/boost").map(|b| b == "0");
        return off.or(boost);
    }
    same
}

/// Thermal events of all cores and packages since boot; `None` where they are not counted.
fn throttles(root: &Path) -> Option<u64> {
    let mut total = None;
    for cpu in 0..4096 {
        let at = |file: &str| {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{file}");
            read(root, &path)?.parse::<u64>().ok()
        };
        let (core, package) = (at("core_throttle_count"), at("package_throttle_count"));
        if core.is_none() && package.is_none() {
            break;
        }
        let sum = core.unwrap_or(0).saturating_add(package.unwrap_or(0));
        total = Some(total.unwrap_or(0u64).saturating_add(sum));
    }
    total
}

/// Microseconds of the line `some` of the pressure file.
fn waited(text: &str) -> Option<u64> {
    let some = text.lines().find(|l| l.starts_with("some "))?;
    let total = some.split(' ').find_map(|w| w.strip_prefix("total="))?;
    total.parse().ok()
}

/// Milliseconds in the eighth column of the first line of `/proc/stat`.
fn stolen(text: &str) -> Option<u64> {
    let line = text.lines().find(|l| l.starts_with("cpu "))?;
    let ticks: u64 = line.split_whitespace().nth(8)?.parse().ok()?;
    ticks.checked_mul(TICK_MS)
}

/// Processor time that each process had used at one moment.
#[derive(Debug, Clone)]
pub struct Census {
    taken: Instant,
    /// Ticks since boot, where the machine tells them.
    uptime: Option<u64>,
    /// Processors that are on line, where the machine tells them.
    processors: Option<usize>,
    /// By number and start: a number is used again, and a name changes while a process runs, as
    /// that of a kernel worker does with what it works on.
    processes: BTreeMap<(u32, u64), Seen>,
}

/// One process at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    name: String,
    /// Ticks of processor time over its life.
    used: u64,
    running: bool,
}

impl Census {
    /// Looks at all processes below `root` but `own`.
    pub fn take(root: &Path, own: u32) -> Self {
        let mut processes = BTreeMap::new();
        for entry in fs::read_dir(root.join("proc"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let pid = entry
                .file_name()
                .to_str()
                .and_then(|n| n.parse::<u32>().ok());
            let Some(pid) = pid.filter(|p| *p != own) else {
                continue;
            };
            let stat = read(root, &format!("proc/{pid}/stat"));
            if let Some((started, found)) = stat.as_deref().and_then(of_stat) {
                processes.insert((pid, started), found);
            }
        }
        let uptime = read(root, "proc/uptime").as_deref().and_then(first_number);
        let stat = read(root, "proc/stat").unwrap_or_default();
        let processors = stat
            .lines()
            .filter(|l| {
                let number = l.strip_prefix("cpu").and_then(|l| l.chars().next());
                number.is_some_and(|c| c.is_ascii_digit())
            })
            .count();
        Self {
            taken: Instant::now(),
            uptime: uptime.map(|s| (s * 1000.0 / TICK_MS as f64) as u64),
            processors: (processors > 0).then_some(processors),
            processes,
        }
    }

    /// Who runs right now.
    pub fn running(&self) -> Vec<OtherProcess> {
        let all = self.processes.iter().filter(|(_, seen)| seen.running);
        all.map(|((pid, _), seen)| other(*pid, &seen.name, None))
            .collect()
    }

    /// Who used a processor for a good part of the time since `earlier`, the busiest first.
    pub fn busy_since(&self, earlier: &Self) -> Vec<OtherProcess> {
        self.busy_over(earlier, self.taken.saturating_duration_since(earlier.taken))
    }

    fn busy_over(&self, earlier: &Self, time: Duration) -> Vec<OtherProcess> {
        // A tick is the least that is counted: over less than 20 of them 5 % cannot be told.
        let ms = time.as_secs_f64() * 1e3;
        if ms < 20.0 * TICK_MS as f64 {
            return Vec::new();
        }
        let mut out: Vec<(f64, OtherProcess)> = Vec::new();
        for (id @ (pid, started), seen) in &self.processes {
            let before = match earlier.processes.get(id) {
                Some(before) => before.used,
                // One that started since has used all its time since. Of one that is older, and was
                // not seen then, it is not known when it used its time.
                None if earlier.uptime.is_none_or(|then| *started >= then) => 0,
                None => continue,
            };
            let used = seen.used.saturating_sub(before);
            let percent = (used.saturating_mul(TICK_MS)) as f64 / ms * 100.0;
            // No process uses more than there is: such a figure is none.
            let possible = |n: usize| percent <= n as f64 * 100.0 * CLOCK_SLACK;
            if percent >= BUSY_PERCENT && self.processors.is_none_or(possible) {
                out.push((percent, other(*pid, &seen.name, Some(percent))));
            }
        }
        out.sort_by(|a, b| b.0.total_cmp(&a.0));
        out.into_iter().map(|(_, p)| p).collect()
    }
}

fn other(pid: u32, name: &str, busy_percent: Option<f64>) -> OtherProcess {
    OtherProcess {
        pid,
        name: name.to_owned(),
        memory_mib: None,
        busy_percent,
    }
}

/// Start in ticks since boot, and what is seen of a process, from `/proc/PID/stat`.
fn of_stat(stat: &str) -> Option<(u64, Seen)> {
    // The name stands in brackets and may hold any character, brackets included.
    let (head, rest) = stat.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<u64>().ok();
    let seen = Seen {
        name: safe_name(name),
        used: ticks(11)?.saturating_add(ticks(12)?),
        running: *fields.first()? == "R",
    };
    Some((ticks(19)?, seen))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::write;
    use super::*;

    fn stat(pid: u32, name: &str, state: &str, user: u64, system: u64) -> String {
        from(5, pid, name, state, user, system)
    }

    fn from(start: u64, pid: u32, name: &str, state: &str, user: u64, system: u64) -> String {
        format!(
            "{pid} ({name}) {state} 1 1 1 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 1 0 {start} 0 0"
        )
    }

    #[test]
    fn small_files_are_read_and_what_is_missing_is_absent() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let empty = quick(root, Timestamp::UNIX_EPOCH);
        assert_eq!(empty, Conditions::unknown(SOURCE, Timestamp::UNIX_EPOCH));
        for (cpu, khz) in [(0, 800_000), (1, 3_400_000)] {
            write(root, &cpufreq(cpu, "scaling_cur_freq"), &khz.to_string());
            write(root, &cpufreq(cpu, "scaling_min_freq"), "3400000");
            write(root, &cpufreq(cpu, "scaling_max_freq"), "3400000\n");
            write(root, &cpufreq(cpu, "scaling_governor"), "performance\n");
            let heat = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle");
            write(root, &format!("{heat}/core_throttle_count"), "2\n");
            write(root, &format!("{heat}/package_throttle_count"), "10\n");
        }
        write(root, "proc/loadavg", "0.52 0.58 0.59 3/977 12345\n");
        let pressure = "some avg10=1.25 avg60=0.00 avg300=0 total=123456\nfull avg10=0 total=9\n";
        write(root, "proc/pressure/cpu", pressure);
        write(
            root,
            "proc/stat",
            "cpu  1 2 3 4 5 6 7 88 0 0\ncpu0 1 2 3 4 5 6 7 44 0 0\n",
        );
        let c = quick(root, Timestamp::UNIX_EPOCH);
        assert_eq!(c.sm_clock_mhz, Some(3400.0), "that of the fastest core");
        assert_eq!(c.governor.as_deref(), Some("performance"));
        assert_eq!(c.locked, None, "whether turbo is off is not known");
        assert_eq!(c.throttle_counts[&Reason::Thermal], 24);
        assert_eq!(
            (c.load, c.waited_us, c.stolen_ms),
            (Some(0.52), Some(123_456), Some(880))
        );
        write(root, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
        assert_eq!(quick(root, Timestamp::UNIX_EPOCH).locked, Some(true));
        write(root, &cpufreq(1, "scaling_min_freq"), "800000\n");
        assert_eq!(quick(root, Timestamp::UNIX_EPOCH).locked, Some(false));
    }

    #[test]
    fn damaged_files_are_as_good_as_none() {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("proc/loadavg", "busy"),
            ("proc/pressure/cpu", "some total=-4"),
            ("proc/stat", "cpu 1 2 3"),
            ("proc/cpuinfo", "cpu MHz : fast"),
        ] {
            write(dir.path(), path, text);
        }
        write(dir.path(), &cpufreq(0, "scaling_min_freq"), "low");
        let got = quick(dir.path(), Timestamp::UNIX_EPOCH);
        assert_eq!(got, Conditions::unknown(SOURCE, Timestamp::UNIX_EPOCH));
    }

    #[test]
    fn busy_processes_are_found_by_the_time_they_used() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write(root, "proc/10/stat", &stat(10, "cc1) R (x", "R", 100, 0));
        write(root, "proc/11/stat", &stat(11, "idle", "S", 5000, 0));
        write(root, "proc/12/stat", "12 damaged");
        write(root, "proc/self/stat", "7");
        write(root, "proc/99/stat", &stat(99, "assay", "R", 0, 0));
        let before = Census::take(root, 99);
        assert_eq!(before.running().len(), 1);
        assert_eq!(before.running()[0].name, "cc1) R (x");
        write(root, "proc/10/stat", &stat(10, "cc1) R (x", "S", 150, 45));
        write(root, "proc/13/stat", &stat(13, "late", "R", 8, 2));
        let after = Census::take(root, 99);
        let busy = after.busy_over(&before, Duration::from_secs(1));
        let told: Vec<(u32, f64)> = busy
            .iter()
            .map(|p| (p.pid, p.busy_percent.unwrap()))
            .collect();
        assert_eq!(told, [(10, 95.0), (13, 10.0)]);
        assert!(
            after
                .busy_over(&before, Duration::from_millis(100))
                .is_empty()
        );
        write(root, "proc/11/stat", &from(900, 11, "other", "S", 90, 0));
        let reused = Census::take(root, 99).busy_over(&before, Duration::from_secs(1));
        assert_eq!(
            reused[1].name, "other",
            "a number used again is another process"
        );
    }

    #[test]
    fn a_share_is_never_that_of_a_whole_life_nor_more_than_there_is() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write(root, "proc/uptime", "100.00 50.00\n");
        write(
            root,
            "proc/stat",
            "cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 5\n",
        );
        write(root, "proc/7/stat", &stat(7, "kworker/u8:0", "S", 0, 600));
        write(root, "proc/8/stat", &stat(8, "wild", "R", 0, 0));
        let before = Census::take(root, 99);
        // A worker is named after what it works on; its number and its start stay.
        let worker = stat(7, "kworker/u8:0-flush", "S", 0, 610);
        write(root, "proc/7/stat", &worker);
        // More than two processors can give, and one that is older than the first reading but was
        // not seen in it.
        write(root, "proc/8/stat", &stat(8, "wild", "R", 574, 0));
        write(root, "proc/9/stat", &stat(9, "hidden", "S", 70, 0));
        write(root, "proc/10/stat", &from(10_050, 10, "new", "S", 20, 0));
        let busy = Census::take(root, 99).busy_over(&before, Duration::from_secs(1));
        let told: Vec<(&str, f64)> = busy
            .iter()
            .map(|p| (p.name.as_str(), p.busy_percent.unwrap()))
            .collect();
        assert_eq!(told, [("new", 20.0), ("kworker/u8:0-flush", 10.0)]);
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(text in "[ -~\n()]{0,200}") {
            let _ = (of_stat(&text), waited(&text), stolen(&text), first_number(&text));
            let _ = stolen(&format!("cpu {text}"));
            let _ = waited(&format!("some {text}"));
        }
    }
}
