//! The program as a user meets it: real processes, real git, and a stand-in campaign.

#![allow(clippy::unwrap_used, reason = "helpers are tests too")]

mod adversarial;
mod audit;
mod audit_figures;
mod bundles;
mod calibration;
mod campaign;
mod canaries;
mod chain;
mod checkout;
mod chinese;
mod compare_counters;
mod conditions;
mod control;
mod demo_cancel;
mod evaluator;
mod forged_verdicts;
mod gates;
mod gpu_device;
mod gpu_profile;
mod harness;
mod import_logs;
mod import_logs_bad;
mod import_profiles;
mod init;
mod inputs;
mod inspect;
mod inspect_input;
mod jobs;
mod killed;
mod matrix;
mod metax;
mod plain;
mod policies;
mod published;
mod published_doubted;
mod published_mistakes;
mod published_reports;
mod published_said;
mod published_trip;
mod repeated_runs;
mod reports;
mod repository;
mod screening;
mod source_diff;
mod source_stage;
mod support;
#[path = "../../../tui/tests/support/terminal.rs"]
#[allow(dead_code, reason = "tests of the interface use the rest")]
mod terminal;
mod trust;
mod untimed;
mod variants;
mod variants_evidence;
mod whole;
mod whole_interface;
mod write_ups;
