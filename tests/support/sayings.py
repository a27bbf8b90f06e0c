"""Orders said in words by players of different habits: names and their short forms, joints, units, small words."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from pbem.game.choices.parts import Part, Plain, Written
from pbem.game.words import Lexicon
from pbem.render.text.order_words import OrderWords, SaidWords

_JOINTS: Final = ("-", " > ", " -> ", ", ", " to ", " ")
_OPENINGS: Final = ("", "", "", "I play ", "My order: ", "Please ", "- ")


class Sayer(OrderWords):
    """Says orders by the words of one box, each time with other habits."""

    def __init__(self, lexicon: Lexicon, random: Random) -> None:
        super().__init__(lexicon)
        self.random = random

    def say(self, root: Part, body: Written) -> SaidWords | None:
        said = super().say(root, body)
        return said and said._replace(
            text=self.random.choice(_OPENINGS) + said.text + self.random.choice(("", "", "."))
        )

    def joined(self, words: Sequence[str]) -> str:
        return (self.random.choice((" ", " ", ", ")) if self.random.random() < 0.3 else " ").join(words)

    def one_of(self, ways: Sequence[str]) -> str:
        return self.random.choice(ways)

    def says_the_obvious(self) -> bool:
        return self.random.random() < 0.6

    def verb(self, verb: str) -> str:
        forms = [verb, *self.lexicon.verbs.get(verb, ())]
        return self.random.choice(forms if self.random.random() < 0.5 else forms[:1])

    def name(self, of: str, word: Plain) -> str:
        names = self.lexicon.lists.get(of, {}).get(str(word), ())
        name = self.random.choice(list(names)) if names and self.random.random() < 0.7 else str(word)
        match self.random.randrange(4):
            case 0:
                return name.lower()
            case 1:
                return name.replace("_", " ").title()
            case _:
                return name.replace("_", " ")

    def numbered(self, of: str, word: Plain) -> str:
        name = self.name(of, word)
        return self.random.choice((f"{word}", f"#{word}", f"card {word}", f"{name} ({word})"))

    def unit(self, key: str) -> str:
        return self.random.choice((key, key.upper(), *self.lexicon.aliases(key)[:1]))

    def way(self, of: str, start: str, places: Sequence[str]) -> str:
        joint = self.random.choice(_JOINTS)
        begin = [self.name(of, start)] if self.random.random() < 0.2 else []
        to = "to " if not begin and self.random.random() < 0.3 else ""
        return to + joint.join([*begin, *places])
