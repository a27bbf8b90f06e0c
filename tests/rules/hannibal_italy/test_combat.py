"""Combat in HANNIBAL: Rome cannot tell from a question what Carthage has, and every position that comes up is sound."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.cases.compare import change
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from pbem.rules.hannibal_italy.position.forces import present
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME

HIDDEN_PHASES = ("siege", "works", "attrition")
"""Phases in which Carthage is asked about units that Rome does not see. At the end of winter the markers of control,
which follow from them, are public before anybody is asked."""
READINGS: list[dict[str, Any]] = [
    {},
    {"forage_before": "field_and_siege", "siege_and_assault": True, "open_city_falls": "entered", "elephant_steps": 2},
]


def warlike(rules: Any, view: Any, decision: Decision, rng: Random) -> Order:
    """Return an answer of somebody who looks for battles and sieges."""
    choices = rules.legal_orders(view, decision)
    if decision.kind in ("fight", "sally") and rng.random() < 0.8:
        return Order(decision.kind, {decision.kind: True})
    if decision.kind == "move":
        for order in (choices.pick(rng.random) for _ in range(8)):
            path = order.get("path") or [""]
            if isinstance(path[-1], str) and path[-1] and present(view, ENEMY[decision.side], path[-1]):
                return order  # type: ignore[no-any-return]
    return choices.pick(rng.random)  # type: ignore[no-any-return]


def shape(session: Session[Any]) -> list[tuple[Any, ...]]:
    """Return what Rome sees of the questions that are open."""
    return [
        (
            one.side,
            one.kind,
            one.rule,
            one.waits,
            session.only_answer(one) is None,
            dict(one.facts) if one.side == ROME else [one.facts.get(word) for word in ("hex", "city")],
        )
        for one in session.open_decisions
    ]


@pytest.mark.parametrize("options", READINGS)
def test_a_war_of_many_battles_is_sound_and_tells_nothing(options: dict[str, Any]) -> None:
    rules = shelf.load("hannibal_italy", options=options).rules
    rng, compared = Random(1), 0
    session = Session(rules, rules.setup("short", Table(SeededDice("set-up"))), SeededDice("war"))
    while session.result is None:
        if session.at_checkpoint:
            position = rules.decode(rules.encode(session.position))
            if position.phase in HIDDEN_PHASES:
                compared += 1
                other = rules.resample_hidden(position, ROME, Table(SeededDice(f"other {compared}")))
                both = [Session(rules, each, SeededDice(f"dice {compared}")) for each in (position, other)]
                assert shape(both[0]) == shape(both[1])
            session.go_on()
            continue
        assert not list(rules.audit(session.position))
        view = [rules.view(session.position, decision.side) for decision in session.open_decisions]
        session.answer([warlike(rules, *each, rng) for each in zip(view, session.open_decisions, strict=True)])
    assert compared > 20


def test_who_is_before_a_city_is_asked_though_he_is_alone() -> None:
    rules = shelf.load("hannibal_italy", edition="text").rules
    position = rules.setup("short", Table(SeededDice("set-up")))
    position.year, position.segment, position.phase = 217, "summer", "siege"
    position.leaders["hanno"].at = "0619"
    session = Session(rules, position, SeededDice("alone"))
    (decision,) = session.open_decisions
    assert (decision.side, decision.kind, decision.secret) == (CARTHAGE, "besiege", True)
    assert session.only_answer(decision) is None


def test_audit_notices_a_leader_moved_without_the_map_list() -> None:
    """The audit notices a leader who is moved behind the back of the list of those on the map."""
    rules = shelf.load("hannibal_italy").rules
    position = rules.setup("short", Table(SeededDice("set-up")))
    assert "hanno" in position.on_map(CARTHAGE)
    assert not list(rules.audit(position))
    position.leaders["hanno"].at = "away"
    assert len(list(rules.audit(position))) == 1
    position.put("hanno", "away")
    assert "hanno" not in position.on_map(CARTHAGE)
    assert not list(rules.audit(position))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"leaders.hannibal.at": "2511"}, "carthage is in Capua"),
        ({"leaders.longus.at": "2511"}, "rome is in Capua"),
        ({"leaders.gaulish_leader.at": "1413"}, "no land of the Gauls"),
        ({"loose.carthage": {"1413": {"gauls_2": 1}}}, "gauls_2 is at 1413"),
        (
            {"leaders.paullus": {"at": "2215", "office": "consul"}, "leaders.pera": {"at": "2215", "office": "consul"}},
            "3 leaders",
        ),
        ({"slaves": "paullus"}, "the slave legion is with paullus, who is senate"),
        ({"leaders.hannibal.at": "0619", "sieges.mutina": {"side": "carthage", "number": 2}}, "marker 2"),
        ({"leaders.hannibal.at": "2215", "sieges.rome": {"side": "carthage", "number": 6}}, "marker 6"),
        ({"leaders.hannibal.at": "0718", "sieges.bononia": {"side": "carthage", "number": 6}}, "marker 6"),
        ({"leaders.longus.units": {"roman_foot": 11}}, "110 SP; 104 are allowed"),
        ({"pools.gaul": {"gauls_2": 5, "gauls_3": 6, "gauls_4": 5}}, "lie in the pool"),
    ],
)
def test_the_audit_finds_what_cannot_be(changes: dict[str, Any], says: str) -> None:
    rules = shelf.load("hannibal_italy").rules
    written = rules.encode(rules.setup("short", Table(SeededDice(1))))
    for dotted, value in changes.items():
        assert change(written, dotted, value) is None
    assert says in " ".join(rules.audit(rules.decode(written)))
