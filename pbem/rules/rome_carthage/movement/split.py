"""Splitting a stack: who may go, who must stay, and how many units go with them (8.6, 8.7, 9.5, 10.1, 14)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import Refusal
from pbem.rules.rome_carthage.position.generals import may_command
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import CONSUL, PROCONSUL, Game


class Split:
    """A stack from which some generals go and others stay, and how many CU may go with them (8.6, 8.7, 14.2)."""

    __slots__ = ("_game", "_goes_consul", "_going", "_stack", "_staying", "_stays_consul")

    def __init__(self, game: Game, stack: Stack, general: str, companions: Sequence[str]) -> None:
        self._game, self._stack, self._going = game, stack, (general, *companions)
        self._staying = [other for other in stack.generals if other not in self._going]
        offices = game.offices
        self._goes_consul = any(offices.get(other) == CONSUL for other in self._going)
        self._stays_consul = any(offices.get(other) == CONSUL for other in self._staying)

    def why_not(self, cu: int) -> Refusal | None:
        """Say why that many CU may not go while the rest stays; None: they may (8.6, 8.7, 14.2).

        A consul's army may not be brought below five CU by leaving units behind, be it the army that goes or
        the one that stays; two consuls may part only from an army of ten. Without units they are no army.
        """
        total, army = self._stack.cu, self._game.board.consular_army
        left = total - cu
        if self._goes_consul:
            least = self._game.options["consul_split_min"]
            if self._stays_consul and 0 < total < least:
                return Refusal(f"two consuls may part only from an army of {least} CU; theirs has {total}", "14.2")
            if left and cu < army:
                reason = f"a consul's army keeps {army} CU or leaves none behind; {cu} of {total} would go"
                return Refusal(reason, "14.2")
        if self._stays_consul and cu and left < army:
            return Refusal(f"the consul who stays must keep {army} CU; {left} would be left", "14.2")
        return self.why_outgrown(cu)

    def why_outgrown(self, cu: int) -> Refusal | None:
        """Say that a proconsul would take more CU than the consul keeps; None: he does not, or may (14.3)."""
        left, leads = self._stack.cu - cu, self._game.offices.get(self._going[0])
        if self._game.options["proconsul_size_rule"] and self._stays_consul and leads == PROCONSUL and cu > left:
            reason = f"the consul who stays must keep as many CU as the proconsul takes; {left} would be left"
            return Refusal(reason, "14.3")
        return None

    def why_not_marching(self, cu: int) -> Refusal | None:
        """Say why that many CU may not march off; None: they may (14.2)."""
        army = self._game.board.consular_army
        if self._game.options["consul_move_min5"] and self._goes_consul and 0 < cu < army:
            return Refusal(f"a consul's army marches with {army} CU or not at all (option consul_move_min5)", "14.2")
        return self.why_not(cu)

    def why_not_sent(self, cu: int) -> Refusal | None:
        """Say why that many CU may not be sent to intercept or avoid battle; None: they may (9.5, 10.1, 14.2)."""
        return self.why_left_alone(cu) or self.why_not(cu)

    def why_left_alone(self, cu: int, rule: str = "9.5") -> Refusal | None:
        """Say that a commander who stays would be left without a unit; None: he is not, or may be (9.5, 10.1).

        By the reorganised rules any general who stays does, by the rules of 1998 nobody.
        """
        commander, keeper = self._stack.commander, self._game.options["who_keeps_unit"]
        for general in self._staying if cu and cu >= self._stack.cu else ():
            if keeper == "any_general" or (keeper == "commander" and general == commander):
                name = self._game.board.generals[general].name
                who = "who commands and stays" if general == commander else "who stays"
                return Refusal(f"{name}, {who}, must keep 1 CU; 0 would be left", rule)
        return None

    def why_not_sent_by(self) -> Refusal | None:
        """Say why a subordinate may not be sent with those who go: his commander leads or stays (9.5, 10.1)."""
        commander = self._stack.commander
        if self._stack.cu and commander in self._going[1:]:
            name = self._game.board.generals[commander].name
            return Refusal(f"{name} commands there: he leads himself, or stays with a unit", "8.6")
        return self.why_not_led()

    def why_not_led(self) -> Refusal | None:
        """Say why the first of those who go may not command the others; None: he may (8.6)."""
        leader, generals = self._going[0], self._game.board.generals
        for other in self._going[1:]:
            if not may_command(self._game, leader, (other,)):
                return Refusal(f"{generals[other].name} outranks {generals[leader].name}", "8.6")
        return None
