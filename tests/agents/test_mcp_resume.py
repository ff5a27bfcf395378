"""``vsac mcp --resume``: a session whose process died goes on, and one that is over says so and is left alone."""

from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client

from tests.agents.mcp_clients import talk
from tests.guard.journal.conftest import kept
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import Recorder, read_session, recorded_program, replay
from vsalang.guard.journal.file import Journal
from vsalang.language.semantics import load
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "app_specs" / "examples" / "reserve_r.vsa"


async def begin(client: Client) -> None:
    assert not (await client.call_tool("tap", {"text": "R"})).is_error
    assert (await client.call_tool("tap", {"text": "20:00"})).is_error  # a warning


def begun(folder: Path, *, cut: bool) -> Path:
    """A journal of a session that began; `cut`: its process died while the first tap was under way."""
    talk(
        folder,
        begin,
        str(SPEC),
        "--device",
        "sim:restaurant",
        "--open",
        "com.opentable",
        "--journal",
        "j.jsonl",
    )
    path = folder / "j.jsonl"
    if cut:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        commit = next(number for number, line in enumerate(lines) if '"kind": "commit"' in line)
        path.write_text("".join(lines[: commit + 1]) + lines[commit + 1][:40], encoding="utf-8")
        kept(path)
    return path


@pytest.mark.parametrize("cut", [False, True])
def test_a_session_goes_on(tmp_path: Path, cut: bool):
    path = begun(tmp_path, cut=cut)
    before = len(read_session(path).steps)

    async def rest(client: Client) -> None:
        shown = await client.call_tool("observe", {})
        assert not shown.is_error
        for name, arguments, error in (
            ("tap", {"text": "R"}, False),
            ("tap", {"text": "18:30"}, False),
            ("tap", {"id": "reserve_button", "claims": [{"action": "Reserve", "restaurant": "R"}]}, False),
            ("finish", {}, False),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error is error, result

    talk(tmp_path, rest, "--resume", "j.jsonl", "--open", "com.opentable")
    session = read_session(path)
    assert session.completed is True and len(session.steps) == before + 4
    (went_on,) = (record for record in session.records if record.kind == "resume")
    assert (went_on.data["in_flight"] is not None, bool(went_on.data["torn"])) == (cut, cut)
    looks = [r for r in session.records if r.number > went_on.number and r.kind == "observe"]
    assert looks[0].data["delivered"] is (None if cut else True)
    program = recorded_program(session).program
    assert program is not None and not replay(session, program).flipped


def journal(path: Path, mode: str = "enforce", *, close: bool = False) -> Path:
    loaded = load(SPEC)
    assert loaded.program is not None
    with Journal(path, sync="none") as file:
        recorder = Recorder(file, sources=loaded.sources, spec=loaded.file, device="sim:restaurant")
        guard = Guard(loaded.program, settings=Settings(mode=mode), recorder=recorder)  # type: ignore[arg-type]
        guard.observe(None)
        if close:
            guard.close()
    return path


def test_a_session_that_was_closed_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = journal(tmp_path / "j.jsonl", close=True)
    data = path.read_bytes()
    assert run(["mcp", "--resume", str(path)]) == 2
    assert "is over: it was closed" in capsys.readouterr().err
    assert path.read_bytes() == data


def test_what_cannot_go_on_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    asks = journal(tmp_path / "ask.jsonl", "ask")
    assert run(["mcp", "--resume", str(asks)]) == 2
    assert "vsac run --resume" in capsys.readouterr().err
    assert run(["mcp", "--resume", str(tmp_path / "none")]) == 2
    assert "cannot read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Give SPEC or --resume."),
        ([str(SPEC)], "SPEC needs --device."),
        (["--resume", "j", str(SPEC)], "--resume and SPEC exclude each other: the journal says it."),
        (
            ["--resume", "j", "--mode", "shadow"],
            "--mode and --resume exclude each other: the journal says it.",
        ),
        (
            ["--resume", "j", "--policy", "p"],
            "--policy and --resume exclude each other: the journal says it.",
        ),
    ],
)
def test_options_of_a_session_that_goes_on(
    capsys: pytest.CaptureFixture[str], options: list[str], words: str
):
    assert run(["mcp", *options]) == 2
    assert words in capsys.readouterr().err
