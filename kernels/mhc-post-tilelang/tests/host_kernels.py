"""Kernels of the stand-in device: what a library of this campaign would do, in torch; a symbol that ends in `wrong` does not."""

import torch


def entry(path, symbol):
    """launch(x, h, res, out)."""

    def launch(x, h, res, out):
        batch, n = h.shape
        value = h.unsqueeze(2) * x.unsqueeze(1).float() + res.view(batch, n, -1).float()
        if symbol.endswith("wrong"):
            value[:, :, -1] = 0
        out.copy_(value.view(batch, -1).to(torch.bfloat16))

    return launch
