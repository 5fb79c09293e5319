//! The program as a user meets it: real processes, real git, and a stand-in campaign.

#![allow(clippy::unwrap_used, reason = "helpers are tests too")]

mod campaign;
mod checkout;
mod evaluator;
mod gates;
mod harness;
mod killed;
mod plain;
mod repository;
mod support;
mod trust;
mod variants;
mod whole;
