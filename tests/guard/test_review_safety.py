"""What a review tried to get past the guard; each of these was allowed once, or undone."""

import asyncio
import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from vsalang.guard import Guard, GuardFailed, NotAllowed
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

NOON = dt.datetime(2026, 4, 1, 12)


def program(folder: Path, app: str, spec: str, *policies: str) -> Program:
    (folder / "shop.vsa").write_text(app)
    (folder / "s.vsa").write_text(spec)
    files = []
    for number, text in enumerate(policies):
        files.append(folder / f"p{number}.vsa")
        files[-1].write_text(text)
    loaded = load(folder / "s.vsa", policies=files)
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def session(made: Program, **more: Any) -> Guard:
    return Guard(made, clock=lambda: NOON, **more)


def shown(*ids: str, **texts: Value) -> FactScreen:
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
    for number, name in enumerate((*ids, *texts), 1):
        cells = {"node": number, "id": name, "clickable": True, "enabled": True, "scrollable": False}
        if name in texts:
            cells["text"] = texts[name]
        screen = screen.seen(VOCABULARY["Node"], {"package": "com.shop", **cells})
    return screen


APP = """app shop package "com.shop" "A shop"
screen Home "The bill" when Node(id = "pay").
screen Wait "Something turns" when Node(id = "spinner").
screen Orders "All orders" when Node(id = "orders").
state Result "How it went" { ok: Bool }
update Result(ok = true) when Node(id = "good").
update Result(ok = false) when Node(id = "bad").
state Order key (name) "An order" { name: Text  open: Bool }
update Order(name = ?t) when Node(id = "order", text = ?t).
complete Order when Node(id = "orders").
state Basket key (name) "What is bought" { name: Text }
update Basket(name = ?t) when Node(id = "basket", text = ?t).
action Pay "Pay the bill"
recognize Pay when tap(id = "pay").
action Buy(name: Text  n: Number) "Buy something"
recognize Buy(name = "x") when tap(id = "buy").
action Empty "Empty the basket"
recognize Empty when tap(id = "empty").
action Send "Send what is typed"
recognize Send when press_key(key = "ENTER").
action Leave "Leave without saving"
recognize Leave when back.
expect Result(ok = true) when Pay.
expect Order(name = "x") when Buy(name = "x").
expect no Basket when Empty.
""".replace("name: Text  n: Number", "name: Text, n: Number")
SPEC = """spec s "Pay"
import shop
allow Pay.
allow Buy(name = "x").
allow Empty.
done when Pay earlier.
"""
HOME = shown("pay", "buy", "empty", "field")


# ---- contracts: only what was seen after the action can take its commit back


@pytest.mark.parametrize("after", [shown("spinner"), None], ids=["another screen", "no screen"])
@pytest.mark.parametrize(
    ("target", "before"),
    [("pay", shown("bad")), ("buy", shown("orders")), ("empty", shown("orders", basket="milk"))],
    ids=["a row", "completeness", "a row that should be gone"],
)
def test_what_was_seen_before_the_action_takes_nothing_back(
    tmp_path: Path, target: str, before: FactScreen, after: FactScreen | None
) -> None:
    guard = session(program(tmp_path, APP, SPEC))
    guard.observe(before)
    guard.observe(HOME)
    guard.commit(guard.propose(Action("tap", {"id": target})))
    observed = guard.observe(after)
    assert [contract.outcome for contract in observed.contracts] == ["inconclusive"]
    assert observed.taken_back == ()
    guard.observe(HOME)
    assert guard.propose(Action("tap", {"id": target})).because("licence")


@pytest.mark.parametrize(
    ("target", "after"),
    [("pay", shown("bad")), ("buy", shown("orders", order="y")), ("empty", shown("orders", basket="milk"))],
)
def test_what_is_seen_afterwards_takes_the_commit_back(
    tmp_path: Path, target: str, after: FactScreen
) -> None:
    guard = session(program(tmp_path, APP, SPEC))
    guard.observe(HOME)
    guard.commit(guard.propose(Action("tap", {"id": target})))
    observed = guard.observe(after)
    assert [contract.outcome for contract in observed.contracts] == ["violated"]
    assert len(observed.taken_back) == 1


# ---- aliases


NODE = """<node index="0" text="" resource-id="{id}" class="android.view.View" package="com.shop" content-desc=""
 checkable="false" checked="false" clickable="{click}" enabled="true" focusable="true" focused="false"
 scrollable="false" long-clickable="false" password="false" selected="false" bounds="{at}"{end}>"""


def phone(button: str = "[100,100][500,300]") -> TreeScreen:
    outer = NODE.format(id="", click="false", at="[0,0][1000,1000]", end="")
    inner = NODE.format(id="com.shop:id/pay", click="true", at=button, end="/")
    dump = f'<hierarchy rotation="0">{outer}{inner}</node></hierarchy>'
    return TreeScreen(load_dump(dump), app=("com.shop", ".Main"), settled=True)


STRICT = 'spec s "Look"\nimport shop\nallow answer(text = "x").\ndone when answer earlier.\n'


@pytest.mark.parametrize(
    ("name", "args", "button"),
    [
        ("clear_text", {"id": "pay"}, ""),
        ("swipe", {"x": 300, "y": 200, "x2": Decimal("300.5"), "y2": 200}, ""),
        ("swipe", {"x": Decimal("300.5"), "y": 200, "x2": 301, "y2": 200}, ""),
        ("swipe", {"id": "pay", "direction": "left"}, "[100,100][150,150]"),
        ("swipe", {"x": 499, "y": 200, "direction": "right"}, ""),
        ("scroll", {"id": "pay", "direction": "down"}, "[100,100][150,150]"),
    ],
    ids=str,
)
def test_every_possible_tap_is_judged_as_one(
    tmp_path: Path, name: str, args: dict[str, Value], button: str
) -> None:
    guard = session(program(tmp_path, APP, STRICT))
    guard.observe(phone(*[button] if button else []))
    verdict = guard.propose(Action(name, args))
    assert verdict.level == "block"
    assert "shop.Pay" in [action.name for action in verdict.actions]


def test_a_finger_that_rests_is_a_long_press(tmp_path: Path) -> None:
    app = APP.replace('Pay when tap(id = "pay")', 'Pay when long_press(id = "pay")')
    guard = session(program(tmp_path, app, STRICT))
    guard.observe(phone())
    rests = {"x": 300, "y": 200, "x2": 300, "y2": 200, "duration": dt.timedelta(seconds=2)}
    assert guard.propose(Action("swipe", rests)).level == "block"


def test_a_real_swipe_is_no_tap(tmp_path: Path) -> None:
    guard = session(program(tmp_path, APP, STRICT))
    guard.observe(phone())
    assert guard.propose(Action("swipe", {"id": "pay", "direction": "left"})).allowed


@pytest.mark.parametrize("key", ["ENTER", "enter", "KEYCODE_ENTER", "66", "066", "KEYCODE_66"])
def test_a_key_is_the_same_by_every_name(tmp_path: Path, key: str) -> None:
    guard = session(program(tmp_path, APP, STRICT))
    guard.observe(phone())
    verdict = guard.propose(Action("press_key", {"key": key}))
    assert "shop.Send" in [action.name for action in verdict.actions]
    assert verdict.level == "block"


@pytest.mark.parametrize(
    ("name", "args"), [("back", {}), ("press_key", {"key": "BACK"}), ("press_key", {"key": "4"})], ids=str
)
def test_the_key_for_back_is_back(tmp_path: Path, name: str, args: dict[str, Value]) -> None:
    guard = session(program(tmp_path, APP, STRICT))
    guard.observe(phone())
    assert guard.propose(Action(name, args)).because("unlicensed")


def test_a_policy_on_the_key_holds_for_the_gesture(tmp_path: Path) -> None:
    policy = 'policy p "p"\ndeny "no way back" when press_key(key = "BACK").\n'
    app = APP.replace("recognize Leave when back.\n", "")
    guard = session(program(tmp_path, app, STRICT, policy))
    guard.observe(phone())
    assert guard.propose(Action("back")).because("deny")


def test_changes_of_another_reading_are_not_believed(tmp_path: Path) -> None:
    app = (
        APP
        + """state Form "What is filled in" { checked: Bool }
update Form(checked = true) when tap(id = "check").
update Form(checked = false) when tap(id = "field").
"""
    )
    spec = SPEC.replace("allow Pay.", "allow Pay when Form(checked = true).")
    guard = session(program(tmp_path, app, spec))
    home = shown("pay", "check", "field")
    guard.observe(home)
    for gesture in (Action("tap", {"id": "check"}), Action("long_press", {"id": "field"})):
        verdict = guard.propose(gesture)
        if verdict.level == "warn":  # off track it is, but the agent insists
            verdict = guard.propose(gesture)
        guard.commit(verdict)
        guard.observe(home)
    assert guard.rows("shop.Form") == [{}]
    assert guard.propose(Action("tap", {"id": "pay"})).level == "block"


# ---- what is proposed


def test_what_was_judged_cannot_be_changed_afterwards(tmp_path: Path) -> None:
    given: dict[str, Value] = {"id": "field"}
    action = Action("tap", given)
    guard = session(program(tmp_path, APP, SPEC))
    guard.observe(HOME)
    verdict = guard.propose(action)
    given["id"] = "pay"
    assert verdict.proposal.gesture == Action("tap", {"id": "field"})
    assert action.args == {"id": "field"}
    with pytest.raises(TypeError):
        action.args["id"] = "pay"  # type: ignore[index]


@pytest.mark.parametrize(
    "value",
    [True, 1.0, "1", Decimal("NaN"), Decimal("Infinity"), 10**5000, [1], dt.timedelta(1), object()],
    ids=lambda value: type(value).__name__,
)
def test_values_of_another_type_are_refused(tmp_path: Path, value: Any) -> None:
    guard = session(program(tmp_path, APP, SPEC))
    guard.observe(HOME)
    assert guard.propose(Action("Buy", {"name": "x", "n": value})).level == "block"
    assert guard.propose(Action("Buy", {"name": "x", "n": 1})).allowed


def test_a_claim_takes_no_duty_away(tmp_path: Path) -> None:
    policy = 'policy p "p"\nimport shop\ndeny "no payment" when tap(id = "field"), not Pay.\n'
    guard = session(program(tmp_path, APP, SPEC, policy))
    guard.observe(HOME)
    tap = Action("tap", {"id": "field"})
    assert guard.propose(tap).because("deny")
    assert guard.propose(tap, [Action("Pay")]).because("deny")


@pytest.mark.parametrize("looked", [False, True])
def test_without_a_screen_nothing_is_done(tmp_path: Path, looked: bool) -> None:
    app = APP + 'screen Nothing "Nothing to pay" when not Node(id = "pay"), not Node(id = "spinner").\n'
    spec = SPEC.replace("done when Pay earlier", "done when screen Nothing")
    guard = session(program(tmp_path, app, spec))
    if looked:
        guard.observe(HOME)
        guard.observe(None)
    for name in ("finish", "Pay"):
        assert guard.propose(Action(name)).because("no_screen")
    assert guard.propose(Action("give_up", {"reason": "blind"})).allowed


def test_an_interrupted_observation_ends_the_session(tmp_path: Path) -> None:
    guard = session(program(tmp_path, APP, SPEC))
    guard.observe(HOME)
    guard.commit(guard.propose(Action("tap", {"id": "pay"})))

    class Cut(FactScreen):
        def rows(self, relation: str) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guard.observe(Cut(HOME.facts))
    assert guard.propose(Action("tap", {"id": "pay"})).level == "block"
    with pytest.raises(GuardFailed):
        guard.observe(HOME)


def test_only_true_is_a_yes(tmp_path: Path) -> None:
    policy = 'policy p "p"\nimport shop\nconfirm "really?" when Pay.\n'
    guard = session(program(tmp_path, APP, SPEC, policy))
    guard.observe(HOME)

    async def answer() -> bool:
        return False

    promise = answer()
    for said in ("no", 1, promise):
        verdict = guard.propose(Action("tap", {"id": "pay"}))
        assert verdict.level == "confirm"
        with pytest.raises(NotAllowed):
            guard.commit(verdict, approved=said)  # type: ignore[arg-type]
    asyncio.run(promise)  # it was never awaited
    guard.commit(guard.propose(Action("tap", {"id": "pay"})), approved=True)


@pytest.mark.parametrize(
    ("rule", "believed"), [('tap(id = "check")', False), ('tap(id = "check", package = "com.other")', True)]
)
def test_a_touch_in_another_app_writes_nothing_here(tmp_path: Path, rule: str, believed: bool) -> None:
    """An overlay with a control of the same name cannot fill in the app's form."""
    app = (
        APP
        + f'state Form "What is filled in" {{ checked: Bool }}\nupdate Form(checked = true) when {rule}.\n'
    )
    guard = session(program(tmp_path, app, SPEC))
    overlay = {"node": 9, "id": "check", "package": "com.other", "clickable": True}
    screen = shown("pay", "field").seen(VOCABULARY["Node"], overlay)
    guard.observe(screen)
    verdict = guard.propose(Action("tap", {"id": "check"}))
    assert [reason.kind for reason in verdict.reasons] == ["unknown_screen"]  # nobody described the other app
    guard.commit(verdict, approved=True)
    guard.observe(screen)
    assert bool(guard.rows("shop.Form")) is believed


def test_repeating_passes_only_what_was_warned_of(tmp_path: Path) -> None:
    policy = """policy p "p"
warn "think" when tap(id = "field").
warn "it is late" when tap(id = "field"), Clock(now >= 12:00:02).
"""
    now = [NOON]
    guard = Guard(program(tmp_path, APP, SPEC, policy), clock=lambda: now[0])
    guard.observe(HOME)
    tap = Action("tap", {"id": "field"})
    assert [reason.message for reason in guard.propose(tap).reasons] == ["think"]
    now[0] += dt.timedelta(seconds=3)
    assert guard.propose(tap).level == "warn"
    assert guard.propose(tap).overridden


@pytest.mark.parametrize("junk", [5, "tap", [], {}], ids=repr)
def test_what_is_no_proposal_is_blocked(tmp_path: Path, junk: Any) -> None:
    guard = session(program(tmp_path, APP, SPEC))
    guard.observe(HOME)
    assert guard.propose(junk).level == "block"
    assert guard.propose(Action("tap", {"id": "pay"}), junk or 5).level == "block"


def test_a_policy_describing_an_app_makes_no_screen_known(tmp_path: Path) -> None:
    """Adding a policy never lowers a verdict: on screens the task says nothing of, gestures are asked."""
    (tmp_path / "bank.vsa").write_text(
        'app bank package "com.bank" "x"\nscreen Home when Node(id = "home").\n'
    )
    app = 'app shop package "com.other" "x"\nscreen Shop when Node(id = "shop").\n'
    spec = 'spec s "x"\nimport shop\nallow answer(text = "a").\ndone when answer earlier.\n'
    policy = 'policy p "x"\nimport bank\nwarn "sure?" when back, screen Home.\n'
    (tmp_path / "bank.vsa").write_text(
        'app bank package "com.shop" "x"\nscreen Home when Node(id = "home").\n'
    )
    levels = []
    for policies in ((), (policy,)):
        guard = session(program(tmp_path, app, spec, *policies))
        guard.observe(shown("home"))
        levels.append(guard.propose(Action("tap", {"id": "home"})).level)
    assert levels == ["confirm", "confirm"]


def test_a_screen_that_is_still_changing_refutes_no_contract(tmp_path: Path) -> None:
    """While the app still loads, that another screen shows is not evidence: the commit stays."""
    app = (
        'app shop package "com.shop" "x"\nscreen Bill when Node(id = "pay").\nscreen Load when Node(id = "wait").\n'
        'screen Receipt when Node(id = "ok").\naction Pay\nrecognize Pay when tap(id = "pay").\n'
        "expect screen Receipt when Pay.\n"
    )
    spec = 'spec s "x"\nimport shop\nallow Pay.\ndone when Pay earlier.\n'
    dump = (
        '<hierarchy rotation="0"><node text="" class="a.View" package="com.shop" resource-id="com.shop:id/wait" '
        'clickable="false" enabled="true" scrollable="false" bounds="[0,0][100,100]" /></hierarchy>'
    )
    for settled, outcome in ((False, "inconclusive"), (True, "violated")):
        guard = session(program(tmp_path, app, spec))
        guard.observe(shown("pay"))
        guard.commit(guard.propose(Action("tap", {"id": "pay"})))
        after = TreeScreen(load_dump(dump), app=("com.shop", ".Main"), settled=settled)
        assert [c.outcome for c in guard.observe(after).contracts] == [outcome]
