"""One game on its way through sheets, adjudications and commits: what changes it, and what nobody may see."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.crypto.keys import BadKeys
from pbem.crypto.signing import public_key
from pbem.engine.session import RulesDiffer
from pbem.game import yaml as yamlio
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Order
from pbem.referee.game.home_check import take_home
from pbem.referee.game.open_game import CannotPlay, Told
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import Report
from pbem.repo.git import GameExists, NoSuchGame
from tests.support.campaigns import invasion
from tests.support.live import (
    OTHERS,
    SECRETS,
    SIDES,
    Folder,
    every_file,
    files,
    git,
    give,
    history,
    numbers_in,
    order,
    pick,
    play,
    readable,
    rooms,
    sheet,
    story,
    subjects,
)
from tests.support.walks import loaded

GAMES = pytest.mark.parametrize("rules", ["toy", pytest.param("rome_carthage", marks=pytest.mark.slow)])
SHEETS = {"toy": 12, "rome_carthage": 24}


@pytest.fixture
def invaded(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Adjudicator]:
    """Yield a game in which Hannibal stands at Arpi, Marcellus and Varro at Beneventum; Carthage plays first."""
    rules: Any = type(loaded("rome_carthage").rules)
    set_up = rules.setup
    monkeypatch.setattr(rules, "setup", lambda self, scenario, table: invasion(set_up(self, scenario, table)))
    with folder.create("rome_carthage") as game:
        give(game, "rome", order("claim_first", card="none"))
        give(game, "carthage", order("first_player", side="carthage"))
        yield game


NOBODY = order("intercept", **{"with": []})
ON_TO_TARENTUM = [order("march", path=["tarentum"], then="ask"), order("march", path=["brundisium"], then="stop")]


def march_orders(game: Adjudicator, *path: str, **more: Any) -> list[Order]:
    """Return the order by which Hannibal marches with all he has."""
    return [
        order("play", card=hand(game, "carthage")[0], **{"as": "operations"}, general="hannibal", path=[*path], **more)
    ]


def moves(game: Adjudicator, reader: str | None) -> list[Told]:
    return [told for told in game.told(reader, 0) if told.event.kind == "entered"]


def hand(game: Adjudicator, side: str) -> list[int]:
    cards: list[int] = game.view(side).hands[side]
    return cards


def buried(toy: Adjudicator) -> None:
    """Let both bury their lowest card."""
    for side in ("red", "blue"):
        give(toy, side, order("bury", card=hand(toy, side)[0]))


def kinds(game: Adjudicator) -> list[tuple[str, str]]:
    return [(each.side, each.kind) for each in game.open_decisions]


# ---- the same in, the same out


@GAMES
def test_the_same_secrets_and_sheets_give_the_same_books(tmp_path: Path, rules: str) -> None:
    runs = []
    for run in ("one", "two"):
        with Folder(tmp_path / run).create(rules) as game:
            sheets = list(play(game, 7, SHEETS[rules]))
            runs.append((story(game), sheets))
    assert runs[0] == runs[1]
    assert len(runs[0][0]) > SHEETS[rules]


def test_other_secrets_give_other_games(tmp_path: Path) -> None:
    hands = set()
    for at, secrets in enumerate([SECRETS, replace(SECRETS, hidden=b"x" * 32), None]):
        with Folder(tmp_path / str(at)).create(secrets=secrets) as game:
            hands.add((*hand(game, "red"), *hand(game, "blue")))
    assert len(hands) == 3


@GAMES
def test_each_sheet_and_each_adjudication_is_one_commit(folder: Folder, rules: str) -> None:
    with folder.create(rules) as game:
        expected = ["punica: the charter", *(f"punica: adjudication {n + 1}" for n in range(game.adjudication))]
        counts = dict.fromkeys(SIDES[rules], 0)
        last = game.adjudication
        for side, _ in play(game, 3, SHEETS[rules]):
            expected += [f"punica: adjudication {n}" for n in range(last + 1, game.adjudication + 1)]
            last = game.adjudication
            counts[side] += 1
            expected.append(f"punica: sheet {counts[side]} of {side}")
        expected += [f"punica: adjudication {n}" for n in range(last + 1, game.adjudication + 1)]
        assert subjects(game) == expected
        assert {side: game.sheets(side) for side in counts} == counts


@GAMES
def test_game_reopened_after_every_sheet_is_as_if_never_closed(tmp_path: Path, rules: str) -> None:
    """A game that is reopened after every sheet is as if it had stayed open."""
    whole, pieces = Folder(tmp_path / "whole"), Folder(tmp_path / "pieces")
    pieces.create(rules).close()
    with whole.create(rules) as game:
        for side, text in play(game, 11, SHEETS[rules]):
            with pieces.open() as again:
                assert take_home(again, side) == take_home(game, side)
                assert again.receive(side, text).number is not None
            with pieces.open() as again:  # as if it had died between the two
                again.adjudicate()
                assert again.adjudicate() == []
        with pieces.open() as again:
            assert story(again) == story(game)


def test_two_that_have_the_game_open_see_each_others_sheets(folder: Folder) -> None:
    with folder.create() as one, folder.open() as two:
        give(one, "red", order("bury", card=hand(one, "red")[0]))
        give(two, "blue", order("bury", card=hand(two, "blue")[0]))
        receipt = one.receive("red", sheet(one, "red", order("bury", card=hand(one, "red")[1])))
        assert "answer the last report" in str(receipt)
        assert kinds(one) == kinds(two) == [("red", "bid"), ("blue", "bid")]


@GAMES
def test_published_position_is_what_an_observer_knows(folder: Folder, rules: str) -> None:
    """What is published of the position is what an observer knows."""
    with folder.create(rules) as game:
        for _ in play(game, 5, SHEETS[rules]):
            observer = game.rules.encode(game.view(None))
            published = game.ledger.repo.read("position.yaml")
            assert published == yamlio.dump(observer).encode()
            assert yamlio.read(published, name="position").value == observer


def test_roll_may_repeat_a_name_from_before_the_last_checkpoint(folder: Folder) -> None:
    """A roll may have the name of one before the last checkpoint, even in a game that stays open."""
    for seed in range(1, 20):
        secrets = replace(SECRETS, hidden=bytes([seed]) * 32)
        with folder.create(scenario="siege", name=f"siege_{seed}", secrets=secrets) as game:
            buried(game)
            rolled: list[str] = []
            while len(rolled) == len(set(rolled)) and game.result is None:
                for side in ("red", "blue"):
                    give(game, side, order("bid", card="lowest"))
                lead = game.view(None).lead
                give(game, lead, order("assault", hill=game.view(lead).targets(lead)[-1], card=hand(game, lead)[0]))
                give(game, "blue" if lead == "red" else "red", order("react", card="none"))
                rolled = [told.event.roll.name for told in game.told(None, 0) if told.event.roll is not None]
        if len(rolled) > len(set(rolled)):
            return
    raise AssertionError("no game rolled twice under one name")


# ---- sheets


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "this sheet is empty"),
        (b"game: [", "malformed"),
        (b"\xff\xfe\x00", "malformed"),
        (b"game: punica\nside: blue\nadjudication: 1\norders: [bury: {card: 1}]\n", "you play red"),
        (b"game: gallia\nside: red\nadjudication: 1\norders: [bury: {card: 1}]\n", "this letter is about punica"),
        (b"game: punica\nside: red\nadjudication: 0\norders: [bury: {card: 1}]\n", "adjudication 1 came after 0"),
        (b"game: punica\nside: red\nadjudication: 2\norders: [bury: {card: 1}]\n", "has not taken place"),
        (b"game: punica\nside: red\nadjudication: 1\norders: [bury: {card: 31}]\n", "must be at most 30"),
        (b"game: punica\nside: red\nadjudication: 1\norders: [bid: {card: lowest}]\n", "it asks for bury"),
        (b"game: punica\nside: red\nadjudication: 1\norders: []\n", "4:9: illegal: nothing is chosen"),
        (b"game: punica\nside: red\nadjudication: 1\norders: [bury: {card: 1}, bid: {cart: 2}]\n", "unknown word"),
        (b"game: punica\nside: red\nadjudication: 1\norders: []\nstanding: [bid: {cart: 2}]\n", "unknown word 'cart'"),
    ],
)
def test_a_sheet_that_is_refused_changes_nothing(toy: Adjudicator, text: bytes, said: str) -> None:
    before = git(toy.ledger.repo.path, "rev-parse", "main")
    receipt = toy.receive("red", text)
    assert said in str(receipt)
    assert receipt.number is None
    assert toy.adjudicate() == []
    assert git(toy.ledger.repo.path, "rev-parse", "main") == before
    assert toy.sheets("red") == 0
    assert kinds(toy) == [("red", "bury"), ("blue", "bury")]


def test_all_faults_are_told_at_once(toy: Adjudicator) -> None:
    card = next(card for card in range(1, 31) if card not in hand(toy, "red"))
    receipt = toy.receive(
        "red", sheet(toy, "red", order("bury", card=card), order("bid", cart=2), order("hold"), order("bid", card="x"))
    )
    assert [(row["line"], row["column"], row["kind"]) for row in receipt.rows()] == [
        (5, 16, "illegal"),
        (6, 9, "malformed"),
        (7, 3, "malformed"),
        (8, 15, "malformed"),
    ]


def test_sheet_without_orders_is_a_fault_unless_it_has_standing(toy: Adjudicator) -> None:
    """A sheet without orders is a fault if something is asked, unless it came for its standing orders."""
    empty = sheet(toy, "red").replace(b"orders:", b"orders: []")
    (fault,) = toy.receive("red", empty).rows()
    assert fault["line"] == 4
    assert str(fault["reason"]).startswith("nothing is chosen, and nothing counts without an answer: Which card do you")
    standing = empty.replace(b"orders: []", b"standing:\n- bid: {card: lowest}")
    assert toy.receive("red", standing).number == 1
    assert toy.receive("red", empty + b"standing: []\n").number == 2


def test_a_newer_sheet_takes_the_place_of_one_not_yet_used(toy: Adjudicator) -> None:
    first, second, *_ = hand(toy, "red")
    assert give(toy, "red", order("bury", card=first)) == []
    assert give(toy, "red", order("bury", card=second)) == []
    assert toy.sheets("red") == 2
    (number,) = give(toy, "blue", order("bury", card=hand(toy, "blue")[0]))
    assert toy.view("red").buried["red"] == second
    assert first in hand(toy, "red")
    named = toy.ledger.public_turn(number)["sheets"]
    assert {side: list(sheets) for side, sheets in named.items()} == {
        "blue": ["sheets/blue/000/0001.age"],
        "red": ["sheets/red/000/0001.age", "sheets/red/000/0002.age"],
    }
    path = "sheets/red/000/0001.age"
    assert named["red"][path] == toy.ledger.salted(path, toy.ledger.sheet("red", 1))
    assert toy.ledger.sheet("red", 1) == sheet(toy, "red", order("bury", card=first), adjudication=1)


def test_further_orders_wait_for_their_questions_in_turn(invaded: Adjudicator) -> None:
    give(invaded, "carthage", *march_orders(invaded, "cannae", then="ask"), *ON_TO_TARENTUM)
    assert kinds(invaded) == [("rome", "intercept")]
    assert [told.event.facts["space"] for told in moves(invaded, None)] == ["cannae"]
    give(invaded, "rome", NOBODY, order("man_city", cu=0))
    assert [told.event.facts["space"] for told in moves(invaded, None)] == ["cannae", "tarentum", "brundisium"]
    answered = [(answer.kind, answer.by) for answer in invaded.ledger.adjudication(invaded.adjudication).answers]
    assert [each for each in answered if each[0] == "march"] == [("march", "sheet 2")] * 2
    lapsed = [told.event for told in invaded.told("rome", 0) if told.event.kind.startswith("order_")]
    assert [(event.kind, event.facts["order"], event.facts["by"]) for event in lapsed] == [
        ("order_unused", "man_city", "sheet 2")
    ]


def test_waiting_orders_can_be_withdrawn_while_others_are_asked(invaded: Adjudicator) -> None:
    """Orders that wait can be withdrawn or replaced while the other side is asked."""
    give(invaded, "carthage", *march_orders(invaded, "cannae", then="ask"), *ON_TO_TARENTUM)
    assert invaded.asked("carthage") == []
    assert "asks nothing of you" in str(invaded.receive("carthage", sheet(invaded, "carthage", *ON_TO_TARENTUM)))
    empty = sheet(invaded, "carthage").replace(b"orders:", b"orders: []")
    assert invaded.receive("carthage", empty).number == 3
    give(invaded, "rome", NOBODY)
    assert kinds(invaded) == [("carthage", "march")]
    assert [told for told in invaded.told("carthage", 0) if told.event.kind.startswith("order_")] == []


def test_order_that_no_longer_fits_expires_told_only_to_its_side(invaded: Adjudicator) -> None:
    """An order that no longer fits expires, and only its side is told."""
    give(invaded, "carthage", *march_orders(invaded, "cannae", then="ask"), order("march", path=["capua"]))
    before = invaded.adjudication
    give(invaded, "rome", NOBODY)
    assert kinds(invaded) == [("carthage", "march")]
    (told,) = [told.event for told in invaded.told("carthage", before) if told.event.kind == "order_expired"]
    assert told.facts["order"] == "march"
    assert "to Capua" in told.facts["reasons"][0]
    assert told.to == ("carthage",)
    assert "no longer legal" in side_report(invaded, "carthage", before).text
    for reader in ("rome", None):
        assert not [told for told in invaded.told(reader, before) if told.event.kind == "order_expired"]
        assert "no longer legal" not in side_report(invaded, reader, before).text
    assert not [path for path, content in readable(invaded.ledger.repo).items() if b"order_expired" in content]


def test_a_standing_order_that_does_not_fit_is_no_adjudication(toy: Adjudicator) -> None:
    buried(toy)
    missing = next(card for card in range(1, 31) if card not in hand(toy, "red"))
    standing = sheet(toy, "red").replace(b"orders:", f"standing: [bid: {{card: {missing}}}]".encode())
    assert toy.receive("red", standing).number is not None
    assert toy.adjudicate() == []
    assert kinds(toy) == [("red", "bid"), ("blue", "bid")]
    give(toy, "red", order("bid", card="lowest"))
    assert toy.adjudicate() == []
    assert give(toy, "blue", order("bid", card="lowest")) != []


# ---- secret until all are in


def parts(report: Report) -> tuple[str | None, ...]:
    return report.text, report.sheet, report.summary, report.asked, report.position


def test_first_of_two_secret_answers_is_unseen_until_the_second(folder: Folder) -> None:
    """Nothing of the first of two secret answers is seen before the second is in."""
    seen = []
    for choice in (0, 1):
        with Folder(folder.path / str(choice)).create() as game:
            assert give(game, "red", order("bury", card=hand(game, "red")[choice])) == []
            seen.append(
                {
                    "readable": readable(game.ledger.repo),
                    "sizes": rooms(game.ledger.repo),
                    "messages": [commit.message for commit in game.ledger.repo.history()],
                    "waiting": [*map(repr, game.open_decisions)],
                    "blue": parts(side_report(game, "blue", 0)),
                    "observer": parts(side_report(game, None, 0)),
                    "home": take_home(game, "blue"),
                    "known": (game.view("blue"), game.view(None)),
                    "told": (game.told("blue", 0), game.told(None, 0)),
                }
            )
            assert kinds(game) == [("blue", "bury")]
            assert readable(game.ledger.repo) == readable(game.ledger.repo, history(game)[1])
    for part in seen[0]:
        assert seen[0][part] == seen[1][part], part


@pytest.mark.parametrize("rounds", [1, 3])
def test_the_order_of_arrival_changes_nothing(tmp_path: Path, rounds: int) -> None:
    ends = []
    for at, (one, other) in enumerate([("red", "blue"), ("blue", "red")]):
        with Folder(tmp_path / str(at)).create() as game:
            for _ in range(rounds):
                question = game.open_decisions[0].kind
                cards = {side: hand(game, side)[0] for side in (one, other)}
                for side in (one, other):
                    give(game, side, order(question, card=cards[side]))
                if kinds(game)[0][1] == "assault":
                    give(game, game.open_decisions[0].side, order("assault", hold=True))
            ends.append(
                (
                    readable(game.ledger.repo),
                    game.rules.encode(game.view("red")),
                    [(told.event.kind, told.event.facts) for told in game.told("blue", 0)],
                    take_home(game, "blue"),
                )
            )
    assert ends[0] == ends[1]


# ---- answers that nobody gives


def test_only_answer_is_given_where_all_see_it_is_the_only_one(folder: Folder) -> None:
    """An only answer is given where everybody can see that it is the only one."""
    with folder.create(scenario="siege") as game:
        _beat_guards(game)
        answers = [answer for n in range(1, game.adjudication + 1) for answer in game.ledger.adjudication(n).answers]
        fallen = [answer for answer in answers if answer.kind == "fall_back"]
        assert [answer.by for answer in fallen] == ["only"]


def _beat_guards(game: Adjudicator) -> None:
    """Let red assault the middle hill until it falls; blue, who holds one other, is never asked where to go."""
    random = Random(2)
    while game.view(None).holders["middle"] == "blue" and game.open_decisions:
        for each in game.open_decisions:
            assert each.kind != "fall_back" or len(game.view(None).held(each.side)) > 1
        side = game.open_decisions[0].side
        kind = game.open_decisions[0].kind
        if kind == "bid":
            card = max(hand(game, side), key=game.view(side).strength) if side == "red" else "lowest"
            give(game, side, order("bid", card=card))
        elif kind == "assault" and side == "red":
            card = max(hand(game, side), key=game.view(side).strength)
            give(game, side, order("assault", hill="middle", card=card))
        elif kind == "assault":
            give(game, side, order("assault", hold=True))
        elif kind == "react":
            give(game, side, order("react", card="none"))
        else:
            give(game, side, pick(game, game.open_decisions[0], random))


def test_an_only_answer_that_a_hidden_hand_decides_is_waited_for(folder: Folder) -> None:
    """Rome without a Campaign card can only pass; to answer for it would show its hand."""
    for seed in range(40):
        with Folder(folder.path / str(seed)).create(
            "rome_carthage", secrets=replace(SECRETS, hidden=bytes([seed]) * 32)
        ) as game:
            (claim,) = game.open_decisions
            own = game.rules.legal_orders(game.view("rome"), claim)
            assert claim.kind == "claim_first"
            if len(own) == 1:
                return
    pytest.fail("Rome always held a Campaign card")


def test_defaults_are_for_those_who_are_late(toy: Adjudicator) -> None:
    assert toy.adjudicate(late=["red", "blue"]) == []  # nobody can bury for another
    buried(toy)
    assert toy.adjudicate(late=["red"]) == []
    give(toy, "blue", order("bid", card=hand(toy, "blue")[0]))
    lowest = min(hand(toy, "red"))
    numbers = toy.adjudicate(late=["red"])
    answers = {
        answer.side: (answer.order, answer.by)
        for answer in toy.ledger.adjudication(numbers[0]).answers
        if answer.kind == "bid"
    }
    assert answers["red"] == ({"card": "lowest"}, "default")
    assert answers["blue"][1] == "sheet 2"
    assert toy.view(None).spent[0] == lowest


def test_passed_deadline_counts_only_until_the_next_checkpoint(toy: Adjudicator) -> None:
    """A deadline that has passed counts until the next checkpoint and no longer."""
    buried(toy)
    for round in (1, 2):
        toy.adjudicate(late=["red", "blue"])
        assert kinds(toy) == [(toy.view(None).lead, "assault")]
        assert toy.view(None).round == round
        toy.adjudicate(late=["red", "blue"])
        assert kinds(toy) == [("red", "bid"), ("blue", "bid")]


# ---- the rules change


def test_rules_that_ask_otherwise_stop_the_game_naming_the_rule(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that ask something else stop the game and name the rule."""
    toy_game: Any = import_module(type(loaded("toy").rules).__module__)
    with folder.create(scenario="siege") as game:
        buried(game)
        for side in ("red", "blue"):
            give(game, side, order("bid", card=hand(game, side)[0]))
        lead = game.view(None).lead
        hill = next(hill for hill in game.view(lead).targets(lead))
        give(game, lead, order("assault", hill=hill, card=hand(game, lead)[0]))
        (question,) = kinds(game)
        assert question[1] == "react"

    def asked_in_another_way(position: Any, table: Any) -> Iterator[Any]:
        yield from table.ask(position.lead, "assault", rule="5.2", round=position.round, pot=2)

    monkeypatch.setitem(toy_game.PHASES, "assault", asked_in_another_way)
    with folder.open() as game:
        before = game.ledger.repo.head
        said = r"rule 5\.2: the facts of assault differ from the recorded ones: pot"
        with pytest.raises(RulesDiffer, match=said):
            game.adjudicate()
        with pytest.raises(RulesDiffer, match=said):
            game.receive("red", b"game: punica\n")
        assert game.ledger.repo.head == before
    monkeypatch.undo()
    with folder.open() as game:
        assert kinds(game) == [question]


# ---- keys, names, games that are there or not


def test_missing_open_and_foreign_keys_are_told_apart(folder: Folder, tmp_path: Path) -> None:
    """Keys that are missing, open to others or of another game are told apart."""
    folder.create().close()
    folder.create(name="gallia", secrets=OTHERS).close()
    key = folder.keys / "punica.yaml"
    right = key.read_bytes()
    key.chmod(0o644)
    with pytest.raises(BadKeys, match=r"open to others.*chmod 600"):
        folder.open()
    key.unlink()
    with pytest.raises(BadKeys, match=r"punica are not there: .*punica\.yaml is missing"):
        folder.open()
    key.touch(mode=0o600)
    key.write_bytes((folder.keys / "gallia.yaml").read_bytes())
    with pytest.raises(BadKeys, match="holds the secrets of gallia, not of punica"):
        folder.open()
    for word in (b"chain", b"hidden"):
        key.write_bytes(re.sub(rb"(?m)^%b: .." % word, b"%b: ab" % word, right))
        with pytest.raises(BadKeys, match="not the secrets that punica was begun with"):
            folder.open()
    key.write_bytes(re.sub(rb"(?m)^length: .*", b"length: 99999999999", right))
    with pytest.raises(BadKeys, match="not the secrets that punica was begun with"):
        folder.open()
    key.write_bytes(right)
    folder.open().close()


def test_nothing_is_signed_with_a_key_the_charter_does_not_name(folder: Folder) -> None:
    """A game whose charter names another key for signatures can be read, but nothing is committed to it."""
    with folder.create() as game:
        head = game.ledger.repo.head
        game.charter.signed_by = public_key(bytes(32))
        with pytest.raises(BadKeys, match="not the secrets that punica was begun with"):
            game.ledger.commit({"joined/red.yaml": b"phrase: hello\n"}, "punica: red joins")
        assert game.ledger.repo.head == head


def test_a_game_that_is_not_there_cannot_be_opened(folder: Folder) -> None:
    with pytest.raises(NoSuchGame):
        folder.open("gallia")


def test_a_game_is_never_made_twice(folder: Folder) -> None:
    folder.create().close()
    before = git(folder.repo("punica"), "rev-parse", "main")
    with pytest.raises(GameExists, match="another name"):
        folder.create()
    with pytest.raises(GameExists):
        folder.create(secrets=None)
    assert git(folder.repo("punica"), "rev-parse", "main") == before


def test_secrets_left_by_a_game_never_made_serve_the_next_one(folder: Folder) -> None:
    """Secrets left behind by a game that never came to be are used by the next game of that name."""
    with folder.create(secrets=None) as game:
        tip = game.charter.dice.tip
    subprocess.run(["rm", "-r", str(folder.repo("punica"))], check=True)
    with pytest.raises(BadKeys, match="never overwritten"):
        folder.create(secrets=SECRETS)
    with folder.create(secrets=None) as game:
        assert game.charter.dice.tip == tip


@pytest.mark.parametrize("words", [{"players": {"green": "X"}}, {"addresses": {"green": "x@example.org"}}])
def test_a_side_that_is_none_is_refused_before_anything_is_made(folder: Folder, words: Mapping[str, Any]) -> None:
    with pytest.raises(CannotPlay, match="Three Hills has no side green; its sides are red, blue"):
        folder.create(**words)
    assert not folder.games.exists()
    assert not folder.keys.exists()


def test_unknown_scenario_is_refused_before_anything_is_made(folder: Folder) -> None:
    """A scenario that does not exist is refused before anything is made."""
    with pytest.raises(LookupError, match="there is no scenario sieg"):
        folder.create(scenario="sieg")
    assert not folder.keys.exists()


# ---- the repo: no secrets in it, and git likes it


def secrets_of(game: Adjudicator) -> Iterator[tuple[str, bytes]]:
    """Yield everything that must not be found in the repo of a running game, with its name."""
    keys = game.ledger.keys
    for name, secret in (("chain", keys.chain), ("hidden", keys.hidden), ("signing", keys.signing)):
        yield name, secret
        yield f"{name} in hex", secret.hex().encode()
    yield from (("identity", keys.identity.encode()), ("office", keys.office.encode()))
    yield "the next link", game.ledger.chain.link(game.adjudication + 1).encode()
    for side in game.rules.sides:
        cards = game.view(side).hands[side]
        if len(cards) > 1:
            for style, text in numbers_in(cards).items():
                yield f"hand of {side}, {style}", text.encode()


@GAMES
def test_the_repo_of_a_running_game_holds_no_secret(folder: Folder, rules: str) -> None:
    with folder.create(rules) as game:
        secrets = dict(secrets_of(game))
        mail = [address.encode() for address in game.ledger.addresses.values()]
        for at, (_, text) in enumerate(play(game, 13, SHEETS[rules])):
            secrets |= {f"{name} before sheet {at}": secret for name, secret in secrets_of(game)}
            secrets[f"sheet {at}"] = text
        everything = every_file(game.ledger.repo)
        opened = {game.ledger.public_turn(n)["link"].encode() for n in range(1, game.adjudication + 1)}
    assert len(secrets) > 40
    for name, secret in secrets.items():
        if secret not in opened:
            assert not [path for path, content in everything.items() if secret in content], name
    public = {path: content for path, content in everything.items() if not path.endswith("game.yaml")}
    for address in mail:
        assert not [path for path, content in public.items() if address in content]


def test_the_steps_that_lie_ahead_of_a_march_are_not_published(invaded: Adjudicator) -> None:
    """The enemy is asked whether they intercept: where the march goes on to is its own side's affair."""
    give(invaded, "carthage", *march_orders(invaded, "cannae", "tarentum"), order("losses", elephants=0))
    assert kinds(invaded) == [("rome", "intercept")]
    now = readable(invaded.ledger.repo)
    march = yamlio.read(now["position.yaml"], name="position").value["march"]
    assert (march["general"], march["at"], "path" in march) == ("hannibal", "cannae", False)
    last = now[f"turns/000/{invaded.adjudication:04}.yaml"]
    assert b"cannae" in last
    assert b"tarentum" not in last + str(march).encode()
    assert "answers" not in invaded.ledger.public_turn(invaded.adjudication)
    for reader in ("rome", None):
        assert "Tarentum" not in side_report(invaded, reader, invaded.adjudication - 1).text.split("WHERE THINGS")[0]
    before = invaded.adjudication
    give(invaded, "rome", NOBODY)
    assert "answers" not in invaded.ledger.public_turn(invaded.adjudication)
    invaded.adjudicate(late=["carthage"])
    assert invaded.view(None).march is None
    later = [invaded.ledger.public_turn(n) for n in range(before, invaded.adjudication + 1)]
    published = [answer for turn in later for answer in turn.get("answers", ())]
    assert [answer["order"]["path"] for answer in published if answer["kind"] == "play"] == [["cannae", "tarentum"]]


@GAMES
def test_git_finds_nothing_wrong_and_can_clone_it(folder: Folder, rules: str, tmp_path: Path) -> None:
    with folder.create(rules) as game:
        for _ in play(game, 17, 6):
            pass
        head, path = game.ledger.repo.head, game.ledger.repo.path
        now = files(game.ledger.repo)
    assert "error" not in (said := git(path, "fsck", "--strict", "--full"))
    assert "missing" not in said
    subprocess.run(["git", "clone", "-q", str(path), str(tmp_path / "clone")], check=True, capture_output=True)
    clone = tmp_path / "clone"
    assert git(clone / ".git", "rev-parse", "HEAD").strip() == head
    assert {
        str(found.relative_to(clone)): found.read_bytes()
        for found in clone.rglob("*")
        if found.is_file() and ".git" not in found.parts
    } == now
    log = git(path, "log", "--format=%an <%ae>|%s|%b")
    for entry in log.strip().split("\npbem <"):
        author, subject, _ = entry.split("|", 2)
        assert author.endswith("pbem@localhost>")
        assert re.fullmatch(r"punica: (the charter|adjudication \d+|sheet \d+ of \w+)", subject)
    assert "waiting for " in log
