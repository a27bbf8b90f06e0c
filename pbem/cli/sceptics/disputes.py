"""The verbs that settle disputes: replay, explain, what-if; and `pbem migrate`, for changed rules."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pbem.cli.options import WHY, Correct, Games, Json, NameOrClone, RulesDir, Viewer
from pbem.cli.runtime import FAULTS, WORLD, in_the_world, judge, misuse, opened_to_change, print_json, read, tell_all
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.audit.explain.migrate import Move
    from pbem.audit.explain.replay import Replayed
    from pbem.audit.explain.what_if import WhatIf
    from pbem.cli.runtime import Boxes
    from pbem.referee.game.open_game import OpenGame
    from pbem.referee.play.adjudicator import Adjudicator


WIDTH: Final = 72
MOST_TOLD: Final = 20
"""The most differences that are printed without --verbose."""


@contextmanager
def _to_read(name: str, games: Path | None, boxes: Boxes, side: str | None = None) -> Iterator[OpenGame]:
    """Open a game, or a clone of one, only to read it."""
    from pbem.audit.record.access import open_to_read

    with open_to_read(games or games_folder(), keys_folder(), name, folders=boxes or ()) as game:
        if side is not None and side not in game.rules.sides:
            misuse(f"{game.name} has no side {side}; its sides are {', '.join(game.rules.sides)}")
        yield game


# ---- replay


def replay(
    name: NameOrClone,
    first: Annotated[
        int, typer.Option("--from", min=1, help="Begin at the last checkpoint before this adjudication.")
    ] = 1,
    last: Annotated[int | None, typer.Option("--to", min=1, help="The last adjudication.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print a line for every adjudication.")] = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Play all recorded answers again with the rules that are here, and compare everything."""
    from pbem.audit.explain.replay import replay_turns

    with _to_read(name, games, rules_dir) as game:
        turns = []
        for turn in replay_turns(game, first, last):
            turns.append(turn)
            if verbose and not json:
                print(_turn_line(turn))
        found = [each for turn in turns for each in turn.differences]
        if json:
            print_json([{"adjudication": each.adjudication, "difference": each.text} for each in found])
        else:
            for each in found[: None if verbose else MOST_TOLD]:
                print(each)
            for line in _summary(game, turns, len(found), verbose):
                print(line)
    if found:
        sys.exit(FAULTS)


def _turn_line(turn: Replayed) -> str:
    what = f"{turn.act}, " if turn.act else ""
    counts = ((turn.answers, "answer"), (turn.rolls, "roll"), (turn.events, "event"))
    counted = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts)
    verdict = "differs" if turn.differences else "as recorded"
    if not turn.played:
        return f"turn {turn.n}: {what}not played again, because a decision before it has changed"
    return f"turn {turn.n}: {what}{counted}{', checkpoint' if turn.rests else ''}: {verdict}"


def _summary(game: OpenGame, turns: Sequence[Replayed], found: int, verbose: bool) -> Iterator[str]:
    if not turns:
        yield f"{game.name}: nothing to play again."
        return
    span = f"{game.name}: {len(turns)} adjudications ({turns[0].n} to {turns[-1].n}) played again"
    if not found:
        yield f"{span}; every roll, event and position is as recorded."
        return
    if found > MOST_TOLD and not verbose:
        yield f"... and {found - MOST_TOLD} more differences; --verbose lists them all."
    yield f"{span}; these differ: {_listed([turn.n for turn in turns if turn.differences])}."
    if lost := [turn.n for turn in turns if not turn.played]:
        yield f"Not played again, because a decision before them has changed: {_listed(lost)}."
    if (odd := game.differs) is not None:
        yield f"The rules here are not those that {game.name} is played with: the {odd} differs."


def _listed(numbers: Sequence[int]) -> str:
    from pbem.referee.acts.preconditions import spans

    return ", ".join(spans(numbers))


# ---- migrate


def migrate(
    name: Annotated[str | None, typer.Argument(help="The game's name; or --all.")] = None,
    reason: Annotated[str, typer.Option("--reason", help=WHY)] = "",
    accept: Annotated[
        bool, typer.Option("--accept", help="Move it even if its state would differ by the rules here.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Every game in the folder of the games.")] = False,
    correct: Correct = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Move a game to the rules that are here, if its state stays the same; otherwise only with --accept."""
    if (name is None) != every:
        misuse("name a game, or write --all")
    if correct and every:
        misuse("--correct is for one game, whose repo keeps the files")
    names = [name] if name is not None else _all_games(games or games_folder())
    rows, failed = [], False
    for each in names:
        try:
            with in_the_world(), opened_to_change(each, games, rules_dir, correct or ()) as game:
                rows.append(_moved(game, reason, accept, games, rules_dir, json, every))
        except SystemExit:  # the fault of one game has been printed, and must not stop the others
            if not every:
                raise
            failed = True
    if json:
        print_json(rows if every else rows[0])
    if failed or any(row["refused"] for row in rows):
        sys.exit(WORLD if failed else FAULTS)


def _all_games(folder: Path) -> list[str]:
    return sorted(path.name.removesuffix(".git") for path in folder.glob("*.git") if (path / "HEAD").is_file())


def _moved(
    game: Adjudicator, reason: str, accept: bool, games: Path | None, boxes: Boxes, json: bool, every: bool
) -> dict[str, Any]:
    """Move one game, print the result, and return it for --json."""
    from pbem.audit.explain.migrate import migrate as move_game

    if every and (game.result is not None or not game.begun):
        return {"game": game.name, "moved": None, "changed": [], "refused": []}
    move, number = move_game(game, reason, accept=accept)
    refused = [] if number is not None or move.odd is None else [str(d) for t in move.elsewhere for d in t.differences]
    numbers = [] if number is None else [number, *game.adjudicate()]
    letters = tell_all(game, numbers, games, boxes)
    if not json:
        for line in _said(game, move, number, refused):
            print(line)
        for path in letters:
            print(f"Letter: {path}")
    return {"game": game.name, "moved": number, "changed": move.changed, "refused": refused, "letters": letters}


def _said(game: Adjudicator, move: Move, number: int | None, refused: Sequence[str]) -> Iterator[str]:
    """Yield the result of moving a game."""
    if move.odd is None:
        yield f"{game.name} is played with the rules that are here; there is nothing to move."
        return
    if number is None:
        yield f"{game.name} is not moved: by the rules here its state would differ. Nothing was changed."
        yield from (f"  {line}" for line in refused[:MOST_TOLD])
        if len(refused) > MOST_TOLD:
            yield f"  ... and {len(refused) - MOST_TOLD} more; `pbem replay {game.name} --verbose` lists them all."
        yield "With --accept and a --reason, it goes on from the recorded checkpoint."
        yield "Decisions since then that have changed are asked again."
        return
    yield f"{game.name} is moved to the rules here, by adjudication {number} (the {move.odd} differed)."
    if not move.changed:
        yield "Played again, every turn has the same result."
        return
    yield f"Played again, these turns would differ: {_listed(move.changed)}; what happened in them stands."
    for turn in move.turns:
        yield from (f"  {each}" for each in turn.differences[:1])


# ---- what-if


def what_if(
    name: NameOrClone,
    turn: Annotated[int, typer.Option("--turn", help="The adjudication to replace.")],
    sheet: Annotated[
        list[str] | None, typer.Option("--sheet", metavar="SIDE=FILE", help="Another sheet of a side.")
    ] = None,
    dice: Annotated[
        list[str] | None, typer.Option("--dice", metavar="NAME=FACES", help="Other dice: battle/capua/retreat=5")
    ] = None,
    side: Viewer = None,
    keep: Annotated[Path | None, typer.Option("--keep", help="A new folder for the repo of the branch.")] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Play a turn with other orders or dice in a scratch repo, and show what would have happened."""
    from pbem.audit.explain.what_if import what_if as ask

    if keep is not None and keep.exists():
        misuse(f"{keep} exists already; --keep needs a new folder")
    faces = {word: _faces(entry, text) for entry in dice or [] for word, text in [_halves("--dice", entry)]}
    with _to_read(name, games, rules_dir, side) as game, tempfile.TemporaryDirectory() as scratch:
        sheets = {}
        for entry in sheet or []:
            whose, file = _halves("--sheet", entry)
            if whose not in game.rules.sides:
                misuse(f"--sheet {entry}: {game.name} has no side {whose}; its sides are {', '.join(game.rules.sides)}")
            sheets[whose] = (file, read(Path(file)))
        found = ask(game, turn, keep or Path(scratch) / "branch", sheets=sheets, dice=faces, viewer=side)
        for receipt in found.refused:
            judge(receipt, json, "")
        if json:
            print_json({"turn": turn, "then": found.then, "now": found.now, **found.sections, "remarks": found.remarks})
            return
        for line in _branched(game, found):
            print(line)
        if keep is not None:
            print(f"The repo of the branch: {keep / (game.name + '.git')}. It can be read with git, but not played.")


def _halves(option: str, entry: str) -> tuple[str, str]:
    before, found, after = entry.partition("=")
    if not (found and before and after):
        misuse(f"{option} {entry}: write {'side=FILE' if option == '--sheet' else 'name=3 or name=3,5'}")
    return before, after


def _faces(entry: str, text: str) -> list[int]:
    words = text.replace(",", " ").split()
    if not words or not all(word.isdecimal() for word in words):
        misuse(f"--dice {entry}: faces are whole numbers, such as {entry.partition('=')[0]}=3,5")
    return [int(word) for word in words]


def _branched(game: OpenGame, found: WhatIf) -> Iterator[str]:
    """Yield the differences of a branch."""
    from pbem.render.text.text_lines import folded

    made = f"turn {_listed(found.now)}" if found.now else "no turn"
    yield from folded(
        f"{game.name}, branched before turn {found.n}: {made}, where {_listed(found.then)} is on record. Lines with - "
        f"show what happened, those with + what would have happened.",
        WIDTH,
    )
    for heading, lines in found.sections.items():
        yield ""
        yield heading.upper()
        for line in lines:
            yield from folded(line, WIDTH, later="    ")
    if not found.sections:
        yield "Nothing would have been different."
    for remark in found.remarks:
        yield ""
        yield from folded(remark, WIDTH)


# ---- explain


def explain(
    name: NameOrClone,
    turn: Annotated[int, typer.Argument(help="The adjudication.")],
    roll: Annotated[int | None, typer.Argument(help="The roll in it: 2 for die 14.2.")] = None,
    side: Viewer = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Show how a turn or a roll came about: orders, decisions, rules, modifiers and numbers."""
    from pbem.audit.explain.explain import Explained

    with _to_read(name, games, rules_dir, side) as game:
        explained = Explained(game, turn, side)
        lines = list(explained.turn() if roll is None else explained.roll(roll))
        if json:
            print_json({"game": game.name, "adjudication": turn, "roll": roll, "side": side, "text": "\n".join(lines)})
            return
        for line in lines:
            print(line)
