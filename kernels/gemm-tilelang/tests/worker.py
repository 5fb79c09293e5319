"""One worker of test_device.py and test_emulated.py: makes kernels of small shapes, runs them, holds them against the oracle.

    worker.py [--emulate] NAME…      settings of golden/settings.py by name; `LAYER:NAME` builds the setting for that layer

On the device, or with `--emulate` thread by thread on the host. `misread` is a negative control: the CUDA lowering of
`T.gemm` on an interleaved tile in shared memory. Prints one JSON line for each: name, exact (largest difference on
integers), units (of what is allowed), detail.
"""

import importlib.util
import json
import os
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(CAMPAIGN, "harness"), os.path.join(os.path.dirname(CAMPAIGN), "lower"),
                os.path.join(os.path.dirname(CAMPAIGN), "harness")]

import assay_torch  # noqa: E402
import emulate  # noqa: E402

import oracle  # noqa: E402
import shapes  # noqa: E402
import subject  # noqa: E402
import torch  # noqa: E402

# Rows that are no multiple of a block; all experts together have as many.
DEVICE = shapes.gemm_dims({"batch": 1, "seq": 101, "top_k": 3, "hidden": 512, "intermediate": 512, "experts": 6})
HOST = shapes.gemm_dims({"batch": 1, "seq": 47, "top_k": 3, "hidden": 256, "intermediate": 256, "experts": 4})
TARGET = {"kind": "cuda", "arch": "sm_90"}
EXACT = ("dense", "grouped", "gate-up")


def params_of_settings():
    path = os.path.join(CAMPAIGN, "golden", "settings.py")
    spec = importlib.util.spec_from_file_location("of_settings", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = {row["name"]: (row["layer"], row["params"]) for row in module.settings()}
    return {**known, "misread": ("dense", {"b_interleave": 4})}


def run(layers, layer, params, folder, emulated, rounds):
    """Errors of one setting of one layer."""
    dims, device = (HOST, "cpu") if emulated else (DEVICE, "cuda")
    configs, kernels, source = layers.configs(params, "cuda", layer), {}, ""
    for name, program in layers.programs(params, "cuda", layer, dims).items():
        if emulated:
            kernels[name] = emulate.kernel(program, TARGET, configs, folder)
            source += kernels[name].source
        else:
            kernels[name] = subject.compiled(folder, program, "cuda", configs)
            source += kernels[name].get_kernel_source()
    generator = torch.Generator(device=device).manual_seed(11)
    x = oracle.draw(layer, dims, generator, device)
    weights = [x[n] for n in shapes.inputs(layer, dims) if n not in ("A", "X")]
    out = assay_torch.Zoned(shapes.output(layer, dims), torch.float16, device)
    packed = layers.pack(params, weights)
    launch = layers.bind(params, layer, dims, kernels, x, packed, out.tensor)
    told = {"exact": 0.0, "units": 0.0, "detail": "", "mma": shapes.mma_builtins("cuda", source)}
    for integers in ([True] if layer in EXACT else []) + [False] * rounds:
        oracle.refill(layer, dims, x, generator, integers)
        layers.pack(params, weights, out=packed)
        out.poison()
        launch()
        if not emulated:
            torch.cuda.synchronize()
        absolute, units = oracle.expected(layer, dims, x, torch.float64).errors(out.tensor)
        if integers:
            told["exact"] = absolute
        told["units"] = max(told["units"], units)
        told["detail"] = told["detail"] or out.problem() or ""
    return told


def main():
    names = sys.argv[1:]
    emulated = names[:1] == ["--emulate"]
    layers, known = subject.module(CAMPAIGN, "layers"), params_of_settings()
    for name in names[emulated:]:
        layer, _, setting = name.rpartition(":")
        of, params = known[setting]
        with tempfile.TemporaryDirectory() as folder:
            try:
                feed = layers.gemm.feed
                if name == "misread":
                    layers.gemm.feed = lambda s, target: "shared"
                told = run(layers, layer or of, params, folder, emulated, 1 if emulated else 3)
            except Exception as e:
                traceback.print_exc()
                text = str(e).strip().splitlines() or [""]
                told = {"exact": -1.0, "units": -1.0, "detail": f"{type(e).__name__}: {text[-1][:200]}"}
            finally:
                layers.gemm.feed = feed
        # A result that is no number is infinitely wrong; JSON has no word for that.
        told = {k: 1e30 if v == float("inf") else v for k, v in told.items()}
        print(json.dumps({"name": name, **told}), flush=True)


if __name__ == "__main__":
    main()
