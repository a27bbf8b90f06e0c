"""The lines of a letter: its text line by line, each with its depth in quoted replies.

Mail programs quote in two ways: with marks (`> `, at any depth), or by setting the old letter below a line such as
`-----Original Message-----`, a block of `From: Sent: To:` or `Ann wrote:`. Both only add to the depth: nothing is
thrown away here, since many players write their orders into the quoted form.

A player may write such a line, too: `--- No, better: ---`, `as I wrote:`, or where an army marches, `From: Enna`. So it
is the head of an old letter only if a mail program wrote it, or if one of our letters stands below it. Everything else
is the player's text: two orders in it are asked back, while one below a false head would be dropped in silence.
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
_OLD: Final = re.compile(
    r"\W*(?:Original|Forwarded|Ursprüngliche|Weitergeleitete|Doorgestuurd|Oorspronkelijk|Message|Mensaje|Mensagem|"
    r"Messaggio|Opprinnelig|Original|Oprindelig|Ursprungligt|Videresendt|Vidarebefordrat|Alkuperäinen|Wiadomość|"
    r"Původní|Исходное|Пересылаемое|Пересланное|Оригинальное|元の|原始邮件|转发|원본)",
    re.IGNORECASE,
)
"""How the ruled line begins that a mail program sets above an old letter."""
_WHEN: Final = re.compile(
    r"[*_]{0,2}(?:Sent|Date|Gesendet|Datum|Verzonden|Envoyé|Enviado|Enviada|Fecha|Data|Inviato|Skickat|Sendt|Dato|"
    r"Lähetetty|Päivämäärä|Päiväys|Wysłano|Odesláno|Отправлено|Дата|送信日時|日付|发送时间|日期|보낸 날짜|날짜)\b",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"[*_]{0,2}(?:Subject|Betreff|Onderwerp|Objet|Asunto|Assunto|Oggetto|Ämne|Emne|Aihe|Temat|Předmět|Тема|件名|主题|"
    r"제목)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"[^\s<>@]+@[^\s<>@]+")
_MOMENT: Final = re.compile(r"\b20\d\d\b.*\d:\d\d|\d:\d\d.*\b20\d\d\b")
_BY_ONESELF: Final = re.compile(
    r"\b(?:I|I've|I had|ich|ik|j['’]ai|je|he escrito|escribí|ho scritto|scrissi|jag|jeg)\b[^.!?]{0,40}\Z|"
    r"\b(?:schrieb|schreef|skrev) (?:ich|ik|jag|jeg)\b",
    re.IGNORECASE,
)
"""The words before (or of) `wrote` with which players speak of themselves: no program does."""
_OF_OURS: Final = re.compile(
    r"\s*(?:key: [a-z2-7]{20}\s*|[\w.-]+, report \d+ to \w.*|#[\s#]*- [a-z_]+:.*|# .*\[[\w. ,]+\]\s*)"
)
"""A line as it stands in letters of ours alone."""
_MBOX_FROM: Final = ">From "
"""How a program stores, and sometimes sends, a line that begins with `From `."""
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
    split = [_unmarked(line) for line in _without_mbox_marks(text.split("\n"))]
    bare = {marks for marks, rest in split if rest and rest[0] != " "}
    heads = set(_heads(split))
    found, below = [], 0
    for i, (marks, rest) in enumerate(split):
        below += i in heads
        found.append(LetterLine(marks, below, (rest[1:] if marks and marks not in bare else rest).rstrip()))
    return found


def _without_mbox_marks(lines: list[str]) -> list[str]:
    """Return lines without the mark that a mailbox file sets before `From `: where nothing is quoted beside it."""
    for at, line in enumerate(lines):
        if line.startswith(_MBOX_FROM):
            above = next(filter(str.strip, reversed(lines[:at])), "")
            below = next(filter(str.strip, lines[at + 1 :]), "")
            if not (QUOTE_MARKS.match(above) or QUOTE_MARKS.match(below) or WROTE.search(above)):
                lines[at] = line[1:]
    return lines


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
    above_ours = _lines_above_ours(own)
    header_until = 0
    for i, line in enumerate(own):
        if i < header_until or not line.strip():
            continue
        ours = i in above_ours
        if _RULED.fullmatch(line):
            count = _header_lines(own[i + 1 : i + 20])
            if ours or _OLD.match(line) or _of_a_program(own[i + 1 : i + 1 + count]):
                header_until = i + 1 + count
                yield i
        elif _FROM.match(line) and (count := _header_lines(own[i : i + 20])) >= 3:
            if ours or _of_a_program(own[i : i + count]):
                header_until = i + count
                yield i
        elif len(line) < 300 and _introduces(own, i, ours=ours) and not _marks_follow(split, i + 1):
            yield i


def _lines_above_ours(own: Sequence[str]) -> set[int]:
    """Return the numbers of the lines above a letter of ours.

    What stands above a program's own head does not: it is that head which quotes the letter.
    """
    found: set[int] = set()
    below = False
    for at in reversed(range(len(own))):
        if below:
            found.add(at)
            below = not _is_sure(own, at)
        below = below or _OF_OURS.fullmatch(own[at]) is not None
    return found


def _is_sure(own: Sequence[str], at: int) -> bool:
    """Tell whether a line is an old letter's head by itself, whatever stands below it."""
    if _RULED.fullmatch(own[at]):
        count = _header_lines(own[at + 1 : at + 20])
        return _OLD.match(own[at]) is not None or _of_a_program(own[at + 1 : at + 1 + count])
    if _FROM.match(own[at]) and (count := _header_lines(own[at : at + 20])) >= 3:
        return _of_a_program(own[at : at + count])
    return len(own[at]) < 300 and _introduces(own, at, ours=False)


def _of_a_program(headers: Sequence[str]) -> bool:
    """Tell whether lines are the headers of a letter: with an address, or both its time and its subject."""
    if len(headers) < 2:
        return False
    addressed = any(map(_ADDRESS.search, headers[:4]))
    return addressed or (any(map(_WHEN.match, headers)) and any(map(_ABOUT.match, headers)))


def _introduces(own: Sequence[str], at: int, *, ours: bool) -> bool:
    """Tell whether a line says whose letter stands below it; `ours`: one of our letters does."""
    found = WROTE.search(own[at])
    if found is None:
        return False
    broken = len(own[at]) < _LONGEST_TAIL and at > 0
    whole = f"{own[at - 1]} {own[at]}" if broken else own[at]
    if _BY_ONESELF.search(own[at][: found.start()]) or _BY_ONESELF.search(own[at]):
        return False
    return ours or _ADDRESS.search(whole) is not None or _MOMENT.search(whole) is not None


def _header_lines(own: Sequence[str]) -> int:
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
