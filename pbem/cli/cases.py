"""`pbem case`: run test cases of the rules and print what differs from what they expect."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.runtime import FAULTS, Boxes, misuse, print_json

if TYPE_CHECKING:
    from pbem.engine.cases import Case, Verdict


def case(files: list[Path], rules: str | None, verbose: bool, boxes: Boxes, json: bool) -> None:
    """Run test cases. A file that cannot be read, or a case without a game, is told after the others have run."""
    from pbem.game.box_file import BrokenBox

    verdicts: list[Verdict] = []
    homeless: list[Case] = []
    unread: list[Exception] = []
    for file in files:
        try:
            verdicts += _verdicts(file, rules, boxes, homeless)
        except (BrokenBox, OSError) as broken:
            unread.append(broken)
    if verdicts or not (homeless or unread):
        _print(verdicts, verbose, json)
    for earlier in unread[:-1]:
        print(earlier, file=sys.stderr)
    if unread:
        raise unread[-1]
    if homeless:
        misuse(f"{homeless[0].where()} say which game it is for: `game:` in the case, or --rules")
    if not all(verdict.passed for verdict in verdicts):
        sys.exit(FAULTS)


def _verdicts(file: Path, rules: str | None, boxes: Boxes, homeless: list[Case]) -> Iterator[Verdict]:
    """Yield the verdicts on the cases in a file; a case of which nobody knows the game is homeless."""
    from pbem.engine.cases import game_of, read_cases, run_case

    lies = game_of(file)
    for each in read_cases(file):
        game = rules or each.told.get("game") or (lies[0] if lies else None)
        if game is None and not each.flaws:
            homeless.append(each)
            continue
        folders = [*(boxes or ()), *([lies[1]] if lies and lies[0] == game else [])]
        yield run_case(each, str(game), folders)


def _print(verdicts: list[Verdict], verbose: bool, json: bool) -> None:
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
