"""The console in a real browser: by keys and by touch, with hostile texts, with two thousand sessions."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.browser import NAMES, Page, browser, opened
from tests.tools.fleet_live.fleet import Fleet, written
from vsalang.guard.user.answering import hash_of
from vsalang.tools.fleet.live.session_summary import SessionSummary

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        browser() is None, reason=f"no browser: one of {', '.join(NAMES)} (Debian: apt install chromium)"
    ),
]

HOSTILE: Final = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2">{{7*7}}'


@pytest.fixture
def page(fleet: Fleet, tmp_path: Path) -> Iterator[Page]:
    with opened(tmp_path) as page:
        yield page


def enter(page: Page, fleet: Fleet, name: str = "ana") -> None:
    """Log in by the form."""
    page.open(f"{fleet.server.url}/")
    page.until("document.activeElement && document.activeElement.id == 'token'")
    page.call("Input.insertText", text=fleet.tokens[name])
    page.press("Enter")
    page.until("document.getElementById('link') && document.getElementById('link').textContent == 'live'")


def rows(page: Page) -> list[str]:
    return page.value("[...document.querySelectorAll('.session')].map(row => row.innerText)")  # type: ignore[no-any-return]


def complaints(page: Page) -> list[Any]:
    """What the browser held back or failed at; a picture that it looks for by itself is not there."""
    logged = [one["params"]["entry"] for one in page.events if one.get("method") == "Log.entryAdded"]
    thrown = [one for one in page.events if one.get("method") == "Runtime.exceptionThrown"]
    mine = [one for one in logged if one["level"] != "verbose" and "favicon" not in one.get("url", "")]
    mine = [one for one in mine if "401" not in one["text"]]  # the page that asks for the token
    return [*mine, *thrown]


def test_a_session_is_looked_at_by_keys_alone(fleet: Fleet, page: Page, journal: Path) -> None:
    fleet.send(journal)
    enter(page, fleet)
    page.until("document.querySelectorAll('.session').length == 1")
    page.press("ArrowDown", "Enter")
    page.until("document.querySelector('#screen svg') && document.querySelector('#map svg')")
    assert page.value("document.querySelectorAll('#screen rect.box').length") > 5
    last = page.value("document.querySelector('#steps [aria-current=true]').dataset.line")
    page.press("ArrowLeft")
    page.until(f"document.querySelector('#steps [aria-current=true]').dataset.line < {last}")
    # to the blocked switch: what it touches, the rule, and the line of the spec
    page.value(
        "[...document.querySelectorAll('#steps button')].find(b => b.innerText.includes('Adaptive')).click()"
    )
    page.until("document.querySelector('#what code') && document.querySelector('#screen .target')")
    text = page.value("document.getElementById('what').innerText")
    assert "quiet_evening.vsa:6" in text and "allow 1 Switch(" in text and "Adaptive brightness" in text
    assert page.value("document.querySelectorAll('#map .here').length") == 1
    assert complaints(page) == []


def test_a_person_approves_what_is_shown(fleet: Fleet, page: Page, unfinished: Path) -> None:
    session = fleet.send(unfinished).session
    enter(page, fleet)
    screen = fleet.server.intake.sessions["main", session].fingerprint
    question: dict[str, Any] = {
        "kind": "question", "version": 1, "number": 1, "nonce": "n", "seconds": 60.0, "screen": screen,
        "message": f"Erase all data: {HOSTILE}\nLet the agent do it?",
        "verdict": {"reasons": [{"level": "confirm", "message": HOSTILE, "rule": "CARE-1"}], "proposal": "tap"},
    }  # fmt: skip
    question["hash"] = hash_of(question)
    answers: list[Any] = []
    body = {"question": question, "left": 60}
    thread = threading.Thread(
        target=lambda: answers.append(fleet.client().post(f"/v1/ask/{session}", body, 60)), daemon=True
    )
    thread.start()
    page.until("!document.getElementById('questions').hidden")
    page.press("q")
    page.until("document.getElementById('ask').open && document.activeElement.id == 'refuse'")
    assert HOSTILE in page.value("document.querySelector('#ask pre').textContent")
    assert page.value("document.querySelectorAll('#ask svg rect').length") > 5
    page.press("Tab")
    assert page.value("document.activeElement.id") == "approve"
    page.press("Enter")
    thread.join(30)
    assert answers == [{"hash": question["hash"], "answer": "yes", "screen": screen}]
    page.until("document.getElementById('questions').hidden")
    assert page.value("typeof window.hacked") == "undefined" and complaints(page) == []


def test_hostile_texts_do_nothing_on_the_console(fleet: Fleet, page: Page, tmp_path: Path) -> None:
    columns = ["text", "left", "top", "right", "bottom", "window", "draw", "cls"]
    settings = {"mode": "enforce"}
    header = {
        "settings": settings,
        "engine": "incremental",
        "spec": HOSTILE,
        "device": HOSTILE,
        "instruction": HOSTILE,
    }
    verdict = {"level": "block", "proposal": HOSTILE, "reasons": [{"level": "block", "kind": HOSTILE, "rule": HOSTILE,
               "message": HOSTILE, "annotations": {"risk": [HOSTILE]}}]}  # fmt: skip
    look = {"clock": "", "today": "2026-04-01", "seen": None, "delivered": None, "shown": [HOSTILE]}
    records: list[tuple[str, dict[str, Any]]] = [
        ("session", header),
        ("screen", {"id": "a", "form": "tree", "app": [HOSTILE, None], "windows": {"columns": [], "rows": []},
                    "nodes": {"columns": columns, "rows": [[HOSTILE, 0, 0, 400, 300, 1, 1, "TextView"]]}}),
        ("observe", {**look, "screen": {"id": "a", "fingerprint": "f"}}),
        ("propose", {"clock": HOSTILE, "proposal": {}, "note": HOSTILE, "verdict": verdict}),
        ("hint", {"aim": "a", "screen": "s", "left": 1, "text": HOSTILE}),
        ("turned_away", {"request": HOSTILE, "reason": HOSTILE}),
    ]  # fmt: skip
    fleet.send(written(tmp_path / "hostile.jsonl", records))
    enter(page, fleet, "ada")
    page.until("document.querySelectorAll('.session').length == 1")
    page.press("ArrowDown", "Enter")
    page.until("document.querySelector('#map svg')")
    for view, ready in (("alarms", "#alarm-rows tr"), ("figures", "#figures .bars"), ("trail", "#trail td")):
        page.value(f"document.querySelector('[data-view={view}]').click()")
        page.until(f"document.querySelector('{ready}')")
        assert page.value("typeof window.hacked") == "undefined"
    assert page.value("document.querySelectorAll('main script,img,iframe,object,embed').length") == 0
    assert "window.hacked=1" in page.value("document.getElementById('alarm-rows').textContent")
    assert complaints(page) == []


def test_two_thousand_sessions_are_a_list(fleet: Fleet, page: Page) -> None:
    """Only the rows that show are on the page; the list is searched and sorted."""
    intake = fleet.server.intake
    for number in range(2000):
        name = f"{number:064x}"
        intake.sessions["main", name] = SessionSummary(
            "main", name, f"phone{number:04}", spec="order", at=f"2026-04-01T12:{number % 60:02}:00+00:00"
        )
    enter(page, fleet)
    page.until("document.getElementById('n-sessions').textContent == '2000'")
    assert 0 < len(rows(page)) < 60
    page.press("/")
    page.call("Input.insertText", text="phone1234")
    page.until("document.querySelectorAll('.session').length == 1")
    assert "phone1234" in rows(page)[0]
    page.value(
        "document.getElementById('find').value = ''; document.getElementById('find').dispatchEvent(new Event('input'))"
    )
    page.value("document.getElementById('list').scrollTop = 1e9")
    page.until("[...document.querySelectorAll('.session')].some(row => row.innerText.includes('phone1999'))")
    assert len(rows(page)) < 60 and complaints(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(fleet: Fleet, page: Page, journal: Path, scheme: str) -> None:
    fleet.send(journal)
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    enter(page, fleet)
    page.until("document.querySelectorAll('.session').length == 1")
    page.press("ArrowDown", "Enter")
    page.until("document.querySelector('#screen svg') && document.querySelector('#map svg')")
    assert page.value("document.documentElement.scrollWidth") <= 390
    back = page.value("getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
    page.press("Escape")
    assert page.value("getComputedStyle(document.getElementById('sessions')).display") == "flex"


def test_a_server_that_goes_is_said_to_be_away(fleet: Fleet, page: Page) -> None:
    enter(page, fleet)
    fleet.on_loop(lambda: fleet.server.stop())
    page.until("document.getElementById('link').textContent == 'the server is away'")
