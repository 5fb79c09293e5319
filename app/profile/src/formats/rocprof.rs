//! CSV files of AMD's profilers: counters, kernel traces and samples of rocprofv3, and the wide
//! `pmc_perf.csv` of rocprof-compute.
//!
//! A counter with dimensions has several rows for one dispatch, which belong added up. Grids are
//! counted in work-items there; the model has workgroups.

mod samples;

use std::collections::HashMap;

use serde_json::Number;
use smol_str::SmolStr;

use super::table::{Field, Table};
use super::{head, text};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the format.
pub const NAME: &str = "rocprof CSV";

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "rocprof";

/// Section of what describes the launch.
const LAUNCH: &str = "launch";

/// Name of the difference of the time stamps.
const DURATION: &str = "End_Timestamp - Start_Timestamp";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One row for each dispatch and counter.
    Long,
    /// One row for each dispatch, without counters.
    Trace,
    /// One row for each dispatch, one column for each counter.
    Wide,
    /// One row for each sample of the program counter.
    Samples,
}

fn kind(table: &Table<'_>) -> Option<Kind> {
    let has = |name| table.column(name).is_some();
    if ["Exec_Mask", "Dispatch_Id", "Instruction"]
        .into_iter()
        .all(has)
    {
        return Some(Kind::Samples);
    }
    let kernel = has("Kernel_Name") || has("KernelName");
    if !kernel {
        return None;
    }
    if has("Counter_Name") && has("Counter_Value") && has("Dispatch_Id") {
        return Some(Kind::Long);
    }
    if has("Start_Timestamp") && has("End_Timestamp") && has("Kernel_Id") && has("Kind") {
        return Some(Kind::Trace);
    }
    let dispatch = has("Dispatch_ID") || has("Index");
    (dispatch && (has("GPU_ID") || has("gpu-id") || has("wgr") || has("Workgroup_Size")))
        .then_some(Kind::Wide)
}

pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = head(bytes);
    Table::new(&head, b',').is_some_and(|t| kind(&t).is_some())
        // The header of a wide file can be longer than what is looked at.
        || head.lines().next().is_some_and(|l| {
            l.len() >= head.len() && l.contains("Dispatch_ID,GPU_ID") && l.contains("Kernel_Name")
        })
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let unusable = |problem: &str| ProfileError::Unusable {
        format: NAME,
        problem: problem.into(),
    };
    let mut profile = Profile::new(TOOL, "csv");
    let text = text(bytes, &mut profile.notices);
    let mut table = Table::new(&text, b',').ok_or_else(|| unusable("no header line"))?;
    let kind = kind(&table).ok_or_else(|| unusable("the columns are not known"))?;
    profile.flavour = match kind {
        Kind::Long => "counter_collection",
        Kind::Trace => "kernel_trace",
        Kind::Wide => "pmc_perf",
        Kind::Samples => samples::FLAVOUR,
    }
    .into();
    if kind == Kind::Samples {
        return samples::parse(table, profile);
    }
    let mut reader = Reader::new(&table, profile);
    let mut fields = Vec::new();
    while table.row(&mut fields) {
        match kind {
            Kind::Long => reader.long(&fields),
            Kind::Trace => reader.trace(&fields),
            Kind::Wide | Kind::Samples => reader.wide(&fields),
        }
    }
    let (added, mut profile) = (reader.added, reader.profile);
    if added > 0 {
        profile.notices.push(format!(
            "{added} rows repeat a counter of their dispatch (its dimensions) and were added up."
        ));
    }
    profile.notices.extend(table.notice());
    if profile.launches.is_empty() {
        return Err(unusable("no row under the header"));
    }
    Ok(profile)
}

struct Reader {
    profile: Profile,
    names: Vec<SmolStr>,
    columns: HashMap<String, usize>,
    kernel: usize,
    /// Launch by process and dispatch.
    launches: HashMap<(String, String), usize>,
    /// Place of a counter in the launch.
    counters: HashMap<(usize, SmolStr), usize>,
    occurrences: HashMap<String, u32>,
    added: u64,
}

impl Reader {
    fn new(table: &Table<'_>, profile: Profile) -> Self {
        let kernel = table.column("Kernel_Name");
        Self {
            profile,
            names: table.names.iter().map(|n| SmolStr::new(n.trim())).collect(),
            columns: table
                .names
                .iter()
                .enumerate()
                .rev()
                .map(|(i, n)| (n.trim().to_ascii_lowercase(), i))
                .collect(),
            kernel: kernel.or(table.column("KernelName")).unwrap_or(0),
            launches: HashMap::new(),
            counters: HashMap::new(),
            occurrences: HashMap::new(),
            added: 0,
        }
    }

    fn get<'f>(&self, fields: &'f [Field<'_>], name: &str) -> &'f str {
        let at = self.columns.get(&name.to_ascii_lowercase());
        at.and_then(|i| fields.get(*i)).map_or("", |f| f.trim())
    }

    fn launch(&mut self, fields: &[Field<'_>]) -> usize {
        let name = fields.get(self.kernel).map_or("", |f| f.trim());
        // The symbol of the code descriptor is no part of the name.
        let name = [" [clone .kd]", "(.kd)", ".kd"]
            .iter()
            .find_map(|s| name.strip_suffix(s))
            .unwrap_or(name);
        let mut launch = Launch::new(name.trim_end(), Scope::PerKernel);
        let count = self.occurrences.entry(launch.kernel.clone()).or_insert(0);
        launch.occurrence = Some(*count);
        *count = count.saturating_add(1);
        let three = |prefix: &str| -> Option<[u64; 3]> {
            let axis = |a| self.get(fields, &format!("{prefix}_{a}")).parse().ok();
            Some([axis("X")?, axis("Y")?, axis("Z")?])
        };
        launch.block = three("Workgroup_Size");
        if let (Some(items), Some(block)) = (three("Grid_Size"), launch.block) {
            let whole =
                |i: usize| (block[i] > 0 && items[i] % block[i] == 0).then(|| items[i] / block[i]);
            launch.grid = (|| Some([whole(0)?, whole(1)?, whole(2)?]))();
        }
        for name in [
            "Grid_Size",
            "Workgroup_Size",
            "LDS_Block_Size",
            "Scratch_Size",
            "VGPR_Count",
            "Accum_VGPR_Count",
            "SGPR_Count",
        ] {
            let value = self.get(fields, name);
            if !value.is_empty() {
                let bytes = matches!(name, "LDS_Block_Size" | "Scratch_Size");
                let unit = if bytes { "bytes" } else { "1" };
                launch.push(Counter::read(LAUNCH, name, value, unit));
            }
        }
        if let Some(duration) = self.duration(fields) {
            launch.push(duration);
        }
        self.profile.launches.push(launch);
        self.profile.launches.len() - 1
    }

    fn duration(&self, fields: &[Field<'_>]) -> Option<Counter> {
        let (start, end) = (
            self.get(fields, "Start_Timestamp"),
            self.get(fields, "End_Timestamp"),
        );
        if start.is_empty() && end.is_empty() {
            return None;
        }
        let raw = format!("{end} - {start}");
        let mut c = Counter::without_value(LAUNCH, DURATION, &raw, "ns", Status::Error);
        let stamp = |t: &str| t.strip_suffix(".0").unwrap_or(t).parse::<u64>().ok();
        match stamp(start)
            .zip(stamp(end))
            .and_then(|(s, e)| e.checked_sub(s))
        {
            Some(ns) => {
                c.value = Some(ns.into());
                c.resolution = Some(1.0);
                c.status = Status::Value;
            }
            None => c
                .suspect
                .push("the time stamps cannot be subtracted".into()),
        }
        Some(c)
    }

    fn long(&mut self, fields: &[Field<'_>]) {
        let of = |name| self.get(fields, name).to_owned();
        let key = (of("Process_Id"), of("Dispatch_Id"));
        let at = match self.launches.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.launch(fields);
                self.launches.insert(key, at);
                at
            }
        };
        let name = SmolStr::new(self.get(fields, "Counter_Name"));
        let read = Counter::read("", name.clone(), self.get(fields, "Counter_Value"), "1");
        let Some(launch) = self.profile.launches.get_mut(at) else {
            return;
        };
        let known = self.counters.get(&(at, name.clone()));
        match known {
            Some(i) => {
                self.added += 1;
                launch.counters.edit(*i, |sum| add(sum, &read));
            }
            None => {
                self.counters.insert((at, name), launch.len());
                launch.push(read);
            }
        }
    }

    fn trace(&mut self, fields: &[Field<'_>]) {
        self.launch(fields);
    }

    fn wide(&mut self, fields: &[Field<'_>]) {
        let at = self.launch(fields);
        let described = self.profile.launches[at].clone();
        for (i, (name, field)) in self.names.iter().zip(fields).enumerate() {
            if i == self.kernel || described.iter().any(|c| c.name() == name) {
                continue;
            }
            let value = field.trim();
            let mut c = Counter::read("", name.clone(), value, "1");
            if c.status == Status::Error {
                match value {
                    "" => c = Counter::without_value("", name.clone(), "", "1", Status::Absent),
                    "nan" | "NaN" | "inf" | "-inf" => {}
                    v if v.contains(|c: char| c.is_alphabetic()) => {
                        c = Counter::words("", name.clone(), v);
                    }
                    _ => {}
                }
            }
            self.profile.launches[at].push(c);
        }
    }
}

/// Adds a row to the sum of the rows before; integers stay exact or the sum is none.
fn add(sum: &mut Counter, row: &Counter) {
    let total = match (&sum.value, &row.value) {
        (Some(a), Some(b)) => match (a.as_u64(), b.as_u64()) {
            (Some(a), Some(b)) => a.checked_add(b).map(Number::from),
            _ => a
                .as_f64()
                .zip(b.as_f64())
                .and_then(|(a, b)| Number::from_f64(a + b)),
        },
        _ => None,
    };
    sum.raw = format!("{} + {}", sum.raw, row.raw).into();
    if sum.raw.len() > 200 {
        sum.raw = "(sum of many rows)".into();
    }
    sum.resolution = sum.resolution.zip(row.resolution).map(|(a, b)| a.max(b));
    for s in &row.suspect {
        if !sum.suspect.contains(s) {
            sum.suspect.push(s.clone());
        }
    }
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let rounded = total
        .as_ref()
        .is_some_and(|n| n.is_f64() && n.as_f64().is_some_and(|f| f.abs() >= EXACT));
    if rounded && sum.suspect.is_empty() {
        sum.suspect
            .push("more digits than a double holds: rounded".into());
    }
    if total.is_none() {
        sum.status = Status::Error;
        sum.resolution = None;
        if sum.suspect.is_empty() {
            sum.suspect.push("more than 64 bits hold".into());
        }
    }
    sum.value = total;
}
