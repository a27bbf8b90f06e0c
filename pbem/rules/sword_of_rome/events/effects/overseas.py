"""Effects on Carthage while it has no player: the treaty with Rome, and the landing in Africa (17.2, 18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pbem.game import Refusal, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.battle import battle
from pbem.rules.sword_of_rome.events.effects.base import Effect, Played, none_told, one_told
from pbem.rules.sword_of_rome.movement.parts import move_out, strengths
from pbem.rules.sword_of_rome.position.board import GREEKS
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.overseas import ENVOYS

# ---- the treaty (18)


def why_no_treaty(view: Game, played: Played) -> Refusal | None:
    """Say why a side cannot bind a power by a treaty; None: it can (18)."""
    power = played.told
    record = view.board.powers[power]
    if record.side is not None:
        return Refusal(f"{record.name} has a player, who makes alliances", "18")
    if power in view.fallen:
        return Refusal(f"{record.name} has fallen", "17.2.2")
    if view.guardian(power) is not None:
        return Refusal(f"{record.name} has a treaty", "18")
    if any(view.allied(own, GREEKS) for own in view.board.powers_of[played.side]):
        return Refusal("who has this treaty is no ally of the Greeks", "18")
    return None


def sign(game: Game, table: Table, played: Played) -> None:
    """Ally a power without a player with the own one; the marker of the envoys is turned (18)."""
    own = game.board.powers_of[played.side][0]
    game.alliances.append(game.pair(own, played.told))
    game.marks = [mark for mark in game.marks if mark.name != ENVOYS]
    table.tell("treaty", power=own, ally=played.told, side=played.side, rule="18")
    settle_spaces(game, table)


# ---- the landing (17.2)


def landing_of(view: Game) -> str | None:
    """Return where an army can land overseas; None: no power has a home there (17.2)."""
    homes = (power for power in view.board.powers.values() if power.overseas is not None)
    return next((power.overseas.landing for power in homes if power.overseas and power.id not in view.fallen), None)


def landings(view: Game, played: Played) -> list[dict[str, Any]]:
    """List the armies that can land: led, in a friendly port that no enemy besieges (17.2)."""
    if landing_of(view) is None:
        return []
    found = []
    for power in view.board.powers_of[played.side]:
        for space, force in sorted(view.forces[power].items()):
            if not view.is_harbour(power, space) or not view.friendly(power, space) or view.besieged(space):
                continue
            for leader in force.leaders:
                some = strengths(view, force, [leader], 1, min(played.told, force.cu))
                found += [{"leader": leader, "cu": cu} for cu, _ in some]
    return found


def nobody_lands(view: Game, played: Played) -> Refusal:
    """Say that no army can land (17.2)."""
    if landing_of(view) is None:
        return Refusal("there is no enemy overseas any more", "17.2")
    return Refusal("no army of yours stands in a friendly port", "17.2")


def land(game: Game, table: Table, played: Played, told: Mapping[str, Any]) -> Flow[None]:
    """Place an army where it lands; whoever stands there fights it at once (17.2).

    It is placed and has not moved, so nobody intercepts or avoids it, as when the mercenaries revolt (S 16.4).
    """
    leader, to = told["leader"], landing_of(game)
    origin, power = game.where(leader), game.board.leaders[leader].power
    assert origin is not None
    assert to is not None
    game.put(power, to, move_out(game, power, origin, Force(told["cu"], 0, [leader])))
    table.tell("lands", power=power, leader=leader, origin=origin, space=to, cu=told["cu"], rule="17.2")
    for enemy in list(game.enemies_in(power, to)):
        if game.cu(power, to):
            name = f"landing/turn-{game.turn}/round-{game.round}/{enemy}"
            yield from battle.fight(game, table, power, enemy, to, came_from=None, name=name)
    settle_spaces(game, table)


EFFECTS: Final[Mapping[str, Effect]] = {
    "treaty": none_told(why_no_treaty, sign),
    "land": one_told("land", landings, nobody_lands, land),
}
