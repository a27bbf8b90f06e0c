"""The options of an edition, with their types; what each means stands in `game.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class Options(TypedDict):
    """The options in force in a game, in the order of the rulebook."""

    carthage_free_cu: str
    baetica_cu: str
    proconsul_mandatory: bool
    consul_redraw: bool
    africanus_arrival: str
    ops_colour_bound: bool
    raise_in: str
    windows: str
    reshuffle: str
    truce_reshuffle_on_discard: bool
    strait_cost: int
    pass_drm: Mapping[str, int]
    pass_roll_timing: str
    carried_generals: str
    commander_by: str
    pick_up_generals: bool
    small_voyage: str
    naval_roman_pc_ports: str
    hannibal_displaced: str
    storm_displaces: bool
    battle_displaces: bool
    intercept_into_enemy: bool
    lone_generals_intercepted: bool
    watched_garrison_intercepts: bool
    naval_roll_when_backing_up: bool
    who_keeps_unit: str
    interceptions_from_a_space: str
    failed_interceptor_avoids: bool
    avoid_into_city: bool
    avoid_into_tribe: bool
    rome_italy_ally_cap: int | None
    allies_on_islands: str
    decline_match: bool
    matched_envelopment: str
    withdraw_limit: int | None
    withdraw_fail_initiative: str
    retreat_longer_path: bool
    retreat_target_clear: bool
    landed_may_shelter: bool
    retreat_the_way_he_came: bool
    neutral_tribe_toll: bool
    peace_after_battle: bool
    elephant_retreat_loss: str
    change_of_command_forced: bool
    consul_split_min: int
    consul_move_min5: bool
    proconsul_size_rule: bool
    flip_needs: str
    retreat_into_cities: str
    sub_general_siege: bool
    lone_sortie: bool
    rome_falls_timing: str
    elephant_reinforcement: str
    mercenaries_spared: str
    numidian_ally: str
    capua_provinces: int
    italians_won_over: str
    charming_general: str
    siege_train_passes: str
    bad_weather_by_land: str
    bad_weather_stops: str
    elephant_fright_loss: str
    pirates_port: str
    messenger_use: str
    counsel_ends: str
    ally_deserts: str
    truce_end: str
