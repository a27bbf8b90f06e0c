"""What is known where a sheet is read: the orders and words of the game, and the letter that the sheet came in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pbem.game.boxes.box import Box
from pbem.game.words import Vocabulary, fold
from pbem.orders.conditions import END_OF, WITHDRAWN
from pbem.orders.forgive.order_places import FALSE, TRUE, OrderPlace
from pbem.orders.said.words_reader import WordsReader
from pbem.orders.sheet import AHEAD, LINK, ORDERS, STANDING, STANDING_ADD, STANDING_CANCEL, UNTIL, WHEN
from pbem.protocol import FOR, Side

GAME: Final = "game"
SIDE: Final = "side"
ADJUDICATION: Final = "adjudication"
SECTIONS: Final = (ORDERS, STANDING, STANDING_ADD)
"""The keys of a sheet that have lists of orders."""
_KEYS: Final[Mapping[str, Collection[str]]] = {
    GAME: (),
    SIDE: (),
    ADJUDICATION: (),
    LINK: (),
    AHEAD: ("in advance", "orders ahead"),
    ORDERS: ("my orders", "your orders"),
    STANDING: ("standing orders",),
    STANDING_ADD: ("add standing", "standing orders add"),
    STANDING_CANCEL: ("cancel standing", "standing orders cancel"),
}
_LEAST: Final = 3
"""So many letters of a key of the sheet are enough, if no other key begins with them."""


@dataclass(frozen=True, slots=True)
class Answering:
    """The report that a letter answers: it stands for the first lines of a sheet where they are missing."""

    game: str
    side: Side
    adjudication: int


@dataclass(frozen=True)
class Known:
    """A game as its sheets may name it. Of the position only the reader of words knows, by the view of the side."""

    box: Box
    periods: Collection[str] = ()
    """The periods at whose end a standing order may expire."""
    answering: Answering | None = None
    words: Callable[[], WordsReader] | None = None
    """Makes the reader of orders in words, who knows what the side may answer. None: words are not read."""
    _places: dict[str, OrderPlace] = field(default_factory=dict, init=False)

    @cached_property
    def keys(self) -> Vocabulary:
        """The keys of a sheet."""
        return Vocabulary(_KEYS)

    @cached_property
    def kinds(self) -> Vocabulary:
        """The kinds of order."""
        return self.box.lexicon.of((), self.box.forms)

    @cached_property
    def conditions(self) -> Vocabulary:
        """The keys that may stand beside a standing order."""
        return Vocabulary({WHEN: ("if",), UNTIL: ()})

    @cached_property
    def sides(self) -> Vocabulary:
        """The sides, each with its names."""
        return Vocabulary({side: self.box.names_of(side) for side in self.box.side_ids})

    @cached_property
    def truth(self) -> Vocabulary:
        """The words for true and false."""
        return self.box.lexicon.of((), (TRUE, FALSE))

    @cached_property
    def until(self) -> Vocabulary:
        """The words that say how long a standing order is in force."""
        return Vocabulary(dict.fromkeys((WITHDRAWN, *(END_OF + period for period in self.periods)), ()))

    def facts(self, kind: str) -> Vocabulary:
        """Return the facts that a standing order of a kind may go by."""
        form = self.box.forms[kind]
        return self.box.lexicon.of((), (*form.facts, *([FOR] if form.about else ())))

    def place(self, kind: str) -> OrderPlace:
        """Return the place of the body of an order."""
        if kind not in self._places:
            form = self.box.forms[kind]
            self._places[kind] = OrderPlace([form.as_written], form, self.box.lexicon)
        return self._places[kind]

    def key(self, word: str) -> str | None:
        """Return the key of the sheet that a word is; None: none, or the word may be several."""
        folded = fold(word)
        found = self.keys.readings(word, whole=True)
        if not found and len(folded) >= _LEAST:
            found = tuple(key for key in _KEYS if key.startswith(folded))
        return found[0] if len(found) == 1 else None

    def kind(self, word: str) -> str | None:
        """Return the kind of order that a word is, written out; None: none."""
        found = self.kinds.readings(word, whole=True)
        return found[0] if len(found) == 1 else None
