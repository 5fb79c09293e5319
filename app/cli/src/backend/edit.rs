//! Editing a variant from the terminal interface.

use std::fs;
use std::path::{Path, PathBuf};

use assay_engine::Workbench;
use assay_tui::EditPlace;

use super::told;

/// More files than this are opened as their folder.
const MOST: usize = 16;

/// The work tree of a variant, its kernel files, and the editor of the user.
pub fn place(bench: &Workbench, name: &str) -> Result<EditPlace, String> {
    let folder = told(bench.edit(name))?;
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|v| std::env::var(v).ok().filter(|e| !e.trim().is_empty()))
        .ok_or_else(|| {
            let at = folder.display();
            format!("no editor is set: set VISUAL or EDITOR; the work tree of {name} is {at}")
        })?;
    let mut files = Vec::new();
    for path in told(bench.variant_paths())? {
        kernel_files(&folder.join(path), &mut files);
    }
    files.sort();
    if files.is_empty() || files.len() > MOST {
        files = vec![folder.clone()];
    }
    Ok(EditPlace {
        editor,
        folder,
        files,
    })
}

/// Files at or below a path, as far as they are wanted; what is hidden or a link is left out.
fn kernel_files(path: &Path, out: &mut Vec<PathBuf>) {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return;
    };
    if meta.is_file() {
        out.push(path.to_owned());
    }
    if !meta.is_dir() || out.len() > MOST {
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with('.') {
            kernel_files(&entry.path(), out);
        }
    }
}

/// Commits what was edited, with the hypothesis of the variant as its message.
pub fn commit(bench: &Workbench, name: &str) -> Result<String, String> {
    let done = told(bench.commit_edit(name, None))?;
    let mut text = format!("{name}: committed as {}", done.commit.short());
    for why in done.left_out {
        text.push_str("; ");
        text.push_str(&why);
    }
    Ok(text)
}
