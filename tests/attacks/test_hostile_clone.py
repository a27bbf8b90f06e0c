"""A stranger's clone or attachment runs no code, fills no memory, and plays no tricks on a terminal."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner, Result

from pbem.audit.verify import verify
from pbem.cli.verbs import app
from pbem.crypto.signing import sign
from pbem.game.box import BrokenBox, open_box
from pbem.game.corrections import Correction
from tests.support.forging import Tale, told
from tests.support.live import Folder, pick, sheet
from tests.support.walks import FOLDERS

TOY = Path(FOLDERS[0]) / "toy"
EVIL = "evil.rules"
"""To look for it, Python must import the package above it."""


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game that is over and has revealed its secrets, so that a clone needs no key."""
    folder = Folder(tmp_path_factory.mktemp("over"))
    told(folder).close()
    return folder


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that appears when the stranger's package is imported; Python could find it."""
    package, mark = tmp_path / "path" / "evil" / "rules", tmp_path / "it ran"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text(f"open({str(mark)!r}, 'w').close()\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path / "path")
    return mark


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the command line find the shelf, but no game and no key; return where clones can lie."""
    for word in ("GAMES", "KEYS"):
        monkeypatch.setenv(f"PBEM_{word}", str(tmp_path / word))
    monkeypatch.setenv("PBEM_RULES", FOLDERS[0])
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def evil_game() -> bytes:
    """Return the `game.yaml` of Three Hills with the stranger's package."""
    text = (TOY / "game.yaml").read_text("utf-8")
    assert "package: toy_game" in text
    return text.replace("package: toy_game", f"package: {EVIL}").encode()


def hostile(folder: Folder, path: Path, at: int = 0) -> Path:
    """Return a clone, well signed, that brings a `game.yaml` of its own with one of its commits."""
    tale = Tale.of(folder.repo("punica"))
    tale.commits[at][1]["box/game.yaml"] = evil_game()
    return tale.tell(path, partial(sign, folder_key(folder)))


def folder_key(folder: Folder) -> bytes:
    with folder.open() as game:
        return game.ledger.keys.signing


# ---- code


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "CLONE"),
        ("replay", "CLONE"),
        ("log", "CLONE", "--dice"),
        ("rules", "CLONE"),
        ("explain", "CLONE", "3"),
        ("what-if", "CLONE", "--turn", "2"),
    ],
    ids=lambda words: str(words[0]),
)
def test_package_named_in_a_clone_is_not_imported(over: Folder, home: Path, mark: Path, words: tuple[str, ...]) -> None:
    clone = hostile(over, home / "clone")
    result = run(*(clone if word == "CLONE" else word for word in words))
    assert not mark.exists()
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output


def test_package_named_in_an_attachment_is_not_imported(over: Folder, home: Path, mark: Path) -> None:
    """A `position.json` whose corrected game.yaml names code is used with the rules of the shelf."""
    with over.create(name="second") as game:
        here = game.take_home("red")
        (decision,) = [each for each in game.open_decisions if each.side == "red"]
        (home / "orders.yaml").write_bytes(sheet(game, "red", pick(game, decision, Random(1))))
    here["corrected"] = {"game": evil_game().decode()}
    here["box"] = open_box("toy", FOLDERS, {"game": Correction("game.yaml", evil_game())}).digest
    (home / "position.json").write_text(json.dumps(here), "utf-8")
    result = run("check", home / "position.json", home / "orders.yaml")
    assert result.exit_code == 0, result.output
    assert not mark.exists()


def test_new_correction_of_game_yaml_is_refused(home: Path, mark: Path) -> None:
    (home / "game.yaml").write_bytes(evil_game())
    new = ("new", "punica", "--rules", "toy", "--player", "red=Ann", "--player", "blue=Bob")
    refused = run(*new, "--correct", home / "game.yaml")
    assert "game.yaml cannot be corrected" in refused.output
    assert run(*new).exit_code == 0
    refused = run("migrate", "punica", "--correct", home / "game.yaml", "--reason", "mine")
    assert "game.yaml cannot be corrected" in refused.output
    assert not mark.exists()


def test_verify_blames_a_game_yaml_that_comes_after_the_start(over: Folder, home: Path) -> None:
    found = verify(hostile(over, home / "clone", at=3), folders=FOLDERS).findings.sorted
    assert "box/game.yaml: it is changed after the start; a game.yaml must stay" in map(str, found)


def test_game_begun_with_a_corrected_game_yaml_is_read(over: Folder, home: Path) -> None:
    """An earlier version let a game keep one; but for its package it counts."""
    verdict = verify(hostile(over, home / "clone"), folders=FOLDERS)
    assert verdict.opened
    assert not [each for each in verdict.findings.sorted if "box/" in str(each)]
    with pytest.raises(BrokenBox, match="no file gane"):
        open_box("toy", FOLDERS, {"gane": Correction("gane.yaml", b"")})
