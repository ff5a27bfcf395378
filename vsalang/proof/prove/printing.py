"""Stories as `test` blocks of `.vsa` files: what is printed is read back as the same story."""

import datetime as dt
from collections.abc import Iterable, Sequence
from itertools import groupby

from vsalang.base.source import Source
from vsalang.program.example import LEVELS, Example, ExpectedVerdict, Fact, Part, Turn
from vsalang.program.ir import Program
from vsalang.program.screen_rules import screen_of
from vsalang.program.show import row_source, short_name
from vsalang.program.text import quote
from vsalang.program.values import show

_HEADER = 'module tests "tests"\n'


def source(program: Program, examples: Iterable[Example]) -> str:
    """The stories as `test` blocks in the one style, to stand in the file of the program's main module."""
    from vsalang.language.syntax.formatting import format_source

    blocks = [block(program, example) for example in examples]
    if not blocks:
        return ""
    text = format_source(Source.from_text(_HEADER + "\n" + "\n\n".join(blocks) + "\n", "tests"))
    return text.partition("\n")[2].lstrip("\n")


def block(program: Program, example: Example) -> str:
    """One story as a `test` block; long lines are not broken."""
    writer = _Writer(program, example)
    lines = [f"  {line}" for turn in example.turns for line in writer.turn(turn)]
    return "\n".join([f"test {quote(example.name)} {{", *lines, "}"])


def fact(program: Program, written: Fact) -> str:
    """A fact as a test writes it."""
    return _Writer(program, Example("", program.main, ())).fact(written)


class _Writer:
    def __init__(self, program: Program, example: Example) -> None:
        self.program = program
        shorts: dict[str, set[str]] = {}
        for name in program.relations:
            shorts.setdefault(short_name(name), set()).add(screen_of(name))
        self.rules = frozenset(rule.id for rule in program.rules)
        self.ambiguous = {short for short, names in shorts.items() if len(names) > 1}

    def name(self, relation: str) -> str:
        """A relation or screen as a test names it: with its module where the name alone says too little."""
        short = short_name(relation)
        rel = self.program.relations.get(relation)
        own = rel is not None and rel.module == self.program.main
        return relation.replace(":", ".") if short in self.ambiguous and not own else short

    def turn(self, turn: Turn) -> list[str]:
        """The lines of a step."""
        if turn.kind == "clock":
            assert turn.clock is not None
            date = "" if turn.clock.date() == dt.date.min else f"{turn.clock.date().isoformat()} "
            return [f"clock {date}{show(turn.clock.time())}."]
        if turn.kind == "assume":
            assert turn.assumed is not None
            one, other, alike = turn.assumed
            return [f"assume {quote(one)} {'~=' if alike else '!~='} {quote(other)}."]
        if turn.kind in ("approve", "refuse"):
            return [f"{turn.kind}."]
        groups = [(kind, list(parts)) for kind, parts in groupby(turn.parts, key=lambda part: part.kind)]
        proposes = any(not kind.startswith("observe") and kind != "given" for kind, _ in groups)
        end = _expected(turn.expected, self.rules) if proposes else ""
        steps = [step for kind, parts in groups for step in self.parts(kind, parts)]
        if len(steps) == 1:
            return [f"{steps[0]}{end}."]
        if turn.kind == "given":
            return [f"{step}." for step in steps]
        return ["step {", *(f"  {step}." for step in steps), f"}}{end}."]

    def parts(self, kind: str, parts: Sequence[Part]) -> list[str]:
        """The steps of parts of one kind."""
        facts = [part.fact for part in parts]
        if kind == "observe screen":
            return [f"observe screen {self.name(fact.relation)}" for fact in facts]
        if kind == "gesture":
            return [self.fact(fact) for fact in facts]
        if kind == "attempt":
            return ["finish" if f.relation == "finish" else f"attempt {self.fact(f)}" for f in facts]
        return [f"{kind} {', '.join(self.fact(fact) for fact in facts)}"]

    def fact(self, fact: Fact) -> str:
        """A fact as it is written."""
        relation = self.program.relation(fact.relation)
        return row_source(relation, fact.cells, name=self.name(fact.relation), end=".." * fact.keep)


def _expected(expected: ExpectedVerdict, rules: frozenset[str]) -> str:
    if expected.levels == ("allow",) and not expected.because:
        return ""
    rest = tuple(level for level in LEVELS if level != "allow")
    words = "not allow" if expected.levels == rest else " or ".join(expected.levels)
    because = ", ".join(
        name if _bare(name) and name not in rules else quote(name) for name in expected.because
    )
    return f" => {words}" + (f" because {because}" if because else "")


def _bare(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))
