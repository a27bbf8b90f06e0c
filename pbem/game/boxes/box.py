"""The box of a game: the folder `rules/<id>/` with everything that its rulebook prints. Knows no game.

A box holds `game.yaml` (what it is, who plays, options and editions), `orders.yaml` (the shape of every order),
`words.yaml` (what orders may call the things of the game), `messages/<language>.yaml`, `scenarios/<id>.yaml`,
`cases/*.yaml` (test cases), the game's own tables, and in `schemas/<name>.yaml` a JSON Schema for any of these. Files
are read when they are asked for. `check` holds them against the schemas; that takes longer than a game in progress
wants to wait, so it is left to `pbem shelf` and the tests. What a table must not contradict the game's package says by
`refuse`.

A box is opened in one of its editions. `editions/<edition>/<file>.yaml` takes the place of the box's own file of that
name in that edition. Corrected files (`pbem.game.boxes.box_file`) take the place of both, but never say which code
is run: the package is always the one that the box itself names.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path as FilePath
from typing import Any, Final

from pbem import __version__
from pbem.game import yaml as yamlio
from pbem.game.boxes.box_file import (
    ANY_SCHEMA,
    COMMON_SCHEMAS,
    SCHEMAS,
    BrokenBox,
    Correction,
    Corrections,
    Flaw,
    corrections_for,
    misfits,
    read_file,
    read_folder,
    read_text,
)
from pbem.game.boxes.cache import recall, remember
from pbem.game.boxes.consistency import among, inconsistent, named
from pbem.game.boxes.pins import box_digest
from pbem.game.boxes.printed import marked_names
from pbem.game.order_form import OrderForm
from pbem.game.wording import did_you_mean, listing, on_one_line
from pbem.game.words import WORDS, Lexicon, read_lexicon
from pbem.paths import rules_folders
from pbem.protocol import FOR, Path, PbemError, Record, Side

GAME: Final = "game"
ORDERS: Final = "orders"
DEFS: Final = "$defs"
FACTS: Final = "$facts"
STANDING: Final = "standing"
CASES: Final = "cases"
EDITIONS: Final = "editions"
PARAGRAPHS: Final = "paragraphs"


class NotInTheBox(PbemError, LookupError):
    """A box, scenario, language, option or edition does not exist. The text names those that do."""


def boxes(folders: Iterable[str | os.PathLike[str]] = ()) -> dict[str, FilePath]:
    """Return id -> folder of every box: those in `folders` first, then those of `PBEM_RULES`, then our own."""
    found: dict[str, FilePath] = {}
    for folder in rules_folders(folders):
        for game in sorted(folder.glob(f"*/{GAME}.yaml")):
            found.setdefault(game.parent.name, game.parent)
    return found


def open_box(
    id: str, folders: Iterable[str | os.PathLike[str]] = (), kept: Corrections | None = None, edition: str | None = None
) -> Box:
    """Return the box of a game in an edition, or in its usual one, with its corrections.

    Corrections are those that the game has `kept`, then those that lie here.
    Raises NotInTheBox if there is no such box or edition, BrokenBox if it cannot be opened.
    """
    folder = box_folder(id, folders)
    return Box(folder, corrections_for(id, folder, folders, kept), edition)


def box_folder(id: str, folders: Iterable[str | os.PathLike[str]] = ()) -> FilePath:
    """Return where the box of a game lies. Raises NotInTheBox if there is none."""
    for folder in rules_folders(folders):
        if id in os.listdir(folder) and (folder / id / f"{GAME}.yaml").is_file():
            return folder / id
    return boxes(folders)[_known("game", id, boxes(folders))]


def accepted(corrections: Corrections) -> dict[str, Correction]:
    """Return new corrections. Raises BrokenBox if a `game.yaml` is among them: it names the code, and must stay."""
    if GAME in corrections:
        reason = f"{GAME}.yaml cannot be corrected, because it names the code of the rules; make a box of its own"
        raise BrokenBox([Flaw(corrections[GAME].shown, 1, 1, reason)])
    return dict(corrections)


class Box:
    """One game's folder, in one edition. Every file is read at most once, when it is first asked for."""

    def __init__(self, folder: FilePath, corrections: Corrections | None = None, edition: str | None = None) -> None:
        self.folder = folder
        self.id = folder.name
        self.corrections: Corrections = corrections or {}
        """The corrected files that take the place of the box's own."""
        self.laid_over: Corrections = {}
        """The files of the edition, which take the place of the box's own where no corrected file does."""
        self._documents: dict[str, yamlio.Document] = {}
        self._values: dict[str, object] = {}
        self._in_order = False
        """Whether it was found to be in order."""
        self._refuse_astray(self.corrections, {GAME})  # games of earlier versions may keep GAME
        game = self.table(GAME)
        try:
            self.title: str = game["title"]
            self.version: int = game["version"]
            self.sides: tuple[Mapping[str, str], ...] = tuple(game["sides"])
            self.side_ids: tuple[Side, ...] = tuple(side["id"] for side in self.sides)
            own = game if GAME not in self.corrections else read_file(folder / f"{GAME}.yaml", f"{GAME}.yaml").value
            self.package: str = own.get("package", f"pbem.rules.{self.id}")
            named_well = game["id"] == self.id
            usual, editions = game["edition"], list(game["editions"])
        except (AttributeError, KeyError, TypeError):
            self.check()
            raise
        if not named_well:
            self.refuse([(GAME, ("id",), f"the folder is called {self.id}, so must the game")])
        self.edition: str = usual if edition is None else _known("edition", edition, editions)
        """The edition that it is opened in."""
        if (layer := folder / EDITIONS / self.edition).is_dir():
            self.laid_over = read_folder(layer)
            self._refuse_astray(self.laid_over)

    @property
    def correctable(self) -> list[str]:
        """The files that a correction may replace: not those it is checked by, nor GAME, which names the code."""
        return [file for file in self.files if file.partition("/")[0] not in (SCHEMAS, CASES, GAME)]

    def _refuse_astray(self, others: Corrections, also: Collection[str] = ()) -> None:
        """Raise BrokenBox if a file that would take the place of the box's own is none that can be replaced."""
        if flaws := [flaw for name in others if name not in also for flaw in self._astray(name, others[name].shown)]:
            raise BrokenBox(flaws)

    def _astray(self, name: str, shown: str) -> Iterator[Flaw]:
        """Yield a flaw if the box has no such file that can be replaced."""
        if name not in self.correctable:
            reason = f"this box has no file {name}.yaml{did_you_mean(name, self.correctable)}"
            yield Flaw(shown, 1, 1, reason)

    @property
    def ours(self) -> bool:
        """Whether this is a box that comes with pbem, as it came."""
        return not self.corrections and self.folder.parent == rules_folders()[-1]

    def __repr__(self) -> str:
        return f"Box({self.id!r}, {str(self.folder)!r})"

    def table(self, name: str) -> Any:
        """Return the plain value of `<name>.yaml`; the same object every time, so never change it."""
        if name in self._documents:
            return self._documents[name].value
        if name not in self._values:
            self._values[name] = self._value(name)
        return self._values[name]

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The ids of the scenarios, the usual one first."""
        usual = self.table(GAME)["scenario"]
        return tuple(sorted(self._stems("scenarios"), key=lambda id: (id != usual, id)))

    @property
    def out_rule(self) -> str:
        """The paragraph by which a side is out of the game before its end; empty if the box names none."""
        return str(self.table(GAME).get("out_rule", ""))

    def scenario(self, id: str) -> Any:
        """Return the plain value of a scenario."""
        return self.table(f"scenarios/{_known('scenario', id, self.scenarios)}")

    def names_of(self, side: Side) -> list[str]:
        """Return the names by which players may write a side: first its own, then that of its people, and others."""
        own = next(each for each in self.sides if each["id"] == side)
        return [*(own[key] for key in ("name", "people") if key in own), *self.lexicon.aliases(side)]

    @cached_property
    def forms(self) -> Mapping[str, OrderForm]:
        """Kind -> shape of the orders of that kind."""
        orders = self.table(ORDERS)
        defs, facts = orders.get(DEFS, {}), orders.get(FACTS, {})
        return {
            # A kind's own facts come first, and mean what it says of them.
            kind: OrderForm(
                kind,
                form["title"],
                form["example"],
                form["schema"],
                defs,
                own | facts | own,
                form.get("unanswered", ""),
                form.get("answers", ""),
                form.get(FOR, {}),
                form.get("rule", ""),
                form.get("proposal", False),
            )
            for kind, form in orders.items()
            if kind not in (DEFS, FACTS)
            for own in (form.get("facts", {}),)
        }

    def standing_of(self, side: Side) -> Sequence[Record]:
        """Return the standing orders that come with the game for a side, as its sheet would have them.

        Empty if none do. The file has a list for all sides, or a list for each side that it names.
        """
        if not (self.folder / f"{STANDING}.yaml").exists():
            return ()
        orders = self.table(STANDING)
        own: Sequence[Record] = orders.get(side, ()) if isinstance(orders, dict) else orders
        return own

    def messages(self, language: str = "en") -> Mapping[str, Mapping[str, str]]:
        """Return the sentences of a language: group -> key -> sentence."""
        groups = self.table(f"messages/{_known('language', language, self._stems('messages'))}")
        return {group: sentences or {} for group, sentences in groups.items()}

    @property
    def editions(self) -> tuple[str, ...]:
        """The ids of the editions, the usual one first."""
        usual = self.table(GAME)["edition"]
        return tuple(sorted(self.table(GAME)["editions"], key=lambda id: (id != usual, id)))

    def is_experimental(self, edition: str | None = None) -> bool:
        """Tell whether an edition, by default this one, says of itself that it is experimental."""
        record = self.table(GAME)["editions"][_known("edition", edition or self.edition, self.table(GAME)["editions"])]
        return bool(record.get("experimental", False))

    def options(self, edition: str | None = None, overrides: Record | None = None) -> dict[str, Any]:
        """Return every option with its value: its default, unless the edition or else `overrides` say otherwise."""
        game = self.table(GAME)
        options = game["options"]
        chosen = {name: option["default"] for name, option in options.items()}
        chosen |= game["editions"][_known("edition", edition or game["edition"], game["editions"])]["options"]
        for name, value in (overrides or {}).items():
            values = options[_known("option", name, options)]["values"]
            if not among(value, values):
                can_be = listing(map(on_one_line, values), "or")
                raise NotInTheBox(f"option {name} cannot be {on_one_line(value)}: it is {can_be}")
            chosen[name] = value
        return chosen

    def cases(self) -> list[FilePath]:
        """Return the files of test cases, in the order of their names."""
        return sorted((self.folder / CASES).glob("*.yaml"))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Id -> name of all that has both in the files that `names_from` lists, marked if it is not as printed."""
        names = {id: name for file in self.table(GAME)["names_from"] for _, id, name in named((), self.table(file))}
        return names | dict(marked_names(self))

    @cached_property
    def lexicon(self) -> Lexicon:
        """The words that orders may use for the things of the game; without `words.yaml`, those of the schemas only."""
        if not (self.folder / f"{WORDS}.yaml").exists():
            return Lexicon({}, {}, {})
        return read_lexicon(self.table(WORDS), self.table)

    @cached_property
    def digest(self) -> str:
        """What a game pins of the box it is played with, as hex: the values that rules read (see `pins`)."""
        return box_digest(self)

    def refuse(self, findings: Iterable[tuple[str, Path, str]]) -> None:
        """Raise BrokenBox if there are any findings: the file without `.yaml`, where in its value, what is wrong."""
        flaws = [self.flaw(*finding) for finding in findings]
        if flaws:
            raise BrokenBox(flaws)

    def check(self) -> None:
        """Raise BrokenBox, listing every flaw, unless all files can be read and fit their schemas and each other.

        That holds for every edition of the box. Where this one is not in order, the others are left for later.
        """
        if self._in_order:
            return
        flaws = self._flaws() or {*self._editions_astray(), *self._flaws_of_others()}
        if flaws:
            raise BrokenBox(flaws)
        self._in_order = True

    def _flaws(self) -> set[Flaw]:
        """Return the flaws of this edition."""
        flaws: set[Flaw] = set()
        for file in self.files:
            try:
                flaws.update(self._misshapen(file))
            except BrokenBox as unreadable:
                flaws.update(unreadable.flaws)
        return flaws or set(inconsistent(self))

    def _flaws_of_others(self) -> Iterator[Flaw]:
        """Yield the flaws of the other editions; of those that lay nothing over the box, only one is looked at."""
        bare = not self.laid_over
        for edition in self.editions:
            laid = (self.folder / EDITIONS / edition).is_dir()
            if edition != self.edition and (laid or not bare):
                bare = bare or not laid
                try:
                    yield from Box(self.folder, self.corrections, edition)._flaws()
                except BrokenBox as unopened:
                    yield from unopened.flaws

    def _editions_astray(self) -> Iterator[Flaw]:
        """Yield what lies among the files of the editions and belongs to none."""
        folder = self.folder / EDITIONS
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.name not in self.editions:
                reason = f"there is no edition {path.stem}{did_you_mean(path.stem, self.editions)}"
                yield Flaw(str(path), 1, 1, reason)

    # ---- files

    def _value(self, file: str) -> object:
        """Return the value of a file, from the cache if it can be: JSON is read ten times as quickly as YAML."""
        try:
            key = (__version__, sha256(self.text(file)).hexdigest())
        except FileNotFoundError:
            return self._document(file).value  # which says so, with its place
        value = recall("box", *key)
        if value is None:
            value = self._document(file).value
            remember(value, "box", *key)
        return value

    def _document(self, file: str) -> yamlio.Document:
        document = self._documents.get(file)
        if document is None:
            document = self._documents[file] = read_text(lambda: self.text(file), self._shown(file))
        return document

    def text(self, file: str) -> bytes:
        """Return the text of a file. Raises FileNotFoundError if there is none."""
        instead = self._instead(file)
        return (self.folder / f"{file}.yaml").read_bytes() if instead is None else instead.text

    def _shown(self, file: str) -> str:
        instead = self._instead(file)
        return str(self.folder / f"{file}.yaml") if instead is None else instead.shown

    def _instead(self, file: str) -> Correction | None:
        """Return what takes the place of a file: a correction before a file of the edition."""
        return self.corrections.get(file) or self.laid_over.get(file)

    def flaw(self, file: str, path: Path, reason: str, *, key: bool = False) -> Flaw:
        """Return a flaw of a value of a file, or of its key, with its place."""
        document = self._document(file)
        mark = document.mark(path, key=True) if key else document.nearest(path)
        return Flaw(self._shown(file), mark.line, mark.column, reason)

    @property
    def files(self) -> list[str]:
        """The names of all files, without `.yaml`; those of the editions are not among them."""
        paths = (path.relative_to(self.folder).with_suffix("") for path in self.folder.rglob("*.yaml"))
        return sorted(path.as_posix() for path in paths if path.parts[0] != EDITIONS)

    def _stems(self, folder: str) -> list[str]:
        return sorted(path.stem for path in (self.folder / folder).glob("*.yaml"))

    # ---- what `check` finds

    def _misshapen(self, file: str) -> Iterator[Flaw]:
        """Yield where a file does not fit the schemas for it: the one for every box and the box's own."""
        value = self.table(file)
        for schema in self._schemas_for(file):
            for path, reason, key in misfits(value, schema):
                yield self.flaw(file, path, reason, key=key)

    def _schemas_for(self, file: str) -> Iterator[Record]:
        sort = file.partition("/")[0]
        if sort == SCHEMAS:
            yield ANY_SCHEMA
        if (COMMON_SCHEMAS / f"{sort}.yaml").exists():
            yield read_file(COMMON_SCHEMAS / f"{sort}.yaml", f"{SCHEMAS}/{sort}.yaml").value
        if (self.folder / SCHEMAS / f"{sort}.yaml").exists():
            own = self.table(f"{SCHEMAS}/{sort}")
            if not any(misfits(own, ANY_SCHEMA)):  # what is no schema is reported where it stands
                yield own


def _known(what: str, word: str, known: Collection[str]) -> str:
    """Return the word if it is known. Raises NotInTheBox, which says what is."""
    if word in known:
        return word
    there_are = ", ".join(sorted(known)) or "none at all"
    raise NotInTheBox(f"there is no {what} {word}{did_you_mean(word, known)}; there are: {there_are}")
