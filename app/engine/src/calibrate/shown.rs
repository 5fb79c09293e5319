//! `assay calibrate` as shown: what was measured now, and what was measured before.

use std::path::Path;

use assay_core::RecordId;
use assay_core::record::Environment;
use assay_core::view::{CalibrateView, NoiseView, PeakView};
use assay_exec::plan::StageEnv;
use assay_exec::progress::Silent;
use assay_exec::{Cancel, fingerprint};

use super::{Calibrated, Machine};
use crate::error::Result;
use crate::run::device::Watcher;
use crate::workbench::Workbench;

/// The document of `assay calibrate`; `now` is the record of the calibration just made.
pub fn view(
    peaks: Option<Calibrated>,
    history: Vec<NoiseView>,
    now: Option<RecordId>,
) -> CalibrateView {
    let machine = Machine::read(Path::new("/"));
    let now = now.map(|id| id.to_string());
    let noise = history.iter().find(|n| Some(&n.id) == now.as_ref());
    let mut out = CalibrateView {
        schema: "assay.calibrate/1".into(),
        device: machine.device_name(),
        title: machine.title(),
        file: None,
        compiler: None,
        threads: None,
        array_bytes: None,
        peaks: Vec::new(),
        remarks: Vec::new(),
        noise: noise.cloned(),
        history,
    };
    if let Some(p) = peaks {
        out.device = p.device;
        out.title = p.title;
        out.file = Some(p.file);
        out.compiler = Some(p.compiler);
        out.threads = Some(p.threads);
        out.array_bytes = Some(p.array_bytes);
        out.remarks = p.remarks;
        out.peaks = (p.peaks.into_iter())
            .map(|p| PeakView {
                name: p.name,
                label: p.label,
                unit: p.unit.to_owned(),
                best: p.best,
                median: p.median,
                repetitions: p.repetitions,
                threads: p.threads,
            })
            .collect();
    }
    out
}

impl Workbench {
    /// The calibrations of this device in the campaign, newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn calibrations(&self) -> Result<Vec<NoiseView>> {
        let here = self.environment_here();
        let device = fingerprint::device_hash(&here);
        let state = self.state_of(&[])?;
        let of = state.calibrations().rev();
        let here = of.filter(|(_, c)| c.subject.key.device == device);
        let shown = here.filter_map(|(id, c)| {
            let at = state.get(id)?.created_at.to_string();
            Some(NoiseView::new(id, at, c))
        });
        Ok(shown.collect())
    }

    /// What the card of the campaign's local target is called; `None` for a processor.
    pub fn card(&self) -> Option<String> {
        self.environment_here().stable.remove("gpu.model")
    }

    /// The machine with the device of the local target.
    fn environment_here(&self) -> Environment {
        let config = self.config().ok();
        let pass = config.map_or(&[][..], |c| &c.env_pass);
        let env = StageEnv::new(|name| std::env::var_os(name), pass).vars();
        let target = config.and_then(|c| c.targets.get("local"));
        Watcher::new(target, &env, &Silent, &Cancel::new()).0
    }
}
