"""The stand-alone checker: it agrees with us about every file, passes what is right and finds every tampering."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from copy import deepcopy
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

from pbem import verify_one
from pbem.cli.runtime import FAULTS, NOT_PROVEN
from pbem.crypto.dice import Chain, ChainDice, canonical, inputs_digest, missing_link, step_key
from pbem.game import yaml as yamlio
from pbem.repo.git import numbered
from pbem.repo.public import published, repo_of
from tests.support.chance import seed_of
from tests.support.live import Folder, git, play
from tests.support.samples import GAMES, ZAMA

SOURCE = Path(verify_one.__file__)
OWN = Chain(b"r" * 32, 9)
CHAIN = Chain(b"c" * 32, 3)
SIGNATURE = "ab" * 48
Turns = list[dict[str, Any]]


# ---- a game with everything in it: a renewed chain, players' own chains, a beacon, a rollback


def rolls(key: bytes, n: int) -> list[dict[str, Any]]:
    dice = ChainDice(key, b"")
    (face,), three = dice.faces(f"siege/rome {n}", 1, 6), dice.faces("storm", 3, 10)
    many = dice.faces("many", 100, 1000)  # of a thousand faces, for there some numbers must be passed over
    one = {"number": 1, "name": f"siege/rome {n}", "faces": [face], "modifiers": {"walls": -1}, "total": face - 1}
    return [
        {**one, "need": "<= 3", "success": face - 1 <= 3, "rule": "16.4"},
        {"number": 2, "name": "storm", "faces": three, "sides": 10, "total": sum(three), "rule": "card 3"},
        {"number": 3, "name": "many", "faces": many, "sides": 1000, "total": sum(many), "rule": "1"},
    ]


SHEETS = {n: f"sheets/red/000/000{n}.age" for n in range(1, 6)}
STANDING = {"standing": {"blue": "1" * 64}}


def stated(n: int) -> dict[str, Any]:
    """Return what turn n states of its circumstances and of what goes into it."""
    everything: dict[int, dict[str, Any]] = {
        1: {
            "joined": {
                "red": {"phrase": "Élan: vital #1", "chain": {"tip": OWN.tip, "length": 9}},
                "blue": {"key": "age1"},
            },
            "beacon": {"round": 5, "signature": SIGNATURE},
        },
        2: {
            "sheets": {"blue": {"sheets/blue/000/0001.age": "2" * 64}, "red": {SHEETS[1]: "0" * 64}},
            **STANDING,
            "player_chains": {"red": {"link": OWN.link(1)}},
            "beacon": {"round": 6, "signature": SIGNATURE},
        },
        3: {
            **STANDING,
            "player_chains": {"red": {"missing": missing_link(OWN.link(1), 3)}},
            "beacon": {"round": 6, "signature": SIGNATURE},
        },
        4: {
            "late": ["blue"],
            "sheets": {"red": {SHEETS[2]: "3" * 64, SHEETS[3]: "4" * 64}},
            **STANDING,
            "player_chains": {"red": {"link": OWN.link(3)}},
            "beacon": {"round": 7, "signature": SIGNATURE},
        },
        5: {
            "sheets": {"red": {SHEETS[4]: "5" * 64}},
            **STANDING,
            "player_chains": {"red": {"lost": missing_link(OWN.link(3), 5)}},
            "beacon": {"round": 9, "missing": "it is late"},
        },
        6: {
            **STANDING,
            "act": {
                "kind": "rollback",
                "reason": "two lines\n  of it\n",
                "to": 4,
                "undone": [5],
                "by": "the game master",
            },
        },
        7: {**STANDING, "beacon": {"round": 10, "signature": SIGNATURE}},
    }
    return deepcopy({"day": f"2026-11-2{n}", **everything[n]})


ANSWERS = {4: ("sheet 3", "standing", "only", "default", "bot", "the game master")}


def charter() -> dict[str, Any]:
    dice = {"scheme": "chain-v2", "length": 3, "tip": CHAIN.tip, "beacon": "drand"}
    return {"format": 3, "game": "punica", "dice": dice}


def write(folder: Path, turns: Turns, head: dict[str, Any] | None = None) -> Path:
    """Write a game's published files, as `git clone` would."""
    (folder / "game.yaml").parent.mkdir(parents=True, exist_ok=True)
    (folder / "game.yaml").write_text(yamlio.dump(head or charter()), "utf-8")
    for n, turn in enumerate(turns, 1):
        path = folder / numbered("turns", n)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yamlio.dump(turn), "utf-8")
    return folder


def made(chain: Chain = CHAIN, last: int = 7, alter: Callable[[int, dict[str, Any]], None] | None = None) -> Turns:
    """Return the turn files of the game; `alter` may change what each states before its dice are made of it."""
    turns: Turns = []
    before: dict[str, Any] = charter()
    inputs = sha256(yamlio.dump(before).encode()).hexdigest()
    for n in range(1, last + 1):
        turn = {"previous": sha256(yamlio.dump(before).encode()).hexdigest(), **stated(n)}
        turn["answers"] = [
            {"side": "red", "kind": "siege", "order": {"card": 3}, "by": by} for by in ANSWERS.get(n, ())
        ]
        if alter is not None:
            alter(n, turn)
        inputs = inputs_digest(inputs, turn)
        key = step_key(chain.link(n), "punica", n, inputs)
        turn = {"adjudication": n, **turn, "link": chain.link(n), "inputs": inputs}
        if (tip := chain.renewal(n)) is not None:
            turn["renewal"] = tip
        before = turn | {"rolls": rolls(key, n), "events": [{"kind": "roll", "roll": 1}], "open_decisions": []}
        turns.append(before)
    return turns


CODES = {"broken: ": FAULTS, "not proven: ": NOT_PROVEN}


def complaint(path: Path, *words: str) -> str:
    """Return how the checker ends: nothing if the game is proven, else why it is broken, or `not proven` and why."""
    with redirect_stderr(StringIO()) as told:
        code = 0
        try:
            verify_one.main(str(path), *words)
        except SystemExit as ended:
            code = int(str(ended.code))
    text = told.getvalue().rstrip("\n")
    assert code == next((code for word, code in CODES.items() if text.startswith(word)), 0)
    return text.removeprefix("broken: ")


def test_the_whole_game_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint(write(tmp_path, made())) == ""
    told = capsys.readouterr().out
    assert told.startswith("punica: proven, 7 turns, 21 rolls.")
    assert CHAIN.tip in told


def test_a_roll_is_shown_with_all_that_makes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = made()
    folder = write(tmp_path, turns)
    verify_one.main(str(folder), "4", "2")
    told = capsys.readouterr().out
    key = step_key(CHAIN.link(4), "punica", 4, turns[3]["inputs"])
    assert told.startswith(f"roll 2, storm: {turns[3]['rolls'][1]['faces']}")
    assert [
        text for text in (CHAIN.link(4), key.hex(), str(canonical(["faces", "storm", 0]))) if text not in told
    ] == []
    assert "roll 1" not in told
    verify_one.main(str(folder), "4")
    assert "roll 1, siege/rome 4:" in capsys.readouterr().out


# ---- tampering: what is changed in which turn -> where it is found, and why


def put(n: int, *path: Any, value: Any) -> Callable[[Turns], None]:
    """Return what sets a value in turn n."""

    def change(turns: Turns) -> None:
        inner: Any = turns[n - 1]
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value(inner[path[-1]]) if callable(value) else value

    return change


def take(n: int, *path: Any) -> Callable[[Turns], None]:
    """Return what takes a value out of turn n."""

    def change(turns: Turns) -> None:
        inner: Any = turns[n - 1]
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    return change


def swap(word: str, one: int, other: int) -> Callable[[Turns], None]:
    """Return what swaps a word of two turns."""

    def change(turns: Turns) -> None:
        a, b = turns[one - 1], turns[other - 1]
        a[word], b[word] = b[word], a[word]

    return change


def digested(n: int, change: Callable[[Turns], None]) -> Callable[[Turns], None]:
    """Return a change of what went into turn n that puts the digest of it right."""

    def both(turns: Turns) -> None:
        change(turns)
        before = turns[n - 2]["inputs"] if n > 1 else sha256(yamlio.dump(charter()).encode()).hexdigest()
        turns[n - 1]["inputs"] = inputs_digest(before, turns[n - 1])

    return both


def other_face(faces: list[int]) -> list[int]:
    return [faces[0] % 6 + 1, *faces[1:]]


def gives(n: int, value: dict[str, str]) -> Callable[[Turns], None]:
    return digested(n, put(n, "player_chains", "red", value=value))


TAMPERED: list[tuple[Callable[[Turns], Any], str, str]] = [
    (put(4, "rolls", 0, "faces", value=other_face), "turn 4", "roll 1, siege/rome 4: the faces are"),
    (put(4, "rolls", 1, "faces", 2, value=lambda face: face % 10 + 1), "turn 4", "roll 2, storm: the faces are"),
    (put(4, "rolls", 1, "sides", value=6), "turn 4", "roll 2, storm"),
    (put(4, "rolls", 1, "sides", value=0), "turn 4", "no dice of 0 sides"),
    (put(4, "rolls", 1, "sides", value=65537), "turn 4", "no dice of 65537 sides"),
    (put(4, "rolls", 1, "name", value="tempest"), "turn 4", "roll 2, tempest"),
    (put(4, "rolls", 0, "name", value="storm"), "turn 4", ""),
    (put(4, "rolls", 0, "total", value=lambda total: total + 1), "turn 4", "roll 1, siege/rome 4: the total is"),
    (put(4, "rolls", 0, "modifiers", "walls", value=-2), "turn 4", "roll 1, siege/rome 4: the total is"),
    (put(4, "rolls", 0, "success", value=lambda met: not met), "turn 4", "success"),
    (put(4, "rolls", 0, "need", value=lambda need: need.replace("<=", ">=")), "turn 4", ""),
    (put(4, "rolls", 1, "number", value=4), "turn 4", "roll 2"),
    (take(4, "rolls", 0), "turn 4", "roll 1, storm"),
    (put(4, "rolls", value=lambda made: [*made, {**made[1], "number": 4}]), "turn 4", "two rolls have the same name"),
    (put(4, "link", value=CHAIN.link(5)), "turn 4", "does not follow"),
    (put(4, "link", value=str.upper), "turn 4", "does not follow"),
    (put(4, "link", value=Chain(b"d" * 32, 3).link(4)), "turn 4", "does not follow"),
    (swap("link", 4, 5), "turn 4", "does not follow"),
    (put(3, "renewal", value="0" * 64), "turn 4", "`previous`"),
    (take(3, "renewal"), "turn 3", "renewed with its last link"),
    (put(4, "renewal", value=Chain(b"d" * 32, 3).tip), "turn 4", "renewed with its last link"),
    (put(2, "sheets", "red", SHEETS[1], value="5" * 64), "turn 2", "`inputs`"),
    (digested(2, put(2, "sheets", "red", SHEETS[1], value="5" * 64)), "turn 2", "the faces are"),
    (digested(3, put(3, "standing", "blue", value="5" * 64)), "turn 3", "the faces are"),
    (digested(1, put(1, "joined", "red", "phrase", value="another")), "turn 1", "the faces are"),
    (digested(4, put(4, "beacon", "signature", value="00" * 48)), "turn 4", "the faces are"),
    (digested(5, put(5, "beacon", "round", value=8)), "turn 5", "the faces are"),
    (digested(6, put(6, "act", "to", value=3)), "turn 6", "the faces are"),
    (put(4, "inputs", value="0" * 64), "turn 4", "`inputs`"),
    (take(6, "inputs"), "turn 6", "inputs"),
    (put(6, "act", "reason", value="no reason"), "turn 7", "`previous`"),
    (put(5, "beacon", "missing", value="no reason"), "turn 6", "`previous`"),
    (gives(2, {"link": OWN.link(2)}), "turn 2", "red does not follow"),
    (gives(2, {"missing": missing_link(OWN.link(1), 2)}), "turn 2", "red does not follow"),
    (gives(2, {"link": OWN.link(1), "missing": "x"}), "turn 2", "red does not follow"),
    (gives(2, {"link": OWN.link(1).upper()}), "turn 2", "red does not follow"),
    (gives(2, {"link": "no hex"}), "turn 2", "non-hexadecimal"),
    (gives(2, {}), "turn 2", "red does not follow"),
    (gives(5, {"lost": missing_link(OWN.link(3), 6)}), "turn 5", "red does not follow"),
    (gives(5, {"lost": missing_link(OWN.tip, 5)}), "turn 5", "red does not follow"),
    (digested(2, take(2, "player_chains")), "turn 2", "opens links later"),
    (digested(6, lambda turns: turns[5].update(player_chains=turns[4]["player_chains"])), "turn 6", "opens links"),
    (digested(4, lambda turns: turns[3].update(joined=turns[0]["joined"])), "turn 4", "red joins a second time"),
    (put(3, "events", value=[{"kind": "roll", "roll": 1, "side": "red"}]), "turn 4", "`previous`"),
    (put(4, "previous", value="0" * 64), "turn 4", "`previous`"),
    (put(4, "adjudication", value=5), "turn 4", "turn file is that of turn 5"),
    (lambda turns: turns.pop(3), "turn 4", "`previous`"),
    (lambda turns: turns.pop(0), "turn 1", "`previous`"),
    (lambda turns: turns.insert(3, turns[3]), "turn 5", "`previous`"),
    (lambda turns: turns.insert(3, turns.pop(4)), "turn 4", "`previous`"),
]


@pytest.mark.parametrize(("change", "where", "why"), TAMPERED, ids=range(len(TAMPERED)))
def test_tampering_is_found_where_it_is(tmp_path: Path, change: Callable[[Turns], Any], where: str, why: str) -> None:
    turns = made()
    change(turns)
    found = complaint(write(tmp_path, turns))
    assert found.startswith(f"{where}: ")
    assert why in found


# ---- a referee who has the keys, and makes all dice, digests and links of the forged game anew


def states(n: int, change: Callable[[dict[str, Any]], Any]) -> Callable[[int, dict[str, Any]], None]:
    """Return a change of what turn n states."""

    def alter(at: int, turn: dict[str, Any]) -> None:
        if at == n:
            change(turn)

    return alter


def says(n: int, word: str, value: Any) -> Callable[[int, dict[str, Any]], None]:
    """Return a change of a word of turn n."""
    return states(n, lambda turn: turn.update({word: value}))


def opens(n: int, value: dict[str, str]) -> Callable[[int, dict[str, Any]], None]:
    return says(n, "player_chains", {"red": value})


def names(n: int, *numbers: int) -> Callable[[int, dict[str, Any]], None]:
    return says(n, "sheets", {"red": {SHEETS[number]: "6" * 64 for number in numbers}})


def answers(by: str, n: int = 4) -> Callable[[int, dict[str, Any]], None]:
    return says(n, "answers", [{"side": "red", "kind": "siege", "order": {"card": 3}, "by": by}])


def acts(**act: Any) -> Callable[[int, dict[str, Any]], None]:
    return says(6, "act", act)


FORGED: list[tuple[Callable[[int, dict[str, Any]], None], str]] = [
    # sheets have no gap in their numbers, and none comes twice
    (names(4, 3, 4), "turn 4: sheets/red/000/0003.age is not the next sheet"),
    (names(4, 1, 2), "turn 4: sheets/red/000/0001.age is not the next sheet"),
    (names(4, 2, 4), "turn 4: sheets/red/000/0004.age is not the next sheet"),
    (names(3, 1), "turn 3: "),
    # as many links are opened as sheets are named, and one is missing only if none is
    (names(4, 2), "turn 4: {'link': '"),
    (names(2, 1, 2), "turn 2: {'link': '"),
    (opens(4, {"link": OWN.link(2)}), "turn 4: {'link': '"),
    (opens(4, {"link": OWN.link(4)}), "turn 4: {'link': '"),
    (opens(4, {"missing": missing_link(OWN.link(1), 4)}), "turn 4: {'missing': '"),
    (opens(3, {"link": OWN.link(2)}), "turn 3: {'link': '"),
    (opens(3, {"link": OWN.link(1)}), "turn 3: {'link': '"),
    (opens(3, {"lost": missing_link(OWN.link(1), 3)}), "turn 3: {'lost': '"),
    (states(5, lambda turn: turn.pop("sheets")), "turn 5: {'lost': '"),
    # a digest of standing orders, once named, is named in every turn
    (states(3, lambda turn: turn.pop("standing")), "turn 3: the digest of the standing orders of ['blue'] is left out"),
    (says(7, "standing", {"red": "8" * 64}), "turn 7: the digest of the standing orders of ['blue'] is left out"),
    # an answer has one of the known sources
    *(
        (answers(by), f"turn 4: an answer cannot come from {by}")
        for by in ("the telephone", "sheet 4", "sheet 0", "sheet 03", "sheet", "Standing", "default ", "stand-in", "")
    ),
    (answers("sheet 1", 1), "turn 1: an answer cannot come from sheet 1"),
    # days and rounds never go back, and a round that is known decides nothing new
    (says(4, "day", "2026-11-22"), "turn 4: its day is before that of the turn before"),
    (says(4, "beacon", {"round": 5, "signature": SIGNATURE}), "turn 4: round 5 of the beacon comes after round 6"),
    (says(4, "beacon", {"round": 6, "signature": SIGNATURE}), "turn 4: round 6 of the beacon comes after round 6"),
    (says(3, "late", ["red"]), "turn 3: round 6 of the beacon comes after round 6"),
    (says(3, "beacon", {"round": 6, "missing": "gone"}), "turn 3: round 6 of the beacon comes after round 6"),
    (says(7, "beacon", {"round": 9, "missing": "it is late"}), "turn 7: round 9 of the beacon comes after round 9"),
    (states(4, lambda turn: turn.pop("beacon")), "turn 4: a round of the beacon decides"),
    (says(6, "beacon", {"round": 10, "signature": SIGNATURE}), "turn 6: a round of the beacon decides"),
    # an act has no room for anything that would turn the dice
    (acts(kind="rollback", to=4, sealed="0" * 64), "turn 6: rollback does not have"),
    (acts(kind="rollback"), "turn 6: rollback does not have"),
    (acts(kind="ruling", what="end", side="red"), "turn 6: ruling end does not have"),
    (acts(kind="ruling", what="answer", side="red"), "turn 6: ruling answer does not have"),
    (acts(kind="ruling", what="patch", to=4, sealed="0" * 64), "turn 6: ruling patch does not have"),
    (acts(kind="migration", to=4), "turn 6: migration does not have"),
    (acts(kind="luck"), "turn 6: luck does not have"),
]


@pytest.mark.parametrize(("alter", "why"), FORGED, ids=range(len(FORGED)))
def test_what_a_referee_with_the_keys_forges_is_found(
    tmp_path: Path, alter: Callable[[int, dict[str, Any]], None], why: str
) -> None:
    assert complaint(write(tmp_path, made(alter=alter))).startswith(why)


@pytest.mark.parametrize(
    "act",
    [
        {"kind": "ruling", "what": "answer", "side": "red", "asked": ["siege"], "sealed": "0" * 64},
        {"kind": "ruling", "what": "default", "side": "red", "order": "siege", "sealed": "0" * 64},
        {"kind": "ruling", "what": "patch", "undone": [], "to": 5, "hidden": "0" * 64},
        {"kind": "ruling", "what": "end"},
        {"kind": "migration", "box": "0" * 64, "code": "1" * 64, "changed": [4]},
    ],
    ids=lambda act: act.get("what", act["kind"]),
)
def test_every_act_of_the_game_master_is_known(tmp_path: Path, act: dict[str, Any]) -> None:
    assert complaint(write(tmp_path, made(alter=says(6, "act", {"reason": "so", **act})))) == ""


def test_what_is_worded_freely_turns_no_die(tmp_path: Path) -> None:
    def reword(n: int, turn: dict[str, Any]) -> None:
        turn.get("act", {}).update(reason="other words")
        if "missing" in turn.get("beacon", {}):
            turn["beacon"]["missing"] = "other words"

    turns, honest = made(alter=reword), made()
    assert complaint(write(tmp_path, turns)) == ""
    assert [turn["rolls"] for turn in turns] == [turn["rolls"] for turn in honest]
    assert turns[6]["previous"] != honest[6]["previous"]


@pytest.mark.parametrize("other", [None, 1, 2])
def test_a_game_of_another_format_is_not_checked(tmp_path: Path, other: int | None) -> None:
    """A charter that names no format is from before there were any."""
    others = {word: value for word, value in charter().items() if word != "format"}
    others |= {} if other is None else {"format": other}
    assert complaint(write(tmp_path, [], others)).startswith("not proven: game.yaml: only format 3 is known here")


def test_other_dice_from_the_first_turn_do_not_lead_to_the_tip(tmp_path: Path) -> None:
    """Other dice from the first turn on do not lead to the tip of the chain."""
    assert "turn 1: " in complaint(write(tmp_path, made(Chain(b"d" * 32, 3))))


def test_another_charter_is_not_the_one_of_the_first_turn(tmp_path: Path) -> None:
    other = charter() | {"players": {"red": "Eve"}}
    assert complaint(write(tmp_path, made(), other)).startswith("turn 1: `previous`")


def test_what_is_no_game_is_said_so(tmp_path: Path) -> None:
    assert complaint(tmp_path).startswith(f"game.yaml: {tmp_path / 'game.yaml'} is no file")
    assert complaint(tmp_path / "nothing").startswith("game.yaml: ")
    (tmp_path / "game.yaml").write_text("game: punica", "utf-8")
    assert "cut off" in complaint(tmp_path)


def test_a_turn_or_a_roll_that_is_not_there_is_not_proven(tmp_path: Path) -> None:
    game = write(tmp_path, made())
    assert complaint(game, "7", "1") == ""
    assert complaint(game, "8", "1") == "not proven: there is no turn 8"
    assert complaint(game, "7", "99") == "not proven: turn 7 has no roll 99"


def test_of_a_log_it_says_that_its_digests_are_only_claimed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [turn | {"sha256": sha256(yamlio.dump(turn).encode()).hexdigest()} for turn in made()]
    told = charter() | {"sha256": turns[0]["previous"]}
    (tmp_path / "log.json").write_text(json.dumps({"game": told, "turns": turns}), "utf-8")
    assert complaint(tmp_path / "log.json") == ""
    right, _, beyond = capsys.readouterr().out.partition("Not part of this: ")
    assert "digests" not in right
    assert beyond.startswith("the digests of the files, which a JSON file only claims")


# ---- what it reads


NOT_OURS = (
    "",
    "a: 1",
    "a: 1\na: 2\n",
    "a: {b: 1, b: 2}\n",
    "# remark\na: 1\n",
    "a: 1 # remark\n",
    "a: &x 1\n",
    "a: *x\n",
    "a: !int 1\n",
    "a: yes\n",
    "a: 007\n",
    "a: 0x10\n",
    "a: 1e3\n",
    "a: -0\n",
    "a: Null\n",
    "a: ~\n",
    "a:\n",
    "a:  1\n",
    "a:\t1\n",
    "a: 'x'\n",
    'a: "\\a"\n',
    'a: "x\ty"\n',
    "a: [1,2]\n",
    "a: [1, 2\n",
    "a: 1]\n",
    "a: {b}\n",
    "a: >\n  x\n",
    "a: 1\n b: 2\n",
    "  a: 1\n",
    "a:\n   b: 1\n",
    "- 1\nb: 2\n",
    "a: 1\n\nb: 2\n",
    "a: 1\n---\nb: 2\n",
    "? a\n: 1\n",
    "a: 1.5\n",
    "a: 1234567890123456789\n",
    "1: 2\n",
    "a: x: y\n",
    "a:\nb: 1\n",
    "a: 1\n- b\n",
    "%YAML 1.1\n",
    "a: 1\r\n",
)


@pytest.mark.parametrize("text", NOT_OURS)
def test_what_our_writer_does_not_write_is_refused(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path, [])
    (folder / "game.yaml").write_bytes(text.encode())
    assert complaint(folder).startswith("game.yaml: ")
    assert "KeyError" not in complaint(folder), "it was read"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: " + "1-1 " * 16_000 + "\n", id="what looks like numbers"),
        pytest.param("a: [" + "0, " * 20_000 + "\n", id="a long list"),
        pytest.param("- " * 30_000 + "1\n", id="lists in lists"),
        pytest.param("a: " + "[" * 60_000 + "\n", id="brackets"),
        pytest.param("a: " + "[" * 30_000 + "]" * 30_000 + "\n", id="closed brackets"),
    ],
)
def test_a_hostile_file_is_refused_at_once(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path, [])
    (folder / "game.yaml").write_text(text, "utf-8")
    before = process_time()
    assert complaint(folder).startswith("game.yaml: ")
    assert process_time() - before < 1  # minutes, if it looks at everything from each sign on


def test_a_file_is_read_only_so_deep(tmp_path: Path) -> None:
    folder = write(tmp_path, [])
    for depth, why in ((10, "TypeError"), (100, "it is nested too deep")):
        (folder / "game.yaml").write_text("- " * depth + "1\n", "utf-8")
        assert complaint(folder).startswith(f"game.yaml: {why}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes and devices here")
def test_only_files_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path, made())
    (turn,) = folder.glob("turns/*/0003.yaml")
    for put in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()):
        turn.unlink() if not turn.is_dir() else turn.rmdir()
        put(turn)
        assert complaint(folder).startswith(f"turn 3: {turn} is no file")


WORDS = (
    "a",
    "null",
    "yes",
    "12",
    "-5",
    "007",
    "0x1f",
    "1e5",
    "a b",
    "a: b",
    "x, y",
    "#c",
    "",
    " lead",
    "trail ",
    "é è",
    "\u2028",
    "\U0001f600",
    "a\nb",
    "a\n  b\n",
    "\n",
    "x\n\ny",
    "it's",
    'say "x"',
    "back\\slash",
    "tab\there",
    "- x",
    "-",
    "[x]",
    "{y}",
    "true",
    "~",
    "|",
    "a|b",
    "12 xyz",
    "2 a",
    "<= 3",
    "a:b",
    "\x07",
    "nullify",
    "no way",
    "12a z",
    "--",
    "\u2019",
)


def value(random: Random, depth: int) -> Any:
    """Return a value of any shape that our writer can write."""
    kind = random.random()
    if depth and kind < 0.25:
        return [value(random, depth - 1) for _ in range(random.randint(0, 4))]
    if depth and kind < 0.5:
        return {random.choice(WORDS): value(random, depth - 1) for _ in range(random.randint(0, 4))}
    return random.choice([0, 1, -1, 10**17, None, True, False]) if kind < 0.6 else random.choice(WORDS)


def read(text: str) -> Any:
    """Return what the checker makes of a text."""
    lines = text.split("\n")[::-1]
    assert lines.pop(0) == ""
    found = verify_one.block(lines)
    assert lines == []
    return found


@pytest.mark.slow
def test_it_reads_what_our_writer_writes() -> None:
    random = Random(seed_of())
    tried = 0
    while tried < 3000:
        whole = value(random, 5)
        if isinstance(whole, dict | list) and whole:
            tried += 1
            assert read(yamlio.dump(whole)) == whole


def test_it_agrees_with_us_about_every_file_of_the_sample() -> None:
    paths = [GAMES / ZAMA / "game.yaml", *sorted((GAMES / ZAMA / "turns").rglob("*.yaml"))]
    assert len(paths) > 100
    for path in paths:
        assert read(path.read_text("utf-8")) == yamlio.read(path.read_bytes(), name=path.name).value, path


def test_canonical_is_the_same() -> None:
    for turn in made():
        del turn["rolls"]
        assert verify_one.canonical(turn) == canonical(turn)
    for wrong in (True, None, 1.5):
        with pytest.raises(ValueError, match="cannot go into the dice"):
            verify_one.canonical(["x", {"y": wrong}])


# ---- real games


def test_the_sample_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint(GAMES / ZAMA) == ""
    assert capsys.readouterr().out.startswith("zama: ")


@pytest.mark.parametrize("rules", ["toy", "rome_carthage"])
def test_a_clone_of_a_live_game_is_right_and_so_is_its_log(tmp_path: Path, rules: str) -> None:
    folder = Folder(tmp_path)
    with folder.create(rules) as game:
        for at, _ in enumerate(play(game, 3, 300)):
            if at > 20 and any("rolls" in game.ledger.public_turn(n) for n in range(1, game.adjudication + 1)):
                break
    clone = tmp_path / "clone"
    git(folder.repo("punica"), "clone", "-q", str(folder.repo("punica")), str(clone))
    assert complaint(clone) == ""
    told = published(repo_of(folder.games, str(clone)))
    log: dict[str, Any] = {"game": told.charter.whole, "turns": [turn.whole for turn in told.turns]}
    assert len(log["turns"]) > 10
    (tmp_path / "log.json").write_text(json.dumps(log), "utf-8")
    assert complaint(tmp_path / "log.json") == ""
    with_roll = next(turn for turn in log["turns"] if turn.get("rolls"))
    with_roll["rolls"][0]["faces"] = other_face(with_roll["rolls"][0]["faces"])
    (tmp_path / "log.json").write_text(json.dumps(log), "utf-8")
    assert complaint(tmp_path / "log.json").startswith(f"turn {with_roll['adjudication']}: roll 1")


# ---- a sceptic reads it


def test_it_is_short_and_needs_only_the_standard_library() -> None:
    text = SOURCE.read_text("utf-8")
    assert len(text.splitlines()) <= 220
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module or "")
    assert imported <= sys.stdlib_module_names


def test_it_runs_alone_and_tells_by_its_exit_code(tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(SOURCE, alone)
    turns = made()
    words = [sys.executable, "-I", "-S", str(alone / SOURCE.name)]
    good = subprocess.run([*words, str(write(tmp_path / "good", turns))], capture_output=True, text=True, cwd=tmp_path)
    assert (good.returncode, good.stderr) == (0, "")
    turns[3]["rolls"][0]["faces"] = [7]
    bad = subprocess.run([*words, str(write(tmp_path / "bad", turns))], capture_output=True, text=True, cwd=tmp_path)
    assert bad.returncode == FAULTS
    assert bad.stderr.startswith("broken: turn 4: roll 1")
