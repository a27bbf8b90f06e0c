"""Turn the text of a letter into orders, and whatever is wrong with it into complaints that show the place.

A sheet::

    game: punica            # the game's name
    side: rome
    adjudication: 41        # the last adjudication that the sheet answers
    link: 5f4b...           # only of a side with a chain of its own: the next link (see `pbem.crypto.player_chains`)
    orders:
    - intercept: {with: [{general: fabius_maximus, cu: 8}]}
    standing:               # may be left out, or stand alone
    - intercept: {with: []}
      when: {at: [capua]}

What an order of a kind looks like is said by the game's box (`OrderForm`); what the rules say of it is not known here.
"""

from pbem.game.order_form import OrderForm
from pbem.orders.sheet.complaint import as_rows, complain
from pbem.orders.sheet.reader import (
    DEFAULT,
    LINK,
    ORDERS,
    STANDING,
    STANDING_ADD,
    UNTIL,
    WHEN,
    BadSheet,
    Sheet,
    check_heading,
    read_sheet,
)

__all__ = [
    "DEFAULT",
    "LINK",
    "ORDERS",
    "STANDING",
    "STANDING_ADD",
    "UNTIL",
    "WHEN",
    "BadSheet",
    "OrderForm",
    "Sheet",
    "as_rows",
    "check_heading",
    "complain",
    "read_sheet",
]
