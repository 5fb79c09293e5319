//! What identifies an NVIDIA GPU, from `nvidia-smi --query-gpu=… --format=csv`.
//!
//! The parser is pure. Columns are found by their names; what a driver does not tell is absent.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_core::record::Environment;
use assay_core::text;

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

/// Adds the GPU to the fingerprint; `selected` is its UUID or index where one was chosen.
///
/// # Errors
/// Why it is not known, in words: evidence is then keyed by the host alone.
pub fn add_nvidia(
    environment: &mut Environment,
    selected: Option<&str>,
    env: &Env,
    cancel: &Cancel,
) -> Result<(), String> {
    let names: Vec<&str> = FIELDS.iter().map(|(column, _)| *column).collect();
    let query = format!("--query-gpu=index,{}", names.join(","));
    let argv = ["nvidia-smi", &query, "--format=csv"];
    let done = capture(&argv, env.clone(), TIMEOUT, cancel);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let found = match &done.outcome {
        Outcome::Exited(0) => facts(&said, selected),
        Outcome::SpawnFailed(why) => Err(format!("`nvidia-smi` cannot be run: {why}")),
        Outcome::TimedOut(time) => Err(format!(
            "`nvidia-smi` did not answer within {} s and was stopped; the driver may hang",
            time.as_secs_f64()
        )),
        other => Err(format!("`nvidia-smi` failed, {}", other.describe())),
    };
    let found = found.map_err(|why| format!("which GPU measures is not known: {why}"))?;
    if let Some(model) = found.get("gpu.model") {
        environment.device.clone_from(model);
    }
    environment.stable.extend(found);
    Ok(())
}

/// The facts of one GPU.
fn facts(csv: &str, selected: Option<&str>) -> Result<BTreeMap<String, String>, String> {
    let mut lines = csv.lines().map(str::trim).filter(|l| !l.is_empty());
    let head: Vec<&str> = lines.next().unwrap_or_default().split(", ").collect();
    if !head.contains(&"uuid") {
        return Err("`nvidia-smi` prints no table with a column `uuid`".into());
    }
    let cell = |row: &str, column: &str| {
        let at = head
            .iter()
            .position(|h| h.split(' ').next() == Some(column))?;
        let value = row.split(", ").nth(at)?.trim();
        (!value.is_empty() && !value.starts_with('[')).then(|| value.to_owned())
    };
    let rows: Vec<&str> = lines.collect();
    let mine = |row: &&&str| {
        selected.is_some_and(|s| {
            let uuid = cell(row, "uuid");
            cell(row, "index").as_deref() == Some(s) || uuid.is_some_and(|u| u.starts_with(s))
        })
    };
    let row = match (rows.as_slice(), selected) {
        ([one], _) => one,
        ([], _) => return Err("`nvidia-smi` lists none".into()),
        (all, Some(_)) => all.iter().find(mine).ok_or("the chosen one is not there")?,
        (all, None) => all.first().ok_or("`nvidia-smi` lists none")?, // the runtime takes the first, too
    };
    let fact = |(column, fact): &(&str, &str)| {
        let value = cell(row, column)?;
        Some(((*fact).to_owned(), text::inert(&value).into_owned()))
    };
    Ok(FIELDS.iter().filter_map(fact).collect())
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
    fn what_cannot_be_told_is_an_error_in_words() {
        for (csv, chosen) in [
            ("", None),
            ("NVIDIA-SMI has failed\n", None),
            ("index, uuid\n", None),
            (TWO, Some("7")),
        ] {
            assert!(facts(csv, chosen).is_err(), "{csv:?} {chosen:?}");
        }
    }
}
