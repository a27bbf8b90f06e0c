"""`pbem press` and `pbem show`: what one side says or shows to others, for those who play on one machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.cli.options import Games, Json, Name, RulesDir
from pbem.cli.runtime import (
    FAULTS,
    mail_settings,
    misuse,
    opened,
    opened_to_change,
    post,
    print_json,
    read,
    require_side,
)

if TYPE_CHECKING:
    from pbem.cli.runtime import Boxes
    from pbem.protocol import Side
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.repo.files.talk_book import Talk

ALL: Final = "all"
Speaker = Annotated[str, typer.Argument(metavar="SIDE", help="The side that talks.")]


def press(
    name: Name,
    side: Speaker,
    text: Annotated[Path | None, typer.Argument(help="A file with the words; by default standard input.")] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="SIDES", help="To whom: sides with commas between them, or all.")
    ] = None,
    unsigned: Annotated[
        bool, typer.Option("--unsigned", help="Do not tell who says it, in a game that allows that.")
    ] = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Pass on what one side says to others. Without --to, print what it has said and heard so far."""
    if to is None:
        _print_heard(name, side, games, rules_dir, json)
        return
    from pbem.mail.answer.table_talk import words
    from pbem.referee.acts.talk import speak

    said = read(text or Path("-")).decode("utf-8", "replace")
    with opened_to_change(name, games, rules_dir) as game:
        heard = _sides(game, side, to)
        mark = _mark(game, side, heard, said)
        talk = _passed_on(game, lambda: speak(game, side, heard, said, mark, unsigned=unsigned))
        _tell(game, talk, [] if talk is None else words(talk), games, rules_dir, json)


def show(
    name: Name,
    side: Speaker,
    what: Annotated[str, typer.Argument(help="What is shown, in the words of the game, such as 'card 7'.")],
    to: Annotated[str, typer.Option("--to", metavar="SIDES", help="To whom: sides with commas between them, or all.")],
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Let other sides see what one side holds, such as a card. The referee attests it."""
    from pbem.mail.answer.table_talk import seen
    from pbem.referee.acts.talk import show_to

    with opened_to_change(name, games, rules_dir) as game:
        heard = _sides(game, side, to)
        mark = _mark(game, side, heard, f"show {what}")
        talk = _passed_on(game, lambda: show_to(game, side, heard, what, mark))
        _tell(game, talk, [] if talk is None else seen(game, talk), games, rules_dir, json)


def _sides(game: Adjudicator, side: Side, to: str) -> list[Side]:
    require_side(game, side)
    if to.strip().lower() == ALL:
        return [each for each in game.rules.sides if each != side]
    named = [each.strip() for each in to.split(",") if each.strip()]
    for each in named:
        require_side(game, each)
    if not named:
        misuse("--to names the sides that hear it, or all")
    return named


def _mark(game: Adjudicator, side: Side, heard: list[Side], what: str) -> str:
    """Return the digest by which the same words are known on the same day, should the command be given again."""
    return game.ledger.talk_digest("\n".join(["here", game.day, side, *sorted(heard), what]))


def _passed_on(game: Adjudicator, say: Callable[[], Talk | None]) -> Talk | None:
    """Say or show something; end with exit code 3 if it may not be."""
    from pbem.referee.game.open_game import CannotPlay, OtherRules

    try:
        return say()
    except OtherRules:
        raise
    except CannotPlay as refusal:
        print(f"pbem: not passed on: {refusal}", file=sys.stderr)
        sys.exit(FAULTS)


def _tell(game: Adjudicator, talk: Talk | None, lines: list[str], games: Path | None, boxes: Boxes, json: bool) -> None:
    """Write the letters of what was said, also of what an earlier command still owes, and print what was done."""
    from pbem.mail.answer.table_talk import talk_letters

    settings, passed_on = mail_settings(games, boxes), list[str]()
    with game.lock():
        letters = [post(out, settings.games / "outbox") for out in talk_letters(game, settings, passed_on)]
        game.talk.note_sent(passed_on)
    if json:
        print_json({"to": [] if talk is None else talk.to, "letters": letters})
        return
    if talk is None:
        print("That was passed on before today; nothing is said twice.")
    else:
        print("\n".join([f"Passed on to {', '.join(talk.to)}.", *lines]))
    for path in letters:
        print(f"Letter: {path}")


def _print_heard(name: str, side: Side, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Print what a side has said and heard."""
    from pbem.mail.answer.table_talk import seen, words
    from pbem.repo.files.talk_book import heard_by

    with opened(name, games, boxes) as game:
        require_side(game, side)
        talk = sorted(game.talk.all(), key=lambda each: (each.day, each.after))
        if json:
            print_json(heard_by(side, talk))
            return
        for each in talk:
            if side == each.side or side in each.to:
                hidden = each.unsigned and each.side != side
                by, to = ("unsigned", [side]) if hidden else (each.side, each.to)
                print(f"{each.day}, after adjudication {each.after}, {by} to {', '.join(to)}:")
                print("\n".join(words(each) if each.event is None else seen(game, each)))
