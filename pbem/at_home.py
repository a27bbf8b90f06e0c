"""Checks a sheet at a player's home, with nothing but what came with the report: the same check, the same faults."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pbem import shelf
from pbem.adjudicator import CannotPlay
from pbem.checking import Receipt, check_sheet
from pbem.record import read_decision


def check_at_home(enclosed: Path, raw: bytes, name: str, folders: Iterable[str | Path] = ()) -> Receipt:
    """Check a sheet against the file `position.json` of a report.

    Raises CannotPlay if the file is none, or was made with other rules than those here.
    """
    unfit = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
    try:
        here = json.loads(enclosed.read_text("utf-8"))
        loaded = shelf.load(here["rules"], preset=here["preset"], options=here["options"], folders=folders)
        if loaded.box.digest != here["box"]:
            raise CannotPlay(f"{here['game']} is played with another version of the rules of {loaded.box.title}")
        known = loaded.rules.decode(here["position"])
        waiting = [read_decision(record) for record in here["waiting"]]
        game, side, adjudication = str(here["game"]), str(here["side"]), int(here["adjudication"])
        # The rules trust a position; one that was tampered with may fail them only in the midst of the check.
        receipt, _ = check_sheet(
            loaded.box, game, loaded.rules.sides, side, adjudication, waiting,
            lambda decision, order: list(loaded.rules.check(known, decision, order)), raw, name=name,
        )  # fmt: skip
    except unfit as wrong:
        raise CannotPlay(f"{enclosed} is not the file that came with a report: {wrong}") from wrong
    return receipt
