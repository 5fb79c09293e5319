"""Kernels of the stand-in device: what those of the dense layer do, in torch; `pass_config` of a subject asks for faults."""

import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harness"))

import subject  # noqa: E402


def kernels(built, workload, dims):
    """In the place of `Built.kernels`: nothing is compiled, and no source is looked at."""
    fault, r = built.settings["pass_config"], built.settings["b_interleave"]

    def gemm(a, b, c):
        if fault == "refuses":
            raise RuntimeError("more shared memory than a block may have")
        k, n = b.shape
        plain = b.view(k // r, n, r).permute(0, 2, 1).reshape(k, n) if r else b
        c.copy_((a.float() @ plain.float()).half())
        if fault == "wrong":
            c[-1, -1] += 1

    return {"gemm": gemm}


def install():
    """What standin.py asks for before the evaluator begins."""
    subject.Built.kernels = kernels
