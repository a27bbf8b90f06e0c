"""`pbem odds`: odds in a game, computed from its tables or played out with its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from pbem.cli.runtime import Boxes, misuse, print_json

if TYPE_CHECKING:
    from pbem.game.odds import Number, Odds


def odds(
    game: str,
    what: str | None,
    words: Sequence[str],
    games: int,
    seed: str,
    edition: str | None,
    boxes: Boxes,
    json: bool,
) -> None:
    """Print odds of a game, or the questions that it can answer."""
    from pbem.crypto.dice import SeededDice
    from pbem.game import shelf
    from pbem.game.box import NotInTheBox
    from pbem.game.table import Table

    try:
        loaded = shelf.load(game, edition=edition, folders=boxes or ())
    except NotInTheBox as wrong:
        misuse(str(wrong))
    asked = loaded.rules.odds
    if what is None or what not in asked:
        _misasked(game, what, asked)
    numbers = _numbers(what, asked[what], words)
    try:
        chances = asked[what].answer(numbers, (Table(SeededDice(f"{seed}/{n}")) for n in range(games)))
    except ValueError as wrong:
        misuse(str(wrong))
    if json:
        print_json({"game": game, "what": what, "numbers": numbers, "seed": seed, **chances.figures})
    else:
        print("\n".join(chances.lines))


def _misasked(game: str, what: str | None, asked: Mapping[str, Odds]) -> NoReturn:
    """End the command with the questions that a game can answer."""
    if not asked:
        misuse(f"{game} computes no odds")
    rows = [f"  {word}: {one.about}\n{_wanted(one)}" for word, one in asked.items()]
    misuse((f"{game} has no odds of {what}; " if what else "") + "ask for one of\n" + "\n".join(rows))


def _wanted(one: Odds) -> str:
    """Return the numbers that a question needs, one a line."""
    return "\n".join(
        f"    --{_option(name)} {_range(number)}: {number.meaning}" for name, number in one.numbers.items()
    )


def _option(name: str) -> str:
    return name.replace("_", "-")


def _range(number: Number) -> str:
    left_out = f", {number.default} by default" if number.default is not None else ""
    return f"{number.least} to {number.most}{left_out}"


def _numbers(what: str, one: Odds, words: Sequence[str]) -> dict[str, int]:
    """Return the numbers given as `--name 3` or `--name=3`, and those left out that have a default."""
    numbers = {name: number.default for name, number in one.numbers.items() if number.default is not None}
    left = [piece for word in words for piece in word.split("=", 1)]
    while left:
        option = left.pop(0)
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--") or name not in one.numbers:
            misuse(f"{option} is not an option of the odds of {what}; the options are\n{_wanted(one)}")
        numbers[name] = _number(option, one.numbers[name], left.pop(0) if left else None)
    for name, number in one.numbers.items():
        if name not in numbers and not number.optional:
            misuse(f"--{_option(name)} is missing: {number.meaning}, {_range(number)}")
    return numbers


def _number(option: str, number: Number, text: str | None) -> int:
    try:
        value = int(text or "")
    except ValueError:
        misuse(f"{option} needs a whole number, {_range(number)}")
    if not number.least <= value <= number.most:
        misuse(f"{option} {value}: it must be {_range(number)}")
    return value
