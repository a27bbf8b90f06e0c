"""The commands PRESS, SAY and SHOW, and the letters by which sides hear what others say and show.

Each talk is a letter of its own, at once: it is worth something before the next decision, and a report may be days
away. It names the side that talks and nobody's address. The words stand behind a mark, so that they are not read as
orders or commands when they are quoted. The letter is in no thread of reports, so that `Agreed.` in answer to it says
nothing to the referee.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pbem.game.wording import listing
from pbem.mail.answer.command import Command, CommandTask, Topic
from pbem.mail.read.commands import Word
from pbem.mail.read.press import Addressed, TalkNames, addressed, said_to_all
from pbem.mail.write.outgoing import (
    TALK_MARK,
    MailSettings,
    NewLetter,
    Outgoing,
    all_names,
    behind_marks,
    build_letter,
    folded_paragraphs,
    side_name,
)
from pbem.protocol import Side
from pbem.referee.acts.talk import show_to, shown_event, speak
from pbem.referee.game.open_game import CannotPlay, OpenGame, Told, deputy_of
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.receipt import HeardTalk
from pbem.render.text.report import happened, mail
from pbem.render.text.text_lines import GLUE
from pbem.repo.files.charter import PUBLIC
from pbem.repo.files.talk_book import Talk

_ID: Final = re.compile(r"<talk\.([\w.-]+)\.[0-9a-f]{24}@")
_BY: Final = re.compile(
    r"(?m)^(?:somebody at the table writes to you\b|(?:From|(?P<shows>Shown by)) (?P<name>\S.*?) to you\b)"
)


def press_by_word(task: CommandTask) -> str:
    """Pass on what a side says, and return the answer."""
    return _pass_on(task, _said_to(task), PRESS.word)


def say_by_word(task: CommandTask) -> str:
    """Pass on what a side says to all others in one line, and return the answer."""
    return _pass_on(task, said_to_all(task.rest, task.side, all_names(task.game)), SAY.word)


def _pass_on(task: CommandTask, said: Addressed, word: Word) -> str:
    game, side = task.game, task.side
    talk = speak(game, side, said.to, said.text, game.ledger.talk_digest(task.digest), unsigned=said.unsigned)
    if talk is None:
        return f"{word}: this letter was passed on before."
    unsigned = ", unsigned" if talk.unsigned else ""
    return "\n".join([f"{word}: passed on to {_side_names(game, talk.to)}{unsigned}.", *talk_lines(talk)])


def show_to_others(task: CommandTask) -> str:
    """Let other sides see what a side holds, and return the answer."""
    game, said = task.game, _said_to(task)
    if said.unsigned:
        raise CannotPlay("what is shown is shown by you: it cannot be unsigned")
    talk = show_to(game, task.side, said.to, said.text, game.ledger.talk_digest(task.digest))
    if talk is None:
        return "SHOW: it was shown before."
    return "\n".join([f"SHOW: {_side_names(game, talk.to)} can see this.", *shown_lines(game, talk)])


def _said_to(task: CommandTask) -> Addressed:
    names = TalkNames(all_names(task.game), list(task.game.box.forms), task.words)
    return addressed(task.rest, task.side, names)


def talk_letters(game: Adjudicator, settings: MailSettings, passed_on: list[str]) -> Iterator[Outgoing]:
    """Yield the letters that are still to be written of what sides have said and shown, to all with an address.

    What they pass on is added to `passed_on`, by its digests: `TalkBook.note_sent` is told of it once they are written.
    """
    for talk in game.talk.unsent():
        passed_on.append(talk.letter)
        for side in talk.to:
            if side in game.ledger.addresses:
                yield _talk_letter(game, talk, side, settings, game.ledger.addresses[side])
                if (deputy := deputy_of(game, side, f"{settings.now:%Y-%m-%d}")) is not None:
                    yield _talk_letter(game, talk, side, settings, deputy.address)


def _talk_letter(game: Adjudicator, talk: Talk, side: Side, settings: MailSettings, to: str) -> Outgoing:
    others = [each for each in talk.to if each != side]
    text = mail(
        "talk",
        game=game.name,
        player=game.player(side),
        by=None if talk.unsigned else side_name(game, talk.side),
        others=None if talk.unsigned or not others else _side_names(game, others),
        shows=talk.event is not None,
        after=talk.after,
        words=talk_lines(talk) if talk.event is None else shown_lines(game, talk),
        how=folded_paragraphs([_how(game, talk, side)]),
    )
    digest = game.ledger.talk_digest(f"{talk.letter} {side}")[:24]
    return build_letter(settings, NewLetter(to, f"talk.{game.name}.{digest}", text))


def _how(game: OpenGame, talk: Talk, side: Side) -> str:
    """Return how a reader answers."""
    to = "ALL" if talk.unsigned or game.charter.press == PUBLIC else side_name(game, talk.side)
    return (
        f"To answer, write a letter that begins with the line `PRESS {to}:` and has your words below it. This letter "
        "asks nothing of you, and an order in answer to it does not count: answer your last report with that."
    )


def heard_in(message_id: str, bodies: Iterable[str]) -> HeardTalk | None:
    """Return the talk that a letter passes on, by its id and the texts in it; None: it is no such letter."""
    named = _ID.match(message_id)
    text = next(iter(bodies), "")
    by = _BY.search(text)
    if named is None or by is None:
        return None
    said = (
        line.removeprefix(TALK_MARK.rstrip()).strip()
        for line in text.split("\n")
        if line.startswith(TALK_MARK.rstrip())
    )
    return HeardTalk(named[1], by["name"], "\n".join(said), shows=by["shows"] is not None)


def talk_lines(talk: Talk) -> list[str]:
    """Return the words of a talk as lines behind a mark."""
    return behind_marks(talk.text)


def shown_lines(game: OpenGame, talk: Talk) -> list[str]:
    """Return what is shown as lines."""
    return [f"  {line}" for line in happened(game.box, [Told(talk.after, shown_event(talk))])]


def _side_names(game: OpenGame, sides: list[Side]) -> str:
    return listing([side_name(game, side) for side in sides])


_TALK: Final = Topic(
    "In a game with table talk you may write to other sides:",
    ("SAY Good luck!", "PRESS elm, ash: Shall we march together?", "SHOW elm: card 7"),
)
PRESS: Final = Command(
    word=Word("PRESS", is_talk=True),
    does=press_by_word,
    is_of_one_side=True,
    topic=_TALK,
    help=(f"PRESS, the sides{GLUE}and a colon,", "with your words behind it or below it, up to a line END PRESS."),
    docs=(("PRESS sides: words", "says something to [other sides](#talking-to-the-others)"),),
)
SAY: Final = Command(
    word=Word("SAY", is_talk=True, capitals_only=True),
    does=say_by_word,
    is_of_one_side=True,
    topic=_TALK,
    help=("SAY and one line of words,", "above your orders, goes to all."),
    docs=(("SAY words", "says something to [all others](#talking-to-the-others), in one line above your orders"),),
)
SHOW: Final = Command(
    word=Word("SHOW", is_talk=True),
    does=show_to_others,
    is_of_one_side=True,
    topic=_TALK,
    help=("SHOW, the sides, a colon and a card", "lets them see it."),
    docs=(("SHOW sides: card", "lets [other sides](#talking-to-the-others) see what you hold"),),
)
COMMANDS: Final = (PRESS, SAY, SHOW)
