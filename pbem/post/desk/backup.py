"""The backup of the post: all games, their secrets sealed to the game master, the tables and the config; and back.

A backup is a folder that is written beside its place and then renamed: it is whole or not there. The service may go on
meanwhile. The tables are copied before the games, so that no letter counts as done that its game does not have; a
letter that came in between is taken in again, and recognized. Letters to send are copied once more at the end, so that
none is missing that a game takes for written.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Final, NamedTuple

from pbem.atomic import sync_folder, write
from pbem.crypto.seal import Identity
from pbem.paths import CONFIG_FILE, TABLES
from pbem.post.tables.sqlite_tables import SqliteTables
from pbem.protocol import PbemError
from pbem.referee.acts.ending import ARCHIVE
from pbem.repo.git import GameRepo
from pbem.repo.key_backup import Restored, back_up, restore_secrets

GAMES: Final = "games"
KEYS: Final = "keys.age"
PLAIN_KEYS: Final = "keys.yaml"
_NOT_COPIED: Final = shutil.ignore_patterns("*.lock", "tmp_pbem_*")
BACKUP_NOTE: Final = "backup"
"""The note of the tables that names the last backup."""
_BACKUP_PREFIX: Final = "pbem-"


class NoBackup(PbemError):
    """A folder is no backup, or what is to be restored would overwrite something."""


class Places(NamedTuple):
    """Where everything is that a backup holds."""

    games: Path
    keys: Path
    tables: Path
    config: Path | None = None
    database: str | None = None
    """The database that the tables are in; its own programs make copies of it."""


class BackedUp(NamedTuple):
    """A backup that was made: its folder, the games in it, and what was left out."""

    folder: Path
    games: Sequence[str]
    left_out: Sequence[str]


def back_up_all(places: Places, into: Path, recipients: Sequence[str] = (), passphrase: str = "") -> BackedUp:
    """Make a backup in a folder of its own below `into`; without recipients and passphrase the keys are not sealed."""
    name = f"{_BACKUP_PREFIX}{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
    draft, folder = into / f".{name}", into / name
    draft.mkdir(mode=0o700, parents=True)
    try:
        tables = SqliteTables(places.tables) if places.tables.exists() else None
        if tables is not None:
            tables.copy(draft / TABLES)
        games = _copy_games(places.games, draft / GAMES)
        sealed = bool(recipients or passphrase)
        _, left_out = back_up(places.keys, [], draft / (KEYS if sealed else PLAIN_KEYS), recipients, passphrase)
        if places.config is not None:
            write({draft / CONFIG_FILE: places.config.read_bytes()}, mode=0o600)
        if tables is not None:
            copied = SqliteTables(draft / TABLES)
            copied.add_letters_to_send_of(places.tables)
            copied.close()
        draft.rename(folder)
        sync_folder(into)
        if tables is not None:
            tables.note(BACKUP_NOTE, str(folder.absolute()), time())
            tables.close()
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return BackedUp(folder, games, left_out)


def _copy_games(games: Path, into: Path) -> list[str]:
    """Copy the repos of all games, with the notes beside them, each with its lock held."""
    into.mkdir()
    names = []
    for path in sorted(games.glob("*.git")):
        with GameRepo.open(path) as repo, repo.lock(60.0):
            shutil.copytree(path, into / path.name, ignore=_NOT_COPIED)
        names.append(path.name.removesuffix(".git"))
    if (games / ARCHIVE).is_dir():  # nobody writes to what has been put away
        shutil.copytree(games / ARCHIVE, into / ARCHIVE, ignore=_NOT_COPIED)
    return names


def last_backup(into: Path) -> tuple[Path, float] | None:
    """Return the newest backup below a folder, and when it was made; None: there is none."""
    found = sorted(path for path in into.glob(f"{_BACKUP_PREFIX}*") if path.is_dir())
    if not found:
        return None
    made = datetime.strptime(found[-1].name.removeprefix(_BACKUP_PREFIX), "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)
    return found[-1], made.timestamp()


def drop_old_backups(into: Path, keep: int) -> list[Path]:
    """Delete all but the newest backups below a folder, and return those deleted."""
    old = sorted(path for path in into.glob(f"{_BACKUP_PREFIX}*") if path.is_dir())[:-keep]
    for path in old:
        shutil.rmtree(path)
    return old


class RestoredAll(NamedTuple):
    """What was restored: the games, and the result for the secrets of each."""

    games: Sequence[str]
    keys: Sequence[Restored]


def restore_all(folder: Path, to: Places, identities: Sequence[Identity] = (), passphrase: str = "") -> RestoredAll:
    """Bring games, keys and tables back from a backup. Nothing is overwritten.

    The config is left in the backup, to be copied by hand. Raises NoBackup, BadKeys, CannotOpen.
    """
    games = to.games
    if not (folder / GAMES).is_dir():
        raise NoBackup(f"{folder} is no backup; name the folder whose name begins with {_BACKUP_PREFIX}")
    there = [path for path in (*(games / each.name for each in (folder / GAMES).iterdir()), to.tables) if path.exists()]
    if there:
        raise NoBackup(f"{there[0]} is there; nothing is overwritten. Move it away, or restore into another folder")
    sealed = next((folder / name for name in (KEYS, PLAIN_KEYS) if (folder / name).exists()), None)
    if sealed is None:
        raise NoBackup(f"{folder} has no {KEYS}: the secrets are not in it")
    restored = restore_secrets(to.keys, folder / GAMES, sealed.read_bytes(), identities, passphrase)
    games.mkdir(parents=True, exist_ok=True)
    names = []
    for path in sorted((folder / GAMES).iterdir()):
        draft = games / f".{path.name}.restored"
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(path, draft)
        draft.rename(games / path.name)
        if path.name != ARCHIVE:
            names.append(path.name.removesuffix(".git"))
    sync_folder(games)
    if (folder / TABLES).exists():
        shutil.copyfile(folder / TABLES, to.tables)
    return RestoredAll(names, restored)
