"""The words of orders: every id stays apart, and no written word is ever read as one of several."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.game import yaml
from pbem.game.boxes.box import Box, open_box
from pbem.game.words import Vocabulary, fold
from tests.support.walks import FOLDERS, GAMES, loaded

BOXES = [
    pytest.param(game, edition, marks=pytest.mark.slow if number else ())
    for game in GAMES
    for number, edition in enumerate(loaded(game).box.editions)
]


def opened(game: str, edition: str) -> Box:
    return open_box(game, FOLDERS, edition=edition)


def ids(box: Box) -> Iterator[tuple[str, list[str]]]:
    """Yield the ids of everything in a box that a sheet may name, by their place."""
    yield from ((name, list(words)) for name, words in box.lexicon.lists.items())
    yield "names", list(box.names)
    yield "kinds", list(box.forms)
    yield "sides", list(box.side_ids)
    for kind, form in box.forms.items():
        yield f"facts of {kind}", list(form.facts)
        yield f"keys of {kind}", list(form.schema.get("properties", ()))


@pytest.mark.parametrize(("game", "edition"), BOXES)
def test_ids_are_lower_case_and_stay_apart_when_folded(game: str, edition: str) -> None:
    for place, words in ids(opened(game, edition)):
        assert [word for word in words if fold(word) != word] == [], place
        assert len(set(words)) == len(words), place


@pytest.mark.parametrize(("game", "edition"), BOXES)
def test_a_word_is_read_only_if_one_thing_fits(game: str, edition: str) -> None:
    """Every id is itself; every name, and every beginning of either, is all that it can be, and never less."""
    box = opened(game, edition)
    lexicon, file = box.lexicon, box.folder / "words.yaml"
    aliases = yaml.read(file.read_bytes(), name=file.name).value.get("aliases", {}) if file.exists() else {}
    for name, words in lexicon.lists.items():
        vocabulary = lexicon.of([name])
        forms = {word: {fold(word), *map(fold, [*names, *aliases.get(word, ())])} for word, names in words.items()}
        for word, names in words.items():
            assert vocabulary.readings(word) == (word,)
            assert vocabulary.readings(word.upper().replace("_", "-")) == (word,)
            for written in (word, *names):
                for end in range(1, len(written) + 1):
                    _all_that_fit(vocabulary, fold(written[:end]), forms)


def _all_that_fit(vocabulary: Vocabulary, begun: str, forms: dict[str, set[str]]) -> None:
    found = set(vocabulary.readings(begun))
    if begun in forms:
        assert found == {begun}
        return
    whole = {word for word, named in forms.items() if begun in named}
    starts = {word for word, named in forms.items() if any(each.startswith(begun) for each in named)}
    assert found >= (starts if begun[:1].isalpha() else whole), begun
    for word in found - starts:
        assert any(stands_for(begun, form) for form in forms[word]), begun


def stands_for(part: str, name: str) -> bool:
    """Tell whether a part is the last words of a name, or an initial and the rest of it."""
    first, _, rest = name.partition("_")
    return name.endswith(f"_{part}") or part == f"{first[0]}_{rest}"


@pytest.mark.parametrize(
    ("game", "place", "written", "meant"),
    [
        ("rome_carthage", "general", "T. Longus", ["longus"]),
        ("rome_carthage", "general", "P. Scipio", ["publius_scipio"]),
        ("rome_carthage", "general", "Scipio", ["publius_scipio", "scipio_africanus"]),
        ("rome_carthage", "general", "h", ["hannibal", "hasdrubal", "hanno", "gisgo"]),
        ("rome_carthage", "general", "nobody", []),
        ("rome_carthage", "space", "New Carthage", ["new_carthage"]),
        ("rome_carthage", "space", "Carthage", ["carthage"]),
        ("rome_carthage", "province", "Carthage", ["carthage_province"]),
        ("rome_carthage", "space", "ＩＢＥＲＵＳ", ["iberus"]),
        ("rome_carthage", "card", "Major Campaign", ["33", "34"]),
        ("rome_carthage", "card", "Maharbal’s Cavalry", ["6"]),
        ("rome_carthage", "card", "6", ["6"]),
        ("rome_carthage", "battle_card", "FL", ["flank_left", "flank_right"]),
        ("hannibal_italy", "leader", "Flaccus", ["q_flaccus", "cn_flaccus"]),
        ("hannibal_italy", "leader", "Cn. Flaccus", ["cn_flaccus"]),
        ("hannibal_italy", "unit", "Roman foot", ["roman_foot"]),
        ("hannibal_italy", "unit", "roman f", ["roman_foot", "roman_foot_reduced"]),
        ("hannibal_italy", "hex", "0522", ["0522"]),
        ("hannibal_italy", "hex", "05", []),
        ("hannibal_italy", "road", "Appia", ["via_appia"]),
    ],
)
def test_readings_of_what_players_write(game: str, place: str, written: str, meant: list[str]) -> None:
    assert list(loaded(game).box.lexicon.of([place]).readings(written)) == meant


def test_words_of_units_are_those_of_the_board() -> None:
    """Units with a step less are in no file: the list must name them all, or a word could fit two of them."""
    loaded_game = loaded("hannibal_italy")
    assert set(loaded_game.box.lexicon.lists["unit"]) == set(loaded_game.rules.board.units)  # type: ignore[attr-defined]


@pytest.mark.parametrize("game", GAMES)
def test_lists_that_the_schemas_name_are_there(game: str) -> None:
    """A word in `words` that is no list is a word of its own; those of our boxes are few."""
    box = loaded(game).box
    named = set(_named(box.table("orders")))
    assert named - set(box.lexicon.lists) <= {"none"}


def _named(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            if key in ("words", "key_words") and isinstance(below, list):
                yield from below
            elif key == "led_by" and isinstance(below, dict):
                yield from (word for words in below.values() for word in words)
            else:
                yield from _named(below)
    elif isinstance(value, list):
        for each in value:
            yield from _named(each)
