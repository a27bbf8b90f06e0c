"""The words that begin commands, and how they are found in the lines of a letter, in whatever dress.

Some ask for an answer, most of them without more words. The others change something and take more words on the same
line. Which words there are is said by their records (`pbem.mail.answer`); here is only how one is written.

A command stands on a line of its own, in the sender's own text or the subject. Bullets before it and quotes, stars or
a colon around it count for nothing. Which lines count:

* a word that asks (STATUS, HISTORY 3) stands alone on its line, in any letters;
* a word that changes something, in capitals, with the rest of its line (PHRASE the die is cast);
* in other letters, if what follows has the shape that the word takes (a key, a chain, the number of a request);
* AGREED and WITHDRAW alone on their line, in any letters, or with the next link of a dice chain, where nothing else
  stands in their sentence: a mail program breaks "what we had / agreed." in two;
* `Phrase: ...`, with a colon; `phrase ...` without one only if nothing but commands stands beside it in the letter,
  for it could begin a sentence;
* a PHRASE, KEY or CHAIN filled in where our letter is quoted, if the sender wrote no command and no sheet.

Any other line that begins with such a word is unclear. That is told to a sender whose letter has no orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pbem.mail.read.quoting import BULLETS, MARKS, without_frame

_LINE: Final = re.compile(
    rf"\s*{BULLETS}[{MARKS}]*+\s*(?P<word>[A-Za-z]+)(?P<close>[{MARKS}]*+)"
    rf"(?P<colon>\s*[:：][{MARKS}]*+)?(?:\s+(?P<rest>\S.*)|(?<=[:：])(?P<joined>\S.*)|[.!?\s{MARKS}]*)"
)
_SENTENCE_END: Final = re.compile(rf"[.!?:;…][\s.)\]{MARKS}]*\Z|[-_=*]{{2,}}\s*\Z")
_COURTESY: Final = re.compile(
    r"\W*(?:hi|hello|hey|dear|hallo|moin|ciao|hola|salut|bonjour|good (?:morning|day|evening)|thanks|thank you|thx|"
    r"ok|okay|yes|best|cheers|regards|greetings|kind regards|yours|greets|gruss|gruß|mfg|love)\b(?:\W+\w+){0,4}\W*|"
    r"\W*\w+,\s*",
    re.IGNORECASE,
)
"""A line that stands by itself though no full stop ends it, such as `Hello Ann` and `Ann,`."""
_MANY_WORDS: Final = re.compile(r"\s*[a-zà-ž][\w'’-]*[,;]?\s+\w.*")
"""A line that goes on with a sentence: it begins with a small letter, and there is more than a word."""
_BAR: Final = "|"
"""What our letters set before words that others wrote: nobody fills anything in there."""
_LINK: Final = re.compile(r"[0-9a-fA-F]{64}")
_LONGEST: Final = 1000
_MOST_UNCLEAR: Final = 3


@dataclass(frozen=True, eq=False, slots=True)
class Word:
    """A word that begins a command, and how that is written; the shapes are patterns."""

    name: str
    asks: bool = False
    """It may ask, alone on its line, in small letters too: the others could then begin a sentence."""
    asks_with: str = ""
    """The shape of what may stand behind it when it asks, in small letters too."""
    changes: bool = True
    """It changes something; one that may also ask does so with more words."""
    takes_words: bool = True
    """In capitals it takes the rest of its line, whatever that is."""
    shape: str = ""
    """What follows it, by which it is known in small letters."""
    capitals_only: bool = False
    """It is none in small letters: too many sentences begin so."""
    may_begin_a_sentence: bool = False
    """In small letters it needs a colon, or nothing but commands beside it."""
    filled_in: str = ""
    """What follows it in a quoted letter of ours into which it was filled."""
    cut_short: str = ""
    """What is left of its line where a mail program has broken that in two."""
    ends_with_link: bool = False
    """It ends with a link of the player's chain, which a mail program may put on the next line."""
    names_game: bool = False
    """It may be followed by the name of its game."""
    is_talk: bool = False
    """By it a side talks to others. A letter may give it several times."""
    is_agreement: bool = False
    """Who asks has not given it."""
    is_sheet_key: bool = False
    """With a colon and lines below it, it is a key of an order sheet."""
    is_about_sheet: bool = False
    """It asks about the sheet in the same letter, quoted or not."""

    def __str__(self) -> str:
        return self.name


Words: TypeAlias = Mapping[str, Word]
"""The words of commands by their names."""


class Instruction(NamedTuple):
    """A command as it was given, with the rest of its line."""

    word: Word
    rest: str = ""
    line: int = 0
    """The line of the letter on which it stands, where that is told if it is refused; 0: it is not."""

    def __str__(self) -> str:
        return f"{self.word} {self.rest}".rstrip()

    @property
    def is_question(self) -> bool:
        """Whether it only asks: STANDING does as long as it cancels nothing."""
        return self.word.asks and not (self.word.changes and self.rest)


class CommandLines(NamedTuple):
    """The commands of a letter, each once, and the lines that only begin like one."""

    instructions: tuple[Instruction, ...]
    unclear: tuple[str, ...]


class _Begun(NamedTuple):
    """A line that begins with a command: whether it stands in capitals, and whether before a colon."""

    instruction: Instruction
    capitals: bool
    colon: bool


def commands_in(
    words: Words, subject: str, own: Sequence[str], quoted: Sequence[str] = (), *, sheets: bool = False
) -> CommandLines:
    """Return the commands of a letter: of its subject, its sender's own lines, and the lines that they quote.

    `sheets` says whether an order sheet was found in it.

    >>> phrase = {"PHRASE": Word("PHRASE")}
    >>> [str(each) for each in commands_in(phrase, "Re: punica", ["*PHRASE*  the die is cast"]).instructions]
    ['PHRASE the die is cast']
    """
    alone = not sheets and _nothing_else(words, own)
    found: list[Instruction] = []
    unclear: list[str] = []
    for text in ([subject], own):
        for at, line in enumerate(text):
            if (begun := _begun_by(words, line)) is None or _is_key(begun, text[at + 1 : at + 2]):
                continue
            if text is own and _is_in_a_sentence(words, begun, own, at):
                unclear += [line.strip()] if begun.capitals else []
            elif _counts(begun, alone=alone and text is own):
                found.append(_unbroken(begun.instruction, text[at + 1 : at + 2]))
            else:
                unclear.append(line.strip())
    if not found and not sheets:
        found += _filled_in(words, quoted)
    return CommandLines(tuple(dict.fromkeys(found)), tuple(unclear[:_MOST_UNCLEAR]))


def is_command(words: Words, line: str) -> bool:
    """Tell whether a line is a command, whatever stands beside it in its letter."""
    return bool(commands_in(words, "", [line]).instructions)


def _nothing_else(words: Words, own: Sequence[str]) -> bool:
    """Tell whether no more than one line of a letter is neither a command nor set there by a program."""
    others = [
        line
        for line in without_frame(own)
        if (begun := _begun_by(words, line)) is None or not _counts(begun, alone=False)
    ]
    return len(others) == 1


def _begun_by(words: Words, line: str) -> _Begun | None:
    """Return the command with which a line begins; None: it begins with none."""
    line = line[:_LONGEST]
    found = _LINE.fullmatch(line.rstrip())
    word = None if found is None else words.get(found["word"].upper())
    if found is None or word is None or (word.capitals_only and not found["word"].isupper()):
        return None
    if word.is_agreement and "?" in line:
        return None
    rest = found["rest"] or found["joined"] or ""
    before = line[: found.start("word")]
    if before[-1:] in tuple(MARKS) and not found["close"]:  # the whole line was set off, not the word alone
        rest = rest.rstrip(MARKS)
    instruction = Instruction(word, " ".join(rest.split()))
    return _Begun(instruction, found["word"].isupper(), found["colon"] is not None)


def _is_key(begun: _Begun, below: Sequence[str]) -> bool:
    """Tell whether a line is the key `standing:` of a sheet, with its orders below it."""
    said = begun.instruction
    return said.word.is_sheet_key and not said.rest and begun.colon and "".join(below).strip() != ""


def _counts(begun: _Begun, *, alone: bool) -> bool:
    """Tell whether a line that begins with a command can only be one; `alone`: all others are commands."""
    word, rest, _ = begun.instruction
    if word.asks and (not rest or (word.asks_with and re.fullmatch(word.asks_with, rest, re.IGNORECASE))):
        return True
    if begun.capitals:
        return word.takes_words
    if word.may_begin_a_sentence:
        return bool(rest) and (begun.colon or alone)
    return bool(word.shape) and re.fullmatch(word.shape, rest) is not None


def _is_in_a_sentence(words: Words, begun: _Begun, own: Sequence[str], at: int) -> bool:
    """Tell whether a word that orders alone on its line belongs to the sentence above or below it."""
    if not begun.instruction.word.ends_with_link or begun.instruction.rest:
        return False
    above = own[at - 1] if at else ""
    below = own[at + 1] if at + 1 < len(own) else ""
    if above.strip() and not _SENTENCE_END.search(above) and not _COURTESY.fullmatch(above):
        other = _begun_by(words, above)
        if other is None or not _counts(other, alone=False):
            return True
    goes_on = _MANY_WORDS.fullmatch(below) and not _COURTESY.fullmatch(below) and _LINK.fullmatch(below.strip()) is None
    return bool(goes_on) and not _SENTENCE_END.search(own[at])


def _unbroken(instruction: Instruction, below: Sequence[str]) -> Instruction:
    """Return a command with the line below it, if a mail program has broken it in two."""
    word, rest, _ = instruction
    link_below = word.ends_with_link and below and _LINK.fullmatch(below[0].strip())
    if not (link_below or (word.cut_short and re.fullmatch(word.cut_short, rest))):
        return instruction
    _, _, whole = " ".join([str(instruction), *(line.strip() for line in below)])[:_LONGEST].partition(" ")
    return Instruction(word, whole.strip())


def _filled_in(words: Words, quoted: Sequence[str]) -> Iterator[Instruction]:
    """Yield the commands that were filled in where a letter of ours is quoted."""
    for line in quoted:
        begun = None if line.lstrip().startswith(_BAR) else _begun_by(words, line)
        if begun is None or begun.colon or not begun.capitals:
            continue
        word, rest, _ = begun.instruction
        if word.filled_in and (filled := re.match(word.filled_in, rest)) is not None:
            yield Instruction(word, filled[0])
