"""What is sealed: opened again by the right key in the right place, and by nothing else; its size tells nothing."""

from __future__ import annotations

import hashlib
import hmac

import pyrage
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.crypto.dice import Chain
from pbem.crypto.seal import (
    MARK,
    ROOM,
    BadRecipient,
    CannotOpen,
    check_recipient,
    commitment,
    recipient_of,
    room_for,
    salt_of,
    salted,
    seal,
    unseal,
)
from pbem.crypto.signing import public_key
from tests.support.live import SECRETS, room

IDENTITY, OTHER = SECRETS.identity, SECRETS.office
TO = [recipient_of(IDENTITY)]
SSH = public_key(b"s" * 32)


@given(st.binary(max_size=9000))
def test_what_is_sealed_can_be_opened(content: bytes) -> None:
    assert unseal(IDENTITY, "turns/000/0001.age", seal(TO, "turns/000/0001.age", content)) == content


def test_the_same_never_looks_the_same_twice() -> None:
    assert seal(TO, "n", b"hand: [33, 7]") != seal(TO, "n", b"hand: [33, 7]")


def test_any_tool_that_reads_age_opens_it() -> None:
    sealed = seal(TO, "standing/rome.age", b"hand")
    opened = pyrage.decrypt(sealed, [pyrage.x25519.Identity.from_str(IDENTITY)])
    assert opened == (MARK + b" standing/rome.age 4\nhand").ljust(ROOM, b"\0")
    assert sealed.startswith(b"age-encryption.org/v1\n")


def test_the_size_tells_only_how_often_the_room_was_doubled() -> None:
    rooms = [room(seal(TO, "n", bytes(size))) for size in (0, 1, 500, 1900, 2048, 4000, 8192)]
    assert rooms == [2048, 2048, 2048, 2048, 4096, 4096, 16384]
    assert room(seal(TO, "n", b"", public=8000)) == 8192 == room(seal(TO, "n", bytes(8000), public=8000))


@pytest.mark.parametrize(("length", "room"), [(0, 2048), (2048, 2048), (2049, 4096), (100_000, 131_072)])
def test_a_room_holds_what_it_is_for(length: int, room: int) -> None:
    assert room_for(length) == room


SEALED = seal(TO, "turns/0001", b"hand")


@pytest.mark.parametrize(
    ("identity", "path", "sealed", "reason"),
    [
        (IDENTITY, "turns/0002", SEALED, "was sealed as turns/0001"),
        (OTHER, "turns/0001", SEALED, "or sealed to another key"),
        (IDENTITY, "turns/0001", SEALED[:300] + bytes(len(SEALED) - 300), "was altered"),
        (IDENTITY, "turns/0001", SEALED[20:], "was altered"),
        (IDENTITY, "turns/0001", SEALED[:-1], "was altered"),
        (IDENTITY, "turns/0001", b"", "was altered"),
        (
            IDENTITY,
            "turns/0001",
            pyrage.encrypt(b"hand", [pyrage.x25519.Recipient.from_str(TO[0])]),
            "not of this kind",
        ),
        (
            IDENTITY,
            "n",
            pyrage.encrypt(MARK + b" n 99\nhand", [pyrage.x25519.Recipient.from_str(TO[0])]),
            "not of this kind",
        ),
    ],
)
def test_what_is_not_right_does_not_open(identity: str, path: str, sealed: bytes, reason: str) -> None:
    with pytest.raises(CannotOpen, match=f"^{path}: .*{reason}"):
        unseal(identity, path, sealed)


def test_any_byte_counts() -> None:
    for at in range(0, len(SEALED), 31):
        with pytest.raises(CannotOpen):
            unseal(IDENTITY, "turns/0001", SEALED[:at] + bytes([SEALED[at] ^ 1]) + SEALED[at + 1 :])


@pytest.mark.parametrize("key", [TO[0], SSH])
def test_a_players_key_is_taken_without_its_comment(key: str) -> None:
    assert check_recipient(f" {key} ") == key
    assert check_recipient(f"{SSH} rome@example.org") == SSH


@pytest.mark.parametrize("key", ["", "age1", TO[0][:-1], "ssh-rsa AAAA", "ssh-ed25519 AAAA", IDENTITY, "age1 a b"])
def test_what_is_no_key_is_refused_and_a_secret_one_above_all(key: str) -> None:
    with pytest.raises(BadRecipient, match="is no key to seal to"):
        check_recipient(key)


def test_a_salted_digest_is_an_hmac_that_anybody_can_make() -> None:
    salt = salt_of(b"h" * 32, "sheets/rome/000/0001.age")
    assert salt == hmac.new(b"h" * 32, b"pbem salt v1:sheets/rome/000/0001.age", hashlib.sha256).digest()
    assert salted(salt, b"orders") == hmac.new(salt, b"orders", hashlib.sha256).hexdigest()
    assert salt != salt_of(b"h" * 32, "sheets/rome/000/0002.age")


def test_a_commitment_is_no_link_of_a_chain() -> None:
    assert commitment(b"s" * 32) == "8c8eae7d942d76662cfecc96f40714102af938d2523fc246dfa1cfd9126dd61c"
    chain = Chain(b"s" * 32, 3)
    assert commitment(b"s" * 32) not in {chain.tip, *(chain.link(n) for n in range(1, 4))}
