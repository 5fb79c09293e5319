//! Whether every figure of a report is what the record beside it says.

use assay_core::fold::State;
use assay_core::record::{Body, CLAIMED_TIME, Measurement, Verdict, WorkloadVerdict};
use assay_core::text::inert;
use assay_core::{Record, RecordId, predict};
use assay_report::{CitedFigure, ReportModel, cited};

/// Figures that are listed; more are counted.
const MOST: usize = 20;

/// Figures that the record beside them does not hold, or holds otherwise, each on one line.
pub(super) fn miscited(state: &State, model: &ReportModel) -> Vec<String> {
    let figures = cited(model);
    let found = figures.iter().filter_map(|f| {
        let why = wrong(state, f)?;
        let of = [&f.variant, &f.workload, &f.metric].into_iter();
        let of: Vec<&str> = of.map(String::as_str).filter(|t| !t.is_empty()).collect();
        let line = format!("{} {}: {why}", of.join(", "), f.value);
        Some(inert(&line).into_owned())
    });
    let mut found: Vec<String> = found.collect();
    let more = found.len().saturating_sub(MOST);
    if more > 0 {
        found.truncate(MOST);
        found.push(format!("(+{more})"));
    }
    found
}

/// What is wrong with the record that a figure cites; nothing where it holds the figure, and for what is
/// read again elsewhere: logs, tables and notes.
fn wrong(state: &State, f: &CitedFigure) -> Option<String> {
    // Words about a record, and cells as they were filed, are no figures of it.
    if matches!(f.unit.as_str(), "text" | "as printed") {
        return None;
    }
    if f.record.is_empty() {
        return (!f.variant.is_empty()).then(|| "no record beside it".into());
    }
    // A device file is no record.
    let id: RecordId = f.record.parse().ok()?;
    let Some(record) = state.get(id) else {
        return Some(format!("record {id} is not in this ledger"));
    };
    let held = match held(state, record, f)? {
        Ok(value) => value,
        Err(why) => return Some(format!("{} {id} {why}", record.body.kind())),
    };
    let is_same = f.value.parse::<f64>().is_ok_and(|v| Some(v) == held);
    (!is_same).then(|| match held {
        Some(value) => format!("{} {id} says {value}", record.body.kind()),
        None => format!("{} {id} has no such figure", record.body.kind()),
    })
}

/// What a record says of a figure, or why it is of something else; nothing for records whose figures
/// are not held against them here.
fn held(state: &State, record: &Record, f: &CitedFigure) -> Option<Result<Option<f64>, String>> {
    let is = |name: &str| match name == f.variant {
        true => Ok(()),
        false => Err(format!("is of {}", inert(name))),
    };
    let is_change = f.metric.starts_with(CHANGE);
    Some(match &record.body {
        Body::Measurement(m) => [&m.a.name, &m.b.name]
            .contains(&&f.variant)
            .then(|| median(m, f))
            .ok_or_else(|| format!("is of {} and {}", inert(&m.a.name), inert(&m.b.name))),
        Body::Verdict(v) if is_change => is(&v.b).map(|()| {
            let prediction = predict::parse(f.metric.strip_prefix(CHANGE)?).ok()?;
            predict::outcome(&prediction, Some(1.0), v.ratio).observed_percent
        }),
        Body::Verdict(v) => is(&v.b)
            .and_then(|()| against(v, f))
            .map(|()| of_verdict(v, f)),
        Body::Decision(d) if is_change => is(&d.variant).map(|()| {
            let text = f.metric.strip_prefix(CHANGE).unwrap_or_default();
            let known = d.predictions.iter();
            let mut known = known.filter(|o| predict::format(&o.prediction) == text);
            known.next().and_then(|o| o.observed_percent)
        }),
        Body::Check(c) => is(&c.subject.name).map(|()| {
            let result = c.results.iter().find(|r| r.workload == f.workload)?;
            match f.metric.as_str() {
                "max_abs_error" => result.max_abs_error,
                "max_rel_error" => result.max_rel_error,
                _ => None,
            }
        }),
        Body::Source(s) => is(&s.subject.name).map(|()| match is_change {
            true => change(state, record, f),
            false => s.facts.get(&f.metric).map(|x| x.value),
        }),
        Body::Profile(p) => is(&p.subject.name).map(|()| match f.metric.as_str() {
            _ if is_change => change(state, record, f),
            _ if !f.workload.is_empty() && p.workload != f.workload => None,
            "median" => p.counters.get(CLAIMED_TIME).map(|x| x.value),
            name => p.counters.get(name).map(|x| x.value),
        }),
        _ => return None,
    })
}

/// How the rows of predictions begin.
const CHANGE: &str = "change for ";

fn median(m: &Measurement, f: &CitedFigure) -> Option<f64> {
    let mut of = (m.summary.iter()).filter(|s| s.subject == f.variant && s.workload == f.workload);
    of.next()
        .map(|s| s.median_ns)
        .filter(|_| f.metric == "median")
}

/// The reference that the row names is the one that the verdict is against.
fn against(v: &Verdict, f: &CitedFigure) -> Result<(), String> {
    let Some(said) = f.source.strip_prefix("verdict against ") else {
        return Ok(());
    };
    match said == v.a
        || said
            .strip_prefix(&v.a)
            .is_some_and(|rest| rest.starts_with(" by "))
    {
        true => Ok(()),
        false => Err(format!("is against {}", inert(&v.a))),
    }
}

fn of_verdict(v: &Verdict, f: &CitedFigure) -> Option<f64> {
    if f.workload.is_empty() {
        return match f.metric.as_str() {
            "ratio" => v.ratio,
            "ratio_low" => v.interval.map(|i| i[0]),
            "ratio_high" => v.interval.map(|i| i[1]),
            "processes" => Some(f64::from(v.processes)),
            "delta" => Some(v.delta),
            _ => None,
        };
    }
    let w: &WorkloadVerdict = v.workloads.iter().find(|w| w.workload == f.workload)?;
    match f.metric.as_str() {
        "ratio" => w.ratio,
        "ratio_low" => w.interval.map(|i| i[0]),
        "ratio_high" => w.interval.map(|i| i[1]),
        "reference_median" => w.a_median_ns,
        "paired_median" => w.b_median_ns,
        "weight" => Some(w.weight),
        _ => None,
    }
}

/// A change that follows from the record of the parent, which the row names, and that of the variant.
fn change(state: &State, after: &Record, f: &CitedFigure) -> Option<f64> {
    let before = f
        .source
        .strip_prefix("beside ")?
        .split_whitespace()
        .next()?;
    let before = state.get(before.parse().ok()?)?;
    let text = f.metric.strip_prefix(CHANGE)?;
    let prediction = predict::parse(text).ok()?;
    let figure = |r: &Record| match &r.body {
        Body::Profile(p) => p.counters.get(&prediction.counter).map(|x| x.value),
        Body::Source(s) => s.facts.get(&prediction.counter).map(|x| x.value),
        _ => None,
    };
    predict::outcome(&prediction, figure(before), figure(after)).observed_percent
}

#[cfg(test)]
mod tests {
    use assay_core::fold::{BranchTip, list_view, show_view};
    use assay_core::record::{BlobRef, ContentKey, Role, Subject, VerdictKind};
    use assay_core::{Sha256, Timestamp};
    use assay_report::{Lang, ReportModel};
    use serde_json::json;

    use super::*;

    fn subject(name: &str) -> Subject {
        let sha = Sha256::of(name.as_bytes());
        Subject {
            name: name.into(),
            role: match name {
                "ref" => Role::Baseline,
                _ => Role::Variant,
            },
            dirty: false,
            commit: None,
            key: ContentKey {
                kernel: sha,
                recipe: sha,
                toolchain: sha,
                device: sha,
                evaluator: sha,
            },
        }
    }

    /// A measurement of `b` against `a` with its verdict.
    fn measured(a: &str, b: &str, times: [f64; 2], log: &mut Vec<Record>) {
        let at = |n: usize| Timestamp::from_millisecond(1_790_000_000_000 + n as i64).unwrap();
        let blob = BlobRef {
            sha256: Sha256::of(b"samples"),
            bytes: 7,
            name: "samples.jsonl".into(),
        };
        let summary = |name: &str, ns: f64| json!({"workload": "w", "subject": name, "n": 8, "median_ns": ns, "min_ns": ns, "mad_ns": 0.0});
        let run = RecordId::fresh(at(log.len()));
        let m = json!({
            "run": run, "a": subject(a), "b": subject(b), "mode": "pair", "timer": "t",
            "cache": "hot", "protocol": 1, "processes": 8, "samples": blob,
            "summary": [summary(a, times[0]), summary(b, times[1])], "tick_ns": 1.0,
        });
        let m = Body::Measurement(serde_json::from_value(m).unwrap());
        let m = Record::new(at(log.len()), "x", "c", m);
        let ratio = times[1] / times[0];
        let interval = [ratio * 0.99, ratio * 1.01];
        let v = json!({
            "run": run, "a": a, "b": b, "measurement": m.id, "procedure": "paired-t/2",
            "policy": "assay", "delta": 0.01, "guard": 0.02, "null_pair": false, "processes": 8,
            "ratio": ratio, "interval": interval, "verdict": VerdictKind::Faster,
            "reason": "it is", "workloads": [{"workload": "w", "weight": 1.0, "ratio": ratio,
                "interval": interval, "a_median_ns": times[0], "b_median_ns": times[1],
                "guard_broken": false}],
        });
        let v = Body::Verdict(serde_json::from_value(v).unwrap());
        let v = Record::new(at(log.len() + 1), "x", "c", v);
        log.extend([m, v]);
    }

    fn model(state: &State) -> ReportModel {
        let mut m = ReportModel::new(list_view(state, &[]));
        let names = m.list.variants.iter().map(|v| v.name.clone());
        m.shows = names
            .map(|n| show_view(state, &n, BranchTip::default()).unwrap())
            .collect();
        m
    }

    /// `four` against `plain`, and later against the baseline `ref`.
    fn again() -> (State, [RecordId; 4]) {
        let mut log = Vec::new();
        measured("plain", "four", [100.0, 26.0], &mut log);
        measured("ref", "four", [101.0, 26.5], &mut log);
        let ids = [log[0].id, log[1].id, log[2].id, log[3].id];
        (State::fold("c", log), ids)
    }

    #[test]
    fn figures_cite_the_record_that_they_are_from_and_not_the_newest() {
        let (state, [m, v, ..]) = again();
        let model = model(&state);
        assert_eq!(miscited(&state, &model), Vec::<String>::new());
        let records: Vec<_> = (cited(&model).into_iter())
            .filter(|f| f.variant == "four")
            .map(|f| (f.metric, f.record))
            .collect();
        assert!(records.len() > 6, "{records:?}");
        for (metric, record) in records {
            let from = if metric == "median" { m } else { v };
            assert_eq!(record, from.to_string(), "{metric}");
        }
    }

    #[test]
    fn a_figure_that_cites_another_record_is_found() {
        let (state, [m, v, later_m, later_v]) = again();
        let of_four = |change: &dyn Fn(&mut assay_core::view::ShowView)| {
            let mut wrong = model(&state);
            let show = wrong.shows.iter_mut().find(|s| s.variant.name == "four");
            change(show.unwrap());
            wrong.miscited = Some(miscited(&state, &wrong));
            let all = assay_report::check::check(&wrong, Lang::En);
            let cited = assay_report::check::Rule::Cited;
            let checked = all.into_iter().find(|c| c.rule == cited).unwrap();
            assert_eq!(checked.holds, Some(false));
            checked.found
        };
        let found = of_four(&|s| s.records.verdict = Some(later_v.to_string()));
        assert!(found.len() > 6, "{found:#?}");
        let says = format!("four, ratio 0.26: verdict {later_v} is against ref");
        assert!(found.contains(&says), "{found:#?}");
        let found = of_four(&|s| s.records.measurement = Some(later_m.to_string()));
        assert_eq!(
            found,
            [format!(
                "four, w, median 26: measurement {later_m} says 26.5"
            )]
        );
        let found = of_four(&|s| s.records.measurement = Some(v.to_string()));
        assert_eq!(
            found,
            [format!(
                "four, w, median 26: verdict {v} has no such figure"
            )]
        );
        let found = of_four(&|s| s.records.verdict = Some(m.to_string()));
        assert!(
            found[0].ends_with(&format!("measurement {m} has no such figure")),
            "{found:#?}"
        );
        let found = of_four(&|s| s.records.verdict = None);
        assert!(found[0].ends_with("no record beside it"), "{found:#?}");
        let gone = RecordId::fresh(Timestamp::UNIX_EPOCH).to_string();
        let found = of_four(&|s| s.records.measurement = Some(gone.clone()));
        assert!(found[0].ends_with("is not in this ledger"), "{found:#?}");
    }
}
