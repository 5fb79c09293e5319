//! Reports and contexts of the tests.

use assay_core::view::FindingView;
use assay_profile::rules::{Context, Found, Kind, Rules, on_campaign, on_launch, on_pair};
use assay_profile::{Catalog, Counter, Launch, Profile, Scope};

/// A report of one launch with counters by (section, name, figure, unit).
pub fn report(tool: &str, kernel: &str, counters: &[(&str, &str, &str, &str)]) -> Profile {
    let mut profile = Profile::new(tool, "test");
    let mut launch = Launch::new(kernel, Scope::PerKernel);
    for (section, name, raw, unit) in counters {
        launch.push(Counter::read(*section, *name, raw, *unit));
    }
    profile.launches.push(launch);
    Catalog::builtin().name_counters(&mut profile);
    profile
}

/// Figures that no report holds.
pub fn context(figures: &[(&str, f64)]) -> Context {
    let mut context = Context::default();
    context.extend(figures.iter().copied());
    context
}

/// What rules of one file's text find in the only launch of a report.
pub fn tried(rules: &Rules, profile: &Profile, context: &Context) -> Found {
    on_launch(rules, Kind::Audit, profile, &profile.launches[0], context)
}

/// What rules find in the only launches of two reports.
pub fn compared(rules: &Rules, a: &Profile, b: &Profile, context: &Context) -> Found {
    let (x, y) = (&a.launches[0], &b.launches[0]);
    on_pair(rules, Kind::Audit, (a, x), (b, y), context)
}

/// What rules find in a campaign.
pub fn campaign(rules: &Rules, context: &Context) -> Found {
    on_campaign(rules, "variant", context)
}

/// Rules of one file.
pub fn rules(text: &str) -> Rules {
    Rules::load([("r.toml", text)], Catalog::builtin()).unwrap_or_else(|e| panic!("{e}"))
}

/// The only finding.
pub fn only(found: Found) -> FindingView {
    match found.findings.as_slice() {
        [one] => one.clone(),
        other => panic!("expected one finding, found {other:#?}"),
    }
}
