"""The rooms of sealed files: padded sizes that follow from public facts, and that no honest content exceeds.

What is public: the position, the turn file, which sides have handed in a sheet or filed standing orders, how many
sheets wait, how many adjudications were made since the last checkpoint. What a side may leave with the referee has
limits (`pbem.game.kept_orders`, and the longest sheet), so that its share of a room is the same whatever it has left.
"""

from __future__ import annotations

from typing import Final

from pbem.game.kept_orders import LONGEST, MOST
from pbem.game.yaml import LETTER

SHEET: Final = LETTER.size
"""The room of a sheet: the longest that is read."""
WAITING: Final = LONGEST + 40 * MOST
"""The share of a side's waiting orders in the state, each with the name of its source."""
STANDING: Final = LONGEST + 88 * MOST
"""The room of a side's standing orders, each with its name and the adjudication before it."""
NOTICES: Final = LONGEST + 192 * MOST
"""The share of a side that has handed in a sheet in a sealed record: its orders as answers, or why they expired."""
NOTICES_STANDING: Final = LONGEST
"""The share of a side with standing orders in a sealed record: which answered, and why others did not."""
TALK: Final = 16 * 1024
"""The share of a side in a file of talk. Where that is full it is written before the next adjudication."""
_MORE: Final = 4 * 1024
"""For what takes little room: decisions, digests, numbers, hands."""
_STEP: Final = 128
_NEW_SHEET: Final = 192


def state_room(position: int, sides: int, steps: int, new_sheets: int) -> int:
    """Return the room of the state.

    `position` is the length of the public position, `sides` how many sides play, `steps` how many adjudications were
    made since the last checkpoint, `new_sheets` how many sheets wait.
    """
    more = _MORE * max(sides, 2) // 2  # each side has decisions and answers of its own
    return 2 * position + sides * (WAITING + STANDING) + _STEP * steps + _NEW_SHEET * new_sheets + more


def record_room(turn: int, handed_in: int, standing: int, acted: bool) -> int:
    """Return the room of the sealed record of an adjudication.

    `turn` is the length of its turn file, `handed_in` how many sides have handed in sheets since the last checkpoint,
    `standing` how many have filed standing orders; `acted`: the game master did something.
    """
    return 2 * turn + handed_in * NOTICES + standing * NOTICES_STANDING + 2 * acted * LONGEST + _MORE


def view_room(position: int, turn: int, corrected: int, handed_in: bool, standing: bool) -> int:
    """Return the room of the view of a side; `corrected` is the length of the corrected files of the box."""
    told = handed_in * NOTICES + standing * NOTICES_STANDING + LONGEST
    return 2 * (position + turn) + corrected + told + _MORE


def press_room(sides: int) -> int:
    """Return the room of a file of talk, the same whoever talks, to whom, and how much."""
    return sides * TALK
