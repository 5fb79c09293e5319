//! `assay demo`, and the terminal interface.

use std::path::Path;
use std::sync::Arc;

use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Error, Result, demo as engine_demo};

use super::{OK, open, show};
use crate::args::Cli;
use crate::backend::EngineBackend;
use crate::exit::Code;
use crate::print::views;
use crate::progress::Stderr;
use crate::setup;

/// `assay demo`.
pub fn demo(cli: &Cli, folder: &Path, no_tui: bool) -> Result<Code> {
    let folder = match &cli.dir {
        Some(dir) => dir.join(folder),
        None => folder.to_owned(),
    };
    let bench = engine_demo::prepare(&folder, &setup::options(cli)?)?;
    {
        let cancel = Cancel::new();
        let _signals = cancel_on_signals(&cancel)?;
        let progress = Stderr::new();
        engine_demo::play(&bench, &progress, &cancel)?;
    }
    let view = bench.list()?;
    if no_tui || cli.json || !setup::has_terminal() {
        show(cli, &view, || {
            format!(
                "{}\nthe campaign is in {}; `assay -C {} show NAME` shows the evidence of a variant\n",
                views::list(&view),
                folder.display(),
                folder.display()
            )
        })?;
        return OK;
    }
    interface(cli, &folder)
}

/// `assay` without a command.
pub fn open_tui(cli: &Cli) -> Result<Code> {
    if !setup::has_terminal() {
        return Err(Error::input("no terminal to open the interface on")
            .hint("`assay --help` lists the commands; `assay list` prints the variants"));
    }
    let dir = cli.dir.clone().unwrap_or_else(|| ".".into());
    drop(open(cli)?);
    interface(cli, &dir)
}

fn interface(cli: &Cli, dir: &Path) -> Result<Code> {
    let options = assay_engine::Options {
        dir: dir.to_owned(),
        ..setup::options(cli)?
    };
    let backend = Arc::new(EngineBackend::new(options, setup::lang(cli)));
    assay_tui::run(backend, setup::tui_options(cli))
        .map_err(|e| Error::environment(e.to_string()))?;
    OK
}
