"""The Roman elections of each summer from 217 on (5.1 to 5.3, 5.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from pbem.game import Kind, LegalOrders, Table, of, once, product
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.position.forces import put_loose, sp
from pbem.rules.hannibal_italy.position.leadership import HIGHEST, disband_slaves
from pbem.rules.hannibal_italy.position.naming import (
    leader_named,
    leaders_named,
    no_such_place,
    place_named,
    places_named,
)
from pbem.rules.hannibal_italy.position.stacking import crowded
from pbem.rules.hannibal_italy.position.state import (
    CANDIDATES,
    CONSUL,
    PRAETOR,
    PROCONSUL,
    ROME,
    SENATE,
    UNPLACED,
    Game,
    Leader,
)
from pbem.rules.hannibal_italy.position.under_way import Year
from pbem.rules.hannibal_italy.turn.placing import (
    found,
    leave_for_rome,
    place,
    places_for,
    shed,
    unplaced,
    wrong_places,
)

NONE: Final = "none"


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
    for leader in drawn:
        game.put(leader, CANDIDATES)
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
            f"election/{game.year}/{leader}",
            rule="5.2",
            modifiers=modifiers(game, leader),
            side=ROME,
            leader=leader,
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


def _proconsul_orders(view: Game, decision: Decision) -> LegalOrders:
    facts = decision.facts
    most = view.board.tables["elections"]["proconsuls"]["most"]
    bodies: list[dict[str, object]] = [{"keep": NONE}]
    for dismissed in ([], *([leader] for leader in facts["proconsuls"])):
        if len(facts["proconsuls"]) - len(dismissed) < most:
            bodies += [{"keep": leader, "dismiss": dismissed} for leader in facts["consuls"]]
        if dismissed:
            bodies.append({"keep": NONE, "dismiss": dismissed})
    return product(lambda body: Order("proconsul", body), bodies)


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


def _tie_orders(view: Game, decision: Decision) -> LegalOrders:
    return of([Order("tie", {"leaders": list(order)}) for order in permutations(decision.facts["leaders"])])


def _check_tie(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the order of those who are equal: it is not all of them (5.22)."""
    tied = decision.facts["leaders"]
    if sorted(order["leaders"]) != sorted(tied):
        yield order.fault(
            ("leaders",), f"name each of {leaders_named(view.board, tied)} once, the first choice first", rule="5.22"
        )


def _place_orders(view: Game, decision: Decision) -> LegalOrders:
    facts = decision.facts
    bodies: list[dict[str, str]] = [{}, _swap(view, facts["hexes"])]
    bodies += [{leader: hex} for leader in facts["leaders"] for hex in facts["hexes"]]
    unique = list({str(sorted(body.items())): body for body in bodies}.values())
    return of([Order("place", {"leaders": body}) for body in unique])


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


ELECTION_KINDS: Final = (
    Kind(
        "proconsul",
        _proconsul_orders,
        _check_proconsul,
        hints="views.hints:proconsul",
        bot="policy.replies:proconsul",
        is_last=once,
    ),
    Kind("tie", _tie_orders, _check_tie, hints="views.hints:tie", bot="policy.replies:tie"),
    Kind(
        "place",
        _place_orders,
        _check_place,
        hints="views.hints:placing",
        bot="policy.replies:placing",
        close_up="views.summary:enemies_near",  # the form says what stands where
        is_last=once,
    ),
)
