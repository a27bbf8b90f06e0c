"""The opening of games: to be played on, to be looked at, new ones.

What is derived of a game is at hand in an open game, or is made again when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pbem.crypto.keys import BadKeys, Keys, Secrets
from pbem.crypto.seal import commitment, recipient_of
from pbem.game.boxes import shelf
from pbem.game.boxes.box import accepted
from pbem.game.boxes.box_file import Corrections
from pbem.game.boxes.shelf import Loaded
from pbem.referee.game.open_game import OpenGame
from pbem.repo.derived import Derived
from pbem.repo.git import GameRepo, KeptRepos
from pbem.repo.ledger import Ledger
from pbem.repo.public import as_files, charter_in, corrections_in, corrections_of, repo_of, revealed_in

if TYPE_CHECKING:
    from pbem.referee.play.adjudicator import Adjudicator
    from pbem.referee.play.new_game import NewGame

G = TypeVar("G", bound=OpenGame)
Opens: TypeAlias = "Callable[[Ledger, Loaded], Adjudicator]"
"""An adjudicator of games, given what is read of one."""


def open_game(
    games: Path,
    keys_folder: Path,
    name: str,
    *,
    folders: Iterable[str | Path] = (),
    corrections: Corrections | None = None,
    repos: KeptRepos | None = None,
) -> Adjudicator:
    """Open a game by its name, to be moved to `corrections` if there are any: they are kept with the next commit.

    `repos` keeps what was read of games that are opened again and again. The caller closes it. Raises NoSuchGame,
    OtherFormat, BadKeys, BrokenBox.
    """
    from pbem.referee.play.adjudicator import Adjudicator  # who only looks does not wait for it

    path = games / f"{name}.git"
    repo = GameRepo.open(path) if repos is None else repos.open(path)
    try:
        ledger = _own_ledger(repo, keys_folder, name)
        game = remade(Adjudicator(ledger, rules_of(ledger, folders, corrections)), folders)
        ledger.further = as_files(corrections or {})
    except BaseException:
        repo.close()
        raise
    return game


def open_to_look(games: Path, keys_folder: Path, name: str, *, folders: Iterable[str | Path] = ()) -> OpenGame:
    """Return one of the referee's own games that is only looked at. The caller closes it. Raises as `open_game`."""
    repo = GameRepo.open(games / f"{name}.git")
    try:
        ledger = _own_ledger(repo, keys_folder, name)
        return remade(OpenGame(ledger, rules_of(ledger, folders)), folders)
    except BaseException:
        repo.close()
        raise


def _own_ledger(repo: GameRepo, keys_folder: Path, name: str) -> Ledger:
    ledger = Ledger(repo, Keys.load(keys_folder, name))
    ledger.check_secrets()
    return ledger


def open_to_read(games: Path, keys_folder: Path, name: str, *, folders: Iterable[str | Path] = ()) -> OpenGame:
    """Return a game that is only looked at: `name` is one in the folder, or where a clone lies. The caller closes it.

    Raises NoSuchGame; BadKeys if its secrets are neither in the key store nor published; BrokenBox.
    """
    path = repo_of(games, name)
    repo = GameRepo.open(path)
    try:
        # Anybody can put something beside the clone of a game that opens with its keys.
        derived = None if path == games / f"{name}.git" else Derived()
        ledger = Ledger(repo, _keys_to_read(repo, keys_folder), derived=derived)
        return remade(OpenGame(ledger, rules_of(ledger, folders)), folders)
    except BaseException:
        repo.close()
        raise


def create_game(games: Path, keys_folder: Path, new: NewGame, kind: Opens | None = None) -> Adjudicator:
    """Make a new game and, if it is to begin at once, play it to its first decision. The caller closes it.

    `kind` makes the adjudicator; None: the usual one. Raises CannotPlay or GameExists if that is impossible, BrokenBox
    for a box that is not in order.
    """
    from pbem.referee.play.adjudicator import Adjudicator

    ledger, loaded = new.create(games, keys_folder)
    try:
        game = remade((kind or Adjudicator)(ledger, loaded), new.folders)
        if new.begin:
            game.adjudicate()
    except BaseException:
        ledger.repo.close()
        raise
    return game


def remade(game: G, folders: Iterable[str | Path]) -> G:
    """Have what is derived of a game made again when it is asked for and is not at hand."""
    charter, repo = game.charter, game.ledger.repo
    assert isinstance(repo, GameRepo)
    known: dict[tuple[tuple[str, bytes], ...], Loaded] = {
        tuple(sorted(as_files(corrections_in(repo)).items())): game.loaded
    }

    def loads(kept: Mapping[str, bytes]) -> Loaded:
        files = tuple(sorted(kept.items()))
        if files not in known:
            known[files] = shelf.load(
                charter.rules,
                edition=charter.edition,
                options=charter.options,
                folders=folders,
                kept=corrections_of(files),
            )
        return known[files]

    def make_again(sha: str) -> None:
        from pbem.referee.again.remake import Remaker  # seldom needed, and half of the house

        game.ledger.make_again = Remaker(game, repo, loads)
        game.ledger.make_again(sha)

    game.ledger.make_again = make_again
    return game


def _keys_to_read(repo: GameRepo, folder: Path) -> Keys:
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


def rules_of(ledger: Ledger, folders: Iterable[str | Path], corrections: Corrections | None = None) -> Loaded:
    """Return the rules that are here for a game, with the corrections that it keeps, or others in place of them.

    Raises NotInTheBox, BrokenBox.
    """
    charter, kept = ledger.charter, ledger.corrections() | accepted(corrections or {})
    return shelf.load(charter.rules, edition=charter.edition, options=charter.options, folders=folders, kept=kept)
