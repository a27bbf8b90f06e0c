"""The letters that ask for consent to a rollback, a draw or a resignation, and those that say that it was refused."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.wording import listing
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import About, MailSettings, Outgoing, called, letter, paragraphs
from pbem.mail.receipts import enclosed
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.ending import left_by
from pbem.referee.open_game import CannotPlay, OpenGame
from pbem.referee.preconditions import adjudications
from pbem.render.messages import sentences
from pbem.render.report import happened, mail
from pbem.render.tables import WIDTH
from pbem.render.wrap import folded
from pbem.repo.requests import DRAW, OPEN, REPLACEMENT, RESIGNATION, AnyRequest, Ending, Request, still_needed

_INDENT = "  "


def request_letters(game: Adjudicator, request: AnyRequest, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask sides for their consent; who has given it by asking is not asked."""
    yield from (
        _rollback_letters(game, request, settings)
        if isinstance(request, Request)
        else _ending_letters(game, request, settings)
    )


def _ending_letters(game: Adjudicator, request: Ending, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letters that ask whether the game should end."""
    proposer = request.side if request.side in game.rules.sides else None
    if request.kind == REPLACEMENT:
        proposer = next(iter(request.consents), None)
    who = "The game master" if proposer is None else called(game, proposer)
    for side in request.needed:
        if side in request.consents:
            continue
        subject = {
            DRAW: "end the game in a draw?",
            RESIGNATION: "do you resign?",
            REPLACEMENT: f"another player for {called(game, request.side)}?",
        }
        what = {
            DRAW: f"{who} proposes to end {game.name} in a draw{_together(game, request)}.",
            RESIGNATION: f"The game master asks whether you resign in {game.name}. {_without(game, request.side)}",
            REPLACEMENT: f"{who} proposes that {_proposed(game, request)} takes over {called(game, request.side)} in "
            f"{game.name} from {game.player(request.side)}.",
        }
        words = mail(
            "ending",
            game=game.name,
            number=request.request,
            player=game.player(side),
            subject=subject[request.kind],
            what=paragraphs([what[request.kind], *_must_agree(game, request)]),
            quorum=request.quorum,
            lasts=request.kind == REPLACEMENT,
            reason=paragraphs([f"Reason: {request.reason}"]) if proposer is None or proposer == side else [],
        )
        stamp, attached = f"{game.name}.{side}.request-{request.request}", Attachments(receipt=enclosed(game, side))
        yield letter(settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side))


def _proposed(game: OpenGame, request: Ending) -> str:
    """Return the name of who is proposed to take a side over."""
    person = game.ledger.proposed(request.side)
    return "another player" if person is None else person.name


def vote_letters(game: Adjudicator, request: Ending, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter that tells a side that the others vote about its player."""
    side = request.side
    if side in game.ledger.addresses:
        what = (
            f"The other sides of {game.name} are asked whether somebody else takes over {called(game, side)} from you. "
            f"Reason: {request.reason}. You have no vote in that. If you want to play on, tell them, and your game "
            "master; and answer your last report. If you are only away, DEPUTY names somebody who writes for you."
        )
        words = mail("vote", game=game.name, player=game.player(side), text=paragraphs([what]))
        stamp, attached = f"{game.name}.{side}.request-{request.request}", Attachments(receipt=enclosed(game, side))
        yield letter(settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side))


def _must_agree(game: OpenGame, request: AnyRequest) -> list[str]:
    """Return who must agree to a request: those that are asked by name, if that is not every side of the game."""
    if request.quorum is not None:
        return [f"{request.quorum} of the {len(request.needed)} sides that are asked must agree."]
    if len(request.needed) < 2:
        return []
    if set(request.needed) == set(game.rules.sides):
        return ["All sides must agree."]
    return [f"{listing([called(game, side) for side in request.needed], 'and')} must agree."]


def _together(game: OpenGame, request: Ending) -> str:
    """Return which sides a draw names as its winners."""
    winners = [called(game, side) for side in request.winners]
    return f": {listing(winners)} would win{' together' if len(winners) > 1 else ''}" if winners else ""


def _without(game: OpenGame, side: Side) -> str:
    """Return what would come of a game without a side that resigns."""
    left = left_by(game, side)
    if len(left) > 1:
        return f"The game would go on: {listing([called(game, each) for each in left])} would play on."
    return f"The game would end, and {listing([called(game, each) for each in left])} would win."


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
            what=paragraphs([asks, *_must_agree(game, request)]),
            reason=paragraphs([f"Reason: {request.reason}"]),
            dice=dice,
            shuffles=[_INDENT + each for each in request.shuffles],
            happened=happened(game.box, told),
            quorum=request.quorum,
        )
        stamp, attached = f"{game.name}.{side}.request-{request.request}", Attachments(receipt=enclosed(game, side))
        yield letter(settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side))


def outcome(game: OpenGame, number: int) -> str:
    """Return a sentence about the state of a request. Raises CannotPlay if there is no request of this number."""
    request = game.request(number)
    if request is None:
        raise CannotPlay(f"there is no request {number}.")
    what = f"Request {number}, {asked_for(game, request)}"
    missing = [called(game, each) for each in still_needed(request) if each not in request.refusals]
    if request.outcome == OPEN:
        if request.quorum is None:
            return f"{what}, waits for {listing(missing)}."
        lacking = request.quorum - sum(each in request.needed for each in request.consents)
        return f"{what}, waits for {lacking} of {listing(missing)}."
    by = {f"refused by {side}": f"refused by {called(game, side)}" for side in game.rules.sides}
    return f"{what}: {by.get(request.outcome, request.outcome)}."


def asked_for(game: OpenGame, request: AnyRequest) -> str:
    """Return what a request asks for, as a part of a sentence."""
    if isinstance(request, Request):
        return f"to go back to adjudication {request.to}"
    if request.kind == DRAW and request.winners:
        return f"to end the game in a draw that {listing([called(game, side) for side in request.winners])} win"
    if request.kind == REPLACEMENT:
        return f"for another player of {called(game, request.side)}"
    return "to end the game in a draw" if request.kind == DRAW else f"by which {called(game, request.side)} resigns"


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
                refuser=called(game, refuser),
                text=paragraphs([_refused(game, request, called(game, refuser))]),
            )
            stamp = f"{game.name}.{side}.request-{request.request}.refused"
            attached = Attachments(receipt=enclosed(game, side))
            yield letter(
                settings, game.ledger.addresses[side], stamp, words, attached=attached, about=About(game, side)
            )


def _refused(game: OpenGame, request: AnyRequest, refuser: str) -> str:
    if isinstance(request, Request):
        stays = f"{game.name} does not go back to adjudication {request.to}"
    elif request.kind == REPLACEMENT:
        stays = f"{game.player(request.side)} plays on"
    else:
        stays = f"{game.name} does not end{' in a draw' if request.kind == DRAW else ''}"
    return (
        f"{refuser} has refused request {request.request}: {stays}. Nothing has changed. The game still waits for the "
        "same decisions; the form is in your last report."
    )
