"""The campaign without a device: its files, knobs, oracle and golden facts. What needs torch or TileLang says so and is skipped."""

import importlib.util
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(os.path.dirname(CAMPAIGN), "lower"), os.path.join(CAMPAIGN, "harness")]

import shapes  # noqa: E402
import subject  # noqa: E402
from golden import GoldenFacts, load  # noqa: E402

settings = subject.module(CAMPAIGN, "settings")
layout = subject.module(CAMPAIGN, "layout")
TORCH = importlib.util.find_spec("torch") is not None
FILES = {"dense": "assay.toml", **{name: f"layers/{name}.toml" for name in ("grouped", "gate-up", "swiglu", "moe")}}


def text_of(name):
    with open(os.path.join(CAMPAIGN, name), encoding="utf-8") as f:
        return f.read()


class Golden(GoldenFacts, unittest.TestCase):
    campaign = CAMPAIGN
    knobs = ("a_width", "b_feed", "b_interleave", "b_shared", "b_vector", "block_k", "block_m", "block_n", "c_staging", "c_swizzle",
             "c_width", "dispatch", "layer", "panel", "path", "policy", "stages", "threads")

    def test_every_knob_is_among_them(self):
        self.assertEqual(sorted({*self.knobs} - {"layer"}), sorted({*settings.DEFAULTS} - {"pass_config"}))

    def test_the_gate_expects_the_matrix_instructions_that_are_there(self):
        spec = importlib.util.spec_from_file_location("of_settings", os.path.join(CAMPAIGN, "golden", "settings.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        facts = {row["name"]: row["facts"] for row in load(CAMPAIGN)["settings"]}
        for row in module.settings():
            # Of a mixture of experts the gate and up projections are lowered here.
            layer = "swiglu" if row["layer"] == "moe" else row["layer"]
            found = facts[row["name"]]["mma.count"]
            self.assertEqual(found, shapes.mma_expected(layer, "cuda", settings.complete(row["params"]), found), row["name"])

    def test_what_is_lost_is_missed(self):
        plain, piped = settings.complete({}), settings.complete({"stages": 3})
        self.assertEqual([shapes.mma_expected("dense", "maca", plain, n) for n in (0, 2, 4)], [2, 2, 2])
        self.assertEqual([shapes.mma_expected("gate-up", "cuda", plain, n) for n in (0, 2, 4)], [4, 4, 4])
        self.assertEqual([shapes.mma_expected("dense", "cuda", piped, n) for n in (0, 1, 3, 6)], [2, 2, 2, 6])


class Files(unittest.TestCase):
    def common(self, layer):
        """What all campaign files share, with the layer's own words taken out."""
        text = text_of(FILES[layer])
        begin = text.index("# Every knob")
        text = text[begin:].replace(f"build.py {layer}", "build.py LAYER")
        text = re.sub(r'(\[profile\]\ncommand = "[^\n]*"\n)workload = "[^"]*"\n', r"\1", text)
        return re.sub(r'(?s)(# On integers[^\n]*\n)?\[\[gate\]\]\nname = "(exact|absolute)".*?(?=\n\[\[gate)', "", text)

    def test_the_five_files_are_one_but_for_the_layer(self):
        for layer in FILES:
            self.assertEqual(self.common(layer), self.common("dense"), layer)

    def test_parameters_are_the_knobs_with_their_defaults(self):
        text = text_of("assay.toml")
        block = text[text.index("[params]"):text.index("# The vendor's")]
        said = dict(re.findall(r"^(\w+) = (.+)$", block, re.M))
        self.assertEqual(said, {k: f'"{v}"' if isinstance(v, str) else str(v).lower() for k, v in settings.DEFAULTS.items()})

    def test_a_mixture_of_experts_becomes_the_shape_of_a_gemm(self):
        dims = dict(shapes.workloads(text_of("assay.toml")))["moe-131072x2048x7168"]
        self.assertEqual((dims["M"], dims["N"], dims["K"]), (131072, 2048, 7168))
        self.assertEqual(shapes.inputs("dense", dims), {"A": (131072, 7168), "B": (7168, 2048)})

    def test_names_say_the_shape(self):
        for layer, name in FILES.items():
            for workload, d in shapes.workloads(text_of(name)):
                self.assertIn(f"{d['M']}x{d['N']}x{d['K']}", workload.replace("tail-1000x1024x2048", f"{d['M']}x{d['N']}x{d['K']}"))

    def test_every_layer_has_a_workload_with_a_tail(self):
        for layer, name in FILES.items():
            self.assertTrue(any(d["M"] % 128 for _, d in shapes.workloads(text_of(name))), layer)

    def test_history_is_made_of_settings_that_can_be_built(self):
        folder = os.path.join(CAMPAIGN, "history")
        listed = re.findall(r'^folder = "([^"]+)"$', text_of("history/history.toml"), re.M)
        self.assertEqual(sorted(listed), sorted(d for d in os.listdir(folder) if os.path.isdir(os.path.join(folder, d))))
        for name in listed:
            given = {}
            for knob, value in re.findall(r"^(\w+) = (.+)$", text_of(f"history/{name}/variant.toml"), re.M):
                given[knob] = {"true": True, "false": False}.get(value, value.strip('"') if '"' in value else None)
                if given[knob] is None:
                    given[knob] = int(value)
            settings.complete(given)


class Knobs(unittest.TestCase):
    def test_what_cannot_be_is_refused_by_name(self):
        for given, words in [({"pannel": 2}, "pannel"), ({"panel": 5}, "panel = 5"), ({"stages": True}, "stages"),
                             ({"c_staging": 1}, "c_staging"), ({"block_m": 100}, "block_m"),
                             ({"path": "wgmma", "dispatch": "fused"}, "dispatch"), ({"b_interleave": 3}, "b_interleave")]:
            with self.assertRaisesRegex(settings.Refused, words):
                settings.complete(given)

    def test_an_interleaved_tile_is_never_read_as_a_plain_one_on_cuda(self):
        for r in (2, 4, 8, 16):
            s = settings.complete({"b_interleave": r})
            self.assertEqual(settings.feed(s, "cuda"), "transposed" if r >= 8 else "fragment")
            self.assertEqual(settings.feed(s, "maca"), "shared")
            with self.assertRaisesRegex(settings.Refused, "interleaved tile"):
                settings.feed({**s, "b_feed": "shared"}, "cuda")
        self.assertEqual(settings.feed(settings.complete({"b_interleave": 4, "b_shared": "plain"}), "cuda"), "shared")

    def test_pass_configuration_is_read_from_text(self):
        s = settings.complete({"pass_config": "a.b=true, c=3, d=x"})
        self.assertEqual(settings.pass_configs(s, "maca"), {"a.b": True, "c": 3, "d": "x"})
        self.assertIn("tl.disable_wgmma", settings.pass_configs(s, "cuda"))

    def test_groups_have_no_warp_for_loads_where_wgmma_is_taken(self):
        s = settings.complete({"path": "wgmma", "stages": 3})
        self.assertEqual(settings.pass_configs(s, "cuda", "dense"), {})
        for layer in ("grouped", "moe"):
            self.assertEqual(settings.pass_configs(s, "cuda", layer), {"tl.disable_warp_specialized": True})

    def test_a_swizzle_keeps_elements_apart_and_whole_groups_together(self):
        for width in (32, 64, 128, 256, 512, 1024):
            seen = set()
            for i in range(128):
                for j in range(128):
                    row, column = layout.swizzled(i, j, width)
                    self.assertEqual((row, column % 8), (i, j % 8))
                    seen.add((row, column))
            self.assertEqual(len(seen), 128 * 128)
            # Wider than the row of 256 bytes, it spreads over as many bytes as it is wide.
            self.assertEqual(max(column for _, column in seen) + 1, max(128, width // 2))

    def test_rows_of_a_column_fall_into_as_many_groups_as_the_swizzle_has(self):
        for width in (32, 64, 128, 256):
            self.assertEqual(len({layout.swizzled(i, 0, width)[1] for i in range(128)}), width // 16)

    def test_matrix_instructions_are_counted_by_target(self):
        maca = "acc = __builtin_mxc_mma_16x16x16f16(b, a, acc); acc = __builtin_mxc_mma_16x16x16f16(b, a, acc);"
        self.assertEqual(shapes.mma_builtins("maca", maca), 2)
        self.assertEqual(shapes.mma_builtins("maca", "__builtin_mxc_mma_16x16x16bf16(b, a, acc)"), 0)
        half = "tl::mma_sync<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat16, 16, 8, 16, false, true>(c, a, b)"
        self.assertEqual(shapes.mma_builtins("cuda", half), 0)
        self.assertEqual(shapes.mma_builtins("cuda", half.replace("kFloat16, 16", "kFloat32, 16")), 1)


@unittest.skipUnless(TORCH, "needs torch")
class Oracle(unittest.TestCase):
    DIMS = shapes.gemm_dims({"batch": 1, "seq": 21, "top_k": 3, "hidden": 64, "intermediate": 32, "experts": 5})

    def setUp(self):
        global torch, oracle
        import oracle
        import torch

        self.generator = torch.Generator().manual_seed(7)

    def naive(self, layer, d, x):
        """Element by element in another order than the oracle's, with fp32 sums and fp16 results as kernels have them."""
        def mm(a, b):
            return (a.float() @ b.float()).half()

        def gated(a, g, u):
            gate = a.float() @ g.float()
            return (gate * torch.sigmoid(gate) * (a.float() @ u.float())).half()

        if layer == "dense":
            return mm(x["A"], x["B"])
        if layer == "gate-up":
            return torch.stack([mm(x["A"], x["G"]), mm(x["A"], x["U"])])
        if layer == "swiglu":
            return gated(x["A"], x["G"], x["U"]).unsqueeze(0)
        if layer == "grouped":
            ends = x["sizes"].cumsum(0)
            expert = [int((ends <= i).sum()) for i in range(d["M"])]
            return torch.stack([mm(x["A"][i:i + 1], x["B"][e])[0] for i, e in enumerate(expert)])
        rows = []
        for t in range(len(x["X"])):
            row = torch.zeros(d["K"])
            for c in range(d["top_k"]):
                e = int(x["ids"][t, c])
                hidden = gated(x["X"][t:t + 1], x["G"][e], x["U"][e])
                row += float(x["weights"][t, c]) * mm(hidden, x["D"][e])[0].float()
            rows.append(row.half())
        return torch.stack(rows)

    def test_what_is_right_is_taken_for_right_and_a_fault_is_found(self):
        for layer in shapes.LAYERS:
            x = oracle.draw(layer, self.DIMS, self.generator, "cpu")
            want = oracle.expected(layer, self.DIMS, x)
            out = self.naive(layer, self.DIMS, x)
            self.assertEqual(out.shape, torch.Size(shapes.output(layer, self.DIMS)))
            absolute, units = want.errors(out)
            self.assertLessEqual(units, 1.0, layer)
            self.assertGreater(units, 0.01, layer)
            flat = out.view(-1).clone()
            at = int(flat.abs().argmax())
            flat[at] = flat[at] * 1.02
            self.assertGreater(want.errors(flat.view(out.shape))[1], 1.0, layer)
            flat[at] = float("nan")
            self.assertEqual(want.errors(flat.view(out.shape))[1], float("inf"), layer)
            quick = oracle.expected(layer, self.DIMS, x, torch.float32)
            self.assertLessEqual(quick.errors(out)[1], 1.0, layer)

    def test_sums_in_half_precision_are_wrong(self):
        d = shapes.gemm_dims({"batch": 1, "seq": 8, "top_k": 1, "hidden": 512, "intermediate": 16})
        x = oracle.draw("dense", d, self.generator, "cpu")
        total = torch.zeros(d["M"], d["N"], dtype=torch.float16)
        for k in range(d["K"]):
            total += x["A"][:, k:k + 1] * x["B"][k:k + 1]
        self.assertGreater(oracle.expected("dense", d, x).errors(total)[1], 1.0)

    def test_integers_have_one_right_result(self):
        for layer in ("dense", "grouped", "gate-up"):
            x = oracle.draw(layer, self.DIMS, self.generator, "cpu", integers=True)
            self.assertEqual(oracle.expected(layer, self.DIMS, x, torch.float32).errors(self.naive(layer, self.DIMS, x))[0], 0.0)

    def test_groups_are_uneven_and_one_is_empty(self):
        for rows, experts in ((63, 5), (1000, 16), (7, 8)):
            sizes = oracle.group_sizes(rows, experts, self.generator, "cpu").tolist()
            self.assertEqual((sum(sizes), len(sizes)), (rows, experts))
            self.assertTrue(min(sizes) == 0 and max(sizes) > rows // experts, sizes)

    def test_packing_is_that_of_the_layout(self):
        w = torch.arange(2 * 16 * 3, dtype=torch.float16).view(2, 16, 3)
        for r in (2, 4, 8, 16):
            packed = torch.empty_like(w)
            layout.interleave(w, packed, r)
            for e in range(2):
                for k in range(16):
                    for n in range(3):
                        self.assertEqual(packed[e].view(-1)[(k // r * 3 + n) * r + k % r], w[e, k, n])
        with self.assertRaisesRegex(ValueError, "multiple"):
            layout.interleave(w, w, 5)


if __name__ == "__main__":
    unittest.main()
