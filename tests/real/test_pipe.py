"""A mail server that pipes letters to `pbem letter`: Postfix's pipe(8), as a user without rights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyrage
import pytest

from tests.real.mailhost import MailHost, soon
from tests.real.season import GAME, ROOT
from tests.support.live import Folder
from tests.support.walks import FOLDERS

USER = "nobody"
ADDRESSES = {"red": "ann@pbem.test", "blue": "bob@pbem.test"}
LETTER = f"From: ann@pbem.test\r\nSubject: a question\r\nMessage-ID: <1@pbem.test>\r\n\r\nSTATUS\n\ngame: {GAME}\n"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder with a game that belongs to the user to whom Postfix gives the letters."""
    made = Path(tempfile.mkdtemp(prefix="pp", dir="/tmp"))
    try:
        Folder(made).create(name=GAME, addresses=ADDRESSES).close()
        for path in (made, *made.rglob("*")):
            shutil.chown(path, USER)
        yield made
    finally:
        shutil.rmtree(made)


def command(folder: Path) -> str:
    """Return the script that takes a letter in, as docs/hosting.md has it."""
    packages = Path(pyrage.__file__).parent.parent
    settings = {
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "toy", packages))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PBEM_GAMES": str(folder / "games"),
        "PBEM_KEYS": str(folder / "keys"),
        "PBEM_CACHE": str(folder / "cache"),
        "PBEM_RULES": os.pathsep.join(map(str, FOLDERS)),
        "PBEM_FROM": "referee@pbem.test",
    }
    exports = "\n".join(f"export {name}='{value}'" for name, value in settings.items())
    return f"{exports}\n{interpreter(exports)} -m pbem letter >> {folder}/log 2>&1 || [ $? -eq 3 ] || exit 75"


def interpreter(exports: str) -> str:
    """Return a Python that the user can run pbem with: that of the tests may lie in root's own home."""
    for each in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        script = f"{exports}\n{each} -c 'import pbem.cli, git, pyrage'"
        if (
            subprocess.run(["setpriv", f"--reuid={USER}", "--clear-groups", "sh", "-c", script], check=False).returncode
            == 0
        ):
            return each
    pytest.skip(f"no Python here that the user {USER} can run")


def answers(folder: Path) -> list[Path]:
    return list((folder / "games" / "outbox" / "new").glob("*"))


def test_letter_that_is_piped_is_taken_in(host: MailHost, folder: Path) -> None:
    host.set_pipe(command(folder))
    host.deliver(LETTER.encode(), "pipe@pbem.test")
    soon(lambda: answers(folder), 60)
    (answer,) = answers(folder)
    assert b"In-Reply-To: <1@pbem.test>" in answer.read_bytes()
    soon(lambda: "status=sent" in host.log.rpartition("pipe@pbem.test")[2])


def test_letter_that_cannot_be_taken_in_waits_at_the_server(host: MailHost, folder: Path) -> None:
    (folder / "keys").rename(folder / "away")
    host.set_pipe(command(folder))
    host.deliver(LETTER.encode(), "pipe+later@pbem.test")
    soon(lambda: "status=deferred" in host.log.rpartition("pipe+later@pbem.test")[2], 60)
    assert answers(folder) == []
    (folder / "away").rename(folder / "keys")
    soon(lambda: "status=sent" in host.log.rpartition("pipe+later@pbem.test")[2], 60)
    assert len(answers(folder)) == 1
