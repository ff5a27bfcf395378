"""Missing branches: found where a spec leaves one open, not reported where it does not."""

from pathlib import Path

import pytest

from tests.oracle import ReferenceEvaluator as REFERENCE
from tests.proof.solver.smt_programs import program
from vsalang.language.semantics import load
from vsalang.program import ops
from vsalang.program.ir import Program
from vsalang.proof.solver import Disagreement, Missing, OpenPoint
from vsalang.proof.solver.branches import missing_branches
from vsalang.proof.worlds import interpreter

ROOT = Path(__file__).resolve().parents[3]
RESERVE = ROOT / "app_specs" / "examples" / "reserve_r.vsa"

SHOP = """app shop package "com.shop" "A shop"
enum Answer {Accepted, Refused, Late}
screen Menu when Node(id = "menu").
screen Receipt when Node(id = "receipt").
action Order(item: Text, price: Number) "Order an item"
action Tip(amount: Number) "Give a tip"
goto Receipt when Order.
state Item key (name) "What is offered" { name: Text  price: Number }
update Item(name = ?n, price = 1) when Node(id = "row", text = ?n).
complete Item when Node(id = "all").
view Composer on Menu "What is typed" { text: Text }
update Composer(text = ?v) when input_text(value = ?v).
view Page on Menu "The page" { name: Text  total: Number }
update Page(name = ?t, total = number(?t)) when Node(id = "page", text = ?t).
view OrderResult on Receipt "What came of it" { answer: Answer  message: Text }
update OrderResult(answer = Accepted, message = ?m) when Node(id = "m", text = ?m).
state Ordered key (item) "What was ordered" { item: Text }
update Ordered(item = ?i) when Order(item = ?i).
"""


def shop(text: str, folder: Path) -> Program:
    (folder / "shop.vsa").write_text(SHOP, encoding="utf-8")
    return program(f'spec s "s"\nimport shop\n{text}\n', folder)


def missing(made: Program) -> list[Missing]:
    found = list(missing_branches(made, interpreter(made)))
    assert not [item for item in found if isinstance(item, OpenPoint)], found
    return [item for item in found if isinstance(item, Missing)]


def test_the_running_example() -> None:
    made = load(RESERVE).program
    assert made is not None
    (found,) = missing(made)
    assert found.done == ("apps.opentable.Reserve",)
    ((success, _),) = found.world.rows["apps.opentable.ReserveResult"]
    assert success is False
    reasons = {item.rule: item.reason for item in found.blocked}
    assert reasons["reserve_r:1"] == "its licence is used up"
    assert reasons["reserve_r:2"] == "`success` is false"
    assert interpreter(made, REFERENCE)(found.world, tuple(reasons)) == frozenset()


def test_the_running_example_with_the_branch(tmp_path: Path) -> None:
    (tmp_path / "opentable.vsa").write_text(
        (ROOT / "app_specs" / "apps" / "opentable.vsa").read_text(encoding="utf-8")
    )
    text = RESERVE.read_text(encoding="utf-8").partition("test ")[0]
    for name, more in (
        ("open", ""),
        ("closed", "done when Reserve earlier, ReserveResult(success = false).\n"),
    ):
        path = tmp_path / f"{name}.vsa"
        path.write_text(text + more, encoding="utf-8")
        made = load(path).program
        assert made is not None
        assert bool(missing(made)) is (name == "open")


OPEN = {
    "nothing on offer": (
        'allow Order(item = "soup") when Item(name = "soup", price <= 10).\ndone when Order earlier.',
        (),
    ),
    "an answer of three": (
        'allow Order(item = "soup").\ndone when Order earlier, OrderResult(answer = Accepted).\n'
        "done when Order earlier, OrderResult(answer = Late).",
        ("shop.Order",),
    ),
    "a message": (
        'allow Order(item = "soup").\ndone when Order earlier, OrderResult(message = "Thank you").',
        ("shop.Order",),
    ),
    "the price": (
        "allow Order(item = ?i) when Item(name = ?i, price < 5), Page(total < 20).\ndone when Order earlier.",
        (),
    ),
    "a second action waits": (
        "allow Order.\nallow Tip when Order earlier, OrderResult(answer = Accepted).\ndone when Tip earlier.",
        ("shop.Order",),
    ),
}  # fmt: skip

CLOSED = {
    "as it was before": 'allow Order when before Item(name = "soup").\ndone when no Item(name = "soup").\n'
    "done when Order earlier.",
    "always": "allow Order.\ndone when Order earlier.",
    "otherwise done": 'allow Order(item = "soup") when Item(name = "soup", price <= 10).\ndone when Order earlier.\n'
    'done when no Item(name = "soup", price <= 10).',
    "all answers": "allow Order.\ndone when Order earlier, OrderResult(answer in {Accepted, Refused, Late}).",
    "what the agent types": 'allow Order when Composer(text = "hello").\ndone when Order earlier.',
    "where the agent goes": 'allow Order when Page(name = "Soups").\ndone when Order earlier.',
    "what an action brings about": 'allow Order(item = "soup").\ndone when Ordered(item = "soup").',
    "the agent waits": "allow Order.\ndone when not Order within 1h.",
    "two of one": "allow 2 Order.\ndone when count(Order earlier) = 2.",
    "all of them": "allow Order.\nallow Tip.\ndone when all Order, all Tip.",
    "any number": "allow each Order(item = ?i) when Item(name = ?i, price < 5).\ndone when no Item(price < 5).",
    "the cheapest": "allow Order(item = ?i) when Item(name = ?i, price = ?p), min(price of Item) = ?p.\n"
    "done when Order earlier.\ndone when no Item.",
}


@pytest.mark.parametrize("name", OPEN)
def test_open_branches(name: str, tmp_path: Path) -> None:
    text, done = OPEN[name]
    made = shop(text, tmp_path)
    found = missing(made)
    assert [item.done for item in found] == [done]
    reference = interpreter(made, REFERENCE)
    for item in found:
        assert (
            reference(item.world, tuple(b.rule for b in item.blocked if "licence" not in b.reason))
            == frozenset()
        )


@pytest.mark.parametrize("name", CLOSED)
def test_closed_branches(name: str, tmp_path: Path) -> None:
    assert missing(shop(CLOSED[name], tmp_path)) == []


def test_a_state_that_the_interpreter_denies_is_never_shown(tmp_path: Path) -> None:
    made = shop(OPEN["a message"][0], tmp_path)
    with pytest.raises(Disagreement) as caught:
        list(missing_branches(made, lambda world, rules: frozenset(rules)))
    assert caught.value.world.rows
    assert caught.value.rules == ("s:2",)


def test_the_past_as_the_agent_wants_it(tmp_path: Path) -> None:
    """What only the environment could have shown was never so; what the agent can look at, it has looked at."""
    never = shop("allow Order.\ndone when Item(price < 3) earlier.", tmp_path)
    (found,) = missing(never)
    assert found.world.rows["shop.Item"] == frozenset()
    assert [item.reason for item in found.blocked] == ["its licence is used up", "it was never so"]
    assert missing(shop('allow Order.\ndone when Composer(text = "x") earlier.', tmp_path)) == []
    assert missing(shop('allow Order.\ndone when Order then Composer(text = "x").', tmp_path)) == []
    assert missing(shop("allow Tip.\nallow Order.\ndone when Tip then Order earlier.", tmp_path)) == []
    (late,) = missing(shop("allow Order.\ndone when Order then OrderResult(answer = Late).", tmp_path))
    assert late.done == ("shop.Order",)


def test_what_readers_read_is_as_the_language_says(tmp_path: Path) -> None:
    """A state that depends on what a text is read as names a text that is read so."""
    text = "allow Order.\ndone when OrderResult(message = ?m), number(?m) > 3."
    (found,) = missing(shop(text, tmp_path))
    assert not found.world.assumed
    ((_, message),) = found.world.rows["shop.OrderResult"]
    assert ops.call("number", (message,)) is None or message == "3"
    similar = missing(shop('allow Order.\ndone when OrderResult(message ~= "all is well").', tmp_path))
    assert similar and not similar[0].world.assumed


def test_of_recursion_nothing_is_said(tmp_path: Path) -> None:
    made = shop(
        "define Near(name = ?n) when Item(name = ?n, price = 1).\n"
        "define Near(name = ?n) when Near(name = ?m), Item(name = ?n, price = 2), Item(name = ?m).\n"
        "allow Order(item = ?i) when Near(name = ?i).\ndone when Order earlier.",
        tmp_path,
    )
    assert not [item for item in missing_branches(made, interpreter(made)) if isinstance(item, OpenPoint)]


def test_what_a_dead_rule_allows_was_never_done(tmp_path: Path) -> None:
    made = shop('allow Order(item = "a", item = "b").\ndone when OrderResult(answer = Late).', tmp_path)
    found = list(missing_branches(made, interpreter(made), dead={"s:1"}))
    assert [item.done for item in found if isinstance(item, Missing)] == [()]
