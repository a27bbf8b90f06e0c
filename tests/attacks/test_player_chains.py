"""Attacks on the chain of a player: red has one, and the referee wants other dice than its links make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from pbem.crypto.dice import missing_link
from pbem.orders.check import Receipt
from pbem.protocol import Side
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.state import read_state
from tests.attacks.base import CHAIN, Dishonest, answers, begun, dice, found, found_by_small, go_on, written
from tests.support.live import Folder


class FilesAgain(Dishonest):
    """Files the third sheet of red again, with its link: that made new dice as often as one liked."""

    def receive(self, side: Side, raw: bytes, **more: Any) -> Receipt:
        receipt = super().receive(side, raw, **more)
        if side == "red" and receipt.number == 3:
            self.file("red", raw)
        return receipt


def test_a_sheet_filed_again_with_its_link_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, FilesAgain, chain=True) as game:
        go_on(game, 9)
        n = next(n for n in range(1, 9) if len(game.ledger.public_turn(n).get("sheets", {}).get("red", ())) == 2)
        assert found(game)[0].startswith(f"turn {n}: the chain of red: link {CHAIN.link(3)} does not follow ")
        assert found(game)[0].endswith("by 2 links")
        assert f"does not follow {CHAIN.link(2)} by 2" in found_by_small(game, tmp_path)


class OtherOrders(Dishonest):
    """Files other orders with the link of the third sheet of red, after it."""

    def receive(self, side: Side, raw: bytes, **more: Any) -> Receipt:
        receipt = super().receive(side, raw, **more)
        if side == "red" and receipt.number == 3:
            self.file("red", raw + b"# so that the digest is another\n")
        return receipt


def test_other_orders_with_the_same_link_show(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, OtherOrders, chain=True) as game:
        go_on(game, 9)
        assert " the chain of red: link " in found(game)[0]
        assert "does not follow" in found_by_small(game, tmp_path)


class CallsTheLinkMissing(Dishonest):
    """States that red has opened no link for turn 3, whose third sheet is used: that digest is known beforehand."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if n == 3:
            last = self.ledger.state().links["red"]  # type: ignore[union-attr]
            stated["player_chains"] = {"red": {"missing": missing_link(last, n)}}
        return stated


def test_a_link_called_missing_beside_its_sheet_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, CallsTheLinkMissing, chain=True) as game:
        go_on(game, 9)
        said = "turn 3: the chain of red: it says missing, but the turn names 1 sheet of the side"
        assert found(game)[0] == said
        assert found_by_small(game, tmp_path).startswith("turn 3: {'missing': ")


class MakesUpLost(Dishonest):
    """States that red has lost the chain with the sheet of turn 3, which opens a link."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if n == 3:
            last = self.ledger.state().links["red"]  # type: ignore[union-attr]
            stated["player_chains"] = {"red": {"lost": missing_link(last, n)}}
        return stated


def test_a_chain_called_lost_shows_at_the_end(folder: Folder) -> None:
    """Its owner knows at once: the next form has no line for a link."""
    with begun(folder, MakesUpLost, chain=True) as game:
        go_on(game, 9)
        assert found(game) == []
        said = "turn 3: player_chains.red.link: on record is nothing; what was handed in makes it "
        assert found(game, with_key=True)[0].startswith(said)


def made_up(game: Adjudicator, more: bytes) -> bytes:
    """Return a sheet for red that red never wrote."""
    sheet = written(game, "red", *answers(game, "red", Random(3)))
    lines = [line for line in sheet.splitlines(keepends=True) if not line.startswith(b"link: ")]
    return b"".join(lines).replace(b"orders:", more + b"orders:")


def test_a_made_up_sheet_has_no_link_and_shows(folder: Folder) -> None:
    """The referee has not the next link of the chain, and files a sheet without one."""
    with begun(folder, Dishonest, chain=True) as game:
        game.file("red", made_up(game, b""))
        go_on(game, 9)
        assert found(game)[0].startswith("turn 2: the chain of red: ")


def test_a_made_up_sheet_that_says_lost_shows_to_its_writer(folder: Folder) -> None:
    """The record is right by itself. The side has the next link still, and a form without a line for it."""
    with begun(folder, Dishonest, chain=True) as game:
        assert game.receive("red", made_up(game, b"link: lost\n")).number == 1
        go_on(game, 9)
        assert game.player_chain("red") is None
        assert found(game, with_key=True) == []


def test_a_made_up_sheet_without_a_chain_shows_to_its_writer(folder: Folder) -> None:
    """The record is right by itself. The side gets a report of a sheet that it never sent."""
    with begun(folder, Dishonest) as game:
        assert game.receive("red", made_up(game, b"")).number == 1
        go_on(game, 9)
        assert found(game, with_key=True) == []


class SendsBack(Dishonest):
    """Sends a sheet of red back for a fault that it has not, and files the one of the two whose dice suit."""

    def choice(self, *sheets: bytes) -> dict[str, bytes]:
        """Return the sheets by what the next turn would make of each."""
        state = self.current().state
        assert state is not None
        made = {}
        for raw in sheets:
            after = read_state(state.record())
            self.ledger.sheet_files(after, "red", raw)
            after.new_links["red"] = CHAIN.link(1)  # it stands in each of them
            made[self.ledger.seed(after.adjudication + 1, after).inputs] = raw
        return made


def test_a_sheet_sent_back_has_shown_its_link(folder: Folder) -> None:
    """The corrected sheet opens the same link, so the referee has two dice to choose from.

    The record is right by itself. The writer has a reply that sends back the sheet which counts.
    """
    with begun(folder, SendsBack, chain=True) as game:
        game.receive("blue", written(game, "blue", *answers(game, "blue", Random(1))))
        first = written(game, "red", *answers(game, "red", Random(1)))
        choice = game.choice(first, first + b"standing:\n- react: {card: none}\n")
        assert len(choice) == 2
        inputs, chosen = min(choice.items())
        assert game.receive("red", chosen).number == 1
        game.adjudicate()
        assert dice(game, after=1)[0][0] == inputs
        go_on(game, 9)
        assert found(game, with_key=True) == []
