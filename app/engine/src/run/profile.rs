//! The profile stage: counters of one workload, apart from any timing.

use assay_core::record::{Profile, Stage};

use assay_exec::profile_cpu::{Choice, run_profile};
use assay_ledger::Blob;

use super::{Running, Staged};
use crate::error::Error;

impl Running<'_> {
    pub(super) fn profile_stage(&mut self) -> Staged<()> {
        self.ensure_built()?;
        let spec = self.session.stage(Stage::Profile)?;
        let workload = spec.profile_workload().unwrap_or_default().to_owned();
        let mut workloads = self.session.workloads(&self.b)?;
        workloads.retain(|w| w.name == workload);
        let job = self.unpaired_job(Stage::Profile, workloads)?;
        let choice = Choice::probe(&job.env, self.session.cancel);
        self.session
            .progress
            .line(&format!("profile: {}", choice.reason));
        let folder = self.b.build.side("profile")?;
        let (parsed, raw, version) = match run_profile(&choice, &job, &folder, self.session.cancel)?
        {
            Some(done) => {
                if let Some(f) = done.failure {
                    return Ok(Err(f));
                }
                for note in &done.notes {
                    self.session.progress.line(&format!("profile: {note}"));
                }
                let parsed = assay_profile::parse(&done.raw)
                    .map_err(|e| Error::environment(e.to_string()))?;
                (parsed, Blob::new(done.raw_name, done.raw), done.version)
            }
            None => {
                let Some((source, text)) = &self.source else {
                    self.session
                        .progress
                        .line("profile: no counters and no generated source; left out");
                    return Ok(Ok(()));
                };
                let parsed =
                    assay_profile::formats::static_asm::from_facts(&source.facts, &source.language);
                (
                    parsed,
                    Blob::new("kernel.s", text.clone().into_bytes()),
                    None,
                )
            }
        };
        for notice in assay_profile::canonical_notices(&parsed) {
            self.session.progress.line(&format!("profile: {notice}"));
        }
        let (run, subject) = (self.run, self.b.subject.clone());
        let profile = Profile {
            tool_version: version.or_else(|| parsed.tool_version.clone()),
            flavour: Some(parsed.flavour.clone()),
            counters: assay_profile::canonical_figures(&parsed),
            ..Profile::new(run, subject, workload, scope(&parsed.tool), raw.reference())
        };
        self.append(profile.clone(), &[raw])?;
        self.profile = Some(profile);
        Ok(Ok(()))
    }
}

/// The tool, and that it counted all of the process: harness, inputs and one launch of the kernel.
fn scope(tool: &str) -> String {
    match tool {
        "static" => tool.to_owned(),
        tool => format!("{tool}, whole process"),
    }
}
