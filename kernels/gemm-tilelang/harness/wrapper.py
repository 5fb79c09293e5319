"""What launches the kernels of a subject, for the list of its sources. Standard library only.

`pack` and `bind` of kernel/layers.py decide what a launch does beside the kernels. What they reach in the kernel folder is
hashed, without comments and layout; beside the hash stand the knobs that are named there, with their values. A knob that
has neither a part in a generated source nor a name there has no effect on what runs.
"""

from __future__ import annotations

import ast
import hashlib
import os
from typing import Any, Dict, Iterable, List, Mapping, Set, Tuple

ENTRIES = (("layers", "pack"), ("layers", "bind"))
# Knobs that only these layers have; what they are for has no part in a launch of the others.
OF_LAYERS = {"dispatch": ("moe",)}
# Its functions give the settings as they are, and name them all.
SETTINGS = "settings"


def launched(folder: str, layer: str, settings: Mapping[str, Any]) -> Dict[str, Any]:
    """Hash of the wrapper below `folder`, and the knobs that it names."""
    reached = _reach({name: _parsed(folder, name) for name in _names(folder)})
    text = "\n".join(f"{module}.{name} {ast.dump(node)}" for (module, name), node in sorted(reached.items(), key=lambda r: r[0]))
    named = {c.value for (module, _), node in reached.items() if module != SETTINGS
             for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str)}
    knobs = {k: v for k, v in settings.items() if k in named and layer in OF_LAYERS.get(k, (layer,))}
    return {"sha256": hashlib.sha256(text.encode()).hexdigest(), "settings": knobs}


def _names(folder: str) -> List[str]:
    return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py"))


def _parsed(folder: str, name: str) -> ast.Module:
    with open(os.path.join(folder, name + ".py"), encoding="utf-8") as f:
        return ast.parse(f.read())


def _reach(modules: Mapping[str, ast.Module]) -> Dict[Tuple[str, str], ast.AST]:
    """What the entries reach, by module and name: what a module defines at its top, and whole modules that are imported."""
    tops = {name: dict(_tops(tree)) for name, tree in modules.items()}
    found: Dict[Tuple[str, str], ast.AST] = {}
    todo = [entry for entry in ENTRIES if entry[0] in tops]
    while todo:
        module, name = todo.pop()
        node = tops[module].get(name)
        if node is None or (module, name) in found:
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            todo += _imported(node, name, tops)
            continue
        found[module, name] = node
        todo += [(module, used) for used in _used(node)]
    return found


def _tops(tree: ast.Module) -> Iterable[Tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name, node
        else:
            for name in (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
                yield name, node


def _imported(node: ast.AST, name: str, tops: Mapping[str, Mapping[str, ast.AST]]) -> List[Tuple[str, str]]:
    """Where a name that is imported leads: into a module of the folder, or nowhere."""
    out: List[Tuple[str, str]] = []
    for alias in getattr(node, "names", []):
        if (alias.asname or alias.name) != name:
            continue
        module = node.module if isinstance(node, ast.ImportFrom) else alias.name
        if module in tops:
            wanted = [alias.name] if isinstance(node, ast.ImportFrom) and alias.name != "*" else list(tops[module])
            out += [(str(module), top) for top in wanted]
    return out


def _used(node: ast.AST) -> Set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
