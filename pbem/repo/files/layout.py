"""The layout of a game's repo: the name and the content of each file, and what a ledger needs of the repo.

There are two: `GameRepo` on disk, and `MemoryRepo` for a game that is derived again.

```
game.yaml                      the charter: rules, options, players, commitments of dice and hidden cards
rules.yaml                     digests of the box and the code that the game was begun with
box/<file>.yaml                corrected files, if the game has any, in the place of the box's own
joined/<side>.yaml             what a player has mailed: a phrase, a chain of their own, a key; how many players and
                               addresses the side has had
position.yaml                  the position as an observer may know it
turns/000/0042.yaml            an adjudication, as far as it is public
turns/000/0042.age             the whole of it (sealed)
requests/000/0001.yaml         a request for a rollback, and what became of it
sealed/state.age               the last checkpoint, the answers since, the waiting orders (sealed)
sealed/press.age               what players said and showed since the version before, as far as it is opened when the
                               game is over (sealed)
sealed/unopened.age            what players said since the version before and is never opened (sealed to a key that is
                               never revealed)
sealed/players.age             the mail addresses of players and deputies, and the names of those who came later
                               (sealed to a key that is never revealed)
standing/<side>.age            a side's standing orders (sealed)
sheets/<side>/000/0017.age     an accepted sheet, as received (sealed)
views/<side>.age               the view and the decisions of a side (sealed to the key that it gave)
letters/9f/9f86d081...         a letter that was carried out: side, sheet, adjudication before it (named by a keyed
                               digest, because a plain digest could be found by guessing the letter); a letter with a
                               Message-ID has a second note, named by its content too
beacon.yaml                    the last closing of the sheets, and the beacon round that decides
deputies/<side>.yaml           that a side has a deputy, and until which day; who that is stands in sealed/players.age
clock.yaml                     in a game with a clock: the clock of each side, pauses, vacations
clock/000/0001.yaml            in a game with a clock: a fact of time that the referee states, or who is late
revealed.yaml                  the secrets, once the game is over
```

What is sealed is JSON, but for the sheets. Every commit is signed. A sealed file is padded to a *room*, which follows
from public facts alone, and which no honest content exceeds. Public are: the position, the turn file, which sides have
handed in a sheet or filed standing orders, how many sheets wait, how many adjudications were made since the last
checkpoint. What a side may leave with the referee has limits (`pbem.game.order_form`, and the longest sheet), so that
its share of a room is the same whatever it has left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from pbem.game.order_form import LONGEST, MOST
from pbem.game.yaml import LETTER
from pbem.protocol import Side
from pbem.repo.git import Logged, numbered

CHARTER: Final = "game.yaml"
PINS: Final = "rules.yaml"
BOX: Final = "box/"
POSITION: Final = "position.yaml"
REVEALED: Final = "revealed.yaml"
BEACON: Final = "beacon.yaml"
CLOCK: Final = "clock.yaml"
STATE: Final = "sealed/state.age"
PLAYERS: Final = "sealed/players.age"
PRESS: Final = "sealed/press.age"
UNOPENED: Final = "sealed/unopened.age"
"""The talk of the players: what is opened when the game is over, and what never is."""
OFFICE: Final = (PLAYERS, UNOPENED)
"""The files that are sealed to the key that is never revealed."""
LETTERS: Final = "letters/"
JOINED: Final = "joined/"
REQUESTS: Final = "requests/"
DEPUTIES: Final = "deputies/"
FACTS: Final = "clock/"
VIEWS: Final = "views/"
STANDING: Final = "standing/"
SHEETS: Final = "sheets/"
TURNS: Final = "turns/"
SEALED: Final = ".age"
"""The ending of the name of a sealed file."""
SHEET_ROOM: Final = LETTER.size
"""The room of a sheet: the longest that is read."""
WAITING_ROOM: Final = LONGEST + 40 * MOST
"""The share of a side's waiting orders in the state, each with the name of its source."""
STANDING_ROOM: Final = LONGEST + 88 * MOST
"""The room of a side's standing orders, each with its name and the adjudication before it."""
_NOTICES: Final = LONGEST + 192 * MOST
"""The share of a side that has handed in a sheet in a sealed record: its orders as answers, or why they expired."""
_NOTICES_STANDING: Final = LONGEST
"""The share of a side with standing orders in a sealed record: which answered, and why others did not."""
_TALK: Final = 16 * 1024
"""The share of a side in a file of talk. Where that is full it is written before the next adjudication."""
_MORE: Final = 4 * 1024
"""For what takes little room: decisions, digests, numbers, hands."""
_STEP: Final = 128
_NEW_SHEET: Final = 192


class Store(Protocol):
    """A repo of one game, as it stood when it was last locked or committed to."""

    path: Path
    sign: Callable[[bytes], bytes] | None
    letter_time: datetime | None
    """When the letter came whose changes are committed, as the commits then say; None: they come of no letter."""

    @property
    def head(self) -> str:
        """The id of the commit that is read."""

    def read(self, path: str, at: str | None = None) -> bytes | None:
        """Return a file as of the head, or as of the commit `at`; None if it is not there."""

    def listdir(self, path: str = "", at: str | None = None) -> list[str]:
        """Return the names in a folder, sorted; nothing if it is not there."""

    def history(self) -> Iterator[Logged]:
        """Yield the commits from the head back."""

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Commit some files (None: take the file out) and return the commit's id."""

    def lock(self) -> AbstractContextManager[None]:
        """Hold the game's lock, having read where the game stands now."""

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the game's lock, and write what is committed meanwhile at the end: all of it or nothing."""

    def close(self) -> None:
        """Close the repo."""


def turn_path(n: int) -> str:
    """Return the path of a turn file."""
    return numbered(TURNS.rstrip("/"), n)


def sealed_path(path: str) -> str:
    """Return the path of the sealed file beside a file."""
    return path.removesuffix(".yaml") + SEALED


def box_path(name: str) -> str:
    """Return the path of a corrected file of the box, by its name there."""
    return f"{BOX}{name}.yaml"


def sheet_path(side: Side, n: int) -> str:
    """Return the path of a sheet that was accepted from a side."""
    return sealed_path(numbered(f"{SHEETS}{side}", n))


def fact_path(number: int) -> str:
    """Return the path of a fact of time."""
    return numbered(FACTS.rstrip("/"), number)


def request_path(number: int) -> str:
    """Return the path of a request."""
    return numbered(REQUESTS.rstrip("/"), number)


def joined_path(side: Side) -> str:
    """Return the path of the phrase, the chain and the key that a side has mailed."""
    return f"{JOINED}{side}.yaml"


def deputy_path(side: Side) -> str:
    """Return the path of what is public of the deputy of a side."""
    return f"{DEPUTIES}{side}.yaml"


def standing_path(side: Side) -> str:
    """Return the path of a side's standing orders."""
    return f"{STANDING}{side}{SEALED}"


def view_path(side: Side) -> str:
    """Return the path of the view of a side."""
    return f"{VIEWS}{side}{SEALED}"


def state_room(position: int, sides: int, steps: int, new_sheets: int) -> int:
    """Return the room of the state.

    `position` is the length of the public position, `sides` how many sides play, `steps` how many adjudications were
    made since the last checkpoint, `new_sheets` how many sheets wait.
    """
    more = _MORE * max(sides, 2) // 2  # each side has decisions and answers of its own
    return 2 * position + sides * (WAITING_ROOM + STANDING_ROOM) + _STEP * steps + _NEW_SHEET * new_sheets + more


def record_room(turn: int, handed_in: int, standing: int, acted: bool) -> int:
    """Return the room of the sealed record of an adjudication.

    `turn` is the length of its turn file, `handed_in` how many sides have handed in sheets since the last checkpoint,
    `standing` how many have filed standing orders; `acted`: the game master did something.
    """
    return 2 * turn + handed_in * _NOTICES + standing * _NOTICES_STANDING + 2 * acted * LONGEST + _MORE


def view_room(public: int, corrected: int, handed_in: bool, standing: bool) -> int:
    """Return the room of the view of a side.

    `public` is the length of position and turn file, `corrected` that of the corrected files of the box.
    """
    told = handed_in * _NOTICES + standing * _NOTICES_STANDING + LONGEST
    return 2 * public + corrected + told + _MORE


def press_room(sides: int) -> int:
    """Return the room of a file of talk, the same whoever talks, to whom, and how much."""
    return sides * _TALK
