"""Facts of generated sources as `assay` takes them: a campaign in a temporary folder, with one variant for each source.

Nothing is compiled or launched: the build stage copies the source, the source stage takes its facts. Standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Mapping, Optional

CAMPAIGN = """schema = "assay.campaign/1"
name = "lower"
[kernel]
paths = ["kernel"]
[formulas]
flops = "1"
bytes = "1"
[[workload]]
name = "none"
[build]
command = 'cp kernel/source.cu "$ASSAY_BUILD/source.cu"'
artefact = "source.cu"
[source]
files = ["source.cu"]
language = "LANGUAGE"
[check]
command = "false"
[bench]
command = "false"
"""


class NoAssay(Exception):
    """There is no `assay` to take facts with."""


def find_assay(named: Optional[str] = None) -> str:
    """The program: the one that is named, of the variable ASSAY, of this repository's build, or of PATH."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    built = [os.path.join(root, "target", kind, "assay") for kind in ("release", "debug")]
    for path in (named, os.environ.get("ASSAY"), *built, shutil.which("assay")):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.abspath(path)
    raise NoAssay("no assay: build it with `cargo build --release`, or name it with --assay or in ASSAY")


def facts(sources: Mapping[str, str], assay: str, language: str = "cuda") -> Dict[str, Dict[str, Any]]:
    """For each named source the hash of what normalisation leaves of it, and its facts; facts that are 0 are left out."""
    with tempfile.TemporaryDirectory(prefix="assay-lower-") as folder:
        return _Campaign(folder, assay, language).all(sources)


class _Campaign:
    def __init__(self, folder: str, assay: str, language: str) -> None:
        self.folder, self.assay = os.path.join(folder, "campaign"), assay
        home = os.path.join(folder, "home")
        os.makedirs(os.path.join(self.folder, "kernel"))
        os.makedirs(home)
        self.env = {**os.environ, "HOME": home, "XDG_CACHE_HOME": os.path.join(home, "cache"),
                    "XDG_STATE_HOME": os.path.join(home, "state"), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        for name in [n for n in self.env if n.startswith(("ASSAY_", "GIT_DIR", "GIT_WORK_TREE"))]:
            del self.env[name]
        with open(os.path.join(self.folder, "assay.toml"), "w", encoding="utf-8") as f:
            f.write(CAMPAIGN.replace("LANGUAGE", language))
        with open(os.path.join(self.folder, "kernel", "source.cu"), "w", encoding="utf-8") as f:
            f.write("")
        for arguments in (["init", "-q"], ["config", "user.name", "lower"], ["config", "user.email", "lower@localhost"],
                          ["add", "."], ["commit", "-q", "-m", "sources to take facts of"]):
            self._run(["git", *arguments])
        self._assay("init", "--trust")

    def all(self, sources: Mapping[str, str]) -> Dict[str, Dict[str, Any]]:
        # Evidence is kept by content: equal sources are one variant.
        by_text: Dict[str, str] = {}
        slots = {name: by_text.setdefault(text, f"s{len(by_text)}") for name, text in sources.items()}
        for text, slot in by_text.items():
            self._assay("new", slot, "--why", "facts of one source")
            tree = self._assay("edit", slot).strip().splitlines()[-1]
            with open(os.path.join(tree, "kernel", "source.cu"), "w", encoding="utf-8") as f:
                f.write(text)
            self._assay("commit", slot, "-m", "a source to take facts of")
            self._assay("run", slot, "--stages", "build,source", "--trust")
        export = os.path.join(os.path.dirname(self.folder), "ledger")
        self._assay("export", export)
        records = _records(export)
        return {name: _of(records, slot) for name, slot in slots.items()}

    def _assay(self, *arguments: str) -> str:
        return self._run([self.assay, "-C", self.folder, *arguments])

    def _run(self, command: List[str]) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.strip()}")
        return done.stdout


def _records(folder: str) -> List[Dict[str, Any]]:
    found = []
    for where, _, names in sorted(os.walk(os.path.join(folder, "records"))):
        for name in sorted(names):
            with open(os.path.join(where, name), encoding="utf-8") as f:
                found.append(json.load(f))
    return found


def _of(records: List[Dict[str, Any]], slot: str) -> Dict[str, Any]:
    for record in records:
        body = record["body"]
        if record["kind"] == "source" and body["subject"]["name"] == slot:
            taken = {name: figure["value"] for name, figure in sorted(body["facts"].items()) if figure["value"]}
            return {"normalised_sha256": body["normalised"], "facts": taken}
    raise RuntimeError(f"assay kept no facts of {slot}")
