"""What an attempt is held to: the header, the imports, the checker, hidden characters."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.base.source.files import Source
from vsalang.base.source.printable import must_escape
from vsalang.language.semantics import Loaded
from vsalang.language.syntax import parse
from vsalang.models.encode.attempt import Rules, judge
from vsalang.models.encode.problem import Problem

RULES = Rules("Say yes.", "yes", ("apps.opentable",), Path.cwd() / "yes.vsa")
BODY = 'allow answer(text = "yes").\ndone when answer earlier.\n'


def only(text: str, rules: Rules = RULES) -> Problem:
    (problem,) = judge(text, rules).problems
    return problem


@pytest.mark.parametrize(
    "header",
    [
        'spec yes "Say yes."',
        'spec other "Say no."',
        "spec other",
        'spec yes """Say\n   yes, or no."""',
        'spec yes package "com.x" "Say yes."',
        '// a remark\nspec other "Say yes!"',
    ],
)
def test_the_header_is_ours_whatever_was_written(header: str) -> None:
    judged = judge(f"{header}\n{BODY}", RULES)
    assert judged.problems == ()
    assert judged.text.endswith(f'spec yes "Say yes."\n{BODY}')
    assert judged.loaded is not None and judged.loaded.program is not None
    assert judged.loaded.program.modules["yes"].doc == "Say yes."


def test_a_test_names_the_spec_by_its_name() -> None:
    test = 'test "t" for {} {{ finish => block. }}\n'
    assert judge(f'spec yes "x"\n{BODY}{test.format("yes")}', RULES).problems == ()
    assert judge(f'spec other "x"\n{BODY}{test.format("other")}', RULES).problems


@given(st.text(min_size=1).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text)))
def test_every_instruction_stands_in_the_header_verbatim(instruction: str) -> None:
    rules = Rules(instruction, "a", (), Path.cwd() / "a.vsa")
    module = parse(Source.from_text(f"{rules.header}\n{BODY}", "a.vsa")).module
    assert module is not None and module.doc is not None
    assert module.doc.value == instruction
    assert rules.header.count("\n") == 0
    assert not any(must_escape(char) for char in rules.header)


@pytest.mark.parametrize("kind", ["policy", "module"])
def test_another_kind_of_module_is_refused(kind: str) -> None:
    problem = only(f'{kind} yes "Say yes."\ndefine A when answer.\n')
    assert problem.kind == "authority"
    assert "not a spec" in problem.message
    assert problem.line == 1


def test_only_given_apps_and_the_standard_library_are_imported() -> None:
    assert judge(f'spec a "x"\nimport apps.opentable\nimport std.tree\n{BODY}', RULES).problems == ()
    problem = only(f'spec a "x"\nimport apps.opentable\nimport payments\n{BODY}')
    assert (problem.kind, problem.line) == ("authority", 3)
    assert "`payments` may not be imported" in problem.message
    assert "`apps.opentable`" in problem.text


def test_what_may_not_be_imported_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.vsa").write_text("top secret words", encoding="utf-8")
    rules = Rules("x", "a", ("apps.opentable",), tmp_path / "a.vsa")
    judged = judge(f'spec a "x"\nimport secret\n{BODY}', rules)
    assert judged.loaded is None
    assert "top secret" not in judged.problems[0].text


def test_findings_come_with_code_line_excerpt_and_help() -> None:
    problem = only(
        'spec a "x"\nimport apps.opentable\nallow Reserve(hour < 19:00).\ndone when Reserve earlier.\n'
    )
    assert (problem.kind, problem.code, problem.line) == ("checker", "E0206", 3)
    assert "yes.vsa:3:15" in problem.text
    assert "allow Reserve(hour < 19:00)." in problem.text
    assert "`time`" in problem.text
    assert "Found" not in problem.text
    assert "\x1b" not in problem.text


def test_syntax_errors_are_problems() -> None:
    assert only('spec a "x"\nallow answer(text = ).\ndone when answer earlier.\n').code.startswith("E01")
    assert judge("spec\n", RULES).problems


def test_a_spec_that_can_never_finish_is_not_accepted() -> None:
    assert only('spec a "x"\nallow answer(text = "yes").\n').code == "W0501"


def test_other_warnings_do_not_matter_and_are_reported() -> None:
    judged = judge(f'spec a "x"\n{BODY}done when shell earlier.\n', RULES)
    assert judged.problems == ()
    assert [item.code for item in judged.warnings] == ["W0502"]


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\u3164"])
def test_characters_that_hide_what_is_written_are_refused(char: str) -> None:
    problem = only(f'spec a "x"\n{BODY}// a remark {char}\n')
    assert (problem.kind, problem.line) == ("answer", 4)
    assert char not in problem.text
    assert f"U+{ord(char):04X}" in problem.message


def test_escapes_may_stand_for_them() -> None:
    assert (
        judge('spec a "x"\nallow answer(text = "\\u200d").\ndone when answer earlier.\n', RULES).problems
        == ()
    )


def test_a_further_check_sees_what_was_loaded() -> None:
    seen: list[Loaded] = []

    def check(loaded: Loaded) -> list[Problem]:
        seen.append(loaded)
        return [Problem.of("test", "it fails")]

    rules = Rules(RULES.instruction, RULES.name, RULES.apps, RULES.place, check)
    assert only(f'spec a "x"\n{BODY}', rules).message == "it fails"
    assert seen[0].program is not None
    assert judge('spec a "x"\nallow answer(txt = "yes").\n', rules).problems[0].kind == "checker"
    assert len(seen) == 1  # not asked about what does not check


DRAFT = """spec a "x"
import apps.opentable
allow Reserve(restaurant == "R" and date = today, tim < 19:00)
  when Slot(restaurant = "R", date = today, time = ?t, availabel = True);
done when Reserve.
done when not Slot(restaurant = "R", date = today, time < "19:00", available = true)
deny "too late" when Reserve(time = ?t), ?t > 19:00 + 20 minutes.
"""


def test_certain_mistakes_are_mended_at_once() -> None:
    judged = judge(DRAFT, RULES)
    assert judged.problems == ()
    assert judged.text.startswith('spec yes "Say yes."\nimport apps.opentable\n')
    assert "available = true).\ndone when Reserve earlier.\n" in judged.text
    assert "?t > 19:00 + 20min." in judged.text
    assert len(judged.fixed) == 10


def test_what_is_mended_imports_no_other_app(tmp_path: Path) -> None:
    """`Pay` is declared by an app next to the spec that was not given: no remedy imports it."""
    (tmp_path / "bank.vsa").write_text('app bank package "b" "B"\naction Pay "Pay"\n', encoding="utf-8")
    rules = replace(RULES, place=tmp_path / "yes.vsa")
    judged = judge('spec a "x"\nallow bank.Pay.\ndone when Pay earlier.\n', rules)
    assert judged.problems and "import bank" not in judged.text


@pytest.mark.slow
def test_nothing_is_mended_in_a_flood() -> None:
    flood = "".join(f'deny "no" when answer(text == "{n}").\n' for n in range(100))
    judged = judge(f'spec a "x"\n{BODY}done when answer earlier.\n{flood}', RULES)
    assert judged.problems and judged.fixed == ()


def test_mending_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each remedy is tried by checking the whole, which may take long where there are many."""
    text = "spec a\nimport apps.opentable\nallow Reserve(time == 19:00).\ndone when Reserve earlier.\n"
    assert judge(text, RULES).problems == ()
    monkeypatch.setattr("vsalang.models.encode.attempt._MENDING", -1.0)
    judged = judge(text, RULES)
    assert judged.fixed == () and judged.problems


def test_what_stands_above_the_header_is_dropped() -> None:
    judged = judge(f'// Signed: the owner\n/* and\n   more */\nspec a "x"\n{BODY}', RULES)
    assert judged.text == f"{RULES.header}\n{BODY}" and judged.problems == ()


@pytest.mark.parametrize(
    "comment",
    [
        "// Written by vsac encode.",
        "  // x VSAC  Encode x",
        "/* x\n * vsac encode\n */",
        "/*\nWritten by vsac encode 1.0\n*/",
        "// Written by vsac\n// encode 1.0",
        "/**/ // `vsac` encode",
        "// \uff56\uff53\uff41\uff43 encode",
    ],
)
def test_who_made_a_spec_is_not_forged(comment: str) -> None:
    problem = only(f'spec a "x"\n{BODY}{comment}\n')
    assert "only vsac writes" in problem.message and problem.kind == "authority"
    assert judge(f'spec a "x"\n{BODY}// vsac encodes\n', RULES).problems == ()


@pytest.mark.parametrize("after", ["(" * 60, "{" * 60, '"x", ' * 6000, '"' + "\\" * 30_000])
def test_what_hides_the_header_is_a_problem(after: str) -> None:
    judged = judge(f'spec a "x" {after}\n{BODY}', RULES)
    assert judged.text.startswith(RULES.header)
    assert {problem.kind for problem in judged.problems} == {"checker"}


def test_a_long_comment_is_read_once() -> None:
    text = f'spec a "x"\n{BODY}{"/" * 60_000}\n'  # minutes, if each slash could begin a comment
    assert judge(text, RULES).problems == ()
