"""The arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

Name = Annotated[str, typer.Argument(help="The game's name.")]
NameOrClone = Annotated[str, typer.Argument(help="The game's name, or the folder of a clone of its repo.")]
Viewer = Annotated[str | None, typer.Option("--side", help="The side that reads; by default an observer.")]
Games = Annotated[Path | None, typer.Option("--games", help="Folder of the games; or set PBEM_GAMES.")]
RulesDir = Annotated[list[Path] | None, typer.Option("--rules-dir", help="Another folder with boxes of games.")]
Correct = Annotated[
    list[Path] | None,
    typer.Option("--correct", help="A corrected file of the box, or a folder of them; the game's repo keeps them."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Since = Annotated[int | None, typer.Option(help="Report what happened after this adjudication.")]
MapLink = Annotated[
    str | None, typer.Option("--map", metavar="URL", help="The address of the map picture, for a forum post.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
WHY: Final = "The reason. It goes on record, and every side is told."
"""The help of every `--reason`."""
