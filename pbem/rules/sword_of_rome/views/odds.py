"""Chances of a battle, a siege, a raid, an interception, a voyage and an attack on the unrest.

The dice are few enough to be counted out. Modifiers and losses are those of the rules, by `battle.odds` and the board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final, NamedTuple

from pbem.game import Chances, Number, Odds
from pbem.protocol import Record, Roll
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner, modifiers
from pbem.rules.sword_of_rome.movement.voyages import ATTRITION, SUCCESS
from pbem.rules.sword_of_rome.position.board import CARTHAGE, Board, Options
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.unrest import ATTACKERS, sized_for_dice, wins_automatically

DIE: Final = range(1, 7)
TWO_DICE: Final = Counter(a + b for a in DIE for b in DIE)
ATTACKER, DEFENDER = "attacker", "defender"
MOST_CU: Final = 40
NAVAL: Final = {
    SUCCESS: (0, "arrives"),
    "return": (1, "turns back"),
    ATTRITION: (2, "turns back and suffers attrition"),
}
"""How bad each result of a voyage is, and what it is called."""
TOO_RARE: Final = Fraction(1, 1000)


def odds(board: Board, options: Options) -> dict[str, Odds]:
    """Return the questions about chances that players may ask."""
    dice = int(board.tables["battle"]["dice"])
    most_unrest = int(board.tables["unrest"]["most"])
    led = board.powers[CARTHAGE].side is not None
    return {
        "battle": _ask_battle(board, options, dice),
        "siege": Odds(
            "how many rolls take a city or subjugate a tribe, and what they cost (13.2)",
            {
                "needed": Number("loyalty of the city, or subjugation factor of the tribe", 1, 9),
                "level": Number("points already won", 0, 8, 0),
                "modifier": Number("sum of the modifiers; Gauls have -1 before a city", -4, 4, 0),
            },
            lambda numbers, _: siege_odds(board, numbers),
        ),
        "raid": Odds(
            "whether some attempts to raid a space succeed, and what they cost (14.2)",
            {
                "attempts": Number("attempts at most, a movement point each", 1, 5, 1),
                "modifier": Number("sum of the modifiers", -4, 4, 0),
            },
            lambda numbers, _: raid_odds(board, numbers),
        ),
        "interception": Odds(
            "whether an interception succeeds, and whether an army gets away from its pursuer (10.3, 11)",
            {
                "tactics": Number("tactics of the leader who intercepts or avoids battle", 0, 9),
                "enemy_space": _flag("1 if the space is enemy to the interceptor and has none of its CU"),
                "pursuer_tactics": Number("tactics of the leader who pursues an army that has avoided it", 0, 9, 0),
            },
            lambda numbers, _: interception_odds(board, numbers),
        ),
        "voyage": _ask_voyage(board, led),
        **({"unrest": _ask_unrest(board, options, most_unrest, dice)} if led else {}),
    }


def _ask_battle(board: Board, options: Options, dice: int) -> Odds:
    numbers = {
        "attacker_cu": Number("CU of the attacker", 1, MOST_CU),
        "defender_cu": Number("CU of the defender outside a city", 1, MOST_CU),
        "attacker_tactics": Number("tactics of the attacker's commander, 0 for none", 0, 9, 0),
        "defender_tactics": Number("tactics of the defender's commander, 0 for none", 0, 9, 0),
        "flank_cu": Number("CU on the attacker's flank", 0, MOST_CU, 0),
        "attacker_friendly": _flag("1 if the space is friendly to the attacker"),
        "defender_friendly": _flag("1 if it is friendly to the defender"),
        "rough": _flag("1 if the attacker comes across rough ground or a strait"),
        "intercepted": _flag("1 if the defender has intercepted the attacker"),
        "failed_avoidance": _flag("1 if the defender has failed to avoid battle"),
        "attacker_event": Number("what events add to the attacker's roll", -9, 9, 0),
        "defender_event": Number("what events add to the defender's roll", -9, 9, 0),
        "attacker_dice": Number("dice of the attacker", 1, 5, dice),
        "defender_dice": Number("dice of the defender", 1, 5, dice),
    }
    return Odds(
        "who wins a battle, and what both lose before the retreat (12)",
        numbers,
        lambda numbers, _: battle_odds(board, options, numbers),
    )


def _ask_voyage(board: Board, led: bool) -> Odds:
    if led:
        fights = {"card": Number("value of Carthage's card, 0 for none", 0, 3)}
    else:
        fights = {"fought": _flag("1 if it is to a port of Carthage, or of the Greeks by treaty", 1)}
    return Odds(
        "what becomes of a voyage that Carthage contests, or that its ports make a fight (9.6.4, S 9.6.4)",
        {**fights, "friendly": _flag("1 if the port of arrival is friendly", int(led))},
        lambda numbers, _: voyage_odds(board, numbers),
    )


def _ask_unrest(board: Board, options: Options, most: int, dice: int) -> Odds:
    return Odds(
        "what an attack on the unrest comes to (S 20.3)",
        {
            "cu": Number("CU that attack", 1, MOST_CU),
            "level": Number("level of the unrest", 1, most),
            "tactics": Number("tactics of the leader", 0, 9),
            "staying": Number("other CU in the Garrison box, which hold the unrest down", 0, MOST_CU, 0),
            "dice": Number("dice of Carthage", 1, 5, dice),
        },
        lambda numbers, _: unrest_odds(board, options, numbers),
    )


def _flag(meaning: str, default: int = 0) -> Number:
    return Number(meaning, 0, 1, default)


# ---- battle (12)


class Fought(NamedTuple):
    """One way a battle may end: its chance, whether the attacker wins, and the CU that both lose."""

    chance: Fraction
    attacker_wins: bool
    attacker_loses: int
    defender_loses: int


def throws(dice: int) -> list[tuple[tuple[int, ...], int]]:
    """Return every set of faces of some dice, with the ways to roll it."""
    return [
        (faces, factorial(dice) // prod(map(factorial, Counter(faces).values())))
        for faces in combinations_with_replacement(DIE, dice)
    ]


class Roller(NamedTuple):
    """One side of a battle that has dice: the army, its column in the table of losses, its dice, and events."""

    army: Army
    column: int
    dice: int
    event: int = 0


def outcomes(board: Board, ground: Ground, attacker: Roller, defender: Roller) -> Iterator[Fought]:
    """Yield every way a battle that has dice may end; losses are not yet limited to the CU that are there (12.2.3)."""
    bonus = _totals(board, ground, attacker, defender)
    whole = 6 ** (attacker.dice + defender.dice)
    for ours, ways in throws(attacker.dice):
        for theirs, other_ways in throws(defender.dice):
            wins = sum(ours) + bonus[0] > sum(theirs) + bonus[1]
            own, other = (attacker.column, ours), (defender.column, theirs)
            by_winner, by_loser = board.losses(own, other) if wins else board.losses(other, own)
            lost = (by_winner, by_loser) if wins else (by_loser, by_winner)
            yield Fought(Fraction(ways * other_ways, whole), wins, *lost)


def _totals(board: Board, ground: Ground, attacker: Roller, defender: Roller) -> list[int]:
    own = modifiers(board, attacker.army, defender.army, ground)
    return [sum(found.values()) + each.event for found, each in zip(own, (attacker, defender), strict=True)]


def battle_odds(board: Board, options: Options, numbers: Mapping[str, int]) -> Chances:
    """Count who wins, and the CU that both lose by the dice (12.2, 12.3)."""
    flank = numbers["flank_cu"]
    attacker = Army(
        numbers["attacker_cu"], numbers["attacker_tactics"], flank or None, bool(numbers["attacker_friendly"])
    )
    defender = Army(numbers["defender_cu"], numbers["defender_tactics"], None, bool(numbers["defender_friendly"]))
    ground = Ground(*(bool(numbers[word]) for word in ("rough", "intercepted", "failed_avoidance")))
    heading = f"attacker: {_in_words(attacker)}", f"defender: {_in_words(defender)}"
    automatic = automatic_winner(board, attacker, defender)
    if automatic is not None:
        return Chances((*heading, "", f"the {automatic} wins without dice (12.2.1)"), {"automatic": automatic})
    by_size = options["loss_column"] == "size"
    both = [
        Roller(army, army.size if by_size else army.cu, numbers[f"{who}_dice"], numbers[f"{who}_event"])
        for who, army in ((ATTACKER, attacker), (DEFENDER, defender))
    ]
    wins, points = Fraction(0), {ATTACKER: Fraction(0), DEFENDER: Fraction(0)}
    lost = {winner: {ATTACKER: Fraction(0), DEFENDER: Fraction(0)} for winner in (ATTACKER, DEFENDER)}
    for each in outcomes(board, ground, *both):
        winner = ATTACKER if each.attacker_wins else DEFENDER
        gone = min(each.attacker_loses, attacker.cu + flank), min(each.defender_loses, defender.cu)
        wins += each.chance * each.attacker_wins
        lost[winner][ATTACKER] += each.chance * gone[0]
        lost[winner][DEFENDER] += each.chance * gone[1]
        points[winner] += each.chance * ((gone[each.attacker_wins] + 1) // 2)
    totals = _totals(board, ground, *both)
    lines = [*heading, f"modifiers: attacker {totals[0]:+d}, defender {totals[1]:+d}", ""]
    lines.append(f"the attacker wins {_percent(wins)}, the defender {_percent(1 - wins)}")
    mean = {who: float(lost[ATTACKER][who] + lost[DEFENDER][who]) for who in (ATTACKER, DEFENDER)}
    lines.append(f"CU lost on average: attacker {mean[ATTACKER]:.1f}, defender {mean[DEFENDER]:.1f}")
    figures: dict[str, object] = {"attacker_wins": float(wins), "modifiers": totals, "lost": mean}
    for winner, chance in ((ATTACKER, wins), (DEFENDER, 1 - wins)):
        if chance:
            each_loses = {who: float(cu / chance) for who, cu in lost[winner].items()}
            worth = float(points[winner] / chance)
            lines.append(
                f"  if the {winner} wins: {each_loses[ATTACKER]:.1f} and {each_loses[DEFENDER]:.1f}, {worth:.1f} points"
            )
            figures[f"if_{winner}_wins"] = {**each_loses, "points": worth}
    lines += ["", "Losses of the retreat and cards are not counted."]
    return Chances(tuple(lines), figures)


def _in_words(army: Army) -> str:
    flank = f", {army.flank} CU on the flank" if army.flank else ""
    return f"{army.cu} CU{flank}, tactics {army.tactics}" + (", in a friendly space" if army.friendly else "")


# ---- sieges and raids (13.2, 14.2)


def siege_odds(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count how many rolls it takes to win the points that are missing, and what they cost (13.2, 13.5).

    Raises ValueError if no roll is needed, or none can win a point.
    """
    needed, start = numbers["needed"], numbers["level"]
    if start >= needed:
        raise ValueError("at that level it falls without a roll")
    results: Counter[tuple[int, int]] = Counter()
    for total, ways in TWO_DICE.items():
        results[board.siege_result(total + numbers["modifier"])] += ways
    if not any(points for points, _ in results):
        raise ValueError("with this modifier no roll wins a point")
    at, falls = {start: Fraction(1)}, list[Fraction]()
    while sum(at.values()) > TOO_RARE:
        then: dict[int, Fraction] = {}
        for level, chance in at.items():
            for (points, _), ways in results.items():
                stands = min(level + points, needed)
                then[stands] = then.get(stands, Fraction(0)) + chance * Fraction(ways, 36)
        falls.append(then.pop(needed, Fraction(0)))
        at = then
    each = sum(Fraction(cu * ways, 36) for (_, cu), ways in results.items())
    mean = _mean_rolls(results, needed - start)
    lines = [f"{needed - start} points to win, a modifier of {numbers['modifier']:+d}", "", "it falls with roll"]
    done = Fraction(0)
    for roll, chance in enumerate(falls, 1):
        done += chance
        lines.append(f"  {roll:>2}: {_percent(chance):>6}, by then {_percent(done):>6}")
    lines += ["", f"{float(mean):.1f} rolls on average, at {float(each):.2f} CU a roll"]
    chances = {str(roll): float(chance) for roll, chance in enumerate(falls, 1)}
    return Chances(tuple(lines), {"rolls": chances, "mean": float(mean), "cu_a_roll": float(each)})


def _mean_rolls(results: Mapping[tuple[int, int], int], points: int) -> Fraction:
    """Return how many rolls it takes on average to win some points, the unlikely long sieges included."""
    brings: Counter[int] = Counter()
    for (won, _), ways in results.items():
        brings[won] += ways
    rolls = [Fraction(0)]
    for missing in range(1, points + 1):
        further = (ways * rolls[max(0, missing - won)] for won, ways in brings.items() if won)
        rolls.append(sum(further, Fraction(36)) / (36 - brings[0]))
    return rolls[points]


def raid_odds(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count whether some attempts at a raid succeed, and the CU they cost (14.2)."""
    succeeds, costs = Fraction(0), Fraction(0)
    for total, ways in TWO_DICE.items():
        points, cu = board.siege_result(total + numbers["modifier"])
        succeeds += Fraction(ways, 36) * (points > 0)
        costs += Fraction(cu * ways, 36)
    lines, cu_lost, fails = ["it has succeeded with attempt"], Fraction(0), Fraction(1)
    by_attempt = {}
    for attempt in range(1, numbers["attempts"] + 1):
        cu_lost += fails * costs
        fails *= 1 - succeeds
        by_attempt[str(attempt)] = float(1 - fails)
        lines.append(f"  {attempt}: {_percent(1 - fails):>6}")
    lines += ["", f"{float(cu_lost):.2f} CU lost on average"]
    return Chances(tuple(lines), {"succeeds_by": by_attempt, "cu": float(cu_lost)})


# ---- one die (9.6.4, 10.3, 11)


def interception_odds(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count interception, avoidance, and avoidance from which a pursuer does not go on (10.3, 11.1, 11.3)."""
    penalty = board.tables["interception"]["enemy_space"] if numbers["enemy_space"] else 0
    intercepts, avoids, pursues = (
        Fraction(min(max(most, 0), 6), 6)
        for most in (numbers["tactics"] - penalty, numbers["tactics"], numbers["pursuer_tactics"])
    )
    stopped = avoids * (1 - pursues)
    lines = (
        f"it intercepts: {_percent(intercepts)}",
        f"it avoids battle: {_percent(avoids)}, and the enemy stops: {_percent(stopped)}",
    )
    figures = {"intercepts": float(intercepts), "avoids": float(avoids), "avoids_and_stops": float(stopped)}
    return Chances(lines, figures)


def voyage_odds(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count what becomes of a voyage; one that nobody fights succeeds (9.6.4, S 9.6.4)."""
    words = {"success": "arrives", "return": "turns back", "attrition": "turns back after a roll for attrition"}
    table, card = board.tables["naval"], numbers.get("card", 0)
    if not card and not numbers.get("fought"):
        found = Counter({"success": len(DIE)})
    else:
        modifier = (table["card"][card - 1] if card else 0) + (table["friendly"] if numbers["friendly"] else 0)
        found = Counter(board.naval_result(face + modifier) for face in DIE)
    chances = {result: Fraction(found[result], 6) for result in words}
    lines = tuple(f"the fleet {words[result]}: {_percent(chance)}" for result, chance in chances.items())
    return Chances(lines, {result: float(chance) for result, chance in chances.items()})


# ---- the unrest (S 20.3)


def unrest_odds(board: Board, options: Options, numbers: Mapping[str, int]) -> Chances:
    """Count what an attack on the unrest comes to: who wins, the level after it, the CU lost (S 20.1, S 20.3)."""
    level, cu = numbers["level"], numbers["cu"]
    armies = Army(cu, numbers["tactics"]), Army(level)
    automatic = wins_automatically(board, options, *armies)
    wins, lost = Fraction(0), Fraction(0)
    if automatic is not None:
        wins = Fraction(automatic == ATTACKER)
        found = [Fought(Fraction(1), automatic == ATTACKER, 0 if automatic == ATTACKER else cu, 2 * level)]
    else:
        own, other = sized_for_dice(board, *armies)
        usual = int(board.tables["battle"]["dice"])
        found = list(outcomes(board, Ground(), Roller(own, cu, numbers["dice"]), Roller(other, level, usual)))
        wins = sum((each.chance for each in found if each.attacker_wins), Fraction(0))
    chances: dict[int, Fraction] = {}
    for each in found:
        most = cu if options["unrest_losses"] == ATTACKERS else cu + numbers["staying"]
        gone = min(each.attacker_loses, most)
        lost += each.chance * gone
        if each.attacker_wins:
            stands = max(0, level - (each.defender_loses + 1) // 2)
        else:
            cap = board.tables["unrest"]["most"] - (cu + numbers["staying"] - gone)
            stands = max(level, min(level + (min(gone, cu) + 1) // 2, cap))
        chances[stands] = chances.get(stands, Fraction(0)) + each.chance
    lines = [f"{cu} CU, tactics {numbers['tactics']}, against an unrest of {level}", ""]
    lines.append(f"Carthage wins {_percent(wins)}, and loses {float(lost):.1f} CU on average")
    lines.append("the unrest is then")
    lines += [f"  {stands:>2}: {_percent(chance):>6}" for stands, chance in sorted(chances.items())]
    figures = {
        "carthage_wins": float(wins),
        "cu": float(lost),
        "level": {str(stands): float(chance) for stands, chance in sorted(chances.items())},
    }
    return Chances(tuple(lines), figures)


def _percent(chance: Fraction) -> str:
    return f"{100 * float(chance):.1f} %"


# ---- the result of a roll on a table


def outcome(game: Game, roll: Roll, facts: Record) -> tuple[int, str]:
    """Return how bad a result on a table is for the roller, and a sentence that says it (5.5, 9.6.4, 13.2, 14.2)."""
    sort = roll.name.partition("/")[0]
    if "cu" in facts:
        lost = game.board.attrition(roll.faces[0], facts["cu"])
        return lost, _lost(lost)
    if sort in ("siege", "raid"):
        points, lost = game.board.siege_result(roll.total)
        return lost - points, f"{_count(points, 'point')}, {_lost(lost)}"
    if sort == "voyage":
        return NAVAL[game.board.naval_result(roll.total)]
    return 0, ""


def _count(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"


def _lost(lost: int) -> str:
    return f"{lost} CU lost" if lost else "nothing lost"
