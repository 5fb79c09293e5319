//! Embeds the demo campaign: every file of `kernels/gemm-cpu` and the C harness header.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Harness helpers that `assay init` writes into a new campaign.
const HELPERS: [&str; 4] = [
    "assay_bench.h",
    "assay_guard.h",
    "assay_harness.py",
    "assay_guard.py",
];

fn main() -> io::Result<()> {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../kernels")
        .canonicalize()?;
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    walk(&kernels.join("gemm-cpu"), "", &mut files)?;
    // In a campaign of its own the headers lie beside the driver.
    for header in ["assay_bench.h", "assay_guard.h"] {
        let path = kernels.join("harness").join(header);
        files.push((format!("harness/{header}"), path));
    }
    for helper in HELPERS {
        let path = kernels.join("harness").join(helper);
        println!(
            "cargo:rustc-env=ASSAY_HELPER_{}={}",
            helper.replace('.', "_"),
            path.display()
        );
    }
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
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("demo_files.rs");
    fs::write(out, format!("&[\n{rows}]\n"))?;
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
