"""What was measured on a device and is published: whole, and without what names a machine or a person's folders."""

import collections
import hashlib
import json
import re
import unittest
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parent.parent
MEASURED = sorted(p.parent for p in EXPERIMENTS.rglob("format.json") if p.relative_to(EXPERIMENTS).parts[0].startswith("h200-"))
# A pseudonym, as lab.py gives them, has zeros where another identity would stand.
IDENTITY = re.compile(rb"(?:GPU|MIG)-(?!00000000-0000-0000-)[0-9a-f]{8}-")
FOLDERS = re.compile(rb"(?<![\w./-])/(?:home|root|work|Users)/[\w.-]+")


def records(ledger):
    """All records of a ledger, by kind."""
    found = collections.defaultdict(list)
    for path in sorted((ledger / "records").rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        found[record["kind"]].append(record["body"])
    return found


class Measured(unittest.TestCase):
    def test_the_ledgers_are_there(self):
        self.assertIn("h200-gemm-tilelang", [p.name for p in MEASURED])

    def test_blobs_are_what_their_names_say(self):
        for ledger in MEASURED:
            for path in (ledger / "blobs").rglob("*"):
                if path.is_file():
                    self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.name, path)

    def test_nothing_names_a_machine_or_a_folder_of_a_person(self):
        for folder in sorted({EXPERIMENTS / p.relative_to(EXPERIMENTS).parts[0] for p in MEASURED}):
            for path in folder.rglob("*"):
                if path.is_file():
                    for pattern in (IDENTITY, FOLDERS):
                        self.assertIsNone(pattern.search(path.read_bytes()), f"{path}: {pattern.pattern!r}")

    def test_the_whole_loop_is_in_the_ledger_of_gemm_tilelang(self):
        found = records(EXPERIMENTS / "h200-gemm-tilelang")
        verdicts = {v["b"]: v for v in found["verdict"]}
        self.assertGreaterEqual(len(verdicts), 6)
        self.assertLessEqual({"FASTER", "SLOWER", "SAME"}, {v["verdict"] for v in verdicts.values()})
        self.assertEqual((verdicts["dispatch-unused"]["a"], verdicts["dispatch-unused"]["verdict"]), ("pipeline3", "SAME"))
        failures = {r["subject"]["name"]: r["failure"]["kind"] for r in found["run"] if r.get("failure")}
        self.assertEqual((failures["no-barriers"], failures["shared-beyond"]), ("correctness", "launch"))
        self.assertTrue(found["calibration"])
        self.assertTrue(all(d["reason"] for d in found["decision"]))
        self.assertEqual({m["subject"]["name"] if "subject" in m else "" for m in found["profile"]} & {"wgmma", "pipeline3"},
                         {"wgmma", "pipeline3"})


if __name__ == "__main__":
    unittest.main()
