"""`pbem publish` and `pbem site`: a running game for everybody to see."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.options import Games, Json, NameOrClone, RulesDir
from pbem.cli.runtime import misuse, print_json
from pbem.paths import games_folder

# ---- The verb that makes a running game public (`pbem publish`)


def publish(
    name: NameOrClone,
    folder: Annotated[Path, typer.Argument(help="The bare clone to make or to bring up to date.")],
    games: Games = None,
    json: Json = False,
) -> None:
    """Make a bare clone of a game for observers, or bring it up to date. Everything secret in it is sealed."""
    from pbem.audit.record.access import repo_of
    from pbem.repo.git import GameRepo
    from pbem.repo.public import publish as publish_game

    with GameRepo.open(repo_of(games or games_folder(), name)) as repo:
        made = publish_game(repo, folder)
    if json:
        print_json({"game": made.game, "folder": str(made.folder), "new_commits": made.commits, "head": made.head})
        return
    print(f"{made.game}: {made.folder} has {made.commits} new commits and stands at {made.head[:12]}.")
    print("It can be shared: hands, sheets and plans in it are sealed until the game is over, addresses for ever.")


# ---- The verb that makes a site of games (`pbem site`)


def site(
    out: Annotated[Path, typer.Argument(help="The folder of the site, which is created or updated.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Games or folders of clones; by default every game in the folder."),
    ] = None,
    url: Annotated[str, typer.Option(help="The address of the site, for the links in its feed.")] = "",
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Make a static site of games as observers see them: boards, logs, turn files, dice checks and a feed."""
    from pbem.audit.record.access import repo_of
    from pbem.game.wording import counted
    from pbem.pages.record import read_record
    from pbem.pages.site import build

    if url and not url.startswith(("https://", "http://")):
        misuse(f"--url {url}: write the address of the site, such as https://example.org/games/")
    folder = games or games_folder()
    paths = [repo_of(folder, name) for name in names] if names else sorted(folder.glob("*.git"))
    records = [read_record(path, rules_dir or ()) for path in paths]
    twice = {each.game for each in records if sum(other.game == each.game for other in records) > 1}
    if twice:
        misuse(f"two games are called {sorted(twice)[0]}; a site can have one of them")
    written = build(records, out, f"{url.rstrip('/')}/" if url else "")
    if json:
        print_json({"games": [each.game for each in records], "folder": str(out), "written": len(written)})
        return
    changed = f"{counted(len(written), 'file')} {'is' if len(written) == 1 else 'are'} new or changed"
    print(f"{out}: {counted(len(records), 'game')}, {changed}.")
