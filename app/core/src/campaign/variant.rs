//! The file `variant.toml`: what a variant sets without changing source.

use super::doc::{Doc, Fault, describe, entries, one_of, short, suggestion};
use super::keys::table;
use super::section::{Section, child, params};
use super::tables::VARIANT_TABLES;
use super::walk::walk;
use super::{ConfigError, Params};

/// Parameters and flags of a variant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantFile {
    /// The parameters that it sets.
    pub params: Params,
    /// Flags to add to the compiler's; may be empty.
    pub flags: String,
}

impl VariantFile {
    /// Reads `variant.toml` against the parameters that the campaign declares.
    ///
    /// # Errors
    /// Lists everything that is wrong: unknown keys and parameters, and values of another type
    /// than the default's.
    pub fn parse(text: &str, file_label: &str, declared: &Params) -> Result<Self, ConfigError> {
        let mut doc = Doc::new(text, file_label);
        let root = doc.read();
        if !doc.is_clean() {
            return Err(doc.into_error());
        }
        walk(&mut doc, VARIANT_TABLES, &root);
        let params = params(child(&root, "params"));
        for (key, value) in child(&root, "params").map(entries).unwrap_or_default() {
            let name: &str = key.get_ref();
            let context = format!("params.{}", short(name));
            match (declared.get(name), params.get(name)) {
                (None, _) => {
                    let known: Vec<&str> = declared.keys().map(String::as_str).collect();
                    let expected = match known.as_slice() {
                        [] => "no parameters, because the campaign declares none".to_owned(),
                        some => one_of(some),
                    };
                    let found = format!("unknown parameter `{}`", short(name));
                    let fault = Fault::new(found, expected).hint(suggestion(name, &known));
                    doc.problem(key.span().start, "params", fault);
                }
                (Some(default), Some(given)) if default.type_name() != given.type_name() => {
                    let expected = format!("{} like the default {default}", default.type_name());
                    doc.fault(
                        value,
                        context,
                        Fault::new(describe(value.get_ref()), expected),
                    );
                }
                _ => {}
            }
        }
        if !doc.is_clean() {
            return Err(doc.into_error());
        }
        let layers = child(&root, "build").into_iter().collect();
        let build = Section {
            def: table(VARIANT_TABLES, "build"),
            layers,
        };
        Ok(Self {
            params,
            flags: build.text("flags"),
        })
    }

    /// The campaign's parameters with this file's values over them.
    pub fn effective(&self, declared: &Params) -> Params {
        let mut all = declared.clone();
        all.extend(self.params.iter().map(|(k, v)| (k.clone(), v.clone())));
        all
    }
}
