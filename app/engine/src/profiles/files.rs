//! Launches of report files as the sides of a comparison, without a campaign.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_core::text::inert;
use assay_core::view::CounterCompareView;
use assay_profile::compare::published_changes;
use assay_profile::rules::Context;
use assay_profile::{Launch, Profile, Scope};

use super::compare::{CounterRequest, Side, compared, of_many};
use super::select::{kernels, listed};
use super::stored::find;
use crate::Cancel;
use crate::counters::{Opening, format_asked, open};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::input;

/// Most launches of one file that become columns without being named.
const COLUMNS: usize = 16;

/// Counters of report files side by side, without a campaign.
///
/// # Errors
/// When a file cannot be read, or it is not certain which launches are meant.
pub fn compare_files(
    request: &CounterRequest,
    data: &Data,
    cancel: &Cancel,
) -> Result<CounterCompareView> {
    let mapping = (request.mapping.as_ref())
        .map(|path| input::mapping(path, cancel))
        .transpose()?;
    let (mapping, of_mapping) = mapping.unzip();
    let format = format_asked(request.format.as_deref())?;
    let opening = Opening {
        format,
        mapping: mapping.as_ref(),
        cancel,
    };
    let single = request.names.len() == 1;
    let mut sides: Vec<Side> = Vec::new();
    let mut notices = data.notices.clone();
    notices.extend(of_mapping.flatten());
    for name in &request.names {
        let (path, part) = split(name);
        let mut opened = open(std::slice::from_ref(&path), &opening)?;
        for report in &mut opened.reports {
            data.name_counters(&mut report.profile);
        }
        notices.append(&mut opened.notices);
        let shown = path.display().to_string();
        match part {
            None if single => sides.extend(columns_of(opened, &shown, request)?),
            part => sides.push(one_of(opened, &shown, part, request)?),
        }
    }
    shorten(&mut sides);
    let mut view = compared(&sides, request, data, |_, _| Context::default())?;
    view.warnings
        .extend(notices.iter().map(|n| inert(n).into_owned()));
    // What was filed under a variant was told when it was filed; of files nobody has heard yet.
    let mut told = BTreeSet::new();
    for side in sides.iter().take(if single { 1 } else { sides.len() }) {
        for notice in &side.profile.notices {
            let text = match single {
                true => notice.clone(),
                false => format!("{}: {notice}", side.label),
            };
            if told.insert(text.clone()) {
                view.warnings.push(inert(&text).into_owned());
            }
        }
    }
    if single && let Some(side) = sides.first() {
        view.findings.extend(published_changes(&side.profile));
    }
    Ok(view)
}

/// A path, and which launch of it: `FILE#3` or `FILE#kernel`. A file that is called so goes first.
fn split(name: &str) -> (PathBuf, Option<&str>) {
    if Path::new(name).exists() {
        return (PathBuf::from(name), None);
    }
    match name.rsplit_once('#') {
        Some((path, part)) if !path.is_empty() && !part.is_empty() => {
            (PathBuf::from(path), Some(part))
        }
        _ => (PathBuf::from(name), None),
    }
}

/// The launches of one report as columns.
fn columns_of(
    opened: crate::counters::Opened,
    path: &str,
    request: &CounterRequest,
) -> Result<Vec<Side>> {
    let mut reports = opened.reports.into_iter().filter(|r| r.is_main);
    let (Some(report), None) = (reports.next(), reports.next()) else {
        return Err(
            Error::input(format!("{}: several reports in it", inert(path)))
                .hint("name two or more of its files"),
        );
    };
    let profile = report.profile;
    let kernel = |l: &Launch| {
        request
            .kernel
            .as_ref()
            .is_none_or(|k| l.kernel.contains(k.as_str()))
    };
    let places: Vec<usize> = (profile.launches.iter().enumerate())
        .filter(|(_, l)| kernel(l))
        .map(|(i, _)| i)
        .collect();
    match places.len() {
        n @ (0 | 1) => Err(Error::input(format!(
            "{}: {} to compare, two or more are needed",
            inert(path),
            if n == 1 { "1 launch" } else { "no launch" }
        ))
        .hint(format!(
            "name another file; this one has {}",
            listed(&kernels(&profile))
        ))),
        n if n > COLUMNS => Err(Error::input(format!(
            "{}: {n} launches are too many to stand side by side",
            inert(path)
        ))
        .hint(format!(
            "--kernel TEXT, or {0}#0 {0}#1 and so on; it has {1}",
            inert(path),
            listed(&kernels(&profile))
        ))),
        _ => {
            let side = |at: &usize| {
                let l = &profile.launches[*at];
                Side {
                    label: launch_label(l, *at, &profile),
                    profile: profile.clone(),
                    launch: *at,
                    remark: None,
                }
            };
            Ok(places.iter().map(side).collect())
        }
    }
}

/// The kernel without its parameters, where that tells it from the others, and which launch of it.
fn launch_label(l: &Launch, at: usize, of: &Profile) -> String {
    let short = |kernel: &'_ str| -> String {
        let end = kernel.find('(').filter(|at| *at > 0);
        kernel[..end.unwrap_or(kernel.len())].trim_end().to_owned()
    };
    let own = short(&l.kernel);
    let is_other = |o: &Launch| o.kernel != l.kernel && short(&o.kernel) == own;
    let name = match of.launches.iter().any(is_other) {
        true => l.kernel.clone(),
        false => own,
    };
    match l.occurrence {
        _ if name.is_empty() => format!("#{at}"),
        Some(n) if n > 0 => format!("{name}#{n}"),
        _ => name,
    }
}

/// One launch of a file: the one asked for, or the one that speaks for its kernel.
fn one_of(
    opened: crate::counters::Opened,
    path: &str,
    part: Option<&str>,
    request: &CounterRequest,
) -> Result<Side> {
    let number = part.and_then(|p| p.parse::<usize>().ok());
    if let Some(n) = number {
        let mut reports = opened.reports.into_iter().filter(|r| r.is_main);
        let profile = reports
            .next()
            .map(|r| r.profile)
            .unwrap_or_else(|| Profile::new("", ""));
        return match profile.launches.get(n) {
            Some(l) => Ok(Side {
                label: format!("{path}#{n} {}", l.kernel),
                launch: n,
                remark: None,
                profile,
            }),
            None => Err(
                Error::input(format!("{}: no launch {n}", inert(path))).hint(format!(
                    "it has {} launches, counted from 0: {}",
                    profile.launches.len(),
                    listed(&kernels(&profile))
                )),
            ),
        };
    }
    let mut wanted = request.wanted();
    if let Some(kernel) = part {
        wanted.kernel = Some(kernel.to_owned());
    }
    // What is of a whole program may stand beside its like: the column says what it is.
    let whole = |p: &Profile| {
        p.launches.len() == 1 && p.launches[0].scope == Scope::Aggregate && wanted.kernel.is_none()
    };
    if let [only] = opened.reports.as_slice()
        && whole(&only.profile)
    {
        let profile = only.profile.clone();
        return Ok(Side {
            label: path.to_owned(),
            launch: 0,
            remark: None,
            profile,
        });
    }
    wanted.aggregate = wanted.kernel.is_none()
        && wanted.launch.is_none()
        && opened
            .reports
            .iter()
            .all(|r| kernels(&r.profile).is_empty());
    let (report, chosen) = find(opened, &wanted)?;
    let label = match part {
        Some(part) => format!("{path}#{part}"),
        None => path.to_owned(),
    };
    Ok(Side {
        remark: of_many(&label, &report.profile, &chosen.launches, chosen.main),
        label,
        launch: chosen.main,
        profile: report.profile,
    })
}

/// Cuts from file labels what all of them begin with.
fn shorten(sides: &mut [Side]) {
    let folders: Option<BTreeSet<PathBuf>> = sides
        .iter()
        .map(|s| Path::new(&s.label).parent().map(Path::to_path_buf))
        .collect();
    let Some(folders) = folders.filter(|f| f.len() == 1) else {
        return;
    };
    let Some(folder) = folders.first().filter(|f| !f.as_os_str().is_empty()) else {
        return;
    };
    for side in sides {
        if let Ok(rest) = Path::new(&side.label).strip_prefix(folder) {
            side.label = rest.display().to_string();
        }
    }
}
