"""The letters that ask for consent to a request, such as a rollback, a draw or a pause, and those about a refusal.

What each kind of request asks for, and how it is worded, stands in `pbem.referee.acts.request_kinds`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from pbem.game.wording import listing
from pbem.mail.notes.reader_time import reader_zone, time_shown
from pbem.mail.write.draft import Attachments
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.outgoing import (
    About,
    MailSettings,
    NewLetter,
    Outgoing,
    build_letter,
    folded_paragraphs,
    side_name,
)
from pbem.protocol import Side
from pbem.referee.acts.preconditions import adjudications
from pbem.referee.acts.request_kinds import KINDS
from pbem.referee.game.calendar import read_instant
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.messages import sentences
from pbem.render.text.report import Mail, happened, mail
from pbem.render.text.text_lines import WIDTH, folded
from pbem.repo.files.requests import Request, still_needed

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of sides and times in a letter, with the times in a zone."""

    game: OpenGame
    zone: ZoneInfo

    def side(self, side: Side) -> str:
        return side_name(self.game, side)

    def time(self, written: str) -> str:
        return time_shown(read_instant(written), self.zone)


def request_letters(game: Adjudicator, request: Request, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask sides for their consent; who has given it by asking is not asked.

    A side that the others vote about is told so.
    """
    kind = KINDS[request.kind]
    by_player = request.side in game.rules.sides
    for side in request.needed:
        if side in request.consents:
            continue
        what = kind.asks(game, request, _Names(game, reader_zone(game, side)))
        gives_reason = kind.gives_reason or not by_player or request.side == side
        words = mail(
            kind.letter,
            game=game.name,
            number=request.request,
            player=game.player(side),
            subject=kind.subject,
            stays=kind.stays,
            what=folded_paragraphs([what, *_must_agree(game, request)]),
            quorum=request.quorum,
            reason=folded_paragraphs([f"Reason: {request.reason}"]) if gives_reason else [],
            **({} if request.undone is None else _to_be_undone(game, side, request)),
        )
        yield _about_request(game, side, f"request-{request.request}", words, settings)
    if request.replaced in game.ledger.addresses:
        yield _vote_letter(game, request, settings)


def _about_request(game: Adjudicator, side: Side, stamp: str, words: Mail, settings: MailSettings) -> Outgoing:
    """Return a letter to a side about a request; `stamp` names it among the letters to that side."""
    attached, about = Attachments(receipt=enclosed(game, side)), About(game, side)
    name = f"{game.name}.{side}.{stamp}"
    return build_letter(settings, NewLetter(game.ledger.addresses[side], name, words, attached=attached, about=about))


def _to_be_undone(game: Adjudicator, side: Side, request: Request) -> dict[str, object]:
    """Return what a rollback would undo, as a side knows it."""
    say, told, dice = sentences(game.box), game.told(side, request.to), list[str]()
    for each in told:
        if each.event.roll is not None:
            line = say.dice(each.event.roll, each.event.facts)
            dice += folded(f"{each.adjudication}.{each.roll}  {line}", WIDTH, _INDENT, 3 * _INDENT)
    return {
        "to": request.to,
        "spans": adjudications(request.undone or []),
        "dice": dice,
        "shuffles": [_INDENT + each for each in request.shuffles or ()],
        "happened": happened(game.box, told),
    }


def _vote_letter(game: Adjudicator, request: Request, settings: MailSettings) -> Outgoing:
    """Return the letter that tells a side that the others vote about its player."""
    side = request.replaced
    what = (
        f"The other sides of {game.name} are asked whether somebody else takes over {side_name(game, side)} from you. "
        f"Reason: {request.reason}. You have no vote in that. If you want to play on, tell them, and your game "
        "master; and answer your last report. If you are only away, DEPUTY names somebody who writes for you."
    )
    words = mail("vote", game=game.name, player=game.player(side), text=folded_paragraphs([what]))
    return _about_request(game, side, f"request-{request.request}", words, settings)


def _must_agree(game: OpenGame, request: Request) -> list[str]:
    """Return who must agree to a request: those that are asked by name, if that is not every side of the game."""
    if request.quorum is not None:
        return [f"{request.quorum} of the {len(request.needed)} sides that are asked must agree."]
    if len(request.needed) < 2:
        return []
    if set(request.needed) == set(game.rules.sides):
        return ["All sides must agree."]
    return [f"{listing([side_name(game, side) for side in request.needed], 'and')} must agree."]


def outcome(game: OpenGame, number: int) -> str:
    """Return a sentence about the state of a request. Raises CannotPlay if there is no request of this number."""
    request = game.request(number)
    if request is None:
        raise CannotPlay(f"there is no request {number}.")
    what = f"Request {number}, {asked_for(game, request)}"
    missing = [side_name(game, each) for each in still_needed(request) if each not in request.refusals]
    if request.is_open:
        if request.quorum is None:
            return f"{what}, waits for {listing(missing)}."
        lacking = request.quorum - sum(each in request.needed for each in request.consents)
        return f"{what}, waits for {lacking} of {listing(missing)}."
    by = {f"refused by {side}": f"refused by {side_name(game, side)}" for side in game.rules.sides}
    return f"{what}: {by.get(request.outcome, request.outcome)}."


def asked_for(game: OpenGame, request: Request) -> str:
    """Return what a request asks for, as a part of a sentence."""
    return KINDS[request.kind].asked_for(request, _Names(game, ZoneInfo("UTC")))


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
            yield _about_request(game, side, f"request-{request.request}.refused", words, settings)


def _refused(game: OpenGame, request: Request, refuser: str) -> str:
    stays = KINDS[request.kind].refused(game, request)
    if not stays:
        return (
            f"{refuser} has refused request {request.request}, {asked_for(game, request)}. The game goes on as before."
        )
    return (
        f"{refuser} has refused request {request.request}: {stays}. Nothing has changed. The game still waits for the "
        "same decisions; the form is in your last report."
    )
