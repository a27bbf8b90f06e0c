"""What stands between the verbs and the world: games are opened, letters posted, answers printed, exit codes told."""

from __future__ import annotations

import json as json_text
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pbem.places import games_folder, keys_folder
from pbem.protocol import cited

if TYPE_CHECKING:
    from pbem.adjudicator import Adjudicator
    from pbem.checking import Receipt
    from pbem.correspondence import Office, Outgoing

DONE: Final = 0
WORLD: Final = 1
USAGE: Final = 2
FAULTS: Final = 3

Boxes = Sequence[Path] | None


def post_office(games: Path | None, boxes: Boxes) -> Office:
    """Return where the post is handled: the games' folder, the keys, the address that letters come from."""
    from datetime import UTC, datetime

    from pbem.correspondence import Office
    from pbem.post.address import mailbox

    folder, sender = games or games_folder(), os.environ.get("PBEM_FROM", "pbem <pbem@localhost>")
    if mailbox(sender) is None:
        misuse(f"PBEM_FROM is no mail address that letters could come from: {sender}")
    return Office(folder, keys_folder(), sender, datetime.now(UTC), tuple(boxes or ()), folder / ".drawings")


def post(out: Outgoing, outbox: Path) -> str:
    """Write a letter to the outbox, a maildir, and return its file."""
    from pbem.post.maildir import write_to_maildir

    return str(write_to_maildir(outbox, out.content, out.name))


@contextmanager
def opened(name: str, games: Path | None, boxes: Boxes) -> Iterator[Adjudicator]:
    """Open a game; what is wrong outside ends the command with a sentence."""
    from pbem.adjudicator import Adjudicator

    with in_the_world(), Adjudicator.open(games or games_folder(), keys_folder(), name, folders=boxes or ()) as game:
        yield game


@contextmanager
def in_the_world() -> Iterator[None]:
    """Turn what is wrong outside into a sentence and exit code 1; bugs keep their traceback."""
    from pbem.adjudicator import CannotPlay
    from pbem.box import BrokenBox, NotInTheBox
    from pbem.dice import ChainUsedUp
    from pbem.engine import RulesDiffer
    from pbem.seal import BadKeys, CannotOpen
    from pbem.store import BadPath, Busy, StoreError

    outside = (CannotPlay, BrokenBox, NotInTheBox, ChainUsedUp, BadKeys, CannotOpen, BadPath, Busy, StoreError)
    try:
        yield
    except RulesDiffer as differs:
        print(f"pbem: the rules have changed since this game stopped: {differs}", file=sys.stderr)
        sys.exit(WORLD)
    except OSError as wrong:
        print(f"pbem: {wrong.filename or 'the system'}: {wrong.strerror or wrong}", file=sys.stderr)
        sys.exit(WORLD)
    except outside as wrong:
        print(f"pbem: {wrong}", file=sys.stderr)
        sys.exit(WORLD)


def misuse(text: str) -> NoReturn:
    """End the command with what is wrong about its words, and exit code 2."""
    print(f"pbem: {text}", file=sys.stderr)
    sys.exit(USAGE)


def require_in_the_box(
    rules: str, sides: Iterable[str], scenario: str | None, edition: str | None, options: dict[str, Any], boxes: Boxes
) -> None:
    """End the command unless everything that a new game is to be made of is in its box."""
    from pbem.box import NotInTheBox, open_box

    with in_the_world():
        try:
            box = open_box(rules, boxes or ())
            box.options(edition, options)
            if scenario is not None:
                box.scenario(scenario)
        except NotInTheBox as wrong:
            misuse(str(wrong))
        for side in sides:
            if side not in box.side_ids:
                misuse(f"--player {side}=...: there is no side {side}; the sides are {', '.join(box.side_ids)}")


def require_side(game: Adjudicator, side: str) -> None:
    """End the command unless a game has a side."""
    if side not in game.rules.sides:
        misuse(f"{game.name} has no side {side}; its sides are {', '.join(game.rules.sides)}")


def judge(receipt: Receipt, json: bool, good: str) -> None:
    """Print what is wrong with a sheet and end with exit code 3, or that nothing is."""
    if json:
        print_json(receipt.rows())
    elif receipt.complaints:
        print(receipt)
    else:
        print(f"{receipt.name}: {good}.")
    if receipt.complaints:
        sys.exit(FAULTS)


def open_questions(game: Adjudicator) -> list[dict[str, str]]:
    """Return what a game waits for, for a program to read."""
    return [{"side": each.side, "kind": each.kind, "rule": each.rule} for each in game.waiting]


def print_waiting(game: Adjudicator) -> None:
    """Print what a game waits for, or how it ended."""
    if game.result is not None:
        print(f"The game is over: {', '.join(f'{key} {value}' for key, value in game.result.items())}.")
    for each in game.waiting:
        print(f"It waits for {each.side}: {game.box.forms[each.kind].title} ({each.kind}, {cited(each.rule)})")


def tell_all(game: Adjudicator, numbers: Sequence[int], games: Path | None, boxes: Boxes) -> list[str]:
    """Write to every side that has an address what new adjudications came to, and return the letters' files."""
    if not numbers:
        return []
    from pbem.correspondence import Maps, turn_letter

    office = post_office(games, boxes)
    maps = Maps(office.drawings)
    letters = [out for side in game.rules.sides for out in turn_letter(game, side, numbers[0] - 1, office, maps)]
    return [post(out, office.games / "outbox") for out in letters]


def print_adjudicated(game: Adjudicator, numbers: Sequence[int], letters: Sequence[str]) -> None:
    """Print what a game has come to: new adjudications, what it waits for now, the letters written."""
    print(f"Adjudicated: {', '.join(map(str, numbers))}." if numbers else "Nothing could be adjudicated.")
    print_waiting(game)
    for path in letters:
        print(f"Letter: {path}")


def print_json(value: Any) -> None:
    """Print a value for a program to read."""
    print(json_text.dumps(value, indent=1, ensure_ascii=False))


def read(path: Path) -> bytes:
    """Return what is in a file, or in standard input if it is called `-`."""
    return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
