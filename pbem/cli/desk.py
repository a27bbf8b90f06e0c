"""What the verbs do: open a game, call one function, print. The heavy rooms are imported inside each."""

from __future__ import annotations

import json as json_text
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pbem.places import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.adjudicator import Adjudicator
    from pbem.checking import Receipt
    from pbem.correspondence import Office, Outgoing
    from pbem.rulings import Verdict

DONE: Final = 0
WORLD: Final = 1
USAGE: Final = 2
FAULTS: Final = 3

Boxes = Sequence[Path] | None


def shelf(check: bool, boxes: Boxes, json: bool) -> None:
    """List the games on the shelf."""
    from pbem import shelf as shelf_room
    from pbem.box import open_box

    with _in_the_world():
        found = [open_box(id, boxes or ()) for id in shelf_room.ids(boxes or ())]
        for box in found:
            if check:
                box.check()
                shelf_room.load(box.id, folders=boxes or ())
        rows = [
            {
                "id": box.id, "title": box.title, "editions": list(box.presets), "scenarios": list(box.scenarios),
                "sides": list(box.side_ids), "folder": str(box.folder),
            }
            for box in found
        ]  # fmt: skip
    if json:
        _print_json(rows)
        return
    for row in rows:
        print(f"{row['id']}: {row['title']}" + (" (checked)" if check else ""))
        for word in ("sides", "editions", "scenarios"):
            print(f"  {word}: {', '.join(row[word])}")


def new(
    name: str, rules: str, players: list[str], scenario: str | None, edition: str | None, options: list[str],
    games: Path | None, boxes: Boxes, json: bool,
) -> None:  # fmt: skip
    """Make a new game."""
    from pbem import yamlio
    from pbem.adjudicator import Adjudicator
    from pbem.correspondence import first_letters
    from pbem.post.address import mailbox

    names, addresses = {}, {}
    for entry in players:
        side, found, person = entry.partition("=")
        if not found or not side or not person.strip():
            _misuse(f"--player {entry}: write side=name <address>, such as 'rome=Ann <ann@example.org>'")
        box = mailbox(person.strip())
        if box is not None:
            addresses[side] = box.address
        elif "@" in person:
            _misuse(f"--player {entry}: {person.strip()} is no mail address")
        if side in names:
            _misuse(f"--player {entry}: {side} has a player already")
        names[side] = (box.name or box.address.partition("@")[0]) if box else person.strip()
    chosen: dict[str, Any] = {}
    for entry in options:
        key, found, text = entry.partition("=")
        if not found:
            _misuse(f"--option {entry}: write name=value")
        try:
            chosen[key] = yamlio.read(text, name=f"--option {key}").value
        except yamlio.Unreadable as error:
            _misuse(str(error))
    _require_in_the_box(rules, names, scenario, edition, chosen, boxes)
    office = _office(games, boxes)
    with (
        _in_the_world(),
        Adjudicator.create(
            office.games, office.keys, name, rules, players=names, addresses=addresses,
            scenario=scenario, preset=edition, options=chosen, folders=boxes or (),
        ) as game,
    ):  # fmt: skip
        letters = [_post(out, office.games / "outbox") for out in first_letters(game, office)]
        record = {
            "game": name, "repo": str(game.ledger.repo.path), "tip": game.charter.dice.tip,
            "waiting": _waiting(game), "letters": letters,
        }  # fmt: skip
        if json:
            _print_json(record)
            return
        print(f"{name} is ready: {record['repo']}")
        print(f"Its secrets are in {office.keys / (name + '.yaml')}. Keep a copy; without them it cannot go on.")
        print(f"Tip of the dice chain, for every player to note: {record['tip']}")
        _print_waiting(game)
        for path in letters:
            print(f"First letter: {path}")


def status(name: str, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Tell where a game stands."""
    with _open(name, games, boxes) as game:
        if json:
            _print_json(
                {
                    "game": name, "rules": game.charter.rules, "edition": game.charter.preset,
                    "adjudication": game.adjudication, "players": game.charter.players,
                    "waiting": _waiting(game), "result": game.result,
                }
            )  # fmt: skip
            return
        print(f"{name}: {game.box.title} ({game.charter.preset}), after adjudication {game.adjudication}")
        for side, player in game.charter.players.items():
            print(f"  {side}: {player}")
        _print_waiting(game)


def form(name: str, side: str, games: Path | None, boxes: Boxes) -> None:
    """Print the order form of a side."""
    from pbem.correspondence import side_report

    with _open(name, games, boxes) as game:
        _require_side(game, side)
        sheet = side_report(game, side, game.adjudication).sheet
        print(sheet if sheet else f"# {name} asks nothing of {side} now")


def check(game: str, sheet: Path, side: str | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Check a sheet, against a game's repo or against what came with the report."""
    if Path(game).suffix == ".json":
        from pbem.at_home import check_at_home

        with _in_the_world():
            _judged(check_at_home(Path(game), _read(sheet), sheet.name, boxes or ()), json, "nothing is wrong with it")
        return
    if side is None:
        _misuse("say whose sheet it is: --side rome")
    with _open(game, games, boxes) as opened:
        _require_side(opened, side)
        receipt, _ = opened.check(side, _read(sheet), name=sheet.name)
        _judged(receipt, json, "nothing is wrong with it")


def submit(name: str, sheet: Path, side: str, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Hand in a sheet and carry the game on."""
    with _open(name, games, boxes) as game:
        _require_side(game, side)
        receipt = game.receive(side, _read(sheet), name=sheet.name)
        if receipt.number is None:
            _judged(receipt, json, "")
        numbers = game.adjudicate()
        letters = _tell_all(game, numbers, games, boxes)
        if json:
            record = {"sheet": receipt.number, "adjudications": numbers, "waiting": _waiting(game), "letters": letters}
            _print_json(record)
            return
        print(f"Sheet {receipt.number} of {side} is accepted.")
        _print_adjudicated(game, numbers, letters)


def letter(file: Path | None, outbox: Path | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Take in a letter and write the answers to the outbox."""
    from pbem.correspondence import take_in

    office = _office(games, boxes)
    with _in_the_world():
        handled = take_in(_read(file if file is not None else Path("-")), office)
        written = [_post(out, outbox or office.games / "outbox") for out in handled.letters]
    if json:
        _print_json({"accepted": handled.accepted, "notes": handled.notes, "letters": written})
    else:
        sent = [f"to {out.to}: {path}" for out, path in zip(handled.letters, written, strict=True)]
        print("\n".join([*handled.notes, *sent]))
    if handled.letters and not handled.accepted:  # what is left unanswered must not bounce either
        sys.exit(FAULTS)


def adjudicate(name: str, late: list[str], games: Path | None, boxes: Boxes, json: bool) -> None:
    """Carry a game on."""
    with _open(name, games, boxes) as game:
        for side in late:
            _require_side(game, side)
        numbers = game.adjudicate(late)
        letters = _tell_all(game, numbers, games, boxes)
        if json:
            _print_json({"adjudications": numbers, "waiting": _waiting(game), "letters": letters})
            return
        _print_adjudicated(game, numbers, letters)


def report(name: str, side: str | None, since: int | None, games: Path | None, boxes: Boxes) -> None:
    """Print a side's report."""
    from pbem.correspondence import side_report

    with _open(name, games, boxes) as game:
        if side is not None:
            _require_side(game, side)
        print(side_report(game, side, game.adjudication - 1 if since is None else since).text)


def draw_map(name: str, output: Path, side: str | None, games: Path | None, boxes: Boxes) -> None:
    """Draw the map."""
    from pbem.correspondence import map_picture

    with _open(name, games, boxes) as game:
        if side is not None:
            _require_side(game, side)
        output.write_bytes(map_picture(game, side, game.adjudication - 1))
        print(output)


def log(name: str, first: int, last: int | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Print published turn files."""
    from pbem import yamlio

    with _open(name, games, boxes) as game:
        end = game.adjudication if last is None else min(last, game.adjudication)
        turns = [game.ledger.public_turn(n) for n in range(max(first, 1), end + 1)]
        if json:
            _print_json(turns)
            return
        print("---\n".join(yamlio.dump(turn) for turn in turns), end="")


def replay(name: str, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Play a game's records again and compare."""
    from pbem.audit import replay as replay_game

    with _open(name, games, boxes) as game:
        differences = list(replay_game(game))
        if json:
            _print_json([{"adjudication": each.adjudication, "difference": each.text} for each in differences])
        elif not differences:
            print(f"{name}: {game.adjudication} adjudications played again; every roll and event is as recorded.")
        for each in [] if json else differences:
            print(f"adjudication {each.adjudication}: {each.text}")
        if differences:
            sys.exit(FAULTS)


def case(files: list[Path], rules: str | None, boxes: Boxes, json: bool) -> None:
    """Run rulings."""
    from pbem.rulings import game_of, read_cases, run_case

    verdicts: list[Verdict] = []
    with _in_the_world():
        for file in files:
            lies = game_of(file)
            for ruling in read_cases(file):
                game = rules or ruling.told.get("game") or (lies[0] if lies else None)
                if game is None:
                    _misuse(f"{ruling.where()} say which game it is for: `game:` in the ruling, or --rules")
                folders = [*(boxes or ()), *([lies[1]] if lies and lies[0] == game else [])]
                verdicts.append(run_case(ruling, game, folders))
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if json:
        _print_json(
            [
                {"rule": v.case.rule, "name": v.case.name, "passed": v.passed, "differences": v.differences}
                for v in verdicts
            ]
        )
    else:
        for verdict in verdicts:
            print(f"{'pass' if verdict.passed else 'FAIL'}  {verdict.case}")
            for difference in verdict.differences:
                print(f"      {difference}")
        print(f"{len(verdicts) - len(failed)} passed, {len(failed)} failed")
    if failed:
        sys.exit(FAULTS)


# ---- opening, printing, stopping


def _office(games: Path | None, boxes: Boxes) -> Office:
    """Return where the post is handled: the games' folder, the keys, the address that letters come from."""
    from datetime import UTC, datetime

    from pbem.correspondence import Office
    from pbem.post.address import mailbox

    folder, sender = games or games_folder(), os.environ.get("PBEM_FROM", "pbem <pbem@localhost>")
    if mailbox(sender) is None:
        _misuse(f"PBEM_FROM is no mail address that letters could come from: {sender}")
    return Office(folder, keys_folder(), sender, datetime.now(UTC), tuple(boxes or ()), folder / ".drawings")


def _post(out: Outgoing, outbox: Path) -> str:
    """Write a letter to the outbox, a maildir, and return its file."""
    from pbem.post.maildir import write_to_maildir

    return str(write_to_maildir(outbox, out.content, out.name))


@contextmanager
def _open(name: str, games: Path | None, boxes: Boxes) -> Iterator[Adjudicator]:
    """Open a game; what is wrong outside ends the command with a sentence."""
    from pbem.adjudicator import Adjudicator

    with _in_the_world(), Adjudicator.open(games or games_folder(), keys_folder(), name, folders=boxes or ()) as game:
        yield game


@contextmanager
def _in_the_world() -> Iterator[None]:
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


def _misuse(text: str) -> NoReturn:
    print(f"pbem: {text}", file=sys.stderr)
    sys.exit(USAGE)


def _require_in_the_box(
    rules: str, sides: Iterable[str], scenario: str | None, edition: str | None, options: dict[str, Any], boxes: Boxes
) -> None:
    """End the command unless everything that a new game is to be made of is in its box."""
    from pbem.box import NotInTheBox, open_box

    with _in_the_world():
        try:
            box = open_box(rules, boxes or ())
            box.options(edition, options)
            if scenario is not None:
                box.scenario(scenario)
        except NotInTheBox as wrong:
            _misuse(str(wrong))
        for side in sides:
            if side not in box.side_ids:
                _misuse(f"--player {side}=...: there is no side {side}; the sides are {', '.join(box.side_ids)}")


def _require_side(game: Adjudicator, side: str) -> None:
    if side not in game.rules.sides:
        _misuse(f"{game.name} has no side {side}; its sides are {', '.join(game.rules.sides)}")


def _judged(receipt: Receipt, json: bool, good: str) -> None:
    """Print what is wrong with a sheet and end with exit code 3, or that nothing is."""
    if json:
        _print_json(receipt.rows())
    elif receipt.complaints:
        print(receipt)
    else:
        print(f"{receipt.name}: {good}.")
    if receipt.complaints:
        sys.exit(FAULTS)


def _waiting(game: Adjudicator) -> list[dict[str, str]]:
    return [{"side": each.side, "kind": each.kind, "rule": each.rule} for each in game.waiting]


def _print_waiting(game: Adjudicator) -> None:
    if game.result is not None:
        print(f"The game is over: {', '.join(f'{key} {value}' for key, value in game.result.items())}.")
    for each in game.waiting:
        print(f"It waits for {each.side}: {game.box.forms[each.kind].title} ({each.kind}, rule {each.rule})")


def _tell_all(game: Adjudicator, numbers: Sequence[int], games: Path | None, boxes: Boxes) -> list[str]:
    """Write to every side that has an address what new adjudications came to, and return the letters' files."""
    if not numbers:
        return []
    from pbem.correspondence import Maps, turn_letter

    office = _office(games, boxes)
    maps = Maps(office.drawings)
    letters = [out for side in game.rules.sides for out in turn_letter(game, side, numbers[0] - 1, office, maps)]
    return [_post(out, office.games / "outbox") for out in letters]


def _print_adjudicated(game: Adjudicator, numbers: Sequence[int], letters: Sequence[str]) -> None:
    print(f"Adjudicated: {', '.join(map(str, numbers))}." if numbers else "Nothing could be adjudicated.")
    _print_waiting(game)
    for path in letters:
        print(f"Letter: {path}")


def _print_json(value: Any) -> None:
    print(json_text.dumps(value, indent=1, ensure_ascii=False))


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
