//! Rules over counters: the engine, and every built-in audit rule.

mod builtin;
mod cases;
mod engine;
mod published;
mod refused;
mod reports;
mod support;
