"""A campaign as a ledger, made by the public commands of `assay` and nothing else."""

import os
import shutil
import subprocess
from pathlib import Path

from tables import ROOT, Campaign, Refused, file_of

# Where the first commit says that it was made: the only time stamp that this script can choose.
WHEN = "2000-01-01T00:00:00Z"
# What `assay export` writes.
LEDGER = ("format.json", "records.sha256", "records", "blobs")


class Failed(Exception):
    """A command that did not end as it must."""


class Bench:
    """A git repository of a campaign in a folder of its own, away from the user's settings."""

    def __init__(self, assay: Path, folder: Path, author: str):
        self.assay = assay
        self.repo = folder / "repository"
        self.author = author
        self.env = {
            "PATH": os.environ.get("PATH", ""),
            "LC_ALL": "C.UTF-8",
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_DATA_HOME": str(folder / "data"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": WHEN,
            "GIT_COMMITTER_DATE": WHEN,
        }
        self.repo.mkdir(parents=True)

    def command(self, *args: str) -> str:
        done = subprocess.run(
            args, cwd=self.repo, env=self.env, capture_output=True, text=True, encoding="utf-8"
        )
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()
            raise Failed(f"{' '.join(args[:3])} … ended with {done.returncode}: {said}")
        return done.stdout

    def git(self, *args: str) -> str:
        return self.command("git", *args)

    def run(self, *args: str) -> str:
        return self.command(str(self.assay), "--as", self.author, *args)


def quoted(row: dict[str, str]) -> str:
    """What a document says, where it says it, and what that means in English."""
    where = f"[{row['document']} {row['section']}]"
    return f"{row['text']} {where} (translation: {row['translation']})"


def toml_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def knobs_file(c: Campaign, version: str) -> str:
    """The kernel of a version: what its document states of it, for its source is not there."""
    lines = [
        f"# {version}: the knobs that its document states. Others are not known, and its source was",
        "# not published whole.",
    ]
    for row in c.rows("knobs"):
        if row["version"] == version:
            lines.append(f"# {row['printed']} [{row['document']} {row['section']}]")
            lines.append(f"{row['knob']} = {toml_text(row['value'])}")
    for row in c.rows("facts"):
        if row["version"] == version:
            lines.append(f"# {row['fact']}: {row['printed']} [{row['document']} {row['section']}]")
    return "\n".join(lines) + "\n"


def start(b: Bench, c: Campaign) -> None:
    """The repository with the campaign file and no kernel."""
    b.git("init", "-q", "-b", "main")
    b.git("config", "user.name", "experiments/make")
    b.git("config", "user.email", "experiments@example.invalid")
    shutil.copyfile(c.folder / "assay.toml", b.repo / "assay.toml")
    (b.repo / "kernel").mkdir()
    (b.repo / "kernel" / "knobs.toml").write_text("# No knob is stated.\n", encoding="utf-8")
    b.git("add", "-A")
    b.git("commit", "-q", "-m", "the campaign as published")
    b.run("init")


def declare(b: Bench, c: Campaign, version: dict[str, str]) -> None:
    """A version: a variant with the knobs that are stated of it."""
    name = version["version"]
    parent = version["parent"]
    stated = [r for r in c.rows("knobs") if r["version"] == name]
    args = ["new", name, "--from", "main" if parent == ROOT else parent]
    args += ["--why", quoted(c.one("whys", "version", name)), "--family", version["family"]]
    for row in stated:
        args += ["--knob", f"{row['knob']}={row['value']}"]
    b.run(*args)
    write(b, name, "knobs.toml", knobs_file(c, name))


def write(b: Bench, version: str, name: str, text: str) -> None:
    """Commits a file of the kernel of a version."""
    tree = Path(b.run("edit", "--no-editor", version).strip())
    (tree / "kernel" / name).write_text(text, encoding="utf-8")
    b.run("commit", version)


def imports(b: Bench, c: Campaign, subject: str) -> None:
    """Every table that is filed under a subject."""
    for wanted in c.described.get("import", []):
        if subject not in wanted["subjects"] and "*" not in wanted["subjects"]:
            continue
        if "*" in wanted["subjects"] and all(r["version"] != subject for r in c.rows("versions")):
            continue
        table = wanted["table"]
        files = file_of(c.folder, table), c.folder / "mappings" / f"{table}.toml"
        base = ["import", str(files[0]), "--mapping", str(files[1]), "--variant", subject]
        base += ["--target", c.described["target"], "--note", c.described["why"]]
        if "snapshot" in wanted:
            at = toml_text(wanted["snapshot"])
            head = "# The commit that the document states for what is filed under this content."
            write(b, subject, "snapshot.toml", f"{head}\ncommit = {at}\n")
        workload = wanted.get("workload", c.described.get("workload"))
        if workload:
            base += ["--workload", workload]
        if "row" in wanted:
            base += ["--kernel", wanted["row"].replace("{subject}", subject)]
        if "each" not in wanted:
            b.run(*base)
            continue
        for row in c.rows(table):
            of = row[wanted["each"]]
            b.run(*base, "--workload", of, "--kernel", of)


def decide(b: Bench, c: Campaign, version: str, first: bool) -> None:
    """The decision as published. No gate has evidence, which the decision says for ever."""
    row = c.one("reasons", "version", version)
    why = c.described["why"]
    args = [row["decision"], version, "--reason", quoted(row)]
    if row["decision"] == "accept":
        args += ["--override", f"evidence={why}"]
        if not first:
            args += ["--override", f"verdict={why}"]
    b.run(*args)


def reject(b: Bench, row: dict[str, str]) -> None:
    """A direction that was tried and not taken: a group, with what the document says of all of it."""
    name = row["group"]
    why = f"{row['direction']}: {row['tested']} [{row['document']} {row['section']}]"
    args = ["--why", why, "--family", row["family"], "--knob", f"{row['knob']}={row['tested']}"]
    # Which version they were tried on is not printed.
    b.run("new", name, "--from", "main", *args)
    b.run("reject", name, "--reason", quoted(row))


def make(assay: Path, c: Campaign, work: Path, out: Path) -> None:
    """Makes the ledger of a campaign in `out`; what it held before is replaced."""
    b = Bench(assay, work, c.described["author"])
    start(b, c)
    names = [v["version"] for v in c.rows("versions")]
    filed = [s for i in c.described.get("import", []) for s in i["subjects"]]
    for subject in dict.fromkeys(s for s in filed if s != "*" and s not in names):
        imports(b, c, subject)
    for at, version in enumerate(c.rows("versions")):
        declare(b, c, version)
        imports(b, c, version["version"])
        decide(b, c, version["version"], first=at == 0)
    for row in c.rows("rejected"):
        reject(b, row)
    for row in c.rows("notes"):
        about = ["--about", row["about"]] if row["about"] else []
        # A text may begin with a dash.
        b.run("note", "--topic", row["title"], *about, "--", quoted(row))
    for note in c.described.get("note", []):
        path = file_of(c.folder, note["table"])
        about = ["--about", note["about"]] if "about" in note else []
        b.run("note", note["text"], "--topic", note["topic"], "--table", str(path), *about)
    exported = work / "ledger"
    b.run("export", str(exported))
    out.mkdir(parents=True, exist_ok=True)
    for part in LEDGER:
        old, new = out / part, exported / part
        if old.is_dir():
            shutil.rmtree(old)
        elif old.exists():
            old.unlink()
        if new.exists():
            shutil.move(new, old)
    if not (out / "format.json").is_file():
        raise Refused(f"{exported}: no ledger was exported")
