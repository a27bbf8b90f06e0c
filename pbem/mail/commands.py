"""The commands of a letter: which there are, and how they are found in its lines.

A command stands on a line of its own, in the sender's own text or the subject. Some ask for an answer and stand alone.
The others change something and take more words on the same line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import takewhile
from typing import Final, NamedTuple

from pbem.mail.lines import lines


class Command(StrEnum):
    """A word that a player may write on a line of a letter."""

    CHAIN = "CHAIN"
    CONSENT = "CONSENT"
    FORECAST = "FORECAST"
    FORM = "FORM"
    HELP = "HELP"
    KEY = "KEY"
    NEWS = "NEWS"
    PHRASE = "PHRASE"
    REFUSE = "REFUSE"
    REPORT = "REPORT"
    STATUS = "STATUS"


QUESTIONS: Final = frozenset({Command.FORECAST, Command.FORM, Command.HELP, Command.REPORT, Command.STATUS})
"""The commands that stand alone. They may be written in small letters; the others could then begin a sentence."""
CHANGES: Final = frozenset(Command) - QUESTIONS
"""The commands that change something and take more words."""
_CHANGE: Final = re.compile(rf"({'|'.join(sorted(CHANGES))})(?:[ :]+(\S.*))?")
_CUT_SHORT: Final = re.compile(r"CHAIN(?: [0-9A-Fa-f]{64})?|KEY(?: ssh-ed25519)?")
"""What is left of a line that a mail program has broken in two."""
_LONGEST: Final = 1000


class Instruction(NamedTuple):
    """A command as it was given, with the rest of its line."""

    command: Command
    rest: str = ""

    def __str__(self) -> str:
        return f"{self.command} {self.rest}".rstrip()


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
            elif (found := _CHANGE.fullmatch(line)) is not None:
                whole = " ".join([found[1], *(found[2] or "").split()])
                if _CUT_SHORT.fullmatch(whole):
                    whole = " ".join([whole, *own[at + 1 : at + 2]]).strip()
                command, _, rest = whole[:_LONGEST].partition(" ")
                yield Instruction(Command(command), rest.strip())
