"""The HTML part of a letter with a report: what `pbem.pages` makes of it, or nothing, which holds no letter back."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pbem.mail.address import mailbox
from pbem.mail.outbox import Draft, content_id
from pbem.render.contents import Contents
from pbem.render.report import Mail, mail

if TYPE_CHECKING:
    from pbem.referee.open_game import OpenGame

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Framed:
    """A letter as text, with what its page is made of: the game, the report, the text above and below the report."""

    text: Mail
    game: OpenGame
    contents: Contents[Any]
    before: str
    after: str


def framed(template: str, game: OpenGame, contents: Contents[Any], report: str, values: Mapping[str, object]) -> Framed:
    """Return the letter that a template makes of a report and other values, and what stands around the report in it."""
    values = {**values, "game": game.name}
    text = mail(template, **{**values, "report": report})
    mark = sha256(text.text.encode("utf-8", "replace")).hexdigest()  # no text has its own digest in it
    before, _, after = mail(template, **{**values, "report": mark}).text.partition(mark)
    return Framed(text, game, contents, before, after)


def html_of(letter: Framed, draft: Draft, *, must_sign: bool) -> str:
    """Return the page of a letter; empty if it cannot be made: the log says why, and the text goes without it."""
    from pbem.pages.letter import Envelope, LetterPicture, letter_page

    try:
        to = mailbox(draft.reply_to or draft.sender)
        assert to is not None
        shown = [LetterPicture(content_id(draft.message_id, name), alt) for name, alt in _pictures(draft)]
        enclosed = f"\n\nEnclosed: {', '.join(names)}" if (names := draft.attached.names) else ""
        around = Envelope(
            draft.subject,
            letter.before,
            letter.after + enclosed,
            to.address,
            shown,
            must_sign,
        )
        return letter_page(letter.contents, around)
    except Exception as wrong:  # a slip in a page must not hold a letter back
        _LOG.error("%s: the page of letter %s cannot be made; it goes as text", letter.game.name, draft.message_id)
        _LOG.debug("why it cannot be made", exc_info=wrong)
        return ""


def _pictures(draft: Draft) -> Sequence[tuple[str, str]]:
    return [(draft.attached.name_of(each.name), each.alt) for each in draft.attached.pictures]
