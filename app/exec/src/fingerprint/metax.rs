//! What identifies a MetaX card and what builds for it, from `mx-smi`, `macainfo` and Python's
//! list of packages. The parsers are pure; what nobody tells is absent.

use std::collections::BTreeMap;
use std::path::Path;

use assay_core::record::Environment;

use super::gpu::{DeviceProblem, TIMEOUT};
use super::{Silence, answered, packages};
use crate::Cancel;
use crate::conditions::metax::number_before_name;
use crate::conditions::{absent, read, safe_name};
use crate::process::Env;

/// State of the card in the volatile part.
pub const STATE: &str = "gpu.state";

/// How the state of a card that cannot be worked with begins.
const UNAVAILABLE: &str = "Not Available";

/// The mark of a slice, as it stands in the card's row; absent for a whole card.
pub const SLICE: &str = "gpu.sgpu";

/// Where a build of MetaX's TileLang says which commit it is of.
const COMMIT: &str = "opt/tilelang-metax/.git_commit.txt";

/// Adds the card and the libraries; `selected` is the card's bus address, UUID or number.
///
/// # Errors
/// Why the card is not known: evidence is then keyed by the host alone.
pub fn add(
    environment: &mut Environment,
    selected: Option<&str>,
    env: &Env,
    cancel: &Cancel,
) -> Result<(), DeviceProblem> {
    environment
        .stable
        .extend(libraries(Path::new("/"), env, cancel));
    let isa = told_isa(env, cancel).ok().flatten();
    environment
        .stable
        .extend(isa.map(|isa| ("gpu.isa".to_owned(), isa)));
    let facts = facts(selected, env, cancel)?;
    if let Some(model) = facts.stable.get("gpu.model") {
        environment.device.clone_from(model);
    }
    environment.stable.extend(facts.stable);
    environment.volatile.extend(facts.volatile);
    Ok(())
}

/// What `mx-smi` tells of the card that measures.
///
/// # Errors
/// Why it is not known, or why nothing can be measured on it.
pub fn facts(selected: Option<&str>, env: &Env, cancel: &Cancel) -> Result<Facts, DeviceProblem> {
    let table = table(env, cancel)?;
    let list = ask(&["mx-smi", "-L"], env, cancel).unwrap_or_default();
    let facts = card(&table, &list, selected)?;
    match facts.unavailable() {
        Some(why) => Err(DeviceProblem::fatal(why)),
        None => Ok(facts),
    }
}

/// Number of a card in its facts, beside what identifies it.
pub const INDEX: &str = "index";

/// Each card of this host, in the order of `mx-smi`, which is not bound by `MACA_VISIBLE_DEVICES`; with its
/// number as [`INDEX`] among the volatile facts.
///
/// # Errors
/// Why they are not known, or that there is none.
pub fn devices(env: &Env, cancel: &Cancel) -> Result<Vec<Facts>, DeviceProblem> {
    let table = table(env, cancel)?;
    let list = ask(&["mx-smi", "-L"], env, cancel).unwrap_or_default();
    Ok(cards(&table, &list))
}

/// What a tool prints on standard output.
fn ask(argv: &[&str], env: &Env, cancel: &Cancel) -> Result<String, Silence> {
    let done = answered(argv, TIMEOUT, env, cancel)?;
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The table of `mx-smi`.
fn table(env: &Env, cancel: &Cancel) -> Result<String, DeviceProblem> {
    ask(&["mx-smi"], env, cancel).map_err(|silence| DeviceProblem::unknown(silence.of("mx-smi")))
}

/// Versions of what a TileLang kernel is built with.
///
/// The version of TileLang says `+cuda` in builds for MACA too, so that the commit is kept beside
/// it; that of the system and that of the SDK differ often, so that the SDK's folder is kept.
pub fn libraries(root: &Path, env: &Env, cancel: &Cancel) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    if let Some(commit) = read(root, COMMIT) {
        out.insert("tool.tilelang.commit".into(), safe_name(&commit));
    }
    // What the package that is imported says of itself is nearer than what lies in that place.
    out.extend(packages::versions(&packages::METAX, env, cancel));
    let sdk = env
        .get("MACA_PATH")
        .map_or_else(|| root.join("opt/maca"), Into::into);
    let version = sdk.canonicalize().ok();
    let version = version.as_deref().and_then(Path::file_name);
    if let Some(name) = version.and_then(|n| n.to_str()) {
        out.insert("tool.maca".into(), safe_name(name));
    }
    out
}

/// The ISA of the card as `macainfo` tells it; `None` where it names no device of MetaX.
///
/// # Errors
/// Why `macainfo` tells nothing.
pub fn told_isa(env: &Env, cancel: &Cancel) -> Result<Option<String>, Silence> {
    ask(&["macainfo"], env, cancel).map(|text| isa(&text))
}

/// `METAX-MXC-MXMACA--XCORE1000`, wherever `macainfo` has it.
fn isa(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    words
        .find(|w| w.starts_with("METAX-MXC-MXMACA"))
        .map(safe_name)
}

/// Facts of one card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// What identifies it.
    pub stable: BTreeMap<String, String>,
    /// What may be different in an hour.
    pub volatile: BTreeMap<String, String>,
}

impl Facts {
    /// Why nothing can be measured on the card by the state that it is in, with what to do.
    pub fn unavailable(&self) -> Option<String> {
        let state = self.volatile.get(STATE)?;
        state.starts_with(UNAVAILABLE).then(|| {
            format!(
                "the card is not available: `mx-smi` says {state}; a container has to be given the card, and its user must be allowed to open it"
            )
        })
    }
}

/// A card as the table shows it, in two lines.
#[derive(Debug, Default)]
struct Row<'t> {
    index: u32,
    name: &'t str,
    bus: &'t str,
    /// What stands beside the utilisation: a mark like `sGPU-M`.
    mark: Option<&'t str>,
    memory: Option<&'t str>,
    state: Option<&'t str>,
}

/// The facts of the card that is meant, by the table and the list of `mx-smi`.
fn card(table: &str, list: &str, selected: Option<&str>) -> Result<Facts, DeviceProblem> {
    let rows = rows(table);
    let listed: Vec<Listed<'_>> = list.lines().filter_map(listed).collect();
    let is_it = |r: &&Row<'_>, s: &str| {
        let uuid = r.beside(&listed).and_then(|l| l.uuid);
        r.bus == s || r.index.to_string() == s || uuid.is_some_and(|u| u.starts_with(s))
    };
    // A list that is not whole says nothing of what is not in it.
    let whole = || not_whole(table).map_or(Ok(()), |why| Err(DeviceProblem::unknown(why)));
    let row = match (rows.as_slice(), selected) {
        ([], _) => {
            whole()?;
            return Err(DeviceProblem::fatal(
                "there is no MetaX card here: `mx-smi` lists none; a container has to be given the card",
            ));
        }
        (all, Some(s)) => {
            let Some(found) = all.iter().find(|r| is_it(r, s)) else {
                whole()?;
                return Err(DeviceProblem::fatal(format!(
                    "the card that was chosen, `{}`, is not here; `mx-smi -L` lists those that are, and MACA_VISIBLE_DEVICES or [target.NAME] gpu chooses",
                    safe_name(s)
                )));
            };
            found
        }
        // The runtime takes the first, too.
        ([first, ..], None) => first,
    };
    Ok(row.facts(table, &listed))
}

/// Why a table of `mx-smi` does not list all cards, in words; nothing where it does.
fn not_whole(table: &str) -> Option<String> {
    let lines = || table.lines().map(str::trim).filter(|l| !l.is_empty());
    let attached = lines().find_map(|l| l.strip_prefix("Attached GPUs"));
    let none = attached.is_some_and(|rest| rest.trim_start_matches([' ', ':']).trim() == "0");
    let has_end = lines().any(|l| l.contains("Process:") || l == "End of Log");
    if none || has_end {
        return None;
    }
    let has_begun = lines().any(|l| l.contains("MX-SMI") || l.starts_with("mx-smi "));
    let first = lines().next();
    Some(match (has_begun, first) {
        (true, _) => "`mx-smi` prints no end of its table: its answer is cut off".into(),
        (false, Some(line)) => format!(
            "`mx-smi` prints no table of cards; it says: {}",
            safe_name(line)
        ),
        (false, None) => "`mx-smi` prints nothing".into(),
    })
}

/// The facts of each card, with its number.
fn cards(table: &str, list: &str) -> Vec<Facts> {
    let listed: Vec<Listed<'_>> = list.lines().filter_map(listed).collect();
    let one = |row: &Row<'_>| {
        let mut facts = row.facts(table, &listed);
        let number = row.index.to_string();
        facts.volatile.insert(INDEX.into(), number);
        facts
    };
    rows(table).iter().map(one).collect()
}

impl Row<'_> {
    /// The line of `mx-smi -L` about it.
    fn beside<'l, 't>(&self, listed: &'l [Listed<'t>]) -> Option<&'l Listed<'t>> {
        listed.iter().find(|l| l.bus == self.bus)
    }

    fn facts(&self, table: &str, listed: &[Listed<'_>]) -> Facts {
        let beside = self.beside(listed);
        let mut out = Facts::default();
        let mut put = |name: &str, value: Option<&str>| {
            if let Some(v) = value.map(str::trim).filter(|v| !absent(v)) {
                out.stable.insert(name.to_owned(), safe_name(v));
            }
        };
        put("gpu.model", Some(self.name));
        put("gpu.bus", Some(self.bus).filter(|b| b.contains(':')));
        put("gpu.memory", self.memory);
        put(SLICE, self.mark);
        put("gpu.uuid", beside.and_then(|l| l.uuid));
        put("gpu.driver", after(table, "Kernel Mode Driver Version:"));
        put("gpu.maca", after(table, "MACA Version:"));
        put("gpu.bios", after(table, "BIOS Version:"));
        put("tool.mx-smi", after(table, "MX-SMI"));
        let state = beside.map(|l| l.state).or(self.state);
        if let Some(state) = state.filter(|s| !absent(s)) {
            out.volatile.insert(STATE.into(), safe_name(state));
        }
        // How a quota is printed is not documented: the words are kept, and nothing is read from them.
        if self.mark.is_some() {
            out.volatile.insert("gpu.sgpu.said".into(), sliced(table));
        }
        out
    }
}

/// The word behind a label.
fn after<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    text.split_once(label)?.1.split_whitespace().next()
}

fn rows(table: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in table.lines() {
        // A line without its end was cut off.
        let inner = line.trim().strip_prefix('|');
        let Some(inner) = inner.and_then(|l| l.strip_suffix('|')) else {
            continue;
        };
        let columns: Vec<&str> = inner
            .trim_end_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        if let Some(index) = number_before_name(&columns) {
            let name = columns
                .first()
                .and_then(|c| c.split_once(char::is_whitespace));
            let use_ = columns.get(2).copied().unwrap_or_default();
            rows.push(Row {
                index,
                name: name.map_or("", |(_, n)| n.trim()),
                bus: columns.get(1).copied().unwrap_or_default(),
                mark: use_.split_whitespace().find(|w| w.starts_with("sGPU")),
                ..Row::default()
            });
        } else if let (Some(row), [_, memory, state @ ..]) = (rows.last_mut(), columns.as_slice())
            && let Some((_, all)) = memory.split_once('/')
        {
            row.memory.get_or_insert(all.trim());
            // Versions before 2.2 have no such column.
            row.state = row.state.or(state.first().copied());
        }
    }
    rows
}

/// The lines of the block about slices, as one line of text.
fn sliced(table: &str) -> String {
    let block = table
        .split_once("Sliced GPU")
        .map_or("", |(_, rest)| rest.split("Process:").next().unwrap_or(""));
    let words = block
        .split(|c: char| c.is_whitespace() || matches!(c, '|' | '+' | '-' | '='))
        .filter(|w| !w.is_empty());
    let text: Vec<&str> = words.take(40).collect();
    let text = assay_core::text::inert(&text.join(" ")).into_owned();
    assay_core::text::truncate(&text, 200).into_owned()
}

/// A line of `mx-smi -L`.
#[derive(Debug, PartialEq, Eq)]
struct Listed<'t> {
    bus: &'t str,
    state: &'t str,
    uuid: Option<&'t str>,
}

/// `GPU#0    MXC500      0000:08:00.0   Available (UUID: GPU-...)`.
fn listed(line: &str) -> Option<Listed<'_>> {
    let rest = line.trim().strip_prefix("GPU#")?;
    let (head, uuid) = match rest.split_once("(UUID:") {
        Some((head, uuid)) => (head, Some(uuid.trim().trim_end_matches(')').trim())),
        None => (rest, None),
    };
    let bus = head.split_whitespace().find(|w| w.contains(':'))?;
    let state = head.split_once(bus)?.1.trim();
    Some(Listed { bus, state, uuid })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::packages::tests::looking_into;
    use super::*;

    const HEAD: &str = "\
mx-smi  version: 2.3.1
| MX-SMI 2.3.1                        Kernel Mode Driver Version: 3.8.30          |
| MACA Version: 3.7.1.5               BIOS Version: 1.24.4.0                      |
| GPU         NAME                   | Bus-id              | GPU-Util             |
| Temp        Pwr:Usage/Cap          | Memory-Usage        | GPU-State            |
";
    const TWO: &str = "\
| 0           MetaX C500             | 0000:08:00.0        | 93%                  |
| 52C         201W / 350W            | 9000/65536 MiB      | Available            |
| 1           MXC550                 | 0000:5e:00.0        | 0% sGPU-M            |
| 31C P0      NA / NA                | 858/65536 MiB       | Available            |
";
    const LIST: &str = "\
GPU#0    MXC500      0000:08:00.0   Available (UUID: GPU-aaaa)
GPU#1    MXC550      0000:5e:00.0   Not Available(MetaX Sysfs File Unaccessible)
";

    fn told(table: &str, list: &str, selected: Option<&str>) -> Vec<String> {
        let f = card(table, list, selected).unwrap();
        let all = f.stable.iter().chain(&f.volatile);
        all.map(|(k, v)| format!("{k}={v}")).collect()
    }

    #[test]
    fn a_card_is_identified_with_its_driver_and_slice() {
        let table = format!("{HEAD}{TWO}| Sliced GPU |\n|  1  0  25% |\n| Process: |\n");
        for chosen in [None, Some("0"), Some("0000:08:00.0"), Some("GPU-aa")] {
            assert_eq!(
                told(&table, LIST, chosen),
                [
                    "gpu.bios=1.24.4.0",
                    "gpu.bus=0000:08:00.0",
                    "gpu.driver=3.8.30",
                    "gpu.maca=3.7.1.5",
                    "gpu.memory=65536 MiB",
                    "gpu.model=MetaX C500",
                    "gpu.uuid=GPU-aaaa",
                    "tool.mx-smi=2.3.1",
                    "gpu.state=Available"
                ],
                "{chosen:?}"
            );
        }
        let second = told(&table, LIST, Some("1"));
        assert_eq!(
            second[5..],
            [
                "gpu.model=MXC550",
                "gpu.sgpu=sGPU-M",
                "tool.mx-smi=2.3.1",
                "gpu.sgpu.said=1 0 25%",
                "gpu.state=Not Available(MetaX Sysfs File Unaccessible)"
            ]
        );
    }

    #[test]
    fn all_cards_are_told_with_their_states() {
        let all = cards(&format!("{HEAD}{TWO}"), LIST);
        let told: Vec<[&str; 3]> = (all.iter())
            .map(|f| {
                let (model, state) = (&f.stable["gpu.model"], &f.volatile["gpu.state"]);
                [model.as_str(), f.volatile[INDEX].as_str(), state.as_str()]
            })
            .collect();
        assert_eq!(
            told,
            [
                ["MetaX C500", "0", "Available"],
                [
                    "MXC550",
                    "1",
                    "Not Available(MetaX Sysfs File Unaccessible)"
                ]
            ]
        );
        assert!(cards(HEAD, "").is_empty());
    }

    #[test]
    fn without_a_list_the_table_tells_the_state_and_no_card_is_an_error() {
        let table = format!("{HEAD}{TWO}");
        let all = told(&table, "", None);
        assert!(all.contains(&"gpu.state=Available".to_owned()));
        assert!(!all.iter().any(|f| f.starts_with("gpu.uuid")));
        let end = "| Process:                     |\n";
        for none in [format!("{HEAD}{end}"), "Attached GPUs    : 0\n".to_owned()] {
            let none = card(&none, "", None).unwrap_err();
            assert!(
                none.is_fatal && none.text.contains("`mx-smi` lists none"),
                "{none}"
            );
        }
        let whole = format!("{table}{end}");
        let other = card(&whole, LIST, Some("7")).unwrap_err();
        assert!(
            other.is_fatal && other.text.contains("`7`, is not here"),
            "{other}"
        );
    }

    #[test]
    fn an_answer_that_is_cut_off_or_none_says_nothing_of_what_is_not_in_it() {
        let cut = format!("{HEAD}| 0           MetaX C500             | 0000:0");
        let two = format!("{HEAD}{TWO}");
        for (text, chosen, words) in [
            (cut.as_str(), None, "cut off"),
            (HEAD, None, "cut off"),
            (
                "mx-smi  version: 2.3.1\n\n+----\n| MX-SMI 2.3.1     Kernel Mode Dri",
                None,
                "cut off",
            ),
            (&two, Some("7"), "cut off"),
            (
                "\u{1b}[31m?? %%%\n",
                None,
                "no table of cards; it says: \\x1b[31m??",
            ),
            ("", None, "prints nothing"),
        ] {
            let problem = card(text, LIST, chosen).unwrap_err();
            assert!(!problem.is_fatal, "{problem}");
            assert!(problem.text.contains(words), "{problem}");
        }
    }

    #[test]
    fn a_table_without_states_tells_of_none() {
        let old = "\
| 0           MXC500                 | 0000:08:00.0        | 0%                   |
| 45C         48W                    | 858/65536 MiB       |                      |
";
        for table in [old.to_owned(), old.replace("|                      |", "|")] {
            assert_eq!(
                told(&table, "", None),
                [
                    "gpu.bus=0000:08:00.0",
                    "gpu.memory=65536 MiB",
                    "gpu.model=MXC500"
                ]
            );
        }
    }

    #[test]
    fn the_isa_is_found_wherever_it_stands() {
        let text = "Agent 2\n  Name:   METAX-MXC-MXMACA--XCORE1000\n";
        assert_eq!(isa(text).as_deref(), Some("METAX-MXC-MXMACA--XCORE1000"));
        assert_eq!(isa("no device"), None);
    }

    #[test]
    fn libraries_are_known_by_version_commit_and_folder() {
        let dir = tempfile::tempdir().unwrap();
        crate::conditions::tests::write(dir.path(), COMMIT, "f549117c\n");
        std::fs::create_dir_all(dir.path().join("opt/maca-3.7.1")).unwrap();
        std::os::unix::fs::symlink("maca-3.7.1", dir.path().join("opt/maca")).unwrap();
        let python = dir.path().join("python");
        let script =
            "#!/bin/sh\necho 'torch 2.8.0+metax3.7.1.3'\necho 'tilelang 0.1.10+cuda.gitf549117c'\n";
        std::fs::write(&python, script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&python, mode).unwrap();
        let env = Env::from([("PYTHON".into(), python.into_os_string())]);
        let got = libraries(dir.path(), &env, &Cancel::new());
        let got: Vec<String> = got.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            got,
            [
                "tool.maca=maca-3.7.1",
                "tool.tilelang=0.1.10+cuda.gitf549117c",
                "tool.tilelang.commit=f549117c",
                "tool.torch=2.8.0+metax3.7.1.3"
            ]
        );
    }

    /// What the real interpreter finds with a tree on PYTHONPATH.
    fn found_in(tree: &Path) -> BTreeMap<String, String> {
        libraries(tree, &looking_into(tree), &Cancel::new())
    }

    #[test]
    fn a_source_tree_on_the_path_is_found_without_metadata_and_without_importing_it() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path();
        let write = |name: &str, text: &str| crate::conditions::tests::write(tree, name, text);
        std::fs::create_dir_all(tree.join("tilelang")).unwrap();
        assert_eq!(found_in(tree)["tool.tilelang"], "absent");
        write("tilelang/__init__.py", "raise SystemExit('imported')\n");
        let got = found_in(tree);
        assert_eq!(got["tool.tilelang"], "present, version unknown");
        assert!(!got.contains_key("tool.tilelang.commit"), "{got:?}");
        write("tilelang/.git_commit.txt", "f549117c\n");
        write("VERSION", "0.1.10\n");
        let got = found_in(tree);
        assert_eq!(got["tool.tilelang"], "0.1.10");
        assert_eq!(got["tool.tilelang.commit"], "f549117c");
        write("torch/__init__.py", "");
        write(
            "torch/version.py",
            "x = 1\n__version__ = '2.8.0+metax3.7'\n",
        );
        assert_eq!(found_in(tree)["tool.torch"], "2.8.0+metax3.7");
        write(
            "tilelang-0.1.11.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tilelang\nVersion: 0.1.11\n",
        );
        assert_eq!(found_in(tree)["tool.tilelang"], "0.1.11");
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(a in "\\PC{0,200}", b in "[ -~\n|]{0,300}") {
            for t in [&a, &b, &format!("{HEAD}{TWO}{b}")] {
                let _ = card(t, &a, None);
                let _ = card(t, t, Some("1"));
                let _ = cards(t, &a).len();
                let _ = isa(t);
                let _ = t.lines().filter_map(listed).count();
            }
        }
    }
}
