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
