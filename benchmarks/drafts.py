"""How much of a hand-written app module does a draft of `vsac map propose` hold? Judged on modules that are shipped.

.venv/bin/python -m benchmarks.drafts [--steps N] [--app NAME] [-v]

A simulated phone is walked three times by `benchmarks.crawl`. A draft is learnt from two walks; the third one says what
it holds of the module. Counted is what means the same, whatever it is called:

    screens  the same looks bear it: by one screen of the draft, or by several that no other look bears
    gotos    of the steps of which the rule is true, the draft foretold all, some, or none
    cells    of views, states and lists: the draft reads the node from which `update` rules take it, on that screen
    lists    the draft has a list that reads one of its cells
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.crawl import crawl
from vsalang.agents.maps import Reader
from vsalang.agents.maps.draft import module
from vsalang.agents.maps.gestures import gesture_on
from vsalang.agents.maps.learning import learn
from vsalang.agents.maps.moves import Move
from vsalang.agents.maps.programs import graph_of
from vsalang.agents.maps.refuting import may_be
from vsalang.agents.maps.samples import Try, read_samples
from vsalang.agents.maps.screen_graph import Edge, sources_at
from vsalang.language.semantics import load, load_text
from vsalang.program import ir
from vsalang.program.transitions import starts, triggers
from vsalang.program.walk import literals, relations, variables

ROOT = Path(__file__).resolve().parents[1]
APPS = {"settings": "settings", "restaurant": "opentable"}
"""Phone -> its module."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--app", choices=APPS)
    parser.add_argument("-v", "--verbose", action="store_true", help="name what the draft does not hold")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for phone in [options.app] if options.app else APPS:
            judge(phone, options.steps, Path(folder), verbose=options.verbose)


class Count(Counter[str]):
    """What the draft holds of one kind of rules."""

    def held(self, held: int, of: int) -> str:
        """Count a rule of which the draft holds so many parts of so many."""
        what = "unseen" if not of else "whole" if held == of else "part" if held else "none"
        self[what] += 1
        return what

    def __str__(self) -> str:
        return f"{self['whole']} whole, {self['part']} in part, {self['none']} not; {self['unseen']} not seen"


def judge(phone: str, steps: int, folder: Path, *, verbose: bool) -> None:
    hand = load(ROOT / "app_specs" / "apps" / f"{APPS[phone]}.vsa").program
    assert hand is not None
    package = hand.modules[hand.main].packages[0]
    walks = [folder / f"{phone}{seed}.jsonl" for seed in (1, 2, 3)]
    for seed, walk in enumerate(walks, 1):
        crawl(phone, package, steps, seed, walk)
    draft = learn(read_samples(walks[:2]), package)
    text = module(draft, name="draft", source=walks[0].name)
    drafted = load_text(text, file="draft.vsa").program
    assert drafted is not None
    print(f"{phone}: draft of {len(draft.kinds)} screens and {len(draft.ways)} ways from {2 * steps} steps")
    seen = [_named(walks[2], program) for program in (hand, drafted)]
    bears = list(zip(seen[0][0], seen[1][0], strict=True))
    same, split = _screens(hand, bears, verbose=verbose)
    print(f"  screens: {same}; of those in part {split} are told apart further, and none is another screen")
    print(f"  gotos:   {_gotos(hand, drafted, seen, verbose=verbose)}")
    cells, lists = _cells(hand, drafted, bears, verbose=verbose)
    print(f"  cells:   {cells}\n  lists:   {lists}")


Named = tuple[list[str], list[tuple[Try, str, str, frozenset[str]]]]


def _named(walk: Path, program: ir.Program) -> Named:
    """The screen of each look (empty: none), and each step with its ends and what was foretold."""
    reader = Reader(program)
    names: list[str] = []
    steps = []
    samples = read_samples([walk])
    by_look = {id(each.before): each for each in samples.tries}
    known: dict[int, str] = {}
    reader.begin()
    foretold: dict[int, frozenset[str]] = {}
    for look in samples.looks:
        screen = reader.screen(look.screen, "")
        known[id(look)] = screen.name if screen.kind == "screen" else ""
        names.append(known[id(look)])
        if id(look) in by_look:
            foretold[id(look)] = reader.predicted([by_look[id(look)].action])
    for each in samples.tries:
        steps.append((each, known[id(each.before)], known[id(each.after)], foretold[id(each.before)]))
    return names, steps


def _screens(hand: ir.Program, bears: Sequence[tuple[str, str]], *, verbose: bool) -> tuple[Count, int]:
    count, split = Count(), 0
    for name, relation in hand.relations.items():
        if relation.sort != "screen":
            continue
        mine = {other for own, other in bears if own == name}
        foreign = {other for own, other in bears if own != name}
        looks = sum(own == name for own, _ in bears)
        # one screen of the draft is the whole; several that nothing else bears are a part of it each
        clean = bool(mine) and "" not in mine and not mine & foreign
        what = count.held(2 if clean and len(mine) == 1 else int(clean), 2 if looks else 0)
        split += clean and len(mine) > 1
        if verbose and what != "whole":
            print(f"    screen {relation.short}: {what}: {', '.join(sorted(mine))}")
    return count, split


def _gotos(hand: ir.Program, drafted: ir.Program, seen: Sequence[Named], *, verbose: bool) -> Count:
    graph = graph_of(hand)
    edges: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        edges.setdefault(edge.source, []).append(edge)
    held: dict[str, list[bool]] = {}
    for (each, source, target, foretold), (_, _, other, also) in zip(seen[0][1], seen[1][1], strict=True):
        named = gesture_on(each.action, each.before.screen)
        if not target or target not in foretold or named is None:
            continue
        ends = [graph.screens.get(end) for end in (source, target)]
        if ends[0] is None or ends[1] is None:
            continue
        move = Move(ends[0], named[0], ends[1], named[1], foretold)
        here = [edge for begin in sources_at(graph.screens, source) for edge in edges.get(begin, ())]
        for rule in {edge.rule for edge in here if edge.target == target and may_be(move, edge)}:
            held.setdefault(rule, []).append(bool(other) and other in also)
    count = Count()
    for rule in hand.rules:
        if isinstance(rule.head, ir.Goto):
            tries = held.get(rule.id, [])
            what = count.held(sum(tries), len(tries))
            if verbose and what != "whole":
                print(f"    goto {rule.head.screen} ({rule.id}): {what}: {sum(tries)} of {len(tries)}")
    return count


# ---------------------------------------------------------------- cells


Cell = tuple[str, str]
"""A relation and an attribute."""


def _cells(
    hand: ir.Program, drafted: ir.Program, bears: Sequence[tuple[str, str]], *, verbose: bool
) -> tuple[Count, Count]:
    mine, theirs = dict(_read(hand)), dict(_read(drafted))
    read: dict[str, set[str]] = {}
    for ids, screens in theirs.values():
        for screen in screens:
            read.setdefault(screen, set()).update(ids)
    shown = {own for own, _ in bears}
    count, lists = Count(), Count()
    for cell, (ids, screens) in mine.items():
        if not ids:
            continue  # it is taken from no node: a constant, or what was typed
        here = {other for own, other in bears if own in screens} if screens else set(read)
        have = set().union(*(read.get(screen, set()) for screen in here))
        what = count.held(len(ids & have), len(ids) if not screens or screens & shown else 0)
        if verbose and what != "whole":
            print(f"    cell {'.'.join(cell)}: {what}: reads {', '.join(sorted(ids))}")
    rows = {
        id for (name, _), (ids, _) in theirs.items() if drafted.relations[name].sort == "list" for id in ids
    }
    for name, relation in hand.relations.items():
        if relation.sort == "list" and relation.module == hand.main:
            ids = {id for (of, _), (ids, _) in mine.items() if of == name for id in ids}
            lists.held(int(bool(ids & rows)), 1)
    return count, lists


def _read(program: ir.Program) -> Iterator[tuple[Cell, tuple[frozenset[str], frozenset[str]]]]:
    """The cells that are observed: the ids of the nodes from which they are taken, and on which screens (none: any)."""
    writers: dict[str, list[ir.Rule]] = {}
    for rule in program.rules:
        head = rule.head
        if isinstance(head, ir.Derive) or (isinstance(head, ir.Write) and not any(triggers(rule, program))):
            writers.setdefault(head.atom.relation, []).append(rule)
    for name, relation in program.relations.items():
        if relation.module != program.main or relation.sort not in ("view", "list", "state"):
            continue
        for attr in relation.attrs:
            rules = [rule for rule in writers.get(name, ()) if _term(rule, attr.name) is not None]
            ids = {id for rule in rules for id in _ids(writers, rule, attr.name, frozenset())}
            screens = {screen for rule in rules for screen in _on(program, writers, rule, frozenset())}
            if rules:
                yield (name, attr.name), (frozenset(ids), frozenset(screens or relation.on))


def _term(rule: ir.Rule, attr: str) -> ir.Term | None:
    assert isinstance(rule.head, ir.Write | ir.Derive)
    return next((each.term for each in rule.head.atom.constraints if each.attr == attr), None)


def _ids(
    writers: Mapping[str, Sequence[ir.Rule]], rule: ir.Rule, attr: str, passed: frozenset[Cell]
) -> Iterator[str]:
    """The ids of the nodes from which a rule takes an attribute, through the rules that make what it asks for."""
    term = _term(rule, attr)
    wanted = variables(term) if term is not None else frozenset()
    for literal in literals(rule.body):
        if not isinstance(literal, ir.Lit) or literal.neg:
            continue
        taken = [each for each in literal.atom.constraints if variables(each.term) & wanted]
        if literal.atom.relation in ("Node", "Part"):
            if any(each.attr not in ("node", "of", "parent") for each in taken):
                yield from (
                    str(each.term.value)
                    for each in literal.atom.constraints
                    if each.attr == "id" and isinstance(each.term, ir.Const)
                )
            continue
        for each in taken:
            cell = literal.atom.relation, each.attr
            if cell not in passed:
                for other in writers.get(cell[0], ()):
                    yield from _ids(writers, other, each.attr, passed | {cell})


def _on(
    program: ir.Program,
    writers: Mapping[str, Sequence[ir.Rule]],
    rule: ir.Rule,
    passed: frozenset[str],
) -> frozenset[str]:
    """The screens that a rule asks for, itself or by what it asks for."""
    found = frozenset(starts(rule, program))
    for name in {name for literal in rule.body for name in relations(literal)} - passed:
        for other in writers.get(name, ()):
            found |= _on(program, writers, other, passed | {name})
        found |= frozenset(program.relation(name).on)
    return found


if __name__ == "__main__":
    main()
