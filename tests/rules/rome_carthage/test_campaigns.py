"""Campaigns of Hannibal: Rome vs. Carthage by letter: one sheet for all generals; what units have walked.

What the paragraphs say stands in the rulings (`rules/rome_carthage/cases`); here is what a ruling cannot show.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.protocol import Checkpoint, Decision, Order
from pbem.referee.play.adjudicator import Adjudicator
from pbem.rules.rome_carthage.position.state import Game
from pbem.rules.rome_carthage.position.under_way import March, Stack
from tests.support.chance import seed_of
from tests.support.live import Folder, give, order
from tests.support.walks import Walk, loaded, start, walk

CARD = 37
PICK = Walk.pick


def with_card(position: Game) -> Game:
    """Put a Minor Campaign into the hand of Carthage, first to play."""
    position.phase, position.to_play = "strategy", "carthage"
    position.hands = {"carthage": [CARD], "rome": [1]}
    position.deck = [card for card in position.board.cards if card not in (CARD, 1)]
    return position


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Adjudicator]:
    """Yield a game in which Carthage is to play a Minor Campaign."""
    rules: Any = type(loaded("rome_carthage").rules)
    set_up = rules.setup
    monkeypatch.setattr(rules, "setup", lambda self, scenario, table: with_card(set_up(self, scenario, table)))
    with Folder(tmp_path).create("rome_carthage") as game:
        game.adjudicate()
        yield game


FIRST = order("play", card=CARD, **{"as": "event"}, general="hanno", path=["utica"])
SECOND = order("campaign", general="hannibal", path=["dertosa"], then="stop")


def open_questions(game: Adjudicator) -> list[tuple[str, str]]:
    return [(each.side, each.kind) for each in game.open_decisions]


def test_one_sheet_carries_the_orders_for_all_generals(campaign: Adjudicator) -> None:
    give(campaign, "carthage", FIRST, SECOND)
    assert open_questions(campaign) == [("rome", "play")]
    assert not [told for told in campaign.told("carthage", 0) if told.event.kind.startswith("order_")]
    stacks = campaign.view(None).stacks["carthage"]
    assert stacks["utica"].generals == ["hanno"]
    assert stacks["dertosa"].commander == "hannibal"


def test_without_more_orders_the_game_asks_for_the_next_general(campaign: Adjudicator) -> None:
    give(campaign, "carthage", FIRST)
    assert open_questions(campaign) == [("carthage", "campaign")]
    campaign.adjudicate(late=["carthage"])
    assert open_questions(campaign) == [("rome", "play")]


def test_what_is_left_of_the_sheet_lapses_after_the_last_general(campaign: Adjudicator) -> None:
    give(campaign, "carthage", FIRST, SECOND, SECOND)
    assert open_questions(campaign) == [("rome", "play")]
    lapsed = [told.event.kind for told in campaign.told("carthage", 0) if told.event.kind.startswith("order_")]
    assert lapsed == ["order_unused"]


def marching(at: Walk, decision: Decision) -> Order:
    """Return a march by a campaign card where one can be had, else what a walk picks."""
    choices = at.rules.legal_orders(at.view(decision.side), decision)
    for _ in range(12):
        found = choices.pick(at.rng.random)
        assert found is not None
        if "path" in found.body and (decision.kind == "campaign" or found.get("as") == "event"):
            return found
    return PICK(at, decision)


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["valley2007", "descartes1998", "reorganised"])
def test_no_unit_walks_further_than_it_may(edition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walk, "pick", marching)
    rules = loaded("rome_carthage", edition).rules
    seen = 0
    for seed in range(3):
        for at in walk(rules, "standard", seed_of(seed) if seed else 0, 400):
            assert list(rules.audit(at.position)) == []
            card = at.position.card
            seen += card is not None and bool(card.walked)
    assert seen


def test_the_position_between_two_generals_says_everything() -> None:
    rules = loaded("rome_carthage").rules
    session = Session(rules, with_card(start(rules, "standard", 1)), SeededDice(1))
    session.answer([FIRST])
    assert session.at_checkpoint
    assert session.checkpoint == Checkpoint(keep_queue=True)
    again = Session(rules, rules.decode(rules.encode(session.position)), SeededDice(1))
    (question,) = again.open_decisions
    assert (question.side, question.kind, question.facts["generals"]) == ("carthage", "campaign", 1)
    again.answer([Order("campaign", {"stop": True})])
    assert again.at_checkpoint
    assert again.checkpoint == Checkpoint()
    assert CARD in again.position.discards


def test_enemy_does_not_see_what_a_march_does_after_their_answer() -> None:
    """The enemy does not see what a march is told to do after their answer."""
    rules = loaded("rome_carthage").rules
    position: Game = start(rules, "standard", 1)
    position.march = March(
        "carthage",
        "hannibal",
        Stack(5, 0, ["hannibal"]),
        "saguntum",
        "dertosa",
        3,
        path=[{"to": "tarraco"}],
        then="siege",
        if_intercepted="back_up",
        if_avoided="pursue",
        charm=["arpi"],
    )
    own, enemy = (rules.view(position, side).march for side in ("carthage", "rome"))
    assert (own.then, own.if_intercepted, own.if_avoided, own.charm) == ("siege", "back_up", "pursue", ["arpi"])
    assert (enemy.path, enemy.then, enemy.if_intercepted, enemy.if_avoided, enemy.charm) == ([], "", None, None, None)
