"""A test with broken steps: one error for each, and the other steps are kept for the checker."""

import pytest

from vsalang.base.source import Source
from vsalang.language.semantics import load_text
from vsalang.language.syntax import parse, tree

STEPS = [
    "given T(n = 1).",
    "clock 12:30.",
    'attempt Pay(to = "x", with = "y") => block because with.',
    "step { update T(n = 2). attempt Pay. } => block.",
    "observe no T.",
    'tap(id = "x") => allow.',
    'assume "a" ~= "b".',
    "finish => block.",
]
BROKEN = [
    "attempt Pay(to == 1).",
    "attempt Pay(to = 'x').",
    'attempt Pay(to = "x).',
    "attempt Pay(to = 1 => block.",
    "attempt Pay => blok.",
    "given T => allow.",
    "step { attempt Pay }.",
    "step { attempt Pay. }",
    "step { given T. }.",
    "finish => block",
    "atempt Pay(to = 1).",
    "clock 25:00.",
    "observe not T.",
    "finish; // over",
]


def read(steps: list[str]) -> tuple[tuple[tree.Step, ...], list[str], list[str]]:
    text = 'spec s\ntest "t" {\n' + "".join(f"  {step}\n" for step in steps) + "}\nallow Pay.\n"
    source = Source.from_text(text)
    parsed = parse(source)
    assert parsed.module is not None
    *tests, last = parsed.module.items
    assert isinstance(last, tree.Rule)
    kept = tests[0].steps if tests else ()  # type: ignore[union-attr]
    return kept, [d.code for d in parsed.diagnostics], [source.slice(span) for span in parsed.broken]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("place", [0, 3, len(STEPS)])
def test_one_broken_step_is_one_error(broken: str, place: int) -> None:
    kept, codes, lost = read([*STEPS[:place], broken, *STEPS[place:]])
    assert len(codes) == len(lost) == 1
    assert len(kept) == len(STEPS)


def test_every_broken_step_is_reported() -> None:
    kept, codes, lost = read([line for pair in zip(STEPS, BROKEN, strict=False) for line in pair])
    assert len(codes) == len(lost) == len(STEPS) == len(kept)


def test_steps_on_one_line() -> None:
    kept, codes, _ = read(["given T. attempt Pay(to == 1). finish => block."])
    assert [step.kind for step in kept] == ["given", "finish"] and codes == ["E0107"]


def test_answers_to_a_broken_step_go_with_it() -> None:
    kept, codes, _ = read(["attempt Pay(to == 1) => confirm.", "approve.", "finish => block."])
    assert [step.kind for step in kept] == ["finish"] and len(codes) == 1
    kept, codes, _ = read(["given T => confirm.", "refuse.", "finish => block."])
    assert [step.kind for step in kept] == ["finish"] and len(codes) == 1


def test_a_test_left_empty_is_left_out() -> None:
    for broken in ("finish => blok.", "finish = block."):
        kept, codes, _ = read([broken])
        assert kept == () and len(codes) == 1


def test_the_checker_sees_the_other_steps_and_nothing_runs() -> None:
    text = (
        'app s package "x"\nstate T { n: Number }\ntest "t" {\n  given T(n == 1).\n  given T(nn = 1).\n'
        "  finish => block because nothing_such.\n}\n"
    )
    loaded = load_text(text)
    assert loaded.program is None
    assert [d.code for d in loaded.diagnostics][:2] == ["E0107", "E0206"]
    assert len(loaded.diagnostics) == 3
    assert not load_text(
        text.replace("==", "=").replace("nn", "n").replace(" because nothing_such", "")
    ).diagnostics


def test_many_broken_steps_end_the_reading() -> None:
    for rest in ("", "allow Pay.\n"):
        text = 'spec s\ntest "t" {\n' + "  attempt Pay(to == 1).\n" * 300 + "}\n" + rest
        codes = [finding.code for finding in parse(Source.from_text(text)).diagnostics]
        assert codes == ["E0107"] * 100 + ["E0132"]


def test_attributes_that_are_called_as_steps() -> None:
    kept, codes, _ = read(["given T(\n  step = 1,\n  claim = 2\n).", "finish == 1."])
    assert [step.kind for step in kept] == ["given"] and len(codes) == 1


@pytest.mark.parametrize("reason", ["with", "in", "when", "T.with", "or", "because", "not", "with.in"])
def test_any_word_is_a_reason(reason: str) -> None:
    kept, codes, _ = read([f'finish => block because {reason}, "x", {reason}.'])
    assert not codes and kept[0].verdict is not None
    assert [name.text for name in kept[0].verdict.because] == [reason, "x", reason]


def test_any_word_names_a_module() -> None:
    parsed = parse(
        Source.from_text('module with.when\nimport in\nimport when as with\ntest "t" for with { finish. }')
    )
    assert not parsed.diagnostics and parsed.module is not None
    assert parsed.module.name.text == "with.when" and len(parsed.module.imports) == 2
