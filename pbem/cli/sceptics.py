"""The verbs for sceptics: the log of a game and its dice, proofs, and the settling of disputes."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pbem.cli.runtime import (
    FAULTS,
    NOT_PROVEN,
    USUAL,
    WORLD,
    Boxes,
    NameOrClone,
    Shared,
    Viewer,
    judge,
    listed_adjudications,
    misuse,
    print_json,
    progress,
    read_input,
    require_side,
)
from pbem.paths import keys_folder

if TYPE_CHECKING:
    from pbem.audit.explain.replay import Replayed
    from pbem.audit.explain.what_if import WhatIf
    from pbem.audit.record.findings import Checked, Divergence
    from pbem.audit.verify import Verdict
    from pbem.game.boxes.box import Box
    from pbem.referee.game.open_game import OpenGame
    from pbem.repo.public import Page, Published

_WIDTH: Final = 72
_MOST_FAULTS: Final = 5
"""The most faults of a game that are printed; --json lists all."""
_MOST_DIFFERENCES: Final = 20
"""The most differences that are printed without --verbose."""
_FOR_YOU: Final = (
    "The letters convince you, whose mailbox it is. They prove nothing to others: the referee does not sign letters."
)
_UNCHECKED: Final = {"digests": "not checked"}
"""The key by which --json says that nothing was verified."""
_NOT_CHECKED: Final = "The digests were not checked. `pbem verify` checks them and every die."


@contextmanager
def _to_read(name: str, shared: Shared, side: str | None = None) -> Iterator[OpenGame]:
    """Open a game, or a clone of one, only to read it."""

    from pbem.referee.opening import open_to_read

    with open_to_read(shared.folder, keys_folder(), name, folders=shared.boxes) as game:
        if side is not None:
            require_side(game, side)
        yield game


# ---- What was published: `pbem log`


def print_log(
    name: NameOrClone,
    first: Annotated[int, typer.Option("--from", min=1, help="The first adjudication to print.")] = 1,
    last: Annotated[int | None, typer.Option("--to", min=1, help="The last adjudication.")] = None,
    dice: Annotated[bool, typer.Option("--dice", help="Print every roll, and whether the dice look fair.")] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="The dice as a CSV file: two tables; - for standard output.")
    ] = None,
    png: Annotated[Path | None, typer.Option("--png", help="The dice as a picture.")] = None,
    shared: Shared = USUAL,
) -> None:
    """Print the published turn files (orders, rolls, events), or their dice. No key is needed."""
    from pbem.game import yaml as yamlio
    from pbem.repo.public import published, repo_of

    told = published(repo_of(shared.folder, name))
    turns = told.turns[first - 1 : last]
    if dice or csv is not None or png is not None:
        _print_dice(told, turns, csv, png, shared.boxes, shared.json)
    elif shared.json:
        print_json({"game": told.charter.whole, "turns": [turn.whole for turn in turns], **_UNCHECKED})
    else:
        marks = _undone_marks(told)
        texts = (marks.get(turn.value["adjudication"], "") + yamlio.dump(dict(turn.value)) for turn in turns)
        print(f"# {_NOT_CHECKED}\n" + "---\n".join(texts), end="")


def _undone_marks(told: Published) -> dict[int, str]:
    """Return the lines above the turn files that were undone later."""
    return {
        n: f"# UNDONE, by adjudication {turn.value['adjudication']}\n"
        for turn in told.turns
        for n in turn.value.get("act", {}).get("undone", ())
    }


def _print_dice(
    told: Published, turns: Sequence[Page], csv: Path | None, png: Path | None, boxes: Boxes, json: bool
) -> None:
    """Print the dice of some turns, or write them to files and print their names."""
    from pbem.audit.explain.dice_log import (
        WIDTH,
        as_chart,
        as_csv,
        count_row,
        counts_of,
        dice_as_text,
        roll_row,
        rolls_of,
        undone_in,
    )
    from pbem.render.text.messages import sentences
    from pbem.render.text.text_lines import folded

    charter: Mapping[str, Any] = told.charter.value
    box = _box_here(charter["rules"], boxes)
    say = None if box is None else sentences(box)
    undone = undone_in(turn.value for turn in told.turns)
    purposes = box.messages().get("rolls", ()) if box else ()
    rolls = rolls_of((turn.value for turn in turns), purposes, undone)
    counts = counts_of(rolls, list(charter["players"]) if box else ())
    game = str(charter["game"])
    table = f"{as_csv(rolls, counts)}\n{_NOT_CHECKED}\n".lstrip("\n")
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
            {"rolls": [roll_row(each) for each in rolls], "counts": [count_row(each) for each in counts], **_UNCHECKED}
        )
    elif csv is None and png is None:
        print("\n".join([dice_as_text(game, rolls, counts, say), *folded(_NOT_CHECKED, WIDTH)]))


def _box_here(rules: str, boxes: Boxes) -> Box | None:
    """Return the box of a game; None: it is not here, and ids are printed instead of names."""
    from pbem.game.boxes.box import NotInTheBox, open_box

    try:
        return open_box(rules, boxes or ())
    except NotInTheBox:
        return None


# ---- A game checked: `pbem verify`


def verify_game(
    game: NameOrClone,
    after_reveal: Annotated[
        bool, typer.Option("--after-reveal", help="Also check what is sealed; the game must have revealed its secrets.")
    ] = False,
    with_key: Annotated[
        bool, typer.Option("--with-key", help="Also check what is sealed, with the secrets in the key store.")
    ] = False,
    letters: Annotated[
        list[Path] | None,
        typer.Option(
            "--letters",
            help="Also compare letters that a player got and sent: a maildir, an mbox file, a folder of .eml files, or "
            "one of them.",
        ),
    ] = None,
    shared: Shared = USUAL,
) -> None:
    """Check every die, digest and signature of a game, without trusting anybody. No key is needed.

    The first line says: proven, broken, or not proven, where something that should be checked was not.
    """
    from pbem.audit.record.findings import Word
    from pbem.audit.verify import verify
    from pbem.crypto.keys import Keys
    from pbem.mail.archive_reader import read_mailbox
    from pbem.repo.files.charter import OtherFormat
    from pbem.repo.public import repo_of

    path = repo_of(shared.folder, game)
    keys = (lambda name: Keys.load(keys_folder(), name)) if with_key else None
    kept = [letter for mailbox in letters for letter in read_mailbox(mailbox)] if letters else None
    try:
        with progress("commits made again") as far:
            verdict = verify(path, keys=keys, folders=shared.boxes, letters=kept, progress=far)
    except OtherFormat as other:
        said = {"verdict": Word.NOT_PROVEN, "why": str(other)}
        print_json(said) if shared.json else print(f"{Word.NOT_PROVEN}: {other}")
        sys.exit(NOT_PROVEN)
    compared, wrong = verdict.compared, verdict.findings.sorted
    if after_reveal and not verdict.opened and not wrong:
        print(f"pbem: {verdict.game} has not revealed its secrets; they are published when it is over", file=sys.stderr)
        sys.exit(WORLD)
    if shared.json:
        print_json(
            _verdict_row(verdict) if compared is None else {**_verdict_row(verdict), "letters": compared._asdict()}
        )
    else:
        _print_verdict(verdict)
        if compared is not None:
            print(_FOR_YOU)
    if code := {Word.BROKEN: FAULTS, Word.NOT_PROVEN: NOT_PROVEN}.get(verdict.findings.word):
        sys.exit(code)


def _print_verdict(verdict: Verdict) -> None:
    findings, wrong = verdict.findings, verdict.findings.sorted
    print(f"{verdict.game}: {findings.word}, {verdict.adjudications} adjudications, commit {verdict.head or 'unknown'}")
    width = max((len(each.subject) for each in findings.checked), default=0)
    for each in findings.checked:
        print(f"  {_verdict_mark(each):<7} {each.subject:<{width}}  {each.text}")
    if verdict.tip:
        print(f"The tip of the dice is {verdict.tip};")
        print(f"signed by {verdict.signed_by}.")
        print("Compare the tip with your first letter: a game that was made again would have another.")
    if wrong:
        print(f"{len(wrong)} {'fault was' if len(wrong) == 1 else 'faults were'} found. The first:")
    for divergence in wrong[:_MOST_FAULTS]:
        print(f"  {divergence}")
    if len(wrong) > _MOST_FAULTS:
        print(f"  ... and {len(wrong) - _MOST_FAULTS} more, which --json lists")
    if findings.open:
        print("Nobody checked what is marked with ?, so nobody knows whether it is right.")
    elif not wrong:
        print("All that can be checked at this level was checked, and all of it is right.")


def _verdict_mark(each: Checked) -> str:
    """Return the mark of a line: `?` should have been checked and was not, `-` is not part of this level."""
    marks = {"not checked": "?", "not part of this level": "-"}
    return f"{each.wrong} WRONG" if each.wrong else marks.get(each.looked, "ok")


def _verdict_row(verdict: Verdict) -> dict[str, Any]:
    return {
        "game": verdict.game,
        "verdict": verdict.findings.word,
        "adjudications": verdict.adjudications,
        "commit": verdict.head,
        "tip": verdict.tip,
        "signed_by": verdict.signed_by,
        "opened": verdict.opened,
        "checked": [
            {"subject": each.subject, "text": each.text, "looked": each.looked, "wrong": each.wrong}
            for each in verdict.findings.checked
        ],
        "divergences": [_divergence_row(each) for each in verdict.findings.sorted],
    }


def _divergence_row(each: Divergence) -> dict[str, Any]:
    place = each.place
    words = {"turn": place.turn, place.kind: place.roll, "name": place.name, "file": place.file, "commit": place.commit}
    return {**{word: said for word, said in words.items() if said is not None}, "at": str(place), "reason": each.reason}


# ---- A game played again: `pbem replay`


def replay_game(
    name: NameOrClone,
    first: Annotated[
        int, typer.Option("--from", min=1, help="Begin at the last checkpoint before this adjudication.")
    ] = 1,
    last: Annotated[int | None, typer.Option("--to", min=1, help="The last adjudication.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print a line for every adjudication.")] = False,
    shared: Shared = USUAL,
) -> None:
    """Play all recorded answers again with the rules that are here, and compare everything."""
    from pbem.audit.explain.replay import replay_turns

    with _to_read(name, shared) as game:
        turns = []
        for turn in replay_turns(game, first, last):
            turns.append(turn)
            if verbose and not shared.json:
                print(_turn_line(turn))
        found = [each for turn in turns for each in turn.differences]
        if shared.json:
            print_json([{"adjudication": each.adjudication, "difference": each.text} for each in found])
        else:
            for each in found[: None if verbose else _MOST_DIFFERENCES]:
                print(each)
            for line in _summary(game, turns, len(found), verbose):
                print(line)
    if found or not turns:
        sys.exit(FAULTS if found else NOT_PROVEN)


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
        yield f"{game.name}: not proven, for there was nothing to play again."
        return
    span = f"{game.name}: {len(turns)} adjudications ({turns[0].n} to {turns[-1].n}) played again"
    if not found:
        yield f"{span}; every roll, event and position is as recorded."
        return
    if found > _MOST_DIFFERENCES and not verbose:
        yield f"... and {found - _MOST_DIFFERENCES} more differences; --verbose lists them all."
    yield f"{span}; these differ: {listed_adjudications([turn.n for turn in turns if turn.differences])}."
    if lost := [turn.n for turn in turns if not turn.played]:
        yield f"Not played again, because a decision before them has changed: {listed_adjudications(lost)}."
    if (odd := game.differs) is not None:
        yield f"The rules here are not those that {game.name} is played with: the {odd} differs."


# ---- Another course of a turn: `pbem what-if`


def ask_what_if(
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
    shared: Shared = USUAL,
) -> None:
    """Play a turn with other orders or dice in a scratch repo, and show what would have happened."""
    from pbem.audit.explain.what_if import Otherwise, what_if

    if keep is not None and keep.exists():
        misuse(f"{keep} exists already; --keep needs a new folder")
    faces = {word: _faces_given(entry, text) for entry in dice or [] for word, text in [_halves("--dice", entry)]}
    with _to_read(name, shared, side) as game, tempfile.TemporaryDirectory() as scratch:
        sheets = {}
        for entry in sheet or []:
            whose, file = _halves("--sheet", entry)
            if whose not in game.rules.sides:
                misuse(f"--sheet {entry}: {game.name} has no side {whose}; its sides are {', '.join(game.rules.sides)}")
            sheets[whose] = (file, read_input(Path(file)))
        found = what_if(game, turn, keep or Path(scratch) / "branch", Otherwise(sheets, faces), side)
        for receipt in found.refused:
            judge(receipt, shared.json, "")
        if shared.json:
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


def _faces_given(entry: str, text: str) -> list[int]:
    words = text.replace(",", " ").split()
    if not words or not all(word.isdecimal() for word in words):
        misuse(f"--dice {entry}: faces are whole numbers, such as {entry.partition('=')[0]}=3,5")
    return [int(word) for word in words]


def _branched(game: OpenGame, found: WhatIf) -> Iterator[str]:
    """Yield the differences of a branch."""
    from pbem.render.text.text_lines import folded

    made = f"turn {listed_adjudications(found.now)}" if found.now else "no turn"
    yield from folded(
        f"{game.name}, branched before turn {found.n}: {made}, where {listed_adjudications(found.then)} is on record. "
        "Lines with - show what happened, those with + what would have happened.",
        _WIDTH,
    )
    for heading, lines in found.sections.items():
        yield ""
        yield heading.upper()
        for line in lines:
            yield from folded(line, _WIDTH, later="    ")
    if not found.sections:
        yield "Nothing would have been different."
    for remark in found.remarks:
        yield ""
        yield from folded(remark, _WIDTH)


# ---- How a turn came about: `pbem explain`


def explain_turn(
    name: NameOrClone,
    turn: Annotated[int, typer.Argument(help="The adjudication.")],
    roll: Annotated[int | None, typer.Argument(help="The roll in it: 2 for die 14.2.")] = None,
    side: Viewer = None,
    shared: Shared = USUAL,
) -> None:
    """Show how a turn or a roll came about: orders, decisions, rules, modifiers and numbers."""
    from pbem.audit.explain.explain import Explained

    with _to_read(name, shared, side) as game:
        explained = Explained(game, turn, side)
        lines = list(explained.turn() if roll is None else explained.roll(roll))
        if shared.json:
            print_json({"game": game.name, "adjudication": turn, "roll": roll, "side": side, "text": "\n".join(lines)})
            return
        for line in lines:
            print(line)
