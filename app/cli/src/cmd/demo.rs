//! `assay demo`, and the terminal interface.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Error, Result, demo as engine_demo};

use super::{OK, open, say, show};
use crate::args::{Cli, Lang};
use crate::backend::EngineBackend;
use crate::exit::Code;
use crate::print::views;
use crate::progress::Stderr;
use crate::setup;

/// Folder of the demo where none is named.
const FOLDER: &str = "assay-demo";

/// `assay demo`.
pub fn demo(cli: &Cli, folder: Option<&Path>, no_tui: bool) -> Result<Code> {
    let folder = place(cli.dir.as_deref(), folder);
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
            let at = folder.display();
            format!(
                "{}\nthe campaign is in {at}; `assay -C {at} show NAME` shows the evidence of a variant\n\
                 `assay -C {at} canary` breaks and slows the champion on purpose, to see whether the evaluator notices\n",
                views::list(&view),
            )
        })?;
        return OK;
    }
    interface(cli, &folder)
}

/// Where the demo lies: `-C` names the campaign for every command, so it does for this one.
fn place(dir: Option<&Path>, folder: Option<&Path>) -> PathBuf {
    match (dir, folder) {
        (Some(dir), Some(folder)) => dir.join(folder),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => FOLDER.into(),
    }
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

/// `assay screen`: a picture for the documentation. What the user has set is left aside, so that the
/// same ledger gives the same picture.
pub fn screen(cli: &Cli, keys: &str, size: &str) -> Result<Code> {
    let parsed = size
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let size =
        parsed.ok_or_else(|| Error::input(format!("--size: expected 120x34, found `{size}`")))?;
    let backend = EngineBackend::new(setup::options(cli)?, setup::lang(cli));
    let options = assay_tui::Options {
        lang: match setup::lang(cli) {
            Lang::En => assay_tui::Lang::En,
            Lang::Zh => assay_tui::Lang::Zh,
        },
        ..assay_tui::Options::default()
    };
    say(&assay_tui::picture(&backend, options, size, keys).map_err(Error::input)?)?;
    OK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_of_a_folder_named_by_dir_is_that_folder() {
        let at = |dir: Option<&str>, folder: Option<&str>| {
            place(dir.map(Path::new), folder.map(Path::new))
        };
        assert_eq!(at(None, None), Path::new("assay-demo"));
        assert_eq!(at(None, Some("d")), Path::new("d"));
        assert_eq!(at(Some("assay-demo"), None), Path::new("assay-demo"));
        assert_eq!(at(Some("x"), Some("d")), Path::new("x/d"));
    }
}
