//! How wide the types of kernel sources are.

use super::declaration::value;
use crate::c_lex::Tokens;

/// Attributes that make a vector of what stands before them, and whether their number is one of
/// lanes (or else of bytes).
const VECTORS: &[(&str, bool)] = &[
    ("ext_vector_type", true),
    ("__ext_vector_type__", true),
    ("__NATIVE_VECTOR__", true),
    ("vector_size", false),
    ("__vector_size__", false),
];

/// `typedef float4 v4;`, `using v4 = float __attribute__((ext_vector_type(4)));`.
///
/// The token of the name, and the bits of a value; `bits` says them of the types known.
pub(super) fn alias(
    t: &Tokens<'_>,
    at: usize,
    bits: &dyn Fn(usize) -> Option<u64>,
) -> Option<(usize, u64)> {
    const MAX_TOKENS: usize = 48;
    let end = (at + 1..t.len().min(at + MAX_TOKENS)).find(|i| t.mark(*i) == b';')?;
    let vector = (at + 1..end).find_map(|i| {
        let (_, lanes) = VECTORS.iter().find(|(n, _)| t.is(i, n))?;
        let close = t.closing(i + 1, end)?;
        let comma = (i + 2..close).find(|j| t.mark(*j) == b',');
        let n = value(t, i + 2, comma.unwrap_or(close), &|_| None)?;
        Some((i, close, n, *lanes))
    });
    let inside = |i: usize| vector.is_some_and(|(from, to, ..)| i > from && i < to);
    // Pointers, records and templates are other things.
    let other = |i: usize| matches!(t.mark(i), b'{' | b'*' | b'&' | b'<' | b'[');
    if (at..end).any(|i| other(i) && !inside(i)) {
        return None;
    }
    let name = if t.is(at, "using") {
        (t.mark(at + 2) == b'=').then_some(at + 1)?
    } else {
        // The last word that is in no attribute.
        let mut depth = 0usize;
        let mut last = None;
        for i in at + 1..end {
            match t.mark(i) {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                0 if depth == 0 && t.is_word(i) && t.mark(i + 1) != b'(' => last = Some(i),
                _ => {}
            }
        }
        last?
    };
    let element = (at + 1..end)
        .filter(|i| *i != name && t.is_word(*i))
        .filter(|i| !inside(*i) || t.mark(i.saturating_sub(1)) == b',')
        .filter_map(bits)
        // Of `unsigned char` the last word counts.
        .last();
    let all = match vector {
        Some((_, _, bytes, false)) => bytes.checked_mul(8)?,
        Some((_, _, lanes, true)) => element?.checked_mul(lanes)?,
        None => element?,
    };
    (1..=2048).contains(&all).then_some((name, all))
}

/// Bits of a value of a type by its last name; `None` when it is not a plain or vector type.
pub(crate) fn bits(name: &str) -> Option<u64> {
    let plain = |n: &str| {
        Some(match n {
            "bool" | "char" | "uchar" | "int8_t" | "uint8_t" | "byte" | "fp8_e4_t" | "fp8_e5_t"
            | "fp8_e8_t" | "float_e4m3_t" | "float_e5m2_t" | "__nv_fp8_e4m3" | "__nv_fp8_e5m2"
            | "signed char" => 8,
            "short" | "ushort" | "int16_t" | "uint16_t" | "half" | "half_t" | "__half"
            | "_Float16" | "bfloat16_t" | "__nv_bfloat16" | "nv_bfloat16" | "__maca_bfloat16"
            | "maca_bfloat16" | "__hip_bfloat16" | "hip_bfloat16" | "bf16" | "bfloat16"
            | "float16" => 16,
            "int" | "uint" | "unsigned" | "signed" | "int32_t" | "uint32_t" | "float"
            | "tfloat32_t" | "float32" | "__half2" | "__nv_bfloat162" | "nv_bfloat162"
            | "__maca_bfloat162" => 32,
            "long" | "ulong" | "longlong" | "ulonglong" | "int64_t" | "uint64_t" | "size_t"
            | "double" | "Barrier" => 64,
            _ => return None,
        })
    };
    plain(name).or_else(|| vector(name, plain))
}

/// `uint4`, `half8`, `float16x4` and `bf16x8_t`: a plain type and a number of lanes.
fn vector(name: &str, plain: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let name = name
        .strip_suffix("_t")
        .or_else(|| name.strip_suffix("_vec"))
        .unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes: u64 = name[stem.len()..].parse().ok()?;
    if !(1..=32).contains(&lanes) {
        return None;
    }
    let element = match stem.strip_suffix('x') {
        // The number before the `x` is part of the element: `float16x4`, `int8x16`.
        Some(element) => plain(element).or(match element {
            "int8" | "uint8" => Some(8),
            "int16" | "uint16" => Some(16),
            "int32" | "uint32" => Some(32),
            "int64" | "uint64" | "float64" => Some(64),
            _ => None,
        }),
        None => plain(stem).filter(|_| !stem.ends_with('_')),
    }?;
    element.checked_mul(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_names_of_their_own() {
        let t = Tokens::read(
            "typedef float4 v4; using H = half_t; using v8 = v4; typedef unsigned char byte_t;\n\
             typedef float f32x4 __attribute__((ext_vector_type(4)));\n\
             typedef __attribute__((__vector_size__(4 * sizeof(int)))) int i4;\n\
             using b128 = __NATIVE_VECTOR__(4, uint32_t); using P = float*; using namespace x;\n\
             typedef struct { int x; } S; using T = Vec<float, 4>; typedef int (*F)(int);",
        )
        .unwrap();
        let mut known: std::collections::BTreeMap<String, u64> = Default::default();
        for i in (0..t.len()).filter(|i| t.is(*i, "typedef") || t.is(*i, "using")) {
            let of = |at: usize| bits(t.at(at)).or_else(|| known.get(t.at(at)).copied());
            if let Some((name, bits)) = alias(&t, i, &of) {
                known.insert(t.at(name).to_owned(), bits);
            }
        }
        let found: Vec<(String, u64)> = known.into_iter().collect();
        let expected = [
            ("H", 16),
            ("b128", 128),
            ("byte_t", 8),
            ("f32x4", 128),
            ("i4", 128),
            ("v4", 128),
            ("v8", 128),
        ];
        assert_eq!(found, expected.map(|(n, b)| (n.to_owned(), b)));
    }

    #[test]
    fn vectors_are_elements_times_lanes() {
        for (name, n) in [
            ("uint1", 32),
            ("uint2", 64),
            ("uint4", 128),
            ("float16x4", 64),
            ("float32x4", 128),
            ("bfloat16x8", 128),
            ("int8x16", 128),
            ("half2", 32),
            ("half_t", 16),
            ("uint64_t", 64),
            ("longlong4", 256),
            ("uchar4", 32),
            ("float", 32),
        ] {
            assert_eq!(bits(name), Some(n), "{name}");
        }
        for name in [
            "dim3",
            "uint99999999999999999999",
            "x",
            "",
            "x4",
            "CUtensorMap",
            "int0",
        ] {
            assert_eq!(bits(name), None, "{name}");
        }
    }
}
