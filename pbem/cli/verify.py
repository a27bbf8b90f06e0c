"""`pbem verify`: what was checked in a game, and the first faults."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pbem.cli.runtime import FAULTS, WORLD, Boxes, print_json
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.audit.findings import Checked, Divergence
    from pbem.audit.verify import Verdict

_MOST_TOLD: Final = 5


def verify(name: str, after_reveal: bool, with_key: bool, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Verify a game and print the verdict; exit code 3 if it has faults."""
    from pbem.audit.access import repo_of
    from pbem.audit.verify import verify as verify_repo
    from pbem.crypto.keys import Keys

    path = repo_of(games or games_folder(), name)
    keys = (lambda game: Keys.load(keys_folder(), game)) if with_key else None
    verdict = verify_repo(path, keys=keys, folders=boxes or ())
    wrong = verdict.findings.sorted
    if after_reveal and not verdict.opened and not wrong:
        print(f"pbem: {verdict.game} has not revealed its secrets; they are published when it is over", file=sys.stderr)
        sys.exit(WORLD)
    if json:
        print_json(_plain(verdict))
    else:
        _print(verdict)
    if wrong:
        sys.exit(FAULTS)


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
