"""The verbs of the key store: `pbem keys list`, `backup` and `restore`."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.options import Games, Json
from pbem.cli.runtime import WORLD, misuse, print_json, read
from pbem.paths import games_folder, keys_folder

if TYPE_CHECKING:
    from pbem.repo.key_backup import Kept

keys = typer.Typer(
    name="keys",
    help="List, back up and restore the secrets of the games.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Passphrase = Annotated[
    Path | None, typer.Option("--passphrase-file", help="A file whose first line is the passphrase.")
]


@keys.command("list")
def list_(games: Games = None, json: Json = False) -> None:
    """List the games whose secrets are in the key store, and faults in them."""
    from pbem.repo.key_backup import kept

    folder = keys_folder()
    rows = [_row(each) for each in kept(folder, games or games_folder())]
    if json:
        print_json({"folder": str(folder), "keys": rows})
    elif not rows:
        print(f"There are no secrets in {folder}. Set PBEM_KEYS to use another folder.")
    else:
        print(f"In {folder}:")
        for row in rows:
            print(f"{row['game']}: {row['scheme'] or 'scheme unknown'}, mode {row['mode']}, {_said(row)}")
    if any(row["wrong"] for row in rows):
        sys.exit(WORLD)


def _row(each: Kept) -> dict[str, Any]:
    return {
        "game": each.game,
        "file": str(each.file),
        "scheme": each.keys.scheme if each.keys else None,
        "mode": f"{stat.S_IMODE(os.stat(each.file).st_mode):o}",
        "repo": each.repo or None,
        "wrong": each.wrong,
    }


def _said(row: dict[str, Any]) -> str:
    """Return a sentence that says whether secrets fit their game."""
    if row["wrong"]:
        return f"WRONG: {row['wrong']}"
    return f"fit {row['repo']}" if row["repo"] else "no such game here"


@keys.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist yet.")],
    game: Annotated[list[str] | None, typer.Argument(help="The games; by default all.")] = None,
    to: Annotated[
        list[str] | None, typer.Option("--to", help="A public key to seal it to: age1... or ssh-ed25519 AAAA...")
    ] = None,
    passphrase_file: Passphrase = None,
    plain: Annotated[bool, typer.Option("--plain", help="Do not seal it. The disk must be safe.")] = False,
    json: Json = False,
) -> None:
    """Save the secrets of games in one sealed file."""
    from pbem.crypto.seal import BadRecipient, check_recipient
    from pbem.repo.key_backup import back_up

    if [bool(to), passphrase_file is not None, plain].count(True) != 1:
        misuse("say how to seal the backup: --to age1... or --passphrase-file FILE (or --plain, not sealed)")
    try:
        recipients = [check_recipient(each) for each in to or ()]
    except BadRecipient as wrong:
        misuse(f"--to: {wrong}")
    words = first_line(passphrase_file) if passphrase_file else ""
    saved, left_out = back_up(keys_folder(), game or [], file, recipients, words)
    if json:
        row = {"file": str(file), "games": list(saved), "sealed": not plain, "left_out": list(map(str, left_out))}
        print_json(row)
    else:
        print(f"{file}: the secrets of {', '.join(saved)}" + (", NOT sealed." if plain else ", sealed."))
    for each in left_out if not json else ():
        print(f"pbem: left out: {each}", file=sys.stderr)
    if left_out:
        sys.exit(WORLD)


@keys.command()
def restore(
    file: Annotated[Path, typer.Argument(help="The backup.")],
    identity: Annotated[
        Path | None, typer.Option("--identity", help="A file with the secret key that opens it: age or ssh-ed25519.")
    ] = None,
    passphrase_file: Passphrase = None,
    games: Games = None,
    json: Json = False,
) -> None:
    """Restore secrets from a backup. Nothing is overwritten."""
    from pbem.crypto.seal import identities_in
    from pbem.repo.key_backup import restore as bring_back

    if identity is not None and passphrase_file is not None:
        misuse("give --identity or --passphrase-file, not both")
    identities = identities_in(read(identity).decode("utf-8", "replace")) if identity else []
    words = first_line(passphrase_file) if passphrase_file else ""
    restored = bring_back(keys_folder(), games or games_folder(), read(file), identities, words)
    if json:
        print_json({"keys": [{"game": each.game, "good": each.good, "text": each.text} for each in restored]})
    for each in restored if not json else ():
        print(f"{each.game}: {each.text}.", file=sys.stdout if each.good else sys.stderr)
    if not all(each.good for each in restored):
        sys.exit(WORLD)


def first_line(file: Path) -> str:
    """Return the first line of a file."""
    words = read(file).decode("utf-8", "replace").partition("\n")[0].rstrip("\r")
    if not words:
        misuse(f"{file}: the first line must be the passphrase, but it is empty")
    return words
