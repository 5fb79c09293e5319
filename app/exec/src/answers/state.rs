//! What a harness says of the state of its device: an answer of kind `conditions`.

use std::collections::BTreeSet;

use super::parse::Fields;
use crate::conditions::Reason;

/// Reasons in one answer.
const REASONS_MAX: usize = 32;
/// Characters of `source`.
const SOURCE_MAX: usize = 32;

/// State of the device right after a block, or after one of its legs. What is not known is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceState {
    /// Workload.
    pub workload: String,
    /// Number of the process, from 1.
    pub process: u32,
    /// Block, from 0.
    pub block: u32,
    /// Position in the block, from 0; absent when it is about the whole block.
    pub leg: Option<u32>,
    /// Clock of the compute units in MHz.
    pub sm_mhz: Option<f64>,
    /// Clock of the memory in MHz.
    pub mem_mhz: Option<f64>,
    /// Power drawn in watts.
    pub power_w: Option<f64>,
    /// The power limit in force in watts.
    pub power_cap_w: Option<f64>,
    /// Temperature in degrees Celsius.
    pub celsius: Option<f64>,
    /// What holds the clock down; empty when it is known that nothing does.
    pub reasons: Option<BTreeSet<Reason>>,
    /// What was asked, e.g. `nvml`.
    pub source: String,
}

pub(super) fn read(fields: &Fields<'_>) -> Result<DeviceState, String> {
    let within = |name: &str, low: f64, high: f64, unit: &str| match fields.0.get(name) {
        None => Ok(None),
        Some(v) => match v.as_f64() {
            Some(x) if (low..=high).contains(&x) => Ok(Some(x)),
            _ => Err(format!(
                "`{name}` is {v}, not a number from {low} to {high} {unit}; leave out what is not known"
            )),
        },
    };
    let source = fields.text("source")?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if source.is_empty() || source.len() > SOURCE_MAX || !source.chars().all(is_word) {
        return Err(format!(
            "`source` is not a name of 1 to {SOURCE_MAX} letters, digits and `-_.`"
        ));
    }
    let state = DeviceState {
        workload: fields.text("workload")?,
        process: fields.small("process")?,
        block: fields.small("block")?,
        leg: match fields.0.get("leg") {
            None => None,
            Some(_) => Some(fields.small("leg")?),
        },
        sm_mhz: within("sm_mhz", 1.0, 1e5, "MHz")?,
        mem_mhz: within("mem_mhz", 1.0, 1e5, "MHz")?,
        power_w: within("power_w", 0.0, 1e5, "W")?,
        power_cap_w: within("power_cap_w", 0.0, 1e5, "W")?,
        celsius: within("celsius", -100.0, 1000.0, "degrees Celsius")?,
        reasons: reasons(fields)?,
        source,
    };
    let figures = [
        state.sm_mhz,
        state.mem_mhz,
        state.power_w,
        state.power_cap_w,
        state.celsius,
    ];
    if figures.iter().all(Option::is_none) && state.reasons.is_none() {
        return Err("says nothing; leave the line out where nothing is known".into());
    }
    Ok(state)
}

fn reasons(fields: &Fields<'_>) -> Result<Option<BTreeSet<Reason>>, String> {
    let Some(value) = fields.0.get("reasons") else {
        return Ok(None);
    };
    let list = value
        .as_array()
        .filter(|list| list.len() <= REASONS_MAX)
        .ok_or_else(|| format!("`reasons` is not a list of at most {REASONS_MAX} names"))?;
    let reason = |v: &serde_json::Value| {
        let known = Reason::ALL.into_iter();
        let name = v.as_str().unwrap_or_default();
        known.clone().find(|r| r.name() == name).ok_or_else(|| {
            let names: Vec<&str> = known.map(Reason::name).collect();
            format!("`reasons` has {v}, which is none of {}", names.join(", "))
        })
    };
    list.iter().map(reason).collect::<Result<_, _>>().map(Some)
}
