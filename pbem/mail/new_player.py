"""The letter to the new address of a side: to the player who takes it over, or to one who has moved."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.wording import listing
from pbem.mail.html_letter import framed
from pbem.mail.maps import Maps
from pbem.mail.outgoing import About, MailSettings, Outgoing, called, letter, paragraphs, report_request
from pbem.mail.own_orders import standing_list
from pbem.mail.report_letters import attachments
from pbem.mail.welcome import heading, welcome_letter
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.players import last_wrote
from pbem.render.contents import Contents
from pbem.render.report import report


def new_address_letter(game: Adjudicator, side: Side, replaced: bool, settings: MailSettings) -> Outgoing:
    """Return the letter to a side whose player or address has changed.

    It has the whole position, and what happened since the player before last wrote. Before a game begins it is the
    letter that asks for a phrase.
    """
    if not game.begun:
        return welcome_letter(game, side, settings)
    since = last_wrote(game, side)
    contents = Contents(game.rules, game.box, report_request(game, side, since, game.asked(side)))
    told = report(contents)
    values: dict[str, object] = {
        "intro": paragraphs(_intro(game, side, replaced)),
        "replaced": replaced,
        "orders": paragraphs(_orders(game, side)),
        "asked": told.asked,
        "key": game.charter.signed_by.split()[:2],
        **heading(game, side),
    }
    words = framed("new_player", game, contents, told.text, values)
    joined = game.ledger.joined(side)
    pictures, lies = Maps(settings.drawings).new_pictures(game, side, since, "", legend=replaced)
    attached = attachments(game, side, told, pictures, since)
    stamp = f"{game.name}.{side}.address-{joined.addresses}"
    about = About(game, side, game.adjudication, lies, shared=False)
    return letter(settings, game.ledger.addresses[side], stamp, words, attached=attached, about=about)


def _intro(game: Adjudicator, side: Side, replaced: bool) -> Iterator[str]:
    if replaced:
        others = [called(game, each) for each in game.rules.sides if each != side]
        yield (
            f"you take over {called(game, side)} in {game.name}, a game of {game.box.title}. It goes on where it "
            f"stands. {listing(others)} will read in the next report that {called(game, side)} has a new player."
        )
    else:
        yield f"from now on the letters of {game.name} for {called(game, side)} come to this address. Write from it."
    yield "What happened since a sheet of your side was last used stands below, and the order sheet that counts now."


def _orders(game: Adjudicator, side: Side) -> Iterator[str]:
    """Yield what the side has left with the referee."""
    if game.waits(side):
        yield (
            "Orders of your side are waiting to be used. Another sheet takes their place; WITHDRAW on a line of its "
            "own takes them back."
        )
    if game.standing(side):
        yield "\n".join(["Standing orders of your side are in force:", *standing_list(game, side)])
        yield "STANDING CANCEL ALL on a line of its own cancels them, STANDING CANCEL 1 only the first."
