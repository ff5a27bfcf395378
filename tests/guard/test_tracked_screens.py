"""A guard that is shown what differs judges as one that is shown whole screens: same beliefs, same verdicts."""

import datetime as dt
import random
from xml.sax.saxutils import quoteattr

import pytest

from tests.oracle import engine_of
from tests.thorough import times
from vsalang.guard import Guard
from vsalang.guard.world.observed_rows import ObservedRows
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_dump

APP = """app shop package "com.shop" "A shop"
import std.tree
import std.lists

screen Menu "The menu" when Node(id = "title", text = "Menu").
screen Cart "The cart" when Node(id = "title", text = "Cart").

list Dish key (name) "A dish of the menu" {
  name: Text "what it is called"
  price: Number "what it costs"
  chosen: Bool "whether it is ticked"
}

update Dish(row = ?r, name = ?n, price = number(?p), chosen = ?c)
  when Node(node = ?r, id = "row"), Part(of = ?r, id = "name", text = ?n),
       Part(of = ?r, id = "price", text = ?p), Part(of = ?r, id = "tick", checked = ?c).

action Order(name: Text "of the dish") "Order a dish"
recognize Order(name = ?n)
  when tap(node = ?b, id = "order"), Inside(node = ?b, of = ?r), Node(node = ?r, id = "row"),
       Part(of = ?r, id = "name", text = ?n).
"""
SPEC = """spec shop_r "Order a pizza that costs at most 12."
import shop

allow Order(name = "Pizza") when Dish(name = "Pizza", price <= 12).
done when Order(name = "Pizza") earlier.
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Program:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.vsa").write_text(APP)
    loaded = load_text(SPEC, path=folder / "shop_r.vsa")
    assert loaded.program is not None, [str(d.message) for d in loaded.diagnostics]
    return loaded.program


def node(bounds: tuple[int, int, int, int], *kids: str, **attrs: str) -> str:
    left, top, right, bottom = bounds
    values = {
        "class": "android.view.View",
        "package": "com.shop",
        "bounds": f"[{left},{top}][{right},{bottom}]",
    }
    values |= {"enabled": "true"} | dict.fromkeys(
        ("clickable", "long-clickable", "checkable", "scrollable"), "false"
    )
    values |= {name.replace("_", "-"): value for name, value in attrs.items()}
    if name := attrs.get("resource_id"):
        values["resource-id"] = f"com.shop:id/{name}"
    return f"<node {' '.join(f'{k}={quoteattr(v)}' for k, v in values.items())}>{''.join(kids)}</node>"


def dish(top: int, name: str, price: int, chosen: bool) -> str:
    return node(
        (0, top, 100, top + 20),
        node((0, top, 40, top + 9), text=name, resource_id="name"),
        node((0, top + 9, 40, top + 20), text=str(price), resource_id="price"),
        node((40, top, 60, top + 20), checkable="true", checked=str(chosen).lower(), resource_id="tick"),
        node((60, top, 100, top + 20), text="Order", clickable="true", resource_id="order"),
        resource_id="row",
    )


def menu(title: str, dishes: list[tuple[str, int, bool]], begin: int) -> str:
    rows = [dish(20 + 20 * n, *each) for n, each in enumerate(dishes)]
    kids = [node((0, 0, 100, 20), text=title, resource_id="title")]
    kids.append(node((0, begin, 100, 200), *rows, scrollable="true", resource_id="list"))
    return f"<hierarchy>{node((0, 0, 100, 200), *kids)}</hierarchy>"


def screen(tree: Tree) -> TreeScreen:
    return TreeScreen(tree, app=("com.shop", ".Main"), settled=True)


def judged(guard: Guard, x: int, y: int) -> tuple[object, ...]:
    verdict = guard.propose(Action("tap", {"x": x, "y": y}))
    return verdict.level, tuple((reason.kind, reason.level, reason.rule) for reason in verdict.reasons)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "seed"),
    [("incremental", seed) for seed in range(6)] + [("reference", seed) for seed in range(times(2, 6))],
)
def test_diffs_and_whole_screens_are_judged_alike(program: Program, engine: str, seed: int) -> None:
    rng = random.Random(seed)
    dishes = [
        (name, rng.randrange(8, 16), rng.random() < 0.5) for name in ("Soup", "Pizza", "Cake", "Pie", "Tea")
    ]
    now = dt.datetime(2026, 4, 1, 12)
    tracking = Guard(program, clock=lambda: now, today=now.date(), engine=engine_of(engine))
    whole = Guard(program, clock=lambda: now, today=now.date(), engine=engine_of(engine))
    last: Tree | None = None
    first, levels = 0, set()
    for _ in range(14):
        change = rng.choice(["tick", "price", "scroll", "swap", "title", "nothing"])
        at = rng.randrange(len(dishes))
        name, price, chosen = dishes[at]
        if change == "tick":
            dishes[at] = (name, price, not chosen)
        elif change == "price":
            dishes[at] = (name, rng.randrange(8, 16), chosen)
        elif change == "scroll":
            first = rng.randrange(0, 3)
        elif change == "swap":
            rng.shuffle(dishes)
        text = menu("Cart" if change == "title" else "Menu", dishes[first : first + 3], 20)
        last = load_dump(text, after=last)
        tracking.observe(screen(last))
        whole.observe(screen(load_dump(text)))
        assert tracking.screens == whole.screens
        assert tracking.rows("shop.Dish") == whole.rows("shop.Dish")
        for y in (5, 30, 50, 70, 90):
            for x in (10, 50, 80):
                one, other = judged(tracking, x, y), judged(whole, x, y)
                assert one == other
                levels.add(one[0])
    assert len(levels) > 1


def test_a_row_is_made_once(program: Program) -> None:
    observed = ObservedRows(program.relation("Node"))
    dishes = [("Soup", 9, True), ("Pizza", 9, True)]
    before = load_dump(menu("Menu", dishes, 20))
    one = observed.of(screen(before))
    after = load_dump(menu("Menu", [dishes[0], ("Pizza", 10, True)], 20), after=before)
    other = observed.of(screen(after))
    made = {id(row) for row in one}
    assert sum(id(row) not in made for row in other) == len(other - one) <= 4
    assert other == ObservedRows(program.relation("Node")).of(screen(after))
