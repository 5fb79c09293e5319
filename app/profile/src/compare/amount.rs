//! Figures with their integers exact, also beyond what a double holds.

use serde_json::{Number, Value};

/// Doubles below this size hold every integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Amount {
    /// An integer, exactly.
    Whole(i128),
    /// Any other number.
    Real(f64),
}

impl Amount {
    /// The amount of a number as it was read.
    pub fn of(number: &Number) -> Option<Self> {
        if let Some(n) = number.as_u64() {
            return Some(Self::Whole(n.into()));
        }
        if let Some(n) = number.as_i64() {
            return Some(Self::Whole(n.into()));
        }
        let real = number.as_f64().filter(|f| f.is_finite())?;
        Some(Self::Real(real))
    }

    /// The amount in a unit that is `factor` times as small.
    pub fn times(self, factor: f64) -> Option<Self> {
        if factor == 1.0 {
            return Some(self);
        }
        let inverse = (1.0 / factor).round();
        // A division by a whole number is rounded once, a multiplication by 0.001 twice.
        let is_division = factor < 1.0 && (inverse * factor - 1.0).abs() < 1e-12;
        if let Self::Whole(n) = self {
            if factor.fract() == 0.0 && factor < EXACT {
                return n.checked_mul(factor as i128).map(Self::Whole);
            }
            if is_division && inverse < EXACT && n % (inverse as i128) == 0 {
                return Some(Self::Whole(n / inverse as i128));
            }
        }
        let real = if is_division {
            self.real() / inverse
        } else {
            self.real() * factor
        };
        real.is_finite().then_some(Self::Real(real))
    }

    /// The amount as a double.
    pub fn real(self) -> f64 {
        match self {
            Self::Whole(n) => n as f64,
            Self::Real(f) => f,
        }
    }

    /// The difference, with no digit lost before it is rounded to a double.
    pub fn minus(self, other: Self) -> f64 {
        match (self.whole(), other.whole()) {
            (Some(a), Some(b)) => (a - b) as f64,
            _ => self.real() - other.real(),
        }
    }

    /// As an integer, where it is one.
    fn whole(self) -> Option<i128> {
        match self {
            // Far from the ends, so that a difference never overflows.
            Self::Whole(n) => Some(n).filter(|n| n.unsigned_abs() < 1 << 126),
            Self::Real(f) if f.fract() == 0.0 && f.abs() < 1e36 => Some(f as i128),
            Self::Real(_) => None,
        }
    }

    /// For JSON: integers exactly, as far as 64 bits go.
    pub fn json(self) -> Option<Value> {
        let number = match self {
            Self::Whole(n) => match (u64::try_from(n), i64::try_from(n)) {
                (Ok(n), _) => Some(Number::from(n)),
                (_, Ok(n)) => Some(Number::from(n)),
                _ => Number::from_f64(n as f64),
            },
            Self::Real(f) => Number::from_f64(f),
        };
        number.map(Value::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::Amount::{self, Real, Whole};

    #[test]
    fn integers_beyond_a_double_are_exact() {
        let big = Amount::of(&u64::MAX.into()).unwrap();
        assert_eq!(big.minus(Whole(i128::from(u64::MAX) - 1)), 1.0);
        assert_eq!(big.json().unwrap().to_string(), "18446744073709551615");
        assert_eq!(
            Whole(i128::from(i64::MIN)).minus(big),
            -27_670_116_110_564_327_423.0
        );
        assert_eq!(Real(1e15).minus(Whole(1)), 999_999_999_999_999.0);
    }

    #[test]
    fn units_keep_integers_where_they_can() {
        assert_eq!(Whole(3).times(1e3), Some(Whole(3000)));
        assert_eq!(Whole(3000).times(1e-3), Some(Whole(3)));
        assert_eq!(Whole(3001).times(1e-3), Some(Real(3.001)));
        assert_eq!(Real(0.3).times(1e-3), Some(Real(0.0003)));
        assert_eq!(Real(1e300).times(1e9), None);
        assert_eq!(Whole(i128::MAX).times(1e3), None);
    }
}
