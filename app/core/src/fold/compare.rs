//! `assay compare`: variants side by side, and what may be claimed of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::RecordId;
use crate::record::{
    Body, ContentKey, Environment, Figure, Measurement, Profile, Verdict, VerdictKind,
};
use crate::text::inert;
use crate::view::{
    CompareView, ComparedFigure, CyclesView, SampleSet, VerdictView, WorkloadVerdictView,
};

use super::State;
use super::canary::doubts;
use super::list::{medians, row};
use super::names::{NameError, resolve_subject};
use super::published;
use super::repeats::repeated;
use super::show::{
    comparable_profiles, older_evaluator, percent, profiles, stopped_text, verdict_view,
};
use super::sources::beside;
use super::variant::same_content;

/// The paired measurement of two subjects, in whichever direction it was made.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// Id of the verdict.
    pub verdict_id: RecordId,
    /// The verdict as recorded.
    pub verdict: &'a Verdict,
    /// The measurement it was computed from; absent when it is not in this ledger.
    pub measurement: Option<&'a Measurement>,
    /// Whether it was measured the other way round than asked for.
    pub reversed: bool,
}

/// The newest verdict on `b` against `a` with their present contents; if there is none, the newest
/// of `a` against `b`.
pub fn pair<'a>(state: &'a State, a: &str, b: &str) -> Option<Pair<'a>> {
    let find = |a: &str, b: &str, reversed: bool| {
        (state.owned(b).rev()).find_map(|r| {
            let Body::Verdict(verdict) = &r.body else {
                return None;
            };
            let measurement = state.measurement(Some(verdict.measurement));
            let present = measurement
                .is_some_and(|m| is_present(state, a, &m.a.key) && is_present(state, b, &m.b.key));
            (verdict.a == a && verdict.b == b && present).then_some(Pair {
                verdict_id: r.id,
                verdict,
                measurement,
                reversed,
            })
        })
    };
    find(a, b, false).or_else(|| find(b, a, true))
}

/// Whether a key names the present content of a subject; baselines have only one.
fn is_present(state: &State, name: &str, key: &ContentKey) -> bool {
    (state.variant(name).and_then(|v| v.key.as_ref())).is_none_or(|k| same_content(k, key))
}

/// Compares the subjects named, in the order given; the first is the base.
///
/// `samples` are the raw samples of the [`pair`], read by the caller.
///
/// # Errors
/// When a name is none of a variant or baseline, or of several.
pub fn compare_view(
    state: &State,
    names: &[&str],
    samples: Vec<SampleSet>,
) -> Result<CompareView, NameError> {
    let names = (names.iter())
        .map(|n| resolve_subject(state, n))
        .collect::<Result<Vec<&str>, _>>()?;
    let mut warnings = Vec::new();
    let found = match names.as_slice() {
        [a, b] => pair(state, a, b),
        _ => None,
    };
    let measurement = found.and_then(|p| p.measurement);
    // Only medians of one paired measurement are set against each other: between two sessions a
    // machine changes by more than kernels do.
    match measurement {
        Some(m) => warnings.extend(differing_toolchain(m)),
        None => {
            let keys: Vec<Option<ContentKey>> = names.iter().map(|n| key(state, n)).collect();
            differing_keys(state, &names, &keys, &mut warnings);
        }
    }
    for name in &names {
        let v = state.variant(name).into_iter();
        let later = v.flat_map(|v| state.without_effect(v)).last();
        if let Some(f) = later.and_then(|(_, run)| run.failure.as_ref()) {
            warnings.push(format!("`{name}`: {}", stopped_text(f)));
        }
    }
    let verdict = found.map(|p| {
        let mut view = if p.reversed {
            let mut view = reverse(p.verdict, p.verdict_id);
            if state.place().read_only {
                view.next.clear();
            }
            view
        } else {
            verdict_view(p.verdict)
        };
        view.warnings.splice(0..0, doubts(state, p.verdict));
        view.warnings.extend(beside(state, p.verdict));
        view.warnings
            .extend(older_evaluator(state, Some(p.verdict.measurement)));
        view.warnings.extend(repeated(state, p.verdict_id));
        view
    });
    let mut rows: Vec<_> = names.iter().filter_map(|n| row(state, n)).collect();
    let medians: Vec<BTreeMap<String, f64>> = match measurement {
        Some(m) => names.iter().map(|n| medians(Some(m), n)).collect(),
        None => rows.iter().map(|r| r.median_ns.clone()).collect(),
    };
    let published = match rows.as_slice() {
        [a, b] if found.is_none() => published::times(state, a, b),
        _ => None,
    };
    if measurement.is_some() {
        for (row, paired) in rows.iter_mut().zip(&medians) {
            row.median_ns.clone_from(paired);
        }
    } else if published.is_some() {
        warnings.push(
            "these times were published and not measured here: a comparison, never a verdict"
                .into(),
        );
    } else if medians.iter().filter(|m| !m.is_empty()).count() > 1 {
        warnings.push(
            "the medians are of different sessions: no change of times is computed; a paired measurement gives one"
                .into(),
        );
    }
    let (counters, counter_workloads) = counters(state, &names, &mut warnings);
    Ok(CompareView {
        schema: "assay.compare/1".into(),
        campaign: state.campaign().into(),
        verdict_missing: verdict.is_none().then(|| match published {
            Some(_) => "none was measured here: the times of both were published".into(),
            None => missing(state, &names),
        }),
        verdict,
        workloads: workloads(
            state,
            &medians,
            measurement.is_some() || published.is_some(),
        ),
        published,
        counters,
        counter_workloads,
        facts: facts(state, &names),
        attribution: Vec::new(),
        samples,
        warnings,
        variants: rows,
    })
}

fn missing(state: &State, names: &[&str]) -> String {
    match names {
        [a, b] if a == b => "both are the same variant".into(),
        [a, b] => {
            let run = format!("; run `assay run {b} --against {a}`");
            format!(
                "`{b}` was not measured in a pair with `{a}` with their present contents{}",
                if state.place().read_only { "" } else { &run }
            )
        }
        _ => "a verdict is about two subjects; compare two of these".into(),
    }
}

/// The key of the present content; that of a baseline is the one it was measured under last.
fn key(state: &State, name: &str) -> Option<ContentKey> {
    if let Some(v) = state.variant(name) {
        let measured = state
            .measurement(v.measurement)
            .map(|m| if m.b.name == name { &m.b.key } else { &m.a.key });
        return measured.or(v.key.as_ref()).cloned();
    }
    (state.against(name).chain(state.owned(name)))
        .filter_map(|r| match &r.body {
            Body::Measurement(m) if m.a.name == name => Some((r.id, &m.a.key)),
            Body::Measurement(m) => Some((r.id, &m.b.key)),
            _ => None,
        })
        .max_by_key(|(id, _)| *id)
        .map(|(_, k)| k.clone())
}

/// A pair measured together may still come from two compilers.
fn differing_toolchain(m: &Measurement) -> Option<String> {
    (m.a.key.toolchain != m.b.key.toolchain).then(|| {
        format!(
            "`{}` and `{}` were built with different toolchains",
            m.a.name, m.b.name
        )
    })
}

/// Says what differs between what the times were taken with.
fn differing_keys(
    state: &State,
    names: &[&str],
    keys: &[Option<ContentKey>],
    warnings: &mut Vec<String>,
) {
    let known: Vec<(&str, &ContentKey)> = (names.iter().zip(keys))
        .filter_map(|(n, k)| k.as_ref().map(|k| (*n, k)))
        .collect();
    let Some(((first, base), rest)) = known.split_first() else {
        return;
    };
    for (name, k) in rest {
        for (what, differs) in [
            ("device", base.device != k.device),
            ("evaluator", base.evaluator != k.evaluator),
            ("toolchain", base.toolchain != k.toolchain),
        ] {
            if differs {
                let (a, b) = ((*first, *base), (*name, *k));
                let which = match what {
                    "device" => devices(state, a, b),
                    "toolchain" => tools(state, a, b),
                    _ => None,
                };
                let which = which.unwrap_or_default();
                warnings.push(format!(
                    "`{name}` was measured with another {what} than `{first}`{which}: their times are not set against each other"
                ));
            }
        }
    }
}

fn workloads(
    state: &State,
    medians: &[BTreeMap<String, f64>],
    may_claim: bool,
) -> Vec<ComparedFigure> {
    let names = state.in_order(medians.iter().flat_map(BTreeMap::keys));
    (names.into_iter())
        .map(|name| {
            let values = medians.iter().map(|m| m.get(name).copied()).collect();
            compared(name, "ns", values, may_claim)
        })
        .collect()
}

/// Counters, with the workload of each side.
fn counters(
    state: &State,
    names: &[&str],
    warnings: &mut Vec<String>,
) -> (Vec<ComparedFigure>, Vec<Option<String>>) {
    let newest = || -> Vec<Option<&Profile>> {
        (names.iter())
            .map(|n| {
                let newest = state.variant(n).and_then(|v| state.profile(v.profile));
                // Published figures are times, and stand among the medians.
                newest.filter(|p| !p.is_published())
            })
            .collect()
    };
    let profiles = like_profiles(state, names).unwrap_or_else(newest);
    let known: Vec<_> = profiles.iter().flatten().collect();
    let comparable = known.windows(2).all(|w| comparable_profiles(w[0], w[1]));
    if !comparable {
        warnings.push(
            "the counters come from different tools, workloads, devices or evaluators: no change is computed"
                .into(),
        );
    }
    let maps = profiles.iter().map(|p| p.map(|p| &p.counters)).collect();
    let found = union(maps, comparable);
    let of = |p: &Option<&Profile>| p.map(|p| p.workload.clone()).filter(|w| !w.is_empty());
    let workloads = match found.is_empty() {
        true => Vec::new(),
        false => profiles.iter().map(of).collect(),
    };
    (found, workloads)
}

/// Profiles that may be set against each other, one of each variant that has any: the newest of the
/// first variant for which the others have one like it. `None` when there are none.
fn like_profiles<'a>(state: &'a State, names: &[&str]) -> Option<Vec<Option<&'a Profile>>> {
    let all: Vec<Vec<&Profile>> = (names.iter())
        .map(|n| {
            let v = state.variant(n);
            let of = v.into_iter().flat_map(|v| profiles(state, v));
            of.filter(|p| !p.is_published()).collect()
        })
        .collect();
    let first = all.iter().find(|of| !of.is_empty())?;
    let beside = |of_one_file: bool| {
        first.iter().find_map(|base| {
            (all.iter())
                .map(|of| match of.as_slice() {
                    [] => Some(None),
                    of => {
                        let like = |p: &&&Profile| {
                            comparable_profiles(base, p)
                                && (!of_one_file || p.raw.sha256 == base.raw.sha256)
                        };
                        of.iter().find(like).map(|p| Some(*p))
                    }
                })
                .collect()
        })
    };
    // Two sides of one table belong together before anything newer.
    beside(true).or_else(|| beside(false))
}

fn facts(state: &State, names: &[&str]) -> Vec<ComparedFigure> {
    let sources: Vec<_> = (names.iter())
        .map(|n| state.variant(n).and_then(|v| state.source(v.source)))
        .collect();
    let languages: BTreeSet<&String> = sources.iter().flatten().map(|s| &s.language).collect();
    let maps = sources.iter().map(|s| s.map(|s| &s.facts)).collect();
    union(maps, languages.len() <= 1)
}

/// All figures of all sides; the same name in another unit is another figure.
fn union(maps: Vec<Option<&BTreeMap<String, Figure>>>, comparable: bool) -> Vec<ComparedFigure> {
    let keys: BTreeSet<(&String, &String)> = (maps.iter().flatten())
        .flat_map(|m| m.iter().map(|(name, f)| (name, &f.unit)))
        .collect();
    (keys.into_iter())
        .map(|(name, unit)| {
            let value = |m: &Option<&BTreeMap<String, Figure>>| {
                m.and_then(|m| m.get(name))
                    .filter(|f| f.unit == *unit)
                    .map(|f| f.value)
            };
            compared(name, unit, maps.iter().map(value).collect(), comparable)
        })
        .collect()
}

fn compared(name: &str, unit: &str, values: Vec<Option<f64>>, claim: bool) -> ComparedFigure {
    let change_percent = match values.as_slice() {
        [Some(first), .., Some(last)] if claim => percent(*first, *last),
        _ => None,
    };
    ComparedFigure {
        name: name.into(),
        unit: unit.into(),
        values,
        change_percent,
    }
}

/// The verdict read in the other direction.
///
/// Times turn over: the ratio and the ends of its interval become their reciprocals. The word is
/// kept only where it follows; the guards were not judged in this direction.
fn reverse(v: &Verdict, id: RecordId) -> VerdictView {
    let over = |x: f64| (x > 0.0).then(|| 1.0 / x);
    let turn = |i: [f64; 2]| Some([over(i[1])?, over(i[0])?]);
    let interval = v.interval.and_then(turn);
    let kind = match v.verdict {
        VerdictKind::Faster => VerdictKind::Slower,
        VerdictKind::Slower if interval.is_some_and(|i| i[1] < 1.0 - v.delta) => {
            VerdictKind::Faster
        }
        VerdictKind::Same => VerdictKind::Same,
        VerdictKind::Invalid => VerdictKind::Invalid,
        VerdictKind::Slower | VerdictKind::NoGain | VerdictKind::Undecided => {
            VerdictKind::Undecided
        }
    };
    let mut view = verdict_view(v);
    view.a = v.b.clone();
    view.b = v.a.clone();
    view.ratio = v.ratio.and_then(over);
    view.interval = interval;
    view.verdict = kind.name().into();
    view.reason = format!(
        "turned over from {} of `{}` against `{}`: {}",
        v.verdict.name(),
        v.b,
        v.a,
        v.reason
    );
    if kind == VerdictKind::Undecided {
        view.next = format!("run `assay run {} --against {}`", v.a, v.b);
    }
    view.workloads = (v.workloads.iter())
        .map(|w| WorkloadVerdictView {
            workload: w.workload.clone(),
            weight: w.weight,
            ratio: w.ratio.and_then(over),
            interval: w.interval.and_then(turn),
            a_median_ns: w.b_median_ns,
            b_median_ns: w.a_median_ns,
            guard_broken: false,
        })
        .collect();
    view.cycles = v.cycles.as_ref().and_then(|c| {
        Some(CyclesView {
            ratio: over(c.ratio)?,
            interval: turn(c.interval)?,
        })
    });
    std::mem::swap(&mut view.wins, &mut view.losses);
    // What stays where nothing is proven depends on which of the two is in use.
    view.split = None;
    view.warnings.push(format!(
        "measured as `{}` against `{}` (verdict {id}); ratio and interval are turned over, and the guard was not judged in this direction",
        v.b, v.a
    ));
    view
}

/// What tells two devices apart, as far as runs on them say so: their names, e.g. of a whole card and
/// a slice of one, else the first fact that differs.
fn devices(state: &State, a: (&str, &ContentKey), b: (&str, &ContentKey)) -> Option<String> {
    let ran = |of| environment_of(state, of, |x, y| x.device == y.device);
    let (a, b) = (ran(a)?, ran(b)?);
    if a.device != b.device {
        return Some(format!(" ({}, not {})", inert(&b.device), inert(&a.device)));
    }
    let hardware = |n: &str| !n.starts_with("tool.") && !n.starts_with("os.");
    let first = differing(a, b, hardware).into_iter().next()?;
    Some(format!(" ({first})"))
}

/// What tells two toolchains apart, as far as runs with them say so: compilers and packages by name and version.
fn tools(state: &State, a: (&str, &ContentKey), b: (&str, &ContentKey)) -> Option<String> {
    let ran = |of| environment_of(state, of, |x, y| x.toolchain == y.toolchain);
    let mut told = differing(ran(a)?, ran(b)?, |n| n.starts_with("tool."));
    let more = told.len().saturating_sub(TOOLS_TOLD);
    told.truncate(TOOLS_TOLD);
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    (!told.is_empty()).then(|| format!(" ({})", told.join("; ")))
}

/// Tools that a warning names.
const TOOLS_TOLD: usize = 4;

/// The environment of a run of a subject whose key is like this one.
fn environment_of<'s>(
    state: &'s State,
    (name, key): (&str, &ContentKey),
    alike: impl Fn(&ContentKey, &ContentKey) -> bool,
) -> Option<&'s Environment> {
    state.owned(name).find_map(|r| match &r.body {
        Body::Run(run) if alike(&run.subject.key, key) => Some(&run.environment),
        _ => None,
    })
}

/// Stable facts with such names that differ: `name of b, not of a`.
fn differing(a: &Environment, b: &Environment, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let names: BTreeSet<&String> = a.stable.keys().chain(b.stable.keys()).collect();
    let of = |e: &Environment, name: &String| {
        let value = e.stable.get(name).map_or("not known", String::as_str);
        inert(value).into_owned()
    };
    (names.into_iter())
        .filter(|n| wanted(n) && a.stable.get(*n) != b.stable.get(*n))
        .map(|n| {
            let short = n.strip_prefix("tool.").unwrap_or(n);
            format!("{} {}, not {}", inert(short), of(b, n), of(a, n))
        })
        .collect()
}
