"""A table whose players write letters: the program, run as its own user would, and what stood in each letter.

The players are stand-ins that know only what stood in their letters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from email.utils import parseaddr
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.game.contract import Rules
from pbem.protocol import Decision, Order, Side
from pbem.render.text.form import order_lines
from pbem.repo.files.records import read_decision
from tests.support.walks import loaded

GAME = "punica"
FAULTS = 3
Chooser = Callable[[Rules[Any], Any, Decision], Order]
"""Chooses the answer to a decision, by the view of its side."""


class Came(NamedTuple):
    """A letter that has come: its address, its name in the outbox, and its text."""

    to: str
    name: str
    text: str


class LetterTable:
    """The sides of a game, the referee's program, and the letters between them."""

    def __init__(self, home: Path, players: Mapping[Side, str], choose: Chooser, rules: str, edition: str) -> None:
        self.home, self.players, self.choose, self.sent = home, players, choose, 0
        self.alike = 0
        """How often a side was asked two questions of a kind at once."""
        self.read: set[str] = set()
        self.homes: dict[Side, Mapping[str, Any]] = {}
        """What each side was last sent to check its sheets by."""
        self.letters: list[Came] = []
        """Every letter that has come."""
        self.told: dict[Side, list[Mapping[str, Any]]] = {side: [] for side in players}
        """Every position that each side was sent."""
        self.rules: Any = loaded(rules, edition).rules

    def begin(self, *words: str) -> None:
        """Make the game and begin it."""
        players = [word for side, address in self.players.items() for word in ("--player", f"{side}=P <{address}>")]
        self.pbem("new", GAME, *words, "--begin", *players)
        self.collect()

    def pbem(self, *words: str, letter: bytes | None = None, ends: int = 0) -> str:
        """Run the program and return what it prints; it must end with a code."""
        ran = CliRunner().invoke(app, list(words), input=letter)
        assert ran.exit_code == ends, ran.output
        return ran.output

    def says(self, side: Side, text: str, ends: int = 0) -> list[Came]:
        """Send a letter for a side, and return the letters that come of it."""
        address = self.players[side]
        several = list(self.players.values()).count(address) > 1 and not text.startswith("game:")
        self.sent += 1
        letter = (
            f"From: <{address}>\nTo: pbem@example.org\nSubject: Re: {GAME}\nMessage-ID: <{self.sent}@example.org>\n"
            f"Content-Type: text/plain; charset=utf-8\n\n{f'side: {side}' if several else ''}\n{text}\n"
        )
        self.pbem("letter", letter=letter.encode(), ends=ends)
        return self.collect()

    def answers(self, side: Side, lines: Sequence[str], ends: int = 0) -> list[Came]:
        """Send the sheet of a side with some orders, under the heading of its last report."""
        head = [f"game: {GAME}", f"side: {side}", f"adjudication: {self.homes[side]['adjudication']}", "orders:"]
        return self.says(side, "\n".join([*head, *lines]), ends)

    def collect(self) -> list[Came]:
        """Read the letters that have come, and return them."""
        before = len(self.letters)
        outbox = self.home / "games" / "outbox" / "new"
        for path in sorted(outbox.iterdir(), key=lambda path: path.stat().st_mtime_ns):
            if path.name in self.read:
                continue
            self.read.add(path.name)
            message = message_from_bytes(path.read_bytes())
            self.letters.append(Came(parseaddr(message["To"])[1], path.name, "\n".join(texts(message))))
            for part in message.walk():
                name = part.get_filename() or ""
                if name.startswith("position") and name.endswith(".json"):
                    home = json.loads(payload(part))
                    self.homes[home["side"]] = home
                    self.told[home["side"]].append(home)
        return self.letters[before:]

    def adjudication(self) -> int:
        """Return the number of the last adjudication."""
        found: int = self.status()["adjudication"]
        return found

    def status(self) -> Any:
        """Return what the program says of the game."""
        return json.loads(self.pbem("status", GAME, "--json"))

    def asked(self) -> tuple[Side, list[Decision]] | None:
        """Return a side that is asked something now, by its letters, and what; None: nobody is."""
        self.collect()
        now = self.adjudication()
        for side, home in self.homes.items():
            asked = [read_decision(each) for each in home["open_decisions"]]
            if asked and home["adjudication"] == now:
                return side, asked
        return None

    def answer(self) -> bool:
        """Let a side that is asked something answer by letter; tell whether one was."""
        found = self.asked()
        if found is None:
            return False
        side, asked = found
        home = self.homes[side]
        view = self.rules.decode(home["position"])
        self.alike += len(asked) > len({each.kind for each in asked})
        lines = [line for each in asked for line in written(each, self.choose(self.rules, view, each))]
        self.homes[side] = {**home, "open_decisions": []}
        self.answers(side, lines)
        return True

    def letters_of(self, side: Side) -> list[str]:
        """Return the letters to the player of a side."""
        return [each.text for each in self.letters if each.to == self.players[side]]

    def heard(self, side: Side) -> list[str]:
        """Return the letters by which a side has heard others."""
        return [text for to, name, text in self.letters if to == self.players[side] and name.startswith("talk.")]


def written(decision: Decision, order: Order) -> list[str]:
    """Return an answer to a decision as a sheet has it."""
    return order_lines(order.kind, replace(order, about=decision.about).written)


def payload(part: Message) -> bytes:
    """Return what a part of a letter holds."""
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


def texts(message: Message) -> Iterator[str]:
    """Yield the texts of a letter that are no enclosures."""
    for part in message.walk():
        if part.get_content_type() == "text/plain" and not part.get_filename():
            yield payload(part).decode().replace("\r\n", "\n")
