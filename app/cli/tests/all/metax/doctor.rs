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
    assert_eq!(card["ok"], false, "a run is refused: {card:#}");
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
    let of = |key: &str| profiler[key].as_str().unwrap();
    assert!(of("found").contains("has to be started in"), "{profiler:#}");
    assert!(
        !of("found").contains("set ASSAY_MCPROFILER"),
        "{profiler:#}"
    );
    assert!(
        of("remedy").contains("set ASSAY_MCPROFILER"),
        "{profiler:#}"
    );
}

#[test]
fn a_card_that_cannot_be_measured_on_is_not_offered() {
    let second = "model = \"c500\"\ngpu = \"0000:02:00.0\"";
    let lab = lab_with(&[("model = \"c500\"", second)]);
    faults(&lab, "two-cards unaccessible");
    let view = lab.assay(&["doctor", "--json"]).json();
    let (card, other) = (finding(&view, "card"), finding(&view, "other card"));
    assert_eq!(card["ok"], true, "{card:#}");
    let remedy = other["remedy"].as_str().unwrap();
    assert!(remedy.contains("not available"), "{other:#}");
    assert!(!remedy.contains("to measure on it"), "{other:#}");
}

/// The finding about the card under faults of the stand-in, where the target is declared so.
fn card_of(declared: &str, words: &str) -> Value {
    let lab = lab_with(&[("model = \"c500\"", declared)]);
    faults(&lab, words);
    finding(&lab.assay(&["doctor", "--json"]).json(), "card")
}

#[test]
fn what_a_run_refuses_is_not_called_well_and_what_it_measures_is_not_called_ill() {
    let c500 = "model = \"c500\"";
    let quarter = "model = \"c500\"\nshare = \"25%\"";
    for (declared, words, remedy) in [
        ("model = \"c550\"", "", "declares the model `c550`"),
        (c500, "sliced", "share = \"25%\""),
        (quarter, "new", "remove `share`"),
        (c500, "others busy", "in use by others"),
        (c500, "no-card", "mx-smi -L"),
        (c500, "unaccessible", "mx-smi -L"),
    ] {
        let card = card_of(declared, words);
        assert_eq!(card["ok"], false, "{words}: {card:#}");
        let said = card["remedy"].as_str().unwrap();
        assert!(said.contains(remedy), "{words}: {card:#}");
    }
    let whole = card_of(c500, "others");
    assert_eq!(whole["ok"], true, "{whole:#}");
    let slice = card_of(quarter, "sliced");
    assert_eq!((&slice["ok"], &slice["remedy"]), (&true.into(), &"".into()));
    assert!(
        slice["found"]
            .as_str()
            .unwrap()
            .ends_with("sliced (sGPU-M), share 25 %"),
        "{slice:#}"
    );
    // A version that marks no slices: it is measured, and said to be unconfirmed.
    let unsure = card_of(quarter, "");
    assert!(unsure["ok"].is_null(), "{unsure:#}");
}

#[test]
fn answers_that_are_none_are_not_called_a_version_and_a_tool_that_hangs_is_not_called_absent() {
    let lab = lab();
    lab.tool("mx-smi", "echo 'garbage ??'");
    lab.tool(
        "macainfo",
        "mkfifo \"$HOME/never\" 2>/dev/null; read -r _ < \"$HOME/never\"",
    );
    let view = lab.assay(&["doctor", "--json"]).json();
    let (smi, card) = (finding(&view, "mx-smi"), finding(&view, "card"));
    assert_eq!((&smi["ok"], &card["ok"]), (&false.into(), &false.into()));
    assert!(
        card["found"]
            .as_str()
            .unwrap()
            .contains("prints no table of cards"),
        "{card:#}"
    );
    let info = finding(&view, "macainfo");
    assert!(
        info["found"]
            .as_str()
            .unwrap()
            .contains("did not answer within"),
        "{info:#}"
    );
    let remedy = info["remedy"].as_str().unwrap();
    assert!(
        remedy.contains("dmesg") && !remedy.contains("PATH"),
        "{info:#}"
    );
}

#[test]
fn a_tool_that_is_there_and_does_not_work_is_not_called_missing() {
    let lab = lab();
    faults(&lab, "no-driver");
    let view = lab.assay(&["doctor", "--json"]).json();
    for name in ["mx-smi", "card"] {
        let f = finding(&view, name);
        let (found, remedy) = (f["found"].as_str().unwrap(), f["remedy"].as_str().unwrap());
        assert!(found.contains("the kernel driver is not loaded"), "{f:#}");
        assert!(
            !found.contains("not found") && !remedy.contains("install the driver"),
            "{f:#}"
        );
        assert!(remedy.contains("load the kernel module"), "{f:#}");
    }
}

#[test]
fn every_card_of_the_host_is_listed() {
    let lab = lab();
    faults(&lab, "two-cards");
    let view = lab.assay(&["doctor", "--json"]).json();
    let (card, other) = (finding(&view, "card"), finding(&view, "other card"));
    assert_eq!(card["ok"], true, "{card:#}");
    assert!(other["ok"].is_null(), "{other:#}");
    assert!(
        other["found"]
            .as_str()
            .unwrap()
            .starts_with("number 1: MetaX C500"),
        "{other:#}"
    );
    assert!(
        other["remedy"]
            .as_str()
            .unwrap()
            .contains("gpu = \"0000:02:00.0\""),
        "{other:#}"
    );
    let text = lab.assay(&["doctor"]).out;
    assert!(text.contains("other card"), "{text}");
}

#[test]
fn a_tool_that_hangs_is_asked_once() {
    let lab = lab();
    faults(&lab, "smi-hang");
    let asked = lab.home().join("mx-smi-asked");
    let _ = fs::remove_file(&asked);
    let view = lab.assay(&["doctor", "--json"]).json();
    assert_eq!(fs::read_to_string(&asked).unwrap().lines().count(), 1);
    for name in ["mx-smi", "card"] {
        let f = finding(&view, name);
        assert!(
            f["found"]
                .as_str()
                .unwrap()
                .contains("did not answer within 5 s"),
            "{f:#}"
        );
        assert!(f["remedy"].as_str().unwrap().contains("dmesg"), "{f:#}");
    }
}

/// A folder with the packages and without what pip writes beside them.
fn packages(lab: &Lab) -> PathBuf {
    let tree = lab.root().join("packages");
    write(
        &tree.join("tilelang/__init__.py"),
        "raise SystemExit('imported')\n",
    );
    write(&tree.join("tilelang/VERSION"), "0.1.10\n");
    write(&tree.join("torch/__init__.py"), "");
    write(
        &tree.join("torch/version.py"),
        "__version__ = '2.8.0+metax3.7'\n",
    );
    tree
}

#[test]
fn packages_are_looked_for_where_the_stages_would() {
    let told = |lab: &Lab, path: &PathBuf| {
        let mut command = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
        command.args(["doctor", "--json"]).env("PYTHONPATH", path);
        let out = command.output().unwrap();
        let view: Value = serde_json::from_slice(&out.stdout).unwrap();
        let found = |name| finding(&view, name)["found"].as_str().unwrap().to_owned();
        let hidden = view["findings"]
            .to_string()
            .contains("seen by no stage: PYTHONPATH");
        (found("torch"), found("tilelang"), hidden)
    };
    let passing = lab_with(&[("pass = [", "pass = [\"PYTHONPATH\", ")]);
    let (torch, tilelang, hidden) = told(&passing, &packages(&passing));
    assert_eq!(
        (torch.as_str(), tilelang.as_str(), hidden),
        ("2.8.0+metax3.7", "0.1.10", false)
    );
    let other = lab();
    let (torch, _, hidden) = told(&other, &packages(&other));
    assert!(torch != "2.8.0+metax3.7" && hidden, "{torch}");
    // Outside of a campaign nothing says what stages see: it is the user's shell that counts.
    let bare = Lab::empty();
    assert_eq!(told(&bare, &packages(&bare)).1, "0.1.10");
}
