"""The letters that ask for consent to a rollback, a draw, a resignation or a motion, and those about a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from pbem.game.wording import listing
from pbem.mail.notes.reader_time import reader_zone, time_shown
from pbem.mail.write.draft import Attachments
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.outgoing import About, MailSettings, Outgoing, build_letter, folded_paragraphs, side_name
from pbem.protocol import Side
from pbem.referee.acts.ending import left_by
from pbem.referee.acts.preconditions import adjudications
from pbem.referee.game.calendar import read_instant
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.messages import sentences
from pbem.render.text.report import happened, mail
from pbem.render.text.text_lines import WIDTH, folded
from pbem.repo.files.requests import (
    DRAW,
    EXTENSION,
    OPEN,
    PAUSE,
    REPLACEMENT,
    RESIGNATION,
    AnyRequest,
    Ending,
    Motion,
    Request,
    still_needed,
)

_INDENT = "  "


def request_letters(game: Adjudicator, request: AnyRequest, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask sides for their consent; who has given it by asking is not asked."""
    match request:
        case Request():
            yield from _rollback_letters(game, request, settings)
        case Ending():
            yield from _ending_letters(game, request, settings)
        case Motion():
            yield from _motion_letters(game, request, settings)


def _motion_letters(game: Adjudicator, motion: Motion, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask whether the game should be paused, a side have more time, or another player."""
    proposer = motion.side if motion.side in game.rules.sides else None
    who = "The game master" if proposer is None else side_name(game, proposer)
    subject = {
        PAUSE: "pause the game?",
        EXTENSION: "more time?",
        REPLACEMENT: "another player?",
    }
    for side in motion.needed:
        if side in motion.consents:
            continue
        what = f"{who} proposes {_moved_for(game, motion, reader_zone(game, side))} in {game.name}."
        words = mail(
            "motion",
            game=game.name,
            number=motion.request,
            player=game.player(side),
            subject=subject[motion.kind],
            what=folded_paragraphs([" ".join([what, *_candidate(game, motion)]), *_must_agree(game, motion)]),
            quorum=motion.quorum,
            reason=folded_paragraphs([f"Reason: {motion.reason}"]),
        )
        stamp, attached = f"{game.name}.{side}.request-{motion.request}", Attachments(receipt=enclosed(game, side))
        yield build_letter(
            settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
        )


def _moved_for(game: OpenGame, motion: Motion, zone: ZoneInfo) -> str:
    """Return what a motion is for, as a part of a sentence, with the times in a zone."""
    if motion.kind == PAUSE:
        return f"a pause until {time_shown(read_instant(motion.until), zone)}"
    if motion.kind == REPLACEMENT:
        return f"another player for {side_name(game, motion.replaced)}"
    times = [
        f"{side_name(game, side)} until {time_shown(read_instant(at), zone)}"
        for side, at in sorted(motion.extended.items())
    ]
    return f"time for {listing(times)}"


def _ending_letters(game: Adjudicator, request: Ending, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask whether the game should end."""
    proposer = request.side if request.side in game.rules.sides else None
    who = "The game master" if proposer is None else side_name(game, proposer)
    for side in request.needed:
        if side in request.consents:
            continue
        subject = {
            DRAW: "end the game in a draw?",
            RESIGNATION: "do you resign?",
        }
        what = {
            DRAW: f"{who} proposes to end {game.name} in a draw{_would_win(game, request)}.",
            RESIGNATION: f"The game master asks whether you resign in {game.name}. {_if_resigned(game, request.side)}",
        }
        words = mail(
            "ending",
            game=game.name,
            number=request.request,
            player=game.player(side),
            subject=subject[request.kind],
            what=folded_paragraphs([what[request.kind], *_must_agree(game, request)]),
            quorum=request.quorum,
            reason=folded_paragraphs([f"Reason: {request.reason}"]) if proposer is None or proposer == side else [],
        )
        stamp, attached = f"{game.name}.{side}.request-{request.request}", Attachments(receipt=enclosed(game, side))
        yield build_letter(
            settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
        )


def _candidate(game: OpenGame, motion: Motion) -> list[str]:
    """Return the sentence that names who would take a side over, for those who vote."""
    person = game.ledger.proposed(motion.replaced) if motion.kind == REPLACEMENT else None
    return [] if person is None else [f"{person.name} would take it over from {game.player(motion.replaced)}."]


def vote_letters(game: Adjudicator, motion: Motion, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter that tells a side that the others vote about its player."""
    side = motion.replaced
    if side in game.ledger.addresses:
        what = (
            f"The other sides of {game.name} are asked whether somebody else takes over {side_name(game, side)} from "
            f"you. Reason: {motion.reason}. You have no vote in that. If you want to play on, tell them, and your game "
            "master; and answer your last report. If you are only away, DEPUTY names somebody who writes for you."
        )
        words = mail("vote", game=game.name, player=game.player(side), text=folded_paragraphs([what]))
        stamp, attached = f"{game.name}.{side}.request-{motion.request}", Attachments(receipt=enclosed(game, side))
        yield build_letter(
            settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
        )


def _must_agree(game: OpenGame, request: AnyRequest) -> list[str]:
    """Return who must agree to a request: those that are asked by name, if that is not every side of the game."""
    if request.quorum is not None:
        return [f"{request.quorum} of the {len(request.needed)} sides that are asked must agree."]
    if len(request.needed) < 2:
        return []
    if set(request.needed) == set(game.rules.sides):
        return ["All sides must agree."]
    return [f"{listing([side_name(game, side) for side in request.needed], 'and')} must agree."]


def _would_win(game: OpenGame, request: Ending) -> str:
    """Return which sides a draw names as its winners."""
    winners = [side_name(game, side) for side in request.winners]
    return f": {listing(winners)} would win{' together' if len(winners) > 1 else ''}" if winners else ""


def _if_resigned(game: OpenGame, side: Side) -> str:
    """Return what would come of a game without a side that resigns."""
    left = left_by(game, side)
    if len(left) > 1:
        return f"The game would go on: {listing([side_name(game, each) for each in left])} would play on."
    return f"The game would end, and {listing([side_name(game, each) for each in left])} would win."


def _rollback_letters(game: Adjudicator, request: Request, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask whether to go back; each lists what would be undone as its side knows it."""
    say = sentences(game.box)
    asks = f"The game master asks whether {game.name} should go back to where it stood after adjudication {request.to}."
    for side in request.needed:
        told = game.told(side, request.to)
        dice = []
        for each in told:
            if each.event.roll is not None:
                line = say.dice(each.event.roll, each.event.facts)
                dice += folded(f"{each.adjudication}.{each.roll}  {line}", WIDTH, _INDENT, 3 * _INDENT)
        words = mail(
            "rollback",
            game=game.name,
            number=request.request,
            to=request.to,
            spans=adjudications(request.undone),
            player=game.player(side),
            what=folded_paragraphs([asks, *_must_agree(game, request)]),
            reason=folded_paragraphs([f"Reason: {request.reason}"]),
            dice=dice,
            shuffles=[_INDENT + each for each in request.shuffles],
            happened=happened(game.box, told),
            quorum=request.quorum,
        )
        stamp, attached = f"{game.name}.{side}.request-{request.request}", Attachments(receipt=enclosed(game, side))
        yield build_letter(
            settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
        )


def outcome(game: OpenGame, number: int) -> str:
    """Return a sentence about the state of a request. Raises CannotPlay if there is no request of this number."""
    request = game.request(number)
    if request is None:
        raise CannotPlay(f"there is no request {number}.")
    what = f"Request {number}, {asked_for(game, request)}"
    missing = [side_name(game, each) for each in still_needed(request) if each not in request.refusals]
    if request.outcome == OPEN:
        if request.quorum is None:
            return f"{what}, waits for {listing(missing)}."
        lacking = request.quorum - sum(each in request.needed for each in request.consents)
        return f"{what}, waits for {lacking} of {listing(missing)}."
    by = {f"refused by {side}": f"refused by {side_name(game, side)}" for side in game.rules.sides}
    return f"{what}: {by.get(request.outcome, request.outcome)}."


def asked_for(game: OpenGame, request: AnyRequest) -> str:
    """Return what a request asks for, as a part of a sentence."""
    if isinstance(request, Request):
        return f"to go back to adjudication {request.to}"
    if isinstance(request, Motion):
        return f"for {_moved_for(game, request, ZoneInfo('UTC'))}"
    if request.kind == DRAW and request.winners:
        return f"to end the game in a draw that {listing([side_name(game, side) for side in request.winners])} win"
    return "to end the game in a draw" if request.kind == DRAW else f"by which {side_name(game, request.side)} resigns"


def refusal_letters(game: Adjudicator, refuser: Side, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that tell the other sides that one has refused the last request, if it has."""
    request = game.request()
    if request is None or request.outcome != f"refused by {refuser}":
        return
    for side in request.needed:
        if side != refuser and side in game.ledger.addresses:
            words = mail(
                "refused",
                game=game.name,
                number=request.request,
                player=game.player(side),
                refuser=side_name(game, refuser),
                text=folded_paragraphs([_refused(game, request, side_name(game, refuser))]),
            )
            stamp = f"{game.name}.{side}.request-{request.request}.refused"
            attached = Attachments(receipt=enclosed(game, side))
            yield build_letter(
                settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
            )


def _refused(game: OpenGame, request: AnyRequest, refuser: str) -> str:
    if isinstance(request, Request):
        stays = f"{game.name} does not go back to adjudication {request.to}"
    elif isinstance(request, Motion):
        return (
            f"{refuser} has refused request {request.request}, {asked_for(game, request)}. The game goes on as before."
        )
    else:
        stays = f"{game.name} does not end{' in a draw' if request.kind == DRAW else ''}"
    return (
        f"{refuser} has refused request {request.request}: {stays}. Nothing has changed. The game still waits for the "
        "same decisions; the form is in your last report."
    )
