"""Forks a game before one of its adjudications: a scratch repo with secrets of its own, in which it is played on.

The fork opens no link of the game's chain and needs none of the secrets that make dice. A roll of a name for which
dice are given falls as told, one that was rolled in the turns on record falls as it did then, and any other by dice
that are made for the fork and are the same each time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from pbem.audit.playback import Course
from pbem.crypto.dice import Dice, LoadedDice, SeededDice
from pbem.crypto.keys import Keys
from pbem.crypto.seal import recipient_of
from pbem.crypto.signing import public_key
from pbem.engine.session import BY_DEFAULT, BY_STAND_IN, Session, resume
from pbem.orders.check import Receipt
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, Now, OpenGame
from pbem.repo.charter import Pins, promise
from pbem.repo.layout import POSITION, turn_path
from pbem.repo.ledger import Ledger, Turn
from pbem.repo.state import State

_LINK: Final = re.compile(rb"(?m)^link:.*$")


class AsThen:
    """Dice that fall as they did in some turns on record, name by name, and otherwise as other dice do."""

    def __init__(self, turns: Sequence[Turn], otherwise: Dice) -> None:
        self._rolls = {roll.name: roll for turn in reversed(turns) for roll in turn.rolls}
        self._draws = {draw.name: draw for turn in reversed(turns) for draw in turn.draws}
        self._otherwise = otherwise
        self._adjudications = 0
        self.fresh: list[str] = []
        """The names that were not rolled then, or not with such dice."""

    def reseed(self, step_key: bytes) -> None:
        """Turn the dice that are not on record; they go by how many adjudications there were, and by no key."""
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


class Fork(Adjudicator):
    """A game in a scratch repo, as another stood before one of its adjudications."""

    forked_before: int
    dice: LoadedDice
    as_then: AsThen
    late: frozenset[Side] = frozenset()
    absent: frozenset[Side] = frozenset()

    @classmethod
    def of(
        cls, game: OpenGame, n: int, folder: Path, *, faces: Mapping[str, Sequence[int]], window: Sequence[Turn]
    ) -> Fork:
        """Make the fork of a game before adjudication n in an empty folder; the caller closes it.

        `faces` are dice by the names of rolls, `window` the turns whose dice fall as they did. Raises CannotPlay for
        an adjudication that was not made, or in which nothing was played.
        """
        course = Course(game)
        if not 1 < n <= course.last:
            raise CannotPlay(f"{game.name} can be forked before adjudications 2 to {course.last}, not {n}")
        if (act := course.public(n).get("act")) is not None:
            raise CannotPlay(f"adjudication {n} is a {act['kind']} of the game master; fork before one that was played")
        state = _before(course, n)
        try:
            position = game.rules.decode(state.checkpoint)
        except (ValueError, TypeError, LookupError) as wrong:
            raise CannotPlay(f"the rules here cannot read the position on record: {wrong}") from wrong
        then = resume(game.rules, position, state.steps, course.dice)
        fork = cls(_scratch(game, course, n, state, folder), game.loaded)
        fork.forked_before = n
        fork.today = date.min  # the standing orders in force were in force then, whatever day it was
        fork.as_then = AsThen(window, SeededDice(f"what if, {game.name}, {n}"))
        fork.dice = then.table.dice = LoadedDice(faces, None, fork.as_then)
        fork.late, fork.absent = _away(then, window[0])
        fork._now = Now(fork.ledger.repo.head, fork.ledger.state(), then, fork.dice)
        return fork

    @property
    def position(self) -> Any:
        """The position that it has come to, whole: look, do not touch."""
        return self._session().position

    def put_in(self, side: Side, raw: bytes, name: str) -> Receipt:
        """Check a sheet and, if nothing is wrong with it, let it take the place of the side's sheet on record."""
        self.late, self.absent = self.late - {side}, self.absent - {side}
        return self.receive(side, _LINK.sub(b"", raw), name=name)  # a fork has no chains of the sides' own

    def play_on(self) -> list[int]:
        """Play on as far as the answers at hand reach; return the numbers of the adjudications."""
        return self.adjudicate(self.late, self.absent)


def window_of(course: Course, n: int) -> list[Turn]:
    """Return an adjudication and those that followed from it without another sheet or an act of the game master."""
    turns = [course.turn(n)]
    for later in range(n + 1, course.last + 1):
        public = course.public(later)
        if "sheets" in public or "act" in public:
            break
        turns.append(course.turn(later))
    return turns


def _before(course: Course, n: int) -> State:
    """Return the state of a game with all that lay ready for an adjudication."""
    made, found = course.commits[n], False
    for commit in course.ledger.repo.history():
        if found:
            state = course.ledger.state(commit.sha)
            assert state is not None
            return state
        found = commit.sha == made
    raise CannotPlay(f"the history of {course.game.name} does not reach back to adjudication {n}")


def _scratch(game: OpenGame, course: Course, n: int, state: State, folder: Path) -> Ledger:
    """Make the repo of a fork: the turn files up to there, the position, the state; with secrets of its own."""
    keys = Keys.create(folder / "keys", game.charter.game)
    charter = replace(
        game.charter, dice=promise(keys), sealed_to=recipient_of(keys.identity), signed_by=public_key(keys.signing)
    )
    pins = Pins(game.box.digest, game.loaded.code)
    ledger = Ledger.create(folder / f"{game.charter.game}.git", keys, charter, pins, {})
    state = replace(state, pins=None, links={}, shares={}, requests={})
    repo = game.ledger.repo
    paths = [turn_path(k) for k in range(1, n)]
    files = {path: repo.read(path) or b"" for path in paths}
    files[POSITION] = repo.read(POSITION, course.commits[n - 1]) or b""
    ledger.commit(
        files | ledger.state_files(state, len(files[POSITION])), f"{game.name}: forked before adjudication {n}"
    )
    return ledger


def _away(session: Session[Any], turn: Turn) -> tuple[frozenset[Side], frozenset[Side]]:
    """Return the sides that were late, and those that were away, when an adjudication was made."""
    by = {(answer.side, answer.kind): answer.by for answer in reversed(turn.answers)}
    asked = [decision for decision in session.open_decisions if decision.waits]
    late = {each.side for each in asked if by.get((each.side, each.kind)) == BY_DEFAULT}
    absent = {each.side for each in asked if by.get((each.side, each.kind)) == BY_STAND_IN}
    return frozenset(late), frozenset(absent)
