//! How wide the types of kernel sources are.

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
