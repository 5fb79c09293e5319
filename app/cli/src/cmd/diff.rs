//! `assay diff`.

use assay_engine::diff::{self, How, Lines, said};
use assay_engine::{Error, Result};

use super::{OK, open, say, show};
use crate::args::{Cli, Colour, DiffArgs, DiffFormat};
use crate::exit::Code;
use crate::print;
use crate::print::paint::Paint;
use crate::setup;

/// Compares two variants or two files.
pub fn diff(cli: &Cli, args: &DiffArgs) -> Result<Code> {
    let how = How {
        generated: args.generated,
        lines: if args.raw { Lines::Raw } else { Lines::AsFits },
        ..How::default()
    }
    .without(&args.without)?;
    let view = match (&args.files, &args.a, &args.b) {
        (Some(paths), _, _) => diff::files(&paths[0], &paths[1], how)?,
        (None, Some(a), Some(b)) => open(cli)?.diff(a, b, how)?,
        (None, Some(b), None) => {
            let bench = open(cli)?;
            let a = bench.parent_of(b)?;
            bench.diff(&a, b, how)?
        }
        (None, None, _) => {
            return Err(Error::input("diff of what?").hint("assay diff A B, or --files F1 F2"));
        }
    };
    let lang = setup::lang(cli);
    let tongue = print::diff::tongue(lang);
    if !cli.json && args.format == DiffFormat::Html {
        say(&diff::html(&view, tongue))?;
        return OK;
    }
    if !cli.json && args.format == DiffFormat::Json {
        print::json(&view).map_err(|e| Error::environment(format!("standard output: {e}")))?;
        return OK;
    }
    let paint = match args.color {
        Colour::Auto => Paint::stdout(),
        Colour::Always => Paint::always(),
        Colour::Never => Paint::never(),
    };
    show(cli, &view, || {
        let mut view = view.clone();
        said::localise(tongue, &mut view);
        print::diff::text(&view, lang, args.side_by_side, args.facts, paint)
    })?;
    OK
}
