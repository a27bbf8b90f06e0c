"""The layout of a game's repo: the name and the content of each file, and what a ledger needs of the repo.

There are two: `GameRepo` on disk, and the one in memory on which commits are made again.

```
game.yaml                      the charter: rules, options, players, commitments of dice and hidden cards
rules.yaml                     digests of the box and the code that the game was begun with
box/<file>.yaml                corrected files, if the game has any, in the place of the box's own
joined/<side>.yaml             what a player has mailed: a phrase, a chain of their own, a key; how many players and
                               addresses the side has had
position.yaml                  the position as an observer may know it
turns/000/0042.yaml            an adjudication, as far as it is public
turns/000/0042.age             what the game master did in it out of sight, if anything (sealed)
turns/000/0042.whole.yaml      the whole of it, written when the game ends
requests/000/0001.yaml         a request for a rollback, and what became of it
sealed/state.age               the state before the adjudication that is committed with it: every 64th one, and each
                               move to other rules (sealed)
sealed/press.age               what players said and showed since the version before, as far as it is opened when the
                               game is over (sealed)
sealed/unopened.age            what players said since the version before and is never opened (sealed to a key that is
                               never revealed)
sealed/players.age             the mail addresses of players and deputies, and the names of those who came later
                               (sealed to a key that is never revealed)
standing/<side>.age            a side's standing orders (sealed)
sheets/<side>/000/0017.age     an accepted sheet, as received (sealed)
views/<side>.age               the view and the decisions of a side (sealed to the key that it gave)
views/<side>.talk.age          what the side said and heard since the version before (sealed to the key that it gave)
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
from public facts alone, and which no honest content exceeds; of a sheet the room tells a rough length. What a side may
leave with the referee has limits (`pbem.game.order_form`, and the longest sheet), so that its share of a room is the
same whatever it has left.

The state of a game and the whole of its adjudications are *derived*: they follow from these files, lie beside them in
the folder of the repo (`pbem.repo.derived`), and are never cloned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from pbem.crypto.seal import ROOM_HEAD
from pbem.game.order_form import LONGEST, MOST
from pbem.protocol import Record, Side
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
MIGRATION: Final = "migration"
"""The kind of the act by which a game is moved to other rules."""
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
_OF_TALK: Final = ".talk"
"""The ending of the name, before `SEALED`, of the file with the talk of a side."""
CHECKPOINT_EVERY: Final = 64
"""The state is committed with every adjudication whose number this divides."""
STANDING_ROOM: Final = LONGEST + 88 * MOST
"""The room of a side's standing orders, each with its name and the adjudication before it."""
ACT_ROOM: Final = 2 * LONGEST
"""The room of what the game master does out of sight."""
_STATE: Final = 16 * 1024
"""The share of two sides in the room of a state, which is compressed: it has their waiting and standing orders, too."""
_SHEETS: Final = (2 * 1024, 4 * 1024, 8 * 1024, 17 * 1024)
"""The rooms of a sheet; the last holds the longest that is read."""
_VIEW: Final = 8 * 1024
"""The rooms of a view are multiples of it."""
_TALK: Final = 2 * 1024
"""The share of a side in a file of talk. Where that is full it is written before the next adjudication."""
_MORE: Final = 3 * 1024
"""For what a side knows beside the public files: its hand, its decisions, what it alone was told."""


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


def heard_path(side: Side) -> str:
    """Return the path of the talk that a side said and heard."""
    return f"{VIEWS}{side}{_OF_TALK}{SEALED}"


def record_path(n: int) -> str:
    """Return the path of the whole of an adjudication, which is written when the game ends."""
    return turn_path(n).removesuffix(".yaml") + ".whole.yaml"


def is_checkpoint(n: int, act: Record | None) -> bool:
    """Tell whether the state before an adjudication is committed with it; `act` is the act of the game master."""
    return n % CHECKPOINT_EVERY == 0 or (act is not None and act["kind"] == MIGRATION)


def state_room(sides: int) -> int:
    """Return the room of a state of a game with so many sides."""
    return -(-sides // 2) * _STATE - ROOM_HEAD


def sheet_room(length: int) -> int:
    """Return the room of a sheet of so many bytes."""
    return next((room for room in _SHEETS if length <= room - ROOM_HEAD), _SHEETS[-1]) - ROOM_HEAD


def view_room(public: int) -> int:
    """Return the room of the view of a side; `public` is the length of the public position and of the turn file."""
    return -(-(public + _MORE) // _VIEW) * _VIEW - ROOM_HEAD


def press_room(sides: int) -> int:
    """Return the room of a file of talk, the same whoever talks, to whom, and how much."""
    return sides * _TALK
