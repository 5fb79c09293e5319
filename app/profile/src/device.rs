//! Devices: what their units, caches, memory and peaks are, and where each figure is from.
//!
//! They are data, in `profiles/devices/`; the schema is described at the head of `c500.toml`.
//! Figures contradict each other between sources: a device may have several of one name, told
//! apart by a label, of which one is the default. An override file, or `choose` in it, takes
//! another.

mod file;
mod names;
mod recognise;
mod told;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_core::units::{Ratio, format_percent};
use serde::Deserialize;

use crate::Profile;
use crate::data_file::with_near;

pub use names::{
    DERIVED, FIGURES, KnownFigure, all as value_names, data_type, figure as known_figure,
};
pub use told::{Told, told};

/// The schema that this version reads.
pub const SCHEMA: &str = "assay.device/1";

/// What stands before the name of a figure in rules and formulas.
pub const PREFIX: &str = "device.";

const BUILTIN: &[(&str, &str)] = &[
    (
        "c500.toml",
        include_str!("../../../profiles/devices/c500.toml"),
    ),
    (
        "h200.toml",
        include_str!("../../../profiles/devices/h200.toml"),
    ),
    (
        "h800.toml",
        include_str!("../../../profiles/devices/h800.toml"),
    ),
];

/// What kind of processor a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A GPU.
    Gpu,
    /// A CPU.
    Cpu,
}

/// One figure of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name, one of [`FIGURES`].
    pub name: String,
    /// Tells figures of one name apart; may be empty.
    pub label: String,
    /// Value, in the unit.
    pub value: f64,
    /// Unit.
    pub unit: String,
    /// Clock that it holds at, in GHz, where it depends on one.
    pub clock: Option<f64>,
    /// Where it is from.
    pub origin: String,
    /// The same in Chinese; empty where the file does not say it.
    pub origin_zh: String,
    /// Whether it is the one to take among those of its name.
    pub is_default: bool,
}

impl Figure {
    /// Where it is from in Chinese, or in English where the file has no other.
    pub fn chinese(&self) -> &str {
        match self.origin_zh.as_str() {
            "" => &self.origin,
            chinese => chinese,
        }
    }
}

/// How a report shows that it is about a device: all of these must hold.
#[derive(Debug, Clone, PartialEq)]
struct Sign {
    tool: String,
    /// Words by the name of a counter.
    words: BTreeMap<String, String>,
    /// Numbers by the name of a counter, canonical or the tool's.
    values: BTreeMap<String, f64>,
}

/// A device, or a share of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Name, as in `--device c500`.
    pub name: String,
    /// What it is called; of a share, with the share and what that means.
    pub title: String,
    /// Who makes it.
    pub vendor: String,
    /// What kind of processor it is.
    pub kind: Kind,
    /// What a person should know; may be empty.
    pub note: String,
    /// Share of the whole device, 1 for all of it.
    pub share: f64,
    /// Its figures.
    pub figures: Vec<Figure>,
    signs: Vec<Sign>,
    /// What its driver calls the whole device.
    names: Vec<String>,
}

/// What is wrong with a device file, or with the name of a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A file that cannot be used.
    #[error("device file `{file}`, line {line}: {problem}")]
    File {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// No device, or no share of one.
    #[error("device `{spec}`: {problem}")]
    Spec {
        /// What was asked for.
        spec: String,
        /// What is wrong, and what there is.
        problem: String,
    },
}

/// The devices that are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Devices {
    devices: Vec<Device>,
}

static DEFAULT: LazyLock<Devices> = LazyLock::new(|| {
    // A test holds the built-in files to be valid; without devices rates have no peak beside them.
    Devices::load(BUILTIN.iter().copied()).unwrap_or_default()
});

impl Devices {
    /// The devices that are built in.
    pub fn builtin() -> &'static Self {
        &DEFAULT
    }

    /// The files of the built-in devices, as (name, content): what others of one's own come after.
    pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
        BUILTIN
    }

    /// Reads device files, given as (name, content). A later file replaces an earlier device of the
    /// same name; with `base` it changes a copy of the one that it names.
    ///
    /// # Errors
    /// Names the file and the line of what cannot be used.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, DeviceError> {
        let mut devices: Vec<Device> = Vec::new();
        for (name, text) in files {
            let device = file::parse(name, text, &devices)?;
            match devices.iter_mut().find(|d| d.name == device.name) {
                Some(old) => *old = device,
                None => devices.push(device),
            }
        }
        Ok(Self { devices })
    }

    /// All devices, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter()
    }

    /// The device of a name.
    pub fn get(&self, name: &str) -> Option<&Device> {
        self.iter().find(|d| d.name == name)
    }

    /// The device, or the share of one, that `c500` or `c500@25%` names.
    ///
    /// # Errors
    /// When there is no such device, or the share is none; says what there is.
    pub fn find(&self, spec: &str) -> Result<Device, DeviceError> {
        let (name, share) = parse_spec(spec)?;
        let Some(device) = self.get(name) else {
            let known: Vec<&str> = self.iter().map(|d| d.name.as_str()).collect();
            let problem = format!("not known; there are {}", known.join(", "));
            return Err(DeviceError::Spec {
                spec: spec.to_owned(),
                problem: with_near(problem, name, known),
            });
        };
        Ok(device.slice(share))
    }

    /// The device that a report is about, and why, where the report shows it.
    pub fn recognise(&self, profile: &Profile) -> Option<(&Device, String)> {
        recognise::recognise(&self.devices, profile)
    }

    /// The device that a driver calls by a name; none where several files claim it.
    pub fn called(&self, name: &str) -> Option<&Device> {
        let mut of = (self.iter()).filter(|d| d.names.iter().any(|n| n == name.trim()));
        let first = of.next();
        first.filter(|_| of.next().is_none())
    }
}

impl Device {
    /// The figure to take of a name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        let same = || self.figures.iter().filter(|f| f.name == name);
        same().find(|f| f.is_default).or_else(|| same().next())
    }

    /// A share of the device, above 0 and at most 1: units, bandwidth and peaks are scaled linearly,
    /// which the title says. Any other share leaves it as it is.
    ///
    /// No vendor promises that a slice gets just its share; it is what users reckon with.
    pub fn slice(&self, share: f64) -> Self {
        let mut device = self.clone();
        if !(share > 0.0 && share < 1.0) {
            return device;
        }
        device.share *= share;
        let percent = format_percent(device.share);
        device.title = format!(
            "{}, slice of {percent} (units, bandwidth and peaks scaled linearly, a convention of users)",
            self.title
        );
        for f in &mut device.figures {
            if known_figure(&f.name).is_some_and(|k| k.scales) {
                f.value *= share;
                f.origin = format!("{}; scaled to a slice of {percent}", f.origin);
                if !f.origin_zh.is_empty() {
                    f.origin_zh = format!("{}；已缩放至 {percent} 的切片", f.origin_zh);
                }
            }
        }
        device
    }

    /// The figures under the names that rules and formulas have for them, `device.` included.
    /// `device.peak` and `device.ridge` are there when the type of data is known and has a peak;
    /// `device.peak.most` is the highest of the figures that are quoted for it, at whatever clock.
    pub fn values(&self, dtype: Option<&str>) -> BTreeMap<String, f64> {
        let mut values = BTreeMap::new();
        let mut set = |name: &str, value: f64| values.insert(format!("{PREFIX}{name}"), value);
        for f in &self.figures {
            if let Some(f) = self.figure(&f.name) {
                set(&f.name, f.value);
            }
        }
        set("share", self.share);
        let wanted = dtype.and_then(data_type);
        let bandwidth = self.figure("bandwidth").map(|f| f.value);
        for (ridge, _) in DERIVED {
            let Some(dtype) = ridge.strip_prefix("ridge.") else {
                continue;
            };
            let name = format!("peak.{dtype}");
            let Some(peak) = self.figure(&name).map(|f| f.value) else {
                continue;
            };
            if wanted == Some(dtype) {
                set("peak", peak);
                let quoted = self.figures.iter().filter(|f| f.name == name);
                set("peak.most", quoted.fold(peak, |most, f| most.max(f.value)));
            }
            if let Some(bandwidth) = bandwidth {
                // TFLOPS over GB/s.
                let value = peak * 1e3 / bandwidth;
                set(ridge, value);
                if wanted == Some(dtype) {
                    set("ridge", value);
                }
            }
        }
        values
    }
}

/// The unit of a name in [`Device::values`], given without `device.`.
pub fn unit_of(name: &str) -> Option<&'static str> {
    let derived = || DERIVED.iter().find(|(n, _)| *n == name).map(|(_, u)| *u);
    known_figure(name).map(|f| f.unit).or_else(derived)
}

/// Splits `c500@25%` into name and share; without `@` the share is 1.
///
/// # Errors
/// When the share is not a percentage above 0 and up to 100.
pub fn parse_spec(spec: &str) -> Result<(&str, f64), DeviceError> {
    let Some((name, share)) = spec.split_once('@') else {
        return Ok((spec, 1.0));
    };
    let problem = |problem: String| DeviceError::Spec {
        spec: spec.to_owned(),
        problem,
    };
    let Ratio(share) = share
        .parse()
        .map_err(|e| problem(format!("the share: {e}")))?;
    if !(share > 0.0 && share <= 1.0) {
        return Err(problem("a share is above 0 % and at most 100 %".into()));
    }
    Ok((name, share))
}
