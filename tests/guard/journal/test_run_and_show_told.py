"""`vsac run`, `vsac serve` and `vsac journal show`: what must not be written or lost, and what people are told."""

import datetime as dt
import json
import socket

import pytest

from tests.guard.journal.conftest import AGENT, ROOT, SPEC, kept, vsac
from tests.guard.journal.walks import PROGRAM
from tests.guard.phones import Watch, no_time_left, screen
from vsalang.guard import Guard, NotAllowed, Settings
from vsalang.guard.journal import Journal, Recorder, read_journal, read_session
from vsalang.guard.journal.timeline import timeline, to_json
from vsalang.program.action import Action

DEVICE = ("--device", "sim:restaurant", "--open", "com.opentable")


def cut(demo):
    """The journal as it was when the process died after the fourth proposal was judged."""
    lines = demo.read_bytes().splitlines(keepends=True)
    proposals = [n for n, line in enumerate(lines) if b'"kind": "propose"' in line]
    demo.write_bytes(b"".join(lines[: proposals[3] + 1]))
    kept(demo)
    return (ROOT / AGENT).read_text(encoding="utf-8").splitlines(keepends=True)


@pytest.mark.parametrize("first", [3, 1])
def test_resume_wants_the_sessions_agent_file(first, demo, tmp_path):
    rest = tmp_path / "rest.jsonl"
    rest.write_text("".join(cut(demo)[first:]), encoding="utf-8")
    before = demo.read_bytes()
    result = vsac("run", "--resume", demo, "--agent", rest, "--open", "com.opentable")
    assert result.returncode == 2 and "is not the agent file of" in result.stderr
    assert "its proposal 1 is" in result.stderr and 'tap(text = "R") was judged' in result.stderr
    assert demo.read_bytes() == before


def test_resume_wants_all_of_the_agent_file(demo, tmp_path):
    few = tmp_path / "few.jsonl"
    few.write_text("".join(cut(demo)[:2]), encoding="utf-8")
    before = demo.read_bytes()
    result = vsac("run", "--resume", demo, "--agent", few)
    assert result.returncode == 2 and "3 proposals were judged, and it has 2" in result.stderr
    assert demo.read_bytes() == before


def test_a_session_is_resumed_twice(demo, tmp_path):
    """What was judged when it was cut off, and is proposed again, is one proposal of the agent."""
    agent = tmp_path / "agent.jsonl"
    proposals = cut(demo)
    agent.write_text("".join(proposals[:5]), encoding="utf-8")
    args = ("run", "--resume", demo, "--open", "com.opentable", "--agent")
    assert "2 proposals, 1 carried out" in vsac(*args, agent).stdout
    assert "7 proposals, " in vsac(*args, AGENT).stdout


@pytest.mark.parametrize("how", ["open", "screenshots"])
def test_a_run_that_could_not_start_leaves_no_journal(how, tmp_path):
    journal, file = tmp_path / "j", tmp_path / "file"
    file.write_text("")
    args = ["--open", "com.nope"] if how == "open" else ["--screenshots", file]
    args = ["--device", "sim:restaurant", "--agent", AGENT, "--journal", journal, *args]
    assert vsac("run", SPEC, *args).returncode == 2
    assert not journal.exists()


@pytest.mark.parametrize("how", ["port", "app", "host"])
def test_what_could_not_be_served_leaves_no_journal(how, tmp_path):
    pytest.importorskip("aiohttp")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        args = {
            "port": ["--port", taken.getsockname()[1]],
            "app": ["--app", "com.nope"],
            "host": ["--host", "0.0.0.0"],
        }[how]
        result = vsac("serve", ROOT / SPEC, "--device", "sim:restaurant", *args, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("answer", "words", "how"),
    [(False, "the user said no", "no"), (None, "nobody answered in time", "timeout")],
)
def test_show_tells_why_there_was_no_yes(answer, words, how, tmp_path):
    path = tmp_path / "j"
    with Journal(path, sync="none") as journal:
        guard = Guard(
            PROGRAM,
            clock=Watch(),
            settings=Settings(mode="ask", ask_timeout=dt.timedelta(minutes=10)),
            recorder=Recorder(journal, spec="s"),
            ask=lambda question: answer if answer is not None else no_time_left(question),
        )
        guard.observe(screen({"id": "x", "clickable": True}, app="com.other"))
        with pytest.raises(NotAllowed):
            guard.commit(guard.propose(Action("tap", {"id": "x"})))
    shown = timeline(read_session(path))
    (event,) = [event for event in shown.events if event.step is not None]
    assert event.outcome_text.startswith(words) and event.how == how
    assert [item["how"] for item in to_json(shown)["events"] if "step" in item] == [how]


def asked(tmp_path, typed, *args):
    agent, journal = tmp_path / "agent.jsonl", tmp_path / "j"
    agent.write_text('{"action": "tap", "x": 360, "y": 900, "note": "on"}\n')
    done = vsac("run", SPEC, *DEVICE[:2], "--agent", agent, "--journal", journal, *args, input=typed)
    return (done.stderr + done.stdout).splitlines()


@pytest.mark.parametrize(("typed", "answer"), [("y\n", "agreed"), ("n\n", "refused")])
@pytest.mark.parametrize("args", [("--on-confirm", "stdin"), ("--on-confirm", "stdin", "--mode", "ask")])
def test_run_tells_how_it_was_answered(typed, answer, args, tmp_path):
    (line,) = [line for line in asked(tmp_path, typed, *args) if "ask first" in line]
    assert line.startswith("  1  tap x 360, y 900") and line.endswith(f"ask first ({answer}) on")


@pytest.mark.parametrize("args", [(), ("--mode", "ask", "--on-confirm", "no")])
def test_run_tells_that_nobody_answered(args, tmp_path):
    (line,) = [line for line in asked(tmp_path, "", *args) if "ask first" in line]
    assert line.endswith("ask first (nobody answered) on")
    said = vsac("journal", "show", tmp_path / "j").stdout
    assert "the user said no" not in said and "nobody could be asked" in said


@pytest.mark.slow
def test_the_columns_of_a_shadow_run(tmp_path):
    result = vsac("run", SPEC, *DEVICE, "--agent", AGENT, "--journal", tmp_path / "j", "--mode", "shadow")
    notes = [json.loads(line)["note"] for line in (ROOT / AGENT).read_text(encoding="utf-8").splitlines()]
    lines = [line for line in result.stdout.splitlines() if line[:3].strip().isdigit() and line[3:5] == "  "]
    assert "would be BLOCKED" in result.stdout and len(lines) == len(notes)
    assert len({line.index(note) for line, note in zip(lines, notes, strict=True)}) == 1
    wide = vsac("journal", "show", tmp_path / "j", COLUMNS="60").stdout.splitlines()
    assert max(len(line) for line in wide if "would be" in line and "│" not in line) <= 60


@pytest.mark.parametrize("args", [("--from", 3, "--to", 2), ("--from", 99)])
def test_a_range_with_nothing_in_it(args, demo, tmp_path):
    words = "othing in that range: the session has 12 proposals"
    assert words in vsac("journal", "show", demo, *args).stdout
    page = tmp_path / "page.html"
    assert vsac("journal", "show", demo, *args, "--html", page).returncode == 0
    assert words in page.read_text(encoding="utf-8")


def test_one_record_is_one(demo):
    demo.write_bytes(demo.read_bytes().splitlines(keepends=True)[0])
    assert "\n1 record, the chain is whole" in vsac("journal", "show", demo).stdout


@pytest.mark.parametrize("name", ["spec.vsa", "new.vsa", "other.jsonl", "damaged", "page.html"])
def test_a_page_overwrites_no_spec_and_no_journal(name, demo, tmp_path):
    texts = {
        "spec.vsa": b'spec s "x"\n',
        "other.jsonl": demo.read_bytes(),
        "damaged": demo.read_bytes()[:-1000].replace(b"tap", b"top"),
        "page.html": b"<!doctype html>\n",
    }
    path = tmp_path / name
    if name in texts:
        path.write_bytes(texts[name])
    result = vsac("journal", "show", demo, "--html", path)
    if name == "page.html":
        assert result.returncode == 0 and len(path.read_bytes()) > 1000
    else:
        assert result.returncode == 2 and "name another file for the page" in result.stderr
        assert (path.read_bytes() if path.exists() else None) == texts.get(name)
    assert list(read_journal(demo))


def test_a_script_does_not_answer_on_the_agents_input():
    for agent in (("--agent", "/dev/stdin"), ("--", "true")):
        said = vsac("run", SPEC, "--device", "sim:restaurant", "--on-confirm", "stdin", *agent)
        assert said.returncode == 2 and "the standard input is the agent's" in said.stderr
