"""The Sword of Rome by letters alone: five sides, and two players with two seats each.

The players know what stood in their letters. Their letters hold nothing that another side alone may know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.keys import Secrets
from pbem.game.contract import Rules
from pbem.protocol import Decision, Order, Side
from pbem.repo.files.records import read_decision
from pbem.rules.sword_of_rome.position.state import UNSEEN
from tests.support.letter_table import FAULTS, GAME, LetterTable, written
from tests.support.live import OTHERS, SECRETS, Folder

FIVE = {side: f"{side}@example.org" for side in ("gauls", "etruscans_samnites", "greeks", "carthage", "romans")}
TWO = {
    "gauls": "ann@example.org",
    "etruscans_samnites": "bob@example.org",
    "greeks": "ann@example.org",
    "romans": "bob@example.org",
}
"""Two persons with two seats each."""
MOST = 600
CARD = re.compile(r"\b[a-z]\d{1,2}\b")
NUMBER = re.compile(rf"{GAME}\.[\w+]+\.(\d+)\.")


class SwordTable(LetterTable):
    """A table of The Sword of Rome whose players are bots."""

    def __init__(self, home: Path, players: Mapping[Side, str], edition: str) -> None:
        super().__init__(home, players, _by_bot, "sword_of_rome", edition)
        self.begin("--rules", "sword_of_rome", "--edition", edition, "--press-opened")

    def writes(self, side: Side, order: str, ends: int = 0) -> str:
        """Send a sheet with one order of a side; return all that its player is answered."""
        came = self.answers(side, [f"- {order}"], ends)
        return " ".join(" ".join(each.text for each in came if each.to == self.players[side]).split())

    def refused(self, side: Side, order: str) -> str:
        """Send a sheet that must come back; return what stands below its faults."""
        before = self.adjudication()
        came = self.answers(side, [f"- {order}"], FAULTS)
        assert self.adjudication() == before
        lines = [line for each in came for line in each.text.splitlines() if line.startswith("#!")]
        return " ".join(line.removeprefix("#!").strip(" ^") for line in lines)

    def agrees(self, side: Side, refused: str) -> None:
        """Let a side write AGREED above the form that it quotes, and be refused."""
        form = f"game: {GAME}\nside: {side}\nadjudication: {self.adjudication()}\norders:\n# - act: {{do: end}}"
        quoted = "".join(f"> {line}\n" for line in form.split("\n"))
        came = self.says(side, f"AGREED\n\n{quoted}", FAULTS)
        assert refused in " ".join(came[-1].text.split())

    def view_of(self, side: Side) -> Any:
        """Return the position as a side was last sent it."""
        return self.rules.decode(self.homes[side]["position"])

    def turns(self, first: int = 1) -> list[Mapping[str, Any]]:
        """Return the turn files from an adjudication on, which everybody can read."""
        found: list[Mapping[str, Any]] = json.loads(self.pbem("log", GAME, "--json", "--from", str(first)))["turns"]
        return found

    def play_the_turn(self) -> set[str]:
        """Let the bots play on until the turn is over, and return the kinds of all that has happened in public."""
        seen, kinds = 0, set[str]()
        while "turn_ends" not in kinds:
            assert self.sent < MOST
            assert self.answer(), "nobody is asked anything, and the turn is not over"
            for turn in self.turns(seen + 1):
                seen = turn["adjudication"]
                kinds |= {event["kind"] for event in turn.get("events", ())}
        return kinds

    def check_that_each_sees_only_their_own(self) -> None:
        """Check the hands in all positions that came, and the cards that the texts of all letters name."""
        board = self.rules.board
        for side, homes in self.told.items():
            own = board.seats_of(side) or (side,)
            for home in homes:
                hands = self.rules.decode(home["position"]).hands
                assert UNSEEN not in hands[side]
                assert all(set(hand) <= {UNSEEN} for other, hand in hands.items() if other not in own)
        public: dict[str, int] = {}
        for turn in self.turns():
            for card in CARD.findall(str(turn.get("events", ""))):
                public.setdefault(card, turn["adjudication"])
        for to, name, text in self.letters:
            if (found := NUMBER.match(name)) is None:
                continue
            for card in {*CARD.findall(text)} & {*board.cards}:
                owner = self.players[board.cards[card].deck]
                assert owner == to or public.get(card, MOST) <= int(found[1]), f"{name} names {card}\n{text}"


def _by_bot(rules: Rules[Any], view: Any, decision: Decision) -> Order:
    return rules.bot_order(view, decision)


@pytest.fixture(autouse=True)
def world(monkeypatch: pytest.MonkeyPatch, in_the_folder: None) -> None:
    monkeypatch.setenv("PBEM_FROM", "Referee <pbem@example.org>")
    monkeypatch.setattr(Secrets, "drawn", lambda: SECRETS)


def _open_and_ally(table: SwordTable) -> None:
    """Let the first side say who begins; the Romans begin, talk, show a card and ally with the Etruscans."""
    found = table.asked()
    assert found is not None
    table.writes(found[0], "first_player: {side: romans}")
    assert "YOU ARE ASKED: What do you do next?" in table.letters_of("romans")[-1]
    table.says("romans", "PRESS Etruscans and Samnites: Shall we be friends?\nThe Gauls will not like it.")
    heard = table.heard("etruscans_samnites")
    assert "  : Shall we be friends?\n  : The Gauls will not like it.\n" in heard[-1]
    card = table.view_of("romans").hands["romans"][0]
    table.says("romans", f"SHOW etruscans_samnites: {card}")
    assert f"({card}, value" in table.heard("etruscans_samnites")[-1]
    name = table.rules.board.cards[card].name
    alike = [each for each in table.view_of("romans").hands["romans"] if table.rules.board.cards[each].name == name]
    table.says("romans", f"SHOW samnites: {name}", ends=FAULTS if len(alike) > 1 else 0)
    table.writes("romans", "act: {do: propose, to: etruscans}")
    asked = " ".join(table.letters_of("etruscans_samnites")[-1].split())
    assert "The Romans propose an alliance to the Etruscans." in asked
    assert "VP of the Romans: 6. Yours: 6." in asked
    table.agrees("etruscans_samnites", "it could mean yes, or what counts without an answer")
    table.writes("etruscans_samnites", "alliance: {accept: true}")
    assert all("The Romans and the Etruscans are allied." in table.letters_of(side)[-1] for side in table.players)


def _refuses(table: SwordTable) -> None:
    """Let the Romans attack their ally, propose to whom they besiege, and a side write that is out of the game."""
    rules, view = table.rules, table.view_of("romans")
    decision = read_decision(table.homes["romans"]["open_decisions"][0])
    orders = [Order("act", {"do": "activate", "card": card, "leader": "valerius"}) for card in view.hands["romans"]]
    active = next(order for order in orders if not list(rules.check(view, decision, order)))
    table.writes("romans", written(decision, active)[0].removeprefix("- "))
    wrong = table.refused("romans", "march: {path: [{to: narnia}, {to: volsinii}, {to: clusium}]}")
    assert "at clusium: CU of the Etruscans are in Clusium: allies do not stack (rule 15.3)" in wrong
    told = table.writes("romans", "march: {path: [{to: velitrae}, {to: fregellae}]}")
    assert "Valerius marches from Roma by Velitrae to Fregellae with 7 CU. The Romans lay siege to Fregellae." in told
    wrong = table.refused("romans", "act: {do: propose, to: samnites}")
    assert "you besiege Fregellae: nothing can be proposed to its player (rule 15.1)" in wrong
    table.says("carthage", f"RESIGN {GAME}")
    table.homes["carthage"] = table.homes["romans"]
    wrong = table.refused("carthage", "act: {do: end}")
    assert "this side, Carthage, is out of the game; its orders do not count any more" in wrong
    assert "(rule" not in wrong.partition("out of the game")[2].partition("\n")[0]  # it has resigned, by no paragraph


def _announces_ahead(table: SwordTable) -> None:
    """Let the Greeks order a Desperate Times while the Romans are active, for the window after that (7.4.1)."""
    head = f"game: {GAME}\nside: greeks\nadjudication: {table.adjudication()}\nahead: true\norders:\n"
    table.says("greeks", f"{head}- desperate_times: {{announce: true}}")
    table.writes("romans", "act: {do: end}")
    assert "The Greeks play a Desperate Times and are active." in " ".join(table.letters_of("greeks")[-1].split())


def _clone_verifies(table: SwordTable) -> None:
    """Publish the game, as observers clone it, and verify the clone."""
    clone = table.home / "clone.git"
    table.pbem("publish", GAME, str(clone))
    assert "FAULT" not in table.pbem("verify", str(clone))
    assert json.loads(table.pbem("replay", GAME, "--json")) in ([], {"differences": []})


@pytest.mark.slow
def test_five_sides_open_talk_and_ally_by_letters(folder: Folder) -> None:
    table = SwordTable(folder.path, FIVE, "five")
    _open_and_ally(table)
    _refuses(table)
    _announces_ahead(table)
    table.check_that_each_sees_only_their_own()
    _clone_verifies(table)


@pytest.mark.soak
def test_a_turn_of_five_sides_by_letters_alone(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening, alliance, talk, battles and scoring; each sees only their own, and a published clone verifies."""
    monkeypatch.setattr(Secrets, "drawn", lambda: OTHERS)  # hands with which the bots fight in the first turn
    table = SwordTable(folder.path, FIVE, "five")
    _open_and_ally(table)
    assert {"allied", "battle_begins", "scored"} <= table.play_the_turn()
    table.check_that_each_sees_only_their_own()
    _clone_verifies(table)


@pytest.mark.soak
def test_a_turn_of_two_players_with_two_seats_by_letters(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """One person in two seats writes a sheet of one of them under the name of the other: nothing is lost by it."""
    fights = replace(SECRETS, chain=sha256(b"1").digest())  # hands with which the bots fight in the first turn
    monkeypatch.setattr(Secrets, "drawn", lambda: fights)
    table = SwordTable(folder.path, TWO, "two")
    found = table.asked()
    assert found is not None
    table.writes(found[0], "first_player: {side: gauls}")
    card = table.view_of("gauls").hands["gauls"][0]
    wrong = table.refused("gauls", f"act: {{do: activate, card: {card}, leader: dionysius}}")
    assert "of your other seat, Greeks: write it on the sheet of greeks" in wrong
    assert {"battle_begins", "scored"} <= table.play_the_turn()
    table.check_that_each_sees_only_their_own()
    _clone_verifies(table)
