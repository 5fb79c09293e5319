//! The user's editor, with the terminal to itself.

use std::process::Command;

use crate::backend::EditPlace;

/// Runs it until it ends. The variable may hold arguments, so a shell splits it; the files are
/// passed apart.
pub fn run(place: &EditPlace) -> Result<(), String> {
    let editor = &place.editor;
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), "sh"])
        .args(&place.files)
        .current_dir(&place.folder)
        .status();
    let failed = match status {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => format!("ended with {status}"),
        Err(e) => format!("cannot be started: {e}"),
    };
    Err(format!(
        "the editor `{editor}` {failed}\nset VISUAL or EDITOR to one that can; the files are in {}",
        place.folder.display()
    ))
}
