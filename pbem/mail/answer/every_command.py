"""Every command of a letter: which there are, how those of one letter are carried out, and what HELP says of them.

Each command is answered by a paragraph. A command that is refused does not keep the others from being carried out. What
a command changes is committed together with the note that its letter was carried out. If a letter was carried out
before, only its answers are given again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbem.game.wording import listing
from pbem.mail.answer import (
    clock_words,
    deputy_words,
    joining,
    letter_wishes,
    own_orders,
    proposals,
    questions,
    table_talk,
)
from pbem.mail.answer.command import Command, CommandTask, Topic
from pbem.mail.answer.questions import STATUS
from pbem.mail.read.commands import Instruction, Words
from pbem.mail.write.outgoing import MailSettings, Outgoing, side_name
from pbem.protocol import Record, Side
from pbem.referee.game.open_game import CannotPlay, OtherRules
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.text_lines import WIDTH, folded
from pbem.repo.ledger import LetterId

COMMANDS: Final[Sequence[Command]] = (
    *own_orders.COMMANDS,
    *letter_wishes.COMMANDS,
    *questions.COMMANDS,
    *joining.COMMANDS,
    *table_talk.COMMANDS,
    *deputy_words.COMMANDS,
    *proposals.COMMANDS,
    *clock_words.COMMANDS,
)
"""All commands, in the order in which HELP tells of them."""
WORDS: Final[Words] = {each.name: each.word for each in COMMANDS}
_OF_WORD: Final = {each.word: each for each in COMMANDS}
_LABEL: Final = 13
"""Columns of a list in HELP for what is written."""
_LIST_WIDTH: Final = 75


def command_of(said: Instruction) -> Command:
    """Return the command that was given."""
    return _OF_WORD[said.word]


@dataclass(frozen=True, slots=True)
class Giver:
    """Who gives commands: the side of a game, and the letter that they stand in.

    `letter` are its digests; None: it was carried out before, and only the answers are given again.
    """

    game: Adjudicator
    side: Side
    letter: LetterId | None
    digest: str
    """The digest by which notes outside the game know the letter."""
    noted: Record
    """What was noted of a letter that was carried out before."""
    is_deputy: bool = False
    """Whether the letter is not the player's own."""

    def task(self, said: Instruction, number: int = 0) -> CommandTask:
        """Return one of the commands, to be carried out; `number` tells the talk of one letter apart."""
        digest = f"{self.digest} {self.side} {number}" if said.word.is_talk else self.digest
        return CommandTask(self.game, self.side, said.rest, self.letter, digest, self.noted, WORDS)


@dataclass(slots=True)
class CommandResults:
    """What the commands of a letter did: paragraphs for the answer, and whether all of them were carried out."""

    paragraphs: list[str] = field(default_factory=list)
    good: bool = True
    done: list[Command] = field(default_factory=list)
    """The commands that changed something."""
    questions: list[Command] = field(default_factory=list)
    """The commands that only ask."""
    carried_out: dict[Instruction, CommandTask] = field(default_factory=dict)
    """The commands that changed something, as they were given."""
    confirmed: dict[Instruction, str] = field(default_factory=dict)
    """What was answered to each of them; it is one of the paragraphs."""


def carry_out_commands(
    giver: Giver, commands: Iterable[Instruction], said: Collection[Instruction] = ()
) -> CommandResults:
    """Carry out the commands of a letter, and return what they did.

    `said` are the commands that were carried out for another side of the same player. If one of them is refused for
    this side, the answer does not mention it.
    """
    results, seen = CommandResults(), set[Command]()
    for number, each in enumerate(commands):
        command, task = command_of(each), giver.task(each, number)
        try:
            if each.is_question:
                if command.does is not None and not command.is_answered_last:
                    results.paragraphs.append(command.does(task))
                results.questions.append(command)
                continue
            _require_allowed(command, giver, seen)
            seen.add(command)
            assert command.does is not None
            results.confirmed[each] = command.does(task)
            results.paragraphs.append(results.confirmed[each])
            results.done.append(command)
            results.carried_out[each] = task
        except OtherRules:  # the letter waits until the game master has dealt with it
            raise
        except CannotPlay as refusal:
            if each in said:
                continue
            line = f"line {each.line}: " if each.line else ""
            results.paragraphs.append(f"{command.name} was not carried out: {line}{refusal}".rstrip(".") + ".")
            results.good = False
    return results


def _require_allowed(command: Command, giver: Giver, seen: Collection[Command]) -> None:
    """Raise CannotPlay if a command is given twice, or by a deputy who may not give it."""
    if command in seen and not command.word.is_talk:
        raise CannotPlay("a letter may give it only once. The first one counts")
    if giver.is_deputy and command.is_of_the_player:
        who = side_name(giver.game, giver.side)
        raise CannotPlay(f"that is for the player of {who} alone, and you are the deputy")


def confirm_once(game: Adjudicator, results: Mapping[Side, CommandResults]) -> None:
    """Let a command that was carried out for several sides of one player be confirmed once, with all their names.

    What it says of the state of a request is what all of them together have come to.
    """
    for said in dict.fromkeys(each for done in results.values() for each in done.confirmed):
        command = command_of(said)
        sides = [side for side, done in results.items() if said in done.confirmed]
        told = {side: results[side].confirmed[said] for side in sides}
        if command.tells_outcome and command.does is not None:
            told = {side: command.does(Giver(game, side, None, "", {}).task(said)) for side in sides}
        alike = {text.replace(f" for {side_name(game, side)}", " for {}", 1) for side, text in told.items()}
        if len(sides) > 1 and len(alike) == 1:
            names = listing([side_name(game, side) for side in sides], "and")
            whole = alike.pop().replace(" for {}", f" for {names}", 1)
            for side in sides:
                paragraphs, own = results[side].paragraphs, results[side].confirmed[said]
                at = paragraphs.index(own)
                paragraphs[at : at + 1] = [whole] if side == sides[0] else []


def last_answers(giver: Giver, asked: Collection[Command]) -> Iterator[str]:
    """Yield the answers to the questions of a letter that has been carried out: how things stand now."""
    last = [each for each in questions.COMMANDS if each in asked and each.is_answered_last]
    if not giver.game.begun and STATUS in last:  # it says that there is no report yet
        last = [STATUS]
    found = (each.does(giver.task(Instruction(each.word))) for each in last if each.does is not None)
    yield from dict.fromkeys(text for text in found if text)


def told_letters(results: CommandResults, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters by which the commands of a letter that were carried out ask others, or tell them.

    What two commands would tell alike is told once.
    """
    last = {command_of(said).tells: task for said, task in results.carried_out.items()}
    for tells, task in last.items():
        if tells is not None:
            yield from tells(task, settings)


def help_values() -> Mapping[str, str]:
    """Return what HELP says of the commands, for its template: a list, and paragraphs above and below it."""
    topics = dict.fromkeys(each.topic for each in COMMANDS if each.topic is not None)
    return {
        "beginning": "\n\n".join(_paragraph(topic) for topic in topics if topic.of_the_beginning),
        "rows": "\n".join(_row(*each.help) for each in COMMANDS if each.topic is None and not each.is_explained),
        "topics": "\n\n".join(_paragraph(topic) for topic in topics if not topic.of_the_beginning),
    }


def _row(label: str, text: str) -> str:
    return "\n".join(folded(f"{label:{_LABEL}}{text}", _LIST_WIDTH, "  ", " " * (_LABEL + 2)))


def _paragraph(topic: Topic) -> str:
    """Return the paragraph of HELP about some commands."""
    said = filter(None, [topic.begins, *(part for each in COMMANDS if each.topic is topic for part in each.help)])
    lines = folded(" ".join(said), WIDTH)
    return "\n".join([*lines, *(["", *(f"  {each}" for each in topic.examples)] if topic.examples else [])])


def command_table() -> Iterator[tuple[str, str]]:
    """Yield each line of the table of commands in the docs: what is written, and its effect; questions first."""
    for changes in (False, True):
        for command in COMMANDS:
            if command.word.changes == changes:
                yield from ((f"`{written}`", effect) for written, effect in command.docs)
