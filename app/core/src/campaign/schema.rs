//! The JSON schema and the reference page, from the table of keys.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::keys::{Key, Kind, Table};
use super::settings::SETTINGS_TABLES;
use super::tables::{SCHEMA, TABLES, VARIANT_TABLES};

/// The JSON schema (draft 2020-12) of `assay.toml`, for editors.
pub fn schema() -> Value {
    document(TABLES, SCHEMA, "Assay campaign file (assay.toml)")
}

/// The JSON schema (draft 2020-12) of `variant.toml`.
pub fn variant_schema() -> Value {
    document(
        VARIANT_TABLES,
        "assay.variant/1",
        "Assay variant file (variant.toml)",
    )
}

/// The JSON schema (draft 2020-12) of `tui.toml`.
pub fn settings_schema() -> Value {
    document(
        SETTINGS_TABLES,
        "assay.tui/1",
        "Settings of the terminal interface of Assay (tui.toml)",
    )
}

fn document(tables: &[Table], id: &str, title: &str) -> Value {
    let mut defs = Map::new();
    let mut root = json!({});
    for table in tables {
        let object = object(table, true);
        if table.path.is_empty() {
            root = object;
        } else {
            defs.insert(table.path.to_owned(), object);
            // In a target nothing is required, because the stage itself has it.
            defs.insert(
                format!("{}.override", table.path),
                self::object(table, false),
            );
        }
    }
    if let Some(o) = root.as_object_mut() {
        o.insert(
            "$schema".into(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        o.insert("$id".into(), json!(format!("urn:{}", id.replace('/', ":"))));
        o.insert("title".into(), json!(title));
        o.insert("$defs".into(), Value::Object(defs));
    }
    root
}

fn object(table: &Table, strict: bool) -> Value {
    let within_target = table.path == "target.NAME" || !strict;
    let mut properties = Map::new();
    for key in table.keys {
        let mut value = kind(key.kind, within_target);
        if let Some(o) = value.as_object_mut() {
            o.insert("description".into(), json!(key.doc));
            if let Some(default) = default(key) {
                o.insert("default".into(), default);
            }
        }
        properties.insert(key.name.to_owned(), value);
    }
    let mut out = json!({
        "type": "object",
        "description": table.doc,
        "additionalProperties": false,
        "properties": properties,
    });
    let required: Vec<&str> = table
        .keys
        .iter()
        .filter(|k| k.required)
        .map(|k| k.name)
        .collect();
    if let Some(o) = out.as_object_mut()
        && strict
        && !required.is_empty()
    {
        o.insert("required".into(), json!(required));
    }
    out
}

fn default(key: &Key) -> Option<Value> {
    let text = key.default?;
    Some(match key.kind {
        Kind::Count { .. } | Kind::Positive | Kind::Flag => serde_json::from_str(text).ok()?,
        Kind::Paths { .. } | Kind::Texts { .. } | Kind::Variables if text.is_empty() => json!([]),
        Kind::Paths { .. } | Kind::Texts { .. } | Kind::Variables => json!([text]),
        _ => json!(text),
    })
}

fn kind(kind: Kind, within_target: bool) -> Value {
    const PATH: &str = r"^(?!/|~)(?!.*(^|/)\.\.(/|$))[^\\]+$";
    const DURATION: &str = r"^[0-9]+(\.[0-9]+)? ?(ns|us|µs|μs|ms|s|m|min|h)$";
    const NAME: &str = "^[A-Za-z_][A-Za-z0-9_]*$";
    let reference = |path: &str, over: bool| json!({ "$ref": format!("#/$defs/{path}{}", if over { ".override" } else { "" }) });
    let open = |values: Value| json!({ "type": "object", "propertyNames": { "pattern": NAME }, "additionalProperties": values });
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Label => json!({ "type": "string", "minLength": 1 }),
        Kind::CampaignName => json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$" }),
        Kind::Slug => json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$" }),
        Kind::Path => json!({ "type": "string", "pattern": PATH }),
        Kind::Paths { least } => {
            json!({ "type": "array", "minItems": least, "items": { "type": "string", "pattern": PATH } })
        }
        Kind::Texts { least } => {
            json!({ "type": "array", "minItems": least, "items": { "type": "string" } })
        }
        Kind::Variables => {
            json!({ "type": "array", "items": { "type": "string", "pattern": "^(?!ASSAY_)[A-Za-z_][A-Za-z0-9_]*$" } })
        }
        Kind::Duration { .. } => json!({ "type": "string", "pattern": DURATION }),
        Kind::Percent { .. } => json!({ "type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? ?%$" }),
        Kind::Count { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Command => json!({ "oneOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "minItems": 1, "items": { "type": "string" } },
        ]}),
        Kind::Formula | Kind::Rule | Kind::Pattern | Kind::Search => {
            json!({ "type": "string", "minLength": 1 })
        }
        Kind::Table(path) => reference(path, within_target),
        Kind::Tables { path, least } => {
            json!({ "type": "array", "minItems": least, "items": reference(path, false) })
        }
        Kind::Named(path) => {
            json!({
                "type": "object",
                "propertyNames": { "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$" },
                "additionalProperties": reference(path, false),
            })
        }
        Kind::Formulas => open(json!({ "type": "string", "minLength": 1 })),
        Kind::Dims => open(json!({ "type": "number", "minimum": 0 })),
        Kind::Params => open(json!({ "type": ["string", "number", "boolean"] })),
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Bindings => json!({
            "type": "object",
            "additionalProperties": {
                "type": ["string", "array", "object"],
                "items": { "type": "string" },
            },
        }),
    }
}

/// The reference page of all files, as Markdown.
pub fn reference_markdown() -> String {
    let mut out = String::from(
        "# Configuration\n\nThis page is generated from the table of keys that the reader uses. \
         An unknown key is an error. Durations are texts such as `10ms`, percentages texts such \
         as `1%`, paths are relative to the campaign folder.\n\n## `assay.toml`\n",
    );
    tables(&mut out, TABLES);
    out.push_str("\n## `variant.toml`\n\nLies beside `assay.toml`; a variant may change it.\n");
    tables(&mut out, VARIANT_TABLES);
    out.push_str(SETTINGS);
    tables(&mut out, SETTINGS_TABLES);
    out.push_str(LANGUAGE);
    out
}

const SETTINGS: &str = r#"
## `tui.toml`

The terminal interface of one user: `$XDG_CONFIG_HOME/assay/tui.toml`, or `~/.config/assay/tui.toml`. What is wrong in it is told when the interface opens, with line and column, and the rest of it holds. An option of the command line goes before it, and it goes before the environment.

```toml
language = "zh"
theme = "safe-dark"
[keys]
"variants.mark" = ["m", "space"]
mouse = "f12"
```
"#;

const LANGUAGE: &str = r#"
## Formulas and conditions

Formulas have numbers (`4`, `0.5`, `1e9`), names, `+ - * /` (true division), unary minus, parentheses, `< <= > >= == !=`, `and`, `or`, `not`, and the functions `ceildiv(a, b)`, `min(a, b, ...)`, `max(a, b, ...)`, `if(condition, a, b)`, `floor(a)`, `ceil(a)`, `log2(a)` and `abs(a)`. A division by zero, a value that is not finite and a value beyond 2^53 are errors.

Gate rules are conditions in the same language. They may use dotted names (`vector.fma`), names quoted with what they belong to (`fact["vector.fma"]`, `resource["..."]`, `counter["..."]`, `check["..."]`), and two functions over the generated source without its comments and strings (strings of inline assembly and of `#include` stay): `has("text")`, and `count("pattern")`, the number of matches of a regular expression (`^` and `$` match at line ends). Inside quotes a backslash stands for itself, except before the quote.

A name without a value is no evidence: the gate is then neither passed nor failed, unless the rest of the rule settles it (`false and unknown` is false, `true or unknown` is true).
"#;

fn tables(out: &mut String, tables: &[Table]) {
    let lists: Vec<&str> = tables
        .iter()
        .flat_map(|t| t.keys)
        .filter_map(|k| match k.kind {
            Kind::Tables { path, .. } => Some(path),
            _ => None,
        })
        .collect();
    for table in tables {
        // Writing to a string cannot fail.
        let _ = match table.path {
            "" => writeln!(out, "\n### Top level"),
            path if lists.contains(&path) => writeln!(out, "\n### `[[{path}]]`"),
            path => writeln!(out, "\n### `[{path}]`"),
        };
        let _ = writeln!(
            out,
            "\n{}\n\n| key | value | default | meaning |\n|---|---|---|---|",
            table.doc
        );
        for key in table.keys {
            let default = match (key.required, key.default) {
                (true, _) => "required".to_owned(),
                (_, None | Some("")) => String::new(),
                (_, Some(text)) => format!("`{text}`"),
            };
            let (value, doc) = (shape(key.kind), key.doc);
            let cell = |s: &str| s.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| `{}` | {} | {default} | {} |",
                key.name,
                cell(&value),
                cell(doc)
            );
        }
    }
}

fn shape(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".into(),
        Kind::Label => "name".into(),
        Kind::CampaignName => "`a-z`, `0-9`, `-`".into(),
        Kind::Slug => "`a-z`, `0-9`, `.`, `_`, `-`".into(),
        Kind::Path => "path".into(),
        Kind::Paths { .. } => "array of paths".into(),
        Kind::Texts { .. } => "array of texts".into(),
        Kind::Variables => "array of names".into(),
        Kind::Duration { .. } => "duration".into(),
        Kind::Percent { .. } => "percentage".into(),
        Kind::Count { least, most } => format!("{least} to {most}"),
        Kind::Positive => "number above 0".into(),
        Kind::Flag => "`true`, `false`".into(),
        Kind::Choice(words) => words
            .iter()
            .map(|w| format!("`{w}`"))
            .collect::<Vec<_>>()
            .join(", "),
        Kind::Command => "command".into(),
        Kind::Formula => "formula".into(),
        Kind::Rule => "condition".into(),
        Kind::Pattern | Kind::Search => "regular expression".into(),
        Kind::Table(path) => format!("table `[{path}]`"),
        Kind::Tables { path, .. } => format!("tables `[[{path}]]`"),
        Kind::Named(path) => format!("tables `[{path}]`"),
        Kind::Formulas => "names to formulas".into(),
        Kind::Dims => "names to numbers".into(),
        Kind::Params => "names to texts, numbers or booleans".into(),
        Kind::Switch => "`true`, `false`".into(),
        Kind::Bindings => "actions to keys".into(),
    }
}
