"""The choice of an intercepted army: fight, back up, or enter its city if it came by sea (9.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from pbem.game import Kind, OneOf, Part, Refusal, Share, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.rome_carthage.battle.retreat import splits_consul
from pbem.rules.rome_carthage.movement.card_play import note_stop
from pbem.rules.rome_carthage.movement.hazards import cross_pass, land_in_city, sail_back
from pbem.rules.rome_carthage.orders import CITY, Body, InterceptedOrder
from pbem.rules.rome_carthage.position.board import SEA
from pbem.rules.rome_carthage.position.generals import arrange, displace, drive_off_generals
from pbem.rules.rome_carthage.position.naming import general_named, generals_named, why_no_elephants
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March, Stack
from pbem.rules.rome_carthage.siege.walls import enter_city, room

FIGHT: Final = "fight"
BACK_UP: Final = "back_up"


def answer_interception(game: Game, table: Table, march: March) -> Flow[None]:
    """Let the intercepted army fight, back up to the space it came from and stop, or go into its city (9.3).

    A general without units cannot fight: he backs up. Where units of his side stood before, all fight: armies of
    both sides never stay in one space (9.1 of 1998).
    """
    if game.stack(march.side, march.at).cu:
        return
    fits = shelter(game, march)
    order = InterceptedOrder(BACK_UP)
    if march.force.cu and march.if_intercepted is not None:
        order = InterceptedOrder(march.if_intercepted)
    elif march.force.cu or fits is not None:
        answer = yield from table.ask(
            march.side,
            "intercepted",
            rule="9.3",
            default=unanswered(march, fits),
            general=march.general,
            at=march.at,
            cu=march.force.cu,
            back_to=march.the_way_back,
            by_sea=march.came_by == SEA,
            room=fits,
            enemy_cu=game.stack(ENEMY[march.side], march.at).cu,
        )
        order = InterceptedOrder.read(answer)
    if order.choice == CITY:
        yield from take_shelter(game, table, march, order)
    elif order.choice == BACK_UP:
        yield from back_up(game, table, march)


def shelter(game: Game, march: March) -> int | None:
    """Return the room for an intercepted landing in its own city; None: it may not go there (9.1, 9.3).

    By the rules of 1998 nobody uses the city before the battle is over.
    """
    if march.came_by != SEA or not game.options["landed_may_shelter"]:
        return None
    fits = room(game, march.side, march.at)
    return fits if fits or not march.force.cu else None


def unanswered(march: March, fits: int | None) -> Body:
    """Return the default for an intercepted army: it fights; a landing that fits enters the city (9.3)."""
    if fits is not None and march.force.cu <= fits:
        return {"choice": CITY}
    return {"choice": FIGHT if march.force.cu else BACK_UP}


def back_up(game: Game, table: Table, march: March) -> Flow[None]:
    """Go back to the space the army came from, where its move ends (9.3).

    An army that backs up over a pass rolls for it again, over the sea perhaps too. A general of its side who stood
    alone in the space is displaced (8.9), and so is one whom the Romans keep there without units.
    """
    space, side = march.at, ENEMY[march.side]
    if march.came_by == SEA:
        gone = yield from sail_back(game, table, march)
        if not gone and march.force.cu:
            return
        game.reaction = None
        if not gone:
            generals, march.force, march.over = march.force.generals, Stack(), True
            yield from displace(game, table, march.side, generals, "overtaken")
    else:
        march.at, march.over, march.halted = march.the_way_back, True, True
        game.reaction = None
        table.tell("backed_up", side=march.side, general=march.general, space=march.at, rule="9.3")
        yield from cross_pass(game, table, march, march.came_by, f"{march.at}/back")
    if game.result is None:
        yield from drive_off_generals(game, table, side, space)


def take_shelter(game: Game, table: Table, march: March, order: InterceptedOrder) -> Flow[None]:
    """Go into the city with all the army, or with the part that is named while the rest sails back (9.3)."""
    inside, march.halted = part_inside(march.force, order), True
    if inside.cu == march.force.cu:
        game.reaction = None
        land_in_city(game, table, march)
        yield from drive_off_generals(game, table, ENEMY[march.side], march.at)
        return
    force, march.force = march.force, inside
    enter_city(game, march.at, inside)
    note_stop(game, march, inside)
    table.tell("enters_city", side=march.side, space=march.at, cu=inside.cu, generals=inside.generals, rule="9.3")
    generals = [general for general in force.generals if general not in inside.generals]
    march.force = Stack(force.cu - inside.cu, force.elephants - inside.elephants, generals)
    arrange(game, march.force)
    march.general = march.force.generals[0]
    yield from back_up(game, table, march)


def part_inside(force: Stack, order: InterceptedOrder) -> Stack:
    """Return the part of a landed force that an order sends into the city; without a number all of it (9.3)."""
    if order.cu is None or order.cu == force.cu:
        return Stack(force.cu, force.elephants, list(force.generals))
    elephants = force.fewest_elephants(order.cu) if order.elephants is None else order.elephants
    return Stack(order.cu, elephants, list(order.generals))


def intercepted_choices(view: Game, decision: Decision) -> Part:
    """Return what an intercepted army may do: fight, back up, or go into the city, whole or in part (9.3)."""
    march = view.the_march
    fits, force = shelter(view, march), march.force
    values = [Value(word, says=(word,)) for word in ([FIGHT, BACK_UP] if force.cu else [BACK_UP])]
    if fits is not None and force.cu <= fits:
        values.append(Value(CITY, says=(CITY,)))
    elif fits is not None:
        values.append(Value(CITY, _parts(view, force, fits), says=(CITY,)))
    return OneOf("choice", values)


def _parts(view: Game, force: Stack, fits: int) -> Part:
    """Return the parts of a landed army that may go into the city while the rest sails back (9.3)."""
    parts = []
    for group in [group for size in range(len(force.generals)) for group in combinations(force.generals, size)]:
        able = [cu for cu in range(fits, 0, -1) if not splits_consul(view, force, cu, group)]
        parts.append(Value(list(group), Share(("cu", "elephants"), force.cu, force.elephants, able, filled=False)))
    return OneOf("generals", parts, of="general", default=0)


def check_intercepted(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the answer of an intercepted army (9.3)."""
    march, said = view.the_march, InterceptedOrder.read(order)
    fits = shelter(view, march)
    if said.choice == FIGHT and not march.force.cu:
        yield order.fault(("choice",), "a general without CU cannot fight; he may back up", rule="8.4.2")
    if said.choice != CITY:
        for word in ("cu", "elephants", "generals"):
            if word in order.body:
                yield order.fault((word,), f"{word} goes with choice: city only", rule="9.3")
    elif fits is None:
        yield _why_no_shelter(view, march).at(("choice",))
    else:
        yield from _check_part(view, march.force, fits, order, part_inside(march.force, said))


def _why_no_shelter(view: Game, march: March) -> Refusal:
    name = view.board.spaces[march.at].name
    if march.came_by != SEA:
        return Refusal(f"only an army that came by sea may go into {name}; fight or back up", "9.1")
    if not view.options["landed_may_shelter"]:
        return Refusal(f"{name} is no shelter until the battle is over; fight or back up", "9.1")
    return Refusal(f"{name} is no unbesieged city of yours with room; fight or back up", "9.1")


def _check_part(view: Game, force: Stack, fits: int, order: Order, inside: Stack) -> Iterator[Fault]:
    """Yield what is wrong with the part of a landed army that goes into the city while the rest sails back (9.3)."""
    if force.cu <= fits:
        for word in ("cu", "elephants", "generals"):
            if word in order.body:
                yield order.fault((word,), f"all of the army fits into the city; leave out {word}", rule="9.3")
        return
    if not 1 <= inside.cu <= fits:
        at = ("cu",) if "cu" in order.body else ("choice",)
        yield order.fault(at, f"1 to {fits} CU may go into the city, not {inside.cu}; say cu", rule="16.2")
        return
    if (why := why_no_elephants(force, inside.cu, inside.elephants)) is not None:
        yield why.at(("elephants",))
    for at_general, general in enumerate(inside.generals):
        if general not in force.generals or general in inside.generals[:at_general]:
            here, who = generals_named(view, force.generals), general_named(view, general)
            reason = f"{who} cannot be sent into the city; with the army there is: {here}"
            yield order.fault(("generals", at_general), reason, rule="9.3")
            return
    if len(inside.generals) == len(force.generals):
        yield order.fault(("generals",), "a general must sail back with the rest: CU do not sail alone", rule="8.8")
    if splits_consul(view, force, inside.cu, inside.generals):
        reason = f"a consul keeps {view.board.consular_army} CU with him: he may be left with no fewer in either part"
        yield order.fault(("choice",), reason, rule="14.2")


INTERCEPTED_KINDS: Final = (
    Kind(
        "intercepted",
        intercepted_choices,
        check_intercepted,
        hints="views.hints:intercepted",
        bot="policy.answers:intercepted",
    ),
)
