"""Says whether a game was played with the rules that are here, by the digests that it pins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from pbem.audit.findings import Findings, Place
from pbem.audit.history import History
from pbem.audit.schemas import PINS as PINS_SHAPE
from pbem.audit.schemas import said_in
from pbem.audit.turn_files import Books
from pbem.game import shelf
from pbem.game.box import GAME, BrokenBox, NotInTheBox
from pbem.repo.charter import Charter
from pbem.repo.layout import BOX, PINS, box_path

_WORDS = ("box", "code")


def check_rules(
    history: History,
    books: Books,
    charter: Charter,
    read: Callable[[bytes], bytes],
    folders: Iterable[str | Path],
    findings: Findings,
) -> bool:
    """Put on record whether box and code here are those that the game is played with; tell whether the box is.

    That they differ is no fault of the game: a newer version of the rules does.
    """
    _check_corrections(history, books, findings)
    pins, moves = _pinned(history, read, findings), 0
    if pins is None:
        return False
    for turn in books.turns.values():
        act = turn.get("act", {})
        if act.get("kind") == "migration":
            pins |= {word: act[word] for word in _WORDS if isinstance(act.get(word), str)}
            moves += 1
    moved = f" (moved to other rules {moves} times, each with its reason)" if moves else ""
    try:
        here = shelf.digests(charter.rules, folders, history.corrections(read))
    except (NotInTheBox, BrokenBox, OSError, ModuleNotFoundError) as lacking:
        findings.leave("rules", f"not compared: {str(lacking).splitlines()[0]}{moved}")
        return False
    said = ", ".join(f"{word} {'the same' if here[word] == pins[word] else 'differs'}" for word in _WORDS)
    findings.check("rules", f"{charter.rules} here, and as the game pins it: {said}{moved}")
    return here["box"] == pins["box"]


def _check_corrections(history: History, books: Books, findings: Findings) -> None:
    """Blame a corrected file that came otherwise than with the charter, or with a migration, which gives a reason.

    Nothing excuses a `game.yaml` that comes later.
    """
    moves = {history.turns[n] for n, turn in books.turns.items() if turn.get("act", {}).get("kind") == "migration"}
    for path, versions in history.files.items():
        for version in versions if path.startswith(BOX) else ():
            if path == box_path(GAME) and version.at:
                findings.blame(Place(version.at, file=path), "it is changed after the start; a game.yaml must stay")
            elif version.at not in {0, *moves}:
                findings.blame(Place(version.at, file=path), "it is changed, and no migration says why")


def _pinned(history: History, read: Callable[[bytes], bytes], findings: Findings) -> dict[str, str] | None:
    """Return the digests that the game was begun with; blame their file if it cannot be read."""
    oid, place = history.latest(PINS), history.place_of(PINS)
    if oid is None:
        findings.blame(place, "it is missing: it says which rules the game was begun with")
        return None
    return said_in(read(oid), PINS_SHAPE, place, findings)
