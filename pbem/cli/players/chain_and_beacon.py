"""The verbs of player chains (`pbem my-chain`) and of the public beacon (`pbem beacon`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.options import WHY, Games, Json, Name, RulesDir
from pbem.cli.runtime import misuse, open_questions, opened_to_change, print_adjudicated, print_json, tell_all

my_chain = typer.Typer(
    name="my-chain", help="Keep a dice chain of your own, on any computer.", no_args_is_help=True, rich_markup_mode=None
)


@my_chain.command()
def new(
    file: Annotated[Path, typer.Argument(help="The file to make. Keep it secret, and make a copy.")],
    length: Annotated[int, typer.Option(help="For how many sheets it is.")] = 500,
) -> None:
    """Make a chain and print the line to mail before the first shuffle."""
    from pbem.crypto.chain_file import make

    print(make(file, length).promise)
    print(f"# Mail the line above before the first shuffle. Keep {file} secret, and make a copy of it.")


@my_chain.command("next")
def next_link(
    file: Annotated[Path, typer.Argument(help="The file that `pbem my-chain new` made.")],
    after: Annotated[
        int | None, typer.Option(min=0, help="How many links the referee has; by default as counted in the file.")
    ] = None,
) -> None:
    """Print the next link as a line for the sheet, and count it in the file."""
    from pbem.crypto.chain_file import open_next

    found = open_next(file, after)
    print(f"link: {found.link} # {found.number}")
    if found.given_before:
        typer.echo(
            f"Link {found.number} was printed before. Use it again only for a sheet that was sent back: a referee who "
            "has seen it knew it before your new sheet came.",
            err=True,
        )


def beacon(
    name: Name,
    number: Annotated[int, typer.Argument(metavar="ROUND", help="The round that the letters name.")],
    signature: Annotated[str | None, typer.Argument(help="The signature of that round, as drand publishes it.")] = None,
    missing: Annotated[bool, typer.Option("--missing", help="The round will never come; needs --reason.")] = False,
    reason: Annotated[str | None, typer.Option("--reason", help=WHY)] = None,
    games: Games = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Enter the round of drand that the closed sheets wait for, and continue the game."""
    if missing == (signature is not None) or missing != (reason is not None):
        misuse("give the round and its signature, or the round, --missing and --reason")
    with opened_to_change(name, games, rules_dir) as game:
        if signature is not None:
            numbers = game.put_in_round(number, signature.strip().lower())
        else:
            numbers = game.miss_round(number, reason or "")
        letters = tell_all(game, numbers, games, rules_dir)
        if json:
            print_json({"adjudications": numbers, "waiting": open_questions(game), "letters": letters})
            return
        print_adjudicated(game, numbers, letters)
