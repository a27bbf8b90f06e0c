"""Questions with one possible answer: they are asked only where not asking would tell something hidden.

A question that somebody is waited for, and that has one legal answer, must hide something: in another position, which
an observer could not tell from this one, it has another number of answers. That is tried by dealing again what an
observer cannot see (`Rules.resample_hidden`): at the question itself, and at the last checkpoint with the same answers
since, by which the facts of the question may become others, too.

What this cannot say: a kind passes if one of its questions of this sort was found to hide something, for a single one
may need a deal that did not come up. So a kind that hides something at one place and nothing at another is not found.
At the question the facts of the decision stay as they were, and from the checkpoint the same answers may lead
elsewhere. What counts as one answer are orders that are written alike: two that have the same effect are two. And that
observers can count the answers does not mean that they know them.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from itertools import count

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from tests.support.chance import seed_of
from tests.support.soak import scaled
from tests.support.twins import played
from tests.support.walks import Walk, edition_params, loaded, plain, sharing, walk

DEALS = 12
"""So many other deals are tried, at the question and at the checkpoint."""
FEW, MANY = 26, scaled(10_000, 200)
"""How many questions of each game `make test` looks at, and `make soak`."""
ENOUGH = 3
"""A kind is judged that was asked so often with one answer."""

each_edition = pytest.mark.parametrize(("game", "edition", "scenario"), edition_params())


@pytest.fixture(params=[pytest.param(False, id="quick"), pytest.param(True, id="long", marks=pytest.mark.soak)])
def most(request: pytest.FixtureRequest) -> int:
    """Return how many questions of one edition and scenario are looked at."""
    game, edition = request.getfixturevalue("game"), request.getfixturevalue("edition")
    return -(-(MANY if request.param else FEW) // (len(loaded(game).box.scenarios) * sharing(game, edition)))


def needless(at: Walk, decision: Decision) -> bool:
    """Tell whether a side is waited for although there is one answer: to be allowed only if that hides something."""
    if not decision.waits or at.session.only_answer(decision) is not None:
        return False
    return len(at.rules.legal_orders(at.view(decision.side), decision)) == 1


def hides_something(at: Walk, decision: Decision) -> bool:
    """Tell whether a question with one answer has another number of answers in another deal."""
    rules = at.rules
    for seed in range(DEALS):
        other = rules.resample_hidden(at.position, None, Table(SeededDice(seed)))
        if len(rules.legal_orders(rules.view(other, decision.side), decision)) != 1:
            return True
    return any(answers_since_the_checkpoint(at, decision, seed) not in (None, 1) for seed in range(DEALS))


def answers_since_the_checkpoint(at: Walk, decision: Decision, seed: int) -> int | None:
    """Return how many answers a question has if what an observer cannot see at the last checkpoint is dealt otherwise.

    None: the same answers do not lead to it there.
    """
    rules, position = at.rules, at.rules.decode(plain(at.checkpoint))
    other = rules.resample_hidden(position, None, Table(SeededDice(seed)))
    session = Session(rules, other, deepcopy(at.dice_then))
    left = list(at.answers)
    while left:
        asked = session.open_decisions
        given, left = left[: len(asked)], left[len(asked) :]
        if not asked or [(one.side, one.kind) for one in asked] != [(one.side, one.kind) for one in given]:
            return None
        orders = [Order(answer.kind, answer.order) for answer in given]
        views = [rules.view(session.position, one.side) for one in asked]
        if any(any(rules.check(*each)) for each in zip(views, asked, orders, strict=True)):
            return None
        session.answer(orders)
    for one in session.open_decisions:
        if (one.side, one.kind) == (decision.side, decision.kind):
            return len(rules.legal_orders(rules.view(session.position, one.side), one))
    return None


@each_edition
def test_a_question_with_one_answer_hides_something(
    game: str, edition: str, scenario: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Walk, "pick", played)
    rules, left = loaded(game, edition).rules, most
    asked, hides = Counter[str](), Counter[str]()
    for seed in count(seed_of()):
        for at in walk(rules, scenario, seed, left):
            for decision in at.open_decisions:
                if needless(at, decision):
                    asked[decision.kind] += 1
                    hides[decision.kind] += hides_something(at, decision)
        left -= at.count
        if left <= 0:
            break
    assert [kind for kind, times in asked.items() if times >= ENOUGH and not hides[kind]] == [], asked
