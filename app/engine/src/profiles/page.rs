//! One variant's counters on one workload against what it came from, and what rules say of it.

use std::collections::BTreeSet;

use assay_core::RecordId;
use assay_core::fold::{State, row};
use assay_core::record;
use assay_core::view::{
    AuditView, CellView, ColumnView, CounterCompareView, CounterRow, RoofSpot, RoofState, RoofView,
    VariantProfile,
};
use assay_profile::catalog::Direction;
use assay_profile::compare::{Column, Options, compare};

use super::CounterRequest;
use super::audit::newest;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::workbench::Workbench;

/// Ancestors that are looked at for one with counters.
const GENERATIONS: usize = 8;

type Found<'s> = Vec<(RecordId, &'s record::Profile)>;

impl Workbench {
    /// The newest counters of a variant on a workload, against side A of its verdict, a parent, the
    /// champion or another ancestor, the first that was profiled on that workload too.
    ///
    /// Without `workload`, or where there is no profile on it, the workload is the one that the
    /// campaign profiles, or the first that there is.
    ///
    /// # Errors
    /// When the variant is unknown or the ledger cannot be read.
    pub fn variant_profile(
        &self,
        text: &str,
        workload: Option<&str>,
        data: &Data,
    ) -> Result<VariantProfile> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        let found: Found<'_> = newest(&state, &name).collect();
        let workloads = self.in_order(&found);
        let has = |w: &str| workloads.iter().any(|own| own == w);
        let chosen = (workload.filter(|w| has(w)).map(str::to_owned))
            .or_else(|| self.profiled().filter(|w| has(w)))
            .or_else(|| workloads.first().cloned());
        let mut view = VariantProfile {
            variant: name.clone(),
            workload: chosen.clone(),
            workloads,
            ..VariantProfile::default()
        };
        if let Some(workload) = chosen {
            let of_it: Found<'_> = (found.into_iter())
                .filter(|(_, p)| p.workload == workload)
                .collect();
            view.records = of_it.iter().map(|(id, _)| id.to_string()).collect();
            self.fill_counters(&state, &of_it, &workload, &mut view, data);
        }
        view.roof = self.roof(&state, &name, view.against.as_deref(), data);
        Ok(view)
    }

    /// What audit and diagnosis say of the reports of a variant, errors first.
    ///
    /// # Errors
    /// As [`Workbench::audit`].
    pub fn findings(&self, text: &str, data: &Data) -> Result<AuditView> {
        let mut view = self.audit(Some(text), data)?;
        let name = self.resolve(text)?;
        let mut more = self.diagnose(&self.state()?, &name, data);
        more.retain(|f| !view.findings.contains(f));
        view.findings.extend(more);
        let rank = |severity: &str| match severity {
            "error" => 0,
            "warning" => 1,
            _ => 2,
        };
        view.findings.sort_by_key(|f| rank(&f.severity));
        Ok(view)
    }

    /// The workload that the campaign profiles.
    fn profiled(&self) -> Option<String> {
        let config = self.config.as_ref()?;
        let stage = config.stage(assay_core::campaign::LOCAL, record::Stage::Profile)?;
        stage.profile_workload().map(str::to_owned)
    }

    /// The workloads of profiles, in the order of the campaign.
    fn in_order(&self, found: &Found<'_>) -> Vec<String> {
        let mut of: BTreeSet<&str> = found.iter().map(|(_, p)| p.workload.as_str()).collect();
        // Figures of no workload are on no page.
        of.remove("");
        let mut out = self.workload_names();
        out.retain(|w| of.remove(w.as_str()));
        out.extend(of.into_iter().map(str::to_owned));
        out
    }

    fn fill_counters(
        &self,
        state: &State,
        found: &Found<'_>,
        workload: &str,
        view: &mut VariantProfile,
        data: &Data,
    ) {
        let name = view.variant.clone();
        for other in self.references(state, &name) {
            let request = CounterRequest {
                names: vec![other.clone(), name.clone()],
                base: Some(other.clone()),
                workload: Some(workload.to_owned()),
                ..CounterRequest::default()
            };
            match self.compare_counters(&request, data) {
                Ok(compared) => {
                    view.counters = Some(compared);
                    view.against = Some(other);
                    view.alone = None;
                    return;
                }
                Err(e) => _ = view.alone.get_or_insert_with(|| e.to_string()),
            }
        }
        let counted = found.iter().find(|(_, p)| !p.is_published());
        let Some((_, p)) = counted.or(found.first()) else {
            return;
        };
        view.counters = Some(match self.counted(state, &name, p, data) {
            Ok(counters) => counters,
            Err(e) => recorded(&name, p, &e, data),
        });
    }

    /// The counters of one report, in its own order.
    fn counted(
        &self,
        state: &State,
        name: &str,
        p: &record::Profile,
        data: &Data,
    ) -> Result<CounterCompareView> {
        let side = self.side(state, name, p, &CounterRequest::default(), data)?;
        let column = || {
            Some(Column {
                label: &side.label,
                profile: &side.profile,
                launch: side.launch()?,
            })
        };
        let columns: Vec<Column<'_>> = [column(), column()].into_iter().flatten().collect();
        let mut view = compare(&columns, &Options::default(), &data.catalog)
            .map_err(|e| Error::input(e.to_string()))?;
        // Nothing differs from itself.
        view.columns.truncate(1);
        for row in &mut view.rows {
            row.cells.truncate(1);
            row.changes.clear();
            row.published.truncate(1);
        }
        view.not_compared = 0;
        view.warnings = side.remark.into_iter().collect();
        Ok(view)
    }

    /// What a variant is compared with, the best first: side A of its verdict, its parents, the
    /// champion, then those that its parents came from.
    fn references(&self, state: &State, name: &str) -> Vec<String> {
        let Some(own) = row(state, name) else {
            return Vec::new();
        };
        let mut above = own.parents.first().cloned();
        let mut out: Vec<String> = own.against.into_iter().chain(own.parents).collect();
        out.extend(state.champion().name().map(str::to_owned));
        for _ in 0..GENERATIONS {
            let Some(parent) = above else { break };
            let known = self.state_of(&[&parent]).ok();
            let parents = known.and_then(|s| row(&s, &parent)).map(|r| r.parents);
            above = parents.and_then(|p| p.first().cloned());
            out.extend(above.clone());
        }
        let mut seen = BTreeSet::new();
        out.retain(|o| o != name && seen.insert(o.clone()));
        out
    }

    fn roof(&self, state: &State, name: &str, against: Option<&str>, data: &Data) -> RoofState {
        let workloads = (self.config.as_ref()).and_then(|c| c.resolve_all().ok());
        let Some(workloads) = workloads.filter(|w| !w.is_empty()) else {
            return RoofState::NoFormulas;
        };
        let dtypes = workloads.iter().map(|w| w.dtype.clone()).collect();
        let Some(peaks) = self.peaks(state, data, &dtypes) else {
            return RoofState::NoPeaks;
        };
        let own = row(state, name);
        let reference = against.or(own.as_ref().and_then(|r| r.against.as_deref()));
        let subjects = [reference.and_then(|a| row(state, a)), own.clone()];
        let mut subjects: Vec<_> = subjects.into_iter().flatten().collect();
        self.mark_doubted(&mut subjects);
        let mut points = Vec::new();
        for w in &workloads {
            for subject in &subjects {
                if let Some(ns) = subject.median_ns.get(&w.name) {
                    points.push(RoofSpot {
                        subject: subject.name.clone(),
                        workload: w.name.clone(),
                        dtype: w.dtype.clone(),
                        flops: w.flops,
                        bytes: w.bytes,
                        ns: *ns,
                        published: subject.published.contains(&w.name),
                        doubted: subject.time_is_doubted(Some(&w.name)),
                    });
                }
            }
        }
        if points.is_empty() {
            return RoofState::NoTimes;
        }
        RoofState::Known(RoofView {
            device: peaks.device,
            source: peaks.source,
            source_zh: peaks.source_zh,
            bytes_per_s: peaks.bytes_per_s,
            flops_per_s: peaks.flops_per_s,
            points,
        })
    }
}

fn direction(d: Direction) -> &'static str {
    match d {
        Direction::Lower => "lower",
        Direction::Higher => "higher",
        Direction::Neither => "neither",
    }
}

/// The counters that the record itself holds, where the report cannot be read again.
fn recorded(name: &str, p: &record::Profile, why: &Error, data: &Data) -> CounterCompareView {
    let rows = p.counters.iter().map(|(counter, figure)| {
        let known = data.catalog.get(counter);
        CounterRow {
            section: String::new(),
            name: counter.clone(),
            canonical: Some(counter.clone()),
            unit: figure.unit.clone(),
            direction: known.map(|k| direction(k.direction).to_owned()),
            cells: vec![CellView {
                status: "value".into(),
                value: Some(figure.value.into()),
                raw: String::new(),
                resolution: None,
                suspect: Vec::new(),
            }],
            changes: Vec::new(),
            published: vec![None],
            outcome: "not_compared".into(),
            threshold: 0.0,
            weighted: 0.0,
        }
    });
    let rows: Vec<CounterRow> = rows.collect();
    CounterCompareView {
        schema: "assay.counter-compare/1".into(),
        columns: vec![ColumnView {
            label: name.to_owned(),
            tool: p.tool.clone(),
            tool_version: p.tool_version.clone(),
            kernel: p.kernel.clone().unwrap_or_default(),
            occurrence: p.occurrence,
            scope: "aggregate".into(),
            values: rows.len(),
        }],
        base: 0,
        rows,
        unchanged: 0,
        below_threshold: 0,
        no_figure: 0,
        not_compared: 0,
        threshold: 0.0,
        findings: Vec::new(),
        warnings: vec![format!("only what the record holds: {why}")],
    }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
