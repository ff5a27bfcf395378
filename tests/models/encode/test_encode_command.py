"""``vsac encode`` from the command line to a server on this machine, with the real client in between."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vsalang
from tests import processes
from tests.models.encode.chat_server import Chat, fails, says, serve, streams
from vsalang.language.semantics import load
from vsalang.tools.cli.main import run

ROOT = Path(vsalang.__file__).parents[1]
SAID = "Reserve a table at restaurant R for today before 7 PM."
KEY = "sk-secret-0123456789"
WRONG = """spec r "Reserve."
import apps.opentable
allow Reserve(restaurant = "R", date = today, hour < 19:00).
done when Reserve earlier, ReserveResult(outcome = true).
"""
RIGHT = """spec r "Reserve."
import apps.opentable
allow Reserve(restaurant = "R", date = today, time < 19:00).
done when Reserve earlier, ReserveResult(success = true).

test "only before seven" {
  clock 2026-04-01 12:00.
  attempt Reserve(restaurant = "R", date = today, time = 20:00) => block because time.
  attempt Reserve(restaurant = "R", date = today, time = 18:00).
}
"""
FAILING = RIGHT.replace("20:00) => block because time", "20:00)")


def block(text: str) -> Any:
    return says(f"Here it is:\n```vsa\n{text}```")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def copied(folder: Path) -> Path:
    """A copy of the app of the restaurant, under a name of its own."""
    folder.mkdir()
    text = (ROOT / "app_specs" / "apps" / "opentable.vsa").read_text(encoding="utf-8")
    app = folder / "diner.vsa"
    app.write_text(text.replace("app apps.opentable", "app diner").partition("test ")[0], encoding="utf-8")
    return app


def test_imports_are_looked_for_as_check_does(tmp_path: Path) -> None:
    app = copied(tmp_path / "modules")
    config = tmp_path / "vsac.toml"
    config.write_text('search = ["modules"]\n')
    answer = RIGHT.partition("test ")[0].replace("import apps.opentable", "import diner")
    command = [
        "encode",
        SAID,
        "-o",
        str(tmp_path / "r.vsa"),
        "--retries",
        "0",
        "--timeout",
        "20",
        "--no-review",
    ]
    with serve(block(answer)) as chat:
        named = [*command, "--base-url", chat.url]
        assert run([*named, "--app", "diner"]) == 0
        assert load(tmp_path / "r.vsa", search=[tmp_path / "modules"]).ok
        config.unlink()
        assert run([*named, "--app", str(app), "--force"]) == 2
        config.write_text("serach = []\n")
        assert run([*named, "--app", "apps.opentable", "--force"]) == 2
        assert len(chat.requests) == 1


@pytest.fixture
def encode(tmp_path: Path) -> Callable[..., int]:
    def call(chat: Chat, *more: str, said: str = SAID) -> int:
        options = ["--base-url", chat.url, "--retries", "0", "--timeout", "20", "--no-review", *more]
        return run(["encode", said, "--app", "apps.opentable", "-o", str(tmp_path / "r.vsa"), *options])

    return call


def test_diagnostics_go_back_and_the_right_answer_is_written(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(block(WRONG), block(RIGHT)) as chat:
        assert encode(chat, "--model", "tiny", "--temperature", "0", "--seed", "1") == 0
    out, err = capsys.readouterr()
    assert err.split("\n") == [
        f"round 1 of 4: asking tiny at {chat.url} ...",
        "round 1 of 4: 2 errors, asking again",
        f"round 2 of 4: asking tiny at {chat.url} ...",
        "round 2 of 4: accepted",
        "",
    ]
    fed = chat.messages(2)[-1]
    assert fed["role"] == "user"
    for part in ("E0206", "r.vsa:3:47", "hour < 19:00", "`time`", "outcome", "`success`"):
        assert part in fed["content"]
    written = tmp_path / "r.vsa"
    above, text = written.read_text(encoding="utf-8").split("spec r", 1)
    assert f"spec r{text}" == RIGHT.replace('"Reserve."', f'"{SAID}"')
    assert all(line.startswith("// ") for line in above.splitlines())
    assert "2 calls, 20 tokens sent, 10 answered, cost unknown\n" in out
    assert load(written).ok
    assert f"wrote {written} after 2 rounds: no errors, 1 test passed" in out
    assert '  allow Reserve(restaurant = "R", date = today, time < 19:00)\n' in out
    assert [path.name for path in tmp_path.iterdir()] == ["r.vsa"]
    assert (chat.requests[0]["model"], chat.requests[0]["temperature"], chat.requests[0]["seed"]) == (
        "tiny",
        0,
        1,
    )


def test_a_failing_test_of_its_own_goes_back(encode: Callable[..., int], tmp_path: Path) -> None:
    with serve(block(FAILING), block(RIGHT)) as chat:
        assert encode(chat) == 0
    fed = chat.messages(2)[-1]["content"]
    assert 'the test "only before seven" fails' in fed
    assert "r.vsa:8" in fed and "time = 20:00)" in fed and "got: block" in fed


def test_rounds_are_bounded_and_nothing_is_written(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(block(WRONG)) as chat:
        assert encode(chat, "--max-rounds", "2") == 1
    assert len(chat.requests) == 2
    out, err = capsys.readouterr()
    assert "error[E0206]: unknown attribute `hour`" in out
    assert "no spec was written: the last of 2 rounds has 2 errors" in out
    assert err.endswith("round 2 of 2: 2 errors\n")
    assert list(tmp_path.iterdir()) == []


def test_a_rejected_attempt_is_kept_on_request(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(block(WRONG)) as chat:
        assert encode(chat, "--max-rounds", "1", "--keep") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["r.rejected.vsa"]
    assert "hour < 19:00" in (tmp_path / "r.rejected.vsa").read_text(encoding="utf-8")
    assert "r.rejected.vsa" in capsys.readouterr().out


def test_a_spec_may_not_import_what_was_not_given(encode: Callable[..., int]) -> None:
    other = RIGHT.replace("import apps.opentable", "import apps.opentable\nimport payments")
    with serve(block(other), block(RIGHT)) as chat:
        assert encode(chat) == 0
    assert "`payments` may not be imported" in chat.messages(2)[-1]["content"]


def test_the_instruction_is_kept_verbatim(encode: Callable[..., int], tmp_path: Path) -> None:
    said = 'Book "R" \\ before 7,\nnicht später\u202e 👍. */ spec x "y"'
    with serve(block(RIGHT)) as chat:
        assert encode(chat, "--name", "own", said=said) == 0
    loaded = load(tmp_path / "r.vsa")
    assert loaded.units[-1].tree.doc is not None
    assert loaded.units[-1].tree.doc.value == said
    assert loaded.main == "own"
    assert "\n> " + said.replace("\n", "\n> ") + "\n" in chat.messages(1)[1]["content"]


def test_an_existing_file_is_kept(encode: Callable[..., int], tmp_path: Path) -> None:
    (tmp_path / "r.vsa").write_text("mine", encoding="utf-8")
    with serve(block(RIGHT)) as chat:
        assert encode(chat) == 2
        assert chat.requests == []
        assert (tmp_path / "r.vsa").read_text(encoding="utf-8") == "mine"
        assert encode(chat, "--force") == 0
    assert load(tmp_path / "r.vsa").ok


def test_a_file_that_comes_into_being_meanwhile_is_kept(encode: Callable[..., int], tmp_path: Path) -> None:
    def meanwhile(body: dict[str, Any]) -> Any:
        (tmp_path / "r.vsa").write_text("mine", encoding="utf-8")
        return block(RIGHT)

    with serve(meanwhile) as chat:
        assert encode(chat) == 2
    assert (tmp_path / "r.vsa").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["r.vsa"]


def test_the_trace_holds_everything_but_the_key(encode: Callable[..., int], tmp_path: Path) -> None:
    trace = tmp_path / "deep" / "t"
    with serve(block(WRONG), block(RIGHT)) as chat:
        assert encode(chat, "--trace", str(trace), said=f"{SAID} Not {KEY}.") == 0
        assert encode(chat, "--trace", str(trace), "--force") == 2  # it is not empty
    assert sorted(path.name for path in trace.iterdir()) == [
        "000001.answer.json",
        "000001.request.json",
        "000002.answer.json",
        "000002.request.json",
        "run.jsonl",
    ]
    request = json.loads((trace / "000002.request.json").read_text(encoding="utf-8"))
    assert (request["model"], request["endpoint"], request["role"]) == ("gpt-4o", chat.url, "writer")
    assert request["messages"][-1]["content"] == chat.messages(2)[-1]["content"].replace(KEY, "[key]")
    answer = json.loads((trace / "000002.answer.json").read_text(encoding="utf-8"))
    assert RIGHT in answer["text"] and answer["usage"]["total_tokens"] == 15
    events = [json.loads(line) for line in (trace / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [problem["code"] for problem in events[0]["problems"]] == ["E0206", "E0206"]
    assert events[1]["accepted"] and events[1]["round"] == 2
    for path in trace.iterdir():
        assert KEY not in path.read_text(encoding="utf-8")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_run_is_repeated_from_its_trace(encode: Callable[..., int], tmp_path: Path) -> None:
    with serve(block(WRONG), block(RIGHT)) as chat:
        assert encode(chat, "--trace", str(tmp_path / "t"), "--today", "2026-04-01") == 0
    again = [
        "encode",
        SAID,
        "--app",
        "apps.opentable",
        "-o",
        str(tmp_path / "again" / "r.vsa"),
        "--no-review",
    ]
    (tmp_path / "again").mkdir()
    files = [
        "--no-provenance",
        "--endpoint-dir",
        str(tmp_path / "t"),
        "--timeout",
        "0.1",
        "--today",
        "2026-04-01",
    ]
    assert run([*again, *files]) == 0
    spec = (tmp_path / "again" / "r.vsa").read_text(encoding="utf-8")
    assert spec.startswith("spec r") and (tmp_path / "r.vsa").read_text(encoding="utf-8").endswith(spec)


def test_for_programs(encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(block(WRONG), block(RIGHT)) as chat:
        assert encode(chat, "--format", "json") == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["version"], data["accepted"], data["output"]) == (1, True, str(tmp_path / "r.vsa"))
    assert data["text"] == (tmp_path / "r.vsa").read_text(encoding="utf-8")
    assert data["allows"] == ['allow Reserve(restaurant = "R", date = today, time < 19:00)']
    assert (data["tests"], data["instruction"]) == (1, SAID)
    assert [len(each["problems"]) for each in data["rounds"]] == [2, 0]
    assert data["rounds"][0]["problems"][0]["line"] == 3

    (tmp_path / "r.vsa").unlink()
    with serve(block(WRONG)) as chat:
        assert encode(chat, "--format", "json", "--max-rounds", "1", "--keep") == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["accepted"], data["output"]) == (False, None)
    assert data["rejected"] == str(tmp_path / "r.rejected.vsa")


def test_a_failing_endpoint_is_status_2(
    encode: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "t"
    with serve(block(WRONG), fails(429, f"slow down, {KEY}", **{"Retry-After": "9"})) as chat:
        assert encode(chat, "--keep", "--trace", str(trace)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error: " in err and "asked too often" in err and "help: try again in 9 seconds" in err
    failed = (trace / "000002.error.json").read_text(encoding="utf-8")
    assert KEY not in err + failed and "asked too often" in failed
    events = (trace / "run.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(events[-1])["event"] == "error"
    assert "hour < 19:00" in (tmp_path / "r.rejected.vsa").read_text(encoding="utf-8")


def test_what_a_model_says_cannot_steer_the_terminal(
    encode: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(block(WRONG.replace("tim ", "tim /* \x1b[31m */ "))) as chat:
        assert encode(chat, "--max-rounds", "1") == 1
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--app", "apps.opentable", "-o", "{}/a.txt"], "ends in .vsa"),
        (["--app", "apps.opentable", "-o", "{}/no/a.vsa"], "is not a folder"),
        (["--app", "apps.opentable", "-o", "{}/a b.vsa"], "give --name"),
        (["--app", "apps.opentable", "-o", "{}/a.vsa", "--offline"], "--cache"),
        (["--app", "apps.opentable", "-o", "{}/a.vsa", "--prices", "{}/none.toml"], "cannot be read"),
        (["--app", "apps.opentable", "-o", "{}/a.vsa", "--max-rounds", "0"], "--max-rounds"),
        (["--app", "apps.opentable", "-o", "{}/a.vsa", "--timeout", "0"], "--timeout"),
        (["--app", "apps.opentable", "-o", "{}/a.vsa", "--base-url", "nowhere"], "not an address"),
        (["--app", "apps.opentable", "-o", "{}/a.vsa", "--prompts", "{}/none"], "is not a folder"),
        (["--app", "apps.opentabel", "-o", "{}/a.vsa"], "did you mean `apps.opentable`?"),
        (["-o", "{}/a.vsa"], "--app"),
        (["--app", "apps.opentable"], "--output"),
    ],
)
def test_usage(args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["encode", "Do it", *(arg.format(tmp_path) for arg in args)]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_key_and_no_endpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert run(["encode", "Do it", "--app", "apps.opentable", "-o", str(tmp_path / "a.vsa")]) == 2
    assert "no API key is set" in capsys.readouterr().err


def test_the_library_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "openai" else found(name))
    assert run(["encode", "Do it", "--app", "apps.opentable", "-o", str(tmp_path / "a.vsa")]) == 2
    assert "pip install 'vsalang[formalize]'" in capsys.readouterr().err


def test_the_real_command_in_a_process_of_its_own(tmp_path: Path) -> None:
    """A project with its own copy of the app, the endpoint from the environment."""
    trace, written = tmp_path / "t", tmp_path / "r.vsa"
    app = copied(tmp_path / "app_specs")
    command = [
        "-m",
        "vsalang.tools.cli.main",
        "encode",
        SAID,
        "--app",
        str(app),
        "-o",
        str(written),
    ]
    wrong, right = (text.replace("import apps.opentable", "import diner") for text in (WRONG, RIGHT))
    with serve(block(wrong), block(right)) as chat:
        done = processes.run(
            [*command, "--trace", str(trace), "--no-review"], env=os.environ | {"OPENAI_BASE_URL": chat.url}
        )
    assert done.returncode == 0, done.stderr
    assert load(written).ok
    assert "round 2 of 4: accepted" in done.stderr
    texts = [path.read_text(encoding="utf-8") for path in trace.iterdir()]
    assert len(texts) == 5 and KEY not in "".join((done.stdout, done.stderr, *texts))


def test_asking_imports_the_client_only_when_it_is_used() -> None:
    code = "import sys, vsalang.models.encode, vsalang.tools.cli.encode\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "vsalang" in loaded
    assert not loaded & {"openai", "jinja2", "httpx", "httpx2", "textx", "arpeggio"}


def test_an_answer_is_shown_while_it_arrives(
    encode: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(streams("Here \x1b[31m it is:\n", "```vsa\n", RIGHT, "```\n")) as chat:
        assert encode(chat, "--stream") == 0
    err = capsys.readouterr().err
    assert RIGHT in err and "\x1b" not in err
    assert err.endswith("\nround 1 of 4: accepted\n")
