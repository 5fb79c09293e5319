//! Rows of the details, raw and summary pages.

use std::sync::Arc;

use super::header::{Header, Kind};
use super::reader::Reader;
use super::{Field, row};
use crate::rows::{Row, Step};
use crate::{Counter, Key, Scope, Status};

/// Unit of a raw page that came without its row of units.
const UNKNOWN_UNIT: &str = "unknown";

impl<'a> Reader<'a> {
    /// Reads the row at an offset and says where the next line begins.
    pub fn row(&mut self, header: &Header, at: usize) -> usize {
        if header.kind == Kind::Raw {
            return self.raw_row(header, at);
        }
        let mut line = row(self.text, at, header.separator);
        let mut fields = std::mem::take(&mut self.fields);
        let fine = line.collect(&mut fields) && fields.len() <= header.names.len();
        let cut = !line.quoted && line.next_line() >= self.text.len() && !self.text.ends_with('\n');
        match header.kind {
            _ if !fine => self.unread(),
            Kind::Source => self.source_row(header, &fields),
            Kind::Summary => self.summary_row(header, &fields),
            _ => self.details_row(header, &fields, cut),
        }
        self.fields = fields;
        line.next_line()
    }

    fn details_row(&mut self, header: &Header, fields: &[Field<'_>], cut: bool) {
        let (Some(metric), Some(value)) = (header.metric, header.value) else {
            return;
        };
        if fields.len() <= value {
            return self.unread();
        }
        let get = |i: Option<usize>| i.and_then(|i| fields.get(i)).map_or("", |f| f.as_ref());
        let launch = self.launch_of(header, fields, Scope::PerKernel);
        let name = &fields[metric];
        if name.is_empty() {
            return self.rule_row(header, fields, launch);
        }
        let key = self.key(get(header.section), name, get(header.unit));
        self.push(launch, key, &fields[value]);
        if cut && let Some(c) = self.last_counter(launch) {
            c.suspect
                .push("the file ends here without a line end; the figure may be cut".into());
        }
    }

    fn rule_row(&mut self, header: &Header, fields: &[Field<'_>], launch: usize) {
        let Some(rule) = header.rule else {
            return self.unread();
        };
        let get = |i: usize| fields.get(i).map_or("", |f| f.as_ref());
        let [name, kind, description] = [rule, rule + 1, rule + 2].map(get);
        if name.is_empty() && description.is_empty() {
            return self.unread();
        }
        let speedup = match (get(rule + 3), get(rule + 4)) {
            ("", _) | (_, "") => String::new(),
            (scope, percent) => format!(", {scope} speedup estimated at {percent} %"),
        };
        self.rule_notice(launch, &format!("{kind} {name}{speedup}: {description}"));
    }

    fn summary_row(&mut self, header: &Header, fields: &[Field<'_>]) {
        let Some(metric) = header.metric else { return };
        if fields.len() < header.names.len() {
            return self.unread();
        }
        let get = |i: Option<usize>| i.and_then(|i| fields.get(i)).map_or("", |f| f.as_ref());
        let launch = self.launch_of(header, fields, Scope::Aggregate);
        let (section, unit) = (get(header.section), get(header.unit));
        for (i, column) in header.names.iter().enumerate() {
            let which = match column.as_str() {
                "Minimum" => "minimum",
                "Maximum" => "maximum",
                "Average" => "average",
                _ => continue,
            };
            let name = format!("{} ({which})", get(Some(metric)));
            let key = self.key(section, &name, unit);
            self.push(launch, key, &fields[i]);
        }
    }

    fn raw_row(&mut self, header: &Header, at: usize) -> usize {
        let mut line = row(self.text, at, header.separator);
        let first = header
            .others
            .iter()
            .position(|o| *o)
            .unwrap_or(header.others.len());
        let mut fields = std::mem::take(&mut self.fields);
        fields.clear();
        // Metrics come after the columns that say which launch it is.
        while fields.len() < first
            && let Step::Field(f) = line.step()
        {
            fields.push(f);
        }
        let id = header
            .id
            .and_then(|i| fields.get(i))
            .map_or("", |f| f.as_ref());
        if fields.len() < first {
            self.unread();
        } else if id.is_empty() && self.columns.is_none() {
            self.units_row(header, &mut line);
        } else if id.is_empty() {
            self.unread();
        } else {
            self.metrics(header, &fields, &mut line);
        }
        self.fields = fields;
        // What is left of a row that was not read.
        while let Step::Field(_) = line.step() {}
        line.next_line()
    }

    fn units_row(&mut self, header: &Header, line: &mut Row<'a>) {
        let first = header.others.iter().position(|o| *o).unwrap_or(0);
        let mut fields = Vec::new();
        if line.collect(&mut fields) && first + fields.len() == header.names.len() {
            let units = std::iter::repeat_n("", first).chain(fields.iter().map(|f| f.as_ref()));
            self.columns = Some(self.keys_of(header, units));
        } else {
            self.unread();
        }
    }

    fn keys_of<'u>(
        &mut self,
        header: &Header,
        units: impl Iterator<Item = &'u str>,
    ) -> Vec<Arc<Key>> {
        let names = header.names.iter().zip(units);
        names.map(|(name, unit)| self.key("", name, unit)).collect()
    }

    fn metrics(&mut self, header: &Header, fields: &[Field<'_>], line: &mut Row<'a>) {
        let columns = header.names.len();
        let keys = match self.columns.take() {
            Some(keys) => keys,
            None => {
                self.profile.notices.push(
                    "The row of units is missing or not complete; the units of the raw page are unknown."
                        .into(),
                );
                self.keys_of(header, std::iter::repeat_n(UNKNOWN_UNIT, columns))
            }
        };
        let kernel = header
            .kernel
            .and_then(|i| fields.get(i))
            .map_or("", |f| f.as_ref());
        let launch = self.new_launch(kernel, Scope::PerKernel);
        self.identify(launch, header, fields);
        if let Some(l) = self.profile.launches.get_mut(launch) {
            l.counters.reserve_exact(columns);
        }
        let mut at = fields.len();
        let broken = loop {
            match line.step() {
                Step::Field(value) if at < columns => {
                    if header.others[at] {
                        self.push(launch, Arc::clone(&keys[at]), &value);
                    }
                    at += 1;
                }
                Step::Field(_) => at += 1,
                Step::End => break false,
                Step::Broken => break true,
            }
        };
        self.columns = Some(keys);
        if at > columns {
            // The columns are not where the header says: no figure of the row can be trusted.
            self.drop_launch(launch);
            self.unread();
        } else if at < columns || broken {
            // The last figure may be the first digits of one.
            if !line.quoted && at > fields.len() {
                at -= 1;
                self.drop_last(launch);
            }
            self.profile.notices.push(format!(
                "Launch {launch} of the file ends after {at} of {columns} columns; the others are missing.",
            ));
        }
    }

    fn last_counter(&mut self, launch: usize) -> Option<&mut Counter> {
        self.profile.launches.get_mut(launch)?.counters.last_mut()
    }

    /// Marks the last figure of a launch as not read.
    fn drop_last(&mut self, launch: usize) {
        if let Some(c) = self.last_counter(launch) {
            c.value = None;
            c.text = None;
            c.resolution = None;
            c.status = Status::Error;
            c.suspect = vec!["the row is cut here".into()];
        }
        self.forget_open(
            launch,
            self.profile
                .launches
                .get(launch)
                .map_or(0, |l| l.counters.len().saturating_sub(1)),
        );
    }

    fn drop_launch(&mut self, launch: usize) {
        if let Some(l) = self.profile.launches.get_mut(launch) {
            l.counters.clear();
        }
        self.forget_open(launch, 0);
    }
}
