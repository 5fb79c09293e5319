//! The figures of an audit: counted all, listed as far as a person or a program can use them.

use assay_core::view::{AuditedFigure, FigureTotals};

/// Most figures that an audit lists; a campaign may have a hundred thousand.
const MOST: usize = 2000;

/// How a figure came out, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Disagrees,
    Ambiguous,
    NotRecomputed,
    Rounding,
    Agrees,
}

impl Outcome {
    const ALL: [Self; 5] = [
        Self::Disagrees,
        Self::Ambiguous,
        Self::NotRecomputed,
        Self::Rounding,
        Self::Agrees,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Disagrees => "disagrees",
            Self::Ambiguous => "ambiguous",
            Self::NotRecomputed => "not_recomputed",
            Self::Rounding => "rounding",
            Self::Agrees => "agrees",
        }
    }
}

/// Figures that were looked at.
#[derive(Default)]
pub(crate) struct List {
    kept: [Vec<AuditedFigure>; 5],
    counted: [usize; 5],
}

impl List {
    /// Counts a figure; `show` makes what is listed of it, unless enough are.
    pub fn add(&mut self, outcome: Outcome, show: impl FnOnce() -> AuditedFigure) {
        let at = outcome as usize;
        self.counted[at] += 1;
        if self.kept[at].len() < MOST {
            self.kept[at].push(AuditedFigure {
                outcome: outcome.word().into(),
                ..show()
            });
        }
    }

    /// Takes what another list has.
    pub fn extend(&mut self, other: Self) {
        for (at, more) in other.kept.into_iter().enumerate() {
            let room = MOST.saturating_sub(self.kept[at].len());
            self.kept[at].extend(more.into_iter().take(room));
            self.counted[at] += other.counted[at];
        }
    }

    /// What is listed, the worst first, and how many there are of each outcome.
    pub fn finish(self) -> (Vec<AuditedFigure>, FigureTotals) {
        let of = |o: Outcome| self.counted[o as usize];
        let mut totals = FigureTotals {
            agrees: of(Outcome::Agrees),
            rounding: of(Outcome::Rounding),
            disagrees: of(Outcome::Disagrees),
            ambiguous: of(Outcome::Ambiguous),
            not_recomputed: of(Outcome::NotRecomputed),
            left_out: 0,
        };
        let all: usize = Outcome::ALL.into_iter().map(of).sum();
        let listed: Vec<AuditedFigure> = self.kept.into_iter().flatten().take(MOST).collect();
        totals.left_out = all - listed.len();
        (listed, totals)
    }
}

/// A figure without anything said of it yet.
pub(crate) fn figure(
    record: impl Into<String>,
    kind: &str,
    subject: impl Into<String>,
) -> AuditedFigure {
    AuditedFigure {
        record: record.into(),
        place: None,
        kind: kind.into(),
        subject: subject.into(),
        workload: None,
        figure: String::new(),
        unit: "1".into(),
        stated: serde_json::Value::Null,
        printed: None,
        computed: serde_json::Value::Null,
        interval: None,
        outcome: String::new(),
        why: String::new(),
        why_zh: String::new(),
        sources: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_listed_first_and_all_are_counted() {
        let mut list = List::default();
        for i in 0..MOST + 5 {
            list.add(Outcome::Agrees, || figure(i.to_string(), "verdict", "a"));
        }
        list.add(Outcome::Disagrees, || figure("bad", "verdict", "a"));
        let mut more = List::default();
        more.add(Outcome::NotRecomputed, || figure("gone", "verdict", "a"));
        list.extend(more);
        let (figures, totals) = list.finish();
        assert_eq!(figures.len(), MOST);
        let first: Vec<(&str, &str)> = (figures.iter().take(3))
            .map(|f| (f.record.as_str(), f.outcome.as_str()))
            .collect();
        assert_eq!(
            first,
            [
                ("bad", "disagrees"),
                ("gone", "not_recomputed"),
                ("0", "agrees")
            ]
        );
        assert_eq!((totals.agrees, totals.left_out), (MOST + 5, 7));
    }
}
