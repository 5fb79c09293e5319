//! The interface over fixed data: for the terminal tests, and to look at.
//!
//! `cargo run -p assay-tui --example fake -- [--zh] [--ascii] [--no-color] [--many N]`

#[path = "../tests/support/mod.rs"]
mod support;

fn main() -> std::process::ExitCode {
    support::program(&std::env::args().collect::<Vec<_>>())
}
