"""Rounds of the beacon that drand has published, with their signatures, and a check that does nothing twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING
from unittest.mock import patch

from pbem.crypto import beacon
from pbem.game.boxes.cache import recall, remember

if TYPE_CHECKING:
    from py_ecc.bls.typing import G1Uncompressed

PUBLISHED = {
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    12040883: "929906c959032ab363c9f26570d215d66f5c06cb0c44fe508c12bb5839f04ec895bb6868e5b9ff13ab289bdb5266b394",
    32281667: "b0f5ae301358ff87a9d3dd539ed4a07c0148b1ab4f7b61a8ca43c7e9ca7ca9553e4faae9188deb30b2cd1a7f447e3e5b",
    32285086: "a64d99fd7fa3e48912be7209c7b69c72c88fc5224be2516949b6f29f3a4b7e3fa069dd58b2bbb4bf2c34ae61ef631a44",
}

SIGNED, POINT = beacon._signed, beacon._point
"""How a signature is checked and read where nothing is remembered."""


@contextmanager
def signatures_checked_once() -> Iterator[None]:
    """Remember which signatures are right, in all processes of a run: to check one takes half a second.

    A signature that was right alone is right among others. What is false is looked at again by each process.
    """
    read, false = cache(POINT), set[str]()

    def name(pair: tuple[bytes, G1Uncompressed]) -> str:
        return sha256(repr(pair).encode()).hexdigest()

    def signed(points: Sequence[tuple[bytes, G1Uncompressed]]) -> bool:
        new = [pair for pair in points if not recall("signed", name(pair))]
        batch = " ".join(map(name, new))
        if batch in false:
            return False
        if new and not SIGNED(new):
            false.add(batch)
            return False
        for pair in new:
            remember(True, "signed", name(pair))
        return True

    def point(number: int, signature: bytes) -> G1Uncompressed:
        beacon.require_library()
        return read(number, signature)

    with patch.object(beacon, "_signed", signed), patch.object(beacon, "_point", point):
        yield
