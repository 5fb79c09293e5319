"""One worker of test_device.py: compiles kernels of small shapes, runs them, and holds them against the oracle.

    device.py NAME…      settings of golden/settings.py by name; `LAYER:NAME` builds the setting for that layer

Prints one JSON line for each: name, exact (largest difference on integers), units (of what is allowed), detail.
"""

import importlib.util
import json
import os
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(CAMPAIGN, "harness"))

import oracle  # noqa: E402
import shapes  # noqa: E402
import subject  # noqa: E402
import torch  # noqa: E402

# 303 rows: no multiple of a block. All experts together have as many.
DIMS = shapes.gemm_dims({"batch": 1, "seq": 101, "top_k": 3, "hidden": 512, "intermediate": 512, "experts": 6})
EXACT = ("dense", "grouped", "gate-up")


def params_of_settings():
    path = os.path.join(CAMPAIGN, "golden", "settings.py")
    spec = importlib.util.spec_from_file_location("of_settings", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {row["name"]: (row["layer"], row["params"]) for row in module.settings()}


def run(layers, layer, params, folder):
    """Errors of one setting of one layer."""
    configs, kernels, source = layers.configs(params, "cuda"), {}, ""
    for name, program in layers.programs(params, "cuda", layer, DIMS).items():
        kernels[name] = subject.compiled(folder, program, "cuda", configs)
        source += kernels[name].get_kernel_source()
    generator = torch.Generator(device="cuda").manual_seed(11)
    x = oracle.draw(layer, DIMS, generator, "cuda")
    weights = [x[n] for n in shapes.inputs(layer, DIMS) if n not in ("A", "X")]
    out = oracle.Fenced(shapes.output(layer, DIMS), "cuda")
    packed = layers.pack(params, weights)
    launch = layers.bind(params, layer, DIMS, kernels, x, packed, out.tensor)
    told = {"exact": 0.0, "units": 0.0, "detail": "", "mma": shapes.mma_builtins("cuda", source)}
    for integers in ([True] if layer in EXACT else []) + [False, False, False]:
        oracle.refill(layer, DIMS, x, generator, integers)
        layers.pack(params, weights, out=packed)
        out.poison()
        launch()
        torch.cuda.synchronize()
        absolute, units = oracle.expected(layer, DIMS, x, torch.float64).errors(out.tensor)
        if integers:
            told["exact"] = absolute
        told["units"] = max(told["units"], units)
        told["detail"] = told["detail"] or out.problem() or ""
    return told


def main():
    layers, known = subject.module(CAMPAIGN, "layers"), params_of_settings()
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:]:
            layer, _, setting = name.rpartition(":")
            of, params = known[setting]
            try:
                told = run(layers, layer or of, params, folder)
            except Exception as e:
                traceback.print_exc()
                text = str(e).strip().splitlines() or [""]
                told = {"exact": float("inf"), "units": float("inf"), "detail": f"{type(e).__name__}: {text[-1][:200]}"}
            print(json.dumps({"name": name, **told}), flush=True)


if __name__ == "__main__":
    main()
