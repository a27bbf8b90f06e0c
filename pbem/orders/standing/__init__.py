"""Standing orders: what a side answers in advance to questions of a kind, as long as the facts are as it says.

Written in a sheet under `standing`, each an order with `when` and `until` beside or inside it::

    standing:
    - intercept:
        when: {mover: [hannibal, mago], enemy_cu: "<= 10"}
        with: [{general: fabius, cu: 8}]
    - losses: default          # the answer that counts without a letter
    - default                  # here the set that comes with the game

The first order that fits and is legal answers. A sheet with `standing` replaces all that the side had, `standing: []`
withdraws it; `standing_add` puts its orders before those in force. `conditions` reads `when`, `scope` reads `until`,
`alternatives` what may be filled in when the question comes,
`filing` checks and files what a sheet says, `in_force` tries the orders on a question.
"""

from pbem.orders.standing.filing import Filed, Terms, check_standing, file_standing, read_filed
from pbem.orders.standing.in_force import InForce

__all__ = ["Filed", "InForce", "Terms", "check_standing", "file_standing", "read_filed"]
