"""The published figures that others rely on, as they are printed, and what follows from them."""

import math
import sys
import unittest
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(EXPERIMENTS))

import tables  # noqa: E402


def number(cell: str) -> float:
    return float(tables.NUMBER.match(cell)[0].replace(",", ""))


def geomean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


class Gemm(unittest.TestCase):
    def setUp(self):
        self.campaign = tables.campaign(EXPERIMENTS / "c500-gemm")

    def test_the_chain(self):
        rows = self.campaign.rows("versions")
        self.assertEqual(
            [r["latency"] for r in rows],
            ["36.166145 ms", "36.160896 ms", "35.812864 ms", "33.586561 ms", "32.820992 ms"],
        )
        self.assertEqual(
            [r["TFLOPS"] for r in rows],
            ["106.405885", "106.421331", "107.455541", "114.578288", "117.250897"],
        )
        self.assertEqual({r["max_abs_error"] for r in rows}, {"0.0"})
        self.assertEqual([r["parent"] for r in rows], ["-"] + [r["version"] for r in rows[:-1]])

    def test_throughput_follows_from_formula_and_time_within_the_printed_digits(self):
        for row in self.campaign.rows("versions"):
            time, printed = number(row["latency"]), number(row["TFLOPS"])
            flops = 2 * 131072 * 2048 * 7168
            ends = [flops / (time + step) / 1e9 for step in (5e-7, -5e-7)]
            self.assertTrue(ends[0] - 1e-6 <= printed <= ends[1] + 1e-6, row)

    def test_oddities_are_kept(self):
        swizzle = [
            (r["version"], r["value"])
            for r in self.campaign.rows("knobs")
            if r["knob"] == "c_swizzle_bytes"
        ]
        self.assertEqual([value for _, value in swizzle], ["256", "128", "256", "256"])
        said = self.campaign.one("statements", "quantity", "latency improvement")
        self.assertEqual(said["printed"], "2.3326%")

    def test_changes_follow_from_the_figures_beside_them(self):
        for name in ("counters-b-prepack", "counters-panel2"):
            table = self.campaign.tables[name]
            before, after, change = table.columns[1:4]
            for row in table.rows:
                if not tables.NUMBER.match(row[change]):
                    continue
                got = (number(row[after]) / number(row[before]) - 1) * 100
                self.assertAlmostEqual(got, number(row[change]), delta=0.2, msg=row)


class Matmul(unittest.TestCase):
    def test_throughput_is_right_for_milliseconds_only(self):
        for row in tables.campaign(EXPERIMENTS / "h800-matmul").rows("sweep"):
            flops = 2 * 8192 * 8192 * number(row["K"])
            by_print = flops / number(row["Latency (s)"]) / 1e12
            factor = number(row["Throughput (TFLOPs)"]) / by_print
            self.assertAlmostEqual(factor, 1000, delta=2, msg=row)


class MhcPost(unittest.TestCase):
    def setUp(self):
        self.campaign = tables.campaign(EXPERIMENTS / "c500-mhc-post")
        self.rows = self.campaign.rows("benchmark")

    def column(self, name: str) -> list[float]:
        return [number(r[name]) for r in self.rows]

    def test_geometric_means_and_losers(self):
        ours = self.column("优化后 mhc_post (µs)")
        framework = self.column("独立 PyTorch baseline (µs)")
        before = self.column("未优化 Kernel baseline (µs)")
        over = [a / b for a, b in zip(framework, ours, strict=True)]
        self.assertAlmostEqual(geomean(over), 9.998, delta=5e-4)
        over = [a / b for a, b in zip(before, ours, strict=True)]
        self.assertAlmostEqual(geomean(over), 1.385, delta=5e-4)
        slower = [r["case"] for r, ratio in zip(self.rows, over, strict=True) if ratio < 1]
        self.assertEqual(slower, ["medium", "v4-flash-decode-s"])

    def test_speed_ups_follow_from_times(self):
        for row in self.rows:
            ours = number(row["优化后 mhc_post (µs)"])
            for time, ratio in (
                ("独立 PyTorch baseline (µs)", "相对 PyTorch 加速比"),
                ("未优化 Kernel baseline (µs)", "相对未优化 Kernel 加速比"),
            ):
                self.assertAlmostEqual(number(row[time]) / ours, number(row[ratio]), delta=6e-4)

    def test_workloads_are_those_of_the_campaign_file(self):
        import tomllib

        text = (EXPERIMENTS / "c500-mhc-post" / "assay.toml").read_text(encoding="utf-8")
        declared = [(w["name"], w["dims"]) for w in tomllib.loads(text)["workload"]]
        printed = [
            (r["workload"], {k: int(r[k]) for k in "BNC"}) for r in self.campaign.rows("workloads")
        ]
        self.assertEqual(declared, printed)
        factors = [d["N"] * d["C"] + 1 for _, d in declared]
        self.assertEqual((min(factors), max(factors)), (4097, 28673))

    def test_roofline_follows_from_dims_and_times(self):
        dims = {r["workload"]: [int(r[k]) for k in "BNC"] for r in self.campaign.rows("workloads")}
        for row in self.campaign.rows("roofline"):
            b, n, c = dims[row["workload"]]
            self.assertEqual(number(row["FLOPs"]), 2 * b * n * c)
            self.assertEqual(number(row["逻辑字节"]), (b * c + 2 * b * n * c) * 2 + b * n * 4)


if __name__ == "__main__":
    unittest.main()
