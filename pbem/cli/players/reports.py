"""`pbem thread` and `pbem report`: what a game has to tell, as text or as a post for a forum."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.cli.options import Games, Json, MapLink, Name, RulesDir, Since
from pbem.cli.runtime import Boxes, misuse, opened, print_json, require_side

if TYPE_CHECKING:
    from pbem.referee.game.open_game import OpenGame

_LINK: Final = re.compile(r"https?://[\w.:-]+/[\w./?&=%~+,;:!-]*")


def report(
    name: str,
    side: str | None,
    since: int | None,
    format: str,
    link: str | None,
    games: Path | None,
    boxes: Boxes,
    json: bool = False,
) -> None:
    """Print a side's report, as text or as a private message for a forum."""
    if format == "text":
        from pbem.mail.write.outgoing import side_report

        with opened(name, games, boxes) as game:
            if side is not None:
                require_side(game, side)
            _print(game, side, side_report(game, side, _since(game, since)).text, json)
        return
    _require(format, link, "text, ")
    with opened(name, games, boxes) as game:
        if side is not None:
            require_side(game, side)
        _print(game, side, _post(game, side, _since(game, since), format, link or "", "").removesuffix("\n"), json)


def _print(game: OpenGame, side: str | None, text: str, json: bool) -> None:
    if json:
        print_json({"game": game.name, "side": side, "adjudication": game.adjudication, "text": text})
        return
    print(text)


def thread(
    name: Name,
    format: Annotated[str, typer.Option("--format", help="bbcode (phpBB), markdown (Discourse) or html.")] = "bbcode",
    since: Since = None,
    map: MapLink = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A folder for the post and its map; by default, print the post."),
    ] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Print a post for a forum: what everybody may know, the dice, the open decisions, how to verify it."""
    _require(format, map)
    with opened(name, games, rules_dir) as game:
        after = _since(game, since)
        if output is None:
            _print(game, None, _post(game, None, after, format, map or "", "").removesuffix("\n"), json)
            return
        from pbem.mail.write.enclosures import map_picture
        from pbem.render.text.forum_formats import ENDINGS

        stem = f"{game.name}-{game.adjudication}"
        picture = "" if map else f"{stem}.png"
        output.mkdir(parents=True, exist_ok=True)
        written = [output / f"{stem}.{ENDINGS[format]}"]
        written[0].write_text(_post(game, None, after, format, map or "", picture), "utf-8")
        if picture:
            written.append(output / picture)
            written[1].write_bytes(map_picture(game, None, after))
        if json:
            files = [str(path) for path in written]
            print_json({"game": game.name, "side": None, "adjudication": game.adjudication, "files": files})
            return
        for path in written:
            print(path)


def _require(format: str, link: str | None, more: str = "") -> None:
    """End the command unless there is such a format, and the link of the map is one that no format can break at."""
    from pbem.render.text.forum_formats import FORMATS

    if format not in FORMATS:
        misuse(f"--format {format}: there are {more}{', '.join(FORMATS)}")
    if link is not None and not _LINK.fullmatch(link):
        misuse(f"--map {link}: write the address of a picture, such as https://example.org/map.png")


def _since(game: OpenGame, since: int | None) -> int:
    """Return the adjudication after which a report tells what happened: by default it tells of the last one."""
    return max(0, game.adjudication - 1) if since is None else since


def _post(game: OpenGame, side: str | None, since: int, format: str, link: str, picture: str) -> str:
    """Return the post of a game to a side, or to all."""
    from pbem.mail.write.outgoing import report_request
    from pbem.render.text.forum_formats import FORMATS
    from pbem.render.text.forum_post import Around, post

    players = {each: game.player(each) for each in game.rules.sides}
    # A form that goes into a forum is copied into its threads: it must not have the key that proves letters.
    request = replace(report_request(game, side, since, game.open_decisions), key="")
    around = Around(players, game.ledger.repo.head, link, picture)
    return FORMATS[format].post(post(game.rules, game.box, request, around))
