"""How long it takes to check the marches of six leaders in one movement phase, as a sheet brings them.

Six Roman armies are ordered from city to city by the names of the cities alone, through a country in which Carthage
stands, so that every way has to be found. Each march is checked as if the earlier ones had been carried out. Nothing
that was found for one sheet is left when the next one is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from statistics import median
from typing import Any

from bench import Figure, seconds
from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.table import Table
from pbem.orders.check import OpenDecisions, check_sheet
from pbem.protocol import Decision, Order

RULES, GAME = "hannibal_italy", "winter"
ROME, CARTHAGE = "rome", "carthage"
ARMIES = {
    "fabius_maximus": ("consul", "ariminum"),
    "flaminius": ("consul", "placentia"),
    "crassus": ("praetor", "arretium"),
    "crispinus": ("praetor", "fregellae"),
    "geminus": ("proconsul", "venusia"),
    "galba": ("proconsul", "rhegium"),
}
ENEMIES = {"hannibal": "arpi", "hanno": "spoletium", "hamilcar": "grumentum"}
LEGIONS = {"roman_foot": 1, "roman_horse": 1}
SHEETS = 15


def figures() -> Iterator[Figure]:
    """Yield the milliseconds in which the rules check six marches, and in which a sheet of them is read and checked."""
    random = Random(217)
    sheets = [orders(random) for _ in range(SHEETS)]
    checked, read = median(map(check, sheets)), median(map(check_whole, sheets))
    yield Figure(f"{RULES}: marches of {len(ARMIES)} leaders checked", 1000 * checked, "ms", 20.0)
    yield Figure(f"{RULES}: a sheet of {len(ARMIES)} marches checked", 1000 * read, "ms")


def check(given: list[Order]) -> float:
    """Return how long the rules take to check orders, one after the other."""
    at = began()
    return seconds(lambda: at.further(at.open_decisions[0], given))


def check_whole(given: list[Order]) -> float:
    """Return how long it takes to read a sheet of orders and to check it."""
    at, lines = began(), "".join(map(line, given))
    raw = f"game: {GAME}\nside: {ROME}\nadjudication: 1\norders:\n{lines}".encode()
    decisions = OpenDecisions(
        box=shelf.load(RULES).box,
        game=GAME,
        sides=at.rules.sides,
        side=ROME,
        adjudication=1,
        decisions=at.open_decisions,
        faults=at.every_fault,
        further=at.further,
    )
    return seconds(lambda: check_sheet(decisions, raw))


def line(order: Order) -> str:
    """Return a march as a sheet has it."""
    return f"- move: {{leader: {order['leader']}, path: [{', '.join(order['path'])}]}}\n"


def began() -> Session[Any]:
    """Return a game in which six Roman leaders are to march, on a board on which no way has been looked for yet."""
    rules: Any = shelf.load(RULES).rules
    game = rules.setup("campaign", Table(SeededDice(1)))
    game.board = replace(rules.board)
    game.year, game.segment, game.phase, game.first = 217, "summer", "first_move", ROME
    for leader, city in ENEMIES.items():
        game.put(leader, game.board.cities[city].hex)
    game.leaders["longus"].units, game.leaders["longus"].office = {}, ""
    game.put("longus", "senate")
    for leader, (office, city) in ARMIES.items():
        game.put(leader, game.board.cities[city].hex)
        game.leaders[leader].office, game.leaders[leader].units = office, dict(LEGIONS)
    assert not list(rules.audit(game))
    return Session(rules, game, SeededDice(1))


def orders(random: Random) -> list[Order]:
    """Return a march for each leader that is legal after the marches before his."""
    at = began()
    view, decision = at.rules.view(at.position, ROME), at.open_decisions[0]
    given: list[Order] = []
    for leader in ARMIES:
        order = legal(at.rules, view, decision, leader, random)
        given.append(order)
        if luckiest := list(at.rules.successors(view, decision, order))[:1]:
            ((view, decision),) = luckiest
    assert at.further(at.open_decisions[0], given) == [[] for _ in given]
    return given


def legal(rules: Any, view: Any, decision: Decision, leader: str, random: Random) -> Order:
    """Return a legal march of a leader to a city by way of another one."""
    while True:
        order = Order("move", {"leader": leader, "path": random.sample(list(view.board.cities), 2)})
        if not list(rules.check(view, decision, order)):
            return order
