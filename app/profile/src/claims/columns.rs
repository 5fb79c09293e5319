//! Figures that stand in the columns of a table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::figure::{Outcome as Computed, Printed, in_unit, shown, time};
use super::judge::{Reading, judge};
use super::{Held, Outcome, Work};
use crate::derive::{formula, interval::Interval};
use crate::mapping::{Column, before_side};
use crate::{Catalog, CounterRef, Launch, Mapping, Profile, Status};

/// Figures of a column from which on a digit that never moves is taken for none.
const MANY: usize = 5;

/// The step in which all times of a side move, in nanoseconds, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    ns: f64,
    times: usize,
}

/// A published table with what the campaign knows of its rows.
pub(super) struct Table<'a> {
    pub mapping: &'a Mapping,
    pub profile: &'a Profile,
    pub work: &'a dyn Fn(&str) -> Work,
    /// Rows by their whole names, and by parts of them that no other row has.
    labels: HashMap<&'a str, usize>,
    parts: HashMap<&'a str, Option<usize>>,
    /// The step in which the times of a side move, where that is coarser than their digits.
    steps: BTreeMap<String, Step>,
}

/// What a figure came to, or why it came to nothing.
pub(super) type Came = Result<(Computed, Option<Reading>, Vec<String>), [String; 2]>;

pub(super) fn no(en: &str, zh: &str) -> [String; 2] {
    [en.to_owned(), zh.to_owned()]
}

impl<'a> Table<'a> {
    pub fn new(mapping: &'a Mapping, profile: &'a Profile, work: &'a dyn Fn(&str) -> Work) -> Self {
        let (mut labels, mut parts) = (HashMap::new(), HashMap::new());
        for (at, launch) in profile.launches.iter().enumerate() {
            labels.entry(launch.kernel.as_str()).or_insert(at);
            for part in launch.kernel.split(" · ") {
                let of = parts.entry(part.trim()).or_insert(Some(at));
                if *of != Some(at) {
                    *of = None;
                }
            }
        }
        Self {
            mapping,
            profile,
            work,
            labels,
            parts,
            steps: steps(profile),
        }
    }

    /// Every figure of the table that follows from others.
    pub fn columns(&self) -> Vec<Held> {
        let mut out = Vec::new();
        for (at, launch) in self.profile.launches.iter().enumerate() {
            let work = (self.work)(&launch.kernel);
            for c in launch.iter() {
                out.extend(self.counter(at, launch, &c, &work));
                out.extend(self.repeated(launch, &c, c.unit()));
            }
        }
        out
    }

    fn counter(&self, at: usize, launch: &Launch, c: &CounterRef<'_>, work: &Work) -> Option<Held> {
        let column = self.column(launch, c.name());
        let canonical = c.canonical().unwrap_or_default();
        let formula = column.and_then(|c| c.formula.as_deref());
        let follows = is_claim(canonical) && !matches!(canonical, "claim.time" | "claim.tests");
        if (!follows && formula.is_none())
            || matches!(c.status(), Status::Absent | Status::NotSupported)
        {
            return None;
        }
        let unit = match (formula, Catalog::builtin().get(canonical)) {
            (None, Some(entry)) => entry.unit.clone(),
            _ => c.unit().to_owned(),
        };
        let against = column.and_then(|c| c.against.as_deref());
        let other = against.map(|a| self.against(at, a));
        let came = match (formula, canonical) {
            (Some(text), _) => formula_of(text, launch, work),
            (None, "claim.tflops") => self.rate(
                launch,
                work.flops.map(|f| f / 1000.0),
                ["flops", "运算量公式"],
            ),
            (None, "claim.bandwidth") => self.rate(launch, work.bytes, ["bytes", "字节数公式"]),
            (None, "claim.flops") => count(work.flops, ["flops", "运算量公式"]),
            (None, "claim.bytes") => count(work.bytes, ["bytes", "字节数公式"]),
            (None, _) => match &other {
                Some(Ok(other)) => change(canonical, other, launch),
                Some(Err(why)) => Err(why.clone()),
                None => Err(no(
                    "the mapping does not say what it is `against`",
                    "映射文件未写明与谁相比（against）",
                )),
            },
        };
        let mut held = held(
            &launch.kernel,
            c.name(),
            &unit,
            c.raw(),
            Printed::of(c, &unit),
            came,
        );
        held.claim = is_claim(canonical).then(|| canonical.to_owned());
        held.canonical = match (formula, canonical) {
            (None, "claim.bandwidth") => Some("claim.bandwidth"),
            _ => None,
        };
        if let Some(Ok(other)) = other {
            let name = against.unwrap_or_default();
            held.figure = format!("{} over {name}", held.figure);
            if held.outcome != Outcome::NotRecomputed {
                self.step(&mut held, other, launch);
            }
        }
        Some(held)
    }

    /// Work over the time, to the most digits that the time is printed with.
    fn rate(&self, launch: &Launch, work: Option<f64>, names: [&str; 2]) -> Came {
        let own = time_of(launch)?;
        let (t, of) = self.finest_time(launch).unwrap_or((own, launch));
        let (computed, _, _) = count(work, names)?;
        let rate = Computed::of(&[t], |v| computed.value / v[0]);
        let elsewhere = (!std::ptr::eq(of, launch)).then(|| of.kernel.clone());
        Ok((
            rate.ok_or_else(beyond)?,
            None,
            elsewhere.into_iter().collect(),
        ))
    }

    /// The column of the mapping that a counter of a row is from.
    fn column(&self, launch: &Launch, name: &str) -> Option<&Column> {
        let mut columns = self.mapping.counters.iter();
        columns.find(|c| {
            c.name() == name && c.side.as_deref().is_none_or(|s| is_side(&launch.kernel, s))
        })
    }

    /// The row that a row is held against: the same line's other side, another row, or the one before.
    pub fn against(&self, at: usize, name: &str) -> Result<&Launch, [String; 2]> {
        let all = &self.profile.launches;
        let label = all.get(at).map(|l| l.kernel.as_str()).unwrap_or_default();
        let found = match name {
            "previous" => at.checked_sub(1).and_then(|i| all.get(i)),
            _ => {
                let beside = match before_side(label) {
                    "" => name.to_owned(),
                    head => format!("{head} · {name}"),
                };
                let side = self.labels.get(beside.as_str()).and_then(|i| all.get(*i));
                side.or_else(|| self.row(name))
            }
        };
        found.ok_or_else(|| {
            no(
                &format!("there is no row `{name}` that it could be held against"),
                &format!("没有可供比较的行 `{name}`"),
            )
        })
    }

    /// A row by its whole name, or by a part of it that no other row has.
    pub fn row(&self, name: &str) -> Option<&Launch> {
        let part = || self.parts.get(name).copied().flatten();
        let at = self.labels.get(name).copied().or_else(part)?;
        self.profile.launches.get(at)
    }

    /// The step of the time of a row: what its last printed digit is worth, or what all times of its side
    /// move in where that digit never moves.
    pub fn quantum(&self, launch: &Launch) -> f64 {
        let digit = time(launch).map_or(0.0, |t| t.half * 2.0);
        let moves = self.steps.get(side_of(&launch.kernel));
        moves.map_or(digit, |step| digit.max(step.ns))
    }

    /// Says where two times differ by no more than the step in which they are shown.
    fn step(&self, held: &mut Held, before: &Launch, after: &Launch) {
        let (Some(b), Some(a)) = (time(before), time(after)) else {
            return;
        };
        let step = self.quantum(before).max(self.quantum(after));
        let apart = (a.value - b.value).abs();
        if step <= 0.0 || apart > step * (1.0 + 1e-6) {
            return;
        }
        let by = in_unit(step, after);
        let digit = a.half.max(b.half) * 2.0;
        // The digits that are printed say otherwise: it has to be told where the step is from.
        let [how, how_zh] = match digit < step * (1.0 - 1e-6) {
            true => {
                let sides = self.steps.values().filter(|s| s.ns <= step * (1.0 + 1e-6));
                let times = sides.map(|s| s.times).max().unwrap_or(MANY);
                let digit = in_unit(digit, after);
                [
                    format!(
                        "; printed to {digit}, but all {times} times of the column move in steps of {by}"
                    ),
                    format!("；印至 {digit}，但该列 {times} 个时间均以 {by} 为步长"),
                ]
            }
            false => [String::new(), String::new()],
        };
        let (before, after) = (shown(before), shown(after));
        let (en, zh) = match apart {
            0.0 => (
                format!(
                    "{before} and {after} are the same to the step of the display, {by}: nothing follows about speed{how}"
                ),
                format!("{before} 与 {after} 在显示步长 {by} 内相同，不能说明速度差异{how_zh}"),
            ),
            _ => (
                format!(
                    "{before} and {after} are one step of the display, {by}, apart: this is no finding about speed{how}"
                ),
                format!("{before} 与 {after} 只相差一个显示步长 {by}，不能说明速度差异{how_zh}"),
            ),
        };
        if !held.why.is_empty() {
            held.why.push_str("; ");
            held.why_zh.push('；');
        }
        held.why.push_str(&en);
        held.why_zh.push_str(&zh);
        held.remark = true;
    }
}

/// The step in which the times of each side move, where all of many are printed with more digits than
/// ever move: `3.50`, `4.00`, `11.70` move in steps of 0.1.
fn steps(profile: &Profile) -> BTreeMap<String, Step> {
    let mut columns: BTreeMap<String, Vec<Printed>> = BTreeMap::new();
    for l in &profile.launches {
        if let Some(t) = time(l) {
            let side = side_of(&l.kernel).to_owned();
            columns.entry(side).or_default().push(t);
        }
    }
    let moves = |times: &[Printed]| {
        let finest = times.iter().map(|t| t.half * 2.0).reduce(f64::min)?;
        if times.len() < MANY || finest <= 0.0 {
            return None;
        }
        let mut step = finest;
        // Ten times as coarse, as long as no figure shows otherwise.
        for _ in 0..6 {
            let next = step * 10.0;
            let whole = |t: &Printed| {
                let n = t.value / next;
                n >= 0.5 && (n - n.round()).abs() < 1e-6 * n.max(1.0)
            };
            if !times.iter().all(whole) {
                break;
            }
            step = next;
        }
        (step > finest).then_some(Step {
            ns: step,
            times: times.len(),
        })
    };
    let found = columns.into_iter().map(|(k, v)| Some((k, moves(&v)?)));
    found.flatten().collect()
}

/// Whether a name of the catalog is that of a published figure.
pub(super) fn is_claim(canonical: &str) -> bool {
    canonical.starts_with("claim.")
}

/// Whether a row is of a side.
pub(super) fn is_side(label: &str, side: &str) -> bool {
    label == side || side_of(label) == side
}

fn side_of(label: &str) -> &str {
    label.rsplit_once(" · ").map_or("", |(_, side)| side)
}

/// A figure with what it came to.
pub(super) fn held(
    row: &str,
    figure: &str,
    unit: &str,
    printed: &str,
    stated: Option<Printed>,
    came: Came,
) -> Held {
    let mut out = Held {
        rows: vec![row.to_owned()],
        place: None,
        canonical: None,
        claim: None,
        figure: figure.to_owned(),
        unit: if unit.is_empty() {
            "1".into()
        } else {
            unit.to_owned()
        },
        printed: printed.to_owned(),
        stated: stated.map(|s| s.value),
        computed: None,
        interval: None,
        outcome: Outcome::NotRecomputed,
        why: String::new(),
        why_zh: String::new(),
        remark: false,
    };
    let why = match (stated, came) {
        (_, Err(why)) => why,
        (None, Ok(_)) => no(
            "what is printed is no figure in this unit",
            "所印内容不是该单位的数值",
        ),
        (Some(stated), Ok((computed, other, rows))) => {
            let (outcome, why) = judge(stated, computed, other.as_ref());
            out.outcome = outcome;
            out.computed = Some(computed.value);
            out.interval = Some([computed.range.lo, computed.range.hi]);
            out.rows.extend(rows);
            why
        }
    };
    [out.why, out.why_zh] = why;
    out
}

/// A time above zero.
pub(super) fn time_of(launch: &Launch) -> Result<Printed, [String; 2]> {
    match time(launch) {
        Some(t) if t.is_positive() => Ok(t),
        Some(_) => Err(no(
            "a time that it follows from is not above zero",
            "所依据的时间不大于零",
        )),
        None => Err(no(
            "a time that it follows from is not published",
            "所依据的时间未发布",
        )),
    }
}

fn count(work: Option<f64>, [name, zh]: [&str; 2]) -> Came {
    let Some(work) = work else {
        return Err([
            format!("the campaign has no `{name}` formula for this row"),
            format!("活动文件中没有该行的{zh}"),
        ]);
    };
    let exact = Computed {
        value: work,
        range: Interval::exact(work),
    };
    Ok((exact, None, Vec::new()))
}

fn beyond() -> [String; 2] {
    no("what comes out is no number", "计算结果不是数值")
}

/// A speed-up or a change in time, and the other thing that people write under its name.
pub(super) fn change(canonical: &str, before: &Launch, after: &Launch) -> Came {
    let times = [time_of(before)?, time_of(after)?];
    let [b, a] = times.map(|t| t.value);
    let of = |f: &dyn Fn(&[f64]) -> f64| Computed::of(&times, f).ok_or_else(beyond);
    let (computed, other) = match canonical {
        "claim.reduction" => (
            of(&|v| (v[0] - v[1]) / v[0] * 100.0)?,
            Some(Reading {
                value: (b / a - 1.0) * 100.0,
                words: ["the speed-up minus 1", "加速比减一"],
                meant: ["the reduction in time", "时间减少"],
            }),
        ),
        "claim.increase" => (
            of(&|v| (v[1] / v[0] - 1.0) * 100.0)?,
            Some(Reading {
                value: (1.0 - b / a) * 100.0,
                words: ["1 minus the speed-up", "一减加速比"],
                meant: ["the increase in time", "时间增加"],
            }),
        ),
        _ => (
            of(&|v| v[0] / v[1])?,
            Some(Reading {
                value: a / b,
                words: ["time after over time before", "优化后时间除以优化前时间"],
                meant: ["the speed-up", "加速比"],
            }),
        ),
    };
    Ok((computed, other, vec![before.kernel.clone()]))
}

/// What a figure follows from in its own line.
fn formula_of(text: &str, launch: &Launch, work: &Work) -> Came {
    let node = formula::parse(text).map_err(|e| [e.clone(), e])?;
    let printed = |name: &str| {
        let mut found = launch.iter().filter(|c| c.name() == name);
        found.next().and_then(|c| Printed::of(&c, c.unit()))
    };
    let exact = |name: &str| match name {
        "flops" => work.flops,
        "bytes" => work.bytes,
        _ => work.dims.get(name).copied(),
    };
    let range = |name: &str| {
        let of = printed(name).map(|p| p.interval());
        of.or_else(|| exact(name).map(Interval::exact))
    };
    let value = |name: &str| printed(name).map(|p| p.value).or_else(|| exact(name));
    let missing: BTreeSet<&str> = (node.names().into_iter())
        .filter(|n| value(n).is_none())
        .collect();
    if !missing.is_empty() {
        let names = missing.into_iter().collect::<Vec<_>>().join(", ");
        return Err([
            format!("its formula needs {names}, which this row does not have"),
            format!("公式需要 {names}，该行没有"),
        ]);
    }
    let (value, range) = (node.value(&value), node.interval(&range));
    let (Some(value), Some(range)) = (value, range) else {
        return Err(beyond());
    };
    Ok((Computed { value, range }, None, Vec::new()))
}

/// A time in a unit that people read.
pub(super) fn ns(value: f64) -> String {
    let (scale, unit) = match value {
        v if v >= 1e9 => (1e9, "s"),
        v if v >= 1e6 => (1e6, "ms"),
        v if v >= 1e3 || v == 100.0 => (1e3, "us"),
        _ => (1.0, "ns"),
    };
    let text = format!("{:.6}", value / scale);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {unit}")
}
