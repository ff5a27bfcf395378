"""A task over two apps that report their own state: a bank, and notes; and how tests reach a served session."""

import datetime as dt
import json
import socket
from pathlib import Path
from typing import Any

from vsalang.agents.reporting import ReportedGuard
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.ir import Program

BANK = "com.example.bank"
NOTES = "com.example.notes"
TODAY = dt.date(2026, 4, 1)
NOW = dt.datetime(2026, 4, 1, 12, 0)

FILES = {
    "bank.vsa": """
app bank package "com.example.bank" "Accounts and payments"

enum Kind {Current as ("Giro"), Savings}
screen Form "The form of a payment" when Node(id = "pay_form").
screen Overview "All accounts" when Node(id = "accounts").

state Account key (iban) "An account of the user" {
  iban: Text "its number"
  balance: Number "the money on it"
  kind: Kind "what it is"
  closed: Bool
  opened: Date
  labels: set of Text
}
complete Account when Node(id = "all_accounts").
state Session "Whether the user is signed in" { signed_in: Bool  since: Time  limit: Duration }
view Payment on Form "The payment being filled in" { payee: Text  amount: Number }
list Booking in (iban) "The bookings of an account" { iban: Text  what: Text  amount: Number }
define Rich(iban = ?i) when Account(iban = ?i, balance > 1000).

action Pay(payee: Text, amount: Number) "Pay money"
recognize Pay(payee = ?p, amount = ?a) when tap(id = "pay") with Payment(payee = ?p, amount = ?a).
action Close(iban: Text) "Close an account"
state Receipt "The answer to the last payment" { success: Bool }
update Session(since = ?t) when Node(id = "since", text = ?x), ?t = time(?x).
""",
    "notes.vsa": """
app notes package "com.example.notes" "Notes"
state Note key (title) "A note" { title: Text  body: Text }
""",
    "owner.vsa": """
policy owner "What the owner wants"
import bank
deny "not to {?p}" when Pay(payee = ?p, payee = "Mallory").
confirm "pay {?a}?" when Pay(amount = ?a, amount > 100).
deny "overdrawn" when Account(balance < 0), Pay.
""",
    "rent.vsa": """
spec rent "Pay the rent to Ann: at most 500, from an account that bears it. Nothing is left to do if none does."
import bank
import notes
allow Pay(payee = "Ann", amount <= 500)
  when Account(balance >= 500, closed = false), Session(signed_in = true).
done when Pay earlier, Receipt(success = true).
done when no Account(balance >= 500).
""",
}


def program(folder: Path) -> Program:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    loaded = load(str(folder / "rent.vsa"), policies=[str(folder / "owner.vsa")])
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    return loaded.program


def reported(program: Program, screen: Any = None, **options: Any) -> ReportedGuard:
    """A guard that has seen a screen that says nothing, or another one."""
    guard = ReportedGuard(program, today=TODAY, clock=lambda: NOW, **options)
    guard.observe(screen if screen is not None else FactScreen())
    return guard


ACCOUNT = {
    "iban": "DE1",
    "balance": 900,
    "kind": "Current",
    "closed": False,
    "opened": "2020-02-29",
    "labels": ["joint"],
}
READY = [
    {"name": "Account", "values": ACCOUNT},
    {"name": "Session", "values": {"signed_in": True, "since": "11:30", "limit": "10min"}},
]
RENT = {"action": "Pay", "values": {"payee": "Ann", "amount": 50}}
DEAR = {"action": "Pay", "values": {"payee": "Ann", "amount": 500}}


def raw(port: int, data: bytes, *, seconds: float = 10.0, end: bool = False) -> bytes:
    """Send bytes, and give what comes back until the other side closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(data)
        if end:
            connection.shutdown(socket.SHUT_WR)
        parts = []
        try:
            while part := connection.recv(65536):
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)


def post(port: int, token: str | None, path: str, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    """One request, written by hand; a header of None is left out."""
    lines = {
        "Host": f"127.0.0.1:{port}",
        "Content-Length": str(len(body)),
        **({"Authorization": f"Bearer {token}"} if token is not None else {}),
        **headers,
    }
    head = f"POST {path} HTTP/1.1\r\n" + "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in lines.items())
    answer = raw(port, head.encode() + b"\r\n" + body)
    top, _, rest = answer.partition(b"\r\n\r\n")
    shown = b"application/json" in top
    return int(top.split(b" ")[1]), json.loads(rest) if shown else {}
