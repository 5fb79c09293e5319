//! In which run something was measured.

use std::collections::HashMap;

use crate::record::{Body, Measurement, Run};
use crate::{RecordId, Sha256};

use super::State;

/// The runs of a state, found without looking through all records for each measurement.
pub(super) struct Runs<'a> {
    state: &'a State,
    by_id: HashMap<RecordId, &'a Run>,
    /// The first on each device.
    by_device: HashMap<Sha256, &'a Run>,
}

impl<'a> Runs<'a> {
    /// All that are in use.
    pub(super) fn of(state: &'a State) -> Self {
        let mut runs = Self {
            state,
            by_id: HashMap::new(),
            by_device: HashMap::new(),
        };
        for run in state.active().filter_map(run) {
            runs.by_id.entry(run.run).or_insert(run);
            runs.by_device.entry(run.subject.key.device).or_insert(run);
        }
        runs
    }

    /// The run in which something was measured; where it is not here, one on the same device, of its
    /// own subject if there is one.
    pub(super) fn of_measurement(&self, m: &Measurement) -> Option<&'a Run> {
        if let Some(run) = self.by_id.get(&m.run) {
            return Some(run);
        }
        let device = m.b.key.device;
        let mut own = self.state.owned(&m.b.name).filter_map(run);
        (own.find(|r| r.subject.key.device == device))
            .or_else(|| self.by_device.get(&device).copied())
    }
}

fn run(r: &crate::Record) -> Option<&Run> {
    match &r.body {
        Body::Run(run) => Some(run),
        _ => None,
    }
}
