//! A histogram in one row of block characters, and the figures that stand beside it.

/// Smallest and largest finite value over all sets; absent when there is none.
pub fn range<'a>(sets: impl Iterator<Item = &'a [f64]>) -> Option<(f64, f64)> {
    let mut out: Option<(f64, f64)> = None;
    for v in sets.flatten().copied().filter(|v| v.is_finite()) {
        let (lo, hi) = out.unwrap_or((v, v));
        out = Some((lo.min(v), hi.max(v)));
    }
    out
}

/// One character for each of `columns` bins between `lo` and `hi`; the fullest bin is the highest.
pub fn bars(values: &[f64], lo: f64, hi: f64, columns: usize, heights: &[&str]) -> String {
    let columns = columns.max(1);
    let mut bins = vec![0u64; columns];
    let span = hi - lo;
    for v in values.iter().filter(|v| v.is_finite()) {
        let at = if span > 0.0 {
            (v - lo) / span * columns as f64
        } else {
            0.0
        };
        bins[(at.max(0.0) as usize).min(columns - 1)] += 1;
    }
    let most = bins.iter().copied().max().unwrap_or(0).max(1);
    let steps = heights.len().saturating_sub(1) as u64;
    // A bin that holds anything shows: one outlier among thousands is what the reader looks for.
    bins.iter()
        .map(|n| {
            if *n == 0 {
                0
            } else {
                (n * steps).div_ceil(most).clamp(1, steps)
            }
        })
        .map(|h| heights[h as usize])
        .collect()
}

/// One character for each of `columns` runs of samples in the order in which they were taken, as high
/// as the mean of the run lies between `lo` and `hi`: drift and jumps show, which bins hide.
pub fn strip(values: &[f64], lo: f64, hi: f64, columns: usize, heights: &[&str]) -> String {
    let columns = columns.min(values.len());
    let steps = heights.len().saturating_sub(1);
    let height = |at: usize| {
        let run = &values[at * values.len() / columns..(at + 1) * values.len() / columns];
        let known: Vec<f64> = run.iter().copied().filter(|v| v.is_finite()).collect();
        if known.is_empty() {
            return 0;
        }
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let part = if hi > lo {
            (mean - lo) / (hi - lo)
        } else {
            0.0
        };
        ((part * steps as f64).ceil() as usize).clamp(1, steps.max(1))
    };
    (0..columns)
        .filter_map(|at| heights.get(height(at)))
        .copied()
        .collect()
}

/// Figures of a set of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// How many.
    pub count: usize,
    /// Median.
    pub median: f64,
    /// Distance between the quartiles.
    pub iqr: f64,
}

/// The figures; absent without finite values.
pub fn numbers(values: &[f64]) -> Option<Numbers> {
    let mut v: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if v.is_empty() {
        return None;
    }
    v.sort_by(f64::total_cmp);
    // Linear interpolation between order statistics (Hyndman and Fan, type 7).
    let quantile = |q: f64| {
        let at = q * (v.len() - 1) as f64;
        let (low, part) = (at.floor() as usize, at.fract());
        v[low] + part * (v[(low + 1).min(v.len() - 1)] - v[low])
    };
    Some(Numbers {
        count: v.len(),
        median: quantile(0.5),
        iqr: quantile(0.75) - quantile(0.25),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: &[&str] = &[" ", ".", "#"];

    #[test]
    fn a_strip_keeps_the_order_of_the_samples() {
        let h: &[&str] = &[" ", "1", "2", "3", "4"];
        assert_eq!(strip(&[1.0, 2.0, 3.0, 4.0, 5.0], 1.0, 5.0, 9, h), "11234");
        assert_eq!(strip(&[1.0, 1.0, 5.0, 5.0], 1.0, 5.0, 2, h), "14");
        assert_eq!(strip(&[f64::NAN, 3.0], 3.0, 3.0, 2, h), " 1");
        assert_eq!(strip(&[], 0.0, 1.0, 5, h), "");
    }

    #[test]
    fn bins_and_figures() {
        assert_eq!(bars(&[1.0, 1.0, 1.0, 9.0], 1.0, 9.0, 4, H), "#  .");
        assert_eq!(bars(&[5.0], 5.0, 5.0, 3, H), "#  ");
        assert_eq!(bars(&[], 0.0, 0.0, 2, H), "  ");
        assert_eq!(bars(&[f64::NAN], 0.0, 1.0, 0, H), " ");
        assert_eq!(
            range([[f64::NAN, 2.0].as_slice(), &[1.0]].into_iter()),
            Some((1.0, 2.0))
        );
        let n = numbers(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((n.count, n.median, n.iqr), (4, 2.5, 1.5));
        assert_eq!(numbers(&[]), None);
    }
}
