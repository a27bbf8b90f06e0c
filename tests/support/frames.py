"""Replies as mail programs write them: a frame of a program, with the player's own text and the quoted report put in.

A frame (tests/mail/frames/*.eml) is a whole letter, in UTF-8 and without transfer encoding, that has these words:
`[[OWN]]` for the sender's own text and `[[REPORT]]` for the letter of ours that it quotes (what stands before it on its
line stands before each of theirs), and [[SENDER]], [[SUBJECT]], [[NUMBER]], [[ANSWERED]]. In HTML a word after a colon
says how the program writes lines: `[[OWN:div]]`.
"""

from __future__ import annotations

import quopri
import re
from base64 import encodebytes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

FRAMES = Path(__file__).parent.parent / "mail" / "frames"


@dataclass(frozen=True)
class Reply:
    """What is put into a frame."""

    own: str
    report: str
    sender: str
    subject: str = "punica"
    answered: str = ""
    number: int = 1


def frames() -> list[str]:
    """Return the names of the frames."""
    return sorted(path.stem for path in FRAMES.glob("*.eml"))


def filled(name: str, reply: Reply) -> bytes:
    """Return the letter that a mail program makes of a reply."""
    text = (FRAMES / f"{name}.eml").read_text("utf-8")
    for word, value in (
        ("SENDER", reply.sender),
        ("SUBJECT", reply.subject),
        ("NUMBER", str(reply.number)),
        ("ANSWERED", reply.answered),
    ):
        text = text.replace(f"[[{word}]]", value)
    if not reply.answered:
        text = re.sub(r"^(?:In-Reply-To|References): \n", "", text, flags=re.MULTILINE)
    for word, lines in (("OWN", reply.own), ("REPORT", reply.report)):
        text = _put_in(text, word, lines.rstrip("\n").split("\n"))
    return _on_the_wire(text)


def _put_in(text: str, word: str, lines: list[str]) -> str:
    """Return a frame with the lines of a text in the place of a word."""
    text = re.sub(rf"\[\[{word}:(\w+)\]\]", lambda found: _PAGES[found[1]](lines), text)
    plain = rf"(?m)^(?P<before>[^\n<]*)\[\[{word}\]\](?P<after>[^\n]*)$"
    return re.sub(plain, lambda found: _plain(found["before"], lines, found["after"]), text)


def _plain(before: str, lines: list[str], after: str) -> str:
    marks = re.match(r"[> ]*", before)
    again = "" if marks is None else marks[0]
    first, *more = [f"{again}{line}".rstrip(" ") if line or not again else again.rstrip(" ") for line in lines]
    return "\n".join([(before.removeprefix(again) and before + lines[0]) or first, *more]) + after


def _each(open_: str, close: str, empty: str = "<br>") -> Callable[[list[str]], str]:
    return lambda lines: "".join(f"{open_}{_shown(line) or empty}{close}" for line in lines)


def _shown(line: str) -> str:
    """Return a line as it is in a page: a second blank, and one at the beginning, is one that does not break."""
    return re.sub("^ | (?= )", "&nbsp;", escape(line, quote=False))


_PAGES: Mapping[str, Callable[[list[str]], str]] = {
    "div": _each("<div>", "</div>"),
    "ydiv": _each('<div dir="ltr" data-setdir="false">', "</div>"),
    "elementToProof": _each('<div class="elementToProof">', "</div>"),
    "p": _each("<p>", "</p>", "&nbsp;"),
    "mso": _each('<p class="MsoNormal">', "<o:p></o:p></p>\n", "<o:p>&nbsp;</o:p>"),
    "br": lambda lines: "<br>\n".join(map(_shown, lines)),
    "pre": lambda lines: "\n".join(escape(line, quote=False) for line in lines),
}
"""How programs write lines in HTML."""


def _on_the_wire(text: str) -> bytes:
    """Return a letter with the charset and the transfer encoding that each of its parts says it has."""
    head, _, body = text.partition("\n\n")
    boundary = re.search(r'boundary="([^"]+)"', head)
    if boundary is None:
        return head.encode() + b"\n\n" + _encoded(head, body)
    before, *parts = re.split(rf"(?m)^--{re.escape(boundary[1])}(?:--)?\n", body)
    edge = f"--{boundary[1]}"
    sent = [head.encode(), b"\n\n", before.encode()]
    for part in parts[:-1]:
        inner, _, content = part.partition("\n\n")
        sent += [f"{edge}\n{inner}\n\n".encode(), _encoded(inner, content), b"\n"]
    return b"".join([*sent, f"{edge}--\n".encode()])


def _encoded(head: str, body: str) -> bytes:
    charset = re.search(r'charset="?([\w-]+)', head)
    encoding = re.search(r"(?i)Content-Transfer-Encoding: (\S+)", head)
    page = "text/html" in head
    raw = body.encode(charset[1] if charset else "utf-8", "xmlcharrefreplace" if page else "replace")
    match encoding[1] if encoding else "8bit":
        case "base64":
            return encodebytes(raw)
        case "quoted-printable":
            return quopri.encodestring(raw)
        case _:
            return raw
