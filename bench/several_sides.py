"""Whether a game of several sides is fair between bots, and how eventful it is: the figures of an edition.

The bars are those of The Sword of Rome. Its events are counted by their kinds, so that a game without such events has
zeros, and no bar for them.
"""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from statistics import mean, median
from time import process_time
from typing import Any, Final

from bench import AT_LEAST, Figure
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import Playout, play_out
from pbem.game.table import Table
from pbem.protocol import Decision, Order, Side

LONGEST: Final = 5.0
"""Seconds that a game may take."""
MOVE: Final = 10.0
"""Milliseconds that a move of the bot may take."""
EARLY: Final = 4
"""The turn before which few games end."""


@dataclass(frozen=True, slots=True)
class Bars:
    """How many games are played of an edition, and the least and most percent of them that who plays may win."""

    games: int
    least: float | None = None
    most: float | None = None


BARS: Final[Mapping[str, Bars]] = {
    "five": Bars(400, 10, 32),
    "four": Bars(300, 13, 40),
    "three": Bars(100),
    "two": Bars(300, 38, 62),
}


def figures_of_several(name: str, rules: Any, scenario: str, bars: Bars, *, alliances: bool = True) -> Iterator[Figure]:
    """Yield who wins, how games end, what happens in them, and the VP of each side by turn."""
    moves: list[float] = []
    seconds: list[float] = []
    games = []
    for seed in range(bars.games):
        begun = process_time()
        games.append(_contest(rules, scenario, seed, moves, alliances))
        seconds.append(process_time() - begun)
        gc.freeze()  # no move of a later game waits until all games before it are looked through
    yield Figure(f"{name}: the longest game", max(seconds), "s", LONGEST)
    yield Figure(f"{name}: the longest move of a bot", 1000 * max(moves), "ms", MOVE)
    yield Figure(f"{name}: moves of more than {MOVE:g} ms", sum(1000 * one > MOVE for one in moves), f"of {len(moves)}")
    yield from _winners(name, rules, games, bars)
    yield from _course(name, rules, games, alliances=alliances)
    for side, by_turn in _vp(games).items():
        for turn, points in by_turn.items():
            yield Figure(f"{name}: VP of {side} after turn {turn}, {len(points)} games", mean(points), "VP")


def _contest(rules: Any, scenario: str, seed: int, moves: list[float], alliances: bool) -> Playout[Any]:
    """Return a game of the bot against itself; with `alliances` off every proposal is refused."""

    def answer(view: Any, decision: Decision) -> Order:
        begun = process_time()
        order: Order = rules.bot_order(view, decision)
        moves.append(process_time() - begun)
        refused = decision.kind == "alliance" and not alliances
        return Order(decision.kind, {"accept": False}) if refused else order

    begun = rules.setup(scenario, Table(SeededDice(f"setup {seed}")))
    return play_out(rules, begun, SeededDice(seed), Random(seed), players=dict.fromkeys(rules.sides, answer))


def _winners(name: str, rules: Any, games: list[Playout[Any]], bars: Bars) -> Iterator[Figure]:
    """Yield the share of each side, or of those who win together."""
    wins = Counter("+".join(game.result.winners) for game in games if game.result)
    together = ["+".join(sides) for sides in rules.board.seats.persons]
    for who in dict.fromkeys([*together, *wins]):
        share = 100 * wins[who] / len(games)
        yield Figure(f"{name}: won by {who}, at least", share, "%", bars.least, AT_LEAST)
        yield Figure(f"{name}: won by {who}, at most", share, "%", bars.most)


def _course(name: str, rules: Any, games: list[Playout[Any]], *, alliances: bool) -> Iterator[Figure]:
    """Yield how games end, and how much happens in one in the median."""
    early = sum(game.position.turn < EARLY for game in games)
    yield Figure(f"{name}: games that end before turn {EARLY}", 100 * early / len(games), "%", 20)
    automatic = sum(game.position.result.reason == "automatic_victory" for game in games)
    yield Figure(f"{name}: automatic victories", 100 * automatic / len(games), "%", 50)
    counts = [Counter(event.kind for event in game.events) for game in games]
    fought = median(each["battle_begins"] for each in counts)
    yield Figure(f"{name}: battles a game, in the median", fought, "", 3, AT_LEAST)
    yield Figure(f"{name}: battles a game, at most", fought, "", 12)
    if alliances:
        made = median(each["allied"] for each in counts)
        yield Figure(f"{name}: alliances a game, in the median", made, "", 1, AT_LEAST)
        yield Figure(f"{name}: alliances a game, at most", made, "", 6)
    changes = median(_changes(rules, game) for game in games)
    yield Figure(f"{name}: changes of the leader a game, in the median", changes, "", 2, AT_LEAST)
    used = {
        event.facts["card"] for game in games for event in game.events if event.kind in ("event_played", "responds")
    }
    decks = {card for deck in rules.board.decks.values() for card in deck}
    special = {card for card in decks if {"campaign", "nonplayer"} & {*_words(rules, card)}}
    unused = sorted(decks - used - special)
    yield Figure(f"{name}: events that nobody used ({', '.join(unused) or 'none'})", len(unused), "cards", 0)


def _words(rules: Any, card: str) -> Iterable[str]:
    return (word for effect in rules.board.cards[card].effects for word in effect)


def _vp(games: Iterable[Playout[Any]]) -> dict[Side, dict[int, list[int]]]:
    """Return the VP of each side after each turn, game by game."""
    found: dict[Side, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        for turn, standing in enumerate(_standings(game), 1):
            for side, points in standing.items():
                found[side][turn].append(points)
    return found


def _standings(game: Playout[Any]) -> list[dict[Side, int]]:
    """Return the VP of the sides after each scoring of a game."""
    turns: list[dict[Side, int]] = []
    for event in game.events:
        if event.kind == "scored":
            if not turns or event.facts["side"] in turns[-1]:
                turns.append({})
            turns[-1][event.facts["side"]] = event.facts["vp"]
    return turns


def _changes(rules: Any, game: Playout[Any]) -> int:
    """Return how often another person would have won if the game had ended with a turn, the set-up counted too.

    The higher sum wins. Of equal ones that whose side stands first in the order of ties, in which the sides are listed.
    """
    persons = rules.board.seats.persons
    leader, changes = persons[0], 0
    for standing in _standings(game):
        first = max(persons, key=lambda sides: sum(standing.get(side, 0) for side in sides))
        changes += first != leader
        leader = first
    return changes
