//! One line of the answer protocol.

use assay_core::json;
use assay_core::record::CheckResult;
use assay_core::units::{GREATEST_NS, LEAST_NS};
use serde_json::{Map, Value};

use super::{Answer, CheckAnswer, Samples, Suspicion, state};

/// Why a line is not an answer.
pub(super) enum Bad {
    /// It lacks the right nonce.
    Nonce,
    /// Something else is wrong with it.
    Line(String),
}

impl From<String> for Bad {
    fn from(message: String) -> Self {
        Self::Line(message)
    }
}

impl From<&str> for Bad {
    fn from(message: &str) -> Self {
        Self::Line(message.to_owned())
    }
}

/// Reads one line. The text returned is canonical JSON without the nonce.
pub(super) fn line(bytes: &[u8], nonce: &str) -> Result<(Answer, String), Bad> {
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        let text = String::from_utf8_lossy(bytes);
        if ["NaN", "Infinity"].iter().any(|w| text.contains(w)) {
            "NaN and Infinity are not JSON; a figure that is not finite must not be reported as one"
                .to_owned()
        } else {
            format!("not JSON: {e}")
        }
    })?;
    let Value::Object(mut object) = value else {
        return Err("not a JSON object".into());
    };
    if object.remove("nonce").as_ref().and_then(Value::as_str) != Some(nonce) {
        return Err(Bad::Nonce);
    }
    let fields = Fields(&object);
    if fields.whole("assay")? != 1 {
        return Err("`assay` is not 1, the version of the protocol".into());
    }
    let answer = match fields.text("kind")?.as_str() {
        "samples" => Answer::Samples(samples(&fields)?),
        "check" => Answer::Check(check(&fields)?),
        "resource" => Answer::Resource {
            name: fields.text("name")?,
            value: fields.number("value")?,
            unit: fields.text("unit")?,
        },
        "loaded" => Answer::Loaded {
            subject: fields.text("subject")?,
            sha256: fields
                .text("sha256")?
                .parse()
                .map_err(|_| "`sha256` is not a SHA-256 in hex".to_owned())?,
        },
        "suspect" => Answer::Suspect(Suspicion {
            subject: fields.text("subject")?,
            workload: fields.text("workload")?,
            detail: fields.text("detail")?,
        }),
        "conditions" => Answer::Conditions(state::read(&fields)?),
        "note" => Answer::Note(fields.text("text")?),
        "done" => Answer::Done,
        other => return Err(format!("kind `{other}` is not known").into()),
    };
    let text = json::canonical(&object).map_err(|e| e.to_string())?;
    Ok((answer, text))
}

fn samples(fields: &Fields<'_>) -> Result<Samples, String> {
    let unit = fields.text("unit")?;
    let to_ns = unit_ns(&unit).ok_or(format!("unit `{unit}` is not one of ns, us, ms, s"))?;
    let Some(Value::Array(values)) = fields.0.get("values") else {
        return Err("`values` is not a list".into());
    };
    if values.is_empty() {
        return Err("`values` is empty".into());
    }
    let values_ns = values
        .iter()
        .map(|v| match v.as_f64().map(|x| x * to_ns) {
            Some(ns) if (LEAST_NS..=GREATEST_NS).contains(&ns) => Ok(ns),
            Some(ns) if ns > 0.0 => Err(format!(
                "{v} {unit} is not a time that is believed: it is not from a thousandth of a nanosecond to eleven days"
            )),
            _ => Err(format!(
                "{v} is not a time: a time is finite and above zero"
            )),
        })
        .collect::<Result<_, _>>()?;
    Ok(Samples {
        workload: fields.text("workload")?,
        subject: fields.text("subject")?,
        process: fields.small("process")?,
        block: fields.small("block")?,
        leg: fields.small("leg")?,
        values_ns,
        launches: fields.0.get("launches").and_then(Value::as_u64),
        timer: fields.maybe_text("timer"),
    })
}

/// Nanoseconds in one of `unit`.
fn unit_ns(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1.0,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    })
}

fn check(fields: &Fields<'_>) -> Result<CheckAnswer, String> {
    let error = |name: &str| -> Result<Option<f64>, String> {
        match fields.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(v) => match v.as_f64() {
                Some(x) if x.is_finite() && x >= 0.0 => Ok(Some(x)),
                _ => Err(format!(
                    "`{name}` is {v}, not a finite error of at least zero"
                )),
            },
        }
    };
    let Some(Value::Bool(ok)) = fields.0.get("ok") else {
        return Err("`ok` is not true or false".into());
    };
    Ok(CheckAnswer {
        subject: fields.maybe_text("subject"),
        result: CheckResult {
            workload: fields.text("workload")?,
            max_abs_error: error("max_abs_error")?,
            max_rel_error: error("max_rel_error")?,
            detail: fields.maybe_text("detail").unwrap_or_default(),
            ok: *ok,
        },
    })
}

pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl Fields<'_> {
    pub(super) fn text(&self, name: &str) -> Result<String, String> {
        self.maybe_text(name)
            .ok_or_else(|| format!("`{name}` is not a string"))
    }

    fn maybe_text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        let value = self.0.get(name).and_then(Value::as_f64);
        value
            .filter(|v| v.is_finite())
            .ok_or_else(|| format!("`{name}` is not a number"))
    }

    fn whole(&self, name: &str) -> Result<u64, String> {
        self.0
            .get(name)
            .and_then(Value::as_u64)
            .ok_or_else(|| format!("`{name}` is not a whole number of at least zero"))
    }

    pub(super) fn small(&self, name: &str) -> Result<u32, String> {
        u32::try_from(self.whole(name)?).map_err(|_| format!("`{name}` is too large"))
    }
}
