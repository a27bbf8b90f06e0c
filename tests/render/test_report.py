"""What a player reads: sentences, reports, letters; and that a report says nothing its reader may not know."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError

from pbem.crypto.dice import LoadedDice, SeededDice
from pbem.engine.session import Session
from pbem.game.board.summary import Line, Section, Summary
from pbem.game.table import Table
from pbem.game.wording import listing
from pbem.protocol import Decision, Event, Order, Result, Roll
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.form import ORDER_WIDTH
from pbem.render.text.messages import EVERY_GAME, BadSentence, Sentences, sentences
from pbem.render.text.report import LEAST_ABOVE, MOST_ABOVE, Report, mail
from pbem.render.text.text_lines import COLUMNS, WIDTH, changes, laid_out
from tests.support.campaigns import Campaign, Told, campaign, invasion
from tests.support.chance import seed_of
from tests.support.no_game import NoGame
from tests.support.walks import GAMES, loaded, start, walk

REPORTS = Path(__file__).parent / "reports"
NAMES = {"rome": "Rome", "arpi": "Arpi", "capua": "Capua", "cannae": "Cannae", "fabius": "Fabius Maximus"}
CARDS = {"cards": {"list": [{"number": 5, "name": "Native Guide"}, {"number": 33, "name": "Major Campaign"}]}}


def speaking(events: Mapping[str, str], **groups: Mapping[str, str]) -> Sentences:
    formats = {"card": "cards/list/number: {name} ({number})"}
    return Sentences({"events": events, "formats": formats, **groups}, NAMES, CARDS.__getitem__)


def said(events: Mapping[str, str], *told: Event, **groups: Mapping[str, str]) -> list[str]:
    """Return what is said of some events, indented, with the tags behind a bar."""
    numbers = iter(range(1, 100))
    every = [Told(42, event, next(numbers) if event.roll else None) for event in told]
    lines = speaking(events, **groups).tell(every)
    return ["  " * line.depth + line.text + (f" | {line.tag}" if line.tag else "") for line in lines]


def one(sentence: str, **facts: Any) -> str:
    (line,) = said({"it": sentence}, Event("it", facts))
    return line


# ---- sentences


@pytest.mark.parametrize(
    ("sentence", "facts", "line"),
    [
        ("{side} waits in {at}.", {"side": "rome", "at": "arpi"}, "Rome waits in Arpi."),
        ("{at} is lost.", {"at": ["arpi", "capua", "cannae"]}, "Arpi, Capua and Cannae is lost."),
        ("With {n} CU.", {"n": 8}, "With 8 CU."),
        ("By {why}.", {"why": "so_far_unnamed"}, "By so far unnamed."),
        ("{general|nobody} goes.", {"general": None}, "Nobody goes."),
        ("{general|nobody} goes.", {"general": "fabius"}, "Fabius Maximus goes."),
        ("It has {n|no} points.", {"n": 0}, "It has no points."),
        ("After {n:round/rounds}.", {"n": 1}, "After 1 round."),
        ("After {n:round/rounds}.", {"n": 3}, "After 3 rounds."),
        ("Plays {c:card}.", {"c": 33}, "Plays Major Campaign (33)."),
        ("Holds {c:card}.", {"c": [5, 33]}, "Holds Native Guide (5) and Major Campaign (33)."),
        ("Lost {why:causes}.", {"why": "storm"}, "Lost at sea."),
        ("Has {why:causes}.", {"why": {"storm": 3, "wolves": -1}}, "Has 3 at sea and -1 wolves."),
        ("Holds {c:counted}.", {"c": ["arpi", "capua", "arpi"]}, "Holds 2 Arpi and 1 Capua."),
        ("By {p.rest} to {p.last}.", {"p": ["arpi", "cannae", "capua"]}, "By Arpi and Cannae to Capua."),
        ("Goes[[ by {p.rest}]] to {p.last}.", {"p": ["capua"]}, "Goes to Capua."),
        ("Goes[[ by {p.rest}]] to {p.last}.", {"p": "capua"}, "Goes to Capua."),
        ("Goes[[ with {cu} CU]].", {"cu": 0}, "Goes."),
        ("Goes[[ with {cu} CU]].", {"cu": 2}, "Goes with 2 CU."),
        ("Goes[[ with {cu|0} CU]].", {"cu": 0}, "Goes with 0 CU."),
        ("Goes[[ with {cu|0} CU]].", {}, "Goes."),
        ("Goes[[ with {cu} CU under {general}]].", {"cu": 2, "general": None}, "Goes."),
        ("Fails[[{?held}, being held]].", {"held": True}, "Fails, being held."),
        ("Fails[[{?held}, being held]].", {"held": False}, "Fails."),
        ("Goes[[{!cu} alone]].", {"cu": 0}, "Goes alone."),
        ("Goes[[{!cu} alone]].", {"cu": 1}, "Goes."),
        ("    {side} sees it.", {"side": "rome"}, "    Rome sees it."),
    ],
)
def test_a_sentence_names_its_facts(sentence: str, facts: dict[str, Any], line: str) -> None:
    assert said({"it": sentence}, Event("it", facts), causes={"storm": "at sea"}) == [line]


def entered(space: str, cu: int = 8) -> Event:
    return Event("entered", {"general": "fabius", "space": space, "cu": cu})


def test_a_run_is_told_at_once_as_long_as_only_one_fact_differs() -> None:
    run = {"entered": "To {space}.", "entered+": "By {space.rest} to {space.last} with {cu}."}

    assert said(run, entered("arpi"), entered("capua")) == ["By Arpi to Capua with 8."]
    assert said(run, entered("arpi"), entered("capua", 7)) == ["To Arpi.", "To Capua."]


def test_of_several_keys_that_fit_the_one_of_most_events_counts() -> None:
    tells = {
        "marches": "{general} sets out from {space}.",
        "marches entered+": "{general} marches from {space}[[ by {entered.space.rest}]] to {entered.space.last}.",
        "marches entered+ stopped": "{general} goes from {space} to {entered.space.last} and stops.",
        "stopped": "{general} stops.",
    }
    sets_out, stops = Event("marches", {"general": "fabius", "space": "rome"}), Event("stopped", {"general": "fabius"})

    assert said(tells, sets_out) == ["Fabius Maximus sets out from Rome."]
    assert said(tells, sets_out, entered("arpi"), entered("capua")) == [
        "Fabius Maximus marches from Rome by Arpi to Capua."
    ]
    assert said(tells, sets_out, entered("capua"), stops) == ["Fabius Maximus goes from Rome to Capua and stops."]


def test_a_key_may_mean_either_of_two_kinds() -> None:
    tells = {"leads|leads_as matches": "{side} leads {card}[[ as {leads.name}]], {matches.side} matches."}
    plain = Event("leads", {"side": "rome", "card": "probe"})
    other = Event("leads_as", {"side": "rome", "card": "probe", "name": "reserve"})
    match = Event("matches", {"side": "arpi"})

    assert said(tells, plain, match) == ["Rome leads probe, Arpi matches."]
    assert said(tells, other, match) == ["Rome leads probe as reserve, Arpi matches."]


def rolled(name: str = "intercept/fabius/arpi", **changes: Any) -> Event:
    roll = Roll(**{**roll_facts(name), **changes})
    return Event("roll", {"general": "fabius"}, roll.rule, None, roll)


def roll_facts(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "faces": [3],
        "modifiers": {"enemy_marker": 1},
        "total": 4,
        "need": "<= 3",
        "success": False,
        "rule": "9.2",
    }


def test_dice_stand_below_what_they_were_rolled_for() -> None:
    tells = {"failed": "{general} fails.", "roll/intercept failed": "  {general} tries and fails."}
    failed = Event("failed", {"general": "fabius"})
    words: dict[str, Mapping[str, str]] = {
        "rolls": {"intercept": "intercept"},
        "modifiers": {"enemy_marker": "enemy marker"},
    }

    assert said(tells, rolled(), failed, **words) == [
        "  Fabius Maximus tries and fails.",
        "    intercept: 3 +1 enemy marker = 4 (needs <= 3, rule 9.2) | [die 42.1]",
    ]
    assert said(tells, failed, rolled(), **words)[1].startswith("    intercept: 3 +1")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"modifiers": {}, "total": 3, "need": None}, "roll: 3 (rule 9.2)"),
        ({"faces": [3, 5], "modifiers": {}, "total": 8}, "roll: 3 + 5 = 8 (needs <= 3, rule 9.2)"),
        ({"modifiers": {"thin_walls": -2}, "total": 1}, "roll: 3 -2 thin walls = 1 (needs <= 3, rule 9.2)"),
        ({"modifiers": {}, "total": 3, "sides": 20}, "roll: d20 3 (needs <= 3, rule 9.2)"),
        ({"modifiers": {}, "total": 3, "need": None, "rule": "card 21"}, "roll: 3 (card 21)"),
    ],
)
def test_dice_are_told_whole(changes: dict[str, Any], line: str) -> None:
    speaks = speaking({}, rolls={"intercept": "roll"})
    event = rolled(**changes)
    assert event.roll is not None
    assert speaks.dice(event.roll, event.facts) == line


@pytest.mark.parametrize(
    ("name", "purpose"),
    [("battle/cannae/round-2/cancel-3", "holds"), ("battle/cannae/deck", "fights"), ("siege/capua", "siege/capua")],
)
def test_roll_is_named_by_the_ends_or_first_word_of_its_name(name: str, purpose: str) -> None:
    """A roll is named by both ends of its name or by its first word."""
    speaks = speaking({}, rolls={"battle": "fights", "battle/cancel": "holds"})
    event = rolled(name)
    assert event.roll is not None
    assert speaks.dice(event.roll, {}).startswith(f"{purpose}: 3")


def test_what_has_no_sentence_is_told_plainly() -> None:
    assert said({}, Event("tower_falls", {"space": "arpi", "cu": 2})) == ["  Tower falls: space Arpi, cu 2."]


def test_an_empty_sentence_says_nothing() -> None:
    assert said({"it": ""}, Event("it")) == []


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("{side goes.", "cannot read '{side goes.'"),
        ("Goes {}.", "cannot read"),
        ("[[{a} and [[{b}]]]]", "cannot read"),
        ("{card:tarot}", "neither a format nor a group of words called tarot"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_refused(sentence: str, reason: str) -> None:
    with pytest.raises(BadSentence, match=f"events: it: .*{reason}"):
        speaking({"it": sentence})


def test_a_format_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadSentence, match="formats: card must read"):
        Sentences({"formats": {"card": "{name}"}}, NAMES, CARDS.__getitem__)


@pytest.mark.parametrize(
    ("words", "line"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_words_are_listed_as_people_do(words: list[str], line: str) -> None:
    assert listing(words) == line


# ---- the boxes


@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_of_every_box_can_be_read(game: str) -> None:
    box = loaded(game).box
    for language in sorted(path.stem for path in (box.folder / "messages").glob("*.yaml")):
        assert isinstance(sentences(box, language), Sentences)


@pytest.mark.parametrize("game", GAMES)
def test_a_kind_told_together_with_others_can_be_told_alone(game: str) -> None:
    messages = loaded(game).box.messages()
    for key in messages["events"]:
        kinds = [kind.rstrip("+") for word in key.split() for kind in word.split("|")]
        rolls = {kind.removeprefix("roll/") for kind in kinds if kind.startswith("roll/")}
        assert rolls <= messages["rolls"].keys(), key
        assert {kind for kind in kinds if not kind.startswith("roll/")} <= messages["events"].keys(), key


# ---- reports


def told_to(at: Campaign, side: str | None, **more: Any) -> Report:
    game = loaded("rome_carthage")
    words: dict[str, Any] = {
        "game": "punica",
        "adjudication": at.adjudication,
        "side": side,
        "view": at.view(side),
        "events": at.told,
        "waiting": at.open_decisions,
        "others": [decision.side for decision in at.open_decisions],
        "result": at.session.result,
    }
    return Report(Contents(game.rules, game.box, ReportRequest(**{**words, **more})))


def campaigns(seeds: range, most: int = 150) -> Iterator[Campaign]:
    rules = loaded("rome_carthage").rules
    for seed in seeds:
        yield from campaign(rules, invasion(start(rules, "standard", seed)), seed, most)


each_length = pytest.mark.parametrize(("games", "most"), [(1, 40), pytest.param(3, 100, marks=pytest.mark.slow)])


@each_length
def test_a_report_has_no_loose_ends(games: int, most: int) -> None:
    for at in campaigns(range(seed_of(), seed_of() + games), most):
        for side in ("rome", "carthage", None):
            text = told_to(at, side, events=at.told[-30:], deadline="Answer by Sun 29 Nov 18:00 UTC.").text
            before, _, sheet = text.partition("BEGIN ORDERS")
            assert max(map(len, before.splitlines())) <= WIDTH
            assert max(map(len, sheet.splitlines()), default=0) <= ORDER_WIDTH
            assert not [mark for mark in ("{", "[[", "None", "_") if mark in before], before
            assert "  ." not in before
            assert "\n\n\n" not in text


@each_length
def test_a_report_says_the_same_whatever_its_reader_cannot_see(games: int, most: int) -> None:
    rules = loaded("rome_carthage").rules
    for at in campaigns(range(seed_of(), seed_of() + games), most // 2):
        for side in ("rome", "carthage", None):
            other = rules.resample_hidden(at.session.position, side, Table(SeededDice(f"other {at.adjudication}")))
            assert every_part(told_to(at, side, view=rules.view(other, side))) == every_part(told_to(at, side))


def every_part(report: Report) -> dict[str, object]:
    """Return all that a report says, by the name of the part."""
    parts = {name: getattr(report, name) for name in vars(Report) if not name.startswith("_")}
    assert {"text", "words", "sheet", "summary", "asked"} <= parts.keys()
    return parts


def test_an_observer_gets_neither_hands_nor_a_form() -> None:
    at = next(campaigns(range(1)))
    seen = told_to(at, None)
    assert seen.sheet is None
    assert "WHAT YOU HOLD" not in seen.text
    assert "You are dealt" not in seen.text
    assert "the game waits for Rome" in seen.text

    own = told_to(at, "rome")
    assert own.text.count("You are dealt") == 1
    assert own.sheet is not None
    titles = [line for line in own.sheet.splitlines() if line not in own.text.splitlines()]
    assert titles == ["# Does Rome claim the first play by a Campaign card? (rule 5.3)"]  # it stands above


def test_a_side_is_not_told_what_another_is_asked() -> None:
    at = next(campaigns(range(1)))
    assert [decision.side for decision in at.open_decisions] == ["rome"]
    seen = told_to(at, "carthage")
    assert (seen.sheet, seen.asked) == (None, "")
    assert "Campaign card" not in seen.text.partition("WHERE THINGS STAND")[0].partition("dealt")[0]


def test_a_reader_is_told_how_many_of_their_sheets_went_in() -> None:
    """A player who sent fewer notices it."""
    at = next(iter(campaigns(range(1))))
    line = "2 sheets of your side have gone in since your last report, 5 in all."
    text = told_to(at, at.open_decisions[0].side, sheets=(2, 5)).text
    assert line in " ".join(text.split())
    assert "have gone in" not in told_to(at, at.open_decisions[0].side, sheets=(0, 5)).text


def test_a_finished_game_says_so_first() -> None:
    at = next(campaigns(range(1)))
    over = told_to(at, "rome", waiting=(), others=(), result=Result(("rome",), "carthage_falls")).text
    assert over.splitlines()[3] == "The game is over. Rome wins: Carthage has fallen."


def test_only_a_new_action_begins_a_paragraph() -> None:
    kinds = ("charge_fails", "plays_first", "charge_fails", "charge_fails", "plays_first")
    told = [Told(1, Event(kind, {"side": "rome"})) for kind in kinds]
    at = next(campaigns(range(1)))
    happened = told_to(at, "rome", events=told).text.partition("WHAT HAPPENED\n")[2].partition("\n\n-----")[0]
    assert happened.splitlines() == [
        "The elephants charge and are beaten back.",
        "",
        "Rome plays first.",
        "  The elephants charge and are beaten back.",
        "  The elephants charge and are beaten back.",
        "",
        "Rome plays first.",
    ]


def test_what_happens_without_an_answer_is_said() -> None:
    at = next(campaigns(range(1)))
    text = told_to(at, "rome", deadline="Answer by noon.").text
    said = "Answer by noon. Without an answer in time: claim nothing. AGREED takes it now."
    assert said in " ".join(text.split())
    for late, follows in (("bot", "the bot of the game answers for you"), ("wait", "the game waits for you")):
        reported = told_to(at, "rome", late=late)
        said = f"Without an answer in time, {follows}. AGREED takes: claim nothing."
        assert said in " ".join(reported.text.split())
        assert "# AGREED takes this:" in (reported.sheet or "")
    open_end = [Decision("play", "rome", "7.2", {"play": 1, "turn": 1, "cards": 7})]
    text = told_to(at, "rome", waiting=open_end).text
    assert "The game waits for you." in text
    assert "in time" not in text
    timed = told_to(at, "rome", waiting=open_end, deadline="Answer by noon.").text
    assert "Without an answer in time, the game waits for you." in " ".join(timed.split())
    assert "AGREED" not in text
    ruled = " ".join(told_to(at, "rome", ruled=True).text.split())
    assert "Without an answer in time, the answer that the game master has set counts." in ruled


def test_orders_that_lapsed_are_told_in_every_game() -> None:
    assert set(EVERY_GAME) == {"events", "results"}
    speaks = sentences(loaded("toy").box)
    lapsed = Event("order_expired", {"order": "march", "by": "sheet 3", "reasons": ["no path from a to b"]})
    (line,) = speaks.tell([Told(7, lapsed)])
    assert line.text == "Your order march (sheet 3) was dropped because it is no longer legal: no path from a to b."


class Stands(NoGame):
    """A game that says where things stand and nothing else."""

    sides = ("rome",)

    def __init__(self, *lines: Line) -> None:
        self.lines = lines

    def summary(self, view: Any) -> Summary:
        return Summary("Turn 1", (Section("Armies", self.lines),))


def test_columns_are_aligned_and_long_ones_are_wrapped() -> None:
    """Columns stand below one another, and long ones are wrapped."""
    names = "Gaius Flaminius, Fabius Maximus, Marcellus, Gaius C. Nero"
    rules = Stands(
        Line("Italia"),
        Line("Capua", ("10 CU", names), 1),
        Line("Rome", ("8 CU", "Varro"), 1),
        Line("Arpi", ("", "Mago"), 1),
    )
    box = loaded("rome_carthage").box
    text = Report(Contents(rules, box, ReportRequest(game="g", adjudication=1, side=None, view=None))).text
    assert text.endswith(
        "Armies\n"
        "  Italia\n"
        "    Capua  10 CU  Gaius Flaminius,\n"
        "                  Fabius Maximus,\n"
        "                  Marcellus, Gaius C.\n"
        "                  Nero\n"
        "    Rome    8 CU  Varro\n"
        "    Arpi          Mago\n"
    )


def test_no_table_is_wider_than_a_phone() -> None:
    """A row whose label leaves no room for its columns has them below it, and does not push the others aside."""
    for at in campaigns(range(seed_of(), seed_of() + 3), 100):
        stands = at.session.rules.summary(at.view(None))
        assert stands is not None
        tables = [
            replace(section, lines=tuple(row for row in section.lines if row.cells)) for section in stands.sections
        ]
        for section, table in zip(stands.sections, tables, strict=True):
            assert all(len(line) <= COLUMNS for line in list(laid_out([table]))[1:]), section.title


ARMIES = (Line("Italia"), Line("Capua", ("10 CU", "Varro"), 1), Line("Rome", ("8 CU",), 1))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (ARMIES, []),
        (ARMIES[:2], ["Armies: Rome no more."]),
        ((*ARMIES, Line("Arpi", ("", "Mago"), 1)), ["Armies: Arpi Mago."]),
        ((*ARMIES, Line("Arpi (marching)", ("3 CU",), 1, passing=True)), ["Armies: Arpi (marching) 3 CU."]),
        (
            (Line("Elsewhere"), *ARMIES[1:]),
            ["Armies: Capua 10 CU, Varro; Rome 8 CU; Capua no more; Rome no", "  more."],
        ),
        ((*ARMIES[:2], Line("Rome", ("9 CU",), 1)), ["Armies: Rome 9 CU."]),
        ((*ARMIES, Line("A Truce holds.")), ["Armies: A Truce holds."]),
    ],
)
def test_what_has_changed_is_told_row_by_row(now: Sequence[Line], told: list[str]) -> None:
    found = list(changes([Section("Armies", ARMIES)], [Section("Armies", tuple(now))]))
    assert " ".join(line.strip() for line in found) == " ".join(line.strip() for line in told)


def test_the_end_of_what_is_under_way_is_not_told() -> None:
    under_way = (*ARMIES, Line("Arpi (marching)", ("3 CU",), 1, passing=True))
    assert list(changes([Section("Armies", under_way)], [Section("Armies", ARMIES)])) == []


def test_a_table_with_a_head_names_its_columns_in_changes() -> None:
    before, now = (
        [Section("Cards", (Line("", ("Carthage", "Rome")), Line("in hand", (count, "4"))))] for count in ("5", "3")
    )
    assert list(changes(before, now)) == ["Cards: in hand Carthage 3, Rome 4."]
    assert list(changes(now, now)) == []


def test_a_letter_asks_first_and_says_what_changed_last() -> None:
    """With the view before, the report says what has changed; all of it is in the file about the position."""
    at = next(iter(campaigns(range(1))))
    side = at.open_decisions[0].side
    view = at.view(side)
    brief, full = told_to(at, side, before=view), told_to(at, side)
    heads = ["YOU ARE ASKED", "BEGIN ORDERS", "END ORDERS", "WHAT IT IS ABOUT"]
    assert sorted(heads, key=brief.text.index) == heads
    assert "WHERE THINGS STAND" not in brief.text
    assert "WHAT HAS CHANGED" not in brief.text
    assert "WHERE THINGS STAND" in full.text
    assert "WHERE THINGS STAND" in brief.position
    assert brief.position == full.position
    assert "WHAT YOU HOLD" in brief.position


def test_what_does_not_fit_above_the_form_stands_below_it() -> None:
    at = next(iter(campaigns(range(1))))
    side = at.open_decisions[0].side
    told = [Told(n, Event("plays_first", {"side": side})) for n in range(1, 41)]
    roll = Roll("avoid/rome", [3], {}, 3, "<= 2", False, "10.1")
    told.insert(0, Told(1, Event("roll", {}, None, None, roll), 1))
    full = told_to(at, side, events=told)
    brief = told_to(at, side, events=told, before=at.view(side))
    for each in (full, brief):
        above, _, below = each.text.partition("----- END ORDERS -----")
        sentence = f"{side.title()} plays first."
        assert (MOST_ABOVE if each is full else LEAST_ABOVE) <= above.count(sentence) <= MOST_ABOVE
        earlier = below.partition("WHAT IT IS")[0].count(sentence)
        assert above.count(sentence) + earlier == 40 if each is full else earlier < 10
        assert each.position.count(sentence) == 40
        assert "[die 1.1]" in each.position
    assert ("REPORT sends it, too" in brief.text) == ("WHAT HAPPENED BEFORE" not in brief.text)
    assert "[die 1.1]" in full.text
    assert "[die 1.1]" not in brief.text


def test_with_more_than_two_sides_all_that_happened_is_told() -> None:
    game = loaded("sword_of_rome")
    at = next(each for each in walk(game.rules, game.scenarios[0], 1) if each.session.open_decisions)
    side = at.session.open_decisions[0].side
    view = game.rules.view(at.session.position, side)
    told = [Told(n, Event("round_begins", {"round": n, "turn": 1}), 0) for n in range(1, 41)]
    waiting = at.session.open_decisions
    request = ReportRequest("punica", 40, side, view, events=told, waiting=waiting, others=[side], before=view)
    text = Report(Contents(game.rules, game.box, request)).text
    assert [text.count(f"Round {n} of turn 1 begins.") for n in range(1, 41)] == [1] * 40
    assert "REPORT sends it, too" not in text


def test_a_letter_with_little_room_tells_deeds_before_dice() -> None:
    at = next(iter(campaigns(range(1))))
    side = at.open_decisions[0].side
    told = [Told(1, Event("plays_first", {"side": side}))]
    for n in range(1, 8):
        roll = Roll(f"avoid/rome/{n}", [3], {}, 3, "<= 2", False, "10.1")
        told += [Told(n, Event("roll", {}, None, None, roll), 1), Told(n, Event("plays_first", {"side": side}))]
    brief = told_to(at, side, events=told, before=at.view(side))
    above = brief.text.partition("----- BEGIN ORDERS -----")[0]
    assert "[die" not in above
    assert above.count("plays first") >= LEAST_ABOVE
    assert brief.position.count("[die") == 7


def test_events_with_two_plus_signs_are_gathered_in_their_row() -> None:
    won, lost = "province_won", "province_lost"
    row = [(won, "rome", "a"), (lost, "rome", "b"), (won, "rome", "c"), (won, "carthage", "d"), (lost, "rome", "e")]
    told = [Told(1, Event(kind, {"side": side, "province": name})) for kind, side, name in row]
    told += [Told(2, Event(won, {"side": "rome", "province": "f"})), Told(2, Event("city_taken", {"side": "rome"}))]
    told += [Told(2, Event(lost, {"side": "rome", "province": "g"}))]
    said = [each.text for each in sentences(loaded("hannibal_italy").box).tell(told)]
    assert said[:5] == [
        "Rome controls a and c.",
        "Rome no longer controls b and e.",
        "Carthage controls d.",
        "Rome controls f.",
        "Rome takes nothing.",
    ]
    assert said[5:] == ["Rome no longer controls g."]


def test_orders_that_were_not_needed_are_told_in_one_line() -> None:
    at = next(iter(campaigns(range(1))))
    kinds = ["match", "match", "counterattack"]
    told = [Told(3, Event("order_unused", {"order": kind, "by": "sheet 2"}, None, ("rome",))) for kind in kinds]
    text = " ".join(told_to(at, "rome", events=told).text.split())
    assert "Of your orders, 2 match and 1 counterattack were not needed and have expired." in text
    assert "(sheet 2)" not in text
    assert "not needed" not in told_to(at, "carthage", events=told).text
    assert "Your order match (sheet 2) was not needed" in " ".join(told_to(at, "rome", events=told[:1]).text.split())


# ---- whole reports, read by eye


def punica() -> Campaign:
    """Return a game in which Hannibal marches on Beneventum and Fabius, at Capua, may intercept."""
    game = loaded("rome_carthage")
    position = invasion(start(game.rules, "standard", 1))
    position.stacks["rome"]["beneventum"].generals.remove("varro")
    position.stacks["rome"]["beneventum"].generals.remove("marcellus")
    position.stacks["rome"]["beneventum"].cu = 3
    position.reserve += ["marcellus", "varro"]
    position.hands = {"carthage": [6, 18, 33], "rome": [12, 43, 61]}
    position.deck = [card for card in position.deck if card not in (6, 18, 33, 12, 43, 61)]
    position.phase, position.to_play, position.plays = "strategy", "carthage", 8
    faces = {
        "intercept/fabius/beneventum": [3],
        "battle/beneventum/charge": [5],
        "battle/beneventum/casualties": [4],
        "battle/beneventum/retreat": [3],
        "battle/beneventum/round-1/counterattack": [4],
        "battle/beneventum/round-2/counterattack": [2],
        "battle/beneventum/round-3/counterattack": [1],
    }
    attacker = [*["flank_left"] * 5, *["double_envelopment"] * 3, *["probe"] * 4, *["frontal_assault"] * 2]
    defender = [*["flank_left"] * 4, *["reserve"] * 2, *["frontal_assault"] * 5, *["flank_right"] * 3]
    deck = attacker + defender
    at = Campaign(Session(game.rules, position, LoadedDice(faces, {"battle/beneventum/deck": deck}, SeededDice(1))))
    at.note()
    answer(at, play={"card": 33, "as": "operations", "general": "hannibal", "path": ["beneventum"]})
    return at


def answer(at: Campaign, **bodies: Mapping[str, Any]) -> None:
    """Answer the open questions, by default those that are not named."""
    at.session.answer([Order(each.kind, bodies.get(each.kind, each.default or {})) for each in at.open_decisions])
    at.note()


def same_as_written(name: str, text: str) -> None:
    """Compare a text with the one in `reports/`; with PBEM_WRITE_REPORTS set, write it there instead."""
    file = REPORTS / f"{name}.txt"
    if os.environ.get("PBEM_WRITE_REPORTS"):
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


def test_the_report_that_asks_for_an_interception() -> None:
    at = punica()
    same_as_written("interception", told_to(at, "rome", deadline="Answer by Sun 29 Nov 18:00 UTC.").text)


def test_the_report_of_a_battle() -> None:
    at = punica()
    asked = at.adjudication
    answer(at, intercept={"with": [{"general": "fabius", "cu": 7}]})
    while not any(decision.kind == "play" for decision in at.open_decisions):
        answer(at)
        while at.session.at_checkpoint:
            at.session.go_on()
            at.note()
    events = [each for each in at.told if each.adjudication > asked]
    same_as_written("battle", told_to(at, "rome", events=events).text)


# ---- letters

PLAIN: dict[str, Any] = {"answers": [], "receipt": {}}


def test_letters_have_a_subject_and_a_text() -> None:
    turn = mail(
        "turn", game="punica", summary="Turn 3", asked="Which armies try to intercept?", report="The report.\n", **PLAIN
    )
    assert turn.subject == "Your move in punica: Which armies try to intercept?"
    assert mail("turn", game="punica", summary="Turn 3", asked="", report="It.\n", **PLAIN).subject == "punica, Turn 3"
    assert turn.text == "The report.\n"
    first = mail(
        "first",
        title="Hannibal",
        game="punica",
        player="Ann",
        side="Rome",
        players={"Rome": "Ann", "Carthage": "Bo"},
        edition="the rules of 2007, with as many values of another box as there are words in this line",
        tip="ab" * 32,
        hidden="cd" * 32,
        pins="ef" * 32,
        report="The report.",
        scheme="chain-v1",
        beacon=None,
        phrases=["  Rome: x"],
        answers=["Your phrase is on record."],
        asked="",
        welcomed=False,
        talk=[],
        printed="",
    )
    assert first.subject == "punica begins: you play Rome"
    assert "  Rome: Ann\n  Carthage: Bo\n" in first.text
    assert max(map(len, first.text.splitlines())) <= 72
    assert first.text.startswith("Dear Ann,\n\nA game of Hannibal begins")
    assert "  Carthage: Bo\n\nYour phrase is on record.\n\n" in first.text
    assert "ab" * 32 in first.text
    given: dict[str, Any] = {
        "game": "punica",
        "count": 1,
        "mark": "#!",
        "reasons": [],
        "forecast": False,
        "answers": [],
    }
    faults = mail("faults", sheet="game: punica\n#! wrong", **{**given, "count": 2})
    assert "There are 2 faults in them. Each stands below its place in your sheet:\n" in faults.text
    assert "----- BEGIN ORDERS -----\ngame: punica\n#! wrong\n----- END ORDERS -----\n" in faults.text
    assert "There is one fault in them." in mail("faults", sheet="x", **given).text
    too_long = mail("faults", sheet="", **{**given, "reasons": ["It is too long."]})
    assert "\n\nIt is too long.\n\n" in too_long.text
    refusal = mail("refusal", subject="Hello", reason="It is in HTML only.", sheet=True)
    assert refusal.subject == "Re: Hello"
    reminder = mail(
        "reminder",
        game="punica",
        player="Ann",
        asked="Which card?",
        said=["Answer by noon."],
        by_default=True,
        by_bot=False,
        sheet="game: punica",
    )
    assert "Otherwise what the sheet below says counts without an answer." in reminder.text
    for letter in (first, faults, refusal, reminder):
        assert max(map(len, letter.text.splitlines())) <= WIDTH
        assert "\n\n\n" not in letter.text


def test_a_letter_that_lacks_a_word_is_not_written() -> None:
    with pytest.raises(UndefinedError, match="reason"):
        mail("refusal", subject="Hello")
