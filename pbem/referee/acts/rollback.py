"""The rollback: a game goes back to an earlier adjudication, with the consent of all sides or a reason.

The position, the decisions and the answers since the last checkpoint are again those of then. What never goes back:
the numbers of adjudications, the links of the dice chain and of the players' chains, the count of sheets, and the
rules that the game was moved to. Sheets that were waiting expire, and their sides are told.

Standing orders stay as they are now: one that a player has withdrawn must not come back by itself. A standing order
answers a decision that is asked again only if it was in force when that was first asked. One that holds to the end of
a period expires if the game is taken out of that period.
"""

from __future__ import annotations

from pbem.engine.advance import Outcome
from pbem.engine.answers import Sources
from pbem.engine.session import Step
from pbem.protocol import Event
from pbem.referee import GAME_MASTER
from pbem.referee.acts.preconditions import (
    adjudications,
    consented,
    reason_of,
    require_consents,
    require_running,
    state_of,
    valid_adjudications,
)
from pbem.referee.game.open_game import CannotPlay, Now
from pbem.referee.play.adjudicator import Adjudicator, Enacted
from pbem.repo.files.adjudication import Seed
from pbem.repo.files.requests import ROLLBACK, Request
from pbem.repo.files.state import State


def would_undo(game: Adjudicator, to: int) -> list[int]:
    """Return the adjudications that a rollback would undo. Raises CannotPlay if the game cannot go back there."""
    require_running(game)
    state = state_of(game)
    last = state.adjudication
    if not 1 <= to < last:
        span = f"from 1 to {last - 1}" if last > 1 else "to nowhere: only the set-up has been made"
        raise CannotPlay(f"{game.name} stands after adjudication {last}; it can go back {span}, not to {to}")
    if to in state.undone:
        earlier = max(n for n in valid_adjudications(state) if n < to)
        raise CannotPlay(f"adjudication {to} was undone itself; the last one before it that stands is {earlier}")
    return [n for n in valid_adjudications(state) if n > to]


def roll_back(game: Adjudicator, to: int, reason: str, *, request: Request | None = None) -> int:
    """Take a game back to where it stood after adjudication `to`, and return the adjudication that does it.

    Without a request to which all have consented, the game master decides. Raises CannotPlay if the game cannot go
    back there.
    """
    with game.lock():
        undone, said = would_undo(game, to), reason_of(reason)
        by = GAME_MASTER if request is None else consented(request)
        act: dict[str, object] = {"kind": ROLLBACK, "reason": said, "to": to, "undone": undone, "by": by}
        if request is not None:
            require_consents(request)
            act |= {"request": request.request, "consents": list(request.consents)}
        then = game.ledger.state(game.ledger.commits()[to])
        assert then is not None

        def play(now: Now, state: State, seed: Seed) -> Enacted:
            sources = Sources({side: list(queue) for side, queue in state.pending.items()})
            sources.drop_all()
            state.checkpoint, state.steps, state.opened = then.checkpoint, then.steps, then.opened
            state.defaults = {}
            state.undone = sorted({*state.undone, *undone})
            session = then.resumed(game.rules, now.dice, Step(seed.key))
            decided = GAME_MASTER if request is None else f"consent of {by}"
            facts = {"to": to, "undone": undone, "what": adjudications(undone), "by": decided, "reason": said}
            told = Event("rolled_back", facts)
            return Outcome([], [told], [], [], session, None), sources

        return game.enact(act, play)
