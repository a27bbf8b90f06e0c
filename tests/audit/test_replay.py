"""A game played again from its records: as recorded, or the first difference as a person would say it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.explain.replay import Replayed, replay, replay_turns
from pbem.cli.runtime import DONE, FAULTS, NOT_PROVEN, WORLD
from pbem.crypto.keys import BadKeys
from pbem.referee.acts import rollback, ruling
from pbem.referee.opening import open_to_read
from tests.support.disputed import (
    OTHER_TABLE,
    RETREAT_TABLE,
    STRONGER,
    Assault,
    forged,
    hand,
    other_box,
    routed,
    run,
    told,
)
from tests.support.live import Folder, files, git, give, order, play, sheet
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS, loaded

pytestmark = pytest.mark.usefixtures("in_the_folder")


def again(folder: Folder, first: int = 1, last: int | None = None, boxes: Path | None = None) -> list[Replayed]:
    """Play a game again, with the boxes of a folder before others."""
    folders: list[str | Path] = [*([boxes] if boxes else []), *FOLDERS]
    with open_to_read(folder.games, folder.keys, "punica", folders=folders) as game:
        return list(replay_turns(game, first, last))


def lines(turns: list[Replayed]) -> list[str]:
    return [str(each) for turn in turns for each in turn.differences]


def toy() -> Any:
    """Return the module of the rules of Three Hills."""
    return import_module(type(loaded("toy").rules).__module__)


# ---- as recorded


@pytest.mark.parametrize("rules", quick_first(["toy", "rome_carthage", "hannibal_italy"]))
def test_a_game_under_the_same_rules_is_as_recorded(folder: Folder, rules: str) -> None:
    with folder.create(rules) as game:
        sheets = sum(1 for _ in play(game, 5, 25))
        count = game.adjudication
    turns = again(folder)
    assert lines(turns) == []
    assert [turn.n for turn in turns] == list(range(1, count + 1))
    assert all(turn.played and not turn.elsewhere for turn in turns)
    assert sum(turn.answers for turn in turns) >= sheets - 1
    span = f"punica: {count} adjudications (1 to {count}) played again"
    assert run(DONE, "replay", "punica") == f"{span}; every roll, event and position is as recorded.\n"
    assert told(DONE, "replay", "punica") == []


def test_a_stretch_begins_at_the_last_checkpoint_before_it(hills: Folder) -> None:
    rests = [turn.n for turn in again(hills) if turn.rests]
    assert 4 not in rests
    for first in range(1, 7):
        turns = again(hills, first, first)
        begins = max([n for n in rests if n < first], default=0) + 1
        assert [turn.n for turn in turns] == list(range(begins, first + 1)), first
        assert lines(turns) == []
    text = run(DONE, "replay", "punica", "--from", 5, "--to", 5)
    assert "2 adjudications (4 to 5) played again" in text


def test_verbose_tells_every_turn(hills: Folder) -> None:
    text = run(DONE, "replay", "punica", "--verbose").splitlines()
    assert text[0] == "turn 1: 0 answers, 0 rolls, 2 events, checkpoint: as recorded"
    assert text[4] == "turn 5: 1 answer, 1 roll, 5 events, checkpoint: as recorded"
    assert len(text) == 7


def test_a_replay_of_nothing_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path)
    folder.create(begin=False).close()
    monkeypatch.setenv("PBEM_GAMES", str(folder.games))
    monkeypatch.setenv("PBEM_KEYS", str(folder.keys))
    monkeypatch.setenv("PBEM_RULES", FOLDERS[0])
    assert run(NOT_PROVEN, "replay", "punica") == "punica: not proven, for there was nothing to play again.\n"


@pytest.mark.slow
def test_finished_game_on_a_clone_is_replayed_without_any_key(folder: Folder, tmp_path: Path) -> None:
    """A game that is over is replayed on a clone without any key."""
    with folder.create() as game:
        for _ in play(game, 1, 60):
            pass
        assert game.result is not None
        count = game.adjudication
    shutil.rmtree(folder.keys)
    git(folder.repo("punica"), "clone", "-q", str(folder.repo("punica")), str(tmp_path / "clone"))
    git(folder.repo("punica"), "clone", "-q", "--bare", str(folder.repo("punica")), str(tmp_path / "bare.git"))
    for where in ("punica", tmp_path / "clone", tmp_path / "bare.git", tmp_path / "bare"):
        assert f"{count} adjudications (1 to {count}) played again; every" in run(DONE, "replay", where)


def test_a_game_under_way_needs_its_keys(hills: Folder) -> None:
    shutil.rmtree(hills.keys)
    assert "the secrets of punica are not there" in run(WORLD, "replay", "punica")
    with pytest.raises(BadKeys):
        open_to_read(hills.games, hills.keys, "punica", folders=FOLDERS)
    assert "there is no game at" in run(WORLD, "replay", "gallia")


# ---- other rules


def test_a_table_that_differs_is_told_by_turn_roll_and_rule(folder: Folder) -> None:
    rout = routed(folder)
    boxes = other_box("rome_carthage", folder.path / "rules", "tables.yaml", {RETREAT_TABLE: OTHER_TABLE})
    turns = again(folder, last=rout.turn, boxes=boxes)
    first = lines(turns)[0]
    where = rf"turn {rout.turn}, roll {rout.roll}, rout of \d+ CU: event \d+"
    assert re.match(rf"{where}.* recorded .*loses \d+ CU in the rout.*, now ", first), first
    assert [turn.n for turn in turns if turn.elsewhere] == [rout.turn]
    whole = again(folder, boxes=boxes)
    assert len(whole) == rout.last
    assert whole[-1].played, "the next span is played from where the record stands"
    text = run(FAULTS, "replay", "punica", "--rules-dir", boxes)
    assert f"{first}\n" in text
    assert f"punica: {rout.last} adjudications (1 to {rout.last}) played again; these differ: {rout.turn}" in text
    assert "The rules here are not those that punica is played with: the box differs." in text
    assert told(FAULTS, "replay", "punica", "--rules-dir", boxes)[0]["adjudication"] == rout.turn


def test_a_modifier_that_differs_is_told_in_its_words(
    hills: Folder, assault: Assault, monkeypatch: pytest.MonkeyPatch
) -> None:
    table: Any = import_module("pbem.game.table").Table
    roll = table.roll

    def kinder(self: Any, name: str, count: int = 1, **more: Any) -> Any:
        more["modifiers"] = {**(more.get("modifiers") or {}), "guards": 5}
        return roll(self, name, count, **more)

    monkeypatch.setattr(table, "roll", kinder)
    (difference, *_) = lines(again(hills))
    assert difference == (
        f"turn 5, roll 1, {assault.aim}: recorded with {assault.changes}, now with +{assault.attack} attack +5 guards, "
        "recorded a failure, now a success, rule 5"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"at_least": -9}, "recorded as needing >= 5, now >= -9, recorded a failure, now a success, rule 5"),
        ({"sides": 20}, ": recorded {face}, now d20 "),
        ({"rule": "5.1"}, ": recorded under rule 5, rule 5.1"),
    ],
)
def test_a_roll_that_differs_says_what_of_it(
    hills: Folder, assault: Assault, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], said: str
) -> None:
    table: Any = import_module("pbem.game.table").Table
    roll = table.roll
    monkeypatch.setattr(
        table, "roll", lambda self, name, count=1, **more: roll(self, name, count, **{**more, **change})
    )
    (difference, *_) = lines(again(hills))
    assert difference.startswith(f"turn 5, roll 1, {assault.aim}: ")
    assert said.format(face=assault.face) in difference


def test_a_roll_too_many_and_a_roll_too_few_are_told(
    hills: Folder, assault: Assault, monkeypatch: pytest.MonkeyPatch
) -> None:
    table: Any = import_module("pbem.game.table").Table
    roll = table.roll

    def twice(self: Any, name: str, count: int = 1, **more: Any) -> Any:
        roll(self, f"{name}/again", 1, rule="5.9", hill=more.get("hill"))
        return roll(self, name, count, **more)

    monkeypatch.setattr(table, "roll", twice)
    (difference, *_) = lines(again(hills))
    assert difference == f"turn 5, roll 1, recorded {assault.aim} (rule 5), now {assault.aim} (rule 5.9)"
    monkeypatch.setattr(table, "roll", lambda self, name, count=1, **more: table_without(roll, self, name, **more))
    assert f"turn 5, roll 1, {assault.aim}: recorded, not rolled now, rule 5" in lines(again(hills))


def table_without(roll: Any, table: Any, name: str, **more: Any) -> Any:
    """Return a roll without putting it on record."""
    made = roll(table, name, 1, **more)
    table.rolls.remove(made)
    table.events = [event for event in table.events if event.roll is not made]
    return made


def test_an_event_too_many_changes_nothing_else(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    bury = toy().PHASES["bury"]

    def bury_aloud(game: Any, table: Any) -> Iterator[Any]:
        table.tell("solemn_moment", rule="3")
        yield from bury(game, table)

    monkeypatch.setitem(toy().PHASES, "bury", bury_aloud)
    turns = again(hills)
    assert lines(turns) == ['turn 1, event 3: recorded nothing, now "Solemn moment.", rule 3']
    assert not any(turn.elsewhere for turn in turns)


def test_what_one_side_alone_is_told_is_not_told_by_a_replay(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    table: Any = import_module("pbem.game.table").Table
    tell = table.tell

    def garbled(self: Any, kind: str, **more: Any) -> None:
        tell(self, kind, **({**more, "hand": [7, 7, 7, 7]} if kind == "dealt" else more))

    monkeypatch.setattr(table, "tell", garbled)
    assert lines(again(hills))[0] == "turn 1, event 1: what Red alone is told differs (dealt), rule 2"
    assert "7, 7" not in run(FAULTS, "replay", "punica")


def test_changed_question_ends_its_span_and_the_next_is_played(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that differs ends its span, and the next span is played."""

    def ask_otherwise(game: Any, table: Any) -> Iterator[Any]:
        yield from table.ask(game.lead, "assault", rule="5.2", round=game.round, pot=2)

    monkeypatch.setitem(toy().PHASES, "assault", ask_otherwise)
    turns = again(hills)
    assert lines(turns)[0] == (
        "turn 4, a question has changed: rule 5.2: the facts of assault differ from the recorded ones: pot"
    )
    assert [turn.n for turn in turns if not turn.played] == [5]
    assert turns[5].played
    text = run(FAULTS, "replay", "punica", "--verbose")
    assert "turn 5: not played again, because a decision before it has changed" in text
    assert "Not played again, because a decision before them has changed: 5." in text


def test_answer_no_longer_legal_is_told_with_the_reason(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is no longer legal is reported with the reason."""
    kinds = toy().KINDS

    def never(view: Any, decision: Any, order: Any) -> Iterator[Any]:
        yield order.fault(("card",), "nobody may hold back", rule="6.1")

    monkeypatch.setitem(kinds, "react", replace(kinds["react"], check=never))
    (difference,) = lines(again(hills))
    assert difference == ("turn 5, a question has changed: react of red is on record, but is not legal now (rule 6.1)")


def test_rules_that_fail_are_a_difference_and_no_traceback(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(game: Any, table: Any) -> Iterator[Any]:
        yield from table.ask(game.lead, "assault", rule="5", default={"hold": True}, round=game.round)
        raise KeyError("hill")

    monkeypatch.setitem(toy().PHASES, "assault", broken)
    (difference, *_) = lines(again(hills))
    assert difference == "turn 4, the rules here fail on what is on record: KeyError in `broken`"


def test_a_position_that_differs_is_told_by_its_places(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    assault = toy().PHASES["assault"]

    def fortified(game: Any, table: Any) -> Iterator[Any]:
        yield from assault(game, table)
        game.guards["middle"] += 2

    monkeypatch.setitem(toy().PHASES, "assault", fortified)
    turns = again(hills)
    (difference,) = lines(turns)
    assert difference.startswith("turn 5, position: guards, Middle Hill recorded ")
    assert [turn.n for turn in turns if turn.elsewhere] == [5], "the turn after it is played from the record"


def test_what_is_hidden_of_a_position_is_compared_and_not_told(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    bury = toy().PHASES["bury"]

    def stacked(game: Any, table: Any) -> Iterator[Any]:
        yield from bury(game, table)
        game.deck[-1], game.deck[-2] = game.deck[-2], game.deck[-1]

    monkeypatch.setitem(toy().PHASES, "bury", stacked)
    assert lines(again(hills)) == ["turn 2, position: what is hidden differs, in deck"]


def test_a_shuffle_that_differs_is_told_without_its_cards(hills: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    table: Any = import_module("pbem.game.table").Table
    shuffle = table.shuffle
    monkeypatch.setattr(table, "shuffle", lambda self, name, items: shuffle(self, name, items[::-1]))
    (difference, *_) = lines(again(hills))
    assert difference == "turn 1, hidden draw 1, deck: the order before it differs"


def test_a_box_in_which_cards_are_worth_more_changes_a_question(hills: Folder) -> None:
    boxes = other_box("toy", hills.path / "rules", "hills.yaml", STRONGER)
    assert lines(again(hills, boxes=boxes)) == [
        "turn 5, a question has changed: rule 6: the facts of react differ from the recorded ones: strength"
    ]


# ---- what the game master did


@pytest.fixture
def ruled(hills: Folder) -> Folder:
    """Return a folder with a game that was rolled back, and in which each kind of ruling was made."""
    with hills.open() as game:
        rollback.roll_back(game, 4, "the deadline was too short")  # 7
        side = game.open_decisions[0].side
        give(game, side, order("react", card="none"))  # 8
        ruling.change_position(game, {"guards.middle": 4}, "a typing mistake")  # 9
        ruling.answer_for_side(
            game, "red", sheet(game, "red", order("bid", card=hand(game, "red")[0])), "they are away"
        )  # 10
        ruling.set_default(
            game, "blue", sheet(game, "blue", order("bid", card=hand(game, "blue")[0])), "away too"
        )  # 11
        assert game.adjudicate(late=["blue"]) == [12]
    return hills


def test_what_the_game_master_did_is_done_again(ruled: Folder) -> None:
    turns = again(ruled)
    assert lines(turns) == []
    assert [turn.act for turn in turns[6:]] == ["rollback", None, "ruling", "ruling", "ruling", None]
    for first in range(1, 13):
        assert lines(again(ruled, first)) == [], first
    assert "turn 7: rollback, 0 answers, 0 rolls, 1 event: as recorded" in run(DONE, "replay", "punica", "--verbose")


def test_a_game_that_was_broken_off_is_as_recorded(ruled: Folder) -> None:
    with ruled.open() as game:
        n = ruling.break_off(game, "both have moved away")
    assert (lines(again(ruled)), n) == ([], 13)
    shutil.rmtree(ruled.keys)
    assert "13 adjudications (1 to 13) played again; every" in run(DONE, "replay", "punica")


def test_a_turn_after_a_rollback_is_held_against_the_rules_too(ruled: Folder) -> None:
    boxes = other_box("toy", ruled.path / "rules", "hills.yaml", STRONGER)
    turns = again(ruled, boxes=boxes)
    assert [turn.n for turn in turns if turn.differences] == [5, 8], "questions are compared when they are answered"
    assert all("strength" in line for line in lines(turns))
    assert not any(turn.elsewhere for turn in turns[8:])


def test_a_patch_that_is_not_the_one_on_record_is_noticed(ruled: Folder) -> None:
    forged(ruled, "turns/000/0009.yaml", b'guards.middle: "4"', b'guards.middle: "3"')
    assert any(line.startswith("turn 9, ") for line in lines(again(ruled)))


# ---- records that were altered


ALTERED = [
    (5, "attack: ", "attack: 1", "turn 5, roll 1, {aim}: recorded with +1{attack} attack"),
    (5, "faces: [{face}]", "faces: [{other}]", "turn 5, roll 1, {aim}: recorded {other}, now {face}"),
    (2, "{{kind: buried", "{{kind: hidden", "turn 2, the turn file was altered"),
    (3, "{{side: blue, kind: assault}}", "{{side: red, kind: assault}}", "the game waits: recorded for Red"),
]


@pytest.mark.parametrize(("n", "old", "new", "said"), ALTERED)
def test_a_record_that_was_altered_is_noticed(
    hills: Folder, assault: Assault, n: int, old: str, new: str, said: str
) -> None:
    words = {"face": assault.face, "other": assault.face % 6 + 1, "aim": assault.aim, "attack": assault.attack}
    forged(hills, f"turns/000/{n:04}.yaml", old.format(**words).encode(), new.format(**words).encode())
    assert said.format(**words) in "\n".join(lines(again(hills)))


def test_nothing_is_written(hills: Folder) -> None:
    with hills.open() as game:
        before, head = files(game.ledger.repo), game.ledger.repo.head
    run(DONE, "replay", "punica")
    with hills.open() as game:
        assert (files(game.ledger.repo), game.ledger.repo.head) == (before, head)


def test_replay_yields_the_differences_alone(hills: Folder) -> None:
    with hills.open() as game:
        assert list(replay(game)) == []
