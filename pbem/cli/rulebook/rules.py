"""`pbem rules`: the editions of a game, its options, its sources, and what of it is reconstructed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pbem.cli.runtime import Boxes, misuse, print_json
from pbem.paths import games_folder

if TYPE_CHECKING:
    from pbem.game.boxes.box import Box
    from pbem.game.boxes.corrections import Correction
    from pbem.game.boxes.shelf import Loaded
    from pbem.repo.files.charter import Charter

_WIDTH: Final = 96
_INDENT: Final = "    "
_HOW: Final = (
    "Copy the file from {folder}, correct the copy, and say under its confidence how reliable it is now. "
    "Then either put it into a folder {id} in a folder named by PBEM_RULES. It then counts for all games, the other "
    "files stay as they are, and pbem shelf --check checks it. Or give it to one game, which keeps it in its repo, so "
    "that every clone can be verified and replayed: pbem new NAME --rules {id} --correct FILE; for a game in "
    "progress, pbem migrate NAME --correct FILE --accept --reason WHY."
)
"""How an owner of the printed game corrects an unreliable file."""
_FORMS: Final = (
    "pbem box new {id} DIR writes these files as forms, with every id and what the sources demand of it. Correct them; "
    "pbem box check DIR holds them against the sources. Then name DIR in PBEM_RULES, or give single files to one game: "
    "pbem new NAME --rules {id} --correct FILE."
)
"""How an owner of the printed game corrects what is reconstructed."""
_NOT_PRINTED: Final = ("schemas/", "cases/", "messages/")
"""Files of a box that no rulebook prints."""
_Note: TypeAlias = tuple[str, str, str, tuple[str, ...]]
"""A note on sources: file, subject, note, and the editions that it is true of; none: all that are printed."""


def rules(
    game: str,
    edition: str | None,
    boxes: Boxes,
    json: bool,
    *,
    orders: bool = False,
    cards: bool = False,
    open_: bool = False,
) -> None:
    """Print the editions and the options of a game; with `edition`, only that one.

    With `orders` print its orders instead, with `cards` the words that its cards may use, with `open_` what of it is
    reconstructed.
    """
    from pbem.game.boxes.box import Box, NotInTheBox

    if orders:
        _print_orders(game, boxes, json)
        return
    if cards:
        _print_cards(game, boxes, json)
        return
    if open_:
        _print_open(game, boxes, json)
        return
    box = _box(game, boxes)
    chosen = {id: box.options(id) for id in box.editions}
    if edition is not None:
        try:
            chosen = {edition: box.options(edition)}
        except NotInTheBox as wrong:
            misuse(str(wrong))
    notes = _notes_of([Box(box.folder, box.corrections, id) for id in chosen])
    if json:
        print_json(_record(box, chosen, notes))
        return
    print(f"{box.title} ({box.id})\n\nEditions")
    _print_editions(box, chosen)
    print("\nOptions")
    for name, option in box.table("game")["options"].items():
        print()
        _print_option(name, option, {id: values[name] for id, values in chosen.items()})
    if box.corrections:
        print("\nCorrected here")
        for file, correction in sorted(box.corrections.items()):
            print(f"  {file}: {correction.shown}")
    if notes:
        print("\nHow reliable the box is")
        _print_notes(notes)
        print("\nTo correct it")
        _print_wrapped(_HOW.format(id=box.id, folder=box.folder), "  ")


def _print_orders(game: str, boxes: Boxes, json: bool) -> None:
    """Print the kinds of orders of a game."""
    from pbem.render.text.reference import order_records, order_reference

    box = _box(game, boxes)
    if json:
        print_json(order_records(box))
    else:
        print(order_reference(box), end="")


def _print_cards(game: str, boxes: Boxes, json: bool) -> None:
    """Print the vocabulary of the cards of a game, if its cards are data."""
    from pbem.render.text.reference import WORDS, card_reference

    box = _box(game, boxes)
    if WORDS not in box.files:
        misuse(f"the events of {box.title} are no data: there is no list of words for its cards")
    elif json:
        print_json(dict(box.table(WORDS)["words"]))
    else:
        print(card_reference(box), end="")


def _print_open(game: str, boxes: Boxes, json: bool) -> None:
    """Print what of a game is reconstructed: records that no source tells of, and notes on sources."""
    from pbem.game.boxes.box import Box
    from pbem.game.boxes.printed import as_printed, counts, unprinted

    played = _played(game, boxes)
    usual = next(iter(played.values()))
    box = usual.box
    notes = _notes_of([Box(box.folder, box.corrections, id) for id in box.editions])
    records = list(unprinted(box))
    if json:
        lists = [{"what": what, "missing": missing, "records": ids} for what, missing, ids in records]
        shares = [{"what": what, "printed": printed, "of": of} for what, printed, of in counts(usual.rules, box)]
        print_json({"id": box.id, "title": box.title, "printed": shares, "open": lists, "confidence": _noted(notes)})
        return
    said = {edition: as_printed(of.rules, box) for edition, of in played.items()}
    first = next(iter(said.values()))
    print(f"{box.title} ({box.id})" + (f": {first}" if first else ""))
    for edition, other in said.items():
        if other != first:
            print(f"  in edition {edition}: {other}")
    for what, of_it in groupby(records, lambda each: each[0]):
        print(f"\nNot as printed: {what}")
        for _, missing, ids in of_it:
            _print_wrapped(f"{missing} ({len(ids)}): {', '.join(ids)}", "  ")
    if notes:
        print("\nNotes on the sources")
        _print_notes(notes)
    if not records and not notes:
        print("\nThis box says of nothing that it is reconstructed.")
    elif records:
        print("\nTo correct it")
        _print_wrapped(_FORMS.format(id=box.id), "  ")


def _box(game: str, boxes: Boxes) -> Box:
    """Return the box of an id of the shelf, or of a game in progress."""
    from pbem.game.boxes.box import open_box

    if (kept := _in_progress(game)) is None:
        return open_box(game, boxes or ())
    charter, corrections = kept
    return open_box(charter.rules, boxes or (), corrections)


def _played(game: str, boxes: Boxes) -> dict[str, Loaded]:
    """Return the editions of an id of the shelf, the usual one first; of a game in progress the one it is played in."""
    from pbem.game.boxes import shelf

    folders = boxes or ()
    if (kept := _in_progress(game)) is None:
        return {edition: shelf.load(game, edition=edition, folders=folders) for edition in _box(game, boxes).editions}
    charter, corrections = kept
    edition, options = charter.edition, charter.options
    loaded = shelf.load(charter.rules, edition=edition, options=options, folders=folders, kept=corrections)
    return {edition: loaded}


def _in_progress(game: str) -> tuple[Charter, Mapping[str, Correction]] | None:
    """Return the charter of a game in progress, and the corrected files that it keeps; None: there is no such game."""
    from pbem.audit.record.access import repo_of
    from pbem.repo.git import GameRepo
    from pbem.repo.public import charter_in, corrections_in

    repo = repo_of(games_folder(), game)
    if not (repo / "HEAD").is_file():
        return None
    with GameRepo.open(repo) as opened:
        return charter_in(opened), corrections_in(opened)


def _record(box: Box, chosen: Mapping[str, Mapping[str, Any]], notes: Iterable[_Note]) -> dict[str, Any]:
    """Return everything for --json."""
    editions, options = box.table("game")["editions"], box.table("game")["options"]
    return {
        "id": box.id,
        "title": box.title,
        "presets": {
            id: {"title": editions[id]["title"], "source": editions[id].get("source"), "options": dict(values)}
            for id, values in chosen.items()
        },
        "options": {name: dict(option) for name, option in options.items()},
        "corrected": {file: correction.shown for file, correction in sorted(box.corrections.items())},
        "confidence": _noted(notes),
    }


def _noted(notes: Iterable[_Note]) -> list[dict[str, Any]]:
    """Return the notes on sources for --json."""
    return [
        {"file": file, "about": about, "note": note} | ({"editions": list(editions)} if editions else {})
        for file, about, note, editions in notes
    ]


def _print_notes(notes: Iterable[_Note]) -> None:
    """Print the notes on sources, each with its file and the editions that it is true of."""
    for file, about, note, editions in notes:
        place = ", ".join(filter(None, (file, about)))
        here = f" ({', '.join(editions)})" if editions else ""
        _print_wrapped(f"{place}{here}: {note}", "  ")


def _print_editions(box: Box, chosen: Mapping[str, Any]) -> None:
    """Print each edition, the usual one marked."""
    game = box.table("game")
    for id in chosen:
        edition = game["editions"][id]
        usual = " (the usual one)" if id == game["edition"] else ""
        tried = " (experimental)" if box.is_experimental(id) else ""
        print(f"  {id}: {edition['title']}{usual}{tried}")
        if "source" in edition:
            _print_wrapped(edition["source"], _INDENT)


def _print_option(name: str, option: Mapping[str, Any], chosen: Mapping[str, Any]) -> None:
    """Print an option: its name and rule, its meaning, and each value with the editions that set it."""
    from pbem.game.wording import on_one_line

    places = ", ".join(f"{word} {option[word]}" for word in ("rule", "row") if word in option)
    print(f"{name:<{_WIDTH - len(places)}}{places}")
    _print_wrapped(option["meaning"], _INDENT)
    by_value = [(value, [id for id, its in chosen.items() if _same(its, value)]) for value in option["values"]]
    width = max(len(on_one_line(value)) for value, _ in by_value)
    for value, editions in by_value:
        default = " (default)" if _same(value, option["default"]) else ""
        print(f"{_INDENT}{on_one_line(value):<{width}}  {', '.join(editions) or '-'}{default}")


def _print_wrapped(text: str, indent: str) -> None:
    print("\n".join(wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)))


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _notes_of(editions: Sequence[Box]) -> list[_Note]:
    """Return the notes on the sources of a box in several editions, sorted by file."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for box in editions:
        for note in _confidence(box):
            found.setdefault(note, []).append(box.edition)
    notes = [(*note, () if len(of) == len(editions) else tuple(of)) for note, of in found.items()]
    return sorted(notes, key=lambda note: note[0])


def _confidence(box: Box) -> Iterator[tuple[str, str, str]]:
    """Yield the notes on the sources of an edition: file, subject, note; the same note once for each file."""
    for file in box.files:
        if file.startswith(_NOT_PRINTED):
            continue
        records: dict[tuple[str, str], list[str]] = {}
        for record, about, note in _notes(box.table(file)):
            records.setdefault((about, note), []).extend([record] if record else [])
        for (about, note), of in records.items():
            yield file, " of ".join(filter(None, (about, ", ".join(of)))), note


def _notes(value: object) -> Iterator[tuple[str, str, str]]:
    """Yield the notes of a part of a file: record, subject, note."""
    if isinstance(value, list):
        for each in value:
            yield from _notes(each)
    elif isinstance(value, dict):
        record, noted = str(value.get("id", value.get("number", ""))), value.get("confidence")
        if isinstance(noted, str):
            yield record, "", noted
        elif isinstance(noted, dict):
            yield from ((record, str(about), str(note)) for about, note in noted.items())
        for key, below in value.items():
            if key != "confidence":
                yield from _notes(below)
