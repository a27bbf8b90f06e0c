"""The empty repo of a game, made without templates and without git's configuration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pbem.atomic import sync_folder, write

REF: Final = "refs/heads/main"
"""The one branch of a game."""
_CONFIG: Final = b"""\
[core]
\trepositoryformatversion = 0
\tfilemode = false
\tbare = true
\tlogallrefupdates = false
\thooksPath = /dev/null
[gc]
\tauto = 0
"""


def lay_out(path: Path) -> None:
    """Make an empty bare repo."""
    folders = [path, *(path / name for name in ("objects", "objects/info", "objects/pack", "refs", "refs/heads"))]
    for folder in folders:
        os.mkdir(folder)
    write({path / "HEAD": f"ref: {REF}\n".encode(), path / "config": _CONFIG})
    for folder in folders:
        sync_folder(folder)
