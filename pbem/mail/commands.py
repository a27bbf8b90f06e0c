"""The commands of a letter: which there are. `pbem.mail.command_lines` finds them.

Some ask for an answer and stand alone. The others change something and take more words on the same line.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Command(StrEnum):
    """A word that a player may write on a line of a letter."""

    AGREED = "AGREED"
    CHAIN = "CHAIN"
    CONSENT = "CONSENT"
    FORECAST = "FORECAST"
    FORM = "FORM"
    HELP = "HELP"
    KEY = "KEY"
    PHRASE = "PHRASE"
    REFUSE = "REFUSE"
    REPORT = "REPORT"
    STATUS = "STATUS"


QUESTIONS: Final = frozenset({Command.FORECAST, Command.FORM, Command.HELP, Command.REPORT, Command.STATUS})
"""The commands that stand alone."""
CHANGES: Final = frozenset(Command) - QUESTIONS
"""The commands that change something and take more words. AGREED stands alone, unless its side has a dice chain."""


class Instruction(NamedTuple):
    """A command as it was given, with the rest of its line."""

    command: Command
    rest: str = ""

    def __str__(self) -> str:
        return f"{self.command} {self.rest}".rstrip()
