//! The champion curve: the time of each accepted version, parents before children.

use assay_core::view::{ListView, VariantRow};

use crate::lineage;

/// An accepted version.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// Its median in nanoseconds, where there is one.
    pub ns: Option<f64>,
    /// The figure was published, not measured here.
    pub published: bool,
    /// Its time / the time of what it was measured against.
    pub ratio: Option<f64>,
}

/// The accepted versions; where none was accepted of what was published, all that have a time.
/// `median` is what is shown of a variant.
pub fn points(list: &ListView, median: impl Fn(&VariantRow) -> Option<f64>) -> Vec<Point> {
    let accepted = |v: &VariantRow| {
        let holds = matches!(v.status.as_str(), "champion" | "accepted" | "contested");
        let kind = v.decision.as_ref().map(|d| d.kind.as_str());
        holds || matches!(kind, Some("accept" | "rollback"))
    };
    let any = list.variants.iter().any(accepted);
    let of = |v: &VariantRow| Point {
        name: v.name.clone(),
        ns: median(v),
        published: !v.published.is_empty(),
        ratio: v.ratio,
    };
    let order = lineage::order(&list.variants);
    (order.iter().map(|n| &list.variants[n.index]))
        .filter(|v| accepted(v) || (!any && !v.published.is_empty()))
        .map(of)
        .filter(|p| any || p.ns.is_some())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::row;
    use assay_core::view::DecisionView;

    #[test]
    fn accepted_versions_are_on_the_curve_or_all_that_were_published() {
        let timed = |name: &str, parent: Option<&str>, ns: f64| {
            let mut v = row(name, parent);
            v.median_ns.insert("w".into(), ns);
            v
        };
        let mut list = ListView {
            schema: String::new(),
            campaign: String::new(),
            device: None,
            champion: None,
            contested: Vec::new(),
            workloads: vec!["w".into()],
            variants: vec![
                timed("base", None, 3.0),
                timed("other", Some("base"), 4.0),
                row("new", Some("base")),
                timed("fast", Some("base"), 2.0),
            ],
            chain: None,
            unreadable: 0,
            damaged: 0,
            read_only: false,
            others: Vec::new(),
        };
        let names = |l: &ListView| -> Vec<String> {
            let all = points(l, |v| v.median_ns.get("w").copied());
            all.into_iter().map(|p| p.name).collect()
        };
        assert!(
            names(&list).is_empty(),
            "nothing measured is a champion by itself"
        );
        for at in [0, 1, 3] {
            list.variants[at].published = vec!["w".into()];
        }
        assert_eq!(names(&list), ["base", "other", "fast"]);
        let decision = |kind: &str| DecisionView {
            kind: kind.into(),
            reason: String::new(),
            by: String::new(),
            decided_by: "person".into(),
            at: String::new(),
        };
        list.variants[0].decision = Some(decision("accept"));
        list.variants[1].decision = Some(decision("reject"));
        list.variants[3].decision = Some(decision("accept"));
        assert_eq!(names(&list), ["base", "fast"]);
    }
}
