"""The map as a power sees it in one position: what spaces are worth to it, taken or held until the turn is scored."""

from __future__ import annotations

from typing import Final

from pbem.protocol import Side
from pbem.rules.sword_of_rome.policy.lasting import Lasting
from pbem.rules.sword_of_rome.policy.worth import ARMY, hostile, rivalry, taken, threat, worth
from pbem.rules.sword_of_rome.position.board import BOX, NORMAL, WALLED
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.siege import needed

RISK: Final = 0.15
"""A CU that may be lost where it stands, with the support that it costs (12.5)."""
ENOUGH: Final = 10
"""CU from which each is worth less, the more there are."""
REVOLTS: Final = 0.05
"""The part of its worth that any CU saves in a space without walls: no event takes its marker from it (7.3.3)."""
WALLS: Final = 0.3
"""The part of all this that an army before a city of its own saves: its walls hold for a while without it."""
GUARDED: Final = 0.2
"""The worth from which a CU is left as a guard."""
VISIT: Final = 0.1
"""What an army is worth in the home of an ally that somebody else holds."""
LEVEL: Final = 0.75
"""The part of its prize that a siege has for each point that is missing."""


class Field:
    """What spaces are worth to a power; what takes long to compute is computed once."""

    def __init__(self, game: Game, side: Side, power: str) -> None:
        self.game, self.side, self.power = game, side, power
        there = sum(force.cu for _, force in game.everywhere(power))
        own = power in game.board.powers_of[side]
        self._risk = RISK * min(1.0, ENOUGH / max(there, 1)) if own else 0.0
        self.lasting = Lasting(game, side, power)
        self._enemies = hostile(game, power)
        self._taken: dict[str, float] = {}
        self._rivalries: dict[str | None, float] = {}
        self._threats: dict[str, int] = {}
        self._held: dict[tuple[str, int, int], float] = {}

    def rivalry(self, holder: str | None) -> float:
        """Return what a loss of a power is worth to the side, as a part of what is lost."""
        if holder not in self._rivalries:
            self._rivalries[holder] = rivalry(self.game, self.side, holder)
        return self._rivalries[holder]

    def taken(self, space: str) -> float:
        """Return what it is worth to take a space."""
        if space not in self._taken:
            share = self.rivalry(self.game.control.get(space))
            self._taken[space] = taken(self.game, self.side, self.power, space, share)
        return self._taken[space]

    def threat(self, space: str) -> int:
        """Return the CU of the largest enemy army that can come to a space by land."""
        if space not in self._threats:
            self._threats[space] = threat(self.game, self.power, space, self._enemies)
        return self._threats[space]

    def tactics(self, force: Force) -> int:
        """Return the tactics of the commander of a force; 0: it has none (12.2.2)."""
        return self.game.board.leaders[force.leaders[0]].tactics if force.leaders else 0

    def held(self, space: str, cu: int, tactics: int = 0) -> float:
        """Return what so many CU in a space save or win there by standing there, without a battle."""
        key = space, cu, tactics
        if key not in self._held:
            self._held[key] = self._worth_of(space, cu, tactics)
        return self._held[key]

    def _worth_of(self, space: str, cu: int, tactics: int) -> float:
        game, power = self.game, self.power
        if not cu or game.board.spaces[space].kind == BOX:
            return 0.0
        stays = self.lasting.of(space, cu, tactics)
        at_risk = self._risk * cu * (1.0 - stays)
        if game.friendly(power, space):
            if game.control[space] != power:
                return -at_risk
            saved = stays - self.lasting.of(space, 0)
            if game.kind(space) == WALLED:
                return WALLS * (saved * worth(game, power, space) - at_risk)
            return (saved + REVOLTS * stays) * worth(game, power, space) - at_risk
        if game.allys_home(power, space):
            return VISIT
        if game.kind(space) == NORMAL:
            return stays * self.taken(space) - at_risk
        return self.siege(space, cu) * (1.0 + stays) / 2 - at_risk

    def siege(self, space: str, cu: int) -> float:
        """Return what a siege or a subjugation promises (13)."""
        game = self.game
        siege = game.sieges.get(space)
        level = siege.level if siege is not None and siege.by == self.power else 0
        if siege is not None and siege.by != self.power:
            return 0.0
        if cu < ARMY:
            return 0.1 * self.taken(space) if level else 0.0
        missing = max(1, needed(game, space) - level)
        holder = game.control.get(space)
        guards = game.garrison(holder, space).cu if holder is not None else 0
        return self.prize(space) * (LEVEL**missing) * (1.0 - 0.05 * guards)

    def prize(self, space: str) -> float:
        """Return what the fall of a city or a tribe is worth; who raids loots the city (14.4)."""
        game = self.game
        if game.board.powers[self.power].raids and game.kind(space) == WALLED and space in game.control:
            return max(1.0, self.taken(space))
        return self.taken(space)

    def needs_guard(self, space: str) -> bool:
        """Tell whether it is worth a CU to leave it in a space."""
        return self.held(space, 1) >= GUARDED
