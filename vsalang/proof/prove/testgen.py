"""Tests that show what each clause and each condition of a spec or policy does: found by the solver, run by the guard.

A test belongs to an *edit*: a condition left out, an edge moved, a clause left out, a licence without end. It is a
state in which the edit would change the verdict, with the verdict of the program as it is. So a set that has a test for
each edit shows each clause at work, and each condition as the one that decides.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace

from vsalang.program.example import LEVELS, PROPOSALS, Example, Level
from vsalang.program.ir import Judge, License, Program, Rule
from vsalang.program.show import short_name
from vsalang.proof.prove.around import around, required_actions
from vsalang.proof.prove.diff import head_of, once_each, total
from vsalang.proof.prove.differing import Side, beyond, more_often
from vsalang.proof.prove.edits import Edit, edits, with_rule
from vsalang.proof.prove.results import Answer, EditTest, ShownDifference, UntestedEdit
from vsalang.proof.prove.stories import decided_words, expecting, run
from vsalang.proof.prove.time import Time
from vsalang.proof.solver.canonical import Canonical

_KINDS = ("often", "rule", "edge", "drop")


def generated(
    program: Program,
    *,
    seconds: float = 120.0,
    each: float = 5.0,
    known: Sequence[Example] = (),
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[EditTest | UntestedEdit]:
    """A test for each edit that none of those made before, and none of `known`, tells from the program.

    Args:
        seconds: for all questions together.
        each: seconds for one question to the solver.
        known: tests that there are already.
        progress: is told what is being looked at.
    """
    time = Time(seconds, round(each * 1000))
    made = _TestSet(program, known)
    edits_found: list[tuple[Rule, Program, Edit]] = []
    for rule in program.rules:
        if rule.module == program.main and isinstance(rule.head, License | Judge) and not _is_flag(rule):
            part = around(program, rule)
            edits_found += [(rule, part, edit) for edit in edits(part, [rule]) if edit.kind in _KINDS]
    for rule, part, edit in sorted(edits_found, key=lambda item: _KINDS.index(item[2].kind)):
        progress(f"{edit.rule}: {edit.text}")
        if made.tells(rule, part, edit):
            continue
        answer = decided(part, edit, time)
        if answer.seen is not None and not made.passes(_of(answer.seen, edit)):
            edit = replace(
                edit, program=_with_all(program, rule, edit)
            )  # the part is not all that decides here
            answer = decided(program, edit, time)
        if answer.seen is None:
            yield UntestedEdit(edit, answer.open, answer.bound)
            continue
        yield made.named(edit, _of(answer.seen, edit))


def _of(seen: ShownDifference, edit: Edit) -> Example:
    """The story that was found, with the verdict of the program as it is."""
    weaker = seen.rule == edit.rule and edit.way == "weaker"
    return expecting(seen.story, seen.there if weaker else seen.here)


def _with_all(program: Program, rule: Rule, edit: Edit) -> Program:
    """The whole program with the edit."""
    return with_rule(program, rule, next((each for each in edit.program.rules if each.id == rule.id), None))


def _is_flag(rule: Rule) -> bool:
    return isinstance(rule.head, Judge) and rule.head.level == "flag"


@dataclass(eq=False)
class _TestSet:
    """The tests so far."""

    program: Program
    known: InitVar[Sequence[Example]]
    stories: list[Example] = field(init=False)
    names: set[str] = field(init=False)
    _passing: dict[tuple[str, Example], bool] = field(default_factory=dict)

    def __post_init__(self, known: Sequence[Example]) -> None:
        self.stories = [story for story in known if self.passes(story)]
        self.names = {story.name for story in known}

    def passes(self, story: Example) -> bool:
        """Whether the program as it is does what the test says."""
        return run(self.program, story).passed

    def tells(self, rule: Rule, part: Program, edit: Edit) -> bool:
        """Whether one of the tests fails with the edit."""
        stories = [story for story in reversed(self.stories) if may_tell(part, edit, story)]
        return any(self._fails(rule, part, edit, story) for story in stories)

    def _fails(self, rule: Rule, part: Program, edit: Edit, story: Example) -> bool:
        key = part.digest, story
        if key not in self._passing:
            self._passing[key] = run(part, story).passed
        edited = edit.program if self._passing[key] else _with_all(self.program, rule, edit)
        return not run(edited, story).passed

    def named(self, edit: Edit, story: Example) -> EditTest:
        """The test of an edit, under a name of its own."""
        story = _with_reason(self.program, edit, story)
        (level,) = story.turns[-1].expected.levels
        story = replace(story, name=_free(_name(self.program, edit, story, level), self.names))
        self.names.add(story.name)
        self.stories.append(story)
        return EditTest(edit, story)


def decided(program: Program, edit: Edit, time: Time) -> Answer:
    """A state in which the edit changes the verdict: the weaker of the two rules holds and the other does not."""
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    before, after = (
        Side(made, tuple(r for r in made.rules if r.module == made.main and head_of(r) == head_of(rule)))
        for made in (program, edit.program)
    )
    if edit.kind == "often":
        forms = [{r.id: Canonical(side.program).rule(r) for r in side.rules} for side in (before, after)]
        number = total(r.head.quota for r in before.rules if isinstance(r.head, License))
        if number is None or once_each((before, after), forms):
            return Answer()
        return more_often(after, before, number, time)
    if edit.way == "weaker":  # the state that tells the edit is one in which the edited rule holds
        changed = next(r for r in edit.program.rules if r.id == edit.rule)
        return beyond(changed, after, before, time)
    return beyond(rule, before, after, time)


def may_tell(program: Program, edit: Edit, story: Example) -> bool:
    """Whether a test that passes may fail with the edit. Where that is out of the question it need not be run.

    What a clause says matters where its action is proposed: if it holds in more states, where that is not allowed; if
    it holds in fewer, where it is. A judgement matters where what it asks for is proposed, if it is weaker on verdicts
    that are milder than its own, else on its own.
    """
    versions = [rule for made in (program, edit.program) for rule in made.rules if rule.id == edit.rule]
    head = versions[0].head
    proposing = [required_actions(program, rule) for rule in versions]
    actions = set[str]().union(*proposing) if all(proposing) else set[str]()
    own = LEVELS.index("block" if not isinstance(head, Judge) or head.level == "deny" else head.level)
    for turn in story.turns:
        proposed = [part for part in turn.parts if part.kind in PROPOSALS]
        apart = all(part.kind == "attempt" and part.fact.relation not in actions for part in proposed)
        if not proposed or (actions and apart):
            continue
        levels = [LEVELS.index(level) for level in turn.expected.levels]
        if isinstance(head, License):
            changed = max(levels) > 0 if edit.way == "weaker" else min(levels) == 0
        else:
            changed = min(levels) < own if edit.way == "weaker" else max(levels) >= own
        if changed or edit.way == "other":
            return True
    return False


# ---------------------------------------------------------------- what a test says


def _with_reason(program: Program, edit: Edit, story: Example) -> Example:
    """The test with a reason of the verdict, where one of them is about the condition."""
    last = run(program, story).last
    (level,) = story.turns[-1].expected.levels
    if last is None or last.verdict is None or level == "allow":
        return story
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    words = ["licence"] if edit.kind == "often" else []
    if isinstance(rule.head, Judge):
        words.append(rule.id)
    words += [word for word in edit.about if word]
    word = next((word for word in words if last.verdict.because(word)), None)
    return expecting(story, level, [word] if word is not None else [])


def _name(program: Program, edit: Edit, story: Example, level: Level) -> str:
    """What the test shows, in a few words."""
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    act = story.turns[-1].parts[0].fact.relation
    text = decided_words(act if act == "finish" else short_name(act), level)
    if edit.kind == "often":
        return f"{text} once more"
    if edit.kind == "rule":
        by = f" by {rule.id}" if isinstance(rule.head, Judge) else ""
        return f"{text}{by}"
    if edit.kind == "edge" and edit.way == "stronger":
        return f"{text}, at the edge of {_quoted(edit.condition)}"
    against = level == "allow" if isinstance(rule.head, Judge) else level != "allow"
    return (
        f"{text} without {_quoted(edit.condition)}"
        if against
        else f"{text}: only {_quoted(edit.condition)} counts"
    )


def _quoted(text: str) -> str:
    """A condition as it can stand in the name of a test."""
    return text.replace('"', "'")


def _free(name: str, taken: set[str]) -> str:
    number, name_free = 1, name
    while name_free in taken:
        number += 1
        name_free = f"{name} ({number})"
    return name_free
