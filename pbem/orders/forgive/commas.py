"""Lists without brackets: `path: capua, nola` within the braces of an order.

YAML reads `nola` there as a key without a value. What follows a list behind a comma goes on with it, if it is a word of
that list and no key of the order, or if it is nothing that this place knows: the fault then says so of the list.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.orders.forgive.places import Place
from pbem.orders.forgive.tree import Items, Node, Word, is_alone


def with_lists_joined(pairs: Sequence[tuple[Word, Node]], place: Place) -> list[tuple[Word, Node]]:
    """Return the pairs of a mapping in which words without a value go on with the list before them."""
    found: list[tuple[Word, Node]] = []
    for word, below in pairs:
        if found and is_alone(below):
            key, before = found[-1]
            if _goes_on(word, key, before, place):
                items = before.items if isinstance(before, Items) else [before]
                found[-1] = key, Items([*items, word], before.mark)
                continue
        found.append((word, below))
    return found


def _goes_on(word: Word, key: Word, before: Node, place: Place) -> bool:
    """Tell whether a word goes on with the list that a key begins."""
    keys = place.keys.readings(key.text)
    if len(keys) != 1 or is_alone(before) or place.keys.readings(word.text):
        return False
    listed = place.field(keys[0])
    if not listed.takes_list or listed.items.vocabulary.readings(word.text):
        return listed.takes_list
    return not any(place.field(each).vocabulary.readings(word.text) for each in place.fields) and not _is_number(word)


def _is_number(word: Word) -> bool:
    return word.text.isdecimal()
