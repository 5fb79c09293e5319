//! Seeded pairs of generated-looking CUDA sources, 50,000 lines each.

use std::fmt::Write as _;

/// A small generator of numbers: the same seed gives the same text on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % n.max(1)
    }
}

/// Kernels in the manner of TileLang, until there are so many lines.
pub fn source(seed: u64, lines: usize) -> String {
    let mut r = Random::new(seed);
    let mut out = String::from(
        "#include <tl_templates/cuda/gemm.h>\n#include <tl_templates/cuda/copy.h>\n#include <tl_templates/cuda/threadblock_swizzle.h>\n\n",
    );
    let (mut written, mut kernel) = (4, 0);
    while written < lines {
        let before = out.len();
        write_kernel(&mut out, &mut r, kernel);
        written += out[before..].bytes().filter(|b| *b == b'\n').count();
        kernel += 1;
    }
    out
}

fn write_kernel(out: &mut String, r: &mut Random, number: usize) {
    let (m, k) = (64 << r.below(3), 1 + r.below(200));
    let _ = write!(
        out,
        "extern \"C\" __global__ void __launch_bounds__({}, 1) kernel_{number}(const half_t* __restrict__ A, const half_t* __restrict__ B, half_t* __restrict__ C) {{\n  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];\n  void* As = ((void*)((char*)buf_dyn_shmem + 0));\n  void* Bs = ((void*)((char*)buf_dyn_shmem + {}));\n  float acc[{m}];\n  const dim3 blockIdx = tl::rasterization2DRow<{}>();\n",
        64 << r.below(4),
        4096 * (1 + r.below(8)),
        1 + r.below(16)
    );
    let mut name = 0;
    for _ in 0..4 + r.below(8) {
        name += 1;
        let _ = write!(
            out,
            "  #pragma unroll\n  for (int i_{name} = 0; i_{name} < {}; ++i_{name}) {{\n    float4 v_{name} = make_float4(0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/, 0x0p+0f/*0.000000e+00*/);\n    *(float4*)(acc + (i_{name} * 4)) = v_{name};\n  }}\n",
            1 + r.below(32)
        );
    }
    name += 1;
    let outer = name;
    let _ = write!(
        out,
        "  for (int k_{outer} = 0; k_{outer} < {k}; ++k_{outer}) {{\n    __syncthreads();\n"
    );
    for _ in 0..6 + r.below(12) {
        name += 1;
        let (a, b, c) = (r.below(512), 4 * r.below(64), 16 * r.below(4096));
        let _ = match r.below(4) {
            0 => write!(
                out,
                "    #pragma unroll\n    for (int j_{name} = 0; j_{name} < {}; ++j_{name}) {{\n      *(uint4*)(((half_t*)As) + ((((int)threadIdx.x) * 8) + (j_{name} * {a}))) = *(uint4*)(A + (((((int)blockIdx.y) * {c}) + (((int)threadIdx.x) * 8)) + (k_{outer} * {b})));\n    }}\n",
                1 + r.below(8)
            ),
            1 => write!(
                out,
                "    *(uint2*)(((half_t*)Bs) + (((int)threadIdx.x) * {b})) = *(uint2*)(B + ((k_{outer} * {c}) + (((int)threadIdx.x) * {a})));\n"
            ),
            2 => write!(
                out,
                "    {{\n      half_t b_{name} = ((half_t*)Bs)[((((int)threadIdx.x) & {a}) + (k_{outer} * {b}))];\n      acc[{b}] = acc[{b}] + (((float)b_{name}) * {c}.0f);\n    }}\n"
            ),
            _ => write!(
                out,
                "    *(((float32x4*)acc) + {b}) = tl::wgmma_ss<tl::DataType::kFloat16, 64, 128, 16>(((half_t*)As) + {a}, ((half_t*)Bs) + {c}, acc, k_{outer});\n"
            ),
        };
    }
    out.push_str("    __syncthreads();\n  }\n");
    name += 1;
    let _ = write!(
        out,
        "  #pragma unroll\n  for (int w_{name} = 0; w_{name} < {}; ++w_{name}) {{\n    uint1 __{name};\n    float2 v__{name} = *(float2*)(acc + (w_{name} * 2));\n    *(uint1*)(C + ((((int)blockIdx.x) * {}) + (w_{name} * 8))) = __{name};\n  }}\n}}\n\n",
        1 + r.below(64),
        128 * (1 + r.below(64))
    );
}

/// The text with one line in a hundred edited: a literal, or a line more, or one less.
pub fn edited(text: &str, seed: u64) -> String {
    let mut r = Random::new(seed);
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if r.below(100) == 0 && line.starts_with("    ") && line.ends_with(';') {
            match r.below(3) {
                0 => {
                    let _ = writeln!(out, "{}", line.replacen("* ", "* 3 + 2 * ", 1));
                }
                1 => {
                    let _ = writeln!(
                        out,
                        "{line}\n    acc[{}] = {}.0f;",
                        r.below(64),
                        r.below(9999)
                    );
                }
                _ => {}
            }
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The text with another number for every temporary.
pub fn renumbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let b = text.as_bytes();
    let mut i = 0;
    while i < b.len() {
        let word = b[i..]
            .iter()
            .take_while(|c| c.is_ascii_alphanumeric() || **c == b'_')
            .count();
        let text = &text[i..i + word.max(1)];
        match text.rsplit_once('_') {
            Some((stem, n))
                if matches!(stem, "i" | "j" | "k" | "v" | "b" | "w" | "_" | "v_")
                    && !n.is_empty()
                    && n.bytes().all(|c| c.is_ascii_digit()) =>
            {
                let n: usize = n.parse().unwrap_or(0);
                let _ = write!(out, "{stem}_{}", n * 7 + 1001);
            }
            _ => out.push_str(text),
        }
        i += word.max(1);
    }
    out
}
