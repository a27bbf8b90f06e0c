"""The initiative in a battle, who leads the next round, and withdrawal from the battle (11.6, 11.11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Kind, OneOf, Part, Refusal, Table, Value, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.position.generals import arrive, displace_the_destroyed, drive_off_generals, may_be_in
from pbem.rules.rome_carthage.position.naming import no_such_space, space_named, spaces_named
from pbem.rules.rome_carthage.position.state import ENEMY, MAHARBAL, Game, once_a_march
from pbem.rules.rome_carthage.position.under_way import Battle, Stack
from pbem.rules.rome_carthage.siege.walls import enter_city

DOUBLE_ENVELOPMENT: Final = "double_envelopment"
MUST: Final = "must"
IF_CANCELLED: Final = "if_cancelled"


# ---- the initiative (11.6)


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


# ---- withdrawal (11.11)


def attempt_withdrawal(game: Game, table: Table) -> Flow[None]:
    """Let the attacker try to break off instead of leading a card, and the defender to cancel it (11.11).

    A failed attempt is not a round; the initiative may then pass to the defender.
    """
    battle, generals = game.the_battle, game.board.generals
    side, other = battle.initiative, ENEMY[battle.initiative]
    battle.withdrawals += 1
    again = f"-{battle.withdrawals}" if battle.withdrawals > 1 else ""
    name = f"battle/{battle.space}/round-{battle.round + 1}"
    commander = battle.commanders[side]
    needs = generals[commander].battle
    roll = table.roll(f"{name}/withdrawal{again}", rule="11.11", at_most=needs, side=side, general=commander)
    cancelled = False
    canceller = battle.commanders.get(other)
    if roll.success and canceller is not None:
        needs = generals[canceller].cancels_withdrawal_on
        order = yield from table.ask(
            other, "cancel_withdrawal", rule="11.11", default={"roll": True}, space=battle.space, needs=needs
        )
        if order["roll"]:
            cancel = f"{name}/cancel{again}"
            cancelled = table.roll(cancel, rule="11.11", at_most=needs, side=other, general=canceller).success
    if roll.success and not cancelled:
        battle.withdrawer = side
        table.tell("withdraws", rule="11.11", side=side, space=battle.space, rounds=battle.round)
    else:
        told = "withdrawal_cancelled" if cancelled else "withdrawal_fails"
        table.tell(told, rule="11.11", side=side, space=battle.space)
        yield from _pass_initiative(game, table, cancelled)


def _pass_initiative(game: Game, table: Table, cancelled: bool) -> Flow[None]:
    """Settle the initiative after a failed withdrawal (11.11)."""
    battle, edition = game.the_battle, game.options["withdraw_fail_initiative"]
    # Without a general only a matched Double Envelopment makes the defender the attacker (11.6).
    if ENEMY[battle.initiative] not in battle.commanders:
        return
    if edition == MUST or (edition == IF_CANCELLED and cancelled):
        seize(battle, table, "11.11")
    elif edition != IF_CANCELLED:
        yield from offer_initiative(game, table, "withdrawal", rule="11.11")


def why_no_withdrawal(game: Game, side: Side) -> Refusal | None:
    """Say why the attacker may not try to withdraw; None: they may (11.11)."""
    battle = game.the_battle
    if side not in battle.commanders:
        return Refusal("only a general can break off a battle", "11.11")
    most = game.options["withdraw_limit"]
    if most is not None and battle.withdrawals >= most:
        return Refusal("you have already tried to withdraw in this round", "11.11")
    if refuges(game, side):
        return None
    if side == battle.attacker and battle.attacker_from is not None:
        back = game.board.spaces[battle.attacker_from].name
        return Refusal(f"you could withdraw only to {back}, where you came from, and that is barred", "11.11")
    reason = "there is no space to withdraw to: no pass, strait or sea, no enemy marker, CU or unfriendly tribe"
    return Refusal(reason, "11.11")


def refuges(game: Game, side: Side) -> list[str]:
    """List where an army may withdraw to from a battle (11.11).

    Over an ordinary line, to a space without enemy marker, enemy CU or unfriendly tribe; the original attacker
    only to where he came from, nobody to where the enemy came from. A force that sallied out alone goes back inside.
    """
    battle, board = game.the_battle, game.board
    if side == battle.attacker and sallied_alone(game):
        return [battle.space]
    near = board.by_land[battle.space]
    if side == battle.attacker:
        near = tuple(space for space in near if space == battle.attacker_from and space not in battle.defender_from)
    enemy, generals = ENEMY[side], game.stack(side, battle.space).generals
    return [
        space
        for space in near
        if (side == battle.attacker or space != battle.attacker_from)
        and game.control.get(space) != enemy
        and not game.unfriendly_tribe(side, space)
        and not game.stack(enemy, space).cu
        and all(may_be_in(game, general, space) for general in generals)
    ]


def sallied_alone(game: Game) -> bool:
    """Tell whether all attackers sallied out of the city, with no relieving army (16.4.4)."""
    battle = game.the_battle
    sallied = battle.sallied
    if sallied.empty or battle.strength.get(battle.attacker) != sallied.cu:
        return False
    return all(general in sallied.generals for general in game.stack(battle.attacker, battle.space).generals)


def go_back_in(game: Game, table: Table) -> None:
    """Take back into the city who sallied out of it, when the attackers break off; others fell first (16.5.5)."""
    battle = game.the_battle
    side, space, sallied = battle.attacker, battle.space, battle.sallied
    stack = game.stack(side, space)
    elephants = min(sallied.elephants, stack.elephants)
    cu = elephants + min(sallied.cu - sallied.elephants, stack.cu - stack.elephants)
    generals = [general for general in stack.generals if general in sallied.generals]
    part = Stack(cu, elephants, generals)
    if not part.empty:
        enter_city(game, space, game.take(side, space, part))
        table.tell("enters_city", rule="16.5.5", side=side, space=space, cu=cu, generals=generals)


def withdraw(game: Game, table: Table) -> Flow[None]:
    """Move the army that broke off to an adjacent space, whole; who sallied goes back inside (11.11, 16.5.5)."""
    battle = game.the_battle
    side, space = battle.the_withdrawer, battle.space
    yield from displace_the_destroyed(game, table)
    if game.result is not None:
        return
    open_spaces = refuges(game, side)
    if side == battle.attacker:
        go_back_in(game, table)
    stack = game.stack(side, space)
    if stack.empty:
        return
    to = next((space for space in open_spaces if game.control.get(space) == side), open_spaces[0])
    if len(open_spaces) > 1:
        generals = list(stack.generals)
        order = yield from table.ask(
            side, "withdraw_to", rule="11.11", default={"space": to}, space=space, cu=stack.cu, generals=generals
        )
        to = order["space"]
    table.tell(
        "withdraws_to", rule="11.11", side=side, space=space, refuge=to, cu=stack.cu, generals=list(stack.generals)
    )
    force = game.take(side, space, Stack(stack.cu, stack.elephants, list(stack.generals), stack.train))
    arrive(game, game.put(side, to, force), force.generals)
    yield from drive_off_generals(game, table, side, to)


def refuge_choices(view: Game, decision: Decision) -> Part:
    """Return where the army that broke off may go (11.11)."""
    return OneOf("space", [Value(space, at=space) for space in refuges(view, decision.side)], of="space")


def check_refuge(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the space to withdraw to (11.11)."""
    can = refuges(view, decision.side)
    if order["space"] not in can:
        why = _why_no_refuge(view, decision.side, order["space"])
        yield order.fault(("space",), f"{why}; you can withdraw to {spaces_named(view, can, 'or')}", rule="11.11")


def _why_no_refuge(game: Game, side: Side, to: str) -> str:
    """Say why an army may not withdraw to a space (11.11)."""
    if to not in game.board.spaces:
        return no_such_space(game, to)
    battle, name, enemy = game.the_battle, space_named(game, to), ENEMY[side]
    if to not in game.board.by_land[battle.space]:
        return f"no ordinary line leads from {space_named(game, battle.space)} to {name}"
    if side == battle.attacker:
        return f"who attacked goes back where he came from, not to {name}"
    if to == battle.attacker_from:
        return f"the enemy came from {name}"
    if game.control.get(to) == enemy:
        return f"{name} has an enemy marker"
    if game.unfriendly_tribe(side, to):
        return f"{name} is a tribe that is not friendly"
    if game.stack(enemy, to).cu:
        return f"enemy CU stand in {name}"
    return f"a general there may not leave his part of the map for {name}"


INITIATIVE_KINDS: Final = (
    Kind("counterattack", *yes_or_no("roll"), hints="views.hints:at_most"),
    Kind("take_initiative", *yes_or_no("take")),
)
WITHDRAWAL_KINDS: Final = (
    Kind("cancel_withdrawal", *yes_or_no("roll"), hints="views.hints:at_most"),
    Kind("withdraw_to", refuge_choices, check_refuge, is_last=once_a_march),
)
