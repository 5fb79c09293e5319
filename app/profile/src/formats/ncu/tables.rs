//! Rows of the details and summary pages.

use super::header::{Header, Kind};
use super::reader::Reader;
use super::{Field, row};
use crate::Scope;

impl Reader<'_> {
    /// Reads the row at an offset and says where the next line begins.
    pub fn row(&mut self, header: &Header, at: usize) -> usize {
        if header.kind == Kind::Raw {
            return self.raw_rows(header, at);
        }
        let mut line = row(self.text, at, header.separator);
        let mut fields = std::mem::take(&mut self.fields);
        let fine = line.collect(&mut fields) && fields.len() <= header.names.len();
        let cut = !line.quoted && line.next_line() >= self.text.len() && !self.text.ends_with('\n');
        match header.kind {
            _ if !fine => self.unread(),
            // The last figure may be the beginning of one.
            Kind::Source | Kind::Summary if cut && fields.len() > 1 => self.unread(),
            // The name of the next kernel is quoted like a row.
            Kind::Source if fields.len() <= 3 && self.is_header(line.next_line()) => {
                // Since 2025 after the words `Kernel Name`, with an empty field behind.
                let name = match fields.as_slice() {
                    [words, name, ..] if words == "Kernel Name" => name,
                    [name, ..] => name,
                    [] => "",
                };
                self.source.heading(name, line.next_line());
            }
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
        // Columns may stand in any order.
        if fields.len() <= value.max(metric) {
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
        if cut && let Some(l) = self.profile.launches.get_mut(launch) {
            let last = l.len().saturating_sub(1);
            let why = "the file ends here without a line end; the figure may be cut";
            l.counters.doubt(last, why.into());
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
}
