"""A game of five sides through the command line, by letters alone: talk, a shown card, a rollback, a draw.

Yew is out of the game from the beginning. The players know only what stood in their letters.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from email import message_from_bytes
from email.message import Message
from email.utils import parseaddr
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.crypto.keys import Secrets
from pbem.protocol import Decision, Order
from pbem.render.form import order_lines
from pbem.repo.records import read_decision
from tests.support.live import SECRETS, Folder
from tests.support.walks import loaded

GAME = "punica"
PLAYERS = {side: f"{side}@example.org" for side in ("oak", "elm", "ash", "fir", "yew")} | {"fir": "elm@example.org"}
"""The address of each side: one person plays Elm and Fir, and says in each letter for which of them it is."""
DRAW = f"DRAW {GAME} oak elm"
FAULTS = 3
LETTERS = 50


class Table:
    """Five sides, the referee's program, and the letters between them."""

    def __init__(self, home: Path) -> None:
        self.home, self.sent, self.random = home, 0, Random(1)
        self.alike = 0
        """How often a side was asked two questions of a kind at once."""
        self.read: set[str] = set()
        self.homes: dict[str, Mapping[str, Any]] = {}
        """What each side was last sent to check its sheets by."""
        self.letters: list[tuple[str, str, str]] = []
        """Address, name and text of every letter that has come."""
        self.rules: Any = loaded("five", "plain").rules
        players = [word for side, address in PLAYERS.items() for word in ("--player", f"{side}=P <{address}>")]
        press = ("--press-unsigned", "--press-opened")
        how = ("--rules", "five", "--edition", "plain", "--scenario", "late", "--begin")
        self.pbem("new", GAME, *how, *press, *players)

    def pbem(self, *words: str, letter: bytes | None = None, ends: int = 0) -> str:
        """Run the program and return what it prints; it must end with a code."""
        ran = CliRunner().invoke(app, list(words), input=letter)
        assert ran.exit_code == ends, ran.output
        return ran.output

    def says(self, side: str, text: str, ends: int = 0) -> None:
        """Send a letter for a side, and read all letters that come of it."""
        address = PLAYERS[side]
        several = list(PLAYERS.values()).count(address) > 1 and not text.startswith("game:")
        self.sent += 1
        letter = (
            f"From: <{address}>\nTo: pbem@example.org\nSubject: Re: {GAME}\nMessage-ID: <{self.sent}@example.org>\n"
            f"Content-Type: text/plain; charset=utf-8\n\n{f'side: {side}' if several else ''}\n{text}\n"
        )
        self.pbem("letter", letter=letter.encode(), ends=ends)
        self.collect()

    def collect(self) -> None:
        """Read the letters that have come."""
        for path in sorted(
            (self.home / "games" / "outbox" / "new").iterdir(), key=lambda path: path.stat().st_mtime_ns
        ):
            if path.name in self.read:
                continue
            self.read.add(path.name)
            message = message_from_bytes(path.read_bytes())
            self.letters.append((parseaddr(message["To"])[1], path.name, "\n".join(_texts(message))))
            for part in message.walk():
                name = part.get_filename() or ""
                if name.startswith("position") and name.endswith(".json"):
                    home = json.loads(_payload(part))
                    self.homes[home["side"]] = home

    def adjudication(self) -> int:
        found: int = self.status()["adjudication"]
        return found

    def status(self) -> Any:
        return json.loads(self.pbem("status", GAME, "--json"))

    def answer(self) -> bool:
        """Let a side that is asked something answer by letter; tell whether one was."""
        self.collect()
        now = self.adjudication()
        for side, home in list(self.homes.items()):
            asked = [read_decision(each) for each in home["open_decisions"]]
            if not asked or home["adjudication"] != now:
                continue
            self.homes[side] = {**home, "open_decisions": []}
            view = self.rules.decode(home["position"])
            self.alike += len(asked) > len({each.kind for each in asked})
            lines = [line for each in asked for line in self.lines(view, each)]
            head = [f"game: {GAME}", f"side: {side}", f"adjudication: {home['adjudication']}", "orders:"]
            self.says(side, "\n".join([*head, *lines]))
            return True
        return False

    def lines(self, view: Any, decision: Decision) -> list[str]:
        """Return anything that is legal, as a sheet has it."""
        order: Order = self.rules.legal_orders(view, decision).pick(self.random.random)
        return order_lines(order.kind, replace(order, about=decision.about).written)

    def heard(self, side: str) -> list[str]:
        """Return the letters by which a side has heard others."""
        return [text for to, name, text in self.letters if to == PLAYERS[side] and name.startswith("talk.")]


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload


def _texts(message: Message) -> Iterator[str]:
    for part in message.walk():
        if part.get_content_type() == "text/plain" and not part.get_filename():
            yield _payload(part).decode().replace("\r\n", "\n")


def _talks(table: Table) -> None:
    """Let sides talk and show cards, also as they may not."""
    table.says("oak", "PRESS elm, ash: Shall we march on Fir?\nI bid high.")
    assert "  : Shall we march on Fir?\n  : I bid high.\n" in table.heard("ash")[-1]
    table.says("yew", "PRESS UNSIGNED ALL\nDo not trust Oak.\nEND PRESS\n\nSTATUS")
    assert all("does not say who" in table.heard(side)[-1] for side in ("oak", "elm", "ash", "fir"))
    hand = table.rules.decode(table.homes["elm"]["position"]).hands["elm"]
    table.says("elm", f"SHOW oak: card {hand[0]}")
    assert f"Elm shows card {hand[0]}." in table.heard("oak")[-1]
    before = {side: len(table.heard(side)) for side in PLAYERS}
    table.says("elm", "SHOW oak: card 99", ends=FAULTS)
    table.says("ash", "PRESS ash: Hm.", ends=FAULTS)
    table.says("ash", "PRESS birch: Hm.", ends=FAULTS)
    table.says("ash", f"PRESS oak: {'x' * 2049}", ends=FAULTS)
    assert {side: len(table.heard(side)) for side in PLAYERS} == before
    table.pbem("press", GAME, "fir", "--to", "oak,elm", letter=b"I sit at the referee's machine.")
    table.pbem("press", GAME, "fir", "--to", "fir", letter=b"Hm.", ends=FAULTS)
    table.pbem("show", GAME, "fir", "card 99", "--to", "all", ends=FAULTS)
    table.collect()
    assert "I sit at the referee's machine." in table.heard("elm")[-1]
    assert "Do not trust Oak." in table.pbem("press", GAME, "ash")


def _answers_and_talks(table: Table) -> None:
    """Let a side that is asked answer, and another one talk."""
    assert table.answer()
    side = ("oak", "elm", "ash", "fir")[table.sent % 4]
    table.says(side, f"PRESS yew: This is letter {table.sent + 1}.")


def _rolls_back(table: Table, to: int) -> None:
    """Take the game back by the consent of all that are asked for it."""
    table.pbem("rollback", GAME, "--to", str(to), "--reason", "a wrong rule")
    table.collect()
    names = [re.match(rf"{GAME}\.([\w+]+)\.request-", name) for _, name, _ in table.letters]
    asked = [side for side in PLAYERS if any(found and side in found[1].split("+") for found in names)]
    assert asked == ["oak", "elm", "ash", "fir"], "who is out is not asked"
    asking = [" ".join(text.split()) for _, name, text in table.letters if ".request-" in name]
    assert all(text.count("Oak, Elm, Ash and Fir must agree.") == 1 for text in asking)
    n = table.adjudication()
    for side in asked:
        table.says(side, f"CONSENT {GAME} 1")
    assert table.adjudication() == n + 1


def _agrees_to_a_draw(table: Table) -> Any:
    """End the game in a draw, and return how it ended."""
    table.says("oak", DRAW)
    for side in ("elm", "ash", "fir", "yew"):
        if table.status()["result"] is None:
            table.says(side, f"CONSENT {GAME} 2")
    return table.status()["result"]


def _holds_letters_against(table: Table, clone: Path) -> None:
    """Compare the letters with talk in the mailbox of Ash with the record, then one in which the words are others."""
    mailbox = table.home / "mail of ash"
    mailbox.mkdir()
    for path in (table.home / "games" / "outbox" / "new").iterdir():
        if b"To: ash@example.org" in path.read_bytes():
            (mailbox / f"{path.name}.eml").write_bytes(path.read_bytes())
    witnessed = ["verify", str(clone), "--letters", str(mailbox)]
    checked = table.pbem(*witnessed)
    assert re.search(r"ok +talk in letters +\d+ letters, \d+ held against the record", checked)
    assert "1 letter with talk that is never opened" in checked
    assert "unheard" not in checked
    forged = next(path for path in mailbox.iterdir() if b"Shall we march on Fir?" in path.read_bytes())
    forged.write_bytes(forged.read_bytes().replace(b"march on Fir?", b"march on Yew?"))
    wrong = table.pbem(*witnessed, ends=FAULTS)
    assert "passes on words of Oak that are not on record" in " ".join(wrong.split())
    assert re.search(r"unheard +no letter here passes on talk \d+ of oak", wrong)


@pytest.mark.usefixtures("in_the_folder")
def test_a_game_of_five_sides_by_letters_alone(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_FROM", "Referee <pbem@example.org>")
    monkeypatch.setattr(Secrets, "drawn", lambda: SECRETS)
    tmp_path, table = folder.path, Table(folder.path)
    table.collect()
    _talks(table)
    while table.adjudication() < 7:
        _answers_and_talks(table)
    _rolls_back(table, 4)
    while table.sent < LETTERS:
        _answers_and_talks(table)
    assert table.status()["result"] is None
    result = _agrees_to_a_draw(table)
    assert (result["reason"], result["winner"]) == ("draw_agreed", ["oak", "elm"])
    assert table.sent >= LETTERS
    assert table.alike, "no side was asked two questions of a kind at once"

    clone = tmp_path / "observers.git"
    table.pbem("publish", GAME, str(clone))
    checked = table.pbem("verify", str(clone), "--after-reveal")
    assert "FAULT" not in checked
    _holds_letters_against(table, clone)
    assert json.loads(table.pbem("replay", GAME, "--json")) in ([], {"differences": []})
    table.pbem("reveal", str(clone), "--open", str(tmp_path / "open"))
    opened = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "open" / "press").iterdir()))
    assert "Shall we march on Fir?" in opened
    assert "Do not trust Oak" not in opened
    assert Counter(opened.split())["shows:"] == 1
