//! Rules on evidence.

use assay_core::gate::Rule as Condition;
use assay_core::view::{FindingView, NotJudged, UsedFigure};

use super::scene::{Scene, Seen, substitute};
use super::side::Side;
use super::template::Template;
use super::{Found, Kind, Rule};

/// What evidence says of a comparison that has no value on one of its sides.
const UNKNOWN: &str = ", unknown whether ";

/// Whether a rule is for reports of all these tools.
pub(super) fn covers(rule: &Rule, tools: &[&str]) -> bool {
    rule.tools.is_empty() || tools.iter().all(|t| rule.tools.iter().any(|r| r == t))
}

/// Whether a report holds one of the figures that a rule is about.
pub(super) fn concerns(rule: &Rule, side: &Side<'_>) -> bool {
    let mut names = rule.when.names().into_iter();
    names.any(|n| side.figure(n.strip_prefix("res.").unwrap_or(n)).is_some())
}

/// Tries each rule once, or once for each counter that it is about.
pub(super) fn all<'r>(
    rules: impl Iterator<Item = &'r Rule>,
    scene: &Scene<'_>,
    subject: &str,
) -> Found {
    let mut found = Found::default();
    for rule in rules {
        match &rule.each {
            None => one(rule, &Seen { scene, it: None }, subject, &mut found),
            Some(names) => {
                let present = names.iter().filter(|n| scene.has_counter(n));
                let before = found.not_judged.len();
                let mut tried = false;
                for it in present {
                    tried = true;
                    let it = Some(it.as_str());
                    one(rule, &Seen { scene, it }, subject, &mut found);
                }
                found.not_judged[before..].sort();
                merge(&mut found.not_judged, before);
                let offered = names.iter().any(|n| scene.offers(n));
                if !tried && offered && rule.kind == Kind::Audit {
                    found.not_judged.push(NotJudged {
                        rule: rule.id.clone(),
                        subject: subject.to_owned(),
                        missing: rule.each_pattern.iter().cloned().collect(),
                    });
                }
            }
        }
    }
    found
}

/// A rule that several counters leave open is listed once.
fn merge(list: &mut Vec<NotJudged>, from: usize) {
    let mut missing: Vec<String> = list[from..]
        .iter()
        .flat_map(|n| n.missing.clone())
        .collect();
    missing.sort();
    missing.dedup();
    list.truncate(list.len().min(from + 1));
    if let Some(first) = list.get_mut(from) {
        first.missing = missing;
    }
}

/// Evidence of a condition that holds, without what only asks whether a figure is there, and without
/// what has no value: as the condition holds, the rest settles it.
fn figures_of(evidence: &str) -> String {
    let parts = evidence.split("; ");
    let figures = parts.filter(|p| !p.starts_with("known.") && !p.contains(UNKNOWN));
    let figures: Vec<&str> = figures.collect();
    match figures.is_empty() {
        true => evidence.to_owned(),
        false => figures.join("; "),
    }
}

fn one(rule: &Rule, seen: &Seen<'_>, subject: &str, found: &mut Found) {
    let lookup = |name: &str| seen.value(name);
    let text = seen.scene.text();
    let lacking: Vec<&String> = rule
        .needs
        .iter()
        .filter(|n| seen.value(n).is_none())
        .collect();
    let holds = rule.when.eval_with(&lookup, text);
    if holds == Some(false) {
        return;
    }
    if holds.is_none() || !lacking.is_empty() {
        if rule.kind == Kind::Audit {
            let (names, _) = rule.when.missing(&lookup, text);
            let names = names.into_iter().chain(lacking.iter().map(|n| n.as_str()));
            // What has no value has no digits either; the figure itself is what is missing.
            let names = names.filter(|n| !n.starts_with("res."));
            let mut missing: Vec<String> =
                names.map(|n| substitute(n, seen.it).into_owned()).collect();
            missing.sort();
            missing.dedup();
            // A counter that the tool does not have is no gap in its report.
            if !missing.iter().all(|n| seen.scene.offers(n)) {
                return;
            }
            found.not_judged.push(NotJudged {
                rule: rule.id.clone(),
                subject: subject.to_owned(),
                missing,
            });
        }
        return;
    }
    found.findings.push(finding(rule, seen, subject));
}

fn finding(rule: &Rule, seen: &Seen<'_>, subject: &str) -> FindingView {
    let lookup = |name: &str| seen.value(name);
    let text = seen.scene.text();
    let mut used = Used {
        seen,
        figures: Vec::new(),
    };
    used.condition(&rule.when);
    used.template(&rule.message);
    let evidence = |c: &Condition| figures_of(&c.evidence(&lookup, text));
    let mut shown = match seen.it {
        Some(it) => format!("{it}: {}", evidence(&rule.when)),
        None => evidence(&rule.when),
    };
    let mut message = rule.message.fill(seen, "no value");
    let mut message_zh = rule.message_zh.fill(seen, "无值");
    for also in &rule.also {
        if also.when.eval_with(&lookup, text) != Some(true) {
            continue;
        }
        message = format!("{message}; {}", also.message.fill(seen, "no value"));
        message_zh = format!("{message_zh}；{}", also.message_zh.fill(seen, "无值"));
        shown = format!("{shown}; {}", evidence(&also.when));
        used.condition(&also.when);
        used.template(&also.message);
    }
    let optional = |t: &Option<Template>, none: &str| {
        t.as_ref().map(|t| t.fill(seen, none)).unwrap_or_default()
    };
    FindingView {
        rule: rule.id.clone(),
        kind: rule.kind.name().to_owned(),
        severity: rule.severity.name().to_owned(),
        subject: subject.to_owned(),
        message,
        message_zh,
        advice: optional(&rule.advice, "no value"),
        advice_zh: optional(&rule.advice_zh, "无值"),
        counters: used.figures,
        evidence: shown,
        source: rule.source.clone(),
        source_zh: rule.source_zh.clone(),
        of: Vec::new(),
    }
}

/// The figures that a finding rests on, each once.
struct Used<'a> {
    seen: &'a Seen<'a>,
    figures: Vec<UsedFigure>,
}

impl Used<'_> {
    fn condition(&mut self, condition: &Condition) {
        for name in condition.names() {
            self.add(name);
        }
    }

    fn template(&mut self, template: &Template) {
        for name in template.names() {
            self.add(name);
        }
    }

    fn add(&mut self, name: &str) {
        // What a printed digit is worth, or that a figure is there, is no figure of its own.
        if name.split('.').any(|part| part == "res") || name.starts_with("known.") {
            return;
        }
        let Some(value) = self.seen.value(name) else {
            return;
        };
        let name = substitute(name, self.seen.it).into_owned();
        if self.figures.iter().any(|f| f.name == name) {
            return;
        }
        let unit = self
            .seen
            .scene
            .unit(&name)
            .unwrap_or_else(|| "1".to_owned());
        self.figures.push(UsedFigure { name, value, unit });
    }
}

#[cfg(test)]
mod tests {
    use super::figures_of;

    #[test]
    fn what_has_no_value_is_no_evidence_where_the_rest_settles_it() {
        let all = "known.verdict.faster = 0 == 0; a has no value, unknown whether < 1; \
                   change.x = -6 <= -5; b = 2, unknown whether > c (no value)";
        assert_eq!(figures_of(all), "change.x = -6 <= -5");
        let none = "known.a = 1 == 1";
        assert_eq!(figures_of(none), none);
    }
}
