//! A chain of accepted changes against what they come to together.
//!
//! Each accept was picked because it looked good, so the product of their ratios overstates the
//! total, and changes interact. Now and then the champion is measured against the first baseline
//! itself.

use serde::Serialize;

use crate::wording::{figures, percent};

pub use assay_core::record::CHAIN_EVERY;

/// A ratio with its interval, as a verdict has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Time after / time before.
    pub ratio: f64,
    /// Its interval, `[low, high]`.
    pub interval: [f64; 2],
}

/// What the chain promises, and what was measured end to end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// Product of the accepted ratios.
    pub promised: f64,
    /// Its interval: the links' half widths (logs) added in squares.
    pub promised_interval: [f64; 2],
    /// Ratio of champion to first baseline, measured at once.
    pub measured: f64,
    /// Its interval.
    pub measured_interval: [f64; 2],
    /// Whether the whole measured interval lies above the promised one.
    pub overstated: bool,
    /// The same in words.
    pub text: String,
}

/// Whether it is time to measure end to end, by the accepts since that was last done.
pub fn due(accepts: u32) -> bool {
    accepts >= CHAIN_EVERY
}

/// Compares the product of accepted links with one measurement end to end.
///
/// `None` without links, or where a figure is no ratio.
pub fn drift(links: &[Link], measured: Link) -> Option<Drift> {
    let sound = |l: &Link| {
        [l.ratio, l.interval[0], l.interval[1]]
            .iter()
            .all(|x| *x > 0.0 && x.is_finite())
    };
    if links.is_empty() || !links.iter().all(sound) || !sound(&measured) {
        return None;
    }
    let log: f64 = links.iter().map(|l| l.ratio.ln()).sum();
    let half = |l: &Link| (l.interval[1] / l.interval[0]).ln() / 2.0;
    let half = links.iter().map(|l| half(l).powi(2)).sum::<f64>().sqrt();
    let promised = log.exp();
    let promised_interval = [(log - half).exp(), (log + half).exp()];
    let overstated = measured.interval[0] > promised_interval[1];
    let [p, low, high] = figures(promised, promised_interval);
    let [m, from, to] = figures(measured.ratio, measured.interval);
    let verb = if overstated {
        "overstate"
    } else {
        "agree with"
    };
    let missing = if overstated {
        format!(" by {}", percent(measured.ratio / promised - 1.0, 1))
    } else {
        String::new()
    };
    Some(Drift {
        promised,
        promised_interval,
        measured: measured.ratio,
        measured_interval: measured.interval,
        overstated,
        text: format!(
            "the accepted steps promise {p} x ({low} to {high}) and {verb} what was measured end \
             to end, {m} x ({from} to {to}){missing}"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(ratio: f64, half: f64) -> Link {
        Link {
            ratio,
            interval: [ratio * (-half).exp(), ratio * half.exp()],
        }
    }

    #[test]
    fn the_product_is_held_against_the_measurement() {
        let links = [link(0.95, 0.01); 5];
        let d = drift(&links, link(0.78, 0.01)).unwrap();
        assert!((d.promised - 0.95f64.powi(5)).abs() < 1e-12 && !d.overstated);
        assert!((d.promised_interval[1] / d.promised).ln() - 0.01 * 5f64.sqrt() < 1e-12);
        let d = drift(&links, link(0.90, 0.01)).unwrap();
        assert!(d.overstated && d.text.ends_with("by 16.3 %"), "{}", d.text);
        assert_eq!(drift(&[], link(1.0, 0.1)), None);
        assert_eq!(drift(&links, link(f64::NAN, 0.1)), None);
        assert!(!due(4) && due(5));
    }
}
