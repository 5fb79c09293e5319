//! Measuring until the procedure has enough: looks at growing numbers of fresh processes.

use assay_core::record::Failure;
use assay_stats::{Judgement, Samples, Settings, Step, judge_as};

use super::Staged;
use super::measure::{Collected, Measuring, by_name, failed, pair_names, unbelieved};
use crate::error::{Error, Result};

/// A measurement with what the procedure made of it.
pub(super) struct Judged {
    /// What the processes came to.
    pub got: Collected,
    /// Its samples, with the sides called as [`pair_names`] does.
    pub samples: Samples,
    /// The judgement of the last look.
    pub judgement: Judgement,
}

/// The number of processes at the procedure's last look.
pub(super) fn most(settings: &Settings) -> u32 {
    settings.looks.last().copied().unwrap_or(12).max(1)
}

impl Measuring<'_> {
    /// Runs fresh processes of the two sides until the procedure asks for no more.
    pub fn judged(&self, procedure: &str, settings: &Settings) -> Staged<Judged> {
        let [a, b] = self.names()?;
        let ids = pair_names(a, b);
        let most = most(settings);
        let mut last = None;
        let got = self.run(|got| {
            if got.processes == 0 {
                return Ok(Ok(settings.looks.first().copied().unwrap_or(4)));
            }
            let (samples, problems) = by_name(&got.text(), a, b);
            if let Some(failure) = unbelieved(&problems) {
                return Ok(Err(failure));
            }
            let under = got.settings(settings);
            let judgement = judge_as(procedure, &samples, &ids[0], &ids[1], &under)
                .map_err(|e| Error::input(e.to_string()))?;
            let room = most.saturating_mul(2).saturating_sub(got.processes);
            let more = match judgement.step {
                Step::Done => 0,
                Step::More { .. } if room == 0 => {
                    return Ok(Err(endless(got.processes, &judgement.reason)));
                }
                Step::More { processes } => processes.clamp(1, room),
            };
            last = Some((samples, judgement));
            Ok(Ok(more))
        })?;
        let got = match got {
            Ok(got) => got,
            Err(failure) => return Ok(Err(failure)),
        };
        let (samples, judgement) =
            last.ok_or_else(|| Error::environment("nothing was measured"))?;
        Ok(Ok(Judged {
            got,
            samples,
            judgement,
        }))
    }

    /// Names of the two sides.
    fn names(&self) -> Result<[&str; 2]> {
        match self.sides {
            [(a, _), (b, _)] => Ok([&a.subject.name, &b.subject.name]),
            _ => Err(Error::environment("a verdict is on two sides")),
        }
    }
}

/// The procedure asked for more at twice the processes of its last look.
fn endless(processes: u32, reason: &str) -> Failure {
    failed(format!(
        "no verdict after {processes} processes, twice as many as the procedure's last look: {reason}"
    ))
}
