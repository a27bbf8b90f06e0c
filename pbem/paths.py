"""Paths: the folders of boxes, templates, keys, games in play, and the cache, and the config of the post.

In a checkout `rules/` and `templates/` stand beside the package; a wheel carries them inside it. What belongs to the
user lies where the environment says, or else where the system keeps such things (`platformdirs`). Nothing is looked up
before it is asked for, and nothing here is created.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from re import compile as pattern
from typing import Final

GAME_NAME: Final = pattern(r"[a-z0-9_][a-z0-9_.-]{0,63}")
"""What a game may be called: its repo and the file of its secrets bear its name."""
CONFIG_FILE: Final = "pbem.yaml"
TABLES: Final = "post.sqlite"
"""The file of the tables of the post, in the folder of the games."""
_PACKAGE = Path(__file__).parent


def rules_folders(extra: Iterable[str | os.PathLike[str]] = ()) -> tuple[Path, ...]:
    """Return the folders that hold boxes, nearest first: `extra`, those of `PBEM_RULES`, our own."""
    named = [Path(folder) for folder in extra]
    named += [Path(entry).expanduser() for entry in os.environ.get("PBEM_RULES", "").split(os.pathsep) if entry]
    for folder in named:
        if not folder.is_dir():
            raise FileNotFoundError(f"{folder} was named as a folder of rules, but there is no such folder")
    return (*named, _carried("rules"))


def templates_folder() -> Path:
    """Return the folder of the mail, report, forum and page templates."""
    return _carried("templates")


def keys_folder() -> Path:
    """Return the folder of the secrets, outside every game's repo: `PBEM_KEYS`, or in the user's own data.

    A key store in `~/.local/share/pbem` is found on every system, for there it lay on all of them.
    """
    named = os.environ.get("PBEM_KEYS")
    if named:
        return Path(named).expanduser()
    by_environment = _by_environment("XDG_DATA_HOME")
    if by_environment is not None:
        return by_environment / "keys"
    earlier = Path.home() / ".local" / "share" / "pbem" / "keys"
    return earlier if earlier.is_dir() else _own_folder() / "keys"


def cache_folder() -> Path:
    """Return the folder of what can be made again at any time: `PBEM_CACHE`, or in the user's own caches.

    For a user without a home it is one in which nothing can be kept.
    """
    named = os.environ.get("PBEM_CACHE")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    with suppress(RuntimeError):
        return _by_environment("XDG_CACHE_HOME") or user_cache_path("pbem", appauthor=False)
    return Path(os.devnull)


def games_folder() -> Path:
    """Return the folder that holds the games, one repo each.

    That is `PBEM_GAMES`; or `games` where we stand, if there is such a folder; or one in the user's own data.
    """
    named = os.environ.get("PBEM_GAMES")
    if named:
        return Path(named).expanduser()
    here = Path("games")
    return here if here.is_dir() else _own_folder() / "games"


def find_config(named: Path | None = None) -> Path:
    """Return the file of the config of the post: the one that is named, or `PBEM_CONFIG`, or `pbem.yaml` here."""
    return named or Path(os.environ.get("PBEM_CONFIG") or CONFIG_FILE)


def _own_folder() -> Path:
    """Return the folder of the user's own data, as the system has it."""
    from platformdirs import user_data_path

    return _by_environment("XDG_DATA_HOME") or user_data_path("pbem", appauthor=False)


def _by_environment(variable: str) -> Path | None:
    """Return our folder below the one that a variable of the XDG specification names; None: it names none."""
    home = Path(os.environ.get(variable, ""))
    # By the specification a path that is not absolute is to be ignored, and "" is not absolute.
    return home / "pbem" if home.is_absolute() else None


def _carried(name: str) -> Path:
    """Return a folder that belongs to pbem itself, in a wheel or in a checkout."""
    for folder in (_PACKAGE / "_box" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"this copy of pbem lacks its folder {name}/: install it again")
