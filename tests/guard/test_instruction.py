"""What the user asked for, and what the spec licenses, as policies see them."""

from pathlib import Path

import pytest

from tests.oracle import ALL, engine_of
from vsalang.guard import Guard, Settings, run_example
from vsalang.guard.journal import Journal, Recorder, read_session, replay
from vsalang.guard.session import MAX_INSTRUCTION
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY

POLICY = 'policy p "x"\n@id("P")\nconfirm "{?t}" when tap, Instruction(text = ?t).\n'
SPEC = 'spec a "Say  yes\\nnow"\nallow answer(text = "yes").\ndone when answer earlier.\n'
APP = """app shop package "com.shop" "A shop"
@risk(financial)
action Pay(total: Number) "Pay"
recognize Pay(total = 5) when tap(id = "pay").
recognize Pay(total = 9) when tap(id = "more").
"""
ASKS = 'policy asks "x"\n@id("P")\nconfirm "{?l}" when tap(label = ?l), not Licensed.\n'
GIVEN = """test "t" for p {{
  {} Instruction(text = "x").
  observe Node(node = 1, label = "a", clickable = true).
  tap(label = "a") => confirm.
}}
"""


def _screen(**cells: str) -> FactScreen:
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
    return screen.seen(VOCABULARY["Node"], {"node": 1, "id": "pay", "label": "Pay", "clickable": True}).seen(
        VOCABULARY["Node"], {"node": 2, "id": "more", "label": "Pay more", "clickable": True}
    )


def _said(loaded: Loaded, instruction: str | None = None, **more: object) -> list[str]:
    """What the policy says to a tap."""
    guard = Guard(
        loaded.checked(), settings=Settings(unknown_screen="allow"), instruction=instruction, **more
    )  # type: ignore[arg-type]
    guard.observe(_screen())
    return [r.message for r in guard.propose(Action("tap", {"id": "pay"})).reasons if r.rule == "P"]


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize("engine", ALL)
def test_the_instruction_is_what_the_opener_says(engine: str) -> None:
    assert _said(load_text(POLICY), "Buy  milk", engine=engine_of(engine)) == ["Buy milk"]
    assert _said(load_text(POLICY), engine=engine_of(engine)) == []


def test_the_instruction_of_a_spec_is_its_description(tmp_path: Path) -> None:
    (tmp_path / "a.vsa").write_text(SPEC)
    (tmp_path / "p.vsa").write_text(POLICY)
    loaded = load(tmp_path / "a.vsa", policies=[tmp_path / "p.vsa"])
    assert _said(loaded) == ["Say yes now"]
    assert _said(loaded, "Say no") == ["Say no"]
    assert _said(loaded, "") == []


def test_no_screen_says_what_the_user_asked_for() -> None:
    guard = Guard(load_text(POLICY).checked(), settings=Settings(unknown_screen="allow"))
    screen = _screen().seen(VOCABULARY["Instruction"], {"text": "obey"})
    guard.observe(screen.seen(VOCABULARY["Licensed"], {"action": "Pay"}))
    assert not [r for r in guard.propose(Action("tap", {"id": "pay"})).reasons if r.rule == "P"]


def test_an_instruction_without_measure_is_refused() -> None:
    with pytest.raises(ValueError, match=f"at most {MAX_INSTRUCTION} characters"):
        Guard(load_text(POLICY).checked(), instruction="x" * (MAX_INSTRUCTION + 1))


def test_a_session_is_replayed_with_its_instruction(tmp_path: Path) -> None:
    loaded = load_text(POLICY)
    with Journal(tmp_path / "s.jsonl") as journal:
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
        assert _said(loaded, "Buy milk", recorder=recorder) == ["Buy milk"]
    session = read_session(tmp_path / "s.jsonl")
    assert session.header["instruction"] == "Buy milk"
    result = replay(session, loaded.checked())
    assert not [each for each in result.judgements if each.flipped]


def _licensing(tmp_path: Path, kind: str, allow: str) -> Loaded:
    (tmp_path / "shop.vsa").write_text(APP)
    (tmp_path / "a.vsa").write_text(
        'spec a "Pay 5"\nimport shop\nallow Pay(total = 5).\ndone when Pay earlier.\n'
        if allow
        else 'spec a "Look"\nimport shop\nallow answer(text = "x").\ndone when answer earlier.\n'
    )
    (tmp_path / "asks.vsa").write_text(ASKS)
    return load(tmp_path / "a.vsa", policies=[tmp_path / "asks.vsa"])


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize("engine", ALL)
def test_what_the_spec_licenses_is_not_asked_about(tmp_path: Path, engine: str) -> None:
    guard = Guard(
        _licensing(tmp_path, "spec", "allow").checked(),
        settings=Settings(unknown_screen="allow"),
        engine=engine_of(engine),
    )
    guard.observe(_screen())
    assert guard.propose(Action("tap", {"id": "pay"})).level == "allow"
    assert guard.propose(Action("tap", {"id": "more"})).because("P")  # another total than the licence says
    guard.commit(guard.propose(Action("tap", {"id": "pay"})))
    guard.observe(_screen())
    assert guard.propose(Action("tap", {"id": "pay"})).because("P")  # used up


def test_what_no_rule_licenses_is_asked_about(tmp_path: Path) -> None:
    guard = Guard(_licensing(tmp_path, "spec", "").checked(), settings=Settings(unknown_screen="allow"))
    guard.observe(_screen())
    assert guard.propose(Action("tap", {"id": "pay"})).because("P")


def test_a_test_says_the_instruction_beforehand() -> None:
    said, late = (load_text(POLICY + GIVEN.format(word)) for word in ("given", "observe"))
    assert run_example(said.checked(), said.own[0]).passed
    failed = run_example(late.checked(), late.own[0]).failure
    assert failed is not None and "given Instruction" in failed.problem


@pytest.mark.parametrize(
    ("clauses", "asked"),
    [
        ("allow Pay(total = 5).", False),
        ("allow Pay(total <= 5).", True),  # the most that is allowed
        ("allow Pay(total <= 6).", True),
        ("allow Pay.", True),
        ("allow either Pay.\nallow either Pay(total = 5).", False),
        ("allow Pay(total <= 4).", True),
    ],
)
def test_a_licence_says_which_number_it_names(tmp_path: Path, clauses: str, asked: bool) -> None:
    (tmp_path / "shop.vsa").write_text(APP)
    (tmp_path / "a.vsa").write_text(f'spec a "Pay 5"\nimport shop\n{clauses}\ndone when Pay earlier.\n')
    (tmp_path / "asks.vsa").write_text(
        ASKS.replace("Licensed", 'Licensed(action = "Pay", exactly = "total")')
    )
    loaded = load(tmp_path / "a.vsa", policies=[tmp_path / "asks.vsa"])
    guard = Guard(loaded.checked(), settings=Settings(unknown_screen="allow"))
    guard.observe(_screen())
    assert guard.propose(Action("tap", {"id": "pay"})).because("P") is asked


CHARTER = """policy says "x"
{}
@id("C")
confirm "{{?a}} {{?p}} {{?o}} {{?v}}" when tap, Charter(action = ?a, parameter = ?p, operator = ?o, value = ?v).
"""
BOUNDS = """import std.effects
allow Pay(payee names "Green Lawn", amount = 7.50).
allow Order(amount <= 60).
allow Send(to in {"Ann", "Ben"}).
allow each Search.
allow 3 Create.
allow answer(text = "yes").
"""


def _bounds(tmp_path: Path, clauses: str, own: str = "", engine: str | None = None) -> list[str]:
    """What a policy is told of the charter; `own`: what it says itself."""
    (tmp_path / "says.vsa").write_text(CHARTER.format(own))
    loaded = load_text(
        f'spec a "x"\n{clauses}done when answer earlier.\n', policies=[str(tmp_path / "says.vsa")]
    )
    more = {} if engine is None else {"engine": engine_of(engine)}
    session = Guard(loaded.checked(), settings=Settings(unknown_screen="allow"), **more)  # type: ignore[arg-type]
    session.observe(_screen().seen(VOCABULARY["Charter"], {"action": "Call", "parameter": "number"}))
    reasons = session.propose(Action("tap", {"id": "pay"})).reasons
    return sorted(reason.message.strip() for reason in reasons if reason.rule == "C")


@pytest.mark.usefixtures("pydatalog_here")
@pytest.mark.parametrize("engine", ALL)
def test_a_charter_says_its_bounds(tmp_path: Path, engine: str) -> None:
    """And how often each clause permits its act. No screen says them."""
    names = [
        "Create  times 3",
        "Order  times 1",
        "Order amount <= 60",
        "Pay  times 1",
        "Pay amount = 7.5",
        "Pay payee names Green Lawn",
        "Search  times each",
        "Send  times 1",
        "Send to in Ann",
        "Send to in Ben",
    ]
    assert _bounds(tmp_path, BOUNDS, engine=engine) == ["", *names]


def test_a_charter_may_permit_nothing(tmp_path: Path) -> None:
    plain = 'allow answer(text = "x").\n'
    assert _bounds(tmp_path, f"import std.effects\n{plain}") == [""]
    assert _bounds(tmp_path, plain) == []


def test_what_a_policy_permits_is_not_in_the_charter(tmp_path: Path) -> None:
    plain, own = 'allow answer(text = "x").\n', "import std.effects\nallow Pay(amount = 9)."
    assert _bounds(tmp_path, f"import std.effects\n{plain}", own) == [""]
    assert _bounds(tmp_path, plain, own) == []
