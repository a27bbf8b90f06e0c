"""The letters that a game master has written by hand: a reminder of what a game asks, and words to everybody.

Neither is part of a game, and neither is on record. A reminder is written once a day at most for the same question.
A broadcast is one letter to each reader, in however many of the games they are, and so it belongs to no game: what is
answered in words stays in the mailbox, for the game master.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from pbem.game.wording import listing
from pbem.mail.notes.watching import observers
from pbem.mail.write.outgoing import MailSettings, NewLetter, Outgoing, behind_marks, build_letter, side_name
from pbem.mail.write.time_letters import reminder
from pbem.mail.write.welcome import welcome_letter
from pbem.protocol import Side
from pbem.referee.acts.talk import tidied_talk
from pbem.referee.game.open_game import CannotPlay, OpenGame, deputy_of
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import mail

LONGEST: Final = 8192
"""The most characters of a broadcast."""


def awaited_sides(game: OpenGame) -> list[Side]:
    """Return the sides that a game waits for: those that it asks, or before it begins those without a phrase."""
    if not game.begun:
        return list(game.awaited)
    return list(dict.fromkeys(each.side for each in game.open_decisions))


def reminders_by_hand(game: Adjudicator, sides: Iterable[Side], settings: MailSettings) -> Iterator[Outgoing]:
    """Yield a reminder to each of some sides that a game waits for, if it has an address."""
    for side in sides:
        if side not in game.ledger.addresses:
            continue
        if not game.begun:
            yield welcome_letter(game, side, settings, again=f"{settings.now:%Y%m%d}")
        else:
            yield reminder(game, side, "", f"{settings.now:%Y-%m-%d}", settings)


def broadcast_words(text: str) -> str:
    """Return the words of a broadcast. Raises CannotPlay if there are none, or too many."""
    words = tidied_talk(text)
    if not words:
        raise CannotPlay("there is nothing to write; give a file with the words, or write them on standard input")
    if len(words) > LONGEST:
        raise CannotPlay(f"it has {len(words):,} characters; {LONGEST:,} are the most")
    return words


def readers(game: OpenGame) -> list[str]:
    """Return the addresses that a broadcast to a game goes to."""
    deputies = (deputy_of(game, side) for side in game.ledger.deputies)
    watching = [each.address for each in observers(game.path)]
    return [*game.ledger.addresses.values(), *(each.address for each in deputies if each is not None), *watching]


def broadcast_letters(text: str, games: Mapping[str, Sequence[str]], settings: MailSettings) -> Iterator[Outgoing]:
    """Yield one letter to each reader of a broadcast; `games` has the addresses of the readers of each game."""
    named: dict[str, tuple[str, list[str]]] = {}
    for game, addresses in games.items():
        for to in addresses:
            named.setdefault(to.lower(), (to, []))[1].append(game)
    for to, own in named.values():
        mine = list(dict.fromkeys(own))
        about = "\n".join([*mine, to.lower(), f"{settings.now:%Y-%m-%d}", text])
        words = mail("broadcast", games=listing(mine), words=behind_marks(text))
        yield build_letter(settings, NewLetter(to, f"broadcast.{sha256(about.encode()).hexdigest()[:24]}", words))


def names_of(game: OpenGame, sides: Iterable[Side]) -> str:
    """Return the names of sides as a list."""
    return listing([side_name(game, side) for side in sides])
