//! Rows of a mapped file as counters of launches.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use assay_core::record::OF_NO_WORKLOAD;
use assay_core::text::inert;

use super::{Column, Mapping};
use crate::catalog::unit_factor;
use crate::compare::PUBLISHED;
use crate::{Counter, Fault, Launch, Scope, Status};

/// Stands between kernel, workload and side in the name of a launch.
const BETWEEN: &str = " · ";

/// What a launch of a table is of besides its side: kernel and workload, or nothing.
pub(crate) fn before_side(launch: &str) -> &str {
    launch.rsplit_once(BETWEEN).map_or("", |(before, _)| before)
}

/// What stands where the mapping points to.
pub(super) enum Found<'v> {
    /// Text, in JSON or CSV.
    Text(Cow<'v, str>),
    /// A number in JSON, as it was printed.
    Number(&'v str),
    /// A key that stands twice in JSON, so that either could be meant.
    Twice,
}

impl<'v> Found<'v> {
    fn word(self) -> Cow<'v, str> {
        match self {
            Self::Text(t) => t,
            Self::Number(n) => Cow::Borrowed(n),
            Self::Twice => Cow::Borrowed(""),
        }
    }
}

/// The launches that rows have filled so far.
#[derive(Default)]
pub(super) struct Out {
    pub launches: Vec<Launch>,
    /// Rows that lack what the mapping names.
    pub missing: u64,
    /// In which lines they are, where there are lines.
    pub lines: String,
    /// Where the figures of a launch are printed, by its name.
    pub cited: BTreeMap<String, String>,
    /// The row that is read now, counted as a spreadsheet does, or from 1 in JSON.
    pub row: usize,
    /// What no published figure may rest on.
    pub faults: Vec<Fault>,
    /// The row in which a launch stands first, by its name.
    begun: HashMap<String, usize>,
    /// Launch of a kernel that rows belong to now, by its occurrence and its place.
    current: HashMap<String, u32>,
    places: HashMap<String, usize>,
    seen: HashSet<(String, u32, String, String)>,
}

/// Name in the catalog of the published time of a launch.
pub(super) const TIME: &str = "claim.time";

/// What a published time lies between, in nanoseconds: a picosecond and a year. What lies outside was
/// not measured; it is a slip of the unit or of a digit, and every mean over it would be one too.
const TIMES: std::ops::RangeInclusive<f64> = 1e-3..=3.1536e16;

/// A cell with a published figure.
struct Cell<'a> {
    /// The column that it stands in.
    column: &'a str,
    /// Its unit, as the mapping or the table says.
    unit: &'a str,
    /// It is the time of a launch.
    is_time: bool,
    /// It may be empty.
    optional: bool,
}

/// Whether a name of the catalog is that of a published figure.
fn is_claim(canonical: &str) -> bool {
    canonical.starts_with("claim.")
}

/// Why a figure cannot be a time, if it cannot.
fn no_time(read: &Counter) -> Option<&'static str> {
    let value = read.value.as_ref().and_then(|v| v.as_f64());
    let Some(value) = value.filter(|v| v.is_finite() && *v > 0.0) else {
        return Some("a time is a finite figure above 0");
    };
    let factor = unit_factor(&read.unit, "ns")?;
    (!TIMES.contains(&(value * factor))).then_some("a time is between 1 ps and a year")
}

impl Out {
    /// A notice about rows that lack something, if there are any.
    pub fn notice(&self) -> Option<String> {
        let rows = match self.missing {
            0 => return None,
            1 => "1 row lacks what the mapping names".to_owned(),
            n => format!("{n} rows lack what the mapping names"),
        };
        let lines = match self.lines.as_str() {
            "" => String::new(),
            lines => format!(" ({lines})"),
        };
        let verb = if self.missing == 1 { "was" } else { "were" };
        Some(format!("{rows}{lines} and {verb} not read."))
    }

    fn launch(&mut self, kernel: &str, scope: Scope, fresh: bool) -> &mut Launch {
        let known = self.places.get(kernel).copied().filter(|_| !fresh);
        let at = known.unwrap_or_else(|| {
            let mut launch = Launch::new(kernel, scope);
            let next = match self.current.get(kernel) {
                Some(n) => n.saturating_add(1),
                None => 0,
            };
            launch.occurrence = (scope == Scope::PerKernel).then_some(next);
            self.current.insert(kernel.to_owned(), next);
            self.launches.push(launch);
            let at = self.launches.len() - 1;
            self.places.insert(kernel.to_owned(), at);
            at
        });
        &mut self.launches[at]
    }

    /// Notes what is wrong with a cell: no figure, none where the campaign would rest on one, no time
    /// where one stands.
    fn judge(&mut self, launch: &str, cell: &Cell<'_>, read: &Counter) {
        let raw = read.raw.as_str();
        let what = match read.status {
            Status::Absent if cell.is_time && !cell.optional => "the cell is missing".to_owned(),
            Status::Error => {
                let unit = match cell.unit {
                    "" | "1" => String::new(),
                    unit => format!(" in `{}`", inert(unit)),
                };
                format!("`{}` is no figure{unit}", inert(raw))
            }
            Status::Value if cell.is_time => match no_time(read) {
                Some(why) => format!("`{}` is no time: {why}", inert(raw)),
                None => return,
            },
            _ => return,
        };
        self.faults.push(Fault {
            place: format!("row {}, column `{}`", self.row, inert(cell.column)),
            launch: launch.to_owned(),
            what,
        });
    }

    /// Notes launches with published figures of a launch and no time, where others have one: their row
    /// is missing as a whole.
    pub(super) fn without_time(&mut self, canonical: &dyn Fn(&str) -> Option<String>) {
        let has = |l: &Launch, is_it: &dyn Fn(&str) -> bool| {
            l.iter()
                .any(|c| canonical(c.name()).is_some_and(|n| is_it(&n)))
        };
        let times = |l: &Launch| has(l, &|n| n == TIME);
        let of_launch = |n: &str| is_claim(n) && !OF_NO_WORKLOAD.contains(&n);
        if !self.launches.iter().any(times) {
            return;
        }
        for l in (self.launches.iter()).filter(|l| !times(l) && has(l, &of_launch)) {
            let begun = self.begun.get(&l.kernel);
            self.faults.push(Fault {
                place: begun.map_or_else(|| "table".into(), |row| format!("row {row}")),
                launch: l.kernel.clone(),
                what: format!(
                    "`{}` has no time, which others have: its row is missing",
                    inert(&l.kernel)
                ),
            });
        }
    }

    /// Notes a launch that stands in an earlier row already.
    fn once(&mut self, launch: &str) {
        match self.begun.get(launch) {
            None => drop(self.begun.insert(launch.to_owned(), self.row)),
            Some(first) if *first != self.row => {
                let what = format!(
                    "duplicate of row {first}: `{}` stands there already",
                    inert(launch)
                );
                self.faults.push(Fault {
                    place: format!("row {}", self.row),
                    launch: launch.to_owned(),
                    what,
                });
            }
            Some(_) => {}
        }
    }

    /// Says where a launch is printed; one whose figures stand in several places has all of them.
    fn cite(&mut self, launch: &str, place: &str) {
        if place.is_empty() {
            return;
        }
        match self.cited.get_mut(launch) {
            None => {
                self.cited.insert(launch.to_owned(), place.to_owned());
            }
            Some(known) if known.split("; ").all(|p| p != place) => {
                known.push_str("; ");
                known.push_str(place);
            }
            Some(_) => {}
        }
    }

    /// Whether the kernel's launch has the counter already; it has it from now on.
    fn has(&mut self, kernel: &str, section: &str, counter: &str) -> bool {
        let key = |n: u32| (kernel.to_owned(), n, section.to_owned(), counter.to_owned());
        let n = self.current.get(kernel).copied().unwrap_or(0);
        if self.seen.insert(key(n)) {
            return false;
        }
        self.seen.insert(key(n.saturating_add(1)));
        true
    }
}

impl Mapping {
    /// Reads one row; `get` finds what the mapping names.
    pub(super) fn row<'v>(&self, get: &dyn Fn(&str) -> Option<Found<'v>>, out: &mut Out) {
        let word = |name: &Option<String>| {
            let found = name.as_deref().and_then(get);
            found.map_or(Cow::Borrowed(""), Found::word)
        };
        let section = word(&self.section);
        let place = self.place(get);
        let counter = word(&self.counter);
        let named = self.counter.is_some();
        let Some(kernel) = self.label(&word) else {
            out.missing += 1;
            let empty = |n: &&String| get(n).map(Found::word).is_none_or(|w| w.is_empty());
            let named = [&self.kernel, &self.workload].into_iter().flatten();
            let column = named.clone().find(empty).map_or("", String::as_str);
            out.faults.push(Fault {
                place: format!("row {}, column `{}`", out.row, inert(column)),
                launch: String::new(),
                what: "the cell is missing".into(),
            });
            return;
        };
        if named && counter.is_empty() {
            out.missing += 1;
            return;
        }
        if !self.sides.is_empty() {
            self.sides([&section, &counter, &word(&self.unit), &place], get, out);
            return;
        }
        let scope = match kernel {
            Some(_) => Scope::PerKernel,
            None => Scope::Aggregate,
        };
        let kernel = kernel.unwrap_or_else(|| "(whole program)".into());
        if self.counters.iter().all(|c| c.side.is_none()) {
            out.cite(&kernel, &place);
        }
        // A counter that a launch has already belongs to the kernel's next launch.
        let mut fresh = !named || out.has(&kernel, &section, &counter);
        if let (true, Some(value)) = (named, &self.value) {
            let unit = word(&self.unit);
            let read = self.figure(&section, &counter, get(value), &unit);
            self.judge(&kernel, [&counter, value, &unit], &read, out);
            out.begun.entry(kernel.to_string()).or_insert(out.row);
            out.launch(&kernel, scope, fresh).push(read);
            fresh = false;
        }
        let mut begun = HashSet::new();
        // Rows of what a tool wrote may stand as often as they like.
        let claims = |c: &Column| c.canonical.as_deref().is_some_and(is_claim);
        let published = self.counters.iter().any(claims);
        for column in &self.counters {
            let read = self.figure(&section, column.name(), get(&column.from), &column.unit);
            let label = match (&column.side, scope) {
                (Some(side), Scope::PerKernel) => Cow::Owned(format!("{kernel}{BETWEEN}{side}")),
                (Some(side), Scope::Aggregate) => Cow::Borrowed(side.as_str()),
                (None, _) => Cow::Borrowed(kernel.as_ref()),
            };
            if published {
                let cell = Cell {
                    column: &column.from,
                    unit: &column.unit,
                    is_time: column.canonical.as_deref() == Some(TIME),
                    optional: self.may_be_missing(column.name()),
                };
                out.judge(&label, &cell, &read);
                if !named && scope == Scope::PerKernel {
                    out.once(&label);
                }
            }
            let launch = match &column.side {
                Some(side) => {
                    let first = begun.insert(side.as_str());
                    out.cite(&label, &place);
                    out.launch(&label, Scope::PerKernel, first)
                }
                None => {
                    let launch = out.launch(&kernel, scope, fresh);
                    fresh = false;
                    launch
                }
            };
            launch.push(read);
        }
    }

    /// Notes what is wrong with a figure that stands behind its name, where that is a published one.
    fn judge(&self, launch: &str, cell: [&str; 3], read: &Counter, out: &mut Out) {
        let [counter, column, unit] = cell;
        let Some(canonical) = self.names.get(counter).filter(|n| is_claim(n)) else {
            return;
        };
        let cell = Cell {
            column,
            unit,
            is_time: canonical == TIME,
            optional: self.may_be_missing(counter),
        };
        out.judge(launch, &cell, read);
    }

    /// Whether the mapping says that a figure may be missing in some rows.
    fn may_be_missing(&self, counter: &str) -> bool {
        self.optional.iter().any(|n| n == counter)
    }

    /// Where a row is printed: what stands in the columns that cite, each once.
    fn place<'v>(&self, get: &dyn Fn(&str) -> Option<Found<'v>>) -> String {
        let mut parts: Vec<Cow<'v, str>> = Vec::new();
        for part in self.cite.iter().filter_map(|n| get(n)).map(Found::word) {
            if !part.is_empty() && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(" ")
    }

    /// The name of the launch, where the mapping names one; none when the row lacks it.
    fn label<'v>(&self, word: &dyn Fn(&Option<String>) -> Cow<'v, str>) -> Option<Option<String>> {
        let parts = [&self.kernel, &self.workload]
            .into_iter()
            .filter(|n| n.is_some());
        let parts: Vec<_> = parts.map(word).collect();
        if parts.iter().any(|p| p.is_empty()) {
            return None;
        }
        Some((!parts.is_empty()).then(|| parts.join(BETWEEN)))
    }

    fn sides<'v>(
        &self,
        [section, counter, unit, place]: [&str; 4],
        get: &dyn Fn(&str) -> Option<Found<'v>>,
        out: &mut Out,
    ) {
        for side in &self.sides {
            out.cite(&side.label, place);
            let read = self.figure(section, counter, get(&side.column), unit);
            self.judge(&side.label, [counter, &side.column, unit], &read, out);
            out.begun.entry(side.label.clone()).or_insert(out.row);
            let launch = out.launch(&side.label, Scope::PerKernel, false);
            launch.push(read);
            let Some(change) = &side.change else { continue };
            let printed = get(change).map(Found::word).unwrap_or_default();
            if !printed.is_empty() {
                let name = format!("{counter}{PUBLISHED}");
                launch.push(self.change(section, &name, &printed));
            }
        }
    }
}
