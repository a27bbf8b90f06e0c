"""The doctor: looks at everything that the post needs, and says of each whether it is well, and what to do if not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import time
from typing import Final, NamedTuple

from pbem.game.wording import counted
from pbem.post.desk.backup import BACKUP_NOTE, last_backup
from pbem.post.service.health import health, waiting
from pbem.post.service_log import error_text
from pbem.post.settings import PostConfig
from pbem.post.tables.open_tables import never_opened, open_tables
from pbem.post.transport import sender, sources
from pbem.post.transport.base import Source, Unreachable
from pbem.post.transport.pipes import StdinSource
from pbem.post.who.mailbox_notes import refusing
from pbem.protocol import PbemError
from pbem.referee.opening import open_to_look
from pbem.repo.git.history import PastRepo
from pbem.repo.key_backup import kept_secrets

_LEAST_ROOM: Final = 200 * 1024 * 1024
"""Bytes that must be free on the disk."""
_OLDEST_BACKUP: Final = 8.0
"""Days."""


class Diagnosis(NamedTuple):
    """What was looked at, whether it is well, and what there is to say of it."""

    what: str
    well: bool
    text: str
    warning: bool = False
    """Whether it is well now, and is wrong soon if nothing is done."""


def examine(config: PostConfig) -> Iterator[Diagnosis]:
    """Yield what is found: the games and their rules, the secrets, the disk, the tables, the ways, the backup."""
    yield from _check_games(config)
    yield from _check_keys(config)
    yield from _check_disk(config)
    yield from _check_tables(config)
    yield from _check_ways(config)
    yield _check_backup(config)


def _check_games(config: PostConfig) -> Iterator[Diagnosis]:
    names = sorted(path.name.removesuffix(".git") for path in config.games.glob("*.git"))
    wrong = [finding for name in names for finding in _check_game(config, name)]
    yield from wrong
    if not wrong:
        yield Diagnosis("games", True, f"{counted(len(names), 'game')} in {config.games}")


def _check_game(config: PostConfig, name: str) -> Iterator[Diagnosis]:
    """Yield what is wrong with a game: its repo, its rules, its players' mailboxes."""
    try:
        with PastRepo(config.games / f"{name}.git") as past, past.undisturbed():
            damage = next(past.damage(), None)
        if damage is not None:
            yield Diagnosis(name, False, f"its repo is damaged: {damage}. Bring it back from a backup")
            return
        with open_to_look(config.games, config.keys, name, folders=config.boxes) as game:
            if game.result is None and (odd := game.differs) is not None:
                todo = f"`pbem migrate {name}` moves it, or finish it with the pbem that it was begun with"
                yield Diagnosis(
                    name, False, f"it is played with other rules than those here: the {odd} differs; {todo}"
                )
            for each in refusing(game.path, game.rules.sides):
                yield Diagnosis(name, False, each.text)
    except (PbemError, OSError, ValueError, TypeError, LookupError) as wrong:
        yield Diagnosis(name, False, f"it cannot be read: {wrong}")


def _check_keys(config: PostConfig) -> Iterator[Diagnosis]:
    secrets = list(kept_secrets(config.keys, config.games))
    yield from (Diagnosis("keys", False, f"{each.game}: {each.wrong}") for each in secrets if each.wrong)
    if not any(each.wrong for each in secrets):
        yield Diagnosis("keys", True, f"the secrets of {counted(len(secrets), 'game')} in {config.keys}")


def _check_disk(config: PostConfig) -> Iterator[Diagnosis]:
    for folder in dict.fromkeys([config.games, config.tables_file.parent]):
        free = shutil.disk_usage(folder).free
        text = f"{free // 1024**2:,} MB are free for {folder}"
        yield Diagnosis("disk", free >= _LEAST_ROOM, text if free >= _LEAST_ROOM else f"{text}: make room")


def _check_tables(config: PostConfig) -> Iterator[Diagnosis]:
    if never_opened(config):
        yield Diagnosis("post", False, f"it has never run: {config.tables_file} does not exist")
        return
    try:
        tables = open_tables(config)
        if (damage := tables.damage()) is not None:
            yield Diagnosis("tables", False, f"{config.tables_file} is damaged: {damage}")
        found = health(tables, time())
        yield Diagnosis("post", found.well, found.line)
        yield from (Diagnosis("post", False, text) for text in waiting(tables) if "cannot be taken in" in text)
        tables.close()
    except (PbemError, OSError) as wrong:
        yield Diagnosis("tables", False, error_text(wrong))


def _check_ways(config: PostConfig) -> Iterator[Diagnosis]:
    """Yield whether the mailboxes and the way out can be reached: nothing is fetched or sent."""
    for source in sources(config):
        if not isinstance(source, StdinSource):
            with source:
                yield _check_way(source.name, partial(_look_into, source))
    with sender(config) as way_out:
        yield _check_way(way_out.name, way_out.check)


def _look_into(source: Source) -> None:
    """Look into a mailbox, at no letter."""
    next(iter(source.new(lambda source, uid: True)), None)


def _check_way(name: str, check: Callable[[], object]) -> Diagnosis:
    try:
        check()
    except (Unreachable, PbemError, OSError) as wrong:
        return Diagnosis(name, False, f"cannot be reached: {wrong}")
    return Diagnosis(name, True, "can be reached")


def _check_backup(config: PostConfig) -> Diagnosis:
    """Return how old the last backup is. That there is none is no fault yet where no game is older than one may be."""
    found = _noted_backup(config) if config.backup is None else last_backup(config.backup)
    if found is None:
        folder = config.backup or "FOLDER"
        none = "no folder of backups is named (`backup:` in the config)" if config.backup is None else "there is none"
        due = _age_of_games(config) > _OLDEST_BACKUP
        return Diagnosis("backup", not due, f"{none}: pbem backup {folder} --to age1...", warning=not due)
    days = (time() - found[1]) / 86400
    text = f"the last one is {counted(int(days), 'day')} old: {found[0]}"
    return Diagnosis("backup", days <= _OLDEST_BACKUP, text)


def _noted_backup(config: PostConfig) -> tuple[Path, float] | None:
    """Return the last backup that the tables know of, and when it was made; None: there is none any more."""
    if never_opened(config):
        return None
    try:
        tables = open_tables(config)
        noted = tables.noted(BACKUP_NOTE)
        tables.close()
    except (PbemError, OSError):  # another finding says so
        return None
    return (Path(noted[0]), noted[1]) if noted is not None and Path(noted[0]).is_dir() else None


def _age_of_games(config: PostConfig) -> float:
    """Return how many days ago the first game was made, or copied here; 0 if there is none."""
    now = time()
    made = [path.stat().st_mtime for path in config.games.glob("*.git/HEAD")]  # it is written once
    return (now - min(made, default=now)) / 86400
