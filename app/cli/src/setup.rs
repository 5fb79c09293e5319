//! What the program takes from its surroundings: folders, language, terminal, and who is asked.

use std::env;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use assay_core::campaign::Settings;
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
        campaign: cli.campaign.clone(),
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

/// Largest file of settings that is read, in bytes.
const SETTINGS_BYTES: u64 = 1 << 20;

/// Options of the terminal interface: of the environment, over them those of the user's file, over
/// them those of the command line.
pub fn tui_options(cli: &Cli) -> assay_tui::Options {
    let environment = assay_tui::Options::from_env(|name| env::var(name).ok());
    let mut found = environment.clone();
    if let Some((file, text)) = settings_file() {
        let name = file.display().to_string();
        match text {
            Ok(text) => {
                let (settings, error) = Settings::read(&text, &name);
                found.take(&settings, &name, error);
            }
            Err(e) => found.faults = Some(format!("{name}: {e}")),
        }
    }
    found.mouse |= cli.mouse;
    match cli.lang {
        Some(Lang::En) => found.lang = assay_tui::Lang::En,
        Some(Lang::Zh) => found.lang = assay_tui::Lang::Zh,
        None => {}
    }
    if let Some(theme) = cli.theme.as_deref().and_then(assay_tui::ThemeName::of) {
        found.theme = theme;
    }
    if let Some(word) = cli.color.as_deref() {
        found.color_level = assay_tui::ColorLevel::of(word).unwrap_or(environment.color_level);
    }
    found
}

/// The settings of this user, where there are some: `tui.toml` in the configuration folder.
fn settings_file() -> Option<(PathBuf, io::Result<String>)> {
    let base = etcetera::choose_base_strategy().ok()?;
    let file = base.config_dir().join("assay").join("tui.toml");
    let read = || -> io::Result<String> {
        let mut text = String::new();
        let opened = std::fs::File::open(&file)?;
        io::Read::take(opened, SETTINGS_BYTES).read_to_string(&mut text)?;
        Ok(text)
    };
    match read() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        text => Some((file, text)),
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
