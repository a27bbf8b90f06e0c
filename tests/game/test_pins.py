"""What pins a box and a game's code: it changes where play can change, and nowhere else, under every Python."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.game.boxes import shelf
from pbem.game.boxes.box import open_box
from pbem.game.boxes.cache import recall, remember
from pbem.game.boxes.pins import code_digest
from pbem.paths import cache_folder
from tests.support.soak import quick_and_whole
from tests.support.walks import FOLDERS, GAMES, TOY, loaded

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''\
"""What it is."""

from dataclasses import dataclass

# A comment.
LIMIT = 3


@dataclass
class Army:
    """An army."""

    cu: int
    """How strong it is."""

    def told(self, name: str) -> str:
        """Return it in words."""
        return f"{name!r} has {self.cu:>{LIMIT}} CU" f" and {{no}} elephants{'' if self.cu else ' at all'}"
'''
PINNED = "51c32559cc5c3f40"
"""How the digest of that source begins, whatever Python works it out."""
SAME = {
    "a comment": ("# A comment.", "# Another comment,\n# of two lines."),
    "a docstring": ("An army.", "A stack of units."),
    "a docstring of a field": ('    """How strong it is."""\n', ""),
    "an import": ("from dataclasses import dataclass", "from pbem.elsewhere import dataclass"),
    "lines": ("LIMIT = 3\n", "LIMIT = (\n    3\n)\n"),
    "line ends": ("\n", "\r\n"),
    "quotes": ("' at all'", "' at' ' all'"),
}
OTHER = {
    "a number": ("LIMIT = 3", "LIMIT = 4"),
    "a type of number": ("LIMIT = 3", "LIMIT = 3.0"),
    "a truth": ("LIMIT = 3", "LIMIT = True"),
    "a name": ("cu: int", "units: int"),
    "a text": ("{{no}}", "no"),
    "a format": ("{name!r}", "{name}"),
    "a decorator": ("@dataclass\n", ""),
}


@pytest.fixture
def toy_box(tmp_path: Path) -> Path:
    """Return a copy of the box of Three Hills."""
    return Path(shutil.copytree(TOY / "rules" / "toy", tmp_path / "boxes" / "toy"))


def digest_of(box: Path) -> str:
    return open_box("toy", [box.parent]).digest


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("messages/en.yaml", "assaults nothing", "stays where it is"),
        ("layout.yaml", "width: ", "width: 1"),
        ("hills.yaml", "\n", "\n# A comment.\n"),
        ("game.yaml", "title: Three Hills", "title: The Three Hills"),
        ("orders.yaml", "title: ", "title: The "),
        ("cases/rounds.yaml", "\n", "\n# A comment.\n"),
    ],
)
def test_words_and_drawings_of_a_box_are_not_pinned(toy_box: Path, file: str, old: str, new: str) -> None:
    before = digest_of(toy_box)
    change(toy_box / file, old, new)
    assert digest_of(toy_box) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("hills.yaml", "id: ", "id: x"),
        ("game.yaml", "version: 1", "version: 2"),
        ("orders.yaml", "minimum: 1", "minimum: 2"),
        ("scenarios/siege.yaml", "west: 3", "west: 2"),
    ],
)
def test_values_that_rules_read_are_pinned(toy_box: Path, file: str, old: str, new: str) -> None:
    before = digest_of(toy_box)
    change(toy_box / file, old, new)
    assert digest_of(toy_box) != before


def digest(folder: Path, source: str, name: str = "army.py") -> str:
    """Return the digest of a package of one module."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(source.encode())
    return code_digest(folder)


@pytest.mark.parametrize("what", SAME)
def test_what_does_nothing_is_not_pinned(tmp_path: Path, what: str) -> None:
    assert digest(tmp_path / "a", SOURCE.replace(*SAME[what])) == digest(tmp_path / "b", SOURCE)


@pytest.mark.parametrize("what", OTHER)
def test_what_does_something_is_pinned(tmp_path: Path, what: str) -> None:
    assert digest(tmp_path / "a", SOURCE.replace(*OTHER[what])) != digest(tmp_path / "b", SOURCE)


def test_a_module_may_move(tmp_path: Path) -> None:
    assert digest(tmp_path / "a", SOURCE, "units/stack.py") == digest(tmp_path / "b", SOURCE)


HELP = "def help_of(name: str) -> str:\n    return name\n"
TYPES = "if TYPE_CHECKING:\n    from pbem.elsewhere import Army\n"


def package(folder: Path, **modules: str) -> str:
    """Return the digest of a package of several modules."""
    folder.mkdir()
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, "utf-8")
    return code_digest(folder)


def test_definitions_may_move_to_another_module(tmp_path: Path) -> None:
    apart = package(tmp_path / "apart", army=SOURCE, words=HELP, __init__="")
    assert package(tmp_path / "merged", army=SOURCE + HELP) == apart
    assert package(tmp_path / "before", army=HELP + SOURCE + TYPES) == apart
    assert package(tmp_path / "lost", army=SOURCE) != apart


def test_modules_cannot_swap_what_both_define(tmp_path: Path) -> None:
    other = HELP.replace("return name", "return name * 2")
    before = package(tmp_path / "before", army=SOURCE + HELP, fleet=other)
    assert package(tmp_path / "swapped", army=SOURCE + other, fleet=HELP) != before
    assert package(tmp_path / "moved", army=HELP + SOURCE, fleet=other) == before


def test_the_digest_of_a_source_is_written_down(tmp_path: Path) -> None:
    """It is the same under every Python that runs this test."""
    assert digest(tmp_path / "a", SOURCE)[:16] == PINNED


def other_pythons() -> list[str]:
    """Return the other Pythons that are here: on the path, or where pyenv keeps them."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, str] = {}
    for minor in range(11, 16):
        name = f"python3.{minor}"
        paths = [*sorted(versions.glob(f"3.{minor}.*/bin/{name}")), *filter(None, [shutil.which(name)])]
        found |= {f"3.{minor}": str(path) for path in paths[:1]}
    found.pop(here, None)
    return list(found.values())


@pytest.mark.parametrize("every", quick_and_whole(False, True))
def test_every_python_here_pins_the_games_alike(every: bool, tmp_path: Path) -> None:
    """The games on the shelf, or one small module that has whatever may be written otherwise."""
    pythons = other_pythons()
    if not pythons:
        pytest.skip("no other Python from 3.11 on is on this machine")
    (tmp_path / "army.py").write_bytes(SOURCE.encode())
    games = [ROOT / "pbem" / "rules" / game for game in GAMES if (ROOT / "pbem" / "rules" / game).is_dir()]
    folders = list(map(str, [tmp_path, *(games if every else ())]))
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from pbem.game.boxes.pins import code_digest\n"
        "print(*(code_digest(Path(folder)) for folder in sys.argv[1:]), sep='\\n')"
    )
    ours = [code_digest(Path(folder)) for folder in folders]
    assert ours
    for python in pythons:
        ran = subprocess.run([python, "-I", "-c", code, *folders], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.split() == ours, python


# ---- the cache


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PBEM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_is_remembered_is_recalled_by_its_whole_key(own_cache: Path) -> None:
    remember({"a": [1]}, "box", "x", "y")
    assert recall("box", "x", "y") == {"a": [1]}
    assert recall("box", "x") is None
    assert recall("code", "x", "y") is None
    assert stat.S_IMODE((own_cache / "box").stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["", "{", '{"key": ["box", "x"]}', '{"key": ["box", "z"], "value": 1}', "[1]", "\0"])
def test_a_damaged_or_foreign_entry_is_passed_over(own_cache: Path, damage: str) -> None:
    remember(1, "box", "x")
    (entry,) = (own_cache / "box").iterdir()
    entry.write_text(damage)
    assert recall("box", "x") is None
    remember(2, "box", "x")
    assert recall("box", "x") == 2


@pytest.mark.skipif(os.name != "posix", reason="only POSIX says who may write to a file")
def test_a_cache_that_others_can_write_to_is_passed_over(own_cache: Path) -> None:
    remember(1, "box", "x")
    (own_cache / "box").chmod(0o777)
    assert recall("box", "x") is None
    (own_cache / "box").chmod(0o700)
    (entry,) = (own_cache / "box").iterdir()
    entry.chmod(0o666)
    assert recall("box", "x") is None


def test_without_a_cache_the_same_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = loaded("toy").code
    monkeypatch.setenv("PBEM_CACHE", os.devnull)
    assert cache_folder() == Path(os.devnull)
    shelf._code_digest.cache_clear()
    assert shelf.digests("toy", FOLDERS)["code"] == pinned
