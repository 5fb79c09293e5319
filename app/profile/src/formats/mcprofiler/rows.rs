//! Rows of a report on their way into a launch: charts fall into their figures, and names that
//! stand twice are marked.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use smol_str::{SmolStr, SmolStrBuilder};

use super::figure;
use super::input::shown;
use super::json::{Members, Node, member};
use crate::quick::Quick;
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "mcProfiler";

/// The kernel of a report that was read without its file name.
pub const UNNAMED: &str = "(not named in the file)";

/// The chart that has two sets of figures.
pub(super) const ROOFLINE: &str = "RoofLine";

/// The name of a figure in a chart.
fn joined(chart: &str, key: &str) -> SmolStr {
    let mut name = SmolStrBuilder::new();
    name.push_str(chart);
    name.push('.');
    name.push_str(key);
    name.finish()
}

pub(super) struct Rows {
    pub(super) counters: Vec<Counter>,
    pub(super) notices: Vec<String>,
    pub(super) section: SmolStr,
    /// Rows that could not be made anything of.
    pub(super) unread: u64,
}

impl Rows {
    pub(super) fn new(notices: Vec<String>) -> Self {
        Self {
            counters: Vec::with_capacity(160),
            notices,
            section: SmolStr::default(),
            unread: 0,
        }
    }

    /// A figure or chart as the report flavours have it.
    pub(super) fn printed(&mut self, name: &str, value: &Node<'_>) {
        match value {
            Node::Text(t) => {
                let c = figure::printed(&self.section, name, t);
                self.counters.push(c);
            }
            // A number of a row that has a unit is printed with it, and marked where it is not.
            Node::Number(raw) => {
                let c = figure::printed(&self.section, name, raw);
                self.counters.push(c);
            }
            Node::Object(members, _) => self.chart(name, members),
            other => self.bare(name, other),
        }
    }

    /// A value of JSON, which has neither separators nor a unit.
    pub(super) fn bare(&mut self, name: &str, value: &Node<'_>) {
        let section = &self.section;
        let c = match value {
            Node::Number(raw) => figure::bare(section, name, raw),
            Node::Null => Counter::without_value(section.clone(), name, "null", "", Status::Absent),
            Node::Text(t) => figure::printed(section, name, t),
            Node::Word(w) => figure::problem(section, name, w, "not a number".into()),
            Node::Object(members, _) if !members.is_empty() => {
                for (key, value) in members {
                    self.bare(&joined(name, key), value);
                }
                return;
            }
            Node::List(items, _) if !items.is_empty() => {
                for (i, value) in items.iter().enumerate() {
                    self.bare(&joined(name, &i.to_string()), value);
                }
                return;
            }
            empty => {
                Counter::without_value(section.clone(), name, empty.brief(), "", Status::Absent)
            }
        };
        self.counters.push(c);
    }

    /// A chart: `data`, for the roofline `processed_data` too, and the file name of the picture.
    fn chart(&mut self, name: &str, members: &Members<'_>) {
        if members.is_empty() {
            self.bare(name, &Node::Null);
        }
        for (key, value) in members {
            match (key.as_ref(), value) {
                ("filename", Node::Text(path)) => {
                    let name = joined(name, "filename");
                    let c = Counter::words(self.section.clone(), name, path);
                    self.counters.push(c);
                }
                ("data", value) if name != ROOFLINE => self.bare(name, value),
                (key, value) => self.bare(&joined(name, key), value),
            }
        }
    }

    pub(super) fn problem(&mut self, name: &str, raw: &str, why: String) {
        let c = figure::problem(&self.section, name, raw, why);
        self.counters.push(c);
    }

    /// A launch of one report whose kernel the file name must tell.
    pub(super) fn finish(
        mut self,
        format: &'static str,
        flavour: &str,
    ) -> Result<Profile, ProfileError> {
        if self.unread > 0 {
            self.notices
                .push(format!("{} rows could not be read.", self.unread));
        }
        if self.counters.is_empty() {
            return Err(ProfileError::Unusable {
                format,
                problem: match self.notices.as_slice() {
                    [] => "no counter in it".into(),
                    all => format!("no counter in it: {}", all.join(" ")),
                },
            });
        }
        mark_repeated(&mut self.counters);
        let mut launch = Launch::new(UNNAMED, Scope::Aggregate);
        launch.counters.extend(self.counters);
        let mut profile = Profile::new(TOOL, flavour);
        profile.launches.push(launch);
        profile.notices = self.notices;
        Ok(profile)
    }
}

/// Marks counters whose section and name stand more than once.
pub(super) fn mark_repeated(counters: &mut [Counter]) {
    if !may_repeat(counters) {
        return;
    }
    let mut seen: HashMap<(&str, &str), u32> = HashMap::with_capacity(counters.len());
    for c in counters.iter() {
        *seen.entry((&c.section, &c.name)).or_default() += 1;
    }
    let times: Vec<u32> = counters
        .iter()
        .map(|c| seen[&(c.section.as_str(), c.name.as_str())])
        .collect();
    for (c, times) in counters.iter_mut().zip(times) {
        if times > 1 {
            c.suspect
                .push(format!("stands {times} times in its section"));
        }
    }
}

/// Whether two counters have the same key, or happen to have the same hash.
fn may_repeat(counters: &[Counter]) -> bool {
    let hash = Quick::default();
    let key = |c: &Counter| hash.hash_one((c.section.as_str(), c.name.as_str()));
    let mut hashes: Vec<u64> = counters.iter().map(key).collect();
    hashes.sort_unstable();
    hashes.windows(2).any(|w| w[0] == w[1])
}

/// The sections of a JSON report, each with its rows; what is not of that shape is counted.
pub(super) fn each_row<'n, 'a>(
    root: &'n Node<'a>,
    rows: &mut Rows,
    mut read: impl FnMut(&mut Rows, &str, &'n Members<'a>),
) {
    let mut seen = HashSet::new();
    for (section, list) in root.members().into_iter().flatten() {
        if !seen.insert(section) {
            rows.notices.push(format!(
                "Section `{}` stands more than once; all its rows are listed.",
                shown(section)
            ));
        }
        rows.section = section.as_ref().into();
        let Some(items) = list.items() else {
            rows.notices
                .push(format!("`{}` is no list of rows.", shown(section)));
            continue;
        };
        for row in items {
            let named = row.members().and_then(|m| match member(m, "name") {
                Some(Node::Text(name)) => Some((name, m)),
                _ => None,
            });
            match named {
                Some((name, _)) if !row.is_whole() => rows.notices.push(format!(
                    "Row `{}` is cut off and was not read.",
                    shown(name)
                )),
                Some((name, members)) => read(rows, name, members),
                None => rows.unread += 1,
            }
        }
    }
}

/// Rows of the tool have four keys; only others need a set.
const KEYS_OF_A_ROW: usize = 8;

/// The first key of a row that stands in it twice.
pub(super) fn repeated_key<'n>(row: &'n Members<'_>) -> Option<&'n str> {
    if row.len() <= KEYS_OF_A_ROW {
        let keys = row.iter().map(|(key, _)| key.as_ref());
        return keys
            .enumerate()
            .find(|(i, key)| row[..*i].iter().any(|(k, _)| k == key))
            .map(|(_, key)| key);
    }
    let mut seen = HashSet::with_capacity(row.len());
    row.iter()
        .map(|(key, _)| key.as_ref())
        .find(|key| !seen.insert(*key))
}

/// The first row of a report in JSON, by which its flavour is told.
pub(super) fn first_row<'n, 'a>(root: &'n Node<'a>) -> Option<(&'n str, &'n Members<'a>)> {
    root.members()?.iter().find_map(|(section, list)| {
        let row = list.items()?.first().filter(|row| row.is_whole())?;
        Some((section.as_ref(), row.members()?))
    })
}
