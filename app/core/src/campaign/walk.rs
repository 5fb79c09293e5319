//! Checks a whole file against the table of keys.

use toml::de::{DeTable, DeValue};

use super::doc::{Doc, Fault, Value, describe, entries, one_of, short, suggestion};
use super::keys::{Kind, Table, table};
use super::kinds;

/// Checks every key and value of `root` and notes what is wrong.
pub(super) fn walk(doc: &mut Doc<'_>, tables: &'static [Table], root: &DeTable<'_>) {
    let walker = Walker { tables };
    if let Some(def) = table(tables, "") {
        walker.table(doc, def, root, 0, "", false);
    }
}

struct Walker {
    tables: &'static [Table],
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

impl Walker {
    /// `at` is where a missing key is reported; in an override nothing is required.
    fn table(
        &self,
        doc: &mut Doc<'_>,
        def: &'static Table,
        table: &DeTable<'_>,
        at: usize,
        path: &str,
        overriding: bool,
    ) {
        for (key, value) in entries(table) {
            let name: &str = key.get_ref();
            let Some(known) = def.key(name) else {
                let names: Vec<&str> = def.keys.iter().map(|k| k.name).collect();
                let found = format!("unknown key `{}`", short(name));
                let fault = Fault::new(found, one_of(&names)).hint(suggestion(name, &names));
                doc.problem(key.span().start, path, fault);
                continue;
            };
            self.value(
                doc,
                known.kind,
                value,
                key.span().start,
                &join(path, name),
                overriding,
            );
        }
        if overriding {
            return;
        }
        for key in def
            .keys
            .iter()
            .filter(|k| k.required && !table.contains_key(k.name))
        {
            let what = match key.kind {
                Kind::Table(_) => format!("a table [{}]", join(path, key.name)),
                Kind::Tables { .. } => format!("a table [[{}]]", join(path, key.name)),
                _ => format!("the key `{}`", key.name),
            };
            doc.problem(at, path, Fault::new("none", what));
        }
    }

    fn value(
        &self,
        doc: &mut Doc<'_>,
        kind: Kind,
        value: &Value<'_>,
        at: usize,
        path: &str,
        overriding: bool,
    ) {
        if let Err(fault) = kinds::check(kind, value.get_ref()) {
            doc.fault(value, path, fault);
            return;
        }
        match (kind, value.get_ref()) {
            (Kind::Table(def), DeValue::Table(t)) => {
                if let Some(def) = table(self.tables, def) {
                    self.table(doc, def, t, at, path, overriding);
                }
            }
            (Kind::Tables { path: def, least }, DeValue::Array(items)) => {
                if items.len() < least {
                    doc.fault(
                        value,
                        path,
                        Fault::new(
                            "an empty array",
                            format!("at least {least} table [[{path}]]"),
                        ),
                    );
                }
                for item in items.iter() {
                    match (item.get_ref(), table(self.tables, def)) {
                        (DeValue::Table(t), Some(def)) => {
                            self.table(doc, def, t, item.span().start, path, false);
                        }
                        (other, _) => doc.fault(item, path, Fault::new(describe(other), "a table")),
                    }
                }
            }
            (Kind::Named(def), DeValue::Table(t)) => {
                for (key, inner) in entries(t) {
                    let path = join(path, &short(key.get_ref()));
                    if let Err(fault) = kinds::slug(key.get_ref()) {
                        doc.problem(key.span().start, path.as_str(), fault);
                    }
                    match (inner.get_ref(), table(self.tables, def)) {
                        (DeValue::Table(t), Some(def)) => {
                            self.table(doc, def, t, key.span().start, &path, true)
                        }
                        (other, _) => {
                            doc.fault(inner, path, Fault::new(describe(other), "a table"))
                        }
                    }
                }
            }
            (Kind::Formulas | Kind::Dims | Kind::Params, DeValue::Table(t)) => {
                for (key, inner) in entries(t) {
                    let path = join(path, &short(key.get_ref()));
                    if let Err(fault) = kinds::name(key.get_ref()) {
                        doc.problem(key.span().start, path.as_str(), fault);
                    }
                    let checked = match kind {
                        Kind::Formulas => kinds::check(Kind::Formula, inner.get_ref()),
                        Kind::Dims => kinds::dim(inner.get_ref()),
                        _ => kinds::param(inner.get_ref()),
                    };
                    if let Err(fault) = checked {
                        doc.fault(inner, path, fault);
                    }
                }
            }
            _ => {}
        }
    }
}
