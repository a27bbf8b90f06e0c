"""Sealing, and the file that a game's secrets stand in."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.dice import make_chain
from pbem.seal import BadKeys, CannotOpen, Keys, commitment, seal, sealing_key, unseal

KEY = sealing_key(b"h" * 32, "punica")


@given(st.binary(max_size=3000))
def test_what_is_sealed_can_be_opened(plaintext: bytes) -> None:
    assert unseal(KEY, "position.yaml", seal(KEY, "position.yaml", plaintext)) == plaintext


def test_the_same_is_sealed_the_same() -> None:
    """These never change under the name siv-v1."""
    sealed = seal(KEY, "position.yaml", b"hand: [33, 7]\n")
    assert sealed == seal(KEY, "position.yaml", b"hand: [33, 7]\n")
    assert KEY.hex()[:32] == "2f3f7a8c4fda707d715d301b9f544f1f"
    assert hashlib.sha256(sealed).hexdigest() == "09732ad7ec24cb6f67cd7bb79978673db59c3c4b7332cfd58497f17dda9e06a1"


def test_the_text_suits_a_diff() -> None:
    lines = seal(KEY, "position.yaml", b"hand: [33, 7]\n").decode("ascii").split("\n")
    assert lines[0] == "-----BEGIN PBEM SEALED siv-v1-----"
    assert lines[-2:] == ["-----END PBEM SEALED siv-v1-----", ""]
    assert max(map(len, lines[1:-2])) == 64


def test_the_length_tells_only_the_kilobyte() -> None:
    sizes = [len(seal(KEY, "n", bytes(size))) for size in (0, 1, 500, 1023, 1024, 2047, 2048)]
    assert sizes[0] == sizes[1] == sizes[2] == sizes[3] < sizes[4] == sizes[5] < sizes[6]


def test_mail_and_indented_yaml_do_no_harm() -> None:
    sealed = seal(KEY, "n", b"hand")
    assert unseal(KEY, "n", sealed.replace(b"\n", b"\r\n")) == b"hand"
    assert unseal(KEY, "n", b"\n" + b"".join(b"  " + line for line in sealed.splitlines(True)) + b"\n") == b"hand"


SEALED = seal(KEY, "turns/0001", b"hand")
LINES = SEALED.split(b"\n")


@pytest.mark.parametrize(
    ("key", "name", "sealed", "reason"),
    [
        (KEY, "turns/0002", SEALED, "was altered, or sealed under another name"),
        (sealing_key(b"h" * 32, "other"), "turns/0001", SEALED, "or with another key"),
        (sealing_key(b"i" * 32, "punica"), "turns/0001", SEALED, "or with another key"),
        (KEY, "turns/0001", b"\n".join([LINES[0], *reversed(LINES[1:-2]), *LINES[-2:]]), "was altered"),
        (KEY, "turns/0001", b"\n".join([LINES[0], *LINES[2:]]), "was altered"),
        (KEY, "turns/0001", b"\n".join([LINES[0], *LINES[-2:]]), "was altered"),
        (KEY, "turns/0001", SEALED.replace(LINES[1], b"!" + LINES[1][1:]), "was altered"),
        (KEY, "turns/0001", b"\n".join(LINES[:-2]), "not a text sealed as siv-v1"),
        (KEY, "turns/0001", b"\n".join(LINES[1:]), "not a text sealed as siv-v1"),
        (KEY, "turns/0001", SEALED.replace(b"siv-v1", b"siv-v2"), "not a text sealed as siv-v1"),
        (KEY, "turns/0001", b"", "not a text sealed as siv-v1"),
    ],
)
def test_what_is_not_right_does_not_open(key: bytes, name: str, sealed: bytes, reason: str) -> None:
    with pytest.raises(CannotOpen, match=f"^{name}: .*{reason}"):
        unseal(key, name, sealed)


def test_any_bit_counts() -> None:
    raw = bytearray(LINES[1])
    for at in range(len(raw)):
        changed = bytes(raw[:at]) + (b"A" if raw[at : at + 1] != b"A" else b"B") + bytes(raw[at + 1 :])
        with pytest.raises(CannotOpen):
            unseal(KEY, "turns/0001", SEALED.replace(LINES[1], changed))


def test_a_commitment_is_no_link_of_a_chain() -> None:
    assert commitment(b"s" * 32) == "8c8eae7d942d76662cfecc96f40714102af938d2523fc246dfa1cfd9126dd61c"
    assert commitment(b"s" * 32) not in {link.hex() for link in make_chain(b"s" * 32, 3).links}


class TestKeys:
    def test_they_are_random_and_come_back(self, tmp_path: Path) -> None:
        keys = Keys.create(tmp_path / "keys", "punica")
        other = Keys.create(tmp_path / "keys", "other")
        assert len({keys.chain, keys.hidden, other.chain, other.hidden}) == 4
        assert Keys.load(tmp_path / "keys", "punica") == keys
        assert keys.sealing_key() == sealing_key(keys.hidden, "punica")

    def test_they_can_be_given(self, tmp_path: Path) -> None:
        Keys.create(tmp_path / "keys", "demo", chain=b"c" * 32, hidden=b"h" * 32, length=9)
        assert Keys.load(tmp_path / "keys", "demo") == Keys("demo", b"c" * 32, b"h" * 32, 9)

    def test_they_are_not_printed(self) -> None:
        assert (b"c" * 32).hex() not in repr(Keys("demo", b"c" * 32, b"h" * 32))
        assert repr(Keys("demo", b"c" * 32, b"h" * 32)) == "Keys(game='demo', length=4096, scheme='chain-v1')"

    def test_only_the_owner_may_read_them(self, tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            Keys.create(tmp_path / "keys", "punica")
        finally:
            os.umask(before)
        assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "keys" / "punica.yaml").stat().st_mode & 0o777 == 0o600
        assert [path.name for path in (tmp_path / "keys").iterdir()] == ["punica.yaml"]

    def test_they_are_never_overwritten(self, tmp_path: Path) -> None:
        keys = Keys.create(tmp_path / "keys", "punica")
        with pytest.raises(BadKeys, match=r"punica\.yaml exists; secrets are never overwritten"):
            Keys.create(tmp_path / "keys", "punica")
        assert Keys.load(tmp_path / "keys", "punica") == keys

    def test_not_even_by_somebody_who_is_as_quick(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        keys = Keys.create(tmp_path / "keys", "punica")
        monkeypatch.setattr(Path, "exists", lambda path: False)
        with pytest.raises(BadKeys, match="never overwritten"):
            Keys.create(tmp_path / "keys", "punica")
        assert Keys.load(tmp_path / "keys", "punica") == keys
        assert [path.name for path in (tmp_path / "keys").iterdir()] == ["punica.yaml"]

    @pytest.mark.parametrize(("name", "mode", "cure"), [("punica.yaml", 0o640, "600"), (".", 0o755, "700")])
    def test_they_are_refused_when_others_can_read_them(self, tmp_path: Path, name: str, mode: int, cure: str) -> None:
        Keys.create(tmp_path / "keys", "punica")
        (tmp_path / "keys" / name).chmod(mode)
        with pytest.raises(BadKeys, match=rf"open to others \(mode {mode:o}\); close it with: chmod {cure} "):
            Keys.load(tmp_path / "keys", "punica")

    def test_a_folder_others_can_read_gets_no_keys(self, tmp_path: Path) -> None:
        (tmp_path / "keys").mkdir(mode=0o755)
        (tmp_path / "keys").chmod(0o755)
        with pytest.raises(BadKeys, match="chmod 700"):
            Keys.create(tmp_path / "keys", "punica")
        assert list((tmp_path / "keys").iterdir()) == []

    def test_missing_ones_are_named(self, tmp_path: Path) -> None:
        with pytest.raises(BadKeys, match=r"the secrets of punica are not there: .*punica\.yaml is missing"):
            Keys.load(tmp_path, "punica")

    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ("hidden: ", "hiden: ", "is damaged"),
            ("chain: 63", "chain: xy", "is damaged"),
            ("length: 4096", "length: many", "is damaged"),
            ("game: punica", "game: gallica", "holds the secrets of gallica, not of punica"),
            ("chain-v1", "chain-v9", "scheme chain-v9 is not known"),
        ],
    )
    def test_damage_is_told(self, tmp_path: Path, old: str, new: str, reason: str) -> None:
        Keys.create(tmp_path / "keys", "punica", chain=b"c" * 32)
        path = tmp_path / "keys" / "punica.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        with pytest.raises(BadKeys, match=reason):
            Keys.load(tmp_path / "keys", "punica")

    @pytest.mark.parametrize("game", ["", "../x", "a/b", ".hidden", "-x", "A", "x" * 65, "x\n"])
    def test_a_name_cannot_lead_elsewhere(self, tmp_path: Path, game: str) -> None:
        with pytest.raises(BadKeys, match="cannot name a game"):
            Keys.create(tmp_path / "keys", game)
        with pytest.raises(BadKeys, match="cannot name a game"):
            Keys.load(tmp_path / "keys", game)
