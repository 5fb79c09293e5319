//! A column of bandwidths that counts other bytes than the formula of the campaign: one finding for the
//! column, because what is wrong with it is no single figure.

use assay_core::view::FindingView;
use assay_profile::claims::{Held, Outcome};

use super::provenance::finding;

/// Rows from which on figures are a column, and not slips of one or two.
const LEAST: usize = 3;

/// Factors between which another count of bytes is likely; beyond, a unit is wrong.
const LIKELY: std::ops::Range<f64> = 0.2..5.0;

/// What a table's bandwidths come to against the bytes of the formula; nothing where most agree.
///
/// `held` are the figures of a column called `figure`.
pub fn of_column(subject: &str, figure: &str, held: &[&Held]) -> Option<FindingView> {
    let mut factors: Vec<(f64, &str)> = (held.iter())
        .filter(|h| h.outcome == Outcome::Disagrees)
        .filter_map(|h| {
            let factor = h.stated? / h.computed.filter(|c| *c > 0.0)?;
            let row = h.rows.first()?.split(" · ").next().unwrap_or_default();
            LIKELY.contains(&factor).then_some((factor, row))
        })
        .collect();
    if factors.len() < LEAST || factors.len() * 2 < held.len() {
        return None;
    }
    factors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
    let (lowest, highest) = (factors.first()?.0, factors.last()?.0);
    // Rows of one count of bytes have one factor, as far as their digits tell.
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (factor, row) in &factors {
        let text = format!("{factor:.2}");
        match groups.last_mut().filter(|g| g.0 == text) {
            Some(group) => group.1.push(row),
            None => groups.push((text, vec![row])),
        }
    }
    let list = |x: &str, of: &str| {
        let one = |(factor, rows): &(String, Vec<&str>)| match rows.as_slice() {
            [row] => format!("{factor}{x} {of}{row}"),
            rows => format!("{factor}{x} {of}{} ({})", rows.len(), rows.join(", ")),
        };
        groups.iter().map(one).collect::<Vec<_>>()
    };
    let n = factors.len();
    let all = held.len();
    let one = groups.len() == 1;
    let (kinds, kinds_zh) = match one {
        true => (
            "one factor: the whole column counts other bytes",
            "倍数一致：整列统计的是另一种字节数",
        ),
        false => (
            "no one factor: another model of traffic, which differs from row to row",
            "倍数不一致：使用了另一种访存模型，且各行不同",
        ),
    };
    let found = finding(
        "bandwidth-traffic-model",
        "warning",
        &format!("{subject}: {figure}"),
        [
            &format!(
                "{n} of {all} bandwidths are {lowest:.3}x to {highest:.3}x what the bytes of the formula in the published time make; {kinds}: {}",
                list("x", "on ").join("; ")
            ),
            &format!(
                "{all} 个带宽中有 {n} 个是按公式字节数与发布时间所得的 {lowest:.3} 至 {highest:.3} 倍；{kinds_zh}：{}",
                list(" 倍 ", "").join("；")
            ),
        ],
        [
            "say which bytes the column counts: the least, what the mapping reads again, or what counters saw; do not set it beside a bandwidth of another count",
            "说明该列统计的是哪种字节数：最少访存、映射造成的重复读取，或计数器所见；不要与按其他口径的带宽并列",
        ],
        &format!("factors {lowest:.4} to {highest:.4}"),
    );
    Some(FindingView {
        source: "a published review: a column of estimated traffic beside a formula of the least"
            .into(),
        source_zh: "一份公开的复盘：估计访存量一列与最小访存公式并列".into(),
        ..found
    })
}
