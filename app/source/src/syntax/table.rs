//! Words that mean something.

const KEYWORDS: &[&str] = &[
    "alignas",
    "asm",
    "auto",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "final",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "override",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "using",
    "virtual",
    "volatile",
    "while",
];

const TYPES: &[&str] = &[
    "void",
    "dim3",
    "CUtensorMap",
    "Barrier",
    "ptrdiff_t",
    "__m128",
    "__m256",
    "__m512",
    "__m128i",
    "__m256i",
    "__m512i",
    "float32x4_t",
    "float16x8_t",
];

const BUILTINS: &[&str] = &[
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "tl",
    "cute",
    "cutlass",
];

const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

pub(super) fn is_python(word: &str) -> bool {
    PYTHON.binary_search(&word).is_ok()
}

pub(super) fn is_type(word: &str) -> bool {
    crate::kernel::type_bits(word).is_some() || TYPES.contains(&word)
}

/// Qualifiers and attributes of kernels: `__global__`, `__launch_bounds__`.
pub(super) fn is_attribute(word: &str) -> bool {
    word.len() > 4 && word.starts_with("__") && word.ends_with("__")
}

/// What a kernel calls that no function of its own text is.
pub(super) fn is_intrinsic(word: &str) -> bool {
    BUILTINS.contains(&word)
        || word.starts_with("__builtin_")
        || [
            "__sync",
            "__shfl",
            "__ld",
            "__st",
            "__half",
            "__float",
            "__hadd",
            "__hmul",
            "__hfma",
            "__expf",
            "__fdividef",
            "_mm",
            "vfma",
            "vld",
            "vst",
        ]
        .iter()
        .any(|p| word.starts_with(p))
        || crate::kernel::has_effect(word)
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_are_sorted() {
        assert!(super::KEYWORDS.is_sorted());
        assert!(super::PYTHON.is_sorted());
    }
}
