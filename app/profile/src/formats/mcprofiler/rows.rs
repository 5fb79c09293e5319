//! Rows of a report on their way into a launch: charts fall into their figures, and names that
//! stand twice are marked.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use smol_str::SmolStr;

use super::expected::{Expected, Place};
use super::figure::{self, Printed};
use super::input::{damage, part, shown};
use super::json::{Members, Node, Reader, member};
use super::metrics;
use crate::catalog::Tool;
use crate::counters::{Cell, Counters};
use crate::number::Read;
use crate::quick::Quick;
use crate::{Catalog, Key, Launch, Profile, ProfileError, Scope, Status};

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "mcProfiler";

/// The kernel of a report that was read without its file name.
pub const UNNAMED: &str = "(not named in the file)";

/// The chart that has two sets of figures.
pub(super) const ROOFLINE: &str = "RoofLine";

/// Begins the names of the figures in a chart.
fn begin(chart: &str, name: &mut String) -> usize {
    name.clear();
    name.push_str(&part(chart));
    name.push('.');
    name.len()
}

pub(super) struct Rows {
    pub(super) counters: Counters,
    expected: Expected,
    flavour: &'static str,
    tool: Option<&'static Tool>,
    pub(super) notices: Vec<String>,
    pub(super) section: SmolStr,
    /// Rows that could not be made anything of.
    pub(super) unread: u64,
    /// Space for a name that is put together.
    joined: String,
}

impl Rows {
    pub(super) fn new(flavour: &'static str, notices: Vec<String>) -> Self {
        let expected = Expected::new(flavour);
        Self {
            counters: expected.counters(),
            expected,
            flavour,
            tool: Catalog::builtin().tool(TOOL),
            notices,
            section: SmolStr::default(),
            unread: 0,
            joined: String::new(),
        }
    }

    /// Takes the place of a row, which it has if it was expected.
    fn find(&mut self, name: &str) -> Option<Place> {
        self.expected.find(&self.section, name)
    }

    /// The unit that the tool is known to print for a row.
    fn unit(&self, place: Option<Place>, name: &str) -> Option<&'static str> {
        self.expected.unit(place, &self.section, name)
    }

    /// Adds the key of a row, with its name in the catalog.
    fn key(&mut self, place: Option<Place>, name: &str, unit: &str) {
        let unit = if unit.is_empty() { "1" } else { unit };
        if let Some(key) = self.expected.key(place, unit) {
            self.counters.keys.put_shared(key);
            return;
        }
        let section = &self.section;
        self.counters.keys.put(Arc::new(Key {
            section: section.clone(),
            name: metrics::known(section, name).0,
            canonical: Catalog::builtin().canonical(self.tool, section, name),
            unit: unit.into(),
        }));
    }

    /// Adds a counter that has no number.
    fn without_value(&mut self, name: &str, raw: &str, status: Status) {
        let place = self.find(name);
        self.key(place, name, "");
        self.counters.cell(Cell::none(status), raw);
    }

    /// Adds a counter with a number or the reason why there is none.
    fn number(
        &mut self,
        place: Option<Place>,
        name: &str,
        unit: &str,
        raw: &str,
        read: Result<Read, String>,
    ) {
        self.key(place, name, unit);
        match read {
            Ok(read) => self.counters.number(read, raw, None),
            Err(why) => {
                self.counters.cell(Cell::none(Status::Error), raw);
                self.counters.doubt(self.counters.len() - 1, why);
            }
        }
    }

    /// The text of a figure as the report flavours have it.
    pub(super) fn text(&mut self, name: &str, raw: &str) {
        match figure::printed(raw) {
            Printed::Absent => self.without_value(name, raw, Status::Absent),
            Printed::Word(text) => self.without_value(name, text, Status::Text),
            Printed::Error(unit, why) => {
                let place = self.find(name);
                self.number(place, name, unit, raw, Err(why));
            }
            Printed::Number(read, unit) => {
                let place = self.find(name);
                self.number(place, name, unit, raw, Ok(read));
                let unit = if unit.is_empty() { "1" } else { unit };
                if let Some(known) = self.unit(place, name).filter(|known| *known != unit) {
                    let why = format!(
                        "printed in `{}`, where the tool is known to print `{known}`",
                        shown(unit)
                    );
                    self.counters.doubt(self.counters.len() - 1, why);
                }
            }
        }
    }

    /// A figure or chart as the report flavours have it.
    pub(super) fn printed(&mut self, name: &str, value: &Node<'_>) {
        match value {
            Node::Text(t) => self.text(name, t),
            // A number of a row that has a unit is printed with it, and marked where it is not.
            Node::Number(raw) => self.text(name, raw),
            Node::Object(members, _) => self.chart(name, members),
            other => self.bare(name, other),
        }
    }

    /// A value of JSON, which has neither separators nor a unit.
    pub(super) fn bare(&mut self, name: &str, value: &Node<'_>) {
        match value {
            Node::Number(raw) => {
                let place = self.find(name);
                let unit = self.unit(place, name).unwrap_or("1");
                self.number(place, name, unit, raw, figure::exact(raw));
            }
            Node::Null => self.without_value(name, "null", Status::Absent),
            Node::Text(t) => self.text(name, t),
            Node::Word(w) => self.problem(name, w, "not a number".into()),
            Node::Object(members, _) if !members.is_empty() => {
                let mut joined = std::mem::take(&mut self.joined);
                let stem = begin(name, &mut joined);
                for (key, value) in members {
                    joined.truncate(stem);
                    joined.push_str(key);
                    self.bare(&joined, value);
                }
                self.joined = joined;
            }
            Node::List(items, _) if !items.is_empty() => {
                let mut joined = std::mem::take(&mut self.joined);
                let stem = begin(name, &mut joined);
                for (i, value) in items.iter().enumerate() {
                    joined.truncate(stem);
                    joined.push_str(&i.to_string());
                    self.bare(&joined, value);
                }
                self.joined = joined;
            }
            empty => self.without_value(name, empty.brief(), Status::Absent),
        }
    }

    /// A chart: `data`, for the roofline `processed_data` too, and the file name of the picture.
    fn chart(&mut self, name: &str, members: &Members<'_>) {
        if members.is_empty() {
            self.bare(name, &Node::Null);
        }
        let mut joined = String::new();
        for (key, value) in members {
            if key == "data" && name != ROOFLINE {
                self.bare(name, value);
                continue;
            }
            begin(name, &mut joined);
            joined.push_str(key);
            match (key.as_ref(), value) {
                ("filename", Node::Text(path)) => self.without_value(&joined, path, Status::Text),
                _ => self.bare(&joined, value),
            }
        }
    }

    pub(super) fn problem(&mut self, name: &str, raw: &str, why: String) {
        let place = self.find(name);
        let unit = self.unit(place, name).unwrap_or("1");
        self.number(place, name, unit, raw, Err(why));
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
    pub(super) fn finish(mut self, format: &'static str) -> Result<Profile, ProfileError> {
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
        let distinct =
            self.expected.are_distinct(&self.counters) || !mark_repeated(&mut self.counters);
        self.expected.remember(&mut self.counters, distinct);
        let mut launch = Launch::new(UNNAMED, Scope::Aggregate);
        launch.counters = self.counters;
        let mut profile = Profile::new(TOOL, self.flavour);
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
