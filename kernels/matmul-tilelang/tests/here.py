"""Where things are, and what is here: torch, TileLang, a device."""

import importlib.util
import os
import sys

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.dirname(CAMPAIGN)
HARNESS = os.path.join(KERNELS, "harness")
sys.path[:0] = [os.path.join(CAMPAIGN, "harness"), os.path.join(CAMPAIGN, "kernel"), HARNESS,
                os.path.join(HARNESS, "tests"), os.path.join(KERNELS, "lower")]


def missing(*names):
    """The reason to skip, or an empty text: which of these is not here; `device` is a device of torch."""
    for name in names:
        if name == "device":
            import torch

            if not torch.cuda.is_available():
                return "needs a device that torch can use"
        elif importlib.util.find_spec(name) is None:
            return f"needs {name}, which is not installed here"
    return ""
