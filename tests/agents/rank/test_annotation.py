"""Choices that people are asked about, the page that asks them, and the file of their answers."""

import http.client
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from tests.agents.rank.form import APP, HERE, PHONE, SPEC
from tests.browser import NAMES, Page, browser, opened
from tests.commands import vsac
from vsalang.agents.rank import RankAgent, RankOptions
from vsalang.agents.rank.annotation_server import AnnotationServer
from vsalang.agents.rank.annotations import (
    AnnotationError,
    AnswerFile,
    OpenChoice,
    PersonAnswer,
    answers_of,
    asked_about,
    read_answers,
)
from vsalang.agents.rank.runs import RecordedRun, read_run
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.models.rank import Decision, Score, ScorerError, Scores

HOSTILE: Final = (
    "&lt;script&gt;window.hacked=1&lt;/script&gt;&lt;img src=x onerror=window.hacked=2&gt;{{ '{{ 7*7 }}' }}"
)


class Wanders:
    """A scorer that looks around before it does the task."""

    name = "wanders"
    ways = ("script", "scroll down", "go back")

    def score(self, decision: Decision) -> Scores:
        done = len(decision.situation.history)
        if done >= len(self.ways):
            raise ScorerError("it has seen enough")
        return Scores(
            tuple(Score(20.0 * (self.ways[done] in c.text)) for c in decision.candidates), self.name
        )


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on a phone whose app shows hostile texts."""
    folder = tmp_path_factory.mktemp("annotate")
    shutil.copytree(HERE / "phone", folder / "phone")
    main = folder / "phone" / "main.xml"
    main.write_text(main.read_text().replace('text="Trees"', f'text="{HOSTILE}"'))
    path = folder / "run.jsonl"
    with open_guarded(SPEC, f"sim:{folder / 'phone'}", SessionOptions(app=APP, journal=path)) as session:
        agent = RankAgent(
            session.guard, session.device, options=RankOptions((Wanders(),), undoes=False, most=6)
        )
        assert len(list(agent.run())) == 6
    return path


@pytest.fixture(scope="module")
def run(journal: Path) -> RecordedRun:
    return read_run(journal)


@pytest.fixture
def server(run: RecordedRun, tmp_path: Path) -> Iterator[tuple[AnnotationServer, AnswerFile]]:
    file = AnswerFile(tmp_path / "answers.jsonl")
    with AnnotationServer(asked_about([run], share=1.0), file) as serving:
        yield serving, file
    file.close()


def request(
    server: AnnotationServer, method: str, path: str, body: str = "", **headers: str
) -> tuple[int, str, dict[str, str]]:
    """A request below the server's secret address; a path that begins with ``/`` is the whole one."""
    place = urlsplit(server.address)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    if method == "POST":
        told.setdefault("Content-Type", "application/x-www-form-urlencoded")
    connection.request(method, path if path.startswith("/") else place.path + path, body or None, told)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text, dict(response.getheaders())


# ---------------------------------------------------------------- which choices


def test_only_what_logic_leaves_open_is_asked_about(run: RecordedRun, tmp_path: Path) -> None:
    with open_guarded(SPEC, PHONE, SessionOptions(app=APP, journal=tmp_path / "done.jsonl")) as session:
        list(RankAgent(session.guard, session.device).run())
        assert session.guard.done
    finished = read_run(tmp_path / "done.jsonl")
    assert finished.proof and not any(known.open for known in finished.labels())
    asked = asked_about([finished, run], share=1.0)
    assert asked and all(one.run is run and run.labels()[one.number].open for one in asked)
    assert [one.margin for one in asked] == sorted(one.margin for one in asked)


def test_half_of_them_are_flagged_the_least_sure_first(run: RecordedRun) -> None:
    everything, half = asked_about([run], share=1.0), asked_about([run])
    assert half == everything[: len(everything) // 2]


# ---------------------------------------------------------------- the page


def test_answers_are_written_before_the_next_page(server: tuple[AnnotationServer, AnswerFile]) -> None:
    serving, file = server
    total = serving.left
    status, text, _ = request(serving, "GET", "")
    assert status == 200 and "Choice 1 of" in text and "autofocus" in text
    status, _, headers = request(serving, "POST", "1", "candidate=2&said=right")
    assert status == 303 and serving.left == total - 1
    row = json.loads(file.path.read_text("utf-8"))
    assert row["said"] == "right" and row["key"] and row["choice"] >= 0
    assert file.path.stat().st_mode & 0o077 == 0
    assert headers["Location"] in ("2", "end")


def test_an_answer_may_be_changed(server: tuple[AnnotationServer, AnswerFile]) -> None:
    serving, file = server
    request(serving, "POST", "1", "candidate=1&said=right")
    request(serving, "POST", "1", "candidate=1&said=none")
    assert len(file.path.read_text().splitlines()) == 2
    (last,) = read_answers(file.path).values()
    assert last.kind == "none" and last.key == ""


@pytest.mark.parametrize(
    "body",
    [
        "candidate=0&said=right",
        "candidate=9999&said=right",
        "said=right",
        "candidate=1&said=maybe",
        "x" * 5000,
    ],
)
def test_what_is_no_answer_is_refused(server: tuple[AnnotationServer, AnswerFile], body: str) -> None:
    serving, file = server
    status, text, _ = request(serving, "POST", "1", body)
    assert status in (400, 413) and "not possible" in text
    assert file.path.read_text() == ""


def test_others_cannot_read_or_send_anything(server: tuple[AnnotationServer, AnswerFile]) -> None:
    serving, file = server
    assert request(serving, "GET", "/")[0] == 404
    assert request(serving, "GET", "/guess/")[0] == 404
    assert request(serving, "GET", "", Host="evil.example")[0] == 404
    assert request(serving, "POST", "1", "candidate=1&said=right", Origin="http://evil.example")[0] == 404
    assert request(serving, "POST", "1", "candidate=1&said=right", Content_Type="text/plain")[0] == 415
    assert file.path.read_text() == ""


def test_hostile_texts_are_escaped(server: tuple[AnnotationServer, AnswerFile]) -> None:
    serving, _ = server
    pages = [request(serving, "GET", str(number)) for number in range(1, serving.left + 1)]
    shown = "".join(text for _, text, _ in pages)
    assert "&lt;script&gt;window.hacked" in shown
    assert "<script" not in shown and "<img" not in shown and ">49<" not in shown
    for _, _, headers in pages:
        assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_what_people_said_is_gold(run: RecordedRun) -> None:
    one = asked_about([run], share=1.0)[0]
    ranked = run.choices[one.number].ranking.ranked
    head, number = one.name
    said = {one.name: PersonAnswer(head, number, "right", ranked[1].candidate.key)}
    known = run.labels(answers_of(run, said))[one.number]
    assert known.right == ranked[1].candidate.key and known.why == "gold" and not known.open


# ---------------------------------------------------------------- in a browser

NEEDS_BROWSER: Final = pytest.mark.skipif(
    browser() is None, reason=f"no browser: one of {', '.join(NAMES)} (Debian: apt install chromium)"
)


def arrived(page: Page, where: str) -> None:
    """Wait until the next page takes keys."""
    page.until(f"{where} && document.readyState == 'complete' && document.activeElement !== document.body")


@NEEDS_BROWSER
def test_the_keys_alone_are_enough(server: tuple[AnnotationServer, AnswerFile], tmp_path: Path) -> None:
    serving, file = server
    asked: tuple[OpenChoice, ...] = serving._asked
    with opened(tmp_path) as page:
        page.open(serving.address)
        arrived(page, "true")
        assert page.value("document.activeElement.type") == "radio"
        before = int(page.value("document.activeElement.value"))
        page.press("ArrowDown")
        chosen = int(page.value("document.activeElement.value"))
        assert chosen != before
        page.press("Enter")  # saves
        arrived(page, "location.pathname.endsWith('/2')")
        ranked = asked[0].run.choices[asked[0].number].ranking.ranked
        assert file.answers[asked[0].name].key == ranked[chosen - 1].candidate.key
        page.press("Tab", "Tab", "Enter")  # Save, then: none of these
        arrived(page, "!location.pathname.endsWith('/2')")
        assert file.answers[asked[1].name].kind == "none"
        while serving.left:
            here = page.value("location.pathname")
            page.press("Tab", "Tab", "Tab", "Enter")  # I cannot tell
            arrived(page, f"location.pathname != {json.dumps(here)}")
        arrived(page, "document.title == 'That is all'")
        page.press("Enter")  # Stop
        serving.wait()
        assert page.value("document.scripts.length") == 0


@NEEDS_BROWSER
def test_hostile_texts_do_nothing_in_a_browser(
    server: tuple[AnnotationServer, AnswerFile], tmp_path: Path
) -> None:
    serving, _ = server
    with opened(tmp_path) as page:
        seen = 0
        for number in range(1, serving.left + 1):
            page.open(f"{serving.address}{number}")
            assert page.value("typeof window.hacked") == "undefined"
            assert page.value("document.querySelectorAll('script,img,iframe,object').length") == 0
            seen += "<script>window.hacked" in page.value("document.body.innerText")
        assert seen  # as text
        assert not [
            one for one in page.events if one.get("method") == "Log.entryAdded"
        ]  # nothing was held back


# ---------------------------------------------------------------- the file, and the command


@pytest.mark.parametrize(
    "row", ["{", "[]", '{"head": "h", "choice": -1, "said": "right", "key": "k"}', '{"head": 1}']
)
def test_a_file_that_is_none_is_left_alone(tmp_path: Path, row: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(f"{row}\n")
    with pytest.raises(AnnotationError, match="line 1"):
        AnswerFile(file)
    assert file.read_text() == f"{row}\n"


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    told = vsac("rank", "annotate", tmp_path / "none.jsonl", "-o", tmp_path / "a.jsonl")
    assert told.returncode == 2 and "none.jsonl" in told.stderr and not (tmp_path / "a.jsonl").exists()


def test_the_command_ends_if_nothing_is_left_to_ask(journal: Path, run: RecordedRun, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    rows = [PersonAnswer(*one.name, "skip").to_json() for one in asked_about([run], share=1.0)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    told = vsac("rank", "annotate", journal, "-o", file, "--all", "--format", "json")
    assert told.returncode == 0, told.stderr
    data = json.loads(told.stdout)
    assert data["left"] == 0 and data["asked"] == len(rows) and data["address"] is None
