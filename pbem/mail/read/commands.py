"""The commands of a letter: which there are, and how they are found in it.

Some ask for an answer, most of them without more words. The others change something and take more words on the same
line.

A command stands on a line of its own, in the sender's own text or the subject. Bullets before it and quotes, stars or
a colon around it count for nothing. Which lines count:

* a word that asks (STATUS, HISTORY 3) stands alone on its line, in any letters;
* a word that changes something, in capitals, with the rest of its line (PHRASE the die is cast);
* in other letters, if what follows has the shape that the word takes (a key, a chain, the number of a request);
* AGREED and WITHDRAW alone on their line, in any letters, or with the next link of a dice chain;
* `Phrase: ...`, with a colon; `phrase ...` without one only if nothing but commands stands beside it in the letter,
  for it could begin a sentence;
* a PHRASE, KEY or CHAIN filled in where our letter is quoted, if the sender wrote no command and no sheet.

Any other line that begins with such a word is unclear. That is told to a sender whose letter has no orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from pbem.game.plain import Record
from pbem.mail.read.quoting import BULLETS, MARKS, without_frame
from pbem.protocol import Side
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.ledger import LetterId

# ---- The commands of a letter: which there are


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


# ---- The lines with commands: how a word such as STATUS or PHRASE is found in a letter, in whatever dress


SAMPLE_PHRASE: Final = "any words of yours"
"""The words that stand for a phrase in our letters."""
_LINE: Final = re.compile(
    rf"\s*{BULLETS}[{MARKS}]*+\s*(?P<word>[A-Za-z]+)(?P<close>[{MARKS}]*+)"
    rf"(?P<colon>\s*[:：][{MARKS}]*+)?(?:\s+(?P<rest>\S.*)|(?<=[:：])(?P<joined>\S.*)|[.!?\s{MARKS}]*)"
)
_TAKES: Final[Mapping[Command, re.Pattern[str]]] = {
    Command.AGREED: re.compile(r"(?:[0-9a-f]{64})?", re.IGNORECASE),
    Command.KEY: re.compile(r"(?:age1|age-secret|ssh-|ecdsa-|-----BEGIN)\S.*", re.IGNORECASE),
    Command.CALENDAR: re.compile(r"(?:[\w.-]+\s+)?(?:on|off)", re.IGNORECASE),
    Command.CHAIN: re.compile(r"[0-9a-f]{16,}(?:\s.*)?", re.IGNORECASE),
    Command.CONSENT: re.compile(r"(?:[\w.-]+\s+)?\d+"),
    Command.REFUSE: re.compile(r"(?:[\w.-]+\s+)?\d+"),
    Command.NEWS: re.compile(r"(?:[\w.-]+\s+)?(?:every|round|daily|asked)", re.IGNORECASE),
    Command.WITHDRAW: re.compile(r"(?:[0-9a-f]{64})?", re.IGNORECASE),
    Command.ZONE: re.compile(r"(?:[\w.-]+\s+)?(?:UTC|[A-Za-z]+(?:/[\w+-]+){1,2})"),
}
"""What follows a word that changes something, by which it is known in small letters."""
_FILLED_IN: Final[Mapping[Command, re.Pattern[str]]] = {
    Command.PHRASE: re.compile(rf"(?!(?i:{SAMPLE_PHRASE}|was not carried out\b))\S.*"),
    Command.KEY: re.compile(r"age1[0-9a-z]{58}\b|ssh-ed25519 AAAA[\w+/=]{64}"),
    Command.CHAIN: re.compile(r"[0-9a-f]{64} \d+"),
}
"""What follows a word in a quoted letter of ours into which it was filled."""
_BAR: Final = "|"
"""What our letters set before words that others wrote: nobody fills anything in there."""
_CUT_SHORT: Final = re.compile(r"CHAIN(?: [0-9A-Fa-f]{64})?|KEY(?: ssh-ed25519)?")
"""What is left of a line that a mail program has broken in two."""
_LINK: Final = re.compile(r"[0-9a-fA-F]{64}")
_WORDS: Final = frozenset(each.value for each in Command)
_LONGEST: Final = 1000
_MOST_UNCLEAR: Final = 3


class CommandLines(NamedTuple):
    """The commands of a letter, each once, and the lines that only begin like one."""

    instructions: tuple[Instruction, ...]
    unclear: tuple[str, ...]


def commands_in(subject: str, own: Sequence[str], quoted: Sequence[str] = (), *, sheets: bool = False) -> CommandLines:
    """Return the commands of a letter: of its subject, its sender's own lines, and the lines that they quote.

    `sheets` says whether an order sheet was found in it.

    >>> [str(each) for each in commands_in("Re: punica", ["* status", "*PHRASE*  the die is cast"]).instructions]
    ['STATUS', 'PHRASE the die is cast']
    """
    alone = not sheets and _nothing_else(own)
    found: list[Instruction] = []
    unclear: list[str] = []
    for text in ([subject], own):
        for at, line in enumerate(text):
            if (begun := _begun_by(line[:_LONGEST])) is None or _is_key(begun, text[at + 1 : at + 2]):
                continue
            if _counts(begun, alone and text is own):
                found.append(_unbroken(begun.instruction, text[at + 1 : at + 2]))
            else:
                unclear.append(line.strip())
    if not found and not sheets:
        found += _filled_in(quoted)
    return CommandLines(tuple(dict.fromkeys(found)), tuple(unclear[:_MOST_UNCLEAR]))


def _nothing_else(own: Sequence[str]) -> bool:
    """Tell whether no more than one line of a letter is neither a command nor set there by a program."""
    others = [
        line for line in without_frame(own) if not ((begun := _begun_by(line[:_LONGEST])) and _counts(begun, False))
    ]
    return len(others) == 1


class _Begun(NamedTuple):
    """A line that begins with a command: whether it stands in capitals, and whether before a colon."""

    instruction: Instruction
    capitals: bool
    colon: bool


def _begun_by(line: str) -> _Begun | None:
    found = _LINE.fullmatch(line.rstrip())
    if found is None or found["word"].upper() not in _WORDS:
        return None
    if found["word"].upper() in CAPITALS_ONLY and not found["word"].isupper():
        return None
    if found["word"].upper() == Command.AGREED and "?" in line:  # who asks has not agreed
        return None
    rest = found["rest"] or found["joined"] or ""
    before = line[: found.start("word")]
    if before[-1:] in tuple(MARKS) and not found["close"]:  # the whole line was set off, not the word alone
        rest = rest.rstrip(MARKS)
    instruction = Instruction(Command(found["word"].upper()), " ".join(rest.split()))
    return _Begun(instruction, found["word"].isupper(), found["colon"] is not None)


def _is_key(begun: _Begun, below: Sequence[str]) -> bool:
    """Tell whether a line is the key `standing:` of a sheet, with its orders below it."""
    return begun.instruction == Instruction(Command.STANDING) and begun.colon and "".join(below).strip() != ""


def _counts(begun: _Begun, alone: bool) -> bool:
    """Tell whether a line that begins with a command can only be one; `alone`: all others are commands."""
    command, rest, _ = begun.instruction
    if command in QUESTIONS and (not rest or _asks_with(command, rest)):
        return True
    if begun.capitals:
        return command in CHANGES
    if command == Command.PHRASE:
        return bool(rest) and (begun.colon or alone)
    return command in _TAKES and _TAKES[command].fullmatch(rest) is not None


def _asks_with(command: Command, rest: str) -> bool:
    """Tell whether the words behind a command that asks say what it asks for, as in `HISTORY 3`."""
    return command in ASKED_WITH and re.fullmatch(ASKED_WITH[command], rest, re.IGNORECASE) is not None


def _unbroken(instruction: Instruction, below: Sequence[str]) -> Instruction:
    """Return a command with the line below it, if a mail program has broken it in two."""
    link_below = instruction.command in OPENS_LINK and below and _LINK.fullmatch(below[0].strip())
    if not (link_below or _CUT_SHORT.fullmatch(str(instruction))):
        return instruction
    command, _, rest = " ".join([str(instruction), *(line.strip() for line in below)])[:_LONGEST].partition(" ")
    return Instruction(Command(command), rest.strip())


def _filled_in(quoted: Sequence[str]) -> Iterator[Instruction]:
    """Yield the commands that were filled in where a letter of ours is quoted."""
    for line in quoted:
        if line.lstrip().startswith(_BAR):
            continue
        begun = _begun_by(line[:_LONGEST])
        if begun is None or begun.colon or not begun.capitals or begun.instruction.command not in CHANGES:
            continue
        command, rest, _ = begun.instruction
        filled = _FILLED_IN[command].match(rest) if command in _FILLED_IN else None
        if filled is not None:
            yield Instruction(command, filled[0])


# ---- One command of a letter that is to be carried out, as the modules of actions are given it


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
