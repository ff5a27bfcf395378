"""A task's program as PDDL: what is believed as predicates, actions and gestures as operators, for one `done` clause.

`allow` and `deny` are preconditions, so a plan is what the guard will allow. What the app may show is an operator, too
(`see-..`): it costs almost nothing, so that fewest gestures come first, and fewest suppositions next. What cannot be
said is left out so that the planner permits less, where that is possible, and is listed.
"""

from vsalang.agents.maps.pddl.notation import Form, Pddl, conj
from vsalang.agents.maps.pddl.operators import Actions
from vsalang.agents.maps.pddl.showing import ShowMaker
from vsalang.agents.maps.pddl.touching import Gestures
from vsalang.agents.maps.pddl.vocabulary import Bans, Task
from vsalang.guard.examples import Story
from vsalang.program.ir import Program, Rule
from vsalang.program.show import source
from vsalang.proof.prove.bounds import Level


def of_program(
    program: Program,
    story: Story,
    goal: Rule,
    *,
    level: Level = "gestures",
    acting: bool = False,
    banned: Bans | None = None,
) -> Pddl:
    """The way to the end of a task by one of its `done` clauses as a planning problem.

    Args:
        program: a spec with the policies in force.
        story: what is believed at the start.
        goal: the clause.
        level: what a plan is made of.
        acting: the plan is to do an action before the end.
        banned: steps that no plan may have.
    """
    task = Task(program, story, goal, level, banned or {})
    for each in (Actions(task), ShowMaker(task), Gestures(task)):
        each.add()
    end: Form = conj([("finished",), ("acted",)]) if acting else ("finished",)
    screens = {name: screen for screen, name in task.say.screens.items()}
    title = f"The end of the task by {goal.id}: {source(goal)}"
    return task.draft.made(
        end, {**task.objects.values, **task.objects.rules, **screens}, task.dropped.values(), title
    )
