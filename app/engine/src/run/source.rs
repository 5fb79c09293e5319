//! The source stage: the generated source, its hashes and facts.

use std::fs;

use assay_core::record::{Failure, FailureKind, Source, Stage};
use assay_exec::stage::{StageJob, run_plain};
use assay_ledger::Blob;
use assay_source::{SourceFile, analyse};

use super::{Running, Staged};
use crate::error::Error;

impl Running<'_> {
    pub(super) fn source_stage(&mut self) -> Staged<()> {
        self.ensure_built()?;
        let spec = self.session.stage(Stage::Source)?;
        let (files, language) = spec
            .source()
            .ok_or_else(|| Error::input("the source stage names no files"))?;
        if let Some(command) = &spec.command {
            let log = self.b.build.log("source");
            let env = self.session.env_of(&self.b).vars();
            let mut job = StageJob::new(Stage::Source, command.clone(), &self.b.source, env, &log);
            job.limits = self.session.limits(Stage::Source)?;
            let (_, failure) = run_plain(&job, self.session.cancel, |_| {});
            if let Some(f) = failure {
                return Ok(Err(f));
            }
        }
        let mut captured = Vec::new();
        for name in files {
            match fs::read(self.b.build.path.join(name)) {
                Ok(bytes) => captured.push(SourceFile::new(name.clone(), bytes)),
                Err(e) => {
                    return Ok(Err(Failure {
                        kind: FailureKind::Compile,
                        stage: Stage::Source,
                        message: format!("generated source {name} is missing: {e}"),
                        stderr_tail: String::new(),
                    }));
                }
            }
        }
        let found = analyse(language.name(), &captured).map_err(|e| Error::input(e.to_string()))?;
        for notice in &found.notices {
            self.session.progress.line(&format!("source: {notice}"));
        }
        let blobs: Vec<Blob> = captured
            .iter()
            .map(|f| Blob::new(f.path.clone(), f.bytes.clone()))
            .collect();
        let source = Source {
            run: self.run,
            subject: self.b.subject.clone(),
            language: found.language.name().to_owned(),
            files: blobs.iter().map(Blob::reference).collect(),
            raw: found.raw,
            normalised: found.normalised,
            facts: found.facts,
        };
        let text: Vec<&str> = captured.iter().filter_map(|f| f.text().ok()).collect();
        self.append(source.clone(), &blobs)?;
        self.source = Some((source, text.join("\n")));
        Ok(Ok(()))
    }
}
