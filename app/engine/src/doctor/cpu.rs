//! The back end for the host's processor.

use assay_exec::fingerprint;
use assay_exec::profile_cpu::Choice;

use super::{Finding, Looking, finding};

/// What it has and lacks.
pub(super) fn look(at: &Looking) -> Vec<Finding> {
    let mut out = vec![at.tool(
        "cc",
        &["--version"],
        "install a C compiler (Debian: build-essential): the CPU campaigns need one",
    )];
    let choice = Choice::probe(&at.env, &at.cancel);
    out.push(finding("counters", None, choice.reason, ""));
    let machine = fingerprint::environment(&[], &at.env, &at.cancel);
    out.push(finding("device", None, machine.device.clone(), ""));
    if let Some(governor) = machine.volatile.get("cpu.governor") {
        let good = governor == "performance";
        let remedy = match good {
            true => "",
            false => "cpupower frequency-set -g performance, for steadier clocks",
        };
        out.push(finding(
            "cpu.governor",
            Some(good),
            governor.clone(),
            remedy,
        ));
    }
    out
}
