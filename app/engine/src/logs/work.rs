//! What one launch of a row does: by formulas of the campaign, or by those given with the log.

use assay_core::campaign::{Campaign, DTYPE_BYTES, LOCAL, ResolvedWorkload, Template, dtype_bytes};
use assay_core::expr::{Env, Expr, is_name};
use assay_core::record::{ReadingsRule, Stage};
use assay_core::text::inert;
use assay_exec::readings::Reading;
use assay_exec::readings::table::Work;

use crate::error::{Error, Result};

/// Formulas and workloads that rows are held against.
pub(super) struct Known<'c> {
    workloads: Vec<(ResolvedWorkload, &'c [(String, f64)])>,
    template: Option<&'c Template>,
    flops: Option<Expr>,
    bytes: Option<Expr>,
}

/// Whether a workload with its declared dims is meant.
type Fits<'f> = dyn Fn(&ResolvedWorkload, &[(String, f64)]) -> bool + 'f;

/// What is known of a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Found {
    /// The workload of the campaign that it is.
    pub(super) workload: Option<String>,
    /// Work of one launch.
    pub(super) work: Option<Work>,
}

impl<'c> Known<'c> {
    pub(super) fn new(config: Option<&'c Campaign>, rule: &ReadingsRule) -> Self {
        let stage = config.and_then(|c| c.stage(LOCAL, Stage::Bench));
        let parse = stage.and_then(|s| s.bench()).and_then(|b| b.parse.as_ref());
        let resolved = config.and_then(|c| Some((c, c.resolve_all().ok()?)));
        let parsed = |text: &Option<String>| text.as_ref().and_then(|t| Expr::parse(t).ok());
        Self {
            workloads: resolved.map_or_else(Vec::new, |(c, all)| {
                all.into_iter()
                    .zip(c.workloads.iter().map(|w| w.dims.as_slice()))
                    .collect()
            }),
            template: parse.and_then(|p| p.row.as_ref()),
            flops: parsed(&rule.flops),
            bytes: parsed(&rule.bytes),
        }
    }

    /// The workload and the work of a row. Formulas given with the log come first.
    pub(super) fn find(&self, row: &Reading) -> Found {
        let workload = self.workload(row);
        let of_campaign = workload.map(|w| Work {
            flops: w.flops,
            bytes: w.bytes,
        });
        let env = env(row);
        let own = |e: &Option<Expr>| e.as_ref().and_then(|e| e.eval(&env).ok());
        let (flops, bytes) = (own(&self.flops), own(&self.bytes));
        Found {
            workload: workload.map(|w| w.name.clone()),
            work: match (flops, bytes, of_campaign) {
                (None, None, work) => work,
                (flops, bytes, work) => Some(Work {
                    flops: flops.or(work.map(|w| w.flops)).unwrap_or(0.0),
                    bytes: bytes.or(work.map(|w| w.bytes)).unwrap_or(0.0),
                }),
            },
        }
    }

    /// The one workload of the campaign that a row is: by its name, by the name that
    /// `[bench.parse] row` gives it, or by its dims.
    fn workload(&self, row: &Reading) -> Option<&ResolvedWorkload> {
        let by = |fits: &Fits<'_>| {
            let mut all = self.workloads.iter().filter(|(w, dims)| fits(w, dims));
            match (all.next(), all.next()) {
                (Some((only, _)), None) => Some(only),
                _ => None,
            }
        };
        let filled = |w: &ResolvedWorkload| {
            self.template?.fill(|name| match name {
                "name" => Some(w.name.clone()),
                "dtype" => Some(w.dtype.clone()),
                dim => Some(w.dims.iter().find(|(n, _)| n == dim)?.1.to_string()),
            })
        };
        by(&|w, _| w.name == row.workload)
            .or_else(|| by(&|w, _| filled(w).as_ref() == Some(&row.workload)))
            .or_else(|| by(&|w, dims| has_dims(row, w, dims)))
    }
}

/// Whether a row says all dims of a workload, and no other type.
fn has_dims(row: &Reading, workload: &ResolvedWorkload, dims: &[(String, f64)]) -> bool {
    let value = |name: &str| {
        let found = |(n, _): &&(String, String)| n == name;
        let exact = row.params.iter().find(found);
        let near = |(n, _): &&(String, String)| n.eq_ignore_ascii_case(name);
        exact
            .or_else(|| row.params.iter().find(near))
            .map(|(_, v)| v.as_str())
    };
    let number = |name: &str| value(name).and_then(|v| v.trim().parse::<f64>().ok());
    !dims.is_empty()
        && dims.iter().all(|(name, v)| number(name) == Some(*v))
        && value("dtype").is_none_or(|t| same_type(t, &workload.dtype))
}

/// Whether two names are of one element type: `torch.bfloat16` is `bf16`.
fn same_type(a: &str, b: &str) -> bool {
    fn plain(name: &str) -> &str {
        let name = name.rsplit('.').next().unwrap_or(name);
        match name {
            "float64" | "fp64" | "double" => "f64",
            "float32" | "fp32" | "float" => "f32",
            "float16" | "fp16" | "half" => "f16",
            "bfloat16" => "bf16",
            "float8_e4m3fn" | "fp8_e4m3" => "e4m3",
            "float8_e5m2" | "fp8_e5m2" => "e5m2",
            "int8" => "i8",
            "int32" => "i32",
            name => name,
        }
    }
    plain(&a.to_ascii_lowercase()) == plain(&b.to_ascii_lowercase())
}

/// Names of a row that formulas can use.
fn env(row: &Reading) -> Env {
    let mut env = Env::new();
    for (name, value) in &row.params {
        if let (true, Ok(v)) = (is_name(name), value.trim().parse::<f64>()) {
            env.insert(name.clone(), v);
        }
        let bytes = dtype_bytes(value.rsplit('.').next().unwrap_or(value));
        if let (true, Some(bytes)) = (name == "dtype", bytes) {
            env.insert(DTYPE_BYTES.into(), bytes);
        }
    }
    env
}

/// Refuses formulas that are none, or that no row has the names for.
pub(super) fn check(rule: &ReadingsRule, rows: &[Reading]) -> Result<()> {
    for (flag, text) in [("--flops", &rule.flops), ("--bytes", &rule.bytes)] {
        let Some(text) = text else { continue };
        let expr = Expr::parse(text).map_err(|e| Error::input(format!("{flag}: {e}")))?;
        let used = rows.iter().filter(|r| r.failure.is_none());
        let mut tried = used.map(|r| (r, expr.eval(&env(r))));
        let Some((row, Err(why))) = tried.next() else {
            continue;
        };
        if tried.any(|(_, v)| v.is_ok()) {
            continue;
        }
        let names: Vec<String> = env(row).into_keys().collect();
        let hint = match names.as_slice() {
            [] => "the rows of this log have no parameter that is a number".to_owned(),
            names => format!("its first row has {}", names.join(", ")),
        };
        let wrong = format!("{flag} {}: it has no value for any row: {why}", inert(text));
        return Err(Error::input(wrong).hint(hint));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_told_apart_by_what_they_mean() {
        for (a, b, same) in [
            ("torch.bfloat16", "bf16", true),
            ("float16", "f16", true),
            ("torch.float16", "bf16", false),
            ("FP32", "f32", true),
            ("custom", "custom", true),
        ] {
            assert_eq!(same_type(a, b), same, "{a} {b}");
        }
    }
}
