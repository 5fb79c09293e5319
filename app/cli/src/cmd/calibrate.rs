//! `assay calibrate`: what this machine can do.

use assay_core::text::{inert, pad_left, pad_right};
use assay_core::units::short_figures;
use assay_engine::calibrate::{Calibrated, Peak, Request, cpu};
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Result};

use super::{OK, show};
use crate::args::Cli;
use crate::exit::Code;
use crate::progress::Stderr;
use crate::setup;

/// `assay calibrate`.
pub fn calibrate(cli: &Cli, wait: bool) -> Result<Code> {
    let cancel = Cancel::new();
    let _signals = cancel_on_signals(&cancel)?;
    let progress = Stderr::new();
    let request = Request {
        wait,
        ..Request::default()
    };
    let done = cpu(&setup::dirs()?, &request, &progress, &cancel)?;
    drop(progress);
    show(cli, &done, || text(&done))?;
    OK
}

fn text(done: &Calibrated) -> String {
    let mut out = format!(
        "{}\n{}\n\npeaks\n",
        inert(&done.title),
        inert(&done.compiler)
    );
    let names: Vec<String> = done.peaks.iter().map(name).collect();
    let widest = names.iter().map(String::len).max().unwrap_or(0);
    for (p, name) in done.peaks.iter().zip(&names) {
        let value = short_figures(&p.best.to_string());
        out.push_str(&format!(
            "  {}  {} {}  {}, best of {}, median {}\n",
            pad_right(name, widest),
            pad_left(&value, 8),
            pad_right(p.unit, 6),
            count(p.threads),
            p.repetitions,
            short_figures(&p.median.to_string())
        ));
    }
    for remark in &done.remarks {
        out.push_str(&format!("note: {}\n", inert(remark)));
    }
    out.push_str(&format!(
        "\nwritten to {}\nrates are held against it with --device {}\n",
        inert(&done.file),
        done.device
    ));
    out
}

fn name(p: &Peak) -> String {
    match p.label.as_str() {
        "" => p.name.clone(),
        label => format!("{} ({label})", p.name),
    }
}

fn count(threads: u32) -> String {
    match threads {
        1 => "1 thread".into(),
        n => format!("{n} threads"),
    }
}
