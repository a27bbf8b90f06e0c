"""The care of the secrets: a list, a backup, the way back, a move to another machine, a loss."""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pbem.audit.explain.replay import replay
from pbem.cli.verbs import app
from pbem.crypto.keys import BadKeys, Keys, Secrets
from pbem.crypto.seal import new_identity, recipient_of
from pbem.repo.key_backup import HEADING, read_backup
from tests.support.live import Folder, git, play, readable

SECRET_WORDS = ("chain", "hidden", "identity", "office")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with two games, which the command line takes for its own."""
    folder = Folder(tmp_path / "here")
    folder.create(name="punica").close()
    folder.create(name="second", secrets=Secrets.drawn()).close()
    move_to(folder, monkeypatch)
    return folder


def move_to(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line stand on the machine that has this folder."""
    monkeypatch.setenv("PBEM_KEYS", str(folder.keys))
    monkeypatch.setenv("PBEM_GAMES", str(folder.games))


def pbem(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def key_pair(folder: Path) -> tuple[str, Path]:
    """Return a public key, and the file of its secret key as age-keygen writes it."""
    identity, file = new_identity(), folder / "key.txt"
    file.write_text(f"# created: today\n# public key: {recipient_of(identity)}\n{identity}\n")
    return recipient_of(identity), file


def secrets_in(keys: Keys) -> list[bytes]:
    """Return the secrets as they are written in clear."""
    text = keys.text().decode()
    found = [line.partition(": ")[2] for line in text.splitlines() if line.startswith(SECRET_WORDS)]
    assert len(found) == 4
    return [each.encode() for each in found]


# ---- list


def test_the_list_says_how_each_games_secrets_stand(home: Folder) -> None:
    Keys.create(home.keys, "elsewhere")
    listed = pbem("keys", "list")
    assert listed.exit_code == 0, listed.output
    lines = listed.output.splitlines()
    assert lines[0] == f"In {home.keys}:"
    assert lines[1].startswith("elsewhere: chain-v2, mode 600, no such game here")
    assert lines[2] == f"punica: chain-v2, mode 600, fit {home.repo('punica')}"
    assert not any(secret.decode() in listed.output for secret in secrets_in(Keys.load(home.keys, "punica")))


def test_the_list_says_what_is_wrong(home: Folder) -> None:
    (home.keys / "second.yaml").chmod(0o644)
    shutil.copy(home.keys / "second.yaml", home.keys / "third.yaml")
    (home.keys / "third.yaml").chmod(0o600)
    Keys.create(home.path / "others", "punica")
    shutil.copy(home.path / "others" / "punica.yaml", home.keys / "punica.yaml")
    listed = pbem("keys", "list")
    assert listed.exit_code == 1
    assert "punica: chain-v2, mode 600, WRONG: these are not the secrets that punica was begun with" in listed.output
    assert "second: scheme unknown, mode 644, WRONG: " in listed.output
    assert "close it with: chmod 600" in listed.output
    assert "holds the secrets of second, not of third" in listed.output


def test_an_empty_store_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    move_to(Folder(tmp_path / "nowhere"), monkeypatch)
    assert pbem("keys", "list").output == (
        f"There are no secrets in {tmp_path}/nowhere/keys. Set PBEM_KEYS to use another folder.\n"
    )
    assert pbem("keys", "backup", tmp_path / "b.age", "--plain").exit_code == 1


# ---- backup


def test_a_backup_is_sealed_and_for_the_owner_alone(home: Folder, tmp_path: Path) -> None:
    public, _ = key_pair(tmp_path)
    saved = pbem("keys", "backup", tmp_path / "keys.age", "--to", public)
    assert (saved.exit_code, saved.output) == (0, f"{tmp_path}/keys.age: the secrets of punica, second, sealed.\n")
    content = (tmp_path / "keys.age").read_bytes()
    assert content.startswith(b"-----BEGIN AGE ENCRYPTED FILE-----")
    assert not any(each in content for name in ("punica", "second") for each in secrets_in(Keys.load(home.keys, name)))
    assert stat.S_IMODE((tmp_path / "keys.age").stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == ["here", "key.txt", "keys.age"]


def test_a_backup_never_takes_the_place_of_a_file(home: Folder, tmp_path: Path) -> None:
    (tmp_path / "keys.age").write_bytes(b"an older backup")
    saved = pbem("keys", "backup", tmp_path / "keys.age", "--plain")
    assert saved.exit_code == 1
    assert "never takes the place of another" in saved.output
    assert (tmp_path / "keys.age").read_bytes() == b"an older backup"


def test_nothing_is_written_in_clear_unless_it_is_asked_for(home: Folder, tmp_path: Path) -> None:
    file = tmp_path / "keys.age"
    public, _ = key_pair(tmp_path)
    (tmp_path / "empty").write_text("\nsecond line\n")
    wrong: list[list[str | Path]] = [
        [],
        ["--plain", "--to", public],
        ["--to", "age1junk"],
        ["--to", new_identity()],
        ["--passphrase-file", tmp_path / "empty"],
    ]
    for words in wrong:
        assert pbem("keys", "backup", file, *words).exit_code == 2, words
        assert not file.exists()
    assert "NOT sealed" in pbem("keys", "backup", file, "punica", "--plain").output
    assert [keys.game for keys in read_backup(file.read_bytes())] == ["punica"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_damaged_file_does_not_keep_others_from_being_saved(home: Folder, tmp_path: Path) -> None:
    """One damaged file does not keep the others from being saved."""
    (home.keys / "second.yaml").write_text("game: second\n")
    saved = pbem("keys", "backup", tmp_path / "keys.age", "--plain")
    assert saved.exit_code == 1
    assert "left out: " in saved.output
    assert "second.yaml is damaged" in saved.output
    assert [keys.game for keys in read_backup((tmp_path / "keys.age").read_bytes())] == ["punica"]
    assert pbem("keys", "backup", tmp_path / "other.age", "nobody", "--plain").exit_code == 1
    assert not (tmp_path / "other.age").exists()


# ---- restore


def test_what_was_backed_up_comes_back(home: Folder, tmp_path: Path) -> None:
    public, secret = key_pair(tmp_path)
    before = {name: Keys.load(home.keys, name) for name in ("punica", "second")}
    assert pbem("keys", "backup", tmp_path / "keys.age", "--to", public).exit_code == 0
    shutil.rmtree(home.keys)
    restored = pbem("keys", "restore", tmp_path / "keys.age", "--identity", secret)
    assert restored.exit_code == 0, restored.output
    assert restored.output.splitlines() == [
        f"{name}: restored to {home.keys}/{name}.yaml; they fit {home.repo(name)}." for name in ("punica", "second")
    ]
    assert {name: Keys.load(home.keys, name) for name in before} == before
    again = pbem("keys", "restore", tmp_path / "keys.age", "--identity", secret)
    assert again.exit_code == 0
    assert again.output.count("there already") == 2


@pytest.mark.soak  # a passphrase is slow on purpose
def test_a_passphrase_opens_what_it_sealed(home: Folder, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("correct horse battery staple\n")
    (tmp_path / "other").write_text("Tr0ub4dor&3\n")
    backup = tmp_path / "keys.age"
    assert pbem("keys", "backup", backup, "second", "--passphrase-file", tmp_path / "words").exit_code == 0
    kept = Keys.load(home.keys, "second")
    (home.keys / "second.yaml").unlink()
    wrong = pbem("keys", "restore", backup, "--passphrase-file", tmp_path / "other")
    assert wrong.exit_code == 1
    assert "does not open the file" in wrong.output
    assert pbem("keys", "restore", backup, "--passphrase-file", tmp_path / "words").exit_code == 0
    assert Keys.load(home.keys, "second") == kept


def test_nothing_that_is_there_is_overwritten(home: Folder, tmp_path: Path) -> None:
    backup = tmp_path / "keys.age"
    assert pbem("keys", "backup", backup, "--plain").exit_code == 0
    shutil.rmtree(home.repo("punica"))
    (home.keys / "punica.yaml").unlink()
    other = Keys.create(home.keys, "punica")
    (home.keys / "second.yaml").write_text("damaged")
    restored = pbem("keys", "restore", backup)
    assert restored.exit_code == 1
    assert "punica: not restored: " in restored.output
    assert "holds other secrets; nothing was overwritten" in restored.output
    assert "second: not restored: " in restored.output
    assert "move them away first" in restored.output
    assert Keys.load(home.keys, "punica") == other
    assert (home.keys / "second.yaml").read_text() == "damaged"


def test_secrets_of_another_game_with_that_name_are_not_restored(home: Folder, tmp_path: Path) -> None:
    """Secrets of another game of the same name are not restored."""
    assert pbem("keys", "backup", tmp_path / "keys.age", "punica", "--plain").exit_code == 0
    for path in (home.repo("punica"), home.keys):
        shutil.rmtree(path)
    home.create(name="punica", secrets=Secrets.drawn()).close()
    (home.keys / "punica.yaml").unlink()
    restored = pbem("keys", "restore", tmp_path / "keys.age")
    assert restored.exit_code == 1
    assert "not restored: these are not the secrets that punica was begun with" in restored.output
    assert not (home.keys / "punica.yaml").exists()


def test_a_damaged_backup_restores_nothing(home: Folder, tmp_path: Path) -> None:
    public, secret = key_pair(tmp_path)
    assert pbem("keys", "backup", tmp_path / "keys.age", "--to", public).exit_code == 0
    assert pbem("keys", "backup", tmp_path / "plain", "--plain").exit_code == 0
    sealed, plain = (tmp_path / "keys.age").read_bytes(), (tmp_path / "plain").read_bytes()
    shutil.rmtree(home.keys)
    damaged = tmp_path / "damaged"
    for content in (b"", sealed[:300], sealed.replace(b"A", b"B"), HEADING, plain.replace(b"hidden", b"hiding"), b"x"):
        damaged.write_bytes(content)
        restored = pbem("keys", "restore", damaged, "--identity", secret)
        assert restored.exit_code == 1, content
        assert re.match(r"pbem: .+\n\Z", restored.output), restored.output
        assert not home.keys.exists()
    no_keys: list[list[str | Path]] = [[], ["--identity", tmp_path / "plain"], ["--identity", tmp_path / "nowhere"]]
    for words in no_keys:
        assert pbem("keys", "restore", tmp_path / "keys.age", *words).exit_code == 1


def test_a_backup_is_read_as_it_was_written() -> None:
    made = [Keys(name, Secrets.drawn()) for name in ("a", "b")]
    content = HEADING + b"".join(b"---\n" + keys.text() for keys in made)
    assert read_backup(content) == made
    with pytest.raises(BadKeys, match="part 2 is damaged"):
        read_backup(content[:-40])


# ---- a move, a loss


@pytest.mark.slow
@pytest.mark.parametrize("cloned", [False, True])
def test_a_game_that_has_moved_plays_on_with_the_same_dice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cloned: bool
) -> None:
    here, there = Folder(tmp_path / "here"), Folder(tmp_path / "there")
    with here.create() as game:
        for _ in play(game, 1, 5):
            pass
    move_to(here, monkeypatch)
    public, secret = key_pair(tmp_path)
    assert pbem("keys", "backup", tmp_path / "keys.age", "--to", public).exit_code == 0
    there.games.mkdir(parents=True)
    if cloned:
        git(here.repo("punica"), "clone", "--quiet", "--bare", str(here.repo("punica")), str(there.repo("punica")))
    else:
        shutil.copytree(here.repo("punica"), there.repo("punica"))
    move_to(there, monkeypatch)
    assert pbem("keys", "restore", tmp_path / "keys.age", "--identity", secret).exit_code == 0
    for folder in (here, there):
        with folder.open() as game:
            for _ in play(game, 2, 30):
                pass
            assert list(replay(game)) == []
    with here.open() as stayed, there.open() as moved:
        assert stayed.adjudication > 12
        assert readable(stayed.ledger.repo) == readable(moved.ledger.repo)
        assert git(there.repo("punica"), "fsck", "--strict", "--full", "--no-dangling") == ""


def test_without_its_secrets_a_game_stands_still_and_says_so(home: Folder) -> None:
    shutil.rmtree(home.keys)
    for verb in (["status", "punica"], ["adjudicate", "punica"], ["form", "punica", "--side", "red"]):
        lost = pbem(*verb)
        assert lost.exit_code == 1, verb
        assert "the secrets of punica are not there" in lost.output
        assert "pbem keys restore" in lost.output
