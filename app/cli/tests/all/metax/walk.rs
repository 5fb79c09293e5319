//! `docs/c500.md` as it is printed: its commands, in order, lead to a first verdict.
//!
//! Python is the interpreter of this machine with stand-ins for MetaX's torch and TileLang, and one for the part
//! of the evaluator that needs a device. What builds, what asks the card, and the page are the real ones.

use super::*;

/// The root of the repository.
fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(repository().join("docs").join(name)).unwrap()
}

/// The blocks of commands of a page: those that name no language.
fn blocks(page: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if language.is_empty() {
            out.push(block.join("\n"));
        }
    }
    out
}

/// A line without its comment and the space before it.
fn bare(line: &str) -> &str {
    line.split(" #").next().unwrap_or_default().trim_end()
}

/// A host with the toolchain, and a checkout of the repository as its folder.
fn host() -> Lab {
    let lab = Lab::empty();
    for tool in ["mx-smi", "macainfo", "mxcc"] {
        lab.tool(tool, &format!("exec '{}' \"$@\"", standin(tool).display()));
    }
    install_profiler(&lab);
    fs::create_dir(lab.root().join("maca")).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|p| p.join("python3"));
    let real = found.into_iter().find(|p| p.is_file()).expect("a Python");
    let script = format!(
        "REAL='{}' exec '{}' \"$@\"",
        real.display(),
        standin("python/python3").display()
    );
    lab.tool("python3", &script);
    let program = PathBuf::from(env!("CARGO_BIN_EXE_assay"));
    lab.tool("assay", &format!("exec '{}' \"$@\"", program.display()));
    std::os::unix::fs::symlink(repository().join("kernels"), lab.repo().join("kernels")).unwrap();
    lab
}

/// Runs a block as it is printed, with the folder and the variables that the one before left. Its standard output.
#[track_caller]
fn type_in(lab: &Lab, block: &str) -> String {
    let (place, variables) = (lab.home().join("place"), lab.home().join("variables"));
    let (place, variables) = (place.display(), variables.display());
    let script = format!(
        "set -e\n[ ! -e '{variables}' ] || {{ . '{variables}'; cd \"$(cat '{place}')\"; }}\n{block}\n\
         pwd > '{place}'\nexport -p > '{variables}'\n"
    );
    let mut shell = lab.command("sh", lab.repo());
    for role in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{role}_NAME"), "Tester");
        shell.env(format!("GIT_{role}_EMAIL"), "tester@localhost");
    }
    let done = shell.args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{block}\n{out}\n{said}");
    out
}

/// There is no terminal to ask on: the page says what to type then.
/// And the SDK lies elsewhere than on a host with a card.
fn typed(lab: &Lab, block: &str) -> String {
    let sdk = lab.root().join("maca");
    let line = |l: &str| match bare(l) {
        "assay trust" => "assay trust --trust".to_owned(),
        "export MACA_PATH=/opt/maca" => format!("export MACA_PATH={}", sdk.display()),
        _ => l.to_owned(),
    };
    block.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_leads_from_the_host_to_a_verdict_counters_and_a_decision() {
    let lab = host();
    let all = blocks(&page("c500.md"));
    let [doctor, begin, pin, first, profile, decide] = all.as_slice() else {
        panic!("{all:#?}");
    };
    // Outside of a campaign it looks at all back ends; this machine's own may lack something, and it then ends with 4.
    let said = type_in(&lab, &format!("{doctor} || test $? = 4"));
    assert!(said.contains("MetaX C500"), "{said}");
    assert!(said.contains("2.8.0+metax3.7.1.3"), "{said}");
    type_in(&lab, &typed(&lab, begin));
    let campaign = lab.repo().join("my-gemm");
    // An edit of the campaign file, as the section on it has them.
    let file = campaign.join("assay.toml");
    let text = fs::read_to_string(&file).unwrap();
    let model = "model = \"c500\"\n";
    assert_eq!(text.matches(model).count(), 1);
    let card = format!("{model}gpu = \"0000:01:00.0\"\n");
    write(&file, &text.replace(model, &card));
    type_in(&lab, &typed(&lab, pin));
    let said = type_in(&lab, first);
    assert!(said.contains("FASTER"), "{said}");
    assert!(said.contains("clocks were not sampled"), "{said}");
    type_in(&lab, profile);
    let said = type_in(&lab, decide);
    assert!(said.contains("Average AP busy cycles"), "{said}");
    let list = lab.assay_in(&campaign, &["list", "--json"]).json();
    assert_eq!(list["champion"], "a-width4", "{list:#}");
    assert_eq!(list["device"], "MetaX C500");
    let row = |name: &str| {
        let rows = list["variants"].as_array().unwrap();
        rows.iter().find(|r| r["name"] == name).unwrap().clone()
    };
    let row = row("a-width4");
    assert_eq!(row["against"], "torch", "{row:#}");
    for name in ["device-threads", "device-wave", "mma", "exact"] {
        assert_eq!(gate(&row, name)["pass"], true, "{row:#}");
    }
    // The size of dynamic shared memory stands in no device source: it is not known, and said to be.
    assert!(gate(&row, "device-shared")["pass"].is_null(), "{row:#}");
    lab.assay_in(&campaign, &["verify"]).ok();
}

#[test]
fn both_languages_print_the_same_commands() {
    let commands = |name: &str| -> Vec<String> {
        let all = blocks(&page(name)).join("\n");
        all.lines().map(|l| bare(l).to_owned()).collect()
    };
    assert_eq!(commands("c500.md"), commands("c500.zh.md"));
}

#[test]
fn a_knob_of_another_layer_makes_a_null_pair_by_the_generated_source() {
    let lab = host();
    let all = blocks(&page("c500.md"));
    type_in(&lab, &typed(&lab, &all[1]));
    let variant = |name: &str, from: &str, params: &str| {
        format!(
            "assay new {name} {from} --why 'a test'\n\
             (cd $(assay edit {name}) && printf '[params]\\n{params}\\n' > kernel/variant.toml)\nassay commit {name}\n"
        )
    };
    let run = "run --target c500 --stages build,source,check,bench";
    type_in(
        &lab,
        &[
            variant("wide", "", "a_width = 4"),
            format!("assay {run} wide\nassay accept wide --reason 'a test'\n"),
            variant(
                "unused",
                "--from wide",
                "a_width = 4\\ndispatch = \"fused\"",
            ),
            format!("assay {run} unused --against wide || true\n"),
            variant("other", "--from wide", "a_width = 8"),
            format!("assay {run} other --against wide || true\n"),
        ]
        .concat(),
    );
    let campaign = lab.repo().join("my-gemm");
    let show = |name: &str| lab.assay_in(&campaign, &["show", name, "--json"]).json();
    let reason = |view: &Value| view["verdict"]["reason"].as_str().unwrap().to_owned();
    let unused = reason(&show("unused"));
    assert!(
        unused.starts_with("identical generated source: a null pair;"),
        "{unused}"
    );
    let other = reason(&show("other"));
    assert!(!other.contains("null pair"), "{other}");
    lab.assay_in(&campaign, &["verify"]).ok();
}
