"""The options that the rules of Rome and Carthage read, against those that the box lists."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pbem.rules.rome_carthage.position.state import Options
from tests.support.walks import loaded


def test_options_are_those_of_the_box() -> None:
    game = loaded("rome_carthage").box.table("game")
    assert list(Options.__annotations__) == list(game["options"])


def test_values_of_each_option_are_of_its_type() -> None:
    options = loaded("rome_carthage").box.table("game")["options"]
    hints = get_type_hints(Options)
    for name, record in options.items():
        names = {"Mapping" if isinstance(value, dict) else type(value).__name__ for value in record["values"]}
        assert {kind.__name__ for kind in alternatives(hints[name])} == names, name


def alternatives(hint: Any) -> tuple[type, ...]:
    """Return the types that a hint allows: those of a union, else itself."""
    return get_args(hint) if isinstance(hint, UnionType) else (get_origin(hint) or hint,)
