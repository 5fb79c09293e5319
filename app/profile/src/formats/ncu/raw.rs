//! The raw page: a row of units, then one row a launch with thousands of metrics.
//!
//! Such files grow to gigabytes, and their rows have nothing to do with each other: many rows are
//! read on several threads at once and taken over in their order, so that the result is the same.

use std::sync::Arc;

use smol_str::SmolStr;

use super::figures::{CUT_ROW, Figures, IDENTITY};
use super::header::Header;
use super::reader::Reader;
use super::{Field, TOOL, row};
use crate::counters::{Cell, Counters};
use crate::keys::{KeyList, Keys};
use crate::rows::{self, Row, Step, line_end};
use crate::separators::Evidence;
use crate::{Catalog, Key, Scope, Status};

/// Unit of a raw page that came without its row of units.
const UNKNOWN_UNIT: &str = "unknown";

/// Rows that are read together, and the least text that is worth threads.
const BATCH: usize = 512;
const WORTH_THREADS: usize = 1 << 20;

/// Bytes of a few short words.
const ROOM_FOR_IDENTITY: usize = 64;

/// Rows that are read one by one before that.
const FIRST_ROWS: usize = 8;

/// More threads than this wait for memory.
const MAX_THREADS: usize = 8;

/// What the columns of a raw page are, once its units are known.
#[derive(Debug)]
pub(super) struct Columns {
    /// By column, the metric; none where it is no metric.
    metrics: Vec<Option<Arc<Key>>>,
    /// By column, what says which launch it is and has no other place in the model.
    identity: Vec<(usize, Arc<Key>)>,
    /// The keys of a launch that has all of them.
    all: KeyList,
}

impl Columns {
    /// Room for the counters of a launch whose row is so long.
    fn room(&self, bytes: usize) -> Counters {
        let keys = Keys::expecting(Arc::clone(&self.all));
        // What says which launch it is stands in the row, too, and once more behind it.
        Counters::with_room(keys, bytes + ROOM_FOR_IDENTITY)
    }
}

/// One launch as read.
struct Launched<'a> {
    identity: Vec<Field<'a>>,
    figures: Figures,
    /// Columns that the row has.
    columns: usize,
    broken: bool,
    /// Whether the last field was in quotes, so that it is whole.
    quoted: bool,
}

/// Reads the metrics of a row whose identity was read; the row begins at an offset.
fn metrics<'a>(
    columns: &Columns,
    identity: Vec<Field<'a>>,
    line: &mut Row<'a>,
    begin: usize,
    evidence: Evidence,
    mut counters: Counters,
) -> Launched<'a> {
    let text = rows::line(line.text(), begin);
    // Where a quoted field goes on over lines, what follows stands behind the text.
    let end = match counters.take_text(text) {
        true => begin + text.len(),
        false => begin,
    };
    let mut figures = Figures {
        counters,
        evidence,
        ..Figures::default()
    };
    for (at, key) in &columns.identity {
        if let Some(field) = identity.get(*at).filter(|f| !f.is_empty()) {
            figures.counters.keys.put_shared(key);
            figures.counters.cell(Cell::none(Status::Text), field);
        }
    }
    let mut at = identity.len();
    let broken = loop {
        let key = columns.metrics.get(at);
        if let Some(Some(key)) = key
            && line.place() < end
            && let Some((found, from)) = line.figure()
        {
            figures.counters.keys.put_shared(key);
            figures.plain(found, from - begin, found.end - from);
            at += 1;
            continue;
        }
        let from = line.place();
        match line.step() {
            Step::Field(value) => {
                if let Some(Some(key)) = key {
                    let stands = (from < end).then_some(from - begin);
                    figures.counters.keys.put_shared(key);
                    figures.figure(&value, stands);
                }
                at += 1;
            }
            Step::End => break false,
            Step::Broken => break true,
        }
    };
    Launched {
        identity,
        figures,
        columns: at,
        broken,
        quoted: line.quoted,
    }
}

/// The fields before the metrics.
fn identity_of<'a>(header: &Header, line: &mut Row<'a>) -> Vec<Field<'a>> {
    let first = header.first_metric();
    let mut fields = Vec::with_capacity(first);
    while fields.len() < first
        && let Step::Field(f) = line.step()
    {
        fields.push(f);
    }
    fields
}

fn id<'f>(header: &Header, fields: &'f [Field<'_>]) -> &'f str {
    let field = header.id.and_then(|i| fields.get(i));
    field.map_or("", |f| f.as_ref())
}

impl<'a> Reader<'a> {
    /// Reads the row at an offset, or many rows from there on; says where the next line begins.
    pub fn raw_rows(&mut self, header: &Header, at: usize) -> usize {
        match self.columns.take() {
            // The first rows mostly show which sign is the decimal one.
            Some(keys) if self.text.len() - at >= WORTH_THREADS && self.is_under_way() => {
                let next = self.batch(header, &keys, at);
                self.columns = Some(keys);
                if next > at {
                    next
                } else {
                    self.raw_row(header, at)
                }
            }
            keys => {
                self.columns = keys;
                self.raw_row(header, at)
            }
        }
    }

    fn is_under_way(&self) -> bool {
        self.evidence.decimal().is_some() || self.profile.launches.len() >= FIRST_ROWS
    }

    fn raw_row(&mut self, header: &Header, at: usize) -> usize {
        let mut line = row(self.text, at, header.separator);
        let fields = identity_of(header, &mut line);
        let no_id = id(header, &fields).is_empty();
        if fields.len() < header.first_metric() || no_id && self.columns.is_some() {
            self.unread();
        } else if no_id {
            self.units_row(header, &mut line);
        } else {
            let keys = match self.columns.take() {
                Some(keys) => keys,
                None => {
                    self.profile.notices.push(
                        "The row of units is missing or not complete; the units of the raw page are unknown."
                            .into(),
                    );
                    let units = std::iter::repeat_n(UNKNOWN_UNIT, header.names.len());
                    Self::keys_of(header, units)
                }
            };
            let evidence = self.evidence;
            let room = keys.room(line_end(self.text, at) - at);
            let launched = metrics(&keys, fields, &mut line, at, evidence, room);
            self.columns = Some(keys);
            self.launched(header, launched);
        }
        // What is left of a row that was not read.
        while let Step::Field(_) = line.step() {}
        line.next_line()
    }

    /// Reads rows on several threads; where it stopped, which is at the first odd row.
    fn batch(&mut self, header: &Header, columns: &Columns, at: usize) -> usize {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(MAX_THREADS);
        let mut lines = Vec::new();
        let mut next = at;
        while threads > 1 && lines.len() < BATCH && next < self.text.len() {
            let first = self.text.as_bytes().get(next);
            if !matches!(first, Some(b'"' | b'0'..=b'9')) || self.is_header(next) {
                break;
            }
            let end = line_end(self.text, next);
            lines.push((next, end));
            next = end;
        }
        if lines.len() < 2 * threads {
            return at;
        }
        let (text, evidence) = (self.text, self.evidence);
        // Memory for the launches is taken here: what other threads take comes in small pieces.
        let rooms: Vec<_> = lines
            .iter()
            .map(|(at, end)| (*at, *end, columns.room(end - at)))
            .collect();
        let read = |(at, end, room): (usize, usize, Counters)| {
            let mut line = row(text.get(..end).unwrap_or_default(), at, header.separator);
            let fields = identity_of(header, &mut line);
            if fields.len() < header.first_metric() || id(header, &fields).is_empty() {
                return None;
            }
            Some(metrics(columns, fields, &mut line, at, evidence, room)).filter(|l| !l.broken)
        };
        let mut done = Vec::with_capacity(lines.len());
        std::thread::scope(|scope| {
            let mut rooms = rooms;
            let mut parts = Vec::with_capacity(threads);
            while !rooms.is_empty() {
                let rest = rooms.split_off(rooms.len().min(lines.len().div_ceil(threads)));
                let part = std::mem::replace(&mut rooms, rest);
                let read = &read;
                parts.push(scope.spawn(move || part.into_iter().map(read).collect::<Vec<_>>()));
            }
            for part in parts {
                // A thread that failed leaves its rows to be read again one by one.
                done.extend(part.join().unwrap_or_default());
            }
        });
        let mut stopped = at;
        for ((begin, end), launched) in lines.iter().zip(done) {
            let Some(launched) = launched else { break };
            self.begin_line(*begin);
            self.launched(header, launched);
            stopped = *end;
        }
        stopped
    }

    fn units_row(&mut self, header: &Header, line: &mut Row<'a>) {
        let first = header.first_metric();
        let mut fields = Vec::new();
        if line.collect(&mut fields) && first + fields.len() == header.names.len() {
            let units = std::iter::repeat_n("", first).chain(fields.iter().map(|f| f.as_ref()));
            self.columns = Some(Self::keys_of(header, units));
        } else {
            self.unread();
        }
    }

    fn keys_of<'u>(header: &Header, units: impl Iterator<Item = &'u str>) -> Columns {
        let of_identity = |at: &usize| {
            let key = Key {
                section: SmolStr::new_static(IDENTITY),
                name: header.names.get(*at)?.clone(),
                canonical: None,
                unit: SmolStr::new_static("1"),
            };
            Some((*at, Arc::new(key)))
        };
        // Columns have names of their own, so that nothing is gained by looking for a known key.
        let tool = Catalog::builtin().tool(TOOL);
        let of_metric = |name: &SmolStr, unit: &str| {
            let unit = if unit.is_empty() { "1" } else { unit };
            Arc::new(Key {
                section: SmolStr::default(),
                name: name.clone(),
                canonical: Catalog::builtin().canonical(tool, "", name),
                unit: unit.into(),
            })
        };
        let identity: Vec<_> = header.identity.iter().filter_map(of_identity).collect();
        let names = header.names.iter().zip(units).zip(&header.others);
        let metrics: Vec<_> = names
            .map(|((name, unit), is_metric)| is_metric.then(|| of_metric(name, unit)))
            .collect();
        let keys = identity.iter().map(|(_, key)| key);
        let all = keys.chain(metrics.iter().flatten()).cloned().collect();
        Columns {
            metrics,
            identity,
            all,
        }
    }

    /// Takes over a launch that was read.
    fn launched(&mut self, header: &Header, mut row: Launched<'_>) {
        let all = header.names.len();
        let kernel = header.kernel.and_then(|i| row.identity.get(i));
        let launch = self.new_launch(kernel.map_or("", |f| f.as_ref()), Scope::PerKernel);
        self.identify(launch, header, &row.identity);
        if row.columns > all {
            // The columns are not where the header says: no figure of the row can be trusted.
            return self.unread();
        }
        if row.columns < all || row.broken {
            // The last figure may be the first digits of one.
            if !row.quoted && row.columns > row.identity.len() {
                row.columns -= 1;
                row.figures.spoil_last();
            }
            self.profile.notices.push(format!(
                "Launch {launch} of the file ends after {} of {all} columns; the others are missing.",
                row.columns
            ));
        }
        self.take_figures(launch, row.figures);
    }
}

impl Figures {
    /// Marks the last figure as not read.
    fn spoil_last(&mut self) {
        if let Some(last) = self.counters.len().checked_sub(1) {
            let why = Arc::from([CUT_ROW.to_owned()]);
            self.counters.refuse(last, &why);
        }
    }
}
