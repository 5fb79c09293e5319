//! What is damaged: every fixture of the crate, and reports made by the generators.

use std::path::Path;
use std::sync::LazyLock;

use assay_profile::{Format, detect};

/// A file that a reader takes.
pub struct Seed {
    pub name: String,
    pub bytes: Vec<u8>,
    pub format: Option<Format>,
}

/// All of them, in the order of their names.
pub static SEEDS: LazyLock<Vec<Seed>> = LazyLock::new(|| {
    let mut found = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"),
        &mut found,
    );
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
});

fn collect(folder: &Path, out: &mut Vec<Seed>) {
    for entry in std::fs::read_dir(folder).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, out);
            continue;
        }
        let mut bytes = std::fs::read(&path).expect("a fixture");
        // The long ones have the same rows again and again.
        bytes.truncate(12 << 10);
        out.push(Seed {
            name: path.display().to_string(),
            format: detect(&bytes),
            bytes,
        });
    }
}
