//! `assay doctor` on a host with the toolchain, with parts of it, and with none.

use super::*;

/// The finding of that name about MetaX.
fn finding(view: &Value, name: &str) -> Value {
    let all = view["findings"].as_array().unwrap();
    all.iter()
        .find(|f| f["backend"] == "metax" && f["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {view:#}"))
        .clone()
}

fn missing(view: &Value) -> Vec<String> {
    let all = view["backends"].as_array().unwrap();
    let of = all.iter().find(|b| b["name"] == "metax").unwrap();
    let names = of["missing"].as_array().unwrap();
    names
        .iter()
        .map(|n| n.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_piece_that_is_missing_is_named_with_what_to_do() {
    let lab = Lab::empty();
    let view = lab.assay(&["doctor", "--json"]).json();
    let missing = missing(&view);
    for name in ["mx-smi", "card", "macainfo", "mxcc", "mcProfiler"] {
        assert!(missing.contains(&name.to_owned()), "{missing:?}");
        let f = finding(&view, name);
        assert!(!f["remedy"].as_str().unwrap().is_empty(), "{f:#}");
    }
}

#[test]
fn the_toolchain_its_card_and_its_faults_are_told() {
    let lab = lab();
    let view = lab.assay(&["doctor", "--json"]).json();
    for (name, found) in [
        ("mx-smi", "2.2.4"),
        (
            "card",
            "MetaX C500, driver 3.8.30, MACA 3.7.1.5, BIOS 1.24.4.0, memory 65536 MiB",
        ),
        ("macainfo", "METAX-MXC-MXMACA--XCORE1000"),
        ("mxcc", "stand-in"),
        ("mcProfiler", "3.8.1.4 (stand-in)"),
        ("CXX", "not set"),
    ] {
        let f = finding(&view, name);
        assert_eq!(f["ok"], true, "{f:#}");
        assert!(f["found"].as_str().unwrap().contains(found), "{f:#}");
    }
    faults(&lab, "sliced");
    let card = finding(&lab.assay(&["doctor", "--json"]).json(), "card");
    assert!(card["ok"].is_null(), "{card:#}");
    assert!(
        card["remedy"].as_str().unwrap().contains("share = \"25%\""),
        "{card:#}"
    );
    faults(&lab, "no-driver");
    let view = lab.assay(&["doctor", "--json"]).json();
    let card = finding(&view, "card");
    assert_eq!(card["ok"], false, "{card:#}");
    assert!(
        card["found"]
            .as_str()
            .unwrap()
            .contains("driver is not loaded"),
        "{card:#}"
    );
    fs::remove_dir_all(profiler_home(&lab).join("config")).unwrap();
    let profiler = finding(&lab.assay(&["doctor", "--json"]).json(), "mcProfiler");
    assert_eq!(profiler["ok"], false);
    assert!(
        profiler["found"]
            .as_str()
            .unwrap()
            .contains("ASSAY_MCPROFILER"),
        "{profiler:#}"
    );
}
