"""Forgiveness: what people write becomes one sheet in the words of the game, or a fault where they wrote it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pbem.orders.forgive import Answering, Forgiven, Known, came_from, changes_in, forgive, looks_like_order
from pbem.orders.sheet import BadSheet, read_sheet
from tests.support.walks import loaded

ROME = Known(loaded("rome_carthage").box, ("turn",))
ITALY = Known(loaded("hannibal_italy").box, ("year",))
SWORD = Known(loaded("sword_of_rome").box, ("turn",))
HEAD = "game: punica\nside: rome\nadjudication: 15\n"
PROBE = {"battle_card": {"card": "probe"}}


def read(text: str | bytes, known: Known = ROME) -> Forgiven:
    """Read a sheet; what is committed of it must be the same to the strict reader, and to this step."""
    raw = text.encode() if isinstance(text, str) else text
    found = forgive(raw, known)
    assert read_sheet(found.text, forms=known.box.forms).says_the_same(found.sheet)
    again = forgive(found.text, known)
    assert (again.text, again.changes) == (found.text, ())
    if found.text != raw:
        assert changes_in(found.text.decode())
        assert came_from(found.text.decode(), raw.decode())
    return found


def orders(text: str, known: Known = ROME) -> list[dict[str, Any]]:
    return [{order.kind: order.body} for order in read(text, known).sheet.orders]


def faults(text: str | bytes, known: Known = ROME) -> list[tuple[int, int, str]]:
    with pytest.raises(BadSheet) as bad:
        forgive(text.encode() if isinstance(text, str) else text, known)
    return [(each.mark.line, each.mark.column, each.fault.reason) for each in bad.value.complaints]


def test_a_strict_sheet_is_kept_as_it_came() -> None:
    text = f"# mine\n{HEAD}orders:\n- battle_card: {{card: probe}}  # I hope\n"
    found = read(text)
    assert (found.text, found.changes) == (text.encode(), ())


@pytest.mark.parametrize(
    "line",
    [
        "- battle_card: {card: probe}",
        "+ battle_card: {card: probe}",
        "* battle_card: {card: probe}",
        "• battle_card: {card: probe}",
        "2. battle_card: {card: probe}",
        "1) battle_card: {card: probe}",
        "(1) battle_card: {card: probe}",
        "-- battle_card: {card: probe}",
        "> battle_card: {card: probe}",
        "> - battle_card: {card: probe}",
        ">> 2. battle_card: {card: probe}",
        "then - battle_card: {card: probe}",
        "- 1. battle_card: {card: probe}",
        "- then battle_card: {card: probe}",
        "then battle_card: {card: probe}",
        "battle_card: {card: probe}",
        "battle_card {card: probe}",
        "-battle_card:{card:probe}",
        "- Battle Card: {Card: Probe}",
        "- BATTLE-CARD: {CARD: PROBE}",
        "– battle_card: {card: “probe”}",
        "－ battle_card： ｛card： ｐｒｏｂｅ｝",
        "- battle_card:\t{card:\tprobe}",
        "\t- battle_card: {card: probe}",
        "- **battle_card**: {card: probe}",
        "**battle_card: {card: probe}**",
        "- battle_card: {card: probe}.",
        "- battle_card: {card: pro}",
        "- battle_card: {card: PR}",
        "- battle_card: {card:\nprobe}",
        "- battle_card: {\n  card: probe\n}",
        "- battle_card:\n{card: probe}",
        "- battle_card:\n    card: probe",
        "- battle_card:\n  card: probe",
        "- battle_card:\ncard: probe",
        "- battle_card:\n\tcard: Probe",
        "- battle_card:\n    card:probe",
        "- {battle_card: {card: probe}}",
        "```\n- battle_card: {card: probe}\n```",
        "[code]\n- battle_card: {card: probe}\n[/code]",
        "[code]- battle_card: {card: probe}[/code]",
        "Here it comes, my friend\n- battle_card: {card: probe}",
        "[I hope that this is right]\n- battle_card: {card: probe}",
        "- battle_card: {card: probe}\nI play Hannibal: he was great",
        "- battle_card: {card: probe} good luck!",
        "- battle\u200b_card: {card:\u00a0probe}",
    ],
)
def test_one_order_is_read_in_every_dress(line: str) -> None:
    assert orders(f"{HEAD}orders:\n{line}\n") == [PROBE]


@pytest.mark.parametrize(
    "text",
    [
        "orders: punica rome 15 battle_card {card: probe}",
        "Orders: punica Rome 15: battle_card: {card: probe}",
        "game: punica side: rome adjudication: 15 orders: - battle_card: {card: probe}",
        "game: punica, side: rome, adjudication: 15\nbattle_card: {card: probe}",
        f"{HEAD}- battle_card: {{card: probe}}",
        f"{HEAD}orders: battle_card {{card: probe}}",
        f"{HEAD}orders: - battle_card: {{card: probe}}",
        f"{HEAD}orders:\n  battle_card {{\n  card: probe}}",
        f"{HEAD}orders:\n  battle_card {{\n  card:probe}}",
        f"{HEAD}orders: [{{battle_card: {{card: probe}}}}]",
        f"{HEAD}orders:\n  battle_card: {{card: probe}}",
        f"{HEAD}my orders:\n- battle_card: {{card: probe}}",
        f"\ufeff{HEAD}orders:\r\n- battle_card: {{card: probe}}\r\n",
        "> Game: punica\n> SIDE: Rome\n> adjudication: 15.\n> orders:\n> - battle_card: {card: probe}",
        "* game: punica\n* side: Romans\n* adjudication: \uff11\uff15\n* orders:\n- battle_card: {card: probe}",
        "Dear Bob,\ngame: punica\nside: rome\n\nadjudication: 15\n---\norders:\n\n- battle_card: {card: probe}\nAnn",
    ],
)
def test_a_sheet_is_read_in_every_dress(text: str) -> None:
    sheet = read(text).sheet
    assert (sheet.game, sheet.side, sheet.adjudication) == ("punica", "rome", 15)
    assert [{order.kind: order.body} for order in sheet.orders] == [PROBE]


def test_first_lines_come_from_the_letter_if_they_are_missing() -> None:
    known = Known(ROME.box, (), Answering("punica", "rome", 15))
    found = read("battle_card: {card: probe}\n", known)
    assert (found.sheet.game, found.sheet.side, found.sheet.adjudication) == ("punica", "rome", 15)
    assert "game, side, adjudication: taken from the report that your letter answers" in found.changes
    assert read(f"{HEAD.replace('15', '14')}battle_card: {{card: probe}}\n", known).sheet.adjudication == 14


def test_first_lines_are_asked_for_if_nobody_knows_them() -> None:
    reasons = [reason.partition(":")[0] for _, _, reason in faults("- battle_card: {card: probe}\n")]
    assert reasons == ["game is missing", "side is missing", "adjudication is missing"]


def test_several_orders_keep_their_order() -> None:
    text = f"""{HEAD}orders:
1. Play: {{card: 33, as: ops, general: T. Longus, cu: 5,
path:[New Carthage,
    Iberus], then: ask}}
2) campaign: {{general: Nero, path: [{{to: Capua, drop: {{CU: 2}}}}]}} campaign: {{stop: Yes}}
"""
    assert orders(text) == [
        {
            "play": {
                "card": 33,
                "as": "operations",
                "general": "longus",
                "cu": 5,
                "path": ["new_carthage", "iberus"],
                "then": "ask",
            }
        },
        {"campaign": {"general": "nero", "path": [{"to": "capua", "drop": {"cu": 2}}]}},
        {"campaign": {"stop": True}},
    ]


def test_changes_are_told_in_the_sheet_that_is_committed() -> None:
    found = read(f"{HEAD}orders:\n2. Play: {{card: 33, as: ops, general: T. Longus}}\nThanks!\n")
    assert list(found.changes) == [
        "ops was read as operations",
        "T. Longus was read as longus",
        "capitals, blanks and hyphens were put right in play",
        "line 5, which begins with 2., was read as an order",
        "line 6 is no order and was passed over: Thanks!",
    ]
    assert changes_in(found.text.decode()) == list(found.changes)
    assert "# | 2. Play: {card: 33, as: ops, general: T. Longus}\n# | Thanks!\n" in found.text.decode()


@pytest.mark.parametrize(
    ("order", "body"),
    [
        ("- clear marker: {remove: yes}", {"clear_marker": {"remove": True}}),
        ("- clear marker: {remove: No}", {"clear_marker": {"remove": False}}),
        ("- charge: {elephants: Off}", {"charge": {"elephants": False}}),
        ('- losses: {elephants: "2"}', {"losses": {"elephants": 2}}),
        ("- losses: {elephants: +02}", {"losses": {"elephants": 2}}),
        ("- bad weather: {card: None}", {"bad_weather": {"card": "none"}}),
        ("- bad weather: {card: Truce}", {"bad_weather": {"card": 64}}),
        ("- remove_markers: {spaces: Arpi}", {"remove_markers": {"spaces": ["arpi"]}}),
        ("- remove_markers:\n    spaces: Arpi, New Carthage", {"remove_markers": {"spaces": ["arpi", "new_carthage"]}}),
        ("- battle events: {cards: ANY}", {"battle_events": {"cards": "any"}}),
        ("- avoid battle: {to: None}", {"avoid_battle": {"to": "none"}}),
        ("- reinforce: {units: {Rome: 2, New-Carthage: 3}}", {"reinforce": {"units": {"rome": 2, "new_carthage": 3}}}),
        (
            "- Play: {card: 3, as: e, province: Carthage}",
            {"play": {"card": 3, "as": "event", "province": "carthage_province"}},
        ),
        ("- play: {card: 3, as: e, space: Carthage}", {"play": {"card": 3, "as": "event", "space": "carthage"}}),
        ("- play: {card: 3, as: e, space: No Land}", {"play": {"card": 3, "as": "event", "space": "No Land"}}),
    ],
)
def test_a_value_is_read_by_its_place(order: str, body: dict[str, Any]) -> None:
    assert orders(f"{HEAD}orders:\n{order}\n") == [body]


@pytest.mark.parametrize(
    ("order", "body"),
    [
        ("- arrive: {hex: 0227}", {"arrive": {"hex": "0227"}}),
        ("- arrive: {hex: 2511}", {"arrive": {"hex": 2511}}),
        ('- arrive: {hex: "2511"}', {"arrive": {"hex": "2511"}}),
        ("- arrive: {hex: 1e3}", {"arrive": {"hex": "1e3"}}),
        ("- arrive: {hex: Sena Gallica}", {"arrive": {"hex": "sena_gallica"}}),
        ("- sally:\nsally: No", {"sally": {"sally": False}}),
        ("- forage: {units: {Roman Foot: 2, slave legion: 1}}", {"forage": {"units": {"roman_foot": 2, "slaves": 1}}}),
        ("- losses: {lose: [Roman foot]}", {"losses": {"lose": ["roman_foot"]}}),
        (
            "- move: {leader: Q. Flaccus, path: 'along Appia, to Capua, try Nola'}",
            {"move": {"leader": "q_flaccus", "path": "along via_appia, to capua, try nola"}},
        ),
        (
            "- move: {leader: q_flaccus, path: [0522, Rome, {Try: Capua}, along Via Appia, to Brundisium]}",
            {
                "move": {
                    "leader": "q_flaccus",
                    "path": ["0522", "rome", {"try": "capua"}, "along via_appia", "to brundisium"],
                }
            },
        ),
        ("- place: {leaders: {Varro: Rome}}", {"place": {"leaders": {"varro": "rome"}}}),
    ],
)
def test_a_value_of_the_other_game_is_read_by_its_place(order: str, body: dict[str, Any]) -> None:
    assert orders(f"{HEAD}orders:\n{order}\n", ITALY) == [body]


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("First Player: ROME", {"first_player": {"side": "rome"}}),
        ("- match: Probe", {"match": {"card": "probe"}}),
        ("Maharbal: 3", {"maharbal": {"card": 3}}),
        ("counterattack: yes", {"counterattack": {"roll": True}}),
        ("remove markers: [Tarraco, Dertosa]", {"remove_markers": {"spaces": ["tarraco", "dertosa"]}}),
        ("remove markers: Tarraco", {"remove_markers": {"spaces": ["tarraco"]}}),
        ("remove markers: Tarraco and Dertosa", {"remove_markers": {"spaces": ["tarraco", "dertosa"]}}),
    ],
)
def test_the_value_of_an_only_key_is_enough(line: str, order: dict[str, Any]) -> None:
    assert orders(f"{HEAD}orders:\n{line}\n") == [order]


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("Battle card: flank right", {"battle_card": {"card": "flank_right"}}),
        ("battle_card: {probe}", {"battle_card": {"card": "probe"}}),
        ("Intercept: Hannibal", {"intercept": {"with": [{"general": "hannibal"}]}}),
        ("intercept: {with: Hannibal}", {"intercept": {"with": [{"general": "hannibal"}]}}),
        ("intercept: {with: [Hannibal, {general: Hanno, cu: 2}]}", None),
        ("besiege: no", {"besiege": {"attempt": False}}),
        ("man city: 2", {"man_city": {"cu": 2}}),
        ("avoid battle: Capua", {"avoid_battle": {"to": "capua"}}),
    ],
)
def test_a_word_is_enough_if_no_other_key_could_stand_alone(line: str, order: dict[str, Any] | None) -> None:
    """A battle card is led as another, and a general commands, only beside something else."""
    both = {"intercept": {"with": [{"general": "hannibal"}, {"general": "hanno", "cu": 2}]}}
    assert orders(f"{HEAD}orders:\n{line}\n") == [order or both]


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("Move: leader: Longus, path: [Placentia]", {"move": {"leader": "longus", "path": ["placentia"]}}),
        ("Move: leader: Longus, units: all", {"move": {"leader": "longus", "units": "all"}}),
        ("- Move: Hannibal; with: [Hanno]", {"move": {"leader": "hannibal", "with": ["hanno"]}}),
        ("Move: Hannibal, with: [Hanno]", {"move": {"leader": "hannibal", "with": ["hanno"]}}),
        ("Move: Longus, path: [Placentia]", None),
        ("Move: Leader: Hannibal, with: [Hanno]  # and no more", {"move": {"leader": "hannibal", "with": ["hanno"]}}),
        ("Move: {leader: Hannibal, with: Hanno}", {"move": {"leader": "hannibal", "with": ["hanno"]}}),
        ("Forage: {Roman foot: 1}", {"forage": {"units": {"roman_foot": 1}}}),
        ("Forage: {2 Roman foot, Roman horse 1}", {"forage": {"units": {"roman_foot": 2, "roman_horse": 1}}}),
        ("Raise: {legions: {Rome 2, Arretium 1}}", {"raise": {"legions": {"rome": 2, "arretium": 1}}}),
        ("Raise: legions: {Rome 2}", {"raise": {"legions": {"rome": 2}}}),
        ("First player: side: Rome", {"first_player": {"side": "rome"}}),
    ],
)
def test_telephone_shorthand_is_read(line: str, order: dict[str, Any] | None) -> None:
    """Braces, colons and brackets are left out where they are hard to type."""
    if order is None:
        assert faults(f"{HEAD}orders:\n{line}\n", ITALY)
    else:
        assert orders(f"{HEAD}orders:\n{line}\n", ITALY) == [order]


def test_a_word_without_its_key_that_fits_two_is_a_fault() -> None:
    told = [reason for _, _, reason in faults(f"{HEAD}orders:\n- move: {{Longus, path: [placentia]}}\n", ITALY)]
    assert "Longus can be leader or with; write which, as in leader: Longus" in told
    assert not any("unknown word" in reason for reason in told)


def test_several_names_in_one_text_are_a_list() -> None:
    text = f"{HEAD}orders:\n- move: {{leader: Hannibal, with: Hanno and Hamilcar, path: [bononia]}}\n"
    assert orders(text, ITALY)[0]["move"]["with"] == ["hanno", "hamilcar"]


def test_braces_are_put_in_only_where_the_order_ends() -> None:
    """A program may have broken the line: then nobody knows where the body ends."""
    long = "Move: leader: Longus, with: [Paullus, Marcellus], path: [Placentia]"
    assert "braces were put round what had none" in read(f"{HEAD}orders:\n{long}\n", ITALY).changes
    assert faults(f"{HEAD}orders:\n{long}\n  Bononia\n", ITALY)
    assert faults(f"{HEAD}orders:\nMove: leader: Longus, path: [Placentia],\n  units: all\n", ITALY)


def test_a_text_without_braces_is_answered_with_an_example() -> None:
    (told,) = faults(f"{HEAD}orders:\n- move: to the sea\n", ITALY)
    assert told == (
        5,
        9,
        "move needs braces, as in move: {leader: hannibal, path: [placentia]}; this is the text 'to the sea'",
    )
    (told,) = faults(f"{HEAD}orders:\n- first_player: Carthage please\n", ITALY)
    assert "side cannot be 'Carthage please'" in told[2]


@pytest.mark.parametrize("line", ["match: I do not know", "match: 3 of them", "campaign: Mago", "first_player: me"])
def test_what_is_no_value_of_an_only_key_is_a_fault(line: str) -> None:
    """A general may march on a campaign card, or go along: which of the two is not said."""
    assert faults(f"{HEAD}orders:\n- {line}\n")


def test_a_word_without_its_key_is_read_if_it_fits_one_key() -> None:
    play = {"play": {"card": 31, "as": "operations", "general": "hannibal", "path": ["dertosa"]}}
    text = f"{HEAD}orders:\n- play: {{card: 31, ops, general: Hannibal, path: [dertosa]}}\n"
    assert orders(text) == [play]
    assert "ops was read as {as: operations}" in read(text).changes
    for other in ("as: event, ops", "ops, event", "capua, as: event", "as: event, 3"):
        assert faults(f"{HEAD}orders:\n- play: {{card: 31, {other}}}\n")


def test_a_misspelt_card_is_named_with_its_number() -> None:
    ((_, _, reason),) = faults(f"{HEAD}orders:\n- play: {{card: African Reinforcments, as: event}}\n")
    assert reason == "nothing here is called African Reinforcments; did you mean 12, african_reinforcements?"


def test_a_word_that_can_be_two_things_is_a_fault_with_both() -> None:
    text = f"{HEAD}orders:\n- play: {{card: Major Campaign, as: ops, general: Scipio}}\n+ battle_card: {{card: FL}}\n"
    assert faults(text) == [
        (5, 16, "'Major Campaign' can be 33 or 34; write which"),
        (5, 50, "'Scipio' can be publius_scipio or scipio_africanus; write which"),
        (6, 23, "'FL' can be flank_left or flank_right; write which"),
    ]


def test_all_faults_come_at_once_where_the_player_wrote_them() -> None:
    text = f"""{HEAD}orders:
> 1. play: {{card: 70, as: ops, general: Scipio}}
2) bad_weather: {{card: any
\t* Battle Card: {{carrd: probe}}
– match： {{card： 7}}
"""
    found = faults(text)
    assert [(line, column) for line, column, _ in found] == [(5, 19), (5, 41), (6, 17), (7, 18), (8, 17)]
    assert [reason.split(";")[0] for _, _, reason in found] == [
        "card must be at most 64, not 70",
        "'Scipio' can be publius_scipio or scipio_africanus",
        "the mapping that opens here with '{' is not closed, or a ',' is missing in it",
        "unknown word 'carrd' in battle_card",
        "card cannot be the number 7",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- battle_card: {card: probe",
        "- battle_card: {card: probe, Card: reserve}",
        "- battel_card: {card: probe}",
        "battel_card: {card: probe}",
        "- battle_card",
        "- I wait",
        "- battle_card: {card: probe} - match: {card: any",
        "battle_card: he was great",
        "Battle Card: he was great",
        "Thanks\n- {card: probe}",
        "Thanks\n- capua",
        "Thanks\ncapua, rome]}",
        "game: zama",
        "side: carthage",
        "orders: none",
        '- battle_card: {card: "probe}\n- match: {card: any}',
    ],
)
def test_a_line_that_looks_like_an_order_is_never_passed_over(line: str) -> None:
    assert faults(f"{HEAD}orders:\n- match: {{card: any}}\n{line}\n")


def test_an_order_after_talk_below_standing_orders_is_sent_back() -> None:
    text = f"{HEAD}standing:\n- tie: default\nAnd now my move:\n- sally: {{sally: false}}\n"
    ((line, _, reason),) = faults(text, ITALY)
    assert (line, reason.partition("?")[0]) == (7, "is this an order or a standing order")
    assert faults(f"{HEAD}standing: default\n- sally: {{sally: false}}\n", ITALY)


@pytest.mark.parametrize(
    ("text", "filed"),
    [
        ("standing:- default", ["default"]),
        ("standing: Default", ["default"]),
        ("standing:\n* default", ["default"]),
        ("Standing Orders:\n- Intercept: default", [{"intercept": "default"}]),
        (
            "standing:\n1. intercept: {with: []}\n   when: {At: [Capua, nowhere], odds: '< 100', mover: {Not: Mago}}\n"
            "   until: End of Turn",
            [
                {
                    "intercept": {"with": []},
                    "when": {"at": ["capua", "nowhere"], "odds": "< 100", "mover": {"not": "mago"}},
                    "until": "end_of_turn",
                }
            ],
        ),
        (
            "standing:\n- avoid battle: {to: {Any: [Capua, Rome]}, general: {any: refuges}}\n  When: {enemy_cu: 5}",
            [
                {
                    "avoid_battle": {"to": {"any": ["capua", "rome"]}, "general": {"any": "refuges"}},
                    "when": {"enemy_cu": 5},
                }
            ],
        ),
        (
            "standing:\n- intercept: {with: [], When: {at: Capua}}",
            [{"intercept": {"with": [], "when": {"at": "capua"}}}],
        ),
    ],
)
def test_standing_orders_are_read(text: str, filed: list[Any]) -> None:
    assert list(read(HEAD + text + "\n").sheet.standing or ()) == filed


@pytest.mark.parametrize("name", ["Punica", "my-Game", "ｐunica", "0227", "No"])
def test_the_name_of_a_game_and_a_link_are_never_touched(name: str) -> None:
    found = read(
        f"Game: {name}\nside: Rome\nadjudication: 15\nlink: {'A' * 3}{'0' * 61}\norders: []\n".replace("A", "a")
    )
    assert (found.sheet.game, found.sheet.link) == (name, "aaa" + "0" * 61)
    assert faults(f"game: {name}\nside: rome\nadjudication: 1\nlink: {'A' * 64}\norders: []\n")


def test_the_first_number_sign_of_an_order_is_enough() -> None:
    """Whoever takes the # off the first line of an order in a form has chosen the whole of it."""
    form = "# Which card?\n- play:\n#     card: 33\n#     as: discard\n# - play: {card: 34, as: discard}\n"
    for text in (form, "".join(f"> {line}\n" for line in form.splitlines()), form.replace("- play:\n", "Play :\n")):
        assert orders(f"{HEAD}orders:\n{text}") == [{"play": {"card": 33, "as": "discard"}}]
    assert orders(f"{HEAD}orders:\n- battle_card: {{card: probe}}\n#     card: 33\n") == [PROBE]
    assert orders(f"{HEAD}orders:\n- march:\n# a remark\n#     path: [rome]\n") == [{"march": {}}]


def test_an_empty_link_is_none() -> None:
    """The form of a player with a chain of their own has the key with nothing behind it."""
    text = f"{HEAD}link:\norders:\n- battle_card: {{card: probe}}\n"
    assert read(text).text == text.encode()
    assert read(text.replace("- b", "+ b")).sheet.link is None


def test_order_and_talk_are_told_apart() -> None:
    looks = ["> 2. Battle Card: x", "then - march {", "ORDERS:", "- standing: x", '"side": rome']
    talk = ["I play Hannibal: he was great", "march on", "- card: 5", "the march: a story", "", "# march: {}"]
    assert [looks_like_order(line, ROME) for line in looks] == [True] * len(looks)
    assert [looks_like_order(line, ROME) for line in talk] == [False] * len(talk)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00" * 100,
        bytes(range(256)) * 40,
        "game: p".encode("utf-16"),
        b"\n" * 100_000,
        b"- march: {}\n" * 100_000,
        b"game: p " * 2_000,
        HEAD.encode() + b"orders:\n- march: " + b"[" * 15_000,
        HEAD.encode() + b"orders:\n- march: " + b"{a: " * 3_000,
        HEAD.encode() + b"orders:\n" + b"- a: {\n" * 2_000,
        HEAD.encode() + b"orders:\n- march: {'" + b"'" * 15_000,
        HEAD.encode() + b"orders:\n- march: {" + b":" * 15_000,
        HEAD.encode() + b"orders:\n" + b"1. " * 5_000 + b"march",
        HEAD.encode() + b"[code=" * 2_500 + b"\n- march: {\n",
    ],
)
def test_bad_input_of_any_kind_is_a_fault_and_quickly(raw: bytes) -> None:
    started = time.perf_counter()
    assert faults(raw)
    assert time.perf_counter() - started < 30


@pytest.mark.slow
def test_many_orders_on_one_line_are_read_quickly() -> None:
    started = time.perf_counter()
    assert len(orders(f"{HEAD}orders:\n" + "- march: {} " * 1_200)) == 1_200
    assert time.perf_counter() - started < 30


def test_a_long_text_is_cut_below_the_sheet_and_stays_readable() -> None:
    text = f"{HEAD}orders:\n+ battle_card: {{card: probe}}\n" + "Once upon a \u202e time\n" * 740
    found = read(text)
    assert len(found.text) <= 16 * 1024
    assert found.text.decode().endswith("\n# (the rest was cut off here)\n")
    assert not came_from(found.text.decode(), text.replace("upon", "on"))


def test_the_players_own_text_smuggles_nothing_in() -> None:
    text = f"{HEAD}orders:\n+ battle_card: {{card: probe}}\nThanks \u2028- match: {{card: any}}\u0085\n"
    with pytest.raises(BadSheet):
        forgive(text.encode(), ROME)
    found = read(f"{HEAD}orders:\n+ battle_card: {{card: probe}}\n# \\n- match: any\nThanks\n- # orders: []\n")
    assert [order.kind for order in found.sheet.orders] == ["battle_card"]


def test_a_list_needs_no_brackets() -> None:
    """What follows a list behind a comma goes on with it; a word of no place is a fault of the list."""
    (found,) = orders(f"{HEAD}orders:\n- play: {{card: 40, as: ops, general: Hannibal, path: Dertosa, New Carthage}}\n")
    assert found == {
        "play": {"card": 40, "as": "operations", "general": "hannibal", "path": ["dertosa", "new_carthage"]}
    }
    (found,) = orders(f"{HEAD}orders:\n- play: {{path: Dertosa, ops, card: 40}}\n")
    assert (found["play"]["as"], found["play"]["card"]) == ("operations", 40)


@pytest.mark.parametrize("card", ["Minor Campaign (40)", "minor campaign 40", "40"])
def test_a_card_is_named_with_its_number(card: str) -> None:
    assert orders(f"{HEAD}orders:\n- play: {{card: {card}, as: discard}}\n") == [
        {"play": {"card": 40, "as": "discard"}}
    ]


def test_an_order_of_two_lines_needs_one_sign_taken_off() -> None:
    form = "- play: {card: 40, as: operations,\n#     general: hannibal}\n# - play: {card: 9, as: discard}\n"
    assert orders(f"{HEAD}orders:\n{form}") == [{"play": {"card": 40, "as": "operations", "general": "hannibal"}}]


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("- propose; {do: x}", None),
        ("- act, {do: end}", {"do": "end"}),
        ("- act: {do: propose; to: the Gauls}", {"do": "propose", "to": "gauls"}),
        ("- march: {CUs: 7 CU, path [{to: roma} {to: capua}]}", {"cu": 7, "path": [{"to": "roma"}, {"to": "capua"}]}),
        ("- march: {cu: 7 mercenaries}", None),
        ("- march: path: Roma; Capua", {"path": [{"to": "roma"}, {"to": "capua"}]}),
        ("- alliance: {accept: yes}", {"accept": True}),
    ],
)
def test_signs_units_and_plurals_are_put_right(line: str, order: dict[str, Any] | None) -> None:
    text = f"game: punica\nside: romans\nadjudication: 1\norders:\n{line}\n"
    if order is None:
        assert faults(text, SWORD)
    else:
        ((kind, body),) = orders(text, SWORD)[0].items()
        assert body == order, kind


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("- march: path: Praneste, Capua", "nothing here is called Praneste; did you mean praeneste?"),
        ("- march: path: ca", "'ca' can be capua, caudium, canusium, catina, caralis, carthago or garrison_box"),
        ("- march: {path: [Nowhere]}", "nothing here is called Nowhere"),
    ],
)
def test_a_misspelt_name_in_a_list_is_told(line: str, reason: str) -> None:
    ((_, _, told),) = faults(f"game: punica\nside: romans\nadjudication: 1\norders:\n{line}\n", SWORD)
    assert told.startswith(reason)


def test_conditions_need_neither_braces_nor_quotes() -> None:
    lines = ["standing:", "- intercept: {with: []}", "  when: mover: Gauls, odds: >= 150"]
    text = "\n".join(["game: punica", "side: romans", "adjudication: 1", *lines])
    (standing,) = read(text, SWORD).sheet.standing or ()
    assert isinstance(standing, dict)
    assert standing["when"] == {"mover": "gauls", "odds": ">= 150"}
