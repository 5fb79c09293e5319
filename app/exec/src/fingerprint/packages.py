# Prints a line for each package that is named: the version, `absent`, or that it is there without one.
# They are not imported: that takes seconds, and two processes that hold TileLang at once have been
# ended for want of memory. A source tree on PYTHONPATH has no metadata, and comes before an
# installed package that has. A name with a hyphen is that of a distribution, which no module has.
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys


def folder_of(name):
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    # A folder of that name without __init__.py is no package.
    return os.path.dirname(spec.origin) if spec and spec.has_location else None


def line_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.readline().strip() or None
    except OSError:
        return None


def assigned(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            said = re.search(r"""^__version__\s*(?::[^=\n]*)?=\s*['"]([^'"\n]+)""", f.read(1 << 16), re.M)
    except OSError:
        return None
    return said and said.group(1)


def version_of(folder):
    above = os.path.dirname(folder)
    for name in ("version.py", "_version.py", "__init__.py"):
        said = assigned(os.path.join(folder, name))
        if said:
            return said
    return line_of(os.path.join(folder, "VERSION")) or line_of(os.path.join(above, "VERSION"))


def commit_of(folder):
    above = os.path.dirname(folder)
    for place in (folder, above):
        said = line_of(os.path.join(place, ".git_commit.txt"))
        if said:
            return said
    # Only a repository of its own: a package may lie within one that is not about it.
    if not os.path.exists(os.path.join(above, ".git")):
        return None
    try:
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", above, "rev-parse", "HEAD"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=3,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip() or None


for name in sys.argv[1:]:
    if "-" in name:
        try:
            print(name, importlib.metadata.version(name) or "present, version unknown")
        except importlib.metadata.PackageNotFoundError:
            print(name, "absent")
        continue
    folder = folder_of(name)
    if folder is None:
        print(name, "absent")
        continue
    try:
        dist = importlib.metadata.distribution(name)
        said, home = dist.version, os.path.realpath(str(dist.locate_file("")))
    except importlib.metadata.PackageNotFoundError:
        said, home = None, None
    installed = home == os.path.realpath(os.path.dirname(folder))
    found = said if installed else version_of(folder) or said
    print(name, found or "present, version unknown")
    commit = commit_of(folder)
    if commit:
        print(name + ".commit", commit)
