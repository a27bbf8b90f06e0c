"""Minor leaders and commanders: placing, moving, and who commands (8.2.1, 8.3).

`take_command` is called when a named leader has joined a stack: its owner says who commands. `misplaced` and
`put_leaders` are for orders that place minor leaders besides something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Assign, Kind, Part, Refusal, Table
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.position.changes import pull_out
from pbem.rules.sword_of_rome.position.naming import no_such_leader, no_such_space, one_of_the_facts, space_named
from pbem.rules.sword_of_rome.position.state import NONE, Force, Game

# ---- who commands (8.2.1)


def candidates(game: Game, leaders: Sequence[str]) -> list[str]:
    """Return the leaders who may command a stack, best tactics first: no minor one beside a named one (8.2.1)."""
    named = [leader for leader in leaders if game.board.leaders[leader].named]
    return sorted(named or leaders, key=lambda leader: -game.board.leaders[leader].tactics)


def take_command(game: Game, table: Table, power: str, space: str) -> Flow[None]:
    """Put a named leader before minor ones, and let the owner choose among several (8.2.1).

    Nobody waits for that: without an answer it is who has the best tactics.
    """
    force = game.forces[power].get(space)
    if force is None or len(force.leaders) < 2:
        return
    before, able = force.leaders[0], candidates(game, force.leaders)
    chosen = able[0]
    _order(game, force, chosen)  # while the owner is asked, no minor leader commands a named one
    if len(able) > 1:
        side = game.board.powers[power].side
        if side is not None and game.board.leaders[chosen].named:
            order = yield from table.ask(
                side,
                "command",
                rule="8.2.1",
                default={"leader": chosen},
                waits=False,
                power=power,
                space=space,
                leaders=able,
            )
            chosen = order["leader"]
    if before != chosen:
        table.tell("commands", leader=chosen, power=power, space=space, rule="8.2.1")
    _order(game, force, chosen)


def _order(game: Game, force: Force, first: str) -> None:
    """Put a leader before the others, and named ones before minor ones (8.2.1)."""
    force.leaders.sort(key=lambda leader: (leader != first, not game.board.leaders[leader].named))


# ---- minor leaders (8.3)


def minors(game: Game, powers: Iterable[str]) -> list[str]:
    """Return the minor leaders of some powers that can be placed: on the map or set aside (8.3)."""
    return [leader for power in powers for leader in game.board.minor_leaders[power] if _can_be_placed(game, leader)]


def _can_be_placed(game: Game, leader: str) -> bool:
    if game.march is not None and leader in game.march.force.leaders:
        return False
    return leader in game.reserve or game.where(leader) is not None


def stands(game: Game, power: str) -> list[str]:
    """Return the spaces where a power has CU, besieged cities and boxes included (8.3)."""
    moving = game.march.force if game.march is not None else None
    return sorted({space for space, force in game.everywhere(power) if force.cu and force is not moving})


def why_not_stand(game: Game, leader: str, space: str, powers: Sequence[str]) -> Refusal | None:
    """Say why a minor leader of some powers cannot be placed in a space, or set aside; None: he can (8.3)."""
    unknown = no_such_leader(game, leader)
    if unknown is not None:
        return unknown
    record = game.board.leaders[leader]
    if record.power not in powers or record.named:
        return Refusal(f"{record.name} is no minor leader of yours", "8.3")
    if not _can_be_placed(game, leader):
        return Refusal(f"{record.name} cannot be placed now", "8.3")
    at = game.where(leader)
    if space == NONE:
        return None if at is not None else Refusal(f"{record.name} is set aside already", "8.3")
    unknown = no_such_space(game, space)
    if unknown is not None:
        return unknown
    if space == at:
        return Refusal(f"{record.name} is in {space_named(game, space)} already", "8.3")
    if space not in stands(game, record.power):
        return Refusal(f"{game.board.powers[record.power].name} has no CU in {space_named(game, space)}", "8.3")
    return None


def misplaced(game: Game, told: Mapping[str, str], powers: Sequence[str]) -> Iterator[tuple[str, Refusal]]:
    """Yield the minor leaders of a mapping who cannot go where it says (8.3)."""
    for leader, space in told.items():
        refusal = why_not_stand(game, leader, space, powers)
        if refusal is not None:
            yield leader, refusal


def put_leaders(game: Game, table: Table, told: Mapping[str, str]) -> None:
    """Place minor leaders, and set those aside of whom the order says none (8.3)."""
    for leader, space in told.items():
        power = game.board.leaders[leader].power
        if leader in game.reserve:
            game.reserve.remove(leader)
        else:
            pull_out(game, leader)
        if space == NONE:
            game.reserve.append(leader)
            table.tell("leader_set_aside", leader=leader, power=power, rule="8.3")
            continue
        outside = game.forces[power].get(space)
        if outside is None or not outside.cu:
            game.inside[space].leaders.append(leader)
        else:
            outside.leaders.append(leader)
        table.tell("leader_placed", leader=leader, power=power, space=space, rule="8.3")


def placements(view: Game, powers: Sequence[str]) -> list[tuple[str, list[str]]]:
    """List for each minor leader of some powers where he can go, if he does not stay (8.3)."""
    found: list[tuple[str, list[str]]] = []
    for power in powers:
        leaders = minors(view, [power])
        spaces = stands(view, power) if leaders else []
        for leader in leaders:
            at = view.where(leader)
            aside = [NONE] if at is not None else []
            found.append((leader, [to for to in (*spaces, *aside) if to != at]))
    return found


def places(view: Game, powers: Sequence[str], least: int = 0, *, always: bool = False) -> Part:
    """Return every way to place minor leaders, the first with nobody placed, unless one must be (8.3).

    `always` if the order says so even if nobody is placed.
    """
    return Assign("leaders", placements(view, powers), ("leader", "space"), least, always=always)


# ---- while active, and in the Reinforcement Phase


def leader_choices(view: Game, decision: Decision) -> Part:
    """Return every way to place minor leaders (8.3)."""
    return places(view, view.board.powers_of[decision.side], 1)


def check_leaders(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of minor leaders (8.3)."""
    told = order.get("leaders", {})
    if not told:
        yield order.fault(("leaders",), "say who goes where, as leader: space", rule="8.3")
    yield from _faults(view, order, told, view.board.powers_of[decision.side])


def _faults(view: Game, order: Order, told: Mapping[str, str], powers: Sequence[str]) -> Iterator[Fault]:
    for leader, refusal in misplaced(view, told, powers):
        yield order.fault(("leaders", leader), refusal.reason, rule=refusal.rule)


def move_leaders(game: Game, table: Table, order: Order) -> Flow[None]:
    """Place minor leaders (8.3)."""
    put_leaders(game, table, order["leaders"])
    yield from ()


def place(game: Game, table: Table, side: Side, powers: Sequence[str]) -> Flow[None]:
    """Let who decides for some powers place their minor leaders in the Reinforcement Phase (5.10.2, 8.3).

    Nobody waits for that: without an answer they stay where they are.
    """
    if not any(to for _, to in placements(game, powers)):
        return
    order = yield from table.ask(
        side, "minor_leaders", rule="8.3", default={"leaders": {}}, waits=False, powers=list(powers)
    )
    put_leaders(game, table, order["leaders"])


def minor_choices(view: Game, decision: Decision) -> Part:
    """Return every way to place minor leaders in the Reinforcement Phase (8.3)."""
    return places(view, decision.facts["powers"], always=True)


def check_minors(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of minor leaders in the Reinforcement Phase (8.3)."""
    yield from _faults(view, order, order["leaders"], decision.facts["powers"])


_SAYS: Final = ("leaders", "place leaders", "minor leaders")
MINOR_LEADER_USES: Final[Mapping[str, Use]] = {"leaders": Use(leader_choices, check_leaders, move_leaders, _SAYS)}
MINOR_LEADER_KINDS: Final = (
    Kind("command", *one_of_the_facts("leader", "leaders", "{} can command"), hints="views.hints:command_hints"),
    Kind(
        "minor_leaders",
        minor_choices,
        check_minors,
        hints="views.hints:minor_leaders_hints",
        bot="policy.placing:best_minor_leaders",
    ),
)
