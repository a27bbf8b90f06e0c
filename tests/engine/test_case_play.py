"""What a case may say of the course of play: where it stops, what is asked, what a side sees, several faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.engine.cases import CaseVerdict, read_cases, run_case
from tests.support.walks import FOLDERS

ASSAULT = """\
- rule: "5"
  name: an assault
  scenario: siege
  with: {phase: assault, buried: {red: 2, blue: 30}, hands.red: [26], hands.blue: [1, 6]}
  play: [{red: {assault: {hill: middle, card: 26}}}]
"""
BURY = """\
- rule: "3"
  name: both bury
  with: {phase: bury, hands.red: [1, 2, 3, 4], hands.blue: [11, 12, 13, 14]}
"""


def run(tmp_path: Path, text: str) -> list[CaseVerdict]:
    path = tmp_path / "case.yaml"
    path.write_text(text, "utf-8")
    return [run_case(case, "toy", FOLDERS) for case in read_cases(path)]


def differences(tmp_path: Path, text: str) -> list[str]:
    return [each.partition("case.yaml:")[2] for verdict in run(tmp_path, text) for each in verdict.differences]


# ---- stop, asks, goes_on, otherwise


def test_a_case_stops_at_a_question(tmp_path: Path) -> None:
    text = ASSAULT + "  defaults: true\n  dice: any\n  expect: {waiting: {side: blue, kind: react}, goes_on: true}\n"
    assert differences(tmp_path, text + "  stop: react\n") == []
    assert differences(tmp_path, text + "  stop: {side: blue, kind: react, hill: middle}\n") == []
    assert "expected to wait on [{side: blue, kind: react}]; the game is over" in differences(tmp_path, text)[0]


def test_a_stop_that_is_never_reached_is_a_fault(tmp_path: Path) -> None:
    text = ASSAULT + "  stop: {side: red, kind: react}\n  expect: {goes_on: true}\n"
    assert differences(tmp_path, text) == [
        "6: the game never comes to this stop; it waits on blue: react {hill: middle, strength: 6}"
    ]


@pytest.mark.parametrize("stop", ["repulsed", "{event: repulsed}", "checkpoint"])
def test_a_case_stops_at_the_checkpoint_after_an_event(tmp_path: Path, stop: str) -> None:
    text = ASSAULT.replace("}}}]", "}}}, {blue: {react: {card: 6}}}]") + "  dice: {assault/middle: [1]}\n"
    ends = "  expect: {events: [repulsed], no_events: [dealt], waiting: [], asks: nothing, goes_on: true}\n"
    assert differences(tmp_path, f"{text}  stop: {stop}\n{ends}") == []
    assert "this should not have happened: dealt" in differences(tmp_path, text + ends)[0]


def test_asks_are_the_questions_that_no_order_answers(tmp_path: Path) -> None:
    text = ASSAULT + "  dice: {assault/middle: [1]}\n  otherwise: decline\n  stop: bid\n"
    assert differences(tmp_path, text + "  expect: {asks: {side: blue, kind: react, strength: 6}}\n") == []
    assert differences(tmp_path, text + "  expect: {asks: nothing}\n") == [
        "9: expected the game to ask nothing; it asks blue: react {hill: middle, strength: 6}"
    ]
    assert (
        "expected the game to ask [{side: red}]; it asks blue"
        in (differences(tmp_path, text + "  expect: {asks: [{side: red}]}\n")[0])
    )


def test_an_only_answer_is_not_asked_for(tmp_path: Path) -> None:
    text = ASSAULT.replace("}}}]", "}}}, {blue: {react: {card: 6}}}]") + "  dice: {assault/middle: [2]}\n  stop: bid\n"
    assert differences(tmp_path, text + "  expect: {asks: nothing, events: [falls_back]}\n") == []


def test_a_question_that_stays_open_is_asked(tmp_path: Path) -> None:
    assert differences(tmp_path, ASSAULT + "  expect: {asks: [{side: blue, kind: react}]}\n") == []


def test_declining_answers_by_no_and_leaves_the_rest_open(tmp_path: Path) -> None:
    text = ASSAULT.replace(ASSAULT[ASSAULT.index("  play") :], "") + "  otherwise: decline\n"
    (verdict,) = run(tmp_path, text + "  expect: {events: [holds], waiting: [{kind: bid}, {kind: bid}]}\n")
    assert verdict.differences == []
    assert verdict.report[0] == "red: assault {hold: true}  (declined)"


@pytest.mark.parametrize(("goes_on", "said"), [("true", "the game goes on; it is over"), ("false", "")])
def test_whether_the_game_goes_on(tmp_path: Path, goes_on: str, said: str) -> None:
    text = f"{ASSAULT}  defaults: true\n  dice: any\n  expect: {{goes_on: {goes_on}}}\n"
    found = differences(tmp_path, text)
    assert (said in found[0]) if said else found == []


# ---- dice: any beside loaded ones


def test_dice_may_be_loaded_beside_any(tmp_path: Path) -> None:
    text = ASSAULT + "  defaults: true\n  dice: {any: true, assault/middle: [6]}\n"
    assert differences(tmp_path, text + "  expect: {events: [roll: {name: assault/middle, faces: [6]}]}\n") == []
    text = ASSAULT + "  defaults: true\n  dice: {any: true, assault/west: [6]}\n  expect: {goes_on: false}\n"
    assert differences(tmp_path, text) == ["7: assault/west is loaded but never rolled"]


# ---- sees


def test_what_a_side_sees(tmp_path: Path) -> None:
    sees = "{side: red, position: {hands: {red: [1, 2, 3, 4], blue: [0, 0, 0, 0]}}}"
    nobody = "{side: observer, position: {hands.red: [0, 0, 0, 0], phase: bury}}"
    assert differences(tmp_path, f"{BURY}  expect: {{sees: {sees}}}\n") == []
    assert differences(tmp_path, f"{BURY}  expect: {{sees: [{sees}, {nobody}]}}\n") == []
    wrong = sees.replace("side: red", "side: blue")
    assert differences(tmp_path, f"{BURY}  expect: {{sees: [{sees}, {wrong}]}}\n") == [
        "4: expected hands: {red: [1, 2, 3, 4], blue: [0, 0, 0, 0]}; it is {blue: [11, 12, 13, 14], red: [0, 0, 0, 0]}"
    ]


# ---- faults of several orders


def test_several_orders_may_have_faults(tmp_path: Path) -> None:
    play = "  play: [{red: {bury: {card: 9}}}, {red: {bury: {cart: 4}}}, {red: {bury: {card: 4}}}]\n"
    faults = "{order: 1, path: [card], says: you hold 1}, {order: 2, path: [cart]}"
    (verdict,) = run(
        tmp_path, f"{BURY}{play}  expect: {{faults: [{faults}], waiting: [{{side: red}}, {{side: blue}}]}}\n"
    )
    assert verdict.differences == []
    assert differences(tmp_path, f"{BURY}{play}  expect: {{faults: [{{order: 1, path: [cart]}}]}}\n")[0].startswith(
        "4: order 2 (red: bury) is refused"
    )
    found = differences(tmp_path, f"{BURY}{play}  expect: {{faults: [{faults}, {{path: [card]}}]}}\n")
    assert found == ["5: expected fault {path: [card]}; the faults are: none at all"]


# ---- shared positions and variants


def test_cases_share_a_position_and_have_variants(tmp_path: Path) -> None:
    text = """\
- position: hands
  with: {phase: bury, hands.red: [1, 2, 3, 4], hands.blue: [11, 12, 13, 14]}
- position: later
  from: hands
  options: {equal_bids: last}
  with: {round: 4}
- rule: "3"
  name: both are asked
  from: later
  with: {lead: blue}
  expect: {position: {round: 4, lead: blue, hands.red: [1, 2, 3, 4]}}
  variants:
  - name: at once
    expect: {waiting: [{side: red}, {side: blue}]}
  - name: and one answers
    from: hands
    play: [{red: {bury: {card: 4}}}]
    expect: {position: {round: 1, lead: blue}, no_events: [buried]}
"""
    verdicts = run(tmp_path, text)
    assert [(verdict.case.name, verdict.differences) for verdict in verdicts] == [
        ("both are asked: at once", []),
        ("both are asked: and one answers", []),
    ]
    wrong = text.replace("round: 4}\n- rule", "round: 5}\n- rule").replace("hands.blue:", "hand.blue:")
    found = differences(tmp_path, wrong)
    assert found == ["2: there is no hand.blue: Hills has no hand; did you mean hands?"] * 2


def test_a_case_does_not_change_a_shared_position(tmp_path: Path) -> None:
    text = """\
- position: hands
  with: {phase: bury, hands: {red: [1, 2, 3, 4], blue: [11, 12, 13, 14]}}
- rule: "3"
  name: one hand is another
  from: hands
  with: {hands.red: [5, 6, 7, 8]}
  expect: {position: {hands.red: [5, 6, 7, 8]}}
- rule: "3"
  name: the hand is as it was
  from: hands
  expect: {position: {hands.red: [1, 2, 3, 4]}}
"""
    assert [verdict.differences for verdict in run(tmp_path, text)] == [[], []]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("from: one", "from: oen", 6, "there is no position oen; did you mean one?"),
        ("- position: one", "- position: one\n  from: one", 2, "the position one begins from itself"),
        ("- rule", "- position: one\n- rule", 4, "there is another position called one"),
        ("    expect: {goes_on: true}\n", "", 8, "neither the case nor this variant of it has expect"),
        ("  with: {round: 2}", "  with: []", 6, "the position one is malformed"),
        ("  with: {round: 2}", "  play: []", 2, "play does not belong here"),
    ],
)
def test_a_share_that_cannot_be_taken_is_a_fault(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    text = """\
- position: one
  with: {round: 2}

- rule: "3"
  name: nothing happens
  from: one
  variants:
  - name: at all
    expect: {goes_on: true}
"""
    assert text.count(old) == 1
    found = differences(tmp_path, text.replace(old, new))
    assert [each for each in found if said in each and each.startswith(f"{line}: ")], found


# ---- the same spelling in `with` and `expect`


@pytest.mark.parametrize(
    "line",
    [
        "round: 1",
        "phase: bury",
        "hands: {red: [1, 2, 3, 4], blue: [11, 12, 13, 14]}",
        "guards.west: 3",
        "guards: {west: 3, middle: 1, east: 2}",
        "assault: null",
        "lead: red",
    ],
)
def test_what_is_written_in_with_can_be_expected(tmp_path: Path, line: str) -> None:
    """Defaults, whole mappings and parts of them, as they were written."""
    text = f"{BURY.rstrip()[:-1]}, {line}}}\n  expect: {{position: {{{line}}}}}\n"
    text = text.replace("{phase: bury, ", "{", 1) if line.startswith("phase") else text
    text = text.replace("hands.red: [1, 2, 3, 4], hands.blue: [11, 12, 13, 14], ", "") if "hands:" in line else text
    assert differences(tmp_path, text) == []


def test_a_default_is_not_taken_for_nothing(tmp_path: Path) -> None:
    assert differences(tmp_path, f"{BURY}  expect: {{position: {{round: 0}}}}\n") == ["4: expected round: 0; it is 1"]
