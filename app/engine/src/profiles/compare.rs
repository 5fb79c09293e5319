//! `assay compare --counters`: which launches stand side by side, and what rules say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use assay_core::RecordId;
use assay_core::fold::State;
use assay_core::record;
use assay_core::text::inert;
use assay_core::units::Ratio;
use assay_core::view::{CounterCompareView, FindingView};
use assay_profile::compare::{Column, DEFAULT_THRESHOLD, Options, compare};
use assay_profile::rules::{Context, Kind, has_time, on_pair};
use assay_profile::{Launch, Profile};

use super::audit::{newest, of_one_table};
use super::context;
use super::select::{Wanted, choose};
use super::slices::refuse_mixed;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::workbench::Workbench;

/// What to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct CounterRequest {
    /// Variants; or files, each with `#N` or `#KERNEL` behind it for one of its launches.
    pub names: Vec<String>,
    /// The one that changes are against; absent for the first.
    pub base: Option<String>,
    /// Leave out rows in which nothing changed.
    pub changed_only: bool,
    /// `NAME=P%` or `P%` for all.
    pub thresholds: Vec<String>,
    /// The workload whose profiles are compared.
    pub workload: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
    /// Which launch of it, from 0.
    pub launch: Option<u32>,
    /// The reader, by name.
    pub format: Option<String>,
    /// Says which part of a CSV or JSON is what.
    pub mapping: Option<PathBuf>,
}

/// One side, with what it is.
pub(super) struct Side {
    pub label: String,
    pub profile: Profile,
    pub launch: usize,
    pub remark: Option<String>,
}

impl Side {
    pub(super) fn launch(&self) -> Option<&Launch> {
        self.profile.launches.get(self.launch)
    }
}

impl CounterRequest {
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            kernel: self.kernel.clone(),
            launch: self.launch,
            ..Wanted::default()
        }
    }

    fn options(&self, labels: &[String]) -> Result<Options> {
        let mut options = Options {
            changed_only: self.changed_only,
            ..Options::default()
        };
        options.default_threshold = DEFAULT_THRESHOLD;
        for text in &self.thresholds {
            let (name, share) = match text.rsplit_once('=') {
                Some((name, share)) => (Some(name.trim()), share),
                None => (None, text.as_str()),
            };
            let bad = |why: String| {
                Error::input(format!("--threshold {}: {why}", inert(text)))
                    .hint("--threshold inst.total=2%, or --threshold 2% for all counters")
            };
            let Ratio(share) = share.trim().parse().map_err(|e| bad(format!("{e}")))?;
            match name {
                Some("") => return Err(bad("no counter before `=`".into())),
                Some(name) => {
                    options.thresholds.insert(name.to_owned(), share * 100.0);
                }
                None => {
                    options.default_threshold = share * 100.0;
                    options.time_threshold = options.default_threshold;
                }
            }
        }
        if let Some(base) = &self.base {
            options.base = base_of(base, labels)?;
        }
        Ok(options)
    }
}

/// The column that is meant: by its label, the end of it, or its number from 0.
fn base_of(text: &str, labels: &[String]) -> Result<usize> {
    let exact = labels.iter().position(|l| l == text);
    let number = || text.parse::<usize>().ok().filter(|n| *n < labels.len());
    let ends = || {
        let mut of = labels.iter().enumerate().filter(|(_, l)| l.contains(text));
        of.next().filter(|_| of.next().is_none()).map(|(i, _)| i)
    };
    exact.or_else(number).or_else(ends).ok_or_else(|| {
        Error::input(format!("--base {}: none of the columns", inert(text)))
            .hint(format!("there are {}", labels.join(", ")))
    })
}

impl Workbench {
    /// Counters of variants side by side, read again from their raw files.
    ///
    /// # Errors
    /// When a variant has no profile, or none of the workload asked for.
    pub fn compare_counters(
        &self,
        request: &CounterRequest,
        data: &Data,
    ) -> Result<CounterCompareView> {
        let names: Vec<String> = (request.names.iter())
            .map(|n| self.resolve_subject(n))
            .collect::<Result<_>>()?;
        if names.len() < 2 {
            return Err(Error::input("one variant is nothing to compare").hint("name two or more"));
        }
        let state = self.state_of(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let (workload, records) = self.side_by_side(&state, &names, request)?;
        refuse_mixed(&state, &records)?;
        let mut sides = Vec::new();
        for (name, (_, p)) in names.iter().zip(&records) {
            sides.push(self.side(&state, name, p, request, data)?);
        }
        let base = match &request.base {
            // A unique beginning of a name is as good here as anywhere else.
            Some(text) if !names.contains(text) => {
                Some(self.resolve_subject(text).unwrap_or_else(|_| text.clone()))
            }
            other => other.clone(),
        };
        let request = CounterRequest {
            base,
            ..request.clone()
        };
        let base_name = |base: usize| names.get(base).map_or("", String::as_str);
        let mut view = compared(&sides, &request, data, |base, other| {
            let mut known = Context::default();
            let (a, b) = (base_name(base), base_name(other));
            context::of_pair(&state, a, b, &workload, &mut known);
            known
        })?;
        view.warnings.extend(stale(&state, &records));
        view.warnings.extend(data.notices.iter().cloned());
        Ok(view)
    }

    /// One profile of each variant: of one workload and, where all have one, of one tool.
    fn side_by_side<'s>(
        &self,
        state: &'s State,
        names: &[String],
        request: &CounterRequest,
    ) -> Result<(String, Vec<(RecordId, &'s record::Profile)>)> {
        // Figures of no workload stand beside none.
        let of = |n: &String| {
            newest(state, n)
                .filter(|(_, p)| !p.workload.is_empty())
                .collect()
        };
        let all: Vec<Vec<(RecordId, &record::Profile)>> = names.iter().map(of).collect();
        for (name, of) in names.iter().zip(&all) {
            if of.is_empty() {
                return Err(self.no_profile(name));
            }
        }
        let has =
            |of: &[(RecordId, &record::Profile)], w: &str| of.iter().any(|(_, p)| p.workload == w);
        let workload = match &request.workload {
            Some(w) => w.clone(),
            None => self.common_workload(&all).ok_or_else(|| {
                let each: Vec<String> = (names.iter().zip(&all))
                    .map(|(n, of)| format!("{n}: {}", workloads(of)))
                    .collect();
                Error::input(format!(
                    "the variants have no workload in common that was profiled ({})",
                    each.join("; ")
                ))
            })?,
        };
        for (name, of) in names.iter().zip(&all) {
            if !has(of, &workload) {
                return Err(Error::input(format!(
                    "there is no profile of `{name}` on the workload `{}`",
                    inert(&workload)
                ))
                .hint(format!("there are profiles on {}", workloads(of))));
            }
        }
        let of_it =
            |of: &'_ [(RecordId, &'s record::Profile)]| -> Vec<(RecordId, &'s record::Profile)> {
                of.iter()
                    .filter(|(_, p)| p.workload == workload)
                    .copied()
                    .collect()
            };
        let all: Vec<_> = all.iter().map(|of| of_it(of)).collect();
        // What was counted before what was published, the newest first.
        let mut tools: Vec<&str> = all[0].iter().map(|(_, p)| p.tool.as_str()).collect();
        tools.sort_by_key(|t| *t == record::PUBLISHED);
        let by = |tool: &str| -> Option<Vec<(RecordId, &record::Profile)>> {
            all.iter()
                .map(|of| of.iter().find(|(_, p)| p.tool == tool).copied())
                .collect()
        };
        // Sides of one table before figures of two.
        let of_table = |tool: &str| -> Option<Vec<(RecordId, &record::Profile)>> {
            let mut first = all[0].iter().filter(|(_, p)| p.tool == tool);
            first.find_map(|(_, base)| {
                all.iter()
                    .map(|of| of.iter().find(|(_, p)| of_one_table(base, p)).copied())
                    .collect()
            })
        };
        let of_tool = |t: &&str| of_table(t).or_else(|| by(t));
        let found = tools.iter().find_map(of_tool).unwrap_or_else(|| {
            let best = |of: &Vec<(RecordId, &'s record::Profile)>| {
                let counted = of.iter().find(|(_, p)| !p.is_published());
                counted.or(of.first()).copied()
            };
            all.iter().filter_map(best).collect()
        });
        Ok((workload, found))
    }

    fn no_profile(&self, name: &str) -> Error {
        if !self.can_run() {
            return Error::input(format!("there is no profile of `{name}` in this ledger"));
        }
        Error::input(format!(
            "there is no profile of `{name}` as it was run last"
        ))
        .hint(format!(
            "assay run {name} --stages build,profile, or assay import REPORT --variant {name}"
        ))
    }

    /// The workload that is profiled, if all have it, else the first that all have.
    fn common_workload(&self, all: &[Vec<(RecordId, &record::Profile)>]) -> Option<String> {
        let in_all = |w: &str| all.iter().all(|of| of.iter().any(|(_, p)| p.workload == w));
        let stage = self
            .config
            .as_ref()
            .and_then(|c| c.stage(assay_core::campaign::LOCAL, record::Stage::Profile));
        let declared = stage.and_then(|s| s.profile_workload());
        let names = self.workload_names();
        (declared.into_iter())
            .chain(names.iter().map(String::as_str))
            .chain(all[0].iter().map(|(_, p)| p.workload.as_str()))
            .find(|w| in_all(w))
            .map(str::to_owned)
    }

    pub(super) fn side(
        &self,
        state: &State,
        name: &str,
        p: &record::Profile,
        request: &CounterRequest,
        data: &Data,
    ) -> Result<Side> {
        let read = self
            .reread(state, p, data)
            .map_err(|e| e.context(format!("the profile of {name}")))?;
        let chosen = if request.kernel.is_some() || request.launch.is_some() {
            let wanted = Wanted {
                kernel: request.kernel.clone().or(read.record.kernel.clone()),
                ..request.wanted()
            };
            choose(&read.profile, &wanted)
                .map_err(|e| e.context(format!("the profile of {name}")))?
        } else {
            read.chosen.clone()
        };
        Ok(Side {
            remark: of_many(name, &read.profile, &chosen.launches, chosen.main),
            label: name.to_owned(),
            launch: chosen.main,
            profile: read.profile,
        })
    }
}

/// Says which launch speaks for several.
pub(super) fn of_many(
    label: &str,
    profile: &Profile,
    launches: &[usize],
    main: usize,
) -> Option<String> {
    let n = launches.len();
    let at = launches.iter().position(|l| *l == main)?;
    let said = profile.launches.get(main).and_then(|l| l.occurrence);
    let which = said.map_or(at, |n| n as usize);
    (n > 1).then(|| {
        format!(
            "{}: {n} launches of the kernel; shown is launch {which}, the nearest to the median of all (--launch N shows another)",
            inert(label)
        )
    })
}

/// The comparison of the sides with what rules say of each against the base.
pub(super) fn compared(
    sides: &[Side],
    request: &CounterRequest,
    data: &Data,
    known: impl Fn(usize, usize) -> Context,
) -> Result<CounterCompareView> {
    let labels: Vec<String> = sides.iter().map(|s| s.label.clone()).collect();
    let options = request.options(&labels)?;
    let columns: Vec<Column<'_>> = sides
        .iter()
        .filter_map(|s| {
            Some(Column {
                label: &s.label,
                profile: &s.profile,
                launch: s.launch()?,
            })
        })
        .collect();
    let mut view =
        compare(&columns, &options, &data.catalog).map_err(|e| Error::input(e.to_string()))?;
    view.warnings
        .extend(sides.iter().filter_map(|s| s.remark.clone()));
    let mut untimed: Vec<&str> = Vec::new();
    if let Some(a) = columns.get(options.base) {
        for (i, b) in columns
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != options.base)
        {
            let context = known(options.base, i);
            let (before, after) = ((a.profile, a.launch), (b.profile, b.launch));
            if !has_time(&data.rules, before, after, &context) {
                untimed.push(b.label);
            }
            for kind in [Kind::Audit, Kind::Diagnosis] {
                let found = on_pair(&data.rules, kind, before, after, &context);
                let subject = format!("{} against {}", b.label, a.label);
                view.findings
                    .extend(found.findings.into_iter().map(|f| FindingView {
                        subject: inert(&subject).into_owned(),
                        ..f
                    }));
            }
        }
    }
    if !untimed.is_empty() {
        let who = match columns.len() {
            2 => String::new(),
            _ => format!("{}: ", untimed.join(", ")),
        };
        let text = format!(
            "{who}no verdict, and no published time on both sides: rules about faster or slower were not judged."
        );
        view.warnings.push(inert(&text).into_owned());
    }
    Ok(view)
}

fn workloads(of: &[(RecordId, &record::Profile)]) -> String {
    let names: BTreeSet<&str> = of.iter().map(|(_, p)| p.workload.as_str()).collect();
    names.into_iter().map(inert).collect::<Vec<_>>().join(", ")
}

/// Says which reports were never held against their source, and which are of another evaluator.
fn stale(state: &State, records: &[(RecordId, &record::Profile)]) -> Vec<String> {
    let mut out = Vec::new();
    let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, p) in records {
        let name = p.subject.name.as_str();
        if !state.is_current(&p.subject.key) {
            out.push(format!("{name}: profiled with an earlier evaluator"));
        }
        let target = p
            .import
            .as_ref()
            .map_or("taken here", |i| i.target.as_str());
        targets.entry(target).or_default().push(name);
    }
    if targets.len() > 1 {
        let each: Vec<String> = (targets.iter())
            .map(|(target, of)| format!("{target}: {}", of.join(", ")))
            .collect();
        out.push(format!(
            "profiles of different targets ({})",
            each.join("; ")
        ));
    }
    out.iter().map(|t| inert(t).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_a_label_a_number_or_a_part_of_only_one() {
        let labels = [
            "old".to_owned(),
            "a/new".into(),
            "b/newer".into(),
            "2".into(),
        ];
        let of = |text| base_of(text, &labels);
        assert_eq!(of("old").unwrap(), 0);
        assert_eq!(of("1").unwrap(), 1);
        assert_eq!(of("2").unwrap(), 3, "a label goes before a number");
        assert_eq!(of("newer").unwrap(), 2);
        for bad in ["new", "else", "9"] {
            assert!(of(bad).unwrap_err().to_string().contains("a/new"), "{bad}");
        }
    }

    #[test]
    fn thresholds_are_percentages_of_one_counter_or_of_all() {
        let options = |texts: &[&str]| {
            let request = CounterRequest {
                thresholds: texts.iter().map(|t| (*t).to_owned()).collect(),
                ..CounterRequest::default()
            };
            request.options(&["a".into(), "b".into()])
        };
        let o = options(&["duty.mma=0.5%", "L2C Hit Rate=2%", "3%"]).unwrap();
        assert_eq!(o.default_threshold, 3.0);
        assert_eq!(o.thresholds["duty.mma"], 0.5);
        assert_eq!(o.thresholds["L2C Hit Rate"], 2.0);
        for bad in ["", "x", "x=", "=1%", "x=1", "x=-1%"] {
            let e = options(&[bad]).unwrap_err().to_string();
            assert!(e.contains("--threshold"), "{bad}: {e}");
        }
    }
}
