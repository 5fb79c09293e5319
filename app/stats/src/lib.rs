//! The statistics of Assay: paired design, intervals, sequential looks and verdicts.
//!
//! Pure: samples in, judgement out. The unit of evidence is a fresh process; raw samples are
//! never tested against each other, because a thousand launches of one process share one memory
//! layout, one clock and one temperature and are no thousand observations.
//!
//! ```
//! use assay_stats::{judge, Samples, Settings, Step};
//!
//! let (samples, problems) = Samples::parse_jsonl("");
//! assert!(problems.is_empty());
//! // Nothing measured yet: the procedure asks for its first look.
//! let judgement = judge(&samples, "champion", "blocking", &Settings::default());
//! assert_eq!(judgement.step, Step::More { processes: 4 });
//! ```

pub mod bimodal;
pub mod blocks;
pub mod calibrate;
mod case;
pub mod chain;
pub mod control;
mod copies;
pub mod decide;
pub mod describe;
pub mod design;
mod explain;
pub mod isolation;
pub mod levels;
pub mod paired;
mod parse;
pub mod power;
pub mod prng;
pub mod procedure;
pub mod resample;
pub mod rules;
pub mod samples;
pub mod screen;
pub mod simulate;
pub mod split;
mod steps;
pub mod tdist;
mod wording;

pub use describe::summaries;
pub use procedure::{
    Cycles, Judgement, PAIRED_T_1, PROCEDURE, PROCEDURES, Settings, Step, UnknownProcedure, judge,
    judge_as, step,
};
pub use rules::{Rule, judge_by};
pub use samples::{Leg, Problem, Samples};
