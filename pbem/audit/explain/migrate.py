"""The migration of a game from the rules that it is played with to the rules that are here.

The record stays as it is. First, all turns since the last migration are played again, each span from a recorded
checkpoint. If they end in the same position and the same decisions, the game is pinned to the rules here. If not, the
game master must accept the differences, and `pbem.referee.acts.moving` carries the game over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pbem.audit.explain.playback import Playback
from pbem.audit.explain.replay import Replayed, replayed
from pbem.referee.acts.moving import carry_over
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import MIGRATION

UPKEEP: Final = "the rules here are newer"
"""The reason on record if the game master gives none."""


@dataclass(slots=True)
class Move:
    """The effect of a move to the rules here.

    `odd` is the part of the rules that differs (None: nothing does). `turns` would be played differently, and
    `elsewhere` are those of them after which the state of the game would differ.
    """

    odd: str | None
    turns: list[Replayed] = field(default_factory=list)
    under_way: int = 0
    """The first adjudication of the current play, whose answers are not published yet."""

    @property
    def changed(self) -> list[int]:
        """The numbers of the turns that differ."""
        return [turn.n for turn in self.turns]

    @property
    def elsewhere(self) -> list[Replayed]:
        """The turns after which the position, the decisions or the result would differ from the record."""
        return [turn for turn in self.turns if turn.elsewhere or not turn.played]

    @property
    def accepted(self) -> list[str]:
        """What the game master accepts by moving the game: a sentence for each turn, for everybody to read."""
        told = [turn for turn in self.elsewhere if turn.differences]
        return [
            str(turn.differences[-1]) if turn.n < self.under_way else f"turn {turn.n}, in the play that is under way"
            for turn in told
        ]


def consider(game: Adjudicator) -> Move:
    """Return the effect of moving a game to the rules here; nothing is changed."""
    odd = game.differs
    if odd is None:
        return Move(None)
    playback = Playback(game)
    undone: set[int] = set()
    since = 0
    for n in range(1, playback.last + 1):
        act = playback.public(n).get("act", {})
        undone.update(act.get("undone", ()))
        since = n if act.get("kind") == MIGRATION else since
    turns = replayed(game, playback, since, playback.last)
    told = [turn for turn in turns if (turn.differences or not turn.played) and turn.n not in undone]
    return Move(odd, told, playback.rest_before(playback.last + 1) + 1)


def migrate(game: Adjudicator, reason: str = "", *, accept: bool = False) -> tuple[Move, int | None]:
    """Move a game to the rules here; return the effect, and the number of the adjudication that did it.

    The number is None if nothing was done: the game is played with these rules already, or its state would differ and
    that is not accepted. Raises CannotPlay if the game has not begun or is over, or if these rules cannot read its
    checkpoint.
    """
    if not game.begun or game.result is not None:
        raise CannotPlay(f"{game.name} {'is over' if game.begun else 'has not begun'}; there is nothing to move")
    with game.lock():
        if not game.box.ours:
            game.box.check()
        move = consider(game)
        if move.odd is None or (move.elsewhere and not accept):
            return move, None
        reason = " ".join(reason.split()) or UPKEEP
        pins = {"box": game.box.digest, "code": game.loaded.code}
        act: dict[str, object] = {"kind": MIGRATION, "reason": reason, **pins}
        act |= {"changed": move.changed} if move.changed else {}
        act |= {"accepted": move.accepted} if move.accepted else {}

        return move, carry_over(game, act)
