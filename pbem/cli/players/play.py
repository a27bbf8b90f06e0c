"""The functions behind the verbs of play: open a game, call one function, print. Heavy imports are inside each."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pbem.cli.runtime import (
    FAULTS,
    Boxes,
    done_by_now,
    judge,
    mail_settings,
    misuse,
    open_questions,
    opened,
    opened_to_change,
    owes,
    post,
    print_adjudicated,
    print_echo,
    print_json,
    read,
    read_at_home,
    read_sheet,
    require_side,
    tell_all,
)

if TYPE_CHECKING:
    from pbem.game.boxes.box import Box
    from pbem.game.contract import Rules
    from pbem.orders.check import Receipt
    from pbem.protocol import Decision, Side
    from pbem.referee.game.open_game import OpenGame
    from pbem.referee.play.adjudicator import Adjudicator

T = TypeVar("T")


def shelf(check: bool, boxes: Boxes, json: bool) -> None:
    """List the games on the shelf."""
    from pbem.game.boxes import shelf as shelf_room
    from pbem.game.boxes.box import open_box

    found = [open_box(id, boxes or ()) for id in shelf_room.ids(boxes or ())]
    for box in found:
        if check:
            shelf_room.check(box, boxes or ())
    rows = [_on_the_shelf(box, boxes) for box in found]
    if json:
        print_json(rows)
        return
    for row in rows:
        print(f"{row['id']}: {row['title']}" + (" (checked)" if check else ""))
        if row["printed"]:
            print(f"  {row['printed']}")
        for edition, printed in row["printed_of_editions"].items():
            print(f"    in edition {edition}: {printed}")
        print(f"  sides: {', '.join(row['sides'])}")
        for edition, sides in row["sides_of_editions"].items():
            print(f"    in edition {edition}: {', '.join(sides)}")
        tried = [id + (" (experimental)" if id in row["experimental"] else "") for id in row["editions"]]
        print(f"  editions: {', '.join(tried)}")
        print(f"  scenarios: {', '.join(row['scenarios'])}")


def _on_the_shelf(box: Box, boxes: Boxes) -> dict[str, Any]:
    """Return what there is to tell of a game on the shelf."""
    from pbem.game.boxes.printed import as_printed

    rules = {edition: _rules(box, edition, boxes) for edition in box.editions}
    # While its rules cannot be loaded, only its box says something of an edition.
    sides = {edition: list(box.side_ids if of is None else of.sides) for edition, of in rules.items()}
    printed = {edition: "" if of is None else as_printed(of, box) for edition, of in rules.items()}
    return {
        "id": box.id,
        "title": box.title,
        "printed": printed[box.editions[0]],
        "printed_of_editions": _unusual(printed, box),
        "editions": list(box.editions),
        "experimental": [edition for edition in box.editions if box.is_experimental(edition)],
        "scenarios": list(box.scenarios),
        "sides": sides[box.editions[0]],
        "sides_of_editions": _unusual(sides, box),
        "folder": str(box.folder),
    }


def _unusual(of_editions: Mapping[str, T], box: Box) -> dict[str, T]:
    """Return what editions have otherwise than the usual one."""
    usual = of_editions[box.editions[0]]
    return {edition: other for edition, other in of_editions.items() if other != usual}


def _rules(box: Box, edition: str, boxes: Boxes) -> Rules[Any] | None:
    """Return the rules of an edition; None: its box is not in order."""
    from pbem.game.boxes import shelf as shelf_room
    from pbem.game.boxes.box_file import BrokenBox

    try:
        return shelf_room.load(box.id, edition=edition, folders=boxes or ()).rules
    except BrokenBox:
        return None


def form(name: str, side: str, games: Path | None, boxes: Boxes, json: bool = False) -> None:
    """Print the order form of a side."""
    from pbem.mail.write.outgoing import side_report

    with opened(name, games, boxes) as game:
        require_side(game, side)
        sheet = side_report(game, side, game.adjudication).sheet
        if json:
            print_json({"game": name, "side": side, "adjudication": game.adjudication, "sheet": sheet})
            return
        print(sheet if sheet else f"# {side} has nothing to decide in {name} now")


def check(game: str, sheet: Path, side: str | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Check a sheet, against a game's repo or against the file position.json from a report."""
    if Path(game).suffix == ".json":
        from pbem.referee.game.home_check import check_at_home

        judge(check_at_home(Path(game), read_at_home(sheet), sheet.name, boxes or ()), json, "no faults")
        return
    from pbem.referee.play import sheet_check

    if side is None:
        misuse("say whose sheet it is: --side rome")
    with opened(game, games, boxes) as found:
        require_side(found, side)
        receipt, _ = sheet_check.check_sheet_of(found, side, read_sheet(found, side, sheet), name=sheet.name)
        judge(receipt, json, "no faults", _advice(receipt, found))


def forecast(game: str, sheet: Path, side: str | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Print what a sheet may lead to, from a game's repo or from the file position.json from a report."""
    from pbem.game.prospects import prospect_record
    from pbem.render.text.forecast_text import foreseen

    if Path(game).suffix == ".json":
        from pbem.referee.game.home_check import forecast_at_home

        receipt, home, prospects = forecast_at_home(Path(game), read_at_home(sheet), sheet.name, boxes or ())
        box, side = home.loaded.box, home.side
    elif side is None:
        misuse("say whose sheet it is: --side rome")
    else:
        from pbem.referee.play import sheet_check

        with opened(game, games, boxes) as found:
            require_side(found, side)
            receipt, prospects = sheet_check.forecast_sheet_of(
                found, side, read_sheet(found, side, sheet), name=sheet.name
            )
            box = found.box
    if receipt.complaints:
        judge(receipt, json, "")
    if json:
        print_json([prospect_record(each) for each in prospects])
    else:
        print(foreseen(box, side, prospects, costs=receipt.costs), end="")


class HandedIn(NamedTuple):
    """What is handed in for a side: the file of a sheet, or the number of the report that the side agrees to."""

    side: Side
    sheet: Path | None
    agreed: int | None = None
    link: str = ""


def submit(name: str, handed: HandedIn, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Hand in a sheet, or that a side agrees to its last report, and continue the game."""
    from datetime import UTC, datetime

    from pbem.mail.choose.agreed import agreed_at

    side, file, agreed, link = handed
    if (file is None) == (agreed is None):
        misuse("give a sheet, or --agreed and the number of the report that the side agrees to")
    if link and agreed is None:
        misuse("--link goes with --agreed; a sheet has its link on a line of its own")
    with opened_to_change(name, games, boxes) as game:
        require_side(game, side)
        raw = f"AGREED {agreed}".encode() if file is None else read_sheet(game, side, file)
        mark = sha256(f"submitted for {side}\n".encode() + raw).hexdigest()
        owing, due, now = owes(game), done_by_now(game, games, boxes), datetime.now(UTC)
        game.carry_out_letter_of(now, now)
        with game.transaction():
            before = game.ledger.letter(mark) if owing else None  # then an earlier command did all but write letters
            receipt = None
            if before is None:
                raw = raw if agreed is None else agreed_at(game, side, agreed, link)
                receipt = game.receive(side, raw, name="AGREED" if file is None else file.name, letter=mark)
                if receipt.number is None:
                    judge(receipt, json, "", _advice(receipt, game))
            numbers = game.adjudicate()
        letters = due + tell_all(game, numbers, games, boxes)
        number = receipt.number if receipt is not None else (before or {})["sheet"]
        if json:
            record = {
                "sheet": number,
                "changes": [] if receipt is None else list(receipt.changes),
                "adjudications": numbers,
                "waiting": open_questions(game),
                "letters": letters,
            }
            print_json(record)
            return
        if receipt is None:
            print(f"Sheet {number} of {side} was carried out before.")
        else:
            print(f"Sheet {number} of {side} is accepted.")
            print_echo(receipt)
        print_adjudicated(game, numbers, letters)


def _advice(receipt: Receipt, game: OpenGame) -> str:
    """Return how to agree from the command line, if a sheet has nothing chosen and AGREED would do."""
    from pbem.orders.check import WRITE_AGREED

    if not any(WRITE_AGREED in each.fault.reason for each in receipt.complaints):
        return ""
    return f"Here that is: pbem submit {game.name} --side {receipt.side} --agreed {game.adjudication}"


def letter(file: Path | None, outbox: Path | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Take in a letter and write the answers to the outbox."""
    from pbem.mail.intake import take_in
    from pbem.mail.mailbox import arrival
    from pbem.mail.notes.outboxes import MaildirOutbox
    from pbem.mail.read.mime import Headers
    from pbem.repo.git.gamelock import require_locks

    require_locks()
    settings = mail_settings(games, boxes)
    box = outbox or settings.games / "outbox"
    if not settings.games.is_dir():  # do not refuse a letter because a disk is not mounted
        raise FileNotFoundError(ENOENT, "the folder of the games does not exist; PBEM_GAMES names it", settings.games)
    raw = read(file if file is not None else Path("-"))
    came = arrival(Headers(raw))  # the server's own time: a clock goes by it, not by when the command is given
    came = came if came is not None and came < settings.now else None
    handled = take_in(raw, replace(settings, outbox=MaildirOutbox(box), came=came))
    written = [post(out, box) for out in handled.letters]
    if json:
        print_json({"accepted": handled.accepted, "notes": handled.notes, "log": handled.log, "letters": written})
    else:
        sent = [f"to {out.to}: {path}" for out, path in zip(handled.letters, written, strict=True)]
        print("\n".join([*handled.notes, *handled.log, *sent]))
    if handled.letters and not handled.accepted:  # a letter that is left unanswered must not bounce either
        sys.exit(FAULTS)


_OWED = (
    "An earlier command broke off before its letters were written. They are written now. "
    "The answers that it gave for sides count. Look at `pbem status` before you give the command again."
)


def adjudicate(name: str, late: list[str], bot: list[str], games: Path | None, boxes: Boxes, json: bool) -> None:
    """Continue a game."""
    with opened_to_change(name, games, boxes) as game:
        for side in [*late, *bot]:
            require_side(game, side)
        owing, before = owes(game), game.adjudication
        with game.lock():
            due = done_by_now(game, games, boxes)
            # Repeating a command that broke off must not answer the next decision as well.
            numbers = [] if owing and (late or bot) else game.adjudicate(late, bot)
        numbers = [*range(before + 1, game.adjudication + 1)] if due else numbers
        advice = [] if numbers or owing else [line for side in late for line in _not_late(game, side)]
        letters = due + tell_all(game, numbers, games, boxes)
        if json:
            more = {"advice": advice} if advice else {}
            print_json({"adjudications": numbers, "waiting": open_questions(game), "letters": letters, **more})
            return
        if owing:
            print(_OWED)
        print_adjudicated(game, numbers, letters)
        for line in advice:
            print(line)


def _not_late(game: Adjudicator, side: str) -> Iterator[str]:
    """Yield why `--late` has done nothing for a side, and which command will do."""
    name = game.name
    if not game.begun or game.closed is not None or game.result is not None:
        return  # what the game waits for is printed in any case
    own = [each for each in game.open_decisions if each.side == side]
    others = list(dict.fromkeys(each.side for each in game.open_decisions if each.side != side))
    stuck = [each for each in own if each.default is None and not _ruled(game, each)]
    if not own:
        late = "".join(f" --late {other}" for other in others)
        instead = f": pbem adjudicate {name}{late}" if others else ""
        yield f"nothing is asked of {side} now; the game waits for {', '.join(others) or 'nobody'}{instead}"
    elif stuck:
        kinds = ", ".join(dict.fromkeys(each.kind for each in stuck))
        yield (
            f"--late cannot answer {kinds} of {side}, which has no default. One of these will do: "
            f"`pbem adjudicate {name} --bot {side}` (the bot plays), "
            f"`pbem ruling {name} --answer {side}=FILE --reason TEXT` (you answer), or "
            f"`pbem ruling {name} --default {side}=FILE --reason TEXT` and then --late (it counts once the deadline "
            f"has passed); `pbem form {name} --side {side}` prints the FILE to fill in"
        )
    elif others:
        both = "".join(f" --late {each}" for each in (side, *others))
        whom = ", ".join(others)
        yield f"the answer of {side} waits for {whom}, asked at the same time: pbem adjudicate {name}{both}"


def _ruled(game: Adjudicator, decision: Decision) -> bool:
    """Tell whether the game master has set the answer of a side to a decision."""
    ruled = game.defaults.get(decision.side)
    return ruled is not None and game.session.is_for(ruled.order, decision)


def draw_map(name: str, output: Path, side: str | None, games: Path | None, boxes: Boxes, json: bool = False) -> None:
    """Draw the map."""
    from pbem.mail.write.enclosures import map_picture

    with opened(name, games, boxes) as game:
        if side is not None:
            require_side(game, side)
        output.write_bytes(map_picture(game, side, game.adjudication - 1))
        if json:
            print_json({"game": name, "side": side, "adjudication": game.adjudication, "file": str(output)})
            return
        print(output)
