"""Sieges and subjugation: markers, rolls, conversion, sorties and relief (13).

What is to come beside it (its decisions are `sack`, `sortie_joins`): `siege.sorties` (13.4.1, 13.4.2), responses at
`siege_roll` before the roll (13.2), and looting instead of conversion (14.4) by `siege.plunder`.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Kinds, Refusal, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.position.board import TRIBE, WALLED
from pbem.rules.sword_of_rome.position.changes import displace, lose, set_control, settle_spaces
from pbem.rules.sword_of_rome.position.state import Game, Siege


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
    return refusal


def roll_siege(game: Game, table: Table, power: str, space: str, name: str, *, rule: str) -> Flow[None]:
    """Roll for a siege or a subjugation under a name, and let the city or tribe fall if it must (13.2, 13.5)."""
    modifier = game.board.powers[power].siege if game.kind(space) == WALLED else 0
    roll = table.roll(name, 2, rule=rule, modifiers={"besieger": modifier}, power=power, space=space)
    points, lost = game.board.siege_result(roll.total)
    game.sieges[space].level += points
    gone = lose(game, power, space, lost)
    table.tell(
        "siege_rolled", power=power, space=space, points=points, cu=gone, level=game.sieges[space].level, rule="13.2"
    )
    fall_if_due(game, table, space)
    settle_spaces(game, table)
    return
    yield


def fall_if_due(game: Game, table: Table, space: str) -> None:
    """Convert a besieged city or tribe whose level has reached its loyalty or its subjugation factor (13.5).

    A city without loyalty falls at any level. Call it after every change of a level or of loyalty.
    """
    siege = game.sieges.get(space)
    if siege is None:
        return
    tribe = game.kind(space) == TRIBE
    needed = game.board.spaces[space].subjugation if tribe else game.loyalty[space]
    if siege.level >= needed:
        convert(game, table, space, siege.by)


def convert(game: Game, table: Table, space: str, power: str) -> None:
    """Give a city or a tribe to its besieger; in an ally's home the ally gets it (13.5).

    What is inside dies without support for anybody, its leaders are displaced.
    """
    del game.sieges[space]
    holder = game.control.get(space)
    if holder is not None and space in game.inside:
        lose(game, holder, space, game.inside[space].cu, inside=True)
        displace(game, table, holder, space, inside=True)
    home = game.board.spaces[space].home
    owner = home if home is not None and home != power and game.allied(power, home) else power
    if space in game.tribes:
        game.tribes.remove(space)
    set_control(game, space, owner)
    table.tell("falls", space=space, power=owner, rule="13.5")


KINDS: Final[Kinds] = {}
