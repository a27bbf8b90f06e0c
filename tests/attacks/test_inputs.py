"""Attacks on what goes into the dice: digests left out, days set back, and words that once turned dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pbem.protocol import Event
from pbem.referee.acts.consents import propose
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.rollback import roll_back
from pbem.referee.play.played import Played
from pbem.repo.files.layout import turn_path
from pbem.repo.files.requests import ROLLBACK
from tests.attacks.base import STANDING, Dishonest, begun, dice, found, found_by_small, go_on
from tests.support.live import Folder
from tests.support.soak import quick_first

# ---- standing orders


class LeavesOutStandingOrders(Dishonest):
    """Leaves the digest of a side's standing orders out of turn 6: 2 dice to choose from for each side."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if n == 6:
            assert stated.pop("standing")
        return stated


def test_standing_orders_left_out_of_a_turn_show(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, LeavesOutStandingOrders) as game:
        go_on(game, 12, more=STANDING)
        said = "turn 6: it leaves out the digest of the standing orders of red, which are on file"
        assert found(game)[0] == said
        assert found_by_small(game, tmp_path) == "turn 6: the digest of the standing orders of ['red'] is left out"


class NeverNamesStandingOrders(Dishonest):
    """Never names the digest of standing orders."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        stated.pop("standing", None)
        return stated


def test_standing_orders_that_are_never_named_show(folder: Folder) -> None:
    with begun(folder, NeverNamesStandingOrders) as game:
        go_on(game, 6, more=STANDING)
        said = "turn 2: it leaves out the digest of the standing orders of red, which are on file"
        assert found(game)[0] == said


class NamesOtherStandingOrders(Dishonest):
    """Names another digest in turn 6, though none were filed since."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        return stated | ({"standing": {"red": "0" * 64}} if n == 6 else {})


def test_another_digest_of_standing_orders_shows(folder: Folder) -> None:
    with begun(folder, NamesOtherStandingOrders) as game:
        go_on(game, 12, more=STANDING)
        assert (
            found(game)[0] == "turn 6: it names other standing orders of red than turn 5, but none were filed between"
        )


class FilesOtherStandingOrders(Dishonest):
    """Names a digest that fits nothing with the turn after the filing, and ever after."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        return stated | ({"standing": {"red": "0" * 64}} if "standing" in stated else {})


def test_a_digest_that_fits_no_standing_orders_shows_at_the_end(folder: Folder) -> None:
    with begun(folder, FilesOtherStandingOrders) as game:
        go_on(game, 6, more=STANDING)
        assert found(game) == []
        said = "turn 2: the standing orders of red are not those whose digest went in"
        assert said in found(game, with_key=True)


# ---- sheets, and the day


class PassesOverASheet(Dishonest):
    """Leaves the sheet of red out of turn 3, although it was accepted."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if n == 3 and "sheets" in stated:
            stated["sheets"] = {side: paths for side, paths in stated["sheets"].items() if side != "red"}
        return {word: value for word, value in stated.items() if value}


def test_a_sheet_that_is_passed_over_shows(folder: Folder) -> None:
    with begun(folder, PassesOverASheet) as game:
        go_on(game, 6)
        assert found(game)[0] == "turn 3: it passes over sheets/red/000/0002.age, which was committed before it"


class UsesASheetTwice(Dishonest):
    """Names the sheet of red that turn 2 used in turn 3 too."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if n == 3 and "red" in stated.get("sheets", {}):
            again = self.ledger.public_turn(2)["sheets"]["red"]
            stated["sheets"] = {**stated["sheets"], "red": again | stated["sheets"]["red"]}
        return stated


def test_a_sheet_that_is_used_twice_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, UsesASheetTwice) as game:
        go_on(game, 6)
        assert found(game)[0] == "turn 3: it uses sheets/red/000/0001.age, which was committed after turn 1"
        said = "turn 3: sheets/red/000/0001.age is not the next sheet"
        assert found_by_small(game, tmp_path) == said


class NamesAFalseDigest(Dishonest):
    """Names a digest in turn 3 that is not that of the sheet of red: any number would do."""

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        if n == 3 and "red" in stated.get("sheets", {}):
            stated["sheets"] = {**stated["sheets"], "red": {"sheets/red/000/0002.age": "0" * 64}}
        return stated


def test_a_false_digest_of_a_sheet_shows_at_the_end(folder: Folder) -> None:
    """Its writer has the salt of the true one and finds it on the day."""
    with begun(folder, NamesAFalseDigest) as game:
        go_on(game, 6)
        assert found(game) == []
        said = "sheets/red/000/0002.age: it is not the sheet whose digest went into turn 3"
        assert said in found(game, with_key=True)


class SetsTheDayBack(Dishonest):
    """Says that turn 4 was made long ago, so that standing orders have not expired."""

    def played(self, n: int, played: Played) -> Played:
        return replace(played, at=played.at._replace(day="2001-01-01")) if n == 4 else played


def test_a_day_that_goes_back_shows(folder: Folder, tmp_path: Path) -> None:
    with begun(folder, SetsTheDayBack) as game:
        go_on(game, 8)
        assert found(game)[0].startswith("turn 4: its day, 2001-01-01, is before that of the turn before, ")
        assert found_by_small(game, tmp_path) == "turn 4: its day is before that of the turn before"


class DatesAhead(Dishonest):
    """Says that turn 4 is made in a hundred years, so that standing orders have expired."""

    def played(self, n: int, played: Played) -> Played:
        return replace(played, at=played.at._replace(day="2126-01-01")) if n >= 4 else played


def test_a_day_that_is_still_to_come_shows(folder: Folder) -> None:
    with begun(folder, DatesAhead) as game:
        go_on(game, 8)
        assert found(game)[0] == "turn 4: its day, 2126-01-01, is still to come"


def test_a_day_after_the_letter_that_made_the_turn_shows(folder: Folder) -> None:
    """The commit says when the letter came."""
    with begun(folder, Dishonest) as game:
        came = datetime.now(UTC)
        game.carry_out_letter_of(came, came)
        game.today = day = came.date() + timedelta(days=30)
        go_on(game, 2)
        first = next(n for n in count(1) if game.ledger.public_turn(n)["day"] == day.isoformat())
        assert f"turn {first}: its day, {day}, is after the time of its own commit" in found(game)


# ---- what is worded freely turns no dice


def twins(tmp_path: Path, referee: type[Dishonest], between: Callable[[Dishonest], object]) -> list[Dishonest]:
    """Play the same game twice, once with an honest referee; `between` is done to both. The caller closes both."""
    games = []
    for name, who in (("true", Dishonest), ("forged", referee)):
        game = begun(Folder(tmp_path / name), who)
        go_on(game, 6)
        between(game)
        go_on(game, 5, seed=2)
        games.append(game)
    return games


class AddsAnEvent(Dishonest):
    """Adds an event to turn 3."""

    def played(self, n: int, played: Played) -> Played:
        if n == 3:
            played.outcome.events.append(Event("rain"))
        return played


class TurnsEventsRound(Dishonest):
    """Tells the events of turn 2 in another order."""

    def played(self, n: int, played: Played) -> Played:
        if n == 2:
            played.outcome.events.reverse()
        return played


@pytest.mark.parametrize(
    ("referee", "said"), quick_first([(AddsAnEvent, "turn 3: events "), (TurnsEventsRound, "turn 2: events 1")])
)
def test_other_events_turn_no_dice_and_show_at_the_end(referee: type[Dishonest], said: str, tmp_path: Path) -> None:
    true, forged = twins(tmp_path, referee, lambda game: None)
    with true, forged:
        assert dice(true) == dice(forged)
        assert any(rolls is not None for _, rolls in dice(true))
        assert found(true, with_key=True) == found(forged) == []
        assert found(forged, with_key=True)[0].startswith(said)


@pytest.mark.slow
def test_the_reason_of_an_act_turns_no_dice(tmp_path: Path) -> None:
    reasons = iter(("the wrong map was sent", "the wrong map was sent, and so on"))
    one, other = twins(tmp_path, Dishonest, lambda game: roll_back(game, 2, next(reasons)))
    with one, other:
        assert dice(one) == dice(other)
        n = next(n for n in range(1, one.adjudication) if "act" in one.ledger.public_turn(n))
        assert one.ledger.public_turn(n)["act"] != other.ledger.public_turn(n)["act"]
        assert found(one, with_key=True) == found(other, with_key=True) == []


@pytest.mark.slow
def test_a_rollback_merely_asked_for_turns_no_dice(tmp_path: Path) -> None:
    games = iter((lambda game: None, lambda game: propose(game, None, Proposal(ROLLBACK, to=2), "please")))
    one, other = twins(tmp_path, Dishonest, lambda game: next(games)(game))
    with one, other:
        assert other.requests["made"] == 1
        for n in range(1, one.adjudication + 1):
            assert one.ledger.repo.read(turn_path(n)) == other.ledger.repo.read(turn_path(n))
        assert found(other, with_key=True) == []


def test_the_remarks_of_a_sheet_turn_no_dice(tmp_path: Path) -> None:
    """The same orders with another remark, more blanks and other quotes roll the same; their texts are bound apart."""
    remarks = iter((b"# for the glory of the hill\n", b"#  as you  like it\n\n"))
    with_remark = lambda game: go_on(game, 1, seed=3, more=next(remarks))  # noqa: E731
    one, other = twins(tmp_path, Dishonest, with_remark)
    with one, other:
        assert dice(one) == dice(other)
        n = next(n for n in range(1, one.adjudication) if said(one, n, "texts") != said(other, n, "texts"))
        assert said(one, n, "sheets") == said(other, n, "sheets")
        assert found(one, with_key=True) == found(other, with_key=True) == []


def said(game: Dishonest, n: int, word: str) -> object:
    return game.ledger.public_turn(n).get(word)
