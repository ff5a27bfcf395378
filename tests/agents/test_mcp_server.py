"""``vsac mcp`` as clients use it: the official client over standard input and output, in both eras of the protocol."""

import asyncio
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.snapshots import golden

pytest.importorskip("mcp")

import mcp_types as types
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.agents import mcp_clients as clients
from tests.agents.mcp_clients import Talk
from tests.commands import vsac
from tests.digests import masked
from vsalang.agents.mcp import server
from vsalang.agents.mcp.messages import LONGEST_LINE
from vsalang.agents.mcp.server import Server
from vsalang.agents.mcp.streams import lines_of
from vsalang.guard.journal import read_session, recorded_program, replay

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "app_specs" / "examples" / "reserve_r.vsa"
ERAS = ("legacy", "2026-07-28")
KEY = {"key": "TAB"}
YES = {"action": "accept", "content": {"agree": True}}


def arguments(*args: str, spec: Path | str = SPEC) -> list[str]:
    return [str(spec), "--device", "sim:restaurant", *args]


def command(*args: str) -> list[str]:
    return ["-m", "vsalang.tools.cli.main", "mcp", *arguments(*args)]


def talk(folder: Path, what: Talk, *args: str, **how: Any) -> None:
    """Talk to a server in this process, whose journal is `j.jsonl`."""
    clients.talk(folder, what, *arguments("--journal", "j.jsonl", *args), **how)


def says(action: str, content: dict[str, Any] | None = None, asked: list[str] | None = None) -> Any:
    async def callback(context: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        if asked is not None:
            asked.append(params.message)
        return types.ElicitResult(action=action, content=content)

    return callback


def text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content)


TASK: tuple[tuple[str, dict[str, Any]], ...] = (
    ("roadmap", {}),
    ("tap", {"text": "R", "note": "open restaurant R"}),
    ("tap", {"text": "20:00", "note": "eight o'clock is free"}),
    (
        "propose",
        {"action": "Reserve", "arguments": {"restaurant": "Q", "date": "2026-04-01", "time": "18:30"}},
    ),
    ("tap", {"text": "18:30"}),
    ("finish", {}),
    ("tap", {"id": "reserve_button", "claims": [{"action": "Reserve", "restaurant": "R"}]}),
    ("finish", {}),
)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_a_whole_task(tmp_path: Path, era: str):
    lines: list[str] = []

    async def task(client: Client) -> None:
        assert client.protocol_version == ("2025-11-25" if era == "legacy" else era)
        for name, arguments in TASK:
            result = await client.call_tool(name, arguments)
            lines.append(f"→ {name} {json.dumps(arguments, ensure_ascii=False)}")
            lines.append(f"← {'isError' if result.is_error else 'ok'}\n{text(result).rstrip()}\n")

    started = arguments("--journal", "j.jsonl", "--open", "com.opentable")
    clients.talk_over_pipes(tmp_path, task, *started, era=era)
    golden("\n".join(lines), "mcp/task.txt")
    found = read_session(tmp_path / "j.jsonl")
    assert [step.level for step in found.steps] == [
        "allow",
        "warn",
        "block",
        "allow",
        "block",
        "allow",
        "allow",
    ]
    assert found.steps[2].note == "dry run"
    program = recorded_program(found).program
    assert program is not None
    assert not replay(found, program).flipped


def test_the_tools_a_client_sees(tmp_path: Path):
    async def look(client: Client) -> None:
        tools = (await client.list_tools()).tools
        shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
        golden(json.dumps(shown, indent=1, ensure_ascii=False) + "\n", "mcp/tools.json")
        assert client.instructions is not None and "Reserve a table at restaurant R" in client.instructions
        assert [tool.name for tool in tools if tool.annotations.read_only_hint] == [
            "observe",
            "roadmap",
            "propose",
        ]

    talk(tmp_path, look)


def test_structured_content_says_the_same(tmp_path: Path):
    async def look(client: Client) -> None:
        result = await client.call_tool("finish", {})
        assert result.is_error
        verdict = result.structured_content["verdict"]
        assert verdict["version"] == 1 and verdict["level"] == "block"
        assert verdict["reasons"][0]["span"]["line"] > 0
        what, _, conditions = verdict["reasons"][0]["message"].partition(": ")
        assert conditions and f"- {what} [" in text(result)
        assert all(f"\n    {why['text']}\n" in text(result) for why in verdict["reasons"][0]["whys"])
        seen = await client.call_tool("observe", {})
        assert seen.structured_content["screen"]["app"] == "com.opentable"

    talk(tmp_path, look, "--open", "com.opentable")


def test_a_client_sends_numbers_in_quotes(tmp_path: Path):
    async def tap(client: Client) -> None:
        for x, y in (("5e2", 9), ("1.5", 9), (" 7", 9), (True, 9)):
            result = await client.call_tool("tap", {"x": x, "y": y})
            assert result.is_error and "tap.x is" in text(result)
            assert result.structured_content["error"]["kind"] == "invalid"
        asked = {"action": "tap", "arguments": {"x": "360", "y": "700"}}
        quoted = await client.call_tool("propose", asked)
        plain = await client.call_tool("propose", {"action": "tap", "arguments": {"x": 360, "y": 700}})
        assert text(quoted) == text(plain)
        assert "tap(x = 360, y = 700)" in text(quoted)
        done = await client.call_tool("tap", {"x": "360", "y": "700"})
        assert "error" not in done.structured_content

    talk(tmp_path, tap, "--open", "com.opentable")


# ---------------------------------------------------------------------- the user's word


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("elicit", "passes", "words"),
    [
        (("accept", {"agree": True}), True, "The user agreed to it."),
        (("accept", {"agree": False}), False, "The user said no."),
        (("accept", {}), False, "The user said no."),
        (("accept", {"agree": "true"}), False, "The user said no."),
        (("decline", None), False, "The user said no."),
        (("cancel", None), False, "The user said no."),
        (None, False, "Nobody could be asked"),
    ],
)
def test_the_client_asks_the_user(tmp_path: Path, era: str, elicit: Any, passes: bool, words: str):
    asked: list[str] = []

    async def open_it(client: Client) -> None:
        result = await client.call_tool("press_key", KEY)
        assert result.is_error is not passes
        assert words in text(result)
        assert result.structured_content["performed"] is passes

    talk(tmp_path, open_it, era=era, elicit=says(*elicit, asked) if elicit else None)
    assert len(asked) == (1 if elicit else 0)
    if asked:
        assert asked[0].endswith('Let the agent do it: press_key(key = "TAB")?')
    (step,) = read_session(tmp_path / "j.jsonl").steps
    assert bool(step.commit) is passes


def test_nobody_is_asked_if_the_owner_says_so(tmp_path: Path):
    async def open_it(client: Client) -> None:
        assert (await client.call_tool("press_key", KEY)).is_error

    async def never(*_: Any) -> types.ElicitResult:
        raise AssertionError("asked")

    talk(tmp_path, open_it, "--on-confirm", "no", elicit=never)


@pytest.mark.parametrize("era", ERAS)
def test_an_answer_that_comes_too_late_is_no(tmp_path: Path, era: str):
    async def slow(context: Any, params: Any) -> types.ElicitResult:
        await asyncio.sleep(1.3)
        return types.ElicitResult(action="accept", content={"agree": True})

    async def open_it(client: Client) -> None:
        result = await client.call_tool("press_key", KEY)
        assert result.is_error and "did not answer in time" in text(result)

    talk(tmp_path, open_it, "--ask-timeout", "1", era=era, elicit=slow)


def test_an_answer_counts_for_its_own_call(tmp_path: Path):
    """Since 2026-07-28 the client brings the answer; it cannot bring it to another call, or twice."""
    yes = {"confirm": types.ElicitResult(action="accept", content={"agree": True})}

    async def cheat(client: Client) -> None:
        first = await client.session.call_tool("press_key", KEY, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        state = first.request_state
        for name, arguments, token in (
            ("press_key", {"key": "A"}, state),
            ("tap", {"id": "app_icon"}, state),
            ("press_key", KEY, "made-up"),
        ):
            result = await client.call_tool(name, arguments, input_responses=yes, request_state=token)
            assert result.is_error and result.structured_content["error"]["kind"] == "stale"
        assert not (
            await client.call_tool("press_key", KEY, input_responses=yes, request_state=state)
        ).is_error
        again = await client.call_tool("press_key", KEY, input_responses=yes, request_state=state)
        assert again.is_error

    talk(tmp_path, cheat, era="2026-07-28", elicit=says("decline"))


# ---------------------------------------------------------------------- one at a time


def test_one_action_at_a_time(tmp_path: Path):
    asked, heard = asyncio.Event(), asyncio.Event()

    async def both(client: Client) -> None:
        first = asyncio.ensure_future(client.call_tool("press_key", KEY))
        await asked.wait()
        second = await client.call_tool("home", {})
        third = asyncio.ensure_future(client.call_tool("roadmap", {}))  # it waits for its turn
        heard.set()
        found = [await first, second, await third]
        kinds = [r.structured_content.get("error", {}).get("kind") for r in found]
        assert kinds == [None, "busy", None]
        assert not (await client.call_tool("open_app", {"package": "com.opentable"})).is_error

    async def yes(context: Any, params: Any) -> types.ElicitResult:
        asked.set()
        await heard.wait()  # the other calls come while the user thinks
        return types.ElicitResult(action="accept", content={"agree": True})

    talk(tmp_path, both, elicit=yes)


def test_a_call_given_up_while_the_user_thinks(tmp_path: Path):
    async def hang(context: Any, params: Any) -> types.ElicitResult:
        loop = asyncio.get_running_loop()
        now = loop.time
        loop.time = lambda: now() + 40.0  # type: ignore[method-assign]
        await asyncio.sleep(2)
        return types.ElicitResult(action="accept", content={"agree": True})

    async def give_up(client: Client) -> None:
        with pytest.raises((MCPError, TimeoutError)):
            await client.call_tool("press_key", KEY, read_timeout_seconds=30)
        seen = await client.call_tool("observe", {})
        assert seen.structured_content["screen"]["app"] == "com.android.launcher3"

    talk(tmp_path, give_up, elicit=hang)
    (step,) = read_session(tmp_path / "j.jsonl").steps
    assert not step.commit


# ---------------------------------------------------------------------- the command


def refused(folder: Path, *args: str, spec: Path | str = SPEC) -> "subprocess.CompletedProcess[str]":
    """What the command says that does not come so far that it serves."""
    return vsac("mcp", *arguments(*args, spec=spec), cwd=folder)


def served(folder: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    return processes.run(command(*args), cwd=folder)


def test_it_ends_when_the_client_closes(tmp_path: Path):
    result = served(tmp_path)
    assert (result.returncode, result.stdout) == (0, "")
    (journal,) = tmp_path.glob("*.jsonl")
    last = json.loads(journal.read_text().splitlines()[-1])
    assert masked(result.stderr) == (
        "In force: program reserve_r HASH; policies: none; configuration: none\n"
        f"the journal is {journal.name}, its head HASH\n"
    )
    assert f"its head {last['hash']}\n" in result.stderr
    assert last["completed"] is False


def test_garbage_is_answered_and_nothing_else_is_written(tmp_path: Path):
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        },
    }
    calls = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "finish", "arguments": []}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "\u202e", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/destroy"},
    ]
    process = processes.Process(command(), cwd=tmp_path, stdin=processes.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    lines = [json.dumps(hello), "{]", "\x00", "", '{"jsonrpc": "2.0"}', *map(json.dumps, calls)]
    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    answers: dict[Any, Any] = {}
    unread: list[int] = []
    while not {1, 2, 3, 4} <= set(answers):
        message = json.loads(process.stdout.readline())
        if message.get("id") is None:
            unread.append(message["error"]["code"])
        answers[message.get("id")] = message
    assert unread == [-32700, -32700, -32600]  # a blank line is not a message
    assert process.communicate(timeout=60)[0] == ""
    assert process.returncode == 0
    assert "error" in answers[2] and "error" in answers[4]
    assert answers[3]["error"]["code"] == -32602
    assert "\u202e" not in answers[3]["error"]["message"]


def test_errors_of_the_spec_are_said_on_standard_error(tmp_path: Path):
    (tmp_path / "bad.vsa").write_text('spec bad "x"\nallow Fly.\n', encoding="utf-8")
    result = refused(tmp_path, spec="bad.vsa")
    assert (result.returncode, result.stdout) == (1, "")
    assert "Fly" in result.stderr
    assert refused(tmp_path, spec="none.vsa").returncode == 2
    policy = refused(tmp_path, spec=SPEC.with_name("payments.vsa"))
    assert policy.returncode == 2 and "is not a spec" in policy.stderr


def test_a_device_that_is_not_there(tmp_path: Path):
    result = refused(tmp_path, "--device", "sim:none")
    assert result.returncode == 2 and "none" in result.stderr
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_policy_in_force_and_the_language_german(tmp_path: Path):
    async def look(client: Client) -> None:
        result = await client.call_tool("finish", {})
        assert result.is_error and text(result).startswith("Gesperrt")
        assert result.structured_content["verdict"]["language"] == "de"

    policy = str(SPEC.with_name("payments.vsa"))
    talk(tmp_path, look, "--open", "com.opentable", "--policy", policy, "--language", "de")
    header = json.loads((tmp_path / "j.jsonl").read_text().splitlines()[0])
    assert header["policies"] and header["device"] == "sim:restaurant"


def test_shadow_holds_nothing_back(tmp_path: Path):
    async def look(client: Client) -> None:
        assert client.instructions is not None and "only watches" in client.instructions
        result = await client.call_tool("finish", {})
        assert not result.is_error and "shadow" in text(result).lower()

    talk(tmp_path, look, "--mode", "shadow")
    assert json.loads((tmp_path / "j.jsonl").read_text().splitlines()[-1])["completed"] is False


# ---------------------------------------------------------------------- lines


def said(heard: list[bytes], what: bytes) -> None:
    """Wait until the server has said something."""
    end = time.monotonic() + 30
    while not any(what in each for each in heard):
        assert time.monotonic() < end, heard
        time.sleep(0.001)


def exchanged(tmp_path: Path, *lines: Any, shaken: bool = True) -> list[dict[str, Any]]:
    """What the server of a process says to lines, after the handshake or without one, when its input has ended.

    A text stands for a wait until the server has said it.
    """
    hello = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
    shake = {**hello, "clientInfo": {"name": "t", "version": "0"}}
    first = [request(0, "initialize", **shake)] if shaken else []
    heard: list[bytes] = []

    def told() -> Iterator[bytes]:
        for each in [*first, *lines]:
            if isinstance(each, str):
                said(heard, each.encode())
            else:
                yield each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n"

    def serve(session: Any, **how: Any) -> None:
        Server(session, heard.append, **how).run(told())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "serve", serve)
        done = vsac("mcp", *arguments("--journal", "j.jsonl"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(each) for each in b"".join(heard).splitlines()]
    for answer in answers:
        types.jsonrpc_message_adapter.validate_python(answer, by_name=False)
    return answers[len(first) :]


def request(number: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"[" * 100_000 + b"\n", -32700, None),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "ping"}\n', -32700, None),
        (b"\xff\xfe\n", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"\xff": 1}}\n', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}\n', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}\n', -32700, None),
        (request(1, "ping", a="x" * LONGEST_LINE), -32700, None),
        ([request(1, "ping")], -32600, None),
        ({**request(1, "ping"), "jsonrpc": "1.0"}, -32600, 1),
        (request(1.5, "ping"), -32600, None),
        (request(True, "ping"), -32600, None),
        (request(None, "ping"), -32600, None),
        ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": []}, -32600, "a"),
        ({"jsonrpc": "2.0", "id": 1, "method": 3}, -32600, 1),
        ({"jsonrpc": "2.0", "id": 1}, -32600, 1),
        (request(1, "ping", _meta=3), -32602, 1),
        (request(1, "initialize", protocolVersion=3), -32602, 1),
        (request(1, "tools/list", cursor=3), -32602, 1),
        (request(1, "tools/call", name=3), -32602, 1),
        (request(1, "tools/call", name="tapp"), -32602, 1),
        (request(1, "tools/call", name="observe", arguments=[]), -32602, 1),
        (request(1, "resources/list"), -32601, 1),
        (request(1, "server/discover"), -32601, 1),
    ],
)
def test_what_is_not_a_request_is_an_error(tmp_path: Path, line: Any, code: int, number: Any):
    wrong, right = exchanged(tmp_path, line, request("last", "ping"))
    assert (wrong["error"]["code"], wrong["id"]) == (code, number)
    assert right == {"jsonrpc": "2.0", "id": "last", "result": {}}


@pytest.mark.parametrize(
    "response",
    [
        {"jsonrpc": "2.0", "id": 1, "result": 3},
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 1, "result": YES, "error": {"code": 1, "message": "no"}},
        {"id": 1, "result": YES},
    ],
)
def test_a_malformed_response_is_no(tmp_path: Path, response: dict[str, Any]):
    """It is not answered, and it allows nothing."""
    call = request(7, "tools/call", name="press_key", arguments=KEY)
    question, answer = exchanged(
        tmp_path, call, "elicitation/create", {**response, "id": 1.5}, response, '"performed"'
    )
    assert question["method"] == "elicitation/create"
    assert answer["id"] == 7 and answer["result"]["structuredContent"]["performed"] is False


def test_a_number_may_come_back_as_a_text(tmp_path: Path):
    call = request(7, "tools/call", name="press_key", arguments=KEY)
    yes = {"jsonrpc": "2.0", "id": "1", "result": YES}
    other = {**yes, "id": "01"}
    *_, no = exchanged(tmp_path, call, "elicitation/create", other)
    assert no["result"]["structuredContent"]["performed"] is False
    (tmp_path / "j.jsonl").unlink()
    *_, answer = exchanged(tmp_path, call, "elicitation/create", yes, '"performed"')
    assert answer["result"]["structuredContent"]["performed"] is True


def test_an_id_names_one_call(tmp_path: Path):
    """What else has the id of an open call is not answered under it; a text is another id than a number."""
    call = request(5, "tools/call", name="press_key", arguments=KEY)
    others = [request(number, "tools/call", name="roadmap") for number in (5, "5", "005")]
    said = exchanged(tmp_path, call, "elicitation/create", *others, request(5, "ping"))
    refused = [each["error"] for each in said if "id" in each and each["id"] is None]
    assert [(error["code"], error["data"]) for error in refused] == [(-32600, 5)] * 2
    answers = [each for each in said if "method" not in each and each["id"] is not None]
    assert {each["id"]: "result" in each for each in answers} == {5: True, "5": False, "005": False}
    assert len(answers) == 3


def test_so_many_calls_wait_and_not_more(tmp_path: Path):
    call = request(0, "tools/call", name="press_key", arguments=KEY)
    looks = [request(number + 1, "tools/call", name="roadmap") for number in range(server.MOST_OPEN + 1)]
    said = exchanged(tmp_path, call, "elicitation/create", *looks)
    kinds = [
        each["result"]["structuredContent"]["error"]["kind"]
        for each in said
        if each.get("id", 0) and "result" in each
    ]
    assert kinds == ["busy"] * 2
    assert sum("error" in each for each in said) == server.MOST_OPEN - 1


def test_a_long_line_is_read_in_parts():
    """Only a part of it is ever kept, and what follows is read as before."""
    pipe = io.BytesIO(b"x" * (3 * LONGEST_LINE + 5) + b"\nnext\n" + b"y" * 2 * LONGEST_LINE)
    first, second, third = lines_of(pipe)
    assert len(first) == len(third) == LONGEST_LINE + 1 and second == b"next\n"
    longest = b"z" * (LONGEST_LINE - 1) + b"\n"
    assert [*lines_of(io.BytesIO(longest + b"next"))] == [longest, b"next"]


def envelope(number: Any, method: str, version: str = "2026-07-28", **params: Any) -> dict[str, Any]:
    meta = {"protocolVersion": version, "clientCapabilities": {"elicitation": {}}}
    named = {f"io.modelcontextprotocol/{key}": value for key, value in meta.items()}
    return request(number, method, _meta=named, **params)


def test_a_refused_request_does_not_choose_the_era(tmp_path: Path):
    about = {"capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    wrong, shaken = exchanged(
        tmp_path,
        envelope(1, "tools/list", version="2027-01-01"),
        request(2, "initialize", protocolVersion="2025-03-26", **about),
        shaken=False,
    )
    assert wrong["error"]["code"] == -32022
    assert shaken["result"]["protocolVersion"] == "2025-11-25"  # batches are not taken
    (tmp_path / "j.jsonl").unlink()
    wrong, listed, late = exchanged(
        tmp_path,
        request(1, "initialize", protocolVersion=3),
        envelope(2, "tools/list"),
        request(3, "initialize", protocolVersion="2025-11-25", **about),
        shaken=False,
    )
    assert wrong["error"]["code"] == -32602 and listed["result"]["tools"]
    assert late["error"]["code"] == -32022


def test_a_state_that_nobody_gave_is_stale(tmp_path: Path):
    call = {"name": "press_key", "arguments": KEY}
    *_, stale = exchanged(
        tmp_path,
        envelope(1, "tools/call", **call),
        "input_required",
        # the first call is over when a call after it is answered
        envelope(2, "tools/call", name="roadmap"),
        "roadmap",
        envelope(3, "tools/call", **call, requestState="\ud800"),
        '"id": 3',
        shaken=False,
    )
    assert stale["result"]["structuredContent"]["error"]["kind"] == "stale"


def test_a_client_that_closes_hears_what_was_begun(tmp_path: Path):
    calls = [
        request(1, "tools/call", name="press_key", arguments=KEY),
        request(2, "tools/call", name="roadmap"),
    ]
    said = exchanged(tmp_path, *calls)
    answers = {each["id"]: each for each in said if "method" not in each}
    first = answers[1].get("error") or answers[1]["result"]["structuredContent"]
    assert first.get("code") == -32000 or first["performed"] is False
    assert answers[2]["error"]["code"] == -32000
    assert not any(step.commit for step in read_session(tmp_path / "j.jsonl").steps)


def test_what_is_given_up_early_is_not_begun(tmp_path: Path):
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "1"}}
    said = exchanged(tmp_path, request(1, "tools/call", name="press_key", arguments=KEY), cancel)
    assert [each for each in said if each.get("id") == 1 and "method" not in each] == []


def test_what_else_prints_does_not_reach_the_client():
    """Programs that are started meanwhile inherit neither pipe."""
    code = (
        "import os, subprocess, sys\n"
        "from vsalang.agents.mcp.streams import standard_pipes\n"
        "with standard_pipes() as (lines, write):\n"
        "    print('printed')\n"
        "    child = subprocess.run(['cat'], stdout=None)\n"
        "    os.write(1, b'written')\n"
        "    write(next(lines))\n"
        "print('after', sys.stdin.readline())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        input="line\nnext\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout.splitlines()[:2] == ["line", "after "]
    assert "printed" in result.stderr and "written" in result.stderr


def test_streams_that_do_not_block_are_made_to():
    """Else a pause of the client would look like its end, and a full pipe like one that nobody reads."""
    code = (
        "from vsalang.agents.mcp.streams import standard_pipes\n"
        "with standard_pipes() as (lines, write):\n"
        "    write(b'ready\\n')\n"
        "    write(next(lines) * 100_000)\n"
    )
    (read, given), (taken, written) = os.pipe(), os.pipe()
    for end in (read, written):
        os.set_blocking(end, False)
    with subprocess.Popen([sys.executable, "-c", code], stdin=read, stdout=written) as process:
        os.close(written)
        with os.fdopen(taken, "rb") as heard:
            assert heard.readline() == b"ready\n"
            assert os.get_blocking(read)
            os.write(given, b"line\n")
            os.close(given)
            assert heard.read() == b"line\n" * 100_000
    os.close(read)
    assert process.returncode == 0


def shell(script: str, *words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """A Python program that a shell starts, with some of its streams closed."""
    started = ["sh", "-c", f'exec "$@" {script}', "sh", sys.executable, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(started, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("closed", "name"), [("<&-", "standard input"), (">&-", "standard output")])
def test_the_client_must_be_there(tmp_path: Path, closed: str, name: str):
    done = shell(closed, *command("--journal", "j.jsonl"), folder=tmp_path)
    assert done.returncode == 2 and f"error: {name} is closed" in done.stderr
    assert not (tmp_path / "j.jsonl").exists()


def test_no_file_becomes_standard_error(tmp_path: Path):
    """Else what programs print would stand in the journal."""
    code = (
        "import os, subprocess, sys\n"
        "from vsalang.agents.mcp.streams import open_streams\n"
        "open_streams()\n"
        "with open('journal', 'w') as journal:\n"
        "    print('told', file=sys.stderr, flush=True)\n"
        "    child = subprocess.run(['sh', '-c', 'echo told >&2'])\n"
        "    print(journal.fileno() > 2, child.returncode)\n"
    )
    assert shell("2>&-", "-c", code, folder=tmp_path).stdout == "True 0\n"
    assert (tmp_path / "journal").read_text() == ""
