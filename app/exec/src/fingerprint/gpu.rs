//! What identifies an NVIDIA GPU, from `nvidia-smi --query-gpu=… --format=csv`.
//!
//! The parser is pure. Columns are found by their names; what a driver does not tell is absent.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_core::record::Environment;
use assay_core::text;

use super::Silence;
use crate::Cancel;
use crate::process::{Env, Outcome, capture};

/// Columns of the tool and the facts that they become.
const FIELDS: [(&str, &str); 7] = [
    ("name", "gpu.model"),
    ("uuid", "gpu.uuid"),
    ("driver_version", "gpu.driver"),
    ("memory.total", "gpu.memory"),
    ("compute_cap", "gpu.capability"),
    ("mig.mode.current", "gpu.mig"),
    ("ecc.mode.current", "gpu.ecc"),
];

/// The first question to a driver that sleeps takes seconds; one that hangs never answers.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// Why the GPU that measures is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceProblem {
    /// In words, with what to do.
    pub text: String,
    /// Whether nothing can be measured: there is none, not the one that was chosen, or its driver
    /// does not work. Otherwise only the tool that would tell is missing or silent.
    pub is_fatal: bool,
}

impl std::fmt::Display for DeviceProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl DeviceProblem {
    pub(super) fn unknown(why: impl std::fmt::Display) -> Self {
        Self {
            text: format!("which GPU measures is not known: {why}"),
            is_fatal: false,
        }
    }

    pub(super) fn fatal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_fatal: true,
        }
    }
}

/// What `nvidia-smi` says where no GPU can be used, and what that means.
const FATAL: [(&str, &str); 3] = [
    (
        "No devices were found",
        "there is no NVIDIA GPU here (`nvidia-smi`: No devices were found); in a container, start it with `--gpus all`",
    ),
    (
        "Driver/library version mismatch",
        "the driver in the kernel and its libraries are of two versions (`nvidia-smi`: Driver/library version mismatch): \
         load the kernel module again or reboot; in a container, start it again",
    ),
    (
        "couldn't communicate with the NVIDIA driver",
        "the NVIDIA driver is not loaded (`nvidia-smi` could not communicate with it): load or install it",
    ),
];

/// Adds the GPU to the fingerprint; `selected` is its UUID or index where one was chosen.
///
/// # Errors
/// Why it is not known: evidence is then keyed by the host alone.
pub fn add_nvidia(
    environment: &mut Environment,
    selected: Option<&str>,
    env: &Env,
    cancel: &Cancel,
) -> Result<(), DeviceProblem> {
    let found = nvidia_facts(selected, env, cancel)?;
    if let Some(model) = found.get("gpu.model") {
        environment.device.clone_from(model);
    }
    environment.stable.extend(found);
    Ok(())
}

/// What identifies the GPU that measures, as facts named `gpu.…`; `selected` is its UUID or index,
/// or the UUID of a MIG slice of it, where one was chosen.
///
/// # Errors
/// Why it is not known.
pub fn nvidia_facts(
    selected: Option<&str>,
    env: &Env,
    cancel: &Cancel,
) -> Result<BTreeMap<String, String>, DeviceProblem> {
    let said = ask(&[&query(), "--format=csv"], env, cancel)?;
    // A slice is listed by another question only.
    let Some(slice) = selected.filter(|s| s.starts_with(MIG)) else {
        let mut found = facts(&said, selected)?;
        if found.get("gpu.mig").is_some_and(|mode| mode == "Enabled") {
            let uuid = found.get("gpu.uuid").cloned().unwrap_or_default();
            let all = slices(&ask(&["-L"], env, cancel)?);
            let first = all.into_iter().find(|s| s.gpu == uuid);
            let first = first.ok_or_else(|| {
                DeviceProblem::fatal(
                    "MIG is enabled on the GPU and it has no slice, so that CUDA sees none: make one \
                     (`nvidia-smi mig -cgi`), or disable MIG",
                )
            })?;
            found.extend(first.facts());
        }
        return Ok(found);
    };
    let all = slices(&ask(&["-L"], env, cancel)?);
    let found = all.into_iter().find(|s| s.uuid.starts_with(slice));
    let found = found.ok_or_else(|| absent(slice))?;
    let mut out = facts(&said, Some(&found.gpu))?;
    out.extend(found.facts());
    Ok(out)
}

/// What identifies each GPU of this host, in the order of `nvidia-smi`, which is not bound by
/// `CUDA_VISIBLE_DEVICES`; with its number as `index`.
///
/// # Errors
/// Why they are not known.
pub fn nvidia_devices(
    env: &Env,
    cancel: &Cancel,
) -> Result<Vec<BTreeMap<String, String>>, DeviceProblem> {
    listed(&ask(&[&query(), "--format=csv"], env, cancel)?)
}

/// The facts of each GPU in an answer, with its number.
fn listed(csv: &str) -> Result<Vec<BTreeMap<String, String>>, DeviceProblem> {
    let table = Table::of(csv)?;
    let one = |row: &&str| {
        let mut facts = table.facts(row)?;
        let index = table.cell(row, INDEX).map(|i| text::inert(i).into_owned());
        facts.extend(index.map(|i| (INDEX.to_owned(), i)));
        Ok(facts)
    };
    table.rows.iter().map(one).collect()
}

/// What it means, with what to do, where `nvidia-smi` says that no GPU can be used.
pub fn nvidia_fault(said: &str) -> Option<&'static str> {
    let known = FATAL.iter().find(|(words, _)| said.contains(words));
    known.map(|(_, why)| *why)
}

/// What `nvidia-smi` answers.
fn ask(words: &[&str], env: &Env, cancel: &Cancel) -> Result<String, DeviceProblem> {
    let argv: Vec<&str> = std::iter::once("nvidia-smi")
        .chain(words.iter().copied())
        .collect();
    let done = capture(&argv, env.clone(), TIMEOUT, cancel);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let all = format!("{said}\n{}", done.tail_text());
    if let Some(why) = nvidia_fault(&all) {
        return Err(DeviceProblem::fatal(why));
    }
    match &done.outcome {
        Outcome::Exited(0) => Ok(said),
        Outcome::SpawnFailed(why) => Err(Silence::Absent(why.clone())),
        Outcome::TimedOut(time) => Err(Silence::Hangs(*time)),
        other => Err(Silence::Failed(other.describe(), all)),
    }
    .map_err(|silence| DeviceProblem::unknown(silence.of("nvidia-smi")))
}

/// How the UUID of a slice begins.
const MIG: &str = "MIG-";

/// A slice of a GPU.
#[derive(Debug, PartialEq, Eq)]
struct Slice {
    gpu: String,
    profile: String,
    uuid: String,
}

impl Slice {
    fn facts(self) -> [(String, String); 2] {
        [
            ("gpu.slice".into(), self.profile),
            ("gpu.slice.uuid".into(), self.uuid),
        ]
    }
}

/// The slices in what `nvidia-smi -L` prints.
fn slices(list: &str) -> Vec<Slice> {
    let uuid = |line: &str| {
        let (_, rest) = line.split_once("(UUID: ")?;
        let uuid = rest.split_once(')')?.0.trim();
        Some(text::inert(uuid).into_owned())
    };
    let mut gpu = String::new();
    let mut out = Vec::new();
    for line in list.lines().map(str::trim) {
        if line.starts_with("GPU ") {
            gpu = uuid(line).unwrap_or_default();
        } else if let Some(rest) = line.strip_prefix("MIG ")
            && let (Some(profile), Some(uuid)) = (rest.split_whitespace().next(), uuid(line))
        {
            out.push(Slice {
                gpu: gpu.clone(),
                profile: text::inert(profile).into_owned(),
                uuid,
            });
        }
    }
    out
}

fn absent(selected: &str) -> DeviceProblem {
    DeviceProblem::fatal(format!(
        "the GPU that was chosen, `{}`, is not here; `nvidia-smi -L` lists those that are, and CUDA_VISIBLE_DEVICES or \
         [target.NAME] gpu chooses",
        text::inert(selected)
    ))
}

/// The column with the number of a GPU.
const INDEX: &str = "index";

/// The question for the columns that are read.
fn query() -> String {
    let names: Vec<&str> = FIELDS.iter().map(|(column, _)| *column).collect();
    format!("--query-gpu={INDEX},{}", names.join(","))
}

/// The answer to it.
struct Table<'t> {
    head: Vec<&'t str>,
    rows: Vec<&'t str>,
}

impl<'t> Table<'t> {
    fn of(csv: &'t str) -> Result<Self, DeviceProblem> {
        let mut lines = csv.lines().map(str::trim).filter(|l| !l.is_empty());
        let head: Vec<&str> = lines.next().unwrap_or_default().split(", ").collect();
        if !head.contains(&"uuid") {
            return Err(DeviceProblem::unknown(
                "`nvidia-smi` prints no table with a column `uuid`",
            ));
        }
        Ok(Self {
            head,
            rows: lines.collect(),
        })
    }

    /// A cell by the name of its column; nothing where the driver does not tell it.
    fn cell<'r>(&self, row: &'r str, column: &str) -> Option<&'r str> {
        let is_it = |h: &&str| h.split(' ').next() == Some(column);
        let at = self.head.iter().position(is_it)?;
        let value = row.split(", ").nth(at)?.trim();
        (!value.is_empty() && !value.starts_with('[')).then_some(value)
    }

    /// The facts of one GPU.
    fn facts(&self, row: &str) -> Result<BTreeMap<String, String>, DeviceProblem> {
        let told = row.split(", ").count();
        if told != self.head.len() {
            return Err(DeviceProblem::unknown(format_args!(
                "`nvidia-smi` prints {told} of {} fields of the GPU: its answer is cut off",
                self.head.len()
            )));
        }
        let fact = |(column, fact): &(&str, &str)| {
            let value = self.cell(row, column)?;
            Some(((*fact).to_owned(), text::inert(value).into_owned()))
        };
        Ok(FIELDS.iter().filter_map(fact).collect())
    }
}

/// The facts of the GPU that is meant.
fn facts(csv: &str, selected: Option<&str>) -> Result<BTreeMap<String, String>, DeviceProblem> {
    let table = Table::of(csv)?;
    let mine = |row: &&&str| {
        selected.is_some_and(|s| {
            let uuid = table.cell(row, "uuid");
            table.cell(row, INDEX) == Some(s) || uuid.is_some_and(|u| u.starts_with(s))
        })
    };
    let row = match (table.rows.as_slice(), selected) {
        ([], _) => return Err(DeviceProblem::fatal("`nvidia-smi` lists no GPU")),
        (all, Some(s)) => all.iter().find(mine).ok_or_else(|| absent(s))?,
        // The runtime takes the first, too.
        ([first, ..], None) => first,
    };
    table.facts(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
index, name, uuid, driver_version, memory.total [MiB], compute_cap, mig.mode.current, ecc.mode.current
0, NVIDIA H200, GPU-1111, 580.159.04, 143771 MiB, 9.0, Disabled, Enabled
1, NVIDIA GeForce\u{1b}[31m, GPU-2222, 580.159.04, 24564 MiB, 8.9, [N/A], [N/A]
";

    #[test]
    fn facts_are_found_by_the_names_of_columns() {
        let got = facts(TWO, None).unwrap();
        let told: Vec<String> = got.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            told,
            [
                "gpu.capability=9.0",
                "gpu.driver=580.159.04",
                "gpu.ecc=Enabled",
                "gpu.memory=143771 MiB",
                "gpu.mig=Disabled",
                "gpu.model=NVIDIA H200",
                "gpu.uuid=GPU-1111"
            ]
        );
        for chosen in ["1", "GPU-2222", "GPU-22"] {
            let got = facts(TWO, Some(chosen)).unwrap();
            assert_eq!(got["gpu.uuid"], "GPU-2222");
            assert!(!got.contains_key("gpu.mig"), "what is not told is absent");
            assert!(!got["gpu.model"].contains('\u{1b}'));
        }
    }

    #[test]
    fn all_of_them_are_told_and_one_that_is_cut_off_is_an_error() {
        let all = listed(TWO).unwrap();
        let told: Vec<(&str, &str)> = (all.iter())
            .map(|f| (f["index"].as_str(), f["gpu.uuid"].as_str()))
            .collect();
        assert_eq!(told, [("0", "GPU-1111"), ("1", "GPU-2222")]);
        assert!(listed("index, uuid\n").unwrap().is_empty());
        assert!(listed("index, name, uuid\n0, NVIDIA H").is_err());
    }

    #[test]
    fn what_cannot_be_told_is_an_error_in_words() {
        for (csv, chosen, is_fatal) in [
            ("", None, false),
            ("NVIDIA-SMI has failed\n", None, false),
            ("index, uuid\n", None, true),
            (TWO, Some("7"), true),
            ("index, uuid\n0, GPU-1\n", Some("1"), true),
            ("index, name, uuid\n0, NVIDIA H", None, false),
            ("index, name, uuid\n0, NVIDIA H", Some("0"), false),
        ] {
            let problem = facts(csv, chosen).unwrap_err();
            assert_eq!(problem.is_fatal, is_fatal, "{csv:?} {chosen:?} {problem}");
        }
    }

    const SLICED: &str = "\
GPU 0: NVIDIA H200 (UUID: GPU-1111)
GPU 1: NVIDIA H200 (UUID: GPU-2222)
  MIG 1g.18gb     Device  0: (UUID: MIG-aaaa)
  MIG 3g.71gb\u{1b}[1m     Device  1: (UUID: MIG-bbbb)
  MIG broken
";

    #[test]
    fn slices_are_listed_with_their_card() {
        let got = slices(SLICED);
        let told: Vec<(&str, &str)> =
            (got.iter().map(|s| (s.gpu.as_str(), s.uuid.as_str()))).collect();
        assert_eq!(told, [("GPU-2222", "MIG-aaaa"), ("GPU-2222", "MIG-bbbb")]);
        assert_eq!(got[0].profile, "1g.18gb");
        assert!(!got[1].profile.contains('\u{1b}'));
        assert!(slices("").is_empty());
    }

    /// Asks a stand-in for the tool, which prints this.
    fn asked(
        selected: Option<&str>,
        csv: &str,
        end: &str,
    ) -> Result<BTreeMap<String, String>, DeviceProblem> {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("nvidia-smi");
        let script = format!(
            "#!/bin/sh\ncase $1 in -L) cat <<'END'\n{SLICED}END\n;; *) cat <<'END'\n{csv}END\n{end};; esac\n"
        );
        std::fs::write(&tool, script).unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/bin:/usr/bin", dir.path().display());
        let env = Env::from([("PATH".to_owned(), path.into())]);
        nvidia_facts(selected, &env, &Cancel::new())
    }

    #[test]
    fn a_slice_is_known_by_its_own_name_and_by_the_mode_of_its_card() {
        let csv = "index, uuid, mig.mode.current\n0, GPU-1111, Disabled\n1, GPU-2222, Enabled\n";
        let whole = asked(None, csv, "").unwrap();
        assert!(!whole.contains_key("gpu.slice"));
        let named = asked(Some("MIG-bb"), csv, "").unwrap();
        assert_eq!(
            (named["gpu.uuid"].as_str(), named["gpu.slice.uuid"].as_str()),
            ("GPU-2222", "MIG-bbbb")
        );
        let first = asked(Some("1"), csv, "").unwrap();
        assert_eq!(first["gpu.slice"], "1g.18gb");
        assert!(asked(Some("MIG-cc"), csv, "").unwrap_err().is_fatal);
        let none = csv.replace("Disabled", "Enabled");
        let problem = asked(Some("0"), &none, "").unwrap_err();
        assert!(
            problem.is_fatal && problem.text.contains("has no slice"),
            "{problem}"
        );
    }

    #[test]
    fn a_driver_that_does_not_work_and_a_host_without_a_gpu_are_told_apart_from_silence() {
        for (said, words) in [
            ("No devices were found\n", "no NVIDIA GPU here"),
            (
                "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159\n",
                "of two versions",
            ),
            (
                "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure\n",
                "not loaded",
            ),
        ] {
            let problem = asked(None, said, "exit 9").unwrap_err();
            assert!(
                problem.is_fatal && problem.text.contains(words),
                "{problem}"
            );
        }
        let problem = asked(None, "", "exit 255").unwrap_err();
        assert!(!problem.is_fatal, "{problem}");
    }
}
