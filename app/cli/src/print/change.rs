//! Figures as text: ratios with intervals, gates, and changes with a sign.

use assay_core::view::{GateView, VariantRow};

/// What stands where there is no figure.
pub const ABSENT: &str = "-";

/// A ratio with its interval, `0.913 [0.905, 0.921]`.
pub fn ratio(ratio: Option<f64>, interval: Option<[f64; 2]>) -> String {
    match (ratio, interval) {
        (Some(r), Some([low, high])) => format!("{r:.3} [{low:.3}, {high:.3}]"),
        (Some(r), None) => format!("{r:.3}"),
        _ => ABSENT.into(),
    }
}

/// A relative change in percent with its sign.
pub fn percent(change: Option<f64>) -> String {
    change.map_or(ABSENT.into(), |c| format!("{c:+.2} %"))
}

/// Gates in short: how many passed, and the names of those that did not.
pub fn gates(gates: &[GateView]) -> String {
    if gates.is_empty() {
        return ABSENT.into();
    }
    let passed = gates.iter().filter(|g| g.pass == Some(true)).count();
    let mut text = format!("{passed}/{}", gates.len());
    let named = |want: Option<bool>| -> Vec<&str> {
        gates
            .iter()
            .filter(|g| g.pass == want && g.overridden.is_none())
            .map(|g| g.name.as_str())
            .collect()
    };
    let (failed, unknown) = (named(Some(false)), named(None));
    let overridden: Vec<&str> = gates
        .iter()
        .filter(|g| g.overridden.is_some())
        .map(|g| g.name.as_str())
        .collect();
    for (word, names) in [
        ("failed", failed),
        ("unknown", unknown),
        ("overridden", overridden),
    ] {
        if !names.is_empty() {
            text.push_str(&format!(" {word}: {}", names.join(", ")));
        }
    }
    text
}

/// The geometric mean of a variant's medians in nanoseconds; absent when a workload is missing.
pub fn geomean_ns(row: &VariantRow, workloads: &[String]) -> Option<f64> {
    if workloads.is_empty() {
        return None;
    }
    let logs: Option<Vec<f64>> = workloads
        .iter()
        .map(|w| row.median_ns.get(w).map(|m| m.ln()))
        .collect();
    logs.map(|l| (l.iter().sum::<f64>() / l.len() as f64).exp())
}

/// The decision or the failure of a variant in a few words.
pub fn outcome(row: &VariantRow) -> String {
    match (&row.decision, &row.failure) {
        (Some(d), _) => format!("{}: {}", d.kind, d.reason),
        (None, Some(f)) => format!("{} in {}: {}", f.kind, f.stage, f.message),
        (None, None) => ABSENT.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(name: &str, pass: Option<bool>) -> GateView {
        GateView {
            name: name.into(),
            pass,
            evidence: String::new(),
            overridden: None,
        }
    }

    #[test]
    fn unknown_gates_are_not_counted_as_passed() {
        let text = gates(&[
            gate("correct", Some(true)),
            gate("spills", None),
            gate("size", Some(false)),
        ]);
        assert_eq!(text, "1/3 failed: size unknown: spills");
    }

    #[test]
    fn an_absent_ratio_is_not_zero() {
        assert_eq!(ratio(None, None), "-");
        assert_eq!(
            ratio(Some(0.9128), Some([0.9, 0.92])),
            "0.913 [0.900, 0.920]"
        );
    }
}
