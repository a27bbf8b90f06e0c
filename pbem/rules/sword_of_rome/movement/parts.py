"""Parts of armies: as orders name them, and whom a leader takes along, sends ahead or leaves behind (8.2.1, 9.1).

An order of movement is read once, as a typed value, from what a player has written; then it is checked and carried out.
What a player left out is None. A typed order is never written down: the record keeps what the player wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from pbem.game import Refusal
from pbem.protocol import ILLEGAL, Fault, Path, Record
from pbem.rules.sword_of_rome.position.board import CONSUL, SEA
from pbem.rules.sword_of_rome.position.state import Force, Game

Body: TypeAlias = Record
"""What an order, or a part of one, says."""
STOP: Final = "stop"
ASK: Final = "ask"
ATTACK_UNREST: Final = "attack_unrest"


def illegal(path: Path, reason: str, *, rule: str) -> Fault:
    """Return the fault of an order that breaks a rule; `path` is within its body."""
    return Fault(ILLEGAL, path, reason, rule)


class Wanted(NamedTuple):
    """A part of an army that an order names: who leads it, units, mercenaries among them, subordinates (9.1)."""

    leader: str | None = None
    cu: int | None = None
    mercenaries: int | None = None
    others: tuple[str, ...] = ()
    at: str | None = None
    """The space it comes from."""

    @classmethod
    def read(cls, body: Body) -> Wanted:
        """Return the part that an order names by `leader`, `cu`, `mercenaries`, `with` and `from`."""
        others = tuple(body.get("with", ()))
        return cls(body.get("leader"), body.get("cu"), body.get("mercenaries"), others, body.get("from"))


class Step(NamedTuple):
    """One step of a path: where to, what is left and taken along before it, raids after it (9.1.2, 9.2, 14.2)."""

    to: str
    by_sea: bool = False
    drop: Wanted | None = None
    take: Wanted | None = None
    raid: int = 0

    @classmethod
    def read(cls, body: Body) -> Step:
        """Return the step that an order has written."""
        drop, take = (Wanted.read(body[word]) if word in body else None for word in ("drop", "take"))
        return cls(body["to"], body.get("by") == SEA, drop, take, body.get("raid", 0))


class MarchOrder(NamedTuple):
    """An order to an active leader (9.1): with whom, where to, and what follows."""

    force: Wanted
    path: tuple[Step, ...] = ()
    written: tuple[Body, ...] = ()
    """The path as it was written."""
    raid: int = 0
    roll: bool = False
    sortie: bool = False
    then: str = STOP
    against: int | None = None
    """CU that attack the unrest at the end (S 20.3)."""

    @classmethod
    def read(cls, body: Body) -> MarchOrder:
        """Return the order that a player has written."""
        written = tuple(body.get("path", ()))
        return cls(
            force=Wanted.read(body),
            path=tuple(map(Step.read, written)),
            written=written,
            raid=body.get("raid", 0),
            roll=body.get("roll", False),
            sortie=body.get("sortie", False),
            then=body.get("then", STOP),
            against=body.get("against"),
        )


# ---- parts of armies (8.2.1, 9.1.1, 9.1.2)


def part_of(stack: Force, wanted: Wanted, leader: str | None, most: int) -> Force:
    """Return the part of a stack that an order names: what it leaves out is as much as can go, mercenaries first."""
    cu = min(stack.cu, most) if wanted.cu is None else wanted.cu
    mercenaries = min(cu, stack.mercenaries) if wanted.mercenaries is None else wanted.mercenaries
    leaders = [each for each in (leader, *wanted.others) if each is not None]
    return Force(cu, mercenaries, leaders)


def nearest_part(stack: Force, part: Force, most: int) -> Force:
    """Return the part that can be taken and is nearest to one whose units are wrong."""
    cu = min(part.cu, stack.cu, most)
    return Force(cu, min(max(part.mercenaries, stack.fewest_mercenaries(cu)), cu, stack.mercenaries), part.leaders)


def rest_of(stack: Force, part: Force) -> Force:
    """Return what is left of a stack without a part of it."""
    left = [leader for leader in stack.leaders if leader not in part.leaders]
    return Force(stack.cu - part.cu, stack.mercenaries - part.mercenaries, left)


def has_consul(game: Game, force: Force) -> bool:
    """Tell whether a consul is among the leaders of a force (8.2.2)."""
    return any(leader in game.board.leaders and game.board.leaders[leader].role == CONSUL for leader in force.leaders)


def why_not_part(game: Game, stack: Force, part: Force, *, led: bool = True) -> Iterator[tuple[str, Refusal]]:
    """Yield why a part cannot be taken from a stack, each with the word of the order: units, leaders, consuls.

    A part that is not `led` has no commander: it joins others, or stays where it is.
    """
    leaders = game.board.leaders
    rule = "9.1.1"
    if part.cu > stack.cu:
        yield "cu", Refusal(f"there are {stack.cu} CU, not {part.cu}", rule)
    if part.mercenaries > stack.mercenaries:
        yield "mercenaries", Refusal(f"there are {stack.mercenaries} mercenaries, not {part.mercenaries}", rule)
    elif part.cu <= stack.cu and not stack.fewest_mercenaries(part.cu) <= part.mercenaries <= part.cu:
        yield (
            "mercenaries",
            Refusal(
                f"of the {stack.cu} CU there {stack.mercenaries} are mercenaries: {part.cu} CU cannot have so many",
                rule,
            ),
        )
    known = bool(part.leaders) and part.leaders[0] in leaders
    for at, leader in enumerate(part.leaders):
        word = "with" if at else "leader"
        if leader not in stack.leaders:
            yield word, Refusal(f"{_name(game, leader)} is not there", "8.2.1")
        elif leader in part.leaders[:at]:
            yield word, Refusal(f"{_name(game, leader)} is named twice", "8.2.1")
        elif led and at and known and leaders[leader].named and not leaders[part.leaders[0]].named:
            yield word, Refusal(f"{_name(game, leader)} does not serve under a minor leader", "8.2.1")


def why_consul_alone(game: Game, *forces: Force) -> Refusal | None:
    """Say that a consul would be without CU in one of some forces; None: he is in none (9.1.2)."""
    for force in forces:
        if not force.cu and has_consul(game, force):
            name = next(leader for leader in force.leaders if game.board.leaders[leader].role == CONSUL)
            return Refusal(f"{_name(game, name)} is a consul and keeps at least 1 Roman CU", "9.1.2")
    return None


def companies(game: Game, stack: Force, leader: str) -> Iterator[tuple[str, ...]]:
    """Yield whom a leader may take along, nobody first."""
    led = subordinates(game, stack, leader)
    for size in range(len(led) + 1):
        yield from combinations(led, size)


def subordinates(game: Game, stack: Force, leader: str) -> tuple[str, ...]:
    """Return the leaders in a stack whom a leader can command: a minor leader no named one (8.2.1)."""
    leaders = game.board.leaders
    return tuple(
        each for each in stack.leaders if each != leader and (leaders[leader].named or not leaders[each].named)
    )


def strengths(game: Game, stack: Force, leaders: Sequence[str], least: int, most: int) -> list[tuple[int, int]]:
    """List the (CU, mercenaries) that some leaders of a stack can take, so that no consul is left alone (9.1.2)."""
    found: list[tuple[int, int]] = []
    for cu in range(least, min(most, stack.cu) + 1):
        part = Force(cu, 0, list(leaders))
        if why_consul_alone(game, part, rest_of(stack, part)) is None:
            found += stack.units(cu)
    return found


def told(cu: int, mercenaries: int, stack: Force) -> dict[str, int]:
    """Return units as an order has them: mercenaries are told where the stack has any."""
    return {"cu": cu, "mercenaries": mercenaries} if stack.mercenaries else {"cu": cu}


def arrange(game: Game, force: Force) -> None:
    """Put a named commander before minor leaders, who cannot command him; else the order stays (8.2.1)."""
    force.leaders.sort(key=lambda leader: not game.board.leaders[leader].named)


def move_out(game: Game, power: str, space: str, part: Force) -> Force:
    """Take a part out of what a power has in a space, and let who stays be commanded by a named leader."""
    taken = game.take(power, space, part)
    arrange(game, game.force(power, space))
    return taken


def _name(game: Game, leader: str) -> str:
    record = game.board.leaders.get(leader)
    return leader if record is None else record.name
