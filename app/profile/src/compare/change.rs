//! What changed between two figures, and what their printed digits let one say of it.

use assay_core::view::ChangeView;

use super::unit::Reading;

/// Figures that differ by the last printed digit are rounded themselves when they are subtracted.
const ROUNDING: f64 = 1e-9;

/// The change of `other` against `base`, and its size for the order of rows; none where it is no
/// finite number.
///
/// The size is what the digits prove to have changed, in percent of the larger figure: so a doubling
/// and a halving are of one size, nothing can be larger than from zero to something, and 0.02 that
/// became 0.01 does not come before everything else.
pub(super) fn change(base: &Reading, other: &Reading, threshold: f64) -> Option<(ChangeView, f64)> {
    let absolute = other.amount.minus(base.amount);
    if !absolute.is_finite() {
        return None;
    }
    let zero = base.amount.real();
    let percent = (zero != 0.0)
        .then(|| absolute / zero.abs() * 100.0)
        .filter(|p| p.is_finite());
    let (low, high) = (base.half(), other.half());
    let is_shown = absolute != 0.0 && absolute.abs() >= (low + high) * (1.0 - ROUNDING);
    let interval = percent
        .and_then(|p| {
            let [a, b] = relative_interval([zero, low], [other.amount.real(), high])?;
            // Of large integers the exact difference says more than that of the doubles.
            Some([a.min(p), b.max(p)])
        })
        .map(|i| {
            if is_shown {
                excluding_zero(i, absolute)
            } else {
                i
            }
        });
    let larger = zero.abs().max(other.amount.real().abs());
    let proven = (absolute.abs() - low - high).max(0.0) / larger * 100.0;
    let change = ChangeView {
        absolute,
        percent,
        interval,
        text: String::new(),
        resolved: is_shown,
        changed: is_shown && percent.is_none_or(|p| p.abs() > threshold),
        better: None,
    };
    Some((change, if proven.is_finite() { proven } else { 0.0 }))
}

/// Where the relative change in percent lies, for figures known as value and half width.
///
/// None where the first one can be zero.
pub fn relative_interval(base: [f64; 2], other: [f64; 2]) -> Option<[f64; 2]> {
    let ([a, a_half], [b, b_half]) = (base, other);
    let (a_low, a_high) = (a - a_half, a + a_half);
    if !(a_low > 0.0 || a_high < 0.0) {
        return None;
    }
    let mut all = [a_low, a_high]
        .into_iter()
        .flat_map(|a| [b - b_half, b + b_half].map(|b| (b - a) / a.abs() * 100.0));
    let first = all.next()?;
    let [low, high] = all.fold([first, first], |[low, high], p| [low.min(p), high.max(p)]);
    (low.is_finite() && high.is_finite()).then_some([low, high])
}

/// Two figures that are next to each other in print touch; rounding must not make them overlap.
fn excluding_zero([low, high]: [f64; 2], absolute: f64) -> [f64; 2] {
    if absolute > 0.0 {
        [low.max(0.0), high]
    } else {
        [low, high.min(0.0)]
    }
}
