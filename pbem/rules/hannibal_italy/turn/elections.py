"""Roman elections of each summer from 217 on, the dictator after a disaster, and where the elected take over (5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game import Assign, Fixed, Kind, OneOf, Part, Some, Table, Value, once
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.forces import SLAVES, added, put_loose, shut_up, sp, steps, take_loose, taken
from pbem.rules.hannibal_italy.position.leadership import HIGHEST, crowded, disband_slaves, limit
from pbem.rules.hannibal_italy.position.naming import (
    leader_named,
    leaders_named,
    no_such_place,
    place_named,
    places_named,
    why_not_at_hand,
)
from pbem.rules.hannibal_italy.position.state import (
    CANDIDATES,
    CONSUL,
    DICTATOR,
    MASTER_OF_HORSE,
    PRAETOR,
    PROCONSUL,
    RANKS,
    ROME,
    SENATE,
    UNPLACED,
    Game,
    Leader,
    Year,
)

NONE: Final = "none"
BOTH: Final = 2


# ---- placing: where the old leaders stood, with new legions, or in Rome (5.23, 7.8)


def found(board: Board, place: str | int) -> str:
    """Return the hex that an order names, which has been checked."""
    hex = board.find(place)
    assert hex is not None, place
    return hex


def unplaced(game: Game) -> list[str]:
    """Return the elected leaders who are not on the map yet, the highest office first (5.23)."""
    waiting = [leader for leader in game.board.roster[ROME] if game.leaders[leader].at == UNPLACED]
    return sorted(waiting, key=lambda leader: RANKS.index(game.leaders[leader].office))


def places_for(game: Game, raised: Iterable[str]) -> list[str]:
    """Return the hexes in which they may be put: left by the old magistrates, with new legions, or Rome (5.23)."""
    hexes = {*game.vacant, *(game.board.cities[city].hex for city in raised), game.board.home}
    return sorted(hex for hex in hexes if not crowded(game, ROME, hex, ["somebody"]))


def place(game: Game, table: Table, leader: str, hex: str) -> None:
    """Put an elected leader on the map, to take over as many loose units as the office may lead (5.23, 7.8).

    In a city that is besieged or before which an enemy leader stands they are inside (7.6, 9.71), and so is he.
    """
    record = game.leaders[leader]
    record.inside = shut_up(game, ROME, hex)
    game.put(leader, hex)
    units = _commanded(game, leader, game.loose[ROME].get(hex, {}))
    take_loose(game, ROME, hex, units)
    record.units = added(record.units, units)
    table.tell("placed", leader=leader, office=record.office, hex=hex, rule="5.23")


def _commanded(game: Game, leader: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return as many units as a leader may have with him, the strongest first, slaves before all (6.22, 7.8)."""
    most, board = limit(game, leader), game.board
    chosen: dict[str, int] = {}
    total = sp(board, game.leaders[leader].units)
    for unit in sorted(units, key=lambda each: (board.units[each].whole != SLAVES, -board.units[each].sp, each)):
        room = units[unit] if most is None else max(0, (most - total) // board.units[unit].sp)
        count = min(units[unit], room)
        if count and steps(board, {unit: count}):
            chosen[unit] = count
            total += count * board.units[unit].sp
    return chosen


def shed(game: Game, leader: str) -> None:
    """Let a leader leave behind the units that exceed what the office may lead (7.8)."""
    record = game.leaders[leader]
    units, record.units = record.units, {}
    record.units = _commanded(game, leader, units)
    put_loose(game, ROME, record.at, taken(units, record.units))


def leave_for_rome(game: Game, table: Table) -> None:
    """Send the elected who have no place yet to Rome (5.23)."""
    for leader in unplaced(game):
        place(game, table, leader, game.board.home)


def wrong_places(view: Game, order: Order, leaders: Mapping[str, str | int], raised: Iterable[str]) -> Iterator[Fault]:
    """Yield what is wrong with where an order puts leaders: not elected, or where they may not go (5.23, 7.8)."""
    if not leaders:
        return
    waiting, able = unplaced(view), places_for(view, raised)
    coming: dict[str, int] = {}
    for leader, place in leaders.items():
        hex = view.board.find(place)
        if leader not in waiting:
            able_to = leaders_named(view.board, waiting)
            reason = f"{why_not_at_hand(view, ROME, leader)}; who waits for a place: {able_to}".replace("?;", "?")
            yield order.fault(("leaders", leader), reason, rule="5.23")
        elif hex not in able:
            yield order.fault(("leaders", leader), _why_not_placed(view, able, leader, place), rule="5.23")
        else:
            coming[hex] = coming.get(hex, 0) + 1
            if crowded(view, ROME, hex, [f"number {number}" for number in range(coming[hex])]):
                most = view.board.tables["stacking"]["leaders"]
                reason = f"too many leaders would be at {place_named(view.board, place)}; {most} may be"
                yield order.fault(("leaders", leader), reason, rule="7.8")


def _why_not_placed(view: Game, able: Sequence[str], leader: str, place: str | int) -> str:
    """Say why an elected leader may not be put into a hex (5.23, 7.8)."""
    hex = view.board.find(place)
    open_to_him = f"open are {places_named(view.board, able)}"
    if hex is None:
        return f"{no_such_place(view.board, place)}; {open_to_him}"
    name, who = place_named(view.board, hex), leader_named(view.board, leader)
    if crowded(view, ROME, hex, [leader]):
        most = view.board.tables["stacking"]["leaders"]
        return f"{most} leaders are at {name} already; {open_to_him}"
    return (
        f"{who} cannot come to {name}: the elected go to Rome, to new legions, or to where a magistrate stood; "
        f"{open_to_him}"
    )


# ---- elections (5.1 to 5.3, 5.5)


@dataclass(frozen=True, slots=True)
class ProconsulOrder:
    """The consul who stays as proconsul, and the proconsuls who are taken off."""

    keep: str | None
    dismiss: Sequence[str]

    @classmethod
    def read(cls, order: Order) -> ProconsulOrder:
        """Read an order about proconsuls."""
        return cls(None if order["keep"] == NONE else order["keep"], tuple(order.get("dismiss", ())))


def elect(game: Game, table: Table) -> Flow[bool]:
    """Hold the elections: proconsuls, candidates, dice, offices, and where the elected go (5.2, 5.3)."""
    for leader in game.leaders.values():
        leader.last_year, leader.year = leader.year, Year()
    yield from _proconsuls(game, table)
    _step_down(game, table)
    drawn = table.shuffle(f"election/{game.year}", eligible(game))[: int(game.board.tables["elections"]["drawn"])]
    for each in drawn:
        game.put(each, CANDIDATES)
    table.tell("candidates", leaders=candidates(game), rule="5.2")
    if game.options["quick_elections"]:
        ranking = table.shuffle(f"election/{game.year}/offices", candidates(game))
    else:
        ranking = yield from _ranking(game, table)
    _give_offices(game, table, ranking)
    yield from take_over(game, table)
    if game.options["elected_wait"] == "in_rome":
        leave_for_rome(game, table)
    return True


def eligible(game: Game) -> list[str]:
    """Return the leaders in the Senate who may be elected this year (5.20)."""
    cards = game.board.leaders
    waiting = [leader for leader in game.board.roster[ROME] if game.leaders[leader].at == SENATE]
    return [leader for leader in waiting if (year := cards[leader].first_year) is None or game.year <= year]


def candidates(game: Game) -> list[str]:
    """Return the candidates for election (5.2)."""
    return [leader for leader in game.board.roster[ROME] if game.leaders[leader].at == CANDIDATES]


def _proconsuls(game: Game, table: Table) -> Flow[None]:
    """Ask Rome which consul stays as proconsul, and which proconsuls it takes off (5.3)."""
    held = [leader for leader in game.on_map(ROME) if game.leaders[leader].office == PROCONSUL]
    consuls = [leader for leader in game.on_map(ROME) if game.leaders[leader].office == CONSUL]
    if not held and not consuls:
        return
    answer = yield from table.ask(
        ROME, "proconsul", rule="5.3", default={"keep": NONE}, year=game.year, consuls=consuls, proconsuls=held
    )
    order = ProconsulOrder.read(answer)
    for leader in order.dismiss:
        to = SENATE if game.options["dismissed_proconsul"] == "senate" else CANDIDATES
        leave_office(game, table, leader, to)
    if order.keep is not None:
        game.leaders[order.keep].office = PROCONSUL
        shed(game, order.keep)
        table.tell("proconsul", leader=order.keep, rule="5.3")


def _step_down(game: Game, table: Table) -> None:
    """Take praetors, consuls and dictators off the map; their units stay where they are (5.2, 5.4)."""
    game.vacant, game.left_by_consuls = [], []
    for leader in list(game.on_map(ROME)):
        if game.leaders[leader].office != PROCONSUL:
            game.vacant.append(game.leaders[leader].at)
            if game.leaders[leader].office in HIGHEST:
                game.left_by_consuls.append(game.leaders[leader].at)
            leave_office(game, table, leader, CANDIDATES)


def leave_office(game: Game, table: Table, leader: str, to: str) -> None:
    """Take a leader off the map; slaves who follow him leave the game (5.2, 6.22)."""
    record = game.leaders[leader]
    disband_slaves(game, table, leader)
    put_loose(game, ROME, record.at, record.units)
    game.leaders[leader] = Leader(year=record.year, last_year=record.last_year)
    game.put(leader, to)


def modifiers(game: Game, leader: str) -> dict[str, int]:
    """Return the modifiers of a candidate's election roll (5.2, election modifiers)."""
    numbers: Mapping[str, int] = game.board.tables["elections"]["modifiers"]
    year, found = game.leaders[leader].last_year, {}
    if leader in game.served:
        found["served_before"] = numbers["served_before"]
    if leader in game.last_consuls:
        found["consul_last_year"] = numbers["consul_last_year"]
    if year.fought:
        word = "equal_losses" if year.lost == year.took else "enemy_lost_more"
        word = "rome_lost_more" if year.lost > year.took else word
        found[word] = numbers[word]
    if year.withdrew:
        found["withdrew"] = numbers["withdrew"]
    if game.card(leader).election:
        found["own"] = game.card(leader).election
    return found


def _ranking(game: Game, table: Table) -> Flow[list[str]]:
    """Roll for each candidate and return them in order; former consuls win ties, then Rome decides (5.2, 5.22)."""
    totals: dict[str, int] = {}
    for leader in candidates(game):
        roll = table.roll(
            f"election/{game.year}/{leader}", rule="5.2", modifiers=modifiers(game, leader), side=ROME, leader=leader
        )
        totals[leader] = roll.total
    ranked = sorted(totals, key=lambda leader: (-totals[leader], leader not in game.served, leader))
    places = game.board.tables["elections"]
    settled: list[str] = []
    for border in (int(places["consuls"]), int(places["consuls"]) + int(places["praetors"])):
        tied = _tied(game, ranked, totals, border)
        if len(tied) > 1 and tied != settled:
            order = yield from table.ask(
                ROME, "tie", rule="5.22", default={"leaders": tied}, leaders=tied, places=border - ranked.index(tied[0])
            )
            at = ranked.index(tied[0])
            ranked[at : at + len(tied)] = settled = order["leaders"]
    return ranked


def _tied(game: Game, ranked: Sequence[str], totals: Mapping[str, int], border: int) -> list[str]:
    """Return the candidates who are tied for an office: equal in roll and in having served (5.22)."""
    if border >= len(ranked):
        return []

    def rank(leader: str) -> tuple[int, bool]:
        return totals[leader], leader in game.served

    last = rank(ranked[border - 1])
    return [leader for leader in ranked if rank(leader) == last] if rank(ranked[border]) == last else []


def _give_offices(game: Game, table: Table, ranked: Sequence[str]) -> None:
    """Make the first two consuls, the next two praetors; the others go back to the Senate (5.2, 5.24)."""
    places = game.board.tables["elections"]
    consuls = int(places["consuls"])
    for at, leader in enumerate(ranked):
        office = CONSUL if at < consuls else PRAETOR if at < consuls + int(places["praetors"]) else ""
        game.leaders[leader].office = office
        game.put(leader, UNPLACED if office else SENATE)
        if office:
            table.tell("elected", leader=leader, office=office, rule="5.2")
        if office == CONSUL and leader not in game.served:
            game.served.append(leader)
    game.last_consuls = list(ranked[:consuls])


def take_over(game: Game, table: Table) -> Flow[None]:
    """Let Rome put the elected where the old magistrates stood; others wait for the new legions (5.23)."""
    hexes = [hex for hex in places_for(game, []) if hex in game.vacant]
    if not hexes or not unplaced(game):
        return
    order = yield from table.ask(
        ROME, "place", rule="5.23", default={"leaders": _swap(game, hexes)}, leaders=unplaced(game), hexes=hexes
    )
    for leader, hex in order["leaders"].items():
        place(game, table, leader, found(game.board, hex))


def _swap(game: Game, hexes: Sequence[str]) -> dict[str, str]:
    """Return the answer of a silent Rome: consul for consul, praetor for praetor, the strongest army first (5.23)."""
    rest = list(game.vacant)
    for hex in game.left_by_consuls:
        rest.remove(hex)
    chosen: dict[str, str] = {}
    for consuls, left in ((True, game.left_by_consuls), (False, rest)):
        who = [each for each in unplaced(game) if (game.leaders[each].office in HIGHEST) == consuls]
        strongest = sorted(left, key=lambda hex: (-sp(game.board, game.loose[ROME].get(hex, {})), hex))
        for leader, hex in zip(who, strongest, strict=False):
            there = [each for each, other in chosen.items() if other == hex]
            if hex in hexes and not crowded(game, ROME, hex, [*there, leader]):
                chosen[leader] = hex
    return chosen


# ---- what may be ordered


def _proconsul_choices(view: Game, decision: Decision) -> Part:
    """Return which consul stays, if any, with enough of the proconsuls taken off to leave room for him (5.3)."""
    facts = decision.facts
    there = [Value(leader, at=view.leaders[leader].at) for leader in facts["proconsuls"]]
    room = view.board.tables["elections"]["proconsuls"]["most"]

    def dismiss(least: int) -> Part:
        return Some("dismiss", there, least, len(there), of="leader", optional=least == 0)

    stay = dismiss(max(0, len(there) - room + 1))
    keep = [Value(leader, stay, at=view.leaders[leader].at) for leader in facts["consuls"]]
    return OneOf("keep", [Value(NONE, dismiss(0), says=(NONE,), must=True), *keep], of="leader")


def _check_proconsul(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with proconsuls: no consul, no proconsul, more than two (5.3)."""
    facts, ordered = decision.facts, ProconsulOrder.read(order)
    keep, dismiss = ordered.keep, ordered.dismiss
    if keep is not None and keep not in facts["consuls"]:
        able = leaders_named(view.board, facts["consuls"], "or")
        name = leader_named(view.board, keep)
        reason = f"{name} is no consul on the map, and only such a one stays as proconsul; {able} could"
        yield order.fault(("keep",), reason, rule="5.3")
    for at, leader in enumerate(dismiss):
        name = leader_named(view.board, leader)
        if leader not in facts["proconsuls"]:
            there = leaders_named(view.board, facts["proconsuls"])
            yield order.fault(("dismiss", at), f"{name} is no proconsul to take off; there is: {there}", rule="5.3")
        elif leader in dismiss[:at]:
            yield order.fault(("dismiss", at), f"{name} is named twice", rule="5.3")
    most = view.board.tables["elections"]["proconsuls"]["most"]
    if keep is not None and len(facts["proconsuls"]) - len(dismiss) >= most:
        yield order.fault(("keep",), f"there may be {most} proconsuls; take one off first (dismiss)", rule="5.3")


def _tie_choices(view: Game, decision: Decision) -> Part:
    tied = decision.facts["leaders"]
    return Some("leaders", [Value(leader) for leader in tied], len(tied), len(tied), of="leader", ordered=True)


def _check_tie(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the order of those who are equal: it is not all of them (5.22)."""
    tied = decision.facts["leaders"]
    if sorted(order["leaders"]) != sorted(tied):
        yield order.fault(
            ("leaders",), f"name each of {leaders_named(view.board, tied)} once, the first choice first", rule="5.22"
        )


def _place_choices(view: Game, decision: Decision) -> Part:
    """Return nobody, whoever takes over from his like, and each of the elected alone in each hex (5.23)."""
    usual, facts = _swap(view, decision.facts["hexes"]), decision.facts
    ways = [Value("nobody", Fixed({"leaders": {}}), says=(NONE,), must=True)]
    if len(usual) > 1:
        ways.append(Value("usual", Fixed({"leaders": usual}), says=("usual",), must=True))
    axes = [(leader, facts["hexes"]) for leader in facts["leaders"]]
    ways.append(Value("one", Assign("leaders", axes, ("leader", "hex"), least=1, one=True)))
    return OneOf(None, ways, inferred=True)


def _check_place(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of the elected: they come only where the old ones stood (5.23)."""
    sound: dict[str, str | int] = {}
    for leader, where in order["leaders"].items():
        if view.board.find(where) not in decision.facts["hexes"] and leader in decision.facts["leaders"]:
            reason = _why_not_taken_over(view, decision.facts["hexes"], where)
            yield order.fault(("leaders", leader), reason, rule="5.23")
        else:
            sound[leader] = where
    yield from wrong_places(view, order, sound, [])


def _why_not_taken_over(view: Game, hexes: Sequence[str], where: str | int) -> str:
    """Say why nobody takes over an army in a hex now: no magistrate has left it, or too many leaders are there."""
    able, hex, name = places_named(view.board, hexes, "or"), view.board.find(where), place_named(view.board, where)
    if hex is None:
        return f"{no_such_place(view.board, where)}; now the elected can go to {able}"
    if hex in view.vacant:
        most = view.board.tables["stacking"]["leaders"]
        return f"{most} leaders are at {name} already; now the elected can go to {able}"
    return (
        f"no magistrate of last year stood at {name}; now the elected take over only what such a one has left, at "
        f"{able}; who is not named here gets his place when legions are raised, or in Rome"
    )


# ---- the dictator and his master of horse, after a disaster (5.4)


@dataclass(frozen=True, slots=True)
class DictatorOrder:
    """The leaders whom Rome names dictator and master of horse."""

    dictator: str
    master: str
    """Empty: the order names none."""

    @classmethod
    def read(cls, order: Order) -> DictatorOrder | None:
        """Read an order about a dictator; return None if there is to be none."""
        return None if order["dictator"] == NONE else cls(order["dictator"], order.get("master", ""))


def appoint(game: Game, table: Table) -> Flow[bool]:
    """Ask Rome for a dictator at the end of a summer in which four legions or both consuls were lost (5.4)."""
    if not disaster(game) or len(able := eligible(game)) < BOTH:
        return True
    answer = yield from table.ask(ROME, "dictator", rule="5.4", default={"dictator": NONE}, leaders=able)
    order = DictatorOrder.read(answer)
    if order is None:
        return True
    game.vacant = [*_dismiss_consuls(game, table), *game.fallen]
    game.left_by_consuls = list(game.vacant)
    chosen = ((order.dictator, DICTATOR), (order.master, MASTER_OF_HORSE))
    game.dictators.append(order.dictator)
    for leader, office in chosen:
        game.put(leader, UNPLACED)
        game.leaders[leader].office = office
        table.tell("appointed", leader=leader, office=office, rule="5.4")
        if game.options["dictator_as_consul"] == "everything":
            game.last_consuls.append(leader)
            if leader not in game.served:
                game.served.append(leader)
    yield from take_over(game, table)
    leave_for_rome(game, table)
    return True


def disaster(game: Game) -> bool:
    """Tell whether Rome may name a dictator: four legions lost, or both consuls (5.4)."""
    lost = game.lost_this_segment if game.options["dictator_losses"] == "segment" else game.lost_this_year
    board = game.board
    needed = int(board.tables["dictator_after"]) * int(board.tables["stacking"]["legion_sp"])
    return lost >= needed or game.consuls_killed >= BOTH


def _dismiss_consuls(game: Game, table: Table) -> list[str]:
    """Take the consuls out of play and return where they stood (5.4)."""
    consuls = [leader for leader in game.on_map(ROME) if game.leaders[leader].office == CONSUL]
    hexes = [game.leaders[leader].at for leader in consuls]
    for leader in consuls:
        leave_office(game, table, leader, SENATE)
    return hexes


def senior(game: Game, one: str, other: str) -> bool:
    """Tell whether a leader is at least as senior as another: he has been consul, or neither has (5.4, 5.22)."""
    return one in game.served or other not in game.served


def choices(view: Game, decision: Decision) -> Part:
    """Return no dictator, and every pair of which the senior is dictator, who has not been before (5.4)."""
    able, values = decision.facts["leaders"], [Value(NONE, says=(NONE,), must=True)]
    for one in able:
        if one not in view.dictators:
            masters = [Value(other) for other in able if one != other and senior(view, one, other)]
            values.append(Value(one, OneOf("master", masters, of="leader")))
    return OneOf("dictator", values, of="leader")


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a dictator: not eligible, not the senior, or dictator before (5.4)."""
    able, ordered = decision.facts["leaders"], DictatorOrder.read(order)
    if ordered is None:
        return
    dictator, master = ordered.dictator, ordered.master
    strangers = [(key, each) for key, each in (("dictator", dictator), ("master", master)) if each not in able]
    for key, leader in strangers:
        yield order.fault((key,), _why_not_eligible(view, able, leader), rule="5.4")
    if strangers:
        return
    if dictator == master:
        yield order.fault(("master",), "the dictator and his master of horse are two leaders; name another", rule="5.4")
    elif dictator in view.dictators:
        reason = f"{leader_named(view.board, dictator)} has been dictator before, and nobody is twice"
        yield order.fault(("dictator",), reason, rule="5.4")
    elif not senior(view, dictator, master):
        reason = f"{leader_named(view.board, master)} is the senior of the two, having been consul, and so dictator"
        yield order.fault(("dictator",), reason, rule="5.4")


def _why_not_eligible(view: Game, able: Sequence[str], leader: str) -> str:
    """Say why somebody cannot be dictator or master of horse: they come from the Senate, and are old enough (5.4)."""
    who = f"eligible are {leaders_named(view.board, able)}"
    if not leader:
        return f"name a master of horse, too; {who}"
    if leader in view.board.roster[ROME] and view.leaders[leader].at == SENATE:
        year = view.board.leaders[leader].first_year
        return f"{leader_named(view.board, leader)} is eligible from {year} on only; {who}"
    return f"{why_not_at_hand(view, ROME, leader)}, and does not sit in the Senate; {who}"


ELECTION_KINDS: Final = (
    Kind(
        "proconsul",
        _proconsul_choices,
        _check_proconsul,
        hints="views.hints:proconsul",
        bot="policy.replies:proconsul",
        is_last=once,
    ),
    Kind("tie", _tie_choices, _check_tie, hints="views.hints:tie", bot="policy.replies:tie"),
    Kind(
        "place",
        _place_choices,
        _check_place,
        hints="views.hints:placing",
        bot="policy.replies:placing",
        close_up="views.summary:enemies_near",  # the form says what stands where
        is_last=once,
    ),
    Kind("dictator", choices, check, hints="views.hints:dictator", is_last=once),
)
