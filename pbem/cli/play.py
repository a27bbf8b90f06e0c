"""The functions behind the verbs of play: open a game, call one function, print. Heavy imports are inside each."""

from __future__ import annotations

import sys
from dataclasses import replace
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.cli.runtime import (
    FAULTS,
    Boxes,
    corrections,
    judge,
    mail_settings,
    misuse,
    open_questions,
    opened,
    opened_to_change,
    owes,
    post,
    print_adjudicated,
    print_json,
    print_waiting,
    read,
    require_beacon,
    require_in_the_box,
    require_side,
    tell_all,
)

if TYPE_CHECKING:
    from pbem.mail.outgoing import MailSettings
    from pbem.referee.adjudicator import Adjudicator
    from pbem.referee.new_game import NewGame


def shelf(check: bool, boxes: Boxes, json: bool) -> None:
    """List the games on the shelf."""
    from pbem.game import shelf as shelf_room
    from pbem.game.box import open_box

    found = [open_box(id, boxes or ()) for id in shelf_room.ids(boxes or ())]
    for box in found:
        if check:
            shelf_room.check(box, boxes or ())
    rows = [
        {
            "id": box.id,
            "title": box.title,
            "editions": list(box.editions),
            "scenarios": list(box.scenarios),
            "sides": list(box.side_ids),
            "folder": str(box.folder),
        }
        for box in found
    ]
    if json:
        print_json(rows)
        return
    for row in rows:
        print(f"{row['id']}: {row['title']}" + (" (checked)" if check else ""))
        for word in ("sides", "editions", "scenarios"):
            print(f"  {word}: {', '.join(row[word])}")


def new(
    name: str,
    rules: str,
    players: list[str],
    scenario: str | None,
    edition: str | None,
    options: list[str],
    beacon: str | None,
    begin: bool,
    correct: list[Path],
    games: Path | None,
    boxes: Boxes,
    json: bool,
) -> None:
    """Make a new game. It begins at once with `begin`, or if no player has an address to send a phrase from."""
    from pbem.mail.last_reported import CLOSED, note_reported
    from pbem.mail.outgoing import welcome_letters
    from pbem.mail.report_letters import closing_letters, first_letters
    from pbem.referee.new_game import NewGame
    from pbem.repo.git.gamelock import require_locks

    require_locks()
    names, addresses = _players(players)
    chosen = _orders(options)
    require_in_the_box(rules, names, scenario, edition, chosen, boxes)
    require_beacon(beacon)
    settings = mail_settings(games, boxes)
    new_game = NewGame(
        name,
        rules,
        players=names,
        addresses=addresses,
        scenario=scenario,
        edition=edition,
        options=chosen,
        folders=boxes or (),
        beacon=beacon,
        begin=begin or not addresses,
        corrections=corrections(rules, correct, boxes),
    )
    with _made(settings, new_game) as game:
        first = closing_letters if game.closed else first_letters if game.begun else welcome_letters
        letters = [post(out, settings.games / "outbox") for out in first(game, settings)]
        if game.closed is not None:
            note_reported(game.path, game.closed.round, CLOSED)
        note_reported(game.path, game.adjudication)
        record = {
            "game": name,
            "repo": str(game.path),
            "tip": game.charter.dice.tip,
            "awaited": list(game.awaited),
            "waiting": open_questions(game),
            "letters": letters,
        }
        if json:
            print_json(record)
            return
        print(f"{name} is ready: {record['repo']}")
        print(
            f"Its secrets are in {settings.keys / (name + '.yaml')}. Keep a copy: without them the game cannot go on."
        )
        print(f"Tip of the dice chain, for every player to note: {record['tip']}")
        print_waiting(game)
        for path in letters:
            print(f"First letter: {path}")


def _made(settings: MailSettings, new: NewGame) -> Adjudicator:
    """Return a new game; or the same game, if an earlier command that made it ended before its first letters."""
    from pbem.mail.last_reported import reported
    from pbem.referee.adjudicator import Adjudicator
    from pbem.repo.git import GameExists
    from pbem.repo.public import as_files

    try:
        return Adjudicator.create(settings.games, settings.keys, new)
    except GameExists:
        game = Adjudicator.open(settings.games, settings.keys, new.name, folders=new.folders)
        asked = [new.rules, new.players, new.options, new.scenario, new.edition, new.beacon, as_files(new.corrections)]
        charter = game.charter
        names = {side: charter.players[side] for side in new.players}
        scenario, edition = new.scenario and charter.scenario, new.edition and charter.edition
        there = [charter.rules, names, charter.options, scenario, edition, charter.dice.beacon]
        there.append(as_files(game.ledger.corrections()))
        played = reported(game.path) is not None or any(map(game.sheets, game.rules.sides))
        if played or there != asked or dict(game.ledger.addresses) != new.addresses:
            game.close()
            raise
        if new.begin and not game.begun:
            game.adjudicate()
        return game


def _players(entries: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return names and mail addresses by side, from entries such as `rome=Ann <ann@example.org>`."""
    from pbem.mail.address import mailbox

    names: dict[str, str] = {}
    addresses: dict[str, str] = {}
    for entry in entries:
        side, found, person = entry.partition("=")
        if not found or not side or not person.strip():
            misuse(f"--player {entry}: write side=name <address>, such as 'rome=Ann <ann@example.org>'")
        box = mailbox(person.strip())
        if box is not None:
            addresses[side] = box.address
        elif "@" in person:
            misuse(f"--player {entry}: {person.strip()} is not a mail address")
        if side in names:
            misuse(f"--player {entry}: {side} already has a player")
        names[side] = (box.name or box.address.partition("@")[0]) if box else person.strip()
    return names, addresses


def _orders(entries: list[str]) -> dict[str, Any]:
    """Return options by name, from entries `name=value`; values are YAML."""
    from pbem.game import yaml as yamlio

    chosen: dict[str, Any] = {}
    for entry in entries:
        key, found, text = entry.partition("=")
        if not found:
            misuse(f"--option {entry}: write name=value")
        try:
            chosen[key] = yamlio.read(text, name=f"--option {key}").value
        except yamlio.Unreadable as error:
            misuse(str(error))
    return chosen


def status(name: str, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Print the state of a game."""
    with opened(name, games, boxes) as game:
        if json:
            print_json(
                {
                    "game": name,
                    "rules": game.charter.rules,
                    "edition": game.charter.edition,
                    "adjudication": game.adjudication,
                    "players": game.charter.players,
                    "awaited": list(game.awaited),
                    "waiting": open_questions(game),
                    "result": game.result,
                }
            )
            return
        print(
            f"{name}: {game.box.title} ({game.charter.edition}), "
            + (f"after adjudication {game.adjudication}" if game.begun else "not begun")
        )
        for side, player in game.charter.players.items():
            print(f"  {side}: {player}")
        for name, correction in sorted(game.box.corrections.items()):
            print(f"  {name} is corrected: {correction.shown}")
        print_waiting(game)
        if request := game.requests.get("open", 0):
            from pbem.mail.consent_letters import outcome

            print(outcome(game, request))


def form(name: str, side: str, games: Path | None, boxes: Boxes) -> None:
    """Print the order form of a side."""
    from pbem.mail.outgoing import side_report

    with opened(name, games, boxes) as game:
        require_side(game, side)
        sheet = side_report(game, side, game.adjudication).sheet
        print(sheet if sheet else f"# {side} has nothing to decide in {name} now")


def check(game: str, sheet: Path, side: str | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Check a sheet, against a game's repo or against the file position.json from a report."""
    if Path(game).suffix == ".json":
        from pbem.referee.home_check import check_at_home

        judge(check_at_home(Path(game), read(sheet), sheet.name, boxes or ()), json, "no faults")
        return
    if side is None:
        misuse("say whose sheet it is: --side rome")
    with opened(game, games, boxes) as found:
        require_side(found, side)
        receipt, _ = found.check(side, read(sheet), name=sheet.name)
        judge(receipt, json, "no faults")


def forecast(game: str, sheet: Path, side: str | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Print what a sheet may lead to, from a game's repo or from the file position.json from a report."""
    from pbem.game.forecast import prospect_record
    from pbem.render.forecast import foreseen

    if Path(game).suffix == ".json":
        from pbem.referee.home_check import forecast_at_home

        receipt, home, prospects = forecast_at_home(Path(game), read(sheet), sheet.name, boxes or ())
        box, side = home.loaded.box, home.side
    elif side is None:
        misuse("say whose sheet it is: --side rome")
    else:
        with opened(game, games, boxes) as found:
            require_side(found, side)
            receipt, prospects = found.forecast(side, read(sheet), name=sheet.name)
            box = found.box
    if receipt.complaints:
        judge(receipt, json, "")
    if json:
        print_json([prospect_record(each) for each in prospects])
    else:
        print(foreseen(box, side, prospects, costs=receipt.costs), end="")


def submit(name: str, sheet: Path, side: str, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Hand in a sheet and continue the game."""
    with opened_to_change(name, games, boxes) as game:
        require_side(game, side)
        raw = read(sheet)
        mark = sha256(f"submitted for {side}\n".encode() + raw).hexdigest()
        owing = owes(game)
        with game.transaction():
            receipt = game.receive(side, raw, name=sheet.name, letter=mark)
            before = game.ledger.letter(mark)
            if receipt.number is None and not (owing and before is not None):
                judge(receipt, json, "")
            numbers = game.adjudicate()
        letters = tell_all(game, numbers, games, boxes)
        if json:
            record = {
                "sheet": receipt.number or (before or {})["sheet"],
                "adjudications": numbers,
                "waiting": open_questions(game),
                "letters": letters,
            }
            print_json(record)
            return
        if receipt.number is None and before is not None:
            print(f"Sheet {before['sheet']} of {side} was carried out before.")
        else:
            print(f"Sheet {receipt.number} of {side} is accepted.")
        print_adjudicated(game, numbers, letters)


def letter(file: Path | None, outbox: Path | None, games: Path | None, boxes: Boxes, json: bool) -> None:
    """Take in a letter and write the answers to the outbox."""
    from pbem.mail.intake import take_in
    from pbem.repo.git.gamelock import require_locks

    require_locks()
    settings = mail_settings(games, boxes)
    box = outbox or settings.games / "outbox"
    if not settings.games.is_dir():  # do not refuse a letter because a disk is not mounted
        raise FileNotFoundError(ENOENT, "the folder of the games does not exist; PBEM_GAMES names it", settings.games)
    handled = take_in(read(file if file is not None else Path("-")), replace(settings, outbox=box))
    written = [post(out, box) for out in handled.letters]
    if json:
        print_json({"accepted": handled.accepted, "notes": handled.notes, "letters": written})
    else:
        sent = [f"to {out.to}: {path}" for out, path in zip(handled.letters, written, strict=True)]
        print("\n".join([*handled.notes, *sent]))
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
        owing = owes(game)
        # Repeating a command that broke off must not answer the next decision as well.
        numbers = [] if owing and (late or bot) else game.adjudicate(late, bot)
        letters = tell_all(game, numbers, games, boxes)
        if json:
            print_json({"adjudications": numbers, "waiting": open_questions(game), "letters": letters})
            return
        if owing:
            print(_OWED)
        print_adjudicated(game, numbers, letters)


def report(name: str, side: str | None, since: int | None, games: Path | None, boxes: Boxes) -> None:
    """Print a side's report."""
    from pbem.mail.outgoing import side_report

    with opened(name, games, boxes) as game:
        if side is not None:
            require_side(game, side)
        print(side_report(game, side, game.adjudication - 1 if since is None else since).text)


def draw_map(name: str, output: Path, side: str | None, games: Path | None, boxes: Boxes) -> None:
    """Draw the map."""
    from pbem.mail.outgoing import map_picture

    with opened(name, games, boxes) as game:
        if side is not None:
            require_side(game, side)
        output.write_bytes(map_picture(game, side, game.adjudication - 1))
        print(output)
