//! How long work tells what it is doing. Printing and painting live elsewhere.

use std::sync::{Mutex, PoisonError};

/// What stands before a line of a program where lines of the workbench stand too, so that no program
/// can write what reads like one.
pub const SAID: &str = "| ";

/// A place to tell progress to.
pub trait Progress: Send + Sync {
    /// A new stage begins, e.g. `bench`.
    fn stage(&self, name: &str);
    /// `done` of `total` steps are done; `estimate_ns` is the estimated time left in nanoseconds.
    fn step(&self, done: u64, total: u64, estimate_ns: Option<u64>);
    /// A line for people.
    fn line(&self, text: &str);
    /// A line that a program of a stage has just written. It is inert, and nobody vouches for it.
    fn said(&self, text: &str);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str) {}
    fn step(&self, _: u64, _: u64, _: Option<u64>) {}
    fn line(&self, _: &str) {}
    fn said(&self, _: &str) {}
}

/// What was told to a [`Collect`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A stage began.
    Stage(String),
    /// `done` of `total`.
    Step(u64, u64),
    /// A line.
    Line(String),
    /// A line of a program.
    Said(String),
}

/// Keeps everything it was told, in order.
#[derive(Debug, Default)]
pub struct Collect(Mutex<Vec<Told>>);

impl Collect {
    /// Everything told so far.
    pub fn told(&self) -> Vec<Told> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn push(&self, told: Told) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(told);
    }
}

impl Progress for Collect {
    fn stage(&self, name: &str) {
        self.push(Told::Stage(name.to_owned()));
    }
    fn step(&self, done: u64, total: u64, _: Option<u64>) {
        self.push(Told::Step(done, total));
    }
    fn line(&self, text: &str) {
        self.push(Told::Line(text.to_owned()));
    }
    fn said(&self, text: &str) {
        self.push(Told::Said(text.to_owned()));
    }
}
