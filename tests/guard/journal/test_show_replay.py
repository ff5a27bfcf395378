"""`vsac journal show` and `vsac journal replay`: what people and machines are told of a recorded session."""

import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.guard.journal.conftest import AGENT, ROOT, SPEC, kept, vsac
from tests.oracle import engine_of
from tests.snapshots import golden
from vsalang.base.names import ENGINES
from vsalang.guard.journal import JournalError, other_program, read_session, recorded_program, replay, resume
from vsalang.guard.journal.file import Journal, read_journal
from vsalang.guard.journal.session_page import render
from vsalang.guard.journal.timeline import timeline, to_json
from vsalang.program.screen import FINGERPRINTS


def without_hashes(text):
    return re.sub(r"[0-9a-f]{64}", "HASH", re.sub(r"vsac \d[\w.]*", "vsac VERSION", text))


def rewritten(path, change):
    """The journal with a chain that fits, every record changed by a function of its kind and data."""
    records = list(read_journal(path))
    path.unlink()
    with Journal(path) as journal:
        for record in records:
            journal.write(record.kind, change(record.kind, json.loads(json.dumps(record.data))))


# ---- show ----------------------------------------------------------------------------------------


def test_show(demo):
    result = vsac("journal", "show", demo)
    assert result.returncode == 0, result.stderr
    golden(without_hashes(result.stdout), "journal/show.txt")


def test_show_in_colour_says_the_same(demo):
    result = vsac("--color", "always", "show", demo)
    assert "\x1b[31m" in result.stdout
    assert re.sub(r"\x1b\[\d+m", "", result.stdout) == vsac("journal", "show", demo).stdout


def test_no_line_is_wider_than_the_terminal(demo):
    result = vsac("journal", "show", demo, COLUMNS="60")
    assert max(map(len, result.stdout.splitlines()[3:-1])) <= 60


def test_parts(demo):
    result = vsac("journal", "show", demo, "--from", 6, "--to", 7)
    assert re.findall(r"^ +(\d+)  12:", result.stdout, re.M) == ["6", "7"]
    result = vsac("journal", "show", demo, "--only", "blocked", "--only", "warned")
    assert re.findall(r"^ +(\d+)  12:", result.stdout, re.M) == ["2", "5", "7"]
    assert "nothing of that kind" in vsac("journal", "show", demo, "--only", "asked").stdout
    assert vsac("journal", "show", demo, "--only", "nothing").returncode == 2


def test_show_for_machines(demo):
    data = json.loads(vsac("journal", "show", demo, "--json").stdout)
    assert (data["version"], data["outcome"], data["torn"]) == (1, "completed", 0)
    assert data["counts"] == {
        "allowed": 9,
        "warned": 2,
        "asked": 0,
        "blocked": 1,
        "unjudged": 0,
        "committed": 9,
        "surprise": 0,
    }
    steps = [event for event in data["events"] if event["kind"] == "step"]
    assert [step["step"] for step in steps] == list(range(1, 13))
    assert steps[6]["verdict"]["level"] == "block" and steps[6]["committed"] is False
    assert data["session"]["files"][0].endswith(".vsa") and "sources" not in data["session"]
    assert data == json.loads(json.dumps(to_json(timeline(read_session(demo)))))


@pytest.mark.parametrize("command", ["show", "replay"])
def test_what_cannot_be_shown(demo, tmp_path, command):
    text = demo.read_text(encoding="utf-8")
    demo.write_text(text.replace("20:30", "18:30", 1), encoding="utf-8")
    changed = vsac(command, demo)
    assert changed.returncode == 2
    assert "the line was changed after it was written" in changed.stderr
    for name, content in (("none", None), ("empty", ""), ("other", "x\n")):
        path = tmp_path / name
        if content is not None:
            path.write_text(content)
        result = vsac(command, path)
        assert result.returncode == 2 and result.stderr.startswith("error: ")
        assert "Traceback" not in result.stderr


def test_the_first_version_is_told(tmp_path):
    """What was written before replays were possible: the chain is whole, there is not enough in it."""
    path = tmp_path / "old"
    with Journal(path) as journal:
        journal.write("session", {"spec": "a", "digest": "x", "settings": {}})
    result = vsac("journal", "show", path)
    assert result.returncode == 2 and "first version of the format" in result.stderr


def test_a_line_that_was_cut_off(demo):
    demo.write_bytes(demo.read_bytes()[:-40])
    result = vsac("journal", "show", demo)
    assert result.returncode == 0
    assert "reserve_r  unfinished" in result.stdout
    assert "cut off by a crash" in result.stdout
    assert vsac("journal", "replay", demo).returncode == 0


def test_a_run_that_was_interrupted_and_went_on(demo):
    """Cut at the commit of the booking, and resumed: it is not booked again."""
    lines = demo.read_bytes().splitlines(keepends=True)
    commits = [n for n, line in enumerate(lines) if b'"kind": "commit"' in line]
    demo.write_bytes(b"".join(lines[: commits[-2] + 1]) + b'{"half')
    kept(demo)
    result = vsac("run", "--resume", demo, "--agent", AGENT, "--open", "com.opentable")
    assert "goes on after 11 proposals" in result.stdout
    assert 'tap(id = "reserve_button") was under way: whether it arrived is not known' in result.stdout
    shown = vsac("journal", "show", demo)
    assert "The guard was gone; the session went on from the journal" in shown.stdout
    assert "whether it arrived is not known" in shown.stdout
    assert vsac("journal", "replay", demo).returncode == 0
    steps = read_session(demo).steps
    assert [step.number for step in steps][-1] == 12
    assert sum("reserve_button" in str(step.proposal) and bool(step.commit) for step in steps) == 1


def test_what_resume_refuses(demo, tmp_path):
    over = vsac("run", "--resume", demo, "--agent", AGENT)
    assert over.returncode == 2 and "is over" in over.stderr
    for args in ([SPEC], ["--today", "2026-01-01"], ["--journal", "x"], ["--policy", "x"]):
        result = vsac("run", *args, "--resume", demo, "--agent", AGENT)
        assert result.returncode == 2 and "the journal says it" in result.stderr
    result = vsac("run", "--resume", tmp_path / "none", "--agent", AGENT)
    assert result.returncode == 2 and "cannot read" in result.stderr
    with Journal.reopen(demo)[0]:
        held = vsac("run", "--resume", demo, "--agent", AGENT)
        assert held.returncode == 2 and "another process" in held.stderr


def test_text_of_a_screen_cannot_steer_the_terminal(demo):
    def change(kind, data):
        if kind == "propose":
            data["note"] = "\x1b[2J\u202e hidden"
            data["verdict"]["proposal"] = "\x1b]0;x\x07 tap"
        return data

    rewritten(demo, change)
    shown = vsac("--color", "never", "show", demo).stdout
    assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown


# ---- replay --------------------------------------------------------------------------------------


def test_replay_of_the_same(demo):
    result = vsac("journal", "replay", demo)
    assert (result.returncode, result.stdout) == (
        0,
        "12 proposals judged again by the recorded program, 0 flipped.\n",
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_the_engines_agree_on_it(demo, engine):
    assert vsac("journal", "replay", demo, "--engine", engine).returncode == 0


def test_the_reference_agrees_on_it(demo):
    session = read_session(demo)
    replayed = replay(session, recorded_program(session).checked(), engine=engine_of("reference"))
    assert len(replayed.judgements) == 12 and not replayed.flipped


TOLD = (
    "The session was recorded under the engine reference, which this version has no more: it is judged again by "
    "incremental.\n"
)


@pytest.fixture
def by_reference(tmp_path: Path) -> Path:
    """A session that was recorded when `--engine reference` was one of the engines."""
    path = tmp_path / "by_reference.jsonl"
    path.write_bytes(gzip.decompress(Path(__file__).with_name("by_reference.jsonl.gz").read_bytes()))
    return path


def test_a_journal_of_the_former_engine_is_shown(by_reference):
    shown = vsac("journal", "show", by_reference)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "3 proposals, 2 carried out, 1 blocked" in shown.stdout
    assert read_session(by_reference).header["engine"] == "reference"


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_journal_of_the_former_engine_is_judged_again(by_reference, more):
    again = vsac("journal", "replay", by_reference, *more)
    assert again.returncode == 0
    assert again.stderr == TOLD
    if more:
        data = json.loads(again.stdout)
        assert [each["outcome"] for each in data["judgements"]] == ["same"] * 3
    else:
        first, *since = again.stdout.splitlines()
        assert first == "3 proposals judged again by the recorded program, 0 flipped."
        assert since == [
            "The session was recorded under version 1 of meaning, this is version 4.",
        ]
    assert vsac("journal", "replay", by_reference, "--engine", "pydatalog").stderr == ""


def test_who_certifies_a_journal_of_it_is_told(by_reference, demo, tmp_path):
    certified = vsac("journal", "certify", by_reference)
    assert certified.returncode == 0
    engine, meaning = certified.stderr.splitlines()
    assert f"{engine}\n" == TOLD
    assert meaning.startswith("The session was recorded under version 1 of meaning, this is version 4: ")
    remembered = vsac("memory", "certificates", "add", by_reference, "--memory", tmp_path / "c.sqlite")
    assert remembered.returncode == 0 and remembered.stderr.startswith(TOLD)
    assert vsac("journal", "certify", demo).stderr == ""


def test_the_reference_still_judges_its_journal_alike(by_reference):
    session = read_session(by_reference)
    replayed = replay(session, recorded_program(session).checked(), engine=engine_of("reference"))
    assert len(replayed.judgements) == 3 and not replayed.flipped
    assert not any(judgement.moved for judgement in replayed.judgements)


def test_a_session_of_the_former_engine_is_not_resumed(by_reference):
    """Another engine would go on under its name."""
    before = by_reference.read_bytes()
    last = list(read_journal(by_reference))[-1]
    with pytest.raises(
        JournalError, match=r"there is no engine reference.*tests/oracle.*Start a new session"
    ):
        resume(by_reference, head=last.hash)
    assert by_reference.read_bytes() == before


def other(tmp_path, old, new, name="other"):
    text = (ROOT / SPEC).read_text(encoding="utf-8").replace("spec reserve_r", f"spec {name}")
    path = tmp_path / f"{name}.vsa"
    path.write_text(text.partition("\ntest ")[0].replace(old, new) + "\n", encoding="utf-8")
    return path


def test_replay_by_another_spec(demo, tmp_path):
    spec = other(tmp_path, "19:00", "18:10")
    result = vsac("journal", "replay", demo, "--spec", spec)
    assert result.returncode == 1
    golden(result.stdout, "journal/replay.txt")
    data = json.loads(vsac("journal", "replay", demo, "--spec", spec, "--json").stdout)
    assert (data["version"], data["proposals"], data["flipped"], data["same_program"]) == (1, 12, 2, False)
    flipped = [item for item in data["judgements"] if item["outcome"] == "flipped"]
    assert [(i["step"], i["recorded"]["level"], i["now"]["level"]) for i in flipped] == [
        (10, "allow", "warn"),
        (11, "allow", "block"),
    ]
    assert all(i["now"]["reasons"] for i in flipped)
    # what happened happened: after the booking the other spec sees it as done
    assert data["judgements"][11]["now"]["level"] == "allow"


def test_replay_by_another_policy(demo, tmp_path):
    policy = tmp_path / "never.vsa"
    policy.write_text(
        'policy never "x"\nimport apps.opentable\n@id("NEVER") deny "No bookings" when Reserve(restaurant = "R").\n'
    )
    result = vsac("journal", "replay", demo, "--policy", policy)
    assert result.returncode == 1
    assert "now   block" in result.stdout and "[NEVER]" in result.stdout
    assert vsac("journal", "replay", demo, "--no-policy").returncode == 0
    assert vsac("journal", "replay", demo, "--no-policy", "--policy", policy).returncode == 2


def test_replay_everything(demo):
    result = vsac("journal", "replay", demo, "--all")
    assert len(re.findall(r"^ +\d+  ", result.stdout, re.M)) == 12


def test_a_spec_with_errors(demo, tmp_path):
    spec = tmp_path / "broken.vsa"
    spec.write_text('spec broken "x"\nimport apps.opentable\nallow Nothing.\n')
    result = vsac("journal", "replay", demo, "--spec", spec)
    assert result.returncode == 1 and "E0" in result.stderr
    assert vsac("journal", "replay", demo, "--spec", tmp_path / "none.vsa").returncode == 2
    app = vsac("journal", "replay", demo, "--spec", ROOT / "app_specs" / "apps" / "opentable.vsa")
    assert app.returncode == 2 and "not a spec" in app.stderr


@pytest.mark.slow
def test_replay_needs_no_files(demo, tmp_path):
    """Everything is in the journal: the recorded paths may be gone."""

    def change(kind, data):
        for source in data.get("sources", ()):
            source["path"] = source["path"].replace(str(ROOT), "/nowhere/at/all")
        return data

    rewritten(demo, change)
    result = vsac("journal", "replay", demo, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_texts_that_were_changed_are_not_the_program(demo):
    def change(kind, data):
        for source in data.get("sources", ()):
            source["text"] = source["text"].replace("19:00", "20:00")
        return data

    rewritten(demo, change)
    result = vsac("journal", "replay", demo)
    assert result.returncode == 2 and "its hash is another" in result.stderr


def test_a_verdict_that_was_forged_flips(demo):
    def change(kind, data):
        if kind == "propose" and data["verdict"]["level"] == "block":
            data["verdict"]["level"] = "allow"
        return data

    rewritten(demo, change)
    result = vsac("journal", "replay", demo)
    assert result.returncode == 1 and "1 flipped" in result.stdout


def test_a_screen_that_was_forged_is_found(demo):
    def change(kind, data):
        if kind == "screen":
            rows = data["nodes"]
            column = rows["columns"].index("text")
            for row in rows["rows"]:
                row[column] = "19:45" if row[column] == "20:30" else row[column]
        return data

    rewritten(demo, change)
    result = vsac("journal", "replay", demo)
    assert result.returncode == 2 and "its fingerprint is another" in result.stderr


def test_a_journal_of_other_fingerprints_is_replayed(demo):
    """Journals before version 2 do not say which one they have; the screens of a version are still told apart."""

    def change(kind, data):
        if kind == "session":
            assert data.pop("fingerprints") == FINGERPRINTS
        if isinstance(screen := data.get("screen"), dict) and "fingerprint" in screen:
            data["screen"] = {**screen, "fingerprint": f"former {screen['fingerprint']}"}
        elif kind == "commit" and screen is not None:
            data["screen"] = f"former {screen}"
        return data

    rewritten(demo, change)
    result = vsac("journal", "replay", demo)
    assert (result.returncode, "0 flipped" in result.stdout) == (0, True), result.stderr


def test_from_python(demo):
    session = read_session(demo)
    assert [step.level for step in session.steps].count("warn") == 2
    program = recorded_program(session).program
    assert replay(session, program).flipped == []
    assert other_program(session, None, []).program is not None


@pytest.mark.slow
def test_a_file_lying_about_is_not_the_recorded_one(tmp_path):
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "task.vsa").write_text((ROOT / SPEC).read_text(encoding="utf-8"), encoding="utf-8")
    # next to the folder, where no import of the task was looked for
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "opentable.vsa").write_text(
        'app apps.opentable package "com.other" "Another app."\n'
    )
    journal = tmp_path / "j.jsonl"
    run = (
        "run",
        folder / "task.vsa",
        "--device",
        "sim:restaurant",
        "--open",
        "com.opentable",
        "--agent",
        AGENT,
    )
    assert vsac(*run, "--journal", journal).returncode == 0
    result = vsac("journal", "replay", journal)
    assert result.returncode == 0, result.stderr


# ---- the page ------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What of a page could do or load anything."""

    EMPTY = frozenset({"meta", "input", "link", "img", "br", "base"})

    def __init__(self):
        super().__init__()
        self.tags = []
        self.attrs = []
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attrs += [(tag, name, value) for name, value in attrs]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attrs += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(html):
    page = Page()
    page.feed(html)
    assert page.open == []
    return page


def harmless(html):
    page = read(html)
    assert not set(page.tags) & {
        "script",
        "iframe",
        "img",
        "link",
        "object",
        "embed",
        "form",
        "base",
        "foreignobject",
    }
    for _, name, value in page.attrs:
        assert not name.startswith("on") and name not in ("src", "style", "srcset", "action", "xlink:href")
        if name == "href":
            assert value.startswith("#")
    assert "url(" not in html and "@import" not in html
    return page


def test_the_page(demo, tmp_path):
    result = vsac("journal", "show", demo, "--html", tmp_path / "page.html")
    assert result.returncode == 0, result.stderr
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = harmless(html)
    assert page.tags.count("article") == 12 + 1  # the steps, and the first look
    assert page.tags.count("symbol") == len({s.screen["id"] for s in read_session(demo).steps})
    assert html.count('class="aim block"') == 1
    policy = next(
        v for tag, name, v in page.attrs if tag == "meta" and name == "content" and "default-src" in v
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_the_style_that_the_page_allows_is_its_own(demo):
    import base64
    import hashlib

    html = render(timeline(read_session(demo)))
    style = re.search(r"<style>(.*?)</style>", html, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"sha256-{digest}" in html.replace("&#43;", "+")
    assert "<" not in style


EVIL = "</style></svg><script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{ 7*7 }}{% x %}\u202e"


def test_nothing_out_of_the_journal_is_markup(demo):
    def change(kind, data):
        if kind == "session":
            data["spec"] = data["device"] = EVIL
            data["policies"] = [EVIL]
            for source in data["sources"]:
                source["text"] += EVIL
        if kind == "screen":
            column = data["nodes"]["columns"].index("text")
            for row in data["nodes"]["rows"]:
                row[column] = EVIL
        if kind == "observe":
            data["shown"] = [EVIL]
            data["contracts"] = [{"rule": EVIL, "outcome": "violated", "message": EVIL, "actions": [EVIL]}]
            data["taken_back"] = [EVIL]
        if kind == "propose":
            data["note"] = EVIL
            data["verdict"]["proposal"] = EVIL
            data["verdict"]["actions"] = [EVIL]
            data["verdict"]["reasons"] = [
                {"kind": EVIL, "rule": EVIL, "level": "block", "message": EVIL, "whys": [{"literal": EVIL}]},
                {"kind": "x", "rule": "", "level": EVIL, "message": EVIL, "whys": []},
            ]
        if kind == "outcome":
            data["problem"] = EVIL
        return data

    rewritten(demo, change)
    html = render(timeline(read_session(demo)))
    harmless(html)
    assert "{{ 7*7 }}" in html and "<script" not in html


def test_a_page_is_not_written_over_the_journal(demo):
    before = demo.read_bytes()
    result = vsac("journal", "show", demo, "--html", demo)
    assert result.returncode == 2 and "is the journal" in result.stderr
    assert demo.read_bytes() == before


def test_a_page_of_screens_without_places(tmp_path):
    from tests.guard.journal.walks import PATH, walker

    path = tmp_path / "walk"
    with Journal(path) as journal:
        made = walker(journal)
        for op in PATH:
            made.step(op)
    shown = timeline(read_session(path))
    html = render(shown)
    harmless(html)
    assert '<li class="aim">reserve_button</li>' in html
    assert shown.outcome == "unfinished"


def test_files_that_are_no_sessions_have_no_page(tmp_path):
    path = Path(tmp_path / "j")
    with Journal(path) as journal:
        journal.write("other", {})
    assert vsac("journal", "show", path, "--html", tmp_path / "x").returncode == 2
    assert not (tmp_path / "x").exists()


def test_the_page_says_what_was_asked_and_tapped(demo, tmp_path):
    page = tmp_path / "page.html"
    assert vsac("journal", "show", demo, "--html", page).returncode == 0
    html = page.read_text(encoding="utf-8")
    asked = "Reserve a table at restaurant R for today before 7 PM. If there is none, do nothing."
    assert f'<p class="instruction">{asked}</p>' in html
    told = re.findall(r'<p class="at">on <b>([^<]*)</b> \(([^<]*)\)</p>', html)
    assert ("20:30", "LinearLayout, id slot") in told
    assert ("Reserve 20:30", "Button, id reserve_button") in told
