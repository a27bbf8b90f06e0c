"""The branch of a game before one of its adjudications: a scratch repo with secrets of its own, for what-if.

A branch opens no link of the game's chain and needs none of the secrets that make dice. A roll falls as given, if dice
were given for its name. Otherwise it falls as it did on record. Rolls that are neither given nor on record use dice
that are made for the branch and are the same each time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from pbem.audit.playback import Playback
from pbem.crypto.dice import Dice, LoadedDice, SeededDice
from pbem.crypto.keys import Keys
from pbem.crypto.seal import recipient_of
from pbem.crypto.signing import public_key
from pbem.engine.session import BY_BOT, BY_DEFAULT, Session, resume
from pbem.orders.check import Receipt
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.now import Now
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.repo.adjudication import Adjudication
from pbem.repo.charter import Pins, promise
from pbem.repo.layout import POSITION, turn_path
from pbem.repo.ledger import Ledger
from pbem.repo.state import State

_LINK: Final = re.compile(rb"(?m)^link:.*$")


class RecordedWindow:
    """Dice that fall as in some recorded turns, roll by roll name, and otherwise as other dice do."""

    def __init__(self, turns: Sequence[Adjudication], otherwise: Dice) -> None:
        self._rolls = {roll.name: roll for turn in reversed(turns) for roll in turn.rolls}
        self._draws = {draw.name: draw for turn in reversed(turns) for draw in turn.draws}
        self._otherwise = otherwise
        self._adjudications = 0
        self.fresh: list[str] = []
        """The names of the rolls that are not on record, or were made with other dice."""

    def reseed(self, step_key: bytes) -> None:
        """Reseed the dice that are not on record, by the number of adjudications and without any key."""
        self._adjudications += 1
        self._otherwise.reseed(b"%d" % self._adjudications)

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        """Return the faces on record, once; after that, and for other dice, new ones."""
        then = self._rolls.pop(name, None)
        if then is not None and (len(then.faces), then.sides) == (count, sides):
            return list(then.faces)
        self.fresh.append(name)
        return self._otherwise.faces(name, count, sides)

    def shuffled(self, name: str, items: Sequence[Any]) -> list[Any]:
        """Return the order on record if the same items are shuffled; otherwise a new one."""
        then = self._draws.pop(name, None)
        if then is not None and list(then.items) == list(items):
            return list(then.order)
        return self._otherwise.shuffled(name, items)


class Branch(Adjudicator):
    """A game in a scratch repo that starts where another stood before one of its adjudications."""

    branched_before: int
    dice: LoadedDice
    recorded_window: RecordedWindow
    late: frozenset[Side] = frozenset()
    absent: frozenset[Side] = frozenset()

    @classmethod
    def of(
        cls, game: OpenGame, n: int, folder: Path, *, faces: Mapping[str, Sequence[int]], window: Sequence[Adjudication]
    ) -> Branch:
        """Make the branch of a game before adjudication n in an empty folder; the caller closes it.

        `faces` are dice by the names of rolls, `window` the turns whose dice fall as they did. Raises CannotPlay for
        an adjudication that was not made, or in which nothing was played.
        """
        playback = Playback(game)
        if not 1 < n <= playback.last:
            raise CannotPlay(f"{game.name} can be branched before adjudications 2 to {playback.last}, not {n}")
        if (act := playback.public(n).get("act")) is not None:
            raise CannotPlay(f"adjudication {n} is a {act['kind']} of the game master; choose one that was played")
        state = _before(playback, n)
        try:
            position = game.rules.decode(state.checkpoint)
        except (ValueError, TypeError, LookupError) as wrong:
            raise CannotPlay(f"the rules here cannot read the position on record: {wrong}") from wrong
        then = resume(game.rules, position, state.steps, playback.dice)
        branch = cls(_scratch(game, playback, n, state, folder), game.loaded)
        branch.branched_before = n
        branch.today = date.min  # the standing orders in force were in force then, whatever day it was
        branch.recorded_window = RecordedWindow(window, SeededDice(f"what if, {game.name}, {n}"))
        branch.dice = then.table.dice = LoadedDice(faces, None, branch.recorded_window)
        branch.late, branch.absent = _away(then, window[0])
        branch.take_up(Now(branch.ledger.head, branch.ledger.state(), then, branch.dice))
        return branch

    @property
    def position(self) -> Any:
        """The whole current position. Do not change it."""
        return self.session.position

    def put_in(self, side: Side, raw: bytes, name: str) -> Receipt:
        """Check a sheet and, if it has no faults, let it replace the side's sheet on record."""
        self.late, self.absent = self.late - {side}, self.absent - {side}
        return self.receive(side, _LINK.sub(b"", raw), name=name)  # a branch has no chains of the sides' own

    def play_on(self) -> list[int]:
        """Play on as far as the answers allow; return the numbers of the adjudications."""
        return self.adjudicate(self.late, self.absent)


def window_of(playback: Playback, n: int) -> list[Adjudication]:
    """Return an adjudication and those that followed without another sheet or an act of the game master."""
    turns = [playback.turn(n)]
    for later in range(n + 1, playback.last + 1):
        public = playback.public(later)
        if "sheets" in public or "act" in public:
            break
        turns.append(playback.turn(later))
    return turns


def _before(playback: Playback, n: int) -> State:
    """Return the state of a game just before an adjudication."""
    made, found = playback.commits[n], False
    for commit in playback.ledger.history():
        if found:
            state = playback.ledger.state(commit.sha)
            assert state is not None
            return state
        found = commit.sha == made
    raise CannotPlay(f"the history of {playback.game.name} does not reach back to adjudication {n}")


def _scratch(game: OpenGame, playback: Playback, n: int, state: State, folder: Path) -> Ledger:
    """Make the repo of a branch, with secrets of its own: the turn files so far, the position, the state."""
    keys = Keys.create(folder / "keys", game.charter.game)
    charter = replace(
        game.charter,
        dice=promise(keys),
        sealed_to=recipient_of(keys.identity),
        signed_by=public_key(keys.signing),
        clock=None,  # time stands still in a branch
    )
    pins = Pins(game.box.digest, game.loaded.code)
    ledger = Ledger.create(folder / f"{game.charter.game}.git", keys, charter, pins, {})
    state = replace(state, pins=None, links={}, new_links={}, requests={})
    paths = [turn_path(k) for k in range(1, n)]
    files = {path: game.ledger.read(path) or b"" for path in paths}
    files[POSITION] = game.ledger.read(POSITION, playback.commits[n - 1]) or b""
    ledger.commit(
        files | ledger.state_files(state, len(files[POSITION])), f"{game.name}: branched before adjudication {n}"
    )
    return ledger


def _away(session: Session[Any], turn: Adjudication) -> tuple[frozenset[Side], frozenset[Side]]:
    """Return the sides that were late, and those that the bot played for, when an adjudication was made."""
    by = {(answer.side, answer.kind, answer.about): answer.by for answer in reversed(turn.answers)}
    asked = [decision for decision in session.open_decisions if decision.waits and not decision.on_request]
    late = {each.side for each in asked if by.get((each.side, each.kind, each.about)) == BY_DEFAULT}
    absent = {each.side for each in asked if by.get((each.side, each.kind, each.about)) == BY_BOT}
    return frozenset(late), frozenset(absent)
