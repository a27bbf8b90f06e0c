"""Two consuls in one army: the roll that may change its commander before a battle (14.1)."""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table, yes_or_no
from pbem.protocol import Flow
from pbem.rules.rome_carthage.position.generals import is_consul
from pbem.rules.rome_carthage.position.state import CARTHAGE, ROME, Game, once_a_march


def change_of_command(game: Game, table: Table) -> Flow[None]:
    """Let Carthage roll for a change of command if both consuls are in the battle (14.1).

    By the rules of 2007 it must roll when it attacks; otherwise it may.
    """
    battle = game.the_battle
    generals = game.stack(ROME, battle.space).generals
    consuls = [general for general in generals if is_consul(game, general)]
    if len(consuls) < 2:
        return
    commander, other = consuls
    if not (battle.attacker == CARTHAGE and game.options["change_of_command_forced"]):
        records = game.board.generals
        order = yield from table.ask(
            CARTHAGE,
            "change_command",
            rule="14.1",
            default={"roll": records[other].battle < records[commander].battle},
            space=battle.space,
            commander=commander,
            other=other,
        )
        if not order["roll"]:
            return
    roll = table.roll(
        f"battle/{battle.space}/change_of_command",
        rule="14.1",
        at_least=game.board.battle.change_of_command_from,
        side=ROME,
        commander=commander,
        other=other,
    )
    if roll.success:
        first, second = generals.index(commander), generals.index(other)
        generals[first], generals[second] = other, commander
        table.tell("command_changes", rule="14.1", side=ROME, space=battle.space, commander=other, instead_of=commander)


COMMAND_KINDS: Final = (Kind("change_command", *yes_or_no("roll"), is_last=once_a_march),)
