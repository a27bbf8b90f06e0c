"""The public beacon: what drand has published is accepted, anything else is refused with a sentence."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto import beacon
from pbem.crypto.beacon import BadBeacon, NoBeaconLibrary, check_signature, check_signatures, first_round_from, time_of
from tests.support.beacon_rounds import POINT, PUBLISHED, SIGNED
from tests.support.soak import quick_first

ROOT = Path(__file__).resolve().parents[2]
OF_ANOTHER_NETWORK = "b09eacd45767c4d58306b98901ad0d6086e2663766f3a4ec71d00cf26f0f49eaf248abc7151c60cf419c4e8b37e80412"
"""Round 1000 of drand's `fastnet`: the same curve, another key."""
GROUP_HASH = "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"
FIELD = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beacon, "_signed", SIGNED)
    monkeypatch.setattr(beacon, "_point", POINT)


def test_network_hash_is_that_of_our_key_period_and_first_round() -> None:
    """The key, the period and the first round are those that the network's hash stands for."""
    seconds = int(beacon.PERIOD.total_seconds()).to_bytes(4, "big")
    begun = int(beacon.GENESIS.timestamp()).to_bytes(8, "big")
    told = seconds + begun + bytes.fromhex(beacon.PUBLIC_KEY) + bytes.fromhex(GROUP_HASH) + beacon.NETWORK.encode()
    assert sha256(told).hexdigest() == beacon.CHAIN


@pytest.mark.parametrize("number", quick_first(PUBLISHED))
def test_what_drand_has_published_is_accepted(number: int) -> None:
    check_signature(number, PUBLISHED[number])


def test_randomness_of_a_round_is_the_digest_of_its_signature() -> None:
    """What drand calls the randomness of a round is the digest of its signature."""
    known = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"
    assert sha256(bytes.fromhex(PUBLISHED[1000])).hexdigest() == known


ANYTHING_ELSE = [
    (1001, PUBLISHED[1000]),
    (1000, OF_ANOTHER_NETWORK),
    (1000, f"{int(PUBLISHED[1000], 16) ^ 1 << 381:096x}"),  # the same point mirrored
    (999, PUBLISHED[1000]),
    (1000, PUBLISHED[12040883]),
]


@pytest.mark.parametrize(("number", "signature"), quick_first(ANYTHING_ELSE, 2))
def test_a_signature_of_anything_else_is_refused(number: int, signature: str) -> None:
    with pytest.raises(BadBeacon, match=f"this is not drand's signature of round {number}"):
        check_signature(number, signature)


def outside_the_group() -> str:
    """Return a point of the curve that is not in the group of prime order: almost every point is none."""
    x = next(x for x in range(1, 99) if pow(x**3 + 4, (FIELD - 1) // 2, FIELD) == 1)
    return f"{x | 1 << 383:096x}"


def beside_the_curve() -> str:
    x = next(x for x in range(1, 99) if pow(x**3 + 4, (FIELD - 1) // 2, FIELD) != 1)
    return f"{x | 1 << 383:096x}"


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        (outside_the_group(), "a point outside the group"),
        ("c" + "0" * 95, "a point outside the group"),  # the point at infinity, which verifies for the key 0
        (beside_the_curve(), "no point of the curve"),
        (f"{FIELD + 1000 | 1 << 383:096x}", "no point of the curve"),  # a second way to write 1000
        ("f" * 96, "no point of the curve"),
        ("0" * 96, "no point of the curve"),
        ("8" + "0" * 95, "no point of the curve"),
        (PUBLISHED[1000].replace("b", "3", 1), "no point of the curve"),  # the flag of compressed points is not set
        ("", "this has 0"),
        (PUBLISHED[1000][:-2], "this has 94"),
        (PUBLISHED[1000] + "00", "this has 98"),
        (PUBLISHED[1000][:-1] + "g", "this has 'g'"),
        (PUBLISHED[1000][:40] + " \n" + PUBLISHED[1000][42:], "this has ' '"),
        (PUBLISHED[1000].upper(), "this has 'B'"),
        (PUBLISHED[1000][:-1] + "٣", "this has '٣'"),
        (None, "this is no text"),
        (bytes.fromhex(PUBLISHED[1000]), "this is no text"),
    ],
)
def test_what_is_no_signature_is_refused_with_a_sentence(signature: Any, said: str) -> None:
    with pytest.raises(BadBeacon) as refusal:
        check_signature(1000, signature)
    assert said in str(refusal.value)


@pytest.mark.parametrize("number", [0, -1, beacon.LAST_ROUND + 1, 1 << 64, True, 1.0, "1000", None])
def test_what_is_no_round_is_refused_with_a_sentence(number: Any) -> None:
    for refuses in (time_of, beacon.address, lambda each: check_signature(each, PUBLISHED[1000])):
        with pytest.raises(BadBeacon, match="round"):
            refuses(number)


def test_rounds_come_every_three_seconds() -> None:
    assert time_of(1) == datetime(2023, 8, 23, 15, 9, 27, tzinfo=UTC)
    assert time_of(1000) == time_of(1) + timedelta(seconds=3 * 999)
    assert time_of(beacon.LAST_ROUND).year == 9999
    for number in (1, 2, 1000, 32285086, beacon.LAST_ROUND):
        assert first_round_from(time_of(number)) == number
    for number in (1, 2, 1000, 32285086):
        assert first_round_from(time_of(number) + timedelta(seconds=1)) == number + 1
    assert first_round_from(time_of(1) - timedelta(seconds=4)) == 1


def test_without_the_library_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    beacon._drand_key.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "py_ecc"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "py_ecc", None)
    with pytest.raises(NoBeaconLibrary, match=r"pip install 'pbem\[beacon\]'"):
        check_signature(1000, PUBLISHED[1000])


def test_the_library_is_imported_only_for_a_check() -> None:
    code = (
        "import sys; from pbem.crypto import beacon; from datetime import datetime, UTC\n"
        "beacon.first_round_from(datetime.now(UTC))\n"
        "try: beacon.check_signature(1000, 'x')\n"
        "except beacon.BadBeacon: pass\n"
        "assert 'py_ecc' not in sys.modules and 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.slow
def test_the_library_leaves_the_depth_of_calls_as_it_was() -> None:
    """It sets a limit at which a deeply nested text from outside would end the process, not raise."""
    code = (
        "import sys, json; before = sys.getrecursionlimit()\n"
        "from pbem.crypto.beacon import check_signature\n"
        f"check_signature(1000, {PUBLISHED[1000]!r})\n"
        "assert sys.getrecursionlimit() == before, sys.getrecursionlimit()\n"
        "try: json.loads('[' * 100_000)\n"
        "except RecursionError: pass"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.slow
def test_many_signatures_at_once_are_refused_where_one_is_false() -> None:
    good = {number: PUBLISHED[number] for number in (1000, 12040883)}
    check_signatures(good)
    check_signatures({})
    swapped = {1000: PUBLISHED[12040883], 12040883: PUBLISHED[1000]}  # their plain sum is the right one
    with pytest.raises(BadBeacon, match="this is not drand's signature of round 1000"):
        check_signatures(swapped)
    with pytest.raises(BadBeacon, match="for round 7 these bytes are no point"):
        check_signatures({**good, 7: "f" * 96})
