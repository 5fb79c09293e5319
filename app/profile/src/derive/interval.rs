//! Intervals: what a figure can be, given the digits it was printed with.

/// What sums taken in another order may differ by, relative to the value. Tools that add up figures
/// of a hundred units in doubles stay far below it, and any printed digit is far above.
const SLACK: f64 = 1e-12;

/// A closed interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Interval {
    pub(crate) fn exact(value: f64) -> Self {
        Self {
            lo: value,
            hi: value,
        }
    }

    pub(crate) fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi }
    }

    /// Made wider by what arithmetic in doubles may be off.
    pub(crate) fn with_slack(self) -> Self {
        let off = self.lo.abs().max(self.hi.abs()) * SLACK;
        Self::new(self.lo - off, self.hi + off)
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    pub(crate) fn negate(self) -> Self {
        Self::new(-self.hi, -self.lo)
    }

    pub(crate) fn add(self, o: Self) -> Self {
        Self::new(self.lo + o.lo, self.hi + o.hi)
    }

    pub(crate) fn multiply(self, o: Self) -> Self {
        let ends = [
            self.lo * o.lo,
            self.lo * o.hi,
            self.hi * o.lo,
            self.hi * o.hi,
        ];
        let lo = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self::new(lo, hi)
    }

    /// `None` when the divisor may be zero.
    pub(crate) fn divide(self, o: Self) -> Option<Self> {
        let may_be_zero = o.lo <= 0.0 && o.hi >= 0.0;
        (!may_be_zero).then(|| self.multiply(Self::new(1.0 / o.hi, 1.0 / o.lo)))
    }

    pub(crate) fn min(self, o: Self) -> Self {
        Self::new(self.lo.min(o.lo), self.hi.min(o.hi))
    }

    pub(crate) fn max(self, o: Self) -> Self {
        Self::new(self.lo.max(o.lo), self.hi.max(o.hi))
    }

    pub(crate) fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }
}
