"""mhc_post: workloads, formulas and dispatch; the oracle and the operator with torch; kernels where a device is."""

import concurrent.futures
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CAMPAIGN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(CAMPAIGN), "harness", "tests"))

import support  # noqa: E402

support.paths(CAMPAIGN)

import campaign  # noqa: E402
import cases  # noqa: E402

NO_TORCH = support.missing("torch")
NO_TILELANG = NO_TORCH or support.missing("tilelang")
NO_DEVICE = NO_TILELANG or support.missing("device")

if not NO_TORCH:
    import torch


class Files(unittest.TestCase):
    def test_fifteen_workloads_with_the_published_work(self):
        shapes = campaign.shapes()
        self.assertEqual(len(shapes), 15)
        with open(campaign.FILE, encoding="utf-8") as f:
            lines = dict(line.strip().split(" = ", 1) for line in f if line.startswith(("flops = ", "bytes = ")))

        def work(key, shape):
            return eval(lines[key].strip('"'), {}, dict(zip("BNC", shape)))

        # As printed in the table of the published report.
        for shape, flops, moved in [((128, 4, 4096), 4194304, 9439232), ((8192, 4, 4096), 268435456, 604110848),
                                    ((4096, 4, 7168), 234881024, 528547840), ((128, 2, 2048), 1048576, 2622464),
                                    ((128, 8, 1024), 2097152, 4460544)]:
            self.assertIn(shape, shapes.values())
            self.assertEqual((work("flops", shape), work("bytes", shape)), (flops, moved))

    def test_the_cases_hold_both_sides_of_the_boundary_and_every_tail(self):
        shapes = list(cases.CASES.values())
        self.assertTrue({65, 127, 129} <= {c for _, _, c in shapes})
        self.assertTrue({7, 8} <= {b for b, n, _ in shapes if n == 4})
        self.assertIn((1, 1, 1), shapes)
        self.assertTrue({1, 2, 3, 8} <= {n for _, n, _ in shapes})


@unittest.skipIf(NO_TILELANG, NO_TILELANG)
class Dispatch(unittest.TestCase):
    def test_four_branches_from_eight_rows_on(self):
        import mhc_post

        found = [mhc_post.mapping(b, n) for b, n in [(7, 4), (8, 4), (7, 4), (8192, 4), (8, 3), (8, 5), (128, 2), (128, 8), (1, 1)]]
        self.assertEqual(found, ["generic", "all_n4", "generic", "all_n4"] + ["generic"] * 5)

    def test_a_configuration_outside_the_space_is_refused_and_rows_bound_a_block(self):
        import mhc_post

        with self.assertRaisesRegex(ValueError, "block_b = 16"):
            mhc_post.plan(64, 4, 128, {"block_b": 16})
        with self.assertRaisesRegex(ValueError, "no parameter stages"):
            mhc_post.plan(64, 4, 128, {"stages": 2})
        self.assertEqual(mhc_post.plan(3, 4, 128, {"block_b": 64, "threads": "256", "block_c": 0})[1],
                         {"block_b": 3, "block_c": 128, "threads": 256})

    def test_the_baseline_refuses_channels_that_it_would_leave_unwritten(self):
        import baselines

        with self.assertRaisesRegex(ValueError, "C = 129"):
            baselines.unoptimized(4, 4, 129)

    def test_the_review_matrix_has_all_workloads(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "matrix.json")
            done = subprocess.run([sys.executable, os.path.join(CAMPAIGN, "harness", "matrix.py"), "-o", path],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as f:
                matrix = json.load(f)
        self.assertEqual([row["name"] for row in matrix["rows"]], list(campaign.shapes()))
        for row in matrix["rows"]:
            batch, n, c = row["shape"]
            self.assertEqual(row["mapping"], "all_n4" if n == 4 and batch >= 8 else "generic")
            self.assertEqual(row["output"], {"shape": [batch, n * c], "dtype": "bfloat16", "contiguous": True})
            self.assertRegex(row["source_sha256"], "^[0-9a-f]{64}$")
            self.assertEqual(row["barriers"], 1)
            self.assertEqual(row["oracle"], "not run" if NO_DEVICE else "pass")


@unittest.skipIf(NO_TORCH, NO_TORCH)
class Oracle(unittest.TestCase):
    def setUp(self):
        import oracle

        self.oracle = oracle
        self.x, self.h, self.res = oracle.inputs((33, 4, 129), "cpu", torch.Generator().manual_seed(7))

    def units(self, out):
        return self.oracle.errors(self.x, self.h, self.res, out)[1]

    def test_the_published_reference_is_right_and_rounding_takes_all_that_is_allowed(self):
        right = self.oracle.reference(self.x, self.h, self.res)
        self.assertEqual((right.shape, right.dtype), ((33, 4 * 129), torch.bfloat16))
        self.assertTrue(0.9 < self.units(right) <= 1, self.units(right))

    def test_a_product_in_bf16_and_a_lost_branch_are_wrong(self):
        x, h, res = self.x, self.h, self.res
        product = (h.unsqueeze(2) * x.float().unsqueeze(1)).to(torch.bfloat16).view(33, -1)
        self.assertGreater(self.units((product.float() + res.float()).to(torch.bfloat16)), 2)
        lost = self.oracle.reference(x, h, res)
        lost[:, 129:258] = res[:, 129:258]
        self.assertGreater(self.units(lost), 10)

    def test_an_unwritten_tail_is_no_number(self):
        out = self.oracle.reference(self.x, self.h, self.res)
        out[:, -1] = float("nan")
        difference, units = self.oracle.errors(self.x, self.h, self.res, out)
        self.assertTrue(math.isnan(difference) and math.isnan(units))

    def test_parts_give_what_the_whole_gives(self):
        out = self.oracle.reference(self.x, self.h, self.res)
        whole = self.oracle.errors(self.x, self.h, self.res, out)
        before, self.oracle.PORTION = self.oracle.PORTION, 1000
        try:
            self.assertEqual(self.oracle.errors(self.x, self.h, self.res, out), whole)
        finally:
            self.oracle.PORTION = before


@unittest.skipIf(NO_TILELANG, NO_TILELANG)
class Contract(unittest.TestCase):
    def setUp(self):
        import op

        self.op = op
        self.x = torch.ones(3, 8, dtype=torch.bfloat16)
        self.h = torch.ones(3, 4)
        self.res = torch.ones(3, 32, dtype=torch.bfloat16)

    def refused(self, text, x=None, h=None, res=None, device=False):
        given = [own if other is None else other for own, other in zip((self.x, self.h, self.res), (x, h, res))]
        with self.assertRaisesRegex(ValueError, text):
            self.op.refuse(*given, device=device)

    def test_what_is_right_passes(self):
        self.op.refuse(self.x, self.h, self.res, device=False)

    def test_dtype(self):
        self.refused("x_layer_out is torch.float16", x=self.x.half())
        self.refused("h_post is torch.bfloat16", h=self.h.bfloat16())
        self.refused("x_res is torch.float32", res=self.res.float())

    def test_rank_batch_and_width(self):
        self.refused("x_layer_out has 1 dims", x=self.x[0])
        self.refused("x_res has 3 dims", res=self.res.view(3, 4, 8))
        self.refused("batches are 3, 2 and 3", h=self.h[:2])
        self.refused("31 columns, not N . C = 4 . 8", res=self.res[:, :31].contiguous())

    def test_contiguity_and_device(self):
        self.refused("x_layer_out is not contiguous", x=torch.ones(8, 3, dtype=torch.bfloat16).t())
        self.refused("x_res is not contiguous", res=torch.ones(3, 64, dtype=torch.bfloat16)[:, ::2])
        self.refused("one device", h=self.h.to("meta"))
        self.refused("on cpu", device=True)

    def test_a_fake_tensor_has_the_shape_of_the_result(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode() as mode:
            out = self.op.mhc_post(*(mode.from_tensor(t) for t in (self.x, self.h, self.res)))
        self.assertEqual((tuple(out.shape), out.dtype, out.is_contiguous()), ((3, 32), torch.bfloat16, True))


@unittest.skipIf(NO_TORCH, NO_TORCH)
class OnTheHost(unittest.TestCase):
    """The evaluator with a stand-in for the device: what it draws, compares and answers."""

    WORKLOADS = [{"name": name, "dtype": "bf16", "dims": dict(zip("BNC", shape)), "flops": 2, "bytes": 4096}
                 for name, shape in (("a", (3, 4, 65)), ("b", (8, 2, 64)))]

    def stage(self, stage, *symbols, **changes):
        with tempfile.TemporaryDirectory() as folder:
            given = []
            for slot, ending in zip("AB", symbols):
                names = ["a", "b", *map(cases.name_of, cases.CASES)]
                kernels = [{"name": n, "symbol": n.replace("-", "_") + (ending if n == "b" else ""), "library": n + ".so",
                            "barriers": 1, "source_bytes": 100} for n in names]
                given.append({"id": f"{slot}-x", **support.made_up(os.path.join(folder, slot), kernels, CAMPAIGN)})
            plan = support.plan(stage=stage, workloads=self.WORKLOADS, min_leg_ns=100_000, warmup_ns=100_000, **changes)
            return support.standin(CAMPAIGN, plan, given)

    def test_right_kernels_are_checked_with_all_cases(self):
        done = self.stage("check", "", order=["A"], load_order="A")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual([a["ok"] for a in done.kind("check")], [True, True])
        self.assertEqual(len(done.kind("loaded")), 1)
        self.assertEqual({r["name"]: r["value"] for r in done.kind("resource")}, {"barriers": 1, "source_bytes": 100})

    def test_a_wrong_kernel_is_named(self):
        done = self.stage("check", "_wrong", order=["A"], load_order="A")
        self.assertEqual((done.code, [a["ok"] for a in done.kind("check")]), (3, [True, False]), done.err)
        self.assertIn("times what is allowed", done.kind("check")[1]["detail"])

    def test_a_pair_is_timed_whatever_the_caches_and_a_wrong_one_is_not(self):
        for cache in ("hot", "rotating"):
            done = self.stage("bench", "", "", cache=cache)
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual((len(done.kind("samples")), {a["timer"] for a in done.kind("samples")}), (16, {"device_event_graph"}))
        done = self.stage("bench", "", "_wrong")
        self.assertEqual((done.code, {a["workload"] for a in done.kind("samples")}), (3, {"a"}), done.err)


@unittest.skipIf(NO_DEVICE, NO_DEVICE)
class Operator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import mhc_post
        import op
        import oracle

        cls.op, cls.oracle = op, oracle
        cls.asked = [tuple(zip(mhc_post.SPACE, values)) for values in itertools.product(*mhc_post.SPACE.values())]
        device = torch.device("cuda", torch.cuda.current_device())
        wanted = [(*shape, device) for shape in [*cases.CASES.values(), (9, 4, 384)]]
        wanted += [(65, n, 192, device, asked) for n in (4, 3) for asked in cls.asked]
        # Compilers are programs of their own: side by side they take a tenth of the time.
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            list(pool.map(lambda arguments: op.compiled(*arguments), wanted))

    def setUp(self):
        self.draws = torch.Generator(device="cuda")

    def right(self, shape):
        x, h, res = self.oracle.inputs(shape, "cuda", self.draws)
        out = self.op.mhc_post(x, h, res)
        self.assertEqual((tuple(out.shape), out.dtype), ((shape[0], shape[1] * shape[2]), torch.bfloat16))
        self.assertLessEqual(self.oracle.errors(x, h, res, out)[1], 1, shape)

    def test_every_case_and_the_empty_shapes(self):
        for shape in list(cases.CASES.values()) + list(cases.EMPTY.values()):
            self.right(shape)

    def test_shapes_may_alternate_over_the_boundary(self):
        for rows in (7, 8, 7):
            self.right((rows, 4, 256))

    def test_every_configuration_of_both_kernels(self):
        for n in (4, 3):
            x, h, res = self.oracle.inputs((65, n, 192), "cuda", self.draws)
            for asked in self.asked:
                out = torch.full_like(res, float("nan"))
                self.op.compiled(65, n, 192, x.device, asked)(x, h, res, out)
                self.assertLessEqual(self.oracle.errors(x, h, res, out)[1], 1, (n, asked))

    def test_operands_on_the_host_are_refused(self):
        x, h, res = self.oracle.inputs((2, 4, 128), "cpu", torch.Generator())
        with self.assertRaisesRegex(ValueError, "on cpu"):
            self.op.mhc_post(x, h, res)

    def test_a_cold_compile_has_one_graph(self):
        x, h, res = self.oracle.inputs((9, 4, 384), "cuda", self.draws)
        torch._dynamo.reset()
        out = torch.compile(lambda *t: self.op.mhc_post(*t), fullgraph=True, backend="aot_eager")(x, h, res)
        self.assertLessEqual(self.oracle.errors(x, h, res, out)[1], 1)


@unittest.skipIf(NO_DEVICE, NO_DEVICE)
class Evaluator(unittest.TestCase):
    """What `assay run` does, with two small workloads."""

    WORKLOADS = [{"name": "small", "dtype": "bf16", "dims": {"B": 1, "N": 4, "C": 1280}, "flops": 10240, "bytes": 23056},
                 {"name": "v4-flash-decode-m", "dtype": "bf16", "dims": {"B": 128, "N": 4, "C": 4096}, "flops": 4194304,
                  "bytes": 9439232}]

    @classmethod
    def setUpClass(cls):
        import assay_tilelang
        import build

        cls.root, cls.subjects = tempfile.mkdtemp(), {}
        names = [w["name"] for w in cls.WORKLOADS] + [cases.name_of("tail-65"), cases.name_of("at-boundary")]
        made = {"plain": build.kernels({}, names), "other": build.kernels({"threads": 256}, names), "ref": None}
        swapped = assay_tilelang.Kernel("v4-flash-decode-m", without_product(128, 4, 4096))
        made["wrong"] = [k for k in build.kernels({}, names) if k.name != swapped.name] + [swapped]
        for name, kernels in made.items():
            folder = os.path.join(cls.root, name)
            os.makedirs(folder)
            if kernels is None:
                assay_tilelang.declare(folder, "torch-ref")
            else:
                assay_tilelang.build(kernels, folder)
            cls.subjects[name] = {"role": "variant", "folder": folder, "artefact": os.path.join(folder, "kernels.so"), "source": CAMPAIGN}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def stage(self, stage, *names, **changes):
        given = [{"id": f"{'AB'[i]}-{n}", **self.subjects[n]} for i, n in enumerate(names)]
        plan = support.plan(stage=stage, workloads=self.WORKLOADS, **changes)
        return support.run([sys.executable, os.path.join(CAMPAIGN, "harness", "evaluate.py")], plan, given)

    def test_right_kernels_pass_with_their_cases_and_a_wrong_one_does_not(self):
        for name in ("plain", "other", "ref"):
            done = self.stage("check", name, order=["A"], load_order="A")
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual([a["ok"] for a in done.kind("check")], [True, True])
            self.assertLessEqual(max(a["max_rel_error"] for a in done.kind("check")), 1)
        done = self.stage("check", "wrong", order=["A"], load_order="A")
        self.assertEqual((done.code, [a["ok"] for a in done.kind("check")]), (3, [True, False]), done.err)

    def test_a_pair_is_timed_in_every_state_of_the_caches(self):
        for cache in ("hot", "rotating", "cold"):
            done = self.stage("bench", "plain", "ref", cache=cache, min_leg_ns=1_000_000, warmup_ns=2_000_000)
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual({a["timer"] for a in done.kind("samples")}, {"device_event_graph"})
            self.assertEqual(len(done.kind("samples")), 16)

    def test_a_timed_launch_that_is_wrong_ends_with_code_3(self):
        done = self.stage("bench", "plain", "wrong", min_leg_ns=1_000_000, warmup_ns=2_000_000)
        self.assertEqual(done.code, 3, done.err)

    def test_a_library_that_is_not_what_was_built_is_refused(self):
        folder = os.path.join(self.root, "changed")
        shutil.copytree(self.subjects["plain"]["folder"], folder)
        shutil.copy(os.path.join(self.subjects["other"]["folder"], "small.so"), folder)
        self.subjects["changed"] = {**self.subjects["plain"], "folder": folder, "artefact": os.path.join(folder, "kernels.so")}
        done = self.stage("check", "changed", order=["A"], load_order="A")
        self.assertEqual(done.code, 2, done.err)
        self.assertIn("not what was built", done.err)


def without_product(batch, n, c):
    """A kernel that writes x_res and leaves the product out."""
    import tilelang.language as T

    @T.prim_func
    def copied(x: T.Tensor((batch, c), "bfloat16"), h: T.Tensor((batch, n), "float32"),
               res: T.Tensor((batch, n * c), "bfloat16"), out: T.Tensor((batch, n * c), "bfloat16")):
        with T.Kernel(batch, T.ceildiv(n * c, 128), threads=128) as (bx, by):
            for j in T.Parallel(128):
                out[bx, by * 128 + j] = res[bx, by * 128 + j]

    return copied


if __name__ == "__main__":
    unittest.main()
