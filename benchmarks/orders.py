"""The same rules, written in two orders: what an author puts first must not decide how long a look takes.

    .venv/bin/python -m benchmarks.orders [--rows 48] [--looks 60]

The screens are those of `benchmarks.looks`. One guard has the rules of the app with the condition that says most
first, the other has the same conditions the other way round. Both see every screen and judge every tap, in turn, so
that the ratio means something on a busy machine too. Times are of the processor.
"""

import argparse
import random
import statistics
import time

from benchmarks.looks import APP, NOW, menu, program
from vsalang.guard import Guard
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_dump

TURNED = APP.replace(
    """  when Node(node = ?r, id = "row"), Part(of = ?r, id = "name", text = ?n),
       Part(of = ?r, id = "price", text = ?p), Part(of = ?r, id = "tick", checked = ?c).
""",
    """  when Part(of = ?r, id = "tick", checked = ?c), Part(of = ?r, id = "price", text = ?p),
       Part(of = ?r, id = "name", text = ?n), Node(node = ?r, id = "row").
""",
).replace(
    """  when tap(node = ?b, id = "order"), Inside(node = ?b, of = ?r), Node(node = ?r, id = "row"),
       Part(of = ?r, id = "name", text = ?n).
""",
    """  when Part(of = ?r, id = "name", text = ?n), Inside(node = ?b, of = ?r), Node(node = ?r, id = "row"),
       tap(node = ?b, id = "order").
""",
)
"""The app of `benchmarks.looks` with the conditions of its rules the other way round."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=48)
    parser.add_argument("--looks", type=int, default=60)
    options = parser.parse_args()
    guards = {
        "best first": Guard(program(APP), clock=lambda: NOW, today=NOW.date()),
        "best last": Guard(program(TURNED), clock=lambda: NOW, today=NOW.date()),
    }
    rng, ticked = random.Random(1), [False] * options.rows
    trees: dict[str, Tree | None] = dict.fromkeys(guards)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in guards}
    for _ in range(options.looks + 10):
        at = rng.randrange(options.rows)
        ticked[at] = not ticked[at]
        text = menu(ticked)
        for name, guard in guards.items():
            tree = trees[name] = load_dump(
                text, after=trees[name]
            )  # the first question about a screen makes its relations
            screen = TreeScreen(tree, app=("com.shop", ".Main"), settled=True)
            begin = time.process_time()
            guard.observe(screen)
            observed = time.process_time()
            verdict = guard.propose(Action("tap", {"x": 80, "y": 50}))
            times[name].append((observed - begin, time.process_time() - observed))
            if verdict.level != "allow":
                raise SystemExit(f"the tap must be allowed, but: {verdict.reasons}")
    print("| conditions | observed ms | judged ms | first look ms |\n|---|---|---|---|")
    found = {}
    for name, each in times.items():
        observed, judged = (statistics.median(column) * 1000 for column in zip(*each[10:], strict=True))
        found[name] = observed + judged
        print(f"| {name} | {observed:.2f} | {judged:.2f} | {sum(each[0]) * 1000:.1f} |")
    print(f"\nratio of the two orders: {found['best last'] / found['best first']:.2f}")


if __name__ == "__main__":
    main()
