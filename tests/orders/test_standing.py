"""Standing orders: conditions on the facts of a question, how long they hold, and answers that need no letter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.audit.explain.replay import replay
from pbem.crypto.dice import SeededDice, inputs_digest
from pbem.crypto.seal import unseal
from pbem.game.boxes.box import open_box
from pbem.game.boxes.box_file import BrokenBox
from pbem.game.table import Table as GameTable
from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import side_report
from pbem.orders.conditions import MOST_BODIES, bodies, condition_holds, faults_in, why_not
from pbem.orders.sheet import read_sheet
from pbem.orders.standing import FiledOrder, InForce, StandingTerms, check_standing, file_standing, read_filed
from pbem.protocol import Decision, Event, Order
from pbem.referee.opening import create_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.messages import sentences
from tests.support.chance import seed_of
from tests.support.disputed import other_box
from tests.support.live import SECRETS, Folder, letter, order, pick, sheet, story
from tests.support.no_game import NoGame
from tests.support.soak import quick_and_whole
from tests.support.walks import GAMES, loaded, walk

FORMS, NAMES = open_box("rome_carthage").forms, open_box("rome_carthage").names
HEAD = "game: punica\nside: {}\nadjudication: {}\n"


# ---- conditions


@pytest.mark.parametrize(
    ("wanted", "fact", "fits"),
    [
        ("hannibal", "hannibal", True),
        (["mago", "hannibal"], "hannibal", True),
        ("mago", "hannibal", False),
        ("<= 9", 9, True),
        ("< 9", 9, False),
        (">= 10", 9, False),
        (">8", 9, True),
        (">= -1", 9, True),
        (9, 9, True),
        (True, 1, False),
        ("<= 9", True, False),
        ("<= 9", None, False),
        ("3 to 9", 9, True),
        ("3 to 8", 9, False),
        (["<= 3", ">= 9"], 9, True),
        ("verona", ["mutina", "verona"], True),
        (["pisae", "roma"], ["mutina", "verona"], False),
        ({"not": "verona"}, ["mutina", "verona"], False),
        ({"not": ["pisae", "roma"]}, ["mutina", "verona"], True),
        ({"not": "<= 4"}, 5, True),
        (None, None, True),
    ],
)
def test_a_condition_holds_when_the_fact_is_as_it_says(wanted: Any, fact: Any, fits: bool) -> None:
    assert list(faults_in(wanted)) == []
    assert condition_holds(wanted, fact) == fits


@pytest.mark.parametrize(
    ("wanted", "fact", "said"),
    [
        ("<= 5", 8, "enemy_cu 8 is more than 5"),
        (">= 5", 3, "enemy_cu 3 is less than 5"),
        ("< 5", 5, "enemy_cu 5 is not less than 5"),
        ("> 5", 5, "enemy_cu 5 is not more than 5"),
        ("3 to 5", 8, "enemy_cu 8 is not 3 to 5"),
        ([1, 2], 3, "enemy_cu 3 is not 1 or 2"),
        ("many", ["a", "b"], "enemy_cu a and b is not many"),
        ({"not": 3}, 3, "enemy_cu is 3"),
        (True, None, "enemy_cu none is not true"),
    ],
)
def test_a_condition_that_does_not_hold_says_why(wanted: Any, fact: Any, said: str) -> None:
    assert why_not("enemy_cu", wanted, fact) == said


@pytest.mark.parametrize("wanted", ["<= many", "=> 4", "4 .. 5", {"no": 3}, {"not": {"not": 3}}, [[3]], {}])
def test_a_condition_that_cannot_be_read_is_a_slip(wanted: Any) -> None:
    assert list(faults_in(wanted))


# ---- filing


def faults(written: list[Any], today: str | None = None) -> list[tuple[Any, ...]]:
    terms = StandingTerms(FORMS, ("turn", "play"), (), today, NAMES)
    return [(fault.path, fault.reason) for fault in check_standing("standing", written, terms)]


def test_every_slip_in_standing_orders_has_its_place() -> None:
    written: list[Any] = [
        {"intercept": {"with": "all", "when": {"enemy_cu": "<= many"}}},
        {"intercept": {"with": []}, "when": ["hannibal"], "until": "end_of_day"},
        {"losses": "default", "when": {"cause": {"not": {"not": "battle"}}}},
        "default",
    ]
    assert [path for path, _ in faults(written)] == [
        ("standing", 0, "intercept", "with"),
        ("standing", 0, "intercept", "when", "enemy_cu"),
        ("standing", 1, "when"),
        ("standing", 1, "until"),
        ("standing", 2, "when", "cause", "not"),
        ("standing", 3),
    ]


def test_unknown_fact_is_refused_with_those_the_question_has() -> None:
    """A fact that the question does not have is refused with those that it has."""
    ((path, reason),) = faults([{"intercept": {"with": []}, "when": {"enemycu": 3}}])
    assert path == ("standing", 0, "when", "enemycu")
    assert reason.startswith("intercept has no fact enemycu; did you mean enemy_cu? Its facts are ")
    assert "mover" in reason


def test_misspelt_name_is_refused_for_it_would_never_fit() -> None:
    """A name that was misspelt is refused, for it would never fit."""
    when = {"mover": ["hanibal", "mago"], "at": {"not": "cappua"}, "marker": "nobody_at_all"}
    assert faults([{"intercept": {"with": []}, "when": when}]) == [
        (("standing", 0, "when", "mover", 0), "there is no hanibal; did you mean hannibal?"),
        (("standing", 0, "when", "at", "not"), "there is no cappua; did you mean capua?"),
    ]


@pytest.mark.parametrize(
    ("until", "today", "said"),
    [
        ("withdrawn", None, None),
        ("end_of_turn", None, None),
        ("2026-12-24", None, None),
        ("2026-12-24", "2026-12-24", None),
        ("2026-12-24", "2026-12-25", "until 2026-12-24 is over: today is 2026-12-25"),
        ("end_of_day", None, "until must be withdrawn, end_of_turn, end_of_play or a day such as 2026-12-24"),
        ("2026-13-01", None, "until must be"),
        (7, None, "until must be"),
    ],
)
def test_until_is_a_period_of_the_game_or_a_day(until: Any, today: str | None, said: str | None) -> None:
    found = faults([{"losses": "default", "until": until}], today)
    assert [reason for _, reason in found] == [] if said is None else found[0][1].startswith(said)


def test_what_is_filed_can_be_kept_and_read_back() -> None:
    written: list[Any] = [{"losses": {"elephants": 0, "when": {"cu": 1}, "until": "end_of_turn"}}, "default"]
    usual = [{"match": "default"}]
    filed = list(file_standing(written, usual, sheet=4, after=9, periods={"turn": 3}))
    assert [(each.by, each.body, each.period) for each in filed] == [
        ("standing 1 of sheet 4", {"elephants": 0}, 3),
        ("standing 1 of the default set", "default", None),
    ]
    assert [read_filed(each.record()) for each in filed] == filed


def test_a_sheet_may_file_the_default_set_by_one_word() -> None:
    found = read_sheet(HEAD.format("rome", 1) + "standing: default\n", forms=FORMS)
    assert (found.standing, found.standing_add, found.orders) == (("default",), (), ())
    text = "standing_add:\n- losses: default\n  when: {cu: 1}\n- default\n"
    found = read_sheet(HEAD.format("rome", 1) + text, forms=FORMS)
    assert found.standing is None
    assert found.standing_add == ({"losses": "default", "when": {"cu": 1}}, "default")


def test_the_examples_for_players_can_be_filed() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/standing-orders.md").read_text("utf-8")
    text = re.sub(r"\n## HANNIBAL, Italy.*?(?=\n## )", "", text, flags=re.DOTALL)  # tried with its own box elsewhere
    rest, _, sword = text.partition("\n## The Sword of Rome")
    sword, _, more = sword.partition("\n## ")
    for game, side, part, least in (("rome_carthage", "rome", rest + more, 2), ("sword_of_rome", "romans", sword, 1)):
        examples = re.findall(r"```yaml\n(.*?)```", part, re.DOTALL)
        assert len(examples) >= least
        box = open_box(game)
        for example in examples:
            found = read_sheet(HEAD.format(side, 1) + example, forms=box.forms)
            terms = StandingTerms(box.forms, ("turn", "play"), box.standing_of(side), None, box.names)
            for key, written in (("standing", found.standing or ()), ("standing_add", found.standing_add)):
                assert [fault.reason for fault in check_standing(key, written, terms)] == []


# ---- in force


class Rules(NoGame):
    """As much of a game as standing orders need: its periods are its position."""

    def periods(self, position: Any) -> Mapping[str, Any]:
        return {"turn": position}

    def facts(self, view: Any, decision: Decision) -> Mapping[str, Any]:
        return {"hand": [5, 8]}


class Table:
    """As much of a session: an order that says `illegal` is."""

    rules = Rules()

    def __init__(self, position: int = 3) -> None:
        self.position = position

    def faults(self, decision: Decision, given: Order) -> list[Any]:
        return [given.fault((), "that is not possible", rule="1")] if "illegal" in str(given.body) else []


ASKED = Decision("intercept", "rome", "9.4", {"mover": "hannibal", "enemy_cu": 9}, {"with": []})


def filed(*written: Any, after: int = 0) -> list[FiledOrder]:
    return list(file_standing(written, (), sheet=1, after=after, periods={"turn": 3}))


def tried(orders: list[FiledOrder], decision: Decision = ASKED, **words: Any) -> tuple[Any, list[Event]]:
    session: Any = Table()
    force = InForce({"rome": orders}, **{"today": "2026-12-01", **words})
    found = force.answer(session, decision)
    return found and (found.order.body, found.by), list(force.notices())


def test_the_first_that_fits_and_is_legal_answers() -> None:
    orders = filed(
        {"avoid_battle": {"to": "none"}},
        {"intercept": {"with": [1]}, "when": {"mover": "mago"}},
        {"intercept": {"illegal": True}},
        {"intercept": {"with": [2]}, "when": {"hand": 8, "enemy_cu": "<= 9"}},
        {"intercept": {"with": [3]}},
    )
    assert tried(orders) == (({"with": [2]}, "standing 4 of sheet 1"), [])


def test_who_has_no_order_that_acts_is_told_why() -> None:
    orders = filed(
        {"intercept": {"with": [1]}, "when": {"mover": "mago"}},
        {"intercept": {"illegal": True}},
        {"intercept": {"with": [1]}, "when": {"elephants": 3}},
        {"avoid_battle": {"to": "none"}, "when": {"mover": "mago"}},
    )
    answer, told = tried(orders)
    assert answer is None
    assert [(event.facts["by"][:10], event.facts["reasons"], event.to) for event in told] == [
        ("standing 1", ["mover hannibal is not mago"], ("rome",)),
        ("standing 2", ["that is not possible"], ("rome",)),
        ("standing 3", ["there is no elephants here"], ("rome",)),
    ]
    say = sentences(open_box("rome_carthage"))
    (said, *_) = say.tell([Line(event) for event in told])
    assert said.text == "Standing 1 of sheet 1 (intercept) stopped: mover hannibal is not mago."


class Line:
    """An event as a report is given it."""

    adjudication, roll = 1, None

    def __init__(self, event: Event) -> None:
        self.event = event


def test_orders_with_conditions_are_told_once_where_nobody_waits() -> None:
    """Where nobody waits, only orders with conditions are reported, and each only once."""
    session: Any = Table()
    orders = filed({"intercept": {"illegal": True}}, {"intercept": {"with": []}, "when": {"enemy_cu": "<= 5"}})
    force = InForce({"rome": orders}, today="2026-12-01")
    for cu in (9, 7, 9, 8, 6):
        decision = Decision("intercept", "rome", "9.4", {"enemy_cu": cu}, {"with": []}, waits=False)
        assert force.answer(session, decision) is None
    (event,) = force.notices()
    assert event.facts["reasons"] == [f"enemy_cu {cu} is more than 5" for cu in (9, 7, 8)]


def test_a_default_answers_with_the_default_of_the_question() -> None:
    orders = filed({"intercept": "default"})
    assert tried(orders) == (({"with": []}, "standing 1 of sheet 1"), [])
    without = Decision("intercept", "rome", "9.4", {})
    answer, (event,) = tried(orders, without)
    assert (answer, event.facts["reasons"]) == (None, ["this question has no default"])


def test_order_that_asks_leaves_the_decision_to_the_player() -> None:
    session: Any = Table()
    asked = Decision("intercept", "rome", "9.4", {"enemy_cu": 9}, {"with": []}, on_request=True)
    for orders, waits in [
        (filed({"intercept": "ask"}, {"intercept": {"with": [1]}}), True),
        (filed({"intercept": "ask", "when": {"enemy_cu": "<= 5"}}), False),
        (filed({"intercept": {"with": [1]}}, {"intercept": "ask"}), False),
    ]:
        force = InForce({"rome": orders}, today="2026-12-01")
        assert force.waits(session, asked) == force.as_wanted(session, asked).waits == waits
        assert (force.answer(session, asked) is None) == (len(orders) == 1 or waits)


def test_of_alternatives_the_first_that_is_legal_answers() -> None:
    there = Decision("intercept", "rome", "9.4", {"from": ["capua", "rome"], "enemy_cu": 9}, {"with": []})
    orders = filed({"intercept": {"with": [{"general": {"any": ["illegal", "b"]}, "near": {"any": "from"}}]}})
    answer, _ = tried(orders, there)
    assert answer == ({"with": [{"general": "b", "near": "capua"}]}, "standing 1 of sheet 1")
    (none,) = filed({"intercept": {"with": [{"any": "refuges"}]}})
    answer, (event,) = tried([none], there)
    assert (answer, event.facts["reasons"]) == (None, ["none of its alternatives is there"])


def test_no_more_than_so_many_alternatives_are_tried() -> None:
    body = {"cu": {"any": list(range(20))}, "elephants": {"any": list(range(20))}}
    tried = list(bodies(body, lambda name: None))
    assert len(tried) == MOST_BODIES
    assert tried[:2] == [{"cu": 0, "elephants": 0}, {"cu": 0, "elephants": 1}]


def test_alternatives_are_checked_one_by_one() -> None:
    written: list[Any] = [
        {"losses": {"elephants": {"any": [2, "many"]}}},
        {"avoid_battle": {"to": {"any": "refuges"}, "by": 3}},
        {"avoid_battle": {"to": {"any": "places"}}},
        {"avoid_battle": {"to": {"any": []}}},
    ]
    assert [path for path, _ in faults(written)] == [
        ("standing", 0, "losses", "elephants", "any", 1),
        ("standing", 1, "avoid_battle", "by"),
        ("standing", 2, "avoid_battle", "to", "any"),
        ("standing", 3, "avoid_battle", "to", "any"),
    ]


def test_order_does_not_act_on_what_was_asked_before_its_filing() -> None:
    """An order does not act on what was asked before it was filed."""
    late, early = filed({"intercept": "default"}, after=7), filed({"intercept": "default"}, after=6)
    assert tried(late, earlier=[ASKED], opened=7) == (None, [])
    assert tried(early, earlier=[ASKED], opened=7)[0] is not None
    assert tried(late, earlier=[], opened=7)[0] is not None


@pytest.mark.parametrize(
    ("until", "today", "acts"),
    [
        ("end_of_turn", "2026-12-01", True),
        ("2026-12-01", "2026-12-01", True),
        ("2026-11-30", "2026-12-01", False),
        ("withdrawn", "2036-12-01", True),
    ],
)
def test_an_order_acts_as_long_as_it_holds(until: str, today: str, acts: bool) -> None:
    orders = filed({"intercept": "default", "until": until})
    assert (tried(orders, today=today)[0] is not None) == acts


def test_an_order_for_a_turn_lapses_with_it() -> None:
    written = [{"intercept": "default", "until": "end_of_turn"}]
    (one,) = file_standing(written, (), sheet=1, after=1, periods={"turn": 2})
    later: Any = Table(3)
    now: Any = Table(2)
    force = InForce({"rome": [one]}, today="2026-12-01")
    assert tried([one]) == (None, [])
    assert list(force.expired(later)) == [("rome", one)]
    assert list(force.expired(now)) == []


# ---- in a live game


def punica(folder: Path) -> Adjudicator:
    new = NewGame("punica", "rome_carthage", players={}, secrets=SECRETS)
    return create_game(folder / "games", folder / "keys", new)


def give(game: Adjudicator, side: str, text: str) -> list[int]:
    assert str(game.receive(side, (HEAD.format(side, game.adjudication) + text).encode())) == ""
    return game.adjudicate()


def kinds(game: Adjudicator, side: str, since: int) -> Iterator[tuple[str, Any]]:
    for told in game.told(side, since):
        if told.event.kind.startswith("standing"):
            facts = told.event.facts
            yield told.event.kind, facts["answered"] if "answered" in facts else facts["by"]


def test_standing_order_spares_a_letter_and_tells_its_side_alone(tmp_path: Path) -> None:
    """A standing order spares a letter and is reported to its side alone."""
    with punica(tmp_path) as game:
        assert give(game, "carthage", "standing:\n- first_player: {side: rome}\n") == []
        give(game, "rome", "orders:\n- claim_first: {card: none}\n")
        assert game.view(None).to_play == "rome"
        assert [each.kind for each in game.open_decisions] == ["play"]
        assert list(kinds(game, "carthage", 1)) == [("standing_fired", ["first_player (1 of sheet 1)"])]
        assert list(kinds(game, "rome", 1)) == []
        assert b"standing_fired" not in (game.ledger.repo.read("turns/000/0002.yaml") or b"")
        assert list(replay(game)) == []


def test_order_that_stops_is_told_once_with_its_open_question(tmp_path: Path) -> None:
    """An order that stops is reported once, with the question that it leaves open."""
    with punica(tmp_path) as game:
        give(game, "carthage", "standing:\n- first_player: {side: rome}\n  when: {turn: '>= 2'}\n")
        give(game, "rome", "orders:\n- claim_first: {card: none}\n")
        assert [each.kind for each in game.open_decisions] == ["first_player"]
        (told,) = [told.event for told in game.told("carthage", 1) if told.event.kind == "standing_passed"]
        assert told.facts["reasons"] == ["turn 1 is less than 2"]
        before = game.adjudication
        assert game.adjudicate() == []
        give(game, "carthage", "orders:\n- first_player: {side: rome}\n")
        assert list(kinds(game, "carthage", before)) == []
        assert list(replay(game)) == []


def test_an_order_filed_when_its_question_is_open_leaves_it_open(tmp_path: Path) -> None:
    with punica(tmp_path) as game:
        assert give(game, "rome", "standing:\n- claim_first: default\n") == []
        assert [each.kind for each in game.open_decisions] == ["claim_first"]
        assert give(game, "rome", "orders:\n- claim_first: {card: none}\n") == [2]


def test_orders_that_are_added_come_before_those_in_force(tmp_path: Path) -> None:
    with punica(tmp_path) as game:
        give(game, "carthage", "standing:\n- first_player: {side: rome}\n")
        give(game, "carthage", "standing_add:\n- first_player: {side: carthage}\n  until: end_of_turn\n")
        give(game, "rome", "orders:\n- claim_first: {card: none}\n")
        assert game.view(None).to_play == "carthage"
        assert list(kinds(game, "carthage", 1)) == [("standing_fired", ["first_player (1 of sheet 2)"])]


def test_an_order_of_a_day_lapses_by_the_clock_and_that_is_told(tmp_path: Path) -> None:
    with punica(tmp_path) as game:
        game.today = date(2099, 11, 22)
        give(game, "carthage", "standing:\n- first_player: {side: rome}\n  until: 2099-11-22\n- losses: default\n")
        game.today = date(2099, 11, 23)
        give(game, "rome", "orders:\n- claim_first: {card: none}\n")
        assert [each.kind for each in game.open_decisions] == ["first_player"]
        assert list(kinds(game, "carthage", 1)) == [("standing_expired", "standing 1 of sheet 1")]
        state = game.ledger.state()
        assert state is not None
        assert [record["kind"] for record in state.standing["carthage"]] == ["losses"]
        assert list(replay(game)) == []


def test_an_empty_list_withdraws_standing_orders(tmp_path: Path) -> None:
    with punica(tmp_path) as game:
        give(game, "carthage", "standing:\n- first_player: {side: rome}\n")
        give(game, "carthage", "standing: []\n")
        give(game, "rome", "orders:\n- claim_first: {card: none}\n")
        assert [(each.side, each.kind) for each in game.open_decisions] == [("carthage", "first_player")]


def test_sheet_of_standing_orders_leaves_the_orders_that_wait(tmp_path: Path) -> None:
    """A sheet that came for its standing orders leaves the orders that wait."""
    with Folder(tmp_path).create() as game:
        card = game.view("red").hands["red"][0]
        assert game.receive("red", sheet(game, "red", order("bury", card=card))).number == 1
        standing = sheet(game, "red").replace(b"orders:", b"standing:\n- bid: {card: lowest}")
        assert game.receive("red", standing).number == 2
        assert [each.side for each in game.open_decisions] == ["blue"]


def test_side_whose_standing_order_answers_is_not_waited_for(tmp_path: Path) -> None:
    """A side whose standing order answers is not waited for, though another is."""
    with Folder(tmp_path).create() as game:
        standing = sheet(game, "red").replace(b"orders:", b"standing:\n- bid: {card: lowest}")
        assert game.receive("red", standing).number == 1
        for side in ("red", "blue"):
            game.receive(side, sheet(game, side, order("bury", card=game.view(side).hands[side][0])))
        game.adjudicate()
        assert {each.kind for each in game.asked("red")} == {"bid"}
        assert [(each.side, each.kind) for each in game.open_decisions] == [("blue", "bid")]


def test_turn_file_lists_standing_orders_not_which_answered(tmp_path: Path) -> None:
    """A turn file names the standing orders that went into its dice, but not which of them answered."""
    with punica(tmp_path) as game:
        orders = "- first_player: {side: carthage, when: {turn: 9}}\n- first_player: {side: rome}\n"
        give(game, "carthage", f"standing:\n{orders}")
        assert give(game, "rome", "orders:\n- claim_first: {card: none}\n") == [2]
        turn = game.ledger.public_turn(2)
        read = game.ledger.repo.read
        for path, digest in [("standing/carthage.age", turn["standing"]["carthage"]), *turn["sheets"]["rome"].items()]:
            assert digest == game.ledger.salted(path, unseal(game.ledger.keys.identity, path, read(path) or b""))
        assert turn["inputs"] == inputs_digest(game.ledger.public_turn(1)["inputs"], turn)
        assert [answer["by"] for answer in turn["answers"]] == ["standing"]
        assert [answer.by for answer in game.ledger.adjudication(2).answers] == ["sheet 1", "standing 2 of sheet 1"]


def test_a_letter_that_files_them_is_answered_by_their_list(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.create("rome_carthage") as game:
        assert "# To be asked less often, add the line: standing: default" in side_report(game, "rome", 0).text
    text = HEAD.format("rome", 1) + "standing:\n- losses: {elephants: {any: [1, 0]}}\n  when: {cu: '<= 2'}\n- default\n"
    (answer,) = take_in(letter("rome", text.encode()), folder.office).letters
    told = answer.content.decode("utf-8", "replace")
    assert "YOUR STANDING ORDERS" in told
    assert "- losses: {elephants: {any: [1, 0]}}, when: {cu: <=" in told
    with folder.open() as game:
        sheet_asked = side_report(game, "rome", 0).text
        assert "To be asked less often" not in sheet_asked
        assert "YOUR STANDING ORDERS" not in sheet_asked


COUNTERS = """\
- bad_weather: {card: any}
  when: {enemy_cu: ">= 1"}
- hostile_tribes: {card: any}
- storms_at_sea: {card: any}
"""


@pytest.mark.parametrize("most", quick_and_whole(10, 25))
def test_game_by_standing_orders_is_the_same_and_can_be_replayed(tmp_path: Path, most: int) -> None:
    """A game by standing orders is the same each time and can be replayed."""
    heads, letters = [], 0
    for number in (1, 2):
        folder, random = Folder(tmp_path / str(number)), Random(11)
        with folder.create("rome_carthage", scenario="melee") as game:
            for side in ("carthage", "rome"):
                text = (
                    f"game: punica\nside: {side}\nadjudication: {game.adjudication}\nstanding:\n{COUNTERS}- default\n"
                )
                assert str(game.receive(side, text.encode())) == ""
            for _ in range(most):
                if not game.open_decisions:
                    break
                side = game.open_decisions[0].side
                orders = [pick(game, each, random) for each in game.open_decisions if each.side == side]
                receipt = game.receive(side, sheet(game, side, *orders))
                assert receipt.number is not None, str(receipt)
                game.adjudicate()
                letters += 1
            fired = [
                by for side in ("carthage", "rome") for kind, by in kinds(game, side, 0) if kind == "standing_fired"
            ]
            assert len(fired) > most // 8
            assert list(replay(game)) == []
            heads.append(story(game))
    assert heads[0] == heads[1]


# ---- every game


@pytest.mark.parametrize("most", quick_and_whole(80, 400))
@pytest.mark.parametrize("game", GAMES)
def test_every_fact_of_a_question_can_be_named_in_a_condition(game: str, most: int) -> None:
    """Every fact that a question states can be named in a condition."""
    for edition in loaded(game).box.editions:
        rules, box = loaded(game, edition).rules, loaded(game, edition).box
        for at in walk(rules, box.scenarios[0], seed_of(), most=most):
            for decision in at.open_decisions:
                stated = dict(decision.facts)
                stated.update(rules.facts(at.view(decision.side), decision))
                undeclared = sorted(set(stated) - set(box.forms[decision.kind].facts))
                assert not undeclared, f"orders.yaml does not name the facts {undeclared} of {decision.kind}"


@pytest.mark.parametrize("game", GAMES)
def test_the_set_that_comes_with_a_game_can_be_filed(game: str) -> None:
    for edition in loaded(game).box.editions:
        rules, box = loaded(game, edition).rules, loaded(game, edition).box
        position = next(iter(walk(rules, box.scenarios[0], 1))).position
        periods = rules.periods(position)
        terms = StandingTerms(box.forms, tuple(periods), (), None, box.names)
        for side in rules.sides:
            assert [str(fault) for fault in check_standing("standing", box.standing_of(side), terms)] == []


def test_standing_orders_of_the_box_have_no_condition_on_a_hand() -> None:
    """No order of the set that comes with the game lets a pause tell of a hand."""
    assert not [item for item in open_box("rome_carthage").standing_of("rome") if "hand" in item.get("when", {})]


def test_pause_does_not_tell_the_enemy_which_cards_a_side_holds() -> None:
    """The enemy cannot tell from a pause which cards a side holds.

    With the set in force, whether a question waits is the same for every hand that could be behind it.
    """
    rules: Any = loaded("rome_carthage").rules
    box = loaded("rome_carthage").box
    usual = list(file_standing(["default"], box.standing_of("rome"), sheet=1, after=0, periods={}))
    tried = 0
    for at in walk(rules, "melee", seed_of(), most=150):
        for decision in at.open_decisions:
            other = "rome" if decision.side == "carthage" else "carthage"
            again = rules.resample_hidden(at.position, other, GameTable(SeededDice("resample")))
            stops = []
            for position in (at.position, again):
                seen = rules.view(position, decision.side)
                found = [
                    each.kind == decision.kind
                    and all(
                        condition_holds(wanted, rules.facts(seen, decision).get(name, decision.facts.get(name)))
                        for name, wanted in each.when.items()
                    )
                    for each in usual
                ]
                stops.append(any(found))
            assert stops[0] == stops[1], decision.kind
            tried += 1
    assert tried


def test_the_set_that_comes_with_a_game_may_differ_by_side(folder: Folder) -> None:
    """Oak and Yew have sets of their own in Five Valleys; Elm has none."""
    with folder.create("five") as game:
        for side, orders in (("oak", 2), ("yew", 2), ("elm", 0)):
            text = sheet(game, side).replace(b"orders:", b"standing: default")
            receipt = game.receive(side, text)
            assert (receipt.number is not None) == bool(orders), str(receipt)
            assert len(game.standing(side)) == orders
        assert "no set of standing orders comes with this game" in str(receipt)
        assert [each.kind for each in game.standing("oak")] == ["intercept", "aid"]
        assert game.standing("oak")[0].when == {"army": "oak"}
        assert game.standing("yew")[0].body == {"for": "yew", "guards": {"any": [2, 1, 0]}}
        remark = "To be asked less often, add the line: standing: default"
        assert remark not in side_report(game, "elm", 0).text
    with folder.create("five", "gallia") as game:
        assert remark in side_report(game, "yew", 0).text


def test_a_set_for_a_side_that_does_not_play_is_a_flaw(tmp_path: Path) -> None:
    boxes = other_box("five", tmp_path, "standing.yaml", {"yew:": "jew:"})
    with pytest.raises(BrokenBox, match="there is no side jew; did you mean yew"):
        open_box("five", [boxes]).check()
