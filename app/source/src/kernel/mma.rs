//! Matrix instructions, by name and by shape.

use super::{Tally, count_mma, count_mmas};

/// Different matrix instructions of a function that are told apart until it ends.
const MOST: usize = 16;

/// One that was counted before: generators repeat them thousands of times.
struct Seen<'a> {
    name: &'a str,
    numbers: Vec<u64>,
    facts: Vec<String>,
    /// How often it came again.
    more: u64,
    /// The same after unrolling.
    unrolled: u64,
}

/// The matrix instructions of a function.
#[derive(Default)]
pub(super) struct Mma<'a>(Vec<Seen<'a>>);

impl<'a> Mma<'a> {
    /// Counts one by its name and the numbers it is called with; `times` is how often it stands
    /// there after unrolling.
    pub(super) fn count(&mut self, tally: &mut Tally, name: &'a str, numbers: &[u64], times: u64) {
        let seen = (self.0.iter_mut()).find(|s| s.name == name && s.numbers == numbers);
        if let Some(seen) = seen {
            seen.more += 1;
            seen.unrolled = seen.unrolled.saturating_add(times);
            return;
        }
        let mut facts = vec![format!("mma.{name}")];
        if let [m, n, k, ..] = numbers {
            facts.push(format!("mma.{name}.m{m}n{n}k{k}"));
        }
        count_mma(tally, &facts, times);
        if self.0.len() < MOST {
            self.0.push(Seen {
                name,
                numbers: numbers.to_vec(),
                facts,
                more: 0,
                unrolled: 0,
            });
        }
    }

    /// Adds what came again to the facts.
    pub(super) fn put(&self, tally: &mut Tally) {
        for seen in self.0.iter().filter(|s| s.more > 0) {
            count_mmas(tally, &seen.facts, seen.more, seen.unrolled);
        }
    }
}
