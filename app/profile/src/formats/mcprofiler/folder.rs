//! A whole output folder: reports sorted by kernel and launch, the sum over all kernels apart.

use std::collections::{BTreeMap, BTreeSet};

use super::input::shown;
use super::merge::{Part, merge};
use super::name::{Subject, split, subject};
use super::{TOOL, csv, dumped, raw, txt, txt_json};
use crate::{Catalog, Counter, Launch, Profile, ProfileError, Scope};

/// What an output folder holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    /// One for each folder that has a report, by path.
    pub runs: Vec<Run>,
    /// Every file that was given, in that order, and what became of it.
    pub files: Vec<FileRead>,
}

/// The reports that lie in one folder: one run of the tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Path of the folder; empty for the top.
    pub folder: String,
    /// The kernels, one launch of the profile for each launch that has a report.
    pub kernels: Option<Profile>,
    /// All kernels of the process added up, those of the framework included. It says nothing of a
    /// single kernel.
    pub aggregate: Option<Profile>,
    /// Reports whose names do not say which kernel they are about.
    pub unclear: Option<Profile>,
    /// Hardware counters beneath the reports.
    pub hardware: Vec<Profile>,
}

/// A kernel and its launches that have a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelLaunches {
    /// Name of the kernel.
    pub kernel: String,
    /// How many launches of it have a report.
    pub launches: u32,
}

/// A file and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// The path as given.
    pub path: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What of it could not be read.
    pub notices: Vec<String>,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is a report, and its counters were read.
    Read {
        /// Which flavour it is by its content.
        flavour: &'static str,
        /// How many counters it has.
        counters: usize,
    },
    /// It is a report that was not used, and why.
    NotUsed(String),
    /// It should be a report and cannot be read, and why.
    Unreadable(String),
    /// It is no report, e.g. a picture.
    NotAReport,
}

impl Run {
    /// The profile to look at first: the kernels, else what is unclear, else the aggregate.
    pub fn main(&self) -> Option<&Profile> {
        let reports = [&self.kernels, &self.unclear, &self.aggregate];
        let mut found = reports.into_iter().filter_map(Option::as_ref);
        found.next().or_else(|| self.hardware.first())
    }

    /// The kernels in the order of their first launch, each with the number of its launches.
    pub fn kernels(&self) -> Vec<KernelLaunches> {
        let mut found: Vec<KernelLaunches> = Vec::new();
        let mut at = std::collections::HashMap::new();
        for l in self.kernels.iter().flat_map(|p| &p.launches) {
            let i = *at.entry(l.kernel.as_str()).or_insert(found.len());
            match found.get_mut(i) {
                Some(k) => k.launches += 1,
                None => found.push(KernelLaunches {
                    kernel: l.kernel.clone(),
                    launches: 1,
                }),
            }
        }
        found
    }
}

/// The flavours, those for people first; the order decides which one leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flavour {
    TxtJson,
    Txt,
    Csv,
    Dumped,
    Raw,
}

impl Flavour {
    const ALL: [Self; 5] = [Self::Dumped, Self::TxtJson, Self::Txt, Self::Csv, Self::Raw];

    fn name(self) -> &'static str {
        match self {
            Self::TxtJson => txt_json::FLAVOUR,
            Self::Txt => txt::FLAVOUR,
            Self::Csv => csv::FLAVOUR,
            Self::Dumped => dumped::FLAVOUR,
            Self::Raw => raw::FLAVOUR,
        }
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|f| match f {
            Self::TxtJson => txt_json::matches(bytes),
            Self::Txt => txt::matches(bytes),
            Self::Csv => csv::matches(bytes),
            Self::Dumped => dumped::matches(bytes),
            Self::Raw => raw::matches(bytes),
        })
    }

    fn parse(self, bytes: &[u8]) -> Result<Profile, ProfileError> {
        match self {
            Self::TxtJson => txt_json::parse(bytes),
            Self::Txt => txt::parse(bytes),
            Self::Csv => csv::parse(bytes),
            Self::Dumped => dumped::parse(bytes),
            Self::Raw => raw::parse(bytes),
        }
    }
}

/// Reads the files of an output folder, given as (path, content). Nothing is opened: a path is a
/// name, and flavours are told by content.
pub fn read_folder<P: AsRef<str>, B: AsRef<[u8]>>(
    files: impl IntoIterator<Item = (P, B)>,
) -> Folder {
    let mut folder = Folder {
        runs: Vec::new(),
        files: Vec::new(),
    };
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (path, bytes) in files {
        let (path, bytes) = (path.as_ref(), bytes.as_ref());
        let mut notices = Vec::new();
        let outcome = take(path, bytes, &mut groups, &mut notices);
        folder.files.push(FileRead {
            path: path.to_owned(),
            outcome,
            notices,
        });
    }
    let groups = groups.into_iter();
    folder.runs = groups.map(|(path, group)| group.run(path)).collect();
    folder
}

fn take(
    path: &str,
    bytes: &[u8],
    groups: &mut BTreeMap<String, Group>,
    notices: &mut Vec<String>,
) -> Outcome {
    let subject = subject(path);
    let Some(flavour) = Flavour::of(bytes) else {
        return not_a_report(path, bytes, &subject);
    };
    let mut profile = match flavour.parse(bytes) {
        Ok(profile) => profile,
        Err(e) => return Outcome::Unreadable(e.to_string()),
    };
    notices.append(&mut profile.notices);
    let group = groups.entry(split(path).0.to_owned()).or_default();
    let counters = profile.launches.iter().map(|l| l.len()).sum();
    for n in notices.iter() {
        group.notices.push(format!("`{}`: {n}", shown(path)));
    }
    if flavour == Flavour::Raw {
        group.hardware.push(profile);
    } else {
        let parts = group.reports.entry(subject).or_default();
        if let Some((_, first, _)) = parts.iter().find(|(f, ..)| *f == flavour) {
            return Outcome::NotUsed(format!(
                "a second {} of the same report, after `{}`",
                flavour.name(),
                shown(first)
            ));
        }
        let counters = profile.launches.pop();
        let counters = counters.map(|l| l.iter().map(Counter::from).collect());
        parts.push((flavour, path.to_owned(), counters.unwrap_or_default()));
    }
    Outcome::Read {
        flavour: flavour.name(),
        counters,
    }
}

fn not_a_report(path: &str, bytes: &[u8], subject: &Subject) -> Outcome {
    let is_named_like_one = ["_dumped_result.json", ".txt.json", ".txt.csv"]
        .iter()
        .any(|e| path.ends_with(e))
        || (path.ends_with(".txt") && !matches!(subject, Subject::Unclear(_)));
    if !is_named_like_one {
        return Outcome::NotAReport;
    }
    Outcome::Unreadable(if bytes.is_empty() {
        "the file is empty".into()
    } else {
        "it is named like a report, and its content is none".into()
    })
}

type Parts = Vec<(Flavour, String, Vec<Counter>)>;

#[derive(Default)]
struct Group {
    reports: BTreeMap<Subject, Parts>,
    hardware: Vec<Profile>,
    notices: Vec<String>,
}

impl Group {
    fn run(mut self, folder: String) -> Run {
        let mut run = Run {
            folder,
            kernels: None,
            aggregate: None,
            unclear: None,
            hardware: Vec::new(),
        };
        let mut rounded = 0u64;
        let mut without_report = 0u64;
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let mut names: BTreeMap<u32, Vec<(String, u32)>> = BTreeMap::new();
        for (subject, mut parts) in std::mem::take(&mut self.reports) {
            parts.sort_by_key(|(flavour, ..)| *flavour);
            let has_raw = parts.iter().any(|(f, ..)| *f == Flavour::Dumped);
            rounded += u64::from(!has_raw);
            without_report += u64::from(has_raw && parts.len() == 1);
            let merged = merge(parts.into_iter().map(part).collect());
            let (mut launch, into) = match subject {
                Subject::AllKernels => (
                    Launch::new(raw::ALL_KERNELS, Scope::Aggregate),
                    &mut run.aggregate,
                ),
                Subject::Kernel { index, kernel } => {
                    let occurrence = seen.entry(kernel.clone()).or_default();
                    let mut launch = Launch::new(kernel.clone(), Scope::PerKernel);
                    launch.occurrence = Some(*occurrence);
                    names.entry(index).or_default().push((kernel, *occurrence));
                    *occurrence += 1;
                    (launch, &mut run.kernels)
                }
                Subject::Unclear(stem) => (Launch::new(stem, Scope::Aggregate), &mut run.unclear),
            };
            launch.counters.extend(merged.0);
            if merged.1 > 0 {
                self.notices.push(format!(
                    "{}: the flavours contradict each other in {} figures, which are marked.",
                    shown(&launch.kernel),
                    merged.1
                ));
            }
            let profile = into.get_or_insert_with(|| Profile::new(TOOL, "folder"));
            profile.launches.push(launch);
        }
        self.gaps(&names, rounded, without_report);
        run.hardware = std::mem::take(&mut self.hardware);
        for p in &mut run.hardware {
            name_hardware(p, &names);
            Catalog::builtin().name_counters(p);
        }
        if let Some(p) = &mut run.unclear {
            p.notices.push(
                "The names of these reports do not say which kernel they are about (`<n>_<kernel>.*`), or whether all of them added up (`report.*`).".into(),
            );
        }
        let mut notices = Some(self.notices);
        let profiles = [&mut run.kernels, &mut run.unclear, &mut run.aggregate];
        for p in profiles.into_iter().flatten() {
            p.notices.extend(notices.take().unwrap_or_default());
            Catalog::builtin().name_counters(p);
        }
        if let Some(p) = run.hardware.first_mut() {
            p.notices.extend(notices.take().unwrap_or_default());
        }
        run
    }

    fn gaps(&mut self, names: &BTreeMap<u32, Vec<(String, u32)>>, rounded: u64, bare: u64) {
        if rounded > 0 {
            self.notices.push(format!(
                "{rounded} reports have no {}: their figures are rounded as printed.",
                dumped::FLAVOUR
            ));
        }
        if bare > 0 {
            self.notices.push(format!(
                "{bare} reports are there as {} only: what the roofline derives is missing.",
                dumped::FLAVOUR
            ));
        }
        let last = names.keys().next_back().copied().unwrap_or(0);
        let there: BTreeSet<u32> = names.keys().copied().collect();
        let missing = u64::from(last) - there.len() as u64;
        if missing > 0 {
            self.notices.push(format!(
                "{missing} launches before the last one have no report: the occurrences of a kernel are counted among those that have one."
            ));
        }
    }
}

fn part((flavour, _, counters): (Flavour, String, Vec<Counter>)) -> Part {
    Part {
        flavour: flavour.name(),
        is_raw: flavour == Flavour::Dumped,
        counters,
    }
}

/// Gives the kernels of hardware counters the names that the reports beside them have.
fn name_hardware(profile: &mut Profile, names: &BTreeMap<u32, Vec<(String, u32)>>) {
    for (&index, launches) in names {
        let [(kernel, occurrence)] = launches.as_slice() else {
            continue;
        };
        let index = index as usize;
        // With several devices launches have other names: their order over all is not known.
        let launch = profile.launches.get_mut(index);
        if let Some(l) = launch.filter(|l| l.kernel == raw::nameless(index)) {
            l.kernel.clone_from(kernel);
            l.occurrence = Some(*occurrence);
        }
    }
}
