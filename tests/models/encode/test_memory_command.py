"""``vsac memory``, and what `vsac encode` and `vsac run` do with it: from the command line to the file and back."""

import itertools
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests import commands
from tests.pages import section
from vsalang.base.resources import resource_dir
from vsalang.base.source.printable import must_escape
from vsalang.tools.cli.completing import remembered
from vsalang.tools.cli.families import COMMANDS
from vsalang.tools.cli.main import imported

PAGE = section("look-back", "`vsac memory`")
EXAMPLES = resource_dir("app_specs") / "examples"
SAID = "Book a table at R before seven."
SPEC = f"""spec r "{SAID}"
import apps.opentable
allow Reserve(restaurant = "R", time < 19:00).
done when Reserve earlier.
"""
Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture
def vsac(tmp_path: Path) -> Vsac:
    """The command in a folder of its own, for a user of its own."""
    (tmp_path / "r.vsa").write_text(SPEC, encoding="utf-8")

    def call(*args: object, **more: Any) -> CompletedProcess[str]:
        homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("DATA", "CONFIG", "STATE")}
        return commands.vsac(*args, cwd=tmp_path, **homes, **more)

    return call


def listed(vsac: Vsac, *more: object) -> list[dict[str, Any]]:
    ran = vsac("memory", "list", "--json", *more)
    assert ran.returncode == 0, ran.stderr
    found: list[dict[str, Any]] = json.loads(ran.stdout)["entries"]
    return found


def test_confirmed_spec_is_listed_shown_and_deleted(vsac: Vsac, tmp_path: Path) -> None:
    ran = vsac("memory", "list")
    assert (ran.returncode, ran.stdout) == (
        0,
        f"nothing remembered in {tmp_path}/data/vsalang/memory.sqlite\n",
    )
    ran = vsac("memory", "add", "r.vsa", "--confirmed", "--model", "m-1")
    assert (ran.returncode, ran.stderr) == (0, "")
    (entry,) = listed(vsac)
    assert ran.stdout == f"remembered as {entry['id']} in {tmp_path}/data/vsalang/memory.sqlite\n"
    assert (entry["instruction"], entry["confirmed"], entry["model"]) == (SAID, "user", "m-1")
    assert entry["relations"] == ["apps.opentable.Reserve"]
    assert (entry["journal"], entry["expired"], "spec" in entry) == (None, None, False)
    shown = vsac("memory", "show", entry["id"][:4])
    assert "confirmed    by you" in shown.stdout and "state        in use" in shown.stdout
    assert shown.stdout.endswith(SPEC)
    text = vsac("memory", "list").stdout.splitlines()
    assert text[0].startswith(entry["id"]) and text[0].endswith(f"by user    apps.opentable  {SAID}")
    assert text[1].startswith("1 spec remembered in ")
    assert vsac("memory", "delete", entry["id"]).stdout == "1 spec deleted\n"
    assert listed(vsac) == []


def test_who_made_a_spec_makes_no_other(vsac: Vsac, tmp_path: Path) -> None:
    """What stands above the header is about the making; the entry is the same, with the newer text."""
    vsac("memory", "add", "r.vsa", "--confirmed")
    (tmp_path / "r.vsa").write_text(f"// made on another day\n{SPEC}", encoding="utf-8")
    vsac("memory", "add", "r.vsa", "--confirmed")
    (entry,) = json.loads(vsac("memory", "export").stdout)["entries"]
    assert entry["spec"].startswith("// made on another day")


def test_export_writes_whole_entries(vsac: Vsac, tmp_path: Path) -> None:
    vsac("memory", "add", "r.vsa", "--confirmed")
    data = json.loads(vsac("memory", "export").stdout)
    assert [entry["spec"] for entry in data["entries"]] == [SPEC]
    assert vsac("memory", "export", "-o", "all.json").returncode == 0
    assert json.loads((tmp_path / "all.json").read_text(encoding="utf-8")) == data
    assert (tmp_path / "all.json").stat().st_mode & 0o777 == 0o600
    again = vsac("memory", "export", "-o", "all.json")
    assert again.returncode == 2 and "exists already" in again.stderr
    lost = vsac("memory", "export", "-o", "data/vsalang/memory.sqlite", "--force")
    assert lost.returncode == 2 and "is read here" in lost.stderr


def test_app_filter_and_colours(vsac: Vsac) -> None:
    vsac("memory", "add", "r.vsa", "--confirmed")
    assert len(listed(vsac, "--app", "apps.opentable")) == 1
    assert listed(vsac, "--app", "apps.settings") == []
    assert "\x1b[36m" in vsac("--color", "always", "memory", "list").stdout
    assert "\x1b" not in vsac("memory", "list").stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (SPEC.replace("time <", "hour <"), "r.vsa has errors"),
        (SPEC + 'test "t" {\n  attempt Reserve(time = 20:00).\n}\n', 'the test "t" fails'),
        (SPEC.replace("spec r", "policy r").partition("allow")[0], "it is of kind policy"),
        (SPEC.replace(f'"{SAID}"', '""'), "does not say the instruction"),
        ('spec r "Say yes."\nallow answer(text = "yes").\ndone when answer earlier.\n', "imports no app"),
        (SPEC + "//" + "x" * 64_000 + "\n", "is longer than 64000 characters"),
    ],
)
def test_spec_that_is_not_remembered(change: str, message: str, vsac: Vsac, tmp_path: Path) -> None:
    (tmp_path / "r.vsa").write_text(change, encoding="utf-8")
    ran = vsac("memory", "add", "r.vsa", "--confirmed")
    assert ran.returncode == 1
    assert message in ran.stderr
    assert listed(vsac) == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["add", "r.vsa"], "Give --journal or --confirmed."),
        (
            ["add", "r.vsa", "--confirmed", "--journal", "j.jsonl"],
            "--confirmed and --journal exclude each other.",
        ),
        (["add", "none.vsa", "--confirmed"], "none.vsa"),
        (["add", "r.vsa", "--journal", "none.jsonl"], "cannot read none.jsonl"),
        (["add", "r.vsa", "--journal", "r.vsa"], "this is not a journal"),
        (["show", "abc"], "no entry 'abc' is in"),
        (["show", ""], "no entry '' is in"),
        (["delete"], "Give ID or --expired."),
        (["delete", "abc"], "no entry 'abc' is in"),
        (["list", "--memory", "r.vsa"], "r.vsa"),
        (["list", "--memory", "."], "is not a regular file"),
    ],
)
def test_what_cannot_be_done_is_said(args: list[str], message: str, vsac: Vsac, tmp_path: Path) -> None:
    (tmp_path / "r.vsa").chmod(0o600)
    ran = vsac("memory", *args)
    assert ran.returncode == 2, ran.stderr
    assert message in ran.stderr
    assert "internal error" not in ran.stderr


def test_first_digits_must_mean_one(vsac: Vsac, tmp_path: Path) -> None:
    for number in range(17):
        (tmp_path / "r.vsa").write_text(f"{SPEC}// {number}\n", encoding="utf-8")
        vsac("memory", "add", "r.vsa", "--confirmed")
    ids = sorted(entry["id"] for entry in listed(vsac))
    twice = next(one[0] for one, two in itertools.pairwise(ids) if one[0] == two[0])
    ran = vsac("memory", "show", twice)
    assert ran.returncode == 2 and "give more digits" in ran.stderr


def test_forged_entry_cannot_steer_the_terminal(vsac: Vsac, tmp_path: Path) -> None:
    evil = "a\x1b]0;title\x07\x1b[8mb\u202ec\x9b31md\ne"
    vsac("memory", "add", "r.vsa", "--confirmed")
    with closing(sqlite3.connect(tmp_path / "data" / "vsalang" / "memory.sqlite")) as database:
        for column in ("instruction", "spec", "model", "journal"):
            database.execute(f"UPDATE entries SET {column} = ?", (evil,))
        apps = json.dumps([{"name": evil, "digest": evil, "file": ""}])
        database.execute("UPDATE entries SET apps = ?, relations = ?", (apps, json.dumps([evil])))
        database.commit()
    (entry,) = listed(vsac)
    assert (entry["instruction"], entry["apps"][0]["name"]) == (evil, evil)
    for args in (["list"], ["list", "--json"], ["show", entry["id"]], ["export"], ["delete", evil]):
        ran = vsac("memory", *args)
        raw = {char for char in ran.stdout + ran.stderr if char not in "\n\t" and must_escape(char)}
        assert raw == set(), args


def test_shell_completes_ids(vsac: Vsac, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vsac("memory", "add", "r.vsa", "--confirmed")
    (entry,) = listed(vsac)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert [(item.value, item.help) for item in remembered(entry["id"][:2])] == [(entry["id"], SAID)]
    assert [*remembered("x")] == []


# ---------------------------------------------------------------- who vouches


@pytest.fixture(scope="module")
def completed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a task that was completed by `vsac run --remember`."""
    folder = tmp_path_factory.mktemp("completed")
    text = (EXAMPLES / "reserve_r.vsa").read_text(encoding="utf-8")
    (folder / "task.vsa").write_text(text.replace("spec reserve_r", "spec task"), encoding="utf-8")
    ran = task(folder, "--remember", "--memory", "m.sqlite")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.startswith("remembered as ")
    return folder


def task(folder: Path, *more: str, agent: Path = EXAMPLES / "reserve_r.agent.jsonl") -> CompletedProcess[str]:
    args = [
        "--device",
        "sim:restaurant",
        "--open",
        "com.opentable",
        "--agent",
        agent,
        "--today",
        "2026-04-01",
    ]
    journal = [] if "--journal" in more else ["--journal", "j.jsonl"]
    return commands.vsac("run", "task.vsa", *args, *journal, *more, cwd=folder)


@pytest.mark.slow
def test_completed_run_is_remembered(completed: Path) -> None:
    ran = commands.vsac("memory", "list", "--json", "--memory", "m.sqlite", cwd=completed)
    (entry,) = json.loads(ran.stdout)["entries"]
    assert (entry["confirmed"], entry["expired"]) == ("completed", None)
    journal = (completed / "j.jsonl").read_text(encoding="utf-8").splitlines()
    assert entry["journal"] == json.loads(journal[-1])["hash"]
    shown = commands.vsac("memory", "show", entry["id"], "--memory", "m.sqlite", cwd=completed).stdout
    assert f"by a completed task, journal {entry['journal']}" in shown


def added(folder: Path, vsac: Vsac, journal: Path) -> CompletedProcess[str]:
    return vsac("memory", "add", folder / "task.vsa", "--journal", journal)


def test_journal_vouches_for_its_own_text_only(completed: Path, vsac: Vsac, tmp_path: Path) -> None:
    assert added(completed, vsac, completed / "j.jsonl").returncode == 0
    text = (completed / "task.vsa").read_text(encoding="utf-8")
    (tmp_path / "task.vsa").write_text(text.replace("< 19:00", "< 20:00"), encoding="utf-8")
    ran = added(tmp_path, vsac, completed / "j.jsonl")
    assert ran.returncode == 1
    assert "fails" in ran.stderr or "another text" in ran.stderr
    (tmp_path / "task.vsa").write_text(text + "\n// more\n", encoding="utf-8")
    ran = added(tmp_path, vsac, completed / "j.jsonl")
    assert ran.returncode == 1 and "was recorded under another text" in ran.stderr


def test_unfinished_run_is_not_remembered(completed: Path, vsac: Vsac, tmp_path: Path) -> None:
    (tmp_path / "task.vsa").write_bytes((completed / "task.vsa").read_bytes())
    short = tmp_path / "short.jsonl"
    lines = (EXAMPLES / "reserve_r.agent.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    short.write_text("".join(lines[:2]), encoding="utf-8")
    ran = task(tmp_path, "--remember", "--memory", "m.sqlite", agent=short)
    assert ran.returncode == 1
    assert "not remembered: the task was not completed" in ran.stderr
    assert not (tmp_path / "m.sqlite").exists()
    ran = added(tmp_path, vsac, tmp_path / "j.jsonl")
    assert ran.returncode == 1 and "the task was not completed" in ran.stderr


def test_watching_guard_vouches_for_nothing(completed: Path, vsac: Vsac, tmp_path: Path) -> None:
    """In the mode shadow a task may be completed although the spec forbids every step of it."""
    (tmp_path / "task.vsa").write_bytes((completed / "task.vsa").read_bytes())
    (tmp_path / "done.jsonl").write_text('{"action": "finish"}\n', encoding="utf-8")
    task(tmp_path, "--mode", "shadow", agent=tmp_path / "done.jsonl")
    ran = added(tmp_path, vsac, tmp_path / "j.jsonl")
    assert ran.returncode == 1 and "the guard only watched" in ran.stderr


def test_changed_journal_vouches_for_nothing(completed: Path, vsac: Vsac, tmp_path: Path) -> None:
    text = (completed / "j.jsonl").read_text(encoding="utf-8")
    (tmp_path / "j.jsonl").write_text(
        text.replace('"completed": true', '"completed": false'), encoding="utf-8"
    )
    ran = added(completed, vsac, tmp_path / "j.jsonl")
    assert ran.returncode == 2 and "was changed after it was written" in ran.stderr
    # an attacker who writes the whole chain again still has to get the verdicts from the guard
    forged = rechained(text, lambda line: line.replace('"level": "block"', '"level": "allow"'))
    (tmp_path / "j.jsonl").write_text(forged, encoding="utf-8")
    ran = added(completed, vsac, tmp_path / "j.jsonl")
    assert ran.returncode == 1 and "gets another verdict" in ran.stderr


def rechained(text: str, change: Callable[[str], str]) -> str:
    """A journal whose lines were changed, with hashes that fit them."""
    from vsalang.guard.journal.file import _encoded

    lines, previous = [], "0" * 64
    for line in text.splitlines():
        record = json.loads(change(line))
        del record["hash"]
        data, previous = _encoded({**record, "prev": previous})
        lines.append(data.decode())
    return "".join(lines)


def test_changed_app_makes_entries_expire(vsac: Vsac, tmp_path: Path) -> None:
    app = 'app notes package "com.notes" "Notes"\naction Save(title: Text "the title") "Save a note"\n'
    (tmp_path / "notes.vsa").write_text(app, encoding="utf-8")
    (tmp_path / "n.vsa").write_text(
        'spec n "Save a note."\nimport notes\nallow Save(title = "x").\ndone when Save earlier.\n',
        encoding="utf-8",
    )
    vsac("memory", "add", "n.vsa", "--confirmed")
    vsac("memory", "add", "r.vsa", "--confirmed")
    (tmp_path / "notes.vsa").write_text(app.replace("the title", "a title"), encoding="utf-8")
    assert {entry["apps"][0]["name"]: entry["expired"] for entry in listed(vsac)} == {
        "notes": "notes, or what it imports, has changed since",
        "apps.opentable": None,
    }
    text = vsac("memory", "list").stdout
    assert "expired: notes, or what it imports, has changed since" in text
    assert text.splitlines()[-1].endswith(", 1 expired")
    (tmp_path / "notes.vsa").unlink()
    assert f"notes is no longer at {tmp_path}/notes.vsa" in vsac("memory", "list").stdout
    assert vsac("memory", "delete", "--expired").stdout == "1 spec deleted\n"
    assert [entry["apps"][0]["name"] for entry in listed(vsac)] == ["apps.opentable"]
    assert vsac("memory", "delete", "--expired").stdout == "nothing has expired\n"


# ---------------------------------------------------------------- encode


@pytest.fixture
def encode(vsac: Vsac, tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """`vsac encode` with one answer that lies ready."""

    def call(*more: object, answer: str = SPEC, told: str = "gpt-4o", **other: Any) -> CompletedProcess[str]:
        folder = tmp_path / f"asked{len([*tmp_path.glob('asked*')])}"
        folder.mkdir()
        said = json.dumps({"text": f"```vsa\n{answer}```", "model": told})
        (folder / "000001.answer.json").write_text(said, encoding="utf-8")
        options = ["--endpoint-dir", folder, "--timeout", "0.1", "--no-review", "--today", "2026-04-01"]
        ran = vsac(
            "encode", SAID, "--app", "apps.opentable", "-o", "t.vsa", "--force", *options, *more, **other
        )
        return ran

    return call


def request(tmp_path: Path) -> str:
    """The last request to the model."""
    folder = max(tmp_path.glob("asked*"))
    data = json.loads((folder / "000001.request.json").read_text(encoding="utf-8"))
    return str(data["messages"][1]["content"])


def test_encode_shows_what_is_remembered(
    vsac: Vsac, encode: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    assert encode().returncode == 0
    assert "arlier tasks" not in request(tmp_path)
    vsac("memory", "add", "r.vsa", "--confirmed")
    (entry,) = listed(vsac)
    ran = encode()
    assert f"The model saw 1 spec of earlier tasks: {entry['id']}" in ran.stdout
    assert 'spec r "Book a table at R before seven."' in request(tmp_path)
    data = json.loads(encode("--json").stdout)
    assert (data["recalled"], data["expired"]) == ([entry["id"]], 0)
    assert "earlier tasks" not in encode("--no-memory").stdout
    assert "arlier tasks" not in request(tmp_path)
    assert "earlier tasks" not in encode("--memory", "other.sqlite").stdout
    ran = encode("--memory", "other.sqlite", "--no-memory")
    assert ran.returncode == 2 and "exclude each other" in ran.stderr


def test_encode_tells_of_expired_entries(
    vsac: Vsac, encode: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    vsac("memory", "add", "r.vsa", "--confirmed")
    with closing(sqlite3.connect(tmp_path / "data" / "vsalang" / "memory.sqlite")) as database:
        database.execute('UPDATE entries SET apps = replace(apps, \'"digest": "\', \'"digest": "0\')')
        database.commit()
    ran = encode()
    assert "1 remembered spec of these apps has expired: `vsac memory list` says why" in ran.stdout
    assert "arlier tasks" not in request(tmp_path)


def test_encode_does_not_pass_over_a_damaged_memory(
    encode: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "m.sqlite").write_bytes(b"no database" * 99)
    (tmp_path / "m.sqlite").chmod(0o600)
    ran = encode("--memory", "m.sqlite")
    assert ran.returncode == 2 and "it is not a database" in ran.stderr
    assert not (tmp_path / "t.vsa").exists()


@pytest.mark.parametrize(
    ("said", "kept"), [("y\n", True), ("yes\n", True), ("n\n", False), ("\n", False), (None, False)]
)
def test_encode_remembers_what_the_user_confirms(
    said: str | None,
    kept: bool,
    vsac: Vsac,
    encode: Callable[..., CompletedProcess[str]],
) -> None:
    ran = encode("--remember", input=said)
    assert ran.returncode == 0
    assert 'the restaurant is "R"' in ran.stderr
    assert "Is this what you meant?" in ran.stderr
    if kept:
        (entry,) = listed(vsac)
        assert (entry["confirmed"], entry["model"]) == ("user", "gpt-4o")
        assert f"remembered as {entry['id']}" in ran.stderr
    else:
        assert listed(vsac) == []
        assert "when you have read it: vsac memory add t.vsa --confirmed" in ran.stderr


def test_comments_of_a_spec_name_its_model(
    vsac: Vsac, encode: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    encode("--model", "m-1", told="m-1 at home")
    assert vsac("memory", "add", "t.vsa", "--confirmed").returncode == 0
    assert listed(vsac)[0]["model"] == "m-1 at home"
    vsac("memory", "add", "t.vsa", "--confirmed", "--model", "m-2")
    assert listed(vsac)[0]["model"] == "m-2"


def test_rejected_spec_is_never_asked_about(vsac: Vsac, encode: Callable[..., CompletedProcess[str]]) -> None:
    ran = encode("--remember", "--max-rounds", "1", answer=SPEC.replace("time", "hour"), input="y\n")
    assert ran.returncode == 1
    assert "Is this what you meant?" not in ran.stderr
    assert listed(vsac) == []


# ---------------------------------------------------------------- where it is


def test_own_configuration_names_the_file(vsac: Vsac, tmp_path: Path) -> None:
    (tmp_path / "config" / "vsac").mkdir(parents=True)
    (tmp_path / "config" / "vsac" / "vsac.toml").write_text(
        '[encode]\nmemory = "../mine.sqlite"\n', encoding="utf-8"
    )
    assert vsac("memory", "add", "r.vsa", "--confirmed").returncode == 0
    assert (tmp_path / "config" / "mine.sqlite").is_file()
    (tmp_path / "config" / "vsac" / "vsac.toml").write_text("[encode]\nmemory = 7\n", encoding="utf-8")
    ran = vsac("memory", "list")
    assert ran.returncode == 2 and "vsac.toml:2: `memory` is the name of a file, not a number" in ran.stderr


def test_no_project_names_the_file(vsac: Vsac, tmp_path: Path) -> None:
    """A project of somebody else could collect what the user asked for."""
    (tmp_path / "vsac.toml").write_text('[encode]\nmemory = "theirs.sqlite"\n', encoding="utf-8")
    ran = vsac("memory", "add", "r.vsa", "--confirmed")
    assert ran.returncode == 2
    assert "vsac.toml:2: no project says where your memory is" in ran.stderr
    assert f"{tmp_path}/config/vsac/vsac.toml" in ran.stderr
    assert not (tmp_path / "theirs.sqlite").exists()


def test_run_checks_its_options_first(vsac: Vsac) -> None:
    args = ["run", "r.vsa", "--device", "sim:restaurant", "--agent", "none.jsonl"]
    ran = vsac(*args, "--memory", "m.sqlite")
    assert ran.returncode == 2 and "--memory needs --remember" in ran.stderr
    ran = vsac("run", "--resume", "j.jsonl", "--agent", "none.jsonl", "--remember")
    assert ran.returncode == 2 and "--remember and --resume exclude each other" in ran.stderr
    ran = vsac(*args, "--remember", "--memory", "r.vsa")
    assert ran.returncode == 2 and "r.vsa" in ran.stderr


# ---------------------------------------------------------------- the page


def test_page_names_every_option() -> None:
    synopsis = PAGE.partition("\nA spec that")[0]
    inside = COMMANDS["memory"].inside
    for name in inside.keys() - {"certificates"}:
        below = imported(name, inside[name])
        line = next(line for line in synopsis.splitlines() if f"vsac memory {name}" in line)
        options = {each for item in below.params for each in item.opts if each.startswith("--")}
        assert options - {"--json", "--output"} == set(re.findall(r"--[a-z]+", line)), name


def test_python_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)\n```\n", PAGE, re.DOTALL)
    exec(compile(code, "memory.md", "exec"), {})
    assert "apps.opentable.Reserve" in capsys.readouterr().out


def test_only_the_own_configuration_places_certificates(vsac: Vsac, tmp_path: Path) -> None:
    (tmp_path / "config" / "vsac").mkdir(parents=True)
    own, project = tmp_path / "config" / "vsac" / "vsac.toml", tmp_path / "vsac.toml"
    own.write_text('[certificates]\nfile = "../mine.sqlite"\n', encoding="utf-8")
    assert "config/vsac/../mine.sqlite" in vsac("memory", "certificates", "list").stdout
    project.write_text('[certificates]\nfile = "theirs.sqlite"\n', encoding="utf-8")
    ran = vsac("memory", "add", "r.vsa", "--confirmed")
    assert ran.returncode == 2 and "vsac.toml:2: no project says where your memory is" in ran.stderr
