"""What a game says, found in its texts: the choices that a form offers, the kinds of events that its code tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def choices_in(text: str) -> list[str]:
    """Return the orders that a form offers as remarks, each as the YAML it is without its `#`."""
    offered: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("# - "):
            offered.append([line[2:]])
        elif (
            line.startswith("#     ")
            and offered
            and (offered[-1][-1].count("{") != offered[-1][-1].count("}") or offered[-1][-1].endswith(":"))
        ):
            offered[-1].append(line[2:])
    return ["\n".join(lines) for lines in offered]


def told_in(text: str) -> Iterator[str]:
    """Yield the kinds of events that a module tells in so many words."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "tell":
            kind = node.args[0]
            for one in (kind.body, kind.orelse) if isinstance(kind, ast.IfExp) else (kind,):
                if isinstance(one, ast.Constant):
                    yield str(one.value)
