"""Charters: the judgement of the instruction in an answer, that none can be written, and several of them as one."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.snapshots import golden
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.models.encode import Answer, Formalization, Message, Moment, Reader, Settings, Task, encode
from vsalang.models.encode.charter import (
    InstructionJudgement,
    joined_judgement,
    judgement_in,
    refusal_in,
    with_judgement,
)
from vsalang.models.encode.joining import NotJoined, charter_of
from vsalang.models.encode.prompting import Prompts
from vsalang.models.encode.review import Reviewing
from vsalang.program import risks

SAID = "Pay Ann."
TASK = Task(SAID, ("std.effects",), "task")
HARMLESS = '{"harmful": false, "categories": [], "reason": "r"}'


BOB = 'confirm "Bob?" when Pay, not Pay(payee names "Bob", currency in {"EUR", "€"}).'
FRIENDS = """allow each SetSetting(value ~= "Friends").
allow Post.
confirm "Only for friends?" when Post, not Post(audience ~= "Friends"), not SetSetting(value ~= "Friends") earlier."""
STORIES = {
    "a role": (
        'allow Call(number contains "dentist").\ndone.',
        ['Call(number = "Dentist Dr. Okafor")'],
        ['Call(number = "Mum")', 'Call'],
    ),
    "a price": (
        "allow Order(amount <= 15).\nallow Pay(amount <= 15).\ndone.",
        ["Order(amount = 14)", "Pay(amount = 14)"],
        ["Order(amount = 16)", "Pay", "Order(amount = 9); Order(amount = 8)"],
    ),
    "money for a person": (
        f"allow Pay(amount = 20).\n{BOB}\ndone.",
        ['Pay(amount = 20, payee = "Bob Ray", currency = "EUR")'],
        [
            '?Pay(amount = 20, payee = "Eve", currency = "EUR")',
            '?Pay(amount = 20, payee = "Bob Ray", currency = "USD")',
            "?Pay(amount = 20)",
            'Pay(amount = 200, payee = "Bob Ray", currency = "EUR")',
        ],
    ),
    "an audience": (
        f"{FRIENDS}\ndone.",
        ['SetSetting(value = "Friends"); Post'],
        ["?Post", '?Post(audience = "Everyone")', 'SetSetting(value = "Everyone")'],
    ),
    "one thing": (
        "allow Delete.\nallow Erase(count <= 1).\ndone.",
        ["Delete", "Erase(count = 1)"],
        ["Erase(count = 312)", "Erase", 'Delete(what = "a"); Delete(what = "b")'],
    ),
    "a permission": (
        "allow Grant(permission matches /camera|picture/i).\ndone.",
        ['Grant(permission = "Allow Scanly to take pictures and record video?")'],
        ['Grant(permission = "Allow Scanly to access your contacts?")', "Grant"],
    ),
    "a secret": (
        'allow Send(to names "Leo").\nallow each EnterSecret(kind = "code").\ndone.',
        ['EnterSecret(kind = "code")', 'Send(to = "Leo Ray")'],
        ['EnterSecret(kind = "card")', 'Send(to = "Support")'],
    ),
    "quoted words": (
        'allow Send(to names "Tom", text contains "not yet").\ndone.',
        ['Send(to = "Tom", text = "Not yet!")'],
        ['Send(to = "Tom", text = "Now")', 'Send(to = "Tom")', 'Send(to = "Tim", text = "Not yet")'],
    ),
    "a setting": (
        'allow each SetSetting(name matches /wi-?fi|wlan/i, value = "off").\ndone.',
        ['SetSetting(name = "Use WLAN", value = "off")'],
        ['SetSetting(name = "Wi-Fi", value = "on")', 'SetSecurity(name = "Screen lock", value = "off")'],
    ),
}  # fmt: skip
"""Charters as the rules of the prompt have them: what passes, and what is held (``?``: asked, else blocked)."""


class Canned:
    """Answers in turn; the last one is repeated."""

    name = "canned"

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.seen: list[tuple[Message, ...]] = []

    def ask(self, messages: tuple[Message, ...]) -> Answer:
        self.seen.append(tuple(messages))
        return Answer(self.texts.pop(0) if len(self.texts) > 1 else self.texts[0])


def answer(rules: str, judgement: str = HARMLESS) -> str:
    return f'JUDGEMENT: {judgement}\n\n```vsa\nspec x "y"\nimport std.effects\n{rules}\n```'


@cache
def written(rules: str, judgement: str = HARMLESS, **more: object) -> Formalization:
    return encode(TASK, Canned(answer(rules, judgement)), Settings(1, **more))  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is told


def test_only_charters_are_told_of_charters() -> None:
    model = Canned(answer("allow Pay.\ndone."))
    encode(TASK, model, Settings(1))
    system, request = (message.content for message in model.seen[0])
    assert "# Charters" in system and "CANNOT BE WRITTEN SAFELY" in system
    assert all(f"* `{word}`: {meaning}" in system for word, meaning in risks.MEANINGS.items())
    assert (
        "action Pay(" in request and "define" not in request
    )  # how a touch is read is nothing for a charter
    other = Canned('```vsa\nspec x "y"\nimport apps.opentable\nallow Reserve.\ndone.\n```')
    result = encode(Task(SAID, ("apps.opentable",), "task"), other, Settings(1))
    assert "# Charters" not in other.seen[0][0].content and result.judgement is None


def test_the_prompt_of_charters_as_a_whole() -> None:
    model = Canned(answer("allow Pay.\ndone."))
    encode(TASK, model, Settings(1))
    system = model.seen[0][0].content
    golden(system[system.index("# Charters") :], "formalize/charters.txt")


def test_the_reader_is_told_what_charters_leave_open() -> None:
    for charter in (False, True):
        model = Canned('{"findings": [], "answers": []}')
        Reader(model, Moment.of("2026-04-01"), Prompts(), charter).read(SAID, "It may pay.")
        assert ("what touches do in any app" in model.seen[0][0].content) is charter


@pytest.mark.parametrize("charter", [True, False])
def test_the_linter_doubts_no_usual_charter(charter: bool) -> None:
    said = "Turn the heating off on 9 May, twice."
    rules = 'allow each SetSetting(name contains "heating", value = "off").\ndone when SetSetting earlier.'
    loaded = load_text(f'spec task "{said}"\nimport std.effects\n{rules}', file="task.vsa")
    model = Canned('{"findings": [], "answers": []}')
    reading = Reader(model, Moment.of("2026-04-01"), Prompts(), charter)
    review = Reviewing(said, reading, solver=False)(loaded, loaded.checked())
    codes = {doubt.message[:5] for doubt in review.doubts}
    assert codes == (set() if charter else {"L0002", "L0006", "L0016"})


def test_the_examples_are_charters_that_check() -> None:
    examples = Prompts().charters()
    assert len(examples) >= 9
    for example in examples:
        judged = judgement_in(f"{example.before}\n{example.spec}")
        assert not judged.missing, example.instruction
        assert "import std.effects" in example.spec and not example.spec.startswith("//")
    assert any(judgement_in(each.before).concerns for each in examples)


def test_what_the_rules_show_of_charters_checks() -> None:
    """Each clause, and each effect with a bound, that the prompt gives as a pattern."""
    model = Canned(answer("allow Pay.\ndone."))
    encode(TASK, model, Settings(1))
    system = model.seen[0][0].content
    rules = system[system.index("# Charters") : system.index("JUDGEMENT")]
    shown = [each for each in re.findall(r"`([^`]+)`", rules) if ".." not in each]
    judging = [each for each in shown if re.match(r"(confirm|deny|warn|done)\b.*\.$", each, re.DOTALL)]
    effects = {each for each in shown if re.match(r"(each )?[A-Z]\w+\(\w+ \S.*\)$", each)}
    assert len(judging) >= 10 and len(effects) >= 6
    marked = [each if each.startswith("each") else f"1 {each}" for each in sorted(effects)]
    needed = [f"each {each}" for each in ("Pay", "Send", "Post", "Delete", "SetSetting", "answer")]
    text = "\n".join([*(f"allow {each}." for each in (*marked, *needed)), *judging])
    loaded = load_text(f"spec x\nimport std.effects\nimport std.charter\n{text}\n")
    assert loaded.ok, [each.message for each in loaded.diagnostics]
    given = {each.short: each for each in loaded.checked().relations.values() if each.module == "std.effects"}
    for name, parameter in re.findall(r"\b([A-Z]\w+)\((\w+) (?:matches )?\.\.\)", rules):
        assert parameter in {each.name for each in given[name].attrs}, (name, parameter)


@pytest.mark.parametrize("name", sorted(STORIES))
def test_charters_by_the_rules_hold_an_agent_that_departs(name: str) -> None:
    rules, permitted, held = STORIES[name]
    tests = ""
    for acts, level in [*((each, "") for each in permitted), *((each, "block") for each in held)]:
        *before, last = acts.lstrip("?").split("; ")
        level = "confirm" if acts.startswith("?") else level
        expected = f"attempt {last}{' => ' + level if level else ''}."
        tests += f'test "{len(tests)}" {{ {" ".join(f"attempt {each}." for each in before)} {expected} }}\n'
    loaded = load_text(f"spec x\nimport std.effects\n{rules}\n{tests}", file="x.vsa")
    assert loaded.ok and len(loaded.own) == len(permitted) + len(held)
    for example in loaded.own:
        result = run_example(loaded.checked(), example)
        assert result.passed, result.failure


@pytest.mark.parametrize("form", ["vsa", "json"])
def test_each_form_has_the_judgement(form: str) -> None:
    text = answer("allow Pay.\ndone.")
    if form == "json":
        rules = Prompts().charters()[0].json
        data = json.loads(rules)
        text = json.dumps({**data, "remarks": f"JUDGEMENT: {HARMLESS}"})
    result = encode(TASK, Canned(text), Settings(1, form=form))  # type: ignore[arg-type]
    assert result.accepted and result.judgement == InstructionJudgement((), "r")


def test_a_missing_judgement_is_asked_for_again() -> None:
    spec = answer("allow Pay.\ndone.").partition("\n")[2]
    model = Canned(spec, answer("allow Pay.\ndone."))
    result = encode(TASK, model, Settings(3))
    assert result.accepted and len(result.rounds) == 2 and result.judgement == InstructionJudgement((), "r")
    assert "the answer holds no judgement" in model.seen[1][-1].content
    never = encode(TASK, Canned(spec), Settings(2))
    assert never.accepted and never.judgement is not None and never.judgement.raises


def test_a_concern_of_an_earlier_round_stays() -> None:
    harmful = '{"harmful": true, "categories": ["legal"], "reason": "bad"}'
    model = Canned(answer("allow Pay(", harmful), answer("allow Pay.\ndone."))
    result = encode(TASK, model, Settings(3))
    assert result.accepted and result.judgement == InstructionJudgement(("legal",), "bad")


def test_an_unusable_warning_stays() -> None:
    """The model is asked again for the form; that must not turn its warning into its opposite."""
    weapons = '{"harmful": true, "categories": ["weapons"], "reason": "bad"}'
    model = Canned(answer("allow Pay.\ndone.", weapons), answer("allow Pay.\ndone."))
    result = encode(TASK, model, Settings(3))
    assert result.accepted and result.judgement is not None and result.judgement.raises
    assert "unknown kind: weapons" in result.judgement.words()


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "JUDGEMENT:",
        "JUDGEMENT: harmless",
        f"JUDGEMENT: {HARMLESS}\nJUDGEMENT: {HARMLESS}",
        'JUDGEMENT: {"harmful": false, "categories": [], "reason": ""}',
        'JUDGEMENT: {"harmful": false, "categories": ["privacy"], "reason": "r"}',
        'JUDGEMENT: {"harmful": true, "categories": [], "reason": "r"}',
        'JUDGEMENT: {"harmful": false, "harmful": true, "categories": [], "reason": "r"}',
        'JUDGEMENT: {"harmful": 0, "categories": [], "reason": "r"}',
        'JUDGEMENT: {"harmful": true, "categories": ["fun"], "reason": "r"}',
        'JUDGEMENT: {"harmful": true, "categories": [[]], "reason": "r"}',
        'JUDGEMENT: {"harmful": false, "categories": [], "reason": "r", "safe": true}',
        'JUDGEMENT: {"harmful": false, "categories": []}',
        'JUDGEMENT: [false, [], "r"]',
        f"{HARMLESS}",
        f"// JUDGEMENT: {HARMLESS}",
        f"<think>JUDGEMENT: {HARMLESS}</think>",
        'JUDGEMENT: {"harmful": NaN, "categories": [], "reason": "r"}',
    ],
)
def test_what_is_not_a_judgement_is_not_harmless(text: str) -> None:
    judgement = judgement_in(text)
    assert (
        judgement.missing
        and judgement.raises
        and not judgement.words().startswith("the instruction is judged")
    )


@given(st.text(), st.lists(st.sampled_from(sorted(risks.CATEGORIES)), max_size=3), st.booleans())
def test_only_what_says_so_is_harmless(reason: str, categories: list[str], harmful: bool) -> None:
    data = {"harmful": harmful, "categories": categories, "reason": reason}
    judgement = judgement_in(f"JUDGEMENT: {json.dumps(data)}")
    if not judgement.raises:
        assert not harmful and not categories and reason.strip()
    if not judgement.missing:
        assert set(judgement.concerns) == set(categories) and "\n" not in judgement.reason


@given(st.lists(st.builds(
    InstructionJudgement,
    st.lists(st.sampled_from(sorted(risks.CATEGORIES)), unique=True).map(tuple),
    st.just("r"),
), max_size=4))  # fmt: skip
def test_joined_judgements_only_raise(judgements: list[InstructionJudgement]) -> None:
    joined = joined_judgement(judgements)
    assert set(joined.concerns) == {word for each in judgements for word in each.concerns}
    assert joined.raises or all(not each.raises for each in judgements)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("CANNOT BE WRITTEN SAFELY: say how much.", "say how much."),
        ("**CANNOT BE WRITTEN SAFELY:** say how much.", "say how much."),
        ("Well.\nCANNOT BE WRITTEN SAFELY: \u202esay", r"\u{202E}say"),
        ("CANNOT BE WRITTEN SAFELY:", "no reason was given"),
        ("It cannot be written safely: no", ""),
        ("<think>CANNOT BE WRITTEN SAFELY: no</think>", ""),
    ],
)
def test_that_none_can_be_written(text: str, why: str) -> None:
    assert refusal_in(text) == why


def test_a_refusal_ends_the_conversation() -> None:
    model = Canned("CANNOT BE WRITTEN SAFELY: say how much.")
    result = encode(TASK, model, Settings(4))
    assert result.refused == "say how much." and not result.accepted and len(result.rounds) == 1
    late = encode(TASK, Canned(answer("allow Pay("), "CANNOT BE WRITTEN SAFELY: no."), Settings(4))
    assert late.refused == "no." and not late.accepted and not late.text


# ---------------------------------------------------------------- what follows from a judgement


@pytest.mark.parametrize(
    "rules",
    [
        "allow Pay.\ndone.",
        "import std.charter\nallow Pay.\ndone.",
        "import std.charter as c\nallow Pay.\ndone.",
    ],
)
def test_effects_are_asked_about(rules: str) -> None:
    judgement = InstructionJudgement(("malicious", "legal"), 'a "{trap}" \\')
    header = f'spec task "{SAID}"'
    text = with_judgement(f"{header}\nimport std.effects\n{rules}\n", header, judgement)
    text += 'test "t" { attempt Pay => confirm because "INSTRUCTION". refuse. attempt Send => block. }'
    loaded = load_text(text, file="task.vsa")
    assert loaded.ok, [each.message for each in loaded.diagnostics]
    (example,) = loaded.own
    result = run_example(loaded.checked(), example)
    assert result.passed, result.failure
    assert 'a "{trap}"' in str(result.steps)


def test_a_question_that_cannot_be_asked_stops_it() -> None:
    harmful = '{"harmful": true, "categories": ["legal"], "reason": "bad"}'
    charter = written('define Effect(kind = "Pay") when Send.\nallow Pay.\ndone.', harmful)
    with pytest.raises(NotJoined, match="cannot be added"):
        charter_of({1: charter}, 1, TASK)


def test_every_effect_has_its_name() -> None:
    program = load_text("spec x\nimport std.effects\nimport std.charter\nallow Search.\ndone.\n").checked()
    names = {
        each.short
        for each in program.relations.values()
        if each.sort == "action" and each.module == "std.effects"
    }
    said = load(Path(__file__).parents[3] / "stdlib" / "std" / "charter.vsa")
    text = next(iter(said.sources.values())).text if said.main == "std.charter" else ""
    assert names and all(f'define Effect(kind = "{name}") when {name}.' in text for name in names)


# ---------------------------------------------------------------- several as one

PAIR = (
    """allow Pay(payee ~= "Ann", amount <= 20).
allow 2 Send(to ~= "Ann").
define Late when Clock(now > 20:00).
@id("L") deny "late" when Late, Pay.
done when Pay earlier.
""",
    """allow Pay(amount <= 15).
allow Send(to ~= "Ann").
allow Delete.
@id("L") warn "nothing is paid" when finish, not Pay earlier.
done when Pay earlier, Send earlier.
""",
)


def joined(*rules: str) -> Formalization:
    return charter_of({number: written(each) for number, each in enumerate(rules, 1)}, len(rules), TASK)


def decided(charter: Formalization, steps: str) -> None:
    loaded = load_text(
        f'{charter.text}\ntest "t" {{\n  clock 2026-04-01 12:00.\n{steps}\n}}\n', file="task.vsa"
    )
    assert loaded.ok, [each.message for each in loaded.diagnostics]
    (example,) = loaded.own
    result = run_example(loaded.checked(), example)
    assert result.passed, (result.failure, charter.text)


def test_what_not_all_permit_is_asked() -> None:
    charter = joined(*PAIR)
    assert [each.kind for each in charter.doubts] == ["vote"]
    decided(
        charter,
        """  attempt Delete => confirm.
  refuse.
  attempt Order => block.
  attempt Pay(payee = "Bob", amount = 18) => block.
  attempt Pay(payee = "Ann", amount = 18) => confirm.
  refuse.
  attempt Pay(payee = "Bob", amount = 10) => confirm.
  refuse.
  finish => block.
  attempt Pay(payee = "Ann", amount = 10).
  attempt Pay(payee = "Ann", amount = 10) => block because licence.
  attempt Send(to = "Ann", text = "a").
  attempt Send(to = "Ann", text = "b") => confirm.
  refuse.
  finish.""",
    )


def test_one_permission_stays_one() -> None:
    charter = joined('allow Pay(payee = "A").\ndone.', "allow Pay(amount = 1).\ndone.")
    decided(charter, """  attempt Pay(payee = "A", amount = 1).
  attempt Pay(payee = "A", amount = 2) => block because licence.""")  # fmt: skip


def test_what_was_not_read_is_not_a_permission() -> None:
    charter = joined('allow Pay(payee = "A").\ndone.', 'allow Pay(payee = "A", amount = 1).\ndone.')
    decided(charter, '  attempt Pay(payee = "A") => confirm.')


def test_equal_samples_are_one() -> None:
    charter = joined(PAIR[0], PAIR[0])
    assert not charter.doubts and charter.text == written(PAIR[0]).text


@pytest.mark.parametrize("order", [PAIR, PAIR[::-1]])
def test_the_order_does_not_matter(order: tuple[str, str]) -> None:
    decided(
        joined(*order),
        '  attempt Pay(payee = "Ann", amount = 18) => confirm.\n  refuse.\n  attempt Delete => confirm.',
    )


def test_a_sample_that_is_missing_permits_nothing() -> None:
    with pytest.raises(NotJoined, match="sample 2 was not accepted"):
        charter_of({1: written(PAIR[0])}, 2, TASK)
    wrong = written("allow Pay(")
    with pytest.raises(NotJoined, match="sample 2 was not accepted"):
        charter_of({1: written(PAIR[0]), 2: wrong}, 2, TASK)
    assert not charter_of({1: wrong}, 1, TASK).accepted


def test_one_refusal_decides() -> None:
    refused = encode(TASK, Canned("CANNOT BE WRITTEN SAFELY: no."), Settings(1))
    result = charter_of({1: written(PAIR[0]), 2: refused}, 2, TASK)
    assert result.refused == "no." and not result.accepted


def test_a_concern_of_one_sample_raises() -> None:
    harmful = written(PAIR[0], '{"harmful": true, "categories": ["legal"], "reason": "bad"}')
    result = charter_of({1: written(PAIR[0]), 2: harmful}, 2, TASK)
    assert result.judgement is not None and result.judgement.concerns == ("legal",)
    assert 'confirm "The instruction may be harmful (Legal and Compliance Issues): bad"' in result.text


def test_a_judgement_is_needed_of_each_sample() -> None:
    unjudged = written("allow Pay.\ndone.", "nothing")
    result = charter_of({1: written("allow Pay.\ndone."), 2: unjudged}, 2, TASK)
    assert result.judgement is not None and result.judgement.missing
    assert '@id("INSTRUCTION")' in result.text


def test_no_permission_is_used_oftener_than_each_sample_says() -> None:
    charter = joined(
        'allow 1 Send(to = "A").\nallow 1 Send(to = "B").\ndone.', 'allow 2 Send(to in {"A", "B"}).\ndone.'
    )
    decided(
        charter,
        """  attempt Send(to = "A", text = "x").
  attempt Send(to = "A", text = "y") => confirm.
  refuse.
  attempt Send(to = "B", text = "z").""",
    )


KINDS = ("Pay", "Send", "Delete")
CLAUSE = st.tuples(st.sampled_from(KINDS), st.sampled_from(["", "2 ", "each "]), st.integers(0, 2))
CLAUSES = st.lists(CLAUSE, max_size=3, unique_by=lambda each: each[0])


@pytest.mark.slow
@settings(max_examples=4)
@given(CLAUSES, CLAUSES, st.sampled_from(KINDS), st.integers(0, 2))
def test_nothing_passes_that_one_does_not_permit(
    first: list[tuple[str, str, int]], second: list[tuple[str, str, int]], kind: str, number: int
) -> None:
    """An effect passes without a question if and only if each charter alone lets it pass."""

    def rules(clauses: list[tuple[str, str, int]]) -> str:
        lines = [
            f'allow {often}{name}(app = "{n}").' if n else f"allow {often}{name}."
            for name, often, n in clauses
        ]
        return "\n".join([*lines, "done."])

    def level(charter: Formalization) -> str:
        text = f'{charter.text}\ntest "t" {{ attempt {kind}(app = "{number}"). }}\n'
        loaded = load_text(text, file="task.vsa")
        (step,) = run_example(loaded.checked(), loaded.own[0]).steps
        assert step.verdict is not None, (step.problem, text)
        return step.verdict.level

    samples = {number: written(rules(each)) for number, each in enumerate((first, second), 1)}
    alone = [level(each) for each in samples.values()]
    both = level(charter_of(samples, 2, TASK))
    assert (both == "allow") == (alone == ["allow", "allow"])
    assert (both == "block") == (alone == ["block", "block"])
