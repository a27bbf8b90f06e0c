"""The commands of a letter: which there are, and how they are found in its lines.

A command stands on a line of its own, in the sender's own text or the subject. Some ask for an answer, most of them
without more words. The others change something and take more words on the same line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import takewhile
from typing import Final, NamedTuple

from pbem.mail.lines import lines


class Command(StrEnum):
    """A word that a player may write on a line of a letter."""

    CHAIN = "CHAIN"
    CONSENT = "CONSENT"
    DRAW = "DRAW"
    FORECAST = "FORECAST"
    FORM = "FORM"
    HELP = "HELP"
    HISTORY = "HISTORY"
    KEY = "KEY"
    PHRASE = "PHRASE"
    REFUSE = "REFUSE"
    REPORT = "REPORT"
    RESIGN = "RESIGN"
    STANDING = "STANDING"
    STATUS = "STATUS"
    WITHDRAW = "WITHDRAW"


QUESTIONS: Final = frozenset(
    {
        *(Command.FORECAST, Command.FORM, Command.HELP, Command.HISTORY),
        *(Command.REPORT, Command.STANDING, Command.STATUS),
    }
)
"""The commands that ask and may stand alone, in small letters too; the others could then begin a sentence."""
ASKED_WITH: Final[Mapping[Command, str]] = {
    Command.HELP: r"ORDERS(?: +\S+)?",
    Command.HISTORY: r"[0-9]{1,9}",
}
"""The shape of what may stand behind a command that asks, in small letters too."""
CHANGES: Final = (frozenset(Command) - QUESTIONS) | {Command.HISTORY, Command.STANDING}
"""The commands that are written in capitals and take more words, whatever these are."""
_CHANGE: Final = re.compile(rf"({'|'.join(sorted(CHANGES))})(?:[ :]+(\S.*))?")
_LINK: Final = re.compile(r"[0-9a-f]{64}")
_OPENS_LINK: Final = frozenset({Command.STANDING, Command.WITHDRAW})
"""The commands that end with a link of the player's chain, which a mail program may put on the next line."""
_CUT_SHORT: Final = re.compile(r"CHAIN(?: [0-9A-Fa-f]{64})?|KEY(?: ssh-ed25519)?")
"""What is left of a line that a mail program has broken in two."""
_LONGEST: Final = 1000


class Instruction(NamedTuple):
    """A command as it was given, with the rest of its line."""

    command: Command
    rest: str = ""

    def __str__(self) -> str:
        return f"{self.command} {self.rest}".rstrip()


def is_question(each: Instruction) -> bool:
    """Tell whether a command only asks: STANDING does as long as it cancels nothing."""
    return each.command in QUESTIONS and (each.command != Command.STANDING or not each.rest)


def instructions_in(texts: Iterable[str]) -> Iterator[Instruction]:
    """Yield the commands in the sender's own lines of some texts.

    >>> [str(each) for each in instructions_in(["status\\n> FORM\\nPHRASE  the die is cast"])]
    ['STATUS', 'PHRASE the die is cast']
    """
    for text in texts:
        own = [line.text.strip() for line in takewhile(lambda line: line.text != "--", lines(text)) if line.depth == 0]
        for at, line in enumerate(own):
            if line.upper() in QUESTIONS:
                yield Instruction(Command(line.upper()))
            elif (asked := _asked_with(line)) is not None:
                yield asked
            elif (found := _CHANGE.fullmatch(line)) is not None:
                whole = " ".join([found[1], *(found[2] or "").split()])
                below = own[at + 1 : at + 2]
                if _CUT_SHORT.fullmatch(whole) or (found[1] in _OPENS_LINK and below and _LINK.fullmatch(below[0])):
                    whole = " ".join([whole, *below]).strip()
                command, _, rest = whole[:_LONGEST].partition(" ")
                yield Instruction(Command(command), rest.strip())


def _asked_with(line: str) -> Instruction | None:
    """Return the command that asks for something by more words, such as `HISTORY 3`; None: the line is none."""
    word, _, rest = line.partition(" ")
    for command, shape in ASKED_WITH.items():
        if word.upper() == command and re.fullmatch(shape, rest.strip(), re.IGNORECASE):
            return Instruction(command, rest.strip())
    return None
