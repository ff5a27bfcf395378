"""What is not known on a screen never takes duty away: `benchmarks/seeing`, compared with the causes that are known."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.seeing import alarms, causes
from benchmarks.seeing.cases import IN_CI, RELEASE, SEED, Case, case, digest, source_of
from benchmarks.seeing.causes import (
    COMMAND,
    Cause,
    Count,
    KnownError,
    Report,
    grown,
    known_violations,
    mended,
    run,
    write,
)
from benchmarks.seeing.changes import Change, Edit, changed
from benchmarks.seeing.judge import Outcome, compared, outcome
from benchmarks.seeing.pages import own
from benchmarks.seeing.trees import COUNT, Page, page_of, printed
from tests.thorough import some, times
from vsalang.guard import Verdict
from vsalang.guard.say.verdict import Proposal, Reason
from vsalang.program.action import Action
from vsalang.program.example import Level
from vsalang.screen.tree import load_tree

NOON = dt.datetime(2026, 4, 1, 12)
IN_CHANGE = 100
"""The first cases of `IN_CI`."""
FROZEN = Path(causes.KNOWN).with_name("digest.txt")


def judged(cases: int) -> Report:
    report = run(cases)
    assert grown(report) == []
    assert all(report.cases[kind] for kind in "abcdef")
    assert all(report.levels[level] for level in ("allow", "warn", "confirm", "block"))
    return report


@pytest.mark.slow
def test_no_verdict_is_more_permissive_than_known() -> None:
    """A cause that is new and a count that grew fail."""
    judged(IN_CHANGE)


@pytest.mark.soak
def test_no_verdict_of_all_is_more_permissive() -> None:
    """One that was fixed and still stands in `known.txt` fails, too."""
    report = judged(times(IN_CI, RELEASE))
    assert mended(report) == [], f"they were fixed, so write {causes.KNOWN.name} again: {COMMAND}"


@pytest.mark.slow
def test_screens_that_were_read_whole_raise_no_alarm() -> None:
    """No reason on them is there for what was not known alone."""
    files, recorded = some(alarms.dumps(), 80, 3), some(alarms.walks(), 14, 1)
    if not files or not recorded:
        pytest.skip(f"{alarms.DATA} is not there")
    for found in (alarms.of_dumps(files), alarms.of_walks(recorded)):
        assert found.steps > 0
        assert found.examples == []


def test_cases_are_those_that_were_frozen() -> None:
    """A fix of the guard does not change what is drawn. What the simulated phones show is in the digest, too."""
    frozen = FROZEN.read_text(encoding="utf-8").split()
    assert digest(IN_CI, SEED) == frozen[0]


def test_other_seeds_draw_other_cases() -> None:
    numbers = [number for number in range(40) if source_of(number) == "own"]
    assert len(numbers) >= 16
    first = [made.digest() for number in numbers if (made := case(number)) is not None]
    again = [made.digest() for number in numbers if (made := case(number)) is not None]
    other = [made.digest() for number in numbers if (made := case(number, SEED + 1)) is not None]
    assert first == again and len(set(first)) == len(numbers) and not set(first) & set(other)


# ---------------------------------------------------------------------- screens and what is done to them

XML = """<hierarchy rotation="0"><node class="a.List" bounds="[0,0][90,90]" resource-id="c:id/l" clickable="false">
<node index="0" class="a.Row" bounds="[0,0][90,30]" text="A &quot;&amp;" clickable="true"><node index="0" class="a.T"
 bounds="[0,0][9,9]"/></node><node index="1" class="a.Row" bounds="[0,30][90,60]" text="B" clickable="true"/>
<node index="2" class="a.Row" bounds="[0,60][90,90]" text="C" checked="true"/></node></hierarchy>"""


def page() -> Page:
    found = page_of(XML, name="a list", app=("c", ".Main"), now=NOON)
    assert found is not None
    return found


def one(edit: Edit) -> list[Change]:
    return [Change("it", "other", (edit,))]


def test_pages_print_what_was_read() -> None:
    tree = load_tree(printed(page(), "dump"))
    assert tree.nodes == load_tree(XML).nodes
    for form in ("portal", "views"):
        other = load_tree(printed(page(), form))  # type: ignore[arg-type]
        assert [(n.text, n.id, n.cls, n.clickable, n.checked, n.top, n.bottom) for n in other.nodes] == [
            (n.text, n.id, n.cls, n.clickable, n.checked, n.top, n.bottom) for n in tree.nodes
        ]
        assert other.app == ("c", ".Main")


def test_every_own_page_is_read_alike_in_all_forms() -> None:
    pages = {each.name: each for session in own() for each in session.pages}
    assert len(pages) > 20
    for each in pages.values():
        dump, views = (load_tree(printed(each, form)) for form in ("dump", "views"))  # type: ignore[arg-type]
        assert [(n.text, n.id, n.left, n.bottom) for n in dump.nodes] == [
            (n.text, n.id, n.left, n.bottom) for n in views.nodes
        ]


def test_what_is_left_out_is_unknown() -> None:
    less = changed(page(), [*one(Edit("drop", 1, "text")), *one(Edit("app"))])
    assert "text" not in less.attrs[1] and less.attrs[3]["text"] == "B" and less.app is None
    assert load_tree(printed(less, "dump")).nodes[1].text is None


def test_a_hidden_child_is_still_told_of() -> None:
    hidden, removed = changed(page(), one(Edit("hide", 1))), changed(page(), one(Edit("remove", 1)))
    for each in (hidden, removed):
        assert [attrs.get("text") for attrs in each.attrs] == [None, "B", "C"]
        assert each.places == (0, 3, 4) and each.parents == (-1, 0, 0)
    assert [attrs.get("index") for attrs in hidden.attrs] == [None, "1", "2"]
    assert [attrs.get("index") for attrs in removed.attrs] == [None, "0", "1"]
    assert (hidden.attrs[0][COUNT], removed.attrs[0][COUNT]) == ("3", "2")


# ---------------------------------------------------------------------- what is more permissive

MENU = own()[0].pages[0]
ORDER = own()[0].actions[0]


def made(program: str, proposal: Action, page: Page = MENU) -> Case:
    return Case(0, "a", "own", "one", (page,), None, proposal, program, "dump", ((),))


def came(case: Case) -> Outcome:
    return outcome(case, case.changes)


def steps(before: Case, after: Case) -> list[str]:
    return [fault.step for fault in compared(before, came(before), came(after))]


def test_a_denial_that_is_gone_is_found() -> None:
    assert ORDER is not None
    strict, lax = made("touches", ORDER), made("fields", ORDER)
    assert came(strict).levels == ("block",) and came(lax).levels == ("allow",)
    assert steps(strict, lax) == ["deny"]
    assert steps(lax, strict) == []


def test_an_allowed_action_that_is_not_recognised_is_found() -> None:
    assert ORDER is not None
    order, lax = made("shop_task", ORDER), made("fields", ORDER)
    assert came(order).levels == ("allow",) and came(order).verdicts[0].actions
    assert steps(order, lax) == ["recognize"]


def test_a_list_that_becomes_complete_is_found() -> None:
    finish = Action("finish")
    scrolls = next(page for page in own()[1].pages if any(a["scrollable"] == "true" for a in page.attrs))
    part, all_ = made("shop_check", finish, scrolls), made("shop_check", finish)
    assert came(part).levels == ("block",) and came(all_).levels == ("allow",)
    assert steps(part, all_) == ["done", "complete"]
    assert steps(all_, part) == []


def verdict(level: Level) -> Verdict:
    reasons = () if level == "allow" else (Reason("deny", level, "no", rule="R"),)
    return Verdict(level, reasons, Proposal(), 1, NOON)


def test_contracts_that_are_met_without_evidence_are_found() -> None:
    before = Outcome((verdict("allow"), verdict("allow")), unmet=frozenset({"C"}))
    after = replace(before, met=frozenset({"C"}), unmet=frozenset())
    assert [fault.step for fault in compared(made("fields", Action("back")), before, after)] == ["expect"]
    held = replace(after, verdicts=(verdict("confirm"), verdict("allow")))
    assert compared(made("fields", Action("back")), before, held) == ()


def judged_by(monkeypatch: pytest.MonkeyPatch, looser: Iterable[frozenset[str]]) -> Report:
    """The report on one case with three changes, of which any of these sets makes it more permissive."""
    drawn = tuple(Change(attr, "other", (Edit("drop", 1, attr),)) for attr in ("text", "class", "enabled"))
    drawn_case = replace(made("fields", Action("back")), changes=(drawn,))

    def fake(case: Case, changes: Sequence[Sequence[Change]]) -> Outcome:
        there = {change.cause for each in changes for change in each}
        return Outcome((verdict("allow" if any(some <= there for some in looser) else "block"),))

    monkeypatch.setattr(causes, "case", lambda number, seed: drawn_case)
    monkeypatch.setattr(causes, "outcome", fake)
    monkeypatch.setattr("benchmarks.seeing.judge.outcome", fake)
    return run(1)


def test_causes_are_the_fewest_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = judged_by(monkeypatch, [frozenset({"text"}), frozenset({"enabled"})])
    assert set(alone.causes) == {Cause("a", "deny", "text"), Cause("a", "deny", "enabled")}
    assert "text of other" in alone.examples[Cause("a", "deny", "text")]
    together = judged_by(monkeypatch, [frozenset({"class", "enabled"})])
    assert together.causes == {Cause("a", "deny", "class + enabled"): Count(own=1)}
    assert judged_by(monkeypatch, []).causes == {}


# ---------------------------------------------------------------------- what is known

CAUSE = Cause("a", "deny", "class + text")


def listed(monkeypatch: pytest.MonkeyPatch, folder: Path, *lines: str) -> None:
    file = folder / "known.txt"
    file.write_text("# a comment\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    monkeypatch.setattr(causes, "KNOWN", file)


def reported(many: int, **counts: int) -> Report:
    return Report(many, SEED, causes={CAUSE: Count(**counts), Cause("e", "deny", "node"): Count(own=7)})


def test_known_causes_are_a_ratchet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listed(monkeypatch, tmp_path, "2000 a 2 0 deny class + text")
    assert known_violations()[IN_CI] == {CAUSE: Count(2, 0)}
    assert (grown(reported(IN_CI, own=2)), mended(reported(IN_CI, own=2))) == ([], [])
    (more,) = grown(reported(IN_CI, own=3))
    assert more == "a deny class + text (own): 3 cases, 2 in known.txt."
    (fewer,) = mended(reported(IN_CI, own=1))
    assert fewer == "a deny class + text (own): 1 cases, 2 in known.txt"
    assert grown(Report(IN_CI, SEED)) == [] and len(mended(Report(IN_CI, SEED))) == 1
    assert (grown(reported(200, own=1)), mended(reported(200, own=1))) == ([], [])
    assert len(grown(reported(200, own=3))) == 1 and len(grown(reported(RELEASE, own=1))) == 1


@pytest.mark.parametrize(
    "line", ["2000 a 2 0 deny", "2000 e 2 0 deny node", "many a 2 0 deny node", "2000 a x 0 deny node"]
)
def test_lines_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str) -> None:
    listed(monkeypatch, tmp_path, line)
    with pytest.raises(KnownError, match=r"known\.txt:2: a line is"):
        known_violations()


def test_counts_are_only_written_lower(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listed(monkeypatch, tmp_path, "2000 a 2 0 deny class + text", "20000 a 9 9 deny class + text")
    monkeypatch.setattr(causes.pages, "there", lambda: True)
    with pytest.raises(KnownError, match="more permissive"):
        write(reported(IN_CI, own=3))
    with pytest.raises(KnownError, match="2000 and of 20000"):
        write(reported(200, own=1))
    write(reported(IN_CI, own=1))
    assert known_violations() == {IN_CI: {CAUSE: Count(1, 0)}, RELEASE: {CAUSE: Count(9, 9)}}
    monkeypatch.setattr(causes.pages, "there", lambda: False)
    with pytest.raises(KnownError, match="is not there"):
        write(reported(IN_CI, own=0))
