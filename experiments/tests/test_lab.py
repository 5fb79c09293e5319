"""Sessions on a device that are cut short: what is done once, what is packed, what is ended, what is left out."""

import contextlib
import io
import json
import os
import select
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import lab  # noqa: E402
import loop  # noqa: E402

UUID = "GPU-7f3a9c10-1111-2222-3333-444455556666"

# What the lab asks of `assay`, and nothing more: says what it was asked, and can be slow or wrong on purpose.
PROGRAM = """#!/bin/sh
shift
echo "$*" >>"$HOME/asked"
case "$*" in
  *--json) cat "$HOME/list.json" 2>/dev/null || echo '{"variants": []}' ;;
  "run slow"*) (setsid sleep 60) & echo $! >"$HOME/pid"
    [ -p "$HOME/began" ] && echo >"$HOME/began"
    sleep 60 ;;
  "accept refused"*) exit 1 ;;
  edit*) mkdir -p "$HOME/tree/kernel"; echo "$HOME/tree" ;;
esac
"""


def ended(pid):
    """Whether a process ends by itself within seconds: one that was killed does."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)


class Labs(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(subprocess.run, ["rm", "-rf", str(self.work)])
        self.old, lab.ROOT = lab.ROOT, self.work / "labs"
        self.addCleanup(setattr, lab, "ROOT", self.old)
        quiet = contextlib.redirect_stdout(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        os.environ.pop("RESUME", None)
        self.addCleanup(os.environ.pop, "RESUME", None)
        self.assay = self.work / "assay"
        self.assay.write_text(PROGRAM)
        self.assay.chmod(0o755)

    def lab(self, seconds=60.0, out="out"):
        def make(repo):
            repo.mkdir(parents=True)
            (repo / "file").write_text("start")

        one = lab.Lab("x", self.assay, self.work / out, lab.Clock(seconds), make)
        self.addCleanup(one.log.close)
        return one

    def asked(self, one):
        return (one.home / "asked").read_text().splitlines()

    def test_a_later_session_on_another_machine_does_only_what_is_left(self):
        first = self.lab()
        self.assertTrue(first.step("a", 1, lambda: first.run("run", "a")))
        (first.home / "cache").mkdir()
        (first.home / "cache" / "large").write_bytes(bytes(1 << 16))
        first.pack()
        (self.work / "labs").rename(self.work / "gone")
        os.environ["RESUME"] = str(self.work / "out")
        second = self.lab(out="out2")
        self.assertTrue(second.step("a", 1, lambda: self.fail("done before")))
        self.assertTrue(second.step("b", 1, lambda: second.run("run", "b")))
        self.assertFalse((second.home / "cache").exists())
        self.assertEqual([line for line in self.asked(second) if line.startswith("run")], ["run a", "run b"])
        self.assertEqual(self.asked(second).count("init"), 1)
        with tarfile.open(self.work / "out2" / "x.tar.gz") as archive:
            self.assertIn("x/done.json", archive.getnames())
            self.assertIn("x/repo/file", archive.getnames())

    def test_what_would_not_end_in_time_is_not_begun_and_the_longest_of_a_kind_counts(self):
        one = self.lab()
        one.done["first"] = {"seconds": 100, "kind": "measure"}
        self.assertFalse(one.step("second", 1, lambda: self.fail("begun"), kind="measure"))
        self.assertTrue(one.step("other", 1, lambda: None))
        self.assertNotIn("second", one.done)

    def test_a_command_that_goes_on_is_ended_with_what_it_started_and_its_step_is_left(self):
        one = self.lab()
        began = time.monotonic()
        self.assertFalse(one.step("slow", 1, lambda: one.run("run", "slow", most=2)))
        self.assertLess(time.monotonic() - began, 20)
        self.assertTrue(ended(int((one.home / "pid").read_text())))
        self.assertIn("left for another session: slow", (one.out / "log.txt").read_text())

    def test_a_session_that_is_ended_ends_what_it_started(self):
        one = self.lab()
        os.mkfifo(one.home / "began")
        process = subprocess.Popen([sys.executable, "-c", f"""
import sys
sys.path.insert(0, {str(Path(lab.__file__).parent)!r})
import lab
from pathlib import Path
lab.ROOT = Path({str(lab.ROOT)!r})
one = lab.Lab("x", Path({str(self.assay)!r}), Path({str(self.work / 'out')!r}), lab.Clock(60), None)
one.run("run", "slow")
"""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (one.home / "began").read_text()  # a pipe: it has begun
        process.terminate()
        process.wait(20)
        self.assertTrue(ended(int((one.home / "pid").read_text())))

    def test_a_step_that_breaks_is_told_and_the_next_one_is_done(self):
        one = self.lab()
        self.assertFalse(one.step("broken", 1, lambda: {}["nothing"]))
        self.assertTrue(one.step("next", 1, lambda: None))
        self.assertIn("KeyError", (one.out / "log.txt").read_text())

    def test_no_device_is_named_in_what_is_written(self):
        one = self.lab()
        one.command(["sh", "-c", f"echo {UUID}; echo {UUID}"], keep="page.txt")
        page = (one.out / "page.txt").read_text()
        self.assertNotIn("7f3a9c10", page)
        self.assertEqual(len(set(page.split())), 1)
        self.assertEqual(lab.clean(page), page)

    def test_the_management_tool_answers_with_a_pseudonym_and_takes_it(self):
        bin_ = self.work / "bin"
        bin_.mkdir()
        real = bin_ / "nvidia-smi"
        real.write_text(f"#!/bin/sh\n[ \"$1\" = -L ] && echo 'GPU 0: X (UUID: {UUID})' && exit\necho \"asked: $*, {UUID}\"\nexit 7\n")
        real.chmod(0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{bin_}:{path}"
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        shown = self.work / "shown"
        lab.anonymous_smi(shown)
        hidden = lab.pseudonym(UUID)
        done = subprocess.run([shown, "--query-gpu=a,b", "-i", hidden], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (7, f"asked: --query-gpu=a,b -i {hidden}, {hidden}\n"))
        real.write_text(f"#!/bin/sh\n[ \"$3\" = {UUID} ] && echo right\n")
        done = subprocess.run([shown, "--query-gpu=a,b", "-i", hidden], capture_output=True, text=True)
        self.assertEqual(done.stdout, "right\n")

    def test_decisions_follow_the_verdict(self):
        one = self.lab()
        for name, fields, more, begins in [
            ("a", {"verdict": "FASTER"}, {}, "accept a --reason FASTER: "),
            ("refused", {"verdict": "FASTER"}, {}, "park refused --reason FASTER, and a gate"),
            ("c", {"verdict": "SAME"}, {}, "reject c --reason SAME: "),
            ("d", {"verdict": "UNDECIDED"}, {}, "park d --reason UNDECIDED: "),
            ("e", {"verdict": "FASTER"}, {"control": "control"}, "reject e --reason control: FASTER: "),
            ("f", {"failure": {"kind": "launch", "message": "too much"}}, {}, "reject f --reason launch: too much"),
            ("g", {}, {}, "park g --reason not measured"),
            ("h", {"verdict": "SLOWER"}, {"root": True}, "accept h --override verdict="),
        ]:
            gates = [{"name": "verdict", "pass": False, "evidence": ""}]
            told = {"variants": [{"name": name, **fields}], "variant": {"gates": gates}, "verdict": {"reason": "so"}}
            (one.home / "list.json").write_text(json.dumps(told))
            one.decide(name, **more)
            self.assertTrue(self.asked(one)[-1].startswith(begins), (self.asked(one)[-1], begins))

    def test_device_code_is_found_inside_a_host_library(self):
        def elf(machine, size):
            head = bytearray(64)
            head[:6] = b"\x7fELF\x02\x01"
            head[18:20] = machine.to_bytes(2, "little")
            head[40:48] = (size - 64).to_bytes(8, "little")
            head[58:60], head[60:62] = (64).to_bytes(2, "little"), (1).to_bytes(2, "little")
            return bytes(head) + bytes([7]) * (size - 64)

        path = self.work / "lib.so"
        path.write_bytes(elf(62, 200) + b"text" + elf(190, 300) + b"more")
        self.assertEqual(loop.device_images(path), [elf(190, 300)])

    def test_a_variant_has_its_files_and_its_parameters(self):
        one = self.lab()
        files = self.work / "files"
        files.mkdir()
        (files / "gemm.cu").write_text("x")
        one.make_variant({"name": "v", "why": "because", "files": ["gemm.cu"], "knobs": {"a": True}, "params": {"a": True, "b": 3}}, files)
        tree = one.home / "tree"
        self.assertEqual((tree / "kernel" / "gemm.cu").read_text(), "x")
        self.assertEqual((tree / "variant.toml").read_text(), "[params]\na = true\nb = 3\n")
        self.assertIn("new v --from main --why because --knob a=true", self.asked(one))
        self.assertIn("commit v", self.asked(one))


if __name__ == "__main__":
    unittest.main()
