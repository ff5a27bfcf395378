"""The benchmarks themselves: workloads are what they say, and engines that are always there agree on their answers.

No time is asserted. Other rivals are compared with the reference by `benchmarks.side_by_side` before it times them.
"""

import importlib

import pytest

from benchmarks.compare import ASKED, FIRST, digest, key, known_digests, oracle, plain, whole
from benchmarks.engines import python_, sqlite_, vsalang_
from benchmarks.side_by_side import ENGINES, table
from benchmarks.workloads import by_name, rows, w2, w3

NAMES = ("w1", "w2", "w3", "w4", "w5", "w5_data", "w6")
FEW = {"w1": 400, "w2": 150, "w3": 25, "w4": 150, "w5": 400, "w5_data": 400, "w6": 600}


@pytest.mark.parametrize("name", NAMES)
def test_engines_agree(name):
    work = by_name(name, FEW[name])
    steps = [
        (module.NAME, getattr(module, name)(work)) for module in (vsalang_, sqlite_) if hasattr(module, name)
    ]
    right = getattr(python_, name)(work)
    for number, event in enumerate(work.events):
        wanted = plain(work, right(event))
        for engine, step in steps:
            assert plain(work, step(event)) == wanted, (engine, number, event)


@pytest.mark.parametrize("name", NAMES)
def test_kept_answers_of_the_reference_are_of_these_events(name):
    """`oracle.toml` is only worth something while programs and events are those that the reference answered."""
    work = by_name(name, ASKED[name])
    assert known_digests()[name]["events"] == key(work, len(work.events)), (
        f".venv/bin/python -m benchmarks.compare {name}"
    )
    assert whole(oracle(name, work)) == known_digests()[name][str(ASKED[name])]


def test_other_answers_than_the_reference_gave_are_no_oracle(monkeypatch):
    work = by_name("w1", ASKED["w1"])
    right = python_.w1

    def one_wrong(work):
        step, number = right(work), iter(range(10_000))
        return lambda event: [*step(event), *(["Wrong"] if next(number) == 4000 else [])]

    monkeypatch.setattr(python_, "w1", one_wrong)
    with pytest.raises(SystemExit, match=r"does not answer w1 as oracle.toml says"):
        oracle("w1", work)


def test_an_oracle_of_other_events_is_refused():
    with pytest.raises(SystemExit, match=r"w1 has changed: .* -m benchmarks.compare w1"):
        oracle("w1", by_name("w1", 100))


def test_reference_still_says_what_was_kept():
    assert len(FIRST) == 4
    for name, count in FIRST.items():
        work = by_name(name, count)
        step = getattr(vsalang_, name)(work, "reference")
        assert (
            whole([digest(work, step(event)) for event in work.events]) == known_digests()[name][str(count)]
        ), name


def test_a_wrong_answer_is_seen():
    work = by_name("w1", 10)
    assert digest(work, ["May"]) == digest(work, {"w1.May"})
    assert digest(work, ["May"]) != digest(work, ["May", "Done"])
    tree = by_name("w3", 1)
    assert digest(tree, ([1], [], [], [])) != digest(tree, ([], [], [], [1]))


def test_events_are_functions_of_seeds_and_prefixes():
    for name in NAMES:
        long, short = by_name(name, 40), by_name(name, 20)
        assert long.events[:20] == short.events
        assert long.spec == short.spec
        assert long.program.digest == short.program.digest


def test_w2_is_as_described():
    spec = w2.generate()
    assert len(spec.kinds) == 60
    assert sum(len(clauses) for clauses in spec.heads) == 200
    assert {len(body) for clauses in spec.heads for body in clauses} == {3}
    heads = [
        atom for clauses in spec.heads for body in clauses for atom in body if isinstance(atom, w2.HeadAtom)
    ]
    cells = [
        atom for clauses in spec.heads for body in clauses for atom in body if isinstance(atom, w2.CellAtom)
    ]
    assert 50 <= len(heads) <= 70
    assert 0.15 <= sum(atom.negated for atom in heads) / len(heads) <= 0.35
    for kind, operators in w2.OPERATORS.items():
        assert {atom.op for atom in cells if spec.kinds[atom.cell] == kind} == set(operators)


def test_growing_programs_touch_as_much():
    """What a cell rests under does not grow with the program: else the curve would show something else."""
    for rules in (100, 1000):
        spec = w2.growing(rules, 1).spec
        resting = python_.affected(spec)
        assert 5 < sum(map(len, resting)) / len(resting) < 20
        assert len(spec.heads) == rules // 2


def test_w3_changes_a_twentieth():
    work = w3.work(60)
    shares = [len(event) / 200 for event in work.events]
    assert 0.04 < sum(shares) / len(shares) < 0.06
    now = {row[0]: row for row in work.spec}
    for event in work.events:
        for old, new in event:
            assert old != new
            assert now.get((old or new)[0]) == old
            if new is None:
                del now[old[0]]
            else:
                now[new[0]] = new
        assert 185 <= len(now) <= 215
        assert all(row[1] is None or row[1] in now for row in now.values())


def test_rows_answer_keeps_its_size():
    sizes = []
    for orders in (100, 2000):
        work = rows.work(200, orders)
        steps = [module.rows(work) for module in (vsalang_, python_, sqlite_)]
        for event in work.events:
            answers = {plain(work, step(event)) for step in steps}
            assert len(answers) == 1
        sizes.append(len(answers.pop()))
    assert max(sizes) < 50


def test_every_engine_says_what_it_cannot():
    for name in ENGINES:
        try:
            module = importlib.import_module(f"benchmarks.engines.{name}")
        except ImportError:
            continue  # a rival that is not installed
        for workload in NAMES:
            assert hasattr(module, workload) != (workload in module.CANNOT), (name, workload)


def test_table():
    result = {
        "engine": "vsalang",
        "median_us": 1.234,
        "p95_us": 150.0,
        "mean_us": 20.0,
        "ratio": 1.0,
        "noise": 0.1,
    }
    other = {"engine": "other", "median_us": 0.05, "p95_us": 2.0, "mean_us": 0.1, "ratio": 0.5, "noise": 0.1}
    report = {
        "workloads": [
            {"workload": "w1", "goal_us": 1.5, "results": [result, other]},
            {"workload": "w5", "goal_us": None, "results": [result]},
        ],
        "memory": {"vsalang": 4096.0},
    }
    assert table(report).splitlines() == [
        "| engine | w1 | w5 |",
        "|---|---|---|",
        "| vsalang | 1.23 (150) ×1 | 1.23 (150) ×1 |",
        "| other | 0.05 (2) ×0.5 | – |",
        "| goal | 1.5 | – |",
        "| noise of ours | ±5 % | ±5 % |",
        "",
        "| mean | w1 | w5 |",
        "|---|---|---|",
        "| vsalang | 20 ×1 | 20 ×1 |",
        "| other | 0.1 ×0.005 | – |",
        "",
        "| engine | KB for each session |",
        "|---|---|",
        "| vsalang | 4.0 |",
    ]
