"""The odds: tables counted by hand, and battles played out as in a game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pbem.cli.verbs import app
from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.prospects import Odds
from pbem.game.table import Table
from pbem.protocol import Order
from pbem.rules.rome_carthage.views.odds import odds

ROOT = Path(__file__).resolve().parents[3]
RULES: Any = shelf.load("rome_carthage").rules
ODDS: dict[str, Odds] = RULES.odds
EXAMPLE = {"attacker_rating": 4, "attacker_cards": 12, "defender_rating": 2, "defender_cards": 14}


def tables(count: int, seed: str = "odds") -> Iterator[Table]:
    return (Table(SeededDice(f"{seed}/{n}")) for n in range(count))


def pbem(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


# ---- battle (11)


def test_chances_add_up() -> None:
    figures = ODDS["battle"].answer(EXAMPLE, tables(300)).figures
    assert figures["games"] == 300
    assert sum(figures["rounds_distribution"].values()) == pytest.approx(1)
    assert figures["rounds"] == pytest.approx(sum(int(n) * p for n, p in figures["rounds_distribution"].items()))
    wins, lost = figures["attacker_wins"], figures["lost"]
    for who in ("attacker", "defender"):
        mean = wins * lost["if_attacker_wins"][who] + (1 - wins) * lost["if_defender_wins"][who]
        assert lost[who] == pytest.approx(mean)


def test_the_same_seed_the_same_battles() -> None:
    ask = ODDS["battle"].answer
    assert ask(EXAMPLE, tables(50)) == ask(EXAMPLE, tables(50))
    assert ask(EXAMPLE, tables(50)) != ask(EXAMPLE, tables(50, "others"))


def test_who_has_no_card_to_lead_loses_without_a_round() -> None:
    figures = ODDS["battle"].answer({**EXAMPLE, "attacker_cards": 0}, tables(5)).figures
    assert (figures["attacker_wins"], figures["rounds_distribution"]) == (0, {"0": 1})


def test_who_has_no_card_to_match_loses_in_the_first() -> None:
    figures = ODDS["battle"].answer({**EXAMPLE, "defender_cards": 0}, tables(5)).figures
    assert (figures["attacker_wins"], figures["rounds_distribution"]) == (1, {"1": 1})


@pytest.mark.slow
def test_more_cards_and_a_better_general_win_more() -> None:
    def wins(**changes: int) -> float:
        chance: float = ODDS["battle"].answer({**EXAMPLE, **changes}, tables(500)).figures["attacker_wins"]
        return chance

    assert wins(attacker_cards=8) < wins() < wins(attacker_cards=18)
    assert wins(attacker_rating=1) < wins() < wins(defender_rating=0)


def battles_in_a_game(count: int) -> tuple[float, float, float]:
    """Fight Hasdrubal (6 CU) against 7 CU under Nero as a game does; return wins of his, rounds, CU he loses."""
    written = RULES.encode(RULES.setup("standard", Table(SeededDice("set-up"))))
    written |= {
        "phase": "strategy",
        "to_play": "carthage",
        "hands": {"carthage": [33], "rome": [34]},
        "deck": [],
        "stacks": {
            "carthage": {"nemausus": {"cu": 6, "generals": ["hasdrubal"]}},
            "rome": {"narbo": {"cu": 7, "generals": ["nero"]}},
        },
    }
    position = RULES.settle(RULES.decode(written))
    march = {"card": 33, "as": "operations", "general": "hasdrubal", "cu": 6, "path": ["narbo"]}
    wins = rounds = lost = 0
    for n in range(count):
        session = Session(RULES, position, SeededDice(f"game {n}"))
        session.answer([Order("play", march)])
        while (
            session.open_decisions
            and not session.at_checkpoint
            and not any(e.kind in END for e in session.table.events)
        ):
            decision = session.open_decisions[0]
            body = {"to": "none"} if decision.kind == "avoid_battle" else decision.default
            assert body is not None
            session.answer([Order(decision.kind, body)])
        events = {event.kind: event.facts for event in session.table.events}
        told = events.get("battle_won") or events["attack_spent"]
        wins += told["winner"] == "carthage"
        rounds += told["rounds"]
        losses = [event.facts for event in session.table.events if event.kind == "lost"]
        lost += sum(one["cu"] for one in losses if one["side"] == "carthage" and one["cause"] in CAUSES)
    return wins / count, rounds / count, lost / count


END = ("retreats", "markers_removed", "siege_lifted")
CAUSES = ("battle", "retreat_table")


@pytest.mark.slow
def test_battles_in_a_game_come_to_the_same() -> None:
    """Both are the rules' own battles; here with generals from the box, allies on neither side, the whole way in."""
    numbers = {"attacker_rating": 3, "attacker_cards": 9, "defender_rating": 2, "defender_cards": 9}
    figures = ODDS["battle"].answer({**numbers, "attacker_cu": 6, "defender_cu": 7}, tables(3000)).figures
    wins, rounds, lost = battles_in_a_game(700)
    assert wins == pytest.approx(figures["attacker_wins"], abs=0.06)
    assert rounds == pytest.approx(figures["rounds"], abs=0.4)
    assert lost == pytest.approx(figures["lost"]["attacker"], abs=0.3)


def test_too_many_cards_for_the_deck_are_refused() -> None:
    deck = ("frontal_assault",) * 20
    with pytest.raises(ValueError, match="20 battle cards, too few"):
        odds(replace(RULES.board, battle_deck=deck), RULES.edition)["battle"].answer(EXAMPLE, tables(1))


# ---- siege (16.4) and voyage (8.8.3)


def test_a_siege_by_hand() -> None:
    """Without a modifier 3, 4 and 5 win a point, 6 two: of two points missing, one roll wins them with a 6 alone."""
    figures = ODDS["siege"].answer({"modifier": 0, "points": 1}, tables(0)).figures
    assert figures["rolls"]["1"] == pytest.approx(1 / 6)
    assert figures["rolls"]["2"] == pytest.approx(2 / 6 * 1 / 6 + 3 / 6 * 4 / 6)
    assert figures["cu_a_roll"] == pytest.approx(2 / 6)
    last = ODDS["siege"].answer({"modifier": 0, "points": 2}, tables(0)).figures
    assert last["mean"] == pytest.approx(6 / 4)
    assert figures["mean"] == pytest.approx((1 + 3 / 6 * 6 / 4) / (4 / 6))


def test_a_siege_that_cannot_be_won() -> None:
    with pytest.raises(ValueError, match="no roll wins a point"):
        ODDS["siege"].answer({"modifier": -4, "points": 0}, tables(0))


@pytest.mark.parametrize(("modifier", "arrives", "sunk"), [(0, 1 / 6, 4 / 6), (-4, 5 / 6, 0), (2, 0, 1)])
def test_a_voyage_by_hand(modifier: int, arrives: float, sunk: float) -> None:
    figures = ODDS["naval"].answer({"modifier": modifier}, tables(0)).figures
    assert (figures["none"], figures["sunk"]) == pytest.approx((arrives, sunk))
    assert sum(figures.values()) == pytest.approx(1)


# ---- pbem odds


def words(**numbers: int) -> list[str]:
    return [f"--{name.replace('_', '-')}={number}" for name, number in numbers.items()]


@pytest.mark.slow
def test_ten_thousand_battles_take_less_than_ten_seconds() -> None:
    """Of the processor's time: the tests may share it with others."""
    before = getrusage(RUSAGE_CHILDREN)
    done = pbem("odds", "rome_carthage", "battle", *words(**EXAMPLE))
    after = getrusage(RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10
    assert done.exit_code == 0
    assert "10,000 battles\n\nthe attacker wins " in done.stdout
    assert "late player" in done.stdout
    assert all(len(line) <= 104 for line in done.stdout.splitlines())


def test_for_a_program_to_read() -> None:
    done = pbem("odds", "rome_carthage", "battle", *words(**EXAMPLE), "--games", "20", "--seed", "7", "--json")
    read = json.loads(done.stdout)
    assert read["numbers"] == EXAMPLE
    assert (read["games"], read["seed"]) == (20, "7")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "ask for one of\n  battle: "),
        (["weather"], "rome_carthage has no odds of weather; ask for one of"),
        (["battle"], "--attacker-rating is missing: battle rating of the attacker's general"),
        (["naval", "--modifer", "2"], "--modifer is not an option of the odds of naval"),
        (["naval", "2"], "2 is not an option of the odds of naval"),
        (["naval", "--modifier"], "--modifier needs a whole number, -12 to 12"),
        (["naval", "--modifier", "x"], "--modifier needs a whole number"),
        (["naval", "--modifier", "13"], "--modifier 13: it must be -12 to 12"),
        (["siege", "--modifier", "-6"], "no roll wins a point"),
        (["naval", "--edition", "2007"], "there is no edition 2007"),
    ],
)
def test_what_cannot_be_asked(asked: list[str], said: str) -> None:
    done = pbem("odds", "rome_carthage", *asked)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_game_without_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "toy"))
    done = CliRunner().invoke(app, ["odds", "toy", "battle", "--rules-dir", str(ROOT / "tests" / "toy" / "rules")])
    assert done.exit_code == 2
    assert "toy computes no odds" in done.stderr
