//! What stands beside a verdict: a ranking, and the chain of accepted steps.

use assay_core::text::inert;
use assay_core::units::format_percent;
use assay_core::view::{ChainView, ScreenedView, ScreeningView};

use super::change;
use super::table::{Align, Table};

/// A ranking, fastest first.
pub fn ranking(v: &ScreeningView) -> String {
    let mut t = Table::default()
        .column("rank", Align::Right, 4)
        .column("variant", Align::Left, 32)
        .column("ratio [90 % interval]", Align::Whole, 24)
        .column("fate", Align::Left, 9)
        .column("why", Align::Left, 72);
    for (i, r) in v.ranking.iter().enumerate() {
        t.row([
            (i + 1).to_string().as_str(),
            &r.name,
            &change::ratio(r.ratio, r.interval),
            &r.fate,
            &r.why,
        ]);
    }
    let spread = match v.process_sd {
        Some(sd) => format!(
            "intervals hold {:.2} % from process to process, as calibrated",
            sd * 100.0
        ),
        None => "the machine is not calibrated: intervals lack what differs from process to process, and are too narrow".into(),
    };
    let mut out = format!(
        "screened against {}: one process of {} blocks each, delta {}\n\n{}\nratio: time / time of {}, below 1 is faster; a ranking and no verdict\n{spread}\n",
        inert(&v.incumbent),
        v.blocks,
        format_percent(v.delta),
        t.render(),
        inert(&v.incumbent)
    );
    for (name, why) in &v.failed {
        out.push_str(&format!("not measured: {}: {}\n", inert(name), inert(why)));
    }
    if v.ranking.iter().any(|r| r.fate == "spare") {
        out.push_str("spare: confirm it with `assay run NAME` when there is time\n");
    }
    out
}

/// How a variant was screened, in one line.
pub fn screened(s: &ScreenedView) -> String {
    let fate = s.fate.as_deref().unwrap_or("not ranked");
    format!(
        "{fate}: {} of {} in one process of {} blocks (90 % interval; no verdict): {}",
        change::ratio(s.ratio, s.interval),
        s.against,
        s.blocks,
        s.why
    )
}

/// What is known of the chain of accepted steps end to end; nothing when there is nothing to say.
pub fn chain(c: &ChainView) -> String {
    let mut out = String::new();
    if let Some(measured) = c.measured() {
        out.push_str(&format!("chain: {}\n", inert(&measured)));
    }
    for w in c.warnings() {
        out.push_str(&format!("warning: {}\n", inert(&w)));
    }
    out
}
