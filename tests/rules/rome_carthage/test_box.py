"""The box of Hannibal: Rome vs. Carthage: counts and facts that can be checked by hand, and that its checks bite."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from pbem.game.boxes.box import Box, open_box
from pbem.game.boxes.box_file import BrokenBox
from pbem.rules.rome_carthage import make
from pbem.rules.rome_carthage.position.unpack import unpack
from tests.support.soak import quick_first

BOX = open_box("rome_carthage")
BOARD = unpack(BOX)


# ---- the map (3)


def test_counts() -> None:
    kinds = Counter(space.kind for space in BOARD.spaces.values())
    paths = Counter(kind for _, _, kind in BOARD.connections)
    assert (len(BOARD.spaces), len(BOARD.provinces), len(BOARD.connections)) == (96, 22, 176)
    assert kinds == {"plain": 75, "walled_city": 13, "tribe": 8}
    assert paths == {"land": 166, "pass": 4, "alps_pass": 4, "strait": 2}
    assert len(BOARD.ports) == 34


def test_provinces() -> None:
    regions = Counter(province.region for province in BOARD.provinces.values())
    without = {id for id, province in BOARD.provinces.items() if not province.political_point}
    assert regions == {"italia": 7, "hispania": 4, "africa": 4, "other": 7}
    assert without == {"massilia_province", "liguria", "gallia_transalpina", "balearic_islands"}
    assert BOARD.provinces["apulia"].spaces == ("arpi", "cannae", "beneventum", "brundisium", "tarentum")
    assert [BOARD.provinces[id].majority for id in ("idubeda", "carthaginia", "campania", "latium")] == [4, 4, 2, 1]


@pytest.mark.parametrize(
    ("space", "neighbours"),
    [
        ("rome", {"capua", "falerii", "praeneste", "tarquinii"}),
        ("carthage", {"hadrumetum", "thabraca", "utica", "zama"}),
        ("baleares", set()),
    ],
)
def test_neighbours(space: str, neighbours: set[str]) -> None:
    assert set(BOARD.neighbours[space]) == neighbours


def test_neighbours_are_mutual_and_stand_in_order() -> None:
    for space, around in BOARD.neighbours.items():
        assert list(around) == sorted(around)
        assert all(BOARD.neighbours[other][space] == kind for other, kind in around.items())
        assert BOARD.by_land[space] == tuple(other for other, kind in around.items() if kind == "land")


def test_passes_and_straits() -> None:
    special = {(a, b): kind for a, b, kind in BOARD.connections if kind != "land"}
    assert {pair for pair, kind in special.items() if kind == "alps_pass"} == {
        ("isere", "insubrians"),
        ("allobroges", "taurini"),
        ("druentia", "taurini"),
        ("western_ligurians", "eastern_ligurians"),
    }
    assert {pair for pair, kind in special.items() if kind == "strait"} == {
        ("messana", "rhegium"),
        ("aleria", "sassari"),
    }
    assert BOARD.both_ends == {("messana", "rhegium"), ("rhegium", "messana")}
    assert "insubrians" not in BOARD.by_land["isere"]


def test_cities_and_tribes() -> None:
    spaces = BOARD.spaces
    capacity = {id: space.capacity for id, space in spaces.items() if space.kind == "walled_city"}
    assert {id for id, cu in capacity.items() if cu == 5} == {"rome", "carthage"}
    assert set(capacity.values()) == {2, 5}
    assert {id for id, space in spaces.items() if space.siege_modifier} == {"rome", "carthage", "syracuse"}
    friendly = {id for id, space in spaces.items() if space.kind == "tribe" and space.start_control == "carthage"}
    assert friendly == {"boii", "insubrians", "bruttium"}


def test_ports() -> None:
    worth = {id: BOARD.spaces[id].port_modifier for id in ("carthage", "new_carthage", "rhegium", "saguntum", "cosa")}
    assert worth == {"carthage": -2, "new_carthage": -2, "rhegium": 1, "saguntum": 0, "cosa": 2}
    assert not BOARD.spaces["capua"].port
    assert BOARD.spaces["capua"].port_modifier is None


@pytest.mark.parametrize(
    ("province", "islands", "total"),
    [
        ("campania", "island", 6),  # all of Italia but Latium
        ("latium", "island", 6),
        ("baetica", "island", 4),
        ("zama", "island", 6),  # Carthage 1, Carthaginia 1, two Numidias of 2
        ("sicilia", "island", 2),
        ("sicilia", "province", 1),
        ("liguria", "island", 1),
    ],
)
def test_allies_if_all_were_controlled(province: str, islands: str, total: int) -> None:
    province = BOARD.spaces[province].province if province in BOARD.spaces else province
    assert sum(ally.allies_value for ally in BOARD.allied(province, islands)) == total


# ---- generals (4, 8.5)


def test_ratings() -> None:
    ratings = {id: (general.strategy, general.battle) for id, general in BOARD.generals.items()}
    assert ratings == {
        "hannibal": (1, 4),
        "hasdrubal": (2, 3),
        "hanno": (3, 2),
        "mago": (2, 2),
        "gisgo": (2, 1),
        "publius_scipio": (3, 2),
        "longus": (2, 1),
        "flaminius": (2, 2),
        "fabius": (3, 3),
        "marcellus": (2, 3),
        "nero": (1, 2),
        "varro": (1, 1),
        "paulus": (3, 2),
        "scipio_africanus": (1, 4),
    }
    assert sum(general.token for general in BOARD.generals.values()) == 8


ROLLS = (
    "intercepts_on",
    "avoids_on",
    "pursues_on",
    "cancels_withdrawal_on",
    "counterattacks_as_attacker_on",
    "counterattacks_as_defender_on",
)


def test_what_generals_need_to_roll() -> None:
    better = {
        id: {roll: getattr(general, roll) for roll in ROLLS if getattr(general, roll) != general.battle}
        for id, general in BOARD.generals.items()
    }
    assert {id: rolls for id, rolls in better.items() if rolls} == {
        "gisgo": {"intercepts_on": 3, "avoids_on": 3},
        "longus": {"counterattacks_as_attacker_on": 2},
        "flaminius": {"pursues_on": 4, "cancels_withdrawal_on": 4},
        "fabius": {"avoids_on": 5},
        "varro": {"intercepts_on": 4},
        "paulus": {"counterattacks_as_defender_on": 3},
    }


def test_abilities() -> None:
    generals = BOARD.generals
    scipio = generals["publius_scipio"]
    assert (scipio.strategy_at("hispania"), scipio.strategy_at("italia")) == (2, 3)
    assert generals["hannibal"].probe_as == ("flank_left", "flank_right", "double_envelopment")
    homes = {id: general.stays_in for id, general in generals.items() if general.stays_in}
    assert homes == {"hanno": "africa", "fabius": "italia"}
    assert {id for id, general in generals.items() if not general.returns} == {"scipio_africanus"}
    assert {id for id, general in generals.items() if general.rank > 1} == {"hannibal"}
    assert generals["longus"].name == "Tiberius Longus"


# ---- cards (7, 11.7)


def test_strategy_cards() -> None:
    cards = BOARD.cards.values()
    assert [card.number for card in cards] == list(range(1, 65))
    assert Counter(card.ops for card in cards) == {1: 21, 2: 22, 3: 21}
    assert Counter(card.event_for for card in cards) == {"rome": 10, "carthage": 17, "both": 37}
    assert {card.number for card in cards if card.type == "counter"} == {6, 7, 8, 20, 31, 32, 41, 42, 59, 60}
    assert {card.number for card in cards if card.type == "dual"} == {5, 18, 28, 50, 54}
    assert {card.number for card in cards if card.type == "campaign"} == set(range(33, 35)) | set(range(37, 41))
    assert {card.number: card.removed_after for card in cards if card.removed_after} == {9: 2, 25: 1, 26: 1}
    assert BOARD.cards[6].event_of("carthage")
    assert not BOARD.cards[6].event_of("rome")


def test_battle_deck() -> None:
    assert len(BOARD.battle_deck) == 48
    assert Counter(BOARD.battle_deck) == {
        "frontal_assault": 12,
        "flank_left": 9,
        "flank_right": 9,
        "probe": 8,
        "double_envelopment": 6,
        "reserve": 4,
    }
    assert (BOARD.retreat_modifiers["probe"], BOARD.retreat_modifiers["double_envelopment"]) == (-2, 2)
    assert "reserve" not in BOARD.retreat_modifiers  # it counts as the card it is played for


# ---- tables


@pytest.mark.parametrize(
    ("die", "column", "lost", "elephant"),
    [
        (3, 6, 1, False),  # the six rounds of chapter 12
        (5, 4, 1, False),  # the four rounds of 11.9
        (1, 6, 0, False),
        (1, 7, 1, False),
        (6, 1, 1, True),
        (7, 40, 4, True),
        (9, 10, 4, True),
        (-3, 10, 1, False),
        (6, 0, 0, False),
    ],
)
def test_attrition(die: int, column: int, lost: int, elephant: bool) -> None:
    assert BOARD.attrition(die, column) == (lost, elephant)


@pytest.mark.parametrize(
    ("die", "cu", "lost"),
    [(4, 5, 3), (4, 4, 2), (0, 4, 0), (-2, 5, 1), (6, 12, 5), (7, 3, 3), (8, 9, 9), (5, 0, 0)],
)
def test_retreat(die: int, cu: int, lost: int) -> None:
    assert BOARD.retreat_loss(die, cu) == lost


@pytest.mark.parametrize(
    ("die", "result"), [(-1, (0, 1)), (1, (0, 1)), (2, (0, 0)), (3, (1, 1)), (5, (1, 0)), (7, (2, 0))]
)
def test_siege(die: int, result: tuple[int, int]) -> None:
    assert BOARD.siege_result(die) == result


@pytest.mark.parametrize(("die", "result"), [(-2, "none"), (1, "none"), (2, "return"), (3, "sunk"), (8, "sunk")])
def test_naval(die: int, result: str) -> None:
    assert BOARD.naval_result(die) == result


def test_turns() -> None:
    assert list(BOARD.hand_sizes.values()) == [7, 7, 7, 8, 8, 8, 9, 9, 9]
    assert BOARD.years[1] == "218 BC"


# ---- set-up and options


def test_standard_scenario() -> None:
    armies = {army["generals"][0]: army for army in BOX.scenario("standard")["armies"]}
    assert armies["hannibal"] == {
        "side": "carthage",
        "at": "saguntum",
        "cu": 10,
        "elephants": 2,
        "generals": ["hannibal", "mago", "gisgo"],
    }
    assert {general: (army["at"], army["cu"]) for general, army in armies.items()} == {
        "hannibal": ("saguntum", 10),
        "hasdrubal": ("new_carthage", 2),
        "hanno": ("carthage", 4),
        "publius_scipio": ("rome", 8),
        "longus": ("agrigentum", 8),
    }


def test_the_editions_differ_where_the_rulebooks_do() -> None:
    valley, descartes = BOX.options("valley2007"), BOX.options("descartes1998")
    assert BOX.options() == valley
    assert (valley["pass_drm"], descartes["pass_drm"]) == ({"alps": 0, "other": -2}, {"alps": 1, "other": -1})
    assert (valley["rome_italy_ally_cap"], descartes["rome_italy_ally_cap"]) == (2, None)
    assert (valley["withdraw_limit"], descartes["withdraw_limit"]) == (None, 1)
    assert (valley["consul_split_min"], descartes["consul_split_min"]) == (10, 11)
    alike = {name for name in valley if valley[name] == descartes[name]}
    assert alike == {
        "ops_colour_bound",
        "consul_move_min5",
        "windows",
        "consul_redraw",
        "strait_cost",
        "interceptions_from_a_space",
        "commander_by",
    }, "give a new option its value of 1998 in game.yaml, or name it here if it has the same in both"


# ---- a box that contradicts itself is refused, and the record is named

SABOTAGE = [
    ("map", "- [gades, hispalis]", "- [gades, hispolis]", "there is no space hispolis; did you mean hispalis?"),
    ("map", "- [gades, hispalis]", "- [gades, gades]", "gades is connected with itself"),
    ("map", "- [gades, hispalis]\n", "", "the list says 175, not 176"),
    ("map", "- [gades, hispalis]", "- [malaca, gades]", "the connection gades - malaca stands here a second time"),
    (
        "map",
        "[aleria, sassari, strait]",
        "[aleria, sassari]",
        "the list says [66, 18, 6, 5, 1], not [66, 18, 6, 4, 1, 1]",
    ),
    (
        "map",
        "[ilerda, tolosa, pass]",
        "[ilerda, tolosa, pas]",
        "there is no kind of connection pas; did you mean pass?",
    ),
    ("map", "{id: hispalis, ", "{id: gades, ", "space gades stands here a second time"),
    ("map", "province: latium", "province: latum", "there is no province latum; did you mean latium?"),
    ("map", "Cannae, province: apulia", "Cannae, province: samnium", "6 spaces make a majority of 4"),
    ("map", "campania, kind: walled_city, control", "campania, kind: plain, control", "the list says 12, not 13"),
    (
        "map",
        "carthage, capacity: 2, lat: 3706",
        "carthage, lat: 3706",
        "utica: walled cities have a `capacity`, and only they",
    ),
    ("map", "port: -1, control: carthage, capacity", "control: carthage, capacity", "the list says 33, not 34"),
    (
        "map",
        "[sicilia, syracuse_province]",
        "[sicilia]",
        "syracuse_province: `scope: island` takes one of the `islands`",
    ),
    ("map", "name: Pisae", "nmae: Pisae", "nmae does not belong here; did you mean name?"),
    ("generals", "stays_in: italia", "stays_in: italy", "there is no region italy; did you mean italia?"),
    ("generals", "token: true, strategy: 1, battle: 1", "strategy: 1, battle: 1", "the list says 7, not 8"),
    (
        "cards",
        "- {number: 35, name: Diplomacy, ops: 2,",
        "- {number: 35, name: Diplomacy, ops: 3,",
        "card 35: every 3 carries a ship, and no other card",
    ),
    ("cards", "{number: 36,", "{number: 35,", "the cards are not numbered from 1 to 64 in order"),
    ("cards", "if_province: apulia", "if_province: apulai", "there is no province apulai; did you mean apulia?"),
    ("cards", "spaces_not: [capua]", "spaces_not: [capau]", "there is no space capau; did you mean capua?"),
    ("battle_cards", "count: 12", "count: 11", "the list says 47"),
    ("tables", "[0, 0, 0, 1, 1, 1, 2]", "[0, 0, 0, 1, 1, 1]", "this row has 6 entries, the table 7 columns"),
    ("tables", "[0, 0, 0, 1, 1, 1, 2]", "[0, 0, 0, 1, 1, 2, 1]", "a larger force loses less than a smaller one"),
    ("tables", "- [2, 4]", "- [2, 2]", "a higher total loses less than the one before"),
    ("tables", "province: latium", "province: roma", "there is no province roma"),
    ("tables", "turn: 9,", "turn: 10,", "the turns do not count up from 1"),
    ("scenarios/standard", "at: agrigentum", "at: agrigent", "there is no space agrigent; did you mean agrigentum?"),
    (
        "scenarios/standard",
        "[flaminius, ",
        "[",
        "flaminius stands nowhere: neither with an army nor in reserve nor to arrive",
    ),
    ("scenarios/standard", "[flaminius, ", "[flaminius, hanno, ", "hanno stands in 2 places"),
    ("scenarios/standard", "elephants: 2", "elephants: 12", "more elephant CU than CU: `cu` counts them in"),
]


@pytest.mark.parametrize(("file", "old", "new", "reason"), quick_first(SABOTAGE, 10))
def test_a_contradiction_is_found(tmp_path: Path, file: str, old: str, new: str, reason: str) -> None:
    folder = tmp_path / BOX.id
    shutil.copytree(BOX.folder, folder, ignore=shutil.ignore_patterns("cases"))
    path = folder / f"{file}.yaml"
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(BrokenBox) as broken:
        unpack(Box(folder))
    assert reason in [flaw.reason for flaw in broken.value.flaws]
    assert all(flaw.file == str(path) for flaw in broken.value.flaws)


def test_every_card_has_its_event_and_every_event_its_card(tmp_path: Path) -> None:
    folder = tmp_path / BOX.id
    shutil.copytree(BOX.folder, folder, ignore=shutil.ignore_patterns("cases"))
    path = folder / "cards.yaml"
    path.write_text(path.read_text("utf-8").replace("event: grain_shortage", "event: grain_shortages"), "utf-8")
    box = Box(folder)
    with pytest.raises(BrokenBox) as broken:
        make(box, box.options())
    assert {flaw.reason for flaw in broken.value.flaws} == {
        "nothing plays the event grain_shortages; did you mean grain_shortage?",
        "no card names the event grain_shortage",
    }
