"""The golden facts of a campaign, and what tests ask of them. Standard library only: neither torch nor TileLang is needed.

    class Golden(GoldenFacts, unittest.TestCase):
        campaign = CAMPAIGN             # the folder
        knobs = ("a_width", "stages")   # every one of these must move something
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
from typing import Any, Dict, List, Sequence, Tuple

SCHEMA = "assay.golden/1"

# A knob that moves none of these changes the text and nothing that a reader of facts would see: barriers, widths and
# counts of loads and stores, matrix instructions, the order of blocks, shared memory, launch bounds.
TELLING = ("barrier.", "mbarrier.", "fence.", "async.", "sync.", "load.", "store.", "mma.", "ldmatrix.", "stmatrix.", "cp_async.",
           "tma.", "swizzle.", "shared.", "launch.", "registers.", "reduce.", "shuffle.", "loop.trips", "local.array_bytes", "grid.")


def campaign_name(campaign: str) -> str:
    """The name of the folder of a campaign."""
    return os.path.basename(os.path.abspath(campaign))


def path_of(campaign: str) -> str:
    """Where the golden facts of a campaign lie."""
    return os.path.join(campaign, "golden", "facts.json")


def load(campaign: str) -> Dict[str, Any]:
    """The golden facts of a campaign."""
    with open(path_of(campaign), encoding="utf-8") as f:
        return json.load(f)


def moved(golden: Dict[str, Any], knob: str) -> List[Tuple[str, List[str]]]:
    """For each setting of a knob its name and the telling facts that differ from those of the setting it is held against."""
    rows = {row["name"]: row for row in golden["settings"]}
    out = []
    for row in golden["settings"]:
        if row.get("knob") == knob and "facts" in row:
            mine, other = ({**r["facts"], **r.get("launch", {})} for r in (row, rows[row["of"]]))
            names = sorted(n for n in {*mine, *other} if n.startswith(TELLING) and mine.get(n, 0) != other.get(n, 0))
            out.append((row["name"], names))
    return out


class GoldenFacts:
    """Tests of the golden facts of one campaign; mix in with `unittest.TestCase`."""

    campaign = ""
    knobs: Sequence[str] = ()

    def test_the_golden_facts_are_whole(self) -> None:
        golden = load(self.campaign)
        self.assertEqual(golden["schema"], SCHEMA)
        names = [row["name"] for row in golden["settings"]]
        self.assertEqual(len(names), len(set(names)))
        for row in golden["settings"]:
            if "refused" in row:
                continue
            self.assertRegex(row["sha256"], "^[0-9a-f]{64}$")
            self.assertRegex(row["normalised_sha256"], "^[0-9a-f]{64}$")
            self.assertGreater(row["facts"].get("kernel.count", 0), 0, row["name"])
            if "of" in row:
                self.assertIn(row["of"], names)

    def test_every_knob_moves_a_fact_that_tells(self) -> None:
        golden = load(self.campaign)
        self.assertEqual(sorted({row["knob"] for row in golden["settings"] if "knob" in row}), sorted(self.knobs))
        for knob in self.knobs:
            self.assertTrue(any(names for _, names in moved(golden, knob)), f"{knob}: {moved(golden, knob)}")

    def test_the_sources_are_lowered_as_they_were(self) -> None:
        if not all(importlib.util.find_spec(name) for name in ("torch", "tilelang")):
            self.skipTest("lowering needs torch and tilelang, which are not installed here")
        golden, here = load(self.campaign), os.path.dirname(os.path.abspath(__file__))
        import tilelang

        version = tilelang.__version__.split("+")[0]
        if version != golden["tilelang"]:
            self.skipTest(f"the golden facts are of tilelang {golden['tilelang']}; {version} is installed here")
        sys.path.insert(0, here)
        from lower import lower

        _, rows, sources = lower(self.campaign)
        self.assertEqual([row["name"] for row in rows], [row["name"] for row in golden["settings"]])
        hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sources.items()}
        differ = [row["name"] for row in golden["settings"] if row.get("sha256") != hashes.get(row["name"])]
        self.assertEqual(differ, [], "lower.py writes new golden facts, where the change is meant")
