//! Devices and rules on the launches of reports.

use assay_core::text::inert;
use assay_core::view::{DeviceView, FindingView};
use assay_profile::device::{Device, data_type};
use assay_profile::rules::{Context, Kind, on_launch};
use assay_profile::{Launch, Profile, Scope};

use super::inspect::Request;
use super::open::OpenedReport;
use crate::Cancel;
use crate::data::Data;
use crate::error::{Error, Result};

/// What rates are held against, and what rules found.
pub(super) struct Judged {
    /// The device, where all reports are of one.
    pub(super) device: Option<DeviceView>,
    /// What is known of the device of each report.
    pub(super) contexts: Vec<Context>,
    /// What rules found, the worst first.
    pub(super) findings: Vec<FindingView>,
    /// Report and launch that each finding is about.
    pub(super) about: Vec<(usize, usize)>,
    /// What stands in the way.
    pub(super) notices: Vec<String>,
}

/// Data types by their names in rules.
const TYPES: [&str; 5] = ["fp16", "bf16", "fp32", "fp64", "int8"];

/// Tries all rules on the launches that were chosen.
pub(super) fn judge(
    reports: &[OpenedReport],
    chosen: &[(usize, usize)],
    request: &Request,
    data: &Data,
    cancel: &Cancel,
) -> Result<Judged> {
    let dtype = request.dtype.as_deref().map(dtype_named).transpose()?;
    let asked = match &request.device {
        Some(spec) => {
            let found = data.devices.find(spec);
            Some(found.map_err(|e| Error::input(format!("--device: {e}")))?)
        }
        None => None,
    };
    let mut out = Judged {
        device: None,
        contexts: Vec::new(),
        findings: Vec::new(),
        about: Vec::new(),
        notices: Vec::new(),
    };
    let mut views: Vec<Option<DeviceView>> = Vec::new();
    for report in reports {
        let device = match &asked {
            Some(device) => Some((device.clone(), "named with --device".to_owned())),
            None => {
                (data.devices.recognise(&report.profile)).map(|(device, why)| (device.clone(), why))
            }
        };
        out.contexts
            .push(context(device.as_ref().map(|d| &d.0), dtype));
        views.push(device.map(|(d, why)| view(&d, why)));
    }
    let mut known = views.iter().flatten();
    if let Some(first) = known.next() {
        if known.all(|d| d.name == first.name) {
            out.device = Some(first.clone());
        } else {
            out.notices
                .push("the reports are of different devices; each is held against its own".into());
        }
    }
    let mut all: Vec<(FindingView, (usize, usize))> = Vec::new();
    for (r, l) in chosen {
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let (Some(report), Some(context)) = (reports.get(*r), out.contexts.get(*r)) else {
            continue;
        };
        let profile = &report.profile;
        let Some(launch) = profile.launches.get(*l) else {
            continue;
        };
        if !report.is_main || is_beside_kernels(profile, launch) {
            continue;
        }
        let subject = subject(profile, launch, *l);
        for kind in [Kind::Audit, Kind::Diagnosis] {
            let mut found = on_launch(&data.rules, kind, profile, launch, context);
            for f in &mut found.findings {
                f.subject.clone_from(&subject);
            }
            all.extend(found.findings.into_iter().map(|f| (f, (*r, *l))));
        }
    }
    all.sort_by_key(|(f, _)| rank(f));
    (out.findings, out.about) = all.into_iter().unzip();
    Ok(out)
}

/// The worst first; what cannot be right before what it would mean.
fn rank(f: &FindingView) -> (u8, u8) {
    let severity = match f.severity.as_str() {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    };
    (severity, u8::from(f.kind != Kind::Audit.name()))
}

/// A sum says nothing that the kernels beside it do not say better.
fn is_beside_kernels(profile: &Profile, launch: &Launch) -> bool {
    launch.scope == Scope::Aggregate
        && (profile.launches.iter()).any(|l| l.scope == Scope::PerKernel)
}

/// The kernel, and which launch of it where there are several.
fn subject(profile: &Profile, launch: &Launch, at: usize) -> String {
    let name = inert(&launch.kernel);
    let is_other =
        |(i, l): (usize, &Launch)| i != at && l.kernel == launch.kernel && l.scope == launch.scope;
    // Neighbours first: launches of one kernel mostly stand side by side.
    let near = profile
        .launches
        .iter()
        .enumerate()
        .skip(at.saturating_sub(1))
        .take(3);
    let several = near
        .chain(profile.launches.iter().enumerate())
        .any(is_other);
    match launch.occurrence {
        Some(n) if several => format!("{name}, launch {n}"),
        _ => name.into_owned(),
    }
}

fn view(device: &Device, chosen: String) -> DeviceView {
    DeviceView {
        name: device.name.clone(),
        title: device.title.clone(),
        share: device.share,
        chosen,
    }
}

/// The figures of a device, and the type of data where it is known.
fn context(device: Option<&Device>, dtype: Option<&'static str>) -> Context {
    let mut context = Context::default();
    if let Some(device) = device {
        context.extend(device.values(dtype));
    }
    if dtype.is_some() {
        for name in TYPES {
            let is_it = u8::from(dtype == Some(name));
            context.set(format!("workload.{name}"), f64::from(is_it));
        }
    }
    context
}

fn dtype_named(word: &str) -> Result<&'static str> {
    data_type(word).ok_or_else(|| {
        Error::input(format!("--dtype: no data type `{word}`"))
            .hint(format!("there are {}", TYPES.join(", ")))
    })
}
