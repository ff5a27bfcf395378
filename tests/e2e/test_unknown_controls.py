"""A control that nobody knows, from the command line: asked, kept, accepted, and judged again without asking."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.commands import vsac
from tests.models.effects.unknown import answers
from tests.models.encode.chat_server import Chat, fails, serve
from vsalang.guard.journal.file import read_journal

SPEC = """spec task "Look for a debt in an app that nobody described"
import std.effects
{more}
allow {act}{bound}.
done when {act} earlier.
"""
PROPOSALS = (
    {"action": "wait"},
    {"action": "tap", "desc": "Settle with Bob Ray"},
    {"action": "give_up", "reason": "seen"},
)
DEVICE = ("--device", "sim:docs/examples/splitly", "--open", "com.example.splitly", "--on-confirm", "no")


def run(
    folder: Path, name: str, *options: object, more: str = "", act: str = "Search", bound: str = ""
) -> CompletedProcess[str]:
    (folder / "task.vsa").write_text(SPEC.format(more=more, act=act, bound=bound), encoding="utf-8")
    (folder / "agent.jsonl").write_text("\n".join(map(json.dumps, PROPOSALS)), encoding="utf-8")
    agent = ("--agent", folder / "agent.jsonl", "--journal", folder / name)
    return vsac(
        "run", folder / "task.vsa", *DEVICE, *agent, *options, OPENAI_API_KEY="k", XDG_DATA_HOME=str(folder)
    )


def levels(journal: Path) -> list[str]:
    return [each.data["verdict"]["level"] for each in read_journal(journal) if each.kind == "propose"]


def asking(chat: Chat, file: Path) -> tuple[object, ...]:
    return ("--effects-model", "m", "--effects-url", chat.url, "--effects-answers", file)


def test_from_a_question_to_a_module(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    assert run(tmp_path, "0.jsonl").returncode == 1
    assert levels(tmp_path / "0.jsonl") == ["allow", "confirm", "allow"]
    with serve(answers()) as chat:
        done = run(tmp_path, "1.jsonl", *asking(chat, file))
        assert levels(tmp_path / "1.jsonl") == ["allow", "allow", "allow"], done.stderr
        assert "texts of screens whose controls are asked about are sent to" in done.stderr
        assert "1 answer about unknown controls, not accepted by a person" in done.stderr
        # the step itself says by whose word it was judged
        said = 'said that "Settle with Bob Ray" leads on; nobody has accepted that answer'
        assert said in " ".join(done.stdout.replace("│", "").split())
        assert said in " ".join(vsac("journal", "show", tmp_path / "1.jsonl").stdout.replace("│", "").split())
        assert len(chat.requests) == 1
        again = vsac("journal", "replay", tmp_path / "1.jsonl")
        assert again.returncode == 0, again.stdout
        assert len(chat.requests) == 1  # the replay asked nobody
    # in another session it is unknown again, until a person accepts it
    run(tmp_path, "2.jsonl", "--effects-answers", file)
    assert levels(tmp_path / "2.jsonl")[1] == "confirm"
    (kept,) = json.loads(vsac("answers", "list", "--answers", file, "--format", "json").stdout)["answers"]
    assert kept["version"] == "1.0 1" and kept["control"]["label"] == "Settle with Bob Ray"
    module = tmp_path / "booking_controls.vsa"
    assert vsac("answers", "accept", kept["id"], "--answers", file, "-o", module).returncode == 0
    assert vsac("check", module).returncode == 0
    run(tmp_path, "3.jsonl", "--effects-answers", file)
    assert levels(tmp_path / "3.jsonl")[1] == "allow"
    # the module alone says it, too
    run(tmp_path, "4.jsonl", more="import booking_controls")
    assert levels(tmp_path / "4.jsonl") == ["allow", "allow", "allow"]


def test_a_detail_is_told_of_and_accepted(tmp_path: Path) -> None:
    """What else the page says of who is named permits the act, and the run and its journal say so."""
    file = tmp_path / "answers"
    spec = {"act": "Send", "bound": '(to contains "you owe")'}
    said = [{"parameter": "to", "line": line, "words": ""} for line in (8, 9)]
    with serve(answers(means="acts", kind="Send", arguments=said)) as chat:
        run(tmp_path, "1.jsonl", *asking(chat, file), **spec)
    assert levels(tmp_path / "1.jsonl")[1] == "block"
    listed = vsac("answers", "list", "--answers", file).stdout
    assert 'to: the text behind "Settle with Ann Lee", and the text behind "Bob Ray"' in listed
    assert vsac("answers", "accept", listed.split()[0], "--answers", file).returncode == 0
    done = run(tmp_path, "2.jsonl", "--effects-answers", file, **spec)
    assert levels(tmp_path / "2.jsonl")[1] == "allow"
    flag = 'the task permits this by what else is told of whom or what it names: "Bob Ray ‖ you owe €35.50"'
    for text in (done.stdout, vsac("journal", "show", tmp_path / "2.jsonl").stdout):
        assert flag in " ".join(text.replace("│", "").split())
    assert vsac("journal", "replay", tmp_path / "2.jsonl").returncode == 0
    run(
        tmp_path,
        "3.jsonl",
        "--effects-answers",
        file,
        act="Send",
        bound='(to contains "owes")',
    )
    assert levels(tmp_path / "3.jsonl")[1] == "block"


def test_no_answer_does_not_allow(tmp_path: Path) -> None:
    with serve(fails(500)) as chat:
        done = run(tmp_path, "j.jsonl", *asking(chat, tmp_path / "answers"))
    assert levels(tmp_path / "j.jsonl")[1] == "confirm"
    assert "1 control without an answer: " in done.stderr


def test_by_files(tmp_path: Path) -> None:
    """Nobody answers: the question stays there for who runs it again."""
    (tmp_path / "asked").mkdir()
    options = (
        "--effects-model",
        "m",
        "--effects-endpoint-dir",
        tmp_path / "asked",
        "--effects-timeout",
        "0.2",
    )
    run(tmp_path, "j.jsonl", *options)
    assert levels(tmp_path / "j.jsonl")[1] == "confirm"
    (request,) = (tmp_path / "asked").glob("*.request.json")
    assert "Settle with Bob Ray" in request.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--effects-url", "http://127.0.0.1:1/v1"), "--effects-model"),
        (("--effects-model", "m", "--effects-endpoint-dir", "nowhere"), "is not a folder"),
    ],
)
def test_what_cannot_be_used_so(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    refused = run(tmp_path, "j.jsonl", *options)
    assert refused.returncode == 2 and said in refused.stderr and not (tmp_path / "j.jsonl").exists()


def test_a_task_without_effects_reads_no_answers(tmp_path: Path) -> None:
    (tmp_path / "task.vsa").write_text(
        'spec task "Say yes"\nallow answer(text = "x").\ndone when answer earlier.\n'
    )
    (tmp_path / "agent.jsonl").write_text(json.dumps(PROPOSALS[0]))
    agent = ("--agent", tmp_path / "agent.jsonl", "--journal", tmp_path / "j.jsonl")
    refused = vsac("run", tmp_path / "task.vsa", *DEVICE, *agent, "--effects-answers", tmp_path / "a")
    assert refused.returncode == 2 and "add `import std.effects` to the spec" in refused.stderr
