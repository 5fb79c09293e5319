//! The gates that rest on a verdict against the champion.

use crate::record::{GateResult, VerdictKind, WorkloadVerdict};
use crate::units::format_percent;

use super::{Champion, State};

/// The verdict against the present champion is FASTER.
pub const VERDICT: &str = "verdict";
/// No workload is proven slower beyond the guard.
pub const GUARD: &str = "workload-guard";

fn gate(name: &str, pass: Option<bool>, evidence: impl Into<String>) -> GateResult {
    GateResult {
        name: name.into(),
        pass,
        evidence: evidence.into(),
    }
}

/// The gates that rest on the newest verdict of a variant, held against the present champion.
pub fn verdict_gates(state: &State, name: &str) -> Vec<GateResult> {
    let against = match state.champion() {
        Champion::None => {
            return vec![gate(
                VERDICT,
                Some(true),
                "there is no champion to beat yet",
            )];
        }
        Champion::Contested(_) => {
            return vec![gate(
                VERDICT,
                Some(false),
                "the champion is contested; settle that first",
            )];
        }
        Champion::Holder(head) => &head.variant,
    };
    let found = state.variant(name).and_then(|v| state.verdict(v.verdict));
    let Some(v) = found else {
        return vec![gate(
            VERDICT,
            None,
            format!("not measured against the champion {against}"),
        )];
    };
    if v.a != *against {
        return vec![gate(
            VERDICT,
            Some(false),
            format!("measured against {}, and the champion is {against}", v.a),
        )];
    }
    let word = format!("{}: {}", v.verdict.name(), v.reason);
    vec![
        gate(VERDICT, Some(v.verdict == VerdictKind::Faster), word),
        guard(v.guard, &v.workloads),
    ]
}

fn guard(guard: f64, workloads: &[WorkloadVerdict]) -> GateResult {
    let slow: Vec<&str> = (workloads.iter())
        .filter(|w| w.guard_broken)
        .map(|w| w.workload.as_str())
        .collect();
    let bound = format_percent(guard);
    let evidence = match slow.as_slice() {
        [] => format!("no workload is proven more than {bound} slower"),
        slow => format!("proven slower beyond {bound}: {}", slow.join(", ")),
    };
    gate(GUARD, Some(slow.is_empty()), evidence)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Maker;
    use super::super::row;
    use super::*;
    use crate::record::DecisionKind::Accept;

    #[test]
    fn the_guard_is_written_as_in_the_campaign_file() {
        // 0.07 times 100 is 7.000000000000001.
        let all = guard(0.07, &[]);
        assert_eq!(all.evidence, "no workload is proven more than 7 % slower");
    }

    #[test]
    fn a_variant_that_nobody_has_decided_on_has_the_gates_of_its_verdict() {
        let mut m = Maker::new();
        for name in ["old", "new", "idle"] {
            m.variant(name, &[]);
        }
        for name in ["old", "new"] {
            m.run(name, None);
            m.check(name, &[("right", Some(true))]);
        }
        m.decide("old", Accept, &[]);
        m.measure("old", "new", (8.0, 9.0), VerdictKind::Slower);
        let state = State::fold("gemm", m.records);
        let of = |name: &str| -> Vec<(String, Option<bool>)> {
            let row = row(&state, name).unwrap();
            row.gates.into_iter().map(|g| (g.name, g.pass)).collect()
        };
        let gate = |name: &str, pass| (name.to_owned(), Some(pass));
        assert_eq!(
            of("new"),
            [gate("right", true), gate(VERDICT, false), gate(GUARD, true)]
        );
        // The champion is held against nothing, and of what never ran nothing is said.
        assert_eq!(of("old"), [gate("right", true)]);
        assert_eq!(of("idle"), []);
    }
}
