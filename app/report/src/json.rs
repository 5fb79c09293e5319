//! The whole model as one JSON document.

use serde::{Deserialize, Serialize};

use crate::ReportModel;

/// Schema of the document.
pub const JSON_SCHEMA: &str = "assay.report-model/1";

#[derive(Serialize)]
struct Document<'m> {
    schema: &'static str,
    report: &'m ReportModel,
}

/// Writes the model as JSON on one line.
///
/// Control characters and those that turn the direction of text are escaped, so that printing the
/// document is safe. Figures that are not finite are `null`.
///
/// # Errors
/// None is known: every key of the model is text.
pub fn json(model: &ReportModel) -> Result<String, serde_json::Error> {
    let document = Document {
        schema: JSON_SCHEMA,
        report: model,
    };
    let text = serde_json::to_string(&document)?;
    let mut out = String::with_capacity(text.len() + 1);
    let mut buffer = [0; 4];
    for c in text.chars() {
        // JSON on one line has no such character but inside of strings.
        let one = c.encode_utf8(&mut buffer);
        if c == '\u{7f}' {
            out.push_str("\\u007f");
        } else if !c.is_ascii()
            && matches!(assay_core::text::inert(one), std::borrow::Cow::Owned(_))
        {
            out.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            out.push(c);
        }
    }
    out.push('\n');
    Ok(out)
}

#[derive(Deserialize)]
struct Stored {
    schema: String,
    report: ReportModel,
}

/// Reads a model that [`json`] wrote.
///
/// # Errors
/// In words, when it is none, or of another schema.
pub fn read_model(bytes: &[u8]) -> Result<ReportModel, String> {
    let stored: Stored = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    match stored.schema == JSON_SCHEMA {
        true => Ok(stored.report),
        false => Err(format!(
            "it is of schema `{}`, not {JSON_SCHEMA}",
            assay_core::text::inert(&stored.schema)
        )),
    }
}
