"""The verbs about the rules: editions and options, odds, test cases, coverage, and boxes that an owner corrects."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias

import typer

from pbem.cli.runtime import FAULTS, WORLD, Boxes, Json, RulesDir, misuse, print_json
from pbem.paths import games_folder

if TYPE_CHECKING:
    from pbem.engine.cases import Case, CaseVerdict
    from pbem.engine.cases.coverage import CitedParagraph, Coverage
    from pbem.game.boxes.box import Box
    from pbem.game.boxes.box_file import Correction, Flaw
    from pbem.game.boxes.shelf import Loaded
    from pbem.game.prospects import Number, Odds
    from pbem.repo.files.charter import Charter

box = typer.Typer(
    name="box",
    help="Write forms for the values of a printed game, and check them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

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


# ---- Editions, options and sources: `pbem rules`


def show_rules(
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`, or the name of a game in progress.")],
    edition: Annotated[str | None, typer.Option("--edition", help="Show only this edition.")] = None,
    orders: Annotated[bool, typer.Option("--orders", help="Describe every kind of order instead.")] = False,
    cards: Annotated[bool, typer.Option("--cards", help="List the words that its cards may use instead.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="List what is reconstructed instead.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Show a game's editions and options, and how reliable their sources are; or its orders; or the words of cards."""
    from pbem.game.boxes.box import Box, NotInTheBox

    if orders:
        _print_orders(game, rules_dir, json)
        return
    if cards:
        _print_cards(game, rules_dir, json)
        return
    if open_:
        _print_open(game, rules_dir, json)
        return
    box = _box_of(game, rules_dir)
    chosen = {id: box.options(id) for id in box.editions}
    if edition is not None:
        try:
            chosen = {edition: box.options(edition)}
        except NotInTheBox as wrong:
            misuse(str(wrong))
    notes = _notes_of([Box(box.folder, box.corrections, id) for id in chosen])
    if json:
        print_json(_rules_record(box, chosen, notes))
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

    box = _box_of(game, boxes)
    if json:
        print_json(order_records(box))
    else:
        print(order_reference(box), end="")


def _print_cards(game: str, boxes: Boxes, json: bool) -> None:
    """Print the vocabulary of the cards of a game, if its cards are data."""
    from pbem.render.text.reference import WORDS, card_reference

    box = _box_of(game, boxes)
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

    played = _editions_played(game, boxes)
    usual = next(iter(played.values()))
    box = usual.box
    notes = _notes_of([Box(box.folder, box.corrections, id) for id in box.editions])
    records = list(unprinted(box))
    if json:
        lists = [{"what": what, "missing": missing, "records": ids} for what, missing, ids in records]
        shares = [{"what": what, "printed": printed, "of": of} for what, printed, of in counts(usual.rules, box)]
        print_json(
            {"id": box.id, "title": box.title, "printed": shares, "open": lists, "confidence": _note_records(notes)}
        )
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


def _box_of(game: str, boxes: Boxes) -> Box:
    """Return the box of an id of the shelf, or of a game in progress."""
    from pbem.game.boxes.box import open_box

    if (kept := _in_progress(game)) is None:
        return open_box(game, boxes or ())
    charter, corrections = kept
    return open_box(charter.rules, boxes or (), corrections)


def _editions_played(game: str, boxes: Boxes) -> dict[str, Loaded]:
    """Return the editions of an id of the shelf, the usual one first; of a game in progress the one it is played in."""
    from pbem.game.boxes import shelf

    folders = boxes or ()
    if (kept := _in_progress(game)) is None:
        return {
            edition: shelf.load(game, edition=edition, folders=folders) for edition in _box_of(game, boxes).editions
        }
    charter, corrections = kept
    edition, options = charter.edition, charter.options
    loaded = shelf.load(charter.rules, edition=edition, options=options, folders=folders, kept=corrections)
    return {edition: loaded}


def _in_progress(game: str) -> tuple[Charter, Mapping[str, Correction]] | None:
    """Return the charter of a game in progress, and the corrected files that it keeps; None: there is no such game."""
    from pbem.repo.git import GameRepo
    from pbem.repo.public import charter_in, corrections_in, repo_of

    repo = repo_of(games_folder(), game)
    if not (repo / "HEAD").is_file():
        return None
    with GameRepo.open(repo) as opened:
        return charter_in(opened), corrections_in(opened)


def _rules_record(box: Box, chosen: Mapping[str, Mapping[str, Any]], notes: Iterable[_Note]) -> dict[str, Any]:
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
        "confidence": _note_records(notes),
    }


def _note_records(notes: Iterable[_Note]) -> list[dict[str, Any]]:
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
    by_value = [(value, [id for id, its in chosen.items() if _same_value(its, value)]) for value in option["values"]]
    width = max(len(on_one_line(value)) for value, _ in by_value)
    for value, editions in by_value:
        default = " (default)" if _same_value(value, option["default"]) else ""
        print(f"{_INDENT}{on_one_line(value):<{width}}  {', '.join(editions) or '-'}{default}")


def _print_wrapped(text: str, indent: str) -> None:
    print("\n".join(wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)))


def _same_value(one: object, other: object) -> bool:
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
        for record, about, note in _notes_within(box.table(file)):
            records.setdefault((about, note), []).extend([record] if record else [])
        for (about, note), of in records.items():
            yield file, " of ".join(filter(None, (about, ", ".join(of)))), note


def _notes_within(value: object) -> Iterator[tuple[str, str, str]]:
    """Yield the notes of a part of a file: record, subject, note."""
    if isinstance(value, list):
        for each in value:
            yield from _notes_within(each)
    elif isinstance(value, dict):
        record, noted = str(value.get("id", value.get("number", ""))), value.get("confidence")
        if isinstance(noted, str):
            yield record, "", noted
        elif isinstance(noted, dict):
            yield from ((record, str(about), str(note)) for about, note in noted.items())
        for key, below in value.items():
            if key != "confidence":
                yield from _notes_within(below)


# ---- Odds, computed from the tables of a game or played out with its rules: `pbem odds`


def compute_odds(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`.")],
    what: Annotated[str | None, typer.Argument(help="The question; by default, list the questions.")] = None,
    games: Annotated[int, typer.Option("--games", min=1, help="How often to play it out.")] = 10_000,
    seed: Annotated[str, typer.Option("--seed", help="The seed of the dice.")] = "odds",
    edition: Annotated[str | None, typer.Option(help="The edition of the rules; see `pbem rules`.")] = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Compute odds, such as: odds rome_carthage battle --attacker-rating 4 ..."""
    from pbem.crypto.dice import SeededDice
    from pbem.game.boxes import shelf
    from pbem.game.boxes.box import NotInTheBox
    from pbem.game.table import Table

    try:
        loaded = shelf.load(game, edition=edition, folders=rules_dir or ())
    except NotInTheBox as wrong:
        misuse(str(wrong))
    asked = loaded.rules.odds
    if what is None or what not in asked:
        _misasked(game, what, asked)
    numbers = _numbers(what, asked[what], context.args)
    try:
        chances = asked[what].answer(numbers, (Table(SeededDice(f"{seed}/{n}")) for n in range(games)))
    except ValueError as wrong:
        misuse(str(wrong))
    if json:
        print_json({"game": game, "what": what, "numbers": numbers, "seed": seed, **chances.figures})
    else:
        print("\n".join(chances.lines))


def _misasked(game: str, what: str | None, asked: Mapping[str, Odds]) -> NoReturn:
    """End the command with the questions that a game can answer."""
    if not asked:
        misuse(f"{game} computes no odds")
    rows = [f"  {word}: {one.about}\n{_numbers_wanted(one)}" for word, one in asked.items()]
    misuse((f"{game} has no odds of {what}; " if what else "") + "ask for one of\n" + "\n".join(rows))


def _numbers_wanted(one: Odds) -> str:
    """Return the numbers that a question needs, one a line."""
    return "\n".join(
        f"    --{_option_word(name)} {_range(number)}: {number.meaning}" for name, number in one.numbers.items()
    )


def _option_word(name: str) -> str:
    return name.replace("_", "-")


def _range(number: Number) -> str:
    left_out = f", {number.default} by default" if number.default is not None else ""
    return f"{number.least} to {number.most}{left_out}"


def _numbers(what: str, one: Odds, words: Sequence[str]) -> dict[str, int]:
    """Return the numbers given as `--name 3` or `--name=3`, and those left out that have a default."""
    numbers = {name: number.default for name, number in one.numbers.items() if number.default is not None}
    left = [piece for word in words for piece in word.split("=", 1)]
    while left:
        option = left.pop(0)
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--") or name not in one.numbers:
            misuse(f"{option} is not an option of the odds of {what}; the options are\n{_numbers_wanted(one)}")
        numbers[name] = _number_given(option, one.numbers[name], left.pop(0) if left else None)
    for name, number in one.numbers.items():
        if name not in numbers and not number.optional:
            misuse(f"--{_option_word(name)} is missing: {number.meaning}, {_range(number)}")
    return numbers


def _number_given(option: str, number: Number, text: str | None) -> int:
    try:
        value = int(text or "")
    except ValueError:
        misuse(f"{option} needs a whole number, {_range(number)}")
    if not number.least <= value <= number.most:
        misuse(f"{option} {value}: it must be {_range(number)}")
    return value


# ---- Test cases of the rules: `pbem case`


def run_cases(
    files: Annotated[list[Path], typer.Argument(help="Files of test cases.")],
    rules: Annotated[str | None, typer.Option("--rules", help="The game, if a file is not in its box.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print the orders and events of each case.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Run test cases of the rules: a position, orders and dice, and what is expected."""
    from pbem.game.boxes.box_file import BrokenBox

    verdicts: list[CaseVerdict] = []
    homeless: list[Case] = []
    unread: list[Exception] = []
    for file in files:
        try:
            verdicts += _verdicts(file, rules, rules_dir, homeless)
        except (BrokenBox, OSError) as broken:
            unread.append(broken)
    if verdicts or not (homeless or unread):
        _print_verdicts(verdicts, verbose, json)
    for earlier in unread[:-1]:
        print(earlier, file=sys.stderr)
    if unread:
        raise unread[-1]
    if homeless:
        misuse(f"{homeless[0].where()} say which game it is for: `game:` in the case, or --rules")
    if not all(verdict.passed for verdict in verdicts):
        sys.exit(FAULTS)


def _verdicts(file: Path, rules: str | None, boxes: Boxes, homeless: list[Case]) -> Iterator[CaseVerdict]:
    """Yield the verdicts on the cases in a file; a case of which nobody knows the game is homeless."""
    from pbem.engine.cases import game_of_case, read_cases, run_case

    lies = game_of_case(file)
    for each in read_cases(file):
        game = rules or each.told.get("game") or (lies[0] if lies else None)
        if game is None and not each.flaws:
            homeless.append(each)
            continue
        folders = [*(boxes or ()), *([lies[1]] if lies and lies[0] == game else [])]
        yield run_case(each, str(game), folders)


def _print_verdicts(verdicts: list[CaseVerdict], verbose: bool, json: bool) -> None:
    """Print the verdicts, each difference with its place; with `verbose` also what happened."""
    if json:
        print_json(
            [
                {"rule": v.case.rule, "name": v.case.name, "passed": v.passed, "differences": v.differences}
                for v in verdicts
            ]
        )
        return
    for verdict in verdicts:
        print(f"{'pass' if verdict.passed else 'FAIL'}  {verdict.case}")
        for difference in verdict.differences:
            print(f"      {difference}")
        for line in verdict.report if verbose else ():
            print(f"        {line.rstrip()}")
    failed = sum(not verdict.passed for verdict in verdicts)
    print(f"{len(verdicts) - failed} passed, {failed} failed")


# ---- The paragraphs of the rulebooks and how many test cases cite each: `pbem coverage`


def print_coverage(
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`.")],
    missing: Annotated[bool, typer.Option("--missing", help="Only the paragraphs that no test case cites.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """List the paragraphs of the rulebooks and how many test cases cite each."""
    from pbem.engine.cases.coverage import coverage_of
    from pbem.game.boxes.box import open_box

    found = coverage_of(open_box(game, rules_dir or ()))
    if json:
        print_json(
            {
                "paragraphs": [
                    {"source": one.source, "id": one.id, "title": one.title, "rulings": one.rulings}
                    | ({"no_rule": one.no_rule} if one.no_rule else {})
                    for one in found.paragraphs
                ],
                "uncited": found.uncited,
                "unknown": list(found.unknown),
                "twice": list(found.twice),
            }
        )
    else:
        _print_paragraphs(found, missing)
    if found.uncited or found.unknown or found.twice:
        sys.exit(WORLD)


def _print_paragraphs(found: Coverage, missing: bool) -> None:
    """Print a table for each rulebook, and what is missing."""
    shown = [one for one in found.paragraphs if one.uncited or not missing]
    for source, paragraphs in groupby(shown, lambda one: one.source):
        print(f"{source}\n")
        for one in paragraphs:
            print(_paragraph_line(one))
        print()
    free = sum(one.no_rule is not None and not one.rulings for one in found.paragraphs)
    cited = sum(one.rulings > 0 for one in found.paragraphs)
    print(f"{len(found.paragraphs)} paragraphs: {cited} cited, {free} without a rule, {len(found.uncited)} uncited.")
    for citation in found.unknown:
        print(f"{citation} is not a paragraph")
    for id in found.twice:
        print(f"{id} stands for several paragraphs; give one of the books a prefix")


def _paragraph_line(one: CitedParagraph) -> str:
    """Return a paragraph with its count; a dash where none is needed."""
    count = "-" if one.no_rule and not one.rulings else str(one.rulings)
    mark = "  <- no case" if one.uncited else f" (no rule: {one.no_rule})" if one.no_rule else ""
    return f"{count:>4}  {one.id:26}{one.title}{mark}"


# ---- A box that an owner of the printed game corrects: `pbem box`


@box.command("new")
def write_box_forms(
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the forms go, in a folder of the game's id.")],
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Write the files of a game that are reconstructed as forms, for an owner of the printed game to correct."""
    from pbem.game.boxes.box import open_box
    from pbem.game.boxes.printed import files_for_owner, form_for_owner

    opened = open_box(game, rules_dir or ())
    files = files_for_owner(opened)
    if not files:
        misuse(f"{opened.title} does not say what of it is reconstructed; `pbem rules {game}` has notes on its sources")
    paths = [folder / game / f"{file}.yaml" for file in files]
    for path in paths:
        if path.exists():
            misuse(f"{path} is there already; nothing was written")
    for file, path in zip(files, paths, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(form_for_owner(opened, file), encoding="utf-8")
    if json:
        print_json({"game": game, "files": [str(path) for path in paths]})
        return
    for path in paths:
        print(path)
    print(f"Correct them, then: pbem box check {folder}")


@box.command("check")
def check_box_files(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder with a folder of corrected files for a game.")
    ],
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Check corrected files of games: their shape, what they refer to, and what the sources demand."""
    from pbem.game.boxes.box import boxes

    ids = [id for id in boxes(rules_dir or ()) if (folder / id).is_dir()]
    if not ids:
        misuse(f"{folder} has no folder that is called as a game on the shelf is")
    results = {id: _check_corrected(id, folder, rules_dir or ()) for id in ids}
    if json:
        print_json({id: {"flaws": list(map(str, flaws)), "printed": said} for id, (flaws, said) in results.items()})
    else:
        for id, (flaws, said) in results.items():
            for flaw in flaws:
                print(flaw)
            if not flaws:
                print(f"{id}: {', '.join(filter(None, ('in order', said)))}")
    if any(flaws for flaws, _ in results.values()):
        sys.exit(FAULTS)


def _check_corrected(id: str, folder: Path, others: Sequence[Path]) -> tuple[Sequence[Flaw], str]:
    """Return the flaws of the corrected files of a game, and how much of it is as printed with them."""
    from pbem.game.boxes import shelf
    from pbem.game.boxes.box import open_box
    from pbem.game.boxes.box_file import BrokenBox
    from pbem.game.boxes.printed import as_printed, contradictions

    folders = (folder, *others)
    try:
        corrected = open_box(id, folders)
        shelf.check(corrected, folders)
    except BrokenBox as broken:
        return broken.flaws, ""
    said = as_printed(shelf.load(id, folders=folders).rules, corrected)
    return sorted(contradictions(corrected, open_box(id, others))), said
