//! Whether imported reports were shown to be of the source that they are filed under.

use std::collections::BTreeMap;

use assay_core::record::{Profile, SourceCheck};
use assay_core::text::inert;
use assay_core::view::FindingView;

/// What the records of a variant's profiles say of their source.
pub fn of_source<'p>(name: &str, profiles: impl Iterator<Item = &'p Profile>) -> Vec<FindingView> {
    let mut found = Vec::new();
    let mut unchecked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // A published row has no source of its own; what it claims is audited as a claim.
    for p in profiles.filter(|p| !p.is_published()) {
        let Some(import) = &p.import else { continue };
        match import.source_checked {
            SourceCheck::Same => {}
            SourceCheck::Unchecked => unchecked.entry(&p.tool).or_default().push(&p.workload),
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
            [
                "import with --source FILE, the generated source that was profiled",
                "导入时用 --source FILE 提供被分析的生成源码",
            ],
            "source_checked = unchecked",
        ));
    }
    found
}

fn finding(
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
        evidence: evidence.to_owned(),
        source: "the record of the profile".into(),
    }
}
