"""Bad input by letter: a fault with its line, its reason and its paragraph, and nothing changed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email import message_from_bytes
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.cli.verbs import app

ADDRESSES = {
    "gauls": "ann@example.org",
    "etruscans_samnites": "eve@example.org",
    "greeks": "cy@example.org",
    "carthage": "di@example.org",
    "romans": "ann@example.org",
}
"""One person plays the Gauls and the Romans."""
FAULTS = 3


SEATS = {
    "gauls": "ann@example.org",
    "etruscans_samnites": "bob@example.org",
    "greeks": "ann@example.org",
    "romans": "bob@example.org",
}
"""Two players with two sides each."""


class Table:
    """A game in which the Gauls are active, and the letters between the players and the referee."""

    def __init__(self, home: Path, addresses: Mapping[str, str], edition: str) -> None:
        self.outbox, self.sent, self.addresses = home / "games" / "outbox" / "new", 0, addresses
        players = [word for side, address in addresses.items() for word in ("--player", f"{side}=P <{address}>")]
        self.run("new", "tiber", "--rules", "sword_of_rome", "--edition", edition, "--begin", *players)
        self.says("gauls", "first_player: {side: gauls}")
        self.adjudication, self.hands = self.state()

    def run(self, *words: str, letter: bytes | None = None) -> tuple[int, str]:
        ran = CliRunner().invoke(app, list(words), input=letter)
        return ran.exit_code, ran.output

    def says(self, side: str, text: str, *, sheet: bool = True) -> str:
        """Send orders of a side under the heading of its sheet, or words alone; return the letter that answers."""
        self.sent += 1
        before = set(self.outbox.iterdir())
        if sheet:
            number = json.loads(self.run("status", "tiber", "--json")[1])["adjudication"]
            text = f"game: tiber\nside: {side}\nadjudication: {number}\norders:\n- {text}"
        elif list(self.addresses.values()).count(self.addresses[side]) > 1:
            text = f"side: {side}\n\n{text}"
        head = (
            f"From: <{self.addresses[side]}>\nTo: pbem@example.org\nSubject: Re: tiber\nMessage-ID: <{self.sent}@here>"
        )
        self.run("letter", letter=f"{head}\n\n{text}\n".encode())
        letters = [message_from_bytes(path.read_bytes()) for path in {*self.outbox.iterdir()} - before]
        (own,) = (letter for letter in letters if self.addresses[side] in str(letter["To"]))
        part = next(part for part in own.walk() if part.get_content_type() == "text/plain")
        payload = part.get_payload(decode=True)
        assert isinstance(payload, bytes)
        return payload.decode()

    def state(self) -> tuple[int, list[str]]:
        """Return the last adjudication, and all hands."""
        hands = [
            self.run("report", "tiber", "--side", side)[1].partition("WHAT YOU HOLD")[2] for side in self.addresses
        ]
        return json.loads(self.run("status", "tiber", "--json")[1])["adjudication"], hands

    def card(self, side: str) -> str:
        """Return a card of a side's hand."""
        found = re.search(r"\b([a-z][0-9]+)[ ,]+value", self.run("report", "tiber", "--side", side)[1])
        assert found is not None
        return found[1]


def begun(home: Path, addresses: Mapping[str, str], edition: str) -> Table:
    with pytest.MonkeyPatch.context() as patch:
        for word in ("games", "keys"):
            (home / word).mkdir(mode=0o700)
            patch.setenv(f"PBEM_{word.upper()}", str(home / word))
        return Table(home, addresses, edition)


def enter(table: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setenv("PBEM_GAMES", str(table.outbox.parents[1]))
    monkeypatch.setenv("PBEM_KEYS", str(table.outbox.parents[2] / "keys"))
    return table


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return begun(tmp_path_factory.mktemp("tiber"), ADDRESSES, "five")


@pytest.fixture
def table(five: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    return enter(five, monkeypatch)


def is_a_fault(table: Table, letter: str, marked: str, reason: str, rule: str) -> None:
    """Check that a letter sends a sheet back, with the reason below the line that is wrong, and nothing has changed."""
    lines = letter.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("#!"))
    said = " ".join(line.removeprefix("#!").strip(" ^") for line in lines[at:] if line.startswith("#!"))
    assert marked in lines[at - 1], letter
    assert reason in said, letter
    assert f"(rule {rule})" in said, letter
    assert "nothing has changed" in letter
    assert table.state() == (table.adjudication, table.hands)


@pytest.mark.slow
def test_sheets_of_one_person_mixed_up(table: Table) -> None:
    card = table.card("romans")
    letter = table.says("gauls", f"act: {{do: activate, card: {card}, leader: camillus}}")
    is_a_fault(table, letter, "camillus", "not yours", "8.1")
    assert f"{card} is not in your hand" in " ".join(letter.replace("#!", "").split())


@pytest.mark.slow
def test_sheets_of_two_seats_mixed_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two players the fault says on which sheet the order belongs; that sheet is then carried out."""
    table = enter(begun(tmp_path, SEATS, "two"), monkeypatch)
    card = table.card("greeks")
    letter = table.says("gauls", f"act: {{do: activate, card: {card}, leader: dionysius}}")
    is_a_fault(table, letter, "dionysius", "of your other seat, Greeks: write it on the sheet of greeks", "8.1")
    assert f"{card} is not in your hand, but of your other seat" in " ".join(letter.replace("#!", "").split())
    assert "The Gauls are done." in table.says("gauls", "act: {do: end}")
    table.says("romans", "act: {do: end}")
    table.says("etruscans_samnites", "act: {do: end}")
    assert "The Greeks are done." in table.says("greeks", "act: {do: end}")


def test_proposal_to_oneself(table: Table) -> None:
    letter = table.says("gauls", "act: {do: propose, to: gauls}")
    is_a_fault(table, letter, "propose", "nobody allies with themselves", "15.1")


def test_proposal_to_a_power_without_a_player(table: Table) -> None:
    letter = table.says("gauls", "act: {do: propose, to: volsci}")
    is_a_fault(table, letter, "propose", "no player who could accept", "15.1")


def test_proposal_while_not_active(table: Table) -> None:
    """Only who is active proposes (15.1); what is ordered ahead has to say so."""
    letter = table.says("greeks", "act: {do: propose, to: romans}")
    said = " ".join(line.removeprefix("#!").strip(" ^") for line in letter.splitlines() if line.startswith("#!"))
    assert "the game does not ask you for act now; it asks nothing of you" in said
    assert "`ahead: true`" in said
    assert "(rule 15.1)" in said
    assert table.state() == (table.adjudication, table.hands)


def test_contest_without_an_announcement(table: Table) -> None:
    letter = table.says("greeks", "desperate_times: {contest: [gauls]}")
    assert "#! announce is missing in desperate_times (rule 7.4)" in letter
    assert "nothing has changed" in letter
    assert table.state() == (table.adjudication, table.hands)


def test_card_that_is_not_in_hand_is_not_shown(table: Table) -> None:
    letter = table.says("greeks", f"SHOW ROMANS: {table.card('romans')}", sheet=False)
    assert "SHOW was not carried out" in letter
    assert "line 1" in letter
    assert "is not in your hand (rule 6.1)" in " ".join(letter.split())
    assert table.state() == (table.adjudication, table.hands)


def test_table_talk_to_a_side_that_does_not_play(table: Table) -> None:
    letter = table.says("greeks", "PRESS VOLSCI: shall we march on Roma?", sheet=False)
    assert "PRESS was not carried out: line 1: there is no side 'VOLSCI'" in " ".join(letter.split())
    assert table.state() == (table.adjudication, table.hands)
