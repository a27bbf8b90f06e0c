"""`pbem odds`, `pbem case` and `pbem coverage`: chances, test cases of the rules, and the paragraphs they cite."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pbem.cli.runtime import FAULTS, WORLD, Boxes, misuse, print_json

if TYPE_CHECKING:
    from pbem.engine.cases import Case, CaseVerdict
    from pbem.engine.cases.coverage import CitedParagraph, Coverage
    from pbem.game.prospects import Number, Odds


# ---- `pbem odds`: odds in a game, computed from its tables or played out with its rules


def odds(
    game: str,
    what: str | None,
    words: Sequence[str],
    games: int,
    seed: str,
    edition: str | None,
    boxes: Boxes,
    json: bool,
) -> None:
    """Print odds of a game, or the questions that it can answer."""
    from pbem.crypto.dice import SeededDice
    from pbem.game.boxes import shelf
    from pbem.game.boxes.box import NotInTheBox
    from pbem.game.table import Table

    try:
        loaded = shelf.load(game, edition=edition, folders=boxes or ())
    except NotInTheBox as wrong:
        misuse(str(wrong))
    asked = loaded.rules.odds
    if what is None or what not in asked:
        _misasked(game, what, asked)
    numbers = _numbers(what, asked[what], words)
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
    rows = [f"  {word}: {one.about}\n{_wanted(one)}" for word, one in asked.items()]
    misuse((f"{game} has no odds of {what}; " if what else "") + "ask for one of\n" + "\n".join(rows))


def _wanted(one: Odds) -> str:
    """Return the numbers that a question needs, one a line."""
    return "\n".join(
        f"    --{_option(name)} {_range(number)}: {number.meaning}" for name, number in one.numbers.items()
    )


def _option(name: str) -> str:
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
            misuse(f"{option} is not an option of the odds of {what}; the options are\n{_wanted(one)}")
        numbers[name] = _number(option, one.numbers[name], left.pop(0) if left else None)
    for name, number in one.numbers.items():
        if name not in numbers and not number.optional:
            misuse(f"--{_option(name)} is missing: {number.meaning}, {_range(number)}")
    return numbers


def _number(option: str, number: Number, text: str | None) -> int:
    try:
        value = int(text or "")
    except ValueError:
        misuse(f"{option} needs a whole number, {_range(number)}")
    if not number.least <= value <= number.most:
        misuse(f"{option} {value}: it must be {_range(number)}")
    return value


# ---- `pbem case`: run test cases of the rules and print what differs from what they expect


def case(files: list[Path], rules: str | None, verbose: bool, boxes: Boxes, json: bool) -> None:
    """Run test cases. A file that cannot be read, or a case without a game, is told after the others have run."""
    from pbem.game.boxes.box_file import BrokenBox

    verdicts: list[CaseVerdict] = []
    homeless: list[Case] = []
    unread: list[Exception] = []
    for file in files:
        try:
            verdicts += _verdicts(file, rules, boxes, homeless)
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


# ---- `pbem coverage`: the paragraphs of the rulebooks and how many test cases cite each


def coverage(game: str, missing: bool, boxes: Boxes, json: bool) -> None:
    """Print the paragraphs of a game; exit code 1 if a citation or a number is amiss."""
    from pbem.engine.cases.coverage import coverage_of as count_citations
    from pbem.game.boxes.box import open_box

    found = count_citations(open_box(game, boxes or ()))
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
        _print_coverage(found, missing)
    if found.uncited or found.unknown or found.twice:
        sys.exit(WORLD)


def _print_coverage(found: Coverage, missing: bool) -> None:
    """Print a table for each rulebook, and what is missing."""
    shown = [one for one in found.paragraphs if one.uncited or not missing]
    for source, paragraphs in groupby(shown, lambda one: one.source):
        print(f"{source}\n")
        for one in paragraphs:
            print(_line(one))
        print()
    free = sum(one.no_rule is not None and not one.rulings for one in found.paragraphs)
    cited = sum(one.rulings > 0 for one in found.paragraphs)
    print(f"{len(found.paragraphs)} paragraphs: {cited} cited, {free} without a rule, {len(found.uncited)} uncited.")
    for citation in found.unknown:
        print(f"{citation} is not a paragraph")
    for id in found.twice:
        print(f"{id} stands for several paragraphs; give one of the books a prefix")


def _line(one: CitedParagraph) -> str:
    """Return a paragraph with its count; a dash where none is needed."""
    count = "-" if one.no_rule and not one.rulings else str(one.rulings)
    mark = "  <- no case" if one.uncited else f" (no rule: {one.no_rule})" if one.no_rule else ""
    return f"{count:>4}  {one.id:26}{one.title}{mark}"
