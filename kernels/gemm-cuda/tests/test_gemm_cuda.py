"""The campaign gemm-cuda: its oracle everywhere, its device code where nvcc is, its evaluator where a device is."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGN = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(os.path.dirname(CAMPAIGN), "harness", "tests"))

from support import plan, run  # noqa: E402

CC = os.environ.get("CC") or shutil.which("cc")
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
HISTORY = os.path.join(CAMPAIGN, "history")


def has_cuobjdump():
    """Beside nvcc or in PATH, where `build.sh --source` looks. A CUDA of Python wheels has none."""
    return bool(NVCC and shutil.which(os.path.join(os.path.dirname(NVCC), "cuobjdump"))) or bool(shutil.which("cuobjdump"))


def has_device():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, timeout=30).stdout.startswith(b"GPU 0")
    except (OSError, subprocess.TimeoutExpired):
        return False


@unittest.skipUnless(CC, "needs a C compiler")
class Oracle(unittest.TestCase):
    def test_what_the_oracle_takes_for_right_and_for_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "oracle")
            flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
            subprocess.run([CC, "-O1", *flags, os.path.join(HERE, "oracle_test.c"), "-o", program, "-lm"], check=True)
            told = dict(line.rsplit(" ", 1) for line in subprocess.run([program], capture_output=True, text=True, check=True)
                        .stdout.splitlines() if not line.startswith(("halves", "no number")))
            text = subprocess.run([program], capture_output=True, text=True).stdout
        self.assertEqual(told["round trips"], "65536")
        self.assertIn("halves 3c00 3c02 7bff 7c00 8000 0001\n", text)
        self.assertNotIn("differs", text)
        self.assertLessEqual(float(told["right"]), 1.0)
        self.assertGreater(float(told["half sums"]), 1.5)
        self.assertGreater(float(told["product left out"]), 1.0)
        self.assertIn("no number inf inf", text)


class WithoutTools(unittest.TestCase):
    def test_a_build_without_its_compiler_ends_as_a_shell_says_that_a_command_is_missing(self):
        with tempfile.TemporaryDirectory() as root:
            for tool in ("dirname", "head", "tr", "cat"):
                os.symlink(shutil.which(tool), os.path.join(root, tool))
            bare = {"PATH": root, "ASSAY_BUILD": root, "CUDA_HOME": os.path.join(root, "none")}
            for more, words in [({}, "there is no nvcc"), ({"NVCC": os.path.join(root, "nvcc")}, "not found")]:
                for arguments in ([], ["naive"], ["--driver"]):
                    done = subprocess.run(["/bin/sh", "harness/build.sh", *arguments], cwd=CAMPAIGN, env={**bare, **more},
                                          capture_output=True, text=True)
                    self.assertEqual(done.returncode, 127, (more, arguments, done.stderr))
                    self.assertIn(words, done.stderr)


class Files(unittest.TestCase):
    def test_the_kernel_is_where_its_history_begins_and_all_variants_are_there(self):
        with open(os.path.join(HISTORY, "history.toml"), encoding="utf-8") as f:
            text = f.read()
        folders = [line.split('"')[1] for line in text.splitlines() if line.startswith("folder")]
        self.assertEqual(sorted(folders), sorted(d for d in os.listdir(HISTORY) if d != "history.toml"))
        for folder in folders:
            self.assertTrue(os.path.isfile(os.path.join(HISTORY, folder, "gemm.cu")), folder)
        with open(os.path.join(HISTORY, folders[0], "gemm.cu"), "rb") as first, \
                open(os.path.join(CAMPAIGN, "kernel", "gemm.cu"), "rb") as start:
            self.assertEqual(first.read(), start.read())


class Built:
    """A subject in a folder of its own, as `harness/build.sh` makes it."""

    def __init__(self, root, name, change=None):
        self.name, self.campaign, self.out = name, os.path.join(root, name), os.path.join(root, name + "-out")
        os.makedirs(os.path.join(self.campaign, "kernel"))
        os.makedirs(self.out)
        os.symlink(os.path.join(CAMPAIGN, "harness"), os.path.join(self.campaign, "harness"))
        variants = {folder.split("-", 1)[1]: folder for folder in os.listdir(HISTORY) if folder[0].isdigit()}
        source = os.path.join(HISTORY, variants["wmma" if change else name], "gemm.cu")
        with open(source, encoding="utf-8") as f, open(os.path.join(self.campaign, "kernel", "gemm.cu"), "w") as to:
            text = f.read()
            for old, new in change or ():
                assert old in text, old
                text = text.replace(old, new)
            to.write(text)
        env = dict(os.environ, ASSAY_BUILD=self.out, NVCC=NVCC)
        for arguments in ([], ["--source"]):
            subprocess.run(["sh", "harness/build.sh", *arguments], cwd=self.campaign, env=env, check=True, capture_output=True)

    def sass(self):
        with open(os.path.join(self.out, "kernel.sass"), encoding="utf-8") as f:
            return f.read()

    def subject(self, slot):
        return {"id": f"{slot}-{self.name}", "role": "variant", "folder": self.out, "source": self.campaign,
                "artefact": os.path.join(self.out, "libkernel.so")}


@unittest.skipUnless(NVCC and has_cuobjdump(), "needs nvcc and cuobjdump, which are not on the search path")
class Compiled(unittest.TestCase):
    def test_the_device_code_is_what_the_history_says(self):
        with tempfile.TemporaryDirectory() as root:
            def facts(name):
                sass = Built(root, name).sass()
                return {word: sass.count(word) for word in ("HMMA.16816.F32 ", "HMMA.16816.F16 ", "LDGSTS", "LDSM")}

            start, last = facts("wmma"), facts("ldmatrix")
            self.assertEqual((start["LDGSTS"], start["HMMA.16816.F32 "] > 0), (0, True))
            self.assertTrue(last["LDGSTS"] and last["LDSM"] and last["HMMA.16816.F32 "], last)
            half = facts("half-sums")
            self.assertEqual((half["HMMA.16816.F32 "], half["HMMA.16816.F16 "] > 0), (0, True))


# Work on a stream of its own, which the events do not see.
SIDE = [("<<<grid, THREADS, 0, stream>>>", "<<<grid, THREADS, 0, side>>>"),
        ("  dim3 grid(", "  static cudaStream_t side;\n  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);\n"
         "  dim3 grid(")]
# A launch that the device refuses.
REFUSED = [("<<<grid, THREADS, 0, stream>>>", "<<<grid, 2048, 0, stream>>>")]
# A store past the end of C.
PAST = [("    if (row0 + y < m && column0 + x < n) c[", "    if (row0 + y <= m && column0 + x < n) c[")]
SHAPE = {"name": "tail", "dtype": "f16", "dims": {"M": 200, "N": 136, "K": 168}, "flops": 9139200, "bytes": None}


@unittest.skipUnless(NVCC and has_cuobjdump() and has_device(), "needs nvcc, cuobjdump and an NVIDIA device that nvidia-smi lists")
class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp()
        cls.built = {name: Built(cls.root, name) for name in ("wmma", "ldmatrix", "half-sums", "depth-tail")}
        for name, change in [("side", SIDE), ("refused", REFUSED), ("past", PAST)]:
            cls.built[name] = Built(cls.root, name, change)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def run_stage(self, stage, *names, **changes):
        built = [self.built[n] for n in names]
        driver = os.path.join(built[0].out, "driver")
        changes = {"workloads": [SHAPE], **changes}
        return run([driver, stage], plan(stage=stage, **changes), [b.subject("AB"[i]) for i, b in enumerate(built)])

    def test_right_variants_pass_and_wrong_ones_do_not(self):
        for name in ("wmma", "ldmatrix"):
            result = self.run_stage("check", name, order=["A"], load_order="A")
            self.assertEqual(result.code, 0, result.err)
            self.assertTrue(result.kind("check")[0]["ok"])
            self.assertGreater({r["name"]: r["value"] for r in result.kind("resource")}["shared_bytes"], 0)
        for name in ("half-sums", "depth-tail"):
            result = self.run_stage("check", name, order=["A"], load_order="A")
            self.assertEqual(result.code, 3, result.err)
            self.assertGreater(result.kind("check")[0]["max_rel_error"], 1)

    def test_a_pair_is_timed_by_events_with_the_state_of_the_device(self):
        for cache in ("hot", "rotating", "cold"):
            result = self.run_stage("bench", "wmma", "ldmatrix", cache=cache, min_leg_ns=1_000_000, warmup_ns=2_000_000)
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual({a["timer"] for a in result.kind("samples")}, {"cuda_event"})
            self.assertEqual(len(result.kind("samples")), 8)
            self.assertEqual(len(result.kind("conditions")), 2)

    def test_work_on_another_stream_is_told(self):
        # Launches that take the device longer than the host, or nothing is left to see and nothing gained.
        shape = {**SHAPE, "dims": {"M": 1024, "N": 1024, "K": 2048}}
        result = self.run_stage("bench", "wmma", "side", workloads=[shape], min_leg_ns=8_000_000, warmup_ns=8_000_000)
        self.assertEqual(result.code, 4, result.err)
        self.assertIn("another stream", result.err)

    def test_a_refused_launch_and_a_store_past_the_end_are_told(self):
        result = self.run_stage("check", "refused", order=["A"], load_order="A")
        self.assertEqual(result.code, 2, result.err)
        self.assertIn("launch failed", result.err)
        result = self.run_stage("check", "past", order=["A"], load_order="A")
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("past the end of C", result.err)

    def test_a_timed_launch_that_is_wrong_ends_with_code_3(self):
        result = self.run_stage("bench", "wmma", "depth-tail", min_leg_ns=1_000_000, warmup_ns=2_000_000)
        self.assertEqual((result.code, result.kind("samples")), (3, []))


if __name__ == "__main__":
    unittest.main()
