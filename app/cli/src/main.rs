//! The `assay` program: arguments in, one use case of the engine, a view out.

mod args;
mod backend;
mod cmd;
mod docs;
mod exit;
mod print;
mod progress;
mod setup;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let usage = e.use_stderr();
            let _ = e.print();
            return if usage {
                exit::USAGE.into()
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match cmd::dispatch(cli) {
        Ok(code) => code.into(),
        Err(e) => exit::report(&e).into(),
    }
}
