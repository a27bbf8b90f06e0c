"""Limits on answers: a robot that does not say that it is one is answered a few times, and then no more.

Its letters are still carried out, and whoever it plays against is told: it may be a person who had a bad day. Only
what leads to nothing is not written to it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.mail.outboxes import Outbox, ToKeep

_IN_VAIN: Final = frozenset({"refusal", "faults", "chat", "form", "help", "words", "report", "confirm", "refused"})
"""How the names of letters begin that answer a letter which has changed nothing, or only asked."""
MOST_IN_VAIN: Final = 20
"""So many of them go to one address within a day. People who learn a game get a few."""


def falls_silent(names: Collection[str]) -> bool:
    """Tell whether an address gets no more such answers; `names` are those of the letters to it within a day."""
    return sum(map(in_vain, names)) >= MOST_IN_VAIN


def in_vain(name: str) -> bool:
    """Tell by its name whether a letter answers one that led to nothing."""
    return name.partition(".")[0] in _IN_VAIN


@dataclass(frozen=True, slots=True)
class Muted:
    """An outbox that takes no more letters to an address that answer what led to nothing."""

    outbox: Outbox
    address: str

    @property
    def hands_over(self) -> bool:
        """Whether letters count as handed over once they lie there."""
        return self.outbox.hands_over

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep all letters but those; return where each lies, or an empty string for one that is not kept."""
        lie = iter(self.outbox.put([each for each in letters if not self._mutes(each)]))
        return ["" if self._mutes(each) else next(lie) for each in letters]

    def _mutes(self, letter: ToKeep) -> bool:
        return in_vain(letter.name) and letter.to.lower() == self.address.lower()
