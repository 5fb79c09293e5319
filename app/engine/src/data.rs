//! What is known of counters, devices and rules: the files that are built in, and those of one's own.
//!
//! A folder of such files is laid out as `profiles/` of the project is. Later folders go before
//! earlier ones, and all of them before what is built in; an entry replaces the one of its name.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use assay_core::text::nearest;
use assay_profile::derive::Formulas;
use assay_profile::device::Devices;
use assay_profile::rules::Rules;
use assay_profile::{Catalog, Profile};

use crate::Cancel;
use crate::error::{Error, Result};
use crate::input;
use crate::workbench::CAMPAIGN_FILE;

/// Name of a folder of data files, in a campaign and in the folder of the user.
pub const FOLDER: &str = "profiles";

/// Folders in it, and what they hold.
const PARTS: [(&str, &str); 5] = [
    ("counters", "counter catalogs"),
    ("devices", "devices"),
    ("rules/audit", "audit rules"),
    ("rules/diagnosis", "diagnosis rules"),
    ("derived", "derived figures"),
];

/// Counters, devices, rules and derived figures.
pub struct Data {
    /// Names, units and directions of counters.
    pub catalog: Cow<'static, Catalog>,
    /// Devices with their peaks.
    pub devices: Cow<'static, Devices>,
    /// What cannot be right, and what figures say of a kernel.
    pub rules: Cow<'static, Rules>,
    /// Figures that follow from counters.
    pub formulas: Cow<'static, Formulas>,
    /// Where files of one's own were found.
    pub folders: Vec<PathBuf>,
    /// Files in them that are none of these.
    pub notices: Vec<String>,
}

/// Where files of one's own may be, the least important first: the user's, the campaign's, and what
/// was asked for.
///
/// # Errors
/// When the folder that was asked for is none.
pub fn folders(user: Option<&Path>, start: &Path, asked: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut out: Vec<PathBuf> = Vec::new();
    out.extend(user.map(|u| u.join(FOLDER)));
    let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    let campaign = start.ancestors().find(|d| d.join(CAMPAIGN_FILE).is_file());
    out.extend(campaign.map(|c| c.join(FOLDER)));
    out.retain(|f| f.is_dir());
    if let Some(asked) = asked {
        if !asked.is_dir() {
            return Err(Error::input(format!(
                "--profiles: {} is no folder",
                asked.display()
            ))
            .hint("name a folder with counters/, devices/, rules/audit/, rules/diagnosis/ or derived/ in it"));
        }
        out.push(asked.to_owned());
    }
    Ok(out)
}

impl Data {
    /// Reads what is built in and what is in these folders.
    ///
    /// # Errors
    /// When a file cannot be read or is not what it should be, with its path and line.
    pub fn load(folders: &[PathBuf]) -> Result<Self> {
        let mut notices: Vec<String> = Vec::new();
        let mut own = |part: &str| read_part(folders, part, &mut notices);
        let bad = |e: &dyn std::fmt::Display| Error::input(e.to_string());
        let (counters, devices, formulas) = (own("counters")?, own("devices")?, own("derived")?);
        let mut rules = own("rules/audit")?;
        rules.extend(own("rules/diagnosis")?);
        let catalog = if counters.is_empty() {
            Cow::Borrowed(Catalog::builtin())
        } else {
            let own = counters.iter().map(pair);
            Cow::Owned(Catalog::builtin_and(own).map_err(|e| bad(&e))?)
        };
        let devices = if devices.is_empty() {
            Cow::Borrowed(Devices::builtin())
        } else {
            let all = both(Devices::builtin_files(), &devices);
            Cow::Owned(Devices::load(all).map_err(|e| bad(&e))?)
        };
        // Rules and formulas are read against the counters that there are.
        let same_counters = counters.is_empty();
        let formulas = if formulas.is_empty() && same_counters {
            Cow::Borrowed(Formulas::builtin())
        } else {
            let all = both(Formulas::builtin_files(), &formulas);
            Cow::Owned(Formulas::load(all, &catalog).map_err(|e| bad(&e))?)
        };
        let rules = if rules.is_empty() && same_counters {
            Cow::Borrowed(Rules::builtin())
        } else {
            let own = rules.iter().map(pair);
            Cow::Owned(Rules::builtin_and(own, &catalog).map_err(|e| bad(&e))?)
        };
        Ok(Self {
            catalog,
            devices,
            rules,
            formulas,
            folders: folders.to_vec(),
            notices: (folders.iter().flat_map(|f| strangers(f)))
                .chain(notices)
                .collect(),
        })
    }

    /// Names the counters of a profile as these files do; readers name them as what is built in does.
    pub fn name_counters(&self, profile: &mut Profile) {
        if let Cow::Owned(catalog) = &self.catalog {
            catalog.name_counters(profile);
        }
    }
}

/// What is built in, and what comes after.
fn both<'a>(
    built_in: &'a [(&'a str, &'a str)],
    own: &'a [(String, String)],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    built_in.iter().copied().chain(own.iter().map(pair))
}

fn pair(file: &(String, String)) -> (&str, &str) {
    (&file.0, &file.1)
}

/// The files of one kind in all folders, as (path, content).
fn read_part(
    folders: &[PathBuf],
    part: &str,
    notices: &mut Vec<String>,
) -> Result<Vec<(String, String)>> {
    // Data is read before anything has begun: signals still have their usual effect.
    let cancel = Cancel::new();
    let mut out = Vec::new();
    for folder in folders {
        let folder = folder.join(part);
        if !folder.is_dir() {
            continue;
        }
        let bad = |path: &Path, e: std::io::Error| Error::input(format!("{}: {e}", path.display()));
        let listed = fs::read_dir(&folder).map_err(|e| bad(&folder, e))?;
        let mut paths = Vec::new();
        for entry in listed {
            let path = entry.map_err(|e| bad(&folder, e))?.path();
            if path.extension().is_some_and(|e| e == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            let read = input::text(&path, input::BY_HAND, &cancel)?;
            notices.extend(read.notice);
            out.push((path.display().to_string(), read.text));
        }
    }
    Ok(out)
}

/// Most that is told of what lies where nothing is read.
const MOST_TOLD: usize = 20;

/// What lies in a folder of data files where nothing is read, with what may have been meant.
fn strangers(folder: &Path) -> Vec<String> {
    let places: Vec<&str> = PARTS.iter().map(|(part, _)| *part).collect();
    let mut found: Vec<PathBuf> = Vec::new();
    for place in ["", "rules"].iter().chain(&places) {
        let listed = fs::read_dir(folder.join(place)).into_iter().flatten();
        let paths = listed.flatten().map(|e| e.path());
        found.extend(paths.filter(|path| {
            let inside = path.strip_prefix(folder).unwrap_or(path);
            let extension = path.extension().unwrap_or_default();
            let is_read = places.contains(place) && extension == "toml";
            let is_on_the_way = places.iter().any(|p| Path::new(p).starts_with(inside));
            let is_meant = path.is_dir() || extension.eq_ignore_ascii_case("toml");
            is_meant && !is_read && !is_on_the_way
        }));
    }
    found.sort();
    let mut out: Vec<String> = (found.iter().take(MOST_TOLD))
        .map(|path| {
            let near = meant(folder, path, &places);
            format!("{}: not read; {near}", path.display())
        })
        .collect();
    if let Some(more @ 1..) = found.len().checked_sub(MOST_TOLD) {
        let what = format!("{more} more files and folders are not read");
        out.push(format!("{}: {what}", folder.display()));
    }
    out
}

/// What may have been meant by a file or folder that is not read.
fn meant(folder: &Path, path: &Path, places: &[&str]) -> String {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let is_file = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"))
        && !path.is_dir();
    let parent = inside.parent().and_then(Path::to_str).unwrap_or_default();
    if is_file && places.contains(&parent) {
        return "names of data files end in `.toml`, in small letters".into();
    }
    let known = || places.iter().copied().chain(["rules"]);
    let name = inside.to_str().unwrap_or_default();
    match nearest(name, known()).filter(|_| !is_file) {
        Some(near) => format!("did you mean `{near}/`?"),
        None if parent == "rules" || name == "rules" => {
            "rules lie in rules/audit and rules/diagnosis".into()
        }
        None => format!("data files lie in {}", places.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_counters_replace_built_in_ones_and_strangers_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let counters = dir.path().join("counters");
        fs::create_dir_all(&counters).unwrap();
        fs::create_dir_all(dir.path().join("rules/odd")).unwrap();
        fs::create_dir_all(dir.path().join("rule/audit")).unwrap();
        for stray in ["stray.toml", "rules/mine.toml", "counters/OWN.TOML"] {
            fs::write(dir.path().join(stray), "").unwrap();
        }
        let own = "schema = \"assay.counters/1\"\nsource = \"a test\"\n[[counter]]\ncanonical = \"duty.mma\"\nunit = \"%\"\ndirection = \"neither\"\nmeaning = \"ours\"\n";
        fs::write(counters.join("own.toml"), own).unwrap();
        let data = Data::load(&[dir.path().to_owned()]).unwrap();
        assert_eq!(data.catalog.get("duty.mma").unwrap().meaning, "ours");
        assert!(data.catalog.get("inst.executed").is_some());
        let told: Vec<String> = (data.notices.iter())
            .map(|n| n.replace(&format!("{}/", dir.path().display()), ""))
            .collect();
        assert_eq!(
            told,
            [
                "counters/OWN.TOML: not read; names of data files end in `.toml`, in small letters",
                "rule: not read; did you mean `rules/`?",
                "rules/mine.toml: not read; rules lie in rules/audit and rules/diagnosis",
                "rules/odd: not read; rules lie in rules/audit and rules/diagnosis",
                "stray.toml: not read; data files lie in counters, devices, rules/audit, rules/diagnosis, derived",
            ]
        );
        fs::write(
            counters.join("own.toml"),
            "schema = \"assay.counters/1\"\n[[counter]]\n",
        )
        .unwrap();
        let error = Data::load(&[dir.path().to_owned()])
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("own.toml") && error.contains("line 2"),
            "{error}"
        );
    }

    #[test]
    fn folders_of_the_campaign_come_after_those_of_the_user() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for f in ["user/profiles", "c/profiles", "c/deep/er", "asked"] {
            fs::create_dir_all(root.join(f)).unwrap();
        }
        fs::write(root.join("c/assay.toml"), "").unwrap();
        let (user, asked) = (root.join("user"), root.join("asked"));
        let found = folders(Some(&user), &root.join("c/deep/er"), Some(&asked)).unwrap();
        assert_eq!(
            found,
            [root.join("user/profiles"), root.join("c/profiles"), asked]
        );
        assert!(folders(None, &root, Some(&root.join("none"))).is_err());
    }
}
