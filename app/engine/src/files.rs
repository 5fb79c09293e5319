//! A verdict on raw samples, which needs no campaign.

use std::collections::BTreeMap;
use std::path::Path;

use assay_core::Sha256;
use assay_core::campaign::Policy;
use assay_core::record::{VerdictKind, proven};
use assay_core::text::nearest;
use assay_core::units::Ratio;
use assay_core::view::{CyclesView, FalseAcceptsView, SplitView, VerdictView, WorkloadVerdictView};
use assay_exec::conditions::common_regime;
use assay_stats::resample::procedure_of;
use assay_stats::{Problem, Samples, Settings};
use serde_json::Value;

use crate::Cancel;
use crate::error::{Error, Result};
use crate::input::{self, Text};
use crate::run::measure::plain_name;
use crate::run::ruling::{self, Ruling};
use crate::workbench::Workbench;

mod rate;

/// How raw samples are judged, as on the command line.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    /// The effect that matters, e.g. `1%`.
    pub delta: &'a str,
    /// Policy.
    pub policy: &'a str,
    /// Least gain of the policy `threshold`, e.g. `3%`.
    pub threshold: Option<&'a str>,
}

impl Default for Rule<'_> {
    fn default() -> Self {
        Self {
            delta: "1%",
            policy: Policy::Assay.name(),
            threshold: None,
        }
    }
}

impl Rule<'_> {
    /// The policy, its procedure and its settings.
    fn resolve(&self) -> Result<(Policy, &'static str, Settings)> {
        let known = || Policy::ALL.iter().map(|p| p.name());
        let found = Policy::from_name(self.policy);
        let named = found.and_then(|p| Some((p, procedure_of(p.name())?)));
        let Some((policy, procedure)) = named else {
            let hint = match nearest(self.policy, known()) {
                Some(n) => format!("did you mean `{n}`?"),
                None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            };
            return Err(Error::input(format!("--policy: no policy `{}`", self.policy)).hint(hint));
        };
        let share = |flag: &str, text: &str| -> Result<f64> {
            let ratio: Ratio = text
                .parse()
                .map_err(|e| Error::input(format!("{flag}: {e}")))?;
            Ok(ratio.0)
        };
        let mut settings = Settings {
            delta: share("--delta", self.delta)?,
            ..Settings::default()
        };
        if let Some(text) = self.threshold {
            if policy != Policy::Threshold {
                let what = format!("--threshold: policy `{}` has none", policy.name());
                return Err(Error::input(what).hint("--policy threshold"));
            }
            settings.gain = share("--threshold", text)?;
        }
        Ok((policy, procedure, settings))
    }
}

/// The decision procedure on raw samples, as the harness writes them.
///
/// # Errors
/// When the file cannot be read, a subject is not in it, or the rule is not sound.
pub fn verdict(
    bench: Option<&Workbench>,
    path: &Path,
    a: &str,
    b: &str,
    rule: &Rule<'_>,
) -> Result<VerdictView> {
    let (policy, procedure, settings) = rule.resolve()?;
    let Text { text, notice } = input::text(path, input::WHOLE, &Cancel::new())?;
    // Some editors put a mark of the encoding before the first line.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (samples, problems) = Samples::parse_jsonl(text);
    if samples.legs().is_empty() && !problems.is_empty() {
        let lines: Vec<String> = (problems.iter().take(3))
            .map(|p| format!("\n  {p}"))
            .collect();
        let more = match problems.len().saturating_sub(3) {
            0 => String::new(),
            n => format!("\n  and {n} more"),
        };
        return Err(Error::input(format!(
            "{}: no line of it can be used:{}{more}",
            path.display(),
            lines.concat()
        ))
        .hint("each line is one answer of kind `samples`, as a harness writes it"));
    }
    let subjects = samples.subjects();
    let find = |name: &str| -> Result<String> {
        let matching: Vec<&&str> = subjects
            .iter()
            .filter(|s| **s == name || plain_name(s) == name)
            .collect();
        match matching.as_slice() {
            [one] => Ok((**one).to_owned()),
            [] => Err(absent(path, text, name, &subjects, &problems)),
            several => Err(
                Error::input(format!("`{name}` fits {} subjects", several.len()))
                    .hint(format!("subjects in the file: {}", subjects.join(", "))),
            ),
        }
    };
    let (ida, idb) = (find(a)?, find(b)?);
    let settings = conditions(text, &samples.processes(), settings);
    let ruling = ruling::rule(procedure, &samples, [&ida, &idb], &settings, None)
        .map_err(|e| Error::input(e.to_string()))?;
    let mut cycles = ruling.cycles();
    let Ruling {
        judgement: mut j,
        mut split,
    } = ruling;
    if let Some(first) = problems.first() {
        // What is left could say anything: which lines are missing is not known to be chance.
        j.kind = VerdictKind::Invalid;
        (j.ratio, j.interval) = (None, None);
        j.workloads.clear();
        j.wins.clear();
        j.losses.clear();
        (split, cycles) = (None, None);
        let (n, lines) = match problems.len() {
            1 => (1, "line"),
            n => (n, "lines"),
        };
        j.reason = format!("{n} {lines} of samples cannot be used; the first: {first}");
        j.next = "find out why those lines are as they are, and measure again".into();
    }
    let mut warnings = j.warnings;
    warnings.extend(notice);
    warnings.extend(
        problems
            .iter()
            .take(8)
            .map(|p| format!("{}: {p}", path.display())),
    );
    if problems.len() > 8 {
        warnings.push(format!(
            "{}: {} further problems",
            path.display(),
            problems.len() - 8
        ));
    }
    let known = match bench.map(Workbench::state) {
        Some(Ok(state)) => rate::of(&state, Sha256::of(text), policy, procedure, &settings),
        _ => Err("the samples do not say which machine measured them".to_owned()),
    };
    if let Err(why) = &known {
        warnings.push(format!(
            "the noise floor, and how often policy {} accepts a change that does nothing, are not known: {why}; \
             `assay run` judges by the calibration of its own machine, which `assay calibrate --noise` makes",
            policy.name()
        ));
    }
    let known = known.ok();
    let told: Option<[&[String]; 2]> = Some([&j.wins, &j.losses]);
    let [wins, losses] = proven(j.kind, told, &j.workloads, settings.delta);
    Ok(VerdictView {
        schema: "assay.verdict/1".into(),
        a: a.into(),
        b: b.into(),
        policy: policy.name().into(),
        procedure: procedure.into(),
        delta: settings.delta,
        processes: j.processes,
        ratio: j.ratio,
        interval: j.interval,
        verdict: j.kind.name().into(),
        reason: j.reason,
        next: j.next,
        workloads: j.workloads.iter().map(WorkloadVerdictView::from).collect(),
        warnings,
        gain: (policy == Policy::Threshold).then_some(settings.gain),
        false_accepts: known.as_ref().map(|(_, rate)| FalseAcceptsView::from(rate)),
        regime: settings.regime,
        cycles: cycles.as_ref().map(CyclesView::from),
        wins,
        losses,
        split: split.as_ref().map(SplitView::from),
        control: None,
        level: j.interval.map(|_| j.level).filter(|level| *level > 0.0),
        calibration: known.map(|(id, _)| id.to_string()),
    })
}

/// Why there are no samples of a subject: it is not in the file, or none of its lines can be used.
fn absent(path: &Path, text: &str, name: &str, subjects: &[&str], problems: &[Problem]) -> Error {
    let lines: Vec<&str> = text.lines().collect();
    let is_of = |p: &&Problem| {
        let line = p.line.checked_sub(1).and_then(|i| lines.get(i));
        let line = line.and_then(|l| serde_json::from_str::<Value>(l).ok());
        let of = line.as_ref().and_then(|l| l.get("subject")?.as_str());
        of.is_some_and(|of| of == name || plain_name(of) == name)
    };
    let path = path.display();
    let rejected: Vec<&Problem> = problems.iter().filter(is_of).collect();
    if let Some(first) = rejected.first() {
        let what = match rejected.len() {
            1 => format!("the only line of `{name}` cannot be used"),
            n => format!("none of the {n} lines of `{name}` can be used; the first"),
        };
        return Error::input(format!("{path}: {what}: {first}"))
            .hint("find out why those lines are as they are, and measure again");
    }
    let hint = match subjects {
        [] => "the file has no line of samples".to_owned(),
        some => format!("subjects in the file: {}", some.join(", ")),
    };
    Error::input(format!("{path}: no samples of `{name}`")).hint(hint)
}

/// The settings with what a runner noted of the conditions: lines of kind `judged`.
fn conditions(text: &str, processes: &[u32], settings: Settings) -> Settings {
    let mut regimes: BTreeMap<u64, Option<String>> = BTreeMap::new();
    let mut locked: Vec<bool> = Vec::new();
    for line in text.lines().filter(|l| l.contains("\"judged\"")) {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let Some(process) = line.get("process").and_then(Value::as_u64) else {
            continue;
        };
        if line.get("kind").and_then(Value::as_str) == Some("judged") {
            let regime = line.get("regime").and_then(Value::as_str);
            regimes.insert(process, regime.map(str::to_owned));
            locked.extend(line.get("clocks_locked").and_then(Value::as_bool));
        }
    }
    let of = |p: &u32| regimes.get(&u64::from(*p)).and_then(Option::as_deref);
    Settings {
        regime: common_regime(processes.iter().map(of)),
        clocks_locked: (!locked.is_empty()).then(|| locked.iter().all(|l| *l)),
        ..settings
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(process: u32, block: u32, leg: u32, values: &str) -> String {
        let subject = if matches!(leg, 0 | 3) {
            "A-old"
        } else {
            "B-new"
        };
        format!(
            r#"{{"assay":1,"kind":"samples","workload":"w","subject":"{subject}","process":{process},"block":{block},"leg":{leg},"unit":"ns","values":{values}}}"#
        )
    }

    fn judged(more: &[String]) -> Result<VerdictView> {
        let mut lines = Vec::new();
        for (process, leg) in (1..=4).flat_map(|p| (0..4).map(move |l| (p, l))) {
            let ns = if matches!(leg, 0 | 3) { 1000 } else { 800 };
            lines.push(line(process, 0, leg, &format!("[{}]", ns + process)));
        }
        lines.extend_from_slice(more);
        of(&lines.join("\n"))
    }

    fn of(text: &str) -> Result<VerdictView> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        fs::write(&path, text).unwrap();
        verdict(None, &path, "old", "new", &Rule::default())
    }

    fn by(rule: Rule<'_>) -> Result<VerdictView> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        let mut lines = Vec::new();
        for (process, leg) in (1..=4).flat_map(|p| (0..4).map(move |l| (p, l))) {
            let ns = if matches!(leg, 0 | 3) { 1000 } else { 980 };
            lines.push(line(process, 0, leg, &format!("[{}]", ns + process)));
        }
        fs::write(&path, lines.join("\n")).unwrap();
        verdict(None, &path, "old", "new", &rule)
    }

    #[test]
    fn each_policy_judges_by_its_own_procedure() {
        let of = |policy, threshold| {
            let rule = Rule {
                policy,
                threshold,
                ..Rule::default()
            };
            let v = by(rule).unwrap();
            (v.verdict, v.procedure, v.gain)
        };
        let word = |verdict: &str, procedure: &str, gain| (verdict.into(), procedure.into(), gain);
        assert_eq!(of("assay", None), word("FASTER", "paired-t/2", None));
        let lower = word("FASTER", "median-lower/1", None);
        assert_eq!(of("median-lower", None), lower);
        let ranks = word("FASTER", "mann-whitney/1", None);
        assert_eq!(of("mann-whitney", None), ranks);
        // A gain of 2 % is below the threshold of 3 %, and above one of 1 %.
        let default = word("NO_GAIN", "threshold/1", Some(0.03));
        assert_eq!(of("threshold", None), default);
        let low = word("FASTER", "threshold/1", Some(0.01));
        assert_eq!(of("threshold", Some("1%")), low);
    }

    #[test]
    fn a_policy_that_is_not_known_and_a_threshold_without_use_are_refused() {
        let says = |rule, text: &str| {
            let error = by(rule).unwrap_err();
            assert_eq!(error.kind, crate::Kind::Input);
            assert!(error.to_string().contains(text), "{error}");
        };
        let rule = Rule::default();
        let near = "did you mean `median-lower`?";
        says(
            Rule {
                policy: "median-lowe",
                ..rule
            },
            near,
        );
        says(
            Rule {
                policy: "vibes",
                ..rule
            },
            "there are assay, median-lower",
        );
        let none = "policy `assay` has none";
        says(
            Rule {
                threshold: Some("3%"),
                ..rule
            },
            none,
        );
        let bad = Rule {
            policy: "threshold",
            threshold: Some("three"),
            ..rule
        };
        says(bad, "--threshold: ");
    }

    #[test]
    fn a_line_that_cannot_be_used_makes_the_verdict_invalid() {
        assert_eq!(judged(&[]).unwrap().verdict, "FASTER");
        for bad in [
            line(5, 0, 0, "[-1]"),
            line(5, 0, 0, "[0]"),
            line(5, 0, 0, "[NaN]"),
            line(5, 0, 0, "[null]"),
            line(5, 0, 0, "[1e300]"),
            line(1, 0, 0, "[1000]"),
            "garbage".to_owned(),
        ] {
            let v = judged(std::slice::from_ref(&bad)).unwrap();
            assert_eq!(v.verdict, "INVALID", "{bad}");
            assert_eq!((v.ratio, v.interval), (None, None));
            // A leg that is claimed twice makes both claims unusable.
            let lines = if bad.contains(r#""process":1,"#) {
                "2 lines"
            } else {
                "1 line"
            };
            let begin = format!("{lines} of samples cannot be used; the first: line ");
            assert!(v.reason.starts_with(&begin), "{}", v.reason);
        }
        let v = judged(&["x".into(), "y".into()]).unwrap();
        assert!(v.reason.starts_with("2 lines of"), "{}", v.reason);
        assert!(v.reason.contains("line 17: "), "{}", v.reason);
    }

    #[test]
    fn a_subject_whose_lines_were_all_rejected_is_told_so() {
        let lines: Vec<String> = (0..4)
            .map(|leg| line(1, 0, leg, if matches!(leg, 0 | 3) { "[5]" } else { "[-1]" }))
            .collect();
        let error = of(&lines.join("\n")).unwrap_err().to_string();
        let says = "none of the 2 lines of `new` can be used; the first: line 2: ";
        assert!(error.contains(says), "{error}");
        assert!(!error.contains("subjects in the file"), "{error}");
        let error = of("").unwrap_err().to_string();
        assert!(error.contains("no line of samples"), "{error}");
        let other = lines[0].replace("A-old", "A-other");
        let error = of(&other).unwrap_err().to_string();
        assert!(error.contains("subjects in the file: A-other"), "{error}");
    }

    #[test]
    fn a_mark_of_the_encoding_is_no_damage_and_the_level_is_told() {
        let lines: Vec<String> = (1..=4)
            .flat_map(|p| (0..4).map(move |l| (p, l)))
            .map(|(p, l)| {
                line(
                    p,
                    0,
                    l,
                    &format!(
                        "[{}]",
                        if matches!(l, 0 | 3) {
                            1000 + p
                        } else {
                            800 + p
                        }
                    ),
                )
            })
            .collect();
        let marked = of(&format!("\u{feff}{}", lines.join("\n"))).unwrap();
        assert_eq!(marked.verdict, "FASTER", "{}", marked.reason);
        assert!(
            marked.level.is_some_and(|l| l > 0.9 && l < 1.0),
            "{:?}",
            marked.level
        );
        let known = marked.warnings.iter().any(|w| w.contains("are not known"));
        assert!(
            known && marked.false_accepts.is_none(),
            "{:?}",
            marked.warnings
        );
    }

    #[test]
    fn a_file_of_nothing_usable_names_the_problems() {
        let text = [line(1, 0, 0, "[-1]"), "x".into(), "y".into(), "z".into()].join("\n");
        let error = of(&text).unwrap_err().to_string();
        assert!(error.contains("no line of it can be used"), "{error}");
        assert!(
            error.contains("line 1: ") && error.contains("line 2: "),
            "{error}"
        );
        assert!(error.contains("and 1 more"), "{error}");
    }
}
