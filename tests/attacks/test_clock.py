"""A dishonest referee of a game with a clock: calls a side late too early, or without a call, or lets one off."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.protocol import Side
from pbem.referee.acts import timekeeping
from pbem.referee.acts.consents import carry_out_request, note_consent, propose
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.timekeeping import catch_up, end_pause, hand_over, pause_game
from pbem.referee.game import facts
from pbem.referee.game.game_clock import GameClock
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.side_clocks import Clocks, take_over
from pbem.referee.game.terms import Terms
from pbem.referee.play import adjudicator, clocked
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import PAUSE
from tests.support.clocked import CLOCK, DAY, HOUR, Table
from tests.support.live import Folder
from tests.support.walks import FOLDERS


class Rigged(Table):
    """A table whose referee may be dishonest while a test patches it."""

    def begun(self) -> Rigged:
        self.wait(HOUR)
        self.ask()
        self.wait(2 * HOUR)
        self.answer("blue")
        self.answer("red")
        self.wait(HOUR)
        self.ask()
        return self

    def verdict(self, folder: Folder, *, with_key: bool = False) -> list[str]:
        keys = partial(Keys.load, folder.keys) if with_key else None
        verdict = verify(folder.repo("punica"), keys=keys, folders=FOLDERS)
        return [str(each) for each in verdict.findings.sorted]


def test_a_side_called_late_too_early_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder).begun()
    table.wait(DAY)
    with monkeypatch.context() as patch:
        for module in (facts, timekeeping):
            patch.setattr(module, "late_at", lambda terms, clocks, now: _too_early(clocks, now))
        assert catch_up(table.game)
    for with_key in (False, True):
        assert any("deadline has passed first" in each for each in table.verdict(folder, with_key=with_key))


def _too_early(clocks: Clocks, now: datetime) -> dict[str, datetime]:
    return {side: now for side, clock in clocks.sides.items() if clock.runs and clock.called is None}


@pytest.mark.slow
def test_a_side_late_without_a_call_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder).begun()
    with monkeypatch.context() as patch:
        late = frozenset(table.asked())
        patch.setattr(GameClock, "called", lambda self: (late, frozenset()))
        assert table.wait(HOUR).adjudicate()
    for with_key in (False, True):
        blamed = table.verdict(folder, with_key=with_key)
        assert any("late" in each for each in blamed), blamed
    assert any("called late before it, and not answered, was nobody" in each for each in table.verdict(folder))


def test_a_late_side_that_is_let_off_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "late": "wait"}).begun()
    table.wait(9 * DAY)
    with monkeypatch.context() as patch:
        for module in (facts, timekeeping, clocked):
            patch.setattr(module, "late_at", lambda terms, clocks, now: {})
        table.answer(table.asked()[0])
    for with_key in (False, True):
        blamed = table.verdict(folder, with_key=with_key)
        assert any("late" in each for each in blamed), blamed
    assert any("and nobody was called late" in each for each in table.verdict(folder))


def test_a_letter_left_unread_until_its_side_was_late_shows(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "late": "wait"}).begun()
    side = table.asked()[0]
    table.wait(9 * DAY)
    table.late()
    table.now -= 8 * DAY
    table.answer(side)
    for with_key in (False, True):
        assert any("before it was read" in each for each in table.verdict(folder, with_key=with_key))


def test_a_forfeit_that_is_not_declared_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "forfeit": 1, "pace": {"bank": "1d"}})
    table.ask("red")
    table.wait(2 * DAY)
    with monkeypatch.context() as patch:
        patch.setattr(timekeeping, "_forfeits", lambda *_: [])
        table.late()
    table.answer("red")
    table.answer("blue")
    assert any("should resign" in each for each in table.verdict(folder))


def test_time_that_a_new_player_is_given_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "late": "wait"}).begun()
    side = table.asked()[0]

    def generous(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> None:
        take_over(terms, clocks, side, at)
        clocks.sides[side].bank = 5 * DAY

    table.wait(HOUR)
    with monkeypatch.context() as patch:
        patch.setattr(clocked, "take_over", generous)
        table.game.change_player(side, "Carl", "carl@example.org", replaced=True)
    assert any(f"{side}, bank: it says 5d" in each for each in table.verdict(folder))


def test_a_new_player_in_place_of_a_call_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "late": "wait"}).begun()
    table.wait(9 * DAY)
    with monkeypatch.context() as patch:
        patch.setattr(adjudicator, "require_on_time", lambda game: None)
        table.game.change_player(table.asked()[0], "Carl", "carl@example.org", replaced=True)
    assert any("and nobody was called late" in each for each in table.verdict(folder))


def test_a_forfeit_is_not_covered_by_the_call_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Red is to resign; a later call of blue, who is not, must not let it be forgotten."""
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "forfeit": 2, "pace": {"bank": "1d"}})
    table.ask("red")
    table.wait(DAY + HOUR)
    table.ask("blue")
    table.wait(DAY)
    with monkeypatch.context() as patch:
        patch.setattr(timekeeping, "_forfeits", lambda *_: [])
        patch.setattr(Adjudicator, "adjudicate", lambda self: [])
        table.wait(HOUR)
        table.late()
    assert [table.clocks.sides[side].late for side in ("red", "blue")] == [2, 1]
    table.answer("red")
    table.answer("blue")
    assert any("red has been late 2 times and should resign" in each for each in table.verdict(folder))


def test_a_fact_beyond_what_the_sides_agreed_to_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee plays red. Blue agrees to a day for both; the referee records five days for red."""
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "master": "red"}).begun()
    game, until = table.game, table.now + 2 * DAY
    motion = propose(game, None, Proposal(PAUSE, until), "a fair")
    note_consent(game, "blue", motion.request, None)
    with pytest.raises(CannotPlay, match="is about something else"):
        pause_game(game, until + DAY, "a fair", request=motion.request)
    with monkeypatch.context() as patch:
        patch.setattr(timekeeping, "proposes", lambda *_: True)
        pause_game(game, until + DAY, "a fair", request=motion.request)
    for with_key in (False, True):
        assert any("request 1" in each for each in table.verdict(folder, with_key=with_key))


def test_a_fact_without_any_consent_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee plays red, and ends a pause that both have agreed to: blue's deadline would come earlier."""
    folder = Folder(tmp_path)
    table = Rigged(folder, {**CLOCK, "master": "red"}).begun()
    motion = propose(table.game, None, Proposal(PAUSE, table.now + 5 * DAY), "a fair")
    carry_out_request(table.game, note_consent(table.game, "blue", motion.request, None))
    assert table.verdict(folder, with_key=True) == []
    with pytest.raises(CannotPlay, match="ends at its time"):
        end_pause(table.wait(DAY), "I want to play")
    with monkeypatch.context() as patch:
        patch.setattr(timekeeping, "_require_consent", lambda *_: None)
        end_pause(table.game, "I want to play")
    for with_key in (False, True):
        assert any("the game master plays red" in each for each in table.verdict(folder, with_key=with_key))


def test_a_handing_over_that_is_stated_falsely_stays_as_stated(tmp_path: Path) -> None:
    """When a letter left is taken as stated; the letter itself shows it to whoever got it."""
    folder = Folder(tmp_path)
    table = Rigged(folder)
    table.wait(5 * DAY)
    hand_over(table.game, {"red": table.now - 4 * DAY, "blue": table.now})
    table.late()
    assert table.clocks.sides["red"].late == 1
    for with_key in (False, True):
        assert table.verdict(folder, with_key=with_key) == []
