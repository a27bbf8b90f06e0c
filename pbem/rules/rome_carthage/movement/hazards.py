"""Hazards of the way: mountain passes, cards played against a march, voyages (8.3.2, 8.8, cards 7, 8, 41, 60).

Hostile Tribes, Bad Weather and Storms at Sea are windows of the side that is not on the march (7.4.1).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pbem.game import Kind, Table
from pbem.protocol import Flow
from pbem.rules.rome_carthage.battle.losses import Army, Cause, Hardship, attrition
from pbem.rules.rome_carthage.events.playing import Window, cards_of, check_window, open_window, window_choices
from pbem.rules.rome_carthage.movement.card_play import CAMPAIGN, march_type, note_stop, played_with
from pbem.rules.rome_carthage.movement.paths import step_cost
from pbem.rules.rome_carthage.position.board import ALPS_PASS, LAND, PASS, PASSES, SEA, STRAIT
from pbem.rules.rome_carthage.position.generals import displace
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, Game
from pbem.rules.rome_carthage.position.under_way import March, Stack
from pbem.rules.rome_carthage.siege.siege import lift_left
from pbem.rules.rome_carthage.siege.walls import enter_city

GUIDE: Final = "native_guide"
"""The event of the card that eases mountain passes for the march on it (card 5)."""
TRIBES: Final = "hostile_tribes"
WEATHER: Final = "bad_weather"
STORM: Final = "storms_at_sea"
SAFE: Final = "none"
RETURN: Final = "return"
SUNK: Final = "sunk"
SYRACUSE: Final = "syracuse"
PIRATES: Final = "pirates"


# ---- mountain passes: what an army that crosses one loses, at once or when its move is over (8.3.2, 17.2)


def named_space(march: March) -> str:
    """Return the space just entered as it stands in names of rolls: numbered when it is entered again."""
    times = march.entered.count(march.at)
    return march.at if times <= 1 else f"{march.at}.{times}"


def _on_the_march(march: March) -> Army:
    return Army(march.side, march.force, march.at)


def cross_pass(game: Game, table: Table, march: March, kind: str, name: str) -> Flow[None]:
    """Roll for the losses of an army that has crossed a mountain pass, or note that it must when it stops (8.3.2)."""
    if kind not in PASSES or not march.force.cu:
        return
    march.passes_due.append({"name": name, "kind": kind})
    if game.options["pass_roll_timing"] == "each_crossing":
        yield from pay_for_passes(game, table, march)


def pay_for_passes(game: Game, table: Table, march: March) -> Flow[None]:
    """Roll for each pass not yet paid for; a Native Guide eases them (8.3.2, 17.2, card 5).

    A force that loses its last unit there goes back where the space is held by the enemy: its generals are
    not displaced by attrition (8.9). Where other units of the side stand, they are not left alone.
    """
    due, march.passes_due = march.passes_due, []
    for crossed in due:
        if not march.force.cu:
            break
        kind = crossed["kind"]
        drm = game.options["pass_drm"]["alps" if kind == ALPS_PASS else "other"]
        guided = game.board.cards[game.the_card.card].about["pass"] if played_with(game, GUIDE) else 0
        crossing = Hardship(f"pass/{crossed['name']}", Cause("attrition", "8.3.2"), {kind: drm, GUIDE: guided})
        yield from attrition(game, table, _on_the_march(march), crossing)
    stays = game.stack(march.side, march.at).cu > 0
    if due and not march.force.cu and not stays and game.cu(ENEMY[march.side], march.at):
        march.at, march.over = march.the_way_back, True
        table.tell("turned_back", side=march.side, general=march.general, space=march.at, rule="8.4.2")


# ---- hostile tribes (cards 7, 8)


def meet_tribes(game: Game, table: Table, march: March) -> Flow[None]:
    """Let the enemy rouse the tribes against an army that has entered their country, card by card (cards 7, 8).

    An army that loses its last CU there goes back where the space is held by the enemy (8.4.2).
    """
    card = cards_of(game.board, TRIBES)[0]
    space = march.at
    if game.board.spaces[space].province not in card.about["provinces"]:
        return
    side, last = ENEMY[march.side], None
    while march.force.cu:
        facts = {"mover": march.general, "at": space, "enemy_cu": march.force.cu}
        played = yield from open_window(game, table, side, Window(TRIBES, "card 7", facts))
        if played is None:
            break
        last = played
        name, cause = f"{TRIBES}/{named_space(march)}/{played.number}", Cause(TRIBES, f"card {played.number}")
        yield from attrition(game, table, _on_the_march(march), Hardship(name, cause, column=played.about["column"]))
    if last is not None and not march.force.cu and game.cu(side, space):
        march.at, march.over = march.the_way_back, True
        table.tell("turned_back", side=march.side, general=march.general, space=march.at, rule="8.4.2")


# ---- bad weather (card 41)


def bad_weather(game: Game, table: Table, march: March, to: str, kind: str) -> Flow[bool]:
    """Let the enemy cut a march short before its next step; return whether the step is cancelled (card 41).

    `kind` is that of the road, or sea. What the general did before stands: he stays where he is, and may use what is
    left of two spaces, by ordinary lines. A voyage that is cancelled ends his move in the port, and a Campaign card
    moves nobody in the force again (8.4.1). By land it stops the general only, by the rules of 1998 his army with him.
    """
    if not within_reach(game, march, kind):
        return False
    by = kind if kind in (SEA, STRAIT) else PASS if kind in PASSES else LAND
    facts = {
        "mover": march.general,
        "at": march.at,
        "to": to,
        "by": by,
        "enemy_cu": march.force.cu,
        "spaces": len(march.entered),
    }
    played = yield from open_window(game, table, ENEMY[march.side], Window(WEATHER, "card 41", facts))
    if played is None:
        return False
    points = 0 if kind == SEA else played.about["spaces"] - len(march.entered)
    if march_type(game) == CAMPAIGN and kind != SEA and game.options["bad_weather_stops"] == "general":
        march.cut = march.points - points
    else:
        march.legs = [min(left, points) for left in march.legs]
        march.halted = True
    march.points = points
    march.path, march.then, march.over = [], "ask" if points else "", not points
    told = "voyage_cancelled" if kind == SEA else "march_cut_short"
    table.tell(told, rule="card 41", side=march.side, general=march.general, space=march.at, barred=to)
    return True


def within_reach(game: Game, march: March, kind: str) -> bool:
    """Tell whether Bad Weather can stop the next step (card 41).

    It can before a voyage, before the third space, and before a pass or a strait that takes more than two points;
    by the rules of 1998, by land, before the third space of a general whom a Campaign card moves.
    """
    if kind == SEA:
        return True
    spaces = cards_of(game.board, WEATHER)[0].about["spaces"]
    steps = len(march.entered)
    if game.options["bad_weather_by_land"] == CAMPAIGN:
        return steps == spaces and march_type(game) == CAMPAIGN
    if steps != 1:
        return steps == spaces
    narrow = kind == STRAIT or kind in PASSES
    return narrow and step_cost(game, march.came_by) + step_cost(game, kind) > spaces


# ---- storms at sea (card 60)


def storm(game: Game, table: Table, march: March) -> Flow[None]:
    """Let the enemy raise a storm against a force that has sailed, before the fleets meet (card 60).

    It takes attrition; generals come to no harm. When no CU is left they are back in the port of departure, or, by
    the rules of 1998, displaced (8.9). Without CU there is nothing for a storm to take.
    """
    if not march.force.cu:
        return
    side, origin = ENEMY[march.side], march.the_way_back
    facts = {"mover": march.general, "from": origin, "to": march.at, "enemy_cu": march.force.cu}
    played = yield from open_window(game, table, side, Window(STORM, "card 60", facts))
    if played is None:
        return
    name, modifiers = f"storm/{march.general}/{named_space(march)}", {"storm": played.about["drm"]}
    yield from attrition(game, table, _on_the_march(march), Hardship(name, Cause("storm", "card 60"), modifiers))
    if march.force.cu:
        return
    march.over, march.halted, march.path = True, True, []
    if game.options["storm_displaces"]:
        generals, march.force = march.force.generals, Stack()
        yield from displace(game, table, march.side, generals, cause="storm")
    else:
        march.at = origin
        table.tell("fleet_returns", rule="card 60", side=march.side, general=march.general, space=origin)


# ---- voyages: setting out, naval combat, landing, and backing up across the sea (8.8, 9.3)


def sail(game: Game, table: Table, march: March, to: str) -> Flow[None]:
    """Sail from port to port; the march is over if the army does not land (8.8)."""
    port = march.at
    march.spend(game.board.movement.cost[SEA])
    march.came_from, march.at, march.came_by = port, to, SEA
    march.entered.append(to)
    game.the_card.sailed = True
    table.tell(
        "sails",
        side=march.side,
        general=march.general,
        origin=port,
        space=to,
        cu=march.force.cu,
        elephants=march.force.elephants,
        rule="8.8",
    )
    lift_left(game, table, march.side, port)
    yield from storm(game, table, march)
    if march.over:
        return
    outcome = naval_combat(game, table, march, Voyage(port, to))
    if outcome == SUNK:
        yield from sink(game, table, march)
    elif outcome == RETURN:
        put_back(game, march)
        table.tell("fleet_returns", side=march.side, general=march.general, space=port, rule="8.8.3")
    else:
        table.tell("lands", side=march.side, general=march.general, space=to, cu=march.force.cu, rule="8.8")


def put_back(game: Game, march: March) -> None:
    """Put a fleet back into the port it came from: the rest of its move is lost (8.8.3, cards 41 and 60)."""
    march.at, march.over, march.halted = march.the_way_back, True, True
    march.path = []


class Voyage(NamedTuple):
    """A way by sea, from port to port (8.8)."""

    start: str
    to: str


def naval_combat(game: Game, table: Table, march: March, voyage: Voyage, way: str = "") -> str:
    """Roll for Rome against a Carthaginian voyage, and return the result: none, return or sunk (8.8.3)."""
    if unopposed(game, march, voyage):
        return SAFE
    roll = table.roll(
        f"naval/{march.general}/{named_space(march)}{way}",
        rule="8.8.3",
        modifiers=naval_modifiers(game, march, voyage),
        side=ROME,
        general=march.general,
        space=voyage.to,
        origin=voyage.start,
        cu=march.force.cu,
    )
    return game.board.naval_result(roll.total)


def unopposed(game: Game, march: March, voyage: Voyage) -> bool:
    """Tell whether a voyage needs no roll: Rome's own, in a Truce, or with the pirates (8.8.3, cards 50 and 64).

    The Adriatic Pirates help up to three CU to or from three ports, when their card is played for operations; by
    the rules of 1998 the port must be the one of arrival.
    """
    if march.side != CARTHAGE or game.truce:
        return True
    record = game.board.cards[game.the_card.card]
    if not played_with(game, PIRATES) or march.force.cu > record.about["cu"]:
        return False
    ends = (voyage.to,) if game.options["pirates_port"] == "landing" else voyage
    return any(port in record.about["ports"] for port in ends)


def naval_modifiers(game: Game, march: March, voyage: Voyage) -> dict[str, int]:
    """Return the modifiers of the naval combat roll by reason (8.8.3)."""
    table, spaces, (start, to) = game.board.tables["naval"], game.board.spaces, voyage
    both = game.options["naval_roman_pc_ports"] == "both"
    small = march.force.cu == 1 or (not march.force.cu and game.options["small_voyage"] == "general_or_one")
    return {
        "port_left": spaces[start].port_modifier or 0,
        "port_reached": spaces[to].port_modifier or 0,
        "roman_port_left": table["roman_port"] if both and game.control.get(start) == ROME else 0,
        "roman_port_reached": table["roman_port"] if game.control.get(to) == ROME else 0,
        "small_voyage": table["small"] if small else 0,
        "syracuse": table["syracuse"] if game.control.get(SYRACUSE) == CARTHAGE else 0,
        "macedonia": table["macedonia"] if game.macedonia else 0,
        "naval_victory": table["naval_victory"] if game.naval_victory else 0,
        "admiral": game.board.generals[march.general].naval,
    }


def sink(game: Game, table: Table, march: March) -> Flow[None]:
    """Lose a fleet with all its CU, and displace its generals; there are no political consequences (8.8.3, 8.9)."""
    force, march.force = march.force, Stack()
    march.over, march.path = True, []
    table.tell("fleet_sunk", **march.told, cu=force.cu, elephants=force.elephants, rule="8.8.3")
    yield from displace(game, table, march.side, force.generals, cause="sunk")


def land_in_city(game: Game, table: Table, march: March, rule: str = "8.8.1") -> None:
    """Take an army behind the walls of its own city, where its move ends; by sea straight from the ships (8.8.1)."""
    force = march.force
    march.over, march.path = True, []
    enter_city(game, march.at, force)
    note_stop(game, march, force)
    march.force = Stack()
    table.tell("goes_inside", **march.told, cu=force.cu, generals=force.generals, rule=rule)


def sail_back(game: Game, table: Table, march: March) -> Flow[bool]:
    """Back up across the sea to the port of departure; return whether the army has left the space (9.3).

    By the rules of 2007 a Carthaginian fleet faces the Romans once more, and one that is turned back must stay.
    """
    space, port = march.at, march.the_way_back
    outcome = SAFE
    if game.options["naval_roll_when_backing_up"]:
        outcome = naval_combat(game, table, march, Voyage(space, port), "/back")
    if outcome == SUNK:
        yield from sink(game, table, march)
    elif outcome == RETURN:
        table.tell("must_stay", side=march.side, general=march.general, space=space, rule="9.3")
        return False
    else:
        put_back(game, march)
        table.tell("sails_back", side=march.side, general=march.general, space=port, rule="9.3")
    return True


WEATHER_KINDS: Final = tuple(
    Kind(event, window_choices, check_window, hints="views.hints:window") for event in (TRIBES, WEATHER, STORM)
)
