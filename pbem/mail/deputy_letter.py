"""The first letter to the deputy of a side: how to play, what the side may know, and the form that counts now."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.mail.html_letter import framed
from pbem.mail.maps import Maps
from pbem.mail.outgoing import About, MailSettings, Outgoing, called, letter, paragraphs, report_request
from pbem.mail.report_letters import attachments
from pbem.mail.welcome import heading
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.players import deputy_of, last_wrote
from pbem.render.contents import Contents
from pbem.render.report import report


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
        "intro": paragraphs(_intro(game, side, deputy.until)),
        "asked": told.asked,
        **heading(game, side),
    }
    words = framed("deputy", game, contents, told.text, values)
    attached = attachments(game, side, told, Maps(settings.drawings).pictures(game, side, since, legend=True), since)
    named = game.ledger.deputyship(side).named
    stamp = f"{game.name}.{side}.deputy-{named}"
    yield letter(settings, deputy.address, stamp, words, attached=attached, about=About(game, side, shared=False))


def _intro(game: Adjudicator, side: Side, until: str) -> Iterator[str]:
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
