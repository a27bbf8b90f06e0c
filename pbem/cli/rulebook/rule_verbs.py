"""The verbs about the rules, with their options: `pbem rules`, `odds`, `case` and `coverage`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.options import Json, RulesDir


def case(
    files: Annotated[list[Path], typer.Argument(help="Files of test cases.")],
    rules: Annotated[str | None, typer.Option("--rules", help="The game, if a file is not in its box.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print the orders and events of each case.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Run test cases of the rules: a position, orders and dice, and what is expected."""
    from pbem.cli.rulebook import cases_and_odds

    cases_and_odds.case(files, rules, verbose, rules_dir, json)


def rules(
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`, or the name of a game in progress.")],
    edition: Annotated[str | None, typer.Option("--edition", help="Show only this edition.")] = None,
    preset: Annotated[str | None, typer.Option("--preset", hidden=True)] = None,
    orders: Annotated[bool, typer.Option("--orders", help="Describe every kind of order instead.")] = False,
    cards: Annotated[bool, typer.Option("--cards", help="List the words that its cards may use instead.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="List what is reconstructed instead.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Show a game's editions and options, and how reliable their sources are; or its orders; or the words of cards."""
    from pbem.cli.rulebook import rules as editions

    editions.rules(game, edition or preset, rules_dir, json, orders=orders, cards=cards, open_=open_)


def coverage(
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`.")],
    missing: Annotated[bool, typer.Option("--missing", help="Only the paragraphs that no test case cites.")] = False,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """List the paragraphs of the rulebooks and how many test cases cite each."""
    from pbem.cli.rulebook import cases_and_odds as coverage_verb

    coverage_verb.coverage(game, missing, rules_dir, json)


def odds(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="The game: an id of `pbem shelf`.")],
    what: Annotated[str | None, typer.Argument(help="The question; by default, list the questions.")] = None,
    games: Annotated[int, typer.Option("--games", min=1, help="How often to play it out.")] = 10_000,
    seed: Annotated[str, typer.Option("--seed", help="The seed of the dice.")] = "odds",
    edition: Annotated[str | None, typer.Option(help="The edition of the rules; see `pbem rules`.")] = None,
    rules_dir: RulesDir = None,
    json: Json = False,
) -> None:
    """Compute odds, such as: odds rome_carthage battle --attacker-rating 4 ..."""
    from pbem.cli.rulebook import cases_and_odds as odds_room

    odds_room.odds(game, what, context.args, games, seed, edition, rules_dir, json)
