"""Dice with names: chained for live games, seeded for play-outs, loaded for cases. Standard library only.

The scheme `chain-v2`, a commit-reveal hash chain that anybody can check with SHA-256 and HMAC alone:

1. From a secret S the adjudicator makes links h[length] = H(S), h[i-1] = H(h[i]), and publishes the tip h[0]
   before the game. H is SHA-256 of the 32 bytes of a link.
2. Adjudication n opens link h[n]; H(h[n]) must be h[n-1], which everybody has. There was only one link to open.
   The turn file that opens the last link names the tip of the next chain, and adjudication length+1 opens its h[1].
3. The step key is HMAC(link, [scheme, game, n, digest of all inputs]). The inputs are what the sides and the beacon
   gave, and the inputs of the adjudication before; see `inputs_of` and `inputs_digest`. Nothing that an adjudication
   results in is among them, and no word that the referee may choose.
4. The faces of a roll are drawn from the blocks HMAC(step key, ["faces", name, 0]), HMAC(step key, ["faces", name, 1])
   and so on. A block is 16 numbers of two bytes, high byte first. A number that would favour low faces is skipped;
   of the others the remainder gives the face. The table makes sure that no adjudication uses a name twice.
5. A shuffle draws in the same way from the blocks HMAC(hidden secret, ["shuffle", step key, name, 0]) and so on,
   so that it can be checked once the hidden secret is revealed, and not before.

Lists are written as `canonical` does: no two values share an encoding.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import count as counting
from struct import unpack
from typing import Any, Final, Protocol, TypeAlias, TypeVar, Union

from pbem.protocol import PbemError

T = TypeVar("T")

SCHEME: Final = "chain-v2"
_APART: Final = 64
"""The links from one that is kept in memory to the next."""
LENGTH: Final = 4096
"""The number of adjudications that a chain is good for, unless the game says otherwise."""
MAX_SIDES: Final = 1000
_DRAWS: Final = 1 << 16
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))

Canonical: TypeAlias = Union[int, str, "Sequence[Canonical]", "Mapping[str, Canonical]"]


class Dice(Protocol):
    """A source of faces and shuffles."""

    def faces(self, name: str, count: int, sides: int) -> list[int]: ...
    def shuffled(self, name: str, items: Sequence[T]) -> list[T]: ...
    def reseed(self, step_key: bytes) -> None: ...


class NotLoaded(PbemError, LookupError):
    """A case rolls under a name for which it has loaded no dice."""


class BadLoad(PbemError, ValueError):
    """Loaded dice do not fit the roll they are loaded for."""


# ---------------------------------------------------------------------------------------------- the chain


class Chain:
    """The links of one game: `tip` is published at once, `link(n)` is opened by adjudication n.

    When its `length` links are used up another chain follows, whose secret is derived from the first.
    """

    def __init__(self, secret: bytes, length: int = LENGTH) -> None:
        self.length = length
        self._secret = secret

    def __repr__(self) -> str:
        return f"<Chain {self.tip}>"

    @property
    def tip(self) -> str:
        """The tip of the first chain, as hex."""
        return _link_of(self._secret, self.length, 0).hex()

    def link(self, n: int) -> str:
        """Return the link that adjudication n opens, from 1, as hex."""
        if n < 1:
            raise ValueError(f"links are opened from number 1 on, not {n}")
        renewals, before = divmod(n - 1, self.length)
        return _link_of(self._of(renewals), self.length, before + 1).hex()

    def renewal(self, n: int) -> str | None:
        """Return the tip that adjudication n promises, as hex; None unless it opens the last link of its chain."""
        return None if n % self.length else _link_of(self._of(n // self.length), self.length, 0).hex()

    def _of(self, renewals: int) -> bytes:
        """Return the secret of a chain."""
        label = canonical([SCHEME, "renewal", renewals])
        return hmac.digest(self._secret, label, "sha256") if renewals else self._secret


def _link_of(secret: bytes, length: int, n: int) -> bytes:
    """Return a link of the chain of a secret; 0 is the tip."""
    stone, steps = divmod(length - n, _APART)
    link = _milestones(secret, length)[stone]
    for _ in range(steps):
        link = sha256(link).digest()
    return link


@lru_cache(maxsize=64)
def _milestones(secret: bytes, length: int) -> Sequence[bytes]:
    """Return every 64th link of a secret, the one first that is opened last: the others are soon made from them."""
    link = sha256(secret).digest()
    stones = [link]
    for _ in range(length // _APART):
        for _ in range(_APART):
            link = sha256(link).digest()
        stones.append(link)
    return stones


def check_link(link: str, previous: str, count: int = 1) -> bool:
    """Tell whether an opened link lies `count` links behind another: that link opened before it, or the tip."""
    try:
        opened = bytes.fromhex(link)
    except ValueError:
        return False
    digest = opened
    for _ in range(count):
        digest = sha256(digest).digest()
    return len(opened) == 32 and opened.hex() == link and count > 0 and digest.hex() == previous


def canonical(value: Canonical) -> bytes:
    """Write whole numbers, text, lists and mappings as bytes (bencode), so that no two values look alike.

    >>> canonical(["battle/cannae", 2, {"rome": "x"}])
    b'l13:battle/cannaei2ed4:rome1:xee'
    """
    if isinstance(value, str):
        text = value.encode()
        return b"%d:%b" % (len(text), text)
    if isinstance(value, int) and not isinstance(value, bool):
        return b"i%de" % value
    if isinstance(value, Mapping):
        pairs = sorted((key.encode(), key) for key in value)
        return b"d%be" % b"".join(canonical(key) + canonical(value[key]) for _, key in pairs)
    if isinstance(value, (list, tuple)):
        return b"l%be" % b"".join(map(canonical, value))
    raise TypeError(f"dice keys are made of numbers, text, lists and mappings, not {type(value).__name__}")


INPUTS: Final = {
    "joined": None,
    "sheets": None,
    "standing": None,
    "player_chains": None,
    "beacon": ("round", "signature"),
    "act": ("kind", "side", "to", "sealed"),
}
"""The inputs of an adjudication by their keys in its turn file, and which keys of each go in (None: all).

Of a missing round only its number goes in, and of an act of the game master only its kind, its side, the adjudication
that it goes back to and the digest of the orders that it gives: what is worded freely turns no dice.
"""


def inputs_of(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return what goes into the dice out of what a turn file states."""
    return {
        word: turn[word] if keys is None else {key: turn[word][key] for key in keys if key in turn[word]}
        for word, keys in INPUTS.items()
        if word in turn
    }


def inputs_digest(before: str, turn: Mapping[str, Any]) -> str:
    """Return the digest of everything that goes into an adjudication, as hex.

    `before` is the digest of the inputs of the adjudication before it; for the first, the SHA-256 of `game.yaml`.
    """
    return sha256(canonical({"before": before, **inputs_of(turn)})).hexdigest()


def missing_link(last: str, n: int) -> str:
    """Return the substitute, as hex, for the link that a player's chain has not opened for adjudication n.

    `last` is the link that went into the dice last, or the tip of the chain.
    """
    return sha256(bytes.fromhex(last) + b" %d" % n).hexdigest()


def step_key(link: str, game: str, n: int, inputs_digest: str) -> bytes:
    """Return the key of all faces of adjudication n of a game."""
    return hmac.digest(bytes.fromhex(link), canonical([SCHEME, game, n, inputs_digest]), "sha256")


def _draws(key: bytes, *label: Canonical) -> Iterator[int]:
    """Yield numbers below 65,536 without end."""
    for block in counting():
        yield from unpack(">16H", hmac.digest(key, canonical([*label, block]), "sha256"))


def below(limit: int, draws: Iterator[int]) -> int:
    """Return a number from 0 up to, not including, `limit`, each as likely as any other.

    `draws` are numbers below 65,536; those from the last multiple of the limit on are thrown away.
    """
    fair = _DRAWS - _DRAWS % limit
    return next(draw for draw in draws if draw < fair) % limit


class ChainDice:
    """The dice of a live game: faces that anybody can check at once, shuffles that anybody can check after the game.

    Both are functions of their name: the same name under the same step key gives the same again.
    """

    __slots__ = ("_hidden", "_inner", "_key", "_outer")

    def __init__(self, step_key: bytes, hidden_key: bytes) -> None:
        self._hidden = hidden_key
        self.reseed(step_key)

    def reseed(self, step_key: bytes) -> None:
        """Go on with the key of another adjudication: each recorded answer is replayed with its own key."""
        self._key = step_key
        # The two halves of HMAC (RFC 2104), begun once for all rolls of an adjudication: half the time of each.
        block = step_key.ljust(64, b"\0")
        self._inner, self._outer = sha256(block.translate(_INNER)), sha256(block.translate(_OUTER))

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        """Return `count` faces from 1 to `sides`."""
        _check_roll(name, count, sides)
        # The same as 1 + below(sides, _draws(self._key, "faces", name)) for each die, in a third of the time.
        text, fair = name.encode(), _DRAWS - _DRAWS % sides
        faces: list[int] = []
        for block in counting():
            label = b"l5:faces%d:%bi%dee" % (len(text), text, block)
            inner, outer = self._inner.copy(), self._outer.copy()
            inner.update(label)
            outer.update(inner.digest())
            for draw in unpack(">16H", outer.digest()):
                if len(faces) == count:
                    return faces
                if draw < fair:
                    faces.append(1 + draw % sides)
        raise AssertionError  # counting does not end

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        """Return the items in an order that only the hidden secret determines."""
        draws = _draws(self._hidden, "shuffle", self._key.hex(), name)
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = below(last + 1, draws)
            order[last], order[other] = order[other], order[last]
        return order


def _check_roll(name: str, count: int, sides: int) -> None:
    if not (2 <= sides <= MAX_SIDES and count >= 0):
        raise ValueError(f"{name}: cannot roll {count} dice of {sides} sides; dice have 2 to {MAX_SIDES} sides")


# ---------------------------------------------------------------------------------------------- play-outs


class SeededDice:
    """The dice of play-outs and tests: a function of seed, step key, name, and how often the name came before.

    Quick rather than exact: a face is out of proportion by less than one part in 2 to the 100th.

    >>> SeededDice(1).faces("scout", 3, 6) == SeededDice(1).faces("scout", 3, 6)
    True
    """

    __slots__ = ("_key", "_seed", "_uses")

    def __init__(self, seed: int | str) -> None:
        self._seed = self._key = blake2b(repr(seed).encode(), digest_size=32).digest()
        self._uses: dict[str, int] = {}

    def reseed(self, step_key: bytes) -> None:
        """Start the rolls of an adjudication from its beginning."""
        self._key = blake2b(step_key, digest_size=32, key=self._seed).digest()
        self._uses.clear()

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        """Return `count` faces from 1 to `sides`."""
        _check_roll(name, count, sides)
        return [number + 1 for number in self._numbers(name, (sides,) * count)]

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        """Return the items in an order that the seed determines."""
        order = list(items)
        limits = range(len(order), 1, -1)
        for limit, other in zip(limits, self._numbers(name, limits), strict=True):
            order[limit - 1], order[other] = order[other], order[limit - 1]
        return order

    def _numbers(self, name: str, limits: Iterable[int]) -> list[int]:
        """Return a number below each of the limits."""
        use = self._uses.get(name, 0)
        self._uses[name] = use + 1
        numbers = []
        left = 0
        for at, limit in enumerate(limits):
            if not at & 7:  # 8 numbers below 65,536 use up half of the 256 bits
                label = b"%b%d/%d %b" % (self._key, use, at, name.encode())
                left = int.from_bytes(blake2b(label, digest_size=32).digest(), "little")
            left, number = divmod(left, limit)
            numbers.append(number)
        return numbers


# ---------------------------------------------------------------------------------------------- rulings


class LoadedDice:
    """The dice of cases: loaded by name. What is not loaded comes from `otherwise`, or is refused.

    A name that is used again is looked up as `name#2`, then `name#3`. A loaded shuffle lists the items that
    come first, in their order; the others follow in the order in which they were given.

    >>> dice = LoadedDice({"siege/capua": [4], "siege/capua#2": [6]}, {"deck": [33]})
    >>> dice.faces("siege/capua", 1, 6), dice.shuffled("deck", [1, 33, 64]), dice.unused()
    ([4], [33, 1, 64], ['siege/capua#2'])
    """

    __slots__ = ("_faces", "_otherwise", "_rolled", "_shuffles", "_uses")

    def __init__(
        self,
        faces: Mapping[str, Sequence[int]],
        shuffles: Mapping[str, Sequence[Any]] | None = None,
        otherwise: Dice | None = None,
    ) -> None:
        self._faces = faces
        self._shuffles = shuffles or {}
        self._otherwise = otherwise
        self._uses: dict[str, int] = {}
        self._rolled: set[str] = set()

    def reseed(self, step_key: bytes) -> None:
        """Reseed the dice behind the loaded ones; loaded dice do not change."""
        if self._otherwise is not None:
            self._otherwise.reseed(step_key)

    def unused(self) -> list[str]:
        """Return the names that are loaded and were never rolled."""
        return [name for name in (*self._faces, *self._shuffles) if name not in self._rolled]

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        """Return the faces loaded under a name, if they fit the roll."""
        use = self._next_use(name)
        loaded = self._faces.get(use)
        if loaded is None:
            if self._otherwise is not None:
                return self._otherwise.faces(name, count, sides)
            raise NotLoaded(f"no faces are loaded for {use} ({_dice_said(count, sides)}); {self._loaded(self._faces)}")
        if len(loaded) != count:
            raise BadLoad(f"{use} rolls {_dice_said(count, sides)}, but {len(loaded)} faces are loaded: {list(loaded)}")
        for face in loaded:
            if face not in range(1, sides + 1):
                raise BadLoad(f"{use} rolls {_dice_said(count, sides)}; {face} is none of the faces 1 to {sides}")
        self._rolled.add(use)
        return list(loaded)

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        """Return the items with those first that are loaded under a name."""
        use = self._next_use(name)
        loaded = self._shuffles.get(use)
        if loaded is None:
            if self._otherwise is not None:
                return self._otherwise.shuffled(name, items)
            raise NotLoaded(f"no order is loaded for {use} ({len(items)} items); {self._loaded(self._shuffles)}")
        rest = list(items)
        for item in loaded:
            if item not in rest:
                often = "is loaded more often than it is" if item in items else "is not"
                raise BadLoad(f"{use}: {item} {often} among the {len(items)} items that are shuffled")
            rest.remove(item)
        self._rolled.add(use)
        return [*loaded, *rest]

    def _next_use(self, name: str) -> str:
        use = self._uses.get(name, 0) + 1
        self._uses[name] = use
        return name if use == 1 else f"{name}#{use}"

    def _loaded(self, loads: Mapping[str, object]) -> str:
        left = [name for name in loads if name not in self._rolled]
        return f"loaded and not yet used: {', '.join(left)}" if left else "nothing loaded is left"


def _dice_said(count: int, sides: int) -> str:
    return f"{count} {'die' if count == 1 else 'dice'} of {sides} sides"
