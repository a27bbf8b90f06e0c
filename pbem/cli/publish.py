"""The verb that makes a running game public (`pbem publish`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.options import Games, Json, NameOrClone
from pbem.cli.runtime import print_json
from pbem.paths import games_folder


def publish(
    name: NameOrClone,
    folder: Annotated[Path, typer.Argument(help="The bare clone to make or to bring up to date.")],
    games: Games = None,
    json: Json = False,
) -> None:
    """Make a bare clone of a game for observers, or bring it up to date. Everything secret in it is sealed."""
    from pbem.audit.access import repo_of
    from pbem.repo.git import GameRepo
    from pbem.repo.public import publish as publish_game

    with GameRepo.open(repo_of(games or games_folder(), name)) as repo:
        made = publish_game(repo, folder)
    if json:
        print_json({"game": made.game, "folder": str(made.folder), "new_commits": made.commits, "head": made.head})
        return
    print(f"{made.game}: {made.folder} has {made.commits} new commits and stands at {made.head[:12]}.")
    print("It can be shared: hands, sheets and plans in it are sealed until the game is over, addresses for ever.")
