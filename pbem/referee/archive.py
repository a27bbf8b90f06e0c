"""The archive: a folder for games that are over, where neither the post nor `pbem status` looks.

A game in the folder `archive` is unchanged, with the notes beside its repo. Its keys stay in the key store, so that
its name is not used again and the game can be brought back. Archiving moves one folder: a crash leaves the game in one
place or the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pbem.atomic import sync_folder
from pbem.referee.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.git import NoSuchGame

ARCHIVE: Final = "archive"
"""The folder of archived games, within the folder of the games."""


def archive(game: Adjudicator) -> Path:
    """Archive a game that is over, and return its new path. Raises CannotPlay."""
    with game.lock():
        if game.result is None:
            raise CannotPlay(f"{game.name} is not over; `pbem ruling {game.name} --end` breaks it off")
        games = game.path.parent
        return _move(game.path, games / ARCHIVE / game.path.name)


def bring_back(games: Path, name: str) -> Path:
    """Bring a game back from the archive, and return its new path. Raises CannotPlay, NoSuchGame."""
    lies = games / ARCHIVE / f"{name}.git"
    if not lies.is_dir():
        raise NoSuchGame(f"there is no game called {name} in {games / ARCHIVE}")
    return _move(lies, games / lies.name)


def _move(path: Path, to: Path) -> Path:
    if to.exists():
        raise CannotPlay(f"{to} is there already; nothing was moved")
    to.parent.mkdir(exist_ok=True)
    path.rename(to)
    for folder in (to.parent, path.parent):
        sync_folder(folder)
    return to
