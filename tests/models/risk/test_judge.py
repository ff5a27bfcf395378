"""A judge in a session: its answers raise a verdict, nothing lowers one, and whatever goes wrong is not an answer."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.models.encode.chat_server import Chat, Reply, fails, says, serve
from tests.models.risk.judges import FAULTS, asked, opinion
from tests.screen.control.making import node, page, text
from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Proposal
from vsalang.language.semantics import load_text
from vsalang.models.encode import Answer, Budget, Message, ModelError, OpenAIModel
from vsalang.models.risk.judge import Judge, LiveJudge, Moment, NoJudgement, Opinion, Question, moment_of
from vsalang.models.risk.judge.prompt import messages
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen
from vsalang.screen.screen import TreeScreen

Vsac = Callable[..., CompletedProcess[str]]
SPEC = """spec s "Look at the lamp"
import std.judge
allow answer(text = "on").
done when answer earlier.
"""
POLICY = Path(__file__).parents[3] / "stdlib/std/policies/judge.vsa"
ASKED = Question("Pay", (Moment("", "tap(x = 1, y = 1)"),))
TAP = Action("tap", {"x": 150, "y": 150})


def shown(label: str) -> TreeScreen:
    tree = page(text(label), node("Button", at=(100, 100, 300, 300), clickable="true", text="OK"))
    return TreeScreen(tree, app=("com.app", None), settled=True)


class Phone:
    """Shows another screen after each action."""

    def __init__(self) -> None:
        self.number = 1
        self.pictures = 0

    def observe(self) -> Screen:
        return shown(f"Page {self.number}")

    def perform(self, action: Action, target: Cells) -> None:
        self.number += 1

    def screenshot(self) -> bytes:
        self.pictures += 1
        return b"picture %d" % self.number


class Canned:
    """A model that says what it is told to."""

    name = "canned"

    def __init__(self, *concerns: str) -> None:
        self.concerns = concerns
        self.asked: list[list[Message]] = []

    def ask(self, messages: Any) -> Answer:
        self.asked.append(messages)
        nonce = messages[-1].content.split()[1].rstrip(".")
        data = {"nonce": nonce, "concern": bool(self.concerns), "categories": self.concerns, "reason": "so"}
        return Answer(json.dumps(data), "canned-1")


def guarded(live: LiveJudge | None, phone: Phone) -> Guard:
    program = load_text(SPEC, path=Path("s.vsa"), policies=[POLICY]).checked()
    guard = Guard(program, phone, settings=Settings(unknown_screen="allow"))
    if live is not None:
        guard.consult(live)
    return guard


def levels(live: LiveJudge | None, *actions: Action) -> list[str]:
    return levels_on(Phone(), live, *actions)


def levels_on(phone: Phone, live: LiveJudge | None, *actions: Action) -> list[str]:
    guard = guarded(live, phone)
    return [guard.step(action, approved=True).verdict.level for action in actions]


ANSWER, FINISH = Action("answer", {"text": "on"}), Action("finish")


# ---------------------------------------------------------------- what it changes


def test_a_concern_is_asked_of_the_user() -> None:
    guard = guarded(LiveJudge(Judge(Canned("Over-Automation", "Resource Abuse")), "Look"), Phone())
    verdict = guard.step(TAP).verdict
    assert verdict.level == "confirm"
    assert [reason.rule for reason in verdict.reasons] == ["JDG-1", "JDG-1"]
    assert "Over-Automation: so" in guard.feedback(verdict)


def test_no_concern_changes_nothing() -> None:
    actions = (TAP, Action("answer", {"text": "off"}), Action("shell", {"command": "rm"}), ANSWER, FINISH)
    without = levels(None, *actions)
    assert levels(LiveJudge(Judge(Canned()), "Look"), *actions) == without
    assert without == ["allow", "block", "block", "allow", "allow"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_is_blocked_stays_blocked(when: Any) -> None:
    for concerns in ((), ("Over-Automation",)):
        live = LiveJudge(Judge(Canned(*concerns)), "Look", when=when)
        assert levels(live, TAP, Action("shell", {"command": "rm"}))[1] == "block"


def test_answers_and_the_end_are_not_judged() -> None:
    model = Canned("Over-Automation")
    assert levels(LiveJudge(Judge(model), "Look"), ANSWER, FINISH) == ["allow", "allow"]
    assert not model.asked


def test_an_answer_after_weighs_on_the_next() -> None:
    model = Canned("Privacy Violations")
    found = levels(LiveJudge(Judge(model), "Look", when="after"), TAP, TAP, ANSWER)
    assert found == ["allow", "confirm", "confirm"]
    said = model.asked[0][1].content
    assert "On screen 1 the agent did: tap(x = 150, y = 150)" in said and "Page 2" in said


def test_an_override_needs_no_second_answer() -> None:
    """What was warned of may be repeated: the same answer does not make it another moment."""
    program = load_text(
        'spec s "S"\nimport std.judge\nwarn "{?w}" when Judged(reason = ?w, concern = true).\ndone when tap earlier.\n'
    ).checked()
    model = Canned("Over-Automation")
    guard = Guard(program, Phone(), settings=Settings(unknown_screen="allow"))
    guard.consult(LiveJudge(Judge(model), "S"))
    assert [guard.step(TAP).verdict.level for _ in range(2)] == ["warn", "allow"]
    assert len(model.asked) == 1


def test_the_user_agrees_to_a_concern() -> None:
    guard = guarded(LiveJudge(Judge(Canned("Over-Automation")), "Look"), Phone())
    acted = guard.step(TAP, approved=True)
    assert acted.performed and guard.snapshot.screen is not None


def test_a_screen_that_changes_meanwhile_is_not_judged() -> None:
    guard = guarded(None, Phone())

    class Slow(Canned):
        def ask(self, messages: Any) -> Answer:
            guard.observe(shown("another"))
            return super().ask(messages)

    guard.consult(LiveJudge(Judge(Slow()), "Look"))
    guard.observe(shown("one"))
    verdict = guard.propose(TAP)
    assert verdict.level == "confirm" and "the screen changed while a judge was asked" in guard.feedback(
        verdict
    )


def test_evidence_that_fails_is_no_answer() -> None:
    class Broken:
        def rows(self, *_: object) -> Any:
            raise RuntimeError("broken\x1b[31m")

        committed = observed = rows

    guard = guarded(None, Phone())
    guard.consult(Broken())
    verdict = guard.step(TAP, approved=True).verdict
    assert verdict.level == "confirm" and "RuntimeError" in guard.feedback(verdict)
    assert "\x1b" not in guard.feedback(verdict)


def test_a_judge_sees_texts_and_actions_to_their_end() -> None:
    tree = page(node("Button", text="a" * 190 + "1", content_desc="b" * 190 + "2", hint="c" * 190 + "3"))
    screen = TreeScreen(tree, app=("com.app", None), settled=True)
    typed = Proposal(Action("input_text", {"x": 1, "y": 1, "value": f"{'x' * 1900} and the end"}))
    said = messages(Question("Look", (moment_of(screen, typed),)), "7")[1].content
    assert "a1" in said and "b2" in said and "c3" in said and "and the end" in said


@pytest.mark.parametrize("pictures", [1, 2])
def test_no_answer_after_is_not_the_one_before(pictures: int) -> None:
    """The judge is not concerned about the first action; of the second one no picture can be taken."""
    phone = Phone()

    def picture() -> bytes:
        if phone.pictures > pictures:
            raise RuntimeError("no picture")
        return phone.screenshot()

    live = LiveJudge(Judge(Canned()), "Look", when="after", picture=picture)
    assert levels_on(phone, live, *[TAP] * 4)[0::3] == ["allow", "confirm"]


@pytest.mark.parametrize(("mode", "shown_last"), [("step", 2), ("window", 5), ("sample", 5)])
def test_which_moments_a_judge_sees(mode: Any, shown_last: int) -> None:
    model = Canned()
    levels(LiveJudge(Judge(model), "Look", mode=mode), *[TAP] * 7)
    assert f"Screen {shown_last} of {shown_last}:" in model.asked[-1][1].content
    assert "Page 7" in model.asked[-1][1].content


def test_pictures_are_taken_once_a_screen() -> None:
    model, phone = Canned(), Phone()
    guard = guarded(LiveJudge(Judge(model), "Look", picture=phone.screenshot), phone)
    guard.step(TAP)
    guard.step(TAP)
    assert [len(messages[1].pictures) for messages in model.asked] == [1, 2]
    assert phone.pictures == 2


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_is_safe(fault: str) -> None:
    hangs = fault in ("time-out", "slow drip", "headers without end")
    with serve(FAULTS[fault]()) as chat:
        model = OpenAIModel("m", base_url=chat.url, timeout=0.5 if hangs else 60, retries=0)
        live = LiveJudge(Judge(model), "Look")
        guard = guarded(live, Phone())
        verdict = guard.step(TAP).verdict
    assert verdict.level == "confirm"
    assert [reason.rule for reason in verdict.reasons] == ["JDG-2"]
    assert chat.requests or hangs


def test_a_server_that_is_gone_gives_no_answer() -> None:
    with serve(says("{}")) as chat:
        pass
    found = Judge(OpenAIModel("m", base_url=chat.url, timeout=60, retries=0)).ask(ASKED)
    assert isinstance(found, NoJudgement)


def test_an_answer_of_an_earlier_question_counts_for_nothing() -> None:
    """Somebody between us and the model sends again what it once said."""
    kept: list[Reply] = []

    def again(request: dict[str, Any]) -> Reply:
        kept.append(opinion()(request))
        return kept[0]

    with serve(again) as chat:
        judge = Judge(OpenAIModel("m", base_url=chat.url, retries=0))
        first, second = (judge.ask(replace(ASKED, instruction=text)) for text in ("a", "b"))
    assert isinstance(first, Opinion) and isinstance(second, NoJudgement)


# ---------------------------------------------------------------- what is paid for


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    model = Canned("Over-Automation")
    for _ in range(2):
        judge = Judge(model, cache=tmp_path / "kept")
        assert judge.ask(ASKED) == judge.ask(ASKED)
    assert len(model.asked) == 1
    Judge(model, cache=tmp_path / "kept").ask(replace(ASKED, done=True))
    assert len(model.asked) == 2


def test_no_answer_is_not_kept(tmp_path: Path) -> None:
    with serve(fails(500), opinion()) as chat:
        judge = Judge(OpenAIModel("m", base_url=chat.url, retries=0), cache=tmp_path)
        found = [judge.ask(ASKED) for _ in range(3)]
    assert [type(each) for each in found] == [NoJudgement, Opinion, Opinion] and len(chat.requests) == 2


@pytest.mark.parametrize("content", ["", "{", '{"concerns": ["x"], "reason": "", "model": ""}'])
def test_a_broken_cache_is_not_used(tmp_path: Path, content: str) -> None:
    model = Canned()
    Judge(model, cache=tmp_path).ask(ASKED)
    (file,) = tmp_path.rglob("*.json")
    file.write_text(content)
    assert Judge(model, cache=tmp_path).ask(ASKED) == Opinion((), "so", "canned-1")
    assert len(model.asked) == 2


def test_a_cache_that_fails_costs_no_answer(tmp_path: Path) -> None:
    judge = Judge(Canned(), cache=tmp_path / "kept")
    (tmp_path / "kept").rmdir()
    (tmp_path / "kept").write_text("")
    assert isinstance(judge.ask(ASKED), Opinion) and "cannot be kept" in judge.problem
    with pytest.raises(ModelError):
        Judge(Canned(), cache=tmp_path / "kept" / "more")


def test_a_used_up_budget_is_no_answer() -> None:
    with serve(opinion()) as chat:
        judge = Judge(OpenAIModel("m", base_url=chat.url, retries=0), budget=Budget(tokens=10))
        found = [judge.ask(replace(ASKED, instruction=str(number))) for number in range(3)]
    assert [type(each) for each in found] == [Opinion, NoJudgement, NoJudgement]
    assert len(chat.requests) == 1 and judge.spent.tokens == 15
    assert isinstance(found[1], NoJudgement) and "budget" in found[1].why


def test_a_budget_of_cost_needs_a_price() -> None:
    """Else it would be used up after one answer, whatever that cost."""
    model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ModelError, match=r"what m at .* costs is not known") as caught:
        Judge(model, budget=Budget(cost=5.0))
    assert "--judge-tokens" in caught.value.hint


# ---------------------------------------------------------------- the command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "s.vsa").write_text(
        'spec s "Look at the display"\nimport apps.settings\ndone when tap earlier.\n'
    )
    wanted = [{"action": "tap", "text": "Display"}, {"action": "back"}, {"action": "finish"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, wanted)))
    return tmp_path


def run(vsac: Vsac, files: Path, chat: Chat | None, *more: Any) -> CompletedProcess[str]:
    judge = ("--judge-model", "m", "--judge-url", chat.url) if chat is not None else ()
    where = ("--device", "sim:settings", "--open", "org.example.settings", "--policy", POLICY)
    own = ("--agent", files / "a.jsonl", "--journal", files / "j.jsonl")
    return vsac("run", files / "s.vsa", *where, *own, *judge, *more)


def test_run_with_a_judge(vsac: Vsac, files: Path) -> None:
    with serve(opinion("Over-Automation", reason="it goes back", when="wants to do: back")) as chat:
        done = run(vsac, files, chat)
        requests = len(chat.requests)
    assert "texts of the screen are sent to" in done.stderr
    assert "Over-Automation: it goes back" in done.stdout
    assert done.returncode == 0 and requests == 2
    assert "the judge was asked 2 times: 30 tokens" in done.stderr
    assert '"Look at the display"' in asked(chat.requests[0])
    # nobody is asked again
    replayed_ = vsac("journal", "replay", files / "j.jsonl")
    assert replayed_.returncode == 0, replayed_.stdout
    assert len(chat.requests) == requests


def test_run_with_a_judge_after(vsac: Vsac, files: Path) -> None:
    with serve(opinion("Over-Automation", reason="it opened it", when="did: tap")) as chat:
        done = run(vsac, files, chat, "--judge-when", "after", "--judge-pictures", "--judge-mode", "window")
    assert "Over-Automation: it opened it" in done.stdout
    assert "texts and pictures of the screen are sent to" in done.stderr
    parts = chat.requests[0]["messages"][1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "image_url"]
    assert vsac("journal", "replay", files / "j.jsonl").returncode == 0


def test_a_judge_that_no_rule_reads_is_refused(vsac: Vsac, files: Path) -> None:
    with serve(opinion()) as chat:
        done = vsac(
            "run",
            files / "s.vsa",
            *("--device", "sim:settings", "--agent", files / "a.jsonl", "--journal", files / "j.jsonl"),
            *("--judge-model", "m", "--judge-url", chat.url),
        )
    assert done.returncode == 2 and "no rule in force reads what the judge says" in done.stderr
    assert not (files / "j.jsonl").exists()


def test_judge_options_need_a_model(vsac: Vsac, files: Path) -> None:
    done = run(vsac, files, None, "--judge-url", "http://localhost:1/v1")
    assert done.returncode == 2 and "--judge-url needs --judge-model." in done.stderr
