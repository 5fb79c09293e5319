//! What a summary says of single kernels, and of a side that has none.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::view::{FileDiff, SaidValue};

use super::{MAX_OTHERS, Summary, figure};
use crate::attribution::Facts;
use crate::said::{Join, Key, list, part, plain, say};

/// Facts that are said of one kernel of several.
const MAX_OF_KERNEL: usize = 3;

impl<'f> Summary<'f> {
    /// Says that one side has no kernel, and nothing else: there is nothing to compare.
    pub(super) fn one_sided(&mut self) -> bool {
        let (side, there) = match (self.a.is_empty(), self.b.is_empty()) {
            (true, false) => ("A", self.b),
            (false, true) => ("B", self.a),
            _ => return false,
        };
        let key = match there.contains_key("kernel.count") {
            true => Key::SideWithoutKernel,
            false => Key::SideWithoutCode,
        };
        self.say(say(key, [plain(side)]), &[]);
        true
    }

    /// What a fact is called; of several kernels the largest figure is not that of each.
    pub(super) fn label(&self, name: &str) -> SaidValue {
        let label = SaidValue::Topic(name.to_owned());
        let several = |f: &Facts| figure(f, "kernel.count").unwrap_or(0.0) > 1.0;
        let largest = crate::kernel::FACTS
            .iter()
            .any(|f| f.name == name && f.fold == crate::kernel::Fold::Most);
        match largest && (several(self.a) || several(self.b)) {
            true => part(Key::LargestOf, [label]),
            false => label,
        }
    }

    /// Says which of several kernels the facts differ in; whether there are such.
    pub(super) fn kernels(&mut self, d: &FileDiff) -> bool {
        let of = |f: &'f Facts| -> BTreeMap<&'f str, Vec<(&'f str, f64)>> {
            let mut out: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
            // A zero is stated where another kernel has more.
            for (name, figure) in f.iter().filter(|(_, figure)| figure.value != 0.0) {
                // Names of kernels have no dot, and those of facts often do.
                if let Some((kernel, fact)) = name
                    .strip_prefix("kernel.")
                    .and_then(|rest| rest.split_once('.'))
                {
                    out.entry(kernel).or_default().push((fact, figure.value));
                }
            }
            out
        };
        let (a, b) = (of(self.a), of(self.b));
        let both: Vec<&str> = a.keys().copied().filter(|k| b.contains_key(k)).collect();
        let differ: Vec<&str> = both
            .iter()
            .copied()
            .filter(|k| a.get(k) != b.get(k))
            .collect();
        // Of many kernels only those are there that differ.
        let pairs = d.kernels.iter().filter(|k| k.a.is_some() && k.b.is_some());
        let count = both.len().max(pairs.count());
        if differ.is_empty() || count < 2 {
            return false;
        }
        let shown = differ.iter().take(MAX_OTHERS);
        let (mut names, mut facts) = (Vec::new(), Vec::new());
        for kernel in shown {
            let name = plain(format!("`{kernel}`"));
            // What the figures of all kernels together do not show is said of each.
            let hidden = self.hidden(kernel);
            let steps: Vec<SaidValue> = hidden
                .iter()
                .take(MAX_OF_KERNEL)
                .map(|(fact, of)| part(Key::Pair, [plain(*fact), self.step(of)]))
                .collect();
            facts.extend(hidden.into_iter().take(MAX_OF_KERNEL).map(|(_, of)| of));
            names.push(match steps.is_empty() {
                true => name,
                false => part(Key::NamedWith, [name, list(Join::Comma, steps)]),
            });
        }
        let names = list(Join::Comma, names);
        let names = match differ.len().saturating_sub(MAX_OTHERS) {
            0 => names,
            n => part(Key::NamedAndMore, [names, plain(n.to_string())]),
        };
        let key = match differ.len() == count {
            true => Key::KernelsDifferAll,
            false => Key::KernelsDiffer,
        };
        let said = say(key, [names, plain(count.to_string())]);
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        self.say(said, &facts);
        true
    }

    /// Facts of a kernel that differ while those of the file do not, each with its full name.
    fn hidden(&self, kernel: &str) -> Vec<(&'f str, String)> {
        let prefix = format!("kernel.{kernel}.");
        let of = |f: &'f Facts| {
            let all = f.range(prefix.clone()..).map(|(name, _)| name.as_str());
            all.take_while(|name| name.starts_with(&prefix))
        };
        let names: BTreeSet<&'f str> = of(self.a).chain(of(self.b)).collect();
        (names.into_iter())
            .filter(|n| figure(self.a, n).unwrap_or(0.0) != figure(self.b, n).unwrap_or(0.0))
            .map(|n| (&n[prefix.len()..], n.to_owned()))
            .filter(|(fact, _)| figure(self.a, fact) == figure(self.b, fact))
            .collect()
    }
}
