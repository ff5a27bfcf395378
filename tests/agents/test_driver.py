"""A guarded driver: what acts is judged first; what is not known, it does not have."""

import asyncio
import contextlib
import inspect
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.agents.driver import CALLS, Driver, GuardedDriver, act_async, guarded
from vsalang.guard import ActionBlocked, Guard, Settings
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.phone.gate import ActionRefused, Gate
from vsalang.phone.vocabulary import VocabularyError
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.vocabulary import VOCABULARY

APP = """app shop package "com.shop" "A shop"
screen Home "The bill" when Node(id = "title").
action Pay() "Pay the bill"
recognize Pay() when tap(id = "pay").
"""
PAY, HELP = (50, 225), (50, 325)


def shown() -> FactScreen:
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
    for number, name in enumerate(("title", "pay", "help"), 1):
        box = {"left": 0, "top": number * 100, "right": 100, "bottom": number * 100 + 50}
        about = {
            "id": name,
            "package": "com.shop",
            "clickable": True,
            "enabled": True,
            "focused": name == "help",
        }
        screen = screen.seen(VOCABULARY["Node"], {"node": number, **about, **box})
    return screen


SCREEN = shown()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.vsa").write_text(APP)
    loaded = load_text('spec s "Look"\nimport shop\ndone when screen Home.\n', path=folder / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


@pytest.fixture
def gate(program: Program) -> Gate:
    return Gate(Guard(program), lambda: SCREEN)


class Hand:
    """A driver that keeps what it was told."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []

    def tap(self, x: int, y: int) -> str:
        self.done.append(("tap", x, y))
        return "tapped"

    def double_tap(self, x: int, y: int) -> None:
        self.done.append(("double_tap", x, y))

    def long_press(self, x: int, y: int, seconds: float = 1.0) -> None:
        self.done.append(("long_press", x, y, seconds))

    def swipe(self, x: int, y: int, x2: int, y2: int, seconds: float = 0.3) -> None:
        self.done.append(("swipe", x, y, x2, y2, seconds))

    def input_text(self, text: str) -> None:
        self.done.append(("input_text", text))

    def press_key(self, key: str) -> None:
        self.done.append(("press_key", key))

    def back(self) -> None:
        self.done.append(("back",))

    def home(self) -> None:
        self.done.append(("home",))

    def open_app(self, package: str) -> None:
        self.done.append(("open_app", package))

    def wait(self, seconds: float = 1.0) -> None:
        self.done.append(("wait", seconds))

    def shell(self, command: str) -> None:
        self.done.append(("shell", command))

    def screenshot(self) -> bytes:
        return b"png"

    def install(self, path: str) -> None:
        self.done.append(("install", path))


def test_what_may_be_done_is_done(gate: Gate) -> None:
    hand = Hand()
    driver: Driver = guarded(hand, gate)
    assert driver.tap(*HELP) == "tapped"
    driver.back()
    driver.wait(2.0)
    driver.input_text("")  # nothing is typed: nothing is judged
    assert hand.done == [("tap", *HELP), ("back",), ("wait", 2.0), ("input_text", "")]
    assert gate.last is not None and gate.last.number == 3


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("tap", PAY),
        ("tap", ("50", "225")),
        ("long_press", (*PAY, 0.1)),
        ("swipe", (*PAY, 52, 226, 0.1)),
        ("swipe", (*PAY, *PAY)),
        ("shell", ("input tap 50 225",)),
    ],
)
def test_what_pays_is_blocked_however_it_is_said(gate: Gate, name: str, args: tuple[Any, ...]) -> None:
    hand = Hand()
    driver = GuardedDriver(hand, gate)
    with pytest.raises(ActionBlocked) as blocked:
        getattr(driver, name)(*args)
    assert hand.done == []
    assert blocked.value.feedback == gate.feedback != ""


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("tap", (1,)), ("tap", (1, 2, 3)), ("tap", ("a", 2)), ("tap", (True, 2)), ("tap", (float("nan"), 2)),
        ("tap", (-1, 2)), ("tap", (50.0, 174.9999)), ("double_tap", ("50.5", 300)), ("long_press", (50, 174.9999)),
        ("swipe", (50, 300, 50.5, 300)),
        ("press_key", ("WARP",)), ("open_app", ("the shop",)), ("input_text", (b"x",)), ("input_text", ("\0",)),
        ("swipe", (1, 2, 3, 4, 1e9)), ("wait", (-1,)), ("shell", ("echo \u200b",)), ("shell", ("",)),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(gate: Gate, name: str, args: tuple[Any, ...]) -> None:
    hand = Hand()
    with pytest.raises(ActionRefused, match=f"{name} is not understood"):
        getattr(GuardedDriver(hand, gate), name)(*args)
    assert hand.done == []
    assert gate.last is not None and gate.last.outcome == "refused"


ANYTHING = st.one_of(
    st.integers(-5, 800), st.floats(), st.booleans(), st.none(), st.binary(max_size=3), st.decimals(),
    st.text(max_size=8), st.sampled_from(["ENTER", "66", "com.shop", "input tap 50 225", "225", "1e3"]),
)  # fmt: skip


@given(name=st.sampled_from(sorted(CALLS)), args=st.lists(ANYTHING, max_size=5))
def test_nothing_is_made_that_was_not_let_through(name: str, args: list[Any], program: Program) -> None:
    hand, events = Hand(), []
    driver = GuardedDriver(hand, Gate(Guard(program), lambda: SCREEN, listener=events.append))
    with contextlib.suppress(ActionBlocked, ActionRefused):
        getattr(driver, name)(*args)
    said = CALLS[name](*args) if hand.done else ()
    assert [tuple(event.actions) for event in events if event.outcome == "passed"] == [tuple(said)] * bool(
        said
    )
    assert len(hand.done) <= 1


def test_what_it_does_not_know_it_does_not_have(gate: Gate) -> None:
    driver = GuardedDriver(Hand(), gate)
    assert driver.screenshot() == b"png"
    assert (
        not hasattr(driver, "install") and not hasattr(driver, "done") and not hasattr(driver, "__dict_x__")
    )
    with pytest.raises(AttributeError, match="a guarded driver has no 'install': what it does is not known"):
        driver.install("x.apk")


def test_a_guarded_call_never_leads_to_the_bare_one(gate: Gate) -> None:
    """Registries of tools and tracers unwrap what they are given."""

    class Later(Hand):
        async def home(self) -> None:
            """Go home."""
            self.done.append(("home",))

    hand = Later()
    driver: Any = GuardedDriver(hand, gate)
    assert driver.tap.__name__ == "tap" and str(inspect.signature(driver.tap)) == "(x: int, y: int) -> str"
    assert inspect.iscoroutinefunction(driver.home) and driver.home.__doc__ == "Go home."
    assert not inspect.iscoroutinefunction(driver.tap)
    assert driver.screenshot() == b"png"
    for call in (driver.tap, driver.home, driver.screenshot):
        assert inspect.unwrap(call) is call
        for name in ("__self__", "__func__", "__wrapped__", "func", "args"):
            assert not hasattr(call, name), name
    with pytest.raises(ActionBlocked):
        inspect.unwrap(driver.tap)(*PAY)
    assert hand.done == []


def test_other_names_are_told_by_a_table(gate: Gate) -> None:
    class Other:
        def __init__(self) -> None:
            self.done: list[Any] = []

        def click_text(self, text: str) -> None:
            self.done.append(text)

    other = Other()
    calls = {**CALLS, "click_text": lambda text: [Action("tap", {"id": text})]}
    driver = GuardedDriver(other, gate, calls=calls, reads=("done",))
    driver.click_text("help")
    with pytest.raises(ActionBlocked):
        driver.click_text("pay")
    assert driver.done == ["help"]
    assert not hasattr(driver, "tap")  # the table knows it, the driver does not


def test_what_a_phone_does_not_see_is_judged(gate: Gate, program: Program) -> None:
    class Other:
        def __init__(self) -> None:
            self.done: list[str] = []

        def say(self, text: str) -> str:
            self.done.append(text)
            return "said"

        async def stop(self) -> str:
            self.done.append("stop")
            return "stopped"

        def tap_and_stop(self) -> None:
            raise AssertionError("not reached")

    calls: dict[str, Any] = {
        "say": lambda text: [Action("answer", {"text": text})],
        "stop": lambda: [Action("finish")],
        "tap_and_stop": lambda: [Action("tap", {"id": "help"}), Action("finish")],
    }
    other = Other()
    driver = GuardedDriver(other, gate, calls=calls)
    with pytest.raises(ActionBlocked):
        driver.say("seven")  # the task allows no answer
    with pytest.raises(ActionRefused, match="it ends or answers, and does something else too"):
        driver.tap_and_stop()
    assert asyncio.run(driver.stop()) == "stopped"
    assert other.done == ["stop"] and gate.finished
    with pytest.raises(ActionBlocked):
        asyncio.run(driver.stop())
    free = GuardedDriver(
        other, Gate(Guard(program, settings=Settings(mode="shadow")), lambda: SCREEN), calls=calls
    )
    assert free.say("seven") == "said" and other.done == ["stop", "seven"]


@pytest.mark.parametrize("error", [VocabularyError("no"), ZeroDivisionError("no"), AttributeError("no")])
def test_a_table_that_fails_refuses(gate: Gate, error: Exception) -> None:
    def fails(x: int, y: int) -> Any:
        raise error

    hand = Hand()
    with pytest.raises(ActionRefused, match="tap is not understood: no"):
        GuardedDriver(hand, gate, calls={"tap": fails}).tap(1, 2)
    assert hand.done == []


def test_a_blocked_call_may_return_the_feedback(gate: Gate) -> None:
    driver = GuardedDriver(Hand(), gate, on_block=lambda blocked: blocked.feedback)
    assert driver.tap(*PAY).startswith("Blocked: tap(x = 50, y = 225)")
    assert driver.tap("a", 1).startswith("refused: tap is not understood")


def test_a_call_that_defers_its_work_is_an_error(gate: Gate) -> None:
    class Later:
        def tap(self, x: int, y: int) -> Any:
            return iter([]) if x < 0 else self._tap()

        async def _tap(self) -> None:
            raise AssertionError("not reached")

    with pytest.raises(TypeError, match="put its work off"):
        GuardedDriver(Later(), gate).tap(*HELP)
    assert gate.last is not None and gate.last.outcome == "failed" and gate.last.delivered is None


class AsyncHand:
    """A driver whose calls are coroutines; they must run in the loop of who calls."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    async def tap(self, x: int, y: int) -> str:
        self.done.append((threading.get_ident(), x, y))
        await asyncio.sleep(0)
        return "tapped"

    async def input_text(self, text: str) -> str:
        return "typed"

    async def back(self) -> None:
        raise OSError("the cable")


def test_coroutines(gate: Gate) -> None:
    hand = AsyncHand()
    driver = GuardedDriver(hand, gate)

    async def main() -> None:
        assert await driver.tap(*HELP) == "tapped"
        assert await driver.input_text("") == "typed"
        with pytest.raises(ActionBlocked):
            await driver.tap(*PAY)
        with pytest.raises(ActionRefused):
            await driver.tap("here", 0)
        with pytest.raises(OSError, match="the cable"):
            await driver.back()
        silent = GuardedDriver(hand, gate, on_block=lambda blocked: "no")
        assert await silent.tap(*PAY) == "no"

    asyncio.run(main())
    assert hand.done == [(threading.get_ident(), *HELP)]
    assert gate.last is not None and gate.last.outcome == "blocked"


def test_calls_at_once_take_turns(gate: Gate) -> None:
    under_way: list[int] = []

    async def slow() -> None:
        under_way.append(1)
        assert len(under_way) == 1
        await asyncio.sleep(0.01)
        under_way.pop()

    async def main() -> None:
        taps = (act_async(gate, [Action("tap", {"id": "help"})], slow) for _ in range(5))
        await asyncio.gather(*taps)

    asyncio.run(main())
    assert gate.last is not None and (gate.last.number, gate.last.outcome) == (5, "passed")


def test_a_cancelled_call_leaves_no_thread_and_no_certainty(gate: Gate) -> None:
    async def main() -> None:
        begun = asyncio.Event()

        async def never() -> None:
            begun.set()
            await asyncio.Event().wait()

        call = asyncio.ensure_future(act_async(gate, [Action("tap", {"id": "help"})], never))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())  # it waits for its threads: this test would hang
    assert gate.last is not None and gate.last.outcome == "failed" and gate.last.delivered is None
