//! The champion beside each reference, median by median: no verdict follows from it.

use std::collections::BTreeMap;

use crate::ReportModel;
use crate::doc::{Doc, Line};
use crate::figure::{self, NONE};
use crate::strings::{Strings, fill};

/// Times of a reference / times of the champion, above 1 where the champion is faster.
pub(crate) struct Beside<'m> {
    /// The reference.
    pub name: &'m str,
    /// On each workload of the campaign, in order.
    pub ratios: Vec<Option<f64>>,
}

impl Beside<'_> {
    fn known(&self) -> impl Iterator<Item = f64> + '_ {
        let known = self.ratios.iter().flatten().copied();
        known.filter(|r| r.is_finite() && *r > 0.0)
    }

    /// Workloads that both have a time of.
    pub(crate) fn matched(&self) -> usize {
        self.known().count()
    }

    /// Workloads on which the champion takes less time, and on which it takes more.
    pub(crate) fn wins(&self) -> [usize; 2] {
        let faster = self.known().filter(|r| *r > 1.0).count();
        [faster, self.known().filter(|r| *r < 1.0).count()]
    }

    /// Geometric mean, each workload counted once.
    pub(crate) fn mean(&self) -> Option<f64> {
        let (sum, n) = self.known().fold((0.0, 0), |(s, n), r| (s + r.ln(), n + 1));
        (n > 0).then(|| (sum / f64::from(n)).exp())
    }

    /// The least, the middle and the greatest.
    pub(crate) fn spread(&self) -> Option<[f64; 3]> {
        let mut all: Vec<f64> = self.known().collect();
        all.sort_by(f64::total_cmp);
        let (first, last) = (*all.first()?, *all.last()?);
        let middle = match all.len() % 2 {
            1 => all[all.len() / 2],
            _ => (all[all.len() / 2 - 1] + all[all.len() / 2]) / 2.0,
        };
        Some([first, middle, last])
    }
}

/// The champion beside each baseline; empty where there is no champion.
pub(crate) fn beside(m: &ReportModel) -> Vec<Beside<'_>> {
    let champion = m.list.champion.as_ref();
    let champion = champion.and_then(|name| m.list.variants.iter().find(|v| v.name == *name));
    let Some(own) = champion.map(|v| &v.median_ns) else {
        return Vec::new();
    };
    let ratio = |medians: &BTreeMap<String, f64>, w: &String| Some(medians.get(w)? / own.get(w)?);
    let all = m.task.baselines.iter().map(|b| Beside {
        name: &b.name,
        ratios: (m.list.workloads.iter())
            .map(|w| ratio(&b.median_ns, w))
            .collect(),
    });
    all.collect()
}

/// Every ratio, then what they come to.
pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    let Some(champion) = m.list.champion.as_deref() else {
        return;
    };
    let all = beside(m);
    if all.is_empty() {
        out.paragraph(s.rf_no_reference);
        return;
    }
    out.paragraph(fill(s.rf_distance, &[Line::outside(champion)]));
    let mut head: Vec<Line> = vec![s.workload.into()];
    head.extend(all.iter().map(|b| Line::outside(b.name)));
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for (i, w) in m.list.workloads.iter().enumerate() {
        let mut row = vec![Line::outside(w)];
        let ratios = all.iter().map(|b| b.ratios.get(i).copied().flatten());
        row.extend(ratios.map(|r| Line::own(figure::ratio(r))));
        rows.push(row);
    }
    let ratio = |r: f64| figure::ratio(Some(r));
    let mut row = |title: &'static str, cell: &dyn Fn(&Beside) -> Option<String>| {
        let mut row = vec![Line::from(title)];
        let cells = all
            .iter()
            .map(|b| cell(b).map_or_else(|| NONE.into(), Line::own));
        row.extend(cells);
        rows.push(row);
    };
    row(s.rf_mean, &|b| {
        Some(format!("{} ({})", ratio(b.mean()?), b.matched()))
    });
    let is_many = all.iter().any(|b| b.matched() > 1);
    if is_many {
        row(s.rf_middle, &|b| {
            b.spread().map(|[_, middle, _]| ratio(middle))
        });
        row(s.rf_range, &|b| {
            let [low, _, high] = b.spread()?;
            Some(format!("{} .. {}", ratio(low), ratio(high)))
        });
    }
    row(s.rf_wins, &|b| {
        let [faster, slower] = b.wins();
        Some(format!("{faster} / {slower}"))
    });
    let right: Vec<usize> = (1..head.len()).collect();
    out.table(head, &right, rows);
}
