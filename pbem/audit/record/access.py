"""Opens a game only to read it: with the secrets of the key store or, once it is over, with those it has published."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pbem.crypto.keys import BadKeys, Keys, Secrets
from pbem.crypto.seal import commitment, recipient_of
from pbem.referee.game.open_game import OpenGame, rules_of
from pbem.repo.git import GameRepo
from pbem.repo.ledger import Ledger
from pbem.repo.public import charter_in, revealed_in


def open_to_read(games: Path, keys_folder: Path, name: str, *, folders: Iterable[str | Path] = ()) -> OpenGame:
    """Return a game that is only looked at: `name` is one in the folder, or where a clone lies. The caller closes it.

    Raises NoSuchGame; BadKeys if its secrets are neither in the key store nor published; BrokenBox.
    """
    repo = GameRepo.open(repo_of(games, name))
    try:
        ledger = Ledger(repo, _keys(repo, keys_folder))
        loaded = rules_of(ledger, folders)
    except BaseException:
        repo.close()
        raise
    return OpenGame(ledger, loaded)


def repo_of(games: Path, name: str) -> Path:
    """Return where the repo of a game lies: a name in the folder of games, or the path of a clone, bare or not."""
    clone = Path(name).absolute()  # of "." the name is empty
    for path in (games / f"{name}.git", clone / ".git", clone, clone.parent / f"{clone.name}.git"):
        if (path / "HEAD").is_file():
            return path
    return games / f"{name}.git"


def _keys(repo: GameRepo, folder: Path) -> Keys:
    """Return the secrets that open what is sealed, wherever they are found."""
    charter, revealed = charter_in(repo), revealed_in(repo)
    if revealed is None:
        keys = Keys.load(folder, charter.game)
    else:
        # What makes the dice stays secret for ever, and who only reads needs it not.
        keys = Keys(charter.game, Secrets(b"", bytes.fromhex(revealed.hidden), revealed.identity, ""))
    if commitment(keys.hidden) != charter.dice.hidden or recipient_of(keys.identity) != charter.sealed_to:
        raise BadKeys(f"these are not the secrets that {charter.game} was begun with")
    return keys
