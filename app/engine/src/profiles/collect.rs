//! Findings of an audit: each once, the worst first.

use std::collections::BTreeSet;

use assay_core::view::{AuditView, FigureTotals, FindingView, NotJudged};
use assay_profile::rules::Found;

/// Severities, the worst first.
const SEVERITIES: [&str; 3] = ["error", "warning", "info"];

/// What was found so far.
#[derive(Default)]
pub struct Collected {
    findings: Vec<FindingView>,
    /// How often, by place.
    times: Vec<usize>,
    not_judged: BTreeSet<NotJudged>,
    notices: Vec<String>,
}

impl Collected {
    pub fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    /// Adds a finding, unless it was made already on the same figures.
    pub fn add(&mut self, finding: FindingView) {
        // What a variant is on a workload, without the kernel that the report names.
        fn about(f: &FindingView) -> &str {
            f.subject.split(": ").next().unwrap_or_default()
        }
        let same = |f: &FindingView| {
            f.rule == finding.rule && f.message == finding.message && about(f) == about(&finding)
        };
        if !self.findings.iter().any(same) {
            self.findings.push(finding);
            self.times.push(1);
        }
    }

    /// Findings about a campaign. What other rules would have needed is no gap: they are asked
    /// elsewhere, with figures of their own.
    pub fn campaign(&mut self, found: Found, given: &[&str], subject: &str) {
        found.findings.into_iter().for_each(|f| {
            self.add(FindingView {
                subject: subject.to_owned(),
                ..f
            });
        });
        let ours = |n: &NotJudged| {
            let mut missing = n.missing.iter();
            missing.all(|m| given.iter().any(|g| m.starts_with(g)))
        };
        self.not_judged
            .extend(found.not_judged.into_iter().filter(ours));
    }

    /// Findings about one launch of `all`; those of further launches on the same counters are
    /// counted. `of` names the records that they are of.
    pub fn launch(&mut self, found: Found, subject: &str, all: usize, of: &[String]) {
        for f in found.findings {
            let f = FindingView {
                subject: format!("{subject}: {}", f.subject),
                of: of.to_vec(),
                ..f
            };
            let names = |f: &FindingView| -> Vec<String> {
                f.counters.iter().map(|c| c.name.clone()).collect()
            };
            let same = |o: &FindingView| {
                o.rule == f.rule && o.subject.starts_with(subject) && names(o) == names(&f)
            };
            match self.findings.iter().position(same) {
                Some(at) if all > 1 => self.times[at] += 1,
                _ => self.add(f),
            }
        }
        self.not_judged
            .extend(found.not_judged.into_iter().map(|n| NotJudged {
                subject: subject.to_owned(),
                ..n
            }));
    }

    pub fn view(self, campaign: &str) -> AuditView {
        let mut findings: Vec<FindingView> = (self.findings.into_iter().zip(self.times))
            .map(|(f, times)| match times {
                1 => f,
                n => FindingView {
                    subject: format!("{} (and {} more launches)", f.subject, n - 1),
                    ..f
                },
            })
            .collect();
        let rank = |f: &FindingView| SEVERITIES.iter().position(|s| *s == f.severity);
        findings.sort_by_key(|f| rank(f).unwrap_or(SEVERITIES.len()));
        AuditView {
            schema: "assay.audit/1".into(),
            campaign: campaign.to_owned(),
            variants: Vec::new(),
            findings,
            figures: Vec::new(),
            figure_totals: FigureTotals::default(),
            not_judged: self.not_judged.into_iter().collect(),
            left_out: 0,
            notices: self.notices,
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_core::view::UsedFigure;

    use super::*;

    fn finding(rule: &str, severity: &str, subject: &str, message: &str) -> FindingView {
        FindingView {
            rule: rule.into(),
            kind: "audit".into(),
            severity: severity.into(),
            subject: subject.into(),
            message: message.into(),
            message_zh: String::new(),
            advice: String::new(),
            advice_zh: String::new(),
            counters: vec![UsedFigure {
                name: "duty.mma".into(),
                value: 120.0,
                unit: "%".into(),
            }],
            evidence: String::new(),
            source: String::new(),
            source_zh: String::new(),
            of: Vec::new(),
        }
    }

    fn found(findings: Vec<FindingView>) -> Found {
        Found {
            findings,
            not_judged: Vec::new(),
        }
    }

    #[test]
    fn the_worst_comes_first_and_nothing_is_said_twice_of_one_thing() {
        let mut all = Collected::default();
        all.add(finding("r", "info", "a", "m"));
        all.add(finding("claim", "error", "a on w: row", "m"));
        all.add(finding("claim", "error", "a on w: kernel", "m"));
        all.add(finding("claim", "error", "b on w: row", "m"));
        all.add(finding("x", "warning", "a", "m"));
        let view = all.view("c");
        let got: Vec<&str> = view.findings.iter().map(|f| f.subject.as_str()).collect();
        assert_eq!(got, ["a on w: row", "b on w: row", "a", "a"]);
        assert_eq!(view.findings[2].severity, "warning");
    }

    #[test]
    fn launches_with_the_same_finding_are_counted() {
        let mut all = Collected::default();
        for busy in ["101 %", "102 %", "103 %"] {
            let f = finding("duty", "error", "k", busy);
            all.launch(found(vec![f]), "a on w", 3, &["01J".into()]);
        }
        all.launch(
            found(vec![finding("duty", "error", "k", "101 %")]),
            "b on w",
            3,
            &[],
        );
        let view = all.view("c");
        let got: Vec<(&str, &str)> = (view.findings.iter())
            .map(|f| (f.subject.as_str(), f.message.as_str()))
            .collect();
        assert_eq!(
            got,
            [
                ("a on w: k (and 2 more launches)", "101 %"),
                ("b on w: k", "101 %")
            ]
        );
        assert_eq!(view.findings[0].of, ["01J"]);
    }

    #[test]
    fn what_a_rule_would_have_needed_from_elsewhere_is_no_gap() {
        let missing = |names: &[&str]| NotJudged {
            rule: names.join(" "),
            subject: "w".into(),
            missing: names.iter().map(|n| (*n).to_owned()).collect(),
        };
        let mut all = Collected::default();
        let gaps = Found {
            findings: Vec::new(),
            not_judged: vec![
                missing(&["workload.outputs"]),
                missing(&["workload.flops", "claim.time"]),
                missing(&["history.champion"]),
            ],
        };
        all.campaign(gaps, &["workload."], "w");
        let rules: Vec<String> = (all.view("c").not_judged.into_iter())
            .map(|n| n.rule)
            .collect();
        assert_eq!(rules, ["workload.outputs"]);
    }
}
