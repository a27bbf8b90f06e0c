"""Odds of a battle, a siege and an assault, for forms and for players who weigh an order (9.2, 9.7, 9.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from pbem.game import Chances, Number, Odds, Table, histogram, plain, play_through, share, turn_by_turn
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.battle.battle import column_of, fight, round_modifiers
from pbem.rules.hannibal_italy.battle.parties import in_line
from pbem.rules.hannibal_italy.position.board import CAPUA, CLEAR, NO_CASE, ROUGH, Board, City, Options, assault_column
from pbem.rules.hannibal_italy.position.forces import here, sp
from pbem.rules.hannibal_italy.position.state import BOXES, CARTHAGE, CONSUL, ENEMY, ROME, SIDES, UNSEEN, Game, Leader
from pbem.rules.hannibal_italy.siege.siege import assault_modifiers
from pbem.rules.hannibal_italy.siege.siege import column_of as column_of_assault

DIE: Final = range(1, 7)
WORDS: Final[Mapping[str, str]] = {"S": "stormed", "DE": "defenders eliminated", "R": "beaten back"}
NOTES: Final = (
    "Played by the rules, from the foraging to the end: the cheapest steps are lost first, the least forages,",
    "the other side does not withdraw before the battle, each breaks off when less than --break-off percent is left.",
)
_HOLDERS: Final[Mapping[int, Side | None]] = {0: None, 1: CARTHAGE, 2: ROME}


# ---- average results of a round and of an assault


@dataclass(frozen=True, slots=True)
class Prospect:
    """A column, what changes the die, the steps that both lose on average, and the chances of words on the chart."""

    column: str
    modifiers: Mapping[str, int]
    attacker: float
    defender: float
    exact: Mapping[str, float] = field(default_factory=dict)


def seen_by_both(view: Game) -> bool:
    """Tell whether the viewer knows all that stands against each other in the battle (7.5)."""
    return not any(UNSEEN in in_line(view, side) for side in SIDES)


def as_attacked_by(view: Game, attacker: Side) -> Game:
    """Return the position as it would be if a side attacked in the battle under way; nothing is changed."""
    seen = plain.twin(view)
    seen.battle = plain.twin(view.the_battle)
    seen.battle.attacker = attacker
    return seen


def average_round(view: Game, attacker: Side) -> Prospect | None:
    """Return the average result of a round if a side attacks; None if it may not, or nobody can tell (9.2)."""
    if not seen_by_both(view):
        return None
    seen = as_attacked_by(view, attacker)
    column = column_of(seen)
    if column == NO_CASE:
        return None
    chart, modifiers = view.board.field, round_modifiers(seen)
    results = [chart.read(column, die + sum(modifiers.values())) for die in DIE]
    lost = {
        who: sum(int(result[1:]) for result in results if result[0] in (who, "E")) / len(results) for who in ("A", "D")
    }
    return Prospect(chart.columns[column], modifiers, lost["A"], lost["D"])


def average_assault(view: Game, side: Side, city: City, against: int) -> Prospect | None:
    """Return the average result of an assault on a city, against so many SP; None if it is not allowed (9.8)."""
    column = column_of_assault(view, side, city, against)
    return None if column == NO_CASE else read_assaults(view.board, column, assault_modifiers(view, side, city))


def read_assaults(board: Board, column: int, modifiers: Mapping[str, int]) -> Prospect:
    """Return the average result of a column of the siege chart with some modifiers of the die (9.8)."""
    chart = board.assault
    results = [chart.read(column, die + sum(modifiers.values())).split(" ") for die in DIE]
    lost = sum(int(words[0][1:]) for words in results if words[0].startswith("A")) / len(results)
    ends = Counter(words[-1] for words in results)
    exact = {words: ends[end] / len(results) for end, words in WORDS.items() if ends[end]}
    return Prospect(chart.columns[column], modifiers, lost, 0.0, exact)


# ---- questions that players may ask


def odds(board: Board, options: Options) -> dict[str, Odds]:
    """Return the odds that players may ask for."""
    count = board.counts
    return {
        "battle": Odds(
            "who keeps the field, in how many rounds, and what both lose (9.2)",
            {
                "carthage_foot": Number("Carthaginian foot of 6 SP", 0, count["punic_foot"], 0),
                "carthage_horse": Number("Carthaginian horse of 4 SP", 0, count["punic_horse"], 0),
                "elephants": Number("elephants of 3 SP", 0, count["elephants"], 0),
                "allies": Number("allies of 4 SP", 0, count["allies_4"], 0),
                "legions": Number("Roman legions", 1, count["roman_foot"]),
                "carthage_combat": Number("combat rating of Carthage's commander", 0, 3, 0),
                "rome_combat": Number("combat rating of Rome's commander", 0, 3, 0),
                "carthage_withdraws": Number("what Carthage's commander needs to withdraw, 1: always", 1, 6, 4),
                "rome_withdraws": Number("what Rome's commander needs to withdraw, 1: always", 1, 6, 4),
                "rome_attacks": Number("1 if Rome attacks, 0 if Carthage does", 0, 1, 0),
                "rough": Number("1 if the ground is rough", 0, 1, 0),
                "river": Number("1 if the attacker came over a river", 0, 1, 0),
                "province": Number("who controls the province: 0 nobody, 1 Carthage, 2 Rome", 0, 2, 2),
                "ambush": Number("1 if Carthage lays the smallest ambush", 0, 1, 0),
                "break_off": Number("a side withdraws with less of its SP than so many percent", 0, 100, 50),
            },
            lambda numbers, tables: battle(board, options, numbers, tables),
        ),
        "siege": Odds(
            "how many segments a siege takes (9.7)",
            {"number": Number("the number of the siege marker", 3, 6, int(board.tables["siege_numbers"][0]))},
            lambda numbers, _: siege(board, numbers),
        ),
        "assault": Odds(
            "what an assault on a city comes to (9.8)",
            {
                "attacker_sp": Number("SP of the attacker, elephants left out", 1, 400),
                "against": Number("SP of the walls, the garrison and the units inside", 1, 200),
                "carthage": Number("1 if Carthage assaults, 0 if Rome does", 0, 1, 0),
                "combat": Number("the attacker's combat rating less the defender's", -3, 3, 0),
                "empty": Number("1 if nobody is inside and there is no garrison unit", 0, 1, 0),
            },
            lambda numbers, _: assault(board, options, numbers),
        ),
    }


# ---- battle (9.2)


@dataclass(slots=True)
class _Count:
    """The results of some battles."""

    played: int = 0
    keeps: Counter[Side | None] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    lost: Counter[Side] = field(default_factory=Counter)
    killed: Counter[Side] = field(default_factory=Counter)


def battle(board: Board, options: Options, numbers: Mapping[str, int], tables: Iterable[Table]) -> Chances:
    """Fight a battle on each table and count (9.2 to 9.6). Raises ValueError if Carthage has no units."""
    units = {
        unit: numbers[name]
        for name, unit in (
            ("carthage_foot", "punic_foot"),
            ("carthage_horse", "punic_horse"),
            ("elephants", "elephants"),
            ("allies", "allies_4"),
        )
        if numbers[name]
    }
    if not units:
        raise ValueError("Carthage has no units")
    forces = {CARTHAGE: units, ROME: dict.fromkeys(board.legion, numbers["legions"])}
    attacker = ROME if numbers["rome_attacks"] else CARTHAGE
    count = _Count()
    whole = {side: sp(board, forces[side]) for side in SIDES}
    for table in tables:
        game, hex, chiefs = _field(board, options, numbers, forces, attacker)
        play_through(fight(game, table, hex), lambda asked: _answer(asked, attacker, numbers, whole))
        count.played += 1
        left = {side: _left(game, side) for side in SIDES}
        there = [side for side in SIDES if left[side] and here(game, side, hex)]
        count.keeps[there[0] if len(there) == 1 else None] += 1
        count.rounds[sum(roll.rule == "9.2" for roll in table.rolls)] += 1
        for side in SIDES:
            count.lost[side] += whole[side] - left[side]
            count.killed[side] += game.leaders[chiefs[side]].at in BOXES
    return _told(whole, attacker, count)


def _field(
    board: Board, options: Options, numbers: Mapping[str, int], forces: Mapping[Side, dict[str, int]], attacker: Side
) -> tuple[Game, str, dict[Side, str]]:
    """Return a position with nothing but two armies in a hex, that hex, and who commands."""
    hex, came_from = _ground(board, ROUGH if numbers["rough"] else CLEAR, river=bool(numbers["river"]))
    cards, chiefs = dict(board.leaders), {}
    for side, who in ((CARTHAGE, "carthage"), (ROME, "rome")):
        one = next(card for card in board.leaders.values() if card.side == side and not card.gaulish)
        needs = numbers[f"{who}_withdraws"]
        cards[one.id] = replace(one, combat=numbers[f"{who}_combat"], withdraws_on=None if needs == 1 else needs)
        chiefs[side] = one.id
    game = Game(
        leaders={id: Leader() for id in cards},
        loose={side: {} for side in SIDES},
        pools={unit.pool: {} for unit in board.units.values() if unit.pool is not None},
        cities=dict.fromkeys(_cities_that_matter(board, hex), ROME),
        first=attacker,
        phase="field",
        board=replace(board, leaders=cards),
        options=options,
    )
    for side, chief in chiefs.items():
        came = came_from if side == attacker else ""
        office = CONSUL if side == ROME else ""
        game.leaders[chief] = Leader(office=office, units=dict(forces[side]), came_from=came)
        game.put(chief, hex)
    holder = _HOLDERS[numbers["province"]]
    if holder is not None:
        game.provinces[board.hexes[hex].province] = holder
    return game, hex, chiefs


def _ground(board: Board, terrain: str, *, river: bool) -> tuple[str, str]:
    """Return a hex without a city with some terrain, and a hex next to it that is across a river, or is not."""
    return next(
        (hex.id, there)
        for hex in board.hexes.values()
        if hex.terrain == terrain and hex.city is None and len(board.steps[hex.id]) == 6
        for there, _ in board.steps[hex.id]
        if ((there, hex.id) in board.rivers) == river
    )


def _cities_that_matter(board: Board, hex: str) -> list[str]:
    """Return the cities that a battle in a hex has to do with; without the others it takes far less time."""
    around = [hex, board.home, *(there for there, _ in board.steps[hex])]
    return [CAPUA, *(city for each in around if (city := board.hexes[each].city) is not None)]


def _answer(asked: Decision, attacker: Side, numbers: Mapping[str, int], whole: Mapping[Side, int]) -> Order:
    """Return the answer of a side in a battle that is only computed."""
    facts = asked.facts
    if asked.kind == "fight":
        return Order("fight", {"fight": asked.side == attacker})
    if asked.kind == "ambush" and numbers["ambush"]:
        return Order("ambush", {"units": "least"})
    if asked.kind == "go_on" and facts["way_out"]:
        few = 100 * (whole[asked.side] - facts["lost"]) < numbers["break_off"] * whole[asked.side]
        return Order("go_on", {"do": "withdraw" if few else "fight"})
    return Order(asked.kind, asked.default or {})


def _left(game: Game, side: Side) -> int:
    """Return the SP that a side still has anywhere."""
    forces = [leader.units for id, leader in game.leaders.items() if game.card(id).side == side]
    return sum(sp(game.board, units) for units in (*forces, *game.loose[side].values()))


def _told(whole: Mapping[Side, int], attacker: Side, count: _Count) -> Chances:
    """Return the results of the battles, as text and as figures."""
    played, names = count.played, {CARTHAGE: "Carthage", ROME: "Rome"}
    mean = sum(number * often for number, often in count.rounds.items()) / played
    keeps = {side: count.keeps[side] / played for side in (*SIDES, None)}
    lines = [
        f"{names[attacker]} attacks with {whole[attacker]} SP, {names[ENEMY[attacker]]} has {whole[ENEMY[attacker]]}",
        f"{played:,} battles",
        "",
        f"Carthage keeps the field {share(keeps[CARTHAGE])}, Rome {share(keeps[ROME])}, both or nobody "
        f"{share(keeps[None])}",
        f"rounds: {mean:.1f} on average",
    ]
    lines += histogram(count.rounds)
    lost = {side: count.lost[side] / played for side in SIDES}
    killed = {side: count.killed[side] / played for side in SIDES}
    lines.append("SP lost on average: " + ", ".join(f"{names[side]} {lost[side]:.1f}" for side in SIDES))
    lines.append("commander killed: " + ", ".join(f"{names[side]} {share(killed[side])}" for side in SIDES))
    figures = {
        "games": played,
        "keeps_the_field": {**{side: keeps[side] for side in SIDES}, "nobody": keeps[None]},
        "rounds": mean,
        "rounds_distribution": {str(n): often / played for n, often in sorted(count.rounds.items())},
        "lost": lost,
        "killed": killed,
    }
    return Chances((*lines, "", *NOTES), figures)


# ---- siege (9.7) and assault (9.8): few enough ways to count them all


def siege(board: Board, numbers: Mapping[str, int]) -> Chances:
    """Count in which segment a city surrenders (9.7)."""
    series = [int(number) for number in board.tables["siege_numbers"] if int(number) <= numbers["number"]]
    holds, chances, segment = Fraction(1), list[Fraction](), 0
    mean = Fraction(0)
    while holds > Fraction(1, 1000):
        need = series[min(segment, len(series) - 1)]
        falls = holds * Fraction(7 - need, 6)
        segment += 1
        chances.append(falls)
        mean += segment * falls
        holds -= falls
    lines = [f"the marker stands at {numbers['number']}", "", "it surrenders in segment", *turn_by_turn(chances)]
    lines += ["", f"{float(mean):.1f} segments on average"]
    return Chances(
        tuple(lines), {"segments": {str(n): float(each) for n, each in enumerate(chances, 1)}, "mean": float(mean)}
    )


def assault(board: Board, options: Options, numbers: Mapping[str, int]) -> Chances:
    """Count what the die makes of an assault (9.8). Raises ValueError if it is not allowed."""
    column = assault_column(board, numbers["attacker_sp"], numbers["against"], str(options["assault_odds"]))
    if column == NO_CASE:
        raise ValueError("an assault needs three to two")
    if numbers["empty"]:
        column = len(board.assault.columns) - 1
    modifiers = {"leaders": numbers["combat"]}
    if numbers["carthage"]:
        modifiers["no_siege_train"] = int(board.tables["carthage_assaults"])
    found = read_assaults(board, column, modifiers)
    lines = [f"column {found.column}, die {sum(modifiers.values()):+d}", ""]
    lines += [f"{words}: {share(found.exact.get(words, 0.0))}" for words in WORDS.values()]
    lines.append(f"steps that the attacker loses: {found.attacker:.2f} on average")
    chances = {words.replace(" ", "_"): found.exact.get(words, 0.0) for words in WORDS.values()}
    return Chances(tuple(lines), {"column": found.column, **chances, "steps": found.attacker})
