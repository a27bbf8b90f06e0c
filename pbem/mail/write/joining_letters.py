"""The first letter of a running game: to a side's new address, or to its deputy."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.wording import listing
from pbem.mail.write.draft import framed
from pbem.mail.write.enclosures import Maps
from pbem.mail.write.outgoing import (
    About,
    MailSettings,
    Outgoing,
    called,
    letter,
    paragraphs,
    report_request,
    standing_list,
)
from pbem.mail.write.report_letters import attachments
from pbem.mail.write.welcome import heading, welcome_letter
from pbem.protocol import Side
from pbem.referee.acts.players import deputy_of, last_wrote
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.contents import Contents
from pbem.render.text.report import report

# ---- The letter to the new address of a side: to the player who takes it over, or to one who has moved


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


# ---- The first letter to the deputy of a side: how to play, what the side may know, and the form that counts now


def deputy_letter(game: Adjudicator, side: Side, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter to the deputy of a side, if it has one."""
    deputy = deputy_of(game, side)
    if deputy is None:
        return
    since = last_wrote(game, side)
    contents = Contents(game.rules, game.box, report_request(game, side, since, game.asked(side)))
    told = report(contents)
    values: dict[str, object] = {
        "deputy": deputy.name,
        "until": deputy.until,
        "intro": paragraphs(_deputy_intro(game, side, deputy.until)),
        "asked": told.asked,
        **heading(game, side),
    }
    words = framed("deputy", game, contents, told.text, values)
    attached = attachments(game, side, told, Maps(settings.drawings).pictures(game, side, since, legend=True), since)
    named = game.ledger.deputyship(side).named
    stamp = f"{game.name}.{side}.deputy-{named}"
    yield letter(settings, deputy.address, stamp, words, attached=attached, about=About(game, side, shared=False))


def _deputy_intro(game: Adjudicator, side: Side, until: str) -> Iterator[str]:
    player, name = game.player(side), called(game, side)
    yield (
        f"{player} plays {name} in {game.name}, a game of {game.box.title}, and has named you as deputy up to {until}, "
        f"that day included. Write in place of {player} from this address. {player} may still write as well: the last "
        "sheet that came before it is used is the one that counts. What the side is written goes to both of you."
    )
    yield (
        "You give its orders, ask, and talk to the others. To resign or agree to a draw or a rollback, and to change "
        "keys and settings of the side, is for the player alone. If you do not want this, you need not do anything."
    )
