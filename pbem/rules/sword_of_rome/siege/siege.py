"""Sieges and subjugation: markers, rolls, conversion or looting (13).

After loyalty has gone down, or a level up, `fall_if_due` converts a city or a tribe that falls. Where its besieger may
loot it, that waits until `take_fallen` can ask, which every action and phase ends with.
"""

from __future__ import annotations

from pbem.game import Refusal, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.position.board import TRIBE, WALLED
from pbem.rules.sword_of_rome.position.changes import displace, lose, set_control, settle_spaces
from pbem.rules.sword_of_rome.position.state import Game, Siege
from pbem.rules.sword_of_rome.siege.plunder import loot, may_loot
from pbem.rules.sword_of_rome.turn.order_of_play import decider


def place_marker(game: Game, table: Table, power: str, space: str) -> None:
    """Begin a siege or a subjugation: an army stands before an enemy city or in an enemy tribe (13.1)."""
    if why_not_besiege(game, power, space) is None and space not in game.sieges:
        game.sieges[space] = Siege(power)
        table.tell("siege_begins", power=power, space=space, rule="13.1")


def why_not_besiege(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot besiege or subjugate a space; None: it can (13.1)."""
    if game.kind(space) not in (WALLED, TRIBE):
        return Refusal(f"{space} is neither a city nor a tribe", "13.1")
    if game.friendly(power, space):
        return Refusal(f"{space} is friendly", "13.1")
    if game.board.is_capital(space):
        return Refusal(f"{space} is never besieged", "17")
    if not game.force(power, space).army:
        return Refusal(f"no army of yours stands at {space}", "13.1")
    return None


def why_not_roll(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot roll for a siege or a subjugation; None: it can (13.1.1, 13.1.3)."""
    refusal = why_not_besiege(game, power, space)
    least = game.board.tables["city"]["army"]
    if refusal is None and (space not in game.sieges or game.sieges[space].by != power):
        return Refusal(f"you do not besiege {space}", "13.1")
    if refusal is None and game.force(power, space).cu < least:
        return Refusal(f"a siege roll takes {least} CU", "13.1.1")
    if refusal is None and game.sieges[space].rolled == _round(game):
        return Refusal(f"{space} has had its roll of this round", "13.1.1")
    return refusal


def _round(game: Game) -> str:
    """Return the turn and the round of a roll; the Surrender Phase is in none, or by option belongs to the last one.

    The option is `surrender_roll` (13.1.1, 13.1.3).
    """
    last = 0 if game.options["surrender_roll"] else game.board.tables["rounds"]
    return f"{game.turn}/{game.round or last}"


def modifier_of(game: Game, power: str, space: str) -> int:
    """Return what a power adds to its rolls for a space: that of a besieger counts before cities only (13.2)."""
    return game.board.powers[power].siege if game.kind(space) == WALLED else 0


def roll_siege(game: Game, table: Table, power: str, space: str, name: str, *, rule: str) -> Flow[None]:
    """Roll for a siege or a subjugation under a name, and let the city or tribe fall if it must (13.2, 13.5).

    Responses come first; one that makes it fall makes the roll needless.
    """
    about = {"space": space, "power": power, "other": game.control.get(space)}
    moment = yield from responses.window(game, table, "siege_roll", about=about)
    if space not in game.sieges:
        return
    siege = game.sieges[space]
    siege.rolled = _round(game)
    modifiers = {"besieger": modifier_of(game, power, space), "event": moment.modifier}
    roll = table.roll(name, 2, rule=rule, modifiers=modifiers, power=power, space=space)
    points, cost = game.board.siege_result(roll.total)
    siege.level += points + moment.points
    gone = lose(game, power, space, cost)
    most = needed(game, space)
    table.tell(
        "siege_rolled",
        power=power,
        space=space,
        points=points + moment.points,
        cu=gone,
        level=min(siege.level, most),  # what is beyond it counts for nothing
        needed=most,
        rule="13.2",
    )
    fall_if_due(game, table, space)
    yield from take_fallen(game, table)
    settle_spaces(game, table)


def needed(game: Game, space: str) -> int:
    """Return the level at which a city or a tribe falls: its loyalty, or its subjugation factor (13.5)."""
    return game.board.spaces[space].subjugation if game.kind(space) == TRIBE else game.loyalty[space]


def fall_if_due(game: Game, table: Table, space: str) -> None:
    """Convert a besieged city or tribe whose level has reached its loyalty or its subjugation factor (13.5).

    A city without loyalty falls at any level. Call it after every change of a level or of loyalty. A city that may be
    looted waits for `take_fallen`.
    """
    siege = game.sieges.get(space)
    if siege is not None and siege.level >= needed(game, space) and not _has_choice(game, space):
        convert(game, table, space, siege.by)


def _has_choice(game: Game, space: str) -> bool:
    return game.kind(space) == WALLED and may_loot(game, game.sieges[space].by, space)


def take_fallen(game: Game, table: Table) -> Flow[None]:
    """Ask about the cities that have fallen to who may loot them, and convert or loot them (13.5, 14.4)."""
    for space, siege in list(game.sieges.items()):
        if siege.level < needed(game, space):
            continue
        looted = False
        if _has_choice(game, space):
            side = yield from decider(game, table, siege.by)
            order = yield from table.ask(
                side,
                "sack",
                rule="14.4",
                default={"loot": True},
                power=siege.by,
                space=space,
                holder=game.control[space],
            )
            looted = order["loot"]
        if looted:
            kill_inside(game, table, space)
            loot(game, table, siege.by, space)
        else:
            convert(game, table, space, siege.by)


def kill_inside(game: Game, table: Table, space: str) -> None:
    """Remove the siege of a place that has fallen; what is inside dies, without support for anybody (13.5)."""
    del game.sieges[space]
    holder = game.control.get(space)
    if holder is None or space not in game.inside:
        return
    cu = lose(game, holder, space, game.inside[space].cu, inside=True)
    if cu:
        table.tell("lost", power=holder, space=space, cu=cu, rule="13.5")
    displace(game, table, holder, space, inside=True)


def convert(game: Game, table: Table, space: str, power: str) -> None:
    """Give a city or a tribe to its besieger; in an ally's home the ally gets it (13.5)."""
    kill_inside(game, table, space)
    home = game.board.spaces[space].home
    owner = home if home is not None and game.allys_home(power, space) else power
    if space in game.tribes:
        game.tribes.remove(space)
    set_control(game, space, owner)
    table.tell("falls", space=space, power=owner, rule="13.5")
