"""What each kind of new thing consists of: its files, and the lines that name them elsewhere."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scripts.new.plan import MARK, Plan
from vsalang.phone.vocabulary import FORMATS
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.families import COMMANDS, GROUPS, OLD
from vsalang.tools.cli.main import MOVED

_RULES: Final = "vsalang/language/lint/rules"
_WALKS: Final = "vsalang/agents/walks"
_ADAPTERS: Final = "vsalang/agents/adapters"


def _families() -> Mapping[str, tuple[str, str]]:
    """The families of commands and the groups of others, as people type them: the group, and the family in it."""
    places = {
        group.lower().replace(" ", "-"): (group, "")
        for group, entries in GROUPS.items()
        if any(entry.place for entry in entries.values())
    }
    return places | {
        name: (group, name)
        for group, entries in GROUPS.items()
        for name, entry in entries.items()
        if not entry.place
    }


PLACES: Final = _families()
"""Where a new command can stand."""


def rule(root: Path, name: str, title: str) -> Plan:
    """A lint rule with the next code.

    Raises:
        Failure: it cannot be added.
    """
    texts = [path.read_text(encoding="utf-8") for path in (root / _RULES).glob("*.py")]
    codes = {int(code) for text in texts for code in re.findall(r'"L(\d{4})"', text)}
    plan = Plan(
        root,
        "tests/language/lint",
        "tests/docs",
        **_values(name, title),
        code=f"L{max(codes, default=-1) + 1:04}",
    )
    module = plan.values["module"]
    plan.create(f"{_RULES}/{module}.py", "rule.py")
    plan.create(f"tests/language/lint/test_lint_{module}.py", "test_rule.py")
    registry = f"{_RULES}/__init__.py"
    plan.import_(registry, "vsalang.language.lint.rules")
    plan.insert(registry, f"    {module}.RULE,\n", before=")\n", after="RULES: tuple[Rule, ...] = (\n")
    plan.log("rule.changelog", "Writing rules")
    return plan


def command(root: Path, name: str, title: str, place: str) -> Plan:
    """A command of a group or family.

    Args:
        root: the checkout.
        name: what is typed.
        title: its line in the help.
        place: one of `PLACES`.

    Raises:
        Failure: it cannot be added.
    """
    group, family = PLACES[place]
    words = f"{family} {name}".strip()
    if name in (GROUPS[group][family].inside if family else {*COMMANDS, *OLD, *MOVED}):
        raise Failure(f"`vsac {words}` is or was the name of a command", "choose another name")
    tests = ("tests/project/test_command_line.py", "tests/docs")
    plan = Plan(root, *tests, **_values(name, title), words=words)
    module = plan.values["module"]
    plan.create(f"vsalang/tools/cli/{module}.py", "command.py")
    plan.create(f"tests/tools/cli/test_{module}.py", "test_command.py")
    families = "vsalang/tools/cli/families.py"
    line = f'"{name}": Entry("{module}", "{plan.values["sentence"]}"),\n'
    if family:
        table = re.search(rf'"{family}": Entry\(\s*"", "[^"]*", (_\w+)', plan.text(families))
        if table is None:
            raise Failure(f"the family {family} is not found in {families}", "add the command by hand")
        plan.insert(families, f"    {line}", before="}\n", after=f"\n{table[1]}: Final = {{\n")
    else:
        plan.insert(families, f"        {line}", before="    },\n", after=f'\n    "{group}": {{\n')
        plan.insert("README.md", f"; `{name}`", before=" |\n", after=f"\n| {group} |")
    page = f"docs/commands/{place}.md"
    if (root / page).is_file():  # else the table of the family has its options
        plan.append(page, f"\n{plan.made('command.md')}\n")
    plan.log(
        "command.changelog", "Writing rules" if group in ("Write", "Ask", "Exchange") else "Guarding agents"
    )
    return plan


def format(root: Path, name: str, title: str) -> Plan:
    """A format of recorded walks.

    Raises:
        Failure: it cannot be added.
    """
    tests = ("tests/agents/test_walk_formats.py", "tests/agents/test_record_docs.py")
    plan = Plan(root, *tests, **_values(name, title))
    module = plan.values["module"]
    plan.create(f"{_WALKS}/{module}.py", "format.py")
    plan.create(f"tests/agents/test_{module}_walks.py", "test_format.py")
    registry = f"{_WALKS}/__init__.py"
    plan.import_(registry, "vsalang.agents.walks")
    before = '    "steps": steps,\n'  # what is tried before the plainest form
    plan.insert(registry, f'    "{module}": {module},\n', before=before, after="\nFORMATS: Final")
    plan.insert(
        "docs/commands/guard.md",
        plan.made("format.md") + "\n",
        before="| `steps` |",
        after="\n#### Formats\n",
    )
    plan.log("format.changelog", "Guarding agents")
    return plan


def adapter(root: Path, name: str, title: str) -> Plan:
    """An adapter of a framework of agents: its driver behind the guard, and its actions as a format.

    Args:
        root: the checkout.
        name: the folder, and the name of the format of its actions.
        title: the framework's name.

    Raises:
        Failure: it cannot be added.
    """
    tests = (
        "tests/agents/test_frameworks.py",
        "tests/phone/test_vocabulary.py",
        "tests/phone/test_action_pages.py",
    )
    plan = Plan(root, *tests, **_values(name, title))
    module = plan.values["module"]
    if module in FORMATS:
        raise Failure(f"there is a format of proposals `{module}` already", "choose another name")
    folder = f"{_ADAPTERS}/{module}"
    plan.create(f"{folder}/__init__.py", "adapter_init.py")
    plan.create(f"{folder}/actions.py", "adapter_actions.py")
    plan.create(f"{folder}/driver.py", "adapter_driver.py")
    plan.create(f"tests/agents/test_{module}.py", "test_adapter.py")
    line = f'        "{module}": Framework("{folder.replace("/", ".")}", actions=True),\n'
    registry = "vsalang/base/frameworks.py"
    plan.insert(registry, line, before="    }\n)\n", after="\nFRAMEWORKS: Final")
    said = {"action": f"{module}_tap", "x": 1, "y": 2}
    example = {"format": module, "said": said, "is": ["tap(x = 1, y = 2)"]}
    plan.append("tests/phone/action_examples.jsonl", json.dumps(example) + "\n")
    actions = "docs/reference/actions.md"
    plan.insert(actions, plan.made("adapter_actions.md") + "\n\n", before="### Commands of adb: `adb`\n")
    guide = "docs/guides/adapters.md"
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    row = f"| {title} | [`guarded_driver`](#{anchor}) | {MARK} where its agent reads why |\n"
    plan.insert(guide, row, before="| uiautomator2 | [`GuardedDevice`]", after="\n| you have | use |")
    plan.insert(guide, plan.made("adapter.md") + "\n\n", before="## Without a change\n")
    plan.log("adapter.changelog", "Guarding agents")
    return plan


def _values(name: str, title: str) -> dict[str, str]:
    module = name.replace("-", "_")
    return {
        "name": name.replace("_", "-"),
        "module": module,
        "class_name": "".join(word.capitalize() for word in module.split("_")),
        "title": title,
        "sentence": f"{title[:1].upper()}{title[1:]}.",
    }
