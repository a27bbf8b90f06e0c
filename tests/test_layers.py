"""Who may import whom: the rooms of the house, the owners of the libraries, and what `pbem --help` may cost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem import game

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pbem"
PACKAGES = {".".join(path.parent.relative_to(ROOT).parts) for path in PACKAGE.rglob("__init__.py")}

ROOMS: dict[str, set[str]] = {
    "cli": {"audit", "post", "mail", "pages", "referee", "orders", "repo", "engine", "render", "game", "crypto"},
    "audit": {"referee", "orders", "repo", "engine", "render", "game", "crypto"},
    "post": {"mail", "referee", "orders", "repo", "engine", "render", "game", "crypto"},
    "mail": {"pages", "referee", "orders", "repo", "engine", "render", "game", "crypto"},
    "referee": {"orders", "repo", "engine", "game", "crypto"},
    "orders": {"engine", "game", "crypto"},
    "repo": {"engine", "game", "crypto"},
    "engine": {"game", "crypto"},
    "pages": {"repo", "engine", "render", "game", "crypto"},
    "render": {"game", "crypto"},
    "rules": {"game"},
    "game": {"crypto.dice"},
    "crypto": set(),
}
"""Each room below `pbem/`, and the other rooms it may import: the whole of one, or one module of it."""
EVERYBODYS = {"protocol", "paths", "atomic", "__init__", "__version__"}
"""Modules beside the rooms (and the version), which every room but the games may import; they import no room."""
ALONE = {"verify_one", "__main__"}
"""Modules beside the rooms that nobody imports: one stands alone, the other is `python -m pbem`."""
GAME_MAY = {"pbem.protocol", "pbem.game"}
"""What a game may import of ours, besides itself; `pbem.game` gives it all that a game is written with."""

OWNERS: dict[str, set[str]] = {
    "ruamel": {"game.yaml"},
    "_ruamel_yaml": {"game.yaml"},
    "yaml": set(),
    "git": {"repo.git"},
    "gitdb": {"repo.git"},
    "email": {"mail", "post"},
    "mailbox": {"mail"},
    "smtplib": {"post.transport"},
    "imapclient": {"post.transport"},
    "imaplib": set(),
    "sqlite3": {"post.sqlite_tables"},
    "psycopg": {"post.postgres_tables", "post.cluster", "post.open_tables"},
    "procrastinate": {"post.cluster", "post.open_tables"},
    "selectolax": {"mail"},
    "PIL": {"render"},
    "jinja2": {"render", "pages.templates"},
    "cryptography": {"crypto.signing"},
    "pyrage": {"crypto.seal"},
    "typer": {"cli"},
    "py_ecc": {"crypto.beacon"},
    "random": {"crypto.dice"},
    "platformdirs": {"paths"},
    "rich": {"cli.many"},
    "fcntl": {"repo.git.gamelock"},
    **{name: set() for name in ("pwd", "grp", "resource", "termios", "msvcrt", "winreg")},
}
"""Libraries, and the only modules or packages that may import them; at the end those of one operating system alone."""

WORLD = {"datetime", "time", "os", "pathlib", "io", "tempfile", "shutil", "subprocess", "socket", "secrets", "uuid"}
UNWORLDLY = {
    "rules",
    "protocol",
    "game.table",
    "game.legal_orders",
    "game.scene",
    "game.plain",
    "engine.session",
    "engine.sequence",
    "engine.forecast",
    "engine.playout",
}
"""What must give the same result tomorrow on another machine: it knows no files, no clock, no chance."""

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
    "platformdirs",
    "selectolax",
    "imapclient",
    "smtplib",
    "sqlite3",
    "psycopg",
    "procrastinate",
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

    def within(self, places: set[str]) -> bool:
        """Tell whether it is one of some modules below `pbem`, or stands in one of them."""
        return within(self.name, places)

    def imports(self) -> Iterator[tuple[int, str]]:
        """Yield line and dotted name of everything it imports, wherever in it the import stands."""
        package = self.name if self.file.endswith("/__init__.py") else self.name.rpartition(".")[0]
        nodes: Iterable[ast.AST] = nodes_of(self.text)
        if self.name == "pbem.protocol":  # it names in signatures what games are written with, and loads none of it
            tree = ast.parse(self.text)
            tree.body = [node for node in tree.body if ast.unparse(node).partition("\n")[0] != "if TYPE_CHECKING:"]
            nodes = ast.walk(tree)
        for node in nodes:
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                if (
                    base == "pbem" or base == "pbem.rules" or base in PACKAGES
                ):  # what is named is then a room, a game, ...
                    yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
                else:
                    yield node.lineno, base


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of the package."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return tuple(Module(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in paths)


@cache
def nodes_of(text: str) -> tuple[ast.AST, ...]:
    """Return every node of a module, from its text."""
    return tuple(ast.walk(ast.parse(text)))


def room_of(name: str) -> str:
    """Return the room that a module of ours stands in: the first word below `pbem`."""
    return name.split(".")[1] if "." in name else "__init__"


def within(name: str, places: set[str]) -> bool:
    """Tell whether a module of ours is one of some below `pbem`, or stands in one of them."""
    return any(f"{name}.".startswith(f"pbem.{place}.") for place in places)


def complaints(module: Module) -> Iterator[str]:
    """Yield what a module imports and may not, with the reason."""
    room = module.room
    for line, target in module.imports():
        where = f"{module.file}:{line} imports {target}"
        top = target.split(".")[0]
        if top == "pbem":
            yield from (f"{where}: {why}" for why in [why_not(module, target)] if why)
        elif top in OWNERS and not module.within(OWNERS[top]):
            owners = ", ".join(f"pbem.{owner}" for owner in sorted(OWNERS[top])) or "no room"
            yield f"{where}: {owners} may"
        elif top in WORLD and module.within(UNWORLDLY):
            yield f"{where}: pbem.{room} knows no files, no clock and no chance; they come in from outside"


def why_not(module: Module, target: str) -> str:
    """Return why a module may not import another of ours; empty if it may."""
    room, other = module.room, room_of(target)
    if other in ALONE:
        return f"nobody imports pbem.{other}"
    if room == "rules":
        if other == "rules":
            same = module.name.split(".")[2:3] == target.split(".")[2:3]
            return "" if same else "a game never imports another game"
        names = GAME_MAY | {f"pbem.game.{name}" for name in game.__all__}
        return "" if target in names else f"pbem.rules may import only {', '.join(sorted(GAME_MAY))}, and itself"
    may = {"cli"} if room == "__main__" else ROOMS.get(room, set())
    if other == room or other in EVERYBODYS or within(target, may):
        return ""
    return f"pbem.{room} may import only {', '.join(sorted(may)) or 'no other room'}, and itself"


def test_each_room_imports_only_what_stands_below_it() -> None:
    unknown = sorted({module.room for module in modules()} - ROOMS.keys() - EVERYBODYS - ALONE)
    assert not unknown, f"new below pbem/: {unknown}; say in ROOMS of {__file__} where it stands"
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
        ("pbem/game/table.py", "from pbem.repo.git import GameRepo", "pbem.game may import only crypto.dice"),
        ("pbem/game/box.py", "from pbem.crypto import seal", "pbem.game may import only crypto.dice"),
        ("pbem/engine/session.py", "def f():\n    import git", "pbem.repo.git may"),
        ("pbem/engine/session.py", "from pbem.referee import adjudicator", "pbem.engine may import only"),
        ("pbem/render/report.py", "from pbem.rules.toy.state import Game", "pbem.render may import only"),
        ("pbem/render/__init__.py", "from ..repo import git", "pbem.render may import only"),
        ("pbem/audit/verify.py", "from pbem.mail.intake import handle", "pbem.audit may import only"),
        ("pbem/rules/toy/play.py", "from pbem.rules.other import state", "never imports another game"),
        ("pbem/rules/toy/play.py", "from ..other.state import Game", "never imports another game"),
        ("pbem/rules/toy/__init__.py", "from .. import other", "never imports another game"),
        ("pbem/rules/toy/play.py", "from pbem.engine.session import Session", "pbem.rules may import only"),
        ("pbem/rules/toy/play.py", "from pbem.game.table import Table", "pbem.rules may import only"),
        ("pbem/rules/toy/play.py", "from pbem.game import shelf", "pbem.rules may import only"),
        ("pbem/rules/toy/play.py", "from pbem import paths", "pbem.rules may import only"),
        ("pbem/rules/toy/play.py", "import time", "no clock"),
        ("pbem/cli/play.py", "from pbem import verify_one", "nobody imports pbem.verify_one"),
        ("pbem/orders/sheet/reader.py", "from ruamel.yaml import YAML", "pbem.game.yaml may"),
        ("pbem/mail/inbox.py", "import cryptography.x509", "pbem.crypto.signing may"),
        ("pbem/render/canvas.py", "import random", "pbem.crypto.dice may"),
        ("pbem/orders/sheet/reader.py", "import yaml", "no room may"),
        ("pbem/crypto/keys.py", "def f():\n    import pwd", "no room may"),
    ],
)
def test_the_check_sees(file: str, text: str, reason: str) -> None:
    (complaint,) = complaints(Module(file, text))
    assert complaint.startswith(f"{file}:")
    assert reason in complaint


@pytest.mark.parametrize(
    "text",
    [
        "from . import state",
        "from .state import Game",
        "from pbem.game import Table, plain",
        "from pbem.protocol import Order",
        "import dataclasses",
    ],
)
def test_the_check_lets_pass(text: str) -> None:
    assert list(complaints(Module("pbem/rules/toy/play.py", text))) == []


def test_a_game_finds_in_pbem_game_what_it_is_promised() -> None:
    tree = ast.parse((PACKAGE / "game" / "__init__.py").read_text("utf-8"))
    typed = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed - {"annotations", "import_module", "TYPE_CHECKING", "Any", "Final"} == set(game.__all__)
    for name in game.__all__:
        assert getattr(game, name) is not None


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
    for node in nodes_of(module.text):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name


LONGEST_NAME = 60
"""The most characters that the name of a test may have; the sentence goes into its docstring."""


def test_no_name_of_a_test_is_longer_than_sixty_characters() -> None:
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line} {name}: {len(name)} characters"
        for path in paths
        for line, name in definitions(Module(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")))
        if name.startswith("test_") and len(name) > LONGEST_NAME
    ]
    assert paths
    assert not found, f"names of tests have at most {LONGEST_NAME} characters:\n" + "\n".join(found)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-docs.lock"])
def test_the_lock_names_no_index_and_pins_every_hash(name: str) -> None:
    lock = (ROOT / name).read_text("utf-8")
    assert not re.findall(r"^\s*--(?!hash=sha256:).*|https?://.*|file:.*", lock, re.MULTILINE)
    for pin in re.findall(r"^[\w.-]+==.*(?:\n .*)*", lock, re.MULTILINE):
        assert "--hash=sha256:" in pin, pin


def test_nobody_asks_whether_rules_have_a_capability() -> None:
    """Every capability of a game is a method of `Rules`, with a default where it is optional."""
    found = [
        f"{module.file}:{node.lineno} {ast.unparse(node)}"
        for module in modules()
        for node in nodes_of(module.text)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")
        if re.search(r"(^|[._])rules$", ast.unparse(node.args[0]))
    ]
    assert not found, "\n".join(found)


UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|/(?:home|root|Users)/\w")


def test_nothing_is_left_half_done_or_names_one_machine() -> None:
    suffixes = {".py", ".md", ".toml", ".yaml", ".yml", ".j2", ".cfg", ""}
    folders = ["pbem", "rules", "templates", "tests", "bench", "docs", ".ci", ".github"]
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
