"""Where things lie: in a checkout, in a wheel, and where the environment says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from pbem import paths as places

ROOT = Path(__file__).parent.parent


def test_a_checkout_has_its_folders_beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_RULES", raising=False)
    assert places.rules_folders() == (ROOT / "rules",)
    assert places.templates_folder() == ROOT / "templates"


def test_more_boxes_come_before_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("given", "first", "second")]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setenv("PBEM_RULES", os.pathsep.join(["", *map(str, folders[1:])]))
    assert places.rules_folders([folders[0]]) == (*folders, ROOT / "rules")


def test_a_folder_of_rules_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_RULES", str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError, match="gone was named as a folder of rules"):
        places.rules_folders()


def test_keys_lie_outside_every_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PBEM_KEYS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    assert places.keys_folder() == tmp_path / ".local/share/pbem/keys"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    assert places.keys_folder() == tmp_path / "own/pbem/keys"
    monkeypatch.setenv("PBEM_KEYS", "~/vault")
    assert places.keys_folder() == tmp_path / "vault"


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home of a user who has set nothing, which is also where we stand."""
    for name in ("PBEM_KEYS", "PBEM_GAMES", "PBEM_CACHE", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def elsewhere(at_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder below which a system keeps its users' files that keeps them in another place than Linux."""
    system = at_home / "Library"
    monkeypatch.setattr("platformdirs.user_data_path", lambda name, **_: system / "Data" / name)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name, **_: system / "Caches" / name)
    return system


def test_games_stand_where_we_stand_or_where_we_say(at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("games").mkdir()
    assert places.games_folder() == Path("games")
    monkeypatch.setenv("XDG_DATA_HOME", str(at_home / "own"))
    assert places.games_folder() == Path("games")
    monkeypatch.setenv("PBEM_GAMES", "elsewhere")
    assert places.games_folder() == Path("elsewhere")


def test_games_stand_with_the_users_data_if_none_are_here(at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.games_folder() == at_home / ".local/share/pbem/games"
    monkeypatch.setenv("XDG_DATA_HOME", str(at_home / "own"))
    assert places.games_folder() == at_home / "own/pbem/games"


def test_every_system_has_its_own_places(elsewhere: Path) -> None:
    assert places.keys_folder() == elsewhere / "Data/pbem/keys"
    assert places.games_folder() == elsewhere / "Data/pbem/games"
    assert places.cache_folder() == elsewhere / "Caches/pbem"


def test_keys_are_found_where_they_lay_on_every_system(
    elsewhere: Path, at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = at_home / ".local/share/pbem/keys"
    earlier.mkdir(parents=True)
    (elsewhere / "Data/pbem/keys").mkdir(parents=True)
    assert places.keys_folder() == earlier
    monkeypatch.setenv("XDG_DATA_HOME", str(at_home / "own"))
    assert places.keys_folder() == at_home / "own/pbem/keys"


def test_cache_folder_is_named_or_the_users_own(at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.cache_folder() == at_home / ".cache/pbem"
    monkeypatch.setenv("XDG_CACHE_HOME", str(at_home / "own"))
    assert places.cache_folder() == at_home / "own/pbem"
    monkeypatch.setenv("PBEM_CACHE", "~/scratch")
    assert places.cache_folder() == at_home / "scratch"


def test_cache_of_a_homeless_user_keeps_nothing(at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.setitem(sys.modules, "pwd", None)
    assert places.cache_folder() == Path(os.devnull)


def test_a_wheel_carries_rules_and_templates(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    away = tmp_path / "away"
    with ZipFile(wheel) as packed:
        packed.extractall(away)
    asked = "from pbem import paths as places; print(*places.rules_folders(), places.templates_folder(), sep='\\n')"
    env = {key: value for key, value in os.environ.items() if key != "PBEM_RULES"} | {"PYTHONPATH": str(away)}
    told = subprocess.run(
        [sys.executable, "-c", asked], cwd=tmp_path, env=env, check=True, capture_output=True, text=True
    )
    for line, ours in zip(told.stdout.splitlines(), ("rules", "templates"), strict=True):
        carried = Path(line)
        assert carried == away / "pbem/_box" / ours
        assert shapes(carried) == shapes(ROOT / ours)


def test_a_copy_without_its_folders_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_PACKAGE", tmp_path / "pbem")
    with pytest.raises(FileNotFoundError, match="lacks its folder templates/"):
        places.templates_folder()


def shapes(folder: Path) -> dict[str, int]:
    """Return every file below a folder with its size."""
    return {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
