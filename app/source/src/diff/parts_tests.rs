//! Reading part by part says the same as reading as a whole.

use proptest::prelude::*;

use super::regions::{Region, of_pieces};
use super::side::split;
use crate::c_lex::Tokens;
use crate::kernel::KernelFacts;
use crate::kernel::outline::Outliner;
use crate::kernel::source::Source;
use crate::language::Language;
use crate::normalise::device_c::DeviceC;
use crate::normalise::marks::LineKind;
use crate::normalise::{Channels, Pass, Passes};

/// All that is made of device source.
#[derive(Debug, PartialEq)]
struct Made {
    kernels: KernelFacts,
    regions: Vec<Region>,
    digest: String,
    keys: Vec<u64>,
    kinds: Vec<LineKind>,
}

fn made(text: &str, passes: &Passes, whole: bool, digested: bool) -> Made {
    let lines = split(text);
    let mut t = Tokens::of(text);
    let (mut outliner, mut pieces) = (Outliner::default(), Vec::new());
    let mut source = Source::default();
    let channels = if digested {
        Channels::digested(lines.len())
    } else {
        Channels::marked()
    };
    let mut device = DeviceC::new(passes, channels);
    let mut regions = Vec::new();
    while !t.is_at_end() {
        if whole {
            t = Tokens::read(text).unwrap();
            pieces = outliner.whole(&t);
        } else {
            outliner.part(&mut t, &mut pieces).unwrap();
        }
        source.part(&t, &pieces, outliner.dead());
        device.part(&t, &pieces);
        of_pieces(&t, &pieces, &lines, &mut regions);
    }
    let mut kernels = KernelFacts::default();
    kernels.add_source(Language::Cuda, source, &outliner.finish(), text);
    let mut channels = device.finish(text);
    let digest = channels.digest().to_string();
    let marks = channels.marks.unwrap_or_default();
    Made {
        kernels,
        regions,
        digest,
        keys: marks.keys,
        kinds: marks.kinds,
    }
}

const SOURCES: [&str; 3] = [
    "#include <x>\n#define N 128\nconstexpr int M = N * 2;\nusing t = int; // c\nnamespace n { __device__ __forceinline__ float h(float* p) { return p[M]; } }\n\nextern \"C\" __global__ void __launch_bounds__(N, 1) k(float* A, half_t* B) {\n  __shared__ float s[N];\n  #pragma unroll\n  for (int i_1 = 0; i_1 < 4; ++i_1) {\n    float4 v_2 = *(float4*)(A + i_1 * 4); /* w */\n    if (i_1 > 2) { v_2 = h(A); } else v_2 = 1;\n    *(uint1*)(B + i_1) = v_2; s[i_1] = 0x1p+2f;\n  }\n  __syncthreads();\n}\n",
    "__global__ void k1(int* p) { p[0] = L; }\n#define L 7\nint host() { k1<<<1, 2>>>(0); }\n__global__ void k2(int* p) { int x_3 = p[1]; p[2] = x_3; } __global__ void k3(int* q) { *q = 1; }\n",
    "int table[] = {1, 2}; enum E { A, B };\nstruct S { int f() { return 1; } };\nvoid a() { tl::gemm_ss<1, 2, 3>(x, y); }\n/* end\n*/ __global__ void z(float* o)\n{\n  o[0] = R\"x(})x\" \"}\"[0];\n}\n",
];

const PIECES: [&str; 16] = [
    "}",
    "{",
    "\n}\n",
    "{ x; }",
    ";",
    "__global__ void q(int a) { a = 1; }\n",
    "#define L 9\n",
    "'",
    "\"",
    "/*",
    "*/",
    "//",
    "\\\n",
    "constexpr int M = 3;",
    " ",
    "(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn parts_say_what_the_whole_says(
        first in 0..SOURCES.len(),
        second in 0..SOURCES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..PIECES.len(), 0..6usize), 0..4),
        without in prop::option::of(0..Pass::ALL.len()),
    ) {
        let mut text = format!("{}{}", SOURCES[first], SOURCES[second]);
        for (at, piece, cut) in edits {
            let at = at.index(text.len());
            let end = (at + cut).min(text.len());
            text.replace_range(at..end, PIECES[piece]);
        }
        let mut passes = Passes::default();
        if let Some(pass) = without {
            passes = passes.without(Pass::ALL[pass]);
        }
        let parts = made(&text, &passes, false, true);
        prop_assert_eq!(&parts, &made(&text, &passes, true, true));
        let kept = made(&text, &passes, false, false);
        prop_assert_eq!(&parts.keys, &kept.keys);
        // Digests are the same whether the text was kept or not.
        prop_assert_eq!(&parts.digest, &kept.digest);
    }
}
