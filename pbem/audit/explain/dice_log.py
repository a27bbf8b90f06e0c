"""The dice of a game, one by one and counted: who rolled what for what, and whether such dice are fair.

All of it comes from the turn files that everybody may read. A roll belongs to the side that its event names; to some
the rulebook gives no owner, as when one roll decides the losses of both. What was rolled for is told by the first word
of the roll's name, or by its first and last (`battle/retreat`), as far as the box has words for that.

Dice of turns that were rolled back have fallen all the same: they are listed, marked, and counted.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Final

from pbem.crypto.chi_square import ENOUGH, Fairness, chance, fairness
from pbem.protocol import Record, Roll, Side, cited
from pbem.render.text.messages import Sentences, key_of_roll
from pbem.render.text.text_lines import folded
from pbem.repo.files.records import RESERVED, read_roll

WIDTH: Final = 60
"""So wide is the text at most: what a phone shows."""
NOBODYS: Final = "both/none"
"""Whose rolls those are that belong to no side."""
UNDONE: Final = "*"
EXACT: Final = "!"
USUAL: Final = 6
OTHERS: Final = "#8c7a58"
"""The colour of dice that are no side's alone."""
_MOST_SHOWN: Final = 10
"""Dice of more faces are counted, but not face by face in a text."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """One roll of a game: where it stands, whose it is (None: nobody's), what it was for, and whether it was undone."""

    turn: int
    number: int
    side: Side | None
    purpose: str
    roll: Roll
    facts: Record
    undone: bool

    @property
    def place(self) -> str:
        """The number that reports give a die: adjudication and roll."""
        return f"{self.turn}.{self.number}"


@dataclass(slots=True)
class Tally:
    """Dice counted together: how often each face was seen, and how many rolls reached what they needed."""

    sides: int
    counts: Counter[int] = field(default_factory=Counter)
    needy: int = 0
    met: int = 0
    expected: float = 0.0

    def add(self, roll: Roll) -> None:
        """Count one roll."""
        self.counts.update(roll.faces)
        if roll.need is not None:
            self.needy += 1
            self.met += roll.success
            self.expected += chance(roll.need, len(roll.faces), roll.sides, sum(roll.modifiers.values()))

    @property
    def faces(self) -> list[int]:
        """How often each face was seen, from 1 on."""
        return [self.counts[face] for face in range(1, self.sides + 1)]

    @property
    def dice(self) -> int:
        return self.counts.total()

    @property
    def mean(self) -> float:
        return sum(face * count for face, count in self.counts.items()) / self.dice if self.dice else 0.0

    @property
    def fair_mean(self) -> float:
        return (self.sides + 1) / 2

    @property
    def fairness(self) -> Fairness:
        return fairness(self.faces)


@dataclass(frozen=True, slots=True)
class Count:
    """A tally and what it is of: whose dice (empty: everybody's) and what they were for (empty: whatever)."""

    whose: str
    purpose: str
    tally: Tally


def undone_in(turns: Iterable[Record]) -> set[int]:
    """Return the adjudications that some published turn files have undone."""
    return {n for turn in turns for n in turn.get("act", {}).get("undone", ())}


def rolls_of(turns: Iterable[Record], purposes: Collection[str] = (), undone: Collection[int] = ()) -> list[Rolled]:
    """Return every roll of some published turn files.

    `purposes` are those that the box has words for, `undone` the adjudications that were rolled back.
    """
    found = []
    for turn in turns:
        facts = {event["roll"]: _without(event, RESERVED) for event in turn["events"] if "roll" in event}
        for record in turn.get("rolls", ()):
            roll, of = read_roll(record), facts.get(record["number"], {})
            purpose, n = key_of_roll(roll, purposes), turn["adjudication"]
            found.append(Rolled(n, record["number"], of.get("side"), purpose, roll, of, n in undone))
    return found


def _without(record: Record, words: Collection[str]) -> Record:
    """Return a record without some of its words."""
    return {word: value for word, value in record.items() if word not in words}


def counts_of(rolls: Sequence[Rolled], sides: Sequence[Side] = ()) -> list[Count]:
    """Return dice counted: all of them, then those of each side, each all together and by purpose.

    Dice of other numbers of faces are counted apart. `sides` come in this order; what is nobody's comes last.
    """
    others = {each.side for each in rolls if each.side is not None}.difference(sides)
    owners = ["", *sides, *sorted(others), NOBODYS]
    tallies: dict[tuple[int, int, str], Tally] = {}
    for each in rolls:
        faces, owner = each.roll.sides, owners.index(each.side or NOBODYS)
        for key in ((faces, 0, ""), (faces, owner, ""), (faces, owner, each.purpose)):
            tallies.setdefault(key, Tally(faces)).add(each.roll)
    return [Count(owners[owner], purpose, tallies[faces, owner, purpose]) for faces, owner, purpose in sorted(tallies)]


# ---------------------------------------------------------------------------------------------- as text


def dice_as_text(game: str, rolls: Sequence[Rolled], counts: Sequence[Count], say: Sentences | None = None) -> str:
    """Return the dice of a game as a phone shows them; `say` has the words of its box, without it ids are shown."""
    dice = sum(len(each.roll.faces) for each in rolls)
    if not rolls:
        return f"{game}: no dice have been rolled.\n"
    lines = [f"{game}: {_many(len(rolls), 'roll')}, {_many(dice, 'die', 'dice')}.", ""]
    lines += _each_roll(rolls, say)
    for faces in sorted({count.tally.sides for count in counts}):
        same = [count for count in counts if count.tally.sides == faces]
        lines += ["", *_face_table(same, faces, say), "", *_columns_explained(same, faces)]
    if needy := [count for count in counts if count.tally.needy]:
        head = ["what was needed", "rolls", "met", "expected"]
        rows = [_needs(count, say) for count in needy]
        lines += ["", *_text_table(head, rows)]
    return "\n".join([*lines, ""])


def _each_roll(rolls: Sequence[Rolled], say: Sentences | None) -> Iterator[str]:
    """Yield a line for each roll; what does not fit hangs below."""
    places = [each.place + UNDONE * each.undone for each in rolls]
    sides = [_side_name(each.side or NOBODYS, say) for each in rolls]
    place, side = max(map(len, places)), max(map(len, sides))
    yield f"{'die':{place}}  {'side':{side}}  met  what was rolled for"
    for number, whose, each in zip(places, sides, rolls, strict=True):
        met = "" if each.roll.need is None else "yes" if each.roll.success else "no"
        text = say.dice(each.roll, each.facts) if say else _plainly(each.roll)
        before = f"{number:{place}}  {whose:{side}}  {met:3}  "
        yield from folded(text, WIDTH, before, " " * len(before))
    if any(each.undone for each in rolls):
        yield from folded(f"{UNDONE} undone by a rollback; it fell all the same, and is counted.", WIDTH)


def _face_table(counts: Sequence[Count], faces: int, say: Sentences | None) -> list[str]:
    shown = faces <= _MOST_SHOWN
    widest = len(str(max(max(count.tally.faces) for count in counts)))
    head = [f"dice of {faces} faces", "dice", "mean", *(map(str, range(1, faces + 1)) if shown else ()), "chi2", "p"]
    rows = []
    for count in counts:
        tally, found = count.tally, count.tally.fairness
        p = "-" if found.p is None else f"{found.p:.3f}{EXACT * found.exact}"
        seen = [str(count).rjust(widest) for count in tally.faces] if shown else []
        rows.append([_row_label(count, say), str(tally.dice), f"{tally.mean:.2f}", *seen, f"{found.statistic:.1f}", p])
    return _text_table(head, rows)


def _columns_explained(counts: Sequence[Count], faces: int) -> Iterator[str]:
    """Yield what the columns mean."""
    found = [count.tally.fairness for count in counts]
    text = (
        f"Fair dice have a mean of {counts[0].tally.fair_mean:.2f}. chi2 has {faces - 1} degrees of freedom; p says how"
        " often fair dice fall as unevenly as these, or more so. Of 20 rows, one is below 0.05 by chance."
    )
    if any(each.exact for each in found):
        text += f" {EXACT} Too few dice for the curve (of each face fewer than {ENOUGH} expected): p is counted out."
    if any(each.p is None for each in found):
        text += " - Too few dice to tell."
    yield from folded(text, WIDTH)


def _needs(count: Count, say: Sentences | None) -> list[str]:
    tally = count.tally
    return [_row_label(count, say), str(tally.needy), str(tally.met), f"{tally.expected:.1f}"]


def _text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows below their head; the first cell goes to the left, or to a line of its own if it is too long."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    label = min(widths[0], WIDTH - sum(widths[1:]) - len(widths[1:]))
    lines = []
    for row in (head, *rows):
        cells = "".join(" " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        if len(row[0]) > label:
            lines.append(row[0])
        lines.append(("" if len(row[0]) > label else row[0]).ljust(label) + cells)
    return lines


def _row_label(count: Count, say: Sentences | None) -> str:
    if count.purpose:
        return " " + count.purpose.replace("_", " ")
    return _side_name(count.whose, say) if count.whose else "all dice"


def _side_name(side: str, say: Sentences | None) -> str:
    return side if say is None or side == NOBODYS else say.name(side)


def _plainly(roll: Roll) -> str:
    """Return a roll as its turn file says it."""
    changes = "".join(f" {value:+d} {reason}" for reason, value in roll.modifiers.items())
    total = f" = {roll.total}" if changes or len(roll.faces) > 1 else ""
    needs = f"needs {roll.need}, " if roll.need else ""
    return f"{roll.name}: {' + '.join(map(str, roll.faces))}{changes}{total} ({needs}{cited(roll.rule)})"


def _many(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"


# ---------------------------------------------------------------------------------------------- for programs


def roll_row(each: Rolled) -> dict[str, object]:
    """Return a roll for a program to read."""
    roll = each.roll
    return {
        "turn": each.turn,
        "number": each.number,
        "side": each.side or NOBODYS,
        "purpose": each.purpose,
        "name": roll.name,
        "sides": roll.sides,
        "faces": roll.faces,
        "modifiers": roll.modifiers,
        "total": roll.total,
        "need": roll.need,
        "success": None if roll.need is None else roll.success,
        "rule": roll.rule,
        "undone": each.undone,
    }


def count_row(count: Count) -> dict[str, object]:
    """Return counted dice for a program to read; nothing is rounded."""
    tally, found = count.tally, count.tally.fairness
    return {
        "side": count.whose or "all",
        "purpose": count.purpose or "all",
        "sides": tally.sides,
        "dice": tally.dice,
        "mean": tally.mean,
        "fair_mean": tally.fair_mean,
        "counts": tally.faces,
        "chi_square": found.statistic,
        "degrees": found.degrees,
        "p": found.p,
        "exact": found.exact,
        "reason": found.reason,
        "needed": tally.needy,
        "met": tally.met,
        "expected": tally.expected,
    }


def as_csv(rolls: Sequence[Rolled], counts: Sequence[Count]) -> str:
    """Return two tables with an empty line between them: the rolls, and the counts."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    tables = [list(map(roll_row, rolls)), list(map(count_row, counts))]
    for at, table in enumerate(tables if rolls else ()):
        writer.writerows([[]] * at)
        writer.writerow(table[0])
        writer.writerows([map(_cell_value, row.values()) for row in table])
    return out.getvalue()


def _cell_value(value: object) -> object:
    """Return a value as a spreadsheet shows it in one cell."""
    if isinstance(value, dict):
        return " ".join(f"{key}{number:+d}" for key, number in value.items())
    if isinstance(value, list):
        return " ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "" if value is None else value


# ---------------------------------------------------------------------------------------------- as a picture


def as_chart(game: str, counts: Sequence[Count], say: Sentences | None, colours: Mapping[Side, str]) -> bytes:
    """Return the dice of everybody and of each side as a PNG; a side without a colour is drawn like everybody's."""
    from pbem.render.dice_chart import MOST_FACES, Bars, dice_chart

    charts = []
    for count in counts:
        tally, found = count.tally, count.tally.fairness
        if count.purpose or tally.sides > MOST_FACES:
            continue
        p = "too few to tell" if found.p is None else f"p {found.p:.3f}"
        line = f"mean {tally.mean:.2f} (fair {tally.fair_mean:.2f}), chi2 {found.statistic:.1f}, {p}"
        heading = f"{_row_label(count, say)}: {tally.dice}" + (
            f" of {tally.sides} faces" if tally.sides != USUAL else ""
        )
        charts.append(Bars(heading, colours.get(count.whose, OTHERS), tally.faces, line))
    dice = sum(count.tally.dice for count in counts if not count.whose)
    return dice_chart(f"{game}: {_many(dice, 'die', 'dice')}", charts)
