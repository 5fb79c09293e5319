//! Whether every name in a formula is declared, once, for every workload.

use toml::de::DeTable;

use super::doc::{Doc, Fault, entries, key_place};
use super::resolve::{DTYPE_BYTES, dtype_bytes};
use super::section::{child, children};
use super::{ParamValue, Params, Workload};
use crate::expr::Expr;

/// Notes names that are unknown, declared twice, or missing for a workload.
pub(super) fn check(
    doc: &mut Doc<'_>,
    root: &DeTable<'_>,
    dims: &[(String, Expr)],
    workloads: &[Workload],
    params: &Params,
) {
    let mut known: Vec<&str> = Vec::new();
    let tables = children(root, "workload");
    let tables = tables.iter().filter_map(|(_, t)| child(t, "dims"));
    for (key, _) in tables.flat_map(entries) {
        if !known.contains(&key.get_ref().as_ref()) {
            known.push(key.get_ref());
        }
    }
    let declared = known.clone();
    if let Some(t) = child(root, "params") {
        for (key, _) in entries(t) {
            let name: &str = key.get_ref();
            if declared.contains(&name) {
                twice(doc, key.span().start, "params", name, "a dim of a workload");
            }
        }
    }
    if let Some(t) = child(root, "params") {
        // A parameter whose value could not be read was reported, and is no unknown name.
        let numeric = |n: &&str| matches!(params.get(*n), None | Some(ParamValue::Number(_)));
        known.extend(t.keys().map(|k| k.get_ref().as_ref()).filter(numeric));
    }
    known.push(DTYPE_BYTES);
    let check = |doc: &mut Doc<'_>, section: &str, key: &str, expr: &Expr, known: &[&str]| {
        let value = child(root, section).and_then(|t| t.get(key));
        if let (Err(e), Some(value)) = (expr.check_names(known), value) {
            doc.fault(value, format!("{section}.{key}"), Fault::from(e));
        }
        present(doc, root, expr, &declared, workloads);
    };
    for (name, expr) in dims {
        check(doc, "dims", name, expr, &known);
        let other = if declared.contains(&name.as_str()) {
            Some("a dim of a workload")
        } else if params.contains_key(name) {
            Some("a parameter")
        } else {
            None
        };
        let at = child(root, "dims").and_then(|t| key_place(t, name));
        if let (Some(other), Some(at)) = (other, at) {
            twice(doc, at, "dims", name, other);
        }
        known.push(name);
    }
    for key in [
        "flops",
        "bytes",
        "outputs",
        "ops_per_output",
        "groups",
        "published_flops",
    ] {
        let text = child(root, "formulas").and_then(|t| t.get(key)?.get_ref().as_str());
        if let Some(expr) = text.and_then(|t| Expr::parse(t).ok()) {
            check(doc, "formulas", key, &expr, &known);
        }
    }
}

fn twice(doc: &mut Doc<'_>, at: usize, section: &str, name: &str, other: &str) {
    let found = format!("`{name}`, which is also {other}");
    doc.problem(
        at,
        section,
        Fault::new(found, "a name that means one thing"),
    );
}

/// Notes workloads that lack a dim which others declare and a formula uses.
fn present(
    doc: &mut Doc<'_>,
    root: &DeTable<'_>,
    expr: &Expr,
    declared: &[&str],
    workloads: &[Workload],
) {
    let tables = children(root, "workload");
    let names = expr.names();
    for (workload, (place, t)) in workloads.iter().zip(tables) {
        let at = key_place(t, "dims").unwrap_or(place);
        for (name, _) in &names {
            let has = child(t, "dims").is_some_and(|d| d.contains_key(*name));
            if declared.contains(name) && !has {
                let fault = Fault::new("none", format!("the dim `{name}`, which formulas use"));
                doc.problem(at, format!("workload `{}`", workload.name), fault);
            }
            if *name == DTYPE_BYTES && dtype_bytes(&workload.dtype).is_none() {
                let fault = Fault::new(
                    format!("`{}`", workload.dtype),
                    format!("a dtype of known size, because formulas use {DTYPE_BYTES}"),
                );
                let at = key_place(t, "dtype").unwrap_or(place);
                doc.problem(at, format!("workload `{}`", workload.name), fault);
            }
        }
    }
}
