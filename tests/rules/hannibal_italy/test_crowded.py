"""HANNIBAL where everybody stands close together: armies, garrisons, sieges and works in a handful of hexes, at random.

Games from the set-up seldom come to two leaders of each side before one besieged city; these positions begin there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from pbem.rules.hannibal_italy.position.board import CLASS_1, UNFORTIFIED
from pbem.rules.hannibal_italy.position.forces import inside, on_board, sp
from pbem.rules.hannibal_italy.position.state import BOXES, CARTHAGE, ENEMY, ROME, Game, Leader, Siege
from tests.support.chance import seed_of
from tests.support.soak import scaled
from tests.support.walks import loaded

GAME = "hannibal_italy"
OFFICES = (("consul", 8), ("consul", 8), ("proconsul", 6), ("praetor", 4), ("praetor", 4), ("proconsul", 6))
QUESTIONS = 30
FEW, MANY = 12, scaled(300, 12)
"""How many positions `make test` plays on from, and `make soak`."""
AT_MOST = 10
"""So many times as many positions are looked at until enough of them have shown what a test is about."""
each_edition = pytest.mark.parametrize("edition", ["text", "repaired"])


def crowd(rules: Any, seed: int) -> Game:
    """Return a position in which both sides have all that they may have in four hexes."""
    rng = Random(f"crowd {seed}")
    game: Game = rules.setup("campaign", Table(SeededDice(seed)))
    game.year, game.segment = rng.randint(207, 217), rng.choice(["summer", "winter"])
    game.phase = rng.choice(["first_move", "second_move", "control"])
    game.first, game.due = rng.choice([ROME, CARTHAGE]), []
    board, walled = game.board, [city for city in game.board.cities.values() if city.kind not in (UNFORTIFIED, CLASS_1)]
    for city in walled:
        if not city.garrison and rng.random() < 0.3:
            game.cities[city.id] = CARTHAGE
    gallic = rng.choice(board.provinces["cisalpine_gaul"].hexes)
    hexes = list(dict.fromkeys([gallic, board.cities["rome"].hex, *(city.hex for city in rng.sample(walled, 2))]))
    counters = Counter(board.counts)
    for leader in game.leaders.values():
        leader.units = {}
    game.leaders["longus"] = Leader()
    siege = hexes[-1]  # a consul within, Hannibal without; no more than three of a side in a hex (7.8)
    game.cities[board.hexes[siege].city or ""] = ROME
    places = [siege, *rng.sample(hexes * 2, len(OFFICES) - 1)]
    for (office, legions), id, hex in zip(OFFICES, rng.sample(board.roster[ROME], len(OFFICES)), places, strict=True):
        game.leaders[id] = Leader(hex, office, units=_some(rng, game, counters, ROME, "", 5))
        assert sp(board, game.leaders[id].units) <= legions * 13
    for id, hex in zip(("hannibal", "hanno", "hamilcar", "hasdrubal"), [siege, *rng.sample(hexes * 2, 3)], strict=True):
        game.leaders[id] = Leader(hex, units=_some(rng, game, counters, CARTHAGE, "", 8))
    game.leaders["gaulish_leader"] = Leader(gallic, units=_some(rng, game, counters, CARTHAGE, "gaul", 5))
    for pool in game.pools:
        game.pools[pool] = {unit: left for unit, left in (+counters).items() if board.units[unit].pool == pool}
    laid_out: Game = rules.decode(rules.encode(game))
    _shut_in(rng, laid_out, hexes)
    return laid_out


def _some(rng: Random, game: Game, counters: Counter[str], side: str, pool: str, most: int) -> dict[str, int]:
    """Return some units that are still in the box, of a side and of a pool, or of none but the Gaulish one."""
    units: Counter[str] = Counter()
    for _ in range(rng.randint(0, most)):
        kinds = [game.board.units[unit] for unit in sorted(+counters) if unit != "slaves"]
        able = [kind for kind in kinds if kind.side == side and (kind.pool == "gaul") == (pool == "gaul")]
        if able:
            kind = rng.choice(able)
            counters[kind.id] -= 1
            units[kind.reduced if kind.reduced and rng.random() < 0.3 else kind.id] += 1
    return dict(units)


def _shut_in(rng: Random, game: Game, hexes: list[str]) -> None:
    """Put some leaders inside their cities, and besiege some of these (7.6, 9.7, 9.91)."""
    for leader in game.leaders.values():
        leader.inside = leader.at in hexes and bool(leader.office) and game.friendly_city(ROME, leader.at)
    for city in filter(None, map(game.city_at, hexes)):
        side = ENEMY[game.cities[city.id]]
        before = [leader for leader in game.leaders_at(side, city.hex) if game.leaders[leader].units]
        if before and city.kind != UNFORTIFIED and rng.random() < 0.7:
            works = city.kind == CLASS_1
            game.sieges[city.id] = Siege(side, 0 if works else rng.randint(3, 6), "partial" if works else "")


def answer(rules: Any, view: Game, decision: Decision, rng: Random) -> Order:
    """Return a random answer of somebody who likes a battle, and does not march too often."""
    choices = rules.legal_orders(view, decision)
    if decision.kind in ("fight", "sally") and rng.random() < 0.7:
        return Order(decision.kind, {decision.kind: True})
    if decision.kind in ("move", "go_on") and rng.random() < 0.2:
        return choices[0]  # type: ignore[no-any-return]
    return choices.pick(rng.random)  # type: ignore[no-any-return]


def played(edition: str, seed: int) -> Iterator[tuple[Session[Any], Game, int]]:
    """Yield a game that begins crowded after each answer: the session, the position before, the events told before."""
    rules: Any = loaded(GAME, edition).rules
    rng, begun = Random(seed), crowd(rules, seed)
    assert list(rules.audit(begun)) == []
    session = Session(rules, begun, SeededDice(seed))
    for _ in range(QUESTIONS):
        while session.at_checkpoint and session.result is None:
            session.go_on()
        if session.result is not None:
            return
        before, told = rules.decode(rules.encode(session.position)), len(session.table.events)
        view = [rules.view(session.position, decision.side) for decision in session.open_decisions]
        orders = [answer(rules, *each, rng) for each in zip(view, session.open_decisions, strict=True)]
        session.answer(orders)
        yield session, before, told


@pytest.fixture(params=[pytest.param(FEW, id="quick"), pytest.param(MANY, id="long", marks=pytest.mark.soak)])
def least(request: pytest.FixtureRequest) -> int:
    """Return how many positions to play on from, at least."""
    found: int = request.param
    return found


@each_edition
def test_a_crowd_keeps_its_accounts(edition: str, least: int) -> None:
    """No position is unsound, no counter of the cups is lost or made (6.3, 6.31), the dead stay dead (10.5)."""
    battles = 0
    for number in range(1, AT_MOST * least):
        seed = seed_of(number)
        if number > least and battles > least // 2:
            break
        dead: set[str] = set()
        for session, _, _ in played(edition, seed):
            game: Game = session.position
            assert list(session.rules.audit(game)) == [], seed
            there = on_board(game)
            for unit in game.board.units.values():
                if unit.back and unit.whole == unit.id:
                    lying = game.pools[unit.pool or ""].get(unit.id, 0)
                    assert there.get(unit.id, 0) + lying == game.board.counts[unit.id], (seed, unit.id)
            now = {id for id, leader in game.leaders.items() if leader.at == "dead"}
            assert dead <= now, seed
            dead = now
        battles += sum(event.kind == "round_result" for event in session.table.events)
    assert battles > least // 2


@each_edition
def test_nothing_passes_the_walls_of_a_besieged_city(edition: str, least: int) -> None:
    """A march changes nothing of who and what is inside (9.71)."""
    compared = 0
    for number in range(1, AT_MOST * least):
        seed = seed_of(number)
        if number > least and compared > least:
            break
        for session, before, told in played(edition, seed):
            game: Game = session.position
            if "move" not in before.phase or "segment_begins" in {e.kind for e in session.table.events[told:]}:
                continue
            for city, siege in before.sieges.items():
                if game.sieges.get(city) == siege and game.phase == before.phase:
                    assert within(game, city) == within(before, city), (seed, city)
                    compared += bool(within(before, city)[1])
    assert compared > least


def within(game: Game, city: str) -> tuple[dict[str, int], list[str]]:
    """Return what is inside a city, and who."""
    owner, hex = game.cities[city], game.board.cities[city].hex
    assert hex not in BOXES
    return inside(game, owner, hex), game.leaders_at(owner, hex, inside=True)
