"""The commands about who writes for a side: DEPUTY names somebody for a time, REPLACE proposes another player.

A deputy may write for a side up to a day, and on it. The player may still write as well. Whatever the side is written
meanwhile goes to both, and the copy of the deputy has a key of its own, which nobody else may use and which ends with
their time. They order, ask and talk. What ends the game, answers a request or concerns the player alone is not theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from pbem.game.wording import listing
from pbem.mail.answer.command import Command, CommandTask, Topic, ask_others
from pbem.mail.notes.address import is_name, mailbox
from pbem.mail.notes.correspondence import CORRESPONDENCES
from pbem.mail.notes.reader_time import day_in
from pbem.mail.read.commands import Word
from pbem.mail.read.token import forget_heard
from pbem.mail.write.outgoing import MailSettings, Outgoing, side_name
from pbem.mail.write.welcome import deputy_letter, new_address_letter
from pbem.protocol import Side
from pbem.referee.acts.consents import propose
from pbem.referee.acts.players import name_deputy
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.open_game import CannotPlay, OpenGame, deputy_of
from pbem.repo.files.requests import REPLACEMENT
from pbem.repo.files.seats import Deputy, Person

_NOBODY: Final = re.compile(r"(?:NONE|NOBODY|NO ONE|END)\W*", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"(?P<person>.*?<[^<>\s]+@[^<>\s]+>|\S+@[^\s,;]+)[\s,;]*(?:(?:until|till?|through|thru|up\s+to|to)\b|[-\u2013\u2014])?\s*(?P<until>.*)",
    re.IGNORECASE,
)
_HOW: Final = "write who, and until when, such as: Carl <carl@example.net> until 14 Dec"


def name_deputy_by_word(task: CommandTask) -> str:
    """Let a side have a deputy, or dismiss one, and return the answer."""
    game, side = task.game, task.side
    if task.letter is not None:
        name_deputy(game, side, deputy_in(task.rest, date.fromisoformat(game.calendar_day)), task.letter)
    return f"DEPUTY: {deputyship(game, side)}"


def deputyship(game: OpenGame, side: Side) -> str:
    """Return who may write for a side beside its player, in a sentence for that."""
    deputy = deputy_of(game, side)
    if deputy is None:
        return "nobody may write for your side but you."
    return (
        f"{_deputy_named(deputy)} may write for your side up to {deputy.until}, that day included. You may still write "
        "as well, and the letters of your side go to both of you. DEPUTY NONE ends it."
    )


def deputy_in(rest: str, today: date) -> Deputy | None:
    """Return the deputy whom a side names behind the word; None: it wants none any more. Raises CannotPlay."""
    if _NOBODY.fullmatch(rest):
        return None
    found = _NAMED.fullmatch(rest)
    person = mailbox(found["person"].strip()) if found else None
    if found is None or person is None or (person.name and not is_name(person.name)):
        raise CannotPlay(_HOW)
    until = day_in(found["until"], today)
    if until is None:
        wrong = f"{found['until']!r} is no day" if found["until"] else "the day is missing"
        raise CannotPlay(f"{wrong}; {_HOW}")
    return Deputy(person.name or person.address.partition("@")[0], person.address, until.isoformat())


def _deputy_named(deputy: Deputy) -> str:
    return f"{deputy.name} <{deputy.address}>"


def propose_replacement(task: CommandTask) -> str:
    """Propose another player for a side, and return the answer."""
    game = task.game
    if task.letter is None:
        return task.requested(REPLACE.word, task.noted_request)
    name, side, person = _replacement_words(task)
    if name != game.name or person is None:
        raise CannotPlay(f"write the game, the side and who takes it over: {game.name} SIDE Carl <carl@example.net>")
    proposal = Proposal(REPLACEMENT, replaced=side_of_word(game, side), person=person)
    request = propose(game, task.side, proposal, "its player does not write any more", task.letter)
    return task.requested(REPLACE.word, request.request)


def _replacement_words(task: CommandTask) -> tuple[str, str, Person | None]:
    name, _, rest = task.rest.partition(" ")
    side, _, who = rest.strip().partition(" ")
    box = mailbox(who.strip())
    return name, side, None if box is None or not is_name(box.name) else Person(box.name, box.address)


def side_of_word(game: OpenGame, word: str) -> Side:
    """Return the side that a word names, by its id or its name in any letters. Raises CannotPlay if none."""
    for side in game.rules.sides:
        if word.lower() in (side, side_name(game, side).lower()):
            return side
    raise CannotPlay(f"there is no side {word[:40]}; the sides are {listing(game.rules.sides)}")


def letter_to_new_player(task: CommandTask, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter to the new player, if the last request has given a side one."""
    request = task.game.request()
    if request is not None and (request.kind, request.outcome) == (REPLACEMENT, "done"):
        if task.letter is not None:  # else it was written before
            CORRESPONDENCES.forget(task.game.path, request.replaced)
            forget_heard(task.game.path, request.replaced)
        yield new_address_letter(task.game, request.replaced, True, settings)


def _write_to_deputy(task: CommandTask, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the first letter to the deputy of a side, if it has one."""
    yield from deputy_letter(task.game, task.side, settings)


_WRITERS: Final = Topic(examples=("DEPUTY Carl <carl@example.net> until 14 Dec",))
DEPUTY: Final = Command(
    word=Word("DEPUTY", capitals_only=True),
    does=name_deputy_by_word,
    tells=_write_to_deputy,
    is_of_the_player=True,
    is_of_one_side=True,
    topic=_WRITERS,
    help=("DEPUTY, a name, an address and a day", "lets somebody write for you up to that day; DEPUTY NONE ends it."),
    docs=(
        (
            "DEPUTY Carl <carl@example.net> until 14 Dec",
            "lets somebody [write for you](#somebody-else-writes-for-you) for a time",
        ),
    ),
)
REPLACE: Final = Command(
    word=Word("REPLACE", capitals_only=True, names_game=True),
    does=propose_replacement,
    tells=ask_others,
    is_of_the_player=True,
    is_of_one_side=True,
    topic=_WRITERS,
    help=(
        "REPLACE, the game's name, a side, a name and an address",
        "asks the others for another player of that side.",
    ),
    docs=(
        (
            "REPLACE game side Carl <carl@example.net>",
            "proposes [another player](#somebody-does-not-write-any-more) for a side",
        ),
    ),
)
COMMANDS: Final = (DEPUTY, REPLACE)
