"""Values are dataclasses: whatever Python's own can do, those of `pbem.values` do alike."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import KW_ONLY, FrozenInstanceError, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from pbem.values import dataclass

T = TypeVar("T")


def classes(made: Any, **options: bool) -> list[Any]:
    """Return classes of several kinds, with one decorator."""

    @made(**options)
    class Bare:
        pass

    @made(**options)
    class Card(Generic[T]):
        """A card."""

        kinds: ClassVar[int] = 3
        number: int
        name: str = "no name"
        told: list[T] = field(default_factory=list)
        secret: int = field(default=7, repr=False, compare=False)
        own: dict[str, int] = field(default_factory=dict, init=False)
        _: KW_ONLY
        value: int = 0

        def __post_init__(self) -> None:
            self.told.append(self.number)  # type: ignore[arg-type]

        @property
        def twice(self) -> int:
            return 2 * self.number

    return [Bare, Card]


@dataclass(frozen=True, slots=True)
class Slotted:
    number: int
    name: str = ""


@dataclass(frozen=True)
class Open:
    number: int

    @cached_property
    def twice(self) -> int:
        return 2 * self.number


@dataclass
class Changeable:
    number: int


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True}])
@pytest.mark.parametrize(
    "ask",
    [
        lambda bare, card: [repr(bare()), repr(card(1)), repr(card(2, "two", [5]))],
        lambda bare, card: [bare() == bare(), card(1) == card(1), card(1) == card(1, secret=8), card(1) == card(2)],
        lambda bare, card: [card(1) == 1, card(1) != bare(), bare() == ()],
        lambda bare, card: [card.__match_args__, bare.__match_args__, card.kinds],
        lambda bare, card: [each.name for each in fields(card)],
        lambda bare, card: [card.__doc__, card.__dataclass_params__.frozen, hasattr(card(1), "__dict__")],
        lambda bare, card: [replace(card(1), number=3).told, replace(card(1), name="x").twice],
        lambda bare, card: [card(1).own, card(1).own is card(1).own, card(4).number],
        lambda bare, card: [card(1, value=5), card(1, "one", [], 7, value=6)],
        lambda bare, card: card(1, "one", [], 7, 6),
        lambda bare, card: card(),
        lambda bare, card: card(1, own={}),
        lambda bare, card: card(1, other=2),
        lambda bare, card: hash(card(1)),
        lambda bare, card: setattr(card(1), "number", 2),
        lambda bare, card: delattr(card(1), "number"),
        lambda bare, card: replace(card(1), own={}),
    ],
)
def test_a_value_does_what_a_dataclass_does(options: dict[str, bool], ask: Callable[..., Any]) -> None:
    def answered(made: Any) -> Any:
        try:
            return repr(ask(*classes(made, **options)))
        except (TypeError, AttributeError, ValueError) as wrong:
            return type(wrong)

    assert answered(dataclass) == answered(dataclasses.dataclass)


def test_values_are_hashed_copied_and_pickled() -> None:
    for value in (Slotted(1, "one"), Open(2)):
        assert len({value, replace(value)}) == 1
        assert copy(value) == deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    assert Open(2).twice == 4
    assert copy(Changeable(3)) == Changeable(3)
    with pytest.raises(FrozenInstanceError):
        Slotted(1).number = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"^Slotted.__init__\(\) missing 1 required positional argument: 'number'$"):
        Slotted()  # type: ignore[call-arg]


def test_a_class_with_more_to_it_is_left_to_python() -> None:
    @dataclass(frozen=True, order=True)
    class Ordered:
        number: int

    @dataclass(frozen=True)
    class Below(Open):
        name: str = "below"

    @dataclass(frozen=True)
    class Own:
        number: int

        def __eq__(self, other: object) -> bool:
            return True

    assert Ordered(1) < Ordered(2)
    assert repr(Below(1)).endswith("Below(number=1, name='below')")
    assert Below(1) == Below(1) != Open(1)
    assert Own(1) == Own(2)
