"""How a turn or a die came about, told as prose, and to nobody more than they may know."""

from __future__ import annotations

import hmac
from importlib import import_module
from struct import unpack
from typing import Any

import pytest

from pbem.audit.explain.explain import WIDTH, Explained
from pbem.cli.runtime import DONE, USAGE, WORLD
from pbem.crypto.dice import canonical, step_key
from pbem.game.wording import listing
from pbem.protocol import Order
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.opening import open_to_read
from tests.support.disputed import Assault, routed, run
from tests.support.live import Folder, give, order, play, sheet
from tests.support.walks import FOLDERS, loaded

pytestmark = pytest.mark.usefixtures("in_the_folder")


def explained(folder: Folder, n: int, roll: int | None = None, side: str | None = None) -> str:
    with open_to_read(folder.games, folder.keys, "punica", folders=FOLDERS) as game:
        told = Explained(game, n, side)
        return "\n".join(told.turn() if roll is None else told.roll(roll)) + "\n"


HALVED = ("link", "inputs", "key")
READERS = (None, "rome", "carthage")

DIE = """\
punica, die 5.1

The roll: {a.aim}, with 1 die, by rule 5.
  die   {a.face}
  +{a.attack}    attack
  -{a.guards}    guards
  sum   {a.total}
  need  >= 5: a failure

HOW IT CAME TO THIS
Turn 4: Blue was asked "Which hill do you assault?" by
rule 5. Its sheet 3 said:
  - assault: {{hill: {a.hill}, card: {a.card}}}
Red was asked "Do you play a card in defence?" by rule 6.
Its sheet 3 said:
  - react: {{card: none}}

THE NUMBERS
The dice of turn 5 come from the link that it opened and
from all its inputs. With HMAC by SHA-256, the link gives
the key of the turn out of ["chain-v2", "punica", 5,
inputs]; the key gives the numbers out of ["faces", name,
0].
  link   {link[0]}
         {link[1]}
  inputs {inputs[0]}
         {inputs[1]}
  key    {key[0]}
         {key[1]}
  name   {a.name}
  {draw} leaves {left} when divided by 6: face {a.face}
To check it without pbem: python verify_one.py REPO 5 1

WHAT IT LED TO
The {a.aim} is repulsed.
The turn ends with a question to Red, "Which card do you bid
for the lead?" and Blue, "Which card do you bid for the
lead?"
"""

TURN = """\
punica, turn 5

Red was asked "Do you play a card in defence?" by rule 6.
Its sheet 3 said:
  - react: {{card: none}}
Red answers with no card.
    {a.aim}: {a.face} {a.changes} = {a.total} (needs
      >= 5, rule 5) [die 5.1]
The {a.aim} is repulsed.

The turn ends with a question to Red, "Which card do you bid
for the lead?" and Blue, "Which card do you bid for the
lead?"
"""


def test_a_die_is_told_from_its_orders_to_what_it_led_to(hills: Folder, assault: Assault) -> None:
    with hills.open() as game:
        public = game.ledger.public_turn(5)
    text = explained(hills, 5, 1)
    key = step_key(public["link"], "punica", 5, public["inputs"]).hex()
    halves = {word: (value[:32], value[32:]) for word, value in (("key", key), *public.items()) if word in HALVED}
    draw = next(line.split()[0] for line in text.splitlines() if " leaves " in line)
    assert text == DIE.format(a=assault, draw=draw, left=assault.face - 1, **halves)
    assert run(DONE, "explain", "punica", 5, 1) == text


def test_a_turn_is_told_answer_by_answer(hills: Folder, assault: Assault) -> None:
    text = explained(hills, 5)
    assert text.split() == TURN.format(a=assault).split()
    assert run(DONE, "explain", "punica", 5) == text


def test_the_numbers_lead_to_the_faces(hills: Folder, assault: Assault) -> None:
    lines = explained(hills, 5, 1).splitlines()
    words: dict[str, str] = {}
    for word in ("link", "inputs", "key"):
        at = next(at for at, line in enumerate(lines) if line.startswith(f"  {word} "))
        words[word] = lines[at].split()[1] + lines[at + 1].strip()
    content = b"l8:chain-v26:punicai5e64:" + words["inputs"].encode() + b"e"
    assert hmac.digest(bytes.fromhex(words["link"]), content, "sha256").hex() == words["key"]
    block = hmac.digest(bytes.fromhex(words["key"]), canonical(["faces", assault.name, 0]), "sha256")
    (number, *_) = unpack(">16H", block)
    assert f"{number} leaves {number % 6} when divided by 6: face {number % 6 + 1}" in "\n".join(lines)


def test_battle_is_told_with_standing_orders_rules_and_next_die(folder: Folder) -> None:
    """A battle is told with standing orders, the paragraphs of the rules and the next die."""
    rout = routed(folder)
    text = explained(folder, rout.turn, rout.roll)
    flat = " ".join(text.split())
    assert "The roll: rout of " in text
    assert "by rule 11.10 (the retreat table)." in flat
    assert "by rule 7.2 (one use of a card, and the cards that have both). Its sheet" in flat
    assert "more answers ..." in flat
    assert "A standing order answered:" in flat
    before = explained(folder, rout.turn, rout.roll - 1).splitlines()[-4:]
    assert any(line.startswith("Then ") for line in before), before
    assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.slow
def test_no_turn_is_told_in_lines_that_are_too_long(folder: Folder) -> None:
    for n in range(1, routed(folder).last + 1):
        for reader in READERS:
            assert max(map(len, explained(folder, n, side=reader).splitlines())) <= WIDTH + 4


def test_a_side_is_told_which_of_its_own_standing_orders_it_was(folder: Folder) -> None:
    n = routed(folder).turn
    told = {reader: " ".join(explained(folder, n, side=reader).split()) for reader in READERS}
    assert "of the default set answered:" in told["rome"] + told["carthage"]
    assert told["rome"] != told["carthage"]
    assert "of the default set" not in told[None]
    assert "A standing order answered:" in told[None]


def test_what_is_not_published_yet_is_told_to_its_side_alone(reacting: Folder) -> None:
    with reacting.open() as game:
        lead, enemy = game.view(None).lead, game.open_decisions[0].side
    assert "- assault:" in explained(reacting, 4, side=lead)
    for reader in (None, enemy):
        text = explained(reacting, 4, side=reader)
        assert "- assault:" not in text
        assert "was asked" not in text


def test_secret_answers_and_hands_are_told_to_their_side_alone(hills: Folder) -> None:
    assert "- bury:" in explained(hills, 2, side="red")
    for reader in (None, "blue"):
        assert "Red was asked" not in explained(hills, 2, side=reader)
    assert "Your hand" in explained(hills, 1, side="blue")
    assert "Your hand" not in explained(hills, 1)


def test_turn_the_rules_now_play_otherwise_is_told_as_recorded(
    hills: Folder, assault: Assault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that the rules here play otherwise is told as it stands on record."""
    toy: Any = import_module(type(loaded("toy").rules).__module__)

    def broken(game: Any, table: Any) -> Any:
        yield from ()
        raise KeyError

    monkeypatch.setitem(toy.PHASES, "assault", broken)
    text = explained(hills, 5, 1)
    assert "The rules here do not play this turn as recorded" in text
    assert "- react: {card: none}" in text
    assert f"The {assault.aim} is repulsed." in text
    assert f"  sum   {assault.total}\n" in text
    assert "- react: {card: none}" in explained(hills, 5)


def test_what_is_not_there_is_said(hills: Folder) -> None:
    assert "punica has turns 1 to 6, not 9" in run(WORLD, "explain", "punica", 9)
    assert "turn 5 has no roll 2; it has 1" in run(WORLD, "explain", "punica", 5, 2)
    assert "turn 4 has no roll 1; it has none" in run(WORLD, "explain", "punica", 4, 1)
    assert "has no side green" in run(USAGE, "explain", "punica", 5, "--side", "green")
    with pytest.raises(CannotPlay):
        explained(hills, 0)


@pytest.mark.slow
def test_every_turn_and_die_of_a_random_game_can_be_explained(folder: Folder) -> None:
    with folder.create("rome_carthage", scenario="melee") as game:
        for side in game.rules.sides:
            game.receive(side, sheet(game, side).replace(b"orders:\n", b"standing: default\n"))
        for _ in play(game, 2, 25):
            pass
    dice = 0
    with open_to_read(folder.games, folder.keys, "punica", folders=FOLDERS) as opened:
        for n in range(1, opened.adjudication + 1):
            for reader in READERS:
                told = Explained(opened, n, reader)
                assert told.traced
                assert told.turn()[0] == f"punica, turn {n}"
                for number in range(1, len(opened.ledger.adjudication(n).rolls) + 1):
                    assert told.roll(number)
                    dice += 1
    assert dice


def test_windows_that_nobody_answers_are_told_in_one(folder: Folder) -> None:
    """After a march the four others may lend a card, one after another, and none of them has said anything."""
    with folder.create("five") as game:
        for side in game.rules.sides:
            give(game, side, order("bid", card="lowest"))
        marcher = game.view(None).to_march[0]
        view = game.view(marcher)
        chosen = order("march", to=view.targets(marcher)[0], card=view.hands[marcher][0])
        give(game, marcher, chosen)
        near = list(dict.fromkeys(each.side for each in game.open_decisions))
        for side in near:
            asked = [each for each in game.open_decisions if each.side == side]
            give(game, side, *[Order(each.kind, {"guards": 0}, each.about) for each in asked])
        n = game.adjudication
        answers = game.ledger.adjudication(n).answers
        windows = [each for each in answers if each.kind == "aid"]
        assert [each.by for each in windows] == ["default"] * 4
        names = listing(next(one["name"] for one in game.box.sides if one["id"] == each.side) for each in windows)
    told = " ".join(explained(folder, n).split())
    assert f'{names} were each asked "Do you lend a card to one of them?" by rule 7. None of them had given' in told
    assert told.count("- aid: {card: none}") == 1
