"""Values with named fields: `dataclass` as Python has it, for classes that a command which is soon over needs.

Python compiles three to six methods for each of these classes. A letter needs 180 of them, which was a quarter of the
time in which it is answered. Here `__init__` is compiled when the first object is made, and the other methods belong to
all classes; a class that wants more than `frozen` and `slots`, or has such a method of its own, is left to Python.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field as field
from dataclasses import replace as replace
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, **more):
        """Return a class with the methods of a dataclass."""
        if cls is None:
            return partial(dataclass, frozen=frozen, slots=slots, **more)
        if more or not _METHODS.keys().isdisjoint(cls.__dict__) or any(map(dataclasses.is_dataclass, cls.__mro__)):
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, **more)
        made = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=slots)
        made.__dataclass_params__.frozen = frozen
        for name, method in (_METHODS if frozen else _CHANGEABLE).items():
            setattr(made, name, method)
        made.__init__ = _init_at_first(made)
        return made


Value: TypeAlias = Any
"""An object of a class that was made here, or the class itself: they have nothing in common."""


def _init_at_first(cls: Value) -> Callable[..., None]:
    """Return what makes the first object of a class, and is replaced by a method that is compiled then."""

    def __init__(self: object, *values: object, **named: object) -> None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *values, **named)

    return __init__


def _compiled_init(cls: Value) -> Callable[..., None]:
    """Return the method that sets the fields of a class from its parameters."""
    known: dict[str, Value] = {"_set_": object.__setattr__, "_unset_": object()}
    parameters, by_name, lines = ["self"], ["*"], []
    for each in dataclasses.fields(cls):
        name = value = each.name
        if each.default_factory is not dataclasses.MISSING:
            known[f"_of_{name}_"] = each.default_factory
            parameter, value = f"{name}=_unset_", f"_of_{name}_() if {name} is _unset_ else {name}"
            value = value if each.init else f"_of_{name}_()"
        elif each.default is not dataclasses.MISSING:
            known[f"_of_{name}_"] = each.default
            parameter, value = f"{name}=_of_{name}_", name if each.init else f"_of_{name}_"
        else:
            parameter = name
        if each.init:
            (by_name if each.kw_only else parameters).append(parameter)
        lines.append(f"  _set_(self, {name!r}, {value})")
    lines += ["  self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    parameters += by_name if len(by_name) > 1 else []
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *(lines or ["  pass"])]), known)
    known["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return known["__init__"]  # type: ignore[no-any-return]


@cache
def _compared(cls: Value) -> Callable[[object], object]:
    """Return what takes the fields out of an object of a class by which it is compared."""
    names = [each.name for each in dataclasses.fields(cls) if each.compare]
    return attrgetter(*names) if names else lambda value: ()


def _equals(self: Value, other: Value) -> object:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = _compared(self.__class__)
    return compared(self) == compared(other)


def _hash(self: Value) -> int:
    return hash(_compared(self.__class__)(self))


def _shown(self: Value) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_change(self: object, name: str, value: object = None) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: Value) -> list[object]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Value, state: Sequence[object]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_CHANGEABLE: Final = {"__eq__": _equals, "__hash__": None, "__repr__": _shown}
_METHODS: Final = {
    **_CHANGEABLE,
    "__hash__": _hash,
    "__setattr__": _refuse_change,
    "__delattr__": _refuse_change,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
