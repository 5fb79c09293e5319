//! Samples of the program counter, `pc_sampling_*.csv`: added up by instruction, one launch of the
//! profile for each dispatch. The file has no names of kernels.

use std::collections::{BTreeMap, HashMap};

use super::super::table::{Field, Table};
use super::NAME;
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// The flavour in the profile.
pub(super) const FLAVOUR: &str = "pc_sampling";

/// Section of what is added up over the instructions of a dispatch.
const ALL: &str = "all instructions";

/// Different instructions that are kept apart, over all dispatches.
const MAX_INSTRUCTIONS: usize = 100_000;

/// Columns whose values are counted: why a wave stood still, and what it issued.
const REASONS: [&str; 2] = ["Stall_Reason", "Instruction_Type"];

/// The mask of the lanes that took part.
const MASK: &str = "Exec_Mask";

/// Samples of one instruction, or of a dispatch.
#[derive(Default)]
struct Seen {
    samples: u64,
    /// The mask, as long as all samples have the same.
    mask: Option<String>,
    masks_differ: bool,
    issued: Option<u64>,
    reasons: BTreeMap<String, u64>,
}

impl Seen {
    fn add(&mut self, get: &dyn Fn(&str) -> Option<String>) {
        self.samples += 1;
        if let Some(mask) = get(MASK) {
            match &self.mask {
                Some(known) => self.masks_differ |= *known != mask,
                None => self.mask = Some(mask),
            }
        }
        if let Some(issued) = get("Wave_Issued_Instruction") {
            *self.issued.get_or_insert(0) += u64::from(matches!(issued.as_str(), "1" | "true"));
        }
        for column in REASONS {
            if let Some(reason) = get(column).filter(|r| r != "0") {
                *self
                    .reasons
                    .entry(format!("{column}: {reason}"))
                    .or_default() += 1;
            }
        }
    }

    fn counters(&self, section: &str, launch: &mut Launch) {
        let count = |name: &str, n: u64| Counter::read(section, name, &n.to_string(), "1");
        launch.push(count("samples", self.samples));
        if let Some(mask) = &self.mask {
            launch.push(match self.masks_differ {
                true => Counter::words(section, MASK, "differs between the samples"),
                false => Counter::read(section, MASK, mask, "1"),
            });
        }
        if let Some(n) = self.issued {
            launch.push(count("Wave_Issued_Instruction", n));
        }
        for (name, n) in &self.reasons {
            launch.push(count(name, *n));
        }
    }
}

/// What was seen of one dispatch, instructions in the order of their first sample.
#[derive(Default)]
struct Dispatch {
    all: Seen,
    instructions: Vec<(String, Seen)>,
    places: HashMap<String, usize>,
}

pub(super) fn parse(mut table: Table<'_>, mut profile: Profile) -> Result<Profile, ProfileError> {
    let columns: HashMap<String, usize> = table
        .names
        .iter()
        .enumerate()
        .rev()
        .map(|(i, n)| (n.trim().to_owned(), i))
        .collect();
    let mut dispatches: Vec<(String, Dispatch)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let (mut kept, mut left_out) = (0usize, 0u64);
    let mut fields: Vec<Field<'_>> = Vec::new();
    while table.row(&mut fields) {
        let get = |name: &str| {
            let field = columns.get(name).and_then(|i| fields.get(*i))?;
            Some(field.trim().to_owned()).filter(|f| !f.is_empty())
        };
        let id = get("Dispatch_Id").unwrap_or_default();
        let at = *places.entry(id).or_insert_with_key(|id| {
            dispatches.push((id.clone(), Dispatch::default()));
            dispatches.len() - 1
        });
        let dispatch = &mut dispatches[at].1;
        dispatch.all.add(&get);
        let mut name = get("Instruction").unwrap_or_else(|| "(no instruction)".into());
        if let Some(comment) = get("Instruction_Comment") {
            name = format!("{name} // {comment}");
        }
        let known = dispatch.places.get(&name).copied();
        if known.is_none() && kept >= MAX_INSTRUCTIONS {
            left_out += 1;
            continue;
        }
        let place = known.unwrap_or_else(|| {
            kept += 1;
            dispatch.instructions.push((name.clone(), Seen::default()));
            dispatch
                .places
                .insert(name, dispatch.instructions.len() - 1);
            dispatch.instructions.len() - 1
        });
        dispatch.instructions[place].1.add(&get);
    }
    for (id, dispatch) in dispatches {
        let mut launch = Launch::new(format!("(dispatch {id})"), Scope::PerKernel);
        dispatch.all.counters(ALL, &mut launch);
        for (name, seen) in &dispatch.instructions {
            seen.counters(name, &mut launch);
        }
        profile.launches.push(launch);
    }
    if left_out > 0 {
        profile.notices.push(format!(
            "{left_out} samples are of instructions past the limit and only in the totals."
        ));
    }
    profile.notices.extend(table.notice());
    if profile
        .launches
        .iter()
        .all(|l| l.iter().all(|c| c.status() != Status::Value))
    {
        return Err(ProfileError::Unusable {
            format: NAME,
            problem: "no row under the header".into(),
        });
    }
    Ok(profile)
}
