"""The clock of each side, by its facts: banks, bonuses, fixed deadlines, stops, what falls due and in which order."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from pbem.referee.game.calendar import stamp
from pbem.referee.game.facts import (
    Asked,
    Away,
    Back,
    BadFact,
    Bounced,
    Down,
    Extended,
    Fact,
    Late,
    Paused,
    Reached,
    Resumed,
    days_left,
    fact_record,
    put,
    read_fact,
)
from pbem.referee.game.side_clocks import (
    Clocks,
    What,
    bank_at,
    close_question,
    deadline,
    expected,
    late_at,
    late_from,
    new_clocks,
    open_question,
    read_clocks,
    stop_clock,
    take_back,
    used_at,
)
from pbem.referee.game.terms import Terms, read_terms, terms_of_new_game

SIDES = ("carthage", "gaul", "rome")
T = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)  # a Monday
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PACE = {"bank": "3d", "bonus": "12h", "most": "5d"}


def terms(**said: Any) -> Terms:
    return read_terms({"pace": PACE, **said}, SIDES)


def asked(table: Terms, *sides: str, at: datetime = T) -> Clocks:
    """Return the clocks of a game in which some sides, by default all, have got a letter that asks."""
    clocks = new_clocks(table, SIDES, at)
    open_question(clocks, sides or SIDES, 7, at, SIDES)
    put(table, clocks, Asked(at, dict.fromkeys(sides or SIDES, at)))
    return clocks


def same(clocks: Clocks) -> Clocks:
    """Return clocks as they are read again from what is written of them."""
    again = read_clocks(clocks.record())
    assert again == clocks
    return again


def test_a_clock_runs_once_the_letter_was_handed_over() -> None:
    table = terms()
    clocks = new_clocks(table, SIDES, T)
    open_question(clocks, ["rome", "gaul"], 7, T, ["rome"])
    assert deadline(table, clocks, "rome") is None
    assert deadline(table, clocks, "gaul") == T + 3 * DAY  # no letter goes to it
    put(table, clocks, Asked(T + 5 * HOUR, {"rome": T + 4 * HOUR}))
    assert deadline(table, same(clocks), "rome") == T + 3 * DAY + 4 * HOUR
    with pytest.raises(BadFact, match="no letter to rome was waiting"):
        put(table, clocks, Asked(T + 6 * HOUR, {"rome": T + 6 * HOUR}))


def test_an_answer_charges_the_bank_and_earns_the_bonus() -> None:
    table = terms()
    clocks = asked(table)
    stop_clock(clocks, "rome", T + DAY, earns=True)
    stop_clock(clocks, "gaul", T + DAY, earns=False)
    assert deadline(table, clocks, "rome") is None
    assert used_at(table, clocks, "rome", T + 2 * DAY) == DAY
    for side in SIDES:
        close_question(table, clocks, side, T + 2 * DAY)
    assert {side: clocks.sides[side].bank for side in SIDES} == {
        "rome": 2 * DAY + 12 * HOUR,
        "gaul": 2 * DAY,  # a standing order, or a window
        "carthage": DAY,  # the bot, or the default of the game
    }
    assert clocks.sides["carthage"].used == 2 * DAY
    same(clocks)


def test_the_bank_holds_no_more_than_its_most() -> None:
    table = terms(pace={"bank": "3d", "bonus": "4d", "most": "5d"})
    clocks = asked(table, "rome")
    stop_clock(clocks, "rome", T + HOUR, earns=True)
    close_question(table, clocks, "rome", T + HOUR)
    assert clocks.sides["rome"].bank == 5 * DAY


def test_an_answer_taken_back_lets_the_clock_run_on() -> None:
    table = terms()
    clocks = asked(table, "rome")
    stop_clock(clocks, "rome", T + DAY, earns=True)
    take_back(clocks, "rome", T + 2 * DAY)
    assert deadline(table, clocks, "rome") == T + 3 * DAY
    stop_clock(clocks, "rome", T + 2 * DAY + HOUR, earns=True)
    close_question(table, clocks, "rome", T + 3 * DAY)
    assert clocks.sides["rome"].bank == 23 * HOUR + 12 * HOUR  # one bonus


def test_fixed_deadline_needs_notice() -> None:
    table = read_terms({"deadlines": ["sunday 20:00"], "zone": "Europe/Berlin"}, SIDES)
    assert deadline(table, asked(table), "rome") == datetime(2026, 11, 29, 19, 0, tzinfo=UTC)
    saturday = datetime(2026, 11, 28, 19, 0, tzinfo=UTC)
    assert deadline(table, asked(table, at=saturday), "rome") == saturday + DAY
    late = saturday + timedelta(seconds=1)
    assert deadline(table, asked(table, at=late), "rome") == saturday + 8 * DAY


def test_the_earlier_of_bank_and_fixed_deadline_counts() -> None:
    table = terms(deadlines=["sunday 20:00", "thursday 8:00"])
    assert deadline(table, asked(table), "rome") == datetime(2026, 11, 26, 8, 0, tzinfo=UTC)
    assert deadline(table, asked(table, at=T + 4 * DAY), "rome") == datetime(2026, 11, 29, 20, 0, tzinfo=UTC)


def test_vacation_in_the_middle_of_a_bank_stops_it() -> None:
    table = terms(zone="Europe/Berlin", away=5)
    clocks = asked(table)
    put(table, clocks, Away(T + HOUR, "rome", date(2026, 11, 24), date(2026, 11, 25)))
    assert deadline(table, same(clocks), "rome") == T + 5 * DAY
    assert deadline(table, clocks, "gaul") == T + 3 * DAY
    assert days_left(table, clocks, "rome", 2026) == 3
    with pytest.raises(BadFact, match="3 days of vacation left in 2026, of 5; this would take 4"):
        put(table, clocks, Away(T + HOUR, "rome", date(2026, 11, 28), date(2026, 12, 1)))
    put(table, clocks, Back(T + 2 * DAY, "rome"))
    assert deadline(table, clocks, "rome") == T + 3 * DAY + (2 * DAY - 11 * HOUR)
    assert days_left(table, clocks, "rome", 2026) == 3  # a day that has begun is used up


def test_vacation_over_new_year_counts_for_both_years() -> None:
    table = terms(away=3)
    clocks = asked(table)
    put(table, clocks, Away(T, "rome", date(2026, 12, 30), date(2027, 1, 3)))
    assert [days_left(table, clocks, "rome", year) for year in (2026, 2027, 2028)] == [1, 0, 3]
    with pytest.raises(BadFact, match="left in 2027"):
        put(table, clocks, Away(T, "rome", date(2027, 5, 1), date(2027, 5, 1)))
    with pytest.raises(BadFact, match="have passed"):
        put(table, clocks, Away(T, "rome", date(2026, 11, 1), date(2026, 11, 2)))


def test_fixed_deadline_in_a_vacation_is_the_next() -> None:
    table = read_terms({"deadlines": ["sunday 20:00"]}, SIDES)
    clocks = asked(table)
    put(table, clocks, Away(T, "rome", date(2026, 11, 29), date(2026, 11, 29)))
    assert deadline(table, clocks, "rome") == datetime(2026, 12, 6, 20, 0, tzinfo=UTC)


def test_fixed_deadline_in_a_vacation_is_moved_by_the_terms() -> None:
    table = read_terms({"deadlines": ["sunday 20:00"], "stopped": "moved"}, SIDES)
    clocks = asked(table)
    put(table, clocks, Away(T, "rome", date(2026, 11, 29), date(2026, 11, 29)))
    assert deadline(table, clocks, "rome") == datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
    assert deadline(table, clocks, "carthage") == datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
    put(table, clocks, Away(T, "rome", date(2026, 11, 28), date(2026, 12, 4)))  # a day and 20 hours are left
    assert deadline(table, clocks, "rome") == datetime(2026, 12, 6, 20, 0, tzinfo=UTC)
    put(table, clocks, Away(T, "rome", date(2026, 12, 6), date(2026, 12, 6)))  # a day of them has passed
    assert deadline(table, clocks, "rome") == datetime(2026, 12, 7, 20, 0, tzinfo=UTC)
    late = asked(table, at=T + 5 * DAY)  # on Saturday, which is in the vacation
    put(table, late, Away(late.time, "rome", date(2026, 11, 28), date(2026, 11, 29)))
    assert deadline(table, late, "rome") == datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


def test_terms_of_a_new_game_move_a_deadline_in_a_vacation() -> None:
    said = {"deadlines": ["sunday 20:00"]}
    assert terms_of_new_game(said, SIDES).record()["stopped"] == "moved"
    assert "stopped" not in read_terms(said, SIDES).record()
    skipped = terms_of_new_game({**said, "stopped": "skipped"}, SIDES)
    assert terms_of_new_game(skipped.record(), SIDES) == skipped


def test_pause_stops_every_clock_until_its_end() -> None:
    table = terms(pause="10d")
    clocks = asked(table)
    with pytest.raises(BadFact, match="10d at most"):
        put(table, clocks, Paused(T + DAY, T + 12 * DAY, "too long"))
    put(table, clocks, Paused(T + DAY, T + 8 * DAY, "a fair"))
    assert deadline(table, same(clocks), "rome") == T + 10 * DAY
    with pytest.raises(BadFact, match="paused already"):
        put(table, clocks, Paused(T + 2 * DAY, T + 9 * DAY, "again"))
    put(table, clocks, Resumed(T + 3 * DAY, "all are back"))
    assert deadline(table, same(clocks), "rome") == T + 5 * DAY


def test_bounce_stops_the_clock_until_the_side_is_reached() -> None:
    table = terms()
    clocks = asked(table)
    put(table, clocks, Bounced(T + 2 * DAY, "rome", T + HOUR))
    assert deadline(table, same(clocks), "rome") is None
    assert late_at(table, clocks, T + 30 * DAY) == {"carthage": T + 3 * DAY, "gaul": T + 3 * DAY}
    assert used_at(table, clocks, "rome", T + 2 * DAY) == HOUR
    put(table, clocks, Reached(T + 2 * DAY + HOUR, "rome"))
    assert deadline(table, same(clocks), "rome") == T + 2 * DAY + HOUR + 3 * DAY - HOUR


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (DAY, DAY + 7 * HOUR, 3 * DAY + 7 * HOUR),  # long before the deadline: the clock stood still
        (3 * DAY - 7 * HOUR, 3 * DAY - HOUR, None),  # no longer than the grace: it is not noted
        (3 * DAY - 7 * HOUR, 3 * DAY - HOUR / 2, 3 * DAY + 6.5 * HOUR),
        (3 * DAY - HOUR, 3 * DAY + 9 * HOUR, 3 * DAY + 15 * HOUR),
        (2 * DAY, 3 * DAY - 6 * HOUR, 3 * DAY + 18 * HOUR),
    ],
)
def test_clock_stands_still_while_the_service_is_down(
    since: timedelta, until: timedelta, expected: timedelta | None
) -> None:
    table = terms(grace="6h")
    clocks = asked(table)
    fact = Down(T + until, T + since, T + until)
    if expected is None:
        with pytest.raises(BadFact, match="no longer than the grace"):
            put(table, clocks, fact)
        return
    put(table, clocks, fact)
    assert deadline(table, same(clocks), "rome") == T + expected


def test_extension_puts_off_a_running_deadline_alone() -> None:
    table = terms()
    clocks = asked(table, "rome")
    with pytest.raises(BadFact, match="no deadline of gaul is running"):
        put(table, clocks, Extended(T, {"gaul": T + 9 * DAY}, "why"))
    with pytest.raises(BadFact, match="has time until"):
        put(table, clocks, Extended(T, {"rome": T + DAY}, "why"))
    put(table, clocks, Extended(T, {"rome": T + 9 * DAY}, "they have moved house"))
    assert deadline(table, same(clocks), "rome") == T + 9 * DAY
    stop_clock(clocks, "rome", T + 8 * DAY, earns=True)
    close_question(table, clocks, "rome", T + 8 * DAY)
    assert clocks.sides["rome"].bank == 12 * HOUR
    assert clocks.sides["rome"].extended is None


def test_a_letter_of_the_same_second_wins() -> None:
    table = terms()
    clocks = asked(table)
    assert late_at(table, clocks, T + 3 * DAY) == {}
    assert late_at(table, clocks, T + 3 * DAY + timedelta(seconds=1)) == dict.fromkeys(SIDES, T + 3 * DAY)


def test_sides_are_called_late_in_the_order_of_their_deadlines() -> None:
    table = terms()
    clocks = asked(table)
    put(table, clocks, Extended(T, {"gaul": T + 4 * DAY}, "why"))
    night = T + 6 * DAY
    first = late_at(table, clocks, night)
    assert first == {"carthage": T + 3 * DAY, "rome": T + 3 * DAY}
    for wrong in ({"gaul": T + 4 * DAY}, {**first, "gaul": T + 4 * DAY}, {"rome": T + 3 * DAY}):
        with pytest.raises(BadFact, match="deadline has passed first"):
            put(table, same(clocks), Late(night, wrong))
    with pytest.raises(BadFact, match="nobody was called late"):
        put(table, clocks, Paused(night, night + DAY, "too late to pause"))
    put(table, clocks, Late(night, first))
    assert late_at(table, same(clocks), night) == {"gaul": T + 4 * DAY}
    put(table, clocks, Late(night, {"gaul": T + 4 * DAY}))
    assert late_at(table, clocks, night + 90 * DAY) == {}  # nothing more is to be decided
    assert [clocks.sides[side].late for side in SIDES] == [1, 1, 1]


def test_a_late_side_is_called_again_where_it_may_forfeit() -> None:
    table = terms(forfeit=3)
    clocks = asked(table, "rome")
    put(table, clocks, Late(T + 4 * DAY, {"rome": T + 3 * DAY}))
    assert late_at(table, clocks, T + 4 * DAY) == {"rome": T + 3 * DAY + 12 * HOUR}  # a bonus later
    assert bank_at(table, clocks, "rome", T + 3 * DAY) == 12 * HOUR


@pytest.mark.parametrize("after", [HOUR, 2 * DAY])
def test_a_late_answer_leaves_the_bonus_and_no_more(after: timedelta) -> None:
    table = terms()
    clocks = asked(table, "rome")
    put(table, clocks, Late(T + 3 * DAY + HOUR, {"rome": T + 3 * DAY}))
    stop_clock(clocks, "rome", T + 3 * DAY + after, earns=True)
    close_question(table, clocks, "rome", T + 5 * DAY)
    assert clocks.sides["rome"].bank == 12 * HOUR
    assert clocks.sides["rome"].used == 3 * DAY + after


def test_reminders_come_before_the_deadline() -> None:
    table = terms()
    clocks = asked(table, "rome", "gaul")
    assert [(each.at - T, each.what, each.side) for each in sorted(expected(table, clocks))] == [
        (1.5 * DAY, What.HALF_TIME, "gaul"),
        (1.5 * DAY, What.HALF_TIME, "rome"),
        (2 * DAY, What.LAST_DAY, "gaul"),
        (2 * DAY, What.LAST_DAY, "rome"),
        (3 * DAY, What.LATE, "gaul"),
        (3 * DAY, What.LATE, "rome"),
    ]
    assert late_from(table, clocks) == T + 3 * DAY + timedelta(seconds=1)
    stop_clock(clocks, "rome", T + DAY, earns=True)
    assert "rome" not in {each.side for each in expected(table, clocks)}  # none after an answer
    short = asked(terms(pace={"bank": "30h"}), "rome")
    assert [each.what for each in expected(terms(pace={"bank": "30h"}), short)] == [What.LATE, What.HALF_TIME]


def test_facts_are_read_as_they_are_written() -> None:
    facts: list[Fact] = [
        Asked(T, {"rome": T, "gaul": T - HOUR}),
        Bounced(T, "rome", T - HOUR),
        Reached(T, "rome"),
        Down(T, T - DAY, T),
        Paused(T, T + DAY, "why", 3),
        Resumed(T, "why"),
        Extended(T, {"rome": T + DAY}, "why"),
        Away(T, "rome", date(2026, 12, 1), date(2026, 12, 14)),
        Back(T, "rome"),
        Late(T, {"rome": T - HOUR}),
    ]
    for number, fact in enumerate(facts, 1):
        record = fact_record(number, fact)
        assert (record["fact"], record["at"]) == (number, stamp(T))
        assert read_fact(record) == fact


def test_time_on_record_never_goes_back() -> None:
    table = terms()
    clocks = asked(table)
    put(table, clocks, Away(T + HOUR, "rome", date(2026, 12, 1), date(2026, 12, 1)))
    with pytest.raises(BadFact, match="on record already"):
        put(table, clocks, Back(T, "rome"))


def test_bank_is_not_used_up_while_the_service_is_down() -> None:
    """An answer within the grace leaves what was there: the next question does not make the side late at once."""
    table = terms(grace="6h")
    clocks = asked(table, "rome")
    put(table, clocks, Down(T + 4 * DAY, T + DAY, T + 4 * DAY))
    stop_clock(clocks, "rome", T + 4 * DAY + HOUR, earns=False)
    close_question(table, clocks, "rome", T + 4 * DAY + HOUR)
    assert clocks.sides["rome"].bank == 3 * DAY - DAY - HOUR
