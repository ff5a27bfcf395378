"""A whole look through the guard, as a device takes one: a dump is read, observed, and a tap is judged on it.

    .venv/bin/python -m benchmarks.looks [--anew] [--rows 48] [--looks 100]

The screen is a list of dishes of five nodes each, of which one is ticked or unticked from look to look. The app reads
it through `Node`, `Part` and `Inside`, keeps a list of its rows, and has one action. With `--anew` each dump is read as
if there was none before.
"""

import argparse
import datetime as dt
import random
import statistics
import tempfile
import time
from pathlib import Path

from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_dump

APP = """app shop package "com.shop" "A shop"
import std.tree

screen Menu "The menu" when Node(id = "title", text = "Menu").

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
SPEC = """spec shop_r "Order the second dish if it costs at most 12."
import shop

allow Order(name = "Dish 1") when Dish(name = "Dish 1", price <= 12).
done when Order(name = "Dish 1") earlier.
"""
NOW = dt.datetime(2026, 4, 1, 12)


def program(app: str = APP) -> Program:
    """The app and its spec."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "shop.vsa").write_text(app, encoding="utf-8")
        loaded = load_text(SPEC, path=Path(folder) / "shop_r.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def node(
    bounds: tuple[int, int, int, int], kids: str = "", *, name: str = "", text: str = "", more: str = ""
) -> str:
    """One node with the attributes that dumps have."""
    return (
        f'<node index="0" text="{text}" resource-id="com.shop:id/{name}" class="android.view.View" package="com.shop" '
        f'content-desc="" enabled="true" focusable="true" focused="false" long-clickable="false" password="false" '
        f'selected="false" {more or PLAIN} bounds="[{bounds[0]},{bounds[1]}][{bounds[2]},{bounds[3]}]">{kids}</node>'
    )


PLAIN = 'clickable="false" checkable="false" checked="false" scrollable="false"'
CLICKS = PLAIN.replace('clickable="false"', 'clickable="true"', 1)
SCROLLS = PLAIN.replace('scrollable="false"', 'scrollable="true"')


def menu(ticked: list[bool]) -> str:
    """The dump of the list."""
    rows = []
    for number, tick in enumerate(ticked):
        top = 20 + 20 * number
        state = f'clickable="false" checkable="true" checked="{str(tick).lower()}" scrollable="false"'
        kids = (
            node((0, top, 40, top + 9), name="name", text=f"Dish {number}")
            + node((0, top + 9, 40, top + 20), name="price", text="10")
            + node((40, top, 60, top + 20), name="tick", more=state)
            + node((60, top, 100, top + 20), name="order", text="Order", more=CLICKS)
        )
        rows.append(node((0, top, 100, top + 20), kids, name="row"))
    end = 20 + 20 * len(ticked)
    title = node((0, 0, 100, 20), name="title", text="Menu")
    body = title + node((0, 20, 100, end), "".join(rows), name="list", more=SCROLLS)
    return f'<hierarchy rotation="0">{node((0, 0, 100, end), body)}</hierarchy>'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--anew", action="store_true", help="read each dump without the one before")
    parser.add_argument("--rows", type=int, default=48)
    parser.add_argument("--looks", type=int, default=100)
    options = parser.parse_args()
    guard = Guard(program(), clock=lambda: NOW, today=NOW.date())
    rng, ticked = random.Random(1), [False] * options.rows
    tree: Tree | None = None
    times: list[tuple[float, float, float]] = []
    for _ in range(options.looks + 10):
        at = rng.randrange(options.rows)
        ticked[at] = not ticked[at]
        text = menu(ticked)
        begin = time.perf_counter()
        tree = load_dump(text, after=None if options.anew else tree)
        read = time.perf_counter()
        guard.observe(TreeScreen(tree, app=("com.shop", ".Main"), settled=True))
        observed = time.perf_counter()
        verdict = guard.propose(Action("tap", {"x": 80, "y": 50}))
        times.append((read - begin, observed - read, time.perf_counter() - observed))
        if verdict.level != "allow":
            raise SystemExit(f"the tap must be allowed, but: {verdict.reasons}")
    assert tree is not None
    print(
        f"{len(tree.nodes)} nodes, one of them changes\n\n| stage | median ms | 95 % below |\n|---|---|---|"
    )
    for stage, found in zip(("read", "observed", "judged"), zip(*times[10:], strict=True), strict=True):
        most = sorted(found)[int(0.95 * len(found)) - 1]
        print(f"| {stage} | {statistics.median(found) * 1000:.2f} | {most * 1000:.2f} |")
    print(f"| **all** | {statistics.median([sum(each) for each in times[10:]]) * 1000:.2f} | |")


if __name__ == "__main__":
    main()
