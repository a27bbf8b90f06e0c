"""Letters as their readers see them, and the letters and sheets of the toy that tests write."""

from __future__ import annotations

from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import Outgoing, side_report
from tests.support.live import Folder, git, give, letter, order, sheet


@dataclass
class Read:
    """A letter as its reader's mail program shows it."""

    to: str
    subject: str
    text: str
    parts: dict[str, bytes]
    message: EmailMessage


def read(out: Outgoing) -> Read:
    message = message_from_bytes(out.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    parts, text = {}, ""
    for part in message.walk():
        if part.is_multipart():
            continue
        if name := part.get_filename():
            parts[name] = part.get_payload(decode=True)
        elif part.get_content_type() == "text/plain":
            text += part.get_content().replace("\r\n", "\n")
    assert message["To"] == out.to
    return Read(out.to, message["Subject"], text, parts, message)  # type: ignore[arg-type]


def outbox(folder: Folder) -> list[tuple[str, str, str]]:
    """Return to whom the letters in the outbox go, their subjects and their texts."""
    found = []
    for path in sorted((folder.games / "outbox" / "new").iterdir()):
        message = message_from_bytes(path.read_bytes())
        parts = [part for part in message.walk() if part.get_content_type() == "text/plain" and not part.get_filename()]
        text = parts[0].get_payload(decode=True)
        assert isinstance(text, bytes)
        found.append((str(message["To"]), str(message["Subject"]), text.decode().replace("\r\n", "\n")))
    return found


def head(folder: Folder, name: str = "punica") -> str:
    return git(folder.repo(name), "rev-parse", "main")


def cards(folder: Folder, side: str) -> list[int]:
    with folder.open() as game:
        hand: list[int] = game.view(side).hands[side]
        return hand


def bury(folder: Folder, side: str, at: int = 0, **more: Any) -> bytes:
    """Return a letter in which a side buries one of its cards."""
    with folder.open() as game:
        return letter(side, sheet(game, side, order("bury", card=game.view(side).hands[side][at])), **more)


def sheet_file(folder: Folder, side: str, *cards: object) -> Path:
    """Write a sheet that buries cards, and return its file."""
    with folder.open() as game:
        path = folder.path / f"{side}.yaml"
        path.write_bytes(sheet(game, side, *[order("bury", card=card) for card in cards]))
        return path


def form_of(folder: Folder, side: str) -> str:
    with folder.open() as game:
        text = side_report(game, side, game.adjudication).sheet
        assert text is not None
        return text


def only(handled: Handled) -> Read:
    (out,) = handled.letters
    return read(out)


def bid(folder: Folder) -> None:
    """Bring the toy to a question that has a default."""
    with folder.open() as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
