"""The charter of a game, `game.yaml`: what is played, by whom, with which dice. It is never changed.

Its digest begins the inputs of the dice; `Pins` do not go into them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pbem.crypto.dice import Chain
from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.player_chains import MOST_LINKS
from pbem.crypto.seal import commitment, recipient_of
from pbem.crypto.signing import public_key
from pbem.game import plain
from pbem.protocol import Record
from pbem.repo.git.objects import StoreError

FORMAT: Final = 3
"""The format of a new game's repo. It counts up when any byte changes that the referee derives."""
_BEFORE_FORMATS: Final = 1
"""The format of a charter that names none."""
FREE: Final = "free"
"""Press by which sides talk to whom they want."""
PUBLIC: Final = "public"
"""Press that all sides hear."""
SILENT: Final = "silent"
"""No press."""
PRESS: Final = (FREE, PUBLIC, SILENT)


class OtherFormat(StoreError):
    """A game was begun with a format that this version of pbem does not read."""


@dataclass(slots=True)
class DicePromise:
    """The promise about the dice before the first roll: the tip of the chain, and the digest of the hidden secret."""

    scheme: str
    length: int
    tip: str
    hidden: str
    beacon: str | None = None
    """The public beacon that is mixed in; None: none."""


@dataclass(slots=True)
class Charter:
    """The game that is played: by whom, under which options, with which dice."""

    format: int
    """The format of the game's repo, always `FORMAT`: no other is read."""
    made_by: str
    """The program that began the game, with its version."""
    game: str
    rules: str
    edition: str
    scenario: str
    players: dict[str, str]
    by_mail: list[str]
    """The sides whose player has an address: they are asked by letter, and consent to a rollback by letter."""
    options: dict[str, Any]
    """Options that differ from the edition."""
    dice: DicePromise
    sealed_to: str
    """The public key that the sealed files are sealed to."""
    signed_by: str
    """The public key that every commit is signed by."""
    printed: str | None = None
    """How much of the game was as printed when it was made, behind its title; None: its box says nothing of that."""
    quorum: int | None = None
    """How many of the sides still in the game must consent to a rollback or a draw; None: all."""
    one_side_each: bool = False
    """Whether no address may play more than one side."""
    press: str | None = None
    """How the players may talk to each other by the referee: `FREE`, `PUBLIC`, `SILENT`; None: not at all, either."""
    press_unsigned: bool = False
    """Whether talk may be unsigned."""
    press_opened: bool = False
    """Whether signed talk is opened when the game is over."""
    clock: dict[str, Any] | None = None
    """The terms of the clock; None: the game has none, and the game master says who is late."""

    @property
    def talks(self) -> bool:
        """Whether the players may talk to each other by the referee."""
        return self.press in (FREE, PUBLIC)


@dataclass(slots=True)
class ChainPromise:
    """A player's chain, by its tip."""

    tip: str
    length: int

    @property
    def sound(self) -> bool:
        """Whether a chain can have this tip and this length."""
        return len(self.tip) == 64 and set(self.tip) <= set("0123456789abcdef") and 1 <= self.length <= MOST_LINKS


@dataclass(slots=True)
class Joined:
    """The things that a player has mailed: a phrase for the dice, a chain of their own, a key for their view.

    It also counts the players of the side: a new one begins with nothing mailed.
    """

    phrase: str | None = None
    chain: ChainPromise | None = None
    key: str | None = None
    player: int = 1
    """Which player of the side this is; the first is named in the charter."""
    addresses: int = 0
    """How often the address of the side has been set since the game was made."""


@dataclass(slots=True)
class Pins:
    """The rules that a game is played with, in `rules.yaml`: the digests of its box and of its code."""

    box: str
    code: str


@dataclass(slots=True)
class Revealed:
    """The secrets that are published when the game is over, in `revealed.yaml`."""

    hidden: str
    identity: str


def read_charter(record: Record) -> Charter:
    """Return the charter that a record says.

    Raises OtherFormat; ValueError, TypeError or KeyError for a damaged one.
    """
    check_format(record)
    return plain.decode(Charter, record)


def check_format(record: Record) -> None:
    """Raise OtherFormat if the record of a charter is not of the format that is read here."""
    if (begun := record.get("format", _BEFORE_FORMATS)) != FORMAT:
        raise OtherFormat(
            f"{record.get('game')} was begun with format {begun} (game.yaml); "
            f"this version of pbem reads format {FORMAT} alone"
        )


def promise(keys: Keys, beacon: str | None = None) -> DicePromise:
    """Return what a game's charter promises about its dice."""
    tip = Chain(keys.chain, keys.length).tip
    return DicePromise(keys.scheme, keys.length, tip, commitment(keys.hidden), beacon)


def check_keys(charter: Charter, keys: Keys) -> None:
    """Raise BadKeys unless the secrets, and the key that signs, are those that a charter promises."""
    check_secrets(charter, keys)
    check_signer(charter, keys)


def check_secrets(charter: Charter, keys: Keys) -> None:
    """Raise BadKeys unless the secrets are those that a charter promises."""
    # The length comes first: a chain as long as a damaged file says might take for ever to make.
    same = (
        keys.length == charter.dice.length
        and promise(keys, charter.dice.beacon) == charter.dice
        and recipient_of(keys.identity) == charter.sealed_to
    )
    if not same:
        raise _others(charter)


def check_signer(charter: Charter, keys: Keys) -> None:
    """Raise BadKeys unless the key that signs, which is made from the secrets, is the one that a charter names."""
    if public_key(keys.signing) != charter.signed_by:
        raise _others(charter)


def _others(charter: Charter) -> BadKeys:
    return BadKeys(f"these are not the secrets that {charter.game} was begun with; find the right ones")
