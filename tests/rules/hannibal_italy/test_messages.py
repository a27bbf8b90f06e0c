"""All words of HANNIBAL in Italy: sentences, reports, forms, standing orders, forecasts, odds, the reconstructed."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.cli import rulebook
from pbem.crypto.dice import SeededDice
from pbem.engine.cases import run
from pbem.engine.forecast import forecast
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.boxes.box import Box
from pbem.game.boxes.box_file import BrokenBox
from pbem.game.plain import copy
from pbem.game.prospects import Asked, Chance, Happens, Odds
from pbem.game.table import Table
from pbem.orders.conditions import condition_holds
from pbem.orders.sheet import read_sheet
from pbem.orders.standing import file_standing
from pbem.protocol import Decision, Event, Order
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.forecast_text import foreseen
from pbem.render.text.form import ORDER_WIDTH, SheetHead, choices, form
from pbem.render.text.messages import sentences
from pbem.render.text.report import Report
from pbem.render.text.text_lines import WIDTH
from tests.support.campaigns import Told
from tests.support.rulings import cases_in
from tests.support.soak import quick_and_whole, quick_first
from tests.support.walks import FOLDERS, loaded, start
from tests.support.words_of_games import choices_in, told_in

GAME = "hannibal_italy"
ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "pbem" / "rules" / GAME
VIEWERS = ("rome", "carthage", None)
MOST_LINES = 60
"""So long is a form at most that a player on a phone still reads, for one question."""
SEEN_OF_A_KIND = 12
LETTERS = ("hannibal_italy", "PBEM_RULES")
"""Words with an underline that a report may have: it says how to put right what is reconstructed."""


@dataclass
class Heard:
    """Whatever random games and the rulings tell and ask."""

    events: list[list[Event]] = field(default_factory=list)
    asked: list[tuple[Any, Any, Decision]] = field(default_factory=list)
    """The rules, the position as the side asked knows it, the question."""
    results: list[Any] = field(default_factory=list)
    whole: bool = True
    """Whether nothing was left out."""


@dataclass
class At:
    """A random game at a question: what was told since the last one."""

    session: Session[Any]
    told: list[Told]
    adjudication: int


def games(edition: str, scenario: str, seed: int, most: int = 700) -> Iterator[At]:
    """Yield a random game at each question; both sides are keener on battle, marches and works than chance is."""
    rules = loaded(GAME, edition).rules
    table, rng = Table(SeededDice(f"setup {seed}")), Random(seed)
    session = Session(rules, rules.setup(scenario, table), SeededDice(seed))
    told, seen = [Told(0, event) for event in table.events], 0
    for adjudication in range(most):
        while session.at_checkpoint and session.result is None:
            session.go_on()
        rolls = 0
        for event in session.table.events[seen:]:
            rolls += event.roll is not None
            told.append(Told(adjudication, event, rolls if event.roll is not None else None))
        seen = len(session.table.events)
        yield At(session, told, adjudication)
        if session.result is not None:
            return
        told = []
        session.answer([pick(rules, session, decision, rng) for decision in session.open_decisions])


def pick(rules: Any, session: Session[Any], decision: Decision, rng: Random) -> Order:
    """Return a random answer, one that makes something happen if there is one."""
    view = rules.view(session.position, decision.side)
    choices = rules.legal_orders(view, decision)
    tries = [choices.pick(rng.random) for _ in range(4)]
    keen = [order for order in tries if order.body not in ({"end": True}, {"fight": False}, {"units": "none"})]
    picked: Order = (keen or tries)[0]
    return picked


GAMES_HEARD = (
    ("text", "campaign", 1),
    ("text", "short", 2),
    ("repaired", "campaign", 3),
    ("text", "campaign", 7),
    ("repaired", "short", 15),
)
"""Edition, scenario and seed of the games that are heard; `make test` hears the second and a quarter of the rulings."""


@pytest.fixture(params=quick_and_whole(GAMES_HEARD[1:2], GAMES_HEARD))
def heard(request: pytest.FixtureRequest) -> Heard:
    return listened(request.param)


@cache
def listened(played: tuple[tuple[str, str, int], ...]) -> Heard:
    """Play games and rulings and return what was told, asked and decided."""
    found, counts = Heard(whole=played == GAMES_HEARD), Counter[tuple[str, bool]]()

    def note(rules: Any, position: Any, decision: Decision) -> None:
        often = (decision.kind, decision.default is None)
        counts[often] += 1
        if counts[often] <= SEEN_OF_A_KIND:
            found.asked.append((rules, rules.view(copy(position), decision.side), decision))

    for edition, scenario, seed in played:
        for at in games(edition, scenario, seed):
            for decision in at.session.open_decisions:
                note(at.session.rules, at.session.position, decision)
        found.events.append([Event("reconstructed", {"what": ["map", "tables"]}), *at.session.table.events])
        found.results.append(at.session.result)

    class Listening(Session[Any]):
        """A session that notes its questions before they are answered."""

        def answer(self, orders: Any) -> None:
            for decision in self.open_decisions:
                note(self.rules, self.position, decision)
            super().answer(orders)

    sessions: list[Session[Any]] = []

    def begun(*words: Any) -> Session[Any]:
        sessions.append(Listening(*words))
        return sessions[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Session", begun)
        cases = [case for path in loaded(GAME).box.cases() for case in cases_in(path)]
        for case in cases[:: 1 if found.whole else 4]:
            run.run_case(case, GAME, FOLDERS)
    for session in sessions:
        found.events.append(list(session.table.events))
        found.results.append(session.result)
    return found


def messages() -> Any:
    return loaded(GAME).box.messages()


def code() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py")))


# ---- sentences


def test_whatever_is_told_has_a_sentence(heard: Heard) -> None:
    kinds = {event.kind for some in heard.events for event in some if event.roll is None}
    assert len(kinds) > (40 if heard.whole else 25)
    assert sorted(kinds - messages()["events"].keys()) == []
    in_code = {kind for path in PACKAGE.rglob("*.py") for kind in told_in(path.read_text("utf-8"))}
    forecasts = set(told_in((PACKAGE / "views" / "forecast.py").read_text("utf-8")))
    assert len(in_code) > 60
    assert sorted(in_code - forecasts - messages()["events"].keys()) == []
    assert sorted(forecasts - messages()["forecast"].keys()) == []


def test_no_sentence_is_left_of_what_is_told_no_more() -> None:
    single = [key for key in messages()["events"] if " " not in key and "/" not in key and not key.endswith("+")]
    assert [key for key in single if f'"{key}"' not in code()] == []
    assert [key for key in messages()["forecast"] if f'"{key}"' not in code()] == []


def test_whatever_is_rolled_for_has_words_and_its_modifiers_too(heard: Heard) -> None:
    rolls = [event.roll for some in heard.events for event in some if event.roll is not None]
    assert sorted({roll.name.split("/")[0] for roll in rolls} - messages()["rolls"].keys()) == []
    assert sorted({why for roll in rolls for why in roll.modifiers} - messages()["modifiers"].keys()) == []
    numbers = loaded(GAME).box.table("tables")["elections"]["modifiers"]
    assert numbers.keys() <= messages()["modifiers"].keys()


def test_every_result_of_both_charts_has_words() -> None:
    tables = loaded(GAME).box.table("tables")
    for chart in ("field_results", "assault_results"):
        cells = {cell for row in tables[chart]["rows"] for cell in row}
        assert sorted(cells - messages()[chart].keys()) == []


def test_groups_word_what_the_box_has() -> None:
    box, board = loaded(GAME).box, loaded(GAME).rules.board  # type: ignore[attr-defined]
    drawn = {unit.id for unit in board.units.values() if unit.pool is not None and unit.id == unit.whole}
    assert drawn <= messages()["strengths"].keys()
    assert set(box.table("tables")["recruitment"]) - {"years"} <= messages()["levies"].keys()


def test_every_question_and_every_end_has_words(heard: Heard) -> None:
    assert sorted(loaded(GAME).box.forms.keys() - messages()["questions"].keys()) == []
    assert {result.reason for result in heard.results if result} <= messages()["results"].keys()
    assert {"points", "draw", "rome_falls"} <= messages()["results"].keys()


UGLY = re.compile(r"[_{}\[\]]|None|  |\.\.| ,| \.|\( | \)|\(\)|: \.|UNSEEN|unseen|\. [a-z]")


def ugly(text: str) -> bool:
    for word in LETTERS:
        text = text.replace(word, word.replace("_", ""))
    return bool(UGLY.search(text))


def test_nothing_told_shows_the_inside_of_the_program(heard: Heard) -> None:
    say = sentences(loaded(GAME).box)
    for some in heard.events:
        rolls = iter(range(1, 100_000))
        told = [Told(1, event, next(rolls) if event.roll is not None else None) for event in some]
        for line in say.tell(told):
            # pbem begins its own name with a small letter
            assert not ugly(line.text.replace(". pbem", ". P")), line.text
            assert not re.match(r"[a-z].*\.$", line.text), line.text
    for _, _, decision in heard.asked:
        text = say.question(decision)
        assert text.endswith("."), text
        assert not ugly(text), text


# ---- reports


def told_to(at: At, side: str | None, **changes: Any) -> str:
    game = loaded(GAME)
    words: dict[str, Any] = {
        "game": "punica",
        "adjudication": at.adjudication,
        "side": side,
        "view": game.rules.view(at.session.position, side),
        "events": at.told,
        "waiting": at.session.open_decisions,
        "others": [decision.side for decision in at.session.open_decisions],
        "result": at.session.result,
    }
    return Report(Contents(game.rules, game.box, ReportRequest(**{**words, **changes}))).text


@pytest.mark.parametrize("seed", quick_first([1, 7]))
@pytest.mark.parametrize("most", quick_and_whole(60, 160))
def test_a_report_has_no_loose_ends(seed: int, most: int) -> None:
    for at in games("text", "short", seed, most):
        for side in VIEWERS:
            text = told_to(at, side, deadline="Sun 29 Nov 18:00 UTC")
            before, _, sheet = text.partition("BEGIN ORDERS")
            assert max(map(len, before.splitlines())) <= WIDTH
            assert max(map(len, sheet.splitlines()), default=0) <= ORDER_WIDTH
            for word in LETTERS:
                before = before.replace(word, "")
            assert not [mark for mark in ("{", "[[", "None", "_") if mark in before], before
            assert "\n\n\n" not in text


@pytest.mark.parametrize("most", quick_and_whole(30, 130))
@pytest.mark.parametrize("seed", quick_first([3, 15]))
def test_a_report_says_the_same_whatever_its_reader_cannot_see(seed: int, most: int) -> None:
    rules = loaded(GAME).rules
    for at in games("text", "campaign", seed, most):
        for side in VIEWERS:
            other = rules.resample_hidden(at.session.position, side, Table(SeededDice(f"other {at.adjudication}")))
            assert told_to(at, side, view=rules.view(other, side)) == told_to(at, side)


def test_rome_and_observers_read_nothing_of_carthaginian_stacks() -> None:
    """Rome and observers read nothing of what is with a Carthaginian leader."""
    at = next(games("text", "short", 1))
    for side in ("rome", None):
        text = told_to(at, side)
        assert "    0227: Hannibal, strength not known\n" in text
        assert not re.search(r"elephants? \(|horse \(|allies|Gauls? \(", text)
    own = told_to(at, "carthage")
    assert "0227: Hannibal, 51 SP: 3 elephants (3), 3 foot (6), 6 horse (4)" in own
    assert "To be drawn, unseen" in own


# ---- what is reconstructed


def test_first_report_says_how_to_replace_what_is_reconstructed() -> None:
    """A first report says what is reconstructed and how to replace it."""
    text = " ".join(told_to(next(games("text", "short", 1)), "rome").split())
    assert "had to be reconstructed: the map" in text
    assert "the two combat charts" in text
    assert "pbem rules hannibal_italy lists all of it" in text
    assert "says how an owner of the printed game puts it right" in text


def corrected(tmp_path: Path, **files: tuple[str, str]) -> Path:
    """Return a folder of boxes with a copy of the game's, in each file something replaced."""
    folder = tmp_path / "rules"
    shutil.copytree(loaded(GAME).box.folder, folder / GAME)
    for name, (old, new) in files.items():
        path = folder / GAME / f"{name}.yaml"
        written = path.read_text("utf-8")
        assert re.search(old, written, re.DOTALL)
        path.write_text(re.sub(old, new, written, count=1, flags=re.DOTALL), "utf-8")
    return folder


def test_corrected_copy_takes_the_place_of_what_is_reconstructed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Owners of the printed game put a corrected copy in place of what is reconstructed."""
    tables = (r"confidence:.*?\n\n(.*?)\[A5, A4, A3, A3, A2, E2\]", r"\1[A6, A4, A3, A3, A2, E2]")
    folder = corrected(tmp_path, tables=tables, map=(r"confidence:.*?\n\n(.*?)loyalty: 5\}", r"\1loyalty: 3}"))
    monkeypatch.setenv("PBEM_RULES", str(folder))
    game = shelf.load(GAME, edition="text")
    game.box.check()
    rules: Any = game.rules
    assert rules.board.field.read(0, -1) == "A6"
    assert rules.board.cities["patavium"].loyalty == 3
    table = Table(SeededDice("setup"))
    rules.setup("short", table)
    assert [event.facts["what"] for event in table.events if event.kind == "reconstructed"] == [["counters", "leaders"]]
    rulebook.show_rules(GAME, "text")
    printed = capsys.readouterr().out
    assert "leaders, ratings: " in printed
    assert not re.search(r"^  (map|tables), ", printed, re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    quick_first(
        [
            ("tables", r"\[A5, A4", "[B5, A4", "B5"),
            ("tables", r"\[A5, A4, ", "[A5, ", "this row has 5 cells; there are 6 columns"),
            ("map", "class: walled", "class: wooden", "wooden"),
            ("map", "loyalty: 5", "loyal: 5", "loyal does not belong here; did you mean loyalty?"),
            ("counters", r"sp: \[10, 5\]", "sp: [10, 5, 1]", r"[10, 5, 1]"),
            ("leaders", "withdraws_on: 4", "withdraws_on: 7", "7 is greater than the maximum of 6"),
            ("scenarios/short", "year: 218", "yeer: 218", "yeer does not belong here; did you mean year?"),
            ("layout", "id: hannibal_italy", "id: italy", "hannibal_italy"),
            ("coast", "-60,-60 ", "-60;-60 ", "does not match"),
        ],
        3,
    ),
)
def test_a_copy_with_a_slip_is_refused(file: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    box = Box(corrected(tmp_path, **{file: (old, new)}) / GAME)
    with pytest.raises(BrokenBox) as broken:
        shelf_check(box)
    assert said in str(broken.value)


def shelf_check(box: Box) -> None:
    """Check a box as `pbem shelf --check` does: its shape, and that it holds together."""
    box.check()
    loaded(GAME).rules.__class__(box, box.options())  # type: ignore[call-arg]


# ---- forms


def test_every_form_is_short_and_offers_legal_orders(heard: Heard) -> None:
    box = loaded(GAME).box
    kinds = set()
    for rules, view, decision in heard.asked:
        kinds.add(decision.kind)
        text = form([choices(rules, box, view, decision)], SheetHead("g", decision.side, 1))
        assert len(text.splitlines()) <= MOST_LINES, text
        for line in text.splitlines():
            written = re.match(r"(# )?(- |    )\w+:", line)
            assert len(line) <= (ORDER_WIDTH if written else 70), line
        assert not re.search(r"None|unseen|\{\}\)", text), text
        bare = text[: text.index("orders:") + len("orders:\n")]
        offered = [read_sheet(bare + one + "\n", forms=box.forms).orders[0] for one in choices_in(text)]
        assert read_sheet(text, forms=box.forms).orders == ()
        assert offered
        assert decision.default is None or offered[-1].body == decision.default
        for order in offered:
            assert list(rules.check(view, decision, order)) == [], (text, order)
    assert not heard.whole or box.forms.keys() - kinds <= {
        "dictator",
        "sally",
        "works",
        "command",
        "ambush",
        "arrive",
        "receive",
    }


def test_the_form_of_a_march_tells_reach_and_chances() -> None:
    rules: Any = loaded(GAME).rules
    position = start(rules, "short", 1)
    position.phase = "first_move"
    question = Decision(
        "move",
        "carthage",
        "7.1",
        {"year": 218, "segment": "winter", "leaders": ["gaulish_leader", "hannibal"]},
        {"end": True},
    )
    texts = [hint for hint in rules.hints(rules.view(position, "carthage"), question) if isinstance(hint, str)]
    hannibal = texts.index(next(text for text in texts if text.startswith("hannibal")))
    assert texts[hannibal].startswith('hannibal at "0227": 51 SP, elephants 3, punic_foot 3, punic_horse 6; 20 points')
    assert "0522" in texts[hannibal + 1]
    # Taurasia needs 3 or more; Hannibal brings +2 for 51 SP, the Gaulish leader nothing.
    assert "taurasia 100 %" in texts[hannibal + 2]
    gaul = texts.index(next(text for text in texts if text.startswith("gaulish_leader")))
    assert any("taurasia 67 %" in text for text in texts[gaul : gaul + 3])


# ---- standing orders


def battles(seeds: range) -> Iterator[tuple[Any, Decision, Any]]:
    """Yield the questions of battles: the known position, the question, its facts with those of the game."""
    for seed in seeds:
        for at in games("text", "campaign", seed):
            for decision in at.session.open_decisions:
                if decision.kind in ("fight", "go_on"):
                    view = at.session.rules.view(at.session.position, decision.side)
                    facts = {**decision.facts, **loaded(GAME).rules.facts(view, decision)}
                    yield at.session, decision, facts


def test_a_standing_order_may_go_by_odds_and_river() -> None:
    seen = Counter[bool]()
    for _, decision, facts in battles(range(2, 40)):
        if seen[True] and seen[False]:
            break
        if decision.kind != "fight" or "enemy_sp" not in facts:
            continue
        willing = condition_holds(">= 200", facts["odds"]) and condition_holds(False, facts["river"])
        assert willing == (facts["own_sp"] >= 2 * facts["enemy_sp"] and not facts["river"])
        seen[willing] += 1
    assert seen[True]
    assert seen[False]


def test_rome_has_no_fact_of_a_strength_that_it_may_not_see() -> None:
    rules: Any = loaded(GAME).rules
    tried = 0
    for at in games("text", "campaign", 7, 400):
        for decision in at.session.open_decisions:
            if decision.side != "rome":
                continue
            other = rules.resample_hidden(at.session.position, "rome", Table(SeededDice("other")))
            views = [rules.view(position, "rome") for position in (at.session.position, other)]
            assert rules.facts(views[0], decision) == rules.facts(views[1], decision)
            tried += 1
    assert tried


def test_pause_with_the_set_in_force_tells_nothing_of_carthage() -> None:
    """With the set of standing orders in force, a pause tells nothing of what Carthage has."""
    rules: Any = loaded(GAME).rules
    box = loaded(GAME).box
    usual = list(file_standing(["default"], box.standing_of("rome"), sheet=1, after=0, periods={}))
    tried = 0
    for at in games("text", "campaign", 15, 400):
        for decision in at.session.open_decisions:
            if decision.side != "carthage":
                continue
            other = rules.resample_hidden(at.session.position, "rome", Table(SeededDice("other")))
            stops = []
            for position in (at.session.position, other):
                facts = {**decision.facts, **rules.facts(rules.view(position, "carthage"), decision)}
                seen = facts.get("seen", False)
                stops.append(
                    seen
                    or any(
                        each.kind == decision.kind
                        and all(condition_holds(wanted, facts.get(name)) for name, wanted in each.when.items())
                        for each in usual
                    )
                )
            assert stops[0] == stops[1], decision.kind
            tried += 1
    assert tried


def test_periods_are_segments_and_years() -> None:
    rules: Any = loaded(GAME).rules
    assert rules.periods(start(rules, "short", 1)) == {"segment": "218/winter", "year": 218}


# ---- forecasts


def thought(position: Any, side: str, **body: Any) -> tuple[list[Any], str]:
    rules: Any = loaded(GAME).rules
    view = rules.view(position, side)
    question = Decision("move", side, "7.1", {"year": 218, "segment": "winter", "leaders": [body["leader"]]})
    order = Order("move", body)
    assert list(rules.check(view, question, order)) == []
    found = forecast(rules, view, question, order)
    return found, foreseen(loaded(GAME).box, side, found)


def at_war() -> Any:
    """Return the position at the start, in the movement of Carthage."""
    position = start(loaded(GAME).rules, "short", 1)
    position.phase = "first_move"
    return position


def test_forecast_tells_odds_of_diplomacy_and_enemy_at_the_end() -> None:
    """A forecast tells the chance of diplomacy and the enemy at the end."""
    path = [{"try": "taurasia"}, "clastidium", "0522"]
    found, text = thought(at_war(), "carthage", leader="hanno", path=path)
    (chance,) = [each for each in found if isinstance(each, Chance)]
    assert chance.outcomes == {"won over": 67, "refuses": 33}
    assert [each for each in found if isinstance(each, Asked)] == []
    happens = {each.event.kind: each.event.facts for each in found if isinstance(each, Happens)}
    assert happens["battle_ahead"] == {"hex": "0522", "own_sp": 0, "enemy_leaders": ["longus"], "enemy_sp": 20}
    assert "won over 67 %, refuses 33 %" in text
    assert max(map(len, text.splitlines())) <= 72


def test_a_forecast_of_rome_knows_nothing_of_a_hidden_army() -> None:
    position = at_war()
    position.phase, position.first = "first_move", "rome"
    found, text = thought(position, "rome", leader="longus", path=["0227"])
    happens = {each.event.kind: each.event.facts for each in found if isinstance(each, Happens)}
    assert "enemy_sp" not in happens["battle_ahead"]
    assert set(happens["battle_ahead"]["enemy_leaders"]) == {"hannibal", "hanno", "hamilcar", "gaulish_leader"}
    assert "Battle is possible there" in text


def test_whoever_must_get_away_first_is_told_his_chance() -> None:
    position = at_war()
    position.phase, position.first = "first_move", "rome"
    position.leaders["longus"].at = "0227"
    found, text = thought(position, "rome", leader="longus", path=["taurasia"])
    (chance,) = [each for each in found if isinstance(each, Chance)]
    assert chance.outcomes == {"success": 17}
    assert "Longus tries to get away (rule 7.6, needs >= 6): 17 %" in text


# ---- odds


def asked(what: str, **numbers: int) -> Any:
    one: Odds = loaded(GAME).rules.odds[what]
    given = {name: number.default for name, number in one.numbers.items() if number.default is not None} | numbers
    return one.answer(given, (Table(SeededDice(f"odds/{n}")) for n in range(400))).figures


@pytest.mark.slow
def test_battle_odds_add_up_and_the_stronger_keeps_the_field() -> None:
    """The chances of a battle add up, and the stronger side keeps the field more often."""
    army = {"carthage_foot": 3, "carthage_horse": 6}
    even = asked("battle", legions=4, **army)
    assert even["games"] == 400
    assert sum(even["keeps_the_field"].values()) == pytest.approx(1)
    assert sum(even["rounds_distribution"].values()) == pytest.approx(1)
    weak, strong = asked("battle", legions=2, **army), asked("battle", legions=4, rome_combat=2, **army)
    assert weak["keeps_the_field"]["carthage"] > even["keeps_the_field"]["carthage"]
    assert even["keeps_the_field"]["carthage"] > strong["keeps_the_field"]["carthage"]
    attacked = asked("battle", legions=6, rome_attacks=1, **army)["keeps_the_field"]
    over_a_river = asked("battle", legions=6, rome_attacks=1, rough=1, river=1, **army)["keeps_the_field"]
    assert over_a_river["carthage"] > attacked["carthage"]
    sprung = asked("battle", legions=4, ambush=1, **army)
    assert sprung != even


def test_a_siege_takes_as_long_as_its_numbers_say() -> None:
    figures = asked("siege")
    assert figures["segments"]["1"] == pytest.approx(1 / 6)
    assert figures["segments"]["2"] == pytest.approx(5 / 6 * 2 / 6)
    assert asked("siege", number=3)["mean"] == pytest.approx(1.5, abs=0.01)


def test_an_assault_is_read_from_the_chart() -> None:
    figures = asked("assault", attacker_sp=30, against=10)
    chart = loaded(GAME).rules.board.assault  # type: ignore[attr-defined]
    results = [chart.read(chart.columns.index("3-1"), die) for die in range(1, 7)]
    assert figures["column"] == "3-1"
    assert figures["stormed"] == pytest.approx(sum(word.endswith("S") for word in results) / 6)
    assert asked("assault", attacker_sp=30, against=10, carthage=1)["stormed"] <= figures["stormed"]
    with pytest.raises(ValueError, match="three to two"):
        asked("assault", attacker_sp=14, against=10)
    with pytest.raises(ValueError, match="no units"):
        asked("battle", legions=2)


# ---- the table of editions


def test_every_option_stands_in_the_table_of_editions() -> None:
    text = (ROOT / "docs" / "editions.md").read_text("utf-8").partition("# HANNIBAL, Italy")[2]
    rows = re.findall(r"^\| ([^|]+) \| .* \| `(\w+)` \|$", text, re.MULTILINE)
    options: Mapping[str, Any] = loaded(GAME).box.table("game")["options"]
    assert [(row.strip(), name) for row, name in rows] == [(option["row"], name) for name, option in options.items()]
    for edition in loaded(GAME).box.editions:
        assert f"| `{edition}` |" in text
