"""Attacks on the public beacon: rounds that are named anew, closings that are changed, rounds called missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from pbem.crypto.beacon import check_signature, time_of
from pbem.crypto.closing import PATIENCE, Circumstances, Closing, closed_digest
from pbem.referee.play.played import Played
from tests.attacks.base import Dishonest, begun, dice, found, written
from tests.support.beacon_rounds import PUBLISHED
from tests.support.live import Folder, order
from tests.support.soak import quick_first

FIRST, SECOND, THIRD, FOURTH = PUBLISHED


def close(game: Dishonest, round: int) -> None:
    """Let both sides bury a card, and close their sheets so that a round decides."""
    game.moment = time_of(round) - PATIENCE
    for side in ("red", "blue"):
        assert game.receive(side, written(game, side, order("bury", card=game.view(side).hands[side][0]))).number
    assert game.adjudicate() == []


def go_on(game: Dishonest, round: int) -> None:
    """Let both sides bid a card, and let a round decide."""
    game.moment = time_of(round) - PATIENCE
    for side in ("red", "blue"):
        assert game.receive(side, written(game, side, order("bid", card=game.view(side).hands[side][0]))).number
    game.adjudicate()
    game.put_in_round(round, PUBLISHED[round])


class ClosesAgain(Dishonest):
    """Closes the same sheets again for a later round, once the first is out and does not suit."""

    def close_again(self, round: int) -> None:
        closing = self.closed
        assert closing is not None
        message = f"punica: sheets closed for adjudication 2; round {round} of drand decides"
        self.ledger.commit(self.ledger.closing_files(replace(closing, round=round)), message)


@pytest.mark.slow
def test_sheets_closed_again_for_a_later_round_show(folder: Folder) -> None:
    with begun(folder, ClosesAgain, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.close_again(THIRD)
        game.put_in_round(THIRD, PUBLISHED[THIRD])
        go_on(game, FOURTH)
        said = f"beacon.yaml: round {THIRD} is named before round {SECOND} has come or is known to be missing"
        assert found(game)[0] == said


class ChangesTheClosing(Dishonest):
    """Says, with the round, that the deadline of blue had passed, that blue was away, or that it was another day."""

    change: ClassVar[dict[str, object]] = {}

    def note_round(self, come: Closing) -> None:
        super().note_round(replace(come, **(self.change if come.adjudication == 2 else {})))  # type: ignore[arg-type]


class FitsTheDigest(ChangesTheClosing):
    """Puts right the digest of what was closed, too."""

    def note_round(self, come: Closing) -> None:
        if come.adjudication == 2 and (state := self.ledger.state()) is not None:
            inputs = self.ledger.seed(2, state).inputs
            closed = closed_digest(inputs, Circumstances(come.day, frozenset(["blue"]), frozenset(come.absent)))
            come = replace(come, late=["blue"], closed=closed)
        super().note_round(come)


@pytest.mark.parametrize(
    "change", quick_first([{"late": ["blue"]}, {"absent": ["blue"]}, {"day": "2099-12-31"}, {"closed": "0" * 64}])
)
@pytest.mark.parametrize("referee", [ChangesTheClosing, FitsTheDigest])
def test_a_closing_changed_with_its_round_shows(
    folder: Folder, referee: type[ChangesTheClosing], change: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee, "change", change)
    with begun(folder, referee, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        go_on(game, THIRD)
        said = "with the round something else is changed: only its signature is put in, or why it is missing"
        assert found(game)[0] == f"beacon.yaml: {said}"


class SaysLateAfterwards(Dishonest):
    """Plays turn 2 as if the deadline of blue had passed, and says nothing of it when the sheets are closed."""

    def played(self, n: int, played: Played) -> Played:
        return replace(played, at=played.at._replace(late=frozenset({"blue"}))) if n == 2 else played


def test_somebody_late_who_was_not_at_the_closing_shows(folder: Folder) -> None:
    with begun(folder, SaysLateAfterwards, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        go_on(game, THIRD)
        assert found(game)[0] == "turn 2: what went into it is not what was closed before its round was known"


class GoesBackToARound(Dishonest):
    """Lets the round of turn 1 decide turn 2 too, which has sheets: it has been out for long."""

    def stated(self, n: int, stated: dict[str, object]) -> dict[str, object]:
        return stated | ({"beacon": {"round": FIRST, "signature": PUBLISHED[FIRST]}} if n == 2 else {})


def test_a_round_that_is_out_already_shows(folder: Folder) -> None:
    with begun(folder, GoesBackToARound, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        go_on(game, THIRD)
        assert f"turn 2: sheets went into it when round {FIRST} of the beacon was known" in found(game)


class CallsTheRoundMissing(Dishonest):
    """Calls the round missing in turn 2 only, so that the dice are made without its signature."""

    def stated(self, n: int, stated: dict[str, object]) -> dict[str, object]:
        return stated | (
            {"beacon": {"round": SECOND, "missing": "never seen"}} if n == 2 and "beacon" in stated else {}
        )


def test_a_round_called_missing_in_its_turn_alone_shows(folder: Folder) -> None:
    with begun(folder, CallsTheRoundMissing, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        go_on(game, THIRD)
        assert found(game)[0] == f"turn 2: what it says of round {SECOND} is not what was put in before it"


def test_the_reason_for_a_missing_round_turns_no_dice(tmp_path: Path) -> None:
    games = []
    for name, reason in (("one", "drand is down"), ("other", "drand has been down for an hour")):
        game = begun(Folder(tmp_path / name), Dishonest, beacon=True)
        game.moment = time_of(FIRST)
        game.miss_round(FIRST, reason)
        close(game, SECOND)
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        games.append(game)
    one, other = games
    with one, other:
        assert one.ledger.public_turn(1)["beacon"] != other.ledger.public_turn(1)["beacon"]
        assert dice(one) == dice(other)
        assert [one.view(side) for side in ("red", "blue")] == [other.view(side) for side in ("red", "blue")]
        assert found(one, with_key=True) == found(other, with_key=True) == []


def test_a_round_called_missing_can_be_looked_up(folder: Folder) -> None:
    """The record is right by itself, and names the round: its signature, wherever it is published, refutes it."""
    with begun(folder, Dishonest, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.moment = time_of(SECOND)
        game.miss_round(SECOND, "nobody could reach drand")
        go_on(game, THIRD)
        assert found(game, with_key=True) == []
        said = game.ledger.public_turn(2)["beacon"]
        assert said == {"round": SECOND, "missing": "nobody could reach drand"}
        check_signature(said["round"], PUBLISHED[SECOND])


class NamesARoundOfItsOwn(Dishonest):
    """Puts in a signature that is not drand's."""

    def note_round(self, come: Closing) -> None:
        super().note_round(replace(come, signature=PUBLISHED[FOURTH]) if come.adjudication == 2 else come)


@pytest.mark.slow
def test_a_signature_that_is_not_the_rounds_shows(folder: Folder) -> None:
    with begun(folder, NamesARoundOfItsOwn, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        close(game, SECOND)
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        go_on(game, THIRD)
        assert found(game)[0] == f"turn 2: this is not drand's signature of round {SECOND}"
