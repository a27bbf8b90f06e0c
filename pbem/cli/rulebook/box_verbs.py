"""The verbs of an owner of a printed game: `pbem box new` and `box check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.cli.options import Json, RulesDir
from pbem.cli.runtime import FAULTS, misuse, print_json

if TYPE_CHECKING:
    from pbem.game.boxes.box_file import Flaw

box = typer.Typer(
    name="box",
    help="Write forms for the values of a printed game, and check them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_IN_ORDER: Final = "in order"


@box.command()
def new(
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


@box.command()
def check(
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
    results = {id: _checked(id, folder, rules_dir or ()) for id in ids}
    if json:
        print_json({id: {"flaws": list(map(str, flaws)), "printed": said} for id, (flaws, said) in results.items()})
    else:
        for id, (flaws, said) in results.items():
            for flaw in flaws:
                print(flaw)
            if not flaws:
                print(f"{id}: {', '.join(filter(None, (_IN_ORDER, said)))}")
    if any(flaws for flaws, _ in results.values()):
        sys.exit(FAULTS)


def _checked(id: str, folder: Path, others: Sequence[Path]) -> tuple[Sequence[Flaw], str]:
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
