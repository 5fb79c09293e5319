//! Times by name, and their ratios to limits or to each other.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a time is held against.
#[derive(Debug, Clone, Copy)]
pub enum Against {
    /// A limit.
    Limit(Duration),
    /// Another figure of this run.
    Figure(&'static str),
    /// A share of the time that was measured with it.
    Share(f64),
}

/// Something that is timed.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub name: &'static str,
    pub against: Against,
}

#[derive(Default)]
struct Taken {
    figure: Option<Figure>,
    times: Vec<Duration>,
    /// Of [`Against::Share`]: what the share is of, together.
    whole: Duration,
}

static ALL: Mutex<BTreeMap<&str, Taken>> = Mutex::new(BTreeMap::new());

impl Figure {
    /// Does `f` and notes how long it took.
    pub fn time<T>(&self, f: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let out = f();
        self.note(started.elapsed(), Duration::ZERO);
        out
    }

    /// Notes a time that came on top of another.
    pub fn note_added(&self, time: Duration, whole: Duration) {
        self.note(time, whole);
    }

    fn note(&self, time: Duration, whole: Duration) {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = all.entry(self.name).or_default();
        taken.figure = Some(*self);
        taken.times.push(time);
        taken.whole += whole;
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Prints every figure with its ratio.
#[expect(clippy::print_stdout, reason = "this is what the bench is for")]
pub fn print() {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if all.is_empty() {
        return;
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("\nload at the end: {}", load.trim());
    println!(
        "{:<48} {:>12} {:>4}  {:<38} {:>6}",
        "what", "median", "N", "against", "ratio"
    );
    for (name, taken) in all.iter() {
        let Some(figure) = taken.figure else { continue };
        let time = median(&taken.times);
        let (what, other) = match figure.against {
            Against::Limit(limit) => (format!("limit {limit:?}"), Some(limit)),
            Against::Figure(peer) => (peer.to_owned(), all.get(peer).map(|p| median(&p.times))),
            Against::Share(share) => {
                let whole = taken.whole / u32::try_from(taken.times.len()).unwrap_or(u32::MAX);
                (
                    format!("limit {} % of {whole:.2?}", share * 100.0),
                    Some(whole.mul_f64(share)),
                )
            }
        };
        let ratio = other.map_or_else(
            || "-".into(),
            |o| format!("{:.3}", time.as_secs_f64() / o.as_secs_f64()),
        );
        println!(
            "{name:<48} {:>12} {:>4}  {what:<38} {ratio:>6}",
            format!("{time:.2?}"),
            taken.times.len()
        );
    }
}
