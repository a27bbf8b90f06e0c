"""The public beacon: rounds of drand, checked offline.

drand is a public service of many independent parties that together sign the number of a round every three seconds.
Nobody knows a signature before its time, nobody can choose it, and anybody can check it against one public key. The
network is `quicknet`; its key never changes. A signature is a BLS signature on the curve BLS12-381: signatures on G1,
the key on G2, messages hashed as RFC 9380 says.

The pairing is the work of `py_ecc`, which is heavy and which most games do not need: `pip install 'pbem[beacon]'`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from secrets import randbits
from typing import TYPE_CHECKING, Final

from pbem.protocol import PbemError

if TYPE_CHECKING:
    from py_ecc.bls.typing import G1Uncompressed, G2Uncompressed

NETWORK: Final = "quicknet"
CHAIN: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
PERIOD: Final = timedelta(seconds=3)
GENESIS: Final = datetime.fromtimestamp(1692803367, UTC)
PUBLIC_KEY: Final = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc2"
    "2b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
LAST_ROUND: Final = (datetime.max.replace(tzinfo=UTC) - GENESIS) // PERIOD + 1
"""The last round that has a date."""

_DOMAIN: Final = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
_SIGNATURE_BYTES: Final = 48


class BadBeacon(PbemError, ValueError):
    """A round or its signature is not one that drand publishes."""


class NoBeaconLibrary(PbemError):
    """The library that checks a signature is not installed."""


def time_of(number: int) -> datetime:
    """Return when a round is published, in UTC. Raise `BadBeacon` if there is no such round."""
    return GENESIS + (_checked_number(number) - 1) * PERIOD


def first_round_from(moment: datetime) -> int:
    """Return the first round that is published at a moment or after it: none of its signatures is known before."""
    return max(0, -((GENESIS - moment) // PERIOD)) + 1


def address(number: int) -> str:
    """Return the address at which the signature of a round can be looked up."""
    return f"https://api.drand.sh/v2/beacons/{NETWORK}/rounds/{_checked_number(number)}"


def check_signature(number: int, signature: str) -> None:
    """Check that a signature, as hex, is that of drand for a round.

    Raise `BadBeacon` with the reason if it is not, `NoBeaconLibrary` if it cannot be checked here.
    """
    check_signatures({number: signature})


def check_signatures(signatures: Mapping[int, str]) -> None:
    """Check that signatures, by their rounds, are those of drand: many at once in a tenth of the time.

    Raise `BadBeacon`, naming the first that is not, `NoBeaconLibrary` if it cannot be checked here.
    """
    signed = [(sha256(_checked_number(n).to_bytes(8, "big")).digest(), _octets(s)) for n, s in signatures.items()]
    points = [(message, _point(n, octets)) for n, (message, octets) in zip(signatures, signed, strict=True)]
    if not _signed(points):
        false = (n for n, each in zip(signatures, points, strict=True) if not _signed([each]))
        raise BadBeacon(f"this is not drand's signature of round {next(false)}")


def require_library() -> None:
    """Raise `NoBeaconLibrary` if signatures cannot be checked here."""
    allowed = sys.getrecursionlimit()
    try:
        import py_ecc.bls
        import py_ecc.optimized_bls12_381  # noqa: F401
    except ImportError as missing:
        raise NoBeaconLibrary(
            "to check a signature of drand takes py_ecc, which is not installed here: pip install 'pbem[beacon]'"
        ) from missing
    finally:
        sys.setrecursionlimit(allowed)  # it sets 100,000: a letter nested that deep would then end the process


def _checked_number(number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadBeacon(f"a round of drand is a whole number, not {number!r}")
    if not 1 <= number <= LAST_ROUND:
        raise BadBeacon(f"drand's rounds are numbered from 1 to {LAST_ROUND}; {number} is none of them")
    return number


def _octets(signature: str) -> bytes:
    """Return the bytes of a signature: one way to write it, so that what enters the dice is one text too."""
    shape = f"a signature of drand's {NETWORK} is {2 * _SIGNATURE_BYTES} characters, 0 to 9 and a to f"
    if not isinstance(signature, str):
        raise BadBeacon(f"{shape}; this is no text")
    if len(signature) != 2 * _SIGNATURE_BYTES:
        raise BadBeacon(f"{shape}; this has {len(signature)}")
    if strange := signature.strip("0123456789abcdef"):
        raise BadBeacon(f"{shape}; this has {strange[0]!r}")
    return bytes.fromhex(signature)


def _signed(signed: Sequence[tuple[bytes, G1Uncompressed]]) -> bool:
    """Tell whether signatures of messages are all made with drand's key.

    One is if e(signature, g2) = e(hash of its message, key). Of many the sum is looked at, each with a weight drawn at
    random: signatures that are right only together would have to suit weights that nobody knew.
    """
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.optimized_bls12_381.optimized_curve import G2, Z1, add, multiply, neg
    from py_ecc.optimized_bls12_381.optimized_pairing import final_exponentiate, pairing

    points = hashes = Z1
    for message, point in signed:
        weight = randbits(128) | 1
        points = add(points, multiply(point, weight))
        hashes = add(hashes, multiply(hash_to_G1(message, _DOMAIN, sha256), weight))  # type: ignore[arg-type]
    product = pairing(G2, points, final_exponentiate=False) * pairing(
        neg(_drand_key()), hashes, final_exponentiate=False
    )
    return bool(final_exponentiate(product) == type(product).one())


def _point(number: int, signature: bytes) -> G1Uncompressed:
    """Return the point of G1 that 48 bytes stand for, if they stand for one of the group that signatures live in."""
    require_library()
    from py_ecc.bls.g2_primitives import subgroup_check
    from py_ecc.bls.point_compression import decompress_G1
    from py_ecc.bls.typing import G1Compressed
    from py_ecc.optimized_bls12_381.optimized_curve import is_inf

    try:
        point = decompress_G1(G1Compressed(int.from_bytes(signature, "big")))
    except ValueError as reason:
        raise BadBeacon(f"for round {number} these bytes are no point of the curve: no signature at all") from reason
    if is_inf(point) or not subgroup_check(point):
        raise BadBeacon(f"for round {number} these bytes are a point outside the group of signatures")
    return point


@cache
def _drand_key() -> G2Uncompressed:
    """Return drand's key as a point of G2."""
    from py_ecc.bls.point_compression import decompress_G2
    from py_ecc.bls.typing import G2Compressed

    half = len(PUBLIC_KEY) // 2
    return decompress_G2(G2Compressed((int(PUBLIC_KEY[:half], 16), int(PUBLIC_KEY[half:], 16))))
