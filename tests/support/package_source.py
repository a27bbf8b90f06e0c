"""The text of every module of the package, parsed once for all tests that look into it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pbem

PACKAGE = Path(pbem.__file__).parent


@cache
def texts() -> dict[Path, str]:
    """Return the text of every module, by its file as seen from the package."""
    return {file.relative_to(PACKAGE): file.read_text("utf-8") for file in sorted(PACKAGE.rglob("*.py"))}


@cache
def parsed(text: str) -> ast.Module:
    """Return a module, from its text."""
    return ast.parse(text)


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Return every node of a module, from its text."""
    return tuple(ast.walk(parsed(text)))


@cache
def statements(text: str) -> tuple[ast.stmt, ...]:
    """Return every statement of a module, from its text: what stands within another, too, but no expression."""
    found: list[ast.stmt] = []
    left: list[ast.AST] = [parsed(text)]
    while left:
        node = left.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            left += getattr(node, part, ())
    return tuple(found)
