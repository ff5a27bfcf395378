"""Apps and an agent that do anything in any order: what was never allowed never ran, and nothing ran twice."""

import datetime as dt
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.agents.reporting.bank import BANK, NOTES, TODAY, program
from tests.agents.reporting.test_reporting import screen
from vsalang.agents.reporting import MessageRefused, ReportedGuard, Service
from vsalang.guard import NotAllowed
from vsalang.program.action import Action

_ONE: dict[str, Any] = {}
BALANCE = st.sampled_from([None, -1, 499, 500])
PAYEE, AMOUNT = st.sampled_from(["Ann", "Mallory"]), st.sampled_from([50, 500, 501])
VIEW = st.booleans()


class Hostile(RuleBasedStateMachine):
    """One payment to Ann is licensed, of at most 100 (more would have to be confirmed, and nobody is there)."""

    @initialize(pays=st.booleans())
    def begin(self, pays: bool) -> None:
        """A session of its own."""
        if not _ONE:
            import tempfile
            from pathlib import Path

            with tempfile.TemporaryDirectory() as folder:
                _ONE["program"] = program(Path(folder))
        self.now = dt.datetime(2026, 4, 1, 12, 0)
        self.guard = ReportedGuard(_ONE["program"], today=TODAY, clock=lambda: self.now)
        self.guard.observe(screen("accounts"))
        self.service = Service(self.guard)
        self.verdict: Any = None
        self.ids: list[int] = []
        self.ran = 0  # payments that someone was let do, less those that certainly were not done
        if pays:
            self.ready()

    def _bearing(self) -> bool:
        accounts, session = self.guard.rows("bank.Account"), self.guard.rows("bank.Session")
        return (
            any(row.get("balance", -1) >= 500 and row.get("closed") is False for row in accounts)
            and not any(row.get("balance", 0) < 0 for row in accounts)
            and any(row.get("signed_in") is True for row in session)
        )

    def _say(self, kind: str, package: str = BANK, **data: Any) -> dict[str, Any]:
        try:
            return self.service.handle(package, kind, data)
        except MessageRefused:
            return {}

    @rule()
    def ready(self) -> None:
        account = {"iban": "A", "balance": 500, "closed": False}
        signed_in = {"name": "Session", "values": {"signed_in": True}}
        self._say("update_state", updates=[{"name": "Account", "op": "all", "rows": [account]}, signed_in])

    @rule()
    def fill_in(self) -> None:
        """The form is shown and filled in, and the agent taps."""
        self.observe(True)
        self.report_view("Ann", 50)
        self.propose("tap")
        self.commit()

    @rule(balance=BALANCE, closed=st.booleans(), iban=st.sampled_from(["A", "B"]))
    def report_account(self, balance: Any, closed: bool, iban: str) -> None:
        self._say(
            "update_state",
            updates=[{"name": "Account", "values": {"iban": iban, "balance": balance, "closed": closed}}],
        )

    @rule(signed_in=st.sampled_from([True, True, False, None]))
    def report_session(self, signed_in: bool | None) -> None:
        self._say("update_state", updates=[{"name": "Session", "values": {"signed_in": signed_in}}])

    @rule(payee=PAYEE, amount=AMOUNT)
    def report_view(self, payee: str, amount: int) -> None:
        self._say("update_state", updates=[{"name": "Payment", "values": {"payee": payee, "amount": amount}}])

    @rule(op=st.sampled_from(["delete", "complete", "all"]))
    def report_all(self, op: str) -> None:
        self._say(
            "update_state", updates=[{"name": "Account", "op": op, **({"rows": []} if op == "all" else {})}]
        )

    @rule(name=st.sampled_from(["Account", "Note"]))
    def report_as_another_app(self, name: str) -> None:
        before = self.guard.rows("bank.Account")
        self._say("update_state", NOTES, updates=[{"name": name, "values": {"iban": "A", "balance": 900}}])
        assert self.guard.rows("bank.Account") == before

    @rule(payee=PAYEE, amount=AMOUNT, package=st.sampled_from([BANK, BANK, NOTES]))
    def ask(self, payee: str, amount: int, package: str) -> None:
        was_running = self.guard.running
        answer = self._say("before", package, action="Pay", values={"payee": payee, "amount": amount})
        if not answer.get("proceed"):
            return
        assert package == BANK and (payee, amount) == ("Ann", 50)
        if answer["joined"]:
            assert was_running
            return
        assert self._bearing() and self.ran == 0
        self.ran += 1
        self.ids.append(answer["id"])

    @rule(performed=st.sampled_from([True, None, False]), twice=st.booleans())
    def pay(self, performed: bool | None, twice: bool) -> None:
        """As an app does that means well, or is impatient."""
        self.ask("Ann", 50, BANK)
        if twice:
            self.ask("Ann", 50, BANK)
        self.tell(performed, BANK)

    @rule(performed=st.sampled_from([True, None, False]), package=st.sampled_from([BANK, BANK, NOTES]))
    def tell(self, performed: bool | None, package: str) -> None:
        for id in self.ids[-2:]:
            if self._say("after", package, id=id, performed=performed) and performed is False:
                self.ran -= 1

    @rule(what=st.sampled_from(["back", "tap", "Pay", "Close", "wait"]))
    def propose(self, what: str) -> None:
        args: dict[str, Any] = {"tap": {"id": "pay"}, "Pay": {"payee": "Ann", "amount": 50}}.get(what, {})
        self.verdict = self.guard.propose(Action(what, args))

    @rule()
    def commit(self) -> None:
        if self.verdict is None:
            return
        try:
            self.guard.commit(self.verdict)
        except NotAllowed:
            return
        if any(action.name == "bank.Pay" for action in self.verdict.actions):
            assert self._bearing() and self.ran == 0
            self.ran += 1

    @rule(form=VIEW)
    def observe(self, form: bool) -> None:
        self.guard.observe(screen("pay_form", "pay") if form else screen("accounts"), True)

    @rule()
    def give_up(self) -> None:
        for id in self.ids[-1:]:
            self.guard.given_up(id)

    @rule(seconds=st.integers(0, 20))
    def time_passes(self, seconds: int) -> None:
        self.now += dt.timedelta(seconds=seconds)

    @invariant()
    def nothing_beyond_its_licence(self) -> None:
        if not hasattr(self, "guard"):
            return
        assert not self.guard.failed
        paid = [grant for grant, _ in self.guard.snapshot.commits if grant.relation == "bank.Pay"]
        assert len(paid) <= 1 and self.ran <= 1
        if not any(name == "bank:Form" for name in self.guard.screens):
            assert self.guard.rows("bank.Payment") == []


TestHostile = Hostile.TestCase
TestHostile.settings = settings(
    max_examples=40, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
