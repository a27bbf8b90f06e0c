"""`pbem coverage`: the paragraphs of the rulebooks and how many test cases cite each."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING

from pbem.cli.runtime import WORLD, Boxes, print_json

if TYPE_CHECKING:
    from pbem.engine.cases.coverage import Coverage, Paragraph


def coverage(game: str, missing: bool, boxes: Boxes, json: bool) -> None:
    """Print the paragraphs of a game; exit code 1 if a citation or a number is amiss."""
    from pbem.engine.cases.coverage import coverage as count_citations
    from pbem.game.box import open_box

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
        _print(found, missing)
    if found.uncited or found.unknown or found.twice:
        sys.exit(WORLD)


def _print(found: Coverage, missing: bool) -> None:
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


def _line(one: Paragraph) -> str:
    """Return a paragraph with its count; a dash where none is needed."""
    count = "-" if one.no_rule and not one.rulings else str(one.rulings)
    mark = "  <- no case" if one.uncited else f" (no rule: {one.no_rule})" if one.no_rule else ""
    return f"{count:>4}  {one.id:26}{one.title}{mark}"
