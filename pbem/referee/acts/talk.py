"""Table talk: what one side says to others, or shows them of what it holds, attested by the referee.

Talk is no part of the game. It turns no dice and changes no position. It is kept by `pbem.repo.files.talk_book` and
goes on record with the next adjudication. Whoever is told of it, and how, is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pbem.game import plain
from pbem.game.order_form import compact
from pbem.game.wording import listing
from pbem.protocol import Event, Fault, Side, cited
from pbem.referee.acts.preconditions import require_running
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import PUBLIC, SILENT
from pbem.repo.files.records import as_plain
from pbem.repo.files.talk_book import Talk

LONGEST: Final = 2048
"""The most bytes of a talk as it is kept: as UTF-8, where a line end and a quotation mark take two."""
MOST: Final = 20
"""So often a side may talk on one day."""
_MOST_SHOWN: Final = 100
"""So many letters at most name what is shown."""
_RECORD: Final = LONGEST + 512
"""The most bytes of a talk with all that is kept of it."""


def speak(
    game: Adjudicator, side: Side, to: Sequence[Side], text: str, letter: str, *, unsigned: bool = False
) -> Talk | None:
    """Take down what a side says to others, and return it; None: this letter has come before, and nothing is new.

    `letter` is the digest of the letter that it came in. Raises CannotPlay for what may not be said, OtherRules.
    """

    def said() -> Talk:
        if unsigned and not game.charter.press_unsigned:
            raise CannotPlay(f"unsigned talk is not allowed in {game.name}")
        words = tidied_talk(text)
        if not words:
            raise CannotPlay("there is nothing in it to pass on; write your words below the line, or after its colon")
        if (size := len(compact(words)) - 2) > LONGEST:
            raise CannotPlay(f"it takes {size:,} bytes, and {LONGEST:,} are the most; send it in two letters")
        return Talk(0, "", 0, side, [], letter, words, unsigned)

    return _taken_down(game, side, to, letter, said)


def show_to(game: Adjudicator, side: Side, to: Sequence[Side], what: str, letter: str) -> Talk | None:
    """Let other sides see what a side holds, as the rules find it there; return and raise as `speak` does."""

    def shown() -> Talk:
        named = " ".join(what.split())
        if not named or len(named) > _MOST_SHOWN:
            raise CannotPlay("say what is shown, in a few words")
        event = game.rules.show(game.view(side), side, named)
        if isinstance(event, Fault):
            raise CannotPlay(event.reason + (f" ({cited(event.rule)})" if event.rule else ""))
        record = {"kind": event.kind, "facts": dict(event.facts), "rule": event.rule}
        return Talk(0, "", 0, side, [], letter, shows=named, event=as_plain(record))

    return _taken_down(game, side, to, letter, shown)


def shown_event(talk: Talk) -> Event:
    """Return the event of a talk that shows something, for its readers."""
    event = talk.event or {}
    return Event(event["kind"], dict(event["facts"]), event.get("rule"), tuple(talk.to))


def tidied_talk(text: str) -> str:
    """Return the words of a talk: without what a screen does not show, and without blank lines around them.

    >>> tidied_talk("\\n Hail,\\tElm!  \\n\\n\\n\\nMarch.\\x1b\\n")
    ' Hail, Elm!\\n\\nMarch.'
    """
    kept: list[str] = []
    for line in text.splitlines():
        shown = "".join(each for each in line.replace("\t", " ").replace("\u00a0", " ") if each.isprintable()).rstrip()
        if shown or (kept and kept[-1]):
            kept.append(shown)
    return "\n".join(kept).rstrip("\n")


def write_talk(game: Adjudicator) -> None:
    """Put on record what was said and is not on record yet, in a commit of its own."""
    with game.lock():
        files = game.talk.files()
        if files:
            game.forget()
            game.ledger.commit(files, f"{game.name}: table talk")


def _taken_down(
    game: Adjudicator, side: Side, to: Sequence[Side], letter: str, make: Callable[[], Talk]
) -> Talk | None:
    with game.lock():
        _require_press(game, side)
        if game.talk.knows(letter):
            return None
        _require_phase(game)
        heard = _heard(game, side, to)
        day = game.talk.day(game.day)
        if game.talk.said(side, day) >= MOST:
            raise CannotPlay(f"{MOST} letters a day are passed on for each side, and you have sent as many today")
        talk = replace(make(), to=heard, day=day, after=game.adjudication)
        talk.number = game.talk.next_number(talk)
        if (size := len(compact(plain.encode(talk)))) > _RECORD:
            raise CannotPlay(f"with all that is kept of it, it takes {size:,} bytes; {_RECORD:,} are the most")
        if game.talk.is_full(talk):
            write_talk(game)
        game.talk.add(talk)
        return talk


def _require_press(game: Adjudicator, side: Side) -> None:
    """Raise CannotPlay unless there is talk in a game."""
    if side not in game.rules.sides:
        raise CannotPlay(f"{side} does not play in {game.name}")
    if game.charter.press == SILENT:
        raise CannotPlay(f"{game.name} is played in silence: nothing is passed on")
    if not game.charter.talks:
        raise CannotPlay(f"{game.name} was made without table talk: nothing is passed on")


def _require_phase(game: Adjudicator) -> None:
    """Raise CannotPlay if nobody may talk now."""
    if not game.begun:
        raise CannotPlay(f"{game.name} has not begun; you can talk once the first report has come")
    if game.result is not None:
        raise CannotPlay(f"{game.name} is over; nothing more is passed on")
    require_running(game)
    rule = game.rules.silence(game.view(None))
    if rule is not None:
        raise CannotPlay(f"nobody may talk now ({cited(rule)})")


def _heard(game: Adjudicator, side: Side, to: Sequence[Side]) -> list[Side]:
    """Return the sides that hear a talk, in the order of the game. Raises CannotPlay if they may not."""
    sides = game.rules.sides
    for each in to:
        if each not in sides:
            raise CannotPlay(f"{each} does not play in {game.name}; its sides are {listing(list(sides))}")
    if side in to:
        raise CannotPlay("you cannot talk to yourself")
    heard = [each for each in sides if each in to]
    if not heard:
        raise CannotPlay("say to whom")
    others = [each for each in sides if each != side]
    if game.charter.press == PUBLIC and heard != others:
        raise CannotPlay(f"talk in {game.name} is public: it goes to all sides")
    return heard
