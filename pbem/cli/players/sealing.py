"""`pbem seal-orders` and `pbem open`: a sheet as a block that can be pasted anywhere, and any sealed file opened."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from pbem.cli.options import Games, RulesDir
from pbem.cli.runtime import FAULTS, Boxes, misuse, read, read_at_home
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.orders.check import Receipt
    from pbem.repo.git import GameRepo


# ---- `pbem seal-orders`: a player's sheet as a block that can be pasted anywhere. It needs no lock and changes
#      nothing


class _Checked(NamedTuple):
    """A sheet that was checked: for whom it is to be sealed, and how far the check went."""

    receipt: Receipt
    game: str
    side: str
    sealed_to: str
    note: str = ""


def seal_orders(
    game: Annotated[
        str,
        typer.Argument(help="The file position.json from a report, a clone of the game's repo, or the game's name."),
    ],
    sheet: Annotated[Path, typer.Argument(help="The order sheet; - for standard input.")],
    side: Annotated[str | None, typer.Option("--side", help="Your side; not needed with position.json.")] = None,
    identity: Annotated[
        Path | None,
        typer.Option("--identity", "-i", help="The file with your secret key, if you have mailed a KEY: for a clone."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the block to a file; by default, print it.")
    ] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
) -> None:
    """Check an order sheet and seal it for the referee: a block to paste into a forum, a letter, anywhere."""
    from pbem.crypto.sealed_orders import sealed_orders

    raw = read_at_home(sheet)
    if Path(game).suffix == ".json":
        found = _by_position(Path(game), side, sheet.name, raw, rules_dir)
    elif side is None:
        misuse("say whose sheet it is: --side rome")
    else:
        found = _by_repo(game, side, sheet.name, raw, identity, games, rules_dir)
    if found.receipt.complaints:
        print(found.receipt)
        print("Nothing was sealed.", file=sys.stderr)
        sys.exit(FAULTS)
    block = sealed_orders(found.sealed_to, found.game, found.side, raw)
    _say(found)
    if output is None:
        print(block, end="")
    else:
        output.write_text(block, "ascii")
        print(output)


def _say(found: _Checked) -> None:
    """Print how a sheet was read, beside the output: what is copied from there must not show it."""
    from pbem.mail.write.answer_letters import echo

    lines = ["This is how your sheet was read; below is the block to paste, which shows nothing of it:"]
    lines += [f"  {line}" for line in echo(found.receipt.canonical, 60, "and more")]
    print("\n".join([*lines, *([found.note] if found.note else [])]), file=sys.stderr)


def _by_position(file: Path, side: str | None, name: str, raw: bytes, boxes: Boxes) -> _Checked:
    """Check a sheet against the file `position.json` of a report, which also says to which key it is sealed."""
    from pbem.referee.game.home_check import check_at_home
    from pbem.referee.game.open_game import CannotPlay

    receipt = check_at_home(file, raw, name, boxes or ())
    known = json.loads(file.read_text("utf-8"))
    if side not in (None, known["side"]):
        misuse(f"{file} came with a report to {known['side']}, not to {side}")
    if "sealed_to" not in known:
        raise CannotPlay(f"{file} does not say to which key orders are sealed; a clone of the game's repo does")
    return _Checked(receipt, known["game"], known["side"], known["sealed_to"])


def _by_repo(
    game: str, side: str, name: str, raw: bytes, identity: Path | None, games: Path | None, boxes: Boxes
) -> _Checked:
    """Check a sheet against a game of which only the repo is at hand, or the keys as well."""
    from pbem.audit.record.access import open_to_read, repo_of
    from pbem.crypto.keys import key_file
    from pbem.referee.game.home_check import check_in_clone
    from pbem.referee.play import sheet_check
    from pbem.repo.git import GameRepo
    from pbem.repo.public import charter_in

    folder = games or games_folder()
    with GameRepo.open(repo_of(folder, game)) as repo:
        charter = charter_in(repo)
        if side not in charter.players:
            misuse(f"{charter.game} has no side {side}; its sides are {', '.join(charter.players)}")
        if identity is None and key_file(keys_folder(), charter.game).is_file():
            with open_to_read(folder, keys_folder(), game, folders=boxes or ()) as found:
                receipt, _ = sheet_check.check_sheet_of(found, side, raw, name=name)
            return _Checked(receipt, charter.game, side, charter.sealed_to)
        view = None if identity is None else _view(repo, side, identity)
        receipt = check_in_clone(repo, view, side, raw, name, boxes or ())
    return _Checked(receipt, charter.game, side, charter.sealed_to, "" if view is not None else _FORM_ONLY)


_FORM_ONLY: Final = (
    "Only the form of the sheet was checked: the rest is not public. To check it against all that your side knows, "
    "give position.json of your last report, or with --identity the key that you mailed."
)


def _view(repo: GameRepo, side: str, identity: Path) -> bytes:
    """Return the view of a side, opened with its player's key. Raises CannotOpen."""
    from pbem.crypto.seal import CannotOpen, identities_in, open_with
    from pbem.repo.files.layout import view_path

    sealed = repo.read(view_path(side))
    if sealed is None:
        raise CannotOpen(f"{side} has mailed no KEY, so that the repo has no view of it to open; leave out --identity")
    return open_with(identities_in(identity.read_text("utf-8")), sealed)[1]


# ---- `pbem open`: the content of a sealed file, for anybody who has the key


def open_sealed(file: Path, identity: Path) -> None:
    """Print the content of a sealed file; a key file of age or of ssh-ed25519 opens it."""
    from pbem.crypto.seal import CannotOpen, identities_in, open_with

    try:
        keys = identities_in(identity.read_text("utf-8"))
    except UnicodeDecodeError:
        raise CannotOpen(f"{identity} is not a key file of age or ssh") from None
    _, content = open_with(keys, read(file))
    if sys.stdout.isatty():  # a file or a pipe gets the bytes as they are
        print(content.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n"))
        return
    sys.stdout.buffer.write(content)
    if not content.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
