"""The verbs that carry a game on: letters and sheets taken in, beacon rounds entered, talk passed on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.cli.at_home import how_to_agree
from pbem.cli.runtime import (
    FAULTS,
    USUAL,
    Name,
    Reason,
    Shared,
    SideOf,
    done_by_now,
    judge,
    mail_settings,
    misuse,
    open_questions,
    opened_to_change,
    opened_to_read,
    owes,
    post_letter,
    print_adjudicated,
    print_echo,
    print_json,
    read_input,
    require_side,
    sheet_in_file,
    tell_all,
)

if TYPE_CHECKING:
    from pbem.protocol import Decision, Side
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.repo.files.talk_book import Talk

Speaker = Annotated[str, typer.Argument(metavar="SIDE", help="The side that talks.")]
_ALL: Final = "all"
_OWED: Final = (
    "An earlier command broke off before its letters were written. They are written now. "
    "The answers that it gave for sides count. Look at `pbem status` before you give the command again."
)


def submit_sheet(
    name: Name,
    side: SideOf,
    sheet: Annotated[Path | None, typer.Argument(help="An order sheet; - is standard input.")] = None,
    agreed: Annotated[
        int | None,
        typer.Option("--agreed", metavar="REPORT", help="Instead of a sheet: the report that the side agrees to."),
    ] = None,
    link: Annotated[str, typer.Option(help="With --agreed: the next link of the side's own dice chain.")] = "",
    shared: Shared = USUAL,
) -> None:
    """Hand in a side's sheet, or its agreement to the last report, and continue the game."""
    from datetime import UTC, datetime

    from pbem.mail.answer.own_orders import agreed_at
    from pbem.referee.play.sheet_check import SheetOrigin

    if (sheet is None) == (agreed is None):
        misuse("give a sheet, or --agreed and the number of the report that the side agrees to")
    if link and agreed is None:
        misuse("--link goes with --agreed; a sheet has its link on a line of its own")
    with opened_to_change(name, shared) as game:
        require_side(game, side)
        raw = f"AGREED {agreed}".encode() if sheet is None else sheet_in_file(game, side, sheet)
        mark = sha256(f"submitted for {side}\n".encode() + raw).hexdigest()
        owing, due, now = owes(game), done_by_now(game, shared), datetime.now(UTC)
        game.carry_out_letter_of(now, now)
        with game.transaction():
            before = game.ledger.letter(mark) if owing else None  # then an earlier command did all but write letters
            receipt = None
            if before is None:
                raw = raw if agreed is None else agreed_at(game, side, agreed, link)
                origin = SheetOrigin("AGREED" if sheet is None else sheet.name)
                receipt = game.receive(side, raw, letter=mark, origin=origin)
                if receipt.number is None:
                    judge(receipt, shared.json, "", how_to_agree(receipt, game))
            numbers = game.adjudicate()
        letters = due + tell_all(game, numbers, shared)
        number = receipt.number if receipt is not None else (before or {})["sheet"]
        if shared.json:
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


def receive_letter(
    file: Annotated[Path | None, typer.Argument(help="A letter (.eml); by default standard input.")] = None,
    outbox: Annotated[Path | None, typer.Option(help="Maildir for the answers; by default GAMES/outbox.")] = None,
    shared: Shared = USUAL,
) -> None:
    """Take in a player's letter, continue the game, and write the answers to the outbox."""
    from pbem.mail.intake import take_in
    from pbem.mail.notes.outboxes import MaildirOutbox
    from pbem.mail.read.mime import Headers
    from pbem.repo.git.locks import require_locks

    require_locks()
    settings = mail_settings(shared)
    box = outbox or settings.games / "outbox"
    if not settings.games.is_dir():  # do not refuse a letter because a disk is not mounted
        raise FileNotFoundError(ENOENT, "the folder of the games does not exist; PBEM_GAMES names it", settings.games)
    raw = read_input(file if file is not None else Path("-"))
    came = Headers(raw).arrived  # the server's own time: a clock goes by it, not by when the command is given
    came = came if came is not None and came < settings.now else None
    handled = take_in(raw, replace(settings, outbox=MaildirOutbox(box), came=came))
    written = [post_letter(out, box) for out in handled.letters]
    if shared.json:
        print_json({"accepted": handled.accepted, "notes": handled.notes, "log": handled.log, "letters": written})
    else:
        sent = [f"to {out.to}: {path}" for out, path in zip(handled.letters, written, strict=True)]
        print("\n".join([*handled.notes, *handled.log, *sent]))
    if handled.letters and not handled.accepted:  # a letter that is left unanswered must not bounce either
        sys.exit(FAULTS)


def adjudicate_game(
    name: Name,
    late: Annotated[
        list[str] | None, typer.Option("--late", help="A side whose deadline has passed: its defaults count.")
    ] = None,
    bot: Annotated[
        list[str] | None, typer.Option("--bot", help="A side whose player is away: the game's bot plays for it.")
    ] = None,
    shared: Shared = USUAL,
) -> None:
    """Continue a game as far as the answers that have come allow."""
    late, bot = late or [], bot or []
    with opened_to_change(name, shared) as game:
        for side in [*late, *bot]:
            require_side(game, side)
        owing, before = owes(game), game.adjudication
        with game.lock():
            due = done_by_now(game, shared)
            # Repeating a command that broke off must not answer the next decision as well.
            numbers = [] if owing and (late or bot) else game.adjudicate(late, bot)
        numbers = [*range(before + 1, game.adjudication + 1)] if due else numbers
        advice = [] if numbers or owing else [line for side in late for line in _not_late(game, side)]
        letters = due + tell_all(game, numbers, shared)
        if shared.json:
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


def enter_round(
    name: Name,
    number: Annotated[int, typer.Argument(metavar="ROUND", help="The round that the letters name.")],
    signature: Annotated[str | None, typer.Argument(help="The signature of that round, as drand publishes it.")] = None,
    missing: Annotated[bool, typer.Option("--missing", help="The round will never come; needs --reason.")] = False,
    reason: Reason = None,
    shared: Shared = USUAL,
) -> None:
    """Enter the round of drand that the closed sheets wait for, and continue the game."""
    if missing == (signature is not None) or missing != (reason is not None):
        misuse("give the round and its signature, or the round, --missing and --reason")
    with opened_to_change(name, shared) as game:
        if signature is not None:
            numbers = game.put_in_round(number, signature.strip().lower())
        else:
            numbers = game.miss_round(number, reason or "")
        letters = tell_all(game, numbers, shared)
        if shared.json:
            print_json({"adjudications": numbers, "waiting": open_questions(game), "letters": letters})
            return
        print_adjudicated(game, numbers, letters)


# ---- Talk: `pbem press` and `show`


def pass_on_talk(
    name: Name,
    side: Speaker,
    text: Annotated[Path | None, typer.Argument(help="A file with the words; by default standard input.")] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="SIDES", help="To whom: sides with commas between them, or all.")
    ] = None,
    unsigned: Annotated[
        bool, typer.Option("--unsigned", help="Do not tell who says it, in a game that allows that.")
    ] = False,
    shared: Shared = USUAL,
) -> None:
    """Pass on what one side says to others. Without --to, print what it has said and heard so far."""
    if to is None:
        _print_heard(name, side, shared)
        return
    from pbem.mail.answer.table_talk import talk_lines
    from pbem.referee.acts.talk import speak

    said = read_input(text or Path("-")).decode("utf-8", "replace")
    with opened_to_change(name, shared) as game:
        heard = _listeners(game, side, to)
        mark = _mark_of_talk(game, side, heard, said)
        talk = _passed_on(game, lambda: speak(game, side, heard, said, mark, unsigned=unsigned))
        _print_passed_on(game, talk, [] if talk is None else talk_lines(talk), shared)


def show_holding(
    name: Name,
    side: Speaker,
    what: Annotated[str, typer.Argument(help="What is shown, in the words of the game, such as 'card 7'.")],
    to: Annotated[str, typer.Option("--to", metavar="SIDES", help="To whom: sides with commas between them, or all.")],
    shared: Shared = USUAL,
) -> None:
    """Let other sides see what one side holds, such as a card. The referee attests it."""
    from pbem.mail.answer.table_talk import shown_lines
    from pbem.referee.acts.talk import show_to

    with opened_to_change(name, shared) as game:
        heard = _listeners(game, side, to)
        mark = _mark_of_talk(game, side, heard, f"show {what}")
        talk = _passed_on(game, lambda: show_to(game, side, heard, what, mark))
        _print_passed_on(game, talk, [] if talk is None else shown_lines(game, talk), shared)


def _listeners(game: Adjudicator, side: Side, to: str) -> list[Side]:
    require_side(game, side)
    if to.strip().lower() == _ALL:
        return [each for each in game.rules.sides if each != side]
    named = [each.strip() for each in to.split(",") if each.strip()]
    for each in named:
        require_side(game, each)
    if not named:
        misuse("--to names the sides that hear it, or all")
    return named


def _mark_of_talk(game: Adjudicator, side: Side, heard: list[Side], what: str) -> str:
    """Return the digest by which the same words are known on the same day, should the command be given again."""
    return game.ledger.talk_digest("\n".join(["here", game.day, side, *sorted(heard), what]))


def _passed_on(game: Adjudicator, say: Callable[[], Talk | None]) -> Talk | None:
    """Say or show something; end with exit code 3 if it may not be."""
    from pbem.referee.game.open_game import CannotPlay, OtherRules

    try:
        return say()
    except OtherRules:
        raise
    except CannotPlay as refusal:
        print(f"pbem: not passed on: {refusal}", file=sys.stderr)
        sys.exit(FAULTS)


def _print_passed_on(game: Adjudicator, talk: Talk | None, lines: list[str], shared: Shared) -> None:
    """Write the letters of what was said, also of what an earlier command still owes, and print what was done."""
    from pbem.mail.answer.table_talk import talk_letters

    settings, passed_on = mail_settings(shared), list[str]()
    with game.lock():
        letters = [post_letter(out, settings.games / "outbox") for out in talk_letters(game, settings, passed_on)]
        game.talk.note_sent(passed_on)
    if shared.json:
        print_json({"to": [] if talk is None else talk.to, "letters": letters})
        return
    if talk is None:
        print("That was passed on before today; nothing is said twice.")
    else:
        print("\n".join([f"Passed on to {', '.join(talk.to)}.", *lines]))
    for path in letters:
        print(f"Letter: {path}")


def _print_heard(name: str, side: Side, shared: Shared) -> None:
    """Print what a side has said and heard."""
    from pbem.mail.answer.table_talk import shown_lines, talk_lines
    from pbem.repo.files.talk_book import heard_by

    with opened_to_read(name, shared) as game:
        require_side(game, side)
        talk = sorted(game.talk.all(), key=lambda each: (each.day, each.after))
        if shared.json:
            print_json(heard_by(side, talk))
            return
        for each in talk:
            if side == each.side or side in each.to:
                hidden = each.unsigned and each.side != side
                by, to = ("unsigned", [side]) if hidden else (each.side, each.to)
                print(f"{each.day}, after adjudication {each.after}, {by} to {', '.join(to)}:")
                print("\n".join(talk_lines(each) if each.event is None else shown_lines(game, each)))
