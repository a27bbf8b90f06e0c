"""The odds of The Sword of Rome: counted out, against what a hand can count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pbem.game.boxes.box import open_box
from pbem.game.prospects import Chances
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner, modifiers
from pbem.rules.sword_of_rome.position.unpack import unpack
from tests.support.walks import loaded

RULES = loaded("sword_of_rome").rules
BOARD = unpack(open_box("sword_of_rome"))


def ask(what: str, **numbers: int) -> Chances:
    """Ask for odds as the command line does, which fills in what is left out."""
    question = RULES.odds[what]
    whole = {word: number.default for word, number in question.numbers.items() if number.default is not None}
    return question.answer({**whole, **numbers}, ())


def figures(what: str, **numbers: int) -> Mapping[str, Any]:
    return ask(what, **numbers).figures


def test_modifiers_of_the_battle_at_fregellae() -> None:
    """12: Camillus with 7 CU and 5 on the flank against Egnatius with 5, who is at home and has failed to avoid."""
    attacker, defender = Army(7, 4, 5), Army(5, 3, None, True)
    assert attacker.size == 10
    ours, theirs = modifiers(BOARD, attacker, defender, Ground(failed_avoidance=True))
    assert ours == {"flank": 1, "force_ratio": 3, "leadership": 1}
    assert theirs == {"friendly": 1, "failed_avoidance": -1}


@pytest.mark.parametrize(
    ("attacker", "defender", "winner"),
    [
        (Army(8), Army(2), "attacker"),
        (Army(2), Army(8), "defender"),
        (Army(7), Army(2), None),
        (Army(6, 0, 3), Army(2), "attacker"),
        (Army(3), Army(0), "attacker"),
    ],
)
def test_automatic_victory(attacker: Army, defender: Army, winner: str | None) -> None:
    assert automatic_winner(BOARD, attacker, defender) == winner


def test_a_battle_of_equals_favours_the_defender_by_the_ties() -> None:
    """Of 46,656 throws of three dice against three, 4,332 are tied."""
    wins = figures("battle", attacker_cu=5, defender_cu=5)["attacker_wins"]
    assert wins == pytest.approx((46656 - 4332) / 2 / 46656)


def test_losses_of_a_battle_are_limited_to_the_cu_that_are_there() -> None:
    lost = figures("battle", attacker_cu=1, defender_cu=1, attacker_event=9, defender_event=-9)
    assert lost["attacker_wins"] == 1
    assert lost["lost"]["defender"] <= 1
    assert lost["if_attacker_wins"]["points"] <= 1
    assert "if_defender_wins" not in lost


def test_an_automatic_victory_has_no_odds() -> None:
    answer = ask("battle", attacker_cu=10, defender_cu=2)
    assert answer.figures == {"automatic": "attacker"}
    assert "without dice" in answer.lines[-1]


def test_a_siege_point_comes_on_seven_or_more() -> None:
    """13.2: 21 of 36 rolls bring a point or two; the Gauls need an eight."""
    assert figures("siege", needed=1)["rolls"]["1"] == pytest.approx(21 / 36)
    assert figures("siege", needed=1, modifier=-1)["rolls"]["1"] == pytest.approx(15 / 36)
    assert figures("siege", needed=2)["rolls"]["1"] == pytest.approx(3 / 36)
    one = 36 / 21
    two = (36 + 18 * one) / 21
    assert figures("siege", needed=1)["mean"] == pytest.approx(one)
    assert figures("siege", needed=3)["mean"] == pytest.approx((36 + 18 * two + 3 * one) / 21)
    with pytest.raises(ValueError, match="falls without a roll"):
        ask("siege", needed=2, level=2)
    with pytest.raises(ValueError, match="no roll wins"):
        RULES.odds["siege"].answer({"needed": 1, "level": 0, "modifier": -9}, ())


def test_a_raid_succeeds_as_a_siege_roll_does() -> None:
    """14.2: the rolls that cost a CU are 2, 3, 4, 7 and 11."""
    found = figures("raid", attempts=2)
    assert found["succeeds_by"] == {"1": pytest.approx(21 / 36), "2": pytest.approx(1 - (15 / 36) ** 2)}
    assert found["cu"] == pytest.approx(14 / 36 * (1 + 15 / 36))


def test_interception_avoidance_and_pursuit() -> None:
    """10.2, 11.1: Claudius intercepts and avoids on 3, Pyrrhus pursues on 4."""
    found = figures("interception", tactics=3, pursuer_tactics=4)
    assert (found["intercepts"], found["avoids"]) == (0.5, 0.5)
    assert found["avoids_and_stops"] == pytest.approx(1 / 6)
    assert figures("interception", tactics=3, enemy_space=1)["intercepts"] == pytest.approx(2 / 6)


def test_voyages() -> None:
    """S 9.6.4: with a card of value 2 and a friendly port the die loses one."""
    assert figures("voyage", card=0)["success"] == 1
    assert figures("voyage", card=2) == pytest.approx({"success": 3 / 6, "return": 2 / 6, "attrition": 1 / 6})
    assert figures("voyage", card=3, friendly=0)["success"] == 0


def test_voyages_without_a_player_of_carthage() -> None:
    """9.6.4: no card is played, and a voyage to a port of Carthage rolls."""
    odds = loaded("sword_of_rome", "four").rules.odds
    assert "unrest" not in odds
    answer = odds["voyage"].answer({"fought": 1, "friendly": 0}, ())
    assert answer.figures == pytest.approx({"success": 1 / 3, "return": 1 / 3, "attrition": 1 / 3})
    assert odds["voyage"].answer({"fought": 0, "friendly": 0}, ()).figures["success"] == 1


def test_attacks_on_the_unrest() -> None:
    """S 20.3: what is beaten without dice is gone, what holds out does not rise above its cap."""
    assert figures("unrest", cu=8, level=2, tactics=0)["level"] == {"0": 1}
    beaten = figures("unrest", cu=2, level=8, tactics=3)
    assert (beaten["carthage_wins"], beaten["cu"], beaten["level"]) == (0, 2, {"9": 1})
    held = figures("unrest", cu=6, level=4, tactics=3, staying=6)
    assert max(map(int, held["level"])) == 4
    assert sum(held["level"].values()) == pytest.approx(1)
    assert held["carthage_wins"] == figures("battle", attacker_cu=6, defender_cu=4, attacker_tactics=3)["attacker_wins"]
