"""The lines of a letter: its text line by line, each with its depth in quoted replies.

Mail programs quote in two ways: with marks (`> `, at any depth), or by setting the old letter below a line such as
`-----Original Message-----`, a block of `From: Sent: To:` or `Ann wrote:`. Both only add to the depth: nothing is
thrown away here, since many players write their orders into the quoted form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

QUOTE_MARKS: Final = re.compile(r" ?>(?: ?>)*")
"""The quote marks in front of a line."""
_RULED: Final = re.compile(r"\s*-{3,} ?(?!BEGIN |END )[^\W\d_][^-]{2,60}? ?-{3,}\s*", re.IGNORECASE)
_HEADER: Final = re.compile(r"[*_]{0,2}[^\W\d_][^\n:*]{0,24}[*_]{0,2} ?:[*_]{0,2}(?: .*)?")
_FROM: Final = re.compile(
    r"[*_]{0,2}(?:From|Von|Van|De|Da|Od|Fra|Från|Lähettäjä|От|Від|差出人|发件人)\b", re.IGNORECASE
)
WROTE: Final = re.compile(
    r"(?:wrote|writes|schrieb|schreef|a écrit|escribió|escreveu|ha scritto|skrev|kirjoitti|napisał|napsal|"
    r"написала?|пише|пишет|のメール|書きました|写道)\b[^:：]{0,80}[:：]\s*\Z",
    re.IGNORECASE,
)
SENT_FROM: Final = re.compile(
    r"\s*(?:Sent (?:from|via|with)|Get Outlook for|Gesendet (?:von|mit)|Von meinem .* gesendet|Envoyé (?:de|depuis)|"
    r"Enviado (?:desde|do)|Inviato da|Verzonden (?:vanaf|met)|Skickat från|Sendt fra|Lähetetty|Wysłane z|Отправлено)"
    r"\b.*",
    re.IGNORECASE,
)
_LONGEST_TAIL: Final = 40
"""A line that is no longer than this and says `wrote:` may go on with the line above it."""
BULLETS: Final = r"(?:(?:[-–—−•·*+○▪◦‣>|»?]|\(?\d{1,2}[.)](?=\s)|then\b\s*(?=[-–—:]))[\s:]*+)*+"
"""What people set before a line of a list, as a pattern: hyphens, dots, numbers, quote marks of their own, and
the question mark that a program makes of a dot."""
MARKS: Final = "\"'“”„«»‘’`*_"
"""What may stand around a word to set it off."""
_SIGNATURE_MARK: Final = "-- "
_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_SIGNATURE_END: Final = "-----END PGP SIGNATURE-----"


@dataclass(slots=True, frozen=True)
class LetterLine:
    """One line without its quote marks: how many there were, below how many old letters' heads, and the rest."""

    marks: int
    below: int
    text: str

    @property
    def depth(self) -> int:
        return self.marks + self.below


def letter_lines(text: str) -> list[LetterLine]:
    """Return the lines of a tidied text.

    After the marks one blank is taken off; but if anywhere in the text a line so deep has none, the program that
    quoted writes none, and then none is taken off that depth.
    """
    split = [_unmarked(line) for line in text.split("\n")]
    bare = {marks for marks, rest in split if rest and rest[0] != " "}
    heads = set(_heads(split))
    found, below = [], 0
    for i, (marks, rest) in enumerate(split):
        below += i in heads
        found.append(LetterLine(marks, below, (rest[1:] if marks and marks not in bare else rest).rstrip()))
    return found


def _unmarked(line: str) -> tuple[int, str]:
    marks = QUOTE_MARKS.match(line)
    return (marks[0].count(">"), line[marks.end() :]) if marks else (0, line)


def without_frame(own: Sequence[str]) -> list[str]:
    """Return the lines that a sender wrote, without blank ones and those that a program sets around a text.

    These are the line that introduces a quotation, which may be broken in two, and `Sent from my phone`.

    >>> without_frame(["Yes.", "Sent from my iPhone", "On Sunday at 9:05 Bob <bob@example.org>", "wrote:"])
    ['Yes.']
    """
    kept: list[str] = []
    for line in filter(str.strip, own):
        if WROTE.search(line):
            broken = len(line) < _LONGEST_TAIL and kept and re.search(r"@|\d:\d\d", kept[-1])
            kept = kept[:-1] if broken else kept
        elif not SENT_FROM.fullmatch(line):
            kept.append(line)
    return kept


def _heads(split: list[tuple[int, str]]) -> Iterator[int]:
    """Yield the numbers of the unmarked lines at which an old letter begins that is quoted without marks."""
    own = ["" if marks else rest for marks, rest in split]
    header_until = 0
    for i, line in enumerate(own):
        if i < header_until or not line.strip():
            continue
        if _RULED.fullmatch(line):
            header_until = i + 1 + _header_lines(own[i + 1 : i + 20])
            yield i
        elif _FROM.match(line) and (count := _header_lines(own[i : i + 20])) >= 3:
            header_until = i + count
            yield i
        elif len(line) < 300 and WROTE.search(line) and not _marks_follow(split, i + 1):
            yield i


def _header_lines(own: list[str]) -> int:
    """Return how many lines from the first on look like headers (`Sent: Sunday`)."""
    count = 0
    while count < len(own) and _HEADER.fullmatch(own[count].strip()):
        count += 1
    return count


def _marks_follow(split: list[tuple[int, str]], start: int) -> bool:
    """Return whether the next line that is not blank is quoted with marks."""
    return next((marks > 0 for marks, rest in split[start : start + 10] if marks or rest.strip()), False)


def unflowed(text: str, delsp: bool) -> str:
    """Return a format=flowed text (RFC 3676) with its lines as long as they were typed, `> ` before quoted ones."""
    done: list[str] = []
    pieces: list[str] = []
    depth = 0
    for line in text.split("\n"):
        marks = len(line) - len(line.lstrip(">"))
        rest = line[marks:].removeprefix(" ")
        if pieces and (marks != depth or rest == _SIGNATURE_MARK):  # nothing flows into another depth or a signature
            done.append(_marked(depth, pieces))
            pieces = []
        depth = marks
        flows = rest.endswith(" ") and rest != _SIGNATURE_MARK
        pieces.append(rest[:-1] if flows and delsp else rest)
        if not flows:
            done.append(_marked(depth, pieces))
            pieces = []
    if pieces:
        done.append(_marked(depth, pieces))
    return "\n".join(done)


def _marked(depth: int, pieces: list[str]) -> str:
    return f"{'>' * depth} {''.join(pieces)}" if depth else "".join(pieces)


def unsigned(text: str) -> str:
    """Return the text with PGP's clear signatures taken off (RFC 9580, 7): a list's `- ` is no longer doubled.

    The signature is not verified: who sent a letter is decided elsewhere.
    """
    if _SIGNED not in text:
        return text
    kept: list[str] = []
    state = "plain"
    for line in text.split("\n"):
        mark = line.rstrip()
        if mark in (_SIGNED, _SIGNATURE):
            state = "hash" if mark == _SIGNED else "signature"
        elif state == "hash":
            state = "hash" if mark else "signed"
        elif state == "signature":
            state = "signature" if mark != _SIGNATURE_END else "plain"
        else:
            kept.append(line.removeprefix("- ") if state == "signed" else line)
    return "\n".join(kept)
