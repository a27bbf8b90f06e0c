"""A forecast says what an order may lead to: it rolls nothing, keeps nothing, and knows nothing that is hidden."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.forecast import forecast, of_sheet
from pbem.game.prospects import Asked, Chance, Happens, Stops, Unforeseen, prospect_record
from pbem.game.table import Table, Throw
from pbem.mail.intake import take_in
from pbem.protocol import Decision, Event, Order
from pbem.referee.game.home_check import forecast_at_home, take_home
from pbem.referee.play import sheet_check
from pbem.render.text.forecast_text import NOTHING, foreseen
from tests.support.campaigns import invasion
from tests.support.chance import seed_of
from tests.support.live import Folder, give, history, letter, order, pick, sheet
from tests.support.soak import quick_and_whole
from tests.support.walks import GAMES, loaded, start, walk

ROME = "rome_carthage"
WALKED = 120


# ---- every game


@pytest.mark.parametrize("most", quick_and_whole(40, 120))
@pytest.mark.parametrize("game", GAMES)
def test_forecast_changes_nothing_and_ignores_what_is_hidden(game: str, most: int) -> None:
    """A forecast changes nothing and is the same for every position that the side cannot tell apart."""
    seen = 0
    for edition in loaded(game).box.editions:
        loads = loaded(game, edition)
        rules, box, scenarios = loads.rules, loads.box, loads.scenarios
        for at in walk(rules, scenarios[-1], seed_of(), most=most):
            for decision in at.open_decisions:
                view, chosen = at.view(decision.side), at.pick(decision)
                before = rules.encode(view)
                found = forecast(rules, view, decision, chosen)
                assert rules.encode(view) == before
                other = rules.resample_hidden(at.position, decision.side, Table(SeededDice("resample")))
                again = forecast(rules, rules.view(other, decision.side), decision, chosen)
                assert foreseen(box, decision.side, again) == foreseen(box, decision.side, found)
                assert json.dumps([*map(prospect_record, again)]) == json.dumps([*map(prospect_record, found)])
                seen += any(not isinstance(each, Unforeseen) for each in found)
    assert seen


def test_a_game_that_foresees_nothing_says_so() -> None:
    rules, box = loaded("toy").rules, loaded("toy").box
    position = start(rules, box.scenarios[0], 1)
    question = Decision("bury", "red", "3", {})
    found = forecast(rules, rules.view(position, "red"), question, order("bury", card=1))
    assert foreseen(box, "red", found) == "  What comes of your order bury cannot be foreseen.\n"
    assert [*map(prospect_record, found)] == [{"unforeseen": "bury"}]
    assert foreseen(box, "red", []) == f"{NOTHING}\n"


# ---- what it says


def toys() -> Iterator[tuple[Any, Decision]]:
    """Yield positions of the toy in which a held hill can be assaulted, with the question."""
    for at in walk(loaded("toy").rules, loaded("toy").box.scenarios[0], 3):
        for decision in at.open_decisions:
            if decision.kind == "assault":
                yield at.view(decision.side), decision


def test_forecast_lists_enemy_questions_and_odds_of_every_roll() -> None:
    """A forecast lists the questions of the other side and the odds of every roll."""
    rules = loaded("toy").rules
    view, question = next(
        (view, asked)
        for view, asked in toys()
        if any(view.holders.get(hill) not in (None, asked.side) for hill in view.targets(asked.side))
    )
    hill = next(hill for hill in view.targets(question.side) if view.holders.get(hill))
    chosen = order("assault", hill=hill, card=view.hands[question.side][0])
    found = forecast(rules, view, question, chosen)
    (asked, *_) = [each for each in found if isinstance(each, Asked)]
    assert (asked.decision.kind, asked.answer) == ("react", {"card": "none"})
    assert asked.decision.side != question.side
    (chance,) = [each for each in found if isinstance(each, Chance)]
    assert chance.roll.faces == []
    modifier = sum(chance.roll.modifiers.values())
    reach = sum(die + modifier >= 5 for die in range(1, 7))
    assert chance.outcomes == ({"success": round(100 * reach / 6)} if reach else {})


def test_forecast_ends_at_an_answer_without_a_default() -> None:
    """A forecast ends where it depends on an answer that has no default."""
    rules = loaded("toy").rules
    ends = Counter(
        found[-2].decision.kind
        for view, question in toys()
        for chosen in list(rules.legal_orders(view, question))
        for found in [forecast(rules, view, question, chosen)]
        if len(found) > 1 and isinstance(found[-2], Asked) and found[-2].answer is None
    )
    assert ends.keys() <= {"fall_back"}
    assert ends


def invaded() -> tuple[Any, Any]:
    """Return the rules, and a position in which Hannibal stands in Arpi beside two Roman armies."""
    rules = loaded(ROME).rules
    written = rules.encode(invasion(start(rules, "standard", 1)))
    written |= {"phase": "strategy", "to_play": "carthage", "hands": {"carthage": [1, 2], "rome": [5, 6]}}
    return rules, rules.settle(rules.decode(written))


PLAY = Decision("play", "carthage", "7.2", {"turn": 1, "play": 1, "cards": 2})


def march(*path: str, card: int = 1) -> Order:
    return order("play", card=card, **{"as": "operations"}, general="hannibal", cu=8, path=list(path))


def test_a_march_meets_interception_avoidance_and_battle() -> None:
    rules, position = invaded()
    view = rules.view(position, "carthage")
    assert list(rules.check(view, PLAY, march("beneventum", card=2))) == []
    found = forecast(rules, view, PLAY, march("beneventum", card=2))
    asked = [each.decision.kind for each in found if isinstance(each, Asked) and each.decision.side == "rome"]
    assert {"intercept", "avoid_battle"} <= set(asked)
    happens = {each.event.kind: each.event.facts for each in found if isinstance(each, Happens)}
    assert happens["could_avoid"]["percent"] in range(1, 100)
    assert happens["battle_ahead"]["attacker_cu"] == 8
    assert happens["battle_ahead"]["defender_general"] in ("marcellus", "varro")
    text = foreseen(loaded(ROME).box, "carthage", found)
    assert text.startswith("Hannibal sets out from Arpi with 8 CU.\n")
    assert "  Rome could be asked: Does the army try to avoid battle? (rule 10.2)\n" in text
    assert max(map(len, text.splitlines())) <= 72


def test_further_orders_of_the_sheet_answer_own_questions() -> None:
    """Further orders of the sheet answer the side's own questions on the way."""
    rules, position = invaded()
    view = rules.view(position, "carthage")
    asking = Order("play", {**march("cannae", card=2).body, "then": "ask"})
    further = order("march", path=["arpi"], then="stop")
    ways = [
        [each.event.facts["space"] for each in found if isinstance(each, Happens) and each.event.kind == "entered"]
        for found in (of_sheet(rules, view, [PLAY], [asking]), of_sheet(rules, view, [PLAY], [asking, further]))
    ]
    assert ways == [["cannae"], ["cannae", "arpi"]]


# ---- from a letter, at home, at the referee's


def test_letter_with_forecast_is_answered_and_changes_nothing(tmp_path: Path) -> None:
    """A letter with the command FORECAST is answered by a forecast and changes nothing."""
    folder = Folder(tmp_path)
    with folder.create() as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
        for side in ("red", "blue"):
            give(game, side, order("bid", card="lowest"))
        side = game.open_decisions[0].side
        view, before = game.view(side), history(game)
        chosen = order("assault", hill=view.targets(side)[0], card=view.hands[side][0])
        orders = sheet(game, side, chosen)
        bad = sheet(game, side, order("assault", hill="nowhere", card=view.hands[side][0]))
    (answer,) = take_in(letter(side, orders, b"FORECAST\n"), folder.office).letters
    assert b"Nothing was carried out" in answer.content
    assert b"BEGIN ORDERS" not in answer.content
    handled = take_in(letter(side, bad, b"FORECAST\n", number=2), folder.office)
    assert not handled.accepted
    assert "nowhere cannot be assaulted" in handled.complaints[0]
    with folder.open() as game:
        assert history(game) == before
        assert [each.kind for each in game.open_decisions] == ["assault"]


@pytest.mark.parametrize("game", GAMES)
def test_the_referee_thinks_from_what_the_side_knows(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee has the whole position at hand; nothing of it but the side's own view may reach a forecast."""
    given = []

    def foresee(view: Any, *more: Any) -> None:
        given.append(view)

    with Folder(tmp_path).create(game) as live:
        decision = live.open_decisions[0]
        side = decision.side
        monkeypatch.setattr(live.rules, "foresee", foresee)
        receipt, _ = sheet_check.forecast_sheet_of(live, side, sheet(live, side, pick(live, decision, Random(1))))
        assert receipt.complaints == ()
        assert given == [live.view(side)]
        others = [live.view(viewer) for viewer in live.rules.sides if viewer != side]
        assert given[0] not in others


def test_at_home_it_is_the_referees(tmp_path: Path) -> None:
    with Folder(tmp_path).create(ROME) as game:
        random = Random(2)
        while [each.kind for each in game.open_decisions] != ["play"]:
            side = game.open_decisions[0].side
            give(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
        side = game.open_decisions[0].side
        enclosed = tmp_path / "position.json"
        enclosed.write_text(json.dumps(take_home(game, side)))
        for _ in range(12):
            raw = sheet(game, side, pick(game, game.open_decisions[0], random))
            receipt, ours = sheet_check.forecast_sheet_of(game, side, raw)
            assert receipt.complaints == ()
            _, home, theirs = forecast_at_home(enclosed, raw, "orders.yaml")
            assert home.side == side
            assert [*map(prospect_record, theirs)] == [*map(prospect_record, ours)]


# ---- five sides


def marching() -> tuple[Any, Any, Decision]:
    """Return the rules of Five Valleys, what Oak knows before its march, and the question."""
    rules = loaded("five").rules
    position = start(rules, "standard", 1)
    position.phase, position.to_march, position.speaker = "march", ["oak"], "elm"
    position.hands["oak"] = [5]
    position.deck.remove(5)
    return rules, rules.view(position, "oak"), Decision("march", "oak", "5", {"round": 1})


def test_opposed_rolls_have_their_joint_odds() -> None:
    """Strength 5 against two guards: the die may be 2 lower, so 26 of 36 pairs of dice win and 4 more are equal."""
    rules, view, question = marching()
    chosen = order("march", to="west", card=5)
    found = forecast(rules, view, question, chosen)
    (chance,) = [each for each in found if isinstance(each, Chance)]
    wins = sum(own + 5 > die + 2 for own in range(1, 7) for die in range(1, 7))
    equal = sum(own + 5 == die + 2 for own in range(1, 7) for die in range(1, 7))
    assert chance.outcomes == {"success": round(100 * wins / 36), "equal": round(100 * equal / 36)}
    assert found[-1] == Happens(Event("out", {"side": "yew", "cards": []}, "9"))
    text = foreseen(loaded("five").box, "oak", found)
    assert "attack of Oak on West Valley (rule 8; +5 card)" in text
    assert f"it wins with {chance.outcomes['success']} %; equal {chance.outcomes['equal']} %" in " ".join(text.split())
    assert prospect_record(chance)["against"] == "defence/west"


@pytest.mark.slow
def test_odds_of_many_dice_are_counted_not_listed() -> None:
    """No list could hold the faces of so many dice.

    Forty dice against forty are equal once in 38 times, and sixty come to their mean of 210 once in 33; all else is
    even.
    """

    def foresee(view: Any, table: Table, decision: Decision, order: Order) -> Any:
        table.lay(view)
        won = table.opposed(Throw("own", {}, 40, "oak"), Throw("other", {}, 40, "yew"), rule="8").won
        roll = table.roll("many", 60, rule="8", at_least=210)
        table.tell("done", won=won, total=roll.total)
        return
        yield

    rules, view, question = marching()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "foresee", foresee)
        against, many, done = forecast(rules, view, question, order("march", hold=True))
    assert isinstance(against, Chance)
    assert isinstance(many, Chance)
    assert against.outcomes == {"success": 49, "equal": 3}
    assert many.outcomes == {"success": 52}
    assert isinstance(done, Happens)
    assert done.event.facts["won"]
    assert done.event.facts["total"] >= 210


def test_a_forecast_says_where_it_stops() -> None:
    """What the enemy does with beaten guards is not foreseen; nor what a side itself does not say."""
    rules, box = loaded("toy").rules, loaded("toy").box
    stopped = set()
    for view, question in toys():
        for chosen in list(rules.legal_orders(view, question)):
            found = forecast(rules, view, question, chosen)
            if any(isinstance(each, Asked) and each.answer is None for each in found):
                assert isinstance(found[-1], Stops)
                text = " ".join(foreseen(box, question.side, found).split())
                name = "Blue" if question.side == "red" else "Red"
                assert text.endswith(f"The forecast stops here: the rest depends on the answer of {name}.")
                assert prospect_record(found[-1])["stops"] == "fall_back"
                stopped.add(question.side)
            else:
                assert not any(isinstance(each, Stops) for each in found)
    assert stopped


def test_a_forecast_that_goes_on_for_ever_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def foresee(view: Any, table: Table, decision: Decision, order: Order) -> Any:
        table.lay(view)
        while True:
            yield Decision("aid", "yew", "7", {}, {"card": "none"}, waits=False)

    rules, view, question = marching()
    monkeypatch.setattr(rules, "foresee", foresee)
    found = forecast(rules, view, question, order("march", hold=True))
    assert found[-1] == Stops(None)
    assert "has become too long" in foreseen(loaded("five").box, "oak", found)
