//! The state of reading one file: launches, evidence about separators, and what was not read.

use std::collections::HashMap;
use std::sync::Arc;

use assay_core::text::{inert, truncate};
use smol_str::SmolStr;

use super::figures::{Figures, Open, identity, settle_all};
use super::header::{Header, dimensions};
use super::raw::Columns;
use super::source::Source;
use super::{Field, NAME, TOOL, row};
use crate::separators::Evidence;
use crate::{Catalog, Counter, Key, Launch, Profile, ProfileError, Scope, rows};

/// Notices of one kind that are kept; the others are counted.
const MAX_NOTICES: usize = 200;

/// Columns of a notice.
const WIDTH: usize = 600;

pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub profile: Profile,
    pub header: Option<Header>,
    /// Metrics of a raw page by column, once its row of units is read.
    pub columns: Option<Columns>,
    pub source: Source,
    pub fields: Vec<Field<'a>>,
    pub last: Option<(Which, usize)>,
    pub launch_ids: Vec<(usize, u64, usize)>,
    launches: HashMap<Which, usize>,
    occurrences: HashMap<SmolStr, u32>,
    keys: HashMap<Key, Arc<Key>>,
    /// Launches with figures that only the whole file tells how to read, and whether there are some
    /// that what the file had shown by then was enough to read for now.
    open: Vec<usize>,
    settled: bool,
    pub evidence: Evidence,
    tables: usize,
    passes: HashMap<(usize, u64), u64>,
    sessions: usize,
    rules: usize,
    warnings: Vec<String>,
    unread: Vec<usize>,
    unread_count: u64,
    output_lines: u64,
    line_at: usize,
}

/// What tells the launches of a file apart; names of kernels do not, they repeat.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Which {
    pub table: usize,
    pub id: SmolStr,
    pub process: SmolStr,
    pub kernel: SmolStr,
    pub shape: SmolStr,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, profile: Profile) -> Self {
        Self {
            text,
            profile,
            header: None,
            columns: None,
            source: Source::default(),
            fields: Vec::new(),
            last: None,
            launch_ids: Vec::new(),
            launches: HashMap::new(),
            occurrences: HashMap::new(),
            keys: HashMap::new(),
            open: Vec::new(),
            settled: false,
            evidence: Evidence::default(),
            tables: 0,
            passes: HashMap::new(),
            sessions: 0,
            rules: 0,
            warnings: Vec::new(),
            unread: Vec::new(),
            unread_count: 0,
            output_lines: 0,
            line_at: 0,
        }
    }

    /// Reads the line at an offset and says where the next one begins.
    pub fn line(&mut self, at: usize) -> usize {
        self.line_at = at;
        let text = self.text;
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        if rest.starts_with(b"==") {
            self.session_line(rows::line(text, at));
            return rows::line_end(text, at);
        }
        if let Some(separator) = Header::begins(rest) {
            return self.header_line(at, separator);
        }
        let Some(header) = self.header.take() else {
            return self.other_line(at);
        };
        // Rows are quoted, or begin with an identifier where a spreadsheet dropped the quotes.
        let is_row = match rest.first() {
            Some(b'"' | b'0'..=b'9') => true,
            first => first == Some(&header.separator),
        };
        let next = match is_row {
            true => self.row(&header, at),
            false => self.other_line(at),
        };
        self.header = self.header.take().or(Some(header));
        next
    }

    fn header_line(&mut self, at: usize, separator: u8) -> usize {
        let mut line = row(self.text, at, separator);
        let mut fields = Vec::new();
        let fine = line.collect(&mut fields);
        let header = Header::new(&fields, separator).filter(|_| fine);
        if header.is_none() {
            self.unread();
        }
        self.finish_source();
        self.source.header_at(at);
        self.header = header;
        self.columns = None;
        self.last = None;
        self.tables += 1;
        line.next_line()
    }

    fn other_line(&mut self, at: usize) -> usize {
        let line = rows::line(self.text, at);
        // In the view of machine code the kernel stands on a line of its own before the header.
        let next = rows::line_end(self.text, at);
        self.source.heading(line, next);
        let header = self.text[next..].trim_start_matches('"');
        let before_a_source = self.is_header(next) && header.starts_with(['#', 'A']);
        if !line.trim().is_empty() && !before_a_source {
            self.output_lines += 1;
        }
        next
    }

    fn session_line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("==PROF== ") {
            if rest.starts_with("Connected") {
                self.sessions += 1;
            } else if let Some((launch, passes)) = passes(rest) {
                self.passes.insert((self.sessions, launch), passes);
            }
        } else if line.starts_with("==WARNING==") || line.starts_with("==ERROR==") {
            self.warnings.push(shown(line));
        } else {
            self.output_lines += 1;
        }
    }

    /// Notes that the line being read could not be.
    pub fn unread(&mut self) {
        self.unread_count += 1;
        if self.unread.len() < 10 {
            self.unread.push(self.line_at);
        }
    }

    /// Adds a notice that names its launch, as long as there are not too many.
    pub fn rule_notice(&mut self, launch: usize, text: &str) {
        self.rules += 1;
        if self.rules <= MAX_NOTICES {
            let l = self.profile.launches.get(launch);
            let name = l.map_or("", |l| l.kernel.as_str());
            let which = l.and_then(|l| l.occurrence).unwrap_or(0);
            let notice = format!("{} #{which}: {text}", truncate(&inert(name), 80));
            self.profile.notices.push(shown(&notice));
        }
    }

    /// A new launch of a kernel; its place in the profile.
    pub fn new_launch(&mut self, kernel: &str, scope: Scope) -> usize {
        let mut launch = Launch::new(kernel, scope);
        let count = self.occurrences.entry(kernel.into()).or_insert(0);
        if scope == Scope::PerKernel {
            launch.occurrence = Some(*count);
        }
        *count = count.saturating_add(1);
        self.profile.launches.push(launch);
        self.profile.launches.len() - 1
    }

    /// The launch that a row of details belongs to.
    pub fn launch_of(&mut self, header: &Header, fields: &[Field<'_>], scope: Scope) -> usize {
        let get = |i: Option<usize>| i.and_then(|i| fields.get(i)).map_or("", |f| f.as_ref());
        let (id, process, kernel) = (get(header.id), get(header.process), get(header.kernel));
        let shape = if header.id.is_none() {
            header.grid.map_or(String::new(), |_| {
                format!("{}{}", get(header.grid), get(header.block))
            })
        } else {
            String::new()
        };
        if let Some((k, at)) = &self.last
            && k.id == id
            && k.process == process
            && k.kernel == kernel
            && k.shape == shape
        {
            return *at;
        }
        let key = Which {
            table: self.tables,
            id: id.into(),
            process: process.into(),
            kernel: kernel.into(),
            shape: shape.into(),
        };
        let at = match self.launches.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.new_launch(kernel, scope);
                self.identify(at, header, fields);
                if let Some(l) = self.profile.launches.get_mut(at) {
                    l.counters.extend(identity(header, fields));
                }
                self.launches.insert(key.clone(), at);
                at
            }
        };
        self.last = Some((key, at));
        at
    }

    /// Puts the columns that say which launch it is in their places.
    pub fn identify(&mut self, at: usize, header: &Header, fields: &[Field<'_>]) {
        let get = |i: usize| fields.get(i).map_or("", |f| f.as_ref());
        if self.profile.command.is_none() {
            let program = header.program.map(get).filter(|p| !p.is_empty());
            self.profile.command = program.map(str::to_owned);
        }
        let number = header.id.and_then(|i| get(i).parse().ok());
        if let Some(id) = number {
            self.launch_ids.push((self.sessions, id, at));
        }
        let Some(launch) = self.profile.launches.get_mut(at) else {
            return;
        };
        launch.grid = header.grid.map(get).and_then(dimensions);
        launch.block = header.block.map(get).and_then(dimensions);
    }

    /// The key of a metric; launches share it.
    pub fn key(&mut self, section: &str, name: &str, unit: &str) -> Arc<Key> {
        let unit = if unit.is_empty() { "1" } else { unit };
        let mut key = Key {
            section: section.into(),
            name: name.into(),
            canonical: None,
            unit: unit.into(),
        };
        if let Some(known) = self.keys.get(&key) {
            return Arc::clone(known);
        }
        let known = key.clone();
        let entry = Catalog::builtin().lookup(TOOL, section, name);
        key.canonical = entry.map(|e| SmolStr::new(&e.canonical));
        let shared = Arc::new(key);
        self.keys.insert(known, Arc::clone(&shared));
        shared
    }

    /// Adds a metric to a launch.
    pub fn push(&mut self, launch: usize, key: Arc<Key>, raw: &str) {
        let Some(l) = self.profile.launches.get_mut(launch) else {
            return;
        };
        let mut figures = Figures {
            counters: std::mem::take(&mut l.counters),
            evidence: self.evidence,
            open: Open::default(),
        };
        figures.push(key, raw);
        self.evidence = Evidence::default();
        self.take_figures(launch, figures);
    }

    /// Takes over the figures of a launch.
    pub fn take_figures(&mut self, launch: usize, figures: Figures) {
        self.evidence = self.evidence.and(figures.evidence);
        self.settled |= figures.open.settled;
        if figures.open.unsettled && self.open.last() != Some(&launch) {
            self.open.push(launch);
        }
        if let Some(l) = self.profile.launches.get_mut(launch) {
            l.counters = figures.counters;
        }
    }

    /// Says which line is being read.
    pub fn begin_line(&mut self, at: usize) {
        self.line_at = at;
    }

    /// Whether the line at an offset is a header.
    pub fn is_header(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        Header::begins(rest).is_some()
    }

    pub fn finish(mut self) -> Result<Profile, ProfileError> {
        self.finish_source();
        let Self {
            mut profile,
            evidence,
            mut open,
            settled,
            ..
        } = self;
        // The first decimal sign that was seen is the only one, or all is read again.
        let again = if evidence.decimal().is_none() && settled {
            (0..profile.launches.len()).collect()
        } else {
            open.sort_unstable();
            open.dedup();
            open
        };
        let still_open = settle_all(&mut profile.launches, &again, evidence);
        for (session, id, launch) in &self.launch_ids {
            // The header says nothing of the process that a session line belongs to, so that with
            // several of them the passes stay unsaid.
            let passes = self
                .passes
                .get(&(*session, *id))
                .filter(|_| self.sessions == 1);
            if let (Some(n), Some(l)) = (passes, profile.launches.get_mut(*launch)) {
                let n = n.to_string();
                l.push(Counter::read("profiling", "passes", &n, "1"));
            }
        }
        let found = profile.launches.iter().any(|l| !l.is_empty());
        let extra = self.warnings.len().saturating_sub(MAX_NOTICES);
        self.warnings.truncate(MAX_NOTICES);
        if !found {
            let said = self.warnings.join(" ");
            let mut problem = "no row of metrics; was it made with `ncu --csv`?".to_owned();
            if !said.is_empty() {
                problem = format!("{problem} The profiler says: {said}");
            }
            return Err(ProfileError::Unusable {
                format: NAME,
                problem,
            });
        }
        let notices = &mut profile.notices;
        notices.append(&mut self.warnings);
        let mut more = |n: u64, text: &str| {
            if n > 0 {
                notices.push(format!("{n} {text}"));
            }
        };
        more(
            extra as u64,
            "more warnings of the profiler are not listed.",
        );
        more(
            self.rules.saturating_sub(MAX_NOTICES) as u64,
            "more findings of the profiler's own rules are not listed.",
        );
        more(
            still_open,
            "figures stay unread: their separator may stand for decimals or thousands.",
        );
        more(
            self.output_lines,
            "lines are not the profiler's and were skipped.",
        );
        if self.unread_count > 0 {
            let number = |at: &usize| {
                let before = self.text.as_bytes().get(..*at).unwrap_or_default();
                (1 + before.iter().filter(|b| **b == b'\n').count()).to_string()
            };
            let lines: Vec<String> = self.unread.iter().map(number).collect();
            let first = if (lines.len() as u64) < self.unread_count {
                ", first of them"
            } else {
                ""
            };
            notices.push(format!(
                "{} rows could not be read{first}: line {}.",
                self.unread_count,
                lines.join(", ")
            ));
        }
        Ok(profile)
    }
}

/// `Profiling "name" - 0 (1/3): 0%....100% - 9 passes`: the launch and its passes.
fn passes(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("Profiling \"")?;
    let (head, tail) = rest.rsplit_once(" - ")?;
    let (count, unit) = tail.trim().split_once(' ')?;
    let (_, id) = head.rsplit_once("\" - ")?;
    let digits = id.split(|c: char| !c.is_ascii_digit()).next()?;
    let fits = matches!(unit, "pass" | "passes");
    fits.then_some((digits.parse().ok()?, count.parse().ok()?))
}

/// Text of others in a notice: one line, inert, of bounded length.
fn shown(text: &str) -> String {
    truncate(&inert(text), WIDTH).into_owned()
}
