"""Who may import whom: the rooms of the house, the owners of the libraries, and what `pbem --help` may cost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pbem"

WORDS = {"protocol", "in_turn", "choices", "questions", "advice", "scene", "standing", "odds", "prospects"}
BASE = {
    "dice", "plain", "sheet", "yamlio", "maps", "seal", "signing", "keys", "places", "durable",
    "shares", "my_chain", "beacon", "closing", "fairness", "corrections",
}  # fmt: skip
TABLE = {"table", "box"}
BOOKS = {
    "files", "charter", "published", "custody", "record", "state", "requested", "ledger",
    "standing_orders", "notices", "checking", "forecast", "dice_log",
}  # fmt: skip
JOINERS = {
    "open_game", "adjudicator", "referee", "reveal", "migrate", "letters", "words", "which_game", "correspondence",
    "at_home", "shelf", "audit", "rulings", "cli",
}  # fmt: skip

MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "verify_one": set(),
    **dict.fromkeys(WORDS, WORDS),
    **dict.fromkeys(BASE, WORDS | BASE),
    **dict.fromkeys(TABLE, WORDS | BASE | TABLE),
    "rules": {
        "protocol",
        "choices",
        "questions",
        "advice",
        "scene",
        "standing",
        "odds",
        "table",
        "maps",
        "box",
        "plain",
    },
    "engine": WORDS | BASE | TABLE,
    "playout": WORDS | BASE | TABLE | {"engine"},
    "store": WORDS | BASE,
    "post": WORDS | BASE,
    "draw": WORDS | BASE | {"box"},
    "files": WORDS | BASE | {"store"},
    "charter": WORDS | BASE,
    "published": WORDS | BASE | {"store", "files", "charter"},
    "custody": WORDS | BASE | {"store", "charter", "published"},
    "record": WORDS | BASE | {"engine"},
    "state": WORDS | BASE | {"engine", "record"},
    "requested": WORDS | BASE | {"store", "files", "state"},
    "ledger": WORDS | BASE | {"engine", "store", "files", "charter", "record", "state"},
    "standing_orders": WORDS | BASE | {"engine"},
    "notices": WORDS | BASE | {"engine", "standing_orders"},
    "checking": WORDS | BASE | {"box", "standing_orders"},
    "forecast": WORDS | BASE | TABLE,
    "dice_log": WORDS | BASE | {"record", "draw"},
    **dict.fromkeys(JOINERS, WORDS | BASE | TABLE | JOINERS | BOOKS | {"engine", "store", "post", "draw"}),
}
"""Each room below `pbem/`, and the other rooms it may import. A room is a module, or a folder with all in it."""

OWNERS: dict[str, set[str]] = {
    "ruamel": {"yamlio"},
    "_ruamel_yaml": {"yamlio"},
    "yaml": set(),
    "git": {"store"},
    "gitdb": {"store"},
    "email": {"post"},
    "mailbox": {"post"},
    "smtplib": {"post"},
    "imaplib": {"post"},
    "PIL": {"draw"},
    "jinja2": {"draw", "post"},
    "cryptography": {"signing"},
    "pyrage": {"seal"},
    "typer": {"cli"},
    "py_ecc": {"beacon"},
    "random": {"dice"},
}
"""Libraries, and the only rooms that may import them."""

WORLD = {"datetime", "time", "os", "pathlib", "io", "tempfile", "shutil", "subprocess", "socket", "secrets", "uuid"}
UNWORLDLY = {"rules", "table", "engine", "protocol", "choices", "scene"}
"""Rooms that must give the same result tomorrow on another machine: they know no files, no clock, no chance."""

LAZY = {
    "git",
    "gitdb",
    "jsonschema",
    "ruamel",
    "_ruamel_yaml",
    "PIL",
    "jinja2",
    "rich",
    "pydantic",
    "cryptography",
    "py_ecc",
    "pyrage",
}


class Module(NamedTuple):
    """One module of ours: its file as seen from the root, and its text."""

    file: str
    text: str

    @property
    def name(self) -> str:
        """The dotted name; of a folder, that of the folder."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def room(self) -> str:
        """The room it stands in: the first word below `pbem`."""
        return room_of(self.name)

    def imports(self) -> Iterator[tuple[int, str]]:
        """Yield line and dotted name of everything it imports, wherever in it the import stands."""
        package = self.name if self.file.endswith("/__init__.py") else self.name.rpartition(".")[0]
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                if base in {"pbem", "pbem.rules"}:  # what is named is then a room, or a game
                    yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
                else:
                    yield node.lineno, base


def modules() -> Iterator[Module]:
    """Yield every module of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield Module(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))


def room_of(name: str) -> str:
    """Return the room that a module of ours stands in: the first word below `pbem`."""
    return name.split(".")[1] if "." in name else "__init__"


def said(room: str) -> str:
    """Return what a room may import, as a sentence."""
    return f"pbem.{room} may import only {', '.join(sorted(MAY_IMPORT[room])) or 'nothing of ours'}, and itself"


def complaints(module: Module) -> Iterator[str]:
    """Yield what a module imports and may not, with the reason."""
    room = module.room
    for line, target in module.imports():
        where = f"{module.file}:{line} imports {target}"
        top = target.split(".")[0]
        if top == "pbem":
            other = room_of(target)
            if other not in MAY_IMPORT[room] | {room, "__init__"}:
                yield f"{where}: {said(room)}"
            elif room == other == "rules" and module.name.split(".")[2:3] != target.split(".")[2:3]:
                yield f"{where}: a game never imports another game"
        elif room not in OWNERS.get(top, {room}):
            owners = ", ".join(f"pbem.{owner}" for owner in sorted(OWNERS[top])) or "no room"
            yield f"{where}: {owners} may"
        elif room in UNWORLDLY and top in WORLD:
            yield f"{where}: pbem.{room} knows no files, no clock and no chance; they come in from outside"


def test_each_room_imports_only_what_stands_below_it() -> None:
    unknown = sorted({module.room for module in modules()} - MAY_IMPORT.keys())
    assert not unknown, f"new below pbem/: {unknown}; say in MAY_IMPORT of {__file__} where it stands"
    found = [complaint for module in modules() for complaint in complaints(module)]
    assert not found, "\n" + "\n".join(found)


def test_no_two_rooms_import_each_other() -> None:
    needs: dict[str, set[str]] = {}
    for module in modules():
        targets = {room_of(target) for _, target in module.imports() if target.split(".")[0] == "pbem"}
        needs.setdefault(module.room, set()).update(targets - {module.room, "__init__"})
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as circle:
        pytest.fail(f"rooms import each other in a circle: {' <- '.join(circle.args[1])}")


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("pbem/table.py", "from pbem.repo.git import Store", "pbem.game.table may import only"),
        ("pbem/engine.py", "def f():\n    import git", "pbem.repo.git may"),
        ("pbem/engine.py", "from pbem.referee import adjudicator", "pbem.engine may import only"),
        ("pbem/draw/text.py", "from pbem.rules.toy.state import Game", "pbem.render may import only"),
        ("pbem/draw/__init__.py", "from ..store import Store", "pbem.render may import only"),
        ("pbem/rules/toy/play.py", "from pbem.rules.other import state", "never imports another game"),
        ("pbem/rules/toy/play.py", "from ..other.state import Game", "never imports another game"),
        ("pbem/rules/toy/__init__.py", "from .. import other", "never imports another game"),
        ("pbem/rules/toy/play.py", "from pbem.engine import Engine", "pbem.rules may import only"),
        ("pbem/rules/toy/play.py", "import time", "no clock"),
        ("pbem/sheet.py", "from ruamel.yaml import YAML", "pbem.game.yaml may"),
        ("pbem/post/inbox.py", "import cryptography.x509", "pbem.crypto.signing may"),
        ("pbem/draw/ink.py", "import random", "pbem.crypto.dice may"),
        ("pbem/sheet.py", "import yaml", "no room may"),
    ],
)
def test_the_check_sees(file: str, text: str, reason: str) -> None:
    (complaint,) = complaints(Module(file, text))
    assert complaint.startswith(f"{file}:")
    assert reason in complaint


@pytest.mark.parametrize(
    "text",
    ["from . import state", "from .state import Game", "from pbem.game.table import Table", "import dataclasses"],
)
def test_the_check_lets_pass(text: str) -> None:
    assert list(complaints(Module("pbem/rules/toy/play.py", text))) == []


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['pbem', '--help']\n"
        "from pbem.cli import main\n"
        "try: main()\n"
        "except SystemExit as done: assert not done.code, done.code\n"
        "print('MODULES', *sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    helped, _, loaded = ran.stdout.rpartition("MODULES")
    assert "adjudicate" in helped
    heavy = LAZY & {module.split(".")[0] for module in loaded.split()}
    assert not heavy, f"`pbem --help` imports {sorted(heavy)}: import them inside the verb that needs them"


BANNED = {"manager", "handler", "helper", "helpers", "util", "utils", "process", "data", "info"}


def test_names_say_something() -> None:
    found = [
        f"{module.file}:{line} {name}"
        for module in modules()
        for line, name in [(1, module.name.rpartition(".")[2]), *definitions(module)]
        if BANNED & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    ]
    assert not found, f"names that say nothing ({', '.join(sorted(BANNED))}):\n" + "\n".join(found)


def definitions(module: Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of every class and function of a module."""
    for node in ast.walk(ast.parse(module.text)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name


def test_the_lock_names_no_index_and_pins_every_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert not re.findall(r"^\s*--(?!hash=sha256:).*|https?://.*|file:.*", lock, re.MULTILINE)
    for pin in re.findall(r"^[\w.-]+==.*(?:\n .*)*", lock, re.MULTILINE):
        assert "--hash=sha256:" in pin, pin


UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|/(?:home|root|Users)/\w")


def test_nothing_is_left_half_done_or_names_one_machine() -> None:
    suffixes = {".py", ".md", ".toml", ".yaml", ".j2", ".cfg", ""}
    folders = ["pbem", "rules", "templates", "tests", "bench", ".ci"]
    texts = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    texts += [path for path in ROOT.iterdir() if path.suffix in suffixes]
    found = [
        f"{path.relative_to(ROOT)}:{number} {line.strip()}"
        for path in texts
        if path.is_file()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not found, "\n".join(found)
