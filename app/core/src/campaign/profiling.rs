//! How counters are taken: the keys of `[profile]` and what they become.

use serde::{Deserialize, Serialize};

use super::keys::{Kind, Table, may, or};
use super::section::Section;

pub(crate) const TOOLS: &[&str] = &["auto", "cpu", "ncu", "mcprofiler"];
pub(crate) const CLOCKS: &[&str] = &["none", "base"];
pub(crate) const CACHES: &[&str] = &["all", "none"];

/// The table `[profile]`.
pub(super) const TABLE: Table = Table {
    path: "profile",
    doc: "Runs the kernel on one workload under a profiler; never timed. The keys from `metrics` on are for the profilers of devices, `ncu` and `mcprofiler`, which run the program or its launches many times over.",
    keys: &[
        may(
            "command",
            Kind::Command,
            "What to run: a text for `sh -c`, or an array of a program and its arguments; absent where counters are only imported.",
        ),
        may(
            "workload",
            Kind::Label,
            "Workload to run; the first when absent.",
        ),
        may(
            "kernel",
            Kind::Search,
            "Regular expression that the name of the kernel in a report matches; `assay import` chooses by it, and the profile stage.",
        ),
        or(
            "timeout",
            Kind::Duration { zero: false },
            "120s",
            "Time limit.",
        ),
        or(
            "tool",
            Kind::Choice(TOOLS),
            "auto",
            "`cpu`: perf, else Cachegrind, else counts of the generated source; `ncu`: Nsight Compute; `mcprofiler`: mcProfiler of MetaX. `auto` takes the one for the target's kind of device; where it is not installed, only the generated source is counted, with a note. A tool that is named and missing is a failure.",
        ),
        or(
            "metrics",
            Kind::Texts { least: 0 },
            "",
            "What to collect. For `ncu`: names of sets (`full`), of sections (`SpeedOfLight`) and of metrics (`sm__cycles_active.avg`); the set `full` when empty. For `mcprofiler`: names as `show_metrics` prints them; all when empty.",
        ),
        or(
            "launch_skip",
            Kind::Count {
                least: 0,
                most: 1_000_000,
            },
            "0",
            "Launches of the kernel that are passed over first (`ncu`).",
        ),
        or(
            "launch_count",
            Kind::Count {
                least: 0,
                most: 1_000_000,
            },
            "3",
            "Most launches that are profiled, 0 for all of them.",
        ),
        or(
            "clock_control",
            Kind::Choice(CLOCKS),
            "none",
            "`base`: `ncu` holds the clocks at their base while it counts; `none`: it leaves them as the benchmark finds them.",
        ),
        or(
            "cache_control",
            Kind::Choice(CACHES),
            "all",
            "`all`: `ncu` flushes the caches before each pass; `none`: it leaves what the pass before left.",
        ),
        or(
            "single_pass",
            Kind::Flag,
            "false",
            "`mcprofiler` infers all counters of one pass from sampled blocks, which is quick and less exact.",
        ),
        or(
            "custom",
            Kind::Flag,
            "false",
            "`mcprofiler` counts only between `mcProfilerStart` and `mcProfilerStop` in the program.",
        ),
        or(
            "port",
            Kind::Count {
                least: 1024,
                most: 65535,
            },
            "50123",
            "Local port of the service of `mcprofiler`.",
        ),
        or(
            "options",
            Kind::Texts { least: 0 },
            "",
            "Further words for the command line of `ncu` or `mcprofiler`.",
        ),
    ],
};

words! {
    /// What takes counters.
    ProfileTool {
        /// By the kind of device of the target, and by what is installed.
        Auto = "auto",
        /// perf, Cachegrind or the generated source.
        Cpu = "cpu",
        /// Nsight Compute.
        Ncu = "ncu",
        /// mcProfiler.
        McProfiler = "mcprofiler",
    }
}

words! {
    /// What `ncu` does about the clocks while it counts.
    ClockControl {
        /// Nothing.
        None = "none",
        /// Holds them at their base.
        Base = "base",
    }
}

words! {
    /// What `ncu` does about the caches before each pass.
    CacheControl {
        /// Flushes all of them.
        All = "all",
        /// Nothing.
        None = "none",
    }
}

/// How counters are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSpec {
    /// Name of the workload to run.
    pub workload: String,
    /// A valid regular expression for the name of the kernel in reports.
    pub kernel: Option<String>,
    /// What takes them.
    pub tool: ProfileTool,
    /// What to collect, in the words of the tool; all that it has when empty.
    pub metrics: Vec<String>,
    /// Launches of the kernel that are passed over first.
    pub launch_skip: u32,
    /// Most launches that are profiled; all when absent.
    pub launch_count: Option<u32>,
    /// The clocks, with `ncu`.
    pub clock_control: ClockControl,
    /// The caches, with `ncu`.
    pub cache_control: CacheControl,
    /// One pass for all counters, with mcProfiler.
    pub single_pass: bool,
    /// Only between the marks that the program sets, with mcProfiler.
    pub custom: bool,
    /// Port of the service of mcProfiler.
    pub port: u16,
    /// Further words for the tool's command line.
    pub options: Vec<String>,
}

impl ProfileSpec {
    /// Reads `[profile]`, for a workload whose name was checked.
    pub(super) fn read(section: &Section<'_, '_>, workload: String) -> Self {
        // The walk has checked that the numbers are whole and within bounds.
        let count = section.number("launch_count") as u32;
        Self {
            workload,
            kernel: section.get("kernel").map(|_| section.text("kernel")),
            tool: ProfileTool::from_name(&section.text("tool")).unwrap_or(ProfileTool::Auto),
            metrics: section.list("metrics"),
            launch_skip: section.number("launch_skip") as u32,
            launch_count: (count > 0).then_some(count),
            clock_control: ClockControl::from_name(&section.text("clock_control"))
                .unwrap_or(ClockControl::None),
            cache_control: CacheControl::from_name(&section.text("cache_control"))
                .unwrap_or(CacheControl::All),
            single_pass: section.flag("single_pass"),
            custom: section.flag("custom"),
            port: section.number("port") as u16,
            options: section.list("options"),
        }
    }
}
