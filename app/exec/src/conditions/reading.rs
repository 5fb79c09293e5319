//! What a machine says of its state at one moment. What it does not say is absent, never zero.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::Timestamp;
use assay_core::json;
use serde::Serialize;
use serde_json::Value;

/// Why a device runs below its highest clock, in the words of the common vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Nothing runs on it.
    Idle,
    /// The clock that someone has set.
    ClockSetting,
    /// The power limit, kept by the driver: a way to work, not a fault.
    PowerCap,
    /// A slowdown by the hardware that it does not explain further: heat, power brake or supply.
    HardwareSlowdown,
    /// Waiting for the clocks of other devices.
    SyncBoost,
    /// Heat, kept in bounds by the driver.
    SoftwareThermal,
    /// Heat, kept in bounds by the hardware.
    HardwareThermal,
    /// The power supply asked for less.
    PowerBrake,
    /// The clock that a display needs.
    DisplayClock,
    /// Heat of a processor; its counters do not say who acted.
    Thermal,
    /// A reason that has no name here.
    Unnamed,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Idle,
        Self::ClockSetting,
        Self::PowerCap,
        Self::HardwareSlowdown,
        Self::SyncBoost,
        Self::SoftwareThermal,
        Self::HardwareThermal,
        Self::PowerBrake,
        Self::DisplayClock,
        Self::Thermal,
        Self::Unnamed,
    ];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::ClockSetting => "clock-setting",
            Self::PowerCap => "power-cap",
            Self::HardwareSlowdown => "hardware-slowdown",
            Self::SyncBoost => "sync-boost",
            Self::SoftwareThermal => "software-thermal",
            Self::HardwareThermal => "hardware-thermal",
            Self::PowerBrake => "power-brake",
            Self::DisplayClock => "display-clock",
            Self::Thermal => "thermal",
            Self::Unnamed => "unnamed",
        }
    }

    /// What it is called in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Idle => "idling",
            Self::ClockSetting => "a clock setting",
            Self::PowerCap => "a power cap",
            Self::HardwareSlowdown => "a hardware slowdown",
            Self::SyncBoost => "a boost in step with other devices",
            Self::SoftwareThermal => "a thermal slowdown by the driver",
            Self::HardwareThermal => "a thermal slowdown by the hardware",
            Self::PowerBrake => "a power brake",
            Self::DisplayClock => "the clock of a display",
            Self::Thermal => "a thermal slowdown",
            Self::Unnamed => "a reason without a name",
        }
    }

    /// Whether it is a thermal or hardware slowdown: what was measured under it is no evidence.
    pub fn voids(self) -> bool {
        matches!(
            self,
            Self::HardwareSlowdown
                | Self::SoftwareThermal
                | Self::HardwareThermal
                | Self::PowerBrake
                | Self::Thermal
        )
    }
}

/// A process that works on the device and is not ours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherProcess {
    /// Its number, as the tool tells it; in a container it may be that of the host.
    pub pid: u32,
    /// Its name, safe to print.
    pub name: String,
    /// Memory of the device that it holds, in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<f64>,
    /// Share of one processor that it used since the reading before, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_percent: Option<f64>,
}

/// The state of a device at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conditions {
    /// When the reading was complete.
    pub at: Timestamp,
    /// What was asked: `cpu`, `nvidia-smi` or `mx-smi`.
    pub source: &'static str,
    /// Identity of the device, where the tool tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Clock of the compute units in MHz; on a CPU that of its fastest core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_clock_mhz: Option<f64>,
    /// Clock of the memory in MHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem_clock_mhz: Option<f64>,
    /// Power drawn in watts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_w: Option<f64>,
    /// The power limit in force in watts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_cap_w: Option<f64>,
    /// The highest temperature in degrees Celsius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<f64>,
    /// What holds the clock down now; empty when it is known that nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle: Option<BTreeSet<Reason>>,
    /// Counters that only grow: microseconds for a GPU, events for a processor.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub throttle_counts: BTreeMap<Reason, u64>,
    /// How busy it is, in percent of all it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<f64>,
    /// Who else works on it; empty when it is known that nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_processes: Option<Vec<OtherProcess>>,
    /// Whether the clock is held at one value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// Governor of the processors' clocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Load of the last minute: tasks that ran or waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Microseconds since boot in which some task waited for a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_us: Option<u64>,
    /// Milliseconds of all processors since boot that the hypervisor gave to other machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stolen_ms: Option<u64>,
}

impl Conditions {
    /// A reading that knows nothing yet.
    pub fn unknown(source: &'static str, at: Timestamp) -> Self {
        Self {
            at,
            source,
            device: None,
            sm_clock_mhz: None,
            mem_clock_mhz: None,
            power_w: None,
            power_cap_w: None,
            temperature_c: None,
            throttle: None,
            throttle_counts: BTreeMap::new(),
            utilisation: None,
            other_processes: None,
            locked: None,
            governor: None,
            load: None,
            waited_us: None,
            stolen_ms: None,
        }
    }

    /// Whether the device says that nothing runs on it, so that its clock is that of no leg.
    pub fn idle(&self) -> bool {
        let said = self.throttle.as_ref();
        said.is_some_and(|r| r.contains(&Reason::Idle)) || self.utilisation == Some(0.0)
    }

    /// Names and values as text, for a record's map of conditions.
    pub fn texts(&self) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        let mut put = |name: &str, value: Option<String>| {
            if let Some(v) = value.filter(|v| !v.is_empty()) {
                out.insert(name.to_owned(), v);
            }
        };
        let number = |value: Option<f64>, unit: &str| value.map(|v| format!("{v:.0} {unit}"));
        put("device", self.device.clone());
        put("clock", number(self.sm_clock_mhz, "MHz"));
        put("memory-clock", number(self.mem_clock_mhz, "MHz"));
        put("power", number(self.power_w, "W"));
        put("power-cap", number(self.power_cap_w, "W"));
        put("temperature", number(self.temperature_c, "C"));
        put("utilisation", number(self.utilisation, "%"));
        put("locked", self.locked.map(|l| l.to_string()));
        let reasons = self.throttle.as_ref().map(|reasons| {
            let names: Vec<&str> = reasons.iter().map(|r| r.name()).collect();
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        });
        put("throttle", reasons);
        put("others", self.other_processes.as_deref().map(names));
        out
    }

    /// One line of JSON for the file of samples, of kind `conditions`; readers of samples skip it.
    ///
    /// `place` says where in the measurement it belongs, e.g. `process` and `when`.
    pub fn line(&self, place: &[(&str, Value)]) -> String {
        let Ok(Value::Object(mut map)) = serde_json::to_value(self) else {
            return String::new(); // a struct of plain fields is an object
        };
        map.insert("assay".into(), 1.into());
        map.insert("kind".into(), "conditions".into());
        for (key, value) in place {
            map.insert((*key).to_owned(), value.clone());
        }
        json::canonical(&map).unwrap_or_default()
    }
}

/// Processes as a list for people, e.g. `cc1 (97 %), python3 (512 MiB)`.
pub fn names(processes: &[OtherProcess]) -> String {
    const SHOWN: usize = 6;
    let mut list: Vec<String> = processes.iter().take(SHOWN).map(named).collect();
    if processes.len() > SHOWN {
        list.push(format!("{} more", processes.len() - SHOWN));
    }
    list.join(", ")
}

fn named(p: &OtherProcess) -> String {
    match (p.busy_percent, p.memory_mib) {
        (Some(busy), _) => format!("{} ({busy:.0} %)", p.name),
        (None, Some(mib)) => format!("{} ({mib:.0} MiB)", p.name),
        (None, None) => p.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_not_zero_in_text_and_in_lines() {
        let mut c = Conditions::unknown("cpu", Timestamp::UNIX_EPOCH);
        assert!(c.texts().is_empty());
        assert_eq!(
            c.line(&[("process", 2.into()), ("when", "before".into())]),
            r#"{"assay":1,"at":"1970-01-01T00:00:00Z","kind":"conditions","process":2,"source":"cpu","when":"before"}"#
        );
        c.throttle = Some(BTreeSet::new());
        c.other_processes = Some(Vec::new());
        c.power_w = Some(0.0);
        let text: Vec<String> = c.texts().iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(text, ["power=0 W", "throttle=none"]);
        assert!(c.line(&[]).contains(r#""other_processes":[]"#));
    }

    #[test]
    fn names_of_reasons_are_those_of_the_lines() {
        for reason in Reason::ALL {
            let json = serde_json::to_value(reason).unwrap();
            assert_eq!(json, reason.name());
        }
        let voiding: Vec<&str> = Reason::ALL
            .into_iter()
            .filter(|r| r.voids())
            .map(Reason::name)
            .collect();
        assert_eq!(
            voiding,
            [
                "hardware-slowdown",
                "software-thermal",
                "hardware-thermal",
                "power-brake",
                "thermal"
            ]
        );
    }

    #[test]
    fn a_long_list_of_processes_is_cut_and_says_so() {
        let one = |pid| OtherProcess {
            pid,
            name: format!("p{pid}"),
            memory_mib: (pid == 1).then_some(512.4),
            busy_percent: (pid == 2).then_some(97.5),
        };
        let many: Vec<OtherProcess> = (1..9).map(one).collect();
        assert_eq!(
            names(&many),
            "p1 (512 MiB), p2 (98 %), p3, p4, p5, p6, 2 more"
        );
    }
}
