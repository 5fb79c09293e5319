//! A stated figure against what comes out.

use super::Outcome;
use super::figure::{Outcome as Computed, Printed};

/// What arithmetic in doubles may be off, relative to the value.
const SLACK: f64 = 1e-12;

/// How near a factor must be to a power of a thousand, or to that of 1024 and 1000.
const NEAR: f64 = 0.03;

/// Another thing that a figure can mean, and its words in English and Chinese.
pub(super) struct Reading {
    pub value: f64,
    pub words: [&'static str; 2],
    /// What it would be called if it were what it says.
    pub meant: [&'static str; 2],
}

/// How a stated figure came out, and why.
pub(super) fn judge(
    stated: Printed,
    computed: Computed,
    other: Option<&Reading>,
) -> (Outcome, [String; 2]) {
    let slack = SLACK * stated.value.abs().max(computed.value.abs());
    let rounds = |value: f64| (value - stated.value).abs() <= stated.half * (1.0 + 1e-9) + slack;
    if rounds(computed.value) {
        return (Outcome::Agrees, Default::default());
    }
    if let Some(r) = other.filter(|r| rounds(r.value)) {
        let (c, v) = (digits(computed.value, stated), digits(r.value, stated));
        return (
            Outcome::Ambiguous,
            [
                format!("it is {} ({v}); {} is {c}", r.words[0], r.meant[0]),
                format!("此数实为{}（{v}）；{}为 {c}", r.words[1], r.meant[1]),
            ],
        );
    }
    let range = computed.range.with_slack();
    if range.meets(stated.interval()) {
        let [lo, hi] = [range.lo, range.hi].map(|v| digits(v, stated));
        let middle = like(computed.value, stated);
        return (
            Outcome::Rounding,
            [
                format!(
                    "it comes to {middle}: the last digit differs, and the digits of what it follows from allow {lo} to {hi}"
                ),
                format!("算得 {middle}：仅末位不同，所依据数据的位数允许 {lo} 至 {hi}"),
            ],
        );
    }
    let off = (range.lo - stated.value).max(stated.value - range.hi);
    if stated.half > 0.0 && off < 2.0 * stated.half * (1.0 - 1e-9) {
        return (
            Outcome::Rounding,
            [
                format!(
                    "it comes to {}: the last digit is one off, cut off or carried on rather than rounded",
                    like(computed.value, stated)
                ),
                format!(
                    "算得 {}：末位相差一，被截断而未四舍五入",
                    like(computed.value, stated)
                ),
            ],
        );
    }
    (Outcome::Disagrees, hint(stated.value, computed.value))
}

/// By how much a figure is off, and what that looks like.
fn hint(stated: f64, computed: f64) -> [String; 2] {
    let factor = stated / computed;
    if !(factor.is_finite() && factor > 0.0) {
        return [
            "stated and computed differ in sign or size".into(),
            "所述与算得的符号或量级不同".into(),
        ];
    }
    let near = |f: f64| (factor / f - 1.0).abs() < NEAR;
    for power in [1e3, 1e6, 1e9] {
        if near(power) || near(1.0 / power) {
            let times = if factor > 1.0 { factor } else { 1.0 / factor };
            let way = ["more", "less"][usize::from(factor < 1.0)];
            let way_zh = ["大", "小"][usize::from(factor < 1.0)];
            return [
                format!(
                    "{times:.1} times {way}, a power of a thousand: the unit of one of the figures is wrong"
                ),
                format!("{way_zh} {times:.1} 倍，为千的幂：必有一个单位写错"),
            ];
        }
    }
    let binary = [1.024, 1.048_576, 1.073_741_824];
    if binary
        .iter()
        .any(|b| (factor / b - 1.0).abs() < 0.002 || (factor * b - 1.0).abs() < 0.002)
    {
        return [
            format!("a factor of {factor:.4}: units of 1024 may have been taken for those of 1000"),
            format!("相差 {factor:.4} 倍：可能把 1024 进制单位当作 1000 进制"),
        ];
    }
    if factor > 1.5 && (factor - factor.round()).abs() < 1e-3 * factor.min(10.0) {
        return [
            format!(
                "{:.0} times as much, a whole number: something is counted as often",
                factor.round()
            ),
            format!("为其 {:.0} 倍，恰为整数：可能重复计数", factor.round()),
        ];
    }
    let percent = (factor - 1.0) * 100.0;
    [
        format!("{percent:+.2} % off"),
        format!("偏差 {percent:+.2} %"),
    ]
}

/// A computed figure with one digit more than the stated one has.
pub(super) fn digits(value: f64, like: Printed) -> String {
    with_digits(value, like, 1)
}

/// A computed figure with the digits that the stated one has.
fn like(value: f64, stated: Printed) -> String {
    with_digits(value, stated, 0)
}

fn with_digits(value: f64, like: Printed, more: i32) -> String {
    let step = like.half * 2.0;
    if !(step > 0.0 && step.is_finite()) {
        return format!("{value}");
    }
    // A power of ten that is computed is a hair off.
    let decimals = (-step.log10() - 1e-9).ceil().clamp(-1.0, 15.0) as i32 + more;
    format!("{value:.*}", usize::try_from(decimals.max(0)).unwrap_or(0))
}
