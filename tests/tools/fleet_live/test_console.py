"""The console without a browser: who sees and does what, what it shows, and that devices' texts stay texts."""

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.tools.fleet_live.fleet import Fleet, Person, fleet_in, written
from vsalang.guard.journal import read_session
from vsalang.tools.fleet.live.access import ACCESS_FILE, changing, write_access
from vsalang.tools.fleet.live.server import running
from vsalang.tools.fleet.live.trail import TRAIL_FILE, trail_problem

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Visitor:
    """Somebody with a browser: a cookie, and what a page of the server sends with each change."""

    def __init__(self, fleet: Fleet, name: str) -> None:
        self.fleet = fleet
        self.origin = {"Origin": fleet.server.url}
        body = urlencode({"token": fleet.tokens[name]})
        status, _, headers = fleet.request("POST", "/login", body, **FORM, **self.origin)
        assert status == 303
        self.set_cookie = headers["Set-Cookie"]
        self.cookie = {"Cookie": self.set_cookie.partition(";")[0]}
        me = fleet.request("GET", "/api/me", **self.cookie)[1]
        assert isinstance(me, dict)
        self.csrf = {"X-Fleet-Token": me["csrf"]}

    def post(self, path: str, data: Mapping[str, Any], **headers: str) -> tuple[int, Any]:
        sent = {**self.cookie, **self.origin, **self.csrf, "Content-Type": "application/json", **headers}
        return self.fleet.request("POST", path, json.dumps(data), **sent)[:2]


GETS = [
    "/console.js",
    "/console.css",
    "/drawing.js",
    "/api/me",
    "/api/events",
    "/api/alarms",
    "/api/figures",
    "/api/trail",
]


@pytest.mark.parametrize("path", GETS)
def test_nothing_is_shown_without_a_token(fleet: Fleet, path: str) -> None:
    assert fleet.request("GET", path)[0] == 401
    assert fleet.request("GET", path, Cookie="vsac_fleet=guess")[0] == 401
    if path.startswith("/api"):
        assert fleet.request("GET", path, **fleet.bearer("phone1"))[0] == 401


def test_the_first_page_asks_for_a_token_alone(fleet: Fleet, journal: Path) -> None:
    name = fleet.send(journal).session
    status, text, headers = fleet.request("GET", "/")
    assert status == 401 and isinstance(text, str) and 'name="token"' in text and name not in text
    policy = headers["Content-Security-Policy"]
    assert (
        policy.startswith("default-src 'none'")
        and "unsafe" not in policy
        and "frame-ancestors 'none'" in policy
    )
    for kind in ("html", "js", "css"):
        for page in (Path(__file__).parents[3] / "vsalang/tools/fleet/live/page").glob(f"*.{kind}"):
            text = page.read_text()
            # markup is never made of texts, and nothing is loaded from elsewhere
            assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|srcdoc", text)
            assert not re.search(r"\bon\w+=|style=|https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_cookie_is_for_this_site_alone(fleet: Fleet) -> None:
    cookie = Visitor(fleet, "ana").set_cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert fleet.tokens["ana"] not in cookie


@pytest.mark.parametrize("token", ["", "wrong", "phone1"])
def test_devices_and_strangers_do_not_get_in(fleet: Fleet, token: str) -> None:
    body = urlencode({"token": fleet.tokens.get(token, token)})
    status, _, headers = fleet.request("POST", "/login", body, **FORM, Origin=fleet.server.url)
    assert status == 401 and "Set-Cookie" not in headers


def test_changes_come_from_our_own_pages(fleet: Fleet, journal: Path) -> None:
    session = fleet.send(journal).session
    visitor = Visitor(fleet, "ana")
    change = {"tenant": "main", "session": session, "reason": "why"}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"X-Fleet-Token": "guess"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Cookie": "vsac_fleet=guess"},
        {"Content-Type": "text/plain"},
    ):
        assert visitor.post("/api/end", change, **headers)[0] in (400, 401, 403), headers
    without = {**visitor.cookie, **visitor.csrf, "Content-Type": "application/json"}
    assert fleet.request("POST", "/api/end", json.dumps(change), **without)[0] == 403
    body = urlencode({"token": fleet.tokens["ana"]})
    assert fleet.request("POST", "/login", body, **FORM, Origin="http://evil.example")[0] == 403
    assert fleet.server.intake.sessions["main", session].ending == ""
    assert [row["kind"] for row in fleet.console.trail.newest("*")] == ["login"]
    assert visitor.post("/api/end", change)[0] == 200
    assert fleet.server.intake.sessions["main", session].ending == "ana: why"


@pytest.mark.parametrize("path", ["/api/answer", "/api/end", "/api/revoke", "/login", "/logout"])
def test_nothing_is_changed_by_looking(fleet: Fleet, path: str) -> None:
    assert fleet.request("GET", path, **fleet.bearer("ada"))[0] == 405


def test_each_role_does_what_it_may(fleet: Fleet, journal: Path) -> None:
    session = fleet.send(journal).session
    may = {name: fleet.person(name) for name in ("sam", "ana", "ada", "eve", "ops")}
    assert {name: who.get("/api/trail")[0] for name, who in may.items()} == {
        "sam": 403, "ana": 403, "ada": 200, "eve": 200, "ops": 200,
    }  # fmt: skip
    assert {name: who.end(session, "x")[0] for name, who in may.items()} == {
        "sam": 403, "ana": 200, "ada": 200, "eve": 404, "ops": 200,
    }  # fmt: skip
    assert may["ana"].post("/api/revoke", {"name": "phone1"})[0] == 403
    assert may["eve"].post("/api/revoke", {"name": "phone1"})[0] == 404
    assert may["ada"].post("/api/revoke", {"name": "phone1"})[0] == 200
    assert fleet.request("POST", f"/v1/journal/{session}", **fleet.bearer("phone1"))[0] == 401


def test_no_request_allows_lowers_or_changes_a_policy(fleet: Fleet) -> None:
    """What can be changed at all: this is the whole list."""
    posts = sorted(str(route.path) for route in fleet.server.routes if route.method == "POST")  # type: ignore[attr-defined]
    assert posts == [
        "/api/answer", "/api/end", "/api/revoke", "/login", "/logout", "/v1/ask/{session}", "/v1/journal/{session}",
        "/v1/withdraw/{session}",
    ]  # fmt: skip


def test_a_revoked_person_is_out_at_once(fleet: Fleet) -> None:
    visitor = Visitor(fleet, "sam")
    assert fleet.person("ada").post("/api/revoke", {"name": "sam"})[0] == 200
    assert fleet.request("GET", "/api/me", **visitor.cookie)[0] == 401
    assert fleet.request("GET", "/", **visitor.cookie)[0] == 401


def test_leaving_ends_the_visit(fleet: Fleet) -> None:
    visitor = Visitor(fleet, "sam")
    assert visitor.post("/logout", {})[0] == 200
    assert fleet.request("GET", "/api/me", **visitor.cookie)[0] == 401


def page_of(fleet: Fleet, **headers: str) -> http.client.HTTPResponse:
    """What the server tells an open page."""
    connection = http.client.HTTPConnection("127.0.0.1", fleet.server.port, timeout=20)
    connection.request("GET", "/api/events", headers=headers)
    return connection.getresponse()


def test_leaving_ends_the_pages_that_are_open(fleet: Fleet) -> None:
    visitor = Visitor(fleet, "sam")
    with page_of(fleet, **visitor.cookie) as page:
        assert page.readline() == b"event: columns\n"
        visitor.post("/logout", {})
        assert b"event: leave" in page.read()


def test_one_person_does_not_take_all_pages(fleet: Fleet) -> None:
    with ExitStack() as stack:
        pages = [stack.enter_context(page_of(fleet, **fleet.bearer("sam"))) for _ in range(21)]
        assert [page.status for page in pages] == [200] * 20 + [503]
        assert stack.enter_context(page_of(fleet, **fleet.bearer("eve"))).status == 200


def test_logging_in_counts_as_a_request(fleet_with: Callable[..., Fleet]) -> None:
    fleet = fleet_with(rate=0.001, burst=2)
    body = urlencode({"token": fleet.tokens["sam"]})
    given = [fleet.request("POST", "/login", body, **FORM, Origin=fleet.server.url)[0] for _ in range(4)]
    assert given == [303, 303, 429, 429]
    assert len(fleet.console.trail.newest("*")) == 2


def test_a_token_that_ends_meanwhile_stays_ended(tmp_path: Path) -> None:
    """One who adds a token waits for one who ends another."""
    path = fleet_in(tmp_path / "fleet").folder / ACCESS_FILE
    holding, ended = threading.Event(), []

    def end() -> None:
        with changing(path) as access:
            holding.set()
            time.sleep(0.2)
            write_access(path, access.without("phone1"))
            ended.append(True)

    thread = threading.Thread(target=end)
    thread.start()
    assert holding.wait(20)
    with changing(path) as access:
        assert ended == [True] and access.named("phone1") is None
    thread.join()


def test_another_tenants_sessions_are_not_there(fleet: Fleet, journal: Path) -> None:
    name = fleet.send(journal).session
    eve, ops = fleet.person("eve"), fleet.person("ops")
    for path in (
        f"/api/session/main/{name}",
        f"/api/step/main/{name}/4",
        f"/api/map/main/{name}",
        f"/api/session/other/{name}",
    ):
        status, data = eve.get(path)
        assert (status, data["error"]["message"]) == (404, "there is no such session")
    assert eve.get("/api/alarms")[1] == {"alarms": []}
    assert eve.get("/api/figures")[1]["steps"] == 0
    assert ops.get(f"/api/session/main/{name}")[0] == 200
    assert len(ops.get("/api/alarms")[1]["alarms"]) > 0


def test_a_session_is_shown_with_its_reasons(fleet: Fleet, ana: Person, journal: Path) -> None:
    name = fleet.send(journal).session
    status, data = ana.get(f"/api/session/main/{name}")
    steps = [event for event in data["events"] if event["kind"] == "step"]
    assert status == 200 and len(steps) == len(read_session(journal).steps)
    blocked = next(event for event in steps if event["level"] == "block")
    status, step = ana.get(f"/api/step/main/{name}/{blocked['line']}")
    reason = step["reasons"][0]
    assert reason["rule"].startswith("quiet_evening") and "Adaptive brightness" in reason["message"]
    assert reason["source"]["line"] == 6 and reason["source"]["text"].startswith("allow 1 Switch(")
    assert reason["source"]["file"] == "quiet_evening.vsa"
    target, drawing = step["target"], step["drawing"]
    assert target["width"] > 0 and drawing["width"] > target["x"] and len(drawing["boxes"]) > 5
    assert ana.get(f"/api/step/main/{name}/1")[0] == 404
    assert ana.get(f"/api/step/main/{name}/x")[0] == 400


def test_the_map_says_where_it_is(fleet: Fleet, ana: Person, journal: Path) -> None:
    name = fleet.send(journal).session
    _, data = ana.get(f"/api/map/main/{name}")
    nodes = {node["name"]: node for node in data["nodes"]}
    assert nodes["apps.settings:Main"]["column"] == 0 and nodes["apps.settings:Display"]["column"] == 1
    assert sum(node["here"] for node in data["nodes"]) == 1
    assert any("Display" in way["to"] and "Display" in way["by"] for way in data["ways"])


def test_alarms_are_filtered(fleet: Fleet, ana: Person, journal: Path) -> None:
    fleet.send(journal)
    everything = ana.get("/api/alarms")[1]["alarms"]
    assert {alarm["level"] for alarm in everything} >= {"block"}
    for name in ("level", "kind", "rule", "category", "effect", "device"):
        value = next(alarm[name] for alarm in everything if alarm[name])
        some = ana.get("/api/alarms?" + urlencode({name: value}))[1]["alarms"]
        assert some == [alarm for alarm in everything if alarm[name] == value]
    assert ana.get("/api/alarms?text=BRIGHTness")[1]["alarms"]
    assert ana.get("/api/alarms?" + urlencode({"rule": "' OR 1=1 --"}))[1]["alarms"] == []
    assert ana.get(f"/api/alarms?before={everything[-1]['id']}")[1]["alarms"] == []
    assert ana.get("/api/alarms?before=x")[0] == 400


HOSTILE = "</script><script>window.hacked=1</script>\u202e<img src=x onerror=window.hacked=2>"


def test_a_hostile_screen_stays_text(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    columns = ["text", "left", "top", "right", "bottom", "window", "draw", "cls"]
    records: list[tuple[str, dict[str, Any]]] = [
        ("session", {"settings": {}, "engine": "incremental", "spec": HOSTILE, "device": HOSTILE}),
        ("screen", {"id": "a", "form": "tree", "app": [HOSTILE, None], "windows": {"columns": [], "rows": []},
                    "nodes": {"columns": columns, "rows": [[HOSTILE, 0, 0, 400, 300, 1, 1, "TextView"]]}}),
        ("turned_away", {"request": HOSTILE, "reason": HOSTILE}),
    ]  # fmt: skip
    name = fleet.send(written(tmp_path / "hostile.jsonl", records)).session
    visitor = Visitor(fleet, "ana")
    for path in (f"/api/session/main/{name}", "/api/alarms", "/api/figures"):
        status, data, headers = fleet.request("GET", path, **visitor.cookie)
        assert status == 200 and headers["Content-Type"].startswith("application/json")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "\u202e" not in json.dumps(data, ensure_ascii=False)


def test_broken_sessions_are_said_to_be(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    records = [("session", {"settings": 5}), ("propose", {"verdict": 7})]
    name = fleet.send(written(tmp_path / "broken.jsonl", records)).session  # type: ignore[arg-type]
    status, data = ana.get(f"/api/session/main/{name}")
    assert status == 404 and "cannot be shown" in data["error"]["message"]


def test_broken_screens_are_said_to_be(fleet: Fleet, ana: Person, unfinished: Path, tmp_path: Path) -> None:
    records = [
        (each.kind, {**each.data, "nodes": 7} if each.kind == "screen" else each.data)
        for each in read_session(unfinished).records
    ]
    name = fleet.send(written(tmp_path / "broken.jsonl", records)).session
    status, data = ana.get(f"/api/session/main/{name}")
    assert status == 200
    number = next(event["line"] for event in data["events"] if event["screen"])
    status, data = ana.get(f"/api/step/main/{name}/{number}")
    assert status == 404 and "cannot be shown" in data["error"]["message"]


def events(fleet: Fleet, name: str, wanted: int) -> list[tuple[str, Any]]:
    """The first events that a page gets."""
    connection = http.client.HTTPConnection("127.0.0.1", fleet.server.port, timeout=20)
    connection.request("GET", "/api/events", headers=fleet.bearer(name))
    response = connection.getresponse()
    assert response.headers["Content-Type"].startswith("text/event-stream")
    got: list[tuple[str, Any]] = []
    kind = ""
    while len(got) < wanted:
        line = response.readline().decode().rstrip("\n")
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            got.append((kind, json.loads(line[6:])))
    connection.close()
    return got


def test_pages_hear_of_their_tenant_alone(fleet: Fleet, journal: Path) -> None:
    fleet.send(journal)
    (_, columns), (kind, rows), *_ = events(fleet, "sam", 3)
    row = dict(zip(columns, rows[0], strict=True))
    assert kind == "sessions" and len(rows) == 1 and row["device"] == "phone1" and row["steps"] > 5
    assert [kind for kind, _ in events(fleet, "eve", 2)] == ["columns", "questions"]


def test_a_silent_session_is_shown_as_silent(fleet: Fleet, unfinished: Path) -> None:
    session = fleet.send(unfinished).session
    hub, summary = fleet.console.events, fleet.server.intake.sessions["main", session]
    assert hub.state(summary) == "running"
    fleet.server.intake.heard["main", session] = time.monotonic() - fleet.server.limits.silent - 1
    assert hub.state(summary) == "silent"


def test_the_trail_goes_on_and_is_whole(tmp_path: Path, journal: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")
    for reason in ("one", "two"):
        with running(fleet.server_with()) as server:
            fleet.server = server
            fleet.person("ana").end(fleet.send(journal).session, reason)
    path = fleet.folder / TRAIL_FILE
    assert trail_problem(path) == "" and path.stat().st_mode & 0o077 == 0
    reasons = [json.loads(line)["reason"] for line in path.read_text().splitlines()]
    assert reasons == ["one", "two"]


@pytest.mark.parametrize("change", ["edited", "cut", "gone", "removed"])
def test_a_trail_that_was_edited_is_found_out(tmp_path: Path, journal: Path, change: str) -> None:
    from vsalang.guard.journal import JournalError

    fleet = fleet_in(tmp_path / "fleet")
    with running(fleet.server_with()) as server:
        fleet.server = server
        session = fleet.send(journal).session
        for reason in ("one", "two", "three"):
            fleet.person("ana").end(session, reason)
    path = fleet.folder / TRAIL_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    after = {
        "edited": lines[0].replace(b"one", b"uno") + b"".join(lines[1:]),
        "cut": lines[0],
        "gone": b"".join(lines[1:]),
    }
    if change == "removed":
        path.unlink()
    else:
        path.write_bytes(after[change])
    with pytest.raises(JournalError), running(fleet.server_with()):
        pass


def test_a_proxy_passes_its_own_name_on(tmp_path: Path) -> None:
    fleet = fleet_in(tmp_path / "fleet")
    with running(fleet.server_with(hosts=("Fleet.example:443",))) as server:
        fleet.server = server
        body = urlencode({"token": fleet.tokens["ana"]})
        for host, origin, status in (
            ("fleet.example", "https://fleet.example", 303),
            ("fleet.example:443", "https://fleet.example", 303),
            ("other.example", "https://fleet.example", 403),
            ("fleet.example", "https://other.example", 403),
            ("fleet.example", "https://fleet.example:444", 403),
        ):
            proxied = {"Host": host, "Origin": origin, "X-Forwarded-Proto": "https"}
            told, _, headers = fleet.request("POST", "/login", body, **FORM, **proxied)
            assert told == status, host
            assert status != 303 or "Secure" in headers["Set-Cookie"]
