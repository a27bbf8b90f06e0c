"""The part of a position that a question is about: what it names, and nothing that its side may not know."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pbem.protocol import Decision
from tests.support.soak import quick_and_whole
from tests.support.walks import loaded, walk

SCENARIOS = {"rome_carthage": "standard", "hannibal_italy": "short"}
HANDS = {"Your strategy cards", "Your battle cards", "To be drawn, unseen"}


def questions(game: str, seeds: range) -> list[tuple[Any, Decision]]:
    """Return views with the questions asked in them."""
    rules = loaded(game).rules
    return [
        (rules.view(at.session.position, decision.side), decision)
        for seed in seeds
        for at in walk(rules, SCENARIOS[game], seed)
        for decision in at.session.open_decisions
    ]


@pytest.mark.parametrize("last", quick_and_whole(1, 2))
@pytest.mark.parametrize("game", SCENARIOS)
def test_it_is_shorter_than_the_whole_and_has_the_place(game: str, last: int) -> None:
    rules, box = loaded(game).rules, loaded(game).box
    seen: Counter[str] = Counter()
    for view, decision in questions(game, range(1, last + 1)):
        sections = rules.close_up(view, decision)
        whole = rules.summary(view)
        assert whole is not None
        assert all(section.title and section.lines for section in sections), decision
        if any(section.title not in HANDS for section in sections):
            seen[decision.kind] += 1
        named = str(decision.facts.get("at") or decision.facts.get("space"))
        if game == "rome_carthage" and decision.kind == "intercept":
            assert box.names[named] in [section.title for section in sections]
    assert len(seen) > 3, seen


@pytest.mark.slow
def test_a_card_play_shows_the_hand_and_a_march_does_not() -> None:
    rules = loaded("rome_carthage").rules
    shown: dict[str, set[bool]] = {}
    for view, decision in questions("rome_carthage", range(1, 4)):
        titles = {section.title for section in rules.close_up(view, decision)}
        if view.hands[decision.side]:
            shown.setdefault(decision.kind, set()).add("Your strategy cards" in titles)
    assert shown["play"] == {True}
    assert shown["intercept"] == {False}


def test_by_default_it_is_what_the_side_holds() -> None:
    rules = loaded("toy").rules
    at = next(iter(walk(rules, loaded("toy").box.scenarios[0], 1)))
    (decision, *_) = at.session.open_decisions
    view = rules.view(at.session.position, decision.side)
    summary = rules.summary(view)
    assert list(rules.close_up(view, decision)) == list(summary.hand if summary else ())
