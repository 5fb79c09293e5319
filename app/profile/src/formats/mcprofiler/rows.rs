//! Rows of a report on their way into a launch: charts fall into their figures, and names that
//! stand twice are marked.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use smol_str::{SmolStr, SmolStrBuilder};

use super::figure;
use super::input::{damage, part, shown};
use super::json::{Members, Node, Reader, member};
use crate::catalog::Tool;
use crate::counters::Counters;
use crate::quick::Quick;
use crate::{Catalog, Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "mcProfiler";

/// The kernel of a report that was read without its file name.
pub const UNNAMED: &str = "(not named in the file)";

/// The chart that has two sets of figures.
pub(super) const ROOFLINE: &str = "RoofLine";

/// The name of a figure in a chart.
fn joined(chart: &str, key: &str) -> SmolStr {
    let mut name = SmolStrBuilder::new();
    name.push_str(&part(chart));
    name.push('.');
    name.push_str(key);
    name.finish()
}

pub(super) struct Rows {
    pub(super) counters: Counters,
    tool: Option<&'static Tool>,
    pub(super) notices: Vec<String>,
    pub(super) section: SmolStr,
    /// Rows that could not be made anything of.
    pub(super) unread: u64,
}

impl Rows {
    pub(super) fn new(notices: Vec<String>) -> Self {
        Self {
            counters: Counters::default(),
            tool: Catalog::builtin().tool(TOOL),
            notices,
            section: SmolStr::default(),
            unread: 0,
        }
    }

    /// Adds a counter, with its name in the catalog.
    pub(super) fn push(&mut self, mut c: Counter) {
        c.canonical = Catalog::builtin().canonical(self.tool, &c.section, &c.name);
        self.counters.push(c);
    }

    /// A figure or chart as the report flavours have it.
    pub(super) fn printed(&mut self, name: &str, value: &Node<'_>) {
        match value {
            Node::Text(t) => {
                let c = figure::printed(&self.section, name, t);
                self.push(c);
            }
            // A number of a row that has a unit is printed with it, and marked where it is not.
            Node::Number(raw) => {
                let c = figure::printed(&self.section, name, raw);
                self.push(c);
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
        self.push(c);
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
                    self.push(c);
                }
                ("data", value) if name != ROOFLINE => self.bare(name, value),
                (key, value) => self.bare(&joined(name, key), value),
            }
        }
    }

    pub(super) fn problem(&mut self, name: &str, raw: &str, why: String) {
        let c = figure::problem(&self.section, name, raw, why);
        self.push(c);
    }

    /// Marks the last figure, which the content ends at.
    pub(super) fn mark_if_cut(&mut self) {
        let Some(last) = self.counters.len().checked_sub(1) else {
            return;
        };
        let doubt = self.counters.get(last).and_then(figure::doubt_if_cut);
        if let Some(why) = doubt {
            self.counters.doubt(last, why);
        }
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
        if self.counters.len() == 0 {
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
        launch.counters = self.counters;
        let mut profile = Profile::new(TOOL, flavour);
        profile.launches.push(launch);
        profile.notices = self.notices;
        Ok(profile)
    }
}

/// Marks counters whose section and name stand more than once; whether there are any.
pub(super) fn mark_repeated(counters: &mut Counters) -> bool {
    if !may_repeat(counters) {
        return false;
    }
    let mut seen: HashMap<(&str, &str), u32> = HashMap::with_capacity(counters.len());
    for c in counters.iter() {
        *seen.entry((c.section(), c.name())).or_default() += 1;
    }
    let times = counters.iter().map(|c| seen[&(c.section(), c.name())]);
    let repeated: Vec<(usize, u32)> = times.enumerate().filter(|(_, n)| *n > 1).collect();
    for (at, times) in &repeated {
        counters.doubt(*at, format!("stands {times} times in its section"));
    }
    !repeated.is_empty()
}

/// Whether two counters have the same key, or happen to have the same hash.
fn may_repeat(counters: &Counters) -> bool {
    let hash = Quick::default();
    let mut hashes: Vec<u64> = counters
        .iter()
        .map(|c| hash.hash_one((c.section(), c.name())))
        .collect();
    hashes.sort_unstable();
    hashes.windows(2).any(|w| w[0] == w[1])
}

/// The sections of a JSON report, each with its rows; what is not of that shape is counted.
pub(super) fn each_row<'a>(
    text: &'a str,
    rows: &mut Rows,
    mut read: impl FnMut(&mut Rows, &str, &Members<'a>),
) {
    let first = rows.notices.len();
    let mut seen = HashSet::new();
    let mut row = Members::new();
    let mut document = Reader::new(text);
    let mut section = |r: &mut Reader<'a>, name: Cow<'a, str>| {
        rows.section = name.as_ref().into();
        if !seen.insert(rows.section.clone()) {
            rows.notices.push(format!(
                "Section `{}` stands more than once; all its rows are listed.",
                shown(&name)
            ));
        }
        if r.begins() != Some(b'[') {
            r.value(1)?;
            rows.notices
                .push(format!("`{}` is no list of rows.", shown(&name)));
            return Some(());
        }
        r.each_item(1, |r| {
            if r.begins() != Some(b'{') {
                r.value(2)?;
                rows.unread += 1;
                return Some(());
            }
            let whole = r.object_into(2, &mut row);
            match member(&row, "name") {
                Some(Node::Text(name)) if !whole.0 => rows.notices.push(format!(
                    "Row `{}` is cut off and was not read.",
                    shown(name)
                )),
                Some(Node::Text(name)) => read(rows, name, &row),
                _ => rows.unread += 1,
            }
            Some(())
        })
    };
    if document.begins() == Some(b'{') {
        document.each_member(0, &mut section);
    } else {
        document.value(0);
    }
    let problem = document.finish().map(|p| damage(&p));
    rows.notices.splice(first..first, problem);
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
pub(super) fn first_row<'a>(r: &mut Reader<'a>) -> Option<(Cow<'a, str>, Members<'a>)> {
    let mut found = None;
    r.each_member(0, |r, section| {
        if r.begins() != Some(b'[') {
            return r.value(1).map(drop);
        }
        let mut is_first = true;
        r.each_item(1, |r| {
            let row = r.value(2)?;
            match row {
                Node::Object(members, whole) if is_first && whole.0 && !r.is_cut() => {
                    found = Some((section.clone(), members));
                    None
                }
                _ => {
                    is_first = false;
                    Some(())
                }
            }
        })
    });
    found
}
