"""What mxcc is asked, with the program that stands in for it in the tests of Assay."""

import os
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
STANDIN = os.path.join(HERE, "..", "..", "..", "app", "exec", "tests", "standin", "metax")

import assay_maca  # noqa: E402

KERNEL = """#include <tl_templates/maca/gemm.h>
// standin: mt=256 st=40 stack=28 shared=16384
extern "C" __global__ void __launch_bounds__(256, 1) gemm_kernel(float* x) {}
"""


class Usage(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(os.path.join(self.folder, "inc", assay_maca.TEMPLATES))
        with open(os.path.join(self.folder, "inc", assay_maca.TEMPLATES, "gemm.h"), "w", encoding="utf-8"):
            pass
        self.source = os.path.join(self.folder, "kernel.cu")
        with open(self.source, "w", encoding="utf-8") as f:
            f.write(KERNEL)

    def usage(self, path: str, **more: str) -> str:
        with mock.patch.dict(os.environ, {"PATH": path, **more}):
            return assay_maca.usage(self.source, folders=[os.path.join(self.folder, "inc")])

    def test_it_prints_what_assay_reads_and_cxx_does_no_harm(self) -> None:
        path = os.pathsep.join([STANDIN, os.environ["PATH"]])
        said = self.usage(path, CXX="g++")
        self.assertIn("maca info  : Function properties for gemm_kernel", said)
        self.assertIn("28 bytes stack frame", said)
        self.assertIn("256 MTregisters", said)

    def test_what_cannot_be_told_is_said_and_fails_nothing(self) -> None:
        self.assertIn("no mxcc in PATH", self.usage(self.folder))
        path = os.pathsep.join([STANDIN, os.environ["PATH"]])
        with mock.patch.dict(os.environ, {"PATH": path}):
            said = assay_maca.usage(self.source, folders=[])
        self.assertIn("resources are not known", said)
        self.assertIn("file not found", said)

    def test_the_command_is_the_documented_one(self) -> None:
        words = " ".join(assay_maca.command("k.cu", "k.so", folders=["/t"]))
        self.assertEqual(
            words,
            "mxcc -x maca -w -std=c++17 -fPIC -D__FAST_HALF_CVT__ --shared -resource-usage "
            "--offload-arch=xcore1000 -I/t k.cu -o k.so")


if __name__ == "__main__":
    unittest.main()
