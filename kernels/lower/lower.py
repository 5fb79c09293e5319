#!/usr/bin/env python3
"""Lowers every setting of TileLang campaigns to device source, without a device, and keeps the facts of the sources.

    python3 kernels/lower/lower.py kernels/gemm-tilelang [MORE …] [--assay PATH] [--sources FOLDER] [--check]

Needs torch and tilelang (no device, no nvcc), and `assay` for the facts. README.md beside this file says what a
campaign gives and what is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from facts import facts, find_assay  # noqa: E402
from golden import SCHEMA, campaign_name, path_of  # noqa: E402


def settings_of(campaign: str) -> Any:
    """The module `golden/settings.py` of a campaign."""
    path = os.path.join(campaign, "golden", "settings.py")
    spec = importlib.util.spec_from_file_location("settings_" + campaign_name(campaign).replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lowered(program: Any, target: Dict[str, str], configs: Optional[Dict[str, Any]] = None) -> Tuple[str, Dict[str, int]]:
    """The device source of a TileLang program for a target, and how it is launched; nothing is compiled.

    Blocks and dynamic shared memory of a launch stand in no device source: `grid.blocks` and `grid.shared_bytes`, each of
    all kernels together, where they are known when it is lowered.
    """
    import tilelang
    from tilelang import tvm

    goal = tvm.target.Target(target)
    with goal, tvm.transform.PassContext(opt_level=3, config=configs or {}):
        artifact = tilelang.lower(program, target=goal)
    blocks = shared = 0
    for function in artifact.device_mod.functions.values():
        extents = dict(function.attrs.get("thread_extent") or {})
        sizes = [extents.get(f"blockIdx.{axis}", 1) for axis in "xyz"]
        if not all(str(size).isdigit() for size in sizes):
            return artifact.kernel_source, {}
        count = 1
        for size in sizes:
            count *= int(size)
        blocks, shared = blocks + count, shared + int(function.attrs.get("dyn_shared_memory_buf") or 0)
    return artifact.kernel_source, {"grid.blocks": blocks, "grid.shared_bytes": shared}


def source_of(program: Any, target: Dict[str, str], configs: Optional[Dict[str, Any]] = None) -> str:
    """The device source alone."""
    return lowered(program, target, configs)[0]


def lower(campaign: str) -> Tuple[Any, List[Dict[str, Any]], Dict[str, str]]:
    """The settings of a campaign, each with `sha256` or `refused`, and the sources by name."""
    module, rows, sources = settings_of(campaign), [], {}
    for setting in module.settings():
        row = {key: setting[key] for key in ("name", "knob", "value", "of") if setting.get(key) is not None}
        try:
            program, configs = module.program(setting)
            text, row["launch"] = lowered(program, module.TARGET, configs)
        except Exception as e:  # what TileLang refuses is a finding of its own
            if not setting.get("refused"):
                raise
            row["refused"] = str(e).strip().splitlines()[-1].strip()[:200] if str(e).strip() else type(e).__name__
        else:
            row["sha256"] = hashlib.sha256(text.encode()).hexdigest()
            sources[setting["name"]] = text
        rows.append(row)
    return module, rows, sources


def golden_of(campaign: str, assay: str, keep: Optional[str]) -> Dict[str, Any]:
    """What is kept of a campaign."""
    import tilelang

    module, rows, sources = lower(campaign)
    if keep:
        folder = os.path.join(keep, campaign_name(campaign))
        os.makedirs(folder, exist_ok=True)
        for name, text in sources.items():
            with open(os.path.join(folder, name + ".cu"), "w", encoding="utf-8") as f:
                f.write(text)
    taken = facts(sources, assay, getattr(module, "LANGUAGE", "cuda"))
    for row in rows:
        row.update(taken.get(row["name"], {}))
    return {"schema": SCHEMA, "campaign": campaign_name(campaign), "tilelang": tilelang.__version__.split("+")[0],
            "target": module.TARGET, "settings": rows}


def write(golden: Dict[str, Any]) -> str:
    """One line for each setting: small to read in a diff."""
    head = {key: value for key, value in golden.items() if key != "settings"}
    lines = ",\n".join("  " + json.dumps(row, sort_keys=True) for row in golden["settings"])
    return json.dumps(head, sort_keys=True)[:-1] + ', "settings": [\n' + lines + "\n]}\n"


MISSING = "nothing"


def flat(value: Any, at: str = "") -> Dict[str, str]:
    """The leaves of what is kept, by their path: `facts.barrier.count`."""
    if isinstance(value, dict):
        return {path: text for key in value for path, text in flat(value[key], f"{at}.{key}" if at else str(key)).items()}
    return {at: json.dumps(value, sort_keys=True)}


def differences(stored: Dict[str, Any], now: Dict[str, Any]) -> List[Tuple[str, str, str, str]]:
    """What differs between stored golden facts and those of now: setting, key, stored, now."""
    out: List[Tuple[str, str, str, str]] = []

    def compare(setting: str, old: Dict[str, str], new: Dict[str, str]) -> None:
        keys = [*old, *(key for key in new if key not in old)]
        out.extend((setting, key, old.get(key, MISSING), new.get(key, MISSING)) for key in keys if old.get(key) != new.get(key))

    heads = [flat({key: value for key, value in golden.items() if key != "settings"}) for golden in (stored, now)]
    compare("(all)", *heads)
    sides = [{row["name"]: row for row in golden["settings"]} for golden in (stored, now)]
    for name in [*sides[0], *(name for name in sides[1] if name not in sides[0])]:
        if any(name not in side for side in sides):
            out.append((name, "setting", *("there" if name in side else MISSING for side in sides)))
        else:
            compare(name, *(flat(side[name]) for side in sides))
    order = [[row["name"] for row in golden["settings"]] for golden in (stored, now)]
    if not out and order[0] != order[1]:
        out.append(("(all)", "order of settings", *(", ".join(names) for names in order)))
    return out


def told(found: List[Tuple[str, str, str, str]], most: int = 20) -> List[str]:
    """Lines on the first of what differs, and how many more there are."""
    lines = [f"  {setting}: {key}: stored {old[:100]}, now {new[:100]}" for setting, key, old, new in found[:most]]
    if len(found) > most:
        lines.append(f"  and {len(found) - most} more")
    return lines


def check(path: str, golden: Dict[str, Any], text: str) -> bool:
    """Says whether what is kept is what is lowered now, and what differs."""
    try:
        with open(path, encoding="utf-8") as f:
            kept = f.read()
        stored = json.loads(kept)
        found = differences(stored, golden)
    except (OSError, ValueError, KeyError, TypeError) as e:
        print(f"{path}: cannot be compared: {type(e).__name__}: {e}")
        return False
    if kept == text:
        print(f"{path}: as lowered")
        return True
    if not found:
        print(f"{path}: the same facts, written otherwise; without --check it is written anew")
        return False
    settings = len({setting for setting, *_ in found})
    print(f"{path}: differs from what is lowered now, {len(found)} values in {settings} settings:")
    print("\n".join(told(found)))
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description="Lower the settings of TileLang campaigns and keep the facts.")
    parser.add_argument("campaigns", nargs="+", help="folders of campaigns with golden/settings.py")
    parser.add_argument("--assay", help="the program that takes the facts")
    parser.add_argument("--sources", help="keep the sources in this folder too")
    parser.add_argument("--check", action="store_true", help="say what differs from golden/facts.json and write nothing")
    arguments = parser.parse_args()
    assay, different = find_assay(arguments.assay), 0
    for campaign in arguments.campaigns:
        golden, path = golden_of(campaign, assay, arguments.sources), path_of(campaign)
        if arguments.check:
            different += not check(path, golden, write(golden))
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(write(golden))
            print(f"{path}: written")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
