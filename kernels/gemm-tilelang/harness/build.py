"""Builds one subject: lowers and compiles the programs of every workload, and writes down what they are.

    build.py LAYER [--target maca]        the variant: kernel/ with the parameters of variant.toml
    build.py LAYER --baseline torch       the baseline: torch, nothing to compile

In $ASSAY_BUILD: kernel/ (what was built), cache/ (TileLang's, with the compiled libraries), build.json (layer, target,
settings), kernels.json (the artefact: hashes of the sources that every later process holds what it loads against, with the
options that they are compiled with and what launches them).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "harness")]

import shapes  # noqa: E402
import subject  # noqa: E402
import wrapper  # noqa: E402


def settings_of_environment(defaults: Dict[str, Any]) -> Dict[str, Any]:
    """The knobs as `[params]` and variant.toml give them: ASSAY_PARAM_<NAME>, each of the type of its default."""
    given: Dict[str, Any] = {}
    for knob, default in defaults.items():
        text = os.environ.get("ASSAY_PARAM_" + knob.upper())
        if text is None:
            continue
        if isinstance(default, bool):
            if text not in ("true", "false"):
                sys.exit(f"build.py: {knob} = {text}: must be true or false")
            given[knob] = text == "true"
        elif isinstance(default, int):
            if not text.lstrip("-").isdigit():
                sys.exit(f"build.py: {knob} = {text}: must be a whole number")
            given[knob] = int(text)
        else:
            given[knob] = text
    return given


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def build(out: str, layer: str, target: str) -> None:
    shutil.rmtree(os.path.join(out, "kernel"), ignore_errors=True)
    shutil.copytree("kernel", os.path.join(out, "kernel"), ignore=shutil.ignore_patterns("__pycache__"))
    settings = subject.module(out, "settings")
    try:
        given = settings.complete(settings_of_environment(settings.DEFAULTS))
    except ValueError as e:
        sys.exit(f"build.py: {e}")
    write(out, "build.json", {"layer": layer, "target": target, "settings": given})
    with open("assay.toml", encoding="utf-8") as f:
        work = shapes.workloads(f.read())
    layers = subject.module(out, "layers")
    configs = layers.configs(given, target, layer)
    made: List[Tuple[str, str, Any]] = []
    for name, dims in work:
        try:
            made += [(name, kernel, program) for kernel, program in layers.programs(given, target, layer, dims).items()]
        except ValueError as e:
            sys.exit(f"build.py: {name}: {e}")
    # Compiling waits for the device compiler most of the time; lowering itself is done one after the other.
    with ThreadPoolExecutor(max(1, min(len(made), int(os.environ.get("ASSAY_JOBS") or 4)))) as pool:
        kernels = list(pool.map(lambda one: subject.compiled(out, one[2], target, configs), made))
    rows, sources = [], []
    for (workload, name, _), kernel in zip(made, kernels):
        source = kernel.get_kernel_source()
        rows.append({"workload": workload, "kernel": name, "sha256": digest(source), "host_sha256": digest(subject.host_source(kernel))})
        if workload == work[0][0] and name in ("gemm", "gate_up", "down"):
            sources.append(source)
    kept = subject.kept(out)
    if kept < len({row["sha256"] for row in rows}):
        sys.exit(f"build.py: TileLang kept {kept} compiled libraries of {len(rows)} kernels in its cache; the log above says why")
    # Two subjects with one such list run the same: Assay calls them a null pair.
    write(out, "kernels.json", {
        "assay_sources": 1, "target": target, "arch": os.environ.get("CUDA_ARCH") if target == "cuda" else None,
        "tilelang": subject.version(), "options": configs, "kernels": rows,
        "wrapper": wrapper.launched(os.path.join(out, "kernel"), layer, given)})
    with open(os.path.join(out, "kernel.cu"), "w", encoding="utf-8") as f:
        f.write("\n".join(sources))
    if target == "maca":
        said_of_resources(sources)


def said_of_resources(sources: List[str]) -> None:
    """Has the device compiler print registers, shared memory and stack frames into the log of the build."""
    import assay_maca

    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "device_kernel.cu")
            with open(path, "w", encoding="utf-8") as f:
                f.write(source)
            print(assay_maca.usage(path), flush=True)


def write(out: str, name: str, content: Dict[str, Any]) -> None:
    with open(os.path.join(out, name), "w", encoding="utf-8") as f:
        json.dump(content, f, indent=1, sort_keys=True)
        f.write("\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("layer", choices=shapes.LAYERS)
    parser.add_argument("--target", choices=("cuda", "maca"), default="cuda")
    parser.add_argument("--baseline", choices=("torch",))
    arguments = parser.parse_args()
    out = os.environ.get("ASSAY_BUILD")
    if not out:
        sys.exit("build.py: set ASSAY_BUILD to the output folder; `assay run` does")
    if arguments.baseline:
        import torch

        write(out, "build.json", {"layer": arguments.layer, "target": arguments.target, "baseline": "torch"})
        write(out, "kernels.json", {"baseline": "torch", "torch": torch.__version__, "kernels": []})
        return
    build(out, arguments.layer, arguments.target)


if __name__ == "__main__":
    main()
