"""The verbs of the game master's desk that act on many games: `pbem remind`, `broadcast` and `archive`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.many import Dealt, GamePatterns, deal_with, games_meant
from pbem.cli.options import Games, Json, RulesDir
from pbem.cli.runtime import mail_settings, opened, opened_to_change, post, post_all, read
from pbem.paths import games_folder

if TYPE_CHECKING:
    from pbem.protocol import Side
    from pbem.referee.open_game import OpenGame

OnlySides = Annotated[list[str] | None, typer.Option("--side", help="Only this side; may be given several times.")]


def remind(
    names: GamePatterns, side: OnlySides = None, games: Games = None, rules_dir: RulesDir = None, json: Json = False
) -> None:
    """Remind players of what their games wait for, with the form; at most once a day for the same question."""
    from pbem.mail.by_game_master import awaited_sides, reminders

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            awaited = [each for each in awaited_sides(game) if not side or each in side]
            settings = mail_settings(games, rules_dir)
            letters = post_all(reminders(game, awaited, settings), settings.games / "outbox")
            whom = [each for each in awaited if each in game.ledger.addresses]
            return Dealt(_reminded(game, awaited, whom), {"reminded": whom, "letters": letters})

    words = [word for each in side or [] for word in ("--side", each)]
    deal_with(games_meant(games or games_folder(), names), deal, json, verb="remind", again=words)


def _reminded(game: OpenGame, awaited: list[Side], whom: list[Side]) -> str:
    from pbem.mail.by_game_master import names_of

    if whom:
        return f"{names_of(game, whom)} reminded"
    return f"{names_of(game, awaited)} has no address" if awaited else "nobody is asked anything"


def broadcast(
    names: GamePatterns,
    text: Annotated[
        Path | None, typer.Option("--text", help="A file with the words; by default standard input.")
    ] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Write to all players and observers of games: one letter to each reader, in however many of them they are."""
    from pbem.mail.by_game_master import broadcast_letters, readers, words_of

    meant = games_meant(games or games_folder(), names)
    words, settings = words_of(read(text or Path("-")).decode("utf-8", "replace")), mail_settings(games, rules_dir)
    to: dict[str, list[str]] = {}

    def deal(name: str) -> Dealt:
        with opened(name, games, rules_dir) as game:
            to[name] = readers(game)
            return Dealt(f"{len(to[name])} readers", {"readers": len(to[name])})

    def write() -> list[str]:
        return [post(out, settings.games / "outbox") for out in broadcast_letters(words, to, settings)]

    again = [] if text is None else ["--text", str(text)]
    deal_with(meant, deal, json, verb="broadcast", again=again, at_end=write)


def archive(
    names: GamePatterns,
    back: Annotated[bool, typer.Option("--back", help="Bring games back that were put away.")] = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Put games away that are over, into the folder archive of the games, or bring them back."""
    from pbem.referee import archive as room

    folder = games or games_folder()

    def put_away(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game:
            lies = room.archive(game)
        return Dealt(f"put away in {lies}", {"folder": str(lies)})

    def bring_back(name: str) -> Dealt:
        lies = room.bring_back(folder, name)
        return Dealt(f"back in {lies}", {"folder": str(lies)})

    meant = games_meant(folder / room.ARCHIVE if back else folder, names)
    deal_with(meant, bring_back if back else put_away, json, verb="archive", again=["--back"] if back else [])
