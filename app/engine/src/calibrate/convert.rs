//! What the statistics say of a machine's noise, as it stands in the ledger.

use assay_core::record as kept;
use assay_stats::calibrate as stats;
use assay_stats::resample;

/// The record of a calibration's result.
pub fn noise(c: &stats::Calibration) -> kept::MachineNoise {
    kept::MachineNoise {
        processes: c.processes,
        ratio: c.ratio,
        interval: c.interval,
        biased: c.biased,
        sd: c.sd,
        sd_interval: c.sd_interval,
        slot: c.slot.map(slot),
        smallest_effects: (c.smallest_effects.iter())
            .map(|e| kept::SmallestEffect {
                processes: e.processes,
                effect: e.effect,
            })
            .collect(),
        floor: c.floor,
        workloads: c.workloads.iter().map(workload).collect(),
        false_accepts: c.false_accepts.iter().map(false_accepts).collect(),
    }
}

fn slot(s: stats::Slot) -> kept::SlotEffect {
    kept::SlotEffect {
        effect: s.effect,
        interval: s.interval,
    }
}

fn workload(w: &stats::WorkloadNoise) -> kept::WorkloadNoise {
    kept::WorkloadNoise {
        workload: w.workload.clone(),
        median_ns: w.median_ns,
        decade: w.decade,
        sd: w.sd,
        sd_block: w.sd_block,
        tick_ns: w.tick_ns,
        tick_stated: w.tick_stated,
        slot: w.slot.map(slot),
    }
}

fn false_accepts(f: &resample::FalseAccepts) -> kept::FalseAccepts {
    kept::FalseAccepts {
        policy: f.policy.clone(),
        procedure: f.procedure.clone(),
        campaigns: f.campaigns,
        accepted: f.accepted,
        rate: f.rate,
        interval: f.interval,
        processes: f.processes,
    }
}

/// What to tell before time is spent, when the noise hides effects of `delta`.
pub fn too_coarse(n: &kept::MachineNoise, delta: f64) -> Option<String> {
    let effects = n.smallest_effects.iter();
    let calibration = stats::Calibration {
        processes: n.processes,
        ratio: n.ratio,
        interval: n.interval,
        biased: n.biased,
        sd: n.sd,
        sd_interval: n.sd_interval,
        slot: None,
        smallest_effects: effects
            .map(|e| stats::SmallestEffect {
                processes: e.processes,
                effect: e.effect,
            })
            .collect(),
        floor: n.floor,
        workloads: Vec::new(),
        false_accepts: Vec::new(),
    };
    calibration.supports(delta).err()
}
