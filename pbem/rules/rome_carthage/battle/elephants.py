"""The charge of the elephants before the battle cards are dealt (13.3)."""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table, yes_or_no
from pbem.protocol import Flow
from pbem.rules.rome_carthage.events.windows import check_window, open_window, window_orders
from pbem.rules.rome_carthage.position.state import CARTHAGE, ROME, Game, once_a_march

FRIGHT: Final = "elephant_fright"


def elephant_charge(game: Game, table: Table) -> Flow[None]:
    """Let Carthage charge with its elephants and roll more than the Roman commander's battle rating (13.3).

    A charge that succeeds costs Rome a battle card for each elephant CU (13.3.1); elephants that run amok
    cost Carthage a card (13.3.2). The cards are taken from what would be dealt, which is the same as a
    blind draw from the hand.
    """
    battle, board = game.the_battle, game.board
    elephants = game.stack(CARTHAGE, battle.space).elephants
    if not elephants:
        return
    roman = battle.commanders.get(ROME)
    resists = board.generals[roman].battle if roman else board.elephants.charge_without_general
    order = yield from table.ask(
        CARTHAGE,
        "charge",
        rule="13.3",
        default={"elephants": True},
        space=battle.space,
        elephant_cu=elephants,
        enemy_general=roman,
        needs=resists + 1,
    )
    if not order["elephants"] or (yield from frightened(game, table, elephants)):
        return
    roll = table.roll(
        f"battle/{battle.space}/charge", rule="13.3", at_least=resists + 1, side=CARTHAGE, elephant_cu=elephants
    )
    if roll.success:
        battle.charge_cost[ROME] = elephants
        table.tell("charge_succeeds", rule="13.3.1", space=battle.space, side=ROME, cards=elephants)
    elif roll.total <= board.elephants.rampage_on:
        cards = battle.charge_cost[CARTHAGE] = board.elephants.rampage_cards
        table.tell("elephants_rampage", rule="13.3.2", space=battle.space, side=CARTHAGE, cards=cards)
    else:
        table.tell("charge_fails", rule="13.3", space=battle.space)


def frightened(game: Game, table: Table, elephants: int) -> Flow[bool]:
    """Let Rome frighten the elephants before the roll; return whether the charge is cancelled (card 42).

    It costs Carthage two battle cards, by the rules of 1998 as many as there are elephant CU.
    """
    battle = game.the_battle
    facts = {
        "space": battle.space,
        "elephant_cu": elephants,
        "own_cu": battle.strength[ROME],
        "enemy_cu": battle.strength[CARTHAGE],
        "enemy_general": battle.commanders.get(CARTHAGE),
    }
    card = yield from open_window(game, table, ROME, FRIGHT, FRIGHT, rule="card 42", facts=facts)
    if card is None:
        return False
    cards = elephants if game.options["elephant_fright_loss"] == "per_elephant" else card.about["cards"]
    battle.charge_cost[CARTHAGE] = cards
    table.tell("elephants_frightened", rule="card 42", space=battle.space, side=CARTHAGE, cards=cards)
    return True


ELEPHANT_KINDS: Final = (
    Kind("charge", *yes_or_no("elephants"), hints="views.hints:at_least", is_last=once_a_march),
    Kind(FRIGHT, window_orders, check_window, hints="views.hints:window"),
)
