"""`pbem verify` and `pbem log`: what was checked in a game, its turn files and its dice."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from pbem.cli.runtime import FAULTS, WORLD, Boxes, print_json
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.audit.letters.mailbox_check import Compared
    from pbem.audit.record.findings import Checked, Divergence
    from pbem.audit.verify import Verdict
    from pbem.game.boxes.box import Box
    from pbem.render.text.receipt import KeptLetter
    from pbem.repo.public import Page, Published


# ---- The progress line: how far a long command has come, on a terminal, until the command ends


FROM: Final = 1.0
"""The seconds after which the line is shown: a short command has none."""
EVERY: Final = 0.1


class ProgressLine:
    """One line on standard error that is written over and over, and erased at the end.

    Nothing is shown unless standard error is a terminal.
    """

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._next = monotonic() + FROM if self._stream.isatty() else float("inf")
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Show that so many are done."""
        if (now := monotonic()) < self._next:
            return
        self._next = now + EVERY
        text = f"{self._what}: {done:,} of {total:,}"
        self._write(text.ljust(self._width))
        self._width = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._width:
            self._write(" " * self._width)
            self._write("")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text}")
        self._stream.flush()


# ---- `pbem verify`: what was checked in a game, and the first faults


_MOST_TOLD: Final = 5
_FOR_YOU: Final = (
    "The letters convince you, whose mailbox it is. They prove nothing to others: the referee does not sign letters."
)


def verify(
    name: str,
    after_reveal: bool,
    with_key: bool,
    mailboxes: Sequence[Path],
    games: Path | None,
    boxes: Boxes,
    json: bool,
) -> None:
    """Verify a game, with the letters in some mailboxes as witnesses, and print the verdict; exit code 3 for faults."""
    from pbem.audit.record.access import repo_of
    from pbem.audit.verify import verify as verify_repo
    from pbem.crypto.keys import Keys

    path = repo_of(games or games_folder(), name)
    keys = (lambda game: Keys.load(keys_folder(), game)) if with_key else None
    letters = _letters(mailboxes)
    with ProgressLine("commits made again") as progress:
        verdict = verify_repo(path, keys=keys, folders=boxes or (), progress=progress)
    compared = _compare(path, verdict, letters) if mailboxes else None
    wrong = verdict.findings.sorted
    if after_reveal and not verdict.opened and not wrong:
        print(f"pbem: {verdict.game} has not revealed its secrets; they are published when it is over", file=sys.stderr)
        sys.exit(WORLD)
    if json:
        print_json(_plain(verdict) if compared is None else {**_plain(verdict), "letters": compared._asdict()})
    else:
        _print(verdict)
        if compared is not None:
            print(_FOR_YOU)
    if wrong:
        sys.exit(FAULTS)


def _letters(mailboxes: Sequence[Path]) -> list[KeptLetter]:
    """Return the letters in some mailboxes. Raises OSError if one is not there."""
    from pbem.mail.mailbox import read_mailbox

    return [letter for mailbox in mailboxes for letter in read_mailbox(mailbox)]


def _compare(path: Path, verdict: Verdict, letters: Sequence[KeptLetter]) -> Compared:
    """Compare letters with the game; what is wrong is put with the findings of its verification."""
    from pbem.audit.letters.mailbox_check import compare_letters

    return compare_letters(path, verdict.game, verdict.tip, letters, verdict.findings, verdict.talk)


def _print(verdict: Verdict) -> None:
    wrong = verdict.findings.sorted
    print(f"{verdict.game}: {verdict.adjudications} adjudications, verified at commit {verdict.head or 'unknown'}")
    width = max((len(each.subject) for each in verdict.findings.checked), default=0)
    for each in verdict.findings.checked:
        print(f"  {_mark(each):<7} {each.subject:<{width}}  {each.text}")
    if verdict.tip:
        print(f"The tip of the dice is {verdict.tip};")
        print(f"signed by {verdict.signed_by}.")
        print("Compare the tip with your first letter: a game that was made again would have another.")
    if not wrong:
        print("No faults were found.")
        return
    print(f"{len(wrong)} {'fault was' if len(wrong) == 1 else 'faults were'} found. The first:")
    for divergence in wrong[:_MOST_TOLD]:
        print(f"  {divergence}")
    if len(wrong) > _MOST_TOLD:
        print(f"  ... and {len(wrong) - _MOST_TOLD} more, which --json lists")


def _mark(each: Checked) -> str:
    if each.wrong is None:
        return "-"
    return f"{each.wrong} WRONG" if each.wrong else "ok"


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {
        "game": verdict.game,
        "adjudications": verdict.adjudications,
        "commit": verdict.head,
        "tip": verdict.tip,
        "signed_by": verdict.signed_by,
        "opened": verdict.opened,
        "checked": [
            {"subject": each.subject, "text": each.text, "wrong": each.wrong} for each in verdict.findings.checked
        ],
        "divergences": [_plain_divergence(each) for each in verdict.findings.sorted],
    }


def _plain_divergence(each: Divergence) -> dict[str, Any]:
    place = each.place
    words = {"turn": place.turn, place.kind: place.roll, "name": place.name, "file": place.file, "commit": place.commit}
    return {**{word: said for word, said in words.items() if said is not None}, "at": str(place), "reason": each.reason}


# ---- `pbem log`: the turn files that a game has published, and their dice


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
    from pbem.audit.record.access import repo_of
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
    from pbem.audit.explain.dice_log import (
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
    from pbem.render.text.messages import sentences
    from pbem.render.text.text_lines import folded

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
    from pbem.game.boxes.box import NotInTheBox, open_box

    try:
        return open_box(rules, boxes or ())
    except NotInTheBox:
        return None
