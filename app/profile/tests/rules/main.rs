//! Rules over counters: the engine, and every built-in audit rule.

mod builtin;
mod engine;
mod refused;
mod support;
