"""The initiative in a battle: counterattack, the matched Double Envelopment, and who leads the next round (11.6)."""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table, yes_or_no
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.position.state import ENEMY, MAHARBAL, Game
from pbem.rules.rome_carthage.position.under_way import Battle

DOUBLE_ENVELOPMENT: Final = "double_envelopment"
MUST: Final = "must"


def after_match(game: Game, table: Table) -> Flow[None]:
    """Let the defender, who has just matched a card, try for the initiative (11.6).

    A matched Double Envelopment hands it over without a roll, unless it was Maharbal's Cavalry (card 6); for
    anything else a general must roll.
    """
    battle = game.the_battle
    led = next(play.card for play in reversed(battle.played) if play.side == battle.initiative)
    if battle.led != DOUBLE_ENVELOPMENT or led == MAHARBAL:
        yield from counterattack(game, table)
    elif game.options["matched_envelopment"] == MUST:
        seize(battle, table, "11.6")
    else:
        yield from offer_initiative(game, table, DOUBLE_ENVELOPMENT, rule="11.6")


def counterattack(game: Game, table: Table) -> Flow[None]:
    """Let the defender roll for a counterattack; a side without a general cannot (11.6)."""
    battle = game.the_battle
    side = ENEMY[battle.initiative]
    commander = battle.commanders.get(side)
    if commander is None:
        return
    record = game.board.generals[commander]
    attacked_first = side == battle.attacker
    needs = record.counterattacks_as_attacker_on if attacked_first else record.counterattacks_as_defender_on
    order = yield from table.ask(
        side,
        "counterattack",
        rule="11.6",
        default={"roll": leading_pays(battle, side)},
        space=battle.space,
        round=battle.round,
        general=commander,
        needs=needs,
        cards=len(battle.hands[side]),
        enemy_cards=len(battle.hands[ENEMY[side]]),
    )
    if order["roll"]:
        name = f"battle/{battle.space}/round-{battle.round}/counterattack"
        if table.roll(name, rule="11.6", at_most=needs, side=side, general=commander).success:
            seize(battle, table, "11.6")


def offer_initiative(game: Game, table: Table, after: str, *, rule: str) -> Flow[None]:
    """Ask the defender whether to take the initiative without a roll (11.6, 11.11)."""
    battle = game.the_battle
    side = ENEMY[battle.initiative]
    order = yield from table.ask(
        side,
        "take_initiative",
        rule=rule,
        default={"take": leading_pays(battle, side)},
        space=battle.space,
        after=after,
        cards=len(battle.hands[side]),
        enemy_cards=len(battle.hands[ENEMY[side]]),
    )
    if order["take"]:
        seize(battle, table, rule)


def leading_pays(battle: Battle, side: Side) -> bool:
    """Tell whether a side should want the initiative: a side that must lead without a card loses (11.8)."""
    return bool(battle.hands[side]) and bool(battle.hands[ENEMY[side]])


def seize(battle: Battle, table: Table, rule: str) -> None:
    """Make the defender the attacker of the next round (11.6)."""
    battle.initiative = ENEMY[battle.initiative]
    table.tell("initiative", rule=rule, side=battle.initiative, space=battle.space)


INITIATIVE_KINDS: Final = (
    Kind("counterattack", *yes_or_no("roll"), hints="views.hints:at_most"),
    Kind("take_initiative", *yes_or_no("take")),
)
