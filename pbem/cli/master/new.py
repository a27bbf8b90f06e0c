"""The verbs of a new game: what there is to play (`pbem shelf`), a game made (`new`), its players (`player`)."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from re import compile as pattern
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeVar

import typer

from pbem.cli.runtime import (
    NO_SENDER,
    USUAL,
    WHY,
    Boxes,
    Correct,
    Json,
    Name,
    RulesDir,
    Shared,
    Yes,
    ask,
    corrections,
    mail_settings,
    misuse,
    on_a_terminal,
    open_questions,
    opened_to_change,
    post_all,
    post_told,
    print_json,
    print_remark,
    print_waiting,
    require_agreement,
    require_beacon,
    require_in_the_box,
    require_side,
)
from pbem.paths import find_config

if TYPE_CHECKING:
    from pbem.game.boxes.box import Box
    from pbem.game.contract import Rules
    from pbem.mail.write.outgoing import MailSettings, Outgoing
    from pbem.referee.acts.players import PlayerChange
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.referee.play.new_game import NewGame

T = TypeVar("T")

_PACE: Final = pattern(r"(?P<bank>[^+/]+)(?:\+(?P<bonus>[^+/]+))?(?:/(?P<most>[^+/]+))?")
_LINES: Final = 6
"""Of each letter, so many lines are shown beforehand."""
_NO_SENDER: Final = (
    "PBEM_FROM is not set, and there is no pbem.yaml: letters come from pbem@localhost, and nobody can answer them. "
    "Give `pbem post --setup` first, or: export PBEM_FROM='Punic Wars <pbem@example.org>'"
)
_POST: Final = "`pbem post` sends them."
_NO_POST: Final = (
    "Nothing sends them yet: `pbem post` does, once `pbem post --setup` has a mailbox for it; or a mail program or a "
    "script, such as `sendmail -t -i < FILE`, which moves each to `cur`. See docs/hosting.md."
)


# ---- What can be played: `pbem shelf`


def list_shelf(
    check: Annotated[bool, typer.Option("--check", help="Check every file of every box against its schema.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """List the games that can be played, with their editions and scenarios."""
    from pbem.game.boxes import shelf
    from pbem.game.boxes.box import open_box

    found = [open_box(id, rules_dir or ()) for id in shelf.ids(rules_dir or ())]
    for box in found:
        if check:
            shelf.check(box, rules_dir or ())
    rows = [_on_the_shelf(box, rules_dir) for box in found]
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
    from pbem.game.boxes import shelf
    from pbem.game.boxes.box_file import BrokenBox

    try:
        return shelf.load(box.id, edition=edition, folders=boxes or ()).rules
    except BrokenBox:
        return None


# ---- A new game: `pbem new`


def make_game(
    name: Annotated[str, typer.Argument(help="A name of lower-case letters, digits, - and _.")],
    rules: Annotated[str, typer.Option("--rules", help="The game to play: an id of `pbem shelf`.")],
    player: Annotated[
        list[str] | None, typer.Option("--player", help="A player: 'rome=Ann <ann@example.org>'. One for each side.")
    ] = None,
    scenario: Annotated[str | None, typer.Option(help="The scenario; by default the first.")] = None,
    edition: Annotated[str | None, typer.Option(help="The edition of the rules; see `pbem rules`.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="An option that differs from the edition: name=value.")
    ] = None,
    beacon: Annotated[
        str | None, typer.Option("--beacon", help="drand: mix the public beacon drand into the dice; see docs/dice.md.")
    ] = None,
    quorum: Annotated[
        int | None,
        typer.Option(
            "--quorum", min=1, help="How many sides must consent to a rollback or a draw; by default all still playing."
        ),
    ] = None,
    one_side_each: Annotated[
        bool, typer.Option("--one-side-each", help="No address may play two sides. In a game of two it is always so.")
    ] = False,
    begin: Annotated[
        bool, typer.Option("--begin", help="Begin at once, without waiting for the players' phrases.")
    ] = False,
    press: Annotated[
        str | None,
        typer.Option(
            "--press",
            metavar="FREE|PUBLIC|SILENT",
            help="How players may talk through the referee: free, public or silent; by default free.",
        ),
    ] = None,
    press_unsigned: Annotated[bool, typer.Option("--press-unsigned", help="Allow unsigned talk.")] = False,
    press_opened: Annotated[
        bool, typer.Option("--press-opened", help="Publish signed talk when the game is over.")
    ] = False,
    clock: Annotated[
        Path | None, typer.Option("--clock", help="A YAML file with the terms of the clock; see docs/clock.md.")
    ] = None,
    pace: Annotated[
        str | None, typer.Option("--pace", metavar="BANK+BONUS/MOST", help="A time bank for each side: 3d+12h/14d.")
    ] = None,
    deadline: Annotated[
        list[str] | None, typer.Option("--deadline", metavar="DAY TIME", help="A weekly deadline: 'sunday 20:00'.")
    ] = None,
    zone: Annotated[
        str | None, typer.Option("--zone", help="The time zone of the clock: Europe/Berlin; by default UTC.")
    ] = None,
    correct: Correct = None,
    yes: Yes = False,
    shared: Shared = USUAL,
) -> None:
    """Make a new game: its repo, its secrets, its dice chain, and a letter that asks each player for a phrase.

    On a terminal it first asks who plays the sides without a player, and shows the letters.
    """
    from pbem.referee.play.new_game import NewGame
    from pbem.repo.git.locks import require_locks

    require_locks()
    names, addresses = _players(player or [])
    chosen = _options(option or [])
    sides = require_in_the_box(rules, names, scenario, edition, chosen, shared.boxes)
    require_beacon(beacon)
    settings = mail_settings(shared)
    _ask_for_players(sides, names, addresses, yes, shared.json)
    # It begins at once, too, if no player has an address to send a phrase from.
    new_game = NewGame(
        name,
        rules,
        players=names,
        addresses=addresses,
        scenario=scenario,
        edition=edition,
        options=chosen,
        folders=shared.boxes,
        beacon=beacon,
        begin=begin or not addresses,
        corrections=corrections(rules, correct or (), shared.boxes),
        quorum=quorum,
        one_side_each=one_side_each,
        press=_press(press, press_unsigned or press_opened),
        press_unsigned=press_unsigned,
        press_opened=press_opened,
        clock=_clock_terms(_ClockOptions(clock, pace, deadline or [], zone), sides),
    )
    if addresses and settings.sender == NO_SENDER:
        print_remark(_NO_SENDER, shared.json)
    if on_a_terminal() and not yes:
        _preview(new_game, settings)
        require_agreement(f"Make {name}?", yes)
    with _make_or_find(settings, new_game) as game:
        letters = post_told(game, _opening_letters(game, settings), settings)
        record = {
            "game": name,
            "repo": str(game.path),
            "tip": game.charter.dice.tip,
            "awaited": list(game.awaited),
            "waiting": open_questions(game),
            "letters": letters,
        } | ({"printed": game.charter.printed} if game.charter.printed else {})
        if shared.json:
            print_json(record)
        else:
            _print_ready(game, letters, settings)


def _print_ready(game: Adjudicator, letters: Sequence[str], settings: MailSettings) -> None:
    """Print what the game master needs to know of a new game."""
    charter = game.charter
    print(f"{game.name} is ready: {game.path}")
    if charter.printed:
        print(f"{charter.printed}. `pbem rules {charter.rules} --open` lists what is not.")
    if game.box.is_experimental(charter.edition):
        print(f"Edition {charter.edition} is experimental: see `pbem rules {charter.rules}`.")
    secrets = settings.keys / f"{game.name}.yaml"
    print(f"Its secrets are in {secrets}. Keep a copy: without them the game cannot go on.")
    print(f"Tip of the dice chain, for every player to note: {charter.dice.tip}")
    print_waiting(game)
    _print_letters("First letter", letters, settings)


def _press(wish: str | None, unsigned_or_opened: bool) -> str:
    """Return how the players may talk; by default freely."""
    from pbem.repo.files.charter import FREE, PRESS, SILENT

    if wish is not None and wish not in PRESS:
        misuse(f"--press {wish}: it is one of {', '.join(PRESS)}")
    if wish == SILENT and unsigned_or_opened:
        misuse("--press silent: then there is no talk that could be unsigned, or opened")
    return wish or FREE


def _opening_letters(game: Adjudicator, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the first letters of a game that has just been made."""
    from pbem.mail.write.report_letters import closing_letters, first_letters
    from pbem.mail.write.welcome import welcome_letters

    first = closing_letters if game.closed else first_letters if game.begun else welcome_letters
    yield from first(game, settings)


def _print_letters(what: str, letters: Sequence[str], settings: MailSettings) -> None:
    """Print the files of letters, and how they are sent."""
    for path in letters:
        print(f"{what}: {path}")
    if letters:
        print(f"They lie in {settings.games / 'outbox' / 'new'}. {_POST if find_config().exists() else _NO_POST}")


def _ask_for_players(
    sides: Iterable[str], names: dict[str, str], addresses: dict[str, str], yes: bool, json: bool
) -> None:
    """Ask who plays each side that has no player yet; say so where nobody can be asked."""
    for side in sides:
        if side in names:
            continue
        entry = ""
        if on_a_terminal() and not yes:
            entry = ask(f"Who plays {side}? NAME <address>, or nothing if they have none:")
        if entry:
            name, address = _players([f"{side}={entry}"])
            names |= name
            addresses |= address
        elif addresses:
            print_remark(
                f"{side} has no player and gets no letters. You hand in its sheets with `pbem submit`, or give it a "
                f"player with `pbem player`",
                json,
            )


def _preview(new_game: NewGame, settings: MailSettings) -> None:
    """Show what each player would get, by making the game in a folder that is thrown away."""
    from pbem.mail.write.draft import glance
    from pbem.mail.write.posting import bundled
    from pbem.referee.opening import create_game

    with tempfile.TemporaryDirectory() as folder:
        aside = replace(settings, games=Path(folder) / "games", keys=Path(folder) / "keys", outbox=None)
        with create_game(aside.games, aside.keys, new_game) as game:
            for out in bundled(_opening_letters(game, aside)):
                print("\n".join([*glance(out.content, _LINES), ""]), file=sys.stderr)


def _make_or_find(settings: MailSettings, new: NewGame) -> Adjudicator:
    """Return a new game; or the same game, if an earlier command that made it ended before its first letters."""
    from pbem.mail.notes.correspondence import REPORTED
    from pbem.referee.game.terms import terms_of_new_game
    from pbem.referee.opening import create_game, open_game
    from pbem.repo.git import GameExists
    from pbem.repo.public import as_files

    try:
        return create_game(settings.games, settings.keys, new)
    except GameExists:
        game = open_game(settings.games, settings.keys, new.name, folders=new.folders)
        asked: list[object] = [new.rules, new.players, new.options, new.scenario, new.edition, new.beacon]
        asked += [as_files(new.corrections), new.quorum, new.one_side_each]
        asked += [new.press, new.press_unsigned, new.press_opened]
        asked += [new.clock and terms_of_new_game(new.clock, game.rules.sides).record()]
        charter = game.charter
        names = {side: charter.players[side] for side in new.players}
        scenario, edition = new.scenario and charter.scenario, new.edition and charter.edition
        there: list[object] = [charter.rules, names, charter.options, scenario, edition, charter.dice.beacon]
        there += [as_files(game.ledger.corrections()), charter.quorum, charter.one_side_each]
        there += [charter.press, charter.press_unsigned, charter.press_opened, charter.clock]
        played = REPORTED.read(game.path) is not None or any(map(game.sheets, game.rules.sides))
        if played or there != asked or dict(game.ledger.addresses) != new.addresses:
            game.close()
            raise
        if new.begin and not game.begun:
            game.adjudicate()
        return game


def _players(entries: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return names and mail addresses by side, from entries such as `rome=Ann <ann@example.org>`."""
    from pbem.mail.notes.address import mailbox

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


def _options(entries: list[str]) -> dict[str, Any]:
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


# ---- The clock of a new game


class _ClockOptions(NamedTuple):
    """The terms of the clock: a file with them, and what is said in place of it or beside it."""

    file: Path | None
    pace: str | None
    deadlines: list[str]
    zone: str | None


def _clock_terms(options: _ClockOptions, sides: Sequence[str]) -> dict[str, Any] | None:
    """Return the terms of a clock as the options say; None: the game has none."""
    from pbem.game import yaml as yamlio
    from pbem.referee.game.terms import BadTerms, terms_of_new_game

    said: dict[str, Any] = {}
    if options.file is not None:
        try:
            found = yamlio.read(options.file.read_bytes(), name=options.file.name).value
        except yamlio.Unreadable as wrong:
            misuse(str(wrong))
        terms = found.get("clock", found) if isinstance(found, dict) else found
        if not isinstance(terms, dict):
            misuse(f"--clock {options.file}: write a mapping, such as `pace: {{bank: 3d, bonus: 12h, most: 14d}}`")
        said = terms
    if options.pace is not None:
        pace = _PACE.fullmatch(options.pace)
        if pace is None:
            misuse(f"--pace {options.pace}: write a bank, a bonus and the most, such as 3d+12h/14d")
        said["pace"] = {word: text.strip() for word, text in pace.groupdict().items() if text is not None}
    if options.deadlines:
        said["deadlines"] = options.deadlines
    if options.zone is not None:
        said["zone"] = options.zone
    if not said:
        return None
    try:
        return terms_of_new_game(said, sides).record()
    except BadTerms as wrong:
        misuse(f"the clock: {wrong}")


# ---- Another player, or another address: `pbem player`


def replace_player(
    name: Name,
    person: Annotated[str, typer.Argument(metavar="SIDE=PERSON", help="rome='Ann <ann@example.org>'")],
    vote: Annotated[bool, typer.Option("--vote", help="Ask the other sides for their consent by letter.")] = False,
    reason: Annotated[str, typer.Option("--reason", help=f"With --vote. {WHY}")] = "",
    yes: Yes = False,
    shared: Shared = USUAL,
) -> None:
    """Give a side to another player, or change or add its player's address. The record names only the side."""
    from pbem.mail.notes.address import mailbox
    from pbem.mail.notes.correspondence import CORRESPONDENCES
    from pbem.mail.read.token import forget_heard
    from pbem.mail.write.welcome import new_address_letter
    from pbem.post.who.mailbox_notes import REFUSALS
    from pbem.referee.acts.players import change_of, change_player
    from pbem.referee.acts.timekeeping import note_reached

    side, found, who = person.partition("=")
    box = mailbox(who.strip())
    if not found or not side or box is None:
        misuse(f"{person}: write SIDE='NAME <address>', such as rome='Ann <ann@example.org>'")
    settings = mail_settings(shared)
    with opened_to_change(name, shared) as game:
        require_side(game, side)
        change = change_of(game, side, box.name, box.address)
        if vote:
            _ask_sides(game, change, reason, settings, shared.json)
            return
        before = game.player(side)
        if change.replaced:
            what = f"{change.name} <{change.address}> takes over {side} in {name} from {before}"
            print_remark(f"{what}. The key and the dice chain of the player before end; all else stays", shared.json)
        else:
            what = f"{before} plays {side} in {name} from {change.address}"
        require_agreement(f"{what}. Go on?", yes)
        with game.lock():
            change_player(game, change)
            if change.replaced:
                CORRESPONDENCES.forget(game.path, side)
            forget_heard(game.path, side)
            REFUSALS.forget(game.path, side)
            told = [new_address_letter(game, side, change.replaced, settings)]
            (letter,) = post_all(told, settings.games / "outbox", game)
            note_reached(game, side)
        if shared.json:
            print_json({"game": name, "side": side, "replaced": change.replaced, "letters": [letter]})
            return
        if not change.replaced:
            print(f"{what}.")
        print("In the repo stands the side alone; names and addresses are sealed.")
        print(f"Letter: {letter}")


def _ask_sides(game: Adjudicator, change: PlayerChange, reason: str, settings: MailSettings, json: bool) -> None:
    """Ask the other sides whether somebody takes a side over, and print the request."""
    from pbem.mail.write.consent_letters import outcome, request_letters
    from pbem.referee.acts.consents import propose
    from pbem.referee.acts.request_kinds import Proposal
    from pbem.repo.files.requests import REPLACEMENT
    from pbem.repo.files.seats import Person

    person = Person(change.name, change.address)
    proposal = Proposal(REPLACEMENT, replaced=change.side, person=person)
    request = propose(game, None, proposal, reason or "its player does not write any more")
    letters = post_all(request_letters(game, request, settings), settings.games / "outbox")
    if json:
        print_json({"game": game.name, "side": change.side, "request": request.request, "letters": letters})
        return
    print(outcome(game, request.request))
    for path in letters:
        print(f"Letter: {path}")
