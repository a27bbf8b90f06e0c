"""Everything a game can tell has words: what the rulings tell, and what the code could tell besides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases import run
from pbem.engine.session import Session
from pbem.game.boxes.box import Box
from pbem.game.plain import copy
from pbem.orders.sheet import read_sheet
from pbem.protocol import Decision, Event, Order
from pbem.render.text.form import SheetHead, choices, form
from pbem.render.text.messages import runs_of, sentences
from tests.support.campaigns import Told
from tests.support.rulings import cases_in
from tests.support.soak import quick_and_whole
from tests.support.walks import FOLDERS, loaded, start
from tests.support.words_of_games import choices_in, told_in

PACKAGE = Path(__file__).resolve().parents[3] / "pbem" / "rules" / "rome_carthage"
MOST_LINES = 60
"""So long is a form at most that a player on a phone still reads."""
SEEN_OF_A_KIND = 15
WORDED = {"causes": "cause", "reasons": "reason", "ways": "by", "hand_reasons": "reasons"}
"""Groups of words, and the fact whose values they word."""


@dataclass(frozen=True)
class Asked:
    """A question of a ruling, with the position as the side asked knows it."""

    rules: Any
    box: Box
    view: Any
    decision: Decision


@dataclass(frozen=True)
class Heard:
    """Whatever the rulings tell and ask."""

    events: list[list[Event]]
    asked: list[Asked]
    results: list[Any]
    whole: bool
    """Whether nothing was left out."""


@cache
def listened(apart: int) -> Heard:
    """Play one ruling in so many and return what was told, asked and decided."""
    all_heard = Heard([], [], [], whole=apart == 1)
    counts: dict[tuple[str, Any], int] = {}

    class Listening(Session[Any]):
        """A session that notes its questions before they are answered."""

        def answer(self, orders: Any) -> None:
            for decision in self.open_decisions:
                often = (decision.kind, decision.default is None)
                counts[often] = counts.get(often, 0) + 1
                if counts[often] <= SEEN_OF_A_KIND:
                    view = self.rules.view(copy(self.position), decision.side)
                    all_heard.asked.append(Asked(self.rules, loaded("rome_carthage").box, view, decision))
            super().answer(orders)

    sessions: list[Session[Any]] = []

    def begun(*words: Any) -> Session[Any]:
        sessions.append(Listening(*words))
        return sessions[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Session", begun)
        cases = [case for path in loaded("rome_carthage").box.cases() for case in cases_in(path)]
        for case in cases[::apart]:
            run.run_case(case, "rome_carthage", FOLDERS)
    for session in sessions:
        all_heard.events.append(list(session.table.events))
        if session.result is not None:
            all_heard.results.append(session.result)
    return all_heard


@pytest.fixture(params=quick_and_whole(6, 1))
def heard(request: pytest.FixtureRequest) -> Heard:
    return listened(request.param)


def events_of(heard: Heard) -> Iterator[Event]:
    for some in heard.events:
        yield from some


def messages() -> Any:
    return loaded("rome_carthage").box.messages()


def test_whatever_the_rulings_tell_has_a_sentence(heard: Heard) -> None:
    kinds = {event.kind for event in events_of(heard) if event.roll is None}
    assert len(kinds) > (80 if heard.whole else 40)
    assert sorted(kinds - messages()["events"].keys()) == []


def test_whatever_the_code_tells_has_a_sentence() -> None:
    kinds = {kind for path in PACKAGE.rglob("*.py") for kind in told_in(path.read_text("utf-8"))}
    assert len(kinds) > 70
    assert sorted(kinds - {"battle_ahead"} - messages()["events"].keys()) == []


def test_no_sentence_is_left_of_what_is_told_no_more(heard: Heard) -> None:
    written = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    told = {event.kind for event in events_of(heard)}
    single = [key for key in messages()["events"] if " " not in key and "/" not in key and not key.endswith("+")]
    forms = {key: (f'"{key}"', f'}}_{key.rpartition("_")[2]}"') for key in single}
    assert [key for key in single if key not in told and not any(each in written for each in forms[key])] == []


def test_every_phrase_tells_events_that_follow_each_other(heard: Heard) -> None:
    """A phrase whose events come in another order is never said; each of them is then told by itself."""
    say = sentences(loaded("rome_carthage").box)
    left = {key: say._phrase(key, text) for key, text in messages()["events"].items() if " " in key}
    assert len(left) > 50
    for told in ([Told(1, event) for event in some] for some in heard.events):
        for at in range(len(told)):
            for key in [key for key, phrase in left.items() if runs_of(phrase, told, at) is not None]:
                del left[key]
    assert not (heard.whole and left)


def test_whatever_is_rolled_for_has_words_and_its_modifiers_too(heard: Heard) -> None:
    rolls = [event.roll for event in events_of(heard) if event.roll is not None]
    names = {roll.name for roll in rolls}
    keys = messages()["rolls"].keys()
    ends = {
        name: (name.split("/")[0], f"{name.split('/')[0]}/{name.split('/')[-1].partition('.')[0]}") for name in names
    }
    plain = [
        name for name, (first, both) in ends.items() if first not in keys and re.sub(r"-\d+$", "", both) not in keys
    ]
    assert plain == []
    assert sorted({why for roll in rolls for why in roll.modifiers} - messages()["modifiers"].keys()) == []


@pytest.mark.parametrize("group", WORDED)
def test_every_value_that_a_group_words_is_in_it(group: str, heard: Heard) -> None:
    fact = WORDED[group]
    slot = re.compile(rf"\{{(?:[a-z_.]+\.)?{fact}:{group}\}}")
    kinds = {key.split()[-1] for key, text in messages()["events"].items() if slot.search(text)}
    asking = {key for key, text in messages()["questions"].items() if slot.search(text)}
    facts: list[Mapping[str, Any]] = [event.facts for event in events_of(heard) if event.kind in kinds]
    facts += [each.decision.facts for each in heard.asked if each.decision.kind in asking]
    values = {value for each in facts for value in (each[fact] if isinstance(each[fact], dict) else [each[fact]])}
    assert values or not heard.whole
    assert sorted(values - messages()[group].keys()) == []


def test_every_end_of_a_game_has_words(heard: Heard) -> None:
    assert {result.reason for result in heard.results} <= messages()["results"].keys()


def test_every_question_says_what_it_is_about() -> None:
    box = loaded("rome_carthage").box
    assert sorted(box.forms.keys() - messages()["questions"].keys()) == []


def test_nothing_told_shows_the_inside_of_the_program(heard: Heard) -> None:
    say = sentences(loaded("rome_carthage").box)
    for some in heard.events:
        rolls = iter(range(1, 1000))
        told = [Told(1, event, next(rolls) if event.roll is not None else None) for event in some]
        for line in say.tell(told):
            assert not re.search(r"[_{}\[\]]|None|  |\.\.| ,| \.|^[a-z].*\.$|\( | \)|\(\)", line.text), line.text
    for each in heard.asked:
        text = say.question(each.decision)
        assert text.endswith("."), text
        assert not re.search(r"[_{}\[\]]|None|  |\.\.| ,| \.|\( | \)|\(\)", text), text


def test_every_question_of_the_cases_has_a_short_form_of_orders(heard: Heard) -> None:
    """Every question of the cases comes with a short form of legal orders."""
    for each in heard.asked:
        decision, box = each.decision, each.box
        text = form([choices(each.rules, box, each.view, decision)], SheetHead("g", decision.side, 1))
        assert len(text.splitlines()) <= MOST_LINES, text
        bare = text[: text.index("orders:") + len("orders:\n")]
        offered = [read_sheet(bare + one + "\n", forms=box.forms).orders[0] for one in choices_in(text)]
        if decision.default is not None:
            offered.append(Order(decision.kind, decision.default))
        assert offered
        for order in offered:
            assert list(each.rules.check(each.view, decision, order)) == [], (text, order)


def test_the_map_shows_the_siege_train_a_truce_and_voyages() -> None:
    rules = loaded("rome_carthage").rules
    position = start(rules, "standard", 1)
    position.stacks["carthage"]["saguntum"].train = True
    position.truce = True
    sails = Event("sails", {"side": "rome", "general": "longus", "origin": "agrigentum", "space": "rome", "cu": 5})
    marches = Event("marches", {"side": "rome", "general": "longus", "space": "agrigentum", "cu": 5})
    seen = rules.scene(rules.view(position, None), [marches, sails])
    assert ("1-4", "2 el", "train") in [counter.badges for counter in seen.counters]
    assert seen.subtitle.endswith("Truce")
    assert [(arrow.places, arrow.style) for arrow in seen.arrows] == [(("agrigentum", "rome"), "sea")]
