"""The spoils of a battle, and what is bought with them.

The loser's support goes first, then own support is added, then the ally's: what was won may be added to at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, TypeAlias

from pbem.game import AllOf, Kind, OneOf, Part, Plain, Refusal, Some, Table, Value, plain
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events.support import remove, why_not_remove
from pbem.rules.sword_of_rome.position.board import CARTHAGE, NORMAL, WALLED
from pbem.rules.sword_of_rome.position.changes import set_control
from pbem.rules.sword_of_rome.position.naming import no_such_space, refused, space_named, spaces
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege import unrest
from pbem.rules.sword_of_rome.siege.siege import add_markers, fall_if_due, take_fallen
from pbem.rules.sword_of_rome.turn.order_of_play import decider

# ---- Purchases: every way to spend some points in several places, counted and picked without being listed (12.5)


Piece: TypeAlias = dict[str, Any]
"""A piece of an order: lists and numbers by their words."""
Choices: TypeAlias = list[tuple[int, Piece]]
"""What can be done in one place, each with its points."""


class Purchases(AllOf):
    """Every choice of one thing for each place, of which the points add up to no more than there are.

    The things of a place come with their points, and begin with nothing for 0. A page and a reader of words see what
    may be named by each word of the order.
    """

    def __init__(self, places: Sequence[Choices], points: int) -> None:
        super().__init__(*_words(places, points))
        self._places, self._points = places, points

    @cached_property
    def _counts(self) -> Sequence[Sequence[int]]:
        """Place -> points left -> ways to go on from there."""
        counts = [[1] * (self._points + 1)]
        for choices in reversed(self._places):
            later = counts[-1]
            counts.append(
                [sum(later[left - cost] for cost, _ in choices if cost <= left) for left in range(self._points + 1)]
            )
        return counts[::-1]

    def __len__(self) -> int:
        return self._counts[0][self._points]

    def make(self, index: int) -> dict[str, Plain]:
        whole, left = Piece(), self._points
        for at, choices in enumerate(self._places):
            for cost, part in choices:
                if cost > left:
                    continue
                ways = self._counts[at + 1][left - cost]
                if index < ways:
                    left -= cost
                    for word, value in part.items():
                        whole[word] = whole[word] + value if word in whole else value
                    break
                index -= ways
        if not whole:
            whole[REMOVE] = []
        return whole

    def draw(self, random: Callable[[], float], *, wide: bool = False) -> dict[str, Plain] | None:
        return self.make(int(random() * len(self)))

    def fits(self, body: Mapping[str, Plain], used: frozenset[str]) -> Iterator[frozenset[str]]:
        left: dict[str, Plain] = {word: value for word, value in body.items() if value}
        spent, words = 0, {*SUPPORT_CHOICES, *NUMBERS}
        for choices in self._places:
            cost, part = max(((cost, part) for cost, part in choices if _within(part, left)), key=itemgetter(0))
            spent += cost
            left |= {word: _without(left[word], value) for word, value in part.items()}
        if not any(left.values()) and spent <= self._points and body.keys() <= words:
            yield used | body.keys()


def _within(part: Piece, body: Mapping[str, Plain]) -> bool:
    """Tell whether a body has all that a piece of an order has."""
    return all(word in body and _without(body[word], value) is not None for word, value in part.items())


def _without(there: Plain, value: Plain) -> Plain:
    """Return what is left of a list or a number without another; None: it does not have that."""
    if isinstance(there, list) and isinstance(value, list):
        rest = [each for each in there if each not in value]
        return rest if all(there.count(each) >= value.count(each) for each in value) else None
    return there - value if isinstance(there, int) and isinstance(value, int) and there >= value else None


def _words(places: Sequence[Choices], points: int) -> Iterator[Part]:
    """Yield by each word of the order what may be named there."""
    for word in SUPPORT_CHOICES:
        room: dict[str, int] = {}
        for choices in places:
            for some in (part[word] for _, part in choices if word in part and word not in NUMBERS):
                room[some[0]] = max(len(some), room.get(some[0], 0))
        if room:
            says = (word.replace("_", " "),)
            yield Some(word, spaces(room), 0, points, of="space", room=room, optional=True, says=says)
    for word in NUMBERS:
        most = max((part[word] for choices in places for _, part in choices if word in part), default=0)
        if most:
            some = [Value(number, must=True) for number in range(1, most + 1)]
            yield OneOf(word, [Value(None), *some], title=word)


# ---- Points of a victory: own support, an ally's, the loser's, plunder, unrest (7.3.4, 12.5, 14.5, S 12.5.3)


REMOVE: Final = "remove"
ADD: Final = "add"
FOR_ALLY: Final = "for_ally"
PLUNDER: Final = "plunder"
LOWER_UNREST: Final = "unrest"
SUPPORT_CHOICES: Final = (REMOVE, ADD, FOR_ALLY)
"""What is done in a space, in this order."""
NUMBERS: Final = (PLUNDER, LOWER_UNREST)


def spend_points(game: Game, table: Table, winner: str, loser: str, points: int) -> Flow[None]:
    """Ask the winner of the battle under way what it makes of its points, and do it (12.5)."""
    if points < 1:
        return
    space = game.the_battle.space
    side = yield from decider(game, table, winner)
    order = yield from table.ask(
        side, "spoils", rule="12.5", default={REMOVE: []}, power=winner, loser=loser, points=points, space=space
    )
    removed, added, for_ally = (list(order.get(word, ())) for word in SUPPORT_CHOICES)
    if removed or added or for_ally:
        freed = [at for at in added if game.kind(at) == NORMAL and game.allys_home(winner, at)]
        gained = [at for at in added if at not in freed]
        table.tell("spoils", power=winner, removed=[*removed, *freed], added=gained, for_ally=for_ally, rule="12.5.1")
    for at in removed:
        take_away(game, winner, at)
        fall_if_due(game, table, at)
        yield from take_fallen(game, table)
    for power, given in ((winner, added), (ally(game, winner), for_ally)):
        for at in given:
            assert power is not None
            add(game, power, at)
    if order.get(PLUNDER):
        add_markers(game, table, winner, order[PLUNDER], rule="14.5")
    if order.get(LOWER_UNREST):
        change = unrest.lower_by if winner == CARTHAGE else unrest.raise_by
        change(game, table, order[LOWER_UNREST], "S 12.5.3")


def losers(game: Game, loser: str) -> list[str]:
    """Return the powers whose support the winner may remove: the loser, and an ally on its flank (12.5.1, 9.5.6)."""
    return game.the_battle.side_of(loser)


def ally(game: Game, winner: str) -> str | None:
    """Return the ally on the winner's flank, whom it may give points; None: there is none (9.5.6)."""
    battle = game.the_battle
    return battle.flank if winner == battle.attacker and battle.flank != winner else None


# ---- a point in a space


def taker(game: Game, winner: str, space: str) -> str | None:
    """Return the power that gets a space of the loser's; None: it becomes independent (7.3.4, 15.2.3).

    The winner does if it controlled a space next to it when the battle began, and no enemy CU are there; in an ally's
    home the ally gets a city, and a marker only goes.
    """
    if space not in game.the_battle.near.get(winner, ()) or game.enemies_in(winner, space):
        return None
    if game.allys_home(winner, space):
        return game.board.spaces[space].home if game.kind(space) == WALLED else None
    return winner


def why_not_take_away(game: Game, whose: Sequence[str], space: str) -> Refusal | None:
    """Say why no support of the loser can be removed in a space; None: it can (7.3.3, 7.3.4)."""
    unknown = no_such_space(game, space)
    if unknown is not None:
        return unknown
    if game.control.get(space) not in whose:
        return Refusal(f"{space_named(game, space)} is not the loser's", "12.5.1")
    return why_not_remove(game, space)


def take_away(game: Game, winner: str, space: str) -> None:
    """Remove a point of the loser's support (7.3.4)."""
    remove(game, space, taker(game, winner, space))


def why_not_add_own(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot add a point of support in a space; None: it can (7.3.1, 7.3.4)."""
    unknown = no_such_space(game, space)
    if unknown is not None:
        return unknown
    kind, there = game.kind(space), space_named(game, space)
    own_home = game.board.spaces[space].home == power
    if kind not in (NORMAL, WALLED):
        return Refusal(f"{there} has no support: it is a {kind}", "7.3")
    if space not in game.control and own_home and not game.enemies_in(power, space):
        return None
    if kind == NORMAL:
        if game.friendly(power, space):
            return Refusal(f"{there} takes no point: a friend controls it", "7.3.1")
        if not game.takes_marker(power, space):
            return Refusal(f"{there} is an ally's home and has no marker to remove", "15.2.3")
        if not game.cu(power, space):
            return Refusal(f"{there} has no CU of {power}", "7.3.1")
        return None
    if game.control.get(space) != power:
        return Refusal(f"{there} is not a city of {power}", "7.3.1")
    if game.besieged(space):
        return Refusal(f"{there} is besieged", "13.3")
    if game.loyalty[space] >= game.board.powers[power].city_loyalty:
        return Refusal(f"{there} has the most loyalty that it can have", "7.3.1")
    return None


def add(game: Game, power: str, space: str) -> None:
    """Add a point of support: loyalty, or the own marker for an enemy's; in an ally's home that only goes (7.3.1)."""
    if game.kind(space) == WALLED and game.control.get(space) == power:
        game.loyalty[space] += 1
        return
    set_control(game, space, None if game.allys_home(power, space) else power)


# ---- legal orders and checks


def _trial(view: Game, spaces: Collection[str]) -> Game:
    """Return a position on which points can be tried in some spaces: only what they change is copied."""
    trial = plain.twin(view)
    trial.control, trial.loyalty = dict(view.control), dict(view.loyalty)
    trial.sieges, trial.inside = dict(view.sieges), dict(view.inside)
    trial.forces = {
        power: there | {at: plain.copy(there[at]) for at in spaces if at in there}
        for power, there in view.forces.items()
    }
    return trial


def _why_not(view: Game, winner: str, loser: str, word: str, space: str) -> Refusal | None:
    """Say why a point cannot be spent in a space; None: it can (7.3, 12.5.1)."""
    if word == REMOVE:
        return why_not_take_away(view, losers(view, loser), space)
    power = winner if word == ADD else ally(view, winner)
    return Refusal("no ally has fought on the flank", "9.5.6") if power is None else why_not_add_own(view, power, space)


def _try(trial: Game, winner: str, word: str, space: str) -> None:
    """Spend one point on a trial; a city whose loyalty drops to 0 goes to its besieger at once (13.5)."""
    if word != REMOVE:
        power = winner if word == ADD else ally(trial, winner)
        assert power is not None
        add(trial, power, space)
        return
    take_away(trial, winner, space)
    if not trial.loyalty.get(space, 1):
        siege = trial.sieges.pop(space)
        set_control(trial, space, None if trial.board.powers[siege.by].raids else siege.by)


def most_unrest(view: Game, winner: str, loser: str) -> int:
    """Return how many points the winner can spend on the unrest (S 12.5.3).

    Carthage lowers it, who beats Carthage raises it.
    """
    if view.board.powers[CARTHAGE].side is None:
        return 0
    if winner == CARTHAGE:
        return view.unrest
    return max(0, unrest.cap(view) - view.unrest) if CARTHAGE in losers(view, loser) else 0


def places_for_points(view: Game, winner: str, loser: str, points: int) -> list[Choices]:
    """Return for each place what some points can do there, nothing first (12.5.1)."""
    found = []
    for space in view.board.spaces:
        choices = list(_here(view, winner, loser, space, points))
        if len(choices) > 1:
            found.append(choices)
    if view.board.powers[winner].raids:
        found.append([(count, {PLUNDER: count} if count else {}) for count in range(points + 1)])
    most = min(points, most_unrest(view, winner, loser))
    if most:
        found.append([(count, {LOWER_UNREST: count} if count else {}) for count in range(most + 1)])
    return found


def _here(view: Game, winner: str, loser: str, space: str, points: int) -> Iterator[tuple[int, Piece]]:
    """Yield what some points can do in a space: so many taken away, then added, then given to the ally."""
    words = SUPPORT_CHOICES if ally(view, winner) is not None else SUPPORT_CHOICES[:2]

    def further(trial: Game, at: int, spent: int, part: Piece) -> Iterator[tuple[int, Piece]]:
        yield spent, part
        for i in range(at, len(words)):
            if spent < points and _why_not(trial, winner, loser, words[i], space) is None:
                after = _trial(trial, [space])
                _try(after, winner, words[i], space)
                yield from further(after, i, spent + 1, {**part, words[i]: [*part.get(words[i], ()), space]})

    adding = any(_why_not(view, winner, loser, word, space) is None for word in words[1:])
    if adding or view.control.get(space) in losers(view, loser):
        yield from further(view, 0, 0, {})


def spoils_choices(view: Game, decision: Decision) -> Part:
    """Return every way to spend the points, or some of them (12.5)."""
    winner, loser, points = (decision.facts[word] for word in ("power", "loser", "points"))
    return Purchases(places_for_points(view, winner, loser, points), points)


def check_spoils(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with how the points are spent (12.5)."""
    facts = decision.facts
    winner, loser, points = facts["power"], facts["loser"], facts["points"]
    spent = (
        sum(len(order.get(word, ())) for word in SUPPORT_CHOICES) + order.get(PLUNDER, 0) + order.get(LOWER_UNREST, 0)
    )
    if spent > points:
        yield order.fault((), f"the victory brings {points} points, not {spent}", rule="12.5")
    trial = _trial(view, [space for word in SUPPORT_CHOICES for space in order.get(word, ())])
    for word in SUPPORT_CHOICES:
        for i, space in enumerate(order.get(word, ())):
            refusal = _why_not(trial, winner, loser, word, space)
            yield from refused((word, i), refusal)
            if refusal is None:
                _try(trial, winner, word, space)
    if order.get(PLUNDER, 0) and not view.board.powers[winner].raids:
        yield order.fault((PLUNDER,), f"{winner} takes no plunder", rule="14.5")
    most = most_unrest(view, winner, loser)
    if order.get(LOWER_UNREST, 0) > most:
        if most:
            way = "fall" if winner == CARTHAGE else "rise"
            yield order.fault((LOWER_UNREST,), f"the unrest can {way} by {most}", rule="S 20.1")
        else:
            yield order.fault((LOWER_UNREST,), "the unrest cannot be changed by this victory", rule="S 12.5.3")


SPOILS_KINDS: Final = (
    Kind("spoils", spoils_choices, check_spoils, hints="views.hints:spoils_hints", bot="policy.replies:best_spoils"),
)
