"""The sequence of play: the first player, a year of a summer and a winter, each with its phases, joint combat (4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from pbem.game import Kind, Table, each_of, once, one_of
from pbem.protocol import Checkpoint, Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.battle.battle import fight
from pbem.rules.hannibal_italy.battle.parties import field_hexes
from pbem.rules.hannibal_italy.movement import march as movement
from pbem.rules.hannibal_italy.position.naming import no_such_place, place_named, places_named
from pbem.rules.hannibal_italy.position.state import CARTHAGE, SIDES, SUMMER, WINTER, Game
from pbem.rules.hannibal_italy.siege.assaults import besiege
from pbem.rules.hannibal_italy.siege.siege import besieged_hexes, build, lift_abandoned
from pbem.rules.hannibal_italy.turn import elections, elephants, recruiting, winter
from pbem.rules.hannibal_italy.turn import reinforcements as arrivals
from pbem.rules.hannibal_italy.turn.control import determine, score, take_open_cities, with_combat

Phase: TypeAlias = Callable[[Game, Table], Flow[bool]]
"""Plays a phase, or a piece of it, and returns whether it is over."""
Silent: TypeAlias = Callable[[Game, Table], None]
"""Plays a phase in which nobody is asked."""
SUMMER_PHASES: Final = (
    "election",
    "arrivals",
    "initiative",
    "first_recruiting",
    "first_move",
    "second_recruiting",
    "second_move",
    "control",
    "field",
    "siege",
    "works",
    "dictator",
)
WINTER_PHASES: Final = (
    "second_move",
    "first_move",
    "control",
    "field",
    "siege",
    "works",
    "winter",
    "attrition",
    "score",
)
GOES_ON: Final = ("first_recruiting", "first_move", "second_recruiting", "second_move", "field", "siege")
"""Phases within which unused orders of a sheet stay queued: for the next march, the next battle."""


# ---- the first player


def name_first(game: Game, table: Table) -> Flow[bool]:
    """Let Carthage name the first player of the year (4.2 C)."""
    order = yield from table.ask(
        CARTHAGE, "first_player", rule="4.2", default={"side": CARTHAGE}, year=game.year, segment=game.segment
    )
    game.first = order["side"]
    table.tell("first_player", side=game.first, rule="4.2")
    return True


def first_of_all(game: Game, table: Table) -> Flow[bool]:
    """Settle who is first player in the winter of 218, which no phase of initiative comes before (4.2)."""
    if game.options["first_player_218"] == "named":
        return (yield from name_first(game, table))
    game.first = CARTHAGE
    return True


# ---- the joint combat phase: control, field battles, sieges and assaults, siege works (4.2 F)


def before_combat(game: Game, table: Table) -> None:
    """Determine who controls what before anybody fights (8.1)."""
    take_open_cities(game, table)
    everywhere = game.options["control_before_combat"] == "all"
    determine(game, table, game.board.provinces if everywhere else with_combat(game))


def next_battle(game: Game, table: Table) -> Flow[bool]:
    """Fight the next field battle, by the number of its hex, or where Carthage says; over when none is left (9.1)."""
    hexes = field_hexes(game)
    if not hexes:
        return True
    hex = hexes[0]
    if len(hexes) > 1 and game.options["battle_order"] == "carthage":
        order = yield from table.ask(CARTHAGE, "next_battle", rule="9.1", default={"hex": hex}, hexes=hexes)
        hex = game.board.find(order["hex"]) or hex
    game.fought_in.append(hex)
    game.lost_in_battle = 0
    yield from fight(game, table, hex)
    return False


def next_siege(game: Game, table: Table) -> Flow[bool]:
    """Go on with the next siege, by the number of its hex; the step is over when none is left (9.7)."""
    hexes = besieged_hexes(game)
    if not hexes:
        return True
    game.fought_in.append(hexes[0])
    game.lost_in_battle = 0
    yield from besiege(game, table, hexes[0])
    return False


def siege_works(game: Game, table: Table) -> Flow[bool]:
    """Build siege works round class 1 fortresses, and keep them up (9.9)."""
    yield from build(game, table)
    return True


def check_place(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the place of the next battle: nobody can fight there (9.1)."""
    hexes = decision.facts["hexes"]
    if view.board.find(order["hex"]) not in hexes:
        place, hex = order["hex"], view.board.find(order["hex"])
        able = f"the places left are {places_named(view.board, hexes)}"
        if hex is None:
            reason = f"{no_such_place(view.board, place)}; {able}"
        else:
            reason = f"no battle or siege is left to play at {place_named(view.board, hex)}; {able}"
        yield order.fault(("hex",), reason, rule="9.1")


# ---- the phases


SILENT: Final[Mapping[str, Silent]] = {"control": before_combat, "score": score}
PHASES: Final[Mapping[str, Phase]] = {
    "first_initiative": first_of_all,
    "election": elections.elect,
    "arrivals": arrivals.arrive,
    "initiative": name_first,
    "first_recruiting": recruiting.recruit,
    "first_move": movement.march,
    "second_recruiting": recruiting.recruit,
    "second_move": movement.march,
    "field": next_battle,
    "siege": next_siege,
    "works": siege_works,
    "dictator": elections.appoint,
    "winter": winter.end_of_winter,
    "attrition": elephants.attrition,
}


def play(game: Game, table: Table) -> Flow[None]:
    """Play phase by phase, with a checkpoint after each, and within those of movement and combat (4.2)."""
    while game.result is None:
        phase = game.phase
        over = True
        if phase in SILENT:
            SILENT[phase](game, table)
        else:
            over = yield from PHASES[phase](game, table)
        lift_abandoned(game)
        if over and game.result is None:
            go_on(game, table)
        yield (
            Checkpoint(keep_queue=True)
            if phase in GOES_ON and game.phase in GOES_ON and _same_hands(phase, game.phase)
            else Checkpoint()
        )


def _same_hands(before: str, after: str) -> bool:
    """Tell whether a side that is at work in a phase goes on in the next: recruiting and then moving (4.2)."""
    return before.partition("_")[0] == after.partition("_")[0]


def go_on(game: Game, table: Table) -> None:
    """Go on to the next phase, at the end of a segment to the next one (4.2)."""
    phases = SUMMER_PHASES if game.segment == SUMMER else WINTER_PHASES
    if game.phase == "first_initiative":
        begin_segment(game, table, WINTER)
    elif game.phase != phases[-1]:
        game.phase = phases[phases.index(game.phase) + 1]
        begin_phase(game)
    elif game.segment == SUMMER:
        begin_segment(game, table, WINTER)
    else:
        game.year -= 1
        begin_segment(game, table, SUMMER)


def phases_left(game: Game) -> int:
    """Return how many phases of the year come after the one in play (4.2)."""
    phases = SUMMER_PHASES if game.segment == SUMMER else WINTER_PHASES
    left = len(phases) - (phases.index(game.phase) + 1 if game.phase in phases else 0)
    return left + len(WINTER_PHASES) if game.segment == SUMMER else left


def begin_segment(game: Game, table: Table, segment: str) -> None:
    """Begin a segment: clear the limits that hold within one (7.4, 9.7)."""
    game.segment = segment
    game.phase = (SUMMER_PHASES if segment == SUMMER else WINTER_PHASES)[0]
    game.tried, game.lost_this_segment, game.consuls_killed, game.fallen = [], 0, 0, []
    if segment == SUMMER:
        game.lost_this_year = 0
    for leader in game.leaders.values():
        leader.came_from = ""
    begin_phase(game)
    table.tell("segment_begins", year=game.year, segment=segment, rule="4.2")


def begin_phase(game: Game) -> None:
    """Forget what holds for one phase only."""
    game.moved, game.held, game.fought_in, game.dropped = [], [], [], {}


FIRST_PLAYER_KINDS: Final = (
    Kind("first_player", *one_of("side", SIDES), hints="views.hints:first_player", is_last=once),
)
COMBAT_KINDS: Final = (Kind("next_battle", each_of("hex", "hexes", "hex", on_map=True), check_place),)
