"""A mail command as one record: how it is written, what it does, whom it tells, and its lines in HELP and in docs.

The records stand beside what they do, in the modules of this drawer, and `every_command` has them all. HELP and
docs/playing.md are made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from pbem.mail.read.commands import Word, Words
from pbem.mail.write.consent_letters import outcome, request_letters
from pbem.mail.write.outgoing import MailSettings, Outgoing, side_name
from pbem.protocol import Record, Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.ledger import LetterId

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CommandTask:
    """One command to be carried out: for which side of which game, the rest of its line, and the letter it came in.

    `letter` are the digests to be noted; None: the letter was carried out before, and nothing is to change. `noted` is
    then what was noted of it.
    """

    game: Adjudicator
    side: Side
    rest: str
    letter: LetterId | None
    digest: str
    """The digest of that letter, by which notes outside the game know it."""
    noted: Record
    words: Words
    """The words of all commands, which nobody may pass on by mistake."""

    @property
    def behind_game(self) -> str:
        """What stands behind the command, without the name of the game."""
        first, _, rest = self.rest.partition(" ")
        return rest.strip() if first == self.game.name else self.rest.strip()

    @property
    def last_word(self) -> str:
        """The word behind the command; the name of the game may stand between them. Empty: nothing fits."""
        *name, word = self.rest.split() or [""]
        return word if name in ([], [self.game.name]) else ""

    @property
    def noted_request(self) -> int:
        """The number of the request that the letter made when it was carried out before. Raises CannotPlay."""
        number: int = on_record(self.noted.get("consents"), "nothing is on record")
        return number

    def requested(self, word: Word, number: int) -> str:
        """Return the answer to a command that made a request, or agreed to one."""
        return f"{word}: on record for {side_name(self.game, self.side)}. {outcome(self.game, number)}"


def on_record(found: Value | None, why: str = "nothing is on record.") -> Value:
    """Return what a side has on record. Raises CannotPlay if there is nothing: its letter was refused before."""
    if found is None:
        raise CannotPlay(why)
    return found


def ask_others(task: CommandTask, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask the others for their consent to what a side has just proposed."""
    asked = task.game.request()
    if asked is not None and asked.is_open and asked.side == task.side:
        yield from request_letters(task.game, asked, settings)


@dataclass(frozen=True, eq=False, slots=True)
class Topic:
    """A paragraph of HELP about several commands: what it begins with, and the examples below it."""

    begins: str = ""
    examples: tuple[str, ...] = ()
    of_the_beginning: bool = False
    """It stands above the list of the other commands."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Command:
    """A command that a player may give on a line of a letter."""

    word: Word
    does: Callable[[CommandTask], str] | None
    """Carries it out and returns what its answer says; None: it is about the sheet in its letter."""
    tells: Callable[[CommandTask, MailSettings], Iterable[Outgoing]] | None = None
    """Writes what it asks of others, or tells them, once the letter has been carried out."""
    is_answered_last: bool = False
    """It is answered once the letter has been carried out: it asks how things stand then."""
    is_of_the_player: bool = False
    """A deputy may not give it."""
    is_of_one_side: bool = False
    """Of a player of several sides it needs a line that says for which it is, unless it only asks."""
    counts_for: Callable[[OpenGame, Side], bool] | None = None
    """Of several sides of a player, those that it is for; None: all. If there are none, it is for the first."""
    moves_on: bool = False
    """The game may move on by it, without a sheet."""
    tells_outcome: bool = False
    """Its answer tells the state of a request, which is that after all sides of its sender have given it."""
    topic: Topic | None = None
    """The paragraph of HELP that it stands in; None: it has a line in a list there."""
    help: tuple[str, str] = ("", "")
    """Its line in HELP, what is written and what that does; or its sentences in the topic."""
    is_explained: bool = False
    """Its line stands in every letter that explains how to play: templates/mail/_how_to_play.txt."""
    docs: tuple[tuple[str, str], ...]
    """Its lines in docs/playing.md: what is written, and its effect."""

    @property
    def name(self) -> str:
        """The word, as letters and the log call the command."""
        return self.word.name
