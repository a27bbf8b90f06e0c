"""`pbem verify`: what was checked in a game, and the first faults."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pbem.cli.progress import ProgressLine
from pbem.cli.runtime import FAULTS, WORLD, Boxes, print_json
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.audit.findings import Checked, Divergence
    from pbem.audit.letters import Compared
    from pbem.audit.verify import Verdict
    from pbem.render.receipt import KeptLetter

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
    from pbem.audit.access import repo_of
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
    from pbem.audit.letters import compare_letters

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
