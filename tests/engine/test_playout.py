"""Play-outs: to the end or as far as asked, and loud about rules that offer nothing or refuse what they offer."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.playout import DeadEnd, OptionRefused, play_out
from pbem.game import NONE, Answers, LegalOrders
from pbem.protocol import Decision, Fault, Order
from tests.support.walks import loaded, start
from tests.toy.toy_game import Hills, ThreeHills


@pytest.fixture
def rules() -> ThreeHills:
    box = loaded("toy").box
    return ThreeHills(box, box.options())


def test_a_game_is_played_to_its_end(rules: ThreeHills) -> None:
    begun = start(rules, "standard", 1)
    played = play_out(rules, begun, SeededDice(1), Random(1))
    assert played.result is not None
    assert played.events[0].kind == "dealt"
    assert played.events[-1].kind == "revealed"
    assert played.decisions > 6
    assert begun == start(rules, "standard", 1)


def test_it_stops_when_enough_is_answered(rules: ThreeHills) -> None:
    played = play_out(rules, start(rules, "standard", 1), SeededDice(1), Random(1), most=5)
    assert played.result is None
    assert played.decisions == 5
    assert played.position.round == 2


def test_questions_open_at_once_are_answered_at_once(rules: ThreeHills) -> None:
    assert play_out(rules, start(rules, "standard", 1), SeededDice(1), Random(1), most=1).decisions == 2


def test_a_question_without_answer_is_a_bug_of_the_rules(rules: ThreeHills) -> None:
    class Mute(ThreeHills):
        def legal_orders(self, view: Hills, decision: Decision) -> LegalOrders:
            return Answers(decision.kind, NONE)

    with pytest.raises(DeadEnd, match=r"red has no answer to bury \(rule 3\)"):
        play_out(Mute(rules.box, rules.agreed), start(rules, "standard", 1), SeededDice(1), Random(1))


def test_an_option_that_the_check_refuses_is_a_bug_of_the_rules(rules: ThreeHills) -> None:
    class Strict(ThreeHills):
        def check(self, view: Hills, decision: Decision, order: Order) -> Iterable[Fault]:
            yield order.fault(("card",), "never", rule="9")

    strict: Any = Strict(rules.box, rules.agreed)
    with pytest.raises(OptionRefused, match=r"bury \{'card': \d+\}: never"):
        play_out(strict, start(rules, "standard", 1), SeededDice(1), Random(1))
    assert play_out(strict, start(rules, "standard", 1), SeededDice(1), Random(1), check=False).result is not None
