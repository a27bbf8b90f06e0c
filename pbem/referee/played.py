"""An adjudication between play and commit: the record that is made of it, and the state of the game after it.

Nothing here changes anything; `Adjudicator` commits what these functions return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pbem.crypto.closing import Closing
from pbem.crypto.player_chains import last_links
from pbem.engine.advance import Outcome
from pbem.engine.answers import Sources
from pbem.engine.session import Answer, Session, Step
from pbem.game.plain import Record
from pbem.orders.standing import Filed, InForce
from pbem.protocol import Event, Rules, Side
from pbem.referee.notices import notices, of_the_beacon
from pbem.repo.adjudication import Adjudication, Circumstances, Seed
from pbem.repo.records import decision_record
from pbem.repo.state import State

ExpiredStanding: TypeAlias = Sequence[tuple[Side, Filed]]
"""The standing orders that have expired, each with its side."""


@dataclass(frozen=True, slots=True)
class Played:
    """An adjudication that has been played and is not committed yet: what went in, and what came out."""

    at: Circumstances
    seed: Seed
    outcome: Outcome[Any]
    sources: Sources
    standing: InForce
    act: Record | None = None
    """The act of the game master, if this is no play."""
    whole: Record | None = None
    """The part of the act that stays in the sealed record."""
    beacon: Closing | None = None
    """The closing of the sheets, with the beacon round that decided; None: the game has no beacon."""


def adjudication_of(n: int, played: Played, expired: ExpiredStanding, newcomers: Mapping[Side, bool]) -> Adjudication:
    """Return the record of adjudication n; `newcomers` are those of the state before it."""
    outcome = played.outcome
    return Adjudication(
        n,
        outcome.answers,
        outcome.rolls,
        outcome.draws,
        [
            *of_the_beacon(n, played.beacon),
            *(Event("new_player", {"side": side}) for side, replaced in newcomers.items() if replaced),
            *outcome.events,
            *notices(outcome.answers, played.sources, played.standing, expired),
        ],
        awaited(outcome.session),
        played.at,
        played.act,
        played.whole,
    )


def awaited(session: Session[Any]) -> list[dict[str, str]]:
    """Return the decisions that a game waits for, by side and kind, as a turn file names them.

    Where it waits for none of them, they are those that the next adjudication answers at once.
    """
    asked = [each for each in session.open_decisions if each.waits] or session.open_decisions
    return [{"side": each.side, "kind": each.kind} for each in asked]


def published_span(state: State, outcome: Outcome[Any]) -> list[Answer] | None:
    """Return the answers since the last checkpoint, if the game has reached the next one or its end; else None."""
    if outcome.checkpoint is None and outcome.session.result is None:
        return None
    return [*(answer for step in state.steps for answer in step.answers), *outcome.answers]


def advanced(
    rules: Rules[Any], state: State, played: Played, expired: ExpiredStanding, requests: dict[str, Any]
) -> State:
    """Return the state of the game after an adjudication; `state` is the one before it, `requests` those after it."""
    outcome, session, key = played.outcome, played.outcome.session, played.seed.key
    n, standing = state.adjudication + 1, dict(state.standing)
    for side in {side for side, _ in expired}:
        gone = [each.record() for of, each in expired if of == side]
        standing[side] = [record for record in standing[side] if record not in gone]
    after = replace(
        state,
        adjudication=n,
        steps=[*state.steps, Step(key, outcome.answers)],
        pending={side: queue for side, queue in played.sources.sheets.items() if queue},
        new_sheets={},
        standing=standing,
        standing_digests=dict(state.standing_digests),
        open_decisions=[decision_record(decision) for decision in session.open_decisions],
        result=session.result,
        links={**last_links(played.seed.stated.get("player_chains", {}), state.links), **_new_chains(played.seed)},
        new_links={},
        handed_in=sorted({*state.handed_in, *played.seed.stated.get("sheets", {})}),
        inputs=played.seed.inputs,
        day=played.at.day,
        requests=requests,
        newcomers={},
    )
    if outcome.checkpoint is not None:
        after.checkpoint, after.steps = rules.encode(outcome.checkpoint), [Step(key)]
    if outcome.answers:
        after.opened, after.defaults = n, {}
    return after


def _new_chains(seed: Seed) -> dict[Side, str]:
    """Return the tips of the chains that begin with an adjudication: their links are opened from the next one on."""
    return {side: said["chain"]["tip"] for side, said in seed.stated.get("joined", {}).items() if "chain" in said}
