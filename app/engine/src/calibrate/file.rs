//! What was measured as a device file.

use std::collections::BTreeSet;

use assay_core::expr::MAX_EXACT;
use serde::Serialize;

use super::machine::Machine;
use super::{Measured, Peak, Printed};
use crate::error::{Error, Result};

/// Where the best repetition is this much better than the median, something else ran.
const UNEASY: f64 = 1.1;

/// What a figure of the program is in a device file: for all threads, and for one.
struct Place {
    printed: &'static str,
    all: &'static str,
    one: Option<&'static str>,
    label: &'static str,
    unit: &'static str,
    /// From the printed unit, which must be this one.
    from: &'static str,
    factor: f64,
}

const fn place(
    printed: &'static str,
    all: &'static str,
    one: &'static str,
    label: &'static str,
) -> Place {
    Place {
        printed,
        all,
        one: Some(one),
        label,
        unit: "TFLOPS",
        from: "GFLOPS",
        factor: 1e-3,
    }
}

const PLACES: [Place; 5] = [
    Place {
        unit: "GHz",
        from: "GHz",
        factor: 1.0,
        one: None,
        ..place("clock", "clock", "", "")
    },
    Place {
        unit: "GB/s",
        from: "GB/s",
        factor: 1.0,
        ..place("triad", "bandwidth", "bandwidth.unit", "triad")
    },
    Place {
        unit: "GB/s",
        from: "GB/s",
        factor: 1.0,
        ..place("copy", "bandwidth", "bandwidth.unit", "copy")
    },
    place("fma.fp32", "peak.fp32", "peak.fp32.unit", ""),
    place("fma.fp64", "peak.fp64", "peak.fp64.unit", ""),
];

/// The figures of the device that the printed ones are.
pub(super) fn peaks(printed: &Printed) -> Result<Vec<Peak>> {
    let mut out = Vec::new();
    for place in &PLACES {
        for (name, threads) in [(Some(place.all), printed.threads), (place.one, 1)] {
            let Some(name) = name else {
                continue;
            };
            let found = |m: &&Measured| m.name == place.printed && m.threads == threads;
            let m = printed.results.iter().find(found);
            let m = m.filter(|m| m.unit == place.from).ok_or_else(|| {
                Error::environment(format!(
                    "the measurement lacks {} of {threads} threads in {}",
                    place.printed, place.from
                ))
            })?;
            out.push(Peak {
                name: name.to_owned(),
                label: place.label.to_owned(),
                unit: place.unit,
                best: m.best * place.factor,
                median: m.median * place.factor,
                repetitions: m.repetitions,
                threads,
            });
        }
    }
    Ok(out)
}

/// What speaks against the figures.
pub(super) fn doubts(peaks: &[Peak]) -> Vec<String> {
    const ADVICE: &str = "calibrate again when the machine is idle";
    let named = |doubtful: &dyn Fn(&Peak) -> bool| {
        let names: BTreeSet<&str> = peaks
            .iter()
            .filter(|p| doubtful(p))
            .map(|p| p.name.as_str())
            .collect();
        let names: Vec<&str> = names.into_iter().collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let uneasy = named(&|p| p.best > p.median * UNEASY).map(|names| {
        format!("the best repetition is more than a tenth above the median ({names}): something else ran, or the clock moved; {ADVICE}")
    });
    let hindered = named(&|all| faster_alone(all, peaks).is_some());
    let hindered = hindered.map(|names| {
        format!("all threads together are slower than one ({names}): something else ran, and the figure of one thread stands for all; {ADVICE}")
    });
    uneasy.into_iter().chain(hindered).collect()
}

/// The same figure of one thread, where all threads together stayed below it.
fn faster_alone<'p>(all: &Peak, peaks: &'p [Peak]) -> Option<&'p Peak> {
    let of_one = format!("{}.unit", all.name);
    let mut same = peaks.iter().filter(|p| p.label == all.label);
    same.find(|one| all.threads > 1 && one.name == of_one && one.best > all.best)
}

/// What the device can do: with all threads at least what it can with one.
fn standing(p: &Peak, peaks: &[Peak]) -> f64 {
    faster_alone(p, peaks).map_or(p.best, |one| one.best)
}

/// A value in six digits, as it was printed before its unit was changed; whole ones as such.
fn number(value: f64) -> toml::Value {
    if value.fract() == 0.0 && value.abs() < MAX_EXACT {
        return toml::Value::Integer(value as i64);
    }
    toml::Value::Float(format!("{value:.5e}").parse().unwrap_or(value))
}

#[derive(Serialize)]
struct DeviceFile<'a> {
    schema: &'a str,
    name: String,
    title: String,
    vendor: &'a str,
    kind: &'a str,
    note: String,
    figure: Vec<Figure<'a>>,
}

#[derive(Serialize)]
struct Figure<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    default: bool,
    value: toml::Value,
    unit: &'a str,
    origin: String,
}

/// Around what was measured.
pub(super) struct Context<'a> {
    pub machine: &'a Machine,
    pub printed: &'a Printed,
    /// Compiler and flags.
    pub compiler: String,
    /// Day, as in 2026-11-30.
    pub date: String,
}

impl Context<'_> {
    /// The device file.
    pub(super) fn device_file(&self, peaks: &[Peak]) -> Result<String> {
        let mut figure = vec![told(
            "units",
            f64::from(self.printed.threads),
            "1",
            "processors that the program may use".into(),
        )];
        for (name, level) in [("l1", 1), ("l2", 2), ("l3", 3)] {
            if let Some(c) = self.machine.cache(level) {
                let origin = format!("/sys; one of {}", c.instances);
                figure.push(told(name, c.bytes as f64, "bytes", origin));
            }
        }
        if let Some(bytes) = self.machine.memory_bytes {
            figure.push(told(
                "memory",
                bytes as f64,
                "bytes",
                "/proc/meminfo".into(),
            ));
        }
        if let Some(khz) = self.machine.max_khz {
            figure.push(told("clock.max", khz as f64 / 1e6, "GHz", "/sys".into()));
        }
        for p in peaks {
            figure.push(Figure {
                name: &p.name,
                label: &p.label,
                default: is_default(p, peaks),
                value: number(standing(p, peaks)),
                unit: p.unit,
                origin: self.origin(p, peaks),
            });
        }
        let file = DeviceFile {
            schema: assay_profile::device::SCHEMA,
            name: self.machine.device_name(),
            title: self.machine.title(),
            vendor: self.machine.vendor.as_deref().unwrap_or("unknown"),
            kind: "cpu",
            note: format!(
                "Measured, not published: what compiled C reaches with vectors of {} bits. Peaks of other types are not known.",
                self.printed.vector_bits
            ),
            figure,
        };
        let text = toml::to_string(&file)
            .map_err(|e| Error::environment(format!("the device file: {e}")))?;
        Ok(format!(
            "# Written by `assay calibrate`, which replaces it. Schema: assay.device/1.\n{text}"
        ))
    }

    fn origin(&self, p: &Peak, peaks: &[Peak]) -> String {
        if let Some(one) = faster_alone(p, peaks) {
            return format!(
                "{}; all {} threads together reached {:.4} while something else ran, so that the figure of one stands",
                self.origin(one, peaks),
                p.threads,
                p.best
            );
        }
        let threads = if p.threads == 1 { "thread" } else { "threads" };
        format!(
            "measured by assay calibrate on {}, {} {threads}, {}: best of {}, median {:.4}",
            self.date, p.threads, self.compiler, p.repetitions, p.median
        )
    }
}

/// Of several figures of one name, the best is what the device can do.
fn is_default(p: &Peak, peaks: &[Peak]) -> bool {
    let mut same = peaks.iter().filter(|o| o.name == p.name);
    !p.label.is_empty()
        && same.all(|o| {
            let (other, own) = (standing(o, peaks), standing(p, peaks));
            o.label == p.label || other < own || (other == own && p.label > o.label)
        })
}

fn told<'a>(name: &'a str, value: f64, unit: &'a str, origin: String) -> Figure<'a> {
    Figure {
        name,
        label: "",
        default: false,
        value: number(value),
        unit,
        origin,
    }
}
