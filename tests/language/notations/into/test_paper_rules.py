"""Clauses of the VeriSafe Agent paper become a spec: spellings, meanings, places of mistakes, nothing dropped."""

import json
from pathlib import Path

import pytest

from tests.snapshots import golden
from vsalang.base.diagnostics import terminal
from vsalang.base.source import Source, read_source
from vsalang.language.notations.into import App, ImportedSpec, ImportFailed, import_rules, import_schema
from vsalang.language.notations.into.paper_text import parse
from vsalang.language.semantics import load
from vsalang.language.syntax.formatting import format_source
from vsalang.tools.cli.main import run

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "into"
APP = """\
app clock package "com.example.clock" "A clock"
state Timer "The timer" { running: Bool  minutes: Number }
view Tab "The tab that is open" { tab: enum {Home, "All on"} }
state Alarm key (label) { label: Text  time: Time  day: Date  days: set of Text }
action Start(minutes: Number) "Start the timer"
action Delete(label: Text) "Delete an alarm"
"""
CLAUSES = """\
Here are the clauses:
**<CHC>**
# prepare first
1. Timer(running=False) ∧ Tab(tab=“home”) → PrepareRepeat3()
2. Prepare() & Timer(minutes=(3, >=)) -> Start()
   Timer(minutes = 2) ^ Tab(tab='All on') => Start()
- Alarm(label="Work", time=7 PM)
    ∧ Alarm(day = 2026/4/1) → DeleteRepeat2()
StartRepeat2() and DeleteRepeat2(label = "Work") → Done()
Timer(minutes >= soon) → Start()
Tmer(minutes = 1) → Start()
Timer(hours = 1) → Start()
Lost() → Done()
Tmer() → Lost()
Timer(minutes = 1) | Tab() → Start()
¬Timer() → Done()
the rest is easy
</CHC>
Good luck!
"""


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "clock.vsa").write_text(APP, encoding="utf-8")
    return App(tmp_path / "clock.vsa")


def _read(text: str, app: App, **more: str) -> ImportedSpec:
    return import_rules(Source.from_text(text, "task.txt"), [app], place=app.path.parent / "task.vsa", **more)


def _body(text: str, app: App) -> list[str]:
    """The rules that clauses become, without comments."""
    lines = _read(text, app).text.split("import clock\n", 1)[1].splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("//")]


def _mistakes(text: str, app: App) -> list[str]:
    """What is reported, as `line:column message`."""
    source = Source.from_text(text, "task.txt")
    try:
        found = _read(text, app).diagnostics
    except ImportFailed as problem:
        found = tuple(problem.diagnostics)
    places = []
    for item in found:
        assert item.span is not None and item.help
        at = source.position(item.span.start)
        places.append(f"{at.line}:{at.column} {item.message}")
    return places


def test_a_whole_reply(app: App) -> None:
    spec = _read(CLAUSES, app, instruction="Start the timer twice")
    source = Source.from_text(CLAUSES, "task.txt")
    report = terminal.render(spec.diagnostics, {"task.txt": source}, color=False)
    golden(f"{spec.text}\n{'=' * 40}\n{report}", GOLDEN / "paper_reply.txt")
    assert (spec.clauses, spec.left) == (5, 8)
    assert format_source(Source.from_text(spec.text, "task.vsa")) == spec.text
    path = app.path.parent / "task.vsa"
    path.write_text(spec.text, encoding="utf-8")
    loaded = load(path)
    assert loaded.program is not None and loaded.diagnostics == ()
    for line in CLAUSES.splitlines()[3:16]:  # every clause stands in the spec, said or in a comment
        words = line.strip().removeprefix("1. ").removeprefix("2. ").removeprefix("- ")
        assert words.split(" ∧ ")[-1].strip("∧ ") in spec.text


@pytest.mark.parametrize(
    ("clause", "rules"),
    [
        ("Timer(running=True) → Done()", ["done when Timer(running = true)."]),
        ("Timer( running = yes ) ⇒ done .", ["done when Timer(running = true)."]),
        ("True ∧ Timer() → Start()", ["allow Start when Timer."]),
        ("True → Start()", ["allow Start."]),
        (
            "Tab ∧ Timer(running = False)\n∧ Start → Done\nTimer and Tab -> Start",
            [
                "done when Tab, Timer(running = false), Start earlier.",
                "allow Start when Timer, Tab.",
            ],
        ),
        ("→ Start()", ["allow Start."]),
        ("True → Start(minutes = (5, <=))", ["allow Start(minutes <= 5)."]),
        ("True → StartRepeat1()", ["allow Start."]),
        ("True → DeleteAll()", ["allow each Delete."]),
        ("Timer(minutes=5) → Start()", ["allow Start(minutes = 5) when Timer(minutes = 5)."]),
        (
            "Timer(minutes=(5, >), minutes=(9, <)) → Start()",
            ["allow Start(minutes > 5, minutes < 9) when Timer(minutes > 5, minutes < 9)."],
        ),
        ("Tab(tab=(“all on”, !=)) → Done()", ['done when Tab(tab != "All on").']),
        ("Tab(tab != Home) → Done()", ["done when Tab(tab != Home)."]),
        ('Alarm(day=(tomorrow, ">=")) → Done()', ["done when Alarm(day >= today + 1d)."]),
        ("Alarm(time=(≤, '7:30 am')) → Done()", ["done when Alarm(time <= 07:30)."]),
        (
            'Alarm(label=("it’s, (ok) → \\"x\\"", ≃)) → Done()',
            ['done when Alarm(label ~= "it’s, (ok) → \\"x\\"").'],
        ),
        ("Alarm(label=Valentine's Day) → Done()", ['done when Alarm(label = "Valentine\'s Day").']),
        ('Alarm(days=({"Mon", Tue}, ⊆)) → Done()', ['done when Alarm(days subset {"Mon", "Tue"}).']),
        ('Alarm(label ∈ {"a", "b"}) → Done()', ['done when Alarm(label in {"a", "b"}).']),
        ('Alarm(label = "") → Done()', ['done when Alarm(label = "").']),
        ('clock.Alarm(label = "a") → Done()', ['done when Alarm(label = "a").']),
        ('App(package = "a.b") → Done()', ['done when App(package = "a.b").']),
        (
            "Start2() → Done()\nTrue → StartRepeat2()",
            ["done when count(Start earlier) >= 2.", "allow 2 Start."],
        ),
        ("DeleteRepeat1() → Done()\nTrue → Delete()", ["done when Delete earlier.", "allow Delete."]),
        (
            "Timer() → look_upRepeat2()\nlook_up2() → Done()",
            [
                "define LookUpOnce when Timer.",
                "define LookUp when LookUpOnce then LookUpOnce.",
                "done when LookUp earlier.",
            ],
        ),
        (
            "Timer() → A()\nTab() → A()\nA() → Done()",
            ["define A when Timer.", "define A when Tab.", "done when A earlier."],
        ),
        (
            "Timer() → Start()\nTab() → Start()",
            ["allow either Start when Timer.", "allow either Start when Tab."],
        ),
        (
            "Timer() → StartRepeat2()\nTab() → Start()",
            ["allow 2 Start when Timer.", "allow 1 Start when Tab."],
        ),
    ],
)
def test_what_clauses_mean(clause: str, rules: list[str], app: App) -> None:
    assert _body(clause, app) == rules


@pytest.mark.parametrize(
    ("clause", "mistakes"),
    [
        ("", ["1:1 there is no clause"]),
        ("Timer(running=True)", ["1:1 no `→` in this clause"]),
        ("Timer(running=True → Done()", ["1:20 expected `,` or `)`"]),
        ("Timer(running=True", ["1:6 this `(` is not closed"]),
        ('Alarm(label="a) → Done()', ["1:13 this quote is not closed"]),
        ("Alarm(days={a) → Done()", ["1:12 this `{` is not closed"]),
        ("Timer(minutes=(3, =>)) → Done()", ["1:19 expected an operator"]),
        ("Timer(minutes=(3, >=) → Done()", ["1:23 expected `,` or `)`"]),
        ("Timer(minutes 3) → Done()", ["1:7 expected an operator after `minutes`"]),
        ("Timer(minutes=) → Done()", ["1:15 expected a value"]),
        ("Timer or Tab → Done", ["1:7 a clause has no `or`"]),
        ("Done :- Timer", ["1:6 the head is written before the conditions"]),
        ("Timer is running → Done", ["1:1 expected `(`, `∧` or `→` after `Timer`"]),
        ("Tmer → Done", ["1:1 `Tmer` is neither a relation of the app nor the head of a clause"]),
        ("Timer() → Start() → Done()", ["1:19 a clause has one head, here is a second `→`"]),
        ("Timer() → Start() ∧ Done()", ["1:19 a clause has one head, here is a second head"]),
        ("Done() :- Timer()", ["1:8 the head is written before the conditions"]),
        ("Timer() Tab() → Done()", ["1:9 expected `∧` or `→`"]),
        ("Timer() or Tab() → Done()", ["1:9 a clause has no `or`"]),
        ("not Timer() → Done()", ["1:1 a Horn clause has no negation"]),
        ("<CHC>\nTimer() → Done()", ["1:1 `</CHC>` is missing"]),
        ("Timer() → Done()\n</CHC>", ["2:1 `<CHC>` is missing"]),
        ("Timer() → Done(minutes = 1)", ["1:16 `Done` has no attributes"]),
        ("Timer() → Tab()", ["1:11 `Tab` is a view of the app, not something to do"]),
        ("Timer() → StartRepeat0()", ["1:11 `StartRepeat0` repeats 0 times"]),
        ("Timer() → LookRepeat99()", ["1:11 `LookRepeat99` repeats 99 times"]),
        ("Done() → Start()", ["1:1 `Done` cannot be a condition"]),
        (
            "DeleteAll() → Done()",
            ["1:1 when `Delete` was done for all there were cannot be said by its name"],
        ),
        ("Timer(minute = 1) → Done()", ["1:7 `Timer` has no attribute `minute`"]),
        ("Tab(tab = Hme) → Done()", ["1:11 `Tab.tab`: `Hme` is not a member of this enum"]),
        ("Tab(tab > Home) → Done()", ["1:5 `Tab.tab`: `>` cannot compare a member of an enum"]),
        ("Timer(running = maybe) → Done()", ["1:17 `Timer.running`: `maybe` is neither true nor false"]),
        ("Alarm(day = 1 April) → Done()", ["1:13 `Alarm.day`: `1 April` is not a date with a year"]),
        ("Alarm(time = 7) → Done()", ["1:14 `Alarm.time`: `7` is not a time of day"]),
        ("Alarm(label = {a}) → Done()", ["1:15 `Alarm.label`: a set is written where one value is expected"]),
        ("Alarm(label ∈ a) → Done()", ["1:15 `Alarm.label`: `in` needs values in braces"]),
        (
            "Timer() → LookRepeat2()\nTab() → Look()\nTab() → Done()",
            ["2:9 `Look` must be reached 1 times here and 2 times in another clause"],
        ),
    ],
)
def test_mistakes_are_reported_at_their_place(clause: str, mistakes: list[str], app: App) -> None:
    assert _mistakes(clause, app) == mistakes


def test_a_text_of_too_many_clauses(app: App) -> None:
    assert _mistakes("Timer() → Done()\n" * 1001, app) == ["1001:1 more than 1000 clauses"]


def test_one_mistake_does_not_hide_the_next(app: App) -> None:
    text = "Tmr() → Done()\n\nTimer( → Done()\nTimer(a = 1) → Done()\nTimer() → Done()\nnot Tab() → Done()\n"
    assert [each.split()[0] for each in _mistakes(text, app)] == ["1:1", "3:8", "4:7", "6:1"]
    assert "done when Timer." in _read(text, app).text


def test_a_condition_is_never_left_out(app: App) -> None:
    """Without the unknown attribute the clause would permit more, so all of it is left out."""
    spec = _read('Alarm(label = "a", colour = red) → Delete()\nTimer() → Done()', app)
    assert "allow" not in spec.text.split("import clock")[1].replace("// Not translated", "")
    assert '// Not translated, line 1: Alarm(label = "a", colour = red) → Delete()' in spec.text


def test_what_the_checker_refuses_names_its_clause(app: App) -> None:
    spec = _read("Delete() → Start()\nTimer() → Done()", app)
    assert spec.left == 1
    (finding,) = spec.diagnostics
    assert finding.code == "E0014" and "nothing allows it (E0503)" in finding.message
    assert finding.span is not None and finding.span.start == 0


def test_an_action_without_bounds_is_pointed_out(app: App) -> None:
    notes = {
        (note.kind, note.where): note.text for note in _read("Timer() → Start()\nTimer() → Done()", app).notes
    }
    assert notes["open", "Start.minutes"].startswith("may be anything")
    notes = {
        (note.kind, note.where) for note in _read("Timer(minutes=1) → Start()\nTimer() → Done()", app).notes
    }
    assert ("guess", "Start.minutes") in notes and ("open", "Start.minutes") not in notes


def test_a_comment_cannot_be_left(app: App) -> None:
    spec = _read(
        'Alarm(label = "*/\\u2028\u2028\u202e") → Nothing()\nTimer() → Done()',
        app,
        instruction='a"\n*/ allow',
    )
    assert "\u2028" not in spec.text and "\u202e" not in spec.text
    assert load_ok(spec, app)


def load_ok(spec: ImportedSpec, app: App) -> bool:
    path = app.path.parent / "task.vsa"
    return load(path, overlay={path.resolve(): spec.text}).program is not None


def test_another_module_of_that_name_is_pointed_out(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "clock.vsa").write_text(APP + "state More { a: Text }\n", encoding="utf-8")
    spec = import_rules(Source.from_text("Timer() → Done()", "a.txt"), [app], place=folder / "a.vsa")
    assert any("finds another file" in note.text for note in spec.notes)
    (folder / "clock.vsa").unlink()
    spec = import_rules(Source.from_text("Timer() → Done()", "a.txt"), [app], place=folder / "a.vsa")
    assert any("is not where imports of the spec are looked for" in note.text for note in spec.notes)


def test_an_app_with_errors(tmp_path: Path) -> None:
    (tmp_path / "clock.vsa").write_text("app clock\n", encoding="utf-8")
    with pytest.raises(ImportFailed) as failed:
        import_rules(Source.from_text("Timer() → Done()", "a.txt"), [App(tmp_path / "clock.vsa")])
    assert failed.value.diagnostics[0].where == str(tmp_path / "clock.vsa")
    (tmp_path / "s.vsa").write_text(
        'spec s "x"\nallow answer.\ndone when answer earlier.\n', encoding="utf-8"
    )
    with pytest.raises(ImportFailed, match="is not an app but a spec"):
        import_rules(Source.from_text("Timer() → Done()", "a.txt"), [App(tmp_path / "s.vsa")])


# ---- real schemas ------------------------------------------------------------------------------------


@pytest.mark.soak
def test_clauses_for_every_real_schema(shared_data: Path, tmp_path: Path) -> None:
    """One clause for each relation of each schema, with each attribute constrained by a value of its type."""
    values = {"Text": '"a"', "Number": "(3, >=)", "Bool": "True", "Date": "2026-04-01", "Time": "19:00"}
    schemas = sorted((shared_data / "vsa" / "predicates").glob("*.json"))
    assert len(schemas) == 19
    for schema in schemas:
        module = import_schema(read_source(schema))
        app = App(tmp_path / f"{module.module}.vsa", module.text)
        loaded = load(app.path, overlay={app.path.resolve(): module.text})
        assert loaded.program is not None
        lines = []
        for relation in loaded.program.relations.values():
            if relation.module != module.module:
                continue
            args = []
            for attr in relation.attrs:
                value = values.get(attr.type.kind) or json.dumps(
                    attr.type.members[0].name, ensure_ascii=False
                )
                args.append(f"{attr.name}={value}")
            lines.append(f"{relation.short}({', '.join(args)}) → Reach{relation.short}()")
            lines.append(f"Reach{relation.short}() → Done()")
        source = Source.from_text("\n".join(lines), "task.txt")
        spec = import_rules(source, [app], place=tmp_path / "task.vsa")
        assert (spec.clauses, spec.left) == (len(lines), 0), (schema.name, spec.diagnostics[:3])


# ---- the command -------------------------------------------------------------------------------------


@pytest.fixture
def folder(app: App, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(app.path.parent)
    (app.path.parent / "task.txt").write_text(
        "Timer(minutes=2) → Start()\nStart() → Done()\n", encoding="utf-8"
    )
    return app.path.parent


def test_the_command_writes_a_spec_that_checks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["import", "task.txt", "--app", "clock.vsa", "-o", "twice.vsa", "--instruction", "Two minutes"])
        == 0
    )
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("Imported 2 clauses from task.txt as `twice` in twice.vsa.\n")
    assert 'spec twice "Two minutes"' in (folder / "twice.vsa").read_text(encoding="utf-8")
    assert run(["check", "twice.vsa"]) == 0
    assert run(["fmt", "--check", "twice.vsa"]) == 0
    capsys.readouterr()
    assert run(["import", "task.txt", "--app", "clock.vsa", "-o", "twice.vsa"]) == 2
    assert "--force" in capsys.readouterr().err


def test_the_command_says_what_is_not_translated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "task.txt").write_text("Timer() → Done()\nTmer() → Done()\n", encoding="utf-8")
    assert run(["import", "task.txt", "--app", "clock.vsa"]) == 1
    out, err = capsys.readouterr()
    assert "// Not translated, line 2: Tmer() → Done()" in out
    assert "1 clause is not translated:" in err and "task.txt:2:1" in err and "did you mean `Timer`?" in err
    assert run(["import", "task.txt", "--app", "clock.vsa", "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["spec"], data["clauses"], data["left"]) == (1, "task", 1, 1)
    assert data["diagnostics"][0]["code"] == "E0014"
    assert data["diagnostics"][0]["span"]["start"] == {"line": 2, "column": 1, "offset": 17}


def test_the_command_imports_a_schema_on_the_way(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"Alarm": {"description": "An alarm", "variables": [{"name": "label", "type": "Text"}]}}
    (folder / "Radio.json").write_text(json.dumps(schema), encoding="utf-8")
    (folder / "task.txt").write_text('Alarm(label="x") → Done()', encoding="utf-8")
    assert run(["import", "task.txt", "--app", "Radio.json"]) == 0
    assert "`radio`, whose module is not written without -o" in capsys.readouterr().err
    assert not (folder / "radio.vsa").exists()
    assert run(["import", "task.txt", "--app", "Radio.json", "-o", "a.vsa"]) == 0
    assert run(["check", "a.vsa", "radio.vsa"]) == 0
    assert (
        run(["import", "task.txt", "--app", "Radio.json", "-o", "b.vsa"]) == 0
    )  # it is what the schema gives
    (folder / "radio.vsa").write_text("// edited\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["import", "task.txt", "--app", "Radio.json", "-o", "c.vsa", "--force"]) == 2
    assert "--app radio.vsa" in capsys.readouterr().err
    assert (folder / "radio.vsa").read_text(encoding="utf-8") == "// edited\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["task.txt"], "--app APP.vsa"),
        (["task.txt", "--app", "clock.vsa", "--package", "a.b"], "--package is for a JSON state schema"),
        (
            ["task.txt", "--from", "json", "--app", "clock.vsa"],
            "--app and --instruction are for Horn clauses",
        ),
        (["task.txt", "--app", "clock.vsa", "--name", "a b"], "not a name for a spec"),
        (["task.txt", "--app", "clock.vsa", "--instruction", " "], "the instruction is empty"),
        (["none.txt", "--app", "clock.vsa"], "E0001"),
    ],
)
def test_the_command_says_how_it_is_used(
    args: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["import", *args]) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_passed_over() -> None:
    """Whatever the text: every part of it that is not a blank or remark is in a clause or in a finding."""
    for text in (
        "x",
        "→",
        "A() → B()→",
        "…",
        "(((",
        "A(b=(",
        "A(b={",
        'A(b="',
        "<CHC></CHC>x",
        "1.",
        "- -",
        "∧∧",
    ):
        clauses, broken = parse(Source.from_text(text, "a"))
        assert clauses or broken or "<CHC>" in text or text == "1.", text
