"""The key backup: list the key store, copy it into one sealed file, and restore it.

A backup is one age file. It holds a heading and the files of the games' secrets, one below the other, as they are in
the store. With age and the right key it can be taken apart without `pbem`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from errno import EEXIST
from pathlib import Path
from typing import Final

from pbem.atomic import write_new
from pbem.crypto.keys import BadKeys, Keys, Secrets, key_file
from pbem.crypto.seal import Identity, unwrap, wrap
from pbem.paths import GAME_NAME
from pbem.repo.files.charter import check_keys
from pbem.repo.git import GameExists, GameRepo, NoSuchGame, StoreError
from pbem.repo.public import charter_in

HEADING: Final = b"# pbem-keys-v1: the secrets of games. Whoever reads them knows every hand and every coming roll.\n"
_CUT: Final = b"---\n"


@dataclass(slots=True)
class KeptSecrets:
    """The secrets of one game in the store, what is `wrong` with them, and the state of the game's repo."""

    game: str
    file: Path
    keys: Keys | None
    wrong: str | None
    repo: str


@dataclass(slots=True)
class Restored:
    """The result of restoring the secrets of one game; `good`: they are in the store and fit the game."""

    game: str
    good: bool
    text: str


def kept_secrets(folder: Path, games: Path) -> Iterator[KeptSecrets]:
    """Yield the secrets in a key store, by name; `games` is the folder of the repos."""
    for file in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
        name = file.stem
        if not GAME_NAME.fullmatch(name):
            continue
        try:
            keys = Keys.load(folder, name)
        except BadKeys as wrong:
            yield KeptSecrets(name, file, None, str(wrong), _repo_of(games, name))
            continue
        misfit = misfit_of(keys, games)
        yield KeptSecrets(name, file, keys, misfit, _repo_of(games, name))


def misfit_of(keys: Keys, games: Path) -> str | None:
    """Return why secrets do not fit the game of their name; None: they do, or there is no such game here."""
    try:
        repo = GameRepo.open(games / f"{keys.game}.git")
    except NoSuchGame:
        return None
    except StoreError as wrong:
        return str(wrong)
    with repo:
        try:
            check_keys(charter_in(repo), keys)
        except (BadKeys, StoreError) as wrong:
            return str(wrong)
    return None


def keys_for_new_game(folder: Path, name: str, path: Path, secrets: Secrets | None) -> Keys:
    """Return the secrets of a new game; reuse those of an earlier attempt that never became a game.

    Raises GameExists if there is such a game at `path`, BadKeys if the secrets of another stand in the way.
    """
    try:
        return Keys.create(folder, name, secrets)
    except BadKeys:
        try:
            GameRepo.open(path).close()
        except NoSuchGame:
            left = Keys.load(folder, name)
            if secrets in (None, left.secrets):
                return left
        else:
            raise GameExists(f"{path} exists already; a new game needs another name") from None
        raise


def _repo_of(games: Path, name: str) -> str:
    path = games / f"{name}.git"
    return str(path) if (path / "HEAD").is_file() else ""


# ---------------------------------------------------------------------------------------------- there and back


def back_up(
    folder: Path, names: Sequence[str], file: Path, recipients: Sequence[str] = (), passphrase: str = ""
) -> tuple[list[str], list[str]]:
    """Write the secrets of games (none named: of all) to a new file; return the games in it, and what was left out.

    It is sealed to the recipients, or with the passphrase; with neither it is not encrypted.
    Files that cannot be read are left out, so that one damaged file does not prevent the backup of the others. Raises
    BadKeys if nothing is left, or a named game has no secrets; FileExistsError if the file is there.
    """
    wanted = list(names) or [path.stem for path in sorted(folder.glob("*.yaml")) if GAME_NAME.fullmatch(path.stem)]
    saved, left_out = [], []
    for name in dict.fromkeys(wanted):
        if names and not key_file(folder, name).exists():
            raise BadKeys(f"the secrets of {name} are not in {folder}; `pbem keys list` says what is")
        try:
            saved.append(Keys.load(folder, name))
        except BadKeys as wrong:
            left_out.append(str(wrong))
    if not saved:
        raise BadKeys("; ".join(left_out) or f"there are no secrets in {folder}; PBEM_KEYS names another folder")
    content = HEADING + b"".join(_CUT + keys.text() for keys in saved)
    if recipients or passphrase:
        content = wrap(content, recipients, passphrase)
    try:
        write_new(file, content)
    except FileExistsError:
        raise FileExistsError(
            EEXIST, "exists; a backup never takes the place of another: name another file", str(file)
        ) from None
    return [keys.game for keys in saved], left_out


def restore_secrets(
    folder: Path, games: Path, sealed: bytes, identities: Iterable[Identity] = (), passphrase: str = ""
) -> list[Restored]:
    """Put the secrets of a backup into the store, and return the result for each game.

    Nothing is overwritten, and secrets that do not fit a game that is here are not restored. Raises BadKeys if the
    backup is damaged, CannotOpen if it cannot be opened with the identities, or the passphrase.
    """
    content = sealed if sealed.startswith(HEADING) else unwrap(sealed, identities, passphrase)
    return [_put_back(folder, games, keys) for keys in read_backup(content)]


def read_backup(content: bytes) -> list[Keys]:
    """Return the secrets in an opened backup. Raises BadKeys."""
    heading, *texts = content.split(_CUT)
    if heading != HEADING or not texts:
        raise BadKeys("this is no backup of pbem keys, or it is damaged; take another copy")
    return [
        Keys.read(text.decode("utf-8", "replace"), f"the backup's part {number}")
        for number, text in enumerate(texts, 1)
    ]


def _put_back(folder: Path, games: Path, keys: Keys) -> Restored:
    misfit = misfit_of(keys, games)
    if misfit is not None:
        return Restored(keys.game, False, f"not restored: {misfit}")
    path = key_file(folder, keys.game)
    fits = f"they fit {_repo_of(games, keys.game)}" if _repo_of(games, keys.game) else f"no such game in {games} yet"
    if path.exists():
        try:
            same = Keys.load(folder, keys.game) == keys
        except BadKeys as wrong:
            return Restored(keys.game, False, f"not restored: {wrong}. If they are worth nothing, move them away first")
        if same:
            return Restored(keys.game, True, f"there already, in {path}; {fits}")
        return Restored(keys.game, False, f"not restored: {path} holds other secrets; nothing was overwritten")
    keys.write(folder)
    return Restored(keys.game, True, f"restored to {path}; {fits}")
