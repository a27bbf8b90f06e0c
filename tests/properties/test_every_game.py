"""What holds for every game on the shelf, tried on random games of every edition and scenario.

A game is found because its folder lies there: a new one is tried without a word changed here.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any
from zlib import crc32

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.advance import advance, begin, play_on
from pbem.engine.answers import Sources
from pbem.engine.cases.game_words import GameWords, PositionSlot, whole
from pbem.engine.playout import play_out
from pbem.engine.session import Queued, Session, Step, resume
from pbem.game.choices.legal_orders import Answers
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Event, Fault, Order, Path, Roll, Side
from pbem.referee.game.open_game import Told
from pbem.render.text.messages import sentences
from tests.support.chance import seed_of
from tests.support.fingerprint import fingerprint
from tests.support.garbled import garbled
from tests.support.soak import GAMES, scaled
from tests.support.walks import (
    TOY,
    Walk,
    edition_params,
    editions,
    faults_of_shape,
    loaded,
    plain,
    sharing,
    start,
    state,
    told,
    walk,
)

FEW, MANY = 60, 1_000_000
"""How many questions of a random game `make test` looks at, and `make soak`."""
APART = 5
"""Of the questions of a whole game one in so many is looked at; the next game has others."""
ASIDE = scaled(60)
"""How many games the soak plays of each other scenario than the first."""

each_edition = pytest.mark.parametrize(("game", "edition", "scenario"), edition_params())


def rules_of(game: str, edition: str) -> Rules[Any]:
    return loaded(game, edition).rules


@pytest.fixture(params=[pytest.param(False, id="quick"), pytest.param(True, id="long", marks=pytest.mark.soak)])
def lengths(request: pytest.FixtureRequest) -> list[tuple[int, int]]:
    """Return seed and length of the random games to play: a short one, or a fair share of all, others for each test.

    Where there are fewer games than editions, each test plays them in other editions, and in the rest a short one.
    """
    game, scenario = request.getfixturevalue("game"), request.getfixturevalue("scenario")
    edition = request.getfixturevalue("edition")
    if not request.param:
        return [(seed_of(request.function.__name__), FEW // sharing(game, edition))]
    loads, drawn = loaded(game, edition), crc32(request.function.__name__.encode())
    editions, games = loads.box.editions, GAMES if scenario == loads.scenarios[0] else ASIDE
    turn = (editions.index(edition) + drawn) % len(editions)
    share = games * (turn + 1) // len(editions) - games * turn // len(editions)
    first = seed_of(request.function.__name__)
    return [(seed, MANY) for seed in range(first, first + share)] or [(first, FEW)]


def stops(game: str, edition: str, scenario: str, lengths: list[tuple[int, int]]) -> Iterator[Walk]:
    """Yield the questions of random games: each one of a short game, and one in `APART` of a whole one, and its end."""
    for seed, most in lengths:
        apart = APART if most == MANY else 1
        for number, at in enumerate(walk(rules_of(game, edition), scenario, seed, most), seed):
            if number % apart == 0 or at.session.result is not None:
                yield at


def viewers(rules: Rules[Any]) -> tuple[Side | None, ...]:
    return (*rules.sides, None)


# ---- positions


@each_edition
def test_what_is_left_of_a_turn_counts_down(
    game: str, edition: str, scenario: str, lengths: list[tuple[int, int]]
) -> None:
    """Whoever looks at it; and no turn goes on when nothing is left of it."""
    rules = rules_of(game, edition)
    before: dict[tuple[int, Side | None], tuple[object, int]] = {}
    for stop in stops(game, edition, scenario, lengths):
        position = stop.session.position
        now = rules.periods(position).get(rules.turn or rules.round)
        for side in (*rules.sides, None):
            left = rules.left_in_turn(rules.view(position, side))
            if left is None:
                continue
            assert left[0] >= 0
            known, most = before.get((stop.seed, side), (None, 0))
            assert known != now or left[0] <= most
            before[stop.seed, side] = now, left[0]


@each_edition
def test_no_position_breaks_an_invariant(game: str, edition: str, scenario: str, lengths: Any) -> None:
    for at in stops(game, edition, scenario, lengths):
        assert list(at.rules.audit(at.position)) == [], f"game {at.seed}, question {at.count}"


@each_edition
def test_positions_and_views_hold_words_of_the_vocabulary(game: str, edition: str, scenario: str, lengths: Any) -> None:
    """Whatever play comes to, a test case may write."""
    words = GameWords(rules_of(game, edition), loaded(game, edition).box)
    for at in stops(game, edition, scenario, lengths):
        cls = type(at.position)
        for position in (at.position, *(at.view(side) for side in viewers(at.rules))):
            assert list(words.faults(PositionSlot(cls, cls.__name__), whole(position))) == []


@pytest.mark.parametrize("game", sorted({game for game, _, _ in editions()}))
def test_the_vocabulary_names_places_of_the_position(game: str) -> None:
    """What it does not name is a place for any number, or a mapping by ids of the box."""
    rules = rules_of(game, loaded(game).box.editions[0])
    cls = type(start(rules, loaded(game).box.scenarios[0], 0))
    places = {slot.name: slot for slot in PositionSlot(cls, cls.__name__).named()}
    assert rules.vocabulary().keys() - places.keys() == set()
    texts = {name for name, spot in places.items() if spot.kind is str}
    assert texts - rules.vocabulary().keys() == set() or not rules.vocabulary()


@each_edition
def test_a_position_comes_back_from_disk_as_it_was(game: str, edition: str, scenario: str, lengths: Any) -> None:
    for at in stops(game, edition, scenario, lengths):
        written = at.rules.encode(at.position)
        assert plain(written) == written
        assert at.rules.decode(plain(written)) == at.position


@each_edition
def test_looking_changes_nothing(game: str, edition: str, scenario: str, lengths: Any) -> None:
    for at in stops(game, edition, scenario, lengths):
        before = deepcopy(at.rules.encode(at.position))
        for viewer in viewers(at.rules):
            view = at.rules.view(at.position, viewer)
            at.rules.scene(view, at.session.table.events)
            at.rules.resample_hidden(at.position, viewer, Table(SeededDice(at.count)))
        for decision in at.open_decisions:
            view = at.view(decision.side)
            list(at.rules.check(view, decision, at.rules.legal_orders(view, decision)[0]))
        assert at.rules.encode(at.position) == before


# ---- questions and answers


DRAWN = 5
"""So many orders are drawn from the choices of each question."""


@each_edition
def test_every_question_can_be_answered_as_offered(game: str, edition: str, scenario: str, lengths: Any) -> None:
    for at in stops(game, edition, scenario, lengths):
        rng = Random(at.count)
        for decision in at.open_decisions:
            view = at.view(decision.side)
            choices = at.rules.legal_orders(view, decision)
            assert choices.certain
            assert len(choices) > 0, f"{decision.side} has no answer to {decision.kind}"
            some = [choices[0], choices[len(choices) - 1], choices[rng.randrange(len(choices))]]
            some += filter(None, (choices.pick(rng.random),))
            if isinstance(choices, Answers):
                some += filter(None, (choices.pick(rng.random) for _ in range(DRAWN)))
                assert all(choices.has(order) for order in some), "what is listed or drawn is in it"
                if decision.default is not None and len(choices) > 1:
                    assert choices.has(Order(decision.kind, decision.default)), decision
            for order in some:
                assert order.kind == decision.kind
                assert plain(order.body) == order.body
                assert list(at.rules.check(view, decision, order)) == [], order
                assert faults_of_shape(game, order) == [], order


@each_edition
def test_defaults_are_legal_and_facts_are_plain(game: str, edition: str, scenario: str, lengths: Any) -> None:
    for at in stops(game, edition, scenario, lengths):
        for decision in at.open_decisions:
            assert plain(decision.facts) == decision.facts
            assert decision.side in at.rules.sides
            if decision.default is not None:
                order = Order(decision.kind, decision.default)
                assert plain(order.body) == order.body
                assert list(at.rules.check(at.view(decision.side), decision, order)) == [], decision
                assert faults_of_shape(game, order) == [], decision


@each_edition
def test_whatever_is_shown_is_held_and_has_a_sentence(game: str, edition: str, scenario: str, lengths: Any) -> None:
    """What a side shows follows from its own view; what it does not hold is a fault, and so is nonsense."""
    rules, say = rules_of(game, edition), sentences(loaded(game).box)
    for at in stops(game, edition, scenario, lengths):
        silent = rules.silence(at.view(None))
        assert silent is None or silent
        for side in rules.sides:
            for what in ("nonsense", "", "card 0", *(f"card {number}" for number in range(1, 9))):
                shown = rules.show(at.view(side), side, what)
                assert shown == rules.show(at.view(side), side, what)
                if isinstance(shown, Fault):
                    assert shown.reason
                    continue
                assert shown.to is None, "the referee says who sees it"
                assert plain(shown.facts)
                assert [line for line in say.tell([Told(1, shown)]) if line.text]


@each_edition
def test_an_observer_counts_the_same_choices_or_cannot_tell(
    game: str, edition: str, scenario: str, lengths: Any
) -> None:
    for at in stops(game, edition, scenario, lengths):
        for decision in at.open_decisions:
            seen = at.rules.legal_orders(at.view(None), decision)
            if seen.certain:
                assert list(seen) == list(at.rules.legal_orders(at.view(decision.side), decision)), decision


@each_edition
def test_another_side_sees_the_same_choices_or_is_not_told(
    game: str, edition: str, scenario: str, lengths: Any
) -> None:
    for at in stops(game, edition, scenario, lengths):
        for decision in at.open_decisions:
            own = Answers(decision.kind, at.rules.choices(at.view(decision.side), decision))
            for other in viewers(at.rules):
                seen = Answers(decision.kind, at.rules.choices(at.view(other), decision))
                if seen.certain:
                    assert (len(seen), seen.tree()) == (len(own), own.tree()), (decision, other)


@each_edition
def test_whatever_is_ordered_is_refused_or_can_be_played(game: str, edition: str, scenario: str, lengths: Any) -> None:
    for at in stops(game, edition, scenario, lengths):
        rng = Random(at.count)
        for place, decision in enumerate(at.open_decisions):
            view = at.view(decision.side)
            for order in garbled(at, decision, rng):
                if faults_of_shape(game, order):
                    continue
                faults = list(at.rules.check(view, decision, order))
                assert all(fault.reason and fault.rule for fault in faults)
                assert all(leads_into(order.body, fault.path) for fault in faults), (order, faults)
                if not faults and rng.random() < 0.5:
                    orders = [at.rules.legal_orders(at.view(one.side), one)[0] for one in at.open_decisions]
                    orders[place] = order
                    session = at.again()
                    session.answer(orders)
                    assert list(at.rules.audit(session.position)) == [], order


def leads_into(body: Any, path: Path) -> bool:
    """Tell whether a path leads to something in a body, or to a key that is missing at its end."""
    try:
        for step in path[:-1]:
            body = body[step]
        return not path or isinstance(body, dict) or body[path[-1]] is not None
    except (LookupError, TypeError):
        return False


# ---- resuming


@each_edition
def test_a_resume_at_any_question_equals_never_having_stopped(
    game: str, edition: str, scenario: str, lengths: Any
) -> None:
    for at in stops(game, edition, scenario, lengths):
        again = at.again()
        assert state(again) == state(at.session), f"game {at.seed}, question {at.count}"
        assert told(again) == told(at.session)


@each_edition
def test_one_adjudication_a_question_equals_one_sitting(game: str, edition: str, scenario: str, lengths: Any) -> None:
    """Play by mail, everything read back from disk each time, beside a game that is never interrupted."""
    rules = rules_of(game, edition)
    for seed, most in lengths:
        dice, sitting_dice, rng = SeededDice(seed), SeededDice(seed), Random(seed)
        outcome = begin(rules, scenario, key(0), dice)
        checkpoint, past = plain(rules.encode(outcome.checkpoint)), [Step(key(0))]
        sitting_dice.reseed(key(0))
        table = Table(sitting_dice)
        sitting = Session(rules, rules.setup(scenario, table), sitting_dice, table.names)
        events, rolls = [*table.events, *sitting.table.events], list(table.rolls)
        for n in range(1, most // 4):
            sitting = on_to_a_question(sitting)
            if sitting.result is not None:
                break
            session = resume(rules, rules.decode(checkpoint), past, dice)
            assert state(session) == state(sitting)
            sheets: dict[Side, list[Queued]] = {}
            for decision in session.open_decisions:
                choices = rules.legal_orders(rules.view(session.position, decision.side), decision)
                order = choices.pick(rng.random)
                assert order is not None
                order = replace(order, about=decision.about)
                sheets.setdefault(decision.side, []).append(Queued(order, f"sheet {n}"))
            outcome = advance(session, key(n), dice, Sources(sheets))
            assert outcome.answers, "an answered question must carry the game on"
            assert not any(sheets.values())
            sitting_dice.reseed(key(n))
            at_events, at_rolls = len(sitting.table.events), len(sitting.table.rolls)
            sitting.feed(outcome.answers)
            sitting = on_to_a_question(sitting)
            events, rolls = sitting.table.events[at_events:], sitting.table.rolls[at_rolls:]
            assert (outcome.events, outcome.rolls) == (events, rolls)
            if outcome.checkpoint is not None:
                checkpoint, past = plain(rules.encode(outcome.checkpoint)), [Step(key(n))]
            else:
                past.append(Step(key(n), outcome.answers))


def key(n: int) -> bytes:
    return hashlib.sha256(b"%d" % n).digest()


def on_to_a_question(session: Session[Any]) -> Session[Any]:
    while session.at_checkpoint:
        session.go_on()
    return session


# ---- the same in, the same out


@each_edition
def test_the_same_dice_and_answers_give_the_same_game(game: str, edition: str, scenario: str) -> None:
    assert fingerprint(game, edition, scenario) == fingerprint(game, edition, scenario)


@pytest.mark.parametrize("whole", [pytest.param(False, id="toy"), pytest.param(True, id="all", marks=pytest.mark.slow)])
def test_no_result_depends_on_the_order_of_hashes(whole: bool) -> None:
    """The order of a set changes from one Python to the next; nothing may hang on it."""
    tried = [each for each in editions() if whole or each[0] == "toy"]
    code = (
        "from tests.support.fingerprint import fingerprint\n"
        f"print(*(fingerprint(*edition) for edition in {tried}), sep='\\n')"
    )
    prints = []
    for seed in ("1", "2"):
        world = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join([str(TOY.parent.parent), str(TOY)]),
        }
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=world)
        assert ran.returncode == 0, ran.stderr
        prints.append(ran.stdout)
    assert prints[0] == prints[1]


@each_edition
def test_games_end(game: str, edition: str, scenario: str, lengths: Any) -> None:
    rules = rules_of(game, edition)
    for seed, _ in lengths:
        begun = start(rules, scenario, seed)
        before = deepcopy(rules.encode(begun))
        played = play_out(rules, begun, SeededDice(seed), Random(seed), most=20_000)
        assert played.result is not None
        assert set(played.result.winners) <= set(rules.sides)
        assert played.result.reason
        assert rules.encode(begun) == before


# ---- answers given at once


@each_edition
def test_simultaneous_answers_stay_hidden_until_all_are_in(
    game: str, edition: str, scenario: str, lengths: Any
) -> None:
    for at in stops(game, edition, scenario, lengths):
        if len(at.open_decisions) < 2:
            continue
        orders = [Queued(at.pick(decision), "sheet") for decision in at.open_decisions]
        missing = at.open_decisions[-1]
        if missing.waits and at.session.only_answer(missing) is None:
            before = (state(at.session), told(at.session))
            early = Sources(queues(at.open_decisions[:-1], orders[:-1]))
            assert play_on(at.session, early) == []
            assert (state(at.session), told(at.session)) == before
            assert early.sheets == queues(at.open_decisions[:-1], orders[:-1]), "an early answer waits"
        results = []
        for turned in (False, True):
            pairs = list(zip(at.open_decisions, orders, strict=True))[:: -1 if turned else 1]
            session = at.again()
            taken = play_on(session, Sources(queues(*zip(*pairs, strict=True))))
            assert len(taken) >= len(orders)
            results.append((taken, state(session), told(session)))
        assert results[0] == results[1], "who wrote first must not matter"


def queues(waiting: Any, orders: Any) -> dict[Side, list[Queued]]:
    sheets: dict[Side, list[Queued]] = {}
    for decision, queued in zip(waiting, orders, strict=True):
        sheets.setdefault(decision.side, []).append(queued)
    return sheets


# ---- reports


@each_edition
def test_everything_that_happens_has_a_sentence_with_its_facts(
    game: str, edition: str, scenario: str, lengths: Any
) -> None:
    """Everything that happens has a sentence whose facts are there."""
    rules, box = rules_of(game, edition), loaded(game, edition).box
    for seed, most in lengths:
        played = play_out(rules, start(rules, scenario, seed), SeededDice(seed), Random(seed), most=5 * most)
        for language in sorted(path.stem for path in box.folder.glob("messages/*.yaml")):
            words = box.messages(language)
            assert all(set(event.to or ()) <= set(rules.sides) for event in played.events)
            events = [event for event in played.events if event.roll is None]
            rolls = [(event.roll, event) for event in played.events if event.roll is not None]
            unsaid = {event.kind: lacks(words["events"].get(event.kind), event) for event in events}
            unsaid |= {roll.name: lacks(purpose(words["rolls"], roll), event) for roll, event in rolls}
            assert not {kind: lack for kind, lack in unsaid.items() if lack}, language
            reasons = {reason for roll, _ in rolls for reason in roll.modifiers}
            assert reasons <= words["modifiers"].keys()


def purpose(sentences: Any, roll: Roll) -> str | None:
    """Return the sentence for a roll: for its first and last word, or for its first."""
    words = roll.name.split("/")
    last = re.sub(r"[-.]\d+$", "", words[-1])
    said: str | None = sentences.get(f"{words[0]}/{last}", sentences.get(words[0]))
    return said


def lacks(sentence: str | None, event: Event) -> str:
    """Return what a sentence about an event lacks: itself, or facts that the event does not have."""
    if sentence is None:
        return "there is no sentence"
    named = re.findall(r"\{[?!]?([a-z_]+)", sentence)
    return ", ".join(sorted(set(named) - event.facts.keys()))
