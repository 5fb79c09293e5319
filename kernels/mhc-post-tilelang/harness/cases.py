"""Shapes (B, N, C) beyond the workloads that a kernel has to get right; they are built and checked with every variant."""

# Which shapes the published tests name: usual ones, the smallest, other numbers of branches, channels that fill no
# tile, and both sides of the dispatch boundary.
CASES = {
    "minimum": (1, 1, 1),
    "even": (2, 4, 1024),
    "three-branches": (1, 3, 128),
    "tail-65": (2, 4, 65),
    "tail-127": (9, 4, 127),
    "tail-129": (3, 3, 129),
    "tail-129-n4": (65, 4, 129),
    "below-boundary": (7, 4, 256),
    "at-boundary": (8, 4, 256),
    "eight-branches": (9, 8, 192),
    "rows-tail": (67, 2, 640),
}
# No kernel runs for these: the operator returns an empty result of the right shape.
EMPTY = {"no-rows": (0, 4, 128), "no-branches": (4, 0, 128), "no-channels": (4, 4, 0)}


def name_of(case):
    """Name of the kernel of a case."""
    return "case-" + case
