"""What the model is told: true of the language, made from the app, and replaceable."""

import datetime as dt
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import vsalang.models.encode
from vsalang.base.source import Source
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.language.semantics.authority import AUTHORITY
from vsalang.language.syntax import parse
from vsalang.models.encode import (
    Answer,
    Message,
    Moment,
    MomentError,
    PromptError,
    Settings,
    Task,
    encode,
    formalize,
)
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.vocabulary import device_actions, vocabulary
from vsalang.program.ops import FUNCTIONS, OPERATORS
from vsalang.program.reserved_words import AGGREGATES, CONDITION_WORDS, STEP_WORDS
from vsalang.program.text import quote

GOOD = 'spec a "x"\nallow answer(text = "yes").\ndone when answer earlier.\n'
TEMPLATES = Path(vsalang.models.encode.__file__).parent / "templates"

APP = """app tabs package "com.tabs" "Tabs \\u202e"
enum Tab {Home, "All on", "true" as ("on")}
screen Main "The first screen" when Node(id = "main").
view Shown on Main "What is shown" { tab: Tab "which"  days: set of enum {Mon, Tue} }
list Row in (tab) key (name) { tab: Tab  name: Text "its \\"name\\"" }
state Note key (title) "A note" { title: Text  at: Number }
define Big(name = ?n) when Row(name = ?n, at > 3).
action Save(title: Text "its title", tab: Tab) "Save it"
"""


class Recorder:
    """A model that answers well and keeps what it was sent."""

    name = "recorder"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[Message, ...]] = []

    def ask(self, messages: tuple[Message, ...]) -> Answer:
        self.seen.append(tuple(messages))
        return Answer(self.answers.pop(0))


def test_the_vocabulary_says_everything_a_spec_can_speak_of(tmp_path: Path) -> None:
    (tmp_path / "tabs.vsa").write_text(APP, encoding="utf-8")
    loaded = load(tmp_path / "tabs.vsa")
    assert loaded.program is not None, loaded.diagnostics
    text = vocabulary(loaded.program, ["tabs"])
    assert text.split("\n") == [
        'app tabs "Tabs \\u202e"',
        '  enum Tab {Home, "All on", "true"}',
        '  action Save(title: Text "its title", tab: Tab) "Save it"',
        '  state Note key (title) "A note" { title: Text, at: Number }',
        '  view Shown on Main "What is shown" { tab: Tab "which", days: set of enum {Mon, Tue} }',
        '  list Row in (tab) key (name) { tab: Tab, name: Text "its \\"name\\"" }',
        "  define Big(name: Text)",
        '  screen Main "The first screen"',
    ]


def test_device_actions_are_named_without_a_tasks_ends() -> None:
    program = load_text(GOOD).program
    assert program is not None
    text = device_actions(program)
    assert 'action answer(text: Text "the answer")' in text
    assert "finish" not in text and "give_up" not in text


def test_strings_are_quoted_so_that_nothing_hides() -> None:
    assert quote('a "b"\n\u202e\U000e0041é') == '"a \\"b\\"\\n\\u202e\\udb40\\udc41é"'


@pytest.mark.parametrize("path", sorted((TEMPLATES / "examples").glob("*.vsa")), ids=lambda path: path.stem)
def test_every_example_checks_and_its_tests_pass(path: Path) -> None:
    loaded = load(path)
    assert loaded.program is not None, loaded.diagnostics
    assert loaded.diagnostics == ()
    for example in loaded.own:
        assert run_example(loaded.program, example).passed


def test_the_examples_are_in_the_prompt() -> None:
    model = Recorder(GOOD)
    formalize("Say yes", ["apps.opentable"], model)
    system, user = model.seen[0]
    assert (system.role, user.role) == ("system", "user")
    blocks = re.findall(r"```vsa\n(.*?)```", system.content, re.DOTALL)
    assert len(blocks) == len(Prompts().examples()) >= 5
    for block in blocks:
        assert load_text(block, path=(TEMPLATES / "examples" / "x.vsa").resolve()).diagnostics == ()
    assert "Say yes" in user.content
    assert 'spec task "Say yes"\nimport apps.opentable\n' in user.content
    assert "list Slot in (restaurant, date)" in user.content


def test_statements_of_the_prompt_hold() -> None:
    """The forms that the system prompt teaches, each in a spec that checks."""
    forms = """spec forms "x"
        import tasks
        import apps.opentable
        allow 3 AddTask(title = "a") when count(Task(folder = "F")) = 3.
        allow either Reserve(restaurant = "A") when first 3 Slot(restaurant = "A", date = today, available = true).
        allow either Reserve(restaurant = "B") when Slot(restaurant = "B", date = today, at = 3).
        allow each DeleteTask(title = ?t) when Task(folder = "F", title = ?t, due < today + 3d).
        define Cheap(title = ?t) when Task(title = ?t, priority in {Low, "Not set"}).
        deny "not now" when DeleteTask, Reminders(enabled = true).
        confirm "sure {?t}?" when DeleteTask(title = ?t, title matches /^x/i).
        warn "hm" when AddTask(title contains "x").
        let Big = "a big one".
        allow answer(text ~= "fine") when max(due of Task(folder = "F")) = ?d, ?d > 2026-04-01.
        done when every Task(folder = "F") has (finished = true).
        done when AddTask earlier then Reminders(enabled = true).
        done when all AddTask, not Task(folder = "F", title = "a").
        """
    loaded = load_text(forms, path=(TEMPLATES / "examples" / "x.vsa").resolve())
    assert [item.message for item in loaded.diagnostics if item.severity.value == "error"] == []


def test_every_step_of_the_prompt_can_be_read() -> None:
    system, _ = prompt()
    table = system.partition("Each step is one turn.")[2].partition("A step is expected")[0]
    cells = re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
    steps = [step for cell in cells for step in re.findall(r"`(.+?)`", cell)]
    assert len(steps) >= 12
    for step in steps:
        text = f'{GOOD}test "t" {{\n{step.replace("..", "a = 1")}\n}}\n'
        assert parse(Source.from_text(text, "t.vsa")).diagnostics == (), step


def test_a_folder_takes_the_place_of_single_templates(tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text("Write specs.{% for e in examples %}!{% endfor %}", encoding="utf-8")
    model = Recorder(GOOD)
    assert encode(Task("Say yes", ("apps.opentable",)), model, Settings(prompts=tmp_path)).accepted
    assert model.seen[0][0].content == "Write specs.!!!!!!!!\n"
    assert "list Slot" in model.seen[0][1].content


def test_a_folder_may_bring_its_own_examples(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "mine.vsa").write_text(GOOD.replace('"x"', '"Own words"'), encoding="utf-8")
    model = Recorder(GOOD)
    encode(Task("Say yes", ("apps.opentable",)), model, Settings(prompts=tmp_path))
    assert "## Own words" in model.seen[0][0].content
    assert "Mario" not in model.seen[0][0].content


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("system.j2", "{% for %}", "system.j2:1:"),
        ("request.j2", "{{ instrucion }}", "'instrucion' is undefined"),
        ("system.j2", "{{ ''.__class__.__mro__ }}", "unsafe"),
        ("system.j2", "{{ 1 / 0 }}", "ZeroDivisionError"),
        ("feedback.j2", "{{ problems[0] + 1 }}", "TypeError"),
        ("system.j2", "{% include '../../secret' %}", "secret"),
        ("sytem.j2", "x", "holds nothing that is used"),
        ("examples/a.vsa", "spec a", "has errors"),
    ],
)
def test_a_wrong_template_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=re.escape(message)):
        encode(Task("Say yes", ("apps.opentable",)), Recorder("nothing", GOOD), Settings(prompts=tmp_path))


def test_no_folder_of_prompts(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="is not a folder"):
        encode(Task("Say yes", ("apps.opentable",)), Recorder(GOOD), Settings(prompts=tmp_path / "none"))


def prompt(moment: Moment | None = None, instruction: str = "Say yes") -> tuple[str, str]:
    """The two messages of the first round."""
    model = Recorder(GOOD)
    encode(Task(instruction, ("apps.opentable",), moment=moment), model)
    system, user = model.seen[0]
    return system.content, user.content


WORDS = {
    "operators": (*OPERATORS,),
    "functions": tuple(
        f"{name}(" if name.isalpha() else f" {name} " for name in sorted({*FUNCTIONS} - {"neg", "says"})
    ),
    "heads": (*sorted(AUTHORITY["spec"]), "let", "test"),
    "quotas": ("allow either", "allow 3", "allow each"),
    "conditions": (*CONDITION_WORDS, "for 10s", "has"),
    "aggregates": tuple(f"{word}(" for word in sorted(AGGREGATES)),
    "steps": (*sorted(STEP_WORDS), "observe no", "observe complete", "observe screen"),
    "verdicts": ("=> block", "=> confirm", "=> warn"),
}


@pytest.mark.parametrize("kind", WORDS)
def test_prompt_names_every_form(kind: str) -> None:
    system, _ = prompt()
    written = " ".join(re.findall(r"`([^`\n]+)`", system) + re.findall(r"^    (.*)$", system, re.MULTILINE))
    ends = {word: r"(?!\w)" if word[-1].isalpha() else "" for word in WORDS[kind]}
    missing = [word for word in WORDS[kind] if not re.search(re.escape(word) + ends[word], written)]
    assert missing == []


def test_prompt_as_a_whole(golden: Callable[..., None]) -> None:
    moment = Moment(dt.date(2026, 4, 1), dt.time(12), "Europe/Berlin", "de_DE")
    golden("\n=====\n".join(prompt(moment)), "formalize/prompt.txt")


def test_request_says_when_the_instruction_was_given() -> None:
    _, whole = prompt(Moment(dt.date(2026, 4, 1), dt.time(12, 5), "Europe/Berlin", "de_DE"))
    said = "on Wednesday, 2026-04-01 at 12:05 (Europe/Berlin); the user's language and country: de_DE."
    assert said in whole
    _, little = prompt(Moment(dt.date(2026, 4, 1)))
    assert "on Wednesday, 2026-04-01.\n" in little


def test_moment_is_read_strictly() -> None:
    assert Moment.of("2026-04-01", "Europe/Berlin", "de") == Moment(
        dt.date(2026, 4, 1), None, "Europe/Berlin", "de"
    )
    assert Moment.of("2026-04-01T07:30").time == dt.time(7, 30)
    for today in ("2026-4-1", "2026-02-30", "tomorrow", "2026-04-01T12:00+02:00", "20260401"):
        with pytest.raises(MomentError, match="date"):
            Moment.of(today)
    for zone in ("Nowhere/City", "../etc/passwd", "/etc/localtime", ""):
        with pytest.raises(MomentError, match="time zone"):
            Moment.of(zone=zone)
    for locale in ("", "x", "de DE", "../de"):
        with pytest.raises(MomentError, match="locale"):
            Moment.of(locale=locale)


def test_moment_of_this_machine_has_a_zone() -> None:
    here = Moment.of()
    assert re.fullmatch(r"UTC[+-]\d\d:\d\d", here.zone)
    assert here.time is not None and here.time.second == 0


def test_a_changed_template_is_seen(tmp_path: Path) -> None:
    """Templates are compiled once, until their file changes or the folder gets another one."""
    (tmp_path / "doubts.j2").write_text("one {{ header }}", encoding="utf-8")
    prompts = Prompts(tmp_path)
    assert prompts.render("doubts", {"header": "x"}) == "one x\n"
    (tmp_path / "doubts.j2").write_text("two {{ header }}", encoding="utf-8")
    os.utime(tmp_path / "doubts.j2", (1, 1))
    assert prompts.render("doubts", {"header": "x"}) == "two x\n"
    (tmp_path / "review.j2").write_text("mine {{ header }}", encoding="utf-8")
    assert prompts.render("review", {"header": "x"}) == "mine x\n"
