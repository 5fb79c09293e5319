//! Changes that a table prints beside its figures, held against the figures.
//!
//! Whoever made the table may have worked the change out before rounding the figures, so that
//! -54.35 % beside figures that give -54.34 % is no error. It is one where no values that would be
//! printed as these figures have a change that would be printed as this one.

use std::collections::HashMap;

use assay_core::text::inert;
use assay_core::view::{FindingView, PublishedView, UsedFigure};

use super::DEFAULT_THRESHOLD;
use super::change::relative_interval;
use super::unit::{self, Reading};
use crate::mapping::TABLE;
use crate::{CounterRef, Launch, Profile, Status};

/// Ends the name under which a published change is kept, with the launch that it is of.
pub const PUBLISHED: &str = " (published change)";

/// Words for a change that is none.
const SAME: [&str; 11] = [
    "基本不变",
    "不变",
    "无变化",
    "没有变化",
    "持平",
    "基本持平",
    "unchanged",
    "no change",
    "same",
    "flat",
    "≈",
];

/// Unit of a change that is a factor.
pub(crate) const FACTOR: &str = "×";

/// Unit of a change of a percentage that is a difference.
pub(crate) const POINTS: &str = "points";

/// Rounding of the arithmetic itself, in percent or as a factor.
const SLACK: f64 = 1e-9;

/// Whether a counter is no counter but the change that a table prints for one.
pub fn is_published(counter: &CounterRef<'_>) -> bool {
    counter.name().ends_with(PUBLISHED)
}

/// Published changes that the figures beside them contradict.
///
/// Each is held against the first launch of the profile, as a mapping with `sides` reads it. A
/// change whose words are not known, or whose figures have no value, is not judged.
pub fn published_changes(profile: &Profile) -> Vec<FindingView> {
    let Some((first, later)) = profile.launches.split_first() else {
        return Vec::new();
    };
    let of = |side| {
        let launch: &Launch = side;
        let changes = launch.iter().filter(is_published);
        changes.filter_map(move |c| judge(first, launch, &c))
    };
    later.iter().flat_map(of).collect()
}

/// One published change with the figures that it is about.
struct Case<'a> {
    name: &'a str,
    unit: &'a str,
    raw: &'a str,
    figures: [&'a str; 2],
    values: [Reading; 2],
    /// Relative change in percent that the printed figures allow.
    allowed: [f64; 2],
}

/// Whether the figures allow what the table prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Fits,
    Wrong,
    /// It is the difference in points, written as if it were relative.
    Points,
    /// Words whose meaning is not known.
    Open,
}

/// The changes that a table prints beside one of its sides, by section and name of the counter; none
/// where the base is not the side that they are against.
pub(super) fn beside(
    base: &Launch,
    profile: &Profile,
    side: &Launch,
) -> HashMap<(String, String), PublishedView> {
    let first = profile.launches.first();
    let first = first.filter(|f| profile.flavour == TABLE && *f == base);
    let Some(first) = first else {
        return HashMap::new();
    };
    let changes = side.iter().filter(is_published);
    // Of a cell that says nothing there is nothing to show.
    let said = changes.filter(|c| !matches!(c.status(), Status::Absent | Status::NotSupported));
    said.filter_map(|change| {
        let name = change.name().strip_suffix(PUBLISHED)?.to_owned();
        let verdict = held(first, side, &change).map_or(Verdict::Open, |(_, v)| v);
        let published = PublishedView {
            printed: inert(change.raw()).into_owned(),
            consistent: match verdict {
                Verdict::Fits => Some(true),
                Verdict::Wrong | Verdict::Points => Some(false),
                Verdict::Open => None,
            },
        };
        Some(((change.section().to_owned(), name), published))
    })
    .collect()
}

fn judge(first: &Launch, side: &Launch, change: &CounterRef<'_>) -> Option<FindingView> {
    let (case, verdict) = held(first, side, change)?;
    match verdict {
        Verdict::Wrong => Some(case.finding(&side.kernel)),
        Verdict::Points => Some(case.points_finding(&side.kernel)),
        Verdict::Fits | Verdict::Open => None,
    }
}

/// A published change held against the figures beside it; none where these have no value.
fn held<'a>(
    first: &'a Launch,
    side: &'a Launch,
    change: &CounterRef<'a>,
) -> Option<(Case<'a>, Verdict)> {
    let name = change.name().strip_suffix(PUBLISHED)?;
    let base = first.counter(change.section(), name)?;
    let other = side.counter(change.section(), name)?;
    let values = [
        unit::read(&base, base.unit())?,
        unit::read(&other, base.unit())?,
    ];
    let [a, b] = values.map(|v| [v.amount.real(), v.half()]);
    let case = Case {
        name,
        unit: base.unit(),
        raw: change.raw(),
        figures: [base.raw(), other.raw()],
        allowed: relative_interval(a, b)?,
        values,
    };
    let of = |fits| if fits { Verdict::Fits } else { Verdict::Wrong };
    let verdict = match (change.status(), change.unit()) {
        (Status::Text, _) if said_to_be_same(change.word()?) => of(case.is_same()),
        (Status::Value, FACTOR) => {
            let back = relative_interval(b, a)?;
            of(is_factor(unit::read(change, FACTOR)?, [case.allowed, back]))
        }
        (Status::Value, POINTS) => match case.points() {
            Some(points) => of(fits(unit::read(change, POINTS)?, points)),
            None => Verdict::Open,
        },
        (Status::Value, _) => {
            let published = unit::read(change, "%")?;
            match fits(published, case.allowed) {
                true => Verdict::Fits,
                false if case.points().is_some_and(|p| fits(published, p)) => Verdict::Points,
                false => Verdict::Wrong,
            }
        }
        _ => Verdict::Open,
    };
    Some((case, verdict))
}

fn said_to_be_same(word: &str) -> bool {
    let word = word.trim();
    SAME.iter().any(|s| word.eq_ignore_ascii_case(s))
}

/// Whether some change that would be printed like this is one that the figures allow.
fn fits(published: Reading, [low, high]: [f64; 2]) -> bool {
    let (value, half) = (published.amount.real(), published.half());
    value - half <= high + SLACK && value + half >= low - SLACK
}

/// Whether a factor fits: people write both what is left of the first figure, and how many times
/// it is the second one.
fn is_factor(published: Reading, allowed: [[f64; 2]; 2]) -> bool {
    let factors = allowed.map(|i| i.map(|percent| 1.0 + percent / 100.0));
    factors.into_iter().any(|f| fits(published, f))
}

impl Case<'_> {
    /// Whether the figures allow a change that is none.
    fn is_same(&self) -> bool {
        self.allowed[0] <= DEFAULT_THRESHOLD && self.allowed[1] >= -DEFAULT_THRESHOLD
    }

    /// The difference that the figures allow, where they are percentages themselves.
    fn points(&self) -> Option<[f64; 2]> {
        let [a, b] = self.values;
        let (difference, half) = (b.amount.minus(a.amount), a.half() + b.half());
        (self.unit == "%").then_some([difference - half, difference + half])
    }

    fn finding(&self, subject: &str) -> FindingView {
        let [a, b] = self.figures;
        let (name, raw) = (self.name, self.raw);
        let [low, high] = self.allowed;
        let mut message = format!(
            "The table says {raw} for {name}; its own figures, {a} and {b}, give {low:+.3} to {high:+.3} %."
        );
        let mut message_zh = format!(
            "表中 {name} 的变化写为 {raw}，而表中数字 {a} 与 {b} 得出 {low:+.3} 到 {high:+.3} %。"
        );
        if let Some([low, high]) = self.points() {
            let points = low.midpoint(high);
            message.push_str(&format!(" In points it is {points:+.2}."));
            message_zh.push_str(&format!("按百分点为 {points:+.2}。"));
        }
        let advice = "Look up the figures in the reports, and work the change out again.";
        let advice_zh = "请在原始报告中核对这些数字，并重新计算变化。";
        self.view(subject, "error", [message, message_zh], [advice, advice_zh])
    }

    /// Points that are written as if they were a relative change.
    fn points_finding(&self, subject: &str) -> FindingView {
        let (name, raw) = (self.name, self.raw);
        let [low, high] = self.allowed;
        let relative = low.midpoint(high);
        let message = format!(
            "The change of {name}, {raw}, is the difference in points; relative to the first figure it is {relative:+.2} %."
        );
        let message_zh =
            format!("表中 {name} 的变化 {raw} 是百分点之差；相对于第一个数字为 {relative:+.2} %。");
        let advice = "Write points as points, so that nobody takes them for a relative change.";
        let advice_zh = "百分点请写明为百分点，以免被当作相对变化。";
        self.view(
            subject,
            "warning",
            [message, message_zh],
            [advice, advice_zh],
        )
    }

    fn view(
        &self,
        subject: &str,
        severity: &str,
        [message, message_zh]: [String; 2],
        [advice, advice_zh]: [&str; 2],
    ) -> FindingView {
        let [low, high] = self.allowed;
        let [base, other] = self.values.map(|v| v.amount.real());
        let (name, raw) = (self.name, self.raw);
        let used = |name: String, value| UsedFigure {
            name: inert(&name).into_owned(),
            value,
            unit: self.unit.to_owned(),
        };
        let evidence = format!(
            "printed change {raw}; change that the printed figures allow: {low:+.4} to {high:+.4} %"
        );
        FindingView {
            rule: "published-change".into(),
            kind: "audit".into(),
            severity: severity.into(),
            subject: inert(subject).into_owned(),
            message: inert(&message).into_owned(),
            message_zh: inert(&message_zh).into_owned(),
            advice: advice.into(),
            advice_zh: advice_zh.into(),
            counters: vec![
                used(format!("a.{name}"), base),
                used(format!("b.{name}"), other),
            ],
            evidence: inert(&evidence).into_owned(),
            source: "Recomputed from the figures of the table, each as an interval of half its last printed digit.".into(),
            source_zh: "由表中数字重新计算，每个数字按其末位的一半取区间。".into(),
            of: Vec::new(),
        }
    }
}
