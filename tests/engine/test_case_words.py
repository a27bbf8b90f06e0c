"""Words of a case that the game does not know: each is a fault of the case, with its line, and never passes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases import CaseVerdict, read_cases, run_case
from pbem.protocol import Decision
from tests.support.walks import FOLDERS, loaded

ITALY = """\
- rule: "4"
  name: nothing is played
  expect: {goes_on: true}
  with:
    year: 217
"""
HILLS = """\
- rule: "3"
  name: both bury
  with: {phase: bury, hands.red: [1, 2, 3, 4], hands.blue: [11, 12, 13, 14]}
  play:
  - red: {bury: {card: 4}}
  - blue: {bury: {card: 11}}
  expect:
    events: [buried]
"""


def verdict(tmp_path: Path, text: str, game: str) -> CaseVerdict:
    path = tmp_path / "case.yaml"
    path.write_text(text, "utf-8")
    (case,) = read_cases(path)
    return run_case(case, game, FOLDERS)


def said(verdict: CaseVerdict) -> list[str]:
    return [text.partition("case.yaml:")[2] for text in verdict.differences]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("provinces.APU: rome", "there is no provinces.APU: APU cannot stand here; did you mean apulia?"),
        ("provinces.apulia: roma", "provinces.apulia: roma cannot stand here; did you mean rome?"),
        ("cities.roma: rome", "there is no cities.roma: roma cannot stand here; did you mean rome?"),
        ("cities: {roma: rome}", "cities.roma: roma cannot stand here; did you mean rome?"),
        ("segment: autumn", "segment: autumn cannot stand here; it can be summer or winter"),
        ("phase: feild", "phase: feild cannot stand here; did you mean field?"),
        ("loose.2308.rome: {}", "there is no loose.2308.rome: 2308 cannot stand here; it can be carthage or rome"),
        ("leader.varro: {}", "there is no leader.varro: Game has no leader; did you mean leaders?"),
        ("leaders.hanibal.units: {}", "there is no leaders.hanibal.units: hanibal cannot stand here; did you mean"),
        ("leaders.varro: {att: senate}", "leaders.varro.att: Leader has no att; did you mean at?"),
        ("leaders.varro.at: senat", "leaders.varro.at: senat cannot stand here; did you mean senate?"),
        ("leaders.varro.units: []", "leaders.varro.units: a mapping stands here, not []"),
        ("leaders.varro.inside: 1", "leaders.varro.inside: true or false stands here, not 1"),
        ('vp: "3"', "vp: a number stands here, not '3'"),
        ("vp.much: 3", "there is no vp.much: nothing can stand below a number"),
        ("tried: [capu]", "tried.0: capu cannot stand here; did you mean capua?"),
        ("tried.first: capua", "there is no tried.first: items of a list are counted from 0; first is no number"),
        ("march: {leader: hanibal}", "march.leader: hanibal cannot stand here; did you mean hannibal?"),
    ],
)
@pytest.mark.parametrize("part", ["with", "position"])
def test_what_cannot_stand_in_a_position_is_a_fault(tmp_path: Path, part: str, line: str, reason: str) -> None:
    expect = "" if part == "with" else "  expect:\n   position:\n"
    text = ITALY.replace("  expect: {goes_on: true}\n", "") if expect else ITALY
    place = len((text + expect).splitlines()) + 1
    found = said(verdict(tmp_path, f"{text}{expect}    {line}\n", "hannibal_italy"))
    assert [each for each in found if each.startswith(f"{place}: {reason}")], found


def test_a_path_that_cannot_be_is_a_fault_where_null_is_expected(tmp_path: Path) -> None:
    text = ITALY.replace("{goes_on: true}", "{position: {leaders.varro.army: null, sieges.rome: null, march.at: null}}")
    assert said(verdict(tmp_path, text, "hannibal_italy")) == ["3: there is no leaders.varro.army: Leader has no army"]


def test_null_in_a_mapping_that_must_hold_something_is_a_fault(tmp_path: Path) -> None:
    found = said(verdict(tmp_path, f"{ITALY}    leaders: {{hannibal: null}}\n", "hannibal_italy"))
    assert found == ["6: leaders.hannibal: null cannot stand for a mapping: leave it out"]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("events: [buried]", "no_events: [burried]", 8, "there is no event burried; did you mean buried?"),
        ("events: [buried]", "events: [burried: {}]", 8, "there is no event burried; did you mean buried?"),
        ("events: [buried]", "no_events: [buried: {cart: 3}]", 8, "buried has no fact cart"),
        ("events: [buried]", "events: [buried: {seid: red}]", 8, "buried has no fact seid; did you mean side?"),
        ("events: [buried]", "no_events: [taken: {hil: east}]", 8, "taken has no fact hil; did you mean hill?"),
        ("events: [buried]", "no_events: [taken: {hill: eats}]", 8, "the game knows no eats; did you mean east?"),
        ("events: [buried]", "no_events: [roll: {name: assualt/east}]", 8, "no roll is called assualt/east"),
        ("events: [buried]", "no_events: [roll: {name: assault/eats}]", 8, "the game knows no eats; did you mean"),
        ("events: [buried]", "waiting: [{side: red, kind: bidd}]", 8, "no order is called bidd; did you mean bid?"),
        ("events: [buried]", "waiting: {sied: red}", 8, "expected to wait on"),
        ("events: [buried]", "asks: {side: reed}", 8, "no side is called reed; did you mean red?"),
        ("events: [buried]", "asks: [{kind: bid, rund: 1}]", 8, "bid has no fact rund; did you mean round?"),
        ("events: [buried]", "sees: {side: green, position: {lead: red}}", 8, "no side is called green"),
        ("events: [buried]", "sees: {side: red, position: {lad: red}}", 8, "there is no lad: Hills has no lad"),
        ("events: [buried]", "faults: [{order: 3, path: [card]}]", 8, "there is no order 3; there are 2"),
        ("  expect:", "  stop: bidd\n  expect:", 7, "no order or event is called bidd; did you mean bid?"),
        ("  expect:", "  stop: {event: berried}\n  expect:", 7, "there is no event berried; did you mean buried?"),
        ("- blue: {bury", "- blue: {burry", 6, "no order is called burry; did you mean bury?"),
        ("- blue: {bury", "- bleu: {bury", 6, "no side is called bleu; did you mean blue?"),
    ],
)
def test_other_words_that_the_game_does_not_know(tmp_path: Path, old: str, new: str, line: int, reason: str) -> None:
    assert HILLS.count(old) == 1
    found = said(verdict(tmp_path, HILLS.replace(old, new), "toy"))
    assert [each for each in found if each.startswith(f"{line}: ") and reason in each], found


def test_the_example_itself_holds(tmp_path: Path) -> None:
    assert said(verdict(tmp_path, HILLS, "toy")) == []
    assert said(verdict(tmp_path, ITALY, "hannibal_italy")) == []


def test_an_exception_of_the_rules_is_a_fault_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules trip over is told like any difference, and the other cases run."""

    def trip(game: Any, table: Any) -> Any:
        yield from table.ask_all([Decision("bury", side, "3", {}) for side in ("red", "blue")])
        table.tell("buried", side="red", rule="3")
        raise KeyError("eats")

    toy: Any = import_module(type(loaded("toy").rules).__module__)
    monkeypatch.setitem(toy.PHASES, "bury", trip)
    found = verdict(tmp_path, HILLS, "toy")
    assert len(found.differences) == 1
    assert (
        "the rules break off: there is no eats; did you mean east? (KeyError('eats')) (test_case_words.py:"
        in (found.differences[0])
    )
    assert found.report[:3] == ["red: bury {card: 4}", "blue: bury {card: 11}", "  buried {side: red}"]
    assert "Traceback" in "".join(found.report)


def test_a_game_of_plain_data_is_played_without_a_check_of_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the type of a position says nothing of its form on disk, paths are taken as they come."""
    rules: Any = loaded("toy").rules
    encode, decode = rules.encode, rules.decode
    monkeypatch.setattr(type(rules), "encode", lambda self, position: {"all": encode(position)})
    monkeypatch.setattr(type(rules), "decode", lambda self, data: decode(data["all"]))
    text = HILLS.replace("{phase: bury, hands.red", "{all.phase: bury, all.hands.red").replace("hands.b", "all.hands.b")
    text += "    position: {all.phase: bid}\n"
    assert said(verdict(tmp_path, text, "toy")) == []
