"""A new game: what it is made of, and the repo with its charter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from pbem import __version__
from pbem.crypto.keys import Secrets
from pbem.crypto.seal import recipient_of
from pbem.crypto.signing import public_key
from pbem.game.boxes import shelf
from pbem.game.boxes.box import accepted
from pbem.game.boxes.box_file import Corrections
from pbem.game.boxes.printed import as_printed
from pbem.game.boxes.shelf import Loaded
from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay, one_side_each
from pbem.referee.game.terms import terms_of_new_game
from pbem.repo.files.charter import FORMAT, FREE, PRESS, PUBLIC, Charter, Pins, promise
from pbem.repo.key_backup import keys_for_new_game
from pbem.repo.ledger import Ledger
from pbem.repo.public import as_files


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game that is to be made."""

    name: str
    rules: str
    _: KW_ONLY
    players: Mapping[Side, str]
    """The names of the players; a side that is missing is called by its own name."""
    addresses: Mapping[Side, str] = field(default_factory=dict)
    """The mail addresses of the players."""
    scenario: str | None = None
    """None: the first scenario of the box."""
    edition: str | None = None
    """None: the first edition of the box."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options that differ from the edition."""
    folders: Sequence[str | Path] = ()
    """Folders with boxes of players' own."""
    secrets: Secrets | None = None
    """None: drawn at random."""
    beacon: str | None = None
    """The public beacon that is mixed into the dice; None: none."""
    press: str | None = None
    """How the players may talk by the referee: `free`, `public`, `silent`; None: not at all."""
    press_unsigned: bool = False
    """Whether talk may be unsigned."""
    press_opened: bool = False
    """Whether signed talk is opened when the game is over."""
    begin: bool = True
    """Whether it is played to its first decision at once."""
    made_by: str = f"pbem {__version__}"
    """The program that begins the game, with its version."""
    corrections: Corrections = field(default_factory=dict)
    """Corrected files of the box, which the game keeps in its repo."""
    quorum: int | None = None
    """How many of the sides that are asked must consent to a rollback or a draw; None: all."""
    one_side_each: bool = False
    """Whether no address may play more than one side; where two sides play, none may in any case."""
    clock: Mapping[str, object] | None = None
    """The terms of the clock, as `pbem.referee.game.terms` reads them; None: the game has none."""

    def create(self, games: Path, keys_folder: Path) -> tuple[Ledger, Loaded]:
        """Make the keys and the repo of the game, and return its ledger and its rules.

        Raises CannotPlay, BadTerms or GameExists if that is impossible, BrokenBox for a box that is not in order.
        """
        loaded = self._loaded()
        self._require_press()
        rules, box = loaded.rules, loaded.box
        printed = as_printed(rules, box)
        terms = None if self.clock is None else terms_of_new_game(self.clock, rules.sides, has_bot=rules.has_bot)
        path = games / f"{self.name}.git"
        keys = keys_for_new_game(keys_folder, self.name, path, self.secrets)
        charter = Charter(
            format=FORMAT,
            made_by=self.made_by,
            game=self.name,
            rules=self.rules,
            edition=self.edition or box.editions[0],
            scenario=self.scenario or loaded.scenarios[0],
            players={side: self.players.get(side, side) for side in loaded.rules.sides},
            by_mail=[side for side in loaded.rules.sides if side in self.addresses],
            options=dict(self.options),
            dice=promise(keys, self.beacon),
            sealed_to=recipient_of(keys.identity),
            signed_by=public_key(keys.signing),
            printed=f"{box.title}: {printed}" if printed else None,
            quorum=self.quorum,
            one_side_each=self.one_side_each,
            press=self.press,
            press_unsigned=self.press_unsigned,
            press_opened=self.press_opened,
            clock=None if terms is None else terms.record(),
        )
        pins = Pins(box.digest, loaded.code)
        return Ledger.create(path, keys, charter, pins, self.addresses, as_files(self.corrections)), loaded

    def _require_press(self) -> None:
        """Raise CannotPlay for talk that there is not."""
        if self.press is not None and self.press not in PRESS:
            raise CannotPlay(f"press is {listing(list(PRESS), 'or')}, not {self.press}")
        if self.press not in (FREE, PUBLIC) and (self.press_unsigned or self.press_opened):
            raise CannotPlay("talk that is unsigned, or opened at the end, needs a game with press: free or public")

    def _loaded(self) -> Loaded:
        """Return the rules, with sides and scenario known to be theirs."""
        loaded = shelf.load(
            self.rules,
            edition=self.edition,
            options=self.options,
            folders=self.folders,
            kept=accepted(self.corrections),
        )
        if not loaded.box.ours or self.corrections:
            loaded.box.check()
        for side in (*self.players, *self.addresses):
            if side not in loaded.rules.sides:
                sides = ", ".join(loaded.rules.sides)
                raise CannotPlay(f"{loaded.box.title} has no side {side}; its sides are {sides}")
        if one_side_each(loaded.rules.sides, self.one_side_each):
            self._require_own_addresses()
        if self.quorum is not None and not 1 <= self.quorum <= len(loaded.rules.sides):
            raise CannotPlay(f"a quorum of {self.quorum}: {len(loaded.rules.sides)} sides play")
        if self.scenario is not None:
            loaded.require_scenario(self.scenario)
        elif not loaded.scenarios:
            raise CannotPlay(f"no scenario of {loaded.box.title} is played with these options")
        return loaded

    def _require_own_addresses(self) -> None:
        """Raise CannotPlay if two sides have the same address."""
        owners: dict[str, Side] = {}
        for side, address in self.addresses.items():
            if (other := owners.setdefault(address.lower(), side)) != side:
                raise CannotPlay(
                    f"{address} plays {other} and {side}; nobody plays more than one side in {self.name}. Give each "
                    "side an address of its own, or leave one without: you hand in its sheets with `pbem submit`"
                )
