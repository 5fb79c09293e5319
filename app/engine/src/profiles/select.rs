//! Which launches of a report are meant: one kernel, one launch of it or all, never a sum.

use std::collections::BTreeMap;

use assay_core::record::Figure;
use assay_core::text::{inert, nearest};
use assay_profile::{Launch, Profile, Scope, launch_figures};
use regex::Regex;

use crate::error::{Error, Result};

/// Most kernels that a message names.
const NAMED: usize = 12;

/// What to look for in a report.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The kernel: its name, or a part of it that only one has.
    pub kernel: Option<String>,
    /// What the campaign says about the name of its kernel.
    pub pattern: Option<Regex>,
    /// Which launch of the kernel, from 0.
    pub launch: Option<u32>,
    /// Take what is added up over all kernels of the process.
    pub aggregate: bool,
    /// The profile stage asks: what helps is a key of the campaign file, and no option.
    pub in_stage: bool,
}

impl Wanted {
    /// What helps: an option of a command, or a key of the campaign file in a stage.
    fn help<'h>(&self, option: &'h str, key: &'h str) -> &'h str {
        if self.in_stage { key } else { option }
    }
}

/// The key that names the kernel that is meant.
const KEY: &str =
    "[profile] kernel in assay.toml says which, as a pattern that only its name matches";

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The kernel; absent for an aggregate.
    pub kernel: Option<String>,
    /// Places of its launches in the profile, in order.
    pub launches: Vec<usize>,
    /// The one that speaks for all: the chosen one, else the one nearest to the median.
    pub main: usize,
    /// The launch that was asked for.
    pub occurrence: Option<u32>,
    /// Other kernels in the report.
    pub others: Vec<String>,
}

/// Kernels of a profile in the order of their first launch.
pub fn kernels(profile: &Profile) -> Vec<&str> {
    let mut seen = std::collections::HashSet::new();
    let launches = profile.launches.iter();
    launches
        .filter(|l| l.scope == Scope::PerKernel)
        .map(|l| l.kernel.as_str())
        .filter(|k| seen.insert(*k))
        .collect()
}

/// Finds the launches that are meant.
///
/// # Errors
/// When the report has several kernels and it is not said which, when it has none, and when there
/// is no such kernel or launch. The message names what there is.
pub fn choose(profile: &Profile, wanted: &Wanted) -> Result<Chosen> {
    let all = kernels(profile);
    if wanted.aggregate {
        return aggregate(profile, wanted, &all);
    }
    let Some(kernel) = kernel(profile, wanted, &all)? else {
        return unnamed(profile, wanted);
    };
    let mut launches = of(profile, |l| {
        l.scope == Scope::PerKernel && l.kernel == kernel
    });
    let occurrence = match wanted.launch {
        None => None,
        Some(n) => {
            let at = (launches.iter().enumerate())
                .find(|(i, at)| occurrence(profile, **at, *i) == n)
                .map(|(_, at)| *at);
            let Some(at) = at else {
                return Err(no_launch(profile, kernel, &launches, n));
            };
            // The other launches are kept in the raw files; the figures are those of this one.
            launches.retain(|l| *l == at);
            Some(n)
        }
    };
    Ok(Chosen {
        kernel: Some(kernel.to_owned()),
        main: typical(profile, &launches),
        launches,
        occurrence,
        others: all
            .iter()
            .filter(|k| **k != kernel)
            .map(|k| (*k).to_owned())
            .collect(),
    })
}

fn of(profile: &Profile, want: impl Fn(&Launch) -> bool) -> Vec<usize> {
    let launches = profile.launches.iter().enumerate();
    launches.filter(|(_, l)| want(l)).map(|(i, _)| i).collect()
}

/// Which launch of its kernel it is: as the report says, else as they stand.
fn occurrence(profile: &Profile, at: usize, nth: usize) -> u32 {
    let said = profile.launches.get(at).and_then(|l| l.occurrence);
    said.unwrap_or(u32::try_from(nth).unwrap_or(u32::MAX))
}

fn no_launch(profile: &Profile, kernel: &str, launches: &[usize], n: u32) -> Error {
    let numbers = launches.iter().enumerate();
    let numbers: Vec<u32> = numbers.map(|(i, at)| occurrence(profile, *at, i)).collect();
    let there = match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) if first != last => format!("launches {first} to {last}"),
        (Some(only), _) => format!("launch {only} only"),
        _ => "none".into(),
    };
    Error::input(format!("no launch {n} of `{}`", inert(kernel)))
        .hint(format!("the report has {there}"))
}

fn aggregate(profile: &Profile, wanted: &Wanted, kernels: &[&str]) -> Result<Chosen> {
    if wanted.kernel.is_some() || wanted.launch.is_some() {
        return Err(Error::input(
            "--aggregate takes all kernels together: --kernel and --launch do not go with it",
        ));
    }
    match of(profile, |l| l.scope == Scope::Aggregate).as_slice() {
        [one] => Ok(Chosen {
            kernel: None,
            launches: vec![*one],
            main: *one,
            occurrence: None,
            others: kernels.iter().map(|k| (*k).to_owned()).collect(),
        }),
        [] => Err(
            Error::input("the report has no figures of the whole process, only of kernels")
                .hint("leave --aggregate out"),
        ),
        several => Err(Error::input(format!(
            "the report has {} parts that are of no single kernel; none speaks for the others",
            several.len()
        ))),
    }
}

/// The kernel that is meant; `None` when the report names none.
fn kernel<'p>(profile: &Profile, wanted: &Wanted, all: &[&'p str]) -> Result<Option<&'p str>> {
    let seen = || listed(all);
    if let Some(text) = &wanted.kernel {
        if let Some(exact) = all.iter().find(|k| **k == text) {
            return Ok(Some(exact));
        }
        let matching: Vec<&str> = (all.iter().copied())
            .filter(|k| k.contains(text.as_str()))
            .collect();
        return match matching.as_slice() {
            [one] => Ok(Some(one)),
            [] if all.is_empty() => Ok(None),
            [] => {
                let near = nearest(text, all.iter().copied());
                let near =
                    near.map_or_else(String::new, |n| format!("; did you mean `{}`?", inert(n)));
                Err(
                    Error::input(format!("no kernel `{}` in the report{near}", inert(text)))
                        .hint(format!("it has {}", seen())),
                )
            }
            several => Err(Error::input(format!(
                "`{}` is a part of several kernels: {}",
                inert(text),
                listed(several)
            ))
            .hint("--kernel with the whole name")),
        };
    }
    if let Some(pattern) = &wanted.pattern
        && !all.is_empty()
    {
        let matching: Vec<&str> = (all.iter().copied())
            .filter(|k| pattern.is_match(k))
            .collect();
        return match matching.as_slice() {
            [one] => Ok(Some(one)),
            [] => Err(Error::input(format!(
                "no kernel in the report matches [profile] kernel = \"{pattern}\""
            ))
            .hint(format!(
                "it has {}; {}",
                seen(),
                wanted.help("--kernel chooses one", KEY)
            ))),
            several => Err(Error::input(format!(
                "several kernels match [profile] kernel = \"{pattern}\": {}",
                listed(several)
            ))
            .hint(wanted.help("--kernel chooses one", KEY))),
        };
    }
    match all {
        [one] => Ok(Some(one)),
        [] => Ok(None),
        several => {
            let total = profile.launches.len();
            Err(Error::input(format!(
                "the report has {} kernels in {total} launches: {}",
                several.len(),
                seen()
            ))
            .hint(wanted.help(
                "--kernel NAME says which is meant; `[profile] kernel` in assay.toml says it for good",
                KEY,
            )))
        }
    }
}

/// A report without any kernel's name: only whoever made it can say what it is of.
fn unnamed(profile: &Profile, wanted: &Wanted) -> Result<Chosen> {
    let launches = of(profile, |_| true);
    match (&wanted.kernel, launches.as_slice()) {
        (Some(name), [one]) if says_no_kernel(&profile.launches[*one]) => Ok(Chosen {
            kernel: Some(name.clone()),
            launches: launches.clone(),
            main: *one,
            occurrence: wanted.launch,
            others: Vec::new(),
        }),
        _ => {
            let open = launches
                .iter()
                .any(|l| says_no_kernel(&profile.launches[*l]));
            Err(Error::input(if open {
                "the report does not say which kernel it is of, or whether all of them are added up"
            } else {
                "the report is of the whole process, all kernels added up: it says nothing of one kernel"
            })
            .hint(if open {
                wanted.help(
                    "--kernel NAME says that it is of this kernel alone, --aggregate that it is of all",
                    "[profile] kernel in assay.toml names the kernels to be counted; without a name in the report its figures are not used",
                )
            } else {
                wanted.help(
                    "--aggregate takes it as what it is; mcProfiler makes reports of each kernel with --per-kernel",
                    "[profile] kernel in assay.toml names the kernels to be counted one by one",
                )
            }))
        }
    }
}

fn says_no_kernel(launch: &Launch) -> bool {
    launch.kernel == assay_profile::formats::mcprofiler::UNNAMED
}

/// Names for a message.
pub fn listed(names: &[&str]) -> String {
    let mut out: Vec<String> = (names.iter().take(NAMED))
        .map(|n| format!("`{}`", inert(n)))
        .collect();
    if names.len() > NAMED {
        out.push(format!("{} more", names.len() - NAMED));
    }
    if out.is_empty() {
        return "no kernel by name".into();
    }
    out.join(", ")
}

/// The launch that is nearest to the median of all counters: a real launch, whose figures belong
/// together, where medians of each counter would be of a launch that never was.
pub fn typical(profile: &Profile, launches: &[usize]) -> usize {
    let first = launches.first().copied().unwrap_or(0);
    if launches.len() < 3 {
        return first;
    }
    let figures: Vec<BTreeMap<String, Figure>> = launches
        .iter()
        .map(|l| launch_figures(&profile.launches[*l]))
        .collect();
    let middle = middle(&figures);
    let distance = |of: &BTreeMap<String, Figure>| -> f64 {
        middle
            .iter()
            .map(|(name, (figure, _))| match of.get(name) {
                Some(f) => {
                    (f.value - figure.value).abs() / figure.value.abs().max(f64::MIN_POSITIVE)
                }
                None => 1.0,
            })
            .map(|d| d.min(1.0))
            .sum()
    };
    let best = figures
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    best.map_or(first, |(i, _)| launches[i])
}

/// The median of each figure, and its smallest and largest value.
pub fn middle(figures: &[BTreeMap<String, Figure>]) -> BTreeMap<String, (Figure, [f64; 2])> {
    let mut values: BTreeMap<&String, (&str, Vec<f64>)> = BTreeMap::new();
    for (name, figure) in figures.iter().flatten() {
        values
            .entry(name)
            .or_insert((&figure.unit, Vec::new()))
            .1
            .push(figure.value);
    }
    let one = |(name, (unit, mut of)): (&String, (&str, Vec<f64>))| {
        of.sort_by(f64::total_cmp);
        let (low, high) = (of[(of.len() - 1) / 2], of[of.len() / 2]);
        let figure = Figure {
            value: if low == high {
                low
            } else {
                low + (high - low) / 2.0
            },
            unit: unit.to_owned(),
        };
        (name.clone(), (figure, [of[0], of[of.len() - 1]]))
    };
    values.into_iter().map(one).collect()
}

#[cfg(test)]
#[path = "select_tests.rs"]
mod tests;
