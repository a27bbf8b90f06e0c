"""Forecasts of The Sword of Rome: what an activation or a march may lead to, and what cannot be foreseen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.forecast import forecast
from pbem.game.plain import copy
from pbem.game.prospects import Asked, Chance, Prospect, Stops, Unforeseen
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from pbem.render.text.forecast_text import foreseen
from pbem.rules.sword_of_rome.position.state import Activation, Force, Game, Siege
from tests.support.walks import loaded

SIDE = "gauls"
ACTIVATE = {"do": "activate", "card": "g7", "leader": "gallic_minor_a"}


def facing(**changes: Any) -> Game:
    """Return a position in which the Gauls, who are active, can attack Sentinum, where the Etruscans stand."""
    rules = loaded("sword_of_rome").rules
    game: Game = copy(rules.setup("short", Table(SeededDice(0))))
    game.phase, game.first, game.round, game.window_shut = "action", SIDE, 1, True
    game.activation = Activation(SIDE)
    game.hands = {side: ["g7"] if side == SIDE else [] for side in game.hands}
    game.forces[SIDE] = {"sena_gallica": Force(6, 0, ["gallic_minor_a"])}
    game.forces["etruscans"] = {
        "sentinum": Force(4, 0, ["etruscan_minor_b"]),
        "clusium": Force(1, 0, ["etruscan_minor_a"]),
    }
    for field, value in changes.items():
        setattr(game, field, value)
    settled: Game = rules.settle(game)
    return settled


def found(game: Game, body: Mapping[str, Any], *later: Mapping[str, Any], kind: str = "act") -> list[Prospect]:
    """Return the forecast of an action of the Gauls, with further orders of the sheet."""
    rules = loaded("sword_of_rome").rules
    view = rules.view(game, SIDE)
    decision = Decision(kind, SIDE, "5.4", {})
    assert list(rules.check(view, decision, Order(kind, body))) == []
    return forecast(rules, view, decision, Order(kind, body), [Order("march", order) for order in later])


def text(prospects: list[Prospect]) -> str:
    return " ".join(foreseen(loaded("sword_of_rome").box, SIDE, prospects).split())


def test_a_march_meets_avoidance_and_battle() -> None:
    prospects = found(facing(), ACTIVATE, {"cu": 6, "path": [{"to": "sentinum"}]})
    told = text(prospects)
    assert "sets out from Sena Gallica with 6 CU." in told
    assert "To Sentinum with 6 CU:" in told
    assert "Do you avoid battle" in told
    assert re.search(r"Etruscan Minor B with 4 CU to .*: \d or less, \d+ %", told)
    assert "Battle: the Gauls with 6 CU under" in told
    (battle,) = [each for each in prospects if isinstance(each, Chance) and each.against is not None]
    assert battle.facts["power"] == SIDE
    assert battle.facts_against["power"] == "etruscans"
    assert 0 < battle.outcomes["success"] < 100


def test_a_march_meets_an_interception() -> None:
    game = facing()
    game.forces["etruscans"] = {"perusia": Force(3, 0, ["etruscan_minor_b"])}
    told = text(found(game, ACTIVATE, {"cu": 6, "path": [{"to": "sentinum"}]}))
    assert re.search(r"Do you intercept.*Etruscan Minor B from Perusia, with up to 3 CU: \d or less, \d+ %", told)
    assert told.endswith("Stops in Sentinum.")


def test_without_the_march_the_forecast_stops_at_its_question() -> None:
    *_, asked, stops = found(facing(), ACTIVATE)
    assert isinstance(asked, Asked)
    assert (asked.decision.kind, asked.answer) == ("march", None)
    assert isinstance(stops, Stops)


def test_a_march_that_cannot_be_made_is_told_and_why() -> None:
    told = text(found(facing(), ACTIVATE, {"path": [{"to": "roma"}]}))
    assert "Your order march cannot be carried out there: no path from Sena Gallica to Roma" in told
    assert "(rule 9.2)" in told
    assert "Where does the army go?" not in text(found(facing(), ACTIVATE, {"path": [{"to": "sentinum"}]}))


def test_a_siege_roll_has_its_results_in_words() -> None:
    game = facing(sieges={"pisae": Siege(SIDE)})
    game.forces[SIDE] = {"pisae": Force(6, 0, ["gallic_minor_a"])}
    (roll,) = [each for each in found(game, ACTIVATE, {"roll": True}) if isinstance(each, Chance)]
    assert roll.roll.name.startswith("siege/")
    assert abs(sum(roll.outcomes.values()) - 100) <= len(roll.outcomes)
    assert all(re.fullmatch(r"(no|\d) points?, (nothing lost|\d CU lost)", word) for word in roll.outcomes)


@pytest.mark.parametrize("body", [{"do": "end"}, {"do": "support", "card": "g7", "add": ["sena_gallica"]}])
def test_nothing_is_foreseen_of_an_action_without_a_leader(body: Mapping[str, Any]) -> None:
    rules = loaded("sword_of_rome").rules
    view = rules.view(facing(), SIDE)
    assert forecast(rules, view, Decision("act", SIDE, "5.4", {}), Order("act", body)) == [Unforeseen("act")]
