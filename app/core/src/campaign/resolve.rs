//! Dims, work and bytes of a workload, from its declaration and the formulas.

use super::{Campaign, ParamValue, Params, Workload};
use crate::expr::{Env, EvalError, Expr};

/// A name that formulas can use: the size of one element in bytes, where the dtype is known.
pub const DTYPE_BYTES: &str = "dtype_bytes";

/// Size of one element in bytes; `None` for a dtype that is not known or not whole bytes.
pub fn dtype_bytes(dtype: &str) -> Option<f64> {
    match dtype {
        "f64" | "fp64" | "float64" | "i64" | "u64" | "int64" => Some(8.0),
        "f32" | "fp32" | "float32" | "tf32" | "i32" | "u32" | "int32" => Some(4.0),
        "f16" | "fp16" | "float16" | "bf16" | "bfloat16" | "i16" | "u16" | "int16" => Some(2.0),
        "i8" | "u8" | "int8" | "fp8" | "fp8_e4m3" | "fp8_e5m2" | "e4m3" | "e5m2" => Some(1.0),
        _ => None,
    }
}

/// A workload with everything that follows from its declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedWorkload {
    /// Name.
    pub name: String,
    /// Element type.
    pub dtype: String,
    /// Weight in the geometric mean.
    pub weight: f64,
    /// Dims: the declared ones, then the derived ones, in order.
    pub dims: Vec<(String, f64)>,
    /// Floating-point operations of one launch.
    pub flops: f64,
    /// Bytes that one launch must move at least.
    pub bytes: f64,
    /// Output elements, where the campaign declares them.
    pub outputs: Option<f64>,
    /// Operations that one output element needs, where declared.
    pub ops_per_output: Option<f64>,
    /// Workgroups of one launch, where declared.
    pub groups: Option<f64>,
    /// Operations of one launch as a document counts them, where declared.
    pub published_flops: Option<f64>,
}

/// Why a formula has no usable value for a workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "workload `{}`: {quantity} = {formula}: {why}",
    crate::text::inert(workload)
)]
pub struct ResolveError {
    /// The workload.
    pub workload: String,
    /// `flops`, `bytes` or the derived dim.
    pub quantity: String,
    /// The formula.
    pub formula: String,
    /// Where in the formula, in bytes.
    pub offset: usize,
    /// Why.
    pub why: String,
}

struct Resolver<'a> {
    workload: &'a str,
    env: Env,
}

impl Resolver<'_> {
    /// The value of a formula as a count: not negative, and whole when all it uses is whole.
    fn count(&self, quantity: &str, expr: &Expr) -> Result<f64, ResolveError> {
        let error = |offset, why: String| ResolveError {
            workload: self.workload.to_owned(),
            quantity: quantity.to_owned(),
            formula: expr.source().to_owned(),
            offset,
            why,
        };
        let value = expr
            .eval(&self.env)
            .map_err(|EvalError { span, kind }| error(span.start, kind.to_string()))?;
        if value < 0.0 {
            return Err(error(0, format!("the value is {value}, below zero")));
        }
        let mut used = expr
            .names()
            .into_iter()
            .filter_map(|(n, _)| self.env.get(n));
        if value.fract() != 0.0 && used.all(|v| v.fract() == 0.0) {
            let why =
                format!("the value is {value}, not whole; round it with ceildiv, floor or ceil");
            return Err(error(0, why));
        }
        // A negative zero would be written into records as `-0.0`.
        Ok(if value == 0.0 { 0.0 } else { value })
    }
}

impl Campaign {
    /// Works out a workload. Numeric parameters of `params` (over the campaign's defaults) can be
    /// used in formulas beside the dims.
    ///
    /// # Errors
    /// When a formula has no value, or one that is negative, beyond 2^53, or not whole although
    /// everything that it uses is. With the defaults this was checked when the file was read.
    pub fn resolve(
        &self,
        workload: &Workload,
        params: &Params,
    ) -> Result<ResolvedWorkload, ResolveError> {
        let mut env = Env::new();
        for (name, value) in self.params.iter().chain(params) {
            if let ParamValue::Number(n) = value {
                env.insert(name.clone(), *n);
            }
        }
        env.extend(workload.dims.iter().cloned());
        if let Some(bytes) = dtype_bytes(&workload.dtype) {
            env.insert(DTYPE_BYTES.into(), bytes);
        }
        let mut resolver = Resolver {
            workload: &workload.name,
            env,
        };
        let mut dims = workload.dims.clone();
        for (name, expr) in &self.dims {
            let value = resolver.count(&format!("dims.{name}"), expr)?;
            resolver.env.insert(name.clone(), value);
            dims.push((name.clone(), value));
        }
        let optional = |key: &str, expr: &Option<Expr>| {
            let count = |e| resolver.count(&format!("formulas.{key}"), e);
            expr.as_ref().map(count).transpose()
        };
        Ok(ResolvedWorkload {
            name: workload.name.clone(),
            dtype: workload.dtype.clone(),
            weight: workload.weight,
            flops: resolver.count("formulas.flops", &self.formulas.flops)?,
            bytes: resolver.count("formulas.bytes", &self.formulas.bytes)?,
            outputs: optional("outputs", &self.formulas.outputs)?,
            ops_per_output: optional("ops_per_output", &self.formulas.ops_per_output)?,
            groups: optional("groups", &self.formulas.groups)?,
            published_flops: optional("published_flops", &self.formulas.published_flops)?,
            dims,
        })
    }

    /// Works out all workloads, in order, with the default parameters.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn resolve_all(&self) -> Result<Vec<ResolvedWorkload>, ResolveError> {
        self.workloads
            .iter()
            .map(|w| self.resolve(w, &Params::new()))
            .collect()
    }
}
