"""Chances of a battle, a siege and a voyage, for players who weigh an order (8.8.3, 11, 16.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, NamedTuple

from pbem.game import Chances, Number, Odds, Table, histogram, play_through, share, turn_by_turn
from pbem.protocol import Decision, Order, Side
from pbem.rules.rome_carthage.battle.losses import battle_casualties, retreat_table
from pbem.rules.rome_carthage.battle.rounds import fight_rounds
from pbem.rules.rome_carthage.position.board import Board
from pbem.rules.rome_carthage.position.state import CARTHAGE, ROME, SIDES, Game, Options
from pbem.rules.rome_carthage.position.under_way import Battle, Stack

DIE: Final = range(1, 7)
NOTHING: Final[Mapping[Side, str]] = {}
ATTACKER, DEFENDER = CARTHAGE, ROME
"""Which side attacks makes no difference to the rounds; nobody has abilities."""
NOTES: Final = (
    "Played as the game plays for a late player: lead the strongest card (the kind of which the hand holds",
    "the largest share of the deck, and stay with it; a Double Envelopment only with the better general, or",
    "last; then Reserves); match with the card itself, then a Reserve; counterattack while both hold cards;",
    "never withdraw. No abilities, no elephants, no events. Casualties and the retreat table are counted,",
    "the way of the retreat is not.",
)


def odds(board: Board, options: Options) -> dict[str, Odds]:
    """Return the questions about chances that players may ask."""
    most = board.battle.hand
    return {
        "battle": Odds(
            "who wins a battle, in how many rounds, and what both lose (11)",
            {
                "attacker_rating": Number("battle rating of the attacker's general, 0 for none", 0, 6),
                "attacker_cards": Number("battle cards of the attacker", 0, most),
                "defender_rating": Number("battle rating of the defender's general, 0 for none", 0, 6),
                "defender_cards": Number("battle cards of the defender", 0, most),
                "attacker_cu": Number("CU of the attacker; left out, cards less rating", 1, 99, optional=True),
                "defender_cu": Number("CU of the defender; left out, cards less rating", 1, 99, optional=True),
            },
            lambda numbers, tables: battle(board, options, numbers, tables),
        ),
        "siege": Odds(
            "how many rolls take a city or subjugate a tribe (16.4)",
            {
                "modifier": Number("sum of the modifiers of the roll", -6, 6, 0),
                "points": Number("points already won", 0, board.siege.points - 1, 0),
            },
            lambda numbers, _: siege(board, numbers),
        ),
        "naval": Odds(
            "what becomes of a Carthaginian voyage (8.8.3)",
            {"modifier": Number("sum of the modifiers of Rome's roll", -12, 12, 0)},
            lambda numbers, _: naval(board, numbers),
        ),
    }


# ---- battle (11)


class _Armies(NamedTuple):
    """Who commands each side, and its CU."""

    commanders: Mapping[Side, str]
    cu: Mapping[Side, int]


@dataclass(slots=True)
class _Count:
    """The results of some battles: who has won them, in how many rounds, and what each winner and loser has lost."""

    won: Counter[Side] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    lost: Mapping[Side, Counter[Side]] = field(default_factory=lambda: {side: Counter() for side in SIDES})


def battle(board: Board, options: Options, numbers: Mapping[str, int], tables: Iterable[Table]) -> Chances:
    """Play a battle out on each table, from the deal to the retreat table, and count (11).

    Raises ValueError if the deck has not so many cards.
    """
    if numbers["attacker_cards"] + numbers["defender_cards"] > len(board.battle_deck):
        raise ValueError(f"there are {len(board.battle_deck)} battle cards, too few for both hands")
    game, commanders = _field(board, options, numbers)
    cu = {side: _strength(numbers, who) for side, who in ((ATTACKER, "attacker"), (DEFENDER, "defender"))}
    count = _Count()
    for table in tables:
        winner = _fight(game, table, _Armies(commanders, cu), numbers)
        fought = game.the_battle
        count.won[winner] += 1
        count.rounds[fought.round] += 1
        for side in SIDES:
            count.lost[winner][side] += fought.lost.get(side, 0)
    return _told(numbers, cu, count)


def share_won(
    board: Board, options: Options, numbers: Mapping[str, int], tables: Iterable[Table], leads: Mapping[Side, str]
) -> float:
    """Return the share of battles that the attacker wins if each side leads its cards by a word (11.4)."""
    game, commanders = _field(board, options, numbers)
    armies = _Armies(commanders, dict.fromkeys(SIDES, 1))
    winners = [_fight(game, table, armies, numbers, leads) for table in tables]
    return winners.count(ATTACKER) / len(winners)


def _field(board: Board, options: Options, numbers: Mapping[str, int]) -> tuple[Game, dict[str, str]]:
    """Return a position with nothing but two generals of these ratings and no abilities, and who commands."""
    commanders, generals = {}, dict(board.generals)
    for side, rating in ((ATTACKER, numbers["attacker_rating"]), (DEFENDER, numbers["defender_rating"])):
        if rating:
            one = next(general for general in board.generals.values() if general.side == side)
            generals[one.id] = replace(
                one,
                battle=rating,
                cancels_withdrawal_on=rating,
                counterattacks_as_attacker_on=rating,
                counterattacks_as_defender_on=rating,
                probe_as=(),
            )
            commanders[side] = one.id
    game = Game(hands={side: [] for side in SIDES}, stacks={side: {} for side in SIDES})
    game.board, game.options = replace(board, generals=generals), options
    return game, commanders


def _strength(numbers: Mapping[str, int], who: str) -> int:
    """Return the CU of a side: as told, or what its cards leave after its general's."""
    told = numbers.get(f"{who}_cu")
    return max(1, numbers[f"{who}_cards"] - numbers[f"{who}_rating"]) if told is None else told


def _fight(
    game: Game, table: Table, armies: _Armies, numbers: Mapping[str, int], leads: Mapping[Side, str] = NOTHING
) -> Side:
    """Fight one battle by the rules, the words by which sides lead, and the defaults; return the winner (11.4)."""
    commanders, cu = armies
    space = next(iter(game.board.spaces))
    for side in SIDES:
        generals = [commanders[side]] if side in commanders else []
        game.stacks[side][space] = Stack(cu[side], 0, generals)
    fought = game.battle = Battle(space, ATTACKER, ATTACKER, None, commanders=dict(commanders), strength=dict(cu))
    deck = table.shuffle("deck", game.board.battle_deck)
    fought.hands[ATTACKER] = deck[: numbers["attacker_cards"]]
    fought.hands[DEFENDER] = deck[numbers["attacker_cards"] :][: numbers["defender_cards"]]
    for flow in (fight_rounds(game, table), battle_casualties(game, table), retreat_table(game, table)):
        play_through(flow, lambda asked: _by_default(asked, leads))
    return ATTACKER if fought.loser == DEFENDER else DEFENDER


def _by_default(asked: Decision, leads: Mapping[Side, str]) -> Order:
    """Return the default answer to a decision, unless it is on what a side leads."""
    if asked.kind == "battle_card" and asked.side in leads:
        return Order(asked.kind, {"card": leads[asked.side]})
    assert asked.default is not None, "every decision in a battle has a default (11)"
    return Order(asked.kind, asked.default)


def _told(numbers: Mapping[str, int], cu: Mapping[Side, int], count: _Count) -> Chances:
    """Return the results of the battles, as text and as figures."""
    won, rounds, lost, played = count.won, count.rounds, count.lost, count.won.total()
    wins = won[ATTACKER]
    mean_rounds = sum(number * often for number, often in rounds.items()) / played
    lines = [
        f"attacker: {numbers['attacker_cards']} cards, battle rating {numbers['attacker_rating']}, {cu[ATTACKER]} CU",
        f"defender: {numbers['defender_cards']} cards, battle rating {numbers['defender_rating']}, {cu[DEFENDER]} CU",
        f"{played:,} battles",
        "",
        f"the attacker wins {share(wins / played)}, the defender {share(1 - wins / played)}",
        f"rounds: {mean_rounds:.1f} on average",
    ]
    lines += histogram(rounds)
    names = {ATTACKER: "attacker", DEFENDER: "defender"}
    losses: dict[str, float | dict[str, float]] = {"attacker": sum(lost[side][ATTACKER] for side in SIDES) / played}
    losses["defender"] = sum(lost[side][DEFENDER] for side in SIDES) / played
    lines.append(f"CU lost on average: attacker {losses['attacker']:.1f}, defender {losses['defender']:.1f}")
    for winner, name in names.items():
        if won[winner]:
            each = {names[side]: lost[winner][side] / won[winner] for side in (ATTACKER, DEFENDER)}
            losses[f"if_{name}_wins"] = each
            lines.append(f"  if the {name} wins: {each['attacker']:.1f} and {each['defender']:.1f}")
    figures = {
        "games": played,
        "attacker_wins": wins / played,
        "rounds": mean_rounds,
        "rounds_distribution": {str(number): often / played for number, often in sorted(rounds.items())},
        "lost": losses,
    }
    return Chances((*lines, "", *NOTES), figures)


# ---- siege (16.4) and voyage (8.8.3): few enough ways to count them all


def siege(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count how many rolls it takes to win the points that are missing, and what they cost (16.4)."""
    results = Counter(board.siege_result(face + numbers["modifier"]) for face in DIE)
    if not any(points for points, _ in results):
        raise ValueError("with this modifier no roll wins a point")
    start, needed = numbers["points"], board.siege.points
    at, by_rolls = {start: Fraction(1)}, list[Fraction]()
    while sum(at.values()) > Fraction(1, 1000):
        then: dict[int, Fraction] = {}
        for points, chance in at.items():
            for (gained, _), ways in results.items():
                stands = min(points + gained, needed)
                then[stands] = then.get(stands, Fraction(0)) + chance * ways / 6
        by_rolls.append(then.pop(needed, Fraction(0)))
        at = then
    each = sum(Fraction(cu * ways, 6) for (_, cu), ways in results.items())
    mean = _rolls_on_average(results, start, needed)
    lines = [f"{needed - start} points to win, a modifier of {numbers['modifier']:+}", "", "it falls with roll"]
    lines += [*turn_by_turn(by_rolls), "", f"{float(mean):.1f} rolls on average, at {float(each):.2f} CU a roll"]
    chances = {str(roll): float(chance) for roll, chance in enumerate(by_rolls, 1)}
    return Chances(tuple(lines), {"rolls": chances, "mean": float(mean), "cu_a_roll": float(each)})


def _rolls_on_average(results: Mapping[tuple[int, int], int], points: int, needed: int) -> Fraction:
    """Return how many rolls it takes on average to come from some points to those needed (16.4)."""
    if points >= needed:
        return Fraction(0)
    nothing = Fraction(sum(ways for (gained, _), ways in results.items() if not gained), 6)
    further = sum(
        Fraction(ways, 6) * _rolls_on_average(results, points + gained, needed)
        for (gained, _), ways in results.items()
        if gained
    )
    return (1 + further) / (1 - nothing)


def naval(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count the results of Rome's roll against a voyage (8.8.3)."""
    results = Counter(board.naval_result(face + numbers["modifier"]) for face in DIE)
    words = {"none": "arrives", "return": "turns back", "sunk": "is sunk"}
    lines = [f"the fleet {words[result]}: {share(results[result] / 6)}" for result in words]
    return Chances(tuple(lines), {result: results[result] / 6 for result in words})
