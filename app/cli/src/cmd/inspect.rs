//! `assay inspect`.

use assay_engine::counters::{self, Request};
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Result};

use super::show;
use crate::args::{Cli, InspectArgs};
use crate::exit::{Code, DONE, WORSE};
use crate::print::counters::{Layout, inspection};
use crate::print::paint::Paint;
use crate::print::table::terminal_width;
use crate::setup;

/// `assay inspect`.
pub fn inspect(cli: &Cli, args: InspectArgs) -> Result<Code> {
    let data = setup::data(cli, args.profiles.as_deref())?;
    let cancel = Cancel::new();
    let signals = cancel_on_signals(&cancel)?;
    let request = Request {
        paths: args.paths,
        format: Some(args.format),
        mapping: args.mapping,
        device: args.device,
        dtype: args.dtype,
        kernel: args.kernel,
        launch: args.launch,
    };
    let found = counters::inspect(&request, &data, &cancel)?;
    // There is nothing left to clean up: while the result is printed, signals end the program.
    drop(signals);
    let layout = Layout {
        lang: setup::lang(cli),
        columns: terminal_width().clamp(40, 400),
        paint: Paint::stdout(),
        all: args.all,
        each: args.all || args.launch.is_some(),
    };
    show(cli, &found, || inspection(&found, &layout))?;
    let is_wrong = |f: &assay_core::view::FindingView| f.kind == "audit" && f.severity == "error";
    let failed = args.strict && found.findings.iter().any(is_wrong);
    Ok(Code(if failed { WORSE } else { DONE }))
}
