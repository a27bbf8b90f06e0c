"""Sorties: the besieged attack out of their city (13.4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import Refusal, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.battle.battle import Outcome, fight
from pbem.rules.sword_of_rome.position.naming import space_named
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.under_way import Battle
from pbem.rules.sword_of_rome.siege.relief import sally_out


def why_no_sortie(game: Game, power: str, space: str, cu: int, leaders: Sequence[str]) -> Refusal | None:
    """Say why some of the besieged cannot attack out of their city; None: they can (13.4.1)."""
    inside, there = game.garrison(power, space), space_named(game, space)
    if inside.empty:
        return Refusal(f"nobody of {power} is inside {there}", "13.4.1")
    if not game.enemies_in(power, space):
        return Refusal(f"nobody besieges {there}", "13.4.1")
    if not leaders or any(leader not in inside.leaders for leader in leaders):
        return Refusal(f"a leader inside {there} must lead the sortie", "13.4.1")
    if not 0 < cu <= inside.cu:
        return Refusal(f"{inside.cu} CU are inside {there}", "13.4.1")
    return None


def sortie(
    game: Game,
    table: Table,
    power: str,
    space: str,
    cu: int,
    leaders: Sequence[str],
    *,
    failed_avoidance: bool = False,
    name: str,
) -> Flow[Outcome]:
    """Attack the besiegers out of the city; who loses goes back inside (13.4.1).

    Nobody intercepts a sortie. The besiegers may avoid the battle: that comes before.
    """
    besieger = game.enemies_in(power, space)[0]
    game.battle = Battle(space, power, besieger)
    sally_out(game, power, space, cu, list(leaders))
    table.tell("sortie", power=power, space=space, cu=cu, leaders=list(leaders), rule="13.4.1")
    outcome = yield from fight(
        game, table, power, besieger, space, came_from=None, failed_avoidance=failed_avoidance, name=name
    )
    return outcome
