"""Which screens a task is about: exactly by a spec's rules, by words otherwise, and nothing where it is unsure."""

import json
from collections.abc import Callable
from dataclasses import replace
from subprocess import CompletedProcess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.maps.making import edge
from vsalang.agents.maps import EMPTY, UTG, Screen, ScreenFit, WordRanker, exact, ranked, select
from vsalang.agents.maps.ranking import words_of
from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program

Vsac = Callable[..., CompletedProcess[str]]
SPEC = "app_specs/examples/reserve_r.vsa"


def utg(**texts: tuple[str, ...]) -> UTG:
    return UTG({name: Screen(name, "state", "app", texts=said) for name, said in texts.items()}, ())


@pytest.fixture(scope="module")
def spec() -> Program:
    program = load(SPEC).program
    assert program is not None
    return program


def test_screens_of_actions_before_those_of_done(spec: Program) -> None:
    found = [(each.screen.rpartition(":")[2], each.why) for each in exact(spec)]
    assert found == [
        ("Details", ("reserve_r:1: Reserve is done there", "reserve_r:3: `done` reads RestaurantInfo")),
        ("Receipt", ("reserve_r:2: `done` reads ReserveResult",)),
    ]


def test_spec_outweighs_words(spec: Program) -> None:
    found = select("open the menu", UTG.from_program(spec), spec)
    assert [each.screen for each in found] == ["apps.opentable:Details", "apps.opentable:Receipt"]


def test_values_of_a_licence_name_its_screen() -> None:
    program = load("app_specs/examples/quiet_evening.vsa").checked()
    assert [(each.screen, each.why) for each in exact(program)] == [
        ("apps.settings:Display", ("quiet_evening:1: Switch is done there",)),
        ("apps.settings:Notifications", ("quiet_evening:2: Switch is done there",)),
    ]


@pytest.mark.parametrize("page", ["?p", '"Calendar"'])
def test_values_that_imply_no_screen_name_none(page: str) -> None:
    """A page that is called by what it shows is not a screen's own title."""
    program = load_text(
        f'spec task "Switch"\nimport apps.settings\nallow Switch(page = {page}).\ndone when Switch earlier.\n',
        file="task.vsa",
    ).checked()
    assert exact(program) == ()


def test_app_module_has_no_exact_screens() -> None:
    program = load("app_specs/apps/settings.vsa").program
    assert program is not None
    assert exact(program) == ()


def test_best_words_lead() -> None:
    found = select(
        "Delete the old recordings", utg(A=("Recording", "Old"), B=("Settings",), C=("Delete account",))
    )
    assert [each.screen for each in found] == ["A", "C"]
    assert found[0].why == ("shown: old, recordings",)


def test_nothing_where_two_fit_alike() -> None:
    two = utg(A=("Alarm",), B=("Alarm",), C=("Clock",))
    assert select("set an alarm", two) == ()
    assert [each.screen for each in ranked("set an alarm", two)] == ["A", "B"]


def test_gesture_that_leads_there_counts_most() -> None:
    shown = utg(A=("Privacy", "policy"), B=("We respect you",))
    found = ranked("privacy", UTG(shown.screens, (edge("A", "B", "privacy"),)))
    assert found[0].screen == "B"
    assert found[0].why == ("led to by: privacy",)


def test_what_is_seen_often_leads() -> None:
    screens = utg(A=("Notes",), B=("Notes",)).screens
    seen = {name: replace(screen, seen={"A": 1, "B": 30}[name]) for name, screen in screens.items()}
    assert [each.screen for each in select("write notes", UTG(seen, ()))] == ["B", "A"]


def test_words_without_values_and_small_ones() -> None:
    asked = "Open the Wi-Fi page, type 'delete all' in 2 fields of \"my mail\""
    assert words_of(asked) == ("wi", "fi", "wifi", "page", "type", "fields")


def test_scores_of_rankers_are_joined() -> None:
    class Likes:
        def rank(self, instruction: str, utg: object, program: Program | None) -> dict[str, ScreenFit]:
            return {"B": ScreenFit(1.0, ("liked",))}

    found = ranked("alarm", utg(A=("Alarm",), B=("Clock",)), rankers=(WordRanker(), Likes()))
    assert [(each.screen, each.score, each.why) for each in found] == [
        ("A", 0.5, ("shown: alarm",)),
        ("B", 0.5, ("liked",)),
    ]


@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_is_only_words(instruction: str, texts: list[str]) -> None:
    for each in ranked(instruction, utg(A=tuple(texts), B=('" OR * NEAR(a b) ^c {d}:',))):
        assert each.screen in "AB" and 0 <= each.score <= 1


def test_very_long_texts_are_cut() -> None:
    long = utg(A=("alarm " * 200_000,), B=("clock",))
    assert [each.screen for each in select("alarm " * 200_000, long)] == ["A"]


def test_empty_map_has_no_screen() -> None:
    assert select("anything", EMPTY) == ()


# ---------------------------------------------------------------- the command


def test_target_with_its_way(vsac: Vsac, golden: Callable[..., None]) -> None:
    result = vsac("map", "target", "--spec", SPEC, "--from", "Search")
    assert (result.returncode, result.stderr) == (0, "")
    golden(result.stdout)


def test_target_by_words_as_json(vsac: Vsac) -> None:
    result = vsac("map", "target", "turn off wifi", "--app", "apps.settings", "--json", "--from", "Main")
    data = json.loads(result.stdout)
    assert (result.returncode, data["version"], data["sure"]) == (0, 1, True)
    assert data["screens"] == [{"screen": "apps.settings:Network", "score": 1.0, "why": ["called: wifi"]}]
    assert [step["target"] for step in data["way"]["ways"][0]["steps"]] == ["apps.settings:Network"]


def test_unsure_target_shows_the_nearest(vsac: Vsac) -> None:
    result = vsac("map", "target", "clear or erase", "--app", "apps.settings")
    assert result.returncode == 1
    assert result.stdout.startswith("no screen clearly fits best; the nearest:\n1. ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give INSTRUCTION or --spec."),
        (("mail",), "INSTRUCTION needs --app or --utg or --spec: no screens are known."),
        (
            ("mail", "--app", "apps.settings", "--spec", SPEC),
            "--app and --spec exclude each other: a spec imports its app modules.",
        ),
        (("mail", "--app", "apps.settings", "--from", "Nowhere"), "the map has no screen Nowhere"),
        (("mail", "--utg", "none.json"), "there is no none.json"),
    ],
)
def test_bad_calls_of_target(vsac: Vsac, arguments: tuple[str, ...], said: str) -> None:
    result = vsac("map", "target", *arguments)
    assert result.returncode == 2
    assert said in result.stderr
