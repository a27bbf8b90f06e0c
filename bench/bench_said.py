"""How long an order in words takes to be read, its choices built: the words of drawn orders, as their box says them.

What is within reach of a question is gathered when its first line is read; that is told beside the bars.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import median, quantiles
from typing import Any

from bench import Figure, seconds
from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.orders.said.words_reader import OpenQuestion, WordsReader
from pbem.protocol import Decision
from pbem.render.text.order_words import OrderWords

GAMES = range(1, 4)
A_GAME = 400
"""So many questions of a game are answered in words."""
USUAL, MOST, WORST = 2.0, 30.0, 100.0
"""The milliseconds that one line, 99 of 100, and every line may take."""


def figures() -> Iterator[Figure]:
    """Yield the milliseconds for a line of each game, and for gathering what is within reach."""
    for game in shelf.ids():
        loaded = shelf.load(game)
        gathered, times = zip(*(each for seed in GAMES for each in _measured(loaded, seed)), strict=True)
        yield Figure(f"{game}: a line read, median", 1000 * median(times), "ms", USUAL)
        yield Figure(f"{game}: a line read, 99 of 100", 1000 * quantiles(times, n=100)[-1], "ms", MOST)
        yield Figure(f"{game}: a line read, slowest", 1000 * max(times), "ms", WORST)
        yield Figure(f"{game}: what is within reach, median", 1000 * median(gathered), "ms")
        yield Figure(f"{game}: what is within reach, slowest", 1000 * max(gathered), "ms")


def _measured(loaded: Loaded, seed: int) -> Iterator[tuple[float, float]]:
    """Play a random game; yield for its questions how long the first line takes more, and how long a line takes."""
    rules: Any = loaded.rules
    random, count = Random(seed), 0
    session = Session(rules, rules.setup(loaded.scenarios[0], Table(SeededDice(seed))), SeededDice(seed))
    while session.result is None and count < A_GAME:
        if session.at_checkpoint:
            session.go_on()
            continue
        for decision in session.open_decisions:
            found = _read(loaded, session.rules.view(session.position, decision.side), decision, random)
            if found is not None:
                count += 1
                yield found
        views = [(each, rules.view(session.position, each.side)) for each in session.open_decisions]
        session.answer([rules.legal_orders(view, each).pick(random.random) for each, view in views])


def _read(loaded: Loaded, view: Any, decision: Decision, random: Random) -> tuple[float, float] | None:
    """Return the seconds for what is within reach, and for a line; None: there are no words for the order drawn."""
    choices = loaded.rules.choices(view, decision)
    body = choices.draw(random.random, wide=True)
    said = None if body is None else OrderWords(loaded.box.lexicon).say(choices, body)
    if said is None:
        return None
    len(choices)
    reader = WordsReader(loaded.box.lexicon, [OpenQuestion(decision, choices)])
    first = seconds(lambda: reader.speaks_of_orders([said.text]))
    again = seconds(lambda: reader.speaks_of_orders([said.text]))
    return max(0.0, first - again), again
