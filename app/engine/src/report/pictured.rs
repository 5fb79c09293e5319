//! What the pictures of a report and its diagnosis need beside the records' own views.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::fold::State;
use assay_core::view::SampleSet;
use assay_profile::device::{Device, data_type};
use assay_report::{ChainRow, MOST_PICTURES, Peaks, ReportModel};

use crate::data::{self, Data};
use crate::profiles::context;
use crate::workbench::Workbench;

impl Workbench {
    /// Fills in samples of the versions that are drawn, the roofs of the device and the diagnosis of
    /// the champion, as far as they are to be had.
    pub(super) fn picture(&self, state: &State, model: &mut ReportModel) {
        model.samples = self.drawn_samples(state, &model.chain);
        let folders = data::folders(Some(&self.options.dirs.data), &self.options.dir, None);
        let Some(data) = folders.ok().and_then(|f| Data::load(&f).ok()) else {
            return;
        };
        let dtypes = model.task.workloads.iter().map(|w| w.dtype.clone());
        model.peaks = self.peaks(state, &data, &dtypes.collect());
        if let Some(champion) = &model.list.champion {
            model.diagnosis = self.diagnose(state, champion, &data);
        }
        model.audit = self.audit_in_short(state, &data).ok();
    }

    fn drawn_samples(&self, state: &State, chain: &[ChainRow]) -> BTreeMap<String, Vec<SampleSet>> {
        let mut out = BTreeMap::new();
        for row in chain.iter().rev().take(MOST_PICTURES) {
            let Some(against) = &row.against else {
                continue;
            };
            let sets = self.samples(state, against, &row.name);
            if let Some(sets) = sets.ok().filter(|s| !s.is_empty()) {
                out.insert(row.name.clone(), sets);
            }
        }
        out
    }

    /// The roofs of the device that the newest run was on, or that the campaign names.
    pub(crate) fn peaks(
        &self,
        state: &State,
        data: &Data,
        dtypes: &BTreeSet<String>,
    ) -> Option<Peaks> {
        let targets = self.config.as_ref().map(|c| &c.targets);
        let run = state.newest_run();
        let target = match run {
            Some(run) => targets.and_then(|t| t.get(&run.target)),
            None => targets.and_then(|t| t.values().next()),
        };
        let machine = run.map(|r| r.environment.device.as_str());
        let device = context::device_of(target, None, machine, data).ok()??;
        peaks_of(&device, dtypes)
    }
}

/// Bandwidth and peaks in bytes/s and flop/s, of the types as the workloads spell them; nothing
/// without a bandwidth.
fn peaks_of(device: &Device, dtypes: &BTreeSet<String>) -> Option<Peaks> {
    let bandwidth = device.figure("bandwidth")?;
    let peak = |dtype: &String| {
        let name = format!("peak.{}", data_type(dtype)?);
        // A device file gives TFLOPS and GB/s.
        Some((dtype.clone(), device.figure(&name)?.value * 1e12))
    };
    Some(Peaks {
        device: device.title.clone(),
        source: bandwidth.origin.clone(),
        bytes_per_s: bandwidth.value * 1e9,
        flops_per_s: dtypes.iter().filter_map(peak).collect(),
    })
}
