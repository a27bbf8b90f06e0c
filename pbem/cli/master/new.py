"""`pbem new`: a new game, after a look at its letters and its clock; and `pbem player`: another player for a side."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from re import compile as pattern
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from pbem.cli.options import WHY, Games, Json, Name, RulesDir, Yes
from pbem.cli.runtime import (
    NO_SENDER,
    Boxes,
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
    print_waiting,
    remark,
    require_agreement,
    require_beacon,
    require_in_the_box,
    require_side,
)

if TYPE_CHECKING:
    from pbem.mail.write.outgoing import MailSettings, Outgoing
    from pbem.referee.acts.players import PlayerChange
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.referee.play.new_game import NewGame


# ---- The options of `pbem new` about the clock: a file with its terms, and what is said in place of it or beside it


_PACE: Final = pattern(r"(?P<bank>[^+/]+)(?:\+(?P<bonus>[^+/]+))?(?:/(?P<most>[^+/]+))?")


class ClockOptions(NamedTuple):
    """The terms of the clock: a file with them, and what is said in place of it or beside it."""

    file: Path | None
    pace: str | None
    deadlines: list[str]
    zone: str | None


def terms_of(options: ClockOptions, sides: Sequence[str]) -> dict[str, Any] | None:
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


# ---- `pbem new`: a new game, after a look at its letters; and `pbem player`: another player or address for a side


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


class Talk(NamedTuple):
    """How the players may talk: the word for it, whether unsigned, and whether it is opened at the end."""

    press: str | None
    unsigned: bool
    opened: bool


def new(
    name: str,
    rules: str,
    players: list[str],
    scenario: str | None,
    edition: str | None,
    options: list[str],
    beacon: str | None,
    quorum: int | None,
    one_side_each: bool,
    begin: bool,
    correct: list[Path],
    yes: bool,
    games: Path | None,
    boxes: Boxes,
    json: bool,
    *,
    talk: Talk,
    clock: ClockOptions,
) -> None:
    """Make a new game. It begins at once with `begin`, or if no player has an address to send a phrase from."""
    from pbem.referee.play.new_game import NewGame
    from pbem.repo.git.gamelock import require_locks

    require_locks()
    names, addresses = _players(players)
    chosen = _orders(options)
    sides = require_in_the_box(rules, names, scenario, edition, chosen, boxes)
    require_beacon(beacon)
    settings = mail_settings(games, boxes)
    _ask_for_players(sides, names, addresses, yes, json)
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
        quorum=quorum,
        one_side_each=one_side_each,
        press=_press(talk),
        press_unsigned=talk.unsigned,
        press_opened=talk.opened,
        clock=terms_of(clock, sides),
    )
    if addresses and settings.sender == NO_SENDER:
        remark(_NO_SENDER, json)
    if on_a_terminal() and not yes:
        _preview(new_game, settings)
        require_agreement(f"Make {name}?", yes)
    with _made(settings, new_game) as game:
        letters = post_told(game, _first(game, settings), settings)
        record = {
            "game": name,
            "repo": str(game.path),
            "tip": game.charter.dice.tip,
            "awaited": list(game.awaited),
            "waiting": open_questions(game),
            "letters": letters,
        } | ({"printed": game.charter.printed} if game.charter.printed else {})
        if json:
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


def _press(talk: Talk) -> str:
    """Return how the players may talk; by default freely."""
    from pbem.repo.files.charter import FREE, PRESS, SILENT

    if talk.press is not None and talk.press not in PRESS:
        misuse(f"--press {talk.press}: it is one of {', '.join(PRESS)}")
    press = talk.press or FREE
    if press == SILENT and (talk.unsigned or talk.opened):
        misuse("--press silent: then there is no talk that could be unsigned, or opened")
    return press


def _first(game: Adjudicator, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the first letters of a game that has just been made."""
    from pbem.mail.write.report_letters import closing_letters, first_letters
    from pbem.mail.write.welcome import welcome_letters

    first = closing_letters if game.closed else first_letters if game.begun else welcome_letters
    yield from first(game, settings)


def _print_letters(what: str, letters: Sequence[str], settings: MailSettings) -> None:
    """Print the files of letters, and how they are sent."""
    from pbem.post.settings import find_config

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
            remark(
                f"{side} has no player and gets no letters. You hand in its sheets with `pbem submit`, or give it a "
                f"player with `pbem player`",
                json,
            )


def _preview(new_game: NewGame, settings: MailSettings) -> None:
    """Show what each player would get, by making the game in a folder that is thrown away."""
    from pbem.mail.write.draft import glance
    from pbem.mail.write.posting import bundled
    from pbem.referee.play.adjudicator import Adjudicator

    with tempfile.TemporaryDirectory() as folder:
        aside = replace(settings, games=Path(folder) / "games", keys=Path(folder) / "keys", outbox=None)
        with Adjudicator.create(aside.games, aside.keys, new_game) as game:
            for out in bundled(_first(game, aside)):
                print("\n".join([*glance(out.content, _LINES), ""]), file=sys.stderr)


def player(
    name: Name,
    person: Annotated[str, typer.Argument(metavar="SIDE=PERSON", help="rome='Ann <ann@example.org>'")],
    vote: Annotated[bool, typer.Option("--vote", help="Ask the other sides for their consent by letter.")] = False,
    reason: Annotated[str, typer.Option("--reason", help=f"With --vote. {WHY}")] = "",
    yes: Yes = False,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Give a side to another player, or change or add its player's address. The record names only the side."""
    from pbem.mail.notes.address import mailbox
    from pbem.mail.notes.correspondence import forget
    from pbem.mail.read.token import forget_heard
    from pbem.mail.write.joining_letters import new_address_letter
    from pbem.post.who import bounces
    from pbem.referee.acts.players import change_of
    from pbem.referee.acts.players import change_player as carry_out
    from pbem.referee.acts.timekeeping import note_reached

    side, found, who = person.partition("=")
    box = mailbox(who.strip())
    if not found or not side or box is None:
        misuse(f"{person}: write SIDE='NAME <address>', such as rome='Ann <ann@example.org>'")
    settings = mail_settings(games, rules_dir)
    with opened_to_change(name, games, rules_dir) as game:
        require_side(game, side)
        change = change_of(game, side, box.name, box.address)
        if vote:
            _ask_sides(game, change, reason, settings, json)
            return
        before = game.player(side)
        if change.replaced:
            what = f"{change.name} <{change.address}> takes over {side} in {name} from {before}"
            remark(f"{what}. The key and the dice chain of the player before end; all else stays", json)
        else:
            what = f"{before} plays {side} in {name} from {change.address}"
        require_agreement(f"{what}. Go on?", yes)
        with game.lock():
            carry_out(game, change)
            if change.replaced:
                forget(game.path, side)
            forget_heard(game.path, side)
            bounces.forget_refusing(game.path, side)
            told = [new_address_letter(game, side, change.replaced, settings)]
            (letter,) = post_all(told, settings.games / "outbox", game)
            note_reached(game, side)
        if json:
            print_json({"game": name, "side": side, "replaced": change.replaced, "letters": [letter]})
            return
        if not change.replaced:
            print(f"{what}.")
        print("In the repo stands the side alone; names and addresses are sealed.")
        print(f"Letter: {letter}")


def _ask_sides(game: Adjudicator, change: PlayerChange, reason: str, settings: MailSettings, json: bool) -> None:
    """Ask the other sides whether somebody takes a side over, and print the request."""
    from pbem.mail.answer.proposals import proposal_letters
    from pbem.mail.write.consent_letters import outcome
    from pbem.referee.acts.motions import Proposal, propose
    from pbem.repo.files.requests import REPLACEMENT
    from pbem.repo.files.seats import Person

    person = Person(change.name, change.address)
    proposal = Proposal(REPLACEMENT, replaced=change.side, person=person)
    request = propose(game, None, proposal, reason or "its player does not write any more")
    letters = post_all(proposal_letters(game, request, settings), settings.games / "outbox")
    if json:
        print_json({"game": game.name, "side": change.side, "request": request.request, "letters": letters})
        return
    print(outcome(game, request.request))
    for path in letters:
        print(f"Letter: {path}")


def _made(settings: MailSettings, new: NewGame) -> Adjudicator:
    """Return a new game; or the same game, if an earlier command that made it ended before its first letters."""
    from pbem.mail.notes.correspondence import reported
    from pbem.referee.game.terms import terms_of_new_game
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.repo.git import GameExists
    from pbem.repo.public import as_files

    try:
        return Adjudicator.create(settings.games, settings.keys, new)
    except GameExists:
        game = Adjudicator.open(settings.games, settings.keys, new.name, folders=new.folders)
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
        played = reported(game.path) is not None or any(map(game.sheets, game.rules.sides))
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
