"""The plain codec: turns dataclasses into plain data and back, so that no game writes a codec for its positions.

Fields may hold None, bool, int, str, lists, mappings with text keys, other dataclasses, unions of one of these with
None, and `Any` for what is plain data already. A field that equals its default is left out, which keeps positions
short and their diffs readable.
Mappings come out sorted by key, from a file and from a copy alike: no rule can depend on the order of arrival.
A field marked `static()` (the board, the options) is never written; `decode` is given its value.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from pbem.protocol import Record

D = TypeVar("D")
Words: TypeAlias = Collection[str | int]

_Change: TypeAlias = Callable[[Any], Any]
_Codec: TypeAlias = tuple[_Change, Callable[[Any, Record], Any], _Change]
"""How values of a type become plain data, how they are read from it, and how they are copied."""


def static() -> Any:
    """Declare a field that is the same in every position of a game: shared by copies, left out of files."""
    return field(default=None, repr=False, compare=False, metadata={"static": True})


def encode(value: object) -> dict[str, Any]:
    """Return a dataclass value as plain data."""
    kind: object = type(value)
    encoded: dict[str, Any] = _codec(kind)[0](value)
    return encoded


def decode(cls: type[D], plain: Record, **statics: object) -> D:
    """Return the value that `encode` was given.

    Raises ValueError, naming the class, for a field that the class does not have or that lacks.
    """
    kind: object = cls
    decoded: D = _codec(kind)[1](plain, statics)
    return decoded


def misfits(value: object, annotation: object = None, path: str = "") -> Iterator[str]:
    """Yield what in a dataclass value is not of the type declared: `decode` takes numbers and text as they come."""
    annotation = type(value) if annotation is None else annotation
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        if value is not None:
            yield from misfits(value, next(each for each in arguments if each is not type(None)), path)
    elif origin in (list, dict):
        if not isinstance(value, origin):
            yield f"{path}: a {'list' if origin is list else 'mapping'} must stand there, not {value!r}"
            return
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in items:
            yield from misfits(item, arguments[-1], f"{path}.{key}")
    elif isinstance(annotation, type) and is_dataclass(annotation):
        hints = get_type_hints(annotation)
        for declared in fields(annotation):
            if not declared.metadata.get("static"):
                name = f"{path}.{declared.name}" if path else declared.name
                yield from misfits(getattr(value, declared.name), hints[declared.name], name)
    elif annotation is not Any and isinstance(annotation, type) and type(value) is not annotation:
        yield f"{path}: {annotation.__name__} must stand there, not {value!r}"


def vocabulary(position: type[object], words: Mapping[str, Words]) -> dict[str, Words]:
    """Return the words of every field of a type of position that holds any, by class and field (`Game.phase`).

    A field says by a mark what it holds, `Annotated[str, "HexId"]`; `words` has those of each mark. The keys of a
    mapping stand by the name of its field, what it holds by the name with `.*`; items stand by the name of their list.
    """
    found: dict[str, Words] = {}
    _add_words(found, position, "", words)
    return found


def _add_words(found: dict[str, Words], annotation: object, name: str, words: Mapping[str, Words]) -> None:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        found[name] = words[arguments[1]]
    elif origin in (Union, types.UnionType):
        _add_words(found, next(each for each in arguments if each is not type(None)), name, words)
    elif origin is list:
        _add_words(found, arguments[0], name, words)
    elif origin is dict:
        _add_words(found, arguments[0], name, words)
        _add_words(found, arguments[1], f"{name}.*", words)
    elif isinstance(annotation, type) and is_dataclass(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        for declared in fields(annotation):
            if not declared.metadata.get("static"):
                _add_words(found, hints[declared.name], f"{annotation.__name__}.{declared.name}", words)


def copy(value: D) -> D:
    """Return a deep copy of a dataclass value; static fields are shared."""
    kind: object = type(value)
    copied: D = _codec(kind)[2](value)
    return copied


def twin(value: D) -> D:
    """Return a shallow copy of a dataclass value: its fields can be set, and what is in them is shared."""
    cls: Any = type(value)
    shallow: D = cls(*_all_fields(cls)(value))
    return shallow


@cache
def _all_fields(cls: type[Any]) -> attrgetter[tuple[object, ...]]:
    """Return what reads all fields at once: twice as quick as one by one, and every question takes a look."""
    return attrgetter(*(declared.name for declared in fields(cls)))


def _same(value: D) -> D:
    return value


def _same_decoded(value: D, statics: Record) -> D:
    return value


def _sorted_copy(value: object) -> object:
    """Copy plain data, mappings in the order of their keys."""
    if isinstance(value, dict):
        return {key: _sorted_copy(value[key]) for key in sorted(value)}
    return [_sorted_copy(item) for item in value] if isinstance(value, (list, tuple)) else value


_SCALAR: _Codec = (_same, _same_decoded, _same)
_ANY: _Codec = (_sorted_copy, lambda value, statics: _sorted_copy(value), _sorted_copy)


@cache
def _codec(annotation: object) -> _Codec:
    """Return how to encode, decode and copy values of a type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return _optional(_codec(inner))
    if origin is list:
        return _list(_codec(arguments[0]))
    if origin is dict:
        if arguments[0] is not str:
            raise TypeError(f"mappings on disk have text keys, not {arguments[0]}")
        return _dict(_codec(arguments[1]))
    if isinstance(annotation, type) and is_dataclass(annotation):
        return _dataclass(annotation)
    if annotation in (int, str, bool):
        return _SCALAR
    if annotation is Any:
        return _ANY
    raise TypeError(f"{annotation} has no plain form")


def _optional(inner: _Codec) -> _Codec:
    encode_inner, decode_inner, copy_inner = inner
    if inner is _SCALAR:
        return _SCALAR
    return (
        lambda value: None if value is None else encode_inner(value),
        lambda value, statics: None if value is None else decode_inner(value, statics),
        lambda value: None if value is None else copy_inner(value),
    )


def _list(inner: _Codec) -> _Codec:
    encode_inner, decode_inner, copy_inner = inner
    if inner is _SCALAR:
        return (list, lambda value, statics: list(value), list)
    return (
        lambda value: [encode_inner(item) for item in value],
        lambda value, statics: [decode_inner(item, statics) for item in value],
        lambda value: [copy_inner(item) for item in value],
    )


def _dict(inner: _Codec) -> _Codec:
    encode_inner, decode_inner, copy_inner = inner
    return (
        lambda value: {key: encode_inner(value[key]) for key in sorted(value)},
        lambda value, statics: {key: decode_inner(value[key], statics) for key in sorted(value)},
        lambda value: {key: copy_inner(value[key]) for key in sorted(value)},
    )


def _default(declared: Field[object]) -> object:
    if declared.default is not MISSING:
        return declared.default
    if declared.default_factory is not MISSING:
        return declared.default_factory()
    return MISSING


def _dataclass(cls: type[Any]) -> _Codec:
    hints = get_type_hints(cls)
    kept = [
        (declared.name, *_codec(hints[declared.name]), _default(declared))
        for declared in fields(cls)
        if not declared.metadata.get("static")
    ]
    statics_of = [declared.name for declared in fields(cls) if declared.metadata.get("static")]
    names = {name for name, *_ in kept}
    required = {name for name, *_, default in kept if default is MISSING}

    def encode_one(value: object) -> dict[str, object]:
        return {
            name: encode_field(item)
            for name, encode_field, _, _, default in kept
            if (item := getattr(value, name)) != default
        }

    def decode_one(plain: Record, statics: Record) -> object:
        if not plain.keys() <= names or not required <= plain.keys():
            odd = ", ".join(sorted((plain.keys() - names) | (required - plain.keys())))
            raise ValueError(f"{cls.__name__} has other fields: {odd}")
        known = {name: decode_field(plain[name], statics) for name, _, decode_field, _, _ in kept if name in plain}
        return cls(**known, **{name: statics[name] for name in statics_of})

    copiers = [(name, copy_field) for name, _, _, copy_field, _ in kept if copy_field is not _same]
    shared = [name for name, _, _, copy_field, _ in kept if copy_field is _same] + statics_of

    def copy_one(value: object) -> object:
        copied = object.__new__(cls)
        for name in shared:
            setattr(copied, name, getattr(value, name))
        for name, copy_field in copiers:
            setattr(copied, name, copy_field(getattr(value, name)))
        return copied

    return encode_one, decode_one, copy_one
