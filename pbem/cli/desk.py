"""The verbs of the game master's desk that act on many games: `pbem remind`, `broadcast`, `archive`, `observer`."""

from __future__ import annotations

from pathlib import Path
from re import fullmatch
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.many import Dealt, GamePatterns, deal_with, games_meant, require_sides
from pbem.cli.options import Games, Json, RulesDir
from pbem.cli.runtime import mail_settings, misuse, opened, opened_to_change, post, post_all, read
from pbem.paths import games_folder

if TYPE_CHECKING:
    from pbem.protocol import Side
    from pbem.referee.open_game import OpenGame

OnlySides = Annotated[list[str] | None, typer.Option("--side", help="Only this side; repeat it for several.")]


def remind(
    names: GamePatterns, side: OnlySides = None, games: Games = None, rules_dir: RulesDir = None, json: Json = False
) -> None:
    """Send players a reminder with their form, at most once a day for the same question."""
    from pbem.mail.by_game_master import awaited_sides, reminders

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            require_sides(game, side or ())
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
    """Write to all players and observers of games. Each reader gets one letter for all their games."""
    from pbem.game.wording import counted
    from pbem.mail.by_game_master import broadcast_letters, readers, words_of

    meant = games_meant(games or games_folder(), names)
    words, settings = words_of(read(text or Path("-")).decode("utf-8", "replace")), mail_settings(games, rules_dir)
    to: dict[str, list[str]] = {}

    def deal(name: str) -> Dealt:
        with opened(name, games, rules_dir) as game:
            to[name] = readers(game)
            return Dealt(counted(len(to[name]), "reader"), {"readers": len(to[name])})

    def write() -> list[str]:
        return [post(out, settings.games / "outbox") for out in broadcast_letters(words, to, settings)]

    again = [] if text is None else ["--text", str(text)]
    deal_with(meant, deal, json, verb="broadcast", again=again, at_end=write)


def archive(
    names: GamePatterns,
    back: Annotated[bool, typer.Option("--back", help="Bring archived games back.")] = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Move games that are over into the folder `archive` beside them, or bring them back."""
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


def observer(
    names: GamePatterns,
    add: Annotated[
        str | None, typer.Option("--add", metavar="PERSON", help="Add an observer: 'Dora <dora@example.org>'.")
    ] = None,
    late: Annotated[str, typer.Option("--late", help="How far behind they are: '2 turns' or '3 days'.")] = "",
    remove: Annotated[str | None, typer.Option("--remove", metavar="ADDRESS", help="Remove an observer.")] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Add or remove observers, who get letters with what everybody may see of a game; or list them."""
    from pbem.mail.address import mailbox
    from pbem.mail.observers import Observer, leave, observers, watch, write_to_observers
    from pbem.mail.outboxes import MaildirOutbox

    if add is not None and remove is not None:
        misuse("give --add or --remove, not both")
    person = None if add is None else mailbox(add.strip())
    if add is not None and person is None:
        misuse(f"--add {add}: write NAME <address>, such as 'Dora <dora@example.org>'")
    if late and add is None:
        misuse("--late goes with --add: give both to change how late somebody is told")
    turns, days = _late(late)

    def deal(name: str) -> Dealt:
        with opened_to_change(name, games, rules_dir) as game, game.lock():
            settings, letters = mail_settings(games, rules_dir), list[str]()
            if person is not None:
                watch(game, Observer(person.address, turns, days))
                outbox = MaildirOutbox(settings.games / "outbox")
                letters = [out.file or "" for out in write_to_observers(game, settings, outbox, settings.now)]
            if remove is not None:
                leave(game, remove)
            watching = observers(game.path)
        rows = [{"address": each.address, "late": each.late, "told": each.told} for each in watching]
        listed = ", ".join(f"{each.address}" + (f" ({each.late} late)" if each.late else "") for each in watching)
        return Dealt(f"watched by {listed or 'nobody'}", {"observers": rows, "letters": letters})

    words = [
        *(["--add", add] if add else []),
        *(["--late", late] if late else []),
        *(["--remove", remove] if remove else []),
    ]
    deal_with(games_meant(games or games_folder(), names), deal, json, verb="observer", again=words)


def _late(text: str) -> tuple[int, int]:
    """Return how many turns, or how many days, late somebody is told."""
    found = fullmatch(r"(\d{1,4}) ?(turn|day)s?", text.strip())
    if found is None:
        if text:
            misuse(f"--late {text}: write '2 turns' or '3 days'")
        return 0, 0
    return (int(found[1]), 0) if found[2] == "turn" else (0, int(found[1]))
