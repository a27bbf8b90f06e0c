"""Standing orders: answers in advance to decisions of a kind, under conditions on their facts.

Written in a sheet under `standing`, each an order with `when` and `until` beside or inside it::

    standing:
    - intercept:
        when: {mover: [hannibal, mago], enemy_cu: "<= 10"}
        with: [{general: fabius, cu: 8}]
    - losses: default          # the answer that counts without a letter
    - respond: ask             # left to the player, whom the game then waits for where it may
    - default                  # here the set that comes with the game

The first order that fits and is legal answers. A sheet with `standing` replaces all standing orders of the side, and
`standing: []` withdraws them; `standing_add` puts its orders before those in force. `conditions` reads `when`, `scope`
reads `until`, `alternatives` reads what is filled in when the decision comes. `filing` checks and files the orders of a
sheet. `in_force` tries them on a decision.
"""

from pbem.orders.standing.filing import Filed, Terms, check_standing, file_standing, read_filed
from pbem.orders.standing.in_force import InForce

__all__ = ["Filed", "InForce", "Terms", "check_standing", "file_standing", "read_filed"]
