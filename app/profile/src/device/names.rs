//! The figures that a device file may give.

/// One kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFigure {
    /// Name in device files; with `device.` before it in formulas and rules.
    pub name: &'static str,
    /// The unit that it is given in.
    pub unit: &'static str,
    /// Whether a share of the device has that share of it.
    pub scales: bool,
    /// One sentence.
    pub meaning: &'static str,
}

const fn known(
    name: &'static str,
    unit: &'static str,
    scales: bool,
    meaning: &'static str,
) -> KnownFigure {
    KnownFigure {
        name,
        unit,
        scales,
        meaning,
    }
}

/// All of them. Of a peak, `TFLOPS` are operations of any type; sparsity is never counted in.
pub const FIGURES: &[KnownFigure] = &[
    known(
        "units",
        "1",
        true,
        "Compute units: AP, SM, or cores of a CPU.",
    ),
    known(
        "schedulers",
        "1",
        false,
        "Instructions that a unit can issue in a cycle.",
    ),
    known("wave", "1", false, "Threads of a wave or warp."),
    known("waves_per_unit", "1", false, "Waves that a unit can hold."),
    known(
        "threads_per_block",
        "1",
        false,
        "Threads that a workgroup can have.",
    ),
    known(
        "shared_per_block",
        "bytes",
        false,
        "Shared memory that a workgroup can have.",
    ),
    known(
        "shared_per_unit",
        "bytes",
        false,
        "Shared memory of a unit.",
    ),
    known(
        "registers_per_unit",
        "1",
        false,
        "Vector registers of a unit, of 32 bits.",
    ),
    known(
        "private_per_thread",
        "bytes",
        false,
        "Private memory that a thread can have: its stack frame.",
    ),
    known("l1", "bytes", false, "First-level data cache of a unit."),
    known(
        "l2",
        "bytes",
        false,
        "Second-level cache; of a CPU, that of one core.",
    ),
    known("l3", "bytes", false, "Third-level cache."),
    known("memory", "bytes", false, "Memory of the device."),
    known("bandwidth", "GB/s", true, "Bandwidth of the memory."),
    known(
        "bandwidth.unit",
        "GB/s",
        false,
        "Bandwidth of the memory that one unit reaches alone.",
    ),
    known(
        "clock",
        "GHz",
        false,
        "Clock of the units that the default peaks hold at.",
    ),
    known("clock.max", "GHz", false, "Highest clock of the units."),
    known("clock.memory", "GHz", false, "Clock of the memory."),
    known("power", "W", false, "Limit of the power."),
    known(
        "mma_flops",
        "1",
        false,
        "Operations of one matrix instruction of fp16.",
    ),
    known("peak.fp64", "TFLOPS", true, "Peak rate of fp64."),
    known(
        "peak.fp64.unit",
        "TFLOPS",
        false,
        "Peak rate of fp64 that one unit reaches alone.",
    ),
    known("peak.fp32", "TFLOPS", true, "Peak rate of fp32."),
    known(
        "peak.fp32.unit",
        "TFLOPS",
        false,
        "Peak rate of fp32 that one unit reaches alone.",
    ),
    known("peak.tf32", "TFLOPS", true, "Peak rate of TF32."),
    known("peak.bf16", "TFLOPS", true, "Peak rate of bf16."),
    known("peak.fp16", "TFLOPS", true, "Peak rate of fp16."),
    known("peak.fp8", "TFLOPS", true, "Peak rate of fp8."),
    known("peak.int8", "TFLOPS", true, "Peak rate of int8."),
    known(
        "peak.transcendental",
        "TFLOPS",
        true,
        "Peak rate of transcendental functions of fp32.",
    ),
];

/// Types of data that can have a peak, as in `peak.fp16`, with other spellings of them.
const TYPES: &[(&str, &[&str])] = &[
    ("fp64", &["f64", "float64", "double"]),
    ("fp32", &["f32", "float32", "float"]),
    ("tf32", &["tfloat32"]),
    ("bf16", &["bfloat16"]),
    ("fp16", &["f16", "float16", "half"]),
    ("fp8", &["f8", "e4m3", "e5m2", "fp8_e4m3", "fp8_e5m2"]),
    ("int8", &["i8", "s8", "u8", "uint8"]),
];

/// Figures that follow from those of a file, with their units.
pub const DERIVED: &[(&str, &str)] = &[
    ("share", "1"),
    ("peak", "TFLOPS"),
    ("peak.most", "TFLOPS"),
    ("ridge", "FLOP/byte"),
    ("ridge.fp64", "FLOP/byte"),
    ("ridge.fp32", "FLOP/byte"),
    ("ridge.tf32", "FLOP/byte"),
    ("ridge.bf16", "FLOP/byte"),
    ("ridge.fp16", "FLOP/byte"),
    ("ridge.fp8", "FLOP/byte"),
    ("ridge.int8", "FLOP/byte"),
];

/// What is known about a figure by its name.
pub fn figure(name: &str) -> Option<&'static KnownFigure> {
    FIGURES.iter().find(|f| f.name == name)
}

/// All names that [`super::Device::values`] can have, without `device.` before them.
pub fn all() -> impl Iterator<Item = &'static str> {
    let derived = DERIVED.iter().map(|(n, _)| *n);
    FIGURES.iter().map(|f| f.name).chain(derived)
}

/// The type of data as in `peak.fp16`, from any spelling of it.
pub fn data_type(spelt: &str) -> Option<&'static str> {
    let spelt = spelt.to_ascii_lowercase();
    let known = TYPES
        .iter()
        .find(|(name, others)| *name == spelt || others.contains(&spelt.as_str()));
    known.map(|(name, _)| *name)
}
