"""How long a letter waits for its map: once all is warm, for the first map of a run, and in a game of each box."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench import Figure, alternating, seconds
from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.board.board_map import base_map
from pbem.game.board.scene import Counter, DrawnSide, Scene
from pbem.game.boxes import shelf
from pbem.game.boxes.box import open_box
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.protocol import Decision, Order, Side
from pbem.render.map.base_map import ground
from pbem.render.map.picture import render, render_board, render_window
from pbem.render.map.pictures import pictures

SIDES = (DrawnSide("rome", "Rome", "#b3282d"), DrawnSide("carthage", "Carthage", "#2456a4"))
ARMIES = 24
ROUNDS = 12
SCENES = 24
"""So many maps of random games are drawn one after the other; each is another than the one before."""
GAMES, QUESTIONS, EVERY = range(1, 5), 400, 7


def figures() -> Iterator[Figure]:
    """Yield the milliseconds of a warm picture with two dozen armies that move, and of a first one."""
    turn = iter(range(1000))
    scenes = positions()
    first = seconds(lambda: render(scenes(next(turn))))
    (warm,) = alternating(ROUNDS, lambda: render(scenes(next(turn))))
    yield Figure("picture: warm", 1000 * warm, "ms", 100.0)
    yield Figure("picture: first of a run", 1000 * first, "ms")
    with tempfile.TemporaryDirectory() as folder:
        ground(scenes(0).base, 1.0, Path(folder))
        ground.cache_clear()
        kept = seconds(lambda: ground(scenes(0).base, 1.0, Path(folder)))
        yield Figure("picture: board from its cache folder", 1000 * kept, "ms")
    for id in shelf.ids():
        for edition in editions(id):
            yield from figures_of(f"picture: {id} {edition}", shelf.load(id, edition=edition))


def editions(id: str) -> list[str]:
    """Return the editions of a game that differ in who plays, and so in what is drawn; the usual one first."""
    box = shelf.load(id).box
    by_sides: dict[tuple[Side, ...], str] = {}
    for edition in (box.edition, *box.editions):
        by_sides.setdefault(tuple(shelf.load(id, edition=edition).rules.sides), edition)
    return list(by_sides.values())


def figures_of(what: str, loaded: Loaded) -> Iterator[Figure]:
    """Yield the milliseconds and the sizes of the pictures of an edition."""
    scenes_of_game = played(loaded)
    pictures(scenes_of_game[0])
    for name, drawn in (("window", render_window), ("whole board", render_board)):
        times = [seconds(lambda scene=scene, drawn=drawn: drawn(scene)) for scene in scenes_of_game]  # type: ignore[misc]
        yield Figure(f"{what}, {name}", 1000 * median(times), "ms", 40.0)
    both = [sum(len(each.content) for each in pictures(scene)) for scene in scenes_of_game]
    large = [(seconds(lambda scene=scene: render(scene)), len(render(scene))) for scene in scenes_of_game[:3]]  # type: ignore[misc]
    yield Figure(f"{what}, one large one", 1000 * median(time for time, _ in large), "ms", 150.0)
    yield Figure(f"{what}, both / one large one", max(both) / median(size for _, size in large), "times", 1.0)
    yield Figure(f"{what}, both together", max(both) / 1000, "kB", 303.0)


def played(loaded: Loaded) -> list[Scene]:
    """Return the fullest maps that letters bring in random games: counters, markers, arrows for what has just happened.

    Of each game one map in so many questions is looked at.
    """
    box, rules = loaded.box, loaded.rules
    seen: list[Scene] = []
    for seed in GAMES:
        random, dice = Random(seed), SeededDice(seed)
        session = Session(rules, rules.setup(box.scenarios[0], Table(SeededDice(seed))), dice)
        told, questions = 0, 0
        while session.result is None and questions < QUESTIONS:
            if session.at_checkpoint:
                session.go_on()
                continue
            side = session.open_decisions[0].side
            if questions % EVERY == 0:
                events = [event for event in session.table.events[told:] if event.to is None or side in event.to]
                scene = rules.scene(rules.view(session.position, side), events)
                focus = (place for each in session.open_decisions for place in rules.places(session.position, each))
                seen.append(replace(scene, reader=side, focus=tuple(dict.fromkeys(focus))))
                told = len(session.table.events)
            questions += len(session.open_decisions)
            session.answer([answer(session, decision, random) for decision in session.open_decisions])
    return sorted(seen, key=fullness, reverse=True)[:SCENES]


def answer(session: Session[Any], decision: Decision, random: Random) -> Order:
    """Return a random answer to a question."""
    order = session.rules.legal_orders(session.rules.view(session.position, decision.side), decision).pick(
        random.random
    )
    assert order is not None
    return order


def fullness(scene: Scene) -> int:
    """Return how much there is on a map that changes."""
    return len(scene.counters) + len(scene.markers) + len(scene.arrows)


def positions() -> Callable[[int], Scene]:
    """Return a function from a turn to a scene: some armies and markers of control are elsewhere every turn."""
    box = open_box("rome_carthage")
    graph = box.table("map")
    connections = [(a, b, rest[0] if rest else "land") for a, b, *rest in graph["connections"]]
    base = base_map(box.table("layout"), box.table("coast"), graph["spaces"], connections)
    ids = list(base.places)

    def scene(turn: int) -> Scene:
        control = {id: SIDES[(n + turn) % 7 % 2].id for n, id in enumerate(ids) if n % 3}
        tints = {region.id: SIDES[n % 2].id for n, region in enumerate(base.regions)}
        armies = tuple(
            Counter(
                ids[(n * 4 + (turn if n % 6 == 0 else 0)) % len(ids)], SIDES[n % 2].id, str(n % 10 + 1), f"General {n}"
            )
            for n in range(ARMIES)
        )
        return Scene(base, "Bench", f"Turn {turn}", SIDES, control, tints, armies)

    return scene
