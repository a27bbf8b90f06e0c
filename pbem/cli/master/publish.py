"""The verbs that show a running game to everybody: a forum thread, a bare clone, a site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.at_home import ForumStyle, forum_text, last_or, print_text, require_forum_format
from pbem.cli.runtime import (
    USUAL,
    Games,
    Json,
    MapLink,
    Name,
    NameOrClone,
    Shared,
    Since,
    misuse,
    opened_to_read,
    print_json,
)
from pbem.paths import games_folder


def print_thread(
    name: Name,
    format: Annotated[str, typer.Option("--format", help="bbcode (phpBB), markdown (Discourse) or html.")] = "bbcode",
    since: Since = None,
    map: MapLink = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A folder for the post and its map; by default, print the post."),
    ] = None,
    shared: Shared = USUAL,
) -> None:
    """Print a post for a forum: what everybody may know, the dice, the open decisions, how to verify it."""
    require_forum_format(format, map)
    with opened_to_read(name, shared) as game:
        after = last_or(game, since)
        if output is None:
            text = forum_text(game, None, after, ForumStyle(format, map or ""))
            print_text(game, None, text.removesuffix("\n"), shared.json)
            return
        from pbem.mail.write.enclosures import map_picture
        from pbem.render.text.forum_post import ENDINGS

        stem = f"{game.name}-{game.adjudication}"
        picture = "" if map else f"{stem}.png"
        output.mkdir(parents=True, exist_ok=True)
        written = [output / f"{stem}.{ENDINGS[format]}"]
        written[0].write_text(forum_text(game, None, after, ForumStyle(format, map or "", picture)), "utf-8")
        if picture:
            written.append(output / picture)
            written[1].write_bytes(map_picture(game, None, after))
        if shared.json:
            files = [str(path) for path in written]
            print_json({"game": game.name, "side": None, "adjudication": game.adjudication, "files": files})
            return
        for path in written:
            print(path)


def publish_clone(
    name: NameOrClone,
    folder: Annotated[Path, typer.Argument(help="The bare clone to make or to bring up to date.")],
    games: Games = None,
    json: Json = False,
) -> None:
    """Make a bare clone of a game for observers, or bring it up to date. Everything secret in it is sealed."""
    from pbem.repo.git import GameRepo
    from pbem.repo.public import publish_game, repo_of

    with GameRepo.open(repo_of(games or games_folder(), name)) as repo:
        made = publish_game(repo, folder)
    if json:
        print_json({"game": made.game, "folder": str(made.folder), "new_commits": made.commits, "head": made.head})
        return
    print(f"{made.game}: {made.folder} has {made.commits} new commits and stands at {made.head[:12]}.")
    print("It can be shared: hands, sheets and plans in it are sealed until the game is over, addresses for ever.")


def make_site(
    out: Annotated[Path, typer.Argument(help="The folder of the site, which is created or updated.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Games or folders of clones; by default every game in the folder."),
    ] = None,
    url: Annotated[str, typer.Option(help="The address of the site, for the links in its feed.")] = "",
    shared: Shared = USUAL,
) -> None:
    """Make a static site of games as observers see them: boards, logs, turn files, dice checks and a feed."""
    from pbem.game.wording import counted
    from pbem.pages.game_page import read_record
    from pbem.pages.site import build
    from pbem.repo.public import repo_of

    if url and not url.startswith(("https://", "http://")):
        misuse(f"--url {url}: write the address of the site, such as https://example.org/games/")
    folder = shared.folder
    paths = [repo_of(folder, name) for name in names] if names else sorted(folder.glob("*.git"))
    records = [read_record(path, shared.boxes) for path in paths]
    twice = {each.game for each in records if sum(other.game == each.game for other in records) > 1}
    if twice:
        misuse(f"two games are called {sorted(twice)[0]}; a site can have one of them")
    written = build(records, out, f"{url.rstrip('/')}/" if url else "")
    if shared.json:
        print_json({"games": [each.game for each in records], "folder": str(out), "written": len(written)})
        return
    changed = f"{counted(len(written), 'file')} {'is' if len(written) == 1 else 'are'} new or changed"
    print(f"{out}: {counted(len(records), 'game')}, {changed}.")
