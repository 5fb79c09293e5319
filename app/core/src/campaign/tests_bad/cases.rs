//! What the reader says about the example with one thing wrong: what stood there, what stands
//! there now, and the whole message. `ROOT` stands for the list of all keys at the top level.

pub(super) const CASES: &[(&str, &str, &str)] = &[
    (
        r#"title = "fp32"#,
        r#"titel = "fp32"#,
        "f:3:1: expected one of ROOT, found unknown key `titel`\n  hint: did you mean `title`?",
    ),
    (
        r#"command = "sh harness/build.sh""#,
        r#"comand = "x""#,
        "f:28:2: build: expected the key `command`, found none\nf:29:1: build: expected one of command, artefact, timeout, found unknown key `comand`\n  hint: did you mean `command`?",
    ),
    (
        r#"name = "gemm-cpu""#,
        r#"name = "GEMM_cpu""#,
        "f:2:8: name: expected a name of a-z, 0-9 and -, of 1 to 64 characters, found \"GEMM_cpu\"\n  hint: did you mean `gemm-cpu`?",
    ),
    (
        r#"name = "gemm-cpu""#,
        "name = 3",
        "f:2:8: name: expected a name of a-z, 0-9 and -, found the number 3",
    ),
    (
        "campaign/1",
        "campaign/2",
        "f:1:10: schema: expected \"assay.campaign/1\", found \"assay.campaign/2\"\n  hint: did you mean `assay.campaign/1`?",
    ),
    (
        r#"paths = ["kernel"]"#,
        r#"paths = ["kernel", "../x"]"#,
        r#"f:5:20: kernel.paths: expected a path without `..`, found "../x""#,
    ),
    (
        r#"paths = ["kernel"]"#,
        r#"paths = ["/abs"]"#,
        r#"f:5:10: kernel.paths: expected a path relative to the campaign file, with / between folders, found "/abs""#,
    ),
    (
        r#"paths = ["kernel"]"#,
        "paths = []",
        "f:5:9: kernel.paths: expected an array of relative paths, found an empty array",
    ),
    (
        r#"paths = ["kernel"]"#,
        r#"paths = ["a", "./harness/sub/"]"#,
        "f:5:15: kernel.paths: expected paths apart from the protected ones, found `harness/sub`, which overlaps the protected `harness`",
    ),
    (
        r#"paths = ["kernel"]"#,
        r#"paths = ["."]"#,
        "f:5:10: kernel.paths: expected paths apart from the protected ones, found `.`, which overlaps the protected `harness`",
    ),
    (
        r#"paths = ["kernel"]"#,
        r#"paths = ["assay.toml"]"#,
        "f:5:10: kernel.paths: expected paths apart from the protected ones, found `assay.toml`, which overlaps the protected `assay.toml`",
    ),
    (
        r#"protected = ["harness", "assay.toml"]"#,
        r#"protected = ["variant.toml"]"#,
        "f:6:14: kernel.protected: expected files of the evaluator, found `variant.toml`, which a variant must be able to change",
    ),
    (
        r#"paths = ["kernel"]"#,
        r#"paths = [".git/hooks"]"#,
        r#"f:5:10: kernel.paths: expected a path outside git's own folder, found ".git/hooks""#,
    ),
    (
        r#"flops = "2*T*N*K""#,
        r#"flops = "2*T*N*KK""#,
        "f:10:16: formulas.flops: expected one of M, N, K, top_k, dtype_bytes, T, found unknown name `KK`\n  hint: did you mean `K`?",
    ),
    (
        r#"flops = "2*T*N*K""#,
        r#"flops = "2*T*N*""#,
        "f:10:16: formulas.flops: expected a number, a name, a function or `(`, found the end",
    ),
    (
        r#"flops = "2*T*N*K""#,
        r#"flops = "T*N/(M-256)""#,
        "f:10:10: formulas.flops: expected a count for every workload, found for workload `square-256` division by zero",
    ),
    (
        r#"flops = "2*T*N*K""#,
        r#"flops = "N-2*M""#,
        "f:10:10: formulas.flops: expected a count for every workload, found for workload `square-256` the value is -256, below zero",
    ),
    (
        r#"flops = "2*T*N*K""#,
        r#"flops = "\u0032*T*Q""#,
        "f:10:9: formulas.flops: expected one of M, N, K, top_k, dtype_bytes, T, found unknown name `Q`",
    ),
    (
        r#"flops = "2*T*N*K""#,
        "flops = 1",
        "f:10:9: formulas.flops: expected a formula as text, found the number 1",
    ),
    (
        r#"T = "M*top_k""#,
        r#"M = "2""#,
        "f:8:1: dims: expected a name that means one thing, found `M`, which is also a dim of a workload\nf:10:12: formulas.flops: expected one of M, N, K, top_k, dtype_bytes, M, found unknown name `T`",
    ),
    (
        r#"T = "M*top_k""#,
        "T = \"U\"\nU = \"1\"",
        "f:8:6: dims.T: expected one of M, N, K, top_k, dtype_bytes, found unknown name `U`",
    ),
    (
        r#"T = "M*top_k""#,
        r#"min = "U""#,
        "f:8:1: dims.min: expected a name of letters, digits and _ that is not a word of the formula language, found \"min\"\nf:8:8: dims.min: expected one of M, N, K, top_k, dtype_bytes, found unknown name `U`\nf:10:12: formulas.flops: expected one of M, N, K, top_k, dtype_bytes, min, found unknown name `T`",
    ),
    (
        r#"T = "M*top_k""#,
        "top_k = \"3\"\nT = \"M\"",
        "f:8:1: dims: expected a name that means one thing, found `top_k`, which is also a parameter",
    ),
    (
        "top_k = 1",
        "top_k = 1\nN = 3",
        "f:22:1: params: expected a name that means one thing, found `N`, which is also a dim of a workload",
    ),
    (
        "top_k = 1",
        "top_k = 9007199254740993",
        "f:21:9: params.top_k: expected a text, a finite number or a boolean, found the number 9007199254740993",
    ),
    (
        "top_k = 1",
        "top_k = [1]",
        "f:21:9: params.top_k: expected a text, a finite number or a boolean, found an array",
    ),
    (
        "dims = { M = 128, N = 128, K = 128 }",
        "dims = { M = 128, N = 128 }",
        "f:19:1: workload `square-128`: expected the dim `K`, which formulas use, found none",
    ),
    (
        "dims = { M = 128, N = 128, K = 128 }",
        r#"dims = { M = -1, N = "2", K = nan }"#,
        "f:19:14: workload.dims.M: expected a number from 0 to 2^53, found the number -1\nf:19:22: workload.dims.N: expected a number from 0 to 2^53, found \"2\"\nf:19:31: workload.dims.K: expected a number from 0 to 2^53, found the number nan",
    ),
    (
        "dims = { M = 128, N = 128, K = 128 }",
        "dims = { M = 128, N = 128, K = 128 }\ndtype = \"i4\"",
        "f:20:1: workload `square-128`: expected a dtype of known size, because formulas use dtype_bytes, found `i4`",
    ),
    (
        r#"name = "square-128""#,
        r#"name = "square-256""#,
        "f:18:8: workload.name: expected a name that is used once, found a second workload named \"square-256\"\nf:50:12: profile.workload: expected `square-256`, found `square-128`\n  hint: did you mean `square-256`?",
    ),
    (
        r#"name = "vectorised""#,
        r#"name = "correct""#,
        r#"f:57:8: gate.name: expected a name that is used once, found a second gate named "correct""#,
    ),
    (
        r#"name = "vectorised""#,
        r#"name = "Is Vectorised""#,
        "f:57:8: gate.name: expected a name of a-z, 0-9, ., _ and - that starts with a letter or digit, of 1 to 64 characters, found \"Is Vectorised\"\n  hint: did you mean `is-vectorised`?",
    ),
    (
        "weight = 1.0",
        "weight = 0",
        "f:16:10: workload.weight: expected a finite number above zero, found the number 0",
    ),
    (
        "weight = 1.0",
        "weight = inf",
        "f:16:10: workload.weight: expected a finite number above zero, found the number inf",
    ),
    (
        r#"artefact = "libkernel.so""#,
        r#"artefact = ".""#,
        r#"f:30:12: build.artefact: expected the path of a file, found ".""#,
    ),
    (
        r#"artefact = "libkernel.so""#,
        "",
        "f:28:2: build: expected the key `artefact`, found none",
    ),
    (
        r#"command = ["harness/bench", "--quiet"]"#,
        "command = []",
        "f:41:11: bench.command: expected a command: a text for the shell, or an array of a program and its arguments, found an array",
    ),
    (
        r#"command = ["harness/bench", "--quiet"]"#,
        r#"command = " ""#,
        r#"f:41:11: bench.command: expected a command: a text for the shell, or an array of a program and its arguments, found " ""#,
    ),
    (
        r#"mode = "pair""#,
        r#"mode = "piar""#,
        "f:42:8: bench.mode: expected one of pair, resident, invocation, found \"piar\"\n  hint: did you mean `pair`?",
    ),
    (
        r#"cache = "hot""#,
        r#"cache = "warm""#,
        r#"f:46:9: bench.cache: expected one of hot, cold, rotating, found "warm""#,
    ),
    (
        r#"language = "asm-x86_64""#,
        r#"language = "asm-x86-64""#,
        "f:35:12: source.language: expected one of auto, auto-asm, asm-x86_64, asm-aarch64, asm-amdgcn, c, cpp, cuda, maca, hip, ptx, sass, python, text, found \"asm-x86-64\"\n  hint: did you mean `asm-x86_64`?",
    ),
    (
        "blocks = 6",
        "blocks = 0",
        "f:43:10: bench.blocks: expected a whole number from 1 to 1000, found the number 0",
    ),
    (
        "blocks = 6",
        "blocks = 1001",
        "f:43:10: bench.blocks: expected a whole number from 1 to 1000, found the number 1001",
    ),
    (
        "blocks = 6",
        "blocks = 6.0",
        "f:43:10: bench.blocks: expected a whole number from 1 to 1000, found the number 6.0",
    ),
    (
        r#"min_leg = "10ms""#,
        "min_leg = 10",
        "f:44:11: bench.min_leg: expected a duration such as \"10ms\", found the number 10\n  hint: write it as text with a unit",
    ),
    (
        r#"min_leg = "10ms""#,
        r#"min_leg = "10 parsec""#,
        r#"f:44:11: bench.min_leg: expected a duration such as "10ms", "2s" or "1m" (ns, us, ms, s, m, h), found "10 parsec""#,
    ),
    (
        r#"min_leg = "10ms""#,
        r#"min_leg = "0ms""#,
        r#"f:44:11: bench.min_leg: expected a duration above zero, found "0ms""#,
    ),
    (
        r#"workload = "square-128""#,
        r#"workload = "square-182""#,
        "f:50:12: profile.workload: expected one of square-256, square-128, found `square-182`\n  hint: did you mean `square-128`?",
    ),
    (
        r#"rule = "max_abs_error <= 1e-3""#,
        r#"rule = "max_abs_error < = 1e-3""#,
        "f:54:25: gate.rule: expected a number, a name or an operator, found `=`\n  hint: write `==` for equal, and `<=` without a space",
    ),
    (
        r#"rule = "max_abs_error <= 1e-3""#,
        r#"rule = 'count("(") > 0'"#,
        "f:54:15: gate.rule: expected a regular expression, found unclosed group",
    ),
    (
        r#"message = "the result is wrong""#,
        r#"message = "a\u001b[2J""#,
        r#"f:55:11: gate.message: expected a text on one line without control or invisible characters, found "a\x1b[2J""#,
    ),
    (
        r#"delta = "1%""#,
        "delta = 0.01",
        "f:60:9: decide.delta: expected a percentage such as \"1%\", found the number 0.01\n  hint: a share of 0.01 is \"1%\"",
    ),
    (
        r#"delta = "1%""#,
        r#"delta = "0%""#,
        r#"f:60:9: decide.delta: expected a percentage above zero, found "0%""#,
    ),
    (
        r#"guard = "2%""#,
        r#"guard = "120%""#,
        r#"f:61:9: decide.guard: expected a percentage below 100%, found "120%""#,
    ),
    (
        r#"policy = "assay""#,
        r#"policy = "asay""#,
        "f:62:10: decide.policy: expected one of assay, median-lower, threshold, mann-whitney, found \"asay\"\n  hint: did you mean `assay`?",
    ),
    (
        r#"pass = ["OMP_NUM_THREADS"]"#,
        r#"pass = ["A=B"]"#,
        r#"f:66:9: env.pass: expected the name of an environment variable, found "A=B""#,
    ),
    (
        r#"pass = ["OMP_NUM_THREADS"]"#,
        r#"pass = ["ASSAY_FD"]"#,
        r#"f:66:9: env.pass: expected a variable that the runner does not set itself, found "ASSAY_FD""#,
    ),
    (
        r#"device = "cpu""#,
        r#"device = "gpu""#,
        "f:68:10: target.local.device: expected one of cpu, cuda, metax, found \"gpu\"\n  hint: write `cuda` for NVIDIA, `metax` for MetaX",
    ),
    (
        "[target.local]",
        r#"[target."Big One"]"#,
        "f:67:9: target.Big One: expected a name of a-z, 0-9, ., _ and - that starts with a letter or digit, of 1 to 64 characters, found \"Big One\"\n  hint: did you mean `big-one`?",
    ),
    (
        r#"pattern = "time: ([0-9.]+)""#,
        r#"pattern = "time: [0-9.]+""#,
        "f:73:11: target.big.bench.parse.pattern: expected a group ( ) around the time, found a pattern without a group",
    ),
    (
        r#"pattern = "time: ([0-9.]+)""#,
        r#"pattern = "time: ([0-9.]+""#,
        "f:73:11: target.big.bench.parse.pattern: expected a regular expression, found unclosed group",
    ),
    (
        r#"pattern = "time: ([0-9.]+)""#,
        "",
        "f:72:19: bench.parse: expected the key `pattern`, found none",
    ),
    (
        "blocks = 12\nmode = \"invocation\"",
        "blocks = 12",
        r#"f:71:19: bench.parse: expected mode "invocation", the only one whose output is parsed, found [bench.parse] with mode "pair""#,
    ),
    (
        "[check]\ncommand = \"python3 harness/check.py\"\ntimeout = \"60s\"\n",
        "",
        "f:1:1: expected a table [check], found none",
    ),
    (
        "[[gate]]\nname = \"correct\"",
        "[gate]\nname = \"correct\"",
        "f:56:3: expected valid TOML, found duplicate key: `gate`",
    ),
    (
        "[noise]",
        "noise = 1\n[x]",
        "f:63:1: decide: expected one of delta, guard, policy, threshold, found unknown key `noise`\nf:64:2: expected one of ROOT, found unknown key `x`",
    ),
    (
        "title = ",
        "title ",
        "f:3:7: expected valid TOML, found key with no value, expected `=`",
    ),
    (
        r#"command = "python3 harness/check.py""#,
        "command = true",
        "f:38:11: check.command: expected a command: a text for the shell, or an array of a program and its arguments, found true",
    ),
    (
        r#"files = ["kernel.s"]"#,
        r#"files = ["a", 2]"#,
        "f:34:15: source.files: expected an array of relative paths, found the number 2",
    ),
    (
        r#"unit = "ms""#,
        r#"unit = "sec""#,
        r#"f:74:8: target.big.bench.parse.unit: expected one of ns, us, ms, s, found "sec""#,
    ),
    (
        r#"name = "naive-o3""#,
        r#"nme = "naive-o3""#,
        "f:24:1: baseline: expected the key `name`, found none\nf:25:1: baseline: expected one of name, build, requires, found unknown key `nme`\n  hint: did you mean `name`?",
    ),
    (
        r#"max_cv = "5%""#,
        r#"max_cv = "5""#,
        "f:64:10: noise.max_cv: expected a percentage such as \"1%\" or \"0.5%\", found \"5\"\n  hint: did you mean \"5%\"?",
    ),
    (
        "[target.big.bench]",
        "[target.big.bensh]\n[target.big.bench]",
        "f:69:13: target.big: expected one of device, model, share, gpu, unknown_device, build, source, check, bench, profile, found unknown key `bensh`\n  hint: did you mean `bench`?",
    ),
    (
        "[kernel]",
        "[kernle]",
        "f:1:1: expected a table [kernel], found none\nf:4:2: expected one of ROOT, found unknown key `kernle`\n  hint: did you mean `kernel`?",
    ),
    (
        r#"name = "square-128""#,
        r#"name = """#,
        "f:18:8: workload.name: expected a name without space at its ends, found \"\"\nf:50:12: profile.workload: expected `square-256`, found `square-128`\n  hint: did you mean `square-256`?",
    ),
    (
        r#"name = "square-128""#,
        "name = \"大\u{202e}\"",
        "f:18:8: workload.name: expected a text on one line without control or invisible characters, found \"大\\u{202e}\"\nf:50:12: profile.workload: expected one of square-256, 大\\u{202e}, found `square-128`\n  hint: did you mean `square-256`?",
    ),
    (
        r#"dtype = "f32""#,
        r#"dtype = "f32", x"#,
        "f:15:14: expected valid TOML, found unexpected key or value, expected newline, `#`",
    ),
    (
        "title = ",
        "name = \"x\"\ntitle = ",
        "f:3:1: expected valid TOML, found duplicate key: `name`",
    ),
];
