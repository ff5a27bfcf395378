"""The line protocol of the paper authors' Android library: its messages as they are described, over real sockets."""

import contextlib
import json
import socket
from typing import Any

import pytest

from tests.agents.reporting.bank import BANK, FILES, READY, reported
from tests.agents.reporting.conftest import pass_time, until
from tests.agents.reporting.test_reporting import screen
from tests.phone.test_peers import NOBODY, asked, linux, root
from vsalang.agents.reporting import Endpoint, Limits, MessageRefused, PaperApp, Service, paper
from vsalang.agents.reporting.access import Bucket
from vsalang.agents.reporting.paper import PaperListener, PaperUpdate, read_update, same_app
from vsalang.agents.reporting.schema import AppSchema
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.phone.wire import peers
from vsalang.program.action import Action

# Messages as the library's server and its test app write them, with the names of the bank.
DEFINE = {
    "type": "defineState",
    "appName": "Bank",
    "state": [
        {
            "name": "Account",
            "description": "An account",
            "variables": [{"iban": "String"}, {"balance": "Integer"}],
        },
        {
            "name": "Session",
            "description": "Signed in",
            "variables": [{"name": "signed_in", "type": "Boolean"}],
        },
    ],
}
SIGNED_IN = {
    "type": "updateState",
    "appName": "bank",
    "updates": [
        {
            "Predicate": "Session",
            "Reasoning": "The home page shows.",
            "Update_Rule": "Add",
            "signed_in": "true",
        }
    ],
}
ACCOUNT = {
    "type": "updateState",
    "appName": BANK,
    "updates": [{"stateName": "Account", "iban": "DE1", "balance": "1,900", "kind": "Giro", "closed": False}],
}
PAY = {
    "type": "updateState",
    "appName": "Bank",
    "updates": [{"Predicate": "Pay", "Update_Rule": "Update", "payee": "Ann", "amount": "50"}],
}


class App:
    """The app's side of a connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rwb")

    def send(self, message: Any) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.file.write(line)
        self.file.flush()

    def receive(self) -> Any:
        line = self.file.readline()
        return json.loads(line) if line else None

    def ask(self, message: Any) -> Any:
        self.send(message)
        return self.receive()

    def __enter__(self) -> "App":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()


def connect(endpoint: Endpoint) -> App:
    app = App(endpoint.paper_ports[BANK])
    assert app.receive() == {"Agent_Control": True}
    return app


def test_a_conversation(guard, serve):
    """State, then a critical action: verified once, and taken back after a moment."""
    endpoint = serve(guard, paper=[PaperApp(BANK, verified_seconds=1000)])
    with connect(endpoint) as app:
        app.send(DEFINE)  # not answered
        assert app.ask(PAY) == {"Action_Verified": False}  # nothing is known yet
        assert app.ask(SIGNED_IN) == {"Action_Verified": True}
        assert app.ask(ACCOUNT) == {"Action_Verified": True}
        assert guard.rows("bank.Account") == [
            {"iban": "DE1", "balance": 1900, "kind": "Current", "closed": False}
        ]
        assert app.ask(PAY) == {"Action_Verified": True}
        pass_time(endpoint, 1001)
        assert app.receive() == {"Action_Verified": False}  # the next event is asked about again
        assert app.ask(PAY) == {"Action_Verified": False}  # paid once
    assert len(guard.snapshot.commits) == 1 and not guard.running


def test_several_messages_in_one_packet_and_one_in_several(guard, serve):
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    with connect(endpoint) as app:
        lines = json.dumps(SIGNED_IN).encode() + b"\r\n\n" + json.dumps(ACCOUNT).encode() + b"\n"
        for start in range(0, len(lines), 7):
            app.send(lines[start : start + 7])
        assert [app.receive(), app.receive()] == [{"Action_Verified": True}] * 2
    assert guard.rows("bank.Session") == [{"signed_in": True}]


def test_what_is_swallowed_did_not_happen(guard, serve):
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    with connect(endpoint) as app:
        pay = {"Predicate": "Pay", "payee": "Mallory", "amount": "50"}
        both = {
            "type": "updateState",
            "updates": [pay, {"Predicate": "Account", "iban": "DE1", "balance": 1}],
        }
        assert app.ask(both) == {"Action_Verified": False}
    assert guard.rows("bank.Account") == []


def test_facts_are_not_answered(guard, serve):
    endpoint = serve(guard, paper=[PaperApp(BANK, facts=True)])
    with connect(endpoint) as app:
        app.send(SIGNED_IN)
        app.send(ACCOUNT)
        app.send({**ACCOUNT, "updates": [{"stateName": "Account", "Update_Rule": "Delete", "iban": "DE1"}]})
        app.send(PAY)
        # what is asked among facts is refused, and what is not a message too
        assert app.receive() == {"Action_Verified": False}
    assert guard.rows("bank.Account") == [] and guard.rows("bank.Session") == [{"signed_in": True}]


def test_a_token_is_the_first_line(guard, serve):
    token = "a token that is long enough"
    endpoint = serve(guard, paper=[PaperApp(BANK, token=token, quiet_seconds=1000)])
    port = endpoint.paper_ports[BANK]
    with App(port) as app:
        assert app.ask({"token": token}) == {"Agent_Control": True}
        assert app.ask(SIGNED_IN) == {"Action_Verified": True}
    for first in (ACCOUNT, {"token": "x"}, {"token": 7}, {}, b"\0\n", b"[" * 90_000 + b"\n"):
        with App(port) as app:
            assert app.ask(first) is None
            assert guard.rows("bank.Account") == []
    with App(port) as app:
        until(lambda: len(endpoint._paper[0]._unknown) == 1)  # it has been met
        pass_time(endpoint, 1001)
        assert app.receive() is None  # who says nothing is not waited for


@pytest.mark.parametrize(
    "line",
    [
        b"\n\n{\n",
        b"\xff\xfe\0\n",
        b"[]\n",
        b'{"type": "updateState"}\n',
        b'{"type": "updateState", "updates": [{}]}\n',
        b'{"type": "updateState", "updates": [[[[[[[[[[[[1]]]]]]]]]]]]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Account", "iban": "a\\u0000"}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Account", "iban": "a", "balance": "much"}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Account", "iban": "a", "colour": "red"}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Account", "balance": 5}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Note", "title": "a"}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "finish"}]}\n',
        b'{"type": "updateState", "appName": "Notes", "updates": [{"Predicate": "Account", "iban": "a"}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Account", "iban": "a", "Update_Rule": "Drop"}]}\n',
        b'{"type": "updateState", "updates": [{"Predicate": "Pay"}, {"Predicate": "Pay"}]}\n',
        b'{"Action_Verified": true}\n',
    ],
    ids=range(16),
)
def test_what_is_not_understood_is_not_verified(guard, serve, line):
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    before = guard.snapshot
    with connect(endpoint) as app:
        assert app.ask(line) == {"Action_Verified": False}
        assert guard.snapshot == before
        assert app.ask(SIGNED_IN) == {"Action_Verified": True}


@linux
@root
def test_tokenless_apps_serve_the_users_own_programs(guard, serve):
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    port = endpoint.paper_ports[BANK]
    line = json.dumps(SIGNED_IN).encode() + b"\n"
    assert b"Agent_Control" in asked(port, b"", enough=1)
    assert asked(port, line, NOBODY) == b""
    assert not guard.rows("bank.Session")
    endpoint.close()
    let_in = serve(guard, paper=[PaperApp(BANK, users=frozenset({0, NOBODY}))])
    assert b"Agent_Control" in asked(let_in.paper_ports[BANK], b"", NOBODY, enough=1)


@linux
def test_tokenless_apps_serve_no_unknown_user(guard, serve, monkeypatch):
    for name in ("user_of_socket", "user_of"):
        monkeypatch.setattr(peers, name, lambda near, far: None)
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    with App(endpoint.paper_ports[BANK]) as app:
        assert app.receive() is None


def test_of_a_stranger_only_the_token_is_read(guard, serve):
    """It is turned away by the length of its first line, before the line has ended."""
    endpoint = serve(guard, paper=[PaperApp(BANK, token="t" * 32, quiet_seconds=1000)])
    with socket.create_connection(("127.0.0.1", endpoint.paper_ports[BANK]), timeout=60) as connection:
        connection.sendall(b'{"token": "' + b'\\"' * 1000)
        with contextlib.suppress(ConnectionError):
            assert connection.recv(10) == b""


def test_silent_strangers_keep_nobody_out(guard, serve):
    endpoint = serve(guard, paper=[PaperApp(BANK, token="t" * 32)], limits=Limits(strangers=3))
    address = ("127.0.0.1", endpoint.paper_ports[BANK])
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(socket.create_connection(address, timeout=60)).sendall(b'{"tok')
        with (
            socket.create_connection(address, timeout=60) as connection,
            connection.makefile("rb") as answers,
        ):
            connection.sendall(json.dumps({"token": "t" * 32}).encode() + b"\n")
            assert json.loads(answers.readline()) == {"Agent_Control": True}


def test_peers_that_take_too_much(guard, serve, monkeypatch):
    monkeypatch.setattr(paper, "Bucket", lambda rate, burst: Bucket(rate, burst, clock=lambda: 0.0))
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    connection = socket.create_connection(("127.0.0.1", endpoint.paper_ports[BANK]), timeout=60)
    with connection, contextlib.suppress(ConnectionError):  # it is closed while there is still more to send
        connection.sendall(b"x" * 600_000)
        while connection.recv(65536):
            pass
    with connect(endpoint) as app, contextlib.suppress(ConnectionError):
        for _ in range(2000):
            if app.ask(b"{}\n") is None:
                break
        else:
            pytest.fail("a flood is answered for ever")
    with connect(endpoint) as app:
        assert app.ask(SIGNED_IN) == {"Action_Verified": True}


def test_under_an_agents_action(rent, serve):
    """The agent's tap was judged as the payment: a question about it is verified once, another one is not."""
    guard = reported(rent, screen("pay_form", "pay"))
    Service(guard).handle(
        BANK,
        "update_state",
        {"updates": [*READY, {"name": "Payment", "values": {"payee": "Ann", "amount": 50}}]},
    )
    endpoint = serve(guard, paper=[PaperApp(BANK)])
    guard.commit(guard.propose(Action("tap", {"id": "pay"})))
    with connect(endpoint) as app:
        assert app.ask(PAY) == {"Action_Verified": True}
        assert app.ask(PAY) == {"Action_Verified": False}
    assert guard.running
    guard.observe(screen("accounts"))
    assert len(guard.snapshot.commits) == 1


def test_the_endpoint_closes_its_lines(guard, serve):
    endpoint = serve(guard, paper=[PaperApp(BANK, verified_seconds=3600)])
    with connect(endpoint) as app:
        assert app.ask(SIGNED_IN) == {"Action_Verified": True}
        endpoint.close()  # without waiting for an hour
        assert app.receive() is None


# ---------------------------------------------------------------- reading


@pytest.fixture(scope="module")
def schema(rent: Any) -> AppSchema:
    return AppSchema(rent, BANK)


def test_spellings(schema):
    def changes(item: dict[str, Any]) -> Any:
        return read_update(schema, {"updates": [item]}, None).changes

    named = [changes({word: "Account", "iban": "a"}) for word in ("Predicate", "stateName", "name")]
    assert named[0] == named[1] == named[2]
    (session,) = changes({"Predicate": "Session", "signed_in": "off", "since": "7:05 pm", "limit": "5 min"})
    assert [str(value) for value in session.cells.values()] == ["False", "19:05:00", "0:05:00"]
    (account,) = changes({"Predicate": "Account", "iban": 17, "opened": "1 April 2026", "kind": "savings"})
    assert [str(value) for value in account.cells.values()] == ["17", "2026-04-01", "Savings"]
    with pytest.raises(MessageRefused, match="which Account goes"):
        changes({"Predicate": "Account", "Update_Rule": "Delete", "balance": 1})


def test_names_of_apps(schema):
    assert all(same_app(schema, name) for name in ("bank", "Bank", " BANK ", "com.example.bank"))
    assert not any(same_app(schema, name) for name in ("notes", "com.example", "", "banks"))


def test_a_verified_action_is_not_refuted_too_early(tmp_path):
    """The screen that is looked at then shows what was so before; a payment taken back would be paid twice."""
    files = {
        **FILES,
        "bank.vsa": FILES["bank.vsa"]
        + 'expect Account(iban = "DE1", balance < 900) when Pay.\n'
        + 'update Account(iban = "DE1", balance = number(?x), closed = false) when Node(id = "bal", text = ?x).\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    bank = load(str(tmp_path / "rent.vsa")).program
    assert bank is not None
    facts = screen("accounts", "bal").facts
    nodes = tuple({**row, "text": "900"} if row["id"] == "bal" else row for row in facts["Node"])
    shown = FactScreen({**facts, "Node": nodes})
    guard = reported(bank, shown)
    Service(guard).handle(BANK, "update_state", {"updates": READY})
    guard.look = lambda: shown
    listener = PaperListener(PaperApp(BANK), Service(guard))
    pay = PaperUpdate(Action("bank.Pay", {"payee": "Ann", "amount": 50}), ())
    assert listener._verify(pay)
    assert len(guard.snapshot.commits) == 1 and not guard.running
    assert not listener._verify(pay)
