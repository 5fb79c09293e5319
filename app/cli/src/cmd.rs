//! One function for each command.

mod calibrate;
mod canary;
mod decide;
mod demo;
mod diff;
mod exchange;
mod inspect;
mod jobs;
mod logs;
mod plain;
mod profiles;
mod read;
mod report;
mod run;
mod variant;

use assay_engine::notes::NoteRequest;
use assay_engine::{Error, Result};

use crate::args::{Cli, Command};
use crate::exit::{Code, DONE};
use crate::{docs, setup};

/// Done, and nothing to add.
pub const OK: Result<Code> = Ok(Code(DONE));

/// Does what the command line asks for.
pub fn dispatch(mut cli: Cli) -> Result<Code> {
    let Some(command) = cli.command.take() else {
        return demo::open_tui(&cli);
    };
    match command {
        Command::Demo { folder, no_tui } => demo::demo(&cli, folder.as_deref(), no_tui),
        Command::Init { why } => plain::init(&cli, why.as_deref()),
        Command::Doctor { target } => plain::doctor(&cli, target.as_deref()),
        Command::Calibrate(args) => calibrate::calibrate(&cli, &args),
        Command::Canary(args) => canary::canary(&cli, &args),
        Command::Trust { revoke } => plain::trust(&cli, revoke),
        Command::Inspect(args) => inspect::inspect(&cli, args),
        Command::Verdict {
            samples,
            a,
            b,
            delta,
            policy,
            threshold,
        } => {
            let rule = assay_engine::files::Rule {
                delta: &delta,
                policy: &policy,
                threshold: threshold.as_deref(),
            };
            plain::verdict(&cli, &samples, &a, &b, &rule)
        }
        Command::Schema { name } => docs::schema(name.as_deref()),
        Command::Completions { shell } => docs::completions(shell),
        Command::Docs { page } => docs::page(&page),
        Command::Screen { keys, size } => demo::screen(&cli, &keys, &size),
        Command::New {
            name,
            from,
            why,
            family,
            knobs,
            predictions,
        } => {
            let new = assay_engine::variants::NewVariant {
                name,
                from,
                why,
                family,
                knobs,
                predictions,
            };
            variant::new(&cli, &new)
        }
        Command::Edit { name, no_editor } => variant::edit(&cli, &name, no_editor),
        Command::Commit { name, message } => variant::commit(&cli, &name, message.as_deref()),
        Command::Rebase { name, onto } => variant::rebase(&cli, &name, onto.as_deref()),
        Command::Combine { a, b, name, why } => {
            variant::combine(&cli, &a, &b, name.as_deref(), why.as_deref())
        }
        Command::Ablate { name } => variant::ablate(&cli, &name),
        Command::Run(args) => match &args.as_job {
            Some(id) => run::as_job(&cli, id, &args),
            None if args.detach => jobs::detach(&cli, &args),
            None => run::run(&cli, &run_request(&args)?, &args),
        },
        Command::Jobs(args) => jobs::jobs(&cli, &args),
        Command::List {
            filter,
            sort,
            reverse,
            csv,
        } => read::list(&cli, &filter, sort, reverse, csv),
        Command::Show { name, left } => read::show_one(&cli, &name, left.as_deref()),
        Command::Log { name, limit } => read::log(&cli, name.as_deref(), limit),
        Command::Compare(args) if args.counters => profiles::compare(&cli, args),
        Command::Compare(args) => read::compare(&cli, &args.names),
        Command::Audit(args) => profiles::audit(&cli, &args),
        Command::Diff(args) => diff::diff(&cli, &args),
        Command::Report(args) => report::report(&cli, &args),
        Command::Verify { bundle, cover } => read::verify(&cli, bundle.as_deref(), cover),
        Command::Accept(args) => {
            decide::decide(&cli, &args, assay_core::record::DecisionKind::Accept)
        }
        Command::Reject(args) => {
            decide::decide(&cli, &args, assay_core::record::DecisionKind::Reject)
        }
        Command::Park(args) => decide::decide(&cli, &args, assay_core::record::DecisionKind::Park),
        Command::Rollback(args) => {
            decide::decide(&cli, &args, assay_core::record::DecisionKind::Rollback)
        }
        Command::Note {
            text: None, about, ..
        } => read::notes(&cli, about.as_deref()),
        Command::Note {
            text: Some(text),
            about,
            topic,
            table,
        } => decide::note(
            &cli,
            &NoteRequest {
                text,
                about,
                topic,
                table,
            },
        ),
        Command::Export { folder, bundle } => match (folder, bundle) {
            (Some(folder), None) => exchange::export(&cli, &folder),
            (_, Some(file)) => exchange::bundle(&cli, &file),
            (None, None) => Err(Error::input("name a folder to write, or --bundle FILE")),
        },
        Command::Import(mut args) => match args.variant.take() {
            Some(variant) => profiles::import(&cli, *args, variant),
            None if logs::are_logs(&args)? => logs::import(&cli, *args),
            None => exchange::import(&cli, &args.paths),
        },
        Command::Sync { remote, blobs } => exchange::sync(&cli, &remote, blobs),
        Command::Gc { dry_run, reason } => exchange::gc(&cli, dry_run, reason.as_deref()),
    }
}

/// Prints a document or a text, as asked for.
pub fn show(cli: &Cli, view: &impl serde::Serialize, text: impl FnOnce() -> String) -> Result<()> {
    let printed = if cli.json {
        crate::print::json(view)
    } else {
        crate::print::out(&text())
    };
    printed.map_err(|e| Error::environment(format!("standard output: {e}")))
}

/// Prints a text.
pub fn say(text: &str) -> Result<()> {
    crate::print::out(text).map_err(|e| Error::environment(format!("standard output: {e}")))
}

pub use report::ReportView;
pub use run::request as run_request;
pub use setup::open;
