"""A whole game of two players through the command line, with nothing but letters between them and the referee.

The players are stand-ins that know only what stood in their last letter: the position as their side may know it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest

from pbem.cli.runtime import DONE
from pbem.render.text.form import order_lines
from pbem.repo.files.records import read_decision
from tests.support.command_line import pbem
from tests.support.soak import scaled
from tests.support.walks import loaded

GAME = "punica"
PLAYERS = {"carthage": "bob@example.org", "rome": "ann@example.org"}
MOST_LETTERS = 1500


class Post:
    """Two players, the referee's program, and the letters between them."""

    def __init__(self, home: Path, game: str, edition: str) -> None:
        self.home, self.sent = home, 0
        self.read: set[str] = set()
        self.last: dict[str, Mapping[str, Any]] = {}
        players = [word for side, address in PLAYERS.items() for word in ("--player", f"{side}=P <{address}>")]
        self.rules: Any = loaded(game, edition).rules
        self.pbem("new", GAME, "--rules", game, "--edition", edition, "--begin", *players)

    def pbem(self, *words: str, letter: bytes | None = None) -> str:
        """Run the command line; anything but success fails."""
        ran = pbem(*words, stdin=letter)
        assert ran.exit_code == DONE, ran.output
        return ran.stdout

    def collect(self) -> None:
        """Read the letters that have come, the newest position of each player last."""
        for path in sorted((self.home / "games" / "outbox" / "new").iterdir(), key=lambda path: path.stat().st_mtime):
            if path.name not in self.read:
                self.read.add(path.name)
                letter = message_from_bytes(path.read_bytes())
                to = parseaddr(letter["To"])[1]
                side = next(side for side, address in PLAYERS.items() if address == to)
                for enclosed in letter.walk():
                    if enclosed.get_filename() == "position.json":
                        self.last[side] = json.loads(_text(enclosed))

    def answer(self) -> bool:
        """Let a player who is asked something answer by letter; tell whether there was one.

        Who has not written for longest comes first: a question stays open to a side until the other has answered, too.
        """
        self.collect()
        for side, told in list(self.last.items()):
            if not told["open_decisions"]:
                continue
            del self.last[side]
            view = self.rules.decode(told["position"])
            orders = [self.rules.bot_order(view, read_decision(asked)) for asked in told["open_decisions"]]
            lines = [line for order in orders for line in order_lines(order.kind, order.body)]
            heading = [f"game: {GAME}", f"side: {side}", f"adjudication: {told['adjudication']}"]
            heading += ["standing: default"] if not self.sent or self.sent == 1 else []
            sheet = "\n".join([*heading, "orders:", *lines])
            self.sent += 1
            self.last[side] = {**told, "open_decisions": []}
            self.pbem(
                "letter",
                letter=(
                    f"From: <{PLAYERS[side]}>\nTo: pbem@example.org\nSubject: Re: {GAME}\n"
                    f"Message-ID: <{self.sent}@example.org>\nContent-Type: text/plain; charset=utf-8\n\n{sheet}\n"
                ).encode(),
            )
            return True
        return False


def _text(enclosed: Message) -> bytes:
    content = enclosed.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "edition"),
    [("hannibal_italy", "text"), ("rome_carthage", "valley2007"), ("rome_carthage", "descartes1998")][: scaled(15, 0)],
)
def test_a_whole_game_by_letters_alone(
    game: str, edition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_GAMES", str(tmp_path / "games"))
    monkeypatch.setenv("PBEM_KEYS", str(tmp_path / "keys"))
    post = Post(tmp_path, game, edition)
    while post.sent < MOST_LETTERS and post.answer():
        pass
    status = json.loads(post.pbem("status", GAME, "--json"))
    assert status["result"] is not None, status
    assert json.loads(post.pbem("replay", GAME, "--json")) in ([], {"differences": []})
    print(f"{game}, {edition}: {post.sent} letters, {status['adjudication']} adjudications, {status['result']}")
