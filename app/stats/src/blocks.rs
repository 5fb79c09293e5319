//! The legs of one workload put together to mirrored blocks, and the ratio of each block.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::describe::median;
use crate::paired::Dropped;
use crate::samples::{Leg, Samples, distinct};

/// Legs of a block whose clocks differ by more than this (as a ratio minus one) void it.
///
/// `experiments.md` 2.3: nvbench's limit of 75 % of the base clock is far too lax for decisions
/// about 1 %.
pub const CLOCK_TOLERANCE: f64 = 0.01;

/// Why a block of another order than ABBA and its like is dropped.
pub(crate) const NOT_MIRRORED: &str = "legs of A and B are not mirrored: drift is not cancelled";

/// What is known of the clocks of the legs that entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clocks {
    /// No leg states one, or nobody asked.
    #[default]
    Unknown,
    /// Some legs state one.
    Partly,
    /// All do, and they were not locked, or it is not known.
    NotLocked,
    /// All do, and all were locked.
    Locked,
}

/// How the clocks of the legs are regarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockRules {
    /// Void blocks whose clocks differ; not under a named regime such as a power cap.
    pub void_blocks: bool,
    /// Whether the clocks were locked, for legs that do not say.
    pub locked: Option<bool>,
    /// Whether processes were drawn with replacement, so that copies are no fault.
    pub drawn: bool,
}

/// One complete block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockRatio {
    /// Process.
    pub process: u32,
    /// Block inside the process.
    pub block: u32,
    /// log(time B / time A): mean over the legs of B minus that over the legs of A.
    pub log_ratio: f64,
    /// The same in cycles (time x clock), where every leg states its clock.
    pub cycles: Option<f64>,
    /// Whether A was measured first.
    pub a_first: bool,
}

/// Processes in which both subjects were measured.
pub(crate) struct Attempted {
    /// Their numbers.
    pub(crate) processes: BTreeSet<u32>,
    /// Whether these are all there are, so that no leg needs to be asked.
    pub(crate) all: bool,
}

impl Attempted {
    pub(crate) fn contains(&self, process: u32) -> bool {
        self.all || self.processes.contains(&process)
    }
}

/// The legs of one subject on one workload, sorted by process, block and leg.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) legs: &'a [Leg],
    logs: &'a [f64],
}

/// Both sides of one workload.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) workload: &'a str,
    pub(crate) a: Run<'a>,
    pub(crate) b: Run<'a>,
    /// Whether A's name comes first, which decides whose mark is quoted.
    pub(crate) a_sorts_first: bool,
}

/// Workloads on which either subject was measured, sorted by name.
pub(crate) fn sides<'a>(samples: &'a Samples, a: &str, b: &str) -> Vec<Sides<'a>> {
    let mut out: Vec<Sides<'a>> = Vec::new();
    for (_, legs, logs) in samples.runs() {
        let Some(first) = legs.first() else { continue };
        let of_a = first.subject == a;
        if !of_a && first.subject != b {
            continue;
        }
        if out.last().is_none_or(|s| s.workload != first.workload) {
            let none = Run {
                legs: &[],
                logs: &[],
            };
            out.push(Sides {
                workload: &first.workload,
                a: none,
                b: none,
                a_sorts_first: a < b,
            });
        }
        if let Some(s) = out.last_mut() {
            *if of_a { &mut s.a } else { &mut s.b } = Run { legs, logs };
        }
    }
    out
}

/// One block: where its legs lie in either run.
struct Block {
    process: u32,
    number: u32,
    /// Number of the last block, where two were put together.
    last: u32,
    a: Range<usize>,
    b: Range<usize>,
}

/// What one workload yields.
#[derive(Default)]
pub(crate) struct Yield {
    /// Complete blocks in order.
    pub(crate) blocks: Vec<BlockRatio>,
    /// Log-ratio of each process that has enough of them, and its like in cycles.
    pub(crate) ratios: BTreeMap<u32, (f64, Option<f64>)>,
    /// Blocks void for their clocks.
    pub(crate) void: BTreeSet<(u32, u32)>,
    /// Whether the same subject came first in every block.
    pub(crate) never_flipped: bool,
}

impl Sides<'_> {
    /// Complete blocks and the processes' ratios; what does not enter is listed.
    pub(crate) fn ratios(
        &self,
        attempted: &Attempted,
        rules: Option<ClockRules>,
        dropped: &mut Vec<Dropped>,
    ) -> Yield {
        let mut blocks = self.blocks(attempted);
        let full = blocks.iter().map(|b| b.a.len().max(b.b.len())).max();
        let full = full.unwrap_or(0);
        if rules.is_some() {
            blocks = self.mirrored(blocks, full);
        }
        let planned = distinct(blocks.iter().map(|b| b.number)).len();
        let need = planned.div_ceil(2).max(1);
        let mut out = Yield::default();
        let (mut a_led, mut b_led) = (true, true);
        for block in &blocks {
            let lead = self.lead(block);
            a_led &= lead.is_none_or(|l| l < 0);
            b_led &= lead.is_none_or(|l| l > 0);
            match self.ratio(block, full, rules) {
                Ok((log_ratio, cycles)) => out.blocks.push(BlockRatio {
                    process: block.process,
                    block: block.number,
                    log_ratio,
                    cycles,
                    a_first: self.a_first(block),
                }),
                Err(why) => {
                    if let Why::Clocks(_) = why {
                        out.void.insert((block.process, block.number));
                        out.void.insert((block.process, block.last));
                    }
                    dropped.push(self.drop(block.process, Some(block.number), why.text(full)));
                }
            }
        }
        out.never_flipped = a_led || b_led;
        for process in distinct(blocks.iter().map(|b| b.process)) {
            let mine = out.blocks.iter().filter(|b| b.process == process);
            let logs: Vec<f64> = mine.clone().map(|b| b.log_ratio).collect();
            let cycles: Option<Vec<f64>> = mine.map(|b| b.cycles).collect();
            match median(&logs) {
                Some(ratio) if logs.len() >= need => {
                    let cycles = cycles.and_then(|c| median(&c));
                    out.ratios.insert(process, (ratio, cycles));
                }
                _ => dropped.push(self.drop(
                    process,
                    None,
                    format!(
                        "{} of {planned} blocks are complete, {need} needed",
                        logs.len()
                    ),
                )),
            }
        }
        out
    }

    fn drop(&self, process: u32, block: Option<u32>, why: String) -> Dropped {
        Dropped {
            workload: Some(self.workload.to_owned()),
            process,
            block,
            why,
        }
    }

    /// Joins the two runs; both are sorted by process and block.
    fn blocks(&self, attempted: &Attempted) -> Vec<Block> {
        let key = |run: &Run<'_>, at: usize| run.legs.get(at).map(|l| (l.process, l.block));
        let (mut i, mut j) = (0, 0);
        let mut out = Vec::new();
        loop {
            let key_of = match (key(&self.a, i), key(&self.b, j)) {
                (Some(x), Some(y)) => x.min(y),
                (Some(x), None) | (None, Some(x)) => x,
                (None, None) => return out,
            };
            let (from_a, from_b) = (i, j);
            while key(&self.a, i) == Some(key_of) {
                i += 1;
            }
            while key(&self.b, j) == Some(key_of) {
                j += 1;
            }
            if attempted.contains(key_of.0) {
                out.push(Block {
                    process: key_of.0,
                    number: key_of.1,
                    last: key_of.1,
                    a: from_a..i,
                    b: from_b..j,
                });
            }
        }
    }

    fn legs(&self, block: &Block) -> [&[Leg]; 2] {
        [
            self.a.legs.get(block.a.clone()).unwrap_or_default(),
            self.b.legs.get(block.b.clone()).unwrap_or_default(),
        ]
    }

    /// Neighbours that mirror each other, such as AB and BA, put together to one block.
    fn mirrored(&self, blocks: Vec<Block>, full: usize) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        let mut rest = blocks.into_iter().peekable();
        while let Some(block) = rest.next() {
            let lead = self.off_centre(&block);
            let neighbour = |next: &Block| {
                next.process == block.process
                    && next.number == block.last + 1
                    && [&block, next]
                        .iter()
                        .all(|b| [b.a.len(), b.b.len()] == [full; 2])
                    && self.off_centre(next) == -lead
            };
            let joined = if lead == 0 {
                None
            } else {
                rest.next_if(neighbour)
            };
            out.push(match joined {
                Some(next) => Block {
                    last: next.number,
                    a: block.a.start..next.a.end,
                    b: block.b.start..next.b.end,
                    ..block
                },
                None => block,
            });
        }
        out
    }

    /// How far the legs of A lie from those of B in the mean, times both their numbers: 0 where a
    /// steady drift cancels.
    fn off_centre(&self, block: &Block) -> i64 {
        let [a, b] = self.legs(block).map(|legs| {
            let sum: i64 = legs.iter().map(|l| i64::from(l.leg)).sum();
            (sum, legs.len() as i64)
        });
        a.0.saturating_mul(b.1)
            .saturating_sub(b.0.saturating_mul(a.1))
    }

    fn a_first(&self, block: &Block) -> bool {
        let [a, b] = self.legs(block).map(|legs| legs.first().map(|l| l.leg));
        a < b
    }

    /// Sum of the positions of A minus that of B; `None` when every leg is void.
    fn lead(&self, block: &Block) -> Option<i64> {
        let [a, b] = self.legs(block).map(|legs| {
            let valid = legs.iter().filter(|l| l.void.is_none());
            valid.fold((0i64, 0), |(sum, n), l| (sum + i64::from(l.leg), n + 1))
        });
        (a.1 + b.1 > 0).then_some(a.0 - b.0)
    }

    fn ratio(
        &self,
        block: &Block,
        full: usize,
        rules: Option<ClockRules>,
    ) -> Result<(f64, Option<f64>), Why> {
        let [a, b] = self.legs(block);
        let order = if self.a_sorts_first { [a, b] } else { [b, a] };
        let mut marks = order
            .into_iter()
            .flatten()
            .filter_map(|l| l.void.as_deref());
        if let Some(mark) = marks.next() {
            return Err(Why::Marked(mark.to_owned()));
        }
        if a.len() < full || b.len() < full {
            return Err(Why::Legs(a.len(), b.len()));
        }
        let logs_a = self.a.logs.get(block.a.clone()).unwrap_or_default();
        let logs_b = self.b.logs.get(block.b.clone()).unwrap_or_default();
        let log_ratio = mean(logs_b) - mean(logs_a);
        let Some(rules) = rules else {
            return Ok((log_ratio, None));
        };
        if self.off_centre(block) != 0 {
            return Err(Why::NotMirrored);
        }
        let clocks = || a.iter().chain(b).filter_map(Leg::clock);
        let low = clocks().min_by(f64::total_cmp);
        let high = clocks().max_by(f64::total_cmp);
        let (Some(low), Some(high)) = (low, high) else {
            return Ok((log_ratio, None));
        };
        if rules.void_blocks && high / low - 1.0 > CLOCK_TOLERANCE {
            return Err(Why::Clocks([low, high]));
        }
        let log_clock = |legs: &[Leg]| {
            let all: Option<Vec<f64>> = legs.iter().map(|l| l.clock().map(f64::ln)).collect();
            all.map(|c| mean(&c))
        };
        let cycles = log_clock(a)
            .zip(log_clock(b))
            .map(|(a, b)| log_ratio + (b - a));
        Ok((log_ratio, cycles))
    }

    /// Legs that are not void, of either side.
    pub(crate) fn valid<'s>(
        &'s self,
        attempted: &'s Attempted,
        void: &'s BTreeSet<(u32, u32)>,
    ) -> [impl Iterator<Item = &'s Leg> + Clone; 2] {
        [self.a.legs, self.b.legs].map(|legs| {
            legs.iter().filter(move |l| {
                l.void.is_none()
                    && attempted.contains(l.process)
                    && (void.is_empty() || !void.contains(&(l.process, l.block)))
            })
        })
    }
}

/// Why a block does not enter.
enum Why {
    Marked(String),
    Legs(usize, usize),
    NotMirrored,
    Clocks([f64; 2]),
}

impl Why {
    fn text(&self, full: usize) -> String {
        match self {
            Self::Marked(mark) => format!("void: {mark}"),
            Self::Legs(a, b) => format!("{a} legs of A and {b} of B, of {full} each"),
            Self::NotMirrored => NOT_MIRRORED.to_owned(),
            Self::Clocks([low, high]) => format!(
                "void: the clocks of its legs differ by {:.1} % ({low:.0} to {high:.0} MHz)",
                (high / low - 1.0) * 100.0
            ),
        }
    }
}

fn mean(logs: &[f64]) -> f64 {
    logs.iter().sum::<f64>() / logs.len() as f64
}
