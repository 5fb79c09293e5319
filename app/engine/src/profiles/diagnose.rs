//! What the reports of a variant say about the kernel: bottleneck, what to try, what must move.

use assay_core::RecordId;
use assay_core::fold::State;
use assay_core::record;
use assay_core::view::FindingView;
use assay_profile::rules::Kind;

use super::audit::{Audit, newest};
use crate::data::Data;
use crate::workbench::Workbench;

impl Workbench {
    /// The diagnosis of the newest reports of a variant, alone and against what it came from.
    ///
    /// A report that cannot be read again says nothing here; `assay audit` tells of it.
    pub(crate) fn diagnose(&self, state: &State, name: &str, data: &Data) -> Vec<FindingView> {
        let mut audit = Audit::new(self, state, data, Kind::Diagnosis);
        let params = audit.params(name);
        let records: Vec<(RecordId, record::Profile)> =
            newest(state, name).map(|(id, p)| (id, p.clone())).collect();
        for (id, p) in &records {
            audit.profile(name, *id, p, &params);
        }
        for other in audit.others(name) {
            for (id, p) in &records {
                audit.pair(name, *id, p, &other);
            }
        }
        audit.out.view(&self.campaign).findings
    }
}
