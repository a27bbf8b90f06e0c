"""Africa while Carthage has no player: who comes to its help, and its end (17).

Its capital is never besieged or converted, and its armies there stand (`Board.is_capital`); its ports are its own
(`Game.is_harbour`); Bomilcar and the militia stay (`voyages.why_he_stays`, `voyages.free_to_leave`).
"""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.movement.parts import arrange
from pbem.rules.sword_of_rome.movement.voyages import Crossing, sail
from pbem.rules.sword_of_rome.position.board import GREEKS
from pbem.rules.sword_of_rome.position.changes import lose, set_control, settle_spaces, take_off
from pbem.rules.sword_of_rome.position.naming import one_of_the_facts, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game

ENVOYS: Final = "punic_envoys"
"""The event that comes before the treaty, and whose marker it takes (18)."""


# ---- help from overseas (17.2.1)


def rescue(game: Game, table: Table, loser: str, space: str, name: str) -> Flow[bool]:
    """Let the named leader abroad rush to the capital once his power has lost at home; tell whether he comes (17.2.1).

    He comes with all CU that he commands, from wherever he is, unless he is besieged; a storm may stop him.
    """
    home = game.board.powers[loser].overseas
    if home is None or space not in home.spaces or loser in game.fallen:
        return False
    for at, force in sorted(game.forces[loser].items()):
        commander = force.commander
        abroad = at not in home.spaces and force.army and at != space
        if not abroad or commander is None or not game.board.leaders[commander].named:
            continue
        going = Force(force.cu, 0, list(force.leaders))
        table.tell("rushes_home", power=loser, leader=commander, origin=at, space=home.capital, rule="17.2.1")
        comes = yield from sail(game, table, Crossing(loser, at, home.capital), going, f"{name}/rescue")
        lose(game, loser, at, force.cu - going.cu)
        if comes:
            arrange(game, game.put(loser, home.capital, game.take(loser, at, going)))
        return comes
    return False


# ---- the end of Carthage (17.2.2)


def fall_overseas(game: Game, table: Table) -> Flow[None]:
    """End a power without a player whose capital overseas the Greeks hold at the end of an activation (17.2.2).

    Its forces leave the game, its treaty ends, and its spaces elsewhere become Greek. The Greeks overseas go home. By
    "any action phase" we read the activation of any side, as the rules use the word of a side's own.
    """
    for power in game.board.powers.values():
        home = power.overseas
        if home is None or power.id in game.fallen or not game.outside(GREEKS, home.capital):
            continue
        game.fallen.append(power.id)
        _leave(game, power.id)
        held = game.board.in_order(space for space, holder in game.control.items() if holder == power.id)
        won = [space for space in held if space not in home.spaces]
        for space in won:
            set_control(game, space, GREEKS)
        table.tell("falls_overseas", power=power.id, spaces=won, rule="17.2.2")
        yield from _go_home(game, table, sorted(home.spaces))
    settle_spaces(game, table)


def _leave(game: Game, power: str) -> None:
    """Take the forces and leaders of a power out of the game, and end its treaty (17.2.2)."""
    own = [leader.id for leader in game.board.leaders.values() if leader.power == power]
    for leaders in (game.displaced, game.reserve, game.cup):
        leaders[:] = [leader for leader in leaders if leader not in own]
    game.gone += [leader for leader in own if leader not in game.gone]
    game.forces[power] = {}
    for space in [space for space in game.inside if game.control.get(space) == power]:
        del game.inside[space]
    game.alliances = [pair for pair in game.alliances if power not in pair.split("+")]
    game.marks = [mark for mark in game.marks if mark.name != ENVOYS]
    game.militia = 0


def havens(game: Game) -> list[str]:
    """Return the Greek reinforcement spaces to which the Greeks can go home: without enemy CU (17.2.2)."""
    return [
        space
        for space in game.board.homes[GREEKS]
        if game.board.spaces[space].reinforcement and game.control.get(space) == GREEKS
        if not any(game.cu(other, space) for other in game.board.powers if other != GREEKS)
    ]


def _go_home(game: Game, table: Table, spaces: list[str]) -> Flow[None]:
    """Send each Greek force overseas to a reinforcement space; where there is none it is lost (17.2.2)."""
    for space in spaces:
        force = game.forces[GREEKS].get(space)
        if force is None:
            continue
        side, open_to = game.board.powers[GREEKS].side, havens(game)
        going = game.take(GREEKS, space, Force(force.cu, force.mercenaries, list(force.leaders)))
        if not open_to or side is None:
            take_off(game, going.leaders)
            table.tell("lost", power=GREEKS, space=space, cu=going.cu, rule="17.2.2")
            continue
        game.put(GREEKS, space, going)  # it stands there until it is said where it goes
        order = yield from table.ask(
            side, "go_home", rule="17.2.2", default={"to": open_to[0]}, space=space, cu=going.cu, ports=open_to
        )
        going = game.take(GREEKS, space, going)
        arrange(game, game.put(GREEKS, order["to"], going))
        table.tell("goes_home", power=GREEKS, origin=space, space=order["to"], cu=going.cu, rule="17.2.2")


OVERSEAS_KINDS: Final = (Kind("go_home", *one_of_the_facts("to", "ports", "it goes home to {}", space_named)),)
