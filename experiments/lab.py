"""A campaign on the device of this machine, in sessions that are cut short: what was done is packed and gone on with.

    clock = Clock(580)                                  # seconds until everything has to be packed
    lab = Lab("gemm", assay, out, clock, make)          # make(repo) fills the repository, where there is none to go on with
    lab.step("measure wide", 60, lambda: lab.run("run", "wide"))
    lab.pack()                                          # OUT/gemm.tar.gz; also after every step

A lab is one folder, always at the same place: `repo/` (with the ledger in it), `home/` (settings and caches of `assay`) and
`out/` (logs, reports, pages of profilers). The archive holds all but caches and compiled code, which the next session makes
again. Where `RESUME` names a folder with such an archive, the lab begins with its content. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

ROOT = Path(tempfile.gettempdir()) / "assay-labs"
KERNELS = Path(__file__).resolve().parent.parent / "kernels"
# Seconds that packing, and ending what runs, may take.
PACKING = 8.0
# What a session leaves behind for the next one to make again.
LEFT_OUT = ("home/cache", "home/.cache", "home/.nv", "home/.triton", "home/.tilelang")
MOST_BYTES = 15 << 20


class NoTime(Exception):
    """A command was stopped because the session is over, or would not have ended before."""


class Clock:
    """So many seconds from now on."""

    def __init__(self, seconds: float) -> None:
        self.ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left for work."""
        return self.ends - PACKING - time.monotonic()


def clean(text: str) -> str:
    """Without what identifies one machine."""
    text = re.sub(r"(GPU|MIG)-[0-9a-f]{8}-[0-9a-f-]{27}", lambda m: pseudonym(m.group(0)), text)
    return text.replace(str(ROOT) + "/", "").replace(str(ROOT), "")


def pseudonym(uuid: str) -> str:
    """A name for a device that says nothing of it and is the same every time; a pseudonym stays itself."""
    kind, _, rest = uuid.partition("-")
    if rest.startswith("00000000-0000-0000-"):
        return uuid
    digest = hashlib.sha256(uuid.encode()).hexdigest()
    return f"{kind}-00000000-0000-0000-{digest[:4]}-{digest[4:16]}"


class Lab:
    """A repository of its own with one campaign in it, away from the user's settings."""

    def __init__(self, name: str, assay: Path, out: Path, clock: Clock, make: Callable[[Path], None]) -> None:
        self.name, self.assay, self.clock = name, Path(assay).resolve(), clock
        self.archive = Path(out).resolve() / f"{name}.tar.gz"
        self.folder = ROOT / name
        self.repo, self.home, self.out = (self.folder / part for part in ("repo", "home", "out"))
        earlier = Path(os.environ["RESUME"]) / self.archive.name if os.environ.get("RESUME") else None
        if not self.repo.exists() and earlier and earlier.exists():
            ROOT.mkdir(parents=True, exist_ok=True)
            with tarfile.open(earlier) as archive:
                archive.extractall(ROOT, filter="data")
        signal.signal(signal.SIGTERM, stopped)
        for folder in (self.home / "bin", self.out, self.archive.parent):
            folder.mkdir(parents=True, exist_ok=True)
        self.env = dict(os.environ, HOME=str(self.home), XDG_CACHE_HOME=str(self.home / "cache"),
                        XDG_STATE_HOME=str(self.home / "state"), GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
                        PATH=f"{self.home / 'bin'}:{os.environ.get('PATH', '')}")
        anonymous_smi(self.home / "bin" / "nvidia-smi")
        self.log = open(self.out / "log.txt", "a", encoding="utf-8")
        self.said(f"session of {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}, {clock.left():.0f} s")
        path = self.folder / "done.json"
        self.done: Dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        if not self.repo.exists():
            make(self.repo)
            for command in (["init", "-q", "-b", "main"], ["config", "user.name", "campaign"],
                            ["config", "user.email", "campaign@localhost"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
                subprocess.run(["git", *command], cwd=self.repo, env=self.env, check=True)
            self.run("init")
        else:
            subprocess.run(["git", "worktree", "prune"], cwd=self.repo, env=self.env, check=True)

    # ---- commands

    def said(self, text: str) -> None:
        """A line for the log and for whoever watches."""
        self.log.write(clean(text) + "\n")
        self.log.flush()
        print(clean(f"{self.name}: {text}"), flush=True)

    def command(self, argv: Sequence[str], most: float = 1e9, cwd: Optional[Path] = None, keep: str = "",
                more: Optional[Dict[str, str]] = None) -> subprocess.CompletedProcess:
        """One command, ended with all that it started when its time or the session's is over.

        What it prints goes to the log; with `keep` its standard output goes to that file of `out/` instead.
        """
        most = min(most, self.clock.left())
        began = time.monotonic()
        if most <= 0:
            raise NoTime(f"no time for {' '.join(argv[:3])}")
        process = subprocess.Popen([str(a) for a in argv], cwd=cwd or self.repo, env={**self.env, **(more or {})}, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE if keep else subprocess.STDOUT, start_new_session=True, errors="replace")
        late = False
        try:
            out, err = process.communicate(timeout=most)
        except subprocess.TimeoutExpired:
            late = True
            end(process)
            out, err = process.communicate()
        took = time.monotonic() - began
        shown = clean(" ".join(str(a) for a in argv[1:] if str(a) != "--trust"))
        self.log.write(clean(f"$ {Path(argv[0]).name} {shown}\n{err if keep else out}"))
        if keep:
            (self.out / keep).write_text(clean(out), encoding="utf-8")
        self.said(f"{Path(argv[0]).name} {shown[:90]}: " + (f"stopped after {took:.1f} s" if late else
                                                             f"exit {process.returncode}, {took:.1f} s"))
        if late:
            raise NoTime(f"{shown[:60]} was stopped after {took:.0f} s")
        return subprocess.CompletedProcess(argv, process.returncode, out, err)

    def run(self, *args: str, keep: str = "", most: float = 1e9) -> subprocess.CompletedProcess:
        """One command of `assay`."""
        return self.command([str(self.assay), "--trust", *args], keep=keep, most=most)

    def told(self, *args: str) -> Dict[str, Any]:
        """What a reading command of `assay` says as JSON; not logged."""
        done = subprocess.run([str(self.assay), "--trust", *args, "--json"], cwd=self.repo, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        return json.loads(done.stdout) if done.stdout.strip() else {}

    # ---- steps

    def step(self, name: str, seconds: float, work: Callable[[], Any], kind: str = "") -> bool:
        """Does a step unless it was done, or would not be done in time; packs after it. Whether it is done.

        `seconds` is what it is thought to take; where steps of its `kind` were done, the longest of them counts.
        """
        if name in self.done:
            return True
        known = [d["seconds"] for d in self.done.values() if kind and d.get("kind") == kind]
        if known:
            seconds = max(known) * 1.15
        if self.clock.left() < seconds:
            self.said(f"left for another session: {name} ({seconds:.0f} s, {self.clock.left():.0f} s are left)")
            return False
        began = time.monotonic()
        try:
            work()
        except NoTime as e:
            self.said(f"left for another session: {name}: {e}")
            return False
        except Exception:  # what else there is to do in this session is worth more than a whole trace
            self.said(f"failed: {name}\n{traceback.format_exc()}")
            self.pack()
            return False
        self.done[name] = {"seconds": round(time.monotonic() - began, 1), "kind": kind}
        (self.folder / "done.json").write_text(json.dumps(self.done, indent=1))
        self.pack()
        return True

    def beside(self, work: Sequence[Callable[[], Any]], workers: int) -> None:
        """Does several things that are not timed at once; what has no time left is left."""

        def one(item: Callable[[], Any]) -> None:
            try:
                item()
            except NoTime as e:
                self.said(str(e))
            except Exception:
                self.said(traceback.format_exc())

        with ThreadPoolExecutor(max(1, workers)) as pool:
            list(pool.map(one, work))

    def pack(self) -> None:
        """Writes the archive, whole or not at all."""
        self.log.flush()

        def kept(info: tarfile.TarInfo) -> Optional[tarfile.TarInfo]:
            inside = info.name.partition("/")[2]
            left_out = any(inside == part or inside.startswith(part + "/") for part in LEFT_OUT)
            return None if left_out or "__pycache__" in inside else info

        made = self.folder / "archive.tmp"
        with tarfile.open(made, "w:gz", compresslevel=6) as archive:
            for part in ("repo", "home", "out", "done.json"):
                if (self.folder / part).exists():
                    archive.add(self.folder / part, f"{self.name}/{part}", filter=kept)
        if made.stat().st_size > MOST_BYTES:
            self.said(f"the archive has {made.stat().st_size >> 20} MiB, more than may come back")
        shutil.copyfile(made, self.archive.with_suffix(".new"))
        os.replace(self.archive.with_suffix(".new"), self.archive)
        made.unlink()

    # ---- variants

    def variant(self, name: str) -> Dict[str, Any]:
        """What `list` says of a variant; empty where there is none."""
        return next((v for v in self.told("list").get("variants", []) if v["name"] == name), {})

    def make_variant(self, row: Dict[str, Any], files: Path) -> None:
        """A variant of a history (rows as in history.toml; `files` are its files), unless there is one of that name.

        `params` of a row become a `variant.toml` beside the campaign file.
        """
        if self.variant(row["name"]):
            return
        knobs = [a for k, x in row.get("knobs", {}).items() for a in ("--knob", f"{k}={word(x)}")]
        predicted = [a for p in row.get("predictions", []) for a in ("--predict", p)]
        family = ["--family", row["family"]] if row.get("family") else []
        self.run("new", row["name"], "--from", row.get("parent", "main"), "--why", row["why"], *family, *knobs, *predicted)
        tree = Path(self.run("edit", "--no-editor", row["name"]).stdout.strip().splitlines()[-1])
        changed = False
        for file in row["files"]:
            target = tree / "kernel" / file
            changed |= not target.exists() or target.read_bytes() != (files / file).read_bytes()
            shutil.copyfile(files / file, target)
        if row.get("params"):
            lines = [f"{k} = {word(v)}\n" for k, v in row["params"].items()]
            (tree / "variant.toml").write_text("[params]\n" + "".join(lines), encoding="utf-8")
            changed = True
        if changed:
            self.run("commit", row["name"])

    def decide(self, name: str, root: bool = False, control: str = "") -> None:
        """The decision that follows from the verdict, with its sentence as the reason.

        Faster is accepted, and parked where a gate forbids that; undecided is parked; all else, a failure too, is rejected.
        `root` is accepted as what others begin with, `control` says why a variant is there that is no candidate.
        """
        v = self.variant(name)
        verdict, failure = v.get("verdict"), v.get("failure") or {}
        sentence = (self.told("show", name).get("verdict") or {}).get("reason", "")
        if failure:
            reason = f"{failure.get('kind', 'failed')}: {failure.get('message', '')}".strip()
            self.run("reject", name, "--reason", f"{control}: {reason}" if control else reason)
        elif root:
            self.run("accept", name, *self.overrides(name, True), "--reason", f"what the others begin with; {verdict}: {sentence}")
        elif verdict == "FASTER" and not control:
            if self.run("accept", name, *self.overrides(name, False), "--reason", f"FASTER: {sentence}").returncode:
                self.run("park", name, "--reason", f"FASTER, and a gate is in the way: {sentence}")
        elif verdict in ("UNDECIDED", "INVALID", None):
            self.run("park", name, "--reason", f"{verdict or 'not measured'}: {sentence}")
        else:
            self.run("reject", name, "--reason", f"{control + ': ' if control else ''}{verdict}: {sentence}")

    def overrides(self, name: str, root: bool) -> List[str]:
        """Gates that are set aside: those that nothing is known for on this machine, and for a root those of the verdict."""
        out = []
        for gate in (self.told("show", name).get("variant") or {}).get("gates", []):
            if gate["pass"] is None:
                out += ["--override", f"{gate['name']}=nothing is known of it on this machine: {gate['evidence']}"]
            elif not gate["pass"] and root and gate["name"] in ("verdict", "workload-guard"):
                out += ["--override", f"{gate['name']}=what others begin with is not held to be faster than a library"]
        return out

    def finish(self, names: Sequence[str], pairs: Sequence[Sequence[str]]) -> None:
        """What the ledger says at the end of a session: always done again, since it takes seconds."""
        for args, keep in ((["list"], "list.txt"), (["list", "--json"], "list.json"), (["verify"], "verify.txt"),
                           (["audit"], "audit.txt"), (["calibrate", "--history"], "calibrations.txt")):
            self.run(*args, keep=keep, most=30)
        for name in names:
            self.run("show", name, keep=f"show-{name}.txt", most=30)
        for a, b in pairs:
            self.run("diff", "--generated", a, b, keep=f"diff-{a}-{b}.txt", most=30)
        for lang in ("en", "zh"):
            self.run("report", "--format", "md,html", "--lang", lang, "-o", str(self.out / f"report-{lang}"), most=60)
        shutil.rmtree(self.out / "ledger", ignore_errors=True)
        self.run("export", str(self.out / "ledger"), most=60)
        self.command([str(self.assay), "-C", str(self.out / "ledger"), "verify"], most=60)
        self.pack()


def word(value: Any) -> str:
    """A value as a campaign file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def anonymous_smi(path: Path) -> None:
    """A `nvidia-smi` for this lab that calls the device by a pseudonym: what is recorded is published.

    The pseudonym is the same on every run, so that readings and evidence of one device stay together.
    """
    path.unlink(missing_ok=True)
    real = shutil.which("nvidia-smi")
    if not real:
        return
    listed = subprocess.run([real, "-L"], text=True, capture_output=True, timeout=60).stdout
    names = {u: pseudonym(u) for u in re.findall(r"(?:GPU|MIG)-[0-9a-f-]{36}", listed)}
    hide = " ".join(f"-e s/{u}/{p}/g" for u, p in names.items()) or "-e s/a/a/"
    show = " ".join(f"-e s/{p}/{u}/g" for u, p in names.items()) or "-e s/a/a/"
    path.write_text(f"""#!/bin/sh
for a in "$@"; do
  shift
  case $a in GPU-*|MIG-*|*=GPU-*|*=MIG-*) a=$(printf %s "$a" | sed {show}) ;; esac
  set -- "$@" "$a"
done
said=$({real} "$@")
code=$?
printf '%s\\n' "$said" | sed {hide}
exit $code
""", encoding="utf-8")
    path.chmod(0o755)


def descendants(pid: int) -> List[int]:
    """All processes below one, also those in groups of their own."""
    parents: Dict[int, List[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found


def stopped(number: int, _frame: Any) -> None:
    """Ends all that was started: it must not go on without us, and write into a ledger that another session has by then."""
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    sys.exit(128 + number)


def end(process: subprocess.Popen) -> None:
    """Ends a process: first by asking, so that it ends what it started, then it and all below it."""
    below = descendants(process.pid)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        below += descendants(process.pid)
        process.kill()
    for pid in below:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
