"""Order sheets: the text of a letter becomes orders, and its faults become complaints that show the place.

A sheet::

    game: punica            # the game's name
    side: rome
    adjudication: 41        # the last adjudication that the sheet answers
    link: 5f4b...           # only for a player with a chain of their own: the next link
    ahead: true             # only if no open decision is answered: the orders are for what comes
    orders:
    - intercept: {with: [{general: fabius_maximus, cu: 8}]}
    standing:               # optional, also without orders
    - intercept: {with: []}
      when: {at: [capua]}

The game's box describes the form of each kind of order (`OrderForm`). The rules are not known here.
"""

from pbem.game.order_form import OrderForm
from pbem.orders.sheet.by_word import cancellation, withdrawal
from pbem.orders.sheet.complaint import as_rows, complain, sentence, shortened, width_of
from pbem.orders.sheet.sheet_reader import (
    AHEAD,
    ASK,
    DEFAULT,
    LINK,
    ORDERS,
    STANDING,
    STANDING_ADD,
    STANDING_CANCEL,
    UNTIL,
    WHEN,
    BadSheet,
    Sheet,
    Written,
    check_heading,
    read_sheet,
    sheet_of,
)

__all__ = [
    "AHEAD",
    "ASK",
    "DEFAULT",
    "LINK",
    "ORDERS",
    "STANDING",
    "STANDING_ADD",
    "STANDING_CANCEL",
    "UNTIL",
    "WHEN",
    "BadSheet",
    "OrderForm",
    "Sheet",
    "Written",
    "as_rows",
    "cancellation",
    "check_heading",
    "complain",
    "read_sheet",
    "sentence",
    "sheet_of",
    "shortened",
    "width_of",
    "withdrawal",
]
