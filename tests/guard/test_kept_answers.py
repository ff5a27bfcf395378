"""What a guard keeps from look to look changes nothing: an evaluator that never gives the same object again gets the
same verdicts, reasons and worlds as one whose answers are known again by identity."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.seeing.judge import program
from benchmarks.seeing.pages import own
from benchmarks.seeing.trees import printed
from vsalang.engine import Opens, open_session
from vsalang.engine.explain import supposing
from vsalang.guard import Guard, Settings
from vsalang.guard.machine import GuardFailed
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

LOOKS = 6
_OTHER = str.maketrans("012345678", "123456789")


class Nothing(dict[str, Any]):
    """A dictionary that keeps nothing."""

    def __setitem__(self, name: str, value: object) -> None:
        pass


class Forgetful:
    """An evaluator that gives equal answers as new objects, one rule at a time."""

    def __init__(self, program: Program, **options: Any) -> None:
        self._inner = open_session(program, **options)

    def answers(self, rule: str) -> frozenset[Any]:
        return frozenset(list(self._inner.answers(rule)))

    def rows(self, relation: str) -> frozenset[Any]:
        return frozenset(list(self._inner.rows(relation)))

    def __getattr__(self, name: str) -> Any:
        if name == "answers_of":
            raise AttributeError(name)
        return getattr(self._inner, name)


def session(family: str, rules: str, engine: Opens | str) -> Iterator[object]:
    """What a guard says and believes on the screens of a simulated phone, then with other numbers in their texts."""
    made = next(each for each in own() if each.family == family)
    looks = made.pages[:LOOKS]
    asked = program(rules)
    now = [looks[0].now]
    task = any(module.kind == "spec" for module in asked.modules.values())
    guard = Guard(
        asked,
        clock=lambda: now[0],
        today=now[0].date(),
        engine=engine,  # type: ignore[arg-type]
        settings=Settings(overrides=None, verdict_life=None, look_age=None, task=task),
    )
    if engine is Forgetful:
        moments = guard.session.parts.moments
        moments.answers.effects = None
        moments._rows_in_order = moments._rows_before = Nothing()
    tree = None
    dumps = [(page, printed(page, "dump")) for page in looks]
    for page, dump in (*dumps, *[(page, other_numbers(dump)) for page, dump in dumps]):
        tree = load_tree(dump, after=tree)
        yield guard.observe(TreeScreen(tree, app=page.app, now=page.now, settled=True))
        rows = [row for row in guard.rows("Node") if row.get("clickable")]
        touches = [Action("tap", {"node": row["node"]}) for row in rows[-2:]]
        for action in (*touches, Action("finish")):
            verdict = guard.propose(action)
            yield verdict, [reason.to_json() for reason in (*verdict.reasons, *verdict.flags)]
            if verdict.allowed and action.name != "finish":
                guard.commit(verdict)
                break
        now[0] += dt.timedelta(seconds=30)
        yield guard.snapshot
    yield [guard.rows(name) for name in sorted(asked.relations)]


def other_numbers(dump: str) -> str:
    """A dump with other numbers in its texts: times, prices, counts."""
    return re.sub(r' text="[^"]*"', lambda text: text[0].translate(_OTHER), dump)


def told(family: str, rules: str, engine: Opens | str) -> list[object]:
    found: list[object] = []
    try:
        for each in session(family, rules, engine):
            found.append(each)
    except GuardFailed as error:
        found.append(str(error))
    return found


def plain(item: object) -> object:
    """A value in which screens are known by what they show: the two sessions read them apart."""
    if isinstance(item, TreeScreen):
        return item.fingerprint
    if isinstance(item, tuple | list):
        return [plain(each) for each in item]
    fields = getattr(item, "__dataclass_fields__", None)
    if fields is None:
        return item
    return {name: plain(getattr(item, name)) for name, field in fields.items() if field.compare}


@pytest.mark.parametrize(
    ("family", "rules"),
    [
        ("restaurant", "reserve_r"),
        ("settings", "quiet_evening"),
        ("shop", "shop_task"),
        ("shop", "shop_card"),
        ("settings", "states"),
    ],
)
def test_what_is_kept_changes_nothing(family: str, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = told(family, rules, "incremental")
    monkeypatch.setattr(supposing, "_MOST_TEXTS", 0)
    anew = told(family, rules, Forgetful)
    assert len(kept) > LOOKS
    assert plain(kept) == plain(anew)
