"""Hints: which configurations to try first, ranked from facts of the device and the shape; standard library only.

Nothing is compiled or measured. A configuration that cannot run is left out; for the others a time is estimated from
what it has to move and to compute, and the smallest come first. The model is coarse on purpose: it has to name ten of
288, not the best one.
"""

import itertools
from dataclasses import dataclass

SPACE = {"block_m": (64, 128, 256), "block_n": (64, 128, 256), "block_k": (32, 64), "num_stages": (0, 1, 2, 3),
         "threads": (128, 256), "rasterize": (True, False)}
# Registers that a thread needs beside its sums, for addresses, operands and the loop; assumed.
OTHER_REGISTERS, MOST_REGISTERS = 40, 255
# Share of repeated reads that the last-level cache serves; assumed.
KEPT = 0.9


@dataclass(frozen=True)
class Device:
    """What the ranking asks of a device. Sizes in bytes, rates in bytes and operations a second."""

    name: str
    units: int
    wave: int
    shared_per_block: int
    shared_per_unit: int
    registers_per_unit: int
    threads_per_unit: int
    l2: int
    bandwidth: float
    peak: float


# As in profiles/devices of Assay, where each figure has its origin.
DEVICES = {
    "h200": Device("h200", 132, 32, 232448, 233472, 65536, 2048, 62914560, 4.8e12, 989.4e12),
    "h800": Device("h800", 132, 32, 232448, 233472, 65536, 2048, 52428800, 3.35e12, 989.4e12),
    "c500": Device("c500", 104, 64, 65536, 65536, 131072, 2048, 8388608, 1.8432e12, 239.6e12),
}


def of_torch(index=0):
    """The device that torch has: what it tells, and rates of the one of DEVICES that it is, else of one like it."""
    import torch

    told = torch.cuda.get_device_properties(index)
    like = next((d for name, d in DEVICES.items() if name in told.name.lower()), DEVICES["c500" if told.warp_size == 64 else "h200"])
    shared = getattr(told, "shared_memory_per_block_optin", 0) or like.shared_per_block
    return Device(told.name, told.multi_processor_count, getattr(told, "warp_size", like.wave), shared,
                  getattr(told, "shared_memory_per_multiprocessor", 0) or like.shared_per_unit,
                  getattr(told, "regs_per_multiprocessor", 0) or like.registers_per_unit,
                  getattr(told, "max_threads_per_multi_processor", 0) or like.threads_per_unit,
                  getattr(told, "L2_cache_size", 0) or like.l2, like.bandwidth, like.peak)


def configs():
    """All 288 configurations, in the order of the published search."""
    return [dict(zip(SPACE, values)) for values in itertools.product(*SPACE.values())]


def shared_bytes(config, sparse=False):
    """Shared memory of a block: all stages of both operands, or the staged result where that is more (they share)."""
    a = config["block_m"] * config["block_k"] * 2
    # Half of the values, and one bit of metadata for each element.
    a = a // 2 + config["block_m"] * config["block_k"] // 8 if sparse else a
    b = config["block_n"] * config["block_k"] * 2
    return max(max(1, config["num_stages"]) * (a + b), config["block_m"] * config["block_n"] * 2)


def warp_tile(config, device):
    """(rows, columns) of the sums that one wave holds, split as squarely as the waves allow, at least 16 by 8."""
    waves = config["threads"] // device.wave
    best = None
    for rows in (r for r in range(1, waves + 1) if waves % r == 0):
        tile = (config["block_m"] // rows, config["block_n"] // (waves // rows))
        if tile[0] >= 16 and tile[1] >= 8 and (best is None or abs(tile[0] - tile[1]) < abs(best[0] - best[1])):
            best = tile
    return best


def blocks_per_unit(config, device, sparse=False):
    """How many blocks one unit holds at once; 0 when not even one."""
    sums = config["block_m"] * config["block_n"] // config["threads"]
    if sums + OTHER_REGISTERS > MOST_REGISTERS or warp_tile(config, device) is None:
        return 0
    shared = shared_bytes(config, sparse)
    if shared > device.shared_per_block:
        return 0
    return min(device.shared_per_unit // shared, device.registers_per_unit // ((sums + OTHER_REGISTERS) * config["threads"]),
               device.threads_per_unit // config["threads"])


def estimate(config, m, n, k, device, sparse=False):
    """Seconds by the model, or None for a configuration that cannot run."""
    blocks = blocks_per_unit(config, device, sparse)
    if not blocks:
        return None
    tiles = -(-m // config["block_m"]) * -(-n // config["block_n"])
    rounds = -(-tiles // (device.units * blocks))
    # Units that have work, over all rounds; the last one is mostly not full.
    busy = tiles / (rounds * device.units * blocks)
    rows, columns = warp_tile(config, device)
    # A wave reads rows + columns values for rows * columns products: small tiles wait for shared memory.
    reuse = min(1.0, rows * columns / (rows + columns) / 32)
    # Copies hide behind products when there is a stage ahead, or another block on the unit.
    ahead = max(0, config["num_stages"] - 1) + blocks - 1
    overlap = min(1.0, 0.55 + 0.15 * ahead)
    # What is done once in each step costs less when steps are longer.
    steps = config["block_k"] / (config["block_k"] + 8)
    padded = tiles * config["block_m"] * config["block_n"] * 2.0 * k / (2 if sparse else 1)
    compute = padded / (device.peak * busy * reuse * overlap * steps)
    # Every column of blocks reads A, every row of blocks reads B; the last-level cache serves most of it.
    per_a, per_b = m * k * (9 / 8 if sparse else 2.0), n * k * 2.0
    reads = per_a * -(-n // config["block_n"]) + per_b * -(-m // config["block_m"])
    traffic = max(per_a + per_b, reads * (1 - KEPT)) + m * n * 2.0
    return max(compute, traffic / device.bandwidth)


def rasterizes(m, n, k, device):
    """Whether blocks should go in panels: where both operands do not fit into the last-level cache side by side."""
    return (m + n) * k * 2 > device.l2


def hints(m, n, k, device, top=10, sparse=False):
    """The `top` configurations with the smallest estimates, each with `estimate` in seconds.

    The order of blocks follows from the shape, so that no two hints differ in it alone.
    """
    ranked = []
    for number, config in enumerate(configs()):
        seconds = estimate(config, m, n, k, device, sparse)
        if seconds is not None and config["rasterize"] == rasterizes(m, n, k, device):
            ranked.append((seconds, number, config))
    return [{**config, "estimate": seconds} for seconds, _, config in sorted(ranked, key=lambda r: r[:2])[:top]]
