//! Figures that a log made from its own times, held against what times and work say.
//!
//! A rate or a speed-up that is printed beside a time follows from it. Where the digits of both
//! leave no value that they could share, one of them is wrong: that is said with both figures and
//! is never put right in silence.

use super::table::{Ranged, Work, latency};
use super::{Extra, Figure, Reading};

/// What a printed figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// 10^12 floating-point operations a second.
    Tflops,
    /// 10^9 bytes a second.
    Bandwidth,
    /// Time of another subject over that of this one; it has no unit.
    Speedup,
}

impl Quantity {
    /// Name for people and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tflops => "TFLOPS",
            Self::Bandwidth => "GB/s",
            Self::Speedup => "speed-up",
        }
    }
}

/// A printed figure that follows from a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim<'r> {
    /// What it is of.
    pub quantity: Quantity,
    /// Column and text of the log.
    pub extra: &'r Extra,
    /// The figure, in the unit of the log.
    pub figure: Figure,
    /// What one of its unit is in that of [`Quantity`].
    pub scale: f64,
    /// Whether it was made from the time beside it. A rate over another clock is shown, and
    /// nothing follows from its difference.
    pub of_this_time: bool,
}

/// A printed figure beside the computed one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// Their ranges meet, so that both can be true.
    pub agrees: bool,
    /// Printed over computed.
    pub factor: f64,
    /// The computed one in the unit of the printed one.
    pub computed: Ranged,
}

/// Columns of logs, the first ones preferred: lower-case name, quantity, scale, and whether the
/// rate is over the time beside it.
const COLUMNS: &[(&str, Quantity, f64, bool)] = &[
    ("tflops", Quantity::Tflops, 1.0, true),
    ("tflop/s", Quantity::Tflops, 1.0, true),
    ("gflops", Quantity::Tflops, 1e-3, true),
    ("gflop/s", Quantity::Tflops, 1e-3, true),
    ("bandwidth_tbs", Quantity::Bandwidth, 1e3, true),
    ("bandwidth_gbs", Quantity::Bandwidth, 1.0, true),
    ("bandwidth (tb/s)", Quantity::Bandwidth, 1e3, true),
    ("bandwidth (gb/s)", Quantity::Bandwidth, 1.0, true),
    ("tb/s", Quantity::Bandwidth, 1e3, true),
    ("gb/s", Quantity::Bandwidth, 1.0, true),
    // Google Benchmark divides by the time of the CPU unless told otherwise, nvbench by a mean.
    ("bytes_per_second", Quantity::Bandwidth, 1e-9, false),
    (
        "nv/cold/bw/global/bytes_per_second",
        Quantity::Bandwidth,
        1e-9,
        false,
    ),
    ("speedup", Quantity::Speedup, 1.0, true),
    ("speed-up", Quantity::Speedup, 1.0, true),
    ("speed_up", Quantity::Speedup, 1.0, true),
    ("speedup_x", Quantity::Speedup, 1.0, true),
    ("speedup (x)", Quantity::Speedup, 1.0, true),
    ("加速比", Quantity::Speedup, 1.0, true),
];

/// The figure of a kind that a row prints, if it prints one.
pub fn claim(row: &Reading, quantity: Quantity) -> Option<Claim<'_>> {
    let columns = COLUMNS.iter().filter(|c| c.1 == quantity);
    columns
        .filter_map(|(name, _, scale, of_this_time)| {
            let extra = (row.extras.iter()).find(|e| e.name.trim().to_lowercase() == *name)?;
            let figure = match quantity {
                Quantity::Speedup => factor(&extra.printed),
                _ => extra.figure,
            };
            Some(Claim {
                quantity,
                extra,
                figure: figure.filter(|f| f.value > 0.0)?,
                scale: *scale,
                of_this_time: *of_this_time,
            })
        })
        .next()
}

/// A factor as people print it: `7.829`, `7.829x`, `7.829×`.
fn factor(printed: &str) -> Option<Figure> {
    let text = printed.trim().trim_end_matches(['x', 'X', '×']).trim_end();
    Figure::read(text).ok()
}

/// Holds a printed figure against a computed one, which is in the unit of [`Quantity`].
///
/// `scale` is what one of the printed unit is in that of the computed one.
pub fn held_against(printed: &Figure, scale: f64, computed: &Ranged) -> Compared {
    let computed = Ranged {
        value: computed.value / scale,
        range: computed.range.map(|v| v / scale),
    };
    Compared {
        agrees: meet(printed.range(), computed.range),
        factor: printed.value / computed.value,
        computed,
    }
}

/// Whether two ranges share a value; the rounding of floats parts none.
pub fn meet(a: [f64; 2], b: [f64; 2]) -> bool {
    let slack = 1e-9 * a[1].abs().max(b[1].abs());
    a[0] <= b[1] + slack && b[0] <= a[1] + slack
}

/// What a row's rate is by its work and time; `None` where one of them is not known.
pub fn computed(row: &Reading, quantity: Quantity, work: Option<Work>) -> Option<Ranged> {
    let (work, time) = (work?, latency(row)?);
    // Operations in a nanosecond are 10^9 a second.
    let (amount, scale) = match quantity {
        Quantity::Tflops => (work.flops, 1e-3),
        Quantity::Bandwidth => (work.bytes, 1.0),
        Quantity::Speedup => return None,
    };
    let rate = |ns: f64| amount / ns * scale;
    (amount > 0.0).then(|| Ranged {
        value: rate(time.value),
        range: [rate(time.range[1]), rate(time.range[0])],
    })
}

/// The printed rate of a row beside the one by its work; `None` where one of them is not there,
/// or the printed one is not made from the time beside it.
pub fn rate_held<'r>(
    row: &'r Reading,
    quantity: Quantity,
    work: Option<Work>,
) -> Option<(Claim<'r>, Compared)> {
    let claim = claim(row, quantity).filter(|c| c.of_this_time && row.times.len() == 1)?;
    let computed = computed(row, quantity, work)?;
    let compared = held_against(&claim.figure, claim.scale, &computed);
    Some((claim, compared))
}

/// The printed speed-up of a row beside those over the other subjects of its workload: the one
/// that is nearest counts, since a log need not say which it is over. `None` where there is none
/// to hold it against.
pub fn speedup_held<'r>(row: &'r Reading, others: &[&Reading]) -> Option<(Claim<'r>, Compared)> {
    let claim = claim(row, Quantity::Speedup)?;
    let mine = latency(row)?;
    let compared = others.iter().filter(|o| o.marks == row.marks);
    let all = compared.filter_map(|other| {
        let computed = mine.under(&latency(other)?);
        Some(held_against(&claim.figure, claim.scale, &computed))
    });
    let far = |c: &Compared| c.factor.ln().abs();
    let nearest = all.min_by(|a, b| far(a).total_cmp(&far(b)))?;
    Some((claim, nearest))
}

#[cfg(test)]
mod tests {
    use assay_core::units::TimeUnit;

    use super::*;

    fn row(us: &str, extras: &[(&str, &str)]) -> Reading {
        Reading {
            extras: extras.iter().map(|(n, p)| Extra::new(n, p)).collect(),
            ..Reading::new(TimeUnit::Us, 1).timed([us])
        }
    }

    const WORK: Work = Work {
        flops: 2e6,
        bytes: 4e6,
    };

    #[test]
    fn a_rate_agrees_where_the_digits_of_both_leave_a_common_value() {
        // 2e6 flop in 3.45 to 3.55 us are 0.5634 to 0.5797 TFLOPS.
        for (printed, agrees) in [
            ("0.57", true),
            ("0.56", true),
            ("0.55", false),
            ("570", false),
        ] {
            let row = row("3.5", &[("TFLOPS", printed)]);
            let (claim, compared) = rate_held(&row, Quantity::Tflops, Some(WORK)).unwrap();
            assert_eq!((claim.scale, compared.agrees), (1.0, agrees), "{printed}");
        }
        let row = row("3.5", &[("bandwidth_tbs", "2.29")]);
        let (_, compared) = rate_held(&row, Quantity::Bandwidth, Some(WORK)).unwrap();
        assert!(!compared.agrees && (compared.factor - 2.004).abs() < 1e-3);
        assert!((compared.computed.value - 4.0 / 3.5).abs() < 1e-12);
        assert!(rate_held(&row, Quantity::Tflops, Some(WORK)).is_none());
        assert!(rate_held(&row, Quantity::Bandwidth, None).is_none());
    }

    #[test]
    fn a_rate_over_another_clock_is_held_against_nothing() {
        let row = row("3.5", &[("bytes_per_second", "1e9")]);
        assert!(claim(&row, Quantity::Bandwidth).is_some());
        assert!(rate_held(&row, Quantity::Bandwidth, Some(WORK)).is_none());
    }

    #[test]
    fn a_speed_up_is_held_against_the_nearest_of_the_other_subjects() {
        let (torch, base) = (row("27.4", &[]), row("3.7", &[]));
        for (printed, agrees) in [("7.829×", true), ("1.057x", true), ("6.1", false)] {
            let mine = row("3.5", &[("speedup", printed)]);
            let (_, compared) = speedup_held(&mine, &[&torch, &base]).unwrap();
            assert_eq!(compared.agrees, agrees, "{printed} {compared:?}");
        }
        let mine = row("3.5", &[("speedup", "7.8")]);
        assert!(speedup_held(&mine, &[]).is_none());
        assert!(speedup_held(&row("3.5", &[]), &[&torch]).is_none());
    }
}
