"""Measuring controls and contracts: what is found in a folder, the figures, and what is said where there is nothing."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from benchmarks.measure import contracts_command
from benchmarks.measure.admitted import admitted
from benchmarks.measure.experiment import Experiment, Result
from benchmarks.measure.planted import PlantedFailure
from benchmarks.measure.rows import Row, contract_rows
from tests.guard.graph.phone import MailPhone, invite
from tests.screen.control.making import node, text
from vsalang.guard import Contract, Guard, Reason
from vsalang.program.action import Action
from vsalang.tools.cli import demo

STEPS = 3
"""Of two walks, those with a screen before and after one gesture."""
Measure = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def sample(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a few of the real screens, runs and walks."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "walks").mkdir()
    for path in sorted((shared_data / "ui_dumps").glob("*.xml.gz"))[100:106]:
        (folder / path.name).symlink_to(path)
    (folder / "run").symlink_to(shared_data / "utg" / "org.totschnig.myexpenses")
    walk = shared_data / "trajectories" / "droidtask" / "camera.jsonl.gz"
    few = gzip.decompress(walk.read_bytes()).split(b"\n")[:2]
    (folder / "walks" / "camera.jsonl").write_bytes(b"\n".join(few))
    return folder


def figures(measure: Measure, folder: Path, *more: str) -> dict[str, dict[str, object]]:
    done = measure("contracts", folder, "--format", "json", *more)
    assert done.returncode == 0, done.stderr
    return {row["what"]: row for row in json.loads(done.stdout)["figures"]}


def test_parts_are_measured_on_what_is_there(measure: Measure, sample: Path) -> None:
    found = figures(
        measure, sample, "--only", "reduction", "--only", "delta", "--only", "memory", "--only", "looks"
    )
    assert found["visible nodes that can be acted on, lost"]["reached"] is True
    assert found["nodes left out at level units"]["value"] > 0.5  # type: ignore[operator]
    recorded = found["NoChange exactly where the recorder says so"]
    assert recorded["hits"] == recorded["of"] == 14
    assert found["right steps that would need a look"]["of"] == STEPS
    assert {row["part"] for row in found.values()} == {"reduction", "delta", "memory", "looks"}


def test_a_fall_of_met_contracts_is_missed() -> None:
    """On right steps most contracts are met; where fewer are, the row says so."""

    def reached(met: int, open_: int) -> bool | None:
        outcomes: list[Any] = ["met"] * met + ["inconclusive"] * open_
        results = [Result(0, 0, Action("tap"), "CHANGED", "recorded", each, "") for each in outcomes]
        *_, row = contract_rows(Experiment(1, tuple(results)))
        assert row.what == "contracts met on the recorded next screen" and row.counts == (met, met + open_)
        return row.reached

    assert reached(4, 1) is True
    assert reached(3, 2) is False


def test_the_table_says_what_was_not_measured(measure: Measure, sample: Path) -> None:
    done = measure("contracts", sample, "--only", "kinds", "--only", "reduction")
    assert "not measured: kinds (no labels (--labels FILE.tsv))" in done.stdout
    assert "at least 65 %" in done.stdout and done.returncode == 0


def test_labels_are_compared(measure: Measure, tmp_path: Path) -> None:
    from hashlib import sha256

    from vsalang.screen.control import controls
    from vsalang.screen.tree import load_dump

    dump = f"<hierarchy>{node('Button', text='Go', clickable='true')}</hierarchy>"
    (tmp_path / "a.xml").write_text(dump)
    (unit,) = controls(load_dump(dump))
    digest = sha256(dump.encode()).hexdigest()[:16]
    labels = tmp_path / "labels.tsv"
    labels.write_text(f"dump\tunit\tkind\n{digest}\t{unit.key}\tbutton\n{digest}\tother\ttab\n")
    done = measure("contracts", tmp_path, "--only", "kinds", "--labels", labels)
    assert "50.0 %  1 of 2" in done.stdout
    labels.write_text("two\tfields\n")
    wrong = measure("contracts", tmp_path, "--only", "kinds", "--labels", labels)
    assert wrong.returncode == 2 and "line 1: a label is dump, name and kind" in wrong.stderr


def test_a_missed_figure_is_status_one_if_strict(measure: Measure, tmp_path: Path) -> None:
    """A screen of nothing but texts cannot be reduced."""
    (tmp_path / "a.xml").write_text(f"<hierarchy>{text('A')}{text('B', 90)}</hierarchy>")
    lenient = measure("contracts", tmp_path, "--only", "reduction")
    assert lenient.returncode == 0 and "at least 65 %  MISSED" in lenient.stdout
    assert measure("contracts", tmp_path, "--only", "reduction", "--strict").returncode == 1


def test_nothing_to_measure_is_said(measure: Measure, tmp_path: Path) -> None:
    empty = measure("contracts", tmp_path, "--only", "reduction", "--only", "mined")
    assert (
        empty.returncode == 2 and "reduction: no UI dumps (.xml); mined: no runs of DroidBot" in empty.stderr
    )
    assert measure("contracts", tmp_path / "none").returncode == 2
    (tmp_path / "a.xml").write_text("<no dump")
    broken = measure("contracts", tmp_path, "--only", "reduction")
    assert broken.returncode == 2 and "a.xml" in broken.stderr and "internal" not in broken.stderr


def test_the_graph_is_held_against_recorded_agents(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with the examples that come with vsalang, which are longer."""
    (tmp_path / "look.vsa").write_text('spec look "Look."\nimport apps.settings\ndone when screen Network.\n')
    taps = [{"action": "tap", "text": "Network"}, {"action": "finish"}]
    (tmp_path / "look.agent.jsonl").write_text("\n".join(map(json.dumps, taps)))
    monkeypatch.setattr(
        contracts_command, "DEMOS", {"look": demo.Demo("sim:settings", "org.example.settings")}
    )
    monkeypatch.setattr(contracts_command, "examples", lambda: tmp_path)
    row = figures(measure, tmp_path, "--only", "graph")["touches of right runs that the graph admits"]
    assert (row["hits"], row["of"], row["reached"]) == (1, 1, True)


def test_planted_failures_are_counted(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(failure: Any, outcome: Any, expected: Any) -> PlantedFailure:
        contract = Contract("x:1", outcome, Reason("contract", "allow", "?"))
        return PlantedFailure(failure, "toggle", Action("tap"), expected, (contract,))

    found = [
        told("none", "met", "met"),
        told("tap lost", "met", "violated"),
        told("text cut", "violated", "violated"),
    ]
    monkeypatch.setattr("benchmarks.measure.contracts_command.planted", lambda: found)
    done = measure("contracts", tmp_path, "--only", "planted", "--strict")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "planted planted failures, said rightly 50.0 % 1 of 2 at least 100 % MISSED" in lines
    assert "planted failed actions called met 50.0 % 1 of 2 0 % MISSED" in lines
    assert "planted the same actions without a failure 100.0 % 1 of 1 at least 100 %" in lines
    assert done.returncode == 1


@pytest.mark.parametrize(("how", "reached"), [("at least", True), ("at most", False), ("is", False)], ids=str)
def test_a_bound_is_kept_or_missed(how: str, reached: bool) -> None:
    row = Row("looks", "x", 0.5, wanted=0.4, how=how)  # type: ignore[arg-type]
    assert row.reached is reached and Row("looks", "x", None, wanted=0.4).reached is None


def test_touches_that_come_too_early_are_not_admitted() -> None:
    """Checking the draft before its receiver is typed is carried out here, and the graph had not admitted it."""

    def share(*ids: str) -> tuple[int, int]:
        guard, phone = Guard(invite()), MailPhone()
        guard.observe(phone.observe())

        def act(action: Action) -> bool:
            screen = phone.observe()
            phone.perform(action, screen.target(action.name, action.args))
            guard.observe(phone.observe())
            return True

        found = admitted(guard, [_action(each) for each in ids], act)
        return found.hits, found.of

    assert share("to", "check") == (2, 2)
    assert share("check", "to") == (1, 2)


def _action(id: str) -> Action:
    typed = {"to": "Ann", "subject": "Lunch"}
    if id in typed:
        return Action("input_text", {"id": id, "value": typed[id]})
    return Action("tap", {"id": id})
