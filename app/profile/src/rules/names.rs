//! The names that rules may use, beside the counters of the catalog.

use std::collections::HashMap;

use assay_core::text::nearest;

use super::On;
use crate::{Catalog, CounterInfo};

/// A name with its unit and meaning. Those that begin with `launch.` and `pair.` are worked out
/// from the reports; the others are told by the caller.
pub(crate) const NAMES: &[(&str, &str, &str)] = &[
    (
        "launch.aggregate",
        "1",
        "1 when the counters are of several launches or of the whole program added up, 0 when of one kernel",
    ),
    (
        "launch.grid_blocks",
        "1",
        "workgroups of the grid that the report states",
    ),
    (
        "launch.block_threads",
        "1",
        "threads of a workgroup that the report states",
    ),
    ("launch.count", "1", "launches of this kernel in the report"),
    ("launch.kernels", "1", "different kernels in the report"),
    (
        "launch.suspect",
        "1",
        "figures of counters of the catalog that the reader marked as not to be taken at face value",
    ),
    (
        "launch.contradicted",
        "1",
        "counters that the report has more than once, with different values",
    ),
    ("device.units", "1", "compute units (AP, SM, CU)"),
    ("device.wave", "1", "threads of a wave"),
    ("device.waves_per_unit", "1", "most waves of a compute unit"),
    (
        "device.threads_per_block",
        "1",
        "most threads of a workgroup",
    ),
    (
        "device.shared_per_block",
        "bytes",
        "most shared memory of a workgroup",
    ),
    ("device.l2", "bytes", "size of the L2 cache"),
    ("device.bandwidth", "GB/s", "peak memory bandwidth"),
    ("device.clock", "GHz", "clock that the peaks are for"),
    (
        "device.peak",
        "TFLOPS",
        "peak for the data type of the workload",
    ),
    (
        "device.peak.most",
        "TFLOPS",
        "the highest peak quoted for the data type, at whatever clock",
    ),
    ("device.peak.fp16", "TFLOPS", "peak for fp16"),
    ("device.peak.bf16", "TFLOPS", "peak for bf16"),
    ("device.peak.fp32", "TFLOPS", "peak for fp32"),
    ("device.peak.int8", "TFLOPS", "peak for int8, in operations"),
    ("device.peak.fp64", "TFLOPS", "peak for fp64"),
    (
        "device.ridge",
        "FLOP/byte",
        "intensity at which the peak for the data type of the workload is reached",
    ),
    (
        "device.ridge.fp16",
        "FLOP/byte",
        "intensity at which the fp16 peak is reached",
    ),
    (
        "device.ridge.int8",
        "FLOP/byte",
        "intensity at which the int8 peak is reached",
    ),
    (
        "device.mma_flops",
        "FLOP",
        "operations of one matrix instruction",
    ),
    (
        "device.share",
        "1",
        "share of the whole device, 1 for all of it",
    ),
    (
        "workload.flops",
        "FLOP",
        "operations by the formula of the campaign",
    ),
    (
        "workload.bytes",
        "bytes",
        "least memory traffic by the formula of the campaign",
    ),
    ("workload.outputs", "1", "elements of the output"),
    (
        "workload.ops_per_output",
        "FLOP",
        "operations that an output element is declared to need",
    ),
    (
        "workload.groups",
        "1",
        "workgroups that a launch is expected to have",
    ),
    (
        "workload.published_flops",
        "FLOP",
        "operations by a formula that a document states",
    ),
    ("workload.fp16", "1", "1 when the data type is fp16"),
    ("workload.bf16", "1", "1 when the data type is bf16"),
    ("workload.fp32", "1", "1 when the data type is fp32"),
    ("workload.int8", "1", "1 when the data type is int8"),
    ("claim.time", "ns", "published time of a launch"),
    ("claim.tflops", "TFLOPS", "published throughput"),
    ("claim.bandwidth", "GB/s", "published memory bandwidth"),
    ("claim.speedup", "1", "published speedup"),
    ("claim.flops", "FLOP", "published operations of a launch"),
    (
        "claim.bytes",
        "bytes",
        "published memory traffic of a launch",
    ),
    (
        "bench.time",
        "ns",
        "median time of a launch in the benchmark of the campaign",
    ),
    (
        "bench.cold",
        "1",
        "1 when the benchmark flushes caches before each launch, 0 when it does not",
    ),
    (
        "bench.time_from_profiler",
        "1",
        "1 when the latency that is quoted was taken from a profiler",
    ),
    ("history.profile_missing", "1", "1 when there is no profile"),
    (
        "history.profile_stale",
        "1",
        "1 when the profile is of another source than the current one",
    ),
    ("history.champion", "1", "1 when it is the current champion"),
    (
        "history.commits",
        "1",
        "different commits behind one report",
    ),
    ("verdict.faster", "1", "1 when B was proven faster than A"),
    ("verdict.slower", "1", "1 when B was proven slower than A"),
    (
        "verdict.same",
        "1",
        "1 when the two were proven equal within the limit",
    ),
    ("verdict.no_gain", "1", "1 when a gain was excluded"),
    (
        "time.change",
        "%",
        "change of the time of B against A, from the verdict or from published times",
    ),
    (
        "pair.better",
        "1",
        "counters that moved in their good direction",
    ),
    (
        "pair.worse",
        "1",
        "counters that moved in their bad direction",
    ),
    (
        "pair.moved",
        "1",
        "counters that moved, with or without a direction",
    ),
    ("pair.only_a", "1", "counters that only A has"),
    ("pair.only_b", "1", "counters that only B has"),
    (
        "pair.tool_differs",
        "1",
        "1 when the reports are of different tools",
    ),
    (
        "pair.version_differs",
        "1",
        "1 when both reports state the version of their tool and these differ",
    ),
    (
        "pair.flavour_differs",
        "1",
        "1 when the reports are different outputs of their tool",
    ),
    (
        "pair.mode_differs",
        "1",
        "1 when one is of a kernel and the other an aggregate, or they were taken in different modes of the tool",
    ),
    (
        "pair.kernel_differs",
        "1",
        "1 when the kernels have different names",
    ),
];

/// Families of names that may stand behind `a.` and `b.`.
const OF_A_SIDE: &[&str] = &["launch.", "claim.", "bench."];

/// What stands before the name of a counter in rules of pairs, and whether it is a side's value.
const SIDES: &[&str] = &["a.", "b.", "change.", "points."];

/// Units and directions of counters by canonical name.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary {
    catalog: Catalog,
    /// Places of the entries of the catalog.
    places: HashMap<String, usize>,
}

impl Vocabulary {
    pub(super) fn new(catalog: &Catalog) -> Self {
        let entries = catalog.entries().iter().enumerate();
        Self {
            places: entries.map(|(at, e)| (e.canonical.clone(), at)).collect(),
            catalog: catalog.clone(),
        }
    }

    fn entry(&self, canonical: &str) -> Option<&CounterInfo> {
        let at = *self.places.get(canonical)?;
        self.catalog.entries().get(at)
    }

    /// Whether a tool has a name for a counter; what is no counter of a tool is never lacking.
    pub(super) fn offers(&self, tool: &str, name: &str) -> bool {
        let (_, mut counter) = split(name);
        // As in `a.res.NAME`.
        counter = counter.strip_prefix("res.").unwrap_or(counter);
        match self.entry(counter) {
            Some(entry) => counter.starts_with("claim.") || entry.names.contains_key(tool),
            None => true,
        }
    }

    /// The counters and their directions.
    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Unit of a counter of the catalog.
    pub(super) fn unit(&self, canonical: &str) -> Option<&str> {
        self.entry(canonical).map(|e| e.unit.as_str())
    }

    /// The canonical names that match a pattern with `*`, sorted.
    pub(super) fn matching(&self, pattern: &str) -> Vec<String> {
        let mut names: Vec<String> = self
            .places
            .keys()
            .filter(|name| matches(pattern, name))
            .cloned()
            .collect();
        names.sort();
        names
    }

    /// Unit of a name as a rule of this kind may use it; `each` tells whether `it` has a meaning.
    pub(super) fn resolve(&self, name: &str, on: On, each: Option<&str>) -> Option<String> {
        if let Some(rest) = name.strip_prefix("known.") {
            return self.resolve(rest, on, each).map(|_| "1".to_owned());
        }
        match on {
            On::Pair => self.of_pair(name, each),
            On::Launch => {
                if let Some(counter) = name.strip_prefix("res.") {
                    return self.of_launch(counter, each);
                }
                self.of_launch(name, each).or_else(|| told(name))
            }
            On::Campaign | On::Figures => told(name.strip_prefix("res.").unwrap_or(name)),
        }
    }

    fn of_launch(&self, name: &str, each: Option<&str>) -> Option<String> {
        if name == "it" {
            return each.and_then(|e| self.unit(e)).map(str::to_owned);
        }
        let counter = self.unit(name).map(str::to_owned);
        counter.or_else(|| {
            let own = OF_A_SIDE.iter().any(|f| name.starts_with(f));
            own.then(|| table(name)).flatten()
        })
    }

    fn of_pair(&self, name: &str, each: Option<&str>) -> Option<String> {
        for side in ["a.", "b."] {
            if let Some(rest) = name.strip_prefix(side) {
                return self.of_launch(rest.strip_prefix("res.").unwrap_or(rest), each);
            }
        }
        if let Some(rest) = name.strip_prefix("change.") {
            return self.of_launch(rest, each).map(|_| "%".to_owned());
        }
        if let Some(rest) = name.strip_prefix("points.") {
            let unit = self.of_launch(rest, each)?;
            return Some(if unit == "%" { "points".into() } else { unit });
        }
        let of_a_launch = OF_A_SIDE.iter().any(|f| name.starts_with(f));
        if of_a_launch { None } else { table(name) }
    }

    /// What may have been meant by a name that is none here.
    pub(super) fn suggest(&self, name: &str, on: On, each: Option<&str>) -> Option<String> {
        if on == On::Pair && self.of_launch(name, each).is_some() {
            return Some(format!("write `a.{name}`, `b.{name}` or `change.{name}`"));
        }
        if on == On::Launch && SIDES.iter().any(|s| name.starts_with(s)) {
            return Some("only rules with on = \"pair\" have two sides".into());
        }
        if matches!(on, On::Campaign | On::Figures) && self.of_launch(name, each).is_some() {
            return Some(
                "a rule with on = \"campaign\" has no report to read counters from".into(),
            );
        }
        let (prefix, rest) = split(name);
        let near = |word: &str| {
            let counters = self.places.keys().map(String::as_str);
            let names = NAMES.iter().map(|(n, _, _)| *n);
            // What differs by an ending first: `inst.mm` is nearer to `inst.mma`.
            nearest(word, counters.chain(names))
                .filter(|n| self.resolve(&format!("{prefix}{n}"), on, each).is_some())
                .map(|n| format!("did you mean `{prefix}{n}`?"))
        };
        near(rest)
    }
}

fn split(name: &str) -> (&str, &str) {
    for prefix in SIDES.iter().copied().chain(["res.", "known."]) {
        if let Some(rest) = name.strip_prefix(prefix) {
            return (prefix, rest);
        }
    }
    ("", name)
}

/// Unit of a name of the table.
fn table(name: &str) -> Option<String> {
    let entry = NAMES.iter().find(|(n, _, _)| *n == name);
    entry.map(|(_, unit, _)| (*unit).to_owned())
}

/// Unit of a name that the caller tells, for rules that are not about a pair.
fn told(name: &str) -> Option<String> {
    const FAMILIES: &[&str] = &["device.", "workload.", "claim.", "bench.", "history."];
    let allowed = FAMILIES.iter().any(|f| name.starts_with(f));
    allowed.then(|| table(name)).flatten()
}

/// Whether a name matches a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, is) in [
            ("duty.*", "duty.mma", true),
            ("duty.*", "xduty.mma", false),
            ("duty.mma", "duty.mma", true),
            ("duty.mma", "duty.mma.of_time", false),
            ("*.hit_rate", "cache.l2.hit_rate", true),
            ("c*.*e", "cache.l2.hit_rate", true),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} on {name}");
        }
    }

    #[test]
    fn names_are_unique_and_no_counter_has_the_name_of_another_thing() {
        let words = Vocabulary::new(Catalog::builtin());
        for (i, (name, unit, meaning)) in NAMES.iter().enumerate() {
            assert!(!unit.is_empty() && !meaning.is_empty());
            assert!(NAMES[..i].iter().all(|(n, _, _)| n != name), "{name}");
            let published = name.starts_with("claim.");
            assert!(published || words.unit(name).is_none(), "{name}");
        }
    }
}
