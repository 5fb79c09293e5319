//! The page of the Report screen: the checks, then the write-up.

use assay_core::text::{inert, inert_block};

use super::page::{Page, marked};
use super::parts::Pen;
use crate::backend::{ReportChecks, RuleLine};
use crate::state::Report;
use crate::strings::{Strings, fill};
use crate::theme::Role;

/// Findings of a rule that stand on the page; the others are counted.
const SHOWN: usize = 2;

/// Lays the page out.
pub fn page(pen: &Pen, r: &Report) -> Page {
    let mut page = Page::default();
    let Some(written) = &r.slot.value else {
        return page;
    };
    checks(pen, r, &mut page);
    page.blocks(pen, &written.blocks);
    if !written.whole {
        page.flow(pen.line(pen.s.report_cut, Role::Warn));
    }
    page
}

/// How many rules are kept, broken and open, e.g. `8 ok, 1 FAILED, 2 unknown`.
pub fn tally(s: &'static Strings, checks: &ReportChecks) -> String {
    let count = |holds| checks.rules.iter().filter(|r| r.holds == holds).count();
    let of = |holds| fill("{0} {1}", &[&count(holds).to_string(), word(s, holds).0]);
    [Some(true), Some(false), None].map(of).join(", ")
}

/// The word of an outcome and its look.
fn word(s: &'static Strings, holds: Option<bool>) -> (&'static str, Role) {
    match holds {
        Some(true) => (s.check_ok, Role::Good),
        Some(false) => (s.check_failed, Role::Bad),
        None => (s.check_unknown, Role::Warn),
    }
}

fn checks(pen: &Pen, r: &Report, page: &mut Page) {
    let s = pen.s;
    page.heading(pen, 2, s.checks);
    if let Some(e) = &r.checks.error {
        for l in inert_block(&pen.lang.said_lines(e)).lines() {
            page.prose(pen, &super::page::unmarked(l), ("", ""), Role::Bad);
        }
    }
    let Some(checks) = &r.checks.value else {
        if r.checks.loading {
            page.flow(pen.line(s.checking, Role::Dim));
        }
        return;
    };
    let room = [s.check_ok, s.check_failed, s.check_unknown].map(assay_core::text::width);
    let room = room.into_iter().max().unwrap_or(0) + 1;
    for rule in &checks.rules {
        one(pen, page, rule, room);
    }
    page.flow(pen.line(s.checks_hint, Role::Dim));
}

fn one(pen: &Pen, page: &mut Page, rule: &RuleLine, room: usize) {
    let (word, role) = word(pen.s, rule.holds);
    let (head, next) = (pen.theme.left(word, room), " ".repeat(room));
    let from = page.rows.len();
    page.prose(pen, &marked(&rule.text), (&head, &next), Role::Plain);
    if let Some(super::page::Row::Flow(line)) = page.rows.get_mut(from)
        && let Some(span) = line.spans.first_mut()
    {
        span.style = pen.theme.style(role);
    }
    for f in rule.found.iter().take(SHOWN) {
        page.prose(pen, &marked(f), (&next, &next), Role::Dim);
    }
    if rule.found.len() > SHOWN {
        let more = fill(pen.s.more_found, &[&(rule.found.len() - SHOWN).to_string()]);
        page.flow(pen.line(&format!("{next}{more}"), Role::Dim));
    }
}

/// Each rule with all that was found.
pub fn checks_text(s: &'static Strings, checks: &ReportChecks) -> String {
    let mut out = String::new();
    for r in &checks.rules {
        out.push_str(&format!("{}: {}\n", word(s, r.holds).0, inert(&r.text)));
        for f in &r.found {
            out.push_str(&format!("    {}\n", inert(f)));
        }
    }
    out
}
