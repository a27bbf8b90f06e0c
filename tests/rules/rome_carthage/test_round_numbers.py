"""One number for a round of battle: that of the round being fought, in the question, the summary and the map."""

from __future__ import annotations

import pytest

from tests.support.chance import seed_of
from tests.support.soak import quick_and_whole
from tests.support.walks import loaded, walk

MOST = 30
"""So many games are played at most until a battle has come to its second round."""


@pytest.mark.parametrize("games", quick_and_whole(1, 9))
def test_a_battle_has_one_number_for_its_round(games: int) -> None:
    rules, seen = loaded("rome_carthage").rules, set[int]()
    for number in range(MOST):
        if number >= games and {1, 2} <= seen:
            break
        seed = seed_of() + number
        for at in walk(rules, "standard", seed):
            for decision in at.session.open_decisions:
                if "round" not in decision.facts or decision.facts["round"] in seen:
                    continue
                view = rules.view(at.session.position, decision.side)
                number = decision.facts["round"]
                summary = rules.summary(view)
                assert summary is not None
                lines = [line.label for section in summary.sections for line in section.lines]
                assert f"Round {number}." in lines, decision
                assert rules.scene(view).subtitle.startswith("battle at ")
                assert f", round {number}" in rules.scene(view).subtitle
                seen.add(number)
    assert {1, 2} <= seen
