"""What of a box is as printed: counts for reports, lists for the owner of a printed game, forms for corrections.

A box may declare in `game.yaml`, under `printed`, lists of records of which some are reconstructed:

    printed:
    - {what: places, file: map, list: spaces, by: sources.name, values: [name, kind], counted: places}
    - {what: cards, file: cards, list: cards, by: printed, is: whole, mark: "°", counted: cards}

A record is as printed if the value at `by` is `is`, or if it has any value there. `values` are those that the printed
game has; the record names the sources of some of them under `sources`, and the others are reconstructed. Lists that
are `counted` stand in the sentence that shelves, letters and reports have, under that word. It counts the records that
an edition has (`Rules.in_play`). Names of records that are not as printed end with `mark`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pbem.game.contract import Rules
from pbem.game.wording import listing
from pbem.protocol import Path, Record, S

if TYPE_CHECKING:
    from pbem.game.boxes.box_file import BoxFiles, Flaw

PRINTED: Final = "printed"
SOURCES: Final = "sources"
NOTES: Final = "confidence"
"""The key of a file's notes on how reliable it is."""
OURS: Final = "ours"
"""What a record is of which no source tells anything."""


@dataclass(frozen=True, slots=True)
class PrintedList:
    """A list of records of a box, as `game.yaml` declares it."""

    what: str
    file: str
    key: str
    by: str
    named: str | None = None
    """The value at `by` of a record that is as printed; None: any."""
    mark: str = ""
    values: tuple[str, ...] = ()
    counted: str = ""
    """The word under which the records are counted; empty: they are not."""
    hearsay: tuple[str, ...] = ()
    """Sources that an owner's file may contradict."""

    @classmethod
    def read(cls, record: Record) -> PrintedList:
        """Return a list that `game.yaml` declares."""
        return cls(
            what=record["what"],
            file=record["file"],
            key=record["list"],
            by=record["by"],
            named=record.get("is"),
            mark=record.get("mark", ""),
            values=tuple(record.get("values", ())),
            counted=record.get("counted", ""),
            hearsay=tuple(record.get("hearsay", ())),
        )

    def records(self, box: BoxFiles) -> Sequence[Record]:
        """Return the records; where a corrected file is misshapen, those that are records."""
        table = box.table(self.file)
        found = table.get(self.key) if isinstance(table, dict) else None
        return [record for record in found if isinstance(record, dict)] if isinstance(found, list) else []

    def is_printed(self, record: Record) -> bool:
        """Tell whether a record is as printed."""
        value = self._value(record)
        return value is not None if self.named is None else value == self.named

    def open(self, record: Record) -> list[str]:
        """Return what of a record is not as printed: values without a source, or how far the sources go."""
        if not self.values:
            return [] if self.is_printed(record) else [str(self._value(record) or OURS)]
        sources = record.get(SOURCES, {})
        missing = [value for value in self.values if value in record and value not in sources]
        return missing if sources else ["all"]

    def _value(self, record: Record) -> object:
        value: object = record
        for key in self.by.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value


def printed_lists(box: BoxFiles) -> list[PrintedList]:
    """Return the lists that a box declares; a box without any says nothing of itself."""
    return [PrintedList.read(record) for record in box.table("game").get(PRINTED, ())]


def counts(rules: Rules[S], box: BoxFiles) -> list[tuple[str, int, int]]:
    """Return what is counted of a game, how many of it are as printed, and how many there are."""
    found: dict[str, list[bool]] = {}
    for each in printed_lists(box):
        if each.counted:
            there = found.setdefault(each.counted, [])
            there += [each.is_printed(record) for record in each.records(box) if _in_play(rules, record)]
    return [(what, sum(there), len(there)) for what, there in found.items()]


def _in_play(rules: Rules[S], record: Record) -> bool:
    return rules.in_play is None or record.get("id") in rules.in_play


def as_printed(rules: Rules[S], box: BoxFiles) -> str:
    """Return how much of a game is as printed, such as "17 of 190 cards, 42 of 75 places as printed"; or nothing."""
    words = [f"{printed} of {all_} {what}" for what, printed, all_ in counts(rules, box)]
    return f"{', '.join(words)} as printed" if words else ""


def foot(rules: Rules[S], box: BoxFiles) -> list[str]:
    """Return what the foot of each report says of a game: the counts, and what the marks mean."""
    said = as_printed(rules, box)
    marked: dict[str, list[str]] = {}
    for each in printed_lists(box):
        if each.mark:
            marked.setdefault(each.mark, []).append(each.what)
    marks = [f"{mark} marks {listing(_widest(what))} that are not." for mark, what in marked.items()]
    return [" ".join([f"{box.title}: {said}.", *marks])] if said else []


def _widest(what: Sequence[str]) -> list[str]:
    """Return words for lists without those that another word has in it: of cards and cards of the base game, cards."""
    return [each for each in what if not any(each.startswith(f"{other} ") for other in what)]


def marked_names(box: BoxFiles) -> Iterator[tuple[str, str]]:
    """Yield id and name of every record that is not as printed and whose list has a mark, with the mark."""
    for each in printed_lists(box):
        if each.mark:
            for record in each.records(box):
                if not each.is_printed(record):
                    yield record["id"], f"{record['name']}{each.mark}"


# ---- for an owner of the printed game


def unprinted(box: BoxFiles) -> Iterator[tuple[str, str, list[str]]]:
    """Yield for each list what is not as printed, and the records of which that is true."""
    for each in printed_lists(box):
        found: dict[str, list[str]] = {}
        for record in each.records(box):
            if missing := each.open(record):
                found.setdefault(", ".join(missing), []).append(called(record))
        for missing_there, records in found.items():
            yield each.what, missing_there, records


def called(record: Record) -> str:
    """Return how a record is called: its id, or the two that it is between, or its first value."""
    if "id" in record:
        return str(record["id"])
    if "between" in record:
        return " - ".join(record["between"])
    return " ".join(map(str, next(iter(record.items()))))


def files_for_owner(box: BoxFiles) -> list[str]:
    """Return the files in which something is reconstructed: those of the lists, then others with notes on that.

    Empty if a box declares no lists: then it does not say what an owner of the printed game should look up.
    """
    of_lists = dict.fromkeys(each.file for each in printed_lists(box))
    noted = [file for file in box.correctable if NOTES in box.table(file)] if of_lists else []
    return list(of_lists | dict.fromkeys(noted))


def form_for_owner(box: BoxFiles, file: str) -> str:
    """Return a file of a box as a form: above each record of a declared list, what the sources say of it."""
    above: dict[int, str] = {}
    for each in printed_lists(box):
        if each.file == file:
            for i, record in enumerate(each.records(box)):
                above[box.flaw(file, (each.key, i), "").line] = f"# {_told(each, record)}"
    lines = []
    for number, line in enumerate(box.text(file).decode().splitlines(), 1):
        if number in above:
            lines.append(" " * (len(line) - len(line.lstrip())) + above[number])
        lines.append(line)
    return "\n".join([*(_HEAD if above else _HEAD_WITHOUT_RECORDS), *lines]) + "\n"


_HEAD: Final = (
    "# A form for the owner of the printed game. Above each record stands what the sources demand of it, and what not.",
    "# Correct the other values, and say so: name their source under `sources`, such as {name: printed map}, or write",
    "# `printed: whole` for a card; of all else say it under `confidence`. Then pbem box check holds the file against",
    "# the sources.",
    "",
)
_HEAD_WITHOUT_RECORDS: Final = (
    "# A form for the owner of the printed game. Correct the values, and say so under `confidence`. Then pbem box",
    "# check says whether the file is in order.",
    "",
)


def _told(each: PrintedList, record: Record) -> str:
    """Return what the sources say of a record, and what they do not."""
    sources = record.get(SOURCES, {})
    demanded = [f"{value} {record.get(value, '')} ({source})".replace("  ", " ") for value, source in sources.items()]
    missing: Sequence[str] = each.open(record)
    words = [f"demanded: {', '.join(demanded)}"] if demanded else []
    if missing and each.values:
        words.append(f"to be looked up: {', '.join(missing)}")
    elif missing:
        words.append("ours: no source tells of it" if missing == [OURS] else f"the sources have: {missing[0]}")
    return "; ".join(words) or "as printed"


def contradictions(corrected: BoxFiles, own: BoxFiles) -> Iterator[Flaw]:
    """Yield where corrected files of a box say otherwise than the sources that the box itself names."""
    for each in printed_lists(own):
        if each.file not in corrected.corrections:
            continue
        there = {_key(record): i for i, record in enumerate(each.records(corrected))}
        for record in each.records(own):
            demanded = [value for value, source in record.get(SOURCES, {}).items() if not _hearsay(each, source)]
            at = there.get(_key(record))
            if at is None and demanded:
                reason = f"{called(record)} is missing; the sources name it ({record[SOURCES][demanded[0]]})"
                yield corrected.flaw(each.file, (each.key,), reason, key=True)
            elif at is not None:
                yield from _other_values(corrected, each, (each.key, at), record, demanded)


def _other_values(
    corrected: BoxFiles, each: PrintedList, at: Path, record: Record, demanded: Sequence[str]
) -> Iterator[Flaw]:
    own = each.records(corrected)[int(at[-1])]
    for value in demanded:
        if own.get(value) != record.get(value):
            source = record[SOURCES][value]
            demanded_value = f"is {record[value]}" if value in record else "is the usual one"
            own_value = f"not {own[value]}" if value in own else "here it has none"
            reason = f"{value} of {called(record)} {demanded_value} in the sources ({source}), {own_value}"
            yield corrected.flaw(each.file, (*at, value) if value in own else at, reason)


def _key(record: Record) -> str:
    return " ".join(sorted(record["between"])) if "between" in record else called(record)


def _hearsay(each: PrintedList, source: str) -> bool:
    """Tell whether a value stands on hearsay alone."""
    return all(part.strip() in each.hearsay for part in source.split(";"))
