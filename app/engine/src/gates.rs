//! Whether a variant may be accepted: the campaign's gates and those that always hold.

use std::collections::BTreeMap;

use assay_core::fold::{State, Tip, evidence_gate, verdict_gates};
use assay_core::gate::GateSpec;
use assay_core::record::{Body, CheckResult, Figure, GateResult};
use assay_core::{RecordId, Sha256};

/// The evaluator was left alone. The only gate that cannot be overridden.
pub const EVALUATOR: &str = "evaluator-untouched";
pub use assay_core::fold::{EVIDENCE, GUARD, VERDICT};

/// The sanitizer that the campaign names found nothing.
pub const SANITIZER: &str = "sanitizer";
/// A block asks for no more shared memory than a MetaX card has.
pub const SHARED: &str = "device-shared";
/// A thread has no larger stack frame than a MetaX card allows.
pub const PRIVATE: &str = "device-private";
/// A block has no more threads than a MetaX card allows.
pub const THREADS: &str = "device-threads";
/// The threads of a block fill the waves of a MetaX card.
pub const WAVE: &str = "device-wave";

/// The gates that a MetaX target brings by itself.
pub const DEVICE: [&str; 4] = [SHARED, PRIVATE, THREADS, WAVE];

/// Names in a rule that speak of the oracle: when such a gate fails, the result is wrong.
const ERRORS: [&str; 2] = ["max_abs_error", "max_rel_error"];

/// Names that a campaign file cannot give to a gate of its own.
pub const RESERVED: [&str; 9] = [
    EVALUATOR, EVIDENCE, VERDICT, GUARD, SANITIZER, SHARED, PRIVATE, THREADS, WAVE,
];

fn gate(name: &str, pass: Option<bool>, evidence: impl Into<String>) -> GateResult {
    GateResult {
        name: name.into(),
        pass,
        evidence: evidence.into(),
    }
}

/// All gates of a variant as they stand.
///
/// `tip` is the content of its branch now: evidence of another content is none.
pub fn standing(state: &State, name: &str, tip: Option<Sha256>) -> Vec<GateResult> {
    let Some(v) = state.variant(name) else {
        return Vec::new();
    };
    let body = |id: Option<RecordId>| id.and_then(|id| state.get(id)).map(|r| &r.body);
    let tip = match (tip, &v.key) {
        (None, _) => Tip::Gone,
        (Some(tip), Some(key)) if tip != key.kernel => Tip::Other,
        _ => Tip::Same,
    };
    let mut gates = vec![evidence_gate(state, name, tip)];
    if let Some(Body::Check(check)) = body(v.check) {
        gates.extend(check.gates.iter().cloned().map(bare));
    }
    gates.extend(verdict_gates(state, name));
    gates
}

/// A gate without the words that messages put before its evidence; records of old carry them.
fn bare(mut gate: GateResult) -> GateResult {
    if let Some(rest) = gate.evidence.strip_prefix("no evidence: ") {
        gate.evidence = rest.to_owned();
    }
    gate
}

/// Whether the evaluator was left alone, by the protected files that a variant changed.
pub fn evaluator(touched: &[String]) -> GateResult {
    let evidence = match touched {
        [] => "no protected file differs from where the variant began".to_owned(),
        touched => format!(
            "the variant changes protected files (they were not used): {}",
            touched.join(", ")
        ),
    };
    gate(EVALUATOR, Some(touched.is_empty()), evidence)
}

/// That nobody has looked whether the evaluator was left alone: one of many in a list.
pub fn not_compared() -> GateResult {
    let why = "not looked at in a list of so many; `assay show` tells";
    gate(EVALUATOR, None, why)
}

/// A resource by its name in a rule, which may have `resource.` in front.
pub fn resource(resources: Option<&BTreeMap<String, Figure>>, name: &str) -> Option<f64> {
    let resources = resources?;
    let figure = resources.get(name);
    let figure = figure.or_else(|| resources.get(name.strip_prefix("resource.")?));
    figure.map(|f| f.value)
}

/// What a sanitizer found; without a report there is no evidence.
pub fn sanitizer(pass: Option<bool>, evidence: String) -> GateResult {
    gate(SANITIZER, pass, evidence)
}

/// Fails a gate on the oracle's figures that had none to judge by, because the result is wrong.
pub fn oracle(judged: GateResult, spec: &GateSpec, results: &[CheckResult]) -> GateResult {
    let wrong = results.iter().find(|r| !r.ok);
    match wrong {
        Some(r) if judged.pass.is_none() && about_oracle(spec) => {
            let detail = match r.detail.trim() {
                "" => String::new(),
                detail => format!(": {detail}"),
            };
            let evidence = format!(
                "the result on {} is wrong{detail}; {}",
                r.workload, judged.evidence
            );
            gate(&judged.name, Some(false), evidence)
        }
        _ => judged,
    }
}

/// Whether a gate looks at the errors that the oracle measures.
pub fn about_oracle(spec: &GateSpec) -> bool {
    let names = spec.rule.names();
    names.iter().any(|n| ERRORS.iter().any(|e| n.ends_with(e)))
}

/// The largest error of that name over all workloads; nothing when one of them has none.
pub fn worst_error(results: &[CheckResult], name: &str) -> Option<f64> {
    let pick: fn(&CheckResult) -> Option<f64> = match name {
        "max_abs_error" => |r| r.max_abs_error,
        "max_rel_error" => |r| r.max_rel_error,
        _ => return None,
    };
    let all: Option<Vec<f64>> = results.iter().map(pick).collect();
    all?.into_iter().reduce(f64::max)
}

/// The gates that stand in the way: failed ones and those without evidence.
///
/// A limit of the device of which nothing is known does not: the kernel was launched and checked.
pub fn blocking(gates: &[GateResult]) -> impl Iterator<Item = &GateResult> {
    let unknown = |g: &GateResult| g.pass.is_none() && DEVICE.contains(&g.name.as_str());
    gates
        .iter()
        .filter(move |g| g.pass != Some(true) && !unknown(g))
}

#[cfg(test)]
mod tests {
    use assay_core::gate::{Rule, judge};

    use super::*;

    #[test]
    fn a_wrong_result_without_figures_fails_the_gates_of_the_oracle_and_no_other() {
        let result = |ok| CheckResult {
            workload: "square".into(),
            max_abs_error: Some(2.0),
            max_rel_error: None,
            detail: "row 3 differs".into(),
            ok,
        };
        let judged = |rule: &str, ok| {
            let spec = GateSpec {
                name: "g".into(),
                rule: Rule::parse(rule).unwrap(),
                message: String::new(),
            };
            oracle(judge(&spec, &|_| None), &spec, &[result(ok)])
        };
        let wrong = judged("max_rel_error <= 1e-3", false);
        assert_eq!(wrong.pass, Some(false));
        assert_eq!(
            wrong.evidence,
            "the result on square is wrong: row 3 differs; max_rel_error has no value"
        );
        assert_eq!(
            judged("check[\"max_rel_error\"] < 1", false).pass,
            Some(false)
        );
        assert_eq!(judged("max_rel_error <= 1e-3", true).pass, None);
        assert_eq!(judged("spills == 0", false).pass, None);
    }
}
