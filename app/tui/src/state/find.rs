//! Searching in a text or a list: what is looked for, which rows hold it, which one is looked at.

use super::{Layer, Screen, State};
use crate::layout;
use crate::strings::{Strings, fill};

/// A search.
#[derive(Debug, Clone, Default)]
pub struct Find {
    /// What is looked for; empty while nothing is.
    pub query: String,
    /// Rows that hold it.
    pub hits: Vec<usize>,
    /// The one of them that is looked at.
    pub at: usize,
    /// What the rows were made from when they were looked through.
    stamp: u64,
}

impl Find {
    /// Whether something is looked for.
    pub fn is_on(&self) -> bool {
        !self.query.is_empty()
    }

    /// The row that is looked at.
    pub fn row(&self) -> Option<usize> {
        self.hits.get(self.at).copied()
    }

    /// Whether a row holds what is looked for.
    pub fn holds(&self, row: usize) -> bool {
        self.hits.binary_search(&row).is_ok()
    }

    /// Goes to another match, around the end.
    pub fn step(&mut self, by: isize) -> Option<usize> {
        let n = self.hits.len() as isize;
        if n > 0 {
            self.at = (self.at as isize + by).rem_euclid(n) as usize;
        }
        self.row()
    }

    /// Which match of how many.
    pub fn count(&self, s: &Strings) -> String {
        let at = if self.hits.is_empty() { 0 } else { self.at + 1 };
        fill(s.matches, &[&at.to_string(), &self.hits.len().to_string()])
    }

    /// What stands in a title while something is looked for.
    pub fn remark(&self, s: &Strings) -> String {
        match self.is_on() {
            true => format!(
                "/{} {}",
                assay_core::text::inert(&self.query),
                self.count(s)
            ),
            false => String::new(),
        }
    }
}

/// What can be searched.
pub trait Searched {
    /// The search.
    fn find(&self) -> &Find;
    /// The search, to be changed.
    fn find_mut(&mut self) -> &mut Find;
    /// Rows that hold `query`, which is in small letters.
    fn hits(&self, query: &str) -> Vec<usize>;
    /// Changes when the rows are made anew.
    fn stamp(&self) -> u64;
    /// What is in view.
    fn place(&self) -> usize;
    /// Goes back to what was in view.
    fn go_back(&mut self, place: usize);
    /// Brings a row into view.
    fn show(&mut self, row: usize);

    /// The match to begin with: the first from what is in view on.
    fn first(&self, hits: &[usize]) -> usize {
        let from = self.place();
        hits.iter().position(|h| *h >= from).unwrap_or(0)
    }

    /// Looks for another text, from what is in view on.
    fn look_for(&mut self, query: &str) {
        let query = query.trim();
        let hits = match query.is_empty() {
            true => Vec::new(),
            false => self.hits(&query.to_lowercase()),
        };
        let (at, stamp) = (self.first(&hits), self.stamp());
        *self.find_mut() = Find {
            query: query.to_owned(),
            hits,
            at,
            stamp,
        };
        if let Some(row) = self.find().row() {
            self.show(row);
        }
    }

    /// Looks through rows that were made anew; what is in view stays.
    fn look_again(&mut self) {
        let (find, stamp) = (self.find(), self.stamp());
        if !find.is_on() || find.stamp == stamp {
            return;
        }
        let hits = self.hits(&find.query.to_lowercase());
        let find = self.find_mut();
        find.at = find.at.min(hits.len().saturating_sub(1));
        (find.hits, find.stamp) = (hits, stamp);
    }
}

/// Rows above a match that stay in view, by which it is understood.
pub const ABOVE: usize = 4;

/// Rows that hold a text, in any case of letters.
pub fn plain_hits<T: AsRef<str>>(texts: impl Iterator<Item = T>, query: &str) -> Vec<usize> {
    let held = texts.map(|t| t.as_ref().to_lowercase().contains(query));
    held.enumerate()
        .filter_map(|(i, h)| h.then_some(i))
        .collect()
}

/// The same for rows into which a longer text was wrapped, at a blank or, in Chinese, at none.
pub fn wrapped_hits(texts: impl Iterator<Item = String>, query: &str) -> Vec<usize> {
    let texts: Vec<String> = texts.map(|t| t.to_lowercase()).collect();
    let found = |i: usize| {
        let here = &texts[i];
        if here.contains(query) {
            return true;
        }
        let Some(next) = texts.get(i + 1).filter(|n| !n.contains(query)) else {
            return false;
        };
        let (here, next) = (here.trim(), next.trim());
        [" ", ""]
            .iter()
            .any(|by| format!("{here}{by}{next}").contains(query))
    };
    (0..texts.len()).filter(|i| found(*i)).collect()
}

impl State {
    /// How many layers lie over what is searched: the line of the search itself does not count.
    fn over(&self) -> usize {
        match self.layers.last() {
            Some(Layer::Search { .. }) => self.layers.len() - 1,
            _ => self.layers.len(),
        }
    }

    /// Whether findings and roofline take the place of the counters.
    fn findings_alone(&self) -> bool {
        let body = layout::areas(self.size).body;
        layout::profile(body, self.profile.side).table.is_none()
    }

    /// What a search goes through now.
    pub fn searched(&self) -> Option<&dyn Searched> {
        if let Some(layer) = self.layers[..self.over()].last() {
            return layer.text().map(|d| d as &dyn Searched);
        }
        Some(match self.screen {
            Screen::Variants if self.variants.detail_full => &self.variants.detail,
            Screen::Compare => &self.compare.doc,
            Screen::Source => &self.source,
            Screen::Jobs => &self.jobs,
            Screen::History => &self.history,
            Screen::Workloads => &self.workloads,
            Screen::Report => &self.report,
            Screen::Profile if self.findings_alone() => &self.profile.doc,
            // These are narrowed down by their filters.
            Screen::Variants | Screen::Profile => return None,
        })
    }

    /// The same, to be changed.
    pub fn searched_mut(&mut self) -> Option<&mut dyn Searched> {
        let (over, alone) = (self.over(), self.findings_alone());
        if let Some(layer) = self.layers[..over].last_mut() {
            return layer.doc().map(|d| d as &mut dyn Searched);
        }
        Some(match self.screen {
            Screen::Variants if self.variants.detail_full => &mut self.variants.detail,
            Screen::Compare => &mut self.compare.doc,
            Screen::Source => &mut self.source,
            Screen::Jobs => &mut self.jobs,
            Screen::History => &mut self.history,
            Screen::Workloads => &mut self.workloads,
            Screen::Report => &mut self.report,
            Screen::Profile if alone => &mut self.profile.doc,
            Screen::Variants | Screen::Profile => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_go_around_and_cross_a_wrap() {
        let texts = ["one tile", "two words", "of three", "tile"];
        let all = || texts.iter().map(|t| (*t).to_owned());
        assert_eq!(plain_hits(texts.iter(), "tile"), [0, 3]);
        assert_eq!(wrapped_hits(all(), "words of"), [1]);
        assert_eq!(wrapped_hits(all(), "tile"), [0, 3]);
        let mut f = Find {
            query: "tile".into(),
            hits: vec![0, 3],
            ..Find::default()
        };
        assert_eq!(
            (f.step(1), f.step(1), f.step(-1)),
            (Some(3), Some(0), Some(3))
        );
        assert!(f.holds(3) && !f.holds(1));
    }
}
