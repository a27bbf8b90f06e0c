"""Whoever could write the same turn in two ways could choose between the dice of both: there must be one way only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pbem import verify_one
from pbem.audit.explain.replay import replay
from pbem.audit.record.schemas import TURN_SHAPE
from pbem.audit.verify import verify
from pbem.crypto.dice import inputs_digest
from pbem.crypto.keys import Keys
from pbem.crypto.seal import unseal
from pbem.game import yaml as yamlio
from pbem.referee.acts.rollback import roll_back
from pbem.referee.acts.ruling import set_default
from pbem.referee.opening import open_to_read
from pbem.repo.files.layout import sealed_path, turn_path
from pbem.repo.files.records import public_answer
from tests.support.forging import Sign, Tale, told, true_key
from tests.support.live import SECRETS, Folder
from tests.support.soak import quick_first
from tests.support.walks import FOLDERS

Edit = Callable[[dict[str, Any]], bool]
"""Edits a turn file, and tells whether there was anything to edit."""


@dataclass(frozen=True)
class Scene:
    """A game as it was, and what its adjudicator holds."""

    tale: Tale
    key: Sign
    keys: Keys


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = Folder(tmp_path_factory.mktemp("ground"))
    with told(folder, most=25) as game:
        yield Scene(Tale.of(folder.repo("punica")), true_key(game.ledger), game.ledger.keys)


def forged(scene: Scene, edit: Edit, folder: Path) -> tuple[Path, int]:
    """Return a repo in which a turn is written otherwise and all after it goes on from there, and which turn."""
    tale, edited = scene.tale.copy(), list[int]()

    def edit_one(n: int, turn: dict[str, Any]) -> None:
        if n > 2 and not edited and edit(turn):
            edited.append(n)

    # The words must stay in the order in which the edit has put them.
    tale.put_turn = lambda n, turn: tale.put(turn_path(n), yamlio.dump(dict(turn)).encode())  # type: ignore[method-assign]
    tale.remade(1, edit_one)
    assert edited, "there was nothing to edit"
    return tale.tell(folder, scene.key), edited[0]


def backwards(value: dict[str, Any], kept: int = 0) -> dict[str, Any]:
    """Return a mapping with its words in another order, but for the first ones."""
    words = list(value)
    return {word: value[word] for word in [*words[:kept], *words[kept:][::-1]]}


def empty(word: str, nothing: Any) -> Edit:
    def edit(turn: dict[str, Any]) -> bool:
        if word in turn:
            return False
        turn[word] = nothing
        words = [word.rstrip("?") for word in TURN_SHAPE]
        again = {each: turn[each] for each in words if each in turn}
        turn.clear()
        turn.update(again)
        return True

    return edit


def no_sheet_of_a_side(turn: dict[str, Any]) -> bool:
    sheets = turn.get("sheets", {})
    if len(sheets) != 1:
        return False
    turn["sheets"] = dict(sorted({"red": {}, "blue": {}, **sheets}.items()))
    return True


def no_modifiers(turn: dict[str, Any]) -> bool:
    return in_a_roll(turn, lambda roll: "modifiers" not in roll, "modifiers", {})


def usual_sides(turn: dict[str, Any]) -> bool:
    return in_a_roll(turn, lambda roll: "sides" not in roll, "sides", 6)


def a_need_with_a_nought(turn: dict[str, Any]) -> bool:
    return in_a_roll(turn, lambda roll: "need" in roll, "need", ">= 05")


def in_a_roll(turn: dict[str, Any], fits: Callable[[dict[str, Any]], bool], word: str, value: Any) -> bool:
    order = ("number", "name", "faces", "sides", "modifiers", "total", "need", "success", "rule")
    for at, roll in enumerate(turn.get("rolls", ())):
        if fits(roll):
            turn["rolls"][at] = {each: {**roll, word: value}[each] for each in order if each in {**roll, word: value}}
            return True
    return False


IN_CLEAR: dict[str, Edit] = {
    **{word: empty(word, {}) for word in ("joined", "standing", "player_chains", "beacon", "act")},
    **{word: empty(word, []) for word in ("late", "absent", "rolls", "draws")},
    "result": empty("result", {}),
    "no sheet of a side": no_sheet_of_a_side,
    "no modifiers": no_modifiers,
    "six sides": usual_sides,
    "a nought": a_need_with_a_nought,
}


@pytest.mark.parametrize("name", quick_first(IN_CLEAR, 4))
def test_what_could_be_left_out_is_found_without_any_key(scene: Scene, name: str, tmp_path: Path) -> None:
    repo, n = forged(scene, IN_CLEAR[name], tmp_path)
    first = verify(repo, folders=FOLDERS).findings.sorted[0]
    assert str(first).startswith(f"turn {n}"), str(first)


def test_small_checker_lets_no_empty_mapping_into_the_dice() -> None:
    """An empty mapping cannot go into the dice of the small checker."""
    with pytest.raises(ValueError, match="cannot go into the dice"):
        verify_one.canonical({"previous": "00", "standing": {}})
    assert verify_one.canonical({"a": {"b": []}}) == b"d1:ad1:bleee"


def words_of_an_event(turn: dict[str, Any]) -> bool:
    for at, event in enumerate(turn["events"]):
        if len(event) > 3:
            turn["events"][at] = backwards(event, 1)
            return True
    return False


def words_of_an_answer(turn: dict[str, Any]) -> bool:
    for answer in turn.get("answers", ()):
        if len(answer["order"]) > 1:
            answer["order"] = backwards(answer["order"])
            return True
    return False


@pytest.mark.parametrize("edit", quick_first([words_of_an_event, words_of_an_answer]))
def test_key_order_unlike_the_sealed_record_is_found_on_reveal(scene: Scene, edit: Edit, tmp_path: Path) -> None:
    """Keys in another order than in the sealed record are found after the reveal."""
    repo, n = forged(scene, edit, tmp_path)
    found = [str(each) for each in verify(repo, keys=lambda _: scene.keys, folders=FOLDERS).findings.sorted]
    what = "events" if edit is words_of_an_event else "answers"
    assert any(each.startswith(f"turn {n}: {what} ") for each in found), found


def words_of_modifiers(turn: dict[str, Any]) -> bool:
    for roll in turn.get("rolls", ()):
        if len(roll.get("modifiers", {})) > 1:
            roll["modifiers"] = backwards(roll["modifiers"])
            return True
    return False


@pytest.mark.parametrize("edit", [words_of_an_event, words_of_modifiers])
def test_key_order_unlike_that_of_the_rules_is_found_by_replay(scene: Scene, edit: Edit, tmp_path: Path) -> None:
    """Keys in another order than the rules put them are found by a replay."""
    repo, n = forged(scene, edit, tmp_path)
    scene.keys.write(tmp_path / "keys")
    with open_to_read(repo.parent, tmp_path / "keys", "punica", folders=FOLDERS) as game:
        found = [str(each) for each in replay(game)]
    assert any(each.startswith(f"turn {n}, ") and "comes out otherwise here" in each for each in found), found


def test_words_without_a_sheet_are_sorted() -> None:
    answer = {"side": "red", "kind": "march", "order": {"with": [{"to": "a", "cu": 1}], "as": "b"}}
    alike = {"as": "b", "with": [{"cu": 1, "to": "a"}]}
    assert json.dumps(public_answer({**answer, "by": "default"})["order"]) == json.dumps(alike)
    assert json.dumps(public_answer({**answer, "by": "sheet 3"})["order"]) == json.dumps(answer["order"])


def spaced(kept: dict[str, Any]) -> bytes:
    return json.dumps(kept).encode()


def renumbered(kept: dict[str, Any]) -> bytes:
    kept["written"][1] += 1
    return compact(kept)


def reworded(kept: dict[str, Any]) -> bytes:
    kept["orders"][0] = backwards(kept["orders"][0])
    return compact(kept)


def never_filed(kept: dict[str, Any]) -> bytes:
    kept["orders"].append({**kept["orders"][0], "when": {"round": 77}})
    return compact(kept)


def compact(kept: dict[str, Any]) -> bytes:
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("change", quick_first([spaced, renumbered, reworded, never_filed]))
def test_standing_orders_are_kept_in_one_form_only(
    scene: Scene, change: Callable[[dict[str, Any]], bytes], tmp_path: Path
) -> None:
    tale = scene.tale.copy()
    side, n = next(
        (side, n)
        for n in range(1, tale.last)
        for side in tale.turn(n).get("standing", ())
        if tale.where(f"standing/{side}.age")
    )
    path = f"standing/{side}.age"
    kept = json.loads(unseal(SECRETS.identity, path, tale.content(path)))
    digest, before = tale.put_sealed(path, change(kept)), tale.turn(n)["standing"][side]

    def promise(_: int, turn: dict[str, Any]) -> None:
        if turn.get("standing", {}).get(side) == before:
            turn["standing"][side] = digest

    tale.remade(1, promise)
    verdict = verify(tale.tell(tmp_path, scene.key), keys=lambda _: scene.keys, folders=FOLDERS)
    found = [str(each) for each in verdict.findings.sorted if path in str(each)]
    assert found


def test_what_a_ruling_keeps_sealed_is_what_its_digest_says(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with told(folder, most=3) as game:
        side = game.open_decisions[0].side
        text = f"game: punica\nside: {side}\nadjudication: {game.adjudication}\norders:\n- bid: {{card: lowest}}\n"
        receipt, n = set_default(game, side, text.encode(), "they are away")
        assert n is not None, str(receipt)
        key, keys = true_key(game.ledger), game.ledger.keys
    tale = Tale.of(folder.repo("punica"))
    (tmp_path / "true").mkdir()
    assert not verify(tale.tell(tmp_path / "true", key), keys=lambda _: keys, folders=FOLDERS).findings.sorted
    path = sealed_path(turn_path(n))
    record = json.loads(unseal(SECRETS.identity, path, tale.content(path)))
    record["act"]["order"]["order"] = {"card": 1}
    tale.put_sealed(path, json.dumps(record).encode())
    found = verify(tale.tell(tmp_path / "false", key), keys=lambda _: keys, folders=FOLDERS).findings.sorted
    said = f"turn {n}: what the game master did out of sight is not what its digest says"
    assert said in [str(each) for each in found]


def test_a_consent_has_its_request(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with told(folder, most=6) as game:
        n = roll_back(game, 2, "they say that all agree")
        key = true_key(game.ledger)
    tale = Tale.of(folder.repo("punica"))
    turn = tale.turn(n)
    turn["act"] |= {"by": "all sides", "request": 1, "consents": ["red", "blue"]}
    turn["inputs"] = inputs_digest(tale.turn(n - 1)["inputs"], turn)
    tale.put_turn(n, turn)
    found = verify(tale.tell(tmp_path / "false", key), folders=FOLDERS).findings.sorted
    assert [str(each) for each in found] == [f"turn {n}: it says that the sides consented, and no request says so"]
