//! Units of tools, and what they are in others.

/// Whether a unit is one that figures can be converted from.
pub(crate) fn is_unit(unit: &str) -> bool {
    scale(unit).is_some()
}

/// The factor from a tool's unit to the canonical one, if there is one.
pub(crate) fn unit_factor(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let ((from_kind, from), (to_kind, to)) = (scale(from)?, scale(to)?);
    (from_kind == to_kind).then_some(from / to)
}

/// What a unit measures, and how much of it. Tools scale bytes by thousands; what some call MB/s is
/// MiB/s, so that it is not converted.
fn scale(unit: &str) -> Option<(&'static str, f64)> {
    Some(match unit {
        "ns" | "nsec" | "nsecond" => ("time", 1.0),
        "us" | "usec" | "usecond" | "µs" | "μs" => ("time", 1e3),
        "ms" | "msec" | "msecond" => ("time", 1e6),
        "s" | "sec" | "second" => ("time", 1e9),
        "1" | "inst" | "cycle" | "cycles" | "warp" | "sector" | "request" | "thread" | "block"
        | "SM" | "register/thread" | "inst/cycle" | "flop" | "FLOP" | "x" | "×" => ("count", 1.0),
        "Kcycles" => ("count", 1e3),
        "MFLOP" => ("count", 1e6),
        "GFLOP" => ("count", 1e9),
        "TFLOP" => ("count", 1e12),
        "GFLOPS" | "GFLOP/s" => ("work", 1e-3),
        "TFLOPS" | "TFLOP/s" => ("work", 1.0),
        "PFLOPS" | "PFLOP/s" => ("work", 1e3),
        "bytes" | "byte" | "byte/block" | "byte/thread" => ("bytes", 1.0),
        "Kbyte" | "Kbyte/block" => ("bytes", 1e3),
        "Mbyte" | "Mbyte/block" => ("bytes", 1e6),
        "Gbyte" => ("bytes", 1e9),
        "KiB" => ("bytes", 1024.0),
        "MiB" => ("bytes", 1_048_576.0),
        "GiB" => ("bytes", 1_073_741_824.0),
        "hz" | "cycle/second" => ("rate", 1e-9),
        "Khz" | "cycle/msecond" => ("rate", 1e-6),
        "Mhz" | "cycle/usecond" => ("rate", 1e-3),
        "GHz" | "Ghz" | "cycle/nsecond" => ("rate", 1.0),
        "byte/s" | "byte/second" => ("bandwidth", 1e-9),
        "Kbyte/s" | "Kbyte/second" => ("bandwidth", 1e-6),
        "Mbyte/s" | "Mbyte/second" => ("bandwidth", 1e-3),
        "GB/s" | "Gbyte/s" | "Gbyte/second" => ("bandwidth", 1.0),
        "TB/s" | "Tbyte/s" | "Tbyte/second" => ("bandwidth", 1e3),
        "MiB/s" => ("bandwidth", 1.048_576e-3),
        "GiB/s" => ("bandwidth", 1.073_741_824),
        _ => return None,
    })
}

/// A value of one unit in another one, if there is a factor between them.
///
/// What is whole but for the last bit of the product is whole: 32.820992 ms are 32,820,992 ns.
pub(crate) fn in_unit(value: f64, from: &str, to: &str) -> Option<f64> {
    let converted = value * unit_factor(from, to)?;
    let whole = converted.round();
    let by_a_bit = (converted - whole).abs() <= 2.0 * f64::EPSILON * converted.abs();
    let converted = if by_a_bit { whole } else { converted };
    converted.is_finite().then_some(converted)
}
