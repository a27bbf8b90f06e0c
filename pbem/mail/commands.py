"""The commands of a letter: which there are. `pbem.mail.command_lines` finds them.

Some ask for an answer, most of them without more words. The others change something and take more words on the same
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Command(StrEnum):
    """A word that a player may write on a line of a letter."""

    AGREED = "AGREED"
    AWAY = "AWAY"
    BACK = "BACK"
    CALENDAR = "CALENDAR"
    CHAIN = "CHAIN"
    CONSENT = "CONSENT"
    DEPUTY = "DEPUTY"
    DRAW = "DRAW"
    FORECAST = "FORECAST"
    FORM = "FORM"
    HELP = "HELP"
    HISTORY = "HISTORY"
    KEY = "KEY"
    NEWS = "NEWS"
    PAUSE = "PAUSE"
    PHRASE = "PHRASE"
    PRESS = "PRESS"
    REFUSE = "REFUSE"
    RENEW = "RENEW"
    REPLACE = "REPLACE"
    REPORT = "REPORT"
    RESIGN = "RESIGN"
    SAY = "SAY"
    SHOW = "SHOW"
    STANDING = "STANDING"
    STATUS = "STATUS"
    WITHDRAW = "WITHDRAW"
    ZONE = "ZONE"


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
"""The commands that are written in capitals and take more words, whatever these are. AGREED stands alone, unless its
side has a dice chain."""
OPENS_LINK: Final = frozenset({Command.AGREED, Command.STANDING, Command.WITHDRAW})
"""The commands that end with a link of the player's chain, which a mail program may put on the next line."""

TALK: Final = frozenset({Command.PRESS, Command.SAY, Command.SHOW})
"""The commands by which a side talks to others. A letter may give them several times."""


CAPITALS_ONLY: Final = frozenset(
    {Command.AWAY, Command.BACK, Command.DEPUTY, Command.PAUSE, Command.REPLACE, Command.SAY}
)
"""The commands that are none in small letters: too many sentences begin so."""


class Instruction(NamedTuple):
    """A command as it was given, with the rest of its line."""

    command: Command
    rest: str = ""
    line: int = 0
    """The line of the letter on which it stands, where that is told if it is refused; 0: it is not."""

    def __str__(self) -> str:
        return f"{self.command} {self.rest}".rstrip()


def is_question(each: Instruction) -> bool:
    """Tell whether a command only asks: STANDING does as long as it cancels nothing."""
    return each.command in QUESTIONS and (each.command != Command.STANDING or not each.rest)
