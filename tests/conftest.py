"""What every test may rely on: random examples, folders that are nobody's own, and a meter of its time."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator, Sequence
from datetime import UTC, datetime
from email.headerregistry import HeaderRegistry
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyrage
import pytest
import typer.main
import typer.testing
from _pytest.doctest import DoctestModule

from pbem.audit.record import turn_files
from pbem.crypto import seal
from pbem.game.boxes import box, box_file
from pbem.game.boxes.cache import recall, remember
from pbem.referee.play.adjudicator import Adjudicator
from tests.support import beacon_rounds, chance, disk, processor
from tests.support.blank import blank_pictures
from tests.support.disputed import Assault, assaulted, hand
from tests.support.live import Folder, give, order
from tests.support.walks import FOLDERS

# Boxes are kept for all tests. Whoever counts them again and again for garbage takes a tenth of the time.
gc.set_threshold(100_000, 50, 1_000)


def pytest_configure(config: pytest.Config) -> None:
    """Measure the processor time of each test; where the slow ones are left out, look at fewer examples, too."""
    chance.load_profile(share=5 if "not slow" in config.option.markexpr else 1)
    config.pluginmanager.register(processor.Meter())


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in the docstrings of tests: there are none, and every process would look."""
    found = yield
    return [each for each in found if not (file_path.name.startswith("test_") and isinstance(each, DoctestModule))]


def pytest_collection_finish() -> None:
    """Count nothing that is there before the first test for garbage: it stays."""
    chance.list_characters()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say with which seeds a test failed."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.line(f"Seeds of random tests: {chance.VARIABLE}={chance.settle()}", red=True)


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the keys and games of whoever runs them; processes side by side share what is cached."""
    away = tmp_path_factory.mktemp("home")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PBEM_RULES", raising=False)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # each process of a test would compile pbem anew
        patch.setenv("PBEM_KEYS", str(away / "keys"))
        patch.setenv("PBEM_GAMES", str(away / "games"))
        patch.setenv("PBEM_CACHE", str(shared / "cache"))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Let nothing of the tests be synced."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", disk.unsynced)
        for name, value in disk.GIT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session", autouse=True)
def verified_later() -> Iterator[None]:
    """Let the games of tests be verified in years to come: theirs are on days that may lie ahead of today."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turn_files, "now", lambda: datetime(2050, 1, 1, tzinfo=UTC))
        yield


@pytest.fixture(scope="session", autouse=True)
def command_line_built_once() -> Iterator[None]:
    """Let the command line be built once and not for every command that a test gives."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session", autouse=True)
def headers_read_once() -> Iterator[None]:
    """Let the same header of a letter be read once: the standard library does so for each look at its type."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HeaderRegistry, "__call__", lru_cache(maxsize=4096)(HeaderRegistry.__call__))
        yield


@pytest.fixture(scope="session", autouse=True)
def files_opened_once() -> Iterator[None]:
    """Let the same sealed file be opened once with the same key: tests verify the same games again and again."""
    whole = pyrage.decrypt
    opened = lru_cache(maxsize=1024)(lambda sealed, identity: whole(sealed, [identity]))

    def once(sealed: bytes, identities: Sequence[Any]) -> Any:
        return opened(sealed, identities[0]) if len(identities) == 1 else whole(sealed, identities)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seal, "decrypt", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def signatures_checked_once(own_folders: None) -> Iterator[None]:
    """Let a signature of the beacon be checked once and not for every test."""
    with beacon_rounds.signatures_checked_once():
        yield


@pytest.fixture(scope="session", autouse=True)
def schemas_checked_once(own_folders: None) -> Iterator[None]:
    """Let nothing be held again against a schema that it fits: of a copy of a box most is as it was."""
    whole = box_file.misfits

    def once(value: Any, schema: Any) -> list[tuple[Any, str, bool]]:
        key = [sha256(repr(each).encode()).hexdigest() for each in (schema, value)]
        if recall("fits", *key):
            return []
        if not (found := list(whole(value, schema))):
            remember(True, "fits", *key)
        return found

    with pytest.MonkeyPatch.context() as patch:
        for module in (box, box_file):
            patch.setattr(module, "misfits", once)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return an empty folder of games, with its key store."""
    return Folder(tmp_path)


@pytest.fixture
def in_the_folder(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line find the games of the folder, their keys, and the box of Three Hills."""
    monkeypatch.setenv("PBEM_GAMES", str(folder.games))
    monkeypatch.setenv("PBEM_KEYS", str(folder.keys))
    monkeypatch.setenv("PBEM_RULES", FOLDERS[0])
    monkeypatch.chdir(folder.path)


@pytest.fixture
def toy(folder: Folder) -> Iterator[Adjudicator]:
    """Yield a game of Three Hills that waits for both sides."""
    with folder.create() as game:
        yield game


@pytest.fixture
def punica(folder: Folder) -> Folder:
    """Return a folder in which a game of Three Hills waits for both sides."""
    folder.create().close()
    return folder


@pytest.fixture
def both_buried(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of red and blue in which both have buried a card."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    with folder.create() as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
    return folder


@pytest.fixture
def assault(folder: Folder) -> Assault:
    """Play a game of Three Hills in which an assault of Blue is repulsed by adjudication 5; both bid after it."""
    return assaulted(folder)


@pytest.fixture
def hills(folder: Folder, assault: Assault) -> Folder:
    """Return the folder of that game."""
    return folder


@pytest.fixture
def reacting(folder: Folder) -> Folder:
    """Return a folder with a game in which an assault has been ordered, and the other side may react."""
    with folder.create(scenario="siege") as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=hand(game, side)[0]))
        for side in ("red", "blue"):
            give(game, side, order("bid", card="lowest"))
        lead = game.view(None).lead
        give(game, lead, order("assault", hill=game.view(lead).targets(lead)[0], card=hand(game, lead)[0]))
        assert [each.kind for each in game.open_decisions] == ["react"]
    return folder
