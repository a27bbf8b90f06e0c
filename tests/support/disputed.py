"""Games about which there is a dispute, and rules that are wrong on purpose: for the tests of what settles disputes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from pbem.cli.verbs import app
from pbem.game.boxes import shelf
from pbem.game.boxes.box import box_folder
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.live import SECRETS, Folder, give, order, play, sheet
from tests.support.walks import FOLDERS

RETREAT_TABLE = "".join(
    f"  - [{row}]\n" for row in ("0, 1", "1, 2", "1, 2", "2, 3", "2, 3", "2, 4", "3, 5", "all, all")
)
OTHER_TABLE = "  - [0, 0]\n" * 8
"""Another table of retreats, by which nobody loses anything."""
STRENGTHS = [strength for strength in range(1, 7) for _ in range(5)]
STRONGER = {str(STRENGTHS): str([strength + 1 for strength in STRENGTHS])}
"""A change of the box of Three Hills: what cards are worth."""


@dataclass(frozen=True)
class Assault:
    """The assault of Blue on a hill of Red, which was repulsed in adjudication 5."""

    hill: str
    card: int
    face: int
    attack: int
    guards: int

    @property
    def name(self) -> str:
        return f"assault/{self.hill}"

    @property
    def aim(self) -> str:
        return f"assault on {self.hill.title()} Hill"

    @property
    def changes(self) -> str:
        return f"+{self.attack} attack -{self.guards} guards"

    @property
    def total(self) -> int:
        return self.face + self.attack - self.guards


def run(code: int, *words: object) -> str:
    """Run the command line, which must end with a code, and return what it printed."""
    result = CliRunner().invoke(app, [*map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def told(code: int, *words: object) -> Any:
    """Run the command line with --json and return what it printed."""
    return json.loads(run(code, *words, "--json"))


@dataclass(frozen=True)
class Rout:
    """The first rout of a game: where it was rolled for, and the last adjudication, somewhat later."""

    turn: int
    roll: int
    last: int


_KEPT = tempfile.TemporaryDirectory()


def assaulted(folder: Folder) -> Assault:
    """Make the game of `_assaulted` in a folder."""
    made, found = _assaulted()
    shutil.copytree(made.path, folder.path, dirs_exist_ok=True)
    return found


def routed(folder: Folder) -> Rout:
    """Make the game of `_routed` in a folder."""
    made, found = _routed()
    shutil.copytree(made.path, folder.path, dirs_exist_ok=True)
    return found


@cache
def _assaulted() -> tuple[Folder, Assault]:
    """Play Three Hills until an assault was repulsed that a 6 would have carried, by adjudication 5; then both bid."""
    folder = Folder(Path(_KEPT.name) / "assaulted")
    for number in count(1):
        with folder.create(scenario="siege", secrets=replace(SECRETS, hidden=bytes([number] * 32))) as game:
            for kind, card in (("bury", 0), ("bid", 1)):
                for side in ("red", "blue"):
                    give(game, side, order(kind, card=hand(game, side)[card]))
            quiet = not any("rolls" in game.ledger.public_turn(n) for n in range(1, game.adjudication + 1))
            if quiet and game.view(None).lead == "blue":
                hill, card = game.view("blue").targets("blue")[0], hand(game, "blue")[0]
                give(game, "blue", order("assault", hill=hill, card=card))
                give(game, "red", order("react", card="none"))
                (rolled,) = game.ledger.public_turn(5)["rolls"]
                changes = rolled["modifiers"]
                found = Assault(hill, card, rolled["faces"][0], changes["attack"], -changes["guards"])
                if not rolled["success"] and found.total - found.face >= -1:
                    for side in ("red", "blue"):
                        give(game, side, order("bid", card=hand(game, side)[-1]))
                    return folder, found
        shutil.rmtree(folder.games)
        shutil.rmtree(folder.keys)
    raise AssertionError


def hand(game: Adjudicator, side: str) -> list[int]:
    """Return the cards of a side."""
    cards: list[int] = game.view(side).hands[side]
    return cards


@cache
def _routed() -> tuple[Folder, Rout]:
    """Play Rome and Carthage by standing orders until an army has been routed, and somewhat on."""
    folder = Folder(Path(_KEPT.name) / "routed")
    for seed in count(1):
        with folder.create("rome_carthage", scenario="melee") as game:
            for side in game.rules.sides:
                receipt = game.receive(side, sheet(game, side).replace(b"orders:\n", b"standing: default\n"))
                assert receipt.number is not None, str(receipt)
            seen: list[tuple[int, int]] = []
            more = 2
            for _ in play(game, seed, 60):
                seen = seen or list(_routs(game))
                if seen and not _fit_for_dispute(game, seen[0][0]):
                    break
                more -= bool(seen)
                if not more:
                    return folder, Rout(*seen[0], game.adjudication)
        shutil.rmtree(folder.games)
        shutil.rmtree(folder.keys)
    raise AssertionError


def _routs(game: Adjudicator) -> Iterator[tuple[int, int]]:
    """Yield adjudication and number of each roll for a rout that costs something."""
    for n in range(1, game.adjudication + 1):
        for roll in game.ledger.public_turn(n).get("rolls", ()):
            if roll["name"].endswith("/retreat") and roll["total"] > 0:
                yield n, roll["number"]


def _fit_for_dispute(game: Adjudicator, n: int) -> bool:
    """Tell whether an adjudication has a long battle, and does not ask where the routed army goes.

    That such an army has other CU would show in the question first.
    """
    turn = game.ledger.public_turn(n)
    answers = turn.get("answers", ())
    retreat = any(each["kind"] == "retreat" for each in (*turn["open_decisions"], *answers))
    return len(answers) > 7 and not retreat


def other_box(id: str, folder: Path, file: str, changes: Mapping[str, str]) -> Path:
    """Copy a box into a folder of boxes, with changes in one of its files, and return that folder."""
    shutil.copytree(box_folder(id, FOLDERS), folder / id)
    path = folder / id / file
    text = path.read_text("utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, "utf-8")
    shelf.load(id, folders=[folder])
    return folder


def forged(folder: Folder, path: str, old: bytes, new: bytes) -> None:
    """Change a file of a game after the fact."""
    with folder.open() as game:
        content = game.ledger.repo.read(path)
        assert content is not None
        assert old in content, content
        game.ledger.repo.commit({path: content.replace(old, new)}, "a forgery")
