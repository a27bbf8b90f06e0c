"""The letters that ask for consent to a rollback, and those that say that it was refused."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.wording import listing
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import About, MailSettings, Outgoing, called, letter, paragraphs
from pbem.mail.receipts import enclosed
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.referee.preconditions import adjudications
from pbem.render.messages import sentences
from pbem.render.report import happened, mail
from pbem.render.tables import WIDTH
from pbem.render.wrap import folded
from pbem.repo.requests import OPEN, Request

_INDENT = "  "


def request_letters(game: Adjudicator, request: Request, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask all sides for their consent; each lists what would be undone as its side knows it."""
    say = sentences(game.box)
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
            player=game.charter.players[side],
            reason=paragraphs([f"Reason: {request.reason}"]),
            dice=dice,
            shuffles=[_INDENT + each for each in request.shuffles],
            happened=happened(game.box, told),
        )
        stamp, attached = f"{game.name}.{side}.request-{request.request}", Attachments(receipt=enclosed(game, side))
        yield letter(settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side))


def outcome(game: OpenGame, number: int) -> str:
    """Return a sentence about the state of a request. Raises CannotPlay if there is no request of this number."""
    request = game.request(number)
    if request is None:
        raise CannotPlay(f"there is no request {number}.")
    what = f"Request {number}, to go back to adjudication {request.to}"
    missing = [called(game, each) for each in request.needed if each not in request.consents]
    if request.outcome == OPEN:
        return f"{what}, waits for {listing(missing)}."
    by = {f"refused by {side}": f"refused by {called(game, side)}" for side in game.rules.sides}
    return f"{what}: {by.get(request.outcome, request.outcome)}."


def refusal_letters(game: Adjudicator, refuser: Side, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that tell the other sides that one has refused the last request, if it has."""
    request = game.request()
    if request is None or request.outcome != f"refused by {refuser}":
        return
    for side in request.needed:
        if side != refuser:
            words = mail(
                "refused",
                game=game.name,
                number=request.request,
                to=request.to,
                player=game.charter.players[side],
                refuser=called(game, refuser),
            )
            stamp = f"{game.name}.{side}.request-{request.request}.refused"
            attached = Attachments(receipt=enclosed(game, side))
            yield letter(
                settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
            )
