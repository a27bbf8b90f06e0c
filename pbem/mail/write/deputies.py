"""The deputies of sides: the word DEPUTY, the letters that they get, and their own key in them.

A deputy may write for a side up to a day, and on it. The player may still write as well. Whatever the side is written
meanwhile goes to both, and the copy of the deputy has a key of its own, which nobody else may use and which ends with
their time. They order, ask and talk. What ends the game, answers a request or concerns the player alone is not theirs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

from pbem.mail.notes.address import is_name, mailbox
from pbem.mail.notes.dates import day_in
from pbem.mail.read.commands import Command, CommandTask
from pbem.mail.read.token import TOKEN, deputy_token, token
from pbem.protocol import Side
from pbem.referee.acts.players import deputy_of, name_deputy
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.repo.files.seats import Deputy

if TYPE_CHECKING:
    from pbem.mail.write.draft import Draft

OF_THE_PLAYER: Final = frozenset(
    {
        *(Command.CALENDAR, Command.CHAIN, Command.CONSENT, Command.DEPUTY, Command.DRAW, Command.KEY, Command.NEWS),
        *(Command.PHRASE, Command.REFUSE, Command.RENEW, Command.REPLACE, Command.RESIGN, Command.ZONE),
    }
)
"""The commands that a deputy may not give."""
_NOBODY: Final = re.compile(r"(?:NONE|NOBODY|NO ONE|END)\W*", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"(?P<person>.*?<[^<>\s]+@[^<>\s]+>|\S+@[^\s,;]+)[\s,;]*(?:(?:until|till|to)\b)?\s*(?P<until>.*)", re.IGNORECASE
)
_IN_ID: Final = re.compile(rf"~{TOKEN}(?=@)", re.IGNORECASE)
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


# ---------------------------------------------------------------------------------------------- letters


def is_deputy(game: OpenGame, side: Side, address: str) -> bool:
    """Tell whether who writes for a side from an address is its deputy, and not its player."""
    return side not in game.ledger.sides_of(address)


def tokens_for(game: OpenGame, side: Side, address: str) -> list[str]:
    """Return the tokens that show that somebody who may write for a side has written, from an address."""
    own = [deputy_token(game, side, address)] if is_deputy(game, side, address) else []
    return [*own, token(game, side)]


def for_deputy(draft: Draft, game: OpenGame, side: Side, address: str) -> Draft:
    """Return a letter to a side as its deputy gets it: with their own key in place of the player's."""
    own, theirs = token(game, side), deputy_token(game, side, address)

    def exchanged(text: str) -> str:
        return text.replace(own, theirs) if own else text

    sheet = draft.attached.sheet
    return replace(
        draft,
        to=address,
        text=exchanged(draft.text),
        html=exchanged(draft.html),
        message_id=_IN_ID.sub(f"~{theirs}", draft.message_id),
        reply_to=exchanged(draft.reply_to),
        in_reply_to=draft.in_reply_to and _IN_ID.sub(f"~{theirs}", draft.in_reply_to),
        references=[_IN_ID.sub(f"~{theirs}", each) for each in draft.references],
        attached=replace(draft.attached, sheet=None if sheet is None else exchanged(sheet)),
    )
