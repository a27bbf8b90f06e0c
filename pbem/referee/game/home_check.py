"""The home check: the file that a player takes home, and the check of a sheet with nothing but that.

It is the same check as at the referee's, and finds the same faults.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pbem.crypto.player_chains import PlayerChain
from pbem.engine.faults import costs_in_sequence, every_fault, faults_in_sequence, second_answers
from pbem.game import plain
from pbem.game.boxes import shelf
from pbem.game.boxes.box_file import Correction
from pbem.game.boxes.shelf import Loaded
from pbem.game.yaml import by_place
from pbem.orders.check import OpenDecisions, Receipt, check_sheet
from pbem.orders.forgive import Known, forgive
from pbem.orders.said.words_reader import reader_of
from pbem.orders.sheet import BadSheet, Sheet, check_heading
from pbem.protocol import Decision, Side
from pbem.referee.game.open_game import CannotPlay, Now, OpenGame
from pbem.repo.files.records import as_plain, decision_record, read_decision
from pbem.repo.git import GameRepo
from pbem.repo.public import charter_in, corrections_in, last_turn, position_in

if TYPE_CHECKING:
    from pbem.game.prospects import Prospect

Folders: TypeAlias = Iterable[str | Path]
_UNFIT = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def take_home(game: OpenGame, side: Side) -> dict[str, Any]:
    """Return all that a player needs to check a sheet at home: their view of the position, and their decisions.

    Decisions for which an answer is at hand are among them, because a new sheet may still replace it.
    """
    known = {**home(game, game.current(), side), "sealed_to": game.charter.sealed_to}
    known |= {"corrected": corrected} if (corrected := _corrected(game)) else {}
    return {**known, **({"out": True} if side in game.out else {})}


def home(game: OpenGame, now: Now, side: Side) -> dict[str, Any]:
    """Return what the view in a repo holds, for a game as it stands or is about to stand; corrected files lie there."""
    if now.session is None or now.state is None:
        raise CannotPlay(f"{game.name} has not begun")
    view = game.rules.view(now.session.position, side)
    chain = game.player_chain(side, now)
    return {
        "game": game.name,
        "side": side,
        "adjudication": now.state.adjudication,
        "rules": game.charter.rules,
        "edition": game.charter.edition,
        "options": dict(game.charter.options),
        "box": (now.state.pins or {}).get("box", game.ledger.pins.box),
        "position": as_plain(game.rules.encode(view)),
        "open_decisions": [
            decision_record(decision) for decision in now.session.open_decisions if decision.side == side
        ],
        **({} if chain is None else {"player_chain": plain.encode(chain)}),
    }


def _corrected(game: OpenGame) -> dict[str, str]:
    """Return the corrected files that the game keeps: a player at home needs them to check a sheet."""
    return {name: each.text.decode("utf-8") for name, each in game.ledger.corrections().items()}


@dataclass(slots=True)
class Home:
    """The content of a report's `position.json`: the view of one side, and its open decisions."""

    game: str
    side: Side
    adjudication: int
    loaded: Loaded
    view: Any
    open_decisions: Sequence[Decision]
    chain: PlayerChain | None = None
    out: bool = False
    """Whether the side is out of the game."""

    def check(self, raw: bytes, name: str) -> tuple[Receipt, Sheet | None]:
        """Check a sheet; the sheet is None if it has faults."""
        rules = self.loaded.rules
        at = OpenDecisions(
            box=self.loaded.box,
            game=self.game,
            sides=rules.sides,
            side=self.side,
            adjudication=self.adjudication,
            decisions=self.open_decisions,
            faults=partial(every_fault, rules, self.view),
            further=partial(faults_in_sequence, rules, self.view),
            second=partial(second_answers, rules, self.view),
            costs=partial(costs_in_sequence, rules, self.view),
            periods=tuple(rules.periods(self.view)),
            words=partial(reader_of, rules, self.loaded.box, self.view, self.open_decisions),
            chain=self.chain,
            out=self.out,
            out_by=self.loaded.box.out_rule if self.side in rules.out(self.view) else "",
        )
        return check_sheet(at, raw, name=name)


def check_at_home(enclosed: Path, raw: bytes, name: str, folders: Iterable[str | Path] = ()) -> Receipt:
    """Check a sheet against the file `position.json` of a report.

    Raises CannotPlay if the file cannot be used, or was made with other rules than those here.
    """
    with _at_home(enclosed, folders) as home:
        return home.check(raw, name)[0]


def check_in_clone(
    repo: GameRepo, view: bytes | None, side: Side, raw: bytes, name: str, folders: Folders = ()
) -> Receipt:
    """Check a sheet against a clone of a game's repo, and the opened view of its side, if that can be read.

    Without the view, only the form of the sheet is checked, and its heading. Which decisions are open to a side is not
    public as a whole, so that any order may answer one. Raises CannotPlay if the view cannot be used, or the game is
    played with other rules than those here.
    """
    if view is not None:
        with _at_home(_Text(view), folders, corrections_in(repo)) as home:
            return home.check(raw, name)[0]
    charter = charter_in(repo)
    loaded = shelf.load(
        charter.rules, edition=charter.edition, options=charter.options, folders=folders, kept=corrections_in(repo)
    )
    periods = tuple(loaded.rules.periods(loaded.rules.decode(position_in(repo))))
    try:
        read = forgive(raw, Known(loaded.box, periods), name=name)
    except BadSheet as bad:
        return Receipt(side, name, bad.lines, by_place(bad.complaints))
    number = last_turn(repo).get("adjudication", 0)
    faults = check_heading(read.sheet, game=charter.game, side=side, adjudication=number, sides=loaded.rules.sides)
    complaints = by_place(map(read.sheet.placed, faults))
    return Receipt(side, name, read.sheet.document.lines, complaints, canonical=read.text, changes=read.changes)


def forecast_at_home(
    enclosed: Path, raw: bytes, name: str, folders: Iterable[str | Path] = ()
) -> tuple[Receipt, Home, list[Prospect]]:
    """Check a sheet against `position.json` and, if it has no faults, forecast it. Raises CannotPlay."""
    from pbem.engine.forecast import of_sheet  # odds are for who asks for them

    with _at_home(enclosed, folders) as home:
        receipt, sheet = home.check(raw, name)
        found = [] if sheet is None else of_sheet(home.loaded.rules, home.view, home.open_decisions, sheet.orders)
        return receipt, home, found


class _Text:
    """A view that was sealed in a game's repo, in place of the file that came with a report."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read_text(self, encoding: str) -> str:
        """Return its text."""
        return self._content.decode(encoding)

    def __str__(self) -> str:
        return "the view in the clone"


@contextmanager
def _at_home(
    enclosed: Path | _Text, folders: Folders, corrected: Mapping[str, Correction] | None = None
) -> Iterator[Home]:
    """Open the file that came with a report, or the view in a clone with the `corrected` files of its box.

    The rules trust a position. One that was tampered with may make them fail only later, while it is used.
    """
    try:
        here = json.loads(enclosed.read_text("utf-8"))
        told = here.get("corrected", {}).items()
        kept = corrected or {name: Correction(f"{name}.yaml", text.encode()) for name, text in told}
        loaded = shelf.load(here["rules"], edition=here["edition"], options=here["options"], folders=folders, kept=kept)
        if loaded.box.digest != here["box"]:
            raise CannotPlay(f"{here['game']} is played with another version of the rules of {loaded.box.title}")
        waiting = [read_decision(record) for record in here["open_decisions"]]
        view = loaded.rules.decode(here["position"])
        chain = plain.decode(PlayerChain, here["player_chain"]) if "player_chain" in here else None
        of = str(here["game"]), str(here["side"]), int(here["adjudication"])
        yield Home(*of, loaded, view, waiting, chain, out=here.get("out") is True)
    except _UNFIT as wrong:
        raise CannotPlay(f"{enclosed} is not the file that came with a report: {wrong}") from wrong
