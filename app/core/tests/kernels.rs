//! The ready campaigns in `kernels/` are read without an error, and their formulas and gates can be computed.

use std::fs;
use std::path::Path;

use assay_core::campaign::{Campaign, Params};

#[test]
fn every_ready_campaign_is_read() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let mut names = Vec::new();
    for entry in fs::read_dir(kernels).unwrap() {
        let path = entry.unwrap().path().join("assay.toml");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
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
        names.push(campaign.name);
    }
    for name in ["gemm-cpu", "gemm-cuda"] {
        assert!(names.iter().any(|n| n == name), "{names:?}");
    }
}
