//! What the campaign file says about counters: work per output, the kernel in reports, the device.

use super::tests::{EXAMPLE, LEAST};
use super::*;

fn with(from: &str, to: &str) -> Result<Campaign, ConfigError> {
    assert_eq!(EXAMPLE.matches(from).count(), 1, "{from}");
    Campaign::parse(&EXAMPLE.replace(from, to), "f")
}

const BYTES: &str = "bytes = \"dtype_bytes*(M*K + K*N + M*N)\"";

#[test]
fn outputs_operations_and_groups_are_resolved_for_each_workload() {
    let more = format!(
        "{BYTES}\noutputs = \"T*N\"\nops_per_output = \"2*K\"\ngroups = \"ceildiv(T, 128)*ceildiv(N, 100)\""
    );
    let c = with(BYTES, &more).unwrap();
    let params = Params::from([("top_k".to_owned(), ParamValue::Number(2.0))]);
    let w = c.resolve(&c.workloads[0], &params).unwrap();
    assert_eq!(w.outputs, Some(512.0 * 256.0));
    assert_eq!(w.ops_per_output, Some(512.0));
    assert_eq!(w.groups, Some(4.0 * 3.0));
    assert_eq!(w.outputs.unwrap() * w.ops_per_output.unwrap(), w.flops);
    let plain = Campaign::parse(EXAMPLE, "f").unwrap();
    let w = &plain.resolve_all().unwrap()[0];
    assert_eq!((w.outputs, w.ops_per_output, w.groups), (None, None, None));
}

#[test]
fn the_kernel_of_reports_and_the_device_are_read() {
    let c = with(
        "workload = \"square-128\"",
        "workload = \"square-128\"\nkernel = \"^gemm_.*_kernel$\"",
    )
    .unwrap();
    let stage = |c: &Campaign, t: &str| c.stage(t, Stage::Profile).unwrap().clone();
    assert_eq!(
        stage(&c, "local").profile_kernel(),
        Some("^gemm_.*_kernel$")
    );
    assert_eq!(stage(&c, "local").profile_workload(), Some("square-128"));
    let c = with(
        "device = \"cpu\"",
        "device = \"metax\"\nmodel = \"c500\"\nshare = \"25%\"\n[target.local.profile]\nkernel = \"main\"",
    )
    .unwrap();
    let local = &c.targets["local"];
    assert_eq!(local.model.as_deref(), Some("c500"));
    assert_eq!(local.share, Some(Ratio(0.25)));
    assert_eq!(stage(&c, "local").profile_kernel(), Some("main"));
    assert_eq!(stage(&c, "big").profile_kernel(), None);
    assert_eq!(c.targets["big"].model, None);
}

#[test]
fn a_campaign_whose_counters_are_only_imported_has_no_profile_command() {
    let c = Campaign::parse(&format!("{LEAST}[profile]\nkernel = \"k\"\n"), "f").unwrap();
    let stage = c.stage(LOCAL, Stage::Profile).unwrap();
    assert_eq!(
        (stage.command.as_ref(), stage.profile_kernel()),
        (None, Some("k"))
    );
}

#[test]
fn mistakes_are_told_at_their_place() {
    let cases = [
        (
            BYTES,
            format!("{BYTES}\noutputs = \"T*Q\""),
            "f:12:14: formulas.outputs: ",
        ),
        (
            BYTES,
            format!("{BYTES}\ngroups = \"N/1000\""),
            "f:12:11: formulas.groups: expected a count for every workload, found for workload `square-256` the value is 0.256, not whole",
        ),
        (
            BYTES,
            format!("{BYTES}\nops_per_output = \"K-1000\""),
            "f:12:19: formulas.ops_per_output: expected a count for every workload, found for workload `square-256` the value is -744, below zero",
        ),
        (
            BYTES,
            format!("{BYTES}\noutput = \"M\""),
            "did you mean `outputs`?",
        ),
        (
            "workload = \"square-128\"",
            "kernel = \"gemm(\"".to_owned(),
            "profile.kernel: expected a regular expression, found ",
        ),
        (
            "device = \"cpu\"",
            "device = \"metax\"\nmodel = \"C500\"".to_owned(),
            "f:69:9: target.local.model: ",
        ),
        (
            "device = \"cpu\"",
            "device = \"metax\"\nmodel = \"c500\"\nshare = 0.25".to_owned(),
            "f:70:9: target.local.share: expected a percentage such as \"1%\", found the number 0.25\n  hint: a share of 0.25 is \"25%\"",
        ),
        (
            "device = \"cpu\"",
            "share = \"25%\"".to_owned(),
            "f:68:9: target.local.share: expected the key `model`: a share of what, found a share of no `model`",
        ),
    ];
    for (from, to, expected) in cases {
        let e = with(from, &to).expect_err(&to).to_string();
        assert!(e.contains(expected), "{e}");
    }
}
