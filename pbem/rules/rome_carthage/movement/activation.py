"""Activation of a general: who may march on a card, with what force, on which path (8.1 to 8.7, 14.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pbem.game import Refusal
from pbem.protocol import Fault, Order, Side
from pbem.rules.rome_carthage.movement.card_play import (
    allowance,
    exhausted,
    march_type,
    resting,
)
from pbem.rules.rome_carthage.movement.paths import check_path
from pbem.rules.rome_carthage.orders import Force, MarchOrder, illegal
from pbem.rules.rome_carthage.position.generals import may_command, strategy_rating, why_not_at_hand
from pbem.rules.rome_carthage.position.naming import (
    general_named,
    generals_named,
    no_such_general,
    why_no_elephants,
    why_no_such_elephants,
)
from pbem.rules.rome_carthage.position.state import CONSUL, PROCONSUL, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.sorties import why_no_sortie
from pbem.rules.rome_carthage.siege.walls import locked_up, pool, whole

MARCHING: Final = ("cu", "elephants", "with", "path", "then", "if_intercepted", "if_avoided", "sortie", "train")
"""The words of an order that go with a march only."""


# ---- splitting a stack: who may go, who must stay, and how many units go with them (8.6, 8.7, 9.5, 10.1, 14)


class Split:
    """A stack from which some generals go and others stay, and how many CU may go with them (8.6, 8.7, 14.2)."""

    __slots__ = ("_game", "_goes_consul", "_going", "_stack", "_staying", "_stays_consul")

    def __init__(self, game: Game, stack: Stack, general: str, companions: Sequence[str]) -> None:
        self._game, self._stack, self._going = game, stack, (general, *companions)
        self._staying = [other for other in stack.generals if other not in self._going]
        offices = game.offices
        self._goes_consul = any(offices.get(other) == CONSUL for other in self._going)
        self._stays_consul = any(offices.get(other) == CONSUL for other in self._staying)

    def why_not(self, cu: int) -> Refusal | None:
        """Say why that many CU may not go while the rest stays; None: they may (8.6, 8.7, 14.2).

        A consul's army may not be brought below five CU by leaving units behind, be it the army that goes or
        the one that stays; two consuls may part only from an army of ten. Without units they are no army.
        """
        total, army = self._stack.cu, self._game.board.consular_army
        left = total - cu
        if self._goes_consul:
            least = self._game.options["consul_split_min"]
            if self._stays_consul and 0 < total < least:
                return Refusal(f"two consuls may part only from an army of {least} CU; theirs has {total}", "14.2")
            if left and cu < army:
                reason = f"a consul's army keeps {army} CU or leaves none behind; {cu} of {total} would go"
                return Refusal(reason, "14.2")
        if self._stays_consul and cu and left < army:
            return Refusal(f"the consul who stays must keep {army} CU; {left} would be left", "14.2")
        return self.why_outgrown(cu)

    def why_outgrown(self, cu: int) -> Refusal | None:
        """Say that a proconsul would take more CU than the consul keeps; None: he does not, or may (14.3)."""
        left, leads = self._stack.cu - cu, self._game.offices.get(self._going[0])
        if self._game.options["proconsul_size_rule"] and self._stays_consul and leads == PROCONSUL and cu > left:
            reason = f"the consul who stays must keep as many CU as the proconsul takes; {left} would be left"
            return Refusal(reason, "14.3")
        return None

    def why_not_marching(self, cu: int) -> Refusal | None:
        """Say why that many CU may not march off; None: they may (14.2)."""
        army = self._game.board.consular_army
        if self._game.options["consul_move_min5"] and self._goes_consul and 0 < cu < army:
            return Refusal(f"a consul's army marches with {army} CU or not at all (option consul_move_min5)", "14.2")
        return self.why_not(cu)

    def why_not_sent(self, cu: int) -> Refusal | None:
        """Say why that many CU may not be sent to intercept or avoid battle; None: they may (9.5, 10.1, 14.2)."""
        return self.why_left_alone(cu) or self.why_not(cu)

    def why_left_alone(self, cu: int, rule: str = "9.5") -> Refusal | None:
        """Say that a commander who stays would be left without a unit; None: he is not, or may be (9.5, 10.1).

        By the reorganised rules any general who stays does, by the rules of 1998 nobody.
        """
        commander, keeper = self._stack.commander, self._game.options["who_keeps_unit"]
        for general in self._staying if cu and cu >= self._stack.cu else ():
            if keeper == "any_general" or (keeper == "commander" and general == commander):
                name = self._game.board.generals[general].name
                who = "who commands and stays" if general == commander else "who stays"
                return Refusal(f"{name}, {who}, must keep 1 CU; 0 would be left", rule)
        return None

    def why_not_sent_by(self) -> Refusal | None:
        """Say why a subordinate may not be sent with those who go: his commander leads or stays (9.5, 10.1)."""
        commander = self._stack.commander
        if self._stack.cu and commander in self._going[1:]:
            name = self._game.board.generals[commander].name
            return Refusal(f"{name} commands there: he leads himself, or stays with a unit", "8.6")
        return self.why_not_led()

    def why_not_led(self) -> Refusal | None:
        """Say why the first of those who go may not command the others; None: he may (8.6)."""
        leader, generals = self._going[0], self._game.board.generals
        for other in self._going[1:]:
            if not may_command(self._game, leader, (other,)):
                return Refusal(f"{generals[other].name} outranks {generals[leader].name}", "8.6")
        return None


# ---- activation


class Home(NamedTuple):
    """Where a general is activated: the space, and the stack from which he takes his force."""

    space: str
    stack: Stack


def why_not_activated(
    game: Game, side: Side, general: str, sortie: bool = False, by_sea: bool = False
) -> Refusal | None:
    """Say why a general cannot be activated where he is, whatever the card; None: he can (8.1, 8.8.1, 16.4.3)."""
    rule = "8.8.1" if by_sea and game.where(general) else "8.1"
    record = game.board.generals.get(general)
    if record is None:
        return Refusal(no_such_general(game, general), rule)
    if (absent := why_not_at_hand(game, side, general, rule)) is not None:
        return absent
    space, inside = game.whereabouts(general)
    if by_sea and inside:
        reason = f"{record.name} is in a besieged city; nobody sails out of it"
        return Refusal(reason, rule) if game.besieged(space) else None
    if sortie:
        not_inside = Refusal(f"{record.name} is not inside a city", rule)
        return why_no_sortie(game, side, space, rule) if inside else not_inside
    if inside and locked_up(game, side, space):
        why = why_no_sortie(game, side, space, rule)
        then = "he may sally out (sortie: true)" if why is None else why.reason
        return Refusal(f"{record.name} is locked up in {game.board.spaces[space].name}; {then}", rule)
    return None


def home_of(game: Game, side: Side, general: str, sortie: bool = False, by_sea: bool = False) -> Home:
    """Return where a general is activated, and the pool from which he takes his force (8.1, 16.4.3).

    For a sortie the pool is what is inside the city (16.4.4). By sea he leaves any city that is not besieged (8.8.1).
    """
    space, inside = game.whereabouts(general)
    if by_sea and inside:
        return Home(space, whole(game, side, space))
    return Home(space, game.garrison(side, space) if sortie else pool(game, side, space))


def spaces_with_generals(game: Game, side: Side) -> list[str]:
    """List the spaces from which a side's generals may march, sail, or sally out of their city (8.1, 8.8.1, 16.4.4)."""
    spaces = [space for space, stack in game.stacks[side].items() if stack.generals]
    for city, inside in game.garrisons.items():
        if not inside.generals or city in spaces or game.control.get(city) != side:
            continue
        if not game.besieged(city) or why_no_sortie(game, side, city) is None:
            spaces.append(city)
    return sorted(spaces)


def force_of(game: Game, stack: Stack, said: Force, tired: int = 0) -> Stack:
    """Return the force that an order names, with what it leaves out filled in (8.2, 8.7).

    Without `cu` as many as may march, the `tired` ones left out; without `elephants` as many as fit; without `with`
    all whom the general may command if he commands the stack, else nobody.
    """
    general = said.general
    if said.companions is not None:
        companions = list(said.companions)
    else:
        leads, done = stack.commander == general, resting(game, game.board.generals[general].side)
        companions = [
            other
            for other in stack.generals
            if leads and other != general and other not in done and may_command(game, general, [other])
        ]
    cu = min(stack.cu - tired, game.board.movement.cu) if said.cu is None else said.cu
    elephants = stack.most_elephants(cu) if said.elephants is None else said.elephants
    return Stack(cu, elephants, [general, *companions])


def check_activation(view: Game, side: Side, order: Order, march: MarchOrder, ops: int) -> Iterator[Fault]:
    """Yield what is wrong with an order to march: the general, his force, his path (8.1 to 8.7, 14.2).

    `march` is the order as read; `order` tells which words it has.
    """
    general, by_sea = march.force.general, not march.sortie and march.way.sets_sail
    if (why := why_not_activated(view, side, general, march.sortie, by_sea)) is not None:
        yield why.at(("general",))
        return
    space, stack = home_of(view, side, general, march.sortie, by_sea)
    rating = strategy_rating(view, general)
    name = view.board.generals[general].name
    if rating > ops:
        yield order.fault(("general",), f"{name} needs a card with a {rating}; this one has a {ops}", rule="8.1")
    if general in resting(view, side):
        yield order.fault(("general",), f"{name} moves no more on this card", rule="8.1")
        return
    tired = exhausted(view, side, space)
    force = force_of(view, stack, march.force, tired)
    wrong = list(_check_force(view, stack, force, march.force, tired))
    yield from wrong
    if march.sortie:
        yield from _check_sortie(order, force)
        return
    if "path" not in order.body:
        yield order.fault(("general",), f"{name} has no path; if he stays where he is, write path: []", rule="8.2")
        return
    points = allowance(view, general, march_type(view, march.way.play))
    forces = [force] if not wrong else _in_its_place(view, stack, march.force, tired)
    ways = [list(check_path(view, march.way, space, each, points)) for each in forces]
    yield from (fault for fault in ways[0] if all(fault in others for others in ways))


def _in_its_place(view: Game, stack: Stack, said: Force, tired: int) -> list[Stack]:
    """Return the largest and the smallest force that could go instead of one that cannot (8.2).

    What both find wrong with a path does not depend on the force.
    """
    companions = tuple(other for other in said.companions or () if other in stack.generals and other != said.general)
    most = force_of(view, stack, Force(said.general, companions=companions), tired)
    return [most, Stack(min(1, most.cu), 0, most.generals)]


def _check_sortie(order: Order, force: Stack) -> Iterator[Fault]:
    """Yield what is wrong with a sortie besides its force: it leads nowhere and needs CU (16.4.4)."""
    for word in ("path", "then", "if_intercepted", "if_avoided"):
        if word in order.body:
            yield order.fault((word,), f"a sortie is a battle before the walls; leave out {word}", rule="16.4.4")
    if not force.cu:
        yield order.fault(("cu",) if "cu" in order.body else (), "a sortie takes at least 1 CU", rule="16.4.4")


def stray_companions(view: Game, stack: Stack, force: Stack) -> list[tuple[int, Refusal]]:
    """Return which of a general's companions cannot go along, by their places, and why (8.7)."""
    general, *companions = force.generals
    can = generals_named(view, [name for name in stack.generals if name != general])
    strays = []
    for at, other in enumerate(companions):
        if other not in view.board.generals:
            strays.append((at, Refusal(no_such_general(view, other), "8.7")))
        elif other not in stack.generals:
            strays.append((at, Refusal(f"{general_named(view, other)} is not there to go along; who is: {can}", "8.7")))
        elif other == general or other in companions[:at]:
            strays.append((at, Refusal(f"{general_named(view, other)} is named twice", "8.7")))
    return strays


def _check_force(view: Game, stack: Stack, force: Stack, said: Force, tired: int) -> Iterator[Fault]:
    """Yield what is wrong with the force that a general is to march with, filled in from what was said (8.1 to 8.7)."""
    general, *companions = force.generals
    done = resting(view, view.board.generals[general].side)
    tired_out = [(at, other) for at, other in enumerate(companions) if other in done]
    for at, other in tired_out:
        yield illegal(("with", at), f"{general_named(view, other)} moves no more on this card", rule="8.1")
    strays = stray_companions(view, stack, force)
    for at, why in strays:
        yield why.at(("with", at))
    more = why_no_such_elephants(stack, said.elephants)
    if more is not None:
        yield more.at(("elephants",))
    if force.cu > (most := view.board.movement.cu):
        yield illegal(("cu",), f"at most {most} CU march with a general, not {force.cu}", rule="8.2")
    elif force.cu > stack.cu:
        yield illegal(("cu",), f"there are {stack.cu} CU to march with, not {force.cu}", rule="8.2")
    elif force.cu > stack.cu - tired:
        reason = f"{tired} of the {stack.cu} CU there go no further on this card; {stack.cu - tired} can march"
        yield illegal(("cu",), reason, rule="8.4.1")
    elif more is None and (no_elephants := why_no_elephants(stack, force.cu, force.elephants)) is not None:
        yield no_elephants.at(("elephants",))
    elif not (strays or tired_out or more):
        split = Split(view, stack, general, companions)
        if (not_led := split.why_not_led()) is not None:
            yield not_led.at(("with",) if said.companions is not None else ("general",))
        if (stuck := split.why_not_marching(force.cu)) is not None:
            yield stuck.at(("cu",) if said.cu is not None else ("general",))
