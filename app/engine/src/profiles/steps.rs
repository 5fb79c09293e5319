//! Steps of a lineage by the knobs that are declared: what a comparison of two versions can and cannot
//! tell apart.

use std::collections::BTreeSet;

use assay_core::fold::State;
use assay_core::record::{DecisionKind, Variant};
use assay_core::view::FindingView;

use super::provenance::finding;

/// What the declared knobs of accepted variants say of their steps.
///
/// Rejected and parked variants are not looked at: nothing is built on them.
pub fn of_knobs(state: &State, names: &[String]) -> Vec<FindingView> {
    let accepted: BTreeSet<&str> = (state.decisions())
        .filter(|(_, d)| d.kind == DecisionKind::Accept)
        .map(|(_, d)| d.variant.as_str())
        .collect();
    let mut found = Vec::new();
    for name in names.iter().filter(|n| accepted.contains(n.as_str())) {
        let Some(v) = declared(state, name) else {
            continue;
        };
        let line = ancestors(state, v);
        let steps = several_at_once(v, &line, state.place().read_only).into_iter();
        for (finding, other) in steps.chain(back_again(v, &line)) {
            let of = [other.as_str(), name].map(|n| state.variant(n)?.declaration);
            found.push(FindingView {
                of: of.iter().flatten().map(ToString::to_string).collect(),
                ..finding
            });
        }
    }
    found
}

fn declared<'s>(state: &'s State, name: &str) -> Option<&'s Variant> {
    state.declaration(state.variant(name)?.declaration)
}

/// First parents, the nearest first; a name comes once.
fn ancestors<'s>(state: &'s State, of: &Variant) -> Vec<&'s Variant> {
    let mut line = Vec::new();
    let mut seen = BTreeSet::from([of.name.clone()]);
    let mut next = of.parents.first().cloned();
    while let Some(name) = next {
        let Some(v) = declared(state, &name).filter(|_| seen.insert(name)) else {
            break;
        };
        next = v.parents.first().cloned();
        line.push(v);
    }
    line
}

/// A step that changes more than one knob against its parent: which of them did it is open.
///
/// With the variant that it is held against.
fn several_at_once(
    v: &Variant,
    line: &[&Variant],
    read_only: bool,
) -> Option<(FindingView, String)> {
    let parent = line.first()?;
    let changed: Vec<String> = (v.knobs.iter())
        .filter_map(|(knob, value)| {
            let before = parent.knobs.get(knob)?;
            (before != value).then(|| format!("{knob} {before} -> {value}"))
        })
        .collect();
    let advice = match read_only {
        true => [
            "each of them has to be measured without the others",
            "需逐个去掉后分别测量",
        ],
        false => [
            "measure it without each of them: `assay ablate`",
            "逐个去掉后再测量：`assay ablate`",
        ],
    };
    (changed.len() > 1).then(|| {
        let (n, list) = (changed.len(), changed.join(", "));
        let found = of_declared(finding(
            "knobs-changed-together",
            "warning",
            &format!("{} against {}", v.name, parent.name),
            [
                &format!("the step changes {n} knobs at once ({list}): which of them moved time and counters is not known"),
                &format!("该步骤同时改变了 {n} 个参数（{list}）：无法得知是哪一个影响了时间与计数器"),
            ],
            advice,
            &list,
        ));
        (found, parent.name.clone())
    })
}

/// A knob that is given a value which an ancestor had, after another one in between.
fn back_again(v: &Variant, line: &[&Variant]) -> Vec<(FindingView, String)> {
    let mut found = Vec::new();
    for (knob, value) in &v.knobs {
        let stated: Vec<(&str, &String)> = (line.iter())
            .filter_map(|a| Some((a.name.as_str(), a.knobs.get(knob)?)))
            .collect();
        // Only where it comes back, not in every version after it.
        let Some(at) = stated.iter().position(|(_, before)| *before == value) else {
            continue;
        };
        if at == 0 {
            continue;
        }
        let between: Vec<String> = (stated[..at].iter().rev())
            .map(|(name, before)| format!("{before} in {name}"))
            .collect();
        let (first, between) = (stated[at].0, between.join(", "));
        let silent: Vec<&str> = (line.iter())
            .take_while(|a| a.name != stated[0].0)
            .map(|a| a.name.as_str())
            .collect();
        let gap = |words: [&str; 2]| match silent.as_slice() {
            [] => String::new(),
            names => format!("{}{}{}", words[0], names.join(", "), words[1]),
        };
        let told = of_declared(finding(
            "knob-goes-back",
            "info",
            &v.name,
            [
                &format!(
                    "{knob} is {value} again, as in {first}; it was {between}{}",
                    gap(["; what it was in ", " is not stated"])
                ),
                &format!(
                    "{knob} 又回到 {value}，与 {first} 相同；期间为 {between}{}",
                    gap(["；", " 中的取值未说明"])
                ),
            ],
            [
                "say what the change back brought; measured beside another step it cannot be told apart",
                "说明改回带来了什么；与其他步骤一起测量时无法区分",
            ],
            &format!("{knob}: {value}, {between}, then {value}"),
        ));
        found.push((told, first.to_owned()));
    }
    found
}

/// A finding of declared knobs.
fn of_declared(finding: FindingView) -> FindingView {
    FindingView {
        source: "the knobs that variants declare; a published review with a step of two knobs"
            .into(),
        source_zh: "变体所声明的参数；一份公开复盘中同时改动两个参数的一步".into(),
        ..finding
    }
}
