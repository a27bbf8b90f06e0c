"""A battle from its declaration to its political consequences (11 to 14)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.commanders import change_of_command
from pbem.rules.rome_carthage.battle.elephants import elephant_charge
from pbem.rules.rome_carthage.battle.events import declare_events, show_cards
from pbem.rules.rome_carthage.battle.hands import deal_hands
from pbem.rules.rome_carthage.battle.losses import battle_casualties
from pbem.rules.rome_carthage.battle.retreat import suffer_defeat
from pbem.rules.rome_carthage.battle.rounds import fight_rounds
from pbem.rules.rome_carthage.battle.withdrawal import withdraw
from pbem.rules.rome_carthage.position.generals import arrange
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ENEMY, ROME, Game
from pbem.rules.rome_carthage.position.under_way import Battle
from pbem.rules.rome_carthage.siege.siege import lift_empty, lift_of
from pbem.rules.rome_carthage.siege.sorties import relieve


def fight(
    game: Game,
    table: Table,
    *,
    attacker: Side,
    space: str,
    came_from: str | None,
    defender_from: dict[str, int],
    intercepted: bool,
    avoid_failed: bool,
    sallied: Stack | None = None,
) -> Flow[None]:
    """Fight a battle between the two armies in a space, to the end (11, 12).

    `attacker` is the active side, which leads first even if it was intercepted (11.3), and `came_from` its last
    space; `defender_from` are the spaces that interceptors came from, with their CU; `sallied` is an
    attacker that came out of the city there (16.4.4). Sets `game.result` if the battle ends the game.
    """
    game.battle = Battle(
        space,
        attacker,
        attacker,
        came_from,
        dict(defender_from),
        intercepted,
        avoid_failed,
        sallied=sallied or Stack(),
    )
    yield from relieve(game, table)
    yield from change_of_command(game, table)
    muster(game, table)
    yield from declare_events(game, table)
    yield from elephant_charge(game, table)
    deal_hands(game, table)
    show_cards(game, table)
    yield from fight_rounds(game, table)
    yield from battle_casualties(game, table)
    if game.battle.withdrawer is not None:
        yield from withdraw(game, table)
    else:
        yield from suffer_defeat(game, table)
    lift_of(game, table, game.battle)
    lift_empty(game, table)
    # Who took command for the battle alone gives it back where ratings decide (8.6, 14.1).
    arrange(game, game.stack(ROME, space))
    game.battle = game.retreat = None


def muster(game: Game, table: Table) -> None:
    """Note who commands each side and how strong it is when the battle begins (11.3, 11.10)."""
    battle = game.the_battle
    for side in (battle.attacker, ENEMY[battle.attacker]):
        stack = game.stack(side, battle.space)
        battle.strength[side] = stack.cu
        if stack.commander is not None:
            battle.commanders[side] = stack.commander
    attacker, defender = battle.attacker, ENEMY[battle.attacker]
    table.tell(
        "battle",
        rule="11",
        space=battle.space,
        attacker=attacker,
        attacker_general=battle.commanders.get(attacker),
        attacker_cu=battle.strength[attacker],
        defender=defender,
        defender_general=battle.commanders.get(defender),
        defender_cu=battle.strength[defender],
    )
