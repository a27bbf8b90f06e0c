"""Orders of a march: what an active leader, or the force that he leads, can be told to do, and the check of it (9).

A path is checked as a whole, as if nobody reacted. It may lead through enemy armies, in case they avoid battle.

The choices list a cheapest way to each space in reach, and after a stop on the way what is dropped or taken there; any
other way is among them. A player may write more at once: what is dropped and taken in the midst of a path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from pbem.game import (
    NOTHING,
    AllOf,
    Fixed,
    Kind,
    Lazy,
    OneOf,
    Part,
    Refusal,
    Value,
    Walk,
    counted,
    listing,
    option,
    place_of,
)
from pbem.protocol import Decision, Fault, Order, Record
from pbem.rules.sword_of_rome.movement.fatigue import (
    exhausted,
    legs_with,
    legs_without,
    on_trial,
    points_left,
    rested,
    set_off,
    setting_out,
    spend,
    stay,
)
from pbem.rules.sword_of_rome.movement.flanks import why_not_flank_from
from pbem.rules.sword_of_rome.movement.march import (
    added,
    exchanges,
    part_for_sortie,
    part_named,
    why_not_drop,
    why_not_take,
)
from pbem.rules.sword_of_rome.movement.parts import (
    ASK,
    ATTACK_UNREST,
    STOP,
    MarchOrder,
    Step,
    Wanted,
    companies,
    illegal,
    nearest_part,
    part_of,
    rest_of,
    strengths,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import (
    Roads,
    arrived,
    onward,
    overseas,
    taken_by,
    why_no_end_from,
    why_no_way,
    why_not_end,
    why_not_raid,
    why_not_step,
)
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, SEA
from pbem.rules.sword_of_rome.position.naming import no_such_space, refused, space_named, units, with_others
from pbem.rules.sword_of_rome.position.state import Force, Game, March
from pbem.rules.sword_of_rome.siege.siege import why_not_roll
from pbem.rules.sword_of_rome.siege.unrest import SAYS as ATTACK_SAYS
from pbem.rules.sword_of_rome.siege.unrest import fresh_cu

MOVING: Final = ("cu", "mercenaries", "with", "path", "raid")
"""The words of an order that go with a march only."""
SETTING_OUT: Final = ("cu", "mercenaries", "with")
"""Those that say with whom a leader sets out."""
MOST_RAIDS: Final = 3
"""How many attempts to raid are offered at once."""
_THEN: Final = option("then", Value(STOP, says=("stop",)), Value(ASK, says=("ask",)))


# ---- what a leader can do beside marching


def most_cu(game: Game) -> int:
    """Return how many CU move together (9.1.1)."""
    most: int = game.board.tables["movement"]["cu"]
    return most


def is_inside(game: Game, march: March) -> bool:
    """Tell whether the active leader is inside a city, with enemies before it (13.4.1)."""
    return march.leader in game.garrison(march.power, march.origin).leaders


def why_not_roll_now(game: Game, march: March) -> Refusal | None:
    """Say why the active leader cannot roll for a siege instead of moving; None: he can (9.5.3, 13.1.1)."""
    force, leaders = game.force(march.power, march.at), game.board.leaders
    if len(march.trail) > 1 or march.leader not in force.leaders:
        return Refusal("only who has not moved rolls for a siege", "13.1.1")
    if leaders[force.leaders[0]].named and not leaders[march.leader].named:
        return Refusal(f"{leaders[force.leaders[0]].name} commands there", "13.1.1")
    if game.card is not None and march.at in game.card.rolled_at:
        return Refusal(f"this card has brought a roll for {space_named(game, march.at)} already", "9.5.3")
    least = game.board.tables["city"]["army"]
    if march.leader in exhausted(game) or rested(game, march.power, march.at) < least <= force.cu:
        return Refusal("the army there has done all that it can in this Campaign", "9.5.2")
    return why_not_roll(game, march.power, march.at)


def why_no_sortie(game: Game, march: March) -> Refusal | None:
    """Say why the active leader cannot attack the besiegers; None: he can (13.4.1)."""
    if not is_inside(game, march):
        return Refusal(f"{game.board.leaders[march.leader].name} is not inside a besieged city", "13.4.1")
    if not game.garrison(march.power, march.at).cu:
        return Refusal("no CU are inside the city", "13.4.1")
    return None


def why_not_attack_unrest(game: Game, march: March) -> Refusal | None:
    """Say why a force cannot attack the unrest with its last point; None: it can (S 20.3)."""
    if march.power != CARTHAGE or march.at != GARRISON_BOX:
        return Refusal("the unrest is attacked in the Garrison box, by Carthage", "S 20.3")
    if not march.force.cu:
        return Refusal("the attack on the unrest takes CU", "S 20.3")
    if march.origin == GARRISON_BOX and march.force.cu > fresh_cu(game):
        return Refusal(f"{fresh_cu(game)} CU in the Garrison box can attack", "S 20.3")
    if points_left(game, march) < game.board.tables["movement"]["cost"]["unrest"]:
        return Refusal("no movement point is left for the attack on the unrest", "S 20.3")
    return None if game.unrest else Refusal("there is no unrest", "S 20.3")


# ---- the check


def check_march(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an order to the active leader (9.1 to 9.6, 13.1.1, 13.4.1, 14.2)."""
    march, said = view.the_march, MarchOrder.read(order.body)
    if said.roll or said.sortie:
        word, refusal = ("roll", why_not_roll_now(view, march)) if said.roll else ("sortie", why_no_sortie(view, march))
        yield from refused((word,), refusal)
        for other in (*MOVING, "sortie") if said.roll else ("path", "raid"):
            if order.get(other):
                yield order.fault((other,), f"{word} goes without {other}: leave that out", rule="9.1")
        if said.sortie and refusal is None:
            inside = view.garrison(march.power, march.at)
            part = part_for_sortie(view, inside, said.force, march.leader)
            for what, why in why_not_part(view, inside, part):
                yield order.fault((what,) if what in order.body else ("sortie",), why.reason, rule=why.rule)
            if not part.cu:
                yield order.fault(("cu",), "a sortie takes a CU", rule="13.4.1")
        return
    if is_inside(view, march):
        for word in (*MOVING, "then"):
            if order.get(word) and not (word == "then" and said.then == STOP):
                reason = "he is inside a besieged city: a sortie is all that he can do"
                yield order.fault((word,), reason, rule="13.4.1")
        return
    yield from Trial(view, march, said).faults(order)


def check_flank(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the way of a flank: it ends next to the battle, by another path (9.5.6)."""
    trial = Trial(view, view.the_march, MarchOrder.read(order.body))
    yield from trial.faults(order)
    if not trial.lost:
        if not trial.march.force.cu:
            yield order.fault(("cu",) if order.get("cu") == 0 else (), "a flank takes a CU", rule="9.5.6")
        refusal = why_not_flank_from(view, trial.march, trial.march.at)
        if refusal is not None:
            at = len(trial.said.path) - 1
            yield order.fault(("path", at, "to") if at >= 0 else ("path",), refusal.reason, rule=refusal.rule)


class Trial:
    """A march on trial: what an order would make of the force under way, if nobody reacts."""

    def __init__(self, view: Game, march: March, said: MarchOrder) -> None:
        self.view, self.said = on_trial(view), said
        self.march = march.as_if(march.force)
        self.march.trail = list(march.trail)
        self.sets_out = march.force.empty
        self.ground: dict[str, Force] = {}
        self.lost = False

    def faults(self, order: Order) -> Iterator[Fault]:
        """Yield all that is wrong with the order."""
        if self.sets_out:
            yield from self._set_out(order)
        else:
            for word in SETTING_OUT:
                if word in order.body:
                    reason = "the army is on the march: write drop or take at a step"
                    yield order.fault((word,), reason, rule="9.1.2")
        if self.lost:
            yield from self._unknown(0)
            return
        yield from self._raid(("raid",), self.said.raid)
        for at, step in enumerate(self.said.path):
            yield from self._step(at, step)
            if self.lost:  # where it would lead from here nobody knows; but a name that is none is none
                yield from self._unknown(at + 1)
                return
        yield from self._end()

    def _unknown(self, first: int) -> Iterator[Fault]:
        """Yield which steps of the path, from one on, name no space (2.2)."""
        for at, step in enumerate(self.said.path[first:], first):
            if (unknown := no_such_space(self.view, step.to)) is not None:
                yield illegal(("path", at, "to"), unknown.reason, rule=unknown.rule)

    def _set_out(self, order: Order) -> Iterator[Fault]:
        view, march = self.view, self.march
        stack = view.force(march.power, march.at)
        march.force = part_of(stack, self.said.force, march.leader, most_cu(view))
        wrong = list(why_not_part(view, stack, march.force))
        if march.force.cu > most_cu(view):
            wrong.append(("cu", Refusal(f"no more than {most_cu(view)} CU move together", "9.1.1")))
        # Units that are wrong do not hide what is wrong with the path: the nearest that can go are followed on it.
        march.force = nearest_part(stack, march.force, most_cu(view))
        set_off(view, march, march.at, stack.cu, march.force.cu)
        self.ground[march.at] = rest = rest_of(stack, march.force)
        moves = bool(self.said.path)
        if not wrong and moves and (alone := why_consul_alone(view, march.force, rest)) is not None:
            wrong.append(("cu", alone))
        for word, refusal in wrong:
            self.lost = self.lost or word not in ("cu", "mercenaries")
            yield order.fault((word,) if word in order.body else (), refusal.reason, rule=refusal.rule)

    def _step(self, at: int, step: Step) -> Iterator[Fault]:
        view, march = self.view, self.march
        yield from self._exchange(at, step)
        refusal = why_not_step(view, march, step)
        if refusal is not None:
            yield illegal(("path", at, "to"), refusal.reason, rule=refusal.rule)
            self.lost = True
            return
        kind, cost = taken_by(view, march, step)
        spend(view, march, cost)
        march.came_from, march.at, march.came_by, march.pursuing = march.at, step.to, kind, False
        march.trail.append(step.to)
        yield from self._raid(("path", at, "raid"), step.raid)

    def _exchange(self, at: int, step: Step) -> Iterator[Fault]:
        march = self.march
        ground = self.ground.setdefault(march.at, self.view.force(march.power, march.at))
        for word, wanted in (("drop", step.drop), ("take", step.take)):
            if wanted is None:
                continue
            drops = word == "drop"
            part = part_named(march.force if drops else ground, wanted)
            wrong = list((why_not_drop if drops else why_not_take)(self.view, march, ground, part))
            for what, refusal in wrong:
                written = self.said.written[at][word]
                path = ("path", at, word, what) if what in written else ("path", at, word)
                yield illegal(path, refusal.reason, rule=refusal.rule)
            if not wrong:
                if drops:
                    stay(self.view, march, part)
                else:
                    set_off(self.view, march, march.at, ground.cu, part.cu)
                march.force = (rest_of if drops else added)(march.force, part)
                ground = self.ground[march.at] = (added if drops else rest_of)(ground, part)

    def _raid(self, path: tuple[str | int, ...], attempts: int) -> Iterator[Fault]:
        if not attempts:
            return
        refusal = why_not_raid(self.view, self.march)
        left = points_left(self.view, self.march)
        if refusal is None and attempts > left:
            refusal = Refusal(f"{left} movement points are left, and each attempt takes one", "14.2")
        yield from refused(path, refusal)
        spend(self.view, self.march, min(attempts, max(left, 0)))

    def _end(self) -> Iterator[Fault]:
        """Yield what is wrong with the end of the path (9.4.4, 15.3, 16.3, S 20.3)."""
        view, march, then = self.view, self.march, self.said.then
        if self.said.against is not None and then != ATTACK_UNREST:
            yield illegal(("against",), "write then: attack_unrest beside it", rule="S 20.3")
        if then == ATTACK_UNREST:
            refusal = why_not_attack_unrest(view, march)
            yield from refused(("then",), refusal)
            return
        if march.flanking is not None:
            return
        if then == STOP:
            refusal = why_not_end(view, march, march.at)
            if refusal is not None and len(self.said.path) == 0 and not can_leave(view, march):
                refusal = None
        else:
            refusal = why_no_end_from(view, march, arrived(march, points_left(view, march)))
        if refusal is not None:
            at = len(self.said.path) - 1
            path: tuple[str | int, ...] = ("path", at, "to") if at >= 0 else ()
            yield illegal(path, refusal.reason, rule=refusal.rule)


def can_leave(view: Game, march: March) -> bool:
    """Tell whether the force under way has a way on."""
    return bool(onward(view, march) or overseas(view, march))


# ---- choices where he stands, or is


def march_choices(view: Game, decision: Decision) -> Part:
    """Return what the active leader, or the force that he leads, can be told to do (9)."""
    return orders_of(view, Roads(view, view.the_march))


def orders_of(view: Game, roads: Roads) -> Part:
    """Return what the force under way, or the leader who is activated, can be told; `roads` may be shared (9)."""
    march = view.the_march
    marches = _Marches(view, march, roads)
    if march.force.empty:
        ways = marches.where_he_stands()
        return OneOf(None, ways if is_inside(view, march) else [*ways, *marches.setting_out()], inferred=True)
    return OneOf(None, [*marches.where_it_is(), *marches.going_on()], inferred=True)


_STAY: Final = Value(STOP, Fixed({"then": STOP}), says=("stop", "stay", "stand", "halt"), must=True)
_SAYS: Final = ("march", "move")


class _Marches:
    """What a march that is looked at may come to; forces that go alike share their ways."""

    def __init__(self, view: Game, march: March, roads: Roads) -> None:
        self.view, self.march, self.roads = view, march, roads
        self._walks: dict[tuple[bool, int, int], Part] = {}

    # ---- in the space where it is

    def where_he_stands(self) -> list[Value]:
        """Return what the active leader can do where he stands: stay, roll, sally out, raid, attack the unrest."""
        view, march = self.view, self.march
        ways = [_STAY]
        roll, sortie = why_not_roll_now(view, march), why_no_sortie(view, march)
        ways.append(_shut_if(Value("roll", Fixed({"roll": True}), says=("roll", "siege"), must=True), roll))
        if is_inside(view, march):
            ways.append(_shut_if(Value("sortie", self._sortie(), says=("sortie", "sally"), must=True), sortie))
            return ways
        stack = view.force(march.power, march.at)
        whole = march.as_if(part_of(stack, Wanted(), march.leader, most_cu(view)))
        ways += self._raids(whole)
        whole.force.cu = min(whole.force.cu, fresh_cu(view))
        if why_not_attack_unrest(view, whole) is None:
            able = strengths(view, stack, (march.leader,), 1, whole.force.cu)
            usual = min(stack.cu, most_cu(view))
            share = units(stack, list(dict.fromkeys(cu for cu, _ in able)), usual)
            attack = AllOf(share, Fixed({"then": ATTACK_UNREST}))
            ways.append(Value(ATTACK_UNREST, attack, says=ATTACK_SAYS, must=True))
        return ways

    def _sortie(self) -> Part:
        """Return the sorties: with all that can go, unless it is said with whom and how many (13.4.1)."""
        view, march = self.view, self.march
        inside, values = view.garrison(march.power, march.at), list[tuple[Sequence[str], Part]]()
        for others in companies(view, inside, march.leader):
            able = [cu for cu in range(1, inside.cu + 1) if self._sallies(inside, cu, others)]
            values.append((others, units(inside, able)))
        said = Value("", with_others(values), unlisted=True)
        return AllOf(Fixed({"sortie": True}), OneOf(None, [Value(""), said], inferred=True))

    def _sallies(self, inside: Force, cu: int, others: Sequence[str]) -> bool:
        part = part_for_sortie(self.view, inside, Wanted(None, cu, None, tuple(others)), self.march.leader)
        return part.cu == cu and not any(why_not_part(self.view, inside, part))

    def where_it_is(self) -> list[Value]:
        """Return what a force on the march can do where it is: stop, attack the unrest, raid."""
        view, march = self.view, self.march
        refusal = why_not_end(view, march, march.at)
        ways = [_shut_if(_STAY, refusal if can_leave(view, march) else None)]
        if why_not_attack_unrest(view, march) is None:
            attack = Fixed({"then": ATTACK_UNREST})
            ways.append(Value(ATTACK_UNREST, attack, says=ATTACK_SAYS, must=True))
        return [*ways, *self._raids(march)]

    def _raids(self, trial: March) -> list[Value]:
        """Return the raids of a force, unless they leave it no points to stop anywhere (14.2, 16.3)."""
        view = self.view
        if why_not_raid(view, trial) is not None:
            return []
        left, ways = points_left(view, trial), []
        may_stay = why_not_end(view, trial, trial.at) is None
        for attempts in range(1, min(left, MOST_RAIDS) + 1):
            then = [Value(ASK, says=(ASK,))]
            if why_no_end_from(view, trial, arrived(trial, left - attempts)) is not None:
                then = []
            if may_stay:
                then += [Value(None, unlisted=bool(then)), Value(STOP, unlisted=True, says=("stop",))]
            ways.append(
                Value(attempts, OneOf("then", then), says=("once", "twice", "three times")[attempts - 1 : attempts])
            )
        return [Value("raid", OneOf("raid", ways, inferred=True), says=("raid",), must=True)]

    # ---- setting out (9.1.1, 9.1.2)

    def setting_out(self) -> list[Value]:
        """Return the marches of the active leader: with whom, how many, and which way."""
        view, march = self.view, self.march
        stack = view.force(march.power, march.at)
        some = companies(view, stack, march.leader)
        with_whom = [(others, Lazy(partial(self._company, stack, others))) for others in some]
        weight = max(2, len(with_whom))
        return [Value("march", with_others(with_whom), says=_SAYS, weight=weight)]

    def _company(self, stack: Force, others: Sequence[str], least: int = 0) -> Part:
        """Return the marches of a leader with some others: with CU by how far they go, or alone."""
        view, march = self.view, self.march
        leaders, usual = [march.leader, *others], min(stack.cu, most_cu(view))
        ways = []
        for trial, able in self._alike(stack, leaders, least):
            share, walks = units(stack, able, usual), self.walks(trial, self.roads.start(self.march))
            said = ("alone",) if able == [0] and stack.cu else ()
            ways.append(Value("", AllOf(share, walks), says=said, must=bool(said), weight=1 if said else 4))
        return OneOf(None, ways, inferred=True)

    def _alike(self, stack: Force, leaders: list[str], least: int) -> list[tuple[March, list[int]]]:
        """Put numbers of CU together that go alike; each lot with a march of the first (9.5.2, 9.6.3).

        In a Campaign a larger force may have units that have gone farther, and fleets carry only so many.
        """
        found: dict[tuple[int, int], tuple[March, list[int]]] = {}
        some = strengths(self.view, stack, leaders, least, most_cu(self.view))
        for cu in dict.fromkeys(cu for cu, _ in some):
            trial = setting_out(self.view, self.march, Force(cu, 0, leaders))
            ground = self.roads.ground(trial.force)
            found.setdefault((id(ground), points_left(self.view, trial)), (trial, []))[1].append(cu)
        return list(found.values())

    # ---- ways

    def walks(self, trial: March, start: str, first: Record | None = None) -> Part:
        """Return the ways of a force, and what follows: it stops, asks for more, or attacks the unrest."""
        key = (bool(trial.force.cu), id(self.roads.ground(trial.force)), points_left(self.view, trial))
        if first:
            return self._ways(trial, start, first)
        if key not in self._walks:
            self._walks[key] = self._ways(trial, start, {})
        return self._walks[key]

    def _ways(self, trial: March, start: str, first: Record) -> Part:
        view, ground, left = self.view, self.roads.ground(trial.force), points_left(self.view, trial)
        walk = partial(Walk, "path", start, ground, of="space", first=first)
        land = ground.land
        ways = [Value("", AllOf(walk(left, no_ends=land.no_ends), _THEN), weight=6)]
        if passing := self._through(trial, start):
            steps = [Value([{**step, **first}], at=step["to"]) for step in passing]
            through = AllOf(OneOf("path", steps, of="space"), Fixed({"then": ASK}))
            ways.append(Value("through", through, says=("through", ASK), must=True))
        price = int(view.board.tables["movement"]["cost"]["unrest"])
        if trial.power == CARTHAGE and trial.force.cu and view.unrest and left > price and trial.at != GARRISON_BOX:
            attack = AllOf(walk(left - price, only=(GARRISON_BOX,)), Fixed({"then": ATTACK_UNREST}))
            ways.append(Value(ATTACK_UNREST, attack, says=ATTACK_SAYS, must=True))
        return OneOf(None, ways, inferred=True) if len(ways) > 1 else ways[0].then

    def _through(self, trial: March, start: str) -> list[Record]:
        """Return the first steps of a force into spaces where it cannot stop, but from which it can go on."""
        ground, left = self.roads.ground(trial.force), points_left(self.view, trial)
        found = []
        for to, cost, step, how in ground.steps(start):
            if how in ("", SEA) and cost <= left and place_of(to) in ground.land.no_ends:
                assert isinstance(step, Mapping)
                if why_no_way(self.view, trial, Step.read(step)) is None:
                    found.append(step)
        return found

    # ---- going on (9.1.2)

    def going_on(self) -> list[Value]:
        """Return the ways on of a force on the march, with what it drops or takes before its next step."""
        view, march = self.view, self.march
        ground = view.force(march.power, march.at)
        by_word: dict[str, list[Value]] = {"": [], "drop": [], "take": []}
        for each in exchanges(view, march, ground):
            word = next(iter(each), "")
            ways = Lazy(partial(self._after, ground, each))
            by_word[word].append(Value(word, ways, label=_exchanged(view, each.get(word, {}))))
        found = [Value("march", by_word[""][0].then, says=_SAYS, weight=4)]
        for word, says in (("drop", ("drop", "leave")), ("take", ("take", "pick up"))):
            if by_word[word]:
                found.append(Value(word, OneOf(None, by_word[word], title=word), says=says, must=True, weight=2))
        return found

    def _after(self, ground: Force, exchanged: Record) -> Part:
        """Return the ways on of the force once it has dropped or taken something."""
        march = self.march
        trial = march.as_if(march.force)
        if "drop" in exchanged:
            part = part_named(march.force, Wanted.read(exchanged["drop"]))
            trial.force, trial.legs = rest_of(march.force, part), legs_without(march, part.cu)
        elif "take" in exchanged:
            part = part_named(ground, Wanted.read(exchanged["take"]))
            trial.force = added(march.force, part)
            trial.legs = legs_with(self.view, march, march.at, ground.cu, part.cu)
        return self.walks(trial, self.roads.start(self.march), exchanged)

    # ---- to the flank of a battle (9.5.6)

    def flanking(self) -> Part:
        """Return the ways to the flank of the battle, with every force that can go."""
        view, march = self.view, self.march
        stack = view.force(march.power, march.at)
        some = companies(view, stack, march.leader)
        return with_others([(others, Lazy(partial(self._flank, stack, others))) for others in some])

    def _flank(self, stack: Force, others: Sequence[str]) -> Part:
        view, usual = self.view, min(stack.cu, most_cu(self.view))
        ways = []
        for trial, able in self._alike(stack, [self.march.leader, *others], 1):
            ends = frozenset([each for each in view.board.spaces if why_not_flank_from(view, trial, each) is None])
            ground, left = self.roads.ground(trial.force), points_left(view, trial)
            stay = trial.at in ends
            walk = Walk("path", self.roads.start(self.march), ground, left, of="space", stay=stay, only=ends)
            ways.append(Value("", AllOf(units(stack, able, usual), walk)))
        return OneOf(None, ways, inferred=True)


def _shut_if(value: Value, refusal: Refusal | None) -> Value:
    """Return a value, shut if it is refused."""
    return value if refusal is None else replace(value, then=NOTHING, why=refusal.reason)


def _exchanged(view: Game, part: Record) -> str:
    """Return what is dropped or taken in words."""
    cu = [counted(part["cu"], "CU", "CU")] if "cu" in part else []
    mercenaries = [f"{part['mercenaries']} of them mercenaries"] if part.get("mercenaries") else []
    return listing([*cu, *mercenaries, *(view.board.leaders[each].name for each in part.get("with", ()))], "and")


def flank_choices(view: Game, decision: Decision) -> Part:
    """Return every way of a flank, with every force that can go (9.5.6)."""
    return _Marches(view, view.the_march, Roads(view, view.the_march)).flanking()


MARCH_KINDS: Final = (
    Kind(
        "march",
        march_choices,
        check_march,
        hints="views.hints:march_hints",
        bot="policy.acts:best_march",
        foresee="views.forecast:foresee_march",
    ),
    Kind("flank", flank_choices, check_flank, hints="views.hints:flank_hints", bot="policy.acts:best_flank"),
)
