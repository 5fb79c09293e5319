//! The check once more under `compute-sanitizer`: what it finds is a gate.

use std::fs;
use std::time::Duration;

use assay_core::campaign::{Device, Sanitizer};
use assay_core::record::{GateResult, Stage};
use assay_exec::cuda;
use assay_exec::plan::WorkloadSpec;
use assay_exec::process::CommandLine;
use assay_exec::sanitizer::{PROGRAM, Report, words};
use assay_exec::stage::{StageJob, run_stage};

use super::Running;
use super::build::read_log;
use crate::error::Result;
use crate::gates;

/// How much longer than the plain check it may take.
const PATIENCE: u32 = 10;

/// What came of it.
pub(super) struct Sanitized {
    /// The gate.
    pub gate: GateResult,
    /// What the tool and the program printed, for the log of the check.
    pub log: Vec<u8>,
}

impl Running<'_> {
    /// Runs the check of the smallest workload under the sanitizer that the campaign names, if it
    /// names one and the device is one of its kind.
    pub(super) fn sanitize(&self, workloads: &[WorkloadSpec]) -> Result<Option<Sanitized>> {
        let spec = self.session.stage(Stage::Check)?;
        // Kernels that are broken on purpose are no evidence about the subject.
        let is_asked = self.held.is_none() && self.session.kind == Device::Cuda;
        let Some(tool) = spec.sanitizer().filter(|_| is_asked) else {
            return Ok(None);
        };
        let without = |why: String| Sanitized {
            gate: gates::sanitizer(None, why),
            log: Vec::new(),
        };
        let work = |w: &&WorkloadSpec| w.flops.unwrap_or(0.0);
        let smallest = workloads.iter().min_by(|a, b| work(a).total_cmp(&work(b)));
        let Some(smallest) = smallest.cloned() else {
            return Ok(None);
        };
        let mut job = self.unpaired_job(Stage::Check, vec![smallest.clone()])?;
        let found = cuda::find(PROGRAM, |name| {
            (job.env.get(name).cloned()).or_else(|| std::env::var_os(name))
        });
        let Some(program) = found else {
            return Ok(Some(without(format!(
                "there is no {PROGRAM} in PATH, in CUDA_HOME or in /usr/local/cuda*/bin: install the CUDA toolkit"
            ))));
        };
        let folder = self.b.build.side("sanitizer")?;
        fs::create_dir_all(&folder)?;
        let report = folder.join("report.txt");
        let _ = fs::remove_file(&report);
        let command = words(&program, tool, &report);
        job = StageJob {
            command: CommandLine::Exec(command.into_iter().chain(job.command.argv()).collect()),
            log: folder.join("program.log"),
            ..job
        };
        job.limits.timeout = job.limits.timeout.map(|t: Duration| t * PATIENCE);
        self.session.progress.line(&format!(
            "check: once more under {PROGRAM} {}, workload {}",
            tool.name(),
            smallest.name
        ));
        let ended = run_stage(&job, self.session.cancel, self.session.progress, |_| {})?;
        let text = read_log(&report);
        let outcome = ended.finished.outcome.describe();
        let gate = judged(
            tool,
            &smallest.name,
            &Report::read(&String::from_utf8_lossy(&text)),
            ended.finished.outcome.ok(),
            &outcome,
        );
        if gate.pass != Some(true) {
            let line = format!("warning: check: {PROGRAM}: {}", gate.evidence);
            self.session.progress.line(&line);
        }
        let mut log =
            format!("\n--- {PROGRAM} --tool {}: its report ---\n", tool.name()).into_bytes();
        log.extend(text);
        log.extend(b"\n--- and the output of the program ---\n");
        log.extend(read_log(&job.log));
        Ok(Some(Sanitized { gate, log }))
    }
}

/// The gate by what the report says; one that is not whole is no evidence of anything.
fn judged(
    tool: Sanitizer,
    workload: &str,
    report: &Report,
    is_ok: bool,
    outcome: &str,
) -> GateResult {
    let told = |what: &str| format!("{what} ({}, workload {workload})", tool.name());
    match report.errors {
        Some(0) if is_ok => gates::sanitizer(Some(true), told(&report.sentence())),
        Some(n) if n > 0 => gates::sanitizer(Some(false), told(&report.sentence())),
        Some(_) => gates::sanitizer(
            None,
            told(&format!(
                "no error is reported, and the check did not end well under it: {outcome}"
            )),
        ),
        None => gates::sanitizer(None, told(&format!("its report has no summary: {outcome}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_report_without_errors_of_a_check_that_ended_well_passes() {
        let of = |text: &str, is_ok| {
            let gate = judged(
                Sanitizer::Memcheck,
                "small",
                &Report::read(text),
                is_ok,
                "exit code 1",
            );
            (gate.pass, gate.evidence)
        };
        let clean = "========= ERROR SUMMARY: 0 errors\n";
        assert_eq!(
            of(clean, true),
            (Some(true), "0 errors (memcheck, workload small)".into())
        );
        let (pass, why) = of(clean, false);
        assert!(pass.is_none() && why.contains("exit code 1"), "{why}");
        let dirty =
            "========= Invalid __global__ read of size 2 bytes\n========= ERROR SUMMARY: 1 error\n";
        for ended in [true, false] {
            let (pass, why) = of(dirty, ended);
            assert!(
                pass == Some(false) && why.contains("Invalid __global__ read"),
                "{why}"
            );
        }
        assert_eq!(of("", true).0, None);
    }
}
