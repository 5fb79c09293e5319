//! Source pages: one row an instruction or source line, one block a launch.

use std::sync::Arc;

use smol_str::SmolStr;

use super::Field;
use super::header::Header;
use super::reader::Reader;
use crate::{Counter, Key, Scope, Status};

/// Section of what is added up over the lines.
const ALL: &str = "all lines";

/// What is being read of a source page.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The line before, and where the one after it begins.
    heading: Option<(String, usize)>,
    launch: Option<usize>,
    sums: Vec<Option<u64>>,
    names: Vec<SmolStr>,
}

impl Source {
    /// Keeps a line that may be the name of the kernel before a header.
    pub fn heading(&mut self, line: &str, next: usize) {
        // Alone on its line, since 2025 after the words `Kernel Name`.
        let line = line.trim().trim_end_matches(',');
        let name = line.strip_prefix("\"Kernel Name\",").unwrap_or(line);
        let name = name.trim_matches('"');
        self.heading = (!name.is_empty()).then(|| (name.to_owned(), next));
    }

    /// Forgets a name that does not stand right before the header.
    pub fn header_at(&mut self, at: usize) {
        self.heading.take_if(|(_, next)| *next != at);
    }
}

/// Whether it makes sense to add a column up.
fn adds_up(column: &str) -> bool {
    column == "# Samples"
        || column.starts_with("stall_")
        || column.starts_with("smsp__pcsamp_")
        || column.starts_with("Warp Stall Sampling")
        || column.ends_with("Instructions Executed")
}

impl Reader<'_> {
    pub fn source_row(&mut self, header: &Header, fields: &[Field<'_>]) {
        if fields.len() < header.names.len() {
            return self.unread();
        }
        let launch = match self.source.launch {
            Some(launch) => launch,
            None => {
                let kernel = self.source.heading.take();
                let kernel = kernel.map_or_else(|| "(kernel not named)".into(), |(name, _)| name);
                let launch = self.new_launch(&kernel, Scope::PerKernel);
                self.source.launch = Some(launch);
                self.source.names = header.names.clone();
                self.source.sums = vec![Some(0); header.names.len()];
                launch
            }
        };
        let mut section = String::from("#");
        for (name, field) in header.names.iter().zip(fields) {
            if matches!(name.as_str(), "#" | "Address") {
                section.push_str(field);
                section.push(' ');
            }
        }
        let section = SmolStr::new(section.trim_end());
        for (i, (name, field)) in header.names.iter().zip(fields).enumerate() {
            if matches!(name.as_str(), "#" | "Address") || field.is_empty() {
                continue;
            }
            if name == "Source" {
                let c = Counter::words(section.clone(), name.clone(), field);
                if let Some(l) = self.profile.launches.get_mut(launch) {
                    l.push(c);
                }
                continue;
            }
            // What an instruction does not have, e.g. one that reaches no memory.
            if field == "-" {
                continue;
            }
            // A key for each line: they are not kept to be found again.
            let key = Key {
                section: section.clone(),
                name: name.clone(),
                canonical: None,
                unit: SmolStr::new_static("1"),
            };
            self.push(launch, Arc::new(key), field);
            if adds_up(name) {
                let plain = field.parse::<u64>().ok();
                if let Some(sum) = self.source.sums.get_mut(i) {
                    *sum = sum.and_then(|s| s.checked_add(plain?));
                }
            }
        }
    }

    /// Ends the block of a launch: adds the sums over its lines.
    pub fn finish_source(&mut self) {
        let Some(launch) = self.source.launch.take() else {
            return;
        };
        let names = std::mem::take(&mut self.source.names);
        let sums = std::mem::take(&mut self.source.sums);
        let Some(l) = self.profile.launches.get_mut(launch) else {
            return;
        };
        for (name, sum) in names.iter().zip(sums).filter(|(n, _)| adds_up(n)) {
            l.push(match sum {
                Some(n) => Counter::read(ALL, name.clone(), &n.to_string(), "1"),
                None => {
                    let mut c = Counter::without_value(ALL, name.clone(), "", "1", Status::Error);
                    c.suspect
                        .push("some line is not a plain count; not added up".into());
                    c
                }
            });
        }
    }
}
