//! What the commands print: plain tables and blocks, safe on any terminal.

pub mod change;
pub mod table;
pub mod views;

use std::io::{self, Write};

/// Writes to standard output; a closed pipe ends the program quietly.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn out(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
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
    let mut text = serde_json::to_string_pretty(view)?;
    text.push('\n');
    out(&text)
}
