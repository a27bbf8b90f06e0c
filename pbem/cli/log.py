"""`pbem log`: the turn files that a game has published, and their dice."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pbem.cli.runtime import Boxes, print_json
from pbem.paths import games_folder

if TYPE_CHECKING:
    from pbem.game.box import Box
    from pbem.repo.public import Page, Published

UNCHECKED: Final = {"digests": "not checked"}
"""The key by which --json says that nothing was verified."""
NOT_CHECKED: Final = "The digests were not checked. `pbem verify` checks them and every die."


def log(
    name: str,
    first: int,
    last: int | None,
    dice: bool,
    csv: Path | None,
    png: Path | None,
    games: Path | None,
    boxes: Boxes,
    json: bool,
) -> None:
    """Print the turn files of a game, or statistics of their dice."""
    from pbem.audit.access import repo_of
    from pbem.game import yaml as yamlio
    from pbem.repo.public import published

    told = published(repo_of(games or games_folder(), name))
    turns = told.turns[first - 1 : last]
    if dice or csv is not None or png is not None:
        _dice(told, turns, csv, png, boxes, json)
    elif json:
        print_json({"game": told.charter.whole, "turns": [turn.whole for turn in turns], **UNCHECKED})
    else:
        marks = _marks(told)
        texts = (marks.get(turn.value["adjudication"], "") + yamlio.dump(dict(turn.value)) for turn in turns)
        print(f"# {NOT_CHECKED}\n" + "---\n".join(texts), end="")


def _marks(told: Published) -> dict[int, str]:
    """Return the lines above the turn files that were undone later."""
    return {
        n: f"# UNDONE, by adjudication {turn.value['adjudication']}\n"
        for turn in told.turns
        for n in turn.value.get("act", {}).get("undone", ())
    }


def _dice(told: Published, turns: Sequence[Page], csv: Path | None, png: Path | None, boxes: Boxes, json: bool) -> None:
    """Print the dice of some turns, or write them to files and print their names."""
    from pbem.audit.dice_log import (
        WIDTH,
        as_chart,
        as_csv,
        as_text,
        count_row,
        counts_of,
        roll_row,
        rolls_of,
        undone_in,
    )
    from pbem.render.messages import sentences
    from pbem.render.wrap import folded

    charter: Mapping[str, Any] = told.charter.value
    box = _box(charter["rules"], boxes)
    say = None if box is None else sentences(box)
    undone = undone_in(turn.value for turn in told.turns)
    purposes = box.messages().get("rolls", ()) if box else ()
    rolls = rolls_of((turn.value for turn in turns), purposes, undone)
    counts = counts_of(rolls, list(charter["players"]) if box else ())
    game = str(charter["game"])
    table = f"{as_csv(rolls, counts)}\n{NOT_CHECKED}\n".lstrip("\n")
    if csv is not None and str(csv) != "-":
        csv.write_text(table, "utf-8")
        print(csv)
    if png is not None:
        colours = {side["id"]: side["colour"] for side in box.table("game")["sides"]} if box else {}
        png.write_bytes(as_chart(game, counts, say, colours))
        print(png)
    if str(csv) == "-":
        sys.stdout.write(table)
    elif json:
        print_json(
            {"rolls": [roll_row(each) for each in rolls], "counts": [count_row(each) for each in counts], **UNCHECKED}
        )
    elif csv is None and png is None:
        print("\n".join([as_text(game, rolls, counts, say), *folded(NOT_CHECKED, WIDTH)]))


def _box(rules: str, boxes: Boxes) -> Box | None:
    """Return the box of a game; None: it is not here, and ids are printed instead of names."""
    from pbem.game.box import NotInTheBox, open_box

    try:
        return open_box(rules, boxes or ())
    except NotInTheBox:
        return None
