//! What the commands print: plain tables and blocks, safe on any terminal.

pub mod audit;
pub mod change;
pub mod comparison;
pub mod counters;
pub mod derived;
pub mod diff;
pub mod figures;
pub mod findings;
pub mod jobs;
pub mod notes;
pub mod paint;
pub mod record;
pub mod side_by_side;
pub mod spread;
pub mod stages;
pub mod table;
pub mod views;

use std::io::{self, Write};

/// Writes to standard output; a closed pipe ends the program quietly.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn out(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    quietly(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    )
}

fn quietly(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => other,
    }
}

/// Prints a view as one JSON document.
///
/// # Errors
/// When it cannot be serialised or written.
pub fn json(view: &impl serde::Serialize) -> io::Result<()> {
    // Written as it is made: a list may be large, and whoever reads it can begin at once.
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    quietly(
        serde_json::to_writer_pretty(&mut stdout, view)
            .map_err(io::Error::from)
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush()),
    )
}
