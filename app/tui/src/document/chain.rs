//! What is known of the chain of accepted steps end to end.

use assay_core::text::inert;
use assay_core::view::ChainView;

use crate::fmt;
use crate::strings::{Strings, fill};
use crate::theme::Role;

/// One text for each thing to say; nothing when the chain was never measured and is not due.
pub fn chain(s: &Strings, c: &ChainView) -> Vec<(String, Role)> {
    let mut out = Vec::new();
    if let Some(m) = &c.latest {
        let ends = [
            inert(&m.to).into_owned(),
            inert(&m.from).into_owned(),
            fmt::ratio(m.ratio),
            fmt::interval(m.interval),
            fmt::ratio(m.promised),
        ];
        let ends = ends.each_ref().map(String::as_str);
        out.push((fill(s.chain_ends, &ends), Role::Plain));
        if m.overstated {
            out.push((format!("! {}", s.chain_overstates), Role::Warn));
        }
        if c.since > 0 && !c.due() {
            let since = c.since.to_string();
            out.push((fill(s.chain_since, &[&since]), Role::Dim));
        }
    }
    if c.due() {
        let since = c.since.to_string();
        out.push((format!("! {}", fill(s.chain_due, &[&since])), Role::Warn));
    }
    out
}

#[cfg(test)]
mod tests {
    use assay_core::view::EndToEndView;

    use super::*;
    use crate::options::Lang;
    use crate::strings::strings;

    #[test]
    fn a_chain_is_shown_when_it_was_measured_or_is_due() {
        let mut c = ChainView {
            from: "naive-o3".into(),
            to: "blocked".into(),
            steps: 3,
            since: 3,
            latest: None,
        };
        let s = strings(Lang::En);
        assert!(chain(s, &c).is_empty());
        c.since = 5;
        let due = chain(s, &c);
        assert!(due[0].0.contains("5 steps since") && due[0].1 == Role::Warn);
        c.since = 0;
        c.latest = Some(EndToEndView {
            id: String::new(),
            at: String::new(),
            from: "naive-o3".into(),
            to: "blocked".into(),
            current: true,
            steps: 5,
            processes: 4,
            ratio: 0.5,
            interval: [0.49, 0.51],
            promised: 0.45,
            promised_interval: [0.44, 0.46],
            overstated: true,
            text: String::new(),
        });
        let said: Vec<String> = chain(s, &c).into_iter().map(|l| l.0).collect();
        assert_eq!(
            said,
            [
                "end to end blocked against naive-o3: 0.500 [0.490-0.510], promised 0.450",
                "! the accepted steps overstate it"
            ]
        );
    }
}
