"""Several actions in one proposal: the rest is left out where something is not as planned."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.guard.graph.phone import MailPhone, invite
from vsalang.agents import AgentError, Observation, Proposed, Step, run_agent, run_steps
from vsalang.agents.proposed import read_proposal
from vsalang.guard import Guard
from vsalang.program.action import Action
from vsalang.tools.cli.runshow import JsonShow, TextShow

EXAMPLES = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
TO = Action("input_text", {"id": "to", "value": "Ann"})
SUBJECT = Action("input_text", {"id": "subject", "value": "Lunch"})
CHECK = Action("tap", {"id": "check"})
SEND = Action("tap", {"id": "send"})


def together(first: Action, *rest: Action) -> Proposed:
    return Proposed(first, then=tuple(map(Proposed, rest)))


def steps(phone: Any, *proposals: Proposed) -> list[Step]:
    return list(run_agent(Guard(invite()), phone, proposals))


def test_a_line_may_be_a_list() -> None:
    line = '[{"action": "tap", "id": "check"}, {"action": "tap", "id": "send", "note": "off"}]'
    found = read_proposal(line, invite(), "here", 7)
    assert found == Proposed(CHECK, line=7, then=(Proposed(SEND, note="off", line=7),))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "the list is empty"),
        ('[{"action": "tap"}, 1]', "action 2: a proposal is an object"),
        ('[{"action": "tpa"}]', "action 1: .* did you mean `tap`"),
        ('[[{"action": "tap"}]]', "action 1: a proposal is an object"),
    ],
)
def test_a_list_is_understood_or_refused(line: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        read_proposal(line, invite(), "here")


def test_the_rest_is_left_out_after_a_refusal() -> None:
    phone = MailPhone()
    first, refused, after = steps(phone, together(TO, SEND, SUBJECT), together(CHECK))
    assert first.stop is None and [first.number, refused.number, after.number] == [1, 2, 3]
    assert refused.stop is not None and refused.stop.kind == "refused"
    assert [each.action for each in refused.left_out] == [SUBJECT]
    assert after.performed and after.stop is None
    assert [id_ for _, id_ in phone.delivered] == ["to", "check"]


def test_the_rest_is_left_out_when_text_is_cut() -> None:
    phone = MailPhone(cut=2)
    (only,) = steps(phone, together(TO, SUBJECT))
    assert only.performed and only.stop is not None and only.stop.kind == "differs"


def test_controls_are_found_again_on_later_screens() -> None:
    phone = MailPhone(moving=True)
    typed = [Action("input_text", {"node": node, "value": "Ann"}) for node in (2, 3)]
    found = steps(phone, together(*typed))
    assert [id_ for _, id_ in phone.delivered] == ["to", "subject"]
    assert found[1].proposed.action.args["node"] == 4
    gone = steps(MailPhone(), together(Action("tap", {"id": "more"}), Action("tap", {"node": 3})))
    assert gone[-1].stop is not None and gone[-1].stop.kind == "gone"


def test_an_agent_as_function_may_plan_several() -> None:
    seen: list[Observation] = []

    def agent(now: Observation) -> list[Action] | None:
        seen.append(now)
        return [TO, SEND, SUBJECT] if now.number == 1 else None

    done = list(run_steps(Guard(invite()), MailPhone(), agent))  # type: ignore[arg-type]
    assert [step.performed for step in done] == [True, False]
    assert [each.action for each in seen[1].left_out] == [SUBJECT]
    assert "Left out of the plan: input_text" in seen[1].feedback


def test_the_run_shows_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    (step,) = steps(MailPhone(), together(SEND, SUBJECT))
    TextShow(invite(), color=False).step(step)
    assert "the rest of the plan is left out, 1 action: block" in " ".join(capsys.readouterr().out.split())
    JsonShow(invite()).step(step)
    stopped = json.loads(capsys.readouterr().out)["stopped"]
    assert stopped["kind"] == "refused" and stopped["left_out"][0]["proposed"]["id"] == "subject"


def test_what_was_left_out_cannot_be_resumed(vsac: Any, tmp_path: Path) -> None:
    script = tmp_path / "agent.jsonl"
    script.write_text('[{"action": "tap", "id": "gone"}, {"action": "back"}]\n', encoding="utf-8")
    journal = tmp_path / "j.jsonl"
    spec = EXAMPLES / "reserve_r.vsa"
    assert (
        vsac("run", spec, "--device", "sim:restaurant", "--agent", script, "--journal", journal).returncode
        == 1
    )
    again = vsac("run", "--resume", journal, "--agent", script)
    assert again.returncode == 2 and "holds commitments" in again.stderr
