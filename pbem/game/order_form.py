"""The form of orders: their shapes, and how many of them are kept.

They are measured as they are kept, as compact JSON, because the size of a sealed file follows from these limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pbem.game.wording import counted, guess, hint, listing, named, on_one_line, shown
from pbem.game.yaml.limits import short
from pbem.protocol import FOR, Path, Record

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


# ---- The shape of one kind of order, and plain sentences about orders that do not fit it


class Misfit(NamedTuple):
    """A part of a body that does not fit: where, why, and whether the key is wrong rather than the value.

    `shape` says that it is written in a way in which nothing can stand there: an example of the order shows how. `rule`
    is the paragraph that the body belongs to, if the box names one.
    """

    path: Path
    reason: str
    at_key: bool = False
    shape: bool = False
    rule: str = ""


@dataclass(frozen=True, eq=False)
class OrderForm:
    """One kind of order, as the box describes it: a question, an example body, the JSON Schema of the body.

    `defs` are the definitions that all schemas of the box share, under `$defs`; `facts` are those that a standing
    order of this kind may go by, with what each means.
    """

    kind: str
    title: str
    example: Record
    schema: Record
    defs: Record
    facts: Mapping[str, str] = field(default_factory=dict)
    unanswered: str | Mapping[str, str] = ""
    """A sentence for the default, with its values in braces; or a text for each word or value that marks the answer."""
    answers: str | Mapping[str, str] = ""
    """Words for any answer, in the same way; empty: those of `unanswered`, if they are not for the default alone."""
    about: Record = field(default_factory=dict)
    """The JSON Schema of the word behind `for`, by which orders of this kind are told apart; empty: they have none."""
    rule: str | Mapping[str, str] = ""
    """The paragraph that orders of this kind come from; or one for each word or value that marks an order."""
    proposal: bool = False
    """Whether it answers what another side proposes: AGREED could then mean yes, or the no that is the default."""

    @cached_property
    def as_written(self) -> Record:
        """The schema of the body as a sheet has it: with `for`, if the kind takes it."""
        if not self.about:
            return self.schema
        return {**self.schema, "properties": {FOR: self.about, **self.schema.get("properties", {})}}

    @cached_property
    def validator(self) -> Draft202012Validator:
        """The validator of the schema, made when it is first needed."""
        from jsonschema import Draft202012Validator

        return Draft202012Validator({"$defs": self.defs, **self.as_written})

    def in_words(self, body: Record, names: Mapping[str, str]) -> str:
        """Return words for the answer that counts if none is given: `end the movement`.

        Where the box has no words for it, it is the order as a sheet has it. `names` are those of the box.
        """
        return _said(self.unanswered, body, names) or f"{self.kind}: {on_one_line(body)}"

    def choice_in_words(self, body: Record, names: Mapping[str, str]) -> str:
        """Return words for an answer that a player may choose: `fight on`; empty if the box has none for it."""
        said = self.answers
        if not said and (not isinstance(self.unanswered, str) or "{" in self.unanswered):
            said = self.unanswered
        return _said(said, body, names)

    def misfits(self, body: object) -> Iterator[Misfit]:
        """Yield everything about a body that does not fit the schema."""
        if not isinstance(body, dict):
            reason = f"{self.kind} needs braces, as in {self.in_full()}; this is {shown(body)}"
            yield Misfit((), reason, rule=self.paragraph({}))
            return
        for misfit in _misfits(self.validator.iter_errors(body), (), self.kind):
            example = f"; an example: {self.in_full()}" if misfit.shape and self.example else ""
            yield misfit._replace(reason=misfit.reason + example, rule=self.paragraph(body))

    def paragraph(self, body: Record) -> str:
        """Return the paragraph that an order comes from; empty if the box names none."""
        return _said(self.rule, body, {})

    def in_full(self) -> str:
        """Return the example of this kind of order, as a sheet has it."""
        return f"{self.kind}: {on_one_line(self.example)}"


def _said(said: str | Mapping[str, str], body: Record, names: Mapping[str, str]) -> str:
    """Return what is said of an answer, the values in its place; empty if nothing is said of such a one."""
    if not isinstance(said, str):
        marks = {*body, *map(on_one_line, body.values())}
        said = next((text for word, text in said.items() if word in marks), "")
    wanted = {field for _, field, _, _ in Formatter().parse(said) if field}
    return said.format_map({key: _spoken(value, names) for key, value in body.items()}) if wanted <= {*body} else ""


def _spoken(value: object, names: Mapping[str, str]) -> str:
    """Return a value of an order as a sentence has it: by its name, if it has one."""
    if isinstance(value, (list, tuple)):
        return listing(_spoken(each, names) for each in value)
    if isinstance(value, Mapping):
        return listing(f"{names.get(key, key)} to {_spoken(each, names)}" for key, each in value.items())
    return names.get(value, value) if isinstance(value, str) else on_one_line(value)


def _misfits(errors: Iterable[ValidationError], around: Path, kind: str) -> Iterator[Misfit]:
    """Yield a sentence for every error. A missing key that was only misspelt is told once, as a misspelling."""
    every = list(errors)
    meant = {
        (*_path(error, around), guess(key, _missing(error)))
        for error in every
        if error.validator == "additionalProperties"
        for key in _unknown(error)
    }
    told = set()
    for error in every:
        path = _path(error, around)
        if error.validator == "additionalProperties" and _unknown(error):
            known = list(_schema(error).get("properties", ()))
            body: Any = error.instance
            for key in _unknown(error):
                reason = f"unknown word '{short(key)}' in {named(path, kind)}{hint(key, known, 'known are', 'and')}"
                if body[key] is None and guess(key, known) is None and not any(map(str.isdecimal, key)):
                    reason += "; a text with commas wants quotes round it, or [ ] for a list"
                yield Misfit((*path, key), reason, at_key=True)
        elif error.validator in ("required", "dependentRequired"):
            for key in _missing(error):  # the library gives one error a key, none of which names it
                if (*path, key) not in meant and (*path, key) not in told:
                    told.add((*path, key))
                    yield Misfit((*path, key), f"{key} is missing in {named(path, kind)}")
        elif error.validator in ("anyOf", "oneOf") and error.context:
            yield from _none_fits(error, path, kind)
        elif "propertyNames" in error.schema_path and isinstance(error.instance, str):
            reason = f"unknown word '{short(error.instance)}' in {named(path, kind)}"
            yield Misfit((*path, error.instance), reason, at_key=True)
        else:
            shape = error.validator == "type" and not {"array", "object"}.isdisjoint(_kinds(error.validator_value))
            yield Misfit(path, f"{named(path, kind)} {_predicate(error)}", shape=shape)


def _none_fits(error: ValidationError, path: Path, kind: str) -> Iterator[Misfit]:
    """Say what is wrong where a value may have one of several shapes: with the shape it comes nearest to."""
    shapes: dict[str | int, list[ValidationError]] = {}
    for inner in error.context or ():
        shapes.setdefault(inner.schema_path[0], []).append(inner)
    near = [errors for errors in shapes.values() if not any(map(_of_another_shape, errors))]
    if near:
        nearest = min(near, key=len)
        yield from _misfits(nearest, path, kind)
        return
    wanted = []
    for errors in shapes.values():
        wanted += [piece for inner in errors if _of_another_shape(inner) for piece in _wanted(inner)]
    reason = f"{named(path, kind)} must be {listing(dict.fromkeys(wanted), 'or')}, not {shown(error.instance)}"
    yield Misfit(path, reason, shape=not {_WANTED["array"], _WANTED["object"]}.isdisjoint(wanted))


def _of_another_shape(error: ValidationError) -> bool:
    return not error.relative_path and error.validator in ("type", "enum", "const")


def _wanted(error: ValidationError) -> list[str]:
    """Return the choices that a type, an enumeration or a constant leaves."""
    value: Any = error.validator_value
    if error.validator == "type":
        return [_WANTED[each] for each in _kinds(value)]
    return [_word(each) for each in ([value] if error.validator == "const" else value)]


def _path(error: ValidationError, around: Path) -> Path:
    return (*around, *error.relative_path)


def _schema(error: ValidationError) -> Record:
    """Return the piece of the schema that an error is about; empty where it is a bare true or false."""
    return error.schema if isinstance(error.schema, dict) else {}


def _unknown(error: ValidationError) -> list[str]:
    """Return the keys of a mapping that its schema does not name."""
    keys: Any = error.instance
    named_here, patterns = _schema(error).get("properties", ()), _schema(error).get("patternProperties", ())
    return [key for key in keys if key not in named_here and not any(re.search(each, key) for each in patterns)]


def _missing(error: ValidationError) -> list[str]:
    """Return the required keys that a mapping does not have."""
    keys: Any = error.instance
    schema = _schema(error)
    beside = (key for each, more in schema.get("dependentRequired", {}).items() if each in keys for key in more)
    return [key for key in dict.fromkeys([*schema.get("required", ()), *beside]) if key not in keys]


def _predicate(error: ValidationError) -> str:
    """Return what is wrong with a value, to be read behind its name."""
    say = _SENTENCES.get(str(error.validator))
    described = _schema(error).get("description")
    if say is not None:
        return say(error.validator_value, error.instance)
    if described:
        return f"must be {described}, not {shown(error.instance)}"
    return f"cannot be {shown(error.instance)}"


TYPES: Final = {
    "integer": "a whole number",
    "number": "a whole number",
    "string": "text",
    "boolean": "true or false",
    "null": "left empty",
    "array": "a list",
    "object": "a mapping",
}
_WANTED: Final = TYPES | {"string": "a word", "array": "a list in brackets", "object": "words in braces"}
"""What a sentence to a player asks for instead."""


def _kinds(wanted: Any) -> Sequence[str]:
    """Return the types that a schema allows: one or several."""
    return [wanted] if isinstance(wanted, str) else wanted


def _word(value: object) -> str:
    return value if isinstance(value, str) else shown(value).removeprefix("the number ")


def _type(wanted: str | Sequence[str], found: object) -> str:
    names = [_WANTED[each] for each in _kinds(wanted)]
    return f"must be {listing(names, 'or')}, not {shown(found)}"


def _choice(wanted: Iterable[object], found: object) -> str:
    words = [_word(each) for each in wanted]
    return f"cannot be {shown(found).removeprefix('the text ')}{hint(found, words, 'it can be', 'or')}"


def _items(count: int) -> str:
    return counted(count, "item")


def _twice(_: object, found: Sequence[object]) -> str:
    seen: list[object] = []
    for each in found:
        if each in seen:
            return f"names {_word(each)} twice"
        seen.append(each)
    return "names something twice"


# What to say of a value, by the word of the schema it breaks.
_SENTENCES: Final[Mapping[str, Callable[[Any, Any], str]]] = {
    "type": _type,
    "enum": _choice,
    "const": lambda wanted, found: _choice([wanted], found),
    "minimum": lambda least, found: f"must be at least {least}, not {found}",
    "maximum": lambda most, found: f"must be at most {most}, not {found}",
    "exclusiveMinimum": lambda least, found: f"must be more than {least}, not {found}",
    "exclusiveMaximum": lambda most, found: f"must be less than {most}, not {found}",
    "multipleOf": lambda step, found: f"must be a multiple of {step}, not {found}",
    "minItems": lambda least, found: f"needs at least {_items(least)}; it has {_items(len(found))}",
    "maxItems": lambda most, found: f"may have at most {_items(most)}; it has {_items(len(found))}",
    "uniqueItems": _twice,
    "minProperties": lambda least, found: f"needs at least {_items(least)}; it has {_items(len(found))}",
    "maxProperties": lambda most, found: f"may have at most {_items(most)}; it has {_items(len(found))}",
    "minLength": lambda least, found: f"must have at least {counted(least, 'character')}; it has {len(found)}",
    "maxLength": lambda most, found: f"may have at most {counted(most, 'character')}; it has {len(found)}",
}


# ---- Limits of what a side may leave with the referee: orders that wait, and standing orders


MOST: Final = 40
"""The most orders of a sheet, and the most standing orders of a side."""
LONGEST: Final = 4096
"""The most bytes that the orders of a sheet, or the standing orders of a side, take as they are kept."""


def compact(value: object) -> bytes:
    """Return a plain value as it is kept in sealed files."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def too_much(what: str, records: Iterable[Record]) -> str | None:
    """Return what is wrong with the number or the size of some orders; None: nothing. `what` names them."""
    kept = list(records)
    if len(kept) > MOST:
        return f"{len(kept)} {what} are too many: at most {MOST} are kept"
    size = len(compact(kept))
    if size > LONGEST:
        return f"these {what} take {size:,} bytes as they are kept: at most {LONGEST:,}"
    return None
