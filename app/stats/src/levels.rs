//! How much of the error budget each look may spend.

use crate::tdist::normal_tail;

/// Fresh processes at which the default procedure looks.
pub const LOOKS: [u32; 3] = [4, 8, 12];

/// Two-sided levels of three equally spaced looks; together they spend about 5 %.
///
/// The O'Brien-Fleming boundary, 2.004 / sqrt(share of the data), as levels.
pub const ALPHAS: [f64; 3] = [0.0005, 0.014, 0.045];

/// The least number of processes that is ever judged.
pub const LEAST_PROCESSES: u32 = 4;

/// O'Brien-Fleming constants for 1 to 10 looks at a total level of 5 %.
///
/// Jennison and Turnbull, "Group Sequential Methods", 2000, table 2.3.
const CONSTANTS: [f64; 10] = [
    1.960, 1.977, 2.004, 2.024, 2.040, 2.053, 2.063, 2.072, 2.080, 2.087,
];

/// The two-sided level of each look, or what is wrong with the looks.
///
/// # Errors
/// A sentence for the user when the looks are no plan: none, more than ten, not ascending, or the
/// first below [`LEAST_PROCESSES`].
pub fn alphas(looks: &[u32]) -> Result<Vec<f64>, String> {
    let (Some(first), Some(last)) = (looks.first(), looks.last()) else {
        return Err("no looks are planned".into());
    };
    if *first < LEAST_PROCESSES {
        return Err(format!(
            "the first look is at {first} processes; the procedure needs {LEAST_PROCESSES}"
        ));
    }
    if looks.windows(2).any(|w| w[0] >= w[1]) {
        return Err("the looks do not ascend".into());
    }
    let Some(constant) = CONSTANTS.get(looks.len() - 1) else {
        return Err(format!(
            "{} looks are planned; at most 10 are possible",
            looks.len()
        ));
    };
    if looks.len() == 3 && looks[1] == 2 * looks[0] && looks[2] == 3 * looks[0] {
        return Ok(ALPHAS.to_vec());
    }
    let level = |n: &u32| 2.0 * normal_tail(constant / (f64::from(*n) / f64::from(*last)).sqrt());
    Ok(looks.iter().map(level).collect())
}

/// The level for `processes`: that of the last planned look reached.
///
/// Between two looks it stays at the earlier, stricter one: an unplanned look buys nothing.
/// `None` before the first look.
pub fn alpha_at(processes: u32, looks: &[u32], alphas: &[f64]) -> Option<f64> {
    let reached = looks.iter().take_while(|l| **l <= processes).count();
    alphas.get(reached.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_levels_are_the_obrien_fleming_boundary() {
        assert_eq!(alphas(&LOOKS).unwrap(), ALPHAS);
        for (k, alpha) in ALPHAS.iter().enumerate() {
            let exact = 2.0 * normal_tail(2.004 / ((k + 1) as f64 / 3.0).sqrt());
            assert!((exact / alpha - 1.0).abs() < 0.05, "{exact} {alpha}");
        }
    }

    #[test]
    fn other_plans_spend_five_percent_at_most() {
        let one = alphas(&[8]).unwrap();
        assert!((one[0] - 0.05).abs() < 1e-4, "{one:?}");
        for plan in [vec![4, 8], vec![6, 12, 18, 24], vec![4, 5, 20]] {
            let a = alphas(&plan).unwrap();
            assert!(a.windows(2).all(|w| w[0] < w[1]), "{a:?}");
            assert!(a[a.len() - 1] < 0.05, "{a:?}");
        }
    }

    #[test]
    fn plans_that_are_none_are_refused_in_words() {
        assert!(alphas(&[]).unwrap_err().contains("no looks"));
        assert!(alphas(&[2, 4]).unwrap_err().contains("needs 4"));
        assert!(alphas(&[4, 4]).unwrap_err().contains("ascend"));
        let many: Vec<u32> = (4..15).collect();
        assert!(alphas(&many).unwrap_err().contains("at most 10"));
    }

    #[test]
    fn between_looks_the_stricter_level_holds() {
        let at = |n| alpha_at(n, &LOOKS, &ALPHAS);
        assert_eq!(at(3), None);
        assert_eq!(at(4), Some(0.0005));
        assert_eq!(at(7), Some(0.0005));
        assert_eq!(at(8), Some(0.014));
        assert_eq!(at(24), Some(0.045));
    }
}
