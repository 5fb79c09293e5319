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
    /// Fills in samples of the versions that are drawn, the diagnosis of the champion and the audit,
    /// as far as they are to be had.
    pub(super) fn picture(&self, state: &State, model: &mut ReportModel) {
        model.samples = self.drawn_samples(state, &model.chain);
        let Some(data) = self.device_data() else {
            return;
        };
        if let Some(champion) = &model.list.champion {
            model.diagnosis = self.diagnose(state, champion, &data);
        }
        model.audit = self.audit_in_short(state, &data).ok();
    }

    /// Fills in the roofs of the device.
    pub(super) fn roofs(&self, state: &State, model: &mut ReportModel) {
        let Some(data) = self.device_data() else {
            return;
        };
        let dtypes = model.task.workloads.iter().map(|w| w.dtype.clone());
        model.peaks = self.peaks(state, &data, &dtypes.collect());
    }

    fn device_data(&self) -> Option<Data> {
        let folders = data::folders(Some(&self.options.dirs.data), &self.options.dir, None);
        folders.ok().and_then(|f| Data::load(&f).ok())
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

    /// The roofs of the device that the newest measurement was on, or that the campaign names.
    pub(crate) fn peaks(
        &self,
        state: &State,
        data: &Data,
        dtypes: &BTreeSet<String>,
    ) -> Option<Peaks> {
        let targets = self.config.as_ref().map(|c| &c.targets);
        let run = state.shown_run();
        let target = match run {
            Some(run) => targets.and_then(|t| t.get(&run.target)),
            None => targets.and_then(|t| t.values().next()),
        };
        let machine = run.map(|r| &r.environment);
        let device = context::device_of(target, None, machine, data).ok()??;
        peaks_of(&device, dtypes)
    }
}

/// Bandwidth and peaks in bytes/s and flop/s, of the types as the workloads spell them; nothing
/// without a bandwidth.
fn peaks_of(device: &Device, dtypes: &BTreeSet<String>) -> Option<Peaks> {
    let bandwidth = device.figure("bandwidth")?;
    let (mut source, mut source_zh) = (bandwidth.origin.clone(), bandwidth.chinese().to_owned());
    let mut flops_per_s = BTreeMap::new();
    for dtype in dtypes {
        let name = data_type(dtype).map(|t| format!("peak.{t}"));
        let Some(peak) = name.and_then(|n| device.figure(&n)) else {
            continue;
        };
        // A device file gives TFLOPS and GB/s.
        flops_per_s.insert(dtype.clone(), peak.value * 1e12);
        if !peak.origin.is_empty() && peak.origin != bandwidth.origin {
            source.push_str(&format!("; {dtype}: {}", peak.origin));
            source_zh.push_str(&format!("；{dtype}：{}", peak.chinese()));
        }
    }
    Some(Peaks {
        device: device.title.clone(),
        source,
        source_zh,
        record: format!("device {}", device.name),
        bytes_per_s: bandwidth.value * 1e9,
        flops_per_s,
    })
}
