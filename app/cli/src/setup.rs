//! What the program takes from its surroundings: folders, language, terminal, and who is asked.

use std::env;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use assay_core::text::inert_block;
use assay_engine::data::Data;
use assay_engine::trust::{Always, Never, Prompt};
use assay_engine::{DEFAULT_LOCKS, Dirs, Error, Options, Result, Workbench};
use etcetera::BaseStrategy;

use crate::args::{Cli, Lang};

/// Names a folder for the locks of devices, e.g. one that the containers of a host share.
const LOCKS: &str = "ASSAY_LOCK_DIR";

/// Where disposable things, approvals and data files of this user and locks of devices lie.
pub fn dirs() -> Result<Dirs> {
    let base = etcetera::choose_base_strategy()
        .map_err(|e| Error::environment(format!("no home folder: {e}")).hint("set HOME"))?;
    let state = base.state_dir().unwrap_or_else(|| base.data_dir());
    let locks = env::var_os(LOCKS)
        .filter(|v| !v.is_empty())
        .map_or_else(|| DEFAULT_LOCKS.into(), PathBuf::from);
    Ok(Dirs {
        cache: base.cache_dir().join("assay"),
        state: state.join("assay"),
        data: base.data_dir().join("assay"),
        locks,
    })
}

/// How to open the campaign that the command line speaks of.
pub fn options(cli: &Cli) -> Result<Options> {
    Ok(Options {
        dir: cli.dir.clone().unwrap_or_else(|| PathBuf::from(".")),
        dirs: dirs()?,
        author: cli.author.clone(),
    })
}

/// Counters, devices and rules: what is built in, the files of the user and of the campaign, and
/// those in a folder that was asked for.
pub fn data(cli: &Cli, asked: Option<&Path>) -> Result<Data> {
    let start = cli.dir.as_deref().unwrap_or_else(|| Path::new("."));
    // Without a home folder there are no files of the user, and reports can be read all the same.
    let user = dirs().ok().map(|d| d.data);
    Data::load(&assay_engine::data::folders(user.as_deref(), start, asked)?)
}

/// Opens the campaign that the command line speaks of, and tells what should be known about it.
pub fn open(cli: &Cli) -> Result<Workbench> {
    let bench = Workbench::open(options(cli)?)?;
    for remark in &bench.remarks {
        note(remark);
    }
    Ok(bench)
}

/// Tells something beside the result.
#[expect(clippy::print_stderr, reason = "remarks go to standard error")]
pub fn note(text: &str) {
    eprintln!("note: {}", inert_block(text));
}

/// The language: as asked for, else as the locale says.
pub fn lang(cli: &Cli) -> Lang {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|v| env::var(v).ok().filter(|s| !s.is_empty()));
    cli.lang.unwrap_or(match locale {
        Some(l) if l.starts_with("zh") => Lang::Zh,
        _ => Lang::En,
    })
}

/// Whether a person is there: input, output and error are a terminal that can be painted.
pub fn has_terminal() -> bool {
    let dumb = env::var("TERM").is_ok_and(|t| t == "dumb" || t.is_empty())
        || env::var_os("TERM").is_none();
    io::stdin().is_terminal() && io::stdout().is_terminal() && !dumb
}

/// Options of the terminal interface.
pub fn tui_options(cli: &Cli) -> assay_tui::Options {
    let found = assay_tui::Options {
        mouse: cli.mouse,
        ..assay_tui::Options::from_env(|name| env::var(name).ok())
    };
    match lang(cli) {
        Lang::En => assay_tui::Options {
            lang: assay_tui::Lang::En,
            ..found
        },
        Lang::Zh => assay_tui::Options {
            lang: assay_tui::Lang::Zh,
            ..found
        },
    }
}

/// Who approves what is about to run.
pub fn prompt(cli: &Cli) -> Box<dyn Prompt> {
    if cli.trust {
        Box::new(Always)
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        Box::new(Person)
    } else {
        Box::new(Never)
    }
}

/// A person at the terminal.
struct Person;

impl Prompt for Person {
    #[expect(clippy::print_stderr, reason = "the question goes to the terminal")]
    fn approve(&self, title: &str, shown: &str) -> bool {
        eprint!("{title}\n{}\nApprove? [y/N] ", inert_block(shown));
        let _ = io::stderr().flush();
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes" | "是")
    }
}
