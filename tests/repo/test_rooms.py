"""Rooms of sealed files: their sizes follow from public facts, and no honest content exceeds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pbem.crypto.seal import Sealing, padded
from pbem.game.order_form import LONGEST, MOST, compact
from pbem.game.yaml import LETTER
from pbem.protocol import Order, Record
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import STANDING_ROOM, sheet_path, sheet_room
from pbem.repo.git import GameRepo
from tests.support.live import Folder, pick, rooms, sheet
from tests.support.soak import quick_first

REAL = ("rome_carthage", "hannibal_italy")


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Put on record every content that exceeds the room that public facts give it."""
    exceeded: list[str] = []
    seal = Sealing.seal

    def watched(self: Sealing, path: str, content: bytes, public: int = 0, recipient: str | None = None) -> bytes:
        if path != "sealed/players.age" and len(padded(path, content, public=public)) > len(
            padded(path, b"", public=public)
        ):
            exceeded.append(f"{path}: {len(content)} bytes for {public}")
        return seal(self, path, content, public, recipient)

    monkeypatch.setattr(Sealing, "seal", watched)
    yield exceeded
    assert not exceeded


def longest_orders(game: Adjudicator, first: list[Order]) -> list[Order]:
    """Return orders that take as much as a sheet may leave with the referee, beginning with some legal ones."""
    orders, forms = list(first), game.box.forms
    others = [Order(kind, form.example) for kind, form in forms.items() if kind not in {each.kind for each in first}]
    longest = max(others, key=lambda each: len(compact({each.kind: each.written})))
    while len(orders) < MOST:
        more = longest
        if len(compact([{each.kind: each.written} for each in [*orders, more]])) > LONGEST:
            break
        orders.append(more)
    return orders


def longest_standing(game: Adjudicator, kind: str) -> bytes:
    """Return standing orders that take as much as a side may leave, none of which ever answers."""
    fact = next(iter(game.box.forms[kind].facts))
    one = len(compact([{kind: "default", "when": {fact: ""}}]))
    length = LONGEST // MOST - one
    items = "".join(f"- {kind}: default\n  when: {{{fact}: {n:0{length}d}x}}\n" for n in range(MOST))
    return f"standing:\n{items}".encode()


def filled(text: bytes) -> bytes:
    """Return a sheet that is as long as one may be: the rest is a comment."""
    return text + b"#" * (LETTER.size - len(text))


def stuffed(game: Adjudicator, random: Random) -> None:
    """Play some turns in which every sheet is the longest, with the longest standing orders of all sides."""
    for side in game.rules.sides:
        kind = next(kind for kind, form in game.box.forms.items() if form.facts)
        heading = sheet(game, side).replace(b"orders:\n", b"")
        receipt = game.receive(side, filled(heading + longest_standing(game, kind)))
        assert receipt.number is not None, str(receipt)
    for _ in range(12):
        for side in {each.side for each in game.open_decisions}:
            first = [pick(game, each, random) for each in game.open_decisions if each.side == side]
            orders = longest_orders(game, first)
            receipt = game.receive(side, filled(sheet(game, side, *orders)))
            if receipt.number is None:  # more orders of the kind are not legal one after the other
                receipt = game.receive(side, filled(sheet(game, side, *first)))
            assert receipt.number is not None, str(receipt)
        game.adjudicate()


@pytest.mark.parametrize("rules", quick_first([*REAL, "five"]))
def test_the_longest_of_all_sides_at_once_has_room(rules: str, folder: Folder, sealed: list[str]) -> None:
    """The longest legal sheets and standing orders of all sides at once exceed no room."""
    with folder.create(rules) as game:
        stuffed(game, Random(3))
        assert game.adjudication > 3


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*REAL, "toy", "five"])
def test_games_between_bots_exceed_no_room(rules: str, folder: Folder, sealed: list[str]) -> None:
    """Games as they are played exceed no room."""
    with folder.create(rules) as game:
        random = Random(11)
        for _ in range(60):
            if not game.open_decisions:
                break
            side = game.open_decisions[0].side
            orders = [pick(game, each, random) for each in game.open_decisions if each.side == side]
            assert game.receive(side, sheet(game, side, *orders)).number is not None
            game.adjudicate()


def test_sizes_do_not_tell_how_much_a_side_has_left(tmp_path: Path) -> None:
    """Two games that differ only in how much a side has left with the referee have the same sizes throughout."""
    seen = []
    for much in (False, True):
        with Folder(tmp_path / str(much)).create("rome_carthage") as game:
            side = game.open_decisions[0].side
            heading = sheet(game, side).replace(b"orders:\n", b"")
            kind = next(kind for kind, form in game.box.forms.items() if form.facts)
            standing = longest_standing(game, kind) if much else b"standing: []\n"
            assert game.receive(side, filled(heading + standing) if much else heading + standing).number is not None
            first = [pick(game, each, Random(1)) for each in game.open_decisions if each.side == side]
            more: list[Order] = longest_orders(game, first)[len(first) :] if much else []
            more = [each for each in more if each.kind not in {one.kind for one in first}]
            text = sheet(game, side, *first, *more)
            receipt = game.receive(side, filled(text) if much else text)
            assert receipt.number is not None, str(receipt)
            game.adjudicate()
            repo = game.ledger.repo
            assert isinstance(repo, GameRepo)
            sheets = [sheet_path(side, n) for n in (1, 2)]  # of a sheet the room tells a rough length
            seen.append(
                [
                    {
                        path: size
                        for path, size in rooms(repo, each.sha).items()
                        if path.endswith(".age") and path not in sheets
                    }
                    for each in repo.history()
                ]
            )
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("orders:\n" + "- bury: {card: 3}\n" * (MOST + 1), f"{MOST + 1} orders are too many: at most {MOST} are kept"),
        (
            "standing:\n" + "- react: {card: none}\n" * (MOST + 1),
            f"{MOST + 1} standing orders are too many: at most {MOST} are kept",
        ),
        (
            "standing:\n" + f"- react: {{card: none, when: {{side: [{'x' * 400}]}}}}\n" * 20,
            "these standing orders take ",
        ),
        ("#" * LETTER.size, "at most 16,384 are read"),
    ],
)
def test_more_than_is_kept_is_refused(part: str, reason: str, toy: Adjudicator) -> None:
    """A sheet that leaves more with the referee than there is room for is refused, and says why."""
    text = sheet(toy, "red").replace(b"orders:\n", part.encode())
    receipt = toy.receive("red", text)
    assert receipt.number is None
    assert reason in str(receipt)


def test_standing_orders_are_counted_with_those_in_force(toy: Adjudicator) -> None:
    """Standing orders that are added count together with those in force."""
    items = "- react: {card: none}\n" * (MOST // 2 + 1)
    for number, key in enumerate(("standing", "standing_add")):
        text = sheet(toy, "red").replace(b"orders:\n", f"{key}:\n{items}".encode())
        receipt = toy.receive("red", text)
        assert (receipt.number is None) == bool(number), str(receipt)
    assert "standing orders are too many" in str(receipt)


def test_rooms_hold_the_names_beside_the_longest_orders() -> None:
    """The room holds what is kept beside standing orders: their names, and the period they were filed in."""
    written = len(compact({"": {}}))
    filed: Record = {"by": f"standing {MOST} of sheet 99999", "kind": "", "order": {}, "after": 99999, "period": 999}
    assert LONGEST + MOST * (len(compact(filed)) - written) <= STANDING_ROOM


@pytest.mark.parametrize(("length", "room"), [(1, 2), (1900, 2), (2000, 4), (5000, 8), (8100, 17), (LETTER.size, 17)])
def test_the_room_of_a_sheet_tells_its_length_roughly(length: int, room: int) -> None:
    assert len(padded("sheets/red/000/0001.age", bytes(length), public=sheet_room(length))) == room * 1024
