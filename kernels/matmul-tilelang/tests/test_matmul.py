"""The matmul: workloads, space and hints; oracle and compression with torch; kernels where a device is."""

import itertools
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
import roller  # noqa: E402

NO_TORCH = support.missing("torch")
NO_TILELANG = NO_TORCH or support.missing("tilelang")
NO_DEVICE = NO_TILELANG or support.missing("device")
CONFIG = {"block_m": 128, "block_n": 128, "block_k": 64, "num_stages": 2, "threads": 128, "rasterize": True}

if not NO_TORCH:
    import torch

    import oracle
    import sparse


class Files(unittest.TestCase):
    def test_the_published_sweep_and_sparse_workloads(self):
        found = campaign.workloads()
        self.assertEqual([k for _, _, k, s in found.values() if not s], [256 << i for i in range(7)])
        self.assertEqual({(m, n) for m, n, _, _ in found.values()}, {(8192, 8192)})
        self.assertTrue(any(s for *_, s in found.values()))

    def test_work_of_a_sparse_product_is_half_and_its_bytes_are_those_of_the_compressed_form(self):
        with open(campaign.FILE, encoding="utf-8") as f:
            lines = dict(line.strip().split(" = ", 1) for line in f if line.startswith(("flops = ", "bytes = ")))

        def work(key, s):
            return eval(lines[key].strip('"'), {}, dict(zip("MNKS", (8192, 4096, 1024, s))))

        self.assertEqual((work("flops", 0), work("flops", 1)), (2 * 8192 * 4096 * 1024, 8192 * 4096 * 1024))
        saved = 8192 * 1024 * 2 - (8192 * 512 * 2 + 8192 * 1024 // 16 * 2)
        self.assertEqual(work("bytes", 0) - work("bytes", 1), saved)

    def test_parameters_come_from_the_runner(self):
        config, is_sparse, e_dtype = campaign.parameters({"ASSAY_PARAM_BLOCK_M": "256", "ASSAY_PARAM_SPARSE": "true"})
        self.assertEqual((config, is_sparse, e_dtype), ({**CONFIG, "block_m": 256}, True, "int16"))


class Space(unittest.TestCase):
    H200, C500 = roller.DEVICES["h200"], roller.DEVICES["c500"]

    def test_288_configurations_each_once(self):
        found = roller.configs()
        self.assertEqual((len(found), len({tuple(c.items()) for c in found})), (288, 288))

    @unittest.skipIf(NO_TILELANG, NO_TILELANG)
    def test_kernel_and_hints_have_one_space(self):
        import matmul

        self.assertEqual(matmul.SPACE, roller.SPACE)

    def test_what_does_not_fit_a_block_is_never_a_hint(self):
        large = {**CONFIG, "block_m": 256, "block_n": 256, "num_stages": 3, "threads": 256}
        self.assertEqual(roller.shared_bytes(large), 3 * 2 * 256 * 64 * 2)
        self.assertEqual(roller.blocks_per_unit(large, self.H200), 0)  # 256 sums a thread
        small = {**CONFIG, "num_stages": 3}
        self.assertEqual(roller.shared_bytes(small), 3 * 2 * 128 * 64 * 2)
        self.assertEqual((roller.blocks_per_unit(small, self.C500), roller.blocks_per_unit(small, self.H200)), (0, 2))
        for device in (self.H200, self.C500):
            for hint in roller.hints(8192, 8192, 4096, device, 288):
                self.assertLessEqual(roller.shared_bytes(hint), device.shared_per_block)

    def test_hints_are_ranked_and_differ_in_more_than_the_order_of_blocks(self):
        for device, (m, n, k) in itertools.product((self.H200, self.C500), [(8192, 8192, 256), (64, 7168, 2048), (1, 8, 8)]):
            found = roller.hints(m, n, k, device)
            self.assertEqual(len(found), 10)
            self.assertEqual([h["estimate"] for h in found], sorted(h["estimate"] for h in found))
            keys = ("block_m", "block_n", "block_k", "num_stages", "threads")
            self.assertEqual(len({tuple(h[key] for key in keys) for h in found}), 10)

    def test_no_estimate_is_below_what_the_device_can_do(self):
        for device in (self.H200, self.C500):
            for config in roller.configs():
                seconds = roller.estimate(config, 4096, 4096, 4096, device)
                if seconds is not None:
                    self.assertGreaterEqual(seconds, 2 * 4096 ** 3 / device.peak * 0.999)
                    self.assertGreaterEqual(seconds, 3 * 2 * 4096 ** 2 / device.bandwidth * 0.999)

    def test_few_rows_want_small_tiles_and_waves_of_64_a_tile_for_each(self):
        self.assertEqual(roller.hints(64, 7168, 2048, self.H200)[0]["block_m"], 64)
        self.assertEqual((roller.warp_tile(CONFIG, self.H200), roller.warp_tile(CONFIG, self.C500)), ((64, 64), (128, 64)))


@unittest.skipIf(NO_TORCH, NO_TORCH)
class Oracle(unittest.TestCase):
    def setUp(self):
        draws = torch.Generator().manual_seed(3)
        self.a, self.b = (torch.randn(rows, 1100, generator=draws).half() for rows in (40, 24))
        self.want = oracle.product(self.a, self.b)
        self.allowed = oracle.allowance(self.a, self.b, self.want)

    def units(self, out, signs=None):
        return oracle.errors(out, self.want, self.allowed, signs)[1]

    def test_the_product_is_exact_to_the_place(self):
        exact = self.a.double() @ self.b.double().T
        self.assertLess(float((self.want - exact).abs().max()), 1e-4)
        count = iter(range(10 ** 6))
        self.assertEqual(oracle.spot_check(self.a, self.b, self.want, lambda: next(count) * 7), "")
        self.assertIn("the host", oracle.spot_check(self.a, self.b, self.want + 0.1, lambda: next(count) * 7))

    def test_rounding_passes_and_sums_in_fp16_do_not(self):
        self.assertLessEqual(self.units(self.want.half()), 1)
        self.assertLessEqual(self.units((self.a.float() @ self.b.float().T).half()), 1)
        total = torch.zeros(40, 24, dtype=torch.float16)
        for at in range(0, 1100, 4):
            total = (total.float() + self.a[:, at:at + 4].float() @ self.b[:, at:at + 4].float().T).half()
        self.assertGreater(self.units(total), 2)

    def test_a_step_that_is_left_out_is_wrong_and_an_unwritten_element_is_no_number(self):
        self.assertGreater(self.units((self.a[:, :1088].float() @ self.b[:, :1088].float().T).half()), 2)
        out = self.want.half()
        out[39, 23] = float("nan")
        self.assertNotEqual(self.units(out), self.units(out))

    def test_signs_are_followed_exactly(self):
        signs = [torch.randint(0, 2, (rows,)).float() * 2 - 1 for rows in (40, 24)]
        turned = oracle.product(self.a * signs[0].half()[:, None], self.b * signs[1].half()[:, None])
        self.assertTrue(torch.equal(turned, self.want * signs[0][:, None] * signs[1][None, :]))
        self.assertLessEqual(self.units(turned.half(), signs), 1)


@unittest.skipIf(NO_TORCH, NO_TORCH)
class Sparse(unittest.TestCase):
    def setUp(self):
        self.a = sparse.prune(torch.randn(33, 192, generator=torch.Generator().manual_seed(5)).half())
        self.a[0] = 0
        self.a[1, :4] = torch.tensor([0, 0, 0, 5.0])
        self.a[2, :4] = torch.tensor([1.0, 0, 0, 2.0])

    def test_half_of_each_group_is_kept_and_comes_back(self):
        self.assertLessEqual(int((self.a.view(33, -1, 4) != 0).sum(-1).max()), 2)
        for e_dtype, columns in (("int8", 24), ("int16", 12)):
            values, metadata = sparse.compress(self.a, e_dtype)
            self.assertEqual((tuple(values.shape), tuple(metadata.shape), metadata.dtype), ((33, 96), (33, columns), sparse.DTYPES[e_dtype]))
            self.assertTrue(torch.equal(sparse.expand(values, metadata), self.a))

    def test_four_bits_name_two_places_in_their_order(self):
        _, metadata = sparse.compress(self.a, "int8")
        self.assertEqual(int(metadata[2, 0]) & 15, 0 | 3 << 2)
        places = (metadata.long().unsqueeze(-1) >> torch.tensor([0, 4]) & 15).view(-1)
        self.assertTrue(bool((places & 3 < places >> 2).all()))

    def test_what_is_not_sparse_is_refused(self):
        with self.assertRaisesRegex(ValueError, "more than two"):
            sparse.compress(torch.ones(2, 16).half())
        with self.assertRaisesRegex(ValueError, "no multiple of 16"):
            sparse.compress(self.a[:, :24].contiguous(), "int16")


@unittest.skipIf(NO_TORCH, NO_TORCH)
class OnTheHost(unittest.TestCase):
    """The evaluator with a stand-in for the device: what it draws, compares and answers."""

    WORKLOADS = [{"name": name, "dtype": "f16", "dims": dict(zip("MNKS", shape)), "flops": 2, "bytes": 8192}
                 for name, shape in (("a", (24, 40, 72, 0)), ("b", (32, 16, 192, 1)))]

    def stage(self, stage, *symbols, **changes):
        with tempfile.TemporaryDirectory() as folder:
            given = []
            for slot, ending in zip("AB", symbols):
                forms = {"a": "dense", "b": "sparse", **dict.fromkeys(campaign.CASES, "dense"),
                         **dict.fromkeys(campaign.SPARSE_CASES, "sparse")}
                kernels = [{"name": n, "symbol": n.replace("-", "_") + (ending if n == "b" else ""), "library": n + ".so",
                            "barriers": 1, "source_bytes": 100, "shared_bytes": 4096, "form": form, "e_dtype": "int16"}
                           for n, form in forms.items()]
                given.append({"id": f"{slot}-x", **support.made_up(os.path.join(folder, slot), kernels, CAMPAIGN)})
            plan = support.plan(stage=stage, workloads=self.WORKLOADS, min_leg_ns=100_000, warmup_ns=100_000, **changes)
            return support.standin(CAMPAIGN, plan, given)

    def test_right_kernels_are_checked_with_all_cases(self):
        done = self.stage("check", "", order=["A"], load_order="A")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual([a["ok"] for a in done.kind("check")], [True, True])
        self.assertEqual(len(done.kind("loaded")), 1)
        self.assertEqual(sorted(r["name"] for r in done.kind("resource")),
                         ["barriers", "shared_bytes", "shared_limit", "source_bytes", "untimed.compress-a_ms"])

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
class Device(unittest.TestCase):
    """Kernels and evaluator on small workloads of the same names."""

    WORKLOADS = [{"name": "K256", "dtype": "f16", "dims": {"M": 8192, "N": 8192, "K": 256, "S": 0}, "flops": 2 * 8192 * 8192 * 256,
                  "bytes": 142606336},
                 {"name": "sp24-K1024", "dtype": "f16", "dims": {"M": 8192, "N": 8192, "K": 1024, "S": 1},
                  "flops": 8192 * 8192 * 1024, "bytes": 160432128}]
    NAMES = [w["name"] for w in WORKLOADS] + list(campaign.CASES) + list(campaign.SPARSE_CASES)

    @classmethod
    def setUpClass(cls):
        import assay_tilelang
        import build

        cls.root, cls.subjects = tempfile.mkdtemp(), {}
        made = {"dense": build.kernels(CONFIG, False, "int16", cls.NAMES), "sparse": build.kernels(CONFIG, True, "int16", cls.NAMES),
                "bytes": build.kernels({**CONFIG, "num_stages": 0}, True, "int8", cls.NAMES), "ref": None}
        short = build.one("K256", (8192, 8192, 192), CONFIG)
        short.func = step_left_out(short)
        made["wrong"] = [k for k in build.kernels(CONFIG, False, "int16", cls.NAMES) if k.name != "K256"] + [short]
        for name, kernels in made.items():
            folder = os.path.join(cls.root, name)
            os.makedirs(folder)
            if kernels is None:
                assay_tilelang.declare(folder, "ref-prog")
            else:
                assay_tilelang.build(kernels, folder)
            cls.subjects[name] = {"role": "variant", "folder": folder, "artefact": os.path.join(folder, "kernels.so"), "source": CAMPAIGN}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def stage(self, stage, *names, **changes):
        given = [{"id": f"{'AB'[i]}-{n}", **self.subjects[n]} for i, n in enumerate(names)]
        plan = support.plan(stage=stage, **{"workloads": self.WORKLOADS, **changes})
        return support.run([sys.executable, os.path.join(CAMPAIGN, "harness", "evaluate.py")], plan, given)

    def test_dense_and_sparse_kernels_pass_with_their_cases(self):
        for name in ("dense", "sparse", "bytes", "ref"):
            done = self.stage("check", name, order=["A"], load_order="A")
            self.assertEqual(done.code, 0, (name, done.err))
            self.assertEqual([a["ok"] for a in done.kind("check")], [True, True])
            untimed = [r for r in done.kind("resource") if r["name"] == "untimed.compress-a_ms"]
            self.assertEqual((len(untimed), untimed[0]["value"] > 0), (1, name in ("sparse", "bytes")))

    def test_a_wrong_one_does_not_pass_nor_is_it_timed(self):
        done = self.stage("check", "wrong", order=["A"], load_order="A")
        self.assertEqual((done.code, [a["ok"] for a in done.kind("check")]), (3, [False, True]), done.err)
        done = self.stage("bench", "dense", "wrong", min_leg_ns=1_000_000, warmup_ns=2_000_000)
        self.assertEqual((done.code, done.kind("samples")), (3, []), done.err)

    def test_a_pair_is_timed(self):
        done = self.stage("bench", "dense", "sparse", cache="rotating", min_leg_ns=1_000_000, warmup_ns=2_000_000)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual({a["timer"] for a in done.kind("samples")}, {"device_event_graph"})

    def test_hints_are_tried(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "variant.toml")
            done = subprocess.run([sys.executable, os.path.join(CAMPAIGN, "harness", "tune.py"), "--workload", "K256", "--top", "2",
                                   "--write", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("Tuned Latency"), 2, done.stdout)
            with open(path, encoding="utf-8") as f:
                self.assertIn("block_m = ", f.read())


def step_left_out(kernel):
    """The kernel for a depth of 192, on operands that have 256."""
    del kernel
    import tilelang.language as T

    @T.prim_func
    def short(A: T.Tensor((8192, 256), "float16"), B: T.Tensor((8192, 256), "float16"), C: T.Tensor((8192, 8192), "float16")):
        with T.Kernel(64, 64, threads=128) as (bx, by):
            a_tile = T.alloc_shared((128, 64), "float16")
            b_tile = T.alloc_shared((128, 64), "float16")
            sums = T.alloc_fragment((128, 128), "float32")
            T.clear(sums)
            for step in T.Pipelined(3, num_stages=2):
                T.copy(A[by * 128, step * 64], a_tile)
                T.copy(B[bx * 128, step * 64], b_tile)
                T.gemm(a_tile, b_tile, sums, transpose_B=True)
            T.copy(sums, C[by * 128, bx * 128])

    return short.with_attr("global_symbol", "K256")


if __name__ == "__main__":
    unittest.main()
