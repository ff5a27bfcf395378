"""How often a whole, real screen raises an alarm only by what was not read: ``python -m benchmarks.seeing.alarms``.

Every recorded dump and every right step of DroidTask's walks is judged under all policies that come with vsalang. A
reason that names a change of meaning (`vsalang.program.meaning`) stands there for what was not known alone: on a screen
that was read whole there must be none. Dumps that leave out attributes, or whose boxes cannot be right, are counted
apart.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.seeing.judge import program
from benchmarks.seeing.pages import DATA
from vsalang.agents.walks import follow, read_walks
from vsalang.guard import Guard, Settings, Verdict
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, read_tree

TOUCHES: Final = 8
"""So many controls of a dump are touched at most."""


@dataclass(slots=True)
class Alarms:
    """What was counted.

    Attributes:
        steps: proposals that were judged on a screen of which nothing was left out.
        raised: of these, those with a reason that would not be there if all were known.
        left_out: proposals on screens that leave out attributes or have two readings.
        told: of these, those with such a reason.
        examples: some of what was raised on whole screens: the place, the message.
    """

    steps: int = 0
    raised: int = 0
    left_out: int = 0
    told: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)

    def see(self, place: str, verdict: Verdict, *, whole: bool) -> None:
        """Count a verdict."""
        reasons = [reason.message for reason in verdict.reasons if reason.change]
        if whole:
            self.steps += 1
            self.raised += bool(reasons)
            self.examples += [(place, message) for message in reasons[:1]]
        else:
            self.left_out += 1
            self.told += bool(reasons)


def of_dumps(files: Iterable[Path]) -> Alarms:
    """Touch the controls of dumps, each as the first thing that is done on its screen.

    A file that holds no tree that can be read is passed over, as the reader's own tests count these.
    """
    found = Alarms()
    for file in files:
        try:
            tree = read_tree(str(file))
        except DumpError:
            continue
        packages = Counter(node.package for node in tree.nodes if node.package)
        app = (packages.most_common(1)[0][0], None) if packages else None
        guard = Guard(program("packs"), settings=Settings(mode="shadow", task=False, unknown_screen="allow"))
        screen = TreeScreen(tree, app=app, settled=True)
        guard.observe(screen)
        whole = not screen.unread and screen.otherwise is None
        for x, y in _touches(tree):
            found.see(f"{file.name} at {x}, {y}", guard.propose(Action("tap", {"x": x, "y": y})), whole=whole)
    return found


def _touches(tree: Tree) -> Iterator[tuple[int, int]]:
    many = 0
    for node in tree.nodes:
        if node.clickable and many < TOUCHES:
            many += 1
            yield (node.left + node.right) // 2, (node.top + node.bottom) // 2


def of_walks(files: Sequence[Path]) -> Alarms:
    """Follow recorded walks that were right."""
    found = Alarms()
    for file in files:
        for walk in read_walks(file):
            for nth, turn in enumerate(follow(walk, program("packs"))):
                found.see(f"{file.name} {walk.task!r} {nth}", turn.verdict, whole=True)
    return found


def dumps() -> list[Path]:
    """The recorded dumps."""
    return sorted((DATA / "ui_dumps").glob("*.xml.gz"))


def walks() -> list[Path]:
    """The files of DroidTask's walks."""
    return sorted((DATA / "trajectories" / "droidtask").glob("*.jsonl.gz"))


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not dumps() or not walks():
        print(f"error: {DATA} is not there, or holds no dumps and walks", file=sys.stderr)
        return 2
    found = {"touches on recorded dumps": of_dumps(dumps()), "steps of recorded walks": of_walks(walks())}
    if options.json:
        rows = {
            name: {"steps": each.steps, "raised": each.raised, "left_out": each.left_out, "told": each.told}
            for name, each in found.items()
        }
        print(json.dumps(rows, indent=2))
    else:
        print("| judged | read whole | alarms by what was not read | not read whole | with such a reason |")
        print("|---|---|---|---|---|")
        for name, each in found.items():
            print(f"| {name} | {each.steps} | {each.raised} | {each.left_out} | {each.told} |")
        for place, message in [pair for each in found.values() for pair in each.examples][:20]:
            print(f"{place}: {message}")
    return 1 if any(each.raised for each in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
