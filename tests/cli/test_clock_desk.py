"""The verbs that change the time of games: more time, a pause, its end, and a hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pbem.cli.runtime import DONE, USAGE, WORLD
from pbem.referee.acts.timekeeping import hand_over
from pbem.referee.game.side_clocks import deadline
from tests.support.clocked import CLOCK
from tests.support.command_line import pbem, said, told
from tests.support.live import OTHERS, SECRETS, Folder, order, sheet
from tests.support.read_letters import outbox

pytestmark = pytest.mark.usefixtures("in_the_folder")
WHY = ("--reason", "a move")


@pytest.fixture
def spring(folder: Folder) -> Folder:
    """Return a folder of a game with a clock, that both sides have the letter of, and of one without."""
    with folder.create(name="spring-1", clock=CLOCK, secrets=SECRETS) as game:
        hand_over(game, dict.fromkeys(game.rules.sides, datetime.now(UTC)))
    folder.create(name="spring-2", secrets=OTHERS).close()
    return folder


def until(folder: Folder, side: str = "red") -> datetime:
    with folder.open("spring-1") as game:
        terms, clocks = game.clock.terms, game.clock.read()
        assert terms is not None
        assert clocks is not None
        at = deadline(terms, clocks, side)
        assert at is not None
        return at


def test_extend_gives_more_time_and_says_so(spring: Folder) -> None:
    before, blue = until(spring), until(spring, "blue")
    ran = pbem("extend", "spring-*", "--by", "1d 12h", "--side", "red", *WHY)
    assert ran.exit_code == WORLD
    assert "spring-1: more time: red until " in ran.stdout
    assert "spring-2: nothing was done: spring-2 has no clock" in ran.stderr
    assert "pbem extend spring-2 --by '1d 12h' --side red --reason 'a move'" in ran.stderr
    assert until(spring) == before + timedelta(hours=36)
    assert until(spring, "blue") == blue
    letters = outbox(spring)
    assert [subject for _, subject, _ in letters] == ["spring-1: more time"] * 2
    later = (before + timedelta(days=9)).replace(microsecond=0)
    (row,) = told(DONE, "extend", "spring-1", "--until", later.isoformat(), *WHY)["games"]
    assert row["until"] == dict.fromkeys(("red", "blue"), f"{later:%Y-%m-%dT%H:%M:%SZ}")
    assert until(spring) == later
    for words in (("--by", "soon"), ("--until", "Easter"), ()):
        assert pbem("extend", "spring-1", *words, *WHY).exit_code == USAGE


def test_pause_and_resume_stop_the_clocks(spring: Folder) -> None:
    before = until(spring)
    assert "spring-1: paused until " in said(DONE, "pause", "spring-1", *WHY)
    assert until(spring) > before + timedelta(days=6)
    assert "paused" in said(DONE, "status", "spring-1")
    assert pbem("pause", "spring-1", *WHY).exit_code == WORLD
    said(DONE, "resume", "spring-1", *WHY)
    assert until(spring) - before < timedelta(minutes=5)
    assert [subject for _, subject, _ in outbox(spring)].count("spring-1: goes on") == 2


def test_where_the_game_master_plays_the_others_are_asked(folder: Folder) -> None:
    with folder.create(name="spring-1", clock={**CLOCK, "master": "red"}) as game:
        hand_over(game, dict.fromkeys(game.rules.sides, datetime.now(UTC)))
    (row,) = told(DONE, "pause", "spring-1", *WHY)["games"]
    assert (row["request"], len(row["letters"])) == (1, 1)
    (to,) = [to for to, _, text in outbox(folder) if "CONSENT spring-1 1" in text]
    assert to == "blue@example.org"
    (row,) = told(DONE, "extend", "spring-1", "--by", "2d", *WHY)["games"]
    assert row["request"] == 2
    with folder.open("spring-1") as game:
        clocks = game.clock.read()
        assert clocks is not None
        assert not clocks.pauses


def test_a_game_on_hold_takes_orders_and_does_not_go_on(spring: Folder) -> None:
    assert "spring-1: on hold until " in said(DONE, "hold", "spring-1", "--for", "2h", "--reason", "a rule is doubted")
    assert {subject for _, subject, _ in outbox(spring)} == {"spring-1: on hold"}
    for side in ("red", "blue"):
        with spring.open("spring-1") as game:
            own = sheet(game, side, order("bury", card=game.view(side).hands[side][0]))
        said(DONE, "submit", "spring-1", "--side", side, "-", stdin=own)
    with spring.open("spring-1") as game:
        assert (game.adjudication, game.sheets("blue")) == (1, 1)
    (row,) = told(DONE, "hold", "spring-*1", "--release", *WHY)["games"]
    assert row["until"] is None
    said(DONE, "adjudicate", "spring-1")
    with spring.open("spring-1") as game:
        assert game.adjudication > 1
    assert pbem("hold", "spring-1", *WHY).exit_code == USAGE
