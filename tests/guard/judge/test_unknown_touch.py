"""A touch acts, leads on, or nobody knows what it does: which of them is asked about, and as what."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.guard.phones import guard, screen
from vsalang.guard import Guard
from vsalang.guard.say.feedback import verdict_text
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.example import LEVELS
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

SHOP = """app shop package "com.shop" "A shop"
screen Shelf "a shelf" when Node(id = "shelf").
screen Basket "the basket" when Node(id = "basket").
goto Basket when tap(id = "odd").
action Keep(name: Text "what") "Keep something"
recognize Keep(name = ?n) when tap(id = "keep", text = ?n).
"""
POLICY = 'policy careful "Careful"\nimport std.effects\ndeny "no" when tap(id = "never").\n'
NODES: tuple[dict[str, Value], ...] = (
    {"id": "odd", "text": "Frobnicate", "clickable": True},
    {"id": "bare", "clickable": True},
    {"id": "more", "text": "Go back", "clickable": True},
    {"id": "send", "text": "Wi-Fi", "clickable": True},
    {"id": "name", "hint": "Name", "editable": True, "clickable": True, "class": "EditText"},
    {"id": "list", "scrollable": True},
)
ROLES = {3: "back", 4: "switch", 5: "field"}
ODD, BARE, MORE, SEND = (Action("tap", {"id": id_}) for id_ in ("odd", "bare", "more", "send"))


@cache
def program(*, effects: bool = True, shop: bool = False, policy: bool = False, text: str = SHOP) -> Program:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shop.vsa").write_text(text, encoding="utf-8")
        (folder / "careful.vsa").write_text(POLICY, encoding="utf-8")
        imports = "import std.effects\n" * effects + "import shop\n" * shop
        what = "SetSetting" if effects else "answer"
        task = f'spec task "Say hello"\n{imports}allow {what}.\ndone when {what} earlier.\n'
        (folder / "task.vsa").write_text(task, encoding="utf-8")
        policies = [folder / "careful.vsa"] if policy else []
        return load(folder / "task.vsa", policies=policies).checked()


def shown(*more: dict[str, Value], app: str = "com.other") -> FactScreen:
    look = screen(*NODES, *more, app=app)
    for node, kind in ROLES.items():
        look = look.seen(VOCABULARY["Role"], {"node": node, "kind": kind})
    return look


def on(made: Program, look: FactScreen, **settings: str) -> Guard:
    session = guard(made, **settings)
    session.observe(look)
    return session


def kinds(verdict: Verdict) -> list[str]:
    return [reason.kind for reason in verdict.reasons]


# ---------------------------------------------------------------- which touches


@pytest.mark.parametrize("gesture", ["tap", "double_tap", "long_press"])
def test_nobody_knows_what_it_does(gesture: str) -> None:
    session = on(program(), shown())
    verdict = session.propose(Action(gesture, {"id": "odd"}))
    assert (verdict.level, set(kinds(verdict))) == ("confirm", {"unknown_touch"})
    assert str(verdict.reasons[0].message) == 'nobody knows what touching "Frobnicate" does'
    assert verdict.because("unknown_touch")


def test_what_has_no_name_is_not_known() -> None:
    """`tap(label = ?l)` matches no control without a label: silence of the rules is not an answer."""
    verdict = on(program(), shown()).propose(BARE)
    assert kinds(verdict) == ["unknown_touch"] and 'id "bare"' in verdict.reasons[0].message


def test_one_message_for_one_cause() -> None:
    """The app is not described: where its touches are read, that is not asked as well."""
    session = on(program(), shown())
    assert kinds(session.propose(MORE)) == []
    assert kinds(session.propose(Action("input_text", {"id": "name", "value": "hi"}))) == []
    assert kinds(session.propose(Action("scroll", {"id": "list", "direction": "down"}))) == []
    assert kinds(session.propose(Action("open_app", {"package": "com.mail"}))) == []
    assert kinds(session.propose(ODD)) == ["unknown_touch"]


def test_without_effects_all_stays_as_it_is() -> None:
    session = on(program(effects=False), shown())
    for action in (ODD, MORE, SEND, Action("scroll", {"id": "list", "direction": "down"})):
        assert kinds(session.propose(action)) == ["unknown_screen"]


def test_a_policy_alone_does_not_ask_and_takes_nothing_away() -> None:
    """Only the task says that `std.effects` reads its apps: what a policy imports lowers nothing."""
    session = on(program(effects=False, policy=True), shown())
    for action in (ODD, MORE):
        assert kinds(session.propose(action)) == ["unknown_screen"]


def test_a_key_that_may_send_is_still_asked_about() -> None:
    session = on(program(), shown())
    assert kinds(session.propose(Action("press_key", {"key": "ENTER"}))) == ["unknown_screen"]


def test_a_swipe_to_the_side_may_throw_something_away() -> None:
    page: dict[str, Value] = {
        "id": "page",
        "scrollable": True,
        "left": 0,
        "top": 0,
        "right": 1000,
        "bottom": 2000,
    }
    session = on(program(), shown(page))
    start: dict[str, Value] = {"x": 500, "y": 900}
    assert "unknown_screen" in kinds(session.propose(Action("swipe", {**start, "x2": 10, "y2": 900})))
    assert kinds(session.propose(Action("swipe", {**start, "x2": 500, "y2": 100}))) == []


# ---------------------------------------------------------------- apps with a module of their own


def test_a_module_of_the_app_explains_its_gestures() -> None:
    made = program(shop=True)
    session = on(made, shown({"id": "shelf"}, app="com.shop"))
    assert kinds(session.propose(ODD)) == []  # it says where the touch leads
    assert kinds(session.propose(BARE)) == ["unknown_touch"]


def test_only_on_a_known_screen() -> None:
    session = on(program(shop=True), shown(app="com.shop"))
    assert set(kinds(session.propose(ODD))) == {"unknown_screen", "unknown_touch"}
    assert kinds(session.propose(MORE)) == ["unknown_screen"]  # the module knows the app, and not this screen


def test_a_recognised_action_settles_it() -> None:
    keep: dict[str, Value] = {"id": "keep", "text": "Frobnicate", "clickable": True}
    session = on(program(shop=True), shown({"id": "shelf"}, keep, app="com.shop"))
    assert kinds(session.propose(Action("tap", {"id": "keep"}))) == ["unlicensed"]


BARE_SHOP = """app shop package "com.shop" "A shop"
define OnlyLeadsOn(node = ?n) when tap(node = ?n, id = "bare").
"""


def test_a_module_may_say_that_it_leads_on() -> None:
    """It need not describe a screen: what it does not say, `std.effects` reads."""
    made = program(shop=True, text=BARE_SHOP)
    session = on(made, shown(app="com.shop"))
    assert kinds(session.propose(BARE)) == [] == kinds(session.propose(MORE))
    assert kinds(session.propose(ODD)) == ["unknown_touch"]
    other = on(made, shown(app="com.other"))
    assert kinds(other.propose(BARE)) == ["unknown_touch"]  # the module is about its own app


# ---------------------------------------------------------------- kept answers


def answered(node: int, means: str, **cells: str | bool) -> FactScreen:
    row: dict[str, str | bool | int] = {"node": node, "means": means, "by": "m", "accepted": False, **cells}
    return shown().with_rows({"Answered": (row,)})


def test_an_answer_that_it_leads_on_settles_it() -> None:
    session = on(program(), answered(2, "leads on"))
    verdict = session.propose(BARE)
    assert verdict.level == "allow"
    assert [str(flag.message) for flag in verdict.flags] == [
        '"m" said that id "bare" leads on; nobody has accepted that answer'
    ]
    accepted = on(program(), answered(2, "leads on", accepted=True)).propose(BARE)
    assert (accepted.level, accepted.flags) == ("allow", ())


@pytest.mark.parametrize("means", ["leads on", "leads  on", "perhaps", ""])
def test_structure_goes_before_an_answer(means: str) -> None:
    """What closes a dialog never leads on by the word of a model."""
    look = answered(2, means).seen(VOCABULARY["Closes"], {"node": 2, "kind": "dialog"})
    assert kinds(on(program(), look).propose(BARE)) == ["unknown_touch"]


def test_a_claim_settles_nothing() -> None:
    session = on(program(), shown())
    assert "unknown_touch" in kinds(session.propose(ODD, [Action("SetSetting")]))


# ---------------------------------------------------------------- what nobody read


def test_what_may_be_unclear_is_asked() -> None:
    seen = shown().seen(
        VOCABULARY["Node"],
        {"node": 20, "id": "half", "text": "Cancel", "desc": None, "package": "com.other", "clickable": True},
    )
    seen = seen.seen(VOCABULARY["Role"], {"node": 20, "kind": "icon"})
    verdict = on(program(), seen).propose(Action("tap", {"id": "half"}))
    unknown = next(reason for reason in verdict.reasons if reason.kind == "unknown_touch")
    assert "this may be so" in unknown.message and unknown.change == "unread"


# ---------------------------------------------------------------- what the owner says


@pytest.mark.parametrize("level", LEVELS)
def test_the_owner_says_what_it_asks_for(level: str) -> None:
    session = on(program(), shown(), unknown_touch=level)
    expected = "confirm" if level == "allow" else level  # then the screen is asked about, as it always was
    assert session.propose(ODD).level == expected
    assert session.propose(MORE).level == "allow"


def test_no_such_level() -> None:
    with pytest.raises(ValueError, match="unknown_touch is one of"):
        guard(program(), unknown_touch="maybe")


@pytest.mark.parametrize("action", [ODD, BARE, MORE, SEND], ids=lambda action: str(action.args["id"]))
@pytest.mark.parametrize("app", ["com.other", "com.shop"])
@pytest.mark.parametrize("setting", ["warn", "confirm", "block"])
def test_more_rules_never_lower(action: Action, app: str, setting: str) -> None:
    """A policy, or a stricter setting, only adds."""
    look = shown({"id": "shelf"}, app=app)
    without = on(program(shop=True), look, unknown_touch="warn").propose(action)
    with_policy = on(program(shop=True, policy=True), look, unknown_touch=setting).propose(action)
    assert LEVELS.index(with_policy.level) >= LEVELS.index(without.level)


def test_it_is_said_in_two_languages() -> None:
    verdict = on(program(), shown()).propose(BARE)
    assert "guard.unknown_touch" in verdict_text(verdict)
    assert "niemand weiß, was eine Berührung von" in verdict_text(verdict, language="de")
