"""The clock is derived again: a true game verifies, and whatever a dishonest referee changes in it is found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.crypto.signing import sign
from pbem.game import yaml as yamlio
from pbem.referee.acts.timekeeping import (
    end_pause,
    extend_time,
    note_away,
    note_back,
    note_bounced,
    note_down,
    note_reached,
    pause_game,
)
from pbem.referee.game.calendar import read_instant
from pbem.repo.files.layout import CLOCK, FACTS, fact_path, sheet_path
from tests.support.clocked import DAY, HOUR, Table
from tests.support.forging import Sign, Tale
from tests.support.live import Folder
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS


class Scene:
    """A true game with a clock, and what is found wrong with another tale of it."""

    def __init__(self, folder: Folder, tale: Tale, true: Sign, forged: Path) -> None:
        self.folder, self.tale, self.true, self.forged = folder, tale, true, forged
        self.made = 0

    def found(self, tale: Tale, *, with_key: bool = False) -> list[str]:
        self.made += 1
        path = tale.tell(self.forged / str(self.made), self.true)
        return found(path, self.folder if with_key else None)


def found(path: Path, folder: Folder | None) -> list[str]:
    keys = None if folder is None else partial(Keys.load, folder.keys)
    return [str(each) for each in verify(path, keys=keys, folders=FOLDERS).findings.sorted]


def everything(table: Table) -> None:
    """Let all happen that can happen to a clock."""
    game = table.game
    table.wait(HOUR)
    table.ask()
    table.wait(2 * HOUR)
    table.answer("blue")
    table.wait(DAY)
    table.answer("red")
    table.wait(HOUR)
    table.ask()
    side = table.asked()[0]
    table.wait(HOUR)
    note_away(game, side, (table.now + DAY).date(), (table.now + 2 * DAY).date(), "away 1")
    table.wait(2 * DAY)
    note_back(game, side)
    pause_game(game, table.now + 3 * DAY, "we meet at a fair")
    table.wait(DAY)
    end_pause(game, "the fair is over")
    extend_time(game, {side: table.now + 20 * DAY}, "they have moved house")
    table.wait(HOUR)
    note_bounced(game, side, table.now - HOUR / 2)
    table.wait(2 * DAY)
    note_reached(game, side)
    table.wait(18 * DAY)
    note_down(game, table.now - 7 * HOUR, table.now)
    assert not table.late()
    table.wait(7 * HOUR)
    assert table.late()
    for _ in range(6):
        table.wait(HOUR)
        table.ask()
        table.wait(5 * HOUR)
        if table.asked():
            table.answer(table.asked()[0])


@pytest.fixture(scope="module")
def true(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = Folder(tmp_path_factory.mktemp("true"))
    table = Table(folder)
    everything(table)
    key = partial(sign, table.game.ledger.keys.signing)
    table.game.close()
    return Scene(folder, Tale.of(folder.repo("punica")), key, tmp_path_factory.mktemp("forged"))


def test_a_true_game_is_derived_again(true: Scene) -> None:
    assert true.found(true.tale) == []
    assert found(true.folder.repo("punica"), true.folder) == []
    messages = [message.partition("\n")[0] for message, _ in true.tale.commits]
    late = messages.index("punica: red late")
    assert messages[late + 1] == "punica: adjudication 3"  # the decision is on record before the link is opened


def edited(tale: Tale, path: str, edit: Callable[[dict[str, Any]], None], version: int = 0) -> Tale:
    """Return a tale in which one version of a file in clear says something else, well written."""
    other = tale.copy()
    said = yamlio.read(other.content(path, version), name=path).value
    edit(said)
    other.put(path, yamlio.dump(said).encode(), version)
    return other


@pytest.mark.parametrize(
    ("path", "version", "word", "value", "reason"),
    quick_first(
        [
            (fact_path(2), 0, "sides", {"blue": "2026-11-23T15:30:00Z", "red": "2026-11-23T16:00:00Z"}, "blue, since"),
            (
                fact_path(2),
                0,
                "sides",
                {"blue": "2026-11-23T16:00:00Z", "red": "2026-11-22T16:00:00Z"},
                "before the quest",
            ),
            (fact_path(2), 0, "at", "2026-11-23T17:00:00Z", "and the commit of 2026-11-23T16:00:00Z"),
            (fact_path(3), 0, "last", "2026-12-25", "days of vacation left in 2026, of 10"),
            (fact_path(5), 0, "until", "2026-12-25T00:00:00Z", "a pause of this game is 7d at most"),
            (fact_path(7), 0, "sides", {"red": "2026-11-27T00:00:00Z"}, "anyway"),
            (fact_path(8), 0, "since", "2026-11-20T00:00:00Z", "can have bounced"),
            (fact_path(10), 0, "since", "2026-12-16T12:00:00Z", "no longer than the grace"),
            (fact_path(12), 0, "sides", {"blue": "2026-12-16T18:00:00Z"}, "not the sides whose deadline has passed"),
            (fact_path(12), 0, "at", "2026-12-16T23:00:00Z", "not the sides whose deadline has passed"),
            (CLOCK, 5, "time", "2026-11-23T15:30:00Z", "time: it says 2026-11-23T15:30:00Z"),
        ],
        4,
    ),
)
def test_a_fact_that_is_changed_shows(
    true: Scene, path: str, version: int, word: str, value: object, reason: str
) -> None:
    tale = edited(true.tale, path, lambda said: said.update({word: value}), version)
    blamed = true.found(tale)
    assert any(reason in each for each in blamed), blamed


@pytest.mark.parametrize(
    ("number", "word", "value"),
    quick_first(
        [
            (8, "side", "nobody"),
            (8, "side", ["red"]),
            (3, "last", "9999-12-31"),
            (3, "first", "0001-01-01"),
            (5, "request", "x"),
        ],
        2,
    ),
)
def test_a_fact_that_means_nothing_is_blamed(true: Scene, number: int, word: str, value: object) -> None:
    """Whoever signs the commits may write anything; it must not keep `verify` from saying so."""
    tale = edited(true.tale, fact_path(number), lambda said: said.update({word: value}))
    assert any("no clock can be moved on" in each for each in true.found(tale))


def test_a_clock_without_one_of_its_sides_is_blamed(true: Scene) -> None:
    def without(said: dict[str, Any]) -> None:
        del said["sides"]["red"]

    assert any("KeyError: 'red'" in each for each in true.found(edited(true.tale, CLOCK, without, 5)))


def test_a_bank_that_is_changed_shows(true: Scene) -> None:
    def more(said: dict[str, Any]) -> None:
        said["sides"]["red"]["bank"] = "5d"

    assert any("red, bank: it says 5d" in each for each in true.found(edited(true.tale, CLOCK, more, 5)))


def test_a_sheet_of_another_time_shows(true: Scene) -> None:
    tale = true.tale.copy()
    (at,) = tale.where(sheet_path("red", 2))
    tale.dates[at] -= 3600
    assert any("answered" in each for each in true.found(tale))


def test_a_fact_left_out_or_doubled_shows(true: Scene) -> None:
    """A fact is not on record, or is there twice that can be true once only."""
    facts = [path for path in true.tale.paths() if path.startswith(FACTS)]
    kinds = {path: yamlio.read(true.tale.content(path), name=path).value["what"] for path in facts}
    for kind in ("asked", "away", "extended", "down", "late"):
        tale = true.tale.copy()
        (at,) = tale.where(next(path for path in facts if kinds[path] == kind))
        del tale.commits[at], tale.dates[at]
        assert true.found(tale), f"{kind} left out"
    for kind in ("asked", "late"):
        tale, path = true.tale.copy(), next(path for path in facts if kinds[path] == kind)
        clock = yamlio.read(tale.content(CLOCK, -1), name=CLOCK).value
        clock["facts"] += 1
        said = yamlio.read(tale.content(path), name=path).value | {"fact": clock["facts"], "at": clock["time"]}
        files = {CLOCK: yamlio.dump(clock).encode(), fact_path(clock["facts"]): yamlio.dump(said).encode()}
        tale.commits.append((f"punica: {kind} again", dict(files)))
        tale.dates.append(int(read_instant(clock["time"]).timestamp()))
        assert any("the fact that it brings cannot be" in each for each in true.found(tale)), f"{kind} doubled"


def test_a_fact_with_a_number_too_high_shows(true: Scene) -> None:
    tale = true.tale.copy()
    last = max(path for path in tale.paths() if path.startswith(FACTS))
    (at,) = tale.where(last)
    said = yamlio.read(tale.content(last), name=last).value
    said["fact"] += 1
    del tale.commits[at][1][last]
    tale.commits[at][1][fact_path(said["fact"])] = yamlio.dump(said).encode()
    assert any("is not fact" in each for each in true.found(tale))


def test_a_fact_changed_later_shows(true: Scene) -> None:
    tale = true.tale.copy()
    tale.commits[-1][1][fact_path(2)] = tale.content(fact_path(3))
    assert any("must stay as it was" in each for each in true.found(tale))


def test_a_clock_in_a_game_without_one_shows(true: Scene, tmp_path: Path) -> None:
    tale = edited(true.tale, "game.yaml", lambda said: said.pop("clock"))
    assert any("publishes no clock" in each for each in true.found(tale))
