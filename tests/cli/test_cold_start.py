"""What the command line imports: no more than was asked for, so that nobody waits for what they do not see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.live import Folder, letter

ROOT = Path(__file__).resolve().parents[2]

DRAWING = {
    "PIL",
    "pbem.render.map.picture",
    "pbem.render.map.canvas",
    "pbem.game.board.scene",
    "pbem.game.board.board_map",
}
GAME_PARTS = {"policy", "scene", "panels", "bot"}
"""Modules of a game that only its bot and its pictures need."""
NEVER = DRAWING | {"git", "gitdb", "jsonschema", "rich", "pydantic", "sqlite3", "imapclient", "smtplib", "py_ecc"}
NOT_FOR_STATUS = NEVER | {
    *("jinja2", "selectolax", "email", "asyncio", "socket"),
    *("pbem.mail.read.letter", "pbem.mail.write", "pbem.mail.answer", "pbem.mail.choose", "pbem.render", "pbem.pages"),
    *("pbem.post.settings", "pbem.post.tables", "pbem.post.service", "pbem.referee.play", "pbem.referee.acts"),
    *("pbem.referee.game.terms", "pbem.referee.game.facts", "pbem.orders.forgive", "pbem.orders.check"),
    *("pbem.engine.forecast", "pbem.game.prospects", "pbem.crypto.sealed_orders", "pbem.audit"),
}
NOT_FOR_A_LETTER = NEVER | {
    *("pbem.pages", "pbem.post", "pbem.audit", "pbem.engine.forecast"),
    *("pbem.render.text.forecast_text", "pbem.render.text.forum_post", "pbem.game.prospects", "pbem.game.yaml.writer"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder with a game of Rome and Carthage that has begun."""
    folder = Folder(tmp_path_factory.mktemp("cold"))
    folder.create("rome_carthage").close()
    return folder


def imported(folder: Folder, *words: object) -> set[str]:
    """Run a command in a process of its own, and return the modules that it has imported."""
    code = (
        "import sys\n"
        "from pbem.cli import main\n"
        "try: main()\n"
        "except SystemExit as done: assert not done.code, done.code\n"
        "print('MODULES', *sys.modules)"
    )
    own = {"PBEM_GAMES": str(folder.games), "PBEM_KEYS": str(folder.keys), "PYTHONPATH": str(ROOT)}
    run = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(run, capture_output=True, text=True, env={**os.environ, **own}, cwd=folder.path)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("MODULES")[2].split())


def loaded(modules: set[str], forbidden: set[str]) -> list[str]:
    """Return the modules that should not have been imported, or in which such ones lie."""
    games = {each for each in modules if each.startswith("pbem.rules.") and GAME_PARTS & set(each.split(".")[3:])}
    return sorted(games | {each for each in modules for name in forbidden if f"{each}.".startswith(f"{name}.")})


def test_status_imports_neither_letters_nor_pictures(folder: Folder) -> None:
    found = imported(folder, "status", "punica")
    assert loaded(found, NOT_FOR_STATUS) == []
    of_the_command_line = {each for each in found if each.startswith("pbem.cli.")}
    assert of_the_command_line == {f"pbem.cli.{name}" for name in ("escaped", "runtime", "verbs", "at_home")}


@pytest.mark.slow
def test_letter_without_picture_draws_nothing(folder: Folder) -> None:
    (folder.path / "status.eml").write_bytes(letter("rome", b"STATUS"))
    assert loaded(imported(folder, "letter", "status.eml"), NOT_FOR_A_LETTER) == []
