"""The value of spaces, units and battles to a side, in victory points (4.1, 5.8, 12).

No rulebook prints the weights: they were found by games of the bot, and nothing but its play rests on them.
"""

from __future__ import annotations

from functools import lru_cache
from heapq import heappop, heappush
from typing import Final

from pbem.protocol import Side
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner, modifiers
from pbem.rules.sword_of_rome.position.board import (
    APPIAN,
    BOX,
    CARTHAGE,
    CLEAR,
    GAULS,
    NORMAL,
    SICILY,
    TRIBE,
    WALLED,
    Board,
)
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.turn.scoring import gains, losses

CU: Final = 0.12
"""A combat unit."""
PLAIN: Final = 0.12
"""A normal space that scores nothing."""
CITY: Final = 0.35
"""A walled city, besides what it scores."""
SOURCE: Final = 0.2
"""A home space that brings reinforcements, for each CU."""
HAND: Final = 0.45
"""A Sicilian port of Carthage, which is worth a card (S 5.2)."""
AHEAD: Final = 0.5
"""The part of its worth that a space still has in each of the two turns after this one."""
RIVAL: Final = 0.2
"""What a loss of another side is worth, as a part of what it loses, if it stands as the others do."""
AHEAD_OF: Final = 0.5
"""How much more for each VP that it is ahead of the average of the others, and less for each that it is behind."""
LEAST: Final = 0.05
FIRST_RIVAL: Final = 2.0
"""The most of it, but for a side that is about to win."""
WINNING_RIVAL: Final = 2.5
"""The same for a side that would win at once if the turn were scored now (4.2)."""
PARTNER: Final = -1.0
"""The same for the other side of one's own person, with two players: it hurts."""
ENEMY: Final = 0.4
"""The same where two persons play: whatever one of them loses brings the other nearer to victory."""
NEAR: Final = 4
"""Movement points within which an enemy army is a threat."""
ARMY: Final = 3
"""CU from which an army can besiege (13.1.1)."""
FAR: Final = 99
PAIR: Final = 2
_DICE: Final = 3


@lru_cache(maxsize=64)
def wins(lead: int) -> float:
    """Return the chance that three dice and a lead beat three dice; ties are lost (12.2.3)."""
    ways = [1]
    for _ in range(2 * _DICE):
        ways = [
            sum(ways[total - face] for face in range(6) if 0 <= total - face < len(ways))
            for total in range(len(ways) + 5)
        ]
    middle = (len(ways) - 1) // 2
    return sum(count for total, count in enumerate(ways) if total - middle + lead > 0) / sum(ways)


def chance(board: Board, attacker: Army, defender: Army, ground: Ground, events: int = 0) -> float:
    """Return the chance that an attacker wins a battle, with what events add to its roll (12.2)."""
    if not defender.size:
        return 1.0
    winner = automatic_winner(board, attacker, defender)
    if winner is not None:
        return float(winner == "attacker")
    own, theirs = modifiers(board, attacker, defender, ground)
    return wins(events + sum(own.values()) - sum(theirs.values()))


def army(game: Game, power: str, space: str, force: Force, more: int = 0) -> Army:
    """Return a force of a power as it would fight in a space, with some CU more (12.2)."""
    leaders = game.board.leaders
    tactics = leaders[force.leaders[0]].tactics if force.leaders else 0
    return Army(force.cu + more, tactics, None, game.friendly(power, space))


def expected(game: Game, side: Side) -> int:
    """Return the VP that a side would have if the turn were scored now (5.8.1)."""
    return game.vp[side] + gains(game, side) - losses(game, side)


def chief(game: Game, side: Side) -> Side | None:
    """Return the side that leads if the turn were scored now and is not this one; None: nobody is ahead of it (5.8)."""
    own = game.board.seats_of(side)
    after = {each: (expected(game, each), game.vp[each]) for each in game.in_play}
    first = max(after, key=lambda each: (after[each], -game.board.side_rank(each)))
    return first if first not in own and after[first][0] >= after.get(side, (0, 0))[0] else None


def rivalry(game: Game, side: Side, holder: str | None) -> float:
    """Return what a loss of a power is worth to a side, as a part of what is lost: most if it is about to win (4.2)."""
    record = game.board.powers.get(holder) if holder is not None else None
    other = record.side if record is not None else None
    if other is None or other == side:
        return 0.0
    if other in game.board.seats_of(side):
        return PARTNER
    if len(game.board.seats.persons) == PAIR:
        return ENEMY
    if expected(game, other) >= game.board.levels[game.turn]:
        return WINNING_RIVAL
    others = [expected(game, each) for each in game.in_play if each != side]
    ahead = expected(game, other) - sum(others) / len(others)
    return min(max(RIVAL + AHEAD_OF * ahead, LEAST), FIRST_RIVAL)


def times(game: Game) -> float:
    """Return how many scorings a space counts for that is held from now on, later ones for less."""
    return 1 + AHEAD * min(2, game.last_turn - game.turn)


def worth(game: Game, power: str, space: str) -> float:
    """Return what control of a space is worth to a power (4.1, 5.10.1, S 5.2)."""
    board = game.board
    record = board.spaces[space]
    kind = game.kind(space)
    if kind == BOX:
        return 0.0
    own_home = record.home == power
    value = {WALLED: CITY, NORMAL: PLAIN, TRIBE: PLAIN}[kind]
    if board.powers[power].side is None:
        return value
    if record.victory and (own_home or power != GAULS):
        value += times(game)
    if own_home:
        value += SOURCE * record.reinforcement
    if power == CARTHAGE and record.port and record.region == SICILY:
        value += HAND
    return value


def taken(game: Game, side: Side, power: str, space: str, share: float | None = None) -> float:
    """Return what it is worth to a side that a power takes a space from who holds it.

    `share` is the rivalry with the holder, if it is known.
    """
    holder = game.control.get(space)
    share = rivalry(game, side, holder) if share is None else share
    denied = share * worth(game, holder, space) if holder is not None and share else 0.0
    own = worth(game, power, space) if power in game.board.powers_of[side] else 0.0
    return own + denied


@lru_cache(maxsize=1024)
def distances(board: Board, start: str) -> dict[str, int]:
    """Return the movement points by land from a space to those within reach of an army or two (9.2)."""
    costs = board.tables["movement"]["cost"]
    far = {start: 0}
    rim = [(0, start)]
    while rim:
        done, here = heappop(rim)
        for to, kind in board.neighbours[here].items():
            cost = done + int(costs[CLEAR if kind == APPIAN else kind])
            if cost <= 2 * NEAR and cost < far.get(to, FAR):
                far[to] = cost
                heappush(rim, (cost, to))
    return far


def hostile(game: Game, power: str) -> list[tuple[str, str, int]]:
    """Return the armies of powers that are no allies: power, space, CU."""
    return [
        (other, space, force.cu)
        for other in game.board.powers
        if not game.allied(power, other)
        for space, force in game.forces[other].items()
        if force.army
    ]


def threat(game: Game, power: str, space: str, enemies: list[tuple[str, str, int]]) -> int:
    """Return the CU of the largest enemy army that can come to a space by land (9.2).

    Those of a power without a player count half: it seldom acts.
    """
    board = game.board
    return max(
        (
            cu if board.powers[other].side is not None else cu // 2
            for other, at, cu in enemies
            if distances(board, at).get(space, FAR) <= NEAR
        ),
        default=0,
    )
