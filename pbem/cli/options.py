"""The words that many verbs share: how a game is named, and the options that mean the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

Name = Annotated[str, typer.Argument(help="The game's name.")]
NameOrClone = Annotated[str, typer.Argument(help="The game's name, or where a clone of its repo lies.")]
Viewer = Annotated[str | None, typer.Option("--side", help="The side that reads; none: an onlooker.")]
Games = Annotated[Path | None, typer.Option("--games", help="Folder of the games (or PBEM_GAMES).")]
RulesDir = Annotated[list[Path] | None, typer.Option("--rules-dir", help="One more folder of boxes.")]
Correct = Annotated[
    list[Path] | None,
    typer.Option("--correct", help="A corrected file of the box, or a folder of them, to be kept in the game's repo."),
]
Json = Annotated[bool, typer.Option("--json", help="Print for a program to read.")]
WHY: Final = "Why: it goes on record, and every side is told."
"""What `--reason` means wherever it is asked for."""
