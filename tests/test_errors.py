"""The exceptions of pbem: one root, one drawing of the tree, one place where the command line tells of them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from errno import ENOSPC
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pbem import protocol
from pbem.cli.runtime import WORLD
from pbem.cli.verbs import app
from pbem.engine.session import Stuck
from pbem.game.boxes import shelf
from pbem.protocol import Bug, PbemError
from tests.support.walks import FOLDERS

PACKAGE = Path(protocol.__file__).parent
STANDS_ALONE = "pbem.verify_one"


def ours() -> Iterator[type[BaseException]]:
    """Yield every exception class that a module of pbem defines."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        named = re.findall(r"^class (\w+)\(", path.read_text("utf-8"), re.MULTILINE)
        if not named or name == STANDS_ALONE:
            continue
        module = import_module(name)
        for word in named:
            found = getattr(module, word, None)
            if inspect.isclass(found) and issubclass(found, BaseException):
                yield found


OURS = list(ours())


def test_every_exception_descends_from_one_root() -> None:
    assert len(OURS) > 30
    assert [each for each in OURS if not issubclass(each, PbemError)] == []


def test_no_exception_is_defined_where_the_walk_does_not_see_it() -> None:
    known = {each.__name__ for each in OURS} | {"Exception", "BaseException", "ValueError", "LookupError"}
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        if not re.search(r"^ +class \w+\(", text, re.MULTILINE):
            continue
        tree = ast.parse(text)
        inner = {node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)} - set(tree.body)
        assert not [node.name for node in inner if {ast.unparse(base) for base in node.bases} & known], path


def test_the_drawing_shows_the_tree_as_it_is() -> None:
    lines = re.findall(
        r"^    ((?:[|` ]   )*)[|`]-- (\w+)(?: \((\w+)\))?\s+(\S.*)$", protocol.__doc__ or "", re.MULTILINE
    )
    above = ["PbemError"]
    drawn = []
    for indent, name, further, text in lines:
        depth = 1 + len(indent) // 4
        above[depth:] = [name]
        drawn.append((name, above[depth - 1], further, None if name == "Bug" else text.partition(":")[0]))
    assert sorted(drawn) == sorted(
        (
            each.__name__,
            each.__bases__[0].__name__,
            each.__bases__[1].__name__ if len(each.__bases__) > 1 else "",
            None if each is Bug else each.__module__.removeprefix("pbem."),
        )
        for each in OURS
        if each is not PbemError
    )


def sample(kind: type[PbemError]) -> PbemError:
    """Return an exception of a kind, with nothing but its text."""
    wrong = kind.__new__(kind, "it rains")
    wrong.args = ("it rains",)
    return wrong


@pytest.mark.parametrize(
    "kind", [each for each in OURS if not issubclass(each, Bug) and each.__str__ is BaseException.__str__]
)
def test_the_command_line_tells_each_in_one_sentence(kind: type[PbemError], monkeypatch: pytest.MonkeyPatch) -> None:
    ended = ends_with(sample(kind), monkeypatch)
    assert (ended.exit_code, ended.stderr) == (WORLD, "pbem: it rains\n")


def test_the_command_line_tells_what_the_system_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = ends_with(OSError(ENOSPC, "No space left", "games"), monkeypatch)
    assert (ended.exit_code, ended.stderr.count("\n")) == (WORLD, 1)
    assert ended.stderr.startswith("pbem: games: No space left. Make room on the disk")


@pytest.mark.parametrize("wrong", [Stuck("toy rests"), TypeError("a slip")])
def test_a_bug_keeps_its_traceback(wrong: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ends_with(wrong, monkeypatch).exception is wrong


def ends_with(wrong: Exception, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run a verb that raises an exception, and return how it ended."""

    def ids(*_: object) -> None:
        raise wrong

    monkeypatch.setattr(shelf, "ids", ids)
    return CliRunner().invoke(app, ["shelf", "--rules-dir", FOLDERS[0]])
