"""Finding the module in an answer, whatever it is wrapped in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.models.encode.extract import MAX_ANSWER, MAX_MODULE, before_module, extract
from vsalang.models.encode.problem import Problem

SPEC = 'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'


@pytest.mark.parametrize(
    "answer",
    [
        SPEC,
        SPEC.replace("\n", "\r\n"),
        f"\ufeff{SPEC}",
        f"```vsa\n{SPEC}```",
        f"```\n{SPEC}\n```\n",
        f"  ~~~ vsa\n{SPEC}~~~",
        f"````vsa\n{SPEC}````",
        f"Sure! Here it is:\n\n```prolog\n{SPEC}```\n\nHope that helps.",
        f"```vsa\n{SPEC}",
        f"<vsa>{SPEC}</vsa>",
        f"<SPEC>\n{SPEC}</SPEC>",
        f"<answer>\n```vsa\n{SPEC}```\n</answer>",
        f'<think>```vsa\nspec draft "x"\n```</think>\n```vsa\n{SPEC}```',
        f"```vsa\n{SPEC}```\nAgain:\n```vsa\n{SPEC}```",
        f"```sh\nvsac check a.vsa\n```\n```vsa\n{SPEC}```",
        f"Here it is:\n{SPEC}",
    ],
)
def test_one_module_is_found(answer: str) -> None:
    assert extract(answer) == SPEC


def test_comments_before_the_header_belong_to_it() -> None:
    text = "// a remark\n/* another */\n" + SPEC
    assert extract(f"```vsa\n{text}```") == text


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("I cannot do that.", "holds no spec"),
        ("", "holds no spec"),
        ("```vsa\nallow answer.\n```", "holds no spec"),
        ("The spec is simple.", "holds no spec"),
        (f"```vsa\n{SPEC}```\n```vsa\n{SPEC.replace('yes', 'no')}```", "holds 2 modules"),
        ("x" * (MAX_ANSWER + 1), "longer than"),
        (f"```vsa\n{SPEC}{'// x' * MAX_MODULE}\n```", "longer than"),
    ],
)
def test_an_answer_without_one_module_is_a_problem(answer: str, message: str) -> None:
    found = extract(answer)
    assert isinstance(found, Problem)
    assert found.kind == "answer"
    assert message in found.message
    assert "help:" in found.text


PIECES = ["`", "~~~", "\n", "<vsa>", "</vsa>", 'spec a "', "/*", "*/", "//", " ", "x", "<think>", "</think>"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_nothing_breaks_it(answer: str) -> None:
    assert isinstance(extract(answer), str | Problem)


@pytest.mark.parametrize("piece", ["```\n", "<vsa>", "/* ", '~~~\nspec a "\n', "<think>", "spec a "])
def test_hostile_lengths_end(piece: str) -> None:
    assert isinstance(extract(piece * (MAX_ANSWER // len(piece))), str | Problem)


@pytest.mark.parametrize("answer", ["1: no.\n```vsa\n{}```", "<think>{}</think>1: no.\n{}", "1: no."])
def test_what_is_said_before_a_module(answer: str) -> None:
    assert before_module(answer.replace("{}", 'spec a "x"\n')) == "1: no."
