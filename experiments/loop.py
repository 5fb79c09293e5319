"""The whole loop of a campaign in a lab: variants, calibration, verdicts, decisions, profiles, differences, reports.

Each part is a step of the lab, in the order of what matters most, and is left for another session where its time is up.
What is not timed (builds, machine code) is done beside each other at the beginning of a session, what is timed alone.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import Any, Dict, List, Sequence

from lab import Lab, NoTime, word

MEASURE = "build,source,check,bench"


def loop(lab: Lab, rows: Sequence[Dict[str, Any]], files: Path, *, seconds: float, profiled: Sequence[str] = (),
         processes: int = 8, workers: int = 8, limit: float = 150, prepare: bool = False) -> None:
    """Makes, measures and decides the variants of `rows` (as in history.toml) in this order.

    More keys of a row: `against` (what it is measured against, where that is not the champion), `root` (accepted as what the
    others begin with), `calibrate` (the noise is measured after it), `control` (why it is there although it is no candidate), `again` (measured once more, against another
    one). `seconds` is what measuring one is thought to take, `limit` the most it may. With `prepare`, nothing is timed and
    the lab is left for a second call.
    """
    resumed = bool(lab.done)
    try:
        for row in rows:
            if not row.get("again"):
                lab.make_variant(row, files / row["folder"])
    except NoTime as e:
        lab.said(f"not all variants were made: {e}")
        lab.pack()
        return
    todo = [r for r in rows if title(r) not in lab.done]
    known = {r["name"] for r in rows}
    names = list(dict.fromkeys(n for r in todo for n in (r["name"], r.get("against")) if n in known))
    if names and resumed and (champion := lab.told("list").get("champion")):
        names.insert(0, champion)
    builds = [lambda n=n: lab.run("run", n, "--stages", "build,source", *(["--again"] if resumed else []), most=120)
              for n in dict.fromkeys(names)]
    seen = [n for n in profiled if f"profile {n}" not in lab.done or f"machine code {n}" not in lab.done]
    if lab.clock.left() > 60 and not (lab.folder / "prepared").exists():
        lab.beside(builds + [lambda n=n: machine_code(lab, n) for n in seen], workers)
        (lab.folder / "prepared").write_text("")
        lab.pack()
    if prepare:
        return
    for row in rows:
        lab.step(title(row), seconds, lambda row=row: measure(lab, row, limit), kind="measure")
        if row.get("calibrate"):
            lab.step("calibrate", seconds * processes / 4, lambda: calibrate(lab, processes))
    for name in profiled:
        if lab.variant(name).get("verdict"):
            lab.step(f"profile {name}", 30, lambda name=name: lab.run("run", name, "--stages", "profile", most=120), kind="profile")
    try:
        finish(lab, rows, profiled)
    except NoTime as e:
        lab.said(f"the end was not written whole: {e}")
    lab.pack()


def calibrate(lab: Lab, processes: int) -> None:
    """The noise of this device in this campaign; without it the step is left, and what was printed says why."""
    if lab.run("calibrate", "--noise", "--processes", str(processes)).returncode:
        raise NoTime("no calibration came of it")


def title(row: Dict[str, Any]) -> str:
    """The name of the step that measures a row."""
    return f"measure {row['name']}" + (f" against {row['against']}" if row.get("again") else "")


def measure(lab: Lab, row: Dict[str, Any], limit: float) -> None:
    """One run, and what follows from it."""
    against = ["--against", row["against"]] if row.get("against") else []
    again = ["--again", "--stages", "build,check,bench"] if row.get("again") else ["--stages", MEASURE]
    lab.run("run", row["name"], *against, *again, most=limit)
    if not row.get("again"):
        lab.decide(row["name"], bool(row.get("root")), row.get("control", ""))


def finish(lab: Lab, rows: Sequence[Dict[str, Any]], profiled: Sequence[str]) -> None:
    """What there is to read at the end."""
    measured = [r for r in rows if title(r) in lab.done and not r.get("again")]
    lab.finish([r["name"] for r in measured], [(r["parent"], r["name"]) for r in measured if r.get("parent")])
    code = [n for n in profiled if (lab.out / f"{n}.sass").exists()]
    for a, b in zip(code, code[1:]):
        lab.command([str(lab.assay), "diff", "--files", str(lab.out / f"{a}.sass"), str(lab.out / f"{b}.sass")],
                    keep=f"sass-{a}-{b}.txt", most=30)
    have = [n for n in profiled if f"profile {n}" in lab.done]
    for a, b in zip(have, have[1:]):
        lab.run("compare", a, b, keep=f"compare-{a}-{b}.txt", most=30)


# ---- machine code


def machine_code(lab: Lab, name: str) -> None:
    """Builds a variant into a folder of its own and writes down the machine code of its kernels."""
    if f"machine code {name}" in lab.done and built(lab, name).exists():
        return
    tree = Path(lab.run("edit", "--no-editor", name).stdout.strip().splitlines()[-1])
    folder = built(lab, name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    campaign = tomllib.loads((tree / "assay.toml").read_text(encoding="utf-8"))
    command = campaign["build"]["command"]
    if lab.command(["sh", "-c", command], most=120, cwd=tree, more=stage_env(campaign, tree, folder)).returncode:
        return
    images = [image for path in sorted(folder.rglob("*.so")) + sorted(folder.rglob("*.cubin")) for image in device_images(path)]
    text = ""
    for number, image in enumerate(dict.fromkeys(images)):
        path = folder / f"image-{number}.cubin"
        path.write_bytes(image)
        if shutil.which("cuobjdump"):
            done = lab.command(["cuobjdump", "-sass", str(path)], most=60, keep=f"{name}.sass")
            text += done.stdout
    if text:
        (lab.out / f"{name}.sass").write_text(text, encoding="utf-8")
    lab.done[f"machine code {name}"] = {"seconds": 0, "images": len(images)}


def built(lab: Lab, name: str) -> Path:
    """Where machine_code has built a variant."""
    return lab.folder / "built" / name


def stage_env(campaign: Dict[str, Any], tree: Path, folder: Path) -> Dict[str, str]:
    """What a stage is told of a variant, as far as these evaluators ask."""
    given = dict(campaign.get("params", {}))
    for path in [tree / "variant.toml", *(tree / p / "variant.toml" for p in campaign["kernel"]["paths"])]:
        if path.exists():
            given.update(tomllib.loads(path.read_text(encoding="utf-8")).get("params", {}))
    words = {k: word(v) for k, v in given.items()}
    return {"ASSAY_BUILD": str(folder), "ASSAY_SOURCE": str(tree), "ASSAY_FLAGS": "", "ASSAY_JOBS": str(os.cpu_count() or 1),
            **{f"ASSAY_PARAM_{k.upper()}": v for k, v in words.items()}}


def device_images(path: Path) -> List[bytes]:
    """The device's ELF files inside a host library: a runtime keeps them as data, where cuobjdump does not look."""
    data, found, at = path.read_bytes(), [], 0
    while (at := data.find(b"\x7fELF\x02\x01", at)) >= 0:
        machine = int.from_bytes(data[at + 18:at + 20], "little")
        if machine == 190 and len(data) >= at + 64:  # EM_CUDA; its tables stand last, sections before segments
            ends = [int.from_bytes(data[at + o:at + o + 8], "little")
                    + int.from_bytes(data[at + s:at + s + 2], "little") * int.from_bytes(data[at + n:at + n + 2], "little")
                    for o, s, n in ((40, 58, 60), (32, 54, 56))]
            found.append(data[at:at + max(ends)])
        at += 4
    return found
