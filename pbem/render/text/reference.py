"""The reference of orders and of cards, as a box describes them, in Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pbem.game.boxes.box import Box
from pbem.game.order_form import TYPES, OrderForm
from pbem.game.wording import listing, on_one_line
from pbem.render.text.form import order_lines
from pbem.render.text.messages import PARTS, SLOT

# ---- The vocabulary of the cards of a game whose cards are data: moments, conditions and effects, in Markdown


WORDS: Final = "card_words"
"""The file of a box that lists the vocabulary of its cards."""
_TITLES: Final = {"when": "Moments", "if": "Conditions", "do": "Effects"}
_COLUMNS: Final = {"written": "Written", "means": "Meaning", "told": "In the order", "rule": "Rule"}


def card_reference(box: Box) -> str:
    """Return a page about the words that a card of a box may use. The box must have such a file."""
    table = box.table(WORDS)
    pieces = [f"# Cards of {box.title}", *table["about"]]
    for key, words in table["words"].items():
        pieces += [f"## {_TITLES[key]} (`{key}`)", "\n".join(_table_rows(words))]
    return "\n\n".join(pieces) + "\n"


def _table_rows(words: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the rows of a table, with the columns that any of the words fills."""
    used = [column for column in _COLUMNS if any(column in word for word in words)]
    yield "| " + " | ".join(["Word", *(_COLUMNS[column] for column in used)]) + " |"
    yield "| " + " | ".join(["---"] * (len(used) + 1)) + " |"
    for word in words:
        cells = [f"`{word['word']}`"]
        for column in used:
            cell = word.get(column, "")
            cells.append(f"`{cell}`" if column == "written" and cell else cell)
        yield "| " + " | ".join(cells) + " |"


# ---- The reference of orders: every kind of order of a game, with its keys, as its box describes them, in Markdown


_INTRODUCTION: Final = """\
An order sheet lists orders, each as `- KIND: {KEY: VALUE, ...}`. The form at the end of a report is a sheet for the
decisions that are open; its comments say what is legal at that moment. This page says what each kind of order can
look like. Whether an order is legal depends on the rules and the position: `pbem check` tests a sheet.

Keys are optional unless they are marked as required. Words in *italics* are shapes that several keys share; they come
last. Spaces, generals and the like go by their ids, which reports and forms show. In what a letter asks, « » stands
for a value of the moment, and [ ] for words that are left out where they do not apply."""

_CODE: Final = "```yaml"
_FEW_WORDS: Final = 2
"""So many different words at most has a group that goes by the number of what it stands beside."""


def order_reference(box: Box) -> str:
    """Return a page about all kinds of orders of a game, in the order in which the box has them."""
    messages, orders = box.messages(), box.table("orders")
    questions = {kind: outline(text, messages) for kind, text in messages.get("questions", {}).items()}
    pieces = [f"# Orders of {box.title}", _INTRODUCTION]
    for form in box.forms.values():
        pieces += _about_kind(form, questions.get(form.kind, ""), orders[form.kind].get("facts", {}))
    if shapes := orders.get("$defs", {}):
        pieces += ["## Shared shapes", "\n".join(_key_lines(shapes, ()))]
    if facts := orders.get("$facts", {}):
        remark = "A condition of a standing order may name these facts wherever they make sense for a decision."
        pieces += ["## Conditions of all standing orders", remark, "\n".join(_facts(facts))]
    return "\n\n".join(pieces) + "\n"


def order_list(box: Box) -> Iterator[str]:
    """Yield the lines of a plain list of all kinds of orders, each with its title and an example."""
    for form in box.forms.values():
        yield form.title
        yield from (f"  {line}" for line in order_lines(form.kind, form.example))
        yield ""


def one_order(box: Box, kind: str) -> Iterator[str]:
    """Yield the paragraphs about one kind of order, and about the shapes that its keys share with others."""
    orders = box.table("orders")
    _, *about = _about_kind(box.forms[kind], "", orders[kind].get("facts", {}))  # what letters ask, the reader has seen
    shapes = orders.get("$defs", {})
    named: list[str] = []
    todo = "\n".join(about)
    while new := [shape for shape in re.findall(r"\*([a-z_]+)\*", todo) if shape in shapes and shape not in named]:
        named += dict.fromkeys(new)
        todo = "\n".join(_key_lines({shape: shapes[shape] for shape in new}, ()))
    yield from map(_code_block, about)
    if named:
        yield "Shapes named between stars:"
        yield "\n".join(_key_lines({shape: shapes[shape] for shape in named}, ()))


def _code_block(text: str) -> str:
    """Return a paragraph of plain text; of code in Markdown, its lines indented."""
    lines = text.split("\n")
    return "\n".join(f"  {line}" for line in lines[1:-1]) if lines[0] == _CODE else text


def order_records(box: Box) -> dict[str, Any]:
    """Return the same for a program to read: kind -> title, example, schema and facts."""
    orders = box.table("orders")
    return {"id": box.id, "title": box.title, "orders": {kind: orders[kind] for kind in box.forms}} | {
        "definitions": orders.get("$defs", {}),
        "facts": orders.get("$facts", {}),
    }


def _about_kind(form: OrderForm, question: str, facts: Mapping[str, str]) -> Iterator[str]:
    """Yield the paragraphs about one kind of order; `facts` are its own."""
    yield f"## {form.kind}"
    yield form.title
    if question:
        yield f"The letter asks: {question}"
    yield "\n".join([_CODE, *order_lines(form.kind, form.example), "```"])
    if form.unanswered:
        yield f"Without an answer: {_default_in_words(form.unanswered)}."
    properties = form.as_written.get("properties", {})
    yield "\n".join(_key_lines(properties, form.schema.get("required", ())))
    if needed := _either(form.schema):
        yield f"It has {needed}."
    if facts:
        yield "Facts that conditions of standing orders may name:"
        yield "\n".join(_facts(facts))


def _default_in_words(said: str | Mapping[str, str]) -> str:
    """Return what counts without an answer, with the names of values where a letter has these.

    >>> _default_in_words({"true": "renew it", "false": "let {power} go"})
    'renew it, or let «power» go'
    """
    words = said if isinstance(said, str) else ", or ".join(dict.fromkeys(said.values()))
    return re.sub(r"\{(\w+)[^{}]*\}", r"«\1»", words)


def outline(sentence: str, words: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Return a sentence of `messages/` with the names of facts where a letter has their values.

    `words` are its groups of words. One with few different words, such as `have` and `has`, goes with a name beside it.

    >>> outline("{general} has {points:point/points} left[[ at {at|none}]][[{?by_sea}; by sea]].")
    '«general» has «points» points left[ at «at»][; by sea].'
    """
    agreeing = {name: usual for name, group in (words or {}).items() if (usual := _usual(group)) is not None}
    return SLOT.sub(lambda slot: _slot_name(slot, agreeing), PARTS.sub(r"[\1]", sentence))


def _usual(group: Mapping[str, str]) -> str | None:
    """Return the word that most of a group have; None: they differ by what they name."""
    counts = Counter(group.values())
    return counts.most_common(1)[0][0] if 0 < len(counts) <= _FEW_WORDS < len(group) else None


def _slot_name(slot: re.Match[str], agreeing: Mapping[str, str]) -> str:
    """Return what stands for a slot: the name of its fact, with the plural that it counts, if it counts."""
    if slot[1]:
        return ""
    if slot[3] in agreeing:
        return agreeing[slot[3]]
    _, _, plural = (slot[3] or "").partition("/")
    return f"«{slot[2]}» {plural}".rstrip()


def _facts(facts: Mapping[str, str]) -> Iterator[str]:
    yield from (f"* `{name}`: {meaning}" for name, meaning in facts.items())


def _key_lines(properties: Mapping[str, Any], required: Iterable[str], indent: str = "") -> Iterator[str]:
    """Yield a line for each key of a mapping, those of a mapping within it below it."""
    for key, schema in properties.items():
        needed = " (required)" if key in required else ""
        note = f"; {schema['description']}" if "description" in schema else ""
        yield f"{indent}* `{key}`{needed}: {_shape_in_words(schema)}{note}"
        if inner := _mapping_in(schema):
            yield from _key_lines(inner["properties"], inner.get("required", ()), f"{indent}  ")


def _mapping_in(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema of the mapping with named keys that a value is, or may be, or is a list of."""
    if "properties" in schema:
        return schema
    within = [*_alternatives(schema), *([schema["items"]] if "items" in schema else [])]
    return next((found for each in within if (found := _mapping_in(each))), None)


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the schemas of which a value may fit any; empty if it has but one shape."""
    if "if" in schema:
        return [schema["if"] | schema.get("then", {}), schema.get("else", {})]
    return [] if "type" in schema else list(schema.get("oneOf", schema.get("anyOf", ())))


def _shape_in_words(schema: Mapping[str, Any]) -> str:
    """Return in words what a value may be.

    >>> _shape_in_words({"type": "array", "maxItems": 8, "items": {"$ref": "#/$defs/space"}})
    'a list (at most 8) of *space*'
    >>> bounds, words = {"minimum": 1, "maximum": 64}, {"enum": ["any", "none"]}
    >>> _shape_in_words({"if": {"type": "integer"}, "then": bounds, "else": words})
    'a whole number from 1 to 64, or `any` or `none`'
    """
    if "$ref" in schema:
        return f"*{schema['$ref'].rpartition('/')[2]}*"
    if "const" in schema:
        return _yaml_code(schema["const"])
    if "enum" in schema:
        return listing(map(_yaml_code, schema["enum"]), "or")
    if alternatives := _alternatives(schema):
        return ", or ".join(map(_shape_in_words, alternatives))
    kinds = schema.get("type")
    if kinds == "array" or "items" in schema:
        most = f" (at most {schema['maxItems']})" if "maxItems" in schema else ""
        return f"a list{most} of {_shape_in_words(schema.get('items', {}))}"
    if kinds == "object" or "properties" in schema:
        return _mapping_shape(schema)
    if kinds is None:
        return "any value"
    return " or ".join(TYPES[kind] + (_bounds(schema) if kind == "integer" else "") for kind in _listed_words(kinds))


def _mapping_shape(schema: Mapping[str, Any]) -> str:
    """Return in words what a mapping may be: with named keys, or from one shape to another."""
    if "properties" in schema:
        return f"words in braces, with {_either(schema) or 'these keys'}"
    values = schema.get("additionalProperties")
    if not isinstance(values, Mapping):
        return "words in braces"
    keys = schema.get("propertyNames", {"type": "string"})
    return f"words in braces, from {_shape_in_words(keys)} to {_shape_in_words(values)}"


def _either(schema: Mapping[str, Any]) -> str:
    """Return which keys a mapping must have where it has a choice; empty if it has none.

    >>> _either({"type": "object", "oneOf": [{"required": ["end"], "maxProperties": 1}, {"required": ["leader"]}]})
    'either `end` alone, or `leader`'
    """
    cases = [case for case in schema.get("oneOf", ()) if "required" in case]
    words = [
        " and ".join(map(_yaml_code, case["required"])) + (" alone" if case.get("maxProperties") == 1 else "")
        for case in cases
    ]
    return f"either {', or '.join(words)}" if words else ""


def _bounds(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None:
        return "" if most is None else f" up to {most}"
    return f" from {least}" + ("" if most is None else f" to {most}")


def _listed_words(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _yaml_code(value: Any) -> str:
    """Return a value of YAML as code."""
    return f"`{on_one_line(value)}`"
