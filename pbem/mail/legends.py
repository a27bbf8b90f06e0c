"""The legend that goes with the answer to HELP: what the signs on the map of the sender's game mean."""

from __future__ import annotations

import logging
from typing import Final

from pbem.mail.letter import Letter
from pbem.mail.outgoing import MailSettings
from pbem.mail.routing import meant
from pbem.protocol import PbemError
from pbem.render.pictures import Picture, legend_picture

_LOG: Final = logging.getLogger(__name__)


def legends(letter: Letter, settings: MailSettings) -> tuple[Picture, ...]:
    """Return the legend of the game that a letter is about; nothing if that is not clear, or it has not begun."""
    try:
        name = meant(letter, settings)
        with settings.open(name) as game:
            side = next(iter(game.sides_of(letter.sender)), None)
            if side is None or not game.begun:
                return ()
            return (legend_picture(game.rules.scene(game.view(side))),)
    except PbemError:
        return ()
    except Exception as wrong:  # a slip in a drawing must not hold a letter back
        _LOG.error("the legend for a letter cannot be drawn; it goes without one", exc_info=wrong)
        return ()
