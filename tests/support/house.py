"""The figures of the house: how many modules, how long, what imports, repeated names and parameters come to.

`python -m tests.support.house` prints them.
"""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.support.package_source import nodes, parsed, texts

MANY_PARAMETERS = 6
Function = ast.FunctionDef | ast.AsyncFunctionDef


def figures() -> dict[str, float]:
    """Return each figure by what it counts, over all modules of the package."""
    trees = {file: parsed(text) for file, text in texts().items()}
    walked = [nodes(text) for text in texts().values()]
    lengths = [len(text.splitlines()) for text in texts().values()]
    outside = {file: tree for file, tree in trees.items() if file.parts[0] != "rules"}
    return {
        "modules": len(trees),
        "lines": sum(lengths),
        "lines of a module, median": statistics.median(lengths),
        "import lines, %": round(100 * sum(map(_import_lines, walked)) / sum(lengths), 1),
        "names of two modules outside rules, %": _repeated_names(outside),
        "file names in two rooms outside rules": _repeated_files(outside),
        "functions with six or more parameters": sum(
            _parameters(node) >= MANY_PARAMETERS for some in walked for node in some if isinstance(node, Function)
        ),
        "Any": sum(len(re.findall(r"\bAny\b", text)) for text in texts().values()),
    }


def _import_lines(nodes: Iterable[ast.AST]) -> int:
    imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    return len({line for node in imports for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)})


def _repeated_names(trees: dict[Path, ast.Module]) -> float:
    """Return how many of the names of functions and classes stand in two modules, in percent."""
    places: dict[str, set[Path]] = defaultdict(set)
    for file, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                places[node.name].add(file)
    return round(100 * sum(len(files) > 1 for files in places.values()) / len(places), 1)


def _repeated_files(trees: dict[Path, ast.Module]) -> int:
    counts = Counter(file.name for file in trees if file.name != "__init__.py")
    return sum(count > 1 for count in counts.values())


def _parameters(function: Function) -> int:
    """Return how many values a caller hands over: without `self` and `cls`."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"])) + bool(arguments.vararg) + bool(arguments.kwarg)


if __name__ == "__main__":
    for what, figure in figures().items():
        print(f"{figure:10,}  {what}")
