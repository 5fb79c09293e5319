"""The knobs of the kernels, with their defaults and what each may be. No import of torch or TileLang."""

from __future__ import annotations

from typing import Any, Dict, Mapping

# The first version of the history: C staged through shared memory with swizzle 256, panels of 4, B as it comes.
DEFAULTS: Dict[str, Any] = {
    "path": "mma",
    "block_m": 128,
    "block_n": 128,
    "block_k": 64,
    "threads": 256,
    "stages": 0,
    "panel": 4,
    "policy": "Square",
    "a_width": 0,
    "b_interleave": 0,
    "b_shared": "interleaved",
    "b_vector": True,
    "b_feed": "auto",
    "c_staging": True,
    "c_swizzle": 256,
    "c_width": 4,
    "dispatch": "copy",
    "pass_config": "",
}

CHOICES: Dict[str, tuple] = {
    "path": ("mma", "wgmma"),
    "threads": (64, 128, 256, 384, 512, 1024),
    "stages": tuple(range(0, 9)),
    "panel": (0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 32),
    "policy": ("Square", "FullRow", "FullCol"),
    "a_width": (0, 1, 2, 4, 8),
    "b_interleave": (0, 2, 4, 8, 16),
    "b_shared": ("interleaved", "plain"),
    "b_vector": (False, True),
    "b_feed": ("auto", "shared", "fragment", "transposed"),
    "c_staging": (False, True),
    "c_swizzle": (0, 32, 64, 128, 256, 512, 1024),
    "c_width": (0, 1, 2, 4, 8),
    "dispatch": ("copy", "fused"),
}


class Refused(ValueError):
    """Settings that cannot be built; the message says which and why."""


def complete(given: Mapping[str, Any]) -> Dict[str, Any]:
    """The settings with defaults for what is not given, checked one by one and against each other."""
    unknown = sorted(set(given) - set(DEFAULTS))
    if unknown:
        raise Refused(f"no knob is called {', '.join(unknown)}; there are {', '.join(DEFAULTS)}")
    s = {**DEFAULTS, **given}
    for knob, choices in CHOICES.items():
        if s[knob] not in choices or isinstance(s[knob], bool) != isinstance(choices[0], bool):
            raise Refused(f"{knob} = {s[knob]!r}: must be one of {', '.join(map(str, choices))}")
    for knob in ("block_m", "block_n", "block_k"):
        if isinstance(s[knob], bool) or not isinstance(s[knob], int) or s[knob] < 16 or s[knob] % 16:
            raise Refused(f"{knob} = {s[knob]!r}: must be a multiple of 16")
    if s["dispatch"] == "fused" and s["path"] == "wgmma":
        raise Refused("dispatch = \"fused\" gathers rows by threads, and path = \"wgmma\" loads tiles as a whole")
    if s["block_k"] % max(1, s["b_interleave"]):
        raise Refused(f"block_k = {s['block_k']} is no multiple of b_interleave = {s['b_interleave']}")
    return s


def feed(s: Mapping[str, Any], target: str) -> str:
    """How B goes from shared memory to the matrix unit.

    On `maca` from the interleaved tile itself, which is what the interleave is for. The CUDA lowering reads a tile in
    shared memory with ldmatrix, which takes eight values in a row: an interleaved tile would be read wrongly and without
    a word. There, eight and sixteen in a row along K are a tile of the transposed matrix, and two and four go through
    registers value by value.
    """
    interleaved = s["b_interleave"] and s["b_shared"] == "interleaved"
    if s["b_feed"] != "auto":
        if s["b_feed"] == "shared" and interleaved and target == "cuda":
            raise Refused("b_feed = \"shared\" with an interleaved tile: the CUDA lowering reads it as if it were not interleaved")
        if s["b_feed"] == "transposed" and not (interleaved and s["b_interleave"] >= 8):
            raise Refused("b_feed = \"transposed\" needs an interleaved tile and b_interleave 8 or 16")
        return s["b_feed"]
    if not interleaved or target == "maca":
        return "shared"
    return "transposed" if s["b_interleave"] >= 8 else "fragment"


def pass_configs(s: Mapping[str, Any], target: str, layer: str = "dense") -> Dict[str, Any]:
    """Pass configuration of TileLang: what `path` asks for, and what `pass_config` adds (`key=value`, with commas)."""
    configs: Dict[str, Any] = {}
    if target == "cuda" and s["path"] == "mma":
        # Loads by threads and mma.sync, as the other target has them. Without these Hopper takes TMA and wgmma, which
        # leave most knobs nothing to do.
        configs = {"tl.disable_tma_lower": True, "tl.disable_warp_specialized": True, "tl.disable_wgmma": True}
    elif target == "cuda" and layer in ("grouped", "moe"):
        # With a warp for the loads, TileLang 0.1.15 looks for the group of a block in both branches, and asks before them
        # whether there is one: from memory that nothing wrote. Every block is then without a group.
        configs = {"tl.disable_warp_specialized": True}
    for item in filter(None, (part.strip() for part in s["pass_config"].split(","))):
        key, _, value = item.partition("=")
        configs[key.strip()] = {"true": True, "false": False}.get(value.strip(), value.strip())
        if value.strip().isdigit():
            configs[key.strip()] = int(value)
    return configs
