//! What the compiler says of a kernel, and the limits of the card.

use super::*;

const BUILT: [&str; 2] = ["--stages", "build,source,check"];

fn run(lab: &Lab, name: &str) -> crate::support::Done {
    lab.assay(&["run", name, BUILT[0], BUILT[1]])
}

#[test]
fn registers_shared_memory_and_stack_frame_are_recorded_and_gated() {
    let lab = lab();
    variant(
        &lab,
        "spilled",
        &[("mt=128 st=40 stack=0", "mt=256 st=40 stack=28")],
    );
    run(&lab, "spilled").ok();
    let resources = &lab.records_of("build")[0]["body"]["resources"];
    for (name, value) in [
        ("registers", 256.0),
        ("registers_scalar", 40.0),
        ("shared_bytes", 16384.0),
        ("stack_bytes", 28.0),
    ] {
        assert_eq!(resources[name]["value"], value, "{resources:#}");
    }
    let row = lab.row("spilled");
    for name in [
        "device-shared",
        "device-private",
        "device-threads",
        "device-wave",
    ] {
        assert_eq!(gate(&row, name)["pass"], true, "{row:#}");
    }
    let private = gate(&row, "device-private")["evidence"].as_str().unwrap();
    assert!(private.contains("spilled registers"), "{private}");
    // The campaign's own gate on the sign of spills.
    assert_eq!(gate(&row, "no-spills")["pass"], false);
}

#[test]
fn a_kernel_that_exceeds_a_limit_is_a_constraint_failure_and_never_launched() {
    let lab = lab();
    for (name, change, gate, stage) in [
        (
            "shared",
            ("shared=16384", "shared=70000"),
            "device-shared",
            "build",
        ),
        (
            "private",
            ("stack=0", "stack=4100"),
            "device-private",
            "build",
        ),
        (
            "threads",
            ("__launch_bounds__(256, 1)", "__launch_bounds__(2048, 1)"),
            "device-threads",
            "source",
        ),
        (
            "wave",
            ("__launch_bounds__(256, 1)", "__launch_bounds__(96, 1)"),
            "device-wave",
            "source",
        ),
    ] {
        variant(&lab, name, &[change]);
        lab.ran();
        run(&lab, name).fails(1, &["constraint", gate, "MetaX C500"]);
        let (kind, at, message) = failure(&lab);
        assert_eq!(
            (kind.as_str(), at.as_str()),
            ("constraint", stage),
            "{message}"
        );
        assert!(message.contains(gate), "{message}");
        assert_eq!(lab.ran(), [format!("build {name}")]);
    }
}

#[test]
fn what_nobody_says_of_a_limit_is_unknown_and_does_not_stand_in_the_way() {
    let lab = lab_with(&[(
        "[[gate]]\nname = \"no-spills\"\nrule = \"resource[\\\"stack_bytes\\\"] == 0\"\n",
        "",
    )]);
    let dynamic = "extern __shared__ __align__(1024) uchar buf_dyn_shmem[];";
    variant(
        &lab,
        "dynamic",
        &[("__shared__ half_t tile[8192];", dynamic)],
    );
    run(&lab, "dynamic").ok();
    let row = lab.row("dynamic");
    let shared = gate(&row, "device-shared");
    assert!(shared["pass"].is_null(), "{row:#}");
    let said = shared["evidence"].as_str().unwrap();
    assert!(said.contains("not known"), "{said}");
    let show = lab.assay(&["show", "dynamic"]).ok();
    assert!(show.contains("device-shared"), "{show}");
    lab.assay(&["accept", "dynamic", "--reason", "right, and the start"])
        .ok();
}

#[test]
fn complaints_of_the_compiler_come_with_their_remedy() {
    let cxx = lab_with(&[("sh harness/mxcc.sh", "CXX=g++ sh harness/mxcc.sh")]);
    variant(&cxx, "quick", &[("cost = 100", "cost = 80")]);
    run(&cxx, "quick").fails(1, &["compile", "CXX is set"]);
    assert!(failure(&cxx).2.contains("CXX is set"));
    let lab = lab();
    variant(
        &lab,
        "elsewhere",
        &[("tl_templates/maca/gemm.h", "tl_templates/maca/copy.h")],
    );
    run(&lab, "elsewhere").fails(1, &["compile", "include folders"]);
}
