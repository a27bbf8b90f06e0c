"""Pins: digests of a box and of a game's code that change only where play can change.

A game in progress keeps the pins that it was begun with, and stops where those here differ until its game master moves
it (`pbem migrate`). So a mended sentence, a comment, a drawing or a definition in another module must not change them,
and neither must another version of Python: `ast.dump` writes the same source differently under 3.11, 3.12 and 3.13.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.protocol import Record

if TYPE_CHECKING:
    from pbem.game.boxes.box_file import BoxFiles

UNREAD: Final = frozenset({"messages", "layout", "coast", "schemas", "cases", "paragraphs", "words"})
"""Files and folders of a box that no rule reads: sentences, drawings, names, what the box itself is checked by."""
PROSE: Final = frozenset(
    {
        *("title", "text", "meaning", "description", "confidence", "source", "row", "people", "names_from"),
        *("colour", "mark"),  # how something is drawn
        *("printed", "sources", "experimental"),  # how far a value is the printed one, and an edition tried
        *(
            "words",
            "key_words",
            "led_by",
            "out_rule",
        ),  # what a place in an order may name: only sheets that come in are read by it
    }
)
"""Keys of records that no rule reads. A name is not among them: players may write it in orders."""
ORDERS: Final = "orders"
OF_AN_ORDER: Final = frozenset({"title", "example", "facts", "unanswered", "answers", "proposal", "rule"})
"""What `orders.yaml` says of a kind of order besides its shape: words for the form."""


# ---- boxes


def box_digest(box: BoxFiles) -> str:
    """Return the SHA-256, as hex, of the values of a box that rules read."""
    total = sha256()
    for file in box.files:
        if file.partition("/")[0] not in UNREAD:
            value = _without_prose(_shapes(box.table(file)) if file == ORDERS else box.table(file))
            total.update(f"{file} {json.dumps(value, ensure_ascii=True)}\n".encode())
    return total.hexdigest()


def _shapes(orders: Record) -> dict[str, object]:
    """Return the shapes of the orders of a box: definitions, and the schema of each kind."""
    return {
        kind: {key: value for key, value in form.items() if key not in OF_AN_ORDER} if isinstance(form, dict) else form
        for kind, form in orders.items()
        if kind != "$facts"
    }


def _without_prose(value: object) -> object:
    """Return a plain value without the keys that are only words; their order stays, for rules may go by it."""
    if isinstance(value, dict):
        return {key: _without_prose(below) for key, below in value.items() if key not in PROSE}
    if isinstance(value, list):
        return [_without_prose(below) for below in value]
    return value


# ---- code


def code_digest(folder: Path) -> str:
    """Return the SHA-256, as hex, of what the Python files of a folder do, wherever in the folder they do it.

    It is over the set of top-level statements: so a definition may move to another module, and modules may become one.
    Imports, docstrings, comments and positions do not count, nor does the order of statements; a table that several
    statements fill must not depend on it. A name that two modules define is bound to its module's name, so that they
    cannot swap their definitions. Raises SyntaxError.
    """
    modules = {path: _statements(path.read_bytes()) for path in folder.rglob("*.py")}
    defined = Counter(name for body in modules.values() for name in {name for each in body for name in _defines(each)})
    found = set()
    for path, body in modules.items():
        where = path.parent.name if path.stem == "__init__" else path.stem
        for each in body:
            twice = any(defined[name] > 1 for name in _defines(each))
            text = "".join([f"{where} " if twice else "", *_walk(each)])
            found.add(sha256(text.encode("utf-8", "surrogatepass")).digest())
    return sha256(b"".join(sorted(found))).hexdigest()


def _statements(source: bytes) -> list[ast.stmt]:
    """Return the top-level statements of a module that do something: imports for types alone do not."""
    return [
        each
        for each in ast.parse(source).body
        if not _unseen(each) and not (isinstance(each, ast.If) and not each.orelse and all(map(_unseen, each.body)))
    ]


def _defines(statement: ast.stmt) -> set[str]:
    """Return the names that a top-level statement defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _walk(value: object) -> Iterator[str]:
    """Yield a syntax tree in brackets: kind of node, then the fields that are not empty, by name."""
    if isinstance(value, ast.JoinedStr):
        value = ast.JoinedStr(_joined(value.values))
    if isinstance(value, ast.AST):
        yield f"({type(value).__name__}"
        for name in sorted(value._fields):
            field = getattr(value, name, None)
            if isinstance(field, list):
                field = [each for each in field if not _unseen(each)]
            if field is not None and field != [] and name not in ("kind", "type_comment"):
                yield f" {name}="
                yield from _walk(field)
        yield ")"
    elif isinstance(value, list):
        yield "["
        for each in value:
            yield from _walk(each)
        yield "]"
    else:  # a name or a constant; two constants that are equal may differ in kind, as 1 and True do
        yield f"<{type(value).__name__} {value!r}>"


def _unseen(node: object) -> bool:
    """Tell whether a statement does nothing: an import, which only says where a name stands, or a docstring."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _joined(parts: list[ast.expr]) -> list[ast.expr]:
    """Return the parts of an f-string with neighbouring texts made one, as not every Python makes them."""
    found: list[ast.expr] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, ast.Constant) and isinstance(last, ast.Constant):
            found[-1] = ast.Constant(str(last.value) + str(part.value))
        elif not (isinstance(part, ast.Constant) and part.value == ""):
            found.append(part)
    return found
