//! Counters, derived figures and findings of reports, without a campaign.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use assay_core::text::nearest;
use assay_core::view::{
    DerivedView, DeviceView, FileView, FindingView, LaunchView, ProfileView, ReportView,
};
use assay_profile::derive::derive;
use assay_profile::rules::Context;
use assay_profile::{Format, Launch, Profile};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::judged::{Judged, judge};
use super::open::{AUTO, FORMATS, OpenedReport, Opening, open};
use super::rows::launch_view;
use crate::Cancel;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::input;

/// What to look at, and how.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Files, folders, or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// Word for a format; absent to tell it by content.
    pub format: Option<String>,
    /// A mapping file for formats that no reader knows.
    pub mapping: Option<PathBuf>,
    /// The device, `NAME` or `NAME@SHARE%`; absent to tell it by the report.
    pub device: Option<String>,
    /// The data type whose peak rates are held against.
    pub dtype: Option<String>,
    /// Only kernels whose names contain this.
    pub kernel: Option<String>,
    /// Only this launch of each kernel, from 0.
    pub launch: Option<u32>,
}

/// What was found in reports. It is written out as a [`ProfileView`], one launch at a time.
pub struct Inspection<'d> {
    data: &'d Data,
    /// The reports.
    pub reports: Vec<OpenedReport>,
    /// The files that were looked at, and what became of each.
    pub files: Vec<FileView>,
    /// What could not be read or compared.
    pub notices: Vec<String>,
    /// The device that rates are held against.
    pub device: Option<DeviceView>,
    /// What rules found, the worst first.
    pub findings: Vec<FindingView>,
    /// Report and launch that each finding is about.
    about: Vec<(usize, usize)>,
    /// What is known of the device of each report.
    contexts: Vec<Context>,
    /// The launches that were asked for, as places of report and launch.
    chosen: Vec<(usize, usize)>,
}

/// Looks at reports.
///
/// # Errors
/// When nothing can be read, a kernel or launch that was asked for is not there, or the request is
/// wrong.
pub fn inspect<'d>(request: &Request, data: &'d Data, cancel: &Cancel) -> Result<Inspection<'d>> {
    let format = format_asked(request.format.as_deref())?;
    let mapping = (request.mapping.as_ref())
        .map(|path| input::mapping(path, cancel))
        .transpose()?;
    let (mapping, of_mapping) = mapping.unzip();
    let opening = Opening {
        format,
        mapping: mapping.as_ref(),
        cancel,
    };
    let mut opened = open(&request.paths, &opening)?;
    for report in &mut opened.reports {
        data.name_counters(&mut report.profile);
    }
    let chosen = chosen(&opened.reports, request)?;
    let mut notices = data.notices.clone();
    notices.extend(of_mapping.flatten());
    notices.append(&mut opened.notices);
    let Judged {
        device,
        contexts,
        findings,
        about,
        notices: remarks,
    } = judge(&opened.reports, &chosen, request, data, cancel)?;
    notices.extend(remarks);
    Ok(Inspection {
        data,
        reports: opened.reports,
        files: opened.files,
        notices,
        device,
        findings,
        about,
        contexts,
        chosen,
    })
}

/// The format that was asked for; none for `auto`, or where nobody asked.
///
/// # Errors
/// When there is no format of that name; says which one may have been meant.
pub fn format_asked(word: Option<&str>) -> Result<Option<Format>> {
    let Some(word) = word.filter(|w| *w != AUTO) else {
        return Ok(None);
    };
    if let Some((_, format)) = FORMATS.iter().find(|(name, _)| *name == word) {
        return Ok(Some(*format));
    }
    let words: Vec<&str> = [AUTO]
        .into_iter()
        .chain(FORMATS.iter().map(|(name, _)| *name))
        .collect();
    let near = nearest(word, words.iter().copied())
        .map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
    Err(Error::input(format!("--format: no format `{word}`{near}"))
        .hint(format!("there are {}", words.join(", "))))
}

/// The launches that were asked for.
fn chosen(reports: &[OpenedReport], request: &Request) -> Result<Vec<(usize, usize)>> {
    let mut out = Vec::new();
    let mut named = 0usize;
    for (r, report) in reports.iter().enumerate() {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for (l, launch) in report.profile.launches.iter().enumerate() {
            let place = seen.entry(&launch.kernel).or_default();
            let occurrence = launch.occurrence.unwrap_or(*place);
            *place += 1;
            if request
                .kernel
                .as_ref()
                .is_some_and(|k| !launch.kernel.contains(k))
            {
                continue;
            }
            named += 1;
            if request.launch.is_none_or(|n| n == occurrence) {
                out.push((r, l));
            }
        }
    }
    if !out.is_empty() {
        return Ok(out);
    }
    let kernels: BTreeSet<&str> = reports
        .iter()
        .flat_map(|r| &r.profile.launches)
        .map(|l| l.kernel.as_str())
        .collect();
    Err(match (&request.kernel, request.launch) {
        (Some(kernel), _) if named == 0 => {
            let shown: Vec<&str> = kernels.iter().copied().take(12).collect();
            let more = match kernels.len().saturating_sub(shown.len()) {
                0 => String::new(),
                n => format!(", and {n} more"),
            };
            Error::input(format!("--kernel: no kernel with `{kernel}` in its name"))
                .hint(format!("there are {}{more}", shown.join(", ")))
        }
        (_, Some(n)) => Error::input(format!(
            "--launch: no kernel has a launch {n}; they are counted from 0 for each kernel"
        ))
        .hint(format!("{named} launches were read")),
        _ => Error::input("the reports hold no launch"),
    })
}

impl Inspection<'_> {
    /// The launches that were asked for, with the number of their report.
    pub fn launches(&self) -> impl Iterator<Item = (usize, &Launch)> {
        self.chosen.iter().filter_map(|(r, l)| {
            let report = self.reports.get(*r)?;
            Some((*r, report.profile.launches.get(*l)?))
        })
    }

    /// Figures worked out from the counters of a launch.
    pub fn derived(&self, report: usize, launch: &Launch) -> Vec<DerivedView> {
        let (Some(from), Some(context)) = (self.reports.get(report), self.contexts.get(report))
        else {
            return Vec::new();
        };
        let device = |name: &str| context.get(name);
        derive(&self.data.formulas, &from.profile, launch, &device)
    }

    /// The tool of the reports; `mixed` when they come from several.
    pub fn tool(&self) -> &str {
        self.common(|p| p.tool.as_str())
    }

    /// The flavour of the reports; `mixed` when there are several.
    pub fn flavour(&self) -> &str {
        self.common(|p| p.flavour.as_str())
    }

    fn common<'a>(&'a self, of: impl Fn(&'a Profile) -> &'a str) -> &'a str {
        let mut words = self.reports.iter().map(|r| of(&r.profile));
        let first = words.next().unwrap_or_default();
        if words.all(|w| w == first) {
            first
        } else {
            "mixed"
        }
    }

    /// The findings with those of one rule on the launches of one kernel folded into the first: for
    /// people, who need to read them once.
    pub fn folded(&self) -> Vec<FindingView> {
        let mut places: HashMap<(usize, &str, &str), usize> = HashMap::new();
        let mut out: Vec<(&FindingView, Vec<String>)> = Vec::new();
        for (f, (r, l)) in self.findings.iter().zip(&self.about) {
            let report = self.reports.get(*r);
            let Some(launch) = report.and_then(|r| r.profile.launches.get(*l)) else {
                continue;
            };
            let key = (*r, launch.kernel.as_str(), f.rule.as_str());
            let at = *places.entry(key).or_insert(out.len());
            match out.get_mut(at) {
                // A rule can find several things in one launch.
                Some((first, _)) if first.subject == f.subject => out.push((f, Vec::new())),
                Some((_, more)) => {
                    let number = launch.occurrence.map(|n| n.to_string());
                    more.extend(number.filter(|n| !more.contains(n)));
                }
                None => out.push((f, Vec::new())),
            }
        }
        let named = |(f, more): (&FindingView, Vec<String>)| {
            let also = match more.len() {
                0 => String::new(),
                1..=8 => format!(", and in {}", more.join(", ")),
                n => format!(", and in {n} more launches"),
            };
            FindingView {
                subject: format!("{}{also}", f.subject),
                ..f.clone()
            }
        };
        out.into_iter().map(named).collect()
    }

    fn report_views(&self) -> Vec<ReportView> {
        let view = |r: &OpenedReport| ReportView {
            path: r.path.clone(),
            tool: r.profile.tool.clone(),
            flavour: r.profile.flavour.clone(),
            tool_version: r.profile.tool_version.clone(),
            command: r.profile.command.clone(),
            notices: r.profile.notices.clone(),
        };
        self.reports.iter().map(view).collect()
    }

    fn launch_views(&self) -> impl Iterator<Item = LaunchView> {
        self.launches()
            .map(|(r, l)| launch_view(r, l, self.derived(r, l)))
    }

    /// All of it at once.
    pub fn view(&self) -> ProfileView {
        ProfileView {
            schema: SCHEMA.into(),
            tool: self.tool().into(),
            flavour: self.flavour().into(),
            device: self.device.clone(),
            profiles: self.report_views(),
            files: self.files.clone(),
            launches: self.launch_views().collect(),
            findings: self.findings.clone(),
            notices: self.notices.clone(),
        }
    }
}

/// The schema of the view.
const SCHEMA: &str = "assay.profile/1";

/// Launches that are made into views while they are written.
struct Launches<'a>(&'a Inspection<'a>);

impl Serialize for Launches<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.launch_views())
    }
}

impl Serialize for Inspection<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_struct("ProfileView", 9)?;
        out.serialize_field("schema", SCHEMA)?;
        out.serialize_field("tool", self.tool())?;
        out.serialize_field("flavour", self.flavour())?;
        out.serialize_field("device", &self.device)?;
        out.serialize_field("profiles", &self.report_views())?;
        out.serialize_field("files", &self.files)?;
        out.serialize_field("launches", &Launches(self))?;
        out.serialize_field("findings", &self.findings)?;
        out.serialize_field("notices", &self.notices)?;
        out.end()
    }
}
