"""The paths of files in a game's repo. Their grammar is narrow, so that none can reach git's own files."""

from __future__ import annotations

from collections.abc import Mapping
from re import compile as pattern
from typing import Final, TypeAlias

from pbem.protocol import PbemError

_PATH: Final = pattern(r"(?:[a-z0-9_][a-z0-9_.-]{0,63}/){0,7}[a-z0-9_][a-z0-9_.-]{0,63}")

Changes: TypeAlias = "dict[str, bytes | Changes | None]"
"""Folders as nested mappings; files as bytes, or None to remove one."""


class BadPath(PbemError, ValueError):
    """A path is not of the kind that may stand in a game's repo."""


def numbered(folder: str, n: int) -> str:
    """Return the path of the n-th file of a folder, a hundred to a subfolder: `turns/000/0042.yaml`."""
    return f"{folder}/{n // 100:03}/{n:04}.yaml"


def parts(path: str) -> list[str]:
    """Return the names that a path goes through. Raises BadPath."""
    if not _PATH.fullmatch(path):
        raise BadPath(
            f"{path!r} cannot stand in a game's repo: names of a-z, 0-9, '_', '-' and '.' (not '-' or '.' first), "
            f"64 letters at most, joined by '/', 8 deep at most"
        )
    return path.split("/")


def nested(files: Mapping[str, bytes | None]) -> Changes:
    """Return changes by folder; refuse a name that is to be a file and a folder at once."""
    changes: Changes = {}
    for path, content in files.items():
        *folders, name = parts(path)
        level = changes
        for folder in folders:
            below = level.setdefault(folder, {})
            if not isinstance(below, dict):
                raise BadPath(f"{path}: {folder} would be a file and a folder at once")
            level = below
        if isinstance(level.get(name), dict):
            raise BadPath(f"{path} would be a file and a folder at once")
        level[name] = content
    return changes
