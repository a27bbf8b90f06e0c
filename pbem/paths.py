"""Where things lie: the boxes of the games, the templates, the keys, the games being played.

In a checkout `rules/` and `templates/` stand beside the package; a wheel carries them inside it. Nothing is looked
up before it is asked for, and nothing here is created.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from re import compile as pattern
from typing import Final

GAME_NAME: Final = pattern(r"[a-z0-9_][a-z0-9_.-]{0,63}")
"""What a game may be called: its repo and the file of its secrets bear its name."""
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
    """Return the folder of the secrets, outside every game's repo: `PBEM_KEYS`, or in the user's own data."""
    named = os.environ.get("PBEM_KEYS")
    if named:
        return Path(named).expanduser()
    home = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The XDG specification: a path that is not absolute is to be ignored, and "" is not absolute.
    return (home if home.is_absolute() else Path.home() / ".local" / "share") / "pbem" / "keys"


def cache_folder() -> Path:
    """Return the folder of what can be made again at any time: `PBEM_CACHE`, or in the user's own caches."""
    named = os.environ.get("PBEM_CACHE")
    if named:
        return Path(named).expanduser()
    home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (home if home.is_absolute() else Path.home() / ".cache") / "pbem"


def games_folder() -> Path:
    """Return the folder that holds the games, one repo each: `PBEM_GAMES`, or `games` where we stand."""
    return Path(os.environ.get("PBEM_GAMES") or "games").expanduser()


def _carried(name: str) -> Path:
    """Return a folder that belongs to pbem itself, in a wheel or in a checkout."""
    for folder in (_PACKAGE / "_box" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"this copy of pbem lacks its folder {name}/: install it again")
