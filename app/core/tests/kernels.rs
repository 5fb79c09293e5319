//! The ready campaigns in `kernels/` are read without an error, and their formulas and gates can be computed.

use std::fs;
use std::path::{Path, PathBuf};

use assay_core::campaign::{Campaign, Params};

/// Campaign files below a folder: a variant's settings and a list of variants are none.
fn campaigns(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = entry.path();
        if entry.file_type().expect("its type").is_dir() {
            campaigns(&path, out);
        } else if path.extension().is_some_and(|e| e == "toml")
            && !path.ends_with("variant.toml")
            && !path.ends_with("history.toml")
        {
            out.push(path);
        }
    }
}

#[test]
fn every_ready_campaign_is_read() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let mut files = Vec::new();
    campaigns(&kernels, &mut files);
    let mut names = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let campaign =
            Campaign::parse(&text, &path.display().to_string()).unwrap_or_else(|e| panic!("{e}"));
        for w in &campaign.workloads {
            let r = campaign.resolve(w, &Params::default()).unwrap();
            assert!(
                r.flops > 0.0 && r.bytes > 0.0,
                "{}: {}",
                campaign.name,
                w.name
            );
        }
        assert!(campaign.targets.contains_key("local"));
        assert!(!names.contains(&campaign.name), "{}: twice", campaign.name);
        names.push(campaign.name);
    }
    for name in [
        "gemm-cpu",
        "gemm-cuda",
        "gemm-tilelang",
        "gemm-tilelang-gate-up",
        "gemm-tilelang-grouped",
        "gemm-tilelang-moe",
        "gemm-tilelang-swiglu",
        "matmul-tilelang",
        "mhc-post-tilelang",
    ] {
        assert!(names.iter().any(|n| n == name), "{names:?}");
    }
}
