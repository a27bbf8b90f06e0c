"""Sieges of cities and subjugation of tribes: the roll at the end of a march, and its results (16.4, 16.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.game import Kind, OneOf, Part, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.battle.losses import Army, Cause, suffer
from pbem.rules.rome_carthage.movement.card_play import opened_by_traitor, siege_dice, siege_modifier
from pbem.rules.rome_carthage.orders import BesiegeOrder
from pbem.rules.rome_carthage.position.board import WALLED_CITY
from pbem.rules.rome_carthage.position.generals import displace, is_consul, why_not_at_hand
from pbem.rules.rome_carthage.position.naming import general_named, generals_named, no_such_general, space_named
from pbem.rules.rome_carthage.position.state import CAPITAL, CARTHAGE, ENEMY, SIDES, Game, Result, once_a_march
from pbem.rules.rome_carthage.position.under_way import Battle, Besiegers, Stack


def end_of_march(game: Game, table: Table, side: Side, space: str) -> Flow[Besiegers | None]:
    """Let the army that ends its march at an enemy city or an unfriendly tribe besiege or subjugate it once (16.4).

    Return who did; None: nobody.
    """
    able = conductors(game, side, space)
    if not able:
        return None
    by = able[0]
    if game.the_march.then != "siege":
        order = yield from table.ask(
            side,
            "besiege",
            rule="16.4",
            default={"attempt": True},
            space=space,
            general=by,
            able=able,
            cu=game.stack(side, space).cu,
            points=game.siege_points.get(space, 0),
        )
        said = BesiegeOrder.read(order)
        if not said.attempt:
            return None
        by = said.by or by
    game.the_card.rolled_at.append(space)
    stack = game.stack(side, space)
    came, part = stack.cu, _his_part(game, stack, by)
    if opened_by_traitor(game, space):
        table.tell("city_betrayed", rule="card 18", side=side, space=space)
        yield from capture(game, table, side, space)
    else:
        yield from besiege(game, table, side, space, by)
    return Besiegers(by, None if part is None else max(0, part - (came - game.cu(side, space))))


def _his_part(game: Game, stack: Stack, general: str) -> int | None:
    """Return the CU that an attempt takes up: those that a subordinate needs (2007); None: the whole army (16.4)."""
    if stack.commander == general or not game.options["sub_general_siege"]:
        return None
    return _needed(game, stack, general)


def besiege(game: Game, table: Table, side: Side, space: str, general: str) -> Flow[None]:
    """Make the one attempt of a card play on a city or a tribe, under a general (16.4).

    Where two dice are rolled, both count: the first alone if it takes the city.
    """
    city = is_enemy_city(game, side, space)
    what = "siege" if city else "subjugation"
    for die in range(siege_dice(game, general) if city else 1):
        roll = table.roll(
            f"{what}/{space}" + (f".{die + 1}" if die else ""),
            rule="16.4",
            modifiers=siege_modifiers(game, side, space, general) if city else {},
            side=side,
            space=space,
            general=general,
        )
        points, lost = game.board.siege_result(roll.total)
        army = Army(side, game.stack(side, space), space)
        yield from suffer(game, table, army, (lost, 0), Cause(what, "16.4"))
        if points:
            stands = game.siege_points[space] = game.siege_points.get(space, 0) + points
            table.tell(f"{what}_points", rule="16.4", side=side, space=space, gained=points, points=stands)
        else:
            table.tell(f"{what}_stalls", rule="16.4", side=side, space=space, points=game.siege_points.get(space, 0))
        if game.siege_points.get(space, 0) >= game.board.siege.points:
            yield from (capture if city else subjugate)(game, table, side, space)
            return


def conductors(game: Game, side: Side, space: str) -> list[str]:
    """List who may conduct the siege or the subjugation at the end of a march, he who marched first (16.4).

    He needs three CU there, his own or found there; under another's command five if he is a consul (14.2). By the
    rules of 2007 a subordinate of his may do it in his place. A card makes one attempt on each city and tribe.
    """
    march = game.march
    stack = game.stacks[side].get(space)
    if march is None or stack is None or march.general not in stack.generals or not is_target(game, side, space):
        return []
    if space in game.the_card.rolled_at or (game.truce and game.control.get(space) == ENEMY[side]):
        return []
    names = [march.general]
    if game.options["sub_general_siege"] and stack.commander == march.general:
        names = stack.generals
    return [general for general in names if stack.cu >= _needed(game, stack, general)]


def _needed(game: Game, stack: Stack, general: str) -> int:
    """Return the CU that a general needs for a siege or a subjugation (14.2, 16.4)."""
    subordinate = stack.commander != general
    return game.board.consular_army if subordinate and is_consul(game, general) else game.board.siege.cu


def is_enemy_city(game: Game, side: Side, space: str) -> bool:
    """Tell whether a space holds a walled city of the enemy (16.1)."""
    return game.board.spaces[space].kind == WALLED_CITY and game.control.get(space) == ENEMY[side]


def siege_modifiers(game: Game, side: Side, space: str, general: str) -> dict[str, int]:
    """Return the modifiers of a siege roll: strong walls, Carthage without engines, the general's ability (16.4).

    None of them serves to subjugate a tribe.
    """
    engines = side != CARTHAGE or game.stack(side, space).train
    return {
        "walls": game.board.spaces[space].siege_modifier,
        "no_siege_train": 0 if engines else game.board.siege.carthage,
        "besieger": siege_modifier(game, general),
    }


def capture(game: Game, table: Table, side: Side, space: str) -> Flow[None]:
    """Take a walled city: all inside are lost, and a fallen capital ends the war (16.4.1, 19).

    By the rules of 1998 Carthage must still hold Rome at the next victory check.
    """
    game.siege_points.pop(space, None)
    inside = game.garrisons.pop(space, None)
    game.control[space] = side
    table.tell("city_falls", rule="16.4.1", side=side, space=space, cu=inside.cu if inside else 0)
    waits = side == CARTHAGE and game.options["rome_falls_timing"] == "victory_check"
    if inside and inside.train:
        table.tell("train_lost", rule="card 30", side=ENEMY[side], space=space)
    if space == CAPITAL[ENEMY[side]] and not waits:
        game.result = Result(side, f"{space}_falls")
        game.out += inside.generals if inside else []
    elif inside:
        yield from displace(game, table, ENEMY[side], inside.generals, "city_falls")


def subjugate(game: Game, table: Table, side: Side, space: str) -> Flow[None]:
    """Take a tribe off the board for good; a control marker of the victor replaces it (16.4.2)."""
    del game.siege_points[space]
    game.tribes.remove(space)
    game.control[space] = side
    table.tell("tribe_subjugated", rule="16.4.2", side=side, space=space)
    yield from ()


def lift_empty(game: Game, table: Table) -> None:
    """End every siege and subjugation where no CU of a besieger are left in the space (16.5)."""
    for space in sorted(game.siege_points):
        if not kept_up(game, space):
            _lift(game, table, space)


def kept_up(game: Game, space: str) -> bool:
    """Tell whether CU of somebody stand where they keep up a siege or a subjugation (16.5)."""
    return any(game.cu(side, space) and is_target(game, side, space) for side in SIDES)


def is_target(game: Game, side: Side, space: str) -> bool:
    """Tell whether a space holds what a side can besiege or subjugate (16.4)."""
    return is_enemy_city(game, side, space) or game.unfriendly_tribe(side, space)


def lift_left(game: Game, table: Table, side: Side, space: str) -> None:
    """End a side's siege or subjugation in a space where it has no CU any more (16.5)."""
    if space in game.siege_points and not game.cu(side, space) and is_target(game, side, space):
        _lift(game, table, space)


def lift_of(game: Game, table: Table, battle: Battle) -> None:
    """End a subjugation whose army a battle has driven off, though the victor stands there in its place (16.5).

    The side that was subjugating the tribe is the defender, unless all of its CU came by interception.
    """
    space, defender = battle.space, ENEMY[battle.attacker]
    if space not in game.siege_points or game.board.spaces[space].kind == WALLED_CITY:
        return
    was_there = battle.strength[defender] > sum(battle.defender_from.values())
    if not game.stack(defender if was_there else battle.attacker, space).cu:
        _lift(game, table, space)


def take_points(game: Game, table: Table, space: str, points: int, *, rule: str) -> None:
    """Take points off a siege or a subjugation by an event; with none left it has ended (cards 17, 49, 53)."""
    left = game.siege_points[space] - points
    if left > 0:
        game.siege_points[space] = left
        table.tell("points_taken", rule=rule, space=space, points=left)
    else:
        _lift(game, table, space)


def _lift(game: Game, table: Table, space: str) -> None:
    """Take the points of a siege or a subjugation off the board (16.5)."""
    points = game.siege_points.pop(space)
    kind = "subjugation_ends" if space in game.tribes else "siege_lifted"
    table.tell(kind, rule="16.5", space=space, points=points)


def besiege_choices(view: Game, decision: Decision) -> Part:
    """Return who may conduct the attempt, and to make none (16.4)."""
    able: Sequence[str] = decision.facts["able"]
    by = OneOf("by", [*[Value(general) for general in able], Value(None, unlisted=True)], of="general")
    return OneOf("attempt", [Value(True, by, says=("besiege",)), Value(False, says=("stop",), must=True)])


def check_besiege(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with who is to conduct the attempt (16.4)."""
    able, said = decision.facts["able"], BesiegeOrder.read(order)
    by = said.by
    if by is not None and not said.attempt:
        yield order.fault(("by",), "who makes no attempt names nobody; leave out by", rule="16.4")
    elif by is not None and by not in able:
        yield order.fault(("by",), _why_not_by(view, decision, by), rule="16.4")


def _why_not_by(view: Game, decision: Decision, by: str) -> str:
    """Say why a general cannot conduct a siege or a subjugation (16.4)."""
    can = f"{generals_named(view, decision.facts['able'], 'or')} can conduct it"
    if by not in view.board.generals:
        return f"{no_such_general(view, by)}; {can}".replace("?;", "?")
    if (absent := why_not_at_hand(view, decision.side, by, "16.4")) is not None:
        return f"{absent.reason}; {can}"
    space, _ = view.whereabouts(by)
    if space != (at := decision.facts["space"]):
        return f"{general_named(view, by)} is in {space_named(view, space)}, not in {space_named(view, at)}; {can}"
    return f"{general_named(view, by)} was not activated on this card, or has too few CU there for an attempt; {can}"


SIEGE_KINDS: Final = (
    Kind("besiege", besiege_choices, check_besiege, hints="views.hints:besiege", is_last=once_a_march),
)
