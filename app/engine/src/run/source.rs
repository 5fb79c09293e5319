//! The source stage: the generated source, its hashes and facts.

use std::fs;

use assay_core::record::{CapturedTwice, Failure, FailureKind, Source, Stage};
use assay_exec::stage::{StageJob, run_plain};
use assay_ledger::Blob;
use assay_source::{Language, SourceFile, analyse, captures};

use super::{Running, Staged};
use crate::error::{Error, Result};

/// Lines of a hunk that are kept where two captures differ.
const HUNK_LINES: usize = 40;

/// Characters of each of them.
const LINE_CHARS: usize = 200;

impl Running<'_> {
    pub(super) fn source_stage(&mut self) -> Staged<()> {
        self.ensure_built()?;
        let captured = match self.capture()? {
            Ok(captured) => captured,
            Err(failure) => return Ok(Err(failure)),
        };
        let spec = self.session.stage(Stage::Source)?;
        let language = spec.source().map_or("", |(_, language)| language.name());
        let found = analyse(language, &captured).map_err(|e| Error::input(e.to_string()))?;
        for notice in &found.notices {
            self.session.progress.line(&format!("source: {notice}"));
        }
        let twice =
            (self.first_source.take()).map(|first| twice(found.language, &first, &captured));
        if let Some(t) = twice.as_ref().filter(|t| t.result != "equal") {
            self.session
                .progress
                .line(&format!("source: {}", t.sentence()));
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
            twice,
        };
        let text: Vec<&str> = captured.iter().filter_map(|f| f.text().ok()).collect();
        self.append(source.clone(), &blobs)?;
        self.source = Some((source, text.join("\n")));
        Ok(Ok(()))
    }

    /// The generated source of the build that is there, when the source stage is asked for; it is
    /// held against that of a second build. What cannot be captured now will fail in its stage.
    pub(super) fn source_of_first_build(&self) -> Result<Option<Vec<SourceFile>>> {
        let asked = self.session.request.stages.contains(&Stage::Source);
        if !asked || !self.session.has(Stage::Source) {
            return Ok(None);
        }
        Ok(self.capture()?.ok())
    }

    /// Runs the command of the stage, if there is one, and reads the files that it names.
    fn capture(&self) -> Staged<Vec<SourceFile>> {
        let spec = self.session.stage(Stage::Source)?;
        let (files, _) = spec
            .source()
            .ok_or_else(|| Error::input("the source stage names no files"))?;
        if let Some(command) = &spec.command {
            let log = self.b.build.log("source");
            let env = self.session.env_of(&self.b).vars();
            let mut job = StageJob::new(Stage::Source, command.clone(), &self.b.source, env, &log);
            job.limits = self.session.limits(Stage::Source)?;
            let (_, failure) = run_plain(&job, self.session.cancel, self.session.progress);
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
        Ok(Ok(captured))
    }
}

/// How the sources of two builds of one commit compare.
fn twice(language: Language, first: &[SourceFile], second: &[SourceFile]) -> CapturedTwice {
    let found = captures(language, first, second);
    let mut lines: Vec<String> = (found.hunk.iter())
        .take(HUNK_LINES)
        .map(|l| {
            let sign = match l.tag.as_str() {
                "delete" => '-',
                "insert" => '+',
                _ => ' ',
            };
            let text = l.pieces.iter().flat_map(|p| p.text.chars());
            std::iter::once(sign).chain(text.take(LINE_CHARS)).collect()
        })
        .collect();
    if found.hunk.len() > lines.len() {
        lines.push(format!("... {} more lines", found.hunk.len() - lines.len()));
    }
    CapturedTwice {
        result: found.result,
        file: found.file,
        hunk: lines.join("\n"),
        notice: found.notice,
    }
}
