//! Embeds the demo campaign, with the C headers of the harness, and the helpers that `assay init` writes.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../kernels")
        .canonicalize()?;
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    walk(&kernels.join("gemm-cpu"), "", &mut files)?;
    // Its tests belong to this repository, as those of the harness do.
    files.retain(|(name, _)| !name.starts_with("tests/"));
    // In a campaign of its own the headers lie beside the driver.
    let helpers = helpers(&kernels.join("harness"))?;
    let headers = helpers.iter().filter(|(name, _)| name.ends_with(".h"));
    files.extend(headers.map(|(name, path)| (format!("harness/{name}"), path.clone())));
    embed("demo_files.rs", files)?;
    embed("helper_files.rs", helpers)?;
    println!(
        "cargo:rerun-if-changed={}",
        kernels.join("gemm-cpu").display()
    );
    println!(
        "cargo:rerun-if-changed={}",
        kernels.join("harness").display()
    );
    Ok(())
}

/// The harness helpers: every header and Python module that lies directly in the folder.
fn helpers(harness: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut out = Vec::new();
    for entry in fs::read_dir(harness)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else {
            continue;
        };
        let part = name.starts_with("assay_") && (name.ends_with(".h") || name.ends_with(".py"));
        if part && path.is_file() {
            out.push((name.to_owned(), path.clone()));
        }
    }
    Ok(out)
}

/// Writes a list of `(name, bytes)` for the program to include.
fn embed(file: &str, mut files: Vec<(String, PathBuf)>) -> io::Result<()> {
    files.sort();
    let rows: String = files
        .iter()
        .map(|(name, path)| {
            format!(
                "    ({name:?}, include_bytes!({:?})),\n",
                path.display().to_string()
            )
        })
        .collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(file);
    fs::write(out, format!("&[\n{rows}]\n"))
}

fn walk(dir: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else {
            continue;
        };
        let inside = format!("{prefix}{name}");
        if path.is_dir() {
            walk(&path, &format!("{inside}/"), files)?;
        } else {
            files.push((inside, path));
        }
    }
    Ok(())
}
