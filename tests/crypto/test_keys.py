"""The file that a game's secrets stand in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pbem.crypto.keys import BadKeys, Keys
from tests.support.live import SECRETS


class TestKeys:
    def test_they_are_random_and_come_back(self, tmp_path: Path) -> None:
        keys = Keys.create(tmp_path / "keys", "punica")
        other = Keys.create(tmp_path / "keys", "other")
        drawn = [(each.chain, each.hidden, each.identity, each.office) for each in (keys, other)]
        assert len({*drawn[0], *drawn[1]}) == 8
        assert Keys.load(tmp_path / "keys", "punica") == keys
        assert len(keys.signing) == 32 != len({keys.signing, other.signing})

    def test_they_can_be_given(self, tmp_path: Path) -> None:
        Keys.create(tmp_path / "keys", "demo", SECRETS, length=9)
        assert Keys.load(tmp_path / "keys", "demo") == Keys("demo", SECRETS, 9)

    def test_they_are_not_printed(self) -> None:
        assert repr(Keys("demo", SECRETS)) == "Keys(game='demo', secrets=Secrets(), length=4096, scheme='chain-v2')"

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
            ("identity: AGE-SECRET-KEY-1R", "identity: AGE-SECRET-KEY-1Q", "is damaged"),
            ("office: ", "office: x", "is damaged"),
            ("game: punica", "game: gallica", "holds the secrets of gallica, not of punica"),
            ("chain-v2", "chain-v9", "scheme chain-v9 is not known"),
        ],
    )
    def test_damage_is_told(self, tmp_path: Path, old: str, new: str, reason: str) -> None:
        Keys.create(tmp_path / "keys", "punica", SECRETS)
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
