//! Whether imported reports were shown to be of the source that they are filed under, and of one only.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::Sha256;
use assay_core::fold::State;
use assay_core::record::{Body, Origin, Profile, SourceCheck};
use assay_core::text::inert;
use assay_core::view::FindingView;

use super::stored::{profiles, same_content};

/// What the records of a variant's profiles say of their source.
///
/// Where nothing can be filed, `read_only`, no advice says how.
pub fn of_source<'p>(
    name: &str,
    profiles: impl Iterator<Item = &'p Profile>,
    read_only: bool,
) -> Vec<FindingView> {
    let advice = match read_only {
        true => [
            "the generated source that was profiled would show it",
            "提供被分析的生成源码才能证明",
        ],
        false => [
            "import with --source FILE, the generated source that was profiled",
            "导入时用 --source FILE 提供被分析的生成源码",
        ],
    };
    let mut found = Vec::new();
    let mut unchecked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    // A published row has no source of its own; what it claims is audited as a claim.
    for p in profiles.filter(|p| !p.is_published()) {
        let Some(import) = &p.import else { continue };
        match import.source_checked {
            SourceCheck::Same => {}
            SourceCheck::Unchecked if seen.insert((&p.tool, &p.workload)) => {
                unchecked.entry(&p.tool).or_default().push(&p.workload);
            }
            SourceCheck::Unchecked => {}
            SourceCheck::Differs => {
                let (tool, note) = (&p.tool, import.note.as_deref().unwrap_or_default());
                found.push(finding(
                    "profile-of-other-source",
                    "error",
                    &format!("{name} on {}", p.workload),
                    [
                        &format!("the report of {tool} is not of this source: what was given with it differs from what is generated here (note: {note})"),
                        &format!("{tool} 报告不属于这份源码：随报告提供的源码与这里生成的不同（备注：{note}）"),
                    ],
                    ["profile the variant as it stands", "对当前版本重新采集"],
                    "source_checked = differs",
                ));
            }
        }
    }
    for (tool, workloads) in unchecked {
        let workloads = workloads.join(", ");
        found.push(finding(
            "source-not-checked",
            "info",
            name,
            [
                &format!("the reports of {tool} ({workloads}) were filed without their source: nothing shows that they are of this kernel"),
                &format!("{tool} 报告（{workloads}）导入时没有提供源码：无法证明它们属于这个内核"),
            ],
            advice,
            "source_checked = unchecked",
        ));
    }
    found
}

/// Whether two records hold the same report, kernel by kernel, of different content: of one of them
/// it cannot be.
pub fn of_two_contents(a: &Profile, b: &Profile) -> bool {
    let files = |p: &Profile| -> BTreeSet<Sha256> { p.blobs().map(|f| f.sha256).collect() };
    a.origin == Origin::Imported
        && b.origin == Origin::Imported
        && !a.is_published()
        && (&a.kernel, a.occurrence) == (&b.kernel, b.occurrence)
        && !same_content(&a.subject.key, &b.subject.key)
        && files(a) == files(b)
}

/// Reports that are filed under different content, unless that generates the same source.
pub fn filed_twice(state: &State, names: &[String]) -> Vec<FindingView> {
    let source = |p: &Profile| {
        state
            .owned(&p.subject.name)
            .rev()
            .find_map(|r| match &r.body {
                Body::Source(s) if same_content(&s.subject.key, &p.subject.key) => {
                    Some(s.normalised)
                }
                _ => None,
            })
    };
    let every: Vec<&str> = state.variants().keys().map(String::as_str).collect();
    let all: Vec<&Profile> = (every.iter())
        .flat_map(|n| profiles(state, n).map(|(_, p)| p))
        .filter(|p| p.origin == Origin::Imported)
        .collect();
    // By the first file: only what shares it can be the same report.
    let mut by_file: BTreeMap<Sha256, Vec<&Profile>> = BTreeMap::new();
    for p in &all {
        by_file.entry(p.raw.sha256).or_default().push(p);
    }
    let mut found = Vec::new();
    for p in all.iter().filter(|p| names.contains(&p.subject.name)) {
        let beside = by_file.get(&p.raw.sha256).into_iter().flatten();
        let twice = beside.filter(|o| of_two_contents(p, o)).find(|o| {
            let (ours, theirs) = (source(p), source(o));
            ours.is_none() || ours != theirs
        });
        let Some(other) = twice else { continue };
        let (name, tool, theirs) = (&p.subject.name, &p.tool, &other.subject.name);
        let commit = other.subject.commit.as_deref().unwrap_or_default();
        let at: String = commit.chars().take(12).collect();
        found.push(finding(
            "same-report-twice",
            // Without generated source on both sides the change may be one of words only.
            if source(p).is_some() && source(other).is_some() {
                "error"
            } else {
                "warning"
            },
            &format!("{name} on {}", p.workload),
            [
                &format!("the same {tool} report is filed under {theirs} at {at} too, which has other content: it can be of one of them only"),
                &format!("同一份 {tool} 报告也登记在内容不同的 {theirs}（{at}）名下：它只可能属于其中之一"),
            ],
            [
                "profile each version by itself",
                "对每个版本分别采集",
            ],
            "equal hashes of all raw files",
        ));
    }
    found
}

/// A finding of an audit, from the record of a profile unless another source is put in its place.
pub(super) fn finding(
    rule: &str,
    severity: &str,
    subject: &str,
    message: [&str; 2],
    advice: [&str; 2],
    evidence: &str,
) -> FindingView {
    FindingView {
        rule: rule.to_owned(),
        kind: "audit".into(),
        severity: severity.to_owned(),
        subject: inert(subject).into_owned(),
        message: inert(message[0]).into_owned(),
        message_zh: inert(message[1]).into_owned(),
        advice: advice[0].to_owned(),
        advice_zh: advice[1].to_owned(),
        counters: Vec::new(),
        evidence: inert(evidence).into_owned(),
        source: "the record of the profile".into(),
        source_zh: "剖析的记录".into(),
        of: Vec::new(),
    }
}
