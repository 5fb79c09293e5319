//! Figures that a document prints in several places, with more digits here than there.

use super::columns::{Table, held, is_claim};
use super::figure::{Outcome as Computed, Printed, time};
use super::{Held, Outcome};
use crate::{CounterRef, Launch};

impl Table<'_> {
    /// The rows that print the same figures as a row, itself among them; none where the mapping does not
    /// say that rows repeat each other.
    fn repeats<'t>(&'t self, of: &'t Launch) -> impl Iterator<Item = &'t Launch> {
        let all = self.mapping.repeats.then_some(&self.profile.launches);
        let name = kernel(of);
        all.into_iter().flatten().filter(move |l| kernel(l) == name)
    }

    /// The time of a row to the most digits that it is printed with anywhere, and the row that has them.
    pub fn finest_time<'t>(&'t self, of: &'t Launch) -> Option<(Printed, &'t Launch)> {
        let own = time(of)?;
        let others = self.repeats(of).filter_map(|l| Some((time(l)?, l)));
        // Another figure is no finer print of this one.
        let same = others.filter(|(t, _)| t.interval().meets(own.interval()));
        let finest = same.min_by(|a, b| a.0.half.total_cmp(&b.0.half));
        Some(finest.filter(|f| f.0.half < own.half).unwrap_or((own, of)))
    }

    /// A figure against the finest print of it, where that stands in another row.
    pub fn repeated(&self, launch: &Launch, c: &CounterRef<'_>, unit: &str) -> Option<Held> {
        let canonical = c.canonical().unwrap_or_default();
        let own = Printed::of(c, unit).filter(|_| is_claim(canonical))?;
        let prints = self.repeats(launch).filter_map(|l| {
            let other = l.iter().find(|o| o.name() == c.name())?;
            Some((Printed::of(&other, unit)?, l))
        });
        let (finest, of) = prints.min_by(|a, b| a.0.half.total_cmp(&b.0.half))?;
        if finest.half >= own.half || std::ptr::eq(of, launch) {
            return None;
        }
        let computed = Computed {
            value: finest.value,
            range: finest.interval(),
        };
        let came = Ok((computed, None, vec![of.kernel.clone()]));
        let figure = format!("{} as in {}", c.name(), of.kernel);
        let mut out = held(&launch.kernel, &figure, unit, c.raw(), Some(own), came);
        if out.outcome == Outcome::Disagrees {
            out.why = format!(
                "the same figure is printed otherwise in {}; {}",
                of.kernel, out.why
            );
            out.why_zh = format!("同一数值在 {} 处的印刷不同；{}", of.kernel, out.why_zh);
        }
        Some(out)
    }
}

/// What a row is of, whatever the place is that prints it.
fn kernel(launch: &Launch) -> &str {
    launch.kernel.split(" · ").next().unwrap_or_default()
}
