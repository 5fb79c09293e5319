//! Which kernels of the generated source a profiler is to count.

use std::sync::LazyLock;

use assay_core::campaign::ProfileSpec;
use assay_core::fold::captured;
use regex::Regex;

use super::Running;

/// A kernel whose name in a report is that in the source: without `extern "C"` it is mangled.
static PLAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let attributes = r"(?:__launch_bounds__\s*\([^)]*\)\s*|__attribute__\s*\(\([^)]*\)\)\s*)*";
    Regex::new(&format!(
        r#"extern\s+"C"\s+__global__\s+(?:{attributes})void\s+(?:{attributes})(\w+)\s*\("#
    ))
    .ok()
});

/// A kernel of any kind.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b__global__\b").ok());

impl Running<'_> {
    /// Names of the kernels that `[profile] kernel` means, as the generated source has them; of this
    /// run, else of an earlier one of the same content. Empty where they are not known.
    pub(super) fn kernels_meant(&self, how: &ProfileSpec) -> Vec<String> {
        let pattern = how.kernel.as_deref().and_then(|p| Regex::new(p).ok());
        if let Some((_, text)) = &self.source {
            return names(text, pattern.as_ref());
        }
        let Some(source) = captured(self.state, &self.b.subject) else {
            return Vec::new();
        };
        let files = source.files.iter().map(|blob| self.bench.stored(blob));
        let read: Result<Vec<Vec<u8>>, _> = files.collect();
        let text: Vec<String> = (read.unwrap_or_default().iter())
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .collect();
        names(&text.join("\n"), pattern.as_ref())
    }
}

/// Names that a pattern means, each once, in the order of the source; none where one of the kernels
/// could be meant under a name that the source does not show.
fn names(text: &str, pattern: Option<&Regex>) -> Vec<String> {
    let (Some(plain), Some(any)) = (PLAIN.as_ref(), ANY.as_ref()) else {
        return Vec::new();
    };
    let found: Vec<&str> = (plain.captures_iter(text))
        .filter_map(|c| c.get(1).map(|m| m.as_str()))
        .collect();
    if found.len() != any.find_iter(text).count() {
        return Vec::new();
    }
    let mut out: Vec<String> = Vec::new();
    for name in found {
        let meant = pattern.is_none_or(|p| p.is_match(name));
        if meant && !out.iter().any(|n| n == name) {
            out.push(name.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
extern \"C\" __global__ void __launch_bounds__(256, 1) gemm_kernel(const half_t* __restrict__ A);
extern \"C\" __global__ void __launch_bounds__(256, 1) gemm_kernel(const half_t* __restrict__ A) {
}
extern \"C\" __global__ __launch_bounds__(64) void copy_kernel(float* x) {}
";

    #[test]
    fn names_are_those_of_the_source_that_the_pattern_means() {
        let pattern = |p: &str| Regex::new(p).unwrap();
        assert_eq!(names(TWO, Some(&pattern("^gemm"))), ["gemm_kernel"]);
        assert_eq!(names(TWO, None), ["gemm_kernel", "copy_kernel"]);
        assert!(names(TWO, Some(&pattern("attention"))).is_empty());
        assert!(names("", None).is_empty());
    }

    #[test]
    fn a_mangled_name_is_not_known() {
        let mangled = format!("{TWO}__global__ void gemm_other(float* x) {{}}\n");
        assert!(names(&mangled, None).is_empty());
    }
}
