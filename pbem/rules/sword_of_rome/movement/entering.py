"""Entering a space: city positions, bribes, and the reactions to an army that comes, in the printed order (9.3).

1. The owner of a city says who goes inside: the walls hold three CU and any leaders (9.3.1).
2. Interceptions and avoidance are declared, secret and at once, then rolled for (9.3.2, 10, 11).
3. Who was intercepted may go back (10.5.1).
4. The Etruscans may pay a bribe, before any card is played (7.2.2).
5. Caudine Forks and other responses (9.3.3).

The battle that follows is that of `march`. A leader without CU meets none of this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pbem.game import Kind, OneOf, Part, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.movement import reactions
from pbem.rules.sword_of_rome.movement.parts import (
    Body,
    arrange,
    move_out,
    rest_of,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import why_not_end
from pbem.rules.sword_of_rome.movement.reactions import Avoidance
from pbem.rules.sword_of_rome.movement.voyages import BRIBE, card_choices, check_card, holds_cards, play_beside
from pbem.rules.sword_of_rome.position.board import ETRUSCANS, WALLED
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.naming import space_named, units
from pbem.rules.sword_of_rome.position.state import NONE, Force, Game, window_decision
from pbem.rules.sword_of_rome.siege.siege import place_marker
from pbem.rules.sword_of_rome.turn.order_of_play import decider

# ---- city positions (9.3.1)


def take_positions(game: Game, table: Table) -> Flow[None]:
    """Let the owner of the city into whose space an army has come say who goes inside (9.3.1).

    A power hides in its own cities only, not in those of an ally, and in its capital overseas it stands (17.1).
    Leaders without CU always go inside. Once it is said who goes, a response may bar the city (21.3).
    """
    march = game.the_march
    space = march.at
    holder = game.control.get(space)
    if game.kind(space) != WALLED or holder is None or game.allied(holder, march.power) or game.board.is_capital(space):
        return
    there = game.force(holder, space)
    if there.empty or space in game.inside:
        return
    if there.cu:
        if game.barred(space):
            return
        side = yield from decider(game, table, holder)
        facts = {"power": holder, "at": space, "mover": march.power, "enemy_cu": march.force.cu, "own_cu": there.cu}
        order = yield window_decision(game, Decision("city", side, "9.3.1", facts, as_many(game, there)))
        part = part_inside(there, order.body)
        if part.cu == there.cu:
            part.leaders = list(there.leaders)
    else:
        part = Force(leaders=list(there.leaders))
    if part.cu:
        yield from responses.window(game, table, "into_city", about={"space": space, "power": holder})
    if part.empty or (part.cu and game.barred(space)):
        return
    inside = move_out(game, holder, space, part)
    arrange(game, inside)
    game.inside[space] = inside
    table.tell("goes_inside", power=holder, space=space, cu=inside.cu, leaders=list(inside.leaders), rule="9.3.1")


def part_inside(there: Force, body: Body) -> Force:
    """Return the part of a force that an order puts inside a city; mercenaries stay out unless it names them."""
    cu: int = body["cu"]
    return Force(cu, body.get("mercenaries", there.fewest_mercenaries(cu)), list(body.get("leaders", ())))


def as_many(game: Game, there: Force) -> dict[str, object]:
    """Return the order that puts as many CU as can go inside the city; the leaders too, if all can (9.3.1)."""
    room: int = game.board.tables["city"]["cu"]
    if there.cu <= room:
        return {"cu": there.cu, "leaders": list(there.leaders)}
    return {"cu": room, "leaders": []}


def city_choices(view: Game, decision: Decision) -> Part:
    """Return what may stand inside a city: three CU at most, and any of the leaders (9.3.1)."""
    there = view.force(decision.facts["power"], decision.facts["at"])
    room = view.board.tables["city"]["cu"]

    def inside(leaders: Sequence[str]) -> Part:
        able = []
        for cu in range(min(room, there.cu) + 1):
            part = Force(cu, 0, list(leaders))
            if why_consul_alone(view, part, rest_of(there, part)) is None or cu == there.cu:
                able.append(cu)
        return units(there, able)

    some = [list(each) for size in range(len(there.leaders) + 1) for each in combinations(there.leaders, size)]
    return OneOf("leaders", [Value(leaders, inside(leaders)) for leaders in some], of="leader", default=0)


def check_city(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with who goes inside a city: its room, who is there, a consul left alone (9.1.2, 9.3.1)."""
    there = view.force(decision.facts["power"], decision.facts["at"])
    room = view.board.tables["city"]["cu"]
    part = part_inside(there, order.body)
    where = space_named(view, decision.facts["at"])
    if part.cu > room:
        yield order.fault(("cu",), f"{room} CU fit into {where}, not {part.cu}", rule="9.3.1")
    wrong = list(why_not_part(view, there, Force(part.cu, part.mercenaries)))
    yield from (order.fault((word,), refusal.reason, rule="9.3.1") for word, refusal in wrong)
    for at, leader in enumerate(part.leaders):
        if leader not in there.leaders or leader in part.leaders[:at]:
            yield order.fault(("leaders", at), f"{leader} does not stand before {where}", rule="9.3.1")
    if not wrong and part.cu < there.cu and (alone := why_consul_alone(view, part, rest_of(there, part))) is not None:
        yield order.fault(("cu",), alone.reason, rule=alone.rule)


# ---- the Etruscan bribe: a card of value 3 turns an enemy army back, or opens the way of one's own (7.2.2)


def stands_to_bribe(game: Game) -> bool:
    """Tell whether a bribe may be paid where the force under way has come to (7.2.2).

    Either it has come upon an Etruscan army, or it is one itself, among enemy CU. The mines must be working.
    """
    march = game.the_march
    side = game.board.powers[ETRUSCANS].side
    if game.mines_depleted or side is None or side in game.out or not holds_cards(game, side):
        return False
    enemies = game.enemies_in(march.power, march.at)
    if march.power == ETRUSCANS:
        return march.force.army and bool(enemies)
    return ETRUSCANS in enemies and game.force(ETRUSCANS, march.at).army


def bribe(game: Game, table: Table) -> Flow[bool]:
    """Let the Etruscans pay a bribe, after interception and avoidance, and before other cards (7.2.2).

    An enemy army goes back one space and stops. An own one passes through, and those whom it has bribed do not
    intercept it. The card is out of the game. Return whether it was paid.
    """
    if not stands_to_bribe(game):
        return False
    march, side = game.the_march, game.board.powers[ETRUSCANS].side
    assert side is not None
    own = march.power == ETRUSCANS
    enemies = game.enemies_in(march.power, march.at)
    cu = sum(game.force(power, march.at).cu for power in enemies) if own else march.force.cu
    facts = {"space": march.at, "mover": march.power, "enemy_cu": cu}
    order = yield window_decision(game, Decision("bribe", side, "7.2.2", facts, {"card": NONE}))
    if order["card"] == NONE:
        return False
    play_beside(game, table, side, order["card"], BRIBE)
    march.bribed.append(march.at)
    table.tell("bribed", power=march.power, space=march.at, rule="7.2.2")
    if not own:
        turn_back(game, table)
    return True


def turn_back(game: Game, table: Table) -> None:
    """Send the force under way back one space, or as far as it may stop, and end its march (7.2.2, 15.3)."""
    march = game.the_march
    march.over = True
    for space in reversed(march.trail[:-1]):
        march.at = space
        if why_not_end(game, march, space) is None and not game.enemies_in(march.power, space):
            break
    table.tell("goes_back", power=march.power, leader=march.leader, space=march.at, rule="7.2.2")


# ---- the reactions (9.3)


class Met(NamedTuple):
    """What an army has met in a space: who has intercepted it, who tried to avoid it, and whether somebody has."""

    intercepted_by: str | None = None
    failed_avoidance: tuple[str, ...] = ()
    avoided: bool = False


def enter(game: Game, table: Table, name: str) -> Flow[Met]:
    """Let all react to the army under way in the space that it has entered (9.3); `name` goes into names of rolls."""
    march = game.the_march
    if not march.force.army:
        return Met()
    yield from take_positions(game, table)
    declared, avoiding = yield from _declarations(game, table)
    by = yield from reactions.intercept(game, table, declared, name)
    failed: list[str] = []
    avoided = False
    for each in avoiding:
        if (yield from reactions.avoid(game, table, each, name)):
            avoided = True
        else:
            failed.append(each.power)
    settle_spaces(game, table)
    met = Met(by, tuple(failed), avoided)
    if by is not None and march.flanking is not None:
        march.caught_by, march.over = by, True
        return met
    return (yield from react(game, table, met, name))


def react(game: Game, table: Table, met: Met, name: str) -> Flow[Met]:
    """Do what follows interceptions and avoidance: refusal, bribe, responses (10.5.1, 7.2.2, 9.3.3)."""
    march = game.the_march
    by, space = met.intercepted_by, march.at
    away = by is not None and (yield from reactions.refuse(game, table, by, name))
    away = away or ((yield from bribe(game, table)) and march.over)
    if away:
        if by is not None:
            place_marker(game, table, by, space)  # its army stands before an enemy city now, if there is one (13.1)
        return met
    enemies = [power for power in game.enemies_in(march.power, march.at) if march.at not in march.bribed]
    about = {"space": march.at, "power": march.power, "other": enemies[0] if enemies else None}
    yield from responses.window(game, table, "army_enters", about=about)
    return met


def _declarations(game: Game, table: Table) -> Flow[tuple[Mapping[str, Sequence[Body]], Sequence[Avoidance]]]:
    """Ask all at once who intercepts, and return the forces by power; and who avoids battle (9.3.2)."""
    asked = yield from reactions.interception_questions(game, table)
    asked += yield from reactions.avoidance_questions(game, table)
    if not asked:
        return {}, []
    orders = yield from table.ask_all(asked)
    declared: dict[str, Sequence[Body]] = {}
    avoiding: list[Avoidance] = []
    for decision, order in zip(asked, orders, strict=True):
        power = decision.facts["power"]
        if decision.kind == "intercept":
            declared[power] = order["with"]
        elif order["to"] != NONE:
            avoiding.append(reactions.declared(game, power, order))
    return declared, avoiding


ENTERING_KINDS: Final = (
    Kind("city", city_choices, check_city, hints="views.hints:city_hints", bot="policy.replies:best_city"),
    Kind(BRIBE, card_choices, check_card, hints="views.hints:reaction_card_hints", bot="policy.replies:best_bribe"),
)
